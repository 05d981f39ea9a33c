"""Our scripts by themselves: they parse, keep to rules, and what needs no document is right."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from lincourse import programs

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "linlib" / "explorers" / "kit" / "canvas.js"
LAB = ROOT / "lincourse/lab/data/share/jupyter/labextensions/linlib-lab/static"
SCRIPTS = [
    SOURCE,
    LAB / "predict.js",
    LAB / "describe.js",
    ROOT / "lincourse/publish/source/static/site.js",
]


@pytest.mark.needs("node")
@pytest.mark.parametrize("name", ["canvas", "predict"])
def test_the_parts_without_a_document(name: str) -> None:
    command = [
        programs.find("node"),
        "--test",
        str(ROOT / "tests" / "explorers" / f"{name}.test.mjs"),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-1000:]
    assert re.search(r"# pass (\d+)", ended.stdout)[1] != "0"


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        (r"\bvar\b", "let and const have the scope a reader expects"),
        (r"[^=!]==[^=]|!=[^=]", "== converts what it compares"),
        (r"innerHTML|insertAdjacentHTML|document\.write", "words of a sentence are never markup"),
        (r"\beval\(|new Function", "nothing is run that was not written here"),
        (r"console\.|\bdebugger\b|\balert\(", "the console stays empty"),
        (r"https?://(?!www\.w3\.org/2000/svg)", "nothing is fetched"),
        (r"[ \t]+$", "no blanks at the end of a line"),
        (r"\t", "two blanks, not tabs"),
    ],
)
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_it_keeps_to_the_rules(script: Path, pattern: str, why: str) -> None:
    lines = script.read_text("utf-8").splitlines()
    code = [re.sub(r"\s*//.*$", "", line) if "http" not in line else line for line in lines]
    found = [f"{k}: {line}" for k, line in enumerate(code, 1) if re.search(pattern, line)]
    assert not found, f"{why}: {found}"


def test_every_listener_on_the_document_or_model_is_taken_off_again() -> None:
    text = SOURCE.read_text("utf-8")
    on, off = (re.findall(rf"model\.{what}\(\"([\w:]+)\"", text) for what in ("on", "off"))
    assert sorted(on) == sorted(off) != []
    assert "document.addEventListener" not in text
