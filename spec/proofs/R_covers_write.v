(* On the mutant of law covers_write the law is false: a merged pair becomes one unit. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Named.
Open Scope Z_scope.

Theorem refuted : ~ Laws.covers_write write.
Proof.
  intro H. specialize (H [Merged 2 1] (mkBlock 0 1) 1). vm_compute in H. discriminate.
Qed.
