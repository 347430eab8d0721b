(* Pin: no pair ready at the moment of a merge has a smaller key, or the same key and an earlier start. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib LibNodes Pins LibWalk.
Open Scope Z_scope.

Theorem ranked : forall order, @Pins.ranked order settle.
Proof.
  intros order O v b k P i c N d w I. destruct (Z.le_gt_cases (total tokens v) b) as [B|B].
  - rewrite settle_fits in N by auto. destruct i; discriminate.
  - destruct (settle_told v b k P ltac:(lia)) as (_ & T & _). destruct (T _ _ N) as (p & <- & (_ & _ & K & H) & _).
    destruct (H O d (Some w) I) as [X Y]; [right; eauto|]. simpl in *. rewrite K in *. auto.
Qed.
