"""Asserts that cannot fail: constant, of a thing with itself, swallowed, or never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nbformat import NotebookNode

from lincourse.check.outputs import tags

SAME = {"allclose", "array_equal", "isclose", "array_equiv", "assert_allclose", "coincides"}
NEVER_NEGATIVE = {"len", "abs", "norm"}
SWALLOWED = {"AssertionError", "Exception", "BaseException"}


def asserts(source: str) -> list[ast.Assert]:
    """Return all asserts of a cell from top to bottom; none if it is not plain Python."""
    found = [node for node in ast.walk(parsed(source)) if isinstance(node, ast.Assert)]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def parsed(source: str) -> ast.Module:
    """Return the tree of a cell, an empty one if it is not plain Python."""
    try:
        return ast.parse(source)
    except SyntaxError:  # a magic command
        return ast.Module([], [])


def never_passed(cell: NotebookNode, passed: set[int]) -> list[str]:
    """Return a sentence for each assert of a cell that did not run with it.

    Those inside functions run when called, perhaps in a later cell: they count in a claim's cell.
    """
    lines = {node.lineno for node in asserts(cell.source)}
    if not any(tag.startswith("claim-") for tag in tags(cell)):
        for scope in ast.walk(parsed(cell.source)):
            if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
                lines -= {getattr(node, "lineno", 0) for node in ast.walk(scope)}
    return [
        f"the assert in line {line} never ran: its loop is empty, or its branch is not taken."
        for line in sorted(lines - passed)
    ]


def vacuous(source: str) -> Iterator[str]:
    """Yield a sentence for each assert that no computation could make fail."""
    unheard = {node.lineno for node in swallowed(source) if isinstance(node, ast.Assert)}
    for node in asserts(source):
        reason = "is swallowed" if node.lineno in unheard else why_constant(node.test)
        if reason:
            where = f"has an assert (line {node.lineno}) that {reason}"
            yield f"{where}: it checks nothing ({ast.unparse(node)})."


# ---------------------------------------------------------------- conditions that are always true


def why_constant(test: ast.expr) -> str | None:
    """Return why a condition is true whatever was computed, or None."""
    if isinstance(test, ast.Tuple | ast.List | ast.Set | ast.Dict | ast.JoinedStr):
        return "tests a thing that is always true, such as a tuple"
    if isinstance(test, ast.GeneratorExp | ast.Lambda):
        return "tests a generator or function itself, not what it gives"
    if not any(isinstance(node, ast.Name | ast.Call) for node in ast.walk(test)):
        return "tests a constant"
    if isinstance(test, ast.BoolOp):
        reason = next(filter(None, map(why_constant, test.values)), None)
        either = isinstance(test.op, ast.Or)
        return "is made true by one side of its `or`" if reason and either else reason
    if isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        reasons = map(why_constant_comparison, sides, test.ops, sides[1:])
        return next(filter(None, reasons), None)
    if not isinstance(test, ast.Call) or not test.args:
        return None
    name, (first, *others) = name_of(test.func), test.args
    if name in SAME and others:
        if any(map(is_loose, test.keywords)):
            return "allows any difference"
        return why_constant_comparison(first, ast.Eq(), others[0])
    if name == "all" and isinstance(first, ast.GeneratorExp | ast.ListComp):
        return why_constant(first.elt)
    return why_constant(first) if name == "all" and isinstance(first, ast.Compare) else None


def why_constant_comparison(left: ast.expr, sign: ast.cmpop, right: ast.expr) -> str | None:
    alike = ast.dump(left) == ast.dump(right)
    if alike and isinstance(sign, ast.Eq | ast.LtE | ast.GtE | ast.Is):
        return "compares a thing with itself"
    low, high = (right, left) if isinstance(sign, ast.GtE) else (left, right)
    if isinstance(sign, ast.GtE | ast.LtE) and isinstance(low, ast.Constant) and low.value == 0:
        never_negative = isinstance(high, ast.Call) and name_of(high.func) in NEVER_NEGATIVE
        return "compares with 0 what is never negative" if never_negative else None
    return None


def is_loose(option: ast.keyword) -> bool:
    """Tell whether a relative tolerance is so wide that hardly anything fails."""
    value = getattr(option.value, "value", None)
    return option.arg == "rtol" and isinstance(value, int | float) and value >= 1


def name_of(thing: ast.AST | None) -> str:
    return thing.attr if isinstance(thing, ast.Attribute) else getattr(thing, "id", "")


# ---------------------------------------------------------------- failures that nobody hears of


def swallowed(source: str) -> Iterator[ast.AST]:
    """Yield what runs where a failed assert is caught, or only after something else failed."""
    for node in ast.walk(parsed(source)):
        if is_deaf(node):
            for statement in node.body:  # type: ignore[attr-defined]
                yield from ast.walk(statement)


def is_deaf(node: ast.AST) -> bool:
    if isinstance(node, ast.Try):
        return any(catches(handler.type) for handler in node.handlers)
    if isinstance(node, ast.With):
        calls = [one.context_expr for one in node.items if isinstance(one.context_expr, ast.Call)]
        return any(name_of(call.func) in {"suppress", "raises"} and catches(call) for call in calls)
    return isinstance(node, ast.ExceptHandler)


def catches(kind: ast.expr | None) -> bool:
    """Tell whether the types named after an ``except`` include that of a failed assert."""
    return kind is None or any(name_of(part) in SWALLOWED for part in ast.walk(kind))
