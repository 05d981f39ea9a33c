"""Grading on a Dask cluster: same results, no shared folder, a killed worker costs nothing."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lincourse.grader import bwrap, workers
from lincourse.grader.fork_server import Limits
from lincourse.grader.grading import Progress, grade_folder
from lincourse.grader.records import read_table
from lincourse.grader.scoring import Options
from tests.handed_in import filled, hand_in

WRONG = "def signed_distances(X, w, w0):\n    return X @ w + w0\n"
LIMITS = Limits(cell=20, notebook=120)


class Cluster:
    """A scheduler and workers in processes and folders of their own, on loopback."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.workers = folder, []
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", "0")
        self.address = self.said("Scheduler at:")

    def start(self, kind: str, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "distributed.cli.dask_" + kind, *arguments]
        environment = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
        return subprocess.Popen(
            [*command, "--no-dashboard"],
            cwd=self.folder,
            env=environment,  # in particular no way to find the grader or the questions
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )

    def said(self, words: str) -> str:
        for line in self.scheduler.stderr:
            if words in line:
                return line.rpartition(words)[2].strip()
        raise AssertionError("the scheduler did not start")

    def add_worker(self) -> None:
        local = self.folder / f"worker-{len(self.workers)}"
        worker = self.start(
            *("worker", self.address, "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1"),
            *("--local-directory", str(local), "--memory-limit", "0", "--death-timeout", "60"),
        )
        self.workers.append(worker)

    def kill_worker(self) -> None:
        """Kill the oldest worker that runs, without a chance to say goodbye."""
        alive = [worker for worker in self.workers if worker.poll() is None]
        alive[0].send_signal(signal.SIGKILL)
        alive[0].wait()

    def close(self) -> None:
        for process in [*self.workers, self.scheduler]:
            with contextlib.suppress(OSError):
                process.kill()
            process.wait()
            process.stderr.close()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    made.add_worker()
    made.add_worker()
    yield made
    made.close()


def results(out: Path) -> list[dict[str, str]]:
    return read_table(out / "grades.csv")


@pytest.mark.slow
def test_a_cluster_grades_as_one_machine_does_and_survives_a_killed_worker(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for k in range(4):
        answers = {"q2": WRONG} if k % 2 else {}
        hand_in(tmp_path / "in", f"s{k}", filled("hw1", **answers))
    real, killed = Progress.step, []

    def kill_once(self: Progress, key: str, outcome: str, **how: bool) -> None:
        if not killed:
            killed.append(key)
            cluster.kill_worker()
            cluster.add_worker()
        real(self, key, outcome, **how)

    monkeypatch.setattr(Progress, "step", kill_once)
    options = Options(LIMITS, scheduler=cluster.address, sandbox=bwrap.available())
    said = io.StringIO()
    assert grade_folder("hw1", tmp_path / "in", tmp_path / "far", options, said) == 0
    assert killed
    rows = results(tmp_path / "far")
    assert [row["total"] for row in rows] == ["21", "17"] * 2
    assert [row["q2"] for row in rows] == ["4", "0"] * 2

    options = Options(LIMITS, scheduler=cluster.address, sandbox=bwrap.available())
    started = time.monotonic()
    assert grade_folder("hw1", tmp_path / "in", tmp_path / "far", options, said) == 0
    assert said.getvalue().count("graded before") == 4, "the same command resumes"
    assert time.monotonic() - started < 60


def test_only_the_program_travels_no_question_and_no_answer(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(workers.packed(tmp_path)) as archive:
        names = archive.namelist()
        text = b"".join(archive.read(name) for name in names).decode()
    assert {"lincourse/grader/judge.py", "lincourse/grader/inside/fork_server.py"} <= set(names)
    assert not any(
        "question" in name.removeprefix("lincourse/grader/question.py") for name in names
    )
    assert "def one_pass(X, y, weights)" not in text
