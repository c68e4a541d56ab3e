"""Solutions of the exercises on the distribution of a score."""

import itertools


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
