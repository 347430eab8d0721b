(* Claim T3: however long the session, at most n - popcount(n) lines are ever written. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib Pins LibWalk LibBits T6 P_shape P_write_sets P_aligned_close P_aligned_write P_aligned_settle.
Open Scope Z_scope.

(* A session that starts empty: its view, and how many writes changed something. *)
Inductive session {order : Order} : View -> Z -> Prop :=
| session_starts : session [] 0
| session_closes v c w : session v c -> session (close v w) c
| session_writes v c b w : session v c -> write v b w <> v -> session (write v b w) (c + 1)
| session_writes_nothing v c b w : session v c -> write v b w = v -> session (write v b w) c
| session_settles v c b (k : Block -> Z -> Key order) : session v c -> session (Settled_view (settle v b k)) c.

(* lines written for blocks of this tree, at most: all inside a Merged, the written ones elsewhere *)
Fixpoint spent (t : Tree) : Z :=
  match t with
  | Leaf _ => 0
  | Merged size _ => size - 1
  | Split l r line => spent l + spent r + (match line with Some _ => 1 | None => 0 end)
  end.
Lemma spent_extent t : spent t <= extent t - 1.
Proof. induction t; simpl; try lia. destruct line'; lia. Qed.
Lemma replace_spent b t : forall s, spent t <= spent (replace b s t).
Proof.
  induction t; intros s; simpl; try lia. specialize (IHt1 s); specialize (IHt2 (s + extent t1)).
  pose proof (spent_extent t1); pose proof (spent_extent t2). destruct (_ && _)%bool; simpl; destruct line'; lia.
Qed.
Lemma replay_spent ms : forall v, total spent v <= total spent (replay v ms).
Proof.
  unfold replay. induction ms as [|b ms IH]; intros v; simpl; [lia|]. eapply Z.le_trans; [|apply IH]. clear IH.
  induction v as [|t v IH]; simpl; [lia|]. pose proof (replace_spent b t (total extent v)). lia.
Qed.
Lemma push_spent v : forall t, total spent (push t v) = total spent (t :: v).
Proof. induction v as [|n v IH]; intros t; cbn [push]; auto. destruct (_ =? _); auto. rewrite IH. simpl. lia. Qed.
Lemma marked_spent b w t : forall s, marked b w s t = t \/ spent t + 1 <= spent (marked b w s t).
Proof.
  induction t; intros s; simpl; auto. destruct (IHt1 s) as [E1|E1], (IHt2 (s + extent t1)) as [E2|E2];
  destruct line' as [o|]; try (destruct (_ && _)%bool); rewrite ?E1, ?E2; auto; right; lia.
Qed.
Lemma each_spent b w v : each (marked b w) v = v \/ total spent v + 1 <= total spent (each (marked b w) v).
Proof.
  induction v as [|t v IH]; simpl; auto. destruct (marked_spent b w t (total extent v)) as [E|E], IH as [F|F];
  rewrite ?E, ?F; auto; right; lia.
Qed.
(* At most n - popcount(n) writes of a session change anything, so at most that many lines are ever written. *)
Theorem lines_ever_written : forall order v c, @session order v c ->
  0 <= c <= total extent v - popcount (total extent v).
Proof.
  intros order v c H. assert (regular v /\ 0 <= c <= total spent v) as [R C].
  { induction H as [|v c w H [R C]|v c b w H [R C] N|v c b w H [R C] N|v c b k H [R C]].
    - split; [split; constructor|simpl; lia].
    - split; [apply P_aligned_close.aligned_close; auto|]. rewrite close_pushes, push_spent. simpl. lia.
    - split; [apply P_aligned_write.aligned_write; auto|].
      rewrite P_write_sets.write_sets in * by auto using regular_positive.
      destruct (each_spent b w v); [congruence|lia].
    - rewrite N. auto.
    - split; [apply P_aligned_settle.aligned_settle; auto|]. rewrite settle_replay by auto using regular_positive.
      pose proof (replay_spent (Settled_merged (settle v b k)) v). lia. }
  rewrite popcount_trees by auto. assert (total spent v <= total extent v - Z.of_nat (length v)); [|lia].
  clear. induction v as [|t v IH]; [simpl; lia|]. cbn [total length]. pose proof (spent_extent t). lia.
Qed.
