"""Operational-space control at 1 kHz: the hand of an arm follows a circle, by its inertia there (Khatib)."""
import numpy as np

import chasles

arm = chasles.load("examples/puma560.yaml")
hand = arm.frame("link6")
q = np.array([0.0, -0.8, 0.4, 0.2, 0.9, 0.0])
center = chasles.pose(arm, q, hand)
stiffness, damping, period = 400.0, 40.0, 1e-3

scenario = chasles.Scenario(arm, q, duration=10.0)
scenario.joint_inputs = True
scenario.method, scenario.step = "mk4", period
simulation = chasles.Simulation(scenario)
errors = []
for k in range(1000):
    state = simulation.state
    C = chasles.pose(arm, state.q, hand)
    J = chasles.jacobian(arm, state.q, hand, "hybrid")
    V = J @ state.v
    phase = np.pi * state.t
    wanted = center[:3, 3] + 0.05 * np.array([np.cos(phase) - 1, np.sin(phase), 0])
    error = np.concatenate([C[:3, :3] @ chasles.lie.log(C[:3, :3].T @ center[:3, :3]), wanted - C[:3, 3]])
    errors.append(float(np.linalg.norm(error[3:])))
    rate = 0.05 * np.pi * np.array([0, 0, 0, -np.sin(phase), np.cos(phase), 0])
    a = stiffness * error + damping * (rate - V) - chasles.jacobian_rate(arm, state.q, state.v, hand, "hybrid") @ state.v
    wrench = chasles.operational_space_inertia(arm, state.q, hand, "hybrid") @ a
    simulation.set_joint_forces(J.T @ wrench + chasles.bias(arm, state.q, state.v))
    simulation.step((k + 1) * period)

print(f"largest error of the hand: {1e3 * max(errors):.2f} mm, at the end {1e3 * errors[-1]:.3f} mm")
assert errors[-1] < 2e-3
