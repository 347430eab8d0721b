(* Claim T2: an aligned view has at least as many lines as n has one-bits, and settling to nothing reaches that. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib LibNodes Pins LibWalk LibBits P_aligned_settle P_covers_settle.
Open Scope Z_scope.

(* No aligned view of n units is shorter than the number of one-bits of n. *)
Theorem lines_at_least_one_bits : forall v, regular v -> popcount (total extent v) <= total tall v.
Proof. intros v [W _]. apply popcount_view; auto. Qed.
(* With every line written and of positive weight, settling with budget 0 leaves exactly that many lines. *)
Theorem coarsest_is_one_bits : forall order v (k : Block -> Z -> Key order), regular v -> Forall all_written v ->
  Forall (every_line (fun w => 0 < w)) v -> total tall (Settled_view (settle v 0 k)) = popcount (total extent v).
Proof.
  intros order v k R W L. pose proof (regular_positive _ R) as P.
  rewrite <- (P_covers_settle.covers_settle order v 0 k).
  destruct (Z.le_gt_cases (total tokens v) 0) as [B|B].
  - rewrite settle_fits by auto. simpl. destruct v as [|t v]; [reflexivity|]. exfalso.
    assert (0 < total tokens (t :: v)); [|lia]. clear - L. inversion L as [|x l T F]; subst. clear L. simpl.
    pose proof (tokens_positive _ T). induction F; simpl; [lia|]. pose proof (tokens_positive _ H0). lia.
  - pose proof (P_aligned_settle.aligned_settle order v 0 k R) as R2.
    destruct (settle_told v 0 k P ltac:(lia)) as (E & _ & D & _). revert R2 D. rewrite E. intros R2 D.
    assert (Forall (fun t => all_written t /\ every_line (fun w => 0 < w) t) v) as G by (apply Forall_and; auto).
    apply (replay_forall _ (Settled_merged (settle v 0 k)) (fun b s t => replace_lines (fun w => 0 < w) b t s)) in G.
    apply Forall_and_inv in G as [GW GL]. revert R2 D GW GL. generalize (replay v (Settled_merged (settle v 0 k))).
    intros u R2 D GW GL. rewrite popcount_trees by auto. destruct D as [D|D].
    + change (0 / 2) with 0 in D. clear - D GL. destruct u as [|t u]; [reflexivity|]. exfalso.
      assert (0 < total tokens (t :: u)); [|lia]. inversion GL as [|x l T F]; subst. clear GL D. simpl.
      pose proof (tokens_positive _ T). induction F; simpl; [lia|]. pose proof (tokens_positive _ H0). lia.
    + apply no_pair_tall, written_no_pair; auto.
Qed.
