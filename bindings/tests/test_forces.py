"""Contacts and elements against closed forms; published problems; errors of runs."""
from __future__ import annotations

import numpy as np
import pytest

import chasles

g = 9.81


def ball(mass=2.0) -> chasles.Model:
    """A point mass with three prismatic joints."""
    joints = chasles.joints
    return (chasles.MechanismBuilder("ball").body("x", "ground", joints.prismatic([1, 0, 0])).body("y", "x", joints.prismatic([0, 1, 0]))
            .body("ball", "y", joints.prismatic([0, 0, 1])).inertia(mass, [0, 0, 0], np.zeros((3, 3))).build().compile())


def run(model, forces, q, v=None, duration=1.0, **options):
    s = chasles.Scenario(model, q, v, duration)
    s.method, s.tolerance = "dop853", 1e-10
    for name, value in options.items():
        setattr(s, name, value)
    for force in forces:
        s.add_force(force)
    return chasles.simulate(s)


def test_contact_at_rest_and_bounce():
    model, radius, k = ball(), 0.1, 1e5
    depth = (2 * g / k) ** (1 / 1.5)
    law = chasles.ContactLaw(stiffness=k, dissipation=0.1)
    still = run(model, [chasles.contact(model, "floor", "ball", [[0, 0, 0]], radius, law)], [0, 0, radius - depth], quantities=["contact:floor"])
    np.testing.assert_allclose(still.q[:, 2], radius - depth, atol=1e-9)
    speed = 0.2
    bounce = run(model.with_gravity([0, 0, 0]), [], [0, 0, 0.2], [0, 0, -speed], 0.1)
    np.testing.assert_allclose(bounce.v[-1], [0, 0, -speed], atol=1e-12)
    free = model.with_gravity([0, 0, 0])
    bounce = run(free, [chasles.contact(free, "floor", "ball", [[0, 0, 0]], radius, law)], [0, 0, 0.11], [0, 0, -speed], 0.3)
    assert abs(bounce.v[-1, 2] / speed - (1 - 0.1 * speed)) < 1e-3  # restitution 1 - dissipation v, to first order
    elastic = chasles.ContactLaw(stiffness=k)
    bounce = run(free, [chasles.contact(free, "floor", "ball", [[0, 0, 0]], radius, elastic)], [0, 0, 0.11], [0, 0, -speed], 0.3)
    assert abs(bounce.v[-1, 2] - speed) < 1e-6


def test_friction_of_contact():
    """A ball that slides decelerates by friction times g."""
    model, k, mu = ball(), 1e5, 0.3
    depth = (2 * g / k) ** (1 / 1.5)
    law = chasles.ContactLaw(stiffness=k, friction=mu, velocity=1e-4)
    slide = run(model, [chasles.contact(model, "floor", "ball", [[0, 0, 0]], 0.1, law)], [0, 0, 0.1 - depth], [1, 0, 0], 0.2)
    np.testing.assert_allclose(slide.v[-1, 0], 1 - mu * g * 0.2, atol=1e-6)
    assert (law.friction, law.stiffness) == (mu, k)


def test_contact_mistakes():
    model = ball()
    with pytest.raises(chasles.UnknownNameError, match="did you mean 'ball'"):
        chasles.contact(model, "c", "bal", [[0, 0, 0]])
    with pytest.raises(chasles.Error, match="c"):
        chasles.contact(model, "c", "ball", np.zeros((0, 3)))
    with pytest.raises(chasles.Error, match="normal"):
        chasles.contact(model, "c", "ball", [[0, 0, 0]], normal=[0, 0, 0])
    with pytest.raises(chasles.Error):
        chasles.contact(model, "c", "ball", [[0, 0, 0]], law=chasles.ContactLaw(stiffness=-1))
    with pytest.raises(ValueError, match="points"):
        chasles.contact(model, "c", "ball", [0, 0, 0])
    with pytest.raises(chasles.Error, match="shapes"):
        chasles.shape_contacts(model)
    assert chasles.box_corners([2, 4, 6]).tolist() == sorted(chasles.box_corners([2, 4, 6]).tolist()) or len(chasles.box_corners([1, 1, 1])) == 8
    np.testing.assert_allclose(np.abs(chasles.box_corners([2, 4, 6])), np.tile([1, 2, 3], (8, 1)))


def test_shape_contacts():
    """A ball of a description rests on the floor; its contacts are made from its collision shapes."""
    urdf = """<robot name="ball"><link name="world"/><link name="ball"><inertial><mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.01"
      ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
      <joint name="slide" type="prismatic"><parent link="world"/><child link="ball"/><axis xyz="0 0 1"/>
      <limit lower="-10" upper="10" effort="0" velocity="100"/></joint></robot>"""
    model = chasles.from_text(urdf)
    forces = chasles.shape_contacts(model, floor=0.0, stiffness=1e5, dissipation=1.0, friction=0.0)
    assert len(forces) == 1
    end = run(model, forces, [0.12], duration=3.0)
    np.testing.assert_allclose(end.q[-1, 0], 0.1 - (2 * g / 1e5) ** (1 / 1.5), atol=1e-6)


def test_elements():
    model = ball()
    hover = run(model, [chasles.body_wrench(model, "ball", [0, 0, 0, 0, 0, 2 * g])], [0, 0, 1])
    np.testing.assert_allclose(hover.q, np.tile([0, 0, 1], (len(hover.q), 1)), atol=1e-9)
    swing = run(model, [chasles.body_wrench(model, "ball", [0, 0, 0, lambda t: 2 * np.cos(t), 0, 2 * g])], [0, 0, 0])
    np.testing.assert_allclose(swing.q[-1, 0], 1 - np.cos(1.0), atol=1e-8)
    push = run(model, [chasles.joint_torque(model, "x", lambda t: 6 * t), chasles.joint_torque(model, "ball", 2 * g)], [0, 0, 0])
    np.testing.assert_allclose(push.q[-1], [0.5, 0, 0], atol=1e-8)
    quadratic = 0.5
    fall = run(model, [chasles.point_drag(model, "ball", quadratic=quadratic)], [0, 0, 0], duration=2.0)
    terminal = np.sqrt(2 * g / quadratic)
    np.testing.assert_allclose(fall.v[-1, 2], -terminal * np.tanh(g * 2 / terminal), atol=1e-7)
    free = model.with_gravity([0, 0, 0])
    spring = run(free, [chasles.point_spring_damper(free, "ground", [0, 0, 0], "ball", [0, 0, 0], 50.0, 0.0, 0.5)], [0.6, 0, 0])
    np.testing.assert_allclose(spring.q[-1, 0], 0.5 + 0.1 * np.cos(np.sqrt(50 / 2)), atol=1e-7)
    K = np.diag([1.0, 1, 1, 50, 50, 50])
    bushing = run(free, [chasles.bushing(free, "ground", "ball", K)], [0.1, 0, 0])
    np.testing.assert_allclose(bushing.q[-1, 0], 0.1 * np.cos(5.0), atol=1e-7)
    held = run(model, [chasles.gravity_compensation(model, ["x", "y", "ball"])], [0, 0, 0])
    np.testing.assert_allclose(held.q, 0, atol=1e-12)
    for wrong, error in (([0] * 5, ValueError), ([0] * 5 + ["f"], TypeError), (3, TypeError)):
        with pytest.raises(error):
            chasles.body_wrench(model, "ball", wrong)
    with pytest.raises(TypeError, match="the result of body_wrench"):
        run(model, [chasles.body_wrench(model, "ball", [0, 0, 0, 0, 0, lambda t: "f"])], [0, 0, 0])


def test_stops():
    """A joint that falls onto its stop: the forces balance there; and limits as a treatment of the whole run."""
    model = (chasles.MechanismBuilder("slider").body("s", "ground", chasles.joints.prismatic([0, 0, 1])).limits(-0.1, 1.0)
             .inertia(2, [0, 0, 0], np.zeros((3, 3))).build().compile())
    end = run(model, [chasles.joint_stop(model, "s", 1e4, 400.0)], [0.0], duration=2.0)
    np.testing.assert_allclose(end.q[-1, 0], -0.1 - 2 * g / 1e4, atol=1e-6)
    rigid = run(model, [], [0.0], duration=1.0, limits="rigid")
    np.testing.assert_allclose(rigid.q[-1, 0], -0.1, atol=1e-9)
    through = run(model, [], [0.0], duration=1.0, limits="ignore")
    np.testing.assert_allclose(through.q[-1, 0], -g / 2, atol=1e-9)
    s = chasles.Scenario(model)
    with pytest.raises(chasles.UnknownNameError, match="ignore, warn, soft or rigid"):
        s.limits = "hard"
    with pytest.raises(chasles.UnknownNameError):
        chasles.joint_stop(model, "t", 1)
    s.limits = "soft"
    assert s.limits == "soft"


def test_verification():
    folder = "examples/verification"
    names = chasles.problem_names(folder)
    assert len(names) >= 20 and "iftomm_a01_pendulum" in names
    done = chasles.verify(f"{folder}/iftomm_a01_pendulum.yaml")
    assert done.passed and done.values and all(x.agrees and x.difference <= x.tolerance for x in done.values)
    for value in done.values:
        close = np.abs(np.subtract(value.published, value.computed)).max()
        assert close == pytest.approx(value.difference, abs=1e-15)
    assert done.name in repr(done) and done.title in done.markdown() and "<html" in done._repr_html_().lower()
    with pytest.raises(chasles.FileError):
        chasles.verify("examples/puma560.yaml")


def test_error_estimate():
    """Estimates of a coarse run cover its true error, which a run with a tolerance of 1e-13 gives."""
    model = (chasles.MechanismBuilder("pendulum").body("bob", "ground", chasles.joints.revolute([0, 1, 0]))
             .inertia(1, [0, 0, -1], np.zeros((3, 3))).build().compile())
    s = chasles.Scenario(model, [2.0], duration=5.0)
    s.method, s.tolerance, s.quantities = "dp54", 1e-6, ["energy"]
    estimate = chasles.estimate_error(s)
    coarse = chasles.simulate(s)
    s.tolerance, s.method = 1e-13, "dop853"
    error = abs(coarse.q[-1, 0] - chasles.simulate(s).q[-1, 0])
    assert 0.3 * error < estimate["q"].end < 3 * error and error > 1e-9
    assert estimate["q"].errors.shape == coarse.t.shape and estimate.horizon is None and estimate.runs
    assert [x.name for x in estimate.quantities] == ["q", "v", "energy"]
    with pytest.raises(chasles.UnknownNameError):
        estimate["power"]
    s.add_force(chasles.Force("broken", model, lambda t, q, v, tau: 1 / 0))
    with pytest.raises(ZeroDivisionError):
        chasles.estimate_error(s)
