(* Law 4: close keeps an aligned view aligned. *)
From Coq Require Import ZArith List Bool Lia Sorted.
Import ListNotations.
Require Import Core Words Laws Lib LibClose.
Open Scope Z_scope.

(* either the carry is at rest, or a complete tree is carried that is no bigger than any tree to come *)
Definition on_its_way (d : Carry) (v : View) : Prop :=
  (Carry_size d = 0 /\ regular (Carry_tree d :: Carry_behind d ++ v)) \/
  (0 < Carry_size d /\ Carry_behind d = [] /\ whole (Carry_tree d) /\ Carry_size d = extent (Carry_tree d) /\
   regular v /\ Forall (fun t => extent (Carry_tree d) <= extent t) v).

Theorem aligned_close : Laws.aligned_close close.
Proof.
  assert (forall d t v, on_its_way d (t :: v) -> on_its_way (carry d t) v) as C.
  { intros [c z behind] t v [[Z R]|(Z & B & W & S & R & F)]; simpl in *; subst.
    - left. unfold carry; cbn [Carry_tree Carry_size Carry_behind].
      assert (forall u, whole u -> extent u = extent t -> regular (c :: (behind ++ [u]) ++ v)) as U.
      { intros u U E. rewrite <- app_assoc. apply (regular_swap u t (c :: behind) v); auto. }
      destruct R as [R _]. inversion R as [|x l _ R2]; subst. apply Forall_app in R2 as [_ R2]. inversion R2; subst.
      choices; bools; simpl in *; (split; [reflexivity|apply U; simpl; auto]).
    - inversion F as [|x l F1 F2]; subst. destruct R as [R1 R2]. inversion R1 as [|x l R3 R4]; subst.
      pose proof (regular_above _ _ (conj R1 R2)) as A. pose proof (regular_tail _ _ (conj R1 R2)) as T.
      unfold carry; cbn [Carry_tree Carry_size Carry_behind]. words.
      destruct (0 <? extent c) eqn:P; [|apply Z.ltb_ge in P; lia].
      destruct (extent t =? extent c) eqn:E; simpl; bools.
      + right. cbn [Carry_tree Carry_size Carry_behind extent whole]. repeat split; auto; try lia; try apply T.
        clear - A E T R3. destruct T as [T _]. induction v as [|u v IH]; [constructor|]. inversion A; inversion T; subst. constructor; [|auto].
        pose proof (pow_next t u ltac:(auto) ltac:(auto) ltac:(auto)). lia.
      + left. assert (forall u, whole u -> extent u = extent t -> regular (c :: u :: v)) as U.
        { intros u U1 U2. apply (regular_swap u t [c] v); auto. simpl. apply regular_cons; [auto|split; auto|].
          constructor; [lia|]. eapply Forall_impl; [|exact A]. simpl; intros; lia. }
        choices; bools; simpl in *; (split; [reflexivity|apply U; simpl; auto]). }
  assert (forall v d, on_its_way d v -> let e := fold_left (fun (d : Carry) (t : Tree) => carry d t) v d in
    regular (Carry_tree e :: Carry_behind e)) as G.
  { induction v as [|t v IH]; intros d; cbn [fold_left].
    - intros [[_ R]|(_ & B & W & _)]; simpl; [rewrite app_nil_r in R; auto|]. rewrite B. split; repeat constructor; auto.
    - intros H. apply IH, C, H. }
  intros v w R. unfold close, EMPTY; cbv zeta. cbn [app].
  assert (forall x, on_its_way (mkCarry (Leaf x) 1 []) v) as I.
  { intros x. right; simpl; repeat split; auto; try lia; try apply R.
    apply regular_positive in R. eapply Forall_impl; [|exact R]. apply extent_pos. }
  try (destruct v as [|t v]; [split; repeat constructor; exists 1; split; [lia|reflexivity]|cbn [is_nil negb]]);
  apply G, I.
Qed.
