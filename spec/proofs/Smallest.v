(* The rank smallest first, as the core defines it, meets what the theorems ask of a rank: they are not empty. *)
From Coq Require Import ZArith Bool Lia.
Require Import Core Words Pins T7.
Open Scope Z_scope.
Open Scope bool_scope.

(* keys (size, start), compared as Python compares tuples *)
Definition pair_less (a b : Z * Z) : bool := (fst a <? fst b) || ((fst a =? fst b) && (snd a <? snd b)).
Definition size_then_start (b : Block) (n : Z) : Z * Z := (Block_size b, Block_start b).
Definition pairs_of_numbers : Order :=
  {| Key := Z * Z; less := pair_less; smallest_first := size_then_start; age_over_size := size_then_start |}.
Lemma pair_less_iff a b : pair_less a b = true <-> fst a < fst b \/ (fst a = fst b /\ snd a < snd b).
Proof. unfold pair_less. rewrite orb_true_iff, andb_true_iff, Z.eqb_eq, !Z.ltb_lt. tauto. Qed.
(* Tuples of numbers are ordered keys. *)
Theorem tuples_are_ordered : @ordered pairs_of_numbers.
Proof.
  split.
  - intros x y H. destruct (less pairs_of_numbers y x) eqn:E; auto. simpl in *. apply pair_less_iff in H, E. lia.
  - intros x y z. simpl. rewrite !pair_less_iff. lia.
Qed.
(* The key (size, start) ranks the smallest block first, the oldest among equals. *)
Theorem smallest_first_fits : @small_first pairs_of_numbers size_then_start.
Proof. intros c d n. simpl. rewrite pair_less_iff. simpl. reflexivity. Qed.
