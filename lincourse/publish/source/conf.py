"""Settings of Sphinx; lincourse/publish/site.py collects the pages and starts the build."""

from functools import cache
from typing import Any

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish
from sphinx.util.inspect import TypeAliasForwardRef

from lincourse import garbage
from lincourse.paths import PAGES

garbage.seldom()

project = "Linear classification, executable"
author = "the contributors"
copyright = "the contributors; code BSD-3-Clause, text CC BY 4.0"
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "lincourse.publish.extension",
    "lincourse.publish.pages",
]
smartquotes = False  # code and formulas mean their signs

nb_execution_mode = "off"  # a page shows what its notebook stores
myst_enable_extensions = ["attrs_inline", "dollarmath", "strikethrough"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
suppress_warnings = ["myst.strikethrough"]
autodoc_member_order = "bysource"
autodoc_use_type_comments = False  # we have none, and to look for them takes a while
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
# Types keep the names that the source gives them.
ALIASES = "FloatArray IntArray BoolArray NDArray ArrayLike Order Passes Event Learner Curve"
autodoc_type_aliases = {name: name for name in ALIASES.split()}
# Inside another type, as in Iterator[Event], Sphinx prints the repr of its stand-in for the name.
TypeAliasForwardRef.__repr__ = lambda alias: alias.name  # type: ignore[method-assign]
autodoc_class_signature = "mixed"
napoleon_use_rtype = False
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "Linear classification, executable"
html_short_title = "Linear classification"
# html_static_path is given by site.py, which knows where the fonts are.
html_favicon = "static/icon.svg"
html_css_files = ["common.css", "site.css"]
html_js_files = [(name, {"defer": "defer"}) for name in ("predict.js", "site.js")]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_search_scorer = str(PAGES / "scorer.js")
html_permalinks_icon = "#"
pygments_style = "a11y-high-contrast-light"
WIDE = ("index", "claims", "falsifiers", "stability", "figures", "formulas", "words", "search")
html_sidebars: dict[str, list[str]] = {name: [] for name in WIDE}
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "Linear classification"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navigation_with_keys": False,
    "header_links_before_dropdown": 9,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": False,
}


# Most words come again and again.
SearchEnglish.stem = cache(SearchEnglish.stem)  # type: ignore[method-assign]


def skip_foreign(
    app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what scikit-learn adds to its subclasses, and NumPy's functions as defaults."""
    added = name.startswith("set_") and name.endswith("_request")
    home = getattr(member, "__module__", None) or ""
    return True if added or home.split(".")[0] == "numpy" else None


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-skip-member", skip_foreign)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
