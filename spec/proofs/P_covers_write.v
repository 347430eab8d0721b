(* Law 3: write adds or drops no unit, whatever the view. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Lib LibWrite.
Open Scope Z_scope.

Theorem covers_write : Laws.covers_write write.
Proof.
  assert (forall b w t s x u, tree_write t s b w = (x, Some u) -> extent u = extent t) as T.
  { intros b w; induction t as [|z a|l IHl r IHr line]; intros s x u; simpl; try discriminate.
    destruct (tree_write l s b w) as [m [o|]] eqn:L; [apply IHl in L|apply write_stop in L];
    (destruct (tree_write r m b w) as [e [n|]] eqn:R; [apply IHr in R|apply write_stop in R]);
    cases; intros H; inversion H; subst; simpl; lia. }
  intros v p w. unfold write; cbv zeta. write_walk p w v.
  assert (total extent after = total extent v) as G.
  { induction W as [|u t us ts L _ IH]; simpl; auto. rewrite IH.
    destruct L as [->|(s' & x & L)]; [auto|rewrite (T _ _ _ _ _ _ L); auto]. }
  rewrite ?total_rev; auto.
Qed.
