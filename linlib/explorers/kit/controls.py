"""What a reader chooses, as values with a label that canvas.js draws; and the canvas itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from math import log10
from typing import Any

import anywidget
import traitlets

from linlib.base import checks
from linlib.explorers.kit.sentences import brief

FILES = files("linlib.explorers.kit")
# One module: a notebook's widget cannot load a second.
SCRIPT = "".join(FILES.joinpath(name).read_text("utf-8") for name in ("rule.js", "canvas.js"))
CHIPS, MAIN, MORE, CARD = "chips", "main", "more", "card"  # where a control is drawn


class Canvas(anywidget.AnyWidget):
    """Everything that is seen of an explorer; draws the ``scene`` it is given."""

    _esm = SCRIPT
    _css = "".join(FILES.joinpath(name).read_text("utf-8") for name in ("design.css", "canvas.css"))
    scene = traitlets.Dict().tag(sync=True)

    def shown(self) -> dict[str, object]:
        """Return the live view; ipywidgets marks a box whose kernel is gone, a lone canvas not."""
        from ipywidgets import VBox

        found: dict[str, object] = VBox([self])._repr_mimebundle_() or {}
        return found


class Control:
    """A labelled value, on or off; ``changed(old)`` is called after every change."""

    kind = "check"

    def __init__(self, label: str, value: Any, place: str = MORE) -> None:
        self.label, self.place, self.disabled = label, place, False
        self.changed: Callable[[Any], object] = lambda old: None
        self._value = self.checked(value)

    @property
    def value(self) -> Any:
        """What is chosen."""
        return self._value

    @value.setter
    def value(self, value: Any) -> None:
        old, self._value = self._value, self.checked(value)
        if self._value != old:
            self.changed(old)

    def checked(self, value: Any) -> Any:
        """Return a value as it is kept, or say what is wrong with it."""
        return bool(value)

    def take(self, shown: Any) -> None:
        """Take a value as the browser shows it."""
        self.value = shown

    def plain(self) -> dict[str, object]:
        """Return the control as the browser reads it."""
        look = {"kind": self.kind, "label": self.label, "place": self.place}
        return look | {"disabled": self.disabled, "value": self.value}


class Choice(Control):
    """One of some values, each under a name, and perhaps with a small picture.

    >>> Choice("A new point is", {"y = +1": 1, "y = −1": -1}, 1).plain()["value"]
    'y = +1'
    """

    kind = "choose"

    def __init__(
        self,
        label: str,
        options: Sequence[str] | Mapping[str, int],
        value: object,
        place: str = MORE,
        pictures: Sequence[object] = (),
    ) -> None:
        named = options if isinstance(options, Mapping) else {name: name for name in options}
        self.named: dict[str, Any] = dict(named)
        self.options, self.pictures = tuple(self.named.values()), list(pictures)
        super().__init__(label, value, place)

    def checked(self, value: Any) -> Any:
        """Return one of the values."""
        if value not in self.options:
            checks.choice(value, self.label.lower(), self.options)  # says which there are
        return value

    def take(self, shown: str) -> None:
        """Take a value by its name."""
        self.value = self.named.get(shown, shown)

    def plain(self) -> dict[str, object]:
        """Return names in place of values."""
        names = list(self.named)
        more = {"options": names, "pictures": self.pictures}
        return super().plain() | more | {"value": names[self.options.index(self.value)]}


class Slider(Control):
    """A number between two others, or, where ``log``, between two powers of ten.

    >>> lam = Slider("λ", 100.0, -3, 1, 0.1, log=True)
    >>> lam.value, lam.plain()["value"], lam.plain()["words"]
    (10.0, 1.0, '10')
    """

    kind = "slide"

    def __init__(
        self, label: str, value: float, low: float, high: float, step: float, *, log: bool = False
    ) -> None:
        self.min, self.max, self.step, self.log = low, high, step, log
        self.ends = (10.0**low, 10.0**high) if log else (low, high)
        super().__init__(label, value, MAIN)

    def checked(self, value: Any) -> float:
        """Return the nearest number in the range."""
        return min(max(checks.real(value, self.label), self.ends[0]), self.ends[1])

    def take(self, shown: float) -> None:
        """Take a place on the slider."""
        self.value = 10.0**shown if self.log else shown

    def plain(self) -> dict[str, object]:
        """Return the place on the slider, and the number in words."""
        at = log10(self.value) if self.log else self.value
        limits = {"min": self.min, "max": self.max, "step": self.step}
        return super().plain() | limits | {"value": at, "words": brief(self.value)}
