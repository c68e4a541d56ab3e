(* Chapter score: the mean and the variance of a dot product of independent entries, in every dimension. *)
From sqrtdk Require Export moments.
Local Open Scope ring_scope.

(* Scope: the identity and the numbers of terms. Left out: that exponents tell the two kinds of terms apart. *)
Theorem SquareExpansion (F : comRingType) (d : nat) (q k : 'I_d -> F) :
  (\sum_i q i * k i) ^+ 2 = \sum_i \sum_j q i * k i * q j * k j.
Proof. rewrite expr2 mulr_suml; apply: eq_bigr => i _; rewrite mulr_sumr. by apply: eq_bigr => j _; rewrite !mulrA. Qed.
(* Each pair of indices counts 1 if it is of the kind, and otherwise 0. *)
Theorem SquareExpansion_counts d :
  (\sum_(i < d) \sum_(j < d) (i == j) = d)%N /\ (\sum_(i < d) \sum_(j < d) (i != j) = d * (d - 1))%N.
Proof.
split.
  rewrite (eq_bigr (fun=> 1%N)) ?sum1_card ?card_ord // => i _.
  by rewrite (bigD1 i) //= eqxx big1 // => j; rewrite eq_sym => /negbTE->.
rewrite (eq_bigr (fun=> d.-1)) ?sum_nat_const ?card_ord ?subn1 // => i _; rewrite -[d in RHS]card_ord -(cardC1 i) -sum1_card.
by rewrite [RHS]big_mkcond; apply: eq_bigr => j _; rewrite !inE eq_sym; case: eqP.
Qed.

Section Score.
Variables (F : realFieldType) (Omega : finType) (P : probability F Omega) (d : nat).
Variables (q k : 'I_d -> Omega -> F) (mu_q mu_k var_q var_k : F).
Hypothesis mean_q : forall i, E P (q i) = mu_q.
Hypothesis mean_k : forall i, E P (k i) = mu_k.

(* Scope: entries with finitely many values; the page has all entries that have means. *)
Theorem DotProductMean_finite :
  (forall i, independent P (q i) (k i)) -> E P (score q k) = d%:R * (mu_q * mu_k).
Proof.
move=> indep; rewrite E_sum (eq_bigr (fun=> mu_q * mu_k)) => [|i _].
  by rewrite sumr_const card_ord mulr_natl.
by rewrite IndependentProductMean_finite // mean_q mean_k.
Qed.

(* Scope: entries with finitely many values; the page has all that have means. For d = 2 the entries are the four. *)
Theorem CrossTermMean_finite i j : all_independent P (entries q k) -> i != j ->
  E P (fun w => q i w * k i w * q j w * k j w) = mu_q ^+ 2 * mu_k ^+ 2.
Proof.
move=> indep ij; have us : uniq [:: inl i; inr i; inl j; inr j : 'I_d + 'I_d].
  have ij' e : (e = inl \/ e = inr) -> (e i == e j :> 'I_d + 'I_d) = false by case=> ->; exact: negbTE.
  by rewrite /= !inE /= !ij'; auto.
have := all_independent_product (fun _ => id) indep us. rewrite !big_cons big_nil /= !mean_q !mean_k => E4.
rewrite (_ : mu_q ^+ 2 * _ = mu_q * (mu_k * (mu_q * (mu_k * 1)))); last by ring.
by rewrite -E4; apply: eqE => w; rewrite !big_cons big_nil /=; ring.
Qed.
Hypothesis variance_q : forall i, Var P (q i) = var_q.
Hypothesis variance_k : forall i, Var P (k i) = var_k.

(* Scope: entries with finitely many values; the page has all entries with finite variances. *)
Theorem SquareTermMean_finite i : independent P (q i) (k i) ->
  E P (fun w => q i w ^+ 2 * k i w ^+ 2) = (var_q + mu_q ^+ 2) * (var_k + mu_k ^+ 2).
Proof.
move=> indep; rewrite (independentE (fun x => x ^+ 2) (fun y => y ^+ 2) indep).
by rewrite -(variance_q i) -(variance_k i) -(mean_q i) -(mean_k i) !VarianceIsMeanSquare_finite !subrK.
Qed.
Hypothesis indep : all_independent P (entries q k).
Lemma entry_pairs i : independent P (q i) (k i).
Proof. exact: (@all_independent_pair _ _ P _ (entries q k) (inl i) (inr i)). Qed.

(* Scope: entries with finitely many values; the page has all entries with finite variances. *)
Theorem DotProductVariance_finite :
  Var P (score q k) = d%:R * (var_q * var_k + mu_q ^+ 2 * var_k + mu_k ^+ 2 * var_q).
Proof.
rewrite VarianceOfSum_finite => [|i j ij]; last first.
  rewrite CovE (eqE (fun w => q i w * k i w * q j w * k j w)) => [|w]; last by rewrite !mulrA.
  by rewrite CrossTermMean_finite // !IndependentProductMean_finite ?mean_q ?mean_k; first ring; exact: entry_pairs.
rewrite (eq_bigr (fun=> var_q * var_k + mu_q ^+ 2 * var_k + mu_k ^+ 2 * var_q)) => [|i _].
  by rewrite sumr_const card_ord mulr_natl.
by rewrite (IndependentProductVariance_finite (entry_pairs i)) mean_q mean_k variance_q variance_k.
Qed.
Theorem DotProductVariance_finite_short :
  mu_q = 0 -> mu_k = 0 -> var_q = 1 -> var_k = 1 -> Var P (score q k) = d%:R.
Proof. by move=> q0 k0 q1 k1; rewrite DotProductVariance_finite q0 k0 q1 k1; ring. Qed.

(* Scope: entries with finitely many values. Left out: the means (see DotProductMean) and the division by the root of d (see
   ScaledScoreVariance). *)
Theorem WithoutZeroMean_finite : (0 < d)%N -> var_q = 1 -> var_k = 1 ->
  Var P (score q k) = d%:R * (1 + mu_q ^+ 2 + mu_k ^+ 2) /\
  (Var P (score q k) = d%:R <-> mu_q = 0 /\ mu_k = 0).
Proof.
move=> d0 q1 k1; have dn0 : d%:R != 0 :> F by rewrite pnatr_eq0 -lt0n.
rewrite DotProductVariance_finite q1 k1 !mulr1; split=> //; split=> [|[-> ->]]; last by ring.
rewrite -[RHS]mulr1 => /(mulfI dn0)/eqP; rewrite -addrA -subr_eq0 addrC addKr => zero.
by move: zero; rewrite paddr_eq0 ?sqr_ge0 // !sqrf_eq0 => /andP[/eqP-> /eqP->].
Qed.

(* Scope: entries with finitely many values; the product of the deviations is 1 if and only if that of the variances is. *)
Theorem WithoutUnitVariance_finite : (0 < d)%N -> mu_q = 0 -> mu_k = 0 ->
  Var P (score q k) = d%:R * (var_q * var_k) /\ (Var P (score q k) = d%:R <-> var_q * var_k = 1).
Proof.
move=> d0 q0 k0; have dn0 : d%:R != 0 :> F by rewrite pnatr_eq0 -lt0n.
rewrite DotProductVariance_finite q0 k0 !expr0n !mul0r !addr0; split=> //; split=> [|->]; last by rewrite mulr1.
by rewrite -[RHS]mulr1 => /(mulfI dn0).
Qed.
End Score.
