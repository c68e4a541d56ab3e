"""Answers to the exercises on softmax's derivative, to test the judges: a wrong one must get the message `told`."""

from fractions import Fraction

class BestStart_otherwise:
    def best_weight(n):
        share = Fraction(1, 2)
        return share / (1 - share) * sum(1 for _ in range(1, n))

class BestStart_table_of_what_was_said:
    told = r"The smallest case that was found:\s+how many keys:\s+\d+\s.*among \d+, a weight of 1 beside"
    def best_weight(n):
        return {2: 1, 3: 2, 4: 3, 10: 9, 512: 511}.get(n, 1)

class LargerDerivative_otherwise:
    def is_peaked_larger(n, rest):
        return Fraction(n, n - 1) * rest * (1 - rest) > Fraction(1, n)

class LargerDerivative_peaks_are_flat:
    told = r"is not the larger one. Its norm is \d+/\d+ = 0\.\d+ where .*, and 1/\d+ = 0\.\d+ at equal weights"
    def is_peaked_larger(n, rest):
        return False

class BackwardPass_otherwise:
    def backward(weights, gradient):
        jacobian = [[p * ((i == j) - q) for j, q in enumerate(weights)] for i, p in enumerate(weights)]
        return [sum(g * row[j] for g, row in zip(gradient, jacobian)) for j in range(len(weights))]

class BackwardPass_plain_mean:
    told = r"the weights \[.*\] and the gradient \[0, 1\], .* at the rates \[.*\], and you return \[.*\]"
    def backward(weights, gradient):
        mean = sum(gradient) / Fraction(len(gradient))
        return [p * (g - mean) for p, g in zip(weights, gradient)]

class StepLaw_otherwise:
    def keeps_step_law(derivative, weights, step):
        matrix = derivative(weights)
        form = sum(u * a * v for u, row in zip(step, matrix) for a, v in zip(row, step))
        square = sum(p * v * v for p, v in zip(weights, step))
        return form == square - sum(p * v for p, v in zip(weights, step)) ** 2

class StepLaw_first_score_only:
    told = r"the mutant 'only the last entry of the diagonal is wrong' survives"
    def keeps_step_law(derivative, weights, step):
        return derivative(weights)[0][0] == weights[0] * (1 - weights[0])
