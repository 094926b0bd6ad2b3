"""Every function of arrays with wrong and unusual arguments: an error that names the argument, or the right answer."""
from __future__ import annotations

import copy
import gc
import inspect
import os
import pickle
import subprocess
import sys
import threading

import hypothesis
import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from conftest import States, target, verbs
from hypothesis import strategies

import chasles

NUMPY = tuple(map(int, np.__version__.split(".")[:2]))
ROWS = pytest.mark.parametrize("row", verbs(), ids=lambda row: row[0])


class Interface:
    """An object that only offers an array."""

    def __init__(self, x):
        self.x = x

    def __array__(self, dtype=None, copy=None):
        return self.x.astype(dtype) if dtype else self.x


class Exchange:
    """An object that numpy.from_dlpack takes, as tensors of torch and jax are."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __array__(self, dtype=None, copy=None):
        return np.from_dlpack(self)


class OnlyExchange:
    """A tensor without __array__, as those of some libraries."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


class Subclass(np.ndarray):
    pass


def strided(x):
    return np.repeat(x, 2)[::2]


# Arrays with the same numbers: same result.
SAME = {
    "list": lambda x: x.tolist(),
    "tuple": lambda x: tuple(x.tolist()),
    "strided": strided,
    "reversed": lambda x: x[::-1].copy()[::-1],
    "big-endian": lambda x: x.astype(">f8"),
    "long double": lambda x: x.astype(np.longdouble),
    "read-only": lambda x: np.frombuffer(x.tobytes()),
    "unaligned": lambda x: np.frombuffer(b"1" + x.tobytes(), np.uint8)[1:].view(np.float64),
    "subclass": lambda x: x.view(Subclass),
    "__array__": Interface,
    "dlpack": Exchange if NUMPY >= (1, 23) else Interface,
    "dlpack only": OnlyExchange if NUMPY >= (1, 22) else Interface,
    "list of 0-d": lambda x: [np.float64(e) for e in x],
}
# Arrays that are not numbers of this size.
WRONG = {
    "None": (lambda x: None, TypeError),
    "text": (lambda x: "q", TypeError),
    "bytes": (lambda x: b"q", TypeError),
    "texts": (lambda x: ["1"] * x.size, TypeError),
    "complex": (lambda x: x + 0j, TypeError),
    "bool": (lambda x: x > 0, TypeError),
    "objects": (lambda x: np.array([None] * x.size), TypeError),
    "dates": (lambda x: np.zeros(x.size, "M8[s]"), TypeError),
    "masked": (lambda x: np.ma.masked_array(x, x > 0), TypeError),
    "dict": (lambda x: {"q": x}, TypeError),
    "model": (lambda x: chasles.load("examples/puma560.yaml"), TypeError),
    "number": (lambda x: 1.0, ValueError),
    "short": (lambda x: x[:-1], ValueError),
    "long": (lambda x: np.append(x, 0), ValueError),
    "empty": (lambda x: [], ValueError),
    "column": (lambda x: x[:, None], ValueError),
    "3-D": (lambda x: x[None, None, :], ValueError),
    "ragged": (lambda x: [[1, 2], [3]], ValueError if NUMPY >= (1, 24) else Warning),  # an array of objects before
    "batch with a state": (lambda x: np.stack([x, x]), ValueError),
    "half of the batch": (lambda x: x[None, ::2], ValueError),
}


def call(row, arm, arguments, **options):
    return getattr(chasles, row[0])(arm, *arguments, *target(arm, row[4]), **options)


@ROWS
@pytest.mark.parametrize("kind", SAME)
def test_the_same_numbers(row, kind, arm):
    arguments = States(arm).of(row[2])
    expected = call(row, arm, arguments)
    for k in range(len(arguments)):
        changed = list(arguments)
        changed[k] = SAME[kind](arguments[k])
        np.testing.assert_array_equal(call(row, arm, changed), expected)
    if kind not in ("__array__", "dlpack", "dlpack only", "list of 0-d"):
        batch = [np.stack([x, x]) for x in arguments]
        expected = call(row, arm, batch)
        batch[0] = np.stack([np.asarray(SAME[kind](x)) for x in batch[0]])
        np.testing.assert_array_equal(call(row, arm, [np.asfortranarray(x) for x in batch]), expected)


@ROWS
@pytest.mark.parametrize("kind", WRONG)
def test_wrong_arrays(row, kind, arm):
    arguments = States(arm).of(row[2])
    change, error = WRONG[kind]
    for k, name in enumerate(row[1]):
        changed = list(arguments)
        changed[k] = change(arguments[k])
        if kind == "batch with a state" and len(arguments) == 1:
            continue  # a batch
        with pytest.raises(error) as raised:
            call(row, arm, changed)
        if kind != "ragged":  # the words of numpy
            assert row[0] + "(): " in str(raised.value)
            assert name in str(raised.value)


def test_shapes_are_in_messages(arm):
    with pytest.raises(chasles.SizeError) as raised:
        chasles.inverse_dynamics(arm, [0] * 5, [0] * 6, [0] * 6)
    assert str(raised.value) == ("inverse_dynamics(): q has shape (5,); the model 'puma560' needs (6,), "
                                 "or (states, 6) for a batch")
    assert isinstance(raised.value, ValueError) and isinstance(raised.value, chasles.Error)


@ROWS
def test_wrong_out(row, arm):
    arguments = States(arm).of(row[2])
    right = np.asarray(call(row, arm, arguments))
    read_only = right.copy()
    read_only.flags.writeable = False
    for out, error in [
        (right.astype(np.float32), TypeError), (right.astype(">f8"), TypeError), (right.tolist(), TypeError),
        (right.view(Subclass), TypeError), (np.zeros((*right.shape, 1)), ValueError), (np.zeros((2, *right.shape)), ValueError),
        (read_only, ValueError), (0, TypeError),
    ]:
        with pytest.raises(error, match=row[0] + r"\(\): out "):
            call(row, arm, arguments, out=out)
    if right.ndim:
        with pytest.raises(ValueError, match="contiguous"):
            call(row, arm, arguments, out=np.zeros((*right.shape, 2))[..., 0])
    out = np.empty(right.shape)
    assert call(row, arm, arguments, out=out) is out
    np.testing.assert_array_equal(out, right)
    call(row, arm, arguments, out=None)


@ROWS
def test_out_may_be_an_input_of_one_state(row, arm):
    arguments = States(arm).of(row[2])
    expected = call(row, arm, arguments)
    for k, x in enumerate(arguments):
        if np.shape(expected) == x.shape:
            changed = [y.copy() for y in arguments]
            np.testing.assert_array_equal(call(row, arm, changed, out=changed[k]), expected)
            batch = [np.stack([y] * 10) for y in arguments]
            with pytest.raises(ValueError, match="share memory"):
                call(row, arm, batch, out=batch[k])


@ROWS
def test_arguments_by_name(row, arm):
    name, inputs, sizes, _, takes, _ = row
    f = getattr(chasles, name)
    arguments = States(arm).of(sizes)
    expected = call(row, arm, arguments)
    named = dict(zip(inputs, arguments)) | dict(zip([n for n, bit in (("frame", 1), ("representation", 2)) if takes & bit],
                                                   target(arm, takes)))
    np.testing.assert_array_equal(f(arm, **named), expected)
    np.testing.assert_array_equal(f(model=arm, **named, out=None), expected)
    assert list(inspect.signature(f).parameters) == ["model", *named, *(["applied"] if takes & 4 else []), "out"]
    assert f.__doc__ and f.__module__ == "chasles._core"
    with pytest.raises(TypeError, match="unexpected keyword argument 'Q'"):
        f(arm, **named, Q=1)
    with pytest.raises(TypeError, match="multiple values for argument 'model'"):
        f(arm, **named, model=arm)
    with pytest.raises(TypeError, match="positional arguments"):
        f(arm, *named.values(), None)
    missing = dict(named)
    missing.pop(inputs[-1])
    with pytest.raises(TypeError, match=f"missing required argument: '{inputs[-1]}'"):
        f(arm, **missing)
    for model in (None, "arm", 3, arm.mechanism):
        with pytest.raises(TypeError, match="model is a"):
            f(model, **named)


def test_frames_and_representations(arm):
    q = arm.neutral()
    other = chasles.load("examples/puma560.yaml")
    with pytest.raises(chasles.UnknownNameError, match="did you mean 'link6'") as raised:
        chasles.pose(arm, q, "lnk6")
    assert isinstance(raised.value, KeyError) and not str(raised.value).startswith('"')
    with pytest.raises(chasles.ForeignError):
        chasles.pose(arm, q, other.frame("link6"))
    for wrong in (None, 3, b"link6"):
        with pytest.raises(TypeError, match="frame is a"):
            chasles.pose(arm, q, wrong)
        with pytest.raises(TypeError, match="representation is a"):
            chasles.jacobian(arm, q, "link6", wrong)
    with pytest.raises(ValueError, match="'world'"):
        chasles.jacobian(arm, q, "link6", "world")
    with pytest.raises(TypeError, match="give a dict"):
        chasles.bias, chasles.inverse_dynamics(arm, q, q, q, applied=[1])
    with pytest.raises(ValueError, match=r"shape \(5,\)"):
        chasles.inverse_dynamics(arm, q, q, q, applied={"link6": np.zeros(5)})
    with pytest.raises(chasles.UnknownNameError):
        chasles.inverse_dynamics(arm, q, q, q, applied={"hand": np.zeros(6)})


@hypothesis.settings(max_examples=60, deadline=None, derandomize=True)
@hypothesis.given(strategies.data())
def test_any_array(data):
    """Whatever the shape, the type, the strides and the order: the answer for the same numbers, or an error."""
    arm = chasles.load("examples/puma560.yaml")
    types = strategies.sampled_from(["f8", "f4", ">f8", "i4", "u1", "f2", "?", "c16", "O", "U3"])
    shapes = strategies.sampled_from([(6,), (3, 6), (1, 6), (0, 6), (6, 3), (5,), (6, 1), (), (2, 3, 6), (0,)])
    x = data.draw(arrays.arrays(np.dtype(data.draw(types)), data.draw(shapes), fill=strategies.nothing(), elements=None)
                  .filter(lambda a: a.dtype.kind not in "fc" or bool(np.isfinite(a).all() and (np.abs(a) < 1e3).all())))
    x = data.draw(strategies.sampled_from([np.asarray, np.asfortranarray, lambda a: a.T.copy().T, lambda a: np.repeat(a, 2, -1)[..., ::2] if a.ndim else a]))(x)
    zeros = np.zeros(x.shape)
    try:
        result = chasles.inverse_dynamics(arm, x, zeros, zeros)
    except (TypeError, ValueError):
        assert x.dtype.kind in "?bcOU" or x.ndim not in (1, 2) or x.shape[-1] != 6
        return
    assert x.dtype.kind in "fiu" and x.shape[-1] == 6
    expected = chasles.inverse_dynamics(arm, x.astype(float).copy(), zeros, zeros)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)


def test_everything_with_any_arguments(tmp_path):
    """No function ends the process, whatever it is given; exceptions are ours or of Python (attack.py)."""
    done = subprocess.run([sys.executable, "bindings/tests/attack.py", "1", "3000"], capture_output=True, text=True,
                          env=os.environ | {"CHASLES_FOLDER": str(tmp_path)})
    assert done.returncode == 0, done.stdout + done.stderr + (tmp_path / "attack.log").read_text()


def test_threads(arm):
    """Eight threads on one model, single states and batches, and the same numbers as alone."""
    states = States(arm)
    work = [states.of("qvv") for _ in range(8)]
    batches = [states.of("qvv", 64) for _ in range(8)]
    expected = [(chasles.inverse_dynamics(arm, *x), chasles.mass_matrix(arm, x[0])) for x in work]
    expected_batches = [chasles.forward_dynamics(arm, *x) for x in batches]
    wrong = []

    def run(k):
        for _ in range(200):
            if not (np.array_equal(chasles.inverse_dynamics(arm, *work[k]), expected[k][0])
                    and np.array_equal(chasles.mass_matrix(arm, work[k][0]), expected[k][1])
                    and np.array_equal(chasles.forward_dynamics(arm, *batches[k]), expected_batches[k])):
                wrong.append(k)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_pickle_copy_equality_and_repr(model):
    q, v, a = States(model).of("qvv")
    tau = chasles.inverse_dynamics(model, q, v, a)
    for twin in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model),
                 model.mechanism.compile(), pickle.loads(pickle.dumps(model.mechanism)).compile()):
        assert twin == model and hash(twin) == hash(model) and not twin != model
        np.testing.assert_array_equal(chasles.inverse_dynamics(twin, q, v, a), tau)
    assert model != model.with_gravity([0, 0, 1]) and model != 3 and model.mechanism != model
    assert repr(model) == (f"<chasles.Model '{model.name}': {len(model.joints)} joints, nq {model.nq}, nv {model.nv}>")
    for thing in (model.mechanism, model.joints[0], model.bodies[0], model.frame("ground")):
        assert repr(thing).startswith("<chasles.") and "\n" not in repr(thing)


def test_what_a_model_gives_outlives_it():
    model = chasles.load("examples/puma560.yaml")
    joint, body, frame = model.joints[1], model.bodies[2], model.frame("link3")
    del model
    gc.collect()
    assert (joint.name, body.name, frame.name) == ("shoulder", "link3", "link3")


def test_names(arm):
    elbow = arm.joint("elbow")
    assert (elbow.type, elbow.q, elbow.v, elbow.parent, elbow.child) == ("revolute", slice(2, 3), slice(2, 3), "link2", "link3")
    with pytest.raises(KeyError, match="did you mean 'elbow'"):
        arm.joint("elbwo")
    with pytest.raises(KeyError, match="did you mean 'link3'"):
        arm.body("lnk3")
    assert arm.frame("link3") == arm.frame("link3") != arm.frame("link2")
    assert arm.support("link3") == [0, 1, 2]
    shifted = arm.frame("link3").at(chasles.lie.pose([1, 2, 3]))
    np.testing.assert_allclose(chasles.pose(arm, arm.neutral(), shifted),
                               chasles.pose(arm, arm.neutral(), "link3") @ chasles.lie.pose([1, 2, 3]), atol=1e-15)


def test_files_and_texts(tmp_path):
    with pytest.raises(chasles.FileError, match="there is no such file"):
        chasles.load(tmp_path / "none.yaml")
    with pytest.raises(ValueError, match="text"):
        chasles.from_text("bodies: 3")
    with pytest.raises(ValueError):
        chasles.from_text("")
    arm = chasles.load("examples/puma560.yaml")
    with pytest.warns(UserWarning, match="no body can have this inertia"):
        twins = [chasles.from_text(text) for text in (arm.mechanism.to_yaml(), arm.mechanism.to_urdf(),
                                                      arm.mechanism.to_mjcf(), arm.mechanism.to_sdf())]
    for twin in twins:
        q = np.linspace(-1, 1, 6)
        np.testing.assert_allclose(chasles.mass_matrix(twin, q), chasles.mass_matrix(arm, q), atol=1e-12)


def test_builder():
    """A pendulum of two links, by its closed form."""
    m1, m2, l1, c2 = 2.0, 1.5, 0.7, 0.4
    joints = chasles.joints
    arm = (chasles.MechanismBuilder("pendulum")
           .body("upper", "ground", joints.revolute([0, 1, 0])).inertia(m1, [0, 0, -l1], np.zeros((3, 3)))
           .body("lower", "upper", joints.revolute([0, 1, 0], [0, 0, -l1])).inertia(m2, [0, 0, -l1 - c2], np.zeros((3, 3)))
           .frame("tip", "lower", chasles.lie.pose([0, 0, -l1 - c2])).build().compile())
    q = np.array([0.3, 0.5])
    g, c = 9.81, np.cos(q[1])
    M = np.array([[m1 * l1**2 + m2 * (l1**2 + c2**2 + 2 * l1 * c2 * c), m2 * (c2**2 + l1 * c2 * c)],
                  [m2 * (c2**2 + l1 * c2 * c), m2 * c2**2]])
    np.testing.assert_allclose(chasles.mass_matrix(arm, q), M, rtol=1e-14)
    G = np.array([(m1 + m2) * g * l1 * np.sin(q[0]) + m2 * g * c2 * np.sin(q.sum()), m2 * g * c2 * np.sin(q.sum())])
    np.testing.assert_allclose(chasles.gravity_forces(arm, q), G, rtol=1e-13)
    tip = [-l1 * np.sin(q[0]) - c2 * np.sin(q.sum()), 0, -l1 * np.cos(q[0]) - c2 * np.cos(q.sum())]
    np.testing.assert_allclose(chasles.pose(arm, q, "tip")[:3, 3], tip, atol=1e-15)
    with pytest.raises(ValueError, match="pose is not a rigid motion"):
        chasles.MechanismBuilder("x").frame("f", "b", np.zeros((4, 4)))
    with pytest.raises(chasles.Error, match="nothing"):
        chasles.MechanismBuilder("x").body("a", "nothing", joints.fixed()).build()
    with pytest.raises(KeyError, match="did you mean 'revolute'"):
        joints.of("revolut", [0, 0, 1])
    with pytest.raises(ValueError, match="axis has shape"):
        joints.revolute([0, 0])
