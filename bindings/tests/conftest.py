"""Models and states that the tests share. Tests run in the root of the project."""
from __future__ import annotations

import numpy as np
import pytest

import chasles

MODELS = [f"examples/{name}.yaml" for name in ("puma560", "every_joint", "quadruped", "three_spheres")]


class States:
    """Random states of a model, reproducible."""

    def __init__(self, model: chasles.Model, seed: int = 1) -> None:
        self.model = model
        self.rng = np.random.default_rng(seed)

    def v(self, *states: int) -> np.ndarray:
        return self.rng.uniform(-1, 1, (*states, self.model.nv))

    def q(self, *states: int) -> np.ndarray:
        start = np.broadcast_to(self.model.neutral(), (*states, self.model.nq))
        return chasles.plus(self.model, start, self.v(*states))

    def of(self, sizes: str, *states: int) -> list[np.ndarray]:
        return [self.q(*states) if size == "q" else self.v(*states) for size in sizes]


@pytest.fixture(scope="session", params=MODELS)
def model(request: pytest.FixtureRequest) -> chasles.Model:
    loaded = chasles.load(request.param)
    for k, body in enumerate(loaded.bodies):
        if body.mass == 0:
            loaded = loaded.with_inertia(body.name, 1 + 0.1 * k, [0.1, -0.2, 0.3], np.diag([0.4, 0.5, 0.6]))
    return loaded


@pytest.fixture(scope="session")
def arm() -> chasles.Model:
    return chasles.load("examples/puma560.yaml")


@pytest.fixture
def states(model: chasles.Model) -> States:
    return States(model)


def verbs() -> list[tuple]:
    """(name, inputs, sizes, result, takes, kernel) of every function of arrays."""
    return chasles._core._verbs()


def target(model: chasles.Model, takes: int) -> list:
    """The frame and the representation that a function takes, of those whose joints move it."""
    last = model.bodies[-1].name
    return ([last] if takes & 1 else []) + (["hybrid"] if takes & 2 else [])
