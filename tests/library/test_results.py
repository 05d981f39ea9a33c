"""A result cannot be changed behind its back, shows itself, and survives copies."""

import copy
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

import linlib
from linlib import data, fit_lda, least_squares
from linlib.base.frozen import Frozen, frozen
from linlib.base.hyperplane import Fit


def samples():
    """Return points of two classes and of three, with their labels, and a start."""
    X, y = data.and_gate()
    return [X, y, *data.clouds([[0, 0], [9, 0], [0, 9]], 8, np.random.default_rng(7)), np.ones(3)]


def results(X, y, three, labels, start):
    """Return one of every kind of result, by name."""
    run = linlib.pla(X, y, start=start)
    hinge = linlib.hinge_objective(X, y, 0.1)
    return {
        "Run": run,
        "PocketRun": linlib.pocket(X, y, start=start),
        "BatchRun": linlib.batch(X, y, start=start),
        "AveragedRun": linlib.averaged(X, y, start=start),
        "ProofTable": linlib.proof_table(run, [-3, 2, 2]),
        "ProofAudit": linlib.audit_proof(X, y, [-3, 2, 2]),
        "Objective": hinge,
        "Descent": linlib.gradient_descent(hinge, step=0.1, start=start),
        "Descent of no step": linlib.gradient_descent(hinge, step=1, start=start, max_updates=0),
        "Fit": least_squares(X, y),
        "Lasso": linlib.lasso(X, y, penalty=0.1),
        "SoftMargin": linlib.soft_margin(X, y, penalty=0.1),
        "Logistic": linlib.logistic(X, y),
        "Softmax": linlib.softmax(three, labels),
        "Overlap": linlib.overlap(X, y),
        "LMSRun": linlib.lms(X, y, start=start),
        "LMSRun of no pass": linlib.lms(X, y, start=start, max_passes=0),
        "PassMap": linlib.pass_map(X, y, step=0.1),
        "Separable": linlib.certify(X, y),
        "Inseparable": linlib.certify(X, [-1, 1, 1, -1]),
        "MaxMargin": linlib.max_margin(X, y),
        "Hyperplane": run.hyperplane,
        "LDA": fit_lda(three, labels),
        "QDA": linlib.fit_qda(three, labels),
        "OneVsRest": linlib.one_vs_rest(three, labels, least_squares),
        "OneVsOne": linlib.one_vs_one(three, labels, least_squares),
        "LinearMachine": linlib.linear_machine(three, labels),
    }


def arrays_of(value, name):
    """Return every array in a result, with the way to it."""
    if isinstance(value, np.ndarray):
        return [(name, value)]
    if isinstance(value, Mapping):
        return [pair for key in value for pair in arrays_of(value[key], f"{name}[{key}]")]
    if isinstance(value, list | tuple):
        return [pair for i, item in enumerate(value) for pair in arrays_of(item, f"{name}[{i}]")]
    if isinstance(value, Frozen):
        return [
            pair for key in vars(value) for pair in arrays_of(vars(value)[key], f"{name}.{key}")
        ]
    return []


def again(result):
    return pickle.loads(pickle.dumps(result))


@pytest.fixture(scope="module")
def made():
    return results(*samples())


@pytest.mark.parametrize("copied", [lambda result: result, again, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("name", results(*samples()))
def test_no_array_of_a_result_or_its_copies_can_be_written_into(made, name, copied):
    original, result = arrays_of(made[name], name), arrays_of(copied(made[name]), name)
    assert result, "a result without arrays is none"
    for (way, array), (same_way, first) in zip(result, original, strict=True):
        assert way == same_way
        assert np.array_equal(array, first)
        while isinstance(array, np.ndarray):
            assert not array.flags.writeable, f"{way} or what it is a view of is writeable"
            array = array.base


@pytest.mark.parametrize("name", results(*samples()))
def test_no_field_of_a_result_can_be_replaced(made, name):
    for field in vars(made[name]):
        with pytest.raises(FrozenInstanceError):
            setattr(made[name], field, None)
    text = repr(made[name])
    assert text == repr(again(made[name]))
    assert text.startswith(f"{type(made[name]).__name__}(")
    assert len(text) < 300
    assert not any(word in text + made[name]._repr_html_() for word in ("array(", " at 0x"))


def test_a_result_has_a_bias_unless_it_says_otherwise():
    fit = Fit(weights=np.array([1.0, 2.0, 3.0]), converged=True, status="Solved.", errors=4)
    assert (fit.hyperplane.w0, fit.hyperplane.w.tolist(), fit.errors) == (1, [2, 3], 4)
    assert repr(fit) == "Fit(weights (1, 2, 3); errors 4; Solved.)"


@pytest.mark.parametrize("writeable", [True, False], ids=["writeable", "read-only"])
def test_no_learner_changes_its_input_or_follows_later_changes(made, writeable):
    given = samples()
    for array in given:
        array.setflags(write=writeable)
    found = results(*given)
    for array, before in zip(given, samples(), strict=True):
        assert np.array_equal(array, before)
        assert array.flags.writeable is writeable
        array.setflags(write=True)
        array[:] = 1
    for name, result in found.items():
        pairs = zip(arrays_of(result, name), arrays_of(made[name], name), strict=True)
        assert all(np.array_equal(x, y) for (_, x), (_, y) in pairs), name


@dataclass(frozen=True, eq=False)
class Kept(Frozen):
    """A result that keeps one thing."""

    thing: object


def test_what_is_frozen_already_is_kept_as_it_is():
    array = frozen(np.arange(6.0))
    for part in (array, array[2:], array.reshape(2, 3).T[1:]):
        assert Kept(part).thing is part


def test_what_its_owner_can_still_change_is_copied():
    own = np.arange(6.0)
    window = own[1:]
    window.setflags(write=False)
    writeable = np.frombuffer(bytearray(48))
    for array in (own, window, writeable, np.asarray(memoryview(own))):
        kept = Kept(array).thing
        assert not np.shares_memory(kept, array)
        assert np.array_equal(kept, array)


def test_arrays_in_a_tuple_are_frozen_too():
    own = np.arange(3.0)
    first, (second, name) = Kept((own, (own + 1, "name"))).thing
    assert [first.tolist(), second.tolist(), name] == [[0, 1, 2], [1, 2, 3], "name"]
    assert not np.shares_memory(first, own)
    assert not second.flags.writeable
