"""Explorers: move it and see.

Each explorer is one canvas, drawn by ``canvas.js``: a picture, its controls, and one line of text
that states what is seen. All mathematics is Python's, through linlib; the JavaScript draws, lets a
line follow the hand by a rule that Python gives it, and reports what the reader does. Without a
kernel the display falls back to a still picture with the text line as its alt text.

>>> explorer = HyperplaneExplorer()
>>> explorer.move("point", 3, 1)
>>> print(explorer.text)
w = (2, 1) and w₀ = −3: the line is shifted by 1.34 along w. The point (3, 1) is on the positive \
side: score 4, signed distance 1.79, projection (1.4, 0.2), angle to w 14°.

How to write the next one
-------------------------
1. In a folder of its own, write a frozen dataclass that extends
   :class:`~linlib.explorers.kit.state.State`, or ``PointsState`` or ``StepsState`` of
   :mod:`linlib.explorers.kit.points`. Its fields are what a reader moves and, under the names in
   ``own_controls``, what a reader chooses. Nothing in it ever changes.
2. What follows from the fields is a property; where it is expensive, such as a fit, it is
   ``@computed("X", "y", "lam")``: once, and again only when one of these fields is another. Every
   fit gets a budget.
3. *What may be done*: ``update(event)`` matches the kinds of events it knows and returns
   ``self.changed(...)``, or raises a ValueError that says what cannot be done and what to do
   instead. Positions arrive inside the view, rounded to four decimals.
4. *What is seen*: ``panels()`` returns a list of ``scene.Panel(view, drawables, handles)``. Where a
   line follows from its handles alone, the panel has a rule (:mod:`linlib.explorers.kit.rule`),
   and the browser does not wait.
5. *What it says*: ``sentence()`` states in one or two sentences what is seen. Its numbers go
   through :mod:`linlib.explorers.kit.sentences`, with ``beside`` where two are compared;
   ``mark(name, number)`` ties a number to the drawable of that name. ``python()`` returns the lines
   that compute what is seen.
6. The explorer that a lecture makes is an :class:`~linlib.explorers.kit.explorer.Explorer` (or
   ``PointsExplorer``, ``Stepper``) that is made from a first state:
   ``super().__init__(start(MyState, preset, ...))``. Undo, redo, Reset, copy and paste are there.
7. What a sentence says is decided by linlib: a degenerate case gets a function there, and its
   values a recomputation in ``tests/explorers/test_values.py``. Expect all points equal, one class,
   no points, points on each other: say what is the matter in ``sentence()``; do not raise. No
   clocks, no threads, no hidden randomness.
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
