(* Law 11: a close adds exactly one line, whatever the view. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Lib LibClose.
Open Scope Z_scope.

Theorem coarsen_close : Laws.coarsen_close close.
Proof.
  assert (forall v d, (0 < Carry_size d \/ Carry_size d = 0) -> fresh d ->
    let e := fold_left (fun (d : Carry) (t : Tree) => carry d t) v d in
    total tall (Carry_tree e :: Carry_behind e) = total tall (Carry_tree d :: Carry_behind d) + total tall v) as G.
  { induction v as [|t v IH]; intros d S F; [simpl; lia|]. cbv zeta in *. cbn [fold_left].
    rewrite IH by auto using size_carry, fresh_carry. clear IH. unfold fresh, carry in *.
    choices; bools; cbn [Carry_tree Carry_size Carry_behind total tall] in *; rewrite ?total_app; simpl;
      try (rewrite F by lia; simpl); lia. }
  intros v w. unfold close, EMPTY; cbv zeta.
  try (destruct v as [|t v]; [simpl; lia|cbn [is_nil negb]]);
  cbn [app]; (rewrite G; [simpl; lia|left; simpl; lia|intros _; reflexivity]).
Qed.
