"""Calls everything that the module offers with arguments that mean nothing, mixed with some that do.

    ./python bindings/tests/attack.py [SEED [CALLS]]      prints what is no answer: exceptions without a text of ours

A crash ends the process; what was called last is in the file attack.log of the folder CHASLES_FOLDER, if there is one.
"""
from __future__ import annotations

import inspect
import os
import pathlib
import random
import re
import sys
import warnings

import numpy as np

import chasles

warnings.simplefilter("ignore")
# Messages of C++ or of nanobind, not of ours; calls of these take files or minutes.
FOREIGN = re.compile(r"^std::|bad_cast|bad_alloc|basic_string|vector::|map::at|_M_|Assertion|Critical")
LEFT_OUT = {"verify", "problem_names", "save", "plot_svg", "read_run"}


def objects() -> list:
    """Arguments: things of the library, arrays of all sizes, numbers, texts, functions, and nonsense."""
    four_bar = chasles.load("examples/four_bar.yaml")
    pendulum = (chasles.MechanismBuilder("pendulum").body("bob", "ground", chasles.joints.revolute([0, 1, 0])).joint_name("swing").limits(-1, 1)
                .inertia(2, [0, 0, -0.5], np.zeros((3, 3))).build().compile())
    scenario = chasles.Scenario(pendulum, [0.1], duration=0.01)
    system, closed = chasles.System(pendulum), chasles.System(four_bar)
    integrator = chasles.Integrator(system, "mk4", step=0.1)
    group = chasles.MatrixGroup.special_orthogonal(3)
    arrays = [np.zeros(n) for n in (0, 1, 3, 4, 6, 7, 12)] + [np.eye(n) for n in (1, 2, 3, 4, 6)] + [np.full(3, np.nan), np.full(1, np.inf), np.ones((2, 3)),
                                                                                                   np.zeros((0, 3)), np.zeros((3, 0)), np.ones((2, 3, 3))]
    return [
        four_bar, pendulum, four_bar.mechanism, scenario, system, closed, integrator, chasles.DifferentiableStep(system), group,
        chasles.FirstOrderSystem(group, lambda t, Y: [0, 0, 1]), pendulum.frame("bob"), pendulum.joint("swing"), pendulum.bodies[0],
        chasles.joint_torque(pendulum, "swing", 1.0), chasles.pd_control(pendulum, ["swing"], [0.0], [1.0], [1.0]),
        chasles.references.speed(1.0), chasles.signals.sinusoid(), chasles.ContactLaw(), chasles.Sensors([0.1]), chasles.SE3(np.eye(4)),
        chasles.SO3(np.eye(3)), chasles.screws.ScrewSystem([[0, 0, 1, 0, 0, 0]]), chasles.Inertia(1, [0, 0, 0], np.eye(3)),
        chasles.SpaceCurve.through([[0, 0, 0], [1, 0, 0], [1, 1, 0]]), chasles.point_on_plane(pendulum, "c", "bob", [0, 0, 0]),
        chasles.parameter(pendulum, "bob", "m"), system.linearize([0.0], [0.0]), chasles.TaylorPolynomial.variables([1.0, 2.0], 2)[0],
        chasles.RungeKuttaTableau("euler", 1, [[]], [1.0]), chasles.SeriesElasticDrive("swing", 10.0, motor_inertia=1.0), chasles.joints.revolute([0, 0, 1]),
        integrator.checkpoint(), chasles.State.of(pendulum), chasles.MechanismBuilder("m").body("b", "ground", chasles.joints.fixed()),
        chasles.Evaluation(pendulum, ["energy"]), *arrays, 0, 1, -1, 2, 10**30, 0.5, -2.5, float("nan"), float("inf"), True, None, "", "swing", "bob", "x",
        "hybrid", "body", "mk4", "energy", "\0", "q" * 5000, b"x", [], [1.0], ["swing"], ["energy"], [[0.0]], [[1, 2], [3]], (), (1, 2), {}, {"swing": 1.0},
        {"bob": np.zeros(6)}, {1: 2}, object(), len, lambda *a: 0.0, lambda *a: None, lambda *a: np.zeros(1), lambda *a: [0.0, 0.0, 0.0], lambda *a: 1 / 0, range(3), 3 + 4j,
    ]


def targets() -> list[tuple[str, object]]:
    """(name, function), of modules and classes; methods take their object first."""
    found: dict[str, object] = {}
    for module in (chasles, chasles.lie, chasles.screws, chasles.joints, chasles.references, chasles.signals, chasles.textbook):
        for name, thing in inspect.getmembers(module):
            if name.startswith("_") or name in LEFT_OUT or inspect.ismodule(thing):
                continue
            path = f"{module.__name__}.{name}"
            if inspect.isclass(thing):
                if issubclass(thing, BaseException):
                    continue
                found[path] = thing
                for method, function in inspect.getmembers(thing):
                    own = not method.startswith("_") or method in ("__matmul__", "__add__", "__sub__", "__mul__", "__truediv__", "__eq__", "__setstate__", "__call__")
                    if own and method not in LEFT_OUT and getattr(function, "__objclass__", None) is not object:
                        found[f"{path}.{method}"] = function
            elif callable(thing):
                found[path] = thing
    return sorted(found.items())


def parameters(function: object) -> list[str]:
    """The parameters of a function with their types, as its documentation has them."""
    lines = [line for line in (getattr(function, "__doc__", None) or "").splitlines() if re.match(r"^\w+\(.*\)( -> .*)?$", line)]
    if not lines:
        try:
            return [str(p) for p in inspect.signature(function).parameters.values()]  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return ["a", "b"]
    parts, depth = [""], 0
    for c in lines[0][lines[0].index("(") + 1:lines[0].rindex(")")]:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip() not in ("", "*", "/")]


def fitting(parameter: str, owner: str, pool: list) -> list:
    """The objects of the pool that a parameter may take."""
    name, _, kind = parameter.partition(":")
    kind = owner if name == "self" else kind or {"model": "Model", "frame": "str", "representation": "str"}.get(name, "ArrayLike")
    classes = [x for x in pool if re.search(rf"\b{type(x).__name__}\b", kind)]
    if "ArrayLike" in kind:
        classes += [x for x in pool if isinstance(x, np.ndarray) and (x.size < 4 or random.random() < 0.3)]
    if "Callable" in kind:
        classes += [x for x in pool if inspect.isfunction(x)]
    if "Sequence" in kind or "dict" in kind or "Mapping" in kind:
        classes += [x for x in pool if isinstance(x, (list, tuple, dict))]
    return classes or pool


def main(seed: int, most: int) -> int:
    rng, wrong, calls, answers = random.Random(seed), set(), 0, 0
    random.seed(seed)
    log = pathlib.Path(os.environ["CHASLES_FOLDER"]) / "attack.log" if "CHASLES_FOLDER" in os.environ else None
    things = targets()
    while calls < most:
        pool = objects()  # new ones: calls change them
        for name, function in rng.sample(things, len(things)):
            owner = name.rsplit(".", 2)[-2]
            if isinstance(function, property):
                function, takes = function.fget, ["self"]
            else:
                takes = parameters(function)
            takes = takes[:rng.randint(max(0, len(takes) - 4), len(takes))]
            wild = rng.random() < 0.3  # else all of the right kind
            arguments = [rng.choice(pool if wild and rng.random() < 0.5 else fitting(x, owner, pool)) for x in takes]
            if log:
                log.write_text(f"{seed} {name} {[repr(x)[:80] for x in arguments]}\n")
            calls += 1
            try:
                repr(function(*arguments))  # type: ignore[operator]
                answers += 1
            except BaseException as error:  # noqa: BLE001
                text = str(error)
                if isinstance(error, (SystemError, KeyboardInterrupt)) or FOREIGN.search(text) or not text and type(error).__module__.startswith("chasles"):
                    wrong.add(f"{name}: {type(error).__name__}: {text[:200]}: {[repr(x)[:60] for x in arguments]}")
    for line in sorted(wrong):
        print(line)
    print(f"{calls} calls of {len(things)} functions, {answers} answers, {len(wrong)} foreign exceptions")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1, int(sys.argv[2]) if len(sys.argv) > 2 else 20000))
