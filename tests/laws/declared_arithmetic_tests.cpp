// Each named arithmetic holds for a kernel that has it, and cures a false alarm.
#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/softmax_error/arithmetic.hpp>
#include <sqrtdk/testing/generators/attention_cases.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <tests/broken_kernels.hpp>
#include <tests/fixed_draws.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

const SoftmaxArithmetic in_order = arithmetic_of<float>().any_order();

/// The largest part of a bound that a kernel uses.
class Worst {
 public:
  void add(const Outcome& outcome) {
    EXPECT_TRUE(outcome.holds()) << outcome;
    if (outcome.bound > 0 && std::isfinite(outcome.bound))
      worst_ = std::max(worst_, outcome.error / outcome.bound);
  }
  ~Worst() { ::testing::Test::RecordProperty("worst", std::to_string(worst_)); }

 private:
  double worst_ = 0;
};

void expect_accurate(const FloatSoftmax& kernel, const SoftmaxArithmetic& arithmetic) {
  Worst worst;
  const auto lists = fixed_draws(scores<float>(40), 4000);
  const auto taus = fixed_draws(temperatures<float>(), 4000);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const float tau = taus[i] >= 0x1p-10F && taus[i] <= 0x1p10F ? taus[i] : 1;
    worst.add(
        accuracy_law<float>(kernel, lists[i], tau, arithmetic.magnified(1 / std::min(1.F, tau))));
  }
}

void expect_accurate(const FloatAttention& kernel, const SoftmaxArithmetic& arithmetic) {
  Worst worst;
  auto cases = fixed_draws(attention_cases<float>({.most_keys = 20, .cotangent = false}), 2000);
  for (const auto& edge : attention_edge_cases<float>()) cases.push_back(edge);
  for (const auto& input : cases) worst.add(output_law<float>(kernel, input, arithmetic));
}

float flushed(float x) { return std::abs(x) < std::numeric_limits<float>::min() ? 0 : x; }

/// Subnormal numbers are lost before and after each operation.
std::vector<float> flushing_softmax(std::vector<float> x, float tau) {
  for (float& score : x) score = flushed(score);
  const float m = greatest(x);
  float sum = 0;
  for (float& score : x) {
    score = flushed(std::exp(flushed(flushed(score - m) / tau)));
    sum = flushed(sum + score);
  }
  for (float& weight : x) weight = flushed(weight / sum);
  return x;
}

Matrix<float> flushing_attention(AttentionCase<float> input) {
  for (Matrix<float>* x : {&input.queries, &input.keys, &input.values}) *x = x->unaryExpr(&flushed);
  if (input.options.scale) input.options.scale = flushed(*input.options.scale);
  if (input.options.bias) input.options.bias = input.options.bias->unaryExpr(&flushed);
  const sqrtdk::detail::Visibility<float> sees(input.options, input.queries.rows(),
                                               input.keys.rows());
  Matrix<float> output = Matrix<float>::Zero(input.queries.rows(), input.values.cols());
  for (Eigen::Index i = 0; i < output.rows(); ++i) {
    std::vector<float> scores;
    for (const Eigen::Index j : sees.of(i)) {
      float s = 0;
      for (Eigen::Index l = 0; l < input.queries.cols(); ++l)
        s = flushed(s + flushed(input.queries(i, l) * input.keys(j, l)));
      s = flushed(input.options.scale ? s * *input.options.scale
                                      : s / std::sqrt(static_cast<float>(input.queries.cols())));
      scores.push_back(input.options.bias ? flushed(s + (*input.options.bias)(i, j)) : s);
    }
    if (scores.empty()) continue;
    const std::vector<float> weights = flushing_softmax(scores, 1);
    for (Eigen::Index c = 0; c < output.cols(); ++c)
      for (std::size_t a = 0; a < weights.size(); ++a)
        output(i, c) = flushed(output(i, c) + flushed(weights[a] * input.values(sees.of(i)[a], c)));
  }
  return output;
}

/// One query that looks at some keys by given scores.
AttentionCase<float> with_scores(const std::vector<float>& scores, float value) {
  AttentionCase<float> input;
  input.queries = Matrix<float>::Constant(1, 1, 1);
  input.keys = sqrtdk::testing::detail::as_vector(scores);
  input.values = Matrix<float>::Constant(input.keys.rows(), 1, 0);
  input.values(input.keys.rows() - 1, 0) = value;
  return input;
}

TEST(Flushing, OfASoftmax) {
  EXPECT_FALSE(accuracy_law<float>(flushing_softmax, {0, -90}, 1, in_order).holds());
  expect_accurate(FloatSoftmax(flushing_softmax), in_order.flushing());
}

TEST(Flushing, OfASoftmaxAtALowTemperature) {
  // A score and a difference that are lost count 1/τ times.
  const float lost = std::numeric_limits<float>::min() * 0.9F;
  const std::vector<float> x = {lost, -lost};
  EXPECT_TRUE(
      accuracy_law<float>(flushing_softmax, x, 0x1p-125F, in_order.flushing(0x1p125)).holds());
  EXPECT_FALSE(accuracy_law<float>(flushing_softmax, x, 0x1p-125F, in_order.flushing()).holds());
}

TEST(Flushing, OfAttention) {
  const auto input = with_scores({0, -90}, 1e38F);
  EXPECT_FALSE(output_law<float>(flushing_attention, input, in_order).holds());
  EXPECT_TRUE(output_law<float>(flushing_attention, input, in_order.flushing()).holds());
  expect_accurate(FloatAttention(flushing_attention), in_order.flushing());
}

TEST(Flushing, OfAScale) {
  // It meets the sum of all products.
  AttentionCase<float> input = with_scores({0, 0}, 1);
  input.queries = Matrix<float>::Constant(1, 64, 1e16F);
  input.keys = Matrix<float>::Constant(2, 64, 0);
  input.keys.row(0).setConstant(1e16F);
  input.options.scale = 1.1e-38F;
  const auto lost = [](const AttentionCase<float>&) -> Matrix<float> {
    return Matrix<float>::Constant(1, 1, 0.5F);
  };
  EXPECT_FALSE(output_law<float>(lost, input, in_order).holds());
  const Outcome flushed = output_law<float>(lost, input, in_order.flushing());
  EXPECT_TRUE(flushed.holds() && !flushed.vacuous) << flushed;
}

TEST(FoldedScale, IsRoundedMoreOften) {
  AttentionCase<float> input = with_scores({1.0344625F, -1.0344625F}, 1);
  input.queries(0) = 33.471878F;
  input.options.scale = 1.0076419F;
  const auto folded = [](const AttentionCase<float>& given) -> Matrix<float> {
    const float root = std::sqrt(*given.options.scale);
    const float q = given.queries(0) * root;
    const float greater = q * (given.keys(0) * root), less = q * (given.keys(1) * root);
    const float e = std::exp(less - greater);
    return Matrix<float>::Constant(1, 1, e / (1 + e));
  };
  const SoftmaxArithmetic undeclared = arithmetic_of<float>();
  EXPECT_FALSE(output_law<float>(folded, input, undeclared).holds());
  EXPECT_TRUE(output_law<float>(folded, input, undeclared.scale_folded()).holds());
}

TEST(Overflow, OfAQueryIsThatQuerysAlone) {
  AttentionCase<float> input = with_scores({1, 2}, 1);
  input.queries = Matrix<float>::Constant(2, 1, 1);
  input.queries(1) = 3e38F;
  const auto attention = [](const AttentionCase<float>& given) -> Matrix<float> {
    Matrix<float> output =
        scaled_dot_product_attention(given.queries.topRows(1), given.keys, given.values)
            .output.replicate(2, 1);
    output(1) = std::numeric_limits<float>::quiet_NaN();
    return output;
  };
  const auto bound = attention_error_bound<double>(input.queries, input.keys, input.values,
                                                   input.options, arithmetic_of<float>());
  EXPECT_LT(bound.output(0), 1e-6);
  EXPECT_EQ(bound.output(1), vacuous_bound);
  EXPECT_TRUE(output_law<float>(attention, input, in_order).vacuous);
}

TEST(Flushing, IsDeclaredInAnyOrder) {
  const auto one = in_order.stored_in<Eigen::half>().flushing(8);
  const auto other = in_order.flushing(2).magnified(4).stored_in<Eigen::half>();
  EXPECT_EQ(one.smallest, other.smallest);
  EXPECT_EQ(one.storage_smallest, other.storage_smallest);
  EXPECT_EQ(one.smallest, 32 * static_cast<double>(std::numeric_limits<float>::min()));
  EXPECT_EQ(in_order.magnified(1e10).smallest, in_order.smallest);
}

TEST(PowersOfTwo, InThePlaceOfTheExponential) {
  const FloatSoftmax kernel =
      softmax_with({.power = [](float t) { return std::exp2(t * 1.44269504F); }});
  EXPECT_FALSE(accuracy_law<float>(kernel, {0, -0x1.633548p+5F}, 1, in_order).holds());
  expect_accurate(kernel, in_order.exp2_folded());
  expect_accurate(FloatSoftmax([&](std::vector<float> x, float tau) {
                    for (float& score : x) score = flushed(score);
                    x = kernel(x, tau);
                    for (float& weight : x) weight = flushed(weight);
                    return x;
                  }),
                  in_order.exp2_folded().flushing());
}

template <class Format>
void expect_stored_weights_are_covered() {
  const FloatAttention kernel =
      attention_with({.stored = [](float p) { return through<Format>(p); }});
  EXPECT_FALSE(output_law<float>(kernel, with_scores({0, 0, 0}, 1), in_order).holds());
  expect_accurate(kernel, in_order.stored_weights<Format>());
  // Before they are divided by their sum, as in FlashAttention.
  const FloatAttention before = attention_with({.weights = [](const std::vector<float>& scores) {
    std::vector<float> weights(scores.size());
    float sum = 0;
    for (const float s : scores) sum += std::exp(s - greatest(scores));
    for (std::size_t j = 0; j < scores.size(); ++j)
      weights[j] = through<Format>(std::exp(scores[j] - greatest(scores))) / sum;
    return weights;
  }});
  expect_accurate(before, in_order.stored_weights<Format>());
}

TEST(StoredWeights, InHalfPrecision) { expect_stored_weights_are_covered<Eigen::half>(); }
TEST(StoredWeights, InBfloat16) { expect_stored_weights_are_covered<Eigen::bfloat16>(); }

TEST(StoredResults, InHalfPrecision) {
  const FloatSoftmax kernel =
      softmax_with({.quotient = [](float e, float sum) { return through<Eigen::half>(e / sum); }});
  EXPECT_FALSE(accuracy_law<float>(kernel, {0, 0, 0}, 1, in_order).holds());
  expect_accurate(kernel, in_order.stored_in<Eigen::half>());
}

// One rounding more is less than what each bound leaves for the exponential: nothing breaks without it.
TEST(Reciprocal, InThePlaceOfADivision) {
  expect_accurate(softmax_with({.quotient = [](float e, float sum) { return e * (1 / sum); }}),
                  in_order.by_reciprocal());
}

/// Blocks that rescale the sum, with an exponential that is too large by some roundings.
FloatSoftmax one_pass_softmax(std::size_t block, int roundings) {
  const auto power = [roundings](float t) {
    return static_cast<float>(std::exp(static_cast<double>(t)) * (1 + roundings * 0x1p-24));
  };
  return [=](const std::vector<float>& x, float tau) {
    float m = -std::numeric_limits<float>::infinity();
    float sum = 0;
    for (std::size_t start = 0; start < x.size(); start += block) {
      const std::vector<float> part(
          x.begin() + static_cast<std::ptrdiff_t>(start),
          x.begin() + static_cast<std::ptrdiff_t>(std::min(x.size(), start + block)));
      const float before = m;
      m = std::max(m, greatest(part));
      if (std::isinf(m)) continue;
      if (m > before) sum *= std::isinf(before) ? 0 : power((before - m) / tau);
      for (const float score : part) sum += power((score - m) / tau);
    }
    std::vector<float> weights;
    for (const float score : x) weights.push_back(power((score - m) / tau) / sum);
    return weights;
  };
}

TEST(OnePass, RescalesInBlocks) {
  std::vector<float> rising;
  for (int j = 0; j < 64; ++j) rising.push_back(static_cast<float>(j) / 16);
  SoftmaxArithmetic poor = in_order.blocks(1);
  poor.exp_error = 8;
  EXPECT_FALSE(accuracy_law<float>(one_pass_softmax(1, 7), rising, 1, poor.any_order()).holds());
  EXPECT_TRUE(accuracy_law<float>(one_pass_softmax(1, 7), rising, 1, poor.any_order().one_pass(63))
                  .holds());
  expect_accurate(one_pass_softmax(8, 0), in_order.one_pass(4));
  expect_accurate(flash_attention({.block = 4}), in_order.one_pass(4));
}

TEST(ComputedIn, AFormatItself) {
  const SoftmaxArithmetic in_half = computed_in<Eigen::half>().any_order();
  const auto narrow = [](float x) { return through<Eigen::half>(x); };
  const FloatSoftmax kernel =
      softmax_with({.exponent = [=](float t, float tau) { return narrow(narrow(t) / tau); },
                    .power = [=](float t) { return narrow(std::exp(t)); },
                    .sum =
                        [=](const std::vector<float>& e) {
                          float sum = 0;
                          for (const float power : e) sum = narrow(sum + power);
                          return sum;
                        },
                    .quotient = [=](float e, float sum) { return narrow(e / sum); }});
  std::vector<float> falling;
  for (int j = 0; j < 40; ++j) falling.push_back(narrow(-0.05F * static_cast<float>(j)));
  const SoftmaxArithmetic only_stored = in_order.stored_in<Eigen::half>();
  EXPECT_FALSE(accuracy_law<float>(kernel, falling, 1, only_stored).holds());
  EXPECT_FALSE(accuracy_law<float>(kernel, falling, 1, in_half).vacuous);
  Worst worst;
  for (const auto& x :
       fixed_draws(vectors<float>({.longest = 33, .entries = {.largest = 100}}), 2000)) {
    std::vector<float> rounded;
    for (const float score : x) rounded.push_back(narrow(score));
    worst.add(accuracy_law<float>(kernel, rounded, 1, in_half));
  }
}

/// A kernel whose arithmetic is said must not be condemned for what its arithmetic does at an edge.
TEST(Edges, AFlushingScoreOfSubnormalNumbers) {
  AttentionCase<float> input{Matrix<float>::Constant(1, 1, 1e-38F),
                             Matrix<float>::Constant(1, 1, 1e38F),
                             Matrix<float>::Ones(1, 1),
                             {},
                             {}};
  input.options.scale = 1;
  const auto flushed = [](const auto&) -> Matrix<float> { return Matrix<float>::Zero(1, 1); };
  EXPECT_TRUE(score_law<float>(flushed, input, in_order.flushing()).holds());
  EXPECT_FALSE(score_law<float>(flushed, input, in_order).holds());
}

TEST(Edges, AnOutputThatOverflowsBeforeItIsDivided) {
  const AttentionCase<float> input{Matrix<float>::Zero(1, 1),
                                   Matrix<float>::Zero(4, 1),
                                   Matrix<float>::Constant(4, 1, 1e38F),
                                   {},
                                   {}};
  const auto overflows = [](const auto&) -> Matrix<float> {
    return Matrix<float>::Constant(1, 1, std::numeric_limits<float>::infinity());
  };
  EXPECT_TRUE(output_law<float>(overflows, input, in_order.one_pass(3)).vacuous);
  EXPECT_FALSE(output_law<float>(overflows, input, in_order).holds());
}

TEST(Edges, AWeightByTheLogSumExpThatIsCutOff) {
  const SoftmaxArithmetic declared = in_order.cut_off(87.33).by_log_sum_exp();
  std::vector<float> x(1001, 0);
  const auto cut = [](const std::vector<float>& scores, float) {
    std::vector<float> weights(scores.size(), 1.F / 1000);
    weights.back() = 0;
    return weights;
  };
  x.back() = -80.43F;  // and the logarithm of the sum is 6.908
  EXPECT_TRUE(accuracy_law<float>(cut, x, 1, declared).holds());
  EXPECT_FALSE(accuracy_law<float>(cut, x, 1, in_order.by_log_sum_exp()).holds());
  x.back() = -80.3F;
  EXPECT_FALSE(accuracy_law<float>(cut, x, 1, declared).holds());
}

TEST(Edges, MaskedKeysTakePlacesInHalves) {
  SoftmaxArithmetic halves = in_order.blocks(1);
  EXPECT_EQ(halves.sum_depth(8), 4);
  halves.keys = 1 << 20;
  EXPECT_EQ(halves.sum_depth(8), 7);
  EXPECT_EQ(halves.sum_depth(64), 21);
}

TEST(Edges, AnAccumulatorOfNoDigitsPromisesNothing) {
  const auto coarse = Accumulator::tensor_core(32, 5, 23);
  EXPECT_TRUE(std::isinf(coarse.roundings(64, 0x1p-24)));
  const double bound = score_error_bound(64, 1, 1, {}, in_order.scores_by(coarse));
  EXPECT_TRUE(std::isinf(bound)) << bound;
}

}  // namespace
