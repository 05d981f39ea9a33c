"""Explorers: move it and see.

Each explorer is an ``ipywidgets`` box: a row of labelled controls, one canvas drawn by
``canvas.js``, and one line of text that states what is seen. All mathematics is Python's, through
linlib; the JavaScript draws, lets a line follow the hand by a rule that Python gives it, and
reports what the reader does. Without a kernel the display falls back to a still picture with the
text line as its alt text.

>>> explorer = HyperplaneExplorer()
>>> explorer.move("point", 3, 1)
>>> print(explorer.text)
w = (2, 1) and w₀ = −3: the line is shifted by 1.34 along w. The point (3, 1) is on the positive \
side: score 4, signed distance 1.79, projection (1.4, 0.2), angle to w 14°.

How to write the next one
-------------------------
1. Subclass :class:`~linlib.explorers.kit.explorer.Explorer` in a folder of its own, or
   ``PointsExplorer`` or ``Stepper`` of :mod:`linlib.explorers.kit.points`. The state is the
   attributes named in ``state_names`` and the values of the controls; set it first, then call
   ``super().__init__({name: control}, ..., start=preset)``. A control that changes more than its
   own value says so in ``on_choose(name, value)``. Undo, redo, Reset, copy and paste come with it.
2. ``panels()`` returns a list of ``scene.Panel(view, drawables, handles)``; ``sentence()`` states
   in one or two sentences what is seen. Its numbers go through ``linlib.explorers.kit.sentences``,
   with ``beside`` where two are compared. Both read the state and change nothing. ``refit()``
   computes all else from the state, once an action. Where a line follows from its handles alone,
   the panel has a rule (:mod:`linlib.explorers.kit.rule`), and the browser does not wait.
   ``mark(name, number)`` ties a number to the drawable of that name; ``python()`` returns the lines
   that compute what is seen.
3. ``on_move(id, x, y)`` and, where ``edits`` is set, ``on_add``, ``on_relabel`` and
   ``on_remove`` change the state. Positions arrive inside the view, rounded to four
   decimals. Public methods go through ``self.act(function, ...)``, which redraws and turns
   whatever goes wrong into the text line.
4. What a sentence says is decided by linlib: a degenerate case gets a function there, and its
   values a recomputation in ``tests/explorers/test_values.py``. Every fit gets a budget. Expect all
   points equal, one class, no points, points on each other: say what is the matter in
   ``sentence()``; do not raise. No clocks, no threads, no hidden randomness.
"""

from linlib.base import extras

with extras.needed("explorers"):
    from linlib.explorers.classes import ClassesExplorer
    from linlib.explorers.descent import DescentExplorer
    from linlib.explorers.gaussians import GaussianExplorer
    from linlib.explorers.hyperplane import HyperplaneExplorer
    from linlib.explorers.kit.explorer import Explorer
    from linlib.explorers.line import LineExplorer
    from linlib.explorers.logistic import LogisticExplorer
    from linlib.explorers.margin import MarginExplorer
    from linlib.explorers.perceptron import PerceptronExplorer
    from linlib.explorers.predict import PredictLine
    from linlib.explorers.proof import ProofExplorer

__all__ = [
    "ClassesExplorer",
    "DescentExplorer",
    "Explorer",
    "GaussianExplorer",
    "HyperplaneExplorer",
    "LineExplorer",
    "LogisticExplorer",
    "MarginExplorer",
    "PerceptronExplorer",
    "PredictLine",
    "ProofExplorer",
]
