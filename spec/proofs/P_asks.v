(* Pin: wanted is what settle merges with missing lines at weight 0, less the blocks whose line is there. *)
From Coq Require Import ZArith List Bool Lia.
Import ListNotations.
Require Import Core Words Lib LibNodes Pins LibAsk.
Open Scope Z_scope.

Theorem asks : forall order, @Pins.asks order settle wanted.
Proof.
  intros order v b k P. unfold wanted, settle; cbv zeta. words.
  rewrite (total_filled tokens), (total_filled extent) by (apply filled_tokens || apply filled_extent).
  destruct (_ <=? _); auto. cbn [Settled_merged]. rewrite walk_f. unfold fprogress; cbn [Progress_merged].
  rewrite map_map. pose proof (walk_splits v (b / 2) (mkTerms (total extent v) k true)) as F.
  induction (Progress_merged (walk v (b / 2) (mkTerms (total extent v) k true))) as [|p m IH]; simpl; auto.
  inversion F; subst. rewrite (lacks_line _ _ _ P H1). destruct (is_none _); simpl; rewrite IH; auto.
Qed.
