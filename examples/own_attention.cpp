// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief A softmax and an attention kernel from elsewhere, held to the laws of the book.
///
/// Put your own functions in the place of these two. If one breaks a law, the test shows the
/// simplest input that was found, how far off the result is and how far off it may be.
#include <sqrtdk/softmax_error/arithmetic.hpp>
#include <sqrtdk/testing/hold_kernel.hpp>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

//! [own softmax]
std::vector<float> my_softmax(const std::vector<float>& scores, float temperature) {
  const float greatest = *std::max_element(scores.begin(), scores.end());
  std::vector<float> weights;
  float sum = 0;
  for (const float score : scores) {
    weights.push_back(std::exp((score - greatest) / temperature));
    sum += weights.back();
  }
  for (float& weight : weights) weight /= sum;
  return weights;
}

// Terms are added one after the other.
const auto my_arithmetic = sqrtdk::arithmetic_of<float>().any_order();

TEST(MySoftmax, IsAsAccurateAsItsArithmeticAllows) {
  sqrtdk::testing::hold_softmax<float>(my_softmax, my_arithmetic);
}
//! [own softmax]

//! [own attention]
using Matrix = Eigen::MatrixXf;

Matrix my_attention(const sqrtdk::testing::AttentionCase<float>& input) {
  const auto& options = input.options;
  Matrix scores = input.queries * input.keys.transpose();
  if (options.scale)
    scores *= *options.scale;
  else
    scores /= std::sqrt(static_cast<float>(input.queries.cols()));
  if (options.bias) scores += *options.bias;

  const Eigen::Index offset =
      options.causal == sqrtdk::CausalAlignment::bottom_right ? scores.cols() - scores.rows() : 0;
  Matrix output = Matrix::Zero(scores.rows(), input.values.cols());
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    std::vector<float> row(scores.row(i).begin(), scores.row(i).end());
    for (Eigen::Index j = 0; j < scores.cols(); ++j)
      if ((options.allowed && !(*options.allowed)(i, j)) || (options.causal && j > i + offset))
        row[static_cast<std::size_t>(j)] = -INFINITY;
    if (*std::max_element(row.begin(), row.end()) == -INFINITY) continue;  // it sees no key
    const std::vector<float> weights = my_softmax(row, 1);
    output.row(i) =
        Eigen::Map<const Eigen::RowVectorXf>(weights.data(), scores.cols()) * input.values;
  }
  return output;
}

TEST(MyAttention, IsAsAccurateAsItsArithmeticAllows) {
  sqrtdk::testing::hold_attention<float>(my_attention, my_arithmetic);
}
//! [own attention]
