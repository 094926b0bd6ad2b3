"""Kinematics to higher order, fits, closed mechanisms, textbook algorithms: against the functions of arrays, numpy and
differences."""
from __future__ import annotations

import numpy as np
import pytest
from conftest import States

import chasles
from chasles import textbook

rng = np.random.default_rng(17)


def close(a, b, tolerance):
    np.testing.assert_allclose(a, b, atol=tolerance * (1 + np.abs(b).max(initial=0)), rtol=0)


@pytest.fixture(scope="module")
def four_bar() -> chasles.Model:
    return chasles.load("examples/four_bar.yaml")


@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid", "mixed"])
def test_rates_of_twists_and_jacobians(model, states, representation):
    q, v, a, jerk = states.of("qvvv")
    name = model.bodies[-1].name
    V = chasles.twist_derivatives(model, q, [v, a, jerk], name, representation)
    close(V[0], chasles.twist(model, q, v, name, representation), 1e-13)
    close(V[1], chasles.acceleration(model, q, v, a, name, representation), 1e-12)
    h = 1e-5

    def later(s):
        return (chasles.plus(model, q, s * v + s * s / 2 * a), v + s * a + s * s / 2 * jerk, a + s * jerk)

    close(V[2], (chasles.acceleration(model, *later(h), name, representation)
                 - chasles.acceleration(model, *later(-h), name, representation)) / (2 * h), 1e-6)
    J = chasles.jacobian_time_derivatives(model, q, [v, a], name, representation)
    close(J[0], chasles.jacobian(model, q, name, representation), 1e-13)
    close(J[1], chasles.jacobian_rate(model, q, v, name, representation), 1e-12)
    close(J[2], (chasles.jacobian_rate(model, *later(h)[:2], name, representation)
                 - chasles.jacobian_rate(model, *later(-h)[:2], name, representation)) / (2 * h), 1e-6)
    close(np.einsum("kij,k->ij", chasles.kinematic_hessian(model, q, name, representation), v), J[1], 1e-12)


def test_time_derivatives_of_dynamics(arm):
    states = States(arm)
    q, v, a, jerk = states.of("qvvv")
    tau = chasles.inverse_dynamics_derivatives(arm, q, [v, a, jerk])
    close(tau[0], chasles.inverse_dynamics(arm, q, v, a), 1e-13)
    dq, dv, M = chasles.d_inverse_dynamics(arm, q, v, a)
    close(tau[1], dq @ v + dv @ a + M @ jerk, 1e-11)
    back = chasles.forward_dynamics_derivatives(arm, q, v, tau, 1)
    close(back, [a, jerk], 1e-9)
    with pytest.raises(ValueError, match="rates has 1 rows"):
        chasles.inverse_dynamics_derivatives(arm, q, [v])
    for order in (-1, 10**6):
        with pytest.raises(chasles.Error):
            chasles.forward_dynamics_derivatives(arm, q, v, tau, order)
    with pytest.raises(chasles.SizeError, match="twist_derivatives"):
        chasles.twist_derivatives(arm, q, [v[1:]], "link6", "body")
    with pytest.raises(ValueError, match="rates is empty"):
        chasles.twist_derivatives(arm, q, np.zeros((0, 6)), "link6", "body")


def test_system_matrices(model, states):
    q, v = states.q(), states.v()
    s = chasles.system_kinematics(model, q, "body")
    close(s.A @ s.X, s.J, 1e-13)
    close(s.A_inverse @ s.A, np.eye(len(s.A)), 1e-12)
    close(np.eye(len(s.A)) - s.D, s.A_inverse, 1e-13)
    for k, body in enumerate(s.bodies):
        close(s.J[6 * k:6 * k + 6], chasles.jacobian(model, q, model.bodies[body].name, "body"), 1e-13)


def test_fits_of_trees(arm):
    q = np.array([0.3, -0.5, 0.4, 0.2, 0.6, -0.3])
    measured = [(name, chasles.pose(arm, q, name)) for name in ("link3", "link6")]
    fit = chasles.fit_poses(arm, measured, q0=q + 0.1)
    close(fit.q, q, 1e-8)
    assert fit.converged and fit.residual < 1e-8 and fit.position_error.shape == (2,)
    shifted = [(name, C @ chasles.lie.pose([0.01 * k, 0, 0]), 0, 1) for k, (name, C) in enumerate(measured)]
    free = chasles.fit_poses(arm, shifted, q0=q)
    errors = [np.linalg.norm(chasles.pose(arm, free.q, name)[:3, 3] - C[:3, 3]) for name, C, *_ in shifted]
    close(free.position_error, errors, 1e-10)
    close(free.residual, np.linalg.norm(errors), 1e-10)
    v, a = rng.uniform(-1, 1, (2, 6))
    twists = [(name, chasles.twist(arm, q, v, name, "hybrid") + 0.1 * rng.uniform(-1, 1, 6)) for name, _ in measured]
    found = chasles.fit_velocities(arm, q, twists, "hybrid")
    J = np.vstack([chasles.jacobian(arm, q, name, "hybrid") for name, _ in twists])
    close(found.v, np.linalg.lstsq(J, np.concatenate([V for _, V in twists]), rcond=None)[0], 1e-9)
    assert found.rank == 6
    rates = [(arm.frame(name), chasles.acceleration(arm, q, v, a, name, "hybrid")) for name, _ in twists]
    close(chasles.fit_accelerations(arm, q, v, rates, "hybrid").v, a, 1e-9)
    for wrong in ([3], [("link3",)], ["link3"], [("link3", np.eye(4), 1)]):
        with pytest.raises(TypeError, match="give a tuple"):
            chasles.fit_poses(arm, wrong)
    with pytest.raises(chasles.UnknownNameError):
        chasles.fit_poses(arm, [("hand", np.eye(4))])
    with pytest.raises(chasles.Error, match="negative|weight"):
        chasles.fit_poses(arm, [("link3", np.eye(4), -1, 1)])


def test_fits_of_closed_mechanisms(four_bar):
    system = chasles.System(four_bar)
    q, _ = system.start()
    turned, _ = system.project(q + [0.2, 0, 0], np.zeros(3))
    target = chasles.pose(four_bar, turned, "coupler")
    for found in (chasles.fit_poses(system, [("coupler", target)], q0=q).q,
                  chasles.inverse_kinematics(system, "coupler", target, q0=q).q,
                  chasles.fit_poses(four_bar, [("coupler", target)], q0=q).q):
        close(found, turned, 1e-7)
        assert np.abs(system.constraint_error(found)).max() < 1e-8


def test_closed_kinematics(four_bar):
    system = chasles.System(four_bar)
    q, _ = system.start()
    N, N_rate, entries = system.independent_velocities(q, [0.0, 0, 0])
    B = system.constraint_matrix(q)
    close(B @ N, np.zeros((len(B), 1)), 1e-12)
    assert N[entries[0], 0] == 1 and np.abs(N_rate).max() < 1e-14
    v = (N @ [0.7]).ravel()
    rate = system.independent_velocities(q, v)[1]
    h = 1e-5
    near = [system.independent_velocities(system.project(q + s * v, v)[0], v)[0] for s in (h, -h)]
    close(rate, (near[0] - near[1]) / (2 * h), 1e-6)
    close(system.jacobian(q, "coupler", "hybrid"), chasles.jacobian(four_bar, q, "coupler", "hybrid") @ N, 1e-12)
    report = system.mobility_at(q)
    assert (report.mobility, report.equations - report.rank) == (1, report.equations - 2) and report.rank == np.linalg.matrix_rank(B, tol=1e-9)
    (loop,) = system.loop_screws(q)
    assert loop.subgroup == "SE(2)" and loop.redundant == 3 == 6 - loop.bound and loop.screws.dimension == 3
    assert loop.bound_with_others == 3
    cone = system.tangent_cone(q)
    assert cone.kernel == 1 and cone.moves() and not cone.only_instantaneous() and cone.branches[0].finite
    close(abs(cone.branches[0].tangent @ N[:, 0]), np.linalg.norm(N), 1e-7)
    others = system.random_assemblies(q, 5)
    assert len(others) and all(np.abs(system.constraint_error(x)).max() < 1e-8 for x in others)
    assert len(system.random_assemblies(q, 0)) == 0
    with pytest.raises(chasles.Error, match="count"):
        system.random_assemblies(q, -1)
    tau = np.array([0.3, 0, 0.1])
    d = system.forward_derivatives(q, v, tau)
    a, _ = system.forward_dynamics(q, v, tau)
    close(d.a, a, 1e-9)
    e = np.array([1e-3, 0, 0])
    close(d.dtau[:, 0], (system.forward_dynamics(q, v, tau + e)[0] - a) / 1e-3, 1e-8)


def test_evaluation_of_a_closed_mechanism(four_bar):
    """Reactions at the start of a run are those that the run records; open states are noticed."""
    s = chasles.Scenario(four_bar, duration=0.01)
    s.quantities = ["reaction:rocker", "energy"]
    run = chasles.simulate(s)
    values = chasles.Evaluation(four_bar, ["reaction:rocker", "energy"])(run.q[0], run.v[0])
    close(values["reaction:rocker"], run["reaction:rocker"][0], 1e-8)
    assert values["energy"] == pytest.approx(run["energy"][0], abs=1e-12)
    with pytest.warns(UserWarning, match="does not satisfy the constraints"):
        chasles.evaluate(four_bar, ["energy"], run.q[0] + [0.1, 0, 0])
    with pytest.raises(chasles.UnknownNameError):
        chasles.Evaluation(four_bar, ["energy"], ["motor"])
    with pytest.raises(chasles.Error, match="actuators"):
        chasles.Evaluation(chasles.load("examples/puma560.yaml"), ["energy"], ["elbow"])


@pytest.mark.parametrize("representation", ["body", "spatial", "hybrid", "mixed"])
def test_textbook_recursions(model, states, representation):
    q, v, a = states.of("qvv")
    tau = chasles.inverse_dynamics(model, q, v, a)
    close(textbook.inverse_dynamics(model, q, v, a, representation), tau, 1e-12)
    close(textbook.projection_equations(model, q, v, a, representation), tau, 1e-12)
    close(textbook.forward_dynamics(model, q, v, tau, representation), a, 1e-8)
    close(textbook.mass_matrix(model, q, representation), chasles.mass_matrix(model, q), 1e-12)


def test_textbook_forms(model, states):
    q, v, a = states.of("qvv")
    M = chasles.mass_matrix(model, q)
    close(textbook.christoffel_matrix(model, q, v), chasles.coriolis_matrix(model, q, v), 1e-12)
    rate = textbook.mass_matrix_rate(model, q, v)
    h = 1e-6
    close(rate, (chasles.mass_matrix(model, chasles.plus(model, q, h * v)) - chasles.mass_matrix(model, chasles.plus(model, q, -h * v))) / (2 * h), 1e-7)
    skew = rate - 2 * textbook.coriolis_matrix(model, q, v)
    close(skew, -skew.T, 1e-11)
    Gamma = textbook.christoffel_symbols(model, q)
    close(np.einsum("kij,k->ij", Gamma, v), textbook.christoffel_matrix(model, q, v), 1e-12)
    inertia, coriolis, gravity = textbook.lagrange_terms(model, q, v, a)
    close(inertia, M @ a, 1e-12)
    close(coriolis + gravity, chasles.bias(model, q, v), 1e-12)
    tau = states.v()
    velocity, p_rate, H = textbook.hamiltonian_dynamics(model, q, M @ v, tau)
    close(velocity, v, 1e-9)
    close(p_rate, M @ chasles.forward_dynamics(model, q, v, tau) + rate @ v, 1e-8)
    close(H, 0.5 * v @ M @ v + chasles.potential_energy(model, q), 1e-10)
    pi = model.inertial_parameters()
    close(textbook.kinetic_energy_regressor(model, q, v) @ pi, chasles.kinetic_energy(model, q, v), 1e-12)
    close(textbook.potential_energy_regressor(model, q) @ pi, chasles.potential_energy(model, q), 1e-12)


def test_base_parameters(arm):
    base = textbook.base_parameters(arm)
    states = States(arm)
    Y = chasles.torque_regressor(arm, *states.of("qvv", 60)).reshape(360, -1)
    assert len(base.independent) == np.linalg.matrix_rank(Y, tol=1e-9 * np.linalg.norm(Y)) == 36
    close(Y[:, base.independent] @ base.K, Y[:, base.dependent], 1e-8)
    pi = rng.uniform(-1, 1, Y.shape[1])
    close(Y[:, base.independent] @ base.values(pi), Y @ pi, 1e-8)
    with pytest.raises(chasles.Error):
        base.values(pi[1:])


def test_second_derivatives(model, states):
    """Tensors by differences of first derivatives; contractions and directions from the tensors."""
    q, v, x, w = states.of("qvvv")
    n, h = model.nv, 1e-5
    for name in ("inverse_dynamics", "forward_dynamics"):
        first, second = getattr(chasles, "d_" + name), getattr(chasles, "d2_" + name)
        qq, vq, uq, vv = second(model, q, v, x)
        scale = 1 + np.abs(qq).max()
        for k, e in enumerate(h * np.eye(n)):
            by_q = (first(model, chasles.plus(model, q, e), v, x) - first(model, chasles.plus(model, q, -e), v, x)) / (2 * h)
            for exact, approximate in zip((qq[k], vq[k], uq[k]), by_q):
                close(exact / scale, approximate / scale, 1e-6)
            by_v = (first(model, q, v + e, x) - first(model, q, v - e, x)) / (2 * h)
            close(vv[k] / scale, by_v[1] / scale, 1e-6)
        contracted = getattr(chasles, "d2_" + name + "_contracted")(model, q, v, x, w)
        for exact, tensor in zip(contracted, (qq, vq, uq, vv)):
            close(exact / scale, np.einsum("kij,i->jk", tensor, w) / scale, 1e-9)
        dq, dv, du = states.of("vvv")
        along = getattr(chasles, "d_" + name + "_along")(model, q, v, x, dq, dv, du)
        by_direction = np.einsum("kij,k->ij", vq, dq) + np.einsum("kij,k->ij", vv, dv)
        close(along[1] / scale, by_direction / scale, 1e-9)
        close(along[2] / scale, np.einsum("kij,k->ij", uq, dq) / scale, 1e-9)
