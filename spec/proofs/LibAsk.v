(* Asking ahead is walking the view whose missing lines are written with weight 0. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib LibNodes Pins.
Open Scope Z_scope.

(* a block has one Split, so one line *)
Lemma splits_once t : positive t -> forall s b x y, In (b, x) (splits s t) -> In (b, y) (splits s t) -> x = y.
Proof.
  induction t; simpl; try tauto. intros [P1 P2] s b x y. pose proof (extent_pos _ P1); pose proof (extent_pos _ P2).
  rewrite !in_app_iff. intros [I|[I|I]] [J|[J|J]]; eauto; try (inversion I; inversion J; subst; auto; fail);
  try (inversion I; subst; clear I); try (inversion J; subst; clear J);
  repeat match goal with H : In _ (splits _ _) |- _ => apply splits_inside in H; auto; simpl in H end; lia.
Qed.
Lemma splits_view_once v : Forall positive v -> forall b x y,
  In (b, x) (on_view splits v) -> In (b, y) (on_view splits v) -> x = y.
Proof.
  induction 1 as [|t v P F IH]; simpl; [tauto|]. intros b x y. rewrite !in_app_iff.
  intros [I|I] [J|J]; eauto using splits_once;
  repeat match goal with
  | H : In _ (splits _ _) |- _ => apply splits_inside in H; auto; simpl in H
  | H : In _ (on_view splits _) |- _ => apply splits_view in H; auto; simpl in H end; lia.
Qed.
Lemma lacks_line v b line : Forall positive v -> In (b, line) (on_view splits v) -> lacks v b = is_none line.
Proof.
  intros P I. unfold lacks. destruct line as [w|]; simpl.
  - destruct (existsb _ _) eqn:E; auto. apply existsb_exists in E as [[c l] [J E]]. bools.
    destruct l; [discriminate|]. destruct c, b; simpl in *; subst. pose proof (splits_view_once _ P _ _ _ I J). discriminate.
  - apply existsb_exists. exists (b, None). split; auto. rewrite !Z.eqb_refl. auto.
Qed.

Section Ask.
Context {order : Order}.
Variables (total_units : Z) (rank : Block -> Z -> Key order).
Notation asking := (mkTerms total_units rank true).
Notation settling := (mkTerms total_units rank false).
Implicit Types (n : @Node order) (f : list (@Node order)) (p : @Pick order) (d : @Progress order).

Definition zero (line : option Z) : Z := match line with Some w => w | None => 0 end.
Definition fpick p : Pick := mkPick (Pick_block p) (Pick_key p) (Some (zero (Pick_line p))).
Definition fmeasure (m : @Measure order) : Measure :=
  mkMeasure (Measure_size m) (Measure_lines m) (Measure_weight m) (option_map fpick (Measure_best m)).
Fixpoint fnode n : Node :=
  match n with
  | Shown t m => Shown t (fmeasure m)
  | Open l r line m => Open (fnode l) (fnode r) (Some (zero line)) (fmeasure m)
  end.
Definition fprogress d : Progress := mkProgress (map fnode (Progress_forest d)) (map fpick (Progress_merged d)).

Lemma fnode_measure n : measure_of (fnode n) = fmeasure (measure_of n).
Proof. destruct n; reflexivity. Qed.
Lemma better_f a b : better (option_map fpick a) (option_map fpick b) = option_map fpick (better a b).
Proof. unfold better. destruct a, b; simpl; auto. destruct (less _ _ _); auto. Qed.
Lemma join_f l r line s : join (fnode l) (fnode r) (Some (zero line)) s settling = fnode (join l r line s asking).
Proof.
  unfold join. rewrite !fnode_measure. cbn -[better]. unfold fmeasure; cbn -[better]. f_equal. f_equal.
  rewrite <- !better_f. f_equal. destruct (_ && _)%bool; reflexivity.
Qed.
Lemma measure_f t : forall s, measure_tree (filled t) s settling = fnode (measure_tree t s asking).
Proof.
  induction t as [w|z w|l IHl r IHr line]; intros s; cbn [measure_tree filled]; auto. cbv zeta.
  rewrite IHl, fnode_measure. cbn [fmeasure Measure_size]. rewrite IHr. apply join_f.
Qed.
Lemma measure_view_f v : measure_view (map filled v) settling = map fnode (measure_view v asking).
Proof.
  unfold measure_view; cbv zeta.
  match goal with |- context [fold_right ?g ?i (map filled v)] => match goal with |- context [fold_right ?h ?j v] =>
    assert (fst (fold_right g i (map filled v)) = fst (fold_right h j v) /\
            snd (fold_right g i (map filled v)) = map fnode (snd (fold_right h j v))) as H end end.
  { induction v as [|t v IH]; [split; reflexivity|]. cbn [fold_right map].
    repeat match goal with |- context [fold_right ?g ?i ?v] => destruct (fold_right g i v) as [? ?] end.
    simpl in *. destruct IH as [-> ->]. rewrite measure_f, fnode_measure. split; reflexivity. }
  repeat match goal with |- context [fold_right ?g ?i ?v] => destruct (fold_right g i v) as [? ?] end. apply H.
Qed.
Lemma merge_f b n : forall s, merge (fnode n) s b settling = fnode (merge n s b asking).
Proof.
  induction n as [t m|l IHl r IHr line m]; intros s; [reflexivity|]. cbn -[join Block_eqb]. rewrite fnode_measure.
  cbn -[join Block_eqb]. destruct (Block_eqb _ _); [destruct line; reflexivity|].
  destruct (_ <? _); rewrite ?IHl, ?IHr; apply join_f.
Qed.
Lemma merge_view_f b f : merge_view (map fnode f) b settling = map fnode (merge_view f b asking).
Proof.
  unfold merge_view; cbv zeta.
  match goal with |- context [fold_right ?g ?i (map fnode f)] => match goal with |- context [fold_right ?h ?j f] =>
    assert (fst (fold_right g i (map fnode f)) = fst (fold_right h j f) /\
            snd (fold_right g i (map fnode f)) = map fnode (snd (fold_right h j f))) as H end end.
  { induction f as [|n f IH]; [split; reflexivity|]. cbn [fold_right map].
    repeat match goal with |- context [fold_right ?g ?i ?v] => destruct (fold_right g i v) as [? ?] end.
    simpl in *. destruct IH as [-> ->]. rewrite fnode_measure, merge_f. cbn [fmeasure Measure_size].
    destruct (_ && _)%bool; split; reflexivity. }
  repeat match goal with |- context [fold_right ?g ?i ?v] => destruct (fold_right g i v) as [? ?] end. apply H.
Qed.
Lemma weight_f f : weight_of (map fnode f) = weight_of f.
Proof. unfold weight_of, sum_by. induction f as [|n f IH]; simpl; auto. rewrite IH, fnode_measure. auto. Qed.
Lemma best_f f : best_of (map fnode f) = option_map fpick (best_of f).
Proof.
  unfold best_of; cbv zeta. induction f as [|n f IH]; cbn [fold_right map]; auto.
  rewrite IH, fnode_measure. apply better_f.
Qed.
Lemma step_f low d : step (fprogress d) low settling = fprogress (step d low asking).
Proof.
  unfold step; cbv zeta. cbn [fprogress Progress_forest Progress_merged]. rewrite best_f, weight_f.
  destruct (best_of _) as [p|]; simpl; auto. destruct (_ <=? _); auto.
  rewrite merge_view_f. unfold fprogress; simpl. rewrite map_app. auto.
Qed.
Lemma filled_extent t : extent (filled t) = extent t.
Proof. induction t; simpl; congruence. Qed.
Lemma filled_tall t : tall (filled t) = tall t.
Proof. induction t; simpl; congruence. Qed.
Lemma filled_tokens t : tokens (filled t) = tokens t.
Proof. induction t; simpl; congruence. Qed.
Lemma total_filled g v : (forall t, g (filled t) = g t) -> total g (map filled v) = total g v.
Proof. intros H; induction v; simpl; auto. rewrite H, IHv; auto. Qed.
Lemma walk_f v low : walk (map filled v) low settling = fprogress (walk v low asking).
Proof.
  unfold walk; cbv zeta. words. rewrite (total_filled tall) by apply filled_tall.
  induction (Z.to_nat (total tall v)) as [|n IH]; simpl; [unfold fprogress; simpl; rewrite measure_view_f; auto|].
  rewrite IH. apply step_f.
Qed.
(* every pick is a Split of the view before, with its own line *)
Lemma walk_splits v low terms :
  Forall (fun p => In (Pick_block p, Pick_line p) (on_view splits v)) (Progress_merged (walk v low terms)).
Proof.
  assert (sounds terms (Progress_forest (walk v low terms)) /\
    incl (on_view splits (map raw (Progress_forest (walk v low terms)))) (on_view splits v) /\
    Forall (fun p => In (Pick_block p, Pick_line p) (on_view splits v)) (Progress_merged (walk v low terms))) as H; [|apply H].
  apply (walk_inv (fun d => sounds terms (Progress_forest d) /\ incl (on_view splits (map raw (Progress_forest d))) (on_view splits v) /\
    Forall (fun p => In (Pick_block p, Pick_line p) (on_view splits v)) (Progress_merged d))).
  - destruct (measure_view_sound terms v) as [R S]. simpl. rewrite R. split; [auto|split; [apply incl_refl|constructor]].
  - intros d (S & I & F). unfold step; cbv zeta. destruct (best_of _) as [p|] eqn:B; auto. destruct (_ <=? _); auto.
    cbn [Progress_forest Progress_merged]. destruct (merge_view_sound terms (Pick_block p) _ S) as [R S2]. rewrite R.
    split; [auto|split]; [intros x X; apply I, (vcut_splits _ _ _ X)|].
    apply Forall_app; split; auto. constructor; auto. destruct (best_of_picked _ _ _ S B). auto.
Qed.
End Ask.
