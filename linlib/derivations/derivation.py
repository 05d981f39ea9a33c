"""A derivation: hypotheses, lines, a relation and a reason each, tried at points that are drawn.

What a derivation promises of its points, and what its author has to provide for:

- ``<=`` and ``>=`` are attained somewhere; else a line gives something away, or a weaker line would
  pass as an answer. So ``draw`` makes extreme cases, too: the zero vector, a right angle, the
  longest row.
- ``<`` and ``>`` are never attained.
- ``=>`` and ``<=>`` relate statements, and the first is true somewhere: draw points on its boundary
  and just off it. Below a chain of values they conclude from what the chain says of its two ends.
- Quantities that could be confused differ: scale some of the draws, or R² cannot be told from R³.
- Small whole numbers make counterexamples that can be read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linlib.derivations import display
from linlib.derivations.display import Premise, Row
from linlib.derivations.expressions import (
    RELATIONS,
    FormulaError,
    Point,
    Value,
    close,
    evaluate,
    kind,
    read,
    same,
)
from linlib.derivations.printing import Latex, Words

SIGNS = ("=", "<=", ">=", "<", ">", "=>", "<=>")
STATEMENTS = ("=>", "<=>")  # relations between statements; the others relate values
POINTS = 60  # fewer raise false alarms about lines that give something away
DRAWS = 200  # for every point that is wanted, before the hypotheses are called impossible
MATTERS = 0.1  # an inequality is attained where the two sides are equal and not both nearly 0
SEED = 20
SLACK = "gives something away: its two sides are equal at no point"

Values = list[Value | None]  # at each point; None where a line has no value
Draw = Callable[[np.random.Generator], dict[str, Value]]


@dataclass(frozen=True)
class Line:
    """One line as it was written: its relation to the line above, a formula, a reason."""

    relation: str
    text: str
    reason: str


@dataclass(frozen=True)
class Problem:
    """A line that does not follow, why, and at which of the points if one shows it."""

    line: int
    why: str
    at: int | None = None


@dataclass(frozen=True)
class Need:
    """A hypothesis, and the first line that fails without it; None if all lines hold."""

    hypothesis: Line
    line: int | None


@dataclass(frozen=True)
class Mistake:
    """A wrong formula that people write for a line, and what to say then."""

    line: int
    formula: str
    said: str


def lines_of(text: str, *, chain: bool = False) -> list[Line]:
    """Read lines such as ``<= w @ z   # because …``.

    In a chain a row that begins with no relation goes on with the formula or reason above it.

    >>> lines_of("<= w @ z  # the row was a mistake")
    [Line(relation='<=', text='w @ z', reason='the row was a mistake')]
    """
    found: list[Line] = []
    for row in text.splitlines():
        formula, _, reason = row.partition("#")
        if not formula.strip() and not (chain and found and reason):
            continue
        first, _, rest = formula.strip().partition(" ")
        relation = first if first in SIGNS else ""
        line = Line(relation, (rest if relation else formula).strip(), reason.strip())
        if chain and found and not relation:
            above = found.pop()
            reason = " ".join(filter(None, [above.reason, line.reason]))
            text = f"{above.text} {line.text}".strip()
            line = Line(above.relation, text, reason)
        found.append(line)
    return found


def mistakes_of(text: str) -> list[Mistake]:
    """Read rows such as ``3: w @ z + R  # what to say``; other rows go on with the one above.

    >>> mistakes_of("2: norm(w)  # look at the square")
    [Mistake(line=2, formula='norm(w)', said='look at the square')]
    """
    found: list[Mistake] = []
    for row in filter(str.strip, text.splitlines()):
        formula, _, said = (part.strip() for part in row.partition("#"))
        begin = re.match(r"(\d+):", formula)
        if begin:
            found.append(Mistake(int(begin[1]), formula[begin.end() :].strip(), said))
        elif found:
            last = found.pop()
            more = (f"{last.formula} {formula}".strip(), f"{last.said} {said}".strip())
            found.append(Mistake(last.line, *more))
        else:
            raise FormulaError(f"mistakes: {row.strip()!r} does not begin with a line, as in 3: …")
    return found


class Derivation:
    """Lines that follow from each other wherever the hypotheses hold.

    Parameters
    ----------
    draw : callable
        ``draw(rng)`` returns a point: a dictionary of numbers, vectors and matrices by their names.
        Points that break a hypothesis are drawn again.
    lines : str
        One line each: a relation (none on the first), a formula, ``#`` and a reason. A row without
        a relation goes on with the formula above it.
    given : str
        The hypotheses, one statement a line, each with what it says after ``#``.
    let : str
        Definitions ``name = formula``, in order.
    symbols : dict
        LaTeX for names that are printed otherwise than they are spelled.
    words : dict
        What is said for names that are read aloud otherwise than they are spelled.
    mistakes : str
        Wrong formulas that people write: ``3: w @ z + R  # what to say``, with the number of the
        line that it is written for.

    Raises
    ------
    FormulaError
        If a line is no formula, or the hypotheses are met by too few of the points.
    """

    def __init__(
        self,
        draw: Draw,
        lines: str,
        *,
        given: str = "",
        let: str = "",
        symbols: Mapping[str, str] | None = None,
        words: Mapping[str, str] | None = None,
        mistakes: str = "",
    ) -> None:
        self.draw = draw
        self.lines, self.given = lines_of(lines, chain=True), lines_of(given)
        self.symbols, self.words = dict(symbols or {}), dict(words or {})
        self.names = set(draw(np.random.default_rng(SEED)))
        self.definitions: dict[str, ast.expr] = {}
        for line in lines_of(let):
            name, _, formula = line.text.partition("=")
            self.definitions[name.strip()] = self.tree(formula)
        self.trees = [self.tree(line.text) for line in self.lines]
        self.conclusion = self.concludes()
        self.mistakes = mistakes_of(mistakes)
        for mistake in self.mistakes:
            self.tree(mistake.formula)
        self.hypotheses = [self.tree(line.text) for line in self.given]

    def tree(self, text: str) -> ast.expr:
        """Read a formula in the names of this derivation."""
        return read(text, self.names | self.definitions.keys())

    def concludes(self) -> int | None:
        """Return the number of the first line that concludes from a chain of values, if any does.

        Statements that follow each other from the first line on conclude from no chain.
        """
        for k, line in enumerate(self.lines[2:], start=2):  # one line is no chain
            if line.relation in STATEMENTS and not isinstance(self.trees[k - 1], ast.Compare):
                return k + 1
        return None

    def above(self, number: int, trees: Sequence[ast.expr]) -> ast.expr:
        """Return what a line is compared with: the line above, or what the chain above says."""
        if number != self.conclusion:
            return trees[number - 2]
        signs = {line.relation for line in self.lines[1 : number - 1]}
        if {sign[0] for sign in signs} >= {"<", ">"}:
            raise FormulaError(f"line {number}: a chain with both < and > concludes nothing.")
        strict = signs & {"<", ">"}
        (sign,) = strict or signs & {"<=", ">="} or {"="}
        written = "==" if sign == "=" else sign
        operation = next(kind for kind, text in RELATIONS.items() if text == written)
        return ast.Compare(trees[0], [operation()], [trees[number - 2]])

    # ---- points

    @cached_property
    def points(self) -> list[Point]:
        """Points that obey all hypotheses; the same at every run."""
        return self.sample()

    def sample(self, without: int | None = None) -> list[Point]:
        """Draw points that obey the hypotheses, or all but one of them."""
        asked = [tree for k, tree in enumerate(self.hypotheses) if k != without]
        rng = np.random.default_rng(SEED)
        found: list[Point] = []
        for _ in range(DRAWS * POINTS):
            point = self.draw(rng)
            for value in point.values():
                if isinstance(value, np.ndarray):
                    value.setflags(write=False)
            if all(self.value(tree, point) is True for tree in asked):
                found.append(point)
            if len(found) == POINTS:
                return found
        raise FormulaError(
            f"given: only {len(found)} of {DRAWS * POINTS} points obey the hypotheses; let draw "
            f"make more that do."
        )

    def value(self, tree: ast.expr, point: Point) -> Value | None:
        """Return what a formula is worth at a point, None if it has no value there."""
        try:
            return evaluate(tree, point, self.definitions)
        except FormulaError:
            return None

    def values(self, tree: ast.expr, points: Sequence[Point] | None = None) -> Values:
        """Return what a formula is worth at each point."""
        if points is None:
            points = self.points
            for own, known in zip(self.trees, self.line_values, strict=True):
                if own is tree:
                    return known
        return [self.value(tree, point) for point in points]

    @cached_property
    def line_values(self) -> list[Values]:
        """What each line is worth at each point."""
        return [self.values(tree, self.points) for tree in self.trees]

    # ---- does it follow?

    def problems(self, points: Sequence[Point] | None = None) -> list[Problem]:
        """Return the lines that do not follow from the line above; lines are counted from 1."""
        values = self.line_values
        if points is not None:
            values = [self.values(tree, points) for tree in self.trees]
        found = []
        without = [at for at, value in enumerate(values[0]) if value is None]
        if without:
            found.append(Problem(1, "has no value", without[0]))
        for number in range(2, len(self.lines) + 1):
            if problem := self.problem(number, self.trees, values, points):
                found.append(problem)
        return found

    def problem(
        self,
        number: int,
        trees: Sequence[ast.expr],
        values: Sequence[Values],
        points: Sequence[Point] | None = None,
    ) -> Problem | None:
        """Return why a line does not follow, among lines that may be others than the author's."""
        above, here = values[number - 2], values[number - 1]
        if number == self.conclusion:
            above = self.values(self.above(number, trees), points)
        relation = self.lines[number - 1].relation
        why, at = follows(relation, above, here)
        if not why and self.is_slack(number, trees[number - 1], points):
            why = SLACK
        return Problem(number, why, at) if why else None

    def is_slack(
        self, number: int, statement: ast.expr, points: Sequence[Point] | None = None
    ) -> bool:
        """Tell whether a line concludes a bound that is reached at no point.

        What follows from a chain is true everywhere, and a bound that is too large would be, too.
        """
        concludes = self.conclusion is not None and number >= self.conclusion
        if not (concludes and isinstance(statement, ast.Compare)):
            return False
        if not isinstance(statement.ops[0], ast.LtE | ast.GtE):
            return False
        sides = (self.values(side, points) for side in (statement.left, statement.comparators[0]))
        return not any(map(same, *sides))

    def check(self) -> None:
        """Raise AssertionError, with a counterexample, if a line does not follow."""
        for problem in self.problems():
            line = self.lines[problem.line - 1]
            words = f"line {problem.line}, {line.relation} {line.text}: {problem.why}"
            if problem.at is not None:
                words += f", at {self.shown_point(problem.at)}"
                if problem.line > 1:
                    above, here = self.above(problem.line, self.trees), self.trees[problem.line - 1]
                    point = self.points[problem.at]
                    words += f": the line above is {shown(self.value(above, point))}, "
                    words += f"this one {shown(self.value(here, point))}"
            raise AssertionError(f"{words}.")

    def needs(self) -> list[Need]:
        """Return for each hypothesis the first line that fails where only the others hold."""
        return self._needs

    @cached_property
    def _needs(self) -> list[Need]:
        found = []
        for k, hypothesis in enumerate(self.given):
            broken = self.problems(self.sample(without=k))
            # A line that gives something away is still true.
            false = [problem.line for problem in broken if problem.at is not None]
            found.append(Need(hypothesis, false[0] if false else None))
        return found

    def shown_point(self, at: int, trees: Sequence[ast.expr] | None = None) -> str:
        """Return a point in words, with the names that some formulas use: by default all lines."""
        point = self.points[at]
        used = {name for tree in trees or self.trees for name in self.used(tree)}
        return ", ".join(f"{name} = {shown(point[name])}" for name in point if name in used)

    def used(self, tree: ast.expr) -> set[str]:
        """Return the names that a formula uses, through the definitions as well."""
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        behind = [self.used(self.definitions[name]) for name in names & self.definitions.keys()]
        return names.union(*behind)

    # ---- what is shown

    def printer(self, style: type[Latex] = Latex) -> Latex:
        """Return what prints the formulas of this derivation."""
        names = self.words if style is Words else self.symbols
        return style(self.points[-1], self.definitions, names)

    def rows(self, blanks: Sequence[int] = ()) -> list[Row]:
        """Return all lines as they are shown, checked before.

        Of lines whose numbers are in ``blanks`` only the relation is told.
        """
        self.check()
        latex, words = self.printer(), self.printer(Words)
        found = []
        for number, (line, tree) in enumerate(zip(self.lines, self.trees, strict=True), start=1):
            if number in blanks:
                row = Row(number, line.relation, [], "", "", "")
            else:
                pieces = latex.pieces(tree)
                row = Row(number, line.relation, pieces, words(tree), line.text, line.reason)
            found.append(row)
        return found

    def premises(self) -> list[Premise]:
        """Return the hypotheses, each with the line that needs it, and then the definitions."""
        latex, words = self.printer(), self.printer(Words)
        found = []
        for need, tree in zip(self.needs(), self.hypotheses, strict=True):
            pieces = latex.pieces(tree)
            says = need.hypothesis.reason
            found.append(Premise(pieces, words(tree), need.hypothesis.text, says, need.line))
        for name, tree in self.definitions.items():
            pieces, said = (printer.definition(name, tree) for printer in (latex, words))
            text = f"{name} = {ast.unparse(tree)}"
            found.append(Premise(pieces, "".join(said), text, "", None, defines=True))
        return found

    def spoken(self) -> str:
        """Return the derivation as one reads it aloud."""
        return display.spoken(self.premises(), self.rows())

    def _repr_html_(self) -> str:
        return display.html(self.premises(), self.rows())

    def __repr__(self) -> str:
        return display.plain(self.premises(), self.rows())


# ---------------------------------------------------------------- one line after another


def follows(relation: str, above: Values, here: Values) -> tuple[str, int | None]:
    """Return why a line does not follow from the one above and at which point, or ("", None)."""
    attained = False
    # "≥ 0" says something where both sides are 0; "≤ w·z" attained only there says little.
    constant = all(same(value, here[0]) for value in here)
    for at, (a, b) in enumerate(zip(above, here, strict=True)):
        if b is None:
            return "has no value", at
        if a is None:
            return "stands below a line that has no value", at
        if why := _wrong(relation, a, b):
            return why, at
        if relation in STATEMENTS:
            attained = attained or a is True
        elif relation != "=":
            attained = attained or (close(a, b) and (matters(a, b) or constant))
    if relation in STATEMENTS and not attained:
        return "is about nothing: the line above is true at no point", None
    if relation in ("<=", ">=") and not attained:
        return "gives something away: the two sides are equal at no point", None
    return "", None


def matters(a: Value, b: Value) -> bool:
    """Tell whether two equal sides show that a line gives nothing away."""
    return max(abs(float(a)), abs(float(b))) > MATTERS


def _wrong(relation: str, a: Value, b: Value) -> str:
    """Return why a relation does not hold between two values, or ''."""
    statements = isinstance(a, bool), isinstance(b, bool)
    if relation in STATEMENTS:
        if not all(statements):
            return "relates something that is no statement"
        fails = (a and not b) or (relation == "<=>" and b and not a)
        return "does not follow" if fails else ""
    if any(statements):
        return "relates a statement as if it were a value"
    if relation == "=":
        if np.shape(a) != np.shape(b):
            return f"is {kind(b)}, where the line above is {kind(a)}"
        return "" if close(a, b) else "does not follow"
    if np.ndim(a) or np.ndim(b):
        return f"compares {kind(a)} with {kind(b)}"
    rises = float(b) > float(a)
    wanted = relation[0] == "<"
    if close(a, b):
        return "does not follow: the two sides are equal" if len(relation) == 1 else ""
    return "" if rises == wanted else "does not follow"


def shown(value: Value | None) -> str:
    """Return a value as a person writes it.

    >>> shown(np.array([1.0, -0.5])), shown(2.0), shown(True)
    ('(1, -0.5)', '2', 'true')
    """
    if value is None:
        return "without a value"
    if isinstance(value, bool):
        return "true" if value else "false"
    if np.ndim(value):
        return f"({', '.join(shown(part) for part in value)})"
    return f"{float(value) + 0.0:.3g}"
