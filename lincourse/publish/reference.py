"""The pages of the library: one for each of its parts."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

import linlib
from lincourse.publish.claims_pages import filled


def library() -> dict[str, str]:
    """Return a page for each part of linlib: of what it re-exports, or of all its modules."""
    parts = {name: importlib.import_module(name) for name in ["linlib", *submodules(linlib)]}
    made = {"api/index.md": filled("api/index.md.jinja", parts=parts)}
    for name, part in parts.items():
        exports = hasattr(part, "__all__")
        modules = [name] if exports else [name, *submodules(part)]
        page = filled("api/part.md.jinja", exports=exports, modules=modules)
        made[f"api/{name}.md"] = page
    return made


def submodules(module: ModuleType) -> list[str]:
    """Return the names of the modules inside a package; a plain module has none."""
    found = pkgutil.iter_modules(getattr(module, "__path__", []))
    return [f"{module.__name__}.{one.name}" for one in found if not one.name.startswith("_")]
