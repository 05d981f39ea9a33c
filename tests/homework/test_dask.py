"""Grading on a Dask cluster: same results, no shared folder, a killed worker costs nothing."""

from __future__ import annotations

import io
import os
import signal
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from lincourse.grader import workers
from lincourse.grader.grading import grade_folder
from lincourse.grader.records import read_table
from lincourse.grader.sandbox import Limits
from lincourse.grader.scoring import Grading, Options
from lincourse.programs import missing
from tests.handed_in import filled, hand_in

WRONG = "def signed_distances(X, w, w0):\n    return X @ w + w0\n"


@pytest.mark.slow
def test_a_cluster_grades_as_one_machine_does_and_survives_a_killed_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import LocalCluster

    for k in range(4):
        answers = {"q2": WRONG} if k % 2 else {}
        hand_in(tmp_path / "in", f"s{k}", filled("hw1", **answers))
    real, killed = Grading.save, []
    said = io.StringIO()
    with LocalCluster(  # of processes in folders of their own
        n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=tmp_path / "dask"
    ) as cluster:

        def kill_once(self: Grading, *decided: Any) -> Any:
            if not killed:
                killed.append(next(iter(cluster.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)  # without a chance to say goodbye
            return real(self, *decided)

        monkeypatch.setattr(Grading, "save", kill_once)
        options = Options(
            Limits(cell=20, notebook=120),
            scheduler=cluster.scheduler_address,
            sandbox=not missing("bwrap"),
        )
        assert grade_folder("hw1", tmp_path / "in", tmp_path / "far", options, said) == 0
    assert killed
    rows = read_table(tmp_path / "far" / "grades.csv")
    assert [row["total"] for row in rows] == ["21", "17"] * 2
    assert [row["q2"] for row in rows] == ["4", "0"] * 2

    started = time.monotonic()
    assert grade_folder("hw1", tmp_path / "in", tmp_path / "far", options, said) == 0
    assert said.getvalue().count("graded before") == 4, "the same command resumes"
    assert time.monotonic() - started < 60, "and asks no cluster, which is gone"


def test_only_the_program_travels_no_question_and_no_answer(tmp_path: Path) -> None:
    with zipfile.ZipFile(workers.packed(tmp_path)) as archive:
        names = archive.namelist()
        text = b"".join(archive.read(name) for name in names).decode()
    assert {"lincourse/grader/judge.py", "lincourse/grader/inside/__main__.py"} <= set(names)
    assert not any("question" in name for name in names)
    assert "def one_pass(X, y, weights)" not in text
