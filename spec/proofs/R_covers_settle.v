(* On the mutant of law covers_settle the law is false: a view with nothing to merge loses its unit. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Named.
Open Scope Z_scope.

Theorem refuted : ~ @Laws.covers_settle named settle.
Proof.
  intro H. specialize (H [Leaf 1] 0 by_size). vm_compute in H. discriminate.
Qed.
