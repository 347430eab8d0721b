(* One-bits of n, and the coarsest view: trees shown as one line each. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Lib LibClose LibNodes Pins.
Open Scope Z_scope.

(* the number of one-bits *)
Fixpoint ones (p : BinNums.positive) : Z := match p with xH => 1 | xO q => ones q | xI q => 1 + ones q end.
Definition popcount (n : Z) : Z := match n with Zpos p => ones p | _ => 0 end.
Lemma ones_pos p : 1 <= ones p.
Proof. induction p; simpl; lia. Qed.
Lemma ones_succ p : ones (Pos.succ p) <= ones p + 1.
Proof. induction p; simpl; lia. Qed.
Lemma ones_add p : forall q, ones (p + q) <= ones p + ones q /\ ones (Pos.add_carry p q) <= ones p + ones q + 1.
Proof.
  induction p as [p IH|p IH|]; intros [q|q|]; simpl; try destruct (IH q); try lia;
  try (pose proof (ones_succ p)); try (pose proof (ones_succ q)); lia.
Qed.
Lemma popcount_add a b : 0 <= a -> 0 <= b -> popcount (a + b) <= popcount a + popcount b.
Proof. destruct a, b; simpl; intros; try lia. apply ones_add. Qed.
Lemma popcount_double a : popcount (2 * a) = popcount a.
Proof. destruct a; reflexivity. Qed.
Lemma popcount_odd a : 0 <= a -> popcount (2 * a + 1) = 1 + popcount a.
Proof. destruct a; simpl; intros; auto; lia. Qed.
Lemma popcount_pow k : 0 <= k -> forall a, popcount (2 ^ k * a) = popcount a.
Proof.
  intros K. pattern k. apply natlike_ind; auto.
  - intros a. f_equal. lia.
  - intros x X IH a. rewrite Z.pow_succ_r, <- Z.mul_assoc, popcount_double by auto. apply IH.
Qed.
Lemma popcount_whole t : whole t -> popcount (extent t) = 1.
Proof. intros W. destruct (whole_pow _ W) as (k & K & ->). rewrite <- (Z.mul_1_r (2 ^ k)), popcount_pow; auto. Qed.
Lemma popcount_log n : 0 < n -> popcount n <= Z.log2 n + 1.
Proof.
  destruct n as [|p|p]; try lia. intros _. simpl popcount.
  induction p as [p IH|p IH|]; simpl ones; [| |simpl; lia].
  - change (Zpos p~1) with (2 * Zpos p + 1). rewrite Z.log2_succ_double by lia. lia.
  - change (Zpos p~0) with (2 * Zpos p). rewrite Z.log2_double by lia. lia.
Qed.

(* each shown block is a power of two, so n is a sum of as many powers of two as there are lines *)
Lemma popcount_tall t : whole t -> popcount (extent t) <= tall t.
Proof. intros W. rewrite popcount_whole by auto. apply tall_pos. Qed.
Lemma popcount_view v : Forall whole v -> popcount (total extent v) <= total tall v.
Proof.
  induction 1 as [|t v W F IH]; simpl; [lia|]. pose proof (popcount_tall _ W). pose proof (extent_pos _ (whole_positive _ W)).
  pose proof (total_extent_pos v (Forall_impl _ whole_positive F)).
  pose proof (popcount_add (extent t) (total extent v)). lia.
Qed.
(* an aligned view has as many trees as n has one-bits *)
Lemma total_multiple t v : regular (t :: v) -> exists q, 0 <= q /\ total extent v = 2 * extent t * q.
Proof.
  intros R. pose proof (regular_above _ _ R) as A. destruct R as [W _]. inversion W as [|x l Wt Wv]; subst. clear W.
  destruct (whole_pow _ Wt) as (k & K & E). rewrite E in *.
  induction v as [|u v IH]; simpl; [exists 0; lia|]. inversion A; inversion Wv; subst.
  destruct IH as (q & Q & ->); auto. destruct (whole_pow _ H5) as (j & J & F). rewrite F in *.
  apply Z.pow_lt_mono_r_iff in H1; try lia. exists (2 ^ (j - k - 1) + q).
  assert (0 < 2 ^ (j - k - 1)) by (apply Z.pow_pos_nonneg; lia). split; [lia|].
  rewrite Z.mul_add_distr_l. f_equal. rewrite <- Z.pow_succ_r, <- Z.pow_add_r by lia. f_equal. lia.
Qed.
Lemma popcount_trees v : regular v -> popcount (total extent v) = Z.of_nat (length v).
Proof.
  induction v as [|t v IH]; intros R; auto. cbn [total length]. rewrite Nat2Z.inj_succ, <- IH by (eapply regular_tail; eauto).
  destruct (total_multiple _ _ R) as (q & Q & E). destruct (whole_pow t) as (k & K & F); [destruct R as [W _]; inversion W; auto|].
  rewrite E, F. replace (2 ^ k + 2 * 2 ^ k * q) with (2 ^ k * (2 * q + 1)) by lia.
  rewrite popcount_pow, popcount_odd by auto. replace (2 * 2 ^ k * q) with (2 ^ k * (2 * q)) by lia.
  rewrite popcount_pow, popcount_double by auto. lia.
Qed.

(* no pair at all, written or not: every tree is one line *)
Definition no_pair (v : View) : Prop := forall x, ~ In x (on_view twos v).
Lemma split_has_pair t s : one t = false -> exists x, In x (twos s t).
Proof.
  revert s; induction t as [a|z a|l IHl r IHr line]; intros s; simpl; try discriminate. intros _.
  destruct (one l) eqn:L; [destruct (one r) eqn:R|].
  - eexists. simpl. left. reflexivity.
  - destruct (IHr (s + extent l) eq_refl) as [x X]. exists x. rewrite !in_app_iff. auto.
  - destruct (IHl s eq_refl) as [x X]. exists x. rewrite !in_app_iff. auto.
Qed.
Lemma no_pair_tall v : no_pair v -> total tall v = Z.of_nat (length v).
Proof.
  induction v as [|t v IH]; intros N; auto. cbn [total length]. rewrite Nat2Z.inj_succ, IH.
  - destruct (one t) eqn:O; [rewrite one_tall by auto; lia|]. destruct (split_has_pair t (total extent v) O) as [x X].
    destruct (N x). simpl. apply in_or_app; auto.
  - intros x X. apply (N x). simpl. apply in_or_app; auto.
Qed.
(* every Split has its line *)
Fixpoint all_written (t : Tree) : Prop :=
  match t with Split l r line => line <> None /\ all_written l /\ all_written r | _ => True end.
Lemma written_twos t : all_written t -> forall s b line, In (b, line) (twos s t) -> exists w, line = Some w.
Proof.
  induction t; simpl; try tauto. intros (L & W1 & W2) s b w. rewrite !in_app_iff. intros [I|[I|I]]; eauto.
  destruct (_ && _)%bool; simpl in I; [destruct I as [I|[]]; inversion I; subst|tauto]. destruct w; [eauto|tauto].
Qed.
Lemma written_no_pair v : Forall all_written v -> nothing_ready v -> no_pair v.
Proof.
  intros F N [b line] I. assert (exists w, line = Some w) as [w ->]; [|apply (N b w I)].
  clear N. induction F as [|t v W F IH]; simpl in I; [tauto|]. apply in_app_iff in I as [I|I]; eauto using written_twos.
Qed.
(* what holds of every line, shown or written, holds of every line after a merge *)
Fixpoint every_line (P : Z -> Prop) (t : Tree) : Prop :=
  match t with
  | Leaf w => P w
  | Merged _ w => P w
  | Split l r line => match line with Some w => P w | None => True end /\ every_line P l /\ every_line P r
  end.
Lemma each_forall (Q : Tree -> Prop) f v : (forall s t, Q t -> Q (f s t)) -> Forall Q v -> Forall Q (each f v).
Proof. intros H; induction 1; simpl; constructor; auto. Qed.
Lemma replay_forall (Q : Tree -> Prop) ms : (forall b s t, Q t -> Q (replace b s t)) -> forall v, Forall Q v -> Forall Q (replay v ms).
Proof.
  intros H. unfold replay. induction ms as [|b ms IH]; intros v F; simpl; auto. apply IH. apply each_forall; auto.
Qed.
Lemma replace_written b t : forall s, all_written t -> all_written (replace b s t).
Proof. induction t; intros s W; simpl in *; auto. destruct W as (L & W1 & W2). destruct (_ && _)%bool; simpl; auto. Qed.
Lemma replace_lines (P : Z -> Prop) b t : forall s, all_written t /\ every_line P t -> all_written (replace b s t) /\ every_line P (replace b s t).
Proof.
  intros s [W L]; split; [apply replace_written; auto|]. revert s W L.
  induction t; intros s W L; simpl in *; auto. destruct W as (N & W1 & W2), L as (L0 & L1 & L2).
  destruct (_ && _)%bool; simpl; auto. destruct line'; [auto|tauto].
Qed.
Lemma tokens_at_most t0 t : every_line (fun w => w <= t0) t -> tokens t <= t0 * tall t.
Proof. induction t; simpl; try lia. intros (_ & L1 & L2). specialize (IHt1 L1); specialize (IHt2 L2). lia. Qed.
Lemma total_at_most t0 v : Forall (every_line (fun w => w <= t0)) v -> total tokens v <= t0 * total tall v.
Proof. induction 1 as [|t v L F IH]; simpl; [lia|]. pose proof (tokens_at_most _ _ L). lia. Qed.
Lemma tokens_positive t : every_line (fun w => 0 < w) t -> 0 < tokens t.
Proof. induction t; simpl; try lia. intros (_ & L1 & L2). specialize (IHt1 L1); specialize (IHt2 L2). lia. Qed.
