(* The two named ranks, concretely: keys are fractions with a start behind them. Used by examples and refutations only. *)
From Coq Require Import ZArith Bool.
Require Import Core.
Open Scope Z_scope.
Open Scope bool_scope.

(* numerator, denominator (positive), start *)
Definition Fraction : Type := Z * Z * Z.
Definition fraction_less (a b : Fraction) : bool :=
  let '(n, d, s) := a in
  let '(m, e, t) := b in
  (n * e <? m * d) || ((n * e =? m * d) && (s <? t)).
Definition by_size (b : Block) (n : Z) : Fraction := (Block_size b, 1, Block_start b).
(* exactly (start - n) / size; 0 for an empty block *)
Definition by_age (b : Block) (n : Z) : Fraction :=
  let age := Block_start b - n in
  if Block_size b =? 0 then (0, 1, Block_start b)
  else if Block_size b <? 0 then (- age, - Block_size b, Block_start b)
  else (age, Block_size b, Block_start b).
Definition named : Order :=
  {| Key := Fraction; less := fraction_less; smallest_first := by_size; age_over_size := by_age |}.
