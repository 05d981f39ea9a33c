"""Two thousand spoilt submissions: each is read or refused with a sentence, drawn and harmless."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from lincourse.grader import judge
from lincourse.grader.hidden import questions
from lincourse.grader.inside.reading import UnreadableError, read
from lincourse.grader.inside.render import ATTRIBUTES, MATHML, PICTURE, TEXT
from lincourse.grader.sandbox import Limits, SandboxConfig, close_all
from lincourse.grader.scoring import plain_cell
from lincourse.grader.session import Session
from lincourse.grader.template_merge import UngradableError, merge_with_template
from lincourse.grader.verdicts import decoded, verdict_on
from lincourse.programs import missing
from linlib.notebook.question import Outcome
from tests.handed_in import filled, released

COUNT = 2000
TOGETHER = 40  # pages drawn in one sandbox
NASTY = [
    *("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>"),
    *("[" * 900, "(" * 900, "`" * 301, "*" * 501, "> " * 300, "$" * 301, "|" * 400 + "\n|-|\n"),
    *(" " * 5000, "\t" * 3000, "\n" * 2000, "\\" * 999, "&#" * 500, "<" * 999, "<!--" * 300),
    *(r"$\frac{1}{$", r"$\begin{matrix}1&2\\3$", r"$$\left( x $$", r"$\href{javascript:x()}{y}$"),
    *(r"$\style{position:fixed}{x}$", r"$\class{a}{\cssId{b}{c}}$", r"$\text{<b onclick=x()>}$"),
    *("[a](javascript:alert(1))", "![b](http://evil.test/x.png)", "<a href='//evil.test'>c</a>"),
    *("<form action=//evil.test><input name=q></form>", "<meta http-equiv=refresh content=0>"),
    *("<style>body{display:none}</style>", "<base href='//evil.test'>", "<iframe src=//e.t>"),
    *("<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>", "</div></body></html>"),
    *("\u202e\u0000\ufffe", "\U0001f600" * 50, "e\u0301" * 500, "```python\n"),
    *("<details open ontoggle=x()>", "{{7*7}}{% raw %}", "=cmd|' /C'!A0"),
    *("<td style='position:fixed'>", "data:text/html,<script>1</script>"),
]  # fmt: skip
VALUES: list[Any] = [None, True, -1, 3.5, 1e308, "", "x", [], {}, [[]], {"a": 1}, 10**400, "\ud800"]


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value in a piece of JSON."""
    yield path
    if isinstance(node, dict | list):
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            yield from places(node[key], (*path, key))


def spoilt(rng: np.random.Generator) -> bytes:
    """Return a submission with some values replaced, texts grown, cells moved, or bytes changed."""
    notebook: Any = filled("hw1")
    for _ in range(rng.integers(1, 5)):
        kind = rng.integers(5)
        cells = notebook["cells"]
        if kind == 0 and isinstance(cells, list) and cells:
            ways = [way for way in places(notebook) if way]
            *way, last = ways[rng.integers(len(ways))]
            target = functools.reduce(lambda node, key: node[key], way, notebook)
            target[last] = copy.deepcopy(VALUES[rng.integers(len(VALUES))])
            if not isinstance(notebook.get("cells"), list) or not notebook["cells"]:
                break
        elif kind <= 2:
            cell = cells[rng.integers(len(cells))]
            if isinstance(cell, dict):
                source = cell.get("source")
                text = "".join(map(str, source)) if isinstance(source, list | str) else ""
                at = rng.integers(len(text) + 1)
                cell["source"] = text[:at] + NASTY[rng.integers(len(NASTY))] + text[at:]
        elif kind == 3:
            cells.insert(rng.integers(len(cells)), copy.deepcopy(cells[rng.integers(len(cells))]))
        else:
            del cells[rng.integers(len(cells))]
            if not cells:
                break
    data = bytearray(json.dumps(notebook).encode())
    if rng.random() < 0.2:
        for at in rng.integers(len(data), size=3):
            data[at] = rng.integers(256)
    if rng.random() < 0.05:
        del data[rng.integers(len(data)) :]
    return bytes(data)


@pytest.fixture(scope="module")
def read_or_refused() -> tuple[list[list[dict[str, Any]]], list[str]]:
    """Return what could be read, and the sentences on what could not."""
    rng = np.random.default_rng(20260)
    template = [plain_cell(cell) for cell in released("hw1").cells]
    names = {label: question.name for label, question in questions("hw1").items()}
    kept, refused = [], []
    for _ in range(COUNT):
        try:
            cells, _ = merge_with_template(read(spoilt(rng)), template, names, {})
            kept.append(cells)
        except (UngradableError, UnreadableError) as problem:
            refused.append(str(problem))
    return kept, refused


@pytest.mark.slow
def test_each_is_read_or_refused_with_a_sentence(read_or_refused: Any) -> None:
    kept, refused = read_or_refused
    assert len(kept) + len(refused) == COUNT
    assert len(kept) > COUNT / 2
    assert len(refused) > COUNT / 100
    assert all(len(said) < 300 and said.endswith((".", "?")) for said in refused)
    assert all(cell["source"].encode() is not None for cells in kept for cell in cells)


class Strict(HTMLParser):
    """Refuses every element and attribute that may not be on a page; an independent reading."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in {*TEXT, *MATHML}, tag
        for name, value in attrs:
            allowed = ATTRIBUTES.get(tag, set())
            assert name in allowed | {"class"}, f"{tag} {name}"
            assert name != "src" or PICTURE.match(value or ""), value

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError("a declaration")


def test_each_is_drawn_and_harmless(read_or_refused: Any) -> None:
    """As text, markdown and an output in HTML: what cannot be drawn in time is drawn plain."""
    config = SandboxConfig(Limits(page=60), not missing("bwrap"))
    rng = np.random.default_rng(5)
    different: dict[tuple[str, str], None] = {}  # most are like another: each is drawn once
    for notebook in read_or_refused[0]:
        touched = [c for c in notebook if any(n in c["source"] for n in NASTY)] or notebook[-1:]
        for cell in touched[:3]:
            different[["markdown", "code"][rng.integers(2)], cell["source"]] = None
    assert len(different) > COUNT / 4
    drawn = 0
    for start in range(0, len(different), TOGETHER):
        together = list(different)[start : start + TOGETHER]
        cells = []
        for number, (kind, text) in enumerate(together):
            data = {"text/html": text, "text/plain": text}
            outputs = [{"output_type": "display_data", "data": data, "metadata": {}}]
            cells.append({"id": f"{number}", "type": kind, "source": text, "outputs": outputs})
        with Session(config, pages=True) as session:
            made = session.render(cells)
        pages = made.values() if made else map(judge.plain, cells)
        for page in pages:
            Strict().feed(page)
            drawn += 1
    close_all()
    assert drawn == len(different)


def test_whatever_a_room_replies_costs_one_question_at_most() -> None:
    """Replies are made by the student's process: any JSON, any text, any nesting."""
    rng = np.random.default_rng(7)
    question = questions("hw1")["q5"]
    good = json.dumps({"kind": "value", "value": {"list": [1, 2, True]}, "after": None})
    odd = [*VALUES, {"dict": [[{"dict": []}, 1]]}, {"list": [{"other": "y" * 999}]}, {"kind": 3}]
    odd += [{"set": [[1]]}, {"list": [float("nan"), float("inf")]}]
    for shape, kind, flat in (([2, -1], "f", [1]), ("x", "O", 3), ([10**9, 10**9], "f", [])):
        odd.append({"shape": shape, "dtype": kind, "flat": flat})
    for number in range(500):
        reply = json.loads(good)
        ways = [way for way in places(reply) if way]
        *way, last = ways[rng.integers(len(ways))]
        target = functools.reduce(lambda node, key: node[key], way, reply)
        target[last] = copy.deepcopy(odd[rng.integers(len(odd))])
        text = json.dumps(reply)
        if number % 5 == 0:
            text = text[: rng.integers(len(text))] + "[" * int(rng.integers(3000))
        outcomes = [decoded(text, case) for case in question.cases]
        assert all(isinstance(outcome, Outcome) for outcome in outcomes)
        verdict = verdict_on(question, outcomes)
        assert not verdict.passed
        assert 0 <= verdict.share < 1
        assert len(verdict.message) < 400
