"""Solutions of the exercises on the scale of scores."""

import math


# [ScaledBits]
def variance_of_scaled_bits(d, p, r):
    both = p * r
    return both * (1 - both)
# [ScaledBits]


# [DivideByAShift]
def shift(d):
    return d.bit_length() // 2
# [DivideByAShift]


# [CosineLaw]
def keeps_cosine_law(squared_cosine, q, k, factor):
    square = squared_cosine(q, k)
    parallel = all(a * d == b * c for a, c in zip(q, k) for b, d in zip(q, k))
    in_range = 0 <= square <= 1
    return in_range and (square == 1) == parallel and squared_cosine(q, [factor * x for x in q]) == 1
# [CosineLaw]


# [LogOfWhatIsLeft]
def log_variance_left(factor, power, log_power, pi_rate, log_d):
    result = float(1 - 2 * power) * log_d - 2 * math.log(factor)
    if log_power != 0:
        result -= float(2 * log_power) * math.log(log_d)
    if pi_rate != 0:
        root = math.exp(log_d / 2) if log_d < 1400 else math.inf  # of d
        result -= float(2 * pi_rate) * math.pi * root * root  # from left to right
    return result
# [LogOfWhatIsLeft]
