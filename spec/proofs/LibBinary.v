(* A list of powers of two in which the small ones occur once each is the binary expansion of its sum, as far as they go. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Open Scope Z_scope.

Fixpoint sum (l : list Z) : Z := match l with [] => 0 | x :: r => x + sum r end.
Lemma sum_app a b : sum (a ++ b) = sum a + sum b.
Proof. induction a; simpl; lia. Qed.
Fixpoint powers (e : list nat) : list Z := match e with [] => [] | i :: r => 2 ^ Z.of_nat i :: powers r end.
Fixpoint halves (e : list nat) : list nat := match e with [] => [] | O :: r => halves r | S i :: r => i :: halves r end.
Notation times := (count_occ Nat.eq_dec).
Lemma halves_times e i : times (halves e) i = times e (S i).
Proof.
  induction e as [|[|x] e IH]; simpl; auto. rewrite IH. destruct (Nat.eq_dec x i); simpl; auto.
Qed.
Lemma halves_in e i : In i (halves e) <-> In (S i) e.
Proof. rewrite !(count_occ_In Nat.eq_dec), halves_times. reflexivity. Qed.
Lemma halves_sum e : sum (powers e) = 2 * sum (powers (halves e)) + Z.of_nat (times e O).
Proof.
  induction e as [|[|x] e IH]; [reflexivity| |].
  - cbn [powers halves sum]. rewrite IH, (count_occ_cons_eq Nat.eq_dec e (eq_refl O)), Nat2Z.inj_succ.
    change (2 ^ Z.of_nat 0) with 1. lia.
  - cbn [powers halves sum]. rewrite IH. change (times (S x :: e) 0%nat) with (times e 0%nat).
    rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. lia.
Qed.
Lemma bits_of_sum j : forall e, (forall i, (i <= j)%nat -> (times e i <= 1)%nat) ->
  (Z.testbit (sum (powers e)) (Z.of_nat j) = true <-> In j e).
Proof.
  induction j as [|j IH]; intros e H; rewrite halves_sum; pose proof (H O ltac:(lia)) as H0.
  - rewrite (count_occ_In Nat.eq_dec). destruct (times e 0%nat) as [|[|n]] eqn:E; [| |lia].
    + rewrite Z.add_0_r, Z.testbit_even_0. split; [discriminate|lia].
    + change (Z.of_nat 1) with 1. rewrite Z.testbit_odd_0. split; [lia|auto].
  - rewrite <- halves_in, Nat2Z.inj_succ.
    assert (forall i, (i <= j)%nat -> (times (halves e) i <= 1)%nat) as G by (intros; rewrite halves_times; apply H; lia).
    destruct (times e 0%nat) as [|[|n]] eqn:E; [| |lia].
    + rewrite Z.add_0_r, Z.testbit_even_succ by lia. apply IH; auto.
    + change (Z.of_nat 1) with 1. rewrite Z.testbit_odd_succ by lia. apply IH; auto.
Qed.
Lemma pow_inj i j : 2 ^ Z.of_nat i = 2 ^ Z.of_nat j -> i = j.
Proof. intros H. apply Z.pow_inj_r in H; lia. Qed.
Lemma powers_in e i : In (2 ^ Z.of_nat i) (powers e) <-> In i e.
Proof. induction e as [|x e IH]; simpl; [tauto|]. rewrite IH. split; intros [H|H]; auto; left; [apply pow_inj; auto|congruence]. Qed.
Lemma powers_times e i : count_occ Z.eq_dec (powers e) (2 ^ Z.of_nat i) = times e i.
Proof.
  induction e as [|x e IH]; simpl; auto. rewrite IH.
  destruct (Z.eq_dec (2 ^ Z.of_nat x) (2 ^ Z.of_nat i)) as [E|E], (Nat.eq_dec x i) as [F|F]; auto.
  - apply pow_inj in E. contradiction.
  - subst. contradiction.
Qed.
Lemma are_powers l : (forall x, In x l -> exists k, 0 <= k /\ x = 2 ^ k) -> exists e, l = powers e.
Proof.
  induction l as [|x l IH]; intros H; [exists []; auto|]. destruct IH as [e ->]; [intros; apply H; simpl; auto|].
  destruct (H x) as (k & K & ->); [simpl; auto|]. exists (Z.to_nat k :: e). simpl. rewrite Z2Nat.id; auto.
Qed.
(* in words of the list: below 2 ^ (j + 1) every power at most once, so 2 ^ j is there exactly when bit j is set *)
Theorem binary_expansion l j : (forall x, In x l -> exists k, 0 <= k /\ x = 2 ^ k) -> 0 <= j ->
  (forall i, 0 <= i <= j -> (count_occ Z.eq_dec l (2 ^ i)%Z <= 1)%nat) ->
  (Z.testbit (sum l) j = true <-> In (2 ^ j) l).
Proof.
  intros P J C. destruct (are_powers _ P) as [e ->]. rewrite <- (Z2Nat.id j J). rewrite powers_in. apply bits_of_sum.
  intros i I. rewrite <- powers_times. apply C. lia.
Qed.
