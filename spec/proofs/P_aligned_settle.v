(* Law 5: settle keeps an aligned view aligned, whatever the budget, the rank and the order. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Lib LibNodes.
Open Scope Z_scope.

Theorem aligned_settle : forall order, @Laws.aligned_settle order settle.
Proof.
  intros order v b k A. unfold settle; cbv zeta. destruct (_ <=? _); [auto|]. cbn [Settled_view].
  match goal with |- context [walk v ?low ?t] =>
    assert (H : sounds t (Progress_forest (walk v low t)) /\ regular (map raw (Progress_forest (walk v low t))));
    [|destruct (walk v low t) as [f m]; simpl in *; revert H; generalize t; intros terms [S E]] end.
  - apply (walk_inv (fun d => sounds _ (Progress_forest d) /\ regular (map raw (Progress_forest d)))).
    + match goal with |- context [measure_view v ?t] => destruct (measure_view_sound t v) as [R S] end.
      simpl. rewrite R; auto.
    + intros d [S E]. steps; auto.
      all: try (match goal with |- context [merge_view ?f ?b ?t] =>
        destruct (merge_view_sound t b f S) as [R S2]; rewrite R end; split; auto; apply vcut_regular; auto).
      all: split; [apply sounds_tl; auto|].
      all: destruct (Progress_forest d) as [|n f]; simpl in *; auto; destruct E as [E1 E2]; inversion E1; inversion E2; split; auto.
  - assert (forall n s, sound terms s n -> whole (raw n) -> extent (tree_of n) = extent (raw n) /\ whole (tree_of n)) as T.
    { induction n as [t w|l IHl r IHr line w]; intros s H W; simpl in *.
      - destruct H as [_ ->]; cases; bools; auto.
      - destruct H as (Hl & Hr & _), W as (Z & Wl & Wr).
        destruct (IHl _ Hl Wl) as [-> L], (IHr _ Hr Wr) as [-> R]. auto. }
    assert (map extent (map (fun n => tree_of n) f) = map extent (map raw f) /\ Forall whole (map (fun n => tree_of n) f)) as [G W].
    { destruct E as [W _]. induction f as [|n f IH]; simpl in *; [auto|]. destruct S as [S1 S2]. inversion W; subst.
      destruct (IH S2) as [G F]; [auto|]. destruct (T _ _ S1) as [G1 U]; [auto|].
      split; [congruence|constructor; auto]. }
    split; [exact W|]. rewrite G. apply E.
Qed.
