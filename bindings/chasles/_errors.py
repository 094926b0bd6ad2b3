"""Exceptions of chasles. Each is also the kind of error that Python has for it."""


class Error(RuntimeError):
    """Base of all exceptions of chasles."""


class SizeError(Error, ValueError):
    """An array of the wrong shape: names it, its shape and the shape that is needed."""


class ForeignError(Error, ValueError):
    """A frame of another model."""


class FileError(Error, ValueError):
    """A file or text that cannot be read: begins with the file, the line and the column."""


class UnknownNameError(Error, KeyError):
    """A name that the model does not have: with the nearest name that it has."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class StateError(Error):
    """The equations of motion cannot be evaluated at a state."""


class SingularError(StateError):
    """The mass matrix, or an operational-space inertia, is singular."""


class ForceError(StateError):
    """A force returned numbers that are not finite."""


class StepError(StateError):
    """A step of an integrator failed."""


class RunError(Error):
    """A run that cannot continue; the simulation keeps its last valid state."""
