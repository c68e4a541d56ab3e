// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/softmax/functions.hpp"
#include "properties/softmax_error/fixture.hpp"
#include "properties/support/outcomes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace sqrtdk::properties::OnePassError {

using namespace sqrtdk::testing;

/// Cuts of a list into parts, some of them empty.
rc::Gen<Cuts> cuts_of(std::size_t n) {
  return rc::gen::map(rc::gen::container<Cuts>(rc::gen::inRange<std::size_t>(0, n + 1)),
                      [](Cuts cuts) {
                        std::sort(cuts.begin(), cuts.end());
                        return cuts;
                      });
}

/// Lists that rise, fall, jump, and have masks, with cuts.
template <class Real>
std::vector<std::pair<Values<Real>, Cuts>> telling_parts() {
  const Real max = std::numeric_limits<Real>::max();
  const Real great = static_cast<Real>(std::min<long double>(max, 0x1p1023L) / 2);
  return {{{0, 1, 2, 3, 4}, {}},
          {{4, 3, 2, 1, 0}, {2, 2}},
          {{0, -1, 5, 5, 2, 7}, {1, 3, 3}},
          {{-inf<Real>, 0, -inf<Real>, 2}, {1, 2}},
          {{-max, 0, great, great}, {2}},
          {{-100, -50, 0, -103}, {1, 1, 3}}};
}

template <class Function>
Softmaxes with_split(Function wrong) {
  Softmaxes result;
  result.in_double.split = wrong;
  result.in_float.split = wrong;
  return result;
}

const Mutants one_pass_error_mutants = {
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
    {"weights are halved if a part is empty", "PartsMayBeMergedInAnyWay",
     with_split([](const auto& x, const Cuts& cuts) {
       auto result = library_split(x, cuts);
       if (std::adjacent_find(cuts.begin(), cuts.end()) != cuts.end())
         for (auto& weight : result.first) weight /= 2;
       return result;
     })},
    {"rescalings are not counted", "RescalingsAreCounted",
     with_split([](const auto& x, const Cuts& cuts) {
       return std::pair(library_split(x, cuts).first, std::size_t{0});
     })},
    {"every logit counts as a rescaling", "RescalingsAreCounted",
     with_split([](const auto& x, const Cuts& cuts) {
       return std::pair(library_split(x, cuts).first, x.size());
     })},
    {"one pass knows the first maximum only",
     "OnePassStaysWithinTheBound",
     {.in_float = {.online = [](const Values<float>& x,
                                float) { return shifted_softmax(x, x.front()); }}}},
    {"the bound counts a rescaling for each logit", "UncountedRescalingsBreakTheBound",
     with_arithmetic([](SoftmaxArithmetic& by) { by.rescalings = 63; })},
    {"the logarithm of the sum is left out",
     "TheLogarithmOfPartsStaysWithinItsBound",
     {.in_double = {.split_log_sum =
                        [](const Values<double>& x, const Cuts& cuts) {
                          const auto state = merged_state(x, cuts);
                          return std::pair(state.maximum(), state.rescalings());
                        }}}},
    {"the maximum is left out of the logarithm",
     "TheLogarithmOfPartsStaysWithinItsBound",
     {.in_float = {.split_log_sum =
                       [](const Values<float>& x, const Cuts& cuts) {
                         const auto state = merged_state(x, cuts);
                         return std::pair(std::log(state.sum()), state.rescalings());
                       }}}},
};

//! [OnePassError]
TEST(OnePassError, PartsMayBeMergedInAnyWay) {
  check_statement(one_pass_error_mutants, [](const Softmaxes& softmaxes) {
    in_each(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for (const auto& [x, cuts] : telling_parts<Real>())
        expect(split_law<Real>(functions.split, x, cuts));
      for_all([&] {
        const Values<Real> x = *scores<Real>(17).as("x");
        const Cuts cuts = *cuts_of(x.size()).as("cuts");
        require_unless_vacuous(split_law<Real>(functions.split, x, cuts));
      });
    });
  });
}
//! [OnePassError]

//! [OnePassError: exact check]
TEST(OnePassError, RescalingsAreCounted) {
  check_with_mutants(one_pass_error_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      // Each logit raises the maximum: one rescaling fewer than logits.
      const Values<Real> rising = {0, 1, 2, 3, 4};
      EXPECT_EXACTLY(functions.split(rising, {}).second == 4U);
      EXPECT_EXACTLY(functions.split(rising, {2, 2}).second == 2U);
      EXPECT_EXACTLY(functions.split({4, 3, 2, 1, 0}, {}).second == 1U);
      // What counts is the weight that was rescaled most, on whichever side of a merge.
      EXPECT_EXACTLY(functions.split({10, 0, 1, 2, 11}, {1}).second == 3U);
      EXPECT_EXACTLY(functions.split({11, 0, 1, 2, 10}, {1}).second == 4U);
    });
    enumerated(10);
  });
}
//! [OnePassError: exact check]

TEST(OnePassError, OnePassStaysWithinTheBound) {
  check_statement(one_pass_error_mutants, [](const Softmaxes& softmaxes) {
    in_each(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const auto outcome_of = [&](const Values<Real>& x) {
        SoftmaxArithmetic by = arithmetic_of<Real>();
        by.summation = Summation::any_order;
        by.rescalings = merged_state(x, {}).rescalings();
        return accuracy_law<Real>(functions.online, x, 1, by);
      };
      for (const auto& [x, cuts] : telling_parts<Real>()) expect(outcome_of(x));
      for_all([&] { require_unless_vacuous(outcome_of(*scores<Real>(17).as("x"))); });
    });
  });
}

/// One pass with exponentials that are too large by 7u, unless they are 1.
Values<double> biased_one_pass(const Values<double>& x, double) {
  const auto exp = [](double d) { return d < 0 ? std::exp(d) * (1 + 7 * 0x1p-53) : 1.0; };
  double m = x[0];
  double sum = 0;
  for (const double logit : x) {
    if (logit > m) sum *= exp(std::exchange(m, logit) - logit);
    sum += exp(logit - m);
  }
  Values<double> weights;
  for (const double logit : x) weights.push_back(exp(logit - m) / sum);
  return weights;
}

TEST(OnePassError, UncountedRescalingsBreakTheBound) {
  check_with_mutants(one_pass_error_mutants, [](const Softmaxes& softmaxes) {
    Values<double> rising;
    for (int j = 0; j < 64; ++j) rising.push_back(j * 0x1p-10);
    SoftmaxArithmetic by = arithmetic_of<double>();
    by.exp_error = 8;
    by.summation = Summation::any_order;
    const auto uncounted = softmaxes.in_double.bound(rising, 1, by);
    EXPECT_FALSE(accuracy_law<double>(biased_one_pass, rising, 1, uncounted).holds());
    by.rescalings = 63;
    expect(accuracy_law<double>(biased_one_pass, rising, 1, by));
    counterexample_without("counted rescalings");
  });
}

TEST(OnePassError, TheLogarithmOfPartsStaysWithinItsBound) {
  check_statement(one_pass_error_mutants, [](const Softmaxes& softmaxes) {
    in_each(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const auto outcome_of = [&](const Values<Real>& x, const Cuts& cuts) {
        const std::pair<Real, std::size_t> merged = functions.split_log_sum(x, cuts);
        SoftmaxArithmetic by = arithmetic_of<Real>();
        by.summation = Summation::any_order;
        by.rescalings = merged.second;
        const auto computed = [&](const Values<Real>&, Real) { return merged.first; };
        return log_sum_exp_law<Real>(computed, x, 1, by);
      };
      for (const auto& [x, cuts] : telling_parts<Real>()) expect(outcome_of(x, cuts));
      for_all(
          [&] {
            const Values<Real> x = *scores<Real>(17).as("x");
            const Cuts cuts = *cuts_of(x.size()).as("cuts");
            require_unless_vacuous(outcome_of(x, cuts));
          },
          100);
    });
  });
}

}  // namespace sqrtdk::properties::OnePassError
