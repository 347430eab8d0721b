(* On the mutant of law coarsen_close the law is false: a merged pair comes back as two lines. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Named.
Open Scope Z_scope.

Theorem refuted : ~ Laws.coarsen_close close.
Proof.
  intro H. specialize (H [Merged 2 1] 1). vm_compute in H. discriminate.
Qed.
