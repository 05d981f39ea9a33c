"""Bubblewrap's sandbox: no network, no other process, no files but Python's and a private folder.

The course's learners, SciPy and scikit-learn are not there either.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import sysconfig
from pathlib import Path

HIDDEN_PACKAGES = ("sklearn", "scipy")
GIVEN_MODULES = (
    *("base/__init__", "base/checks", "base/frozen", "base/hyperplane"),
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


def command_line(course: Path, disk: int) -> list[str]:
    """Return bubblewrap's command line; of the file system only Python and ``course`` remain.

    Nothing that stays from one sandbox to the next can be written: each mounts empty folders of its
    own over ``work`` and the two temporary ones.
    """
    command = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--die-with-parent"]
    # Not as root: a namespace inside this one may then map the user without any right.
    command += ["--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"]
    command += ["--new-session", "--proc", "/proc", "--dev", "/dev"]
    command += ["--size", str(disk), "--tmpfs", "/tmp"]
    system = ["/usr", "/bin", "/lib", "/lib64", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime"]
    packages = Path(sysconfig.get_path("purelib"))
    hidden = [packages / name for name in (*HIDDEN_PACKAGES, "linlib", "lincourse")]
    for path in [*system, *sorted(python())]:
        command += ["--ro-bind-try", path, path]
    copy = checkout()
    if copy:
        command += ["--tmpfs", str(copy)]
        for path in sorted(python()):  # the environment may lie in the checkout
            command += ["--ro-bind", path, path] if Path(path).is_relative_to(copy) else []
        command += ["--remount-ro", str(copy)]
    for place in hidden:
        command += ["--tmpfs", str(place), "--remount-ro", str(place)] if place.is_dir() else []
    command += ["--ro-bind", str(course), str(COURSE), "--size", str(disk), "--tmpfs", str(WORK)]
    for path in ("/tmp", "/dev", "/"):
        command += ["--remount-ro", path]
    return [*command, "--chdir", str(WORK)]


def checkout() -> Path | None:
    """Return the folder of the course's repository on this machine, if it runs from one."""
    found = importlib.util.find_spec("linlib")
    place = Path(found.origin).parents[1] if found and found.origin else None
    return place if place and (place / "pyproject.toml").exists() else None


def python() -> set[str]:
    """Return the folders of this Python and its packages."""
    return {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parent.parent)}


def private_dirs() -> list[str]:
    """Return the folders that every sandbox gets for itself; /tmp not if Python lives there."""
    inside = any(Path(path).is_relative_to("/tmp") for path in python())
    return [*([] if inside else ["/tmp"]), "/dev/shm", str(WORK)]


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
    """Write into ``folder`` what a fork server needs: program, given part of linlib, fonts."""
    for name in ("work", "course/fonts"):
        (folder / name).mkdir(parents=True)
    for name, text in texts.items():
        place = folder / "course" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    import matplotlib as mpl
    import matplotlib.font_manager as fonts  # finds the fonts once for all

    for cache in Path(mpl.get_cachedir()).glob(f"fontlist-v{fonts.FontManager.__version__}*"):
        shutil.copy(cache, folder / "course" / "fonts")
