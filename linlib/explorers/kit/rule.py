"""A rule: what of a picture follows from where its handles are, so that the browser can draw it.

Where a line goes through two handles, or stands at right angles to an arrow whose tip is one, no
fit is needed to know where it is. A panel that says so is drawn again under the finger: at once,
without waiting for Python, and before Python has come to a page at all. ``rule.js`` carries it out;
the scene that Python then sends takes the place of what the rule drew, and must look the same.

The looks and the words of a rule come from the code that draws the picture and writes the sentence.
A sentence has slots in place of numbers: ``{wrong}`` for how many are wrong, or ``{score}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, is_dataclass
from typing import TYPE_CHECKING, Any

from linlib.explorers.kit.sentences import pieces

if TYPE_CHECKING:
    from linlib.explorers.kit.scene import Drawable, Places


class Slots(dict[str, str]):
    """Every number of a sentence as a slot to be filled.

    >>> Slots()["wrong"]
    '{wrong}'
    """

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


@dataclass(kw_only=True)
class Through:
    """A line through two handles."""

    handles: Sequence[str]


@dataclass(kw_only=True)
class Normal:
    """A line at right angles to w, whose tip is a handle; ``offset`` is a handle on the line.

    ``w0`` stays as it is until the offset's handle is moved. That handle sits ``aside`` of w.
    """

    tip: str
    w0: float
    offset: str
    aside: float


@dataclass(kw_only=True)
class Counted:
    """Points that are on the wrong side of the line, or on it: ringed, and counted.

    ``shown`` has the name of each label's marks in the picture, ``others`` has points that are not
    drawn. The positive side is the one that gets more of those shown right.

    Slots: ``wrong``, ``wrong+1`` and ``wrong-1`` of one label, ``missed`` of the others.
    """

    shown: Mapping[int, str]
    ring: Drawable
    others: Mapping[int, Places] = field(default_factory=dict)


@dataclass(kw_only=True)
class Measured:
    """A handle ``point`` whose place is measured: how it looks, and which side it is on, in words.

    Slots: ``w``, ``w0``, ``shift``, ``point``, ``side``, ``score``, ``distance``, ``foot`` and
    ``angle``.
    """

    point: str
    looks: Mapping[int, Sequence[str]]  # marker and colour, by the side
    sides: Mapping[int, str]


@dataclass
class Rule:
    """How a panel's line follows its handles, and what else follows from the line.

    ``bound`` ties drawables, by name, to places: "origin", "normal" (the tip of w), "base" (of the
    line, nearest the origin), "point" and "foot". ``waits`` names what is left to Python.

    ``says`` has the sentence of each case: "no line"; "0", "1" or "many" wrong points; "line", or
    "outside" where the line does not pass through the picture. Without it the sentence stays.
    """

    how: Through | Normal
    line: Drawable
    _: KW_ONLY
    sides: Mapping[int, Drawable] = field(default_factory=dict)
    counted: Counted | None = None
    measured: Measured | None = None
    bound: Mapping[str, Sequence[str]] = field(default_factory=dict)
    waits: Sequence[str] = ()
    says: Mapping[str, str] = field(default_factory=dict)

    def plain(self) -> Any:
        """Return the rule as the browser reads it."""
        return _json(
            {
                type(self.how).__name__.lower(): self.how,
                "line": self.line.plain(),
                "sides": {sign: side.plain() for sign, side in self.sides.items()},
                "counted": self.counted
                and vars(self.counted) | {"ring": self.counted.ring.plain()},
                "measured": self.measured,
                "bound": self.bound,
                "waits": self.waits,
                "says": {case: pieces(words) for case, words in self.says.items()},
            }
        )


def _json(thing: Any) -> Any:
    """Return what JSON would make of a thing: names as keys, lists, and records as their parts."""
    if is_dataclass(thing):
        return _json(vars(thing))
    if isinstance(thing, Mapping):
        return {str(name): _json(part) for name, part in thing.items()}
    if isinstance(thing, list | tuple):
        return [_json(part) for part in thing]
    return thing
