// Code shared by the claims of chapter \ref score_distribution.
#pragma once

#include <sqrtdk/distributions/cosine_similarity_distribution.hpp>
#include <sqrtdk/distributions/rademacher_score_distribution.hpp>
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/distributions/score_sampler.hpp>
#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "properties/score_distribution/formulas.hpp"
#include "properties/score_distribution/reference.hpp"
#include "properties/support/expect_within.hpp"

#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/normal.hpp>

namespace sqrtdk::properties {
inline namespace chapter_score_distribution {

using namespace sqrtdk::testing;
using namespace sqrtdk::reference;

using Signs = sqrtdk::rademacher_score_distribution<double>;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A dimension from 1/2 to 10⁹, such that d + 2 is exact too. Shrinks to 1/2.
inline rc::Gen<double> any_dimension() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange(-1, 30), rc::gen::inRange(0, 1 << 20)), [](const auto& draw) {
        return std::min(1e9, std::ldexp(1 + std::ldexp(draw.second, -20), draw.first));
      });
}

/// A score in deviations, from 2⁻²⁰ to 32. Shrinks to 2⁻²⁰.
inline rc::Gen<double> any_deviation() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange(-20, 5), rc::gen::inRange(0, 1 << 20)),
      [](const auto& draw) { return std::ldexp(1 + std::ldexp(draw.second, -20), draw.first); });
}

inline double dot(std::span<const double> q, std::span<const double> k) {
  double sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i) sum += q[i] * k[i];
  return sum;
}

/// The functions that this chapter's checks are about.
struct Subject {
  double (*pdf)(double, double) = [](double d, double x) { return sqrtdk::pdf(Score(d), x); };
  double (*lower)(double, double) = [](double d, double x) { return sqrtdk::cdf(Score(d), x); };
  double (*upper)(double, double) = [](double d, double x) {
    return sqrtdk::cdf(complement(Score(d), x));
  };
  double (*log_upper)(double, double) = [](double d, double x) {
    return sqrtdk::logcdf(complement(Score(d), x));
  };
  double (*central)(double, double) = [](double d, double x) {
    return sqrtdk::central_cdf(Score(d), x);
  };
  double (*quantile)(double, double) = [](double d, double p) {
    return sqrtdk::quantile(Score(d), p);
  };
  double (*hazard)(double, double) = [](double d, double x) { return sqrtdk::hazard(Score(d), x); };
  double (*characteristic_function)(double, double) = [](double d, double t) {
    return sqrtdk::characteristic_function(Score(d), t);
  };
  Wide (*cumulant)(unsigned, unsigned) = [](unsigned d, unsigned n) {
    return sqrtdk::cumulant(score_distribution<Wide>(d), n);
  };
  Wide (*absolute_moment)(unsigned, const Wide&) = [](unsigned d, const Wide& r) {
    return sqrtdk::absolute_moment(score_distribution<Wide>(d), r);
  };
  float (*entropy)(float) = [](float d) { return sqrtdk::entropy(score_distribution<float>(d)); };
  double (*distance_remainder)(double) = properties::distance_remainder;
  double (*normal_distance)(double) = [](double d) { return sqrtdk::normal_distance(Score(d)); };
  double (*excess_kurtosis)(double) = [](double d) { return sqrtdk::kurtosis_excess(Score(d)); };
  Rational (*even_tail)(unsigned, const Rational&) = reference::even_tail;
  std::vector<Rational> (*even_density)(unsigned) = even_density_coefficients;
  Wide (*bessel)(const Wide&, const Wide&) = properties::bessel_by_mixing;
  Wide (*next_tail)(const Wide&, const Wide&, const Wide&, const Wide&) = properties::next_tail;
  Wide (*next_density)(const Wide&, const Wide&, const Wide&,
                       const Wide&) = properties::next_density;
  Rational (*difference_moment)(const Rational&, unsigned) = properties::difference_moment;
  Rational (*mixture_moment)(const Rational&, unsigned) = properties::mixture_moment;
  double (*median_of_largest)(double, double) = properties::median_of_largest;
  double (*sample)(double, Stream&) = [](double d, Stream& stream) {
    return score_sampler<>(d)(stream);
  };
  double (*dot)(std::span<const double>, std::span<const double>) = properties::dot;
};

struct DistributionAt {
  double (*lower)(double, double);
  double d;
  friend double cdf(const DistributionAt& at, double x) { return at.lower(at.d, x); }
};

/// sup |F − G| on 256 points up to four deviations: at most the distance of the distributions.
inline double grid_distance(double (*f)(double, double), double d_of_f, double (*g)(double, double),
                            double d_of_g) {
  double distance = 0;
  for (int i = 1; i <= 256; ++i) {
    const double x = std::sqrt(d_of_f) * i / 64;
    distance = std::max(distance, std::abs(f(d_of_f, x) - g(d_of_g, x)));
  }
  return distance;
}

inline std::vector<double> normal_vector(std::size_t d, Stream& stream) {
  return draws(
      d, [](Stream& s) { return draw(boost::math::normal(), s); }, stream);
}

}  // namespace chapter_score_distribution
}  // namespace sqrtdk::properties
