"""Run notebooks again and tell what differs from what they store.

``pytest --nbsame`` holds every notebook to its stored outputs, ``nbsame refresh`` stores them anew.
``nbsame.compare`` is the comparison alone, without a kernel; ``nbsame.hooks`` is what a course may
add of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbsame.comparison import Difference, Rules, compare

__all__ = ["Difference", "Rules", "compare"]


def __getattr__(name: str) -> Any:
    """Import the comparison when it is asked for: pytest loads this package with every run."""
    if name in __all__:
        from nbsame import comparison

        return getattr(comparison, name)
    raise AttributeError(f"module 'nbsame' has no attribute {name!r}")
