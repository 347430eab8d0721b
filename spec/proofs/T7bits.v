(* Claim T7, second half: after a settle the sizes below half of the last merged one are one-bits of n, once each. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Pins Lib LibClose LibNodes LibWalk LibAsk LibAsked LibBits LibBinary LibSizes T7.
Require Import P_covers_settle.
Open Scope Z_scope.
Notation often := (count_occ Z.eq_dec).

Lemma sum_sizes t : sum (sizes t) = extent t.
Proof. induction t; simpl; try lia. rewrite sum_app; lia. Qed.
Lemma sum_view_sizes v : sum (view_sizes v) = total extent v.
Proof. induction v as [|t v IH]; simpl; auto. rewrite sum_app, sum_sizes; lia. Qed.
Lemma often_in l x : (1 <= often l x)%nat -> In x l.
Proof. intros H. apply (count_occ_In Z.eq_dec). lia. Qed.
(* a size that occurs twice in a tree has a pair of twice that size *)
Lemma twice_has_pair t : whole t -> falling (sizes t) -> forall z s, (2 <= often (sizes t) z)%nat ->
  exists b line, In (b, line) (twos s t) /\ Block_size b = 2 * z.
Proof.
  induction t as [a|y a|l IHl r IHr w]; intros W F z s N.
  - cbn [sizes count_occ] in N. destruct (Z.eq_dec 1 z); lia.
  - cbn [sizes count_occ] in N. destruct (Z.eq_dec y z); lia.
  - simpl in *. destruct W as (E & L & R). apply falling_app in F as (FL & FR & FF). rewrite count_occ_app in N.
    destruct (Nat.le_gt_cases 2 (often (sizes l) z)) as [A|A].
    { destruct (IHl L FL z s A) as (b & line & I & B). exists b, line. rewrite !in_app_iff. auto. }
    destruct (Nat.le_gt_cases 2 (often (sizes r) z)) as [A2|A2].
    { destruct (IHr R FR z (s + extent l) A2) as (b & line & I & B). exists b, line. rewrite !in_app_iff. auto. }
    assert (In z (sizes l)) as IL by (apply often_in; lia). assert (In z (sizes r)) as IR by (apply often_in; lia).
    pose proof (sizes_bounds _ (whole_positive _ L) z IL) as BL. pose proof (sizes_bounds _ (whole_positive _ R) z IR) as BR.
    destruct (Z.eq_dec (extent l) z) as [Z|Z].
    + exists (mkBlock s (extent l + extent r)), w. simpl. split; [|lia]. rewrite !in_app_iff. left.
      assert (one l = true) as O1 by (apply big_is_one; auto; intros x X; specialize (FF x z X IR); lia).
      assert (one r = true) as O2.
      { destruct r as [a|y a|l2 r2 w2]; auto. exfalso. simpl in *. destruct R as (E2 & L2 & R2).
        pose proof (extent_pos _ (whole_positive _ L2)). pose proof (extent_pos _ (whole_positive _ R2)).
        apply in_app_iff in IR as [IR|IR];
        [pose proof (sizes_bounds _ (whole_positive _ L2) z IR)|pose proof (sizes_bounds _ (whole_positive _ R2) z IR)]; lia. }
      rewrite O1, O2. simpl. auto.
    + destruct (smallest_has_pair l L FL z s IL) as (b & line & I & B); [intros x X; apply (FF x z X IR)|lia|].
      exists b, line. rewrite !in_app_iff. auto.
Qed.
Lemma view_twice_has_pair v : regular v -> falling (view_sizes v) -> forall z, (2 <= often (view_sizes v) z)%nat ->
  exists b line, In (b, line) (on_view twos v) /\ Block_size b = 2 * z.
Proof.
  induction v as [|t v IH]; intros R F z N; [simpl in N; lia|]. simpl in *.
  assert (whole t) as W by (destruct R as [X _]; inversion X; auto).
  pose proof (regular_above _ _ R) as A. pose proof (regular_tail _ _ R) as RV.
  apply falling_app in F as (FV & FT & FF). rewrite count_occ_app in N.
  destruct (Nat.le_gt_cases 2 (often (view_sizes v) z)) as [B|B].
  { destruct (IH RV FV z B) as (b & line & I & C). exists b, line. split; auto. apply in_or_app; auto. }
  destruct (Nat.le_gt_cases 2 (often (sizes t) z)) as [B2|B2].
  { destruct (twice_has_pair t W FT z (total extent v) B2) as (b & line & I & C). exists b, line. split; auto. apply in_or_app; auto. }
  assert (In z (view_sizes v)) as IV by (apply often_in; lia). assert (In z (sizes t)) as IT by (apply often_in; lia).
  pose proof (sizes_bounds _ (whole_positive _ W) z IT) as BT.
  enough (exists b line, In (b, line) (on_view twos v) /\ Block_size b = 2 * z) as (b & line & I & C)
    by (exists b, line; split; auto; apply in_or_app; auto).
  assert (forall x, In x (view_sizes v) -> z <= x) as M by (intros x X; apply (FF x z X IT)).
  clear - RV A FV IV M BT. induction v as [|q v IH]; simpl in *; [tauto|]. inversion A; subst.
  assert (whole q) as WQ by (destruct RV as [X _]; inversion X; auto).
  apply falling_app in FV as (FU & FQ & FF). apply in_app_iff in IV as [I|I].
  - destruct IH as (c & m & C & D); eauto using regular_tail. { intros x X. apply M, in_or_app; auto. }
    exists c, m. split; auto. apply in_or_app; auto.
  - destruct (smallest_has_pair q WQ FQ z (total extent v) I) as (c & m & C & D); [intros x X; apply M, in_or_app; auto|lia|].
    exists c, m. split; auto. apply in_or_app; auto.
Qed.
(* a merge makes no pair but one that holds the merged block *)
Lemma replace_twos b t : positive t -> forall s c line, In (c, line) (twos s (replace b s t)) ->
  In (c, line) (twos s t) \/ Block_size b < Block_size c.
Proof.
  induction t as [a|y a|l IHl r IHr w]; simpl; auto. intros [P1 P2] s c line.
  pose proof (extent_pos _ P1); pose proof (extent_pos _ P2).
  destruct ((s =? Block_start b) && (extent l + extent r =? Block_size b))%bool eqn:Root; [simpl; tauto|].
  simpl. rewrite !replace_extent, !in_app_iff. intros [I|[I|I]].
  - destruct (one (replace b s l) && one (replace b (s + extent l) r))%bool eqn:O; simpl in I; [|tauto]. destruct I as [I|[]].
    inversion I; subst. apply andb_true_iff in O as [O1 O2].
    assert (forall t x, one (replace b x t) = true -> one t = true \/ extent t = Block_size b) as G.
    { clear. intros t x. destruct t as [a|y a|l r w]; simpl; auto.
      destruct ((x =? Block_start b) && (extent l + extent r =? Block_size b))%bool eqn:E; simpl; [|discriminate].
      apply andb_true_iff in E as [_ E]. apply Z.eqb_eq in E. auto. }
    destruct (G _ _ O1) as [G1|G1]; [|right; simpl; lia]. destruct (G _ _ O2) as [G2|G2]; [|right; simpl; lia].
    left. left. rewrite G1, G2. simpl. auto.
  - destruct (IHl P1 _ _ _ I); auto.
  - destruct (IHr P2 _ _ _ I); auto.
Qed.
Lemma each_total b v : total extent (each (replace b) v) = total extent v.
Proof. induction v; simpl; auto. rewrite replace_extent; lia. Qed.
Lemma each_twos b v : Forall positive v -> forall c line, In (c, line) (on_view twos (each (replace b) v)) ->
  In (c, line) (on_view twos v) \/ Block_size b < Block_size c.
Proof.
  induction 1 as [|t v P F IH]; simpl; auto. intros c line. rewrite each_total, !in_app_iff. intros [I|I].
  - destruct (IH _ _ I); auto.
  - destruct (replace_twos b t P _ _ _ I); auto.
Qed.

(* With the rank smallest first and nothing more wanted: after a settle whose last merge made a block of size m, a size
   2 ^ j below m / 2 is shown exactly when bit j of n is set, and at most once. *)
Theorem small_sizes_are_one_bits : forall order (k : Block -> Z -> Key order) v b before last j,
  @ordered order -> small_first k -> regular v -> falling (map Block_size (map fst (on_view shown v))) -> wanted v b k = [] ->
  Settled_merged (settle v b k) = before ++ [last] -> 0 <= j -> 2 * 2 ^ j < Block_size last ->
  let after := map Block_size (map fst (on_view shown (Settled_view (settle v b k)))) in
  (In (2 ^ j) after <-> Z.testbit (total extent v) j = true) /\ (often after (2 ^ j)%Z <= 1)%nat.
Proof.
  intros order k v b before last j O SF R F A E J S. cbv zeta. rewrite view_sizes_shown in *.
  pose proof (regular_positive _ R) as P.
  destruct (Z.le_gt_cases (total tokens v) b) as [B|B]; [rewrite settle_fits in E by auto; destruct before; discriminate|].
  assert (b < total tokens v) as B2 by lia. clear B.
  pose proof (settled_moment k O v b R A B2) as V. pose proof (asked_same v b k O P B2 A) as M. rewrite E in M.
  set (mf := Settled_merged (settle (map filled v) b k)) in *.
  assert (nth_error mf (length before) = Some last) as N by (rewrite <- M, nth_error_app2, Nat.sub_diag; auto).
  assert (length mf = Datatypes.S (length before)) as LN by (rewrite <- M, app_length; simpl; lia).
  rewrite LN in V. pose proof (moment_next k v b _ _ N) as X. fold mf in X. rewrite X in V. clear X.
  destruct (merged_least k O SF v b R _ _ N) as (x & I & L). fold mf in I, L.
  destruct (moment_falling k O SF v b R F (length before)) as [RM _]; [fold mf; lia|]. fold mf in RM.
  pose proof (settle_falling k O SF v b R F A B2) as FA. rewrite <- filled_view_sizes in *.
  assert (regular (map filled (Settled_view (settle v b k)))) as RA by (rewrite V; apply each_regular; auto).
  assert (forall i, 0 <= i <= j -> (often (view_sizes (map filled (Settled_view (settle v b k)))) (2 ^ i)%Z <= 1)%nat) as C.
  { intros i H. destruct (Nat.le_gt_cases (often (view_sizes (map filled (Settled_view (settle v b k)))) (2 ^ i)) 1) as [G|G]; auto.
    exfalso. destruct (view_twice_has_pair _ RA FA (2 ^ i) G) as (c & line & Y & Z). rewrite V in Y.
    assert (2 ^ i <= 2 ^ j) by (apply Z.pow_le_mono_r; lia).
    destruct (each_twos _ _ (regular_positive _ RM) _ _ Y) as [Q|Q]; [|lia]. destruct (L _ _ Q) as [T|[T _]]; lia. }
  split; [|apply C; lia].
  rewrite <- (P_covers_settle.covers_settle order v b k). rewrite <- (total_filled extent (Settled_view (settle v b k))) by apply filled_extent.
  rewrite <- sum_view_sizes. symmetry. apply binary_expansion; auto.
  intros y Y. destruct RA as [WA _]. clear - Y WA.
  induction WA as [|t u W F IH]; simpl in Y; [tauto|]. apply in_app_iff in Y as [Y|Y]; eauto using sizes_pow.
Qed.
