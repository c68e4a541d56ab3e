"""Solutions of the exercises on training."""

from fractions import Fraction


# [RatesInStep]
def rates_in_step(rate, a, b):
    return [rate / a**2, rate / b**2]
# [RatesInStep]


# [BackThroughSoftmax]
def by_scores(weights, by_weights):
    mean = sum(p * g for p, g in zip(weights, by_weights))
    return [p * (g - mean) for p, g in zip(weights, by_weights)]
# [BackThroughSoftmax]


# [LawOfAlike]
def keeps_law_of_alike(alike, one, other):
    return alike(one, other) == (one < 2 * other and other < 2 * one)
# [LawOfAlike]


# [PairwiseSeeds]
def answers_of_seeds(alpha):
    coins = 1
    while Fraction(1, 2 ** (coins + 1)) > alpha:
        coins += 1
    seeds = range(1, 2**coins)  # each looks at some of the coins, and says whether an odd number shows heads
    return [[(toss & seed).bit_count() % 2 for seed in seeds] for toss in range(2**coins)]
# [PairwiseSeeds]
