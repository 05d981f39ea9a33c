"""Can it be separated? A certificate against the answer of a linear program."""

import numpy as np
from scipy.optimize import linprog

from bench.contest import HIGHS, LINLIB, Part, Row, contest
from bench.samples import two_classes
from linlib import certify, signed_rows

TITLE = "Certificates"
NOTE = (
    "The peer is SciPy's HiGHS on the linear program Z w ≥ 1, whose verdict carries no proof that "
    "none exists. Separable: margin 0.1 σ; not: one label in "
    "four flipped. Asserted before timing: the same verdict, and linlib's proof checks out."
)
SIZES = [(200, 2), (1000, 10), (5000, 20), (2000, 100), (500, 200)]


def run(quick: bool) -> Part:
    """Measure both verdicts at every size."""
    sizes = [(40, 2)] if quick else SIZES
    return Part([_row(n, d, kind, quick) for n, d in sizes for kind in (True, False)], NOTE)


def _row(n: int, d: int, separable: bool, quick: bool) -> Row:
    X, y = two_classes(n, d, 0.1)
    if not separable:
        flipped = np.random.default_rng(n).choice(n, n // 4, replace=False)
        y[flipped] *= -1

    def highs():
        Z = signed_rows(X, y)
        free = [(None, None)] * Z.shape[1]
        return linprog(np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=free)

    verdict = certify(X, y)
    assert verdict.separable == (highs().status == 0)
    assert verdict.check(X, y)
    note = "separable" if verdict.separable else "not separable"
    contestants = {LINLIB: lambda: certify(X, y), HIGHS: highs}
    return contest(f"{n} × {d}, {note}", contestants, repeats=3 if quick else 5)
