(* The thirteen laws, of any close, write and settle: the core's, or a port's in another language. *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
Require Import Core Words.
Open Scope Z_scope.

Section Laws.
Context {order : Order}.
Notation Rank := (Block -> Z -> Key order).
Variables (close : View -> Z -> View) (write : View -> Block -> Z -> View) (settle : View -> Z -> Rank -> Settled).
Notation after v b k := (Settled_view (settle v b k)).

(* 1  A close adds exactly one unit. *)
Definition covers_close := forall v w, total extent (close v w) = total extent v + 1.
(* 2  settle adds or drops no unit. *)
Definition covers_settle := forall v b (k : Rank), total extent (after v b k) = total extent v.
(* 3  write adds or drops no unit. *)
Definition covers_write := forall v p w, total extent (write v p w) = total extent v.
(* 4  close keeps an aligned view aligned. *)
Definition aligned_close := forall v w, regular v -> regular (close v w).
(* 5  settle keeps an aligned view aligned. *)
Definition aligned_settle := forall v b (k : Rank), regular v -> regular (after v b k).
(* 6  write keeps an aligned view aligned. *)
Definition aligned_write := forall v p w, regular v -> regular (write v p w).
(* 7  Every merged block was a Split of the view before, with its line written. *)
Definition written := forall v b (k : Rank) p,
  In p (Settled_merged (settle v b k)) -> exists w, In (p, Some w) (on_view splits v).
(* 8  After settle the view is within the budget or nothing is ready; STUCK and FITS mean what they say. *)
Definition budget := forall v b (k : Rank), 0 <= b -> Forall positive v ->
  (total tokens (after v b k) <= b \/ nothing_ready (after v b k)) /\
  (Settled_outcome (settle v b k) = STUCK <->
     b < total tokens v /\ b / 2 < total tokens (after v b k) /\ nothing_ready (after v b k)) /\
  (Settled_outcome (settle v b k) = FITS -> total tokens v <= b).
(* 9  A view within the budget is returned unchanged. *)
Definition fit_stable := forall v b (k : Rank), total tokens v <= b -> settle v b k = mkSettled v [] FITS.
(* 10  settle never adds a line. *)
Definition coarsen_settle := forall v b (k : Rank), total tall (after v b k) <= total tall v.
(* 11  A close adds exactly one line. *)
Definition coarsen_close := forall v w, total tall (close v w) = total tall v + 1.
(* 12  write adds no line and removes none. *)
Definition coarsen_write := forall v p w, total tall (write v p w) = total tall v.

(* 13  As long as the titles fit in the budget, settle merges nothing and shows the blocks it was given. *)
Fixpoint silent (v : View) (titles : list Z) (b : Z) (k : Rank) : Prop :=
  match titles with
  | [] => True
  | w :: later =>
      let result := settle (close v w) b k in
      Settled_merged result = [] /\
      map fst (on_view shown (Settled_view result)) = map fst (on_view shown (close v w)) /\
      silent (Settled_view result) later b k
  end.
Definition quiet := forall titles v b (k : Rank), Forall (fun w => 0 <= w) titles ->
  total tokens v + fold_right Z.add 0 titles <= b -> silent v titles b k.
End Laws.
