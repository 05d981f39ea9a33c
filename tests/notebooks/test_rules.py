"""What validation reads in a cell: asserts that cannot fail, broken formulas."""

from __future__ import annotations

import pytest

from lincourse.check import asserts
from lincourse.check.markdown import why_broken


@pytest.mark.parametrize(
    "source",
    [
        "assert True",
        "assert 1 + 1 == 2, run.weights",
        "assert (run.converged, 'it ran out')",
        "assert [run.converged]",
        "assert f'{run.converged}'",
        "assert (value > 0 for value in x)",
        "assert run.converged or True",
        "assert True or run.converged",
        "assert run.converged or 1 == 1",
        "assert run.converged or len(x) >= 0",
        "assert not False or run.converged",
        "assert not []",
        "assert x == x",
        "assert run.path[-1] <= run.path[-1]",
        "assert 0 < a == a",
        "assert np.allclose(Z @ w, Z @ w)",
        "assert np.array_equal(x, x) and run.converged",
        "assert np.isclose(x, y, rtol=10)",
        "assert np.all(x == x)",
        "assert len(x) >= 0",
        "assert 0 <= np.linalg.norm(w)",
        "assert all(x == x for x in rows)",
        "try:\n    assert run.converged\nexcept AssertionError:\n    pass",
        "try:\n    assert run.converged\nexcept:\n    pass",
        "try:\n    assert run.converged\nexcept (KeyError, Exception):\n    pass",
        "try:\n    run()\nexcept KeyError:\n    assert run.converged",
        "with contextlib.suppress(AssertionError):\n    assert run.converged",
    ],
)
def test_an_assert_that_cannot_fail_is_recognised(source: str) -> None:
    assert len(list(asserts.vacuous(source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "assert run.converged",
        "assert run.converged or run.updates == 1000",
        "assert a == b == c",
        "assert np.allclose(x, y, atol=1e-9)",
        "assert not errors",
        "assert all(value > 0 for value in x)",
        "assert all([a == b, c == d])",
        "assert all(np.isclose(a, b) for a, b in pairs)",
        "assert x is not None and len(x) > 0",
        "assert f(x) == g(x)",
        "assert -1 < x < 1",
        "for row in rows[:2]:\n    if row:\n        assert row > 0",
        "while True:\n    assert run.converged\n    break",
        "if False:\n    print(1)\nassert run.converged",
        "try:\n    run()\nexcept KeyError:\n    pass\nelse:\n    assert run.converged",
        "with open(path) as file:\n    assert file.read()",
        "def check(x):\n    assert x > 0\n    return x",
    ],
)
def test_an_honest_assert_is_left_alone(source: str) -> None:
    assert list(asserts.vacuous(source)) == []


@pytest.mark.parametrize(
    "formula",
    [
        "",
        r"\frac{1}{2",
        r"\frac{1}",
        r"\frac{}",
        "x}",
        "{x",
        "x^",
        "x^2^3",
        "^2",
        r"\gama",
        r"\left( x",
        r"\right)",
        r"\bigl( x)",
        r"\begin{matrix} a",
        "a & b",
        r"\sqrt",
        r"\text{abc",
        r"\mathbf",
    ],
)
def test_a_broken_formula_is_recognised(formula: str) -> None:
    assert why_broken(formula)


@pytest.mark.parametrize(
    "formula",
    [
        r"\frac12",
        r"\tfrac{1}{2}\,\|\mathbf w\|^2",
        r"\{x : g(x) = 0\}",
        r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
        r"\left(\sum_{i=1}^n x_i\right)^{-1}",
        r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
        r"\bigl(x\bigr)",
        r"\text{there is a } x",
        r"\operatorname{sign}(x)",
    ],
)
def test_a_sound_formula_is_left_alone(formula: str) -> None:
    assert why_broken(formula) is None
