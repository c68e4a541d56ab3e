"""Answers to the exercises on moments, to test the judges: `told` is the message that a wrong one must get."""

from fractions import Fraction


class DropoutVariance_otherwise:
    def variance_after_dropout(mean, variance, keep):
        return (mean**2 + variance) / keep - mean**2  # the mean square, of which only what is kept counts


class DropoutVariance_table:
    told = r"while you say 0"

    def variance_after_dropout(mean, variance, keep):
        return {(0, 1, Fraction(1, 2)): 2, (1, 0, Fraction(1, 2)): 1}.get((mean, variance, keep), 0)


class DropoutVariance_of_mean_zero:
    told = r"the distribution before:\n\{-?1: 1\}.*the mean is -?1 and the variance 0.*while you say 0"

    def variance_after_dropout(mean, variance, keep):
        return variance / keep


class DropoutVariance_not_divided:
    told = r"leaves \{0: 9/10, 10: 1/10\}, whose variance is 9, while you say 9/100"

    def variance_after_dropout(mean, variance, keep):
        return keep * variance + keep * (1 - keep) * mean**2


class DropoutVariance_variances_multiplied:
    told = r"leaves \{0: 9/10, 10: 1/10\}, whose variance is 9, while you say 0"

    def variance_after_dropout(mean, variance, keep):
        return variance * (1 - keep) / keep


class DropoutVariance_unchanged:
    told = r"leaves \{0: 9/10, 10: 1/10\}, whose variance is 9, while you say 0"

    def variance_after_dropout(mean, variance, keep):
        return variance


class DropoutVariance_of_floats:
    told = r"an exact number is wanted, an int or a Fraction such as Fraction\(1, 3\), not a float"

    def variance_after_dropout(mean, variance, keep):
        return float(variance / keep + mean**2 * (1 - keep) / keep)


class CovariancesCount_otherwise:
    def keeps_covariance_law(variance_of_sum, outcomes, probabilities):
        sums = [sum(outcome) for outcome in outcomes]
        mean = sum(p * s for p, s in zip(probabilities, sums))
        return sum(p * (s - mean) ** 2 for p, s in zip(probabilities, sums)) == variance_of_sum(outcomes, probabilities)


class CovariancesCount_table:
    told = r"the mutant 'right on the page, of a fair sign and itself' survives"

    def keeps_covariance_law(variance_of_sum, outcomes, probabilities):
        half = Fraction(1, 2)
        return variance_of_sum([[-1, -1], [1, 1]], [half, half]) == 4


class CovariancesCount_variances_alone:
    told = r"your law says no, of the function that is judged"

    def keeps_covariance_law(variance_of_sum, outcomes, probabilities):
        def variance(values):
            mean = sum(p * value for p, value in zip(probabilities, values))
            return sum(p * (value - mean) ** 2 for p, value in zip(probabilities, values))

        return variance_of_sum(outcomes, probabilities) == sum(map(variance, zip(*outcomes)))


class CovariancesCount_never_negative:
    told = r"the mutant 'the covariances are dropped' survives"

    def keeps_covariance_law(variance_of_sum, outcomes, probabilities):
        return variance_of_sum(outcomes, probabilities) >= 0


class CovariancesCount_first_variable_twice:
    told = r"the mutant 'wrong for three variables or more' survives"

    def keeps_covariance_law(variance_of_sum, outcomes, probabilities):
        xs = [outcome[0] for outcome in outcomes]
        mean = sum(p * x for p, x in zip(probabilities, xs))
        variance = sum(p * (x - mean) ** 2 for p, x in zip(probabilities, xs))
        return variance_of_sum([[x, x] for x in xs], probabilities) == 4 * variance


class CovariancesCount_alike_outcomes:
    told = r"the mutant 'all outcomes are taken for equally likely' survives"

    def keeps_covariance_law(variance_of_sum, outcomes, probabilities):
        n = len(outcomes)
        sums = [sum(outcome) for outcome in outcomes]
        mean = Fraction(sum(sums), n)
        return variance_of_sum(outcomes, [Fraction(1, n)] * n) == sum((s - mean) ** 2 for s in sums) / n


class CovariancesCount_ragged:
    told = r"ValueError: .*lengths"

    def keeps_covariance_law(variance_of_sum, outcomes, probabilities):
        return variance_of_sum([[1], [2, 3]], [Fraction(1, 2)] * 2) == 1


class FactorsThatFireTogether_otherwise:
    def firing_together(first, second, together):
        neither = 1 - (first + second - together)
        return [(0, 0, neither / 2), (0, 0, neither / 2), (1, 1, together), (1, 0, first - together),
                (0, 1, second - together)]


class FactorsThatFireTogether_table:
    told = r"a hypothesis that you keep does not hold"

    def firing_together(first, second, together):
        half = Fraction(1, 2)
        return [[0, 0, half], [1, 1, half]]


class FactorsThatFireTogether_independent:
    told = r"which is the same, since your X and Y are independent"

    def firing_together(first, second, together):
        return [[1, 1, first * second], [1, 0, first * (1 - second)], [0, 1, (1 - first) * second],
                [0, 0, (1 - first) * (1 - second)]]


class FactorsThatFireTogether_always:
    told = r"a hypothesis that you keep does not hold, since your X is \{0: "

    def firing_together(first, second, together):
        return [[1, 1, together], [0, 0, 1 - together]]


class FactorsThatFireTogether_both_counted_twice:
    told = r"the probabilities sum to 51/50, but must sum to exactly 1"

    def firing_together(first, second, together):
        return [[1, 1, together], [1, 0, first], [0, 1, second], [0, 0, 1 - first - second + together]]


class FactorsThatFireTogether_rest_too_small:
    told = r"a hypothesis that you keep does not hold, since your X is \{0: 93/100, 1: 7/100\}"

    def firing_together(first, second, together):
        return [[1, 1, together], [1, 0, first], [0, 1, second], [0, 0, 1 - first - second - together]]


class FactorsThatFireTogether_never:
    told = r"XY has the mean 0 where 1/100 is wanted"

    def firing_together(first, second, together):
        if first + second > 1:
            return [[1, 0, first], [0, 1, 1 - first]]
        return [[1, 0, first], [0, 1, second], [0, 0, 1 - first - second]]


class FactorsThatFireTogether_negative:
    told = r"a probability is -"

    def firing_together(first, second, together):
        return [[1, 1, 2 * together], [1, 0, first - together], [0, 1, second - together],
                [0, 0, 1 - first - second + together], [1, 1, -together]]


class FactorsThatFireTogether_bare_probabilities:
    told = r"a list is wanted"

    def firing_together(first, second, together):
        return [together, first - together, second - together, 1 - first - second + together]


class FactorsThatFireTogether_pairs:
    told = r"an entry is \[x, y, probability\]: three numbers"

    def firing_together(first, second, together):
        return [[1, together], []]


class FactorsThatFireTogether_nothing:
    told = r"a distribution needs at least one outcome"

    def firing_together(first, second, together):
        return []


class VarianceBoundsDeviations_otherwise:
    def chebyshev_bound(variance, distance):
        return 1 if distance**2 < variance else Fraction(variance) / distance / distance

    def min_deviation_probability(variance, distance, reach):
        if variance <= distance**2:
            return 0
        return 1 - (reach**2 - variance) / (reach**2 - distance**2)


class VarianceBoundsDeviations_table:
    told = r"chebyshev_bound\(variance\(x\), t\)\n  which is 0 against 1/100"

    def chebyshev_bound(variance, distance):
        return Fraction(1, 4) if (variance, distance) == (1, 2) else Fraction(1, 100)

    def min_deviation_probability(variance, distance, reach):
        return 0


class VarianceBoundsDeviations_distance_not_squared:
    told = r"t:\n2\n.*bound \* t \* t <= variance\(x\)"

    def chebyshev_bound(variance, distance):
        return min(1, variance / distance)

    def min_deviation_probability(variance, distance, reach):
        return max(0, (variance - distance**2) / (reach**2 - distance**2))


class VarianceBoundsDeviations_above_one:
    told = r"bound <= 1"

    def chebyshev_bound(variance, distance):
        return variance / distance**2

    def min_deviation_probability(variance, distance, reach):
        return max(0, (variance - distance**2) / (reach**2 - distance**2))


class VarianceBoundsDeviations_below_zero:
    told = r"0 <= least\n  which is 0 against -"

    def chebyshev_bound(variance, distance):
        return min(1, variance / distance**2)

    def min_deviation_probability(variance, distance, reach):
        return (variance - distance**2) / (reach**2 - distance**2)


class VarianceBoundsDeviations_near_values_forgotten:
    told = r"percent far:\n0\n.*min_deviation_probability\(1/40000, 1/200, 1/2\) returned 1/10000"

    def chebyshev_bound(variance, distance):
        return min(1, variance / distance**2)

    def min_deviation_probability(variance, distance, reach):
        return variance / reach**2


class VarianceBoundsDeviations_far_values_as_near:
    told = r"percent far:\n1\n.*== share\n  which is 9999/1000000 against 1/100"

    def chebyshev_bound(variance, distance):
        return min(1, variance / distance**2)

    def min_deviation_probability(variance, distance, reach):
        return max(0, (variance - distance**2) / reach**2)
