"""Exercises on variants. Write here; tools/exercise NAME judges what you wrote.

Numbers are exact: whole numbers, or fractions. The lines in brackets must stay as they are.
"""

from fractions import Fraction


# [ManyKeysOneLead] level 1, 2 points, predict, then run, claim LogNScaling
def weight_in_the_limit(a, gap, leaders):
    """The limit of each leader's weight, as the number of keys n grows.

    All scores are multiplied by a·ln n. A few leaders stay the same, and ever more other keys come.
    a:       positive.
    gap:     by how much each leader's score is above those of all other keys, before it is multiplied. Positive.
    leaders: how many keys are ahead, at least 1. Their scores are alike, and so are those of all other keys.
    """
    raise NotImplementedError
# [ManyKeysOneLead]


# [SinkLaw] level 2, 3 points, write the check, claim AttentionSink
def keeps_sink_law(weigh, powers, sink):
    """True if a function gives the keys the weights that they have beside a sink, in this case.

    weigh:  what is judged. It takes powers and a sink, and should return the weights of the keys, without the sink's.
    powers: e^s for the score s of each key. At least one, all positive.
    sink:   e^b for the score b of the sink. Positive.
    """
    raise NotImplementedError
# [SinkLaw]


# [DirectionsThatAgree] level 2, 3 points, drop a hypothesis, claim QueryKeyNorm
def queries_and_keys(mean_square):
    """Normalized queries and keys of two features whose scores q·k/√2 have a mean square that is given.

    mean_square: from 0 to 2, and not 1.
    Returns a list of [q1, q2, k1, k2, probability], whose probabilities add up to 1. In each, q1² + q2² = 2 and
    k1² + k2² = 2. The queries by themselves, and the keys by themselves, prefer no direction: each entry has the mean
    square 1, and their product has the mean 0.
    """
    raise NotImplementedError
# [DirectionsThatAgree]


# [NarrowFormat] level 3, 4 points, a body removed, claim HalfPrecisionRange
def rounded(x, digits, fraction):
    """The number of a binary format that is nearest to x. Of two that are as near, the one whose last digit is even.

    The numbers of the format are 0 and ±m·2^e, with whole m < 2^digits and whole e ≥ −fraction. None is the largest.
    x:        a fraction, also 0 or less.
    digits:   at least 2. Half precision has 11, and the eight bits of E4M3 have 4.
    fraction: at least 0. The least positive number is 2^−fraction: 24 for half precision, 9 for E4M3.
    """
    raise NotImplementedError
# [NarrowFormat]
