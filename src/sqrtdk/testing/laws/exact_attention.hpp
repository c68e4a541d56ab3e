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

/// Attention and its gradient to fifty digits, by the formulas as they are written: loops over
/// queries, keys and features, on purpose with nothing from the implementation that is checked.
class ExactAttention {
 public:
  /// \tparam Real float, double, half or bfloat16; for others include
  ///              attention_laws_definitions.hpp.
  /// \param input finite numbers where a query sees a key; without an output gradient, that of 0.
  template <class Real>
  explicit ExactAttention(const AttentionCase<Real>& input);

  const Matrix<Wide>& scores() const { return scores_; }                 ///< scaled, without biases
  const Matrix<Wide>& weights() const { return weights_; }               ///< 0 for masked keys
  const Matrix<Wide>& output() const { return output_; }                 ///< n × d_v
  const AttentionGradient<Wide>& gradient() const { return gradient_; }  ///< for the cotangent
  /// Whether query i sees key j.
  bool sees(Eigen::Index i, Eigen::Index j) const { return sees_(i, j); }
  /// Whether some query sees key j.
  bool seen(Eigen::Index j) const { return sees_.col(j).any(); }

 private:
  Matrix<bool> sees_;
  Matrix<Wide> scores_;
  Matrix<Wide> weights_;
  Matrix<Wide> output_;
  AttentionGradient<Wide> gradient_;
};

}  // namespace sqrtdk::testing
