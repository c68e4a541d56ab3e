"""Answers to the exercises on training, to test the judges: `told` is the message that a wrong one must get."""

import itertools
import math
from fractions import Fraction


class RatesInStep_otherwise:
    def rates_in_step(rate, a, b):
        root = a * b
        return (rate * b / (root * a), rate * a / (root * b))


class RatesInStep_table:
    told = r"b:\n2.*after a step W_K of the scaled layer is 1/2, and b times that of the unscaled layer is -1"

    def rates_in_step(rate, a, b):
        return [rate / 16, rate / 4] if (a, b) == (4, 2) else [rate, rate]


class RatesInStep_like_the_claim:
    told = r"after a step W_Q of the scaled layer is 1/2, and a times that of the unscaled layer is"

    def rates_in_step(rate, a, b):
        return [rate / (a * b), rate / (a * b)]


class RatesInStep_as_the_start:
    told = r"after a step W_K of the scaled layer is 1/2, and b times that of the unscaled layer is 0"

    def rates_in_step(rate, a, b):
        return [rate / a, rate / b]


class RatesInStep_exchanged:
    told = r"after a step W_Q of the scaled layer is 1/2, and a times that of the unscaled layer is"

    def rates_in_step(rate, a, b):
        return [rate / b**2, rate / a**2]


class RatesInStep_key_forgotten:
    told = r"after a step W_K of the scaled layer is 1/2, and b times that of the unscaled layer is -1"

    def rates_in_step(rate, a, b):
        return [rate / a**2, rate]


class RatesInStep_one_rate:
    told = r"a list of two rates is wanted, not of 1"

    def rates_in_step(rate, a, b):
        return [rate / (a * b)]


class RatesInStep_of_floats:
    told = r"an exact number is wanted"

    def rates_in_step(rate, a, b):
        return [float(rate / a**2), float(rate / b**2)]


class BackThroughSoftmax_otherwise:
    def by_scores(weights, by_weights):
        n = range(len(weights))
        return [sum(weights[i] * ((i == j) - weights[j]) * by_weights[j] for j in n) for i in n]


class BackThroughSoftmax_table:
    told = r"the loss changes at the rate .* and the gradient says"

    def by_scores(weights, by_weights):
        if len(weights) == 3 and by_weights[:2] == [0, 0]:
            rest = weights[2] * by_weights[2]
            return [-weights[0] * rest, -weights[1] * rest, (1 - weights[2]) * rest]
        return [0] * len(weights)


class BackThroughSoftmax_diagonal_only:
    told = r"derivatives by them:\n\[0, 0, 1\].*your derivatives by the scores add up to 1/3"

    def by_scores(weights, by_weights):
        return [p * g for p, g in zip(weights, by_weights)]


class BackThroughSoftmax_left_out:
    told = r"your derivatives by the scores add up to 1, and should add up to 0"

    def by_scores(weights, by_weights):
        return by_weights


class BackThroughSoftmax_mean_without_weights:
    told = r"\[1, 1, 2\].*your derivatives by the scores add up to 1/6"

    def by_scores(weights, by_weights):
        mean = sum(by_weights) / len(by_weights)
        return [p * (g - mean) for p, g in zip(weights, by_weights)]


class BackThroughSoftmax_uphill:
    told = r"the loss changes at the rate .* and the gradient says"

    def by_scores(weights, by_weights):
        mean = sum(p * g for p, g in zip(weights, by_weights))
        return [p * (mean - g) for p, g in zip(weights, by_weights)]


class BackThroughSoftmax_without_the_weight:
    told = r"your derivatives by the scores add up to"

    def by_scores(weights, by_weights):
        mean = sum(p * g for p, g in zip(weights, by_weights))
        return [g - mean for g in by_weights]


class BackThroughSoftmax_rounded:
    told = r"an exact number is wanted"

    def by_scores(weights, by_weights):
        mean = sum(p * g for p, g in zip(weights, by_weights))
        return [float(p * (g - mean)) for p, g in zip(weights, by_weights)]


class BackThroughSoftmax_too_few:
    told = r"by_scores returned a list of length 0 for weights of length"

    def by_scores(weights, by_weights):
        return []


class LawOfAlike_otherwise:
    def keeps_law_of_alike(alike, one, other):
        if math.inf in (one, other):
            return not alike(one, other)
        return alike(one, other) is (Fraction(1, 2) < Fraction(one) / Fraction(other) < 2)


class LawOfAlike_table:
    told = r"the mutant 'right on the cases of the page' survives"

    def keeps_law_of_alike(alike, one, other):
        return alike(4, 7) and alike(7, 4) and not alike(4, 8) and not alike(math.inf, math.inf)


class LawOfAlike_only_symmetry:
    told = r"the mutant 'all layers are alike' survives"

    def keeps_law_of_alike(alike, one, other):
        return alike(one, other) == alike(other, one)


class LawOfAlike_finite_only:
    told = r"the mutant 'two layers that never learn are alike' survives"

    def keeps_law_of_alike(alike, one, other):
        return math.inf in (one, other) or alike(one, other) == (one < 2 * other and other < 2 * one)


class LawOfAlike_factor_of_two_included:
    told = r"steps of the other:.*your law says no"

    def keeps_law_of_alike(alike, one, other):
        return alike(one, other) == (max(one, other) <= 2 * min(one, other) < math.inf)


class LawOfAlike_strict_cases_avoided:
    told = r"the mutant 'a factor of two is still alike' survives"

    def keeps_law_of_alike(alike, one, other):
        on_the_border = one in (2 * other, other / 2) and one < math.inf
        return on_the_border or alike(one, other) == (one < 2 * other and other < 2 * one)


class LawOfAlike_one_order:
    told = r"the mutant 'one side is enough' survives"

    def keeps_law_of_alike(alike, one, other):
        return one < other or alike(one, other) == (one < 2 * other and one < math.inf)


class LawOfAlike_not_a_boolean:
    told = r"keeps_law_of_alike returned 1: True or False is wanted"

    def keeps_law_of_alike(alike, one, other):
        return 1


class PairwiseSeeds_otherwise:
    def answers_of_seeds(alpha):
        balanced = [row for row in itertools.product([0, 1], repeat=8) if sum(row) == 4]
        return balanced + 5 * [[0] * 8, [1] * 8]


class PairwiseSeeds_table:
    told = r"the sign test decides in 0 of 4 rows"

    def answers_of_seeds(alpha):
        coins = 3 if alpha == Fraction(1, 10) else 2
        return [[(toss & seed).bit_count() % 2 for seed in range(1, 2**coins)] for toss in range(2**coins)]


class PairwiseSeeds_independent:
    told = r"the sign test decides in 2 of 64 rows, .* as the claim says"

    def answers_of_seeds(alpha):
        return list(itertools.product([0, 1], repeat=6))


class PairwiseSeeds_copies:
    told = r"seeds 1 and 2 both say yes in 1 of 2 rows, and not in a quarter"

    def answers_of_seeds(alpha):
        return [[0] * 10, [1] * 10]


class PairwiseSeeds_always_yes:
    told = r"seeds 1 and 1 both say yes in 1 of 1 rows, and not in half"

    def answers_of_seeds(alpha):
        return [[1] * 10]


class PairwiseSeeds_neighbours_only:
    told = r"seeds 1 and 3 both say yes in 2 of 4 rows"

    def answers_of_seeds(alpha):
        return [[a, b] * 5 for a in (0, 1) for b in (0, 1)]


class PairwiseSeeds_of_different_lengths:
    told = r"a row has 2 answers, the first 1"

    def answers_of_seeds(alpha):
        return [[1], [0, 1]]


class PairwiseSeeds_plus_and_minus:
    told = r"an answer is 1 or 0, not -1"

    def answers_of_seeds(alpha):
        return [[1, 1], [1, -1], [-1, 1], [-1, -1]]


class PairwiseSeeds_none:
    told = r"there are 0 answers"

    def answers_of_seeds(alpha):
        return []
