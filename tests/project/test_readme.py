"""README and CONTRIBUTING are true: lectures, counts, example, commands, rooms, steps, links."""

from __future__ import annotations

import doctest
import pkgutil
import re
import subprocess
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from lincourse.check import claims
from lincourse.paths import HOMEWORK, NOTEBOOKS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
LIBRARY = (ROOT / "linlib/README.md").read_text("utf-8")
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


def test_the_example_of_linlib_runs_and_shows_its_true_output() -> None:
    blocks = re.findall(r"^```(?:python|pycon)\n(.*?)^```", LIBRARY, re.M | re.S)
    assert blocks
    assert all(block.startswith(">>> ") for block in blocks), "nothing would run the others"
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", "README.md", 0)
    report: list[str] = []
    doctest.DocTestRunner().run(test, out=report.append)
    assert not report, "".join(report)


# ---------------------------------------------------------------- where links, rooms and steps lead

PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
PAGES += ["linlib/README.md", "nbsame/README.md"]


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_to_a_file(name: str) -> None:
    page = ROOT / name
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8"))
    gone = [link for link in links if not (page.parent / link).exists()]
    assert not gone, f"{name} links to what is not there"


def test_every_room_of_the_map_is_there() -> None:
    rows = re.findall(r"^\| [^|]+ \| (.+?) \|$", CONTRIBUTING.split("\n\n")[2], re.M)
    rooms = [room for row in rows for room in re.findall(r"`([\w./]+)`", row)]
    assert len(rooms) >= 12
    inside = {"linlib": ROOT / "linlib", "lincourse": ROOT / "lincourse/publish"}
    for room in rooms:
        places = [ROOT / room, *(folder / room for folder in inside.values())]
        assert any(place.exists() for place in places), f"CONTRIBUTING.md: there is no {room}"


def test_every_folder_at_the_top_is_a_room_of_the_map() -> None:
    table = CONTRIBUTING.split("\n\n")[2]
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    folders = {name.partition("/")[0] for name in listed.splitlines() if "/" in name}
    unnamed = {name for name in folders if name[0] != "." and f"`{name}/" not in table}
    assert not unnamed, "CONTRIBUTING.md: the map says nothing about these folders"


STEPS = re.findall(
    r"`((?:nbsame|publish|grader|check)\.[\w.]+)`", CONTRIBUTING.partition("## The loop")[0]
)


def test_every_route_is_drawn() -> None:
    assert len(STEPS) >= 15


@pytest.mark.parametrize("step", dict.fromkeys(STEPS))
def test_a_step_of_a_route_is_found_by_its_name(step: str) -> None:
    whole = step if step.startswith("nbsame.") else f"lincourse.{step}"
    thing = pkgutil.resolve_name(whole)
    assert thing.__doc__ or callable(thing), f"CONTRIBUTING.md: {step}"
