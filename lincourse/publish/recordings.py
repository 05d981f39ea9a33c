"""Record explorers: scenes that linlib computes now, to be stepped through where no kernel runs.

A walk is what an explorer shows while one thing changes: a step of the algorithm, a slider, or a
handle dragged over the picture. The page draws the scenes with the explorers' own canvas.js. In
walks of the last kind the reader can drag the handle, to the places that were recorded.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import ipywidgets
import numpy as np

from lincourse.paths import PAGES, ROOT
from lincourse.publish.lectures import Cell, Lecture, keep, lectures
from linlib import explorers
from linlib.explorers.kit.explorer import Explorer
from linlib.explorers.kit.points import Stepper

STEPS = 30  # scenes of one walk, at most
COLUMNS = 13  # places beside each other where a handle is recorded
HONEST = (
    "A recording: linlib computed these pictures when the page was made. Step or scrub through "
    "them here; to drag points and try your own, run the notebook."
)
DRAGGED = (
    "A recording: one handle can be dragged, or moved with the arrow keys, to places for which "
    "linlib computed the picture when the page was made. For all else run the notebook."
)
Scene = dict[str, Any]
Sliders = ipywidgets.FloatSlider | ipywidgets.FloatLogSlider


def box(name: str, still: str, folder: str) -> str:
    """Return the place of a lecture's walk: the still picture, until the scripts are there."""
    scripts = "".join(
        f'<script src="{folder}{script}.js" defer></script>' for script in ("canvas", "walk", name)
    )
    return f'<div class="walk" data-walk="{name}">{still}</div>{scripts}'


def shown(cell: Cell) -> bool:
    """Tell whether a lecture's cell shows an explorer."""
    return cell.id == "explore" and "Explorer(" in cell.source


def write(folder: Path, course: list[Lecture] | None = None) -> None:
    """Write what pages with walks need: recordings, the canvas, the controls."""
    for one in lectures() if course is None else course:
        for cell in filter(shown, one.cells):
            words = as_json(shared(recorded(cell.source)))
            words = f'(window.linlibWalks ??= {{}})["{one.name}"] = {words};\n'
            keep(folder / f"{one.name}.js", words.encode())
    canvas = ROOT / "linlib" / "explorers" / "kit"
    # Browsers load no module from a file, so the module becomes a plain script.
    script = (canvas / "canvas.js").read_text("utf-8")
    if "export default {" not in script:
        raise ValueError("canvas.js: has no `export default {`; say here how to make it a script.")
    script = script.replace("export default {", "window.linlibCanvas = {", 1)
    script = re.sub(r"^export ", "", script, flags=re.MULTILINE)  # what its unit tests ask for
    keep(folder / "canvas.js", f"(() => {{\n{script}}})();\n".encode())
    keep(folder / "canvas.css", (canvas / "canvas.css").read_bytes())
    for path in (PAGES / "walk").iterdir():
        keep(folder / path.name, path.read_bytes())


def explorer_of(source: str) -> Explorer:
    r"""Return the explorer of a lecture, set as its cell sets it.

    >>> explorer_of("explorer = explorers.PerceptronExplorer('XOR')\nexplorer").preset.value
    'XOR'
    """
    names: dict[str, Any] = {"explorers": explorers}
    exec(source, names)
    explorer: Explorer = names["explorer"]
    explorer.canvas.close()  # it keeps its scenes, and tells them to no browser
    return explorer


def recorded(source: str) -> dict[str, list[Scene]]:
    """Return the walks of an explorer by name, one for each preset, the lecture's own first.

    What the lecture's cell sets, such as a loss or an order, is set in all of them.
    """
    first = explorer_of(source)
    if not first.presets:
        return {
            f"drag {label}": list(_drag(explorer_of(source), id))
            for id, label in _labels(first).items()
        }
    found = {}
    for name in sorted(first.presets, key=lambda name: name != first.preset.value):
        explorer = explorer_of(source)
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
            yield tidy(shown.canvas.scene)
        if isinstance(shown, explorers.LogisticExplorer):
            shown.penalty.value = shown.penalty.options[-1]  # and what becomes of it without one
            yield tidy(shown.canvas.scene)
    else:
        yield from _drag(shown, next(iter(shown.handles)), whole=False)


def _step(shown: Stepper) -> Iterator[Scene]:
    """Make every step of a short run; of a long one the first, then fewer and fewer, to its end."""
    for k in (0, *stops(shown.last)):
        shown.k = k
        shown.redraw()
        yield tidy(shown.canvas.scene)


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
    begin = places.index(tuple(shown.handles[id]))
    for x, y in places[begin:] + places[:begin]:
        shown.move(id, x, y)
        yield tidy(shown.canvas.scene, held=id, step=gap)


def _places(at: float, limits: list[float], gap: float) -> list[float]:
    """Return places a gap apart, well inside the limits; one of them is where the handle is.

    >>> _places(0.5, [-3.0, 3.0], 1.0)
    [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]
    """
    low, high = limits[0] + gap / 2, limits[1] - gap / 2
    back, on = int((at - low) // gap), int((high - at) // gap)
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


def tidy(scene: Scene, held: str = "", step: float = 0.0) -> Scene:
    """Return a scene that promises no more than a recording can hold.

    Handles become marks, but for the one that is held: it moves from place to place.
    """
    panels = []
    for panel in scene["panels"]:
        marks = [
            {"kind": "marks", "xy": [handle["at"]]}
            | {key: handle[key] for key in ("marker", "colour", "size") if key in handle}
            for handle in panel["handles"]
            if handle["id"] != held
        ]
        kept = [handle for handle in panel["handles"] if handle["id"] == held]
        drawn = {"drawables": [*panel["drawables"], *marks], "handles": kept, "adds": False}
        panels.append({**panel, **drawn, "step": step or panel["step"]})
    hint = DRAGGED if held else HONEST
    rest = {"hint": hint, "relabels": False, "removes": False, "beat": None, "echo": None}
    rest |= {"undo": False, "redo": False, "moved": False}
    return _rounded({**scene, **rest, "panels": panels, "chosen": None, "count": 0})


def shared(walks: dict[str, list[Scene]]) -> dict[str, Any]:
    """Return walks in which what several pictures have in common is stored once, under a number."""
    parts: dict[str, int] = {}

    def number(part: Any) -> int:
        return parts.setdefault(json.dumps(part, ensure_ascii=False), len(parts))

    def short(scene: Scene) -> Scene:
        panels = []
        for panel in scene["panels"]:
            look = {k: v for k, v in panel.items() if k not in ("drawables", "handles")}
            drawn = [number(item) for item in panel["drawables"]]
            panels.append({"look": number(look), "drawables": drawn, "handles": panel["handles"]})
        return {**scene, "panels": panels}

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
