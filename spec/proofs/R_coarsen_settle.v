(* On the mutant of law coarsen_settle the law is false: a merged pair comes back as two lines. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Named.
Open Scope Z_scope.

Theorem refuted : ~ @Laws.coarsen_settle named settle.
Proof.
  intro H. specialize (H [Leaf 1; Merged 2 1] 0 by_size). vm_compute in H. auto.
Qed.
