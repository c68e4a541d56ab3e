#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <boost/math/constants/constants.hpp>

namespace sqrtdk::properties::DotProductGrowsWithDimension {

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
STATEMENT(DotProductGrowsWithDimension, NeverFallsWhenACentredTermIsAdded) {
  for_all([&] {
    const RationalDistribution so_far = *any_distribution().as("distribution of the sum so far");
    const RationalDistribution q =
        *centred_distribution().as("distribution of the next q, mean zero");
    const RationalDistribution k = *small_distribution().as("distribution of the next k");
    EXPECT_EXACTLY(subject.mean_absolute(subject.sum(so_far, product(q, k))) >=
                   subject.mean_absolute(so_far));
  });
}
//! [DotProductGrowsWithDimension]
KILLS("the average instead of the sum",
      {.sum = [](auto& x, auto& y) { return scaled(sum(x, y), Rational(1, 2)); }});

//! [DotProductGrowsWithDimension: when it rises]
STATEMENT(DotProductGrowsWithDimension, RisesExactlyIfTheNewTermCanTurnTheSign) {
  for_all([&] {
    const RationalDistribution so_far = *any_distribution().as("distribution of the sum so far");
    const RationalDistribution term =
        *centred_distribution().as("distribution of the next term, mean zero");
    bool can_turn = false;
    for (const auto& s : so_far.atoms())
      for (const auto& x : term.atoms())
        if (s.outcome * (s.outcome + x.outcome) < 0 || (s.outcome == 0 && x.outcome != 0))
          can_turn = true;
    const bool rises =
        subject.mean_absolute(subject.sum(so_far, term)) > subject.mean_absolute(so_far);
    EXPECT_EXACTLY(rises == can_turn);
  });
}
//! [DotProductGrowsWithDimension: when it rises]
KILLS("the mean square instead of the mean size",
      {.mean_absolute = [](auto& x) { return raw_moment(x, 2); }});
KILLS("the positive part only", {.sum = [](auto& x, auto& y) {
        return sum(x, y).image([](auto& s) { return s > 0 ? s : Rational(s / 2); });
      }});

STATEMENT(DotProductGrowsWithDimension, NeverFallsWithTheDimension) {
  for_all(
      [&] {
        const auto d = *rc::gen::inRange<std::size_t>(1, 3).as("d");
        const RationalDistribution q =
            *small_centred_distribution().as("distribution of each entry of q");
        const RationalDistribution k = *small_distribution().as("distribution of each entry of k");
        EXPECT_EXACTLY(subject.mean_absolute(subject.distribution(q, k, d + 1)) >=
                       subject.mean_absolute(subject.distribution(q, k, d)));
      },
      50);
}
KILLS("divided by d", {.distribution = [](auto& q, auto& k, auto d) {
        return scaled(dot_product_distribution(q, k, d), Rational(1) / Rational(d));
      }});

STATEMENT(DotProductGrowsWithDimension, NormalEntriesAgreeWithARaceAtEvenDimensions) {
  const std::size_t largest = 64;
  for (std::size_t m = 1; m <= largest; ++m)
    EXPECT_EXACTLY(subject.normal_mean_absolute(2 * m) == PiFraction{mean_absolute_by_race(m)})
        << "d = " << 2 * m;
  enumerated(largest);
}
KILLS("doubled", {.normal_mean_absolute = [](auto d) {
        const PiFraction a = normal_mean_absolute(d);
        return PiFraction{2 * a.coefficient, a.over_pi};
      }});

STATEMENT(DotProductGrowsWithDimension, NormalEntriesFollowTheRecurrence) {
  PiFraction odd{2, true};
  PiFraction even{1, false};
  const std::size_t largest = 128;
  for (std::size_t d = 1; d <= largest; ++d) {
    PiFraction& next = d % 2 == 0 ? even : odd;
    EXPECT_EXACTLY(subject.normal_mean_absolute(d) == next) << "d = " << d;
    next.coefficient *= Rational(d + 1) / Rational(d);
  }
  enumerated(largest);
}
KILLS("π is forgotten", {.normal_mean_absolute = [](auto d) {
        return PiFraction{normal_mean_absolute(d).coefficient, false};
      }});
KILLS("the dimension is rounded up to even",
      {.normal_mean_absolute = [](auto d) { return normal_mean_absolute(d + d % 2); }});

STATEMENT(DotProductGrowsWithDimension, NeighboursMultiplyToTwiceTheDimensionOverPi) {
  const std::size_t largest = 128;
  for (std::size_t d = 1; d <= largest; ++d) {
    const PiFraction a = subject.normal_mean_absolute(d);
    const PiFraction b = subject.normal_mean_absolute(d + 1);
    EXPECT_EXACTLY(a.coefficient * b.coefficient == 2 * d) << "d = " << d;
    EXPECT_EXACTLY(a.over_pi != b.over_pi) << "d = " << d;
  }
  enumerated(largest);
}
KILLS("neighbours are not tied", {.normal_mean_absolute = [](auto d) {
        const PiFraction a = normal_mean_absolute(d);
        return d % 2 == 0 ? a : PiFraction{2 * a.coefficient, true};
      }});
KILLS("the odd dimensions are not over π", {.normal_mean_absolute = [](auto d) {
        return PiFraction{normal_mean_absolute(d).coefficient, false};
      }});

//! [DotProductGrowsWithDimension: exact check]
STATEMENT(DotProductGrowsWithDimension, NormalEntriesRiseAtEveryDimension) {
  for (const std::size_t d : dimensions_for_growth()) {
    EXPECT_EXACTLY(bounds(subject.normal_mean_absolute(d)).upper <
                   bounds(subject.normal_mean_absolute(d + 1)).lower)
        << "d = " << d;
    enumerated(1);
  }
}
//! [DotProductGrowsWithDimension: exact check]
KILLS("flat from each odd dimension to the next",
      {.normal_mean_absolute = [](auto d) { return PiFraction{sign_mean_absolute(d)}; }});

STATEMENT(DotProductGrowsWithDimension, NormalEntriesLieInTheBracket) {
  for (const std::size_t d : dimensions_for_growth()) {
    const Interval<Rational> g = halved_pi_times_square(subject.normal_mean_absolute(d));
    EXPECT_EXACTLY(g.lower > d - Rational(1, 2)) << "d = " << d;
    EXPECT_EXACTLY(g.upper < Rational(d * d) / (d + Rational(1, 2))) << "d = " << d;
    if (d <= 4)
      record_value("g_" + std::to_string(d), format_fixed(g.lower.convert_to<double>(), 3));
    enumerated(1);
  }
  // The least that it can be exceeds every number, and so does the size.
  const Interval<Rational> few = halved_pi_times_square(subject.normal_mean_absolute(4));
  const Interval<Rational> many = halved_pi_times_square(subject.normal_mean_absolute(512));
  expect_confirmed("S1", "blow up", many.lower > 128 * few.upper);
  expect_confirmed("S3", "Exploding Dot Products", many.lower > 128 * few.upper);
}
KILLS("the plain asymptotic square, g = d", {.normal_mean_absolute = [](auto d) {
        const PiFraction a = normal_mean_absolute(d);
        return PiFraction{a.coefficient * (1 + Rational(1) / (4 * d)), a.over_pi};
      }});
KILLS("too small by one part in d²", {.normal_mean_absolute = [](auto d) {
        const PiFraction a = normal_mean_absolute(d);
        return PiFraction{a.coefficient * (1 - Rational(1) / (2 * d * d)), a.over_pi};
      }});

ASIDE(DotProductGrowsWithDimension, MachinsFormulaEnclosesPi) {
  const Rational pi(boost::math::constants::pi<Wide>());
  EXPECT_EXACTLY(subject.pi_bounds().lower < pi);
  EXPECT_EXACTLY(subject.pi_bounds().upper > pi);
  EXPECT_EXACTLY(subject.pi_bounds().upper - subject.pi_bounds().lower <
                 Rational(1, 1000000000000));
}
KILLS("355/113 from below", {.pi_bounds = [] {
        return Interval<Rational>{Rational(355, 113), Rational(355, 113)};
      }});
KILLS("the bounds end before π", {.pi_bounds = [] {
        return Interval<Rational>{Rational(333, 106), Rational(333, 106)};
      }});
KILLS("the bounds of Archimedes", {.pi_bounds = [] {
        return Interval<Rational>{Rational(223, 71), Rational(22, 7)};
      }});

//! [DotProductGrowsWithDimension: exact check of the signs]
STATEMENT(DotProductGrowsWithDimension, SignsRiseAtOddDimensionsOnly) {
  const std::size_t largest = 24;
  Rational before = 0;
  for (std::size_t d = 1; d <= largest; ++d) {
    const Rational size = subject.mean_absolute(dot_product_distribution(fair_sign, fair_sign, d));
    EXPECT_EXACTLY((size > before) == (d % 2 == 1)) << "d = " << d;
    EXPECT_EXACTLY(size == subject.sign_mean_absolute(d)) << "d = " << d;
    before = size;
  }
  enumerated(largest);
}
//! [DotProductGrowsWithDimension: exact check of the signs]
KILLS("central binomial of d, rounded down", {.sign_mean_absolute = [](auto d) {
        return d < 2 ? Rational(1) : sign_mean_absolute(d - 1);
      }});
KILLS("nothing grows, neither the distribution nor the formula",
      {.mean_absolute = [](auto&) { return Rational(1); },
       .sign_mean_absolute = [](auto) { return Rational(1); }});

ASIDE(DotProductGrowsWithDimension, SignsDoNotGrowFromAnOddDimensionToTheNext) {
  for (std::size_t d = 1; d <= 23; d += 2) {
    EXPECT_EXACTLY(subject.mean_absolute(dot_product_distribution(fair_sign, fair_sign, d)) ==
                   subject.mean_absolute(dot_product_distribution(fair_sign, fair_sign, d + 1)))
        << "d = " << d;
    enumerated(1);
  }
  counterexample_without("the sign can turn");
}
KILLS("the largest value instead of the mean size",
      {.mean_absolute = [](auto& x) { return abs(x.atoms().front().outcome); }});

ASIDE(DotProductGrowsWithDimension, SignsAndNormalEntriesAgreeAtEvenDimensions) {
  const std::size_t largest = 64;
  for (std::size_t m = 1; m <= largest; ++m)
    EXPECT_EXACTLY(subject.normal_mean_absolute(2 * m) == PiFraction{sign_mean_absolute(2 * m)})
        << "d = " << 2 * m;
  enumerated(largest);
}
KILLS("the root of 2d/π for both", {.normal_mean_absolute = [](auto d) {
        return PiFraction{Rational(std::sqrt(0.636619772367581 * static_cast<double>(d)))};
      }});

ASIDE(DotProductGrowsWithDimension, FourTermsStaySmallAndFiveHundredAndTwelveDoNot) {
  const Rational four = subject.sign_mean_absolute(4);
  const Rational many = subject.sign_mean_absolute(512);
  expect_confirmed("S2", "much larger in magnitude", many > 12 * four);
  EXPECT_EXACTLY(many < 13 * four);
  Rational still_small = 0;  // P(|q·k| <= 4) at d = 512
  for (std::size_t ones = 254; ones <= 258; ++ones)
    still_small += Rational(choose(512, ones)) / two_to_the(512);
  record_value("at_4", format_fixed(four.convert_to<double>(), 1));
  record_value("at_512", format_fixed(many.convert_to<double>(), 3));
  record_value("still_small_at_512", format_fixed(still_small.convert_to<double>(), 3));
}
KILLS("it does not grow", {.sign_mean_absolute = [](auto) { return Rational(3, 2); }});
KILLS("it grows like d", {.sign_mean_absolute = [](auto d) { return Rational(3 * d, 8); }});

ASIDE(DotProductGrowsWithDimension, ASecondTermThatTakesBackTheFirstLeavesNothing) {
  // q = (s, −s) and k = (1, 1) with one fair sign s.
  const auto score_of_the_first = [](std::size_t d) {
    return fair_sign.image([d](const Rational& s) {
      const Vector q = {s, -s};
      return dot_product({q.begin(), q.begin() + static_cast<std::ptrdiff_t>(d)}, Vector(d, 1));
    });
  };
  EXPECT_EXACTLY(subject.mean_absolute(score_of_the_first(1)) == 1);
  EXPECT_EXACTLY(subject.mean_absolute(score_of_the_first(2)) == 0);
  enumerated(2);
  counterexample_without("independent");
}
KILLS("nothing has a size", {.mean_absolute = [](auto&) { return Rational(0); }});
KILLS("a term cannot take back another",
      {.mean_absolute = [](auto& x) { return 1 + mean_absolute(x); }});

ASIDE(DotProductGrowsWithDimension, IsAtMostTheRootOfTheVarianceIfAMeanIsZero) {
  for_all(
      [&] {
        const auto d = *rc::gen::inRange<std::size_t>(1, 3).as("d");
        const RationalDistribution q =
            *small_centred_distribution().as("distribution of each entry of q");
        const RationalDistribution k = *small_distribution().as("distribution of each entry of k");
        const RationalDistribution score = subject.distribution(q, k, d);
        const Rational size = subject.mean_absolute(score);
        EXPECT_EXACTLY(size * size <= variance(score));
      },
      50);
  EXPECT_EXACTLY(subject.mean_absolute(subject.distribution(fair_sign, fair_two, 4)) == 3);
  // Both means are 1 and the variance is d, since 4/3 · 3/2 = 2, and the size is d.
  const RationalDistribution q({0, Rational(4, 3)}, {Rational(1, 4), Rational(3, 4)});
  const RationalDistribution k({0, Rational(3, 2)}, {Rational(1, 3), Rational(2, 3)});
  for (std::size_t d = 1; d <= 6; ++d) {
    EXPECT_EXACTLY(variance(subject.distribution(q, k, d)) == d);
    EXPECT_EXACTLY(subject.mean_absolute(subject.distribution(q, k, d)) == d);
  }
  enumerated(7);
  counterexample_without("mean zero");
}
KILLS("the size is the mean", {.mean_absolute = [](auto& x) { return mean(x); }});
KILLS("the greatest size instead of the mean size", {.mean_absolute = [](auto& x) {
        return std::max<Rational>(abs(x.atoms().front().outcome), abs(x.atoms().back().outcome));
      }});

ASIDE(DotProductGrowsWithDimension, AMeanBelowZeroCanMakeItFall) {
  const RationalDistribution q({-1, 2}, {Rational(7, 10), Rational(3, 10)});
  const Rational two_terms = mean_absolute(subject.distribution(q, one, 2));
  const Rational three_terms = mean_absolute(subject.distribution(q, one, 3));
  EXPECT_EXACTLY(three_terms < two_terms);
  record_value("two_terms", two_terms.str());
  record_value("three_terms", three_terms.str());
  counterexample_without("mean zero");
}
KILLS("the mean is moved to zero first", {.distribution = [](auto& q, auto& k, auto d) {
        return dot_product_distribution(shifted(q, -mean(q)), k, d);
      }});

ASIDE(DotProductGrowsWithDimension, RefusesDimensionZero) {
  expect_refusal<std::domain_error>([&] { subject.normal_mean_absolute(0); }, refuses_zero);
  expect_refusal<std::domain_error>([&] { subject.sign_mean_absolute(0); }, refuses_zero);
}
KILLS("dimension zero has size zero, for normal entries", {.normal_mean_absolute = [](auto d) {
        return d == 0 ? PiFraction() : normal_mean_absolute(d);
      }});
KILLS("dimension zero has size zero, for signs",
      {.sign_mean_absolute = [](auto d) { return d == 0 ? Rational(0) : sign_mean_absolute(d); }});

}  // namespace sqrtdk::properties::DotProductGrowsWithDimension
