(* Chapter softmax: weights that are positive, sum to 1, keep the order, ignore shifts and hardly move. *)
From sqrtdk Require Export sums.
Local Open Scope R_scope.

Section Softmax.
Variables (n : nat).
Implicit Types (x : 'I_n -> R).

(* Scope: all of the statement, for real scores. *)
Theorem SoftmaxIsAProbability_part1 x i : 0 < softmax x i <= 1.
Proof.
have T := total_gt0 x i; have e := exp_pos (x i); rewrite softmaxE; split; first exact: Rdiv_lt_0_compat.
by apply/(Rle_div_l _ _ _ T); rewrite (total_split x i); have := others_ge0 x (fun j => j != i); lra.
Qed.
Theorem SoftmaxIsAProbability_part1_sum x : (0 < n)%N -> \sum_i softmax x i = 1.
Proof. by move=> n0; rewrite sum_div; apply: Rinv_r; have := total_gt0 x (Ordinal n0); rewrite /total; lra. Qed.
Theorem SoftmaxIsAProbability_part2 x i j : softmax x i / softmax x j = exp (x i - x j).
Proof. have T := total_gt0 x i; have e := exp_pos (x j). by rewrite /Rminus exp_plus exp_Ropp !softmaxE; field; split; lra. Qed.
Theorem SoftmaxIsAProbability_part2_order x i j : softmax x i < softmax x j <-> x i < x j.
Proof.
have T := total_gt0 x i; have T' := Rinv_0_lt_compat _ T; rewrite !softmaxE /Rdiv; split => [lt|lt].
  by apply: exp_lt_inv; apply: Rmult_lt_reg_r lt.
by apply: Rmult_lt_compat_r => //; exact: exp_increasing.
Qed.
Theorem SoftmaxIsAProbability_part3 x (s : 'I_n -> 'I_n) i : bijective s -> softmax (fun j => x (s j)) i = softmax x (s i).
Proof. by move=> bij; rewrite /softmax [in RHS](reindex s) //; exact: onW_bij. Qed.
Lemma sum_exp_le x y h (P : pred 'I_n) : (forall j, Rabs (x j - y j) <= h) ->
  \sum_(j | P j) exp (y j) <= exp h * \sum_(j | P j) exp (x j).
Proof.
move=> close; rewrite -sum_scale; apply: sum_le => j _; rewrite -exp_plus; apply: exp_le.
by have := close j; move/Rabs_le_between; lra.
Qed.
Theorem SoftmaxIsAProbability_part4_ratio x y h i : (forall j, Rabs (x j - y j) <= h) ->
  exp (- (2 * h)) <= softmax y i / softmax x i <= exp (2 * h).
Proof.
have rise u v : (forall j, Rabs (u j - v j) <= h) -> softmax v i <= exp (2 * h) * softmax u i.
  move=> uv; have vu j : Rabs (v j - u j) <= h by rewrite Rabs_minus_sym.
  have := @sum_exp_le u v h (pred1 i) uv; have := @sum_exp_le v u h xpredT vu; rewrite !big_pred1_eq -!/(total _) !softmaxE.
  have := total_gt0 u i; have := total_gt0 v i; have -> : exp (2 * h) = exp h * exp h by rewrite -exp_plus; congr exp; lra.
  move: (total u) (total v) (exp_pos h) (exp_pos (u i)) => t t' h0 ui t'0 t0 tt' uv'. apply/Rle_div_l; first lra.
  rewrite (_ : _ * _ * _ = (exp h * exp (u i)) * (exp h * t') / t); last by field; lra.
  by apply: (proj1 (Rle_div_r _ _ _ _)) => //; apply: Rmult_le_compat => //; left; [exact: exp_pos | lra].
move=> xy; have yx j : Rabs (y j - x j) <= h by rewrite Rabs_minus_sym.
have [px _] := SoftmaxIsAProbability_part1 x i; have := rise _ _ xy; have := rise _ _ yx; have := exp_pos (2 * h).
rewrite exp_Ropp => e0 low high; split; last exact/Rle_div_l.
by apply: (proj1 (Rle_div_r _ _ _ _)) => //; rewrite Rmult_comm; apply/Rle_div_l => //; rewrite Rmult_comm.
Qed.
Theorem SoftmaxIsAProbability_part4 x y h i : (forall j, Rabs (x j - y j) <= h) ->
  Rabs (softmax y i - softmax x i) <= tanh (h / 2).
Proof.
have rise u v : (forall j, Rabs (u j - v j) <= h) -> softmax v i - softmax u i <= tanh (h / 2).
  move=> uv; have vu j : Rabs (v j - u j) <= h by rewrite Rabs_minus_sym. have -> : tanh (h / 2) = (exp h - 1) / (exp h + 1).
    have -> : exp h = exp (h / 2) * exp (h / 2) by rewrite -exp_plus; congr exp; lra.
    by rewrite /tanh /sinh /cosh exp_Ropp; have := exp_pos (h / 2) => e; field; nra.
  rewrite !softmaxE (total_split v i) (total_split u i); apply: share_rise.
  - rewrite -exp_0; apply: exp_le; have := uv i; have := Rabs_pos (u i - v i); lra.
  - exact: exp_pos.
  - exact: others_ge0.
  - exact: exp_pos.
  - exact: others_ge0.
  - by have := @sum_exp_le u v h (pred1 i) uv; rewrite !big_pred1_eq.
  - exact: sum_exp_le.
move=> xy; apply: Rabs_le; split; last exact: rise. suff : softmax x i - softmax y i <= tanh (h / 2) by lra.
by apply: rise => j; rewrite Rabs_minus_sym.
Qed.
Theorem SoftmaxIsAProbability_part4_half h : 0 <= h -> tanh (h / 2) <= h / 2.
Proof.
case=> [h0|<-]; last by rewrite /tanh /sinh /cosh (_ : 0 / 2 = 0) ?Ropp_0 ?exp_0; lra. pose f t := t - tanh t.
have D t : derivable_pt_lim f t (tanh t ^ 2).
  apply/is_derive_Reals; rewrite /f /tanh /sinh /cosh; have e := exp_pos t; have e' := exp_pos (- t).
  by auto_derive; [lra | field; lra].
have [c [fc _]] := MVT_cor2 f (fun t => tanh t ^ 2) 0 (h / 2) ltac:(lra) (fun t _ => D t).
have f0 : f 0 = 0 by rewrite /f /tanh /sinh /cosh Ropp_0 exp_0; lra.
have : 0 <= f (h / 2) by rewrite f0 in fc; have := pow2_ge_0 (tanh c); nra. by rewrite /f; lra.
Qed.

(* Scope: all of the statement. *)
Theorem SoftmaxShiftInvariance x b i : softmax (fun j => x j + b) i = softmax x i.
Proof.
have T := total_gt0 x i; have e := exp_pos b; move: T; rewrite /softmax /total => T.
rewrite (eq_bigr (fun j => exp b * exp (x j))) => [|j _]; last by rewrite exp_plus Rmult_comm.
by rewrite sum_scale exp_plus; field; lra.
Qed.
Theorem SoftmaxShiftInvariance_converse x y : (forall i, softmax x i = softmax y i) -> exists b, forall i, y i = x i + b.
Proof.
move=> same; exists (ln (total y) - ln (total x)) => i. have Tx := total_gt0 x i; have Ty := total_gt0 y i.
by have := congr1 ln (same i); rewrite !softmaxE !ln_div ?ln_exp; try lra; exact: exp_pos.
Qed.
End Softmax.
(* Two scores that are not raised together. *)
Theorem SoftmaxShiftInvariance_without_one_shift : softmax (tnth [tuple 0; 0]) ord0 = 1 / 2 /\
  softmax (tnth [tuple 1; 0]) ord_max < softmax (tnth [tuple 1; 0]) ord0.
Proof.
split; first by rewrite /softmax !big_ord_recl !big_ord0 !(tnth_nth 0) /= exp_0; field.
by apply/SoftmaxIsAProbability_part2_order; rewrite !(tnth_nth 0) /=; lra.
Qed.

(* The hypotheses can be met: two equal scores, of which one is raised by 1; any scores, all raised by 1. *)
Theorem SoftmaxIsAProbability_witness : let x (i : 'I_2) := 0 in let y (i : 'I_2) := if i == ord0 then 1 else 0 in
  [/\ \sum_i softmax x i = 1, softmax (fun j => y (rev_ord j)) ord0 = softmax y (rev_ord ord0),
      Rabs (softmax y ord0 - softmax x ord0) <= 1 / 2 & exp (- (2 * 1)) <= softmax y ord0 / softmax x ord0 <= exp (2 * 1)].
Proof.
move=> x y; have close j : Rabs (x j - y j) <= 1.
  by rewrite /x /y; case: eqP => _; rewrite Rabs_left1; lra.
split; [exact: SoftmaxIsAProbability_part1_sum | | | exact: SoftmaxIsAProbability_part4_ratio close].
  by apply: SoftmaxIsAProbability_part3; exists (@rev_ord 2); exact: rev_ordK.
by apply: (Rle_trans _ _ _ (SoftmaxIsAProbability_part4 ord0 close)); apply: SoftmaxIsAProbability_part4_half; lra.
Qed.
Theorem SoftmaxShiftInvariance_witness n (x : 'I_n -> R) : exists b, forall i, x i + 1 = x i + b.
Proof. by apply: SoftmaxShiftInvariance_converse => i; rewrite SoftmaxShiftInvariance. Qed.
