(* Laws and pins determine the operations: whatever satisfies them is the core, on every view of positive sizes, for
   budgets that are not negative and every rank with ordered keys. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Laws Pins Lib LibNodes LibWalk LibAsk.
Require Import P_shape P_weighs P_write_sets P_reads P_asks P_target P_ranked P_pair P_keeps P_budget P_fit_stable.
Open Scope Z_scope.

(* a view is its shape and the weights of its shown lines *)
Fixpoint line_weights (t : Tree) : list Z :=
  match t with Leaf w => [w] | Merged _ w => [w] | Split l r _ => line_weights l ++ line_weights r end.
Lemma shown_weights t : forall s, map snd (shown s t) = line_weights t.
Proof. induction t; intros s; simpl; auto. rewrite map_app. f_equal; auto. Qed.
Lemma weights_cons t v : weights (t :: v) = weights v ++ line_weights t.
Proof. rewrite shown_weights_cons, shown_weights. reflexivity. Qed.
Lemma split_app {A} (a b c d : list A) : length a = length b -> a ++ c = b ++ d -> a = b /\ c = d.
Proof.
  revert b; induction a as [|x a IH]; intros [|y b] L E; simpl in *; try discriminate; auto.
  inversion E; subst. destruct (IH b) as [-> ->]; auto.
Qed.
Lemma bare_count t : forall u, bare t = bare u -> length (line_weights t) = length (line_weights u).
Proof.
  induction t; intros [ | | ] E; simpl in *; try discriminate; auto. inversion E. rewrite !app_length.
  rewrite (IHt1 left'), (IHt2 right'); auto.
Qed.
Lemma bare_weights t : forall u, bare t = bare u -> line_weights t = line_weights u -> t = u.
Proof.
  induction t; intros [ | | ] E W; simpl in *; try discriminate; inversion E; try (inversion W; subst; auto; fail).
  apply split_app in W as [W1 W2]; [|apply bare_count; auto]. rewrite (IHt1 left'), (IHt2 right'); auto.
Qed.
Lemma bare_view_count u : forall v, map bare u = map bare v -> length (weights u) = length (weights v).
Proof.
  induction u as [|t u IH]; intros [|x v] E; simpl in E; try discriminate; auto. inversion E.
  rewrite !weights_cons, !app_length, (IH v), (bare_count t x); auto.
Qed.
Lemma same_view u : forall v, map bare u = map bare v -> weights u = weights v -> u = v.
Proof.
  induction u as [|t u IH]; intros [|x v] E W; simpl in E; try discriminate; auto. inversion E.
  rewrite !weights_cons in W. apply split_app in W as [W1 W2]; [|apply bare_view_count; auto].
  f_equal; [apply bare_weights|apply IH]; auto.
Qed.

(* two pairs of a view never start at the same unit *)
Lemma twos_one t s : one t = true -> twos s t = [].
Proof. destruct t; simpl; auto; discriminate. Qed.
Lemma twos_once t : positive t -> forall s c d x y, In (c, x) (twos s t) -> In (d, y) (twos s t) ->
  Block_start c = Block_start d -> c = d.
Proof.
  induction t; simpl; try tauto. intros [P1 P2] s c d x y. destruct (one t1 && one t2)%bool eqn:O.
  - apply andb_true_iff in O as [O1 O2]. rewrite !twos_one by auto. simpl. intros [I|[]] [J|[]]. congruence.
  - simpl. rewrite !in_app_iff. intros [I|I] [J|J] E; eauto;
    apply twos_splits, splits_inside in I; auto; apply twos_splits, splits_inside in J; auto; lia.
Qed.
Lemma twos_view_once v : Forall positive v -> forall c d x y, In (c, x) (on_view twos v) -> In (d, y) (on_view twos v) ->
  Block_start c = Block_start d -> c = d.
Proof.
  induction 1 as [|t v P F IH]; simpl; [tauto|]. intros c d x y. rewrite !in_app_iff. intros [I|I] [J|J] E; eauto using twos_once;
  repeat match goal with
  | H : In _ (twos _ _) |- _ => apply twos_splits, splits_inside in H; auto; simpl in H
  | H : In _ (on_view twos _) |- _ => apply twos_splits_view, splits_view in H; auto; simpl in H end; lia.
Qed.
Lemma replace_positive b t : forall s, positive t -> positive (replace b s t).
Proof.
  induction t; intros s P; simpl in *; auto. destruct P as [P1 P2].
  pose proof (extent_pos _ P1); pose proof (extent_pos _ P2). destruct (_ && _)%bool; simpl; auto; lia.
Qed.
Lemma replay_positive ms : forall v, Forall positive v -> Forall positive (replay v ms).
Proof.
  unfold replay. induction ms as [|b ms IH]; intros v P; simpl; auto. apply IH.
  induction P; simpl; constructor; auto using replace_positive.
Qed.

Section Unique.
Context {order : Order}.
Notation Rank := (Block -> Z -> Key order).
Notation Settle := (View -> Z -> Rank -> Settled).
(* what the laws and pins demand of settle *)
Definition settles (S : Settle) : Prop :=
  Laws.budget S /\ Laws.fit_stable S /\ Pins.target S /\ Pins.ranked S /\ Pins.pair S /\ Pins.keeps S /\
  (forall v b k, Forall positive v -> weights (Settled_view (S v b k)) = weights (replay v (Settled_merged (S v b k)))).
Lemma settles_replay S v b k : settles S -> Forall positive v -> Settled_view (S v b k) = replay v (Settled_merged (S v b k)).
Proof. intros (_ & _ & _ & _ & _ & K & W) P. apply same_view; auto. Qed.

Section Two.
Variables (S T : Settle) (v : View) (b : Z) (k : Rank).
Hypotheses (LS : settles S) (LT : settles T) (O : @ordered order) (P : Forall positive v) (B : b < total tokens v).
Notation ms := (Settled_merged (S v b k)).
Notation mt := (Settled_merged (T v b k)).
Lemma same_next i p q : firstn i ms = firstn i mt -> nth_error ms i = Some p -> nth_error mt i = Some q -> p = q.
Proof.
  intros F NS NT. pose proof LS as (_ & _ & _ & RS & PS & _). pose proof LT as (_ & _ & _ & RT & PT & _).
  destruct (PS v b k P i p NS) as [x X], (PT v b k P i q NT) as [y Y]. rewrite F in X.
  pose proof (RT O v b k P i q NT p x X) as [A1 A2].
  pose proof (RS O v b k P i p NS q y ltac:(rewrite F; exact Y)) as [B1 B2].
  apply (twos_view_once _ (replay_positive (firstn i mt) v P) _ _ _ _ X Y).
  destruct A2 as [A2|A2]; [rewrite A2 in B1; discriminate|]. destruct B2 as [B2|B2]; [rewrite B2 in A1; discriminate|]. lia.
Qed.
Lemma same_end i p : firstn i ms = firstn i mt -> nth_error ms i = Some p -> nth_error mt i = None -> False.
Proof.
  intros F NS NT. pose proof LS as (_ & _ & TS & _ & PS & _). pose proof LT as (_ & _ & TT & _).
  destruct (PS v b k P i p NS) as [x X]. destruct (TS v b k P B) as [A _]. destruct (TT v b k P B) as [_ E].
  assert (i < length ms)%nat as L by (apply nth_error_Some; rewrite NS; discriminate). specialize (A i L).
  apply nth_error_None in NT. rewrite (firstn_all2 mt) in F by auto.
  rewrite F in A, X. rewrite (settles_replay T) in E by auto. destruct E as [E|E]; [lia|apply (E _ _ X)].
Qed.
End Two.

Lemma same_merged S T v b k : settles S -> settles T -> @ordered order -> Forall positive v -> b < total tokens v ->
  Settled_merged (S v b k) = Settled_merged (T v b k).
Proof.
  intros LS LT O P B.
  assert (forall i, firstn i (Settled_merged (S v b k)) = firstn i (Settled_merged (T v b k))) as F.
  { assert (forall (l : list Block) i, firstn (Datatypes.S i) l = firstn i l ++ match nth_error l i with Some x => [x] | None => [] end) as G.
    { induction l as [|x l IH]; intros [|i]; simpl; auto. f_equal. apply IH. }
    induction i as [|i IH]; auto. rewrite !G, IH. f_equal.
    destruct (nth_error (Settled_merged (S v b k)) i) as [p|] eqn:NS, (nth_error (Settled_merged (T v b k)) i) as [q|] eqn:NT; auto.
    - f_equal. eapply (same_next S T); eauto.
    - exfalso. eapply (same_end S T); eauto.
    - exfalso. eapply (same_end T S); eauto. }
  rewrite <- (firstn_all2 (n := length (Settled_merged (S v b k)) + length (Settled_merged (T v b k))) (Settled_merged (S v b k))) by lia.
  rewrite F. apply firstn_all2. lia.
Qed.
(* two settles that satisfy laws and pins are the same *)
Lemma same_settle S T v b k : settles S -> settles T -> @ordered order -> Forall positive v -> 0 <= b -> S v b k = T v b k.
Proof.
  intros LS LT O P B. destruct (Z.le_gt_cases (total tokens v) b) as [F|F].
  - pose proof LS as (_ & FS & _). pose proof LT as (_ & FT & _). rewrite FS, FT; auto.
  - pose proof (same_merged S T v b k LS LT O P ltac:(lia)) as M.
    pose proof (settles_replay S v b k LS P) as VS. pose proof (settles_replay T v b k LT P) as VT.
    pose proof LS as (BS & _). pose proof LT as (BT & _).
    destruct (BS v b k B P) as (_ & S2 & S3), (BT v b k B P) as (_ & T2 & T3).
    destruct (S v b k) as [vs ms os], (T v b k) as [vt mt ot]. cbn [Settled_view Settled_merged Settled_outcome] in *. subst.
    f_equal. rewrite <- T2 in S2.
    destruct os, ot; auto; try (specialize (S3 eq_refl); lia); try (specialize (T3 eq_refl); lia);
      exfalso; destruct S2 as [X Y]; (discriminate (X eq_refl) || discriminate (Y eq_refl)).
Qed.
Lemma core_settles : settles settle.
Proof.
  repeat split; intros; try (apply P_budget.budget; auto; fail); try (apply P_fit_stable.fit_stable; auto; fail);
  try (apply P_target.target; auto; fail); try (apply P_ranked.ranked; auto; fail); try (eapply P_pair.pair; eauto; fail);
  try (apply P_keeps.keeps; auto; fail); try (apply P_weighs.weighs; auto; fail).
  all: try (eapply P_budget.budget; eauto; fail).
  all: try (eapply P_ranked.ranked; eauto; fail).
Qed.
End Unique.

(* Any operations that satisfy the laws and pins listed are the core's, wherever sizes are positive, keys are ordered and
   the budget is not negative. *)
Theorem unique : forall order (close2 : View -> Z -> View) (write2 : View -> Block -> Z -> View)
  (settle2 : View -> Z -> (Block -> Z -> Key order) -> Settled) (zoom2 : View -> Block -> list Block)
  (wanted2 : View -> Z -> (Block -> Z -> Key order) -> list Block), @ordered order ->
  Laws.budget settle2 -> Laws.fit_stable settle2 ->
  Pins.target settle2 -> Pins.ranked settle2 -> Pins.pair settle2 -> Pins.keeps settle2 ->
  Pins.weighs close2 settle2 -> Pins.write_sets write2 -> Pins.shape close2 -> Pins.reads zoom2 -> Pins.asks settle2 wanted2 ->
  (forall v w, close2 v w = close v w) /\
  (forall v b w, Forall positive v -> write2 v b w = write v b w) /\
  (forall v b k, Forall positive v -> 0 <= b -> settle2 v b k = settle v b k) /\
  (forall v b, zoom2 v b = zoom v b) /\
  (forall v b k, Forall positive v -> 0 <= b -> wanted2 v b k = wanted v b k).
Proof.
  intros order close2 write2 settle2 zoom2 wanted2 O HB HF HT HR HP HK HW HS HC HZ HA.
  assert (settles settle2) as L by (repeat (split; [assumption|]); apply HW).
  assert (forall v b k, Forall positive v -> 0 <= b -> settle2 v b k = settle v b k) as SS
    by (intros; apply same_settle; auto using core_settles).
  repeat split; auto.
  - intros v w. destruct (HC v w) as [x E]. destruct HW as [_ W]. specialize (W v w).
    rewrite E, push_weights, shown_weights_cons in W. apply app_inv_head in W. inversion W; subst.
    rewrite E, close_pushes. reflexivity.
  - intros v b w P. rewrite HS, P_write_sets.write_sets; auto.
  - intros v b. rewrite HZ, P_reads.reads; auto.
  - intros v b k P B. rewrite HA, (P_asks.asks order) by auto. rewrite SS; auto.
    apply Forall_map. eapply Forall_impl; [|exact P]. clear. induction a; simpl; tauto.
Qed.
