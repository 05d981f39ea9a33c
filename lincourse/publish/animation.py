"""The picture of the README: the line explorer while somebody drags its line, as a GIF."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from io import BytesIO

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

from lincourse.paths import PAGES
from linlib.explorers import LineExplorer

PATH = PAGES / "static" / "drag.gif"
FIRST = np.array([[34.0, 21.0], [57.0, 21.0]])
LAST = np.array([[33.0, 14.0], [57.0, 20.5]])
WAITS = [900] + [120] * 12 + [1800]  # milliseconds of each picture


def frames() -> list[Image.Image]:
    """Return the pictures, each with how many are wrong."""
    explorer, shown = LineExplorer(), []
    for share in np.linspace(0.0, 1.0, len(WAITS)):
        for name, at in zip(("from", "to"), FIRST + share * (LAST - FIRST), strict=True):
            explorer.move(name, *at)
        figure = explorer.still()
        words = f"{len(explorer.wrong)} of {len(explorer.y)} penguins are on the wrong side"
        figure.supxlabel(words, fontsize=15, style="normal")
        figure.savefig(file := BytesIO(), dpi=84)
        plt.close(figure)
        shown.append(Image.open(file).convert("RGB"))
    return shown


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw it again; all pictures share the colours of the first."""
    argparse.ArgumentParser(description=__doc__).parse_args(arguments)
    shown = frames()
    colours = shown[0].quantize(64)
    first, *rest = (one.quantize(palette=colours, dither=Image.Dither.NONE) for one in shown)
    first.save(PATH, save_all=True, append_images=rest, duration=WAITS, loop=0)
    print(f"{PATH.name}: {PATH.stat().st_size / 1000:.0f} kB")
