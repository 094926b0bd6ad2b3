"""The problems of the league (bench/run verify) as data that every peer can build: bodies at the start in the world.

A body has a parent, a joint to it at a point of the world, its mass, center of mass and inertia about that, in world axes
at the start, and the rate of its joint. Loops are joints between two bodies. `planar`: everything moves in x and y.
"""
from math import cos, pi, sin, sqrt

import numpy as np

GRAVITY = (0, -9.81, 0)


class Body:
    def __init__(self, name, parent, joint, axis, point, mass, com, inertia, rate=0.0):
        self.name, self.parent, self.joint, self.mass = name, parent, joint, mass
        self.axis, self.point, self.com = (np.array(x, float) for x in (axis, point, com))
        inertia = np.array(inertia, float)
        self.inertia = np.diag(inertia) if inertia.ndim == 1 else inertia
        self.rate = np.array(rate, float) if joint in ("ball", "free") else float(rate)


class Problem:
    def __init__(self, name, bodies, duration, outcome, gravity=GRAVITY, loops=(), springs=(), planar=False, torque=None):
        self.name, self.bodies, self.duration, self.outcome = name, bodies, duration, outcome
        self.gravity, self.loops, self.springs, self.planar = np.array(gravity, float), loops, springs, planar
        self.torque = torque  # (body, value): of its joint
        if planar:  # only moments about z matter; peers want all of them to be those of a body
            for b in bodies:
                b.inertia = b.inertia[2, 2] * np.eye(3)

    def twists(self):
        """Angular velocity, and velocity of the center of mass, of every body at the start."""
        out = {}
        for b in self.bodies:
            w, v, at = out[b.parent] if b.parent else (np.zeros(3), np.zeros(3), np.zeros(3))
            v = v + np.cross(w, b.point - at)
            if b.joint == "revolute":
                w = w + b.axis * b.rate
            elif b.joint == "prismatic":
                v = v + b.axis * b.rate
            elif b.joint == "universal":  # two rates about two axes: see the slider-crank
                w = w + b.rate_vector
            else:
                w = w + b.rate
            out[b.name] = (w, v + np.cross(w, b.com - b.point), b.com)
        return {name: (w, v) for name, (w, v, _) in out.items()}


Z = (0, 0, 1)


def pendulum():
    return Problem("pendulum", [Body("bob", None, "revolute", Z, (0, 0, 0), 1, (-1, 0, 0), (0, 0, 0))], 10,
                   ("point", "bob", (-1, 0, 0)), planar=True)


def double_pendulum():
    return Problem("double pendulum",
                   [Body("upper", None, "revolute", Z, (0, 0, 0), 1, (1, 0, 0), (0, 0, 0)),
                    Body("lower", "upper", "revolute", Z, (1, 0, 0), 1, (2, 0, 0), (0, 0, 0))], 5,
                   ("point", "lower", (0, 0, 0)), planar=True)


def four_bars():
    bar = 1 / 12
    up, along = (bar, 0, bar), (0, bar, bar)
    bodies = [
        Body("crank0", None, "revolute", Z, (0, 0, 0), 1, (0, 0.5, 0), up, -1),
        Body("coupler1", "crank0", "revolute", Z, (0, 1, 0), 1, (0.5, 1, 0), along, 1),
        Body("crank1", None, "revolute", Z, (1, 0, 0), 1, (1, 0.5, 0), up, -1),
        Body("coupler2", "crank1", "revolute", Z, (1, 1, 0), 1, (1.5, 1, 0), along, 1),
        Body("crank2", None, "revolute", Z, (2, 0, 0), 1, (2, 0.5, 0), up, -1),
    ]
    loops = [("coupler1", "crank1", (1, 1, 0), Z), ("coupler2", "crank2", (2, 1, 0), Z)]
    return Problem("four-bars A02", bodies, 10, ("point", "crank0", (0, 1, 0)), loops=loops, planar=True)


def andrews():
    beta, gamma, phi = -0.0617138900142764, 0.455279819163070, 0.222668390165886
    delta, epsilon = 0.487364979543843, 1.23054744454982
    omega, theta = -phi, 0.0

    def turned(angle, x, y=0.0):
        return np.array([cos(angle) * x - sin(angle) * y, sin(angle) * x + cos(angle) * y, 0])

    A, B, O = np.array([-0.06934, -0.00227, 0]), np.array([-0.03635, 0.03273, 0]), np.zeros(3)
    # Joints and centers of mass at q = 0, turned about the joints before.
    def body(name, joint, at_zero, com, chain, mass, I):
        """chain: (angle, pivot at q = 0) from the last joint to the first."""
        point, center = np.array(at_zero, float), np.array(com, float)
        for k, (angle, pivot) in enumerate(chain):
            pivot = np.array(pivot, float)
            center = pivot + turned(angle, *(center - pivot)[:2])
            if k:
                point = pivot + turned(angle, *(point - pivot)[:2])
        parent = {"K2": "K1", "K4": "K5", "K6": "K7"}.get(name)
        return Body(name, parent, "revolute", Z, point, mass, center, (I / 2, I / 2, I))

    bodies = [
        body("K1", "beta", O, (0.00092, 0, 0), [(beta, O)], 0.04325, 2.194e-6),
        body("K2", "Theta", (0.007, 0, 0), (-0.0045, 0, 0), [(theta, (0.007, 0, 0)), (beta, O)], 0.00365, 4.41e-7),
        body("K3", "gamma", B, (-0.02592, 0.01399, 0), [(gamma, B)], 0.02373, 5.255e-6),
        body("K5", "delta", A, (-0.04626, -0.01143, 0), [(delta, A)], 0.0705, 1.169e-5),
        body("K4", "Phi", (-0.02934, -0.00227, 0), (-0.02934, -0.00806, 0),
             [(phi, (-0.02934, -0.00227, 0)), (delta, A)], 0.00706, 5.667e-7),
        body("K7", "epsilon", A, (-0.06485, -0.01455, 0), [(epsilon, A)], 0.05498, 1.912e-5),
        body("K6", "Omega", (-0.06934, -0.04227, 0), (-0.06355, -0.04227, 0),
             [(omega, (-0.06934, -0.04227, 0)), (epsilon, A)], 0.00706, 5.667e-7),
    ]
    E = bodies[1].com + turned(beta + theta, -0.0165)
    loops = [("K2", "K3", E, Z), ("K2", "K4", E, Z), ("K2", "K6", E, Z)]
    spring = ("K3", bodies[2].com + turned(gamma, 0.00957, 0.00074), None, (0.014, 0.072, 0), 4530, 0, 0.07785)
    return Problem("Andrews A03", bodies, 0.03, ("direction", "K1", turned(beta, 1)), gravity=(0, 0, 0), loops=loops,
                   springs=[spring], planar=True, torque=("K1", 0.033))


def bricard():
    thin, bar = 0.0003125, 0.0833333333333
    X, Y = (1, 0, 0), (0, 1, 0)
    bodies = [
        Body("bar1", None, "revolute", Y, (0, 0, 0), 1, (0.5, 0, 0), (thin, bar, bar)),
        Body("bar2", "bar1", "revolute", Z, (1, 0, 0), 1, (1, -0.5, 0), (bar, thin, bar)),
        Body("bar3", "bar2", "revolute", X, (1, -1, 0), 1, (1, -1, 0.5), (bar, bar, thin)),
        Body("bar4", "bar3", "revolute", Y, (1, -1, 1), 1, (0.5, -1, 1), (thin, bar, bar)),
        Body("bar5", "bar4", "revolute", Z, (0, -1, 1), 1, (0, -0.5, 1), (bar, thin, bar)),
    ]
    return Problem("Bricard A04", bodies, 9, ("point", "bar2", (1, -0.5, 0)), loops=[("bar5", None, (0, 0, 1), X)])


def governor():
    bodies = [
        Body("shaft", None, "revolute", Z, (0, 0, 0), 0.3, (0, 0, 0.5), (0.0250025, 0.0250025, 5e-6), 2 * pi),
        Body("slider", "shaft", "prismatic", Z, (0, 0, 0.5), 3, (0, 0, 0.5), (0.005, 0.005, 0.005)),
    ]
    springs = []
    for name, side, angle in (("rod1", 1, pi / 6), ("rod2", -1, 5 * pi / 6)):
        c, s = cos(angle), sin(angle)
        R = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
        pivot, com = np.array([0.05 * side, 0, 1]), 515 / 530
        local = np.diag([5e-6, 5.1000025 - 5.3 * com**2, 5.1000025 - 5.3 * com**2])
        bodies.append(Body(name, "shaft", "revolute", (0, 1, 0), pivot, 5.3, pivot + R @ [com, 0, 0], R @ local @ R.T))
        springs.append((name, pivot + R @ [0.5, 0, 0], "slider", (0.05 * side, 0, 0.5), 8e5, 4e4, 0.5))
    return Problem("governor A05", bodies, 1, ("point", "slider", (0, 0, 0.5)), gravity=(0, 0, -9.81), springs=springs)


def slider_crank():
    R = np.array([[2 / 3, 1 / sqrt(5), 4 / (3 * sqrt(5))], [-1 / 3, 2 / sqrt(5), -2 / (3 * sqrt(5))], [-2 / 3, 0, sqrt(5) / 3]])
    rod = Body("rod", "slider", "universal", (1, 0, 0), (0.2, 0, 0), 0.5, (0.1, 0.05, 0.1),
               R @ np.diag([4e-4, 4e-3, 4e-3]) @ R.T)
    rod.across = np.array([0, -2, 1]) / sqrt(5)  # the axis fixed in the rod
    rod.rate_vector = np.array([1.92, -0.96, 0.48])
    bodies = [
        Body("crank", None, "revolute", (1, 0, 0), (0, 0.1, 0.12), 0.12, (0, 0.1, 0.16), (1e-4, 1e-4, 1e-5), 6),
        Body("slider", None, "prismatic", (1, 0, 0), (0.2, 0, 0), 2, (0.2, 0, 0), (1e-4, 1e-4, 1e-4), 0.24),
        rod,
    ]
    return Problem("slider-crank", bodies, 5, ("point", "slider", (0.2, 0, 0)), gravity=(0, 0, -9.81),
                   loops=[("crank", "rod", (0, 0.1, 0.2), None)])


def heavy_top():
    top = Body("top", None, "ball", Z, (0, 0, 0), 15, (0, 1, 0), (0.234375, 0.46875, 0.234375), (0, 150, -4.61538))
    return Problem("heavy top", [top], 2, ("point", "top", (0, 1, 0)), gravity=(0, 0, -9.81))


def brick():
    inertia = 1.3558179483314004 * np.array([0.001894220, 0.006211019, 0.007194665])  # from slug ft^2
    body = Body("brick", None, "free", Z, (0, 0, 0), 2.26796, (0, 0, 0), inertia, np.radians([10, 20, 30]))
    return Problem("brick", [body], 30, ("omega", "brick", None), gravity=(0, 0, 0))


PROBLEMS = (pendulum, double_pendulum, four_bars, andrews, bricard, governor, slider_crank, heavy_top, brick)
