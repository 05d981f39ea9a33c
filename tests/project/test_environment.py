"""`environment.yml`, for conda and Binder, is enough to run a lecture and to validate it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]
DEPENDENCIES = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))["dependencies"]
BUILT_ON = ("jupyterlab", "numpy", "matplotlib", "ipywidgets", "nbval", "pytest")
LECTURE = "notebooks/02-perceptron.ipynb"

Command = list[str | Path]


def test_conda_brings_a_python_that_the_project_admits() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found = re.fullmatch(r"python=(\d+\.\d+)", DEPENDENCIES[0])
    assert found, f"pin a Python release, such as python=3.12, not {DEPENDENCIES[0]!r}"
    assert SpecifierSet(project["requires-python"]).contains(found[1])


def ran(command: Command, folder: Path) -> str:
    """Run a command as a person who has nothing of ours would; return what it prints."""
    ours = ("PYTEST", "PYTHON", "MPL", "VIRTUAL_ENV", "CI")
    outer = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    done = subprocess.run(
        command, cwd=folder, env=outer, capture_output=True, text=True, check=False
    )
    if done.returncode:
        words = " ".join(map(str, command))
        pytest.fail(f"{words}:\n{done.stdout[-3000:]}{done.stderr[-1000:]}", pytrace=False)
    return done.stdout


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install what conda lets pip install, in a copy of the course; return where programs are."""
    course = tmp_path_factory.mktemp("reader") / "course"
    ours = shutil.ignore_patterns(".*", "build", "dist", "graded", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT, course, ignore=ours)
    uv = Path(sys.executable).with_name("uv")
    ran([uv, "venv", "--quiet", "--python", sys.executable, "env"], course)
    env = course / "env"
    programs = env / ("Scripts" if os.name == "nt" else "bin")
    (by_pip,) = (part["pip"] for part in DEPENDENCIES if isinstance(part, dict))
    wanted = [word for line in by_pip for word in line.split()]
    ran([uv, "pip", "install", "--quiet", "--python", env, *wanted], course)
    return programs


@pytest.mark.slow
def test_what_the_course_is_built_on_is_there(programs: Path) -> None:
    look = "from importlib.util import find_spec\n"
    look += f"print(*(name for name in {BUILT_ON} if not find_spec(name)))"
    lacking = ran([programs / "python", "-c", look], programs).split()
    assert lacking == [], "environment.yml does not install these"


@pytest.mark.slow
def test_a_reader_validates_a_lecture_by_stock_nbval(programs: Path) -> None:
    said = ran([programs / "pytest", "--nbval", LECTURE], programs.parents[1])
    cells = nbformat.read(ROOT / LECTURE, as_version=4).cells
    assert f"{sum(cell.cell_type == 'code' for cell in cells)} passed" in said
