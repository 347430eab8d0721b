(* Pin: every merged block was a pair with a line at its moment. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib LibNodes Pins LibWalk.
Open Scope Z_scope.

Theorem pair : forall order, @Pins.pair order settle.
Proof.
  intros order v b k P i c N. destruct (Z.le_gt_cases (total tokens v) b) as [B|B].
  - rewrite settle_fits in N by auto. destruct i; discriminate.
  - destruct (settle_told v b k P ltac:(lia)) as (_ & T & _). destruct (T _ _ N) as (p & <- & (I & [E|(w & E)] & _) & _).
    + discriminate.
    + exists w. rewrite E in I. auto.
Qed.
