"""The findings as Markdown."""

import math

import numpy as np

from bench.contest import LINLIB, RIVALS, Part, Row

HOW = (
    "Every cell but linlib's own says how many times longer the peer takes: the median over "
    "interleaved turns, the quartiles in brackets. Above 1 linlib is faster. ≈ marks a peer too "
    "slow to run in full: a slice of the same work was timed and scaled."
)


def written(parts: dict[str, tuple[str, Part]], machine: str) -> str:
    """Return the whole report."""
    rows = [row for _, part in parts.values() for row in part.rows]
    lines = ["# How fast linlib is", "", "Written by `make bench`.", "", machine, ""]
    if rows:
        lines += [*summary(rows), "", HOW, ""]
    for title, part in parts.values():
        lines += [f"## {title}", ""]
        lines += [part.note, ""] if part.note else []
        lines += [*table(part.rows), ""] if part.rows else []
        lines += [part.markdown.strip(), ""] if part.markdown else []
    return "\n".join(lines).rstrip() + "\n"


def summary(rows: list[Row]) -> list[str]:
    """Return the geometric mean over all rows, the worst of them, and those that fall short."""
    lines = []
    for peer in dict.fromkeys(name for row in rows for name in row.seconds if name != LINLIB):
        medians = {row.task: row.ratio(peer)[1] for row in rows if peer in row.seconds}
        mean = math.exp(float(np.mean(np.log(list(medians.values())))))
        worst = min(medians, key=lambda task: medians[task])
        lines.append(
            f"- {peer}: geometric mean {figure(mean)} over {len(medians)} rows, "
            f"worst {figure(medians[worst])} ({worst})"
        )
    pairs = [(row, peer) for row in rows for peer in RIVALS if peer in row.seconds]
    short = [(row, peer) for row, peer in pairs if row.ratio(peer)[1] < 1]
    lines += ["", "Slower than its rival:" if short else "No row is slower than its rival.", ""]
    for row, peer in short:
        because = f": {row.reason}" if row.reason else ""
        lines.append(f"- {row.task}: {figure(row.ratio(peer)[1])} of {peer}'s speed{because}.")
    return ["## Summary", "", *lines]


def table(rows: list[Row]) -> list[str]:
    """Return the rows as a table with one column for each peer that occurs."""
    peers = list(dict.fromkeys(name for row in rows for name in row.seconds if name != LINLIB))
    lines = ["| task | linlib | " + " | ".join(peers) + " | |", "|---" * (len(peers) + 3) + "|"]
    for row in rows:
        cells = [_cell(row, peer) for peer in peers]
        own = duration(float(np.median(row.seconds[LINLIB])))
        lines.append(f"| {row.task} | {own} | " + " | ".join(cells) + f" | {row.note} |")
    return lines


def _cell(row: Row, peer: str) -> str:
    if peer not in row.seconds:
        return "–"
    low, middle, high = map(figure, row.ratio(peer))
    return f"{'≈ ' if peer in row.sliced else ''}{middle} [{low}–{high}]"


def figure(value: float) -> str:
    """Return two significant digits, no exponent."""
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def duration(seconds: float) -> str:
    """Return a time in milliseconds."""
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.2f} s"
