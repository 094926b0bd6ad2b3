"""Elements of runs: signals, tables, tendons, actuators, stops, sensors, constraints, events, recorded files: against closed
forms and functions of Python."""
from __future__ import annotations

import numpy as np
import pytest

import chasles

joints = chasles.joints
g = 9.81


def close(a, b, tolerance):
    np.testing.assert_allclose(a, b, atol=tolerance * (1 + np.abs(b).max(initial=0)), rtol=0)


@pytest.fixture(scope="module")
def pendulum() -> chasles.Model:
    """A point mass of 2 kg, 0.5 m below the axis y."""
    return (chasles.MechanismBuilder("pendulum").body("bob", "ground", joints.revolute([0, 1, 0])).joint_name("swing").limits(-1, 1)
            .inertia(2, [0, 0, -0.5], np.zeros((3, 3))).build().compile())


@pytest.fixture(scope="module")
def cart() -> chasles.Model:
    """2 kg on a rail along x."""
    return (chasles.MechanismBuilder("cart").gravity([0, 0, 0]).body("cart", "ground", joints.prismatic([1, 0, 0])).joint_name("rail")
            .inertia(2, [0, 0, 0], np.eye(3)).build().compile())


def force_at(model, force, q, v) -> float:
    """Of a model with one joint: from its acceleration with and without the force."""
    accelerations = []
    for forces in ([], [force]):
        s = chasles.Scenario(model, q, v)
        for f in forces:
            s.add_force(f)
        accelerations.append(chasles.System(s).acceleration(q, v)[0])
    return (accelerations[1] - accelerations[0]) * chasles.mass_matrix(model, q)[0, 0]


def run_of(model, *forces, q=0.0, v=0.0, duration=1.0) -> chasles.Trajectory:
    s = chasles.Scenario(model, [q], [v], duration)
    s.method, s.tolerance = "dop853", 1e-11
    for force in forces:
        s.add_force(force)
    return chasles.simulate(s)


def test_signals(cart):
    wave = chasles.signals.sinusoid(3.0, 0.5, 0.1, 1.0)
    assert wave(0.3) == pytest.approx(1 + 3 * np.sin(np.pi * 0.3 + 0.1)) and wave.next_break(0) == np.inf
    ramp = chasles.signals.table([0, 1, 1, 2], [0, 2, 5, 5])
    assert [ramp(t) for t in (-1, 0.5, 1.0, 3)] == [0, 1, 5, 5] and ramp.next_break(0.5) == 1
    kick = chasles.signals.function(lambda t: 4.0 if 0.31 <= t < 0.32 else 0.0, [0.32, 0.31])
    assert [kick.next_break(t) for t in (0, 0.31, 0.4)] == [0.31, 0.32, np.inf]
    close(run_of(cart, chasles.joint_torque(cart, "rail", kick)).v[-1, 0], 4 * 0.01 / 2, 1e-10)
    close(run_of(cart, chasles.body_wrench(cart, "cart", [0, 0, 0, kick, 0, 0])).v[-1, 0], 4 * 0.01 / 2, 1e-10)
    for wrong, error in ((lambda: chasles.signals.table([1, 0], [0, 0]), chasles.Error), (lambda: chasles.signals.function(3), None),
                         (lambda: chasles.signals.function("x"), TypeError)):
        if error:
            with pytest.raises(error):
                wrong()
    step = chasles.references.smooth_step(1, 3, 2, 4)
    assert step(4.0) == (2.0, pytest.approx(15 / 8 * 2 / 4), pytest.approx(0)) and step(0)[0] == 1 and step(9)[0] == 3
    waves = chasles.references.harmonics(0.5, 1.0, [0.2], [0, 0.3])
    assert waves(0.7)[0] == pytest.approx(1 + 0.2 * np.cos(np.pi * 0.7) + 0.3 * np.sin(2 * np.pi * 0.7))


def test_joint_forces(pendulum):
    q, v = [0.3], [-0.7]
    for force, expected in (
            (chasles.pd_hold(pendulum, "swing", 5, 2, lambda t: 0.1), -5 * (0.3 - 0.1) + 2 * 0.7),
            (chasles.pd_hold(pendulum, "swing", 5, 2, [0.1]), -5 * (0.3 - 0.1) + 2 * 0.7),
            (chasles.joint_spring_table(pendulum, "swing", [-1, 0, 1], [4, 0, -2], 0.5), -0.6 + 0.35),
            (chasles.point_expression(pendulum, "bob", [0, 0, -0.5], "ground", [0, 0, -1.0], "k*(d - 0.2)", {"k": 3}), None)):
        if expected is None:  # the lever arm of a tension to a point on the axis z
            bob = 0.5 * np.array([-np.sin(0.3), -np.cos(0.3)])
            way = np.array([0.0, -1.0]) - bob
            d = np.hypot(*way)
            pull = 3 * (d - 0.2) * way / d
            expected = bob[1] * pull[0] - bob[0] * pull[1]
        close(force_at(pendulum, force, q, v), expected, 1e-10)
    stop, = chasles.soft_stops(pendulum, [0.0], stiffness=100, damping=0)
    close(force_at(pendulum, stop, [1.1], [0.0]), -10, 1e-9)
    assert chasles.joint_dynamics(pendulum) == []
    for wrong in (lambda: chasles.pd_hold(pendulum, "swng", 1, 1, 0), lambda: chasles.joint_spring_table(pendulum, "swng", [0, 1], [0, 1]),
                  lambda: chasles.tendon_force(pendulum, "rope"), lambda: chasles.actuator_force(pendulum, "motor", 1)):
        with pytest.raises(KeyError):
            wrong()
    with pytest.raises(TypeError, match="target"):
        chasles.pd_hold(pendulum, "swing", 1, 1, "up")


MJCF = """<mujoco model="muscle"><compiler angle="radian"/><worldbody><body name="a"><joint name="j" type="hinge" axis="0 1 0"/>
  <inertial pos="0 0 -0.5" mass="2" diaginertia="0.01 0.01 0.01"/></body></worldbody>
  <tendon><fixed name="rope" stiffness="10" damping="3" springlength="0.1"><joint joint="j" coef="0.5"/></fixed></tendon>
  <actuator><motor name="m" joint="j" gear="2" ctrllimited="true" ctrlrange="-1 1"/><position name="p" joint="j" kp="7"/></actuator></mujoco>"""


def test_tendons_and_actuators():
    model = chasles.from_text(MJCF)
    assert model.mechanism.tendons == ["rope"] and set(model.mechanism.actuators) == {"m", "p"} and model.mechanism.keyframes == []
    q, v = [0.4], [0.2]
    rope = force_at(model, chasles.tendon_force(model, "rope"), q, v)
    close(rope, -0.5 * (10 * (0.5 * 0.4 - 0.1) + 3 * 0.5 * 0.2), 1e-10)
    (described,) = chasles.joint_dynamics(model)
    close(force_at(model, described, q, v), rope, 1e-12)
    close(force_at(model, chasles.actuator_force(model, "m", lambda t: 0.8), q, v), 2 * 0.8, 1e-10)
    close(force_at(model, chasles.actuator_force(model, "m", 3), q, v), 2 * 1, 1e-10)
    close(force_at(model, chasles.actuator_force(model, "p", 1.0), q, v), 7 * (1 - 0.4), 1e-10)
    with pytest.raises(KeyError, match="rope"):
        chasles.tendon_stop(model, "rop", 1.0)
    with pytest.raises(chasles.Error):
        chasles.tendon_stop(model, "rope", 1.0)  # it has no range
    with pytest.raises(TypeError, match="control"):
        chasles.actuator_force(model, "m", None)


def test_sampled_controllers_with_sensors(cart):
    def gains(stiffness, damping, **options):
        return chasles.pd_control(cart, ["rail"], [1.0], [stiffness], [damping]).sampled(0.01, **options)

    loop = chasles.sampled_loop(gains(100.0, 40.0), [0.0])
    T, P, D, L = 0.01, 100.0, 40.0, 0.5
    roots = np.roots([1, T * T * P * L / 2 + T * D * L - 2, T * T * P * L / 2 - T * D * L + 1])
    assert loop.radius == pytest.approx(max(abs(roots)), rel=1e-12) and loop.joint == "rail" and not loop.unstable
    assert chasles.sampled_loop(gains(100.0, 500.0), [0.0]).unstable and chasles.sampled_loop(gains(100.0, 500.0), [0.0]).radius > 1
    unknown = chasles.controller("mine", cart, lambda t, q, v, tau: None, period=0.01)
    assert unknown.is_controller and chasles.sampled_loop(unknown, [0.0]) is None
    exact, limited = run_of(cart, gains(100.0, 40.0)), run_of(cart, gains(100.0, 40.0, max_effort=[1.0]))
    assert np.abs(np.diff(limited.v[:, 0])).max() <= 1.0 / 2 * 0.005 + 1e-9 < np.abs(np.diff(exact.v[:, 0])).max()
    noisy = [run_of(cart, gains(100.0, 40.0, sensors=chasles.Sensors([0.01], seed=seed))).q[-1, 0] for seed in (1, 1, 2)]
    assert noisy[0] == noisy[1] != noisy[2] and 0 < abs(noisy[0] - exact.q[-1, 0]) < 0.05
    late = run_of(cart, gains(100.0, 40.0, delay=0.02))
    assert late.v[late.t <= 0.02, 0].max() == 0 < exact.v[exact.t <= 0.02, 0].max()
    with pytest.raises(chasles.Error, match="is not a controller"):
        chasles.joint_torque(cart, "rail", 1.0).sampled(0.1)


def test_points_on_curves_and_planes():
    """A free ball on a plane, a line, a rod and a circle: each keeps its equation during a run."""
    model = (chasles.MechanismBuilder("ball").body("ball", "ground", joints.floating()).inertia(1, [0, 0, 0], 0.1 * np.eye(3)).build().compile())
    q = model.neutral()
    q[4:] = [0.3, 0, 0]
    circle = chasles.SpaceCurve.expressions("0.3*cos(s)", "0.3*sin(s)", "0", 0, 2 * np.pi, closed=True)
    assert circle.closed and circle.nearest([1, 1, 0]) == pytest.approx(np.pi / 4)
    close(circle(0.5)[0], [0.3 * np.cos(0.5), 0.3 * np.sin(0.5), 0], 1e-14)
    close(circle(0.5)[1], [-0.3 * np.sin(0.5), 0.3 * np.cos(0.5), 0], 1e-14)
    wire = chasles.SpaceCurve.through([[0.3, 0, 0], [0.3, 0.5, 0.1], [0.3, 1, 0]])
    on = (chasles.point_on_plane(model, "plane", "ball", [0, 0, 0]), lambda r: r[2])
    line = (chasles.point_on_line(model, "line", "ball", [0, 0, 0], "ground", [0.3, 0, 0], [0, 1, 0]), lambda r: np.hypot(r[0] - 0.3, r[2]))
    rod = (chasles.distance_constraint(model, "rod", "ball", [0, 0, 0], "ground", [0, 0, 0], 0.3), lambda r: np.linalg.norm(r) - 0.3)
    cable = (chasles.cable_constraint(model, "cable", [("ground", (0, 0, 0)), ("ball", (0, 0, 0))], 0.3), lambda r: np.linalg.norm(r) - 0.3)
    ring = (chasles.point_on_curve(model, "ring", "ball", [0, 0, 0], "ground", [0, 0, 0], circle), lambda r: np.hypot(np.hypot(r[0], r[1]) - 0.3, r[2]))
    slot = (chasles.point_on_curve(model, "slot", "ball", [0, 0, 0], "ground", [0, 0, 0], circle, flat=True), lambda r: np.hypot(r[0], r[1]) - 0.3)
    bead = (chasles.point_on_curve(model, "bead", "ball", [0, 0, 0], "ground", [0, 0, 0], wire), lambda r: np.linalg.norm(wire(wire.nearest(r))[0] - r))
    mine = (chasles.constraint(model, "mine", 1, lambda q: [q[6]], lambda q: np.r_[0, 0, 0, chasles.lie.rotation_from_quaternion(q[:4])[2]][None],
                               lambda q, v: [0.0]), lambda r: r[2])
    for constraint, error in (on, line, rod, cable, ring, slot, bead, mine):
        s = chasles.Scenario(model, q, [0, 0, 0, 0, 0.4, 0], 0.5)
        s.add_constraint(constraint)
        assert chasles.System(s).constraint_count == constraint.constraint_count
        run = chasles.simulate(s)
        assert max(abs(error(r)) for r in run.q[:, 4:]) < 1e-8, constraint.name
        assert constraint.name in repr(constraint)
        assert np.abs(run.q[-1, 4:] - q[4:]).max() > 0.05  # it moves
    mine_run, plane_run = [], []
    for runs, constraint in ((mine_run, mine[0]), (plane_run, on[0])):
        s = chasles.Scenario(model, q, [0, 0, 0, 0, 0.4, 0], 0.5)
        s.add_constraint(constraint)
        runs.append(chasles.simulate(s).q[-1])
    close(mine_run[0], plane_run[0], 1e-8)


def test_rolling():
    """A ball that rolls down a plane has 5/7 of the acceleration of a sliding one."""
    slope = 0.2
    model = (chasles.MechanismBuilder("ball").gravity([g * np.sin(slope), 0, -g * np.cos(slope)]).body("ball", "ground", joints.floating())
             .inertia(1, [0, 0, 0], 0.4 * 0.1**2 * np.eye(3)).build().compile())
    q = model.neutral()
    q[6] = 0.1
    s = chasles.Scenario(model, q, duration=1.0)
    for constraint in chasles.rolling_constraint(model, "roll", "ball", [0, 0, 0], 0.1):
        s.add_constraint(constraint)
    close(chasles.simulate(s).q[-1, 4], 5 / 7 * g * np.sin(slope) / 2, 1e-6)
    assert [c.constraint_count for c in chasles.rolling_constraint(model, "roll", "ball", [0, 0, 0], 0.1)] == [2, 1]


def test_limits_are_in_the_summary(pendulum):
    s = chasles.Scenario(pendulum, [0.9], [3.0])
    violations = chasles.simulate(s).summary.violations
    assert len(violations) == 1 and "joint 'swing': position" in violations[0] and "beyond 1 rad" in violations[0]
    assert chasles.simulate(chasles.Scenario(pendulum)).summary.violations == []
    assert chasles.driven_joints(pendulum) == ["swing"]
    with pytest.raises(chasles.Error, match="swing"):
        chasles.effort_limits(pendulum, ["swing"])
    strong = (chasles.MechanismBuilder("motor").body("rotor", "ground", joints.revolute([0, 0, 1])).velocity_effort_limits(3.0, 20.0)
              .inertia(1, [0, 0, 0], np.eye(3)).build().compile())
    assert chasles.effort_limits(strong, ["rotor"]) == [20.0]
    with pytest.raises(KeyError, match="rotor"):
        chasles.effort_limits(strong, ["rotr"])


def test_mistakes_of_constraints(pendulum, cart):
    with pytest.raises(KeyError, match="bob"):
        chasles.point_on_plane(pendulum, "x", "bib", [0, 0, 0])
    with pytest.raises(chasles.SizeError, match="point"):
        chasles.point_on_plane(pendulum, "x", "bob", [0, 0])
    with pytest.raises(chasles.Error, match="rod"):
        chasles.distance_constraint(pendulum, "rod", "bob", [0, 0, 0], "ground", [0, 0, 1], -1.0)
    with pytest.raises(chasles.ForeignError):
        chasles.Scenario(cart).add_constraint(chasles.point_on_plane(pendulum, "x", "bob", [0, 0, 0]))
    with pytest.raises(TypeError, match="needs functions"):
        chasles.constraint(pendulum, "x", 1, 3, 4, 5)
    with pytest.raises(ValueError, match="at least one"):
        chasles.constraint(pendulum, "x", 0, *[lambda *a: [0]] * 3)
    for functions, error, text in (([lambda q: 1 / 0, lambda q: [[1.0]], lambda q, v: [0.0]], ZeroDivisionError, "division"),
                                   ([lambda q: [0.0], lambda q: [1.0], lambda q, v: [0.0]], chasles.SizeError, "constraint 'x': matrix"),
                                   ([lambda q: [0.0, 1.0], lambda q: [[1.0]], lambda q, v: [0.0]], chasles.SizeError, "constraint 'x': error")):
        s = chasles.Scenario(pendulum)
        s.add_constraint(chasles.constraint(pendulum, "x", 1, *functions))
        with pytest.raises(error, match=text):
            chasles.simulate(s)


def test_events_that_change_velocities(pendulum, cart):
    s = chasles.Scenario(cart, [0.0], [1.0], 2.0)
    s.add_velocity_event("wall", lambda t, q, v: q[0] - 0.5, {"rail": -0.25}, 1)
    run = chasles.simulate(s)
    close(run.q[-1, 0], 0.5 - 0.25 * 1.5, 1e-9)
    assert run.summary.events == [("wall", pytest.approx(0.5))]
    s = chasles.Scenario(cart, [0.0], [1.0], 2.0)
    s.add_impact("stop", "rail", 0.5, 1, 0.6)
    close(chasles.simulate(s).q[-1, 0], 0.5 - 0.6 * 1.5, 1e-9)
    for wrong, error in ((lambda: s.add_impact("x", "rial", 0, 1, 0.5), KeyError), (lambda: s.add_impact("x", "rail", 0, 1, 2.0), chasles.Error),
                         (lambda: s.add_velocity_event("x", lambda t, q, v: 1.0, {"rial": 0}), KeyError),
                         (lambda: s.drive_joint("rial", 1), KeyError)):
        with pytest.raises(error):
            wrong()
    s = chasles.Scenario(cart)
    s.add_event("array", lambda t, q, v: np.zeros(3))
    with pytest.raises(TypeError, match="the result of event 'array' is a .*; give a number"):
        chasles.simulate(s)
    s = chasles.Scenario(pendulum, [0.9], [3.0])
    s.limits, s.restitution, s.rest_velocity = "rigid", 0.5, 1e-4
    assert chasles.simulate(s).q.max() <= 1 + 1e-9
    s.limits, s.stop_time, s.stop_ratio = "soft", 0.05, 0.7
    assert (s.stop_time, s.stop_ratio, s.restitution, s.rest_velocity, s.mimic) == (0.05, 0.7, 0.5, 1e-4, True)
    assert 1 < chasles.simulate(s).q.max() < 1.3


def test_recorded_files(pendulum, tmp_path):
    s = chasles.Scenario(pendulum, [0.5], duration=1.0)
    s.quantities, s.every = ["energy"], 0.1
    for name in ("run.csv", "run.json"):
        path = tmp_path / name
        run = chasles.simulate(s, path)
        columns = chasles.read_run(path)
        np.testing.assert_array_equal(columns["t"], run.t)
        np.testing.assert_array_equal(columns["q:swing"], run.q[:, 0])
        np.testing.assert_array_equal(columns["energy"], run["energy"])
        assert list(chasles.read_run(path, ["energy"])) == ["t", "energy"]
        t, q, v = chasles.read_recorded_state(path, pendulum)
        assert t == 1 and q[0] == run.q[-1, 0] and v[0] == run.v[-1, 0]
        assert chasles.read_recorded_state(path, pendulum, 0.5)[1][0] == run.q[5, 0]
    svg = chasles.plot_svg(tmp_path / "run.csv", ["q", "energy"], title="swing")
    assert svg.startswith("<svg") and "swing" in svg and "energy" in svg
    with pytest.raises(ValueError, match="did you mean 'energy'"):
        chasles.read_run(tmp_path / "run.csv", ["enrgy"])
    with pytest.raises(ValueError, match="nothing.csv"):
        chasles.read_run(tmp_path / "nothing.csv")
    with pytest.raises(ValueError, match="run.txt"):
        chasles.simulate(s, tmp_path / "run.txt")
    (tmp_path / "states.json").write_text('{"states": [{"q": [0.1], "v": [2]}, {"q": {"swing": 0.3}}]}')
    states = chasles.read_states(tmp_path / "states.json", pendulum)
    assert [x["q"][0] for x in states] == [0.1, 0.3] and states[0]["v"][0] == 2 and states[1]["a"][0] == 0


def test_an_interrupted_run_goes_on(pendulum, tmp_path):
    """A run that fails after half of its time; the file of the second part has all samples of both."""
    def made(fails):
        s = chasles.Scenario(pendulum, [0.5], duration=1.0)
        s.every, s.method, s.step = 0.1, "mk4", 0.01
        s.add_force(chasles.Force("mine", pendulum, lambda t, q, v, tau: 1 / 0 if fails and t > 0.55 else None))
        return s

    whole = chasles.simulate(made(False))
    path = tmp_path / "run.csv"
    with pytest.raises(ZeroDivisionError):
        chasles.simulate(made(True), path)
    again = made(False)
    assert again.go_on(path) and again.start[0] == pytest.approx(0.55)
    rest = chasles.simulate(again)
    np.testing.assert_array_equal(rest.q[-1], whole.q[-1])
    complete = made(False)
    chasles.simulate(complete, tmp_path / "whole.csv")
    with pytest.raises(ValueError, match="whole.csv"):
        complete.go_on(tmp_path / "whole.csv")


def test_numbers_of_scenarios():
    text = "forces: [{type: joint_spring_damper, joint: hinge, stiffness: 3}]  # soft\n"
    assert chasles.scenario_numbers(text) == {"forces.0.stiffness": 3.0}
    assert chasles.with_number(text, "forces.0.stiffness", 5) == text.replace("3", "5")
    with pytest.raises(ValueError, match="stiffnes"):
        chasles.with_number(text, "forces.0.stiffnes", 5)


def test_closed_mechanism_under_load():
    """Second derivatives along a direction are differences of the first ones; inverse and inertia of operational space."""
    model = chasles.load("examples/four_bar.yaml")
    system = chasles.System(model)
    q, _ = system.start()
    N, _, _ = system.independent_velocities(q)
    v = 0.5 * N[:, 0]
    rng = np.random.default_rng(3)
    tau, dtau = rng.uniform(-1, 1, (2, 3))
    d = system.forward_derivatives_along(q, v, tau, np.zeros(3), np.zeros(3), dtau)
    h = 1e-4
    near = [system.forward_derivatives(q, v, tau + s * dtau) for s in (h, -h)]
    close(d.dq, (near[0].dq - near[1].dq) / (2 * h), 1e-6)
    close(d.a, (near[0].a - near[1].a) / (2 * h), 1e-7)
    J = system.jacobian(q, "coupler", "hybrid")
    M = N.T @ chasles.mass_matrix(model, q) @ N
    close(system.inverse_operational_space_inertia(q, "coupler", "hybrid"), J @ np.linalg.inv(M) @ J.T, 1e-9)
    turned = [system.jacobian(system.project(q + s * v, v)[0], "coupler", "hybrid") for s in (h, -h)]
    close(system.jacobian_rate(q, v, "coupler", "hybrid"), (turned[0] - turned[1]) / (2 * h), 1e-6)
    W = system.joint_reactions(q, v, "hybrid")
    assert W.shape == (len(model.joints), 6)
    for joint, row in zip(model.joints, W):  # revolute joints without motors transmit no torque about their axes
        axis = chasles.jacobian(model, q, joint.child, "hybrid")[:, joint.v_index]
        assert abs(row @ axis) < 1e-9


def test_feedback_by_an_observer():
    """An upright pendulum of which only the angle is measured: the estimate settles and holds it; without L it falls."""
    model = (chasles.MechanismBuilder("inverted").body("rod", "ground", joints.revolute([0, 1, 0])).joint_name("hinge")
             .inertia(1, [0, 0, 0.5], np.zeros((3, 3))).build().compile())
    h = 0.01
    plant = chasles.System(model).linearize([0.0], [0.0]).discretize(h)
    K = chasles.sampled_lqr(plant.A, plant.B, np.eye(2), np.eye(1)).K
    C = np.array([[1.0, 0.0]])
    L = chasles.sampled_kalman_filter(plant.A, C, np.eye(2), np.eye(1)).K
    ends = []
    for gain in (L, 0 * L):
        observer = chasles.Observer(["hinge"], [], plant.A, plant.B, C, gain, h)
        ends.append(abs(run_of(model, chasles.state_feedback(model, ["hinge"], ["hinge"], K, [0.0], observer=observer), q=0.02, duration=3.0).q[-1, 0]))
    assert ends[0] < 5e-3 < 0.5 < ends[1]
    assert model.joint_of_v(0).name == "hinge" and not model.floats and model.couplings == model.constraints == []
    with pytest.raises(IndexError, match="entries 0 to 0"):
        model.joint_of_v(1)
    with pytest.raises(chasles.Error, match="period"):
        chasles.state_feedback(model, ["hinge"], ["hinge"], K, [0.0], observer=chasles.Observer(["hinge"], [], plant.A, plant.B, C, L, 0.0))
