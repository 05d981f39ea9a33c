(** * Why a certificate excludes every separator

    Multipliers that are not negative, not all zero, and whose mixture of the signed rows is the
    zero vector prove that no weights separate (the easy direction of Gordan's theorem, 1873). *)

From Coq Require Import ZArith List Lia.
Require Import Vectors.
Import ListNotations.
Open Scope Z_scope.

(** The mixture c1 z1 + c2 z2 + … *)
Fixpoint mixture (multipliers : list Z) (rows : list vector) : vector :=
  match multipliers, rows with
  | c :: multipliers', z :: rows' => add (scale c z) (mixture multipliers' rows')
  | _, _ => []
  end.

(** If w separates, the mixture has a score of 0 or more … *)
Lemma score_of_mixture_nonnegative w multipliers rows :
  separates w rows ->
  Forall (fun c => 0 <= c) multipliers ->
  0 <= dot (mixture multipliers rows) w.
Proof.
  revert multipliers. induction rows as [| z rows IH];
    intros [| c multipliers] separated nonnegative; simpl; try lia.
  rewrite dot_add_left, dot_scale_left.
  apply Forall_cons_iff in nonnegative as [c_nonnegative others_nonnegative].
  assert (this : 0 < dot z w) by (apply separated; left; reflexivity).
  assert (rest : 0 <= dot (mixture multipliers rows) w).
  { apply IH; [| exact others_nonnegative].
    intros other is_in. apply separated. right. exact is_in. }
  nia.
Qed.

(** … and more than 0 as soon as one multiplier that has a row is positive. *)
Lemma score_of_mixture_positive w multipliers rows :
  separates w rows ->
  Forall (fun c => 0 <= c) multipliers ->
  length multipliers = length rows ->
  Exists (fun c => 0 < c) multipliers ->
  0 < dot (mixture multipliers rows) w.
Proof.
  revert multipliers. induction rows as [| z rows IH];
    intros [| c multipliers] separated nonnegative same_length positive; simpl in *;
    try discriminate; [inversion positive |].
  rewrite dot_add_left, dot_scale_left.
  apply Forall_cons_iff in nonnegative as [c_nonnegative others_nonnegative].
  assert (this : 0 < dot z w) by (apply separated; left; reflexivity).
  assert (others_separated : separates w rows).
  { intros other is_in. apply separated. right. exact is_in. }
  assert (rest := score_of_mixture_nonnegative w multipliers rows
                    others_separated others_nonnegative).
  apply Exists_cons in positive as [c_positive | other_positive].
  - nia.
  - assert (more : 0 < dot (mixture multipliers rows) w).
    { apply IH; try assumption. injection same_length. auto. }
    nia.
Qed.

(** So if the mixture is zero, there is no such w. *)
Theorem multipliers_exclude_separators multipliers rows n :
  length multipliers = length rows ->
  Forall (fun c => 0 <= c) multipliers ->
  Exists (fun c => 0 < c) multipliers ->
  mixture multipliers rows = repeat 0 n ->
  forall w, ~ separates w rows.
Proof.
  intros same_length nonnegative positive mixture_is_zero w separated.
  assert (score := score_of_mixture_positive w multipliers rows
                     separated nonnegative same_length positive).
  rewrite mixture_is_zero, dot_only_zeros in score.
  lia.
Qed.

(** ** Hypotheses that a computation shows *)
Lemma none_negative multipliers :
  forallb (fun c => 0 <=? c) multipliers = true -> Forall (fun c => 0 <= c) multipliers.
Proof.
  intros computed. apply Forall_forall. intros c is_in. apply Z.leb_le.
  rewrite forallb_forall in computed. apply computed. exact is_in.
Qed.

Lemma one_positive multipliers :
  existsb (fun c => 0 <? c) multipliers = true -> Exists (fun c => 0 < c) multipliers.
Proof.
  intros computed. apply existsb_exists in computed as [c [is_in positive]].
  apply Exists_exists. exists c. split; [exact is_in |]. apply Z.ltb_lt. exact positive.
Qed.

Lemma all_products_positive w rows :
  forallb (fun z => 0 <? dot z w) rows = true -> separates w rows.
Proof.
  intros computed z is_row. apply Z.ltb_lt.
  rewrite forallb_forall in computed. apply (computed z). exact is_row.
Qed.
