(* Tools: finite sums of real numbers, and the denominator of softmax. *)
From Coq Require Export Reals Lra Psatz.
From mathcomp Require Export ssreflect ssrfun ssrbool eqtype ssrnat seq fintype tuple bigop.
From Coquelicot Require Export Coquelicot.
From sqrtdk Require Export definitions.
#[export] Set Implicit Arguments. #[export] Unset Strict Implicit. #[export] Unset Printing Implicit Defensive.
Local Open Scope R_scope.
Section Sums.
Variable I : finType.
Implicit Types (f g : I -> R) (P : pred I).
Lemma sum_add f g P : \sum_(i | P i) (f i + g i) = \sum_(i | P i) f i + \sum_(i | P i) g i.
Proof. exact: big_split. Qed.
Lemma sum_scale c f P : \sum_(i | P i) c * f i = c * \sum_(i | P i) f i.
Proof. by apply: (big_rec2 (fun a b => a = c * b)) => [|i a b _ ->]; ring. Qed.
Lemma sum_div c f P : \sum_(i | P i) f i / c = (\sum_(i | P i) f i) / c.
Proof. by rewrite /Rdiv Rmult_comm -sum_scale; apply: eq_bigr => i _; rewrite Rmult_comm. Qed.
Lemma sum_le f g P : (forall i, P i -> f i <= g i) -> \sum_(i | P i) f i <= \sum_(i | P i) g i.
Proof. by move=> fg; apply: (big_ind2 Rle) => //; [lra | move=> *; lra]. Qed.
Lemma sum_ge0 f P : (forall i, P i -> 0 <= f i) -> 0 <= \sum_(i | P i) f i.
Proof. by move=> f0; apply: big_ind => //; [lra | move=> *; lra]. Qed.
Lemma sum_const c P : \sum_(i | P i) c = INR #|P| * c.
Proof. rewrite big_const; elim: #|P| => [|n IH]; first by rewrite /=; ring. by rewrite iterS IH S_INR; ring. Qed.
Lemma sum_delta i f : \sum_j delta i j * f j = f i.
Proof. rewrite (bigD1 i) //= big1 /delta ?eqxx => [|j ji]; first by ring. by rewrite eq_sym (negbTE ji); ring. Qed.
Lemma exp_le (a b : R) : a <= b -> exp a <= exp b.
Proof. by case=> [/exp_increasing|->]; [left | right]. Qed.

(* Weights a and b, of one score and of all others, against weights a' and b' that differ by a factor of r at most. *)
Lemma share_rise r a b a' b' : 1 <= r -> 0 < a -> 0 <= b -> 0 < a' -> 0 <= b' -> a' <= r * a -> b <= r * b' ->
  a' / (a' + b') - a / (a + b) <= (r - 1) / (r + 1).
Proof.
move=> r1 a0 b0 a'0 b'0 a'ra brb'. suff rise : 0 <= (r - 1) * a * a' + (r - 1) * b * b' + 2 * r * a * b' - 2 * a' * b.
  have D : 0 < (r + 1) * (a' + b') * (a + b) by apply: Rmult_lt_0_compat; nra.
  have : (r - 1) / (r + 1) - (a' / (a' + b') - a / (a + b)) =
         ((r - 1) * a * a' + (r - 1) * b * b' + 2 * r * a * b' - 2 * a' * b) / ((r + 1) * (a' + b') * (a + b)).
    by field; lra.
  by have := Rdiv_le_0_compat _ _ rise D; lra.
have : 0 <= (r - 1) * b + 2 * r * a by nra. have square : 0 <= a' * (r - 1) * (r * a - b) ^ 2.
  by apply: Rmult_le_pos; [apply: Rmult_le_pos; lra | exact: pow2_ge_0].
have rest : 0 <= (r * a - a') * ((r - 1) * b ^ 2 + 2 * r * a * b).
  by apply: Rmult_le_pos; [lra | have := pow2_ge_0 b; nra].
have ra : 0 < r * a * r by nra. move=> slope; apply: (Rmult_le_reg_l _ _ _ ra); rewrite Rmult_0_r.
have : 0 <= r * a * (((r - 1) * b + 2 * r * a) * (r * b' - b)).
  by apply: Rmult_le_pos; [nra | apply: Rmult_le_pos; lra].
by nra.
Qed.
End Sums.

Section Total.
Variable I : finType.
Implicit Types (x : I -> R).
Definition total x := \sum_j exp (x j).
Lemma total_split x i : total x = exp (x i) + \sum_(j | j != i) exp (x j).
Proof. by rewrite /total (bigD1 i). Qed.
Lemma others_ge0 x (P : pred I) : 0 <= \sum_(j | P j) exp (x j).
Proof. by apply: sum_ge0 => j _; left; exact: exp_pos. Qed.
Lemma total_gt0 x (i : I) : 0 < total x.
Proof. by rewrite (total_split x i); have := others_ge0 x (fun j => j != i); have := exp_pos (x i); lra. Qed.
Lemma softmaxE x i : softmax x i = exp (x i) / total x.
Proof. by []. Qed.
End Total.

(* A sequence that differs from its limit by at most c exp (-g), where g grows without bound. *)
Lemma exp_squeeze (u g : nat -> R) (c l : R) :
  (forall t, Rabs (u t - l) <= c * exp (- g t)) -> is_lim_seq g p_infty -> is_lim_seq u l.
Proof.
move=> near grows; have zero : is_lim_seq (fun t => c * exp (- g t)) 0.
  rewrite (_ : Finite 0 = Rbar_mult c 0); last by rewrite /=; congr Finite; ring.
  apply: is_lim_seq_scal_l; apply: (is_lim_comp_seq exp (fun t => - g t) m_infty 0) => //; first exact: is_lim_exp_m.
    by exists 0%nat.
  by have := proj1 (is_lim_seq_opp _ _) grows.
apply: (is_lim_seq_le_le (fun t => l + -1 * (c * exp (- g t))) u (fun t => l + c * exp (- g t))).
- by move=> t; have := near t; move/Rabs_le_between; lra.
- rewrite (_ : Finite l = Finite (l + -1 * 0)); last by congr Finite; lra.
  by apply: is_lim_seq_plus'; [exact: is_lim_seq_const | exact: (is_lim_seq_scal_l _ (-1) 0)].
- rewrite (_ : Finite l = Finite (l + 0)); last by congr Finite; lra.
  by apply: is_lim_seq_plus'; first exact: is_lim_seq_const.
Qed.
