"""The same arm in Pinocchio, MuJoCo, Drake and Exudyn, where they are installed: values and times in one process.

    ./python bindings/bench/peers.py        a table of nanoseconds per call, and the largest relative differences

An arm of seven revolute joints, written to URDF and MJCF by this library and read from there by the others. Every `Peer`
has the calls that it offers, as functions of (q, v, a) in order and convention of this library.
"""
from __future__ import annotations

import timeit
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chasles

Numbers = NDArray[np.float64]


def arm() -> chasles.Model:
    """Seven revolute joints, axes z and y in turn, with physical inertias."""
    rng = np.random.default_rng(7)
    builder, parent = chasles.MechanismBuilder("arm"), "ground"
    for k in range(7):
        name, pose = f"link{k + 1}", chasles.lie.pose([0.1 * (k % 2), 0.02 * k, 0.25 * k])
        axis = [0, 0, 1] if k % 2 == 0 else [0, 1, 0]
        builder.body(name, parent, chasles.joints.revolute(axis, pose[:3, 3])).joint_name(f"joint{k + 1}").limits(-3.0, 3.0).pose(pose)
        builder.inertia(4.0 - 0.5 * k, rng.uniform(-0.05, 0.05, 3), np.diag(rng.uniform(0.02, 0.03, 3)))
        parent = name
    return builder.build().compile()


@dataclass
class Peer:
    """A library with its calls: values() for comparison, and statements for timing."""

    name: str
    values: dict[str, Callable[[Numbers, Numbers, Numbers], Any]]
    statements: dict[str, str]
    names: dict[str, Any] = field(default_factory=dict)


def pinocchio(model: chasles.Model) -> Peer:
    import pinocchio as pin

    m = pin.buildModelFromXML(model.mechanism.to_urdf())
    data, frame = m.createData(), m.getFrameId("link7")
    swap = np.r_[3:6, 0:3]  # linear first there
    return Peer("Pinocchio", {
        "inverse_dynamics": lambda q, v, a: pin.rnea(m, data, q, v, a),
        "forward_dynamics": lambda q, v, a: pin.aba(m, data, q, v, a),
        "mass_matrix": lambda q, v, a: np.triu(pin.crba(m, data, q)) + np.triu(pin.crba(m, data, q), 1).T,
        "jacobian": lambda q, v, a: pin.computeFrameJacobian(m, data, q, frame, pin.LOCAL_WORLD_ALIGNED)[swap],
    }, {
        "inverse_dynamics": "pin.rnea(m, data, q, v, a)", "forward_dynamics": "pin.aba(m, data, q, v, a)",
        "mass_matrix": "pin.crba(m, data, q)", "jacobian": "pin.computeFrameJacobian(m, data, q, frame, world)",
    }, {"pin": pin, "m": m, "data": data, "frame": frame, "world": pin.LOCAL_WORLD_ALIGNED})


def mujoco(model: chasles.Model) -> Peer:
    import mujoco as mj

    m = mj.MjModel.from_xml_string(model.mechanism.to_mjcf())
    m.opt.jacobian = mj.mjtJacobian.mjJAC_DENSE
    m.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONSTRAINT
    d = mj.MjData(m)
    tau, M = np.zeros(7), np.zeros((7, 7))
    angular, linear = np.zeros((3, 7)), np.zeros((3, 7))
    body = mj.mj_name2id(m, mj.mjtObj.mjOBJ_BODY, "link7")

    def state(q: Numbers, v: Numbers) -> None:
        d.qpos[:], d.qvel[:] = q, v
        mj.mj_fwdPosition(m, d)
        mj.mj_fwdVelocity(m, d)

    def inverse_dynamics(q: Numbers, v: Numbers, a: Numbers) -> Numbers:
        state(q, v)
        d.qacc[:] = a
        mj.mj_rne(m, d, 1, tau)
        return tau.copy()

    def forward_dynamics(q: Numbers, v: Numbers, tau_: Numbers) -> Numbers:
        d.qpos[:], d.qvel[:], d.qfrc_applied[:] = q, v, tau_
        mj.mj_forward(m, d)
        return np.array(d.qacc)

    def jacobian(q: Numbers, v: Numbers, a: Numbers) -> Numbers:
        state(q, v)
        mj.mj_jac(m, d, linear, angular, d.xpos[body], body)
        return np.vstack([angular, linear])

    # What follows is timed for given positions and velocities of all bodies (mj_rne), or with everything else that
    # mj_forward computes.
    return Peer("MuJoCo", {"inverse_dynamics": inverse_dynamics, "forward_dynamics": forward_dynamics, "jacobian": jacobian}, {
        "inverse_dynamics": "mj.mj_rne(m, d, 1, tau)", "forward_dynamics": "mj.mj_forward(m, d)",
        "jacobian": "mj.mj_jacBody(m, d, linear, angular, body)",
    }, {"mj": mj, "m": m, "d": d, "tau": tau, "M": M, "linear": linear, "angular": angular, "body": body})


def drake(model: chasles.Model) -> Peer:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import JacobianWrtVariable, MultibodyForces

    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(model.mechanism.to_urdf(), "urdf")
    plant.Finalize()
    context = plant.CreateDefaultContext()
    forces = MultibodyForces(plant)
    frame, world = plant.GetFrameByName("link7"), plant.world_frame()

    def at(q: Numbers, v: Numbers) -> None:
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)

    def inverse_dynamics(q: Numbers, v: Numbers, a: Numbers) -> Numbers:
        at(q, v)
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcInverseDynamics(context, a, forces)

    def mass_matrix(q: Numbers, v: Numbers, a: Numbers) -> Numbers:
        at(q, v)
        return plant.CalcMassMatrix(context)

    def jacobian(q: Numbers, v: Numbers, a: Numbers) -> Numbers:
        at(q, v)
        return plant.CalcJacobianSpatialVelocity(context, JacobianWrtVariable.kV, frame, np.zeros(3), world, world)

    return Peer("Drake", {"inverse_dynamics": inverse_dynamics, "mass_matrix": mass_matrix, "jacobian": jacobian}, {
        "inverse_dynamics": "f(q, v, a)", "mass_matrix": "g(q, v, a)", "jacobian": "h(q, v, a)",
    }, {"f": inverse_dynamics, "g": mass_matrix, "h": jacobian})


def exudyn_(model: chasles.Model) -> Peer:
    """Its robot in Python: the Jacobian of the hand, from homogeneous transformations."""
    import exudyn.robotics as robotics

    robot = robotics.Robot(gravity=list(model.gravity))
    previous = np.eye(4)
    for body in model.bodies:
        pose = chasles.pose(model, model.neutral(), body.name)
        joint = next(j for j in model.joints if j.child == body.name)
        axis = chasles.jacobian(model, model.neutral(), body.name, "body")[:3, joint.v_index]
        c = body.com
        central = body.inertia - body.mass * (c @ c * np.eye(3) - np.outer(c, c))
        robot.AddLink(robotics.RobotLink(mass=body.mass, COM=c, inertia=central, preHT=np.linalg.inv(previous) @ pose,
                                         jointType="Rz" if axis[2] > 0.5 else "Ry"))
        previous = pose

    def jacobian(q: Numbers, v: Numbers, a: Numbers) -> Numbers:
        J = robot.Jacobian(robot.JointHT(list(q)), mode="all")
        return np.vstack([J[3:], J[:3]])

    return Peer("Exudyn", {"jacobian": jacobian}, {"jacobian": "f(q, v, a)"}, {"f": jacobian})


def installed(model: chasles.Model) -> list[Peer]:
    """The peers that can be imported."""
    peers = []
    for make in (pinocchio, mujoco, drake, exudyn_):
        try:
            peers.append(make(model))
        except ImportError:
            print(f"{make.__name__.rstrip('_')}: not installed")
    return peers


def ours(model: chasles.Model) -> dict[str, Callable[[Numbers, Numbers, Numbers], Any]]:
    return {
        "inverse_dynamics": lambda q, v, a: chasles.inverse_dynamics(model, q, v, a),
        "forward_dynamics": lambda q, v, a: chasles.forward_dynamics(model, q, v, a),
        "mass_matrix": lambda q, v, a: chasles.mass_matrix(model, q),
        "jacobian": lambda q, v, a: chasles.jacobian(model, q, "link7", "hybrid"),
    }


def differences(model: chasles.Model, peer: Peer, states: int = 20) -> dict[str, float]:
    """The largest difference of each call, relative to the largest entry."""
    rng, mine = np.random.default_rng(1), ours(model)
    worst = dict.fromkeys(peer.values, 0.0)
    for _ in range(states):
        q, v, a = rng.uniform(-1, 1, (3, model.nv))
        for call, value in peer.values.items():
            expected = mine[call](q, v, a)
            worst[call] = max(worst[call], float(np.abs(value(q, v, a) - expected).max() / np.abs(expected).max()))
    return worst


def nanoseconds(statement: str, names: dict[str, Any]) -> float:
    """Least of many repetitions, without the loop."""
    loop = min(timeit.repeat("pass", number=500, repeat=100))
    return 1e9 * (min(timeit.repeat(statement, globals=names, number=500, repeat=100)) - loop) / 500


def main() -> None:
    model = arm()
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, model.nv))
    out = {name: np.asarray(f(q, v, a)) for name, f in ours(model).items()}
    mine = {"inverse_dynamics": "q, v, a", "forward_dynamics": "q, v, a", "mass_matrix": "q", "jacobian": "q, frame, 'hybrid'"}
    print(f"{'ns per call':18}" + "".join(f"{name:>18}" for name in mine))
    for title, more in (("chasles, out=", ", out=out"), ("chasles", "")):
        times = [nanoseconds(f"f(model, {arguments}{more})", {"f": getattr(chasles, name), "model": model, "q": q, "v": v, "a": a,
                                                              "frame": model.frame("link7"), "out": out[name].copy()})
                 for name, arguments in mine.items()]
        print(f"{title:18}" + "".join(f"{t:18.0f}" for t in times))
    for peer in installed(model):
        wrong = differences(model, peer)
        names = peer.names | {"q": q, "v": v, "a": a}
        cells = [f"{nanoseconds(peer.statements[c], names):.0f} ({wrong[c]:.0e})" if c in wrong else
                 f"{nanoseconds(peer.statements[c], names):.0f}" if c in peer.statements else "-" for c in mine]
        print(f"{peer.name:18}" + "".join(f"{cell:>18}" for cell in cells))


if __name__ == "__main__":
    main()
