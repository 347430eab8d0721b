(* Pin: before every merge the view is above half the budget; at the end it is not, or nothing is ready. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib LibNodes Pins LibWalk.
Open Scope Z_scope.

Theorem target : forall order, @Pins.target order settle.
Proof.
  intros order v b k P B. destruct (settle_told v b k P B) as (_ & T & E & _). split; auto.
  intros i L. destruct (nth_error (Settled_merged (settle v b k)) i) as [c|] eqn:N; [|apply nth_error_None in N; lia].
  destruct (T _ _ N) as (p & _ & _ & H & _). auto.
Qed.
