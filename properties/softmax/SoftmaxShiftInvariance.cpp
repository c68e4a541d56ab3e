#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include "properties/softmax/fixture.hpp"
#include "properties/support/outcomes.hpp"

namespace sqrtdk::properties::SoftmaxShiftInvariance {

/// Integers as logits, which may all be shifted without rounding.
template <class Real>
rc::Gen<Values<Real>> whole_logits() {
  return rc::gen::map(
      rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-60, 61))),
      [](const std::vector<int>& x) { return Values<Real>(x.begin(), x.end()); });
}

//! [SoftmaxShiftInvariance]
STATEMENT(SoftmaxShiftInvariance, AFactorOfAllWeightsCancels) {
  for_all([&] {
    const Vector w = *positive_weights().as("the weights e^x");
    const Rational factor = *positive_rational().as("the factor e^b");
    Vector scaled = w;
    for (Rational& weight : scaled) weight *= factor;
    EXPECT_EXACTLY(subject.normalized(scaled) == subject.normalized(w));
  });
  // The maximum subtracted, for three weights.
  const Vector subtracted = subject.normalized({1, Rational(1, 2), Rational(1, 6)});
  EXPECT_EXACTLY(subtracted == (Vector{Rational(6, 10), Rational(3, 10), Rational(1, 10)}));
  expect_confirmed("S3", "giving the same result", subtracted == subject.normalized({6, 3, 1}));
}
//! [SoftmaxShiftInvariance]
KILLS("one is added to every weight", with_normalized([](auto& w) {
        Vector more = w;
        for (Rational& x : more) x += 1;
        return library_normalized(more);
      }));
KILLS("the weights are not divided", with_normalized([](auto& w) { return w; }));

STATEMENT(SoftmaxShiftInvariance, OnlyACommonFactorCancels) {
  for_all([&] {
    const Vector w = *positive_weights().as("the weights e^x");
    const Vector v = *rc::gen::container<Vector>(w.size(), positive_rational()).as("others");
    bool proportional = true;
    for (std::size_t j = 0; j < w.size(); ++j) proportional &= w[j] * v[0] == v[j] * w[0];
    EXPECT_EXACTLY((subject.normalized(w) == subject.normalized(v)) == proportional);
  });
}
KILLS("the weights are all taken to be 1",
      with_normalized([](auto& w) { return library_normalized(Vector(w.size(), 1)); }));

ASIDE(SoftmaxShiftInvariance, AShiftOfIntegersChangesNoBit) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    for_all([&] {
      const Values<Real> x = *whole_logits<Real>().as("x");
      const Real shift = static_cast<Real>(*rc::gen::inRange(-100000, 100001).as("b"));
      Values<Real> shifted = x;
      for (Real& logit : shifted) logit += shift;
      EXPECT_EXACTLY(bits_of(functions.softmax(shifted, 1)) == bits_of(functions.softmax(x, 1)));
    });
  });
  // The loss where numbers are so large that sums are rounded: half of their distance.
  record_value("half_unit", format_shortest((std::nextafter(1e9F, 2e9F) - 1e9F) / 2));
}
KILLS("a round number near the maximum is subtracted", with_softmax([](auto& x, auto temperature) {
        const auto shift = 3 * std::floor(greatest_of(x) / 3);
        return std::isfinite(shift) ? shifted_softmax(x, shift) : library_softmax(x, temperature);
      }));
KILLS("the mean is subtracted for the maximum", with_softmax([](auto& x, auto temperature) {
        const auto sum = std::accumulate(x.begin(), x.end(), 0 * temperature);
        return shifted_softmax(x, sum / static_cast<decltype(temperature)>(x.size()));
      }));
KILLS("the maximum is not subtracted",
      with_softmax([](auto& x, auto temperature) { return library_naive(x, temperature); }));

//! [SoftmaxShiftInvariance: in floating point]
ASIDE(SoftmaxShiftInvariance, EveryShiftStaysWithinTheBound) {
  in_both(subject, [](const auto& functions, auto real) {
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
}
//! [SoftmaxShiftInvariance: in floating point]
KILLS("only the greatest logit is shifted", with_softmax([](auto& x, auto) {
        auto shifted = x;
        const auto greatest = greatest_of(x);
        for (auto& logit : shifted)
          if (logit == greatest) logit = 0;
        return library_softmax(shifted, decltype(greatest + 0)(1));
      }));
KILLS("the logits are divided by the greatest", with_softmax([](auto& x, auto temperature) {
        auto divided = x;
        const auto greatest = greatest_of(x);
        if (greatest > 1)
          for (auto& logit : divided) logit /= greatest;
        return library_softmax(divided, temperature);
      }));

ASIDE(SoftmaxShiftInvariance, ShiftingOneLogitChangesTheWeights) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    const auto even = bits_of(functions.softmax({Real(0), Real(0)}, 1));
    EXPECT_EXACTLY(bits_of(functions.softmax({Real(1), Real(0)}, 1)) != even);
    EXPECT_EXACTLY(bits_of(functions.softmax({Real(0), Real(1)}, 1)) != even);
  });
  counterexample_without("one shift");
}
KILLS("all logits are set to the last", with_softmax([](auto& x, auto temperature) {
        auto same = x;
        for (auto& logit : same) logit = x.back();
        return library_softmax(same, temperature);
      }));

}  // namespace sqrtdk::properties::SoftmaxShiftInvariance
