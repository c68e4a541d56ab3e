"""Answers to the exercises on initialization, to test the judges: `told` is the message that a wrong one must get."""

import math
from fractions import Fraction

class MeanOvertakesSpread_otherwise:
    def dimension_of_balance(m):
        correlation = Fraction(1, m)
        return (1 + correlation**2) / correlation**2

class MeanOvertakesSpread_table_of_what_was_said:
    told = r"The smallest case that was found:\s+m:\s+\d+\s.*for the correlation 1/\d+ and the dimension 1 "
    def dimension_of_balance(m):
        return {1: 2, 2: 5, 3: 10, 8: 65, 100: 10001, 4096: 16777217}.get(m, 1)

class FeatureOverInputs_otherwise:
    def inputs_of_mean_square(target):
        return [[Fraction(-7, 2), 1, 1] if i < target.numerator else [5, 3, 7] for i in range(2 * target.denominator)]

class FeatureOverInputs_like_the_claim:
    told = r"the squares of the first feature are 2, 1/2, 1/2, and their mean is 1"
    def inputs_of_mean_square(target):
        return [[target + 1, 0, 0], [0, target + 1, 0], [0, 0, target + 1]]

class XavierLaw_otherwise:
    def keeps_xavier_law(outcomes, weight_variance, coordinate_variance, x, rows):
        values, probabilities = zip(*outcomes(x))
        each = coordinate_variance(1, len(x), rows) / len(x)
        spread = sum(p * v**2 for v, p in zip(values, probabilities))
        balanced = sum(p * v for v, p in zip(values, probabilities)) == 0
        return (balanced and each * (len(x) + rows) == 2 and weight_variance(len(x), rows) == each
                and coordinate_variance(sum(f * f for f in x) / len(x), len(x), rows) == spread * each)

class XavierLaw_only_agreement:
    told = r"the mutant 'weights have the variance 1/\(columns \+ rows\)' survives"
    def keeps_xavier_law(outcomes, weight_variance, coordinate_variance, x, rows):
        n = len(x)
        spread = sum(p * v * v for v, p in outcomes(x))
        return (sum(p * v for v, p in outcomes(x)) == 0
                and coordinate_variance(sum(f * f for f in x) / n, n, rows) == spread * weight_variance(n, rows))

class LayerNormThatHolds_otherwise:
    def layer_norm(features, epsilon):
        exact = [Fraction(x) for x in features]
        mean = sum(exact) / len(exact)
        divisor = sum((x - mean)**2 for x in exact) / len(exact) + Fraction(epsilon)
        return [math.sqrt((x - mean)**2 / divisor) * (1 if x >= mean else -1) for x in exact]

class LayerNormThatHolds_too_few:
    told = r"layer_norm returned a list of length 0 for features of length 3"
    def layer_norm(features, epsilon):
        return []
