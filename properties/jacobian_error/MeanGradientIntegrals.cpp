// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/softmax_jacobian_means.hpp>
#include <sqrtdk/testing/memoized.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_near.hpp>

#include "properties/jacobian_error/fixture.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

/// E Σpᵢ² and E‖J‖² for n scores of spread β by Gauss–Legendre rules in long double, with panels of
/// 15 points: nothing but the formulas is shared with the trapezoidal rules.
struct GaussMeans {
  double squares, squared_norm;
};

GaussMeans means_by_gauss(std::size_t n, double spread) {
  using Rule = boost::math::quadrature::gauss<long double, 15>;
  const auto panels = [](auto function, long double low, long double high, long double width) {
    long double sum = 0;
    for (long double at = low; at < high; at += width)
      sum += Rule::integrate(function, at, at + width);
    return sum;
  };
  const long double beta = spread, count = static_cast<long double>(n);
  const long double width = std::min(1.0L, 2 / beta);
  const long double root = std::sqrt(boost::math::constants::two_pi<long double>());
  const auto psi = [&](int k, long double v) {
    return panels(
        [&](long double z) {
          const long double y = v + beta * z;
          return std::exp(-z * z / 2 + static_cast<long double>(k) * y - std::exp(y)) / root;
        },
        -9.5L, 9.5L, width);
  };
  const auto outer = [&](auto integrand) {
    return count * panels(integrand, -9.5L * beta - 44, 9.5L * beta + 6, 2);
  };
  const auto moment = [&](int k) {
    return outer([&](long double v) { return psi(k, v) * std::pow(psi(0, v), count - 1); });
  };
  const long double squares = moment(2);
  const long double pairs = outer([&](long double v) {
    return (count - 1) * std::pow(psi(2, v), 2) * std::pow(psi(0, v), count - 2);
  });
  return {static_cast<double>(squares),
          static_cast<double>(squares - moment(3) + (moment(4) + pairs) / 6)};
}

double squares_by_gauss(std::size_t n, double spread) { return means_by_gauss(n, spread).squares; }

double squared_norm_by_gauss(std::size_t n, double spread) {
  return means_by_gauss(n, spread).squared_norm;
}

/// Counts through how many additions a term of a sum goes.
struct Additions {
  explicit Additions(int most_so_far = 0) : most(most_so_far) {}
  int most;
  Additions& operator+=(const Additions& other) {
    most = std::max(most, other.most) + 1;
    return *this;
  }
  friend Additions operator+(Additions a, const Additions& b) { return a += b; }
};

const Mutants mean_gradient_integrals_mutants = {
    {"integrals may be off by twice as much",
     "ErrorBoundsAreThoseOfThePage",
     {.integral_bound = 2 * integral_error_bound}},
    {"integrals may be off by half as much",
     "ErrorBoundsAreThoseOfThePage",
     {.integral_bound = integral_error_bound / 2}},
    {"means of two keys may be off by twice as much",
     "ErrorBoundsAreThoseOfThePage",
     {.two_key_bound = [] { return 2 * two_key_error_bound<double>(); }}},
    {"integrals are off by a billionth",
     "AnotherQuadratureAgrees",
     {.mean_trace = [](std::size_t n,
                       double b) { return memoized<mean_jacobian_trace>(n, b) + 1e-9; }}},
    {"(Σp²)² is forgotten",
     "AnotherQuadratureAgrees",
     {.mean_squared_norm =
          [](std::size_t n, double b) {
            const KeyIntegrals mean = key_integrals(n, b);
            return mean.squares - 2 * mean.cubes;
          }}},
};

//! [MeanGradientIntegrals]
TEST(MeanGradientIntegrals, AnotherQuadratureAgrees) {
  check_with_mutants(mean_gradient_integrals_mutants, [](const Errors& errors) {
    of_the_statement();
    evidence().downgrade_to(EvidenceLevel::bounded);
    double worst = 0;
    for (const auto& [n, spread] : {std::pair{512U, 8.0}, {4096U, 1.0}, {5U, 0.5}}) {
      const double other = memoized<squares_by_gauss>(std::size_t{n}, spread);
      const double trace = errors.mean_trace(n, spread);
      expect_near(trace, 1 - other, integral_error_bound,
                  std::to_string(n) + " keys, spread " + format_significant(spread, 3));
      worst = std::max(worst, std::abs(trace / (1 - other) - 1));
    }
    record_value("worst", format_significant(worst, 2));
    double worst_norm = 0;
    for (const auto& [n, spread] : {std::pair{64U, 2.0}, {5U, 1.0}}) {
      const double other = memoized<squared_norm_by_gauss>(std::size_t{n}, spread);
      const double norm = errors.mean_squared_norm(n, spread);
      expect_near(norm, other, integral_error_bound,
                  std::to_string(n) + " keys, spread " + format_significant(spread, 3) +
                      ", Frobenius norm");
      worst_norm = std::max(worst_norm, std::abs(norm / other - 1));
    }
    record_value("worst_norm", format_significant(worst_norm, 2));
    enumerated(5);
  });
}
//! [MeanGradientIntegrals]

TEST(MeanGradientIntegrals, ErrorBoundsAreThoseOfThePage) {
  check_with_mutants(mean_gradient_integrals_mutants, [](const Errors& errors) {
    // The rounding of ψ₀ decides: 2nε E max abs(Zᵢ), at most 2nε √(2 ln 2n), for most keys. The
    // longest sum, at spread 64, has 2·9·64·8 + 1 terms.
    constexpr double u = std::numeric_limits<double>::epsilon() / 2;
    const std::vector<Additions> terms(9217);
    const int additions = pairwise_sum(std::span<const Additions>(terms)).most;
    EXPECT_LE(additions, 18);
    const double units = 2.5 + 2 + 4.5 + 2 / std::exp(1.0) + 2 + 1 + 18;
    EXPECT_LE(units, 32) << "the table of the page";
    const double n = static_cast<double>(most_integrable_keys);
    const double rounding = 2 * n * 32 * u * std::sqrt(2 * std::log(2 * n));
    EXPECT_EQ(errors.integral_bound, std::exp2(std::ceil(std::log2(rounding))))
        << "the least power of two that is not below " << rounding;
    EXPECT_LE(4 * n * 32 * u, errors.integral_bound) << "the four means of the Frobenius norm";
    const double L = 8 - std::log(2 * u);
    EXPECT_NEAR(errors.two_key_bound() / (2 * u), L * L / 9 + 64, 1e-9);
    enumerated(5);
  });
}

}  // namespace
