"""How many submissions a second are graded, by how many workers, beside plain nbgrader."""

import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import psutil

from bench.contest import Part

HOMEWORK = Path(__file__).resolve().parent.parent.parent / "notebooks" / "homework"
TITLE = "Grading homework"
NOTE = (
    "Submissions of hw1, a third of them with a mistake. `make grade` runs each twice behind "
    "walls, draws its page in a third room and asks hidden cases; `nbgrader autograde` runs each "
    "once, without walls, with the tests in the same kernel. Both get the same files, in the same "
    "run. Memory is that of the grading process, its halls not included."
)
WRONG = "def signed_distances(X, w, w0):\n    return X @ w + w0\n"


def run(quick: bool) -> Part:
    """Grade the same submissions with one worker and with all, and some with nbgrader."""
    sys.path.insert(0, str(HOMEWORK))
    from grader import work
    from grader.optional import tool

    if not (bwrap := tool("bwrap")):
        return Part(note=NOTE, markdown=f"Not measured: {bwrap.why}.")
    sample, counts = (0, {work.cores(): 2}) if quick else (12, {1: 60, work.cores(): 1000})
    lines = ["| | workers | submissions | a second | CPU seconds each | memory grew by |"]
    lines.append("|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if sample:
            rate, cpu = _nbgrader(folder / "nbgrader", sample)
            lines.append(f"| nbgrader autograde | 1 | {sample} | {rate:.2f} | {cpu:.2f} | |")
        for jobs, count in counts.items():
            rate, cpu, grown = _ours(folder / f"jobs-{jobs}", count, jobs)
            numbers = f"{jobs} | {count} | {rate:.2f} | {cpu:.2f} | {grown:.0f} MB"
            lines.append(f"| make grade | {numbers} |")
    return Part(note=NOTE, markdown="\n".join(lines))


def _submissions(folder: Path, count: int) -> list[dict[str, object]]:
    from tests.handed_in import filled, hand_in

    made = [filled("hw1", **({} if k % 3 else {"q2": WRONG})) for k in range(count)]
    for k, notebook in enumerate(made):
        hand_in(folder / "in", f"s{k:05}", notebook)
    return made


def _ours(folder: Path, count: int, jobs: int) -> tuple[float, float, float]:
    """Return submissions a second, CPU seconds each, and megabytes by which memory grew."""
    from grader.deciding import Options
    from grader.grading import grade_folder
    from grader.progress import Progress
    from grader.tables import read_table

    _submissions(folder, count)
    me, held, spent = psutil.Process(), [], [0.0]
    step = Progress.step

    def watched(self: Progress, key: str, outcome: str) -> None:
        if self.fresh in (count // 5, count - 1):
            held.append(me.memory_info().rss)
            spent[0] = _used_by_children(me)  # before they are gone
        step(self, key, outcome)

    started, before = time.perf_counter(), sum(os.times()[:2])
    Progress.step = watched  # type: ignore[method-assign]
    try:
        grade_folder("hw1", folder / "in", folder / "out", Options(jobs=jobs), io.StringIO())
    finally:
        Progress.step = step  # type: ignore[method-assign]
    seconds = time.perf_counter() - started
    cpu = sum(os.times()[:2]) - before + spent[0]
    rows = read_table(folder / "out" / "grades.csv")
    assert [row["q2"] for row in rows] == ["0" if k % 3 == 0 else "4" for k in range(count)]
    return count / seconds, cpu / count, (held[-1] - held[0]) / 1e6 if held else 0.0


def _used_by_children(me: psutil.Process) -> float:
    total = 0.0
    for child in me.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            times = child.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def _nbgrader(folder: Path, count: int) -> tuple[float, float]:
    """Return submissions a second and CPU seconds each of plain nbgrader."""
    from nbgrader.apps import NbGraderAPI
    from traitlets.config import Config

    shutil.copytree(HOMEWORK / "source" / "hw1", folder / "source" / "hw1")
    shutil.copytree(HOMEWORK / "grader", folder / "grader")  # its hidden tests import it
    shutil.copytree(HOMEWORK / "questions", folder / "questions")
    config = Config()
    config.CourseDirectory.root = str(folder)
    config.CourseDirectory.db_url = f"sqlite:///{folder / 'gradebook.db'}"
    path = os.environ["PATH"]
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), path])
    os.environ["PYTHONPATH"] = str(folder)
    try:
        api = NbGraderAPI(config=config)
        assert api.generate_assignment("hw1", force=True)["success"]
        for k, notebook in enumerate(_submissions(folder, count)):
            place = folder / "submitted" / f"s{k}" / "hw1"
            place.mkdir(parents=True)
            (place / "hw1.ipynb").write_text(json.dumps(notebook), "utf-8")
        started, before = time.perf_counter(), sum(os.times()[:4])
        for k in range(count):
            assert api.autograde("hw1", f"s{k}")["success"]
        return count / (time.perf_counter() - started), (sum(os.times()[:4]) - before) / count
    finally:
        os.environ["PATH"] = path
        del os.environ["PYTHONPATH"]
