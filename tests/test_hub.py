"""A class on one address: who gets in, who reads what, homework there and back, faults, backup."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from deploy import accounts, client, disks, exchange, faults, keep, limits, setup
from deploy.settings import COURSE, ROOT, Place, WrongError, here, size
from deploy.trial import Trial
from tests.handed_in import filled

READY = here()  # `make hub` was run here once: its environment and its proxy are used
TAG = f"t{os.getpid():x}"
ADA, BOB, EVE, TEACHER = (f"{TAG}-{name}" for name in ("ada", "bob", "eve", "teacher"))


def missing() -> str:
    """Return what the tests of a running hub lack."""
    try:
        setup.check()  # root, npm, node, …
    except WrongError as problem:
        return str(problem)
    if setup.installed(READY) != setup.wanted():
        return f"there is no class server of this version in {READY.folder}: run `make hub` once"
    if not (READY.proxy / "node_modules/configurable-http-proxy").exists():
        return "configurable-http-proxy is not installed: run `make hub` once"
    return ""


needs_hub = pytest.mark.skipif(bool(missing()), reason=missing())


@pytest.fixture(scope="module")
def hub() -> Iterator[Trial]:
    settings = f'instructor = "{TEACHER}"\nmemory = "600M"\nrestart_seconds = 2\ndisk = "100M"\n'
    made = Trial(READY, [ADA, f"{BOB}  # a comment", EVE], settings)
    try:
        made.start()
        yield made
    finally:
        made.remove()


@pytest.fixture(scope="module")
def ada(hub: Trial) -> client.Student:
    return hub.student(ADA)


@pytest.fixture(scope="module")
def bob(hub: Trial) -> client.Student:
    return hub.student(BOB)


@needs_hub
def test_a_student_logs_in_opens_a_lecture_and_runs_it(hub: Trial, ada: client.Student) -> None:
    notebook = ada.open("01-hyperplanes.ipynb")
    kernel = ada.kernel("01-hyperplanes.ipynb")
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            kernel.run("".join(cell["source"]))
    stored = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    shown = [o for o in stored if o["output_type"] == "display_data" and "image/png" in o["data"]]
    assert kernel.pictures == len(shown) > 0  # as in a kernel that was started anew
    assert kernel.move("point", 1, 1) < 60
    saved = ada.ask("lab/api/workspaces/x", "PUT", json={"data": {}, "metadata": {"id": "x"}})
    assert saved.ok
    assert list(hub.place.home(ADA).rglob("*.jupyterlab-workspace"))
    account = accounts.pwd.getpwnam(ADA)
    assert kernel.run("import os; print(os.getuid())").split() == [str(account.pw_uid)]
    used = Path(kernel.run("import linlib; print(linlib.__file__, end='')")).resolve()
    assert used.is_relative_to(READY.env.resolve())
    kernel.close()
    assert limits.memory_of(ADA) > 50e6


@needs_hub
def test_who_is_not_on_the_list_or_has_not_the_password_is_refused(
    hub: Trial, ada: client.Student
) -> None:
    assert not client.Student(hub.address, f"{TAG}-mallory").log_in()
    assert not client.Student(hub.address, "root").log_in()
    assert not client.Student(hub.address, ADA, "not her password").log_in()
    assert not client.Student(hub.address, EVE, "short").log_in()  # and it is not kept
    assert client.Student(hub.address, EVE).log_in()


@needs_hub
def test_nobody_enters_another_s_server_or_the_instructor_s_pages(
    hub: Trial, ada: client.Student, bob: client.Student
) -> None:
    for path in (f"/user/{ADA}/lab", f"/user/{ADA}/api/contents", "/services/class/", "/hub/admin"):
        assert bob.web.get(hub.address + path, timeout=60).status_code in (403, 404), path
    direct = client.requests.get(f"{hub.address}/user/{ADA}/api/contents", timeout=60)
    assert direct.status_code == 403
    api = f"{hub.address}/hub/api/users"
    headers = {"X-XSRFToken": bob.token("/hub/"), "Referer": f"{hub.address}/hub/home"}
    assert bob.web.get(api, headers=headers, timeout=60).status_code == 403
    assert bob.web.get(f"{api}/{ADA}", headers=headers, timeout=60).status_code in (403, 404)


@needs_hub
def test_no_file_of_another_s_nor_of_the_hub_s_can_be_read(
    hub: Trial, ada: client.Student, bob: client.Student
) -> None:
    mine = [f"os.listdir({str(folder)!r})" for folder in (hub.place.home(BOB), hub.place.lectures)]
    routes = f"urllib.request.urlopen('http://127.0.0.1:{hub.port + 2}/api/routes')"
    refused = faults.forbidden(hub, ADA)
    told = faults.tries(bob, [*mine, *refused, routes])
    assert all(told.pop(action).startswith("got") for action in mine)
    assert told.pop(routes) == "HTTPError 403"
    assert len(told) == len(refused)
    assert {action: said for action, said in told.items() if said != "PermissionError"} == {}


SELF = """
import json, os, numpy
files = []
for number in os.listdir("/proc/self/fd"):
    if os.path.exists(f"/proc/self/fd/{number}"):
        files.append(os.readlink(f"/proc/self/fd/{number}"))
told = {"ids": [*os.getresuid(), *os.getresgid(), *os.getgroups()], "files": files}
told |= {"environ": open("/proc/self/environ").read() + str(os.environ), "tmp": os.listdir("/tmp")}
told |= {"drawn": numpy.random.random(), "parent": os.stat(f"/proc/{os.getppid()}").st_uid}
print(json.dumps(told))
open("/tmp/mine", "w").close()
"""


@needs_hub
def test_what_is_split_off_is_the_student_s_and_knows_no_secret(
    hub: Trial, ada: client.Student, bob: client.Student
) -> None:
    drawn = set()
    for student in (ada, bob):
        kernel = student.kernel()
        told = json.loads(kernel.run(SELF))
        kernel.close()
        account = accounts.pwd.getpwnam(student.name)
        assert told["ids"] == [account.pw_uid] * 3 + [account.pw_gid] * 4
        assert told["parent"] == account.pw_uid  # not a process of root's
        assert (hub.place.hub / "proxy_token").read_text() not in told["environ"]
        assert not [name for name in told["files"] if name.startswith(str(hub.place.hub))]
        assert "mine" not in told["tmp"]  # that is another's
        drawn.add(told["drawn"])
    assert len(drawn) == 2
    assert not Path("/tmp/mine").exists()


@needs_hub
def test_limits_are_the_kernel_s(hub: Trial, ada: client.Student, bob: client.Student) -> None:
    mine = bob.kernel()
    mine.run("x = 41")
    greedy = ada.kernel()
    ended: list[Exception] = []

    def use_all() -> None:
        try:
            greedy.socket.settimeout(60)
            greedy.run("held = bytearray(900 << 20)\nprint(len(held))")
        except Exception as problem:
            ended.append(problem)

    thread = threading.Thread(target=use_all)
    thread.start()
    assert mine.run("print(x + 1)").strip() == "42"  # the others do not notice
    state = ""
    for _ in range(80):
        state = ada.ask(f"api/kernels/{greedy.ident}").json().get("execution_state", "gone")
        assert limits.memory_of(ADA) < 640 << 20
        if "restart" in state or state in ("dead", "gone", "starting"):
            break
        if not thread.is_alive():
            break
        time.sleep(0.25)
    with contextlib.suppress(Exception):
        greedy.socket.close()
    thread.join(90)
    assert ended, "900 MB fit into 600 MB"
    assert ada.open("00-start-here.ipynb")  # her server is there, only the kernel was lost
    mine.close()
    too_large = "os.posix_fallocate(os.open('big', os.O_CREAT | os.O_RDWR), 0, 2 << 30)"
    assert faults.tries(bob, [too_large])[too_large].startswith("OSError")
    if not os.path.ismount(hub.place.home(BOB)):
        pytest.skip("nothing can be mounted here: the size of homes is not limited")
    assert faults.all_disk(bob, hub.place).startswith("3 of 4 files")


@needs_hub
def test_homework_goes_out_and_comes_back_with_feedback(
    hub: Trial, ada: client.Student, bob: client.Student
) -> None:
    place = hub.place
    exchange.release(place, "hw1")
    for student in (ada, bob):
        assert [a["status"] for a in student.assignments()] == ["released"]
        listed = student.assignments("fetch", "hw1")
        assert [a["status"] for a in listed] == ["fetched"]
    path = "homework/release/hw1/hw1.ipynb"  # where the lectures' links point
    assert ada.open(path)["cells"]
    ada.save(path, filled("hw1"))
    ada.assignments("submit", "hw1")
    bob.assignments("submit", "hw1")  # nothing answered

    # Bob hands in for Ada; hands in a link to her file; hands in something that is no folder.
    inbound = place.exchange / COURSE / "inbound"
    forged = "2030-01-01 00:00:00.000000 UTC"
    attack = f"""
import pathlib, os
inbound = pathlib.Path({str(inbound)!r})
for name, target in (({ADA!r}, None), ({BOB!r}, {str(place.home(ADA) / "course" / path)!r})):
    folder = inbound / f"{{name}}+hw1+{forged}+x"
    folder.mkdir()
    (folder / "submission_secret.txt").write_text("x")
    if target:
        (folder / "hw1.ipynb").symlink_to(target)
    else:
        (folder / "hw1.ipynb").write_text("{{}}")
(inbound / {f"{BOB}+hw1+{forged}+y"!r}).symlink_to({str(place.course)!r})
"""
    kernel = bob.kernel()
    kernel.run(attack)
    kernel.close()
    refused = exchange.collect(place, "hw1")
    assert len(refused) == 3, refused
    assert f"it says {ADA} and is from {BOB}" in " ".join(refused)
    assert f"hw1.ipynb is not a file of {BOB}'s own" in " ".join(refused)
    assert not list(inbound.iterdir())
    assert sorted(path.name for path in (place.course / "submitted").iterdir()) == [ADA, BOB]

    if not shutil.which("bwrap"):
        pytest.skip("grading needs bubblewrap")
    assert exchange.grade(place, "hw1", ["--jobs", "1"]) == 0
    grades = (place.course / "graded/hw1/grades.csv").read_text()
    assert ADA in grades
    assert BOB in grades
    assert exchange.feedback(place, "hw1") == 2
    listed = ada.assignments("fetch_feedback", "hw1")
    submitted = next(a for a in listed if a["status"] == "submitted")
    assert submitted["submissions"][0]["has_local_feedback"]
    shown = list((place.home(ADA) / "course/homework/release/hw1/feedback").rglob("hw1.html"))
    assert shown[0].read_text() == (place.course / f"graded/hw1/feedback/{ADA}.html").read_text()


@needs_hub
def test_the_instructor_sees_who_runs_and_stops_one(hub: Trial) -> None:
    hub.student(EVE)
    teacher = client.Student(hub.address, TEACHER)
    assert teacher.log_in()
    address = f"{hub.address}/services/class/"
    page = teacher.web.get(address, timeout=60)
    assert page.ok
    assert f"Stop {EVE}" in page.text
    assert " MB" in page.text
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    assert not teacher.web.post(address, data={"name": EVE}, timeout=60).ok  # a forged request
    sent = {"name": EVE, "_xsrf": teacher.token("/services/class/") or teacher.token("/")}
    assert teacher.web.post(address, data=sent, timeout=60).ok
    for _ in range(60):
        if not limits.processes_of(EVE):
            break
        time.sleep(0.5)
    assert not limits.processes_of(EVE)
    assert teacher.web.get(f"{hub.address}/hub/admin", timeout=60).ok


@needs_hub
def test_work_goes_on_while_hub_and_proxy_are_killed(hub: Trial, ada: client.Student) -> None:
    kernel = ada.kernel()
    kernel.run("x = 6")
    first = hub.pid("hub")
    os.kill(first, signal.SIGKILL)
    assert kernel.run("x = 7 * x; print(x)").strip() == "42"  # there is no hub now
    hub.wait()
    assert hub.pid("hub") != first
    assert kernel.run("print(x)").strip() == "42"
    assert ada.open("00-start-here.ipynb")
    again = client.Student(hub.address, ADA)
    assert again.log_in()
    assert again.spawn() < 60  # the same server

    os.kill(hub.pid("proxy"), signal.SIGKILL)
    with contextlib.suppress(Exception):
        kernel.close()
    for _ in range(120):
        with contextlib.suppress(Exception):
            if ada.ask("api/kernels").ok:
                break
        time.sleep(0.5)
    assert client.Kernel(ada, kernel.ident).run("print(x)").strip() == "42"  # nothing is lost


@needs_hub
def test_who_is_struck_from_the_list_is_out(hub: Trial) -> None:
    eve = client.Student(hub.address, EVE)
    assert eve.log_in()
    names = hub.place.folder / "class.txt"
    text = names.read_text()
    names.write_text(text.replace(EVE, ""))
    # and whose password was forgotten can choose another
    teacher = client.Student(hub.address, TEACHER)
    assert teacher.log_in()
    headers = {"X-XSRFToken": teacher.token("/hub/"), "Referer": f"{hub.address}/hub/admin"}
    api = f"{hub.address}/hub/api/users/{BOB}"
    bob_was = client.Student(hub.address, BOB)
    bob_was.log_in()
    bob_was.stop()
    assert teacher.web.delete(api, headers=headers, timeout=60).ok
    before = hub.pid("hub")
    try:
        hub.keeper.send_signal(signal.SIGHUP)  # type: ignore[union-attr]
        for _ in range(120):
            if hub.pid("hub") != before:
                break
            time.sleep(0.5)
        hub.wait()
        assert not client.Student(hub.address, EVE).log_in()
        with pytest.raises(TimeoutError):
            eve.spawn(10)  # she was logged in before
        assert not limits.processes_of(EVE)
        assert client.Student(hub.address, BOB, "another password").log_in()
        assert not client.Student(hub.address, BOB).log_in()
    finally:
        names.write_text(text)


@needs_hub
def test_backup_and_restore_lose_nothing(hub: Trial, ada: client.Student, tmp_path: Path) -> None:
    """The last test with a running hub: it stops it."""
    notebook = ada.open("01-hyperplanes.ipynb")
    notebook["cells"][0]["source"] = "# My own words"
    ada.save("01-hyperplanes.ipynb", notebook)
    archive = tmp_path / "class.tar.gz"
    assert keep.backup(hub.place, archive) > 20
    assert archive.stat().st_mode & 0o777 == 0o600
    with pytest.raises(WrongError, match="The hub runs"):
        keep.restore(hub.place, archive)
    hub.stop()
    assert not limits.processes_of(ADA)
    course = hub.place.home(ADA) / "course"
    mine = (course / "01-hyperplanes.ipynb").read_bytes()
    modes = {p: p.stat().st_mode for p in (hub.place.exchange / COURSE).iterdir()}
    limited = os.path.ismount(hub.place.home(ADA))
    for name in accounts.members(hub.place):
        disks.discard(hub.place, name)
    shutil.rmtree(hub.place.disks, ignore_errors=True)
    for name in ("homes", "exchange", "course", "hub"):
        shutil.rmtree(hub.place.folder / name)
    for name in (ADA, BOB):
        subprocess.run(["userdel", name], check=True, capture_output=True)  # a new machine
    assert keep.restore(hub.place, archive) > 20
    assert (course / "01-hyperplanes.ipynb").read_bytes() == mine
    assert (course / "01-hyperplanes.ipynb").owner() == ADA
    assert {p: p.stat().st_mode for p in (hub.place.exchange / COURSE).iterdir()} == modes
    assert hub.place.home(ADA).stat().st_mode & 0o777 == 0o700
    assert hub.place.hub.stat().st_mode & 0o777 == 0o700
    hub.start()
    assert not client.Student(hub.address, ADA, "another password").log_in()
    back = hub.student(ADA)
    assert back.open("01-hyperplanes.ipynb")["cells"][0]["source"] == "# My own words"
    hub.stop()
    assert list(hub.place.folder.glob("before-*-homes")) == []  # nothing was there to be moved
    keep.restore(hub.place, archive)
    (aside,) = hub.place.folder.glob("before-*-homes")
    if limited:
        (aside,) = hub.place.folder.glob("before-*-disks")
    kept = aside / f"{ADA}.img" if limited else aside / ADA / "course/01-hyperplanes.ipynb"
    assert kept.exists()
    assert aside.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["class.txt"], "not complete"),
        (["homes/ada/x@/srv", "homes/ada/x/passwd", "complete"], "behind a link"),
        (["../x", "complete"], "leads out"),
    ],
)
def test_a_cut_or_forged_archive_is_refused(names: list[str], why: str, tmp_path: Path) -> None:
    archive, place = tmp_path / "x.tar.gz", Place(tmp_path / "hub")
    with keep.tarfile.open(archive, "w:gz") as packed:
        for name in names:
            entry = keep.tarfile.TarInfo(name.split("@")[0])
            if "@" in name:
                entry.type, entry.linkname = keep.tarfile.SYMTYPE, name.split("@")[1]
            packed.addfile(entry)
    with pytest.raises(WrongError, match=why):
        keep.restore(place, archive)
    assert not place.folder.exists()


# without a hub


@pytest.fixture
def begin() -> ModuleType:
    spec = importlib.util.spec_from_file_location("begin", ROOT / "deploy/server/begin.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_changed_lecture_is_kept_and_an_unchanged_one_follows(
    begin: ModuleType, tmp_path: Path
) -> None:
    lectures, mine, memory = tmp_path / "lectures", tmp_path / "mine", tmp_path / "memory.json"
    lectures.mkdir()
    mine.mkdir()
    for name in "abc":
        (lectures / name).write_text(f"{name} 1")
    assert begin.update(lectures, mine, memory) == []
    (mine / "b").write_text("my b")
    (mine / "c").unlink()
    for name in "abd":
        (lectures / name).write_text(f"{name} 2")
    assert begin.update(lectures, mine, memory) == ["b"]
    assert {p.name: p.read_text() for p in mine.iterdir()} == {"a": "a 2", "b": "my b", "d": "d 2"}
    (mine / "b").rename(mine / "b of mine")  # now the new one can be had
    memory.write_text("broken")
    (mine / "a").write_text("my a")
    assert begin.update(lectures, mine, memory) == ["a"]
    assert (mine / "b").read_text() == "b 2"
    assert (mine / "b of mine").read_text() == "my b"


def test_control_groups_of_both_kinds_are_told_the_limits(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    made = limits.group("hub/ada", 600, 1.5, 200, one)
    assert [p.relative_to(one).parts[0] for p in made] == ["memory", "cpu", "pids"]
    assert (one / "memory/hub/ada/memory.limit_in_bytes").read_text() == "600"
    assert (one / "cpu/hub/ada/cpu.cfs_quota_us").read_text() == "150000"
    two.mkdir()
    (two / "cgroup.controllers").write_text("cpu memory pids")
    assert limits.group("hub/ada", 600, 1.5, 200, two) == [two / "hub/ada/cgroup.procs"]
    assert (two / "hub/ada/memory.max").read_text() == "600"
    assert (two / "hub/ada/cpu.max").read_text() == "150000 100000"
    assert (two / "hub/cgroup.subtree_control").read_text() == "+memory +cpu +pids"


def test_a_repository_that_students_can_read_is_noticed() -> None:
    top = Path(tempfile.mkdtemp())
    (top / "source").mkdir()
    top.chmod(0o755)
    assert setup.exposed(top / "source")
    top.chmod(0o700)
    assert not setup.exposed(top / "source")
    shutil.rmtree(top)


def test_settings_and_class_list_say_what_is_wrong(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (tmp_path / "hub.toml").write_bytes((ROOT / "deploy/hub.toml").read_bytes())
    assert place.settings() == type(place.settings())()  # the file shows the defaults
    (tmp_path / "class.txt").write_text("ada\nada\n\nteacher # no student\n")
    assert place.class_list() == ["ada"]
    for name in ("Ada", "../etc", "a b", "x" * 32, "-rf"):
        (tmp_path / "class.txt").write_text(name)
        with pytest.raises(WrongError, match="line 1"):
            place.class_list()
    with pytest.raises(WrongError, match="account of this machine already"):
        accounts.ensure(place, "daemon")
    (tmp_path / "hub.toml").write_text("memroy = 1")
    with pytest.raises(WrongError, match="memroy"):
        place.settings()
    assert size("1.5G") == 3 << 29
    with pytest.raises(WrongError, match="no size"):
        size("much")
