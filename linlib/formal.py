"""Runs and certificates as files that a proof assistant checks (lectures 03 and 04).

The folder ``proofs`` of the course proves two theorems with the proof assistant Coq: the perceptron
makes no more corrections than its bound, in any order of visits; and multipliers that balance the
signed rows exclude every separator. This module writes the rest of such a file: the rows of *one*
data set, and statements about *one* run or certificate that Coq checks by computing. The file holds
everything it needs::

    Path("run.v").write_text(linlib.pla(X, y).proof())      # then: coqc run.v

Coq computes with whole numbers. A float stands for the decimal that it prints, and all rows are
multiplied by the same power of ten; the last theorem of ``Perceptron.v`` shows that this changes
neither the mistakes nor their order.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import mul
from pathlib import Path

from linlib.base.checks import FloatArray, IntArray
from linlib.solvers.exact import Number, decimals

THEORY = ("Vectors", "Perceptron", "Certificate")
LOADED = """\
From Coq Require Import ZArith List Lia.
Import ListNotations.
Open Scope Z_scope.
"""
LOADING = re.compile(r"^(From .*|Require .*|Import .*|Open Scope .*)\n", re.MULTILINE)
WIDTH = 96
Row = list[int]


def theory() -> str:
    """Return the theorems and their proofs, one file after the other."""
    package = Path(__file__).parent
    # An installed package carries the folder; in a checkout it lies beside the package.
    folder = next(at for at in (package / "proofs", package.parent / "proofs") if at.is_dir())
    texts = [(folder / f"{name}.v").read_text(encoding="utf-8") for name in THEORY]
    # What each file loads stands once, at the top of the one file.
    return "\n".join([LOADED, *(LOADING.sub("", text) for text in texts)])


# ---------------------------------------------------------------- a run


def of_run(Z: FloatArray, mistakes: IntArray, converged: bool, reference: Sequence[Number]) -> str:
    """Return the file for a run from zero weights that corrected these rows of Z, in this order.

    ``reference`` are weights that separate, whose margin gives the bound; they are not needed where
    the run has not converged.
    """
    rows, factor = _whole_rows(Z)
    weights = _corrected(rows, mistakes)
    parts = [
        _title("A run of the perceptron", factor),
        theory(),
        _rows(rows),
        _visits(mistakes),
        f"""\
(** Each of these visits finds a mistake and corrects it, and these are the weights at the end. *)
Theorem this_run :
  run visits = {{| weights := {_vector(weights)}; updates := {len(mistakes)} |}}.
Proof. vm_compute. reflexivity. Qed.
""",
    ]
    asked = ["this_run"]
    if converged:
        _no_mistake_left(rows, weights)
        parts += [_stopped(weights), _bound(rows, _whole(reference)[0])]
        asked += ["it_separates", "no_run_makes_more"]
    return "\n".join([*parts, *(f"Print Assumptions {name}." for name in asked), ""])


def _corrected(rows: list[Row], mistakes: IntArray) -> Row:
    """Return the weights after the corrections; each must have been a mistake, exactly."""
    weights = [0] * len(rows[0])
    for update, i in enumerate(mistakes.tolist(), start=1):
        if sum(map(mul, rows[i], weights)) > 0:
            raise ValueError(
                f"run: in exact arithmetic row {i} is no mistake at update {update}; the floats of "
                f"this run were rounded. Multiply X until it holds whole numbers, and run again."
            )
        weights = [w + z for w, z in zip(weights, rows[i], strict=True)]
    return weights


def _no_mistake_left(rows: list[Row], weights: Row) -> None:
    for i, row in enumerate(rows):
        if sum(map(mul, row, weights)) <= 0:
            raise ValueError(
                f"run: in exact arithmetic row {i} is still a mistake at the end; the floats of "
                f"this run were rounded. Multiply X until it holds whole numbers, and run again."
            )


def _visits(mistakes: IntArray) -> str:
    listed = _listed(map(str, mistakes.tolist()))
    return f"""\
(** The rows that were corrected, in order; the first row of the data has the number 0. Visits
    that found no mistake changed nothing and are left out. *)
Definition corrected : list nat :=
{listed}%nat.
Definition visits : list vector := map (fun i => nth i rows []) corrected.
"""


def _stopped(weights: Row) -> str:
    return f"""\
(** The run has stopped: one more pass corrects nothing. So its weights separate. *)
Theorem it_separates : separates {_vector(weights)} rows.
Proof.
  replace {_vector(weights)} with (weights (run visits)) by (rewrite this_run; reflexivity).
  apply clean_pass_separates.
  vm_compute. reflexivity.
Qed.
"""


def _bound(rows: list[Row], reference: Row) -> str:
    margin = min(sum(map(mul, row, reference)) for row in rows)
    if margin <= 0:
        raise ValueError(
            f"reference: its smallest product with a row is {margin}, which is not above 0; give "
            f"weights that separate, or leave it out."
        )
    radius2 = max(sum(map(mul, row, row)) for row in rows)
    length2 = sum(map(mul, reference, reference))
    most = radius2 * length2 // margin**2
    return f"""\
(** Weights that separate, their least product with a row, and the square of the longest row. *)
Definition u : vector := {_vector(reference)}.
Definition gamma : Z := {margin}.
Definition R2 : Z := {radius2}.

(** The bound R² ‖u‖² / gamma² is {_ratio(radius2 * length2, margin**2)}. No run on these rows
    makes more corrections, in whatever order it visits them. *)
Theorem no_run_makes_more :
  forall order, visits_only rows order -> updates (run order) <= {most}.
Proof.
  intros order inside.
  assert (bound : updates (run order) * (gamma * gamma) <= R2 * squared_length u).
  {{ apply mistake_bound with (rows := rows); [| | | | exact inside].
    - apply all_products_at_least. vm_compute. reflexivity.
    - discriminate.
    - apply all_lengths_at_most. vm_compute. reflexivity.
    - discriminate. }}
  replace (gamma * gamma) with {margin**2} in bound by reflexivity.
  replace (R2 * squared_length u) with {radius2 * length2} in bound by reflexivity.
  lia.
Qed.
"""


# ---------------------------------------------------------------- certificates


def of_weights(Z: FloatArray, weights: Sequence[Number]) -> str:
    """Return the file that says: these weights separate."""
    rows, factor = _whole_rows(Z)
    return f"""\
{_title("Weights that separate", factor)}
{theory()}
{_rows(rows)}
(** Every row has a positive product with the weights. *)
Theorem they_separate : separates {_vector(_whole(weights)[0])} rows.
Proof. apply all_products_positive. vm_compute. reflexivity. Qed.

Print Assumptions they_separate.
"""


def of_multipliers(Z: FloatArray, multipliers: Sequence[Number]) -> str:
    """Return the file that says: these multipliers exclude every separator."""
    rows, factor = _whole_rows(Z)
    zero = f"repeat 0 {len(rows[0])}"
    return f"""\
{_title("Multipliers that exclude every separator", factor)}
{theory()}
{_rows(rows)}
(** One multiplier for each row. *)
Definition multipliers : list Z := {_vector(_whole(multipliers)[0])}.

Theorem nothing_separates : forall w, ~ separates w rows.
Proof.
  apply (multipliers_exclude_separators multipliers rows {len(rows[0])}).
  - (* as many multipliers as rows *) vm_compute. reflexivity.
  - (* none is negative *) apply none_negative. vm_compute. reflexivity.
  - (* one is positive *) apply one_positive. vm_compute. reflexivity.
  - (* they balance the rows: the mixture is {zero} *) vm_compute. reflexivity.
Qed.

Print Assumptions nothing_separates.
"""


# ---------------------------------------------------------------- numbers as Coq writes them


def _whole(numbers: Iterable[Number]) -> tuple[Row, int]:
    """Return the decimals as whole numbers without a common divisor, and the factor used."""
    exact = decimals(numbers)
    factor = math.lcm(*(number.denominator for number in exact))
    integers = [int(number * factor) for number in exact]
    divisor = math.gcd(*integers) or 1
    return [integer // divisor for integer in integers], factor


def _whole_rows(Z: FloatArray) -> tuple[list[Row], int]:
    """Return all rows times the least factor that makes every entry whole, and the factor."""
    exact = [decimals(row) for row in Z.tolist()]
    factor = math.lcm(*(number.denominator for row in exact for number in row))
    return [[int(number * factor) for number in row] for row in exact], factor


def _vector(numbers: Iterable[int]) -> str:
    return (
        "[" + "; ".join(str(number) if number >= 0 else f"({number})" for number in numbers) + "]"
    )


def _listed(words: Iterable[str]) -> str:
    inside = "; ".join(words)
    return textwrap.fill(f"[{inside}]", WIDTH, initial_indent="  ", subsequent_indent="   ")


def _rows(rows: list[Row]) -> str:
    listed = ";\n    ".join(_vector(row) for row in rows)
    return f"""\
(** ** The data: signed rows z = y (1, x) *)
Definition rows : list vector :=
  [ {listed} ].
"""


def _title(what: str, factor: int) -> str:
    times = f"\n    All rows are multiplied by {factor}, which makes them whole numbers." * (
        factor > 1
    )
    return f"""\
(** * {what}

    Check this file with the proof assistant Coq: coqc THIS_FILE.v
    For each theorem at its end it prints "Closed under the global context", which means that
    nothing was assumed.{times} *)
"""


def _ratio(above: int, below: int) -> str:
    ratio = Fraction(above, below)
    return f"{ratio}" if ratio.denominator == 1 else f"{float(ratio):.6g}"
