(* Law 13: while the titles still fit in the budget, settle merges nothing and shows what it was given. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Lib LibClose.
Open Scope Z_scope.

Theorem quiet : forall order, @Laws.quiet order close settle.
Proof.
  assert (forall v d, (0 < Carry_size d \/ Carry_size d = 0) -> fresh d ->
    let e := fold_left (fun (d : Carry) (t : Tree) => carry d t) v d in
    total tokens (Carry_tree e :: Carry_behind e) <= total tokens (Carry_tree d :: Carry_behind d) + total tokens v) as G.
  { induction v as [|t v IH]; intros d S F; [simpl; lia|]. cbv zeta in *. cbn [fold_left].
    eapply Z.le_trans; [apply IH; auto using size_carry, fresh_carry|]. clear IH. unfold fresh, carry in *.
    choices; bools; cbn [Carry_tree Carry_size Carry_behind total tokens] in *; rewrite ?total_app; simpl;
      try (rewrite F by lia; simpl); lia. }
  assert (forall v w, 0 <= w -> total tokens (close v w) <= w + total tokens v) as C.
  { intros v w W. unfold close, EMPTY; cbv zeta. pose proof (Z.div_mod w 2 ltac:(lia)). pose proof (Z.mod_pos_bound w 2 ltac:(lia)).
    try (destruct v as [|t v]; [simpl; lia|cbn [is_nil negb]]);
    cbn [app]; (eapply Z.le_trans; [apply G; [left; simpl; lia|intros _; reflexivity]|]); cbn [Carry_tree Carry_behind total tokens].
    lia. }
  intros order titles; induction titles as [|w ws IH]; intros v b k F H; cbn -[settle close]; auto.
  inversion F; subst. simpl in H.
  assert (0 <= fold_right Z.add 0 ws) as P by (clear - H3; induction H3; simpl; lia).
  specialize (C v w H2). revert C. generalize (close v w). intros u C.
  assert (weight u <=? b = true) as L by (words; apply Z.leb_le; lia).
  assert (Settled_view (settle u b k) = u /\ Settled_merged (settle u b k) = []) as [-> ->] by
    (unfold settle; rewrite L; auto).
  repeat split; auto. apply IH; auto. lia.
Qed.
