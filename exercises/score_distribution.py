"""Exercises on the distribution of a score. Write here; tools/exercise NAME judges what you wrote.

Numbers are exact fractions, unless a docstring says float. The lines in brackets must stay as they are.
"""

import itertools
import math
from fractions import Fraction


# [FourthMoment] level 1, 2 points, by hand, claim ScoreDistribution
def fourth_moment(d):
    """The mean of X^4 for the score X of queries and keys with independent standard normal entries. Exact.

    d: how many entries they have, at least 1.
    """
    raise NotImplementedError
# [FourthMoment]


# [WhereTailsCross] level 2, 3 points, predict, then run, claim ScoreIsNearlyNormal
def is_likelier(d, z):
    """True if a score of standard normal entries is beyond z·√d with a greater probability than a number from N(0, d).

    d: how many entries query and key have, a whole number from 2 to 4096.
    z: how many standard deviations, a multiple of 1/8 from 1/8 to 8.
    Returns True or False.
    """
    raise NotImplementedError
# [WhereTailsCross]


# [SignsInPairs] level 2, 3 points, drop a hypothesis, claim RademacherScore
def signs_in_pairs(d):
    """Queries and keys of signs that are independent in pairs only, with a score that is not binomial.

    d: how many signs a query has, and a key, from 2 to 6.
    Returns a list of rows, one of which is drawn, each equally often. A row is a list of 2d numbers, 1 or −1: the
    signs of the query, then those of the key. Each sign is fair, and every two of the 2d signs are independent. But
    the number of places where query and key agree is not binomial with probability 1/2.
    """
    raise NotImplementedError
# [SignsInPairs]


# [TwoClocks] level 3, 4 points, a body removed, claim ScoreInEvenDimensions
def tail(m, x):
    """The probability that a score in d = 2m dimensions is above x, times e^x. Exact.

    Queries and keys have independent standard normal entries.
    m: half the dimension, at least 1.
    x: exact, at least 0.
    """
    raise NotImplementedError


def density(m):
    """The density of the same score at x ≥ 0, times e^x, which is a polynomial in x. Exact.

    Returns its m coefficients, those of x^0, x^1 and so on to x^(m − 1).
    """
    raise NotImplementedError
# [TwoClocks]
