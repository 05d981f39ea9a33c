"""What explorers say and draw on a walk through their presets, controls and some nasty states.

    python -m tests.shown        # write it anew; then read the difference

One file an explorer. A state has its sentence, what is copied as Python, and of every panel a line
for each kind of mark in it: its looks, how many there are, and between which places; lines of the
state before are not told again. The last digit of a number may differ between processors, words
and looks may not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from linlib import Hyperplane, data, explorers
from linlib.explorers import Explorer
from linlib.explorers.kit.explorer import OWN
from tests.facts_challenges import challenged
from tests.fuzz import KINDS, fill

FOLDER = Path(__file__).parent
NUMBER = re.compile(r"−?-?\d+(?:\.\d+)?")
PLACES = ("xy", "at", "tail", "tip", "id")
NASTY = 6  # states of tests.fuzz

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


def _set(**values: Any) -> Callable[[Any], None]:
    """Return what sets controls one after the other.

    "end" makes all steps, "fill" is of points, "moved" of a handle, "put" of parts of the state.
    """

    def act(explorer: Any) -> None:
        for name, value in values.items():
            if name == "fill":
                fill(explorer, *value)
            elif name == "put":
                explorer.put(explorer.state | value)
            elif name in ("end", "moved"):
                explorer.to_end() if name == "end" else explorer.move(*value)
            else:
                explorer.controls[name].value = value

    return act


def _at_the_limit(explorer: Any) -> None:
    explorer.eta.value = explorer.limit


ALONG = [[1, 1], [2, 2], [-1, -1]], [1, 1, -1]
FLAT = [[0, 0], [0, 0]], [1, -1]
SINGLY = {"pick": "one by one"}
LINE = {"preset": "four on a line"}
TWELVE = {"fill": ([[2, -2]] * 12, [1] * 12), "eta": 1.0}
ROUND = [-0.25, 0.2, 0.5, 0.5, -3, 3, 0.25, 0.7, 4, 0.25, 0.7, 4]  # a circle that floats leave
SIGNS = [1, -1, 1, -1, 1, 1, 1, 1, -1, 1, -1, -1]
TENTHS = [[k / 10, k / 10] for k in (1, 2, 3, 4)]
AROUND = [[[0, 0], [-3, 0.1], 2.44], [[0, 0], [-2, 1], 2.44]]
# States that are seldom met, many of which an explorer once said something false about.
RARE: dict[str, dict[str, Callable[[Any], object]]] = {
    "line": {"ends on each other": _set(moved=("to", 34, 21))},
    "hyperplane": {
        "no normal": _set(moved=("normal", 0, 0)),
        "outside": _set(moved=("normal", 0.0001, 0)),
        "on the line by decimals": _set(put={"w": [0.1, 0.2], "w0": -0.3, "point": [1, 1]}),
    },
    "perceptron": {
        "XOR to the end": _set(preset="XOR", end=True),
        "three points, hulls": _set(preset="three points", end=True, show="line and hulls"),
        "random, worst first": _set(preset="random", order="worst", end=True),
        "on a line by decimals": _set(fill=(TENTHS[:3], [1, -1, 1])),
    },
    "proof": {
        "XOR to the end": _set(preset="XOR", end=True),
        "random, plain": _set(preset="random", end=True),
        "weights": _set(end=True, show="weight space"),
        "too small for floats": _set(
            fill=([[0, 0], [1e7, 1e7], [5e6, 5e6 + 1e-4]], [1, 1, -1]), end=True
        ),
    },
    "descent": {
        "at the limit": _at_the_limit,
        "at rest at the limit": lambda one: (
            one.move("start", *one.bottom),
            _at_the_limit(one),
        ),
        "at rest, one by one": _set(**SINGLY, fill=ALONG, moved=("start", 0.5, 0.5)),
        "passes settle": _set(**LINE, **SINGLY),
        "passes diverge": _set(**SINGLY, eta=1.0),
        "hinge, one by one": _set(**SINGLY, loss="hinge"),
        "perceptron, one by one": _set(**SINGLY, loss="perceptron"),
        "perceptron on a line": _set(**LINE, loss="perceptron"),
        "along one direction": _set(fill=ALONG),
        "flat": _set(fill=FLAT),
        "outside": _set(fill=([[0.1, 0], [0, 4]], [1, 1]), moved=("start", -4, 4)),
        "a cycle": _set(
            **SINGLY, loss="hinge", eta=0.3, fill=([[1, 1]] * 2, [1, -1]), moved=("start", 0.2, 0.1)
        ),
        "a pass times 7 to the 12th": _set(**SINGLY, **TWELVE, moved=("start", 0.1651, 1.395)),
        "at rest, though it would explode": _set(**SINGLY, **TWELVE, moved=("start", 0.25, -0.25)),
        "what drowns in a runaway": _set(
            eta=0.3, fill=([[0, 3], [1, 0]], [1, 1]), moved=("start", 0.6, 0.5), end=True
        ),
        "a circle in whole numbers": _set(
            **LINE,
            loss="perceptron",
            eta=0.005,
            moved=("start", -0.25, -0.5),
            fill=([[x] for x in ROUND], SIGNS),
            end=True,
        ),
        "decimals decide at a kink": _set(
            **LINE,
            loss="hinge",
            eta=0.1,
            moved=("start", 0.5, 1.0),
            fill=([[0], [-4]], [-1, -1]),
            end=True,
        ),
    },
    "margin": {
        "apart, hulls": _set(show="street and hulls", lam=0.001),
        "overlapping, hulls": _set(preset="overlapping", show="street and hulls", lam=0.01),
    },
    "logistic": {
        "apart": _set(preset="apart", penalty="none"),
        "apart but for a line": _set(preset="apart but for a line", penalty="none"),
        "flat": _set(fill=([[1, 1], [1, 1], [1, 1]], [1, -1, 1])),
        "through one mixed place": _set(
            penalty="none", fill=([[-1.131, 0.8079]] * 3 + [[-4, 0.5]], [1, -1, -1, 1])
        ),
        "on a line by decimals": _set(penalty="none", fill=(TENTHS, [1, -1, 1, -1])),
    },
    "gaussians": {
        "equal means": _set(moved=("mean1", -1.4, -0.8)),
        "equal means, prior": _set(moved=("mean1", -1.4, -0.8), prior=0.75),
        "equal": lambda one: (one.equalise(), one.move("mean1", -1.4, -0.8)),
        "in a corner": _set(moved=("mean1", 5.0, 4.0)),
        "crossed, wide": _set(preset="crossed", moved=("wide0", 0.0, 3.5)),
        "small in large, prior": _set(preset="small in large", prior=0.05),
        "around the picture": _set(put={"shapes": AROUND, "prior": 0.75}),
        "parallel lines": _set(
            put={"shapes": [[[0, 0], [1.9, 0], 1.6], [[0.4, 0], [0.6, 0], 1.6]]}
        ),
    },
    "classes": {
        "pinwheel, squares": _set(preset="pinwheel", learner="least squares"),
        "in a row, perceptron": _set(preset="in a row", learner="perceptron"),
        "flat": _set(fill=([[1, 1], [1, 1], [1, 1]], [0, 1, 2]), learner="least squares"),
        "flat pair": _set(fill=([[1, 1], [1, 1], [1, 1]], [0, 1, 1]), scheme="pair by pair"),
    },
}


def walk(name: str) -> Iterator[tuple[str, Explorer]]:
    """Yield an explorer in one state after another, each with how it got there."""
    if name == "predict":
        yield from _predictions()
        return
    explorer: Any = EXPLORERS[name]()
    yield "at first", explorer
    for preset in list(explorer.presets)[1:]:
        explorer.preset.value = preset
        yield preset, explorer
    explorer.reset()
    if hasattr(explorer, "step"):
        yield from _steps(explorer)
    for control in (one for one in explorer.controls if one != "preset"):
        for value in _values(explorer.controls[control]):
            if hasattr(explorer, "step"):
                explorer.step()  # another order or offset begins again
            explorer.controls[control].value = value
            yield f"{control}: {value}", explorer
        explorer.reset()
    handle = list(explorer.handles)[-1]
    explorer.move(handle, 0.5, -0.25)
    yield f"{handle} moved", explorer
    if explorer.edits:
        yield from _points(explorer)
    for how, act in RARE.get(name, {}).items():
        explorer = EXPLORERS[name]()
        other = act(explorer)
        yield how, other if isinstance(other, Explorer) else explorer
    for number, nasty in enumerate(islice(KINDS[name][0](np.random.default_rng(3)), NASTY)):
        yield f"nasty {number}", nasty


def _values(control: Any) -> list[Any]:
    if hasattr(control, "options"):
        return [value for value in control.options if value != control.value and value != OWN]
    return list(control.ends) if hasattr(control, "ends") else [not control.value]


def _steps(explorer: Any) -> Iterator[tuple[str, Explorer]]:
    for act in (explorer.to_start, explorer.step, explorer.step, explorer.to_end):
        act()
        yield act.__name__.replace("_", " "), explorer
    explorer.go(explorer.k - 1)
    yield "back", explorer
    explorer.go(True)
    yield "playing", explorer
    explorer.reset()


def _points(explorer: Any) -> Iterator[tuple[str, Explorer]]:
    features, labels = explorer.X.shape[1], list(explorer.looks)
    explorer.add(0.75, 0.5)
    yield "one added", explorer
    explorer.relabel("p0")
    yield "p0 relabelled", explorer
    for y in ([], labels[:1], labels[:2], labels[:2] * 2):
        spots = np.array([[0.0, 0.0], [1.0, 0.5], [0.5, 1.0], [0.5, -0.25]])[: len(y), :features]
        fill(explorer, spots, y)
        yield f"labels {y}", explorer


def _predictions() -> Iterator[tuple[str, Explorer]]:
    X, y = data.and_gate()
    line = explorers.PredictLine("Where?", X, y, lambda: Hyperplane([2, 2], -3), because="So.")
    yield "asked", line
    line.move("to", 0.75, 0.25)
    yield "moved", line
    line.commit()
    yield "committed", line


def lines(explorer: Explorer) -> Iterator[str]:
    """Yield what is shown, a line each."""
    scene = explorer.canvas.scene
    yield scene["text"]
    yield f"task: {scene['task']}"
    if said := challenged(explorer):
        yield f"challenge: {said}"
    lit = [name for _, name in scene["pieces"] if name]
    flags = [name for name in ("undo", "redo", "moved", "edits") if scene[name]]
    yield f"lights up {' '.join(lit)}; {' '.join(flags)}; beat {scene['beat'] is not None}"
    for entry in scene["legend"]:
        yield f"legend {_plain(entry)}"
    copied = explorer.python().splitlines()
    yield from (
        f"> {line}" for line in copied if line and "[[" not in line and "y = np" not in line
    )
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


def story(name: str) -> list[str]:
    """Return what is told of an explorer: of each state what differs from the one before."""
    told, before = list[str](), list[str]()
    for how, explorer in walk(name):
        now = list(lines(explorer))
        new = [line for line in now[1:] if line not in before]
        told += [f"== {how}", now[0], *new, f"  {len(now) - 1 - len(new)} lines as before"]
        before = now
    return told


def differences(stored: list[str], fresh: list[str]) -> list[str]:
    """Return the lines in which two stories differ by more than rounding."""
    if len(stored) != len(fresh):
        first = next((k for k, (a, b) in enumerate(zip(stored, fresh, strict=False)) if a != b), -1)
        return [f"{len(stored)} lines became {len(fresh)}, from line {first + 1} on"]
    return [
        f"line {k + 1}:\n- {old}\n+ {new}"
        for k, (old, new) in enumerate(zip(stored, fresh, strict=True))
        if old != new and not _near(old, new)
    ]


def _near(old: str, new: str) -> bool:
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
