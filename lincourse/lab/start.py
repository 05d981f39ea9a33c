"""Opens the course: ``python start.py`` the lectures, ``python start.py hw1`` a homework.

The first time it makes a folder .venv and puts the packages of requirements.txt into it, which
takes some minutes and a network; later it needs none. ``--here`` uses the packages of the Python
that runs it instead, for example those of a conda environment.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENT = HERE / ".venv"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
DONE = ENVIRONMENT / "installed.txt"


def main(words: list[str]) -> int:
    """Set up what is needed, then open JupyterLab; return its exit code."""
    if sys.version_info < (3, 11):  # noqa: UP036  # a student may have any
        sys.exit(f"This course needs Python 3.11 or newer; this one is {sys.version.split()[0]}.")
    names = [word for word in words if word != "--here"]
    if len(names) > 1 or not all(
        (HERE / "notebooks/homework/release" / name).is_dir() for name in names
    ):
        sys.exit(f"Say nothing, or one homework from hw1 to hw7; got {' '.join(names)}.")
    python = sys.executable if "--here" in words else str(set_up())
    start = "import sys; from lincourse.lab import main; sys.exit(main())"
    command = [python, "-c", start, *(["--homework", *names] if names else [])]
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, cwd=HERE).returncode


def set_up() -> Path:
    """Install the packages, unless these very ones are there; return the Python that has them."""
    wanted = (HERE / "requirements.txt").read_text(encoding="utf-8")
    if not DONE.exists() or DONE.read_text(encoding="utf-8") != wanted:
        print("Installing the packages, once. This takes some minutes.", flush=True)
        venv.create(ENVIRONMENT, with_pip=True)
        install = [str(PYTHON), "-m", "pip", "install", "--quiet", "-r", "requirements.txt"]
        if subprocess.run(install, cwd=HERE).returncode:
            sys.exit("The packages could not be installed: is there a network? Then try again.")
        DONE.write_text(wanted, encoding="utf-8")
    return PYTHON


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
