"""What an explorer shows, as an immutable value: the state, what follows from it, and its changes.

A state is all that a reader has moved and chosen. It never changes: :meth:`State.update` returns
another one. Everything else, a fit, the panels, the sentence, is a function of the state. What is
expensive is :func:`computed` once, and kept by the next state while what it depends on is the same.
Going back is then a matter of keeping a list of states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np

from linlib.base import checks
from linlib.explorers.kit import scene
from linlib.explorers.kit.controls import CARD, CHIPS, Choice, Control

OWN = "your own"
Verdict = tuple[str, bool]
Plain = dict[str, Any]  # a state as JSON has it
# Of a field that the cell gives: no reader changes it, and no copy carries it.
GIVEN = {"given": True}
T = TypeVar("T")
S = TypeVar("S", bound="State")


class Challenge(NamedTuple):
    """Something to bring about; ``judge`` says how far a state is, and whether it is done."""

    goal: str
    judge: Callable[[Any], Verdict]
    progress: Callable[[Any], float] = lambda _: 0.0  # a share, until it is done


# ---- what a reader may do


@dataclass(frozen=True)
class Event:
    """Something that a reader does."""


@dataclass(frozen=True)
class Move(Event):
    """Move a handle; the place lies inside its panel and has four decimals."""

    id: str
    x: float
    y: float


@dataclass(frozen=True)
class Add(Event):
    """Add something at a place inside a panel."""

    panel: int
    x: float
    y: float


@dataclass(frozen=True)
class Relabel(Event):
    """Give what a handle stands for its next label."""

    id: str


@dataclass(frozen=True)
class Remove(Event):
    """Remove what a handle stands for."""

    id: str


@dataclass(frozen=True)
class Choose(Event):
    """Give a control a value."""

    name: str
    value: Any


@dataclass(frozen=True)
class Press(Event):
    """Press a button."""

    label: str


@dataclass(frozen=True)
class Go(Event):
    """Go to a step of a run, or to the nearest that it has."""

    k: int


# ---- what is computed


class Computed(Generic[T]):
    """A part of a state that is computed when it is first asked for; see :func:`computed`."""

    def __init__(self, function: Callable[[Any], T], of: frozenset[str]) -> None:
        self.function, self.of, self.__doc__ = function, of, function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, state: Any, owner: type | None = None) -> T:
        if state is None:
            return self  # type: ignore[return-value]
        known = vars(state)
        if self.name not in known:
            known[self.name] = self.function(state)
        found: T = known[self.name]
        return found


def computed(*of: str) -> Callable[[Callable[[Any], T]], Computed[T]]:
    """Make a method a part of the state that depends on the fields ``of`` alone.

    It is computed once, and not again for a state that differs in other fields only.
    """
    return lambda function: Computed(function, frozenset(of))


# ---- the state


@dataclass(frozen=True, kw_only=True, eq=False)
class State:
    """The base of all states; the package's docstring tells how to write one.

    A field is something that a reader moves or, under the name of a control, chooses.
    """

    name: ClassVar[str] = "Explorer"
    tasks: ClassVar[tuple[str, str]] = ("Drag a handle.", "Drag another handle.")
    presets: ClassVar[Mapping[str, Any]] = {}
    preset_label: ClassVar[str] = "Points"
    own_controls: ClassVar[Mapping[str, Control]] = {}  # besides presets and challenges
    buttons: ClassVar[tuple[scene.Button, ...]] = ()
    challenges: ClassVar[Mapping[str, Challenge]] = {}
    edits: ClassVar[bool] = False  # whether points can be added, relabelled and removed
    enlarged: ClassVar[float] = 1.0  # of the still picture: letters larger than the browser's
    restarts: ClassVar[frozenset[str]] = frozenset({"preset"})  # controls that begin a new run

    preset: str = ""
    challenge: str = ""

    # ---- what is seen

    def panels(self) -> list[scene.Panel]:
        """Return the panels of the picture."""
        raise NotImplementedError

    def time_line(self, *, playing: bool) -> scene.TimeLine | None:
        """Return where in a run the picture is, if there is a run."""
        return None

    @classmethod
    def thumbnail(cls, preset: str) -> scene.Thumbnail:
        """Return a preset as a few small marks."""
        return []

    def disabled(self) -> set[str]:
        """Return the controls that have no effect now."""
        return set()

    # ---- what may be done

    def update(self, event: Event) -> Self:
        """Return the state after an event; a ValueError says why something cannot be done."""
        match event:
            case Choose("preset", value) if value != OWN:
                return self.with_preset(value)
            case Choose(name, value):
                return self.changed(**{name: value})
            case Add():
                raise ValueError("nothing can be added here.")
            case Go():
                raise ValueError("there is no run here.")
        raise ValueError("that cannot be done here.")

    def with_preset(self, preset: str) -> Self:
        """Return the state with a preset in place of what is shown."""
        return self.changed(preset=preset)

    def changed(self, **parts: Any) -> Self:
        """Return the state with other values of some fields."""
        after = replace(self, **parts)
        for name, one in computed_parts(type(self)).items():
            if name in vars(self) and not one.of & parts.keys():
                vars(after)[name] = vars(self)[name]
        return after

    # ---- what it says

    def sentence(self) -> str:
        """Return one or two sentences that state what is seen."""
        raise NotImplementedError

    def task(self, *, moved: bool) -> str:
        """Return the one thing to do now; ``moved`` tells whether anything was done yet."""
        return self.tasks[moved]

    def python(self) -> str:
        """Return the lines of Python that compute what is seen."""
        raise NotImplementedError

    def card(self) -> scene.Card | None:
        """Return the challenge taken up, and how far the reader is."""
        if not self.challenges:
            return None
        names = list(self.challenges)
        at = names.index(self.challenge)
        challenge = self.challenges[self.challenge]
        words, done = challenge.judge(self)
        # Nearly done is not done: the bar is full only for what is certified.
        share = 1.0 if done else min(max(challenge.progress(self), 0.0), 0.95)
        after = names[at + 1] if at + 1 < len(names) else ""
        return scene.Card(challenge.goal, words, share, done, at + 1, len(names), after)

    # ---- as JSON

    def plain(self) -> Plain:
        """Return what was moved and chosen as lists, numbers and words."""
        return {name: _plain(getattr(self, name)) for name in kept(type(self))}

    def pasted(self, plain: Mapping[str, Any]) -> Self:
        """Return the state with what was moved and chosen in another one."""
        parts = {name: self.from_plain(name, plain[name]) for name in kept(type(self))}
        for name, control in controls(type(self)).items():
            parts[name] = control.checked(parts[name])
        return self.changed(**parts)

    def from_plain(self, name: str, value: Any) -> Any:
        """Return a field from its plain form."""
        now = getattr(self, name)
        if isinstance(now, np.ndarray):
            return np.array(value, dtype=now.dtype)
        return tuple(map(tuple, value)) if name == "view" else value

    def same(self, other: State) -> bool:
        """Tell whether all that was moved and chosen is the same."""
        if self is other:
            return True
        pairs = ((getattr(self, name), getattr(other, name)) for name in kept(type(self)))
        return all(_equal(mine, theirs) for mine, theirs in pairs)


def computed_parts(kind: type[State]) -> dict[str, Computed[Any]]:
    """Return what is computed of a kind of state, by name."""
    found = {name: part for one in reversed(kind.__mro__) for name, part in vars(one).items()}
    return {name: part for name, part in found.items() if isinstance(part, Computed)}


def kept(kind: type[State]) -> tuple[str, ...]:
    """Return the fields that a reader changes, which a copy of the state carries."""
    absent = {"preset": not kind.presets, "challenge": not kind.challenges}
    names = (one.name for one in fields(kind) if not one.metadata.get("given"))
    return tuple(name for name in names if not absent.get(name))


def controls(kind: type[State]) -> dict[str, Control]:
    """Return the controls of a kind of state, in the order in which they are shown."""
    found = dict(kind.own_controls)
    if kind.presets:
        named = Choice(kind.preset_label, [*kind.presets, OWN], CHIPS, kind_pictures(kind))
        found = {"preset": named} | found
    if kind.challenges:
        found["challenge"] = Choice("Challenge", list(kind.challenges), CARD)
    return found


def kind_pictures(kind: type[State]) -> Callable[[], list[scene.Thumbnail]]:
    """Return what draws the presets small, when they are first shown."""
    return lambda: [kind.thumbnail(name) for name in kind.presets]


def start(kind: type[S], preset: str = "", **parts: Any) -> S:
    """Return the first state of a kind; what a cell chose is checked."""
    if kind.challenges:
        parts["challenge"] = next(iter(kind.challenges))
    for name, control in controls(kind).items():
        if name in parts:
            parts[name] = control.checked(parts[name])
    first = kind(**parts)
    if not kind.presets:
        return first
    checks.choice(preset, kind.preset_label.lower(), tuple(kind.presets))
    return first.with_preset(preset)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return a is b or bool(np.array_equal(a, b))
    return bool(a == b)
