"""Multibody dynamics with screws: arrays in, arrays out.

>>> import chasles
>>> arm = chasles.load('examples/puma560.yaml')
>>> arm
<chasles.Model 'puma560': 6 joints, nq 6, nv 6>

Every function takes the model first, then arrays. One state is (n,), a batch is (states, n). Results are float64 and in
C order; `out=` writes them to an array. Units are SI and radians; twists and wrenches are angular first; quaternions
are (w, x, y, z). docs/python.md is the tour.
"""
from chasles import _core as _core
from chasles._core import *  # noqa: F403
from chasles._core import (
    __version__ as __version__, joints as joints, lie as lie, references as references, screws as screws,
    signals as signals, textbook as textbook,
)
from chasles._errors import (
    Error as Error, FileError as FileError, ForceError as ForceError, ForeignError as ForeignError,
    RunError as RunError, SingularError as SingularError, SizeError as SizeError, StateError as StateError,
    StepError as StepError, UnknownNameError as UnknownNameError,
)
from chasles._runs import (
    JointState as JointState, Simulation as Simulation, State as State, Summary as Summary,
    Trajectory as Trajectory, simulate as simulate,
)
from chasles._show import Page as Page, show as show
