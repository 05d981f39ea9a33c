"""Loaded before all other plugins, by ``-p tests.early``: what makes every process cheaper.

``pytest`` alone checks everything: three workers, every notebook, slow tests too. ``pytest PATH``
checks only that, at once and in this process: notebooks are validated strictly if PATH holds
notebooks, and otherwise tests marked slow are left out, unless they are named or ``-m`` is given.
"""

import os
from pathlib import Path

import pytest

from lincourse import garbage

# Tests run side by side already: threads within one product would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
garbage.seldom()

WORKERS = ["-n", "3", "--dist", "loadfile", "--no-loadscope-reorder"]
NOTEBOOKS = ["--nbval", "--strict-notebooks", "--nbval-cell-timeout=60"]


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    known = early_config.known_args_namespace
    paths = [Path(name.partition("::")[0]) for name in known.file_or_dir]
    if not paths:
        args[:0] = WORKERS
    if not paths or any(map(holds_notebooks, paths)) or "--text-only" in args:
        early_config.pluginmanager.consider_pluginarg("nbval")
        args[:0] = NOTEBOOKS
    elif not known.markexpr and not any("::" in name for name in known.file_or_dir):
        args[:0] = ["-m", "not slow"]


def holds_notebooks(path: Path) -> bool:
    return path.suffix == ".ipynb" or (path.is_dir() and any(path.rglob("*.ipynb")))
