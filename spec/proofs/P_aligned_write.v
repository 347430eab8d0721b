(* Law 6: write keeps an aligned view aligned. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Lib LibWrite.
Open Scope Z_scope.

Theorem aligned_write : Laws.aligned_write write.
Proof.
  assert (forall b w t s x u, tree_write t s b w = (x, Some u) -> extent u = extent t) as X.
  { intros b w; induction t as [|z a|l IHl r IHr line]; intros s x u; simpl; try discriminate.
    destruct (tree_write l s b w) as [m [o|]] eqn:L; [apply IHl in L|apply write_stop in L];
    (destruct (tree_write r m b w) as [e [n|]] eqn:R; [apply IHr in R|apply write_stop in R]);
    cases; intros H; inversion H; subst; simpl; lia. }
  assert (forall b w t s x u, whole t -> tree_write t s b w = (x, Some u) -> whole u) as T.
  { intros b w; induction t as [|z a|l IHl r IHr line]; intros s x u C; simpl; try discriminate.
    destruct C as (E & Cl & Cr).
    destruct (tree_write l s b w) as [m [o|]] eqn:L; [pose proof (X _ _ _ _ _ _ L); apply IHl in L; auto|apply write_stop in L];
    (destruct (tree_write r m b w) as [e [n|]] eqn:R; [pose proof (X _ _ _ _ _ _ R); apply IHr in R; auto|apply write_stop in R]);
    cases; intros Q; inversion Q; subst; simpl; repeat split; auto; try lia.
    all: match goal with |- exists k, _ /\ ?z = _ =>
      destruct (whole_double _ _ Cl Cr E) as (k & K & P); exists k; split; [auto|lia] end. }
  intros v p w.
  assert (forall after v, Forall2 (left_by p w) after v -> regular v -> regular after) as G.
  { clear v. intros after v W [C S].
    assert (map extent after = map extent v) as E.
    { clear C S; induction W as [|u t us ts L _ IH]; simpl; auto. rewrite IH. f_equal.
      destruct L as [->|(s & x & L)]; [auto|apply (X _ _ _ _ _ _ L)]. }
    split; [|rewrite E; auto]. clear S E.
    induction W as [|u t us ts L _ IH]; constructor; inversion C as [|y l C1 C2]; subst; auto.
    destruct L as [->|(s & x & L)]; [auto|apply (T _ _ _ _ _ _ C1 L)]. }
  unfold write; cbv zeta. write_walk p w v. intros R. apply G in W; auto.
  all: choices; subst; auto; apply (regular_shrink _ _ _ R); simpl; auto; lia.
Qed.
