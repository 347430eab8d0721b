(* Pin: write gives an unwritten Split of the view its line, and changes nothing else. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib LibWrite Pins.
Open Scope Z_scope.

Lemma marked_outside b w t : positive t -> forall s,
  ~ (s <= Block_start b /\ Block_start b + Block_size b <= s + extent t) -> marked b w s t = t.
Proof.
  induction t as [a|z a|l IHl r IHr line]; intros P s O; simpl in *; auto. destruct P as [Pl Pr].
  pose proof (extent_pos _ Pl); pose proof (extent_pos _ Pr).
  rewrite IHl, IHr by (auto; lia). f_equal. destruct line; auto.
  destruct (_ && _)%bool eqn:E; bools; auto. lia.
Qed.
Lemma tree_write_marks b w t : positive t -> forall s,
  match tree_write t s b w with
  | (_, None) => marked b w s t = t
  | (_, Some u) => marked b w s t = u /\ s <= Block_start b /\ Block_start b + Block_size b <= s + extent t /\ 1 <= Block_size b
  end.
Proof.
  induction t as [a|z a|l IHl r IHr line]; intros P s; simpl; auto. destruct P as [Pl Pr].
  pose proof (extent_pos _ Pl); pose proof (extent_pos _ Pr). specialize (IHl Pl s).
  destruct (tree_write l s b w) as [m [o|]] eqn:L.
  - destruct IHl as (-> & A & B & C). rewrite (marked_outside b w r) by (auto; lia). repeat split; try lia.
    f_equal. destruct line; auto. destruct (_ && _)%bool eqn:E; bools; auto. lia.
  - apply write_stop in L. subst m. specialize (IHr Pr (s + extent l)).
    destruct (tree_write r (s + extent l) b w) as [e [n|]] eqn:R.
    + destruct IHr as (-> & A & B & C). rewrite IHl. repeat split; try lia.
      f_equal. destruct line; auto. destruct (_ && _)%bool eqn:E; bools; auto. lia.
    + apply write_stop in R. subst e. rewrite IHl, IHr. replace (s + extent l + extent r - s) with (extent l + extent r) by lia.
      destruct line as [old|]; simpl; auto. unfold Block_eqb. destruct b as [x y]; simpl.
      destruct (s =? x) eqn:E1; rewrite Z.eqb_sym in E1; rewrite E1; simpl; auto.
      destruct (extent l + extent r =? y) eqn:E2; rewrite Z.eqb_sym in E2; rewrite E2; bools; auto.
      repeat split; lia.
Qed.
Lemma each_outside b w v : Forall positive v -> total extent v < Block_start b + Block_size b -> each (marked b w) v = v.
Proof.
  induction 1 as [|t v P F IH]; simpl; auto. intros O. pose proof (extent_pos _ P).
  rewrite IH by lia. f_equal. apply marked_outside; auto. lia.
Qed.
Theorem write_sets : Pins.write_sets write.
Proof.
  intros v b w P. unfold write; cbv zeta. match goal with |- context [fold_right ?f ?i v] =>
    assert (let '(s, found, after) := fold_right f i v in after = each (marked b w) v /\
      if found then 0 <= Block_start b /\ Block_start b + Block_size b <= total extent v /\ 1 <= Block_size b
      else s = total extent v) as H end.
  { induction P as [|t v P F IH]; [split; reflexivity|]. cbn [fold_right].
    match goal with |- context [fold_right ?f ?i v] => destruct (fold_right f i v) as [[s found] after] end.
    destruct IH as [-> I]. destruct found; simpl.
    - split; [|pose proof (extent_pos _ P); lia]. f_equal. symmetry. apply marked_outside; auto. lia.
    - subst s. pose proof (tree_write_marks b w t P (total extent v)) as W. pose proof (total_extent_pos _ F).
      destruct (tree_write t (total extent v) b w) as [x [u|]] eqn:E; simpl.
      + destruct W as (<- & A & B & C). split; auto; lia.
      + apply write_stop in E. rewrite W. split; auto; lia. }
  match goal with |- context [fold_right ?f ?i v] => destruct (fold_right f i v) as [[s found] after] end. apply H.
Qed.
