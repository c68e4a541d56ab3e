"""Exercises on saturation. Write here; tools/exercise NAME judges what you wrote.

Numbers are exact fractions, unless a docstring says float. The lines in brackets must stay as they are.
"""

import itertools
import math
from fractions import Fraction


# [KeysForALargerHead] level 1, 2 points, predict, then run, claim CondensationThreshold
def keys_for_a_larger_head(n, factor):
    """The number of keys that keeps the limit of the mean of Σp², for raw scores in `factor` times as many dimensions.

    n:      the number of keys before, a whole number from 2 to 1000.
    factor: a whole number from 2 to 6.
    """
    raise NotImplementedError
# [KeysForALargerHead]


# [VarianceOfAnOutput] level 2, 3 points, write the check, claim PriceOfTheRoot
def keeps_variance_law(variance, rows):
    """True if a function keeps the law of the variance of an output in this case.

    variance: what is judged. It takes rows, and should return the variance of an output Σ p_j v_j, whose weights p are
              one of the rows, each as likely as another, and whose values v_j are independent of the row and of each
              other, with mean 0 and variance 1.
    rows:     at least one list of weights. All are equally long, and each has the sum 1.
    """
    raise NotImplementedError
# [VarianceOfAnOutput]


# [KeysForManyPositions] level 2, 3 points, drop a hypothesis, claim InformationLoss
def keys_for_many_positions(d, wanted):
    """A whole number of keys, from 2 to 10**30, among which raw scores attend to at least `wanted` positions.

    Positions are counted by the mean entropy. More than a thousand times as many as are wanted are too many.
    d:      the dimension of the head, from 4 to 100, so that a raw score is normal with mean 0 and variance d.
    wanted: from 10 to 1000.
    """
    raise NotImplementedError
# [KeysForManyPositions]


# [SlopesOfAWeight] level 3, 4 points, a body removed, claim SaturationThreshold
def raised_weight(n, r):
    """The weight that softmax gives to a score x, if it has n scores and all others are 0.

    n: at least 2.
    r: e^x, a positive fraction; or a positive float, however small or large, or math.inf, and then a float is wanted.
    """
    raise NotImplementedError


def weight_derivative(n, r, order):
    """The derivative of that weight by x.

    n:     at least 2.
    r:     e^x, a positive fraction.
    order: 1 for the first derivative, 2 for the second, 3 for the third.
    """
    raise NotImplementedError
# [SlopesOfAWeight]
