"""An environment for reinforcement learning, in the shape of gymnasium's but without it: a pendulum to swing up."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import chasles

Numbers = NDArray[np.float64]


class Pendulum:
    """Observation (cos q, sin q, v), action (torque,) within 2 N m, 20 decisions per second."""

    def __init__(self) -> None:
        self.model = (chasles.MechanismBuilder("pendulum").body("rod", "ground", chasles.joints.revolute([0, 1, 0]))
                      .inertia(1, [0, 0, 0.5], np.diag([1 / 12, 1 / 12, 0])).build().compile())
        scenario = chasles.Scenario(self.model, duration=1e6)
        scenario.joint_inputs = True
        scenario.method, scenario.step = "mk4", 0.05
        self.simulation = chasles.Simulation(scenario)

    def reset(self, seed: int | None = None) -> tuple[Numbers, dict[str, Any]]:
        q = np.random.default_rng(seed).uniform(-np.pi, np.pi, 1)
        self.simulation.reset(chasles.State.of(self.model, q))
        return self.observation(), {}

    def step(self, action: Numbers) -> tuple[Numbers, float, bool, bool, dict[str, Any]]:
        self.simulation.set_joint_forces(np.clip(action, -2, 2))
        state = self.simulation.step(self.simulation.state.t + 0.05)
        angle = np.arctan2(np.sin(state.q[0]), np.cos(state.q[0]))
        reward = -float(angle**2 + 0.1 * state.v[0] ** 2 + 0.001 * action[0] ** 2)
        return self.observation(), reward, False, state.t > 10, {}

    def observation(self) -> Numbers:
        state = self.simulation.state
        return np.array([np.cos(state.q[0]), np.sin(state.q[0]), state.v[0]])


environment = Pendulum()
x, info = environment.reset(seed=4)
total, done = 0.0, False
while not done:  # pump energy, then hold
    energy = x[2] ** 2 / 6 + 9.81 * 0.5 * (x[0] - 1)
    action = np.array([-20 * x[1] - 5 * x[2] if x[0] > 0.95 else -2 * np.sign(energy * x[2] + 1e-9)])
    x, reward, failed, done, info = environment.step(action)
    total += reward
print(f"return {total:.1f}, upright at the end: {bool(x[0] > 0.99)}")
assert x[0] > 0.99
