"""Where things lie in a checkout of the course."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"
HOMEWORK = NOTEBOOKS / "homework"
BUILD = ROOT / "build"
PAGES = ROOT / "lincourse" / "publish" / "source"  # what is written for the site alone
