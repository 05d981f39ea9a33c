"""Record explorers: the pictures with which a page begins, before Python is there or without it.

A page shows an explorer at once, drawn by its own canvas.js from scenes that linlib computes now: a
run can be stepped through, and a line that has a rule follows the hand (linlib's ``kit/rule.py``).
Each scene has the state from which Python goes on.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lincourse.check import names
from lincourse.files import put
from lincourse.paths import PAGES, ROOT
from lincourse.publish import in_page
from lincourse.publish.lectures import Cell, Lecture, lectures
from linlib.explorers.kit.controls import SCRIPT
from linlib.explorers.kit.explorer import Explorer
from linlib.explorers.kit.points import Stepper

STEPS = 30  # of a run are recorded, and its end
# Not in a noscript element: where a server's policy forbids scripts, browsers do not show those.
STILL = '<p class="walk-line">A still picture. It moves where the browser runs scripts.</p>'


def box(name: str, still: str, folder: str, more: str = "") -> str:
    """Return the place of a walk: the still picture, until the scripts are there."""
    sheets = (f"{folder}{sheet}.css" for sheet in ("design", "canvas", "walk"))
    styles = "".join(f'<link rel="stylesheet" href="{sheet}">' for sheet in sheets)
    loaded = scripts(folder, "canvas", "live", "link", "walk", name)
    return f'{styles}<div class="walk" data-walk="{name}"{more}>{still}{STILL}</div>{loaded}'


def scripts(folder: str, *names: str) -> str:
    """Return the elements that load scripts, in this order."""
    return "".join(f'<script src="{folder}{name}.js" defer></script>' for name in names)


def name_of(lecture: Lecture, cell: Cell) -> str:
    """Return the name of a cell's walk, nothing if it has none."""
    if not cell.live:
        return ""
    return lecture.name if cell.id == "explore" else f"{lecture.name}-{cell.id}"


def program(lecture: Lecture, cell: Cell) -> str:
    """Return the code that makes what a cell shows: the cell, after what it needs of others."""
    before = lecture.cells[: lecture.cells.index(cell)]
    code = (piece for one in before if one.kind == "code" for piece in statements(one.source))
    sources = [*code, cell.source]
    return "\n".join(sources[k] for k in names.needed(sources, len(sources) - 1))


def statements(source: str) -> Iterator[str]:
    r"""Yield the statements of a cell; an import of several names is several statements.

    >>> list(statements("from math import pi, e\nx = [pi,\n  e]"))
    ['from math import pi', 'from math import e', 'x = [pi, e]']
    """
    for one in ast.parse(source).body:
        if isinstance(one, ast.Import | ast.ImportFrom):
            found = ast.unparse(one)
            begin = found[: found.index("import ") + 7]
            yield from (begin + ast.unparse(alias) for alias in one.names)
        else:
            yield ast.unparse(one)


def write(
    folder: Path, course: list[Lecture] | None = None, *, live: dict[str, Any] | None = None
) -> None:
    """Write what pages with walks need: recordings, the canvas, the controls.

    ``live`` is what the pages are told about the Python that the site brings.
    """
    for one in lectures() if course is None else course:
        for cell in one.cells:
            if name := name_of(one, cell):
                words = as_json(recording(program(one, cell)))
                put(folder / f"{name}.js", f'(window.linlibWalks ??= {{}})["{name}"] = {words};\n')
    canvas = ROOT / "linlib" / "explorers" / "kit"
    # Browsers load no module from a file, so the module becomes a plain script.
    script = SCRIPT.replace("export default {", "window.linlibCanvas = {", 1)
    script = re.sub(r"^export ", "", script, flags=re.MULTILINE)  # what its unit tests ask for
    put(folder / "canvas.js", f"(() => {{\n{script}}})();\n")
    for name in ("design.css", "canvas.css"):
        put(folder / name, (canvas / name).read_bytes())
    pages = {path.name: path.read_text("utf-8") for path in (PAGES / "walk").iterdir()}
    work = json.dumps(pages.pop("worker.js"))
    if live:
        pages["live.js"] += (
            f"Object.assign(linlibLive, {{ about: {as_json(live)}, work: {work} }});\n"
        )
    for name, text in pages.items():
        put(folder / name, text)


def recording(source: str) -> dict[str, Any]:
    """Return what a page needs of an explorer: its code, and pictures to begin with.

    A run is recorded step by step; of anything else there is the first picture.
    """
    shown, kept = in_page.made(source), "" if "sklearn" in source else source  # no page has it
    scenes = [seen(shown)]
    if isinstance(shown, Stepper):
        for k in sorted({*range(1, min(shown.last, STEPS)), shown.last} - {0}):
            shown.go(k)
            scenes.append(seen(shown))
    return {"source": kept, "scenes": scenes}


def seen(shown: Explorer) -> dict[str, Any]:
    """Return a picture as it is recorded, with the state that brings it back."""
    rest = {"beat": None, "echo": None, "chosen": None, "count": 0}
    rest |= {"undo": False, "redo": False, "moved": False}
    return shown.canvas.scene | rest | {"state": shown.state}


def as_json(recorded: dict[str, Any]) -> str:
    """Return walks as JSON that may stand inside a script element."""
    words = json.dumps(recorded, ensure_ascii=False, separators=(",", ":"))
    return words.replace("<", "\\u003c")
