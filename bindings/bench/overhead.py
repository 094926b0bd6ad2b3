"""Cost of a call above that of C++: ./python bindings/bench/overhead.py [MODEL]

Prints nanoseconds, the least of many repetitions: of C++ in a loop without Python, of calls with and without `out=`, of
batches, of functions of Python as forces; and the time of the import. peers.py has other libraries.
"""
from __future__ import annotations

import subprocess
import sys
import time
import timeit

import numpy as np

import chasles


def least(statement: str, names: dict[str, object], number: int = 2000, repeat: int = 40) -> float:
    """Nanoseconds of a statement, without those of the loop."""
    loop = min(timeit.repeat("pass", number=number, repeat=repeat))
    return 1e9 * (min(timeit.repeat(statement, globals=names, number=number, repeat=repeat)) - loop) / number


def single(model: chasles.Model) -> None:
    rng = np.random.default_rng(1)
    q = chasles.plus(model, model.neutral(), rng.uniform(-1, 1, model.nv))
    v, a = rng.uniform(-1, 1, (2, model.nv))
    frame = model.frame(model.bodies[-1].name)
    print(f"{model}\n{'ns':38}{'C++':>8}{'out=':>8}{'+':>6}{'result':>8}{'+':>6}")
    for name, arguments in (("inverse_dynamics", "q, v, a"), ("forward_dynamics", "q, v, a"), ("mass_matrix", "q"),
                            ("d_inverse_dynamics", "q, v, a"), ("jacobian", "q, frame, 'hybrid'"), ("pose", "q, frame")):
        names = {"f": getattr(chasles, name), "model": model, "q": q, "v": v, "a": a, "frame": frame}
        arrays = [names[x.strip()] for x in arguments.split(",") if x.strip() in ("q", "v", "a")]
        target = {"frame": frame, "representation": "hybrid"} if "frame" in arguments else {}
        names["out"] = eval(f"f(model, {arguments})", names)
        alone, into, made = np.inf, np.inf, np.inf
        for _ in range(40):  # by turns, so that all meet the same machine
            alone = min(alone, min(chasles._core._time(name, model, arrays, target.get("frame"), 500) for _ in range(20)))
            into = min(into, least(f"f(model, {arguments}, out=out)", names, 500, 20))
            made = min(made, least(f"f(model, {arguments})", names, 500, 20))
        print(f"{name:38}{alone:8.0f}{into:8.0f}{into - alone:6.0f}{made:8.0f}{made - alone:6.0f}")


def batches(model: chasles.Model) -> None:
    """Of Python and of C++ by turns, so that both meet the same machine."""
    rng = np.random.default_rng(1)
    print("\ninverse_dynamics of batches, ns per state" + f"{'C++':>14}{'out=':>8}")
    for n in (16, 256, 1000, 10000):
        q = chasles.plus(model, np.tile(model.neutral(), (n, 1)), rng.uniform(-1, 1, (n, model.nv)))
        v, a, out = rng.uniform(-1, 1, (n, model.nv)), rng.uniform(-1, 1, (n, model.nv)), np.empty((n, model.nv))
        calls, alone, into = max(1, 2000 // n), np.inf, np.inf
        for _ in range(100 if n > 1000 else 400):
            alone = min(alone, chasles._core._time("inverse_dynamics", model, [q, v, a], None, calls))
            start = time.perf_counter()
            for _ in range(calls):
                chasles.inverse_dynamics(model, q, v, a, out=out)
            into = min(into, 1e9 * (time.perf_counter() - start) / calls)
        print(f"{n:6} states{'':29}{alone / n:14.1f}{into / n:8.1f}  {100 * (into / alone - 1):+.1f} %")


def callbacks() -> None:
    """A function of Python as a force, above what Python takes to call it."""
    model = chasles.load("examples/puma560.yaml")
    q, v, tau = np.zeros((3, 6))
    print(f"\n{'functions of Python as forces, ns':38}{'called by Python':>18}{'as a force':>12}{'+':>6}")
    for title, law in (("pass", lambda t, q, v, tau: None), ("tau[0] = -3 * q[0]", lambda t, q, v, tau: tau.__setitem__(0, -3 * q[0]))):
        force = chasles.Force("f", model, law)
        body, called = np.inf, np.inf
        for _ in range(10):
            body = min(body, least("law(0.0, q, v, tau)", {"law": law, "q": q, "v": v, "tau": tau}, 1000, 40))
            called = min(called, min(chasles._core._time_force(force, q, v, 1000) for _ in range(40)))
        print(f"{title:38}{body:18.0f}{called:12.0f}{called - body:6.0f}")


def imports() -> None:
    """Seconds of `import chasles` beyond that of numpy, in new processes."""
    def seconds(code: str) -> float:
        program = f"import time; import numpy; t = time.perf_counter(); {code}; print(time.perf_counter() - t)"
        return min(float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout) for _ in range(5))

    print(f"\nimport chasles, beyond numpy: {1e3 * seconds('import chasles'):.0f} ms")


if __name__ == "__main__":
    single(chasles.load(sys.argv[1] if len(sys.argv) > 1 else "examples/puma560.yaml"))
    batches(chasles.load(sys.argv[1] if len(sys.argv) > 1 else "examples/puma560.yaml"))
    callbacks()
    imports()
