// The error of the Jacobian of softmax, by its formula and by differences of every step.
#include <sqrtdk/jacobian_error.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "docs/figures/figure.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace sqrtdk;
using sqrtdk::testing::Wide;

const sqrtdk::figures::Figure jacobian_error_bound_figure("jacobian_error_bound", [] {
  constexpr Eigen::Index n = 5;
  // The scores of S3, divided by 8 and rounded to multiples of 2⁻⁴⁰, so that no step is rounded.
  Eigen::VectorXd scores{{9.2, -3.1, 8.8, -5.4, 1.2}};
  for (double& score : scores) score = std::ldexp(std::round(std::ldexp(score / 8, 40)), -40);
  const Eigen::Matrix<Wide, Eigen::Dynamic, 1> weights = softmax(scores.cast<Wide>().eval());
  const Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic> exact = softmax_jacobian(weights);
  const auto error = [&](Eigen::Index i, Eigen::Index j, double computed) {
    return std::abs(static_cast<double>(Wide(computed - exact(i, j))));
  };

  double of_formula = 0, bound_of_formula = 0;
  const Eigen::MatrixXd formula = softmax_jacobian(softmax(scores));
  const SoftmaxErrorBound of_weights = softmax_error_bound(scores);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) {
      of_formula = std::max(of_formula, error(i, j, formula(i, j)));
      bound_of_formula = std::max(bound_of_formula,
                                  jacobian_error_bound(weights.cast<double>(), of_weights, i, j));
    }

  const double u = arithmetic_of<double>().unit_roundoff;
  std::vector<std::vector<double>> rows;
  for (int power = -40; power <= 0; ++power) {
    const double step = std::ldexp(1.0, power);
    double worst = 0, bound = 0;
    for (Eigen::Index j = 0; j < n; ++j) {
      const Eigen::VectorXd move = step * Eigen::VectorXd::Unit(n, j);
      const Eigen::VectorXd above = softmax(scores + move), below = softmax(scores - move);
      const SoftmaxErrorBound of_above = softmax_error_bound(scores + move);
      const SoftmaxErrorBound of_below = softmax_error_bound(scores - move);
      for (Eigen::Index i = 0; i < n; ++i) {
        worst = std::max(worst, error(i, j, (above[i] - below[i]) / (2 * step)));
        bound = std::max(bound, central_difference_error_bound(step, of_above(i, above[i]),
                                                               of_below(i, below[i]), u));
      }
    }
    rows.push_back({step, worst, bound, of_formula, bound_of_formula});
  }
  sqrtdk::testing::write_figure_data(
      "jacobian_error_bound",
      {"step", "difference", "bound_of_difference", "formula", "bound_of_formula"}, rows);
});
