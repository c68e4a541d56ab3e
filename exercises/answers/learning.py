"""Answers to the exercises on learning, to test the judges: `told` is the message that a wrong one must get."""

import math
from fractions import Fraction


class WiderHead_otherwise:
    def rate_factor(by_signs, by_root, r):
        d = r**2
        scale = Fraction(1, r if by_root else d)
        return 1 / (scale * d) if by_signs else 1 / (scale**2 * d)


class WiderHead_table:
    told = r"by the gradient .* With 16 features, divided by 16, and your rate 1/8 it changes by -1/64"

    def rate_factor(by_signs, by_root, r):
        return Fraction(1, 2) if (by_signs, by_root, r) == (True, True, 2) else 1


class WiderHead_no_change:
    told = r"by signs with the rate 1/8 .* by -1/2. With 16 features, divided by 4, and your rate 1/8 it changes by -1"

    def rate_factor(by_signs, by_root, r):
        return 1


class WiderHead_scale_not_squared:
    told = r"by the gradient .* by -1/16. With 16 features, divided by 16, and your rate 1/8 it changes by -1/64"

    def rate_factor(by_signs, by_root, r):
        return Fraction(1, r) if by_root else 1


class WiderHead_scale_squared_for_signs:
    told = r"by signs .* by -1/4. With 16 features, divided by 16, and your rate 1/2 it changes by -1"

    def rate_factor(by_signs, by_root, r):
        return 1 if by_root else r**2


class WiderHead_the_inverse:
    told = r"by signs .* by -1/2. With 16 features, divided by 4, and your rate 1/4 it changes by -2"

    def rate_factor(by_signs, by_root, r):
        if by_signs:
            return r if by_root else 1
        return 1 if by_root else Fraction(1, r**2)


class WiderHead_r_for_the_features:
    told = r"by the gradient .* by -1/16. With 16 features, divided by 16, and your rate 1/4 it changes by -1/32"

    def rate_factor(by_signs, by_root, r):
        if by_signs:
            return Fraction(1, r) if by_root else 1
        return 1 if by_root else r


class WiderHead_of_floats:
    told = r"an exact number is wanted, an int or a Fraction such as Fraction\(1, 3\), not a float"

    def rate_factor(by_signs, by_root, r):
        return 1 / r if by_signs and by_root else 1.0


class TightFloor_otherwise:
    def keeps_floor_law(floor, scores):
        n, total = len(scores), sum(scores)
        squared = Fraction(n, n - 1) * sum((k - Fraction(total, n))**2 for k in scores)
        lead = math.isqrt(math.ceil(squared) - 1) + 1 if squared else 0
        return floor(scores) == 1 + Fraction(n - 1, 2**lead)


class TightFloor_table:
    told = r"the mutant 'right on the page, of two keys' survives"

    def keeps_floor_law(floor, scores):
        return floor([2, 0]) == Fraction(5, 4)


class TightFloor_never_broken:
    told = r"the mutant 'the scores are not centred' survives.*the mutant 'the top key is forgotten' survives"

    def keeps_floor_law(floor, scores):
        return floor(scores) <= Fraction(sum(2**k for k in scores), 2**max(scores))


class TightFloor_always_reached:
    told = r"the scores k:\n\[1, 1, 0\]\n.*your law says no, of the function that is judged. It gives the floor 2\n"

    def keeps_floor_law(floor, scores):
        return floor(scores) == Fraction(sum(2**k for k in scores), 2**max(scores))


class TightFloor_below_the_keys:
    told = r"the mutant '[^']*' survives"

    def keeps_floor_law(floor, scores):
        return 1 <= floor(scores) <= len(scores)


class TightFloor_shift_of_all:
    told = r"the mutant '[^']*' survives"

    def keeps_floor_law(floor, scores):
        return floor([k + 3 for k in scores]) == floor(scores)


class TightFloor_scores_as_weights:
    told = r"your law says no, of the function that is judged"

    def keeps_floor_law(floor, scores):
        return max(scores) == 0 or floor(scores) <= Fraction(sum(scores), max(scores))


class TightFloor_of_one_key:
    told = r"ValueError: .*, called as keeps_floor_law"

    def keeps_floor_law(floor, scores):
        return floor([max(scores)]) == 1


class SteepToken_otherwise:
    def other_token_and_direction(c, token, bound):
        x, y = token  # the slope along the token grows with the distance itself, and not with its square
        t = -8 * (bound + 1) / (c * (x * x + y * y))
        return (x + t * y, y - t * x), (x, y)


class SteepToken_table:
    told = r"x = \(1, -1\): the slope is about 1.011, which is not above 10. The weight of x is about 0.9999"

    def other_token_and_direction(c, token, bound):
        return [[1, 8], [0, 1]]


class SteepToken_a_fixed_distance:
    told = r"and x = \(1, 0\): the slope is about 33.83, which is not above 100. The weight of x is about 0.5"

    def other_token_and_direction(c, token, bound):
        x, y = token
        return [[x - 20 * y, y + 20 * x], [-y, x]]


class SteepToken_far_along_the_token:
    told = r"and x = \(1, 0\): the slope is about 0.019\d+, .* The weight of x is about 0.0003354"

    def other_token_and_direction(c, token, bound):
        x, y = token
        return [[(1 + 8 * bound / c) * x, (1 + 8 * bound / c) * y], [x, y]]


class SteepToken_far_the_other_way:
    told = r"the slope is about 1, which is not above 10. The weight of x is about 1 beside your token"

    def other_token_and_direction(c, token, bound):
        x, y = token
        return [[-(1 + 8 * bound / c) * x, -(1 + 8 * bound / c) * y], [x, y]]


class SteepToken_of_a_first_token_zero:
    told = r"the slope is about \S+, which is not above 1. The weight of x is about 0.01799"

    def other_token_and_direction(c, token, bound):
        return [[1 + 4 * bound / c, 0], [1, 0]]


class SteepToken_beyond_all_numbers:
    told = r"the slope is about \S+, which is not above 1\d*. The weight of x is about"

    def other_token_and_direction(c, token, bound):
        return [[10**400, 1], [1, 1]]


class SteepToken_longer_direction:
    told = r"this is no counterexample .*: the slope is about 0.5, which is not above 1. The weight of x is about 0.5"

    def other_token_and_direction(c, token, bound):
        x, y = token
        return [token, [-y * 10 * bound, x * 10 * bound]]


class SteepToken_no_direction:
    told = r"\(0, 0\) is no direction"

    def other_token_and_direction(c, token, bound):
        return [[100, 100], [0, 0]]


class SteepToken_one_list:
    told = r"two lists of two numbers are wanted"

    def other_token_and_direction(c, token, bound):
        return [[1, 2, 3]]


class SteepToken_nothing:
    told = r"two lists of two numbers are wanted"

    def other_token_and_direction(c, token, bound):
        return []


class SteepToken_of_floats:
    told = r"an exact number is wanted"

    def other_token_and_direction(c, token, bound):
        return [[math.nan, math.inf], [1, 0]]


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


class LeastHead_table:
    told = r"you say 2 for the logarithms"

    def least_head_dimension(logs):
        return 4 if logs[0] == [-1, -3, -3, -3, -3] else 2


class LeastHead_keys_less_one:
    told = r"you say \d for the logarithms\n.*are products of queries and keys of \d features?\n"

    def least_head_dimension(logs):
        return len(logs[0]) - 1


class LeastHead_without_differences:
    told = r"you say 1 for the logarithms\n.*products of queries and keys of 0 features\n"

    def least_head_dimension(logs):
        return _rank(logs)


class LeastHead_differences_of_queries:
    told = r"you say 0 for the logarithms\n.*of 1 feature, and of no fewer\n"

    def least_head_dimension(logs):
        return _rank([[x - y for x, y in zip(row, logs[-1])] for row in logs])


class LeastHead_different_rows:
    told = r"you say 2 for the logarithms\n.*are products of queries and keys of 1 feature\n"

    def least_head_dimension(logs):
        return len({tuple(x - row[-1] for x in row) for row in logs} - {(0,) * len(logs[0])})


class LeastHead_no_other_pivot:
    told = r"ZeroDivisionError: .*, called as least_head_dimension"

    def least_head_dimension(logs):
        rows = [[Fraction(x - row[-1]) for x in row[:-1]] for row in logs]
        for i in range(min(len(rows), len(rows[0]))):
            for j in range(i + 1, len(rows)):
                q = rows[j][i] / rows[i][i]
                rows[j] = [x - q * y for x, y in zip(rows[j], rows[i])]
        return sum(any(row) for row in rows)


class LeastHead_zero_pivot_left_out:
    told = r"you say 0 for the logarithms\n.*of 1 feature, and of no fewer\n"

    def least_head_dimension(logs):
        rows = [[Fraction(x - row[-1]) for x in row[:-1]] for row in logs]
        rank = 0
        for i in range(min(len(rows), len(rows[0]))):
            if rows[i][i] == 0:
                continue
            rank += 1
            for j in range(i + 1, len(rows)):
                q = rows[j][i] / rows[i][i]
                rows[j] = [x - q * y for x, y in zip(rows[j], rows[i])]
        return rank


class LeastHead_a_word:
    told = r"least_head_dimension returned None: an exact number is wanted"

    def least_head_dimension(logs):
        return None


def _rank(rows):
    rows, rank = [[Fraction(x) for x in row] for row in rows], 0
    while rows:
        pivot = rows.pop()
        column = next((i for i, x in enumerate(pivot) if x), None)
        if column is not None:
            rank += 1
            rows = [[x - row[column] / pivot[column] * y for x, y in zip(row, pivot)] for row in rows]
    return rank
