(* Claim T7: smallest first, wanted lines written, sizes never increase from oldest to newest, and below half of the last
   merged size they are the one-bits of n. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Pins Lib LibClose LibNodes LibWalk LibAsk LibAsked LibBits LibSizes T6.
Require Import P_shape P_write_sets P_aligned_close P_aligned_write P_aligned_settle P_ranked P_pair Unique.
Open Scope Z_scope.

Lemma filled_sizes t : sizes (filled t) = sizes t.
Proof. induction t; simpl; congruence. Qed.
Lemma filled_view_sizes v : view_sizes (map filled v) = view_sizes v.
Proof. induction v; simpl; auto. rewrite IHv, filled_sizes; auto. Qed.
Lemma marked_sizes b w t : forall s, sizes (marked b w s t) = sizes t.
Proof. induction t; intros s; simpl; auto. rewrite IHt1, IHt2; auto. Qed.
Lemma each_marked_sizes b w v : view_sizes (each (marked b w) v) = view_sizes v.
Proof. induction v; simpl; auto. rewrite IHv, marked_sizes; auto. Qed.
Lemma push_sizes v : forall t, view_sizes (push t v) = view_sizes v ++ sizes t.
Proof. induction v as [|n v IH]; intros t; cbn [push]; auto. destruct (_ =? _); auto. rewrite IH. simpl. rewrite app_assoc; auto. Qed.
Lemma filled_whole t : whole t -> whole (filled t).
Proof. induction t; simpl; auto. rewrite !filled_extent. tauto. Qed.
Lemma filled_regular v : regular v -> regular (map filled v).
Proof.
  intros [W S]. split; [apply Forall_map; eapply Forall_impl; [|exact W]; apply filled_whole|].
  rewrite map_map, (map_ext _ extent) by apply filled_extent. auto.
Qed.
Lemma each_regular b v : regular v -> regular (each (replace b) v).
Proof.
  intros [W S]. split; [apply each_forall; auto; intros; apply replace_whole; auto|].
  assert (map extent (each (replace b) v) = map extent v) as ->; auto. clear. induction v; simpl; auto. rewrite replace_extent, IHv; auto.
Qed.

Section Settle.
Context {order : Order}.
Variable k : Block -> Z -> Key order.
(* the rank: the smallest block first, the oldest among equals *)
Definition small_first : Prop := forall c d n, less order (k c n) (k d n) = true <->
  Block_size c < Block_size d \/ (Block_size c = Block_size d /\ Block_start c < Block_start d).
Hypotheses (O : @ordered order) (SF : small_first).
Variables (v : View) (b : Z).
Hypotheses (R : regular v) (F : falling (view_sizes v)) (A : wanted v b k = []) (B : b < total tokens v).
Notation mf := (Settled_merged (settle (map filled v) b k)).
Notation moment i := (replay (map filled v) (firstn i mf)).
(* at every moment the merged block is the least of all pairs, written or not *)
Lemma merged_least i p : nth_error mf i = Some p ->
  exists x, In (p, x) (on_view twos (moment i)) /\ least p (on_view twos (moment i)).
Proof.
  intros N. pose proof (filled_positive _ (regular_positive _ R)) as PF.
  destruct (P_pair.pair order _ b k PF i p N) as [x X]. exists (Some x). split; auto. intros c line I.
  assert (exists w, line = Some w) as [w ->].
  { rewrite <- filled_replay, filled_view_twos in I. apply in_map_iff in I as (y & E & _). inversion E. eauto. }
  destruct (P_ranked.ranked order O _ b k PF i p N c w I) as [H _].
  destruct (Z.lt_trichotomy (Block_size p) (Block_size c)) as [L|[L|L]]; auto.
  - right. split; auto. destruct (Z.le_gt_cases (Block_start p) (Block_start c)); auto. exfalso.
    rewrite (proj2 (SF c p _)) in H by (right; lia). discriminate.
  - exfalso. rewrite (proj2 (SF c p _)) in H by auto. discriminate.
Qed.
Lemma moment_next i p : nth_error mf i = Some p -> moment (S i) = each (replace p) (moment i).
Proof.
  intros N. unfold replay.
  assert (forall (l : list Block) i, nth_error l i = Some p -> firstn (S i) l = firstn i l ++ [p]) as G.
  { clear. induction l as [|x l IH]; intros [|i] N; simpl in *; try discriminate; [inversion N; auto|]. f_equal. apply IH; auto. }
  rewrite (G _ _ N), fold_left_app. reflexivity.
Qed.
Lemma moment_falling i : (i <= length mf)%nat -> regular (moment i) /\ falling (view_sizes (moment i)).
Proof.
  induction i as [|i IH]; intros L.
  - simpl. rewrite filled_view_sizes. auto using filled_regular.
  - destruct (nth_error mf i) as [p|] eqn:N; [|apply nth_error_None in N; lia]. rewrite (moment_next _ _ N).
    destruct (IH ltac:(lia)) as [R2 F2]. destruct (merged_least _ _ N) as (x & I & M).
    split; [apply each_regular; auto|]. eapply view_replace_falling; eauto.
Qed.
Lemma settled_moment : map filled (Settled_view (settle v b k)) = moment (length mf).
Proof.
  pose proof (regular_positive _ R) as P. rewrite settle_replay, filled_replay, firstn_all by auto.
  rewrite (asked_same v b k O P B A). reflexivity.
Qed.
Lemma settle_falling : falling (view_sizes (Settled_view (settle v b k))).
Proof. rewrite <- filled_view_sizes, settled_moment. apply moment_falling. lia. Qed.
End Settle.

(* A session: closes, writes of any lines, settles when nothing more is wanted. *)
Inductive session {order : Order} (k : Block -> Z -> Key order) : View -> Prop :=
| session_starts : session k []
| session_closes v w : session k v -> session k (close v w)
| session_writes v c w : session k v -> session k (write v c w)
| session_settles v b : session k v -> wanted v b k = [] -> session k (Settled_view (settle v b k)).
(* With the rank smallest first, the shown sizes never increase from oldest to newest. *)
Theorem sizes_never_increase : forall order (k : Block -> Z -> Key order) v, @ordered order -> small_first k -> session k v ->
  regular v /\ falling (map Block_size (map fst (on_view shown v))).
Proof.
  intros order k v O SF H. rewrite view_sizes_shown. induction H as [|v w H [R F]|v c w H [R F]|v b H [R F] A].
  - split; [split; constructor|constructor].
  - split; [apply P_aligned_close.aligned_close; auto|]. rewrite close_pushes, push_sizes. simpl. apply falling_app.
    repeat split; auto; [repeat constructor|]. intros x y X [<-|[]]. apply regular_positive in R. clear - X R.
    induction R as [|t v P R IH]; simpl in X; [tauto|]. apply in_app_iff in X as [X|X]; auto. apply (sizes_bounds _ P _ X).
  - split; [apply P_aligned_write.aligned_write; auto|].
    rewrite P_write_sets.write_sets, each_marked_sizes by auto using regular_positive. auto.
  - split; [apply P_aligned_settle.aligned_settle; auto|]. destruct (Z.le_gt_cases (total tokens v) b) as [B|B].
    + rewrite settle_fits by auto. auto.
    + apply settle_falling; auto; lia.
Qed.
