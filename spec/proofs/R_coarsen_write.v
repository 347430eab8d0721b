(* On the mutant of law coarsen_write the law is false: the written pair is merged at once. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Named.
Open Scope Z_scope.

Theorem refuted : ~ Laws.coarsen_write write.
Proof.
  intro H. specialize (H [Split (Leaf 1) (Leaf 1) None] (mkBlock 0 2) 1). vm_compute in H. discriminate.
Qed.
