(* Pin: shown lines keep their weight, a merged line weighs what its Split says, a new unit what close was told. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib LibNodes Pins LibWalk P_shape.
Open Scope Z_scope.

Lemma shown_weights_cons t v : weights (t :: v) = weights v ++ map snd (shown (total extent v) t).
Proof. unfold weights. simpl. apply map_app. Qed.
Lemma shown_shift t : forall s u, map snd (shown s t) = map snd (shown u t).
Proof. induction t; intros s u; simpl; auto. rewrite !map_app. f_equal; auto. Qed.
Lemma push_weights v : forall t, weights (push t v) = weights (t :: v).
Proof.
  induction v as [|n v IH]; intros t; cbn [push]; auto. destruct (_ =? _); auto.
  rewrite IH, !shown_weights_cons. simpl. rewrite map_app, <- app_assoc.
  f_equal. f_equal. apply shown_shift.
Qed.
Theorem weighs : forall order, @Pins.weighs order close settle.
Proof.
  intros order. split.
  - intros v b k P. rewrite <- settle_replay; auto.
  - intros v w. rewrite close_pushes, push_weights, shown_weights_cons. reflexivity.
Qed.
