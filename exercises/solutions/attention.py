"""Solutions of the exercises on attention."""

import math
from fractions import Fraction


def transposed(a):
    """A matrix with its rows as columns."""
    return [list(column) for column in zip(*a)]


def product(a, b):
    """The matrix a times the matrix b."""
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


# [WhereToDivide]
def part_of_the_root(m, d):
    products_and_sums = m * d + m * (d - 1)  # for each query
    return Fraction(min(m, d), products_and_sums)
# [WhereToDivide]


# [KeysInAnyOrder]
def keeps_key_order_law(attend, queries, keys, values, sees, order):
    def moved(row):
        return [row[j] for j in order]

    before = attend(queries, keys, values, sees)
    return attend(queries, moved(keys), moved(values), [moved(row) for row in sees]) == before
# [KeysInAnyOrder]


# [BitsOfAFold]
def query_and_key(d):
    root = math.sqrt(d)
    return next([q, k] for q in range(1, 100) for k in range(1, 100) if q / root * k != q * k / root)
# [BitsOfAFold]


# [GradientOfALayer]
def input_gradient(inputs, of_queries, of_keys, of_values, weights, output_gradient):
    queries, keys, values = (product(inputs, w) for w in (of_queries, of_keys, of_values))
    gains = product(output_gradient, transposed(values))  # the derivative by each weight
    by_score = []
    for p, g in zip(weights, gains):
        mean = sum(x * y for x, y in zip(p, g))
        by_score.append([x * (y - mean) for x, y in zip(p, g)])
    by_queries, by_keys = product(by_score, keys), product(transposed(by_score), queries)
    by_values = product(transposed(weights), output_gradient)
    paths = (output_gradient, product(by_queries, transposed(of_queries)), product(by_keys, transposed(of_keys)),
             product(by_values, transposed(of_values)))
    return [[sum(entries) for entries in zip(*rows)] for rows in zip(*paths)]
# [GradientOfALayer]
