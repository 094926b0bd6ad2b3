"""Stubs, documentation and examples are true: stubtest, mypy, doctest, and the examples run."""
from __future__ import annotations

import doctest
import inspect
import os
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import verbs

import chasles

PACKAGE = pathlib.Path(chasles.__file__).parent
EXAMPLES = sorted(pathlib.Path("examples/python").glob("*.py"))

# What stubtest says of every class and function of nanobind.
SYSTEMATIC = ("is not a function", "metaclass differs", "is a disjoint base at runtime", "stub is a staticmethod but runtime is not", 'stub does not have *args parameter "args"')


def run(*arguments: str, folder: pathlib.Path | str = ".") -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True)
    return done.stdout + done.stderr


def test_stubs():
    said = run("-m", "mypy.stubtest", "chasles._core", folder=PACKAGE.parent)
    errors = [line for line in said.splitlines() if line.startswith("error: ")]
    assert errors and not [line for line in errors if not line.endswith(SYSTEMATIC) and "disjoint base" not in line], said


def test_strict_types(tmp_path):
    said = run("-m", "mypy", "--strict", "--cache-dir", str(PACKAGE.parent / "mypy_cache"), "-p", "chasles",
               folder=PACKAGE.parent)
    assert "Success" in said, said
    said = run("-m", "mypy", "--strict", "--cache-dir", str(PACKAGE.parent / "mypy_cache"), *map(str, EXAMPLES))
    assert "Success" in said, said


def test_everything_is_documented():
    for row in verbs():
        text = getattr(chasles, row[0]).__doc__
        assert text and re.search(r"\(\d*,? ?(n|j|s|\d|1)|float", text), row[0]  # its shape
    assert not list(undocumented(chasles, "chasles."))


def undocumented(module, prefix):
    """Functions and classes, their methods and properties, whose help says nothing but a signature."""

    def says(thing) -> bool:
        lines = [line for line in (thing.__doc__ or "").strip().splitlines() if line.strip()]
        signatures = len([line for line in lines if re.match(r"[\w.]+\(.*\)( -> .*)?$", line)])
        return len(lines) > signatures

    for name in dir(module):
        thing = getattr(module, name)
        if name.startswith("_") or not getattr(thing, "__module__", getattr(thing, "__name__", "")).startswith("chasles"):
            continue
        if inspect.ismodule(thing):
            yield from undocumented(thing, prefix + name + ".")
        elif inspect.isclass(thing):
            parts = {k: v for k, v in vars(thing).items() if not k.startswith("_") and (callable(v) or isinstance(v, property))}
            yield from (prefix + name + "." + k for k, v in parts.items() if not says(v))
            if not says(thing):
                yield prefix + name
        elif callable(thing) and not says(thing):
            yield prefix + name


@pytest.mark.filterwarnings("ignore")
def test_examples_of_the_documentation():
    failed = tried = 0
    runner = doctest.DocTestRunner()
    for thing, name in [(chasles, "chasles"), *((getattr(chasles, row[0]), row[0]) for row in verbs())]:
        text = inspect.getdoc(thing) or ""
        test = doctest.DocTestParser().get_doctest(text, {"chasles": chasles}, name, None, 0)
        result = runner.run(test)
        failed, tried = failed + result.failed, tried + result.attempted
    assert failed == 0 and tried >= 4


def test_the_tour(tmp_path, monkeypatch):
    """The code of docs/python.md, as one program; and it names every function of arrays."""
    text = pathlib.Path("docs/python.md").read_text()
    (tmp_path / "examples").symlink_to(pathlib.Path("examples").resolve())
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 6
    exec("\n".join(blocks), {"__name__": "tour"})
    for row in verbs():
        assert f"`{row[0]}`" in text, row[0]


def test_installed_package(tmp_path):
    """What cmake installs, and a wheel contains, works without the tree: module, viewer, stubs, manual, examples, guide."""
    tree = PACKAGE.parent.parent
    subprocess.run(["cmake", "--install", tree, "--component", "python", "--prefix", tmp_path], check=True, capture_output=True)
    installed = tmp_path / "chasles"
    for file in ("_core/__init__.pyi", "_core/lie.pyi", "py.typed", "guide.md", "manual/python.md", "manual/notation.md", "manual/theory/loops.md",
                 "manual/examples/python/ilqr.py", "manual/examples/scenarios/drop.yaml"):
        assert (installed / file).is_file() and not (installed / file).is_symlink(), file
    code = "import chasles; print(chasles.__file__, len(chasles.show(chasles.load('examples/four_bar.yaml')).text))"
    done = subprocess.run([sys.executable, "-c", code], cwd=installed / "manual", capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(tmp_path)})
    assert str(tmp_path) in done.stdout, done.stderr


def test_exported_symbols():
    """Two modules, or a program with another version of the library, must not find each other's functions."""
    said = subprocess.run(["nm", "-D", "--defined-only", chasles._core.__file__], capture_output=True, text=True, check=True).stdout
    assert [line.split()[-1] for line in said.splitlines()] == ["PyInit__core"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example(example, tmp_path):
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, timeout=120,
                          env=os.environ | {"CHASLES_FOLDER": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
