"""Calibration: offsets of the joint sensors of an arm from measured positions of its hand, by Gauss and Newton."""
import numpy as np

import chasles

arm = chasles.load("examples/puma560.yaml")
rng = np.random.default_rng(2)
offsets = 0.02 * rng.normal(size=arm.nv)  # [rad], to be found
offsets[0] = offsets[-1] = 0  # of the first and last axis: the frames of base and tool cannot be told apart from them
tool = arm.frame("link6").at(chasles.lie.pose([0.1, 0, 0.2]))
read = rng.uniform(-1.5, 1.5, (40, arm.nv))
positions = chasles.pose(arm, read + offsets, tool)[:, :3, 3] + 1e-5 * rng.normal(size=(40, 3))

guess = np.zeros(arm.nv)
free = slice(1, arm.nv - 1)
for _ in range(5):
    errors = positions - chasles.pose(arm, read + guess, tool)[:, :3, 3]
    J = chasles.jacobian(arm, read + guess, tool, "hybrid")[:, 3:, free]
    guess[free] += np.linalg.lstsq(J.reshape(-1, J.shape[-1]), errors.ravel(), rcond=None)[0]

print("offsets [mrad]:", (1e3 * guess).round(3), "true:", (1e3 * offsets).round(3))
assert np.abs(guess - offsets).max() < 1e-4
