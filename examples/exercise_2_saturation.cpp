// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Exercise 2: where does softmax([x, 0, 0, 0]) saturate?
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace sqrtdk;
using boost::math::complement;
/// The first weight at some x, and its derivative by x.
struct First {
  double weight, slope;
};

//! [curve]
First first_weight(double x) {
  const Eigen::Vector4d weights = softmax(Eigen::Vector4d(x, 0, 0, 0));
  return {weights[0], softmax_jacobian(weights)(0, 0)};
}
//! [curve]

//! [exact]
/// e^x at the x where the first of four weights is `level`: w/(w + 3) = level, solved for w.
Rational exponential_at(const Rational& level) { return 3 * level / (1 - level); }

/// The first weight for that e^x, by the formula of softmax over the rationals.
Rational weight_at(const Rational& exponential) {
  return normalized_weights(Eigen::Vector<Rational, 4>(exponential, 1, 1, 1))[0];
}
//! [exact]

int main() {
  bool right = true;
  std::puts("level      e^x        x    slope   two scores differ by more than x (d = 64)");
  std::puts("                                         unscaled      divided by 8");
  for (const auto& level :
       {Rational(1, 2), Rational(9, 10), Rational(99, 100), Rational(999, 1000)}) {
    const Rational exponential = exponential_at(level);
    right = right && weight_at(exponential) == level;

    const double x = std::log(static_cast<double>(exponential));
    //! [gap]
    // With one query q and two keys, (q·k − q·k′)/√2 has the distribution of a score: (k − k′)/√2
    // is normal.
    const score distribution(64);
    const double unscaled = 2 * cdf(complement(distribution, x / std::sqrt(2.0)));
    const double scaled = 2 * cdf(complement(distribution, 8 * x / std::sqrt(2.0)));
    //! [gap]
    std::printf("%3.1f %% %8s %8.4f %8.4f %14.1f %% %15.3g %%\n", 100 * static_cast<double>(level),
                exponential.str().c_str(), x, first_weight(x).slope, 100 * unscaled, 100 * scaled);

    //! [check]
    // Floating point may differ from the exact level by the proved bound of softmax, and by the
    // error of the logarithm times the slope, which is at most 1/4.
    const SoftmaxArithmetic arithmetic = arithmetic_of<double>();
    const SoftmaxErrorBound bound = softmax_error_bound(Eigen::Vector4d(x, 0, 0, 0));
    const double of_log = arithmetic.log_error * arithmetic.unit_roundoff * x / 4;
    right = right && abs(Rational(first_weight(x).weight) - level) <=
                         Rational(bound(0, static_cast<double>(level)) + of_log);
    //! [check]
  }
  std::vector<std::vector<double>> rows;
  for (int i = 0; i <= 200; ++i) {
    const double x = i / 20.0;
    const First first = first_weight(x);
    // The slope is symmetric about its peak, ln 3: it still rises if the middle of a step is below.
    if (i > 0) right = right && (first.slope > rows.back()[2]) == (x - 0.025 < std::log(3.0));
    rows.push_back({x, first.weight, first.slope});
  }
  const double p = (1 + std::sqrt(0.9)) / 2, x = std::log(3 * p / (1 - p));  // p(1 − p) = 1/40
  std::printf("a tenth of the greatest slope is left at x = %.2f, weight %.1f %%\n", x, 100 * p);
  right = right && std::abs(first_weight(x).slope - 1 / 40.0) < 1e-12;
  sqrtdk::testing::write_figure_data("exercise_2_saturation", {"x", "weight", "slope"}, rows);
  if (!right) std::puts("wrong: a weight is not what the formula says");
  return right ? 0 : 1;
}
