"""Compare the stored outputs of a cell with fresh ones, as a reader would see them.

``compare`` is pure: it takes two lists of outputs and the code that made them, and returns the
differences. No kernel is needed, so two finished runs can be compared with it as well.
"""

from __future__ import annotations

import difflib
import itertools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, NamedTuple

from nbformat import NotebookNode

from nbsame import pictures
from nbsame.normalise import NUMBER, TABLE, Code, Rule
from nbsame.notebook import JPEG, PNG, WIDGET, error_of, kind, live_view, merged

Near = Callable[[str, str], bool]
TOKEN = re.compile(rf"{NUMBER}|\w+|\S")
LONGEST = 150  # characters of a line that are shown
# What Jupyter shows of an output, the first that is there.
SHOWN = (
    *(PNG, JPEG, "image/svg+xml"),
    *("text/html", "text/latex", "text/markdown", "application/json", "text/plain"),
)
# Python 3.6 gave an exception a narrower name; both are the same error.
RENAMED = {"ModuleNotFoundError": "ImportError"}


class Difference(NamedTuple):
    """One difference: its kind, by which it is grouped; where it is; now and stored."""

    kind: str
    where: str
    detail: str

    def __str__(self) -> str:
        return f"{self.where}: {self.detail}" if self.where else self.detail


@dataclass(frozen=True)
class Rules:
    """How to compare: the table of normalisers, how near floats must be, whether pictures count."""

    table: Mapping[str, Rule] = field(default_factory=lambda: TABLE)
    rtol: float = 1e-6
    pictures: bool = True

    def text(self, text: str, code: Code) -> str:
        for rule in self.table.values():
            if rule.rewrite:
                text = rule.rewrite(text, code)
        return text


def compare(
    stored: Sequence[NotebookNode],
    fresh: Sequence[NotebookNode],
    source: str,
    *,
    notebook: str = "",
    rules: Rules | None = None,
) -> list[Difference]:
    """Return how the fresh outputs of a cell differ from the stored ones.

    Parameters
    ----------
    stored, fresh : sequences of outputs
        As nbformat has them.
    source : str
        The cell's code.
    notebook : str
        The code of the whole notebook: durations are hidden where it asks a clock.
    rules : Rules
        All normalisers by default.

    Returns
    -------
    list of Difference
        Empty if a reader would see the same. Kinds are *raises*, *raises no more*, *other error*,
        *missing output*, *new output*, *other order*, *other form*, *number*, *text*, *table*,
        *picture* and *stderr*.
    """
    comparison = Comparison(rules or Rules(), Code(source, notebook))
    found = comparison.errors(stored, fresh)
    if any(one.kind == "raises" for one in found):
        return found  # what is missing after it only follows
    return found + comparison.stderr(stored, fresh) + comparison.shown(stored, fresh)


class Comparison:
    """The comparison of one cell's outputs, by rules and with the code that made them."""

    def __init__(self, rules: Rules, code: Code) -> None:
        self.rules, self.code = rules, code

    def on(self, name: str) -> bool:
        return name in self.rules.table

    # ------------------------------------------------------------ errors

    def errors(
        self, stored: Sequence[NotebookNode], fresh: Sequence[NotebookNode]
    ) -> list[Difference]:
        """Compare the errors that ended a cell; a traceback says where Python lies, and is not."""
        old, new = error_of(stored), error_of(fresh)
        if old is None and new is None:
            return []
        if old is None:
            return [Difference("raises", "", f"now raises {said(new)}")]
        if new is None:
            return [Difference("raises no more", "", f"now raises nothing, stored {said(old)}")]
        if RENAMED.get(old.ename, old.ename) != RENAMED.get(new.ename, new.ename):
            detail = f"now raises {said(new)}, stored {said(old)}"
            return [Difference("other error", "", detail)]
        change = self.text(old.evalue, new.evalue)
        return [Difference("other error", old.ename, change.detail)] if change else []

    # ------------------------------------------------------------ streams and displays

    def stderr(
        self, stored: Sequence[NotebookNode], fresh: Sequence[NotebookNode]
    ) -> list[Difference]:
        """Compare all that went to stderr, wherever it fell between other outputs."""
        old, new = (
            "".join(one.text for one in outputs if kind(one) == "stderr")
            for outputs in (stored, fresh)
        )
        change = self.text(old, new)
        return [Difference("stderr", "stderr", change.detail)] if change else []

    def shown(
        self, stored: Sequence[NotebookNode], fresh: Sequence[NotebookNode]
    ) -> list[Difference]:
        """Compare what was printed and displayed, output by output in order."""
        old, new = self.comparable(stored), self.comparable(fresh)
        if len(old) != len(new):
            name = "missing output" if len(new) < len(old) else "new output"
            detail = f"now {count(new)}, stored {count(old)}"
            return [Difference(name, "", detail)]
        forms = [list(map(self.form, outputs)) for outputs in (old, new)]
        if forms[0] != forms[1] and sorted(forms[0]) == sorted(forms[1]):
            detail = f"now {', '.join(forms[1])}, stored {', '.join(forms[0])}"
            return [Difference("other order", "", detail)]
        found, figures = [], 0
        for number, (one, other) in enumerate(zip(old, new, strict=True), start=1):
            figures += PNG in other.get("data", {})
            place = f"figure {figures}" if PNG in other.get("data", {}) else f"output {number}"
            changes = self.one(one, other)
            found += [change._replace(where=f"{place}{change.where}") for change in changes]
        return found

    def comparable(self, outputs: Sequence[NotebookNode]) -> list[NotebookNode]:
        """Leave out errors and stderr, and prints of which the normalisers leave nothing."""
        return [
            output
            for output in merged(one for one in outputs if kind(one) not in ("stderr", "error"))
            if output.output_type != "stream" or self.rules.text(output.text, self.code)
        ]

    def form(self, output: NotebookNode) -> str:
        """Return what a reader calls an output, all its forms if all of them count."""
        if output.output_type == "stream" or not self.on("one-form"):
            return kind(output)
        return " + ".join(self.forms(output))

    def forms(self, output: NotebookNode) -> list[str]:
        """Return the forms of an output that count."""
        data = {mime for mime in output.data if mime not in live_view(output)}
        if not self.on("one-form"):
            return sorted(data)
        if WIDGET in data:  # its state is elsewhere: what is left to compare is its text
            return ["text/plain"] if "text/plain" in data else [WIDGET]
        if self.on("estimators") and "sk-top-container" in str(output.data.get("text/html", "")):
            return ["text/plain"]
        return [mime for mime in SHOWN if mime in data][:1] or sorted(data)

    def one(self, stored: NotebookNode, fresh: NotebookNode) -> list[Difference]:
        """Compare two outputs; ``where`` of what is found is the place inside them."""
        if stored.output_type == fresh.output_type == "stream":
            change = self.text(stored.text, fresh.text, spaces=True)
            return [change._replace(where=f" (stdout){change.where}")] if change else []
        if "stream" in (stored.output_type, fresh.output_type) or (
            not self.on("one-form") and kind(stored) != kind(fresh)
        ):
            return [Difference("other form", "", f"now {kind(fresh)}, stored {kind(stored)}")]
        old, new = self.forms(stored), self.forms(fresh)
        if old != new:
            # Another release may show a richer form: what both have is compared, but a picture.
            common = [mime for mime in old + new if mime in stored.data and mime in fresh.data]
            old = [mime for mime in common if mime not in (PNG, JPEG)][:1]
            if not old or (PNG in stored.data) != (PNG in fresh.data):
                now, then = (", ".join(sorted(output.data)) for output in (fresh, stored))
                detail = f"now {now}, stored {then}"
                return [Difference("other form", "", detail)]
        changes = (self.same_form(mime, stored.data[mime], fresh.data[mime]) for mime in old)
        return [change for change in changes if change]

    def same_form(self, mime: str, stored: Any, fresh: Any) -> Difference | None:
        """Compare two outputs of one form."""
        if stored == fresh or mime == WIDGET:  # the name of a live view is random
            return None
        if mime in (PNG, JPEG):
            pixels = pictures.difference(stored, fresh) if self.rules.pictures else None
            return Difference("picture", "", pixels) if pixels else None
        if not (isinstance(stored, str) and isinstance(fresh, str)):
            stored, fresh = (json.dumps(one, sort_keys=True) for one in (stored, fresh))
        if mime == "text/html" and self.on("cells-of-html"):
            return self.table(stored, fresh)
        change = self.text(stored, fresh)
        place = "" if mime == "text/plain" else f" ({mime})"
        return change._replace(where=f"{place}{change.where}") if change else None

    # ------------------------------------------------------------ text

    def text(self, stored: str, fresh: str, *, spaces: bool = False) -> Difference | None:
        """Compare two texts; ``spaces`` says that white space was printed on purpose."""
        old, new = (self.rules.text(text, self.code) for text in (stored, fresh))
        if old == new:
            return None
        before, after = TOKEN.findall(old), TOKEN.findall(new)
        if before == after:
            return None if self.on("space") and not spaces else first_line(old, new).difference()
        if len(before) == len(after):
            pairs = zip(before, after, strict=True)
            changed = [pair for pair in pairs if pair[0] != pair[1] and not self.near(*pair)]
            if not changed:
                return None
            if all(is_number(one) and is_number(other) for one, other in changed):
                numbers = sum(map(is_number, before))
                detail = f"now {changed[0][1]}, stored {changed[0][0]}"
                if len(changed) > 1:
                    detail += f" ({len(changed)} of {numbers} numbers)"
                line = first_line(old, new, near=self.near)
                if not is_number(new):
                    detail += f"; the line is {line.fresh}"
                return Difference("number", line.where, detail)
        return first_line(old, new, near=self.near).difference()

    def near(self, stored: str, fresh: str) -> bool:
        """Tell whether two numbers are floats that differ by rounding alone.

        >>> Comparison(Rules(), Code()).near("0.1000000001", "0.1")
        True
        >>> Comparison(Rules(), Code()).near("10000001", "10000000")
        False
        """
        floats = [any(sign in one for sign in ".eE") for one in (stored, fresh)]
        if not (self.on("near") and any(floats) and is_number(stored) and is_number(fresh)):
            return stored == fresh
        old, new = (float(one.replace(",", "")) for one in (stored, fresh))
        return abs(old - new) <= max(1e-12, self.rules.rtol * max(abs(old), abs(new)))

    def table(self, stored: str, fresh: str) -> Difference | None:
        """Compare what a reader sees of HTML: rows of cells, and the text around them."""
        old, new = visible(stored), visible(fresh)
        if len(old) != len(new):
            return Difference("table", "", f"now {len(new)} rows, stored {len(old)}")
        changed = []
        for row, (before, after) in enumerate(zip(old, new, strict=True)):
            if len(before) != len(after):
                detail = f"now {len(after)} cells, stored {len(before)}"
                return Difference("table", f", row {row}", detail)
            for column, (one, other) in enumerate(zip(before, after, strict=True)):
                if self.text(one, other):
                    changed.append((row, column, one, other))
        if not changed:
            return None
        row, column, one, other = changed[0]
        head = old[0][column] if row and column < len(old[0]) else ""
        place = f", row {old[row][0] or row!r}" + (f", column {head}" if head else "")
        detail = f"now {shortened(other)}, stored {shortened(one)}"
        if len(changed) > 1:
            detail += f" ({len(changed)} of {sum(map(len, old))} cells)"
        numbers = all(is_number(pair[2]) and is_number(pair[3]) for pair in changed)
        return Difference("number" if numbers else "table", place, detail)


# ---------------------------------------------------------------- parts


def is_number(text: str) -> bool:
    return re.fullmatch(NUMBER, text.strip()) is not None


def said(error: NotebookNode | None) -> str:
    return shortened(f"{error.ename}: {error.evalue}") if error else "nothing"


def count(outputs: Sequence[NotebookNode]) -> str:
    names = ", ".join(map(kind, outputs))
    return f"{len(outputs)} output{'s' * (len(outputs) != 1)}" + (f" ({names})" if names else "")


def shortened(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…")


class Line(NamedTuple):
    """A line in which two texts differ: its place, and what is there in each."""

    where: str
    fresh: str
    stored: str

    def difference(self) -> Difference:
        return Difference("text", self.where, f"now {self.fresh}, stored {self.stored}")


def first_line(old: str, new: str, near: Near | None = None) -> Line:
    """Return the first line in which two texts differ."""
    before, after = old.split("\n"), new.split("\n")
    pairs = itertools.zip_longest(before, after)
    differs = (number for number, pair in enumerate(pairs) if not same_line(*pair, near))
    number = next(differs, 0)
    stored = before[number] if number < len(before) else None
    fresh = after[number] if number < len(after) else None
    place = f", line {number + 1}" if len(before) + len(after) > 2 else ""
    return Line(place, cut(fresh, stored), cut(stored, fresh))


def same_line(one: str | None, other: str | None, near: Near | None) -> bool:
    if one == other or near is None or one is None or other is None:
        return one == other
    before, after = TOKEN.findall(one), TOKEN.findall(other)
    return len(before) == len(after) and all(map(near, before, after))


def cut(line: str | None, other: str | None) -> str:
    """Quote a line; of a long one what stands around the first sign that the other has not."""
    if line is None:
        return "nothing"
    if len(line) <= LONGEST or other is None:
        return repr(line[:LONGEST])
    pairs = enumerate(zip(line, other, strict=False))
    first = next((k for k, (a, b) in pairs if a != b), min(len(line), len(other)))
    start = max(0, first - LONGEST // 2)
    return repr(("…" if start else "") + line[start : start + LONGEST])


class Visible(HTMLParser):
    """Collects the text of HTML that is shown, row by row and cell by cell."""

    HIDDEN = ("style", "script", "title")

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = [[""]]
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.HIDDEN:
            self.hidden += 1
        elif tag in ("tr", "p", "div", "table", "br", "li", "pre"):
            self.rows.append([""])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.HIDDEN:
            self.hidden = max(0, self.hidden - 1)
        elif tag in ("tr", "table"):
            self.rows.append([""])

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.rows[-1][-1] += data


def visible(html: str) -> list[list[str]]:
    """Return the rows of cells that a reader sees of HTML; text outside tables is a row of one.

    >>> visible("<style>td {}</style><table><tr><th>x</th><td>1</td></tr></table>")
    [['x', '1']]
    """
    parser = Visible()
    parser.feed(html)
    parser.close()
    rows = [[" ".join(cell.split()) for cell in row] for row in parser.rows]
    # What stands in a row before its first cell is layout; a row of text has nothing else.
    rows = [row[1:] if len(row) > 1 and not row[0] else row for row in rows]
    return [row for row in rows if any(row)]


# ---------------------------------------------------------------- showing a difference


def side_by_side(stored: Sequence[NotebookNode], fresh: Sequence[NotebookNode]) -> str:
    """Show how two lists of outputs differ, with marks below the signs that do."""
    old, new = lines_of(merged(stored)), lines_of(merged(fresh))
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    equal = sum(1 for _ in same)
    part = slice(max(0, equal - 6), equal + 18)
    lines = (line.rstrip("\n") for line in difflib.ndiff(old[part], new[part]))
    return "\n".join(["- stored", "+ fresh", "", *lines])


def lines_of(outputs: Sequence[NotebookNode]) -> list[str]:
    """Return outputs as lines of text; every element of HTML stands on a line."""
    lines = []
    for output in outputs:
        lines.append(f"[{kind(output)}]")
        if output.output_type == "error":
            lines.append(f"{output.ename}: {output.evalue}")
        lines += output.text.split("\n") if "text" in output else []
        for mime, content in sorted(output.get("data", {}).items()):
            if mime == "text/html":
                lines += re.sub(r"\s*<(?!/)", "\n<", content).split("\n")
            elif mime not in (WIDGET, PNG, JPEG):
                lines += (content if isinstance(content, str) else json.dumps(content)).split("\n")
    return lines
