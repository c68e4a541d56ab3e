"""Exercises on the derivative of softmax. Write here; tools/exercise NAME judges what you wrote.

Numbers are exact fractions. The lines in brackets must stay as they are.
"""

from fractions import Fraction


# [BestStart] level 1, 2 points, by hand, claim ModerateJacobianExample
def best_weight(n):
    """The weight e^x of a key for which its share has the largest derivative by its own score x.

    n: how many keys there are, 2 or more. Each other one has the weight 1.
    """
    raise NotImplementedError
# [BestStart]


# [LargerDerivative] level 2, 3 points, predict, then run, claim PeakedVersusUniform
def is_peaked_larger(n, rest):
    """True if the derivative of softmax has a larger spectral norm at peaked weights than at n equal ones.

    n:    how many keys there are, 2 or more.
    rest: above 0, and ½ at most. At the peaked weights one key has 1 − rest, and the others share rest equally.
    """
    raise NotImplementedError
# [LargerDerivative]


# [BackwardPass] level 2, 3 points, a body removed, claim SoftmaxJacobian
def backward(weights, gradient):
    """The derivatives of a loss by the scores of a softmax.

    weights:  what softmax gave, at least one; from 0 to 1, with the sum 1.
    gradient: the derivatives of the loss by these weights, as many.
    Returns as many numbers.
    """
    raise NotImplementedError
# [BackwardPass]


# [StepLaw] level 3, 4 points, write the check, claim JacobianStructure
def keeps_step_law(derivative, weights, step):
    """True if a function keeps this law: what the weights gain in a step, measured along it, is a variance.

    derivative: what is judged. It takes weights, and should return the derivative of softmax there, a list of rows.
                Entry j of row i is the derivative of weight i by score j.
    weights:    at least one; from 0 to 1, with the sum 1.
    step:       how fast each score moves, as many numbers of any sign.
    """
    raise NotImplementedError
# [StepLaw]
