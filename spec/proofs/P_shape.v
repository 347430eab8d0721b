(* Pin: close pushes the new unit with carries and keeps every old tree. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib Pins.
Open Scope Z_scope.

Theorem close_pushes v w : close v w = push (Leaf w) v.
Proof.
  assert (forall v c behind, let e := fold_left (fun (d : Carry) (t : Tree) => carry d t) v (mkCarry c 0 behind) in
    Carry_tree e :: Carry_behind e = c :: behind ++ v) as Rest.
  { clear. induction v as [|t v IH]; intros c behind; simpl; [rewrite app_nil_r; auto|].
    unfold carry at 2 4; simpl. rewrite IH, <- app_assoc. reflexivity. }
  assert (forall v c, 0 < extent c -> let e := fold_left (fun (d : Carry) (t : Tree) => carry d t) v (mkCarry c (extent c) []) in
    Carry_tree e :: Carry_behind e = push c v) as Go.
  { clear - Rest. induction v as [|t v IH]; intros c P; cbv zeta; [reflexivity|]. cbn [fold_left push].
    unfold carry at 2 4; cbn [Carry_tree Carry_size Carry_behind]. words.
    destruct (0 <? extent c) eqn:Z; bools; [|lia]. destruct (extent t =? extent c) eqn:E; bools; cbn [andb].
    - replace (2 * extent c) with (extent (Split t c None)) by (simpl; lia). apply IH. simpl; lia.
    - apply (Rest v c [t]). }
  unfold close, EMPTY; cbv zeta. cbn [app]. apply (Go v (Leaf w)). simpl; lia.
Qed.
Theorem shape : Pins.shape close.
Proof. intros v w. exists w. apply close_pushes. Qed.
