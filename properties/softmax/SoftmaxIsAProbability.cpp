// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/exp_interval.hpp>
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
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/softmax/fixture.hpp"
#include "properties/softmax/functions.hpp"
#include "properties/support/outcomes.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace sqrtdk::properties::SoftmaxIsAProbability {

using namespace sqrtdk::testing;

/// Softmax of the logits that a function makes of the logits.
template <class Real, class Function>
Values<Real> softmax_after(Values<Real> x, Function function) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = function(x[j], j);
  return library_softmax<Real>(x, Real(1));
}

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
    {"a sum that overflows is divided by",
     "RefusesWhatIsNoWeight",
     {.in_double = {.shares =
                        [](const Values<double>& w) {
                          const double sum = std::accumulate(w.begin(), w.end(), 0.0);
                          Values<double> p = w;
                          for (double& weight : p) weight /= sum;
                          return p;
                        }}}},
    {"a factor without end is accepted",
     "RefusesWhatIsNoWeight",
     {.in_float = {.largest_move = [](const float& r) { return (r - 1) / (r + 1); }}}},
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
    {"logits that are not large are doubled", "MovesByHalfAsMuchAsTheLogitsAtMost",
     with_softmax([](const auto& x, auto) {
       return softmax_after(
           x, [](auto logit, std::size_t) { return std::abs(logit) < 1000 ? 2 * logit : logit; });
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
  check_statement(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
    for_all([&] {
      const Vector w = *positive_weights().as("the weights e^x");
      const Vector p = softmaxes.normalized(w);
      EXPECT_EXACTLY(p.size() == w.size());
      EXPECT_EXACTLY(total(p) == 1);
      for (std::size_t i = 0; i < w.size(); ++i) {
        EXPECT_EXACTLY(p[i] > 0);
        // Ratios are kept, and the order with them.
        EXPECT_EXACTLY(p[i] * w[0] == p[0] * w[i]);
        EXPECT_EXACTLY((p[i] < p[0]) == (w[i] < w[0]));
      }
      // Weights in the reverse order have probabilities in the reverse order.
      EXPECT_EXACTLY(softmaxes.normalized(Vector(w.rbegin(), w.rend())) ==
                     Vector(p.rbegin(), p.rend()));
    });
  });
}
//! [SoftmaxIsAProbability]

//! [SoftmaxIsAProbability: exact check]
TEST(SoftmaxIsAProbability, AChangeOfTheWeightsMovesThemByATangentAtMost) {
  check_statement(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
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
        EXPECT_EXACTLY((q[i] <= r * r * p[i] && p[i] <= r * r * q[i]));
        EXPECT_EXACTLY(abs(Rational(q[i] - p[i])) <= softmaxes.largest_move(r));
      }
    });
    for (const Rational& r :
         {Rational(1025, 1024), Rational(3, 2), Rational(2), Rational(10), Rational(1000)}) {
      // Two weights that change places move as far as that.
      const Rational move = softmaxes.largest_move(r);
      EXPECT_EXACTLY(softmaxes.normalized({r, 1})[0] - softmaxes.normalized({1, r})[0] == move);
      // tanh(h/2) < h/2, that is e^(2 tanh(h/2)) < r.
      EXPECT_EXACTLY(exp_enclosure(2 * move).upper < r);
    }
  });
}
//! [SoftmaxIsAProbability: exact check]

TEST(SoftmaxIsAProbability, SumsToOneInFloatingPoint) {
  check_with_mutants(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all([&] {
        const Values<Real> x = *scores<Real>().as("x");
        require_law(probability_law<Real>(functions.softmax, x));
      });
    });
  });
}

TEST(SoftmaxIsAProbability, KeepsTheOrderOfTheLogits) {
  check_with_mutants(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all([&] {
        const Values<Real> x = *scores<Real>().as("x");
        require_law(order_law<Real>(functions.softmax, x));
      });
    });
  });
}

TEST(SoftmaxIsAProbability, GoesAlongWithEveryPermutation) {
  check_with_mutants(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for_all(
          [&] {
            const Values<Real> x = *scores<Real>(9).as("x");
            Cuts order(x.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            for (std::size_t j = order.size(); j > 1; --j)
              std::swap(order[j - 1], order[*rc::gen::inRange<std::size_t>(0, j).as("exchange")]);
            require_law(permutation_law<Real>(functions.softmax, x, order));
          },
          100);
    });
  });
}

TEST(SoftmaxIsAProbability, MovesByHalfAsMuchAsTheLogitsAtMost) {
  check_with_mutants(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
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
            require_law(lipschitz_law<Real>(functions.softmax, a, b));
          },
          100);
    });
  });
}

TEST(SoftmaxIsAProbability, MinusInfinityHasNoWeight) {
  check_with_mutants(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const Values<Real> masked = functions.softmax({Real(3), -inf<Real>, Real(3)}, 1);
      EXPECT_EXACTLY(bits_of(masked) == bits_of(Values<Real>{0.5, 0, 0.5}));
    });
    EXPECT_EXACTLY(softmaxes.normalized({0, 3}) == (Vector{0, 1}));
    counterexample_without("real logits");
  });
}

TEST(SoftmaxIsAProbability, RefusesWhatIsNoWeight) {
  check_with_mutants(softmax_is_a_probability_mutants, [](const Softmaxes& softmaxes) {
    expect_refusal<std::invalid_argument>([&] { softmaxes.normalized({}); });
    expect_refusal<std::domain_error>([&] { softmaxes.normalized({1, -1, 2}); });
    expect_refusal<std::domain_error>([&] { softmaxes.normalized({0, 0}); });
    expect_refusal<std::domain_error>([&] { softmaxes.largest_move(Rational(1, 2)); });
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      constexpr Real most = std::numeric_limits<Real>::max();
      expect_refusal<std::overflow_error>([&] { functions.shares({most, most}); });
      EXPECT_EXACTLY(bits_of(functions.shares({most / 2, most / 2})) ==
                     bits_of(Values<Real>{0.5, 0.5}));
      EXPECT_EXACTLY(bits_of(functions.largest_move(most)) == bits_of(Real(1)));
      for (const Real number : {inf<Real>, std::numeric_limits<Real>::quiet_NaN()}) {
        expect_refusal<std::domain_error>([&] { functions.shares({1, number}); });
        expect_refusal<std::domain_error>([&] { functions.largest_move(number); });
      }
    });
  });
}

}  // namespace sqrtdk::properties::SoftmaxIsAProbability
