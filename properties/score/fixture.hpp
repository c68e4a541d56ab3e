// Code shared by the claims of chapter \ref score.
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/numbers/pi_fraction.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/score/dependence.hpp>
#include <sqrtdk/score/heavy_tails.hpp>
#include <sqrtdk/score/square.hpp>
#include <sqrtdk/testing/kit.hpp>

template <>
struct sqrtdk::testing::is_exact<sqrtdk::PiFraction> : std::true_type {};

template <>
struct sqrtdk::testing::is_exact<sqrtdk::TermCounts> : std::true_type {};

namespace sqrtdk::properties {
inline namespace chapter_score {

using namespace sqrtdk::testing;

using Vector = std::vector<Rational>;
using Terms = std::vector<Monomial>;
using JointDistribution = FiniteDistribution<Vector>;

/// The functions that this chapter's checks call, one of which a mutant replaces.
struct Subject {
  Rational (*dot_product)(const Vector&, const Vector&) = sqrtdk::dot_product;
  RationalDistribution (*distribution)(const RationalDistribution&, const RationalDistribution&,
                                       std::size_t) = sqrtdk::dot_product_distribution;
  RationalDistribution (*distribution_by_enumeration)(const RationalDistribution&,
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
  RationalDistribution (*paired_distribution)(const PairDistribution&, std::size_t) =
      sqrtdk::paired_dot_product_distribution;
  Rational (*paired_mean)(std::size_t, const PairDistribution&) = sqrtdk::paired_dot_product_mean;
  Rational (*paired_variance)(std::size_t,
                              const PairDistribution&) = sqrtdk::paired_dot_product_variance;
  Rational (*self_variance)(std::size_t, const Rational&) = sqrtdk::self_dot_product_variance;
  Rational (*variance_of_dependent_sum)(const JointDistribution&) =
      sqrtdk::variance_of_dependent_sum;
  Rational (*normal_moment)(const Rational&, unsigned, unsigned) = sqrtdk::normal_moment;
  Rational (*correlated_mean)(std::size_t, const Rational&) = sqrtdk::correlated_normal_mean;
  Rational (*correlated_variance)(std::size_t,
                                  const Rational&) = sqrtdk::correlated_normal_variance;
  RationalDistribution (*heavy_distribution)(unsigned) = sqrtdk::truncated_heavy_distribution;
  PartialFractions (*partial_fractions)(const Rational&, const Rational&,
                                        const Rational&) = sqrtdk::cauchy_partial_fractions;
  PiFraction (*cauchy_sum_density)(const Rational&, const Rational&,
                                   const Rational&) = sqrtdk::cauchy_sum_density;
  Rational (*cauchy_score_scale)(const Vector&) = sqrtdk::cauchy_score_scale;
};

inline const RationalDistribution fair_two({-2, 2}, {Rational(1, 2), Rational(1, 2)});
inline const RationalDistribution zero_or_two({0, 2}, {Rational(1, 2), Rational(1, 2)});
inline const RationalDistribution one = RationalDistribution::uniform({1});

inline const std::string refuses_zero = "the dimension is 0, but must be at least 1";

/// The joint distribution of X and X itself: a query entry that is its own key entry.
inline PairDistribution with_itself(const RationalDistribution& x) {
  return x.image([](const Rational& v) { return std::pair(v, v); });
}

inline RationalDistribution shifted(const RationalDistribution& x, const Rational& by) {
  return x.image([&](const Rational& v) { return Rational(v + by); });
}

inline RationalDistribution scaled(const RationalDistribution& x, const Rational& by) {
  return x.image([&](const Rational& v) { return Rational(v * by); });
}

inline Integer choose(std::size_t n, std::size_t k) {
  Integer ways = 1;
  for (std::size_t i = 0; i < k; ++i) ways = ways * (n - i) / (i + 1);
  return ways;
}

inline Rational two_to_the(std::size_t n) { return Rational(Integer(1) << n); }

/// A head dimension small enough for the whole distribution of q·k.
inline rc::Gen<std::size_t> small_dimension() { return rc::gen::inRange<std::size_t>(1, 4); }

inline rc::Gen<RationalDistribution> small_distribution() {
  return rc::gen::map(sqrtdk::testing::weighted_list(any_rational(), 3),
                      sqrtdk::testing::weighted<Rational>);
}

inline rc::Gen<RationalDistribution> small_centred_distribution() {
  return rc::gen::map(small_distribution(),
                      [](const RationalDistribution& x) { return shifted(x, -mean(x)); });
}

inline rc::Gen<Vector> any_vector(std::size_t length) {
  return rc::gen::container<Vector>(length, any_rational());
}

}  // namespace chapter_score
}  // namespace sqrtdk::properties
