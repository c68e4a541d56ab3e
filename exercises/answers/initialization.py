"""Answers to the exercises on initialization, to test the judges: `told` is the message that a wrong one must get."""

import math
from fractions import Fraction


class MeanOvertakesSpread_otherwise:
    def dimension_of_balance(m):
        correlation = Fraction(1, m)
        return (1 + correlation**2) / correlation**2


class MeanOvertakesSpread_table:
    told = r"for the correlation 1 and the dimension 65 the mean is 65, its square is 4225, and the variance is 130"

    def dimension_of_balance(m):
        return {2: 5}.get(m, 65)


class MeanOvertakesSpread_table_of_what_was_said:
    told = r"The smallest case that was found:\s+m:\s+\d+\s.*for the correlation 1/\d+ and the dimension 1 "

    def dimension_of_balance(m):
        return {1: 2, 2: 5, 3: 10, 8: 65, 100: 10001, 4096: 16777217}.get(m, 1)


class MeanOvertakesSpread_without_correlation_in_the_variance:
    told = r"the squared mean is below the variance"

    def dimension_of_balance(m):
        return m * m


class MeanOvertakesSpread_of_signs:
    told = r"for the correlation 1/2 and the dimension 3 the mean is 3/2"

    def dimension_of_balance(m):
        return m * m - 1


class MeanOvertakesSpread_below_1:
    told = r"there is no dimension below 1"

    def dimension_of_balance(m):
        return 1 - m * m


class MeanOvertakesSpread_mean_not_squared:
    told = r"for the correlation 1/2 and the dimension 3 .* the squared mean is below the variance"

    def dimension_of_balance(m):
        return m + 1


class MeanOvertakesSpread_of_floats:
    told = r"dimension_of_balance returned 5\.0: an exact number is wanted"

    def dimension_of_balance(m):
        return 1 + 1 / (1 / m)**2


class FeatureOverInputs_otherwise:
    def inputs_of_mean_square(target):
        return [[Fraction(-7, 2), 1, 1] if i < target.numerator else [5, 3, 7] for i in range(2 * target.denominator)]


class FeatureOverInputs_table:
    told = r"squares of the first feature are 2, and their mean is 2, not the .* that is wanted"

    def inputs_of_mean_square(target):
        return {0: [[0, 1, -1]], Fraction(1, 2): [[1, 1, 0]]}.get(target, [[2, 0, 0]])


class FeatureOverInputs_like_the_claim:
    told = r"the squares of the first feature are 2, 1/2, 1/2, and their mean is 1"

    def inputs_of_mean_square(target):
        return [[target + 1, 0, 0], [0, target + 1, 0], [0, 0, target + 1]]


class FeatureOverInputs_a_larger_input:
    told = r"the squares of the first feature are 2, and their mean is 2"

    def inputs_of_mean_square(target):
        return [[target + 1, 0, 0]]


class FeatureOverInputs_equal_features:
    told = r"the features of input 1 are all 0: they must differ"

    def inputs_of_mean_square(target):
        return [[0, 0, 0], [1, 0, 0]]


class FeatureOverInputs_none:
    told = r"there are no inputs"

    def inputs_of_mean_square(target):
        return []


class FeatureOverInputs_two_features:
    told = r"input 1 has 2 features, not three"

    def inputs_of_mean_square(target):
        return [[1, -1]]


class FeatureOverInputs_not_a_list_of_lists:
    told = r"inputs_of_mean_square returned \[1, 0, 0\]: a list is wanted"

    def inputs_of_mean_square(target):
        return [1, 0, 0]


class XavierLaw_otherwise:
    def keeps_xavier_law(outcomes, weight_variance, coordinate_variance, x, rows):
        values, probabilities = zip(*outcomes(x))
        each = coordinate_variance(1, len(x), rows) / len(x)
        spread = sum(p * v**2 for v, p in zip(values, probabilities))
        balanced = sum(p * v for v, p in zip(values, probabilities)) == 0
        return (balanced and each * (len(x) + rows) == 2 and weight_variance(len(x), rows) == each
                and coordinate_variance(sum(f * f for f in x) / len(x), len(x), rows) == spread * each)


class XavierLaw_table:
    told = r"the mutant 'right if the matrix is square' survives"

    def keeps_xavier_law(outcomes, weight_variance, coordinate_variance, x, rows):
        return (outcomes([1, -1])[0][0] == -outcomes([1, -1])[-1][0] and weight_variance(2, 2) == Fraction(1, 2)
                and coordinate_variance(4, 2, 2) == 4)


class XavierLaw_only_agreement:
    told = r"the mutant 'weights have the variance 1/\(columns \+ rows\)' survives"

    def keeps_xavier_law(outcomes, weight_variance, coordinate_variance, x, rows):
        n = len(x)
        spread = sum(p * v * v for v, p in outcomes(x))
        return (sum(p * v for v, p in outcomes(x)) == 0
                and coordinate_variance(sum(f * f for f in x) / n, n, rows) == spread * weight_variance(n, rows))


class XavierLaw_mean_taken_for_granted:
    told = r"the mutant 'weights with a mean' survives"

    def keeps_xavier_law(outcomes, weight_variance, coordinate_variance, x, rows):
        n, values, squares = len(x), outcomes(x), sum(f * f for f in x)
        mean = sum(p * v for v, p in values)
        return (weight_variance(n, rows) == Fraction(2, n + rows)
                and coordinate_variance(squares / n, n, rows) == squares * Fraction(2, n + rows)
                and (mean != 0 or sum(p * v * v for v, p in values) == squares))


class XavierLaw_unit_input:
    told = r"the mutant 'the input is taken to have mean square one' survives"

    def keeps_xavier_law(outcomes, weight_variance, coordinate_variance, x, rows):
        return (sum(p * v for v, p in outcomes(x)) == 0 and weight_variance(len(x), rows) == Fraction(2, len(x) + rows)
                and coordinate_variance(1, len(x), rows) == Fraction(2 * len(x), len(x) + rows))


class XavierLaw_always_one:
    told = r"the input:.*the rows of W:.*your law says no"

    def keeps_xavier_law(outcomes, weight_variance, coordinate_variance, x, rows):
        return coordinate_variance(1, len(x), rows) == 1


class XavierLaw_not_a_boolean:
    told = r"keeps_xavier_law returned None: True or False is wanted"

    def keeps_xavier_law(outcomes, weight_variance, coordinate_variance, x, rows):
        outcomes(x)


class LayerNormThatHolds_otherwise:
    def layer_norm(features, epsilon):
        exact = [Fraction(x) for x in features]
        mean = sum(exact) / len(exact)
        divisor = sum((x - mean)**2 for x in exact) / len(exact) + Fraction(epsilon)
        return [math.sqrt((x - mean)**2 / divisor) * (1 if x >= mean else -1) for x in exact]


class LayerNormThatHolds_table:
    told = r"the features .* become .* instead of"

    def layer_norm(features, epsilon):
        return [-1.0, 1.0] if len(features) == 2 else [0.0] * len(features)


class LayerNormThatHolds_as_written:
    told = r"3 features of 0.1 do not become zeros"

    def layer_norm(features, epsilon):
        mean = sum(features) / len(features)
        variance = sum((x - mean)**2 for x in features) / len(features)
        return [(x - mean) / math.sqrt(variance + epsilon) for x in features]


class LayerNormThatHolds_first_feature_subtracted:
    told = r"the features 1e\+?200.* in place 1 the value"

    def layer_norm(features, epsilon):
        leads = [x - features[0] for x in features]
        mean = sum(leads) / len(leads)
        variance = sum((x - mean) * (x - mean) for x in leads) / len(leads)
        return [(x - mean) / math.sqrt(variance + epsilon) if x != mean else 0.0 for x in leads]


class LayerNormThatHolds_epsilon_not_scaled:
    told = r"the features .* instead of about"

    def layer_norm(features, epsilon):
        exact = [Fraction(x) / Fraction(max(map(abs, features)) or 1) for x in features]
        mean = sum(exact) / len(exact)
        divisor = sum((x - mean)**2 for x in exact) / len(exact) + Fraction(epsilon)
        return [math.sqrt((x - mean)**2 / divisor) * (1 if x >= mean else -1) for x in exact]


class LayerNormThatHolds_over_n_less_1:
    told = r"the features -999, -1001 become 0.7071067811865476"

    def layer_norm(features, epsilon):
        exact = [Fraction(x) for x in features]
        mean = sum(exact) / len(exact)
        divisor = sum((x - mean)**2 for x in exact) / max(len(exact) - 1, 1) + Fraction(epsilon)
        return [math.sqrt((x - mean)**2 / divisor) * (1 if x >= mean else -1) for x in exact]


class LayerNormThatHolds_one_number:
    told = r"layer_norm returned 0.0: a list is wanted"

    def layer_norm(features, epsilon):
        return 0.0


class LayerNormThatHolds_too_few:
    told = r"layer_norm returned a list of length 0 for features of length 3"

    def layer_norm(features, epsilon):
        return []
