"""Answers to the exercises on scores, to test the judges: `told` is the message that a wrong one must get."""

from fractions import Fraction
from itertools import product
from math import comb

class OneQueryManyKeys_otherwise:
    def variance_of_scores(query, key_mean, key_variance):
        total = 0
        for entry in query:
            total += entry * key_variance * entry
        return total

class OneQueryManyKeys_mean_square:
    told = r"has mean 1, variance 0; the score has the distribution \{1: 1\} and the variance 0, while you say 1"
    def variance_of_scores(query, key_mean, key_variance):
        return (key_variance + key_mean**2) * sum(entry**2 for entry in query)

class MeanSquareOfScores_otherwise:
    def keeps_variance_law(mean, mean_square, d, q, k):
        scores = [sum(map(lambda x, y: x * y, query, key))
                  for query in product(q, repeat=d) for key in product(k, repeat=d)]
        return (mean(d, q, k) * len(scores) == sum(scores)
                and mean_square(d, q, k) * len(scores) == sum(score**2 for score in scores))

class MeanSquareOfScores_query_with_itself:
    told = r"the mutant 'the key is taken to be distributed as the query' survives"
    def keeps_variance_law(mean, mean_square, d, q, k):
        terms = [x * y for x in q for y in q]
        mean_of_term = sum(terms) / len(terms)
        variance = sum(term**2 for term in terms) / len(terms) - mean_of_term**2
        return mean_square(d, q, q) - mean(d, q, q)**2 == d * variance

class AnyTwoIndependent_otherwise:
    def four_entries(variance):
        return [(*signs, (variance if signs.count(1) % 2 == 0 else 4 - variance) / 32)
                for signs in product([1, -1], repeat=4)]

class AnyTwoIndependent_all_four:
    told = r"\{-2: 1/4, 0: 1/2, 2: 1/4\} and the variance 2, as if all four were independent; 0 is wanted"
    def four_entries(variance):
        return [[*signs, Fraction(1, 16)] for signs in product([1, -1], repeat=4)]

class DotProductGrowsWithDimension_otherwise:
    def sign_mean_absolute(d):
        return Fraction(sum(comb(d, pluses) * abs(2 * pluses - d) for pluses in range(d + 1)), 2**d)

    def normal_mean_absolute(d):
        size = Fraction(2)
        for smaller in range(1, d):
            size = 2 * smaller / size  # the sizes of neighbours multiply to 2d/π
        return size

class DotProductGrowsWithDimension_in_step:
    told = r"sign_mean_absolute\(1\) returned 3/8, and 1 is right"
    def sign_mean_absolute(d):
        return Fraction(3 * d, 8)

    def normal_mean_absolute(d):
        return Fraction(3 * d, 8) if d % 2 == 0 else 2 * d
