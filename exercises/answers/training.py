"""Answers to the exercises on training, to test the judges: `told` is the message that a wrong one must get."""

import itertools
import math
from fractions import Fraction

class RatesInStep_otherwise:
    def rates_in_step(rate, a, b):
        root = a * b
        return (rate * b / (root * a), rate * a / (root * b))

class RatesInStep_key_forgotten:
    told = r"after a step W_K of the scaled layer is 1/2, and b times that of the unscaled layer is -1"
    def rates_in_step(rate, a, b):
        return [rate / a**2, rate]

class BackThroughSoftmax_otherwise:
    def by_scores(weights, by_weights):
        n = range(len(weights))
        return [sum(weights[i] * ((i == j) - weights[j]) * by_weights[j] for j in n) for i in n]

class BackThroughSoftmax_diagonal_only:
    told = r"derivatives by them:\n\[0, 0, 1\].*your derivatives by the scores add up to 1/3"
    def by_scores(weights, by_weights):
        return [p * g for p, g in zip(weights, by_weights)]

class LawOfAlike_otherwise:
    def keeps_law_of_alike(alike, one, other):
        if math.inf in (one, other):
            return not alike(one, other)
        return alike(one, other) is (Fraction(1, 2) < Fraction(one) / Fraction(other) < 2)

class LawOfAlike_finite_only:
    told = r"the mutant 'two layers that never learn are alike' survives"
    def keeps_law_of_alike(alike, one, other):
        return math.inf in (one, other) or alike(one, other) == (one < 2 * other and other < 2 * one)

class PairwiseSeeds_otherwise:
    def answers_of_seeds(alpha):
        balanced = [row for row in itertools.product([0, 1], repeat=8) if sum(row) == 4]
        return balanced + 5 * [[0] * 8, [1] * 8]

class PairwiseSeeds_copies:
    told = r"seeds 1 and 2 both say yes in 1 of 2 rows, and not in a quarter"
    def answers_of_seeds(alpha):
        return [[0] * 10, [1] * 10]
