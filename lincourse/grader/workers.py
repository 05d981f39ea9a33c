"""Gives work to whoever carries it out: threads here, or the workers of a Dask cluster.

Both are used in the same way, as executors; what is done on a worker is the same function. Only as
much is handed over at a time as can be worked on soon, so that memory does not grow with the class.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lincourse.grader import fork_server

TRIES = 12  # a piece of work whose worker died is given to another as often as this


def cores() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


@contextmanager
def workers(
    jobs: int | None, scheduler: str | None
) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """Lend an executor, and a function that tells how much it can do at once."""
    if scheduler:
        with cluster(scheduler) as lent:
            yield lent
        return
    count = jobs or cores()
    executor = ThreadPoolExecutor(count, thread_name_prefix="grader")
    try:
        yield executor, lambda: count
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        fork_server.stop()
        raise
    finally:
        executor.shutdown()
        fork_server.close_idle()


@contextmanager
def cluster(scheduler: str) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """Lend the workers of a cluster; the grader's program travels to them, hidden data does not."""
    from distributed import Client

    with Client(scheduler, timeout=30, set_as_default=False) as client:
        with tempfile.TemporaryDirectory() as folder:
            client.upload_file(str(packed(Path(folder))))
        executor = client.get_executor(pure=False, retries=0)
        try:
            yield executor, lambda: sum(client.ncores().values())
        finally:
            executor.shutdown(wait=False)


def packed(folder: Path) -> Path:
    """Return a zip of the program that workers need: this package, no question, no answer."""
    here = Path(__file__).parent
    path = folder / "grader_program.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted([*here.parent.glob("*.py"), *here.rglob("*.py")]):
            archive.write(file, f"lincourse/{file.relative_to(here.parent).as_posix()}")
    return path


@dataclass
class Job:
    """One piece of work, and what it is about."""

    about: Any
    function: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]  # made when it is needed, not before
    tries: int = 0


class Queue:
    """Work in order; whatever is put off comes after everything else."""

    def __init__(self, jobs: Iterator[Job]) -> None:
        self.first, self.last = jobs, deque[Job]()
        self.front: deque[Job] = deque()

    def add(self, job: Job, *, put_off: bool = False) -> None:
        (self.last if put_off else self.front).append(job)

    def take(self) -> Job | None:
        if self.front:
            return self.front.popleft()
        job = next(self.first, None)
        return job or (self.last.popleft() if self.last else None)


def done(queue: Queue, executor: Executor, width: Callable[[], int]) -> Iterator[tuple[Job, Any]]:
    """Yield jobs with their results as they come; a result may be the exception that was raised."""
    running: dict[Future[Any], Job] = {}
    while True:
        while len(running) < 2 * max(width(), 1):
            job = queue.take()
            if job is None:
                break
            job.tries += 1
            running[executor.submit(job.function, *job.arguments())] = job
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            job = running.pop(future)
            problem = future.exception()
            if problem is not None and lost(problem) and job.tries < TRIES:
                queue.add(job)  # the worker died: nothing is lost but its time
            else:
                yield job, problem if problem is not None else future.result()


def lost(problem: BaseException) -> bool:
    """Whether a piece of work failed because of its worker, not because of itself."""
    names = {kind.__name__ for kind in type(problem).__mro__}
    return bool(names & {"KilledWorker", "CommClosedError", "FutureCancelledError", "LostError"})
