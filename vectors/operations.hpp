// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What softmax and attention are asked in a test vector.
#pragma once

#include <sqrtdk/attention_pass.hpp>

#include <Eigen/Core>

#include <vector>

namespace sqrtdk::vectors {

/// The arguments of a softmax.
struct SoftmaxInput {
  std::vector<double> x;   ///< n logits, finite or −∞, not all −∞
  double temperature = 1;  ///< τ
};

/// The arguments of attention. What no query sees may be NaN.
struct AttentionInput {
  Eigen::MatrixXd queries;           ///< Q, n × d
  Eigen::MatrixXd keys;              ///< K, m × d
  Eigen::MatrixXd values;            ///< V, m × d_v
  AttentionOptions<double> options;  ///< scale and masks
};

}  // namespace sqrtdk::vectors
