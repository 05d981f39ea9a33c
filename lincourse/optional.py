"""The programs that the course can use but does not need: which are there, and what to do if not.

A program is there, absent, or there and not allowed to work. ``LINLIB_WITHOUT=bwrap,chromium``
hides programs from everything, so that anybody can see what a machine without them sees.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path

SWITCH = "LINLIB_WITHOUT"
PROGRAMS = {
    "bwrap": ("bwrap",),
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
    "firefox": ("firefox", "firefox-esr"),
    "node": ("node",),
    "npm": ("npm",),
}
PACKAGES = {"bwrap": "bubblewrap", "firefox": "firefox-esr", "node": "nodejs"}
# Chromium without anything that would leave the machine; root has no sandbox of its own.
CHROMIUM = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
CHROMIUM += ["--disable-component-update", "--disable-sync"]
CHROMIUM += ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
# Where Linux keeps what forbids user namespaces: the value that forbids, the one that allows.
SETTINGS = {
    "kernel/apparmor_restrict_unprivileged_userns": ("1", "0"),
    "kernel/unprivileged_userns_clone": ("0", "1"),
    "user/max_user_namespaces": ("0", "15000"),
}
SYSTEM = Path("/proc/sys")


@dataclass(frozen=True)
class Tool:
    """A program: its path if it can be used, else why not and what to do, in one line."""

    state: str  # "there", "absent", "hidden", "forbidden"
    path: str = ""
    why: str = ""

    def __bool__(self) -> bool:
        return self.state == "there"


def hidden() -> set[str]:
    """Return the names in ``LINLIB_WITHOUT``; a name that nothing has ends the program."""
    names = {name.strip() for name in os.environ.get(SWITCH, "").split(",")} - {""}
    if unknown := sorted(names - set(PROGRAMS)):
        known = ", ".join(PROGRAMS)
        sys.exit(f"{SWITCH}: {unknown[0]!r} is not an optional program; there are {known}.")
    return names


def tool(name: str) -> Tool:
    """Look for a program and try it, once in a process."""
    if name in hidden():
        return Tool("hidden", why=f"{SWITCH} hides {name}: unset it to use {name}")
    beside = str(Path(sys.executable).parent)  # where a wheel puts its programs
    return _tried(name, os.pathsep.join([os.environ.get("PATH", ""), beside]))


@functools.cache
def _tried(name: str, search: str) -> Tool:
    found = (shutil.which(program, path=search) for program in PROGRAMS[name])
    path = next(filter(None, found), "")
    package = PACKAGES.get(name, name)
    if not path:
        linux_only = name == "bwrap" and sys.platform != "linux"
        remedy = "it is for Linux only" if linux_only else f"install the package {package}"
        return Tool("absent", why=f"{name} is not on this machine: {remedy}")
    problem = _problem(name, path)
    if problem is None:
        return Tool("there", path)
    said = textwrap.shorten(problem, 100, placeholder=" …") or "it says nothing"
    return Tool("forbidden", why=f"{path} does not work here ({said}): {_remedy(name, problem)}")


def _problem(name: str, path: str) -> str | None:
    """Run a program as it will be run; return what it complains of, None if it works."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command, expected = [path, "--version"], ""
        if name == "chromium":
            command = [path, *CHROMIUM, "--headless", f"--user-data-dir={folder}"]
            command, expected = [*command, "--dump-dom", "about:blank"], "<html"
        if name == "bwrap":
            from lincourse.grader import bwrap  # which asks here whether there can be any

            command = [*bwrap.command_line(Path(folder), 1 << 20), sys.executable]
            command, expected = [*command, "-c", "print('works')"], "works"
        try:
            tried = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
    if tried.returncode == 0 and expected in tried.stdout:
        return None
    return next(iter(tried.stderr.strip().splitlines()), "")


def _remedy(name: str, problem: str) -> str:
    if name == "chromium":
        return "start it with --headless --dump-dom about:blank to see why"
    if name != "bwrap":
        return "start it with --version to see why"
    if "unknown option" in problem.lower():
        return "it is too old, update it"
    for setting, (forbids, allows) in SETTINGS.items():
        file = SYSTEM / setting
        if file.exists() and file.read_text("utf-8").strip() == forbids:
            return f"sudo sysctl {setting.replace('/', '.')}={allows}"
    return "allow user namespaces (for Docker: --security-opt seccomp=unconfined)"
