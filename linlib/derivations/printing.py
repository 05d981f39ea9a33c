"""A formula as LaTeX, and in words for whoever cannot see it.

A printer goes through the tree of a formula and writes each part, with brackets where it would
otherwise fall apart. How tightly a written part holds together is its *level*: a sum falls apart in
a product, a product does not fall apart in a sum.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import numpy as np

from linlib.derivations.expressions import RELATIONS, FormulaError, Point, counted, evaluate

SUM, OPEN, DOT, PRODUCT, FACTOR, ATOM = range(6)
GREEK = {
    *("alpha", "beta", "gamma", "delta", "epsilon", "eta", "theta", "kappa", "lambda", "mu", "nu"),
    *("xi", "pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega"),
    *("Gamma", "Delta", "Theta", "Lambda", "Sigma", "Phi", "Psi", "Omega"),
}


class Written(NamedTuple):
    """A part of a formula as it is written, and how tightly it holds together."""

    text: str
    level: int


def letters(name: str) -> tuple[str, str, str]:
    """Return the letter of a name, its index and its mark.

    >>> letters("w_star"), letters("Sigma1"), letters("lam_i")
    (('w', '', 'star'), ('Sigma', '1', ''), ('lambda', 'i', ''))
    """
    stem, _, after = name.partition("_")
    letter = stem.rstrip("0123456789")
    index = stem[len(letter) :]
    mark = after if after in ("star", "hat", "bar") else ""
    return {"lam": "lambda"}.get(letter, letter), index + (after if not mark else ""), mark


class Latex:
    """Prints formulas as LaTeX.

    A point tells which names are vectors (bold) and which are matrices. ``symbols`` has the names
    that are printed otherwise than they are spelled.
    """

    def __init__(
        self, point: Point, definitions: Mapping[str, ast.expr], symbols: Mapping[str, str]
    ) -> None:
        self.point, self.definitions, self.symbols = point, definitions, symbols

    def __call__(self, node: ast.expr) -> str:
        """Return a whole line."""
        return "".join(self.pieces(node))

    def pieces(self, node: ast.expr) -> list[str]:
        """Return a whole line in pieces: a narrow screen may break it between them."""
        if self.is_row(node):
            raise FormulaError(
                f"{ast.unparse(node)}: this prints as a row; write it as a column, A.T @ x."
            )
        node = self.number_first(node)
        if isinstance(node, ast.Compare):
            before, relation, after = self.sides(node)
            return [*before, self.continued(self.relation(relation), after[0]), *after[1:]]
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)):
            return [self.write(node).text]
        sign, right = self.signed(node)
        return [*self.pieces(node.left), self.continued(sign, right)]

    def definition(self, name: str, node: ast.expr) -> list[str]:
        """Return ``name = formula``; a vector that is given by its elements has an index."""
        left = self.write(ast.Name(name, ast.Load())).text
        if not isinstance(node, ast.ListComp):
            first, *rest = self.pieces(node)
            return [left, self.continued(self.relation("=="), first), *rest]
        counter, _ = counted(node)
        inner = self.counting(node)
        element = self.with_index(self.symbol(name, 0), counter)
        return [element, self.continued(self.relation("=="), inner.write(node.elt).text)]

    def inside(self, node: ast.expr, level: int) -> str:
        """Return a part, in brackets unless it holds together at this level."""
        written = self.write(node)
        return written.text if written.level >= level else self.brackets(written.text)

    def write(self, node: ast.expr) -> Written:
        node = self.number_first(node)
        kind = node.op if isinstance(node, ast.BinOp) else node
        method = getattr(self, f"write_{type(kind).__name__}")
        written: Written = method(node)
        return written

    def rank(self, node: ast.expr) -> int:
        """Return 0 for a number, 1 for a vector, 2 for a matrix."""
        return np.ndim(evaluate(node, self.point, self.definitions))

    def is_row(self, node: ast.expr) -> bool:
        """Tell whether a product with a vector on its left and a matrix on its right is all."""
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)):
            return False
        return self.rank(node) == 1 and self.rank(_factors(node, ast.MatMult)[-1]) == 2

    def number_first(self, node: ast.expr) -> ast.expr:
        """Return (−a) b as −(a b) and (a x) @ y as a (x @ y): as one writes it by hand."""
        linear = ast.Mult | ast.Div | ast.MatMult
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, linear)):
            return node
        left = self.number_first(node.left)
        if isinstance(left, ast.UnaryOp):
            return ast.UnaryOp(left.op, ast.BinOp(left.operand, node.op, node.right))
        a_number_times = (
            isinstance(node.op, ast.MatMult)
            and isinstance(left, ast.BinOp)
            and isinstance(left.op, ast.Mult)
            and self.rank(left.left) == 0
        )
        if a_number_times:
            product = ast.BinOp(left.right, node.op, node.right)  # type: ignore[attr-defined]
            return ast.BinOp(left.left, left.op, product)  # type: ignore[attr-defined]
        return ast.BinOp(left, node.op, node.right)

    # ---- names and numbers

    def written_as(self, name: str) -> str:
        """Return how the author wants a name printed, or ''."""
        return self.symbols.get(name, "")

    def write_Name(self, node: ast.Name) -> Written:
        if written := self.written_as(node.id):
            return Written(written, ATOM)
        text = self.symbol(node.id, self.rank(node))
        return Written(text, FACTOR if "^" in text else ATOM)

    def write_Constant(self, node: ast.Constant) -> Written:
        number = float(node.value)  # type: ignore[arg-type]
        return Written(f"{number:g}", ATOM)

    def write_Subscript(self, node: ast.Subscript) -> Written:
        name = node.value.id  # type: ignore[attr-defined]
        rank = self.rank(node)
        # Row i of the matrix Z is the vector z with the index i.
        letter = self.written_as(name) or self.symbol(name.lower() if rank else name, rank)
        return Written(self.with_index(letter, ast.unparse(node.slice)), ATOM)

    def write_Attribute(self, node: ast.Attribute) -> Written:
        if self.rank(node) < 2:
            raise FormulaError(f"{ast.unparse(node)}: only a matrix has a transpose here.")
        return Written(self.transposed(self.inside(node.value, ATOM)), FACTOR)

    # ---- operations

    def write_UnaryOp(self, node: ast.UnaryOp) -> Written:
        return Written(self.minus(self.inside(node.operand, OPEN)), SUM)

    def write_Add(self, node: ast.BinOp) -> Written:
        sign, right = self.signed(node)
        return Written(f"{self.write(node.left).text} {sign} {right}", SUM)

    def write_Sub(self, node: ast.BinOp) -> Written:
        return self.write_Add(node)

    def signed(self, node: ast.BinOp) -> tuple[str, str]:
        """Return the sign and the second term of a sum or a difference."""
        if isinstance(node.op, ast.Sub):
            return self.signs["-"], self.inside(node.right, OPEN)
        right = self.write(node.right).text
        if self.begins_with_minus(node.right):  # a + (−b)
            right = self.brackets(right)
        return self.signs["+"], right

    def write_Div(self, node: ast.BinOp) -> Written:
        small = isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant)
        above, below = self.write(node.left).text, self.write(node.right).text
        return Written(self.fraction(above, below, small=small), PRODUCT)

    def write_Pow(self, node: ast.BinOp) -> Written:
        return Written(
            self.power(self.inside(node.left, ATOM), self.write(node.right).text), FACTOR
        )

    def write_Mult(self, node: ast.BinOp) -> Written:
        *first, last = _factors(node, ast.Mult)
        nothing = isinstance(first[0], ast.Constant) and first[0].value == 0
        if nothing and self.rank(node):
            return Written(self.zero(self.rank(node)), ATOM)
        written = self.write(last)
        # After a vector a sum needs brackets, after a number only what would run on does.
        least = PRODUCT if any(map(self.rank, first)) else OPEN
        if written.level < least:
            written = Written(self.brackets(written.text), ATOM)
        text = self.inside(first[0], PRODUCT)
        for factor in first[1:]:
            text = self.beside(text, self.inside(factor, PRODUCT), ATOM)
        return Written(self.beside(text, *written), min(written.level, PRODUCT))

    def write_MatMult(self, node: ast.BinOp) -> Written:
        factors = _factors(node, ast.MatMult)
        ranks = [self.rank(factor) for factor in factors]
        text, level = self.inside(factors[0], PRODUCT), PRODUCT
        for k, factor in enumerate(factors[1:], start=1):
            right = self.inside(factor, PRODUCT)
            if ranks[k - 1] == ranks[k] == 1:
                text, level = self.dot(text, right), DOT
            elif ranks[k - 1] == 1:  # a vector before a matrix stands as a row
                left = self.inside(factors[0], ATOM) if k == 1 else self.brackets(text)
                # A number made of a row and a column needs brackets beside a vector, as a dot does.
                text, level = self.beside(self.transposed(left), right, ATOM), DOT
            else:
                text = self.beside(text, right, ATOM)
        return Written(text, level)

    def begins_with_minus(self, node: ast.expr) -> bool:
        node = self.number_first(node)
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            node = self.number_first(node.left)
        return isinstance(node, ast.UnaryOp)

    # ---- statements, cases, functions

    def write_Compare(self, node: ast.Compare) -> Written:
        return Written("".join(self.pieces(node)), SUM)

    def sides(self, node: ast.Compare) -> tuple[list[str], str, list[str]]:
        """Return the left of a statement in pieces, its relation and its right in pieces."""
        left, right = node.left, node.comparators[0]
        zero = isinstance(right, ast.Constant) and right.value == 0
        # The number 0 is compared with vectors and matrices, too.
        written = [self.zero(self.rank(left))] if zero else self.pieces(right)
        return self.pieces(left), RELATIONS[type(node.ops[0])], written

    def write_Tuple(self, node: ast.Tuple) -> Written:
        parts = ", ".join(self.write(part).text for part in node.elts)
        return Written(self.brackets(parts), ATOM)

    def write_ListComp(self, node: ast.ListComp) -> Written:
        counter, _ = counted(node)
        element = self.brackets(self.counting(node).write(node.elt).text)
        return Written(self.with_index(element, counter), ATOM)

    def write_IfExp(self, node: ast.IfExp) -> Written:
        parts = (node.body, node.test, node.orelse)
        return Written(self.cases(*(self.write(part).text for part in parts)), OPEN)

    def write_Call(self, node: ast.Call) -> Written:
        name = node.func.id  # type: ignore[attr-defined]
        if name == "sum":
            return self.write_sum(node.args[0])  # type: ignore[arg-type]
        if name == "grad":
            function, by = self.inside(node.args[0], PRODUCT), self.write(node.args[1]).text
            one_number = self.rank(node.args[1]) == 0
            written = self.derivative if one_number else self.gradient
            return Written(written(function, by), OPEN)
        if name == "inv":
            return Written(self.inverse(self.inside(node.args[0], ATOM)), FACTOR)
        if name == "outer":
            left, right = (self.inside(argument, ATOM) for argument in node.args)
            return Written(self.beside(left, self.transposed(right), ATOM), PRODUCT)
        if name == "log":
            return Written(self.logarithm(self.write(node.args[0])), OPEN)
        return self.call(name, [self.write(argument).text for argument in node.args])

    def write_sum(self, generator: ast.GeneratorExp) -> Written:
        counter, over = counted(generator)
        inner = self.counting(generator)
        under = inner.symbol(counter, np.ndim(self.point[over][0]))
        many = self.symbols.get(over, self.symbol(over, 0))
        return Written(self.total(under, many, inner.inside(generator.elt, OPEN)), OPEN)

    def counting(self, loop: ast.GeneratorExp | ast.ListComp) -> Latex:
        """Return a printer that knows the counter of a sum as well."""
        counter, over = counted(loop)
        point = {**self.point, counter: self.point[over][0]}
        return type(self)(point, self.definitions, self.symbols)

    # ---- how LaTeX writes it

    signs: ClassVar[Mapping[str, str]] = {"+": "+", "-": "-"}

    def continued(self, sign: str, text: str) -> str:
        """Return a sign and what follows it, as a piece that may begin a row."""
        return f"{{}} {sign} {text}"

    def symbol(self, name: str, rank: int) -> str:
        letter, index, mark = letters(name)
        tex = f"\\{letter}" if letter in GREEK else letter
        if rank == 1:
            tex = rf"\boldsymbol{{{tex}}}" if letter in GREEK else rf"\mathbf{{{tex}}}"
        if mark == "hat":
            tex = rf"\hat{{{tex}}}"
        if mark == "bar":
            tex = rf"\bar{{{tex}}}"
        if index:
            tex = self.with_index(tex, index)
        return f"{tex}^*" if mark == "star" else tex

    def with_index(self, tex: str, index: str) -> str:
        return f"{tex}_{{{index}}}"

    def brackets(self, tex: str) -> str:
        tall = any(big in tex for big in (r"\frac", r"\sum"))
        return rf"\left({tex}\right)" if tall else f"({tex})"

    def transposed(self, tex: str) -> str:
        return rf"{tex}^\top"

    def inverse(self, tex: str) -> str:
        return f"{tex}^{{-1}}"

    def minus(self, tex: str) -> str:
        return f"-{tex}"

    def fraction(self, above: str, below: str, *, small: bool) -> str:
        return rf"\{'t' if small else ''}frac{{{above}}}{{{below}}}"

    def power(self, base: str, exponent: str) -> str:
        return f"{base}^{{{exponent}}}"

    def beside(self, left: str, right: str, level: int) -> str:
        """Write two factors side by side, with a dot where two numbers would become one."""
        if right[:1].isdigit():
            return rf"{left} \cdot {right}"
        return f"{left} {right}" if level >= PRODUCT else rf"{left}\,{right}"

    def dot(self, left: str, right: str) -> str:
        return rf"{left} \cdot {right}"

    def relation(self, sign: str) -> str:
        printed = {"==": "=", "!=": r"\ne", "<=": r"\le", ">=": r"\ge"}
        return printed.get(sign, sign)

    def zero(self, rank: int) -> str:
        return r"\mathbf{0}" if rank == 1 else "0"

    def cases(self, one: str, condition: str, other: str) -> str:
        rows = rf"{one} & \text{{if }} {condition} \\ {other} & \text{{otherwise}}"
        return rf"\begin{{cases}}{rows}\end{{cases}}"

    def gradient(self, function: str, by: str) -> str:
        return rf"\nabla_{{{by}}}\, {function}"

    def derivative(self, function: str, by: str) -> str:
        return rf"\frac{{d}}{{d {by}}}\, {function}"

    def logarithm(self, of: Written) -> str:
        bare = of.level == ATOM or (
            of.level == PRODUCT and of.text.startswith((r"\frac", r"\tfrac"))
        )
        return rf"\ln {of.text if bare else self.brackets(of.text)}"

    def total(self, counter: str, over: str, term: str) -> str:
        under = rf"{counter} \in {over}" if over else counter
        return rf"\sum_{{{under}}} {term}"

    def call(self, name: str, arguments: list[str]) -> Written:
        inside = ", ".join(arguments)
        if name == "exp":
            low = not any(tall in inside for tall in (r"\frac", "(", r"\sum"))
            return Written(f"e^{{{inside}}}" if low else rf"\exp{self.brackets(inside)}", FACTOR)
        around = {
            "norm": (r"\lVert %s \rVert", ATOM),
            "abs": (r"\lvert %s \rvert", ATOM),
            "det": (r"\lvert %s \rvert", ATOM),
            "sqrt": (r"\sqrt{%s}", ATOM),
        }
        if name in around:
            template, level = around[name]
            if r"\frac" in inside:  # bars as tall as what they hold
                template = template.replace(r"\l", r"\left\l").replace(r"\r", r"\right\r")
            return Written(template % inside, level)
        if name in ("max", "min"):
            return Written(rf"\{name}{self.brackets(inside)}", FACTOR)
        operator = {"trace": "tr"}.get(name, name)
        return Written(rf"\operatorname{{{operator}}}{self.brackets(inside)}", FACTOR)


class Words(Latex):
    """Prints formulas in words, as one reads them aloud."""

    signs: ClassVar[Mapping[str, str]] = {"+": "plus", "-": "minus"}

    def continued(self, sign: str, text: str) -> str:
        return f" {sign} {text}"

    def symbol(self, name: str, rank: int) -> str:
        letter, index, mark = letters(name)
        return " ".join(part for part in (letter, index, mark) if part)

    def with_index(self, tex: str, index: str) -> str:
        return f"{tex} {index}"

    def brackets(self, tex: str) -> str:
        return f"open bracket {tex} close bracket"

    def transposed(self, tex: str) -> str:
        return f"{tex} transposed"

    def inverse(self, tex: str) -> str:
        return f"the inverse of {tex}"

    def minus(self, tex: str) -> str:
        return f"minus {tex}"

    def fraction(self, above: str, below: str, *, small: bool) -> str:
        halves = {("1", "2"): "one half"}
        return halves.get((above, below)) or f"the fraction {above} over {below}, end of fraction"

    def power(self, base: str, exponent: str) -> str:
        return f"{base} squared" if exponent == "2" else f"{base} to the power {exponent}"

    def beside(self, left: str, right: str, level: int) -> str:
        return f"{left} times {right}"

    def dot(self, left: str, right: str) -> str:
        return f"{left} dot {right}"

    def relation(self, sign: str) -> str:
        return {
            "==": "equals",
            "!=": "is not",
            "<=": "is at most",
            ">=": "is at least",
            "<": "is less than",
            ">": "is more than",
        }[sign]

    def zero(self, rank: int) -> str:
        return "zero"

    def cases(self, one: str, condition: str, other: str) -> str:
        return f"{one} if {condition}, otherwise {other}"

    def gradient(self, function: str, by: str) -> str:
        return f"the gradient by {by} of {function}"

    def derivative(self, function: str, by: str) -> str:
        return f"the derivative by {by} of {function}"

    def logarithm(self, of: Written) -> str:
        return f"the logarithm of {of.text if of.level == ATOM else self.brackets(of.text)}"

    def total(self, counter: str, over: str, term: str) -> str:
        return f"the sum over {counter}{f' in {over}' if over else ''} of {term}"

    def call(self, name: str, arguments: list[str]) -> Written:
        called = {
            "exp": "e to the power",
            "norm": "the length of",
            "abs": "the absolute value of",
            "det": "the determinant of",
            "sqrt": "the square root of",
            "trace": "the trace of",
            "sign": "the sign of",
            "max": "the larger of",
            "min": "the smaller of",
        }[name]
        return Written(f"{called} {self.brackets(' and '.join(arguments))}", ATOM)


def _factors(node: ast.expr, operation: type[ast.operator]) -> list[ast.expr]:
    """Return a, b, c of a·b·c."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, operation):
        return [*_factors(node.left, operation), node.right]
    return [node]
