"""Settings of Sphinx; lincourse/publish/site.py collects the pages and starts the build."""

import re
from functools import cache
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish
from sphinx.writers.html5 import HTML5Translator

from lincourse import garbage, markup

garbage.seldom()

project = "Linear classification, executable"
author = "the contributors"
copyright = "the contributors; code BSD-3-Clause, text CC BY 4.0"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
exclude_patterns: list[str] = []
html_last_updated_fmt = None
smartquotes = False  # code and formulas mean their signs

myst_enable_extensions = ["attrs_inline", "dollarmath", "strikethrough"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
suppress_warnings = ["myst.strikethrough"]
autodoc_member_order = "bysource"
autodoc_use_type_comments = False  # we have none, and to look for them takes a while
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
napoleon_use_rtype = False
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "Linear classification, executable"
html_short_title = "Linear classification"
# The form for predictions is JupyterLab's too.
SHARED = "../../lab/data/share/jupyter/labextensions/linlib-lab/static/predict.js"
html_static_path = ["static", SHARED]
html_favicon = "static/icon.svg"
html_css_files = ["site.css"]
html_js_files = [(name, {"defer": "defer"}) for name in ("predict.js", "site.js")]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_show_search_summary = False  # a summary would have to fetch pages, which files forbid
html_permalinks_icon = "#"
pygments_style = "a11y-high-contrast-light"
WIDE = ("index", "claims", "falsifiers", "stability", "figures", "formulas", "search")
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
    "show_prev_next": True,
    "back_to_top_button": False,
}


# Most words come again and again.
SearchEnglish.stem = cache(SearchEnglish.stem)  # type: ignore[method-assign]


def inline_formula(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(markup.set_formula(node.astext()))
    raise nodes.SkipNode


def block_formula(translator: HTML5Translator, node: nodes.math_block) -> None:
    formula = markup.set_formula(node.astext(), display=True)
    translator.body.append(markup.scrollable(formula))
    raise nodes.SkipNode


def set_apart(app: Sphinx, doctree: nodes.document) -> None:
    """Give quotations their standing, and wide tables a frame that can be scrolled."""
    for quotation in doctree.findall(nodes.block_quote):
        strong = next(iter(quotation.findall(nodes.strong)), None)
        if strong is not None and quotation.astext().startswith(strong.astext()):
            kind = markup.standing(strong.astext())
            quotation["classes"] += [kind] if kind else []
    for table in list(doctree.findall(nodes.table)):
        frame = nodes.container(classes=["table"])
        table.replace_self(frame)
        frame += table


def finish(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Mend what the theme and docutils leave for readers who do not see the page."""
    body = context.get("body")
    if not body:
        return
    body = re.sub(
        r'<div class="table docutils container">', '<div class="table" tabindex="0">', body
    )
    body = body.replace('<div class="highlight"><pre>', '<div class="highlight"><pre tabindex="0">')
    context["body"] = markup.heads(body)


def skip_foreign(
    app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what scikit-learn adds to its subclasses, and NumPy's functions as defaults."""
    added = name.startswith("set_") and name.endswith("_request")
    home = getattr(member, "__module__", None) or ""
    return True if added or home.split(".")[0] == "numpy" else None


# Sphinx spells types out: here is what linlib calls them.
SPELT = [
    (
        re.compile(
            rf"~?[\w.]*ndarray\[tuple\[[~\w.]*Any, \.\.\.\], [~\w.]*dtype\[[~\w.]*{kind}\]\]"
        ),
        name,
    )
    for kind, name in {
        "float64": "FloatArray",
        "int64": "IntArray",
        "bool": "BoolArray",
        "Any": "NDArray",
    }.items()
]
SPELT += [
    (re.compile(r"~?[\w.]*_Buffer \| .*?_NestedSequence\[(?:\w+ \| )*str\]"), "ArrayLike"),
    (re.compile(r"<function <lambda>>"), "..."),
    (re.compile(r"<function (\w+)>"), r"\1"),
]


def in_short(text: str) -> str:
    for long, name in SPELT:
        text = long.sub(name, text)
    return text


def shorten(
    app: Sphinx,
    what: str,
    name: str,
    thing: Any,
    options: Any,
    signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """Give the types of a signature the names that the source gives them."""
    return signature and in_short(signature), returned and in_short(returned)


def shorten_fields(app: Sphinx, doctree: nodes.document) -> None:
    for node in doctree.findall(addnodes.desc_annotation):
        text = node.astext()
        if in_short(text) != text:
            node.children = []
            node += nodes.Text(in_short(text))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("autodoc-process-signature", shorten)
    app.connect("doctree-read", shorten_fields)
    app.add_html_math_renderer("mathml", (inline_formula, None), (block_formula, None))
    app.connect("doctree-read", set_apart)
    app.connect("html-page-context", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
