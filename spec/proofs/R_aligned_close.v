(* On the mutant of law aligned_close the law is false: a unit is joined to a block of two. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Named.
Open Scope Z_scope.

Theorem refuted : ~ Laws.aligned_close close.
Proof.
  intro H. assert (regular [Merged 2 1]) as R by (split; repeat constructor; simpl; try lia; exists 1; split; [lia|reflexivity]).
  destruct (H _ 1 R) as [W _]. vm_compute in W. inversion W as [|? ? E _]. destruct E as [E _]. discriminate.
Qed.
