"""The system's own Firefox, spoken to in WebDriver BiDi: no driver to install, nothing fetched.

playwright drives only a Firefox that it has patched and downloads itself. BiDi is the standard that
Firefox speaks on its own: a few commands over one websocket are all that the tests need.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import websocket

from tests.browser import CAP, tool, until

# Nothing asks the network for anything, and nothing opens a page of its own.
QUIET = {
    "app.normandy.enabled": False,
    "app.update.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "remote.prefs.recommended": True,
    "toolkit.telemetry.enabled": False,
}
KEYS = {"ArrowLeft": "\ue012", "ArrowDown": "\ue015", "Shift": "\ue008"}


class Tab:
    """One page of Firefox."""

    def __init__(self, address: str) -> None:
        self.numbers = itertools.count(1)
        self.complaints: list[str] = []
        self.socket = websocket.create_connection(
            f"{address}/session", timeout=CAP, suppress_origin=True
        )
        self.command("session.new", capabilities={})
        self.command("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self.context = self.command("browsingContext.getTree")["contexts"][0]["context"]
        size = {"width": 1280, "height": 1000}
        self.command("browsingContext.setViewport", context=self.context, viewport=size)
        # There is no window that could get the focus otherwise.
        self.command("browsingContext.activate", context=self.context)

    def command(self, method: str, **params: Any) -> Any:
        """Send a command and return its result; what else arrives meanwhile is noted down."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == number:
                assert message["type"] == "success", f"{method}: {message}"
                return message["result"]
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        if message.get("method") == "log.entryAdded" and params.get("level") == "error":
            self.complaints.append(f"{params.get('type')}: {params.get('text')}")
        if message.get("method") == "network.beforeRequestSent":
            url = params["request"]["url"]
            if re.match(r"(https?|wss?|ftp)://", url) and "://127.0.0.1:" not in url:
                self.complaints.append(f"asked for {url}")

    def goto(self, url: str) -> None:
        self.command("browsingContext.navigate", context=self.context, url=url, wait="none")

    def evaluate(self, body: str) -> Any:
        """Return what the body of an asynchronous function returns, by way of JSON."""
        found = self.command(
            "script.evaluate",
            expression=f"(async () => {{ {body} }})().then(found => JSON.stringify(found ?? null))",
            target={"context": self.context},
            awaitPromise=True,
        )
        assert found["type"] == "success", found
        return json.loads(found["result"]["value"])

    def drag(self, start: list[float], end: list[float], steps: int = 8) -> None:
        """Drag with the mouse."""
        moves = [
            {
                "type": "pointerMove",
                "x": round(start[0] + (end[0] - start[0]) * k / steps),
                "y": round(start[1] + (end[1] - start[1]) * k / steps),
            }
            for k in range(steps + 1)
        ]
        down, up = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        self._act("pointer", [moves[0], down, *moves[1:], up])

    def press(self, keys: str) -> None:
        """Press a key, with those before it held down: ``"Shift+ArrowLeft"``."""
        values = [KEYS.get(key, key) for key in keys.split("+")]
        downs = [{"type": "keyDown", "value": value} for value in values]
        ups = [{"type": "keyUp", "value": value} for value in reversed(values)]
        self._act("key", [*downs, *ups])

    def _act(self, kind: str, actions: list[dict[str, Any]]) -> None:
        source = {"type": kind, "id": kind, "actions": actions}
        self.command("input.performActions", context=self.context, actions=[source])


@contextlib.contextmanager
def firefox(home: Path) -> Iterator[Tab]:
    """Start Firefox with a profile of its own, without a window; yield its page."""
    profile = home / "profile"
    profile.mkdir(parents=True)
    lines = [
        f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in QUIET.items()
    ]
    (profile / "user.js").write_text("\n".join(lines), "utf-8")
    log = home / "firefox.log"
    command = [tool("firefox").path, "--headless", "--no-remote", "--profile", str(profile)]
    command += ["--remote-debugging-port", "0"]
    outer = os.environ | {"HOME": str(home), "MOZ_HEADLESS": "1"}
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, env=outer)
    try:
        ready = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
        until(lambda: ready.search(log.read_text("utf-8", "replace")), lambda: log.read_text())
        tab = Tab(ready.search(log.read_text("utf-8", "replace"))[1])
        yield tab
        with contextlib.suppress(OSError, websocket.WebSocketException):
            tab.socket.close()
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
        if process.poll() is None:
            process.kill()
            process.wait()
