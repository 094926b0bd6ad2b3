"""Drifts of Lie group integrators over a long run: Park and Chung (2005), figures 7 (order 3) and 8 (order 4).

Three spheres in a chain that floats freely tumble for 200 s, with steps of 0.05 s: Crouch-Grossman, commutator-free and
Munthe-Kaas methods keep the group exactly, but energy and momentum only to the order of the method. With matplotlib and an
argument the figures are drawn: park_chung.py FILE.svg
"""
import sys

import numpy as np

import chasles

model = chasles.load("examples/three_spheres.yaml")
q = model.neutral()
v = np.array([0.3, 0.3, 0.3, 0.1, 0.1, 0.1, 0.4, 0.4])
times = np.arange(0, 200.5, 2.0)


def drifts(method: str) -> np.ndarray:
    """Absolute changes of the energy [J] and of the angular momentum about the center of mass [kg m^2/s], (times, 2)."""
    integrator = chasles.Integrator(chasles.System(model), method, step=0.05)
    integrator.reset(q, v)
    states = [(q, v)] + [integrator.advance(t)[1:] for t in times[1:]]
    Q, V = (np.array([state[k] for state in states]) for k in (0, 1))
    energy = chasles.kinetic_energy(model, Q, V)  # no gravity: all of it
    momentum = chasles.centroidal_momentum(model, Q, V)[:, :3]
    return np.stack([np.abs(energy - energy[0]), np.linalg.norm(momentum - momentum[0], axis=1)], axis=1)


figures = {f"figure {order + 4}": {family + str(order): drifts(family + str(order)) for family in ("cg", "cf", "mk")} for order in (3, 4)}
for figure, methods in figures.items():
    for method, drift in methods.items():
        print(f"{figure}, {method}: drift of the energy {drift[-1, 0]:.2e} J, of the angular momentum {drift[-1, 1]:.2e} kg m^2/s")

third, fourth = (np.array([drift[-1] for drift in methods.values()]) for methods in figures.values())
assert (fourth < third / 10).all()  # a higher order drifts less
assert third[2, 0] < third[0, 0]  # Munthe-Kaas less than Crouch-Grossman

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt  # type: ignore[import-not-found,import-untyped,unused-ignore]

    drawing, axes = plt.subplots(2, 2, sharex=True, figsize=(10, 7))
    for row, (figure, methods) in zip(axes, figures.items()):
        for k, title in enumerate(("energy [J]", "angular momentum [kg m^2/s]")):
            for method, drift in methods.items():
                row[k].semilogy(times[1:], drift[1:, k], label=method)
            row[k].set_title(f"{figure}: {title}")
            row[k].legend()
    drawing.savefig(sys.argv[1])
