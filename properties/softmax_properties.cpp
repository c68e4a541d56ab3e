// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <boost/math/differentiation/autodiff.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sqrtdk/softmax_error.hpp"
#include "sqrtdk/testing/floating_point.hpp"
#include "sqrtdk/testing/generators.hpp"
#include "sqrtdk/testing/mutants.hpp"
#include "sqrtdk/testing/printed.hpp"
#include "sqrtdk/testing/property.hpp"
#include "sqrtdk/testing/raised_bound.hpp"
#include "sqrtdk/testing/softmax_laws.hpp"

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

template <class Real>
using Values = std::vector<Real>;
template <class Real>
using Column = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using Cuts = std::vector<std::size_t>;
using Vector = std::vector<Rational>;

template <class Real>
const Real inf = std::numeric_limits<Real>::infinity();
template <class Real>
const Real nan_of = std::numeric_limits<Real>::quiet_NaN();

// ------------------------------------------------------------------------------------- The library

template <class Real>
Eigen::Map<const Column<Real>> column(const Values<Real>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

template <class Real>
Values<Real> values(const Column<Real>& x) {
  return {x.begin(), x.end()};
}

template <class Real>
Values<Real> library_softmax(const Values<Real>& x, Real temperature) {
  return values<Real>(sqrtdk::softmax(column(x), temperature));
}

template <class Real>
Values<Real> library_naive(const Values<Real>& x, Real) {
  return values<Real>(naive_softmax(column(x)));
}

template <class Real>
Values<Real> library_log_softmax(const Values<Real>& x, Real temperature) {
  return values<Real>(log_softmax(column(x), temperature));
}

template <class Real>
Real library_log_sum_exp(const Values<Real>& x, Real temperature) {
  return log_sum_exp(column(x), temperature);
}

template <class Real>
Values<Real> library_online(const Values<Real>& x, Real) {
  return values<Real>(online_softmax(column(x)));
}

/// Softmax by a state for each part, all merged; and how often a weight was rescaled at most.
template <class Real>
std::pair<Values<Real>, std::size_t> library_split(const Values<Real>& x, const Cuts& cuts) {
  PartialSoftmax<Real> whole;
  std::size_t begin = 0;
  Cuts ends = cuts;
  ends.push_back(x.size());
  for (const std::size_t end : ends) {
    PartialSoftmax<Real> part;
    for (; begin < end; ++begin) part.add(x[begin]);
    whole.merge(part);
  }
  Values<Real> weights;
  for (const Real logit : x) weights.push_back(whole.weight(logit));
  return {weights, whole.rescalings()};
}

template <class Real>
SoftmaxErrorBound library_bound(const Values<Real>& x, Real temperature,
                                const SoftmaxArithmetic& arithmetic) {
  return softmax_error_bound(column(x), temperature, arithmetic);
}

template <class Real>
double library_lse_bound(const Values<Real>& x, Real temperature,
                         const SoftmaxArithmetic& arithmetic) {
  return log_sum_exp_error_bound(column(x), temperature, arithmetic);
}

template <class Real>
Eigen::VectorXd library_log_bound(const Values<Real>& x, Real temperature,
                                  const SoftmaxArithmetic& arithmetic) {
  return log_softmax_error_bound(column(x), temperature, arithmetic);
}

/// What this chapter's laws judge for one type of numbers.
template <class Real>
struct Functions {
  Values<Real> (*softmax)(const Values<Real>&, Real) = library_softmax<Real>;
  Values<Real> (*naive)(const Values<Real>&, Real) = library_naive<Real>;
  Values<Real> (*log_softmax)(const Values<Real>&, Real) = library_log_softmax<Real>;
  Real (*log_sum_exp)(const Values<Real>&, Real) = library_log_sum_exp<Real>;
  Values<Real> (*online)(const Values<Real>&, Real) = library_online<Real>;
  std::pair<Values<Real>, std::size_t> (*split)(const Values<Real>&,
                                                const Cuts&) = library_split<Real>;
  SoftmaxErrorBound (*bound)(const Values<Real>&, Real,
                             const SoftmaxArithmetic&) = library_bound<Real>;
  double (*lse_bound)(const Values<Real>&, Real,
                      const SoftmaxArithmetic&) = library_lse_bound<Real>;
  Eigen::VectorXd (*log_bound)(const Values<Real>&, Real,
                               const SoftmaxArithmetic&) = library_log_bound<Real>;
  Real (*threshold)() = overflow_threshold<Real>;
};

Vector library_normalized(const Vector& weights) {
  return values<Rational>(normalized_weights(column(weights)));
}

/// What this chapter's laws judge.
struct Softmaxes {
  Functions<double> in_double = {};
  Functions<float> in_float = {};
  Vector (*normalized)(const Vector&) = library_normalized;
  Values<Wide> (*wide)(const Values<Wide>&, Wide) = library_softmax<Wide>;
  Values<Eigen::half> (*half)(const Values<Eigen::half>&) = [](const Values<Eigen::half>& x) {
    return values<Eigen::half>(sqrtdk::softmax(column(x)));
  };
  Enclosure (*exp_enclosure)(const Rational&) = sqrtdk::exp_enclosure;
  std::vector<Enclosure> (*softmax_enclosure)(const Vector&) = sqrtdk::softmax_enclosure;
  Enclosure (*weight_ratio)(const Rational&, const Rational&) = sqrtdk::weight_ratio;
  Rational (*least_sum_of_rounded)(std::size_t, const Rational&) = sqrtdk::least_sum_of_rounded;
  Rational (*largest_share_of_others)(std::size_t,
                                      const Rational&) = sqrtdk::largest_share_of_others;
  Rational (*required_ratio)(std::size_t, const Rational&) = sqrtdk::required_ratio;
  Wide (*required_gap)(std::size_t, const Rational&) = sqrtdk::required_gap<Wide>;
};

using Mutants = std::vector<Mutant<Softmaxes>>;

/// Wrong functions for both types of numbers, from one generic callable without state. They are
/// right for no logits at all, so that mutants need not care.
template <class Function>
Softmaxes with_softmax(Function) {
  constexpr auto wrong = [](const auto& x, auto temperature) {
    return x.empty() ? library_softmax(x, temperature) : Function{}(x, temperature);
  };
  return {.in_double = {.softmax = wrong}, .in_float = {.softmax = wrong}};
}
template <class Function>
Softmaxes with_naive(Function) {
  constexpr auto wrong = [](const auto& x, auto temperature) {
    return x.empty() ? library_naive(x, temperature) : Function{}(x, temperature);
  };
  return {.in_double = {.naive = wrong}, .in_float = {.naive = wrong}};
}
template <class Function>
Softmaxes with_online(Function) {
  constexpr auto wrong = [](const auto& x, auto temperature) {
    return x.empty() ? library_online(x, temperature) : Function{}(x, temperature);
  };
  return {.in_double = {.online = wrong}, .in_float = {.online = wrong}};
}
template <class Function>
Softmaxes with_split(Function wrong) {
  return {.in_double = {.split = wrong}, .in_float = {.split = wrong}};
}
template <class Function>
Softmaxes with_bound(Function) {
  constexpr auto wrong = [](const auto& x, auto temperature, const SoftmaxArithmetic& by) {
    return x.empty() ? library_bound(x, temperature, by) : Function{}(x, temperature, by);
  };
  return {.in_double = {.bound = wrong}, .in_float = {.bound = wrong}};
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

/// Runs a law for both types of numbers: `law(functions, Real())`.
template <class Law>
void in_both(const Softmaxes& softmaxes, Law law) {
  law(softmaxes.in_double, double());
  law(softmaxes.in_float, float());
}

// ------------------------------------------------------------------------- Wrong and other softmax

/// e^((x − shift)/τ) over its sum, added one after the other.
template <class Real>
Values<Real> shifted_softmax(const Values<Real>& x, const Real& shift,
                             const Real& temperature = 1) {
  using std::exp;
  Values<Real> weights;
  Real sum = 0;
  for (const Real& logit : x) {
    weights.push_back(exp(Real(Real(logit - shift) / temperature)));
    sum += weights.back();
  }
  for (Real& weight : weights) weight /= sum;
  return weights;
}

template <class Real>
Real greatest_of(const Values<Real>& x) {
  return x.empty() ? Real(0) : *std::max_element(x.begin(), x.end());
}

/// Softmax of the logits that a function makes of the logits.
template <class Real, class Function>
Values<Real> softmax_after(Values<Real> x, Function function) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = function(x[j], j);
  return library_softmax<Real>(x, Real(1));
}

// -------------------------------------------------------------------------- Inputs and comparisons

/// Logits of all shapes: moderate ones, ones that underflow, and any finite ones.
template <class Real>
rc::Gen<Values<Real>> logits(std::size_t longest = 33) {
  const Real far = 2 * overflow_threshold<Real>();
  return rc::gen::oneOf(vectors<Real>({.longest = longest, .entries = {.largest = Real(16)}}),
                        vectors<Real>({.longest = longest, .entries = {.largest = far}}),
                        vectors<Real>({.longest = longest}));
}

/// A temperature: often 1, else of any size within reason.
template <class Real>
rc::Gen<Real> temperatures() {
  return rc::gen::map(rc::gen::inRange(-40, 41), [](int power) {
    return static_cast<Real>(std::ldexp(1.0 + 0.25 * (power & 3), power / 4));
  });
}

/// Notes which part of a bound an error is; the bounds themselves are of very different size.
void note_ratio(const Outcome& outcome) {
  if (outcome.bound > 0) evidence().worst(outcome.error / outcome.bound, 1);
}

/// Fails the running property unless a law was kept; discards a case whose bound says nothing.
void require(const Outcome& outcome) {
  evidence().weaken(Grade::bounded);
  RC_PRE(!outcome.vacuous);
  if (!outcome.holds()) {
    std::ostringstream text;
    text << outcome;
    RC_FAIL(text.str());
  }
  note_ratio(outcome);
}

/// The same outside of a property.
void expect(const Outcome& outcome) {
  evidence().weaken(Grade::bounded);
  EXPECT_FALSE(outcome.vacuous) << outcome;
  EXPECT_TRUE(outcome.holds()) << outcome;
  if (outcome.holds()) note_ratio(outcome);
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
void expect_within(const std::string& printed, const Enclosure& exact) {
  const PrintedNumber number = parse_printed(printed);
  EXPECT_TRUE(number.low < exact.low && exact.low <= exact.high && exact.high < number.high)
      << "the number lies between " << exact.low.convert_to<double>() << " and "
      << exact.high.convert_to<double>() << ", which does not round to " << printed;
}

Values<Wide> wide(const Vector& x) {
  Values<Wide> result;
  for (const Rational& number : x) result.push_back(static_cast<Wide>(number));
  return result;
}

/// Expects that softmax weights round to what a document prints: computed to fifty digits, and
/// enclosed by rational numbers.
void expect_weights(const Softmaxes& softmaxes, const std::string& document, const Vector& logits,
                    const std::vector<std::string>& printed) {
  const Values<Wide> computed = softmaxes.wide(wide(logits), 1);
  const std::vector<Enclosure> exact = softmaxes.softmax_enclosure(logits);
  ASSERT_EQ(computed.size(), printed.size());
  for (std::size_t j = 0; j < printed.size(); ++j) {
    expect_printed(document, printed[j], static_cast<Rational>(computed[j]));
    expect_within(printed[j], exact[j]);
  }
  evidence().weaken(Grade::bounded);
  enumerated(printed.size());
}

rc::Gen<Rational> positive_rational() {
  return rc::gen::map(nonzero_rational(), [](const Rational& x) { return Rational(abs(x)); });
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
      }
    });
  });
}
//! [SoftmaxIsAProbability]

TEST(SoftmaxIsAProbability, SumsToOneInFloatingPoint) {
  judge(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all([&] {
        const Values<Real> x = *logits<Real>().as("x");
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
        const Values<Real> x = *logits<Real>().as("x");
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
            const Values<Real> x = *logits<Real>(9).as("x");
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
      for_all(
          [&] {
            const Values<Real> a = *logits<Real>(9).as("a");
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
    {"the mean is subtracted once more from the first", "ShiftingOneLogitChangesTheWeights",
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
      const Rational factor = *positive_rational().as("the factor e^c");
      Vector scaled = w;
      for (Rational& weight : scaled) weight *= factor;
      RC_ASSERT(softmaxes.normalized(scaled) == softmaxes.normalized(w));
    });
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
        const Real shift = static_cast<Real>(*rc::gen::inRange(-100000, 100001).as("c"));
        Values<Real> shifted = x;
        for (Real& logit : shifted) logit += shift;
        RC_ASSERT(functions.softmax(shifted, 1) == functions.softmax(x, 1));
      });
    });
  });
}

//! [SoftmaxShiftInvariance]
TEST(SoftmaxShiftInvariance, EveryShiftStaysWithinTheBound) {
  judge(softmax_shift_invariance_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all(
          [&] {
            const Values<Real> x = *logits<Real>(17).as("x");
            const Real c = *floats<Real>({.largest = Real(1000)}).as("c");
            for (const Real logit : x) RC_PRE(std::isfinite(logit + c));
            require(shift_law<Real>(functions.softmax, x, c));
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
  EXPECT_TRUE(exp_enclosure(static_cast<Rational>(threshold)).high < least_infinite)
      << threshold.str(20);
  EXPECT_TRUE(exp_enclosure(static_cast<Rational>(next)).low > least_infinite) << next.str(20);
}

const Mutants naive_softmax_overflows_mutants = {
    {"the threshold is one unit in the last place too low",
     "TheThresholdIsExact",
     {.in_double = {.threshold = [] { return std::nextafter(overflow_threshold<double>(), 0.0); }},
      .in_float = {.threshold = [] { return std::nextafter(overflow_threshold<float>(), 0.0F); }}}},
    {"the threshold is one unit in the last place too high",
     "TheThresholdIsExact",
     {.in_double = {.threshold =
                        [] { return std::nextafter(overflow_threshold<double>(), 1000.0); }},
      .in_float = {.threshold =
                       [] { return std::nextafter(overflow_threshold<float>(), 1000.0F); }}}},
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
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      using Limits = std::numeric_limits<Real>;
      const Real x = functions.threshold();
      const Real next = std::nextafter(x, inf<Real>);
      expect_threshold(Wide(x), Wide(next), Limits::digits, Limits::max_exponent);
      EXPECT_TRUE(std::isfinite(std::exp(x)));
      EXPECT_TRUE(std::isinf(std::exp(next)));
    });
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
    publish("double", exact_pair(overflow_threshold<double>()));
    publish("float", exact_pair(overflow_threshold<float>()));
    publish("half", exact_pair(static_cast<float>(overflow_threshold<Eigen::half>())));
    publish("bfloat16", exact_pair(static_cast<float>(overflow_threshold<Eigen::bfloat16>())));
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
    });
    enumerated(2);
  });
}

// ----------------------------------------------------------------------------------- StableSoftmax

/// The error bounds as the page and the header state them, to fifty digits.
struct PageBounds {
  Wide relative;
  Wide absolute;
  Wide of_log_sum_exp;
  Wide of_log_softmax;
};

template <class Real>
PageBounds page_bounds(const Values<Real>& x, std::size_t j, Real temperature,
                       const SoftmaxArithmetic& by) {
  const Wide tau = Wide(temperature);
  const Wide m = Wide(greatest_of(x));
  Wide S = 0;
  Wide T = 0;
  for (const Real& logit : x) {
    const Wide t = (m - Wide(logit)) / tau;
    S += exp(-t);
    T += exp(-t) * t;
  }
  T /= S;
  const Wide n = x.size();
  const Wide u = by.unit_roundoff;
  const Wide us = by.storage_roundoff;
  const Wide eta = by.smallest;
  const Wide K = by.exp_error;
  const Wide B = by.rescalings;
  const Wide D = by.quotient_roundings;
  const Wide R = temperature == 1 ? 1 : 2;
  const Wide L = 1 + log(2 / Wide(std::numeric_limits<Real>::denorm_min()));
  const Wide c = (K + R * (1 + L)) * u;
  const Wide sigma = by.summation == Summation::any_order
                         ? Wide(n - 1)
                         : std::min(Wide(ceil(log2(n)) + 8), Wide(n - 1));
  const Wide t = (m - Wide(x[j])) / tau;
  const Wide omega = 4 * n * (B + 1) * (K + 2) * eta;
  const Wide a = (R * (t + T) + sigma + 2 * K + B * (K + 1) + D) * u + omega;
  const bool vacuous = a - R * t * u + c >= Wide(0.5);
  const Wide gamma = a / (1 - a - c);
  const Wide relative = gamma + us * (1 + gamma);
  const Wide s = ((R * T + sigma + K + B * (K + 1)) * u + omega) / (1 - c);
  const Wide e = c < Wide(0.5) ? Wide(s + K * u * (log(S) + s)) : inf<Wide>;
  const Wide c1 = std::min(c, Wide(0.5));  // beyond, e is infinite
  const Wide of_log = (e + R * u * t + u * (t + log(S) + e) + (K + 2) * eta) / (1 - c1);
  return {vacuous ? inf<Wide>
          : t > L ? Wide(0)
                  : relative,
          (K + 2) * eta + by.storage_smallest,
          (e + R * u * (abs(m / tau) + log(S) + e) + (K + 2) * eta) / (1 - c1),
          (of_log + us * (t + log(S)) + by.storage_smallest) / (1 - us)};
}

/// A long list of logits with few different values, so that the exact softmax is quickly found.
template <class Real>
Values<Real> long_list(std::size_t n, std::size_t different, std::uint64_t seed) {
  Values<Real> pool;
  for (std::size_t k = 0; k < different; ++k)
    pool.push_back(static_cast<Real>(-20 * static_cast<double>(mix(seed + k) >> 11) * 0x1p-53));
  Values<Real> x(n);
  for (std::size_t j = 0; j < n; ++j) x[j] = pool[mix(seed ^ mix(j)) % different];
  return x;
}

/// A wrong error bound, from a change of the arithmetic.
template <class Change>
Softmaxes with_arithmetic(Change) {
  return with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
    SoftmaxArithmetic changed = arithmetic;
    Change{}(changed);
    return library_bound(x, temperature, changed);
  });
}

/// A wrong error bound, from a change of each relative bound: `change(relative, t, T, u)`.
template <class Change>
Softmaxes with_terms(Change) {
  return with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
    SoftmaxErrorBound bound = library_bound(x, temperature, arithmetic);
    double S = 0;
    double T = 0;
    const auto m = greatest_of(x);
    for (const auto logit : x) {
      const double t = static_cast<double>((m - logit) / temperature);
      S += std::exp(-t);
      T += std::exp(-t) > 0 ? std::exp(-t) * t : 0;
    }
    for (std::size_t j = 0; j < x.size(); ++j) {
      double& relative = bound.relative[static_cast<Eigen::Index>(j)];
      if (relative > 0)
        relative -= arithmetic.unit_roundoff *
                    Change{}(static_cast<double>((m - x[j]) / temperature), T / S);
    }
    return bound;
  });
}

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
    {"the first logit is left out of the sum", "ErrorsStayWithinTheBound",
     with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       const auto rest = 1 - y.front();
       if (rest > 0)
         for (auto& weight : y) weight /= rest;
       return y;
     })},
    {"a small number is added to the sum", "ErrorsStayWithinTheBound",
     with_softmax([](const auto& x, auto temperature) {
       using Real = decltype(temperature);
       auto y = library_softmax(x, temperature);
       for (auto& weight : y) weight /= 1 + 32 * std::numeric_limits<Real>::epsilon();
       return y;
     })},
    {"the weights are computed in half the digits", "ErrorsStayWithinTheBound",
     with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       for (auto& weight : y)
         weight = static_cast<decltype(temperature)>(Eigen::bfloat16(static_cast<float>(weight)));
       return y;
     })},
    {"the temperature multiplies", "ATemperatureKeepsTheBound",
     with_softmax(
         [](const auto& x, auto temperature) { return library_softmax(x, 1 / temperature); })},
    {"the temperature is applied twice", "ATemperatureKeepsTheBound",
     with_softmax([](const auto& x, auto temperature) {
       return library_softmax(x, temperature * temperature);
     })},
    {"the temperature is forgotten", "AHigherTemperatureSpreadsTheWeights",
     with_softmax([](const auto& x, auto temperature) {
       return temperature > 1 ? library_softmax(x, 1 / temperature)
                              : library_softmax(x, temperature);
     })},
    {"a long sum is added one after the other", "AMillionLogits",
     with_softmax([](const auto& x, auto temperature) {
       return shifted_softmax(x, greatest_of(x), temperature);
     })},
    {"subnormal weights are flushed to 0", "UnderflowIsGradual",
     with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       for (auto& weight : y)
         if (weight < std::numeric_limits<decltype(temperature)>::min()) weight = 0;
       return y;
     })},
    {"a weight is never 0", "UnderflowIsGradual", with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       for (auto& weight : y)
         weight = std::max(weight, std::numeric_limits<decltype(temperature)>::min());
       return y;
     })},
    {"the bound lacks t", "TheBoundIsTheFormulaOfThePage",
     with_terms([](double t, double) { return t; })},
    {"the bound lacks T", "TheBoundIsTheFormulaOfThePage",
     with_terms([](double, double T) { return T; })},
    {"the bound lacks K", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.exp_error = 0; })},
    {"the bound lacks the quotient", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.quotient_roundings = 0; })},
    {"the bound lacks the rescalings", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.rescalings = 0; })},
    {"the bound lacks the storage", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.storage_roundoff = 0; })},
    {"the bound lacks underflow", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.storage_smallest = 0; })},
    {"the bound of log-sum-exp lacks the logarithm",
     "TheBoundIsTheFormulaOfThePage",
     {.in_double = {.lse_bound =
                        [](const Values<double>& x, double temperature,
                           const SoftmaxArithmetic& by) {
                          return library_lse_bound(x, temperature, by) -
                                 by.exp_error * by.unit_roundoff;
                        }}}},
    {"the bound of log-softmax lacks t",
     "TheBoundIsTheFormulaOfThePage",
     {.in_float = {.log_bound = [](const Values<float>& x, float temperature,
                                   const SoftmaxArithmetic& by) -> Eigen::VectorXd {
        SoftmaxArithmetic rounded = by;
        rounded.unit_roundoff /= 2;
        return library_log_bound(x, temperature, rounded);
      }}}},
    {"the bound takes every sum for a shallow one", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.summation = Summation::pairwise; })},
    {"the logarithm is to base 2",
     "LogarithmsStayWithinTheirBounds",
     {.in_double = {.log_sum_exp =
                        [](const Values<double>& x, double temperature) {
                          return library_log_sum_exp(x, temperature) / std::log(2.0);
                        }}}},
    {"the maximum is not added again",
     "LogarithmsStayWithinTheirBounds",
     {.in_double = {.log_sum_exp =
                        [](const Values<double>& x, double temperature) {
                          return library_log_sum_exp(x, temperature) - greatest_of(x) / temperature;
                        }}}},
    {"the logarithm is that of the weight",
     "LogarithmsStayWithinTheirBounds",
     {.in_float = {.log_softmax =
                       [](const Values<float>& x, float temperature) {
                         Values<float> y = library_softmax(x, temperature);
                         for (float& weight : y) weight = std::log(weight);
                         return y;
                       }}}},
    {"the sum is not rescaled when the maximum rises", "PartsMayBeMergedInAnyWay",
     with_split([](const auto& x, const Cuts&) {
       auto maximum = x.front();
       auto sum = 0 * maximum;
       for (const auto logit : x) {
         maximum = std::max(maximum, logit);
         sum += std::exp(logit - maximum);
       }
       auto y = x;
       for (auto& logit : y) logit = std::exp(logit - maximum) / sum;
       return std::pair(y, x.size());
     })},
    {"an empty part has a maximum of 0", "PartsMayBeMergedInAnyWay",
     with_split([](const auto& x, const Cuts& cuts) {
       auto result = library_split(x, cuts);
       if (std::adjacent_find(cuts.begin(), cuts.end()) != cuts.end())
         for (auto& weight : result.first) weight /= 2;
       return result;
     })},
    {"rescalings are not counted", "PartsMayBeMergedInAnyWay",
     with_split([](const auto& x, const Cuts& cuts) {
       return std::pair(library_split(x, cuts).first, std::size_t{0});
     })},
    {"one pass knows the first maximum only", "OnePassStaysWithinTheBound",
     with_online([](const auto& x, auto) { return shifted_softmax(x, x.front()); })},
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
    {"half precision is computed in half precision", "StoredInHalfPrecisionItIsRoundedOnce",
     [] {
       Softmaxes result;
       result.half = [](const Values<Eigen::half>& x) {
         Eigen::half sum(0);
         Values<Eigen::half> y;
         for (const Eigen::half logit : x) {
           y.push_back(Eigen::half(std::exp(static_cast<float>(logit - greatest_of(x)))));
           sum += y.back();
         }
         for (Eigen::half& weight : y) weight = weight / sum;
         return y;
       };
       return result;
     }()},
    {"an exponential of three terms is good enough", "ACrudeExponentialBreaksIt",
     with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
       SoftmaxArithmetic crude = arithmetic;
       crude.exp_error = 1e6;
       return library_bound(x, temperature, crude);
     })},
    {"every sum is shallow", "ADeepSumBreaksTheBoundOfAShallowOne",
     with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
       SoftmaxArithmetic deep = arithmetic;
       deep.summation = Summation::any_order;
       return library_bound(x, temperature, deep);
     })},
    {"subnormal numbers are not needed", "FlushingSubnormalsBreaksIt",
     with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
       SoftmaxArithmetic flushing = arithmetic;
       flushing.smallest = static_cast<double>(std::numeric_limits<decltype(temperature)>::min());
       return library_bound(x, temperature, flushing);
     })},
    {"the temperature is taken twice if it is 2", "TakesEveryKindOfNumber",
     with_softmax([](const auto& x, auto temperature) {
       return library_softmax(x, temperature == 2 ? decltype(temperature)(4) : temperature);
     })},
    {"no bound is vacuous", "AFlatRowOfLowPrecisionHasAVacuousBound",
     with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
       SoftmaxErrorBound bound = library_bound(x, temperature, arithmetic);
       for (double& relative : bound.relative) relative = std::min(relative, 0.5);
       return bound;
     })},
};

//! [StableSoftmax]
TEST(StableSoftmax, ErrorsStayWithinTheBound) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all([&] {
        const Values<Real> x = *logits<Real>().as("x");
        require(accuracy_law<Real>(functions.softmax, x));
      });
    });
  });
}
//! [StableSoftmax]

TEST(StableSoftmax, ATemperatureKeepsTheBound) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all(
          [&] {
            const Values<Real> x = *logits<Real>(9).as("x");
            const Real temperature = *temperatures<Real>().as("temperature");
            require(accuracy_law<Real>(functions.softmax, x, temperature));
          },
          100);
    });
  });
}

TEST(StableSoftmax, AHigherTemperatureSpreadsTheWeights) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
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

//! [StableSoftmax: exact check]
TEST(StableSoftmax, AMillionLogits) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      // Mutants are judged by a shorter list, which suffices to reject them.
      const std::size_t n = judging_a_mutant() ? 65536 : 1000000;
      const Values<Real> x = long_list<Real>(n, 16, 1);
      expect(accuracy_law<Real>(functions.softmax, x));
    });
    enumerated(2);
  });
}
//! [StableSoftmax: exact check]

TEST(StableSoftmax, TheBoundIsTheFormulaOfThePage) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all(
          [&] {
            const Values<Real> x = *logits<Real>(33).as("x");
            const std::size_t j = *rc::gen::inRange<std::size_t>(0, x.size()).as("j");
            const Real temperature = *temperatures<Real>().as("temperature");
            SoftmaxArithmetic by = arithmetic_of<Real>();
            by.unit_roundoff = *rc::gen::element(by.unit_roundoff, 0x1p-11).as("u");
            by.exp_error = *rc::gen::inRange(1, 9).as("K");
            by.summation = *rc::gen::element(Summation::pairwise, Summation::any_order).as("order");
            by.rescalings = *rc::gen::inRange<std::size_t>(0, 9).as("B");
            by.quotient_roundings = *rc::gen::inRange(1U, 3U).as("D");
            by.storage_roundoff = *rc::gen::element(0.0, 0x1p-8, 0x1p-11).as("storage");
            by.storage_smallest = *rc::gen::element(0.0, 0x1p-24).as("smallest stored");
            const PageBounds page = page_bounds(x, j, temperature, by);
            const auto i = static_cast<Eigen::Index>(j);
            const SoftmaxErrorBound bound = functions.bound(x, temperature, by);
            RC_ASSERT(is_raised(bound.relative[i], page.relative));
            RC_ASSERT(is_raised(bound.absolute, page.absolute));
            RC_ASSERT(is_raised(functions.lse_bound(x, temperature, by), page.of_log_sum_exp));
            RC_PRE(std::isfinite((greatest_of(x) - x[j]) / temperature));
            RC_ASSERT(is_raised(functions.log_bound(x, temperature, by)[i], page.of_log_softmax));
          },
          50);
    });
  });
}

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
      for_all([&] {
        const Values<Real> x = *vectors<Real>({.longest = 33}).as("x");
        const Values<Real> y = functions.softmax(x, 1);
        for (std::size_t j = 0; j < x.size(); ++j) {
          RC_ASSERT(y[j] >= 0 && y[j] <= 1);
          if (x[j] == greatest_of(x)) RC_ASSERT(y[j] > 0);
        }
      });
    });
  });
}

TEST(StableSoftmax, UnderflowIsGradual) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const SoftmaxArithmetic by = arithmetic_of<Real>();
      // From where weights are normal numbers to where they are 0.
      const Real last = Real(by.depth_of_underflow) + 4;
      const Real first = -std::log(std::numeric_limits<Real>::min()) - 2;
      for (Real t = first; t <= last; t += Real(0.5)) {
        const Values<Real> x = {Real(0), -t};
        expect(accuracy_law<Real>(functions.softmax, x));
        const double exact = ExactSoftmax<Real>(x)[1].template convert_to<double>();
        // A weight of 0 is only given where the bound lets the exact one be lost.
        if (functions.softmax(x, 1)[1] == 0) {
          EXPECT_LE(exact, 4 * by.smallest);
        }
      }
      EXPECT_EQ(functions.softmax({Real(0), -Real(by.depth_of_underflow) - 1}, 1)[1], 0);
    });
  });
}

TEST(StableSoftmax, LogarithmsStayWithinTheirBounds) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all(
          [&] {
            const Values<Real> x = *logits<Real>(17).as("x");
            const Real temperature = *temperatures<Real>().as("temperature");
            const auto [low, high] = std::minmax_element(x.begin(), x.end());
            RC_PRE(std::isfinite((*high - *low) / temperature));
            RC_PRE(std::isfinite(*high / temperature) && std::isfinite(*low / temperature));
            require(log_sum_exp_law<Real>(functions.log_sum_exp, x, temperature));
            require(log_softmax_law<Real>(functions.log_softmax, x, temperature));
          },
          100);
    });
  });
}

TEST(StableSoftmax, PartsMayBeMergedInAnyWay) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all([&] {
        const Values<Real> x = *logits<Real>(17).as("x");
        Cuts cuts =
            *rc::gen::container<Cuts>(rc::gen::inRange<std::size_t>(0, x.size() + 1)).as("cuts");
        std::sort(cuts.begin(), cuts.end());
        require(split_law<Real>(functions.split, x, cuts));
      });
      // Each logit raises the maximum: one rescaling fewer than logits.
      const Values<Real> rising = {0, 1, 2, 3, 4};
      EXPECT_EQ(functions.split(rising, {}).second, 4U);
      EXPECT_EQ(functions.split(rising, {2, 2}).second, 2U);
      // What counts is the weight that was rescaled most, on whichever side of a merge.
      EXPECT_EQ(functions.split({10, 0, 1, 2, 11}, {1}).second, 3U);
      EXPECT_EQ(functions.split({11, 0, 1, 2, 10}, {1}).second, 4U);
    });
  });
}

TEST(StableSoftmax, OnePassStaysWithinTheBound) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all([&] {
        const Values<Real> x = *logits<Real>(17).as("x");
        SoftmaxArithmetic by = arithmetic_of<Real>();
        by.summation = Summation::any_order;
        by.rescalings = library_split(x, {}).second;
        require(accuracy_law<Real>(functions.online, x, 1, by));
      });
    });
  });
}

TEST(StableSoftmax, StoredInHalfPrecisionItIsRoundedOnce) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    for_all([&] {
      const auto halves =
          *rc::gen::resize(20, rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(
                                   rc::gen::inRange(-4096, 4097))))
               .as("256 x");
      Values<Eigen::half> stored;
      Values<float> x;
      for (const int h : halves) {
        stored.push_back(Eigen::half(static_cast<float>(h) / 256));
        x.push_back(static_cast<float>(stored.back()));
      }
      const auto softmax = [&](const Values<float>&, float) {
        Values<float> y;
        for (const Eigen::half weight : softmaxes.half(stored))
          y.push_back(static_cast<float>(weight));
        return y;
      };
      require(accuracy_law<float>(softmax, x, 1, arithmetic_of<Eigen::half>()));
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

/// e^x for x ≤ 0 by (1 + x/2ᵏ + …)^(2ᵏ): right to four digits or so.
template <class Real>
Values<Real> crude_softmax(const Values<Real>& x, Real) {
  Values<Real> y;
  for (const Real logit : x) {
    const Real z = std::max(Real(logit - greatest_of(x)), Real(-100)) / 1024;
    y.push_back(std::pow(1 + z + z * z / 2, Real(1024)));
  }
  const Real sum = std::accumulate(y.begin(), y.end(), Real(0));
  for (Real& weight : y) weight /= sum;
  return y;
}

TEST(StableSoftmax, ACrudeExponentialBreaksIt) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const Values<Real> x = {0, -8};
      const auto bound = functions.bound(x, 1, arithmetic_of<Real>());
      EXPECT_FALSE(accuracy_law<Real>(crude_softmax<Real>, x, 1, bound).holds());
    });
    counterexample_without("accurate exponential");
  });
}

TEST(StableSoftmax, ADeepSumBreaksTheBoundOfAShallowOne) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    const Values<float> x = long_list<float>(100000, 16, 1);
    const auto one_after_the_other = [](const Values<float>& logits, float) {
      return shifted_softmax(logits, greatest_of(logits));
    };
    SoftmaxArithmetic by = arithmetic_of<float>();
    const auto shallow = softmaxes.in_float.bound(x, 1, by);
    EXPECT_FALSE(accuracy_law<float>(one_after_the_other, x, 1, shallow).holds());
    by.summation = Summation::any_order;
    expect(accuracy_law<float>(one_after_the_other, x, 1, by));
    counterexample_without("depth of the sum");
  });
}

TEST(StableSoftmax, FlushingSubnormalsBreaksIt) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const Values<Real> x = {0, std::log(std::numeric_limits<Real>::min()) - 1};
      const auto flushing = [](const Values<Real>&, Real) { return Values<Real>{1, 0}; };
      const auto bound = functions.bound(x, 1, arithmetic_of<Real>());
      EXPECT_FALSE(accuracy_law<Real>(flushing, x, 1, bound).holds());
    });
    counterexample_without("rounding model");
  });
}

TEST(StableSoftmax, AFlatRowOfLowPrecisionHasAVacuousBound) {
  judge(stable_softmax_mutants, [](const Softmaxes& softmaxes) {
    // 4096 equal weights, added one after the other in binary16: the sum stays at 2048.
    Eigen::half sum(0.0F);
    for (int j = 0; j < 4096; ++j) sum += Eigen::half(1.0F);
    EXPECT_EQ(static_cast<float>(sum), 2048.0F);
    SoftmaxArithmetic by = arithmetic_of<float>();
    by.unit_roundoff = 0x1p-11;
    by.summation = Summation::any_order;
    const Values<float> flat(4096, 0.0F);
    EXPECT_TRUE(softmaxes.in_float.bound(flat, 1, by).vacuous());
    by.summation = Summation::pairwise;
    EXPECT_FALSE(softmaxes.in_float.bound(flat, 1, by).vacuous());
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
            const Enclosure e = exp_enclosure(x);
            return Enclosure{e.low - 1, e.high - 1};
          }}},
    {"the square of e to half the power is rounded",
     "GrowsAsPrinted",
     {.exp_enclosure =
          [](const Rational& x) {
            const Enclosure e = exp_enclosure(x / 2);
            const Rational root(numerator(e.low) / denominator(e.low));
            return Enclosure{root * root, root * root};
          }}},
    {"the exponential is computed in double precision",
     "TheFiftiethPowerIsMisprinted",
     {.exp_enclosure =
          [](const Rational& x) {
            const Rational e(std::floor(std::exp(x.convert_to<double>())));
            return Enclosure{e, e};
          }}},
    {"the remainder is dropped",
     "EnclosesTheExponential",
     {.exp_enclosure =
          [](const Rational& x) {
            const Enclosure e = exp_enclosure(x);
            return Enclosure{e.low, e.low};
          }}},
    {"negative powers are not inverted",
     "EnclosesTheExponential",
     {.exp_enclosure = [](const Rational& x) { return exp_enclosure(abs(x)); }}},
    {"the sum is cut off early",
     "EnclosesTheExponential",
     {.exp_enclosure =
          [](const Rational& x) {
            const Enclosure e = exp_enclosure(x);
            return Enclosure{e.low, e.high * (1 + Rational(1, 1000000))};
          }}},
};

//! [ExponentialGrowth]
TEST(ExponentialGrowth, GrowsAsPrinted) {
  judge(exponential_growth_mutants, [](const Softmaxes& softmaxes) {
    for (const auto& [power, printed] :
         {std::pair("1", "2.718"), std::pair("5", "148.4"), std::pair("5", "148"),
          std::pair("10", "22,026"), std::pair("20", "485,165,195"), std::pair("0.5", "1.649"),
          std::pair("14", "1,202,604"), std::pair("12", "162,755"), std::pair("1.75", "5.755"),
          std::pair("1.25", "3.490"), std::pair("1.5", "4.482")}) {
      const Enclosure exact = softmaxes.exp_enclosure(decimal(power));
      expect_printed("S2", printed, exact.low);
      expect_within(printed, exact);
    }
    enumerated(11);
  });
}
//! [ExponentialGrowth]

//! [ExponentialGrowth: exact check]
TEST(ExponentialGrowth, TheFiftiethPowerIsMisprinted) {
  judge(exponential_growth_mutants, [](const Softmaxes& softmaxes) {
    const Enclosure exact = softmaxes.exp_enclosure(50);
    const std::string right = "5,184,705,528,587,072,464,087";
    expect_misprinted("S2", "5,184,705,528,587,072,045", exact.low, right);
    expect_within(right, exact);
    // A thousand times too small, and no power of ten makes it right: the digits differ.
    const Rational printed = decimal("5,184,705,528,587,072,045");
    EXPECT_TRUE(exact.low / printed > 999 && exact.high / printed < 1001);
    EXPECT_FALSE(exact.low - printed * 1000 < 500 && printed * 1000 - exact.low < 500);
    publish("value", static_cast<Wide>(exact.low).str(24));
    enumerated(1);
  });
}
//! [ExponentialGrowth: exact check]

TEST(ExponentialGrowth, EnclosesTheExponential) {
  judge(exponential_growth_mutants, [](const Softmaxes& softmaxes) {
    const Rational narrow = 1 / Rational(Integer(1) << 200);
    for_all(
        [&] {
          const Rational x(*rc::gen::inRange(-300, 301).as("8 x"), 8);
          const Rational y(*rc::gen::inRange(-300, 301).as("8 y"), 8);
          const Enclosure ex = softmaxes.exp_enclosure(x);
          const Enclosure ey = softmaxes.exp_enclosure(y);
          const Enclosure both = softmaxes.exp_enclosure(x + y);
          RC_ASSERT(ex.low > 0 && ex.high - ex.low < narrow * ex.low);
          // e^x is irrational unless x is 0, and at least 1 + x.
          RC_ASSERT((ex.low < ex.high) == (x != 0));
          RC_ASSERT(ex.low >= 1 + x && (x >= 1 || ex.high <= 1 / (1 - x) * (1 + narrow)));
          // e^x e^y and e^(x + y) are one number.
          RC_ASSERT(ex.low * ey.low <= both.high && both.low <= ex.high * ey.high);
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

const Mutants softmax_worked_examples_mutants = {
    {"powers of 2 instead of e", "OneLargerLogitTakesMost",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(logit * log(Wide(2))); });
     })},
    {"the last logit is left out", "OneLargerLogitTakesMost",
     with_wide([](const Values<Wide>& x, Wide) {
       Values<Wide> y = library_softmax<Wide>(x, 1);
       y.back() = 0;
       return y;
     })},
    {"the logits are divided by their number", "UnscaledScoresOfTheSecondDocument",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [&](const Wide& logit) { return Wide(logit / x.size()); });
     })},
    {"logits are cut off at 8", "UnscaledScoresOfTheSecondDocument",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return std::min(logit, Wide(8)); });
     })},
    {"the root is 7", "ScaledScoresOfTheSecondDocument", with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(logit * 8 / 7); });
     })},
    {"the scores are scaled twice", "ScaledScoresOfTheSecondDocument",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(logit / 8); });
     })},
    {"negative logits are made positive", "FivePositionsOfTheThirdDocument",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(3 * abs(logit)); });
     })},
    {"the greatest sum goes with the greatest numerator",
     "OneLargerLogitTakesMost",
     {.softmax_enclosure =
          [](const Vector& x) {
            std::vector<Enclosure> p = softmax_enclosure(x);
            for (Enclosure& weight : p) weight = {weight.high, weight.low};
            return p;
          }}},
    {"no scores have no weights",
     "RefusesNoScores",
     {.softmax_enclosure =
          [](const Vector& x) {
            return x.empty() ? std::vector<Enclosure>() : softmax_enclosure(x);
          }}},
    {"a term of the sum is dropped",
     "SumsOfExponentials",
     {.exp_enclosure =
          [](const Rational& x) {
            return x == Rational(1, 2) || x == 10 || x == Rational(5, 4) ? Enclosure{0, 0}
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
    expect_weights(softmaxes, "S3", decimals({"9.2", "-3.1", "8.8", "-5.4", "1.2"}),
                   {"0.599", "0.000", "0.401", "0.000", "0.000"});
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
      Enclosure sum{0, 0};
      for (const Rational& logit : logits) {
        const Enclosure e = softmaxes.exp_enclosure(logit);
        sum = {sum.low + e.low, sum.high + e.high};
      }
      expect_printed("S2", printed, sum.low);
      expect_within(printed, sum);
    }
    enumerated(3);
  });
}

// ----------------------------------------------------------------------------------- PeakedExample

const Vector peaked_scores = decimals({"8.5", "-2.1", "7.9"});

const Mutants peaked_example_mutants = {
    {"the scores are not exponentiated", "AloneTheThreeGiveOtherWeights",
     with_wide([](const Values<Wide>& x, Wide) {
       Wide sum = 0;
       Values<Wide> y = x;
       for (const Wide& logit : x) sum += logit;
       for (Wide& weight : y) weight /= sum;
       return y;
     })},
    {"the scores are multiplied by 8", "AloneTheThreeGiveOtherWeights",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(8 * logit); });
     })},
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
            return Enclosure{98, 99};
          }}},
    {"the ratio is that of the scores",
     "TheRatioOfTwoWeightsIsThatOfTheirExponentials",
     {.weight_ratio =
          [](const Rational& a, const Rational& b) {
            return Enclosure{a / b, a / b};
          }}},
    {"the ratio is inverted",
     "TheRatioOfTwoWeightsIsThatOfTheirExponentials",
     {.weight_ratio = [](const Rational& a, const Rational& b) { return weight_ratio(b, a); }}},
};

//! [PeakedExample]
TEST(PeakedExample, TheRatioOfTwoWeightsIsThatOfTheirExponentials) {
  judge(peaked_example_mutants, [](const Softmaxes& softmaxes) {
    const Enclosure ratio = softmaxes.weight_ratio(peaked_scores[0], peaked_scores[2]);
    // Weights that round to 0.99 and to 0.01 have a ratio of 65 at least.
    const Rational least = parse_printed("0.99").low / parse_printed("0.01").high;
    EXPECT_GT(least, 65);
    EXPECT_LT(ratio.high, least);
    expect_within("1.822", ratio);
    publish("ratio", static_cast<Wide>(ratio.low).str(5));
    publish("least", static_cast<Wide>(least).str(4));
    enumerated(1);
  });
}
//! [PeakedExample]

TEST(PeakedExample, NoOtherScoresMakeThePrintedWeights) {
  judge(peaked_example_mutants, [](const Softmaxes& softmaxes) {
    Vector three;
    for (const Rational& score : peaked_scores) three.push_back(exp_enclosure(score).low);
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
  });
}

TEST(PeakedExample, AloneTheThreeGiveOtherWeights) {
  judge(peaked_example_mutants, [](const Softmaxes& softmaxes) {
    const Values<Wide> computed = softmaxes.wide(wide(peaked_scores), 1);
    const std::vector<Enclosure> exact = softmaxes.softmax_enclosure(peaked_scores);
    expect_misprinted("S3", "0.99", static_cast<Rational>(computed[0]), "0.6456");
    expect_printed("S3", "0.00", static_cast<Rational>(computed[1]));
    expect_misprinted("S3", "0.01", static_cast<Rational>(computed[2]), "0.3543");
    expect_within("0.6456", exact[0]);
    expect_within("0.0000161", exact[1]);
    expect_within("0.3543", exact[2]);
    evidence().weaken(Grade::bounded);
    enumerated(3);
  });
}

// ----------------------------------------------------------------------------------- SpreadExample

const Vector raw_scores = decimals({"9.2", "-3.1", "8.8", "-5.4", "1.2"});
const Vector spread_scores = decimals({"1.15", "-0.39", "1.10", "-0.68", "0.15"});
const std::vector<std::string> spread_weights = {"0.31", "0.07", "0.30", "0.05", "0.12"};

const Mutants spread_example_mutants = {
    {"a sixth position takes the rest", "TheRightWeights",
     with_wide([](const Values<Wide>& x, Wide) {
       Values<Wide> y = library_softmax<Wide>(x, 1);
       for (Wide& weight : y) weight *= Wide(0.85);
       return y;
     })},
    {"the scores are not scaled", "TheRightWeights", with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(8 * logit); });
     })},
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
  });
}
//! [SpreadExample: exact check]

//! [SpreadExample]
TEST(SpreadExample, TheRightWeights) {
  judge(spread_example_mutants, [](const Softmaxes& softmaxes) {
    const Values<Wide> computed = softmaxes.wide(wide(spread_scores), 1);
    const std::vector<Enclosure> exact = softmaxes.softmax_enclosure(spread_scores);
    const std::vector<std::string> right = {"0.371", "0.080", "0.353", "0.060", "0.137"};
    for (std::size_t j = 0; j < 5; ++j) {
      expect_misprinted("S3", spread_weights[j], static_cast<Rational>(computed[j]), right[j]);
      expect_within(right[j], exact[j]);
    }
    evidence().weaken(Grade::bounded);
    enumerated(5);
  });
}
//! [SpreadExample]

TEST(SpreadExample, RefusesWhatIsNoRounding) {
  judge(spread_example_mutants, [](const Softmaxes& softmaxes) {
    EXPECT_THROW(softmaxes.least_sum_of_rounded(0, 1), std::domain_error);
    EXPECT_THROW(softmaxes.least_sum_of_rounded(5, 0), std::domain_error);
    EXPECT_THROW(softmaxes.least_sum_of_rounded(5, -1), std::domain_error);
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
    const std::vector<Enclosure> exact = softmaxes.softmax_enclosure(scaled);
    const std::vector<std::string> right = {"0.37", "0.08", "0.35", "0.06", "0.14"};
    for (std::size_t j = 0; j < 5; ++j) expect_within(right[j], exact[j]);
    enumerated(5);
  });
}

// -------------------------------------------------------------------------------- SoftmaxDominance

const Mutants softmax_dominance_mutants = {
    {"the others are one more",
     "TheOthersShareWhatTheGapLeaves",
     {.largest_share_of_others = [](std::size_t n, const Rational& r) -> Rational {
       return Rational(n) / (r + Rational(n));
     }}},
    {"only one other counts",
     "TheOthersShareWhatTheGapLeaves",
     {.largest_share_of_others = [](std::size_t, const Rational& r) -> Rational {
       return 1 / (1 + r);
     }}},
    {"the ratio is squared",
     "TheOthersShareWhatTheGapLeaves",
     {.largest_share_of_others =
          [](std::size_t n, const Rational& r) { return largest_share_of_others(n, r * r); }}},
    {"the rest is that of one weight", "TheOthersShareWhatTheGapLeaves",
     with_normalized([](const Vector& w) {
       Vector p = library_normalized(w);
       *std::max_element(p.begin(), p.end()) /= 2;
       return p;
     })},
    {"the bound does not fall",
     "TheWeightsTendToOneHot",
     {.largest_share_of_others =
          [](std::size_t n, const Rational& r) {
            return largest_share_of_others(n, r > 1000 ? Rational(1000) : r);
          }}},
    {"it is greater than the bound of the documents",
     "TheWeightsTendToOneHot",
     {.largest_share_of_others = [](std::size_t n, const Rational& r) -> Rational {
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
     {.largest_share_of_others =
          [](std::size_t n, const Rational& r) {
            return r <= 0 ? Rational(1) : largest_share_of_others(n, r);
          }}},
    {"no weights are accepted",
     "RefusesWhatIsNoRatio",
     {.largest_share_of_others =
          [](std::size_t n, const Rational& r) {
            return n == 0 ? Rational(0) : largest_share_of_others(n, r);
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
      const Rational bound = softmaxes.largest_share_of_others(w.size(), ratio);
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
      const Rational bound = softmaxes.largest_share_of_others(n, ratio);
      RC_ASSERT(bound <= Rational(n - 1) / ratio);
      RC_ASSERT(softmaxes.largest_share_of_others(n, ratio + more) < bound || n == 1);
      // Below any positive number once the ratio is large enough.
      RC_ASSERT(softmaxes.largest_share_of_others(n, Rational(n) * 1000000000) <
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
    EXPECT_THROW(softmaxes.largest_share_of_others(0, 1), std::domain_error);
    EXPECT_THROW(softmaxes.largest_share_of_others(3, 0), std::domain_error);
    EXPECT_THROW(softmaxes.largest_share_of_others(3, -1), std::domain_error);
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
     {.required_gap = [](std::size_t n, const Rational& e) -> Wide {
       return required_gap<Wide>(n, e) / log(Wide(10));
     }}},
    {"the others are forgotten",
     "NinetyNinePercentNeedsAGapOfMoreThanFive",
     {.required_gap = [](std::size_t, const Rational& e) { return required_gap<Wide>(2, e); }}},
    {"a tenth more takes almost all",
     "ASlightlyBiggerScoreTakesLittleMoreThanItsShare",
     {.softmax_enclosure =
          [](const Vector& x) {
            Vector bigger = x;
            if (x[0] < 1) bigger[0] = 6;
            return softmax_enclosure(bigger);
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
    const Rational gap = static_cast<Rational>(softmaxes.required_gap(4, Rational(1, 100)));
    EXPECT_EQ(softmaxes.required_ratio(4, Rational(1, 100)), 297);
    // The logarithm errs by K half units in the last place, its argument by one rounding.
    const SoftmaxArithmetic by = arithmetic_of<Wide>();
    const Rational error = Rational(by.unit_roundoff) * (1 + Rational(by.exp_error) * gap);
    EXPECT_TRUE(exp_enclosure(gap - error).high < 297 && 297 < exp_enclosure(gap + error).low);
    evidence().weaken(Grade::bounded);
    publish("gap", static_cast<Wide>(gap).str(4));
    publish("gap_of_512", softmaxes.required_gap(512, Rational(1, 100)).str(4));
  });
}

TEST(AlmostAllWeightNeedsAGap, ASlightlyBiggerScoreTakesLittleMoreThanItsShare) {
  judge(almost_all_weight_needs_a_gap_mutants, [](const Softmaxes& softmaxes) {
    // Four scores, one of them bigger by 0.1: the quarter becomes 26.9 %.
    const Enclosure slight = softmaxes.softmax_enclosure(decimals({"0.1", "0", "0", "0"}))[0];
    expect_within("0.269", slight);
    // The document's own example has a gap of 4, and still leaves a twentieth to the others.
    const Enclosure example = softmaxes.softmax_enclosure({5, 1, 1, 1})[0];
    EXPECT_LT(example.high, Rational(95, 100));
    // It does not even get the half, which "almost all" would be at the very least.
    expect_refuted("S1", "slightly bigger", slight.high > Rational(1, 2),
                   "bigger by ln((n - 1)(1 - ε)/ε): 5.69 for 99 % of four");
    publish("slight", static_cast<Wide>(100 * slight.low).str(3));
    enumerated(2);
  });
}

TEST(AlmostAllWeightNeedsAGap, RefusesWhatIsNoShare) {
  judge(almost_all_weight_needs_a_gap_mutants, [](const Softmaxes& softmaxes) {
    EXPECT_THROW(softmaxes.required_ratio(1, Rational(1, 2)), std::domain_error);
    EXPECT_THROW(softmaxes.required_ratio(4, 0), std::domain_error);
    EXPECT_THROW(softmaxes.required_ratio(4, 1), std::domain_error);
    EXPECT_THROW(softmaxes.required_ratio(4, 2), std::domain_error);
  });
}

}  // namespace
