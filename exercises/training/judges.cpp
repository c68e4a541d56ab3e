// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/learning_curve.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/recall_layer.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>
#include <sqrtdk/testing/substitute.hpp>

#include "exercises/exercise.hpp"
#include "properties/support/rational_distributions.hpp"
#include "properties/training/experiment.hpp"
#include "properties/training/fixture.hpp"

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;

using Fractions = std::vector<Rational>;

Rational total(const Fractions& list) {
  return std::accumulate(list.begin(), list.end(), Rational(0));
}

// ------------------------------------------------------------------------------ A body removed

/// What the student makes of attention weights, and of the derivatives with respect to them.
Fractions by_scores(const Fractions& weights, const Fractions& by_weights) {
  const auto result = ask<Fractions>("by_scores", weights, by_weights);
  if (result.size() != weights.size())
    throw std::runtime_error("by_scores returned a list of length " +
                             std::to_string(result.size()) + " for a list of length " +
                             std::to_string(weights.size()));
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
    const Rational c = total(p);
    for (Rational& weight : p) weight /= c;
    const Rational sum = total(by_scores(p, by_p));
    EXPECT_EXACTLY(sum == 0) << "your derivatives by the scores add up to " << sum
                             << ", and should add up to 0: a shift of all scores changes no weight";
  });
}

// ----------------------------------------------------------------------------- Write the check

/// Of a layer that has learned after so many steps, if it is a number of steps.
LearningCurve learned_at(double steps) {
  LearningCurve curve = {{.step = 0, .accuracy = 0}};
  if (steps >= 1 && steps < 1e9)
    curve.push_back({.step = static_cast<Eigen::Index>(steps), .accuracy = 1});
  return curve;
}

bool right_on_the_page(const LearningCurve& a, const LearningCurve& b) {
  const auto shown = [](double x) { return x == 4 || x == 7 || x == 8 || std::isinf(x); };
  return learn_alike(a, b) == (shown(steps_to_learn(a)) && shown(steps_to_learn(b)));
}

const Judged law_of_alike(
    "LawOfAlike", "AdditiveVersusDotProduct.AlikeMeansWithinAFactorOfTwo", [] {
      Substitute<Experiment>& here = substitute<Experiment>();
      here.check = [](const Experiment& experiment) {
        for_all([&] {
          const auto number =
              rc::gen::map(rc::gen::inRange(1, 60), [](int n) { return double(n); });
          const double one =
              *rc::gen::oneOf(number, number, rc::gen::just(infinity)).as("the steps of one layer");
          const double other =
              *rc::gen::oneOf(number, rc::gen::just(2 * one), rc::gen::just(std::ceil(one / 2)),
                              rc::gen::just(infinity))
                   .as("the steps of the other");
          const std::function<bool(double, double)> alike = [&](double x, double y) {
            return experiment.learn_alike(learned_at(x), learned_at(y));
          };
          EXPECT_EXACTLY(ask<bool>("keeps_law_of_alike", alike, one, other))
              << "your law says no, of the function that is judged";
        });
      };
      const char* const aimed = "AlikeMeansWithinAFactorOfTwo";
      here.more_mutants = {
          {"all layers are alike",
           aimed,
           {.learn_alike = [](const LearningCurve&, const LearningCurve&) { return true; }}},
          {"right on the cases of the page", aimed, {.learn_alike = right_on_the_page}}};
    });

// -------------------------------------------------------------------------- Drop a hypothesis

const Judged pairwise_seeds("PairwiseSeeds", "PairwiseSeeds.*");

/// Says what is wrong with answers that should be fair, and independent two by two.
void expect_pairwise_independent(const std::vector<std::vector<int>>& rows) {
  const std::size_t n = rows.empty() ? 0 : rows[0].size();
  EXPECT_EXACTLY((0U < n && n * rows.size() <= 10000U))
      << "there are " << n * rows.size() << " answers, and there must be from 1 to 10000";
  for (const std::vector<int>& row : rows) {
    EXPECT_EXACTLY(row.size() == n) << "a row has " << row.size() << " answers, the first " << n;
    for (const int answer : row)
      EXPECT_EXACTLY((answer == 0 || answer == 1)) << "an answer is 1 or 0, not " << answer;
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const auto both = static_cast<std::size_t>(std::count_if(
          rows.begin(), rows.end(), [&](const auto& row) { return row[i] + row[j] == 2; }));
      const std::size_t one_in = i == j ? 2 : 4;
      EXPECT_EXACTLY(one_in * both == rows.size())
          << (i == j ? "seed " : "seed " + std::to_string(j + 1) + " and seed ") << i + 1
          << (i == j ? " says" : " both say") << " yes in " << both << " of " << rows.size()
          << " rows, and not in 1/" << one_in << " of them";
    }
}

TEST(PairwiseSeeds, DecideTooOften) {
  for_all(
      [&] {
        const Rational alpha(1, *rc::gen::inRange(10, 101).as("1/alpha"));
        const auto rows = ask<std::vector<std::vector<int>>>("answers_of_seeds", alpha);
        expect_pairwise_independent(rows);
        const auto decided = static_cast<std::size_t>(
            std::count_if(rows.begin(), rows.end(), [&](const std::vector<int>& row) {
              const auto yes = static_cast<std::size_t>(std::count(row.begin(), row.end(), 1));
              return sign_test(yes, row.size(), alpha) != Decision::undecided;
            }));
        EXPECT_EXACTLY(Rational(decided, rows.size()) > alpha)
            << "the sign test decides in " << decided << " of " << rows.size()
            << " rows, in no more than a share of " << alpha
            << ", as the claim says: this is no counterexample";
      },
      40);
}

// -------------------------------------------------------------------------------------- By hand

const Judged rates_in_step("RatesInStep", "RatesInStep.*");

TEST(RatesInStep, BothLayersHaveTheSameScoreAfterAStep) {
  for_all([&] {
    const Rational a = *positive_rational().as("a");
    const Rational b = *positive_rational().as("b");
    const Rational rate = *positive_rational().as("the rate of the scaled layer");
    // One number each, at an input of 1; the score is qk/(ab), and the loss has this slope there.
    const Rational q = *nonzero_rational().as("W_Q");
    const Rational k = *nonzero_rational().as("W_K");
    const Rational slope = *nonzero_rational().as("the derivative of the loss by the score");
    const auto rates = ask<Fractions>("rates_in_step", rate, a, b);
    EXPECT_EXACTLY(rates.size() == 2U) << "a list of two rates is wanted, not of " << rates.size();
    if (rates.size() != 2) return;
    const auto expect_factor = [](const char* factor, const char* matrix, const Rational& scaled,
                                  const Rational& other) {
      EXPECT_EXACTLY(scaled == other)
          << "after a step " << matrix << " of the scaled layer is " << scaled << ", and " << factor
          << " times that of the unscaled layer is " << other;
    };
    const Rational by_score = slope / (a * b);
    expect_factor("a", "W_Q", q - rate * by_score * k, a * (q / a - rates[0] * slope * k / b));
    expect_factor("b", "W_K", k - rate * by_score * q, b * (k / b - rates[1] * slope * q / a));
  });
}

}  // namespace sqrtdk::exercises
