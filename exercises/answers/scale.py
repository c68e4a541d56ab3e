"""Answers to the exercises on the scale of scores, to test the judges."""

import decimal
import math
from fractions import Fraction

class ScaledBits_otherwise:
    def variance_of_scaled_bits(d, p, r):
        of_q, of_k = p * (1 - p), r * (1 - r)
        return Fraction(d * (of_q * of_k + p ** 2 * of_k + r ** 2 * of_q), d)

class ScaledBits_divided_twice:
    told = r"\nd:\n2\n.*this does not hold: 1/8 = 1/4.*has the variance 1/2, and the division by √2 leaves 1/4"
    def variance_of_scaled_bits(d, p, r):
        return p * r * (1 - p * r) / d

class DivideByAShift_otherwise:
    def shift(d):
        k = 0
        while d > 2 * 4 ** k:
            k += 1
        return k

class DivideByAShift_root_rounded_down:
    told = r"a score of variance \d+, divided by 2\^\d = \d+, keeps the variance [0-9/]+, more than 2: .* too small"
    def shift(d):
        return math.isqrt(d).bit_length() - 1

class CosineLaw_otherwise:
    def keeps_cosine_law(squared_cosine, q, k, factor):
        def dot(a, b):
            return sum(x * y for x, y in zip(a, b))
        return squared_cosine(q, k) * dot(q, q) * dot(k, k) == dot(q, k) ** 2

class CosineLaw_range_only:
    told = r"the mutant 'every vector is parallel' survives.*the mutant 'halved' survives" \
        r"|the mutant 'halved' survives.*the mutant 'every vector is parallel' survives"

    def keeps_cosine_law(squared_cosine, q, k, factor):
        return 0 <= squared_cosine(q, k) <= 1

class LogOfWhatIsLeft_otherwise:
    def log_variance_left(factor, power, log_power, pi_rate, log_d):
        if pi_rate != 0 and log_d > 1000:
            return -math.copysign(math.inf, pi_rate)
        with decimal.localcontext(decimal.Context(prec=60)):
            def exact(x):
                return decimal.Decimal(x.numerator) / decimal.Decimal(x.denominator)
            length = decimal.Decimal(log_d)
            pi = decimal.Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
            return float(exact(1 - 2 * power) * length - 2 * exact(log_power) * length.ln() - 2 * exact(factor).ln()
                         - (2 * exact(pi_rate) * pi * length.exp() if pi_rate != 0 else 0))

class LogOfWhatIsLeft_rate_in_the_exponent:
    told = r"715: the logarithm is -2\.0832166078137[0-9]*e\+281 instead of -2\.0832166078137[0-9]*e\+281, give"
    def log_variance_left(factor, power, log_power, pi_rate, log_d):
        result = float(1 - 2 * power) * log_d - float(2 * log_power) * math.log(log_d) - 2 * math.log(factor)
        if pi_rate != 0:
            exponent = log_d + math.log(2 * math.pi * abs(pi_rate))
            result -= math.copysign(math.exp(exponent) if exponent < 709.7 else math.inf, pi_rate)
        return result
