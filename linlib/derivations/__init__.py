"""Derivations that run: what is displayed is printed from what is evaluated.

A derivation is a text that a lecturer writes::

    alignment = Derivation(
        draw=a_mistake,
        given="z @ w_star >= gamma            # every row has a margin of γ or more",
        lines=\"\"\"
            (w + z) @ w_star
            =  w @ w_star + z @ w_star        # multiply out
            >= w @ w_star + gamma             # whichever row was the mistake
        \"\"\",
    )

``draw`` makes random points that the hypotheses are tried on. Every line is evaluated at sixty of
them, and a line that does not follow from the one above cannot be displayed. With lines left blank
the same object is an exercise (:class:`Blank`).

Read ``expressions`` first (what a formula may say, and what it is worth), then ``derivation``, then
``exercise``; ``printing`` sets a formula, ``display`` a whole derivation, ``slips`` makes the small
mistakes that people make, ``fields`` lets a reader write in a notebook.
"""

from linlib.derivations.derivation import Derivation, Line, Need, Problem
from linlib.derivations.exercise import Answer, Blank, faded
from linlib.derivations.expressions import FormulaError

__all__ = ["Answer", "Blank", "Derivation", "FormulaError", "Line", "Need", "Problem", "faded"]
