"""Asserts that cannot fail: constant, of a thing with itself, swallowed, or never reached."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nbformat import NotebookNode

from lincourse.check.outputs import tags

SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
ENDS = ast.Return | ast.Raise | ast.Break | ast.Continue
SAME = {"allclose", "array_equal", "isclose", "array_equiv", "assert_allclose", "coincides"}
NEVER_NEGATIVE = {"len", "abs", "norm"}
SWALLOWED = {"AssertionError", "Exception", "BaseException"}


def asserts(source: str) -> list[ast.Assert]:
    """Return all asserts of a cell from top to bottom; none if it is not plain Python."""
    tree = parsed(source)
    return asserts_in(tree) if tree else []


def never_passed(cell: NotebookNode, passed: set[int]) -> list[str]:
    """Return a sentence for each assert of a cell that did not run with it.

    Those inside functions run when called, perhaps in a later cell: they count in a claim's cell.
    """
    tree = parsed(cell.source) or ast.Module([], [])
    claimed = any(tag.startswith("claim-") for tag in tags(cell))
    nodes = ast.walk(tree) if claimed else outside_functions(tree)
    lines = {node.lineno for node in nodes if isinstance(node, ast.Assert)}
    return [
        f"the assert in line {line} never ran: its loop is empty, or its branch is not taken."
        for line in sorted(lines - passed)
    ]


def parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except SyntaxError:  # a magic command
        return None


def outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, SCOPES):
            yield child
            yield from outside_functions(child)


def vacuous(source: str) -> Iterator[str]:
    """Yield a sentence for each assert that no computation could make fail."""
    tree = parsed(source)
    if tree is None:
        return
    dead = set(map(id, unreachable(tree)))
    for node in asserts_in(tree):
        reason = why_constant(node.test)
        if id(node) in dead:
            reason = "is never reached"
        if reason:
            where = f"has an assert (line {node.lineno}) that {reason}"
            yield f"{where}: it checks nothing ({ast.unparse(node)})."


def asserts_in(tree: ast.AST) -> list[ast.Assert]:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Assert)]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


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
        return why_constant_bool(test)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return "tests a constant" if truth(test.operand) is False else None
    if isinstance(test, ast.Compare):
        return why_constant_comparison(test)
    if isinstance(test, ast.Call):
        return why_constant_call(test)
    if isinstance(test, ast.IfExp):
        return why_constant(test.body) or why_constant(test.orelse)
    return None


def why_constant_bool(test: ast.BoolOp) -> str | None:
    parts = [ast.dump(part) for part in test.values]
    if isinstance(test.op, ast.Or):
        reasons = [why_constant(part) for part in test.values if truth(part) is not False]
        if any(reasons):
            return "is made true by one side of its `or`"
        negated = [ast.dump(part.operand) for part in test.values if isinstance(part, ast.UnaryOp)]
        return "tests a thing or its opposite" if set(negated) & set(parts) else None
    return next(filter(None, map(why_constant, test.values)), None)


def why_constant_comparison(test: ast.Compare) -> str | None:
    sides = [test.left, *test.comparators]
    for left, op, right in zip(sides, test.ops, sides[1:], strict=False):
        if isinstance(op, ast.Eq | ast.LtE | ast.GtE | ast.Is) and alike(left, right):
            return "compares a thing with itself"
        if isinstance(op, ast.GtE) and never_negative(left) and is_zero(right):
            return "compares with 0 what is never negative"
        if isinstance(op, ast.LtE) and is_zero(left) and never_negative(right):
            return "compares with 0 what is never negative"
        if isinstance(op, ast.Gt | ast.Lt):
            low, high = (right, left) if isinstance(op, ast.Gt) else (left, right)
            if infinite(high, 1) or infinite(low, -1):
                return "compares with infinity"
    return None


def why_constant_call(test: ast.Call) -> str | None:
    name = called(test)
    arguments = test.args
    if name in SAME and len(arguments) >= 2 and alike(arguments[0], arguments[1]):
        return "compares a thing with itself"
    if name in SAME and any(loose(keyword) for keyword in test.keywords):
        return "allows any difference"
    if name == "isinstance" and len(arguments) == 2 and called_name(arguments[1]) == "object":
        return "tests what holds for every object"
    if name == "all" and len(arguments) == 1:
        (argument,) = arguments
        if isinstance(argument, ast.GeneratorExp | ast.ListComp):
            if any(is_empty(loop.iter) for loop in argument.generators):
                return "runs over nothing"
            return why_constant(argument.elt)
        if is_empty(argument):
            return "runs over nothing"
        return why_constant(argument) if isinstance(argument, ast.Compare) else None
    if name in {"any", "bool"} and len(arguments) == 1:
        return (
            why_constant(arguments[0]) if not isinstance(arguments[0], ast.GeneratorExp) else None
        )
    return None


def alike(left: ast.expr, right: ast.expr) -> bool:
    return ast.dump(left) == ast.dump(right)


def truth(test: ast.expr) -> bool | None:
    """Return what a condition made of constants alone comes to, or None if it is computed."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.Tuple | ast.List | ast.Set):
        return bool(test.elts)
    if isinstance(test, ast.Dict):
        return bool(test.keys)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = truth(test.operand)
        return None if inner is None else not inner
    try:
        names = any(isinstance(node, ast.Name | ast.Call) for node in ast.walk(test))
        return None if names else bool(eval(compile(ast.Expression(test), "", "eval"), {}))
    except Exception:
        return None


def never_negative(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and called(value) in NEVER_NEGATIVE


def is_zero(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value == 0


def infinite(value: ast.expr, sign: int) -> bool:
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        return infinite(value.operand, -sign)
    if isinstance(value, ast.Attribute):
        return value.attr == "inf" and sign == 1
    text = value.args[0] if isinstance(value, ast.Call) and value.args else None
    wanted = "inf" if sign == 1 else "-inf"
    return called_is_float(value) and isinstance(text, ast.Constant) and text.value == wanted


def called_is_float(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and called(value) == "float"


def loose(keyword: ast.keyword) -> bool:
    """Tell whether a tolerance is so wide that nothing fails."""
    if keyword.arg not in {"atol", "rtol"} or not isinstance(keyword.value, ast.expr):
        return False
    value = keyword.value
    huge = isinstance(value, ast.Constant) and isinstance(value.value, int | float)
    return infinite(value, 1) or (huge and abs(value.value) >= 1)  # type: ignore[attr-defined]


def called(call: ast.Call) -> str:
    return called_name(call.func)


def called_name(name: ast.expr) -> str:
    return name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")


# ---------------------------------------------------------------- lines that never run, or in vain


def unreachable(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield every node that cannot run, or whose failure would be swallowed."""
    for node in ast.walk(tree):
        for branch in dead_branches(node):
            for statement in branch:
                yield from ast.walk(statement)
        for block in blocks(node):
            ended = False
            for statement in block:
                if ended:
                    yield from ast.walk(statement)
                ended = ended or isinstance(statement, ENDS)


def dead_branches(node: ast.AST) -> Iterator[list[ast.stmt]]:
    if isinstance(node, ast.If | ast.While):
        if truth(node.test) is False:
            yield node.body
        if truth(node.test) is True:
            yield node.orelse
    elif isinstance(node, ast.For) and is_empty(node.iter):
        yield node.body
    elif isinstance(node, ast.Try):
        caught = {called_name(kind) for handler in node.handlers for kind in kinds(handler)}
        if caught & {*SWALLOWED, ""}:
            yield node.body
        for handler in node.handlers:
            yield handler.body
    elif isinstance(node, ast.With):
        for item in node.items:
            call = item.context_expr
            named = call.args if isinstance(call, ast.Call) else []
            if called_name(getattr(call, "func", call)) in {"suppress", "raises"} and (
                {called_name(kind) for kind in named} & SWALLOWED
            ):
                yield node.body


def kinds(handler: ast.ExceptHandler) -> list[ast.expr]:
    if handler.type is None:
        return [ast.Name("")]
    return handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]


def blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def is_empty(iterated: ast.expr) -> bool:
    """Recognise (), [], {}, "", range(0) and slices such as rows[:0]."""
    if isinstance(iterated, ast.Call) and called(iterated) == "range":
        numbers = [getattr(argument, "value", None) for argument in iterated.args]
        return all(isinstance(k, int) for k in numbers) and not range(*numbers)  # type: ignore[arg-type]
    if isinstance(iterated, ast.Call) and called(iterated) in {"list", "tuple", "set", "dict"}:
        return not iterated.args and not iterated.keywords
    if isinstance(iterated, ast.Subscript) and isinstance(iterated.slice, ast.Slice):
        return iterated.slice.upper is not None and is_zero(iterated.slice.upper)
    return truth(iterated) is False
