"""Solutions of the exercises on the distribution of a score."""

import itertools
import math
from fractions import Fraction


# [FourthMoment]
def fourth_moment(d):
    return 3 * d * (d + 2)
# [FourthMoment]


# [WhereTailsCross]
def is_likelier(d, z):
    return z ** 2 > 3
# [WhereTailsCross]


# [SignsInPairs]
def signs_in_pairs(d):
    queries = itertools.product([1, -1], repeat=d)
    return [[*q, *(sign * x for x in q)] for q in queries for sign in (1, -1)]
# [SignsInPairs]


# [TwoClocks]
def coefficients(m):
    """Those of the tail: the chance of m heads or more in 2m − 1 − j tosses, over j!."""
    result = []
    for j in range(m):
        tosses = 2 * m - 1 - j
        ways = sum(math.comb(tosses, heads) for heads in range(m, tosses + 1))
        result.append(Fraction(ways, 2 ** tosses * math.factorial(j)))
    return result


def tail(m, x):
    return sum(c * x ** j for j, c in enumerate(coefficients(m)))


def density(m):
    c = [*coefficients(m), 0]
    return [c[j] - (j + 1) * c[j + 1] for j in range(m)]
# [TwoClocks]
