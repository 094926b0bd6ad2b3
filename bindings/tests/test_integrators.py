"""Integrators with all their options, tableaus, groups of matrices, second derivatives of motions: against closed forms,
differences and numpy."""
from __future__ import annotations

import pickle

import numpy as np
import pytest
from conftest import States

import chasles

g = 9.81
rng = np.random.default_rng(29)


def close(a, b, tolerance):
    np.testing.assert_allclose(a, b, atol=tolerance * (1 + np.abs(b).max(initial=0)), rtol=0)


@pytest.fixture(scope="module")
def pendulum() -> chasles.Model:
    """A point mass of 2 kg, 0.5 m below the axis y."""
    return (chasles.MechanismBuilder("pendulum").body("bob", "ground", chasles.joints.revolute([0, 1, 0])).joint_name("swing")
            .inertia(2, [0, 0, -0.5], np.zeros((3, 3))).build().compile())


@pytest.fixture(scope="module")
def four_bar() -> chasles.Model:
    return chasles.load("examples/four_bar.yaml")


def energy(model, q, v) -> float:
    return chasles.kinetic_energy(model, q, v) + chasles.potential_energy(model, q)


@pytest.mark.parametrize("method, options", [
    ("variational", {"order": 4, "composition": "suzuki"}),
    ("variational", {"order": 6, "composition": "kahan_li"}),
    ("rattle", {"order": 4, "composition": "yoshida"}),
    ("mk4", {"chart": "cayley"}),
    ("mk4", {"chart": "second_kind"}),
    ("generalized_alpha", {"rho": 1.0, "index": 3}),
    ("blied2", {}),
])
def test_options_of_methods(pendulum, method, options):
    """The energy is that of the start, up to the error of the method, and each option is one that method_info names."""
    info = chasles.method_info(method)
    assert info.name == method and set(options) <= set(info.options) and info.description == chasles.methods()[method]
    integrator = chasles.Integrator(chasles.System(pendulum), method, step=1e-3, **options)
    integrator.reset([1.0], [0.0])
    t, q, v = integrator.advance(1.0)
    assert t == 1 and integrator.state[0] == 1 and integrator.steps == 1000
    assert integrator.smallest == pytest.approx(integrator.largest) == pytest.approx(1e-3)
    assert abs(energy(pendulum, q, v) - energy(pendulum, [1.0], [0.0])) < 1e-4


def test_options_that_a_method_does_not_take(pendulum):
    system = chasles.System(pendulum)
    with pytest.raises(chasles.Error, match="rho"):
        chasles.Integrator(system, "mk4", step=1e-3, rho=0.5)
    with pytest.raises(KeyError, match="did you mean 'yoshida'"):
        chasles.Integrator(system, "variational", step=1e-3, order=4, composition="yosida")
    with pytest.raises(KeyError, match="exponential, cayley or second_kind"):
        chasles.Integrator(system, "mk4", step=1e-3, chart="polar")
    with pytest.raises(KeyError, match="did you mean 'dop853'"):
        chasles.method_info("dop835")
    with pytest.raises(TypeError, match="give a System"):
        chasles.Integrator(pendulum, "mk4", step=1e-3)
    with pytest.raises(TypeError, match="give a System"):
        chasles.DifferentiableStep(pendulum)
    s = chasles.Scenario(pendulum)
    for name, value in (("rho", 0.9), ("index", 3), ("first_step", 1e-4), ("max_step", 0.1), ("composition", "suzuki"), ("chart", "cayley"),
                        ("stabilization", "none"), ("baumgarte", (1.0, 2.0)), ("momentum_form", True), ("keep_invariants", True)):
        setattr(s, name, value)
        assert getattr(s, name) == value
    with pytest.raises(KeyError, match="stabilization"):
        s.stabilization = "glue"
    with pytest.raises(TypeError, match="max_step"):
        s.max_step = "long"
    s.scales = [2.0]
    assert s.scales.tolist() == [2.0]


def test_within_and_between_steps(pendulum):
    integrator = chasles.Integrator(chasles.System(pendulum), "dop853", tolerance=1e-11)
    for use in (lambda: integrator.interpolate(0.0), lambda: integrator.advance(0.0), lambda: integrator.multipliers):
        with pytest.raises(chasles.Error, match="reset"):
            use()
    integrator.reset([1e-4], [0])
    with pytest.raises(chasles.Error, match="has made no step"):
        integrator.interpolate(0.0)
    end, q, _ = integrator.step(1.0)
    omega = np.sqrt(g / 0.5)
    assert integrator.before[0] == 0 and integrator.before[1][0] == 1e-4
    t, middle, _ = integrator.interpolate(end / 2)
    assert t == end / 2 and abs(middle[0] - 1e-4 * np.cos(omega * end / 2)) < 1e-11
    with pytest.raises(ValueError, match="the last step was"):
        integrator.interpolate(2 * end)
    with pytest.raises(ValueError, match="the last step was"):
        integrator.interpolate(float("nan"))
    t, again, _ = integrator.retry(end / 2)
    assert t == end / 2 and abs(again[0] - middle[0]) < 1e-11
    integrator.replace([0.0], [2e-4])
    t0 = integrator.state[0]
    t, q, v = integrator.advance(t0 + 0.1)
    assert abs(q[0] - 2e-4 / omega * np.sin(0.1 * omega)) < 1e-11 and integrator.evaluations > 0 and not integrator.is_stiff


def test_checkpoint(pendulum):
    """Going on after a pickle is the same as not to stop, bit for bit."""
    def at(times):
        system = chasles.System(pendulum)
        integrator = chasles.Integrator(system, "dop853", tolerance=1e-9)
        integrator.reset([1.0], [0.0])
        for t in times:
            kept = pickle.dumps((integrator.advance(t), integrator.checkpoint()))
            (t, q, v), checkpoint = pickle.loads(kept)
            integrator = chasles.Integrator(chasles.System(pendulum), "dop853", tolerance=1e-9)
            integrator.resume(q, v, t, checkpoint)
        return integrator.advance(2.0)

    uninterrupted = chasles.Integrator(chasles.System(pendulum), "dop853", tolerance=1e-9)
    uninterrupted.reset([1.0], [0.0])
    uninterrupted.advance(0.7)
    assert at([0.7])[1][0] == uninterrupted.advance(2.0)[1][0]


def test_multipliers_and_stabilization(four_bar):
    """Without stabilization loops open, with it they do not; the multipliers are those of forward dynamics."""
    open_by = {}
    for stabilization in ("projection", "none", "baumgarte"):
        system = chasles.System(four_bar)
        rates = {"baumgarte": (10.0, 10.0)} if stabilization == "baumgarte" else {}
        integrator = chasles.Integrator(system, "mk4", step=5e-3, stabilization=stabilization, **rates)
        q, v = system.start()
        integrator.reset(q, v)
        _, q, v = integrator.advance(1.0)
        open_by[stabilization] = np.abs(system.constraint_error(q)).max()
        if stabilization == "projection":
            a, multipliers = chasles.System(four_bar).forward_dynamics(q, v, np.zeros(3))
            B = system.constraint_matrix(q)
            close(B.T @ integrator.multipliers, B.T @ multipliers, 1e-8)
    assert open_by["projection"] < 1e-10 < open_by["none"] and open_by["projection"] < open_by["baumgarte"] < open_by["none"]


def kutta() -> chasles.RungeKuttaTableau:
    return chasles.RungeKuttaTableau("3/8", 4, [[0, 0, 0, 0], [1 / 3, 0, 0, 0], [-1 / 3, 1, 0, 0], [1, -1, 1, 0]], [1 / 8, 3 / 8, 3 / 8, 1 / 8])


def test_tableaus(pendulum):
    """The rule of three eighths has order 4, in its conditions and in runs; a wrong digit is found."""
    tableau = kutta()
    assert chasles.order_of(tableau) == 4 and tableau.a[2] == [-1 / 3, 1] and tableau.c == []
    conditions = chasles.order_conditions(tableau, 5)
    assert len(conditions) == 1 + 1 + 2 + 4 + 9
    assert all(abs(c.residual) <= 10 * c.rounding for c in conditions if c.order <= 4)
    assert max(abs(c.residual) for c in conditions if c.order == 5) > 1e-3
    (midpoint,) = [c for c in conditions if c.tree == "[[]]"]
    assert midpoint.required == 0.5 and midpoint.value == pytest.approx(sum(b * sum(a) for a, b in zip(tableau.a, tableau.b)))
    errors = []
    for step in (0.02, 0.01):
        integrator = chasles.Integrator(chasles.System(pendulum), step=step, tableau=tableau)
        integrator.reset([1e-4], [0])
        errors.append(abs(integrator.advance(1.0)[1][0] - 1e-4 * np.cos(np.sqrt(g / 0.5))))
    assert 14 < errors[0] / errors[1] < 18
    wrong = chasles.RungeKuttaTableau("wrong", 4, tableau.a, [1 / 8, 3 / 8, 3 / 8, 0.126])
    for use in (lambda: chasles.check_tableau(wrong), lambda: chasles.Integrator(chasles.System(pendulum), step=0.1, tableau=wrong)):
        with pytest.raises(chasles.Error, match="wrong"):
            use()
    chasles.check_tableau(tableau)
    run = chasles.Scenario(pendulum, [1e-4], duration=1.0)
    run.step = 0.01
    run.set_tableau(tableau)
    assert abs(chasles.simulate(run).q[-1, 0] - 1e-4 * np.cos(np.sqrt(g / 0.5))) == pytest.approx(errors[1], rel=1e-3)


def test_matrix_groups():
    """Y' = Y hat(A) with a constant A is exp(t hat(A)), on every group; numpy's exponential by eigenvalues."""
    for group in (chasles.MatrixGroup.special_orthogonal(4), chasles.MatrixGroup.special_euclidean(3), chasles.MatrixGroup.special_linear(2),
                  chasles.MatrixGroup.general_linear(2), chasles.MatrixGroup("nilpotent", [np.diag([1.0, 1.0], 1), np.diag([1.0], 2)])):
        A = rng.uniform(-1, 1, group.nv)
        integrator = chasles.Integrator(chasles.FirstOrderSystem(group, lambda t, Y: A), "mk4", step=0.1)  # noqa: B023
        integrator.reset(group.identity())
        t, Y, v = integrator.advance(1.0)
        n = group.matrix_size
        assert t == 1 and Y.shape == (n, n) and v.shape == (group.nv,)
        series, term = np.eye(n), np.eye(n)
        for k in range(1, 40):
            term = term @ group.hat(A) / k
            series += term
        close(Y, series, 1e-12)
        close(group.exp(A), series, 1e-12)
        close(group.vee(group.hat(A)), A, 1e-14)
    rotations = chasles.MatrixGroup.special_orthogonal(3)
    close(rotations.hat([1, 2, 3]), chasles.lie.hat([1, 2, 3]), 1e-16)
    turning = chasles.FirstOrderSystem(rotations, lambda t, Y: [0, 0, np.cos(t)])
    integrator = chasles.Integrator(turning, "mk4", step=0.05)
    integrator.reset(np.eye(3))
    close(integrator.advance(1.0)[1], chasles.lie.exp([0, 0, np.sin(1)]), 1e-7)
    for wrong, error in ((lambda t, Y: [1, 2], chasles.SizeError), (lambda t, Y: 1 / 0, ZeroDivisionError), (lambda t, Y: None, TypeError)):
        integrator = chasles.Integrator(chasles.FirstOrderSystem(rotations, wrong), "mk4", step=0.05)
        integrator.reset(np.eye(3))
        with pytest.raises(error):
            integrator.step(1.0)
    with pytest.raises(chasles.SizeError, match="q"):
        integrator.reset([1, 0, 0])
    with pytest.raises(TypeError, match="function"):
        chasles.FirstOrderSystem(rotations, 3)
    with pytest.raises(chasles.Error, match="span|commutator"):
        chasles.MatrixGroup("no algebra", [[[0, 1], [0, 0]], [[0, 0], [1, 0]]])


@pytest.mark.parametrize("method", ["mk4", "gauss2", "generalized_alpha"])
def test_hessian_product(arm, method):
    """The derivative of the gradient along a direction: differences of `adjoint`, for a cost at the end and along the motion. The
    wrist of the arm is light: its accelerations, which generalized_alpha carries, change by 1e5 per radian."""
    states = States(arm, 5)
    q, v, U = states.q(), states.v(), states.v(4)
    x, dU = states.rng.uniform(-1, 1, 12), states.v(4)
    h, weights = 0.02, np.arange(1.0, 13.0)
    step = chasles.DifferentiableStep(chasles.System(arm), method)

    def end(t, q, v):
        return weights * np.concatenate([q, v])  # the joints of the arm are numbers

    def running(k, t, q, v):
        return np.concatenate([np.sin(q), v]), np.zeros(6)

    product = chasles.hessian_product(step, q, v, h, U, x, dU, end, running)
    d = 1e-4

    def gradient(s):
        found = chasles.adjoint(step, q + s * x[:6], v + s * x[6:], h, U + s * dU, end, running)
        return np.concatenate([found.dx, found.dU.ravel()])

    differences = (8 * (gradient(d) - gradient(-d)) - gradient(2 * d) + gradient(-2 * d)) / (12 * d)
    close(np.concatenate([product.dx, product.dU.ravel()]), differences, 3e-8)
    for wrong, name in (({"x": x[1:]}, "x"), ({"U_change": dU[1:]}, "U_change")):
        with pytest.raises(chasles.SizeError, match=name):
            chasles.hessian_product(step, q, v, h, U, **({"x": x, "U_change": dU} | wrong), end=end)
    with pytest.raises(ZeroDivisionError):
        chasles.hessian_product(step, q, v, h, U, x, dU, lambda t, q, v: 1 / 0)
    with pytest.raises(TypeError, match="hessian_product.*give a tuple"):
        chasles.hessian_product(step, q, v, h, U, x, dU, end, lambda k, t, q, v: weights)


def test_steps_with_memory(arm):
    """generalized_alpha carries accelerations: the product of the matrices of its steps is that of `sensitivities`."""
    states = States(arm, 7)
    q0, v0, U = states.q(), states.v(), states.v(3)
    step = chasles.DifferentiableStep(chasles.System(arm), "generalized_alpha", rho=0.9)
    with pytest.raises(chasles.Error, match="from step to step"):
        step(0.01, U[0], q0, v0)
    q, v, memory, product = q0, v0, np.array([]), np.eye(12)
    for u in U:
        q, v, dx, du = step(0.01, u, q, v, memory=memory)
        memory, product = step.memory, dx @ product
    assert memory.shape == (12,) and dx.shape == (24, 24)
    s = chasles.sensitivities(step, q0, v0, 0.01, U)
    close(s.q, q, 1e-13)
    close(s.dx, product[:12], 1e-10)
    moved = step.move(0.01, U[0], q0, v0, memory=[])
    close(moved[0], step(0.01, U[0], q0, v0, memory=[])[0], 1e-15)


def test_accessibility():
    """A unicycle: rolling and turning reach three dimensions by one bracket; a linear system: the rank of Kalman."""
    def roll(x):
        return [np.cos(x[2]), np.sin(x[2]), 0]

    found = chasles.accessibility(None, [roll, lambda x: [0, 0, 1]], np.zeros(3), 2)
    assert found.rank == found.strong_rank == 3 and found.rank_at_depth == [2, 3] and found.basis[-1] == "[g1, g2]"
    assert abs(np.linalg.det(found.values)) == pytest.approx(1)
    A, B = np.array([[0, 1.0, 0], [0, 0, 1], [0, 0, 0]]), np.array([0, 0, 1.0])
    kalman = chasles.accessibility(lambda x: [sum(a * y for a, y in zip(row, x)) for row in A], [lambda x: list(B)], np.zeros(3), 3)
    assert kalman.strong_rank == chasles.controllability(A, B[:, None]).rank == 3
    x = chasles.TaylorPolynomial.variables([2.0], 3)[0]
    f = (1 + x) * x / 2 - np.sqrt(2 * x) - -x
    assert f.value() == pytest.approx(2 * 3 / 2 - 2 + 2)
    assert f.derivative(0).value() == pytest.approx(0.5 + 2 - 0.5 + 1)
    assert (1 / x).derivative(0).derivative(0).value() == pytest.approx(2 / 8)
    for k in (-1, 1, 2**31 - 1):
        with pytest.raises(chasles.Error, match="variables has no derivative by variable"):
            x.derivative(k)
    y, _ = chasles.TaylorPolynomial.variables([2.0, 1.0], 3)
    for use in (lambda: x + y, lambda: x * y, lambda: y - x, lambda: x / y):
        with pytest.raises(chasles.Error, match="do not go together"):
            use()
    with pytest.raises(TypeError, match="TaylorPolynomial or numbers"):
        chasles.accessibility(None, [lambda x: ["a", 0, 0]], np.zeros(3), 1)
    with pytest.raises(TypeError, match="give a function"):
        chasles.accessibility(None, [3], np.zeros(3), 1)
    with pytest.raises(chasles.Error, match="depth"):
        chasles.accessibility(None, [roll], np.zeros(3), 0)
