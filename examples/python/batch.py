"""A hundred thousand states at once: one call, no loop, no copies."""
import time

import numpy as np

import chasles

arm = chasles.load("examples/puma560.yaml")
states = 100_000
rng = np.random.default_rng(1)
q, v, a = (rng.uniform(-1, 1, (states, arm.nv)) for _ in range(3))
tau = np.empty((states, arm.nv))

start = time.perf_counter()
chasles.inverse_dynamics(arm, q, v, a, out=tau)
seconds = time.perf_counter() - start
print(f"{states} states in {1e3 * seconds:.1f} ms, {1e9 * seconds / states:.0f} ns each")

assert np.allclose(tau[123], chasles.inverse_dynamics(arm, q[123], v[123], a[123]))
