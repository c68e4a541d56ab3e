"""Answers to the exercises on the distribution of a score, to test the judges."""

import itertools
import math
from fractions import Fraction

class FourthMoment_otherwise:
    def fourth_moment(d):
        cumulants = {2: d, 4: 6 * d}
        return cumulants[4] + 3 * cumulants[2] ** 2

class FourthMoment_pairs_counted_twice:
    told = r"\nd:\n2\n.*this does not hold: 30 = 24"
    def fourth_moment(d):
        return 9 * d + 6 * d * (d - 1)

class WhereTailsCross_otherwise:
    def is_likelier(d, z):
        return math.exp(z / 2) > math.exp(math.sqrt(3) / 2)

class WhereTailsCross_of_the_densities:
    told = r"\nz:\n7/4\n.*you say: less often.*the score is beyond .* more often"
    def is_likelier(d, z):
        return z ** 2 > 3 + math.sqrt(6)

class SignsInPairs_otherwise:
    def signs_in_pairs(d):
        return [row for row in itertools.product([-1, 1], repeat=2 * d) if math.prod(row) == 1]

class SignsInPairs_key_of_one_sign:
    told = r"the signs k_1 and k_2 agree in 8 of 8 rows, so they are not independent"
    def signs_in_pairs(d):
        return [[*q, *[s] * d] for q in itertools.product([1, -1], repeat=d) for s in (1, -1)]

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

class TwoClocks_highest_power_first:
    told = r"this does not hold: 1/16 = 3/16\nthe coefficient of x\^0 in the density times e\^x at d = 6"
    tail = TwoClocks_otherwise.tail

    def density(m):
        return TwoClocks_otherwise.density(m)[::-1]
