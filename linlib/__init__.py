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
from linlib.audit import ProofAudit, audit_proof
from linlib.certificates import Inseparable, Separable
from linlib.convergence import ProofTable, mistake_bound, proof_table, radius_and_margin
from linlib.data import Points, RealData
from linlib.descent import Adapt, Descent, gradient_descent
from linlib.discriminants import LDA, QDA
from linlib.features import polynomial, quadratic, quadratic_weights
from linlib.gaussian import fit_lda, fit_qda
from linlib.hyperplane import Hyperplane
from linlib.lasso import LassoFit, lasso
from linlib.least_squares import least_squares
from linlib.logistic import Logistic, logistic
from linlib.losses import (
    Loss,
    hinge_loss,
    logistic_loss,
    perceptron_loss,
    squared_loss,
    zero_one_loss,
)
from linlib.multiclass import kesler_rows, linear_machine, one_vs_one, one_vs_rest
from linlib.objectives import Objective, hinge_objective, objective
from linlib.overlap import Overlap, overlap
from linlib.passes import PassMap
from linlib.perceptron import Correction, corrections, pla, pla_rows
from linlib.relatives import averaged, batch, pocket
from linlib.results import Fit, Result
from linlib.rows import augment, signed_rows
from linlib.runs import AveragedRun, BatchRun, PocketRun, Run
from linlib.schemes import LinearMachine, OneVsOne, OneVsRest
from linlib.separability import certify, cover_count
from linlib.soft_margin import SoftMargin, soft_margin
from linlib.softmax import Softmax, softmax
from linlib.street import MaxMargin, max_margin
from linlib.widrow_hoff import LMSRun, lms, pass_map

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
