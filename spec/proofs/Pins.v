(* The nine pins, of any operations: what the thirteen laws leave open. Laws and pins determine the operations
   (Unique.v). *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
Require Import Core Words.
Open Scope Z_scope.

(* the Splits at block b of a tree that starts at s, each replaced by one line of its own line's weight *)
Fixpoint replace (b : Block) (s : Z) (t : Tree) : Tree :=
  match t with
  | Split l r line =>
      if (s =? Block_start b) && (extent t =? Block_size b)
      then Merged (extent t) (match line with Some w => w | None => 0 end)
      else Split (replace b s l) (replace b (s + extent l) r) line
  | _ => t
  end.
(* the unwritten Splits at block b get the line w *)
Fixpoint marked (b : Block) (w : Z) (s : Z) (t : Tree) : Tree :=
  match t with
  | Split l r line =>
      Split (marked b w s l) (marked b w (s + extent l) r)
        (match line with
         | Some old => Some old
         | None => if (s =? Block_start b) && (extent t =? Block_size b) then Some w else None
         end)
  | _ => t
  end.
(* a change of every tree of a view, each told where it starts *)
Fixpoint each (f : Z -> Tree -> Tree) (v : View) : View :=
  match v with [] => [] | t :: older => f (total extent older) t :: each f older end.
(* the view after merging these blocks, in order *)
Definition replay (v : View) (merged : list Block) : View := fold_left (fun u b => each (replace b) u) merged v.

(* shape without weights of the shown lines *)
Fixpoint bare (t : Tree) : Tree :=
  match t with Leaf _ => Leaf 0 | Merged size _ => Merged size 0 | Split l r line => Split (bare l) (bare r) line end.
(* what the shown lines weigh, oldest first *)
Definition weights (v : View) : list Z := map snd (on_view shown v).

(* a carry: halves equal in size become one unwritten Split *)
Fixpoint push (t : Tree) (v : View) : View :=
  match v with
  | [] => [t]
  | next :: older => if extent next =? extent t then push (Split next t None) older else t :: v
  end.
(* count blocks of size 1 from unit s on *)
Fixpoint singles (s : Z) (count : nat) : list Block :=
  match count with O => [] | S n => mkBlock s 1 :: singles (s + 1) n end.
(* every missing line counted as written with weight 0 *)
Fixpoint filled (t : Tree) : Tree :=
  match t with
  | Split l r line => Split (filled l) (filled r) (Some (match line with Some w => w | None => 0 end))
  | _ => t
  end.
Definition lacks (v : View) (b : Block) : bool :=
  existsb (fun '(c, line) => (Block_start c =? Block_start b) && (Block_size c =? Block_size b) &&
    match line with Some _ => false | None => true end) (on_view splits v).

Section Pins.
Context {order : Order}.
Notation Rank := (Block -> Z -> Key order).
Variables (close : View -> Z -> View) (write : View -> Block -> Z -> View) (settle : View -> Z -> Rank -> Settled)
  (zoom : View -> Block -> list Block) (wanted : View -> Z -> Rank -> list Block).
Notation after v b k := (Settled_view (settle v b k)).
Notation merged v b k := (Settled_merged (settle v b k)).
(* the view before the merge number i *)
Notation moment v b k i := (replay v (firstn i (merged v b k))).

(* the keys are ordered: a strict weak order, ties allowed *)
Definition ordered : Prop :=
  (forall x y, less order x y = true -> less order y x = false) /\
  (forall x y z, less order x z = true -> less order x y = true \/ less order y z = true).

(* target  Before every merge the view is above half the budget; at the end it is not, or nothing is ready. *)
Definition target := forall v b (k : Rank), Forall positive v -> b < total tokens v ->
  (forall i, (i < length (merged v b k))%nat -> b / 2 < total tokens (moment v b k i)) /\
  (total tokens (after v b k) <= b / 2 \/ nothing_ready (after v b k)).
(* ranked  No pair ready at the moment of a merge has a smaller key, or the same key and an earlier start. *)
Definition ranked := ordered -> forall v b (k : Rank), Forall positive v ->
  forall i p, nth_error (merged v b k) i = Some p -> forall c w, In (c, Some w) (on_view twos (moment v b k i)) ->
  less order (k c (total extent v)) (k p (total extent v)) = false /\
  (less order (k p (total extent v)) (k c (total extent v)) = true \/ Block_start p <= Block_start c).
(* pair  Every merged block was a pair at its moment. *)
Definition pair := forall v b (k : Rank), Forall positive v ->
  forall i p, nth_error (merged v b k) i = Some p -> exists w, In (p, Some w) (on_view twos (moment v b k i)).
(* keeps  After settle every tree is the tree before with the merged blocks replaced; other Splits keep their line. *)
Definition keeps := forall v b (k : Rank), Forall positive v ->
  map bare (after v b k) = map bare (replay v (merged v b k)).
(* weighs  The shown lines weigh what they did, a merged line what its Split's line did, a new unit what was said. *)
Definition weighs :=
  (forall v b (k : Rank), Forall positive v -> weights (after v b k) = weights (replay v (merged v b k))) /\
  (forall v w, weights (close v w) = weights v ++ [w]).
(* write_sets  write gives an unwritten Split of the view that line and changes nothing else. *)
Definition write_sets := forall v b w, Forall positive v -> write v b w = each (marked b w) v.
(* shape  close pushes one unit with carries; every old tree is kept. *)
Definition shape := forall v w, exists x, close v w = push (Leaf x) v.
(* reads  zoom lists exactly the units of a range inside the view, and nothing for any other range. *)
Definition reads := forall v b, zoom v b =
  if (1 <=? Block_size b) && (0 <=? Block_start b) && (Block_start b + Block_size b <=? total extent v)
  then singles (Block_start b) (Z.to_nat (Block_size b)) else [].
(* asks  wanted is what settle merges with missing lines at weight 0, less the blocks whose line is there. *)
Definition asks := forall v b (k : Rank), Forall positive v ->
  wanted v b k = filter (lacks v) (merged (map filled v) b k).
End Pins.
