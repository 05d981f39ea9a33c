"""A derivation with lines left blank: any equivalent line is right, a wrong one is answered."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from linlib.derivations import display, fields
from linlib.derivations.derivation import SLACK, STATEMENTS, Derivation, Values, follows, shown
from linlib.derivations.expressions import FormulaError, Value, evaluate, kind, same
from linlib.derivations.slips import slips

RESTATED = "That is line {} again; {}."


@dataclass(frozen=True)
class Answer:
    """Whether a line was right, and what is said of it."""

    right: bool
    said: str

    def __str__(self) -> str:
        return self.said

    __repr__ = __str__


class Blank:
    """Lines of a derivation that the reader fills in.

    What has gone from a line since the line above, a gradient, a sum inside a product or a name
    that was defined, must not come back in an answer.

    Parameters
    ----------
    derivation : Derivation
        The whole derivation.
    lines : int or sequence of int
        The numbers of the lines left blank, counted from 1.
    without : collection of str
        More names and functions that an answer must not use, such as ``{"norm"}``.
    expanded : bool
        Whether each answer must be multiplied out: no sum inside a product, power or length.
    """

    def __init__(
        self,
        derivation: Derivation,
        lines: int | Sequence[int],
        *,
        without: Collection[str] = (),
        expanded: bool = False,
    ) -> None:
        self.derivation = derivation
        self.lines = (lines,) if isinstance(lines, int) else tuple(sorted(lines))
        self.without, self.expanded = frozenset(without), expanded
        most = len(derivation.lines)
        if not self.lines:
            raise ValueError("lines: is empty; leave at least one line blank.")
        if outside := [number for number in self.lines if not 1 <= number <= most]:
            raise ValueError(f"lines: there is no line {outside[0]}; lines are 1 to {most}.")

    def answer(self, text: str, line: int | None = None) -> Answer:
        """Judge a formula that was given for a blank line (the first, if none is named)."""
        if not isinstance(text, str):
            raise TypeError(f"text: is {text!r}; give a formula as text, as in 'w @ z'.")
        number = self.lines[0] if line is None else line
        if number not in self.lines:
            blanks = ", ".join(map(str, self.lines))
            raise ValueError(f"line: line {number} is not left blank; the blanks are {blanks}.")
        try:
            tree = self.derivation.tree(text)
        except FormulaError as error:
            return Answer(False, str(error))
        return _Judged(self, number, tree).answer()

    def html(self) -> str:
        """Return the derivation with its blanks as HTML, without how to answer."""
        return display.html(self.derivation.premises(), self.derivation.rows(self.lines))

    @property
    def names(self) -> str:
        """What an answer may be written with, for whoever types it."""
        used = {name for tree in self.derivation.trees for name in self.derivation.used(tree)}
        known = [*self.derivation.points[0], *self.derivation.definitions]
        return ", ".join(name for name in known if name in used)

    def _repr_html_(self) -> str:
        first = f", line={self.lines[0]}" if len(self.lines) > 1 else ""
        how = f"<p>{escape(display.HOW)} The names are {escape(self.names)}.</p>"
        call = f'<p class="call">Then call <code>blank.answer(&quot;…&quot;{first})</code>.</p>'
        return f"{self.html()}\n{how}\n{call}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Return the table with fields to write in, and for whoever has none the table alone."""
        data = {"text/plain": repr(self), "text/html": self._repr_html_()}
        return fields.live(self) | data

    def __repr__(self) -> str:
        return display.plain(self.derivation.premises(), self.derivation.rows(self.lines))


def faded(derivation: Derivation) -> list[Blank]:
    """Return a derivation with ever more lines left blank, the last steps first.

    First one line, then three, then all but the first and the last.
    """
    inner = list(range(2, len(derivation.lines))) or [len(derivation.lines)]
    steps = [tuple(inner[-count:]) for count in (1, 3, len(inner))]
    return [Blank(derivation, lines) for lines, _ in itertools.groupby(steps)]


class _Judged:
    """One answer to one blank line."""

    def __init__(self, blank: Blank, number: int, tree: ast.expr) -> None:
        self.blank, self.derivation, self.tree = blank, blank.derivation, tree
        self.number = number
        self.hidden = self.derivation.trees[number - 1]
        self.relation = self.derivation.lines[number - 1].relation
        # The lines with the answer in its place.
        self.trees = list(self.derivation.trees)
        self.trees[number - 1] = tree

    def answer(self) -> Answer:
        """Go through what can be said, the most helpful first."""
        if said := self.refused():
            return Answer(False, said)
        self.values = self.derivation.values(self.tree)
        self.wanted = self.derivation.line_values[self.number - 1]
        if all(value is None for value in self.values):
            return Answer(False, self.why_no_value())
        if said := self.restated() or self.unfinished():
            return Answer(False, said)
        too_weak = self.derivation.is_slack(self.number, self.tree)
        if all(map(same, self.values, self.wanted)) and not too_weak:
            return Answer(True, "Right.")
        said = self.contradiction() or self.slack(too_weak=too_weak)
        if not said:
            return Answer(
                True, "Right. It is not the line we had, but it fits between its neighbours."
            )
        return Answer(False, f"{said} {self.likely_slip()}".strip())

    def refused(self) -> str:
        """Say so if the answer is of another kind."""
        statement = isinstance(self.tree, ast.Compare)
        if self.relation in STATEMENTS and not statement:
            return "A statement is wanted here: two sides with ==, <= or >= between them."
        if statement and not isinstance(self.hidden, ast.Compare):
            return "A value is wanted here, not a statement."
        return ""

    def restated(self) -> str:
        """Say so if the answer is another line that the reader sees."""
        for number, other in enumerate(self.derivation.trees, start=1):
            seen = number not in self.blank.lines
            if seen and arrangement(other) == arrangement(self.tree):
                wanted = self.unfinished() or "Write what stands between its neighbours."
                return RESTATED.format(number, wanted[0].lower() + wanted[1:].rstrip("."))
        return ""

    def unfinished(self) -> str:
        """Say what has to go, if the answer still has it."""
        if forbidden := sorted(words_of(self.tree) & self.gone()):
            return f"Write it without {forbidden[0]}."
        if self.must_be_expanded() and (part := unexpanded(self.tree)):
            return f"Multiply it out: {part} still has a sum inside."
        return ""

    def gone(self) -> set[str]:
        """Return what an answer must not use: gradients and definitions that this line resolves."""
        if self.number == 1:
            return set(self.blank.without)
        above = words_of(self.derivation.trees[self.number - 2])
        resolved = {"grad", *self.derivation.definitions} & (above - words_of(self.hidden))
        return resolved | self.blank.without

    def must_be_expanded(self) -> bool:
        if self.blank.expanded or self.number == 1:
            return self.blank.expanded
        above = self.derivation.trees[self.number - 2]
        return bool(unexpanded(above)) and not unexpanded(self.hidden)

    def why_no_value(self) -> str:
        try:
            evaluate(self.tree, self.derivation.points[0], self.derivation.definitions)
        except FormulaError as error:
            return str(error)
        return "This has no value at the points that were tried."

    # ---- counterexamples

    def contradiction(self) -> str:
        """Say at which point the answer contradicts the line above or below, or ''."""
        if said := self.contradicts(self.number - 1, above=True):
            return said
        return self.contradicts(self.number + 1, above=False)

    def contradicts(self, number: int, *, above: bool) -> str:
        """Compare the answer with one neighbour; a neighbour that is blank is taken as it was."""
        lines = self.derivation.lines
        if not 1 <= number <= len(lines):
            return ""
        lower = self.number if above else number
        first, second = self.derivation.above(lower, self.trees), self.trees[lower - 1]
        upper_values, lower_values = map(self.derivation.values, (first, second))
        relation = lines[lower - 1].relation
        failing = [
            at for at in range(len(self.values)) if _fails(relation, upper_values, lower_values, at)
        ]
        if not failing:
            return ""
        at = min(failing, key=self.length)  # the counterexample that is quickest to read
        where = "above" if above else "below"
        if number in self.blank.lines:
            where = f"{where}, which is blank too,"
        if lower == self.derivation.conclusion and above:
            where = "above, from first to last,"
        return self.counterexample(
            at, (upper_values if above else lower_values)[at], number, f"the line {where}"
        )

    def counterexample(self, at: int, other: Value | None, number: int, where: str) -> str:
        mine = self.values[at]
        point = self.derivation.shown_point(at, [self.tree, self.derivation.trees[number - 1]])
        if mine is None:
            return f"At {point} your line has no value."
        if other is not None and np.shape(mine) != np.shape(other):
            return f"Your line is {kind(mine)}, {where} {kind(other)}."
        return f"At {point} your line is {shown(mine)}, {where} {shown(other)}."

    def slack(self, *, too_weak: bool) -> str:
        """Say where an inequality gives more away than the hidden line does, or ''."""
        if too_weak:
            return f"True, but it {SLACK}."
        if self.relation not in ("<=", ">="):
            return ""
        for at in sorted(range(len(self.values)), key=self.length):
            if not same(self.values[at], self.wanted[at]):
                point = self.derivation.shown_point(at, [self.tree, self.hidden])
                return (
                    f"True, but it gives something away: at {point} your line is "
                    f"{shown(self.values[at])}, and {shown(self.wanted[at])} can be had."
                )
        return ""

    def likely_slip(self) -> str:
        """Name the mistake that leads from the hidden line to the answer, if one is known."""
        for mistake in self.derivation.mistakes:
            formula = self.derivation.tree(mistake.formula)
            if mistake.line == self.number and self.matches(formula):
                return mistake.said
        point = self.derivation.points[0]
        names = {**point, **self.derivation.definitions}
        trees = {name: ast.Name(name, ast.Load()) for name in names}
        ranks = {
            name: np.ndim(value)
            for name, tree in trees.items()
            if (value := self.derivation.value(tree, point)) is not None
        }
        for words, formula_with_slip in slips(self.hidden, ranks):
            if self.matches(formula_with_slip):
                return words
        return ""

    def matches(self, tree: ast.expr) -> bool:
        """Tell whether the answer equals a formula; most formulas differ at the first point."""
        found = (self.derivation.value(tree, point) for point in self.derivation.points)
        return all(map(same, self.values, found))

    def length(self, at: int) -> int:
        return len(self.derivation.shown_point(at, [self.tree, self.hidden]))


def _fails(relation: str, first: Values, second: Values, at: int) -> bool:
    _, point = follows(relation, first[at : at + 1], second[at : at + 1])
    return point is not None


def words_of(tree: ast.expr) -> set[str]:
    """Return the names and functions in a formula."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def arrangement(tree: ast.expr) -> str:
    """Return a formula as text in which a + b is b + a and a * b is b * a.

    >>> from ast import parse
    >>> arrangement(parse("a + b", mode="eval").body) == arrangement(parse("b+a", mode="eval").body)
    True
    """
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Add | ast.Mult):
        operation = type(tree.op)
        parts = sorted(arrangement(part) for part in _operands(tree, operation))
        return f"{operation.__name__}({', '.join(parts)})"
    if isinstance(tree, ast.Name | ast.Constant | ast.GeneratorExp | ast.ListComp):
        return ast.unparse(tree)
    parts = []
    for child in ast.iter_child_nodes(tree):
        # Beside its parts a formula has signs and operations: they are told by their kind.
        parts.append(arrangement(child) if isinstance(child, ast.expr) else type(child).__name__)
    return f"{type(tree).__name__}({', '.join(parts)})"


def _operands(tree: ast.expr, operation: type[ast.operator]) -> list[ast.expr]:
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, operation):
        return _operands(tree.left, operation) + _operands(tree.right, operation)
    return [tree]


def unexpanded(tree: ast.expr) -> str:
    """Return the first part of a formula that is not multiplied out, or ''."""
    for node in ast.walk(tree):
        parts: list[ast.expr] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.MatMult | ast.Pow):
            parts = [node.left, node.right]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "norm":
            parts = node.args
        if any(_is_sum(part) for part in parts):
            return ast.unparse(node)
    return ""


def _is_sum(tree: ast.expr) -> bool:
    if isinstance(tree, ast.UnaryOp):
        return _is_sum(tree.operand)
    return isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Add | ast.Sub)
