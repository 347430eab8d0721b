(* What write does to a tree: where the search stops, and how a view is walked. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Lib.
Open Scope Z_scope.

(* as long as nothing is found, the search stops where the tree stops *)
Lemma write_stop b w t : forall s x, tree_write t s b w = (x, None) -> x = s + extent t.
Proof.
  induction t as [u|z u|l IHl r IHr line]; intros s x; simpl.
  - intros H; inversion H; lia.
  - intros H; inversion H; lia.
  - destruct (tree_write l s b w) as [m [o|]] eqn:L; [discriminate|].
    destruct (tree_write r m b w) as [e [n|]] eqn:R; [discriminate|].
    apply IHl in L; apply IHr in R; subst. intros H; inversion H; lia.
Qed.

(* what write leaves where a tree was: the tree, or the tree marked *)
Definition left_by (b : Block) (w : Z) (u t : Tree) : Prop :=
  u = t \/ exists s x, tree_write t s b w = (x, Some u).

(* the loop of write leaves one tree for each tree *)
Ltac write_walk p w v :=
  match goal with |- context [fold_right ?f ?i v] =>
    let W := fresh "W" in
    assert (W : Forall2 (left_by p w) (snd (fold_right f i v)) v);
    [let t := fresh "t" in let IH := fresh "IH" in
     induction v as [|t v IH]; [cbn; constructor|]; cbn [fold_right];
     let s := fresh "s" in let found := fresh "found" in let after := fresh "after" in
     destruct (fold_right f i v) as [[s found] after]; simpl in IH |- *;
     destruct found; simpl; [constructor; auto; left; auto|];
     let x := fresh "x" in let m := fresh "m" in let E := fresh "E" in
     destruct (tree_write t s p w) as [x [m|]] eqn:E; simpl; constructor; auto; [right; eauto|left; auto]
    |let s := fresh "s" in let found := fresh "found" in let after := fresh "after" in
     destruct (fold_right f i v) as [[s found] after]; simpl in W] end.
(* a smaller complete tree at the head of an aligned view *)
Lemma regular_shrink t u v : regular (t :: v) -> whole u -> extent u <= extent t -> regular (u :: v).
Proof.
  intros [F S] W E. inversion F; inversion S; subst. split; constructor; auto. fold (map extent v).
  match goal with H : HdRel _ _ (map extent v) |- _ => revert H end.
  destruct v; simpl; intros X; constructor. inversion X; subst; lia.
Qed.
