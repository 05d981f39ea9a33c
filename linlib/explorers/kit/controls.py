"""What a reader chooses, as values with a label that canvas.js draws; and the canvas itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import log10
from typing import Any

import anywidget
import traitlets

from linlib.base import checks
from linlib.explorers.kit.scene import difference
from linlib.explorers.kit.sentences import brief

FILES = files("linlib.explorers.kit")
# One module: a notebook's widget cannot load a second.
SCRIPT = "".join(FILES.joinpath(name).read_text("utf-8") for name in ("rule.js", "canvas.js"))
CHIPS, MAIN, MORE, CARD = "chips", "main", "more", "card"  # where a control is drawn


class Canvas(anywidget.AnyWidget):
    """Everything that is seen of an explorer: the browser draws the ``scene``.

    It is told a whole scene as ``base``; while a drag goes on, only the ``change`` since then. Both
    stay known to the browser, so that a view that is opened later, too, sees the present scene.
    """

    _esm = SCRIPT
    _css = "".join(FILES.joinpath(name).read_text("utf-8") for name in ("design.css", "canvas.css"))
    scene = traitlets.Dict()  # what is seen now
    base = traitlets.Dict().tag(sync=True)
    change = traitlets.Dict().tag(sync=True)

    def show(self, scene: dict[str, Any], *, dragged: bool) -> None:
        """Show a scene; where something is ``dragged`` on, tell only what has changed."""
        self.scene = scene
        if dragged:
            # A change belongs to one base: beside another one the browser ignores it.
            self.change = {"base": self.base["count"]} | difference(self.base, scene)
        else:
            self.base = scene

    def shown(self) -> dict[str, object]:
        """Return the live view; ipywidgets marks a box whose kernel is gone, a lone canvas not."""
        from ipywidgets import VBox

        found: dict[str, object] = VBox([self])._repr_mimebundle_() or {}
        return found


class Control:
    """What a reader chooses: a label, and the values it may have; this one is on or off.

    The value itself is in the state, so that one description serves all explorers of a kind.
    """

    kind = "check"

    def __init__(self, label: str, place: str = MORE) -> None:
        self.label, self.place = label, place

    def checked(self, value: Any) -> Any:
        """Return a value as it is kept, or say what is wrong with it."""
        return bool(value)

    def taken(self, shown: Any) -> Any:
        """Return the value that the browser shows so."""
        return self.checked(shown)

    def plain(self, value: Any, *, disabled: bool = False) -> dict[str, object]:
        """Return the control with its value as the browser reads it."""
        look = {"kind": self.kind, "label": self.label, "place": self.place}
        return look | {"disabled": disabled, "value": value}


class Choice(Control):
    """One of some values, each under a name, and perhaps with a small picture.

    >>> Choice("A new point is", {"y = +1": 1, "y = −1": -1}).plain(1)["value"]
    'y = +1'
    """

    kind = "choose"

    def __init__(
        self,
        label: str,
        options: Sequence[str] | Mapping[str, int],
        place: str = MORE,
        pictures: Callable[[], Sequence[object]] = list,
    ) -> None:
        super().__init__(label, place)
        named = options if isinstance(options, Mapping) else {name: name for name in options}
        self.named: dict[str, Any] = dict(named)
        self.options = tuple(self.named.values())
        self._drawn = cache(pictures)  # when they are first shown: some need data

    @property
    def pictures(self) -> list[object]:
        """A small picture of every option, or none."""
        return list(self._drawn())

    def checked(self, value: Any) -> Any:
        """Return one of the values."""
        if value not in self.options:
            checks.choice(value, self.label.lower(), self.options)  # says which there are
        return value

    def taken(self, shown: str) -> Any:
        """Return the value of a name."""
        return self.checked(self.named.get(shown, shown))

    def plain(self, value: Any, *, disabled: bool = False) -> dict[str, object]:
        """Return names in place of values."""
        names = list(self.named)
        shown = super().plain(names[self.options.index(value)], disabled=disabled)
        return shown | {"options": names, "pictures": self.pictures}


class Slider(Control):
    """A number between two others, or, where ``log``, between two powers of ten.

    >>> lam = Slider("λ", -3, 1, 0.1, log=True)
    >>> lam.checked(100.0), lam.plain(10.0)["value"], lam.plain(10.0)["words"]
    (10.0, 1.0, '10')
    """

    kind = "slide"

    def __init__(
        self, label: str, low: float, high: float, step: float, *, log: bool = False
    ) -> None:
        super().__init__(label, MAIN)
        self.min, self.max, self.step, self.log = low, high, step, log
        self.ends = (10.0**low, 10.0**high) if log else (low, high)

    def checked(self, value: Any) -> float:
        """Return the nearest number in the range."""
        return min(max(checks.real(value, self.label), self.ends[0]), self.ends[1])

    def taken(self, shown: float) -> float:
        """Return the value at a place on the slider."""
        return self.checked(10.0**shown if self.log else shown)

    def plain(self, value: Any, *, disabled: bool = False) -> dict[str, object]:
        """Return the place on the slider, and the number in words."""
        at = log10(value) if self.log else value
        limits = {"min": self.min, "max": self.max, "step": self.step}
        shown = super().plain(at, disabled=disabled)
        return shown | limits | {"words": brief(value)}
