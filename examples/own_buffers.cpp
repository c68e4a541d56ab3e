// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Kernels that know pointers and shapes only, held to the laws of the book.
///
/// What Rust, C, CUDA or Fortran can export looks like the declarations. The definitions at the
/// end stand for it.
#include <sqrtdk/softmax_arithmetic.hpp>
#include <sqrtdk/testing/generators/backward_cases.hpp>
#include <sqrtdk/testing/hold_kernel.hpp>
#include <sqrtdk/testing/laws/softmax_backward_laws.hpp>
#include <sqrtdk/testing/property.hpp>

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

//! [declarations]
extern "C" {
// n scores in, n weights out.
void kernel_softmax(const float* scores, std::size_t n, float temperature, float* weights);

// The weights p and the derivative g of a loss by them in, its derivative by the scores out; n of
// each.
void kernel_softmax_backward(const float* p, const float* g, std::size_t n, float* derivative);

// Q is n × d, K is m × d, V is m × d_v, O is n × d_v; each row after row, without gaps.
void kernel_attention(const float* q, const float* k, const float* v, std::size_t n, std::size_t m,
                      std::size_t d, std::size_t d_v, float* o);
}
//! [declarations]

//! [adapters]
/// Row after row, as C, NumPy and PyTorch store a matrix; those of a case are stored by columns.
using Buffer = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<float> softmax_of_buffers(const std::vector<float>& scores, float temperature) {
  std::vector<float> weights(scores.size());
  kernel_softmax(scores.data(), scores.size(), temperature, weights.data());
  return weights;
}

Eigen::VectorXf backward_of_buffers(const Eigen::VectorXf& p, const Eigen::VectorXf& g) {
  Eigen::VectorXf derivative(p.size());
  kernel_softmax_backward(p.data(), g.data(), static_cast<std::size_t>(p.size()),
                          derivative.data());
  return derivative;
}

Matrix<float> attention_of_buffers(const AttentionCase<float>& input) {
  const Buffer q = input.queries;
  const Buffer k = input.keys;
  const Buffer v = input.values;
  Buffer o(q.rows(), v.cols());
  const auto size = [](Eigen::Index count) { return static_cast<std::size_t>(count); };
  kernel_attention(q.data(), k.data(), v.data(), size(q.rows()), size(k.rows()), size(q.cols()),
                   size(v.cols()), o.data());
  return o;
}
//! [adapters]

//! [tests]
const SoftmaxArithmetic my_arithmetic = arithmetic_of<float>().any_order();

TEST(MyKernel, ComputesSoftmaxAsAccuratelyAsItsArithmeticAllows) {
  hold_softmax<float>(softmax_of_buffers, my_arithmetic);
}

TEST(MyKernel, ComputesAttentionAsAccuratelyAsItsArithmeticAllows) {
  // It takes neither masks nor a scale.
  hold_attention<float>(attention_of_buffers, my_arithmetic, {.masks = false, .scales = false});
}

TEST(MyKernel, ComputesGradientsAsAccuratelyAsItsArithmeticAllows) {
  for_all([] {
    const auto weights = drawn_weights<float>();
    const auto cotangent = drawn_cotangent<float>(weights.size());
    for (const Outcome& outcome :
         {backward_accuracy_law<float>(backward_of_buffers, weights, cotangent),
          backward_masking_law<float>(backward_of_buffers, weights, cotangent)}) {
      RC_LOG() << outcome << '\n';  // how far off, how far it may be, and where
      RC_ASSERT(outcome.holds());   // if not, the simplest weights that were found
    }
  });
}
//! [tests]

void kernel_softmax(const float* scores, std::size_t n, float temperature, float* weights) {
  const float greatest = *std::max_element(scores, scores + n);
  float sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    weights[j] = std::exp((scores[j] - greatest) / temperature);
    sum += weights[j];
  }
  for (std::size_t j = 0; j < n; ++j) weights[j] /= sum;
}

void kernel_softmax_backward(const float* p, const float* g, std::size_t n, float* derivative) {
  float mean = 0;
  for (std::size_t j = 0; j < n; ++j) mean += p[j] * g[j];
  for (std::size_t j = 0; j < n; ++j) derivative[j] = p[j] * (g[j] - mean);
}

void kernel_attention(const float* q, const float* k, const float* v, std::size_t n, std::size_t m,
                      std::size_t d, std::size_t d_v, float* o) {
  std::vector<float> weights(m);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      weights[j] = 0;
      for (std::size_t c = 0; c < d; ++c) weights[j] += q[i * d + c] * k[j * d + c];
      weights[j] /= std::sqrt(static_cast<float>(d));
    }
    kernel_softmax(weights.data(), m, 1, weights.data());
    for (std::size_t c = 0; c < d_v; ++c) {
      o[i * d_v + c] = 0;
      for (std::size_t j = 0; j < m; ++j) o[i * d_v + c] += weights[j] * v[j * d_v + c];
    }
  }
}
