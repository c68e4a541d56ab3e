(* Chapter softmax_jacobian: the derivative of softmax. *)
From sqrtdk Require Export softmax.
Local Open Scope R_scope.

Section Jacobian.
Variable n : nat.
Implicit Types (x v : 'I_n -> R) (i j : 'I_n).
Lemma delta_sym i j : delta i j = delta j i.
Proof. by rewrite /delta eq_sym. Qed.
Lemma exp_raised x j h k : exp (x k + h * delta k j) = exp (x k) + (exp h - 1) * (delta j k * exp (x k)).
Proof. by rewrite exp_plus /delta eq_sym; case: eqP => _; rewrite ?Rmult_1_r ?Rmult_0_r ?exp_0; ring. Qed.
Lemma total_raised x j h : total (fun k => x k + h * delta k j) = total x * (1 + softmax x j * (exp h - 1)).
Proof. rewrite /total (eq_bigr _ (fun k _ => exp_raised x j h k)) sum_add sum_scale sum_delta -/(total x).
by have T := total_gt0 x j; rewrite softmaxE; field; lra. Qed.

(* Scope: all of the statement: the partial derivatives, finite steps, and both products with a vector. *)
Theorem SoftmaxJacobian_step x i j h : let p := softmax x in let r := exp h in
  softmax (fun k => x k + h * delta k j) i - p i = (r - 1) / (1 + p j * (r - 1)) * J p i j.
Proof.
have T := total_gt0 x i; have [pj0 pj1] := SoftmaxIsAProbability_part1 x j; have r0 := exp_pos h.
have s0 : 0 < 1 + softmax x j * (exp h - 1) by nra.
rewrite /= /J softmaxE exp_raised total_raised (softmaxE x i); move: T s0 (delta j i) (@delta_sym i j).
move: (softmax x j) (exp h) (exp (x i)) (total x) => pj r e t T s0 dij ->. by field; lra.
Qed.
Theorem SoftmaxJacobian x i j : is_derive (fun h => softmax (fun k => x k + h * delta k j) i) 0 (J (softmax x) i j).
Proof.
set c := J _ _ _; set p := softmax x.
have step (h : R) : p i + (exp h - 1) / (1 + p j * (exp h - 1)) * c = softmax (fun k => x k + h * delta k j) i.
  by have := SoftmaxJacobian_step x i j h; rewrite /= -/p -/c => <-; ring.
apply: (is_derive_ext _ _ _ _ step). by auto_derive; rewrite exp_0; [lra | field; lra].
Qed.
Theorem SoftmaxJacobian_times_vector (p v : 'I_n -> R) i : \sum_j J p i j * v j = p i * (v i - mean p v).
Proof. rewrite (eq_bigr (fun j => p i * (delta i j * v j) + - p i * (p j * v j))) => [|j _]; last by rewrite /J; ring.
by rewrite sum_add !sum_scale sum_delta /mean; ring. Qed.
Lemma J_sym (p : 'I_n -> R) i j : J p i j = J p j i.
Proof. by rewrite /J /delta eq_sym; case: eqP => [->|_]; ring. Qed.
Theorem SoftmaxJacobian_vector_times (p g : 'I_n -> R) j : \sum_i g i * J p i j = p j * (g j - mean p g).
Proof. by rewrite -SoftmaxJacobian_times_vector; apply: eq_bigr => i _; rewrite J_sym Rmult_comm. Qed.
End Jacobian.

Section Structure.
Variables (n : nat) (p : 'I_n -> R).
Hypothesis sum_one : \sum_i p i = 1.
Implicit Types (v : 'I_n -> R) (i j m : 'I_n).

(* Scope: the kernel is given instead of the rank, and every eigenvalue is bounded instead of the spectral norm, which is the
   greatest of their absolute values. Left out: that one half is reached beside other weights, which are 0; that the trace
   is the trace norm; the order of the three norms; and the ranks without a hypothesis. *)
Theorem JacobianStructure_part1_symmetric i j : J p i j = J p j i.
Proof. exact: J_sym. Qed.
Theorem JacobianStructure_part1_rows i : \sum_j J p i j = 0.
Proof. rewrite (eq_bigr (fun j => J p i j * 1)) => [|j _]; last by ring.
rewrite SoftmaxJacobian_times_vector /mean (eq_bigr p) => [|j _]; last by ring. by rewrite sum_one; ring. Qed.
Lemma mean_deviation v : \sum_i p i * (v i - mean p v) = 0.
Proof. rewrite (eq_bigr (fun i => p i * v i + - mean p v * p i)) => [|i _]; last by ring.
by rewrite sum_add sum_scale sum_one /mean; ring. Qed.
Theorem JacobianStructure_part1_variance v :
  \sum_i v i * (\sum_j J p i j * v j) = mean p (fun i => (v i - mean p v) ^ 2).
Proof.
rewrite (eq_bigr (fun i => p i * (v i - mean p v) ^ 2 + mean p v * (p i * (v i - mean p v)))) => [|i _].
  by rewrite sum_add sum_scale mean_deviation Rmult_0_r Rplus_0_r.
by rewrite SoftmaxJacobian_times_vector; ring.
Qed.
Theorem JacobianStructure_part1_semidefinite v : (forall i, 0 <= p i) -> 0 <= \sum_i v i * (\sum_j J p i j * v j).
Proof.
move=> p0; rewrite JacobianStructure_part1_variance; apply: sum_ge0 => i _. by apply: Rmult_le_pos => //; exact: pow2_ge_0.
Qed.
Theorem JacobianStructure_part2 v : (forall i, 0 < p i) -> ((forall i, \sum_j J p i j * v j = 0) <-> forall i j, v i = v j).
Proof.
move=> positive; split=> [zero i j|same i].
  have at_mean k : v k = mean p v by have := zero k; rewrite SoftmaxJacobian_times_vector; have := positive k; nra.
  by rewrite !at_mean.
rewrite (eq_bigr (fun j => v i * J p i j)) => [|j _]; last by rewrite (same i j); ring.
by rewrite sum_scale JacobianStructure_part1_rows; ring.
Qed.
Theorem JacobianStructure_part3_trace : \sum_i J p i i = 1 - \sum_i (p i) ^ 2.
Proof. rewrite -sum_one (eq_bigr (fun i => p i + -1 * (p i) ^ 2)) => [|i _]; last by rewrite /J /delta eqxx; ring.
by rewrite sum_add sum_scale; ring. Qed.
Theorem JacobianStructure_part3_Frobenius :
  \sum_i \sum_j (J p i j) ^ 2 = \sum_i (p i) ^ 2 - 2 * (\sum_i (p i) ^ 3) + (\sum_i (p i) ^ 2) ^ 2.
Proof.
set s := \sum_i (p i) ^ 2. rewrite (eq_bigr (fun i => (p i) ^ 2 + (-2 * (p i) ^ 3 + s * (p i) ^ 2))) => [|i _].
  by rewrite !sum_add !sum_scale -/s; ring.
rewrite (eq_bigr (fun j => (p i) ^ 2 * (delta i j * (1 - 2 * p j)) + (p i) ^ 2 * (p j) ^ 2)) => [|j _].
  by rewrite sum_add !sum_scale sum_delta -/s; ring.
by rewrite /J /delta; case: eqP => _; ring.
Qed.
(* The largest entry v i of an eigenvector shows it. *)
Theorem JacobianStructure_part4 v lambda i : (forall i, 0 <= p i) ->
  (forall i, \sum_j J p i j * v j = lambda * v i) -> v i <> 0 -> (forall j, Rabs (v j) <= Rabs (v i)) ->
  Rabs lambda <= 2 * (p i * (1 - p i)) <= 1 / 2.
Proof.
move=> p0 eigen vi0 largest; split; last by have := pow2_ge_0 (p i - 1 / 2); nra. have V : 0 < Rabs (v i) by exact: Rabs_pos_lt.
apply: (Rmult_le_reg_r (Rabs (v i))) => //; rewrite -Rabs_mult -eigen SoftmaxJacobian_times_vector Rabs_mult Rabs_pos_eq //.
rewrite (_ : _ * _ * _ = p i * (2 * ((1 - p i) * Rabs (v i)))); last by ring. apply: Rmult_le_compat_l => //.
have rest : \sum_(j | j != i) p j = 1 - p i by have := sum_one; rewrite (bigD1 i) //=; lra.
have -> : v i - mean p v = \sum_(j | j != i) p j * (v i - v j).
  rewrite (eq_bigr (fun j => v i * p j + -1 * (p j * v j))) => [|j _]; last by ring.
  rewrite sum_add !sum_scale /mean (bigD1 i) //=. by rewrite rest; ring.
rewrite (_ : 2 * _ = \sum_(j | j != i) 2 * Rabs (v i) * p j); last by rewrite sum_scale rest; ring.
apply: (big_ind2 (fun a b => Rabs a <= b)); first by rewrite Rabs_R0; lra.
  by move=> a b c e ab ce; apply: (Rle_trans _ _ _ (Rabs_triang _ _)); lra.
move=> j _; rewrite Rabs_mult Rabs_pos_eq // [_ * p j]Rmult_comm; apply: Rmult_le_compat_l => //.
by apply: (Rle_trans _ _ _ (Rabs_triang _ _)); rewrite Rabs_Ropp; have := largest j; lra.
Qed.

(* Scope: the quadratic form of J is bounded by the two largest weights instead of the spectral norm, which is its greatest
   value on unit vectors. Left out: the bound 2 (1 - p) of the spectral norm, and the order of the three norms. *)
Theorem OneHotJacobianVanishes : (0 < n)%N -> ((forall i j, J p i j = 0) <-> exists m, forall i, p i = delta i m).
Proof.
move=> n0; split=> [zero|[m onehot] i j]; last first.
  rewrite /J !onehot /delta; case: (eqVneq i m) => [->|im]; last by ring. by rewrite eq_sym; case: eqP => _; ring.
have bit i : p i = 0 \/ p i = 1.
  by have := zero i i; rewrite /J /delta eqxx => /Rmult_integral[|] ?; [left | right]; lra.
have [m /eqP pm|none] := pickP (fun i => if Req_EM_T (p i) 1 then true else false).
  exists m => i; rewrite /delta; move: pm; case: Req_EM_T => // pm _. case: eqP => [->//|/eqP im]; have := zero m i.
  by rewrite /J /delta eq_sym (negbTE im) pm; lra.
have: \sum_i p i = 0; last by rewrite sum_one; lra.
rewrite big1 // => i _; case: (bit i) => // pi1. by have := none i; case: Req_EM_T.
Qed.
Theorem OneHotJacobianVanishes_trace m : \sum_i J p i i <= 2 * (1 - p m).
Proof.
have : (p m) ^ 2 <= \sum_i (p i) ^ 2.
  rewrite (bigD1 m isT) -{1}[_ ^ 2]Rplus_0_r; apply: Rplus_le_compat_l. by apply: sum_ge0 => i _; exact: pow2_ge_0.
by rewrite JacobianStructure_part3_trace; have := pow2_ge_0 (1 - p m); lra.
Qed.
(* No eigenvalue exceeds the largest weight. *)
Theorem OneHotJacobianVanishes_above m v : (forall i, p i <= p m) ->
  \sum_i v i * (\sum_j J p i j * v j) <= p m * (\sum_i (v i) ^ 2).
Proof.
move=> largest; have square := pow2_ge_0 (mean p v).
have -> : \sum_i v i * (\sum_j J p i j * v j) = \sum_i p i * (v i) ^ 2 + - (mean p v) ^ 2.
  rewrite (eq_bigr (fun i => p i * (v i) ^ 2 + - mean p v * (p i * v i))) => [|i _].
    by rewrite sum_add sum_scale -/(mean p v); ring.
  by rewrite SoftmaxJacobian_times_vector; ring.
suff : \sum_i p i * (v i) ^ 2 <= \sum_i p m * (v i) ^ 2 by rewrite sum_scale; lra.
by apply: sum_le => i _; apply: Rmult_le_compat_r => //; exact: pow2_ge_0.
Qed.
(* On the vector p_s e_f - p_f e_s the form is at least as large as the second weight p_s asks. *)
Theorem OneHotJacobianVanishes_below f s : f != s -> 0 <= p s <= p f ->
  let v i := p s * delta f i - p f * delta s i in
  p s * (\sum_i (v i) ^ 2) <= \sum_i v i * (\sum_j J p i j * v j).
Proof.
move=> fs [ps0 psf] v; have sum_v (w : 'I_n -> R) : \sum_i v i * w i = p s * w f - p f * w s.
  rewrite (eq_bigr (fun i => p s * (delta f i * w i) + - p f * (delta s i * w i))) => [|i _]; last by rewrite /v; ring.
  by rewrite sum_add !sum_scale !sum_delta; ring.
have [vf vs] : v f = p s /\ v s = - p f by rewrite /v /delta !eqxx (negbTE fs) eq_sym (negbTE fs); split; ring.
have mean0 : mean p v = 0.
  rewrite /mean (eq_bigr (fun i => v i * p i)) => [|i _]; last by ring. by rewrite sum_v; ring.
rewrite (eq_bigr (fun i => v i * v i)) => [|i _]; last by ring.
rewrite !sum_v !SoftmaxJacobian_times_vector mean0 vf vs. by nra.
Qed.
End Structure.
