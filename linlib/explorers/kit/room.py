"""What all explorers hold: presets, a state, and one guarded way to change it and to go back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np

from linlib.base import checks
from linlib.explorers.kit import controls as look
from linlib.explorers.kit import history
from linlib.explorers.kit.history import History, State
from linlib.explorers.kit.scene import Item

OWN = "your own"


class Room(look.VBox):  # type: ignore[misc]
    """The state of an explorer: the attributes in ``kept`` and the values of its controls.

    All else follows from the state (:meth:`refit`), once an action. Undo, redo, Reset, copy and
    paste are the same for all.
    """

    kept: ClassVar[tuple[str, ...]] = ()
    seen_only: ClassVar[frozenset[str]] = frozenset()  # parts of the state that refit nothing
    presets: ClassVar[Mapping[str, Any]] = {}
    preset_label = "Points"

    def __init__(
        self,
        controls: Mapping[str, look.Widget],
        buttons: tuple[look.Widget, ...],
        below: look.Widget,
        start: str,
    ) -> None:
        self.history = History()
        self.controls = dict(controls)
        self._acting = self._restoring = self._forgot = False
        self._problem = ""
        self._gesture: object = None
        if self.presets:
            checks.choice(start, self.preset_label.lower(), tuple(self.presets))
            self.preset = look.chooser(self.preset_label, [*self.presets, OWN], start)
            self.controls = {"preset": self.preset} | self.controls
            self.load(start)
        self._refit()
        self._first = self.state
        first = [one for one in self.controls.values() if one not in buttons]
        row = look.row([*first, *buttons])
        super().__init__([row, below] if row.children else [below])
        for name, control in self.controls.items():
            self.watch(control, partial(self.on_choose, name))

    # ---- what a subclass provides

    def load(self, preset: str) -> None:
        """Put a preset into the state."""

    def refit(self) -> None:
        """Compute all that follows from the state, within a budget."""

    def redraw(self) -> None:
        """Show the state as it is now."""

    def on_choose(self, name: str, value: Any) -> None:
        """Change what a control changes besides its own value."""
        if name == "preset" and value != OWN:
            self.load(value)

    def forget(self) -> None:
        """Drop what :meth:`refit` might carry over: the state was put in from outside."""
        self._forgot = True

    def adopt(self, state: State) -> None:
        """Take what another kind of explorer's state has in common with this one's."""
        raise ValueError("this explorer has nothing in common with the copied one.")

    def thaw(self, name: str, value: Any) -> Any:
        """Return a kept attribute from its plain form."""
        now = getattr(self, name)
        if isinstance(now, np.ndarray):
            return np.array(value, dtype=now.dtype)
        return tuple(map(tuple, value)) if name == "view" else value

    # ---- what a reader or a cell can do

    @property
    def state(self) -> State:
        """All that was chosen and moved, as plain values; ``put`` brings it back."""
        kept = {name: history.plain(getattr(self, name)) for name in self.kept}
        chosen = {name: control.value for name, control in self.controls.items()}
        return {"explorer": type(self).__name__} | kept | chosen

    def put(self, state: State | str) -> None:
        """Take a state, of this or of another explorer, as copied or as a dictionary."""
        self.act(self._paste, history.read(state))

    def undo(self) -> None:
        """Go back to before the last change."""
        self.act(lambda: self._restore(self.history.back(self.state)), remembered=False)

    def redo(self) -> None:
        """Do again what was undone last."""
        self.act(lambda: self._restore(self.history.forth(self.state)), remembered=False)

    def reset(self) -> None:
        """Put everything back as the cell first showed it; undo brings the rest back."""
        self.act(self._restore, self._first)

    def cancel(self) -> None:
        """Go back to before the gesture that goes on, as if it had never begun."""
        now = self.state
        self.act(lambda: self._restore(self.history.cancel(self._gesture, now)), remembered=False)

    def owned(self) -> None:
        """Say that what is shown is no preset any more."""
        self.preset.value = OWN

    # ---- the machinery

    def act(
        self,
        function: Callable[..., object],
        *arguments: Any,
        before: State | None = None,
        gesture: object = None,
        remembered: bool = True,
    ) -> None:
        """Call a function, refit once if the state changed, redraw; trouble becomes the text line.

        What failed leaves the state as it was. ``before`` is for what has changed already.
        """
        if self._acting:  # a control that is changed by an action; the action redraws
            function(*arguments)
            return
        before = before or self.state
        self._acting, self._problem = True, ""
        try:
            function(*arguments)
            self._follow(before)
            if remembered and self.state != before:
                self.history.remember(before, gesture or self._gesture)
        except Exception as error:
            self._problem = told(error)
            self._restore(before)
            self._follow(before)
        finally:
            self._acting = False
        self.redraw()

    def _follow(self, before: State) -> None:
        """Refit if anything changed that the fit depends on, or if the fit was forgotten."""
        now = self.state
        changed = (now[name] != before[name] for name in now if name not in self.seen_only)
        if self._forgot or any(changed):
            self._refit()

    def _refit(self) -> None:
        self._forgot = False
        self.refit()

    def _restore(self, state: State) -> None:
        self._restoring = True
        try:
            for name, control in self.controls.items():
                if name in state:
                    control.value = state[name]
            for name in self.kept:
                if name in state:
                    setattr(self, name, self.thaw(name, state[name]))
        finally:
            self._restoring = False
        self.forget()

    def _paste(self, state: State) -> None:
        if state.get("explorer") == type(self).__name__:
            if missing := [name for name in self.state if name not in state]:
                raise ValueError(f"the copied state lacks {missing[0]!r}; copy it again.")
            self._restore(state)
        else:
            self.adopt(state)

    def watch(self, control: look.Widget, function: Callable[[Any], object]) -> None:
        """Call ``function(value)`` whenever the value of a control changes, then redraw."""

        def changed(change: Item) -> None:
            if self._restoring:
                return
            names = [name for name, one in self.controls.items() if one is control]
            before = self.state | dict.fromkeys(names, change["old"])
            slides = ("slider", id(control)) if hasattr(control, "readout") else None
            self.act(function, change["new"], before=before, gesture=slides)

        control.observe(changed, "value")

    def button(self, label: str, function: Callable[[], object], tip: str) -> look.Button:
        """Return a button that calls a function."""
        made = look.Button(description=label, tooltip=tip, layout={"width": "auto"})
        made.on_click(lambda _: self.act(function))
        return made


def told(error: Exception) -> str:
    """Return an error in words.

    >>> told(ValueError("there is nothing to undo.")), told(KeyError())
    ('there is nothing to undo.', 'KeyError')
    """
    return str(error) or type(error).__name__
