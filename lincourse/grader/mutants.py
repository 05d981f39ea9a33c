"""Wrong answers made by program: the model answer with one thing changed.

A mistake that a student makes is often one sign, one comparison, one axis, one step too many. Each
mutant has one such change. One that differs from the model answer on some legal input must lose
its points whatever the random data are (``hidden.unfair``).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

CAP = 50  # repetitions after which an impatient loop gives up
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
# Functions that are taken for each other.
SWAPPED = {
    "argmax": "argmin",
    "argmin": "argmax",
    "max": "min",
    "min": "max",
    "maximum": "minimum",
    "minimum": "maximum",
    "any": "all",
    "all": "any",
    "sum": "mean",
    "mean": "sum",
    "isclose": "equal",
    "allclose": "array_equal",
    "zeros": "ones",
    "ones": "zeros",
}
# Functions that are forgotten.
FORGOTTEN = {"abs", "sqrt", "norm", "log", "exp", "sign", "unique", "sort", "sorted", "copy"}


def mutants(source: str) -> dict[str, str]:
    """Return mutants of a model answer: what became of what, and the changed source."""
    tree = ast.parse(source)
    original = ast.unparse(tree)
    found: dict[str, str] = {}
    nodes = list(ast.walk(tree))
    given = {node.arg for node in nodes if isinstance(node, ast.arg)}
    around = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
    for position, node in enumerate(nodes):
        # A number alone says little: what it stands in is named.
        shown = around[node] if isinstance(node, ast.Constant | ast.keyword) else node
        for change in changes(node, given):
            mutated = copy.deepcopy(tree)
            places = list(ast.walk(mutated))
            change(places[position])
            text = ast.unparse(ast.fix_missing_locations(mutated))
            if text == original or text in found.values():
                continue
            name = f"{brief(shown)} became {brief(places[nodes.index(shown)])}"
            again = sum(other.partition(" #")[0] == name for other in found)
            found[f"{name} #{again + 1}" if again else name] = text
    return found


def brief(node: ast.AST) -> str:
    """Return the first line of a piece of a program."""
    return ast.unparse(node).partition("\n")[0]


Change = Callable[[ast.AST], None]


def changes(node: ast.AST, given: set[str]) -> Iterator[Change]:
    """Yield what can be changed in one place; each change is done to a copy of the node.

    ``given`` are the names of arguments, of which a copy may be needed.
    """
    match node:
        case ast.Compare(ops=[comparison]):
            for other in COMPARISONS.get(type(comparison), ()):
                yield put("ops", [other()])
        case ast.BinOp(op=operator) | ast.AugAssign(op=operator) if type(operator) in OPERATORS:
            yield put("op", OPERATORS[type(operator)]())
        case ast.UnaryOp(op=ast.USub()):
            yield put("op", ast.UAdd())
        case ast.BoolOp(op=operator):
            yield put("op", ast.Or() if isinstance(operator, ast.And) else ast.And())
            for number in range(len(node.values)):
                yield lambda place, n=number: place.values.pop(n)  # type: ignore[misc]
        case ast.Constant(value=bool() | str() | None):
            pass
        case ast.Constant(value=int(number)):
            yield put("value", number + 1)
            yield put("value", number - 1)
        case ast.Constant(value=float(number)) if number:
            yield put("value", 2 * number)
        case ast.keyword(arg="axis", value=ast.Constant()):
            yield put("value", ast.Constant(None))
        case ast.Break() | ast.Continue():
            yield become(ast.Pass())
        case ast.For(iter=ast.Call(func=ast.Name("range"), args=[*_, end])):
            capped = ast.parse(f"min({ast.unparse(end)}, {CAP})", mode="eval").body
            yield lambda place: place.iter.args.__setitem__(-1, capped)  # type: ignore[attr-defined]
        case ast.Call():
            yield from changed_calls(node, given)


def changed_calls(node: ast.Call, given: set[str]) -> Iterator[Change]:
    match node.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            field = "attr" if isinstance(node.func, ast.Attribute) else "id"
        case _:
            return
    if name in SWAPPED:
        yield lambda place: setattr(place.func, field, SWAPPED[name])  # type: ignore[attr-defined]
    if name in FORGOTTEN:
        yield forget
    copied = node.args[0] if node.args else None
    if name == "array" and isinstance(copied, ast.Name) and copied.id in given:
        yield lambda place: setattr(place.func, field, "asarray")  # type: ignore[attr-defined]
    if name == "any" and len(node.args) == 1 and isinstance(node.args[0], ast.Compare):
        # Some are positive, or all together are.
        total = ast.parse(f"np.sum({ast.unparse(node.args[0].left)})", mode="eval").body
        yield lambda place: setattr(place.args[0], "left", total)  # type: ignore[attr-defined]


def forget(place: ast.AST) -> None:
    """Put the argument, or the object of a method without one, in the place of a call."""
    assert isinstance(place, ast.Call)
    if place.args:
        kept = place.args[0]
    elif isinstance(place.func, ast.Attribute):
        kept = place.func.value
    else:
        return
    become(ast.BinOp(kept, ast.Add(), ast.Constant(0)) if place.args else kept)(place)


def put(field: str, value: object) -> Change:
    return lambda place: setattr(place, field, value)


def become(other: ast.AST) -> Change:
    """Change a node into another one, in its place."""

    def change(place: ast.AST) -> None:
        place.__class__ = type(other)
        for field in list(vars(place)):
            if field not in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
                delattr(place, field)
        for field, value in ast.iter_fields(other):
            setattr(place, field, value)

    return change
