"""A class server for the tests: installs it, starts it, and plays its students."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
import uuid
from importlib import metadata
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlparse

import requests
import websocket

from lincourse import programs

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = ROOT / "build/hub"
SETTINGS = """
instructor = "teacher"
students = ["ada", "bob"]
spawner = "{spawner}"
address = "http://class.localhost:{port}"
port = {port}
memory = "1G"
cpu = 1.0
idle_minutes = 60
[settings.LocalProcessSpawner]
interrupt_timeout = 1
"""


@functools.cache
def missing() -> str:
    """Install the class server, unless this version is there; return why it cannot be."""
    for program in ("npm", "node"):  # the proxy's
        if why_not := programs.missing(program):
            return why_not
    files = [ROOT / "requirements-grader.lock", ROOT / "pyproject.toml"]
    files += [ROOT / "deploy" / name for name in ("requirements.txt", "install.sh")]
    files += [ROOT / "deploy/nbgrader_config.py", *sorted(ROOT.glob("notebooks/*.ipynb"))]
    files += sorted(path for path in (ROOT / "linlib").rglob("*.*") if path.suffix != ".pyc")
    wanted = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    stamp = INSTALLED / ".installed"
    if not stamp.exists() or stamp.read_text() != wanted:
        if not (INSTALLED / "env").exists():
            link_packages(INSTALLED / "env")
        install = ["sh", ROOT / "deploy/install.sh", INSTALLED]
        path = {**os.environ, "PYTHON": sys.executable}
        try:
            subprocess.run(
                install, env=path, capture_output=True, text=True, check=True, timeout=400
            )
        except subprocess.TimeoutExpired:
            return "the class server was not installed within 400 seconds"
        except subprocess.CalledProcessError as problem:
            return f"the class server cannot be installed: {problem.stderr.strip()[-300:]}"
        stamp.write_text(wanted)
    return ""


def link_packages(env: Path) -> None:
    """Make an environment with the graders' packages, linked from ours, compiled as they are.

    What they lack for the class server, install.sh adds: to compile them again takes longest.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", env], check=True)
    here = Path(sysconfig.get_path("purelib"))
    there = env / here.relative_to(sys.prefix)
    for line in (ROOT / "requirements-grader.lock").read_text("utf-8").splitlines():
        with contextlib.suppress(metadata.PackageNotFoundError):  # of another system
            for file in map(str, metadata.distribution(line.partition("==")[0]).files or []):
                for name in {file, cache_from_source(file) if file.endswith(".py") else file}:
                    source, target = here / name, Path(os.path.normpath(there / name))
                    if source.exists():
                        target.parent.mkdir(parents=True, exist_ok=True)
                        target.unlink(missing_ok=True)
                        os.link(source.resolve(), target)
    for script in (env / "bin").iterdir():  # they begin with the path of their Python
        text = script.read_bytes()
        if not script.is_symlink() and os.fsencode(sys.prefix) in text:
            script.unlink()
            script.write_bytes(text.replace(os.fsencode(sys.prefix), os.fsencode(env)))
            script.chmod(0o755)


@functools.cache
def namespace() -> list[str]:
    """Return the command that gives a process accounts of its own; nothing where none works."""
    command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.getuid():
        command += ["--map-root-user", "--map-auto"]
    works = (
        shutil.which("unshare")
        and not subprocess.run(
            [*command, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True
        ).returncode
    )
    return command if works else []


class Server:
    """A hub on the loopback address with a folder of its own; a context that stops everything."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="class-"))
        self.folder.chmod(0o755)
        self.port = free_ports(3)
        self.address = f"http://class.localhost:{self.port}"
        self.people = ["teacher", "ada", "bob"]
        self.apart = bool(namespace())  # is each student an account of their own?
        for name in ("env", "node_modules", "lectures", "lab"):
            (self.folder / name).symlink_to(INSTALLED / name)
        for name in ("jupyterhub_config.py", "passwords.py", "start.sh"):
            shutil.copy(ROOT / "deploy" / name, self.folder)
        (self.folder / "start.sh").chmod(0o755)
        spawner = "localprocess" if self.apart else "simple"
        (self.folder / "class.toml").write_text(SETTINGS.format(spawner=spawner, port=self.port))
        (self.folder / "exchange").mkdir()
        (self.folder / "exchange").chmod(0o1777)
        python = self.folder / "env/bin/python"
        subprocess.run([python, self.folder / "passwords.py"], check=True, capture_output=True)
        lines = (self.folder / "state/passwords.csv").read_text().split()
        self.passwords = dict(line.split(",") for line in lines)
        self.home = {name: self.folder / "homes" / name for name in self.people}
        for part in ("deploy", "lincourse", "linlib", "notebooks/homework"):  # a private copy
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, self.home["teacher"] / "repository" / part, ignore=ignored)
        self.log = (self.folder / "state/log").open("wb")
        hub = [python, self.folder / "env/bin/jupyterhub", "--config"]
        hub += [self.folder / "jupyterhub_config.py"]
        if self.apart:
            inside = [sys.executable, "-I", ROOT / "tests/helpers/namespace.py", self.folder]
            hub = [*namespace(), *inside, ",".join(self.people), *hub]
        secret = {**os.environ, "HUB_SECRET": "for no student"}
        self.process = subprocess.Popen(
            hub, stdout=self.log, stderr=self.log, env=secret, start_new_session=True
        )

    def __enter__(self) -> Server:
        end = time.monotonic() + 90
        while self.process.poll() is None and time.monotonic() < end:
            with contextlib.suppress(requests.ConnectionError):
                if requests.get(f"{self.address}/hub/login", timeout=5).ok:
                    return self
            time.sleep(0.25)
        text = (self.folder / "state/log").read_text(errors="replace")[-3000:]
        self.__exit__()
        raise RuntimeError(f"the hub did not start:\n{text}")

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM if not self.apart else signal.SIGKILL)
        self.process.wait(60)  # in a namespace, all it started ends with it
        self.log.close()
        remove = ["rm", "-rf", str(self.folder)]
        mapped = ["unshare", "--map-root-user", "--map-auto"] if os.getuid() and self.apart else []
        subprocess.run([*mapped, *remove], check=True)

    def student(self, name: str) -> Student:
        """Log somebody in and start their server."""
        student = Student(self.address, name, self.passwords[name])
        assert student.log_in(), f"{name} cannot log in"
        student.spawn()
        return student


def free_ports(count: int) -> int:
    """Return the first of several ports in a row that nobody uses, below those of clients."""
    for first in range(random.randrange(10000, 30000), 32000, count):
        try:
            for port in range(first, first + count):
                with socket.socket() as one:
                    one.bind(("127.0.0.1", port))
        except OSError:
            continue
        return first
    raise RuntimeError("no free ports")


class Student:
    """One person in one browser."""

    def __init__(self, address: str, name: str, password: str) -> None:
        self.address, self.name, self.password = address, name, password
        self.web = requests.Session()
        self.server = f"{address.replace('//', f'//{name}.')}/user/{name}"

    def log_in(self) -> bool:
        """Log in by the form; tell whether the hub let us in."""
        self.web.get(f"{self.address}/hub/login", timeout=60)
        sent = {"username": self.name, "password": self.password, "_xsrf": self.token("/hub/")}
        where = f"{self.address}/hub/login?next=%2Fhub%2Fhome"
        answer = self.web.post(where, data=sent, timeout=60)
        return answer.ok and urlparse(answer.url).path == "/hub/home"

    def spawn(self, patience: float = 90) -> None:
        """Start the server and come to its first page."""
        end = time.monotonic() + patience
        self.web.get(f"{self.address}/hub/spawn/{self.name}", timeout=patience)
        while time.monotonic() < end:
            answer = self.web.get(f"{self.server}/lab", timeout=60)
            if answer.ok and urlparse(answer.url).path.startswith(f"/user/{self.name}/lab"):
                return
            time.sleep(0.25)
        raise TimeoutError(f"{self.name}: no server in {patience} seconds")

    def token(self, path: str) -> str:
        """Return the token against forged requests that belongs to a path."""
        cookies = [k.value for k in self.web.cookies if k.name == "_xsrf" and k.path == path]
        return str(cookies[0]) if cookies else ""

    def ask(self, path: str, method: str = "GET", **options: Any) -> requests.Response:
        """Ask the own server."""
        headers = {"X-XSRFToken": self.token(f"/user/{self.name}/"), "Referer": self.server}
        where = f"{self.server}/{path}"
        return self.web.request(method, where, headers=headers, timeout=120, **options)

    def open(self, path: str) -> dict[str, Any]:
        """Open a notebook; return its content."""
        answer = self.ask(f"api/contents/{quote(path)}?content=1")
        answer.raise_for_status()
        return dict(answer.json()["content"])

    def save(self, path: str, notebook: dict[str, Any]) -> None:
        """Save a notebook."""
        model = {"type": "notebook", "format": "json", "content": notebook}
        self.ask(f"api/contents/{quote(path)}", "PUT", json=model).raise_for_status()

    def assignments(self, action: str = "", homework: str = "hw1") -> list[dict[str, Any]]:
        """Do what the list "Assignments" does: fetch, submit, fetch_feedback; return the list."""
        if action:
            sent = {"course_id": "linear", "assignment_id": homework}
            answer = self.ask(f"assignments/{action}", "POST", json=sent)
        else:
            answer = self.ask("assignments?course_id=linear")
        answer.raise_for_status()
        assert answer.json()["success"], answer.json()["value"]
        return list(answer.json()["value"])

    @functools.cached_property
    def kernel(self) -> str:
        """The id of a kernel of the student's own."""
        session = {"path": uuid.uuid4().hex, "name": "", "type": "notebook"}
        answer = self.ask("api/sessions", "POST", json={**session, "kernel": {"name": "python3"}})
        answer.raise_for_status()
        return str(answer.json()["kernel"]["id"])

    def connect(self, kernel: str) -> websocket.WebSocket:
        """Open the web socket of a kernel with what the student's browser has."""
        token = quote(self.token(f"/user/{self.name}/"))
        prepared = requests.Request("GET", f"{self.server}/", cookies=self.web.cookies).prepare()
        return websocket.create_connection(
            f"{self.server.replace('http', 'ws', 1)}/api/kernels/{kernel}/channels"
            f"?session_id={uuid.uuid4().hex}&_xsrf={token}",
            cookie=prepared.headers.get("Cookie", ""),
            origin=self.server.split("/user/")[0],
            timeout=100,
        )

    def run(self, code: str) -> str:
        """Run a cell in the student's kernel; return what it printed, and raise if it failed."""
        ident, code = uuid.uuid4().hex, f"import os\n{code}"
        content = {"code": code, "silent": False, "store_history": False, "user_expressions": {}}
        content |= {"allow_stdin": False, "stop_on_error": True}
        header = {"msg_id": ident, "msg_type": "execute_request", "version": "5.3"}
        header |= {"username": "", "session": ident, "date": "2026-01-01T00:00:00Z"}
        empty: dict[str, Any] = {"parent_header": {}, "metadata": {}, "buffers": []}
        message = {"header": header, "content": content, "channel": "shell", **empty}
        printed, reply, idle = [], None, False
        with contextlib.closing(self.connect(self.kernel)) as channel:
            channel.send(json.dumps(message))
            while reply is None or not idle:
                data = channel.recv()
                answer = json.loads(data) if isinstance(data, str) else {}  # else of a widget
                if answer.get("parent_header", {}).get("msg_id") != ident:
                    continue
                kind, content = answer["header"]["msg_type"], answer["content"]
                if kind == "stream":
                    printed.append(content["text"])
                elif kind == "execute_reply":
                    reply = content
                elif kind == "status":
                    idle = content["execution_state"] == "idle"
        if reply["status"] != "ok":
            raise RuntimeError(f"{reply.get('ename')}: {reply.get('evalue')}")
        return "".join(printed)

    def shell(self, command: str) -> str:
        """Run a command as in a terminal of the student's; return its output, then its status."""
        return self.run(
            "import subprocess\n"
            f"done = subprocess.run({command!r}, shell=True, capture_output=True, text=True)\n"
            "print(done.stdout, done.stderr, f'status {done.returncode}')"
        )


_look_up = socket.getaddrinfo


def look_up(host: Any, *rest: Any, **more: Any) -> Any:
    """Find every name below localhost on this machine, as browsers do."""
    return _look_up("127.0.0.1" if str(host).endswith(".localhost") else host, *rest, **more)
