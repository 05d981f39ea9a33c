"""Puts everything the image is built from into one folder, ``build/image``, and nothing else.

``python -m deploy.cluster.context`` takes the lectures and the settings of a student's server as
``make hub`` does, so that both give students the same. Solutions never come near the builder.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from deploy import setup
from deploy.settings import ROOT, Place

OURS = Path(__file__).resolve().parent
IMAGE = ROOT / "build/image"
SAME = ("requirements.lock", "pyproject.toml", "README.md", "LICENSE")
TREES = ("linlib", "lincourse/lab/data")


def make(out: Path) -> Path:
    """Make the folder anew; return it."""
    shutil.rmtree(out, ignore_errors=True)
    place = Place(out)
    for folder in (place.course, place.lectures, place.server):
        folder.mkdir(parents=True)
    setup.contents(place)
    shutil.rmtree(place.course)
    for name in SAME:
        shutil.copyfile(ROOT / name, out / name)
    for name in TREES:
        shutil.copytree(ROOT / name, out / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Dockerfile", "requirements.txt"):
        shutil.copyfile(OURS / name, out / name)
    shutil.copyfile(OURS / "dockerignore", out / ".dockerignore")
    return out


if __name__ == "__main__":
    made = make(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGE)
    print(f"{sum(path.is_file() for path in made.rglob('*'))} files in {made}")
