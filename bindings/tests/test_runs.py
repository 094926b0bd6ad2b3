"""Runs, systems, linearization, equilibria, inverse kinematics: against closed forms, numpy and the program's laws."""
from __future__ import annotations

import _thread
import copy
import ctypes
import gc
import pickle
import sys
import threading

import numpy as np
import pytest

import chasles

g = 9.81


@pytest.fixture(scope="module")
def pendulum() -> chasles.Model:
    """A point mass of 2 kg, 0.5 m below the axis y."""
    return (chasles.MechanismBuilder("pendulum").body("bob", "ground", chasles.joints.revolute([0, 1, 0])).joint_name("swing")
            .inertia(2, [0, 0, -0.5], np.zeros((3, 3))).build().compile())


def scenario(model, q=0.1, v=0.0, duration=1.0) -> chasles.Scenario:
    s = chasles.Scenario(model, [q], [v], duration)
    s.method, s.tolerance = "dop853", 1e-12
    return s


def test_small_swing(pendulum):
    s = scenario(pendulum, 1e-4)
    s.every, s.quantities = 0.1, ["energy", "pose:bob", "tau"]
    run = chasles.simulate(s)
    assert run.t.shape == (11,) and run.q.shape == (11, 1) and run["pose:bob"].shape == (11, 4, 4)
    np.testing.assert_allclose(run.q[:, 0], 1e-4 * np.cos(np.sqrt(g / 0.5) * run.t), atol=1e-12)
    np.testing.assert_allclose(run["pose:bob"][:, 0, 0], np.cos(run.q[:, 0]), atol=1e-15)
    assert np.ptp(run["energy"]) < 1e-12
    assert run.joint("swing").v.shape == (11, 1)
    assert run.summary["steps"] > 0 and "dop853" in str(run.summary)
    with pytest.raises(KeyError, match="was not recorded"):
        run["power"]
    with pytest.raises(KeyError, match="there is no joint 'sway'; give swing"):
        run.joint("sway")
    with pytest.raises(KeyError, match="did you mean 'energy'"):
        run["enrgy"]
    with pytest.raises(KeyError, match="did you mean 'steps'"):
        run.summary["step"]
    with pytest.raises(ValueError):
        run.q[0] = 0
    assert list(run) == ["energy", "pose:bob", "tau"] and run.state().t == 1
    with pytest.raises(chasles.FileError, match="the path of the run is empty"):
        chasles.simulate(s, "")


def test_python_force_is_the_force_of_the_library(pendulum):
    """A spring and damper written in Python, by writing and by returning, and that of the library."""
    runs = []
    def written(t, q, v, tau):
        tau[:] = -3 * q - 0.2 * v

    for force in (chasles.Force("mine", pendulum, written),
                  chasles.Force("mine", pendulum, lambda t, q, v, tau: [-3 * q[0] - 0.2 * v[0]]),
                  chasles.controller("mine", pendulum, written),
                  chasles.joint_spring_damper(pendulum, "swing", 3, 0.2),
                  chasles.expression_force(pendulum, "swing", ["-k*q.swing - 0.2*v.swing"], {"k": 3})):
        s = scenario(pendulum, 0.5)
        s.add_force(force)
        runs.append(chasles.simulate(s).q[-1, 0])
    np.testing.assert_allclose(runs, runs[0], atol=1e-11)
    free = chasles.simulate(scenario(pendulum, 0.5)).q[-1, 0]
    assert abs(free - runs[0]) > 1e-3


def test_sampled_controller_is_called_at_its_period(pendulum):
    times = []
    s = scenario(pendulum)
    s.add_force(chasles.controller("c", pendulum, lambda t, q, v, tau: times.append(t), period=0.1))
    chasles.simulate(s)
    np.testing.assert_allclose(times, np.arange(len(times)) * 0.1, atol=1e-12)
    assert len(times) in (10, 11)


def test_arrays_of_laws(pendulum):
    """q and v cannot be written; arrays that a law keeps are not overwritten."""
    kept = []

    def law(t, q, v, tau):
        with pytest.raises(ValueError):
            q[0] = 1
        if len(kept) < 50:
            kept.append((t, q, q.copy(), tau))

    s = scenario(pendulum, 0.3)
    s.add_force(chasles.Force("watch", pendulum, law))
    chasles.simulate(s)
    assert all(np.array_equal(q, then) for _, q, then, _ in kept)
    assert len({id(q) for _, q, _, _ in kept}) == len(kept)


def reshaped(tau):
    tau.shape = (1, 1)


def retyped(tau):
    tau.dtype = np.int64


@pytest.mark.filterwarnings("ignore:Setting the")
@pytest.mark.parametrize("change", [lambda tau: tau.resize((3,), refcheck=False), reshaped, retyped], ids=["size", "shape", "type"])
def test_laws_that_change_their_arrays(pendulum, change):
    """An array that is no longer what it was is not written or read as if it were, and the next call gets another one."""
    s = scenario(pendulum)
    s.add_force(chasles.Force("odd", pendulum, lambda t, q, v, tau: change(tau)))
    with pytest.raises(ValueError, match="'odd' has changed the shape or the type of tau"):
        chasles.simulate(s)
    expected = chasles.simulate(scenario(pendulum)).q

    def law(t, q, v, tau):
        assert q.shape == v.shape == (1,) and q.dtype == v.dtype == float
        change(q)
        q.resize((500,), refcheck=False)

    s = scenario(pendulum)
    s.add_force(chasles.Force("odd", pendulum, law))
    s.add_event("far", lambda t, q, v: (change(v), 1.0)[1])
    np.testing.assert_array_equal(chasles.simulate(s).q, expected)


def test_a_step_without_end_is_interrupted(pendulum):
    """By Ctrl-C, whenever it comes; the simulation goes on from there."""
    simulation = chasles.Simulation(scenario(pendulum, 1.0))
    simulation.step(0.1)
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        simulation.step(1e12)
    timer.join()
    t = simulation.state.t
    assert 0.1 < t < 1e12
    assert simulation.step(t + 0.5).t == t + 0.5


def test_numbers_are_real(pendulum):
    """Parameters are as strict as arrays: no imaginary part and no mask is lost. Sequences may be arrays."""
    s = scenario(pendulum)
    for wrong in (np.complex128(1 + 1j), np.complex64(1), np.array(1j), np.ma.masked, np.ma.masked_array(1.0, True), 1j, "1", None):
        with pytest.raises(TypeError):
            s.duration = wrong
        with pytest.raises(TypeError, match="give a number"):
            failing = scenario(pendulum)
            failing.add_event("e", lambda t, q, v: wrong)
            chasles.simulate(failing)
    for right in (2, np.float32(2), np.int8(2), np.array(2.0), np.longdouble(2)):
        s.duration = right
        assert s.duration == 2.0

    def table(x):
        return chasles.references.polynomial(x)(2.0)[0]

    x = np.array([1.0, 2.0, 3.0])
    for right in (x, x.astype(">f4"), x.astype(int), [1, 2, 3], (1.0, 2.0, 3.0), np.repeat(x, 2)[::2]):
        assert table(right) == 17.0
    for wrong in (x + 0j, np.ma.masked_array(x, x > 1), x > 0, [None], "123", x[:, None], 3.0, [1j], {1.0: 2.0}):
        with pytest.raises(TypeError):
            table(wrong)
    gains = np.array([3.0]), np.array([1.0])
    forces = [chasles.pd_control(pendulum, ["swing"], reference, *gains) for reference in ([0.5], (0.5,), np.array([0.5]))]
    ends = []
    for force in forces:
        s = scenario(pendulum)
        s.add_force(force)
        ends.append(chasles.simulate(s).q[-1, 0])
    assert ends[0] == ends[1] == ends[2]
    with pytest.raises(TypeError):
        chasles.pd_control(pendulum, ["swing"], "0", *gains)


def test_nothing_is_changed_without_effect(pendulum):
    """What an attribute gives is a copy: writing to it is an error."""
    s = scenario(pendulum)
    s.quantities = ["energy"]
    with pytest.raises(AttributeError):
        s.quantities.append("power")
    s.quantities += ("power",)
    assert s.quantities == ("energy", "power")
    s.actuators = ["swing"]
    assert s.actuators == ("swing",)
    pose = chasles.SE3(np.eye(4))
    for array in (pendulum.gravity, pendulum.bodies[0].com, pendulum.bodies[0].inertia, s.scales, pose.r, pose.R, pose.matrix,
                  chasles.Inertia(1, [0, 0, 0], np.eye(3)).tensor, chasles.System(pendulum).linearize([0.1], [0.0]).A):
        assert not array.flags.writeable
    integrator = chasles.Integrator(chasles.System(pendulum), "rk4", step=0.1)
    integrator.reset([0.1], [0.0])
    t, q, v = integrator.state
    q[0] = 0.2  # a result, for replace
    integrator.replace(q, v)
    assert integrator.state[1][0] == 0.2


class MallInfo(ctypes.Structure):
    """struct mallinfo2 of the C library."""

    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks",
                                                     "keepcost")]


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="the C library does not count its memory")
def test_memory_is_given_back(pendulum):
    """Objects, results and errors of many calls: nothing of them is left, neither of C++ nor of Python."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = MallInfo

    def used() -> np.ndarray:
        gc.collect()
        now = mallinfo()
        return np.array([now.uordblks + now.hblkhd, sys.getallocatedblocks()])

    simulation, state, q, long = chasles.Simulation(scenario(pendulum)), chasles.State.of(pendulum), np.array([0.1]), np.zeros(100)

    def refused(call, *arguments):
        with pytest.raises((TypeError, ValueError)):
            call(*arguments)

    for call in (lambda: scenario(pendulum).model, lambda: simulation.model, lambda: pendulum.with_gravity([0, 0, 1]),
                 lambda: chasles.Simulation(scenario(pendulum)), lambda: chasles.System(pendulum).start(), lambda: state.copy()["swing"].q,
                 lambda: chasles.mass_matrix(pendulum, q), lambda: chasles.mass_matrix(pendulum, [[0.1]] * 10),
                 lambda: refused(chasles.mass_matrix, pendulum, long), lambda: refused(chasles.references.polynomial, [None]),
                 lambda: refused(chasles.Scenario, pendulum, long), lambda: chasles.references.polynomial(long)):
        left = []  # by bytes of C++, blocks of Python: of each call; the least of some rounds, since a leak is in all of them
        for _ in range(4):
            before = used()
            for _ in range(100):
                call()
            left.append((used() - before) / 100)
        assert (np.min(left, axis=0) < [50, 0.5]).all(), left


def test_exceptions_pass_and_the_simulation_goes_on(pendulum):
    class Mine(Exception):
        pass

    broken = True

    def law(t, q, v, tau):
        if broken and t > 0.5:
            raise Mine(t)

    s = scenario(pendulum, 0.3)
    s.add_force(chasles.Force("broken", pendulum, law))
    simulation = chasles.Simulation(s)
    with pytest.raises(Mine):
        simulation.run()
    assert simulation.trajectory is not None and 0 < simulation.trajectory.t[-1] <= 0.5
    assert 0 < simulation.state.t <= 0.5
    broken = False
    rest = simulation.run()
    assert rest.t[-1] == 1
    np.testing.assert_allclose(rest.q[-1], chasles.simulate(scenario(pendulum, 0.3)).q[-1], atol=1e-9)
    for wrong, error, match in ((lambda t, q, v, tau: [1, 2], ValueError, r"force 'x' has shape \(2,\)"),
                                (lambda t, q, v, tau: "a", TypeError, "force 'x'"),
                                (lambda t: None, TypeError, "argument"),
                                (lambda t, q, v, tau: [np.nan], chasles.RunError, "force 'x'|'x'")):
        s = scenario(pendulum)
        s.add_force(chasles.Force("x", pendulum, wrong))
        with pytest.raises(error, match=match):
            chasles.simulate(s)
    with pytest.raises(TypeError, match="has no function"):
        chasles.Force("x", pendulum, 3)


def test_steps_with_inputs(pendulum):
    """A loop of steps under forces that are held: the same as a sampled controller."""
    s = scenario(pendulum, 0.3)
    s.joint_inputs = True
    simulation = chasles.Simulation(s)
    for k in range(1, 11):
        state = simulation.state
        simulation.set_joint_forces(-5 * state["swing"].q - state.v)
        state = simulation.step(0.1 * k)
        assert abs(state.t - 0.1 * k) < 1e-15
    sampled = scenario(pendulum, 0.3)
    sampled.add_force(chasles.controller("c", pendulum, lambda t, q, v, tau: -5 * q - v, period=0.1))
    np.testing.assert_allclose(state.q, chasles.simulate(sampled).q[-1], atol=1e-10)
    first = state
    simulation.reset()
    assert simulation.state.t == 0 and simulation.state.q[0] == 0.3
    simulation.reset(first)
    assert simulation.state == first
    with pytest.raises(chasles.SizeError):
        simulation.set_joint_forces([1, 2])
    with pytest.raises(chasles.Error):
        simulation.step(0.5)
    with pytest.raises(chasles.Error):
        chasles.Simulation(scenario(pendulum)).set_joint_forces([1])


def test_a_simulation_is_entered_once(pendulum):
    s = scenario(pendulum)
    seen = []

    def law(t, q, v, tau):
        if simulation is not None and not seen:
            with pytest.raises(chasles.Error, match="is in a step"):
                simulation.step(2)
            other = chasles.Simulation(scenario(pendulum))  # another one may run in it
            seen.append(other.step(0.1).t)

    simulation = None
    s.add_force(chasles.Force("f", pendulum, law))
    simulation = chasles.Simulation(s)
    simulation.run()
    assert seen == [0.1]
    runs = [None] * 4

    def run(k):
        mine = scenario(pendulum, 0.1 * (k + 1))
        mine.add_force(chasles.Force("f", pendulum, lambda t, q, v, tau: -q))
        runs[k] = chasles.simulate(mine)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(4):
        run_alone = scenario(pendulum, 0.1 * (k + 1))
        run_alone.add_force(chasles.Force("f", pendulum, lambda t, q, v, tau: -q))
        assert runs[k] == chasles.simulate(run_alone)


def test_one_force_in_many_runs(pendulum):
    """A force that several threads, and a run within its own law, use at the same time: every call has its own arrays."""
    inner = []

    def law(t, q, v, tau):
        before = q.copy(), v.copy()
        if t > 0.3 and not inner:
            inner.append(None)
            s = scenario(pendulum, 0.9)
            s.add_force(force)
            inner.append(chasles.simulate(s).q[-1, 0])
        assert np.array_equal(q, before[0]) and np.array_equal(v, before[1])
        tau[:] = -3 * q
        threading.Event().wait(0)  # lets others run here

    force = chasles.Force("shared", pendulum, law)
    starts = [0.9, 0.2, 0.4, 0.6]
    ends = [0.0] * 4

    def run(k):
        s = scenario(pendulum, starts[k])
        s.add_force(force)
        ends[k] = chasles.simulate(s).q[-1, 0]

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, q in enumerate(starts):
        s = scenario(pendulum, q)
        s.add_force(chasles.joint_spring_damper(pendulum, "swing", 3.0))
        assert ends[k] == pytest.approx(chasles.simulate(s).q[-1, 0], abs=1e-10)
    assert inner[1] == pytest.approx(ends[0], abs=1e-12)


def test_an_integrator_is_entered_once(pendulum):
    s = scenario(pendulum)
    seen = []

    def law(t, q, v, tau):
        if integrator is not None and not seen:
            with pytest.raises(chasles.Error, match="the integrator is in a step"):
                integrator.step(2)
            seen.append(t)

    integrator = None
    s.add_force(chasles.Force("f", pendulum, law))
    integrator = chasles.Integrator(chasles.System(s), "mk4", step=0.1)
    integrator.reset([0.1], [0.0])
    integrator.advance(0.3)
    assert seen


def test_events(pendulum):
    s = scenario(pendulum, 1e-3, 0, 3)
    s.add_event("bottom", lambda t, q, v: q[0], direction=-1)
    s.add_event("second turn", lambda t, q, v: t - 2.5, action="stop")
    run = chasles.simulate(s)
    omega = np.sqrt(g / 0.5)
    times = [t for name, t in run.summary.events if name == "bottom"]
    np.testing.assert_allclose(times, (np.pi / 2 + 2 * np.pi * np.arange(len(times))) / omega, atol=1e-6)
    assert abs(run.t[-1] - 2.5) < 1e-9 and len(times) == 2
    with pytest.raises(KeyError):
        s.add_event("x", lambda t, q, v: 1, action="explode")
    with pytest.raises(chasles.Error):
        s.add_event("x", lambda t, q, v: 1, direction=7)


def test_driver_in_a_closed_mechanism():
    """The crank of a four-bar turns at constant speed; the power of its motor balances the energy."""
    model = chasles.load("examples/four_bar.yaml")
    crank = model.joints[0].name
    s = chasles.Scenario(model, duration=1)
    s.drive_joint(crank, chasles.references.speed(2.0))
    s.every, s.quantities = 0.05, ["energy", f"driver_force:{crank}"]
    run = chasles.simulate(s)
    np.testing.assert_allclose(run.joint(crank).v, 2, atol=1e-9)
    system = chasles.System(model)
    assert system.mobility == 1
    for q, v in zip(run.q, run.v):
        assert np.abs(system.constraint_error(q)).max() < 1e-8
        assert np.abs(system.constraint_matrix(q) @ v).max() < 1e-8
    with pytest.raises(chasles.Error):
        s.drive_joint("nothing", 1)
    with pytest.raises(TypeError, match="give a number"):
        s.drive_joint(crank, "fast")


def test_system_with_loops():
    """Constrained accelerations from numpy's KKT solution; efforts of a motor by d'Alembert."""
    model = chasles.load("examples/four_bar.yaml")
    system = chasles.System(model)
    q, _ = system.start()
    B = system.constraint_matrix(q)
    U, S, Vt = np.linalg.svd(B)
    rank = int((S > 1e-9).sum())
    N = Vt[rank:].T
    assert N.shape[1] == system.mobility == 1 and system.constraint_count == B.shape[0]
    tau = np.linspace(-1, 1, model.nv)
    v = np.zeros(model.nv)
    M, h = chasles.mass_matrix(model, q), chasles.bias(model, q, v)
    expected = N @ np.linalg.solve(N.T @ M @ N, N.T @ (tau - h))
    a, multipliers = system.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(a, expected, atol=1e-8)
    np.testing.assert_allclose(M @ a + h + B.T @ multipliers, tau, atol=1e-8)
    effort, _ = system.inverse_dynamics(q, v, a, [model.joints[0].name])
    np.testing.assert_allclose(effort * N[0], N.T @ (M @ a + h), atol=1e-8)
    moved, velocity = system.project(q + 0.01, v + 0.1)
    assert np.abs(system.constraint_error(moved)).max() < 1e-9
    assert np.abs(system.constraint_matrix(moved) @ velocity).max() < 1e-9
    with pytest.raises(KeyError):
        system.inverse_dynamics(q, v, a, ["nothing"])
    with pytest.raises(chasles.SizeError, match=r"forward_dynamics\(\): tau"):
        system.forward_dynamics(q, v, tau[1:])


def test_linearization_equilibrium_and_modes(pendulum):
    s = scenario(pendulum)
    s.add_force(chasles.joint_spring_damper(pendulum, "swing", 1.0, 0.4, [0.5]))
    system = chasles.System(s)
    q = system.find_equilibrium([0.1])
    assert abs(g * np.sin(q[0]) - (0.5 - q[0])) < 1e-10  # m g l = 9.81 N m, stiffness 1
    m = 2 * 0.25
    stiffness = g * np.cos(q[0]) + 1
    linear = system.linearize(q, [0])
    np.testing.assert_allclose(linear.A, [[0, 1], [-stiffness / m, -0.4 / m]], atol=1e-9)
    np.testing.assert_allclose(linear.B, [[0], [1 / m]], atol=1e-12)
    (mode,) = system.modes(q)
    assert abs(mode.frequency - np.sqrt(stiffness / m)) < 1e-9
    np.testing.assert_allclose(sorted(linear.eigenvalues(), key=lambda z: z.imag),
                               sorted(np.linalg.eigvals(linear.A), key=lambda z: z.imag), atol=1e-10)
    h = 0.01
    step = linear.discretize(h)
    w, V = np.linalg.eig(linear.A)
    np.testing.assert_allclose(step.A, (V @ np.diag(np.exp(h * w)) @ np.linalg.inv(V)).real, atol=1e-12)
    np.testing.assert_allclose(system.acceleration(q + 1e-6, [0])[0], -stiffness / m * 1e-6, rtol=1e-5)


def test_inverse_kinematics(arm):
    q = np.array([0.3, -0.5, 0.4, 0.2, 0.6, -0.3])
    target = chasles.pose(arm, q, "link6")
    found = chasles.inverse_kinematics(arm, "link6", target)
    assert found.success and repr(found).startswith("<chasles.IkResult: solved")
    np.testing.assert_allclose(chasles.pose(arm, found.q, "link6"), target, atol=1e-8)
    near = chasles.inverse_kinematics(arm, arm.frame("link6"), target, q0=q + 0.01)
    np.testing.assert_allclose(near.q, q, atol=1e-7)
    far = chasles.inverse_kinematics(arm, "link6", chasles.lie.pose([9, 0, 0]), starts=2)
    assert not far.success and far.position_error > 1
    with pytest.raises(ValueError, match="target is not a rigid motion"):
        chasles.inverse_kinematics(arm, "link6", np.zeros((4, 4)))
    with pytest.raises(chasles.SizeError, match="q0"):
        chasles.inverse_kinematics(arm, "link6", target, q0=[1])


def test_integrator(pendulum):
    system = chasles.System(pendulum)
    integrator = chasles.Integrator(system, "mk4", step=1e-3)
    integrator.reset([1e-4], [0])
    del system
    t, q, v = integrator.advance(0.5)
    assert t == 0.5 and integrator.steps == 500
    assert abs(q[0] - 1e-4 * np.cos(np.sqrt(g / 0.5) * 0.5)) < 1e-12
    assert integrator.step(0.6)[0] == pytest.approx(0.501)
    with pytest.raises(chasles.Error, match="did you mean 'dop853'"):
        chasles.Integrator(chasles.System(pendulum), "dop835")
    assert "dop853" in chasles.methods()


def test_times_that_cannot_be_reached(pendulum):
    integrator = chasles.Integrator(chasles.System(pendulum), "mk4", step=1e-2)
    with pytest.raises(chasles.Error):
        integrator.step(1)  # before reset
    integrator.reset([0.1], [0.0])
    integrator.advance(0.1)
    simulation = chasles.Simulation(scenario(pendulum))
    for until in (float("nan"), float("inf"), -float("inf")):
        for step in (integrator.advance, integrator.step, simulation.step):
            with pytest.raises(ValueError, match="until is"):
                step(until)
    with pytest.raises(ValueError, match="where the integrator is"):
        integrator.advance(0.05)
    with pytest.raises(chasles.Error):
        simulation.step(0.0)
    for step in (0, -1, float("nan")):
        with pytest.raises(chasles.Error):
            chasles.Integrator(chasles.System(pendulum), "mk4", step=step)


def test_differentiable_step(arm):
    """Derivatives of a step by central differences."""
    step = chasles.DifferentiableStep(chasles.System(arm), "mk2")
    rng = np.random.default_rng(1)
    q, v, u = rng.uniform(-1, 1, (3, 6))
    h = 0.01
    _, _, dx, du = step(h, u, q, v)
    d = 1e-6

    def end(e, dv, w):
        q1, v1, _, _ = step(h, w, chasles.plus(arm, q, e), v + dv)
        return np.concatenate([q1, v1])

    zero = np.zeros(6)
    for k, e in enumerate(d * np.eye(6)):
        np.testing.assert_allclose((end(e, zero, u) - end(-e, zero, u)) / (2 * d), dx[:, k], atol=1e-7)
        np.testing.assert_allclose((end(zero, e, u) - end(zero, -e, u)) / (2 * d), dx[:, 6 + k], atol=1e-7)
        np.testing.assert_allclose((end(zero, zero, u + e) - end(zero, zero, u - e)) / (2 * d), du[:, k], atol=1e-7)


def test_evaluate(arm):
    q, v, a = np.linspace(-1, 1, 6), np.linspace(0, 1, 6), np.linspace(1, 2, 6)
    values = chasles.evaluate(arm, ["energy", "pose:link6", "inverse_dynamics", "jacobian:link6:body"], q, v, a)
    assert values["energy"] == pytest.approx(chasles.kinetic_energy(arm, q, v) + chasles.potential_energy(arm, q)
                                             + 0.5 * sum(j.armature * x * x for j, x in zip(arm.joints, v)), rel=1e-13)
    np.testing.assert_allclose(values["pose:link6"], chasles.pose(arm, q, "link6"), atol=1e-14)
    np.testing.assert_allclose(values["inverse_dynamics"], chasles.inverse_dynamics(arm, q, v, a), atol=1e-12)
    np.testing.assert_allclose(values["jacobian:link6:body"], chasles.jacobian(arm, q, "link6", "body"), atol=1e-13)
    assert "energy" in chasles.quantities()
    with pytest.raises(chasles.Error, match="did you mean 'energy'"):
        chasles.evaluate(arm, ["enrgy"], q)


@pytest.mark.parametrize("file", ["tumble", "puma560_hold", "closed/four_bar"])
def test_scenario_files(file):
    import pathlib

    path = pathlib.Path(f"examples/scenarios/{file}.yaml")
    if not path.exists():
        path = sorted(pathlib.Path("examples/scenarios/closed").glob("*.yaml"))[0]
    s = chasles.load_scenario(path, ["duration=0.2"])
    assert s.duration == 0.2 and str(s.model.name) in repr(s)
    run = chasles.simulate(s)
    assert run.t[-1] == pytest.approx(s.start[0] + 0.2)
    twin = pickle.loads(pickle.dumps(run))
    assert twin == run and copy.deepcopy(run) == run and twin.summary == run.summary
    page = run.show()
    assert "<html" in page.text and "iframe" in page._repr_html_() and run._repr_html_()
    with pytest.raises(RuntimeError):
        twin.show()
    with pytest.raises(chasles.FileError):
        chasles.load_scenario("examples/none.yaml")


def test_state(pendulum):
    state = chasles.State.of(pendulum, [0.3])
    state["swing"].v[0] = 2
    assert state.v[0] == 2 and state == pickle.loads(pickle.dumps(state)) != chasles.State.of(pendulum)
    with pytest.raises(KeyError):
        state["sway"]
    with pytest.raises(chasles.SizeError):
        chasles.State.of(pendulum, [1, 2])
    assert "swing" in state and "sway" not in state and list(state) == ["swing"]
    with pytest.raises(TypeError, match="give a Model"):
        chasles.State.of(3)
    for wrong, error in ((None, TypeError), (1j, TypeError), (np.ma.masked_array([0.1], [True]), TypeError), ("1", TypeError), ([True], TypeError),
                         ([1, 2], ValueError), ([[1]], ValueError), ([], ValueError)):
        for set_it in (lambda: setattr(state, "q", wrong), lambda: setattr(state, "v", wrong),
                       lambda: setattr(state["swing"], "q", wrong), lambda: setattr(state["swing"], "v", wrong)):
            with pytest.raises(error):
                set_it()
        if wrong is not None:
            with pytest.raises(error):
                chasles.State.of(pendulum, wrong)
    assert (state.q, state.v) == (0.3, 2)
    entry, given = state["swing"], np.array([0.5])
    state.q = given  # its numbers: neither this array, nor another one
    given[0] = 9
    assert entry.q == state.q == 0.5
    for twin in (copy.copy(state), copy.deepcopy(state), state.copy()):
        twin.q = [7.0]
        assert state.q == 0.5 and twin != state
    ball = chasles.MechanismBuilder("ball").body("b", "ground", chasles.joints.spherical()).inertia(1, [0, 0, 0], np.eye(3)).build().compile()
    with pytest.raises(chasles.SizeError, match=r"\(\); it needs \(4,\)"):
        chasles.State.of(ball)["b"].q = 0.3  # no quaternion


def test_show(arm, tmp_path):
    page = chasles.show(arm)
    page.save(tmp_path / "arm.html")
    assert (tmp_path / "arm.html").read_text() == page.text and "puma560" in page.text


def test_pages_and_tables(arm):
    table = arm._repr_html_()
    assert table.startswith("<table>") and all(f"<td>{joint.name}</td>" in table for joint in arm.joints)
    strange = chasles.from_text(arm.mechanism.to_yaml().replace("puma560", '"a<b>&c"'))
    assert "a&lt;b&gt;&amp;c" in strange._repr_html_() and "<b>" not in strange._repr_html_()
    page = arm.show(np.full(6, 0.1))
    assert page.text != arm.show().text and "&quot;" in page._repr_html_() and repr(page).startswith("<chasles.Page")
    with pytest.raises(chasles.SizeError, match=r"show\(\): q"):
        arm.show([1, 2])


class Frame:
    """What to_pandas needs of pandas: to test it where pandas is not installed."""

    def __init__(self, columns, index):
        assert all(len(x) == len(index.x) for x in columns.values())
        self.columns, self.index, self.data = list(columns), index, columns

    def __getitem__(self, name):
        return self.data[name]


class Index:
    def __init__(self, x, name):
        self.x, self.name = x, name


def test_pandas(arm, monkeypatch):
    try:
        import pandas  # noqa: F401
    except ImportError:
        import sys
        import types

        monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=Frame, Index=Index))
    model = chasles.load("examples/quadruped.yaml")
    s = chasles.Scenario(model, duration=0.01)
    s.quantities, s.every = ["energy", "twist:%s:hybrid" % model.bodies[0].name], 0.005
    run = chasles.simulate(s)
    table = run.to_pandas()
    base = model.joints[0].name
    assert table.index.name == "t" and len(table.columns) == model.nq + model.nv + 1 + 6
    np.testing.assert_array_equal(table[f"q:{base}[3]"], run.q[:, 3])
    np.testing.assert_array_equal(table["energy"], run["energy"].ravel())
    np.testing.assert_array_equal(table[f"twist:{model.bodies[0].name}:hybrid[2]"], run[s.quantities[1]][:, 2])
