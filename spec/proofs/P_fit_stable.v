(* Law 9: a view within the budget comes back unchanged, nothing merged, FITS. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Lib.
Open Scope Z_scope.

Theorem fit_stable : forall order, @Laws.fit_stable order settle.
Proof.
  intros order v b k H. unfold settle. words. apply Z.leb_le in H. rewrite H. reflexivity.
Qed.
