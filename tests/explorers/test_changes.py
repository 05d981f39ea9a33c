"""A drag tells the browser what has changed: put into the scene before, it makes the scene now."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from lincourse import programs
from linlib.explorers import Explorer, LineExplorer
from linlib.explorers.kit.controls import SCRIPT
from tests.helpers.shown import EXPLORERS

MERGE = """
import { readFileSync } from "node:fs";
const { merged } = await import(process.argv[2]);
const told = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(told.map(([base, change]) => merged(base, change))));
"""


def drag(explorer: Explorer, number: int, share: float, gesture: int = 1) -> None:
    """Drag the first handle to a share of the picture from its left and lower end."""
    panel = explorer.canvas.scene["panels"][0]
    id = next(iter(explorer.handles))
    x, y = (low + share * (high - low) for low, high in (panel["xlim"], panel["ylim"]))
    event = {"type": "move", "id": id, "x": x, "y": y}
    explorer.receive(event | {"view": "v", "number": number, "gesture": gesture})


@pytest.mark.needs("node")
def test_what_a_drag_tells_makes_the_scene(tmp_path: Path) -> None:
    told, scenes = list[Any](), list[Any]()
    for kind in EXPLORERS.values():
        explorer = kind()
        for number, share in enumerate((0.2, 0.7, 0.4, 0.9), start=1):
            drag(explorer, number, share)
            told.append((explorer.canvas.base, explorer.canvas.change))
            scenes.append(explorer.canvas.scene)
        del told[-4], scenes[-4]  # a drag begins with the whole scene
    (tmp_path / "canvas.mjs").write_text(SCRIPT, "utf-8")
    (tmp_path / "merge.mjs").write_text(MERGE, "utf-8")
    command = [programs.find("node"), str(tmp_path / "merge.mjs")]
    command.append((tmp_path / "canvas.mjs").as_uri())
    ended = subprocess.run(command, input=json.dumps(told), capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    made = json.loads(ended.stdout)
    wrong = [one["name"] for one, scene in zip(made, scenes, strict=True) if one != scene]
    assert wrong == [], "the browser would show something else than Python"


def test_a_drag_that_moves_nothing_else_tells_of_its_handle_alone() -> None:
    line = LineExplorer()
    for number, x in enumerate((35.0, 36.0), start=1):  # along the line, which stays where it is
        event = {"type": "move", "id": "from", "x": x, "y": 21.0, "gesture": 1}
        line.receive(event | {"view": "v", "number": number})
    parts = line.canvas.change["parts"]
    assert set(parts) == {"panels", "echo", "count"}
    handle = {"parts": {"at": {"new": [36.0, 21.0]}}}
    assert parts["panels"] == {"parts": {"0": {"parts": {"handles": {"parts": {"0": handle}}}}}}


def test_whatever_is_no_drag_tells_the_whole_scene() -> None:
    """A view that is opened later begins with the whole scene, and a change belongs to one."""
    line = LineExplorer()
    for number, gesture in enumerate((1, 1, 2), start=1):
        drag(line, number, 0.1 * number, gesture)
    assert line.canvas.base == line.canvas.scene, "another drag begins"
    assert line.canvas.change["base"] != line.canvas.base["count"], "and is not what came before"
    drag(line, 4, 0.5, 2)
    assert line.canvas.change["base"] == line.canvas.base["count"]
    line.undo()
    assert line.canvas.base == line.canvas.scene
