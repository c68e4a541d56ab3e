"""Answers to the exercises on learning, to test the judges: `told` is the message that a wrong one must get."""

import math
from fractions import Fraction

class WiderHead_otherwise:
    def rate_factor(by_signs, by_root, r):
        d = r**2
        scale = Fraction(1, r if by_root else d)
        return 1 / (scale * d) if by_signs else 1 / (scale**2 * d)

class WiderHead_no_change:
    told = r"by signs with the rate 1/8 .* by -1/2. With 16 features, divided by 4, and your rate 1/8 it changes by -1"
    def rate_factor(by_signs, by_root, r):
        return 1

class TightFloor_otherwise:
    def keeps_floor_law(floor, scores):
        n, total = len(scores), sum(scores)
        squared = Fraction(n, n - 1) * sum((k - Fraction(total, n))**2 for k in scores)
        lead = math.isqrt(math.ceil(squared) - 1) + 1 if squared else 0
        return floor(scores) == 1 + Fraction(n - 1, 2**lead)

class TightFloor_never_broken:
    told = r"the mutant 'the scores are not centred' survives.*the mutant 'the top key is forgotten' survives"
    def keeps_floor_law(floor, scores):
        return floor(scores) <= Fraction(sum(2**k for k in scores), 2**max(scores))

class SteepToken_otherwise:
    def other_token_and_direction(c, token, bound):
        x, y = token  # the slope along the token grows with the distance itself, and not with its square
        t = -8 * (bound + 1) / (c * (x * x + y * y))
        return (x + t * y, y - t * x), (x, y)

class SteepToken_longer_direction:
    told = r"this is no counterexample .*: the slope is about 0.5, which is not above 1. The weight of x is about 0.5"
    def other_token_and_direction(c, token, bound):
        x, y = token
        return [token, [-y * 10 * bound, x * 10 * bound]]

class LeastHead_otherwise:
    def least_head_dimension(logs):
        def independent(rows, column):
            if not rows or column == len(rows[0]):
                return 0
            with_it = [row for row in rows if row[column] != 0]
            without = [row for row in rows if row[column] == 0]
            for row in with_it[1:]:
                q = Fraction(row[column]) / with_it[0][column]
                without.append([x - q * y for x, y in zip(row, with_it[0])])
            return bool(with_it) + independent(without, column + 1)

        return independent([[x - row[0] for x in row[1:]] for row in logs], 0)

class LeastHead_keys_less_one:
    told = r"you say \d for the logarithms\n.*are products of queries and keys of \d features?\n"
    def least_head_dimension(logs):
        return len(logs[0]) - 1


def _rank(rows):
    rows, rank = [[Fraction(x) for x in row] for row in rows], 0
    while rows:
        pivot = rows.pop()
        column = next((i for i, x in enumerate(pivot) if x), None)
        if column is not None:
            rank += 1
            rows = [[x - row[column] / pivot[column] * y for x, y in zip(row, pivot)] for row in rows]
    return rank
