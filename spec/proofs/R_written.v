(* On the mutant of law written the law is false: a pair without a line is merged. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Named.
Open Scope Z_scope.

Theorem refuted : ~ @Laws.written named settle.
Proof.
  intro H. destruct (H [Split (Leaf 1) (Leaf 1) None] 0 by_size (mkBlock 0 2)) as [w W]; clear H.
  - vm_compute. auto.
  - vm_compute in W. destruct W as [W|[]]. discriminate.
Qed.
