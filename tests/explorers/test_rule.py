"""What the browser draws by a rule is what Python draws after the same moves."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lincourse import programs
from linlib import Hyperplane, explorers
from linlib.explorers import Explorer
from linlib.explorers.kit.controls import SCRIPT

ROUNDED = 2e-6  # places of a scene have six decimals
# Follow each list of moves from its scene; write the scenes that came of it.
FOLLOW = """
import { readFileSync } from "node:fs";
const { followed } = await import(process.argv[2]);
const asked = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(asked.map(({ scene, moves }) => moves.reduce(followed, scene))));
"""


def predicted() -> Explorer:
    X, y = [[0, 0], [2, 0], [1, 2]], [-1, 1, 1]
    return explorers.PredictLine("Where?", X, y, lambda: Hyperplane([1, 0], -1))


MADE: dict[str, Callable[[], Explorer]] = {
    "line": explorers.LineExplorer,
    "line, no line is right": lambda: explorers.LineExplorer("Adelie and Chinstrap"),
    "line and those kept back": lambda: explorers.LineExplorer(test=True),
    "hyperplane": explorers.HyperplaneExplorer,
    "prediction": predicted,
}


def followed(folder: Path, asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the scenes to which canvas.js comes by itself."""
    (folder / "canvas.mjs").write_text(SCRIPT, "utf-8")
    (folder / "follow.mjs").write_text(FOLLOW, "utf-8")
    command = [programs.find("node"), str(folder / "follow.mjs"), (folder / "canvas.mjs").as_uri()]
    ended = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    found: list[dict[str, Any]] = json.loads(ended.stdout)
    return found


def walked(make: Callable[[], Explorer], rng: np.random.Generator) -> tuple[Explorer, Any]:
    """Return an explorer after some moves, and what a browser would know of them."""
    explorer = make()
    scene = json.loads(json.dumps(explorer.canvas.scene))
    (left, right), (low, high) = scene["panels"][0]["xlim"], scene["panels"][0]["ylim"]
    moves = []
    for _ in range(rng.integers(1, 4)):
        id = str(rng.choice(list(explorer.handles)))
        at = rng.uniform((left, low), (right, high)).round(4).tolist()
        if rng.random() < 0.2:  # onto another handle, where there may be no line
            at = [
                round(part, 4) for part in explorer.handles[str(rng.choice(list(explorer.handles)))]
            ]
        explorer.move(id, *at)
        moves.append({"id": id, "at": at})
    return explorer, {"scene": scene, "moves": moves}


def flat(thing: Any) -> list[float]:
    return np.asarray(thing, dtype=np.float64).ravel().tolist()


def differences(python: dict[str, Any], browser: dict[str, Any]) -> list[str]:
    """Return what would jump when Python's picture takes the place of the browser's."""
    found = []
    if browser["follows"] and python["text"] != browser["text"]:
        found.append(f"{browser['text']!r} becomes {python['text']!r}")
    (mine,), (yours,) = python["panels"], browser["panels"]
    waits = mine["rule"]["waits"]
    drawn = [
        sorted(
            (json.dumps([item.get("name"), item["colour"]]), flat(item.get(key, [])))
            for item in panel["drawables"]
            if item["name"] not in waits
            for key in ("xy", "at", "tail", "tip")
        )
        for panel in (mine, yours)
    ]
    names = [[name for name, _ in one] for one in drawn]
    if names[0] != names[1]:
        return [*found, f"drawn: {sorted(set(names[0]) ^ set(names[1])) or names}"]
    for (name, here), (_, there) in zip(*drawn, strict=True):
        if len(here) != len(there) or not np.allclose(here, there, rtol=0, atol=ROUNDED):
            found.append(f"{name}: {there} becomes {here}")
    grips = [
        {
            one["id"]: (one["marker"], one["colour"], one["at"], one["rail"])
            for one in panel["handles"]
        }
        for panel in (mine, yours)
    ]
    for id, (*look, at, rail) in grips[0].items():
        *shown, there, along = grips[1].get(id, (*look, at, rail))
        if look != shown or not np.allclose(
            flat([at, rail or at]), flat([there, along or there]), atol=2e-6
        ):
            found.append(f"handle {id}: {grips[1][id]} becomes {grips[0][id]}")
    return found


@pytest.mark.needs("node")
@pytest.mark.parametrize("name", MADE)
def test_what_follows_a_handle_by_a_rule_is_what_python_draws(name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(37)
    walks = [walked(MADE[name], rng) for _ in range(200)]
    scenes = followed(tmp_path, [asked for _, asked in walks])
    wrong = []
    for (explorer, asked), scene in zip(walks, scenes, strict=True):
        jumps = differences(explorer.canvas.scene, scene)
        wrong += [f"after {asked['moves']}: {jump}" for jump in jumps]
    assert not wrong, f"{len(wrong)} jumps: " + "\n".join(wrong[:4])
    spoken = np.mean([scene["follows"] for scene in scenes])
    assert spoken > 0.9, "the sentence is left to Python only where it is rarely needed"
