"""Explorers inside a web page: what the page's worker calls, and what the page is told.

The module is part of the site, beside linlib, and imports nothing else of the course.
"""

from __future__ import annotations

import ast
import io
import json
import math
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import partial
from types import ModuleType
from typing import Any

# What ipywidgets imports from IPython, and uses only where there is a kernel.
NOTEBOOK_ONLY = {
    "IPython": ("get_ipython",),
    "IPython.core": (),
    "IPython.core.interactiveshell": ("InteractiveShell",),
    "IPython.display": ("display", "clear_output", "Markdown", "Image"),
    "IPython.utils": (),
    "IPython.utils.capture": ("capture_output",),
}


def stand_in(name: str, **names: object) -> None:
    """Provide a module that is not in the page."""
    module = ModuleType(name)
    vars(module).update(names)
    sys.modules[name] = module


if sys.platform == "emscripten":
    for module, absent in NOTEBOOK_ONLY.items():
        stand_in(module, **dict.fromkeys(absent, type(None)))

import ipywidgets  # noqa: E402

if sys.platform == "emscripten":
    stand_in("anywidget", AnyWidget=ipywidgets.DOMWidget)  # its canvas.js is the page's own

from linlib import explorers  # noqa: E402
from linlib.explorers.kit.explorer import Explorer  # noqa: E402
from linlib.notebook import exercises  # noqa: E402

CODE = "<exercise>"  # the file that a reader's code is said to be in
MOST = 4000  # letters of output that are shown
Post = Callable[[str, str, str], object]  # kind, key of the explorer, JSON
KINDS = {
    ipywidgets.Dropdown: "choose",
    ipywidgets.RadioButtons: "radio",
    ipywidgets.FloatSlider: "slide",
    ipywidgets.FloatLogSlider: "slide",
    ipywidgets.ToggleButton: "toggle",
    ipywidgets.Checkbox: "check",
    ipywidgets.Button: "press",
}
shown: dict[str, Shown] = {}
posts: list[Post] = []


def connect(post: Post) -> None:
    """Tell the page everything through this function."""
    posts[:] = [post]


def made(source: str) -> Explorer:
    r"""Return the explorer that code makes in its last line.

    >>> made("shown = explorers.PerceptronExplorer('XOR')\nshown").preset.value
    'XOR'
    """
    *first, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        raise ValueError("source: its last line must be the explorer.")
    names: dict[str, Any] = {"explorers": explorers}
    exec(compile(ast.Module(first, []), "<page>", "exec"), names)
    explorer: Explorer = eval(compile(ast.Expression(last.value), "<page>", "eval"), names)
    explorer.canvas.close()  # it keeps its scenes, and tells them to no kernel
    explorer.start_here()
    return explorer


def controls_of(box: Any) -> Iterator[Any]:
    """Yield the controls in a box, in their order."""
    for child in box.children:
        if type(child) in KINDS:
            yield child
        else:
            yield from controls_of(child) if hasattr(child, "children") else ()


def described(control: Any) -> dict[str, Any]:
    """Return what a page needs to show a control."""
    kind = KINDS[type(control)]
    told = {"kind": kind, "label": control.description, "disabled": control.disabled}
    told["tip"] = control.tooltip or ""
    if kind in ("choose", "radio"):
        names = [one if isinstance(one, str) else one[0] for one in control.options]
        return told | {"options": names, "value": control.label}
    if kind == "slide":
        base = getattr(control, "base", None)
        at = math.log(control.value, base) if base else control.value
        words = format(control.value, control.readout_format)
        limits = {name: getattr(control, name) for name in ("min", "max", "step")}
        return told | limits | {"value": at, "words": words}
    return told | {"value": getattr(control, "value", None)}


def change(control: Any, value: Any) -> None:
    """Do to a control what the reader did to its picture in the page."""
    if isinstance(control, ipywidgets.Button):
        control.click()
    elif hasattr(control, "label"):
        control.label = value
    else:
        base = getattr(control, "base", None)
        control.value = base**value if base else value


class Shown:
    """An explorer in a page."""

    def __init__(self, key: str, source: str, state: str) -> None:
        self.explorer = made(source)
        self.controls = list(controls_of(self.explorer))
        if state:
            self.explorer.put(state)
        self.key = key
        canvas = self.explorer.canvas
        canvas.send = partial(self.post, "message")
        canvas.observe(self.tell, "scene")
        self.tell()

    def post(self, kind: str, content: Any) -> None:
        """Send something to the page."""
        posts[0](kind, self.key, json.dumps(content))

    def tell(self, _: object = None) -> None:
        """Send everything that is seen, and the state that would bring it back."""
        controls = [described(control) for control in self.controls]
        told = {"scene": self.explorer.canvas.scene, "controls": controls}
        self.post("scene", told | {"state": self.explorer.state})


def show(key: str, source: str, state: str) -> None:
    """Make an explorer and show it; ``state`` is JSON, or empty for the explorer's own."""
    shown[key] = Shown(key, source, state)


def receive(key: str, event: str) -> None:
    """Handle an event of canvas.js, or of a control: ``{"control": number, "value": …}``."""
    told = json.loads(event)
    if "control" in told:
        change(shown[key].controls[told["control"]], told["value"])
    else:
        shown[key].explorer.receive(told)


# ---- exercises


def run(key: str, code: str, exercise: str) -> None:
    """Run what the reader wrote and, if an exercise is named, check it; tell what came of it."""
    names: dict[str, Any] = {"__name__": "__main__"}
    told: dict[str, Any] = {"line": 0, "error": "", "verdict": "", "passed": False}
    out = io.StringIO()
    try:
        with redirect_stdout(out):
            exec(compile(code, CODE, "exec"), names)
            if exercise:
                told["verdict"] = exercises.check(exercise, names=names)
                told["passed"] = told["verdict"].startswith("All ")
    except Exception as error:
        told["line"], told["error"] = where(error), f"{type(error).__name__}: {error}"
    printed = out.getvalue()
    told["out"] = printed[:MOST] + (" …" if len(printed) > MOST else "")
    posts[0]("result", key, json.dumps(told))


def where(error: Exception) -> int:
    """Return the last line of the reader's own code that led to an error, 0 if none did."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame.lineno or 0 for frame in frames if frame.filename == CODE]
    if isinstance(error, SyntaxError) and error.filename == CODE:
        return error.lineno or 0
    return own[-1] if own else 0
