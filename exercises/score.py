"""Exercises on scores. Write here; tools/exercise NAME judges what you wrote.

Numbers are exact fractions. The lines in brackets must stay as they are.
"""

from fractions import Fraction


# [OneQueryManyKeys] level 1, 2 points, by hand, claim WithoutUnitVariance
def variance_of_scores(query, key_mean, key_variance):
    """The variance of the scores that one query has with random keys.

    query:        its entries, at least one. They are fixed.
    key_mean:     the mean of each entry of a key. The entries are independent and share one distribution.
    key_variance: the variance of each entry of a key, at least 0.
    """
    raise NotImplementedError
# [OneQueryManyKeys]


# [MeanSquareOfScores] level 2, 3 points, write the check, claim DotProductVariance
def keeps_variance_law(mean, mean_square, d, q, k):
    """True if two functions keep the law "mean square minus squared mean is the variance of the score" in this case.

    mean:        what is judged. It takes d, q and k, and should return the mean of the score.
    mean_square: judged as well. It takes d, q and k, and should return the mean of the squared score.
    d:           the dimension, from 1 to 3.
    q:           the values of each entry of the query, at least one, all equally likely.
    k:           the values of each entry of the key, in the same way. All 2d entries are independent.
    """
    raise NotImplementedError
# [MeanSquareOfScores]


# [AnyTwoIndependent] level 2, 3 points, drop a hypothesis, claim WithoutIndependence
def four_entries(variance):
    """A joint distribution of a query and a key in two dimensions, as a list of [q1, q2, k1, k2, probability].

    Each of the four entries has mean 0 and variance 1, and any two of them are independent.
    variance: that of the score q1 k1 + q2 k2, from 0 to 4, but not 2.
    """
    raise NotImplementedError
# [AnyTwoIndependent]


# [DotProductGrowsWithDimension] level 3, 4 points, a body removed, claim DotProductGrowsWithDimension
def sign_mean_absolute(d):
    """The mean absolute value of a score whose 2d entries are independent fair signs.

    d: the dimension, from 1 to 512.
    """
    raise NotImplementedError


def normal_mean_absolute(d):
    """The mean absolute value of a score whose 2d entries are independent standard normal numbers.

    d: the dimension, from 1 to 128.
    Returns it for even d, and π times it for odd d. Both are fractions.
    """
    raise NotImplementedError
# [DotProductGrowsWithDimension]
