"""Bubblewrap's command line: no network, no other process, no files but Python's and its own.

The course's learners, SciPy and scikit-learn are not there either.
"""

from __future__ import annotations

import compileall
import importlib.util
import os
import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from lincourse.grader import system_calls

HIDDEN_PACKAGES = ("sklearn", "scipy")
GIVEN_MODULES = (
    *("base/__init__", "base/checks", "base/extras", "base/frozen", "base/hyperplane"),
    *("data/__init__", "data/real", "notebook/__init__", "notebook/colours"),
    *("notebook/plotting", "notebook/tables"),
)
LINLIB = f'''"""What homework may use."""

GIVEN = {sorted({name.partition("/")[0] for name in GIVEN_MODULES})!r}


def __getattr__(name):
    if name.startswith("__") or name in GIVEN:
        raise AttributeError(name)
    raise ImportError(f"linlib.{{name}} is not there while homework is graded: use NumPy.")
'''
INSIDE = Path(__file__).with_name("inside")
LINCOURSE = Path(__file__).parents[1]
COURSE, WORK = Path("/grading-course"), Path("/grading-work")  # in the sandbox


def command_line(course: Path, disk: int, allowed: int) -> list[str]:
    """Return bubblewrap's command line; of the file system only Python and ``course`` remain.

    What can be written are two folders in memory that end with the sandbox. ``allowed`` is the
    descriptor from which the list of allowed system calls is read. Of devices there is /dev/null,
    whose times and modes no allowed call changes.
    """
    command = [shutil.which("bwrap") or "bwrap", "--die-with-parent", "--new-session"]
    command += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    command += ["--unshare-cgroup-try", "--cap-drop", "ALL"]
    if os.geteuid() == 0:
        # In a namespace that root makes, whoever is in it is root outside. So there is none, and
        # the program inside becomes another user, which takes these two rights and ends them.
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        command += ["--unshare-user", "--uid", "1000", "--gid", "1000"]
    command += ["--seccomp", str(allowed)]
    system = ["/usr", "/bin", "/lib", "/lib64", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime"]
    writable = ["--perms", "1777", "--size", str(disk), "--tmpfs"]
    command += [*writable, "/tmp"]
    # Some versions make the folders on the way to a place for their own user alone.
    above = {str(folder) for place in python() for folder in Path(place).parents}
    for folder in ["/dev", "/etc", *sorted(above)]:
        command += ["--perms", "0755", "--dir", folder]
    for path in [*system, *sorted(python())]:
        command += ["--ro-bind-try", path, path]
    copy = checkout()
    if copy:
        command += ["--tmpfs", str(copy)]
        for path in sorted(python()):  # the environment may lie in the checkout
            command += ["--ro-bind", path, path] if Path(path).is_relative_to(copy) else []
        command += ["--remount-ro", str(copy)]
    packages = Path(sysconfig.get_path("purelib"))
    for place in (packages / name for name in (*HIDDEN_PACKAGES, "linlib", "lincourse")):
        command += ["--tmpfs", str(place), "--remount-ro", str(place)] if place.is_dir() else []
    command += ["--ro-bind", str(course), str(COURSE), *writable, str(WORK)]
    command += ["--dev-bind", "/dev/null", "/dev/null", "--remount-ro", "/"]
    return [*command, "--chdir", str(WORK)]


def problem(program: str) -> str | None:
    """Return what bubblewrap complains of when it makes a sandbox here; None if it works."""
    user = unprivileged_user()
    become = f"os.setresgid({user}, {user}, {user}); os.setresuid({user}, {user}, {user}); "
    works = f"import os; {become if user else ''}import subprocess; print('works')"
    try:
        allowed = system_calls.opened()
    except system_calls.NoFilterError as missing:
        return str(missing)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        _, *arguments = command_line(Path(folder), 1 << 20, allowed)
        try:
            tried = subprocess.run(
                [program, *arguments, sys.executable, "-c", works],
                pass_fds=[allowed],
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        finally:
            os.close(allowed)
    if tried.returncode == 0 and tried.stdout == "works\n":
        return None
    return next(iter(tried.stderr.strip().splitlines()[-1:]), "")


def remedy(problem: str) -> str:
    """Return what to do about bubblewrap's complaint."""
    if "libseccomp" in problem:
        return "install the packages libseccomp2 (of the system) and pyseccomp (of Python)"
    if "unknown option" in problem.lower():
        return "it is too old, update it"
    if os.geteuid() == 0 and "namespace" not in problem:
        return f"a user without an account must be able to read {sys.prefix}, or do not be root"
    if os.geteuid() == 0:
        return "do not be root, or give this container the right to (--cap-add SYS_ADMIN)"
    return (
        "allow user namespaces, on Ubuntu by sudo sysctl "
        "kernel.apparmor_restrict_unprivileged_userns=0, in Docker by "
        "--security-opt seccomp=unconfined"
    )


def unprivileged_user() -> int | None:
    """Return as whom a sandbox of root's goes on; None if bubblewrap sees to it.

    Numbers that no account has: systemd gives them to services while they run. Two sandboxes
    should not have the same, because the kernel counts some things by user.
    """
    return random.choice(range(61184, 65520)) if os.geteuid() == 0 else None


def checkout() -> Path | None:
    """Return the folder of the course's repository on this machine, if it runs from one."""
    found = importlib.util.find_spec("linlib")
    place = Path(found.origin).parents[1] if found and found.origin else None
    return place if place and (place / "pyproject.toml").exists() else None


def python() -> set[str]:
    """Return the folders of this Python and its packages."""
    return {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parent.parent)}


def environment(course: Path, work: Path) -> dict[str, str]:
    """Return the whole environment of what runs inside: nothing of the grader's own reaches it."""
    inside = {
        "HOME": work,
        "IPYTHONDIR": work / ".ipython",
        "MPLCONFIGDIR": work / ".matplotlib",
        "PYTHONPATH": course,
        "TMPDIR": work,
    }
    fixed = {"LANG": "C.UTF-8", "MATPLOTLIBRC": os.devnull, "PYTHONDONTWRITEBYTECODE": "1"}
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"])
    places = {name: str(place) for name, place in inside.items()}
    return places | fixed | threads | {"PATH": path}


def files() -> dict[str, str]:
    """Return the program that runs inside, and the part of linlib that homework may use."""
    import linlib

    package = Path(linlib.__file__).parent
    given = {f"linlib/{name}.py": package / f"{name}.py" for name in GIVEN_MODULES}
    given |= {f"linlib/data/files/{path.name}": path for path in package.glob("data/files/*.csv")}
    program = {f"inside/{path.name}": path for path in sorted(INSIDE.glob("*.py"))}
    program |= {f"lincourse/{name}.py": LINCOURSE / f"{name}.py" for name in ("__init__", "markup")}
    texts = {name: path.read_text(encoding="utf-8") for name, path in (program | given).items()}
    return texts | {"linlib/__init__.py": LINLIB}


def write_course(folder: Path, texts: dict[str, str]) -> None:
    """Write into ``folder/course`` what a sandbox reads: program, part of linlib, fonts."""
    (folder / "course" / "fonts").mkdir(parents=True)
    for name, text in texts.items():
        place = folder / "course" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    import matplotlib as mpl
    import matplotlib.font_manager as fonts  # finds the fonts once for all

    for cache in Path(mpl.get_cachedir()).glob(f"fontlist-v{fonts.FontManager.__version__}*"):
        shutil.copy(cache, folder / "course" / "fonts")
    compileall.compile_dir(folder / "course", quiet=2)
    for path in (folder / "course").rglob("*"):  # whoever reads it, and whatever root's umask is
        path.chmod(0o755 if path.is_dir() else 0o644)
    (folder / "course").chmod(0o755)
