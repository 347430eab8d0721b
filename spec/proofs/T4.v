(* Claim T4: above the floor settle is never stuck. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib LibNodes Pins LibWalk LibBits P_aligned_settle P_covers_settle P_budget.
Open Scope Z_scope.

(* n trees of one line each are light enough for half of such a budget *)
Lemma floor_fits u n t b : regular u -> total extent u = n -> no_pair u -> Forall (every_line (fun w => w <= t)) u ->
  0 <= b -> 0 < n -> 2 * (Z.log2 n + 1) * t <= b -> total tokens u <= b / 2.
Proof.
  intros R E N L B Z F. pose proof (total_at_most _ _ L) as W. pose proof (total_tall_pos u) as T.
  rewrite (no_pair_tall _ N), <- (popcount_trees _ R), E in *. pose proof (popcount_log n Z).
  assert (0 <= b / 2) by (apply Z.div_pos; lia). destruct (Z.lt_ge_cases t 0); [nia|].
  apply Z.div_le_lower_bound; nia.
Qed.
(* On an aligned view with every line written and of weight at most t, and a budget of at least
   2 (floor(log2 n) + 1) t, settle does not end STUCK. *)
Theorem never_stuck_above_floor : forall order v b t (k : Block -> Z -> Key order), regular v -> Forall all_written v ->
  Forall (every_line (fun w => w <= t)) v -> 0 <= b -> 2 * (Z.log2 (total extent v) + 1) * t <= b ->
  Settled_outcome (settle v b k) <> STUCK.
Proof.
  intros order v b t k R W L B F S. pose proof (regular_positive _ R) as P.
  destruct (P_budget.budget order v b k B P) as (_ & [H _] & _). destruct (H S) as (H1 & H2 & H3). clear H S.
  pose proof (P_aligned_settle.aligned_settle order v b k R) as R2. pose proof (P_covers_settle.covers_settle order v b k) as C.
  rewrite settle_replay in * by auto.
  assert (Forall (fun x => all_written x /\ every_line (fun w => w <= t) x) v) as G by (apply Forall_and; auto).
  apply (replay_forall _ (Settled_merged (settle v b k)) (fun b s x => replace_lines (fun w => w <= t) b x s)) in G.
  apply Forall_and_inv in G as [GW GL].
  pose proof (floor_fits _ _ t b R2 C (written_no_pair _ GW H3) GL B) as X. enough (0 < total extent v) by lia.
  destruct v as [|x v]; simpl in *; [lia|]. inversion P; subst. pose proof (extent_pos _ H4). pose proof (total_extent_pos _ H5). lia.
Qed.
