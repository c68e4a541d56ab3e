// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/pi_fraction.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/score_dependence.hpp>
#include <sqrtdk/score_heavy_tails.hpp>
#include <sqrtdk/score_square.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/support/message_of.hpp"
#include "properties/support/rational_distributions.hpp"

#include <boost/math/constants/constants.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

using Vector = std::vector<Rational>;
using Terms = std::vector<Monomial>;
using JointLaw = FiniteDistribution<Vector>;

/// What this chapter's laws judge.
struct Rules {
  Rational (*dot_product)(const Vector&, const Vector&) = sqrtdk::dot_product;
  RationalDistribution (*law)(const RationalDistribution&, const RationalDistribution&,
                              std::size_t) = sqrtdk::dot_product_distribution;
  RationalDistribution (*law_by_enumeration)(const RationalDistribution&,
                                             const RationalDistribution&, std::size_t) =
      sqrtdk::dot_product_distribution_by_enumeration;
  Terms (*expand_square)(std::size_t) = sqrtdk::expand_square;
  TermCounts (*count_terms)(const Terms&) = sqrtdk::count_terms;
  Rational (*term_mean)(const Monomial&, const RationalDistribution&,
                        const RationalDistribution&) = sqrtdk::term_mean;
  Rational (*square_term_mean)(const Moments&, const Moments&) = sqrtdk::square_term_mean;
  Rational (*cross_term_mean)(const Moments&, const Moments&) = sqrtdk::cross_term_mean;
  Rational (*mean)(std::size_t, const Moments&, const Moments&) = sqrtdk::dot_product_mean;
  Rational (*variance)(std::size_t, const Moments&, const Moments&) = sqrtdk::dot_product_variance;
  Rational (*variance_from_means)(std::size_t, const Rational&,
                                  const Rational&) = sqrtdk::dot_product_variance_from_means;
  Rational (*variance_from_variances)(std::size_t, const Rational&, const Rational&) =
      sqrtdk::dot_product_variance_from_variances;
  double (*standard_deviation)(std::uint64_t) = sqrtdk::dot_product_standard_deviation;
  RationalDistribution (*sum)(const RationalDistribution&,
                              const RationalDistribution&) = sqrtdk::sum<Rational>;
  Rational (*mean_absolute)(const RationalDistribution&) = sqrtdk::mean_absolute;
  PiFraction (*normal_mean_absolute)(std::size_t) = sqrtdk::normal_mean_absolute;
  Rational (*sign_mean_absolute)(std::size_t) = sqrtdk::sign_mean_absolute;
  Interval<Rational> (*pi_bounds)() = sqrtdk::pi_bounds;
  RationalDistribution (*paired_law)(const PairDistribution&,
                                     std::size_t) = sqrtdk::paired_dot_product_distribution;
  Rational (*paired_mean)(std::size_t, const PairDistribution&) = sqrtdk::paired_dot_product_mean;
  Rational (*paired_variance)(std::size_t,
                              const PairDistribution&) = sqrtdk::paired_dot_product_variance;
  Rational (*self_variance)(std::size_t, const Rational&) = sqrtdk::self_dot_product_variance;
  Rational (*variance_of_dependent_sum)(const JointLaw&) = sqrtdk::variance_of_dependent_sum;
  Rational (*normal_moment)(const Rational&, unsigned, unsigned) = sqrtdk::normal_moment;
  Rational (*correlated_mean)(std::size_t, const Rational&) = sqrtdk::correlated_normal_mean;
  Rational (*correlated_variance)(std::size_t,
                                  const Rational&) = sqrtdk::correlated_normal_variance;
  RationalDistribution (*heavy_law)(unsigned) = sqrtdk::truncated_heavy_distribution;
  PartialFractions (*partial_fractions)(const Rational&, const Rational&,
                                        const Rational&) = sqrtdk::cauchy_partial_fractions;
  PiFraction (*cauchy_sum_density)(const Rational&, const Rational&,
                                   const Rational&) = sqrtdk::cauchy_sum_density;
  Rational (*cauchy_score_scale)(const Vector&) = sqrtdk::cauchy_score_scale;
};

using Mutants = std::vector<Mutant<Rules>>;

const RationalDistribution fair_two({-2, 2}, {Rational(1, 2), Rational(1, 2)});
const RationalDistribution zero_or_two({0, 2}, {Rational(1, 2), Rational(1, 2)});
const RationalDistribution one = RationalDistribution::uniform({1});
const RationalDistribution three = RationalDistribution::uniform({3});

const std::string refuses_zero = "the dimension is 0, but must be at least 1";

/// The joint law of X and X itself: a query entry that is its own key entry.
PairDistribution with_itself(const RationalDistribution& x) {
  return x.image([](const Rational& v) { return std::pair(v, v); });
}

/// X plus a constant.
RationalDistribution shifted(const RationalDistribution& x, const Rational& by) {
  return x.image([&](const Rational& v) { return Rational(v + by); });
}

/// X times a constant.
RationalDistribution scaled(const RationalDistribution& x, const Rational& by) {
  return x.image([&](const Rational& v) { return Rational(v * by); });
}

/// The mean square of q·k as the documents find it: the means of the multiplied out terms, added.
Rational sum_of_term_means(const Rules& rules, std::size_t d, const RationalDistribution& q,
                           const RationalDistribution& k) {
  Rational total = 0;
  for (const Monomial& term : rules.expand_square(d)) total += rules.term_mean(term, q, k);
  return total;
}

/// n choose k.
Integer choose(std::size_t n, std::size_t k) {
  Integer ways = 1;
  for (std::size_t i = 0; i < k; ++i) ways = ways * (n - i) / (i + 1);
  return ways;
}

/// 2ⁿ.
Rational two_to_the(std::size_t n) { return Rational(Integer(1) << n); }

/// A head dimension small enough for the whole law of q·k.
rc::Gen<std::size_t> small_dimension() { return rc::gen::inRange<std::size_t>(1, 4); }

/// A law of one to three numbers of any kind.
rc::Gen<RationalDistribution> small_law() {
  return rc::gen::map(sqrtdk::testing::weighted_list(any_rational(), 3),
                      sqrtdk::testing::weighted<Rational>);
}

/// A law of one to three numbers with mean 0.
rc::Gen<RationalDistribution> small_centred_law() {
  return rc::gen::map(small_law(),
                      [](const RationalDistribution& x) { return shifted(x, -mean(x)); });
}

/// The joint law of a query entry and a key entry with any dependence.
rc::Gen<PairDistribution> any_pair_law() {
  using Pair = std::pair<Rational, Rational>;
  return rc::gen::map(
      sqrtdk::testing::weighted_list<Pair>(rc::gen::pair(any_rational(), any_rational()), 3),
      sqrtdk::testing::weighted<Pair>);
}

/// A vector of so many numbers.
rc::Gen<Vector> any_vector(std::size_t length) {
  return rc::gen::container<Vector>(length, any_rational());
}

/// A number from −1 to 1.
rc::Gen<Rational> any_correlation() {
  return rc::gen::map(rc::gen::pair(any_rational(), rc::gen::inRange(0, 3)), [](const auto& draw) {
    const Rational& x = draw.first;
    return abs(x) <= 1 ? x : Rational(1 / x);
  });
}

// --------------------------------------------------------------------------------- SquareExpansion

const Mutants square_expansion_mutants = {
    {"the cross terms are left out",
     "MultipliedOutItEqualsTheSquare",
     {.expand_square =
          [](std::size_t d) {
            Terms squares = expand_square(d);
            std::erase_if(squares, [](const Monomial& term) { return !term.is_square(); });
            return squares;
          }}},
    {"the squares are left out",
     "MultipliedOutItEqualsTheSquare",
     {.expand_square =
          [](std::size_t d) {
            Terms crosses = expand_square(d);
            std::erase_if(crosses, [](const Monomial& term) { return term.is_square(); });
            return crosses;
          }}},
    {"each pair is taken once, not in both orders",
     "MultipliedOutItEqualsTheSquare",
     {.expand_square =
          [](std::size_t d) {
            const Terms all = expand_square(d);
            Terms once;
            for (std::size_t i = 0; i < d; ++i)
              for (std::size_t j = i; j < d; ++j) once.push_back(all[i * d + j]);
            return once;
          }}},
    {"the keys are not squared",
     "MultipliedOutItEqualsTheSquare",
     {.expand_square =
          [](std::size_t d) {
            Terms terms = expand_square(d);
            for (Monomial& term : terms)
              for (unsigned& exponent : term.k) exponent = std::min(exponent, 1U);
            return terms;
          }}},
    {"equal cross terms are counted once",
     "CountsTheTermsOfEveryDimension",
     {.count_terms =
          [](const Terms& terms) {
            const TermCounts counts = count_terms(terms);
            return TermCounts{counts.squares, counts.crosses / 2};
          }}},
    {"a term is a square if it holds q1 squared",
     "CountsTheTermsOfEveryDimension",
     {.count_terms =
          [](const Terms& terms) {
            TermCounts counts;
            for (const Monomial& term : terms)
              ++(term.q.front() == 2 ? counts.squares : counts.crosses);
            return counts;
          }}},
    {"only the first hundred terms are multiplied out",
     "CountsTheTermsThatTheDocumentPrints",
     {.expand_square =
          [](std::size_t d) {
            Terms terms = expand_square(d);
            if (d > 30) terms.resize(100);
            return terms;
          }}},
    {"the square of nothing is nothing",
     "RefusesDimensionZero",
     {.expand_square = [](std::size_t d) { return d == 0 ? Terms() : expand_square(d); }}},
};

//! [SquareExpansion]
TEST(SquareExpansion, MultipliedOutItEqualsTheSquare) {
  judge(square_expansion_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(1, 6).as("d");
      const Vector q = *any_vector(d).as("q");
      const Vector k = *any_vector(d).as("k");
      Rational total = 0;
      for (const Monomial& term : rules.expand_square(d)) total += term(q, k);
      RC_ASSERT(total == dot_product(q, k) * dot_product(q, k));
    });
  });
}
//! [SquareExpansion]

TEST(SquareExpansion, CountsTheTermsOfEveryDimension) {
  judge(square_expansion_mutants, [](const Rules& rules) {
    const std::size_t largest = 24;
    for (std::size_t d = 1; d <= largest; ++d) {
      const TermCounts expected{d, d * (d - 1)};
      EXPECT_EQ(rules.count_terms(rules.expand_square(d)), expected) << "d = " << d;
    }
    enumerated(largest);
  });
}

//! [SquareExpansion: exact check]
TEST(SquareExpansion, CountsTheTermsThatTheDocumentPrints) {
  judge(square_expansion_mutants, [](const Rules& rules) {
    const Terms nine = rules.expand_square(3);
    const Terms many = rules.expand_square(64);
    for (const auto& [printed, count] :
         {std::pair("9", nine.size()), std::pair("3", rules.count_terms(nine).squares),
          std::pair("6", rules.count_terms(nine).crosses), std::pair("4096", many.size()),
          std::pair("64", rules.count_terms(many).squares),
          std::pair("4032", rules.count_terms(many).crosses)})
      expect_printed("S2", printed, count);
    enumerated(nine.size() + many.size());
  });
}
//! [SquareExpansion: exact check]

TEST(SquareExpansion, RefusesDimensionZero) {
  judge(square_expansion_mutants, [](const Rules& rules) {
    EXPECT_EQ(message_of<std::domain_error>([&] { rules.expand_square(0); }), refuses_zero);
  });
}

// ---------------------------------------------------------------------------------- SquareTermMean

const Mutants square_term_mean_mutants = {
    {"σq²σk² is dropped",
     "HoldsForEveryPairOfLaws",
     {.square_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return square_term_mean(q, k) - q.variance() * k.variance();
     }}},
    {"μq²σk² is dropped",
     "HoldsForEveryPairOfLaws",
     {.square_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return square_term_mean(q, k) - q.mean() * q.mean() * k.variance();
     }}},
    {"μk²σq² is dropped",
     "HoldsForEveryPairOfLaws",
     {.square_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return square_term_mean(q, k) - k.mean() * k.mean() * q.variance();
     }}},
    {"μq²μk² is dropped, which leaves the variance",
     "HoldsForEveryPairOfLaws",
     {.square_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return square_term_mean(q, k) - q.mean() * q.mean() * k.mean() * k.mean();
     }}},
    {"doubled",
     "IsOneForEveryPairOfStandardizedLaws",
     {.square_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return 2 * square_term_mean(q, k);
     }}},
    {"the square of the mean for the mean of the square",
     "IsTheMeanOfEverySquareOfTheExpansion",
     {.term_mean =
          [](const Monomial& term, const RationalDistribution& q, const RationalDistribution& k) {
            return term(Vector(term.q.size(), mean(q)), Vector(term.k.size(), mean(k)));
          }}},
    {"the moments of the keys are forgotten",
     "IsTheMeanOfEverySquareOfTheExpansion",
     {.term_mean = [](const Monomial& term, const RationalDistribution& q,
                      const RationalDistribution&) { return term_mean(term, q, one); }}},
    {"the key is drawn anew although it is the query",
     "AQueryThatIsItsOwnKeyHasTheFourthMoment",
     {.paired_law =
          [](const PairDistribution& pair, std::size_t d) {
            return dot_product_distribution(pair.image([](const auto& qk) { return qk.first; }),
                                            pair.image([](const auto& qk) { return qk.second; }),
                                            d);
          }}},
    {"equal moments are taken for the same draw of a heavy law",
     "AQueryThatIsItsOwnKeyHasTheFourthMoment",
     {.square_term_mean =
          [](const Moments& q, const Moments& k) {
            return q == k ? Rational(4) : square_term_mean(q, k);
          }}},
    {"the means are ignored",
     "AMeanOfOneDoublesIt",
     {.square_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return q.variance() * k.variance();
     }}},
    {"the variances are taken to be one",
     "AVarianceOfFourMultipliesItByFour",
     {.square_term_mean =
          [](const Moments& q, const Moments& k) {
            return square_term_mean({q.mean(), 1}, {k.mean(), 1});
          }}},
};

//! [SquareTermMean]
TEST(SquareTermMean, HoldsForEveryPairOfLaws) {
  judge(square_term_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution q = *any_distribution().as("law of q1");
      const RationalDistribution k = *any_distribution().as("law of k1");
      RC_ASSERT(raw_moment(product(q, k), 2) == rules.square_term_mean(moments(q), moments(k)));
    });
  });
}
//! [SquareTermMean]

TEST(SquareTermMean, IsTheMeanOfEverySquareOfTheExpansion) {
  judge(square_term_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const RationalDistribution q = *any_distribution().as("law of each entry of q");
      const RationalDistribution k = *any_distribution().as("law of each entry of k");
      for (const Monomial& term : rules.expand_square(d))
        if (term.is_square())
          RC_ASSERT(rules.term_mean(term, q, k) == square_term_mean(moments(q), moments(k)));
    });
  });
}

TEST(SquareTermMean, IsOneForEveryPairOfStandardizedLaws) {
  judge(square_term_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution q = *standardized_distribution().as("law of q1");
      const RationalDistribution k = *standardized_distribution().as("law of k1");
      RC_ASSERT(rules.square_term_mean(moments(q), moments(k)) == 1);
    });
  });
}

TEST(SquareTermMean, AQueryThatIsItsOwnKeyHasTheFourthMoment) {
  judge(square_term_mean_mutants, [](const Rules& rules) {
    const RationalDistribution x({-2, 0, 2}, {Rational(1, 8), Rational(3, 4), Rational(1, 8)});
    EXPECT_EQ(raw_moment(rules.paired_law(with_itself(x), 1), 2), 4);
    EXPECT_EQ(rules.square_term_mean(moments(x), moments(x)), 1);
    counterexample_without("independent");
  });
}

TEST(SquareTermMean, AMeanOfOneDoublesIt) {
  judge(square_term_mean_mutants, [](const Rules& rules) {
    EXPECT_EQ(rules.square_term_mean(moments(zero_or_two), moments(fair_sign)), 2);
    counterexample_without("mean zero");
  });
}

TEST(SquareTermMean, AVarianceOfFourMultipliesItByFour) {
  judge(square_term_mean_mutants, [](const Rules& rules) {
    EXPECT_EQ(rules.square_term_mean(moments(fair_two), moments(fair_sign)), 4);
    counterexample_without("unit variance");
  });
}

// ----------------------------------------------------------------------------------- CrossTermMean

const Mutants cross_term_mean_mutants = {
    {"the means are not squared",
     "HoldsForEveryPairOfLaws",
     {.cross_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return q.mean() * k.mean();
     }}},
    {"the mean squares instead of the squared means",
     "HoldsForEveryPairOfLaws",
     {.cross_term_mean = square_term_mean}},
    {"doubled",
     "HoldsForEveryPairOfLaws",
     {.cross_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return 2 * cross_term_mean(q, k);
     }}},
    {"an exponent of one is skipped",
     "IsTheMeanOfEveryCrossTermOfTheExpansion",
     {.term_mean =
          [](const Monomial& term, const RationalDistribution& q, const RationalDistribution& k) {
            return term.is_square() ? term_mean(term, q, k) : Rational(1);
          }}},
    {"the query's means are left out",
     "IsZeroIfOneOfTheMeansIsZero",
     {.cross_term_mean = [](const Moments&, const Moments& k) -> Rational {
       return k.mean() * k.mean();
     }}},
    {"the key's means are left out",
     "IsZeroIfOneOfTheMeansIsZero",
     {.cross_term_mean = [](const Moments& q, const Moments&) -> Rational {
       return q.mean() * q.mean();
     }}},
    {"always zero",
     "FairBitsLeaveASixteenth",
     {.cross_term_mean = [](const Moments&, const Moments&) { return Rational(0); }}},
    {"independence is assumed within the pair",
     "SharedSignsMakeEveryCrossTermOne",
     {.paired_mean = [](std::size_t d, const PairDistribution& pair) -> Rational {
       return Rational(d) * pair.expectation([](const auto& qk) { return qk.first; }) *
              pair.expectation([](const auto& qk) { return qk.second; });
     }}},
};

//! [CrossTermMean]
TEST(CrossTermMean, HoldsForEveryPairOfLaws) {
  judge(cross_term_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution q = *small_law().as("law of q1 and q2");
      const RationalDistribution k = *small_law().as("law of k1 and k2");
      const RationalDistribution q1k1 = product(q, k);
      const RationalDistribution q1k1q2k2 = product(q1k1, q1k1);
      RC_ASSERT(mean(q1k1q2k2) == rules.cross_term_mean(moments(q), moments(k)));
    });
  });
}
//! [CrossTermMean]

TEST(CrossTermMean, IsTheMeanOfEveryCrossTermOfTheExpansion) {
  judge(cross_term_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const RationalDistribution q = *any_distribution().as("law of each entry of q");
      const RationalDistribution k = *any_distribution().as("law of each entry of k");
      for (const Monomial& term : rules.expand_square(d))
        if (!term.is_square())
          RC_ASSERT(rules.term_mean(term, q, k) == cross_term_mean(moments(q), moments(k)));
    });
  });
}

TEST(CrossTermMean, IsZeroIfOneOfTheMeansIsZero) {
  judge(cross_term_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const Moments centred = moments(*centred_distribution().as("a law with mean zero"));
      const Moments any = moments(*any_distribution().as("any law"));
      RC_ASSERT(rules.cross_term_mean(centred, any) == 0);
      RC_ASSERT(rules.cross_term_mean(any, centred) == 0);
    });
  });
}

TEST(CrossTermMean, SharedSignsMakeEveryCrossTermOne) {
  judge(cross_term_mean_mutants, [](const Rules& rules) {
    const Rational mean_of_one_term = rules.paired_mean(1, with_itself(fair_sign));
    EXPECT_EQ(mean_of_one_term * mean_of_one_term, 1);
    counterexample_without("independent");
  });
}

TEST(CrossTermMean, FairBitsLeaveASixteenth) {
  judge(cross_term_mean_mutants, [](const Rules& rules) {
    EXPECT_EQ(rules.cross_term_mean(moments(fair_bit), moments(fair_bit)), Rational(1, 16));
    counterexample_without("mean zero");
  });
}

// ---------------------------------------------------------------------------------- DotProductMean

const Mutants dot_product_mean_mutants = {
    {"d is dropped",
     "HoldsForEveryPairOfLaws",
     {.mean = [](std::size_t, const Moments& q, const Moments& k) { return product_mean(q, k); }}},
    {"d squared",
     "HoldsForEveryPairOfLaws",
     {.mean = [](std::size_t d, const Moments& q,
                 const Moments& k) { return dot_product_mean(d * d, q, k); }}},
    {"μq is dropped",
     "HoldsForEveryPairOfLaws",
     {.mean = [](std::size_t d, const Moments&, const Moments& k) -> Rational {
       return Rational(d) * k.mean();
     }}},
    {"μk is dropped",
     "HoldsForEveryPairOfLaws",
     {.mean = [](std::size_t d, const Moments& q, const Moments&) -> Rational {
       return Rational(d) * q.mean();
     }}},
    {"doubled",
     "HoldsForEveryPairOfLaws",
     {.mean = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return 2 * dot_product_mean(d, q, k);
     }}},
    {"the variance is added",
     "IsZeroForEveryPairOfStandardizedLaws",
     {.mean = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return dot_product_mean(d, q, k) + q.variance() * k.variance();
     }}},
    {"one product taken d times",
     "TheLawIsThatOfAllQueriesAndKeysEnumerated",
     {.law = [](const RationalDistribution& q, const RationalDistribution& k,
                std::size_t d) { return scaled(product(q, k), Rational(d)); }}},
    {"after the second entry the first one comes again",
     "TheLawIsThatOfAllQueriesAndKeysEnumerated",
     {.law =
          [](const RationalDistribution& q, const RationalDistribution& k, std::size_t d) {
            if (d < 3) return dot_product_distribution(q, k, d);
            const RationalDistribution first = product(q, k).image(
                [&](const Rational& x) { return Rational(x * Rational(d - 1)); });
            return sum(first, product(q, k));
          }}},
    {"the key has one entry, repeated",
     "TheLawIsThatOfAllQueriesAndKeysEnumerated",
     {.law_by_enumeration = [](const RationalDistribution& q, const RationalDistribution& k,
                               std::size_t d) { return product(sum_of_copies(q, d), k); }}},
    {"independence is assumed within the pair",
     "AQueryThatIsItsOwnKeyHasMeanD",
     {.paired_mean = [](std::size_t d, const PairDistribution& pair) -> Rational {
       return Rational(d) * pair.expectation([](const auto& qk) { return qk.first; }) *
              pair.expectation([](const auto& qk) { return qk.second; });
     }}},
    {"equal moments are taken for the same draw",
     "AQueryThatIsItsOwnKeyHasMeanD",
     {.mean = [](std::size_t d, const Moments& q,
                 const Moments& k) { return q == k ? Rational(d) : dot_product_mean(d, q, k); }}},
    {"always zero",
     "FairBitsHaveMeanDOverFour",
     {.mean = [](std::size_t, const Moments&, const Moments&) { return Rational(0); }}},
    {"dimension zero has mean zero",
     "RefusesDimensionZero",
     {.mean = [](std::size_t d, const Moments& q,
                 const Moments& k) { return d == 0 ? Rational(0) : dot_product_mean(d, q, k); }}},
    {"dimension zero has a law",
     "RefusesDimensionZero",
     {.law = [](const RationalDistribution& q, const RationalDistribution& k,
                std::size_t d) { return sum_of_copies(product(q, k), d); }}},
    {"dimension zero is enumerated",
     "RefusesDimensionZero",
     {.law_by_enumeration =
          [](const RationalDistribution& q, const RationalDistribution& k, std::size_t d) {
            return d == 0 ? RationalDistribution::uniform({0})
                          : dot_product_distribution_by_enumeration(q, k, d);
          }}},
};

//! [DotProductMean]
TEST(DotProductMean, HoldsForEveryPairOfLaws) {
  judge(dot_product_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const RationalDistribution q = *small_law().as("law of each entry of q");
      const RationalDistribution k = *small_law().as("law of each entry of k");
      RC_ASSERT(mean(rules.law(q, k, d)) == rules.mean(d, moments(q), moments(k)));
    });
  });
}
//! [DotProductMean]

TEST(DotProductMean, TheLawIsThatOfAllQueriesAndKeysEnumerated) {
  judge(dot_product_mean_mutants, [](const Rules& rules) {
    for_all(
        [&] {
          const auto d = *rc::gen::inRange<std::size_t>(1, 3).as("d");
          const RationalDistribution q = *small_law().as("law of each entry of q");
          const RationalDistribution k = *small_law().as("law of each entry of k");
          RC_ASSERT(rules.law(q, k, d) == rules.law_by_enumeration(q, k, d));
        },
        100);
    // Two outcomes each are few enough for d = 3 and 4.
    for (const std::size_t d : {3U, 4U}) {
      EXPECT_EQ(rules.law(fair_bit, fair_two, d), rules.law_by_enumeration(fair_bit, fair_two, d));
      enumerated(1);
    }
  });
}

TEST(DotProductMean, IsZeroForEveryPairOfStandardizedLaws) {
  judge(dot_product_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(1, 1000).as("d");
      const RationalDistribution q = *standardized_distribution().as("law of each entry of q");
      const RationalDistribution k = *standardized_distribution().as("law of each entry of k");
      RC_ASSERT(rules.mean(d, moments(q), moments(k)) == 0);
    });
  });
}

TEST(DotProductMean, AQueryThatIsItsOwnKeyHasMeanD) {
  judge(dot_product_mean_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 8; ++d) {
      EXPECT_EQ(rules.paired_mean(d, with_itself(fair_sign)), d);
      EXPECT_EQ(rules.mean(d, moments(fair_sign), moments(fair_sign)), 0);
    }
    enumerated(8);
    counterexample_without("independent");
  });
}

TEST(DotProductMean, FairBitsHaveMeanDOverFour) {
  judge(dot_product_mean_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 8; ++d)
      EXPECT_EQ(rules.mean(d, moments(fair_bit), moments(fair_bit)), Rational(d) / 4);
    enumerated(8);
    counterexample_without("mean zero");
  });
}

TEST(DotProductMean, RefusesDimensionZero) {
  judge(dot_product_mean_mutants, [](const Rules& rules) {
    const Moments sign = moments(fair_sign);
    const auto by_formula = [&] { rules.mean(0, sign, sign); };
    const auto by_law = [&] { rules.law(fair_sign, fair_sign, 0); };
    const auto by_enumeration = [&] { rules.law_by_enumeration(fair_sign, fair_sign, 0); };
    EXPECT_EQ(message_of<std::domain_error>(by_formula), refuses_zero);
    EXPECT_EQ(message_of<std::domain_error>(by_law), refuses_zero);
    EXPECT_EQ(message_of<std::domain_error>(by_enumeration), refuses_zero);
  });
}

// ------------------------------------------------------------------------------ DotProductVariance

const Mutants dot_product_variance_mutants = {
    {"d is dropped",
     "HoldsForEveryPairOfLaws",
     {.variance = [](std::size_t, const Moments& q,
                     const Moments& k) { return product_variance(q, k); }}},
    {"d squared",
     "HoldsForEveryPairOfLaws",
     {.variance = [](std::size_t d, const Moments& q,
                     const Moments& k) { return dot_product_variance(d * d, q, k); }}},
    {"doubled",
     "HoldsForEveryPairOfLaws",
     {.variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return 2 * dot_product_variance(d, q, k);
     }}},
    {"σq²σk² is dropped",
     "EachTermHasACaseInWhichItStandsAlone",
     {.variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return dot_product_variance(d, q, k) - Rational(d) * q.variance() * k.variance();
     }}},
    {"μq²σk² is dropped",
     "EachTermHasACaseInWhichItStandsAlone",
     {.variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return dot_product_variance(d, q, k) - Rational(d) * q.mean() * q.mean() * k.variance();
     }}},
    {"μk²σq² is dropped",
     "EachTermHasACaseInWhichItStandsAlone",
     {.variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return dot_product_variance(d, q, k) - Rational(d) * k.mean() * k.mean() * q.variance();
     }}},
    {"every query meets itself as key",
     "EachTermHasACaseInWhichItStandsAlone",
     {.law_by_enumeration =
          [](const RationalDistribution& q, const RationalDistribution&, std::size_t d) {
            return paired_dot_product_distribution(with_itself(q), d);
          }}},
    {"the squared mean is not subtracted",
     "IsTheMeanSquareOfTheExpansionLessTheSquaredMean",
     {.mean = [](std::size_t, const Moments&, const Moments&) { return Rational(0); }}},
    {"cross terms are taken to be zero",
     "IsTheMeanSquareOfTheExpansionLessTheSquaredMean",
     {.term_mean =
          [](const Monomial& term, const RationalDistribution& q, const RationalDistribution& k) {
            return term.is_square() ? term_mean(term, q, k) : Rational(0);
          }}},
    {"one product taken d times",
     "IsDForEveryPairOfStandardizedLaws",
     {.law = [](const RationalDistribution& q, const RationalDistribution& k,
                std::size_t d) { return scaled(product(q, k), Rational(d)); }}},
    {"one degree of freedom is taken off",
     "IsDForEveryPairOfStandardizedLaws",
     {.variance = [](std::size_t d, const Moments& q,
                     const Moments& k) { return dot_product_variance(d > 1 ? d - 1 : d, q, k); }}},
    {"every term counts one",
     "IsTheThreeAndTheSixtyFourOfTheDocuments",
     {.term_mean = [](const Monomial&, const RationalDistribution&,
                      const RationalDistribution&) { return Rational(1); }}},
    {"independence is assumed within the pair",
     "AQueryOfSignsThatIsItsOwnKeyHasVarianceZero",
     {.paired_variance = [](std::size_t d, const PairDistribution&) { return Rational(d); }}},
    {"the means are ignored",
     "FairBitsHaveThreeSixteenthsOfD",
     {.variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return Rational(d) * q.variance() * k.variance();
     }}},
    {"the variances are taken to be one",
     "EntriesOfTwoHaveVarianceFourD",
     {.variance =
          [](std::size_t d, const Moments& q, const Moments& k) {
            return dot_product_variance(d, {q.mean(), 1}, {k.mean(), 1});
          }}},
    {"the tail is thin",
     "CuttingAHeavyTailLaterGivesMoreVarianceWithoutEnd",
     {.heavy_law =
          [](unsigned cutoff) { return truncated_heavy_distribution(std::min(cutoff, 2U)); }}},
    {"dimension zero has variance zero",
     "RefusesDimensionZero",
     {.variance =
          [](std::size_t d, const Moments& q, const Moments& k) {
            return d == 0 ? Rational(0) : dot_product_variance(d, q, k);
          }}},
};

//! [DotProductVariance]
TEST(DotProductVariance, HoldsForEveryPairOfLaws) {
  judge(dot_product_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const RationalDistribution q = *small_law().as("law of each entry of q");
      const RationalDistribution k = *small_law().as("law of each entry of k");
      RC_ASSERT(variance(rules.law(q, k, d)) == rules.variance(d, moments(q), moments(k)));
    });
  });
}
//! [DotProductVariance]

//! [DotProductVariance: exact check]
TEST(DotProductVariance, EachTermHasACaseInWhichItStandsAlone) {
  judge(dot_product_variance_mutants, [](const Rules& rules) {
    struct Case {
      std::string name;
      RationalDistribution q;
      RationalDistribution k;
      Rational variance_of_one_term;
    };
    for (const Case& is :
         {Case{"σq²σk² alone", fair_sign, fair_sign, 1}, Case{"μq²σk² alone", three, fair_sign, 9},
          Case{"μk²σq² alone", fair_sign, three, 9},
          Case{"all three terms", fair_bit, fair_bit, Rational(3, 16)}})
      for (std::size_t d = 1; d <= 4; ++d) {
        const Rational expected = Rational(d) * is.variance_of_one_term;
        EXPECT_EQ(rules.variance(d, moments(is.q), moments(is.k)), expected)
            << is.name << ", d = " << d;
        EXPECT_EQ(variance(rules.law_by_enumeration(is.q, is.k, d)), expected)
            << is.name << ", d = " << d;
        enumerated(1);
      }
  });
}
//! [DotProductVariance: exact check]

TEST(DotProductVariance, IsTheMeanSquareOfTheExpansionLessTheSquaredMean) {
  judge(dot_product_variance_mutants, [](const Rules& rules) {
    for_all(
        [&] {
          const auto d = *rc::gen::inRange<std::size_t>(1, 5).as("d");
          const RationalDistribution q = *any_distribution().as("law of each entry of q");
          const RationalDistribution k = *any_distribution().as("law of each entry of k");
          const Rational mean = rules.mean(d, moments(q), moments(k));
          RC_ASSERT(sum_of_term_means(rules, d, q, k) - mean * mean ==
                    dot_product_variance(d, moments(q), moments(k)));
        },
        100);
  });
}

TEST(DotProductVariance, IsDForEveryPairOfStandardizedLaws) {
  judge(dot_product_variance_mutants, [](const Rules& rules) {
    for_all(
        [&] {
          const auto d = *small_dimension().as("d");
          const RationalDistribution q = *standardized_distribution().as("law of each entry of q");
          const RationalDistribution k = *standardized_distribution().as("law of each entry of k");
          RC_ASSERT(variance(rules.law(q, k, d)) == d);
          RC_ASSERT(rules.variance(d, moments(q), moments(k)) == d);
        },
        100);
  });
}

TEST(DotProductVariance, IsTheThreeAndTheSixtyFourOfTheDocuments) {
  judge(dot_product_variance_mutants, [](const Rules& rules) {
    const Rational of_three = sum_of_term_means(rules, 3, fair_sign, fair_sign);
    const Rational of_sixty_four = sum_of_term_means(rules, 64, fair_sign, fair_sign);
    for (const auto& [document, printed, value] :
         {std::tuple("S2", "3", of_three), std::tuple("S2", "64", of_sixty_four),
          std::tuple("S3", "64", of_sixty_four)})
      expect_printed(document, printed, value);
    enumerated(3 * 3 + 64 * 64);
  });
}

TEST(DotProductVariance, AQueryOfSignsThatIsItsOwnKeyHasVarianceZero) {
  judge(dot_product_variance_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 8; ++d)
      EXPECT_EQ(rules.paired_variance(d, with_itself(fair_sign)), 0);
    enumerated(8);
    counterexample_without("independent");
  });
}

TEST(DotProductVariance, FairBitsHaveThreeSixteenthsOfD) {
  judge(dot_product_variance_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 8; ++d)
      EXPECT_EQ(rules.variance(d, moments(fair_bit), moments(fair_bit)), Rational(3 * d, 16));
    enumerated(8);
    counterexample_without("mean zero");
  });
}

TEST(DotProductVariance, EntriesOfTwoHaveVarianceFourD) {
  judge(dot_product_variance_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 8; ++d)
      EXPECT_EQ(rules.variance(d, moments(fair_two), moments(fair_sign)), 4 * d);
    enumerated(8);
    counterexample_without("unit variance");
  });
}

TEST(DotProductVariance, CuttingAHeavyTailLaterGivesMoreVarianceWithoutEnd) {
  judge(dot_product_variance_mutants, [](const Rules& rules) {
    for (unsigned cutoff = 0; cutoff <= 6; ++cutoff)
      EXPECT_EQ(variance(dot_product_distribution(rules.heavy_law(cutoff), fair_sign, 2)),
                6 * cutoff);
    enumerated(7);
    counterexample_without("finite variance");
  });
}

TEST(DotProductVariance, RefusesDimensionZero) {
  judge(dot_product_variance_mutants, [](const Rules& rules) {
    const auto call = [&] { rules.variance(0, moments(fair_sign), moments(fair_sign)); };
    EXPECT_EQ(message_of<std::domain_error>(call), refuses_zero);
  });
}

// -------------------------------------------------------------------- DotProductStandardDeviation

const Mutants standard_deviation_mutants = {
    {"the root of a float",
     "IsTheDoubleNearestToTheRoot",
     {.standard_deviation = [](std::uint64_t d) -> double {
       return std::sqrt(static_cast<float>(d));
     }}},
    {"the next double",
     "IsTheDoubleNearestToTheRoot",
     {.standard_deviation =
          [](std::uint64_t d) {
            return std::nextafter(std::sqrt(static_cast<double>(d)),
                                  std::numeric_limits<double>::infinity());
          }}},
    {"the double before",
     "IsTheDoubleNearestToTheRoot",
     {.standard_deviation =
          [](std::uint64_t d) { return std::nextafter(std::sqrt(static_cast<double>(d)), 0.0); }}},
    {"by exponential and logarithm",
     "IsTheIntegerRootOfEveryPerfectSquare",
     {.standard_deviation =
          [](std::uint64_t d) { return std::exp(std::log(static_cast<double>(d)) / 2); }}},
    {"the root of d/2, except in the exercise",
     "EightAtSixtyFourAndTheAnswerToTheFirstExercise",
     {.standard_deviation =
          [](std::uint64_t d) { return std::sqrt(static_cast<double>(d) / (d == 512 ? 1 : 2)); }}},
    {"six digits only",
     "EightAtSixtyFourAndTheAnswerToTheFirstExercise",
     {.standard_deviation =
          [](std::uint64_t d) {
            return std::stod(std::to_string(std::sqrt(static_cast<double>(d))));
          }}},
    {"the variance",
     "ItsSquareIsTheVarianceOfTheLaw",
     {.standard_deviation = [](std::uint64_t d) { return static_cast<double>(d); }}},
    {"the variances are taken to be one",
     "EntriesOfTwoHaveTwiceTheDeviation",
     {.law = [](const RationalDistribution&, const RationalDistribution&,
                std::size_t d) { return dot_product_distribution(fair_sign, fair_sign, d); }}},
    {"dimension zero has deviation zero",
     "RefusesDimensionsWhoseRootItCannotPromise",
     {.standard_deviation =
          [](std::uint64_t d) { return d == 0 ? 0.0 : dot_product_standard_deviation(d); }}},
    {"dimensions that are no doubles are rounded first",
     "RefusesDimensionsWhoseRootItCannotPromise",
     {.standard_deviation =
          [](std::uint64_t d) {
            return d > largest_exact_dimension ? std::sqrt(static_cast<double>(d))
                                               : dot_product_standard_deviation(d);
          }}},
};

/// A dimension with any number of bits up to the largest.
rc::Gen<std::uint64_t> any_dimension() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange(0, 54), rc::gen::inRange<std::uint64_t>(0, ~std::uint64_t{0})),
      [](const std::pair<int, std::uint64_t>& draw) {
        return draw.second % (std::uint64_t{1} << draw.first) + 1;
      });
}

//! [DotProductStandardDeviation]
TEST(DotProductStandardDeviation, IsTheDoubleNearestToTheRoot) {
  judge(standard_deviation_mutants, [](const Rules& rules) {
    const double infinity = std::numeric_limits<double>::infinity();
    for_all(
        [&] {
          const std::uint64_t d = *any_dimension().as("d");
          const double s = rules.standard_deviation(d);
          const Rational low = (Rational(std::nextafter(s, 0.0)) + Rational(s)) / 2;
          const Rational high = (Rational(s) + Rational(std::nextafter(s, infinity))) / 2;
          RC_ASSERT(low * low < d);
          RC_ASSERT(high * high > d);
        },
        1000);
  });
}
//! [DotProductStandardDeviation]

TEST(DotProductStandardDeviation, IsTheIntegerRootOfEveryPerfectSquare) {
  judge(standard_deviation_mutants, [](const Rules& rules) {
    const std::uint64_t largest = 1000;
    for (std::uint64_t root = 1; root <= largest; ++root)
      EXPECT_EQ(Rational(rules.standard_deviation(root * root)), root);
    enumerated(largest);
  });
}

//! [DotProductStandardDeviation: exact check]
TEST(DotProductStandardDeviation, EightAtSixtyFourAndTheAnswerToTheFirstExercise) {
  judge(standard_deviation_mutants, [](const Rules& rules) {
    expect_printed("S3", "8", Rational(rules.standard_deviation(64)));
    EXPECT_EQ(rules.standard_deviation(512), 22.627416997969522);
    enumerated(2);
    publish("at_512", format_shortest(rules.standard_deviation(512)));
    publish("at_512_rounded", format_fixed(rules.standard_deviation(512), 1));
    publish("ratio_of_weights_at_8", format_fixed(std::exp(rules.standard_deviation(8)), 0));
    publish("ratio_of_weights_at_64", format_fixed(std::exp(rules.standard_deviation(64)), 0));
    publish("digits_of_the_ratio_at_512",
            std::to_string(format_fixed(std::exp(rules.standard_deviation(512)), 0).size()));
  });
}
//! [DotProductStandardDeviation: exact check]

TEST(DotProductStandardDeviation, ItsSquareIsTheVarianceOfTheLaw) {
  judge(standard_deviation_mutants, [](const Rules& rules) {
    for_all(
        [&] {
          const std::size_t d = *rc::gen::element<std::size_t>(1, 4).as("d");
          const RationalDistribution q = *standardized_distribution().as("law of each entry of q");
          const Rational s(rules.standard_deviation(d));
          RC_ASSERT(s * s == variance(dot_product_distribution(q, fair_sign, d)));
        },
        25);
  });
}

TEST(DotProductStandardDeviation, EntriesOfTwoHaveTwiceTheDeviation) {
  judge(standard_deviation_mutants, [](const Rules& rules) {
    const Rational s(dot_product_standard_deviation(4));
    EXPECT_EQ(variance(rules.law(fair_two, fair_sign, 4)), (2 * s) * (2 * s));
    counterexample_without("variance d");
  });
}

TEST(DotProductStandardDeviation, RefusesDimensionsWhoseRootItCannotPromise) {
  judge(standard_deviation_mutants, [](const Rules& rules) {
    EXPECT_EQ(message_of<std::domain_error>([&] { rules.standard_deviation(0); }),
              "the dimension is 0, but must lie between 1 and 2^53");
    EXPECT_EQ(message_of<std::domain_error>(
                  [&] { rules.standard_deviation(largest_exact_dimension + 1); }),
              "the dimension is 9007199254740993, but must lie between 1 and 2^53");
  });
}

// -------------------------------------------------------------------- DotProductGrowsWithDimension

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

const Mutants growth_mutants = {
    {"the average instead of the sum",
     "NeverFallsWhenACentredTermIsAdded",
     {.sum = [](const RationalDistribution& x,
                const RationalDistribution& y) { return scaled(sum(x, y), Rational(1, 2)); }}},
    {"the mean square instead of the mean size",
     "RisesExactlyIfTheNewTermCanTurnTheSign",
     {.mean_absolute = [](const RationalDistribution& x) { return raw_moment(x, 2); }}},
    {"the positive part only",
     "RisesExactlyIfTheNewTermCanTurnTheSign",
     {.sum =
          [](const RationalDistribution& x, const RationalDistribution& y) {
            return sum(x, y).image([](const Rational& s) { return s > 0 ? s : Rational(s / 2); });
          }}},
    {"divided by d",
     "NeverFallsWithTheDimension",
     {.law =
          [](const RationalDistribution& q, const RationalDistribution& k, std::size_t d) {
            return scaled(dot_product_distribution(q, k, d), Rational(1) / Rational(d));
          }}},
    {"doubled",
     "NormalEntriesAgreeWithARaceAtEvenDimensions",
     {.normal_mean_absolute =
          [](std::size_t d) {
            const PiFraction a = normal_mean_absolute(d);
            return PiFraction{2 * a.coefficient, a.over_pi};
          }}},
    {"π is forgotten",
     "NormalEntriesFollowTheRecurrence",
     {.normal_mean_absolute =
          [](std::size_t d) {
            return PiFraction{normal_mean_absolute(d).coefficient, false};
          }}},
    {"the dimension is rounded up to even",
     "NormalEntriesFollowTheRecurrence",
     {.normal_mean_absolute = [](std::size_t d) { return normal_mean_absolute(d + d % 2); }}},
    {"neighbours are not tied",
     "NeighboursMultiplyToTwiceTheDimensionOverPi",
     {.normal_mean_absolute =
          [](std::size_t d) {
            const PiFraction a = normal_mean_absolute(d);
            return d % 2 == 0 ? a : PiFraction{2 * a.coefficient, true};
          }}},
    {"the odd dimensions are not over π",
     "NeighboursMultiplyToTwiceTheDimensionOverPi",
     {.normal_mean_absolute =
          [](std::size_t d) {
            return PiFraction{normal_mean_absolute(d).coefficient, false};
          }}},
    {"flat from each odd dimension to the next",
     "NormalEntriesRiseAtEveryDimension",
     {.normal_mean_absolute = [](std::size_t d) { return PiFraction{sign_mean_absolute(d)}; }}},
    {"the plain asymptotic square, g = d",
     "NormalEntriesLieInTheBracket",
     {.normal_mean_absolute =
          [](std::size_t d) {
            const PiFraction a = normal_mean_absolute(d);
            return PiFraction{a.coefficient * (1 + Rational(1) / (4 * d)), a.over_pi};
          }}},
    {"too small by one part in d²",
     "NormalEntriesLieInTheBracket",
     {.normal_mean_absolute =
          [](std::size_t d) {
            const PiFraction a = normal_mean_absolute(d);
            return PiFraction{a.coefficient * (1 - Rational(1) / (2 * d * d)), a.over_pi};
          }}},
    {"355/113 from below",
     "MachinsFormulaEnclosesPi",
     {.pi_bounds =
          [] {
            return Interval<Rational>{Rational(355, 113), Rational(355, 113)};
          }}},
    {"the bounds end before π",
     "MachinsFormulaEnclosesPi",
     {.pi_bounds =
          [] {
            return Interval<Rational>{Rational(333, 106), Rational(333, 106)};
          }}},
    {"the bounds of Archimedes",
     "MachinsFormulaEnclosesPi",
     {.pi_bounds =
          [] {
            return Interval<Rational>{Rational(223, 71), Rational(22, 7)};
          }}},
    {"central binomial of d, rounded down",
     "SignsRiseAtOddDimensionsOnly",
     {.sign_mean_absolute =
          [](std::size_t d) { return d < 2 ? Rational(1) : sign_mean_absolute(d - 1); }}},
    {"nothing grows, neither the law nor the formula",
     "SignsRiseAtOddDimensionsOnly",
     {.mean_absolute = [](const RationalDistribution&) { return Rational(1); },
      .sign_mean_absolute = [](std::size_t) { return Rational(1); }}},
    {"the largest value instead of the mean size",
     "SignsRiseAtOddDimensionsOnly",
     {.mean_absolute = [](const RationalDistribution& x) -> Rational {
       return abs(x.atoms().front().outcome);
     }}},
    {"the root of 2d/π for both",
     "SignsAndNormalEntriesAgreeAtEvenDimensions",
     {.normal_mean_absolute =
          [](std::size_t d) {
            return PiFraction{Rational(std::sqrt(0.636619772367581 * static_cast<double>(d)))};
          }}},
    {"it does not grow",
     "FourTermsStaySmallAndFiveHundredAndTwelveDoNot",
     {.sign_mean_absolute = [](std::size_t) { return Rational(3, 2); }}},
    {"it grows like d",
     "FourTermsStaySmallAndFiveHundredAndTwelveDoNot",
     {.sign_mean_absolute = [](std::size_t d) { return Rational(3 * d, 8); }}},
    {"nothing has a size",
     "ASecondTermThatTakesBackTheFirstLeavesNothing",
     {.mean_absolute = [](const RationalDistribution&) { return Rational(0); }}},
    {"the size is the mean",
     "IsAtMostTheRootOfTheVarianceIfAMeanIsZero",
     {.mean_absolute = [](const RationalDistribution& x) { return mean(x); }}},
    {"the greatest size instead of the mean size",
     "IsAtMostTheRootOfTheVarianceIfAMeanIsZero",
     {.mean_absolute = [](const RationalDistribution& x) -> Rational {
       return std::max<Rational>(abs(x.atoms().front().outcome), abs(x.atoms().back().outcome));
     }}},
    {"a term cannot take back another",
     "ASecondTermThatTakesBackTheFirstLeavesNothing",
     {.mean_absolute = [](const RationalDistribution& x) -> Rational {
       return 1 + mean_absolute(x);
     }}},
    {"the mean is moved to zero first",
     "AMeanBelowZeroCanMakeItFall",
     {.law = [](const RationalDistribution& q, const RationalDistribution& k,
                std::size_t d) { return dot_product_distribution(shifted(q, -mean(q)), k, d); }}},
    {"dimension zero has size zero, for normal entries",
     "RefusesDimensionZero",
     {.normal_mean_absolute =
          [](std::size_t d) { return d == 0 ? PiFraction() : normal_mean_absolute(d); }}},
    {"dimension zero has size zero, for signs",
     "RefusesDimensionZero",
     {.sign_mean_absolute =
          [](std::size_t d) { return d == 0 ? Rational(0) : sign_mean_absolute(d); }}},
};

//! [DotProductGrowsWithDimension]
TEST(DotProductGrowsWithDimension, NeverFallsWhenACentredTermIsAdded) {
  judge(growth_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution so_far = *any_distribution().as("law of the sum so far");
      const RationalDistribution q = *centred_distribution().as("law of the next q, mean zero");
      const RationalDistribution k = *small_law().as("law of the next k");
      RC_ASSERT(rules.mean_absolute(rules.sum(so_far, product(q, k))) >=
                rules.mean_absolute(so_far));
    });
  });
}
//! [DotProductGrowsWithDimension]

//! [DotProductGrowsWithDimension: when it rises]
TEST(DotProductGrowsWithDimension, RisesExactlyIfTheNewTermCanTurnTheSign) {
  judge(growth_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution so_far = *any_distribution().as("law of the sum so far");
      const RationalDistribution term =
          *centred_distribution().as("law of the next term, mean zero");
      bool can_turn = false;
      for (const auto& s : so_far.atoms())
        for (const auto& x : term.atoms())
          if (s.outcome * (s.outcome + x.outcome) < 0 || (s.outcome == 0 && x.outcome != 0))
            can_turn = true;
      const bool rises = rules.mean_absolute(rules.sum(so_far, term)) > rules.mean_absolute(so_far);
      RC_ASSERT(rises == can_turn);
    });
  });
}
//! [DotProductGrowsWithDimension: when it rises]

TEST(DotProductGrowsWithDimension, NeverFallsWithTheDimension) {
  judge(growth_mutants, [](const Rules& rules) {
    for_all(
        [&] {
          const auto d = *rc::gen::inRange<std::size_t>(1, 3).as("d");
          const RationalDistribution q = *small_centred_law().as("law of each entry of q");
          const RationalDistribution k = *small_law().as("law of each entry of k");
          RC_ASSERT(rules.mean_absolute(rules.law(q, k, d + 1)) >=
                    rules.mean_absolute(rules.law(q, k, d)));
        },
        50);
  });
}

TEST(DotProductGrowsWithDimension, NormalEntriesAgreeWithARaceAtEvenDimensions) {
  judge(growth_mutants, [](const Rules& rules) {
    const std::size_t largest = 64;
    for (std::size_t m = 1; m <= largest; ++m)
      EXPECT_EQ(rules.normal_mean_absolute(2 * m), PiFraction{mean_absolute_by_race(m)})
          << "d = " << 2 * m;
    enumerated(largest);
  });
}

TEST(DotProductGrowsWithDimension, NormalEntriesFollowTheRecurrence) {
  judge(growth_mutants, [](const Rules& rules) {
    PiFraction odd{2, true};
    PiFraction even{1, false};
    const std::size_t largest = 128;
    for (std::size_t d = 1; d <= largest; ++d) {
      PiFraction& next = d % 2 == 0 ? even : odd;
      EXPECT_EQ(rules.normal_mean_absolute(d), next) << "d = " << d;
      next.coefficient *= Rational(d + 1) / Rational(d);
    }
    enumerated(largest);
  });
}

TEST(DotProductGrowsWithDimension, NeighboursMultiplyToTwiceTheDimensionOverPi) {
  judge(growth_mutants, [](const Rules& rules) {
    const std::size_t largest = 128;
    for (std::size_t d = 1; d <= largest; ++d) {
      const PiFraction a = rules.normal_mean_absolute(d);
      const PiFraction b = rules.normal_mean_absolute(d + 1);
      EXPECT_EQ(a.coefficient * b.coefficient, 2 * d) << "d = " << d;
      EXPECT_NE(a.over_pi, b.over_pi) << "d = " << d;
    }
    enumerated(largest);
  });
}

//! [DotProductGrowsWithDimension: exact check]
TEST(DotProductGrowsWithDimension, NormalEntriesRiseAtEveryDimension) {
  judge(growth_mutants, [](const Rules& rules) {
    for (const std::size_t d : dimensions_for_growth()) {
      EXPECT_LT(bounds(rules.normal_mean_absolute(d)).upper,
                bounds(rules.normal_mean_absolute(d + 1)).lower)
          << "d = " << d;
      enumerated(1);
    }
  });
}
//! [DotProductGrowsWithDimension: exact check]

TEST(DotProductGrowsWithDimension, NormalEntriesLieInTheBracket) {
  judge(growth_mutants, [](const Rules& rules) {
    for (const std::size_t d : dimensions_for_growth()) {
      const Interval<Rational> g = halved_pi_times_square(rules.normal_mean_absolute(d));
      EXPECT_GT(g.lower, d - Rational(1, 2)) << "d = " << d;
      EXPECT_LT(g.upper, Rational(d * d) / (d + Rational(1, 2))) << "d = " << d;
      if (d <= 4) publish("g_" + std::to_string(d), format_fixed(g.lower.convert_to<double>(), 3));
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
  judge(growth_mutants, [](const Rules& rules) {
    const Rational pi(boost::math::constants::pi<Wide>());
    EXPECT_LT(rules.pi_bounds().lower, pi);
    EXPECT_GT(rules.pi_bounds().upper, pi);
    EXPECT_LT(rules.pi_bounds().upper - rules.pi_bounds().lower, Rational(1, 1000000000000));
  });
}

//! [DotProductGrowsWithDimension: exact check of the signs]
TEST(DotProductGrowsWithDimension, SignsRiseAtOddDimensionsOnly) {
  judge(growth_mutants, [](const Rules& rules) {
    const std::size_t largest = 24;
    Rational before = 0;
    for (std::size_t d = 1; d <= largest; ++d) {
      const Rational size = rules.mean_absolute(dot_product_distribution(fair_sign, fair_sign, d));
      EXPECT_EQ(size > before, d % 2 == 1) << "d = " << d;
      EXPECT_EQ(size, rules.sign_mean_absolute(d)) << "d = " << d;
      before = size;
    }
    enumerated(largest);
    counterexample_without("the sign can turn");
  });
}
//! [DotProductGrowsWithDimension: exact check of the signs]

TEST(DotProductGrowsWithDimension, SignsAndNormalEntriesAgreeAtEvenDimensions) {
  judge(growth_mutants, [](const Rules& rules) {
    const std::size_t largest = 64;
    for (std::size_t m = 1; m <= largest; ++m)
      EXPECT_EQ(rules.normal_mean_absolute(2 * m), PiFraction{sign_mean_absolute(2 * m)})
          << "d = " << 2 * m;
    enumerated(largest);
  });
}

TEST(DotProductGrowsWithDimension, FourTermsStaySmallAndFiveHundredAndTwelveDoNot) {
  judge(growth_mutants, [](const Rules& rules) {
    const Rational four = rules.sign_mean_absolute(4);
    const Rational many = rules.sign_mean_absolute(512);
    expect_confirmed("S2", "much larger in magnitude", many > 12 * four);
    EXPECT_LT(many, 13 * four);
    Rational still_small = 0;  // P(|q·k| <= 4) at d = 512
    for (std::size_t ones = 254; ones <= 258; ++ones)
      still_small += Rational(choose(512, ones)) / two_to_the(512);
    publish("at_4", format_fixed(four.convert_to<double>(), 1));
    publish("at_512", format_fixed(many.convert_to<double>(), 3));
    publish("still_small_at_512", format_fixed(still_small.convert_to<double>(), 3));
  });
}

TEST(DotProductGrowsWithDimension, ASecondTermThatTakesBackTheFirstLeavesNothing) {
  judge(growth_mutants, [](const Rules& rules) {
    // q = (s, −s) and k = (1, 1) with one fair sign s.
    const auto score_of_the_first = [](std::size_t d) {
      return fair_sign.image([d](const Rational& s) {
        const Vector q = {s, -s};
        return dot_product({q.begin(), q.begin() + static_cast<std::ptrdiff_t>(d)}, Vector(d, 1));
      });
    };
    EXPECT_EQ(rules.mean_absolute(score_of_the_first(1)), 1);
    EXPECT_EQ(rules.mean_absolute(score_of_the_first(2)), 0);
    enumerated(2);
    counterexample_without("independent");
  });
}

TEST(DotProductGrowsWithDimension, IsAtMostTheRootOfTheVarianceIfAMeanIsZero) {
  judge(growth_mutants, [](const Rules& rules) {
    for_all(
        [&] {
          const auto d = *rc::gen::inRange<std::size_t>(1, 3).as("d");
          const RationalDistribution q = *small_centred_law().as("law of each entry of q");
          const RationalDistribution k = *small_law().as("law of each entry of k");
          const RationalDistribution score = rules.law(q, k, d);
          const Rational size = rules.mean_absolute(score);
          RC_ASSERT(size * size <= variance(score));
        },
        50);
    EXPECT_EQ(rules.mean_absolute(rules.law(fair_sign, fair_two, 4)), 3);
    // Both means are 1 and the variance is d, since 4/3 · 3/2 = 2, and the size is d.
    const RationalDistribution q({0, Rational(4, 3)}, {Rational(1, 4), Rational(3, 4)});
    const RationalDistribution k({0, Rational(3, 2)}, {Rational(1, 3), Rational(2, 3)});
    for (std::size_t d = 1; d <= 6; ++d) {
      EXPECT_EQ(variance(rules.law(q, k, d)), d);
      EXPECT_EQ(rules.mean_absolute(rules.law(q, k, d)), d);
    }
    enumerated(7);
    counterexample_without("mean zero");
  });
}

TEST(DotProductGrowsWithDimension, AMeanBelowZeroCanMakeItFall) {
  judge(growth_mutants, [](const Rules& rules) {
    const RationalDistribution q({-1, 2}, {Rational(7, 10), Rational(3, 10)});
    const Rational two_terms = mean_absolute(rules.law(q, one, 2));
    const Rational three_terms = mean_absolute(rules.law(q, one, 3));
    EXPECT_LT(three_terms, two_terms);
    publish("two_terms", two_terms.str());
    publish("three_terms", three_terms.str());
    counterexample_without("mean zero");
  });
}

TEST(DotProductGrowsWithDimension, RefusesDimensionZero) {
  judge(growth_mutants, [](const Rules& rules) {
    EXPECT_EQ(message_of<std::domain_error>([&] { rules.normal_mean_absolute(0); }), refuses_zero);
    EXPECT_EQ(message_of<std::domain_error>([&] { rules.sign_mean_absolute(0); }), refuses_zero);
  });
}

// -------------------------------------------------------------------------------- WorkedDotProduct

const Mutants worked_dot_product_mutants = {
    {"two zeros are a match, as two ones are",
     "ItsEntriesHaveNeitherMeanZeroNorVarianceOne",
     {.dot_product = [](const Vector& q, const Vector& k) -> Rational {
       Rational sum = dot_product(q, k);
       for (std::size_t i = 0; i < q.size(); ++i) sum += q[i] == 0 && k[i] == 0 ? 1 : 0;
       return sum;
     }}},
    {"the first entry is skipped",
     "IsLinearInTheQuery",
     {.dot_product = [](const Vector& q, const Vector& k) -> Rational {
       return dot_product(q, k) - (q.empty() ? Rational(0) : Rational((q[0] - 1) * k[0]));
     }}},
    {"the absolute value",
     "IsLinearInTheQuery",
     {.dot_product = [](const Vector& q, const Vector& k) -> Rational {
       return abs(dot_product(q, k));
     }}},
    {"the key is squared",
     "IsSymmetric",
     {.dot_product = [](const Vector& q,
                        const Vector& k) { return dot_product(q, k) * dot_product(k, k); }}},
    {"the entries are counted",
     "GivesTheDocumentsScore",
     {.dot_product = [](const Vector& q, const Vector&) { return Rational(q.size()); }}},
    {"the last entry is skipped",
     "OfAnEntryAloneIsTheProduct",
     {.dot_product = [](const Vector& q, const Vector& k) -> Rational {
       return q.empty() ? Rational(0) : Rational(dot_product(q, k) - q.back() * k.back());
     }}},
    {"the shorter vector decides",
     "RefusesVectorsOfDifferentLengths",
     {.dot_product =
          [](const Vector& q, const Vector& k) {
            const auto n = static_cast<std::ptrdiff_t>(std::min(q.size(), k.size()));
            return dot_product({q.begin(), q.begin() + n}, {k.begin(), k.begin() + n});
          }}},
};

//! [WorkedDotProduct: exact check]
TEST(WorkedDotProduct, GivesTheDocumentsScore) {
  judge(worked_dot_product_mutants, [](const Rules& rules) {
    const Vector q = {1, 0, 1, 0};
    const Vector k = {0, 1, 1, 1};
    const Rational score = rules.dot_product(q, k);
    const Rational root(dot_product_standard_deviation(q.size()));
    for (const auto& [printed, value] :
         {std::pair("1", score), std::pair("2", root), std::pair("0.5", Rational(score / root))})
      expect_printed("S2", printed, value);
    enumerated(1);
  });
}
//! [WorkedDotProduct: exact check]

TEST(WorkedDotProduct, ItsEntriesHaveNeitherMeanZeroNorVarianceOne) {
  judge(worked_dot_product_mutants, [](const Rules& rules) {
    const Vector q = {1, 0, 1, 0};
    const Vector k = {0, 1, 1, 1};
    EXPECT_EQ(mean(RationalDistribution::uniform(q)), Rational(1, 2));
    EXPECT_EQ(variance(RationalDistribution::uniform(q)), Rational(1, 4));
    EXPECT_EQ(mean(RationalDistribution::uniform(k)), Rational(3, 4));
    EXPECT_EQ(variance(RationalDistribution::uniform(k)), Rational(3, 16));
    // The average over all queries and keys of zeros and ones is the score of the example.
    Rational total = 0;
    for (unsigned pair = 0; pair < 256; ++pair) {
      Vector bits;
      for (unsigned i = 0; i < 8; ++i) bits.emplace_back(pair >> i & 1U);
      total += rules.dot_product({bits.begin(), bits.begin() + 4}, {bits.begin() + 4, bits.end()});
    }
    EXPECT_EQ(total / 256, rules.dot_product(q, k));
    enumerated(256);
  });
}

TEST(WorkedDotProduct, OfAnEntryAloneIsTheProduct) {
  judge(worked_dot_product_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(1, 9).as("d");
      const auto i = *rc::gen::inRange<std::size_t>(0, d).as("i, counted from 0");
      const Vector k = *any_vector(d).as("k");
      Vector q(d, 0);
      q[i] = *any_rational().as("the one entry of q that is not 0");
      RC_ASSERT(rules.dot_product(q, k) == q[i] * k[i]);
    });
  });
}

//! [WorkedDotProduct]
TEST(WorkedDotProduct, IsLinearInTheQuery) {
  judge(worked_dot_product_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(0, 9).as("d");
      const Rational c = *any_rational().as("c");
      const Vector p = *any_vector(d).as("p");
      const Vector q = *any_vector(d).as("q");
      const Vector k = *any_vector(d).as("k");
      Vector combined;
      for (std::size_t i = 0; i < d; ++i) combined.push_back(p[i] + c * q[i]);
      RC_ASSERT(rules.dot_product(combined, k) ==
                rules.dot_product(p, k) + c * rules.dot_product(q, k));
    });
  });
}
//! [WorkedDotProduct]

TEST(WorkedDotProduct, IsSymmetric) {
  judge(worked_dot_product_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(1, 9).as("d");
      const Vector q = *any_vector(d).as("q");
      const Vector k = *any_vector(d).as("k");
      RC_ASSERT(rules.dot_product(q, k) == rules.dot_product(k, q));
    });
  });
}

TEST(WorkedDotProduct, RefusesVectorsOfDifferentLengths) {
  judge(worked_dot_product_mutants, [](const Rules& rules) {
    EXPECT_EQ(message_of<std::invalid_argument>([&] {
                rules.dot_product({1, 2, 3}, {1, 2});
              }),
              "the query has 3 entries and the key 2, but a dot product needs as many of each");
    counterexample_without("equal lengths");
  });
}

// ----------------------------------------------------------------------------- WithoutIndependence

const Mutants without_independence_mutants = {
    {"the mean of independent factors",
     "HoldsForEveryLawOfAPair",
     {.paired_mean =
          [](std::size_t d, const PairDistribution& pair) {
            return dot_product_mean(d, moments(pair.image([](const auto& qk) { return qk.first; })),
                                    moments(pair.image([](const auto& qk) { return qk.second; })));
          }}},
    {"the variance of independent factors",
     "HoldsForEveryLawOfAPair",
     {.paired_variance =
          [](std::size_t d, const PairDistribution& pair) {
            return dot_product_variance(
                d, moments(pair.image([](const auto& qk) { return qk.first; })),
                moments(pair.image([](const auto& qk) { return qk.second; })));
          }}},
    {"the squared mean is not subtracted",
     "HoldsForEveryLawOfAPair",
     {.paired_variance = [](std::size_t d, const PairDistribution& pair) -> Rational {
       return Rational(d) * raw_moment(paired_dot_product_distribution(pair, 1), 2);
     }}},
    {"d is dropped",
     "HoldsForEveryLawOfAPair",
     {.paired_variance =
          [](std::size_t, const PairDistribution& pair) {
            return paired_dot_product_variance(1, pair);
          }}},
    {"the mean of independent factors, for a query that is its own key",
     "AQueryThatIsItsOwnKeyHasMeanDAndNeedsTheFourthMoment",
     {.paired_mean = [](std::size_t, const PairDistribution&) { return Rational(0); }}},
    {"μ₄ in place of μ₄ − 1",
     "AQueryThatIsItsOwnKeyHasMeanDAndNeedsTheFourthMoment",
     {.self_variance = [](std::size_t d, const Rational& fourth) -> Rational {
       return Rational(d) * fourth;
     }}},
    {"every law is taken for normal",
     "AQueryThatIsItsOwnKeyHasMeanDAndNeedsTheFourthMoment",
     {.self_variance = [](std::size_t d, const Rational&) { return Rational(2 * d); }}},
    {"ρ² in place of ρ in the mean",
     "CorrelatedNormalEntriesFollowFromTheirMoments",
     {.correlated_mean = [](std::size_t d, const Rational& r) -> Rational {
       return Rational(d) * r * r;
     }}},
    {"1 is dropped",
     "CorrelatedNormalEntriesFollowFromTheirMoments",
     {.correlated_variance = [](std::size_t d, const Rational& r) -> Rational {
       return Rational(d) * r * r;
     }}},
    {"ρ² is dropped",
     "CorrelatedNormalEntriesFollowFromTheirMoments",
     {.correlated_variance = [](std::size_t d, const Rational&) { return Rational(d); }}},
    {"1 + 2ρ², the mean square",
     "CorrelatedNormalEntriesFollowFromTheirMoments",
     {.correlated_variance = [](std::size_t d, const Rational& r) -> Rational {
       return Rational(d) * (1 + 2 * r * r);
     }}},
    {"one pairing is counted where there are n",
     "NormalMomentsAgreeWithTheBinomialExpansion",
     {.normal_moment = [](const Rational& r, unsigned m, unsigned n) -> Rational {
       return m == 2 && n == 2 ? Rational(1 + r * r) : normal_moment(r, m, n);
     }}},
    {"the fourth moment of a sign",
     "NormalMomentsAgreeWithTheBinomialExpansion",
     {.normal_moment = [](const Rational& r, unsigned m, unsigned n) -> Rational {
       return m == 4 && n == 0 ? Rational(1) : normal_moment(r, m, n);
     }}},
    {"shared coordinates are taken for independent ones",
     "SharedCoordinatesGiveDSquared",
     {.variance_of_dependent_sum = [](const JointLaw& joint) -> Rational {
       return Rational(joint.atoms().front().outcome.size()) *
              variance(joint.image([](const auto& x) { return x.front(); }));
     }}},
    {"dimension zero has a paired mean",
     "RefusesWhatNoScoreHas",
     {.paired_mean =
          [](std::size_t d, const PairDistribution& pair) {
            return d == 0 ? Rational(0) : paired_dot_product_mean(d, pair);
          }}},
    {"dimension zero has a paired variance",
     "RefusesWhatNoScoreHas",
     {.paired_variance =
          [](std::size_t d, const PairDistribution& pair) {
            return d == 0 ? Rational(0) : paired_dot_product_variance(d, pair);
          }}},
    {"dimension zero has a paired law",
     "RefusesWhatNoScoreHas",
     {.paired_law =
          [](const PairDistribution& pair, std::size_t d) {
            return d == 0 ? RationalDistribution::uniform({0})
                          : paired_dot_product_distribution(pair, d);
          }}},
    {"a fourth moment below one is accepted",
     "RefusesWhatNoScoreHas",
     {.self_variance =
          [](std::size_t d, const Rational& fourth) {
            return fourth < 1 ? Rational(0) : self_dot_product_variance(d, fourth);
          }}},
    {"a correlation of two is accepted",
     "RefusesWhatNoScoreHas",
     {.correlated_variance =
          [](std::size_t d, const Rational& r) {
            return r > 1 ? Rational(0) : correlated_normal_variance(d, r);
          }}},
};

/// E xᵐyⁿ by a second route: y = ρx + √(1 − ρ²) z with an independent z, multiplied out.
Rational normal_moment_by_expansion(const Rational& correlation, unsigned m, unsigned n) {
  const auto moment = [](unsigned power) {  // E xᵖ = (p − 1)(p − 3)⋯1 for even p
    Rational product = power % 2 == 0 ? 1 : 0;
    for (unsigned odd = 1; odd < power; odd += 2) product *= odd;
    return product;
  };
  Rational total = 0;
  for (unsigned j = 0; j <= n; j += 2) {  // the power of √(1 − ρ²) z; odd ones have mean 0
    Rational weight(choose(n, j));
    for (unsigned i = 0; i < n - j; ++i) weight *= correlation;
    for (unsigned i = 0; i < j / 2; ++i) weight *= 1 - correlation * correlation;
    total += weight * moment(m + n - j) * moment(j);
  }
  return total;
}

//! [WithoutIndependence]
TEST(WithoutIndependence, HoldsForEveryLawOfAPair) {
  judge(without_independence_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const PairDistribution pair = *any_pair_law().as("joint law of q1 and k1");
      const RationalDistribution score = paired_dot_product_distribution(pair, d);
      RC_ASSERT(mean(score) == rules.paired_mean(d, pair));
      RC_ASSERT(variance(score) == rules.paired_variance(d, pair));
    });
  });
}
//! [WithoutIndependence]

TEST(WithoutIndependence, AQueryThatIsItsOwnKeyHasMeanDAndNeedsTheFourthMoment) {
  judge(without_independence_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const RationalDistribution x = *standardized_distribution().as("law of each entry of q = k");
      const PairDistribution pair = with_itself(x);
      RC_ASSERT(rules.paired_mean(d, pair) == d);
      RC_ASSERT(rules.self_variance(d, raw_moment(x, 4)) ==
                variance(paired_dot_product_distribution(pair, d)));
    });
    counterexample_without("independent");
  });
}

TEST(WithoutIndependence, CorrelatedNormalEntriesFollowFromTheirMoments) {
  judge(without_independence_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(1, 1000).as("d");
      const Rational r = *any_correlation().as("correlation");
      const Rational mean_of_term = normal_moment(r, 1, 1);
      const Rational mean_square_of_term = normal_moment(r, 2, 2);
      RC_ASSERT(rules.correlated_mean(d, r) == Rational(d) * mean_of_term);
      RC_ASSERT(rules.correlated_variance(d, r) ==
                Rational(d) * variance_from_mean_square(mean_of_term, mean_square_of_term));
    });
  });
}

TEST(WithoutIndependence, NormalMomentsAgreeWithTheBinomialExpansion) {
  judge(without_independence_mutants, [](const Rules& rules) {
    for_all(
        [&] {
          const Rational r = *any_correlation().as("correlation");
          for (unsigned m = 0; m <= 5; ++m)
            for (unsigned n = 0; n <= 5; ++n)
              RC_ASSERT(rules.normal_moment(r, m, n) == normal_moment_by_expansion(r, m, n));
        },
        50);
  });
}

TEST(WithoutIndependence, SharedCoordinatesGiveDSquared) {
  judge(without_independence_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 6; ++d) {
      const JointLaw terms = fair_sign.image([=](const Rational& s) { return Vector(d, s); });
      EXPECT_EQ(rules.variance_of_dependent_sum(terms), d * d);
    }
    enumerated(6);
    counterexample_without("independent coordinates");
  });
}

TEST(WithoutIndependence, RefusesWhatNoScoreHas) {
  judge(without_independence_mutants, [](const Rules& rules) {
    const PairDistribution pair = with_itself(fair_sign);
    const auto message = [](auto call) { return message_of<std::domain_error>(call); };
    EXPECT_EQ(message([&] { rules.paired_mean(0, pair); }), refuses_zero);
    EXPECT_EQ(message([&] { rules.paired_variance(0, pair); }), refuses_zero);
    EXPECT_EQ(message([&] { rules.paired_law(pair, 0); }), refuses_zero);
    EXPECT_EQ(message([&] { rules.self_variance(1, Rational(1, 2)); }),
              "the fourth moment is 1/2, but must be at least 1 for a law with mean square 1");
    EXPECT_EQ(message([&] { rules.correlated_variance(1, 2); }),
              "the correlation is 2, but must lie between -1 and 1");
  });
}

// --------------------------------------------------------------------------------- WithoutZeroMean

const Mutants without_zero_mean_mutants = {
    {"1 is dropped",
     "HoldsForEveryPairOfLawsWithVarianceOne",
     {.variance_from_means = [](std::size_t d, const Rational& q, const Rational& k) -> Rational {
       return Rational(d) * (q * q + k * k);
     }}},
    {"μq² is dropped",
     "HoldsForEveryPairOfLawsWithVarianceOne",
     {.variance_from_means = [](std::size_t d, const Rational&, const Rational& k) -> Rational {
       return Rational(d) * (1 + k * k);
     }}},
    {"μk² is dropped",
     "HoldsForEveryPairOfLawsWithVarianceOne",
     {.variance_from_means = [](std::size_t d, const Rational& q, const Rational&) -> Rational {
       return Rational(d) * (1 + q * q);
     }}},
    {"the mean square for the variance",
     "HoldsForEveryPairOfLawsWithVarianceOne",
     {.variance_from_means = [](std::size_t d, const Rational& q, const Rational& k) -> Rational {
       return Rational(d) * (1 + q * q) * (1 + k * k);
     }}},
    {"the means can cancel",
     "IsDExactlyIfBothMeansAreZero",
     {.variance_from_means = [](std::size_t d, const Rational& q, const Rational& k) -> Rational {
       return Rational(d) * (1 + (q + k) * (q + k));
     }}},
    {"always d",
     "EntriesOfZeroAndTwoHaveVarianceThreeD",
     {.variance_from_means = [](std::size_t d, const Rational&,
                                const Rational&) { return Rational(d); }}},
    {"the mean grows like the root of d",
     "DivisionByTheRootOfDLeavesAMeanThatGrows",
     {.mean = [](std::size_t, const Moments& q, const Moments& k) { return product_mean(q, k); }}},
    {"dimension zero has variance zero",
     "RefusesDimensionZero",
     {.variance_from_means =
          [](std::size_t d, const Rational& q, const Rational& k) {
            return d == 0 ? Rational(0) : dot_product_variance_from_means(d, q, k);
          }}},
};

//! [WithoutZeroMean]
TEST(WithoutZeroMean, HoldsForEveryPairOfLawsWithVarianceOne) {
  judge(without_zero_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const Rational q_mean = *any_rational().as("mean of each entry of q");
      const Rational k_mean = *any_rational().as("mean of each entry of k");
      const RationalDistribution q =
          *standardized_distribution().as("law of each entry of q, less its mean");
      const RationalDistribution k =
          *standardized_distribution().as("law of each entry of k, less its mean");
      RC_ASSERT(variance(dot_product_distribution(shifted(q, q_mean), shifted(k, k_mean), d)) ==
                rules.variance_from_means(d, q_mean, k_mean));
    });
  });
}
//! [WithoutZeroMean]

TEST(WithoutZeroMean, IsDExactlyIfBothMeansAreZero) {
  judge(without_zero_mean_mutants, [](const Rules& rules) {
    const int largest = 5;
    for (int q = -largest; q <= largest; ++q)
      for (int k = -largest; k <= largest; ++k) {
        EXPECT_EQ(rules.variance_from_means(64, q, k) == 64, q == 0 && k == 0)
            << "means " << q << " and " << k;
        enumerated(1);
      }
  });
}

//! [WithoutZeroMean: exact check]
TEST(WithoutZeroMean, EntriesOfZeroAndTwoHaveVarianceThreeD) {
  judge(without_zero_mean_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 4; ++d) {
      const RationalDistribution score =
          dot_product_distribution_by_enumeration(zero_or_two, zero_or_two, d);
      EXPECT_EQ(variance(score), rules.variance_from_means(d, 1, 1));
    }
    enumerated(4);
    counterexample_without("mean zero");
  });
}
//! [WithoutZeroMean: exact check]

TEST(WithoutZeroMean, DivisionByTheRootOfDLeavesAMeanThatGrows) {
  judge(without_zero_mean_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 512; d *= 2) {
      const Rational mean = rules.mean(d, moments(zero_or_two), moments(zero_or_two));
      EXPECT_EQ(mean * mean / Rational(d), d) << "the squared mean of the scaled score";
    }
    enumerated(10);
  });
}

TEST(WithoutZeroMean, RefusesDimensionZero) {
  judge(without_zero_mean_mutants, [](const Rules& rules) {
    EXPECT_EQ(message_of<std::domain_error>([&] { rules.variance_from_means(0, 1, 1); }),
              refuses_zero);
  });
}

// ----------------------------------------------------------------------------- WithoutUnitVariance

const Mutants without_unit_variance_mutants = {
    {"σq² is dropped",
     "HoldsForEveryPairOfCentredLaws",
     {.variance_from_variances = [](std::size_t d, const Rational&, const Rational& k) -> Rational {
       return Rational(d) * k;
     }}},
    {"σk² is dropped",
     "HoldsForEveryPairOfCentredLaws",
     {.variance_from_variances = [](std::size_t d, const Rational& q, const Rational&) -> Rational {
       return Rational(d) * q;
     }}},
    {"d is dropped",
     "HoldsForEveryPairOfCentredLaws",
     {.variance_from_variances = [](std::size_t, const Rational& q, const Rational& k) -> Rational {
       return q * k;
     }}},
    {"the variances are squared",
     "OnlyTheProductOfTheVariancesCounts",
     {.variance_from_variances = [](std::size_t d, const Rational& q, const Rational& k)
          -> Rational { return Rational(d) * q * q * k * k; }}},
    {"the sign of the key is lost",
     "OnlyTheProductOfTheVariancesCounts",
     {.law =
          [](const RationalDistribution& q, const RationalDistribution& k, std::size_t d) {
            const auto size = k.image([](const Rational& x) { return Rational(abs(x)); });
            return dot_product_distribution(q, size, d);
          }}},
    {"the variances are averaged",
     "OnlyTheProductOfTheVariancesCounts",
     {.variance_from_variances = [](std::size_t d, const Rational& q, const Rational& k)
          -> Rational { return Rational(d) * (q + k) / 2; }}},
    {"always d",
     "EntriesOfTwoHaveVarianceFourD",
     {.variance_from_variances = [](std::size_t d, const Rational&,
                                    const Rational&) { return Rational(d); }}},
    {"dimension zero has variance zero",
     "RefusesDimensionZeroAndNegativeVariances",
     {.variance_from_variances =
          [](std::size_t d, const Rational& q, const Rational& k) {
            return d == 0 ? Rational(0) : dot_product_variance_from_variances(d, q, k);
          }}},
    {"a negative variance of q is accepted",
     "RefusesDimensionZeroAndNegativeVariances",
     {.variance_from_variances =
          [](std::size_t d, const Rational& q, const Rational& k) {
            return q < 0 ? Rational(0) : dot_product_variance_from_variances(d, q, k);
          }}},
    {"a negative variance of k is accepted",
     "RefusesDimensionZeroAndNegativeVariances",
     {.variance_from_variances =
          [](std::size_t d, const Rational& q, const Rational& k) {
            return k < 0 ? Rational(0) : dot_product_variance_from_variances(d, q, k);
          }}},
};

//! [WithoutUnitVariance]
TEST(WithoutUnitVariance, HoldsForEveryPairOfCentredLaws) {
  judge(without_unit_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const RationalDistribution q = *small_centred_law().as("law of each entry of q");
      const RationalDistribution k = *small_centred_law().as("law of each entry of k");
      RC_ASSERT(variance(dot_product_distribution(q, k, d)) ==
                rules.variance_from_variances(d, variance(q), variance(k)));
    });
  });
}
//! [WithoutUnitVariance]

TEST(WithoutUnitVariance, OnlyTheProductOfTheVariancesCounts) {
  judge(without_unit_variance_mutants, [](const Rules& rules) {
    const RationalDistribution skewed({-1, 2}, {Rational(2, 3), Rational(1, 3)});
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const Rational c = *nonzero_rational().as("c, by which q is multiplied and k divided");
      const RationalDistribution q = *small_centred_law().as("law of each entry of q");
      const RationalDistribution k = *small_centred_law().as("law of each entry of k");
      const RationalDistribution cq = scaled(q, c);
      const RationalDistribution k_over_c = scaled(k, 1 / c);
      RC_ASSERT(rules.law(cq, k_over_c, d) == dot_product_distribution(q, k, d));
      RC_ASSERT(rules.variance_from_variances(d, variance(cq), variance(k_over_c)) ==
                variance(dot_product_distribution(q, k, d)));
    });
    EXPECT_EQ(rules.law(scaled(skewed, -3), scaled(skewed, Rational(-1, 3)), 2),
              dot_product_distribution(skewed, skewed, 2));
  });
}

//! [WithoutUnitVariance: exact check]
TEST(WithoutUnitVariance, EntriesOfTwoHaveVarianceFourD) {
  judge(without_unit_variance_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 4; ++d) {
      const RationalDistribution score =
          dot_product_distribution_by_enumeration(fair_two, fair_sign, d);
      EXPECT_EQ(variance(score), rules.variance_from_variances(d, 4, 1));
    }
    enumerated(4);
    counterexample_without("unit variance");
  });
}
//! [WithoutUnitVariance: exact check]

TEST(WithoutUnitVariance, RefusesDimensionZeroAndNegativeVariances) {
  judge(without_unit_variance_mutants, [](const Rules& rules) {
    const auto message = [&](std::size_t d, const Rational& q, const Rational& k) {
      return message_of<std::domain_error>([&] { rules.variance_from_variances(d, q, k); });
    };
    EXPECT_EQ(message(0, 1, 1), refuses_zero);
    EXPECT_EQ(message(1, -1, 1), "the variance is -1, but must be at least 0");
    EXPECT_EQ(message(1, 1, -1), "the variance is -1, but must be at least 0");
  });
}

// --------------------------------------------------------------------------- WithoutFiniteVariance

const Mutants without_finite_variance_mutants = {
    {"the tail is thin: 8⁻ʲ in place of 4⁻ʲ",
     "EachDoublingOfTheCutoffAddsThreeToTheMeanSquare",
     {.heavy_law =
          [](unsigned cutoff) {
            Vector outcomes;
            Vector probabilities;
            Rational rest = 1;
            for (unsigned j = 1; j <= cutoff; ++j)
              for (const int sign : {-1, 1}) {
                outcomes.push_back(sign * two_to_the(j));
                probabilities.push_back(Rational(3, 2) / two_to_the(3 * j));
                rest -= probabilities.back();
              }
            outcomes.push_back(0);
            probabilities.push_back(rest);
            return RationalDistribution(outcomes, probabilities);
          }}},
    {"only positive outcomes",
     "EachDoublingOfTheCutoffAddsThreeToTheMeanSquare",
     {.heavy_law =
          [](unsigned cutoff) {
            return truncated_heavy_distribution(cutoff).image(
                [](const Rational& x) { return Rational(abs(x)); });
          }}},
    {"the cut-off never comes",
     "TheVarianceOfTheScoreHasNoLimit",
     {.heavy_law =
          [](unsigned cutoff) { return truncated_heavy_distribution(std::min(cutoff, 3U)); }}},
    {"the sign of the slope",
     "PartialFractionsSplitTheIntegrand",
     {.partial_fractions =
          [](const Rational& a, const Rational& b, const Rational& x) {
            const PartialFractions parts = cauchy_partial_fractions(a, b, x);
            return PartialFractions{-parts.slope, parts.at_zero, parts.at_x};
          }}},
    {"the constants are exchanged",
     "PartialFractionsSplitTheIntegrand",
     {.partial_fractions =
          [](const Rational& a, const Rational& b, const Rational& x) {
            const PartialFractions parts = cauchy_partial_fractions(a, b, x);
            return PartialFractions{parts.slope, parts.at_x, parts.at_zero};
          }}},
    {"squared scales add, as variances would",
     "TheSumOfTwoCauchyVariablesIsCauchy",
     {.cauchy_sum_density =
          [](const Rational& a, const Rational& b, const Rational& x) {
            return PiFraction{(a + b) / (a * a + b * b + x * x), true};
          }}},
    {"the larger scale wins",
     "TheSumOfTwoCauchyVariablesIsCauchy",
     {.cauchy_sum_density = [](const Rational& a, const Rational& b,
                               const Rational& x) { return cauchy_density(std::max(a, b), x); }}},
    {"signs are kept",
     "TheScaleOfAScoreIsTheSumOfTheAbsoluteEntries",
     {.cauchy_score_scale =
          [](const Vector& k) {
            Rational total = 0;
            for (const Rational& entry : k) total += entry;
            return total;
          }}},
    {"the squared Euclidean norm",
     "TheScaleOfAScoreIsTheSumOfTheAbsoluteEntries",
     {.cauchy_score_scale = [](const Vector& k) { return dot_product(k, k); }}},
    {"the largest entry",
     "DivisionByTheRootOfDLeavesTheScaleRootOfD",
     {.cauchy_score_scale =
          [](const Vector& k) {
            Rational largest = 0;
            for (const Rational& entry : k) largest = std::max<Rational>(largest, abs(entry));
            return largest;
          }}},
    {"a key of zeros has scale zero",
     "RefusesWhatIsNotCauchy",
     {.cauchy_score_scale = [](const Vector& k) -> Rational {
       return dot_product(k, k) == 0 ? Rational(0) : cauchy_score_scale(k);
     }}},
    {"a scale of zero is accepted",
     "RefusesWhatIsNotCauchy",
     {.partial_fractions =
          [](const Rational& a, const Rational& b, const Rational& x) {
            return a == 0 ? PartialFractions() : cauchy_partial_fractions(a, b, x);
          }}},
    {"a double pole is split",
     "RefusesWhatIsNotCauchy",
     {.cauchy_sum_density = [](const Rational& a, const Rational& b,
                               const Rational& x) { return cauchy_density(a + b, x); }}},
};

//! [WithoutFiniteVariance]
TEST(WithoutFiniteVariance, EachDoublingOfTheCutoffAddsThreeToTheMeanSquare) {
  judge(without_finite_variance_mutants, [](const Rules& rules) {
    const unsigned largest = 32;
    for (unsigned cutoff = 0; cutoff <= largest; ++cutoff) {
      EXPECT_EQ(mean(rules.heavy_law(cutoff)), 0);
      EXPECT_EQ(raw_moment(rules.heavy_law(cutoff), 2), 3 * cutoff);
    }
    enumerated(largest + 1);
  });
}
//! [WithoutFiniteVariance]

TEST(WithoutFiniteVariance, TheVarianceOfTheScoreHasNoLimit) {
  judge(without_finite_variance_mutants, [](const Rules& rules) {
    for (unsigned cutoff = 0; cutoff <= 5; ++cutoff)
      for (std::size_t d = 1; d <= 2; ++d) {
        const RationalDistribution entry = rules.heavy_law(cutoff);
        EXPECT_EQ(variance(dot_product_distribution(entry, entry, d)), d * 9 * cutoff * cutoff);
        enumerated(1);
      }
    counterexample_without("finite variance");
  });
}

TEST(WithoutFiniteVariance, PartialFractionsSplitTheIntegrand) {
  judge(without_finite_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const Rational a = *positive_rational().as("a");
      const Rational b = *positive_rational().as("b");
      const Rational x = *nonzero_rational().as("x");
      const Rational y = *any_rational().as("y");
      const PartialFractions parts = rules.partial_fractions(a, b, x);
      const Rational at_zero = a * a + y * y;
      const Rational at_x = b * b + (y - x) * (y - x);
      RC_ASSERT(1 / (at_zero * at_x) == (parts.slope * y + parts.at_zero) / at_zero +
                                            (-parts.slope * (y - x) + parts.at_x) / at_x);
    });
  });
}

//! [WithoutFiniteVariance: exact check]
TEST(WithoutFiniteVariance, TheSumOfTwoCauchyVariablesIsCauchy) {
  judge(without_finite_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const Rational a = *positive_rational().as("a");
      const Rational b = *positive_rational().as("b");
      const Rational x = *nonzero_rational().as("x");
      RC_ASSERT(rules.cauchy_sum_density(a, b, x) == cauchy_density(a + b, x));
    });
  });
}
//! [WithoutFiniteVariance: exact check]

TEST(WithoutFiniteVariance, TheScaleOfAScoreIsTheSumOfTheAbsoluteEntries) {
  judge(without_finite_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(1, 9).as("d");
      const Vector k = *rc::gen::container<Vector>(d, nonzero_rational()).as("key");
      const Rational x = *nonzero_rational().as("x");
      Rational scale = abs(k.front());
      for (std::size_t i = 1; i < d; ++i) {
        const PiFraction density = cauchy_sum_density(scale, abs(k[i]), x);
        scale =
            rules.cauchy_score_scale({k.begin(), k.begin() + static_cast<std::ptrdiff_t>(i) + 1});
        RC_ASSERT(scale > 0);
        RC_ASSERT(density == cauchy_density(scale, x));
      }
    });
  });
}

TEST(WithoutFiniteVariance, DivisionByTheRootOfDLeavesTheScaleRootOfD) {
  judge(without_finite_variance_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 6; ++d)
      for (std::size_t signs = 0; signs < std::size_t{1} << d; ++signs) {
        Vector k;
        for (std::size_t i = 0; i < d; ++i) k.push_back((signs >> i) % 2 == 0 ? 1 : -1);
        const Rational scale = rules.cauchy_score_scale(k);
        EXPECT_EQ(scale * scale / Rational(d), d) << "the squared scale after division by root d";
        enumerated(1);
      }
  });
}

TEST(WithoutFiniteVariance, RefusesWhatIsNotCauchy) {
  judge(without_finite_variance_mutants, [](const Rules& rules) {
    const auto message = [](auto call) { return message_of<std::domain_error>(call); };
    EXPECT_EQ(message([&] {
                rules.cauchy_score_scale({0, 0});
              }),
              "every entry of the key is 0, but at least one must not be");
    EXPECT_EQ(message([&] { rules.partial_fractions(0, 1, 1); }),
              "the scale is 0, but must be greater than 0");
    EXPECT_EQ(message([&] { rules.cauchy_sum_density(2, 2, 0); }),
              "both scales are 2 and x is 0, but x must not be 0 for equal scales");
  });
}

}  // namespace
