"""Simbody on the problems of the league, by the program of league_simbody.cpp: Runge-Kutta-Merson and Fehlberg with error
control, and CPodes' BDF where there are springs. Its Adams method does not come to an end on most problems with loops."""
import json
import os
import subprocess

import numpy as np

PROGRAM = os.environ.get("LEAGUE_SIMBODY", "")
ADAPTIVE = True


def methods(problem):
    names = [("Runge-Kutta-Merson", "merson"), ("Runge-Kutta-Fehlberg", "feldberg")]
    return names + ([("CPodes BDF", "bdf")] if problem.springs else [])


def plain(value):
    return value.tolist() if isinstance(value, np.ndarray) else value


def description(problem):
    bodies = []
    for b in problem.bodies:
        I = b.inertia if np.any(b.inertia) else np.diag([1e-12] * 3)
        rate = getattr(b, "rate_vector", b.rate)
        bodies.append({"name": b.name, "parent": b.parent, "joint": b.joint, "axis": plain(b.axis), "point": plain(b.point),
                       "mass": b.mass, "com": plain(b.com), "inertia": plain(I), "rate": plain(rate),
                       "across": plain(getattr(b, "across", None))})
    return {"gravity": plain(problem.gravity), "bodies": bodies, "planar": problem.planar, "torque": problem.torque,
            "loops": [[plain(x) for x in loop] for loop in problem.loops],
            "springs": [[plain(x) for x in spring] for spring in problem.springs],
            "duration": problem.duration, "outcome": [plain(x) for x in problem.outcome]}


def call(problem, method, accuracy):
    result = subprocess.run([PROGRAM, method, repr(accuracy)], input=json.dumps(description(problem)), capture_output=True,
                            text=True)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip() or f"ended with {result.returncode}")
    return json.loads(result.stdout.splitlines()[-1])


def run(problem, method, accuracy):
    """CPU seconds without set-up, and the outcome."""
    result = call(problem, method, accuracy)
    return result["seconds"], result["value"]


def version():
    from league_problems import pendulum

    return call(pendulum(), "merson", 0.1)["version"]


VERSION = version()
