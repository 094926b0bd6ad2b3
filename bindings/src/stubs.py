"""Writes the stubs of chasles._core: those of nanobind, with types of the functions of arrays from their table.

    python stubs.py FOLDER      writes FOLDER/_core/*.pyi
"""
from __future__ import annotations

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[1]).resolve().parent))

from nanobind import stubgen  # noqa: E402

from chasles import _core  # noqa: E402

ARRAY = "numpy.typing.NDArray[numpy.float64]"
WRENCHES = "Mapping[Any, Any] | None"


def signature(row: tuple[str, tuple[str, ...], str, str, int, bool]) -> str:
    """def inverse_dynamics(model: Model, q: ..., *, out: ... = None) -> ...:"""
    name, inputs, _, result, takes, _ = row
    arguments = ["model: Model", *(f"{x}: numpy.typing.ArrayLike" for x in inputs)]
    arguments += ["frame: str | Frame"] if takes & 1 else []
    arguments += ["representation: str"] if takes & 2 else []
    arguments += ["*"] + ([f"applied: {WRENCHES} = None"] if takes & 4 else [])
    arguments += ["out: numpy.typing.NDArray[Any] | None = None"]
    return f"def {name}({', '.join(arguments)}) -> {ARRAY if result else 'Any'}:"


def main(folder: pathlib.Path) -> None:
    stubgen.main(["-q", "-r", "-P", "-m", "chasles._core", "-O", str(folder)])
    path = folder / "_core" / "__init__.pyi"
    text = path.read_text()
    for row in _core._verbs():
        text, count = re.subn(rf"^def {row[0]}\(.*\):$", lambda _: signature(row), text, flags=re.MULTILINE)
        if count != 1:
            raise SystemExit(f"stubs.py: {row[0]} is {count} times in the stub")
    for short, whole in (("os.PathLike", "os.PathLike[str]"), ("reference: list", "reference: list[Any]")):
        text = text.replace(short, whole)  # generic types without arguments
    path.write_text(text + "\n__version__: str\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
