"""Exercises on initialization. Write here; tools/exercise NAME judges what you wrote.

Numbers are exact fractions, unless a docstring says float. The lines in brackets must stay as they are.
"""

import math
from fractions import Fraction


# [MeanOvertakesSpread] level 1, 2 points, by hand, claim TrainedScores
def dimension_of_balance(m):
    """The head dimension at which the square of a score's mean equals its variance.

    Entries are normal with mean 0 and variance 1, and other entries are independent.
    m: a whole number from 1 on. The correlation of each query entry with its key entry is 1/m.
    Returns a whole number.
    """
    raise NotImplementedError
# [MeanOvertakesSpread]


# [FeatureOverInputs] level 2, 3 points, drop a hypothesis, claim LayerNormStandardizes
def inputs_of_mean_square(target):
    """A list of inputs, each a list of three features that are not all equal. Each is layer-normalized by itself,
    without epsilon. Over the inputs the first feature then has the mean square `target`.

    target: a fraction from 0 to 2, other than 1.
    """
    raise NotImplementedError
# [FeatureOverInputs]


# [XavierLaw] level 2, 3 points, write the check, claim XavierKeepsUnitVariance
def keeps_xavier_law(outcomes, weight_variance, coordinate_variance, x, rows):
    """True if three functions keep the law of Xavier's variance in this case.

    outcomes:            outcomes(x) should list pairs [value, probability], all values of w·x for a row w of
                         independent weights with mean 0 and variance 1.
    weight_variance:     weight_variance(columns, rows) should be Xavier's variance of a weight.
    coordinate_variance: coordinate_variance(mean_square, columns, rows) should be the variance of a coordinate of W x
                         for an input of this mean square and weights of Xavier's variance.
    x:                   the features of the input, at least one; W has as many columns.
    rows:                the rows of W, at least one.
    """
    raise NotImplementedError
# [XavierLaw]


# [LayerNormThatHolds] level 3, 4 points, a body removed, claim LayerNormInFloatingPoint
def layer_norm(features, epsilon):
    """Layer normalization of floats, (x_i − m) / √(s² + ε), where m and s² are mean and variance of the features.

    features: at least one, finite, of any size.
    epsilon:  ε, finite and at least 0. It is above 0 if all features are equal.
    Returns as many floats, each off by (n + 4)² 2⁻⁵² at most. Equal features give exact zeros.
    """
    raise NotImplementedError
# [LayerNormThatHolds]
