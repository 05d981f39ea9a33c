"""The picture of the README: the line explorer while somebody drags its line, as a GIF."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from io import BytesIO

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

from lincourse.files import put
from lincourse.paths import PAGES
from linlib.explorers import LineExplorer
from linlib.notebook import plotting

PATH = PAGES / "static" / "drag.gif"
FIRST = np.array([[34.0, 21.0], [57.0, 21.0]])
LAST = np.array([[33.0, 14.0], [57.0, 20.5]])
FRAMES, WAIT, HOLD = 14, 120, 1800  # how many; milliseconds of each, and of the last


def frames() -> list[Image.Image]:
    """Return the pictures, each with how many are wrong."""
    explorer, shown = LineExplorer(), []
    for share in np.linspace(0.0, 1.0, FRAMES):
        for name, at in zip(("from", "to"), FIRST + share * (LAST - FIRST), strict=True):
            explorer.move(name, *at)
        figure = explorer.still()
        count = len(explorer.wrong)
        words = f"{count} of {len(explorer.y)} penguins are on the wrong side"
        figure.supxlabel(
            words if count else "Nobody is on the wrong side.", fontsize=15, style="normal"
        )
        figure.set_dpi(66)
        plotting.save(figure, file := BytesIO())
        plt.close(figure)
        picture = Image.open(file).convert("RGB")
        shown.append(picture.resize((560, round(560 * picture.height / picture.width))))
    return shown


def gif() -> bytes:
    """Return the animation; all pictures share the colours of the one in the middle."""
    pictures = frames()
    colours = pictures[FRAMES // 2].quantize(64)
    none = Image.Dither.NONE
    first, *rest = (one.quantize(palette=colours, dither=none) for one in pictures)
    file = BytesIO()
    waits = [HOLD // 2] + [WAIT] * (FRAMES - 2) + [HOLD]
    first.save(file, "GIF", save_all=True, append_images=rest, duration=waits, loop=0)
    return file.getvalue()


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw it again."""
    argparse.ArgumentParser(description=__doc__).parse_args(arguments)
    put(PATH, gif())
    print(f"{PATH.name}: {PATH.stat().st_size / 1000:.0f} kB")
