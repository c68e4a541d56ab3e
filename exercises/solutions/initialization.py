"""Solutions of the exercises on initialization."""

import math
from fractions import Fraction


# [MeanOvertakesSpread]
def dimension_of_balance(m):
    return m * m + 1
# [MeanOvertakesSpread]


# [FeatureOverInputs]
def inputs_of_mean_square(target):
    twos = target.numerator
    zeros = 2 * target.denominator - twos
    return twos * [[1, 0, 0]] + zeros * [[0, 1, -1]]
# [FeatureOverInputs]


# [XavierLaw]
def keeps_xavier_law(outcomes, weight_variance, coordinate_variance, x, rows):
    columns = len(x)
    xavier = Fraction(2, columns + rows)
    mean = sum(p * value for value, p in outcomes(x))
    mean_square = sum(p * value * value for value, p in outcomes(x))
    return (mean == 0
            and weight_variance(columns, rows) == xavier
            and coordinate_variance(sum(f * f for f in x) / columns, columns, rows) == mean_square * xavier)
# [XavierLaw]


# [LayerNormThatHolds]
def layer_norm(features, epsilon):
    exponent = math.frexp(max(*map(abs, features), math.sqrt(epsilon)))[1] + 1
    scaled = [math.ldexp(x, -exponent) for x in features]  # at most a half, with the same digits
    leads = [x - scaled[0] for x in scaled]
    if not any(leads):
        return leads
    mean = math.fsum(leads) / len(leads)
    centred = [x - mean for x in leads]
    variance = math.fsum(x * x for x in centred) / len(centred)
    divisor = math.sqrt(variance + math.ldexp(epsilon, -2 * exponent))
    return [x / divisor for x in centred]
# [LayerNormThatHolds]
