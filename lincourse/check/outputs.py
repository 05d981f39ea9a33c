"""What is in a notebook, and how outputs are compared: text exactly, figures by pixel and word."""

from __future__ import annotations

import base64
import difflib
import functools
import io
import itertools
import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import nbformat.v4
from nbformat import NotebookNode
from PIL import Image, ImageChops

# Two renderings of one figure count as the same while at most PIXELS_ALLOWED pixels differ by more
# than CHANNEL_STEP of the full range in any channel. Between processors thousands of pixels of a
# transparent area differ by up to 5 %, none by more; the least change of a tick label, a full stop
# made a comma, changes some ten pixels by far more.
CHANNEL_STEP = 0.10
PIXELS_ALLOWED = 2

NOT_COLLECTED = {".ipynb_checkpoints", "release"}  # copies, and templates without outputs
PNG = "image/png"
WIDGET = "application/vnd.jupyter.widget-view+json"


# ---------------------------------------------------------------- what is in a notebook


def read(path: Path) -> NotebookNode:
    """Read a notebook as it is, without mending what is wrong with it."""
    notebook: NotebookNode = nbformat.v4.reads(path.read_text(encoding="utf-8"))
    return notebook


def tags(cell: NotebookNode) -> list[str]:
    return list(cell.metadata.get("tags", []))


def runs(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and bool(cell.source.strip())


def merged(outputs: Iterable[NotebookNode]) -> list[NotebookNode]:
    """Join neighbouring writes to one stream: where they are split depends on timing."""
    result: list[NotebookNode] = []
    for output in outputs:
        output = NotebookNode(output)  # a copy, so that joining leaves the notebook as it is
        last = result[-1] if result else None
        if last and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
        else:
            result.append(output)
    return result


def kind(output: NotebookNode) -> str:
    """Return what a reader would call this output, e.g. ``stdout`` or ``display of image/png``."""
    if output.output_type == "stream":
        return str(output.name)
    if output.output_type == "error":
        return "error"
    role = "result" if output.output_type == "execute_result" else "display"
    return f"{role} of {' + '.join(sorted(set(output.data) - live_view(output)))}"


def live_view(output: NotebookNode) -> set[str]:
    """Return the live view of an explorer, if its still picture lies beside it.

    It needs a running kernel. Without one JupyterLab shows an error in its place and hides the
    picture, so that a notebook stores the picture alone, and a run has both.
    """
    return {WIDGET} & set(output.get("data", {})) if has_figure(output) else set()


def has_figure(output: NotebookNode) -> bool:
    return PNG in output.get("data", {})


def alt_text(output: NotebookNode) -> str:
    return str(output.get("metadata", {}).get(PNG, {}).get("alt", "")).strip()


def words(output: NotebookNode) -> list[str]:
    """Return the titles, labels, ticks and notes of a figure in the order they were drawn."""
    texts: str = output.get("metadata", {}).get(PNG, {}).get("texts", "")
    return texts.split(" · ")


def other_metadata(output: NotebookNode) -> dict[str, object]:
    """Return what a reader is not shown: all metadata but the figure's alt text and words."""
    metadata: dict[str, Any] = output.get("metadata", {})
    return metadata | {PNG: metadata.get(PNG, {}) | {"alt": "", "texts": ""}}


# ---------------------------------------------------------------- comparing outputs


def decoded(figure: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(figure))).convert("RGBA")


def figure_difference(stored: str, fresh: str) -> tuple[str, dict[str, Image.Image]] | None:
    """Compare two base64 PNGs; return a sentence and pictures to look at, or None."""
    if stored.split() == fresh.split():
        return None
    try:
        old, new = decoded(stored), decoded(fresh)
    except (OSError, ValueError):
        return "cannot be read as a PNG", {}
    pictures = {"stored": old, "fresh": new}
    if old.size != new.size:
        return "is now {} × {} pixels, stored are {} × {}".format(*new.size, *old.size), pictures
    channels = ImageChops.difference(old, new).split()
    change = functools.reduce(ImageChops.lighter, channels)  # each pixel's worst channel
    pixels = sum(change.histogram()[int(255 * CHANNEL_STEP) + 1 :])
    if pixels <= PIXELS_ALLOWED:
        return None
    largest = max(level for level, count in enumerate(change.histogram()) if count)
    sentence = (
        f"differs in {pixels} pixels by more than {CHANNEL_STEP:.0%} ({PIXELS_ALLOWED} may), "
        f"the largest difference is {largest / 255:.0%}"
    )
    return sentence, pictures | {"difference": ImageChops.invert(change)}


def output_differences(
    stored: NotebookNode, fresh: NotebookNode, *, pixels: bool = True
) -> list[str]:
    """Return a phrase for each way in which two outputs differ; none if they are the same."""
    if kind(stored) != kind(fresh):
        return [f"is now {kind(fresh)}, stored is {kind(stored)}"]
    if "data" not in stored:
        same = all(stored.get(key) == fresh.get(key) for key in ("text", "ename", "evalue"))
        return [] if same else [f"({kind(stored)}) has other text"]
    found = []
    for mime in stored.data:
        if mime == PNG:
            change = figure_difference(stored.data[PNG], fresh.data[PNG]) if pixels else None
            found += [change[0]] if change else []
        elif mime != WIDGET and stored.data[mime] != fresh.data[mime]:  # a view's id is random
            found.append(f"has other {mime}")
    if alt_text(stored) != alt_text(fresh):
        found.append("has another alt text")
    if pixels and words(stored) != words(fresh):
        pairs = itertools.zip_longest(words(fresh), words(stored))
        now, then = next((new, old) for new, old in pairs if new != old)
        found.append(f"says {now!r} where {then!r} is stored")
    if other_metadata(stored) != other_metadata(fresh):
        found.append("has other metadata")
    return found


def difference_of_runs(
    stored: Sequence[NotebookNode], fresh: Sequence[NotebookNode], *, pixels: bool = True
) -> list[str]:
    """Return a sentence for each way in which a cell's fresh outputs are not the stored ones."""
    if any(kind(output) == "stderr" for output in fresh):
        return ["the cell writes to stderr: cure the cause of that message."]
    if len(stored) != len(fresh):
        now, then = (", ".join(map(kind, outputs)) or "none" for outputs in (fresh, stored))
        return [f"there are {len(fresh)} outputs ({now}), stored are {len(stored)} ({then})."]
    found, figure = [], 0
    for k, (old, new) in enumerate(zip(stored, fresh, strict=True), start=1):
        figure += has_figure(new)
        name = f"figure {figure}" if has_figure(new) else f"output {k}"
        found += [f"{name} {change}." for change in output_differences(old, new, pixels=pixels)]
    return found


def keep_stored(
    stored: Sequence[NotebookNode], fresh: Sequence[NotebookNode]
) -> list[NotebookNode]:
    """Return the fresh outputs, but a stored one wherever the two count as the same."""
    return [
        old if old and not output_differences(old, new) else new
        for old, new in itertools.zip_longest(stored[: len(fresh)], fresh)
    ]


# ---------------------------------------------------------------- showing a difference


def comparison(stored: Sequence[NotebookNode], fresh: Sequence[NotebookNode]) -> str:
    """Show how two lists of outputs differ, with marks below the signs that do."""
    old, new = rendered(stored), rendered(fresh)
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    equal = sum(1 for _ in same)
    part = slice(max(0, equal - 6), equal + 18)
    lines = (line.rstrip("\n") for line in difflib.ndiff(old[part], new[part]))
    return "\n".join(["- stored", "+ fresh", "", *lines])


def rendered(outputs: Iterable[NotebookNode]) -> list[str]:
    """Return outputs as lines of text: a figure as its words, every element of HTML on a line."""
    lines = []
    for output in outputs:
        lines.append(f"[{kind(output)}]")
        if output.output_type == "error":
            lines.append(f"{output.ename}: {output.evalue}")
        lines += output.text.split("\n") if "text" in output else []
        for mime, content in sorted(output.get("data", {}).items()):
            if mime == PNG:
                lines += [f"alt: {alt_text(output)}", *words(output)]
            elif mime == "text/html":
                lines += re.sub(r"\s*<(?!/)", "\n<", content).split("\n")
            elif mime != WIDGET:
                lines += (content if isinstance(content, str) else json.dumps(content)).split("\n")
    return lines


# ---------------------------------------------------------------- files beside a notebook


def files_beside(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of the files in and below a folder, hidden ones and caches left out."""
    found = {}
    for here, folders, names in os.walk(folder):
        inside = [] if "pyvenv.cfg" in names else folders
        folders[:] = [name for name in inside if name[0] != "." and name != "__pycache__"]
        for path in (Path(here, name) for name in names if name[0] != "."):
            if path.is_file():
                state = path.stat()
                found[str(path.relative_to(folder))] = (state.st_size, state.st_mtime_ns)
    return found


def changed_files(before: dict[str, tuple[int, int]], folder: Path) -> list[str]:
    """Return a sentence for each file that was added, changed or removed since."""
    after = files_beside(folder)
    return [
        f"the run {'changes' if name in before and name in after else 'adds or removes'} the file "
        f"{name!r} beside the notebook: write to a temporary folder."
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]
