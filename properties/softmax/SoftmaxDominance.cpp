// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax_examples.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/exact_types.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/softmax/fixture.hpp"
#include "properties/softmax/functions.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace sqrtdk::properties::SoftmaxDominance {

using namespace sqrtdk::testing;

const Mutants softmax_dominance_mutants = {
    {"the others are one more",
     "TheOthersShareWhatTheGapLeaves",
     {.max_remaining_mass = [](std::size_t n, const Rational& r) -> Rational {
       return Rational(n) / (r + Rational(n));
     }}},
    {"only one other counts",
     "TheOthersShareWhatTheGapLeaves",
     {.max_remaining_mass = [](std::size_t, const Rational& r) -> Rational {
       return 1 / (1 + r);
     }}},
    {"the ratio is squared",
     "TheOthersShareWhatTheGapLeaves",
     {.max_remaining_mass = [](std::size_t n,
                               const Rational& r) { return max_remaining_mass(n, r * r); }}},
    {"the rest is that of one weight", "TheOthersShareWhatTheGapLeaves",
     with_normalized([](const Vector& w) {
       Vector p = library_normalized(w);
       *std::max_element(p.begin(), p.end()) /= 2;
       return p;
     })},
    {"the bound does not fall",
     "TheWeightsTendToOneHot",
     {.max_remaining_mass =
          [](std::size_t n, const Rational& r) {
            return max_remaining_mass(n, r > 1000 ? Rational(1000) : r);
          }}},
    {"it is greater than the bound of the documents",
     "TheWeightsTendToOneHot",
     {.max_remaining_mass = [](std::size_t n, const Rational& r) -> Rational {
       return Rational(n) / r;
     }}},
    {"large scores are enough", "LargeScoresWithoutAGapAreUniform",
     with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       if (x.front() > 49) y = {1, 0, 0};
       return y;
     })},
    {"a ratio of 0 is accepted",
     "RefusesWhatIsNoRatio",
     {.max_remaining_mass =
          [](std::size_t n, const Rational& r) {
            return r <= 0 ? Rational(1) : max_remaining_mass(n, r);
          }}},
    {"no weights are accepted",
     "RefusesWhatIsNoRatio",
     {.max_remaining_mass =
          [](std::size_t n, const Rational& r) {
            return n == 0 ? Rational(0) : max_remaining_mass(n, r);
          }}},
};

//! [SoftmaxDominance]
TEST(SoftmaxDominance, TheOthersShareWhatTheGapLeaves) {
  check_statement(softmax_dominance_mutants, [](const Softmaxes& softmaxes) {
    for_all([&] {
      const Vector others = *rc::gen::container<Vector>(positive_rational()).as("other weights");
      const Rational ratio = 1 + *positive_rational().as("the ratio, less 1");
      const bool all_equal = *rc::gen::element(true, false).as("all others are equal");
      Vector w = all_equal ? Vector(others.size(), Rational(1)) : others;
      const Rational next = w.empty() ? Rational(1) : *std::max_element(w.begin(), w.end());
      w.push_back(ratio * next);
      const Vector p = softmaxes.normalized(w);
      const Rational rest = 1 - *std::max_element(p.begin(), p.end());
      const Rational bound = softmaxes.max_remaining_mass(w.size(), ratio);
      EXPECT_EXACTLY(rest <= bound);
      EXPECT_EXACTLY((rest == bound || !all_equal));
    });
  });
}
//! [SoftmaxDominance]

//! [SoftmaxDominance: exact check]
TEST(SoftmaxDominance, TheWeightsTendToOneHot) {
  check_statement(softmax_dominance_mutants, [](const Softmaxes& softmaxes) {
    for_all([&] {
      const std::size_t n = *rc::gen::inRange<std::size_t>(1, 1000000).as("n");
      const Rational ratio = *positive_rational().as("the ratio e^gap");
      const Rational more = *positive_rational().as("how much greater");
      const Rational bound = softmaxes.max_remaining_mass(n, ratio);
      EXPECT_EXACTLY(bound <= Rational(n - 1) / ratio);
      EXPECT_EXACTLY((softmaxes.max_remaining_mass(n, ratio + more) < bound || n == 1));
      // Below any positive number once the ratio is large enough.
      EXPECT_EXACTLY(softmaxes.max_remaining_mass(n, Rational(n) * 1000000000) <
                     Rational(1, 1000000000));
    });
    // A lead of 10 leaves four others less than a thousandth, though not less than a ten-thousandth.
    const Interval<Rational> lead = exp_enclosure(10);
    EXPECT_EXACTLY(softmaxes.max_remaining_mass(5, lead.lower) < Rational(1, 1000));
    EXPECT_EXACTLY(softmaxes.max_remaining_mass(5, lead.upper) > Rational(1, 10000));
  });
}
//! [SoftmaxDominance: exact check]

TEST(SoftmaxDominance, LargeScoresWithoutAGapAreUniform) {
  check_with_mutants(softmax_dominance_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      EXPECT_EXACTLY(bits_of(functions.softmax(Values<Real>(3, 50), 1)) ==
                     bits_of(Values<Real>(3, 1 / Real(3))));
    });
    enumerated(2);
    counterexample_without("gap");
  });
}

TEST(SoftmaxDominance, RefusesWhatIsNoRatio) {
  check_with_mutants(softmax_dominance_mutants, [](const Softmaxes& softmaxes) {
    expect_refusal<std::domain_error>([&] { softmaxes.max_remaining_mass(0, 1); });
    expect_refusal<std::domain_error>([&] { softmaxes.max_remaining_mass(3, 0); });
    expect_refusal<std::domain_error>([&] { softmaxes.max_remaining_mass(3, -1); });
  });
}

}  // namespace sqrtdk::properties::SoftmaxDominance
