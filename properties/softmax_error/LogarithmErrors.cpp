#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include "properties/softmax_error/fixture.hpp"
#include "properties/support/outcomes.hpp"

namespace sqrtdk::properties::LogarithmErrors {

//! [LogarithmErrors]
STATEMENT(LogarithmErrors, LogarithmsStayWithinTheirBounds) {
  in_each(subject, [](const auto& functions, auto real) {
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
}
//! [LogarithmErrors]
KILLS("the logarithm is to base 2", {.in_double = {.log_sum_exp = [](auto& x, double temperature) {
                                       return library_log_sum_exp(x, temperature) / std::log(2.0);
                                     }}});
KILLS("the maximum is not added again",
      {.in_double = {.log_sum_exp = [](auto& x, double temperature) {
         return library_log_sum_exp(x, temperature) - greatest_of(x) / temperature;
       }}});
KILLS("the logarithm is that of the weight",
      {.in_float = {.log_softmax = [](auto& x, float temperature) {
         Values<float> y = library_softmax(x, temperature);
         for (float& weight : y) weight = std::log(weight);
         return y;
       }}});

STATEMENT(LogarithmErrors, DifferencesThatOverflowDoNoHarm) {
  in_each(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    for (const auto& [x, temperature] : overflowing_differences<Real>()) {
      // Nothing is promised where the results themselves are out of range.
      if (2 * (std::numeric_limits<Real>::max() / temperature) > Real(1e37)) continue;
      expect(log_sum_exp_law<Real>(functions.log_sum_exp, x, temperature));
      expect(log_softmax_law<Real>(functions.log_softmax, x, temperature));
    }
  });
}
KILLS("differences may overflow", {.in_float = {.log_softmax = [](auto& x, float temperature) {
                                     Values<float> y = x;
                                     const float m = greatest_of(x);
                                     const float log_sum =
                                         library_log_sum_exp(x, temperature) - m / temperature;
                                     for (float& score : y)
                                       score = (score - m) / temperature - log_sum;
                                     return y;
                                   }}});
KILLS("the sum takes differences that overflow",
      {.in_double = {.log_sum_exp = [](auto& x, double temperature) {
         const double m = greatest_of(x);
         double sum = 0;
         for (const double score : x) sum += std::exp((score - m) / temperature);
         return m / temperature + std::log(sum);
       }}});

STATEMENT(LogarithmErrors, AnAdversaryDoesNotBreakThem) {
  in_float_and_double(subject, [](const auto& functions, auto real, const std::string& type) {
    using Real = decltype(real);
    expect_no_worse<Real>(type + "sum_", [&](const Values<Real>& x, Real temperature) {
      return log_sum_exp_law<Real>(functions.log_sum_exp, x, temperature);
    });
    expect_no_worse<Real>(type + "softmax_", [&](const Values<Real>& x, Real temperature) {
      return log_softmax_law<Real>(functions.log_softmax, x, temperature);
    });
  });
}
KILLS("the logarithm of the sum loses two units",
      {.in_float = {.log_sum_exp = [](auto& x, float temperature) {
         return library_log_sum_exp(x, temperature) *
                (1 - 2 * std::numeric_limits<float>::epsilon());
       }}});
KILLS("the logarithm of a weight loses two units",
      {.in_double = {.log_softmax = [](auto& x, double temperature) {
         Values<double> y = library_log_softmax(x, temperature);
         for (double& entry : y) entry *= 1 - 2 * std::numeric_limits<double>::epsilon();
         return y;
       }}});

STATEMENT(LogarithmErrors, StoredInAShorterTypeTheyAreRoundedOnce) {
  in_storage(subject, [](const auto& functions, auto storage) {
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
}
KILLS("half precision takes the logarithm of a rounded weight",
      {.in_half = {.log_softmax = [](auto& x, float temperature) {
         Values<float> y = library_stored_softmax<Eigen::half>(x, temperature);
         for (float& weight : y) weight = std::log(weight);
         return y;
       }}});
KILLS("bfloat16 is cut off and not rounded",
      {.in_bfloat16 = {.log_softmax = [](auto& x, float temperature) {
         Values<float> y = library_log_softmax(x, temperature);
         for (float& number : y)
           number = std::bit_cast<float>(std::bit_cast<std::uint32_t>(number) & 0xffff0000U);
         return y;
       }}});

ASIDE(LogarithmErrors, WhatCannotBeStoredIsOutside) {
  // The exact logarithm is −131008, beyond what binary16 can store: no bound is promised.
  const Values<float> apart = {-65504, 65504};
  const auto bound = subject.in_float.log_bound(apart, 1, arithmetic_of<Eigen::half>());
  EXPECT_EXACTLY(bits_of(subject.in_half.log_softmax(apart, 1)[0]) == bits_of(-inf<float>));
  EXPECT_EXACTLY(bits_of(bound[0]) == bits_of(inf<double>));
  counterexample_without("results in range");
}
KILLS("any logarithm can be stored",
      {.in_float = {.log_bound = [](auto& x, float temperature, auto& by) {
         SoftmaxArithmetic changed = by;
         changed.storage_largest = inf<double>;
         return library_log_bound(x, temperature, changed);
       }}});

template <class Change>
Subject with_logarithms_of(Change) {
  Subject result;
  result.in_double.lse_bound = [](const Values<double>& x, double temperature,
                                  const SoftmaxArithmetic& by) {
    return library_lse_bound(x, temperature, changed<Change>(by));
  };
  result.in_float.log_bound = [](const Values<float>& x, float temperature,
                                 const SoftmaxArithmetic& by) {
    return library_log_bound(x, temperature, changed<Change>(by));
  };
  return result;
}

ASIDE(LogarithmErrors, TheirBoundsAreTheFormulasOfThePage) {
  in_both(subject, [](const auto& functions, auto real) {
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
}
KILLS("the bound of log-sum-exp lacks the logarithm",
      {.in_double = {.lse_bound = [](auto& x, double temperature, auto& by) {
         SoftmaxArithmetic changed = by;
         changed.log_error = 0;
         return library_lse_bound(x, temperature, changed);
       }}});
KILLS("the bound of log-softmax lacks the rounding of t",
      {.in_float = {.log_bound = [](auto& x, float temperature, auto& by) {
         Eigen::VectorXd bound = library_log_bound(x, temperature, by);
         for (Eigen::Index j = 0; j < bound.size(); ++j)
           bound[j] -=
               by.unit_roundoff *
               static_cast<double>((greatest_of(x) - x[static_cast<std::size_t>(j)]) / temperature);
         return bound;
       }}});
KILLS("the bounds lack the depth of the sum",
      with_logarithms_of([](SoftmaxArithmetic& by) { by.summation = Summation::pairwise; }));
KILLS("the bounds lack the rescalings",
      with_logarithms_of([](SoftmaxArithmetic& by) { by.rescalings = 0; }));
KILLS("the bounds lack underflow",
      with_logarithms_of([](SoftmaxArithmetic& by) { by.smallest = 0; }));
KILLS("the bounds lack the reduction of the argument",
      with_logarithms_of([](SoftmaxArithmetic& by) { by.exp_argument_error = 0; }));
KILLS("the bound of log-softmax lacks the storage",
      {.in_float = {.log_bound = [](auto& x, float temperature, auto& by) {
         SoftmaxArithmetic changed = by;
         changed.storage_roundoff = 0;
         return library_log_bound(x, temperature, changed);
       }}});
KILLS("ln S loses half a unit of 1 where it is small",
      {.in_double = {.log_bound = [](auto& x, double temperature, auto& by) {
         Eigen::VectorXd bound = library_log_bound(x, temperature, by);
         // At worst the sum 1 + e^(-32) loses half a unit of 1.
         if (x.size() == 2 && x[0] - x[1] == 32)
           for (double& each : bound) each -= by.storage_roundoff * 0x1p-53;
         return bound;
       }}});

ASIDE(LogarithmErrors, NoBoundIsNaNAndNoneIsKeptByChance) {
  in_both(subject, [](const auto& functions, auto real) {
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
}
KILLS("a result is never out of range", with_logarithms_of([](SoftmaxArithmetic& by) {
        by.largest = inf<double>;
        by.storage_largest = inf<double>;
      }));
KILLS("the rounding of the storage is 0 times infinity",
      {.in_double = {.log_bound = [](auto& x, double temperature, auto& by) {
         Eigen::VectorXd bound = library_log_bound(x, temperature, by);
         for (Eigen::Index j = 0; j < bound.size(); ++j)
           bound[j] += 0 * ((greatest_of(x) - x[static_cast<std::size_t>(j)]) / temperature);
         return bound;
       }}});

ASIDE(LogarithmErrors, ABoundThatSaysNothingIsCalledVacuous) {
  // Six bits: nothing is promised, so that an implementation that returns 12345 is not accepted.
  SoftmaxArithmetic coarse = arithmetic_of<double>();
  coarse.unit_roundoff = 0x1p-6;
  const Values<double> x = {0, -1};
  const auto wrong = [](const Values<double>&, double) { return 12345.0; };
  const auto wrong_logs = [](const Values<double>& scores, double) {
    return Values<double>(scores.size(), 12345.0);
  };
  EXPECT_EQ(subject.in_double.lse_bound(x, 1, coarse), inf<double>);
  EXPECT_EQ(subject.in_double.log_bound(x, 1, coarse)[0], inf<double>);
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
}
KILLS("coarse arithmetic has a bound of 1",
      {.in_double = {.lse_bound = [](auto& x, double temperature, auto& by) {
         return std::min(library_lse_bound(x, temperature, by), 1.0);
       }}});

Values<Wide> close_scores(int i) { return {0, -(Wide(256 + i) / 1024)}; }

/// The distance of a logarithm of fifty digits from that of a hundred.
Wider log_sum_exp_error(const Subject& subject, const Values<Wide>& x) {
  return abs(Wider(subject.in_fifty_digits.log_sum_exp(x, 1)) -
             library_log_sum_exp<Wider>(Values<Wider>(x.begin(), x.end()), 1));
}

ASIDE(LogarithmErrors, FiftyDigitsKeepTheirBounds) {
  evidence().rests_on(EvidenceLevel::measured);  // A, κ and Λ of fifty digits
  const SoftmaxArithmetic by = subject.of_fifty_digits();
  for (int i = 0; i < 64; ++i) {
    const Values<Wide> x = close_scores(i);
    const Wider error = log_sum_exp_error(subject, x);
    const Wider allowed(subject.in_fifty_digits.lse_bound(x, 1, by));
    EXPECT_LE(error, allowed) << x[1];
    if (error <= allowed) evidence().worst(static_cast<double>(Wider(error / allowed)), 1);
    const Values<Wide> logs = subject.in_fifty_digits.log_softmax(x, 1);
    const Values<Wider> exact = library_log_softmax<Wider>(Values<Wider>(x.begin(), x.end()), 1);
    const Eigen::VectorXd bound = subject.in_fifty_digits.log_bound(x, 1, by);
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_LE(abs(Wider(logs[j]) - exact[j]), bound[static_cast<Eigen::Index>(j)]) << x[1];
  }
  enumerated(64);
}
KILLS("fifty digits are said to have the log of a processor",
      {.of_fifty_digits = as_of_hardware<Wide>});

ASIDE(LogarithmErrors, TwoUnitsAreTooFewForFiftyDigits) {
  evidence().rests_on(EvidenceLevel::measured);
  int beyond = 0;
  for (int i = 0; i < 64; ++i) {
    const Values<Wide> x = close_scores(i);
    const double bound = library_lse_bound<Wide>(x, 1, as_of_hardware<Wide>());
    beyond += log_sum_exp_error(subject, x) > Wider(bound);
  }
  EXPECT_GT(beyond, 0);
  enumerated(64);
  counterexample_without("accurate logarithm");
}
KILLS("fifty digits are computed in a hundred",
      {.in_fifty_digits = {.log_sum_exp = [](auto& x, Wide temperature) {
         return Wide(
             library_log_sum_exp<Wider>(Values<Wider>(x.begin(), x.end()), Wider(temperature)));
       }}});

}  // namespace sqrtdk::properties::LogarithmErrors
