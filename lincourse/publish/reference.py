"""The pages that list things: lectures, homework, figures, the library's modules."""

from __future__ import annotations

import importlib
import pkgutil
from html import escape
from types import ModuleType

import linlib
from lincourse import markup
from lincourse.publish.lectures import Lecture
from lincourse.publish.pages import FENCE, directive, raw


def indexes(course: list[Lecture], homework: list[Lecture]) -> dict[str, str]:
    """Return the pages that list lectures, homework and figures."""
    return {
        "lectures/index.md": listing(
            "Lectures",
            "Each lecture is a notebook, shown as it is stored. Every number in it was computed, "
            "and is computed again by `make test`.",
            course,
        ),
        "homework/index.md": listing(
            "Homework",
            "The templates as students get them: read them here, download them, answer in "
            "JupyterLab and press *Validate*.",
            homework,
        ),
        "figures.md": figures_page(course),
    }


def listing(title: str, words: str, notebooks: list[Lecture]) -> str:
    rows = "\n".join(f"{one.title} <{one.name}>" for one in notebooks)
    return f"# {title}\n\n{words}\n\n{directive('toctree', '', rows, maxdepth='1')}\n"


def figures_page(course: list[Lecture]) -> str:
    """Return a page of every figure with its words."""
    parts = ["# Every figure", "Each with the words that a reader who cannot see it gets."]
    for one in course:
        parts.append(f"## {one.title}")
        for cell, figure in one.all_figures():
            source = f"figures/{figure.name}.png"
            image = markup.picture(source, figure.alt, figure.width, figure.height, loading="lazy")
            where = f"lectures/{one.name}.html#{cell.id}"
            words = f'<figcaption>{escape(figure.alt)} <a href="{where}">{figure.name}</a>'
            parts.append(raw(f"<figure>{image}{words}</figcaption></figure>"))
    return "\n\n".join(parts) + "\n"


def library() -> dict[str, str]:
    """Return a page for each part of linlib, made from its docstrings."""
    names = ["linlib", *submodules(linlib)]
    rows, made = [], {}
    for name in names:
        module = importlib.import_module(name)
        words = (module.__doc__ or name).strip().partition("\n")[0]
        made[f"api/{name}.md"] = f"# {name}\n\n{FENCE}{{eval-rst}}\n{contents(module)}{FENCE}\n"
        rows.append(f"| [{name}]({name}.md) | {words} |")
    tree = directive("toctree", "", "\n".join(names), hidden="")
    table = "\n".join(["| module | in one line |", "|---|---|", *rows])
    made["api/index.md"] = (
        "# The library\n\nFunctions go from data to a frozen result. Every example on these pages "
        f"is run by `make test`.\n\n{table}\n\n{tree}\n"
    )
    return made


def submodules(module: ModuleType) -> list[str]:
    """Return the names of the modules inside a package, none for a plain module."""
    found = pkgutil.iter_modules(getattr(module, "__path__", []))
    return [f"{module.__name__}.{one.name}" for one in found if not one.name.startswith("_")]


def contents(module: ModuleType) -> str:
    """Return what Sphinx documents of a part: all its modules, or what its package re-exports."""
    if module is linlib:
        return ".. automodule:: linlib\n"
    members = "   :members:\n   :show-inheritance:\n"
    if hasattr(module, "__all__"):
        return f".. automodule:: {module.__name__}\n{members}   :imported-members:\n"
    names = [module.__name__, *submodules(module)]
    return "\n".join(f".. automodule:: {name}\n{members}" for name in names)
