(* Pin: after settle the view is the view before with each merged block, in order, replaced by one line. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib LibNodes Pins LibWalk.
Open Scope Z_scope.

Theorem keeps : forall order, @Pins.keeps order settle.
Proof. intros order v b k P. rewrite <- settle_replay; auto. Qed.
