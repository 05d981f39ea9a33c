"""Link the names of linlib in highlighted code to the pages that explain them."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable
from functools import cache
from types import ModuleType

from lincourse import markup
from lincourse.check.asserts import parsed

NAME = r'<span class="(?:n|nn|nc|nf)">(\w+)</span>'
NAMES = re.compile(rf'{NAME}(?:<span class="o">\.</span>{NAME})?')


def imported(sources: Iterable[str]) -> dict[str, str]:
    """Return what pieces of code import from linlib: name to dotted name.

    >>> imported(["from linlib import pla, data", "import numpy as np"])
    {'pla': 'linlib.pla', 'data': 'linlib.data'}
    """
    nodes = (node for source in sources for node in ast.walk(parsed(source)))
    return {
        name.asname or name.name: f"{node.module}.{name.name}"
        for node in nodes
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "linlib"
        for name in node.names
    }


@cache
def address(dotted: str) -> str:
    """Return the page and anchor of a function, class or module of linlib, or nothing.

    >>> address("linlib.pla")
    'api/linlib.perceptron.html#linlib.perceptron.algorithm.pla'
    """
    try:
        thing = pkgutil.resolve_name(dotted)
    except (ImportError, AttributeError):
        return ""
    home = getattr(thing, "__module__", dotted)  # a module has none
    page = ".".join(home.split(".")[:2])  # a package's parts are explained on its page
    if isinstance(thing, ModuleType):
        return f"api/{page}.html#module-{home}"
    if not (inspect.isfunction(thing) or inspect.isclass(thing)) or not inspect.getdoc(thing):
        return ""
    whole = hasattr(importlib.import_module(page), "__all__")  # under the package's name
    return f"api/{page}.html#{page if whole else home}.{thing.__qualname__}"


def linked(source: str, names: dict[str, str], root: str) -> str:
    """Return highlighted code in which the names of linlib lead to their explanation."""

    def link(found: re.Match[str]) -> str:
        dotted = names.get(found[1], "")
        to = dotted and (address(f"{dotted}.{found[2]}") or address(dotted))
        return f'<a href="{root}{to}">{found[0]}</a>' if to else found[0]

    return NAMES.sub(link, markup.code(source))
