"""Exercises on training. Write here; tools/exercise NAME judges what you wrote.

Numbers are exact fractions, unless a docstring says float. The lines in brackets must stay as they are.
"""

import math
from fractions import Fraction


# [RatesInStep] level 1, 2 points, by hand, claim ScalingIsStartAndRate
def rates_in_step(rate, a, b):
    """The rates at which an unscaled layer stays in step with a scaled one.

    rate: η, positive, of W_Q and of W_K in the layer that divides its scores by √d.
    a, b: positive, with ab = √d. The unscaled layer starts from W_Q/a and W_K/b.
    Returns a list of two numbers: the unscaled layer's rate of W_Q, and that of W_K.
    """
    raise NotImplementedError
# [RatesInStep]


# [BackThroughSoftmax] level 2, 1 point, a body removed, claim RecallGradient
def by_scores(weights, by_weights):
    """The derivatives of the loss with respect to the scores s, where p = softmax(s).

    weights:    p, the attention weights, at least one.
    by_weights: as many, the derivatives of the loss with respect to the weights.
    Returns a list of as many numbers, not rounded.
    """
    raise NotImplementedError
# [BackThroughSoftmax]


# [LawOfAlike] level 2, 3 points, write the check, claim AdditiveVersusDotProduct
def keeps_law_of_alike(alike, one, other):
    """True if a function keeps the definition of "two layers learn alike" in this case.

    alike: what is judged. alike(x, y) should be True if both layers learn, and neither takes twice the steps of the
           other or more. Else it should be False.
    one:   a float, the steps that a layer takes until it has learned: 1 or more, and math.inf if it never learns.
    other: the same of another layer.
    """
    raise NotImplementedError
# [LawOfAlike]


# [PairwiseSeeds] level 3, 4 points, drop a hypothesis, claim SignsDecideSafely
def answers_of_seeds(alpha):
    """Answers of some seeds, each two of which are independent, that the sign test decides too often.

    alpha: what the sign test allows, a fraction from 1/100 to 1/10. If y of n seeds say yes, it decides if n fair coins
           show y heads or more with a probability of alpha/2 at most, or y heads or fewer.
    Returns a list of rows, which are equally likely. A row is a list that has the answer of each seed, 1 for yes and
    0 for no. Over the rows each seed says yes in half of the cases, and each two seeds are independent. The share of
    rows in which the sign test decides is greater than alpha. All rows together have at most 10000 answers.
    """
    raise NotImplementedError
# [PairwiseSeeds]
