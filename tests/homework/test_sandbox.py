"""One sandbox for one submission: it has what it is given, and leaves nothing to the next.

The attacks run twice where root runs the tests: as root would grade, and as an ordinary user would.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lincourse.grader import bwrap, sandbox
from lincourse.grader.inside import protocol
from lincourse.grader.sandbox import Limits, Sandbox, SandboxConfig
from lincourse.grader.session import Session
from lincourse.programs import missing

LIMITS = Limits(cell=6, notebook=60, page=3, memory=1 << 30)
ROOT = Path(__file__).parents[2]
needs_bwrap = pytest.mark.needs("bwrap")


@pytest.fixture(scope="module")
def config() -> Any:
    yield SandboxConfig(LIMITS, not missing("bwrap"))
    sandbox.close_all()


def said(session: Session, source: str) -> str:
    """Return what a cell prints."""
    return "".join(o.get("text", "") or str(o.get("evalue")) for o in session.run(source).outputs)


# ---------------------------------------------------------------- attacks

# Each leaves a mark wherever it can and prints what it finds; a second sandbox, which is open at
# the same time, and a third, which is opened afterwards, must find nothing.
CARRIED = {
    "files": """
        import os
        def fixed(path):  # nothing below it can be written to, except where something is mounted
            return os.path.isdir(path) and os.statvfs(path).f_flag & 1 and path not in ("/", "/dev")
        found = []
        for folder, inner, names in os.walk("/"):
            inner[:] = [i for i in inner if not fixed(os.path.join(folder, i))]
            found += [folder] * ("MARK" in names)
            try:
                open(os.path.join(folder, "MARK"), "w").write("hidden arguments")
            except OSError:
                pass
        print(sorted(found))
        """,
    "times and modes of what all see": """
        import os, sys
        found = []
        for path in ("/dev/null", sys.executable, os.__file__, "/grading-course/inside/run.py"):
            for name in ("utime", "chmod", "chown", "setxattr"):
                more = {"chmod": [0o600], "chown": [1, 1], "setxattr": ["user.a", b"1"]}
                try:
                    getattr(os, name)(path, *more.get(name, []))
                except OSError:
                    pass
            now = os.stat(path)
            found += [path] * (now.st_mtime > START)
            found += [path] * (oct(now.st_mode).endswith("600"))
        print(found)
        """,
    "locks": """
        import fcntl, os, sys
        found = []
        for path in ("/dev/null", sys.executable, os.__file__):
            for lock in (fcntl.flock, fcntl.lockf):
                try:
                    lock(open(path, "rb"), fcntl.LOCK_SH | fcntl.LOCK_NB)
                    found.append(path)
                except OSError:
                    pass
        print(found)
        """,
    "terminals": """
        import os, pty
        found = []
        for attempt in (
            pty.openpty,
            lambda: os.ttyname(0),
            lambda: open("/dev/ptmx"),
            lambda: open("/dev/tty"),
        ):
            try:
                found.append(attempt())
            except OSError:
                pass
        print(found)
        """,
    "shared memory, queues, keys": """
        import ctypes
        libc, found = ctypes.CDLL(None), []
        for name, arguments in {
            "shmget": (4711, 4096, 0o1666), "msgget": (4711, 0o1666), "semget": (4711, 1, 0o1666),
            "mq_open": (b"/mark", 0o102, 0o666, None), "memfd_create": (b"mark", 0),
        }.items():
            found += [name] * (getattr(libc, name)(*arguments) != -1)
        for number in NUMBERS["add_key"], NUMBERS["request_key"], NUMBERS["keyctl"]:
            found += [number] * (libc.syscall(number, b"user", b"mark", b"x", 1, -3) != -1)
        print(found)
        """,
    "sockets": """
        import socket
        found = []
        for family in ("INET", "INET6", "UNIX", "NETLINK", "PACKET", "VSOCK", "ALG", "BLUETOOTH"):
            try:
                one = socket.socket(getattr(socket, "AF_" + family, 31), socket.SOCK_STREAM)
                one.bind("\\0mark")
                found.append(family)
            except OSError as error:
                found += [] if error.errno == 1 else [family]
        print(found)
        """,
    "processes": """
        import os
        found = os.listdir("/proc") if os.path.exists("/proc") else []
        for number in range(3, 400):
            try:
                if os.getsid(number) not in (os.getsid(0), 0) and number != os.getpid():
                    found.append(number)
            except OSError:
                pass
        print(found)
        """,
}

# Each tries to hold what no limit would count and prints what it got.
UNCOUNTED = {
    "passed descriptors": """
        import socket
        one, other = socket.socketpair()
        try:
            socket.send_fds(one, [b"x"], [0])
            print("passed")
        except OSError:
            print("refused")
        """,
    "larger buffers": """
        import fcntl, os, socket
        one, other = socket.socketpair()
        try:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
            print("larger")
        except OSError:
            try:
                fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)
                print("larger")
            except OSError:
                print("refused")
        """,
    "shared pages, huge pages": """
        import ctypes, mmap
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_ssize_t
        for flags in (mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, 0x40022):
            print("refused" if libc.mmap(None, 1 << 22, 3, flags, -1, 0) == -1 else "mapped")
        """,
    "watches, rings, memory without a process": """
        import ctypes
        libc = ctypes.CDLL(None)
        numbers = [NUMBERS[name] for name in ("io_uring_setup", "userfaultfd", "memfd_secret")]
        got = [libc.inotify_init(), libc.fanotify_init(0, 0), libc.epoll_create1(0) and -1]
        print("refused" if {*got, *(libc.syscall(n, 1, 0) for n in numbers)} == {-1} else "granted")
        """,
    "namespaces and mounts": """
        import ctypes
        libc = ctypes.CDLL(None)
        clone = NUMBERS["clone"]
        got = [libc.unshare(0x10000000), libc.syscall(clone, 0x10000011, 0, 0, 0, 0)]
        got += [libc.mount(b"x", b"/tmp", b"tmpfs", 0, None), libc.umount2(b"/dev/null", 2)]
        print("refused" if set(got) == {-1} else "granted")
        """,
    "rights": """
        import os, ctypes
        for attempt in (
            lambda: os.setuid(0),
            lambda: os.mkdir("/x"),
            lambda: os.mknod("/tmp/sda", 0o60666, os.makedev(8, 0)),
        ):
            try:
                attempt()
                print("granted")
            except OSError:
                print("refused")
        """,
}

# Each takes as much as it gets: so much at most, counted by itself.
USED_UP = {
    "descriptors": (
        64,
        """
        import socket
        held = []
        try:
            while True:
                held += socket.socketpair()
        except OSError:
            print(len(held))
        """,
    ),
    "threads": (
        64,
        """
        import threading, time
        threading.stack_size(1 << 16)
        held = []
        try:
            while True:
                held.append(threading.Thread(target=time.sleep, args=(3,), daemon=True))
                held[-1].start()
        except RuntimeError:
            print(len(held))
        """,
    ),
    "file systems": (
        2 * (64 << 20),
        """
        held = 0
        for folder in ("/tmp", "/grading-work"):
            try:
                for number in range(9):
                    with open(f"{folder}/{number}", "wb") as file:
                        while True:
                            held += file.write(bytes(1 << 20))
            except OSError:
                pass
        print(held)
        """,
    ),
}
# Numbers of system calls that the C library has no name for: x86-64, AArch64.
NUMBERS = {
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "clone": (56, 220),
    "io_uring_setup": (425, 425), "userfaultfd": (323, 282), "memfd_secret": (447, 447),
}  # fmt: skip


def attack(source: str, start: float = 0.0) -> str:
    here = {name: both[os.uname().machine == "aarch64"] for name, both in NUMBERS.items()}
    return f"NUMBERS, START = {here}, {start}\n{textwrap.dedent(source)}"


def attacked() -> dict[str, list[str]]:
    """Return what each attack prints, in the sandboxes in which it runs."""
    config = SandboxConfig(LIMITS, True)
    found: dict[str, list[str]] = {}
    sandbox.course_folder(config.files)  # whatever changes from now on was changed by an attack
    started = time.time()
    with Session(config) as first, Session(config) as second:
        for name, source in CARRIED.items():
            found[name] = [said(one, attack(source, started)).strip() for one in (first, second)]
    with Session(config) as third:
        for name, source in CARRIED.items():
            found[name].append(said(third, attack(source, started)).strip())
    with Session(config) as session:
        for name, source in UNCOUNTED.items():
            found[name] = said(session, attack(source)).split()
    for name, (_, source) in USED_UP.items():
        with Session(config) as session:
            found[name] = said(session, attack(source)).split()
    return found


def as_ordinary_user(source: str, *, forbidden: bool = False) -> str:
    """Return what a program prints that an ordinary user runs, who may find namespaces forbidden.

    Root becomes one; for that user, this Python may be read even where root's home holds it.
    """
    command = [sys.executable, "-c", source]
    bubblewrap = shutil.which("bwrap")
    if forbidden:
        again = [bubblewrap, "--unshare-user", "--disable-userns", "--uid", "1000"]
        command = [*again, "--dev-bind", "/", "/", *command]
    if os.geteuid() == 0:
        around = [bubblewrap, "--dev-bind", "/", "/"]
        for place in sorted(bwrap.python()):
            for folder in Path(place).parents:
                if not folder.stat().st_mode & 1:
                    around += ["--perms", "0755", "--tmpfs", str(folder)]
        for place in sorted(bwrap.python()):
            for folder in [*Path(place).parents][::-1]:
                around += ["--perms", "0755", "--dir", str(folder)]
            around += ["--ro-bind", place, place]
        change = ["setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups"]
        command = [*around, *change, *command]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": "/tmp"}
    ended = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def by_this_user() -> dict[str, list[str]]:
    return attacked()


def by_an_ordinary_user() -> dict[str, list[str]]:
    if os.geteuid() != 0:
        pytest.skip("an ordinary user runs these tests already")
    program = "import json; from tests.homework.test_sandbox import attacked; "
    found: dict[str, list[str]] = json.loads(
        as_ordinary_user(f"{program}print(json.dumps(attacked()))")
    )
    return found


@pytest.fixture(scope="module", params=[by_this_user, by_an_ordinary_user])
def found(request: pytest.FixtureRequest) -> dict[str, list[str]]:
    attack_all: Callable[[], dict[str, list[str]]] = request.param
    return attack_all()


@needs_bwrap
@pytest.mark.parametrize("name", CARRIED)
def test_nothing_is_carried_to_another_sandbox(found: dict[str, list[str]], name: str) -> None:
    assert found[name] == ["[]"] * 3


@needs_bwrap
@pytest.mark.parametrize("name", UNCOUNTED)
def test_what_no_limit_counts_is_refused(found: dict[str, list[str]], name: str) -> None:
    assert set(found[name]) == {"refused"}


@needs_bwrap
@pytest.mark.parametrize("name", USED_UP)
def test_what_is_limited_ends(found: dict[str, list[str]], name: str) -> None:
    most, _ = USED_UP[name]
    (held,) = map(int, found[name])
    assert 8 <= held <= most


@needs_bwrap
def test_marks_stay_where_they_are() -> None:
    """Else the attack on files would find nothing because it leaves nothing."""
    with Session(SandboxConfig(LIMITS, True)) as session:
        assert said(session, attack(CARRIED["files"])) == "[]\n"
        again = said(session, attack(CARRIED["files"])).strip()
        assert str(bwrap.WORK) in again
        assert "/usr" not in again


@needs_bwrap
def test_what_sockets_hold_is_counted_as_memory() -> None:
    """Sixty-three processes with thirty pairs each hold more than all together may."""
    hold = """
        import os, socket, time
        for _ in range(60):
            if os.fork() == 0:
                held = [socket.socketpair() for _ in range(27)]
                time.sleep(60)
        time.sleep(5)
        """
    limits = replace(LIMITS, memory=512 << 20)
    with Session(SandboxConfig(limits, True)) as session:
        assert session.run(textwrap.dedent(hold)).fate == "dead"


@needs_bwrap
@pytest.mark.parametrize("what", ["bytes(1 << 30)", "b'x' * (1 << 29)"])
def test_memory_ends_a_cell_or_its_sandbox(what: str) -> None:
    hog = f"import os\nfor _ in range(3): os.fork()\nheld = {what}\nimport time; time.sleep(5)"
    with Session(SandboxConfig(LIMITS, True)) as session:
        session.run(hog)
        processes, held = sandbox.used(session.sandbox.process.pid) if session.sandbox else (0, 0)
        assert processes <= LIMITS.processes + 2
        assert held <= 1.5 * LIMITS.memory


@needs_bwrap
def test_user_namespaces_that_are_forbidden_get_one_sentence_that_says_what_to_do() -> None:
    program = """
        import io, tempfile
        from pathlib import Path
        from lincourse.grader import RefusedError
        from lincourse.grader.grading import grade_folder
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "ada.ipynb").write_text("{}")
            try:
                grade_folder("hw1", Path(folder), Path(folder) / "out", stream=io.StringIO())
            except RefusedError as refused:
                print(refused)
        """
    words = as_ordinary_user(textwrap.dedent(program), forbidden=True).strip()
    assert len(words.splitlines()) == 1
    assert words.startswith("--sandbox: ")
    assert "allow user namespaces" in words or "sudo sysctl" in words
    assert "or say --sandbox no" in words


@needs_bwrap
@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user gives no sandbox to another")
def test_a_sandbox_of_root_belongs_to_a_user_without_an_account() -> None:
    look = "import os; print(*os.getresuid(), *os.getresgid(), *os.getgroups())"
    with Session(SandboxConfig(LIMITS, True)) as session:
        numbers = set(map(int, said(session, look).split()))
    assert len(numbers) == 1
    assert min(numbers) >= 61184


@needs_bwrap
def test_runs_of_one_sandbox_begin_alike_and_see_no_variable_of_each_other() -> None:
    config = SandboxConfig(LIMITS, True)
    shared = Sandbox(config, runs=2)
    try:
        with Session(config, sandbox=shared) as first:
            assert said(first, "x = 1; print(x)") == "1\n"
        with Session(config, quiet=False, sandbox=shared) as second:
            assert "name 'x' is not defined" in said(second, "print(x)")
            assert second.sandbox is shared
    finally:
        shared.close()


@needs_bwrap
def test_what_ends_a_sandbox_ends_every_run_and_the_next_begins_in_another() -> None:
    config = SandboxConfig(replace(LIMITS, cell=1), True)
    shared = Sandbox(config, runs=2)
    try:
        with Session(config, sandbox=shared) as first:
            assert first.run("while True: pass").fate == "slow"
            assert shared.process.returncode is not None
        with Session(config, sandbox=shared) as second:
            assert said(second, "print(1)") == "1\n"
            assert second.sandbox is not shared
    finally:
        shared.close()


@needs_bwrap
def test_nothing_of_a_checkout_or_of_the_environment_can_be_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bwrap, "checkout", lambda: Path("/usr/share"))
    monkeypatch.setenv("TOKEN", "secret")
    with Session(SandboxConfig(replace(LIMITS, page=9), True)) as session:
        assert said(session, "import os; print(os.listdir('/usr/share'))") == "[]\n"
        assert said(session, "print('TOKEN' in os.environ)") == "False\n"


def test_a_lent_function_is_carried_out_elsewhere(config: SandboxConfig) -> None:
    def double(arguments: str, seconds: float) -> str:
        (x,) = json.loads(arguments)["list"]
        return json.dumps({"kind": "value", "value": 2 * x} if x else {"kind": "error"})

    with Session(config) as session:
        session.lend("double", "def double(x): ...", double)
        assert said(session, "print(double(2), double(x=4.5))") == "4 9.0\n"
        assert "double() failed" in said(session, "double(0)")
        assert "too many positional arguments" in said(session, "double(1, 2)")


def test_nothing_secret_is_in_the_memory_of_a_sandbox(config: SandboxConfig) -> None:
    """What a sandbox was begun with: no expected value and no hidden case."""
    look = "import sys; print([m for m in sys.modules if 'question' in m or 'grader' in m])"
    with Session(config) as session:
        assert said(session, look) == "[]\n"


def test_a_cell_shows_what_a_notebook_would(config: SandboxConfig) -> None:
    with Session(config) as session:
        ran = session.run("import sys\nprint('a')\nprint('b', file=sys.stderr)\n1 + 1")
        kinds = [(o.output_type, o.get("name"), o.get("text")) for o in ran.outputs]
        assert kinds[:2] == [("stream", "stdout", "a\n"), ("stream", "stderr", "b\n")]
        assert ran.outputs[2].data["text/plain"] == "2"
        ran = session.run("import matplotlib.pyplot as plt\nplt.plot([1, 2])")
        assert "image/png" in ran.outputs[-1].data
        assert session.run("await __import__('asyncio').sleep(0)\n_").fate == "done"
        assert session.run("1 / 0").outputs[0].ename == "ZeroDivisionError"
        assert "nobody can answer" in said(session, "input('?')")
        assert said(session, "!echo shell").strip() == "shell"


def test_a_quiet_sandbox_sends_answers_only(config: SandboxConfig) -> None:
    with Session(config, quiet=True) as session:
        ran = session.run("print('x'); display('y'); 1 / 0")
        assert (ran.outputs, ran.fate) == ([], "done")
        session.run("def f(x): print(x); return x + 1")
        assert json.loads(session.ask("f", "[4]", 20))["value"] == 5


def test_who_never_stops_talking_is_stopped_in_time() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(2 * protocol.packed({"kind": "clear"}))
        assert protocol.decoded(protocol.frame(ours, 99, time.monotonic() + 60))["kind"] == "clear"
        with pytest.raises(TimeoutError):
            protocol.frame(ours, 99, time.monotonic())
