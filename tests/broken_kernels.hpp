// Kernels that are right, each in its way, and the same with bugs that projects have shipped.
#pragma once

#include <sqrtdk/attention/pass.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

using FloatSoftmax = std::function<std::vector<float>(const std::vector<float>&, float)>;
using FloatAttention = std::function<Matrix<float>(const AttentionCase<float>&)>;

/// One number as another format stores it.
template <class Format>
float through(float x) {
  return static_cast<float>(static_cast<Format>(x));
}

inline float greatest(const std::vector<float>& x, std::size_t count = SIZE_MAX) {
  return *std::max_element(x.begin(),
                           x.begin() + static_cast<std::ptrdiff_t>(std::min(count, x.size())));
}

/// The steps of a softmax: one step is another than usual.
struct Steps {
  std::function<float(const std::vector<float>&)> maximum = [](const auto& x) {
    return greatest(x);
  };
  std::function<float(float, float)> exponent = [](float difference, float tau) {
    return difference / tau;
  };
  std::function<float(float)> power = [](float t) { return std::exp(t); };
  std::function<float(const std::vector<float>&)> sum = [](const auto& powers) {
    float total = 0;
    for (const float term : powers) total += term;
    return total;
  };
  std::function<float(float, float)> quotient = [](float term, float total) {
    return term / total;
  };
};

inline FloatSoftmax softmax_with(Steps steps) {
  return [steps](const std::vector<float>& x, float tau) {
    const float m = steps.maximum(x);
    std::vector<float> weights;
    for (const float score : x) weights.push_back(steps.power(steps.exponent(score - m, tau)));
    const float total = steps.sum(weights);
    for (float& weight : weights) weight = steps.quotient(weight, total);
    return weights;
  };
}

inline std::vector<std::pair<std::string, FloatSoftmax>> broken_softmax_kernels() {
  const auto add = [](float total, float power) { return total + power; };
  const auto sum_of = [add](const std::vector<float>& powers, std::size_t count) {
    float total = 0;
    for (std::size_t j = 0; j < std::min(count, powers.size()); ++j) total = add(total, powers[j]);
    return total;
  };
  return {
      {"no maximum (machinelearning 3648)", softmax_with({.maximum = [](auto&) { return 0.F; }})},
      {"maximum from 0 (NNlib 43)",
       softmax_with({.maximum = [](auto& x) { return std::max(0.F, greatest(x)); }})},
      {"maximum from the smallest positive number (tinyengine 107)",
       softmax_with({.maximum = [](auto& x) { return std::max(1.2e-38F, greatest(x)); }})},
      {"maximum of the first 32",
       softmax_with({.maximum = [](auto& x) { return greatest(x, 32); }})},
      {"first is skipped (minerva 40)", softmax_with({.sum =
                                                          [](auto& e) {
                                                            float total = 0;
                                                            for (std::size_t j = 1; j < e.size();
                                                                 ++j)
                                                              total += e[j];
                                                            return total;
                                                          }})},
      {"wrong axis (nntrainer 430)",
       [](const auto& x, float) { return std::vector<float>(x.size(), 1.F); }},
      {"sum in half precision (tract 2586)", softmax_with({.sum =
                                                               [](auto& e) {
                                                                 float total = 0;
                                                                 for (const float power : e)
                                                                   total = through<Eigen::half>(
                                                                       total + power);
                                                                 return total;
                                                               }})},
      {"tail is dropped (CTranslate2 351)",
       softmax_with({.sum =
                         [sum_of](auto& e) {
                           return sum_of(e, e.size() < 8 ? e.size() : e.size() / 8 * 8);
                         }})},
      {"padding counts (tt-metal 19781)", softmax_with({.sum =
                                                            [sum_of](auto& e) {
                                                              return sum_of(e, e.size()) +
                                                                     static_cast<float>(
                                                                         (32 - e.size() % 32) % 32);
                                                            }})},
      {"last is lost beyond 64",
       softmax_with(
           {.sum =
                [sum_of](auto& e) { return sum_of(e, e.size() > 64 ? e.size() - 1 : e.size()); }})},
      {"exponent clamped at -20 (funes 160)",
       softmax_with({.power = [](float t) { return std::exp(std::max(t, -20.F)); }})},
      {"fast exponential (openvino 37857)", softmax_with({.power =
                                                              [](float t) {
                                                                float power =
                                                                    std::max(1 + t / 1024, 0.F);
                                                                for (int i = 0; i < 10; ++i)
                                                                  power *= power;
                                                                return power;
                                                              }})},
      {"exponential off by 1e-5",
       softmax_with({.power = [](float t) { return std::exp(t) * (1 + 1e-5F * std::sin(t)); }})},
      {"1e-7 in the denominator",
       softmax_with({.quotient = [](float e, float total) { return e / (total + 1e-7F); }})},
      {"1e-6 in the denominator",
       softmax_with({.quotient = [](float e, float total) { return e / (total + 1e-6F); }})},
      {"NaN made plausible (tt-metal 56056)",
       [](const auto& x, float tau) {
         auto weights = softmax_with({.maximum = [](auto&) { return 0.F; }})(x, tau);
         for (float& weight : weights)
           if (!(weight <= 1)) weight = 1 / static_cast<float>(x.size());
         return weights;
       }},
      {"weights through half precision",
       softmax_with(
           {.quotient = [](float e, float total) { return through<Eigen::half>(e / total); }})},
      {"weights through bfloat16",
       softmax_with(
           {.quotient = [](float e, float total) { return through<Eigen::bfloat16>(e / total); }})},
      {"temperature ignored", softmax_with({.exponent = [](float t, float) { return t; }})},
      {"temperature twice (CodonTransformer 20)",
       softmax_with({.exponent = [](float t, float tau) { return t / tau / tau; }})},
      {"subnormal numbers lost (modular 7102)",
       softmax_with({.quotient =
                         [](float e, float total) {
                           return std::abs(e / total) < std::numeric_limits<float>::min()
                                      ? 0
                                      : e / total;
                         }})},
  };
}

/// The steps of attention: one step is another than usual.
struct AttentionSteps {
  using Options = AttentionOptions<float>;
  std::function<void(AttentionCase<float>&)> before = [](auto&) {};
  std::function<float(float, float)> product = [](float q, float k) { return q * k; };
  std::function<float(float, const Options&, float, float)> scaled =
      [](float s, const Options& options, float d, float) {
        return options.scale ? s * *options.scale : s / std::sqrt(d);
      };
  /// Weights of scores, −∞ where a key is masked; at least one is not.
  std::function<std::vector<float>(const std::vector<float>&)> weights = [](const auto& scores) {
    return softmax_with({})(scores, 1);
  };
  std::function<float(float)> stored = [](float weight) { return weight; };
  float empty = 0;  ///< what a query gets that sees no key
};

inline FloatAttention attention_with(AttentionSteps steps) {
  return [steps](AttentionCase<float> input) {
    steps.before(input);
    const auto n = input.queries.rows();
    const auto m = input.keys.rows();
    const sqrtdk::detail::Visibility<float> sees(input.options, n, m);
    Matrix<float> output = Matrix<float>::Constant(n, input.values.cols(), steps.empty);
    for (Eigen::Index i = 0; i < n; ++i) {
      if (sees.of(i).empty() && !input.sink) continue;
      std::vector<float> scores(static_cast<std::size_t>(m),
                                -std::numeric_limits<float>::infinity());
      for (const Eigen::Index j : sees.of(i)) {
        float s = 0;
        for (Eigen::Index l = 0; l < input.queries.cols(); ++l)
          s += steps.product(input.queries(i, l), input.keys(j, l));
        s = steps.scaled(s, input.options, static_cast<float>(input.queries.cols()),
                         static_cast<float>(input.values.cols()));
        if (input.options.bias) s += (*input.options.bias)(i, j);
        scores[static_cast<std::size_t>(j)] = s;
      }
      if (input.sink) scores.push_back(*input.sink);
      const std::vector<float> weights = steps.weights(scores);
      output.row(i).setZero();
      for (Eigen::Index j = 0; j < m; ++j)
        if (const float weight = steps.stored(weights[static_cast<std::size_t>(j)]); weight != 0)
          output.row(i) += weight * input.values.row(j);
    }
    return output;
  };
}

/// FlashAttention's steps, in blocks of some keys, and those that it may forget.
struct Flash {
  Eigen::Index block = 32;
  bool rescales_sum = true;
  bool rescales_output = true;
  bool keeps_maximum = true;  ///< whether a later block may not lower it
};

inline FloatAttention flash_attention(Flash flash) {
  return [flash](const AttentionCase<float>& input) {
    const Eigen::Index m = input.keys.rows();
    const sqrtdk::detail::Visibility<float> sees(input.options, input.queries.rows(), m);
    Matrix<float> output = Matrix<float>::Zero(input.queries.rows(), input.values.cols());
    constexpr float masked = -std::numeric_limits<float>::infinity();
    for (Eigen::Index i = 0; i < output.rows(); ++i) {
      float maximum = masked;
      float sum = 0;
      for (Eigen::Index start = 0; start < m; start += flash.block) {
        std::vector<std::pair<Eigen::Index, float>> scores;
        float most = flash.keeps_maximum ? maximum : masked;
        for (Eigen::Index j = start; j < std::min(m, start + flash.block); ++j) {
          if (!sees(i, j)) continue;
          float s = 0;
          for (Eigen::Index l = 0; l < input.queries.cols(); ++l)
            s += input.queries(i, l) * input.keys(j, l);
          if (input.options.scale)
            s *= *input.options.scale;
          else
            s /= std::sqrt(static_cast<float>(input.queries.cols()));
          if (input.options.bias) s += (*input.options.bias)(i, j);
          most = std::max(most, s);
          scores.emplace_back(j, s);
        }
        if (scores.empty()) continue;
        const float factor = maximum == masked ? 0 : std::exp(maximum - most);
        if (flash.rescales_sum) sum *= factor;
        if (flash.rescales_output) output.row(i) *= factor;
        maximum = most;
        for (const auto& [j, s] : scores) {
          sum += std::exp(s - maximum);
          output.row(i) += std::exp(s - maximum) * input.values.row(j);
        }
      }
      if (sum > 0) output.row(i) /= sum;
    }
    return output;
  };
}

inline std::vector<std::pair<std::string, FloatAttention>> broken_attention_kernels() {
  using Case = AttentionCase<float>;
  using Options = AttentionOptions<float>;
  const auto scaled = [](std::function<float(float, float)> factor) {
    return attention_with({.scaled = [factor](float s, const Options& options, float d, float d_v) {
      return s * options.scale.value_or(factor(d, d_v));
    }});
  };
  const auto before = [](std::function<void(Case&)> change) {
    return attention_with({.before = std::move(change)});
  };
  const auto all = [](const Case& x, bool value) {
    return Matrix<bool>::Constant(x.queries.rows(), x.keys.rows(), value);
  };
  return {
      {"scale missing (mlc-llm 3426)", scaled([](float, float) { return 1.F; })},
      {"root of d_v", scaled([](float, float d_v) { return 1 / std::sqrt(d_v); })},
      {"scale inverted (maxtext 1370)", scaled([](float d, float) { return std::sqrt(d); })},
      {"divided by d", scaled([](float d, float) { return 1 / d; })},
      {"scale ignored", before([](Case& x) { x.options.scale.reset(); })},
      {"causal mask ignored", before([](Case& x) { x.options.causal.reset(); })},
      {"causal alignment (mlx 2835)", before([](Case& x) {
         if (x.options.causal) x.options.causal = CausalAlignment::top_left;
       })},
      {"causal off by one (transformers 39408)", before([all](Case& x) {
         if (!x.options.causal) return;
         Matrix<bool> allowed = x.options.allowed.value_or(all(x, true));
         const Eigen::Index offset = *x.options.causal == CausalAlignment::bottom_right
                                         ? x.keys.rows() - x.queries.rows()
                                         : 0;
         for (Eigen::Index i = 0; i < allowed.rows(); ++i)
           for (Eigen::Index j = 0; j < allowed.cols(); ++j)
             allowed(i, j) = allowed(i, j) && j <= i + offset + 1;
         x.options.causal.reset();
         x.options.allowed = allowed;
       })},
      {"mask ignored", before([](Case& x) { x.options.allowed.reset(); })},
      {"mask inverted", before([](Case& x) {
         if (x.options.allowed) x.options.allowed = (!x.options.allowed->array()).matrix();
       })},
      {"biases ignored", before([](Case& x) { x.options.bias.reset(); })},
      {"biases before the scale", before([](Case& x) {
         if (x.options.bias)
           *x.options.bias *= x.options.scale.value_or(1 / std::sqrt(float(x.queries.cols())));
       })},
      {"last key lost beyond 64", before([all](Case& x) {
         if (x.keys.rows() <= 64) return;
         if (!x.options.allowed) x.options.allowed = all(x, true);
         x.options.allowed->col(x.keys.rows() - 1).setConstant(false);
       })},
      {"wrong stride of the keys (flash-attention 9ee0ff1d)", before([](Case& x) {
         const Matrix<float> turned = x.keys.transpose();
         x.keys = Eigen::Map<const Matrix<float>>(turned.data(), x.keys.rows(), x.keys.cols());
       })},
      {"values of the next key", before([](Case& x) {
         const Matrix<float> values = x.values;
         for (Eigen::Index j = 0; j < values.rows(); ++j)
           x.values.row(j) = values.row((j + 1) % values.rows());
       })},
      {"masked after the softmax",
       [](const Case& input) {
         Case open = input;
         open.options = {};
         open.options.scale = input.options.scale;
         const sqrtdk::detail::Visibility<float> sees(input.options, input.queries.rows(),
                                                      input.keys.rows());
         Matrix<float> output = Matrix<float>::Zero(input.queries.rows(), input.values.cols());
         for (Eigen::Index i = 0; i < output.rows(); ++i) {
           Case one = open;
           one.queries = Matrix<float>(input.queries.row(i));
           if (input.options.bias) {
             one.options.bias = Matrix<float>(input.options.bias->row(i));
             for (float& b : one.options.bias->reshaped()) b = std::max(b, -1000.F);
           }
           for (Eigen::Index j = 0; j < input.keys.rows(); ++j)
             if (!sees(i, j)) one.values.row(j).setZero();
           output.row(i) = attention_with({})(one);
         }
         return output;
       }},
      {"empty rows are ones", attention_with({.empty = 1})},
      {"empty rows are NaN (pytorch 103963)",
       attention_with({.empty = std::numeric_limits<float>::quiet_NaN()})},
      {"zeros",
       [](const Case& x) -> Matrix<float> {
         return Matrix<float>::Zero(x.queries.rows(), x.values.cols());
       }},
      {"mean of the values (mlir-air 1427)",
       [](const Case& x) -> Matrix<float> {
         return x.values.colwise().mean().replicate(x.queries.rows(), 1);
       }},
      {"products in half precision (metal-flash-attention 8)",
       attention_with({.product = [](float q, float k) { return through<Eigen::half>(q * k); }})},
      {"weights in half precision, undeclared",
       attention_with({.stored = [](float weight) { return through<Eigen::half>(weight); }})},
      {"output not rescaled (pytorch 130014)", flash_attention({.rescales_output = false})},
      {"sum not rescaled", flash_attention({.rescales_sum = false})},
      {"maximum of the last block",
       flash_attention({.rescales_output = false, .keeps_maximum = false})},
      {"output not rescaled, blocks of 64",
       flash_attention({.block = 64, .rescales_output = false})},
  };
}

}  // namespace sqrtdk::testing
