"""Exudyn on the problems of the league: rigid bodies in absolute coordinates with joints, generalized-alpha and the
trapezoidal rule in index 2; free bodies also by explicit Lie group methods."""
import time

import exudyn as exu
import exudyn.utilities as eu
import numpy as np

VERSION = exu.config.Version() if hasattr(exu, "config") else exu.GetVersionString()


def methods(problem):
    free = all(b.joint == "free" for b in problem.bodies)
    implicit = [("generalized alpha", "alpha"), ("trapezoidal, index 2", "trapezoidal")]
    return ([("RK67 on the group", "rk67")] if free else []) + implicit


def across(axis):
    """Frame with `axis` as its z axis."""
    z = axis / np.linalg.norm(axis)
    x = np.cross(z, [1.0, 0, 0] if abs(z[0]) < 0.6 else [0, 1.0, 0])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


class Run:
    def __init__(self, problem, method):
        container = exu.SystemContainer()
        self.container, self.problem, self.method = container, problem, method
        mbs = self.mbs = container.AddSystem()
        ground = mbs.CreateGround()
        node = exu.NodeType.RotationRotationVector if method == "rk67" else exu.NodeType.RotationEulerParameters
        twists, self.bodies = problem.twists(), {None: ground}
        self.at = {None: np.zeros(3)}
        for b in problem.bodies:
            w, v = twists[b.name]
            self.bodies[b.name] = mbs.CreateRigidBody(
                inertia=eu.RigidBodyInertia(mass=b.mass, inertiaTensor=np.maximum(b.inertia, np.diag([1e-12] * 3))
                                            if not np.any(b.inertia) else b.inertia),
                nodeType=node, referencePosition=list(b.com), initialVelocity=list(v), initialAngularVelocity=list(w),
                gravity=list(problem.gravity))
            self.at[b.name] = b.com
        self.children = set()
        for b in problem.bodies:
            if b.joint != "free":
                self.add_joint(b, b.parent, b.name, b.point)
        for first, second, point, axis in problem.loops:
            self.close(first, second, point, axis)
        for first, p, second, q, stiffness, damping, length in problem.springs:
            mbs.CreateSpringDamper(bodyNumbers=[self.bodies[first], self.bodies[second]],
                                   localPosition0=list(np.array(p) - self.at[first]),
                                   localPosition1=list(np.array(q) - self.at[second]),
                                   stiffness=stiffness, damping=damping, referenceLength=length)
        if problem.torque:
            name, value = problem.torque
            mbs.CreateTorque(bodyNumber=self.bodies[name], loadVector=[0, 0, value])
        mbs.Assemble()

    def add_joint(self, b, parent, child, point):
        frame = across(b.axis)
        constrained = {"revolute": [1, 1, 1, 1, 1, 0], "prismatic": [1, 1, 0, 1, 1, 1], "ball": [1, 1, 1, 0, 0, 0],
                       "universal": [1, 1, 1, 0, 0, 1]}[b.joint]
        if b.joint == "universal":  # no rotation about the common normal of both axes
            z = np.cross(b.axis, b.across)
            frame = np.column_stack([b.axis, b.across, z])
        self.generic(parent, child, point, frame, constrained)

    def close(self, first, second, point, axis):
        if axis is None:
            self.generic(first, second, point, np.eye(3), [1, 1, 1, 0, 0, 0])
        elif self.problem.planar:  # the rest is redundant
            self.generic(first, second, point, np.eye(3), [1, 1, 0, 0, 0, 0])
        else:  # Bricard: one of five is redundant
            self.generic(first, second, point, across(np.array(axis, float)), [1, 1, 1, 1, 1, 0])

    def generic(self, first, second, point, frame, constrained):
        self.mbs.CreateGenericJoint(bodyNumbers=[self.bodies[first], self.bodies[second]], position=list(point),
                                    rotationMatrixAxes=frame, constrainedAxes=constrained, useGlobalFrame=True)

    def solve(self, step):
        steps = max(1, round(self.problem.duration / step))
        settings = exu.SimulationSettings()
        ti = settings.timeIntegration
        ti.numberOfSteps, ti.endTime, ti.verboseMode = steps, self.problem.duration, 0
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = 1e6
        settings.solutionSettings.solutionWritePeriod = 1e6
        ti.newton.relativeTolerance, ti.newton.absoluteTolerance = 1e-10, 1e-12
        ti.newton.useModifiedNewton = True
        if self.problem.name.startswith("Bricard"):
            settings.linearSolverType = exu.LinearSolverType.EigenDense
            settings.linearSolverSettings.ignoreSingularJacobian = True
        if self.method == "rk67":
            solver = exu.MainSolverExplicit()
            ti.explicitIntegration.dynamicSolverType = exu.DynamicSolverType.RK67
        else:
            solver = exu.MainSolverImplicitSecondOrder()
            alpha = ti.generalizedAlpha
            alpha.computeInitialAccelerations = True
            if self.method == "trapezoidal":
                alpha.useNewmark = alpha.useIndex2Constraints = True
            else:
                alpha.spectralRadius = 0.9
        if not solver.InitializeSolver(self.mbs, settings):
            return None
        begin = time.thread_time()
        ok = solver.SolveSteps(self.mbs, settings)
        seconds = time.thread_time() - begin
        solver.FinalizeSolver(self.mbs, settings)
        return (seconds, self.outcome()) if ok else None

    def outcome(self):
        kind, name, p = self.problem.outcome
        body = self.bodies[name]
        if kind == "omega":
            return self.mbs.GetObjectOutputBody(body, exu.OutputVariableType.AngularVelocityLocal, [0, 0, 0])
        local = list(np.array(p) - self.at[name])
        if kind == "direction":
            R = np.array(self.mbs.GetObjectOutputBody(body, exu.OutputVariableType.RotationMatrix, [0, 0, 0])).reshape(3, 3)
            return R @ np.array(p)
        return self.mbs.GetObjectOutputBody(body, exu.OutputVariableType.Position, local)


def run(problem, method, step):
    """CPU seconds without set-up, and the outcome; None if it fails."""
    exu.SuppressWarnings(True)
    return Run(problem, method).solve(step)
