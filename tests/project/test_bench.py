"""The benchmark runs, agrees before it times, and writes what it measured; speed is not tested."""

import re

import numpy as np
import pytest

from bench import __main__ as bench
from bench import report, tasks


def test_every_section_is_measured_and_listed(monkeypatch, capsys):
    monkeypatch.setattr(report, "LEAST", 0.0002)
    bench.main(["--quick"])
    text = capsys.readouterr().out
    for section in tasks.SECTIONS:
        assert re.search(rf"^\| {section.title} \| {section.peer} \| [\d.,]+ \|", text, re.M)
    assert len(re.findall(r"^\| .+ \| [\d.]+ ms \|", text, re.M)) >= 12, "tasks must be timed"


def test_a_ratio_is_the_peers_time_over_ours():
    ours, theirs = np.array([1.0, 2.0]), np.array([3.0, 6.0])
    row = report.Row(report.Task("t", print, print), ours, theirs)
    assert row.quartiles() == pytest.approx([3, 3, 3])


def test_the_machine_is_described_without_saying_where_it_is():
    assert re.search(r"\d+ cores, one BLAS thread; Python 3", report.machine())
    assert "/" not in report.machine()


def test_a_disagreement_stops_the_benchmark(monkeypatch):
    monkeypatch.setattr(tasks, "bare", lambda Z: [])
    with pytest.raises(AssertionError):
        tasks.lectures(True)
