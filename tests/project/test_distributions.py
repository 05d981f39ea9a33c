"""What each of the three distributions installs, tried in environments that hold nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")
OURS = {name: ROOT / name for name in ("nbsame", "lincourse")} | {"linlib": ROOT}
# What linlib shows without anything but NumPy, and what it says of the rest.
ALONE = """
import importlib, linlib
run = linlib.pla(*linlib.data.and_gate())
print(run.updates, "Theorem" in run.proof(), len(linlib.data.load("penguins").y))
for part in ("explorers", "notebook.plotting", "sklearn"):
    try:
        importlib.import_module(f"linlib.{part}")
    except ModuleNotFoundError as missing:
        print(missing)
try:
    linlib.data.load("iris")
except ModuleNotFoundError as missing:
    print(missing)
"""


def done(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a person would who has nothing of ours."""
    ours = ("PYTEST", "PYTHON", "VIRTUAL_ENV")
    outer = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return subprocess.run(
        command, cwd=folder, env=outer, capture_output=True, text=True, check=False, timeout=300
    )


def built(name: str, folder: Path) -> Path:
    """Build source and wheel of a distribution, the wheel from the source; return the wheel."""
    ran = done(UV, "build", "--quiet", "--out-dir", folder, OURS[name], folder=folder)
    assert ran.returncode == 0, ran.stderr
    (wheel,) = folder.glob(f"{name}-*.whl")
    return wheel


def content(wheel: Path) -> set[str]:
    """Return the names of all files in a wheel."""
    with zipfile.ZipFile(wheel) as packed:
        return set(packed.namelist())


@pytest.fixture(scope="module")
def linlib_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("linlib", tmp_path_factory.mktemp("dist"))


@pytest.mark.slow
def test_the_wheel_of_linlib_holds_linlib_and_nothing_else(linlib_wheel: Path) -> None:
    names = content(linlib_wheel)
    tops = {name.partition("/")[0] for name in names}
    metadata = linlib_wheel.name.removesuffix("-py3-none-any.whl") + ".dist-info"
    assert tops == {"linlib", metadata}, "a library brings no checker, grader or extension"
    assert f"{metadata}/entry_points.txt" not in names, "nor a command, nor a plugin of pytest"
    theorems = {path.name for path in (ROOT / "proofs").glob("*.v")}
    assert {name for name in names if name.startswith("linlib/proofs/")} == {
        f"linlib/proofs/{name}" for name in theorems
    }
    lacking = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "linlib").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    } - names
    assert not lacking, "these files of linlib are not in its wheel"


@pytest.mark.slow
def test_linlib_alone_needs_numpy_and_says_what_brings_the_rest(
    linlib_wheel: Path, tmp_path: Path
) -> None:
    done(UV, "venv", "--quiet", "--python", sys.executable, "env", folder=tmp_path)
    python = tmp_path / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ran = done(UV, "pip", "install", "--python", python, linlib_wheel, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    installed = re.findall(r"^ [+] (\w+)", ran.stderr, re.M)
    assert sorted(installed) == ["linlib", "numpy"]
    said = done(python, "-c", ALONE, folder=tmp_path)
    assert said.returncode == 0, said.stderr
    first, *messages = said.stdout.splitlines()
    assert first == "18 True 342"
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for message, extra in zip(
        messages, ("explorers", "notebook", "sklearn", "sklearn"), strict=True
    ):
        assert message.endswith(f'This brings it: python -m pip install "linlib[{extra}]"')
        package = message.partition(" is not installed")[0]
        wanted = {"sklearn": "scikit-learn"}.get(package, package)
        assert any(line.startswith(wanted) for line in extras["optional-dependencies"][extra])


@pytest.mark.slow
def test_the_wheel_of_nbsame_is_a_plugin_of_pytest_and_knows_no_course(tmp_path: Path) -> None:
    wheel = built("nbsame", tmp_path)
    with zipfile.ZipFile(wheel) as packed:
        (points,) = (name for name in packed.namelist() if name.endswith("entry_points.txt"))
        assert "[pytest11]\nnbsame = nbsame.plugin" in packed.read(points).decode()
        code = b"".join(packed.read(name) for name in packed.namelist() if name.endswith(".py"))
    assert not re.search(rb"(import|from) +(linlib|lincourse)\b", code)


@pytest.mark.slow
def test_lincourse_says_that_it_needs_a_checkout(tmp_path: Path) -> None:
    ran = done(UV, "build", "--wheel", "--out-dir", tmp_path, OURS["lincourse"], folder=tmp_path)
    assert ran.returncode != 0
    assert not list(tmp_path.glob("*.whl"))
    assert "lincourse makes the course that lies beside it" in ran.stderr
    assert "pip install -e . -e nbsame -e lincourse" in ran.stderr
