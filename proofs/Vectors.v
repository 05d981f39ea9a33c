(** * Vectors of whole numbers

    A list of numbers is a vector. Where a list ends, only zeros follow: [2; 1] and [2; 1; 0] stand
    for the same vector, and [] is the zero vector of every dimension. So no theorem has to name a
    dimension, and none needs the hypothesis that two vectors are equally long.

    Whole numbers are enough for decimals as well: multiply all of them by the same power of ten. *)

From Coq Require Import ZArith List Lia.
Import ListNotations.
Open Scope Z_scope.

Definition vector := list Z.

(** ** The dot product and the sum *)

Fixpoint dot (a b : vector) : Z :=
  match a, b with
  | x :: a', y :: b' => x * y + dot a' b'
  | _, _ => 0  (* one list has ended: only products with zero follow *)
  end.

Fixpoint add (a b : vector) : vector :=
  match a, b with
  | [], _ => b
  | _, [] => a
  | x :: a', y :: b' => (x + y) :: add a' b'
  end.

Fixpoint scale (c : Z) (a : vector) : vector :=
  match a with
  | [] => []
  | x :: a' => c * x :: scale c a'
  end.

(** The squared length of a vector is its product with itself. *)
Notation "'squared_length' a" := (dot a a) (at level 10, only parsing).

(** Weights separate when every row has a positive score. *)
Definition separates (w : vector) (rows : list vector) : Prop :=
  forall z, In z rows -> 0 < dot z w.

(** ** Rules of calculation *)

Lemma dot_zero_left b : dot [] b = 0.
Proof. reflexivity. Qed.

Lemma dot_zero_right a : dot a [] = 0.
Proof. destruct a; reflexivity. Qed.

Lemma dot_commutes a b : dot a b = dot b a.
Proof.
  revert b. induction a as [| x a IH]; intros [| y b]; simpl; try reflexivity.
  rewrite IH. ring.
Qed.

Lemma dot_add_left a b c : dot (add a b) c = dot a c + dot b c.
Proof.
  revert b c. induction a as [| x a IH]; intros [| y b] [| z c]; simpl; try ring.
  rewrite IH. ring.
Qed.

Lemma dot_add_right a b c : dot a (add b c) = dot a b + dot a c.
Proof.
  rewrite dot_commutes, dot_add_left.
  rewrite (dot_commutes b a), (dot_commutes c a).
  reflexivity.
Qed.

Lemma dot_scale_left c a b : dot (scale c a) b = c * dot a b.
Proof.
  revert b. induction a as [| x a IH]; intros [| y b]; simpl; try ring.
  rewrite IH. ring.
Qed.

Lemma dot_scale_right c a b : dot a (scale c b) = c * dot a b.
Proof. rewrite dot_commutes, dot_scale_left, dot_commutes. reflexivity. Qed.

Lemma dot_only_zeros n a : dot (repeat 0 n) a = 0.
Proof.
  revert a. induction n as [| n IH]; intros [| x a]; simpl; try reflexivity.
  apply IH.
Qed.

Lemma scale_add c a b : add (scale c a) (scale c b) = scale c (add a b).
Proof.
  revert b. induction a as [| x a IH]; intros [| y b]; simpl; try reflexivity.
  rewrite IH. f_equal. ring.
Qed.

(** Multiply out the square: ‖a + b‖² = ‖a‖² + 2 b·a + ‖b‖². *)
Lemma square_of_sum a b :
  squared_length (add a b) = squared_length a + 2 * dot b a + squared_length b.
Proof.
  rewrite dot_add_left, !dot_add_right, (dot_commutes a b). ring.
Qed.

Lemma squared_length_nonnegative a : 0 <= squared_length a.
Proof.
  induction a as [| x a IH]; simpl; [lia |].
  assert (0 <= x * x) by apply Z.square_nonneg.
  lia.
Qed.

(** ** The Cauchy-Schwarz inequality: (a·b)² ≤ ‖a‖² ‖b‖²

    No vector of the form p a - q b has a negative squared length. Take p = ‖b‖² and q = a·b: the
    squared length of p a - q b is p (p ‖a‖² - q²), and p is not negative either. *)
Lemma square_of_difference p q a b :
  squared_length (add (scale p a) (scale (- q) b))
  = p * p * squared_length a - 2 * p * q * dot a b + q * q * squared_length b.
Proof.
  rewrite square_of_sum, !dot_scale_left, !dot_scale_right, (dot_commutes b a). ring.
Qed.

(** A vector of length 0 has the product 0 with every vector. *)
Lemma length_zero_dot_zero a b : squared_length b = 0 -> dot a b = 0.
Proof.
  revert a. induction b as [| y b IH]; intros [| x a] zero; simpl in *; try reflexivity.
  assert (0 <= y * y) by apply Z.square_nonneg.
  assert (0 <= squared_length b) by apply squared_length_nonnegative.
  assert (y = 0) by nia.
  rewrite IH by lia. subst y. ring.
Qed.

Theorem cauchy_schwarz a b : dot a b * dot a b <= squared_length a * squared_length b.
Proof.
  set (p := squared_length b). set (q := dot a b).
  assert (p_nonnegative : 0 <= p) by apply squared_length_nonnegative.
  destruct (Z.eq_dec p 0) as [p_zero | p_not_zero].
  - assert (q_zero : q = 0) by (apply length_zero_dot_zero; exact p_zero).
    rewrite q_zero, p_zero. lia.
  - assert (product : 0 <= p * (p * squared_length a - q * q)).
    { replace (p * (p * squared_length a - q * q))
        with (squared_length (add (scale p a) (scale (- q) b))).
      - apply squared_length_nonnegative.
      - rewrite square_of_difference. fold p q. ring. }
    assert (0 <= p * squared_length a - q * q) by nia.
    lia.
Qed.
