"""Which names the cells of a notebook hand to each other."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator
from functools import cache


@cache
def bound(source: str) -> frozenset[str]:
    r"""Return the names that a cell binds for others.

    >>> sorted(bound("import numpy as np\nfor k in range(3):\n    x = [j for j in (k, 1)]"))
    ['k', 'np', 'x']
    """
    return frozenset(
        name.get_name()
        for name in symtable.symtable(source, "cell", "exec").get_symbols()
        if name.is_assigned() or name.is_imported() or name.is_namespace()
    )


@cache
def taken(source: str) -> frozenset[str]:
    r"""Return the names that a cell reads before it has bound them itself.

    >>> sorted(taken("y = x\nx = 2\nf = lambda a: a + b\nprint(f(y))"))
    ['b', 'print', 'x']
    """
    known: set[str] = set()
    found: set[str] = set()
    for statement in ast.parse(source).body:
        piece = ast.unparse(statement)
        inside = () if isinstance(statement, ast.FunctionDef) else ast.walk(statement)
        adds = [node.target for node in inside if isinstance(node, ast.AugAssign)]
        reads = {name.id for name in adds if isinstance(name, ast.Name)}
        reads = reads.union(read(symtable.symtable(piece, "cell", "exec"))) - known
        begins = isinstance(statement, ast.For | ast.With | ast.FunctionDef | ast.ClassDef)
        found |= reads - (bound(piece) if begins else set())
        known |= bound(piece)
    return frozenset(found)


def read(table: symtable.SymbolTable) -> Iterator[str]:
    """Yield the names that a piece of code reads from outside its functions."""
    for name in table.get_symbols():
        inside = table.get_type() == "function" and not name.is_global()
        if name.is_referenced() and not inside:
            yield name.get_name()
    for child in table.get_children():
        yield from read(child)


def needed(sources: list[str], *last: int) -> list[int]:
    """Return the cells that must be run, in order, for some cells to be: these come with them.

    >>> needed(["import math", "a = 1", "b = math.pi", "c = b", "print(c)"], 4)
    [0, 2, 3, 4]
    """
    wanted: set[str] = set()
    found = []
    for k in range(max(last, default=-1), -1, -1):
        if k in last or bound(sources[k]) & wanted:
            found.append(k)
            wanted = (wanted - bound(sources[k])) | taken(sources[k])
    return found[::-1]
