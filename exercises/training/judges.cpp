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
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;

using Fractions = std::vector<Rational>;

Rational total(const Fractions& list) {
  Rational sum = 0;
  for (const Rational& x : list) sum += x;
  return sum;
}

// ------------------------------------------------------------------------------ A body removed

/// What a link of the student makes of a list.
template <class Argument>
Fractions link(const std::string& name, const Fractions& list, const Argument& argument) {
  const auto result = ask<Fractions>(name, list, argument);
  if (result.size() == list.size()) return result;
  throw std::runtime_error(name + " returned a list of length " + std::to_string(result.size()) +
                           " for a list of length " + std::to_string(list.size()));
}

/// The same for numbers of fifty digits, which are fractions, too.
template <class Argument>
WideMatrix wide_link(const std::string& name, const Links::Vector& list, const Argument& argument) {
  WideMatrix result(list.size(), 1);
  Eigen::Index i = 0;
  for (const Rational& x : link(name, Fractions(list.begin(), list.end()), argument))
    result(i++, 0) = static_cast<Wide>(x);
  return result;
}

const Judged two_links(
    "TwoLinks", "TwoLinks.*:RecallGradient.IsWhatAutomaticDifferentiationFinds", [] {
      Links student;
      student.cross_entropy = [](const WideMatrix& answers, const RecallBatch& batch) {
        WideMatrix by = answers;
        for (Eigen::Index b = 0; b < by.cols(); ++b)
          by.col(b) = wide_link("by_logits", answers.col(b), batch.answer(b)) / Wide(batch.size());
        return by;
      };
      student.softmax = [](const Links::Vector& p, const Links::Vector& g) -> Links::Vector {
        return wide_link("by_scores", p, Fractions(g.begin(), g.end()));
      };
      substitute<Links>().implementation = student;
    });

TEST(TwoLinks, AShiftChangesNothing) {
  for_all([&] {
    Fractions p = *rc::gen::container<Fractions>(3, positive_rational()).as("3 weights, times c");
    const auto g = *rc::gen::container<Fractions>(3, any_rational()).as("the derivatives by them");
    const Rational c = total(p);
    for (Rational& weight : p) weight /= c;
    const auto expect_zero = [](const std::string& call, const Rational& sum) {
      EXPECT_EXACTLY(sum == 0) << call << " adds up to " << sum
                               << ". A shift of all logits, or of all scores, leaves softmax as it"
                                  " is, so the derivatives must add up to 0";
    };
    expect_zero("by_logits(answer, right)", total(link("by_logits", p, 0)));
    expect_zero("by_scores(weights, by_weights)", total(link("by_scores", p, g)));
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
      EXPECT_EXACTLY((i == j ? 2U : 4U) * both == rows.size())
          << "seeds " << j + 1 << " and " << i + 1 << " both say yes in " << both << " of "
          << rows.size() << " rows, and not in 1/" << (i == j ? "2, as one seed" : "4")
          << " of them";
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
    const Rational scaled_q = q - rate * slope * k / (a * b);
    const Rational scaled_k = k - rate * slope * q / (a * b);
    const Rational unscaled_q = q / a - rates[0] * slope * k / b;
    const Rational unscaled_k = k / b - rates[1] * slope * q / a;
    EXPECT_EXACTLY(scaled_q == a * unscaled_q)
        << "after a step W_Q is " << scaled_q
        << " in the scaled layer, not a times the other's W_Q, "
        << "which is " << a << " * " << unscaled_q;
    EXPECT_EXACTLY(scaled_k == b * unscaled_k)
        << "after a step W_K is " << scaled_k
        << " in the scaled layer, not b times the other's W_K, "
        << "which is " << b << " * " << unscaled_k;
  });
}

}  // namespace sqrtdk::exercises
