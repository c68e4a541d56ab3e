// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Test vectors: what is typed of a case, and what the library adds.
#pragma once

#include "operations.hpp"

#include <string>
#include <vector>

namespace sqrtdk::vectors {

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
