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


class OneQueryManyKeys_table:
    told = r"while you say 25"

    def variance_of_scores(query, key_mean, key_variance):
        return {(3, 4): 25, (1, 1): 2}.get(tuple(query), 25)


class OneQueryManyKeys_dimension:
    told = r"the query:\n\[0\].*the variance 0, while you say 1/4"

    def variance_of_scores(query, key_mean, key_variance):
        return len(query) * key_variance


class OneQueryManyKeys_not_squared:
    told = r"the query:\n\[2\].*\{0: 1/2, 2: 1/2\} and the variance 1, while you say 1/2"

    def variance_of_scores(query, key_mean, key_variance):
        return key_variance * sum(map(abs, query))


class OneQueryManyKeys_sum_squared:
    told = r"the query:\n\[1, 1\].*\{0: 1/4, 1: 1/2, 2: 1/4\} and the variance 1/2, while you say 1"

    def variance_of_scores(query, key_mean, key_variance):
        return key_variance * sum(query)**2


class OneQueryManyKeys_mean_square:
    told = r"has mean 1, variance 0; the score has the distribution \{1: 1\} and the variance 0, while you say 1"

    def variance_of_scores(query, key_mean, key_variance):
        return (key_variance + key_mean**2) * sum(entry**2 for entry in query)


class OneQueryManyKeys_length_by_root:
    told = r"an exact number is wanted, an int or a Fraction such as Fraction\(1, 3\), not a float"

    def variance_of_scores(query, key_mean, key_variance):
        return key_variance * float(sum(entry**2 for entry in query))**0.5


class MeanSquareOfScores_otherwise:
    def keeps_variance_law(mean, mean_square, d, q, k):
        scores = [sum(map(lambda x, y: x * y, query, key))
                  for query in product(q, repeat=d) for key in product(k, repeat=d)]
        return (mean(d, q, k) * len(scores) == sum(scores)
                and mean_square(d, q, k) * len(scores) == sum(score**2 for score in scores))


class MeanSquareOfScores_table:
    told = r"the mutant 'right on the page, of bits in two dimensions' survives"

    def keeps_variance_law(mean, mean_square, d, q, k):
        return mean(2, [0, 1], [0, 1]) == Fraction(1, 2) and mean_square(2, [0, 1], [0, 1]) == Fraction(5, 8)


class MeanSquareOfScores_never_negative:
    told = r"the mutant 'cross terms are taken to be zero' survives"

    def keeps_variance_law(mean, mean_square, d, q, k):
        return mean_square(d, q, k) >= 0


class MeanSquareOfScores_means_forgotten:
    told = r"your law says no, of the functions that are judged"

    def keeps_variance_law(mean, mean_square, d, q, k):
        def variance(values):
            return sum(x**2 for x in values) / len(values) - (sum(values) / len(values))**2

        return mean_square(d, q, k) - mean(d, q, k)**2 == d * variance(q) * variance(k)


class MeanSquareOfScores_signs:
    told = r"the mutant 'every entry is taken for a fair sign' survives"

    def keeps_variance_law(mean, mean_square, d, q, k):
        return mean_square(d, [-1, 1], [-1, 1]) - mean(d, [-1, 1], [-1, 1])**2 == d


class MeanSquareOfScores_one_dimension:
    told = r"the mutant 'wrong in three dimensions' survives"

    def keeps_variance_law(mean, mean_square, d, q, k):
        terms = [x * y for x in q for y in k]
        return mean_square(1, q, k) == sum(term**2 for term in terms) / len(terms)


class MeanSquareOfScores_query_with_itself:
    told = r"the mutant 'the key is taken to be distributed as the query' survives"

    def keeps_variance_law(mean, mean_square, d, q, k):
        terms = [x * y for x in q for y in q]
        mean_of_term = sum(terms) / len(terms)
        variance = sum(term**2 for term in terms) / len(terms) - mean_of_term**2
        return mean_square(d, q, q) - mean(d, q, q)**2 == d * variance


class MeanSquareOfScores_huge_dimension:
    told = r"ValueError: a dimension from 1 to 16 is wanted"

    def keeps_variance_law(mean, mean_square, d, q, k):
        return mean_square(10**6, q, k) >= 0


class AnyTwoIndependent_otherwise:
    def four_entries(variance):
        return [(*signs, (variance if signs.count(1) % 2 == 0 else 4 - variance) / 32)
                for signs in product([1, -1], repeat=4)]


class AnyTwoIndependent_table:
    told = r"and the variance 4; 0 is wanted"

    def four_entries(variance):
        return [[a, b, c, a * b * c, Fraction(1, 8)] for a, b, c in product([1, -1], repeat=3)]


class AnyTwoIndependent_all_four:
    told = r"\{-2: 1/4, 0: 1/2, 2: 1/4\} and the variance 2, as if all four were independent; 0 is wanted"

    def four_entries(variance):
        return [[*signs, Fraction(1, 16)] for signs in product([1, -1], repeat=4)]


class AnyTwoIndependent_query_is_key:
    told = r"a hypothesis that you keep does not hold: q1 and k1 are not independent, with .* \{\(-1, -1"

    def four_entries(variance):
        return [[a, b, a, b, Fraction(1, 4)] for a, b in product([1, -1], repeat=2)]


class AnyTwoIndependent_scaled:
    told = r"a hypothesis that you keep does not hold: q1 has mean 0, variance 0"

    def four_entries(variance):
        return [[a * variance / 2, b, c, d, Fraction(1, 16)] for a, b, c, d in product([1, -1], repeat=4)]


class AnyTwoIndependent_one_sign:
    told = r"a hypothesis that you keep does not hold: q1 and q2 are not independent"

    def four_entries(variance):
        return [[s, s, t, t, Fraction(1, 4)] for s, t in product([1, -1], repeat=2)]


class AnyTwoIndependent_probabilities_too_large:
    told = r"the probabilities sum to 2, but must sum to exactly 1"

    def four_entries(variance):
        return [[*signs, Fraction(1, 8)] for signs in product([1, -1], repeat=4)]


class AnyTwoIndependent_pairs:
    told = r"a row is \[q1, q2, k1, k2, probability\]: five numbers"

    def four_entries(variance):
        return [[1, 1, Fraction(1, 2)], []]


class DotProductGrowsWithDimension_otherwise:
    def sign_mean_absolute(d):
        return Fraction(sum(comb(d, pluses) * abs(2 * pluses - d) for pluses in range(d + 1)), 2**d)

    def normal_mean_absolute(d):
        size = Fraction(2)
        for smaller in range(1, d):
            size = 2 * smaller / size  # the sizes of neighbours multiply to 2d/π
        return size


class DotProductGrowsWithDimension_table:
    told = r"normal_mean_absolute\(6\) returned 2, and 15/8 is right"

    def sign_mean_absolute(d):
        return {1: 1, 2: 1, 3: Fraction(3, 2), 4: Fraction(3, 2)}.get(d, 2)

    def normal_mean_absolute(d):
        return {1: 2, 2: 1, 3: 4, 4: Fraction(3, 2)}.get(d, 2)


class DotProductGrowsWithDimension_always_even:
    told = r"sign_mean_absolute\(1\) returned 1/2, and 1 is right"

    def sign_mean_absolute(d):
        return d * Fraction(comb(d, d // 2), 2**d)

    def normal_mean_absolute(d):
        start, size = (1, Fraction(2)) if d % 2 else (2, Fraction(1))
        for smaller in range(start, d, 2):
            size *= Fraction(smaller + 1, smaller)
        return size


class DotProductGrowsWithDimension_rounded_down:
    told = r"sign_mean_absolute\(1\) returned 0, and 1 is right"

    def sign_mean_absolute(d):
        m = d // 2
        return 2 * m * Fraction(comb(2 * m, m), 4**m)

    def normal_mean_absolute(d):
        size = Fraction(2)
        for smaller in range(1, d):
            size = 2 * smaller / size
        return size


class DotProductGrowsWithDimension_normal_as_signs:
    told = r"normal_mean_absolute\(1\) returned 1, and 2 is right"

    def sign_mean_absolute(d):
        m = (d + 1) // 2
        return 2 * m * Fraction(comb(2 * m, m), 4**m)

    normal_mean_absolute = sign_mean_absolute


class DotProductGrowsWithDimension_in_step:
    told = r"sign_mean_absolute\(1\) returned 3/8, and 1 is right"

    def sign_mean_absolute(d):
        return Fraction(3 * d, 8)

    def normal_mean_absolute(d):
        return Fraction(3 * d, 8) if d % 2 == 0 else 2 * d


class DotProductGrowsWithDimension_root:
    told = r"an exact number is wanted, an int or a Fraction such as Fraction\(1, 3\), not a float"

    def sign_mean_absolute(d):
        return (2 * d / 3.141592653589793)**0.5

    def normal_mean_absolute(d):
        return (2 * d / 3.141592653589793)**0.5
