"""iLQR: joint forces that swing up a pendulum of two links in two seconds, with exact derivatives of the steps."""
import numpy as np
from numpy.typing import NDArray

import chasles

Numbers = NDArray[np.float64]
joints = chasles.joints
model = (chasles.MechanismBuilder("double pendulum")
         .body("upper", "ground", joints.revolute([0, 1, 0])).inertia(1, [0, 0, -0.5], np.diag([0.1, 0.1, 0.01]))
         .body("lower", "upper", joints.revolute([0, 1, 0], [0, 0, -1])).inertia(1, [0, 0, -1.5], np.diag([0.1, 0.1, 0.01]))
         .build().compile())
step = chasles.DifferentiableStep(chasles.System(model))
N, h, n = 100, 0.02, model.nv
goal = np.array([np.pi, 0.0])
R, Qf = 1e-3 * h * np.eye(n), 1e3 * np.eye(2 * n)


def miss(q: Numbers, v: Numbers) -> Numbers:
    return np.concatenate([chasles.minus(model, q, goal), v])


def cost(q: Numbers, v: Numbers, U: Numbers) -> float:
    x = miss(q, v)
    return float(0.5 * np.sum((U @ R) * U) + 0.5 * x @ Qf @ x)


U = np.zeros((N, n))
X = [(np.zeros(n), np.zeros(n))] * (N + 1)
best = np.inf
feedback, forward = np.zeros((N, n, 2 * n)), np.zeros((N, n))
for iteration in range(100):
    for length in 0.5 ** np.arange(12):  # line search along the step
        new_U, new_X, derivatives = U.copy(), [X[0]], []
        q, v = X[0]
        for k in range(N):
            deviation = np.concatenate([chasles.minus(model, q, X[k][0]), v - X[k][1]])
            new_U[k] = U[k] + length * forward[k] + feedback[k] @ deviation
            q, v, A, B = step(h, new_U[k], q, v)
            new_X.append((q, v))
            derivatives.append((A, B))
        if cost(q, v, new_U) < best:
            break
    else:
        break
    change, best = best - cost(q, v, new_U), cost(q, v, new_U)
    U, X = new_U, new_X
    if change < 1e-6 * best:
        break
    S, s = Qf, Qf @ miss(q, v)  # the value of a neighbor x of the state is s.x + x.S x / 2
    for k in reversed(range(N)):
        A, B = derivatives[k]
        G = np.linalg.inv(R + B.T @ S @ B)
        feedback[k], forward[k] = -G @ B.T @ S @ A, -G @ (R @ U[k] + B.T @ s)
        s = A.T @ s + feedback[k].T @ (R @ U[k] + B.T @ s)
        S = A.T @ S @ (A + B @ feedback[k])
        S = (S + S.T) / 2

print(f"{iteration + 1} iterations, largest force {np.abs(U).max():.1f} N m, error at the end {np.abs(miss(*X[-1])).max():.1e}")
assert np.abs(miss(*X[-1])).max() < 2e-2
