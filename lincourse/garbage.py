"""Look for garbage seldom.

A lecture, a site and ten thousand tests make many things and throw few of them away in circles:
to look through all of them again and again takes a tenth to a fifth of the time.
"""

import gc

SELDOM = (100_000, 20, 100)


def seldom() -> None:
    """Look for garbage after so many new things, not after every seven hundred."""
    gc.set_threshold(*SELDOM)
