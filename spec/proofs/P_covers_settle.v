(* Law 2: settle adds or drops no unit, whatever the view, the budget, the rank and the order. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Lib LibNodes.
Open Scope Z_scope.

Theorem covers_settle : forall order, @Laws.covers_settle order settle.
Proof.
  intros order v b k. unfold settle; cbv zeta. destruct (_ <=? _); [auto|]. cbn [Settled_view].
  match goal with |- context [walk v ?low ?t] =>
    assert (H : sounds t (Progress_forest (walk v low t)) /\
      total extent (map raw (Progress_forest (walk v low t))) = total extent v);
    [|destruct (walk v low t) as [f m]; simpl in *; revert H; generalize t; intros terms [S E]; rewrite <- E] end.
  - apply (walk_inv (fun d => sounds _ (Progress_forest d) /\ total extent (map raw (Progress_forest d)) = total extent v)).
      match goal with |- context [measure_view v ?t] => destruct (measure_view_sound t v) as [R S] end.
      simpl. rewrite R; auto.
    + intros d [S E]. steps; auto.
      match goal with |- context [merge_view ?f ?b ?t] => destruct (merge_view_sound t b f S) as [R S2] end.
      rewrite R, vcut_extent; auto.
  - assert (forall n s, sound terms s n -> extent (tree_of n) = extent (raw n)) as T.
    { induction n as [t w|l IHl r IHr line w]; intros s H; simpl in *.
      - destruct H as [_ ->]; cases; bools; auto.
      - destruct H as (Hl & Hr & _). rewrite (IHl _ Hl), (IHr _ Hr); auto. }
    rewrite ?map_rev, ?total_rev. clear E. induction f as [|n f IH]; simpl in *; [auto|].
    destruct S as [S1 S2]. rewrite (T _ _ S1), IH; auto.
Qed.
