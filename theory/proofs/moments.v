(* Chapter moments: the rules for means and variances. *)
From sqrtdk Require Export expectation.
Local Open Scope ring_scope.

Section Moments.
Variables (F : realFieldType) (Omega : finType) (P : probability F Omega).
Implicit Types (X Y : Omega -> F) (c : F).

(* Scope: random variables with finitely many values; the page has every variable with a finite second moment. *)
Theorem VarianceIsMeanSquare_finite X : Var P X = E P (fun w => X w ^+ 2) - E P X ^+ 2.
Proof. rewrite /Var (eqE (fun w => X w ^+ 2 + ((-2%:R * E P X) * X w + E P X ^+ 2))) => [|w]; last by ring.
by rewrite !E_add E_scale E_const; ring. Qed.
Theorem VarianceIsMeanSquare_finite_short X : E P X = 0 -> Var P X = E P (fun w => X w ^+ 2).
Proof. by move=> mean_zero; rewrite VarianceIsMeanSquare_finite mean_zero expr0n subr0. Qed.

(* Scope: random variables with finitely many values; the page has every variable with a mean. *)
Theorem IndependentProductMean_finite X Y : independent P X Y -> E P (fun w => X w * Y w) = E P X * E P Y.
Proof. exact: (@independentE _ _ P X Y id id). Qed.

(* Scope: random variables with finitely many values; the page has every variable with a finite second moment. *)
Theorem IndependentProductVariance_finite X Y : independent P X Y ->
  Var P (fun w => X w * Y w) = Var P X * Var P Y + E P X ^+ 2 * Var P Y + E P Y ^+ 2 * Var P X.
Proof.
move=> indep; rewrite !VarianceIsMeanSquare_finite (IndependentProductMean_finite indep).
rewrite (eqE (fun w => X w ^+ 2 * Y w ^+ 2)) => [|w]; last by rewrite exprMn.
by rewrite (independentE (fun x => x ^+ 2) (fun y => y ^+ 2) indep); ring.
Qed.
Lemma CovE X Y : Cov P X Y = E P (fun w => X w * Y w) - E P X * E P Y.
Proof.
rewrite /Cov (eqE (fun w => X w * Y w + (- E P Y * X w + (- E P X * Y w + E P X * E P Y)))) => [|w].
  by rewrite !E_add !E_scale E_const; ring.
by ring.
Qed.

(* Scope: random variables with finitely many values; the page has every variable with a finite variance. *)
Theorem VarianceOfSum_finite_covariances (I : finType) (X : I -> Omega -> F) :
  Var P (fun w => \sum_i X i w) = \sum_i \sum_j Cov P (X i) (X j).
Proof.
rewrite /Var E_sum (eqE (fun w => \sum_i \sum_j (X i w - E P (X i)) * (X j w - E P (X j)))) => [|w].
  by rewrite E_sum; apply: eq_bigr => i _; rewrite E_sum.
by rewrite -sumrB expr2 mulr_suml; apply: eq_bigr => i _; rewrite mulr_sumr.
Qed.
Theorem VarianceOfSum_finite (I : finType) (X : I -> Omega -> F) : (forall i j, i != j -> Cov P (X i) (X j) = 0) ->
  Var P (fun w => \sum_i X i w) = \sum_i Var P (X i).
Proof.
move=> uncorrelated; rewrite VarianceOfSum_finite_covariances; apply: eq_bigr => i _.
rewrite (bigD1 i) //= big1 => [|j ji]; last by rewrite uncorrelated // eq_sym. by rewrite addr0; apply: eqE => w; rewrite expr2.
Qed.
Theorem VarianceOfSum_finite_independent (I : finType) (X : I -> Omega -> F) : all_independent P X ->
  Var P (fun w => \sum_i X i w) = \sum_i Var P (X i).
Proof. move=> indep; apply: VarianceOfSum_finite => i j ij.
by rewrite CovE IndependentProductMean_finite ?subrr //; exact: all_independent_pair. Qed.

(* Scope: random variables with finitely many values; the page has every variable with a finite variance. The proof does not
   use that c is not 0, because here x / 0 is 0. *)
Theorem VarianceUnderScaling_finite X c : c != 0 -> Var P (fun w => X w / c) = Var P X / c ^+ 2.
Proof. by move=> _; rewrite /Var E_div -[RHS]E_div; apply: eqE => w; rewrite -mulrBl exprMn exprVn. Qed.

(* Scope: both bounds, for finitely many values; the page has every variable with a variance. Left out: where equality holds. *)
Theorem VarianceBoundsDeviations_finite_above X t : 0 < t -> Pr P (fun w => t <= `|X w - E P X|) <= Var P X / t ^+ 2.
Proof.
move=> t0; rewrite ler_pdivl_mulr ?exprn_gt0 // mulrC Pr_E -E_scale; apply: E_le => w.
case: (lerP t _) => tX; rewrite ?mulr0 ?sqr_ge0 // mulr1 -[leRHS]real_normK ?num_real //. by rewrite ler_expn2r // nnegrE ?ltW.
Qed.
Theorem VarianceBoundsDeviations_finite_below X t r : 0 < t -> t < r -> (forall w, `|X w - E P X| <= r) ->
  (Var P X - t ^+ 2) / (r ^+ 2 - t ^+ 2) <= Pr P (fun w => t <= `|X w - E P X|).
Proof.
move=> t0 tr bounded; have r0 := lt_trans t0 tr. have square (a b : F) : 0 <= b -> `|a| <= b -> a ^+ 2 <= b ^+ 2.
  by move=> b0 ab; rewrite -[leLHS]real_normK ?num_real // ler_expn2r // nnegrE.
rewrite ler_pdivr_mulr; last by rewrite subr_gt0 ltr_expn2r // ?nnegrE ?ltW.
rewrite mulrC Pr_E -E_scale ler_subl_addr -[X in _ <= _ + X](E_const P) -E_add; apply: E_le => w.
by case: (lerP t _) => tX; rewrite ?mulr1 ?mulr0 ?subrK ?add0r; apply: square => //; apply: ltW.
Qed.
End Moments.

(* The hypotheses can be met, and each is needed: a fair coin. *)
Section Coin.
Variables (F : realFieldType) (I : finType) (i : I).
Let coins := coins F I.
Let bit (w : {ffun I -> bool}) : F := (w i)%:R.
Let sign (w : {ffun I -> bool}) : F := (-1) ^+ w i.
Let signE f : E coins (fun w => f (sign w)) = (f (-1) + f 1) / 2%:R.
Proof. exact: (coinE i (fun b => f ((-1) ^+ b))). Qed.
Let bitE f : E coins (fun w => f (bit w)) = (f 1 + f 0) / 2%:R.
Proof. exact: (coinE i (fun b => f b%:R)). Qed.
Let mean_sign : E coins sign = 0.
Proof. by rewrite (signE id) addNr mul0r. Qed.
Let Var_sign : Var coins sign = 1.
Proof. by rewrite /Var mean_sign (signE (fun x => (x - 0) ^+ 2)); by_field. Qed.
Theorem VarianceIsMeanSquare_without_mean_zero : E coins (fun w => bit w ^+ 2) = 1 / 2%:R /\ Var coins bit = 1 / 4%:R.
Proof. by rewrite VarianceIsMeanSquare_finite (bitE id) (bitE (fun x => x ^+ 2)); split; by_field. Qed.
Theorem IndependentProductMean_without_independent :
  E coins (fun w => sign w * sign w) = 1 /\ E coins sign * E coins sign = 0.
Proof. by rewrite mean_sign mulr0 (signE (fun x => x * x)); split=> //; by_field. Qed.
Theorem IndependentProductVariance_without_independent : Var coins (fun w => sign w * sign w) = 0 /\
  Var coins sign * Var coins sign + E coins sign ^+ 2 * Var coins sign + E coins sign ^+ 2 * Var coins sign = 1.
Proof. rewrite mean_sign Var_sign /Var (signE (fun x => x * x)) (signE (fun x => (x * x - _) ^+ 2)). by split; by_field. Qed.
Theorem VarianceOfSum_without_uncorrelated :
  Var coins (fun w => sign w + sign w) = 4%:R /\ Var coins sign + Var coins sign = 2%:R.
Proof. rewrite Var_sign; split; last by by_field.
by rewrite /Var (signE (fun x => x + x)) (signE (fun x => (x + x - _) ^+ 2)); by_field. Qed.
Theorem VarianceIsMeanSquare_witness : Var coins sign = E coins (fun w => sign w ^+ 2).
Proof. exact: VarianceIsMeanSquare_finite_short mean_sign. Qed.
Theorem VarianceUnderScaling_witness : Var coins (fun w => sign w / 2%:R) = 1 / 4%:R.
Proof. by rewrite VarianceUnderScaling_finite ?pnatr_eq0 // Var_sign; by_field. Qed.
Theorem VarianceOfSum_witness : Var coins (fun w => \sum_j (-1) ^+ w j) = \sum_j Var coins (fun w => (-1) ^+ w j).
Proof. by apply: VarianceOfSum_finite_independent; exact: (coins_independent (f := fun _ b => (-1) ^+ b)). Qed.
Theorem VarianceBoundsDeviations_witness : 1 <= Pr coins (fun w => 2%:R^-1 <= `|sign w - E coins sign|) <= 4%:R.
Proof.
have [t0 t1] : 0 < 2%:R^-1 :> F /\ 2%:R^-1 < 1 :> F by rewrite invr_gt0 invf_lt1 ?ltr0n // ltr1n.
have bounded w : `|sign w - E coins sign| <= 1 by rewrite mean_sign subr0 normrX normrN1 expr1n.
have := VarianceBoundsDeviations_finite_above coins sign t0; have := VarianceBoundsDeviations_finite_below t0 t1 bounded.
rewrite Var_sign expr1n divff => [->|]; last by rewrite gt_eqF // subr_gt0 expr_lt1 ?ltW.
by rewrite (_ : _ / _ = 4%:R) //; by_field.
Qed.
End Coin.
