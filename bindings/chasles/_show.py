"""Reports and views as pages: one HTML text each, with the viewer inside; tables of models."""
from __future__ import annotations

import functools
import os

from numpy.typing import ArrayLike

from chasles import _core


@functools.cache
def page_text() -> str:
    """The page of the viewer, without data."""
    with open(os.path.join(os.path.dirname(__file__), "viewer_page.html"), encoding="utf-8") as file:
        return file.read()


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


class Page:
    """An HTML page; notebooks show it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{_escaped(self.text)}" width="100%" height="600" style="border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"<chasles.Page: {len(self.text)} characters>"


def show(model: _core.Model, q: ArrayLike | None = None) -> Page:
    """A model with a slider for every coordinate, first at q (nq,); without it at the neutral configuration."""
    if not isinstance(model, _core.Model):
        raise TypeError(f"show(): model is a {type(model)}; give a Model, such as chasles.load(path)")
    return Page(_core._view(page_text(), model, model.neutral() if q is None else q))


def table(model: _core.Model) -> str:
    """The joints of a model as a table in HTML, for notebooks."""

    def row(cells: list[str], kind: str = "td") -> str:
        return "<tr>" + "".join(f"<{kind}>{_escaped(cell)}</{kind}>" for cell in cells) + "</tr>"

    def limit(x: float | None) -> str:
        return "" if x is None else f"{x:g}"

    rows = [row([j.name, j.type, j.parent, j.child, f"{j.q.start}:{j.q.stop}", f"{j.v.start}:{j.v.stop}", limit(j.lower), limit(j.upper)])
            for j in model.joints]
    head = row(["joint", "type", "parent", "child", "q", "v", "lower", "upper"], "th")
    caption = _escaped(f"{model.name}: nq {model.nq}, nv {model.nv}, {model.mass:g} kg")
    return f"<table><caption>{caption}</caption>{head}{''.join(rows)}</table>"
