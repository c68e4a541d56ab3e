// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Random calls of attention, and those at the edges of its domain.
///
/// Compiled for the formats of formats.hpp; for others include attention_cases_definitions.hpp.
#pragma once

#include <sqrtdk/testing/generators/binary_float.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/matrices.hpp>
#include <sqrtdk/testing/generators/rapidcheck_internals.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <ostream>
#include <string>
#include <vector>

namespace sqrtdk::testing {

/// The shapes and sizes of the AttentionCase inputs to generate.
struct AttentionShapes {
  int most_queries = 4;                   ///< n is from 1 to this
  int most_keys = 6;                      ///< m is from 1 to this
  int most_features = 8;                  ///< d is from 1 to this
  int most_values = 3;                    ///< d_v is from 1 to this
  double largest = 16;                    ///< the largest magnitude of an entry
  bool cotangent = true;                  ///< true if there is a G, which only gradients need
  AttentionConventions conventions = {};  ///< the masks and scales
};

/// A case of any kind; shrinks to fewer queries, keys, features, values and masks, simpler entries.
///
/// Queries and keys mostly differ in number; numbers above 8 are mostly around powers of two.
/// Entries are of all classes up to the largest; values may all be 1, of one sign, or 0 but for one
/// key; a query may look at one key, often the last. The scale may be negative, 0, subnormal or
/// large; a key may be masked for some queries or for all, and a query may see no key or one.
/// \throws std::domain_error as floats(), for the largest magnitude.
template <BinaryFloat Real>
rc::Gen<AttentionCase<Real>> attention_cases(AttentionShapes shapes = {});

/// Draws one of attention_cases(); to be called in a property.
/// \throws std::domain_error as floats(), for the largest magnitude.
/// \relatesalso AttentionShapes
template <BinaryFloat Real>
AttentionCase<Real> drawn_attention_case(AttentionShapes shapes = {});

namespace detail {

/// All that a case has, by its letter, in shortest decimals; `32 × [0]` for as many equal rows.
template <BinaryFloat Real>
std::string case_text(const AttentionCase<Real>& input);

}  // namespace detail

/// edge_attention_cases() in a format.
/// \relatesalso AttentionCase
template <BinaryFloat Real>
std::vector<AttentionCase<Real>> attention_edge_cases();

namespace detail {

/// Draws which queries see which keys: two in three do; sometimes none, or one key for all.
/// \param n how many queries, at least 1.
/// \param m how many keys, at least 1.
Matrix<bool> drawn_permissions(Eigen::Index n, Eigen::Index m);

}  // namespace detail

/// RapidCheck shows a case as it was passed.
template <class Real>
struct detail::Shown<AttentionCase<Real>> {
  static void show(const AttentionCase<Real>& value, std::ostream& out) {
    out << detail::case_text(value);
  }
};

}  // namespace sqrtdk::testing
