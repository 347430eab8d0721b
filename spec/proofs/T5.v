(* Claim T5: fewer than 2 n t / B closes merge. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib Pins LibNodes LibWalk LibBits LibAsked T4 T6.
Require Import P_shape P_write_sets P_aligned_close P_aligned_write P_aligned_settle P_covers_close P_covers_write P_covers_settle P_budget.
Open Scope Z_scope.

Definition bounded (t w : Z) : Prop := 0 <= w <= t.
(* Lines that weigh at most t come into being. *)
Inductive writes (t : Z) (v : View) : View -> Prop :=
| writes_none : writes t v v
| writes_one u c x : writes t v u -> bounded t x -> writes t v (write u c x).
(* A session: close a unit, write lines until nothing more is wanted, settle. How many closes, how many of them merged. *)
Inductive session {order : Order} (t b : Z) (k : Block -> Z -> Key order) : View -> Z -> Z -> Prop :=
| session_starts : session t b k [] 0 0
| session_closes v n m w u : session t b k v n m -> bounded t w -> writes t (close v w) u -> wanted u b k = [] ->
    session t b k (Settled_view (settle u b k)) (n + 1) (if is_nil (Settled_merged (settle u b k)) then m else m + 1).

Lemma push_lines (P : Z -> Prop) v : forall t, every_line P t -> Forall (every_line P) v -> Forall (every_line P) (push t v).
Proof.
  induction v as [|n v IH]; intros t T F; cbn [push]; auto. inversion F; subst.
  destruct (_ =? _); auto. apply IH; simpl; auto.
Qed.
Lemma push_tokens v : forall t, total tokens (push t v) = tokens t + total tokens v.
Proof. induction v as [|n v IH]; intros t; cbn [push]; auto. destruct (_ =? _); auto. rewrite IH. simpl. lia. Qed.
Lemma marked_lines (P : Z -> Prop) b w t : P w -> forall s, every_line P t -> every_line P (marked b w s t).
Proof.
  intros W. induction t; intros s L; simpl in *; auto. destruct L as (L0 & L1 & L2). repeat split; auto.
  destruct line'; auto. destruct (_ && _)%bool; auto.
Qed.
Lemma marked_tokens b w t : forall s, tokens (marked b w s t) = tokens t.
Proof. induction t; intros s; simpl; auto. rewrite IHt1, IHt2; auto. Qed.
Lemma each_tokens b w v : total tokens (each (marked b w) v) = total tokens v.
Proof. induction v; simpl; auto. rewrite marked_tokens; lia. Qed.
Lemma replace_bounded t b x : 0 <= t -> forall s, every_line (bounded t) x -> every_line (bounded t) (replace b s x).
Proof.
  intros T. induction x; intros s L; simpl in *; auto. destruct L as (L0 & L1 & L2).
  destruct (_ && _)%bool; simpl; auto. destruct line'; auto. unfold bounded; lia.
Qed.
Lemma bounded_tokens t v : Forall (every_line (bounded t)) v -> 0 <= total tokens v.
Proof.
  assert (forall x, every_line (bounded t) x -> 0 <= tokens x) as X.
  { induction x; simpl; unfold bounded in *; try lia. intros (_ & A & B). specialize (IHx1 A); specialize (IHx2 B). lia. }
  induction 1 as [|x v L F IH]; simpl; [lia|]. specialize (X _ L). lia.
Qed.
Lemma every_line_impl (P Q : Z -> Prop) x : (forall w, P w -> Q w) -> every_line P x -> every_line Q x.
Proof. intros H. induction x; simpl; auto. intros (A & B & C). repeat split; auto. destruct line'; auto. Qed.

(* writing changes neither the units nor the weight, and keeps views aligned and lines bounded *)
Lemma writes_keep t v u : writes t v u -> regular v -> Forall (every_line (bounded t)) v ->
  regular u /\ Forall (every_line (bounded t)) u /\ total extent u = total extent v /\ total tokens u = total tokens v.
Proof.
  induction 1 as [|u c x H IH X]; intros R L; auto. destruct (IH R L) as (R2 & L2 & E & T).
  split; [apply P_aligned_write.aligned_write; auto|]. rewrite P_write_sets.write_sets by auto using regular_positive.
  split; [apply each_forall; auto; intros; apply marked_lines; auto|].
  rewrite each_extent, each_tokens. auto.
Qed.

(* above the floor, after settle the view is light: within half the budget if anything was merged *)
Lemma settled_light order t b (k : Block -> Z -> Key order) u n : @ordered order -> 0 <= t -> 0 < n -> regular u ->
  Forall (every_line (bounded t)) u -> total extent u = n -> 2 * (Z.log2 n + 1) * t <= b -> wanted u b k = [] ->
  b < total tokens u -> total tokens (Settled_view (settle u b k)) <= b / 2.
Proof.
  intros O T N R L E F A B. assert (0 <= b) as B0 by (pose proof (Z.log2_nonneg n); nia).
  pose proof (regular_positive _ R) as P.
  destruct (P_budget.budget order u b k B0 P) as (_ & [_ S] & _).
  destruct (settle_told u b k P B) as (V & _ & D & _).
  destruct (Z.le_gt_cases (total tokens (Settled_view (settle u b k))) (b / 2)) as [H|H]; auto.
  destruct D as [D|D]; [lia|]. assert (Settled_outcome (settle u b k) = STUCK) as X by (apply S; repeat split; auto; lia).
  apply (floor_fits _ n t); auto.
  - apply P_aligned_settle.aligned_settle; auto.
  - rewrite P_covers_settle.covers_settle; auto.
  - apply stuck_means_no_pair; auto.
  - rewrite V. assert (Forall (every_line (bounded t)) (replay u (Settled_merged (settle u b k)))) as G
      by (apply replay_forall; auto; intros; apply replace_bounded; auto).
    eapply Forall_impl; [|exact G]. intros x. apply every_line_impl. unfold bounded; lia.
Qed.
Lemma session_facts order t b (k : Block -> Z -> Key order) v n m : @ordered order -> 0 <= t -> session t b k v n m ->
  forall last, n <= last -> 2 * (Z.log2 last + 1) * t <= b ->
  regular v /\ Forall (every_line (bounded t)) v /\ total extent v = n /\ 0 <= n /\ 0 <= m /\
  2 * total tokens v + m * b <= 2 * n * t /\ (0 < m -> 2 * total tokens v + m * b < 2 * n * t).
Proof.
  intros O T. induction 1 as [|v n m w u H IH W U A]; intros last N F.
  - repeat split; simpl; try constructor; lia.
  - destruct (IH last ltac:(lia) F) as (R & L & E & N0 & M0 & I & J). clear IH.
    assert (regular (close v w)) as RC by (apply P_aligned_close.aligned_close; auto).
    assert (Forall (every_line (bounded t)) (close v w)) as LC by (rewrite close_pushes; apply push_lines; auto).
    assert (total tokens (close v w) = w + total tokens v) as TC by (rewrite close_pushes, push_tokens; auto).
    destruct (writes_keep _ _ _ U RC LC) as (RU & LU & EU & TU). rewrite P_covers_close.covers_close, E in EU. rewrite TC in TU.
    assert (2 * (Z.log2 (n + 1) + 1) * t <= b) as F2.
    { pose proof (Z.log2_le_mono (n + 1) last N). pose proof (Z.log2_nonneg (n + 1)). nia. }
    assert (0 <= b) as B0 by (pose proof (Z.log2_nonneg (n + 1)); nia).
    pose proof (regular_positive _ RU) as P. unfold bounded in W.
    split; [apply P_aligned_settle.aligned_settle; auto|].
    split; [rewrite settle_replay by auto; apply replay_forall; auto; intros; apply replace_bounded; auto|].
    rewrite P_covers_settle.covers_settle.
    destruct (Z.le_gt_cases (total tokens u) b) as [B|B].
    + rewrite settle_fits by auto. cbn [Settled_view Settled_merged is_nil]. repeat split; try lia; nia.
    + pose proof (settled_light order t b k u (n + 1) O T ltac:(lia) RU LU EU F2 A ltac:(lia)) as D.
      pose proof (settle_replay u b k P) as V. pose proof (bounded_tokens _ _ LU) as TN.
      assert (2 * (b / 2) <= b) by (apply Z.mul_div_le; lia).
      destruct (Settled_merged (settle u b k)) as [|c ms]; cbn [is_nil].
      * unfold replay in V; simpl in V. rewrite V in D. lia.
      * repeat split; try lia; nia.
Qed.
(* From the empty view, titles and lines of weight at most t, everything wanted written before each settle, the budget b
   at least 2 (floor(log2 n) + 1) t: if m of n closes merge, then m b < 2 n t, or none does. *)
Theorem few_closes_merge : forall order t b (k : Block -> Z -> Key order) v n m, @ordered order -> 0 <= t ->
  session t b k v n m -> 2 * (Z.log2 n + 1) * t <= b -> 0 < m -> m * b < 2 * n * t.
Proof.
  intros order t b k v n m O T H F M. destruct (session_facts order t b k v n m O T H n ltac:(lia) F) as (_ & L & _ & _ & _ & _ & J).
  specialize (J M). pose proof (bounded_tokens _ _ L). lia.
Qed.
