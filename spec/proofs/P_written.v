(* Law 7: settle merges only Splits of the view before whose line is written, whatever the view. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Lib LibNodes.
Open Scope Z_scope.

Theorem written : forall order, @Laws.written order settle.
Proof.
  intros order v b k p. unfold settle; cbv zeta. destruct (_ <=? _); [simpl; tauto|]. cbn [Settled_merged].
  match goal with |- context [walk v ?low ?t] =>
    assert (H : sounds t (Progress_forest (walk v low t)) /\
      incl (on_view splits (map raw (Progress_forest (walk v low t)))) (on_view splits v) /\
      Forall (fun p => picked t p (on_view splits v)) (Progress_merged (walk v low t)));
    [|destruct (walk v low t) as [f m]; simpl in *; destruct H as (_ & _ & H)] end.
  - apply (walk_inv (fun d => sounds _ (Progress_forest d) /\
      incl (on_view splits (map raw (Progress_forest d))) (on_view splits v) /\
      Forall (fun p => picked _ p (on_view splits v)) (Progress_merged d))).
    + match goal with |- context [measure_view v ?t] => destruct (measure_view_sound t v) as [R S] end.
      simpl. rewrite R; split; [auto|split; [apply incl_refl|constructor]].
    + intros d (S & I & F). steps; auto.
      all: try (match goal with |- context [merge_view ?f ?b ?t] => destruct (merge_view_sound t b f S) as [R S2];
        rewrite R; split; [auto|split];
        [intros x X; apply I, (vcut_splits _ b), X
        |apply Forall_app; split; [auto|constructor; auto]; destruct (best_of_picked t f _ S ltac:(eassumption)) as [P Q];
         split; [apply I, P|exact Q]] end).
      all: split; [apply sounds_tl; auto|split; auto].
      all: destruct (Progress_forest d) as [|n f]; simpl in *; auto; intros x X; apply I, in_or_app; auto.
  - intros X. apply in_map_iff in X as (q & <- & X). rewrite Forall_forall in H. apply H in X as [X [Y|(w & Y)]].
    + simpl in Y; discriminate.
    + rewrite Y in X. eauto.
Qed.
