"""Runs of scenarios: Simulation, State, Trajectory."""
from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles import _core
from chasles._errors import SizeError, UnknownNameError
from chasles._show import Page, page_text

Numbers = NDArray[np.float64]
Places = dict[str, tuple[slice, slice]]


def _places(model: _core.Model) -> Places:
    return {joint.name: (joint.q, joint.v) for joint in model.joints}


def _place(places: Places, name: str) -> tuple[slice, slice]:
    try:
        return places[name]
    except KeyError:
        raise UnknownNameError(f"there is no joint '{name}'{_core._choices(str(name), list(places))}") from None


def _assign(array: Numbers, value: ArrayLike, what: str) -> None:
    """Writes numbers to an array: as many as it has, or one to an array of one."""
    given = _core._numbers(value, what)
    if given.shape != array.shape and not (array.shape == (1,) and given.shape == ()):
        raise SizeError(f"{what} has shape {given.shape}; it needs {array.shape}")
    array[...] = given


class JointState:
    """The entries of a joint, q and v: views, so that writing to them, or setting them, writes to the state."""

    __slots__ = ("_q", "_v")

    def __init__(self, q: Numbers, v: Numbers) -> None:
        self._q = q
        self._v = v

    @property
    def q(self) -> Numbers:
        """The coordinates; state["elbow"].q = 0.3 sets them."""
        return self._q

    @q.setter
    def q(self, value: ArrayLike) -> None:
        _assign(self._q, value, "JointState: q")

    @property
    def v(self) -> Numbers:
        """The velocities; state["elbow"].v = -1 sets them."""
        return self._v

    @v.setter
    def v(self, value: ArrayLike) -> None:
        _assign(self._v, value, "JointState: v")

    def __repr__(self) -> str:
        return f"JointState(q={self.q!r}, v={self.v!r})"


class State:
    """A state: time t [s], coordinates q (nq,), velocities v (nv,); joints by name: state["elbow"].q = 0.3."""

    def __init__(self, t: float, q: Numbers, v: Numbers, joints: Places) -> None:
        self.t = t
        self._q = q
        self._v = v
        self.joints = joints

    @property
    def q(self) -> Numbers:
        """The coordinates (nq,); state.q = .. copies to them."""
        return self._q

    @q.setter
    def q(self, value: ArrayLike) -> None:
        _assign(self._q, value, "State: q")

    @property
    def v(self) -> Numbers:
        """The velocities (nv,); state.v = .. copies to them."""
        return self._v

    @v.setter
    def v(self, value: ArrayLike) -> None:
        _assign(self._v, value, "State: v")

    def copy(self) -> State:
        """A state with arrays of its own."""
        return State(self.t, self._q.copy(), self._v.copy(), self.joints)

    __copy__ = copy

    def __repr__(self) -> str:
        return f"State(t={self.t!r}, q={self.q!r}, v={self.v!r})"

    @classmethod
    def of(cls, model: _core.Model, q: ArrayLike | None = None, v: ArrayLike | None = None, t: float = 0.0) -> State:
        """A state of a model; neutral and at rest unless given."""
        if not isinstance(model, _core.Model):
            raise TypeError(f"State.of(): model is a {type(model)}; give a Model, such as chasles.load(path)")
        state = cls(t, model.neutral(), np.zeros(model.nv), _places(model))
        if q is not None:
            _assign(state.q, q, "State.of(): q")
        if v is not None:
            _assign(state.v, v, "State.of(): v")
        return state

    def __getitem__(self, joint: str) -> JointState:
        q, v = _place(self.joints, joint)
        return JointState(self.q[q], self.v[v])

    def __contains__(self, joint: object) -> bool:
        return joint in self.joints

    def __iter__(self) -> Iterator[str]:
        return iter(self.joints)

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, State) and self.t == other.t and np.array_equal(self.q, other.q)
                and np.array_equal(self.v, other.v) and list(self.joints) == list(other.joints))

    __hash__ = None  # type: ignore[assignment]


class Trajectory(Mapping[str, Numbers]):
    """A recorded run: times t (samples,), coordinates q (samples, nq), velocities v (samples, nv), and the recorded
    quantities by name, trajectory["energy"], each with a row per sample. The arrays are read-only.
    """

    def __init__(self, t: Numbers, q: Numbers, v: Numbers, quantities: dict[str, Numbers], joints: Places,
                 summary: Summary, report: _core.Report | None = None) -> None:
        self.t, self.q, self.v = t, q, v
        self.quantities = quantities
        self.joints = joints
        self.summary = summary
        self._report = report
        for array in (t, q, v, *quantities.values()):
            array.flags.writeable = False

    def __getitem__(self, name: str) -> Numbers:
        try:
            return self.quantities[name]
        except KeyError:
            known = _core._choices(str(name), list(self.quantities)) if self.quantities else ""
            raise UnknownNameError(f"'{name}' was not recorded, since Scenario.quantities did not name it{known}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.quantities)

    def __len__(self) -> int:
        return len(self.quantities)

    def joint(self, name: str) -> JointState:
        """q and v of a joint over time: (samples, entries)."""
        q, v = _place(self.joints, name)
        return JointState(self.q[:, q], self.v[:, v])

    def state(self, sample: int = -1) -> State:
        """The state of a sample; the last one by default."""
        return State(float(self.t[sample]), self.q[sample].copy(), self.v[sample].copy(), self.joints)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with a row per sample, indexed by time; needs pandas."""
        import pandas  # type: ignore[import-not-found,import-untyped,unused-ignore]

        columns: dict[str, Numbers] = {}
        for letter, table, k in (("q", self.q, 0), ("v", self.v, 1)):
            for name, places in self.joints.items():
                entries = table[:, places[k]]
                for i in range(entries.shape[1]):
                    columns[f"{letter}:{name}" + (f"[{i}]" if entries.shape[1] > 1 else "")] = entries[:, i]
        for name, values in self.quantities.items():
            for index in np.ndindex(values.shape[1:]):
                columns[name + "".join(f"[{i}]" for i in index)] = values[(slice(None), *index)]
        return pandas.DataFrame(columns, index=pandas.Index(self.t, name="t"))

    def show(self) -> Page:
        """The report with its moving mechanism and plots: shown in notebooks; Page.save writes it to a file."""
        if self._report is None:
            raise RuntimeError("a trajectory that was pickled has no report")
        return Page(self._report.html(page_text()))

    def _repr_html_(self) -> str:
        return f"<pre>{self!r}</pre>" if self._report is None else self.show()._repr_html_()

    def __repr__(self) -> str:
        end = f"{self.t[-1]:g} s" if len(self.t) else "no time"
        return f"<chasles.Trajectory: {len(self.t)} samples to {end}, {', '.join(['q', 'v', *self.quantities])}>"

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Trajectory) and list(self.quantities) == list(other.quantities)
                and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(
                    (self.t, self.q, self.v, *self.quantities.values()),
                    (other.t, other.q, other.v, *other.quantities.values()))))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Trajectory, (self.t, self.q, self.v, self.quantities, self.joints, self.summary)


class Summary:
    """Statistics of a run: numbers by name, events (name, time [s]), the text of `chasles simulate`, and a sentence for each
    limit that was passed: of positions, velocities, efforts, ranges of actuators."""

    def __init__(self, numbers: dict[str, float], events: list[tuple[str, float]], text: str, violations: list[str]) -> None:
        self.numbers = numbers
        self.events = events
        self.text = text
        self.violations = violations

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Summary) and self.numbers == other.numbers and self.events == other.events
                and self.text == other.text)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<chasles.Summary: {len(self.numbers)} numbers, {len(self.events)} events>"

    def __getitem__(self, name: str) -> float:
        try:
            return self.numbers[name]
        except KeyError:
            raise UnknownNameError(f"the summary has no '{name}'{_core._choices(str(name), list(self.numbers))}") from None

    def __str__(self) -> str:
        return self.text


class Simulation:
    """A run of a scenario: `run` to its end, or `step` by step in a loop of your own.

    An exception of a force, controller or event function comes out unchanged; the simulation then is at its last valid
    state and can go on.
    """

    def __init__(self, scenario: _core.Scenario) -> None:
        self._run = _core.Run(scenario)
        self._joints = _places(self._run.model)
        self.trajectory: Trajectory | None = None
        """Of the last `run`, also if it failed: the samples up to there."""

    def run(self, path: str | os.PathLike[str] | None = None) -> Trajectory:
        """Runs to the end of the scenario, or goes on after a failure.

        path: a file, .csv or .json, that gets the samples during the run, as `chasles simulate` writes it; read_run reads
        it. Of a run that was interrupted PATH.part.csv stays, from which Scenario.go_on continues.
        """
        try:
            self._run.run(None if path is None else os.fspath(path))
        finally:
            t, q, v, quantities = self._run.samples()
            self.trajectory = Trajectory(t, q, v, quantities, self._joints, self.summary, self._run.report())
        return self.trajectory

    def step(self, until: float) -> State:
        """Integrates exactly to the time `until` [s], or to an event that ends the run; returns the state."""
        self._run.step(until)
        return self.state

    def set_joint_forces(self, tau: ArrayLike) -> None:
        """Joint forces (nv,) [N m, N] that act from now on; needs Scenario.joint_inputs."""
        self._run.set_joint_forces(tau)

    def reset(self, state: State | None = None) -> None:
        """Restarts at the start of the scenario, or at another state."""
        if state is None:
            self._run.reset()
        elif not isinstance(state, State):
            raise TypeError(f"reset(): state is a {type(state)}; give a State, such as State.of(model, q, v)")
        else:
            self._run.reset(state.t, state.q, state.v)

    @property
    def state(self) -> State:
        """The state now; a copy."""
        return State(*self._run.state(), self._joints)

    @property
    def summary(self) -> Summary:
        """Statistics of the run so far."""
        return Summary(*self._run.summary())

    @property
    def model(self) -> _core.Model:
        """The model of the scenario."""
        return self._run.model

    def __repr__(self) -> str:
        return f"<chasles.Simulation of '{self.model.name}' at t = {self.state.t:g} s>"


def simulate(scenario: _core.Scenario, path: str | os.PathLike[str] | None = None) -> Trajectory:
    """Runs a scenario to its end; path: a file for the samples, too, .csv or .json."""
    return Simulation(scenario).run(path)
