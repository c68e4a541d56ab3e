// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Kernels that have a declared arithmetic, right ones and some with bugs: an emulator.
///
/// Numbers are doubles. An operation is done in double precision and rounded once more, to the format
/// that is emulated. For sums, products, quotients and roots in formats of at most 24 digits that is
/// what one rounding gives.
#pragma once

#include <sqrtdk/accumulator.hpp>
#include <sqrtdk/kernel_profiles.hpp>
#include <sqrtdk/softmax_arithmetic.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// How an emulated operation rounds to a format; it does not if the unit roundoff is 0.
struct EmulatedFormat : FormatLimits {
  bool flushes = false;    ///< whether subnormal results become 0
  bool saturates = false;  ///< whether what is too large becomes the largest number, and not ∞
  /// Where an operation errs by the part u, as badly as the model of rounding allows: which way the
  /// next one does, 1 or −1. If there is none it rounds to the nearest number.
  int (*way)() = nullptr;

  /// The number of the format that is nearest to x, of two as near the one whose last digit is even.
  double operator()(double x) const;
  /// ab + c, rounded once: in single and double precision as a processor does it, else twice.
  double fused(double a, double b, double c) const;
};

/// A sum of products as an accumulator has it; any order is that in which they come. Of a tensor core
/// the bits that it keeps follow from w.
class EmulatedSum {
 public:
  /// \param format      that is computed in.
  /// \param accumulator in which order the sum is taken, and in which format.
  /// \param fused       whether a product is added without a rounding of its own.
  EmulatedSum(const EmulatedFormat& format, const Accumulator& accumulator, bool fused = false);

  /// Adds aₖbₖ for each k.
  void add(std::span<const double> a, std::span<const double> b);
  /// Multiplies what has been added.
  void multiply(double factor);
  /// The sum.
  double total() const;

 private:
  double rounded(double x) const;
  double added(double x, double y) const;  // exact if one of them is 0
  void add_truncated(std::span<const double> a, std::span<const double> b);

  EmulatedFormat format_;
  Accumulator by_;
  bool fused_;
  std::vector<double> lanes_;
  std::size_t next_ = 0;  // the lane that takes the next product
};

/// What the exponential of a score x and a maximum m is taken of, with c = log₂ e.
enum class EmulatedArgument {
  difference,         ///< e^(x − m)
  scaled_difference,  ///< 2^(c(x − m))
  difference_of_scaled,  ///< 2^(x′ − m′), with x′ = cx rounded before the maximum is looked for
  scaled,                ///< 2^(cx − cm), each product rounded; c contains attention's scale
  fused  ///< the same, with one rounding for the difference of cx and the rounded cm
};

/// How an emulated exponential errs.
enum class EmulatedExp {
  nearest,  ///< it is the nearest number
  erring,   ///< by all that is declared, up, or down for arguments below a pivot; e⁰ is 1
  series,   ///< seven terms, after a reduction by a rounded ln 2, in single precision
  cubic     ///< 2^x by the best cubic on [0, 1], in single precision
};

/// What an emulated kernel does wrong.
enum class EmulatedBug { none, keeps_sum, keeps_output, log_sum_exp_in_bits };

/// A kernel of a declared arithmetic, whose sums of weights are in any order or of sums_by(). What
/// that leaves open is chosen.
struct EmulatedKernel {
  SoftmaxArithmetic arithmetic = arithmetic_of<float>().any_order();  ///< what is declared of it
  EmulatedArgument argument = EmulatedArgument::difference;
  EmulatedExp exp = EmulatedExp::nearest;
  double pivot = 0;     ///< of an exponential that errs, at most 0
  bool fused = false;   ///< whether sums of products are fused
  bool folded = false;  ///< whether queries and keys are multiplied by the root of the scale
  EmulatedBug bug = EmulatedBug::none;
  int (*way)() = nullptr;  ///< of EmulatedFormat

  /// The softmax of scores, at least one, finite and of the format; the temperature is 1.
  /// \tparam Real float or double.
  template <class Real>
  std::vector<Real> operator()(const std::vector<Real>& scores, Real temperature) const;
  /// The logarithm of the sum of their exponentials.
  float log_sum_exp(const std::vector<float>& scores) const;
  /// The output of attention; 0 for queries that see no key.
  template <class Real>
  Matrix<Real> operator()(const AttentionCase<Real>& input) const;
};

/// Kernels of a profile: for each format of inputs that it is used with one whose exponential errs the
/// most, and one with that of such a kernel.
std::vector<std::pair<FormatLimits, EmulatedKernel>> emulated_kernels(const KernelProfile& profile);

}  // namespace sqrtdk::testing
