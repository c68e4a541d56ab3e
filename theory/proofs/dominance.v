(* Chapters softmax and temperature: the greatest scores take all of the weight as their gap grows. *)
From sqrtdk Require Import softmax.
Local Open Scope R_scope.

Section Ties.
Variables (n : nat) (x : 'I_n -> R) (T : pred 'I_n) (M g : R).
Hypothesis largest : forall i, T i -> x i = M.
Hypothesis some : (0 < #|T|)%N.
Let k := INR #|T|.
Let rest := INR #|predC T| * exp (- g).
Let others := \sum_(j | ~~ T j) exp (x j).
Let k1 : 1 <= k.
Proof. by have := le_INR 1 #|T| (elimT leP some). Qed.
Let others0 : 0 <= others := others_ge0 x (fun j => ~~ T j).
Let total_ties : total x = k * exp M + others.
Proof. by rewrite /total (bigID T) /= (eq_bigr (fun=> exp M)) ?sum_const // => i /largest->. Qed.
Let share : \sum_(j | ~~ T j) softmax x j = others / (k * exp M + others).
Proof. by rewrite -total_ties -sum_div. Qed.
Let leftover : \sum_(j | ~~ T j) exp (M - g) = rest * exp M.
Proof.
transitivity (INR #|predC T| * exp (M - g)); first exact: (sum_const _ (predC T)). by rewrite /rest /Rminus exp_plus; ring.
Qed.
Let rest0 : 0 <= rest.
Proof. by apply: Rmult_le_pos; [exact: pos_INR | left; exact: exp_pos]. Qed.
Lemma weight_off_ties : (forall j, ~~ T j -> x j + g <= M) -> \sum_(j | ~~ T j) softmax x j <= rest / (k + rest) <= rest / k.
Proof.
move=> gap; have r0 := rest0; have o : others <= rest * exp M.
  by rewrite -leftover; apply: sum_le => j /gap jM; apply: exp_le; lra.
have e := exp_pos M; have K := k1; split.
  rewrite share; apply/Rle_div_l; first by have := others0; nra.
  have -> : rest / (k + rest) * (k * exp M + others) = rest * (k * exp M + others) / (k + rest) by field; lra.
  by apply: (proj1 (Rle_div_r _ _ _ _)); nra.
by apply: Rmult_le_compat_l => //; apply: Rinv_le_contravar; lra.
Qed.
Lemma weight_off_ties_equal : (forall j, ~~ T j -> x j + g = M) -> \sum_(j | ~~ T j) softmax x j = rest / (k + rest).
Proof.
move=> gap; have o : others = rest * exp M.
  by rewrite -leftover; apply: eq_bigr => j /gap jM; congr exp; lra.
by rewrite share o; have := exp_pos M; have r0 := rest0; have := k1 => K e; field; split; nra.
Qed.

(* The ties share the rest of the weight equally. *)
Lemma weight_of_tie i : T i -> softmax x i = (1 - \sum_(j | ~~ T j) softmax x j) / k.
Proof. move=> Ti; rewrite share softmaxE total_ties (largest Ti).
by have := exp_pos M; have := k1; have := others0 => o K e; field; split; nra. Qed.
End Ties.

Section Dominance.
Variables (n : nat).
Implicit Types (x s : 'I_n -> R) (m : 'I_n).
Lemma others_of_one m : INR #|predC (pred1 m)| = INR n - 1.
Proof. have -> : #|predC (pred1 m)| = n.-1 by have := cardC1 m; rewrite card_ord => <-; apply: eq_card.
by case: n m => [[]//|k] _; rewrite S_INR /=; lra. Qed.
Lemma weight_off_one x m : 1 - softmax x m = \sum_(j | j != m) softmax x j.
Proof.
rewrite -(@SoftmaxIsAProbability_part1_sum _ x); last exact: leq_ltn_trans (ltn_ord m). by rewrite (bigD1 m) //=; ring.
Qed.
Let fraction (c g : R) : 0 <= c -> c * exp (- g) / (INR 1 + c * exp (- g)) = c / (exp g + c).
Proof. by rewrite exp_Ropp; have := exp_pos g => g0 c0; rewrite /=; field; nra. Qed.
Let others_pos m : 0 <= INR n - 1.
Proof. by rewrite -(others_of_one m); exact: pos_INR. Qed.

(* Scope: all of the statement, also for a gap that is not positive and for a single score. *)
Theorem SoftmaxDominance x m g : (forall j, j != m -> x j + g <= x m) ->
  1 - softmax x m <= (INR n - 1) / (exp g + (INR n - 1)) <= (INR n - 1) * exp (- g).
Proof. move=> gap; have := @weight_off_ties n x (pred1 m) (x m) g. rewrite card1 others_of_one fraction; last exact: others_pos.
rewrite weight_off_one Rdiv_1; apply=> // i; by move/eqP->. Qed.
Theorem SoftmaxDominance_equality x m g : (forall j, j != m -> x j + g = x m) ->
  1 - softmax x m = (INR n - 1) / (exp g + (INR n - 1)).
Proof. move=> gap; have := @weight_off_ties_equal n x (pred1 m) (x m) g.
rewrite card1 others_of_one fraction; last exact: others_pos. by rewrite weight_off_one; apply=> // i; move/eqP->. Qed.
Theorem SoftmaxDominance_limit (x : nat -> 'I_n -> R) (g : nat -> R) m i :
  (forall t j, j != m -> x t j + g t <= x t m) -> is_lim_seq g p_infty -> is_lim_seq (fun t => softmax (x t) i) (delta i m).
Proof.
move=> gap; apply: (@exp_squeeze _ g (INR n - 1)) => t.
have [le1 le2] := SoftmaxDominance (gap t); have off := weight_off_one (x t) m.
have pos j : 0 < softmax (x t) j by case: (SoftmaxIsAProbability_part1 (x t) j). rewrite /delta; case: eqP => [->|/eqP im].
  rewrite Rabs_minus_sym Rabs_pos_eq; first by lra.
  by rewrite off; apply: sum_ge0 => j _; left.
rewrite Rminus_0_r Rabs_pos_eq; last by left. apply: (Rle_trans _ (1 - softmax (x t) m)); last by lra.
rewrite off (bigD1 i im) -{1}[softmax (x t) i]Rplus_0_r /=; apply: Rplus_le_compat_l. by apply: sum_ge0 => j _; left.
Qed.

(* Scope: all of the statement; the limits are along every sequence of temperatures that tends to 0 or grows without bound. *)
Theorem TemperatureLimits_part1 s (T : pred 'I_n) M g tau : 0 < tau -> (0 < #|T|)%N ->
  (forall i, T i -> s i = M) -> (forall j, ~~ T j -> s j + g <= M) ->
  let k := INR #|T| in let rest := INR #|predC T| * exp (- (g / tau)) in
  \sum_(j | ~~ T j) softmax (fun j => s j / tau) j <= rest / (k + rest) <= rest / k.
Proof. move=> tau0 some largest gap; apply: (@weight_off_ties _ _ _ (M / tau)) => // [i /largest->|j /gap jM] //.
by rewrite -Rdiv_plus_distr; apply: Rmult_le_compat_r => //; left; exact: Rinv_0_lt_compat. Qed.
Theorem TemperatureLimits_part1_equality s (T : pred 'I_n) M g tau : 0 < tau -> (0 < #|T|)%N ->
  (forall i, T i -> s i = M) -> (forall j, ~~ T j -> s j + g = M) ->
  let k := INR #|T| in let rest := INR #|predC T| * exp (- (g / tau)) in
  \sum_(j | ~~ T j) softmax (fun j => s j / tau) j = rest / (k + rest).
Proof. move=> tau0 some largest gap; apply: (@weight_off_ties_equal _ _ _ (M / tau)) => // [i /largest->|j /gap jM] //.
by rewrite -Rdiv_plus_distr jM. Qed.
Theorem TemperatureLimits_part1_limit s (T : pred 'I_n) M g (tau : nat -> R) i : 0 < g -> (0 < #|T|)%N ->
  (forall i, T i -> s i = M) -> (forall j, ~~ T j -> s j + g <= M) -> (forall t, 0 < tau t) -> is_lim_seq tau 0 ->
  is_lim_seq (fun t => softmax (fun j => s j / tau t) i) (if T i then / INR #|T| else 0).
Proof.
move=> g0 some largest gap tau0 cold; have k1 := le_INR 1 #|T| (elimT leP some); rewrite /= in k1.
have c0 := pos_INR #|predC T|; apply: (@exp_squeeze _ (fun t => g / tau t) (INR #|predC T|)) => [t|]; last first.
  have B0 B : 0 < g / (Rabs B + 1) by have := Rabs_pos B; move=> h; apply: Rdiv_lt_0_compat; lra.
  apply/is_lim_seq_spec => B; have/is_lim_seq_spec/(_ (mkposreal _ (B0 B))) := cold.
  case=> N close; exists N => t /close /=; rewrite Rminus_0_r Rabs_pos_eq; last by left.
  have := Rabs_pos B; have := Rle_abs B => B1 B2 small.
  apply: (proj1 (Rlt_div_r _ _ _ (tau0 t))); have/Rlt_div_r := small; move/(_ ltac:(lra)); have := tau0 t; nra.
have [le1 le2] := TemperatureLimits_part1 (tau0 t) some largest gap.
set p := softmax _ in le1 *; have pos j : 0 < p j by case: (SoftmaxIsAProbability_part1 (fun j => s j / tau t) j).
have off0 : 0 <= \sum_(j | ~~ T j) p j by apply: sum_ge0 => j _; left.
have over z : 0 <= z -> z / INR #|T| <= z by move=> z0; apply/Rle_div_l; nra.
have rest0 : 0 <= INR #|predC T| * exp (- (g / tau t)) by apply: Rmult_le_pos => //; left; exact: exp_pos. case: ifP => Ti.
  rewrite {1}/p (@weight_of_tie _ _ T (M / tau t)) // => [|j /largest-> //]; rewrite -/p Rabs_minus_sym.
  have -> : / INR #|T| - (1 - \sum_(j | ~~ T j) p j) / INR #|T| = (\sum_(j | ~~ T j) p j) / INR #|T| by field; lra.
  rewrite Rabs_pos_eq; last by apply: Rdiv_le_0_compat; lra. by have := over _ off0; have := over _ rest0; lra.
rewrite Rminus_0_r Rabs_pos_eq; last by left. have : p i <= \sum_(j | ~~ T j) p j.
  rewrite (bigD1 i) ?Ti // -{1}[p i]Rplus_0_r; apply: Rplus_le_compat_l; by apply: sum_ge0 => j _; left.
by have := over _ rest0; lra.
Qed.
Theorem TemperatureLimits_part2 s range tau i : 0 < tau -> (forall j k, s j - s k <= range) ->
  Rabs (INR n * softmax (fun j => s j / tau) i - 1) <= exp (range / tau) - 1.
Proof.
move=> tau0 within; have T := total_gt0 (fun j => s j / tau) i; have ti := Rinv_0_lt_compat _ tau0.
have near j k : exp (s j / tau) <= exp (range / tau) * exp (s k / tau).
  by rewrite -exp_plus; apply: exp_le; have := within j k; rewrite /Rdiv; nra.
have card : \big[Rplus/0]_(j < n) exp (s i / tau) = INR n * exp (s i / tau) by rewrite sum_const card_ord.
have up : INR n * exp (s i / tau) <= exp (range / tau) * total (fun j => s j / tau).
  by rewrite -card /total -sum_scale; apply: sum_le.
have down : total (fun j => s j / tau) <= exp (range / tau) * (INR n * exp (s i / tau)).
  by rewrite -card /total -sum_scale; apply: sum_le.
have r1 : 1 <= exp (range / tau) by rewrite -exp_0; apply: exp_le; have := within i i; rewrite /Rdiv; nra. rewrite softmaxE.
have -> : INR n * (exp (s i / tau) / total (fun j => s j / tau)) = INR n * exp (s i / tau) / total (fun j => s j / tau).
  by rewrite /Rdiv Rmult_assoc.
move: (INR n * _) (total _) (exp (range / tau)) T up down r1 => a t r T up down r1. have high : a / t <= r by apply/Rle_div_l.
have low : 1 <= r * (a / t) by rewrite /Rdiv -Rmult_assoc; apply: (proj1 (Rle_div_r 1 (r * a) t T)); lra.
by apply: Rabs_le; split; nra.
Qed.
Theorem TemperatureLimits_part2_limit s range (tau : nat -> R) i :
  (forall t, 0 < tau t) -> (forall j k, s j - s k <= range) -> is_lim_seq tau p_infty ->
  is_lim_seq (fun t => softmax (fun j => s j / tau t) i) (/ INR n).
Proof.
move=> tau0 within hot. have n0 : 0 < INR n by apply: lt_0_INR; apply/ltP; exact: leq_ltn_trans (ltn_ord i).
have one : is_lim_seq (fun t => exp (range / tau t)) 1.
  rewrite -exp_0 (_ : exp 0 = exp (range * 0)); last by rewrite Rmult_0_r.
  apply: (is_lim_seq_continuous exp); first by apply: derivable_continuous_pt; exact: derivable_pt_exp.
  exact: (is_lim_seq_scal_l _ range 0 (is_lim_seq_inv tau p_infty hot _)).
apply: (is_lim_seq_le_le (fun t => / INR n * (2 + -1 * exp (range / tau t))) _ (fun t => / INR n * exp (range / tau t))).
- move=> t; have := TemperatureLimits_part2 i (tau0 t) within; move/Rabs_le_between => bounds.
  have cancel z : INR n * (/ INR n * z) = z by field; lra. by split; apply: (Rmult_le_reg_l _ _ _ n0); rewrite cancel; lra.
- rewrite (_ : Finite (/ INR n) = Finite (/ INR n * (2 + -1 * 1))); last by congr Finite; lra.
  apply: (is_lim_seq_scal_l _ _ (2 + -1 * 1)); apply: is_lim_seq_plus'; first exact: is_lim_seq_const.
  exact: (is_lim_seq_scal_l _ (-1) 1).
- rewrite (_ : Finite (/ INR n) = Finite (/ INR n * 1)); last by congr Finite; lra.
  exact: (is_lim_seq_scal_l _ _ 1).
Qed.
End Dominance.

(* Three scores of 50: without a gap nothing dominates, however large the scores are. *)
Theorem SoftmaxDominance_without_gap i : softmax (fun _ : 'I_3 => 50) i = 1 / 3.
Proof. by rewrite /softmax !big_ord_recl !big_ord0 /=; have := exp_pos 50 => e; field; lra. Qed.

(* The hypotheses can be met: one score is 1 and all others are 0. *)
Section Witnesses.
Variables (n : nat) (m i : 'I_n).
Let s (j : 'I_n) := delta j m.
Let gap g j : j != m -> g * s j + g = g * s m.
Proof. by rewrite /s /delta eqxx; case: eqP => // _ _; ring. Qed.
Theorem SoftmaxDominance_witness : 1 - softmax (fun j => 1 * s j) m = (INR n - 1) / (exp 1 + (INR n - 1)) /\
  is_lim_seq (fun t => softmax (fun j => INR t * s j) i) (delta i m).
Proof. split; first exact: SoftmaxDominance_equality (gap 1).
by apply: (@SoftmaxDominance_limit n (fun t j => INR t * s j) INR) => [t j /gap->|]; [lra | exact: is_lim_seq_INR]. Qed.
Theorem TemperatureLimits_witness : let rest := INR #|predC (pred1 m)| * exp (- (1 / 1)) in
  [/\ \sum_(j | ~~ (pred1 m) j) softmax (fun j => s j / 1) j = rest / (INR #|pred1 m| + rest),
      is_lim_seq (fun t => softmax (fun j => s j / / (INR t + 1)) i) (if pred1 m i then / INR #|pred1 m| else 0) &
      is_lim_seq (fun t => softmax (fun j => s j / (INR t + 1)) i) (/ INR n)].
Proof.
have some : (0 < #|pred1 m|)%N by rewrite card1. have top j : pred1 m j -> s j = 1 by move/eqP->; rewrite /s /delta eqxx.
have gap1 j : ~~ pred1 m j -> s j + 1 = 1 by move/(gap 1); rewrite (top m) ?inE ?eqxx //; lra.
have pos t : 0 < INR t + 1 by have := pos_INR t; lra. have grows : is_lim_seq (fun t => INR t + 1) p_infty.
  by apply: (is_lim_seq_ext (fun t => INR t.+1) _ _ S_INR); exact: (proj1 (is_lim_seq_incr_1 _ _) is_lim_seq_INR).
split; first by apply: (TemperatureLimits_part1_equality (M := 1)) => //; lra.
  apply: (TemperatureLimits_part1_limit (M := 1) (g := 1)) => // [|j /gap1||]; try lra; last exact: (is_lim_seq_inv _ p_infty).
  by move=> t; exact: Rinv_0_lt_compat.
by apply: (TemperatureLimits_part2_limit (range := 1)) => // j k; rewrite /s /delta; do 2!case: eqP => _; lra.
Qed.
End Witnesses.
