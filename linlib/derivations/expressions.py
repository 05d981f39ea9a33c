"""Formulas as text: which texts are formulas, and what a formula is worth at a point.

A formula is written as in Python: ``w @ z`` is a dot product, ``A.T`` a transpose, ``R**2`` a
power, ``sum(lam[i] * z[i] for i in M)`` a sum, ``[exp(g[k]) for k in K]`` a vector by its elements,
``(x, -x, 0*x)`` vectors in a row and ``grad(f, w)`` a gradient. :func:`read` lets through what
formulas need and nothing else, and :func:`evaluate` walks through the tree itself: a text is never
run as a program, so that a reader's answer can be evaluated, whatever it says.

Values are numbers, vectors, matrices (arrays of 0, 1 and 2 dimensions) and statements (True,
False). A number is not added to a vector and two vectors have no product ``*``: what a formula on
paper does not say has no value here.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

Value = Any  # float, bool, or an array of one or two dimensions
Point = Mapping[str, Value]

MOST_LETTERS = 400  # of one line; longer ones are not lines that anybody reads
MOST_NODES = 200
MOST_SUMS = 3  # one inside another
# Parts of one formula that are evaluated at one point, each as often as a sum or gradient asks for
# it; the longest line of the course takes half as many.
MOST_STEPS = 6000


class FormulaError(ValueError):
    """A text that is no formula, or a formula without a value; the message says why."""


# ---------------------------------------------------------------- what a formula may say

RELATIONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.LtE: "<=",
    ast.GtE: ">=",
    ast.Lt: "<",
    ast.Gt: ">",
}
# Functions of one argument; sum, grad, max, min and outer have rules of their own.
ONE_ARGUMENT: dict[str, Callable[[Any], Any]] = {
    "log": np.log,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "sign": np.sign,
    "norm": np.linalg.norm,
    "inv": np.linalg.inv,
    "det": np.linalg.det,
    "trace": np.trace,
}
TWO_ARGUMENTS = ("max", "min", "outer")
FUNCTIONS = frozenset({*ONE_ARGUMENT, *TWO_ARGUMENTS, "sum", "grad"})
CONSTANTS = {"pi": np.pi}
# What people type or paste, and what it is here.
HANDWRITTEN = {
    **dict.fromkeys("·⋅", "@ (between vectors) or * (after a number)"),
    **dict.fromkeys("‖∥|", "norm(w) or abs(t)"),
    "×": "*",
    "²": "**2",
    "³": "**3",
    "√": "sqrt(t)",
    "−": "a plain minus",
    "–": "a plain minus",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "∇": "grad(f, w)",
    "Σ": "Sigma, or sum(… for i in M)",
    "∑": "sum(… for i in M)",
    "ᵀ": ".T",
    "^": "**",
}


def read(text: str, names: set[str]) -> ast.expr:
    """Return the tree of a formula in these names; other texts raise FormulaError."""
    if len(text) > MOST_LETTERS:
        raise FormulaError(f"A line has at most {MOST_LETTERS} letters; this has {len(text)}.")
    if not text.strip():
        raise FormulaError("Nothing is written here.")
    if "\\" in text or "$" in text:
        raise FormulaError(
            "This looks like LaTeX; write it as in Python, as in norm(w)**2 + w @ z."
        )
    if signs := sorted(set(text) & set(HANDWRITTEN)):
        raise FormulaError(f"Write {HANDWRITTEN[signs[0]]} in place of {signs[0]}.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python has advice on texts that are refused below
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise FormulaError(
            "This is no formula in Python's notation; a product needs * (a number and something) "
            "or @ (vectors and matrices), a power **, and every bracket its other half."
        ) from None
    if sum(1 for _ in ast.walk(tree)) > MOST_NODES:
        raise FormulaError("This is too long for one line.")
    _Reader(names).whole(tree)
    return tree


class _Reader(ast.NodeVisitor):
    """Visits every part of a formula; a part that it has no method for is refused."""

    def __init__(self, names: set[str]) -> None:
        self.names = names
        self.counters: list[str] = []  # the names that the sums around a part count with
        self.in_gradient = False

    def whole(self, tree: ast.expr) -> None:
        """Visit a line, which may be a statement; its parts are values."""
        if isinstance(tree, ast.Compare):
            self.visit_statement(tree)
        else:
            self.visit(tree)

    def generic_visit(self, node: ast.AST) -> NoReturn:
        raise _refused(node, "this has no place in a formula")

    def visit_Constant(self, node: ast.Constant) -> None:
        if type(node.value) not in (int, float):
            raise _refused(node, "this is not a number")

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in FUNCTIONS:
            raise _refused(node, f"a function has brackets, as in {node.id}(…)")
        if node.id not in {*self.names, *self.counters, *CONSTANTS}:
            given = ", ".join(sorted(self.names))
            raise _refused(node, f"this is not given; given are {given}")

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if not isinstance(node.op, ast.USub):
            raise _refused(node, "the only sign before a term is a minus")
        self.visit(node.operand)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) not in OPERATIONS:
            raise _refused(node, "this operation has no place in a formula")
        self.visit(node.left)
        self.visit(node.right)

    def visit_Compare(self, node: ast.Compare) -> NoReturn:
        raise _refused(node, "a statement is no part of a formula")

    def visit_statement(self, node: ast.expr) -> None:
        if not isinstance(node, ast.Compare):
            raise _refused(node, "a statement is wanted here, such as w @ z <= 0")
        if len(node.ops) > 1:
            raise _refused(node, "one comparison at a time")
        if type(node.ops[0]) not in RELATIONS:
            raise _refused(node, "a comparison is one of ==, !=, <=, >=, < and >")
        self.visit(node.left)
        self.visit(node.comparators[0])

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.visit_statement(node.test)
        self.visit(node.body)
        self.visit(node.orelse)

    def visit_Tuple(self, node: ast.Tuple) -> None:
        for part in node.elts:
            self.visit(part)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        how = "a vector by its elements is written [… for k in K], with K one of the given names"
        self.visit_loop(node, how)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.value, ast.Name):
            raise _refused(node, "only a name can have an index")
        if not isinstance(node.slice, ast.Name | ast.Constant):
            raise _refused(node, "an index is one name or one number")
        self.visit(node.value)
        self.visit(node.slice)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr != "T":
            raise _refused(node, "only .T, the transpose, may follow a dot")
        self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in FUNCTIONS:
            raise _refused(node, f"functions are {', '.join(sorted(FUNCTIONS))}")
        if name == "sum":
            self.visit_sum(node)
            return
        wanted = 1 if name in ONE_ARGUMENT else 2
        if node.keywords or len(node.args) != wanted:
            raise _refused(node, f"{name} takes {wanted} argument{'s' * (wanted > 1)}")
        if name == "grad":
            self.visit_gradient(node)
        for argument in node.args:
            self.visit(argument)
        if name == "grad":
            self.in_gradient = False

    def visit_gradient(self, node: ast.Call) -> None:
        by = node.args[1]
        if not (isinstance(by, ast.Name) and by.id in self.names):
            raise _refused(node, "a gradient is written grad(f, w), with w one of the given names")
        if self.in_gradient:
            raise _refused(node, "a gradient inside a gradient takes too long")
        self.in_gradient = True

    def visit_sum(self, node: ast.Call) -> None:
        how = "a sum is written sum(… for i in M), with M one of the given names"
        inside = node.args[0] if len(node.args) == 1 else None
        if node.keywords or not isinstance(inside, ast.GeneratorExp):
            raise _refused(node, how)
        self.visit_loop(inside, how)

    def visit_loop(self, node: ast.GeneratorExp | ast.ListComp, how: str) -> None:
        """Visit ``… for i in M``: one counter, one set, no condition."""
        loop = node.generators[0]
        plain = len(node.generators) == 1 and not loop.ifs and not loop.is_async
        if not (plain and isinstance(loop.target, ast.Name) and isinstance(loop.iter, ast.Name)):
            raise _refused(node, how)
        if loop.iter.id not in self.names:
            raise _refused(node, how)
        counter = loop.target.id
        if counter in {*self.names, *self.counters, *CONSTANTS, *FUNCTIONS}:
            raise _refused(node, f"{counter} means something already; count with another name")
        if len(self.counters) == MOST_SUMS:
            raise _refused(node, f"at most {MOST_SUMS} sums stand one inside another")
        self.counters.append(counter)
        self.visit(node.elt)
        self.counters.pop()


def _refused(node: ast.AST, why: str) -> FormulaError:
    what = ast.unparse(node) if isinstance(node, ast.expr) else type(node).__name__
    return FormulaError(f"{what}: {why}.")


# ---------------------------------------------------------------- what a formula is worth


def _add(a: Value, b: Value, how: Callable[[Value, Value], Value] = operator.add) -> Value:
    if np.shape(a) != np.shape(b):
        raise FormulaError(f"{kind(a)} and {kind(b)} cannot be added.")
    return how(a, b)


def _subtract(a: Value, b: Value) -> Value:
    return _add(a, b, operator.sub)


def _multiply(a: Value, b: Value) -> Value:
    if np.ndim(a) and np.ndim(b):
        raise FormulaError(f"{kind(a)} times {kind(b)}: a product of vectors or matrices is @.")
    return a * b


def _divide(a: Value, b: Value) -> Value:
    if np.ndim(b):
        raise FormulaError(f"Nothing can be divided by {kind(b)}.")
    return a / b


def _power(a: Value, b: Value) -> Value:
    if np.ndim(a) or np.ndim(b):
        raise FormulaError("Only a number has powers; the square of a length is norm(w)**2.")
    power = float(a) ** float(b)
    if isinstance(power, complex):
        raise FormulaError("This has no value: a power of a negative number.")
    return power


def _product(a: Value, b: Value) -> Value:
    fits = np.ndim(a) and np.ndim(b) and np.shape(a)[-1] == np.shape(b)[0]
    if not fits:
        raise FormulaError(f"{kind(a)} @ {kind(b)} is no product.")
    return a @ b


def _transpose(a: Value) -> Value:
    if np.ndim(a) == 0:
        raise FormulaError("A number has no transpose.")
    return a.T


def _outer(a: Value, b: Value) -> Value:
    # Of two vectors only: of matrices NumPy would make one that fills the memory.
    if not np.ndim(a) == np.ndim(b) == 1:
        raise FormulaError(f"outer takes two vectors, not {kind(a)} and {kind(b)}.")
    return np.outer(a, b)


def _in_a_row(parts: list[Value]) -> Value:
    if any(np.ndim(part) > 1 for part in parts):
        raise FormulaError("Numbers and vectors stand in a row, matrices do not.")
    return np.concatenate([np.atleast_1d(part) for part in parts])


def _elements(parts: list[Value]) -> Value:
    if any(map(np.ndim, parts)):
        raise FormulaError("The elements of a vector are numbers.")
    return np.array(parts)


OPERATIONS: dict[type[ast.operator], Callable[[Value, Value], Value]] = {
    ast.Add: _add,
    ast.Sub: _subtract,
    ast.Mult: _multiply,
    ast.Div: _divide,
    ast.Pow: _power,
    ast.MatMult: _product,
}


def evaluate(node: ast.expr, point: Point, definitions: Mapping[str, ast.expr]) -> Value:
    """Return what a formula is worth at a point; raise FormulaError where it has no value."""
    try:
        with np.errstate(all="ignore"):
            value = _Evaluation(definitions).value(node, point)
    except FormulaError:
        raise
    except (ArithmeticError, ValueError, TypeError, IndexError, np.linalg.LinAlgError):
        raise FormulaError("This has no value: some part of it is not defined.") from None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if not np.all(np.isfinite(value)):
        raise FormulaError("This has no value: a division by zero, or a number that is too large.")
    return value


class _Evaluation:
    """Goes through the tree of one formula, at one point."""

    def __init__(self, definitions: Mapping[str, ast.expr]) -> None:
        self.definitions = definitions
        self.steps = 0

    def value(self, node: ast.expr, point: Point) -> Value:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise FormulaError("This takes too long: it has too many sums or gradients.")

        def of(part: ast.expr) -> Value:
            return self.value(part, point)

        match node:
            case ast.Constant():
                return float(node.value)  # type: ignore[arg-type]
            case ast.Name():
                return self.named(node.id, point)
            case ast.UnaryOp():
                return -of(node.operand)
            case ast.BinOp():
                return OPERATIONS[type(node.op)](of(node.left), of(node.right))
            case ast.Compare():
                return _holds(RELATIONS[type(node.ops[0])], of(node.left), of(node.comparators[0]))
            case ast.IfExp():
                return of(node.body) if of(node.test) else of(node.orelse)
            case ast.Subscript():
                return of(node.value)[int(of(node.slice))]
            case ast.Attribute():
                return _transpose(of(node.value))
            case ast.Tuple():
                return _in_a_row([of(part) for part in node.elts])
            case ast.ListComp():
                return _elements(list(self.terms(node, point)))
            case ast.Call(func=ast.Name(name)):
                return self.call(name, node.args, point)
        raise _refused(node, "this has no place in a formula")

    def named(self, name: str, point: Point) -> Value:
        if name in self.definitions:
            return self.value(self.definitions[name], point)
        return CONSTANTS[name] if name in CONSTANTS else point[name]

    def call(self, name: str, arguments: Sequence[ast.expr], point: Point) -> Value:
        if name == "sum":
            return self.sum(arguments[0], point)
        if name == "grad":
            function, by = arguments
            assert isinstance(by, ast.Name)

            def moved(to: Value) -> Value:
                return self.value(function, {**point, by.id: to})

            return gradient(moved, point[by.id])
        values = [self.value(argument, point) for argument in arguments]
        if name in ONE_ARGUMENT:
            return ONE_ARGUMENT[name](*values)
        if name == "outer":
            return _outer(*values)
        return max(values) if name == "max" else min(values)

    def sum(self, generator: ast.expr, point: Point) -> Value:
        """Add the terms; over an empty set the sum is the number 0."""
        total: Value = 0.0
        for k, term in enumerate(self.terms(generator, point)):
            total = term if k == 0 else _add(total, term)
        return total

    def terms(self, loop: ast.expr, point: Point) -> Iterator[Value]:
        assert isinstance(loop, ast.GeneratorExp | ast.ListComp)
        counter, over = counted(loop)
        for member in point[over]:
            yield self.value(loop.elt, {**point, counter: member})


def counted(loop: ast.GeneratorExp | ast.ListComp) -> tuple[str, str]:
    """Return what a sum counts with and what it counts through: i and M of Σ over i in M."""
    generator = loop.generators[0]
    return generator.target.id, generator.iter.id  # type: ignore[attr-defined]


def gradient(function: Callable[[Value], Value], at: Value, step: float = 1e-3) -> Value:
    """Return the gradient from four differences for each coordinate: exact up to fourth powers."""
    at = np.asarray(at, dtype=float)
    found = np.empty_like(at)
    for i in np.ndindex(at.shape):
        move = np.zeros_like(at)
        move[i] = step
        near = function(at + move) - function(at - move)
        far = function(at + 2 * move) - function(at - 2 * move)
        found[i] = (8 * near - far) / (12 * step)
    return found


# ---------------------------------------------------------------- comparing values

# Gradients are differences, good to about ten digits; a slip changes the first few.
TOLERANCE = 1e-7


def close(a: Value, b: Value) -> bool:
    """Tell whether two values are equal but for rounding; 0 stands for a vector of zeros, too."""
    if isinstance(a, float) and isinstance(b, float):  # most values are, and arrays are slow
        return abs(a - b) <= TOLERANCE * max(abs(a), abs(b), 1.0)
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape and not (_is_zero(a) or _is_zero(b)):
        return False
    size = max(np.abs(a).max(initial=0), np.abs(b).max(initial=0), 1)
    return bool(np.all(np.abs(a - b) <= TOLERANCE * size))


def _is_zero(a: Value) -> bool:
    return np.ndim(a) == 0 and float(a) == 0


def same(a: Value | None, b: Value | None) -> bool:
    """Tell whether two values are the same value, statements and what has none included."""
    for kind_of in (type(None), bool):
        if isinstance(a, kind_of) or isinstance(b, kind_of):
            return a is b
    assert a is not None
    assert b is not None
    return np.shape(a) == np.shape(b) and close(a, b)


def _holds(relation: str, a: Value, b: Value) -> bool:
    """Tell whether a relation holds; numbers that differ by rounding only are equal."""
    if not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))):
        raise FormulaError("One side of the comparison has no value.")
    equal = close(a, b)
    if relation in ("==", "!="):
        return equal == (relation == "==")
    if np.ndim(a) or np.ndim(b):
        raise FormulaError(f"{kind(a)} and {kind(b)} are neither smaller nor larger.")
    less = bool(a < b)
    if relation == "<=":
        return less or equal
    if relation == ">=":
        return equal or not less
    return not equal and less == (relation == "<")


def kind(value: Value) -> str:
    """Return in words what a value is.

    >>> kind(np.zeros((2, 3)))
    'a matrix of 2 × 3'
    """
    if isinstance(value, bool):
        return "a statement"
    shape = " × ".join(map(str, np.shape(value)))
    return ("a number", f"a vector of {shape}", f"a matrix of {shape}")[np.ndim(value)]
