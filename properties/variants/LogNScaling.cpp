// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/variants_scores.hpp>

#include "properties/support/rational_distributions.hpp"

#include <Eigen/Core>
#include <boost/multiprecision/eigen.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace sqrtdk::properties::LogNScaling {

using namespace sqrtdk::testing;

using Vector = Eigen::Matrix<Rational, Eigen::Dynamic, 1>;

/// What a key has that is ahead of all others.
struct Leads {
  Rational (*weight)(const Rational&, unsigned) = sqrtdk::leading_weight;
  Rational (*of_log_n)(unsigned, unsigned) = sqrtdk::log_n_lead;
};

const std::vector<Mutant<Leads>> log_n_scaling_mutants = {
    {"n others instead of n − 1",
     "TheWeightIsThatOfSoftmax",
     {.weight = [](const Rational& lead, unsigned n) -> Rational { return lead / (lead + n); }}},
    {"the lead is left out of the sum",
     "TheWeightIsThatOfSoftmax",
     {.weight = [](const Rational& lead, unsigned n) -> Rational { return lead / n; }}},
    {"the bound is that of the mean weight",
     "NoWeightOfScoresInARangeIsLarger",
     {.weight = [](const Rational&, unsigned n) -> Rational { return Rational(1, n); }}},
    {"the logarithm is subtracted and not multiplied by",
     "TheBorderIsAtAProductOfOne",
     {.of_log_n = [](unsigned, unsigned k) { return Rational(1U << k); }}},
    {"the lead is squared",
     "TheBorderIsAtAProductOfOne",
     {.of_log_n = [](unsigned n, unsigned k) -> Rational { return log_n_lead(n, 2 * k); }}},
    {"the gap is not multiplied",
     "TheBorderIsAtAProductOfOne",
     {.of_log_n = [](unsigned n, unsigned k) -> Rational {
       return k == 2 ? Rational(n) : log_n_lead(n, k);
     }}},
    {"a lead counts twice",
     "TwoKeysAheadShareTheWeight",
     {.of_log_n = [](unsigned n, unsigned k) -> Rational { return 2 * log_n_lead(n, k); }}},
    {"a lead of 0 is taken",
     "RefusesWhatIsOutOfRange",
     {.weight = [](const Rational& lead,
                   unsigned n) { return lead == 0 ? Rational(0) : leading_weight(lead, n); }}},
    {"no key is taken",
     "RefusesWhatIsOutOfRange",
     {.of_log_n = [](unsigned n, unsigned k) { return n == 0 ? Rational(0) : log_n_lead(n, k); }}},
};

//! [LogNScaling]
TEST(LogNScaling, TheWeightIsThatOfSoftmax) {
  check_statement(log_n_scaling_mutants, [](const Leads& leads) {
    for_all([&] {
      const auto n = *rc::gen::inRange(1U, 9U).as("n");
      const Rational lead = *positive_rational().as("e to the gap");
      const Rational common = *positive_rational().as("e to the other scores");
      Vector powers = Vector::Constant(n, common);
      const auto place = *rc::gen::inRange(0U, n).as("place");
      powers(place) *= lead;
      EXPECT_EXACTLY(normalized_weights(powers)(place) == leads.weight(lead, n));
    });
  });
}

TEST(LogNScaling, NoWeightOfScoresInARangeIsLarger) {
  check_statement(log_n_scaling_mutants, [](const Leads& leads) {
    for_all([&] {
      const auto n = *rc::gen::inRange(1U, 7U).as("n");
      const Rational range = 1 + *positive_rational().as("e^R - 1");
      Vector powers(n);
      for (Rational& power : powers) {
        const Rational part = 1 / (1 + *positive_rational().as("a part"));
        power = 1 + (range - 1) * part;
      }
      EXPECT_EXACTLY(normalized_weights(powers).maxCoeff() <= leads.weight(range, n));
      // What is subtracted from all scores, ln n or anything else, changes no weight.
      const Rational factor = *positive_rational().as("e to what is subtracted");
      EXPECT_EXACTLY(Vector(normalized_weights(powers / factor)) ==
                     Vector(normalized_weights(powers)));
    });
  });
}
//! [LogNScaling]

//! [LogNScaling: exact check]
TEST(LogNScaling, TheBorderIsAtAProductOfOne) {
  check_statement(log_n_scaling_mutants, [](const Leads& leads) {
    const auto weight = [&](unsigned n, unsigned k) {
      return leads.weight(leads.of_log_n(n, k), n);
    };
    for (const unsigned n : {4U, 64U, 1024U, 1048576U}) {
      EXPECT_EXACTLY(1 - weight(n, 2) < Rational(1, n));
      EXPECT_EXACTLY(weight(n, 1) == Rational(n, 2 * n - 1));
      EXPECT_EXACTLY(weight(n, 0) == Rational(1, n));
    }
    EXPECT_EXACTLY(weight(1024, 2) == Rational(1048576, 1049599));
    // ag = 1/2: the root of n.
    EXPECT_EXACTLY(leads.weight(32, 1024) == Rational(32, 1055));
    EXPECT_EXACTLY(leads.weight(4, 13) == Rational(1, 4));
    enumerated(15);
    const double log_n = std::log(512.0);
    record_value("planted_at_512", format_fixed(log_n, 2));
    record_value("random_at_512", format_fixed(std::sqrt(2 * log_n), 2));
  });
}
//! [LogNScaling: exact check]

TEST(LogNScaling, TwoKeysAheadShareTheWeight) {
  check_with_mutants(log_n_scaling_mutants, [](const Leads& leads) {
    counterexample_without("one key ahead");
    const Rational lead = leads.of_log_n(16, 2);
    Vector powers = Vector::Constant(16, Rational(1));
    powers(0) = powers(1) = lead;
    EXPECT_EXACTLY(normalized_weights(powers)(0) == Rational(128, 263));
    EXPECT_EXACTLY(leads.weight(lead, 16) == Rational(256, 271));
    enumerated(2);
  });
}

TEST(LogNScaling, RefusesWhatIsOutOfRange) {
  check_with_mutants(log_n_scaling_mutants, [](const Leads& leads) {
    expect_refusal<std::domain_error>([&] { return leads.weight(0, 2); });
    expect_refusal<std::domain_error>([&] { return leads.weight(Rational(-1, 2), 2); });
    expect_refusal<std::domain_error>([&] { return leads.weight(1, 0); });
    expect_refusal<std::domain_error>([&] { return leads.of_log_n(0, 1); });
  });
}

}  // namespace sqrtdk::properties::LogNScaling
