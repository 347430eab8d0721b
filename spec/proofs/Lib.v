(* First lemmas: the core's measures of a tree against the laws' words, and tactics that split cases. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words.
Open Scope Z_scope.

#[global] Arguments Z.add : simpl never.
#[global] Arguments Z.sub : simpl never.
#[global] Arguments Z.mul : simpl never.
#[global] Arguments Z.div : simpl never.

Lemma size_extent t : tree_size t = extent t.
Proof. induction t; simpl; lia. Qed.
Lemma lines_tall t : tree_lines t = tall t.
Proof. induction t; simpl; lia. Qed.
Lemma weight_tokens t : tree_weight t = tokens t.
Proof. induction t; simpl; lia. Qed.
Lemma sum_total f g v : (forall t, f t = g t) -> sum_by (fun t => f t) v = total g v.
Proof. intros H; induction v; simpl; auto. rewrite H. unfold sum_by in *; lia. Qed.
Lemma units_total v : units v = total extent v.
Proof. apply sum_total, size_extent. Qed.
Lemma lines_total v : lines v = total tall v.
Proof. apply sum_total, lines_tall. Qed.
Lemma weight_total v : weight v = total tokens v.
Proof. apply sum_total, weight_tokens. Qed.
Lemma block_eqb_eq p q : Block_eqb p q = true <-> p = q.
Proof.
  destruct p, q; unfold Block_eqb; simpl; rewrite andb_true_iff, !Z.eqb_eq.
  split; [intros []; congruence | intros H; inversion H; auto].
Qed.
Lemma block_eqb_refl p : Block_eqb p p = true.
Proof. apply block_eqb_eq; auto. Qed.

Lemma tall_pos t : 1 <= tall t.
Proof. induction t; simpl; lia. Qed.
Lemma total_tall_pos v : 0 <= total tall v.
Proof. induction v as [|t v IH]; simpl; [lia|]. pose proof (tall_pos t); lia. Qed.
Lemma extent_pos t : positive t -> 1 <= extent t.
Proof. induction t; simpl; try lia. intros []; intuition lia. Qed.
Lemma total_extent_pos v : Forall positive v -> 0 <= total extent v.
Proof. induction 1; simpl; [lia|]. pose proof (extent_pos _ H); lia. Qed.
Lemma total_app f u v : total f (u ++ v) = total f u + total f v.
Proof. induction u; simpl; lia. Qed.
Lemma total_rev f v : total f (rev v) = total f v.
Proof. induction v; simpl; auto. rewrite total_app; simpl; lia. Qed.

Lemma whole_pow t : whole t -> exists k, 0 <= k /\ extent t = 2 ^ k.
Proof.
  induction t as [w|z w|l IHl r IHr w]; simpl.
  - exists 0; split; [lia|reflexivity].
  - intros (k & K & ->); exists k; split; [lia|reflexivity].
  - intros (E & Cl & Cr). destruct (IHl Cl) as (k & K & P). exists (k + 1); split; [lia|].
    rewrite Z.pow_add_r, <- E, P by lia. lia.
Qed.
Lemma whole_positive t : whole t -> positive t.
Proof.
  induction t as [w|z w|l IHl r IHr w]; simpl; auto; [|tauto].
  intros (k & K & ->). assert (0 < 2 ^ k) by (apply Z.pow_pos_nonneg; lia). lia.
Qed.
Lemma whole_double l r : whole l -> whole r -> extent l = extent r -> exists k, 1 <= k /\ extent l + extent r = 2 ^ k.
Proof.
  intros A B E. destruct (whole_pow _ A) as (k & K & P). exists (k + 1); split; [lia|].
  rewrite <- E, P, Z.pow_add_r by lia. lia.
Qed.
Lemma regular_positive v : regular v -> Forall positive v.
Proof. intros [W _]. exact (Forall_impl _ whole_positive W). Qed.

(* what one round keeps, a counted loop keeps *)
Lemma iter_inv {A} (P : A -> Prop) (f : A -> A) : (forall x, P x -> P (f x)) -> forall n x, P x -> P (Nat.iter n f x).
Proof. intros H n x Px; induction n; simpl; auto. Qed.
Lemma iter_r {A} (f : A -> A) n x : Nat.iter (S n) f x = Nat.iter n f (f x).
Proof. induction n; simpl in *; congruence. Qed.
Lemma iter_fix {A} (f : A -> A) n x : f x = x -> Nat.iter n f x = x.
Proof. intros H; induction n; simpl; congruence. Qed.

(* split every choice in the goal *)
Ltac choices := repeat (match goal with |- context [match ?x with _ => _ end] => destruct x eqn:?; try discriminate end).
Ltac cases := simpl in *; repeat (match goal with |- context [match ?x with _ => _ end] =>
  destruct x eqn:?; try discriminate; simpl in * end).
(* the core's measures in the words of the laws *)
Ltac words := repeat match goal with
  | |- context [tree_size ?t] => rewrite (size_extent t)
  | |- context [tree_lines ?t] => rewrite (lines_tall t)
  | |- context [tree_weight ?t] => rewrite (weight_tokens t)
  | |- context [units ?t] => rewrite (units_total t)
  | |- context [lines ?t] => rewrite (lines_total t)
  | |- context [weight ?t] => rewrite (weight_total t)
  | H : context [tree_size ?t] |- _ => rewrite (size_extent t) in H
  | H : context [units ?t] |- _ => rewrite (units_total t) in H
  | H : context [lines ?t] |- _ => rewrite (lines_total t) in H
  | H : context [weight ?t] |- _ => rewrite (weight_total t) in H end.
Ltac bools := repeat match goal with
  | H : (_ && _) = true |- _ => apply andb_true_iff in H as [? ?]
  | H : (_ <=? _) = true |- _ => apply Z.leb_le in H
  | H : (_ <=? _) = false |- _ => apply Z.leb_gt in H
  | H : (_ <? _) = true |- _ => apply Z.ltb_lt in H
  | H : (_ <? _) = false |- _ => apply Z.ltb_ge in H
  | H : (_ =? _) = true |- _ => apply Z.eqb_eq in H
  | H : (_ =? _) = false |- _ => apply Z.eqb_neq in H
  | H : Block_eqb _ _ = true |- _ => apply block_eqb_eq in H end.
