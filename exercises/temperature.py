"""Exercises on temperature. Write here; tools/exercise NAME judges what you wrote.

Numbers are exact: an int or a Fraction. The lines in brackets must stay as they are.
"""

from fractions import Fraction


# [ColdLimit] level 1, 2 points, predict, then run, claim TemperatureLimits
def cold_limit(scores):
    """The limit of each weight of softmax(scores / τ) as the temperature τ falls to 0, as a list.

    scores: whole numbers of any sign, at least one.
    """
    raise NotImplementedError
# [ColdLimit]


# [OddsToAPower] level 2, 3 points, by hand, claim TemperatureSweep
def colder_share(share, factor):
    """The share of the first of two keys at the temperature τ / factor.

    share:  what it has at the temperature τ, a Fraction above 0 and below 1. The second key has the rest.
    factor: a whole number, 1 or more.
    """
    raise NotImplementedError
# [OddsToAPower]


# [TheSecondFallsToo] level 2, 3 points, drop a hypothesis, claim TemperatureSharpens
def weights_whose_second_falls(n, cold, hot):
    """Weights e^s of n keys. At the temperature 1/a their shares are in the proportion of the powers (e^s)^a.

    As the temperature rises from 1/cold to 1/hot, the second largest share must fall, and not only the largest.

    n:         from 3 to 8.
    cold, hot: whole numbers with 1 ≤ hot < cold ≤ 14.
    Returns n positive numbers. Only one of them is the largest.
    """
    raise NotImplementedError
# [TheSecondFallsToo]


# [LearnedTemperature] level 3, 4 points, a body removed, claim QueryDependentScale
def temperature_gradient(weights, scores, gradient, temperature):
    """The derivative of a loss by the temperature τ of softmax(scores / τ).

    weights:     what this softmax gives, at least one; positive, with the sum 1.
    scores:      as many numbers of any sign.
    gradient:    the derivatives of the loss by the weights, as many.
    temperature: τ, positive.
    Returns a number.
    """
    raise NotImplementedError
# [LearnedTemperature]
