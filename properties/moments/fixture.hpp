// Code shared by the claims of chapter \ref moments.
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/testing/kit.hpp>

namespace sqrtdk::properties {
inline namespace chapter_moments {

using namespace sqrtdk::testing;

using JointDistribution = FiniteDistribution<std::vector<Rational>>;

/// The functions that this chapter's checks call, one of which a mutant replaces.
struct Subject {
  Rational (*mean_square)(const RationalDistribution&) = [](const RationalDistribution& x) {
    return raw_moment(x, 2);
  };
  Rational (*variance)(const RationalDistribution&) = sqrtdk::variance<Rational>;
  Rational (*variance_from_mean_square)(const Rational&,
                                        const Rational&) = sqrtdk::variance_from_mean_square;
  RationalDistribution (*product)(const RationalDistribution&,
                                  const RationalDistribution&) = sqrtdk::product<Rational>;
  RationalDistribution (*sum)(const RationalDistribution&,
                              const RationalDistribution&) = sqrtdk::sum<Rational>;
  RationalDistribution (*sum_of_copies)(RationalDistribution,
                                        std::size_t) = sqrtdk::sum_of_copies<Rational>;
  Rational (*product_mean)(const Moments&, const Moments&) = sqrtdk::product_mean;
  Rational (*product_variance)(const Moments&, const Moments&) = sqrtdk::product_variance;
  Rational (*variance_of_sum)(const std::vector<Rational>&) = sqrtdk::variance_of_sum;
  Rational (*variance_of_dependent_sum)(const JointDistribution&) =
      sqrtdk::variance_of_dependent_sum;
  Rational (*variance_after_division)(const Rational&,
                                      const Rational&) = sqrtdk::variance_after_division;
  Rational (*chebyshev_bound)(const Rational&, const Rational&) = sqrtdk::chebyshev_bound;
  Rational (*min_deviation_probability)(const Rational&, const Rational&,
                                        const Rational&) = sqrtdk::min_deviation_probability;
  Interval<Rational> (*variance_bounds)(std::size_t, const Rational&,
                                        const Rational&) = sqrtdk::variance_bounds;
};

}  // namespace chapter_moments
}  // namespace sqrtdk::properties
