"""Dynamics of an arm: forces of a motion, mass matrix, Jacobian, and a load in the hand."""
import numpy as np

import chasles

arm = chasles.load("examples/puma560.yaml")
q = arm.neutral()
q[arm.joint("elbow").q] = 0.5  # entries of a joint by name
v, a = np.full(arm.nv, 0.1), np.zeros(arm.nv)

tau = chasles.inverse_dynamics(arm, q, v, a)
print("joint forces [N m]:", tau.round(3))

M, h = chasles.mass_matrix(arm, q), chasles.bias(arm, q, v)
assert np.allclose(M @ a + h, tau)
assert np.allclose(chasles.forward_dynamics(arm, q, v, tau), a)

J = chasles.jacobian(arm, q, "link6", "hybrid")  # of its origin, in world axes; angular rows first
load = np.array([0, 0, 0, 0, 0, -20.0])  # torque and force on the hand [N m, N]
loaded = chasles.inverse_dynamics(arm, q, v, a, applied={"link6": load})
assert np.allclose(loaded, tau - J.T @ load)
print("with 20 N in the hand:", loaded.round(3))
