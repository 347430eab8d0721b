(* The story of settle's walk: what was picked at each moment, and that the view follows the laws' replay. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib LibNodes P_budget Pins.
Open Scope Z_scope.

(* in positive trees a block has one place, so cutting on the way to it is replacing it everywhere *)
Definition inside (b : Block) (s : Z) (t : Tree) : Prop := s <= Block_start b /\ Block_start b + Block_size b <= s + extent t.
Lemma replace_outside b t : positive t -> forall s, ~ inside b s t -> replace b s t = t.
Proof.
  induction t as [a|z a|l IHl r IHr line]; intros P s O; unfold inside in *; simpl in *; auto. destruct P as [Pl Pr].
  pose proof (extent_pos _ Pl); pose proof (extent_pos _ Pr).
  destruct (_ && _)%bool eqn:E; bools; [lia|]. rewrite IHl, IHr by (auto; lia). auto.
Qed.
Lemma cut_replace b t : 1 <= Block_size b -> positive t -> forall s, cut t s b = replace b s t.
Proof.
  intros Z. induction t as [a|z a|l IHl r IHr line]; intros P s; cbn -[extent Block_eqb]; auto. destruct P as [Pl Pr].
  pose proof (extent_pos _ Pl); pose proof (extent_pos _ Pr).
  unfold Block_eqb; cbn -[extent]. rewrite (Z.eqb_sym (Block_start b)), (Z.eqb_sym (Block_size b)).
  destruct (_ && _)%bool; auto. destruct (_ <? _) eqn:L; bools.
  - rewrite IHl by auto. rewrite (replace_outside b r); auto. unfold inside; lia.
  - rewrite IHr by auto. rewrite (replace_outside b l); auto. unfold inside; lia.
Qed.
Lemma vcut_replace b v : 1 <= Block_size b -> Forall positive v -> vcut v b = each (replace b) v.
Proof.
  intros Z. induction 1 as [|t v P F IH]; simpl; auto. rewrite IH. f_equal.
  destruct (_ && _)%bool eqn:E; [apply cut_replace; auto|]. symmetry. apply replace_outside; auto.
  unfold inside. apply andb_false_iff in E as [E|E]; bools; lia.
Qed.

Lemma twos_splits t x : forall s, In x (twos s t) -> In x (splits s t).
Proof.
  induction t; simpl; auto. intros s. rewrite !in_app_iff. intros [H|[H|H]]; auto.
  destruct (_ && _)%bool; simpl in H; tauto.
Qed.
Lemma twos_splits_view v x : In x (on_view twos v) -> In x (on_view splits v).
Proof. induction v; simpl; auto. rewrite !in_app_iff. intros [H|H]; auto using twos_splits. Qed.

Section Walk.
Context {order : Order}.
Implicit Types (n : @Node order) (f : list (@Node order)) (terms : @Terms order) (p : @Pick order).

Lemma tree_of_raw n : tree_of n = raw n.
Proof. induction n; simpl; congruence. Qed.
Lemma trees_raw f : map (fun n => tree_of n) f = map raw f.
Proof. apply map_ext, tree_of_raw. Qed.

(* which Splits may be picked *)
Definition eligible terms (line : option Z) : Prop := Terms_asking terms = true \/ exists w, line = Some w.
Lemma same_key (k : Key order) : @ordered order -> less order k k = false.
Proof. intros [A _]. destruct (less order k k) eqn:E; auto. pose proof (A _ _ E). congruence. Qed.
(* p is the first in rank among these pairs *)
Definition beats terms p (c : Block) : Prop :=
  let k := Terms_rank terms c (Terms_total terms) in
  less order k (Pick_key p) = false /\ (less order (Pick_key p) k = true \/ Block_start (Pick_block p) <= Block_start c).
Definition chosen terms (o : option (@Pick order)) (xs : list (Block * option Z)) : Prop :=
  match o with
  | None => forall c line, In (c, line) xs -> ~ eligible terms line
  | Some p => In (Pick_block p, Pick_line p) xs /\ eligible terms (Pick_line p) /\
      Pick_key p = Terms_rank terms (Pick_block p) (Terms_total terms) /\
      (@ordered order -> forall c line, In (c, line) xs -> eligible terms line -> beats terms p c)
  end.
Lemma chosen_better terms a b xs ys : chosen terms a xs -> chosen terms b ys ->
  (forall c d l m, In (c, l) xs -> In (d, m) ys -> Block_start c <= Block_start d) -> chosen terms (better a b) (xs ++ ys).
Proof.
  intros A B S. unfold better. destruct a as [p|], b as [q|]; simpl in A, B.
  - destruct A as (A1 & A2 & A3 & A4), B as (B1 & B2 & B3 & B4).
    destruct (less order (Pick_key q) (Pick_key p)) eqn:L; simpl; repeat split; auto; try (apply in_or_app; auto).
    all: apply in_app_iff in H0 as [I|I].
    all: try (destruct (A4 H _ _ I H1) as [X Y]); try (destruct (B4 H _ _ I H1) as [X Y]); auto.
    all: destruct H as [Asym Co].
    + destruct (less order (Terms_rank terms c (Terms_total terms)) (Pick_key q)) eqn:E; auto.
      destruct (Co _ (Pick_key p) _ E) as [F|F]; [congruence|]. rewrite (Asym _ _ L) in F. discriminate.
    + destruct (Co _ (Terms_rank terms c (Terms_total terms)) _ L) as [F|F]; [auto|congruence].
    + destruct (less order (Terms_rank terms c (Terms_total terms)) (Pick_key p)) eqn:E; auto.
      destruct (Co _ (Pick_key q) _ E) as [F|F]; congruence.
    + right. eapply S; eauto.
  - destruct A as (A1 & A2 & A3 & A4). simpl; repeat split; auto; try (apply in_or_app; auto);
      apply in_app_iff in H0 as [I|I]; try (destruct (A4 H _ _ I H1); auto; fail); destruct (B _ _ I H1).
  - destruct B as (B1 & B2 & B3 & B4). simpl; repeat split; auto; try (apply in_or_app; auto);
      apply in_app_iff in H0 as [I|I]; try (destruct (B4 H _ _ I H1); auto; fail); destruct (A _ _ I H1).
  - simpl. intros c line I. apply in_app_iff in I as [I|I]; eauto.
Qed.
Lemma best_chosen terms n : forall s, positive (raw n) -> sound terms s n ->
  chosen terms (Measure_best (measure_of n)) (twos s (raw n)).
Proof.
  induction n as [t m|l IHl r IHr line m]; intros s P H; simpl in *.
  - destruct H as [O ->]; destruct t; simpl in *; try discriminate; tauto.
  - destruct H as (Hl & Hr & E), P as [Pl Pr]. inversion E; subst. clear E. unfold join. cbn -[better].
    rewrite (sound_size _ _ _ Hl), (sound_size _ _ _ Hr).
    destruct (sound_measure _ _ _ Hl) as (_ & L1 & _), (sound_measure _ _ _ Hr) as (_ & L2 & _).
    rewrite L1, L2. pose proof (extent_pos _ Pl); pose proof (extent_pos _ Pr).
    apply chosen_better; [|apply chosen_better; auto|].
    + destruct (one (raw l) && one (raw r))%bool eqn:O.
      * apply andb_true_iff in O as [O1 O2]. rewrite !one_tall by auto. cbn [Z.eqb Pos.eqb andb].
        destruct (Terms_asking terms || is_some line)%bool eqn:C; simpl.
        -- repeat split; auto.
           ++ unfold eligible. apply orb_true_iff in C as [C|C]; auto. destruct line; [eauto|discriminate].
           ++ destruct H2 as [H2|[]]. inversion H2; subst.
              apply same_key; auto.
           ++ right. destruct H2 as [H2|[]]. inversion H2; subst. simpl. lia.
        -- intros c l2 [I|[]] [G|[w G]]; inversion I; subst; [rewrite G in C|]; simpl in C; try discriminate.
           rewrite orb_true_r in C; discriminate.
      * destruct (_ && _ && _)%bool eqn:C; [|simpl; auto]. bools. rewrite !tall_one in O by auto. discriminate.
    + intros c d u w I J. apply twos_splits, splits_inside in I; auto. apply twos_splits, splits_inside in J; auto. lia.
    + intros c d u w I J. destruct (_ && _)%bool; simpl in I; [destruct I as [I|[]]; inversion I; subst|tauto]. simpl.
      apply in_app_iff in J as [J|J]; apply twos_splits, splits_inside in J; auto; lia.
Qed.
Lemma best_of_chosen terms f : Forall positive (map raw f) -> sounds terms f ->
  chosen terms (best_of f) (on_view twos (map raw f)).
Proof.
  unfold best_of; cbv zeta. induction f as [|n f IH]; [simpl; tauto|]. cbn [fold_right map on_view].
  intros P [H1 H2]. inversion P as [|x y P1 P2]; subst. apply chosen_better; auto using best_chosen.
  intros c d u w I J. apply twos_splits_view, splits_view in I; auto. apply twos_splits, splits_inside in J; auto. lia.
Qed.

(* what is known of a walk: its picks were the first in rank at their moments, above the low water *)
Definition told (v : View) low terms (d : @Progress order) : Prop :=
  sounds terms (Progress_forest d) /\ Forall positive (map raw (Progress_forest d)) /\
  map raw (Progress_forest d) = replay v (map (fun p => Pick_block p) (Progress_merged d)) /\
  forall i p, nth_error (Progress_merged d) i = Some p ->
    let u := replay v (firstn i (map (fun p => Pick_block p) (Progress_merged d))) in
    chosen terms (Some p) (on_view twos u) /\ low < total tokens u /\ Forall positive u.
Lemma step_told v low terms d : told v low terms d -> told v low terms (step d low terms).
Proof.
  intros (S & P & R & T). unfold step; cbv zeta. destruct (best_of (Progress_forest d)) as [p|] eqn:B; [|split; auto].
  destruct (_ <=? _) eqn:W; [split; auto|]. bools. rewrite (weight_sound _ _ S) in W.
  pose proof (best_of_chosen _ _ P S) as C. rewrite B in C.
  destruct (merge_view_sound terms (Pick_block p) _ S) as [R2 S2].
  assert (1 <= Block_size (Pick_block p)) as Z.
  { destruct C as [I _]. apply twos_splits_view, splits_view in I; auto. lia. }
  unfold told; cbn [Progress_forest Progress_merged]. rewrite R2.
  split; [auto|split; [auto using vcut_positive|split]].
  - rewrite vcut_replace, R, map_app by auto. unfold replay. rewrite fold_left_app. reflexivity.
  - rewrite map_app in *. intros i q N.
    destruct (Nat.lt_ge_cases i (length (Progress_merged d))) as [L|L].
    + rewrite nth_error_app1 in N by auto. rewrite firstn_app, firstn_map.
      replace (i - length (map (fun p => Pick_block p) (Progress_merged d)))%nat with O by (rewrite map_length; lia).
      cbn [firstn]. rewrite app_nil_r, <- firstn_map. apply T; auto.
    + rewrite nth_error_app2 in N by auto.
      destruct (i - length (Progress_merged d))%nat eqn:D; [|destruct n; discriminate]. inversion N; subst q.
      rewrite firstn_app. replace (i - length (map (fun p => Pick_block p) (Progress_merged d)))%nat with O by (rewrite map_length; lia).
      cbn [firstn]. rewrite app_nil_r, firstn_all2 by (rewrite map_length; lia). cbv zeta. rewrite <- R. auto.
Qed.
Theorem walk_told v low terms : Forall positive v ->
  told v low terms (walk v low terms) /\
  (weight_of (Progress_forest (walk v low terms)) <= low \/ best_of (Progress_forest (walk v low terms)) = None).
Proof.
  intros P. destruct (measure_view_sound terms v) as [R S]. split.
  - apply walk_inv; [|apply step_told]. unfold told; simpl. rewrite R. split; [auto|split; [auto|split; [auto|]]]. intros i p N; destruct i; discriminate.
  - unfold walk; cbv zeta. apply walk_ends; simpl; rewrite ?R; words; auto; lia.
Qed.
End Walk.

(* settle in the words of the laws: what its answer is made of *)
Theorem settle_told {order : Order} v b (k : Block -> Z -> Key order) : Forall positive v -> b < total tokens v ->
  let r := settle v b k in
  let terms := mkTerms (total extent v) k false in
  Settled_view r = replay v (Settled_merged r) /\
  (forall i c, nth_error (Settled_merged r) i = Some c -> exists p, Pick_block p = c /\
     let u := replay v (firstn i (Settled_merged r)) in
     chosen terms (Some p) (on_view twos u) /\ b / 2 < total tokens u /\ Forall positive u) /\
  (total tokens (Settled_view r) <= b / 2 \/ nothing_ready (Settled_view r)) /\
  Forall positive (Settled_view r).
Proof.
  intros P B. unfold settle; cbv zeta. words. destruct (_ <=? _) eqn:E; bools; [lia|]. cbn [Settled_view Settled_merged].
  destruct (walk_told v (b / 2) (mkTerms (total extent v) k false) P) as [(S & PF & R & T) W].
  rewrite trees_raw, R. split; [auto|split; [|split]].
  - intros i c N. rewrite nth_error_map in N. destruct (nth_error _ i) as [p|] eqn:M; [|discriminate].
    inversion N; subst. exists p. split; [auto|apply (T _ _ M)].
  - rewrite <- R. destruct W as [W|W]; [left; rewrite <- (weight_sound _ _ S); auto|right; apply (best_of_none _ _ S W)].
  - rewrite <- R. auto.
Qed.
Theorem settle_fits {order : Order} v b (k : Block -> Z -> Key order) : total tokens v <= b -> settle v b k = mkSettled v [] FITS.
Proof. intros H. unfold settle. words. apply Z.leb_le in H. rewrite H. reflexivity. Qed.
Theorem settle_replay {order : Order} v b (k : Block -> Z -> Key order) : Forall positive v ->
  Settled_view (settle v b k) = replay v (Settled_merged (settle v b k)).
Proof.
  intros P. destruct (Z.le_gt_cases (total tokens v) b) as [B|B].
  - rewrite settle_fits by auto. reflexivity.
  - apply (settle_told v b k P); lia.
Qed.
