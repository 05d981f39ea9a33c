"""What goes wrong in a class, done on purpose: whether others notice, whether work is lost.

``python -m deploy.faults`` (as root, after ``make hub DO=setup``) lets two students work without a
pause at a hub of its own while a third, or the machine, misbehaves. It prints, for each fault, what
became of it and the longest that the two had to wait, and ends with 1 if somebody lost something.
"""

from __future__ import annotations

import ast
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from deploy import exchange
from deploy.client import Kernel, Student
from deploy.settings import COURSE, Place, here
from deploy.trial import Trial

PAGE = "00-start-here.ipynb"
SETTINGS = 'memory = "500M"\ndisk = "100M"\nfile = "60M"\nrestart_seconds = 2\n'
PATIENCE = 120  # seconds


class Worker(threading.Thread):
    """A student who counts in a kernel and saves a notebook, again and again."""

    def __init__(self, student: Student) -> None:
        super().__init__(daemon=True)
        self.student, self.kernel = student, student.kernel()
        self.page = student.open(PAGE)
        self.kernel.run("n = 0")
        self.count, self.longest, self.lost, self.ending = 0, 0.0, "", False

    def run(self) -> None:
        """Work; a connection that breaks is made again, as the browser does."""
        while not self.ending:
            began = time.monotonic()
            while not self.works():
                if time.monotonic() - began > PATIENCE:
                    self.lost = "no answer"
                    return
                time.sleep(0.1)
            self.longest = max(self.longest, time.monotonic() - began)
            time.sleep(0.05)

    def go_on(self) -> None:
        """Wait until this student got on."""
        wanted = self.count + 3
        while self.count < wanted and not self.lost:
            time.sleep(0.1)

    def works(self) -> bool:
        """Count on and save; tell whether both worked."""
        try:
            told = int(self.kernel.run(f"n = max(n, {self.count + 1})\nprint(n)"))
            self.count += 1
            if told != self.count:
                self.lost = f"the kernel has {told} and not {self.count}"
            self.page["metadata"]["count"] = self.count
            self.student.save(PAGE, self.page)
            if self.student.open(PAGE)["metadata"].get("count") != self.count:
                self.lost = "what was saved is not there"
        except Exception:
            with contextlib.suppress(Exception):
                self.kernel.close()
                self.kernel = Kernel(self.student, self.kernel.ident)
            return False
        return True


def tries(student: Student, actions: list[str]) -> dict[str, str]:
    """Return what a student's Python gets from each expression: a value, or the error's name."""
    kernel = student.kernel()
    code = """
import os, pathlib, socket, urllib.request
def attempt(action):
    try:
        return f"got {eval(action)}"
    except Exception as problem:
        return f"{type(problem).__name__} {getattr(problem, 'code', '')}".strip()
"""
    told = kernel.run(f"{code}\nprint({{action: attempt(action) for action in {actions!r}}})")
    kernel.close()
    student.ask(f"api/kernels/{kernel.ident}", "DELETE")
    return dict(ast.literal_eval(told))


def forbidden(hub: Trial, other: str) -> list[str]:
    """Return what no student may do: list, read and write what is another's, or the hub's."""
    place, exchanged = hub.place, hub.place.exchange / COURSE
    listed = [place.homes, place.home(other), place.home(other) / "course", place.hub, place.course]
    listed += [place.folder, place.proxy.resolve(), exchanged / "inbound", exchanged / "feedback"]
    read = [place.folder / "class.txt", place.folder / "hub.toml", place.hub / "proxy_token"]
    read += [place.hub / "jupyterhub.sqlite", place.hub / "cookie_secret", Path("/etc/shadow")]
    read += [place.home(other) / "course" / PAGE, place.home(other) / ".server.log"]
    read += [Path(f"/proc/{hub.pid(name)}/environ") for name in ("hub", "proxy", "warm")]
    written = [place.lectures / "x", place.lectures / PAGE, place.env / "x", place.hub / "hub.log"]
    written += [place.server / "jupyter_server_config.py", exchanged / "outbound/x"]
    missing = [file for file in [*listed, *read] if not file.exists()]
    if missing:
        raise FileNotFoundError(missing)
    return [
        *(f"os.listdir({str(folder)!r})" for folder in listed),
        *(f"open({str(file)!r}).read()" for file in read),
        *(f"open({str(file)!r}, 'a')" for file in written),
        f"socket.socket(socket.AF_UNIX).connect({str(place.hub / 'warm.socket')!r})",
    ]


def killed(hub: Trial, name: str) -> str:
    """Kill the hub, the proxy or the warm process, and wait until another runs."""
    first = hub.pid(name)
    os.kill(first, signal.SIGKILL)
    began = time.monotonic()
    while hub.pid(name) == first:
        time.sleep(0.1)
    hub.wait()
    return f"runs again after {time.monotonic() - began:.1f} s"


def all_memory(student: Student) -> str:
    """Use all memory in a kernel."""
    kernel = student.kernel()
    kernel.socket.settimeout(20)
    try:
        kernel.run("held = [bytearray(50 << 20) for _ in range(40)]")
        return "LOST: 2 GB fit into 500 MB"
    except Exception:
        with contextlib.suppress(Exception):
            kernel.close()
    student.open(PAGE)
    return "the kernel ends, the student's server goes on"


def all_disk(student: Student, place: Place) -> str:
    """Fill the home, the temporary folder and what is handed in; then free it again."""
    inbound = place.exchange / COURSE / "inbound"
    names = ["big.txt", "/tmp/big", "/var/tmp/bigger", f"{inbound}/big"]
    fill = "open({!r}, 'wb').write(bytes(40 << 20))"
    told = tries(student, [fill.format(name) for name in names])
    refused = sum(said.startswith("OSError") for said in told.values())
    try:
        student.save("more.ipynb", {**student.open(PAGE), "metadata": {"x": "x" * (40 << 20)}})
        return "LOST: no disk is full"
    except OSError:
        student.open(PAGE)
    student.ask("api/contents/big.txt", "DELETE").raise_for_status()
    student.save("more.ipynb", student.open(PAGE))
    tries(student, [f"os.unlink({name!r})" for name in names])
    return f"{refused} of {len(names)} files of 40 MB refused; what is deleted makes room"


def curious(student: Student, hub: Trial, other: str) -> str:
    """Try to reach what is another's or the hub's."""
    told = tries(student, forbidden(hub, other))
    got = [action for action, said in told.items() if said != "PermissionError"]
    return f"LOST: {got}" if got else f"{len(told)} of {len(told)} attempts refused"


def main() -> int:
    """Let things go wrong, one after the other."""
    tag = f"f{os.getpid():x}"
    ada, bob, eve = names = [f"{tag}-{name}" for name in ("ada", "bob", "eve")]
    hub = Trial(here(), names, f'instructor = "{tag}-t"\n{SETTINGS}')
    bad = 0
    try:
        hub.start()
        exchange.release(hub.place, "hw1")
        workers = [Worker(hub.student(name)) for name in (ada, bob)]
        third = hub.student(eve)
        for worker in workers:
            worker.start()
        faults: dict[str, Callable[[], str]] = {
            "none": lambda: "",
            "the proxy is killed": lambda: killed(hub, "proxy"),
            "the hub is killed": lambda: killed(hub, "hub"),
            "the process that starts servers is killed": lambda: killed(hub, "warm"),
            "a kernel uses all memory": lambda: all_memory(third),
            "a student fills the disk": lambda: all_disk(third, hub.place),
            "a student tries to read and write everything": lambda: curious(third, hub, ada),
        }
        print(
            "| fault | what became of it | longest wait of the others | lost |\n|---|---|---|---|"
        )
        for name, fault in faults.items():
            for worker in workers:
                worker.longest = 0.0
            told = fault()
            for worker in workers:
                worker.go_on()
            lost = ", ".join(filter(None, (worker.lost for worker in workers))) or "nothing"
            bad += lost != "nothing" or told.startswith("LOST")
            wait = max(worker.longest for worker in workers)
            print(f"| {name} | {told} | {wait:.1f} s | {lost} |", flush=True)
        counts = [worker.count for worker in workers]
        print(f"The two counted and saved {sum(counts)} times. Load: {os.getloadavg()[0]:.1f}")
        for worker in workers:
            worker.ending = True
            worker.join(PATIENCE)
    finally:
        hub.remove()
    return min(bad, 100)


if __name__ == "__main__":
    sys.exit(main())
