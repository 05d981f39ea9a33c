"""linlib: the helper library of a course on linear classification.

Functions from data to a frozen result, no hidden state and no hidden randomness. The uniting idea
is the signed row ``z_i = y_i (1, x_i)``: learning means finding weights with ``Z @ weights > 0``.

>>> import linlib
>>> X, y = linlib.data.and_gate()
>>> run = linlib.pla(X, y)
>>> run.weights
array([-4.,  3.,  2.])
>>> linlib.certify(X, y).check(X, y, exact=True)
True
"""

from linlib import data
from linlib.base.features import polynomial, quadratic, quadratic_weights
from linlib.base.hyperplane import Hyperplane
from linlib.base.results import Fit, Result
from linlib.base.rows import augment, signed_rows
from linlib.data import Points, RealData
from linlib.descent.adaline import LMSRun, PassMap, lms, pass_map
from linlib.descent.gradient import Adapt, Descent, gradient_descent
from linlib.descent.linear_regression import LassoFit, lasso, least_squares
from linlib.descent.losses import (
    Loss,
    Objective,
    hinge_loss,
    hinge_objective,
    logistic_loss,
    objective,
    perceptron_loss,
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
from linlib.perceptron.algorithm import Correction, corrections, pla, pla_rows
from linlib.perceptron.proof import (
    ProofAudit,
    ProofTable,
    audit_proof,
    mistake_bound,
    proof_table,
    radius_and_margin,
)
from linlib.perceptron.runs import AveragedRun, BatchRun, PocketRun, Run
from linlib.perceptron.variants import averaged, batch, pocket

__version__ = "0.1.0"


def __dir__() -> list[str]:
    """Return what is offered: the modules behind it are found by their own names."""
    return sorted(__all__)


__all__ = [
    "LDA",
    "QDA",
    "Adapt",
    "AveragedRun",
    "BatchRun",
    "Correction",
    "Descent",
    "Fit",
    "Hyperplane",
    "Inseparable",
    "LMSRun",
    "LassoFit",
    "LinearMachine",
    "Logistic",
    "Loss",
    "MaxMargin",
    "Objective",
    "OneVsOne",
    "OneVsRest",
    "Overlap",
    "PassMap",
    "PocketRun",
    "Points",
    "ProofAudit",
    "ProofTable",
    "RealData",
    "Result",
    "Run",
    "Separable",
    "SoftMargin",
    "Softmax",
    "audit_proof",
    "augment",
    "averaged",
    "batch",
    "certify",
    "corrections",
    "cover_count",
    "data",
    "fit_lda",
    "fit_qda",
    "gradient_descent",
    "hinge_loss",
    "hinge_objective",
    "kesler_rows",
    "lasso",
    "least_squares",
    "linear_machine",
    "lms",
    "logistic",
    "logistic_loss",
    "max_margin",
    "mistake_bound",
    "objective",
    "one_vs_one",
    "one_vs_rest",
    "overlap",
    "pass_map",
    "perceptron_loss",
    "pla",
    "pla_rows",
    "pocket",
    "polynomial",
    "proof_table",
    "quadratic",
    "quadratic_weights",
    "radius_and_margin",
    "signed_rows",
    "soft_margin",
    "softmax",
    "squared_loss",
    "zero_one_loss",
]
