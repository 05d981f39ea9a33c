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
    SOURCE.with_name("rule.js"),
    LAB / "predict.js",
    LAB / "describe.js",
    ROOT / "lincourse/publish/source/static/site.js",
]


def broken(script: Path) -> str:
    """Run the tests of a script; return which failed, with expected and actual values, or ""."""
    command = [programs.find("node"), "--test", "--test-reporter=spec", str(script)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if ended.returncode == 0:
        assert re.search(r"pass (\d+)", ended.stdout)[1] != "0", "no test was found"
        return ""
    _, found, failures = ended.stdout.rpartition("failing tests:")
    if not found:
        return ended.stdout + ended.stderr
    # Of the stack only the line of the script says something.
    stack = re.compile(rf"^\s+at (?!.*{re.escape(script.name)}).*$")
    return "\n".join(line for line in failures.splitlines() if not stack.match(line))


@pytest.mark.needs("node")
@pytest.mark.parametrize("name", ["canvas", "predict"])
def test_the_parts_without_a_document(name: str) -> None:
    if failures := broken(ROOT / "tests" / "explorers" / f"{name}.test.mjs"):
        pytest.fail(failures, pytrace=False)


@pytest.mark.needs("node")
def test_a_failure_says_what_was_expected_where(tmp_path: Path) -> None:
    script = tmp_path / "wrong.test.mjs"
    fine = "".join(f'test("fine {k}", () => {{}});\n' for k in range(200))
    script.write_text(
        'import assert from "node:assert/strict";\nimport { test } from "node:test";\n'
        f'test("a sum", () => {{\n  assert.equal(1 + 1, 3);\n}});\n{fine}',
        "utf-8",
    )
    failures = broken(script)
    for words in ("a sum", "expected: 3", "actual: 2", "wrong.test.mjs:4"):
        assert words in failures, failures
    assert len(failures.splitlines()) < 25


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
