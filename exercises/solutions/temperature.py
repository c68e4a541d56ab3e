"""Solutions of the exercises on temperature."""

from fractions import Fraction


# [ColdLimit]
def cold_limit(scores):
    greatest = max(scores)
    return [Fraction(int(s == greatest), scores.count(greatest)) for s in scores]
# [ColdLimit]


# [OddsToAPower]
def colder_share(share, factor):
    odds = (share / (1 - share)) ** factor
    return odds / (1 + odds)
# [OddsToAPower]


# [TheSecondFallsToo]
def weights_whose_second_falls(n, cold, hot):
    return [1 + Fraction(1, 8 ** cold), 1] + [Fraction(1, 2)] * (n - 2)
# [TheSecondFallsToo]


# [LearnedTemperature]
def temperature_gradient(weights, scores, gradient, temperature):
    def mean(values):
        return sum(p * x for p, x in zip(weights, values))

    covariance = mean(g * s for g, s in zip(gradient, scores)) - mean(gradient) * mean(scores)
    return -covariance / temperature ** 2
# [LearnedTemperature]
