(* Pin: zoom lists exactly the units of a range that lies inside the view. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib Pins.
Open Scope Z_scope.

Lemma singles_seq n : forall s, map (fun u => mkBlock u 1) (map (fun k => s + Z.of_nat k) (seq 0 n)) = singles s n.
Proof.
  induction n as [|n IH]; intros s; simpl; auto. rewrite Z.add_0_r. f_equal.
  rewrite <- IH, <- seq_shift, !map_map. apply map_ext. intros a. f_equal. lia.
Qed.
Theorem reads : Pins.reads zoom.
Proof.
  intros v b. unfold zoom, Block_stop; cbv zeta. words. destruct (_ && _ && _)%bool; auto.
  unfold zrange. rewrite singles_seq. f_equal. f_equal. lia.
Qed.
