"""Runs proxy and hub, and starts again whichever dies. Students' servers outlive both."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from deploy import accounts
from deploy.limits import end_all
from deploy.settings import ROOT, Place, threads

PAUSE = 0.2  # seconds


class Keeper:
    """Keeps proxy and hub alive; SIGHUP starts the hub anew, SIGTERM or Ctrl-C ends everything."""

    def __init__(self, place: Place, port: int) -> None:
        self.place, self.port = place, port
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.ending = False

    def commands(self) -> dict[str, list[str]]:
        """Return what runs."""
        here = "127.0.0.1"
        program = "configurable-http-proxy"
        script = self.place.proxy / "node_modules" / program / "bin" / program
        warm = {"warm": [str(self.place.python), "-m", "deploy.warm"]}
        return {
            **(warm if self.place.settings().tuned else {}),
            "proxy": [
                *("node", str(script), "--ip", here, "--port", str(self.port)),
                *("--api-ip", here, "--api-port", str(self.port + 2)),
                *("--default-target", f"http://{here}:{self.port + 1}"),
                *("--error-target", f"http://{here}:{self.port + 1}/hub/error"),
            ],
            "hub": [
                *(str(self.place.python), "-m", "jupyterhub", "--config"),
                str(Path(__file__).with_name("jupyterhub_config.py")),
            ],
        }

    def environment(self, name: str) -> dict[str, str]:
        """Return the environment of one: where things are, and the secret that two share."""
        if name == "warm":  # what is split off from it inherits this much and no secret
            return {
                **{key: os.environ[key] for key in ("LANG", "LC_ALL") if key in os.environ},
                "PYTHONPATH": str(ROOT),
                "PYTHONDONTWRITEBYTECODE": "1",
                "PATH": "/usr/bin:/bin",
                "LINLIB_HUB": str(self.place.folder),
                "HOME": "/nonexistent",
                "MPLCONFIGDIR": str(self.place.hub / "matplotlib"),
                "MPLBACKEND": "module://matplotlib_inline.backend_inline",
                "MALLOC_ARENA_MAX": "2",
                "MALLOC_MMAP_THRESHOLD_": "131072",
                "PYDEVD_DISABLE_FILE_VALIDATION": "1",
                **threads(self.place.settings().cpu),
            }
        return {
            **{k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "LC_ALL", "HOME")},
            "PATH": f"{self.place.env / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LINLIB_HUB": str(self.place.folder),
            "LINLIB_HUB_PORT": str(self.port),
            "CONFIGPROXY_AUTH_TOKEN": (self.place.hub / "proxy_token").read_text(),
        }

    def start(self, name: str) -> None:
        """Start one of the two."""
        log = (self.place.hub / f"{name}.log").open("ab")
        self.running[name] = subprocess.Popen(
            self.commands()[name],
            cwd=self.place.hub,
            env=self.environment(name),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        log.close()
        pids = {each: str(process.pid) for each, process in self.running.items()}
        text = "\n".join(f"{each} {pid}" for each, pid in {**pids, "keeper": os.getpid()}.items())
        partial = self.place.hub / "pids.new"
        partial.write_text(text + "\n")
        partial.replace(self.place.hub / "pids")

    def run(self) -> None:
        """Run until told to end."""
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self.end)
        signal.signal(signal.SIGHUP, lambda *_: self.stop("hub"))
        for name in self.commands():
            self.start(name)
        began = time.monotonic()
        while not self.ending:
            for name, process in list(self.running.items()):
                if process.poll() is not None and not self.ending:
                    print(f"Process {name} ended: it is started again.", flush=True)
                    time.sleep(0 if time.monotonic() - began > 5 else 2)
                    began = time.monotonic()
                    self.start(name)
            time.sleep(PAUSE)
        for name in list(self.running):
            self.stop(name)
        end_all(*accounts.members(self.place))

    def end(self, *_: Any) -> None:
        """End at the next look."""
        self.ending = True

    def stop(self, name: str) -> None:
        """End one of the two and wait for it."""
        self.running[name].terminate()
        try:
            self.running[name].wait(20)
        except subprocess.TimeoutExpired:
            self.running[name].kill()
            self.running[name].wait()
