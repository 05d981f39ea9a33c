"""A student without a browser: what the load test and the tests do to a class server."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any
from urllib.parse import quote, urlparse

import requests
import websocket

from deploy.settings import COURSE


class Student:
    """One person at one address."""

    def __init__(self, address: str, name: str, password: str = "correct horse battery") -> None:
        self.address, self.name, self.password = address, name, password
        self.web = requests.Session()
        self.server = f"{address}/user/{name}"

    # the hub

    def log_in(self) -> bool:
        """Log in by the form; tell whether the hub let us in."""
        page = self.web.get(f"{self.address}/hub/login", timeout=60)
        sent = {"username": self.name, "password": self.password, "_xsrf": self.token("/hub/")}
        answer = self.web.post(
            f"{self.address}/hub/login?next=%2Fhub%2Fhome", data=sent, timeout=60
        )
        return page.ok and answer.ok and urlparse(answer.url).path == "/hub/home"

    def spawn(self, patience: float = 120) -> float:
        """Start the server and come to its first page; return the seconds it took."""
        began = time.monotonic()
        self.web.get(f"{self.address}/hub/spawn/{self.name}", timeout=patience)
        while time.monotonic() - began < patience:
            answer = self.web.get(f"{self.server}/lab", timeout=60)
            if answer.ok and urlparse(answer.url).path.startswith(f"/user/{self.name}/lab"):
                return time.monotonic() - began
            time.sleep(0.25)
        raise TimeoutError(f"{self.name}: no server in {patience} seconds")

    def stop(self) -> None:
        """Stop the own server, as the button does."""
        url = f"{self.address}/hub/api/users/{self.name}/server"
        headers = {"X-XSRFToken": self.token("/hub/"), "Referer": f"{self.address}/hub/home"}
        self.web.delete(url, headers=headers, timeout=60).raise_for_status()

    def token(self, path: str) -> str:
        """Return the token against forged requests that belongs to a path."""
        return next(
            (k.value or "" for k in self.web.cookies if k.name == "_xsrf" and k.path == path), ""
        )

    # the server

    def ask(self, path: str, method: str = "GET", **options: Any) -> requests.Response:
        """Ask the own server."""
        headers = {"X-XSRFToken": self.token(f"/user/{self.name}/"), "Referer": self.server}
        return self.web.request(
            method, f"{self.server}/{path}", headers=headers, timeout=120, **options
        )

    def open(self, path: str) -> dict[str, Any]:
        """Open a notebook; return its content."""
        answer = self.ask(f"api/contents/{quote(path)}?content=1")
        answer.raise_for_status()
        return dict(answer.json()["content"])

    def save(self, path: str, notebook: dict[str, Any]) -> None:
        """Save a notebook."""
        model = {"type": "notebook", "format": "json", "content": notebook}
        self.ask(f"api/contents/{quote(path)}", "PUT", json=model).raise_for_status()

    def assignments(self, action: str = "", homework: str = "") -> list[dict[str, Any]]:
        """Do what the list "Assignments" does: fetch, submit, fetch_feedback; return the list."""
        if action:
            sent = {"course_id": COURSE, "assignment_id": homework}
            answer = self.ask(f"assignments/{action}", "POST", json=sent)
        else:
            answer = self.ask(f"assignments?course_id={COURSE}")
        answer.raise_for_status()
        if not answer.json()["success"]:
            raise RuntimeError(str(answer.json()["value"]))
        return list(answer.json()["value"])

    def kernel(self, path: str = "") -> Kernel:
        """Start a kernel, in the folder of the notebook that it is for."""
        session = {"path": path or uuid.uuid4().hex, "name": "", "type": "notebook"}
        answer = self.ask("api/sessions", "POST", json={**session, "kernel": {"name": "python3"}})
        answer.raise_for_status()
        return Kernel(self, answer.json()["kernel"]["id"])


class Kernel:
    """A kernel at the far end of a web socket."""

    def __init__(self, student: Student, ident: str) -> None:
        self.student, self.ident = student, ident
        self.canvas, self.moves, self.pictures = "", 0, 0
        cookies = student.web.cookies
        prepared = requests.Request("GET", f"{student.server}/", cookies=cookies).prepare()
        address = student.server.replace("http", "ws", 1)
        self.socket = websocket.create_connection(
            f"{address}/api/kernels/{ident}/channels?session_id={uuid.uuid4().hex}"
            f"&_xsrf={quote(student.token(f'/user/{student.name}/'))}",
            cookie=prepared.headers["Cookie"],
            origin=student.address,
            timeout=120,
        )

    def run(self, code: str) -> str:
        """Run a cell; return what it printed, and raise if it failed."""
        content = {"code": code, "silent": False, "store_history": False, "user_expressions": {}}
        content |= {"allow_stdin": False, "stop_on_error": True}
        ident = self.send("execute_request", content)
        printed, done, idle = [], None, False
        while done is None or not idle:
            answer = received(self.socket.recv())
            if answer.get("parent_header", {}).get("msg_id") != ident:
                continue
            kind, content = answer["header"]["msg_type"], answer["content"]
            if kind == "stream":
                printed.append(content["text"])
            elif kind == "comm_open" and "scene" in content["data"].get("state", {}):
                self.canvas = content["comm_id"]
            elif kind == "display_data" and "image/png" in content["data"]:
                self.pictures += 1
            elif kind == "execute_reply":
                done = content
            elif kind == "status" and content["execution_state"] == "idle":
                idle = True
        if done["status"] != "ok":
            raise RuntimeError(f"{done.get('ename')}: {done.get('evalue')}")
        return "".join(printed)

    def send(self, kind: str, content: dict[str, Any]) -> str:
        """Send a message to the kernel; return its number."""
        ident = uuid.uuid4().hex
        header = {"msg_id": ident, "msg_type": kind, "version": "5.3"}
        header |= {"username": "", "session": ident, "date": "2026-01-01T00:00:00Z"}
        empty: dict[str, Any] = {"parent_header": {}, "metadata": {}, "buffers": []}
        message = {"header": header, "content": content, "channel": "shell", **empty}
        self.socket.send(json.dumps(message))
        return ident

    def move(self, handle: str, x: float, y: float) -> float:
        """Move a handle of the last explorer, as its canvas does; return how long until drawn."""
        self.moves += 1
        event = {"type": "move", "id": handle, "x": x, "y": y, "view": "v", "number": self.moves}
        began = time.monotonic()
        data = {"method": "custom", "content": event}
        ident = self.send("comm_msg", {"comm_id": self.canvas, "data": data})
        drawn = idle = False
        while not idle:
            answer = received(self.socket.recv())
            if answer.get("parent_header", {}).get("msg_id") != ident:
                continue
            kind, content = answer["header"]["msg_type"], answer["content"]
            if kind == "comm_msg" and "scene" in content["data"].get("state", {}):
                drawn = True
            idle = kind == "status" and content["execution_state"] == "idle"
        if not drawn:
            raise RuntimeError("the explorer did not answer")
        return time.monotonic() - began

    def close(self) -> None:
        """Hang up; the kernel goes on."""
        self.socket.close()


def received(data: str | bytes) -> dict[str, Any]:
    """Return a message; one with buffers carries its text after a table of offsets."""
    if isinstance(data, str):
        return dict(json.loads(data))
    count = int.from_bytes(data[:4], "big")
    offsets = [int.from_bytes(data[4 * k : 4 * k + 4], "big") for k in range(1, count + 1)]
    end = offsets[1] if count > 1 else len(data)
    return dict(json.loads(data[offsets[0] : end]))
