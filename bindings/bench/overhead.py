"""Cost of a call above that of C++: ./python bindings/bench/overhead.py [MODEL]

Prints nanoseconds, the least of many repetitions: of C++ in a loop without Python, of calls with and without `out=`, of
batches; and of Pinocchio and MuJoCo for the same call where they are installed.
"""
from __future__ import annotations

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
        alone = min(chasles._core._time(name, model, arrays, target.get("frame"), 2000) for _ in range(40))
        names["out"] = eval(f"f(model, {arguments})", names)
        into, made = (least(f"f(model, {arguments}{more})", names) for more in (", out=out", ""))
        print(f"{name:38}{alone:8.0f}{into:8.0f}{into - alone:6.0f}{made:8.0f}{made - alone:6.0f}")


def batches(model: chasles.Model) -> None:
    rng = np.random.default_rng(1)
    print("inverse_dynamics of batches, ns per state: " + ", ".join(
        f"{n} states {least('f(m, q, v, a, out=out)', dict(f=chasles.inverse_dynamics, m=model, out=np.empty((n, model.nv)), q=chasles.plus(model, np.tile(model.neutral(), (n, 1)), rng.uniform(-1, 1, (n, model.nv))), v=rng.uniform(-1, 1, (n, model.nv)), a=rng.uniform(-1, 1, (n, model.nv))), 20, 20) / n:.0f}"
        for n in (16, 256, 1000, 10000)))


def callbacks() -> None:
    model = (chasles.MechanismBuilder("pendulum").body("bob", "ground", chasles.joints.revolute([0, 1, 0]))
             .inertia(1, [0, 0, -1], np.eye(3)).build().compile())
    times = []
    for force in (chasles.joint_spring_damper(model, "bob", 1.0), chasles.Force("f", model, lambda t, q, v, tau: None)):
        scenario = chasles.Scenario(model, [0.1], duration=200.0)
        scenario.method, scenario.step, scenario.every = "mk4", 1e-2, 100.0
        scenario.add_force(force)
        simulation = chasles.Simulation(scenario)
        start = time.perf_counter()
        simulation.run()
        times.append(1e9 * (time.perf_counter() - start) / simulation.summary["evaluations"])
    print(f"an empty function of Python as a force: {times[1] - times[0]:.0f} ns per evaluation more than a spring of the library")


def others() -> None:
    try:
        import pinocchio
    except ImportError:
        print("pinocchio: not installed")
    else:
        pin = pinocchio.buildSampleModelManipulator()
        data, x = pin.createData(), np.zeros(pin.nv)
        print(f"pinocchio.rnea, {pin.nv} joints: {least('f(m, d, x, x, x)', dict(f=pinocchio.rnea, m=pin, d=data, x=x)):.0f}")
    try:
        import mujoco
    except ImportError:
        print("mujoco: not installed")
    else:
        hinge = "<body><joint type='hinge' axis='0 1 0'/><geom size='0.1' pos='0 0 0.3'/>"
        m = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{hinge * 6}{'</body>' * 6}</worldbody></mujoco>")
        d = mujoco.MjData(m)
        mujoco.mj_forward(m, d)
        print(f"mujoco.mj_rne, 6 hinges: {least('f(m, d, 1, x)', dict(f=mujoco.mj_rne, m=m, d=d, x=np.zeros(m.nv))):.0f}")


if __name__ == "__main__":
    single(chasles.load(sys.argv[1] if len(sys.argv) > 1 else "examples/puma560.yaml"))
    batches(chasles.load(sys.argv[1] if len(sys.argv) > 1 else "examples/puma560.yaml"))
    callbacks()
    others()
