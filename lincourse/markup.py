"""Markdown, formulas and code as HTML that needs no script: site, slides, book, feedback.

Formulas become MathML, which browsers draw themselves and screen readers read out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from html import escape, unescape
from typing import Any
from xml.etree import ElementTree

from markdown_it import MarkdownIt
from markdown_it.token import Token
from math_core import LatexError, LatexToMathML
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonConsoleLexer, PythonLexer, TextLexer

# A quotation that opens with one of these words is set apart: what is said, what holds on a
# condition, what is true, what is refuted.
STANDINGS = {
    "Claim": "claim",
    "Holds if": "holds-if",
    "Theorem": "theorem",
    "Refuted": "refuted",
}
_LEXERS = {"python": PythonLexer, "py": PythonLexer, "pycon": PythonConsoleLexer}
NAMED = re.compile(r"&(?!(?:lt|gt|amp|quot);)\w+;")  # XML knows only these by name
_CONVERTER = LatexToMathML(fancy_error=False)


@cache
def set_formula(latex: str, *, display: bool = False) -> str:
    """Return a formula as MathML.

    >>> set_formula("x^2")
    '<math><msup><mi>x</mi><mn>2</mn></msup></math>'
    """
    try:
        made = _CONVERTER.convert_with_local_state(latex.strip(), displaystyle=display)
    except LatexError as error:
        raise ValueError(f"formula: {latex!r} cannot be set: {error}") from error
    made = NAMED.sub(lambda found: unescape(found[0]), made)
    return _styled(made) if " displaystyle=" in made or " scriptlevel=" in made else made


def _styled(made: str) -> str:
    """Move styles from fractions to an element around them, where every validator expects them."""
    root = ElementTree.fromstring(made)
    for parent in list(root.iter()):
        for at, child in enumerate(parent):
            names = {"displaystyle", "scriptlevel"} & child.attrib.keys()
            if names and child.tag != "mstyle":
                style = {name: child.attrib.pop(name) for name in sorted(names)}
                parent[at] = ElementTree.Element("mstyle", style)
                parent[at].append(child)
    return ElementTree.tostring(root, encoding="unicode")


def scrollable(formula: str) -> str:
    """Return a formula that stands alone: it can be scrolled, also with the keyboard."""
    return f'<div class="formula" tabindex="0">{formula}</div>'


@cache
def code(source: str, language: str = "python") -> str:
    """Return highlighted source."""
    lexer = _LEXERS.get(language, TextLexer)(stripnl=False)
    return str(highlight(source.rstrip("\n") + "\n", lexer, HtmlFormatter(wrapcode=True)))


def code_colours() -> str:
    """Return the style sheet of highlighted source."""
    rules = (
        HtmlFormatter(style="a11y-high-contrast-light").get_style_defs(".highlight").splitlines()
    )
    return "\n".join(rule for rule in rules if rule.startswith(".highlight .")) + "\n"


def standing(text: str) -> str:
    """Return the class of a quotation by its first bold word, or nothing."""
    return next((name for word, name in STANDINGS.items() if text.startswith(word)), "")


def _quotation(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    first = next((token for token in tokens[at:] if token.type == "inline"), None)
    bold = first is not None and first.content.startswith("**")
    kind = standing(first.content[2:]) if first and bold else ""
    return f'<blockquote class="{kind}">\n' if kind else "<blockquote>\n"


def _fence(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    return code(tokens[at].content, tokens[at].info.strip().partition(" ")[0] or "text")


@cache
def parser(set_formula: Callable[..., str] = set_formula) -> MarkdownIt:
    """Return a reader of Markdown that sets formulas with ``set_formula(latex, display=...)``."""
    made = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    made.use(dollarmath_plugin, double_inline=True).use(amsmath_plugin)

    def inline(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
        return set_formula(tokens[at].content, display=tokens[at].type != "math_inline")

    def block(*arguments: Any) -> str:
        return scrollable(inline(*arguments)) + "\n"

    rules = {"math_inline": inline, "math_inline_double": inline, "math_block": block}
    rules |= {"amsmath": block, "fence": _fence, "blockquote_open": _quotation}
    for name, rule in rules.items():
        made.add_render_rule(name, rule)
    return made


def blocks(source: str, link: Callable[[str], str] = str) -> list[tuple[Token, str]]:
    """Return the top-level blocks of Markdown, each with its first token and its HTML.

    ``link`` may change where links lead; where it returns nothing, only the words stay.
    """
    made, tokens = parser(), parser().parse(source)
    for token in tokens:
        token.children = list(_linked(token.children or (), link))
    found, start, depth = [], 0, 0
    for at, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            piece = tokens[start : at + 1]
            text = made.renderer.render(piece, made.options, {})
            found.append((piece[0], heads(text)))
            start = at + 1
    return found


def _linked(children: Iterable[Token], link: Callable[[str], str]) -> Iterator[Token]:
    """Yield the pieces of a line with its links as ``link`` wants them; links are never nested."""
    kept = True
    for child in children:
        if child.type == "link_open":
            child.attrs["href"] = link(str(child.attrs["href"]))
            kept = bool(child.attrs["href"])
        if kept or child.type not in ("link_open", "link_close"):
            yield child


def markdown(source: str, link: Callable[[str], str] = str) -> str:
    """Return Markdown as HTML; ``link`` may change where links lead."""
    return "".join(text for _, text in blocks(source, link))


def inline(source: str) -> str:
    """Return one line of Markdown as HTML without a paragraph around it."""
    return re.sub(r"^<p>|</p>\s*$", "", markdown(source).strip())


def named(title: str) -> str:
    """Return the title of a lecture with its usual name set apart.

    >>> named("02 · Which? The perceptron")
    '02 · Which? <span class="name">The perceptron</span>'
    """
    return re.sub(r"(?<=\?) (.+)", r' <span class="name">\1</span>', title)


def plain(source: str) -> str:
    """Return one line of Markdown as words alone: for titles and bookmarks."""
    return re.sub(r"\\(?:mathbf|boldsymbol|text|le)\b ?|[$*`\\{}]", "", source).strip()


def picture(source: str, alt: str, width: int, height: int, **more: str) -> str:
    """Return an image that carries its words and its size."""
    extra = "".join(f' {name}="{escape(value)}"' for name, value in more.items())
    return f'<img src="{source}" alt="{escape(alt)}" width="{width}" height="{height}"{extra}/>'


def table(html: str) -> str:
    """Return the HTML of a stored table: aligned by class, not by style, and scrollable."""
    html = re.sub(r' style="text-align: (left|right)"', r' class="\1"', html)
    return f'<div class="table" tabindex="0" role="group">{heads(html)}</div>'


def heads(html: str) -> str:
    """Return tables whose every header says something: an empty corner is none."""
    html = re.sub(r"<th([^>]*)>(?:<p></p>)?</th>", r"<td\1></td>", html)
    formula = re.compile(r"<th([^>]*)>((?:<p>)?<math(?:(?!</th>).)*</math>(?:</p>)?)</th>", re.S)
    return formula.sub(_named, html)


def _named(found: re.Match[str]) -> str:
    """Return a header that is only a formula with its letters as words, for those who listen."""
    letters = re.sub(r"<[^>]+>", "", found[2])
    silent = found[2].replace("<math", '<math aria-hidden="true"')
    return f'<th{found[1]}>{silent}<span class="unseen">{letters}</span></th>'
