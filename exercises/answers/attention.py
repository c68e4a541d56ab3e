"""Answers to the exercises on attention, to test the judges: `told` is the message that a wrong one must get."""

import math
from fractions import Fraction


def transposed(a):
    return [list(column) for column in zip(*a)]


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]

class WhereToDivide_otherwise:
    def part_of_the_root(m, d):
        at_scores = Fraction(1, 2 * d - 1)
        return at_scores if d >= m else at_scores * d / m

class WhereToDivide_always_at_the_scores:
    told = r"means \d+ divisions\. The fewest that do are 1: one for each of its features"
    def part_of_the_root(m, d):
        return Fraction(1, 2 * d - 1)

class KeysInAnyOrder_otherwise:
    def keeps_key_order_law(attend, queries, keys, values, sees, order):
        masks = transposed(sees)
        together = [(keys[j], values[j], masks[j]) for j in reversed(range(len(keys)))]
        k, v, s = map(list, zip(*together))
        return attend(queries, k, v, transposed(s)) == attend(queries, keys, values, sees)

class KeysInAnyOrder_nothing_is_moved:
    told = r"'the last key is left out' survives.*'each key has the mask of the next one' survives"
    def keeps_key_order_law(attend, queries, keys, values, sees, order):
        return attend(queries, keys, values, sees) == attend(queries, keys, values, sees)

class BitsOfAFold_otherwise:
    def query_and_key(d):
        q, k = 1.1, 0.7
        while q / math.sqrt(d) * k == q * k / math.sqrt(d):
            q, k = q * 1.01, k * 1.03
        return [-q, k]

class BitsOfAFold_a_power_of_two:
    told = r"the dimension:\n2\n.*no counterexample: \(5 / √2\) · 2 and \(5 · 2\) / √2 are the same, 7.07"
    def query_and_key(d):
        return [5.0, 2.0]

class GradientOfALayer_otherwise:
    def input_gradient(inputs, of_queries, of_keys, of_values, weights, output_gradient):
        n, width = range(len(inputs)), range(len(inputs[0]))
        values = product(inputs, of_values)
        towards = product(of_queries, transposed(of_keys))  # scores are X towards Xᵀ
        gradient = [list(row) for row in output_gradient]
        for i in n:
            gains = [sum(g * v for g, v in zip(output_gradient[i], values[j])) for j in n]
            mean = sum(weights[i][j] * gains[j] for j in n)
            for j in n:
                by_score = weights[i][j] * (gains[j] - mean)
                for a in width:
                    gradient[i][a] += by_score * sum(towards[a][b] * inputs[j][b] for b in width)
                    gradient[j][a] += by_score * sum(towards[b][a] * inputs[i][b] for b in width)
                    gradient[j][a] += weights[i][j] * sum(of_values[a][b] * output_gradient[i][b] for b in width)
        return gradient


def paths(weights, inputs, of_queries, of_keys, of_values, output_gradient, mean_counts=1):
    queries, keys, values = (product(inputs, w) for w in (of_queries, of_keys, of_values))
    by_score = []
    for p, g in zip(weights, product(output_gradient, transposed(values))):
        mean = mean_counts * sum(x * y for x, y in zip(p, g))
        by_score.append([x * (y - mean) for x, y in zip(p, g)])
    return [output_gradient, product(product(by_score, keys), transposed(of_queries)),
            product(product(transposed(by_score), queries), transposed(of_keys)),
            product(product(transposed(weights), output_gradient), transposed(of_values))]


def total(matrices):
    return [[sum(entries) for entries in zip(*rows)] for rows in zip(*matrices)]

class GradientOfALayer_no_residual:
    told = r"input_gradient\(\[\[0, 0\]\], .*this does not hold: 0 = 1\n.*only the residual and its value"
    def input_gradient(inputs, of_queries, of_keys, of_values, weights, output_gradient):
        return total(paths(weights, inputs, of_queries, of_keys, of_values, output_gradient)[1:])
