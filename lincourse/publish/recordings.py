"""Record explorers: scenes that linlib computes now, to be stepped through where no kernel runs.

A walk is what an explorer shows while one thing changes: a step of the algorithm, a slider, or a
handle dragged over the picture. The page draws the scenes with the explorers' own canvas.js. In
walks of the last kind the reader can drag the handle, to the places that were recorded. Where the
site brings Python, each scene is a place to begin at: it has the state that brings it back.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import ipywidgets
import numpy as np

from lincourse.check import names
from lincourse.files import put
from lincourse.paths import PAGES, ROOT
from lincourse.publish import in_page
from lincourse.publish.lectures import Cell, Lecture, lectures
from linlib import explorers
from linlib.explorers.kit.explorer import Explorer
from linlib.explorers.kit.points import Stepper
from linlib.explorers.predict import Predict

STEPS = 30  # scenes of one walk, at most
COLUMNS = 13  # places beside each other where a handle is recorded
PREDICTS = re.compile(r"\bexplorers\.Predict\w+\(")
NO_SCRIPT = "<noscript><p>A still picture: this browser runs no scripts.</p></noscript>"
Scene = dict[str, Any]
Sliders = ipywidgets.FloatSlider | ipywidgets.FloatLogSlider


def box(name: str, still: str, folder: str, more: str = "") -> str:
    """Return the place of a walk: the still picture, until the scripts are there."""
    loaded = scripts(folder, "canvas", "live", "walk", name)
    return f'<div class="walk" data-walk="{name}"{more}>{still}{NO_SCRIPT}</div>{loaded}'


def scripts(folder: str, *names: str) -> str:
    """Return the elements that load scripts, in this order."""
    return "".join(f'<script src="{folder}{name}.js" defer></script>' for name in names)


def styles(folder: str) -> str:
    """Return the links to what walks look like."""
    sheets = (f"{folder}{name}.css" for name in ("canvas", "walk"))
    return "".join(f'<link rel="stylesheet" href="{sheet}">' for sheet in sheets)


def name_of(lecture: Lecture, cell: Cell) -> str:
    """Return the name of a cell's walk, nothing if it has none."""
    if cell.kind != "code" or not (cell.explores or PREDICTS.search(cell.source)):
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
    script = (canvas / "canvas.js").read_text("utf-8")
    if "export default {" not in script:
        raise ValueError("canvas.js: has no `export default {`; say here how to make it a script.")
    script = script.replace("export default {", "window.linlibCanvas = {", 1)
    script = re.sub(r"^export ", "", script, flags=re.MULTILINE)  # what its unit tests ask for
    put(folder / "canvas.js", f"(() => {{\n{script}}})();\n")
    put(folder / "canvas.css", (canvas / "canvas.css").read_bytes())
    for path in (PAGES / "walk").iterdir():
        told = f"linlibLive.about = {as_json(live)};\n" if live and path.stem == "live" else ""
        put(folder / path.name, path.read_text("utf-8") + told)


def recording(source: str) -> dict[str, Any]:
    """Return what a page needs of an explorer: its code, its controls, and its walks."""
    first = in_page.made(source)
    controls = [in_page.described(control) for control in in_page.controls_of(first)]
    walks = {"": [tidy(first)]} if isinstance(first, Predict) else recorded(source)
    return {"source": source, "controls": controls} | shared(walks)


def recorded(source: str) -> dict[str, list[Scene]]:
    """Return the walks of an explorer by name, one for each preset, the lecture's own first.

    What the lecture's cell sets, such as a loss or an order, is set in all of them.
    """
    first = in_page.made(source)
    if not first.presets:
        return {
            f"drag {label}": list(_drag(in_page.made(source), id))
            for id, label in _labels(first).items()
        }
    found = {}
    for name in sorted(first.presets, key=lambda name: name != first.preset.value):
        explorer = in_page.made(source)
        explorer.preset.value = name
        found[name] = list(_changes(explorer))
    if isinstance(first, explorers.DescentExplorer):  # the other order: LMS beside descent
        (other,) = set(first.pick.options) - {first.pick.value}
        first.pick.value = other
        found[f"{first.preset.value}, {other}"] = list(_changes(first))
    elif not isinstance(first, Stepper):
        id = _middle(first)
        found[f"drag {_labels(first)[id]}"] = list(_drag(first, id))
    return found


def _changes(shown: Explorer) -> Iterator[Scene]:
    sliders = (control for control in shown.controls.values() if isinstance(control, Sliders))
    if isinstance(shown, Stepper):
        yield from _step(shown)
    elif slider := next(sliders, None):
        for value in np.linspace(slider.min, slider.max, 13):
            log = isinstance(slider, ipywidgets.FloatLogSlider)
            slider.value = slider.base**value if log else value
            yield tidy(shown)
        if isinstance(shown, explorers.LogisticExplorer):
            shown.penalty.value = shown.penalty.options[-1]  # and what becomes of it without one
            yield tidy(shown)
    else:
        yield from _drag(shown, next(iter(shown.handles)), whole=False)


def _step(shown: Stepper) -> Iterator[Scene]:
    """Make every step of a short run; of a long one the first, then fewer and fewer, to its end."""
    for k in (0, *stops(shown.last)):
        shown.k = k
        shown.redraw()
        yield tidy(shown)


def stops(last: int) -> list[int]:
    """Return the steps of a run that are shown, besides its start.

    >>> stops(3), stops(120)[19:]
    ([1, 2, 3], [20, 24, 30, 36, 44, 54, 66, 81, 98, 120])
    """
    if last < STEPS:
        return list(range(1, last + 1))
    near = STEPS - 10
    far = np.geomspace(near, last, 10).round().astype(int)
    return [*range(1, near), *far.tolist()]


def _drag(shown: Explorer, id: str, *, whole: bool = True) -> Iterator[Scene]:
    """Drag a handle to and fro over the picture, in one line or in all, beginning where it is."""
    panel, handle = next(
        (panel, handle)
        for panel in shown.canvas.scene["panels"]
        for handle in panel["handles"]
        if handle["id"] == id
    )
    gap = (panel["xlim"][1] - panel["xlim"][0]) / COLUMNS
    across, up = (_places(shown.handles[id][k], panel[("xlim", "ylim")[k]], gap) for k in (0, 1))
    if handle["rail"] or not whole:
        up = [shown.handles[id][1]]
    places = [(x, y) for k, y in enumerate(up) for x in (across if k % 2 == 0 else across[::-1])]
    begin = places.index((shown.handles[id][0], shown.handles[id][1]))
    for x, y in places[begin:] + places[:begin]:
        shown.move(id, x, y)
        yield tidy(shown, held=id, gap=gap)


def _places(at: float, limits: list[float], gap: float) -> list[float]:
    """Return places a gap apart, well inside the limits; one of them is where the handle is.

    >>> _places(0.5, [-3.0, 3.0], 1.0)
    [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]
    """
    low, high = limits[0] + gap / 2, limits[1] - gap / 2
    back, on = (max(0, int(room // gap)) for room in (at - low, high - at))
    return [at + k * gap for k in range(-back, on + 1)]


def _labels(shown: Explorer) -> dict[str, str]:
    panels = shown.canvas.scene["panels"]
    return {h["id"]: h["label"].rstrip(",") for panel in panels for h in panel["handles"]}


def _middle(shown: Explorer) -> str:
    """Return the point nearest to the middle of the picture: it has most to say."""
    panel = shown.canvas.scene["panels"][0]
    middle = [sum(panel[limits]) / 2 for limits in ("xlim", "ylim")]
    points = [handle for handle in panel["handles"] if handle["marker"] != "grip"]
    name: str = min(points, key=lambda handle: math.dist(handle["at"], middle))["id"]
    return name


def tidy(shown: Explorer, held: str = "", gap: float = 0.0) -> Scene:
    """Return the scene as it is recorded, with its state.

    ``held`` is the handle that can be moved in the recording, from place to place, by ``gap``.
    """
    rest: Scene = {"beat": None, "echo": None, "chosen": None, "count": 0}
    rest |= {"undo": False, "redo": False, "moved": False, "held": held, "gap": gap}
    return _rounded({**shown.canvas.scene, **rest}) | {"state": shown.state}


def shared(walks: dict[str, list[Scene]]) -> dict[str, Any]:
    """Return walks in which what several pictures have in common is stored once, under a number."""
    parts: dict[str, int] = {}

    def number(part: Any) -> int:
        return parts.setdefault(json.dumps(part, ensure_ascii=False), len(parts))

    def short(scene: Scene) -> Scene:
        panels = []
        for panel in scene["panels"]:
            look = {k: v for k, v in panel.items() if k not in ("drawables", "handles")}
            kept = {key: list(map(number, panel[key])) for key in ("drawables", "handles")}
            panels.append({"look": number(look)} | kept)
        state = {name: number(value) for name, value in scene["state"].items()}
        return {**scene, "panels": panels, "state": state}

    found = {name: [short(scene) for scene in scenes] for name, scenes in walks.items()}
    return {"walks": found, "parts": [json.loads(part) for part in parts]}


def _rounded(scene: Scene) -> Scene:
    """Return a scene with three decimals; what is whole becomes an integer.

    >>> _rounded({"at": (0.12345, -2.0, 1e-9), "n": 3})
    {'at': [0.123, -2, 0], 'n': 3}
    """
    found: Scene = json.loads(json.dumps(scene), parse_float=_short)
    return found


@cache
def _short(number: str) -> float:
    return int(short) if (short := round(float(number), 3)) == int(short) else short


def as_json(recorded: dict[str, Any]) -> str:
    """Return walks as JSON that may stand inside a script element."""
    words = json.dumps(recorded, ensure_ascii=False, separators=(",", ":"))
    return words.replace("<", "\\u003c")
