(* Law 10: settle never adds a line, whatever the view, the budget, the rank and the order. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Lib LibNodes.
Open Scope Z_scope.

Theorem coarsen_settle : forall order, @Laws.coarsen_settle order settle.
Proof.
  intros order v b k. unfold settle; cbv zeta. destruct (_ <=? _); [simpl; lia|]. cbn [Settled_view].
  match goal with |- context [walk v ?low ?t] =>
    assert (H : sounds t (Progress_forest (walk v low t)) /\
      total tall (map raw (Progress_forest (walk v low t))) <= total tall v);
    [|destruct (walk v low t) as [f m]; simpl in *; revert H; generalize t; intros terms [S E]] end.
  - apply (walk_inv (fun d => sounds _ (Progress_forest d) /\ total tall (map raw (Progress_forest d)) <= total tall v)).
    + match goal with |- context [measure_view v ?t] => destruct (measure_view_sound t v) as [R S] end.
      simpl. rewrite R; split; auto; lia.
    + intros d [S E]. steps; auto.
      all: try (match goal with |- context [merge_view ?f ?b ?t] =>
        destruct (merge_view_sound t b f S) as [R S2]; rewrite R; pose proof (vcut_tall (map raw f) b) end; split; auto; lia).
      all: split; [apply sounds_tl; auto|].
      all: destruct (Progress_forest d) as [|n f]; simpl in *; auto; pose proof (tall_pos (raw n)); lia.
  - assert (forall n s, sound terms s n -> tall (tree_of n) <= tall (raw n)) as T.
    { induction n as [t w|l IHl r IHr line w]; intros s H; simpl in *.
      - destruct H as [_ ->]; cases; bools; auto; lia.
      - destruct H as (Hl & Hr & _). specialize (IHl _ Hl); specialize (IHr _ Hr); lia. }
    rewrite ?map_rev, ?total_rev. eapply Z.le_trans; [|exact E]. clear E. induction f as [|n f IH]; simpl in *; [lia|].
    destruct S as [S1 S2]. specialize (T _ _ S1). specialize (IH S2). lia.
Qed.
