"""Both proofs that the perceptron stops, held against many runs and exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from linlib import data
from linlib.base.rows import signed_rows
from linlib.margins.hard_margin import max_margin
from linlib.perceptron.algorithm import pla, pla_rows
from linlib.perceptron.proof import (
    END,
    LINES,
    audit_proof,
    mistake_bound,
    proof_table,
    radius_and_margin,
)
from linlib.perceptron.variants import averaged, pocket
from tests.helpers.exact import fractions
from tests.helpers.naive import dot

AND = data.and_gate()
AND_ROWS = signed_rows(*AND)
AND_REFERENCE = (-3, 2, 2)
ORDERS = ["cyclic", "shuffled", "random", "worst", "backwards"]


def separable_integers(seed):
    """Return integer points with labels from an integer hyperplane, and that hyperplane."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 5))
    while True:
        reference = rng.integers(-6, 7, size=d + 1)
        X = rng.integers(-9, 10, size=(int(rng.integers(4, 90)), d))
        score = reference[0] + X @ reference[1:]
        X, score = X[score != 0], score[score != 0]
        if len(X) and reference[1:].any():
            return X, np.sign(score), reference.astype(float)


def many_runs():
    """Yield 100 runs: 20 data sets, all orders, four steps, from zero and from elsewhere."""
    for seed in range(20):
        X, y, reference = separable_integers(seed)
        rng = np.random.default_rng(seed)
        for number, order in enumerate(ORDERS):
            start = rng.integers(-9, 10, size=len(reference)) if (seed + number) % 2 else None
            run = pla(
                X,
                y,
                order=range(len(X))[::-1] if order == "backwards" else order,
                step=(1.0, 0.5, 0.1, 3.0)[(seed + number) % 4],
                start=start,
                rng=rng,
            )
            yield f"data {seed}, {order}, step {run.step}, start {start}", run, reference


@pytest.fixture(scope="module")
def runs():
    return list(many_runs())


# --- in exact arithmetic -----------------------------------------------------------------------


def exact_table(run, reference):
    """Return every column in fractions: γ and alignments times ‖w*‖, and the radius squared."""
    Z, w_star, eta = fractions(run.Z), fractions(reference), Fraction(run.step)
    path = np.cumsum([fractions(run.start), *(eta * Z[run.mistakes])], axis=0)
    gamma, R2, k = min(Z @ w_star), max((Z**2).sum(axis=1)), np.arange(len(path))
    potential = ((path - eta * R2 / gamma * w_star) ** 2).sum(axis=1)
    return {
        "k": k,
        "alignment": path @ w_star,
        "alignment_floor": path[0] @ w_star + k * eta * gamma,
        "squared_length": (path**2).sum(axis=1),
        "length_ceiling": path[0] @ path[0] + k * eta**2 * R2,
        "potential": potential,
        "drop": np.append(0, potential[:-1] - potential[1:]),
        "least_drop": eta**2 * R2,
        "radius": R2,
        "margin": gamma,
        "bound": potential[0] / (eta**2 * R2),
    }


def test_and_has_margin_one_radius_squared_three_and_bound_51_exactly():
    exact = exact_table(pla(*AND), AND_REFERENCE)
    assert (exact["margin"], exact["radius"], exact["bound"]) == (1, 3, 51)


def test_both_proofs_hold_exactly_at_every_update_of_every_run(runs):
    assert sum(run.updates for _, run, _ in runs) > 2_000, "the runs must not be trivial"
    assert sum(run.start.any() for _, run, _ in runs) > 30
    for name, run, reference in runs:
        if run.step == 0.1:  # no binary fraction: the run itself is rounded
            continue
        exact = exact_table(run, reference)
        assert run.converged, "separable data: every run must end"
        assert run.updates <= exact["bound"], name
        assert (exact["alignment"] >= exact["alignment_floor"]).all(), name
        assert (exact["squared_length"] <= exact["length_ceiling"]).all(), name
        assert (exact["drop"][1:] >= exact["least_drop"]).all(), name


def test_the_table_shows_the_exact_numbers(runs):
    for name, run, reference in runs:
        exact, table = exact_table(run, reference), proof_table(run, reference)
        units = dict.fromkeys(("alignment", "alignment_floor", "margin"), np.linalg.norm(reference))
        for column, values in exact.items():
            expected = np.array(values, dtype=float) / units.get(column, 1)
            found = table.radius**2 if column == "radius" else getattr(table, column)
            size = np.abs(expected).max()
            if column == "drop":
                size = table.potential.max()  # a difference of potentials has their rounding
            message, rtol = f"{column} differs: {name}", 1e-10 if np.ndim(found) else 1e-12
            assert np.shape(found) == np.shape(expected), message
            assert np.allclose(found, expected, rtol=rtol, atol=1e-12 * size), message
        assert run.start.any() or np.isclose(mistake_bound(run.Z, reference), table.bound), name


# --- the bound ---------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [1e-6, 0.3, 1.0, 7.0, 1e6])
def test_nothing_in_the_table_depends_on_the_length_of_the_reference(factor):
    run = pla(*AND)
    expected = proof_table(run, AND_REFERENCE)
    found = proof_table(run, factor * np.array(AND_REFERENCE))
    for column in vars(expected):
        assert np.allclose(getattr(found, column), getattr(expected, column), rtol=1e-12), column
    assert mistake_bound(AND_ROWS, factor * np.array(AND_REFERENCE)) == pytest.approx(51)


def test_scaling_all_rows_does_not_change_the_bound():
    expected = proof_table(pla_rows(AND_ROWS, start=[1, 2, 3]), AND_REFERENCE)
    for scale in (2.0**-30, 2.0**30):
        scaled = pla_rows(scale * AND_ROWS, start=[scale, 2 * scale, 3 * scale])
        table = proof_table(scaled, AND_REFERENCE)
        assert table.bound == pytest.approx(expected.bound)


@pytest.mark.parametrize("d", [1, 2, 5, 16])
def test_d_orthonormal_points_make_exactly_as_many_mistakes_as_the_bound_allows(d):
    X, y = data.orthonormal(d)
    run = pla(X, y, bias=False)
    best = max_margin(X, y, augmented=True, bias=False)
    assert run.updates == d
    assert mistake_bound(run.Z, best.weights) == pytest.approx(d), "the bound is attained"
    assert proof_table(run, np.ones(d)).margin == pytest.approx(1 / d**0.5)


# --- degenerate cases --------------------------------------------------------------------------


@pytest.mark.parametrize("learn", [pla, pocket, averaged])
def test_every_run_that_corrects_one_row_at_a_time_has_a_table(learn):
    table = proof_table(learn(*AND), AND_REFERENCE)
    assert table.k[-1] == 18
    assert repr(table) == "ProofTable(updates 18; bound 51; radius 1.732; margin 0.2425)"
    short = proof_table(pla(*AND, max_updates=5), AND_REFERENCE)
    assert short.k.tolist() == [0, 1, 2, 3, 4, 5]


# --- a proof that can be broken ----------------------------------------------------------------

XOR = data.xor_gate()
MISTAKE, WITNESS, LONGEST, ALIGNMENT, LENGTH, CAUCHY, POTENTIAL, BOUND = LINES
GAMMA, RADIUS = 17**-0.5, 3**0.5  # of AND and (-3, 2, 2)


def naive_audit(audit, Z, reference):
    """Ask every line again, one update and one number at a time."""
    norm = dot(reference, reference) ** 0.5
    u, gamma, R = [value / norm for value in reference], audit.margin, audit.radius
    a = R**2 / gamma
    weights, failures = [0.0] * len(u), {}
    for k, row in enumerate(audit.mistakes.tolist(), start=1):
        z, before = Z[row].tolist(), weights
        weights = [w + value for w, value in zip(weights, z, strict=True)]
        fell = sum((w - a * v) ** 2 for w, v in zip(before, u, strict=True))
        fell -= sum((w - a * v) ** 2 for w, v in zip(weights, u, strict=True))
        room = {
            MISTAKE: -dot(z, before),
            WITNESS: dot(z, u) - gamma,
            LONGEST: R - dot(z, z) ** 0.5,
            ALIGNMENT: dot(weights, u) - k * gamma,
            LENGTH: k * R**2 - dot(weights, weights),
            CAUCHY: dot(weights, weights) ** 0.5 - dot(weights, u),
            POTENTIAL: fell - R**2,
            BOUND: (R / gamma) ** 2 - k,
        }
        for line, left in room.items():
            if left < -1e-7:
                failures.setdefault(line, k)
    right = all(dot(z, weights) > 0 for z in Z.tolist())
    if audit.ended and not right:
        failures[END] = audit.updates
    return failures


def broken_proofs():
    """Yield audits of random data, with and without each hypothesis."""
    for seed in range(16):
        X, y, reference = separable_integers(seed)
        R, gamma = radius_and_margin(signed_rows(X, y), reference)
        given = [{}, {"rule": "< 0"}, {"rule": "always"}]
        given += [{"margin": 1.5 * gamma}, {"margin": 0.5 * gamma}, {"radius": 0.6 * R}]
        for less in given:
            audit = audit_proof(X, y, reference, **{"max_updates": 300} | less)
            yield f"data {seed}, {less}", audit, signed_rows(X, y), reference.tolist(), less
        labels = np.random.default_rng(seed).choice([-1, 1], len(X))
        audit = audit_proof(X, labels, reference, margin=gamma, max_updates=300)
        yield f"data {seed}, other labels", audit, signed_rows(X, labels), reference.tolist(), {}


@pytest.fixture(scope="module")
def audits():
    return list(broken_proofs())


def test_every_line_and_its_first_failure_equal_a_plain_recomputation(audits):
    for name, audit, Z, reference, _ in audits:
        failures = naive_audit(audit, Z, reference)
        found = {line: at for line, at in audit.failures.items() if at is not None}
        assert found == failures, name
        assert list(audit.failures) == [*LINES, END]


def test_a_consequence_fails_only_after_a_hypothesis_did(audits):
    hypotheses, failed = [MISTAKE, WITNESS, LONGEST], set()
    for name, audit, *_ in audits:
        told = {line: at for line, at in audit.failures.items() if at is not None}
        failed |= set(told)
        first = min((told[line] for line in hypotheses if line in told), default=None)
        for line in set(told) - {*hypotheses, END}:
            assert first is not None, f"{line} fails, and nothing was taken away: {name}"
            assert first <= told[line], name
        if audit.first and audit.first[0] != END:
            assert audit.first == min(
                ((line, told[line]) for line in hypotheses if line in told),
                key=lambda failure: failure[1],
            ), name
    assert failed == {*LINES, END} - {CAUCHY}, "Cauchy-Schwarz has no hypothesis to lose"


def test_with_its_hypotheses_no_line_fails_and_the_run_is_that_of_pla(audits):
    whole = [(name, audit, Z, less) for name, audit, Z, _, less in audits if "other" not in name]
    intact = [(name, audit, Z) for name, audit, Z, less in whole if not less]
    assert len(intact) == 16
    for name, audit, Z in intact:
        run = pla_rows(Z, max_updates=300)
        assert np.array_equal(audit.mistakes, run.mistakes), name
        assert np.array_equal(audit.weights, run.weights), name
        assert (audit.updates, audit.ended) == (run.updates, run.converged), name
        assert audit.first is None, name
    modest = [audit for _, audit, _, less in whole if "margin" in less]
    assert any(audit.first is None for audit in modest), "a γ that is too small is still a γ"


WITHOUT = {
    "nothing": (AND, {}, {}),
    "the zero of <= 0": (AND, {"rule": "< 0"}, {END: 0}),
    "only mistakes": (AND, {"rule": "always"}, {MISTAKE: 2, LENGTH: 3, POTENTIAL: 2, BOUND: 52}),
    "separable data": (
        XOR,
        {"margin": GAMMA},
        {WITNESS: 2, ALIGNMENT: 3, POTENTIAL: 2, BOUND: 52},
    ),
    "gamma divided by the length": (
        AND,
        {"margin": 1},
        {WITNESS: 1, ALIGNMENT: 1, POTENTIAL: 2, BOUND: 4},
    ),
    "R with the constant": (AND, {"radius": 2**0.5}, {LONGEST: 2, POTENTIAL: 12}),
}


@pytest.mark.parametrize(("points", "less", "expected"), WITHOUT.values(), ids=WITHOUT.keys())
def test_each_hypothesis_taken_from_and_breaks_its_own_line_first(points, less, expected):
    audit = audit_proof(*points, AND_REFERENCE, **less)
    assert {line: at for line, at in audit.failures.items() if at is not None} == expected
    assert audit.first == (next(iter(expected.items())) if expected else None)


def test_equalities_are_no_failures():
    audit = audit_proof(*data.orthonormal(9), np.ones(9), bias=False)
    assert audit.first is None
    assert audit.updates == 9 == round(audit.bound)


@pytest.mark.parametrize("scale", [2.0**-30, 2.0**30])
def test_the_unit_of_the_points_changes_no_verdict(scale):
    for points, less, expected in WITHOUT.values():
        sizes = {key: scale * less[key] for key in ("margin", "radius") if key in less}
        Z = scale * signed_rows(*points)
        audit = audit_proof(Z, np.ones(4), AND_REFERENCE, bias=False, **less | sizes)
        assert {line: at for line, at in audit.failures.items() if at is not None} == expected


def test_a_budget_ends_the_run_and_not_the_proof():
    audit = audit_proof(*AND, AND_REFERENCE, max_updates=5)
    assert (audit.updates, audit.ended, audit.first) == (5, False, None)
    assert audit_proof(*XOR, AND_REFERENCE, margin=1).updates == 1000
    none = audit_proof(*AND, AND_REFERENCE, max_updates=0)
    assert (none.updates, none.first) == (0, None)


def test_the_audit_says_in_one_line_what_broke():
    assert repr(audit_proof(*AND, AND_REFERENCE)).endswith(
        "(updates 18; bound 51; Every line holds.)"
    )
    broken = audit_proof(*AND, AND_REFERENCE, margin=1)
    assert repr(broken).endswith("bound 3; The first line to fail: z·w* ≥ γ, at update 1.)")
    assert (broken.radius, broken.margin) == (pytest.approx(RADIUS), 1)


# --- bad input ---------------------------------------------------------------------------------


def test_a_reference_that_does_not_separate_is_told_its_worst_row():
    with pytest.raises(ValueError, match=r"row 3 wrong \(product -1\).*certify"):
        radius_and_margin(AND_ROWS, [-3, 2, 0])
    with pytest.raises(ValueError, match="gets row 1 wrong"):
        audit_proof(*AND, [-1, 0, 1])
