(* Claim T6: writes of distinct blocks commute; of two writes of the same block the first wins. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib Pins P_write_sets.
Open Scope Z_scope.

Lemma marked_extent b w t : forall s, extent (marked b w s t) = extent t.
Proof. induction t; intros s; simpl; auto. rewrite IHt1, IHt2. auto. Qed.
Lemma marked_positive b w t : forall s, positive t -> positive (marked b w s t).
Proof. induction t; intros s; simpl; auto. intuition. Qed.
Lemma each_extent b w v : total extent (each (marked b w) v) = total extent v.
Proof. induction v; simpl; auto. rewrite marked_extent; lia. Qed.
Lemma each_positive b w v : Forall positive v -> Forall positive (each (marked b w) v).
Proof. induction 1; simpl; constructor; auto using marked_positive. Qed.
Lemma marked_commute b x c y t : b <> c -> forall s, marked c y s (marked b x s t) = marked b x s (marked c y s t).
Proof.
  intros N. induction t; intros s; simpl; auto. rewrite !marked_extent, IHt1, IHt2. f_equal.
  destruct line' as [o|]; auto.
  destruct ((s =? Block_start b) && _)%bool eqn:B, ((s =? Block_start c) && _)%bool eqn:C; auto.
  exfalso. bools. apply N. destruct b, c; simpl in *; subst; auto.
Qed.
Lemma marked_first b x y t : forall s, marked b y s (marked b x s t) = marked b x s t.
Proof.
  induction t; intros s; simpl; auto. rewrite !marked_extent, IHt1, IHt2. f_equal.
  destruct line' as [o|]; auto. destruct (_ && _)%bool eqn:B; auto.
Qed.
(* Writes of distinct blocks may be exchanged. *)
Theorem writes_commute : forall v b x c y, Forall positive v -> b <> c ->
  write (write v b x) c y = write (write v c y) b x.
Proof.
  intros v b x c y P N. rewrite !P_write_sets.write_sets by (rewrite ?P_write_sets.write_sets; auto using each_positive).
  clear P. induction v as [|t v IH]; simpl; auto. rewrite !each_extent, marked_commute, IH; auto.
Qed.
(* A second write of the same block changes nothing. *)
Theorem first_write_wins : forall v b x y, Forall positive v -> write (write v b x) b y = write v b x.
Proof.
  intros v b x y P. rewrite !P_write_sets.write_sets by (rewrite ?P_write_sets.write_sets; auto using each_positive).
  clear P. induction v as [|t v IH]; simpl; auto. rewrite !each_extent, marked_first, IH; auto.
Qed.
