"""Answers to the exercises on saturation, to test the judges: `told` is the message that a wrong one must get."""

import math
from fractions import Fraction

class KeysForALargerHead_otherwise:
    def keys_for_a_larger_head(n, factor):
        keys = 1
        for _ in range(factor):
            keys *= n
        return float(keys)

class KeysForALargerHead_in_proportion:
    told = r"the keys before:\n3\n\nthe factor:\n2\n.*the limit is 0\.50.*with 6 keys it is 0\.5"
    def keys_for_a_larger_head(n, factor):
        return factor * n

class VarianceOfAnOutput_otherwise:
    def keeps_variance_law(variance, rows):
        squares = [sum(p * p for p in row) for row in rows]
        return variance(rows) * len(rows) == sum(squares)

class VarianceOfAnOutput_of_mean_weights:
    told = r"keeps_variance_law\(a function, .*\) returned False\nyour law says no here, of a function that is right: the variance is 3/4"
    def keeps_variance_law(variance, rows):
        means = [sum(column) / len(rows) for column in zip(*rows)]
        return variance(rows) == sum(p * p for p in means)

class KeysForManyPositions_otherwise:
    def keys_for_many_positions(d, wanted):
        return int(2 * wanted * math.e ** (d / 2)) + 1

class KeysForManyPositions_without_the_half:
    told = r"in dimension 64, 6.235e\+28 keys use about [0-9.e+]+ positions, more than a thousand times the 10"
    def keys_for_many_positions(d, wanted):
        return min(10**30, math.ceil(wanted * math.exp(d)))

class SlopesOfAWeight_otherwise:
    def raised_weight(n, r):
        if isinstance(r, float):
            return 1 / (1 + (n - 1) / r) if r > 1 else r / (r + (n - 1))
        return 1 - (n - 1) / (r + n - 1)

    def weight_derivative(n, r, order):
        others, total = n - 1, r + n - 1
        top = {1: 1, 2: others - r, 3: others**2 - 4 * others * r + r**2}[order]
        return others * r * top / total ** (order + 1)


def right_weight(n, r):
    return 1 / (1 + (n - 1) / r) if r > n - 1 else r / (r + n - 1)

class SlopesOfAWeight_by_r:
    told = r"this does not hold: -1/4 = 0\nthe second derivative by x.*this does not hold: 1/8 = 1/4\n3 scores"
    def raised_weight(n, r):
        return right_weight(n, r)

    def weight_derivative(n, r, order):
        others, total = n - 1, r + n - 1
        return {1: others / total**2, 2: -2 * others / total**3, 3: 6 * others / total**4}[order]
