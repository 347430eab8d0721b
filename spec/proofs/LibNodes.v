(* The measured mirror of a view in settle: what it stands for, and that its measures are right. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Lib.
Open Scope Z_scope.

(* replace the Split at block b of a tree that starts at s by one line; only the way to b is walked *)
Fixpoint cut (t : Tree) (s : Z) (b : Block) : Tree :=
  match t with
  | Split l r line =>
      if Block_eqb b (mkBlock s (extent t)) then Merged (extent t) (match line with Some w => w | None => 0 end)
      else if Block_start b <? s + extent l then Split (cut l s b) r line
      else Split l (cut r (s + extent l) b) line
  | _ => t
  end.
(* the same in a view: in every tree whose range holds b *)
Fixpoint vcut (v : View) (b : Block) : View :=
  match v with
  | [] => []
  | t :: older =>
      (if (total extent older <=? Block_start b) && (Block_start b + Block_size b <=? total extent older + extent t)
       then cut t (total extent older) b else t) :: vcut older b
  end.

Lemma cut_extent t b : forall s, extent (cut t s b) = extent t.
Proof.
  induction t; intros s; cbn -[extent Block_eqb]; auto. destruct (Block_eqb _ _); [reflexivity|].
  destruct (_ <? _); simpl; rewrite ?IHt1, ?IHt2; auto.
Qed.
Lemma vcut_map v b : map extent (vcut v b) = map extent v.
Proof. induction v; simpl; auto. rewrite IHv. f_equal. destruct (_ && _); auto using cut_extent. Qed.
Lemma total_map f v u : map f u = map f v -> total f u = total f v.
Proof.
  revert u; induction v as [|t v IH]; intros [|x u]; simpl; intros H; try discriminate; auto.
  inversion H. rewrite (IH u); auto.
Qed.
Lemma vcut_extent v b : total extent (vcut v b) = total extent v.
Proof. apply total_map, vcut_map. Qed.
Lemma cut_tall t b : forall s, tall (cut t s b) <= tall t.
Proof.
  induction t; intros s; cbn -[extent Block_eqb]; try lia. pose proof (tall_pos t1); pose proof (tall_pos t2).
  destruct (Block_eqb _ _); [simpl; lia|]. specialize (IHt1 s); specialize (IHt2 (s + extent t1)).
  destruct (_ <? _); simpl; lia.
Qed.
Lemma vcut_tall v b : total tall (vcut v b) <= total tall v.
Proof. induction v; simpl; [lia|]. pose proof (cut_tall a b (total extent v)). destruct (_ && _); lia. Qed.
Lemma cut_whole t b : forall s, whole t -> whole (cut t s b).
Proof.
  induction t; intros s W; cbn -[extent Block_eqb]; auto. destruct W as (E & L & R).
  destruct (Block_eqb _ _); [apply whole_double; auto|].
  destruct (_ <? _); simpl; rewrite cut_extent; auto.
Qed.
Lemma vcut_regular v b : regular v -> regular (vcut v b).
Proof.
  intros [W S]. split; [|rewrite vcut_map; auto]. clear S.
  induction v; simpl; auto. inversion W; subst. constructor; auto. destruct (_ && _); auto using cut_whole.
Qed.
Lemma cut_positive t b : forall s, positive t -> positive (cut t s b).
Proof.
  induction t; intros s P; cbn -[extent Block_eqb]; auto. destruct P as [L R].
  destruct (Block_eqb _ _); [simpl; pose proof (extent_pos _ L); pose proof (extent_pos _ R); lia|].
  destruct (_ <? _); simpl; auto.
Qed.
Lemma vcut_positive v b : Forall positive v -> Forall positive (vcut v b).
Proof. induction 1; simpl; constructor; auto. destruct (_ && _); auto using cut_positive. Qed.

(* a merge makes no Split *)
Lemma cut_splits t b x : forall s, In x (splits s (cut t s b)) -> In x (splits s t).
Proof.
  induction t; intros s; cbn -[extent Block_eqb]; auto. destruct (Block_eqb _ _); [simpl; tauto|].
  destruct (_ <? _); cbn -[extent]; rewrite !in_app_iff; cbn [extent]; rewrite cut_extent;
    (intros [H|[H|H]]; [left|right; left|right; right]); auto.
Qed.
Lemma vcut_splits v b x : In x (on_view splits (vcut v b)) -> In x (on_view splits v).
Proof.
  induction v; simpl; auto. rewrite !in_app_iff, vcut_extent. intros [H|H]; auto. right.
  destruct (_ && _) in H; eauto using cut_splits.
Qed.

(* where the Splits of a tree of positive sizes lie *)
Lemma splits_inside t : positive t -> forall s b line, In (b, line) (splits s t) ->
  s <= Block_start b /\ Block_start b + Block_size b <= s + extent t /\ 2 <= Block_size b.
Proof.
  induction t; simpl; try tauto. intros [P1 P2] s b w. pose proof (extent_pos _ P1); pose proof (extent_pos _ P2).
  rewrite in_app_iff. intros [H1|[H1|H1]].
  - inversion H1; subst; simpl; lia.
  - apply IHt1 in H1; auto; lia.
  - apply IHt2 in H1; auto; lia.
Qed.
Lemma cut_progress t : positive t -> forall s b line, In (b, line) (splits s t) -> tall (cut t s b) < tall t.
Proof.
  induction t; try (simpl; tauto). intros [P1 P2] s b w. cbn -[extent Block_eqb].
  pose proof (tall_pos t1); pose proof (tall_pos t2). destruct (Block_eqb _ _) eqn:E; [simpl; lia|].
  rewrite in_app_iff. intros [H1|[H1|H1]].
  - inversion H1; subst. rewrite block_eqb_refl in E; discriminate.
  - pose proof (splits_inside _ P1 _ _ _ H1). apply IHt1 in H1; auto.
    destruct (_ <? _) eqn:L; bools; [simpl; lia|lia].
  - pose proof (splits_inside _ P2 _ _ _ H1). apply IHt2 in H1; auto.
    destruct (_ <? _) eqn:L; bools; [lia|simpl; lia].
Qed.
Lemma splits_view v : Forall positive v -> forall b line, In (b, line) (on_view splits v) ->
  0 <= Block_start b /\ Block_start b + Block_size b <= total extent v /\ 2 <= Block_size b.
Proof.
  induction 1 as [|t v P F IH]; simpl; [tauto|]. intros b w. rewrite in_app_iff.
  pose proof (extent_pos _ P); pose proof (total_extent_pos _ F).
  intros [H1|H1]; [apply IH in H1|apply splits_inside in H1; auto]; lia.
Qed.
Lemma vcut_progress v : Forall positive v -> forall b line, In (b, line) (on_view splits v) ->
  total tall (vcut v b) < total tall v.
Proof.
  induction 1 as [|t v P F IH]; simpl; [tauto|]. intros b w. rewrite in_app_iff.
  pose proof (cut_tall t b (total extent v)). pose proof (vcut_tall v b). intros [H1|H1].
  - apply IH in H1. destruct (_ && _); lia.
  - pose proof (splits_inside _ P _ _ _ H1). apply cut_progress in H1; auto.
    destruct (_ && _) eqn:E; [lia|]. apply andb_false_iff in E as [E|E]; bools; lia.
Qed.

Section Nodes.
Context {order : Order}.
Implicit Types (n : @Node order) (f : list (@Node order)) (terms : @Terms order) (p : @Pick order).

(* the tree that a node was made from, with every line it has *)
Fixpoint raw n : Tree := match n with Shown t _ => t | Open l r line _ => Split (raw l) (raw r) line end.
(* the node is what measuring makes of it, at every level *)
Fixpoint sound terms (s : Z) n : Prop :=
  match n with
  | Shown t m => one t = true /\ m = mkMeasure (extent t) 1 (tokens t) None
  | Open l r line _ => sound terms s l /\ sound terms (s + extent (raw l)) r /\ n = join l r line s terms
  end.
Fixpoint sounds terms f : Prop :=
  match f with [] => True | n :: older => sound terms (total extent (map raw older)) n /\ sounds terms older end.

Lemma sound_measure terms n : forall s, sound terms s n ->
  Measure_size (measure_of n) = extent (raw n) /\ Measure_lines (measure_of n) = tall (raw n) /\
  Measure_weight (measure_of n) = tokens (raw n).
Proof.
  induction n as [t m|l IHl r IHr line m]; intros s H; simpl in H.
  - destruct H as [H ->]. destruct t; simpl in *; try discriminate; auto.
  - destruct H as (Hl & Hr & E). inversion E; subst. apply IHl in Hl; apply IHr in Hr.
    unfold join. simpl. intuition lia.
Qed.
Lemma sound_size terms n s : sound terms s n -> Measure_size (measure_of n) = extent (raw n).
Proof. intros H; apply (sound_measure terms n s H). Qed.
Lemma sound_join terms l r line s : sound terms s l -> sound terms (s + extent (raw l)) r ->
  sound terms s (join l r line s terms).
Proof. intros; unfold join; simpl; repeat split; auto. Qed.
Lemma raw_join terms l r line s : raw (join l r line s terms) = Split (raw l) (raw r) line.
Proof. reflexivity. Qed.

Lemma measure_tree_sound terms t : forall s, raw (measure_tree t s terms) = t /\ sound terms s (measure_tree t s terms).
Proof.
  induction t as [w|z w|l IHl r IHr line]; intros s; cbn [measure_tree]; try (simpl; auto; fail). cbv zeta.
  destruct (IHl s) as [R1 S1]. rewrite (sound_size _ _ _ S1), R1. destruct (IHr (s + extent l)) as [R2 S2].
  rewrite raw_join, R1, R2. split; auto. apply sound_join; rewrite ?R1; auto.
Qed.
Lemma measure_view_sound terms v : map raw (measure_view v terms) = v /\ sounds terms (measure_view v terms).
Proof.
  unfold measure_view; cbv zeta. match goal with |- context [fold_right ?g ?i v] =>
    assert (fst (fold_right g i v) = total extent v /\ map raw (snd (fold_right g i v)) = v /\
            sounds terms (snd (fold_right g i v))) as H end.
  { induction v as [|t v IH]; [repeat split|]. cbn [fold_right].
    match goal with |- context [fold_right ?g ?i v] => destruct (fold_right g i v) as [s f] end. simpl in IH.
    destruct IH as (-> & R & S). destruct (measure_tree_sound terms t (total extent v)) as [R1 S1].
    simpl. rewrite R1, R, (sound_size _ _ _ S1), R1. repeat split; auto; lia. }
  match goal with |- context [fold_right ?g ?i v] => destruct (fold_right g i v) as [s f] end. simpl in *. tauto.
Qed.

Lemma merge_sound terms b n : forall s, sound terms s n ->
  raw (merge n s b terms) = cut (raw n) s b /\ sound terms s (merge n s b terms).
Proof.
  induction n as [t m|l IHl r IHr line m]; intros s H.
  - split; auto. simpl in *. destruct H as [H _]; destruct t; simpl in *; auto; discriminate.
  - pose proof (sound_size _ _ _ H) as Z. cbn [measure_of] in Z. simpl in H. destruct H as (Hl & Hr & E).
    cbn -[extent Block_eqb join]. rewrite Z, (sound_size _ _ _ Hl). cbn [raw].
    destruct (Block_eqb _ _); [split; [|split]; auto|].
    destruct (IHl _ Hl) as [L1 L2]; destruct (IHr _ Hr) as [R1 R2].
    destruct (_ <? _); rewrite raw_join, ?L1, ?R1; split; auto; apply sound_join; rewrite ?L1, ?cut_extent; auto.
Qed.
Lemma merge_view_sound terms b f : sounds terms f ->
  map raw (merge_view f b terms) = vcut (map raw f) b /\ sounds terms (merge_view f b terms).
Proof.
  intros H. unfold merge_view; cbv zeta. match goal with |- context [fold_right ?g ?i f] =>
    assert (fst (fold_right g i f) = total extent (map raw f) /\ map raw (snd (fold_right g i f)) = vcut (map raw f) b /\
            sounds terms (snd (fold_right g i f))) as G end.
  { induction f as [|n f IH]; [repeat split|]. cbn [fold_right]. simpl in H; destruct H as [H1 H2].
    match goal with |- context [fold_right ?g ?i f] => destruct (fold_right g i f) as [s g'] end. simpl in IH.
    destruct (IH H2) as (-> & R & S). destruct (merge_sound terms b n _ H1) as [R1 S1].
    simpl. rewrite (sound_size _ _ _ H1), R. unfold Block_stop.
    destruct (_ && _); simpl; rewrite ?R1, ?R, ?vcut_extent; repeat split; auto; lia. }
  match goal with |- context [fold_right ?g ?i f] => destruct (fold_right g i f) as [s g'] end. simpl in *. tauto.
Qed.
Lemma sounds_tl terms f : sounds terms f -> sounds terms (tl f).
Proof. destruct f; simpl; tauto. Qed.
Lemma weight_sound terms f : sounds terms f -> weight_of f = total tokens (map raw f).
Proof.
  unfold weight_of. induction f as [|n f IH]; simpl; auto. intros [H1 H2].
  rewrite IH by auto. destruct (sound_measure _ _ _ H1) as (_ & _ & ->). reflexivity.
Qed.

(* the top-ranked pick is one of two; the older of both is examined first *)
Lemma better_one (a b : option Pick) p : better a b = Some p -> a = Some p \/ b = Some p.
Proof. unfold better. destruct a, b; auto. destruct (less _ _ _); auto. Qed.
Lemma better_none (a b : option (@Pick order)) : better a b = None -> a = None /\ b = None.
Proof. unfold better. destruct a, b; auto; try discriminate. destruct (less _ _ _); discriminate. Qed.

(* a pick is a Split of the tree, with its own line, which is written unless settle asks ahead *)
Definition picked terms p (xs : list (Block * option Z)) : Prop :=
  In (Pick_block p, Pick_line p) xs /\ (Terms_asking terms = true \/ exists w, Pick_line p = Some w).
Lemma best_picked terms n : forall s p, sound terms s n -> Measure_best (measure_of n) = Some p ->
  picked terms p (splits s (raw n)).
Proof.
  induction n as [t m|l IHl r IHr line m]; intros s p H B; simpl in *.
  - destruct H as [_ ->]; discriminate.
  - destruct H as (Hl & Hr & E). inversion E; subst. clear E. unfold join in B. cbn -[better] in B.
    rewrite (sound_size _ _ _ Hl), (sound_size _ _ _ Hr) in B.
    destruct (better_one _ _ _ B) as [O|O]; clear B.
    + match type of O with (if ?c then _ else _) = _ => destruct c eqn:C; [|discriminate] end.
      inversion O; subst. split; simpl; auto. bools. apply orb_true_iff in H0 as [T|T]; auto. destruct line; [eauto|discriminate].
    + unfold picked. simpl. rewrite in_app_iff.
      apply better_one in O as [O|O]; [destruct (IHl _ _ Hl O)|destruct (IHr _ _ Hr O)]; auto.
Qed.
Lemma best_of_picked terms f p : sounds terms f -> best_of f = Some p -> picked terms p (on_view splits (map raw f)).
Proof.
  unfold best_of; cbv zeta. revert p; induction f as [|n f IH]; cbn [fold_right]; [discriminate|].
  intros p [H1 H2] B. unfold picked. simpl. rewrite in_app_iff. apply better_one in B as [B|B].
  - apply IH in B; auto. destruct B; auto.
  - eapply best_picked in B; eauto. destruct B; auto.
Qed.
(* no pick, nothing ready *)
Lemma one_tall t : one t = true -> tall t = 1.
Proof. destruct t; simpl; auto; discriminate. Qed.
Lemma tall_one t : tall t = 1 -> one t = true.
Proof. destruct t; simpl; auto. pose proof (tall_pos t1); pose proof (tall_pos t2). lia. Qed.
Lemma best_none terms n : forall s, sound terms s n -> Measure_best (measure_of n) = None ->
  forall b w, ~ In (b, Some w) (twos s (raw n)).
Proof.
  induction n as [t m|l IHl r IHr line m]; intros s H B b w; simpl in *.
  - destruct H as [H _]; destruct t; simpl in *; auto; discriminate.
  - destruct H as (Hl & Hr & E). inversion E; subst. clear E. unfold join in B. cbn -[better] in B.
    destruct (better_none _ _ B) as [B1 B2]; apply better_none in B2 as [B2 B3]. clear B.
    rewrite !in_app_iff. intros [I|[I|I]]; [|eapply IHl; eauto|eapply IHr; eauto].
    destruct (one (raw l) && one (raw r)) eqn:O; [|destruct I]. apply andb_true_iff in O as [O1 O2].
    destruct I as [I|[]]. inversion I; subst.
    destruct (sound_measure _ _ _ Hl) as (_ & L1 & _), (sound_measure _ _ _ Hr) as (_ & L2 & _).
    rewrite L1, L2, !one_tall in B1 by auto. simpl in B1. rewrite orb_true_r in B1. discriminate.
Qed.
Lemma best_of_none terms f : sounds terms f -> best_of f = None -> nothing_ready (map raw f).
Proof.
  unfold best_of, nothing_ready; cbv zeta. induction f as [|n f IH]; cbn [fold_right]; [auto|].
  intros [H1 H2] B b w. apply better_none in B as [B1 B2]. simpl. rewrite in_app_iff.
  intros [I|I]; [eapply IH; eauto|eapply best_none; eauto].
Qed.

(* what holds at the start and survives a step holds after the walk *)
Lemma walk_inv (P : @Progress order -> Prop) v low terms :
  P (mkProgress (measure_view v terms) []) -> (forall d, P d -> P (step d low terms)) -> P (walk v low terms).
Proof. intros H S. unfold walk; cbv zeta. apply iter_inv; auto. Qed.
End Nodes.

(* the cases of a step *)
Ltac steps := unfold step; cbv zeta; choices; cbn [Progress_forest Progress_merged].
