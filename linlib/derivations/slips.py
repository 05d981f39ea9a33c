"""Small mistakes, made on purpose: one sign, one factor, one name of a formula changed.

They serve twice. The tests plant each of them in every line of every derivation, and all that
change a value must be noticed. And where an answer of a reader equals the hidden line with one slip
in it, the slip can be named: "a sign: look at the sign before 2 w·z".
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from linlib.derivations.expressions import ONE_ARGUMENT

Rebuild = Callable[[ast.expr], ast.expr]


class Slip(NamedTuple):
    """What was done, said to whoever did it, and the formula with it."""

    words: str
    formula: ast.expr


def slips(formula: ast.expr, ranks: Mapping[str, int]) -> Iterator[Slip]:
    """Yield a formula with each single slip in it; ``ranks`` says which names are alike."""
    for part, rebuilt in _parts(formula):
        for words, changed in _changed(part, ranks):
            yield Slip(words, rebuilt(changed))
    if not isinstance(formula, ast.Compare):
        yield Slip("A sign: look at the sign of the whole line.", ast.UnaryOp(ast.USub(), formula))


def _changed(part: ast.expr, ranks: Mapping[str, int]) -> Iterator[tuple[str, ast.expr]]:
    """Yield what can go wrong in one place."""
    match part:
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
            adds = isinstance(op, ast.Add)
            other = ast.Sub() if adds else ast.Add()
            yield f"A sign: look at the sign before {_text(right)}.", ast.BinOp(left, other, right)
            yield f"A term: {_text(right)} is missing.", left
            rest = right if adds else ast.UnaryOp(ast.USub(), right)
            yield f"A term: {_text(left)} is missing.", rest
        case ast.BinOp(left, ast.Mult(), right):
            yield f"A factor: {_text(left)} is missing.", right
            yield f"A factor: {_text(right)} is missing.", left
        case ast.BinOp(left, ast.Div(), right):
            yield f"A factor: divide by {_text(right)}.", left
            yield "A fraction is upside down.", ast.BinOp(right, ast.Div(), left)
        case ast.BinOp(left, ast.Pow(), right):
            yield f"A power: look at the exponent of {_text(left)}.", left
            cube = ast.BinOp(right, ast.Add(), ast.Constant(1))
            yield (
                f"A power: look at the exponent of {_text(left)}.",
                ast.BinOp(left, ast.Pow(), cube),
            )
        case ast.BinOp(left, ast.MatMult() as op, right):
            yield f"The order of {_text(left)} and {_text(right)}.", ast.BinOp(right, op, left)
        case ast.UnaryOp(_, operand):
            yield f"A sign: look at the sign of {_text(operand)}.", operand
        case ast.Attribute(value, _):
            yield f"A transpose: look at {_text(value)}.", value
        case ast.Call(ast.Name(name), [argument]) if name in ONE_ARGUMENT:
            yield f"A function: {name} is missing.", argument
        case ast.Call(ast.Name("max" | "min" as name) as function, arguments):
            exchanged = ast.Name("min" if name == "max" else "max", function.ctx)
            yield f"A function: look at {name}.", ast.Call(exchanged, arguments, [])
        case ast.Constant(int() | float() as number):
            yield f"A number: look at {number}.", ast.Constant(number + 1)
        case ast.Name(letter) if letter in ranks:
            for other_letter in ranks:
                if other_letter != letter and ranks[other_letter] == ranks[letter]:
                    words = f"A name: {other_letter} stands where {letter} belongs."
                    yield words, ast.Name(other_letter, ast.Load())
        case ast.Compare(left, [op], [right]):
            for other_op in (ast.LtE(), ast.GtE(), ast.Eq(), ast.Lt(), ast.Gt()):
                if type(other_op) is not type(op):
                    words = "A sign: look at the sign between the two sides."
                    yield words, ast.Compare(left, [other_op], [right])


def _parts(formula: ast.expr) -> Iterator[tuple[ast.expr, Rebuild]]:
    """Yield each part of a formula, and what puts another part in its place."""
    yield formula, lambda changed: changed
    for field, content in ast.iter_fields(formula):
        children = content if isinstance(content, list) else [content]
        for position, child in enumerate(children):
            if isinstance(child, ast.expr) and not _is_fixed(formula, field, position):
                place = field, position if isinstance(content, list) else None
                for part, rebuilt in _parts(child):
                    yield part, partial(_rebuilt, formula, place, rebuilt)


def _rebuilt(
    formula: ast.expr, place: tuple[str, int | None], inner: Rebuild, changed: ast.expr
) -> ast.expr:
    """Return a formula with a changed part; the formula itself stays as it is."""
    field, position = place
    fields = dict(ast.iter_fields(formula))
    new = inner(changed)
    if position is None:
        fields[field] = new
    else:
        fields[field] = [*fields[field][:position], new, *fields[field][position + 1 :]]
    return type(formula)(**fields)


def _is_fixed(formula: ast.expr, field: str, position: int) -> bool:
    """Tell whether a part is the name of a function, or what a gradient is taken by."""
    if not isinstance(formula, ast.Call):
        return False
    a_gradient = ast.unparse(formula.func) == "grad"
    return field == "func" or (a_gradient and field == "args" and position == 1)


def _text(part: ast.expr) -> str:
    return ast.unparse(part)
