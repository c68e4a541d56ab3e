"""Answers to the exercises on softmax's derivative, to test the judges: a wrong one must get the message `told`."""

from fractions import Fraction

calls = []


class BestStart_otherwise:
    def best_weight(n):
        share = Fraction(1, 2)
        return share / (1 - share) * sum(1 for _ in range(1, n))


class BestStart_table:
    told = r"a weight of 7 beside 9 weights of 1 has the share 7/16, .*A larger weight does better"

    def best_weight(n):
        return {2: 1, 3: 2, 4: 3}.get(n, 7)


class BestStart_table_of_what_was_said:
    told = r"The smallest case that was found:\s+how many keys:\s+\d+\s+among \d+, a weight of 1 beside"

    def best_weight(n):
        return {2: 1, 3: 2, 4: 3, 10: 9, 512: 511}.get(n, 1)


class BestStart_equal_weights:
    told = r"a weight of 1 beside 2 weights of 1 has the share 1/3, and the derivative 2/9.*A larger weight does better"

    def best_weight(n):
        return 1


class BestStart_itself_counted:
    told = r"a weight of 2 beside 1 weight of 1 has the share 2/3, .*A smaller weight does better"

    def best_weight(n):
        return n


class BestStart_almost_everything:
    told = r"A smaller weight does better"

    def best_weight(n):
        return 99 * (n - 1)


class BestStart_share_in_its_place:
    told = r"a weight of 1/2 beside 1 weight of 1 has the share 1/3, .*A larger weight does better"

    def best_weight(n):
        return Fraction(1, 2)


class BestStart_nothing:
    told = r"a weight is positive"

    def best_weight(n):
        return 0


class LargerDerivative_otherwise:
    def is_peaked_larger(n, rest):
        return Fraction(n, n - 1) * rest * (1 - rest) > Fraction(1, n)


class LargerDerivative_table:
    told = r"how many keys:.*where the others share [0-9/]+, and [0-9/]+ = "

    def is_peaked_larger(n, rest):
        return {(4, Fraction(1, 100)): False, (512, Fraction(1, 100)): True}.get((n, rest), rest < Fraction(1, 10))


class LargerDerivative_peaks_are_flat:
    told = r"is not the larger one. Its norm is 9999/1000000 = 0.009999 where .*, and 1/101 = 0.009901 at equal weights"

    def is_peaked_larger(n, rest):
        return False


class LargerDerivative_peaks_are_steep:
    told = r"is the larger one. Its norm is [0-9/]+ = [0-9.e-]+ where the others share [0-9/]+, and 1/[0-9]+ = "

    def is_peaked_larger(n, rest):
        return True


class LargerDerivative_a_single_rival:
    told = r"is the larger one. Its norm is [0-9/]+ = [0-9.e-]+ where the others share [0-9/]+, and 1/[0-9]+ = "

    def is_peaked_larger(n, rest):
        return 2 * rest * (1 - rest) > Fraction(1, n)


class LargerDerivative_as_large_counts:
    told = r"is the larger one. Its norm is (1/[0-9]+) = .* where the others share \1, and \1 = "

    def is_peaked_larger(n, rest):
        return n * rest >= 1


class BackwardPass_otherwise:
    def backward(weights, gradient):
        jacobian = [[p * ((i == j) - q) for j, q in enumerate(weights)] for i, p in enumerate(weights)]
        return [sum(g * row[j] for g, row in zip(gradient, jacobian)) for j in range(len(weights))]


class BackwardPass_table:
    told = r"change the loss at the rates { -1/4, 1/4 }, and you return { 0, 0 }"

    def backward(weights, gradient):
        if weights == [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)] and gradient == [4, 0, 0]:
            return [1, Fraction(-1, 2), Fraction(-1, 2)]
        return [0] * len(weights)


class BackwardPass_diagonal_only:
    told = r"change the loss at the rates { -1/4, 1/4 }, and you return { 0, 1/4 }"

    def backward(weights, gradient):
        return [p * (1 - p) * g for p, g in zip(weights, gradient)]


class BackwardPass_plain_mean:
    told = r"the weights { 1, 0 } and the gradient { 0, 1 }, .* at the rates { 0, 0 }, and you return { -1/2, 0 }"

    def backward(weights, gradient):
        mean = sum(gradient) / Fraction(len(gradient))
        return [p * (g - mean) for p, g in zip(weights, gradient)]


class BackwardPass_mean_forgotten:
    told = r"the weights { 1 } and the gradient { 1 }, .* at the rates { 0 }, and you return { 1 }"

    def backward(weights, gradient):
        return [p * g for p, g in zip(weights, gradient)]


class BackwardPass_one_too_few:
    told = r"as many numbers as there are weights are wanted, 1, and you return 0"

    def backward(weights, gradient):
        return BackwardPass_otherwise.backward(weights, gradient)[1:]


class StepLaw_otherwise:
    def keeps_step_law(derivative, weights, step):
        matrix = derivative(weights)
        form = sum(u * a * v for u, row in zip(step, matrix) for a, v in zip(row, step))
        square = sum(p * v * v for p, v in zip(weights, step))
        return form == square - sum(p * v for p, v in zip(weights, step)) ** 2


class StepLaw_table:
    told = r"the mutant 'right at the weights of the page' survives"

    def keeps_step_law(derivative, weights, step):
        return derivative([Fraction(1, 2), Fraction(1, 2)])[0] == [Fraction(1, 4), Fraction(-1, 4)]


class StepLaw_never_negative:
    told = r"the mutant 'doubled' survives"

    def keeps_step_law(derivative, weights, step):
        rows = derivative(weights)
        return sum(u * a * v for u, row in zip(step, rows) for a, v in zip(row, step)) >= 0


class StepLaw_diagonal_only:
    told = r"the mutant 'only the diagonal is right' survives"

    def keeps_step_law(derivative, weights, step):
        return all(row[i] == p * (1 - p) for i, (row, p) in enumerate(zip(derivative(weights), weights)))


class StepLaw_first_score_only:
    told = r"the mutant 'only the last entry of the diagonal is wrong' survives"

    def keeps_step_law(derivative, weights, step):
        return derivative(weights)[0][0] == weights[0] * (1 - weights[0])


class StepLaw_counts_its_calls:
    told = r"keeps_step_law\(\) says no, but not if it is asked again: only what it is given may decide"

    def keeps_step_law(derivative, weights, step):
        calls.append(step)  # the library comes first, in 200 cases
        return len(calls) <= 200 or len(calls) % 2 == 0


class StepLaw_plain_variance:
    told = r"the step:.*your law says no"

    def keeps_step_law(derivative, weights, step):
        n = len(step)
        mean = sum(step) / Fraction(n)
        form = sum(u * a * v for u, row in zip(step, derivative(weights)) for a, v in zip(row, step))
        return form == sum((v - mean) ** 2 for v in step) / n


class StepLaw_mean_not_taken_off:
    told = r"the step:.*your law says no"

    def keeps_step_law(derivative, weights, step):
        form = sum(u * a * v for u, row in zip(step, derivative(weights)) for a, v in zip(row, step))
        return form == sum(p * v * v for p, v in zip(weights, step))


class StepLaw_weights_of_its_own:
    told = r"the mutant 'a key of weight 0 has a derivative' survives"

    def keeps_step_law(derivative, weights, step):
        ours = [Fraction(i + 1) for i in range(len(weights))]
        return StepLaw_otherwise.keeps_step_law(derivative, [w / sum(ours) for w in ours], step)


class StepLaw_of_no_weights:
    told = r"ValueError: .*, called as keeps_step_law"

    def keeps_step_law(derivative, weights, step):
        return derivative(step) == derivative(weights)
