#include <sqrtdk/testing/statistics/sign_test.hpp>
#include <sqrtdk/testing/substitute.hpp>
#include <sqrtdk/training/learning_curve.hpp>

#include "exercises/exercise.hpp"
#include "properties/support/rational_distributions.hpp"
#include "properties/training/experiment.hpp"
#include "properties/training/fixture.hpp"

#include <Eigen/Core>

#include <numeric>
#include <stdexcept>
#include <string>

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;

using Fractions = std::vector<Rational>;

// ------------------------------------------------------------------------------ A body removed

std::string about(const Fractions& list) {
  std::string text;
  for (const Rational& x : list)
    text += (text.empty() ? "" : ", ") + format_significant(x.convert_to<double>(), 4);
  return '[' + text + ']';
}

/// The student's result from attention weights, and from the derivatives with respect to them.
Fractions by_scores(const Fractions& weights, const Fractions& by_weights) {
  const auto result = ask<Fractions>("by_scores", weights, by_weights);
  if (result.size() != weights.size())
    throw std::runtime_error("by_scores returned a list of length " +
                             std::to_string(result.size()) + " for weights of length " +
                             std::to_string(weights.size()));
  const Rational mean =
      std::inner_product(weights.begin(), weights.end(), by_weights.begin(), Rational(0));
  Fractions right;
  for (std::size_t i = 0; i < weights.size(); ++i)
    right.push_back(weights[i] * (by_weights[i] - mean));
  remark("for the weights " + about(weights) + " and the derivatives by them " + about(by_weights) +
         ", those by the scores are " + about(right) + ", and you return " + about(result));
  return result;
}

const Judged back_through_softmax(
    "BackThroughSoftmax",
    "BackThroughSoftmax.*:RecallGradient.IsWhatAutomaticDifferentiationFinds:"
    "RecallGradient.AtOneHotWeightsItIsWholeByTheValuesAndZeroByWhatMakesTheScores",
    [] {
      Links student;
      student.softmax = [](const Links::Vector& p, const Links::Vector& by_p) {
        Links::Vector result = p;
        Eigen::Index i = 0;
        for (const Rational& x : by_scores({p.begin(), p.end()}, {by_p.begin(), by_p.end()}))
          result[i++] = static_cast<Wide>(x);
        return result;
      };
      substitute<Links>().implementation = student;
    });

TEST(BackThroughSoftmax, AShiftOfAllScoresChangesNothing) {
  for_all([&] {
    Fractions p = *rc::gen::container<Fractions>(3, positive_rational()).as("3 weights, times c");
    const auto by_p = *rc::gen::container<Fractions>(3, any_rational()).as("derivatives by them");
    const Rational c = p[0] + p[1] + p[2];
    for (Rational& weight : p) weight /= c;
    const Fractions delta = by_scores(p, by_p);
    const Rational sum = delta[0] + delta[1] + delta[2];
    EXPECT_EXACTLY(sum == 0) << "your derivatives by the scores add up to " << sum
                             << ", and should add up to 0: a shift of all scores changes no weight";
  });
}

// ----------------------------------------------------------------------------- Write the check

/// Of a layer that has learned after so many steps, if it is a number of steps.
LearningCurve learned_at(double steps) {
  const bool learns = steps >= 1 && steps < 1e9;
  return {{}, {.step = learns ? Eigen::Index(steps) : 1, .accuracy = learns ? 1.0 : 0.0}};
}

bool right_on_the_page(const LearningCurve& a, const LearningCurve& b) {
  const auto shown = [](double x) { return x == 4 || x == 7 || x == 8 || std::isinf(x); };
  return learn_alike(a, b) == (shown(steps_to_learn(a)) && shown(steps_to_learn(b)));
}

const Judged law_of_alike(
    "LawOfAlike", "AdditiveVersusDotProduct.AlikeMeansWithinAFactorOfTwo", [] {
      Substitute<Subject>& here = substitute<Subject>();
      here.check = [](const Subject& subject) {
        for_law([&] {
          const int n = *rc::gen::element(1, 3, 4, 5, 7, 30, 0).as("steps of one, or 0 for never");
          const int m = *rc::gen::element(1, 4, 11, 2 * n, (n + 1) / 2, 0).as("steps of the other");
          const double one = n == 0 ? infinity : n, other = m == 0 ? infinity : m;
          const auto law = [&](const Subject& judged) {
            const std::function<bool(double, double)> alike = [&](double x, double y) {
              return judged.learn_alike(learned_at(x), learned_at(y));
            };
            return ask<bool>("keeps_law_of_alike", alike, one, other);
          };
          EXPECT_EXACTLY(says_yes(law, subject))
              << "your law says no here, of a function that is right";
        });
      };
      const char* const aimed = "AlikeMeansWithinAFactorOfTwo";
      here.more_mutants = {
          {"all layers are alike", aimed, {.learn_alike = [](auto&, auto&) { return true; }}},
          {"right on the cases of the page", aimed, {.learn_alike = right_on_the_page}}};
    });

// -------------------------------------------------------------------------- Drop a hypothesis

const Judged pairwise_seeds("PairwiseSeeds", "PairwiseSeeds.*");

TEST(PairwiseSeeds, DecideTooOften) {
  for_all([&] {
    const Rational alpha = *one_over(10, 101).as("alpha");
    const auto rows = ask<std::vector<std::vector<int>>>("answers_of_seeds", alpha);
    const std::size_t n = rows.empty() ? 0 : rows[0].size();
    EXPECT_EXACTLY((0U < n && n * rows.size() <= 10000U))
        << "there are " << n * rows.size() << " answers, and there must be from 1 to 10000";
    std::size_t decided = 0;
    for (const std::vector<int>& row : rows) {
      EXPECT_EXACTLY(row.size() == n) << "a row has " << row.size() << " answers, the first " << n;
      for (const int x : row)
        EXPECT_EXACTLY((x == 0 || x == 1)) << "an answer is 1 or 0, not " << x;
      const auto yes = static_cast<std::size_t>(std::count(row.begin(), row.end(), 1));
      decided += sign_test(yes, n, alpha) != Decision::undecided ? 1U : 0U;
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        std::size_t both = 0;
        for (const auto& row : rows) both += row[i] == 1 && row[j] == 1 ? 1U : 0U;
        const bool is_fair = (i == j ? 2U : 4U) * both == rows.size();
        EXPECT_EXACTLY(is_fair) << "seeds " << j + 1 << " and " << i + 1 << " both say yes in "
                                << both << " of " << rows.size() << " rows, and not in "
                                << (i == j ? "half" : "a quarter") << " of them";
      }
    EXPECT_EXACTLY(Rational(decided, rows.size()) > alpha)
        << "the sign test decides in " << decided << " of " << rows.size() << " rows, no more than "
        << alpha << " of them, as the claim says: this is no counterexample";
  });
}

// -------------------------------------------------------------------------------------- By hand

const Judged rates_in_step("RatesInStep", "RatesInStep.*");

TEST(RatesInStep, TheWeightsDifferByTheFactorsAfterAStep) {
  for_all([&] {
    const Rational a = *positive_rational().as("a"), b = *positive_rational().as("b");
    const Rational rate = *positive_rational().as("the rate of the scaled layer");
    // One number each, at an input of 1; the score is qk/(ab), and the loss has this slope there.
    const Rational q = *nonzero_rational().as("W_Q"), k = *nonzero_rational().as("W_K");
    const Rational slope = *nonzero_rational().as("the derivative of the loss by the score");
    const auto rates = ask<Fractions>("rates_in_step", rate, a, b);
    EXPECT_EXACTLY(rates.size() == 2U) << "a list of two rates is wanted, not of " << rates.size();
    const Rational step = rate * slope / (a * b);
    const Rational in_scaled[] = {q - step * k, k - step * q};
    const Rational in_other[] = {a * (q / a - rates[0] * slope * k / b),
                                 b * (k / b - rates[1] * slope * q / a)};
    for (const int i : {0, 1})
      EXPECT_EXACTLY(in_scaled[i] == in_other[i])
          << "after a step " << (i == 0 ? "W_Q" : "W_K") << " of the scaled layer is "
          << in_scaled[i] << ", and " << (i == 0 ? 'a' : 'b')
          << " times that of the unscaled layer is " << in_other[i];
  });
}

}  // namespace sqrtdk::exercises
