(* On the mutant of law budget the law is false: two pairs are ready, and only one is merged. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Named.
Open Scope Z_scope.

Theorem refuted : ~ @Laws.budget named settle.
Proof.
  intro H. destruct (H [Split (Split (Leaf 1) (Leaf 1) (Some 1)) (Split (Leaf 1) (Leaf 1) (Some 1)) (Some 1)] 1 by_size ltac:(lia) ltac:(repeat constructor)) as [[B|B] _].
  - vm_compute in B. auto.
  - apply (B (mkBlock 2 2) 1). vm_compute. auto.
Qed.
