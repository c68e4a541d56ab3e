// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the claims of chapter \ref kernels share.
#pragma once

#include <sqrtdk/accumulator.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax_arithmetic.hpp>
#include <sqrtdk/testing/generators/emulated_kernel.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/reporting/expect_worst.hpp>
#include <sqrtdk/testing/reporting/mutant_run.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sqrtdk::properties {

inline namespace chapter_kernels {

using namespace sqrtdk::testing;

using Rationals = std::vector<Rational>;

/// γ_k, exactly.
inline Rational gamma(double k, const Rational& u) {
  const Rational part = Rational(k) * u;
  return part / (1 - part);
}

/// A search from a fixed seed; a mutant that it is to kill dies soon.
inline Search searched(std::size_t evaluations) {
  return {.seed = 30, .evaluations = checking_a_mutant() ? evaluations / 4 : evaluations};
}

/// What is declared of a kernel, and the kernel: one of them is wrong in a mutant.
struct Declared {
  std::function<SoftmaxArithmetic(SoftmaxArithmetic)> arithmetic = [](const auto& a) { return a; };
  std::function<EmulatedKernel(EmulatedKernel)> kernel = [](const auto& k) { return k; };

  /// How near an emulated output comes to its bound.
  Outcome output(const EmulatedKernel& emulated, const AttentionCase<float>& input) const {
    return output_law<float>(kernel(emulated), input, arithmetic(emulated.arithmetic));
  }
  /// How near emulated weights come to theirs.
  Outcome weights(const EmulatedKernel& emulated, const std::vector<float>& scores) const {
    return accuracy_law<float>(kernel(emulated), scores, 1, arithmetic(emulated.arithmetic));
  }
};

/// One query that sees keys by given scores, with values.
inline AttentionCase<float> with_scores(const std::vector<float>& scores,
                                        const std::vector<float>& values) {
  AttentionCase<float> input;
  input.queries = Matrix<float>::Ones(1, 1);
  input.keys = sqrtdk::testing::detail::as_vector(scores);
  input.values = sqrtdk::testing::detail::as_vector(values);
  return input;
}

/// Which cases of attention an adversary tries: entries up to a size.
inline InputSpace<float> attention_space(float most, std::size_t keys = 8) {
  return {.axes = {{'n', 1, 1}, {'m', 1, keys}, {'d', 1, 4}, {'v', 1, 2}},
          .arrays = {{"Q", "nd", -most, most}, {"K", "md", -most, most}, {"V", "mv", -16, 16}}};
}

/// Expects that a search finds no emulated output beyond its bound, and records how near it came.
inline void expect_outputs_within(const Declared& declared, const EmulatedKernel& kernel,
                                  const InputSpace<float>& space, const std::string& prefix,
                                  std::size_t evaluations = 1000) {
  const auto law = [&](const Arrays<float>& x) {
    return declared.output(kernel, {x.matrix("Q"), x.matrix("K"), x.matrix("V"), {}, {}});
  };
  expect_bound_holds(worst_case(space, searched(evaluations), law), prefix);
}

}  // namespace chapter_kernels

}  // namespace sqrtdk::properties
