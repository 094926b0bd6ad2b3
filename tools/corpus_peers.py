"""Mass, mass matrix and bias of a robot file by Pinocchio (URDF), MuJoCo (MJCF) or Drake (SDF), for tools/corpus.

`Peer` runs this file by the Python that has the peer, as a process that answers one line of JSON per file: a file that
crashes the peer ends that process alone.

States and answers are in the coordinates of Chasles: q with quaternion (w, x, y, z) before position, v = (angular;
linear) in axes of the body. With v_peer = T v of a floating or ball joint

    M = T^T M_peer T,    h = T^T (h_peer + M_peer Td v).
"""
import json
import pathlib
import select
import subprocess
import sys

seconds = 60


class Peer:
    def __init__(self, python, name, folder):
        self.python, self.name, self.folder, self.process = python, name, folder, None

    def ask(self, path, info, states):
        """{"error": text}, or {"nv", "mass", "joints", "results": [{"mass_matrix", "bias"}] or "unlike": reason}."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([str(self.python), __file__, self.name], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=self.folder)
        question = {"path": str(path), "joints": info["joints"] if info else [], "states": states,
                    "gravity": info["gravity"] if info else [0, 0, -9.81]}
        try:
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
            ready = select.select([self.process.stdout], [], [], seconds)[0]
            line = self.process.stdout.readline() if ready else ""
        except OSError:
            line = ""
        if line:
            return json.loads(line)
        self.process.kill()
        self.process = None
        return {"error": f"{self.name} crashes or takes longer than {seconds} s"}


def difference(info, results, answer):
    """The largest relative difference of mass, M and bias; a text: why they cannot be compared."""
    if answer["nv"] != info["nv"]:
        return f"nv differs: {'more' if info['nv'] > answer['nv'] else 'fewer'} here"
    largest = abs(info["mass"] - answer["mass"]) / max(1e-9, abs(answer["mass"]))
    if "unlike" in answer:
        return answer["unlike"]
    for mine, theirs in zip(results, answer.get("results", [])):
        # Forces that cancel are compared with those of an acceleration of a thousandth.
        least = 1e-3 * max((abs(x) for row in theirs["mass_matrix"] for x in row), default=0)
        for key in ("mass_matrix", "bias"):
            a, b = [[x for row in value for x in (row if isinstance(row, list) else [row])]
                    for value in (mine[key], theirs[key])]
            size = max([1e-12, least, *map(abs, b)])
            largest = max([largest, *(abs(x - y) / size for x, y in zip(a, b, strict=True))])
    return largest


# ------------------------------------------------------------------------- from here on inside the peer's process

class Unlike(Exception):
    """The peer's joints are not those of Chasles one by one."""


def rotation(quaternion):
    import numpy as np
    w, x, y, z = quaternion
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def product(a, b):
    w, x, y, z = a
    s, i, j, k = b
    return [w * s - x * i - y * j - z * k, w * i + x * s + y * k - z * j, w * j - x * k + y * s + z * i,
            w * k + x * j - y * i + z * s]


class Answer:
    """Collects T and Td v of the joints, and expresses M and h in the coordinates of Chasles."""

    def __init__(self, nv):
        import numpy as np
        self.np, self.T, self.rate = np, np.zeros((nv, nv)), np.zeros(nv)

    def give(self, theirs, ours, block, rate=0):
        n = len(block)
        self.T[theirs:theirs + n, ours:ours + n] = block
        self.rate[theirs:theirs + n] = rate

    def result(self, M, h):
        return {"mass_matrix": (self.T.T @ M @ self.T).tolist(),
                "bias": (self.T.T @ (h + M @ self.rate)).tolist()}


def of_pin(question):
    import numpy as np
    import pinocchio as pin
    model = pin.buildModelFromUrdf(question["path"])
    answer = {"nv": model.nv, "mass": pin.computeTotalMass(model) if model.nv else 0, "results": []}
    model.gravity.linear = np.array(question["gravity"])
    data = model.createData()
    if not question["joints"]:
        return {**answer, "mass": answer["mass"]}
    for state in question["states"]:
        q, v, out = pin.neutral(model), np.zeros(model.nv), Answer(model.nv)
        for joint in question["joints"]:
            if not model.existJointName(joint["name"]):
                raise Unlike("a joint has another name")
            other = model.joints[model.getJointId(joint["name"])]
            mine, speed = state["q"][joint["q_index"]:][:joint["nq"]], state["v"][joint["v_index"]:][:joint["nv"]]
            at, to = other.idx_q, other.idx_v
            if other.nv == joint["nv"] == 1:
                q[at:at + other.nq] = mine if other.nq == 1 else [np.cos(mine[0]), np.sin(mine[0])]
                block = np.eye(1)
            elif joint["type"] == "floating":
                q[at:at + 7] = mine[4:] + mine[1:4] + mine[:1]
                block = np.roll(np.eye(6), 3, axis=0)
            else:
                raise Unlike("a joint of several coordinates")
            out.give(to, joint["v_index"], block)
            v[to:to + other.nv] = block @ speed
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        answer["results"].append(out.result(M, pin.nle(model, data, q, v)))
    return answer


def of_mujoco(question):
    import mujoco
    import numpy as np
    model = mujoco.MjModel.from_xml_path(question["path"])
    # Mocap bodies are placed by programs; forces do not move them.
    moving = (model.body_weldid > 0) & (model.body_mocapid[model.body_rootid] < 0)
    answer = {"nv": int(model.nv), "mass": float(model.body_mass[moving].sum()), "results": []}
    joints = question["joints"]
    if not joints or model.nv == 0:
        return answer
    types = {0: "floating", 1: "spherical", 2: "prismatic", 3: "revolute"}
    if [joint["type"] for joint in joints] != [types[int(kind)] for kind in model.jnt_type]:
        raise Unlike("other joints, or another order")
    data = mujoco.MjData(model)
    for state in question["states"]:
        out = Answer(model.nv)
        for k, joint in enumerate(joints):
            mine = state["q"][joint["q_index"]:][:joint["nq"]]
            speed = np.array(state["v"][joint["v_index"]:][:joint["nv"]])
            at, to, rate = model.jnt_qposadr[k], model.jnt_dofadr[k], 0
            start = model.qpos0[at:at + joint["nq"]]
            if joint["type"] == "floating":
                quaternion = product(start[3:], mine[:4])
                R = rotation(quaternion)
                # One with armature is on SO(3) x R^3: its position is in the axes of the world, and so is its rate.
                apart = "armature" in joint
                way = np.array(mine[4:]) if apart else rotation(start[3:]) @ mine[4:]
                data.qpos[at:at + 7] = [*(start[:3] + way), *quaternion]
                block = np.block([[np.zeros((3, 3)), np.eye(3) if apart else R], [np.eye(3), np.zeros((3, 3))]])
                rate = np.concatenate([np.zeros(3) if apart else R @ np.cross(speed[:3], speed[3:]), np.zeros(3)])
            else:
                data.qpos[at:at + joint["nq"]] = mine if joint["type"] == "spherical" else start + mine
                block = np.eye(joint["nv"])
            out.give(to, joint["v_index"], block, rate)
            data.qvel[to:to + joint["nv"]] = block @ speed
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        try:
            mujoco.mj_fullM(model, M, data.qM)
        except (AttributeError, TypeError):
            mujoco.mj_fullM(model, data, M)
        answer["results"].append(out.result(M, data.qfrc_bias))
    return answer


def of_drake(question):
    import numpy as np
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    path = pathlib.Path(question["path"])
    for above in list(path.parents)[:4]:
        if (above / "package.xml").exists():
            parser.package_map().AddPackageXml(str(above / "package.xml"))
    parser.AddModels(question["path"])
    plant.mutable_gravity_field().set_gravity_vector(question["gravity"])
    plant.Finalize()
    context = plant.CreateDefaultContext()
    answer = {"nv": plant.num_velocities(), "mass": 0, "results": []}
    welded = {body.index() for body in plant.GetBodiesWeldedTo(plant.world_body())}
    bodies = [plant.get_body(index) for index in map(type(plant.world_body().index()), range(plant.num_bodies()))]
    answer["mass"] = sum(body.default_mass() for body in bodies if body.index() not in welded)
    joints = question["joints"]
    if not joints:
        return answer
    moving = {}  # joints by the whole name of the body that they move
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        body = joint.child_body()
        moving[plant.GetModelInstanceName(body.model_instance()) + "::" + body.name()] = joint

    def of_child(wanted):
        """The joint of the peer; the name of the only model is left out here."""
        ends = [name for name in moving if ("::" + name).endswith("::" + wanted)]
        if not ends:
            raise Unlike("a joint has another child")
        return moving[min(ends, key=lambda name: name.count("::"))]

    for state in question["states"]:
        q, v, out = plant.GetPositions(context) * 1.0, np.zeros(plant.num_velocities()), Answer(plant.num_velocities())
        start = plant.GetPositions(plant.CreateDefaultContext())
        for joint in joints:
            mine = state["q"][joint["q_index"]:][:joint["nq"]]
            speed = np.array(state["v"][joint["v_index"]:][:joint["nv"]])
            rate = 0
            other = of_child(joint["child"])
            at, to = other.position_start(), other.velocity_start()
            if joint["type"] == "floating":
                before = start[at:at + 7]
                quaternion = product(before[:4], mine[:4])
                R = rotation(quaternion)
                q[at:at + 7] = [*quaternion, *(before[4:] + rotation(before[:4]) @ mine[4:])]
                block = np.block([[R, np.zeros((3, 3))], [np.zeros((3, 3)), R]])
                rate = np.concatenate([np.zeros(3), R @ np.cross(speed[:3], speed[3:])])
            elif joint["nq"] == joint["nv"] == other.num_velocities():  # of one axis, or universal
                q[at:at + joint["nv"]], block = mine, np.eye(joint["nv"])
            elif joint["type"] == "spherical" and other.num_velocities() == 3:
                # Roll, pitch and yaw, and the angular velocity in axes of the parent; ours is in axes of the body.
                B = other.frame_on_child().GetFixedPoseInBodyFrame().rotation().matrix()
                R = B.T @ rotation(mine) @ B
                q[at:at + 3] = [np.arctan2(R[2, 1], R[2, 2]), np.arcsin(-R[2, 0]), np.arctan2(R[1, 0], R[0, 0])]
                block = R @ B.T
            else:
                raise Unlike("a joint of several coordinates")
            out.give(to, joint["v_index"], block, rate)
            v[to:to + joint["nv"]] = block @ speed
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        M = plant.CalcMassMatrix(context)
        h = plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context)
        answer["results"].append(out.result(M, h))
    return answer


def serve(name):
    work = {"pin": of_pin, "mujoco": of_mujoco, "drake": of_drake}[name]
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = work(question)
        except Unlike as unlike:
            answer = {**work({**question, "joints": []}), "unlike": str(unlike)}
        except Exception as error:  # pylint: disable=broad-except
            answer = {"error": f"{type(error).__name__}: {str(error)[:300]}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1])
