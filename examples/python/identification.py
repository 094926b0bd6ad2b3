"""Identification: inertial parameters of an arm from noisy torques, by its regressor and least squares."""
import numpy as np

import chasles

arm = chasles.load("examples/puma560.yaml")
rng = np.random.default_rng(3)
states, noise = 400, 0.05
q, v, a = (scale * rng.uniform(-1, 1, (states, arm.nv)) for scale in (np.pi, 2, 5))
armature = np.array([joint.armature for joint in arm.joints])
measured = chasles.inverse_dynamics(arm, q, v, a) + noise * rng.normal(size=(states, arm.nv))

Y = chasles.torque_regressor(arm, q, v, a).reshape(states * arm.nv, -1)
rank = int(np.linalg.matrix_rank(Y, tol=1e-9 * float(np.linalg.norm(Y))))
print(f"{Y.shape[1]} parameters, of which torques determine {rank} combinations")
found = np.linalg.lstsq(Y, (measured - armature * a).ravel(), rcond=1e-9)[0]

new = [scale * rng.uniform(-1, 1, (100, arm.nv)) for scale in (np.pi, 2, 5)]
predicted = chasles.torque_regressor(arm, *new) @ found + armature * new[2]
error = np.abs(predicted - chasles.inverse_dynamics(arm, *new)).max()
print(f"largest error of predicted torques: {error:.3f} N m, noise {noise} N m")
assert error < 3 * noise
