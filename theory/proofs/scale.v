(* Chapter scale: after division by the root of d the variance is 1, and no other positive divisor gives 1. *)
From sqrtdk Require Import score_needs.
Local Open Scope ring_scope.

Section Scale.
Variables (F : rcfType) (Omega : finType) (P : probability F Omega) (d : nat).
Variables (q k : 'I_d -> Omega -> F) (mu_q mu_k var_q var_k : F).
Hypothesis mean_q : forall i, E P (q i) = mu_q.
Hypothesis mean_k : forall i, E P (k i) = mu_k.
Hypothesis variance_q : forall i, Var P (q i) = var_q.
Hypothesis variance_k : forall i, Var P (k i) = var_k.
Hypothesis indep : all_independent P (entries q k).
Hypothesis d0 : (0 < d)%N.
Let root : F := Num.sqrt d%:R.

(* Scope: coordinates with finitely many values, in any field with roots; the page has all with finite variances. The
   counterexample q = k is proved for entries 1 or -1; that its mean is the root of d for all other entries is not proved. *)
Theorem ScaledScoreVariance_finite :
  Var P (fun w => score q k w / root) = var_q * var_k + mu_q ^+ 2 * var_k + mu_k ^+ 2 * var_q /\
  E P (fun w => score q k w / root) = root * (mu_q * mu_k).
Proof.
have dn0 : d%:R != 0 :> F by rewrite pnatr_eq0 -lt0n. have root2 : root ^+ 2 = d%:R by rewrite sqr_sqrtr ?ler0n.
have rn0 : root != 0 by rewrite sqrtr_eq0 -ltNge ltr0n.
rewrite VarianceUnderScaling_finite // (DotProductVariance_finite mean_q mean_k variance_q variance_k indep) root2.
rewrite mulrAC divff // mul1r; split=> //.
by rewrite E_div (DotProductMean_finite mean_q mean_k) -?root2; [field | exact: entry_pairs].
Qed.
Theorem ScaledScoreVariance_finite_short : mu_q = 0 -> mu_k = 0 -> var_q = 1 -> var_k = 1 ->
  Var P (fun w => score q k w / root) = 1 /\ E P (fun w => score q k w / root) = 0.
Proof. by move=> q0 k0 q1 k1; have [-> ->] := ScaledScoreVariance_finite; rewrite q0 k0 q1 k1; split; ring. Qed.
End Scale.

(* Scope: random variables with finitely many values; the page has every variable with a variance. *)
Theorem UnitVarianceScaleIsUnique_finite (F : rcfType) (Omega : finType) (P : probability F Omega) (X : Omega -> F) (v c : F) :
  Var P X = v -> 0 < v -> 0 < c -> (Var P (fun w => X w / c) = 1 <-> c = Num.sqrt v).
Proof.
move=> Xv v0 c0; have c2 : c ^+ 2 != 0 by rewrite sqrf_eq0 gt_eqF.
rewrite VarianceUnderScaling_finite ?gt_eqF // Xv; split=> [e|->]; last by rewrite sqr_sqrtr ?ltW // divff // gt_eqF.
have -> : v = c ^+ 2 by rewrite -[LHS](divfK c2) e mul1r. by rewrite sqrtr_sqr gtr0_norm.
Qed.
(* For v = 0 no divisor leaves variance 1; without c > 0 there are two. *)
Theorem UnitVarianceScaleIsUnique_without_positive_variance
    (F : rcfType) (Omega : finType) (P : probability F Omega) (a c : F) : Var P (fun=> a / c) = 0.
Proof. by rewrite VarianceIsMeanSquare_finite !E_const subrr. Qed.
Theorem UnitVarianceScaleIsUnique_without_positive_divisor
    (F : rcfType) (Omega : finType) (P : probability F Omega) (X : Omega -> F) :
  0 < Var P X -> Var P (fun w => X w / - Num.sqrt (Var P X)) = 1.
Proof.
move=> v0; rewrite VarianceUnderScaling_finite ?oppr_eq0 ?sqrtr_eq0 -?ltNge // sqrrN sqr_sqrtr ?ltW //.
by rewrite divff // gt_eqF.
Qed.

(* In every dimension but 0. *)
Section Coins.
Variables (F : rcfType) (e : nat).
Let d := e.+1.
Let coins := coins F [finType of 'I_d + 'I_d].
Let query (X : bool -> F) (i : 'I_d) (w : {ffun 'I_d + 'I_d -> bool}) := X (w (inl i)).
Let key (X : bool -> F) (i : 'I_d) (w : {ffun 'I_d + 'I_d -> bool}) := X (w (inr i)).
Let sign (b : bool) : F := (-1) ^+ b.
Let root : F := Num.sqrt d%:R.
Let scaled X := let mean := (X true + X false) / 2%:R in let var := ((X true - X false) / 2%:R) ^+ 2 in
  @ScaledScoreVariance_finite F _ coins d (query X) (key X) mean mean var var
    (fun i => mean_of_coin X (inl i)) (fun i => mean_of_coin X (inr i))
    (fun i => variance_of_coin X (inl i)) (fun i => variance_of_coin X (inr i)) (entries_independent X X) isT.

(* Fair signs meet all hypotheses. *)
Theorem ScaledScoreVariance_witness :
  Var coins (fun w => score (query sign) (key sign) w / root) = 1 /\
  E coins (fun w => score (query sign) (key sign) w / root) = 0.
Proof.
have [qs ks ind _] := DotProductVariance_witness F d.
exact: (ScaledScoreVariance_finite_short (fun i => (qs i).1) (fun i => (ks i).1) (fun i => (qs i).2) (fun i => (ks i).2) ind).
Qed.
(* The key is the query, with fair signs as entries. *)
Theorem ScaledScoreVariance_without_independent w : score (query sign) (query sign) w / root = root.
Proof.
have rn0 : root != 0 by rewrite sqrtr_eq0 -ltNge ltr0n.
by rewrite DotProductMean_without_independent -[d%:R]sqr_sqrtr ?ler0n // expr2 mulfK.
Qed.
(* Coordinates are 0 or 2. *)
Theorem ScaledScoreVariance_without_mean_zero : let X (b : bool) := 2%:R * b%:R in
  E coins (fun w => score (query X) (key X) w / root) = root /\
  Var coins (fun w => score (query X) (key X) w / root) = 3%:R.
Proof. by move=> X; have [-> ->] := scaled X; rewrite /X /root /=; move: (Num.sqrt _) => r; split; by_field. Qed.
(* Coordinates are 2 or -2, with variance 4. *)
Theorem ScaledScoreVariance_without_unit_variance : let X (b : bool) := 2%:R * sign b in
  Var coins (fun w => score (query X) (key X) w / root) = 16%:R.
Proof. by move=> X; have [-> _] := scaled X; rewrite /X /sign; by_field. Qed.
End Coins.
Theorem UnitVarianceScaleIsUnique_witness (F : rcfType) : let X (w : {ffun 'I_1 + 'I_1 -> bool}) : F := (-1) ^+ w (inl ord0) in
  Var (coins F _) (fun w => X w / 1) = 1 /\ Var (coins F _) (fun w => X w / - Num.sqrt (Var (coins F _) X)) = 1.
Proof.
move=> X; have [qs _ _ _] := DotProductVariance_witness F 1; have X1 : Var (coins F _) X = 1 := (qs ord0).2.
split; last by apply: UnitVarianceScaleIsUnique_without_positive_divisor; rewrite X1 ltr01.
by apply/(UnitVarianceScaleIsUnique_finite X1); rewrite ?sqrtr1 ?ltr01.
Qed.
