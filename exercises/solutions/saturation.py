"""Solutions of the exercises on saturation."""

import itertools
import math
from fractions import Fraction


# [KeysForALargerHead]
def keys_for_a_larger_head(n, factor):
    return n ** factor
# [KeysForALargerHead]


# [VarianceOfAnOutput]
def keeps_variance_law(variance, rows):
    signs = list(itertools.product([1, -1], repeat=len(rows[0])))
    outputs = [sum(p * v for p, v in zip(row, values)) for row in rows for values in signs]  # each as likely as another
    return variance(rows) == Fraction(sum(o * o for o in outputs), len(outputs))  # their mean is 0
# [VarianceOfAnOutput]


# [KeysForManyPositions]
def keys_for_many_positions(d, wanted):
    return math.ceil(wanted * math.exp(d / 2))
# [KeysForManyPositions]


# [SlopesOfAWeight]
def raised_weight(n, r):
    return 1 / (1 + (n - 1) / r) if r > n - 1 else r / (r + n - 1)


def weight_derivative(n, r, order):
    p = raised_weight(n, r)
    u = p * (1 - p)
    return {1: u, 2: u * (1 - 2 * p), 3: u * (1 - 6 * u)}[order]
# [SlopesOfAWeight]
