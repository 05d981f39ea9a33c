"""``pytest --nbval --strict-notebooks``: hold every notebook to its stored outputs.

This is the entry point that pytest loads wherever the project is installed: it names the options,
and imports nothing more unless they are given. What they do is in ``lincourse.check.items``.
"""

from __future__ import annotations

import pytest

TEXT_ONLY = "notebooks: the pixels and texts of figures are NOT compared (--text-only)"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("nbval", "Jupyter Notebook validation")
    group.addoption(
        "--strict-notebooks",
        action="store_true",
        help="with --nbval: compare every output, figures by pixel and word; cells were run in "
        "order, no assert is vacuous, every number in the text stands in a cell; with a "
        "claims.toml beside the notebooks, each claim has its cell. `lincourse refresh` stores "
        "what is compared; --nbval-lax and --nbval-sanitize-with have no effect",
    )
    group.addoption(
        "--text-only",
        action="store_true",
        help="with --strict-notebooks: compare no pixels and texts of figures, for runs with "
        "another NumPy or Matplotlib",
    )
    parser.addini("notebook_cell_lines", "most lines of a code cell (0: any number)", default="0")
    parser.addini(
        "notebook_alt_text", "fewest characters of a figure's alt text (0: none)", default="0"
    )
    parser.addini("notebook_known", "further tags that hide nothing", type="linelist")


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("strict_notebooks"):
        return
    if not config.pluginmanager.has_plugin("nbval"):
        raise pytest.UsageError("--strict-notebooks needs nbval: pip install 'linlib[check]'.")
    config.option.nbval = True
    # What is stored comes from this environment, not from one that a kernel's name may stand for.
    config.option.nbval_current_env = not config.getoption("nbval_kernel_name")

    config.addinivalue_line("markers", "slow: runs a cell of a notebook, among others")

    from lincourse.check import items

    config.pluginmanager.register(items, "strict-notebooks-items")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say at the end what was not compared."""
    if config.getoption("text_only"):
        terminalreporter.write_line(TEXT_ONLY)
