// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/softmax/functions.hpp"
#include "properties/softmax_error/LogarithmErrors_mutants.hpp"
#include "properties/softmax_error/fixture.hpp"
#include "properties/support/outcomes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace sqrtdk::properties::LogarithmErrors {

using namespace sqrtdk::testing;

//! [LogarithmErrors]
TEST(LogarithmErrors, LogarithmsStayWithinTheirBounds) {
  check_statement(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    in_each(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      // A weight that underflows has a logarithm.
      for (const Values<Real>& x :
           {Values<Real>{0, -20000}, {3}, {1, 1, -inf<Real>}, {-5, -6, -7}, {1000, 999}}) {
        expect(log_sum_exp_law<Real>(functions.log_sum_exp, x, 1));
        expect(log_softmax_law<Real>(functions.log_softmax, x, 1));
      }
      for_all(
          [&] {
            const Values<Real> x = *scores<Real>(17).as("x");
            const Real temperature = *temperatures<Real>().as("temperature");
            require_law(log_sum_exp_law<Real>(functions.log_sum_exp, x, temperature));
          },
          100);
      for_all(
          [&] {
            const Values<Real> x = *scores<Real>(17).as("x");
            const Real temperature = *temperatures<Real>().as("temperature");
            require_law(log_softmax_law<Real>(functions.log_softmax, x, temperature));
          },
          100);
    });
  });
}
//! [LogarithmErrors]

TEST(LogarithmErrors, DifferencesThatOverflowDoNoHarm) {
  check_statement(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    in_each(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for (const auto& [x, temperature] : overflowing_differences<Real>()) {
        // Where the results themselves are out of range nothing is promised.
        if (2 * (std::numeric_limits<Real>::max() / temperature) > Real(1e37)) continue;
        expect(log_sum_exp_law<Real>(functions.log_sum_exp, x, temperature));
        expect(log_softmax_law<Real>(functions.log_softmax, x, temperature));
      }
    });
  });
}

TEST(LogarithmErrors, AnAdversaryDoesNotBreakThem) {
  check_statement(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    in_float_and_double(softmaxes, [](const auto& functions, auto real, const std::string& type) {
      using Real = decltype(real);
      expect_no_worse<Real>(type + "sum_", [&](const Values<Real>& x, Real temperature) {
        return log_sum_exp_law<Real>(functions.log_sum_exp, x, temperature);
      });
      expect_no_worse<Real>(type + "softmax_", [&](const Values<Real>& x, Real temperature) {
        return log_softmax_law<Real>(functions.log_softmax, x, temperature);
      });
    });
  });
}

TEST(LogarithmErrors, StoredInAShorterTypeTheyAreRoundedOnce) {
  check_statement(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    in_storage(softmaxes, [](const auto& functions, auto storage) {
      using Storage = decltype(storage);
      const SoftmaxArithmetic by = arithmetic_of<Storage>();
      for (const Values<float>& x : {Values<float>{0, 0, 0}, {0, -8, -20}, {0.5, -0.25, 0.75}, {1}})
        expect(log_softmax_law<float>(functions.log_softmax, x, 1, by));
      for_all(
          [&] {
            const auto stored_scores = *scores<Storage>(17).as("x");
            const float temperature = *temperatures<float>().as("temperature");
            const Values<float> x(stored_scores.begin(), stored_scores.end());
            require_law(log_softmax_law<float>(functions.log_softmax, x, temperature, by));
          },
          100);
    });
  });
}

TEST(LogarithmErrors, WhatCannotBeStoredIsOutside) {
  check_with_mutants(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    // The exact logarithm is −131008, beyond what binary16 can store: no bound is promised.
    const Values<float> apart = {-65504, 65504};
    const auto bound = softmaxes.in_float.log_bound(apart, 1, arithmetic_of<Eigen::half>());
    EXPECT_EXACTLY(bits_of(softmaxes.in_half.log_softmax(apart, 1)[0]) == bits_of(-inf<float>));
    EXPECT_EXACTLY(bits_of(bound[0]) == bits_of(inf<double>));
    counterexample_without("results in range");
  });
}

TEST(LogarithmErrors, TheirBoundsAreTheFormulasOfThePage) {
  check_with_mutants(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const auto agrees = [&](const Values<Real>& x, std::size_t j, Real temperature,
                              const SoftmaxArithmetic& by) {
        const PageBounds page = page_bounds(x, j, temperature, by);
        const Eigen::VectorXd bound = functions.log_bound(x, temperature, by);
        const bool masked = x[j] == -inf<Real>;
        return is_raised(functions.lse_bound(x, temperature, by), page.of_log_sum_exp) &&
               (masked ? bound[static_cast<Eigen::Index>(j)] == 0
                       : is_raised(bound[static_cast<Eigen::Index>(j)], page.of_log_softmax));
      };
      // ln S is near 0, and what the storage rounds is that alone.
      SoftmaxArithmetic stored = arithmetic_of<Real>();
      stored.storage_roundoff = 0x1p-11;
      EXPECT_TRUE(agrees({32, 0}, 0, 1, stored));
      // m/τ is finite, and within the margin of the range.
      EXPECT_TRUE(agrees({Real(4) * (1 - Real(bound_margin) / 2)}, 0,
                         std::numeric_limits<Real>::min(), arithmetic_of<Real>()));
      expect_formulas_of_the_page<Real>(agrees);
    });
  });
}

TEST(LogarithmErrors, NoBoundIsNaNAndNoneIsKeptByChance) {
  check_with_mutants(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      using Limits = std::numeric_limits<Real>;
      std::uint64_t count = 0;
      for (const Real greatest :
           {Limits::max(), Real(1), Real(0), Limits::denorm_min(), -Limits::max()})
        for (const Real least : {-inf<Real>, -Limits::max(), Real(-1), greatest})
          for (const Real temperature :
               {Limits::denorm_min(), Limits::min(), Real(1), Limits::max()}) {
            // exact: the choice of a case
            if (least > greatest) continue;
            const Values<Real> x = {greatest, least};
            const SoftmaxArithmetic by = arithmetic_of<Real>();
            const double of_sum = functions.lse_bound(x, temperature, by);
            const Eigen::VectorXd of_logs = functions.log_bound(x, temperature, by);
            EXPECT_EXACTLY(!(std::isnan(of_sum) || of_logs.hasNaN()));
            // A result that overflowed is not covered by a finite bound, nor by luck.
            const bool sum_is_finite = std::isfinite(library_log_sum_exp(x, temperature));
            EXPECT_EXACTLY((sum_is_finite || std::isinf(of_sum))) << greatest << " " << temperature;
            const Values<Real> logs = library_log_softmax(x, temperature);
            EXPECT_EXACTLY((std::isfinite(logs[1]) || std::isinf(least) || std::isinf(of_logs[1])))
                << greatest << " " << least << " " << temperature;
            ++count;
          }
      enumerated(count);
    });
  });
}

TEST(LogarithmErrors, ABoundThatSaysNothingIsCalledVacuous) {
  check_with_mutants(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    // Six bits: nothing is promised, so that an implementation that returns 12345 is not accepted.
    SoftmaxArithmetic coarse = arithmetic_of<double>();
    coarse.unit_roundoff = 0x1p-6;
    const Values<double> x = {0, -1};
    const auto wrong = [](const Values<double>&, double) { return 12345.0; };
    const auto wrong_logs = [](const Values<double>& scores, double) {
      return Values<double>(scores.size(), 12345.0);
    };
    EXPECT_EQ(softmaxes.in_double.lse_bound(x, 1, coarse), inf<double>);
    EXPECT_EQ(softmaxes.in_double.log_bound(x, 1, coarse)[0], inf<double>);
    EXPECT_TRUE(log_sum_exp_law<double>(wrong, x, 1, coarse).vacuous);
    EXPECT_TRUE(log_softmax_law<double>(wrong_logs, x, 1, coarse).vacuous);
    // A bound that is finite but wide is none either.
    coarse.unit_roundoff = 0x1p-52;
    coarse.summation = Summation::any_order;
    coarse.log_error = 0x1p54;
    EXPECT_TRUE(log_sum_exp_law<double>(wrong, x, 1, coarse).vacuous);
    // In the right arithmetic neither is vacuous, and both are refused.
    const Outcome sum = log_sum_exp_law<double>(wrong, x, 1);
    const Outcome logs = log_softmax_law<double>(wrong_logs, x, 1);
    EXPECT_FALSE(sum.vacuous || sum.holds() || logs.vacuous || logs.holds());
    evidence().rests_on(EvidenceLevel::bounded);
    enumerated(3);
    counterexample_without("the sum");
  });
}

/// The i-th of 64 pairs of scores.
Values<Wide> close_scores(int i) { return {0, -(Wide(256 + i) / 1024)}; }

/// How far a logarithm of fifty digits is from that of a hundred.
Wider log_sum_exp_error(const Softmaxes& softmaxes, const Values<Wide>& x) {
  return abs(Wider(softmaxes.in_fifty_digits.log_sum_exp(x, 1)) -
             library_log_sum_exp<Wider>(Values<Wider>(x.begin(), x.end()), 1));
}

TEST(LogarithmErrors, FiftyDigitsKeepTheirBounds) {
  check_with_mutants(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    evidence().rests_on(EvidenceLevel::measured);  // A, κ and Λ of fifty digits
    const SoftmaxArithmetic by = softmaxes.of_fifty_digits();
    for (int i = 0; i < 64; ++i) {
      const Values<Wide> x = close_scores(i);
      const Wider error = log_sum_exp_error(softmaxes, x);
      const Wider allowed(softmaxes.in_fifty_digits.lse_bound(x, 1, by));
      EXPECT_LE(error, allowed) << x[1];
      if (error <= allowed) evidence().worst(static_cast<double>(Wider(error / allowed)), 1);
      const Values<Wide> logs = softmaxes.in_fifty_digits.log_softmax(x, 1);
      const Values<Wider> exact = library_log_softmax<Wider>(Values<Wider>(x.begin(), x.end()), 1);
      const Eigen::VectorXd bound = softmaxes.in_fifty_digits.log_bound(x, 1, by);
      for (std::size_t j = 0; j < 2; ++j)
        EXPECT_LE(abs(Wider(logs[j]) - exact[j]), bound[static_cast<Eigen::Index>(j)]) << x[1];
    }
    enumerated(64);
  });
}

TEST(LogarithmErrors, TwoUnitsAreTooFewForFiftyDigits) {
  check_with_mutants(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    evidence().rests_on(EvidenceLevel::measured);
    int beyond = 0;
    for (int i = 0; i < 64; ++i) {
      const Values<Wide> x = close_scores(i);
      const double bound = library_lse_bound<Wide>(x, 1, as_of_hardware<Wide>());
      beyond += log_sum_exp_error(softmaxes, x) > Wider(bound);
    }
    EXPECT_GT(beyond, 0);
    enumerated(64);
    counterexample_without("accurate logarithm");
  });
}

}  // namespace sqrtdk::properties::LogarithmErrors
