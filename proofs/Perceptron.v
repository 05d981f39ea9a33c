(** * Why the perceptron stops

    The convergence theorem of lecture "Why must it stop?", for signed rows of whole numbers, in
    any dimension and in any order of visits. Read it beside the lecture: the lemmas have the
    names of its lines.

    A signed row is z = y (1, x). Weights w get it right when z·w > 0. *)

From Coq Require Import ZArith List Lia.
Require Import Vectors.
Import ListNotations.
Open Scope Z_scope.

(** ** The algorithm

    A score of exactly 0 is a mistake, too. *)
Definition is_mistake (w z : vector) : bool := dot z w <=? 0.

(** What the algorithm remembers: the weights, and how often it has corrected them. *)
Record state := { weights : vector; updates : Z }.

Definition start : state := {| weights := []; updates := 0 |}.

(** To visit a row: if it is a mistake, add it to the weights; else change nothing. *)
Definition visit (now : state) (z : vector) : state :=
  if is_mistake (weights now) z
  then {| weights := add (weights now) z; updates := updates now + 1 |}
  else now.

(** To run: visit one row after the other, in whatever order the list has them. *)
Definition run (visits : list vector) : state := fold_left visit visits start.

Lemma run_one_more visits z : run (visits ++ [z]) = visit (run visits) z.
Proof. unfold run. rewrite fold_left_app. reflexivity. Qed.

Lemma updates_nonnegative visits : 0 <= updates (run visits).
Proof.
  induction visits as [| z visits IH] using rev_ind; [simpl; lia |].
  rewrite run_one_more. unfold visit.
  destruct (is_mistake (weights (run visits)) z); simpl; lia.
Qed.

(** Every visited row is one of the data. *)
Definition visits_only (rows visits : list vector) : Prop :=
  forall z, In z visits -> In z rows.

(** To show something of every run: show it of the start, and that a correction keeps it. *)
Lemma every_run (rows : list vector) (holds : state -> Prop) :
  holds start ->
  (forall now z, holds now -> In z rows -> dot z (weights now) <= 0 ->
     holds {| weights := add (weights now) z; updates := updates now + 1 |}) ->
  forall visits, visits_only rows visits -> holds (run visits).
Proof.
  intros at_start correction visits.
  induction visits as [| z visits IH] using rev_ind; intros inside; [exact at_start |].
  rewrite run_one_more. unfold visit.
  assert (before : holds (run visits)).
  { apply IH. intros other is_in. apply inside, in_or_app. left. exact is_in. }
  destruct (is_mistake (weights (run visits)) z) eqn:mistake; [| exact before].
  apply correction.
  - exact before.
  - apply inside, in_or_app. right. left. reflexivity.
  - apply Z.leb_le. exact mistake.
Qed.

(** ** The theorem

    Some u gives every row the score gamma or more, and no row is longer than R, whose square is R2.
    (The lecture takes u of length 1. Here its length stays in the bound, so that u may have whole
    numbers, too. With gamma = 0 all of this is true and says nothing; only who wants to divide by
    gamma, to conclude that the perceptron stops, needs gamma > 0.) *)
Section Convergence.

Variables (rows : list vector) (u : vector) (gamma R2 : Z).
Hypothesis margin : forall z, In z rows -> gamma <= dot z u.
Hypothesis gamma_not_negative : 0 <= gamma.
Hypothesis radius : forall z, In z rows -> squared_length z <= R2.
Hypothesis R2_not_negative : 0 <= R2.

(** *** First proof: two inequalities that squeeze k *)

(** The alignment w·u grows by gamma or more with each correction, whichever row it was. *)
Lemma alignment_grows w z :
  In z rows -> dot w u + gamma <= dot (add w z) u.
Proof.
  intros is_row.
  rewrite dot_add_left.
  assert (gamma <= dot z u) by (apply margin; exact is_row).
  lia.
Qed.

(** The squared length grows by R² at most, because the row was a mistake. *)
Lemma length_grows_slowly w z :
  In z rows -> dot z w <= 0 -> squared_length (add w z) <= squared_length w + R2.
Proof.
  intros is_row was_mistake.
  rewrite square_of_sum.
  assert (squared_length z <= R2) by (apply radius; exact is_row).
  lia.
Qed.

(** After k updates from zero: w·u ≥ k gamma … *)
Lemma alignment_floor visits :
  visits_only rows visits ->
  updates (run visits) * gamma <= dot (weights (run visits)) u.
Proof.
  apply every_run with (holds := fun now => updates now * gamma <= dot (weights now) u).
  - simpl. lia.
  - intros now z floor is_row was_mistake. simpl.
    assert (grows := alignment_grows (weights now) z is_row).
    lia.
Qed.

(** … and ‖w‖² ≤ k R². *)
Lemma length_ceiling visits :
  visits_only rows visits ->
  squared_length (weights (run visits)) <= updates (run visits) * R2.
Proof.
  apply every_run
    with (holds := fun now => squared_length (weights now) <= updates now * R2).
  - simpl. lia.
  - intros now z ceiling is_row was_mistake. simpl.
    assert (slowly := length_grows_slowly (weights now) z is_row was_mistake).
    lia.
Qed.

(** The squeeze: k gamma ≤ w·u ≤ ‖w‖ ‖u‖ ≤ √k R ‖u‖, with every term squared. *)
Lemma squeeze visits :
  visits_only rows visits ->
  let k := updates (run visits) in
  (k * gamma) * (k * gamma) <= k * R2 * squared_length u.
Proof.
  intros inside k.
  set (w := weights (run visits)).
  assert (floor : k * gamma <= dot w u) by (apply alignment_floor; exact inside).
  assert (ceiling : squared_length w <= k * R2) by (apply length_ceiling; exact inside).
  assert (k_nonnegative : 0 <= k) by apply updates_nonnegative.
  transitivity (dot w u * dot w u).
  { apply Z.square_le_mono_nonneg; [apply Z.mul_nonneg_nonneg; lia | exact floor]. }
  transitivity (squared_length w * squared_length u).
  { apply cauchy_schwarz. }
  apply Z.mul_le_mono_nonneg_r; [apply squared_length_nonnegative | exact ceiling].
Qed.

(** Theorem (Novikoff, 1962): k gamma² ≤ R² ‖u‖², in any order of visits. *)
Theorem mistake_bound visits :
  visits_only rows visits ->
  updates (run visits) * (gamma * gamma) <= R2 * squared_length u.
Proof.
  intros inside.
  assert (squeezed := squeeze visits inside). simpl in squeezed.
  assert (k_nonnegative := updates_nonnegative visits).
  assert (u_nonnegative := squared_length_nonnegative u).
  set (k := updates (run visits)) in *.
  destruct (Z.eq_dec k 0) as [k_zero | k_not_zero].
  - (* Without an update the left side is 0. *)
    rewrite k_zero. apply Z.mul_nonneg_nonneg; assumption.
  - (* Otherwise divide both sides of the squeeze by k. *)
    apply Z.mul_le_mono_pos_l with (p := k); [lia |].
    replace (k * (k * (gamma * gamma))) with (k * gamma * (k * gamma)) by ring.
    replace (k * (R2 * squared_length u)) with (k * R2 * squared_length u) by ring.
    exact squeezed.
Qed.

(** *** Second proof: getting closer to a far point

    The target is a u with a = R²/gamma. To stay with whole numbers, everything is multiplied by
    gamma: the walk is gamma w, the target R² u. The squared distance between them is the
    potential. *)
Definition potential (w : vector) : Z :=
  squared_length (add (scale gamma w) (scale (- R2) u)).

Lemma potential_written_out w :
  potential w
  = gamma * gamma * squared_length w - 2 * gamma * R2 * dot w u + R2 * R2 * squared_length u.
Proof. apply square_of_difference. Qed.

(** Each correction brings the walk nearer: the potential falls by gamma² R² or more. *)
Lemma potential_falls w z :
  In z rows -> dot z w <= 0 ->
  potential (add w z) <= potential w - gamma * gamma * R2.
Proof.
  intros is_row was_mistake.
  rewrite !potential_written_out.
  assert (grows := alignment_grows w z is_row).
  assert (slowly := length_grows_slowly w z is_row was_mistake).
  assert (gamma * gamma * squared_length (add w z) <= gamma * gamma * (squared_length w + R2))
    by (apply Z.mul_le_mono_nonneg_l; [apply Z.square_nonneg | exact slowly]).
  assert (2 * gamma * R2 * (dot w u + gamma) <= 2 * gamma * R2 * dot (add w z) u)
    by (apply Z.mul_le_mono_nonneg_l; [| exact grows];
        apply Z.mul_nonneg_nonneg; [lia | exact R2_not_negative]).
  lia.
Qed.

(** It begins at R² R² ‖u‖² and is never negative, so it cannot fall more often than that. *)
Theorem mistake_bound_by_potential visits :
  0 < R2 ->
  visits_only rows visits ->
  updates (run visits) * (gamma * gamma) <= R2 * squared_length u.
Proof.
  intros R2_positive inside.
  set (at_start := R2 * R2 * squared_length u).
  assert (fallen : potential (weights (run visits))
                   <= at_start - updates (run visits) * (gamma * gamma * R2)).
  { apply every_run
      with (rows := rows)
           (holds := fun now =>
              potential (weights now) <= at_start - updates now * (gamma * gamma * R2));
      [| | exact inside].
    - rewrite potential_written_out. unfold at_start. simpl. lia.
    - intros now z so_far is_row was_mistake. simpl.
      assert (falls := potential_falls (weights now) z is_row was_mistake).
      lia. }
  assert (never_negative : 0 <= potential (weights (run visits)))
    by apply squared_length_nonnegative.
  apply Z.mul_le_mono_pos_l with (p := R2); [exact R2_positive |].
  replace (R2 * (R2 * squared_length u)) with at_start by (unfold at_start; ring).
  lia.
Qed.

End Convergence.

(** ** A run that stops has separated

    A pass that visits every row and corrects none leaves no row with a score of 0 or less. *)
Lemma updates_never_fall now visits : updates now <= updates (fold_left visit visits now).
Proof.
  revert now. induction visits as [| z visits IH]; intros now; simpl; [lia |].
  assert (one : updates now <= updates (visit now z)).
  { unfold visit. destruct (is_mistake (weights now) z); simpl; lia. }
  specialize (IH (visit now z)). lia.
Qed.

Theorem clean_pass_separates now pass :
  updates (fold_left visit pass now) = updates now ->
  separates (weights now) pass.
Proof.
  revert now. induction pass as [| first pass IH]; intros now clean z is_in; [destruct is_in |].
  simpl in clean.
  assert (rest := updates_never_fall (visit now first) pass).
  (* The first row was no mistake: else the number of updates would have risen. *)
  destruct (is_mistake (weights now) first) eqn:mistake.
  - assert (updates (visit now first) = updates now + 1)
      by (unfold visit; rewrite mistake; reflexivity).
    lia.
  - assert (unchanged : visit now first = now) by (unfold visit; rewrite mistake; reflexivity).
    rewrite unchanged in clean.
    destruct is_in as [is_first | is_later].
    + subst z. unfold is_mistake in mistake. apply Z.leb_gt. exact mistake.
    + apply IH; assumption.
Qed.

(** ** It stops

    Pass after pass over the data: a pass without a correction comes after at most as many passes
    as the bound allows corrections. *)
Definition passes (rows : list vector) (n : nat) : list vector := concat (repeat rows n).

Lemma one_more_pass rows n : passes rows (S n) = passes rows n ++ rows.
Proof.
  unfold passes. simpl. induction n as [| n IH]; simpl; [apply app_nil_r |].
  rewrite <- app_assoc, <- IH. reflexivity.
Qed.

Lemma passes_visit_only_rows rows n : visits_only rows (passes rows n).
Proof.
  intros z is_in. unfold passes in is_in.
  apply in_concat in is_in as [pass [is_pass is_in]].
  apply repeat_spec in is_pass. subst pass. exact is_in.
Qed.

Theorem the_perceptron_stops rows u gamma R2 n :
  (forall z, In z rows -> gamma <= dot z u) -> 0 < gamma ->
  (forall z, In z rows -> squared_length z <= R2) -> 0 <= R2 ->
  R2 * squared_length u < Z.of_nat n * (gamma * gamma) ->
  exists m, (m < n)%nat /\ separates (weights (run (passes rows m))) rows.
Proof.
  intros margin gamma_positive radius R2_not_negative enough.
  (* Either some pass below n is clean, or each made an update; the bound forbids the latter. *)
  assert (search : (exists m, (m < n)%nat /\
                      updates (run (passes rows (S m))) = updates (run (passes rows m)))
                   \/ Z.of_nat n <= updates (run (passes rows n))).
  { clear enough. induction n as [| n IH]; [right; simpl; lia |].
    destruct IH as [[m [less clean]] | so_far].
    - left. exists m. split; [lia | exact clean].
    - destruct (Z.eq_dec (updates (run (passes rows (S n)))) (updates (run (passes rows n))))
        as [clean | not_clean].
      + left. exists n. split; [lia | exact clean].
      + right. rewrite one_more_pass in not_clean |- *.
        unfold run in *. rewrite fold_left_app in not_clean |- *.
        assert (not_fewer := updates_never_fall (fold_left visit (passes rows n) start) rows).
        lia. }
  destruct search as [[m [less clean]] | too_many].
  - exists m. split; [exact less |].
    rewrite one_more_pass in clean. unfold run in clean |- *. rewrite fold_left_app in clean.
    apply clean_pass_separates. exact clean.
  - assert (bound := mistake_bound rows u gamma R2
                       margin (Z.lt_le_incl _ _ gamma_positive) radius R2_not_negative
                       (passes rows n) (passes_visit_only_rows rows n)).
    assert (0 < gamma * gamma) by (apply Z.mul_pos_pos; assumption).
    nia.
Qed.

(** ** The bound is reached

    The rows are the first d unit vectors, u = (1, …, 1). Then gamma = 1, R² = 1 and ‖u‖² = d: at
    most d updates. The perceptron makes d. *)
Definition unit (i : nat) : vector := repeat 0 i ++ [1].
Definition units (d : nat) : list vector := map unit (seq 0 d).
Definition ones (d : nat) : vector := repeat 1 d.

Lemma unit_after_ones d : dot (unit d) (ones d) = 0.
Proof. unfold unit, ones. induction d as [| d IH]; simpl; [reflexivity | exact IH]. Qed.

Lemma ones_and_unit d : add (ones d) (unit d) = ones (S d).
Proof.
  unfold unit, ones. induction d as [| d IH]; [reflexivity |].
  simpl in *. rewrite IH. reflexivity.
Qed.

Lemma run_on_units d : run (units d) = {| weights := ones d; updates := Z.of_nat d |}.
Proof.
  induction d as [| d IH]; [reflexivity |].
  unfold units in *. rewrite seq_S, map_app. simpl. rewrite run_one_more, IH.
  (* The next unit vector is perpendicular to all before it: its score is 0, so it is a mistake. *)
  unfold visit, is_mistake. simpl. rewrite unit_after_ones. simpl.
  rewrite ones_and_unit. f_equal. lia.
Qed.

Lemma squared_length_of_ones d : squared_length (ones d) = Z.of_nat d.
Proof.
  induction d as [| d IH]; [reflexivity |].
  change (1 * 1 + squared_length (ones d) = Z.of_nat (S d)).
  lia.
Qed.

Theorem the_bound_is_reached d :
  updates (run (units d)) * (1 * 1) = 1 * squared_length (ones d).
Proof.
  rewrite run_on_units, squared_length_of_ones.
  change (Z.of_nat d * (1 * 1) = 1 * Z.of_nat d).
  ring.
Qed.

(** ** Decimals

    Multiply every row by the same c > 0. The run makes the same mistakes, in the same order, and
    ends at c times the weights. So what is proved for whole numbers holds for decimals. *)
Lemma scaled_visit c now z :
  0 < c ->
  visit {| weights := scale c (weights now); updates := updates now |} (scale c z)
  = {| weights := scale c (weights (visit now z)); updates := updates (visit now z) |}.
Proof.
  intros c_positive. unfold visit, is_mistake. simpl.
  rewrite dot_scale_left, dot_scale_right.
  (* c c (z·w) is at most 0 exactly when z·w is. *)
  destruct (Z.leb_spec (dot z (weights now)) 0);
    destruct (Z.leb_spec (c * (c * dot z (weights now))) 0); try nia.
  - simpl. rewrite scale_add. reflexivity.
  - reflexivity.
Qed.

Theorem scaled_run c visits :
  0 < c ->
  run (map (scale c) visits)
  = {| weights := scale c (weights (run visits)); updates := updates (run visits) |}.
Proof.
  intros c_positive.
  induction visits as [| z visits IH] using rev_ind; [reflexivity |].
  rewrite map_app. simpl. rewrite !run_one_more, IH.
  apply scaled_visit. exact c_positive.
Qed.

(** ** Hypotheses that a computation shows

    For given numbers Coq computes the products; these lemmas say what follows. *)
Lemma all_products_at_least rows u gamma :
  forallb (fun z => gamma <=? dot z u) rows = true ->
  forall z, In z rows -> gamma <= dot z u.
Proof.
  intros computed z is_row. apply Z.leb_le.
  rewrite forallb_forall in computed. apply computed. exact is_row.
Qed.

Lemma all_lengths_at_most rows R2 :
  forallb (fun z => squared_length z <=? R2) rows = true ->
  forall z, In z rows -> squared_length z <= R2.
Proof.
  intros computed z is_row. apply Z.leb_le.
  rewrite forallb_forall in computed. apply (computed z). exact is_row.
Qed.
