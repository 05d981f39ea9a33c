"""The table of environments: each row changes one thing about the place where the tests run."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.matrix.places import BUILD, ROOT, MissingError, Place

HERE = Path(__file__).parent
PIXELS = "figures are not compared: Matplotlib is another"
LOCK = ("sync", "requirements.lock", "--no-build")
RELEASES = ("3.11", "3.12", "3.13", "3.14", "3.15")
COMPUTING = ("numpy", "scipy", "matplotlib", "scikit-learn", "contourpy", "pandas", "pillow")
WHEELS = [word for name in COMPUTING for word in ("--only-binary", name)]
COURSE = ("install", "-r", "pyproject.toml", "--extra", "test")


@dataclass(frozen=True)
class Row:
    name: str
    about: str
    prepare: Callable[[Place], None]
    cannot: str = ""


def nothing(place: Place) -> None:
    """Leave everything as it is: the row that all others are compared with."""


def variables(**changes: str) -> Callable[[Place], None]:
    return lambda place: place.set(**changes)


# ---------------------------------------------------------------- processors

# OpenBLAS calls some kernels by the name of a relative that uses the same ones.
ALIASES = {"Prescott": "Katmai", "Zen": "Haswell"}


def kernels(name: str) -> Callable[[Place], None]:
    def prepare(place: Place) -> None:
        place.set(OPENBLAS_CORETYPE=name)
        used = place.ask(
            "import numpy, threadpoolctl; found = threadpoolctl.threadpool_info();"
            "print(*{library.get('architecture', '') for library in found})"
        )
        if used not in (name, ALIASES.get(name)):
            raise MissingError(f"this machine runs the kernels of {used or 'another library'}")
        if used != name:
            place.remarks.append(f"OpenBLAS calls these kernels {used}")

    return prepare


def features_off(pattern: str) -> Callable[[Place], None]:
    """Switch off what NumPy would choose at run time; the names of the groups are NumPy's."""

    def prepare(place: Place) -> None:
        features = "from numpy._core import _multiarray_umath as u; print(*(f for f in {} if {}))"
        groups = place.ask(features.format("u.__cpu_dispatch__", "u.__cpu_features__[f]")).split()
        off = [group for group in groups if re.search(pattern, group)]
        if not off:
            raise MissingError("NumPy would not use these features on this machine anyway")
        place.set(NPY_DISABLE_CPU_FEATURES=" ".join(off))
        left = place.ask(features.format(off, "u.__cpu_features__[f]"))
        if left:
            raise MissingError(f"NumPy keeps {left}")

    return prepare


def last_bits(seed: str) -> Callable[[Place], None]:
    """Let what is inexact end in other last bits: see lastbits.py."""

    def prepare(place: Place) -> None:
        place.folder = BUILD / "checkout, last bits"
        folder = BUILD / "last bits"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy2(HERE / "lastbits.py", folder / "sitecustomize.py")
        place.set(PYTHONPATH=str(folder), LINLIB_LAST_BITS=str(place.folder))
        place.set(LINLIB_LAST_BITS_SEED=seed)
        place.set(PYTEST_ADDOPTS="--nbval-cell-timeout=600")  # it makes products slow

    return prepare


# ---------------------------------------------------------------- people and their machines


def language(name: str) -> Callable[[Place], None]:
    """Choose a locale, built here where the machine has the sources of it but not the locale."""

    def prepare(place: Place) -> None:
        place.set(LC_ALL=f"{name}.UTF-8", LANG=f"{name}.UTF-8")
        set_it = "import locale; print(locale.setlocale(locale.LC_ALL, ''))"
        try:
            place.ask(set_it)
        except MissingError:
            folder = BUILD / "locales"
            folder.mkdir(parents=True, exist_ok=True)
            if not shutil.which("localedef"):
                raise MissingError(f"the locale {name} is not installed") from None
            command = ["localedef", "-i", name, "-f", "UTF-8", str(folder / f"{name}.UTF-8")]
            subprocess.run(command, capture_output=True, check=False)
            place.set(LOCPATH=str(folder))
            try:
                place.ask(set_it)
            except MissingError:
                raise MissingError(f"the locale {name} is not installed") from None

    return prepare


def umlauts(place: Place) -> None:
    place.folder = BUILD / "Ein Kurs über lineare Klassifikation, geöffnet"


def own_home(place: Place, name: str, files: dict[str, str]) -> None:
    place.home = BUILD / name
    shutil.rmtree(place.home, ignore_errors=True)
    for file, text in files.items():
        path = place.home / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


STYLE = """
font.size: 17
font.family: monospace
figure.dpi: 50
savefig.dpi: 60
axes.grid: True
backend: svg
"""
STARTUP = """
import numpy as np
import matplotlib as mpl
np.set_printoptions(precision=2, suppress=True, linewidth=40)
mpl.rcParams["font.size"] = 17
print("Welcome back!")
"""
PROFILE = """
c.InlineBackend.figure_formats = {"svg"}
c.InlineBackend.rc = {"figure.dpi": 40}
c.InteractiveShell.ast_node_interactivity = "all"
c.InteractiveShell.precision = 2
c.InteractiveShellApp.exec_lines = ["import math"]
"""


def drawing_person(place: Place) -> None:
    own_home(place, "home with matplotlibrc", {".config/matplotlib/matplotlibrc": STYLE})
    place.set(MPLBACKEND="svg")
    place.variables.pop("XDG_CONFIG_HOME", None)


def typing_person(place: Place) -> None:
    profile = ".ipython/profile_default"
    files = {
        f"{profile}/startup/00-mine.py": STARTUP,
        f"{profile}/ipython_config.py": PROFILE,
        f"{profile}/ipython_kernel_config.py": PROFILE,
        ".pythonrc.py": STARTUP,
    }
    own_home(place, "home with profile", files)
    place.set(PYTHONSTARTUP=str(place.home / ".pythonrc.py"))


def ordinary(place: Place) -> None:
    """Give up what root may do; the files stay one's own."""
    if hasattr(os, "geteuid") and os.geteuid() != 0:
        place.remarks.append("all rows ran as an ordinary user")
        return
    place.wrapper = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--"]
    try:
        done = place.ask("import os; print(os.getuid())")
    except OSError:
        done = ""
    if done != "1000":
        raise MissingError("unshare cannot start an ordinary user here")


def read_only_home(place: Place) -> None:
    ordinary(place)
    place.home = BUILD / "home, read-only"
    place.home.mkdir(parents=True, exist_ok=True)
    place.home.chmod(stat.S_IRUSR | stat.S_IXUSR)
    if place.ask("import os; print(os.access(os.environ['HOME'], os.W_OK))") != "False":
        raise MissingError("a read-only folder can be written to here")


def long_temporary_path(place: Place) -> None:
    folder = BUILD / "t" / "-".join(["a long path for temporary files"] * 6)
    folder.mkdir(parents=True, exist_ok=True)
    place.set(TMPDIR=str(folder))


# ---------------------------------------------------------------- versions


def python(release: str) -> Callable[[Place], None]:
    return lambda place: place.install(release, *LOCK)


def oldest(place: Place) -> None:
    """Take the lock, but the oldest admitted releases of what computes and draws."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["course"]]
    named = (*COMPUTING, "ipywidgets", "anywidget")
    floors = [w.replace(">=", "==") for w in wanted if w.partition(">=")[0] in named]
    place.install("3.11", *LOCK)
    place.pip("install", "--no-deps", "--no-build", *floors)
    place.options.append("--text-only")
    place.remarks.append(", ".join(floor.replace("==", " ") for floor in floors))


def unlocked(*options: str) -> Callable[[Place], None]:
    """Take what the registry has today, for the newest Python that has wheels of it."""

    def prepare(place: Place) -> None:
        reasons = []
        for release in reversed(RELEASES):
            try:
                place.install(release, *COURSE, "--upgrade", *WHEELS, *options)
                break
            except MissingError as missing:
                reasons.append(f"Python {release}: {missing}")
        else:
            raise MissingError("; ".join(reasons))
        place.options.append("--text-only")
        found = place.ask(
            "import numpy, scipy, matplotlib;"
            "print(*(f'{m.__name__} {m.__version__}' for m in (numpy, scipy, matplotlib)))"
        )
        place.remarks.append(f"Python {release}, {found}")

    return prepare


def rows() -> Iterator[Row]:
    yield Row("as it is", "the lock, this Python, an empty home", nothing)
    for name in ("Prescott", "Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX"):
        yield Row(name, f"OPENBLAS_CORETYPE={name}", kernels(name))
    yield Row("no AVX2", "NumPy without AVX2, FMA3 and AVX-512", features_off("V3|V4|AVX|FMA"))
    yield Row("no AVX-512", "NumPy without AVX-512", features_off("V4|AVX512"))
    for seed in ("1", "2"):
        about = f"inexact products, sums and factorisations a rounding off, seed {seed}"
        yield Row(f"last bits {seed}", about, last_bits(seed))
    for count in ("1", "2"):
        yield Row(
            f"{count} thread",
            f"OPENBLAS_NUM_THREADS={count}",
            variables(OPENBLAS_NUM_THREADS=count),
        )
    for seed in ("0", "1"):
        yield Row(f"hash {seed}", f"PYTHONHASHSEED={seed}", variables(PYTHONHASHSEED=seed))
    ascii_only = variables(LC_ALL="C", LANG="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    yield Row("ASCII", "LC_ALL=C, and Python may not turn it into UTF-8", ascii_only)
    yield Row("German", "de_DE: a comma in numbers", language("de_DE"))
    yield Row("Turkish", "tr_TR: another capital i", language("tr_TR"))
    for zone in ("Pacific/Kiritimati", "America/St_Johns"):
        yield Row(zone.partition("/")[2], f"TZ={zone}", variables(TZ=zone))
    yield Row("umlauts", "a checkout path with spaces and umlauts", umlauts)
    yield Row("matplotlibrc", "a user's fonts, resolution and backend", drawing_person)
    yield Row("IPython", "a user's profile and start-up files", typing_person)
    yield Row("ordinary user", "not root", ordinary)
    yield Row("read-only home", "nothing can be written to HOME, and not root", read_only_home)
    yield Row("long TMPDIR", "a temporary path longer than a socket's name", long_temporary_path)
    for release in RELEASES:
        yield Row(f"Python {release}", f"the lock under Python {release}", python(release))
    yield Row("oldest", "the oldest admitted releases", oldest, PIXELS)
    yield Row("newest", "the newest releases, without the lock", unlocked(), PIXELS)
    yield Row("pre-releases", "pre-releases too", unlocked("--prerelease", "allow"), PIXELS)


ROWS = tuple(rows())
