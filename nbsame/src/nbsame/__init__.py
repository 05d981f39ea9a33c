"""Run notebooks again and tell what differs from what they store.

``pytest --nbsame`` holds every notebook to its stored outputs, ``nbsame refresh`` stores them anew.
``nbsame.compare`` is the comparison alone, without a kernel; ``nbsame.hooks`` is what a course may
add of its own.
"""

from nbsame.compare import Difference, Rules, compare

__all__ = ["Difference", "Rules", "compare"]
