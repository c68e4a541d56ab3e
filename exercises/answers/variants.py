"""Answers to the exercises on variants, to test the judges: `told` is the message that a wrong one must get."""

import math
from fractions import Fraction

class ManyKeysOneLead_otherwise:
    def weight_in_the_limit(a, gap, leaders):
        others = 0 if a * gap > 1 else 1 if a * gap == 1 else math.inf  # beside a leader's e^s, all together
        return 0 if others == math.inf else Fraction(1, others + leaders)

class ManyKeysOneLead_gap_below_the_factor:
    told = r"for a = .* and a gap of \d+, a leader \(one of 1\) has a weight of about .* among 10\^\d+ keys, and you say 1/2"
    def weight_in_the_limit(a, gap, leaders):
        return Fraction(1, leaders) if a > gap else Fraction(1, leaders + 1)

class SinkLaw_otherwise:
    def keeps_sink_law(weigh, powers, sink):
        weights = weigh(powers, sink)
        rest = 1 - sum(weights)  # the sink's
        return len(weights) == len(powers) and all(w * sink == rest * z for w, z in zip(weights, powers))

class SinkLaw_total_only:
    told = r"the mutant 'the weights are in the order of the last key first' survives"
    def keeps_sink_law(weigh, powers, sink):
        return sum(weigh(powers, sink)) == sum(powers) / (sum(powers) + sink)

class DirectionsThatAgree_otherwise:
    def queries_and_keys(mean_square):
        agree, differ = mean_square / 8, (2 - mean_square) / 8
        a, b = Fraction(7, 5), Fraction(1, 5)
        four = [(a, b), (-b, a), (-a, -b), (b, -a)]
        return [[*q, *k, (agree if i % 2 == j % 2 else differ) / 2] for i, q in enumerate(four)
                for j, k in enumerate(four)]

class DirectionsThatAgree_longer_keys:
    told = r"a hypothesis that you keep does not hold: the squares of one k add up to 0, not to 2"
    def queries_and_keys(mean_square):
        signs = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        return [[*q, *(mean_square * x for x in k), Fraction(1, 16)] for q in signs for k in signs]

class NarrowFormat_otherwise:
    def rounded(x, digits, fraction):
        size, e = abs(Fraction(x)), -fraction
        while size >= Fraction(2) ** (digits + e):
            e += 1
        m, rest = divmod(size, Fraction(2) ** e)
        up = rest * 2 > Fraction(2) ** e or rest * 2 == Fraction(2) ** e and m % 2 == 1
        return (-1 if x < 0 else 1) * (m + up) * Fraction(2) ** e

class NarrowFormat_ties_go_up:
    told = r"rounded\(1/1024, 4, 9\) returned 1/512, and 0 is right. 1/512 is as near. The two are 0 and 1 times 1/512"
    def rounded(x, digits, fraction):
        step = Fraction(1, 2**fraction)
        while abs(x) >= step * 2**digits:
            step *= 2
        return math.floor(x / step + Fraction(1, 2)) * step
