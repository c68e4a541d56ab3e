// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Exercise 5: the derivative of softmax at peaked and at uniform weights.
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include <cstdio>
#include <vector>

using namespace sqrtdk;

using Weights = Eigen::Vector<Rational, Eigen::Dynamic>;  // exact: nothing below is rounded

//! [weights]
/// One of n weights is 1 − ε, and the others share ε equally.
Weights peaked(Eigen::Index n, const Rational& epsilon) {
  Weights weights = Weights::Constant(n, epsilon / (n - 1));
  weights[0] = 1 - epsilon;
  return weights;
}
//! [weights]

//! [norm]
/// The largest eigenvalue of the Jacobian at peaked(n, ε), for ε ≤ 1 − 1/n.
Rational peaked_norm(Eigen::Index n, const Rational& epsilon) {
  return epsilon * (1 - epsilon) * n / (n - 1);
}

/// True if it is one, and the largest. The constants have the eigenvalue 0; what the n − 1 weak
/// keys trade among themselves has ε/(n − 1), n − 2 times; all together must add up to the trace.
bool is_largest_eigenvalue(const Rational& norm, const Weights& weights) {
  const Eigen::Index n = weights.size();
  Weights first_against_rest = Weights::Constant(n, Rational(-1, n - 1));
  first_against_rest[0] = 1;
  const Weights image = jacobian_vector_product(weights, first_against_rest);
  const Rational others = weights[n - 1];
  return image == norm * first_against_rest && norm >= others &&
         norm + (n - 2) * others == jacobian_trace(weights);
}
//! [norm]

void print(const char* title, const Weights& weights) {
  std::printf("%s\n", title);
  const auto jacobian = softmax_jacobian(weights);
  for (Eigen::Index i = 0; i < jacobian.rows(); ++i) {
    for (Eigen::Index j = 0; j < jacobian.cols(); ++j)
      std::printf(" %8.4f", static_cast<double>(jacobian(i, j)));
    std::puts("");
  }
}

int main() {
  print("peaked: 0.97 0.01 0.01 0.01", peaked(4, Rational(3, 100)));
  print("uniform: 0.25 0.25 0.25 0.25", peaked(4, Rational(3, 4)));

  bool right = true;
  std::puts("\n       spectral norm at                   trace norm at");
  std::puts("  n   uniform  0.9 on one  0.99 on one   uniform  0.9 on one  0.99 on one");
  std::vector<std::vector<double>> rows;
  for (const int n : {2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 512}) {
    const Rational uniform = uniform_jacobian_norm(static_cast<std::size_t>(n));
    right = right && is_largest_eigenvalue(uniform, peaked(n, 1 - Rational(1, n)));
    rows.push_back({static_cast<double>(n), static_cast<double>(uniform)});
    const Rational uniform_trace = jacobian_trace(peaked(n, 1 - Rational(1, n)));
    std::vector<double> traces = {static_cast<double>(uniform_trace)};
    //! [check]
    for (const Rational& epsilon : {Rational(1, 10), Rational(1, 100)}) {
      const Rational norm = peaked_norm(n, epsilon);
      right = right && is_largest_eigenvalue(norm, peaked(n, epsilon));
      right = right && (norm > uniform) == (n > 1 / epsilon);  // the surprise
      const Rational trace = jacobian_trace(peaked(n, epsilon));
      right = right && trace < uniform_trace;  // and no surprise in the other norm
      rows.back().push_back(static_cast<double>(norm));
      traces.push_back(static_cast<double>(trace));
    }
    //! [check]
    if (n == 2 || n == 10 || n == 100 || n == 512)
      std::printf("%3d %9.5f %11.5f %12.5f %9.5f %11.5f %12.5f\n", n, rows.back()[1],
                  rows.back()[2], rows.back()[3], traces[0], traces[1], traces[2]);
  }
  sqrtdk::testing::write_figure_data("exercise_5_peaked_and_uniform",
                                     {"n", "uniform", "p90", "p99"}, rows);
  if (!right) std::puts("wrong: a norm is not what the formula says");
  return right ? 0 : 1;
}
