"""The instructor's guide: one source for its pages and for the speaker notes of the slides.

``source/guide/<lecture>.md``, named without the lecture's number, holds a section for each
heading of the lecture: what to say, what to ask, the answer. Minutes are counted from the
notebook. A heading that has moved to another lecture keeps its notes. In the syllabi
``{perceptron to The algorithm}`` stands for the minutes of that part.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from lincourse.check import prose
from lincourse.paths import PAGES
from lincourse.publish.claims_pages import filled
from lincourse.publish.lectures import (
    PREDICT,
    Cell,
    Lecture,
    lectures,
    minutes,
    split_at_headings,
    text_of,
)

FOLDER = PAGES / "guide"
WRONG, LATE, BOARD = "Three things students get wrong", "When you are late", "On the board"
WHOLE = (WRONG, LATE, BOARD)  # about the whole lecture; other sections are named as in the notebook
NAMED = re.compile(r"(homework|exercises?|lectures?|line) \(?\d+\)?( and \d+)?", re.IGNORECASE)
OWN_PAGES = ("index", "syllabi", "together")  # of the guide as a whole


@cache
def sources(folder: Path = FOLDER) -> dict[str, dict[str, str]]:
    """Return the guide as written: lecture, then heading, then words."""
    found = {}
    for path in sorted(folder.glob("*.md")):
        if path.stem not in OWN_PAGES:
            pieces = split_at_headings(path.read_text("utf-8"), levels=(1, 2))
            parts = (piece.partition("\n") for piece in pieces)
            found[path.stem] = {head.lstrip("# "): words.strip() for head, _, words in parts}
    return found


def notes(lecture: Lecture, heading: str) -> str:
    """Return what the guide says about a section, wherever the section used to be."""
    own = sources().get(lecture.slug, {})
    if heading in own:
        return own[heading]
    if heading in WHOLE or heading == lecture.title:
        return ""
    return next((page[heading] for page in sources().values() if heading in page), "")


def strays() -> list[str]:
    """Return the headings of the guide that no lecture has."""
    known = {text for one in lectures() for _, _, text in one.headings} | set(WHOLE)
    return [
        f"{name}: {heading}"
        for name, page in sources().items()
        for heading in page
        if heading not in known and not heading.startswith("Guide")
    ]


def unspoken(lecture: Lecture) -> list[str]:
    """Return the headings on the path of a lecture about which the guide says nothing."""
    return [
        heading
        for heading, parts in lecture.sections()
        if minutes(parts) and heading not in (lecture.title, "Exercises")
        if not notes(lecture, heading)
    ]


def unfounded(lecture: Lecture) -> list[str]:
    """Return the numbers of a lecture's guide that do not stand in the section they speak of.

    A number above twelve may stand elsewhere in the lecture, as it is written.
    """
    sections = dict(lecture.sections())
    anywhere = frozenset().union(*map(_values, sections.values()))
    return [
        f"{lecture.name}, {heading}: {prose.excerpt(number)}"
        for heading, words in sources().get(lecture.slug, {}).items()
        for number in prose.numbers(NAMED.sub("", words))
        if number.value is not None and not (number.spelt and number.value <= prose.EASY)
        if not prose.stands_in(
            number, _values(sections[heading]) if heading in sections else anywhere
        )
        if not (number.value > prose.EASY and number.value in anywhere)
    ]


def _values(parts: list[tuple[Cell, str]]) -> frozenset[float]:
    """Return the numbers of a section: written, printed or computed with."""
    found: set[float] = set()
    for cell, source in parts:
        if cell.kind == "code":
            found |= prose.values_of(cell.source, "\n".join(map(text_of, cell.outputs)))
        else:
            found |= {n.value for n in prose.numbers(source) if n.value is not None}
    return frozenset(found)


def with_minutes(text: str) -> str:
    """Return a syllabus with the minutes of the parts that are named in braces."""
    return re.sub(r"\{([^{}]+)\}", lambda found: str(round(session(found[1]))), text)


def session(named: str) -> float:
    """Return the minutes of parts of lectures, parted by semicolons.

    A part is a lecture (``perceptron``), or some of it: ``perceptron to The algorithm``, ``after``
    a heading, ``at`` or ``without`` some headings, which are parted by strokes.
    """
    return sum(_part(*[*part.strip().split(" ", 2), "", ""][:3]) for part in named.split(";"))


def _part(slug: str, how: str, rest: str) -> float:
    lecture = next((one for one in lectures() if one.slug == slug), None)
    if lecture is None:
        raise ValueError(f"syllabus: there is no lecture {slug!r}; see notebooks/.")
    spent = {heading: minutes(parts) for heading, parts in lecture.sections()}
    order, chosen = list(spent), rest.split(" / ")
    if how and not set(chosen) <= set(order):
        raise ValueError(f"syllabus: {lecture.name} has no section {rest!r}; it has {order}.")
    if how == "to":
        chosen = order[: order.index(rest) + 1]
    elif how == "after":
        chosen = order[order.index(rest) + 1 :]
    elif how != "at":
        chosen = [heading for heading in order if heading not in chosen]
    return sum(spent[heading] for heading in chosen)


def overview() -> str:
    """Return the table of all lectures: how long each is, and the homework that follows it."""
    rows = ["| lecture | minutes | homework after it |", "|---|--:|---|"]
    for one in lectures():
        time = sum(minutes(parts) for _, parts in one.sections())
        last = one.cells[-1].source
        follows = re.findall(r"homework/release/(hw\d)/", last)
        links = ", ".join(f"[{name}](/homework/{name}.md)" for name in dict.fromkeys(follows))
        rows.append(f"| [{one.title}]({one.name}.md) | {time:.0f} | {links} |")
    return "\n".join(rows)


@cache
def homes() -> dict[str, str]:
    """Where the cells with lasting names are: cell id to lecture."""
    return {cell.id: one.name for one in lectures() for cell in one.cells if cell.claim}


def cell_links(text: str, lecture: Lecture, link: Callable[[str, str], str]) -> str:
    """Replace ``[words](cell:id)`` by whatever ``link(address, words)`` makes of it."""
    here = {cell.id for cell in lecture.cells}

    def mend(found: re.Match[str]) -> str:
        words, id = found.groups()
        home = lecture.name if id in here else homes().get(id, "")
        return link(f"{home}.html#{id}", words) if home else words

    return re.sub(r"\[([^\]]+)\]\(cell:([\w-]+)\)", mend, text)


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
                "spent": spent(minutes(cells)),
                "so_far": round(so_far),
                "figures": sum(len(lecture.figures(cell)) for cell, _ in path),
                "predictions": sum(len(PREDICT.findall(text)) for _, text in path),
                "words": notes(lecture, heading),
            }
        )
    whole = {heading: notes(lecture, heading) for heading in WHOLE}
    text = filled("teaching.md.jinja", lecture=lecture, parts=parts, whole=whole)
    return cell_links(text, lecture, lambda to, words: f'<a href="../lectures/{to}">{words}</a>')


def spent(time: float) -> str:
    """Return minutes in words.

    >>> spent(0.4), spent(1.2), spent(7.6)
    ('Under a minute', '1 minute', '8 minutes')
    """
    whole = round(time)
    return "Under a minute" if not whole else f"{whole} minute{'s' * (whole > 1)}"
