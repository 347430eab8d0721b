(* When nothing more is asked, a stuck view has no pair left at all. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Pins Lib LibNodes LibWalk LibAsk LibBits Unique P_budget P_asks P_ranked P_pair P_target.
Open Scope Z_scope.

Lemma filled_replace b t : forall s, filled (replace b s t) = replace b s (filled t).
Proof.
  induction t; intros s; simpl; auto. rewrite !filled_extent. destruct (_ && _)%bool; auto. simpl. rewrite IHt1, IHt2; auto.
Qed.
Lemma filled_replay ms : forall v, map filled (replay v ms) = replay (map filled v) ms.
Proof.
  unfold replay. induction ms as [|b ms IH]; intros v; simpl; auto. rewrite IH. f_equal. clear.
  induction v as [|t v IH]; simpl; auto. rewrite IH, filled_replace, (total_filled extent) by apply filled_extent. auto.
Qed.
Definition with_line (x : Block * option Z) : Block * option Z := (fst x, Some (zero (snd x))).
Lemma filled_one t : one (filled t) = one t.
Proof. destruct t; reflexivity. Qed.
Lemma filled_twos t : forall s, twos s (filled t) = map with_line (twos s t).
Proof.
  induction t; intros s; simpl; auto. rewrite !filled_one, !filled_extent, IHt1, IHt2, !map_app. f_equal.
  destruct (_ && _)%bool; reflexivity.
Qed.
Lemma filled_view_twos v : on_view twos (map filled v) = map with_line (on_view twos v).
Proof.
  induction v as [|t v IH]; simpl; auto. rewrite IH, filled_twos, map_app, (total_filled extent) by apply filled_extent. auto.
Qed.
Lemma filled_positive v : Forall positive v -> Forall positive (map filled v).
Proof. intros P. apply Forall_map. eapply Forall_impl; [|exact P]. clear. induction a; simpl; tauto. Qed.
Lemma replace_splits b t x : forall s, In x (splits s (replace b s t)) -> In x (splits s t).
Proof.
  assert (forall t s, extent (replace b s t) = extent t) as X
    by (clear; induction t; intros s; simpl; auto; destruct (_ && _)%bool; simpl; auto; rewrite IHt1, IHt2; auto).
  induction t; intros s; simpl; auto. destruct (_ && _)%bool; simpl; [tauto|]. rewrite !in_app_iff, !X.
  intros [I|[I|I]]; auto.
Qed.
Lemma replay_extent ms : forall v, total extent (replay v ms) = total extent v.
Proof.
  assert (forall b t s, extent (replace b s t) = extent t) as X
    by (clear; induction t; intros s; simpl; auto; destruct (_ && _)%bool; simpl; auto; rewrite IHt1, IHt2; auto).
  unfold replay. induction ms as [|b ms IH]; intros v; simpl; auto. rewrite IH. clear IH. induction v; simpl; auto.
  rewrite X, IHv; auto.
Qed.
Lemma replay_splits ms x : forall v, In x (on_view splits (replay v ms)) -> In x (on_view splits v).
Proof.
  unfold replay. induction ms as [|b ms IH]; intros v; simpl; auto. intros I. apply IH in I. clear IH.
  induction v as [|t v IH]; simpl in *; auto. apply in_app_iff in I as [I|I]; apply in_or_app; auto.
  pose proof (replay_extent [b] v) as E. unfold replay in E; simpl in E. rewrite E in I.
  right. eapply replace_splits; eauto.
Qed.

Section Asked.
Context {order : Order}.
Variables (v : View) (b : Z) (k : Block -> Z -> Key order).
Hypotheses (O : @ordered order) (P : Forall positive v) (B : b < total tokens v) (A : wanted v b k = []).
Notation ms := (Settled_merged (settle v b k)).
Notation mf := (Settled_merged (settle (map filled v) b k)).
Lemma tokens_filled u : total tokens (map filled u) = total tokens u.
Proof. apply total_filled, filled_tokens. Qed.
Lemma units_filled : total extent (map filled v) = total extent v.
Proof. apply total_filled, filled_extent. Qed.
(* what the other walk merges is ready here as well *)
Lemma asked_ready i q : firstn i ms = firstn i mf -> nth_error mf i = Some q ->
  exists y, In (q, Some y) (on_view twos (replay v (firstn i ms))).
Proof.
  intros F N. destruct (P_pair.pair order _ b k (filled_positive _ P) i q N) as [y Y].
  rewrite <- F, <- filled_replay, filled_view_twos in Y. apply in_map_iff in Y as ([c l] & E & Y). inversion E; subst c.
  pose proof (replay_splits _ _ _ (twos_splits_view _ _ Y)) as S.
  pose proof (P_asks.asks order v b k P) as Q. rewrite A in Q.
  assert (lacks v q = false) as L.
  { destruct (lacks v q) eqn:L; auto. exfalso. apply nth_error_In in N.
    assert (In q (filter (lacks v) mf)) as I by (apply filter_In; auto). rewrite <- Q in I. destruct I. }
  rewrite (lacks_line _ _ _ P S) in L. destruct l; [eauto|discriminate].
Qed.
Lemma asked_same : ms = mf.
Proof.
  pose proof (filled_positive _ P) as PF.
  assert (b < total tokens (map filled v)) as BF by (rewrite tokens_filled; auto).
  assert (forall i, firstn i ms = firstn i mf) as F.
  { assert (forall (l : list Block) i, firstn (S i) l = firstn i l ++ match nth_error l i with Some x => [x] | None => [] end) as G.
    { induction l as [|x l IH]; intros [|i]; simpl; auto. f_equal. apply IH. }
    induction i as [|i IH]; auto. rewrite !G, IH. f_equal.
    destruct (nth_error ms i) as [p|] eqn:N, (nth_error mf i) as [q|] eqn:M; auto.
    - destruct (asked_ready i q IH M) as [y Y]. destruct (P_pair.pair order v b k P i p N) as [x X].
      pose proof (P_ranked.ranked order O v b k P i p N q y Y) as [R1 R2].
      assert (In (p, Some x) (on_view twos (replay (map filled v) (firstn i mf)))) as XF.
      { rewrite <- IH, <- filled_replay, filled_view_twos. apply in_map_iff. exists (p, Some x). auto. }
      pose proof (P_ranked.ranked order O _ b k PF i q M p x XF) as [S1 S2]. rewrite units_filled in *.
      f_equal. apply (twos_view_once _ (replay_positive (firstn i ms) v P) _ _ _ _ X Y).
      destruct R2 as [R2|R2]; [congruence|]. destruct S2 as [S2|S2]; [congruence|]. lia.
    - exfalso. destruct (P_pair.pair order v b k P i p N) as [x X]. destruct (P_target.target order v b k P B) as [T _].
      assert (i < length ms)%nat as L by (apply nth_error_Some; rewrite N; discriminate). specialize (T i L).
      destruct (P_target.target order _ b k PF BF) as [_ E]. rewrite settle_replay in E by auto.
      apply nth_error_None in M. rewrite (firstn_all2 mf) in IH by auto. rewrite <- IH, <- filled_replay in E.
      rewrite tokens_filled in E. destruct E as [E|E]; [lia|]. apply (E p x). rewrite filled_view_twos.
      apply in_map_iff. exists (p, Some x). auto.
    - exfalso. destruct (asked_ready i q IH M) as [y Y]. destruct (P_target.target order _ b k PF BF) as [T _].
      assert (i < length mf)%nat as L by (apply nth_error_Some; rewrite M; discriminate). specialize (T i L).
      rewrite <- IH, <- filled_replay, tokens_filled in T.
      destruct (P_target.target order v b k P B) as [_ E]. rewrite settle_replay in E by auto.
      apply nth_error_None in N. rewrite (firstn_all2 ms) in T, Y by auto. destruct E as [E|E]; [lia|apply (E _ _ Y)]. }
  rewrite <- (firstn_all2 (n := length ms + length mf) ms) by lia. rewrite F. apply firstn_all2. lia.
Qed.
End Asked.

(* When wanted asks for nothing more, a settle that ends STUCK leaves no pair, written or not. *)
Theorem stuck_means_no_pair : forall order v b (k : Block -> Z -> Key order), @ordered order -> Forall positive v -> 0 <= b ->
  wanted v b k = [] -> Settled_outcome (settle v b k) = STUCK -> no_pair (Settled_view (settle v b k)).
Proof.
  intros order v b k O P B A S. destruct (P_budget.budget order v b k B P) as (_ & [H _] & _).
  destruct (H S) as (H1 & H2 & _). pose proof (asked_same v b k O P H1 A) as M.
  destruct (P_target.target order _ b k (filled_positive _ P) ltac:(rewrite tokens_filled; auto)) as [_ E].
  rewrite settle_replay in * by auto using filled_positive. rewrite <- M, <- filled_replay, tokens_filled in E.
  destruct E as [E|E]; [lia|]. intros [c l] I. apply (E c (zero l)). rewrite filled_view_twos.
  apply in_map_iff. exists (c, l). auto.
Qed.
