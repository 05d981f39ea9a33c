"""Explorers and exercises in a web page: what the page's worker calls, and what the page is told.

The module is part of the site, beside linlib, and imports nothing else of the course.
"""

from __future__ import annotations

import ast
import io
import json
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import traitlets


class Widget(traitlets.HasTraits):
    """What a canvas needs of a widget where no kernel listens: its canvas.js is the page's own."""

    def on_msg(self, function: object) -> None:
        """Hear nothing: the page calls receive."""

    def close(self) -> None:
        """Tell no kernel."""


if sys.platform == "emscripten":
    sys.modules["anywidget"] = SimpleNamespace(AnyWidget=Widget)  # type: ignore[assignment]

from linlib import explorers  # noqa: E402
from linlib.derivations import Blank  # noqa: E402
from linlib.explorers.kit.explorer import Explorer  # noqa: E402
from linlib.notebook import exercises  # noqa: E402

CODE = "<exercise>"  # the file that a reader's code is said to be in
MOST = 4000  # letters of output that are shown
Post = Callable[[str, str, str], object]  # kind, key of the explorer, JSON
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
    explorer: Explorer = last_value(source)
    explorer.canvas.close()  # it keeps its scenes, and tells them to no kernel
    explorer.start_here()
    return explorer


def last_value(source: str) -> Any:
    """Return what the last line of a page's own code is worth."""
    *first, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        raise ValueError("source: its last line must be what is shown.")
    names: dict[str, Any] = {"explorers": explorers}
    exec(compile(ast.Module(first, []), "<page>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<page>", "eval"), names)


class Shown:
    """An explorer in a page."""

    def __init__(self, key: str, source: str, state: str) -> None:
        self.explorer = made(source)
        if state:
            self.explorer.put(state)
        self.key = key
        canvas = self.explorer.canvas
        canvas.send = partial(self.post, "message")
        canvas.observe(self.tell, "base")
        canvas.observe(self.tell_change, "change")
        self.tell()

    def post(self, kind: str, content: Any) -> None:
        """Send something to the page."""
        posts[0](kind, self.key, json.dumps(content))

    def tell(self, _: object = None) -> None:
        """Send everything that is seen, and the state that would bring it back."""
        self.post("scene", {"base": self.explorer.canvas.base, "state": self.explorer.state})

    def tell_change(self, _: object) -> None:
        """Send what a drag has changed, and the state."""
        self.post("scene", {"change": self.explorer.canvas.change, "state": self.explorer.state})


def show(key: str, source: str, state: str) -> None:
    """Make an explorer and show it; ``state`` is JSON, or empty for the explorer's own."""
    shown[key] = Shown(key, source, state)


def receive(key: str, event: str) -> None:
    """Handle an event of canvas.js."""
    shown[key].explorer.receive(json.loads(event))


# ---- exercises


def run(key: str, code: str, exercise: str) -> None:
    """Run what the reader wrote and, if an exercise is named, check it; tell what came of it."""
    names = exercises.course() | {"__name__": "__main__"}
    told: dict[str, Any] = {"line": 0, "error": "", "verdict": "", "passed": False}
    out = io.StringIO()
    try:
        with redirect_stdout(out):
            exec(compile(code, CODE, "exec"), names)
            if exercise and exercise not in names:
                told["verdict"] = f"There is no {exercise}: write a function of this name."
            elif exercise:
                told["verdict"] = exercises.check(names[exercise])
                told["passed"] = told["verdict"] == exercises.PASS
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


# ---- derivations


@cache
def blank(source: str) -> Blank:
    """Return the derivation with blank lines that code makes in its last line."""
    made: Blank = last_value(source)
    return made


def judge(key: str, source: str, line: int, text: str) -> None:
    """Tell what is said of a line that the reader wrote; the text is read, and never run."""
    answer = blank(source).answer(text, line=line)
    posts[0]("judged", key, json.dumps({"right": answer.right, "said": answer.said}))
