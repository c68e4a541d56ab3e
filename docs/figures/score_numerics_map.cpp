// A grid in the strip 0 ≤ Im t ≤ π, and what becomes of it in the variables ½ζ² and ζ, for
// r = ½.
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "docs/figures/figure.hpp"

#include <boost/math/constants/constants.hpp>

#include <cmath>
#include <complex>
#include <vector>

namespace {

constexpr double r = 0.5;

/// ½ζ² and ζ at a t of the strip; ζ is in the upper half-plane, and has the sign of t on its edge.
std::vector<double> row(double x, double y) {
  const std::complex<double> t(x, y);
  std::complex<double> half_square = std::cosh(t) - 1.0 + r * (std::sinh(t) - t);
  if (y == 0) half_square.imag(0);
  std::complex<double> zeta = std::sqrt(2.0 * half_square);
  if (zeta.imag() < 0 || (y == 0 && x < 0)) zeta = -zeta;
  return {x, y, half_square.real(), half_square.imag(), zeta.real(), zeta.imag()};
}

}  // namespace

const sqrtdk::figures::Figure score_numerics_map_figure("score_numerics_map", [] {
  const double pi = boost::math::constants::pi<double>();
  constexpr double end = 6;
  constexpr int steps = 120;
  std::vector<std::vector<double>> rows;
  // The edges, then the lines between them, each from left to right; then those across.
  for (const double height : {0.0, 1.0, 0.25, 0.5, 0.75}) {
    for (int i = -steps; i <= steps; ++i) rows.push_back(row(end * i / steps, pi * height));
    rows.emplace_back();
  }
  for (double x = -5.5; x <= 5.5; x += 0.5) {
    for (int i = 0; i <= steps / 2; ++i) rows.push_back(row(x, 2 * pi * i / steps));
    rows.emplace_back();
  }
  // The point where the derivative is 0, on the upper edge.
  rows.push_back(row(-2 * std::atanh(r), pi));
  sqrtdk::testing::write_figure_data(
      "score_numerics_map",
      {"re_t", "im_t", "re_half_square", "im_half_square", "re_zeta", "im_zeta"}, rows);
});
