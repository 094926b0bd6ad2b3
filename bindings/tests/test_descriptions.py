"""Builders with loops, couplings, springs and all kinds of joints; mechanisms made from others; inertias; further maps of
rotations: against closed forms and numpy."""
from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from conftest import States

import chasles

joints = chasles.joints
rng = np.random.default_rng(31)
I3 = np.diag([0.02, 0.03, 0.04])


def close(a, b, tolerance):
    np.testing.assert_allclose(a, b, atol=tolerance * (1 + np.abs(b).max(initial=0)), rtol=0)


def test_loop():
    """A parallelogram by three bodies and a loop: opposite sides stay parallel."""
    y = [0, 1, 0]
    model = (chasles.MechanismBuilder("parallelogram")
             .body("crank", "ground", joints.revolute(y)).inertia(1, [0, 0, 0.5], I3)
             .body("coupler", "crank", joints.revolute(y, [0, 0, 1])).inertia(1, [1, 0, 1], I3)
             .body("rocker", "ground", joints.revolute(y, [2, 0, 0])).inertia(1, [2, 0, 0.5], I3)
             .loop("closure", "coupler", "rocker", joints.revolute(y, [2, 0, 1])).build().compile())
    assert model.loops == ["closure"]
    system = chasles.System(model)
    assert system.mobility == 1
    q = system.assemble([0.3, 0, 0], kept=["crank"])
    close(q, [0.3, -0.3, 0.3], 1e-9)
    v = system.consistent_velocity(q, [1.0, 0, 0], kept=["crank"])
    close(v, [1, -1, 1], 1e-9)
    determined = system.determined_reactions(q)
    assert len(determined) == 4 and all(isinstance(x, bool) for row in determined for x in row)
    assert all(row[3] and row[4] and not row[5] for row in determined)  # the forces in the plane, not the one out of it
    with pytest.raises(chasles.Error):
        system.assemble([0.3, 0.9, 0], kept=["crank", "coupler"])
    with pytest.raises(KeyError, match="crnk"):
        system.assemble(q, kept=["crnk"])


def test_coupling_and_spring():
    """A gear, q_2 = -3 q_1, and a spring: the frequency is that of the reflected inertia."""
    model = (chasles.MechanismBuilder("gear").gravity([0, 0, 0])
             .body("wheel", "ground", joints.revolute([0, 0, 1])).inertia(1, [0, 0, 0], np.diag([1, 1, 0.2])).spring(5.0, [0.1])
             .body("pinion", "ground", joints.revolute([0, 0, 1], [1, 0, 0])).inertia(1, [1, 0, 0], np.diag([1, 1, 0.03]))
             .coupling("teeth", {"wheel": 3, "pinion": 1}).build().compile())
    system = chasles.System(chasles.Scenario(model))
    q = system.find_equilibrium([0.0, 0.0])
    close(q, [0.1, -0.3], 1e-9)
    (mode,) = system.modes(q)
    assert mode.frequency == pytest.approx(np.sqrt(5.0 / (0.2 + 9 * 0.03)), rel=1e-9)


def test_joints():
    def pose(joint, q):
        return chasles.pose((chasles.MechanismBuilder("one").body("b", "ground", joint).inertia(1, [0, 0, 0], I3).build().compile()), q, "b")

    X = chasles.lie.screw([0, 0, 1], [1, 0, 0], 0.2)
    Y = chasles.lie.screw([1, 0, 0], [0, 0.5, 0])
    close(pose(joints.of_screw(X), [0.7]), chasles.lie.exp(0.7 * X), 1e-14)
    close(pose(joints.of_screw(X), [0.7]), pose(joints.helical([0, 0, 1], [1, 0, 0], 0.2), [0.7]), 1e-14)
    close(pose(joints.custom([X, Y]), [0.7, -0.4]), chasles.lie.exp(0.7 * X) @ chasles.lie.exp(-0.4 * Y), 1e-14)
    close(pose(joints.custom([X, Y], "sum"), [0.7, -0.4]), chasles.lie.exp(0.7 * X - 0.4 * Y), 1e-14)
    slide = chasles.lie.screw([0, 1, 0], [0, 0, 0], np.inf)
    close(pose(joints.custom([slide]), [0.3])[:3, 3], [0, 0.3, 0], 1e-15)
    bent = pose(joints.constant_velocity([0, 0, 1], x=[1, 0, 0]), [0.3, 0.4])
    close(bent[:3, :3], chasles.lie.exp([0.3, 0.4, 0]), 1e-14)
    model = chasles.MechanismBuilder("free").body("b", "ground", joints.floating("so3xr3")).inertia(1, [0, 0, 0], I3).build().compile()
    q = np.array([np.cos(0.3), np.sin(0.3), 0, 0, 0, 0, 0])
    close(chasles.twist(model, q, [0, 0, 0, 1, 2, 3], "b", "hybrid")[3:], [1, 2, 3], 1e-14)  # in world axes
    assert {"revolute", "helical", "spherical", "custom"} <= set(joints.types())
    for wrong in (lambda: joints.floating("se2"), lambda: joints.custom([X], "product of"), lambda: joints.of("revolut", [0, 0, 1])):
        with pytest.raises(KeyError):
            wrong()
    with pytest.raises(chasles.Error, match="unit screw"):
        joints.of_screw([0, 0, 2, 0, 0, 0])
    with pytest.raises(chasles.SizeError, match="screws"):
        joints.custom(X)


def test_maximal_coordinates():
    """The same accelerations of the bodies in minimal and in maximal coordinates."""
    model = (chasles.MechanismBuilder("double").body("a", "ground", joints.revolute([0, 1, 0])).inertia(1, [0, 0, -0.5], I3)
             .body("b", "a", joints.revolute([0, 1, 0], [0, 0, -1])).inertia(2, [0, 0, -1.5], I3).build().compile())
    for group in ("se3", "so3xr3", "automatic"):
        free = chasles.to_maximal_coordinates(model.mechanism, group, {"b": "so3xr3"}).compile()
        assert free.nv == 12 and free.loops == ["a", "b"]
        a = chasles.forward_dynamics(model, [0.0, 0], [0.0, 0], [0.0, 0])
        system = chasles.System(free)
        A, _ = system.forward_dynamics(free.neutral(), np.zeros(12), np.zeros(12))
        for body in ("a", "b"):
            close(chasles.acceleration(free, free.neutral(), np.zeros(12), A, body, "hybrid"),
                  chasles.acceleration(model, [0.0, 0], [0.0, 0], a, body, "hybrid"), 1e-10)
        q, v = chasles.maximal_state(model, [0.4, -0.7], [1.0, 2.0], free)
        for body in ("a", "b"):
            close(chasles.pose(free, q, body), chasles.pose(model, [0.4, -0.7], body), 1e-13)
            close(chasles.twist(free, q, v, body, "body"), chasles.twist(model, [0.4, -0.7], [1.0, 2.0], body, "body"), 1e-13)
    with pytest.raises(KeyError, match="automatic"):
        chasles.to_maximal_coordinates(model.mechanism, "se2")


def test_descriptions_of_one_mechanism(arm):
    q = States(arm).q()
    for description in ("world", "body", "frames"):
        other = chasles.redescribe(arm.mechanism, description).compile()
        for body in arm.bodies:
            close(chasles.pose(other, q, body.name), chasles.pose(arm, q, body.name), 1e-12)
    with pytest.raises(KeyError, match="frames"):
        chasles.redescribe(arm.mechanism, "words")


def test_drives():
    """A drive with a spring: two vibrating inertias; without it one; and control of both."""
    mechanism = (chasles.MechanismBuilder("drive").gravity([0, 0, 0]).body("arm", "ground", joints.revolute([0, 1, 0])).joint_name("elbow")
                 .inertia(1, [0, 0, 0], np.diag([0.2, 0.3, 0.2])).build())
    drive = chasles.SeriesElasticDrive("elbow", 100.0, motor_inertia=1e-4, ratio=50)
    assert drive.reflected_inertia == pytest.approx(0.25) and drive.motor == "elbow_motor" and drive.stiffness == 100
    elastic = chasles.with_series_elastic_drives(mechanism, [drive]).compile()
    modes = chasles.System(chasles.Scenario(elastic)).modes(elastic.neutral())
    assert max(m.frequency for m in modes) == pytest.approx(np.sqrt(100 * (1 / 0.3 + 1 / 0.25)), rel=1e-9)
    rigid = chasles.with_rigid_drives(mechanism, [drive]).compile()
    close(chasles.mass_matrix(rigid, [0.0]), [[0.55]], 1e-12)
    path = chasles.references.smooth_step(0, 1, 0, 1)
    s = chasles.Scenario(elastic, duration=1.5)
    s.tolerance = 1e-10
    s.add_force(chasles.flatness_control(elastic, [drive], [lambda t: (0.5, 0, 0, 0, 0)], [20.0]))
    assert abs(chasles.simulate(s).joint("elbow").q[-1, 0] - 0.5) < 1e-6
    s = chasles.Scenario(elastic, duration=3.0)
    pd = chasles.pd_control(rigid, ["elbow"], [path], [50.0], [12.0])
    s.add_force(chasles.control_by_motors(elastic, pd, [drive]))
    assert abs(chasles.simulate(s).joint("elbow").q[-1, 0] - 1) < 0.05
    with pytest.raises(chasles.Error, match="is not a controller"):
        chasles.control_by_motors(elastic, chasles.joint_torque(rigid, "elbow", 1), [drive])
    with pytest.raises(chasles.Error):
        chasles.with_series_elastic_drives(mechanism, [chasles.SeriesElasticDrive("elbw", 1.0, motor_inertia=1)])


def test_rotors():
    """A rotor as a body and as inertia of the joints are the same motion."""
    mechanism = (chasles.MechanismBuilder("geared").body("arm", "ground", joints.revolute([0, 1, 0])).inertia(2, [0, 0, 0.5], I3)
                 .rotor(1e-3, 20).build())
    model, bodies = mechanism.compile(), chasles.with_rotors(mechanism).compile()
    assert model.nv == 1 and bodies.nv == 2
    a = chasles.forward_dynamics(model, [0.3], [0.0], [1.0])
    system = chasles.System(bodies)
    q, _ = system.project(np.r_[0.3, 6.0], np.zeros(2))
    entry = bodies.joint("arm").v_index
    tau = np.zeros(2)
    tau[entry] = 1.0
    start = np.zeros(2)
    start[bodies.joint("arm").q_index] = 0.3
    q = system.assemble(start, kept=["arm"])
    close(system.forward_dynamics(q, np.zeros(2), tau)[0][entry], a[0], 1e-10)


def test_inertia():
    """Two balls joined: mass, center and tensor of the pair; transformations keep the energy; the nearest body."""
    a = chasles.Inertia(2.0, [0, 0, 1], np.zeros((3, 3)))
    b = chasles.Inertia(1.0, [0, 0, -2], np.zeros((3, 3)))
    pair = a + b
    assert pair.mass == 3 and a + b - b == a and pair != a
    close(pair.com, [0, 0, 0], 1e-15)
    close(pair.tensor, np.diag([6.0, 6, 0]), 1e-14)
    C = chasles.lie.exp(rng.uniform(-1, 1, 6))
    V = rng.uniform(-1, 1, 6)
    body = chasles.Inertia(2.0, [0.1, 0.2, 0.3], I3)
    moved = body.transform(C)
    close((chasles.lie.Ad(C) @ V) @ moved.matrix @ (chasles.lie.Ad(C) @ V), V @ body.matrix @ V, 1e-13)
    close(moved.com, (C @ [0.1, 0.2, 0.3, 1])[:3], 1e-14)
    close(np.linalg.eigvalsh(moved.central), [0.02, 0.03, 0.04], 1e-13)
    assert chasles.Inertia.from_parameters(body.parameters) == body
    close(chasles.Inertia.from_pseudo(body.pseudo).parameters, body.parameters, 1e-15)
    assert np.linalg.eigvalsh(body.pseudo).min() > 0 and body.is_physical and body.defect == ""
    wrong = chasles.Inertia.from_parameters([1.0, 0, 0, 0, 1, 0, 0, 1, 0, 5])
    assert not wrong.is_physical and "violated" in wrong.defect
    nearest = wrong.nearest_physical()
    assert np.linalg.eigvalsh(nearest.pseudo).min() > -1e-12
    eigenvalues, vectors = np.linalg.eigh(wrong.pseudo)
    close(nearest.pseudo, vectors @ np.diag(np.maximum(eigenvalues, 0)) @ vectors.T, 1e-12)
    with pytest.raises(chasles.Error, match="no body can have"):
        chasles.Inertia(1.0, [0, 0, 0], np.diag([1.0, 1, 5]))
    assert pickle.loads(pickle.dumps(body)) == body and "2 kg" in repr(body)
    model = chasles.load("examples/puma560.yaml")
    assert chasles.Inertia.from_parameters(model.inertial_parameters()[:10]).mass == model.bodies[0].mass


def test_more_of_groups():
    lie = chasles.lie
    R, S = lie.exp([0.1, 0.2, 0.3]), lie.exp([0.3, -0.5, 0.2])
    C, D = lie.pose([1, 2, 3], R), lie.pose([0, 1, -1], S)
    for a, b in ((R, S), (C, D)):
        close(lie.interpolate(a, b, 0.0), a, 1e-14)
        close(lie.interpolate(a, b, 1.0), b, 1e-14)
        half = lie.interpolate(a, b, 0.5)
        close(half @ np.linalg.inv(a) @ half, b, 1e-13)
        close(lie.mean([a, b]), half, 1e-13)
        close(lie.mean(np.stack([a, a, a])), a, 1e-14)
    w = np.array([0.4, -0.2, 0.7])
    skew = lie.hat(w)
    close(skew @ [1, 2, 3], np.cross(w, [1, 2, 3]), 1e-15)
    close(lie.cay(w), np.linalg.solve(np.eye(3) - skew / 2, np.eye(3) + skew / 2), 1e-14)
    X = rng.uniform(-1, 1, 6)
    H = lie.hat(X)
    close(lie.cay(X), np.linalg.solve(np.eye(4) - H / 2, np.eye(4) + H / 2), 1e-14)
    close(lie.cay_inv(lie.cay(X)), X, 1e-13)
    close(lie.cay_inv(lie.cay(w)), w, 1e-13)
    close(lie.rotation_from_rpy(*lie.rpy(R)), R, 1e-14)
    h = 1e-6
    Y, Z = rng.uniform(-1, 1, (2, 6))
    close(lie.d_dexp(X, Y, Z), (lie.dexp(X + h * Y) - lie.dexp(X - h * Y)) @ Z / (2 * h), 1e-8)
    close(lie.d_dexp_inv(X, Y, Z), (lie.dexp_inv(X + h * Y) - lie.dexp_inv(X - h * Y)) @ Z / (2 * h), 1e-8)
    turning = (lie.exp(w + h * Y[:3]) - lie.exp(w - h * Y[:3])) / (2 * h) @ lie.exp(w).T
    close(turning, lie.hat(lie.dexp(w) @ Y[:3]), 1e-8)
    close(lie.dexp_inv(w) @ lie.dexp(w), np.eye(3), 1e-13)
    for wrong in (lambda: lie.exp(1.0), lambda: lie.mean([]), lambda: lie.interpolate(R, D, 0.5), lambda: lie.cay([1, 2]), lambda: lie.hat([[1]])):
        with pytest.raises(chasles.Error):
            wrong()


def test_accelerations_convert(arm):
    states = States(arm)
    q, v, a = states.of("qvv")
    C = chasles.pose(arm, q, "link6")
    for source in ("body", "spatial", "hybrid", "mixed"):
        A, V = chasles.acceleration(arm, q, v, a, "link6", source), chasles.twist(arm, q, v, "link6", source)
        for target in ("body", "spatial", "hybrid", "mixed"):
            close(chasles.lie.convert_acceleration(A, V, C, source, target), chasles.acceleration(arm, q, v, a, "link6", target), 1e-12)


def test_relative_kinematics(arm):
    states = States(arm)
    q, v = states.of("qv")
    C = chasles.relative_pose(arm, q, "link2", "link5")
    close(C, np.linalg.inv(chasles.pose(arm, q, "link2")) @ chasles.pose(arm, q, "link5"), 1e-14)
    V = chasles.relative_twist(arm, q, v, "link2", "link5")
    h = 1e-6
    near = [chasles.relative_pose(arm, chasles.plus(arm, q, s * v), "link2", "link5") for s in (h, -h)]
    rate = (near[0] - near[1]) / (2 * h)
    close(rate @ np.linalg.inv(C), chasles.lie.hat(V), 1e-8)
    close(chasles.relative_jacobian(arm, q, "link2", "link5") @ v, V, 1e-13)
    H = chasles.kinematic_hessian(arm, q, "link5", "hybrid")
    close(chasles.jacobian_derivative(arm, q, "link5", "hybrid", [2]), H[2], 1e-13)
    e = np.eye(6)[1] * 1e-5
    close(chasles.jacobian_derivative(arm, q, "link5", "hybrid", [2, 1]),
          (chasles.kinematic_hessian(arm, q + e, "link5", "hybrid")[2] - chasles.kinematic_hessian(arm, q - e, "link5", "hybrid")[2]) / 2e-5, 1e-8)
    h0, point = chasles.spatial_momentum(arm, q, v), np.array([1.0, 2, 3])
    about = chasles.momentum_about(arm, q, v, point)
    close(about[3:], h0[3:], 1e-13)
    close(about[:3], h0[:3] - np.cross(point, h0[3:]), 1e-13)
    with pytest.raises(KeyError, match="link1"):
        chasles.relative_pose(arm, q, "link11", "link5")
    with pytest.raises(chasles.ForeignError):
        chasles.relative_pose(arm, q, chasles.load("examples/four_bar.yaml").frame("coupler"), "link5")
    with pytest.raises(chasles.Error, match="index|0 ... 5|entries"):
        chasles.jacobian_derivative(arm, q, "link5", "hybrid", [6])


def test_inverse_kinematics_of_velocities(model, states):
    q, v, a = states.of("qvv")
    bodies = [model.bodies[k].name for k in chasles.moving_bodies(model)]
    for representation in ("body", "spatial", "hybrid", "mixed"):
        V = np.array([chasles.twist(model, q, v, b, representation) for b in bodies])
        A = np.array([chasles.acceleration(model, q, v, a, b, representation) for b in bodies])
        close(chasles.inverse_velocities(model, q, V, representation), v, 1e-9)
        close(chasles.inverse_accelerations(model, q, v, A, representation), a, 1e-8)
    spatial = np.array([chasles.twist(model, q, v, b, "spatial") for b in bodies]).ravel()
    for form in ("reference", "body", "hybrid"):
        factors = chasles.spatial_factors(model, q, form)
        close(factors.A @ factors.X @ v, spatial, 1e-10)
        close(factors.A_inverse @ factors.A, np.eye(6 * len(bodies)), 1e-10)
    L = chasles.subtree_sums(model)
    assert L.shape == (6 * len(bodies),) * 2 and set(np.unique(L)) <= {0.0, 1.0} and np.all(np.diag(L) == 1)
    with pytest.raises(KeyError, match="reference"):
        chasles.spatial_factors(model, q, "mixed")
    with pytest.raises(chasles.SizeError, match="V has shape"):
        chasles.inverse_velocities(model, q, np.zeros((len(bodies) + 1, 6)), "body")


def test_copies(arm):
    s = chasles.Scenario(arm, duration=2.0)
    for made in (copy.copy(s), copy.deepcopy(s), s.copy()):
        made.duration = 3.0
        assert s.duration == 2.0 and made.model == arm


def test_joint_state_is_set(arm):
    state = chasles.State.of(arm)
    state["elbow"].q = 0.3
    state["elbow"].v = [-1.0]
    state["waist"].q += 0.1
    assert state.q[arm.joint("elbow").q_index] == 0.3 and state.v[arm.joint("elbow").v_index] == -1
    assert state.q[arm.joint("waist").q_index] == pytest.approx(0.1)
    with pytest.raises(ValueError):
        state["elbow"].q = [1.0, 2.0]
    with pytest.raises(AttributeError):
        state["elbow"].p = 1
