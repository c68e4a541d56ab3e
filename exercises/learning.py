"""Exercises on learning. Write here; tools/exercise NAME judges what you wrote.

Numbers are exact: whole numbers, or fractions. A matrix is a list of rows, and a row is a list of numbers. The lines in
brackets must stay as they are.
"""

from fractions import Fraction


# [WiderHead] level 1, 2 points, by hand, claim FirstStep
def rate_factor(by_signs, by_root, r):
    """The factor for the learning rate if heads get r² times as many features, for a first step as before.

    A query meets one key. The entries of both are 1 or −1, in any number of features, and their products add up to 0.
    The first step is to change their score by as much as before. Tokens and the slope of the loss stay.
    by_signs: whether a step follows the signs of the gradient, as Adam's first one, and not the gradient itself.
    by_root:  whether scores of d features are divided by the root of d, and not by d.
    r:        at least 1, whole.
    """
    raise NotImplementedError
# [WiderHead]


# [TightFloor] level 2, 3 points, write the check, claim EntropyFloor
def keeps_floor_law(floor, scores):
    """True if a function gives what 1/p cannot fall below, p any weight, and gives no less than it could.

    floor:  what is judged. It takes scores as below, at least two of them. Their exponentials are e^s = 2^k. It
            should return 1 + (n−1)/2^a, where a is the root of n/(n−1) Σ(k−k̄)², rounded up to a whole number.
    scores: a list of n scores, each a whole number k from 0 to 5 that stands for s = k ln 2.
    """
    raise NotImplementedError
# [TightFloor]


# [SteepToken] level 2, 3 points, drop a hypothesis, claim AttentionIsNotLipschitz
def other_token_and_direction(c, token, bound):
    """[other, v]: a second token, and a direction in which the output for the first one is steeper than a bound.

    The scores of the first token x are c x·x and c x·y with the second token y. Its output is the mean of x and y, by
    the softmax of these. If x moves in direction v, the output's derivative has to be longer than `bound` times v.
    c:     positive.
    token: x, a list of two numbers, not both 0. It stays where it is.
    bound: positive.
    """
    raise NotImplementedError
# [SteepToken]


# [LeastHead] level 3, 4 points, a body removed, claim LowRankScores
def least_head_dimension(logs):
    """The least number of features of a head, d, with which queries and keys can give certain weights; 0 if equal weights
    do, for which no feature is needed.

    logs: the logarithms of the weights, a row for each query and a column for each key, at least one of each. A number
          may have been added to all of a row, and all rows may have been multiplied by one factor that is not 0. Whole
          numbers or fractions.
    """
    raise NotImplementedError
# [LeastHead]
