"""Exercises on moments. Write here; tools/exercise NAME judges what you wrote.

Numbers are exact fractions. The lines in brackets must stay as they are.
"""

from fractions import Fraction


# [DropoutVariance] level 1, 2 points, by hand, claim IndependentProductVariance
def variance_after_dropout(mean, variance, keep):
    """The variance of a number after dropout, which keeps it and divides it by `keep`, or replaces it by 0.

    mean:     the mean of the number before, whatever its distribution.
    variance: its variance before, at least 0.
    keep:     the probability that it is kept, above 0 and at most 1. The choice is independent of the number.
    """
    raise NotImplementedError
# [DropoutVariance]


# [CovariancesCount] level 2, 3 points, write the check, claim VarianceOfSum
def keeps_covariance_law(variance_of_sum, outcomes, probabilities):
    """True if a function keeps the law "every covariance counts" in this case.

    variance_of_sum: what is judged. It takes outcomes and probabilities, and should return the variance of the sum
                     of all variables.
    outcomes:        lists of one length, from 2 to 4, with a number for each variable. Two outcomes of the variables
                     X and Y are [[x1, y1], [x2, y2]].
    probabilities:   one for each outcome, positive. They sum to 1.
    """
    raise NotImplementedError
# [CovariancesCount]


# [FactorsThatFireTogether] level 2, 3 points, drop a hypothesis, claim IndependentProductMean
def firing_together(first, second, together):
    """A joint distribution of X and Y, each 0 or 1, with these probabilities, as a list of [x, y, probability].

    first:    the probability of X = 1, from 0.01 to 0.99.
    second:   the probability of Y = 1, in the same range.
    together: the mean of XY, which is not first * second. There is always a distribution that has it.
    """
    raise NotImplementedError
# [FactorsThatFireTogether]


# [VarianceBoundsDeviations] level 3, 4 points, a body removed, claim VarianceBoundsDeviations
def chebyshev_bound(variance, distance):
    """The most that the probability of a deviation from the mean by `distance` or more can be.

    variance: at least 0. Nothing else is known of the distribution.
    distance: above 0.
    """
    raise NotImplementedError


def min_deviation_probability(variance, distance, reach):
    """The best lower bound for the probability of a deviation by `distance` or more, if none exceeds `reach`.

    variance: from 0 to reach².
    distance: above 0 and below reach.
    reach:    no outcome is farther from the mean.
    """
    raise NotImplementedError
# [VarianceBoundsDeviations]
