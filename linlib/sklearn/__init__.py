"""Six of linlib's learners as scikit-learn estimators: thin adapters, no algorithm of their own.

They are those that the lectures put into a pipeline or compare by cross-validation. For least
squares, ridge and lasso scikit-learn has estimators itself.

Every estimator checks its input the way scikit-learn does, calls one function of the core, whose
options are its parameters, and keeps the core's exact weights as ``coef_`` and ``intercept_``.
``X`` is ``(n, d)`` and ``y`` is ``(n,)`` with any labels; of two classes ``classes_[0]`` is learned
as −1 and ``classes_[1]`` as +1. ``decision_function`` is ``(n,)`` for two classes, else ``(n, K)``.
A positive score means ``classes_[1]``, so a score of exactly 0 goes to ``classes_[0]``; among K
scores the largest wins, the first of equals.

Learners of one hyperplane take ``multi_class``: "ovr" compares the K scores of
:func:`linlib.one_vs_rest`, "ovo" the votes of :func:`linlib.one_vs_one`, equal votes decided by the
sums of scores. Where exactly one class claims a point, that is the core's own answer; in doubt,
scikit-learn's rule is the larger score, the core's (``scheme_.predict``) the nearer mean. The
fitted ``scheme_`` and ``model_`` know the classes by their positions in ``classes_``.

Left out, because the lectures do not speak of it: ``sample_weight`` and ``class_weight`` (the core
counts every row once; repeat rows, or pass ``priors`` to LDA and QDA), ``partial_fit`` (the core's
learners take whole samples; ``start`` goes on from given weights), sparse input (use ``toarray()``)
and shrinkage (``penalty`` pulls a covariance towards a multiple of the identity).

>>> from sklearn.datasets import load_iris
>>> from sklearn.model_selection import cross_val_score
>>> cross_val_score(LDAClassifier(), *load_iris(return_X_y=True)).round(2)
array([1.  , 1.  , 0.97, 0.93, 1.  ])
"""

from linlib.base import extras

with extras.needed("sklearn"):
    from linlib.sklearn.gaussians import LDAClassifier, QDAClassifier
    from linlib.sklearn.linear import HingeClassifier, LogisticClassifier
    from linlib.sklearn.perceptrons import AveragedPerceptronClassifier, PerceptronClassifier

__all__ = [
    "AveragedPerceptronClassifier",
    "HingeClassifier",
    "LDAClassifier",
    "LogisticClassifier",
    "PerceptronClassifier",
    "QDAClassifier",
]
