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

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

//! [LogarithmErrors]
TEST(LogarithmErrors, LogarithmsStayWithinTheirBounds) {
  check_with_mutants(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
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
            require_unless_vacuous(log_sum_exp_law<Real>(functions.log_sum_exp, x, temperature));
          },
          100);
      for_all(
          [&] {
            const Values<Real> x = *scores<Real>(17).as("x");
            const Real temperature = *temperatures<Real>().as("temperature");
            require_unless_vacuous(log_softmax_law<Real>(functions.log_softmax, x, temperature));
          },
          100);
    });
  });
}
//! [LogarithmErrors]

TEST(LogarithmErrors, DifferencesThatOverflowDoNoHarm) {
  check_with_mutants(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
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
  check_with_mutants(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
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
  check_with_mutants(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
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
            require_unless_vacuous(
                log_softmax_law<float>(functions.log_softmax, x, temperature, by));
          },
          100);
    });
    // The exact logarithm is −131008, beyond what binary16 can store: no bound is promised.
    const Values<float> apart = {-65504, 65504};
    EXPECT_EQ(softmaxes.in_half.log_softmax(apart, 1)[0], -inf<float>);
    EXPECT_EQ(softmaxes.in_float.log_bound(apart, 1, arithmetic_of<Eigen::half>())[0], inf<double>);
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
            if (least > greatest) continue;
            const Values<Real> x = {greatest, least};
            const SoftmaxArithmetic by = arithmetic_of<Real>();
            const double of_sum = functions.lse_bound(x, temperature, by);
            const Eigen::VectorXd of_logs = functions.log_bound(x, temperature, by);
            EXPECT_FALSE(std::isnan(of_sum) || of_logs.hasNaN());
            // A result that overflowed is not covered by a finite bound, nor by luck.
            const bool sum_is_finite = std::isfinite(library_log_sum_exp(x, temperature));
            EXPECT_TRUE(sum_is_finite || std::isinf(of_sum)) << greatest << " " << temperature;
            const Values<Real> logs = library_log_softmax(x, temperature);
            EXPECT_TRUE(std::isfinite(logs[1]) || least == -inf<Real> || std::isinf(of_logs[1]))
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
    counterexample_without("the sum");
  });
}

TEST(LogarithmErrors, FiftyDigitsKeepTheirBounds) {
  check_with_mutants(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    int beyond_a_processor = 0;
    for (int i = 0; i < 64; ++i) {
      const Values<Wide> x = {0, -(Wide(256 + i) / 1024)};
      const Values<Wider> wider(x.begin(), x.end());
      const SoftmaxArithmetic by = softmaxes.of_fifty_digits();
      const Wider error = abs(Wider(softmaxes.in_fifty_digits.log_sum_exp(x, 1)) -
                              library_log_sum_exp<Wider>(wider, 1));
      const Wider allowed(softmaxes.in_fifty_digits.lse_bound(x, 1, by));
      const SoftmaxArithmetic hardware = as_of_hardware<Wide>();
      beyond_a_processor += error > Wider(library_lse_bound<Wide>(x, 1, hardware));
      EXPECT_LE(error, allowed) << x[1];
      const Values<Wide> logs = softmaxes.in_fifty_digits.log_softmax(x, 1);
      const Values<Wider> exact = library_log_softmax<Wider>(wider, 1);
      const Eigen::VectorXd bound = softmaxes.in_fifty_digits.log_bound(x, 1, by);
      for (std::size_t j = 0; j < 2; ++j)
        EXPECT_LE(abs(Wider(logs[j]) - exact[j]), bound[static_cast<Eigen::Index>(j)]) << x[1];
      if (error <= allowed) evidence().worst(static_cast<double>(Wider(error / allowed)), 1);
    }
    // With Λ = 2 the bound would be broken.
    EXPECT_GT(beyond_a_processor, 0);
    counterexample_without("accurate logarithm");
    evidence().downgrade_to(EvidenceLevel::bounded);
    enumerated(64);
  });
}

}  // namespace
