"""Solutions of the exercises on softmax."""

import math


# [NinetyNinePercent]
def ratio_for_99_percent(n):
    return 99 * (n - 1)
# [NinetyNinePercent]


# [FactorLaw]
def keeps_factor_law(normalize, weights, factor):
    shares = [w / sum(weights) for w in weights]
    return normalize(weights) == shares and normalize([factor * w for w in weights]) == shares
# [FactorLaw]


# [LeadOnAverage]
def scores_with_a_lead(lead):
    return [0, 0, 0, 0, -4 * lead]
# [LeadOnAverage]


# [StableSoftmax]
def softmax(logits, temperature):
    greatest = max(logits)

    def weight(x):
        if math.isinf(x - greatest) and not math.isinf(x):
            return math.exp((x / 2 - greatest / 2) / temperature * 2)  # halves are exact, and their difference fits
        return math.exp((x - greatest) / temperature)

    weights = [weight(x) for x in logits]
    total = math.fsum(weights)
    return [w / total for w in weights]
# [StableSoftmax]
