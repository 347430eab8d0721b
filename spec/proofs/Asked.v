(* Pin asks, second half: with lines of weight >= 0, every block that was asked for is merged in the end. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Pins Lib LibNodes LibWalk LibAsk LibAsked Unique P_budget P_asks P_ranked P_pair P_target.
Open Scope Z_scope.

(* u is v with some missing lines written, of weight >= 0 *)
Fixpoint fuller (t u : Tree) : Prop :=
  match t, u with
  | Leaf a, Leaf b => a = b
  | Merged y a, Merged z b => y = z /\ a = b
  | Split l r x, Split l2 r2 y =>
      match x, y with Some a, Some b => a = b | None, Some b => 0 <= b | None, None => True | Some _, None => False end /\
      fuller l l2 /\ fuller r r2
  | _, _ => False
  end.
(* all lines there, those of t no heavier than those of u *)
Fixpoint lighter (t u : Tree) : Prop :=
  match t, u with
  | Leaf a, Leaf b => a <= b
  | Merged y a, Merged z b => y = z /\ a <= b
  | Split l r (Some a), Split l2 r2 (Some b) => a <= b /\ lighter l l2 /\ lighter r r2
  | _, _ => False
  end.
Lemma fuller_lighter t : forall u, fuller t u -> lighter (filled t) (filled u).
Proof.
  induction t as [a|y a|l IHl r IHr x]; intros [b|z b|l2 r2 w]; simpl; try tauto; try lia.
  intros (X & L & R). repeat split; auto. destruct x, w; simpl; lia.
Qed.
Lemma lighter_extent t : forall u, lighter t u -> extent t = extent u.
Proof.
  induction t as [a|y a|l IHl r IHr x]; intros [b|z b|l2 r2 w]; simpl; try (destruct x); try tauto; try lia.
  destruct w; [|tauto]. intros (_ & L & R). rewrite (IHl l2), (IHr r2); auto.
Qed.
Lemma lighter_tokens t : forall u, lighter t u -> tokens t <= tokens u.
Proof.
  induction t as [a|y a|l IHl r IHr x]; intros [b|z b|l2 r2 w]; simpl; try (destruct x); try tauto; try lia.
  destruct w; [|tauto]. intros (_ & L & R). specialize (IHl l2 L); specialize (IHr r2 R). lia.
Qed.
Lemma lighter_one t u : lighter t u -> one t = one u.
Proof. destruct t as [a|y a|l r [x|]], u as [b|z b|l2 r2 [w|]]; simpl; tauto. Qed.
Lemma lighter_replace b t : forall u s, lighter t u -> lighter (replace b s t) (replace b s u).
Proof.
  induction t as [a|y a|l IHl r IHr [x|]]; intros [c|z c|l2 r2 [w|]] s; simpl; try tauto. intros (X & L & R).
  rewrite (lighter_extent _ _ L), (lighter_extent _ _ R). destruct (_ && _)%bool; simpl; auto.
Qed.
Lemma lighter_twos t : forall u s, lighter t u -> map fst (twos s t) = map fst (twos s u) /\
  (forall c l, In (c, l) (twos s t) -> l <> None) /\ (forall c l, In (c, l) (twos s u) -> l <> None).
Proof.
  induction t as [a|y a|l IHl r IHr [x|]]; intros [b|z b|l2 r2 [w|]] s; simpl; try tauto. intros (X & L & R).
  rewrite (lighter_one _ _ L), (lighter_one _ _ R), (lighter_extent _ _ L), (lighter_extent _ _ R), !map_app.
  destruct (IHl l2 s L) as (L1 & L2 & L3), (IHr r2 (s + extent l2) R) as (R1 & R2 & R3). rewrite L1, R1.
  split; [destruct (_ && _)%bool; reflexivity|].
  split; intros c m; rewrite !in_app_iff; (intros [I|[I|I]]; eauto);
    (destruct (_ && _)%bool; simpl in I; [destruct I as [I|[]]; inversion I; discriminate|tauto]).
Qed.
Notation lighter_view := (Forall2 lighter).
Lemma lighter_total v u : lighter_view v u -> total extent v = total extent u /\ total tokens v <= total tokens u.
Proof.
  induction 1 as [|t x v u L F IH]; simpl; [lia|].
  pose proof (lighter_extent _ _ L); pose proof (lighter_tokens _ _ L). lia.
Qed.
Lemma lighter_view_twos v u : lighter_view v u -> map fst (on_view twos v) = map fst (on_view twos u) /\
  (forall c l, In (c, l) (on_view twos v) -> l <> None) /\ (forall c l, In (c, l) (on_view twos u) -> l <> None).
Proof.
  induction 1 as [|t x v u L F IH]; simpl; [tauto|]. destruct IH as (A & B & C). rewrite !map_app, A.
  destruct (lighter_total _ _ F) as [E _]. rewrite E. destruct (lighter_twos _ _ (total extent u) L) as (X & Y & Z).
  rewrite X. split; auto. split; intros c l I; apply in_app_iff in I as [I|I]; eauto.
Qed.
Lemma lighter_replay ms : forall v u, lighter_view v u -> lighter_view (replay v ms) (replay u ms).
Proof.
  unfold replay. induction ms as [|b ms IH]; intros v u F; simpl; auto. apply IH. clear IH.
  induction F as [|t x v u L F IH]; simpl; constructor; auto. destruct (lighter_total _ _ F) as [-> _]. apply lighter_replace; auto.
Qed.
Lemma same_pair v u c a : lighter_view v u -> In (c, Some a) (on_view twos v) -> exists b, In (c, Some b) (on_view twos u).
Proof.
  intros L I. destruct (lighter_view_twos _ _ L) as (E & _ & N). apply (in_map fst) in I. rewrite E in I.
  apply in_map_iff in I as ([d [b|]] & D & I); simpl in D; subst; [eauto|destruct (N _ _ I eq_refl)].
Qed.
Lemma same_pair_back v u c a : lighter_view v u -> In (c, Some a) (on_view twos u) -> exists b, In (c, Some b) (on_view twos v).
Proof.
  intros L I. destruct (lighter_view_twos _ _ L) as (E & N & _). apply (in_map fst) in I. rewrite <- E in I.
  apply in_map_iff in I as ([d [b|]] & D & I); simpl in D; subst; [eauto|destruct (N _ _ I eq_refl)].
Qed.

Section Heavier.
Context {order : Order}.
Variables (v u : View) (b : Z) (k : Block -> Z -> Key order).
Hypotheses (O : @ordered order) (P : Forall positive v) (Q : Forall positive u) (L : lighter_view v u).
Notation mv := (Settled_merged (settle v b k)).
Notation mu := (Settled_merged (settle u b k)).
(* with heavier lines settle goes on at least as long, the same way *)
Lemma heavier_goes_on : b < total tokens v -> forall i p, firstn i mv = firstn i mu -> nth_error mv i = Some p -> nth_error mu i = Some p.
Proof.
  intros B i p F N. destruct (lighter_total _ _ L) as [E T].
  pose proof (lighter_replay (firstn i mv) v u L) as LR. destruct (P_pair.pair order v b k P i p N) as [x X].
  destruct (same_pair _ _ _ _ LR X) as [y Y]. destruct (nth_error mu i) as [q|] eqn:M.
  - destruct (P_pair.pair order u b k Q i q M) as [z Z]. rewrite <- F in Z. destruct (same_pair_back _ _ _ _ LR Z) as [w W].
    pose proof (P_ranked.ranked order O v b k P i p N q w W) as [R1 R2].
    pose proof (P_ranked.ranked order O u b k Q i q M p y ltac:(rewrite <- F; exact Y)) as [S1 S2]. rewrite E in *.
    f_equal. symmetry. apply (twos_view_once _ (replay_positive (firstn i mv) v P) _ _ _ _ X W).
    destruct R2 as [R2|R2]; [congruence|]. destruct S2 as [S2|S2]; [congruence|]. lia.
  - exfalso. destruct (P_target.target order v b k P B) as [A _].
    assert (i < length mv)%nat as I by (apply nth_error_Some; rewrite N; discriminate). specialize (A i I).
    destruct (P_target.target order u b k Q ltac:(lia)) as [_ D]. rewrite settle_replay in D by auto.
    apply nth_error_None in M. rewrite (firstn_all2 mu) in F by auto. rewrite <- F in D.
    destruct (lighter_total _ _ LR) as [_ T2]. destruct D as [D|D]; [lia|apply (D _ _ Y)].
Qed.
Lemma heavier_prefix : b < total tokens v -> forall i, (i <= length mv)%nat -> firstn i mv = firstn i mu.
Proof.
  intros B. assert (forall (l : list Block) i, firstn (S i) l = firstn i l ++ match nth_error l i with Some x => [x] | None => [] end) as G.
  { induction l as [|x l IH]; intros [|i]; simpl; auto. f_equal. apply IH. }
  induction i as [|i IH]; intros I; auto. rewrite !G, IH by lia. f_equal.
  destruct (nth_error mv i) as [p|] eqn:N; [|apply nth_error_None in N; lia].
  rewrite (heavier_goes_on B i p (IH ltac:(lia)) N). reflexivity.
Qed.
End Heavier.

(* Once nothing more is asked for, settle merges every block that was ever asked for. *)
Theorem asked_is_merged : forall order v u b (k : Block -> Z -> Key order), @ordered order -> Forall positive v ->
  Forall positive u -> Forall2 fuller v u -> wanted u b k = [] ->
  forall c, In c (wanted v b k) -> In c (Settled_merged (settle u b k)).
Proof.
  intros order v u b k O P Q F A c I. rewrite (P_asks.asks order v b k P) in I. apply filter_In in I as [I _].
  assert (Forall2 lighter (map filled v) (map filled u)) as L.
  { clear - F. induction F; simpl; constructor; auto using fuller_lighter. }
  destruct (Z.le_gt_cases (total tokens (map filled v)) b) as [B|B]; [rewrite settle_fits in I by auto; destruct I|].
  destruct (lighter_total _ _ L) as [_ T]. rewrite (asked_same u b k O Q) by (auto; rewrite !tokens_filled in *; lia).
  pose proof (heavier_prefix (map filled v) (map filled u) b k O (filled_positive _ P) (filled_positive _ Q) L ltac:(lia)
    (length (Settled_merged (settle (map filled v) b k))) (le_n _)) as E.
  rewrite firstn_all in E. rewrite E in I. rewrite <- (firstn_skipn (length (Settled_merged (settle (map filled v) b k)))).
  apply in_or_app. auto.
Qed.
