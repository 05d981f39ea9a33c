"""Gives work to whoever carries it out: threads here, or the workers of a Dask cluster.

Each submission has a thread of this process. What has to be run is run in that thread or, by the
same function, on a worker of the cluster, for which the thread then waits.
"""

from __future__ import annotations

import operator
import os
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from lincourse.grader import sandbox

Call = Callable[..., Any]  # takes a function and its arguments, returns its result
TRIES = 12  # a piece of work whose worker died is given to another as often as this
# Errors that are the worker's, not the work's, by name: Dask's need not be installed here.
LOST = {"KilledWorker", "CommClosedError", "FutureCancelledError", "LostError"}
AT_ONCE = 64  # submissions given to a cluster together, for workers that come later, too


@contextmanager
def workers(jobs: int | None, scheduler: str | None) -> Iterator[tuple[ThreadPoolExecutor, Call]]:
    """Lend threads, and the function by which they have something carried out."""
    usable = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
    here = nullcontext((jobs or usable or 1, operator.call, sandbox.close_all))
    with cluster(scheduler) if scheduler else here as (width, carry_out, stop):

        def call(*work: Any, tries: int = TRIES) -> Any:
            try:
                return carry_out(*work)
            except Exception as problem:
                names = {kind.__name__ for kind in type(problem).__mro__}
                if tries == 1 or stopped.is_set() or not names & LOST:
                    raise
            return call(*work, tries=tries - 1)  # nothing is lost but its time

        stopped = threading.Event()
        threads = ThreadPoolExecutor(width, thread_name_prefix="grader")
        try:
            yield threads, call
        except BaseException:
            stopped.set()
            threads.shutdown(wait=False, cancel_futures=True)
            stop()
            raise
        finally:
            threads.shutdown()
            sandbox.close_all()


@contextmanager
def cluster(scheduler: str) -> Iterator[tuple[int, Call, Callable[[], None]]]:
    """Lend the workers of a cluster; the grader's program travels to them, hidden data does not."""
    from distributed import Client

    with Client(scheduler, timeout=30, set_as_default=False) as client:
        with tempfile.TemporaryDirectory() as folder:
            client.upload_file(str(packed(Path(folder))))
        width = max(AT_ONCE, 2 * sum(client.ncores().values()))
        yield width, lambda *work: client.submit(*work, pure=False).result(), client.close


def packed(folder: Path) -> Path:
    """Return a zip of the program that workers need: this package, no question, no answer."""
    here = Path(__file__).parent
    path = folder / "grader_program.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted([*here.parent.glob("*.py"), *here.rglob("*.py")]):
            archive.write(file, f"lincourse/{file.relative_to(here.parent).as_posix()}")
    return path
