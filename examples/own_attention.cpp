// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief A softmax and an attention kernel from elsewhere, held to the laws of the book.
///
/// Put your own functions in the place of these two. If one breaks a law, the test shows the
/// simplest input that was found, how far off the result is and how far off it may be.
#include <sqrtdk/testing/generators/attention_cases.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/property.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

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

TEST(MySoftmax, IsAsAccurateAsItsArithmeticAllows) {
  SoftmaxArithmetic arithmetic = arithmetic_of<float>();
  arithmetic.summation = Summation::any_order;  // terms are added one after the other
  for_all([&] {
    const auto scores = *vectors<float>({.longest = 33, .entries = {.largest = 100}}).as("scores");
    const Outcome outcome = accuracy_law<float>(my_softmax, scores, 1, arithmetic);
    RC_LOG() << outcome << '\n';
    RC_ASSERT(outcome.holds());
  });
}
//! [own softmax]

//! [own attention]
Matrix<float> my_attention(const AttentionCase<float>& input) {
  const Matrix<float> scores =
      input.queries * input.keys.transpose() / std::sqrt(static_cast<float>(input.queries.cols()));
  Matrix<float> output(scores.rows(), input.values.cols());
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    const std::vector<float> row(scores.row(i).begin(), scores.row(i).end());
    const std::vector<float> weights = my_softmax(row, 1);
    output.row(i) =
        Eigen::Map<const Eigen::RowVectorXf>(weights.data(), scores.cols()) * input.values;
  }
  return output;
}

TEST(MyAttention, IsAsAccurateAsItsArithmeticAllows) {
  SoftmaxArithmetic arithmetic = arithmetic_of<float>();
  arithmetic.summation = Summation::any_order;
  for_all([&] {
    auto input = drawn_attention_case<float>({.masks = false});
    input.options.scale.reset();  // 1/√d, as above
    const Outcome outcome = output_law(my_attention, input, arithmetic);
    RC_LOG() << outcome << '\n';
    RC_ASSERT(outcome.holds());
  });
}
//! [own attention]
