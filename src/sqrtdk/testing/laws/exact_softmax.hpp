// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The softmax that implementations are held to.
#pragma once

#include <sqrtdk/testing/laws/wide.hpp>

#include <cstddef>
#include <vector>

namespace sqrtdk::testing {

/// The softmax of x/τ to fifty digits, computed without softmax(), which it is to check.
/// \tparam Real any format of formats.hpp; for others include exact_softmax_definitions.hpp.
template <class Real>
class ExactSoftmax {
 public:
  /// \param x           n logits, n at least 1; finite or −∞, not all −∞.
  /// \param temperature τ, greater than 0 and finite.
  /// \throws std::invalid_argument if there is no logit.
  /// \throws std::domain_error if an argument is out of range, or NaN.
  explicit ExactSoftmax(const std::vector<Real>& x, Real temperature = Real(1));

  std::size_t size() const { return place_.size(); }  ///< n, the number of logits, at least 1
  /// The weight of logit j.
  const Wide& operator[](std::size_t j) const { return weights_[place_[j]]; }
  /// The logarithm of the weight of logit j; −∞ for a logit of −∞.
  const Wide& logarithm(std::size_t j) const { return logarithms_[place_[j]]; }
  const Wide& log_sum_exp() const { return log_sum_exp_; }  ///< ln Σe^(xᵢ/τ) of all n logits
  /// The place of logit j among the different logits, counted from the least.
  std::size_t place(std::size_t j) const { return place_[j]; }

 private:
  std::vector<std::size_t> place_;
  std::vector<Wide> weights_;
  std::vector<Wide> logarithms_;
  Wide log_sum_exp_;
};

}  // namespace sqrtdk::testing
