"""Answers to the exercises on the distribution of a score, by which the judges are judged."""

import itertools
import math
from fractions import Fraction


class FourthMoment_otherwise:
    def fourth_moment(d):
        cumulants = {2: d, 4: 6 * d}
        return cumulants[4] + 3 * cumulants[2] ** 2


class FourthMoment_table:
    told = r"\nd:\n"

    def fourth_moment(d):
        return {1: 9, 2: 24, 3: 45, 64: 12672}.get(d, 9)


class FourthMoment_normal:
    told = r"\nd:\n1\n.*which is 3 against 9"

    def fourth_moment(d):
        return 3 * d ** 2


class FourthMoment_equal_indices_only:
    told = r"\nd:\n2\n.*which is 18 against 24"

    def fourth_moment(d):
        return 9 * d


class FourthMoment_pairs_counted_twice:
    told = r"\nd:\n2\n.*which is 30 against 24"

    def fourth_moment(d):
        return 9 * d + 6 * d * (d - 1)


class FourthMoment_of_signs:
    told = r"\nd:\n1\n.*which is 1 against 9"

    def fourth_moment(d):
        return 3 * d ** 2 - 2 * d


class FourthMoment_of_floats:
    told = r"an exact number is wanted, an int or a Fraction .*, not a float"

    def fourth_moment(d):
        return 3.0 * d * (d + 2)


class WhereTailsCross_otherwise:
    def is_likelier(d, z):
        return math.exp(z / 2) > math.exp(math.sqrt(3) / 2)


class WhereTailsCross_table:
    told = r"beyond"

    def is_likelier(d, z):
        return {1: False, 2: True, 4: True, 6: True, 10: True}.get(z, False)


class WhereTailsCross_always:
    told = r"\nz:\n1/8\n.*you say: more often.*the score is beyond .* less often"

    def is_likelier(d, z):
        return True


class WhereTailsCross_of_the_densities:
    told = r"\nz:\n15/8\n|\nz:\n7/4\n.*you say: less often.*the score is beyond .* more often"

    def is_likelier(d, z):
        return z ** 2 > 3 + math.sqrt(6)


class WhereTailsCross_fourth_power:
    told = r"the score is beyond"

    def is_likelier(d, z):
        return z ** 4 > 4 * d


class WhereTailsCross_one_deviation:
    told = r"\nz:\n9/8\n.*you say: more often"

    def is_likelier(d, z):
        return z > 1


class WhereTailsCross_turned_round:
    told = r"\nz:\n1/8\n.*you say: more often"

    def is_likelier(d, z):
        return z ** 2 < 3


class WhereTailsCross_no_boolean:
    told = r"is_likelier returned -?[0-9/]*: True or False is wanted"

    def is_likelier(d, z):
        return z ** 2 - 3


class SignsInPairs_otherwise:
    def signs_in_pairs(d):
        return [row for row in itertools.product([-1, 1], repeat=2 * d) if math.prod(row) == 1]


class SignsInPairs_table:
    told = r"a row of 4 signs, where 6 are wanted"

    def signs_in_pairs(d):
        return [[a, b, s * a, s * b] for a in (1, -1) for b in (1, -1) for s in (1, -1)]


class SignsInPairs_equal:
    told = r"the signs q_1 and k_1 agree in 4 of 4 rows, so they are not independent"

    def signs_in_pairs(d):
        return [[*q, *q] for q in itertools.product([1, -1], repeat=d)]


class SignsInPairs_all_independent:
    told = r"this is no counterexample: .* the scores are -2, 0 and 2|this is no counterexample"

    def signs_in_pairs(d):
        return [list(row) for row in itertools.product([1, -1], repeat=2 * d)]


class SignsInPairs_products_still_independent:
    told = r"this is no counterexample"

    def signs_in_pairs(d):
        return [[*row, row[0] * row[1]] for row in itertools.product([1, -1], repeat=2 * d - 1)]


class SignsInPairs_not_fair:
    told = r"the sign q_1 is 1 in 1 of 1 rows, so it is not fair"

    def signs_in_pairs(d):
        return [[1] * 2 * d]


class SignsInPairs_key_of_one_sign:
    told = r"the signs k_1 and k_2 agree in 8 of 8 rows, so they are not independent"

    def signs_in_pairs(d):
        return [[*q, *[s] * d] for q in itertools.product([1, -1], repeat=d) for s in (1, -1)]


class SignsInPairs_bits:
    told = r"0 is no sign"

    def signs_in_pairs(d):
        return [[*q, *(x ^ s for x in q)] for q in itertools.product([0, 1], repeat=d) for s in (0, 1)]


class SignsInPairs_empty:
    told = r"there is no row to draw"

    def signs_in_pairs(d):
        return []
