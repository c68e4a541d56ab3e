// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief One call of attention: what its laws take.
#pragma once

#include <sqrtdk/attention_pass.hpp>
#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>

namespace sqrtdk::testing {

/// One call of attention, and the derivative of a loss with respect to its output.
template <class Real>
struct AttentionCase {
  Matrix<Real> queries;                     ///< Q, n × d
  Matrix<Real> keys;                        ///< K, m × d
  Matrix<Real> values;                      ///< V, m × d_v
  Matrix<Real> output_gradient;             ///< G, n × d_v
  AttentionOptions<Compute<Real>> options;  ///< scale and masks
};

}  // namespace sqrtdk::testing
