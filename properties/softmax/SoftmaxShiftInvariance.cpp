// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax_online.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/exact_types.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/softmax/fixture.hpp"
#include "properties/softmax/functions.hpp"
#include "properties/support/outcomes.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace sqrtdk::properties::SoftmaxShiftInvariance {

using namespace sqrtdk::testing;

/// Integers as logits, which may all be shifted without rounding.
template <class Real>
rc::Gen<Values<Real>> whole_logits() {
  return rc::gen::map(
      rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-60, 61))),
      [](const std::vector<int>& x) { return Values<Real>(x.begin(), x.end()); });
}

const Mutants softmax_shift_invariance_mutants = {
    {"one is added to every weight", "AFactorOfAllWeightsCancels",
     with_normalized([](const Vector& w) {
       Vector more = w;
       for (Rational& x : more) x += 1;
       return library_normalized(more);
     })},
    {"the weights are not divided", "AFactorOfAllWeightsCancels",
     with_normalized([](const Vector& w) { return w; })},
    {"the weights are all taken to be 1", "OnlyACommonFactorCancels",
     with_normalized([](const Vector& w) { return library_normalized(Vector(w.size(), 1)); })},
    {"a round number near the maximum is subtracted", "AShiftOfIntegersChangesNoBit",
     with_softmax([](const auto& x, auto temperature) {
       const auto shift = 3 * std::floor(greatest_of(x) / 3);
       return std::isfinite(shift) ? shifted_softmax(x, shift) : library_softmax(x, temperature);
     })},
    {"the mean is subtracted for the maximum", "AShiftOfIntegersChangesNoBit",
     with_softmax([](const auto& x, auto temperature) {
       const auto sum = std::accumulate(x.begin(), x.end(), 0 * temperature);
       return shifted_softmax(x, sum / static_cast<decltype(temperature)>(x.size()));
     })},
    {"the maximum is not subtracted", "AShiftOfIntegersChangesNoBit",
     with_softmax([](const auto& x, auto temperature) { return library_naive(x, temperature); })},
    {"only the greatest logit is shifted", "EveryShiftStaysWithinTheBound",
     with_softmax([](const auto& x, auto) {
       auto shifted = x;
       const auto greatest = greatest_of(x);
       for (auto& logit : shifted)
         if (logit == greatest) logit = 0;
       return library_softmax(shifted, decltype(greatest + 0)(1));
     })},
    {"the logits are divided by the greatest", "EveryShiftStaysWithinTheBound",
     with_softmax([](const auto& x, auto temperature) {
       auto divided = x;
       const auto greatest = greatest_of(x);
       if (greatest > 1)
         for (auto& logit : divided) logit /= greatest;
       return library_softmax(divided, temperature);
     })},
    {"all logits are set to the last", "ShiftingOneLogitChangesTheWeights",
     with_softmax([](const auto& x, auto temperature) {
       auto same = x;
       for (auto& logit : same) logit = x.back();
       return library_softmax(same, temperature);
     })},
};

//! [SoftmaxShiftInvariance]
TEST(SoftmaxShiftInvariance, AFactorOfAllWeightsCancels) {
  check_statement(softmax_shift_invariance_mutants, [](const Softmaxes& softmaxes) {
    for_all([&] {
      const Vector w = *positive_weights().as("the weights e^x");
      const Rational factor = *positive_rational().as("the factor e^b");
      Vector scaled = w;
      for (Rational& weight : scaled) weight *= factor;
      EXPECT_EXACTLY(softmaxes.normalized(scaled) == softmaxes.normalized(w));
    });
    // The maximum subtracted, for three weights.
    const Vector subtracted = softmaxes.normalized({1, Rational(1, 2), Rational(1, 6)});
    EXPECT_EXACTLY(subtracted == (Vector{Rational(6, 10), Rational(3, 10), Rational(1, 10)}));
    expect_confirmed("S3", "giving the same result", subtracted == softmaxes.normalized({6, 3, 1}));
  });
}
//! [SoftmaxShiftInvariance]

TEST(SoftmaxShiftInvariance, OnlyACommonFactorCancels) {
  check_statement(softmax_shift_invariance_mutants, [](const Softmaxes& softmaxes) {
    for_all([&] {
      const Vector w = *positive_weights().as("the weights e^x");
      const Vector v = *rc::gen::container<Vector>(w.size(), positive_rational()).as("others");
      bool proportional = true;
      for (std::size_t j = 0; j < w.size(); ++j) proportional &= w[j] * v[0] == v[j] * w[0];
      EXPECT_EXACTLY((softmaxes.normalized(w) == softmaxes.normalized(v)) == proportional);
    });
  });
}

TEST(SoftmaxShiftInvariance, AShiftOfIntegersChangesNoBit) {
  check_with_mutants(softmax_shift_invariance_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all([&] {
        const Values<Real> x = *whole_logits<Real>().as("x");
        const Real shift = static_cast<Real>(*rc::gen::inRange(-100000, 100001).as("b"));
        Values<Real> shifted = x;
        for (Real& logit : shifted) logit += shift;
        EXPECT_EXACTLY(bits_of(functions.softmax(shifted, 1)) == bits_of(functions.softmax(x, 1)));
      });
    });
    // What is lost where numbers are so large that sums are rounded: half of their distance.
    record_value("half_unit", format_shortest((std::nextafter(1e9F, 2e9F) - 1e9F) / 2));
  });
}

//! [SoftmaxShiftInvariance: in floating point]
TEST(SoftmaxShiftInvariance, EveryShiftStaysWithinTheBound) {
  check_with_mutants(softmax_shift_invariance_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all(
          [&] {
            const Values<Real> x = *finite_scores<Real>(17).as("x");
            const Real b = *floats<Real>({.largest = Real(1000)}).as("b");
            for (const Real logit : x) RC_PRE(std::isfinite(logit + b));
            require_law(shift_law<Real>(functions.softmax, x, b));
          },
          100);
    });
  });
}
//! [SoftmaxShiftInvariance: in floating point]

TEST(SoftmaxShiftInvariance, ShiftingOneLogitChangesTheWeights) {
  check_with_mutants(softmax_shift_invariance_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const auto even = bits_of(functions.softmax({Real(0), Real(0)}, 1));
      EXPECT_EXACTLY(bits_of(functions.softmax({Real(1), Real(0)}, 1)) != even);
      EXPECT_EXACTLY(bits_of(functions.softmax({Real(0), Real(1)}, 1)) != even);
    });
    counterexample_without("one shift");
  });
}

}  // namespace sqrtdk::properties::SoftmaxShiftInvariance
