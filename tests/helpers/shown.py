"""What an explorer shows, as lines that a snapshot stores and a person reads.

Its sentences first, then for every panel a line for each kind of mark in it: how many there are,
between which places, and how they look. The last digit of a number may differ between processors;
words and looks may not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from linlib import explorers
from linlib.explorers import Explorer

EXPLORERS = {
    "line": explorers.LineExplorer,
    "hyperplane": explorers.HyperplaneExplorer,
    "perceptron": explorers.PerceptronExplorer,
    "proof": explorers.ProofExplorer,
    "descent": explorers.DescentExplorer,
    "margin": explorers.MarginExplorer,
    "logistic": explorers.LogisticExplorer,
    "gaussians": explorers.GaussianExplorer,
    "classes": explorers.ClassesExplorer,
}
NUMBER = re.compile(r"−?-?\d+(?:\.\d+)?")
PLACES = ("xy", "at", "tail", "tip", "id")


def shown(explorer: Explorer) -> str:
    """Return what is seen of an explorer now."""
    return "\n".join(_lines(explorer))


def _lines(explorer: Explorer) -> Iterator[str]:
    scene = explorer.canvas.scene
    yield scene["text"]
    yield f"task: {scene['task']}"
    if card := scene["card"]:
        yield f"{'done' if card['done'] else 'challenge'}: {card['goal']}: {card['words']}"
    yield f"lights up: {' '.join(name for _, name in scene['pieces'] if name)}"
    for panel in scene["panels"]:
        ticks = [" ".join(label for _, label in panel[axis]) for axis in ("xticks", "yticks")]
        frame = {key: _rounded(panel[key]) for key in ("xlim", "ylim", "size", "step", "adds")}
        words = [panel["title"], panel["xlabel"], panel["ylabel"], *ticks]
        yield f"panel {' | '.join(words)} | {json.dumps(frame)[1:-1]}"
        yield from _marks([*panel["drawables"], *panel["handles"]])


def _marks(items: list[Any]) -> Iterator[str]:
    kinds: dict[str, list[Any]] = {}
    for item in items:
        left_out = (*PLACES, "label", "rail") if "id" in item else PLACES
        left_out += () if item.get("fill") else ("opacity", "closed")
        look = {key: value for key, value in item.items() if key not in left_out and value != ""}
        spots = item.get("xy") or [item[key] for key in ("at", "tail", "tip") if key in item]
        kinds.setdefault(_plain(look), []).append(spots)
    for look, groups in kinds.items():
        spots = np.array([spot for group in groups for spot in group]).reshape(-1, 2)
        if len(spots):  # a corner may be there twice, so that spots are not counted
            (left, low), (right, high) = spots.min(axis=0) + 0.0, spots.max(axis=0) + 0.0
            yield f"  {len(groups)} in {left:.2f} to {right:.2f}, {low:.2f} to {high:.2f} {look}"


def _rounded(value: Any) -> Any:
    return [round(part, 3) for part in value] if isinstance(value, list) else value


def _plain(look: dict[str, Any]) -> str:
    return json.dumps(look, ensure_ascii=False, sort_keys=True).replace('"', "")


def alike(old: str, new: str) -> bool:
    """Tell whether two texts are the same, line by line, but for rounding."""
    lines = old.splitlines(), new.splitlines()
    return len(lines[0]) == len(lines[1]) and all(map(near, *lines))


def near(old: str, new: str) -> bool:
    """Tell whether two lines differ by rounding alone, and that not in the looks of a mark."""
    (old, _, look), (new, _, other) = (line.partition(" {") for line in (old, new))
    numbers = NUMBER.findall(old), NUMBER.findall(new)
    same = NUMBER.sub("#", old) == NUMBER.sub("#", new) and look == other
    return same and all(a == b or _close(a, b) for a, b in zip(*numbers, strict=True))


def _close(old: str, new: str) -> bool:
    """Tell whether two numbers, one of them with a point, differ in their last digit alone."""
    digits = max(len(number.partition(".")[2]) for number in (old, new))
    a, b = (float(number.replace("−", "-")) for number in (old, new))
    return digits > 0 and abs(a - b) <= 1.5 * 10.0**-digits
