"""What linlib can do only with packages besides NumPy, and the one command that brings them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Around imports: if a package is missing, name the command that installs it.

    ``extra`` is one of those in ``pyproject.toml``. pip and uv find linlib installed already, and
    add what the extra asks for.

    >>> with needed("explorers"):
    ...     import a_package_that_nobody_has
    Traceback (most recent call last):
    ModuleNotFoundError: a_package_that_nobody_has is not installed, and this part of linlib \
needs it. This brings it: python -m pip install "linlib[explorers]"
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package == "linlib":  # a mistake of ours, which no installation mends
            raise
        raise ModuleNotFoundError(
            f"{package} is not installed, and this part of linlib needs it. "
            f'This brings it: python -m pip install "linlib[{extra}]"',
            name=missing.name,
        ) from None
