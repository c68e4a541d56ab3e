"""Answers to the exercises on moments, to test the judges: `told` is the message that a wrong one must get."""

from fractions import Fraction

class DropoutVariance_otherwise:
    def variance_after_dropout(mean, variance, keep):
        return (mean**2 + variance) / keep - mean**2  # the mean square, of which only what is kept counts

class DropoutVariance_of_mean_zero:
    told = r"the distribution before:\n\{-?1: 1\}.*the mean is -?1 and the variance 0.*while you say 0"
    def variance_after_dropout(mean, variance, keep):
        return variance / keep

class CovariancesCount_otherwise:
    def keeps_covariance_law(variance_of_sum, outcomes, probabilities):
        sums = [sum(outcome) for outcome in outcomes]
        mean = sum(p * s for p, s in zip(probabilities, sums))
        return sum(p * (s - mean) ** 2 for p, s in zip(probabilities, sums)) == variance_of_sum(outcomes, probabilities)

class CovariancesCount_alike_outcomes:
    told = r"the mutant 'all outcomes are taken for equally likely' survives"
    def keeps_covariance_law(variance_of_sum, outcomes, probabilities):
        n = len(outcomes)
        sums = [sum(outcome) for outcome in outcomes]
        mean = Fraction(sum(sums), n)
        return variance_of_sum(outcomes, [Fraction(1, n)] * n) == sum((s - mean) ** 2 for s in sums) / n

class FactorsThatFireTogether_otherwise:
    def firing_together(first, second, together):
        neither = 1 - (first + second - together)
        return [(0, 0, neither / 2), (0, 0, neither / 2), (1, 1, together), (1, 0, first - together),
                (0, 1, second - together)]

class FactorsThatFireTogether_rest_too_small:
    told = r"a hypothesis that you keep does not hold, since your X is \{0: \d+/\d+, 1: \d+/\d+\}"
    def firing_together(first, second, together):
        return [[1, 1, together], [1, 0, first], [0, 1, second], [0, 0, 1 - first - second - together]]

class VarianceBoundsDeviations_otherwise:
    def chebyshev_bound(variance, distance):
        return 1 if distance**2 < variance else Fraction(variance) / distance / distance

    def min_deviation_probability(variance, distance, reach):
        if variance <= distance**2:
            return 0
        return 1 - (reach**2 - variance) / (reach**2 - distance**2)

class VarianceBoundsDeviations_near_values_forgotten:
    told = r"The smallest case that was found:\n.*min_deviation_probability\(1/40000, 1/200, 1/2\) returned 1/10000"
    def chebyshev_bound(variance, distance):
        return min(1, variance / distance**2)

    def min_deviation_probability(variance, distance, reach):
        return variance / reach**2
