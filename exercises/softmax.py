"""Exercises on softmax. Write here; tools/exercise NAME judges what you wrote.

Numbers are exact fractions, unless a docstring says float. The lines in brackets must stay as they are.
"""

import math
from fractions import Fraction


# [NinetyNinePercent] level 1, 2 points, by hand, claim AlmostAllWeightNeedsAGap
def ratio_for_99_percent(n):
    """The ratio of the greatest of n weights to any other, for a share of 99 %. All others are alike."""
    raise NotImplementedError
# [NinetyNinePercent]


# [FactorLaw] level 2, 3 points, write the check, claim SoftmaxShiftInvariance
def keeps_factor_law(normalize, weights, factor):
    """True if a function keeps the law "a factor of all weights cancels" in this case.

    normalize: what is judged. It takes weights, and should return each over their sum.
    weights:   at least one, all positive.
    factor:    positive.
    """
    raise NotImplementedError
# [FactorLaw]


# [LeadOnAverage] level 2, 3 points, drop a hypothesis, claim SoftmaxDominance
def scores_with_a_lead(lead):
    """Five scores, the greatest of which is ahead of the mean of the other four by `lead` or more, and
    whose other four share more than a thousandth of the weight all the same.

    lead: from 10 to 80.
    """
    raise NotImplementedError
# [LeadOnAverage]


# [StableSoftmax] level 3, 4 points, a body removed, claim StableSoftmax
def softmax(logits, temperature):
    """Softmax, e^(x_j/τ) over the sum of these, of floats.

    logits:      at least one, finite; some, but not all, may be −∞.
    temperature: τ, positive and finite.
    Returns the weights, from 0 to 1. That of the greatest logit is above 0.
    """
    raise NotImplementedError
# [StableSoftmax]
