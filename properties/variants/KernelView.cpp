// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/variants_scores.hpp>

#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <stdexcept>
#include <vector>

namespace sqrtdk::properties::KernelView {

using namespace sqrtdk::testing;

using Vector = std::vector<Rational>;

/// The logarithms of a kernel and of the factor beside it.
struct Kernel {
  Rational (*distance)(const Vector&, const Vector&, const Rational&) = sqrtdk::kernel_exponent;
  Rational (*factor)(const Vector&, const Rational&) = sqrtdk::key_factor_exponent;
};

const std::vector<Mutant<Kernel>> kernel_view_mutants = {
    {"the bandwidth is the root of d",
     "ScoresAreDistancesAndLengths",
     {.distance = [](const Vector& q, const Vector& k,
                     const Rational& h2) { return kernel_exponent(q, k, Rational(h2 * h2)); }}},
    {"the kernel is not halved",
     "ScoresAreDistancesAndLengths",
     {.distance = [](const Vector& q, const Vector& k,
                     const Rational& h2) { return kernel_exponent(q, k, Rational(h2 / 2)); }}},
    {"the lengths of keys do not count",
     "ScoresAreDistancesAndLengths",
     {.factor = [](const Vector&, const Rational&) { return Rational(0); }}},
    {"the kernel is that of the sum",
     "TheWorkedCaseOfFourDimensions",
     {.distance =
          [](const Vector& q, const Vector& k, const Rational& h2) {
            Vector opposite;
            for (const Rational& entry : k) opposite.push_back(-entry);
            return kernel_exponent(q, opposite, h2);
          }}},
    {"the factor is not halved",
     "TheWorkedCaseOfFourDimensions",
     {.factor = [](const Vector& k, const Rational& h2) -> Rational {
       return 2 * key_factor_exponent(k, h2);
     }}},
    {"a bandwidth of 0 is taken",
     "RefusesABandwidthOfZero",
     {.distance =
          [](const Vector& q, const Vector& k, const Rational& h2) {
            return h2 == 0 ? Rational(0) : kernel_exponent(q, k, h2);
          },
      .factor =
          [](const Vector& k, const Rational& h2) {
            return h2 == 0 ? Rational(0) : key_factor_exponent(k, h2);
          }}},
};

Vector drawn_vector(std::size_t d, const char* name) {
  Vector x;
  for (std::size_t i = 0; i < d; ++i) x.push_back(*any_rational().as(name));
  return x;
}

//! [KernelView]
TEST(KernelView, ScoresAreDistancesAndLengths) {
  check_statement(kernel_view_mutants, [](const Kernel& kernel) {
    for_all([&] {
      const auto root = *rc::gen::inRange<std::size_t>(1, 4).as("root of d");
      const Vector q = drawn_vector(root * root, "q");
      const Vector k = drawn_vector(root * root, "k"), other = drawn_vector(root * root, "k'");
      const Rational h2(root);
      const auto log_weight = [&](const Vector& key) {
        return Rational(kernel.factor(key, h2) - kernel.distance(q, key, h2));
      };
      // q·k/√d is that and the same factor of the query; so differences of scores are its own.
      EXPECT_EXACTLY(dot_product(q, k) / h2 == log_weight(k) + key_factor_exponent(q, h2));
      EXPECT_EXACTLY((dot_product(q, k) - dot_product(q, other)) / h2 ==
                     log_weight(k) - log_weight(other));
    });
  });
}
//! [KernelView]

//! [KernelView: exact check]
TEST(KernelView, TheWorkedCaseOfFourDimensions) {
  check_statement(kernel_view_mutants, [](const Kernel& kernel) {
    const Vector q = {1, 1, 0, 0}, k = {2, 0, 0, 1};
    EXPECT_EXACTLY(kernel.distance(q, k, 2) == Rational(3, 4));
    EXPECT_EXACTLY(kernel.factor(k, 2) == Rational(5, 4));
    EXPECT_EXACTLY(dot_product(q, k) == 2);
    // The key that is nearest to q is not the one with the greatest score.
    const Vector near = {1}, far = {3};
    EXPECT_EXACTLY(kernel.distance({1}, near, 1) < kernel.distance({1}, far, 1));
    EXPECT_EXACTLY(dot_product({1}, near) < dot_product({1}, far));
    enumerated(5);
  });
}
//! [KernelView: exact check]

TEST(KernelView, RefusesABandwidthOfZero) {
  check_with_mutants(kernel_view_mutants, [](const Kernel& kernel) {
    expect_refusal<std::domain_error>([&] { return kernel.distance({1}, {1}, 0); });
    expect_refusal<std::domain_error>([&] { return kernel.factor({1}, 0); });
    expect_refusal<std::invalid_argument>([&] { return kernel.distance({1}, {1, 2}, 1); });
  });
}

}  // namespace sqrtdk::properties::KernelView
