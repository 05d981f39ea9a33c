"""Gives work to whoever carries it out: threads here, or the workers of a Dask cluster.

Both are used in the same way, as executors; what is done on a worker is the same function. Only as
much is handed over at a time as can be worked on soon, so that memory does not grow with the class.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from lincourse.grader import fork_server

T = TypeVar("T")
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
        fork_server.close_all()
        raise
    finally:
        executor.shutdown()
        fork_server.close_all()


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
class Call:
    """One piece of work for a worker."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


Task = Generator[Call, Any, T]  # asks for calls and gets their results


def results(tasks: Iterator[Task[T]], executor: Executor, width: Callable[[], int]) -> Iterator[T]:
    """Carry out tasks, as many at once as there are workers; yield what each returns.

    A call whose worker died is made again; any other exception is raised in its task.
    """
    running: dict[Future[Any], tuple[Task[T], Call, int]] = {}

    def submit(task: Task[T], call: Call, tries: int = 1) -> None:
        running[executor.submit(call.function, *call.arguments)] = task, call, tries

    def go_on(task: Task[T], step: Callable[..., Call], *result: Any) -> Iterator[T]:
        try:
            call = step(*result)
        except StopIteration as ended:
            yield ended.value
        else:
            submit(task, call)

    while True:
        while len(running) < 2 * max(width(), 1) and (task := next(tasks, None)):
            yield from go_on(task, task.send, None)
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            task, call, tries = running.pop(future)
            problem = future.exception()
            if problem is None:
                yield from go_on(task, task.send, future.result())
            elif lost(problem) and tries < TRIES:
                submit(task, call, tries + 1)  # nothing is lost but its time
            else:
                yield from go_on(task, task.throw, problem)


def lost(problem: BaseException) -> bool:
    """Whether a piece of work failed because of its worker, not because of itself."""
    names = {kind.__name__ for kind in type(problem).__mro__}
    return bool(names & {"KilledWorker", "CommClosedError", "FutureCancelledError", "LostError"})
