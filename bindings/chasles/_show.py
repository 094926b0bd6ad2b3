"""Reports and views as pages: one HTML text each, with the viewer inside."""
from __future__ import annotations

import functools
import html
import pathlib

from numpy.typing import ArrayLike

from chasles import _core


@functools.cache
def page_text() -> str:
    """The page of the viewer, without data."""
    return (pathlib.Path(__file__).parent / "viewer_page.html").read_text(encoding="utf-8")


class Page:
    """An HTML page; notebooks show it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def save(self, path: str | pathlib.Path) -> None:
        """Writes the page to a file."""
        pathlib.Path(path).write_text(self.text, encoding="utf-8")

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.text)}" width="100%" height="600" style="border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"<chasles.Page: {len(self.text)} characters>"


def show(model: _core.Model, q: ArrayLike | None = None) -> Page:
    """A model with a slider for every coordinate, first at q."""
    return Page(_core._view(page_text(), model, model.neutral() if q is None else q))
