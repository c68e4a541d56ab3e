"""Answers to the exercises on softmax, to test the judges: `told` is the message that a wrong one must get."""

import math
from fractions import Fraction

class NinetyNinePercent_otherwise:
    def ratio_for_99_percent(n):
        return Fraction(99, 100) / Fraction(1, 100 * (n - 1))

class NinetyNinePercent_table_of_what_was_said:
    told = r"The smallest case that was found:\s+n:\s+\d+\s.*among \d+, a weight of 1 beside"
    def ratio_for_99_percent(n):
        return {2: 99, 3: 198, 4: 297, 10: 891, 512: 50589}.get(n, 1)

class FactorLaw_otherwise:
    def keeps_factor_law(normalize, weights, factor):
        before, after = normalize([w / factor for w in weights]), normalize(weights)
        return all(a == b for a, b in zip(before, after)) and len(before) == len(weights)

class FactorLaw_first_weight_only:
    told = r"the mutant 'only the last weight is wrong' survives"
    def keeps_factor_law(normalize, weights, factor):
        return normalize([factor * w for w in weights])[0] == normalize(weights)[0]

class LeadOnAverage_otherwise:
    def scores_with_a_lead(lead):
        return [-100 * lead, 5, 5 - lead / 10, 5, Fraction(5)]

class LeadOnAverage_all_large:
    told = r"a hypothesis that you keep does not hold"
    def scores_with_a_lead(lead):
        return [5 * lead] * 5

class StableSoftmax_otherwise:
    def softmax(logits, temperature):
        finite = [Fraction(x) for x in logits if x > -math.inf]
        leads = [(Fraction(x) - max(finite)) / Fraction(temperature) if x > -math.inf else -10000 for x in logits]
        weights = [math.exp(max(lead, -10000)) for lead in leads]
        return [w / math.fsum(weights) for w in weights]

class StableSoftmax_overflowing_difference:
    told = r"the first weight of logits -[^ ]+ and [^ ]+ at temperature"
    def softmax(logits, temperature):
        weights = [math.exp((x - max(logits)) / temperature) for x in logits]
        return [w / sum(weights) for w in weights]
