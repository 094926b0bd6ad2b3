"""Values of the functions of arrays, compared with other computations by numpy."""
from __future__ import annotations

import numpy as np
import pytest
from conftest import States, target, verbs

import chasles


def difference(f, model, q, i, h=1e-6):
    """Central difference of f along entry i of the tangent space at q."""
    e = np.zeros(model.nv)
    e[i] = h
    return (f(chasles.plus(model, q, e)) - f(chasles.plus(model, q, -e))) / (2 * h)


def close(a, b, tolerance):
    scale = 1 + np.abs(b).max(initial=0)
    assert np.abs(np.asarray(a) - b).max(initial=0) <= tolerance * scale


def energy(model, q, v):
    armature = np.concatenate([np.full(j.nv, j.armature) for j in model.joints])
    return 0.5 * v @ chasles.mass_matrix(model, q) @ v - 0.5 * v @ (armature * v)


def masses(model, q):
    """M from the Jacobians of the bodies: sum J^T M_i J, and armatures."""
    M = np.diag(np.concatenate([np.full(j.nv, j.armature) for j in model.joints]))
    for body in model.bodies:
        J = chasles.jacobian(model, q, body.name, "body")
        c = np.array([[0, -body.com[2], body.com[1]], [body.com[2], 0, -body.com[0]], [-body.com[1], body.com[0], 0]])
        m = body.mass * np.eye(3)
        M += J.T @ np.block([[body.inertia, body.mass * c], [-body.mass * c, m]]) @ J
    return M


def test_mass_matrix_from_jacobians(model, states):
    q = states.q()
    M = chasles.mass_matrix(model, q)
    close(M, masses(model, q), 1e-14)
    close(chasles.mass_matrix_inverse(model, q) @ M, np.eye(model.nv), 1e-11)
    x = states.v()
    close(chasles.mass_times(model, q, x), M @ x, 1e-14)
    close(M @ chasles.mass_solve(model, q, x), x, 1e-11)


def test_gravity_is_the_gradient_of_the_potential(model, states):
    q = states.q()
    gradient = [difference(lambda x: chasles.potential_energy(model, x), model, q, i) for i in range(model.nv)]
    close(chasles.gravity_forces(model, q), gradient, 1e-7)


def test_energies(model, states):
    q, v = states.q(), states.v()
    close(chasles.kinetic_energy(model, q, v), energy(model, q, v), 1e-13)
    heights = [chasles.pose(model, q, b.name) @ np.append(b.com, 1) for b in model.bodies]
    moving = [len(model.support(b.name)) > 0 for b in model.bodies]
    expected = -sum(b.mass * (model.gravity @ p[:3]) for b, p, m in zip(model.bodies, heights, moving) if m)
    close(chasles.potential_energy(model, q), expected, 1e-13)


def test_inverse_and_forward_dynamics(model, states):
    q, v, a = states.of("qvv")
    M, h = chasles.mass_matrix(model, q), chasles.bias(model, q, v)
    tau = chasles.inverse_dynamics(model, q, v, a)
    close(tau, M @ a + h, 1e-13)
    close(chasles.forward_dynamics(model, q, v, tau), np.linalg.solve(M, tau - h), 1e-9)
    close(chasles.coriolis_matrix(model, q, v) @ v + chasles.gravity_forces(model, q), h, 1e-13)


def test_the_motion_conserves_energy(model, states):
    """Power of the joint forces is the rate of the energy: a test of bias that uses energies only."""
    q, v, a = states.of("qvv")
    h = 1e-5
    total = lambda s: (  # noqa: E731
        0.5 * (v + s * a) @ chasles.mass_matrix(model, chasles.plus(model, q, s * v + s * s / 2 * a)) @ (v + s * a)
        + chasles.potential_energy(model, chasles.plus(model, q, s * v + s * s / 2 * a))
    )
    rate = (total(h) - total(-h)) / (2 * h)
    close(rate, v @ chasles.inverse_dynamics(model, q, v, a), 1e-7)


def test_coriolis_matrix_is_skew(model, states):
    q, v, x = states.of("qvv")
    h = 1e-6
    rate = (chasles.mass_matrix(model, chasles.plus(model, q, h * v)) - chasles.mass_matrix(model, chasles.plus(model, q, -h * v))) / (2 * h)
    if all(j.nq == j.nv for j in model.joints):  # on a Lie group dM/dt - 2 C is skew with a connection
        close(x @ (rate - 2 * chasles.coriolis_matrix(model, q, v)) @ x, 0, 1e-7)


@pytest.mark.parametrize("inverse", [True, False])
def test_derivatives(model, states, inverse):
    q, v, a = states.of("qvv")
    f = chasles.inverse_dynamics if inverse else chasles.forward_dynamics
    d = chasles.d_inverse_dynamics if inverse else chasles.d_forward_dynamics
    dq, dv, da = d(model, q, v, a)
    scale = 1 + np.abs(f(model, q, v, a)).max()
    n = range(model.nv)
    close(dq, np.array([difference(lambda x: f(model, x, v, a), model, q, i) for i in n]).T, 1e-7 * scale)
    eye = np.eye(model.nv)
    close(dv, np.array([(f(model, q, v + e, a) - f(model, q, v - e, a)) / 2 for e in eye]).T, 1e-9 * scale)
    close(da, np.array([f(model, q, v, a + e) - f(model, q, v, a) for e in eye]).T, 1e-9 * scale)
    name = d.__name__
    x, y, z, w = states.of("vvvv")
    close(getattr(chasles, name + "_times")(model, q, v, a, x, y, z), dq @ x + dv @ y + da @ z, 1e-9)
    close(getattr(chasles, name + "_transposed_times")(model, q, v, a, w), [dq.T @ w, dv.T @ w, da.T @ w], 1e-9)


def test_regressor(model, states):
    q, v, a = states.of("qvv")
    armature = np.concatenate([np.full(j.nv, j.armature) for j in model.joints])
    Y = chasles.torque_regressor(model, q, v, a)
    close(Y @ model.inertial_parameters() + armature * a, chasles.inverse_dynamics(model, q, v, a), 1e-12)


@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid", "mixed"])
def test_jacobian_is_the_derivative_of_the_pose(model, states, representation):
    q, v, a = states.of("qvv")
    name = model.bodies[-1].name
    J = chasles.jacobian(model, q, name, representation)
    V = chasles.twist(model, q, v, name, representation)
    close(J @ v, V, 1e-14)
    C = chasles.pose(model, q, name)
    h = 1e-6
    ahead, behind = (chasles.pose(model, chasles.plus(model, q, s * v), name) for s in (h, -h))
    V_b = chasles.lie.log(np.linalg.inv(behind) @ ahead) / (2 * h)
    close(chasles.lie.convert_twist(V_b, C, "body", representation), V, 1e-8)
    rate = chasles.jacobian_rate(model, q, v, name, representation)
    close(J @ a + rate @ v, chasles.acceleration(model, q, v, a, name, representation), 1e-13)
    difference_ = (chasles.jacobian(model, chasles.plus(model, q, h * v), name, representation)
                   - chasles.jacobian(model, chasles.plus(model, q, -h * v), name, representation)) / (2 * h)
    close(rate, difference_, 1e-8)


def test_momenta_and_center_of_mass(model, states):
    q, v = states.q(), states.v()
    moving = [b for b in model.bodies if model.support(b.name)]
    weights = np.array([b.mass for b in moving])
    points = np.array([(chasles.pose(model, q, b.name) @ np.append(b.com, 1))[:3] for b in moving])
    com = weights @ points / weights.sum()
    close(chasles.center_of_mass(model, q), com, 1e-14)
    A, A_rate = chasles.centroidal_matrices(model, q, v)
    h_G = chasles.centroidal_momentum(model, q, v)
    close(A @ v, h_G, 1e-13)
    J = chasles.center_of_mass_jacobian(model, q)
    close(J * weights.sum(), A[3:], 1e-12)
    h = chasles.spatial_momentum(model, q, v)
    close(h[:3], h_G[:3] + np.cross(com, h_G[3:]), 1e-13)
    close(h[3:], h_G[3:], 1e-14)
    step = 1e-6
    ahead, behind = (chasles.centroidal_matrices(model, chasles.plus(model, q, s * v), v)[0] for s in (step, -step))
    close(A_rate, (ahead - behind) / (2 * step), 1e-7)


def test_operational_space_inertia(arm):
    states = States(arm)
    q = states.q()
    J = chasles.jacobian(arm, q, "link6", "body")
    expected = J @ np.linalg.solve(chasles.mass_matrix(arm, q), J.T)
    close(chasles.inverse_operational_space_inertia(arm, q, "link6", "body"), expected, 1e-11)
    close(chasles.operational_space_inertia(arm, q, "link6", "body") @ expected, np.eye(6), 1e-9)


def test_applied_wrenches(model, states):
    q, v, a = states.of("qvv")
    body = model.bodies[-1].name
    W = states.rng.uniform(-1, 1, 6)
    J = chasles.jacobian(model, q, body, "hybrid")
    free = chasles.inverse_dynamics(model, q, v, a)
    close(chasles.inverse_dynamics(model, q, v, a, applied={body: W}), free - J.T @ W, 1e-13)
    J = chasles.jacobian(model, q, body, "body")
    close(chasles.inverse_dynamics(model, q, v, a, applied={model.frame(body): (W, "body")}), free - J.T @ W, 1e-13)
    M = chasles.mass_matrix(model, q)
    more = chasles.forward_dynamics(model, q, v, a, applied={body: (W, "body")}) - chasles.forward_dynamics(model, q, v, a)
    close(M @ more, J.T @ W, 1e-9)
    Q, V, A = states.of("qvv", 5)
    Ws = states.rng.uniform(-1, 1, (5, 6))
    batch = chasles.inverse_dynamics(model, Q, V, A, applied={body: Ws})
    for k in range(5):
        close(batch[k], chasles.inverse_dynamics(model, Q[k], V[k], A[k], applied={body: Ws[k]}), 1e-13)


def test_joint_reactions(arm):
    """Components along the axes are the joint forces; the first joint carries the weight."""
    states = States(arm)
    q, v, a = states.of("qvv")
    W = chasles.joint_reactions(arm, q, v, a, "spatial")
    tau = chasles.inverse_dynamics(arm, q, v, a)
    for k, joint in enumerate(arm.joints):
        screw = chasles.jacobian(arm, q, joint.child, "spatial")[:, joint.v_index]
        close(W[k] @ screw + joint.armature * a[k], tau[k], 1e-12)
    still = chasles.joint_reactions(arm, q, 0 * v, 0 * a, "hybrid")
    close(still[0][3:], -arm.mass * arm.gravity, 1e-13)


def test_plus_and_minus(model, states):
    q0, q1, dv = states.q(), states.q(), states.v()
    close(chasles.plus(model, q0, chasles.minus(model, q1, q0)), q1, 1e-13)
    close(chasles.minus(model, chasles.plus(model, q0, dv), q0), dv, 1e-13)


@pytest.mark.parametrize("row", verbs(), ids=lambda row: row[0])
def test_batches_are_many_states(model, states, row):
    """Every function, with and without a kernel for batches: the states one by one, also into `out`, also in float32."""
    name, _, sizes, _, takes, _ = row
    f = getattr(chasles, name)
    if name == "operational_space_inertia" and model.name != "puma560":
        return
    for n in (0, 1, 2, 3 if name.startswith("d2_") else 19):  # tensors take long
        arguments = states.of(sizes, n)
        result = f(model, *arguments, *target(model, takes))
        single = [f(model, *(x[k] for x in arguments), *target(model, takes)) for k in range(n)]
        assert result.shape[0] == n and result.dtype == np.float64 and result.flags.c_contiguous
        for k in range(n):
            close(result[k], single[k], 1e-10)
        out = np.full_like(result, np.nan)
        assert f(model, *arguments, *target(model, takes), out=out) is out
        np.testing.assert_array_equal(out, result)
    floats = [x.astype(np.float32) for x in arguments]
    try:
        result32 = f(model, *floats, *target(model, takes))
    except chasles.Error as error:  # of Batch<float>, for some models
        assert "float" in str(error) or "double" in str(error)
        return
    assert result32.dtype == np.float32
    if "forward" not in name and "inverse" not in name and "solve" not in name:
        close(result32, f(model, *(x.astype(float) for x in floats), *target(model, takes)), 2e-4)


def test_nan_passes_through(arm):
    states = States(arm)
    q, v, a = states.of("qvv")
    a[2] = np.nan
    assert np.isnan(chasles.inverse_dynamics(arm, q, v, a)).any()
    assert not np.isnan(chasles.bias(arm, q, v)).any()


def test_lie():
    X = np.array([0.3, -0.2, 0.5, 1, 2, -1])
    lie = chasles.lie
    C = lie.exp(X)
    hat = np.zeros((4, 4))
    hat[:3, :3] = [[0, -X[2], X[1]], [X[2], 0, -X[0]], [-X[1], X[0], 0]]
    hat[:3, 3] = X[3:]
    series, term = np.eye(4), np.eye(4)
    for k in range(1, 30):
        term = term @ hat / k
        series = series + term
    close(C, series, 1e-15)
    close(lie.log(C), X, 1e-14)
    close(lie.log(lie.exp(X[:3])), X[:3], 1e-14)
    close(lie.inverse(C) @ C, np.eye(4), 1e-15)
    close(lie.Ad(C) @ X, X, 1e-14)  # the screw of a motion is invariant under it
    close(lie.ad(X) @ X, np.zeros(6), 1e-16)
    close(lie.dexp(X) @ lie.dexp_inv(X), np.eye(6), 1e-14)
    R = lie.rotation_from_rpy(0.1, 0.2, 0.3)
    close(lie.rotation_from_quaternion(lie.quaternion(R)), R, 1e-15)
    close(lie.pose([1, 2, 3], R), np.block([[R, np.array([[1], [2], [3]])], [np.zeros((1, 3)), np.ones((1, 1))]]), 1e-15)
    close(lie.screw([0, 0, 2], [1, 0, 0]), [0, 0, 1, 0, -1, 0], 1e-15)
    W = np.arange(6.0)
    for to in ("spatial", "hybrid", "mixed"):
        power = lie.convert_wrench(W, C, "body", to) @ lie.convert_twist(X, C, "body", to)
        close(power, W @ X, 1e-13)
