// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Test vectors: what is typed of a case, and what the library adds.
#pragma once

#include <sqrtdk/attention_pass.hpp>

#include <Eigen/Core>

#include <string>
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

/// A case as it is typed: inputs, and why they are there.
template <class Input>
struct Case {
  std::string id, comment, claim;
  std::vector<std::string> catches;  ///< names of kernels that it must catch
  Input input;
};

/// The cases of softmax. The argument only says of which operation.
std::vector<Case<SoftmaxInput>> cases_of(const SoftmaxInput&);
/// The cases of attention.
std::vector<Case<AttentionInput>> cases_of(const AttentionInput&);

}  // namespace sqrtdk::vectors
