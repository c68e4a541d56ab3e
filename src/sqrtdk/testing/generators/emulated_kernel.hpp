// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Kernels that have a declared arithmetic, right ones and some with bugs: an emulator.
///
/// Operations are done in double precision and rounded once more, to the emulated format: of at
/// most 24 digits, so that sums, products, quotients and roots are what one rounding gives.
#pragma once

#include <sqrtdk/kernel_profiles.hpp>
#include <sqrtdk/softmax_error/accumulator.hpp>
#include <sqrtdk/softmax_error/arithmetic.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// The rounding of an emulated operation to a format; no rounding if u is 0.
struct EmulatedFormat : FormatLimits {
  bool flushes = false;    ///< true if subnormal results become 0
  bool saturates = false;  ///< true if too large a number becomes the largest, and not ∞
  /// The sign of the next operation's error, 1 or −1, if each errs by the part u; none for nearest.
  int (*way)() = nullptr;

  /// The number of the format that is nearest to x, of two as near the one whose last digit is even.
  double operator()(double x) const;
};

/// A sum of products Σaₖbₖ, rounded as an Accumulator declares. If that leaves the order open,
/// terms are added as they come. A tensor core's F and F′ are worked out from Accumulator::step.
class EmulatedSum {
 public:
  /// \param format      the format computed in, of at most 24 digits.
  /// \param accumulator the order of the sum, and its own format if it has one.
  EmulatedSum(const EmulatedFormat& format, const Accumulator& accumulator);

  /// Adds aₖbₖ for each k. Blocks of a tensor core and partial sums of a promotion begin anew with
  /// each call; lanes go on.
  /// \param a, b as many numbers of the format each; not checked.
  void add(std::span<const double> a, std::span<const double> b);
  void multiply(double factor);  ///< multiplies each lane by any number, and rounds it
  /// The sum, lanes joined by halves, rounded to the format; 0 at first.
  double total() const;

 private:
  double rounded(double x) const;
  double added(double x, double y) const;  // exact if one of them is 0
  void add_truncated(std::span<const double> a, std::span<const double> b);

  EmulatedFormat format_;
  Accumulator by_;
  std::vector<double> lanes_;
  std::size_t next_ = 0;  // the lane that takes the next product
};

/// The argument of the exponential of a score x and a maximum m, with c = log₂ e.
enum class EmulatedArgument {
  difference,         ///< e^(x − m)
  scaled_difference,  ///< 2^(c(x − m))
  difference_of_scaled,  ///< 2^(x′ − m′), with x′ = cx rounded before the maximum is looked for
  scaled,                ///< 2^(cx − cm), each product rounded; c contains attention's scale
  fused                  ///< the same, with one rounding of cx and the rounded cm
};

/// The error of an emulated exponential.
enum class EmulatedExp {
  nearest,  ///< it is the nearest number
  erring,   ///< by all that is declared, up, or down for arguments below a pivot; e⁰ is 1
  series,   ///< seven terms, after a reduction by a rounded ln 2, in single precision
  cubic     ///< 2^x by the best cubic on [0, 1], in single precision
};

/// The bug of an emulated kernel.
enum class EmulatedBug { none, keeps_sum, keeps_output, log_sum_exp_in_bits };

/// A kernel of a declared arithmetic. What that leaves open is chosen.
/// Its functions throw std::invalid_argument unless it computes in single or half precision, with
/// sums of weights in any order or of sums_by().
struct EmulatedKernel {
  SoftmaxArithmetic arithmetic = arithmetic_of<float>().any_order();  ///< as it is declared
  EmulatedArgument argument = EmulatedArgument::difference;  ///< how e^(x − m) is computed
  EmulatedExp exp = EmulatedExp::nearest;                    ///< how its exponential errs
  double pivot = 0;          ///< of an exponential that errs, at most 0
  bool folded = false;       ///< true if queries and keys are multiplied by the root of the scale
  bool log_in_bits = false;  ///< true if a log-sum-exp is taken in base 2, and converted at the end
  EmulatedBug bug = EmulatedBug::none;  ///< what is wrong with it; none by default
  int (*way)() = nullptr;               ///< the sign of each error, as EmulatedFormat::way has it

  /// The softmax of scores, at least one, finite and of the format; the temperature is 1.
  std::vector<float> operator()(const std::vector<float>& scores, float temperature) const;
  /// The logarithm of the sum of their exponentials.
  float log_sum_exp(const std::vector<float>& scores) const;
  /// The output of attention; 0 for queries that see no key.
  Matrix<float> operator()(const AttentionCase<float>& input) const;
};

/// Kernels of a profile, with the formats of their inputs: for each that it is used with one whose
/// exponential errs the most, and one whose does not. Tiles are as short as a tensor core allows.
std::vector<std::pair<FormatLimits, EmulatedKernel>> emulated_kernels(const KernelProfile& profile);

/// A kernel in an order that its arithmetic leaves open: one term after the other, or lanes.
EmulatedKernel in_some_order(EmulatedKernel kernel, Stream& stream);

/// A case to try a kernel on: one query, mostly few keys, and two columns of values, of a format. Keys, or
/// values, of bad ones agree, nearly agree, are few, or hide from sums; those of others are normal.
AttentionCase<double> drawn_case(const EmulatedFormat& format, bool bad, Stream& stream);

}  // namespace sqrtdk::testing
