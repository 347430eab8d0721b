(* The words of the laws mean what spec/rule.md says, and the core's measures say the same. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Lib LibClose.
Open Scope Z_scope.

(* the blocks follow each other from unit s to unit e, without gap or overlap *)
Inductive tiles : Z -> list Block -> Z -> Prop :=
| tiles_nil s : tiles s [] s
| tiles_cons s z blocks e : tiles (s + z) blocks e -> tiles s (mkBlock s z :: blocks) e.
Lemma tiles_app a xs b ys c : tiles a xs b -> tiles b ys c -> tiles a (xs ++ ys) c.
Proof. induction 1; simpl; auto. intros; constructor; auto. Qed.
Lemma tiles_tree t : forall s, tiles s (map fst (shown s t)) (s + extent t).
Proof.
  induction t; intros s; simpl; try (repeat constructor; fail).
  rewrite map_app. eapply tiles_app; eauto. rewrite Z.add_assoc. auto.
Qed.
(* The shown blocks partition 0 .. n - 1, oldest first. *)
Theorem shown_tiles : forall v, tiles 0 (map fst (on_view shown v)) (total extent v).
Proof.
  induction v as [|t v IH]; simpl; [constructor|]. rewrite map_app, Z.add_comm. eapply tiles_app; eauto using tiles_tree.
Qed.

(* the size is a power of two, the start a multiple of it *)
Definition on_ruler (b : Block) : Prop := exists k, 0 <= k /\ Block_size b = 2 ^ k /\ (2 ^ k | Block_start b).
Lemma on_ruler_tree t : whole t -> forall s, (extent t | s) ->
  (forall b w, In (b, w) (shown s t) -> on_ruler b) /\ (forall b w, In (b, w) (splits s t) -> on_ruler b).
Proof.
  intros W s D. assert (on_ruler (mkBlock s (extent t))) as Own.
  { destruct (whole_pow _ W) as (k & K & E). exists k. simpl. rewrite <- E. auto. }
  revert s D Own. induction t as [a|z a|l IHl r IHr line]; intros s D Own; simpl in *.
  - split; [|tauto]. intros b w [I|[]]; inversion I; subst; auto.
  - split; [|tauto]. intros b w [I|[]]; inversion I; subst; auto.
  - destruct W as (E & Wl & Wr).
    assert (extent l | s) as Dl by (eapply Z.divide_trans; [|exact D]; exists 2; lia).
    assert (extent r | s + extent l) as Dr by (rewrite <- E; apply Z.divide_add_r; auto; apply Z.divide_refl).
    assert (forall t x, whole t -> (extent t | x) -> on_ruler (mkBlock x (extent t))) as R.
    { intros t x W X. destruct (whole_pow _ W) as (k & K & F). exists k. simpl. rewrite <- F. auto. }
    destruct (IHl Wl s Dl (R _ _ Wl Dl)) as [L1 L2], (IHr Wr _ Dr (R _ _ Wr Dr)) as [R1 R2].
    split; intros b w; simpl; rewrite in_app_iff; intros I; [destruct I; eauto|destruct I as [I|[I|I]]; eauto].
    inversion I; subst; auto.
Qed.
Lemma pow_divides a b : whole a -> whole b -> extent a < extent b -> (extent a | extent b).
Proof.
  intros A B. destruct (whole_pow _ A) as (j & J & ->), (whole_pow _ B) as (k & K & ->). intros L.
  apply Z.pow_lt_mono_r_iff in L; try lia. exists (2 ^ (k - j)). rewrite <- Z.pow_add_r by lia. f_equal. lia.
Qed.
Lemma total_divides t v : regular (t :: v) -> (extent t | total extent v).
Proof.
  intros R. pose proof (regular_above _ _ R) as A. destruct R as [W _]. inversion W as [|x l Wt Wv]; subst. clear W.
  induction v as [|u v IH]; simpl; [apply Z.divide_0_r|]. inversion A; inversion Wv; subst.
  apply Z.divide_add_r; auto using pow_divides.
Qed.
(* In an aligned view every block, shown or not, has a power of two as its size and starts at a multiple of it. *)
Theorem regular_on_ruler : forall v, regular v ->
  (forall b w, In (b, w) (on_view shown v) -> on_ruler b) /\ (forall b w, In (b, w) (on_view splits v) -> on_ruler b).
Proof.
  induction v as [|t v IH]; simpl; [tauto|]. intros R.
  destruct (IH (regular_tail _ _ R)) as [V1 V2].
  destruct (on_ruler_tree t ltac:(destruct R as [W _]; inversion W; auto) _ (total_divides _ _ R)) as [T1 T2].
  split; intros b w I; apply in_app_iff in I as [I|I]; eauto.
Qed.

(* s & (s - 1) == 0 is how the core knows a power of two *)
Lemma land_pow s : 2 <= s -> Z.land s (s - 1) = 0 <-> exists k, 1 <= k /\ s = 2 ^ k.
Proof.
  intros S. split.
  - intros L. exists (Z.log2 s). assert (1 <= Z.log2 s) by (apply Z.log2_le_pow2; lia). split; auto.
    pose proof (Z.log2_spec s ltac:(lia)) as [A B]. destruct (Z.eq_dec s (2 ^ Z.log2 s)) as [E|N]; auto. exfalso.
    assert (Z.log2 (s - 1) = Z.log2 s) as E by (apply Z.log2_unique; lia).
    assert (Z.testbit (Z.land s (s - 1)) (Z.log2 s) = true) as T.
    { rewrite Z.land_spec, Z.bit_log2 by lia. rewrite <- E. apply Z.bit_log2. lia. }
    rewrite L, Z.testbit_0_l in T. discriminate.
  - intros (k & K & ->). replace (2 ^ k - 1) with (Z.ones k) by (rewrite Z.ones_equiv; lia).
    rewrite Z.land_ones by lia. apply Z.mod_same. lia.
Qed.
Lemma complete_whole t : (whole t -> complete_size t = extent t) /\ (complete_size t <> 0 -> whole t) /\ 0 <= complete_size t.
Proof.
  induction t as [a|z a|l IHl r IHr line]; simpl.
  - repeat split; auto; lia.
  - destruct (2 <=? z) eqn:G; bools; simpl.
    + destruct (Z.land z (z - 1) =? 0) eqn:E; bools; repeat split; auto; try lia.
      * intros _. apply land_pow; auto.
      * intros W. exfalso. apply E, land_pow; auto.
    + repeat split; auto; try lia. intros (k & K & ->). assert (2 ^ 1 <= 2 ^ k) by (apply Z.pow_le_mono_r; lia). lia.
  - destruct IHl as (L1 & L2 & L3), IHr as (R1 & R2 & R3).
    destruct (complete_size l =? complete_size r) eqn:E; bools.
    + repeat split; try lia.
      * intros (X & Wl & Wr). rewrite L1 by auto. lia.
      * rewrite <- L1, <- R1; auto; [apply R2; lia|apply L2; lia].
      * apply L2; lia.
      * apply R2; lia.
    + repeat split; try lia. intros (X & Wl & Wr). rewrite L1, R1 in E by auto. lia.
Qed.
(* The core's `aligned` is the laws' `regular`. *)
Theorem aligned_regular : forall v, aligned v = true <-> regular v.
Proof.
  assert (forall v good below, 0 <= below ->
    fst (fold_left (fun '((good, below) : bool * Z) (t : Tree) =>
      let size := complete_size t in (good && (below <? size), size)%bool) v (good, below)) = true <->
    good = true /\ Forall whole v /\ Sorted Z.lt (map extent v) /\ HdRel Z.lt below (map extent v)) as G.
  { induction v as [|t v IH]; intros good below B; simpl; [intuition|].
    destruct (complete_whole t) as (C1 & C2 & C3). rewrite IH by auto. rewrite andb_true_iff, Z.ltb_lt. split.
    - intros ((H1 & H2) & H3 & H4 & H5). assert (whole t) as W by (apply C2; lia). rewrite C1 in * by auto.
      repeat split; auto; constructor; auto.
    - intros (H1 & H2 & H3 & H4). inversion H2; inversion H3; inversion H4; subst. rewrite C1 by auto. auto. }
  intros v. unfold aligned; cbv zeta. specialize (G v true 0 ltac:(lia)).
  match goal with |- context [fold_left ?f v ?i] => match type of G with _ <-> ?rest =>
    assert (fst (fold_left f v i) = true <-> rest) as X by exact G; destruct (fold_left f v i) as [good below] end end.
  simpl in X. rewrite X. unfold regular. split; [tauto|]. intros [W S]. repeat split; auto.
  destruct v as [|t v]; simpl; constructor. inversion W; subst. apply whole_positive, extent_pos in H1. lia.
Qed.

Lemma cover_tree t : forall s, tree_cover t s = map fst (shown s t).
Proof. induction t; intros s; simpl; auto. words. rewrite map_app, IHt1, IHt2. auto. Qed.
(* The core's cover lists the shown blocks. *)
Theorem cover_shown : forall v, cover v = map fst (on_view shown v).
Proof.
  intros v. unfold cover; cbv zeta. match goal with |- context [fold_right ?f ?i v] =>
    assert (fold_right f i v = (total extent v, map fst (on_view shown v))) as ->; [|reflexivity] end.
  induction v as [|t v IH]; [reflexivity|]. cbn [fold_right]. rewrite IH. simpl. words.
  rewrite map_app, cover_tree. f_equal. lia.
Qed.
Definition allowed (unwritten : bool) (x : Block * option Z) : bool := unwritten || is_some (snd x).
Lemma one_line_one t : one_line t = one t.
Proof. destruct t; auto. Qed.
Lemma pairs_tree u t : forall s, tree_pairs t s u = map fst (filter (allowed u) (twos s t)).
Proof.
  induction t; intros s; simpl; auto. words. rewrite (one_line_one t1), (one_line_one t2), IHt1, IHt2, !filter_app, !map_app, app_assoc.
  f_equal. f_equal. destruct (one t1 && one t2)%bool; simpl; auto. unfold allowed; simpl.
  replace (s + extent t1 - s + extent t2) with (extent t1 + extent t2) by lia. destruct (u || is_some line')%bool; auto.
Qed.
(* The core's pairs and ready list the laws' pairs, ready those with a line. *)
Theorem pairs_twos : forall v u, find_pairs v u = map fst (filter (allowed u) (on_view twos v)).
Proof.
  intros v u. unfold find_pairs; cbv zeta. match goal with |- context [fold_right ?f ?i v] =>
    assert (fold_right f i v = (total extent v, map fst (filter (allowed u) (on_view twos v)))) as ->; [|reflexivity] end.
  induction v as [|t v IH]; [reflexivity|]. cbn [fold_right]. rewrite IH. simpl. words.
  rewrite filter_app, map_app, pairs_tree. f_equal. lia.
Qed.
