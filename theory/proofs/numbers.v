(* The numbers that the documents print, and those of the errata. *)
From sqrtdk Require Import jacobian.
From Interval Require Import Tactic Float.Specific_ops Float.Specific_stdz.
Local Open Scope R_scope.

(* Interval arithmetic over plain integers needs no axiom on the machine's integers or floating-point numbers. *)
Module PlainIntegers := SpecificFloat StdZRadix2.
Module Import Exact := IntervalTactic PlainIntegers.
Ltac enclose := rewrite /rounds_to /=; repeat split; interval with (i_prec 120).

(* Computes sums and entries of short vectors. *)
Ltac each_index := case=> [[|[|[|[|[|//]]]]] ?] //.
Ltac expand := rewrite ?/softmax ?/mean ?/J ?/delta !big_ord_recl !big_ord0 !(tnth_nth 0) /=.
Ltac compute_weights := each_index; expand; enclose.

(* Scope: the table and the three sums. Left out: what the printed terms of two of these sums add up to. *)
Theorem SoftmaxWorkedExamples_1_1_1_5 i :
  rounds_to 4 (softmax (tnth [tuple 1; 1; 1; 5]) i) (tnth [tuple 0.0174; 0.0174; 0.0174; 0.9479] i).
Proof. by move: i; compute_weights. Qed.
Theorem SoftmaxWorkedExamples_50_10_5 i : rounds_to 1 (softmax (tnth [tuple 50; 10; 5]) i) (tnth [tuple 1.0; 0.0; 0.0] i).
Proof. by move: i; compute_weights. Qed.
Theorem SoftmaxWorkedExamples_5_1_half i :
  rounds_to 3 (softmax (tnth [tuple 5; 1; 0.5]) i) (tnth [tuple 0.971; 0.018; 0.011] i).
Proof. by move: i; compute_weights. Qed.
Theorem SoftmaxWorkedExamples_14_10_12 i :
  rounds_to 3 (softmax (tnth [tuple 14; 10; 12]) i) (tnth [tuple 0.867; 0.016; 0.117] i).
Proof. by move: i; compute_weights. Qed.
Theorem SoftmaxWorkedExamples_divided_by_8 i :
  rounds_to 3 (softmax (tnth [tuple 1.75; 1.25; 1.5]) i) (tnth [tuple 0.419; 0.254; 0.326] i).
Proof. by move: i; compute_weights. Qed.
Theorem SoftmaxWorkedExamples_five_scores i :
  rounds_to 3 (softmax (tnth [tuple 9.2; -3.1; 8.8; -5.4; 1.2]) i) (tnth [tuple 0.599; 0.000; 0.401; 0.000; 0.000] i).
Proof. by move: i; compute_weights. Qed.
Theorem SoftmaxWorkedExamples_sums : rounds_to 3 (exp 5 + exp 1 + exp 0.5) 152.780 /\
  rounds_to 0 (exp 14 + exp 10 + exp 12) 1387386 /\ rounds_to 3 (exp 1.75 + exp 1.25 + exp 1.5) 13.727.
Proof. by enclose. Qed.

(* Scope: the powers of e in the table of S2. Left out: the bounds by the series, and what else S2 prints. *)
Theorem ExponentialGrowth_printed : rounds_to 3 (exp 1) 2.718 /\ rounds_to 1 (exp 5) 148.4 /\
  rounds_to 0 (exp 10) 22026 /\ rounds_to 0 (exp 20) 485165195.
Proof. by enclose. Qed.
Theorem ExponentialGrowth_fiftieth_power : rounds_to 2 (exp 50) 5184705528587072464087.45.
Proof. by rewrite /rounds_to /=; interval with (i_prec 140). Qed.
Theorem ExponentialGrowth_misprint : 999 < exp 50 / 5184705528587072045 < 1001.
Proof. by enclose. Qed.

(* Scope: all of the statement, for any number of scores in the place of the dots. *)
Theorem PeakedExample n (x : 'I_n -> R) i j : x i = 8.5 -> x j = 7.9 ->
  softmax x i = exp 0.6 * softmax x j /\ rounds_to 4 (exp 0.6) 1.8221 /\ softmax x i < 0.646.
Proof.
move=> xi xj; have [pi0 _] := SoftmaxIsAProbability_part1 x i; have [pj0 _] := SoftmaxIsAProbability_part1 x j.
have r : softmax x i = exp 0.6 * softmax x j.
  have := SoftmaxIsAProbability_part2 x i j; rewrite xi xj (_ : 8.5 - 7.9 = 0.6) => [<-|]; last by lra. by field; lra.
have e : 1.822 < exp 0.6 < 1.8222 by split; interval with (i_prec 80). split=> //; split; first by enclose.
have ij : j != i by apply/eqP => ij; move: xj; rewrite ij xi; lra. have : softmax x i + softmax x j <= 1; last by nra.
rewrite -(SoftmaxIsAProbability_part1_sum x (leq_ltn_trans (leq0n i) (ltn_ord i))).
rewrite (bigD1 i isT) (bigD1 j) /=; last by rewrite ij.
apply: Rplus_le_compat_l; rewrite -{1}[softmax x j]Rplus_0_r; apply: Rplus_le_compat_l.
by apply: sum_ge0 => k _; left; case: (SoftmaxIsAProbability_part1 x k).
Qed.
Theorem PeakedExample_alone :
  let p := softmax (tnth [tuple 8.5; -2.1; 7.9]) in
  rounds_to 4 (p ord0) 0.6456 /\ rounds_to 7 (p (inord 1)) 0.0000161 /\ rounds_to 4 (p (inord 2)) 0.3543.
Proof.
have [-> ->] : inord 1 = lift ord0 ord0 :> 'I_3 /\ inord 2 = lift ord0 (lift ord0 ord0) :> 'I_3.
  by split; apply: val_inj; rewrite /= inordK.
by move=> p; rewrite /p; expand; enclose.
Qed.
Theorem PeakedExample_printed_ratio p1 p3 : Rabs (p1 - 0.99) <= 0.005 -> Rabs (p3 - 0.01) <= 0.005 -> exp 0.6 * p3 < p1.
Proof. move=> /Rabs_le_between low /Rabs_le_between high; have [p30|p30] := Rle_lt_dec p3 0; first by have := exp_pos 0.6; nra.
have e : exp 0.6 < 1.8222 by interval with (i_prec 80). by nra. Qed.
Theorem PeakedExample_witness : softmax (tnth [tuple 8.5; 7.9]) ord0 < 0.646 /\ exp 0.6 * 0.01 < 0.99.
Proof. split; first by have [] := @PeakedExample 2 (tnth [tuple 8.5; 7.9]) ord0 (lift ord0 ord0) erefl erefl => _ [].
by apply: PeakedExample_printed_ratio; rewrite Rminus_diag_eq // Rabs_R0; lra. Qed.

(* Scope: all of the statement. That no number beyond the two stated ones explains every weight is not proved. *)
Theorem SpreadExample (p printed : 'I_5 -> R) : \sum_i p i = 1 -> (forall i, Rabs (p i - printed i) <= 0.005) ->
  0.975 <= \sum_i printed i /\ \sum_i tnth [tuple 0.31; 0.07; 0.30; 0.05; 0.12] i = 0.85.
Proof.
move=> sum1 close; split; last by expand; lra.
have : \sum_i p i <= \sum_i (printed i + 0.005) by apply: sum_le => i _; have := close i; move/Rabs_le_between; lra.
by rewrite sum1 sum_add sum_const card_ord /=; lra.
Qed.
Theorem SpreadExample_right_weights i :
  rounds_to 3 (softmax (tnth [tuple 1.15; -0.39; 1.10; -0.68; 0.15]) i) (tnth [tuple 0.371; 0.080; 0.353; 0.060; 0.137] i).
Proof. by move: i; compute_weights. Qed.
Theorem SpreadExample_one_factor S : 10.03 <= S <= 10.10 ->
  rounds_to 2 (exp 1.15 / S) 0.31 /\ rounds_to 2 (exp (- 0.39) / S) 0.07 /\ rounds_to 2 (exp 1.10 / S) 0.30 /\
  rounds_to 2 (exp (- 0.68) / S) 0.05 /\ rounds_to 2 (exp 0.15 / S) 0.12 /\
  rounds_to 2 (exp 1.15 + exp (- 0.39) + exp 1.10 + exp (- 0.68) + exp 0.15) 8.51.
Proof. by move=> S_in; enclose. Qed.
Theorem SpreadExample_witness : let p (_ : 'I_5) := 0.2 in 0.975 <= \sum_i p i /\ rounds_to 2 (exp 1.15 / 10.05) 0.31.
Proof.
split; last by have [] := @SpreadExample_one_factor (10.05)%R ltac:(lra).
have [] // := @SpreadExample (fun=> 0.2) (fun=> 0.2); first by rewrite sum_const card_ord /=; lra.
by move=> i; rewrite Rminus_diag_eq // Rabs_R0; lra.
Qed.

Local Notation p := (tnth [tuple 0.3; 0.3; 0.2; 0.2]).
(* Scope: the matrix and its eigenvalues. Left out: what the document prints. *)
Theorem ModerateJacobianExample i j : J p i j = nth 0 (nth [::] [::
  [:: 0.21; -0.09; -0.06; -0.06]; [:: -0.09; 0.21; -0.06; -0.06];
  [:: -0.06; -0.06; 0.16; -0.04]; [:: -0.06; -0.06; -0.04; 0.16]] i) j.
Proof. by move: i; each_index; move: j; each_index; rewrite /J /delta !(tnth_nth 0) /=; lra. Qed.
Theorem ModerateJacobianExample_eigenvalues i : let eigen lambda v := \sum_j J p i j * tnth v j = lambda * tnth v i in
  eigen 0.3 [tuple 1; -1; 0; 0] /\ eigen 0.24 [tuple 1; 1; -1; -1] /\
  eigen 0.2 [tuple 0; 0; 1; -1] /\ eigen 0 [tuple 1; 1; 1; 1].
Proof.
have mean4 a b c d : mean p (tnth [tuple a; b; c; d]) = 0.3 * a + 0.3 * b + 0.2 * c + 0.2 * d by expand; ring.
rewrite /= !SoftmaxJacobian_times_vector !mean4. by move: i; each_index; rewrite !(tnth_nth 0) /=; repeat split; lra.
Qed.

(* Two weights of one half reach the bound. *)
Theorem JacobianStructure_part4_reached i :
  \sum_j J (fun _ : 'I_2 => 1 / 2) i j * (tnth [tuple 1; -1]) j = 1 / 2 * tnth [tuple 1; -1] i.
Proof. by move: i; each_index; expand; lra. Qed.
Theorem JacobianStructure_without_sum_one : \sum_j J (tnth [tuple 0.3; 0.2]) ord0 j = 0.15.
Proof. by expand; lra. Qed.
(* The second key has no weight: J (0, 1) = 0, and (0, 1) is not constant. *)
Theorem JacobianStructure_without_positive_weights i : \sum_j J (tnth [tuple 1; 0]) i j * (tnth [tuple 0; 1]) j = 0.
Proof. by move: i; each_index; expand; lra. Qed.

(* The hypotheses can be met: two weights of one half. *)
Section Witnesses.
Let half (i : 'I_2) := 1 / 2.
Let sum_half : \sum_i half i = 1.
Proof. by rewrite sum_const card_ord /=; lra. Qed.
Theorem JacobianStructure_witness (v : 'I_2 -> R) : let product i := \sum_j J half i j * v j in
  [/\ \sum_i v i * product i = mean half (fun i => (v i - mean half v) ^ 2), 0 <= \sum_i v i * product i,
      (forall i, product i = 0) <-> forall i j, v i = v j, \sum_i J half i i = 1 - \sum_i half i ^ 2 & Rabs (1 / 2) <= 1 / 2].
Proof.
have p0 i : 0 < half i by rewrite /half; lra. have p0' i : 0 <= half i by left.
split; [exact: JacobianStructure_part1_variance | exact: JacobianStructure_part1_semidefinite | exact: JacobianStructure_part2 |
  exact: JacobianStructure_part3_trace |].
have top j : Rabs (tnth [tuple 1; -1] j) <= Rabs (tnth [tuple 1; -1] (ord0 : 'I_2)).
  by move: j; each_index; rewrite !(tnth_nth 0) /=; split_Rabs; lra.
have v0 : tnth [tuple 1; -1] (ord0 : 'I_2) <> 0 by rewrite (tnth_nth 0) /=; lra.
by have [] := JacobianStructure_part4 sum_half p0' JacobianStructure_part4_reached v0 top; rewrite /half; lra.
Qed.
Theorem OneHotJacobianVanishes_witness (v : 'I_2 -> R) : let form v := \sum_i v i * (\sum_j J half i j * v j) in
  [/\ ~ (forall i j, J half i j = 0), \sum_i J half i i <= 2 * (1 - 1 / 2), form v <= 1 / 2 * (\sum_i v i ^ 2) &
      let w i := 1 / 2 * delta ord0 i - 1 / 2 * delta ord_max i in 1 / 2 * (\sum_i w i ^ 2) <= form w].
Proof.
split; [| exact: (OneHotJacobianVanishes_trace sum_half ord0) | apply: (OneHotJacobianVanishes_above (m := ord0)) |].
- by move/(OneHotJacobianVanishes sum_half isT) => [m] /(_ m); rewrite /half /delta eqxx; lra.
- by move=> i; exact: Rle_refl.
by apply: (OneHotJacobianVanishes_below (p := half)) => //; rewrite /half; lra.
Qed.
End Witnesses.
