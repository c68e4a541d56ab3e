"""Solutions of the exercises on learning."""

from fractions import Fraction


# [WiderHead]
def rate_factor(by_signs, by_root, r):
    if by_signs:
        return Fraction(1, r) if by_root else 1
    return 1 if by_root else r**2
# [WiderHead]


# [TightFloor]
def keeps_floor_law(floor, scores):
    def largest_inverse(row):
        return Fraction(sum(2**k for k in row), 2**max(row))

    one_high = [max(scores)] + [min(scores)] * (len(scores) - 1)
    return floor(scores) <= largest_inverse(scores) and floor(one_high) == largest_inverse(one_high)
# [TightFloor]


# [SteepToken]
def other_token_and_direction(c, token, bound):
    across = [-token[1], token[0]]
    t = 1 + 4 * bound / (c * (token[0]**2 + token[1]**2))
    return [[x + t * a for x, a in zip(token, across)], across]
# [SteepToken]


# [LeastHead]
def least_head_dimension(logs):
    rows = [[Fraction(x - row[-1]) for x in row[:-1]] for row in logs]
    rank = 0
    while rows:
        pivot = rows.pop()
        column = next((i for i, x in enumerate(pivot) if x), None)
        if column is None:
            continue
        rank += 1
        rows = [[x - row[column] / pivot[column] * y for x, y in zip(row, pivot)] for row in rows]
    return rank
# [LeastHead]
