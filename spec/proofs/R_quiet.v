(* On the mutant of law quiet the law is false: a title weighs more than it should, and settle merges. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Named.
Open Scope Z_scope.

Theorem refuted : ~ @Laws.quiet named close settle.
Proof.
  intro H. specialize (H [1] [Split (Leaf 1) (Leaf 1) (Some 0)] 3 by_size ltac:(repeat constructor; lia) ltac:(simpl; lia)).
  vm_compute in H. destruct H as [H _]. discriminate.
Qed.
