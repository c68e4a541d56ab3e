// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The density of a score, drawn.
#pragma once

#include "arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string>

namespace sqrtdk::command {

/// An SVG of the density, and of that of N(0, d) dashed, over ±4 standard deviations.
/// \tparam Distribution of Boost.Math's kind, symmetric about 0 with variance d; its density may be
///         infinite at 0 if d is at most 1.
template <class Distribution>
std::string picture_of(const Distribution& distribution);

// ------------------------------------------------------------------------------------------------

inline std::string four_digits(double x) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x,
                                       std::chars_format::general, 4)
                             .ptr};
}

/// The points of a curve in a picture 640 wide and 320 high, as SVG wants them; what is higher than
/// `height` is cut off.
/// \param density of the score, as a function of its multiple of the standard deviation.
template <class Density>
std::string points_of(const Density& density, double height) {
  std::string points;
  for (int i = 0; i <= 640; ++i) {
    const double y = std::min(density((i - 320) / 80.0), height);
    points +=
        std::to_string(i) + ',' + format_shortest(std::round(3200 * (1 - y / height)) / 10) + ' ';
  }
  return points;
}

template <class Distribution>
std::string picture_of(const Distribution& distribution) {
  const double deviation = standard_deviation(distribution);
  const auto score = [&](double z) { return pdf(distribution, z * deviation); };
  const auto normal = [&](double z) {
    return std::exp(-z * z / 2) / (deviation * std::sqrt(2 * std::numbers::pi));
  };
  // At 0 the density is largest, and infinite for d at most 1: cut it a little beside 0 there.
  const double height = 1.05 * score(variance(distribution) > 1.5 ? 0.0 : 1.0 / 40);

  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-10 -10 660 370\" role=\"img\" "
      "font-family=\"sans-serif\" font-size=\"14\">\n"
      "<title>Density of the score at d = " +
      format_shortest(variance(distribution)) +
      ", and of the normal distribution with the same variance (dashed)</title>\n"
      "<path d=\"M0 320H640\" stroke=\"#888\"/>\n";
  for (const int sigma : {-4, -2, 0, 2, 4})
    svg += "<text x=\"" + std::to_string(320 + 80 * sigma) +
           "\" y=\"342\" text-anchor=\"middle\" fill=\"#888\">" + four_digits(sigma * deviation) +
           "</text>\n";
  svg +=
      "<polyline fill=\"none\" stroke=\"#888\" stroke-dasharray=\"6 4\" stroke-width=\"2\" "
      "points=\"" +
      points_of(normal, height) +
      "\"/>\n"
      "<polyline fill=\"none\" stroke=\"#0072B2\" stroke-width=\"2\" points=\"" +
      points_of(score, height) + "\"/>\n</svg>\n";
  return svg;
}

}  // namespace sqrtdk::command
