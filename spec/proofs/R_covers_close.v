(* On the mutant of law covers_close the law is false: the first close counts two units. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Named.
Open Scope Z_scope.

Theorem refuted : ~ Laws.covers_close close.
Proof.
  intro H. specialize (H [] 1). vm_compute in H. discriminate.
Qed.
