"""Link the names of linlib in highlighted code to the pages that explain them."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from functools import cache
from types import ModuleType

from lincourse import markup
from lincourse.check.asserts import parsed

_NAMES = re.compile(
    r'<span class="(?:n|nn|nc|nf)">(\w+)</span>'
    r'(?:(<span class="o">\.</span>)<span class="(?:n|nn|nc|nf)">(\w+)</span>)?'
)


def imported(source: str) -> dict[str, str]:
    r"""Return what a piece of code imports from linlib: name to dotted name.

    >>> imported("from linlib import pla, data\nimport numpy as np")
    {'pla': 'linlib.pla', 'data': 'linlib.data'}
    """
    found = {}
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "linlib":
            for name in node.names:
                found[name.asname or name.name] = f"{node.module}.{name.name}"
    return found


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
    module = isinstance(thing, ModuleType)
    plain = inspect.isfunction(thing) or inspect.isclass(thing)
    if not (module or (plain and inspect.getdoc(thing))):
        return ""
    home = dotted if module else thing.__module__
    page = ".".join(home.split(".")[:2])  # a package's parts are explained on its page
    if module:
        return f"api/{page}.html#module-{home}"
    whole = hasattr(importlib.import_module(page), "__all__")  # under the package's name
    return f"api/{page}.html#{page if whole else home}.{thing.__qualname__}"


def linked(source: str, names: dict[str, str], root: str) -> str:
    """Return highlighted code in which the names of linlib lead to their explanation."""

    def link(found: re.Match[str]) -> str:
        first, dot, second = found.groups()
        if first not in names:
            return found[0]
        whole = address(f"{names[first]}.{second}") if second else ""
        start = address(names[first])
        one = f'<span class="n">{first}</span>'
        two = f'{dot}<span class="n">{second}</span>' if second else ""
        if whole:
            return f'<a href="{root}{whole}">{one}{two}</a>'
        return (f'<a href="{root}{start}">{one}</a>' if start else one) + two

    return _NAMES.sub(link, markup.code(source))
