"""The benchmark runs, agrees before it times, and writes what it says; how fast is not tested."""

import importlib
import re

import numpy as np
import pytest

from bench import command, machine, report
from bench.contest import LINLIB, SKLEARN, Part, Row, Slice, contest
from bench.sections import course

MEASURED = command.FIRST  # the others start kernels and browsers


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bench.contest.LEAST", 0.0002)  # how fast is not tested
        command.main([*MEASURED, "--quick", "--out", str(folder)])
    return folder


@pytest.mark.slow
def test_every_section_runs_and_its_table_is_written(folder):
    text = (folder / "RESULTS.md").read_text("utf-8")
    assert re.findall(r"^## (.+)$", text, re.M)[0] == "Summary"
    for heading in text.split("\n## ")[1:]:
        if not heading.startswith("Summary"):
            assert re.search(r"^\|---", heading, re.M), f"no table in {heading.splitlines()[0]}"
    assert len(re.findall(r"^\| .+ \| [\d.]+ ms \|", text, re.M)) >= 12, "rows must be timed"


def test_the_picture_is_drawn_and_described(folder):
    assert (folder / "growth.png").read_bytes().startswith(b"\x89PNG")
    alt = re.search(r"!\[(.+?)\]\(growth\.png\)", (folder / "RESULTS.md").read_text("utf-8"))
    assert alt
    assert len(alt[1]) > 80


def test_the_machine_is_described_without_saying_where_it_is():
    words = machine.described()
    assert re.search(r"\d+ cores; BLAS threads: ", words)
    assert f"numpy {np.__version__}" in words
    assert "/" not in words


def test_every_module_of_the_folder_is_a_section():
    for name in command.SECTIONS:
        section = importlib.import_module(f"bench.sections.{name}")
        assert section.TITLE
        assert callable(section.run)


def test_an_unknown_section_is_refused(capsys):
    with pytest.raises(SystemExit):
        command.main(["teleportation"])
    assert "teleportation" in capsys.readouterr().err


def test_a_section_that_fails_is_said_to_and_the_others_are_written(tmp_path, monkeypatch):
    def fail(name, quick, folder):
        if name == "lms":
            raise RuntimeError("no")
        return name, Part(markdown="found")

    monkeypatch.setattr(command, "measured", fail)
    with pytest.raises(SystemExit, match="lms"):
        command.main(["lms", "memory", "--out", str(tmp_path)])
    text = (tmp_path / "RESULTS.md").read_text("utf-8")
    assert "## Lms\n\nNot measured: it failed.\n\n## memory\n\nfound" in text


def test_notebooks_that_do_not_validate_end_no_report(monkeypatch, capsys):
    def fail(books):
        raise RuntimeError("the notebooks do not validate.\nE  assert")

    monkeypatch.setattr(course, "_floor", lambda sizes: None)
    monkeypatch.setattr(course, "_validate", fail)
    part = course.run(True)
    assert part.markdown == "Not measured: the notebooks do not validate."
    assert "E  assert" in capsys.readouterr().err


def test_contestants_take_turns():
    calls = []
    row = contest(
        "task", {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, repeats=1
    )
    assert calls == ["a", "b", "a", "b"], "once to see how long it takes, then turn by turn"
    assert {len(seconds) for seconds in row.seconds.values()} == {1}


def test_a_slice_is_scaled_to_the_whole_and_marked():
    row = contest("task", {LINLIB: lambda: None, SKLEARN: Slice(lambda: None, 0.1)}, repeats=2)
    assert row.sliced == {SKLEARN}
    assert "≈" in report.table([row])[-1]
    exact = contest("task", {LINLIB: lambda: None, SKLEARN: lambda: None}, repeats=2)
    assert "≈" not in report.table([exact])[-1]


def row(name, ours, theirs, reason=""):
    return Row(name, {LINLIB: ours, SKLEARN: theirs}, reason=reason)


def test_a_ratio_is_the_median_over_turns_of_theirs_over_ours():
    assert row("task", [1.0, 2.0, 1.0], [4.0, 4.0, 3.0]).ratio(SKLEARN)[1] == 3.0


def test_the_summary_names_what_falls_short_and_why():
    lines = "\n".join(
        report.summary([row("quick", [1.0], [8.0]), row("slow", [2.0], [1.0], "it must wait")])
    )
    assert "geometric mean 2.0 over 2 rows, worst 0.50 (slow)" in lines
    assert "- slow: 0.50 of scikit-learn's speed: it must wait." in lines
    assert "- quick" not in lines


def test_what_is_no_contest_is_written_as_it_is():
    text = report.written({"x": ("Memory", Part(note="Peak.", markdown="| a |"))}, "A machine.")
    assert text == (
        "# How fast linlib is\n\nWritten by `make bench`.\n\nA machine.\n\n"
        "## Memory\n\nPeak.\n\n| a |\n"
    )


def test_the_readme_quotes_the_report():
    root = command.HERE.parent
    results = (root / "bench" / "RESULTS.md").read_text("utf-8")
    readme = " ".join((root / "README.md").read_text("utf-8").split())
    names = {
        "scikit-learn": "scikit-learn",
        "mlxtend": "mlxtend",
        "textbook loop": "the textbook loop",
    }
    names["HiGHS"] = "a linear program with HiGHS"
    for peer, words in names.items():
        mean = re.search(rf"^- {peer}: geometric mean ([\d.,]+)", results, re.M)[1]
        assert f"{words} {mean}" in readme, f"the README must say {words} {mean}"
    memory = results.split("## Memory")[1].split("\n## ")[0]
    assert max(map(float, re.findall(r"\| (\d\.\d\d)", memory))) <= 2
    keys = [int(k) for k in re.findall(r"^\| \w+ \| (\d+) \[", results, re.M)]
    assert len(keys) == 7
    assert f"about {round(np.mean(keys) / 5) * 5} ms" in readme
    ratios = [float(r) for r in re.findall(r"^\| \w+ \| \d+ \[.*\| ([\d.]+) \|$", results, re.M)]
    assert (round(min(ratios)), round(max(ratios)), len(ratios)) == (3, 8, 7)
    assert "three to eight times sooner" in readme
