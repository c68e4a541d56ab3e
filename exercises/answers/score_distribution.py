"""Answers to the exercises on the distribution of a score, to test the judges."""

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
    told = r"you say: .* But the score is beyond"

    def is_likelier(d, z):
        return {1: False, 2: True, 4: True, 6: True, 10: True}.get(z, False)


class WhereTailsCross_always:
    told = r"\nz:\n1/8\n.*you say: more often.*the score is beyond .* less often"

    def is_likelier(d, z):
        return True


class WhereTailsCross_of_the_densities:
    told = r"\nz:\n7/4\n.*you say: less often.*the score is beyond .* more often"

    def is_likelier(d, z):
        return z ** 2 > 3 + math.sqrt(6)


class WhereTailsCross_fourth_power:
    told = r"\nz:\n7/4\n.*\nd:\n3\n.*you say: less often"

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
    told = r"this is no counterexample: at d = 2 .*\{0: 1/4, 1: 1/2, 2: 1/4\}"

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


class TwoClocks_otherwise:
    def tail(m, x):
        total = Fraction(0)
        for i in range(m):  # ticks of the first clock before the last one of the second
            ticks = sum(x ** j / Fraction(math.factorial(j)) for j in range(m - i))
            total += Fraction(math.comb(m - 1 + i, i), 2 ** (m + i)) * ticks
        return total

    def density(m):
        n = m - 1
        return [Fraction(math.comb(2 * n - j, n), 2 ** (2 * n + 1 - j)) / math.factorial(j) for j in range(m)]


class TwoClocks_table:
    told = r"which is 7/12 against 11/18\nthe tail times e\^x at d = 6, x = 1/3"

    def tail(m, x):
        return Fraction(1, 2) if m == 1 else (2 + x) / Fraction(4)

    def density(m):
        return [Fraction(1, 2)] if m == 1 else [Fraction(1, 4), Fraction(1, 4)]


class TwoClocks_exactly_m_heads:
    told = r"which is 11/24 against 7/12\nthe tail times e\^x at d = 4, x = 1/3"

    def tail(m, x):
        return sum(Fraction(math.comb(2 * m - 1 - j, m), 2 ** (2 * m - 1 - j)) * x ** j / math.factorial(j)
                   for j in range(m))

    density = TwoClocks_otherwise.density


class TwoClocks_one_toss_too_many:
    told = r"which is 3/4 against 1/2\nthe tail at x = 0"

    def tail(m, x):
        return sum(Fraction(sum(math.comb(2 * m - j, i) for i in range(m, 2 * m - j + 1)), 2 ** (2 * m - j))
                   * x ** j / math.factorial(j) for j in range(m))

    density = TwoClocks_otherwise.density


class TwoClocks_no_factorial:
    told = r"the tail times e\^x at d = 6, x = 1/3"

    def tail(m, x):
        return sum(Fraction(sum(math.comb(2 * m - 1 - j, i) for i in range(m, 2 * m - j)), 2 ** (2 * m - 1 - j))
                   * x ** j for j in range(m))

    def density(m):
        return [Fraction(math.comb(2 * m - 2 - j, m - 1), 2 ** (2 * m - 1 - j)) for j in range(m)]


class TwoClocks_polynomial_not_derived:
    told = r"which is 1/2 against 1/4\nthe coefficient of x\^0 in the density times e\^x at d = 4"

    tail = TwoClocks_otherwise.tail

    def density(m):
        return [Fraction(sum(math.comb(2 * m - 1 - j, i) for i in range(m, 2 * m - j)), 2 ** (2 * m - 1 - j))
                / math.factorial(j) for j in range(m)]


class TwoClocks_exponential_not_derived:
    told = r"which is 0 against 1/2\nthe coefficient of x\^0 in the density times e\^x at d = 2"

    tail = TwoClocks_otherwise.tail

    def density(m):
        c = TwoClocks_polynomial_not_derived.density(m) + [0]
        return [-(j + 1) * c[j + 1] for j in range(m)]


class TwoClocks_highest_power_first:
    told = r"which is 1/16 against 3/16\nthe coefficient of x\^0 in the density times e\^x at d = 6"

    tail = TwoClocks_otherwise.tail

    def density(m):
        return TwoClocks_otherwise.density(m)[::-1]


class TwoClocks_one_coefficient_too_many:
    told = r"which is 2 against 1\nhow many coefficients the density has at d = 2"

    tail = TwoClocks_otherwise.tail

    def density(m):
        return TwoClocks_otherwise.density(m) + [0]


class TwoClocks_with_the_exponential:
    told = r"an exact number is wanted, an int or a Fraction .*, not a float"

    def tail(m, x):
        return math.exp(-x) / 2

    density = TwoClocks_otherwise.density
