"""MuJoCo on the problems of the league: joint coordinates, loops as soft equality constraints, RK4 (Munthe-Kaas of order 4
on ball and free joints) and, for stiff problems, its implicit method of order 1.

Soft constraints: stiffness 1 / (2 step)^2, critically damped, as stiff as its own rule allows, impedance 0.9999.
"""
import time

import mujoco
import numpy as np

VERSION = mujoco.mj_versionString()


def methods(problem):
    damped = any(s[5] for s in problem.springs)
    return [("RK4", "RK4")] + ([("implicit", "implicit")] if damped else [])


def numbers(x):
    return " ".join(repr(float(v)) for v in np.ravel(x))


def xml(problem, method, step):
    """Body frames are at the joints, in world axes at the start."""
    at = {None: np.zeros(3)}
    texts = {b.name: "" for b in problem.bodies}
    texts[None] = ""
    sites = {b.name: [] for b in problem.bodies}
    sites[None] = []
    tendons = ""
    for b in problem.bodies:
        at[b.name] = b.point
    for k, (first, p, second, q, stiffness, damping, length) in enumerate(problem.springs):
        for end, (body, point) in enumerate(((first, p), (second, q))):
            sites[body].append(f'<site name="s{k}_{end}" pos="{numbers(np.array(point) - at[body])}"/>')
        tendons += (f'<spatial stiffness="{stiffness!r}" damping="{damping!r}" springlength="{length!r}">'
                    f'<site site="s{k}_0"/><site site="s{k}_1"/></spatial>')

    def body(b):
        joint = {"revolute": f'<joint name="{b.name}" type="hinge" axis="{numbers(b.axis)}"/>',
                 "prismatic": f'<joint name="{b.name}" type="slide" axis="{numbers(b.axis)}"/>',
                 "ball": f'<joint name="{b.name}" type="ball"/>', "free": f'<freejoint name="{b.name}"/>'}.get(b.joint)
        if b.joint == "universal":
            joint = (f'<joint name="{b.name}" type="hinge" axis="{numbers(b.axis)}"/>'
                     f'<joint name="{b.name}2" type="hinge" axis="{numbers(b.across)}"/>')
        I = b.inertia if np.any(b.inertia) else np.diag([1e-12] * 3)
        full = numbers([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
        children = "".join(body(c) for c in problem.bodies if c.parent == b.name)
        return (f'<body name="{b.name}" pos="{numbers(at[b.name] - at[b.parent])}">{joint}'
                f'<inertial pos="{numbers(b.com - at[b.name])}" mass="{b.mass!r}" fullinertia="{full}"/>'
                f'{"".join(sites[b.name])}{children}</body>')

    stiffness, damping = 1 / (2 * step) ** 2, 1 / step
    soft = f'solref="{-stiffness!r} {-damping!r}" solimp="0.9999 0.9999 0.001 0.5 2"'
    equalities = ""
    for first, second, point, axis in problem.loops:
        partner = f'body2="{second}"' if second else ""
        anchor = np.array(point, float) - at[first]
        equalities += f'<connect body1="{first}" {partner} anchor="{numbers(anchor)}" {soft}/>'
        if axis is not None and not problem.planar:  # a second point of the hinge
            equalities += f'<connect body1="{first}" {partner} anchor="{numbers(anchor + np.array(axis))}" {soft}/>'
    world = "".join(body(b) for b in problem.bodies if b.parent is None)
    return (f'<mujoco><compiler boundmass="0" boundinertia="0" balanceinertia="false"/>'
            f'<option timestep="{step!r}" integrator="{method}" gravity="{numbers(problem.gravity)}" tolerance="1e-14" '
            f'iterations="200"><flag contact="disable"/></option><worldbody>{"".join(sites[None])}{world}</worldbody>'
            f'<tendon>{tendons}</tendon><equality>{equalities}</equality></mujoco>')


def run(problem, method, step):
    """CPU seconds without set-up, and the outcome; None if it fails."""
    steps = max(1, round(problem.duration / step))
    model = mujoco.MjModel.from_xml_string(xml(problem, method, problem.duration / steps))
    data = mujoco.MjData(model)
    for b in problem.bodies:
        j = model.joint(b.name)
        first = j.dofadr[0]
        if b.joint == "free":  # angular velocity in body axes
            data.qvel[first + 3 : first + 6] = b.rate
        elif b.joint == "ball":
            data.qvel[first : first + 3] = b.rate
        elif b.joint == "universal":
            axes = np.column_stack([b.axis, b.across])
            data.qvel[first : first + 2] = np.linalg.lstsq(axes, b.rate_vector, rcond=None)[0]
        else:
            data.qvel[first] = b.rate
    if problem.torque:
        data.qfrc_applied[model.joint(problem.torque[0]).dofadr[0]] = problem.torque[1]
    begin = time.thread_time()
    mujoco.mj_step(model, data, steps)
    seconds = time.thread_time() - begin
    if data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number or not np.all(np.isfinite(data.qpos)):
        return None
    mujoco.mj_kinematics(model, data)
    kind, name, p = problem.outcome
    if kind == "omega":
        j = model.joint(name)
        return seconds, data.qvel[j.dofadr[0] + 3 : j.dofadr[0] + 6].copy()
    body = data.body(name)
    R, r = body.xmat.reshape(3, 3), body.xpos
    if kind == "direction":
        return seconds, R @ np.array(p)
    origin = next(b.point for b in problem.bodies if b.name == name)
    return seconds, r + R @ (np.array(p) - origin)
