(* Chapter score: the hypotheses can be met in every dimension, and each of them is needed. *)
From sqrtdk Require Export score.
Local Open Scope ring_scope.

(* One coin for each of the 2d entries. *)
Section Coins.
Variables (F : realFieldType) (d : nat).
Let I := [finType of 'I_d + 'I_d].
Let coins := coins F I.
Let query (X : bool -> F) (i : 'I_d) (w : {ffun I -> bool}) := X (w (inl i)).
Let key (X : bool -> F) (i : 'I_d) (w : {ffun I -> bool}) := X (w (inr i)).
Let fair_bit (b : bool) : F := b%:R.
Let sign (b : bool) : F := (-1) ^+ b.
Lemma entries_independent X Y : all_independent coins (entries (query X) (key Y)).
Proof. by apply: (@coins_independent _ _ _ (fun e => if e is inl _ then X else Y)) => -[i|i] w. Qed.
Lemma mean_of_coin X e : E coins (fun w => X (w e)) = (X true + X false) / 2%:R.
Proof. exact: coinE. Qed.
Lemma variance_of_coin X e : Var coins (fun w => X (w e)) = ((X true - X false) / 2%:R) ^+ 2.
Proof. by rewrite /Var mean_of_coin (mean_of_coin (fun b => (X b - _) ^+ 2)); by_field. Qed.
Lemma mean_of_coins X Y : E coins (score (query X) (key Y)) = d%:R * ((X true + X false) / 2%:R * ((Y true + Y false) / 2%:R)).
Proof. by apply: DotProductMean_finite => i; try exact: mean_of_coin; exact/entry_pairs/entries_independent. Qed.
Lemma variance_of_coins X Y : let mean X := (X true + X false) / 2%:R in let var X := ((X true - X false) / 2%:R) ^+ 2 in
  Var coins (score (query X) (key Y)) = d%:R * (var X * var Y + mean X ^+ 2 * var Y + mean Y ^+ 2 * var X).
Proof. apply: DotProductVariance_finite => *.
all: by first [exact: mean_of_coin | exact: variance_of_coin | exact: entries_independent]. Qed.
Lemma square_with_sign X i :
  E coins (fun w => query X i w ^+ 2 * key sign i w ^+ 2) = (X true ^+ 2 + X false ^+ 2) / 2%:R.
Proof.
rewrite (SquareTermMean_finite (fun i => mean_of_coin X (inl i)) (fun i => mean_of_coin sign (inr i))
  (fun i => variance_of_coin X (inl i)) (fun i => variance_of_coin sign (inr i))); first by rewrite /sign; by_field.
exact: (entry_pairs (entries_independent X sign) i).
Qed.

(* Fair signs. *)
Let signs e : E coins (fun w => sign (w e)) = 0 /\ Var coins (fun w => sign (w e)) = 1.
Proof. by rewrite mean_of_coin variance_of_coin /sign; split; by_field. Qed.
Theorem DotProductVariance_witness : let q := query sign in let k := key sign in
  [/\ forall i, E coins (q i) = 0 /\ Var coins (q i) = 1, forall i, E coins (k i) = 0 /\ Var coins (k i) = 1,
      all_independent coins (entries q k) & Var coins (score q k) = d%:R].
Proof.
have ind := entries_independent sign sign; split=> // [i|i|]; try exact: signs.
by apply: (DotProductVariance_finite_short _ _ _ _ ind) => // i; first [by case: (signs (inl i)) | by case: (signs (inr i))].
Qed.
(* Entries are 0 or 2. *)
Theorem DotProductVariance_without_mean_zero : let X b := 2%:R * fair_bit b in
  (forall i, Var coins (query X i) = 1) /\ Var coins (score (query X) (key X)) = 3%:R * d%:R.
Proof. split=> [i|]; last by rewrite variance_of_coins /fair_bit /=; by_field.
by apply: etrans (variance_of_coin _ (inl i)) _; rewrite /fair_bit /=; by_field. Qed.
(* Entries of the query are 2 or -2. *)
Theorem DotProductVariance_without_unit_variance :
  Var coins (score (query (fun b => 2%:R * sign b)) (key sign)) = 4%:R * d%:R.
Proof. by rewrite variance_of_coins /sign /=; by_field. Qed.
Theorem DotProductMean_without_mean_zero : E coins (score (query fair_bit) (key fair_bit)) = d%:R / 4%:R.
Proof. by rewrite mean_of_coins /fair_bit /=; by_field. Qed.

(* Entries are 0 or 2. *)
Theorem WithoutZeroMean_without_mean_zero : let X b := 2%:R * fair_bit b in
  Var coins (score (query X) (key X)) = 3%:R * d%:R /\ E coins (score (query X) (key X)) = d%:R.
Proof. by rewrite /= variance_of_coins mean_of_coins /fair_bit /=; split; by_field. Qed.
Theorem SquareTermMean_without_unit_variance i :
  E coins (fun w => query (fun b => 2%:R * sign b) i w ^+ 2 * key sign i w ^+ 2) = 4%:R.
Proof. by rewrite (square_with_sign (fun b => 2%:R * sign b)) /sign; by_field. Qed.
Theorem SquareTermMean_without_mean_zero i :
  E coins (fun w => query (fun b => 2%:R * fair_bit b) i w ^+ 2 * key sign i w ^+ 2) = 2%:R.
Proof. by rewrite (square_with_sign (fun b => 2%:R * fair_bit b)) /fair_bit /=; by_field. Qed.
Theorem CrossTermMean_without_mean_zero i j : i != j ->
  E coins (fun w => query fair_bit i w * key fair_bit i w * query fair_bit j w * key fair_bit j w) = 1 / 16%:R.
Proof.
move=> ij; rewrite (@CrossTermMean_finite _ _ _ _ (query fair_bit) (key fair_bit) (1 / 2%:R) (1 / 2%:R)) //.
- by by_field.
- by move=> e; rewrite (mean_of_coin fair_bit) /fair_bit /= addr0.
- by move=> e; rewrite (mean_of_coin fair_bit) /fair_bit /= addr0.
- exact: entries_independent.
Qed.

(* The key is the query, with fair signs as entries. *)
Theorem DotProductMean_without_independent w : score (query sign) (query sign) w = d%:R.
Proof. by rewrite /score (eq_bigr (fun=> 1)) => [|i _]; rewrite ?sumr_const ?card_ord // /query -expr2 sqrr_sign. Qed.
Theorem DotProductVariance_without_independent : Var coins (score (query sign) (query sign)) = 0.
Proof.
rewrite /Var (eqE (fun=> (d%:R - d%:R) ^+ 2)) => [|w]; first by rewrite E_const subrr expr0n.
by rewrite DotProductMean_without_independent (eqE (fun=> d%:R) DotProductMean_without_independent) E_const.
Qed.
Theorem CrossTermMean_without_independent i j w :
  E coins (query sign i) = 0 /\ query sign i w * query sign i w * query sign j w * query sign j w = 1.
Proof. by split; [case: (signs (inl i)) | rewrite /query -mulrA -!expr2 !sqrr_sign mulr1]. Qed.
End Coins.

(* Key and query are one entry, which is 2, -2 or 0; its mean is 0 and its variance 1. *)
Theorem SquareTermMean_without_independent (F : realFieldType) : let I := [finType of option bool] in
  let x (w : {ffun I -> bool}) : F := 2%:R * (-1) ^+ w None * (w (Some true))%:R * (w (Some false))%:R in
  [/\ E (coins F I) x = 0, E (coins F I) (fun w => x w ^+ 2) = 1 & E (coins F I) (fun w => x w ^+ 2 * x w ^+ 2) = 4%:R].
Proof.
move=> I x; pose y (i : I) (b : bool) : F := if i == None then (-1) ^+ b else b%:R.
have power m : E (coins F I) (fun w => x w ^+ m) = 2%:R ^+ m * (((-1) ^+ m + 1) / 2%:R * ((1 + 0 ^+ m) / 2%:R) ^+ 2).
  have indep : all_independent (coins F I) (fun i w => y i (w i)) by exact: (coins_independent (f := y)).
  have := all_independent_product (s := [:: None; Some true; Some false]) (fun _ r => r ^+ m) indep isT.
  rewrite !big_cons !big_nil /= !mulr1 !(coinE _ (fun b => y _ b ^+ m)) /y /= expr1 expr0 expr1n => <-.
  by rewrite -E_scale; apply: eqE => w; rewrite !big_cons big_nil /= mulr1 /x !exprMn !mulrA.
split; first by rewrite -[x]/(fun w => x w) (eqE (fun w => x w ^+ 1)) ?power; [by_field | move=> w; rewrite expr1].
  by rewrite power; by_field.
by rewrite (eqE (fun w => x w ^+ 4)) ?power; [by_field | move=> w; rewrite -exprD].
Qed.

(* The hypotheses can be met: fair signs in dimension 1, fair bits in dimension 2. *)
Section Witnesses.
Variable F : realFieldType.
Let q (i : 'I_1) (w : {ffun 'I_1 + 'I_1 -> bool}) : F := (-1) ^+ w (inl i).
Let k (i : 'I_1) (w : {ffun 'I_1 + 'I_1 -> bool}) : F := (-1) ^+ w (inr i).
Theorem WithoutZeroMean_witness : Var (coins F _) (score q k) = 1.
Proof.
have [qs ks ind _] := DotProductVariance_witness F 1.
have := WithoutZeroMean_finite (fun i => (qs i).1) (fun i => (ks i).1) (fun i => (qs i).2) (fun i => (ks i).2) ind isT.
by case=> // -> _; ring.
Qed.
Theorem WithoutUnitVariance_witness : Var (coins F _) (score q k) = 1.
Proof.
have [qs ks ind _] := DotProductVariance_witness F 1.
have := WithoutUnitVariance_finite (fun i => (qs i).1) (fun i => (ks i).1) (fun i => (qs i).2) (fun i => (ks i).2) ind isT.
by case=> // -> _; ring.
Qed.
Theorem CrossTermMean_witness : let w1 (w : {ffun 'I_2 + 'I_2 -> bool}) : F := (w (inl ord0))%:R in
  E (coins F _) (fun w => w1 w * (w (inr ord0))%:R * (w (inl ord_max))%:R * (w (inr ord_max))%:R) = 1 / 16%:R.
Proof. exact: (CrossTermMean_without_mean_zero F (i := ord0) (j := ord_max)). Qed.
End Witnesses.
