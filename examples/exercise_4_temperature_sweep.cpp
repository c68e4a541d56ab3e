// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Exercise 4: attention at half the root of d, at the root, and at twice the root.
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/softmax_jacobian/mean_norms.hpp>
#include <sqrtdk/temperature.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <boost/random/normal_distribution.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;
constexpr int d = 64;

/// A matrix with entries N(0, 1).
Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, Stream& stream) {
  boost::random::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(stream); });
}

//! [ratio]
/// True if ln pᵢ − ln pⱼ = (sᵢ − sⱼ)/τ for every two keys, up to the proved error of log_softmax.
bool gaps_decide(const Eigen::VectorXd& scores, double temperature) {
  const Eigen::VectorXd logs = log_softmax(scores, temperature);
  const Eigen::VectorXd bound = log_softmax_error_bound(scores, temperature);
  for (Eigen::Index i = 0; i < scores.size(); ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      const Rational gap = Rational(temperature) * (Rational(logs[i]) - Rational(logs[j]));
      const Rational error = Rational(temperature) * (Rational(bound[i]) + Rational(bound[j]));
      if (abs(gap - (Rational(scores[i]) - Rational(scores[j]))) > error) return false;
    }
  return true;
}
//! [ratio]

int main() {
  //! [sample]
  // A mean of n numbers from 0 to 1 is off by epsilon with probability 2e^(−2nε²) at most.
  const double alpha = 0x1p-30, epsilon = 0.005;
  const auto n = static_cast<Eigen::Index>(std::log(2 / alpha) / (2 * epsilon * epsilon)) + 1;
  Stream stream = stream_of(4, "exercise 4");
  const Eigen::MatrixXd many = std::sqrt(d) * random_matrix(n, 5, stream);  // scores of 5 keys
  //! [sample]
  const Eigen::MatrixXd pattern =
      random_matrix(12, d, stream) * random_matrix(12, d, stream).transpose();

  bool right = true;
  std::vector<std::vector<double>> squares;
  const Eigen::VectorXd scores{{9.2, -3.1, 8.8, -5.4, 1.2}};  // of S3
  std::puts("temperature   weights of S3's scores      1st/3rd  keys two agree: exact sample");
  for (const double temperature : swept_temperatures(d)) {
    const Eigen::VectorXd weights = softmax(scores, temperature);
    //! [sample mean]
    double mean = 0;  // of the probability that two picks by the same weights hit the same key
    for (Eigen::Index i = 0; i < n; ++i)
      mean += softmax(many.row(i), temperature).squaredNorm() / static_cast<double>(n);
    const double exact = 1 - mean_jacobian_trace(5, std::sqrt(d) / temperature);
    //! [sample mean]
    std::printf("%11g   %.3f %.3f %.3f %.3f %.3f %8.3f %5.2f %15.3f %7.3f\n", temperature,
                weights[0], weights[1], weights[2], weights[3], weights[4], weights[0] / weights[2],
                std::exp(softmax_entropy(scores, temperature)), exact, mean);
    right = right && gaps_decide(scores, temperature) &&
            std::abs(mean - exact) <= epsilon + integral_error_bound;

    const Eigen::VectorXd all = Eigen::VectorXd::Constant(pattern.rows(), temperature);
    const Eigen::MatrixXd attention = softmax_rows(pattern, all);
    for (Eigen::Index i = 0; i < attention.rows(); ++i)
      for (Eigen::Index j = 0; j < attention.cols(); ++j)
        squares.push_back({temperature, 1.0 + static_cast<double>(i), 1.0 + static_cast<double>(j),
                           attention(i, j)});
    squares.insert(squares.end(), 2, {});  // ends a block
  }
  write_figure_data("exercise_4_temperature_sweep", {"temperature", "query", "key", "weight"},
                    squares);
  if (!right) std::puts("wrong: the mean of a sample is not the exact one, or gaps do not decide");
  return right ? 0 : 1;
}
