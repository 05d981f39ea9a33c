"""The library's tests and the notebooks in other environments: ``nox -l`` lists the sessions.

Each session changes one thing; arguments after ``--`` go to pytest instead of the usual selection,
which takes some minutes. Where only a variable changes, the environment of ``make setup`` is used.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import nox

nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_existing_virtualenvs = True

ROOT = Path(__file__).resolve().parent
SELECTED = ("linlib", "tests/library", "tests/explorers", "notebooks")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PINNED = ("-r", "requirements.lock", "-e", ".", "-e", "nbsame", "-e", "lincourse")
# What computes and draws; the rest of the oldest environment comes from the lock.
OLDEST = ("numpy==2.0.0", "scipy==1.13.0", "matplotlib==3.9.0", "scikit-learn==1.6.0")


def check(session: nox.Session, *options: str, **variables: str) -> None:
    """Run the selected tests as ``make test`` does, with some variables changed."""
    python = "python" if session.virtualenv.is_sandboxed else sys.executable
    command = (python, "-m", "lincourse", "check", "-n", "2", "--dist", "loadfile", *options)
    selected = session.posargs or SELECTED
    session.run(*command, *selected, env={"MPLBACKEND": "agg", **variables}, external=True)


@nox.session(venv_backend="none")
@nox.parametrize("kernel", ["Prescott", "Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX"])
def processor(session: nox.Session, kernel: str) -> None:
    """Use OpenBLAS's code for another processor; one that this machine lacks is not used."""
    check(session, OPENBLAS_CORETYPE=kernel)


@nox.session(venv_backend="none")
@nox.parametrize("features", ["AVX2 FMA3 AVX512F", "AVX512F AVX512CD AVX512_SKX"])
def numpy_features(session: nox.Session, features: str) -> None:
    """Switch off processor features that NumPy would choose at run time."""
    check(session, NPY_DISABLE_CPU_FEATURES=features)


@nox.session(venv_backend="none")
@nox.parametrize("threads", ["1", "2"])
def threads(session: nox.Session, threads: str) -> None:
    """Let BLAS use one thread or two."""
    check(session, OPENBLAS_NUM_THREADS=threads)


@nox.session(python=PYTHONS)
def pythons(session: nox.Session) -> None:
    """Run the pinned packages under every Python that the project admits."""
    session.install(*PINNED)
    check(session)


@nox.session(python=PYTHONS[0])
def oldest(session: nox.Session) -> None:
    """Run the oldest admitted releases of what computes and draws; pixels are not compared."""
    session.install(*PINNED)
    session.install(*OLDEST)
    check(session, "--nbsame-pictures=never")


@nox.session(python=PYTHONS[-1])
@nox.parametrize("pre", [False, True])
def newest(session: nox.Session, pre: bool) -> None:
    """Run the newest releases without the lock; pixels are not compared."""
    ours = ("-e", ".", "-e", "nbsame", "-e", "lincourse[test]")
    session.install("--upgrade", *(("--pre",) if pre else ()), *ours)
    check(session, "--nbsame-pictures=never")


@nox.session(venv_backend="none")
@nox.parametrize("locale", ["C", "de_DE.UTF-8", "tr_TR.UTF-8"])
def locale(session: nox.Session, locale: str) -> None:
    """Run under another language, or none; a locale that is not installed acts like C."""
    check(session, LC_ALL=locale, LANG=locale, PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")


@nox.session(venv_backend="none")
@nox.parametrize("seed", ["1", "2"])
def hash_order(session: nox.Session, seed: str) -> None:
    """Order sets of strings in another way."""
    check(session, PYTHONHASHSEED=seed, TZ="Pacific/Kiritimati")


@nox.session
def umlauts(session: nox.Session) -> None:
    """Run in a checkout whose path has spaces and umlauts, with a home that is new."""
    with tempfile.TemporaryDirectory(prefix="Ein Kurs über Klassifikation ") as folder:
        copy, home = Path(folder, "kurs"), Path(folder, "daheim")
        ignored = shutil.ignore_patterns(".venv", ".git", ".nox", "build", "__pycache__")
        shutil.copytree(ROOT, copy, ignore=ignored)
        home.mkdir()
        session.chdir(copy)
        session.install(*PINNED)
        check(session, HOME=os.fspath(home))


@nox.session(venv_backend="none")
def stock(session: nox.Session) -> None:
    """Validate the notebooks by nbval alone, with none of the project's options."""
    command = (sys.executable, "-m", "pytest", "--nbval")
    session.run(*command, *(session.posargs or ("notebooks",)), external=True)


@nox.session(name="mutants")
def mutation(session: nox.Session) -> None:
    """Break linlib in small ways and count what its tests notice: settings in pyproject.toml."""
    session.install(*PINNED, "mutmut")
    session.run("mutmut", "run", *session.posargs)
    session.run("mutmut", "results")
