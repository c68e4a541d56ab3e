"""Solutions of the exercises on scores."""

from fractions import Fraction
from itertools import product
from math import comb


# [OneQueryManyKeys]
def variance_of_scores(query, key_mean, key_variance):
    return key_variance * sum(entry**2 for entry in query)
# [OneQueryManyKeys]


# [MeanSquareOfScores]
def keeps_variance_law(mean, mean_square, d, q, k):
    terms = [x * y for x in q for y in k]  # one term of the score, all values equally likely
    mean_of_term = sum(terms) / len(terms)
    variance_of_term = sum(term**2 for term in terms) / len(terms) - mean_of_term**2
    return mean_square(d, q, k) - mean(d, q, k)**2 == d * variance_of_term
# [MeanSquareOfScores]


# [AnyTwoIndependent]
def four_entries(variance):
    alike = variance / 4  # how often both terms of the score have one sign
    rows = []
    for q1, q2, k1 in product([-1, 1], repeat=3):
        rows.append([q1, q2, k1, q1 * q2 * k1, alike / 8])
        rows.append([q1, q2, k1, -q1 * q2 * k1, (1 - alike) / 8])
    return rows
# [AnyTwoIndependent]


# [DotProductGrowsWithDimension]
def sign_mean_absolute(d):
    m = (d + 1) // 2
    return 2 * m * Fraction(comb(2 * m, m), 4**m)


def normal_mean_absolute(d):
    start, size = (1, Fraction(2)) if d % 2 else (2, Fraction(1))
    for smaller in range(start, d, 2):
        size *= Fraction(smaller + 1, smaller)
    return size
# [DotProductGrowsWithDimension]
