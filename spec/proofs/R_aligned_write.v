(* On the mutant of law aligned_write the law is false: the trees come back oldest first. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Named.
Open Scope Z_scope.

Theorem refuted : ~ Laws.aligned_write write.
Proof.
  intro H. assert (regular [Leaf 1; Merged 2 1]) as R by (split; repeat constructor; simpl; try lia; exists 1; split; [lia|reflexivity]).
  destruct (H _ (mkBlock 0 1) 1 R) as [_ S]. vm_compute in S. inversion S as [|? ? _ D]. inversion D. discriminate.
Qed.
