(* Law 12: write adds no line and removes none, whatever the view. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Lib LibWrite.
Open Scope Z_scope.

Theorem coarsen_write : Laws.coarsen_write write.
Proof.
  assert (forall b w t s x u, tree_write t s b w = (x, Some u) -> tall u = tall t) as T.
  { intros b w; induction t as [|z a|l IHl r IHr line]; intros s x u; simpl; try discriminate.
    destruct (tree_write l s b w) as [m [o|]] eqn:L; [apply IHl in L|clear L];
    (destruct (tree_write r m b w) as [e [n|]] eqn:R; [apply IHr in R|clear R]);
    cases; intros H; inversion H; subst; simpl; lia. }
  intros v p w. unfold write; cbv zeta. write_walk p w v.
  assert (total tall after = total tall v) as G.
  { induction W as [|u t us ts L _ IH]; simpl; auto. rewrite IH.
    destruct L as [->|(s' & x & L)]; [auto|rewrite (T _ _ _ _ _ _ L); auto]. }
  choices; subst; simpl in *; rewrite ?total_rev; auto; lia.
Qed.
