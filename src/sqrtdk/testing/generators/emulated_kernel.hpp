// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Right kernels of any arithmetic that can be declared, and the same with bugs: an emulator.
///
/// All numbers are doubles. An operation is done in double precision and rounded once more, to the
/// format that is emulated; for sums, products, quotients and roots in formats of at most 24 digits
/// that is what one rounding would give.
#pragma once

#include <sqrtdk/accumulator.hpp>
#include <sqrtdk/softmax_arithmetic.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/laws/formats.hpp>

#include <optional>
#include <span>
#include <vector>

namespace sqrtdk::testing {

/// A format of numbers, and how an emulated operation rounds to it.
struct EmulatedFormat : FormatLimits {
  bool flushes = false;  ///< whether subnormal results become 0
  bool saturates =
      false;  ///< whether what is beyond the largest number becomes that one, and not ∞

  /// The number of the format that is nearest to x, of two as near the one whose last digit is even.
  double operator()(double x) const;
  /// ab + c, rounded once: for 24 and 53 digits as a processor does it, else twice.
  double fused(double a, double b, double c) const;
};

/// A sum of products in the order and the format of an accumulator; in any order means from the
/// first to the last. A tensor core truncates: the bits of its terms and results follow from w.
struct EmulatedSum {
  EmulatedFormat format;    ///< that is computed in
  Accumulator accumulator;  ///< how it is added
  bool fused = false;       ///< whether a product is added without a rounding of its own

  /// start + Σ aₖbₖ, for as many of one as of the other.
  double operator()(double start, std::span<const double> a, std::span<const double> b) const;
  /// A number as the sum holds it.
  double rounded(double x) const;
  /// Whether it truncates.
  bool is_tensor_core() const;
};

/// What the exponential of a score x and a maximum m is taken of, with c = log₂ e.
enum class EmulatedArgument {
  difference,         ///< e^(x − m)
  scaled_difference,  ///< 2^(c(x − m))
  difference_of_scaled,  ///< 2^(x′ − m′), where x′ = cx, rounded before the maximum is looked for
  scaled,                ///< 2^(cx − cm), each product rounded; c contains attention's scale
  fused                  ///< the same with one rounding for cx − (cm)
};

/// How an emulated exponential errs.
enum class EmulatedExp {
  nearest,  ///< it is the nearest number
  erring,   ///< by as much as is declared: too large above −pivot, too small below; e⁰ is 1
  series,   ///< six terms after a reduction by a rounded ln 2, in single precision
  cubic     ///< 2^x by the best cubic on [0, 1), in single precision
};

/// What a kernel may do wrong.
enum class EmulatedBug { none, keeps_sum, keeps_output, log_sum_exp_in_bits, forgets_promotion };

/// A kernel that has an arithmetic. What that leaves open is chosen.
struct EmulatedKernel {
  SoftmaxArithmetic arithmetic = arithmetic_of<float>();  ///< what is declared of it
  EmulatedArgument argument = EmulatedArgument::difference;
  EmulatedExp exp = EmulatedExp::nearest;
  double pivot = 0;     ///< of the exponential that errs
  bool fused = false;   ///< whether sums of products are fused
  bool folded = false;  ///< whether queries and keys are multiplied by the root of the scale
  bool narrow_quotient =
      false;  ///< whether weights are divided in the format in which they are stored
  EmulatedBug bug = EmulatedBug::none;

  /// The softmax of scores: of at least one, finite and of the format.
  std::vector<double> softmax(std::vector<double> scores) const;
  /// The output of attention; 0 for queries that see no key.
  Matrix<double> attention(const AttentionCase<double>& input) const;

  /// The same for the laws.
  template <class Real>
  std::vector<Real> operator()(const std::vector<Real>& scores, Real temperature) const;
  template <class Real>
  Matrix<Real> operator()(const AttentionCase<Real>& input) const;
};

// These are compiled once, in the source file of the same name.
#define SQRTDK_EMULATED_KERNEL(prefix, Real)                                                   \
  prefix template std::vector<Real> EmulatedKernel::operator()(const std::vector<Real>&, Real) \
      const;                                                                                   \
  prefix template Matrix<Real> EmulatedKernel::operator()(const AttentionCase<Real>&) const;
SQRTDK_FOR_EACH_FORMAT(SQRTDK_EMULATED_KERNEL, extern)

}  // namespace sqrtdk::testing
