"""Solutions of the exercises on variants."""

from fractions import Fraction


# [ManyKeysOneLead]
def weight_in_the_limit(a, gap, leaders):
    if a * gap < 1:
        return 0
    if a * gap == 1:
        return Fraction(1, leaders + 1)
    return Fraction(1, leaders)
# [ManyKeysOneLead]


# [SinkLaw]
def keeps_sink_law(weigh, powers, sink):
    return weigh(powers, sink) == [z / (sum(powers) + sink) for z in powers]
# [SinkLaw]


# [DirectionsThatAgree]
def queries_and_keys(mean_square):
    agree = mean_square / 4
    differ = Fraction(1, 2) - agree
    return [[1, 1, 1, 1, agree], [1, -1, 1, -1, agree],
            [1, 1, 1, -1, differ], [1, -1, 1, 1, differ]]
# [DirectionsThatAgree]


# [NarrowFormat]
def rounded(x, digits, fraction):
    step = Fraction(1, 2**fraction)  # the distance of the numbers around x
    while abs(x) >= step * 2**digits:
        step *= 2
    return round(x / step) * step  # Python's round() takes ties to even
# [NarrowFormat]
