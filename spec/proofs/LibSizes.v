(* The sizes that a view shows, oldest first, and what merging the smallest pair does to them. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Pins Lib LibClose LibNodes LibWalk LibAsk LibAsked LibBits T6.
Require Import P_shape P_write_sets P_aligned_close P_aligned_write P_aligned_settle P_ranked P_pair.
Open Scope Z_scope.

(* the sizes of the shown blocks, oldest first *)
Fixpoint sizes (t : Tree) : list Z := match t with Leaf _ => [1] | Merged z _ => [z] | Split l r _ => sizes l ++ sizes r end.
Fixpoint view_sizes (v : View) : list Z := match v with [] => [] | t :: older => view_sizes older ++ sizes t end.
Lemma sizes_shown t : forall s, map Block_size (map fst (shown s t)) = sizes t.
Proof. induction t; intros s; simpl; auto. rewrite !map_app, IHt1, IHt2; auto. Qed.
Lemma view_sizes_shown v : map Block_size (map fst (on_view shown v)) = view_sizes v.
Proof. induction v as [|t v IH]; simpl; auto. rewrite !map_app, IH, sizes_shown; auto. Qed.

Definition falling (l : list Z) : Prop := StronglySorted (fun x y => y <= x) l.
Lemma falling_app a b : falling (a ++ b) <-> falling a /\ falling b /\ forall x y, In x a -> In y b -> y <= x.
Proof.
  unfold falling. induction a as [|x a IH]; simpl.
  - split; [intros H; repeat split; auto; [constructor|tauto]|tauto].
  - split.
    + intros H. inversion H as [|y l S F]; subst. apply IH in S as (A & B & C). apply Forall_app in F as [F1 F2].
      rewrite Forall_forall in F2. repeat split; auto; [constructor; auto|]. intros u w [->|U] W; auto.
    + intros (A & B & C). inversion A as [|y l S F]; subst. constructor; [apply IH; repeat split; auto|].
      apply Forall_app; split; auto. apply Forall_forall. intros y Y. apply C; auto.
Qed.

Lemma sizes_bounds t : positive t -> forall x, In x (sizes t) -> 1 <= x <= extent t.
Proof.
  induction t; simpl; try (intros P x [<-|[]]; lia). intros [P1 P2] x I.
  pose proof (extent_pos _ P1); pose proof (extent_pos _ P2).
  apply in_app_iff in I as [I|I]; [specialize (IHt1 P1 x I)|specialize (IHt2 P2 x I)]; lia.
Qed.
Lemma sizes_some t : exists x, In x (sizes t).
Proof. induction t as [a|z a|l [x X] r _ w]; simpl; eauto. exists x. apply in_or_app; auto. Qed.
Lemma sizes_pow t : whole t -> forall x, In x (sizes t) -> exists k, 0 <= k /\ x = 2 ^ k.
Proof.
  induction t as [a|z a|l IHl r IHr w]; simpl.
  - intros _ x [<-|[]]. exists 0. auto with zarith.
  - intros (k & K & ->) x [<-|[]]. exists k; lia.
  - intros (E & L & R) x I. apply in_app_iff in I as [I|I]; eauto.
Qed.
Lemma pow_gap x z : (exists k, 0 <= k /\ x = 2 ^ k) -> (exists k, 0 <= k /\ z = 2 ^ k) -> z <= x -> x = z \/ 2 * z <= x.
Proof.
  intros (j & J & ->) (k & K & ->) L. destruct (Z.eq_dec j k) as [->|N]; auto. right.
  rewrite <- Z.pow_succ_r by auto. apply Z.pow_le_mono_r; [lia|]. apply Z.pow_le_mono_r_iff in L; lia.
Qed.
(* a tree whose shown blocks all have the size of the whole tree at least is one line *)
Lemma big_is_one t : whole t -> (forall x, In x (sizes t) -> extent t <= x) -> one t = true.
Proof.
  destruct t as [a|z a|l r w]; simpl; auto. intros (E & L & R) H. destruct (sizes_some l) as [x X].
  specialize (H x (in_or_app _ _ _ (or_introl X))). apply whole_positive in L, R.
  pose proof (sizes_bounds _ L x X). pose proof (extent_pos _ R). lia.
Qed.
(* the smallest block of a tree that is not alone has a partner of its size: a pair of twice its size *)
Lemma smallest_has_pair t : whole t -> falling (sizes t) -> forall z s, In z (sizes t) ->
  (forall x, In x (sizes t) -> z <= x) -> z < extent t -> exists b line, In (b, line) (twos s t) /\ Block_size b = 2 * z.
Proof.
  induction t as [a|y a|l IHl r IHr w]; simpl; intros W F z s I M G.
  - destruct I as [<-|[]]; lia.
  - destruct I as [<-|[]]; lia.
  - destruct W as (E & L & R). apply falling_app in F as (FL & FR & FF).
    assert (In z (sizes r)) as IR.
    { apply in_app_iff in I as [I|I]; auto. destruct (sizes_some r) as [y Y]. specialize (FF z y I Y).
      specialize (M y (in_or_app _ _ _ (or_intror Y))). replace z with y by lia. auto. }
    pose proof (sizes_bounds _ (whole_positive _ R) z IR) as BR.
    destruct (Z.eq_dec (extent r) z) as [Z|Z].
    + exists (mkBlock s (extent l + extent r)), w. simpl. split; [|lia]. rewrite !in_app_iff. left.
      rewrite (big_is_one l), (big_is_one r); auto; [simpl; auto|..]; intros x X; apply (Z.le_trans _ z); try lia; apply M, in_or_app; auto.
    + destruct (IHr R FR z (s + extent l) IR) as (b & line & B & C); try lia.
      * intros x X. apply M, in_or_app; auto.
      * exists b, line. rewrite !in_app_iff. auto.
Qed.
Lemma pair_half t : whole t -> forall s b line, In (b, line) (twos s t) -> exists z, In z (sizes t) /\ Block_size b = 2 * z.
Proof.
  induction t as [a|y a|l IHl r IHr w]; simpl; try tauto. intros (E & L & R) s b line. rewrite !in_app_iff. intros [I|[I|I]].
  - destruct (one l && one r)%bool eqn:O; simpl in I; [destruct I as [I|[]]; inversion I; subst|tauto]. apply andb_true_iff in O as [O1 O2].
    exists (extent l). split; [|simpl; lia]. apply in_or_app; left. destruct l; simpl in *; auto; discriminate.
  - destruct (IHl L _ _ _ I) as (z & Z & B). exists z. split; auto. apply in_or_app; auto.
  - destruct (IHr R _ _ _ I) as (z & Z & B). exists z. split; auto. apply in_or_app; auto.
Qed.
Lemma replace_extent b t : forall s, extent (replace b s t) = extent t.
Proof. induction t; intros s; simpl; auto. destruct (_ && _)%bool; simpl; auto. rewrite IHt1, IHt2; auto. Qed.
Lemma replace_whole b t : forall s, whole t -> whole (replace b s t).
Proof.
  induction t; intros s W; simpl in *; auto. destruct W as (E & L & R). destruct (_ && _)%bool; [apply whole_double; auto|].
  simpl. rewrite !replace_extent. auto.
Qed.
Lemma replace_sizes b t : forall s x, In x (sizes (replace b s t)) -> In x (sizes t) \/ x = Block_size b.
Proof.
  induction t; intros s x; simpl; auto. destruct (_ && _)%bool eqn:E; bools; simpl; [intros [<-|[]]; auto|].
  rewrite !in_app_iff. intros [I|I]; [apply IHt1 in I|apply IHt2 in I]; tauto.
Qed.
Definition least (b : Block) (xs : list (Block * option Z)) : Prop :=
  forall c line, In (c, line) xs -> Block_size b < Block_size c \/ (Block_size b = Block_size c /\ Block_start b <= Block_start c).
(* merging the smallest pair, the oldest of its size, keeps sizes from increasing *)
Lemma replace_falling t : whole t -> falling (sizes t) -> forall s b line, In (b, line) (twos s t) -> least b (twos s t) ->
  falling (sizes (replace b s t)).
Proof.
  induction t as [a|y a|l IHl r IHr w]; simpl; try tauto. intros (E & L & R) F s b line I M.
  destruct ((s =? Block_start b) && (extent l + extent r =? Block_size b))%bool eqn:Root; [repeat constructor|].
  pose proof (whole_positive _ L) as PL; pose proof (whole_positive _ R) as PR.
  pose proof (extent_pos _ PL); pose proof (extent_pos _ PR).
  apply falling_app in F as (FL & FR & FF). simpl. rewrite !in_app_iff in I. destruct I as [I|[I|I]].
  - exfalso. destruct (one l && one r)%bool; simpl in I; [destruct I as [I|[]]; inversion I; subst|tauto].
    simpl in Root. rewrite !Z.eqb_refl in Root. discriminate.
  - pose proof (splits_inside _ PL _ _ _ (twos_splits _ _ _ I)) as S. destruct (pair_half _ L _ _ _ I) as (z & Z & B).
    rewrite (replace_outside b r) by (auto; unfold inside; lia). apply falling_app. repeat split; auto.
    + apply (IHl L FL s b line I). intros c m J. apply (M c m). rewrite !in_app_iff; auto.
    + intros x y X Y. apply replace_sizes in X as [X|X]; auto. specialize (FF z y Z Y).
      pose proof (sizes_bounds _ PL z Z). lia.
  - pose proof (splits_inside _ PR _ _ _ (twos_splits _ _ _ I)) as S. destruct (pair_half _ R _ _ _ I) as (z & Z & B).
    rewrite (replace_outside b l) by (auto; unfold inside; lia). apply falling_app. repeat split; auto.
    + apply (IHr R FR _ b line I). intros c m J. apply (M c m). rewrite !in_app_iff; auto.
    + intros x y X Y. apply replace_sizes in Y as [Y|Y]; auto. subst y. rewrite B.
      destruct (pow_gap x z) as [G|G]; eauto using sizes_pow. subst x. exfalso.
      destruct (smallest_has_pair l L FL z s X) as (c & m & C & D); [intros x X2; apply (FF x z X2 Z)|lia|].
      pose proof (splits_inside _ PL _ _ _ (twos_splits _ _ _ C)).
      destruct (M c m) as [Q|Q]; [rewrite !in_app_iff; auto|lia|lia].
Qed.
Lemma view_replace_falling v : regular v -> falling (view_sizes v) -> forall b line, In (b, line) (on_view twos v) ->
  least b (on_view twos v) -> falling (view_sizes (each (replace b) v)).
Proof.
  induction v as [|t v IH]; simpl; [tauto|]. intros R F b line I M. pose proof (regular_positive _ R) as P. inversion P as [|q l PT PV]; subst.
  assert (whole t) as W by (destruct R as [X _]; inversion X; auto).
  pose proof (regular_above _ _ R) as A. pose proof (regular_tail _ _ R) as RV.
  apply falling_app in F as (FV & FT & FF). apply in_app_iff in I as [I|I].
  - pose proof (splits_view _ PV _ _ (twos_splits_view _ _ I)) as S.
    rewrite (replace_outside b t) by (auto; unfold inside; lia). apply falling_app. repeat split; auto.
    + apply (IH RV FV b line I). intros c m J. apply (M c m), in_or_app; auto.
    + intros x y X Y.
      assert (forall u, Forall whole u -> In x (view_sizes (each (replace b) u)) -> In x (view_sizes u) \/ x = Block_size b) as G.
      { clear. induction u as [|t u IH]; simpl; auto. intros F. inversion F; subst. rewrite !in_app_iff. intros [I|I]; [apply IH in I; tauto|].
        apply replace_sizes in I; tauto. }
      assert (forall u, Forall whole u -> In (b, line) (on_view twos u) -> exists z, In z (view_sizes u) /\ Block_size b = 2 * z) as H.
      { clear. induction u as [|t u IH]; simpl; [tauto|]. intros F I. inversion F; subst. apply in_app_iff in I as [I|I].
        - destruct (IH H2 I) as (z & Z & B). exists z. split; auto. apply in_or_app; auto.
        - destruct (pair_half _ H1 _ _ _ I) as (z & Z & B). exists z. split; auto. apply in_or_app; auto. }
      apply G in X as [X|X]; [auto| |apply RV]. destruct (H v (proj1 RV) I) as (z & Z & B). specialize (FF z y Z Y). lia.
  - pose proof (splits_inside _ PT _ _ _ (twos_splits _ _ _ I)) as S. destruct (pair_half _ W _ _ _ I) as (z & Z & B).
    assert (each (replace b) v = v) as ->.
    { assert (total extent v <= Block_start b /\ 1 <= Block_size b) as O by lia. clear - PV O.
      induction PV as [|q v P F IH]; simpl in *; auto. pose proof (extent_pos _ P). rewrite IH by lia. f_equal.
      apply replace_outside; auto. unfold inside. lia. }
    apply falling_app. repeat split; auto.
    + apply (replace_falling t W FT _ b line I). intros c m J. apply (M c m), in_or_app; auto.
    + intros x y X Y. apply replace_sizes in Y as [Y|Y]; auto. subst y. rewrite B.
      assert (forall u, regular u -> Forall positive u -> Forall (fun q => extent t < extent q) u -> falling (view_sizes u) -> In z (view_sizes u) ->
        (forall x, In x (view_sizes u) -> z <= x) -> exists c m, In (c, m) (on_view twos u) /\ Block_size c = 2 * z) as H.
      { clear - Z PT. pose proof (sizes_bounds _ PT z Z) as ZB. induction u as [|q u IH]; simpl; [tauto|]. intros R P A F I M.
        inversion P; inversion A; subst. apply falling_app in F as (FU & FQ & FF).
        assert (whole q) as WQ by (destruct R as [X _]; inversion X; auto). apply in_app_iff in I as [I|I].
        - destruct IH as (c & m & C & D); eauto using regular_tail. { intros x X. apply M, in_or_app; auto. }
          exists c, m. split; auto. apply in_or_app; auto.
        - destruct (smallest_has_pair q WQ FQ z (total extent u) I) as (c & m & C & D); [intros x X; apply M, in_or_app; auto|lia|].
          exists c, m. split; auto. apply in_or_app; auto. }
      assert (exists k, 0 <= k /\ x = 2 ^ k) as PX.
      { clear - X RV. destruct RV as [WV _]. induction v as [|q v IH]; simpl in X; [tauto|]. inversion WV; subst.
        apply in_app_iff in X as [X|X]; eauto using sizes_pow. }
      destruct (pow_gap x z) as [G|G]; eauto using sizes_pow. subst x. exfalso.
      destruct (H v RV PV A FV X) as (c & m & C & D); [intros x X2; apply (FF x z X2 Z)|].
      pose proof (splits_view _ PV _ _ (twos_splits_view _ _ C)).
      destruct (M c m) as [Q|Q]; [apply in_or_app; auto|lia|lia].
Qed.
