"""Sets the class server up: environment, proxy, lectures, exchange. Done again, it updates."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path

from deploy.settings import COURSE, ROOT, Place, WrongError

OURS = Path(__file__).resolve().parent
ENTER = 0o711  # may be entered by those who know a name in it
LAB = ROOT / "lincourse/lab"


def everything(place: Place, python: str | None = None) -> None:
    """Make or update the whole folder."""
    check()
    place.folder.mkdir(parents=True, exist_ok=True)
    reachable(place.folder.parent)
    place.folder.chmod(ENTER)
    folders(place)
    environment(place, python)
    proxy(place)
    contents(place)


def check() -> None:
    """Refuse a machine on which students could not be kept apart."""
    if os.geteuid() != 0:
        raise WrongError(
            "Each student gets an account of this machine, so that nobody reads another's work: "
            "run it as root (sudo make hub)."
        )
    for tool, package in {
        "useradd": "passwd",
        "setpriv": "util-linux",
        "npm": "npm",
        "node": "nodejs",
    }.items():
        if not shutil.which(tool):
            raise WrongError(f"There is no {tool} here: install {package} (apt install {package}).")


def reachable(path: Path) -> None:
    """Refuse a place that students could not enter."""
    for each in [path, *path.parents]:
        if str(each) in ("/tmp", "/var/tmp"):
            raise WrongError(f"Every student has a {each} of their own: choose another HUB=…")
        if not each.stat().st_mode & 0o001:
            raise WrongError(f"Students cannot enter {each}: choose another folder with HUB=…")


def exposed(folder: Path = ROOT / "notebooks/homework/source") -> bool:
    """Tell whether every account of the machine can read the solutions in this repository."""
    return all(each.stat().st_mode & 0o001 for each in [folder, *folder.parents])


def folders(place: Place) -> None:
    """Make the folders with their rights; settings and class list are never overwritten."""
    rights = {"server": 0o755, "lectures": 0o755, "homes": ENTER, "hub": 0o700, "course": 0o700}
    for name, mode in rights.items():
        folder = getattr(place, name)
        folder.mkdir(exist_ok=True)
        folder.chmod(mode)
    # nbgrader's exchange. A submission cannot be listed, nor (the sticky bit) moved by another.
    course = place.exchange / COURSE
    exchange = {course: 0o755, course / "outbound": 0o755, course / "inbound": 0o1733}
    place.exchange.mkdir(exist_ok=True)
    place.exchange.chmod(0o777 | 0o1000)  # nbgrader insists that all may write
    for folder, mode in {**exchange, course / "feedback": ENTER}.items():
        folder.mkdir(exist_ok=True)
        folder.chmod(mode)
    settings, names = place.folder / "hub.toml", place.folder / "class.txt"
    if not settings.exists():
        settings.write_bytes((OURS / "hub.toml").read_bytes())
    if not names.exists():
        names.write_text("# One name a line: the class. Small letters, digits, hyphens.\n")
    for file in (settings, names):
        file.chmod(0o600)
    token = place.hub / "proxy_token"
    if not token.exists():
        token.touch(mode=0o600)
        token.write_text(secrets.token_hex(32))


def environment(place: Place, python: str | None) -> None:
    """Install the course and the hub from the lock, compiled, once for everybody."""
    stamp, held = place.env / ".installed", installed(place)
    uv = str(Path(sys.executable).parent / "uv")
    install = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", place.python]
    if held[:1] != wanted()[:1]:
        base = Path(python or suitable()).resolve()
        reachable(base.parent)
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", base, place.env], check=True)
        locked = ["--constraint", ROOT / "requirements.lock", "--requirement"]
        what = [*locked, OURS / "requirements.txt", "psutil", f"{ROOT}[course]"]
        subprocess.run([*install, *what], check=True)
    elif held != wanted():
        again = ["--no-deps", "--reinstall-package", "linlib", ROOT]
        subprocess.run([*install, *again], check=True)
    stamp.write_text("\n".join(wanted()))


def wanted() -> list[str]:
    """Return fingerprints of what the environment is made from: the packages, and linlib."""
    packages = (ROOT / "requirements.lock", OURS / "requirements.txt", ROOT / "pyproject.toml")
    kinds = (".py", ".js", ".css", ".json")
    trees = (ROOT / "linlib", LAB / "data")
    library = sorted(p for tree in trees for p in tree.rglob("*") if p.suffix in kinds)
    return [
        hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
        for files in (packages, library)
    ]


def installed(place: Place) -> list[str]:
    """Return the fingerprints of what is installed; none if nothing is, or not to its end."""
    stamp = place.env / ".installed"
    return stamp.read_text().splitlines() if stamp.exists() else []


def suitable() -> str:
    """Return a Python that students can run, too: not one in somebody's home."""
    path = "/usr/local/bin:/usr/bin"
    names = ("python3.13", "python3.12", "python3.11", "python3")
    test = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))"
    for candidate in filter(None, (sys.executable, *(shutil.which(n, path=path) for n in names))):
        with contextlib.suppress(WrongError, OSError):
            reachable(Path(candidate).resolve().parent)
            if subprocess.run([candidate, "-c", test], capture_output=True).returncode == 0:
                return candidate
    raise WrongError(
        "Students could not run this Python, and there is no other of version 3.11 or newer: "
        "apt install python3-venv, or say make hub PYTHON=/usr/local/bin/python3.12"
    )


def proxy(place: Place) -> None:
    """Install configurable-http-proxy."""
    place.proxy.mkdir(exist_ok=True)
    place.proxy.chmod(0o700)
    wanted = (OURS / "package.json").read_bytes()
    held = place.proxy / "package.json"
    if not (place.proxy / "node_modules").exists() or held.read_bytes() != wanted:
        held.write_bytes(wanted)
        quiet = ["--no-audit", "--no-fund", "--silent", "--ignore-scripts"]
        subprocess.run(["npm", "install", *quiet], cwd=place.proxy, check=True)


def contents(place: Place) -> None:
    """Put the lectures and the settings of students' servers in place: what may be handed out."""
    made = place.course / "handout"
    build = [sys.executable, "-m", "grader", "student", "--out", made]
    path = {**os.environ, "PYTHONPATH": str(ROOT / "notebooks/homework")}
    subprocess.run(build, cwd=ROOT, env=path, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(made / "notebooks/homework")  # homework comes through the exchange
    exchange_trees(made / "notebooks", place.lectures)
    shutil.rmtree(made)
    made.with_name("handout.zip").unlink()
    fresh = place.course / "server"
    shutil.rmtree(fresh, ignore_errors=True)
    shutil.copytree(OURS / "server", fresh, ignore=shutil.ignore_patterns("serve.py", "__*"))
    overrides = "labconfig/default_setting_overrides.json"
    shutil.copyfile(LAB / overrides, fresh / overrides)
    config = [LAB / "jupyter_server_config.py", OURS / "server/serve.py"]
    text = "\n\n".join(file.read_text(encoding="utf-8") for file in config)
    (fresh / "jupyter_server_config.py").write_text(text, encoding="utf-8")
    exchange_trees(fresh, place.server)
    shutil.rmtree(fresh)


def exchange_trees(source: Path, target: Path) -> None:
    """Make a tree that all may read equal to another, file by file, so that nobody meets a gap."""
    wanted = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    for name in sorted(wanted):
        to = target / name
        to.parent.mkdir(parents=True, exist_ok=True)
        partial = to.with_name(f".{to.name}.new")
        partial.write_bytes((source / name).read_bytes())
        partial.chmod(0o644)
        partial.replace(to)
    for path in list(target.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
        elif path.relative_to(target) not in wanted:
            path.unlink()
