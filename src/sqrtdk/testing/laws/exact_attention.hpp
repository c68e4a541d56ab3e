// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The attention that implementations are held to.
#pragma once

#include <sqrtdk/attention.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include <Eigen/Core>

namespace sqrtdk::testing {

/// Attention and its gradient to fifty digits: plain loops that share nothing with what they check.
class ExactAttention {
 public:
  /// \param input finite numbers where a query sees a key; without an output gradient, that of 0.
  /// \throws std::invalid_argument if shapes do not fit, or there is a sink: give it as a key.
  explicit ExactAttention(const AttentionCase<Wide>& input);

  /// The same for a case in another format.
  template <class Real>
  explicit ExactAttention(const AttentionCase<Real>& input)
      : ExactAttention(widened<Wide>(input)) {}

  /// The scaled scores before biases are added, n × m: 0 for masked keys.
  const Matrix<Wide>& scores() const { return scores_; }
  /// The weights p, n × m: 0 for masked keys.
  const Matrix<Wide>& weights() const { return weights_; }
  /// The output O = pV, n × d_v.
  const Matrix<Wide>& output() const { return output_; }
  /// The derivatives by Q, K and V for the output gradient G of the case.
  const AttentionGradient<Wide>& gradient() const { return gradient_; }
  /// True if query i sees key j.
  bool sees(Eigen::Index i, Eigen::Index j) const { return sees_(i, j); }
  /// True if query i sees any key.
  bool sees_any(Eigen::Index i) const { return sees_.row(i).any(); }
  /// True if some query sees key j.
  bool seen(Eigen::Index j) const { return sees_.col(j).any(); }

 private:
  /// True if the masks let query i see key j.
  static bool is_allowed(const AttentionCase<Wide>& input, Eigen::Index i, Eigen::Index j);
  void attend(const AttentionCase<Wide>& input, const Wide& scale, Eigen::Index i);
  void differentiate(const AttentionCase<Wide>& input, const Wide& scale, Eigen::Index i);

  Matrix<bool> sees_;
  Matrix<Wide> scores_;
  Matrix<Wide> weights_;
  Matrix<Wide> output_;
  AttentionGradient<Wide> gradient_;
};

}  // namespace sqrtdk::testing
