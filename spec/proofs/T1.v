(* Claim T1: two blocks of the ruler are disjoint or nested. *)
From Coq Require Import ZArith Lia.
Require Import Core Words Adequacy.
Open Scope Z_scope.

Definition within (a b : Block) : Prop := Block_start b <= Block_start a /\ Block_start a + Block_size a <= Block_start b + Block_size b.
Definition apart (a b : Block) : Prop :=
  Block_start a + Block_size a <= Block_start b \/ Block_start b + Block_size b <= Block_start a.
Lemma nested a b j k q r : 0 <= j <= k -> Block_size a = 2 ^ j -> Block_size b = 2 ^ k ->
  Block_start a = q * 2 ^ j -> Block_start b = r * 2 ^ k -> within a b \/ apart a b.
Proof.
  intros J A B SA SB. unfold within, apart. rewrite A, B, SA, SB.
  assert (2 ^ k = 2 ^ (k - j) * 2 ^ j) as E by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  assert (0 < 2 ^ j) by (apply Z.pow_pos_nonneg; lia). rewrite E.
  assert (q < r * 2 ^ (k - j) \/ r * 2 ^ (k - j) <= q < (r + 1) * 2 ^ (k - j) \/ (r + 1) * 2 ^ (k - j) <= q) as [C|[C|C]] by lia;
  [right; left|left|right; right]; nia.
Qed.
(* Two aligned blocks are disjoint, or one holds the other. *)
Theorem aligned_blocks_nest : forall a b, on_ruler a -> on_ruler b -> within a b \/ within b a \/ apart a b.
Proof.
  intros a b (j & J & A & q & SA) (k & K & B & r & SB). destruct (Z.le_ge_cases j k) as [L|L].
  - destruct (nested a b j k q r); auto; lia.
  - destruct (nested b a k j r q) as [H|[H|H]]; unfold within, apart in *; auto; lia.
Qed.
