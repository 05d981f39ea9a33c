"""Record explorers: scenes that linlib computes now, to be stepped through where no kernel runs.

A walk is what an explorer shows while one thing changes: a step of the algorithm, a slider, or a
handle dragged through the picture. The page draws the scenes with the explorers' own canvas.js.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ipywidgets
import numpy as np

from linlib import widgets
from linlib.widgets.base import Explorer
from tools.lectures import ROOT, Cell, keep, lectures

STEPS = 30  # scenes of one walk, at most
HONEST = (
    "A recording: linlib computed these pictures when the page was made. Step or scrub through "
    "them here; to drag points and try your own, run the notebook."
)
Scene = dict[str, Any]
Sliders = ipywidgets.FloatSlider | ipywidgets.FloatLogSlider


def box(kind: type[Explorer], still: str, folder: str) -> str:
    """Return the place of a walk in a page: the still picture, until the scripts are there."""
    scripts = "".join(
        f'<script src="{folder}{name}.js" defer></script>'
        for name in ("canvas", "walk", kind.__name__)
    )
    return f'<div class="walk" data-walk="{kind.__name__}">{still}</div>{scripts}'


def shown(cell: Cell) -> type[Explorer] | None:
    """Return the explorer that a lecture's cell shows."""
    return explorer_of(cell.source) if cell.id == "explore" else None


def write(folder: Path) -> None:
    """Write what pages with walks need: recordings, the canvas, the controls."""
    for kind in {kind for one in lectures() for cell in one.cells if (kind := shown(cell))}:
        words = f'(window.linlibWalks ??= {{}})["{kind.__name__}"] = {as_json(walks(kind))};\n'
        keep(folder / f"{kind.__name__}.js", words.encode())
    canvas = ROOT / "linlib" / "widgets"
    # Browsers load no module from a file, so the module becomes a plain script.
    script = (canvas / "canvas.js").read_text("utf-8")
    if "export default {" not in script:
        raise ValueError("canvas.js: has no `export default {`; say here how to make it a script.")
    script = script.replace("export default {", "window.linlibCanvas = {", 1)
    script = re.sub(r"^export ", "", script, flags=re.MULTILINE)  # what its unit tests ask for
    keep(folder / "canvas.js", f"(() => {{\n{script}}})();\n".encode())
    keep(folder / "canvas.css", (canvas / "canvas.css").read_bytes())
    for path in (ROOT / "site" / "walk").iterdir():
        keep(folder / path.name, path.read_bytes())


def explorer_of(source: str) -> type[Explorer] | None:
    r"""Return the explorer that the source of a cell shows, if it does.

    >>> explorer_of("from linlib import widgets\nwidgets.PerceptronExplorer()").__name__
    'PerceptronExplorer'
    """
    found = re.search(r"\b(\w+Explorer)\(", source)
    made = getattr(widgets, found[1], None) if found else None
    return made if isinstance(made, type) and issubclass(made, Explorer) else None


def walks(kind: type[Explorer]) -> dict[str, list[Scene]]:
    """Return the walks of an explorer by name: one for each preset it offers."""
    chooser = _chooser(kind())
    if chooser is None:
        return {f"drag {label}": list(_drag(kind(), id)) for id, label in _labels(kind()).items()}
    recorded = {}
    for option in chooser.options[:-1]:  # the last stands for the reader's own points
        shown = kind()
        _chooser(shown).value = option[1] if isinstance(option, tuple) else option
        name = option[0] if isinstance(option, tuple) else option
        recorded[str(name)] = [tidy(scene) for scene in _changes(shown)]
    return recorded


def _changes(shown: Explorer) -> Iterator[Scene]:
    if callable(getattr(shown, "step", None)):
        shown.to_start()  # type: ignore[attr-defined]
        yield from _step(shown, shown.step)  # type: ignore[attr-defined]
    elif slider := next(_controls(shown, Sliders), None):
        for value in np.linspace(slider.min, slider.max, 13):
            log = isinstance(slider, ipywidgets.FloatLogSlider)
            slider.value = slider.base**value if log else value
            yield shown.canvas.scene
    else:
        yield from _drag(shown, next(iter(shown.handles)))


def _step(shown: Explorer, step: Callable[[], None]) -> Iterator[Scene]:
    yield shown.canvas.scene
    for _ in range(STEPS - 1):
        before = shown.text
        step()
        if shown.text == before:
            return
        yield shown.canvas.scene


def _drag(shown: Explorer, id: str) -> Iterator[Scene]:
    """Drag a handle across the picture, from left to right at its height."""
    panel = next(p for p in shown.canvas.scene["panels"] if id in {h["id"] for h in p["handles"]})
    (left, right), (_, height) = panel["xlim"], shown.handles[id]
    inset = 0.1 * (right - left)
    for x in np.linspace(left + inset, right - inset, 13):
        if id in shown.handles:
            shown.move(id, float(x), height)
            yield tidy(shown.canvas.scene)


def _controls(shown: Explorer, kind: Any) -> Iterator[Any]:
    row = shown.children[0]
    return (control for control in getattr(row, "children", ()) if isinstance(control, kind))


def _chooser(shown: Explorer) -> Any:
    return next(_controls(shown, ipywidgets.Dropdown), None)


def _labels(shown: Explorer) -> dict[str, str]:
    panels = shown.canvas.scene["panels"]
    return {h["id"]: h["label"] for panel in panels for h in panel["handles"]}


def tidy(scene: Scene) -> Scene:
    """Return a scene that promises no more than a recording can hold: handles become marks."""
    panels = []
    for panel in scene["panels"]:
        marks = [
            {"kind": "marks", "xy": [handle["at"]]}
            | {key: handle[key] for key in ("marker", "colour", "size") if key in handle}
            for handle in panel["handles"]
        ]
        kept = {key: value for key, value in panel.items() if key != "handles"}
        drawn = next(key for key in ("drawables", "items", "draw") if key in panel)
        panels.append(kept | {drawn: [*panel[drawn], *marks], "handles": [], "adds": False})
    rest = {"hint": HONEST, "relabels": False, "removes": False, "beat": None, "echo": None}
    return _rounded({**scene, **rest, "panels": panels, "chosen": None, "count": 0})


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return int(short) if (short := round(value, 3)) == int(short) else short
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value


def as_json(recorded: dict[str, list[Scene]]) -> str:
    """Return walks as JSON that may stand inside a script element."""
    words = json.dumps(recorded, ensure_ascii=False, separators=(",", ":"))
    return words.replace("<", "\\u003c")
