"""A class server on the loopback address: a lecture, homework there and back, and break-ins."""

from __future__ import annotations

import csv
import dbm
import io
import json
import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import websocket
import yaml
from traitlets.config import Config

from tests.handed_in import filled
from tests.helpers import class_server
from tests.helpers.class_server import ROOT, Server, Student

pytestmark = pytest.mark.slow

DEPLOY = ROOT / "deploy"
HOMEWORK = "homework/release/hw1/hw1.ipynb"
STAMP = "2030-01-01 00:00:00.000000 UTC"


@pytest.fixture(scope="module")
def hub() -> Iterator[Server]:
    if reason := class_server.missing():
        pytest.skip(reason)
    if os.getuid() == 0 and not class_server.namespace():
        pytest.skip("root cannot make a namespace here, and students must not run as root")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", class_server.look_up)
        with Server() as server:
            yield server


@pytest.fixture(scope="module")
def ada(hub: Server) -> Student:
    return hub.student("ada")


@pytest.fixture(scope="module")
def bob(hub: Server) -> Student:
    return hub.student("bob")


@pytest.fixture(scope="module")
def teacher(hub: Server) -> Student:
    return hub.student("teacher")


@pytest.fixture
def apart(hub: Server) -> None:
    if not hub.apart:
        pytest.skip("needs an account for each student: no namespaces for this user here")


# ---- log in, read, run


def test_only_the_class_gets_in_and_nobody_chooses_a_password_first(hub: Server) -> None:
    for name in ("mallory", "root", "teacher", "ada"):
        assert not Student(hub.address, name, "a password of my own").log_in(), name
    assert Student(hub.address, "ada", hub.passwords["ada"]).log_in()
    assert (hub.folder / "state").stat().st_mode & 0o777 == 0o700


def test_a_student_runs_a_lecture(ada: Student) -> None:
    notebook = ada.open("00-start-here.ipynb")
    cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    assert len(cells) > 10
    for cell in cells:
        ada.run(cell)
    assert ada.run("import linlib; print(linlib.pla(*linlib.data.and_gate()).updates)") == "18\n"


# ---- homework


def homework(teacher: Student, step: str, options: str = "") -> str:
    """Let the instructor take a step in a terminal; return what it printed."""
    said = teacher.shell(f"cd ~/repository && python deploy/homework.py {step} hw1 {options}")
    assert "status 0" in said, said
    return said


@pytest.fixture(scope="module")
def handed_in(teacher: Student, ada: Student, bob: Student) -> None:
    homework(teacher, "release")
    for student in (ada, bob):
        assert [one["status"] for one in student.assignments()] == ["released"]
        assert [one["status"] for one in student.assignments("fetch")] == ["fetched"]
    ada.save(HOMEWORK, filled("hw1"))
    ada.assignments("submit")
    bob.assignments("submit")  # nothing answered


@pytest.mark.needs("bwrap")
@pytest.mark.usefixtures("handed_in")
def test_homework_comes_back_graded(teacher: Student, ada: Student) -> None:
    homework(teacher, "collect")
    homework(teacher, "grade", "--jobs 1")
    table = "open(os.path.expanduser('~/repository/graded/hw1/grades.csv'), encoding='utf-8-sig')"
    rows = csv.DictReader(io.StringIO(teacher.run(f"print({table}.read())").strip()))
    points = {row["student"]: float(row["q1"]) for row in rows}
    assert sorted(points) == ["ada", "bob"]
    assert points["ada"] > points["bob"] == 0
    homework(teacher, "feedback")
    listed = ada.assignments("fetch_feedback")
    submitted = [one for one in listed if one["status"] == "submitted"]
    assert [one["has_local_feedback"] for one in submitted[0]["submissions"]] == [True]
    page = "course/homework/release/hw1/feedback/*/hw1.html"
    shown = ada.run(f"import glob; print(open(*glob.glob(os.path.expanduser('~/{page}'))).read())")
    assert shown.strip() in teacher.shell("cat ~/repository/graded/hw1/feedback/ada.html")
    assert "hw1" in shown


FORGE = """
import pathlib
secret, victim = pathlib.Path({secret!r}), pathlib.Path({inbound!r})
def folder(name):
    made = victim / name
    made.mkdir()
    (made / "submission_secret.txt").write_text("0" * 128)
    return made / "hw1.ipynb"
folder("ada+hw1+{stamp}+x1").write_text("forged")
folder("bob+hw1+no time at all+x2").write_text("late")
(victim / "bob+hw1+{stamp}+x3").symlink_to(secret.parent)
folder("bob+hw1+{stamp}+x4").symlink_to(secret)
"""


@pytest.mark.usefixtures("handed_in", "apart")
def test_no_submission_is_forged_and_no_link_is_followed(
    hub: Server, teacher: Student, bob: Student
) -> None:
    homework(teacher, "collect")
    mine = "~/repository/graded/class/submitted/hw1"
    before = teacher.shell(f"cat {mine}/ada/hw1.ipynb")
    secret = f"{hub.home['teacher']}/repository/notebooks/homework/source/hw1/hw1.ipynb"
    inbound = f"{hub.folder}/exchange/linear/inbound"
    bob.run(FORGE.format(secret=secret, inbound=inbound, stamp=STAMP))
    said = homework(teacher, "collect")
    refused = re.findall(r"Refused: (\w+)\+hw1\+.*\+(x\d)", said)
    assert sorted(refused) == [("ada", "x1"), ("bob", "x2"), ("bob", "x3"), ("bob", "x4")], said
    assert teacher.shell(f"cat {mine}/ada/hw1.ipynb") == before
    assert "ada" in teacher.shell(f"ls {mine}")
    assert "BEGIN SOLUTION" not in teacher.shell(f"cat {mine}/*/*")


@pytest.fixture
def collected(tmp_path: Path) -> Iterator[Callable[[str], bytes]]:
    """Return how nbgrader_config.py reads a file of a folder."""
    names: dict[str, Any] = {"get_config": Config}
    exec(compile((DEPLOY / "nbgrader_config.py").read_text(), "nbgrader_config.py", "exec"), names)
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield lambda name: names["plain"](name, descriptor)[0]
    os.close(descriptor)


def test_a_file_that_becomes_a_link_is_never_followed(
    tmp_path: Path, collected: Callable[[str], bytes]
) -> None:
    (tmp_path / "secret").write_text("secret")
    ended = threading.Event()

    def swap() -> None:
        while not ended.is_set():
            (tmp_path / "one").write_text("plain")
            (tmp_path / "one").replace(tmp_path / "hw1.ipynb")
            (tmp_path / "two").symlink_to(tmp_path / "secret")
            (tmp_path / "two").replace(tmp_path / "hw1.ipynb")

    thread = threading.Thread(target=swap)
    thread.start()
    read, refused = set(), 0
    for _ in range(3000):
        try:
            read.add(collected("hw1.ipynb"))
        except (OSError, ValueError):
            refused += 1
    ended.set()
    thread.join()
    assert read <= {b"plain", b""}  # an empty one is being written
    assert refused > 0


@pytest.mark.parametrize("kind", ["link", "hard link", "pipe", "folder"])
def test_only_plain_files_are_collected(
    tmp_path: Path, collected: Callable[[str], bytes], kind: str
) -> None:
    make = {
        "link": lambda path: path.symlink_to("other"),
        "hard link": lambda path: path.hardlink_to(tmp_path / "other"),
        "pipe": os.mkfifo,
        "folder": Path.mkdir,
    }
    for name in ("other", "plain"):
        (tmp_path / name).write_text("x")
    make[kind](tmp_path / "hw1.ipynb")
    assert collected("plain") == b"x"
    with pytest.raises((OSError, ValueError)):
        collected("hw1.ipynb")


def test_whoever_owns_a_submission_is_accused_of_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a trial all students are one account, and nbgrader asks "cheating attempt?" of each."""
    from nbgrader.coursedir import CourseDirectory

    programs = Path(sys.executable).parent  # nbgrader's database asks for alembic
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    config = Config()
    names: dict[str, Any] = {"get_config": lambda: config}
    exec(compile((DEPLOY / "nbgrader_config.py").read_text(), "nbgrader_config.py", "exec"), names)
    config.CourseDirectory.root = str(tmp_path)
    config.CourseDirectory.assignment_id = "hw1"
    config.Exchange.root = str(tmp_path / "exchange")
    folder = tmp_path / "exchange/linear/inbound/nobody-here+hw1+2026-11-20 12:00:00 UTC+x"
    folder.mkdir(parents=True)
    (folder / "hw1.ipynb").write_text("{}")
    (folder / "submission_secret.txt").write_text("0" * 128)
    said = io.StringIO()
    log = logging.Logger("collecting")
    log.addHandler(logging.StreamHandler(said))
    collect = names["CarefulCollect"](
        coursedir=CourseDirectory(config=config), config=config, parent=None, log=log
    )
    collect.start()
    assert (tmp_path / "submitted/hw1/nobody-here/hw1.ipynb").exists(), said.getvalue()
    assert "cheat" not in said.getvalue().lower()


# ---- break-ins


TRY = """
import json, os, pathlib, socket, urllib.request
told = {{}}
for action in {actions!r}:
    try:
        told[action] = f"got {{eval(action)!r:.80}}"
    except urllib.error.HTTPError as problem:
        told[action] = f"HTTP {{problem.code}}"
    except Exception as problem:
        told[action] = type(problem).__name__
print(json.dumps(told))
"""


def tries(student: Student, *actions: str) -> dict[str, str]:
    """Evaluate expressions in a student's kernel; return what came of each."""
    return dict(json.loads(student.run(TRY.format(actions=actions))))


@pytest.mark.usefixtures("handed_in", "apart")
def test_another_s_files_and_the_hub_s_are_closed(
    hub: Server, teacher: Student, ada: Student, bob: Student
) -> None:
    mine = f"os.listdir({str(hub.home['bob'])!r})"
    runtime = ada.run("print(os.environ['JUPYTER_RUNTIME_DIR'])").strip()
    pid = ada.run("print(os.getpid(), os.getppid())").split()
    inbound = hub.folder / "exchange/linear/inbound"
    listed = json.loads(
        teacher.run(f"import json; print(json.dumps(os.listdir({str(inbound)!r})))")
    )
    (submitted,) = (inbound / name for name in listed if name.startswith("ada+hw1+"))
    moved = str(submitted.with_name("mine"))
    closed = [
        *(f"os.listdir({str(hub.home[name])!r})" for name in ("ada", "teacher")),
        f"open({str(hub.home['ada'] / 'course' / HOMEWORK)!r}).read()",
        f"os.listdir({str(hub.folder / 'state')!r})",
        f"os.listdir({runtime!r})",  # sockets and keys of her kernels
        *(f"open('/proc/{number}/environ').read()" for number in pid),  # her token
        *(f"os.kill({number}, 15)" for number in pid),
        f"os.listdir({str(inbound)!r})",
        f"os.rename({str(submitted)!r}, {moved!r})",
        f"open({str(submitted / 'hw1.ipynb')!r}, 'a')",
        *(f"os.listdir({str(path)!r})" for path in inbound.parent.glob("feedback")),
        f"os.mkdir({str(hub.folder / 'exchange/linear/outbound/hw9')!r})",
        f"open({str(hub.folder / 'class.toml')!r}, 'a')",
        f"open({str(hub.folder / 'start.sh')!r}, 'a')",
        f"open({str(hub.folder / 'lectures/01-hyperplanes.ipynb')!r}, 'a')",
    ]
    told = tries(bob, mine, *closed)
    assert told.pop(mine).startswith("got")
    assert {action: said for action, said in told.items() if said != "PermissionError"} == {}
    assert len(told) == len(closed)


LISTEN = """
import threading, time, zmq
rows = [line.split() for line in open("/proc/net/tcp")][1:]
ports = [int(row[1][9:], 16) for row in rows if row[3] == "0A" and row[7] == "{uid}"]
heard, socket = [], zmq.Context().socket(zmq.SUB)
socket.subscribe(b"")
for port in ports:
    socket.connect(f"tcp://127.0.0.1:{{port}}")
def listen():
    while socket.poll(4000):
        heard.append(socket.recv())
listener = threading.Thread(target=listen)
listener.start()
time.sleep(1)
print(len(ports))
"""


@pytest.mark.usefixtures("apart")
def test_nobody_listens_to_another_s_kernel_or_enters_a_server_by_its_port(
    hub: Server, ada: Student, bob: Student
) -> None:
    uid = ada.run("print(os.getuid())").strip()
    assert int(bob.run(LISTEN.format(uid=uid))) > 0
    for _ in range(5):
        ada.run("print('what ada computes')")
    bob.run("listener.join()")
    assert bob.run("print(heard)") == "[]\n"
    port = ada.run("print(os.environ['JUPYTERHUB_SERVICE_URL'])").split(":")[2].split("/")[0]
    direct = f"urllib.request.urlopen('http://127.0.0.1:{port}/user/ada/api/contents')"
    routes = f"urllib.request.urlopen('http://127.0.0.1:{hub.port + 2}/api/routes')"
    assert tries(bob, direct, routes) == {direct: "HTTP 403", routes: "HTTP 403"}
    assert bob.run("print('HUB_SECRET' in os.environ)") == "False\n"
    assert bob.run("print(*os.getresuid())").split() == [str(int(uid) + 1)] * 3


def test_another_s_server_and_the_instructor_s_pages_refuse_a_student(
    hub: Server, ada: Student, bob: Student
) -> None:
    for page in ("lab", "api/contents", f"api/kernels/{ada.kernel}"):
        answer = bob.web.get(f"{ada.server}/{page}", timeout=60)
        assert answer.status_code == 403, page
    intruder = Student(hub.address, "ada", "")
    intruder.web = bob.web
    with pytest.raises(websocket.WebSocketBadStatusException, match="403"):
        intruder.connect(ada.kernel)
    assert bob.web.get(f"{hub.address}/hub/admin", timeout=60).status_code == 403
    api = f"{hub.address}/hub/api"
    for how, path in (
        ("GET", "users"),
        ("GET", "users/ada"),
        ("POST", "users/ada/tokens"),
        ("DELETE", "users/ada/server"),
        ("GET", "proxy"),
        ("POST", "shutdown"),
    ):
        token = bob.run("print(os.environ['JUPYTERHUB_API_TOKEN'])").strip()
        for headers in (
            {"Authorization": f"token {token}"},
            {"X-XSRFToken": bob.token("/hub/"), "Referer": f"{hub.address}/hub/home"},
        ):
            answer = bob.web.request(how, f"{api}/{path}", headers=headers, timeout=60)
            assert answer.status_code in (403, 404), (how, path, headers.keys())
    mine = requests.get(f"{api}/user", headers={"Authorization": f"token {token}"}, timeout=60)
    assert mine.json()["name"] == "bob"
    other = {"Authorization": f"token {token}"}
    assert requests.get(f"{ada.server}/api/contents", headers=other, timeout=60).status_code == 403


def test_whoever_opens_a_student_s_link_gives_no_session_away(
    hub: Server, teacher: Student, ada: Student
) -> None:
    asked = teacher.web.get(f"{ada.server}/lab", timeout=60)  # "Authorize access?", and she does
    form = re.findall(r'type="hidden" name="(_xsrf|scopes)" value="(.+?)"', asked.text)
    headers = {"Referer": asked.url}
    assert teacher.web.post(asked.url, data=form, headers=headers, timeout=60).ok
    opened = requests.Request("GET", f"{ada.server}/x", cookies=teacher.web.cookies).prepare()
    stolen = {"Cookie": opened.headers["Cookie"]}
    for page in (f"{hub.address}/hub/api/user", f"{teacher.server}/api/contents"):
        assert requests.get(page, headers=stolen, timeout=60).status_code == 403
        assert teacher.web.get(page, headers={"Referer": page}, timeout=60).ok
    sessions = [
        k for k in teacher.web.cookies if k.name.startswith(("jupyterhub-hub", "jupyterhub-user"))
    ]
    assert {k.path for k in sessions} <= {"/hub/", "/user/teacher/", "/user/ada/"}


def test_a_server_that_is_started_again_keeps_the_student_s_work(
    hub: Server, teacher: Student, bob: Student
) -> None:
    notebook = bob.open("02-perceptron.ipynb")
    notebook["cells"][0]["source"] = "My own words"
    bob.save("02-perceptron.ipynb", notebook)
    bob.run("os.remove('03-convergence.ipynb')")
    headers = {"X-XSRFToken": teacher.token("/hub/"), "Referer": f"{hub.address}/hub/admin"}
    where = f"{hub.address}/hub/api/users/bob/server"
    assert teacher.web.delete(where, headers=headers, timeout=60).status_code == 204
    bob.spawn()
    assert bob.open("02-perceptron.ipynb")["cells"][0]["source"] == "My own words"
    assert bob.open("03-convergence.ipynb")["cells"]


# ---- the files, without a running hub


def configured(folder: Path, settings: str) -> Config:
    """Load jupyterhub_config.py beside a class.toml, as the hub does."""
    shutil.copy(DEPLOY / "jupyterhub_config.py", folder)
    (folder / "class.toml").write_text(settings)
    (folder / "state").mkdir(exist_ok=True)
    config, path = Config(), folder / "jupyterhub_config.py"
    names = {"get_config": lambda: config, "__file__": str(path)}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return config


CLASS = (DEPLOY / "class.toml").read_text()
SERVED = CLASS.replace('"simple"', '"systemd"').replace('address = ""', 'address = "https://c.org"')


def test_the_hub_does_not_start_before_everybody_has_a_password(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="No password for ada, bob, teacher"):
        configured(tmp_path, SERVED)
    with dbm.open(str(tmp_path / "state/passwords.dbm"), "c") as stored:
        for name in ("ada", "teacher"):
            stored[name] = "x"
    with pytest.raises(SystemExit, match="No password for bob"):
        configured(tmp_path, SERVED)


def test_a_trial_does_not_run_students_as_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 0)
    with pytest.raises(SystemExit, match="ordinary user"):
        configured(tmp_path, f'authenticator = "github"\n{CLASS}')


def test_a_class_is_served_behind_tls_with_limits_and_oauth_can_be_set(tmp_path: Path) -> None:
    oauth = '[settings.GitHubOAuthenticator]\nclient_id = "mine"'
    c = configured(tmp_path, f'authenticator = "github"\n{SERVED}\n{oauth}')
    assert c.JupyterHub.authenticator_class == "github"
    assert c.GitHubOAuthenticator.client_id == "mine"
    assert c.Authenticator.allowed_users == {"teacher", "ada", "bob"}
    assert (c.Authenticator.allow_all, c.Authenticator.allow_existing_users) == (False, False)
    assert c.JupyterHub.spawner_class == "systemd"
    assert c.JupyterHub.bind_url == "http://127.0.0.1:8000"
    assert c.JupyterHub.subdomain_host == "https://c.org"
    assert c.JupyterHub.cookie_host_prefix_enabled
    assert (c.Spawner.mem_limit, c.Spawner.cpu_limit) == ("1G", 1.0)
    assert c.SystemdSpawner.isolate_tmp
    assert c.SystemdSpawner.disable_user_sudo
    assert "admin" not in str(c.JupyterHub.load_roles)


def test_the_service_and_the_web_server_fit_the_settings(tmp_path: Path) -> None:
    service = (DEPLOY / "class.service").read_text()
    commands = re.findall(r"ExecStart(?:Pre)?=(\+?)/srv/class/env/bin/python .*?(\S+\.py)", service)
    assert commands == [("", "passwords.py"), ("+", "jupyterhub_config.py")]  # stock alone is root
    assert "reverse_proxy 127.0.0.1:8000" in (DEPLOY / "Caddyfile").read_text()
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    there = tmp_path / "class.service"
    there.write_text(service.replace("/srv/class/env/bin/python", "/usr/bin/env"))
    done = subprocess.run(["systemd-analyze", "verify", there], capture_output=True, text=True)
    assert "class.service" not in done.stderr, done.stderr


def test_the_cluster_has_the_same_limits_list_and_start() -> None:
    values = yaml.safe_load((DEPLOY / "cluster/values.yaml").read_text())
    settings, user = tomllib.loads(CLASS), values["singleuser"]
    assert user["memory"]["limit"] == settings["memory"]
    assert user["cpu"]["limit"] == settings["cpu"]
    assert values["cull"]["timeout"] == 60 * settings["idle_minutes"]
    who = values["hub"]["config"]["Authenticator"]
    assert who["allowed_users"] == [settings["instructor"], *settings["students"]]
    assert (who["allow_all"], who["allow_existing_users"]) == (False, False)
    image = (DEPLOY / "cluster/Dockerfile").read_text()
    assert user["cmd"] == json.loads(re.findall(r"CMD (.+)", image)[0])
    assert f"--uid {user['uid']} " in image
    assert user["storage"]["homeMountPath"] == "/home/student"
