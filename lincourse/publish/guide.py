"""The instructor's guide: one source for its pages and for the speaker notes of the slides.

``source/guide/<lecture>.md``, named without the lecture's number, holds a section for each
heading of the lecture: what to say, what to ask, the answer. Minutes are counted from the
notebook. In the syllabi ``{perceptron to The algorithm}`` stands for the minutes of that part.
"""

from __future__ import annotations

import re
from functools import cache

from lincourse.paths import PAGES
from lincourse.publish.claims_pages import filled
from lincourse.publish.lectures import Lecture, lectures, minutes, split_at_headings

FOLDER = PAGES / "guide"
WRONG, LATE, BOARD = "Three things students get wrong", "When you are late", "On the board"
WHOLE = (WRONG, LATE, BOARD)  # about the whole lecture; other sections are named as in the notebook


@cache
def sources() -> dict[str, dict[str, str]]:
    """Return the guide as written: lecture, then heading, then words."""
    found = {}
    for one in lectures():
        source = (FOLDER / f"{one.slug}.md").read_text("utf-8")
        parts = (piece.partition("\n") for piece in split_at_headings(source, levels=(1, 2)))
        found[one.slug] = {head.lstrip("# "): words.strip() for head, _, words in parts}
    return found


def notes(lecture: Lecture, heading: str) -> str:
    """Return what the guide says about a section, nothing if it says nothing."""
    return sources().get(lecture.slug, {}).get(heading, "")


def with_minutes(text: str) -> str:
    """Return a syllabus with the minutes of the parts that are named in braces."""
    return re.sub(r"\{([^{}]+)\}", lambda found: str(round(session(found[1]))), text)


def session(named: str) -> float:
    """Return the minutes of parts of lectures, parted by semicolons.

    A part is a lecture (``perceptron``), or some of it: ``perceptron to The algorithm``, ``after``
    a heading, ``at`` or ``without`` some headings, which are parted by strokes.
    """
    total = 0.0
    for part in named.split(";"):
        slug, how, rest = [*part.strip().split(" ", 2), "", ""][:3]
        spent = {
            heading: minutes(parts)
            for one in lectures()
            for heading, parts in (one.sections() if one.slug == slug else ())
        }
        order, chosen = list(spent), rest.split(" / ")
        if not order or (how and not set(chosen) <= set(order)):
            raise ValueError(f"syllabus: there is no {part.strip()!r}; {slug} has {order}.")
        if how in ("to", "after"):
            cut = order.index(rest) + 1
            chosen = order[:cut] if how == "to" else order[cut:]
        elif how != "at":
            chosen = [heading for heading in order if heading not in chosen]
        total += sum(spent[heading] for heading in chosen)
    return total


def page(lecture: Lecture) -> str:
    """Return the guide's page for a lecture."""
    parts, so_far = [], 0.0
    for heading, cells in lecture.sections():
        path = [(cell, text) for cell, text in cells if cell.slide != "skip"]
        so_far += minutes(cells)
        parts.append(
            {
                "name": "Opening" if heading == lecture.title else heading,
                "minutes": round(minutes(cells)),
                "so_far": round(so_far),
                "figures": sum(len(lecture.figures(cell)) for cell, _ in path),
                "predictions": sum("predict" in cell.tags for cell, _ in path),
                "words": notes(lecture, heading),
            }
        )
    whole = {heading: notes(lecture, heading) for heading in WHOLE}
    return filled("guide/lecture.md.jinja", lecture=lecture, parts=parts, whole=whole)
