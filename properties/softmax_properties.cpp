// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/softmax_examples.hpp>
#include <sqrtdk/softmax_interval.hpp>
#include <sqrtdk/softmax_online.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/softmax/functions.hpp"
#include "properties/support/outcomes.hpp"
#include "properties/support/rational_distributions.hpp"

#include <boost/math/differentiation/autodiff.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

Vector library_normalized(const Vector& weights) {
  return values<Rational>(normalized_weights(column(weights)));
}

/// What this chapter's laws judge.
struct Softmaxes {
  Functions<double> in_double = {};
  Functions<float> in_float = {};
  double (*double_threshold)() = overflow_threshold<double>;
  float (*float_threshold)() = overflow_threshold<float>;
  Vector (*normalized)(const Vector&) = library_normalized;
  Values<Wide> (*wide)(const Values<Wide>&, Wide) = library_softmax<Wide>;
  Interval<Rational> (*exp_enclosure)(const Rational&) = sqrtdk::exp_enclosure;
  std::vector<Interval<Rational>> (*softmax_enclosure)(const Vector&) = sqrtdk::softmax_enclosure;
  Interval<Rational> (*weight_ratio)(const Rational&, const Rational&) = sqrtdk::weight_ratio;
  Rational (*least_sum_of_rounded)(std::size_t, const Rational&) = sqrtdk::least_sum_of_rounded;
  Rational (*max_remaining_mass)(std::size_t, const Rational&) = sqrtdk::max_remaining_mass;
  Rational (*largest_move)(const Rational&) = sqrtdk::largest_move;
  Interval<Rational> (*sums_that_fit)(const Vector&, const std::vector<Interval<Rational>>&) =
      sqrtdk::sums_that_fit;
  Rational (*required_ratio)(std::size_t, const Rational&) = sqrtdk::required_ratio;
  Wide (*min_logit_margin)(std::size_t, const Rational&) = sqrtdk::min_logit_margin<Wide>;
  std::size_t (*required_dimension)(std::size_t, const Rational&,
                                    const Rational&) = sqrtdk::required_dimension<Wide>;
};

using Mutants = std::vector<Mutant<Softmaxes>>;

template <class Function>
Softmaxes with_softmax(Function function) {
  return wrong_softmax<Softmaxes>(function);
}
template <class Function>
Softmaxes with_naive(Function) {
  constexpr auto wrong = [](const auto& x, auto temperature) {
    return x.empty() ? library_naive(x, temperature) : Function{}(x, temperature);
  };
  return {.in_double = {.naive = wrong}, .in_float = {.naive = wrong}};
}
template <class Function>
Softmaxes with_wide(Function wrong) {
  Softmaxes result;
  result.wide = wrong;
  return result;
}
template <class Function>
Softmaxes with_normalized(Function wrong) {
  Softmaxes result;
  result.normalized = wrong;
  return result;
}

/// Softmax between rational numbers, of logits that are changed first.
template <class Function>
Softmaxes with_enclosures(Function) {
  Softmaxes result;
  result.softmax_enclosure = [](const Vector& x) {
    Vector changed;
    for (const Rational& logit : x) changed.push_back(Function{}(logit, x));
    return sqrtdk::softmax_enclosure(changed);
  };
  return result;
}

/// A value that a decimal text has exactly.
Rational decimal(const std::string& text) {
  const PrintedNumber number = parse_printed(text);
  return (number.low + number.high) / 2;
}

Vector decimals(const std::vector<std::string>& texts) {
  Vector result;
  for (const std::string& text : texts) result.push_back(decimal(text));
  return result;
}

Rational total(const Vector& x) { return std::accumulate(x.begin(), x.end(), Rational(0)); }

/// Expects that everything between two numbers rounds to what is printed.
void expect_within(const std::string& printed, const Interval<Rational>& exact) {
  const PrintedNumber number = parse_printed(printed);
  EXPECT_TRUE(number.low < exact.lower && exact.lower <= exact.upper && exact.upper < number.high)
      << "the number lies between " << exact.lower.convert_to<double>() << " and "
      << exact.upper.convert_to<double>() << ", which does not round to " << printed;
}

Values<Wide> wide(const Vector& x) {
  Values<Wide> result;
  for (const Rational& number : x) result.push_back(static_cast<Wide>(number));
  return result;
}

/// Expects that softmax weights, enclosed by rational numbers, round to what a document prints.
void expect_weights(const Softmaxes& softmaxes, const std::string& document, const Vector& logits,
                    const std::vector<std::string>& printed) {
  const std::vector<Interval<Rational>> exact = softmaxes.softmax_enclosure(logits);
  ASSERT_EQ(exact.size(), printed.size());
  for (std::size_t j = 0; j < printed.size(); ++j) {
    expect_printed(document, printed[j], exact[j].lower);
    expect_within(printed[j], exact[j]);
  }
  enumerated(printed.size());
}

/// Expects that the library's softmax, in fifty digits, rounds to these numbers.
void expect_computed(const Softmaxes& softmaxes, const Vector& logits,
                     const std::vector<std::string>& rounded) {
  const Values<Wide> computed = softmaxes.wide(wide(logits), 1);
  ASSERT_EQ(computed.size(), rounded.size());
  for (std::size_t j = 0; j < rounded.size(); ++j) {
    const Rational weight = static_cast<Rational>(computed[j]);
    expect_within(rounded[j], {weight, weight});
  }
  evidence().weaken(Grade::bounded);
  enumerated(rounded.size());
}

rc::Gen<Vector> positive_weights() {
  return rc::gen::resize(20, rc::gen::nonEmpty(rc::gen::container<Vector>(positive_rational())));
}

// --------------------------------------------------------------------------- SoftmaxIsAProbability

const Mutants softmax_is_a_probability_mutants = {
    {"the last weight is left out of the sum", "WeightsOverTheirSumAreAProbability",
     with_normalized([](const Vector& w) {
       Vector p;
       for (const Rational& x : w)
         p.push_back(Rational(x / (w.size() > 1 ? Rational(total(w) - w.back()) : w[0])));
       return p;
     })},
    {"the weights are divided by the greatest", "WeightsOverTheirSumAreAProbability",
     with_normalized([](const Vector& w) {
       Vector p;
       for (const Rational& x : w) p.push_back(Rational(x / *std::max_element(w.begin(), w.end())));
       return p;
     })},
    {"the probabilities are all alike", "WeightsOverTheirSumAreAProbability",
     with_normalized([](const Vector& w) { return Vector(w.size(), Rational(1, w.size())); })},
    {"a change by r moves a weight by (r − 1)/2",
     "AChangeOfTheWeightsMovesThemByATangentAtMost",
     {.largest_move = [](const Rational& r) -> Rational { return (r - 1) / 2; }}},
    {"only one of two weights changes",
     "AChangeOfTheWeightsMovesThemByATangentAtMost",
     {.largest_move = [](const Rational& r) -> Rational { return (r - 1) / (2 * (r + 1)); }}},
    {"a weight is multiplied by its square", "AChangeOfTheWeightsMovesThemByATangentAtMost",
     with_normalized([](const Vector& w) {
       Vector cubes;
       for (const Rational& x : w) cubes.push_back(x * x * x);
       return library_normalized(cubes);
     })},
    {"a factor below 1 is accepted",
     "RefusesWhatIsNoWeight",
     {.largest_move =
          [](const Rational& r) { return r < 1 ? Rational(0) : sqrtdk::largest_move(r); }}},
    {"a negative weight is accepted", "RefusesWhatIsNoWeight", with_normalized([](const Vector& w) {
       if (w.empty() || total(w) == 0) return library_normalized(w);
       Vector p;
       for (const Rational& x : w) p.push_back(Rational(x / total(w)));
       return p;
     })},
    {"weights of 0 are shared out evenly", "RefusesWhatIsNoWeight",
     with_normalized([](const Vector& w) {
       const bool zero = std::all_of(w.begin(), w.end(), [](const Rational& x) { return x == 0; });
       return zero ? Vector(w.size(), Rational(1)) : library_normalized(w);
     })},
    {"the sum starts at a small number", "SumsToOneInFloatingPoint",
     with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       if (y.size() > 3)
         for (auto& weight : y) weight /= decltype(temperature)(1.0001);
       return y;
     })},
    {"the last logit is left out of the sum", "SumsToOneInFloatingPoint",
     with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       for (auto& weight : y) weight /= 1 - (y.size() > 1 ? y.back() : 0);
       return y;
     })},
    {"a weight is below 0", "SumsToOneInFloatingPoint",
     with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       if (y.front() == 0) y.front() = -std::numeric_limits<decltype(temperature)>::denorm_min();
       return y;
     })},
    {"a result is lost", "SumsToOneInFloatingPoint",
     with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       if (y.size() > 1 && y.back() == 0) y.pop_back();
       return y;
     })},
    {"the order is turned round", "KeepsTheOrderOfTheLogits", with_softmax([](const auto& x, auto) {
       return softmax_after(x, [](auto logit, std::size_t) { return -logit; });
     })},
    {"the last of a list is computed another way", "KeepsTheOrderOfTheLogits",
     with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       if (y.size() > 3) y.back() = std::nextafter(y.back(), decltype(temperature)(0));
       return y;
     })},
    {"a maximum at the end counts for less", "GoesAlongWithEveryPermutation",
     with_softmax([](const auto& x, auto temperature) {
       const bool at_the_end = x.back() == greatest_of(x) && x.front() != x.back();
       return library_softmax(x, at_the_end ? decltype(temperature)(1.01) : temperature);
     })},
    {"a weight depends on its place", "GoesAlongWithEveryPermutation",
     with_softmax([](const auto& x, auto temperature) {
       return softmax_after(x, [&](auto logit, std::size_t j) {
         return logit + static_cast<decltype(temperature)>(j) / 1000;
       });
     })},
    {"the first logit is skipped", "GoesAlongWithEveryPermutation",
     with_softmax([](const auto& x, auto temperature) {
       auto others = x;
       if (others.size() > 1) others.front() = -inf<decltype(temperature)>;
       return library_softmax(others, temperature);
     })},
    {"the logits are doubled", "MovesByHalfAsMuchAsTheLogitsAtMost",
     with_softmax([](const auto& x, auto) {
       return softmax_after(x, [](auto logit, std::size_t) { return 2 * (logit / 4) * 4; });
     })},
    {"the greatest logit takes all", "MovesByHalfAsMuchAsTheLogitsAtMost",
     with_softmax([](const auto& x, auto temperature) {
       auto y = x;
       const auto greatest = greatest_of(x);
       for (auto& entry : y) entry = entry == greatest;
       const auto count = std::accumulate(y.begin(), y.end(), decltype(temperature)(0));
       for (auto& entry : y) entry /= count;
       return y;
     })},
    {"a logit of minus infinity keeps a small weight", "MinusInfinityHasNoWeight",
     with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       for (auto& weight : y) weight = std::max(weight, decltype(temperature)(1e-9));
       return y;
     })},
};

//! [SoftmaxIsAProbability]
TEST(SoftmaxIsAProbability, WeightsOverTheirSumAreAProbability) {
  judge(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
    for_all([&] {
      const Vector w = *positive_weights().as("the weights e^x");
      const Vector p = softmaxes.normalized(w);
      RC_ASSERT(p.size() == w.size());
      RC_ASSERT(total(p) == 1);
      for (std::size_t i = 0; i < w.size(); ++i) {
        RC_ASSERT(p[i] > 0);
        // Ratios are kept, and the order with them.
        RC_ASSERT(p[i] * w[0] == p[0] * w[i]);
        RC_ASSERT((p[i] < p[0]) == (w[i] < w[0]));
      }
      // Weights in the reverse order have probabilities in the reverse order.
      RC_ASSERT(softmaxes.normalized(Vector(w.rbegin(), w.rend())) == Vector(p.rbegin(), p.rend()));
    });
  });
}
//! [SoftmaxIsAProbability]

TEST(SoftmaxIsAProbability, AChangeOfTheWeightsMovesThemByATangentAtMost) {
  judge(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
    for_all([&] {
      // h = ln r: each weight e^x is multiplied by a factor from 1/r to r.
      const Vector w = *positive_weights().as("the weights e^x");
      const Rational r = 1 + *positive_rational().as("the factor e^h, less 1");
      Vector changed = w;
      for (Rational& weight : changed) {
        const Rational part(*rc::gen::element(0, 0, 30, 100, 100).as("percent of the way"), 100);
        weight *= 1 / r + part * (r - 1 / r);
      }
      const Vector p = softmaxes.normalized(w);
      const Vector q = softmaxes.normalized(changed);
      for (std::size_t i = 0; i < p.size(); ++i) {
        RC_ASSERT(q[i] <= r * r * p[i] && p[i] <= r * r * q[i]);
        RC_ASSERT(abs(Rational(q[i] - p[i])) <= softmaxes.largest_move(r));
      }
    });
    for (const Rational& r :
         {Rational(1025, 1024), Rational(3, 2), Rational(2), Rational(10), Rational(1000)}) {
      // Two weights that change places move as far as that.
      const Rational move = softmaxes.largest_move(r);
      EXPECT_EQ(softmaxes.normalized({r, 1})[0] - softmaxes.normalized({1, r})[0], move);
      // tanh(h/2) < h/2, that is e^(2 tanh(h/2)) < r.
      EXPECT_TRUE(exp_enclosure(2 * move).upper < r);
    }
  });
}

TEST(SoftmaxIsAProbability, SumsToOneInFloatingPoint) {
  judge(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all([&] {
        const Values<Real> x = *scores<Real>().as("x");
        require(probability_law<Real>(functions.softmax, x));
      });
    });
  });
}

TEST(SoftmaxIsAProbability, KeepsTheOrderOfTheLogits) {
  judge(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all([&] {
        const Values<Real> x = *scores<Real>().as("x");
        require(order_law<Real>(functions.softmax, x));
      });
    });
  });
}

TEST(SoftmaxIsAProbability, GoesAlongWithEveryPermutation) {
  judge(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all(
          [&] {
            const Values<Real> x = *scores<Real>(9).as("x");
            Cuts order(x.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            for (std::size_t j = order.size(); j > 1; --j)
              std::swap(order[j - 1], order[*rc::gen::inRange<std::size_t>(0, j).as("exchange")]);
            require(permutation_law<Real>(functions.softmax, x, order));
          },
          100);
    });
  });
}

TEST(SoftmaxIsAProbability, MovesByHalfAsMuchAsTheLogitsAtMost) {
  judge(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      // A weight that is below every double at first, and not any more.
      expect(lipschitz_law<Real>(functions.softmax, {0, 748}, {12, 732}));
      for_all(
          [&] {
            const Values<Real> a = *finite_scores<Real>(9).as("a");
            const int power = *rc::gen::inRange(-20, 4).as("power of 2");
            Values<Real> b = a;
            for (Real& logit : b)
              logit += static_cast<Real>(std::ldexp(*rc::gen::inRange(-8, 9).as("step"), power));
            for (const Real logit : b) RC_PRE(std::isfinite(logit));
            require(lipschitz_law<Real>(functions.softmax, a, b));
          },
          100);
    });
  });
}

TEST(SoftmaxIsAProbability, MinusInfinityHasNoWeight) {
  judge(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const Values<Real> masked = functions.softmax({Real(3), -inf<Real>, Real(3)}, 1);
      EXPECT_EQ(masked, (Values<Real>{0.5, 0, 0.5}));
    });
    counterexample_without("real logits");
  });
}

TEST(SoftmaxIsAProbability, RefusesWhatIsNoWeight) {
  judge(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
    EXPECT_THROW(softmaxes.normalized({}), std::invalid_argument);
    EXPECT_THROW(softmaxes.normalized({1, -1, 2}), std::domain_error);
    EXPECT_THROW(softmaxes.normalized({0, 0}), std::domain_error);
    EXPECT_EQ(softmaxes.normalized({0, 3}), (Vector{0, 1}));
    EXPECT_THROW(softmaxes.largest_move(Rational(1, 2)), std::domain_error);
  });
}

// -------------------------------------------------------------------------- SoftmaxShiftInvariance

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

//! [SoftmaxShiftInvariance: exact check]
TEST(SoftmaxShiftInvariance, AFactorOfAllWeightsCancels) {
  judge(softmax_shift_invariance_mutants, [](const Softmaxes& softmaxes) {
    for_all([&] {
      const Vector w = *positive_weights().as("the weights e^x");
      const Rational factor = *positive_rational().as("the factor e^b");
      Vector scaled = w;
      for (Rational& weight : scaled) weight *= factor;
      RC_ASSERT(softmaxes.normalized(scaled) == softmaxes.normalized(w));
    });
    // The maximum subtracted, for three weights.
    expect_confirmed("S3", "giving the same result",
                     softmaxes.normalized({1, Rational(1, 2), Rational(1, 6)}) ==
                         softmaxes.normalized({6, 3, 1}));
  });
}
//! [SoftmaxShiftInvariance: exact check]

TEST(SoftmaxShiftInvariance, OnlyACommonFactorCancels) {
  judge(softmax_shift_invariance_mutants, [](const Softmaxes& softmaxes) {
    for_all([&] {
      const Vector w = *positive_weights().as("the weights e^x");
      const Vector v = *rc::gen::container<Vector>(w.size(), positive_rational()).as("others");
      bool proportional = true;
      for (std::size_t j = 0; j < w.size(); ++j) proportional &= w[j] * v[0] == v[j] * w[0];
      RC_ASSERT((softmaxes.normalized(w) == softmaxes.normalized(v)) == proportional);
    });
  });
}

TEST(SoftmaxShiftInvariance, AShiftOfIntegersChangesNoBit) {
  judge(softmax_shift_invariance_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all([&] {
        const Values<Real> x = *whole_logits<Real>().as("x");
        const Real shift = static_cast<Real>(*rc::gen::inRange(-100000, 100001).as("b"));
        Values<Real> shifted = x;
        for (Real& logit : shifted) logit += shift;
        RC_ASSERT(functions.softmax(shifted, 1) == functions.softmax(x, 1));
      });
    });
    // What is lost where numbers are so large that sums are rounded: half of their distance.
    publish("half_unit", format_shortest((std::nextafter(1e9F, 2e9F) - 1e9F) / 2));
  });
}

//! [SoftmaxShiftInvariance]
TEST(SoftmaxShiftInvariance, EveryShiftStaysWithinTheBound) {
  judge(softmax_shift_invariance_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all(
          [&] {
            const Values<Real> x = *finite_scores<Real>(17).as("x");
            const Real b = *floats<Real>({.largest = Real(1000)}).as("b");
            for (const Real logit : x) RC_PRE(std::isfinite(logit + b));
            require(shift_law<Real>(functions.softmax, x, b));
          },
          100);
    });
  });
}
//! [SoftmaxShiftInvariance]

TEST(SoftmaxShiftInvariance, ShiftingOneLogitChangesTheWeights) {
  judge(softmax_shift_invariance_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      EXPECT_NE(functions.softmax({Real(1), Real(0)}, 1), functions.softmax({Real(0), Real(0)}, 1));
      EXPECT_NE(functions.softmax({Real(0), Real(1)}, 1), functions.softmax({Real(0), Real(0)}, 1));
    });
    counterexample_without("one shift");
  });
}

// --------------------------------------------------------------------------- NaiveSoftmaxOverflows

/// The least number that rounds to infinity: 2^E (1 − 2^−(p+1)).
template <class Real>
Wide rounds_to_infinity(int digits, int max_exponent) {
  return ldexp(1 - ldexp(Wide(1), -(digits + 1)), max_exponent);
}

/// Expects that the exponential of a number is finite once rounded, and that of the next is not.
void expect_threshold(const Wide& threshold, const Wide& next, int digits, int max_exponent) {
  const Wide limit = rounds_to_infinity<Wide>(digits, max_exponent);
  // Enclosed by rational numbers, so that no rounding enters.
  const Rational least_infinite = static_cast<Rational>(limit);
  EXPECT_TRUE(exp_enclosure(static_cast<Rational>(threshold)).upper < least_infinite)
      << threshold.str(20);
  EXPECT_TRUE(exp_enclosure(static_cast<Rational>(next)).lower > least_infinite) << next.str(20);
}

const Mutants naive_softmax_overflows_mutants = {
    {"the threshold is one unit in the last place too low",
     "TheThresholdIsExact",
     {.double_threshold = [] { return std::nextafter(overflow_threshold<double>(), 0.0); },
      .float_threshold = [] { return std::nextafter(overflow_threshold<float>(), 0.0F); }}},
    {"the threshold is one unit in the last place too high",
     "TheThresholdIsExact",
     {.double_threshold = [] { return std::nextafter(overflow_threshold<double>(), 1000.0); },
      .float_threshold = [] { return std::nextafter(overflow_threshold<float>(), 1000.0F); }}},
    {"the maximum is subtracted", "BeyondTheThresholdAWeightIsNaN",
     with_naive([](const auto& x, auto temperature) { return library_softmax(x, temperature); })},
    {"exponents are cut off at the threshold", "BeyondTheThresholdAWeightIsNaN",
     with_naive([](const auto& x, auto temperature) {
       auto cut = x;
       for (auto& logit : cut) logit = std::min(logit, overflow_threshold<decltype(temperature)>());
       return library_naive(cut, temperature);
     })},
    {"the sum is taken in a wider type", "TheSumOverflowsSooner",
     with_naive([](const auto& x, auto temperature) {
       auto y = x;
       long double sum = 0;
       for (auto& logit : y) sum += static_cast<long double>(logit = std::exp(logit));
       for (auto& weight : y)
         weight = static_cast<decltype(temperature)>(static_cast<long double>(weight) / sum);
       return y;
     })},
    {"an exponential is at least the smallest normal number", "FarBelowZeroItIsNaNToo",
     with_naive([](const auto& x, auto temperature) {
       auto raised = x;
       for (auto& logit : raised) logit = std::max(logit, decltype(temperature)(-80));
       return library_naive(raised, temperature);
     })},
};

//! [NaiveSoftmaxOverflows]
TEST(NaiveSoftmaxOverflows, TheThresholdIsExact) {
  judge(naive_softmax_overflows_mutants, [](const Softmaxes& softmaxes) {
    const auto expect_exact = [](auto x) {
      using Real = decltype(x);
      using Limits = std::numeric_limits<Real>;
      const Real next = std::nextafter(x, inf<Real>);
      expect_threshold(Wide(x), Wide(next), Limits::digits, Limits::max_exponent);
      EXPECT_TRUE(std::isfinite(std::exp(x)));
      EXPECT_TRUE(std::isinf(std::exp(next)));
    };
    expect_exact(softmaxes.double_threshold());
    expect_exact(softmaxes.float_threshold());
    const auto expect_small = [](auto x) {
      using Small = decltype(x);
      using Limits = std::numeric_limits<Small>;
      const auto next = Eigen::numext::bit_cast<Small>(
          static_cast<std::uint16_t>(Eigen::numext::bit_cast<std::uint16_t>(x) + 1));
      expect_threshold(Wide(static_cast<float>(x)), Wide(static_cast<float>(next)), Limits::digits,
                       Limits::max_exponent);
    };
    expect_small(overflow_threshold<Eigen::half>());
    expect_small(overflow_threshold<Eigen::bfloat16>());
    publish("double", format_hex_and_decimal(overflow_threshold<double>()));
    publish("float", format_hex_and_decimal(overflow_threshold<float>()));
    publish("half", format_hex_and_decimal(static_cast<float>(overflow_threshold<Eigen::half>())));
    publish("bfloat16",
            format_hex_and_decimal(static_cast<float>(overflow_threshold<Eigen::bfloat16>())));
    enumerated(4);
  });
}
//! [NaiveSoftmaxOverflows]

TEST(NaiveSoftmaxOverflows, BeyondTheThresholdAWeightIsNaN) {
  judge(naive_softmax_overflows_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all([&] {
        const Real x = *floats<Real>().as("x");
        const Values<Real> y = functions.naive({x, Real(0)}, 1);
        RC_ASSERT(std::isnan(y[0]) == (x > overflow_threshold<Real>()));
      });
    });
    expect_confirmed("S3", "Softmax can overflow with large inputs",
                     std::isnan(softmaxes.in_double.naive({1000, 0}, 1)[0]));
  });
}

TEST(NaiveSoftmaxOverflows, TheSumOverflowsSooner) {
  judge(naive_softmax_overflows_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for (const std::size_t n : {2U, 16U, 1024U}) {
        const Real limit = overflow_threshold<Real>() - std::log(static_cast<Real>(n));
        const Values<Real> above = functions.naive(Values<Real>(n, limit + Real(0.001)), 1);
        const Values<Real> below = functions.naive(Values<Real>(n, limit - Real(0.001)), 1);
        EXPECT_EQ(above, Values<Real>(n, 0)) << n;
        for (const Real weight : below) EXPECT_GT(weight, 0) << n;
      }
    });
    enumerated(6);
  });
}

TEST(NaiveSoftmaxOverflows, FarBelowZeroItIsNaNToo) {
  judge(naive_softmax_overflows_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const Values<Real> y = functions.naive({Real(-800), Real(-801)}, 1);
      EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]));
      EXPECT_EQ(library_softmax<Real>({-800, -801}, 1), library_softmax<Real>({1, 0}, 1));
      // From half the smallest number on an exponential rounds to 0.
      const Real edge = std::log(std::numeric_limits<Real>::denorm_min()) - std::log(Real(2));
      EXPECT_TRUE(std::isnan(functions.naive({edge - Real(0.01)}, 1)[0]));
      EXPECT_EQ(functions.naive({edge + Real(0.01)}, 1)[0], 1);
      publish(std::is_same_v<Real, float> ? "float" : "double",
              format_fixed(static_cast<double>(edge), 0));
    });
    enumerated(2);
  });
}

// ----------------------------------------------------------------------------------- StableSoftmax

const Mutants stable_softmax_mutants = {
    {"the maximum is not subtracted", "NeverOverflows",
     with_softmax([](const auto& x, auto temperature) {
       return shifted_softmax(x, 0 * temperature, temperature);
     })},
    {"the greatest absolute value is subtracted", "NeverOverflows",
     with_softmax([](const auto& x, auto temperature) {
       auto greatest = std::abs(x.front());
       for (const auto logit : x) greatest = std::max(greatest, std::abs(logit));
       return shifted_softmax(x, greatest, temperature);
     })},
    {"the maximum starts at 0", "NeverOverflows", with_softmax([](const auto& x, auto temperature) {
       return shifted_softmax(x, std::max(0 * temperature, greatest_of(x)), temperature);
     })},
    {"the maximum starts at the smallest normal number", "NeverOverflows",
     with_softmax([](const auto& x, auto temperature) {
       using Real = decltype(temperature);
       return shifted_softmax(x, std::max(std::numeric_limits<Real>::min(), greatest_of(x)),
                              temperature);
     })},
    {"the last logit is left out of the maximum", "NeverOverflows",
     with_softmax([](const auto& x, auto temperature) {
       auto others = x;
       if (others.size() > 1) others.pop_back();
       return shifted_softmax(x, greatest_of(others), temperature);
     })},
    {"differences may overflow", "NeverOverflows",
     with_softmax([](const auto& x, auto temperature) {
       return shifted_softmax(x, greatest_of(x), temperature);
     })},
    {"the second logit takes the weight of the first", "IsTheFormulaWhereThatWorks",
     with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       if (y.size() > 1) y[1] = y[0];
       return y;
     })},
    {"powers of 2 are taken", "IsTheFormulaWhereThatWorks",
     with_softmax([](const auto& x, auto temperature) {
       return library_softmax(x, static_cast<decltype(temperature)>(temperature / std::log(2.0)));
     })},
    {"the greatest is taken for the sum", "InExactArithmeticItIsTheFormula",
     with_normalized([](const Vector& w) {
       Vector p;
       for (const Rational& x : w) p.push_back(x / *std::max_element(w.begin(), w.end()));
       return p;
     })},
    {"the greatest is left out of the sum", "InExactArithmeticItIsTheFormula",
     with_normalized([](const Vector& w) {
       if (w.size() == 1) return library_normalized(w);
       Vector p;
       const Rational rest = total(w) - *std::max_element(w.begin(), w.end());
       for (const Rational& x : w) p.push_back(x / rest);
       return p;
     })},
    {"temperatures above 1 are inverted", "AHigherTemperatureSpreadsTheWeights",
     with_softmax([](const auto& x, auto temperature) {
       return temperature > 1 ? library_softmax(x, 1 / temperature)
                              : library_softmax(x, temperature);
     })},
    {"the sum is taken in binary16",
     "AShortFormatMayHaveNoRoomForTheSum",
     {.in_float = {.softmax =
                       [](const Values<float>& x, float) {
                         const Values<Eigen::half> ones(x.size(), Eigen::half(1.0F));
                         const auto sum = pairwise_sum(std::span<const Eigen::half>(ones));
                         return Values<float>(x.size(), 1 / static_cast<float>(sum));
                       }}}},
    {"minus infinity throughout is shared out evenly", "WithoutAGreatestLogitThereIsNoAnswer",
     with_softmax([](const auto& x, auto temperature) {
       const bool nothing = std::all_of(x.begin(), x.end(),
                                        [](auto logit) { return logit == -inf<decltype(logit)>; });
       auto same = x;
       for (auto& logit : same) logit = 0;
       return library_softmax(nothing ? same : x, temperature);
     })},
    {"NaN counts as minus infinity", "NaNMakesEveryWeightNaN",
     with_softmax([](const auto& x, auto temperature) {
       auto without = x;
       for (auto& logit : without)
         if (std::isnan(logit)) logit = -inf<decltype(temperature)>;
       return library_softmax(without, temperature);
     })},
    {"a temperature of 0 is the temperature 1", "RefusesWhatHasNoMeaning",
     with_softmax([](const auto& x, auto temperature) {
       return library_softmax(x, temperature == 0 ? decltype(temperature)(1) : temperature);
     })},
    {"nothing has no weights",
     "RefusesWhatHasNoMeaning",
     {.in_double = {.softmax =
                        [](const Values<double>& x, double temperature) {
                          return x.empty() ? x : library_softmax(x, temperature);
                        }}}},
    {"the temperature is taken twice if it is 2", "TakesEveryKindOfNumber",
     with_softmax([](const auto& x, auto temperature) {
       return library_softmax(x, temperature == 2 ? decltype(temperature)(4) : temperature);
     })},
};

//! [StableSoftmax: no overflow]
TEST(StableSoftmax, NeverOverflows) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const Real least = std::numeric_limits<Real>::lowest();
      for (const Real x : {least, -least, Real(-1000), Real(1000), Real(0)})
        for (const std::size_t n : {1U, 2U, 5U})
          EXPECT_EQ(functions.softmax(Values<Real>(n, x), 1),
                    functions.softmax(Values<Real>(n, 0), 1));
      EXPECT_EQ(functions.softmax({least, -least}, 1), (Values<Real>{0, 1}));
      // The difference overflows, and at a temperature as large it does no harm: e^−2 to 1.
      EXPECT_GT(functions.softmax({least, -least}, -least)[0], Real(0.119));
      EXPECT_LT(functions.softmax({least, -least}, -least)[0], Real(0.1195));
      for_all([&] {
        const Values<Real> x = *scores<Real>().as("x");
        const Values<Real> y = functions.softmax(x, *temperatures<Real>().as("temperature"));
        for (std::size_t j = 0; j < x.size(); ++j) {
          RC_ASSERT(y[j] >= 0 && y[j] <= 1);
          if (x[j] == greatest_of(x)) RC_ASSERT(y[j] > 0);
        }
      });
    });
    const Values<double> y = softmaxes.in_double.softmax({-1.7e308, 1.7e308}, 1e308);
    publish("first", format_fixed(y[0], 3));
    publish("second", format_fixed(y[1], 3));
  });
}
//! [StableSoftmax: no overflow]

//! [StableSoftmax]
TEST(StableSoftmax, IsTheFormulaWhereThatWorks) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const auto agree = [&](const Values<Real>& x) {
        // The formula as written has no difference to round, so that its bound is less than twice
        // what is left of this one.
        const SoftmaxErrorBound bound = functions.bound(x, 1, arithmetic_of<Real>());
        SoftmaxErrorBound both = bound;
        both.relative *= 2 * (1 + 2 * bound.relative.maxCoeff());
        both.absolute *= 2;
        const Values<Real> naive = functions.naive(x, 1);
        const Values<Real> stable = functions.softmax(x, 1);
        bool agreed = naive.size() == stable.size();
        for (std::size_t j = 0; agreed && j < x.size(); ++j) {
          const auto i = static_cast<Eigen::Index>(j);
          const double difference = std::abs(static_cast<double>(naive[j] - stable[j]));
          const double allowed =
              both(i, std::max(static_cast<double>(naive[j]), static_cast<double>(stable[j])));
          agreed = difference <= allowed;
          if (agreed) evidence().worst(difference / allowed, 1);
        }
        return agreed;
      };
      EXPECT_TRUE(agree({1, 2, 3}));
      EXPECT_TRUE(agree({-30, 30, 0}));
      const Real max = std::numeric_limits<Real>::max();
      expect(accuracy_law<Real>(functions.softmax, {-max, max}, max));
      for_all([&] {
        const Values<Real> x =
            *vectors<Real>({.longest = 33, .entries = {.largest = Real(32)}}).as("x");
        RC_ASSERT(agree(x));
      });
    });
    evidence().weaken(Grade::bounded);
  });
}
//! [StableSoftmax]

TEST(StableSoftmax, InExactArithmeticItIsTheFormula) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    for_all([&] {
      // With τ = 1/a: e^((x − m)/τ) is the power a of e^x over the greatest.
      const Vector w = *positive_weights().as("the weights e^x");
      const unsigned a = *rc::gen::inRange(1U, 4U).as("1/τ");
      const Rational greatest = *std::max_element(w.begin(), w.end());
      Vector powers(w.size(), 1);
      Vector subtracted(w.size(), 1);
      for (std::size_t j = 0; j < w.size(); ++j)
        for (unsigned k = 0; k < a; ++k) {
          powers[j] *= w[j];
          subtracted[j] *= w[j] / greatest;
        }
      Vector formula;
      for (const Rational& power : powers) formula.push_back(power / total(powers));
      RC_ASSERT(softmaxes.normalized(subtracted) == formula);
    });
  });
}

TEST(StableSoftmax, AShortFormatMayHaveNoRoomForTheSum) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    // 70000 ones are more than the largest number of binary16, so that each weight would be 0. The
    // library computes in float and rounds at the end: 240 times the smallest number.
    const Values<Eigen::half> ones(70000, Eigen::half(1.0F));
    EXPECT_TRUE((Eigen::numext::isinf)(pairwise_sum(std::span<const Eigen::half>(ones))));
    const float weight = softmaxes.in_float.softmax(Values<float>(70000, 0.0F), 1)[0];
    EXPECT_EQ(static_cast<float>(Eigen::half(weight)), 240 * 0x1p-24F);
    counterexample_without("room for the sum");
  });
}

TEST(StableSoftmax, AHigherTemperatureSpreadsTheWeights) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      using Limits = std::numeric_limits<Real>;
      for (const auto& [low, high] : {std::pair(Real(0.5), Real(4)),
                                      {Real(1), Limits::max()},
                                      {Limits::denorm_min(), Real(2)}})
        expect(temperature_law<Real>(functions.softmax, {0, 1, 3}, low, high));
      for_all(
          [&] {
            const Values<Real> x =
                *vectors<Real>({.shortest = 2, .longest = 9, .entries = {.largest = Real(16)}})
                     .as("x");
            const Real one = *temperatures<Real>().as("a temperature");
            const Real other = *temperatures<Real>().as("another one");
            require(temperature_law<Real>(functions.softmax, x, std::min(one, other),
                                          std::max(one, other)));
          },
          50);
    });
  });
}

TEST(StableSoftmax, WithoutAGreatestLogitThereIsNoAnswer) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      EXPECT_THROW(functions.softmax({-inf<Real>, -inf<Real>}, 1), std::domain_error);
      EXPECT_THROW(functions.softmax({inf<Real>, Real(0)}, 1), std::domain_error);
      EXPECT_THROW(functions.log_softmax({-inf<Real>}, 1), std::domain_error);
      EXPECT_THROW(functions.log_softmax({inf<Real>}, 1), std::domain_error);
      EXPECT_THROW(functions.online({-inf<Real>, -inf<Real>}, 1), std::domain_error);
      EXPECT_THROW(functions.online({Real(0), inf<Real>}, 1), std::domain_error);
      EXPECT_THROW(functions.bound({-inf<Real>}, 1, arithmetic_of<Real>()), std::domain_error);
      // The logarithm of the sum has a limit in both cases.
      EXPECT_EQ(functions.log_sum_exp({-inf<Real>, -inf<Real>}, 1), -inf<Real>);
      EXPECT_EQ(functions.log_sum_exp({inf<Real>, Real(0)}, 1), inf<Real>);
      EXPECT_EQ(functions.log_softmax({Real(0), -inf<Real>}, 1), (Values<Real>{0, -inf<Real>}));
      PartialSoftmax<Real> state;
      EXPECT_EQ(state.log_sum_exp(), -inf<Real>);
      state.add(-inf<Real>);
      EXPECT_EQ(state.log_sum_exp(), -inf<Real>);
      state.add(Real(5));
      EXPECT_EQ(state.log_sum_exp(), Real(5));
      EXPECT_EQ(state.maximum(), Real(5));
      EXPECT_EQ(state.sum(), Real(1));
      EXPECT_EQ(state.count(), 2U);
    });
    counterexample_without("a greatest logit");
  });
}

TEST(StableSoftmax, NaNMakesEveryWeightNaN) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const Real bad = nan_of<Real>;
      for (const Values<Real>& x : {Values<Real>{bad},
                                    {bad, 0},
                                    {0, bad},
                                    {0, bad, 1},
                                    {-inf<Real>, bad},
                                    {bad, inf<Real>}}) {
        const auto all_nan = [](const Values<Real>& y) {
          return std::all_of(y.begin(), y.end(), [](Real weight) { return std::isnan(weight); });
        };
        EXPECT_TRUE(all_nan(functions.softmax(x, 1)));
        EXPECT_TRUE(all_nan(functions.log_softmax(x, 1)));
        EXPECT_TRUE(std::isnan(functions.log_sum_exp(x, 1)));
        if (x.back() != inf<Real>) {
          EXPECT_TRUE(all_nan(functions.online(x, 1)));
        }
      }
    });
  });
}

TEST(StableSoftmax, RefusesWhatHasNoMeaning) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      EXPECT_THROW(functions.softmax({}, 1), std::invalid_argument);
      EXPECT_THROW(functions.naive({}, 1), std::invalid_argument);
      EXPECT_THROW(functions.log_softmax({}, 1), std::invalid_argument);
      EXPECT_THROW(functions.log_sum_exp({}, 1), std::invalid_argument);
      EXPECT_THROW(functions.online({}, 1), std::invalid_argument);
      EXPECT_THROW(functions.bound({}, 1, arithmetic_of<Real>()), std::invalid_argument);
      EXPECT_THROW(PartialSoftmax<Real>().weight(0), std::invalid_argument);
      for (const Real temperature : {Real(0), Real(-1), inf<Real>, nan_of<Real>}) {
        EXPECT_THROW(functions.softmax({Real(0)}, temperature), std::domain_error);
        EXPECT_THROW(functions.log_softmax({Real(0)}, temperature), std::domain_error);
        EXPECT_THROW(functions.log_sum_exp({Real(0)}, temperature), std::domain_error);
      }
      EXPECT_THROW(functions.bound({nan_of<Real>}, 1, arithmetic_of<Real>()), std::domain_error);
    });
    EXPECT_THROW(summation_depth(Summation::pairwise, 0), std::domain_error);
  });
}

TEST(StableSoftmax, TakesEveryKindOfNumber) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    // Spans, rows and expressions give the same weights.
    const Values<double> x = {1, 2, 3};
    const Values<double> y = softmaxes.in_double.softmax(x, 2);
    EXPECT_EQ(values<double>(softmax(std::span(x), 2)), y);
    EXPECT_EQ(values<double>(softmax(column(x).transpose(), 2).transpose()), y);
    EXPECT_EQ(values<double>(softmax(2 * column(x), 4)), y);
    EXPECT_EQ(log_sum_exp(std::span(x)), softmaxes.in_double.log_sum_exp(x, 1));
    EXPECT_EQ(values<double>(log_softmax(std::span(x))), softmaxes.in_double.log_softmax(x, 1));
    // More digits than double.
    const Values<long double> longer(x.begin(), x.end());
    expect(accuracy_law<long double>(library_softmax<long double>, longer));
    // Derivatives: ±1/4 at two equal logits, where nothing is rounded.
    const auto moving = boost::math::differentiation::make_fvar<double, 1>(0.0);
    Column<std::decay_t<decltype(moving)>> pair(2);
    pair << moving, 0.0;
    EXPECT_EQ(softmax(pair)[0].derivative(1), 0.25);
    EXPECT_EQ(softmax(pair)[1].derivative(1), -0.25);
    EXPECT_EQ(online_softmax(pair)[1].derivative(1), -0.25);
    EXPECT_EQ(log_sum_exp(pair).derivative(1), 0.5);
    EXPECT_EQ(log_softmax(pair)[1].derivative(1), -0.5);
    // Complex numbers, as the formula is written.
    Column<std::complex<double>> turned(2);
    turned << std::complex<double>(0, 0x1p-200), 0.0;
    EXPECT_EQ(naive_softmax(turned)[0].imag(), 0x1p-202);
  });
}

// ------------------------------------------------------------------------------- ExponentialGrowth

const Mutants exponential_growth_mutants = {
    {"the constant term is dropped",
     "GrowsAsPrinted",
     {.exp_enclosure =
          [](const Rational& x) {
            const Interval<Rational> e = exp_enclosure(x);
            return Interval<Rational>{e.lower - 1, e.upper - 1};
          }}},
    {"the square of e to half the power is rounded",
     "GrowsAsPrinted",
     {.exp_enclosure =
          [](const Rational& x) {
            const Interval<Rational> e = exp_enclosure(x / 2);
            const Rational root(numerator(e.lower) / denominator(e.lower));
            return Interval<Rational>{root * root, root * root};
          }}},
    {"the exponential is computed in double precision",
     "TheFiftiethPowerIsMisprinted",
     {.exp_enclosure =
          [](const Rational& x) {
            const Rational e(std::floor(std::exp(x.convert_to<double>())));
            return Interval<Rational>{e, e};
          }}},
    {"the remainder is dropped",
     "EnclosesTheExponential",
     {.exp_enclosure =
          [](const Rational& x) {
            const Interval<Rational> e = exp_enclosure(x);
            return Interval<Rational>{e.lower, e.lower};
          }}},
    {"e is raised by the part 10^-30",
     "EnclosesTheExponential",
     {.exp_enclosure =
          [](const Rational& x) {
            const Rational part(1, Integer("1000000000000000000000000000000"));
            return exp_enclosure(x * (1 + part));
          }}},
    {"the series ends after 24 terms",
     "EnclosesTheExponential",
     {.exp_enclosure =
          [](const Rational& x) {
            Rational sum = 0;
            Rational term = 1;
            for (unsigned k = 0; k < 24; ++k) {
              sum += term;
              term *= x / (k + 1);
            }
            return Interval<Rational>{sum, sum * (1 + 1 / Rational(Integer(1) << 201))};
          }}},
    {"negative powers are not inverted",
     "EnclosesTheExponential",
     {.exp_enclosure = [](const Rational& x) { return exp_enclosure(abs(x)); }}},
    {"the upper end is raised by a millionth",
     "EnclosesTheExponential",
     {.exp_enclosure =
          [](const Rational& x) {
            const Interval<Rational> e = exp_enclosure(x);
            return Interval<Rational>{e.lower, e.upper * (1 + Rational(1, 1000000))};
          }}},
};

/// e^−x for 0 ≤ x ≤ 1, between two sums Σ(−x)ᵏ/k! that follow each other.
Interval<Rational> alternating_series(const Rational& x) {
  Rational sum = 0;
  Rational term = 1;
  for (unsigned k = 0; k < 61; ++k) {
    sum += term;
    term *= -x / (k + 1);
  }
  return {sum + term, sum};
}

//! [ExponentialGrowth]
TEST(ExponentialGrowth, GrowsAsPrinted) {
  judge(exponential_growth_mutants, [](const Softmaxes& softmaxes) {
    for (const auto& [power, printed] :
         {std::pair("1", "2.718"), std::pair("5", "148.4"), std::pair("5", "148"),
          std::pair("10", "22,026"), std::pair("20", "485,165,195"), std::pair("0.5", "1.649"),
          std::pair("14", "1,202,604"), std::pair("12", "162,755"), std::pair("1.75", "5.755"),
          std::pair("1.25", "3.490"), std::pair("1.5", "4.482")}) {
      const Interval<Rational> exact = softmaxes.exp_enclosure(decimal(power));
      expect_printed("S2", printed, exact.lower);
      expect_within(printed, exact);
    }
    enumerated(11);
  });
}
//! [ExponentialGrowth]

//! [ExponentialGrowth: exact check]
TEST(ExponentialGrowth, TheFiftiethPowerIsMisprinted) {
  judge(exponential_growth_mutants, [](const Softmaxes& softmaxes) {
    const Interval<Rational> exact = softmaxes.exp_enclosure(50);
    const std::string right = "5,184,705,528,587,072,464,087";
    const std::string text = "5,184,705,528,587,072,045";
    const PrintedNumber as_printed = parse_printed(text);
    expect_refuted("S2", text, as_printed.low <= exact.upper && exact.lower <= as_printed.high,
                   right + " (it is printed three times)");
    expect_within(right, exact);
    // A thousand times too small, and no power of ten makes it right: the digits differ.
    const Rational printed = decimal(text);
    EXPECT_TRUE(exact.lower / printed > 999 && exact.upper / printed < 1001);
    EXPECT_FALSE(exact.lower - printed * 1000 < 500 && printed * 1000 - exact.lower < 500);
    const Rational least = decimal("1,000,000,000,000,000,000,000");
    expect_confirmed("S2", "astronomically large",
                     exact.lower - softmaxes.exp_enclosure(10).upper > least);
    publish("value", static_cast<Wide>(exact.lower).str(24));
    publish("in_double", format_significant(std::exp(50.0) / 1e21, 16));
    enumerated(1);
  });
}
//! [ExponentialGrowth: exact check]

TEST(ExponentialGrowth, EnclosesTheExponential) {
  judge(exponential_growth_mutants, [](const Softmaxes& softmaxes) {
    const Rational narrow = 1 / Rational(Integer(1) << 200);
    // Which exponential it is: 1/e and e^(−1/8) lie between the sums of an alternating series.
    for (const Rational& x : {Rational(1), Rational(1, 8)}) {
      const Interval<Rational> inverse = alternating_series(x);
      EXPECT_TRUE(inverse.upper - inverse.lower < narrow);
      const Interval<Rational> below = softmaxes.exp_enclosure(-x);
      const Interval<Rational> above = softmaxes.exp_enclosure(x);
      EXPECT_TRUE(below.lower <= inverse.upper && inverse.lower <= below.upper);
      EXPECT_TRUE(above.lower * inverse.lower <= 1 && 1 <= above.upper * inverse.upper);
    }
    for_all(
        [&] {
          const Rational x(*rc::gen::inRange(-300, 301).as("8 x"), 8);
          const Rational y(*rc::gen::inRange(-300, 301).as("8 y"), 8);
          const Interval<Rational> ex = softmaxes.exp_enclosure(x);
          const Interval<Rational> ey = softmaxes.exp_enclosure(y);
          const Interval<Rational> both = softmaxes.exp_enclosure(x + y);
          RC_ASSERT(ex.lower > 0 && ex.upper - ex.lower < narrow * ex.lower);
          // e^x is irrational unless x is 0, and at least 1 + x.
          RC_ASSERT((ex.lower < ex.upper) == (x != 0));
          RC_ASSERT(ex.lower >= 1 + x && (x >= 1 || ex.upper <= 1 / (1 - x) * (1 + narrow)));
          // e^x e^y and e^(x + y) are one number.
          RC_ASSERT(ex.lower * ey.lower <= both.upper && both.lower <= ex.upper * ey.upper);
        },
        50);
  });
}

// --------------------------------------------------------------------------- SoftmaxWorkedExamples

template <class Function>
Values<Wide> wide_after(const Values<Wide>& x, Function function) {
  Values<Wide> changed = x;
  for (Wide& logit : changed) logit = function(logit);
  return library_softmax<Wide>(changed, 1);
}

/// The five scores of S3, before they are divided by 8.
const Vector raw_scores = decimals({"9.2", "-3.1", "8.8", "-5.4", "1.2"});

const Mutants softmax_worked_examples_mutants = {
    {"powers of 2 instead of e", "TheLibraryRoundsToTheSameNumbers",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(logit * log(Wide(2))); });
     })},
    {"the last logit is left out", "TheLibraryRoundsToTheSameNumbers",
     with_wide([](const Values<Wide>& x, Wide) {
       Values<Wide> y = library_softmax<Wide>(x, 1);
       y.back() = 0;
       return y;
     })},
    {"the logits are divided by their number", "TheLibraryRoundsToTheSameNumbers",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [&](const Wide& logit) { return Wide(logit / x.size()); });
     })},
    {"logits are cut off at 8", "TheLibraryRoundsToTheSameNumbers",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return std::min(logit, Wide(8)); });
     })},
    {"the root is 7", "TheLibraryRoundsToTheSameNumbers",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(logit * 8 / 7); });
     })},
    {"the scores are scaled twice", "TheLibraryRoundsToTheSameNumbers",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(logit / 8); });
     })},
    {"negative logits are made positive", "TheLibraryRoundsToTheSameNumbers",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(3 * abs(logit)); });
     })},
    {"powers of 3 instead of e", "OneLargerLogitTakesMost",
     with_enclosures([](const Rational& logit, const Vector&) -> Rational {
       return logit * Rational(11, 10);
     })},
    {"the scores are divided by their number", "UnscaledScoresOfTheSecondDocument",
     with_enclosures([](const Rational& logit, const Vector& x) -> Rational {
       return logit / Rational(x.size());
     })},
    {"scores are cut off at 8", "UnscaledScoresOfTheSecondDocument",
     with_enclosures(
         [](const Rational& logit, const Vector&) { return std::min(logit, Rational(8)); })},
    {"the root of 64 is 7", "ScaledScoresOfTheSecondDocument",
     with_enclosures(
         [](const Rational& logit, const Vector&) -> Rational { return logit * 8 / 7; })},
    {"the scores are divided by 64", "ScaledScoresOfTheSecondDocument",
     with_enclosures([](const Rational& logit, const Vector&) -> Rational { return logit / 8; })},
    {"negative scores are made positive", "FivePositionsOfTheThirdDocument",
     with_enclosures(
         [](const Rational& logit, const Vector&) -> Rational { return 3 * abs(logit); })},
    {"the scores are divided by 8", "FivePositionsOfTheThirdDocument",
     with_enclosures([](const Rational& logit, const Vector&) -> Rational { return logit / 8; })},
    {"exponentials are rounded before they are added",
     "TheAddendsAreRoundedAndTheSumIsNot",
     {.exp_enclosure =
          [](const Rational& x) {
            const Rational tenths = exp_enclosure(x).lower * 10 + Rational(1, 2);
            const Rational rounded(numerator(tenths) / denominator(tenths));
            return Interval<Rational>{rounded / 10, rounded / 10};
          }}},
    {"the greatest sum goes with the greatest numerator",
     "OneLargerLogitTakesMost",
     {.softmax_enclosure =
          [](const Vector& x) {
            std::vector<Interval<Rational>> p = softmax_enclosure(x);
            for (Interval<Rational>& weight : p) weight = {weight.upper, weight.lower};
            return p;
          }}},
    {"no scores have no weights",
     "RefusesNoScores",
     {.softmax_enclosure =
          [](const Vector& x) {
            return x.empty() ? std::vector<Interval<Rational>>() : softmax_enclosure(x);
          }}},
    {"a term of the sum is dropped",
     "SumsOfExponentials",
     {.exp_enclosure =
          [](const Rational& x) {
            return x == Rational(1, 2) || x == 10 || x == Rational(5, 4) ? Interval<Rational>{0, 0}
                                                                         : exp_enclosure(x);
          }}},
};

//! [SoftmaxWorkedExamples]
TEST(SoftmaxWorkedExamples, OneLargerLogitTakesMost) {
  judge(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    expect_weights(softmaxes, "S1", {1, 1, 1, 5}, {"0.0174", "0.0174", "0.0174", "0.9479"});
  });
}
//! [SoftmaxWorkedExamples]

TEST(SoftmaxWorkedExamples, UnscaledScoresOfTheSecondDocument) {
  judge(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    expect_weights(softmaxes, "S2", {50, 10, 5}, {"1.0", "0.0", "0.0"});
    const Rational billionth(1, 1000000000);
    expect_confirmed("S2", "completely dominates",
                     1 - softmaxes.softmax_enclosure({50, 10, 5})[0].lower < billionth);
    expect_weights(softmaxes, "S2", decimals({"5", "1", "0.5"}), {"0.971", "0.018", "0.011"});
    expect_weights(softmaxes, "S2", {14, 10, 12}, {"0.867", "0.016", "0.117"});
  });
}

TEST(SoftmaxWorkedExamples, ScaledScoresOfTheSecondDocument) {
  judge(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    const Vector scaled = decimals({"1.75", "1.25", "1.5"});
    EXPECT_EQ(scaled, (Vector{Rational(14) / 8, Rational(10) / 8, Rational(12) / 8}));
    expect_weights(softmaxes, "S2", scaled, {"0.419", "0.254", "0.326"});
  });
}

TEST(SoftmaxWorkedExamples, FivePositionsOfTheThirdDocument) {
  judge(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    expect_weights(softmaxes, "S3", raw_scores, {"0.599", "0.000", "0.401", "0.000", "0.000"});
    const std::vector<Interval<Rational>> exact = softmaxes.softmax_enclosure(raw_scores);
    expect_confirmed("S3", "concentrated on just 2 positions",
                     exact[0].lower + exact[2].lower > Rational(999, 1000));
  });
}

TEST(SoftmaxWorkedExamples, TheLibraryRoundsToTheSameNumbers) {
  judge(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    expect_computed(softmaxes, {1, 1, 1, 5}, {"0.0174", "0.0174", "0.0174", "0.9479"});
    expect_computed(softmaxes, {50, 10, 5}, {"1.0", "0.0", "0.0"});
    expect_computed(softmaxes, decimals({"5", "1", "0.5"}), {"0.971", "0.018", "0.011"});
    expect_computed(softmaxes, {14, 10, 12}, {"0.867", "0.016", "0.117"});
    expect_computed(softmaxes, decimals({"1.75", "1.25", "1.5"}), {"0.419", "0.254", "0.326"});
    expect_computed(softmaxes, raw_scores, {"0.599", "0.000", "0.401", "0.000", "0.000"});
  });
}

TEST(SoftmaxWorkedExamples, RefusesNoScores) {
  judge(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    EXPECT_THROW(softmaxes.softmax_enclosure({}), std::invalid_argument);
  });
}

TEST(SoftmaxWorkedExamples, SumsOfExponentials) {
  judge(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    for (const auto& [logits, printed] : std::vector<std::pair<Vector, std::string>>{
             {decimals({"5", "1", "0.5"}), "152.780"},
             {{14, 10, 12}, "1,387,386"},
             {decimals({"1.75", "1.25", "1.5"}), "13.727"}}) {
      Interval<Rational> sum{0, 0};
      for (const Rational& logit : logits) {
        const Interval<Rational> e = softmaxes.exp_enclosure(logit);
        sum = {sum.lower + e.lower, sum.upper + e.upper};
      }
      expect_printed("S2", printed, sum.lower);
      expect_within(printed, sum);
    }
    enumerated(3);
  });
}

TEST(SoftmaxWorkedExamples, TheAddendsAreRoundedAndTheSumIsNot) {
  judge(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    struct Sum {
      std::string name;
      Vector logits;
      std::vector<std::string> addends;
      std::string printed;
    };
    for (const Sum& sum :
         {Sum{"small", decimals({"5", "1", "0.5"}), {"148.4", "2.718", "1.649"}, "152.780"},
          Sum{"large", {14, 10, 12}, {"1,202,604", "22,026", "162,755"}, "1,387,386"}}) {
      // As printed the terms add up to another number, although each is rightly rounded,
      Rational of_printed = 0;
      Interval<Rational> exact{0, 0};
      for (std::size_t j = 0; j < 3; ++j) {
        const Interval<Rational> e = softmaxes.exp_enclosure(sum.logits[j]);
        expect_within(sum.addends[j], e);
        exact = {exact.lower + e.lower, exact.upper + e.upper};
        of_printed += decimal(sum.addends[j]);
      }
      EXPECT_NE(of_printed, decimal(sum.printed));
      // and the printed sum is that of the terms before they were rounded.
      expect_within(sum.printed, exact);
      std::string text = format_fixed(static_cast<double>(of_printed), sum.name == "small" ? 3 : 0);
      if (sum.name == "large") text.insert(4, ",").insert(1, ",");
      publish(sum.name, text);
    }
    enumerated(2);
  });
}

// ----------------------------------------------------------------------------------- PeakedExample

const Vector peaked_scores = decimals({"8.5", "-2.1", "7.9"});

const Mutants peaked_example_mutants = {
    {"the scores are not exponentiated", "TheLibraryGivesTheseWeights",
     with_wide([](const Values<Wide>& x, Wide) {
       Wide sum = 0;
       Values<Wide> y = x;
       for (const Wide& logit : x) sum += logit;
       for (Wide& weight : y) weight /= sum;
       return y;
     })},
    {"the scores are multiplied by 8", "TheLibraryGivesTheseWeights",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(8 * logit); });
     })},
    {"the scores are divided by 8", "AloneTheThreeGiveOtherWeights",
     with_enclosures([](const Rational& logit, const Vector&) -> Rational { return logit / 8; })},
    {"a gap of 0.6 is one of 6", "NoOtherScoresMakeThePrintedWeights",
     with_enclosures([](const Rational& logit, const Vector&) -> Rational { return 10 * logit; })},
    {"another position adds to the first", "NoOtherScoresMakeThePrintedWeights",
     with_normalized([](const Vector& w) {
       Vector p = library_normalized(w);
       for (std::size_t j = 3; j < w.size(); ++j) p[0] += p[j];
       return p;
     })},
    {"the third is left out of the sum", "NoOtherScoresMakeThePrintedWeights",
     with_normalized([](const Vector& w) {
       Vector p = library_normalized(w);
       p[0] /= 1 - p[2];
       return p;
     })},
    {"a gap of 0.6 is a ratio of 99",
     "TheRatioOfTwoWeightsIsThatOfTheirExponentials",
     {.weight_ratio =
          [](const Rational&, const Rational&) {
            return Interval<Rational>{98, 99};
          }}},
    {"the ratio is that of the scores",
     "TheRatioOfTwoWeightsIsThatOfTheirExponentials",
     {.weight_ratio =
          [](const Rational& a, const Rational& b) {
            return Interval<Rational>{a / b, a / b};
          }}},
    {"the ratio is inverted",
     "TheRatioOfTwoWeightsIsThatOfTheirExponentials",
     {.weight_ratio = [](const Rational& a, const Rational& b) { return weight_ratio(b, a); }}},
};

//! [PeakedExample]
TEST(PeakedExample, TheRatioOfTwoWeightsIsThatOfTheirExponentials) {
  judge(peaked_example_mutants, [](const Softmaxes& softmaxes) {
    const Interval<Rational> ratio = softmaxes.weight_ratio(peaked_scores[0], peaked_scores[2]);
    // Weights that round to 0.99 and to 0.01 have a ratio of 65 at least.
    const Rational least = parse_printed("0.99").low / parse_printed("0.01").high;
    EXPECT_GT(least, 65);
    EXPECT_LT(ratio.upper, least);
    expect_within("1.822", ratio);
    publish("gap_of_99", format_significant(std::log(99.0), 2));
    publish("ratio", static_cast<Wide>(ratio.lower).str(5));
    publish("least", static_cast<Wide>(least).str(4));
    enumerated(1);
  });
}
//! [PeakedExample]

TEST(PeakedExample, NoOtherScoresMakeThePrintedWeights) {
  judge(peaked_example_mutants, [](const Softmaxes& softmaxes) {
    Vector three;
    for (const Rational& score : peaked_scores) three.push_back(exp_enclosure(score).lower);
    const Rational alone = three[0] / total(three);
    for_all([&] {
      const Vector dots = *rc::gen::container<Vector>(positive_rational()).as("the dots, as e^x");
      Vector w = three;
      w.insert(w.end(), dots.begin(), dots.end());
      const Vector p = softmaxes.normalized(w);
      RC_ASSERT(p[0] <= alone);
      RC_ASSERT(p[0] < parse_printed("0.99").low);
      RC_ASSERT(p[0] * three[2] == p[2] * three[0]);
    });
    // The arrow under these words points to the first position.
    const Interval<Rational> most = softmaxes.softmax_enclosure(peaked_scores)[0];
    expect_refuted("S3", "Almost all attention on one position!", most.upper >= Rational(9, 10),
                   rounded_up(static_cast<double>(100 * most.upper), 1) +
                       " % at most on the one that the arrow shows, whatever the dots are");
  });
}

TEST(PeakedExample, AloneTheThreeGiveOtherWeights) {
  judge(peaked_example_mutants, [](const Softmaxes& softmaxes) {
    const std::vector<Interval<Rational>> exact = softmaxes.softmax_enclosure(peaked_scores);
    expect_misprinted("S3", "0.99", exact[0].lower, "0.6456");
    expect_printed("S3", "0.00", exact[1].lower);
    expect_misprinted("S3", "0.01", exact[2].lower, "0.3543");
    expect_within("0.6456", exact[0]);
    expect_within("0.0000161", exact[1]);
    expect_within("0.3543", exact[2]);
    publish("first", format_fixed(static_cast<double>(exact[0].lower), 4));
    publish("second", format_fixed(static_cast<double>(exact[1].lower), 7));
    publish("third", format_fixed(static_cast<double>(exact[2].lower), 4));
    publish("at_most", rounded_up(static_cast<double>(exact[0].upper), 3));
    enumerated(3);
  });
}

TEST(PeakedExample, TheLibraryGivesTheseWeights) {
  judge(peaked_example_mutants, [](const Softmaxes& softmaxes) {
    expect_computed(softmaxes, peaked_scores, {"0.6456", "0.0000161", "0.3543"});
  });
}

// ----------------------------------------------------------------------------------- SpreadExample

const Vector spread_scores = decimals({"1.15", "-0.39", "1.10", "-0.68", "0.15"});
const std::vector<std::string> spread_weights = {"0.31", "0.07", "0.30", "0.05", "0.12"};

const Mutants spread_example_mutants = {
    {"a sixth position takes the rest", "TheLibraryGivesTheseWeights",
     with_wide([](const Values<Wide>& x, Wide) {
       Values<Wide> y = library_softmax<Wide>(x, 1);
       for (Wide& weight : y) weight *= Wide(0.85);
       return y;
     })},
    {"the scores are not scaled", "TheLibraryGivesTheseWeights",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(8 * logit); });
     })},
    {"the scores are not divided by 8", "TheRightWeights",
     with_enclosures([](const Rational& logit, const Vector&) -> Rational { return 8 * logit; })},
    {"the sum is 10.05",
     "TheRightWeights",
     {.softmax_enclosure =
          [](const Vector& x) {
            std::vector<Interval<Rational>> p;
            for (const Rational& logit : x) {
              const Interval<Rational> e = exp_enclosure(logit);
              p.push_back({e.lower * 20 / 201, e.upper * 20 / 201});
            }
            return p;
          }}},
    {"the first weight decides alone",
     "OneSumFitsAllPrintedWeights",
     {.sums_that_fit =
          [](const Vector& x, const std::vector<Interval<Rational>>& p) {
            return x.empty() ? sums_that_fit(x, p) : sums_that_fit({x[0]}, {p[0]});
          }}},
    {"a sum has to fit one weight only",
     "OneSumFitsAllPrintedWeights",
     {.sums_that_fit =
          [](const Vector& x, const std::vector<Interval<Rational>>& p) {
            Interval<Rational> all = sums_that_fit(x, p);
            for (std::size_t i = 0; i < x.size(); ++i) {
              const Interval<Rational> one = sums_that_fit({x[i]}, {p[i]});
              all = {std::min(all.lower, one.lower), std::max(all.upper, one.upper)};
            }
            return all;
          }}},
    {"a rounding takes nothing",
     "OneSumFitsAllPrintedWeights",
     {.sums_that_fit =
          [](const Vector& x, const std::vector<Interval<Rational>>& p) {
            std::vector<Interval<Rational>> middles = p;
            for (Interval<Rational>& one : middles)
              one.lower = one.upper = (one.lower + one.upper) / 2;
            return sums_that_fit(x, middles);
          }}},
    {"an interval may begin at 0",
     "RefusesWhatIsNoRounding",
     {.sums_that_fit =
          [](const Vector& x, const std::vector<Interval<Rational>>& p) {
            return p.size() == 1 && p[0].lower <= 0 ? Interval<Rational>{0, 1}
                                                    : sums_that_fit(x, p);
          }}},
    {"weights may sum to 0.85", "NoProbabilitiesArePrintedLikeThis",
     with_normalized([](const Vector& w) {
       Vector p = library_normalized(w);
       for (Rational& x : p) x *= Rational(85, 100);
       return p;
     })},
    {"each rounding takes the whole unit",
     "NoProbabilitiesArePrintedLikeThis",
     {.least_sum_of_rounded =
          [](std::size_t n, const Rational& unit) { return least_sum_of_rounded(n, 2 * unit); }}},
    {"one rounding is left out",
     "NoProbabilitiesArePrintedLikeThis",
     {.least_sum_of_rounded =
          [](std::size_t n, const Rational& unit) { return least_sum_of_rounded(n - 1, unit); }}},
    {"no probabilities are accepted",
     "RefusesWhatIsNoRounding",
     {.least_sum_of_rounded =
          [](std::size_t n, const Rational& unit) {
            return n == 0 ? Rational(1) : least_sum_of_rounded(n, unit);
          }}},
    {"a unit of 0 is accepted",
     "RefusesWhatIsNoRounding",
     {.least_sum_of_rounded =
          [](std::size_t n, const Rational& unit) {
            return unit == 0 ? Rational(1) : least_sum_of_rounded(n, unit);
          }}},
    {"the scores are divided by 7",
     "TheScoresAreRounded",
     {.softmax_enclosure =
          [](const Vector& x) {
            Vector scaled = x;
            for (Rational& logit : scaled) logit *= Rational(8, 7);
            return softmax_enclosure(scaled);
          }}},
};

//! [SpreadExample: exact check]
TEST(SpreadExample, NoProbabilitiesArePrintedLikeThis) {
  judge(spread_example_mutants, [](const Softmaxes& softmaxes) {
    const Rational printed = total(decimals(spread_weights));
    EXPECT_EQ(printed, Rational(85, 100));
    const auto to_two_decimals = [](const Rational& p) {
      const Rational hundredths = p * 100 + Rational(1, 2);
      return Rational(Integer(numerator(hundredths) / denominator(hundredths))) / 100;
    };
    for_all([&] {
      const Vector w = *rc::gen::container<Vector>(5, positive_rational()).as("the weights e^x");
      Rational sum = 0;
      for (const Rational& p : softmaxes.normalized(w)) sum += to_two_decimals(p);
      RC_ASSERT(sum >= softmaxes.least_sum_of_rounded(5, Rational(1, 100)));
    });
    const Rational least = softmaxes.least_sum_of_rounded(5, Rational(1, 100));
    EXPECT_EQ(least, Rational(975, 1000));
    EXPECT_LT(printed, least);
    publish("printed", format_shortest(static_cast<double>(printed)));
    publish("least", format_shortest(static_cast<double>(least)));
  });
}
//! [SpreadExample: exact check]

/// What the printed weights of S3 were before they were rounded, each between two numbers.
std::vector<Interval<Rational>> before_rounding() {
  std::vector<Interval<Rational>> intervals;
  for (const std::string& weight : spread_weights) {
    const PrintedNumber number = parse_printed(weight);
    intervals.push_back({number.low, number.high});
  }
  return intervals;
}

/// The sum of exponentials.
Interval<Rational> sum_of_exponentials(const Vector& logits) {
  Interval<Rational> sum{0, 0};
  for (const Rational& logit : logits) {
    const Interval<Rational> e = exp_enclosure(logit);
    sum = {sum.lower + e.lower, sum.upper + e.upper};
  }
  return sum;
}

//! [SpreadExample]
TEST(SpreadExample, TheRightWeights) {
  judge(spread_example_mutants, [](const Softmaxes& softmaxes) {
    const std::vector<Interval<Rational>> exact = softmaxes.softmax_enclosure(spread_scores);
    const std::vector<Interval<Rational>> printed = before_rounding();
    const std::vector<std::string> right = {"0.371", "0.080", "0.353", "0.060", "0.137"};
    bool one_is_right = false;
    std::string all_right;
    for (std::size_t j = 0; j < 5; ++j) {
      expect_within(right[j], exact[j]);
      one_is_right |= printed[j].lower <= exact[j].upper && exact[j].lower <= printed[j].upper;
      all_right += (j == 0 ? "" : ", ") + right[j];
    }
    const Interval<Rational> fit = softmaxes.sums_that_fit(spread_scores, printed);
    expect_refuted(
        "S3", "[0.31, 0.07, 0.30, 0.05, 0.12]", one_is_right,
        all_right + "; the printed ones are these up to one common factor, as of a sum from " +
            rounded_up(static_cast<double>(fit.lower), 2) + " to " +
            rounded_down(static_cast<double>(fit.upper), 2) + " in place of " +
            format_fixed(static_cast<double>(sum_of_exponentials(spread_scores).lower), 2));
    publish("weights", all_right);
    enumerated(5);
  });
}
//! [SpreadExample]

TEST(SpreadExample, OneSumFitsAllPrintedWeights) {
  judge(spread_example_mutants, [](const Softmaxes& softmaxes) {
    const std::vector<Interval<Rational>> printed = before_rounding();
    const auto fits = [&](const Rational& sum) {
      bool all = true;
      for (std::size_t j = 0; j < 5; ++j) {
        const Interval<Rational> e = exp_enclosure(spread_scores[j]);
        all &= printed[j].lower * sum <= e.lower && e.upper <= printed[j].upper * sum;
      }
      return all;
    };
    const Interval<Rational> fit = softmaxes.sums_that_fit(spread_scores, printed);
    const Rational little(1, 1000000);
    EXPECT_TRUE(fit.lower < fit.upper && fits(fit.lower) && fits(fit.upper));
    EXPECT_FALSE(fits(fit.lower - little) || fits(fit.upper + little));
    // The right sum is not among them.
    const Interval<Rational> sum = sum_of_exponentials(spread_scores);
    EXPECT_FALSE(fits(sum.lower) || fits(sum.upper));
    publish("least", rounded_up(static_cast<double>(fit.lower), 2));
    publish("most", rounded_down(static_cast<double>(fit.upper), 2));
    publish("right", format_fixed(static_cast<double>(sum.lower), 2));
    // It would be with a sixth score between these two, and its weight missing from the list.
    const std::string least =
        rounded_up(std::log(static_cast<double>(Rational(fit.lower - sum.lower))), 2);
    const std::string most =
        rounded_down(std::log(static_cast<double>(Rational(fit.upper - sum.upper))), 2);
    for (const std::string& sixth : {least, most}) {
      const Interval<Rational> e = exp_enclosure(decimal(sixth));
      EXPECT_TRUE(fits(sum.lower + e.lower) && fits(sum.upper + e.upper)) << sixth;
    }
    publish("sixth_least", least);
    publish("sixth_most", most);
    enumerated(5);
  });
}

TEST(SpreadExample, TheLibraryGivesTheseWeights) {
  judge(spread_example_mutants, [](const Softmaxes& softmaxes) {
    expect_computed(softmaxes, spread_scores, {"0.371", "0.080", "0.353", "0.060", "0.137"});
  });
}

TEST(SpreadExample, RefusesWhatIsNoRounding) {
  judge(spread_example_mutants, [](const Softmaxes& softmaxes) {
    EXPECT_THROW(softmaxes.least_sum_of_rounded(0, 1), std::domain_error);
    EXPECT_THROW(softmaxes.least_sum_of_rounded(5, 0), std::domain_error);
    EXPECT_THROW(softmaxes.least_sum_of_rounded(5, -1), std::domain_error);
    EXPECT_THROW(softmaxes.sums_that_fit({}, {}), std::invalid_argument);
    EXPECT_THROW(softmaxes.sums_that_fit({1, 2}, {{1, 2}}), std::invalid_argument);
    EXPECT_THROW(softmaxes.sums_that_fit({1}, {{0, 1}}), std::domain_error);
  });
}

TEST(SpreadExample, TheScoresAreRounded) {
  judge(spread_example_mutants, [](const Softmaxes& softmaxes) {
    const std::vector<std::string> printed = {"1.15", "-0.39", "1.10", "-0.68", "0.15"};
    Vector scaled;
    for (std::size_t j = 0; j < 5; ++j) {
      scaled.push_back(raw_scores[j] / 8);
      expect_printed("S3", printed[j], scaled[j]);
    }
    // The scores before rounding have the same weights to two decimals.
    const std::vector<Interval<Rational>> exact = softmaxes.softmax_enclosure(scaled);
    const std::vector<std::string> right = {"0.37", "0.08", "0.35", "0.06", "0.14"};
    for (std::size_t j = 0; j < 5; ++j) expect_within(right[j], exact[j]);
    enumerated(5);
  });
}

// -------------------------------------------------------------------------------- SoftmaxDominance

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
  judge(softmax_dominance_mutants, [](const Softmaxes& softmaxes) {
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
      RC_ASSERT(rest <= bound);
      RC_ASSERT(rest == bound || !all_equal);
    });
  });
}
//! [SoftmaxDominance]

TEST(SoftmaxDominance, TheWeightsTendToOneHot) {
  judge(softmax_dominance_mutants, [](const Softmaxes& softmaxes) {
    for_all([&] {
      const std::size_t n = *rc::gen::inRange<std::size_t>(1, 1000000).as("n");
      const Rational ratio = *positive_rational().as("the ratio e^gap");
      const Rational more = *positive_rational().as("how much greater");
      const Rational bound = softmaxes.max_remaining_mass(n, ratio);
      RC_ASSERT(bound <= Rational(n - 1) / ratio);
      RC_ASSERT(softmaxes.max_remaining_mass(n, ratio + more) < bound || n == 1);
      // Below any positive number once the ratio is large enough.
      RC_ASSERT(softmaxes.max_remaining_mass(n, Rational(n) * 1000000000) <
                Rational(1, 1000000000));
    });
  });
}

TEST(SoftmaxDominance, LargeScoresWithoutAGapAreUniform) {
  judge(softmax_dominance_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      EXPECT_EQ(functions.softmax(Values<Real>(3, 50), 1), Values<Real>(3, 1 / Real(3)));
    });
    enumerated(2);
    counterexample_without("gap");
    left_out_by("S2", "gap");
  });
}

TEST(SoftmaxDominance, RefusesWhatIsNoRatio) {
  judge(softmax_dominance_mutants, [](const Softmaxes& softmaxes) {
    EXPECT_THROW(softmaxes.max_remaining_mass(0, 1), std::domain_error);
    EXPECT_THROW(softmaxes.max_remaining_mass(3, 0), std::domain_error);
    EXPECT_THROW(softmaxes.max_remaining_mass(3, -1), std::domain_error);
  });
}

// ---------------------------------------------------------------------- AlmostAllWeightNeedsAGap

const Mutants almost_all_weight_needs_a_gap_mutants = {
    {"the others are one more",
     "ExactlyThisRatioGivesTheShare",
     {.required_ratio = [](std::size_t n, const Rational& e) { return required_ratio(n + 1, e); }}},
    {"the share of the rest is not taken off",
     "ExactlyThisRatioGivesTheShare",
     {.required_ratio = [](std::size_t n, const Rational& e) -> Rational {
       return Rational(n - 1) / e;
     }}},
    {"inverted",
     "ExactlyThisRatioGivesTheShare",
     {.required_ratio = [](std::size_t n, const Rational& e) -> Rational {
       return 1 / required_ratio(n, e);
     }}},
    {"common logarithms",
     "NinetyNinePercentNeedsAGapOfMoreThanFive",
     {.min_logit_margin = [](std::size_t n, const Rational& e) -> Wide {
       return min_logit_margin<Wide>(n, e) / log(Wide(10));
     }}},
    {"the others are forgotten",
     "NinetyNinePercentNeedsAGapOfMoreThanFive",
     {.min_logit_margin = [](std::size_t,
                             const Rational& e) { return min_logit_margin<Wide>(2, e); }}},
    {"a tenth more takes almost all",
     "ASlightlyBiggerScoreTakesLittleMoreThanItsShare",
     {.softmax_enclosure =
          [](const Vector& x) {
            Vector bigger = x;
            if (x[0] < 1) bigger[0] = 6;
            return softmax_enclosure(bigger);
          }}},
    {"weights are the squares of their shares", "TwiceTheGapSquaresEachRatio",
     with_normalized([](const Vector& w) {
       Vector p = library_normalized(w);
       for (std::size_t j = 1; j < p.size(); ++j) p[j] *= p[j];
       return p;
     })},
    {"twice the gap leaves the same",
     "TwiceTheGapSquaresEachRatio",
     {.softmax_enclosure =
          [](const Vector& x) {
            Vector less = x;
            if (x[0] == 8) less[0] = 4;
            return softmax_enclosure(less);
          }}},
    {"the deviation is d",
     "APartOfADeviationIsEnoughInALargeHead",
     {.required_dimension =
          [](std::size_t n, const Rational& e, const Rational& part) {
            return static_cast<std::size_t>(ceil(Wide(min_logit_margin<Wide>(n, e) / Wide(part))));
          }}},
    {"the part is not squared",
     "APartOfADeviationIsEnoughInALargeHead",
     {.required_dimension =
          [](std::size_t n, const Rational& e, const Rational& part) {
            const Wide gap = min_logit_margin<Wide>(n, e);
            return static_cast<std::size_t>(ceil(Wide(gap * gap / Wide(part))));
          }}},
    {"the dimension is rounded down",
     "APartOfADeviationIsEnoughInALargeHead",
     {.required_dimension =
          [](std::size_t n, const Rational& e, const Rational& part) {
            const std::size_t d = required_dimension<Wide>(n, e, part);
            return d > 1 ? d - 1 : d;
          }}},
    {"no part of a deviation is accepted",
     "RefusesWhatIsNoShare",
     {.required_dimension =
          [](std::size_t n, const Rational& e, const Rational& part) {
            return part <= 0 ? std::size_t{1} : required_dimension<Wide>(n, e, part);
          }}},
    {"a share of all is accepted",
     "RefusesWhatIsNoShare",
     {.required_ratio =
          [](std::size_t n, const Rational& e) {
            return e <= 0 || e >= 1 ? Rational(1) : required_ratio(n, e);
          }}},
    {"a single score is accepted",
     "RefusesWhatIsNoShare",
     {.required_ratio =
          [](std::size_t n, const Rational& e) {
            return n < 2 ? Rational(0) : required_ratio(n, e);
          }}},
};

//! [AlmostAllWeightNeedsAGap]
TEST(AlmostAllWeightNeedsAGap, ExactlyThisRatioGivesTheShare) {
  judge(almost_all_weight_needs_a_gap_mutants, [](const Softmaxes& softmaxes) {
    for_all([&] {
      const std::size_t n = *rc::gen::inRange<std::size_t>(2, 10).as("n");
      const Rational x = *positive_rational().as("odds of the rest");
      const Rational share_of_rest = x / (1 + x);
      Vector w(n, 1);
      w[0] = softmaxes.required_ratio(n, share_of_rest);
      RC_ASSERT(softmaxes.normalized(w)[0] == 1 - share_of_rest);
    });
  });
}
//! [AlmostAllWeightNeedsAGap]

TEST(AlmostAllWeightNeedsAGap, NinetyNinePercentNeedsAGapOfMoreThanFive) {
  judge(almost_all_weight_needs_a_gap_mutants, [](const Softmaxes& softmaxes) {
    // The gap that four scores need for 99 %: ln 297, enclosed by e^x.
    const Rational gap = static_cast<Rational>(softmaxes.min_logit_margin(4, Rational(1, 100)));
    EXPECT_EQ(softmaxes.required_ratio(4, Rational(1, 100)), 297);
    // The logarithm errs by the part Λu, its argument by no more than one rounding.
    const SoftmaxArithmetic by = arithmetic_of<Wide>();
    const Rational error = Rational(by.unit_roundoff) * (1 + Rational(by.log_error) * gap);
    EXPECT_TRUE(exp_enclosure(gap - error).upper < 297 && 297 < exp_enclosure(gap + error).lower);
    evidence().weaken(Grade::bounded);
    publish("gap", static_cast<Wide>(gap).str(4));
    publish("gap_of_512", softmaxes.min_logit_margin(512, Rational(1, 100)).str(4));
  });
}

TEST(AlmostAllWeightNeedsAGap, ASlightlyBiggerScoreTakesLittleMoreThanItsShare) {
  judge(almost_all_weight_needs_a_gap_mutants, [](const Softmaxes& softmaxes) {
    // Four scores, one of them bigger by 0.1: the quarter becomes 26.9 %.
    const Interval<Rational> slight =
        softmaxes.softmax_enclosure(decimals({"0.1", "0", "0", "0"}))[0];
    expect_within("0.269", slight);
    EXPECT_LT(slight.upper, Rational(1, 2));
    // Half a deviation of 8 is 4; among 512 keys that is not enough either.
    Vector many(512, 0);
    many[0] = 4;
    const Interval<Rational> one_of_many = softmaxes.softmax_enclosure(many)[0];
    EXPECT_LT(one_of_many.upper, Rational(1, 10));
    counterexample_without("a gap");
    sharpens("S1", "a gap");
    publish("slight", static_cast<Wide>(100 * slight.lower).str(3));
    publish("of_512", static_cast<Wide>(100 * one_of_many.lower).str(2));
    enumerated(2);
  });
}

TEST(AlmostAllWeightNeedsAGap, APartOfADeviationIsEnoughInALargeHead) {
  judge(almost_all_weight_needs_a_gap_mutants, [](const Softmaxes& softmaxes) {
    // √d lies between two multiples of 2⁻⁶⁴.
    const auto root = [](std::size_t d) {
      const Rational unit(1, Integer(1) << 64);
      const Integer below = sqrt(Integer(d) << 128);
      return Interval<Rational>{below * unit, (below + 1) * unit};
    };
    for (const std::size_t n : {2U, 4U, 512U})
      for (const unsigned percent : {10U, 1U})
        for (const Rational& part : {Rational(1, 2), Rational(1, 8)}) {
          const Rational rest(percent, 100);
          const std::size_t d = softmaxes.required_dimension(n, rest, part);
          const Rational ratio = required_ratio(n, rest);
          ASSERT_GE(d, 2U);
          EXPECT_TRUE(exp_enclosure(part * root(d).lower).lower >= ratio)
              << n << " keys, d = " << d;
          EXPECT_TRUE(exp_enclosure(part * root(d - 1).upper).upper < ratio) << n << ", d = " << d;
          if (2 * part == 1)
            publish("of_" + std::to_string(n) + "_but_" + std::to_string(percent),
                    std::to_string(d));
        }
    // The example of the document: in a head of 64 its gap of 4 is half a deviation.
    EXPECT_LE(softmaxes.required_dimension(4, Rational(1, 10), Rational(1, 2)), 64U);
    EXPECT_EQ(softmaxes.required_dimension(4, Rational(9, 10), Rational(1, 2)), 1U);
    const Interval<Rational> example = softmaxes.softmax_enclosure({1, 1, 1, 5})[3];
    expect_confirmed("S1", "almost all of the weight", example.lower >= Rational(9, 10));
    publish("example", static_cast<Wide>(100 * example.lower).str(3));
    enumerated(12);
  });
}

TEST(AlmostAllWeightNeedsAGap, TwiceTheGapSquaresEachRatio) {
  judge(almost_all_weight_needs_a_gap_mutants, [](const Softmaxes& softmaxes) {
    for_all([&] {
      const std::size_t n = *rc::gen::inRange<std::size_t>(2, 10).as("n");
      const Rational ratio = 1 + *positive_rational().as("the ratio e^gap, less 1");
      Vector w(n, 1);
      w[0] = ratio;
      const Vector once = softmaxes.normalized(w);
      w[0] = ratio * ratio;
      const Vector twice = softmaxes.normalized(w);
      RC_ASSERT(twice[1] * once[0] * once[0] == once[1] * once[1] * twice[0]);
      // The odds of the rest are squared for two only; for more they shrink by less. Its share
      // is not squared for two either.
      const auto odds = [](const Vector& p) { return Rational((1 - p[0]) / p[0]); };
      RC_ASSERT((odds(twice) == odds(once) * odds(once)) == (n == 2));
      if (n == 2) RC_ASSERT(1 - twice[0] > (1 - once[0]) * (1 - once[0]));
    });
    const Interval<Rational> once = softmaxes.softmax_enclosure({4, 0, 0, 0})[0];
    const Interval<Rational> twice = softmaxes.softmax_enclosure({8, 0, 0, 0})[0];
    const Rational left = 1 - once.upper;
    EXPECT_TRUE(1 - twice.lower < left / 50 && 1 - twice.upper < left * left);
    publish("once", static_cast<Wide>(left).str(4));
    publish("twice", static_cast<Wide>(Rational(1 - twice.upper)).str(4));
    publish("square", static_cast<Wide>(Rational(left * left)).str(4));
  });
}

TEST(AlmostAllWeightNeedsAGap, RefusesWhatIsNoShare) {
  judge(almost_all_weight_needs_a_gap_mutants, [](const Softmaxes& softmaxes) {
    EXPECT_THROW(softmaxes.required_ratio(1, Rational(1, 2)), std::domain_error);
    EXPECT_THROW(softmaxes.required_ratio(4, 0), std::domain_error);
    EXPECT_THROW(softmaxes.required_ratio(4, 1), std::domain_error);
    EXPECT_THROW(softmaxes.required_ratio(4, 2), std::domain_error);
    EXPECT_THROW(softmaxes.required_dimension(4, Rational(1, 2), 0), std::domain_error);
    EXPECT_THROW(softmaxes.required_dimension(4, Rational(1, 2), -1), std::domain_error);
  });
}

}  // namespace
