"""The README is true: its table of lectures, its counts, its example, the commands it names."""

from __future__ import annotations

import doctest
import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from lincourse.check import claims
from lincourse.paths import HOMEWORK, NOTEBOOKS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
ROW = re.compile(r"^\| \[\d+\]\(notebooks/.*$", re.MULTILINE)
WORDS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
WORDS += "fifteen sixteen seventeen eighteen nineteen twenty"


def place(text: str, where: int) -> str:
    """Return on which line of the README a character stands."""
    return f"README.md, line {text.count(chr(10), 0, where) + 1}"


# ---------------------------------------------------------------- the table of lectures


def lectures() -> dict[str, str]:
    """Return name → the row that the table should have for a lecture, as its title says it.

    A title is "# 02 · How can a machine find the rule from mistakes? The perceptron": the question,
    then what the subject is called elsewhere.
    """
    found = {}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        title = nbformat.read(path, as_version=4).cells[0].source.splitlines()[0]
        number, question, elsewhere = re.fullmatch(r"# (\d+) · (.+?\?) ?(.*)", title).groups()
        elsewhere = elsewhere or path.stem.partition("-")[2].replace("-", " ")
        found[path.stem] = f"| [{number}](notebooks/{path.name}) | {question} | {elsewhere} |"
    return found


def wrong_rows(text: str) -> list[str]:
    """Return a sentence for each lecture that the table shows wrongly or not at all."""
    wanted = lectures()
    complaints, seen = [], []
    for row in ROW.finditer(text):
        name = re.search(r"notebooks/([^)]*)\.ipynb", row[0])[1]
        seen.append(name)
        if name not in wanted:
            complaints.append(f"{place(text, row.start())}: there is no notebooks/{name}.ipynb")
        elif row[0] != wanted[name]:
            complaints.append(f"{place(text, row.start())} should say {wanted[name]!r}")
    lacking = [wanted[name] for name in wanted if name not in seen]
    complaints += [f"README.md lacks a line in its table of lectures: {row!r}" for row in lacking]
    if not complaints and seen != sorted(seen):
        complaints.append("README.md: the lectures are not in order")
    return complaints


def test_the_table_lists_every_lecture_by_its_title() -> None:
    if complaints := wrong_rows(README):
        pytest.fail("\n".join(complaints), pytrace=False)


@pytest.mark.parametrize(
    ("stored", "wrong", "said"),
    [
        ("Why must it stop?", "Why does it stop?", "Why must it stop? | The convergence theorem"),
        ("03-convergence", "03-theorem", "there is no notebooks/03-theorem.ipynb"),
    ],
)
def test_a_wrong_row_is_named_by_its_line(stored: str, wrong: str, said: str) -> None:
    found = wrong_rows(README.replace(stored, wrong))
    line = next(k for k, row in enumerate(README.splitlines(), start=1) if stored in row)
    assert found[0].startswith(f"README.md, line {line}")
    assert said in found[0]


# ---------------------------------------------------------------- counts


def counts() -> dict[str, int]:
    """Return the phrases of the README that count something, and what they should say there."""
    ledger = claims.ledger(NOTEBOOKS)
    verdict = Counter(claim["verdict"] for claim in ledger)
    return {
        "{} Jupyter notebooks": len(lectures()),
        "We checked {} claims": len(ledger),
        "{} are wrong as written": verdict["wrong as written"],
        "{} need a condition": verdict["holds if"],
        "{} hold**": verdict["holds"],
        "{} homeworks": len(list((HOMEWORK / "source").glob("hw*"))),
    }


def wrong_counts(text: str) -> list[str]:
    """Return a sentence for each phrase whose number is not the one counted."""
    complaints = []
    for phrase, number in counts().items():
        before, after = (re.escape(part).replace(r"\ ", r"\s+") for part in phrase.split("{}"))
        found = re.search(rf"{before}(\w+){after}", text)
        if not found:
            complaints.append(f"README.md no longer says {phrase.format('…')!r}")
        elif found[1].lower() not in (str(number), spelled(number)):
            where = place(text, found.start(1))
            said, right = phrase.format(found[1]), phrase.format(number)
            complaints.append(f"{where} says {said!r} and should say {right!r}")
    return complaints


def spelled(number: int) -> str:
    return WORDS.split()[number] if number < len(WORDS.split()) else ""


def test_every_count_is_that_of_the_files() -> None:
    if complaints := wrong_counts(README):
        pytest.fail("\n".join(complaints), pytrace=False)


@pytest.mark.parametrize("phrase", counts())
def test_a_wrong_count_is_named_by_its_line(phrase: str) -> None:
    right = counts()[phrase]
    before, after = (re.escape(part).replace(r"\ ", r"\s+") for part in phrase.split("{}"))
    spoilt = re.sub(rf"({before})\w+({after})", r"\g<1>93\g<2>", README)
    (said,) = wrong_counts(spoilt)
    lines = spoilt.splitlines()
    (line,) = (k for k, row in enumerate(lines, start=1) if re.search(r"\b93\b", row))
    assert said.startswith(f"README.md, line {line} says")
    assert said.endswith(f"should say {phrase.format(right)!r}")


# ---------------------------------------------------------------- commands, example


def test_the_commands_that_most_readers_want_are_named() -> None:
    for target in ("lab", "test", "site", "slides", "book", "student", "grade", "hub"):
        assert re.search(rf"(?m)^make {target}\b|`make {target}\b", README), target


def test_the_example_runs_and_shows_its_true_output() -> None:
    blocks = re.findall(r"^```(?:python|pycon)\n(.*?)^```", README, re.M | re.S)
    assert blocks
    assert all(block.startswith(">>> ") for block in blocks), "nothing would run the others"
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", "README.md", 0)
    report: list[str] = []
    doctest.DocTestRunner().run(test, out=report.append)
    assert not report, "".join(report)
