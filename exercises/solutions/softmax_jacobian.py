"""Solutions of the exercises on the derivative of softmax."""


# [BestStart]
def best_weight(n):
    return n - 1
# [BestStart]


# [LargerDerivative]
def is_peaked_larger(n, rest):
    return n * rest > 1
# [LargerDerivative]


# [BackwardPass]
def backward(weights, gradient):
    mean = sum(p * g for p, g in zip(weights, gradient))
    return [p * (g - mean) for p, g in zip(weights, gradient)]
# [BackwardPass]


# [StepLaw]
def keeps_step_law(derivative, weights, step):
    gains = [sum(entry * v for entry, v in zip(row, step)) for row in derivative(weights)]
    mean = sum(p * v for p, v in zip(weights, step))
    variance = sum(p * (v - mean) ** 2 for p, v in zip(weights, step))
    return sum(v * gain for v, gain in zip(step, gains)) == variance
# [StepLaw]
