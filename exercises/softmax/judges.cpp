#include <sqrtdk/testing/substitute.hpp>

#include "exercises/exercise.hpp"
#include "properties/softmax/fixture.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;

// ------------------------------------------------------------------------------ A body removed

const Judged stable_softmax(
    "StableSoftmax",
    "SoftmaxIsAProbability.SumsToOneInFloatingPoint:StableSoftmax.NeverOverflows:"
    "StableSoftmax.IsTheFormulaWhereThatWorks:StableSoftmax.AHigherTemperatureSpreadsTheWeights",
    [] {
      Subject student;
      student.in_double.softmax = [](const Values<double>& logits, double temperature) {
        Values<double> weights = ask<Values<double>>("softmax", logits, temperature);
        if (weights.size() != logits.size())
          throw std::runtime_error("softmax returned " + std::to_string(weights.size()) +
                                   " numbers for " + std::to_string(logits.size()) + " scores");
        for (const double weight : weights)
          if (!std::isfinite(weight))
            throw std::runtime_error("softmax returned " + format_shortest(weight) +
                                     ": weights are from 0 to 1");
        return weights;
      };
      substitute<Subject>().implementation = student;
    });

// ----------------------------------------------------------------------------- Write the check

/// Wrong on all weights but the multiples of 6, 3 and 1, which the page shows.
Vector right_on_the_page(const Vector& w) {
  Vector p = library_normalized(w);
  const bool shown = w.size() == 3 && w[0] == 6 * w[2] && w[1] == 3 * w[2];
  if (!shown) p.front() += w.front();
  return p;
}

Vector right_but_for_the_last(const Vector& w) {
  Vector p = library_normalized(w);
  if (p.size() > 1) p.back() += w.back();
  return p;
}

Vector wrong_above_100(const Vector& w) {
  Vector p = library_normalized(w);
  if (total(w) > 100) p.front() = 0;
  return p;
}

const Judged factor_law("FactorLaw", "SoftmaxShiftInvariance.AFactorOfAllWeightsCancels", [] {
  Substitute<Subject>& here = substitute<Subject>();
  here.check = [](const Subject& subject) {
    for_law([&] {
      const Vector w = *positive_weights().as("the weights e^x");
      const Rational factor = *positive_rational().as("the factor e^b");
      const auto law = [&](const Subject& judged) {
        const std::function<Vector(const Vector&)> normalize = judged.normalized;
        return ask<bool>("keeps_factor_law", normalize, w, factor);
      };
      EXPECT_EXACTLY(says_yes(law, subject))
          << "your law says no here, of a function that is right";
    });
  };
  const char* const aimed = "AFactorOfAllWeightsCancels";
  here.more_mutants = {
      {"right on the weights of the page", aimed, with_normalized(right_on_the_page)},
      {"only the last weight is wrong", aimed, with_normalized(right_but_for_the_last)},
      {"wrong if the weights add up to more than 100", aimed, with_normalized(wrong_above_100)}};
});

// -------------------------------------------------------------------------- Drop a hypothesis

std::string rounded(const Rational& x) { return format_significant(x.convert_to<double>(), 4); }

const Judged lead_on_average("LeadOnAverage", "LeadOnAverage.*");

TEST(LeadOnAverage, LeavesTheOthersMoreThanAThousandth) {
  for_all([&] {
    const Rational lead = *in_parts(80, 641, 8).as("the lead");
    const auto x = ask<Vector>("scores_with_a_lead", lead);
    EXPECT_EXACTLY(x.size() == 5U) << "the sentence is about five scores";
    if (x.size() != 5) return;
    const auto greatest = std::max_element(x.begin(), x.end());
    const Rational mean = (total(x) - *greatest) / 4;
    EXPECT_EXACTLY(*greatest - mean >= lead)
        << "a hypothesis that you keep does not hold: the greatest score, " << *greatest
        << ", is ahead of the mean of the others, " << mean << ", by less than the lead";
    // Scores so far below that their weights are next to nothing are raised, which helps the claim.
    Vector raised = x;
    for (Rational& score : raised) score = std::max<Rational>(score - *greatest, -1000);
    const Interval<Rational> share =
        softmax_enclosure(raised)[static_cast<std::size_t>(greatest - x.begin())];
    const bool is_counterexample = 1 - share.upper > Rational(1, 1000);
    EXPECT_EXACTLY(is_counterexample)
        << "this is no counterexample: the four others share only about "
        << rounded(1 - share.lower)
        << ", as the claim says, since the greatest is far enough ahead of each of them";
  });
}

// -------------------------------------------------------------------------------------- By hand

const Judged ninety_nine_percent("NinetyNinePercent", "NinetyNinePercent.*");

TEST(NinetyNinePercent, IsTheShare) {
  const auto judge = [](std::size_t n) {
    Vector weights(n, 1);
    weights[0] = ask<Rational>("ratio_for_99_percent", n);
    const bool is_positive = weights[0] > 0;
    EXPECT_EXACTLY(is_positive) << "a ratio of weights is positive";
    if (!is_positive) return;
    const Rational share = library_normalized(weights)[0];
    EXPECT_EXACTLY(share == Rational(99, 100))
        << "among " << n << ", a weight of " << weights[0] << " beside " << n - 1
        << (n == 2 ? " weight" : " weights") << " of 1 has the share " << share
        << ", which is about " << rounded(100 * share) << " %";
  };
  for (const std::size_t n : {2U, 3U, 4U, 10U, 512U}) judge(n);
  for_all([&] { judge(*rc::gen::inRange<std::size_t>(2, 1025).as("n")); });
}

}  // namespace sqrtdk::exercises
