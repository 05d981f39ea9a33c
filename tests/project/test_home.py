"""The repository itself: two commands, one order of imports, nothing of this machine."""

import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import linlib
from lincourse import cli, lab
from lincourse.programs import NAMES

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def text(name):
    return (ROOT / name).read_text("utf-8")


# --- imports point one way ---------------------------------------------------------------------

# Each folder imports only from itself and from those before it.
ABOVE = [
    *(
        "base",
        "solvers",
        "formal",
        "derivations",
        "data",
        "perceptron",
        "descent",
        "margins",
        "discriminants",
    ),
    *("logistic_regression", "multiclass"),
]
BELOW = ["notebook", "explorers", "sklearn"]  # not loaded by import linlib
ORDER = ABOVE + BELOW


def module_of(path):
    """Return the first part of a module's name inside linlib."""
    return path.relative_to(ROOT / "linlib").with_suffix("").parts[0]


FILES = sorted((ROOT / "linlib").rglob("*.py"))
MODULES = {module_of(path) for path in FILES} - {"__init__"}


def imported(path):
    """Return the folders of linlib that a file imports anywhere, the package itself as ''."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            source = ".".join(["linlib"] * bool(node.level) + [node.module] * bool(node.module))
            whole = source == "linlib"
            names = [f"linlib.{alias.name}" for alias in node.names] if whole else [source]
        else:
            continue
        parts = [name.split(".") for name in names]
        inside = [rest[0] if rest else "" for first, *rest in parts if first == "linlib"]
        found |= {name if name in MODULES else "" for name in inside}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_imports_one_below_it(path):
    name = module_of(path)
    assert name in ("__init__", *ORDER), "give the new module its place in the order above"
    allowed = ABOVE if name == "__init__" else ORDER[: ORDER.index(name) + 1]
    if name in BELOW:
        allowed = [*allowed, ""]  # these may also say: from linlib import pla
    wrong = imported(path) - set(allowed)
    assert not wrong, f"{name} must not import {wrong}: imports point from bottom to top"


def test_the_library_and_the_notebooks_import_nothing_that_windows_lacks():
    posix = re.compile(r"\b(import|from) +(fcntl|grp|pwd|resource|termios)\b|\bos\.(fork|getuid)\b")
    found = [path for path in FILES if posix.search(path.read_text("utf-8"))]
    books = [
        *(ROOT / "notebooks").glob("*.ipynb"),
        *(ROOT / "notebooks/homework").rglob("hw*.ipynb"),
    ]
    assert found + [book for book in books if posix.search(book.read_text("utf-8"))] == []


def modules_after(statement):
    """Return the modules that a statement adds to a fresh interpreter that has NumPy."""
    lines = ["import sys, numpy.random", "old = set(sys.modules)", statement]
    code = "\n".join([*lines, "print(*set(sys.modules) - old)"])
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_import_linlib_imports_numpy_and_nothing_below_the_line():
    new = modules_after("import linlib")
    packages = {name.partition(".")[0] for name in new}
    assert packages - set(sys.stdlib_module_names) - {"numpy"} == {"linlib"}
    assert new.isdisjoint(f"linlib.{name}" for name in BELOW)


def test_explorers_load_matplotlib_for_a_still_picture_only():
    start = "from linlib import explorers; one = explorers.PerceptronExplorer(); one.step()"
    drawing = {"matplotlib", "linlib.notebook.plotting"}
    assert modules_after("import linlib.explorers").isdisjoint({*drawing, "scipy"})
    assert modules_after(start).isdisjoint(drawing)
    assert modules_after(f"{start}; one.still()") >= drawing


def test_one_module_of_the_explorers_knows_the_widgets():
    folder = ROOT / "linlib" / "explorers"
    found = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [getattr(node, "module", node.names[0].name)]
        if name.partition(".")[0] in ("ipywidgets", "anywidget", "traitlets", "IPython")
    }
    assert found == {"kit/controls.py"}


# --- public names ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", linlib.__all__)
def test_a_public_name_exists_and_says_what_it_is(name):
    thing = getattr(linlib, name)
    if inspect.isroutine(thing) or inspect.isclass(thing) or inspect.ismodule(thing):
        generated = f"{name}("  # what @dataclass and NamedTuple write where nothing is said
        assert (thing.__doc__ or generated).startswith(generated) is False, f"{name}: no docstring"


def test_the_version_is_that_of_pyproject():
    assert linlib.__version__ == PROJECT["version"]


# --- nothing of this machine -------------------------------------------------------------------


def files_of_the_repository():
    """Return all files that are, or are about to be, in the repository."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a git checkout")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for name in set(listed.split("\0")) if name and (path := ROOT / name).is_file()]


def places(pattern):
    """Return file and line of every occurrence, in files of any kind."""
    found = []
    for path in files_of_the_repository():
        for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
            if re.search(pattern.encode(), line):
                found.append(f"{path.relative_to(ROOT)}:{number}")
    return found


def test_no_file_names_a_directory_of_this_machine():
    assert places(r"(?<![\w.])/(work|root|home(?!/student\b)|Users)/") == []


def test_no_file_names_a_package_registry():
    hosts = "|".join(["pypi[.]org", "pythonhosted[.]org", "anaconda[.]org", "npmjs[.]org"])
    assert places(rf"({hosts})|://[^\s\"']+/simple\b") == []


# --- the two commands --------------------------------------------------------------------------


def make(*arguments):
    """Return what make prints, as if it were called from a plain shell."""
    if not shutil.which("make"):
        pytest.skip("make is not installed")
    plain = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    command = ["make", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=plain, capture_output=True, text=True, check=True
    ).stdout


def test_make_alone_lists_the_targets():
    listed = make()
    for target in ("lab", "test", "quick", "refresh", "homework", "grade", "lock"):
        assert re.search(rf"^ *make {target} +\S", listed, re.M), f"`make` must explain {target}"


def test_the_lab_listens_on_loopback_and_keeps_the_token(monkeypatch):
    started = []
    done = subprocess.CompletedProcess([], 0)
    monkeypatch.setattr(lab.subprocess, "run", lambda command, env: started.append(command) or done)
    assert cli.main(["lab", "--port", "9999"]) == 0
    words = " ".join(started[0])
    assert {"--ServerApp.ip=127.0.0.1", "--port=9999"} <= set(started[0])
    assert not re.search(r"token|password|disable_check_xsrf", words), "leave Jupyter's own token"


def test_the_lab_hands_over_what_jupyterlab_knows(monkeypatch):
    """JupyterLab refuses an option that comes twice: the reader's takes the place of ours."""
    started = []
    done = subprocess.CompletedProcess([], 0)
    monkeypatch.setattr(lab.subprocess, "run", lambda command, env: started.append(command) or done)
    assert cli.main(["lab", "--no-browser", "--ip=0.0.0.0", "--ServerApp.log_level", "ERROR"]) == 0
    (command,) = started
    assert command[-4:] == ["--no-browser", "--ip=0.0.0.0", "--ServerApp.log_level", "ERROR"]
    assert "--ServerApp.ip=127.0.0.1" not in command
    assert "--port=8888" in command


@pytest.mark.parametrize("name", [name for name in cli.COMMANDS if name != "check"])
def test_every_command_has_a_manual(name, capsys):
    with pytest.raises(SystemExit, match="0"):
        cli.main([name, "--help"])
    assert f"usage: lincourse {name} " in capsys.readouterr().out
    assert cli.main([]) == 0
    assert f"\n  {name} " in capsys.readouterr().out


def test_an_unknown_command_gets_the_list(capsys):
    assert cli.main(["nonsense"]) == 2
    assert "there is no command 'nonsense'" in capsys.readouterr().err


def test_ci_runs_the_same_command_as_a_newcomer():
    assert re.search(r"^make test$", text(".ci/run"), re.M)
    workflows = list((ROOT / ".github" / "workflows").glob("*.yml"))
    assert workflows
    assert all("run: bash .ci/run" in path.read_text("utf-8") for path in workflows)


def test_ci_runs_without_optional_programs_too():
    lines = text(".ci/run").splitlines()
    both = lines.index("make test")
    assert lines.index("export CI=true") < both
    for program in (
        name for one in ("bwrap", "chromium", "coqc") for name in NAMES.get(one, [one])
    ):
        assert any(re.match(rf"rm .*\b{program}\b", line) for line in lines[both:]), program
    assert any(line.startswith("PATH=$without ") and "-m needs" in line for line in lines[both:])


def test_ci_tries_the_newest_packages():
    jobs = yaml.safe_load(text(".github/workflows/test.yml"))["jobs"]
    commands = {name: [step.get("run") for step in job["steps"]] for name, job in jobs.items()}
    assert '.venv/bin/nox -s "newest(pre=False)"' in commands["newest"]
    assert "def newest(session" in text("noxfile.py")


@pytest.mark.slow
def test_what_make_quick_runs_can_be_collected() -> None:
    """A path that has moved would end it before anything is checked."""
    (paths,) = re.findall(r"^QUICK = (.+)$", text("Makefile"), re.M)
    outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only"]
    done = subprocess.run(
        [*command, *paths.split()], cwd=ROOT, env=outer, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-1000:]


# --- licences ----------------------------------------------------------------------------------


def test_code_text_and_data_have_their_licences():
    assert text("LICENSE").startswith("BSD 3-Clause License\n\nCopyright (c) ")
    words = " ".join(text("LICENSE-TEXT").split())
    assert "Creative Commons Attribution 4.0 International" in words
    assert "BSD 3-Clause licence in the file LICENSE" in words, "and it says what code is under"
    data = text("linlib/data/files/README.md")
    assert "[CC0 1.0]" in data
    assert "[CC BY 4.0]" in data
    assert PROJECT["license"] == "BSD-3-Clause AND CC0-1.0 AND CC-BY-4.0", "code and both data sets"
    assert PROJECT["license-files"] == ["LICENSE", "linlib/data/files/README.md"]
