// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Conditions on compiler and processor: IEEE 754 arithmetic as written; see \ref platforms.
#pragma once

#include <cfenv>
#include <cfloat>
#include <limits>

// A NaN must differ from itself, −∞ be the least number, and roundings come in the order written.
#if defined(__FAST_MATH__) || defined(_M_FP_FAST)
#error "sqrtdk needs IEEE arithmetic: compile without -ffast-math, -Ofast, /fp:fast"
#elif defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "sqrtdk needs infinities and NaN: compile without -ffinite-math-only"
#elif defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "sqrtdk needs sums and quotients as written: compile without -funsafe-math-optimizations"
#endif

namespace sqrtdk {

// 16 differs from 0 in a type of the half format, which nothing here computes with.
static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16,
              "sqrtdk needs float and double to be computed as such: no x87, use -mfpmath=sse");
static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<float>::digits == 24 &&
                  std::numeric_limits<double>::is_iec559 &&
                  std::numeric_limits<double>::digits == 53,
              "sqrtdk needs float to be binary32 and double to be binary64");

/// While it lives, this thread rounds to nearest, keeps subnormal numbers and does not trap, as a
/// program does when it starts. Libraries with -ffast-math, torch.set_flush_denormal and
/// feenableexcept change that.
class DefaultFloatEnvironment {
 public:
  /// Keeps the environment of this thread, and sets the default one.
  DefaultFloatEnvironment() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  /// Sets the environment that was kept; floating-point exceptions raised meanwhile are forgotten.
  ~DefaultFloatEnvironment() { std::fesetenv(&before_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;  ///< not to be copied
  /// Not to be assigned.
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  std::fenv_t before_;
};

}  // namespace sqrtdk
