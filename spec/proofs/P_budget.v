(* Law 8: after settle the view is within the budget or nothing is ready, and the outcome says which. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Lib LibNodes.
Open Scope Z_scope.

(* nothing ready is a matter of each tree alone *)
Definition idle (t : Tree) : Prop := forall s b w, ~ In (b, Some w) (twos s t).
Lemma twos_shift t : forall s s2 b w, In (b, Some w) (twos s t) -> exists b2, In (b2, Some w) (twos s2 t).
Proof.
  induction t; simpl; try tauto. intros s s2 b w. rewrite !in_app_iff. intros [H|[H|H]].
  - destruct (one t1 && one t2); simpl in H; [destruct H as [H|[]]; inversion H; subst|tauto].
    eexists. rewrite !in_app_iff. left; simpl; eauto.
  - destruct (IHt1 _ s2 _ _ H) as [b2 B]. eexists. rewrite !in_app_iff. right; left; eauto.
  - destruct (IHt2 _ (s2 + extent t1) _ _ H) as [b2 B]. eexists. rewrite !in_app_iff. right; right; eauto.
Qed.
Lemma nothing_ready_idle v : nothing_ready v <-> Forall idle v.
Proof.
  unfold nothing_ready. induction v as [|t v IH]; simpl; [split; auto|]. split.
  - intros H. constructor.
    + intros s b w X. destruct (twos_shift _ _ (total extent v) _ _ X) as [b2 B]. apply (H b2 w), in_or_app; auto.
    + apply IH. intros b w X. apply (H b w), in_or_app; auto.
  - intros H b w X. inversion H as [|x l H1 H2]; subst. apply in_app_iff in X as [X|X]; [apply (proj2 IH H2 b w X)|apply (H1 _ _ _ X)].
Qed.

Section Budget.
Context {order : Order}.
Notation Node := (@Node order).
Notation Progress := (@Progress order).
(* a step rests, at the low water or with nothing to pick, or it takes a line away *)
Lemma step_rests (d : Progress) low terms : sounds terms (Progress_forest d) -> Forall positive (map raw (Progress_forest d)) ->
  let e := step d low terms in
  sounds terms (Progress_forest e) /\ Forall positive (map raw (Progress_forest e)) /\
  (e = d /\ (weight_of (Progress_forest d) <= low \/ best_of (Progress_forest d) = None) \/
   total tall (map raw (Progress_forest e)) < total tall (map raw (Progress_forest d))).
Proof.
  intros S P. steps; bools; auto 10.
  all: try (match goal with B : best_of ?f = Some ?p |- context [merge_view ?f ?b ?t] =>
    destruct (merge_view_sound t b f S) as [R S2]; rewrite R; destruct (best_of_picked t f _ S B) as [I _] end;
    split; [auto|split; [apply vcut_positive; auto|right; eapply vcut_progress; eauto]]).
  all: destruct d as [[|n f] m]; simpl in *; auto 10.
  all: destruct S; inversion P; subst; split; [auto|split; [auto|right]];
    match goal with |- _ < tall ?t + _ => pose proof (tall_pos t) end; lia.
Qed.
Lemma walk_ends n : forall (d : Progress) low terms,
  sounds terms (Progress_forest d) -> Forall positive (map raw (Progress_forest d)) ->
  (Z.to_nat (total tall (map raw (Progress_forest d))) <= n)%nat ->
  let e := Nat.iter n (fun d => step d low terms) d in
  sounds terms (Progress_forest e) /\ (weight_of (Progress_forest e) <= low \/ best_of (Progress_forest e) = None).
Proof.
  induction n as [|n IH]; intros d low terms S P L; cbv zeta.
  - split; auto. right. simpl. destruct (Progress_forest d) as [|n f]; [reflexivity|].
    simpl in L. pose proof (tall_pos (raw n)); pose proof (total_tall_pos (map raw f)). lia.
  - destruct (step_rests d low terms S P) as (S2 & P2 & [[E H]|H]).
    + rewrite iter_fix by exact E. auto.
    + rewrite iter_r. apply IH; auto. pose proof (total_tall_pos (map raw (Progress_forest (step d low terms)))). lia.
Qed.
End Budget.

Theorem budget : forall order, @Laws.budget order settle.
Proof.
  intros order.
  intros v b k B P. unfold settle; cbv zeta. words. destruct (total tokens v <=? b) eqn:F; bools.
  { cbn [Settled_view Settled_outcome]. split; [left; lia|split; [split; [discriminate|intros (X & _); lia]|intros; lia]]. }
  cbn [Settled_view Settled_outcome].
  match goal with |- context [walk v ?low ?t] =>
    assert (H : sounds t (Progress_forest (walk v low t)) /\
      (weight_of (Progress_forest (walk v low t)) <= low \/ best_of (Progress_forest (walk v low t)) = None));
    [|destruct (walk v low t) as [f m]; cbn [Progress_forest Progress_merged] in *; destruct H as [S H]] end.
  { match goal with |- context [walk v ?low ?t] => destruct (measure_view_sound t v) as [R S] end.
    unfold walk; cbv zeta. apply walk_ends; simpl; rewrite ?R; words; auto; lia. }
  assert (b / 2 <= b) as HB by (apply Z.div_le_upper_bound; lia).
  rewrite (weight_sound _ _ S) in *.
  assert (total tokens (map (fun n => tree_of n) f) = total tokens (map raw f)) as W.
  { match type of S with sounds ?t _ => assert (forall n s, sound t s n -> tokens (tree_of n) = tokens (raw n)) as T end.
    { induction n as [t w|l IHl r IHr line w]; intros s X; simpl in *.
      - destruct X as [_ ->]; cases; bools; auto; lia.
      - destruct X as (Xl & Xr & _). rewrite (IHl _ Xl), (IHr _ Xr); auto. }
    clear - S T. induction f as [|n f IH]; simpl in *; [auto|]. destruct S as [S1 S2]. rewrite (T _ _ S1), IH; auto. }
  assert (best_of f = None -> nothing_ready (map (fun n => tree_of n) f)) as N.
  { intros X. apply (best_of_none _ _ S) in X. apply nothing_ready_idle in X. apply nothing_ready_idle.
    match type of S with sounds ?t _ => assert (forall n s, sound t s n -> (one (tree_of n) = true -> one (raw n) = true) /\
      forall b s2 w, In (b, Some w) (twos s2 (tree_of n)) -> exists b2, In (b2, Some w) (twos s2 (raw n))) as T end.
    { induction n as [t q|l IHl r IHr line q]; intros s Y; simpl in *.
      - destruct Y as [O ->]; cases; bools; simpl; split; auto; try discriminate; intros ? ? ? Z;
          first [eexists; exact Z|simpl in Z; destruct Z as [Z|Z]; [discriminate|tauto]].
      - destruct Y as (Yl & Yr & _). destruct (IHl _ Yl) as [O1 I1], (IHr _ Yr) as [O2 I2]. split; [discriminate|].
        intros b2 s2 w. rewrite !in_app_iff. intros [Z|[Z|Z]].
        + destruct (one (tree_of l) && one (tree_of r)) eqn:O; simpl in Z; [|tauto]. destruct Z as [Z|[]].
          inversion Z; subst; apply andb_true_iff in O as [A1 A2]; rewrite O1, O2 by auto; simpl; eauto.
        + apply I1 in Z as [b3 Z]. exists b3. rewrite !in_app_iff; auto.
        + apply I2 in Z as [b3 Z]. destruct (twos_shift _ _ (s2 + extent (raw l)) _ _ Z) as [b4 Z4]. exists b4. rewrite !in_app_iff; auto. }
    clear - S T X. induction f as [|n f IH]; simpl in *; [constructor|].
    destruct S as [S1 S2]; inversion X; subst. constructor; [|apply IH; auto].
    intros s b w Y. destruct (T _ _ S1) as [_ T2]. apply T2 in Y as [b2 Y]. apply (H1 s b2 w Y). }
  assert (forall u, (u = rev (map (fun n => tree_of n) f) -> nothing_ready (map (fun n => tree_of n) f) <-> nothing_ready u)) as V.
  { intros u ->. rewrite !nothing_ready_idle. split; intros Y; [apply Forall_rev; auto|].
    rewrite <- rev_involutive. apply Forall_rev; auto. }
  rewrite ?map_rev, ?total_rev, ?W. rewrite <- ?(V _ eq_refl). clear V.
  destruct (best_of f) as [p|] eqn:O; cbn [is_none]; rewrite ?andb_false_r, ?andb_true_r.
  - destruct H as [H|H]; [|discriminate]. repeat split; intros; try discriminate; try lia; try (left; lia); exfalso; try lia.
    all: match goal with X : _ /\ _ /\ nothing_ready _ |- _ => destruct X as (_ & _ & X) end.
    (* needed only where the walk stops at another level than the outcome speaks of: then a pick is ready *)
    all: assert (forall terms (n : @Node order) s p, sound terms s n -> Terms_asking terms = false ->
      Measure_best (measure_of n) = Some p -> exists b w, In (b, Some w) (twos s (raw n))) as Back;
      [intros terms; induction n as [t m'|l IHl r IHr line m']; intros s' p' Hs Ha Hp; simpl in *;
       [destruct Hs as [_ ->]; discriminate|];
       destruct Hs as (Hl & Hr & E); inversion E; subst; clear E; unfold join in Hp; cbn -[better] in Hp;
       destruct (sound_measure _ _ _ Hl) as (_ & L1 & _), (sound_measure _ _ _ Hr) as (_ & L2 & _);
       destruct (better_one _ _ _ Hp) as [Q|Q];
       [match type of Q with (if ?c then _ else _) = _ => destruct c eqn:C; [|discriminate] end; bools;
        rewrite Ha in *; destruct line as [w|]; [|discriminate]; exists (mkBlock s' (extent (raw l) + extent (raw r))), w;
        rewrite !in_app_iff; left; rewrite !tall_one by lia; simpl; auto
       |apply better_one in Q as [Q|Q]; [destruct (IHl _ _ Hl Ha Q) as (c & w & I)|destruct (IHr _ _ Hr Ha Q) as (c & w & I)];
        exists c, w; rewrite !in_app_iff; auto]|].
    all: replace (map (fun n => tree_of n) f) with (map raw f) in * by (apply map_ext; induction a; simpl; congruence).
    all: match goal with X : nothing_ready _ |- _ => revert X O S; clear - Back end; unfold best_of; cbv zeta; revert p.
    all: induction f as [|n f IH]; [discriminate|]; cbn [fold_right]; intros p X O [S1 S2]; apply better_one in O as [O|O].
    all: unfold nothing_ready in X; simpl in X.
    all: try (apply (IH p); auto; intros c w Y; apply (X c w), in_or_app; auto).
    all: destruct (Back _ _ _ _ S1 eq_refl O) as (c & w & Y); apply (X c w), in_or_app; auto.
  - specialize (N eq_refl). destruct (b / 2 <? total tokens (map raw f)) eqn:L; bools;
      repeat split; intros; try discriminate; auto; try lia; exfalso; lia.
Qed.
