(* On the mutant of law aligned_settle the law is false: the trees come back oldest first. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Named.
Open Scope Z_scope.

Theorem refuted : ~ @Laws.aligned_settle named settle.
Proof.
  intro H. assert (regular [Leaf 1; Merged 2 1]) as R by (split; repeat constructor; simpl; try lia; exists 1; split; [lia|reflexivity]).
  destruct (H _ 0 by_size R) as [_ S]. vm_compute in S. inversion S as [|? ? _ D]. inversion D. discriminate.
Qed.
