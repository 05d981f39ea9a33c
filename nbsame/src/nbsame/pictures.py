"""Two renderings of one picture: how they differ, and one to look at that shows it."""

from __future__ import annotations

import base64
import functools
import io

from PIL import Image, ImageChops

# Two renderings count as the same while at most PIXELS_ALLOWED pixels differ by more than
# CHANNEL_STEP of the full range in any channel. Between processors thousands of pixels of a
# transparent area differ by up to 5 %, none by more; the least change of a tick label, a full stop
# made a comma, changes some ten pixels by far more.
CHANNEL_STEP = 0.10
PIXELS_ALLOWED = 2
GAP = 8  # pixels between pictures side by side


def decoded(picture: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGBA")


def difference(stored: str, fresh: str) -> str | None:
    """Return how two base64 pictures differ, in a phrase, or None if they look the same."""
    if stored.split() == fresh.split():
        return None
    try:
        old, new = decoded(stored), decoded(fresh)
    except (OSError, ValueError):
        return "cannot be read as a picture"
    if old.size != new.size:
        return "now {} × {} pixels, stored {} × {}".format(*new.size, *old.size)
    levels = worst_channel(old, new).histogram()
    pixels = sum(levels[int(255 * CHANNEL_STEP) + 1 :])
    if pixels <= PIXELS_ALLOWED:
        return None
    share = pixels / (old.width * old.height)
    largest = max(level for level, count in enumerate(levels) if count) / 255
    return (
        f"{pixels} pixels ({share:.2%}) differ by more than {CHANNEL_STEP:.0%} "
        f"({PIXELS_ALLOWED} may), the largest difference is {largest:.0%}"
    )


def worst_channel(old: Image.Image, new: Image.Image) -> Image.Image:
    """Return as grey levels by how much each pixel differs in its worst channel."""
    return functools.reduce(ImageChops.lighter, ImageChops.difference(old, new).split())


def side_by_side(stored: str, fresh: str) -> Image.Image | None:
    """Return the stored picture, the fresh one and, dark on white, where they differ."""
    try:
        old, new = decoded(stored), decoded(fresh)
    except (OSError, ValueError):
        return None
    parts = [old, new]
    if old.size == new.size:
        parts.append(ImageChops.invert(worst_channel(old, new)).convert("RGBA"))
    width = sum(part.width + GAP for part in parts) - GAP
    sheet = Image.new("RGBA", (width, max(part.height for part in parts)), "white")
    left = 0
    for part in parts:
        sheet.alpha_composite(part, (left, 0))
        left += part.width + GAP
    return sheet
