#include <sqrtdk/score.hpp>
#include <sqrtdk/variants/scores.hpp>

#include "properties/support/rational_distributions.hpp"
#include "properties/variants/fixture.hpp"

namespace sqrtdk::properties::KernelView {

using Vector = std::vector<Rational>;

struct Subject {
  Rational (*distance)(const Vector&, const Vector&, const Rational&) = sqrtdk::kernel_exponent;
  Rational (*factor)(const Vector&, const Rational&) = sqrtdk::key_factor_exponent;
};

Vector drawn_vector(std::size_t d, const char* name) {
  Vector x;
  for (std::size_t i = 0; i < d; ++i) x.push_back(*any_rational().as(name));
  return x;
}

//! [KernelView]
STATEMENT(KernelView, ScoresAreDistancesAndLengths) {
  for_all([&] {
    const auto root = *rc::gen::inRange<std::size_t>(1, 4).as("root of d");
    const Vector q = drawn_vector(root * root, "q");
    const Vector k = drawn_vector(root * root, "k"), other = drawn_vector(root * root, "k'");
    const Rational h2(root);
    const auto log_weight = [&](const Vector& key) {
      return Rational(subject.factor(key, h2) - subject.distance(q, key, h2));
    };
    // q·k/√d is that and the same factor of the query; so differences of scores are its own.
    EXPECT_EXACTLY(dot_product(q, k) / h2 == log_weight(k) + key_factor_exponent(q, h2));
    EXPECT_EXACTLY((dot_product(q, k) - dot_product(q, other)) / h2 ==
                   log_weight(k) - log_weight(other));
  });
}
//! [KernelView]
KILLS("the bandwidth is the root of d", {.distance = [](auto& q, auto& k, auto& h2) {
        return kernel_exponent(q, k, Rational(h2 * h2));
      }});
KILLS("the kernel is not halved", {.distance = [](auto& q, auto& k, auto& h2) {
        return kernel_exponent(q, k, Rational(h2 / 2));
      }});
KILLS("the lengths of keys do not count", {.factor = [](auto&, auto&) { return Rational(0); }});

//! [KernelView: exact check]
STATEMENT(KernelView, TheWorkedCaseOfFourDimensions) {
  const Vector q = {1, 1, 0, 0}, k = {2, 0, 0, 1};
  EXPECT_EXACTLY(subject.distance(q, k, 2) == Rational(3, 4));
  EXPECT_EXACTLY(subject.factor(k, 2) == Rational(5, 4));
  EXPECT_EXACTLY(dot_product(q, k) == 2);
  // The key that is nearest to q is not the one with the greatest score.
  const Vector near = {1}, far = {3};
  EXPECT_EXACTLY(subject.distance({1}, near, 1) < subject.distance({1}, far, 1));
  EXPECT_EXACTLY(dot_product({1}, near) < dot_product({1}, far));
  enumerated(5);
}
//! [KernelView: exact check]
KILLS("the kernel is that of the sum", {.distance = [](auto& q, auto& k, auto& h2) {
        Vector opposite;
        for (const Rational& entry : k) opposite.push_back(-entry);
        return kernel_exponent(q, opposite, h2);
      }});
KILLS("the factor is not halved",
      {.factor = [](auto& k, auto& h2) { return 2 * key_factor_exponent(k, h2); }});

ASIDE(KernelView, RefusesABandwidthOfZero) {
  expect_refusal<std::domain_error>([&] { return subject.distance({1}, {1}, 0); });
  expect_refusal<std::domain_error>([&] { return subject.factor({1}, 0); });
  expect_refusal<std::invalid_argument>([&] { return subject.distance({1}, {1, 2}, 1); });
}
KILLS("a bandwidth of 0 is taken",
      {.distance = [](auto& q, auto& k,
                      auto& h2) { return h2 == 0 ? Rational(0) : kernel_exponent(q, k, h2); },
       .factor = [](auto& k,
                    auto& h2) { return h2 == 0 ? Rational(0) : key_factor_exponent(k, h2); }});

}  // namespace sqrtdk::properties::KernelView
