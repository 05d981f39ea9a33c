"""What may differ between two runs although nothing has changed: one table of named rules.

Each rule is on unless a course switches it off by its name, and a course may add its own. A rule
that rewrites text is given the text, the code of its cell and the code of the whole notebook, so
that it can hold back where nothing asked for a clock.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

NUMBER = r"[-+]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
UNIT = r"(?:[num µμ]?s|m?secs?|(?:milli|micro|nano)?seconds?|min(?:utes)?|hours?|h)\b"


class Code(NamedTuple):
    """The code that made an output: of its cell, and of the whole notebook."""

    cell: str = ""
    notebook: str = ""


Normaliser = Callable[[str, Code], str]


class Rule(NamedTuple):
    """A rule: what it takes for the same, in a sentence; how it rewrites text, if it does."""

    same: str
    rewrite: Normaliser | None = None


def replacing(*pairs: tuple[str, str]) -> Normaliser:
    """Return a rule that replaces patterns, line by line."""
    compiled = [(re.compile(pattern, re.MULTILINE), new) for pattern, new in pairs]

    def rewrite(text: str, code: Code) -> str:
        for pattern, new in compiled:
            text = pattern.sub(new, text)
        return text

    return rewrite


# ---------------------------------------------------------------- rules that need more


BARS = re.compile(
    r"\d+%\|.*\|\s*\d+/\d+"  # tqdm
    r"|\d+(?:\.\d+)?(?:it|s)/(?:s|it)\b"
    r"|[█▏▎▍▌▋▊▉]{2,}"
    r"|^\s*\d+/\d+ \[[=>.]+\]"  # Keras
)


def progress(text: str, code: Code) -> str:
    """Keep what a terminal shows at last of each line, and no line that is a progress bar."""
    last = [line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n")]
    return "\n".join(line for line in last if not BARS.search(line))


CLOCK = re.compile(
    r"%time|%l?prun|%mprun|%memit|perf_counter|process_time|monotonic|default_timer"
    r"|\btime\.time\b|\btime\(\)|datetime|now\(|today\(|Stopwatch"
)


def timings(text: str, code: Code) -> str:
    """Hide what ``%timeit`` and its like print; durations only if the notebook asks a clock."""
    text = re.sub(rf"{NUMBER} ?{UNIT} ± {NUMBER} ?{UNIT} per loop.*", "<time>", text)
    text = re.sub(r"[\d,]+ loops?, (?:average|best) of .*", "<time>", text)
    text = re.sub(r"(?m)^The slowest run took.*\n(?:This could mean.*\n?)?", "", text)
    text = re.sub(r"(?m)^\s*(?:CPU times|Wall time):.*\n?", "<time>\n", text)
    if CLOCK.search(code.notebook + code.cell):
        text = re.sub(rf"{NUMBER} ?{UNIT}", "<time>", text)
    if re.search(r"%l?prun|%mprun|%memit", code.cell):
        text = re.sub(NUMBER, "<number>", text)
    return text


DATES = re.compile(
    r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?"
    r"|\w{3} [ \d]\d +\d\d:\d\d(?::\d\d)?(?: \d{4})?"
    r"|\d\d:\d\d:\d\d(?:\.\d+)?"
    r"|datetime\.(?:datetime|date)\([\d, ]+\)"
)
ASKS_DATE = re.compile(
    r"now\(|today\(|ctime|strftime|localtime|stat\(|![^\n]*\b(?:ls|date|ll)\b|%ls"
)


def dates(text: str, code: Code) -> str:
    """Hide the date of a statsmodels summary; other dates only if the cell asks for some."""
    text = re.sub(r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4}\b", "<date>", text)
    text = re.sub(r"(Time: +)\d\d:\d\d:\d\d", r"\1<date>", text)
    text = re.sub(r"\A\s*\d\d:\d\d:\d\d\s*\Z", "<date>", text)  # in HTML it has its own cell
    return DATES.sub("<date>", text) if ASKS_DATE.search(code.cell) else text


def unordered(text: str, code: Code) -> str:
    """Write the sets and dictionaries of a text in one order.

    >>> unordered("found {'b', 'a'} and {'y': 1, 'x': {3, 2}}", Code())
    "found {'a', 'b'} and {'x': {2, 3}, 'y': 1}"
    """
    start = text.find("{")
    while start >= 0:
        stop = closing(text, start)
        if stop is None:
            break
        try:
            value = ast.literal_eval(text[start:stop])
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            start = text.find("{", start + 1)  # no literal: perhaps one is inside
            continue
        written = in_order(value)
        text = text[:start] + written + text[stop:]
        start = text.find("{", start + len(written))
    return text


def closing(text: str, start: int) -> int | None:
    """Return where the brace that opens at ``start`` has been closed."""
    depth = 0
    for position in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return position + 1
    return None


def in_order(value: Any) -> str:
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(sorted(map(in_order, value))) + "}"
    if isinstance(value, dict):
        items = sorted(f"{in_order(key)}: {in_order(one)}" for key, one in value.items())
        return "{" + ", ".join(items) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(in_order, value)) + "]"
    return repr(value)


# ---------------------------------------------------------------- the table


CELL = (
    r"<ipython-input-\d+-[0-9a-f]+>(?:\(\d+\))?"
    r"|(?:/private)?/(?:tmp|var/folders)/[\w./-]*ipykernel_\d+/\d+\.py(?::\d+)?"
    r"|In\[\d+\]|Cell In\s?\[\d+\], line \d+|\b\d{6,10}\.py(?=, line)"
)
MATPLOTLIB_OBJECT = (
    r"<(?:Figure|BarContainer|ErrorbarContainer|StemContainer|a list of|Container|Poly\w+|Line2D)"
    r"[^<>]*>"
)
INSTALLER = (
    r"^(?:Requirement already|Collecting|Downloading|Installing|Using cached|Looking in"
    r"|Successfully installed|Note: you may need to restart|\[notice\]).*\n?"
)
LONG_NUMBER = r"\b(?:139|140|94|93)\d{12}\b"  # what id() returns
UUID = r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b[0-9a-f]{32}\b"
SCALAR = r"\bnp\.(?:float|int|uint|str|bool)_?\d*\(((?:[^()']|'[^']*')*)\)"

colours = replacing((r"\x1b\[[\d;]*[A-Za-z]", ""))
addresses = replacing((r"0x[0-9a-fA-F]{6,16}\b", "<address>"), (LONG_NUMBER, "<id>"))
paths = replacing(
    (CELL, "<cell>"),
    (r"(?:/[\w.+@~-]+)+/(?:site|dist)-packages/", "<packages>/"),
    (r"/(?:tmp|var/folders|private)(?:/[\w.+-]+)+", "<temporary>"),
    (r"/(?:home|Users|root)(?:/[\w.+@ -]+)*/(?=[\w.-]+)", "<home>/"),
)
identifiers = replacing((UUID, "<id>"))
handles = replacing(
    (r"<(?:mpl_toolkits|matplotlib|seaborn)\.[^<>]*(?:<address>)?>", "<handle>"),
    (r"<[\w.]*Axes\w*\b[^<>]*(?:<address>)?[^<>]*>", "<handle>"),
    (MATPLOTLIB_OBJECT, "<handle>"),
    (r"Text\((?:[^()']|'[^']*'|\"[^\"]*\")*\)", "<handle>"),
)
scalars = replacing((SCALAR, r"\1"), (r"\bnp\.(True|False)_", r"\1"), (r"\bnp\.(nan|inf)\b", r"\1"))
installers = replacing((INSTALLER, ""))


def line_ends(text: str, code: Code) -> str:
    return re.sub(r"(?m)[ \t]+$", "", text).strip("\n")


SHOWN_ONCE = "of an output stored in several forms, only the one that Jupyter shows counts"
# In this order. The first five do not rewrite text: the comparison asks whether they are on.
TABLE: dict[str, Rule] = {
    "one-form": Rule(SHOWN_ONCE),
    "cells-of-html": Rule("of HTML only the visible text counts, cell by cell of a table"),
    "estimators": Rule("scikit-learn's diagrams of estimators count as their plain text"),
    "near": Rule("floats within rtol are the same; integers never are"),
    "space": Rule("white space between the words of a result; in print it counts"),
    "colours": Rule("colour codes of a terminal", colours),
    "progress": Rule("progress bars", progress),
    "timings": Rule("what %timeit prints; durations, where the notebook asks a clock", timings),
    "dates": Rule("dates and times of day, where the cell asks for them", dates),
    "addresses": Rule("addresses in memory", addresses),
    "paths": Rule("where packages, cells and temporary files lie", paths),
    "identifiers": Rule("random identifiers", identifiers),
    "handles": Rule("the text that stands for a Matplotlib object", handles),
    "scalars": Rule("np.float64(0.5) and 0.5, np.True_ and True", scalars),
    "unordered": Rule("sets and dictionaries in another order", unordered),
    "installers": Rule("what pip and conda say", installers),
    "line-ends": Rule("spaces at the end of lines, empty lines at either end", line_ends),
}


def chosen(off: tuple[str, ...], own: Mapping[str, tuple[str, str]]) -> dict[str, Rule]:
    """Return the table of a course: without what it switches off, with what it adds.

    ``off`` may be ``("all",)``; ``own`` has a pattern and its replacement by a name.
    """
    kept = {} if "all" in off else {name: rule for name, rule in TABLE.items() if name not in off}
    added = {name: Rule("the course's own", replacing(pair)) for name, pair in own.items()}
    return {**added, **kept}  # first, while the text is as it was printed
