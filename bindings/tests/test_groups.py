"""Rotations, rigid motions, screws, lines and systems of screws, against matrices and numpy."""
from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import chasles
from chasles import SE3, SO3, screws

rng = np.random.default_rng(5)


def close(a, b, tolerance=1e-14):
    np.testing.assert_allclose(a, b, atol=tolerance * (1 + np.abs(b).max(initial=0)), rtol=0)


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def series(A):
    """exp of a matrix, by scaling and the series."""
    B, term, total = A / 1024, np.eye(len(A)), np.eye(len(A))
    for k in range(1, 12):
        term = term @ B / k
        total = total + term
    for _ in range(10):
        total = total @ total
    return total


def hat6(X):
    out = np.zeros((4, 4))
    out[:3, :3], out[:3, 3] = hat(X[:3]), X[3:]
    return out


@pytest.mark.parametrize("group, size", [(SO3, 3), (SE3, 6)])
def test_group(group, size):
    algebra = hat if size == 3 else hat6
    X, Y = rng.uniform(-1.5, 1.5, (2, size))
    A, B = group.exp(X), group.exp(Y)
    close(A.matrix, series(algebra(X)), 1e-12)
    close((A @ B).matrix, A.matrix @ B.matrix)
    close(A.inverse().matrix, np.linalg.inv(A.matrix), 1e-13)
    close(A.log(), X, 1e-13)
    close(algebra(A.Ad() @ Y), A.matrix @ algebra(Y) @ A.inverse().matrix, 1e-13)  # the definition of Ad
    assert A == group(A.matrix) and A != B and A != 3 and hash(A) == hash(group(A.matrix)) and A == group.exp(X)
    for twin in (copy.copy(A), copy.deepcopy(A), pickle.loads(pickle.dumps(A))):
        assert twin == A
    assert repr(A).startswith(f"<chasles.{group.__name__}: ") and "\n" not in repr(A)
    assert np.asarray(A).dtype == np.float64 and np.asarray(A, dtype=np.float32).dtype == np.float32
    close(np.asarray(A), A.matrix, 0)
    close(group().matrix, np.eye(size // 3 + (2 if size == 3 else 2)), 0)
    close(chasles.lie.log(A), A.log())  # functions take it as a matrix
    close(np.linalg.inv(B), B.inverse().matrix, 1e-13)


def test_points():
    p = rng.uniform(-1, 1, (7, 3))
    C = SE3.exp(rng.uniform(-1, 1, 6))
    close(C @ p, p @ C.R.T + C.r)
    close(C @ p[0], C.R @ p[0] + C.r)
    close(C.rotation @ p, p @ C.R.T)
    close(C @ p[:0], np.zeros((0, 3)))
    assert SE3(C.R, C.r) == C == SE3(C) and C.rotation == SO3(C.R)


def test_rotations():
    c, s = np.cos(0.7), np.sin(0.7)
    R = SO3([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    close(R.quaternion, [np.cos(0.35), 0, 0, np.sin(0.35)])
    assert SO3.from_quaternion(R.quaternion) == R or np.abs(SO3.from_quaternion(R.quaternion).R - R.R).max() < 1e-15
    close(SO3.from_rpy(0.1, 0.2, 0.3).R, SO3.exp([0, 0, 0.3]).R @ SO3.exp([0, 0.2, 0]).R @ SO3.exp([0.1, 0, 0]).R)
    m = R.R + 0.1 * rng.uniform(-1, 1, (3, 3))
    U, _, Vt = np.linalg.svd(m)  # the polar factor is nearest
    close(SO3.nearest(m).R, U @ Vt, 1e-12)


def test_misuse_of_groups():
    for wrong in (np.zeros((4, 4)), 2 * np.eye(4), np.diag([1.0, 1, -1, 1])):
        with pytest.raises(ValueError, match="not a rotation|not a rigid motion"):
            SE3(wrong)
    for wrong in (np.eye(3), [1, 2], np.zeros(7)):
        with pytest.raises(ValueError, match="SE3"):
            SE3(wrong)
    with pytest.raises(ValueError, match="not a rotation"):
        SO3(np.full((3, 3), np.nan))
    with pytest.raises(TypeError):
        SE3("C")
    C = SE3()
    for wrong in (np.eye(4), np.zeros(4), np.zeros((2, 2, 3)), 3.0):
        with pytest.raises(ValueError, match="give a point"):
            C @ wrong
    with pytest.raises(TypeError):
        C @ "p"
    with pytest.raises(ValueError):
        C.__array__(copy=False)
    with pytest.raises(chasles.Error, match="not unit"):
        SO3.from_quaternion([1, 1, 0, 0])


def test_axes():
    X = rng.uniform(-1, 1, 6)
    C = SE3.exp(X)
    axis = screws.mozzi_axis(C)
    close(SE3.exp(axis.magnitude * screws.screw(axis.axis, axis.point, axis.pitch)).matrix, C.matrix, 1e-13)
    assert abs(axis.point @ axis.axis) < 1e-14 and "pitch" in repr(axis)
    close(C @ axis.point, axis.point + axis.magnitude * axis.pitch * axis.axis, 1e-13)  # Chasles: it moves along the axis
    translation = screws.mozzi_axis(chasles.lie.pose([0, 0, 2]))
    assert translation.pitch == np.inf and translation.magnitude == 2
    W = rng.uniform(-1, 1, 6)
    a = screws.poinsot_axis(W)
    close(a.magnitude * np.concatenate([np.cross(a.point, a.axis) + a.pitch * a.axis, a.axis]), W)
    close(screws.screw_axis(X).magnitude, np.linalg.norm(X[:3]))
    assert abs(screws.power(W, X) - W @ X) < 1e-15
    Y = rng.uniform(-1, 1, 6)
    product = screws.reciprocal_product(X, Y)
    close(product, X[:3] @ Y[3:] + X[3:] @ Y[:3])
    close(screws.reciprocal_product(C.Ad() @ X, C.Ad() @ Y), product, 1e-13)  # the same in every frame


def test_lines():
    (e1, e2), (p1, p2) = rng.uniform(-1, 1, (2, 2, 3))
    a, b = screws.pluecker_line(e1, p1), screws.pluecker_line(e2, p2)
    n = np.cross(e1, e2)
    close(screws.line_distance(a, b), abs((p2 - p1) @ n) / np.linalg.norm(n), 1e-13)
    foot = screws.nearest_point(a)
    assert abs(foot @ a[:3]) < 1e-15
    close(np.cross(foot - p1, e1), np.zeros(3), 1e-14)
    close(screws.axis_line(screws.screw_axis(screws.screw(e1, p1, 0.3))), a, 1e-14)
    with pytest.raises(ValueError, match="is not a line: the direction has length 2"):
        screws.line_distance(2 * a, b)
    with pytest.raises(ValueError, match="not a line"):
        screws.nearest_point([0, 0, 1, 0, 0, 1])
    with pytest.raises(chasles.Error, match="no Pluecker coordinates"):
        screws.axis_line(screws.screw_axis([0, 0, 0, 1, 0, 0]))


def rank(*systems):
    return np.linalg.matrix_rank(np.vstack([s.basis for s in systems]), tol=1e-9)


def test_screw_systems():
    z = [0, 0, 1]
    bars = screws.ScrewSystem([screws.screw(z, p) for p in ([0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 0, 0])])
    assert bars.dimension == 3 == rank(bars) and screws.is_closed(bars)
    assert screws.motion_subgroup(bars) == ("SE(2)", screws.motion_subgroup(bars)[1]) and "planar" in screws.motion_subgroup(bars)[1]
    assert bars.contains([0, 0, 0, 1, 2, 0]) and not bars.contains([0, 0, 0, 0, 0, 1])
    any_ = screws.ScrewSystem(rng.uniform(-1, 1, (4, 6)))
    other = screws.ScrewSystem(rng.uniform(-1, 1, (3, 6)))
    dual = screws.reciprocal(any_)
    assert dual.dimension == 2
    for X in any_.basis:
        for Y in dual.basis:
            assert abs(screws.reciprocal_product(X, Y)) < 1e-13
    assert screws.sum(any_, other).dimension == 6 and screws.intersection(any_, other).dimension == 1
    common = screws.intersection(any_, other)
    assert rank(any_, common) == 4 and rank(other, common) == 3
    two = screws.ScrewSystem([screws.screw([1, 0, 0], [0, 0, 0]), screws.screw([0, 1, 0], [0, 0, 0])])
    assert screws.closure(two).dimension == 3 and screws.motion_subgroup(screws.closure(two))[0] == "SO(3)"
    C = SE3.exp(rng.uniform(-1, 1, 6))
    moved = screws.transform(C, any_)
    for X in any_.basis:
        assert moved.contains(C.Ad() @ X)
    with pytest.raises(chasles.Error):
        screws.motion_subgroup(two)
    with pytest.raises(ValueError, match=r"\(any, 6\)"):
        screws.ScrewSystem([[1, 2, 3]])
    assert screws.ScrewSystem(np.zeros((0, 6))).dimension == 0
