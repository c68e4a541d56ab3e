(* Tools: expectation is linear, and the mean of a product of independent variables is the product of their means. *)
From mathcomp Require Export all_ssreflect all_algebra ring.
From sqrtdk Require Export definitions.
#[export] Set Implicit Arguments. #[export] Unset Strict Implicit. #[export] Unset Printing Implicit Defensive.
Export Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Linear.
Variables (F : realFieldType) (Omega : finType) (P : probability F Omega).
Implicit Types (X Y : Omega -> F) (c : F).
Lemma eqE X Y : X =1 Y -> E P X = E P Y.
Proof. by move=> XY; apply: eq_bigr => w _; rewrite XY. Qed.
Lemma E_const c : E P (fun=> c) = c.
Proof. by rewrite /E -mulr_suml weight_sum mul1r. Qed.
Lemma E_scale c X : E P (fun w => c * X w) = c * E P X.
Proof. by rewrite /E mulr_sumr; apply: eq_bigr => w _; rewrite mulrCA. Qed.
Lemma E_add X Y : E P (fun w => X w + Y w) = E P X + E P Y.
Proof. by rewrite /E -big_split; apply: eq_bigr => w _; rewrite mulrDr. Qed.
Lemma E_sum (I : finType) (X : I -> Omega -> F) : E P (fun w => \sum_i X i w) = \sum_i E P (X i).
Proof. by rewrite /E exchange_big; apply: eq_bigr => w _; rewrite mulr_sumr. Qed.
Lemma E_div X c : E P (fun w => X w / c) = E P X / c.
Proof. by rewrite [RHS]mulrC -E_scale; apply: eqE => w; rewrite mulrC. Qed.
Lemma E_le X Y : (forall w, X w <= Y w) -> E P X <= E P Y.
Proof. by move=> XY; apply: ler_sum => w _; apply: ler_wpmul2l (XY w); exact: weight_ge0. Qed.
Lemma Pr_E (A : pred Omega) : Pr P A = E P (fun w => (A w)%:R).
Proof. by rewrite /Pr /E big_mkcond; apply: eq_bigr => w _; case: (A w); rewrite ?mulr1 ?mulr0. Qed.
End Linear.
Arguments eqE {F Omega P X} Y.

Section Independent.
Variables (F : realFieldType) (Omega : finType) (P : probability F Omega).

(* Group the outcomes by the values of all variables: over these values the sum of products is a product of sums. *)
Lemma all_independentE (I : finType) (X : I -> Omega -> F) (f : I -> F -> F) : all_independent P X ->
  E P (fun w => \prod_i f i (X i w)) = \prod_i E P (fun w => f i (X i w)).
Proof.
move=> indep; pose V := seq_sub (undup [seq X p.1 p.2 | p <- enum [finType of I * Omega]]).
have inV i w : X i w \in undup [seq X p.1 p.2 | p <- enum [finType of I * Omega]].
  by rewrite mem_undup; apply/mapP; exists (i, w); rewrite ?mem_enum.
pose Y i w : V := SeqSub (inV i w).
have by_value i : E P (fun w => f i (X i w)) = \sum_(v : V) f i (val v) * Pr P (fun w => X i w == val v).
  rewrite /E (partition_big (Y i) xpredT) //=; apply: eq_bigr => v _; rewrite /Pr mulr_sumr.
  by apply: eq_big => [w|w /eqP <-]; [rewrite -val_eqE | rewrite mulrC].
rewrite (eq_bigr _ (fun i _ => by_value i)) bigA_distr_bigA /=.
rewrite /E (partition_big (fun w => [ffun i => Y i w]) xpredT) //=; apply: eq_bigr => v _.
rewrite big_split /= -indep /Pr mulr_sumr; apply: eq_big => [w|w /eqP <-].
  apply/eqP/forallP => [<- i|vX]; first by rewrite ffunE.
  by apply/ffunP => i; rewrite ffunE; apply: val_inj => /=; apply/eqP/vX.
by rewrite mulrC; congr (_ * _); apply: eq_bigr => i _; rewrite ffunE.
Qed.
Lemma independentE (X Y : Omega -> F) (f g : F -> F) : independent P X Y ->
  E P (fun w => f (X w) * g (Y w)) = E P (fun w => f (X w)) * E P (fun w => g (Y w)).
Proof.
move=> indep; have := @all_independentE _ (fun b : bool => if b then X else Y) (fun b => if b then f else g).
rewrite big_bool => <-; first by apply: eqE => w; rewrite big_bool. move=> x; rewrite big_bool /= -indep; apply: eq_bigl => w.
by apply/forallP/andP => [xy|[X1 Y1] []//]; split; [apply: (xy true) | apply: (xy false)].
Qed.

(* The mean of a product of different members of an independent family. *)
Lemma all_independent_product (I : finType) (X : I -> Omega -> F) (f : I -> F -> F) (s : seq I) :
  all_independent P X -> uniq s ->
  E P (fun w => \prod_(i <- s) f i (X i w)) = \prod_(i <- s) E P (fun w => f i (X i w)).
Proof.
move=> indep us; rewrite big_uniq // [RHS]big_mkcond. pose g i x : F := if i \in s then f i x else 1.
transitivity (\prod_i E P (fun w => g i (X i w))).
  by rewrite -(all_independentE g indep); apply: eqE => w; rewrite big_uniq // big_mkcond.
by apply: eq_bigr => i _; rewrite /g; case: (i \in s); rewrite ?E_const.
Qed.

(* Two members of an independent family are independent. *)
Lemma all_independent_pair (I : finType) (X : I -> Omega -> F) i j :
  all_independent P X -> i != j -> independent P (X i) (X j).
Proof.
move=> indep ij x y; rewrite !Pr_E. have us : uniq [:: i; j] by rewrite /= inE ij.
have := all_independent_product (fun k v => (v == if k == i then x else y)%:R) indep us.
rewrite !big_cons !big_nil !mulr1 eqxx [j == i]eq_sym (negbTE ij) => <-.
by apply: eqE => w; rewrite !big_cons big_nil mulr1 -natrM mulnb eqxx [j == i]eq_sym (negbTE ij).
Qed.
End Independent.

(* Coins. *)
Ltac by_field := field; rewrite ?pnatr_eq0 //.
Section Coins.
Variables (F : realFieldType) (I : finType).
Local Notation coins := (coins F I).
Lemma coins_product (g : I -> bool -> F) :
  E coins (fun w => \prod_i g i (w i)) = \prod_i ((g i true + g i false) / 2%:R).
Proof. rewrite (eq_bigr (fun i => \sum_b 2%:R^-1 * g i b)) => [|i _]; last by rewrite big_bool /=; by_field.
by rewrite bigA_distr_bigA; apply: eq_bigr => w _; rewrite -big_split. Qed.
Lemma coinE i (f : bool -> F) : E coins (fun w => f (w i)) = (f true + f false) / 2%:R.
Proof.
have := coins_product (fun j b => if j == i then f b else 1).
rewrite [RHS](bigD1 i) //= eqxx big1 => [|j /negbTE->]; last by by_field. rewrite mulr1 => <-; apply: eqE => w.
by rewrite (bigD1 i) //= eqxx big1 ?mulr1 // => j /negbTE->.
Qed.

(* Functions of different coins are independent. *)
Lemma coins_independent (X : I -> {ffun I -> bool} -> F) (f : I -> bool -> F) :
  (forall i w, X i w = f i (w i)) -> all_independent coins X.
Proof.
move=> Xf x; rewrite Pr_E (eq_bigr (fun i => ((f i true == x i)%:R + (f i false == x i)%:R) / 2%:R)) => [|i _].
  rewrite -(coins_product (fun i b => (f i b == x i)%:R)); apply: eqE => w; rewrite -natr_prod; congr _%:R.
  case: forallP => [Xx|nXx]; first by rewrite big1 // => i _; rewrite -Xf Xx.
  case: (pickP (fun i => X i w != x i)) => [i /negbTE Xi|all_equal]; first by rewrite (bigD1 i) //= -Xf Xi.
  by case: nXx => i; apply: negbFE; exact: all_equal.
by rewrite Pr_E -(coinE i (fun b => (f i b == x i)%:R)); apply: eqE => w; rewrite Xf.
Qed.
End Coins.
