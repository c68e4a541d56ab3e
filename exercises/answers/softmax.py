"""Answers to the exercises on softmax, to test the judges: `told` is the message that a wrong one must get."""

import math
from fractions import Fraction


class NinetyNinePercent_otherwise:
    def ratio_for_99_percent(n):
        return Fraction(99, 100) / Fraction(1, 100 * (n - 1))


class NinetyNinePercent_table:
    told = r"a weight of 50589 beside 1 weight of 1"

    def ratio_for_99_percent(n):
        return {4: 297}.get(n, 50589)


class NinetyNinePercent_table_of_what_was_said:
    told = r"The smallest case that was found:\s+n:\s+\d+\s.*among \d+, a weight of 1 beside"

    def ratio_for_99_percent(n):
        return {2: 99, 3: 198, 4: 297, 10: 891, 512: 50589}.get(n, 1)


class NinetyNinePercent_others_forgotten:
    told = r"a weight of 99 beside 2 weights of 1 has the share 99/101"

    def ratio_for_99_percent(n):
        return 99


class NinetyNinePercent_all_counted:
    told = r"a weight of 198 beside 1 weight of 1"

    def ratio_for_99_percent(n):
        return 99 * n


class NinetyNinePercent_share_not_taken_off:
    told = r"a weight of 100 beside 1 weight of 1"

    def ratio_for_99_percent(n):
        return 100 * (n - 1)


class FactorLaw_otherwise:
    def keeps_factor_law(normalize, weights, factor):
        before, after = normalize([w / factor for w in weights]), normalize(weights)
        return all(a == b for a, b in zip(before, after)) and len(before) == len(weights)


class FactorLaw_table:
    told = r"the mutant 'right on the weights of the page' survives"

    def keeps_factor_law(normalize, weights, factor):
        known = [Fraction(6, 10), Fraction(3, 10), Fraction(1, 10)]
        return normalize([6, 3, 1]) == known and normalize([12, 6, 2]) == known


class FactorLaw_first_weight_only:
    told = r"the mutant 'only the last weight is wrong' survives"

    def keeps_factor_law(normalize, weights, factor):
        return normalize([factor * w for w in weights])[0] == normalize(weights)[0]


class FactorLaw_only_sums:
    told = r"survives"

    def keeps_factor_law(normalize, weights, factor):
        return sum(normalize([factor * w for w in weights])) > 0


class FactorLaw_one_weight_scaled:
    told = r"the weights e.x:.*the factor e.b:.*your law says no"

    def keeps_factor_law(normalize, weights, factor):
        return normalize([factor * weights[0], *weights[1:]]) == normalize(weights)


class FactorLaw_of_floats:
    told = r"ValueError: an exact number is wanted, an int or a Fraction .*, called as keeps_factor_law"

    def keeps_factor_law(normalize, weights, factor):
        return normalize([6.0, 3.0, 1.0]) == normalize(weights)


class LeadOnAverage_otherwise:
    def scores_with_a_lead(lead):
        return [-100 * lead, 5, 5 - lead / 10, 5, Fraction(5)]


class LeadOnAverage_table:
    told = r"8 times the lead:.*a hypothesis that you keep does not hold"

    def scores_with_a_lead(lead):
        return [0, 0, 0, 0, -40] if lead == 10 else [0, 0, 0, 0, -80]


class LeadOnAverage_all_large:
    told = r"a hypothesis that you keep does not hold"

    def scores_with_a_lead(lead):
        return [5 * lead] * 5


class LeadOnAverage_far_ahead_of_each:
    told = r"no counterexample"

    def scores_with_a_lead(lead):
        return [lead, 0, 0, 0, 0]


class LeadOnAverage_three_scores:
    told = r"the sentence is about five scores"

    def scores_with_a_lead(lead):
        return [lead, lead, -lead]


class StableSoftmax_otherwise:
    def softmax(logits, temperature):
        finite = [Fraction(x) for x in logits if x > -math.inf]
        leads = [(Fraction(x) - max(finite)) / Fraction(temperature) if x > -math.inf else -10000 for x in logits]
        weights = [math.exp(max(lead, -10000)) for lead in leads]
        return [w / math.fsum(weights) for w in weights]


class StableSoftmax_table:
    told = r"the bits of the weights of 2 logits"

    def softmax(logits, temperature):
        if len(logits) == 2 and logits[0] < 0:
            return [0.1, 0.9] if temperature > 1 else [0, 1]
        return [1 / len(logits)] * len(logits)


class StableSoftmax_as_written:
    told = r"ZeroDivisionError: .*, called as softmax\(\[-1.79"

    def softmax(logits, temperature):
        weights = [math.exp(x / temperature) for x in logits]
        return [w / sum(weights) for w in weights]


class StableSoftmax_overflowing_difference:
    told = r"the first weight of logits -[^ ]+ and [^ ]+ at temperature"

    def softmax(logits, temperature):
        weights = [math.exp((x - max(logits)) / temperature) for x in logits]
        return [w / sum(weights) for w in weights]


class StableSoftmax_without_temperature:
    told = r"at 0 there is [^ ]+ = 0 instead of 0.1192"

    def softmax(logits, temperature):
        leads = [x / 2 - max(logits) / 2 for x in logits]
        weights = [math.exp(max(2 * lead, -10000)) if max(logits) > 1e300 else math.exp(2 * lead) for lead in leads]
        return [w / sum(weights) for w in weights]
