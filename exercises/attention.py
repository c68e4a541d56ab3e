"""Exercises on attention. Write here; tools/exercise NAME judges what you wrote.

Numbers are exact fractions, unless a docstring says float. A matrix is a list of rows, and a row is a list of numbers.
The lines in brackets must stay as they are.
"""

import math
from fractions import Fraction


def transposed(a):
    """A matrix with its rows as columns."""
    return [list(column) for column in zip(*a)]


def product(a, b):
    """The matrix a times the matrix b."""
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


# [WhereToDivide] level 1, 2 points, by hand, claim ScalingCostIsNegligible
def part_of_the_root(m, d):
    """Divisions by the root of d, per multiplication or addition of the scores, where the fewest are needed.

    All scores of some queries are wanted. Either the scores are divided, or the queries, before they are used.
    m: the number of keys, at least 1.
    d: the number of features of a query, and of a key, at least 1.
    """
    raise NotImplementedError
# [WhereToDivide]


# [KeysInAnyOrder] level 2, 3 points, write the check, claim AttentionWeightsAreProbabilities
def keeps_key_order_law(attend, queries, keys, values, sees, order):
    """True if a function keeps the law "the order of the keys does not matter" in this case.

    attend:  what is judged. It takes queries, keys, values and sees, and should return the outputs, a row for each
             query. A key has the weight s² + s + 1 for a score s, over the sum of these, so that all numbers are exact.
    queries: a matrix, a row for each query.
    keys:    a matrix as wide as that of the queries, a row for each key.
    values:  a matrix, a row for each key.
    sees:    the mask, a row for each query: 1 for each key that it sees, 0 for each that it does not see.
    order:   the numbers of the keys, from 0, in another order.
    """
    raise NotImplementedError
# [KeysInAnyOrder]


# [BitsOfAFold] level 2, 3 points, drop a hypothesis, claim ScaleFoldsIntoQueries
def query_and_key(d):
    """[q, k], two floats with (q / √d) · k and (q · k) / √d different, if each operation rounds to the nearest float.

    Their sizes are from 1e-100 to 1e100, so that nothing overflows or underflows.
    d: the dimension, from 2 to 200, but not 4, 16 or 64.
    """
    raise NotImplementedError
# [BitsOfAFold]


# [GradientOfALayer] level 3, 6 points, a body removed, claim ValuesAreNeverBlocked
def input_gradient(inputs, of_queries, of_keys, of_values, weights, output_gradient):
    """The derivative of a loss by the inputs X of the layer Y = X + P V, as a matrix of the shape of X.

    P has the softmax of the scores Q Kᵀ in its rows, with Q = X W_Q, K = X W_K and V = X W_V. There is no root.
    inputs:          X, a row for each token.
    of_queries:      W_Q, a square matrix, as are
    of_keys:         W_K and
    of_values:       W_V.
    weights:         P, which was computed already: a row for each token as a query, a column for each token as a key.
    output_gradient: G, the derivative of the loss by Y, of the shape of X.
    """
    raise NotImplementedError
# [GradientOfALayer]
