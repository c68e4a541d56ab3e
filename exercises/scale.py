"""Exercises on the scale of scores. Write here; tools/exercise NAME judges what you wrote.

Numbers are exact fractions, unless a docstring says float. The lines in brackets must stay as they are.
"""

import math
from fractions import Fraction


# [ScaledBits] level 1, 2 points, by hand, claim ScaledScoreVariance
def variance_of_scaled_bits(d, p, r):
    """The variance of a score of queries and keys that consist of bits, divided by √d. Exact.

    All bits are independent.
    d: how many coordinates they have, at least 1.
    p: the probability that a coordinate of the query is 1, from 0 to 1. Otherwise it is 0.
    r: the same for the key.
    """
    raise NotImplementedError
# [ScaledBits]


# [DivideByAShift] level 2, 3 points, predict, then run, claim UnitVarianceScaleIsUnique
def shift(d):
    """A whole number k, so that a score of variance d, divided by 2^k, keeps a variance from 1/2 to 2.

    d: a whole number, from 1 to 2^40.
    """
    raise NotImplementedError
# [DivideByAShift]


# [CosineLaw] level 2, 3 points, write the check, claim CosineSimilarity
def keeps_cosine_law(squared_cosine, q, k, factor):
    """True if a function keeps the law "a squared cosine is from 0 to 1, and 1 for parallel vectors only" in this case.

    squared_cosine: what is judged. It takes two vectors as long as each other, neither of them zero, and should
                    return the square of the cosine of the angle between them.
    q, k:           two such vectors. They may be parallel.
    factor:         other than 0.
    """
    raise NotImplementedError
# [CosineLaw]


# [LogOfWhatIsLeft] level 3, 4 points, a body removed, claim AlternativeScales
def log_variance_left(factor, power, log_power, pi_rate, log_d):
    """The logarithm of the variance that a score of variance d keeps, divided by
    c(d) = factor · d^power · (ln d)^log_power · e^(π · pi_rate · d). A float. It may err by
    7 epsilons, 7 · 2^−52, times the sum of one and the sizes of the logarithm's four terms.

    factor:                    positive, exact.
    power, log_power, pi_rate: exact. Each may be 0.
    log_d:                     ln d as a float, above 0. It may be so large that d is no float.
    """
    raise NotImplementedError
# [LogOfWhatIsLeft]
