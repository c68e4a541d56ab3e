// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The inputs that no campaign leaves to chance: one list for kernels in C++, C and Python.
///
/// The numbers are doubles; a campaign rounds them to its format.
#pragma once

#include <sqrtdk/softmax_error/arithmetic.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace sqrtdk::testing {

/// What depends on the format in the fixed cases.
struct CaseNumbers {
  double largest;         ///< Ω, the largest number
  double least;           ///< η, the smallest positive number
  double least_computed;  ///< η of the format that is computed with
  double depth;           ///< ln(2/η) of that, below which an exponential vanishes
};

/// The numbers of a format; where one is no double, the nearest double.
/// \relatesalso CaseNumbers
template <class Real>
CaseNumbers case_numbers() {
  using Double = std::numeric_limits<double>;
  using Limits = std::numeric_limits<Real>;
  using Computed = std::numeric_limits<Compute<Real>>;
  return {std::min(static_cast<double>((Limits::max)()), (Double::max)()),
          std::max(static_cast<double>(Limits::denorm_min()), Double::denorm_min()),
          std::max(static_cast<double>(Computed::denorm_min()), Double::denorm_min()),
          arithmetic_of<Real>().depth_of_underflow};
}

/// One call of a softmax.
struct RowCase {
  std::vector<double> scores;  ///< x
  double temperature = 1;      ///< τ
};

/// Rows of each length up to 130, of others around powers of two up to the longest, and of a few
/// lengths: ties, the greatest score at each place of a tile, masks, scores far apart and far from 0.
/// \param numbers what the format holds.
/// \param longest the most scores, at least 1.
std::vector<RowCase> fixed_rows(const CaseNumbers& numbers, int longest);

/// Cases at the edges of the domain: one of everything, equal scores, one key, values of 0 and of
/// the largest number, scales that are 0, negative, subnormal and huge, a weight that underflows,
/// one that is subnormal before huge values, entries that are all subnormal, scores that almost
/// overflow. No number is beyond the range of double, in which bounds are computed.
std::vector<AttentionCase<double>> edge_attention_cases(const CaseNumbers& numbers);

/// Those, and calls of the sizes that ship: each size up to 130, larger ones by seed; the key that
/// matters at each place of a tile, rows whose scores are far from 0, ties, masked tiles.
/// \param numbers what the format holds.
/// \param most    the most of each size, each at least 1.
/// \param seed    of the sizes above 130.
std::vector<AttentionCase<double>> fixed_attention_cases(const CaseNumbers& numbers,
                                                         const CaseSizes& most,
                                                         std::uint64_t seed = 0);

/// Other heads of a call: the same numbers in another order and of the other sign, so that two heads
/// hardly ever have one result.
/// \param input a case.
/// \param head  which, from 0, for the case itself.
/// \relatesalso AttentionCase
template <class Real>
AttentionCase<Real> head_of(const AttentionCase<Real>& input, int head);

/// The same case in a narrower format: each number is rounded.
/// \relatesalso AttentionCase
template <class To>
AttentionCase<To> rounded_to(const AttentionCase<double>& input) {
  const auto narrow = [](const Matrix<double>& matrix) -> Matrix<To> {
    return matrix.unaryExpr([](double x) { return static_cast<To>(static_cast<Compute<To>>(x)); });
  };
  const auto& [scale, bias, allowed, causal, return_weights] = input.options;
  AttentionCase<To> result{narrow(input.queries),
                           narrow(input.keys),
                           narrow(input.values),
                           narrow(input.output_gradient),
                           {{}, {}, allowed, causal, return_weights}};
  if (scale) result.options.scale = static_cast<Compute<To>>(*scale);
  if (bias) result.options.bias = bias->template cast<Compute<To>>();
  if (input.sink) result.sink = static_cast<Compute<To>>(*input.sink);
  return result;
}

template <class Real>
AttentionCase<Real> head_of(const AttentionCase<Real>& input, int head) {
  AttentionCase<Real> other = input;
  const auto turned = [=](Matrix<Real>& rows, Eigen::Index by) {
    Matrix<Real> moved(rows.rows(), rows.cols());
    for (Eigen::Index i = 0; i < rows.rows(); ++i) moved.row((i + by) % rows.rows()) = rows.row(i);
    rows = moved;
  };
  turned(other.queries, head);
  turned(other.keys, head);
  turned(other.values, 2 * head);
  if (head % 2 != 0) other.values = -other.values;
  if (other.output_gradient.size() > 0) turned(other.output_gradient, head);
  return other;
}

}  // namespace sqrtdk::testing
