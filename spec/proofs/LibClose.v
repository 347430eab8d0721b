(* What the increment keeps: facts about the loop of close, one for each law, robust against changes of the rest. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Lib.
Open Scope Z_scope.

(* while a tree is carried, nothing is behind it *)
Definition fresh (d : Carry) : Prop := 0 < Carry_size d -> Carry_behind d = [].
Lemma fresh_carry d t : 0 < Carry_size d \/ Carry_size d = 0 -> fresh d -> fresh (carry d t).
Proof. intros S F. unfold fresh, carry in *. cases; simpl in *; auto; try lia. Qed.
Lemma size_carry d t : 0 < Carry_size d \/ Carry_size d = 0 -> 0 < Carry_size (carry d t) \/ Carry_size (carry d t) = 0.
Proof. intros S. unfold carry. cases; bools; simpl in *; auto; lia. Qed.
(* the sizes of an aligned view do not care which complete tree has them *)
Lemma regular_swap u t a b : regular (a ++ t :: b) -> whole u -> extent u = extent t -> regular (a ++ u :: b).
Proof.
  intros [W S] U E. split.
  - apply Forall_app in W as [A B]. apply Forall_app; split; auto. inversion B; auto.
  - rewrite map_app in *; simpl in *. rewrite E; auto.
Qed.
Lemma regular_tail t v : regular (t :: v) -> regular v.
Proof. intros [W S]; inversion W; inversion S; split; auto. Qed.
Lemma regular_above t v : regular (t :: v) -> Forall (fun u => extent t < extent u) v.
Proof.
  intros [_ S]. apply Sorted_StronglySorted in S; [|intros x y z; lia]. inversion S as [|x l A F]; subst.
  clear - F. induction v; simpl in *; constructor; inversion F; auto.
Qed.
Lemma regular_cons t v : whole t -> regular v -> Forall (fun u => extent t < extent u) v -> regular (t :: v).
Proof.
  intros W [A S] F. split; constructor; auto. fold (map extent v). destruct v; simpl; constructor. inversion F; auto.
Qed.
Lemma pow_next a b : whole a -> whole b -> extent a < extent b -> 2 * extent a <= extent b.
Proof.
  intros A B. destruct (whole_pow _ A) as (j & J & ->), (whole_pow _ B) as (k & K & ->). intros L.
  rewrite <- Z.pow_succ_r by auto. apply Z.pow_le_mono_r; [lia|].
  apply Z.pow_lt_mono_r_iff in L; lia.
Qed.
Ltac carrying := intros; unfold carry in *; cases; bools; simpl in *; words; auto; try lia.
