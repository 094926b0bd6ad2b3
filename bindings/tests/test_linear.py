"""Linear systems, regulators, filters, equilibria, derivatives of motions and by parameters: against numpy, closed
forms and differences."""
from __future__ import annotations

import numpy as np
import pytest
from conftest import States

import chasles

g = 9.81
rng = np.random.default_rng(11)


def close(a, b, tolerance):
    np.testing.assert_allclose(a, b, atol=tolerance * (1 + np.abs(b).max(initial=0)), rtol=0)


def rod() -> chasles.MechanismBuilder:
    return (chasles.MechanismBuilder("pendulum").body("bob", "ground", chasles.joints.revolute([0, 1, 0])).joint_name("swing")
            .inertia(2, [0, 0, -0.5], np.zeros((3, 3))))


@pytest.fixture(scope="module")
def pendulum() -> chasles.Model:
    return rod().build().compile()


def matrices(n=4, m=2):
    A, B = rng.uniform(-1, 1, (n, n)), rng.uniform(-1, 1, (n, m))
    Q, R = rng.uniform(-1, 1, (n, n)), rng.uniform(-1, 1, (m, m))
    return A, B, Q @ Q.T, R @ R.T + np.eye(m)


def riccati(A, B, Q, R):
    """P from the stable eigenvectors of the Hamiltonian matrix."""
    n = len(A)
    H = np.block([[A, -B @ np.linalg.solve(R, B.T)], [-Q, -A.T]])
    w, V = np.linalg.eig(H)
    stable = V[:, w.real < 0]
    return (stable[n:] @ np.linalg.inv(stable[:n])).real


def test_lqr_and_kalman_filter():
    A, B, Q, R = matrices()
    P = riccati(A, B, Q, R)
    found = chasles.lqr(A, B, Q, R)
    close(found.P, P, 1e-9)
    close(found.K, np.linalg.solve(R, B.T @ P), 1e-9)
    assert max(x.real for x in found.poles) < 0 and found.residual < 1e-12
    close(sorted(np.linalg.eigvals(A - B @ found.K), key=lambda z: (z.real, z.imag)),
          sorted(found.poles, key=lambda z: (z.real, z.imag)), 1e-8)
    close(chasles.kalman_filter(A.T, B.T, Q, R).K, found.K.T, 1e-9)  # duality
    with pytest.raises(chasles.Error, match="R"):
        chasles.lqr(A, B, Q, np.zeros((2, 2)))
    with pytest.raises(chasles.Error):
        chasles.lqr(A, B[:3], Q, R)
    with pytest.raises(ValueError, match=r"lqr\(\): A has shape \(4,\)"):
        chasles.lqr(A[0], B, Q, R)


def test_sampled_lqr_and_kalman_filter():
    A, B, Q, R = matrices()
    P = Q
    for _ in range(2000):  # the recursion of dynamic programming
        K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        P = A.T @ P @ (A - B @ K) + Q
    found = chasles.sampled_lqr(A, B, Q, R)
    close(found.K, K, 1e-9)
    close(found.P, P, 1e-9)
    assert max(abs(x) for x in found.poles) < 1
    close(chasles.sampled_kalman_filter(A.T, B.T, Q, R).K, found.K.T, 1e-9)


def test_controllability():
    T = rng.uniform(-1, 1, (4, 4))
    A = T @ np.diag([-1.0, -2, -3, -4]) @ np.linalg.inv(T)
    B = T[:, :2] @ rng.uniform(-1, 1, (2, 1))  # reaches two eigenvectors
    found = chasles.controllability(A, B)
    assert found.rank == 2
    close(sorted(x.real for x in found.fixed), [-4, -3], 1e-9)
    close(found.basis.T @ found.basis, np.eye(2), 1e-12)
    assert np.linalg.matrix_rank(np.hstack([found.basis, T[:, :2]]), tol=1e-8) == 2
    assert chasles.observability(A.T, B.T).rank == 2 and chasles.controllability(A, np.eye(4)).rank == 4
    w, V = np.linalg.eig(A)
    t, weights = np.polynomial.legendre.leggauss(40)
    columns = [((V * np.exp(w * s)) @ np.linalg.solve(V, B)).real for s in t + 1]  # from 0 to 2 s
    close(chasles.controllability_gramian(A, B, 2.0), sum(k * c @ c.T for k, c in zip(weights, columns)), 1e-10)
    W = np.eye(4)
    X = np.linalg.solve(np.kron(np.eye(4), A) + np.kron(A, np.eye(4)), -W.ravel()).reshape(4, 4)
    close(chasles.solve_lyapunov(A, W), X, 1e-9)
    with pytest.raises(chasles.Error, match="stable"):
        chasles.solve_lyapunov(-A, W)


def test_cart_pole_is_held_by_its_regulator():
    """From the description to the run: linearize, lqr, state_feedback; the run decays as the linear closed loop."""
    model = chasles.load("examples/cart_pole.yaml")
    names = [joint.name for joint in model.joints]
    up = model.neutral()
    system = chasles.System(model)
    candidates = [np.array([0, angle]) for angle in (0.0, np.pi)]
    up = next(q for q in candidates if max(x.real for x in system.linearize(q, [0, 0]).eigenvalues()) > 0.1)
    linear = system.linearize(up, [0, 0])
    B = linear.B[:, :1]
    feedback = chasles.lqr(linear.A, B, np.eye(4), np.eye(1))
    s = chasles.Scenario(model, up + [0, 1e-4], duration=2.0)
    s.joint_dynamics = False
    s.add_force(chasles.state_feedback(model, names[:1], names, feedback.K, list(up)))
    s.method, s.tolerance = "dop853", 1e-12
    run = chasles.simulate(s)
    closed = linear.A - B @ feedback.K
    w, V = np.linalg.eig(closed)
    x = ((V * np.exp(2.0 * w)) @ np.linalg.solve(V, [0, 1e-4, 0, 0])).real
    close(np.concatenate([run.q[-1] - up, run.v[-1]]) / 1e-4, x / 1e-4, 1e-3)


def test_equilibria_and_reduced_dynamics(pendulum):
    system = chasles.System(pendulum)
    both = system.find_equilibria([[0.3], [2.9], [-0.4]])
    close(np.sort(np.abs(both[:, 0])), [0, np.pi], 1e-8)
    reduced = system.reduced_dynamics([0.4], [0.0])
    close([reduced.M[0, 0], reduced.D[0, 0], reduced.K[0, 0]], [0.5, 0, 2 * g * 0.5 * np.cos(0.4)], 1e-9)
    assert reduced.independent == [0] and reduced.N.shape == (1, 1)
    close(system.find_equilibrium([0.3], load_steps=5), [0], 1e-8)
    four_bar = chasles.System(chasles.load("examples/four_bar.yaml"))
    q, v = four_bar.start()
    assert four_bar.linearize(q, v).A.shape == (2, 2)
    named = four_bar.linearize(q, v, independent=["rocker"])
    assert named.positions == [chasles.load("examples/four_bar.yaml").joint("rocker").v_index]
    with pytest.raises(chasles.UnknownNameError):
        four_bar.linearize(q, v, independent=["nothing"])


def test_sampled_loop(pendulum):
    plant = chasles.System(pendulum).linearize([0.0], [0.0])
    gain, h = np.array([[-3.0, -0.5]]), 0.02
    loop = chasles.sample(plant, h, gain, [0])
    step = plant.discretize(h)
    close(loop.A, step.A + step.B @ gain, 1e-13)
    assert loop.is_stable and loop.spectral_radius == pytest.approx(max(abs(np.linalg.eigvals(loop.A))))
    assert not chasles.sample(plant, h, -gain, [0]).is_stable
    delayed = chasles.sample(plant, h, gain, [0], delay=h)
    assert delayed.A.shape == (3, 3)
    close(delayed.A, np.block([[step.A, step.B], [gain, np.zeros((1, 1))]]), 1e-13)
    with pytest.raises(chasles.Error):
        chasles.sample(plant, -h, gain, [0])


def test_sensitivities_and_adjoint(arm):
    """End states by start, forces and a mass: differences of the motion; and the adjoint gives the same gradient."""
    names = [chasles.parameter(arm, "link6", "m"), chasles.parameter(arm, "link3", "mcx")]
    states = States(arm, 3)
    q, v = states.q(), states.v()
    U = states.v(6)
    h = np.linspace(0.01, 0.02, 6)
    step = chasles.DifferentiableStep(chasles.System(arm), "mk4")
    step.set_parameters(2, lambda t, q, v, a: chasles.force_sensitivity(arm, q, v, a, names))
    s = chasles.sensitivities(step, q, v, h, U)

    def end(q, v, U, model=arm):
        move = chasles.DifferentiableStep(chasles.System(model), "mk4")
        for k in range(6):
            q, v = move.move(h[k], U[k], q, v)
        return q, v

    def difference(plus, minus, d):
        return np.concatenate([chasles.minus(arm, plus[0], minus[0]), plus[1] - minus[1]]) / (2 * d)

    d = 1e-5
    close(end(q, v, U)[0], s.q, 1e-14)
    assert s.t == pytest.approx(h.sum()) and s.du.shape == (6, 12, 6)
    for k, e in enumerate(d * np.eye(6)):
        close(s.dx[:, k], difference(end(chasles.plus(arm, q, e), v, U), end(chasles.plus(arm, q, -e), v, U), d), 1e-8)
        close(s.dx[:, 6 + k], difference(end(q, v + e, U), end(q, v - e, U), d), 1e-8)
    dU = np.zeros_like(U)
    dU[2, 4] = d
    close(s.du[2][:, 4], difference(end(q, v, U + dU), end(q, v, U - dU), d), 1e-8)
    body = arm.body("link6")

    def heavier(dm):  # the parameter is m about the origin: the first moment and the inertia about the origin stay
        m = body.mass + dm
        first, I = body.mass * body.com, body.inertia
        c = first / m
        return arm.with_inertia("link6", m, c, I - m * (c @ c * np.eye(3) - np.outer(c, c)))

    close(s.dp[:, 0], difference(end(q, v, U, heavier(1e-4)), end(q, v, U, heavier(-1e-4)), 1e-4), 1e-7)
    weights = rng.uniform(-1, 1, 12)
    gradient = chasles.adjoint(step, q, v, h, U, lambda t, q, v: weights)
    close(gradient.dx, s.dx.T @ weights, 1e-12)
    close(gradient.dU, np.einsum("kij,i->kj", s.du, weights), 1e-12)
    close(gradient.dp, s.dp.T @ weights, 1e-12)
    costs = chasles.adjoint(step, q, v, h, U, lambda t, q, v: 0 * weights, lambda k, t, q, v: (0 * weights, 2 * U[k]))
    close(costs.dU, 2 * U, 1e-14)
    with pytest.raises(chasles.SizeError, match="end"):
        chasles.adjoint(step, q, v, h, U, lambda t, q, v: weights[1:])
    with pytest.raises(TypeError, match="give a tuple"):
        chasles.adjoint(step, q, v, h, U, lambda t, q, v: weights, lambda k, t, q, v: weights)
    with pytest.raises(ZeroDivisionError):
        chasles.adjoint(step, q, v, h, U, lambda t, q, v: 1 / 0)
    with pytest.raises(chasles.SizeError, match="h"):
        chasles.sensitivities(step, q, v, h[:3], U)
    with pytest.raises(chasles.Error, match="in use"):
        chasles.adjoint(step, q, v, h, U, lambda t, q, v: step(0.1, U[0], q, v)[0])


def test_saltation_matrix():
    """A ball that bounces on a floor at zero: the closed form of its flight."""
    v, e = -3.0, 0.7
    Xi = chasles.saltation_matrix([v, -g], [-e * v, -g], [1, 0], R_x=[[1, 0], [0, -e]])
    close(Xi, [[-e, 0], [(-g - e * g) / v, -e]], 1e-14)
    with pytest.raises(chasles.Error):
        chasles.saltation_matrix([0, -g], [0, -g], [1, 0])


def test_parameters_of_joints():
    """Poses, Jacobians, forces and accelerations by the frame of a joint: differences of the model that has moved."""
    z, x = [0, 0, 1], [1, 0, 0]
    U = np.array([0, 1, 0, 0.0, 0, 0])  # frame.wy

    def two(s):
        joint = chasles.joints.between("revolute", chasles.lie.pose([0.5, 0, 0.1]) @ chasles.lie.exp(s * U), np.eye(4), x)
        return (chasles.MechanismBuilder("two").body("a", "ground", chasles.joints.between("revolute", np.eye(4), np.eye(4), z))
                .inertia(1, [0.2, 0, 0], np.diag([0.1, 0.2, 0.2])).body("b", "a", joint).joint_name("elbow")
                .inertia(2, [0.1, 0.3, 0], np.diag([0.2, 0.1, 0.2])).build().compile())

    model, d = two(0.0), 1e-6
    p = [chasles.parameter(model, "elbow", "frame.wy")]
    q, v, a = rng.uniform(-1, 1, (3, 2))
    both = two(d), two(-d)
    same = chasles.frame_parameter(model, "elbow", U)
    assert np.array_equal(same.screw, p[0].screw) and same.owner == "elbow"
    close(chasles.axis_parameter(model, "elbow", U).screw, U, 0)
    for wrong in (chasles.frame_parameter, chasles.axis_parameter):
        with pytest.raises(KeyError, match="elbow"):
            wrong(model, "elbw", U)
    forces = [chasles.inverse_dynamics(m, q, v, a) for m in both]
    close(chasles.force_sensitivity(model, q, v, a, p)[:, 0], (forces[0] - forces[1]) / (2 * d), 1e-8)
    rates = [chasles.forward_dynamics(m, q, v, a) for m in both]
    close(chasles.acceleration_sensitivity(model, q, v, a, p)[:, 0], (rates[0] - rates[1]) / (2 * d), 1e-8)
    poses = [chasles.pose(m, q, "b") for m in both]
    close(chasles.pose_sensitivity(model, q, "b", "body", p)[:, 0], chasles.lie.log(np.linalg.inv(poses[1]) @ poses[0]) / (2 * d), 1e-8)
    J = [chasles.jacobian(m, q, "b", "hybrid") for m in both]
    close(chasles.jacobian_sensitivity(model, q, "b", "hybrid", p[0]), (J[0] - J[1]) / (2 * d), 1e-8)
    assert "frame.wy" in chasles.parameter_names(model, "elbow") and p[0].owner == "elbow"
    Y = chasles.torque_regressor(model, q, v, a)
    masses = [chasles.parameter(model, "b", name) for name in chasles.parameter_names(model, "b") if "." not in name][:10]
    close(chasles.force_sensitivity(model, q, v, a, masses), Y[:, 10:], 1e-12)
    with pytest.raises(chasles.UnknownNameError, match="elbow"):
        chasles.parameter(model, "elbwo", "frame.wy")
    with pytest.raises(chasles.ForeignError):
        chasles.force_sensitivity(both[0], q, v, a, p)
