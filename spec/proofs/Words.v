(* The vocabulary of the laws: their own way to count units, lines and weight, to find splits and pairs.
   Of Core only the data types are used, never a function. *)
From Coq Require Import ZArith List Bool Sorted.
Import ListNotations.
Require Import Core.
Open Scope Z_scope.

Notation View := (list Tree).

(* the units of a tree *)
Fixpoint extent (t : Tree) : Z :=
  match t with Leaf _ => 1 | Merged size _ => size | Split l r _ => extent l + extent r end.

(* the lines a tree shows *)
Fixpoint tall (t : Tree) : Z :=
  match t with Leaf _ => 1 | Merged _ _ => 1 | Split l r _ => tall l + tall r end.

(* what these lines weigh *)
Fixpoint tokens (t : Tree) : Z :=
  match t with Leaf w => w | Merged _ w => w | Split l r _ => tokens l + tokens r end.

(* the same, summed over a view *)
Fixpoint total (f : Tree -> Z) (v : View) : Z :=
  match v with [] => 0 | t :: older => f t + total f older end.

(* a tree shown as one line *)
Definition one (t : Tree) : bool := match t with Split _ _ _ => false | _ => true end.

(* every Merged covers at least one unit *)
Fixpoint positive (t : Tree) : Prop :=
  match t with Leaf _ => True | Merged size _ => 1 <= size | Split l r _ => positive l /\ positive r end.

(* complete: halves equal in size down to the leaves, a Merged a power of two, at least 2 *)
Fixpoint whole (t : Tree) : Prop :=
  match t with
  | Leaf _ => True
  | Merged size _ => exists k, 1 <= k /\ size = 2 ^ k
  | Split l r _ => extent l = extent r /\ whole l /\ whole r
  end.

(* aligned: every tree complete, the sizes strictly increasing from the head *)
Definition regular (v : View) : Prop := Forall whole v /\ Sorted Z.lt (map extent v).

(* the Splits of a tree that starts at unit s: their blocks and lines *)
Fixpoint splits (s : Z) (t : Tree) : list (Block * option Z) :=
  match t with
  | Split l r line => (mkBlock s (extent t), line) :: splits s l ++ splits (s + extent l) r
  | _ => []
  end.

(* the Splits whose halves are both shown as one line *)
Fixpoint twos (s : Z) (t : Tree) : list (Block * option Z) :=
  match t with
  | Split l r line =>
      (if one l && one r then [(mkBlock s (extent t), line)] else []) ++ twos s l ++ twos (s + extent l) r
  | _ => []
  end.

(* the shown blocks with what their lines weigh *)
Fixpoint shown (s : Z) (t : Tree) : list (Block * Z) :=
  match t with
  | Split l r _ => shown s l ++ shown (s + extent l) r
  | _ => [(mkBlock s (extent t), tokens t)]
  end.

(* such a list for a view, oldest first: a tree starts where the older ones end *)
Fixpoint on_view {A} (f : Z -> Tree -> list A) (v : View) : list A :=
  match v with [] => [] | t :: older => on_view f older ++ f (total extent older) t end.

(* no pair has its line *)
Definition nothing_ready (v : View) : Prop := forall b w, ~ In (b, Some w) (on_view twos v).
