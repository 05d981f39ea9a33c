"""Another processor, made up: what is inexact ends in other last bits.

The row "last bits" puts this file where every Python of a run finds it as ``sitecustomize``. It
rewrites linlib, its tests and the cells of notebooks while they are compiled: a product, a sum, a
factorisation or a transcendental function is wrong by up to one rounding, as it may be with other
kernels. What is exact, such as sums of integers, stays as it is. As on a real machine, equal
operands give equal results, and a change of signs or a factor of two changes no digit.
"""

from __future__ import annotations

import ast
import builtins
import math
import os
import zlib
from collections.abc import Callable
from typing import Any

METHODS = {
    "sum",
    "mean",
    "var",
    "std",
    "dot",
    "einsum",
    "cov",
    "cumsum",
    "inner",
    "outer",
    "vecdot",
}
FUNCTIONS = {
    "var",
    "std",
    "cov",
    "exp",
    "expm1",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logsumexp",
    "tanh",
}
FUNCTIONS |= {"sin", "cos", "tan", "arctan", "arctan2", "arccos", "arcsin", "sinh", "cosh", "hypot"}
FACTORS = {"solve", "lstsq", "eigh", "eigvalsh", "svd", "cholesky", "inv", "pinv", "qr", "det"}
FACTORS |= {
    "slogdet",
    "cho_solve",
    "cho_factor",
    "solve_triangular",
    "nnls",
    "eig",
    "eigvals",
    "norm",
}
LIMIT = 2.0**53  # whole numbers are summed exactly while the sum of their sizes stays below this
MIX = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio: neighbours end far apart
compile_as_before = builtins.compile


class Rewriter(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.MatMult):
            return node
        return call("__last_bits_product__", node, [node.left, node.right], [])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        attribute = isinstance(node.func, ast.Attribute)
        name = node.func.attr if attribute else getattr(node.func, "id", "")
        if name in FACTORS or (attribute and name in METHODS | FUNCTIONS):
            told = ast.copy_location(ast.Constant(name), node)
            words = [told, node.func, *node.args]
            return call("__last_bits_call__", node, words, node.keywords)
        return node


def call(name: str, old: ast.expr, words: list[ast.expr], keywords: list[ast.keyword]) -> ast.Call:
    """Return a call of one of the functions below in place of an old expression."""
    function = ast.copy_location(ast.Name(name, ast.Load()), old)
    return ast.copy_location(ast.Call(function, words, keywords), old)


def compile_rewritten(source: Any, filename: Any, mode: str, *rest: Any, **options: Any) -> Any:
    """Stand in for ``compile``: first rewrite what belongs to the course."""
    flags = rest[0] if rest else options.get("flags", 0)
    if not flags & ast.PyCF_ONLY_AST and ours(os.fsdecode(filename)):
        if not isinstance(source, ast.AST):
            source = compile_as_before(source, filename, mode, ast.PyCF_ONLY_AST)
        source = Rewriter().visit(source)
    return compile_as_before(source, filename, mode, *rest, **options)


def ours(name: str) -> bool:
    folder = os.environ["LINLIB_LAST_BITS"]
    inside = any(name.startswith(os.path.join(folder, part)) for part in ("linlib", "tests"))
    return inside or "ipykernel_" in name


# ---------------------------------------------------------------- other last bits


def product(left: Any, right: Any) -> Any:
    import numpy as np

    result = left @ right
    if not floats(result):
        return result
    a, b = np.abs(np.asarray(left, dtype=float)), np.abs(np.asarray(right, dtype=float))
    sizes = a @ b
    sizes = sizes * ((a != 0).astype(float) @ (b != 0).astype(float) > 1)  # one term: no order
    with np.errstate(all="ignore"):
        exact = np.max(sizes, initial=0.0) / unit(a) / unit(b) < LIMIT
    return result if exact else nudged(result, sizes, left, right)


def called(name: str, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    import numpy as np

    result = function(*arguments, **options)
    owner = getattr(function, "__self__", None)
    operands = [x for x in (owner, *arguments) if floats(x)]
    exact = math.prod(float(np.abs(x).sum()) / unit(x) for x in operands) < LIMIT
    if name in METHODS and exact:
        return result
    if isinstance(result, tuple):
        parts = [nudged(part, None, *operands) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    return nudged(result, None, *operands)


def floats(value: Any) -> bool:
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return kind == "f" or isinstance(value, float)


def unit(value: Any) -> float:
    """Return the largest power of two that all the numbers are whole multiples of."""
    import numpy as np

    digits, exponents = np.frexp(np.asarray(value, dtype=float))
    whole = np.where(np.isfinite(digits), digits * 2.0**53, 1).astype(np.int64)
    lowest = np.log2(np.where(whole == 0, 1, whole & -whole)).astype(int) + exponents - 53
    return 2.0 ** int(np.min(np.where(whole == 0, 1023, lowest), initial=1023))


def nudged(result: Any, sizes: Any, *operands: Any) -> Any:
    """Return floats moved by up to one rounding of ``sizes``; 0 and 1 by themselves stay."""
    import numpy as np

    if not floats(result):
        return result
    array = np.asarray(result, dtype=float)
    first = int(os.environ.get("LINLIB_LAST_BITS_SEED", "0"))
    for operand in operands:
        digits = np.abs(np.frexp(np.asarray(operand, dtype=float))[0])
        first = zlib.crc32(digits.tobytes(), first)
    mixed = (np.arange(first, first + array.size, dtype=np.uint64) * MIX) >> np.uint64(40)
    moves = ((mixed % 3).reshape(array.shape) - 1.0) * np.sign(array)
    scale = np.abs(array) if sizes is None else sizes
    step = np.where(scale == 0, 0.0, np.spacing(scale))
    with np.errstate(all="ignore"):
        moved = array + moves * step
    keep = ~np.isfinite(moved)
    if sizes is None:
        keep |= (array == 0) | (np.abs(array) == 1)
    moved = np.where(keep, array, moved)
    if not np.ndim(result):
        return type(result)(moved)
    return moved.astype(result.dtype).view(type(result))


if "LINLIB_LAST_BITS" in os.environ:
    builtins.__last_bits_product__ = product  # type: ignore[attr-defined]
    builtins.__last_bits_call__ = called  # type: ignore[attr-defined]
    builtins.compile = compile_rewritten
