#!/usr/bin/env python3
"""The stiff 7-joint arm of bench/implicit.cpp with other integrators: the CPU time of each at the cheapest
tolerance that is accurate enough. Forward dynamics: Pinocchio's aba, called from Python, so that most of
the time of an evaluation is Python; evaluations are counted as well. Needs pin and scipy; CVODE needs
scikit-sundae.

    bench/peers/stiff_arm.py [--quick]
"""
import sys
import time

try:
    import numpy as np
    import pinocchio as pin
    from scipy.integrate import solve_ivp
except ImportError as missing:
    print(f"stiff arm: not compared with other libraries ({missing}); pip install pin scipy")
    sys.exit(0)

N, DURATION = 7, 2.0
PHASE = np.arange(N, dtype=float)


def make_arm():
    model = pin.Model()
    parent = 0
    for k in range(N):
        joint = pin.JointModelRZ() if k % 2 == 0 else pin.JointModelRY()
        offset = pin.SE3(np.eye(3), np.array([0, 0, 0 if k == 0 else 0.3]))
        parent = model.addJoint(parent, joint, offset, f"link{k + 1}")
        m = 8.0 - k
        inertia = pin.Inertia(m, np.array([0.02, 0, 0.15]), np.diag([0.01 * m, 0.01 * m, 0.002 * m]))
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    return model


class Arm:
    def __init__(self):
        self.model = make_arm()
        self.data = self.model.createData()
        self.evaluations = 0

    def rates(self, t, y):
        self.evaluations += 1
        q, v = y[:N], y[N:]
        tau = -2e4 * (q - 0.5 * np.sin(2 * t + PHASE)) - 200 * v - 5 * np.tanh(v / 0.05)
        return np.concatenate([v, pin.aba(self.model, self.data, q, v, tau)])


def scipy_method(name):
    def run(arm, y, tolerance):
        solution = solve_ivp(arm.rates, (0, DURATION), y, method=name, rtol=tolerance, atol=tolerance)
        return solution.y[:N, -1] if solution.success else np.full(N, np.inf)

    return run


def cvode():
    from sksundae.cvode import CVODE

    def run(arm, y, tolerance):
        def rates(t, x, out):
            out[:] = arm.rates(t, x)

        solver = CVODE(rates, method="BDF", rtol=tolerance, atol=tolerance, max_num_steps=10**6)
        solution = solver.solve(np.array([0, DURATION]), y)
        return solution.y[-1, :N] if solution.success else np.full(N, np.inf)

    return run


def sweep(arm, run, start, truth, goal):
    """(CPU ms, tolerance, evaluations, error) from loose to tight, until two runs have reached the goal."""
    runs, tolerance = [], 1e-1
    while tolerance > 1e-13 and sum(r[-1] <= goal for r in runs) < 2:
        least = np.inf
        for _ in range(2):
            arm.evaluations, begin = 0, time.process_time()
            error = np.max(np.abs(run(arm, start, tolerance) - truth))
            least = min(least, 1e3 * (time.process_time() - begin))
        runs.append((least, tolerance, arm.evaluations, error))
        tolerance /= 3
    return runs


def main():
    quick = "--quick" in sys.argv[1:]
    arm, start = Arm(), np.concatenate([0.5 * np.sin(PHASE), np.zeros(N)])
    methods = {name: scipy_method(name) for name in ("LSODA", "Radau", "BDF")}
    try:
        methods["CVODE"] = cvode()
    except ImportError:
        print("stiff arm: without CVODE; pip install scikit-sundae")
    truth = methods["Radau"](arm, start, 1e-8 if quick else 1e-11)
    print("stiff 7-joint arm, 2 s; q at the end:", *(f"{x:.10f}" for x in truth))
    print(f"{'method':>10}{'goal':>10}{'tolerance':>12}{'evaluations':>13}{'CPU ms':>12}{'error in q':>12}")
    goals = (1e-3, 1e-6) if quick else (1e-3, 1e-6, 1e-9)
    for name, run in methods.items():
        runs = sweep(arm, run, start, truth, goals[-1])
        for goal in goals:
            good = [r for r in runs if r[-1] <= goal]
            if not good:
                print(f"{name:>10}{goal:>10.0e}   not reached")
                continue
            ms, tolerance, evaluations, error = min(good)
            print(f"{name:>10}{goal:>10.0e}{tolerance:>12.1e}{evaluations:>13}{ms:>12.1f}{error:>12.1e}")


if __name__ == "__main__":
    main()
