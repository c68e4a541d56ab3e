#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

using namespace sqrtdk::testing;

namespace {

using Floats = std::vector<float>;

Floats right_softmax(const Floats& scores, float temperature) {
  const float largest = *std::max_element(scores.begin(), scores.end());
  Floats weights;
  float sum = 0;
  for (const float score : scores) {
    weights.push_back(std::exp((score - largest) / temperature));
    sum += weights.back();
  }
  for (float& weight : weights) weight /= sum;
  return weights;
}

/// Multiplies by the temperature.
Floats wrong_softmax(const Floats& scores, float temperature) {
  return right_softmax(scores, 1 / temperature);
}

/// Attention for one key, which gets all the weight.
Matrix<float> only_value(const AttentionCase<float>& input) { return input.values; }

}  // namespace

// The law holds for the one and not for the other; matrices go over to the library and come back.
int main() {
  const Floats scores = {3, -1, 0.5F, 20, -100};
  sqrtdk::SoftmaxArithmetic arithmetic = sqrtdk::arithmetic_of<float>();
  arithmetic.summation = sqrtdk::Summation::any_order;
  const Outcome right = accuracy_law<float>(right_softmax, scores, 2, arithmetic);
  const Outcome wrong = accuracy_law<float>(wrong_softmax, scores, 2, arithmetic);
  AttentionCase<float> one_key;
  one_key.queries = Matrix<float>::Ones(3, 2);
  one_key.keys = Matrix<float>::Ones(1, 2);
  one_key.values = Matrix<float>::Random(1, 5);
  const Outcome shape = output_law<float>(only_value, one_key);
  one_key.queries = Matrix<float>::Ones(1, 2);
  const Outcome attention = output_law<float>(only_value, one_key);
  std::cout << right << '\n' << wrong << '\n' << shape << '\n' << attention << '\n';
  return right.holds() && !wrong.holds() && !shape.holds() && attention.holds() ? 0 : 1;
}
