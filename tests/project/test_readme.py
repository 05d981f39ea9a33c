"""The README is short and true."""

import doctest
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def text(name):
    return (ROOT / name).read_text("utf-8")


def test_the_readme_is_short_and_names_the_commands():
    assert len(text("README.md").splitlines()) <= 75
    for target in ("lab", "test", "site", "slides", "book", "student", "grade", "hub"):
        assert re.search(rf"(?m)^make {target}\b|`make {target}\b", text("README.md")), target


def test_the_readme_runs_and_shows_its_true_output():
    blocks = re.findall(r"^```(?:python|pycon)\n(.*?)^```", text("README.md"), re.M | re.S)
    assert all(block.startswith(">>> ") for block in blocks), "nothing would run the others"
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", "README.md", 0)
    assert len(test.examples) >= 8, "the README must show at least eight lines of linlib"
    report = []
    doctest.DocTestRunner().run(test, out=report.append)
    assert not report, "".join(report)
