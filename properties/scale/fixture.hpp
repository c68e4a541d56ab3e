// Code shared by the claims of chapter \ref scale.
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/scale.hpp>
#include <sqrtdk/testing/kit.hpp>

namespace sqrtdk::properties {
inline namespace chapter_scale {

using namespace sqrtdk::testing;

using Vector = std::vector<Rational>;

/// The functions that this chapter's checks call, one of which a mutant replaces.
struct Subject {
  RationalDistribution (*dot_product_distribution)(const RationalDistribution&,
                                                   const RationalDistribution&,
                                                   std::size_t) = sqrtdk::dot_product_distribution;
  Rational (*scaled_score_variance)(std::size_t, const Moments&,
                                    const Moments&) = sqrtdk::scaled_score_variance;
  Rational (*variance_after_division)(const Rational&,
                                      const Rational&) = sqrtdk::variance_after_division;
  std::optional<Rational> (*unit_variance_divisor)(const Rational&) = sqrtdk::unit_variance_divisor;
  ScalingRule (*constant_scale)(const Rational&) = sqrtdk::constant_scale;
  Rational (*variance_left)(const ScalingRule&, std::size_t) = sqrtdk::variance_left;
  double (*log_variance_left)(const ScalingRule&,
                              const double&) = sqrtdk::log_variance_left<double>;
  double (*log_variance_left_error)(const ScalingRule&,
                                    const double&) = sqrtdk::log_variance_left_error<double>;
  Wide (*far_log_variance_left)(const ScalingRule&, const Wide&) = sqrtdk::log_variance_left<Wide>;
  Limit (*limit_of_variance_left)(const ScalingRule&) = sqrtdk::limit_of_variance_left;
  Rational (*squared_cosine)(const Vector&, const Vector&) = sqrtdk::squared_cosine;
  Rational (*cosine_moment)(std::size_t, unsigned) = sqrtdk::cosine_moment;
  Interval<Rational> (*softmax_weight_bounds)(std::size_t,
                                              const Rational&) = sqrtdk::softmax_weight_bounds;
};

}  // namespace chapter_scale
}  // namespace sqrtdk::properties
