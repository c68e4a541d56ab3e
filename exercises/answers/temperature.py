"""Answers to the exercises on temperature, to test the judges: `told` is the message that a wrong one must get."""

from fractions import Fraction

class ColdLimit_otherwise:
    def cold_limit(scores):
        best = [i for i, s in enumerate(scores) if all(s >= other for other in scores)]
        return [1 / Fraction(len(best)) if i in best else 0 for i in range(len(scores))]

class ColdLimit_first_of_the_ties:
    told = r"the weight of score (-?[0-9]) tends to 1. At the temperature 1/100 it is about 0.5"
    def cold_limit(scores):
        return [int(i == scores.index(max(scores))) for i in range(len(scores))]

class OddsToAPower_otherwise:
    def colder_share(share, factor):
        weights = [1, 1]
        for _ in range(factor):
            weights = [weights[0] * share, weights[1] * (1 - share)]
        return weights[0] / sum(weights)

class OddsToAPower_odds_times_the_factor:
    told = r"of the share .* at τ you make .* at τ/.*the ratio of the first key to the second goes from "
    def colder_share(share, factor):
        odds = share / (1 - share)
        if odds != 1:
            odds = odds * factor if odds > 1 else odds / factor
        return odds / (1 + odds)

class TheSecondFallsToo_otherwise:
    def weights_whose_second_falls(n, cold, hot):
        return [Fraction(9, 10)] * (n - 2) + [1, 1 + Fraction(1, 10 ** 20)]

class TheSecondFallsToo_halves:
    told = r"the second largest share goes from 0.1905 to 0.2857. The largest gives away 0.1905, and .* gain 0.09524"
    def weights_whose_second_falls(n, cold, hot):
        return [Fraction(1, 2 ** i) for i in range(n)]

class LearnedTemperature_otherwise:
    def temperature_gradient(weights, scores, gradient, temperature):
        mean = sum(p * s for p, s in zip(weights, scores))
        rates = [-p * (s - mean) / Fraction(temperature * temperature) for p, s in zip(weights, scores)]
        return sum(g * rate for g, rate in zip(gradient, rates))

class LearnedTemperature_plain_covariance:
    told = r"the weights \[1/3, 2/3\], the scores \[0, 1\], .* changes at the rate -2/9, and you return -1/4"
    def temperature_gradient(weights, scores, gradient, temperature):
        n = Fraction(len(scores))
        product = sum(g * s for g, s in zip(gradient, scores)) / n
        return (sum(gradient) * sum(scores) / n ** 2 - product) / temperature ** 2
