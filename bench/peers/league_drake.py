"""Drake on the problems of the league without loops: continuous MultibodyPlant, Runge-Kutta of order 3 and 5 and implicit
Radau with error control."""
import time

import numpy as np
import pydrake
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (BallRpyJoint, FixedOffsetFrame, LinearSpringDamper, PrismaticJoint, RevoluteJoint,
                                    RotationalInertia, SpatialInertia, UnitInertia)
from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator

VERSION = getattr(pydrake, "__version__", None) or __import__("importlib.metadata").metadata.version("drake")
ADAPTIVE = True


def methods(problem):
    if problem.loops:  # in a continuous plant only with other joints than these
        return []
    names = [("Runge-Kutta 3", "runge_kutta3"), ("Runge-Kutta 5", "runge_kutta5")]
    return names + ([("Radau", "radau3")] if problem.springs else [])


def run(problem, method, accuracy):
    """CPU seconds without set-up, and the outcome; None if it fails."""
    plant = MultibodyPlant(0.0)
    plant.mutable_gravity_field().set_gravity_vector(problem.gravity)
    frames, at, joints = {None: plant.world_body()}, {None: np.zeros(3)}, {}
    for b in problem.bodies:
        I = b.inertia if np.any(b.inertia) else np.diag([1e-12] * 3)
        c = b.com - b.point
        about = I + b.mass * (c @ c * np.eye(3) - np.outer(c, c))
        G = RotationalInertia(about[0, 0], about[1, 1], about[2, 2], about[0, 1], about[0, 2], about[1, 2])
        unit = UnitInertia().SetFromRotationalInertia(G, b.mass)
        body = plant.AddRigidBody(b.name, SpatialInertia(b.mass, c, unit))
        frames[b.name], at[b.name] = body, b.point
        if b.joint == "free":
            continue
        parent = frames[b.parent]
        frame = plant.AddFrame(FixedOffsetFrame("on_" + b.name, parent.body_frame() if b.parent else plant.world_frame(),
                                                RigidTransform(b.point - at[b.parent])))
        if b.joint == "ball":
            joints[b.name] = plant.AddJoint(BallRpyJoint(b.name, frame, body.body_frame()))
        else:
            kind = RevoluteJoint if b.joint == "revolute" else PrismaticJoint
            joints[b.name] = plant.AddJoint(kind(b.name, frame, body.body_frame(), b.axis))
    for first, p, second, q, stiffness, damping, length in problem.springs:
        plant.AddForceElement(LinearSpringDamper(frames[first], np.array(p) - at[first], frames[second],
                                                 np.array(q) - at[second], length, stiffness, damping))
    plant.Finalize()
    simulator = Simulator(plant)
    context = simulator.get_mutable_context()
    for b in problem.bodies:
        if b.joint == "free":
            from pydrake.multibody.math import SpatialVelocity
            plant.SetFreeBodySpatialVelocity(frames[b.name], SpatialVelocity(b.rate, np.zeros(3)), context)
        elif b.joint == "ball":
            joints[b.name].set_angular_velocity(context, b.rate)
        elif b.joint == "revolute":
            joints[b.name].set_angular_rate(context, b.rate)
        else:
            joints[b.name].set_translation_rate(context, b.rate)
    integrator = ResetIntegratorFromFlags(simulator, method, 0.1)
    integrator.set_target_accuracy(accuracy)
    integrator.set_requested_minimum_step_size(1e-14)
    integrator.set_throw_on_minimum_step_size_violation(True)
    simulator.Initialize()
    begin = time.thread_time()
    simulator.AdvanceTo(problem.duration)
    seconds = time.thread_time() - begin
    kind, name, p = problem.outcome
    X = plant.EvalBodyPoseInWorld(context, frames[name])
    if kind == "omega":
        w = plant.EvalBodySpatialVelocityInWorld(context, frames[name]).rotational()
        return seconds, X.rotation().matrix().T @ w
    if kind == "direction":
        return seconds, X.rotation().matrix() @ np.array(p)
    return seconds, X.multiply(np.array(p) - at[name])
