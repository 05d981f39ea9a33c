"""linlib.sklearn: scikit-learn's own checks, the core's exact weights, a peer's idea of correct.

The last parts follow scikit-learn's test_discriminant_analysis.py and test_multiclass.py wherever
they ask something of behaviour that both libraries share.
"""

import os
import pickle
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from packaging.version import Version
from sklearn import datasets
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import linlib
from linlib import sklearn as adapters
from linlib.sklearn import (
    AveragedPerceptronClassifier,
    HingeClassifier,
    LDAClassifier,
    LogisticClassifier,
    PerceptronClassifier,
    QDAClassifier,
    gaussians,
)

BEFORE_1_9 = Version(version("scikit-learn")) < Version("1.9")
DIVISOR = "n-k" if BEFORE_1_9 else "n"  # of the solver "svd"
HYPERPLANES = [
    PerceptronClassifier,
    AveragedPerceptronClassifier,
    HingeClassifier,
]
CLASSES = [*HYPERPLANES, LogisticClassifier, LDAClassifier, QDAClassifier]

# Every class as it comes, and every option that leads to other code here: "pair by pair" is one
# piece of code for all of them, and section 5 compares it for each with scikit-learn's own. Many of
# the checks have labels drawn at random: there a perceptron would spend its whole budget, so that
# it gets a small one.
ESTIMATORS = [make() for make in CLASSES if make is not PerceptronClassifier]
ESTIMATORS += [
    PerceptronClassifier(max_updates=1_000),
    PerceptronClassifier(multi_class="ovo", max_updates=1_000),
    PerceptronClassifier(order="shuffled", random_state=0, max_updates=1_000),
    LogisticClassifier(penalty=0.0),
]

IRIS_X, IRIS_Y = datasets.load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[IRIS_Y]


def iris(classes):
    """Return the rows of the first two classes of iris, or of all three."""
    rows = np.isin(IRIS_Y, range(classes))
    return IRIS_X[rows], IRIS_Y[rows]


def blobs(classes, n=90, d=3, seed=0):
    """Return well separated classes, labelled 0, 1, …"""
    centres = 8 * np.eye(classes, d)
    return datasets.make_blobs(n, centers=centres, cluster_std=0.7, random_state=seed)


def weights(model):
    """Return the rows ``(w0, w)`` of an estimator."""
    return np.column_stack([model.intercept_, model.coef_])


def signs(y, positive):
    return np.where(y == positive, 1.0, -1.0)


# === 1. Scikit-learn's checks ===================================================================


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_the_checks_cover_every_estimator():
    assert {type(estimator).__name__ for estimator in ESTIMATORS} == set(adapters.__all__)


@pytest.mark.slow
def test_the_check_that_needs_another_environment_passes_there():
    """SciPy reads SCIPY_ARRAY_API when it is imported; without it the check only skips."""
    code = """
import warnings
from sklearn.utils.estimator_checks import estimator_checks_generator
from tests.library.test_sklearn import ESTIMATORS
warnings.simplefilter("ignore")
for estimator in ESTIMATORS:
    for _, check in estimator_checks_generator(estimator):
        if check.func.__name__ == "check_array_api_input":
            check(estimator)
            print(type(estimator).__name__)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == (set() if BEFORE_1_9 else set(adapters.__all__))


CHANGED = {
    LDAClassifier: {"penalty": None},
    QDAClassifier: {"penalty": None},
    LogisticClassifier: {"penalty": 0.01},
}


@pytest.mark.parametrize("make", CLASSES)
def test_parameters_have_the_defaults_of_the_core(make):
    ours, core = make().get_params(), make._core
    for name, value in ((core.__kwdefaults__ or {}) | CHANGED.get(make, {})).items():
        if name in ours:
            assert ours[name] == value, f"{make.__name__}: {name} is not the core's"


# === 2. The core's exact weights =================================================================

CORE = [
    (PerceptronClassifier(), linlib.pla, {}),
    (PerceptronClassifier(order="worst", step=0.5), linlib.pla, {"order": "worst", "step": 0.5}),
    (PerceptronClassifier(start=[1, 2, 3, 4]), linlib.pla, {"start": [1, 2, 3, 4]}),
    (AveragedPerceptronClassifier(max_passes=3), linlib.averaged, {"max_passes": 3}),
    (HingeClassifier(penalty=0.1), linlib.soft_margin, {"penalty": 0.1}),
]
CORE_IDS = [f"{model}" for model, *_ in CORE]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("model", "core", "options"), CORE, ids=CORE_IDS)
@pytest.mark.parametrize("overlap", [False, True])
def test_two_classes_have_the_cores_weights_with_the_second_class_positive(
    model, core, options, overlap
):
    X, y = blobs(2)
    y = np.where(np.arange(len(y)) < 4, 1 - y, y) if overlap else y
    labels = np.array(["no", "yes"])[y]
    fitted = clone(model).fit(X, labels)
    assert np.array_equal(weights(fitted), [core(X, signs(y, 1), **options).weights])
    assert fitted.classes_.tolist() == ["no", "yes"]
    assert np.array_equal(fitted.predict(X) == "yes", fitted.decision_function(X) > 0)


@pytest.mark.parametrize(("model", "core", "options"), CORE, ids=CORE_IDS)
def test_one_against_the_rest_has_the_cores_weights(model, core, options):
    X, y = blobs(3)
    fitted = clone(model).fit(X, y)
    expected = [core(X, signs(y, k), **options).weights for k in range(3)]
    assert np.array_equal(weights(fitted), expected)
    assert np.array_equal(fitted.decision_function(X), X @ fitted.coef_.T + fitted.intercept_)
    for k, hyperplane in enumerate(fitted.scheme_.hyperplanes):
        assert np.array_equal(hyperplane.weights, expected[k])


@pytest.mark.parametrize(("model", "core", "options"), CORE, ids=CORE_IDS)
def test_pair_by_pair_has_the_cores_weights_with_the_first_of_the_pair_positive(
    model, core, options
):
    X, y = blobs(3)
    fitted = clone(model).set_params(multi_class="ovo").fit(X, y)
    for k, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        rows = (y == a) | (y == b)
        expected = core(X[rows], signs(y[rows], a), **options).weights
        assert np.array_equal(weights(fitted)[k], expected)
        assert np.array_equal(fitted.scheme_.hyperplanes[a, b].weights, expected)


@pytest.mark.parametrize("order", ["shuffled", "random"])
def test_an_integer_random_state_is_the_seed_of_the_cores_generator(order):
    X, y = blobs(3)
    model = PerceptronClassifier(order=order, random_state=7).fit(X, y)
    rng = np.random.default_rng(7)
    expected = [linlib.pla(X, signs(y, k), order=order, rng=rng).weights for k in range(3)]
    assert np.array_equal(weights(model), expected)


def test_other_random_states_follow_scikit_learns_conventions():
    X, y = blobs(2)

    def fitted(state):
        return weights(PerceptronClassifier(order="shuffled", random_state=state).fit(X, y))

    assert np.array_equal(fitted(np.random.RandomState(3)), fitted(np.random.RandomState(3)))
    state = np.random.get_state()  # noqa: NPY002
    PerceptronClassifier().fit(X, y)
    assert np.array_equal(np.random.get_state()[1], state[1])  # noqa: NPY002
    with pytest.raises(ValueError, match="seed"):
        fitted("seven")


@pytest.mark.parametrize("penalty", [0.0, 0.1])
def test_logistic_regression_has_the_cores_weights_and_probabilities(penalty):
    X, y = iris(3)
    X, y = X[y > 0, :2], y[y > 0]
    model = LogisticClassifier(penalty=penalty).fit(X, np.array(["a", "b", "c"])[y])
    core = linlib.logistic(X, signs(y, 2), penalty=penalty)
    assert np.array_equal(weights(model), [core.weights])
    assert np.allclose(model.predict_proba(X)[:, 1], core.probability(X), atol=1e-14)
    assert np.allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert (model.converged_, model.n_iter_) == (True, core.updates)
    assert np.array_equal(model.predict(X) == "c", model.decision_function(X) > 0)


def test_logistic_regression_of_many_classes_is_the_cores_softmax():
    X, y = iris(3)
    model = LogisticClassifier(penalty=0.01).fit(X, NAMES)
    core = linlib.softmax(X, y, penalty=0.01)
    assert np.array_equal(weights(model), core.weights)
    assert np.allclose(model.predict_proba(X), core.probability(X), atol=1e-14)
    assert np.array_equal(model.predict(X), NAMES[np.arange(150)][[0, 50, 100]][core.predict(X)])
    assert np.allclose(model.coef_.sum(axis=0), 0, atol=1e-12)
    theirs = LogisticRegression(C=1 / 1.5, tol=1e-8, max_iter=10_000).fit(X, y)
    assert np.allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


def test_logistic_regression_warns_where_no_minimum_exists():
    X, y = iris(2)
    with pytest.warns(ConvergenceWarning, match="No minimum exists: the data are separable"):
        model = LogisticClassifier(penalty=0.0).fit(X, y)
    assert model.score(X, y) == 1
    assert not model.converged_
    assert model.model_.overlap.check(X, signs(y, 1))


@pytest.mark.parametrize("options", [{}, {"divisor": "n-k"}, {"penalty": 0.1}], ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_lda_has_the_cores_weights_and_predictions(classes, options):
    X, y = iris(classes)
    model = LDAClassifier(**options).fit(X, y)
    core = linlib.fit_lda(X, y, **options)
    if classes > 2:  # the core's weights, less one vector that all classes share
        shared = core.weights - weights(model)
        np.testing.assert_allclose(shared, shared[[0] * classes], atol=1e-8)
    else:
        assert np.array_equal(weights(model), [core.hyperplane.weights])
    assert np.array_equal(model.predict(X), core.predict(X))
    assert np.array_equal(model.covariance_, core.covariance)
    assert np.array_equal(model.means_, core.means)
    assert model.penalty_ == options.get("penalty", 0)
    if classes == 2:
        assert np.array_equal(model.decision_function(X), core.log_odds(X))
    np.testing.assert_allclose(
        model.decision_function(X), (X @ model.coef_.T + model.intercept_).squeeze(), atol=1e-8
    )


@pytest.mark.parametrize("options", [{}, {"divisor": "n-k"}, {"penalty": 0.1}], ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_qda_has_the_cores_scores_and_predictions(classes, options):
    X, y = iris(classes)
    model, core = QDAClassifier(**options).fit(X, y), linlib.fit_qda(X, y, **options)
    scores = core.log_odds(X) if classes == 2 else core.scores(X)
    assert np.array_equal(model.decision_function(X), scores)
    assert np.array_equal(model.predict(X), core.predict(X))
    assert np.array_equal(model.covariance_, core.covariances)


# === 3. What the adapters add ====================================================================


@pytest.mark.parametrize("make", HYPERPLANES)
def test_a_score_of_zero_is_the_first_class(make):
    model = make().fit([[-1.0], [1.0]], ["b", "a"])
    assert model.coef_ < 0
    on_the_boundary = -model.intercept_ / model.coef_[0]
    assert model.decision_function([on_the_boundary]) == 0
    assert model.predict([on_the_boundary]) == ["a"]


def test_equal_scores_go_to_the_first_class():
    X, y = [[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, -1.0]], [3, 1, 2, 0]
    model = LogisticClassifier().fit(X, y)
    model.intercept_ = np.zeros(4)
    assert model.decision_function([[0, 0]]).tolist() == [[0, 0, 0, 0]]
    assert model.predict([[0, 0]]) == [0]


OVERLAP = (np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]))


@pytest.mark.parametrize(
    ("model", "what"),
    [
        (PerceptronClassifier(max_updates=20), "max_updates ran out.*linlib.pocket"),
        (HingeClassifier(max_updates=1, penalty=1e-3), "stopped before the gap closed"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_budget_that_runs_out_is_one_warning_at_the_callers_line(model, what):
    with pytest.warns(ConvergenceWarning, match=f"^{type(model).__name__}: {what}") as caught:
        model.fit(*OVERLAP)
    assert [warning.filename for warning in caught] == [__file__]
    assert not model.converged_
    assert model.predict(OVERLAP[0]).shape == (4,)


def test_spending_a_budget_on_purpose_is_no_warning():
    assert not AveragedPerceptronClassifier().fit(*OVERLAP).converged_


def test_passes_and_steps_are_counted_wherever_the_core_counts_them():
    X, y = blobs(2)
    labels = signs(y, 1)
    perceptron = PerceptronClassifier().fit(X, y)
    assert perceptron.converged_
    assert perceptron.n_iter_ == linlib.pla(X, labels).passes
    hinge = HingeClassifier(penalty=0.1).fit(X, y)
    assert hinge.n_iter_ == linlib.soft_margin(X, labels, penalty=0.1).updates > 1


@pytest.mark.parametrize("make", [LDAClassifier, QDAClassifier])
def test_a_singular_covariance_gets_a_small_penalty_and_a_warning(make):
    X = np.column_stack([IRIS_X, np.ones(150), IRIS_X[:, 0]])
    with pytest.warns(
        UserWarning, match="used penalty=.* because of this: X: the covariance"
    ) as got:
        model = make().fit(X, IRIS_Y)
    assert len(got) == 1
    assert got[0].filename == __file__
    penalty = gaussians.SMALL * X.var(axis=0).mean()
    assert model.penalty_ == penalty
    core = linlib.fit_lda if make is LDAClassifier else linlib.fit_qda
    assert np.array_equal(model.decision_function(X), core(X, IRIS_Y, penalty=penalty).scores(X))
    # A constant and a repeated column say nothing new, so the answers hardly change.
    assert np.mean(model.predict(X) == make().fit(IRIS_X, IRIS_Y).predict(IRIS_X)) > 0.98


@pytest.mark.parametrize("make", [LDAClassifier, QDAClassifier])
def test_a_penalty_of_ones_own_is_never_changed(make):
    X = np.column_stack([IRIS_X, np.ones(150)])
    with pytest.raises(ValueError, match="singular because column 4 is constant"):
        make(penalty=0.0).fit(X, IRIS_Y)
    assert make(penalty=0.5).fit(X, IRIS_Y).penalty_ == 0.5


@pytest.mark.parametrize("make", CLASSES)
def test_a_failed_fit_leaves_an_unfitted_estimator(make):
    model = make()
    with pytest.raises(ValueError, match="only one class"):
        model.fit(IRIS_X, np.zeros(150))
    with pytest.raises(NotFittedError):
        model.predict(IRIS_X)


@pytest.mark.parametrize("make", HYPERPLANES)
def test_an_unknown_scheme_is_named_even_for_two_classes(make):
    with pytest.raises(ValueError, match=r"multi_class: 'softmax' is not known.*'ovr', 'ovo'"):
        make(multi_class="softmax").fit(*OVERLAP)


def test_bad_options_get_the_cores_sentence():
    with pytest.raises(ValueError, match="order: 'sorted' is not known"):
        PerceptronClassifier(order="sorted").fit(*OVERLAP)
    with pytest.raises(ValueError, match="penalty: must be positive"):
        HingeClassifier(penalty=0).fit(*OVERLAP)
    for make in (LDAClassifier, QDAClassifier):
        with pytest.raises(ValueError, match="divisor: 'n-1' is not known"):
            make(divisor="n-1").fit(*OVERLAP)
        with pytest.raises(ValueError, match=r"^priors: "):
            make(priors=[0.5, 0.6]).fit(*OVERLAP)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("make", CLASSES)
def test_a_fitted_estimator_does_not_carry_the_data(make):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 3)), rng.integers(3, size=3000)
    options = {"max_updates": 100} if hasattr(make(), "max_updates") else {}
    options |= {"max_updates": 5} if make is HingeClassifier else {}
    assert len(pickle.dumps(make(**options).fit(X, y))) < 5000 < X.nbytes


@pytest.mark.parametrize("make", HYPERPLANES)
def test_only_a_model_of_the_classes_has_probabilities(make):
    for method in ("predict_proba", "predict_log_proba"):
        assert not hasattr(make(), method)


# === 4. Scikit-learn's discriminant analysis =====================================================


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (LDAClassifier(divisor=DIVISOR), LinearDiscriminantAnalysis()),
        (LDAClassifier(), LinearDiscriminantAnalysis(solver="lsqr")),
        (QDAClassifier(divisor=DIVISOR), QuadraticDiscriminantAnalysis()),
    ],
    ids=str,
)
def test_probabilities_are_scikit_learns(ours, theirs, classes):
    X, y = iris(classes)
    ours, theirs = clone(ours).fit(X, y), clone(theirs).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X).sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(ours.predict_log_proba(X)), ours.predict_proba(X))


# === 5. Scikit-learn's multiclass schemes ========================================================


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("make", HYPERPLANES)
def test_pair_by_pair_is_scikit_learns_meta_estimator(make):
    ours = make(multi_class="ovo").fit(IRIS_X, NAMES)
    theirs = OneVsOneClassifier(make()).fit(IRIS_X, NAMES)
    np.testing.assert_allclose(
        ours.decision_function(IRIS_X), theirs.decision_function(IRIS_X), rtol=1e-5, atol=1e-6
    )
    assert np.array_equal(ours.predict(IRIS_X), theirs.predict(IRIS_X))


# --- LDA as a projection -----------------------------------------------------------------------


@pytest.mark.parametrize("shift", [0, 10**6])
def test_lda_transforms_like_scikit_learn_up_to_sign_and_origin(shift):
    X, y = datasets.load_iris(return_X_y=True)
    X = np.round(64 * X) / 64  # moved without rounding
    ours = LDAClassifier(divisor=DIVISOR).fit(X + shift, y).transform(X + shift)
    theirs = LinearDiscriminantAnalysis().fit(X, y).transform(X)
    ours, theirs = ours - ours.mean(axis=0), theirs - theirs.mean(axis=0)
    signs = np.sign((ours * theirs).sum(axis=0))
    assert np.allclose(ours * signs, theirs, rtol=0, atol=1e-8)


def test_lda_keeps_the_best_components():
    X, y = datasets.load_iris(return_X_y=True)
    both, one = LDAClassifier().fit(X, y), LDAClassifier(n_components=1).fit(X, y)
    assert both.transform(X).shape == (150, 2)
    assert np.allclose(one.transform(X), both.transform(X)[:, :1])
    assert one.get_feature_names_out().tolist() == ["ldaclassifier0"]
    with pytest.raises(ValueError, match="n_components: must be at least 1"):
        LDAClassifier(n_components=0).fit(X, y)


@pytest.mark.parametrize(("features", "classes", "most"), [(4, 3, 2), (1, 3, 1), (4, 2, 1)])
def test_lda_refuses_more_components_than_there_are(features, classes, most):
    X, y = iris(classes)
    assert LDAClassifier(n_components=most).fit(X[:, :features], y).scalings_.shape[1] == most
    for theirs_too in (LDAClassifier, LinearDiscriminantAnalysis):
        with pytest.raises(ValueError, match="n_components"):
            theirs_too(n_components=most + 1).fit(X[:, :features], y)
    with pytest.raises(ValueError, match=f"must be at most {most}, .* got 99"):
        LDAClassifier(n_components=99).fit(X[:, :features], y)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "make", [PerceptronClassifier, LogisticClassifier, LDAClassifier, QDAClassifier]
)
def test_what_was_learned_can_be_written_like_scikit_learns(make, classes):
    X, y = blobs(classes)
    learned = {name: value for name, value in vars(make().fit(X, y)).items() if name[-1] == "_"}
    arrays = {name: value for name, value in learned.items() if isinstance(value, np.ndarray)}
    assert len(arrays) >= 3
    assert [name for name, value in arrays.items() if not value.flags.writeable] == []
