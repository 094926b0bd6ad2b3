"""The site: the pages of docs/ by Sphinx, the headers by Doxygen (tools/build-site)."""
import re
from pathlib import Path

root = Path(__file__).resolve().parents[2]
project = "Chasles"
author = "The Chasles authors"
release = re.search(r"project\(chasles VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text())[1]

extensions = ["myst_parser", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_update_mathjax = False
html_theme = "furo"
html_title = f"Chasles {release}"
# The site is read from files, without network: Debian's MathJax is copied beside the pages.
mathjax_path = "mathjax/MathJax.js?config=TeX-AMS_HTML"
mathjax2_config = {"messageStyle": "none"}


def equations(app, name, source):
    """A block of a forge, ```math, is a directive of MyST."""
    source[0] = re.sub(r"^```math$", "```{math}", source[0], flags=re.M)


def setup(app):
    app.connect("source-read", equations)
