"""Solutions of the exercises on moments."""


# [DropoutVariance]
def variance_after_dropout(mean, variance, keep):
    of_factor = (1 - keep) / keep  # its variance; its mean is 1
    return of_factor * variance + variance + of_factor * mean**2
# [DropoutVariance]


# [CovariancesCount]
def keeps_covariance_law(variance_of_sum, outcomes, probabilities):
    variables = list(zip(*outcomes))

    def mean(values):
        return sum(p * value for p, value in zip(probabilities, values))

    def covariance(one, other):
        return mean([x * y for x, y in zip(one, other)]) - mean(one) * mean(other)

    covariances = [covariance(one, other) for one in variables for other in variables]
    return variance_of_sum(outcomes, probabilities) == sum(covariances)
# [CovariancesCount]


# [FactorsThatFireTogether]
def firing_together(first, second, together):
    return [[1, 1, together],
            [1, 0, first - together],
            [0, 1, second - together],
            [0, 0, 1 - first - second + together]]
# [FactorsThatFireTogether]


# [VarianceBoundsDeviations]
def chebyshev_bound(variance, distance):
    return min(1, variance / distance**2)


def min_deviation_probability(variance, distance, reach):
    return max(0, (variance - distance**2) / (reach**2 - distance**2))
# [VarianceBoundsDeviations]
