"""linlib: the helper library of a course on linear classification.

Functions from data to a frozen result, no hidden state and no hidden randomness. The uniting idea
is the signed row ``z_i = y_i (1, x_i)``: learning means finding weights with ``Z @ weights > 0``.
Everywhere ``start`` are the first weights, ``max_updates`` and ``max_passes`` budgets, and
``tolerance`` is how much may be left to gain or to move when a search calls itself converged.

>>> import linlib
>>> X, y = linlib.data.and_gate()
>>> run = linlib.pla(X, y)
>>> run.weights
array([-4.,  3.,  2.])
>>> linlib.certify(X, y).check(X, y, exact=True)
True
"""

# What is imported here is what is offered.
# ruff: noqa: F401
# mypy: implicit-reexport

from linlib import data
from linlib.base.hyperplane import Hyperplane
from linlib.base.rows import augment, polynomial, quadratic, quadratic_weights, signed_rows
from linlib.data import Points
from linlib.descent.adaline import lms, pass_map
from linlib.descent.gradient import Adapt, Descent, gradient_descent
from linlib.descent.linear_regression import lasso, least_squares
from linlib.descent.losses import (
    Loss,
    Objective,
    hinge_loss,
    hinge_objective,
    logistic_loss,
    objective,
    perceptron_loss,
    squared_hinge_loss,
    squared_loss,
    zero_one_loss,
)
from linlib.discriminants.gaussian import LDA, QDA, fit_lda, fit_qda
from linlib.logistic_regression.binomial import Logistic, logistic
from linlib.logistic_regression.separation import Overlap, overlap
from linlib.margins.certificates import Inseparable, Separable, certify, cover_count
from linlib.margins.hard_margin import MaxMargin, max_margin
from linlib.margins.linear_svm import SoftMargin, soft_margin
from linlib.multiclass.multinomial import Softmax, softmax
from linlib.multiclass.schemes import (
    LinearMachine,
    OneVsOne,
    OneVsRest,
    kesler_rows,
    linear_machine,
    one_vs_one,
    one_vs_rest,
)
from linlib.perceptron.algorithm import corrections, pla, pla_rows
from linlib.perceptron.proof import (
    ProofAudit,
    ProofTable,
    audit_proof,
    mistake_bound,
    proof_table,
    radius_and_margin,
)
from linlib.perceptron.runs import Run
from linlib.perceptron.variants import averaged, batch, pocket

__version__ = "1.0.0"
# All that was imported from the folders, and none of the folders but data.
__all__ = sorted(
    name
    for name, thing in list(globals().items())
    if thing is data or getattr(thing, "__module__", "").startswith("linlib.")
)


def __dir__() -> list[str]:
    """Return what is offered: the modules behind it are found by their own names."""
    return __all__
