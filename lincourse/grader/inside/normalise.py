"""Code without its names: what is left of two answers when variables, comments and layout go."""

from __future__ import annotations

import ast
import warnings

LONGEST = 40_000  # tokens of one answer
MOST_ITEMS = 8  # of one list: a long table in front of an answer does not hide it


CONTAINERS = (ast.List, ast.Tuple, ast.Set, ast.Dict)


def normal_form(source: str | ast.AST) -> list[str]:
    """Return the tokens of an answer, a list that renaming and reformatting do not change."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source) if isinstance(source, str) else source
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    bound |= {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    tokens: list[str] = []
    visit(tree, bound, tokens)
    return tokens[:LONGEST]


def visit(node: ast.AST, bound: set[str], tokens: list[str]) -> None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    if isinstance(node, ast.Name):
        tokens.append("v" if node.id in bound else node.id)
        return
    if isinstance(node, ast.Constant):
        tokens.append(repr(node.value)[:40])
        return
    if isinstance(node, ast.arg):
        tokens.append("v")
        return
    if not isinstance(node, ast.Load | ast.Store):
        tokens.append(type(node).__name__)
    if isinstance(node, ast.Attribute):
        tokens.append(f".{node.attr}")
    types = {getattr(node, "returns", None), getattr(node, "annotation", None)}
    children = list(ast.iter_child_nodes(node))
    for child in children[:MOST_ITEMS] if isinstance(node, CONTAINERS) else children:
        if child not in types:
            visit(child, bound, tokens)
