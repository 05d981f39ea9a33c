"""Certificates are proved again by a product; what they prove is tested with separability."""

import pytest

from linlib import certify, data
from linlib.solvers import exact


def test_a_refutation_shows_how_many_rows_clash_and_their_shares():
    shown = "Inseparable(clashing rows 4; multipliers (0.25, 0.25, 0.25, 0.25))"
    assert repr(certify(*data.xor_gate())) == shown


def test_fractions_are_asked_for_only_when_an_exact_check_is(monkeypatch):
    X, y = data.and_gate()
    verdict = certify(X, y)

    def asked(*given):
        raise LookupError("fractions")

    monkeypatch.setattr(exact, "smallest", asked)
    assert verdict.check(X, y)
    with pytest.raises(LookupError, match="fractions"):
        verdict.check(X, y, exact=True)
