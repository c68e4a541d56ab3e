"""Answers to the exercises on variants, to test the judges: `told` is the message that a wrong one must get."""

import math
import struct
from fractions import Fraction


class ManyKeysOneLead_otherwise:
    def weight_in_the_limit(a, gap, leaders):
        others = 0 if a * gap > 1 else 1 if a * gap == 1 else math.inf  # beside a leader's e^s, all together
        return 0 if others == math.inf else Fraction(1, others + leaders)


class ManyKeysOneLead_table:
    told = r"you say 0"

    def weight_in_the_limit(a, gap, leaders):
        return {(1, 1, 1): Fraction(1, 2), (2, 1, 1): 1}.get((a, gap, leaders), 0)


class ManyKeysOneLead_of_one_leader:
    told = r"a leader \(one of 2\) has a weight of about 0\.\d+ among 10\^\d+ keys, and you say 1"

    def weight_in_the_limit(a, gap, leaders):
        return 0 if a * gap < 1 else Fraction(1, 2) if a * gap == 1 else 1


class ManyKeysOneLead_half_is_shared:
    told = r"a leader \(one of 2\) has a weight of about 0\.3333 among 10\^40 keys, and you say 1/4"

    def weight_in_the_limit(a, gap, leaders):
        return 0 if a * gap < 1 else Fraction(1, 2 * leaders) if a * gap == 1 else Fraction(1, leaders)


class ManyKeysOneLead_gap_below_the_factor:
    told = r"for a = 1 and a gap of 2, a leader \(one of 1\) has a weight of about 1 among 10\^40 keys, and you say 1/2"

    def weight_in_the_limit(a, gap, leaders):
        return Fraction(1, leaders) if a > gap else Fraction(1, leaders + 1)


class ManyKeysOneLead_gap_alone:
    told = r"a = 1/2 and a gap of 2, a leader \(one of 1\) has a weight of about 0\.5 among 10\^40 keys, and you say 1"

    def weight_in_the_limit(a, gap, leaders):
        return 0 if gap < 1 else Fraction(1, leaders + 1) if gap == 1 else Fraction(1, leaders)


class ManyKeysOneLead_any_lead_wins:
    told = r"has a weight of about .*, and you say 1(/\d)?"

    def weight_in_the_limit(a, gap, leaders):
        return Fraction(1, leaders)


class ManyKeysOneLead_as_a_word:
    told = r"an exact number is wanted"

    def weight_in_the_limit(a, gap, leaders):
        return "half"


class SinkLaw_otherwise:
    def keeps_sink_law(weigh, powers, sink):
        weights = weigh(powers, sink)
        rest = 1 - sum(weights)  # the sink's
        return len(weights) == len(powers) and all(w * sink == rest * z for w, z in zip(weights, powers))


class SinkLaw_table:
    told = r"the mutant 'right on the page, of the powers 1, 2 and 5' survives"

    def keeps_sink_law(weigh, powers, sink):
        return weigh([1, 2, 5], 1) == [Fraction(1, 9), Fraction(2, 9), Fraction(5, 9)]


class SinkLaw_sum_of_one:
    told = r"your law says no, of the function that is judged. It gives the weights \{ 1/2 \}"

    def keeps_sink_law(weigh, powers, sink):
        return sum(weigh(powers, sink)) == 1


class SinkLaw_total_only:
    told = r"the mutant 'the weights are in the order of the last key first' survives"

    def keeps_sink_law(weigh, powers, sink):
        return sum(weigh(powers, sink)) == sum(powers) / (sum(powers) + sink)


class SinkLaw_shift_of_the_scores:
    told = r"your law says no"

    def keeps_sink_law(weigh, powers, sink):
        return weigh([2 * z for z in powers], sink) == weigh(powers, sink)


class SinkLaw_shares_alone:
    told = r"the mutant '[^']*' survives"

    def keeps_sink_law(weigh, powers, sink):
        weights = weigh(powers, sink)
        return all(w * powers[0] == weights[0] * z for w, z in zip(weights, powers))


class SinkLaw_shift_of_all:
    told = r"the mutant '[^']*' survives"

    def keeps_sink_law(weigh, powers, sink):
        return weigh([3 * z for z in powers], 3 * sink) == weigh(powers, sink)


class SinkLaw_of_no_keys:
    told = r"ValueError: .*, called as keeps_sink_law"

    def keeps_sink_law(weigh, powers, sink):
        return weigh([], sink) == []


class DirectionsThatAgree_otherwise:
    def queries_and_keys(mean_square):
        agree, differ = mean_square / 8, (2 - mean_square) / 8
        a, b = Fraction(7, 5), Fraction(1, 5)
        four = [(a, b), (-b, a), (-a, -b), (b, -a)]
        return [[*q, *k, (agree if i % 2 == j % 2 else differ) / 2] for i, q in enumerate(four)
                for j, k in enumerate(four)]


class DirectionsThatAgree_table:
    told = r"8 times the mean square:\n\d+\n.*your scores have the mean square 2, and \S+ is wanted"

    def queries_and_keys(mean_square):
        half = Fraction(1, 2)
        return [[1, 1, -1, 1, half], [1, -1, 1, 1, half]] if mean_square == 0 else \
            [[1, 1, 1, 1, half], [1, -1, 1, -1, half]]


class DirectionsThatAgree_independent:
    told = r"your scores have the mean square 1, and 0 is wanted"

    def queries_and_keys(mean_square):
        signs = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        return [[*q, *k, Fraction(1, 16)] for q in signs for k in signs]


class DirectionsThatAgree_one_query:
    told = r"your q prefers a direction: q1² has the mean 1, and q1·q2 the mean 1"

    def queries_and_keys(mean_square):
        return [[1, 1, 1, 1, mean_square / 2], [1, 1, 1, -1, 1 - mean_square / 2]]


class DirectionsThatAgree_longer_keys:
    told = r"a hypothesis that you keep does not hold: the squares of one k add up to 0, not to 2"

    def queries_and_keys(mean_square):
        signs = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        return [[*q, *(mean_square * x for x in k), Fraction(1, 16)] for q in signs for k in signs]


class DirectionsThatAgree_length_one:
    told = r"the squares of one q add up to 1, not to 2"

    def queries_and_keys(mean_square):
        half = Fraction(1, 2)
        return [[1, 0, 1, 0, half], [0, 1, 0, 1, half]]


class DirectionsThatAgree_agree_too_often:
    told = r"the probabilities sum to"

    def queries_and_keys(mean_square):
        agree = mean_square / 2
        return [[1, 1, 1, 1, agree], [1, -1, 1, -1, agree], [1, 1, 1, -1, Fraction(1, 2)], [1, -1, 1, 1, 1 - agree]]


class DirectionsThatAgree_pairs:
    told = r"an entry is \[q1, q2, k1, k2, probability\]: five numbers"

    def queries_and_keys(mean_square):
        return [[1, 1, Fraction(1)]]


class DirectionsThatAgree_nothing:
    told = r"a distribution needs at least one outcome"

    def queries_and_keys(mean_square):
        return []


class NarrowFormat_otherwise:
    def rounded(x, digits, fraction):
        size, e = abs(Fraction(x)), -fraction
        while size >= Fraction(2) ** (digits + e):
            e += 1
        m, rest = divmod(size, Fraction(2) ** e)
        up = rest * 2 > Fraction(2) ** e or rest * 2 == Fraction(2) ** e and m % 2 == 1
        return (-1 if x < 0 else 1) * (m + up) * Fraction(2) ** e


class NarrowFormat_table:
    told = r"rounded\(1/1024, 4, 9\) returned 1/512, and 0 is right"

    def rounded(x, digits, fraction):
        return {0: 0, Fraction(1, 300): Fraction(1, 256)}.get(x, Fraction(1, 512))


class NarrowFormat_of_two_formats:
    told = r"RoundsToAnyNumberOfDigits: failed.*rounded\(\S+, \d+, \d+\) returned .* is right"

    def rounded(x, digits, fraction):
        if digits == 11:
            return Fraction(struct.unpack("e", struct.pack("e", max(-65519, min(x, 65519))))[0])
        step = Fraction(1, 512)
        while abs(x) >= 16 * step:
            step *= 2
        return round(x / step) * step


class NarrowFormat_ties_go_up:
    told = r"rounded\(1/1024, 4, 9\) returned 1/512, and 0 is right. 1/512 is as near. The two are 0 and 1 times 1/512"

    def rounded(x, digits, fraction):
        step = Fraction(1, 2**fraction)
        while abs(x) >= step * 2**digits:
            step *= 2
        return math.floor(x / step + Fraction(1, 2)) * step


class NarrowFormat_towards_zero:
    told = r"rounded\(51/51200, 4, 9\) returned 0, and 1/512 is right. 0 below it is farther off, by 1/25600"

    def rounded(x, digits, fraction):
        step = Fraction(1, 2**fraction)
        while abs(x) >= step * 2**digits:
            step *= 2
        return int(x / step) * step


class NarrowFormat_without_subnormal_numbers:
    told = r"rounded\(-1/16777216, 11, 24\) returned 0, and -1/16777216 is right. 0 above it is farther off"

    def rounded(x, digits, fraction):
        step = Fraction(1, 2**fraction)
        if abs(x) < step * 2**(digits - 1):
            return 0
        while abs(x) >= step * 2**digits:
            step *= 2
        return round(x / step) * step


class NarrowFormat_steps_of_one_size:
    told = r"rounded\(\S+, 4, 9\) returned (\S+), and \S+ is right. \S+ is as near"

    def rounded(x, digits, fraction):
        return round(x * 2**fraction) / Fraction(2**fraction)


class NarrowFormat_as_many_digits_below:
    told = r"rounded\(1/1024, 4, 9\) returned 1/1024, and 0 is right"

    def rounded(x, digits, fraction):
        if x == 0:
            return 0
        step = Fraction(2) ** -100
        while abs(x) >= step * 2**digits:
            step *= 2
        return round(x / step) * step


class NarrowFormat_of_one_format:
    told = r"rounded\(\S+, 4, 9\) returned"

    def rounded(x, digits, fraction):
        return Fraction(struct.unpack("e", struct.pack("e", x))[0])


class NarrowFormat_digits_after_the_first:
    told = r", 4, 9\) returned"

    def rounded(x, digits, fraction):
        step = Fraction(1, 2**fraction)
        while abs(x) >= step * 2**(digits + 1):
            step *= 2
        return round(x / step) * step


class NarrowFormat_positive_only:
    told = r"rounded\(-\S+, 11, 24\) returned"

    def rounded(x, digits, fraction):
        step = Fraction(1, 2**fraction)
        while x >= step * 2**digits:
            step *= 2
        return round(x / step) * step


class NarrowFormat_of_floats:
    told = r"an exact number is wanted, an int or a Fraction such as Fraction\(1, 3\), not a float"

    def rounded(x, digits, fraction):
        return float(x)
