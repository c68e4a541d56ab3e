(* Every definition that a theorem uses. Whoever has read this file can compare a theorem with its page.

   Notation of the library: 'I_n is the set of n indices; {ffun I -> bool} is the set of functions from the finite set I to
   {false, true}; n%:R and INR n are the natural number n as a member of the field F and as a real number; x ^+ n is a power
   and #|I| the number of elements of I. Division by 0 gives 0, so each page's condition on a divisor must be stated. *)
From Coq Require Import Reals.
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* Part 1: finite probability spaces over any ordered field F, such as the rationals, in which the tests compute, and the
   reals. *)
Section Probability.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Finitely many outcomes, with weights that are not negative and sum to 1. *)
Record probability (F : realFieldType) (Omega : finType) := Probability {
  weight :> Omega -> F;
  weight_ge0 : forall w, 0 <= weight w;
  weight_sum : \sum_w weight w = 1 }.

Variables (F : realFieldType) (Omega : finType) (P : probability F Omega).

(* The probability of an event. *)
Definition Pr (A : pred Omega) : F := \sum_(w | A w) P w.

(* The mean of a random variable, its variance, and the covariance of two. *)
Definition E (X : Omega -> F) : F := \sum_w P w * X w.
Definition Var (X : Omega -> F) : F := E (fun w => (X w - E X) ^+ 2).
Definition Cov (X Y : Omega -> F) : F := E (fun w => (X w - E X) * (Y w - E Y)).

(* Two variables, or all variables of a finite family, are independent: joint probabilities of values are products. *)
Definition independent (X Y : Omega -> F) := forall x y : F,
  Pr (fun w => (X w == x) && (Y w == y)) = Pr (fun w => X w == x) * Pr (fun w => Y w == y).
Definition all_independent (I : finType) (X : I -> Omega -> F) := forall x : I -> F,
  Pr (fun w => [forall i, X i w == x i]) = \prod_i Pr (fun w => X i w == x i).

(* The dot product of a random query and a random key, and the family of their 2d entries. *)
Definition score (d : nat) (q k : 'I_d -> Omega -> F) (w : Omega) : F := \sum_i q i w * k i w.
Definition entries (d : nat) (q k : 'I_d -> Omega -> F) (e : 'I_d + 'I_d) : Omega -> F :=
  match e with inl i => q i | inr i => k i end.
End Probability.

Section Coins.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Variables (F : realFieldType) (I : finType).
Fact coins_ge0 (w : {ffun I -> bool}) : 0 <= \prod_(i : I) 2%:R^-1 :> F.
Proof. by apply: prodr_ge0 => i _; rewrite invr_ge0 ler0n. Qed.
Fact coins_sum : \sum_(w : {ffun I -> bool}) \prod_(i : I) 2%:R^-1 = 1 :> F.
Proof. rewrite -(bigA_distr_bigA (fun (_ : I) (_ : bool) => 2%:R^-1)).
by apply: big1 => i _; rewrite big_bool /= -mulr2n -mulr_natl mulfV ?pnatr_eq0. Qed.

(* Independent fair coins, one for each i in I: all 2^|I| outcomes have the same weight. Coin i shows w i, which is true or
   false; so (w i)%:R is a fair bit, 1 or 0, and (-1) ^+ w i is a fair sign. *)
Definition coins := Probability coins_ge0 coins_sum.
End Coins.

(* Part 2: real numbers. *)
Local Open Scope R_scope.

(* Finite sums of real numbers are written as usual. *)
Canonical Rplus_monoid := Monoid.Law (fun x y z => esym (Rplus_assoc x y z)) Rplus_0_l Rplus_0_r.
Canonical Rplus_comoid := Monoid.ComLaw Rplus_comm.
Notation "\sum_ i F" := (\big[Rplus/IZR Z0]_i F) : R_scope.
Notation "\sum_ ( i | P ) F" := (\big[Rplus/IZR Z0]_(i | P%B) F) : R_scope.

(* The softmax of scores that are indexed by any finite set. *)
Definition softmax (I : finType) (x : I -> R) (i : I) : R := exp (x i) / \sum_j exp (x j).

(* The entries of the identity matrix; so x + h e_j, with only entry j raised by h, is k |-> x k + h * delta k j. *)
Definition delta (I : finType) (i j : I) : R := if i == j then 1 else 0.

(* The matrix J(p) = diag(p) - p p^T. *)
Definition J (I : finType) (p : I -> R) (i j : I) : R := p i * (delta i j - p j).

(* The mean of the numbers v under the weights p. *)
Definition mean (I : finType) (p v : I -> R) : R := \sum_i p i * v i.

(* The number x, rounded to so many decimals, is what is printed. *)
Definition rounds_to (decimals : nat) (x printed : R) : Prop := Rabs (x - printed) < / 2 * / 10 ^ decimals.
