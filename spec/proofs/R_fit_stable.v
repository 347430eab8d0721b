(* On the mutant of law fit_stable the law is false: an empty view within the budget is reported as settled. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Named.
Open Scope Z_scope.

Theorem refuted : ~ @Laws.fit_stable named settle.
Proof.
  intro H. specialize (H [] 0 by_size ltac:(simpl; lia)). vm_compute in H. discriminate.
Qed.
