// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/pi_fraction.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/score/DotProductGrowsWithDimension_mutants.hpp"
#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <boost/math/constants/constants.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::properties::DotProductGrowsWithDimension {

using namespace sqrtdk::testing;

/// E|q·k| for 2m normal entries by a second route: a race between two Poisson processes.
Rational mean_absolute_by_race(std::size_t m) {
  Rational total = 0;
  for (std::size_t k = 0; k < m; ++k)
    total += 2 * Rational(choose(m - 1 + k, k)) / two_to_the(m + k) * Rational(m - k);
  return total;
}

/// g(d) = (π/2) a(d)², with which the asymptotics of a(d) = E|q·k| read g(d) ≈ d − 1/2.
Interval<Rational> halved_pi_times_square(const PiFraction& a) {
  const Rational square = a.coefficient * a.coefficient;
  if (a.over_pi) return {square / (2 * pi_bounds().upper), square / (2 * pi_bounds().lower)};
  return {square * pi_bounds().lower / 2, square * pi_bounds().upper / 2};
}

/// The dimensions at which the growth for normal entries is decided.
std::vector<std::size_t> dimensions_for_growth() {
  std::vector<std::size_t> dimensions;
  for (std::size_t d = 1; d <= 65; ++d) dimensions.push_back(d);
  for (const std::size_t d : {127U, 128U, 511U, 512U}) dimensions.push_back(d);
  return dimensions;
}

//! [DotProductGrowsWithDimension]
TEST(DotProductGrowsWithDimension, NeverFallsWhenACentredTermIsAdded) {
  check_statement(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution so_far = *any_distribution().as("distribution of the sum so far");
      const RationalDistribution q =
          *centred_distribution().as("distribution of the next q, mean zero");
      const RationalDistribution k = *small_distribution().as("distribution of the next k");
      EXPECT_EXACTLY(rules.mean_absolute(rules.sum(so_far, product(q, k))) >=
                     rules.mean_absolute(so_far));
    });
  });
}
//! [DotProductGrowsWithDimension]

//! [DotProductGrowsWithDimension: when it rises]
TEST(DotProductGrowsWithDimension, RisesExactlyIfTheNewTermCanTurnTheSign) {
  check_statement(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution so_far = *any_distribution().as("distribution of the sum so far");
      const RationalDistribution term =
          *centred_distribution().as("distribution of the next term, mean zero");
      bool can_turn = false;
      for (const auto& s : so_far.atoms())
        for (const auto& x : term.atoms())
          if (s.outcome * (s.outcome + x.outcome) < 0 || (s.outcome == 0 && x.outcome != 0))
            can_turn = true;
      const bool rises = rules.mean_absolute(rules.sum(so_far, term)) > rules.mean_absolute(so_far);
      EXPECT_EXACTLY(rises == can_turn);
    });
  });
}
//! [DotProductGrowsWithDimension: when it rises]

TEST(DotProductGrowsWithDimension, NeverFallsWithTheDimension) {
  check_statement(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    for_all(
        [&] {
          const auto d = *rc::gen::inRange<std::size_t>(1, 3).as("d");
          const RationalDistribution q =
              *small_centred_distribution().as("distribution of each entry of q");
          const RationalDistribution k =
              *small_distribution().as("distribution of each entry of k");
          EXPECT_EXACTLY(rules.mean_absolute(rules.distribution(q, k, d + 1)) >=
                         rules.mean_absolute(rules.distribution(q, k, d)));
        },
        50);
  });
}

TEST(DotProductGrowsWithDimension, NormalEntriesAgreeWithARaceAtEvenDimensions) {
  check_statement(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    const std::size_t largest = 64;
    for (std::size_t m = 1; m <= largest; ++m)
      EXPECT_EXACTLY(rules.normal_mean_absolute(2 * m) == PiFraction{mean_absolute_by_race(m)})
          << "d = " << 2 * m;
    enumerated(largest);
  });
}

TEST(DotProductGrowsWithDimension, NormalEntriesFollowTheRecurrence) {
  check_statement(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    PiFraction odd{2, true};
    PiFraction even{1, false};
    const std::size_t largest = 128;
    for (std::size_t d = 1; d <= largest; ++d) {
      PiFraction& next = d % 2 == 0 ? even : odd;
      EXPECT_EXACTLY(rules.normal_mean_absolute(d) == next) << "d = " << d;
      next.coefficient *= Rational(d + 1) / Rational(d);
    }
    enumerated(largest);
  });
}

TEST(DotProductGrowsWithDimension, NeighboursMultiplyToTwiceTheDimensionOverPi) {
  check_statement(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    const std::size_t largest = 128;
    for (std::size_t d = 1; d <= largest; ++d) {
      const PiFraction a = rules.normal_mean_absolute(d);
      const PiFraction b = rules.normal_mean_absolute(d + 1);
      EXPECT_EXACTLY(a.coefficient * b.coefficient == 2 * d) << "d = " << d;
      EXPECT_EXACTLY(a.over_pi != b.over_pi) << "d = " << d;
    }
    enumerated(largest);
  });
}

//! [DotProductGrowsWithDimension: exact check]
TEST(DotProductGrowsWithDimension, NormalEntriesRiseAtEveryDimension) {
  check_statement(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    for (const std::size_t d : dimensions_for_growth()) {
      EXPECT_EXACTLY(bounds(rules.normal_mean_absolute(d)).upper <
                     bounds(rules.normal_mean_absolute(d + 1)).lower)
          << "d = " << d;
      enumerated(1);
    }
  });
}
//! [DotProductGrowsWithDimension: exact check]

TEST(DotProductGrowsWithDimension, NormalEntriesLieInTheBracket) {
  check_statement(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    for (const std::size_t d : dimensions_for_growth()) {
      const Interval<Rational> g = halved_pi_times_square(rules.normal_mean_absolute(d));
      EXPECT_EXACTLY(g.lower > d - Rational(1, 2)) << "d = " << d;
      EXPECT_EXACTLY(g.upper < Rational(d * d) / (d + Rational(1, 2))) << "d = " << d;
      if (d <= 4)
        record_value("g_" + std::to_string(d), format_fixed(g.lower.convert_to<double>(), 3));
      enumerated(1);
    }
    // The least that it can be exceeds every number, and so does the size.
    const Interval<Rational> few = halved_pi_times_square(rules.normal_mean_absolute(4));
    const Interval<Rational> many = halved_pi_times_square(rules.normal_mean_absolute(512));
    expect_confirmed("S1", "blow up", many.lower > 128 * few.upper);
    expect_confirmed("S3", "Exploding Dot Products", many.lower > 128 * few.upper);
  });
}

TEST(DotProductGrowsWithDimension, MachinsFormulaEnclosesPi) {
  check_with_mutants(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    const Rational pi(boost::math::constants::pi<Wide>());
    EXPECT_EXACTLY(rules.pi_bounds().lower < pi);
    EXPECT_EXACTLY(rules.pi_bounds().upper > pi);
    EXPECT_EXACTLY(rules.pi_bounds().upper - rules.pi_bounds().lower < Rational(1, 1000000000000));
  });
}

//! [DotProductGrowsWithDimension: exact check of the signs]
TEST(DotProductGrowsWithDimension, SignsRiseAtOddDimensionsOnly) {
  check_statement(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    const std::size_t largest = 24;
    Rational before = 0;
    for (std::size_t d = 1; d <= largest; ++d) {
      const Rational size = rules.mean_absolute(dot_product_distribution(fair_sign, fair_sign, d));
      EXPECT_EXACTLY((size > before) == (d % 2 == 1)) << "d = " << d;
      EXPECT_EXACTLY(size == rules.sign_mean_absolute(d)) << "d = " << d;
      before = size;
    }
    enumerated(largest);
  });
}
//! [DotProductGrowsWithDimension: exact check of the signs]

TEST(DotProductGrowsWithDimension, SignsDoNotGrowFromAnOddDimensionToTheNext) {
  check_with_mutants(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 23; d += 2) {
      EXPECT_EXACTLY(rules.mean_absolute(dot_product_distribution(fair_sign, fair_sign, d)) ==
                     rules.mean_absolute(dot_product_distribution(fair_sign, fair_sign, d + 1)))
          << "d = " << d;
      enumerated(1);
    }
    counterexample_without("the sign can turn");
  });
}

TEST(DotProductGrowsWithDimension, SignsAndNormalEntriesAgreeAtEvenDimensions) {
  check_with_mutants(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    const std::size_t largest = 64;
    for (std::size_t m = 1; m <= largest; ++m)
      EXPECT_EXACTLY(rules.normal_mean_absolute(2 * m) == PiFraction{sign_mean_absolute(2 * m)})
          << "d = " << 2 * m;
    enumerated(largest);
  });
}

TEST(DotProductGrowsWithDimension, FourTermsStaySmallAndFiveHundredAndTwelveDoNot) {
  check_with_mutants(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    const Rational four = rules.sign_mean_absolute(4);
    const Rational many = rules.sign_mean_absolute(512);
    expect_confirmed("S2", "much larger in magnitude", many > 12 * four);
    EXPECT_EXACTLY(many < 13 * four);
    Rational still_small = 0;  // P(|q·k| <= 4) at d = 512
    for (std::size_t ones = 254; ones <= 258; ++ones)
      still_small += Rational(choose(512, ones)) / two_to_the(512);
    record_value("at_4", format_fixed(four.convert_to<double>(), 1));
    record_value("at_512", format_fixed(many.convert_to<double>(), 3));
    record_value("still_small_at_512", format_fixed(still_small.convert_to<double>(), 3));
  });
}

TEST(DotProductGrowsWithDimension, ASecondTermThatTakesBackTheFirstLeavesNothing) {
  check_with_mutants(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    // q = (s, −s) and k = (1, 1) with one fair sign s.
    const auto score_of_the_first = [](std::size_t d) {
      return fair_sign.image([d](const Rational& s) {
        const Vector q = {s, -s};
        return dot_product({q.begin(), q.begin() + static_cast<std::ptrdiff_t>(d)}, Vector(d, 1));
      });
    };
    EXPECT_EXACTLY(rules.mean_absolute(score_of_the_first(1)) == 1);
    EXPECT_EXACTLY(rules.mean_absolute(score_of_the_first(2)) == 0);
    enumerated(2);
    counterexample_without("independent");
  });
}

TEST(DotProductGrowsWithDimension, IsAtMostTheRootOfTheVarianceIfAMeanIsZero) {
  check_with_mutants(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    for_all(
        [&] {
          const auto d = *rc::gen::inRange<std::size_t>(1, 3).as("d");
          const RationalDistribution q =
              *small_centred_distribution().as("distribution of each entry of q");
          const RationalDistribution k =
              *small_distribution().as("distribution of each entry of k");
          const RationalDistribution score = rules.distribution(q, k, d);
          const Rational size = rules.mean_absolute(score);
          EXPECT_EXACTLY(size * size <= variance(score));
        },
        50);
    EXPECT_EXACTLY(rules.mean_absolute(rules.distribution(fair_sign, fair_two, 4)) == 3);
    // Both means are 1 and the variance is d, since 4/3 · 3/2 = 2, and the size is d.
    const RationalDistribution q({0, Rational(4, 3)}, {Rational(1, 4), Rational(3, 4)});
    const RationalDistribution k({0, Rational(3, 2)}, {Rational(1, 3), Rational(2, 3)});
    for (std::size_t d = 1; d <= 6; ++d) {
      EXPECT_EXACTLY(variance(rules.distribution(q, k, d)) == d);
      EXPECT_EXACTLY(rules.mean_absolute(rules.distribution(q, k, d)) == d);
    }
    enumerated(7);
    counterexample_without("mean zero");
  });
}

TEST(DotProductGrowsWithDimension, AMeanBelowZeroCanMakeItFall) {
  check_with_mutants(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    const RationalDistribution q({-1, 2}, {Rational(7, 10), Rational(3, 10)});
    const Rational two_terms = mean_absolute(rules.distribution(q, one, 2));
    const Rational three_terms = mean_absolute(rules.distribution(q, one, 3));
    EXPECT_EXACTLY(three_terms < two_terms);
    record_value("two_terms", two_terms.str());
    record_value("three_terms", three_terms.str());
    counterexample_without("mean zero");
  });
}

TEST(DotProductGrowsWithDimension, RefusesDimensionZero) {
  check_with_mutants(dot_product_grows_with_dimension_mutants, [](const Rules& rules) {
    expect_refusal<std::domain_error>([&] { rules.normal_mean_absolute(0); }, refuses_zero);
    expect_refusal<std::domain_error>([&] { rules.sign_mean_absolute(0); }, refuses_zero);
  });
}

}  // namespace sqrtdk::properties::DotProductGrowsWithDimension
