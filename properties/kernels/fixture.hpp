// Code shared by the claims of chapter \ref kernels.
#pragma once

#include <sqrtdk/attention_error/weight_errors.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/generators/emulated_kernel.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include "properties/support/outcomes.hpp"

#include <Eigen/Core>

namespace sqrtdk::properties {
inline namespace chapter_kernels {

using namespace sqrtdk::testing;

using List = std::vector<double>;

/// The declarations of sums and kernels, and the kernel itself: one of them is changed in a mutant.
struct Subject {
  std::function<void(Accumulator&)> of_sums = [](Accumulator&) {};
  std::function<void(SoftmaxArithmetic&)> of_kernels = [](SoftmaxArithmetic&) {};
  std::function<void(EmulatedKernel&)> changes = [](EmulatedKernel&) {};

  Accumulator accumulator(Accumulator by) const { return of_sums(by), by; }
  SoftmaxArithmetic arithmetic(SoftmaxArithmetic a) const { return of_kernels(a), a; }
  EmulatedKernel kernel(EmulatedKernel k) const { return changes(k), k; }

  AttentionWeightErrors errors(const List& scores, double off, const SoftmaxArithmetic& a) const {
    return weight_errors(column(scores), off, arithmetic(a));
  }
  Outcome output(const EmulatedKernel& k, const AttentionCase<float>& input) const {
    return output_law<float>(kernel(k), input, arithmetic(k.arithmetic));
  }
  Outcome weights(const EmulatedKernel& k, const std::vector<float>& scores) const {
    return accuracy_law<float>(kernel(k), scores, 1, arithmetic(k.arithmetic));
  }
  static Eigen::Matrix<Wide, Eigen::Dynamic, 1> column(const List& scores) {
    return sqrtdk::testing::detail::as_vector(scores).cast<Wide>();
  }
};

inline Subject sums(std::function<void(Accumulator&)> change) {
  return {.of_sums = std::move(change)};
}
inline Subject declares(std::function<void(SoftmaxArithmetic&)> change) {
  return {.of_kernels = std::move(change)};
}
inline Subject emulates(std::function<void(EmulatedKernel&)> change) {
  return {.changes = std::move(change)};
}

inline Rational gamma(double k, const Rational& u) {
  return Rational(k) * u / (1 - Rational(k) * u);
}

inline const SoftmaxArithmetic plain = arithmetic_of<float>().any_order();
inline const FormatLimits bfloat16_limits = format_limits<Eigen::bfloat16>();

inline AttentionCase<float> with_scores(const std::vector<float>& scores,
                                        const std::vector<float>& values) {
  return {Matrix<float>::Ones(1, 1),
          sqrtdk::testing::detail::as_vector(scores),
          sqrtdk::testing::detail::as_vector(values),
          {},
          {}};
}

// ---- Searches ----

/// A search from a fixed seed; a mutant that it is to kill dies soon.
inline Search searched(std::size_t evaluations) {
  return {.seed = 30, .evaluations = checking_a_mutant() ? evaluations / 4 : evaluations};
}

/// The directions of the errors of a kernel that errs the most: a list again and again.
inline std::vector<float> ways;
inline std::size_t next_way = 0;
inline int next_of_ways() { return ways[next_way++ % ways.size()] > 0 ? 1 : -1; }

/// Expects that a search finds nothing beyond its bound, and records how near it came: for a kernel
/// that rounds to nearest, and for one that errs the most, among the ways in which it does. The law
/// is a callable `Outcome(const EmulatedKernel&, const Arrays<float>&)`.
template <class Law>
void expect_within(EmulatedKernel kernel, InputSpace<float> space, const std::string& prefix,
                   std::size_t evaluations, const Law& law) {
  evidence().rests_on(EvidenceLevel::bounded);
  const auto rounded = [&](const Arrays<float>& x) { return law(kernel, x); };
  expect_bound_holds(worst_case(space, searched(evaluations), rounded), prefix + "nearest_");
  space.axes.push_back({'w', 40, 97});
  space.arrays.emplace_back("ways", "w", -1, 1);
  kernel.way = &next_of_ways;
  const auto erring = [&](const Arrays<float>& x) {
    ways = x.list("ways");
    next_way = 0;
    return law(kernel, x);
  };
  expect_bound_holds(worst_case(space, searched(evaluations), erring), prefix);
}

inline void expect_outputs_within(const Subject& subject, const EmulatedKernel& kernel, float most,
                                  const std::string& prefix, std::size_t evaluations = 400) {
  const InputSpace<float> space{
      .axes = {{'n', 1, 1}, {'m', 1, 8}, {'d', 1, 3}, {'v', 1, 2}},
      .arrays = {{"Q", "nd", -most, most}, {"K", "md", -most, most}, {"V", "mv", -16, 16}}};
  expect_within(kernel, space, prefix, evaluations, [&](const auto& by, const Arrays<float>& x) {
    return subject.output(by, {x.matrix("Q"), x.matrix("K"), x.matrix("V"), {}, {}});
  });
}

inline void expect_weights_within(const Subject& subject, const EmulatedKernel& kernel, float most,
                                  const std::string& prefix) {
  const InputSpace<float> space{.axes = {{'n', 1, 8}}, .arrays = {{"scores", "n", -most, most}}};
  expect_within(kernel, space, prefix, 600, [&](const auto& by, const Arrays<float>& x) {
    return subject.weights(by, x.list("scores"));
  });
}

// ---- The formulas of the page ----

/// This chapter's terms for scores that are off by so much, in fifty digits.
struct PageTerms {
  Wide u, k, r, v, m, E, A, L, H, sum = 0, mean = 0;

  PageTerms(const List& scores, double off, const SoftmaxArithmetic& a)
      : u(a.unit_roundoff),
        k(a.score_products + (a.weight_offset > 0 ? 1 : 0)),
        r(1 + a.exp_argument_error + k),
        v(r * u / (1 - r * u)),
        m(*std::max_element(scores.begin(), scores.end())) {
    for (const double s : scores) sum += exp(s - m);
    for (const double s : scores) mean += exp(s - m) / sum * (m - s);
    // Rounded products move scores, and moved scores make the exponential worse.
    const bool is_one = scores.size() == 1 && !a.by_lse;
    const Wide shift = (a.weight_offset + a.lag) * log(Wide(2));
    const Wide moved = (1 + 4 * r * u) * u * (k * (abs(m) + off) + 2 * r * shift);
    E = (is_one ? 0 : off) + moved;
    A = a.exp_error + r * (4 * E + (exp(Wide(2 * E)) - 1) * log(Wide(scores.size()))) / 2;
    L = 1 + a.depth_of_underflow + 2 * E;
    H = k > 0 ? Wide(exp(E) * (1 + 2 * a.exp_error * u)) : Wide(1);
  }
};

struct PageWeights {
  std::vector<Wide> rho, plus;
};

/// A second route to weight_errors(), of which it uses nothing on purpose: \ref WeightsOfRoundedScores
/// with what this chapter adds, for weights that are quotients.
inline PageWeights weights_of_the_page(const List& scores, double off, const SoftmaxArithmetic& a) {
  const auto [u, k, r, v, m, E, A, L, H, sum, mean] = PageTerms(scores, off, a);
  const std::size_t n = scores.size();
  const Wide eta = H * a.smallest;
  const Wide stored = H * a.weight_smallest * pow(Wide(2), -static_cast<int>(a.weight_offset));
  const Wide theta = (A + r * (1 + L)) * u;

  // The part that the sum lacks, the part that was rounded in it, and the cost of its rescalings.
  const Wide cut = Wide(a.exp_cut - a.smallest) / (1 + v) - 2 * E - a.lag * log(Wide(2));
  Wide lost = 0;
  for (const double s : scores)
    if (m - s >= cut) lost += exp(Wide(2 * E)) * exp(s - m) / sum;
  const Wide y = a.sums_stored ? Wide(a.weight_roundoff + n * stored) : Wide(0);
  const Wide B = a.most_rescalings(n), h = a.sum_depth(n);
  const Wide common = (r * mean + h + 2 * A + B * (A + 1) + a.quotient_roundings) * u +
                      4 * n * (B + 1) * (A + 2) * eta + lost / (1 - lost) + y / (1 - y);
  const bool kept = lost == 0 || (lost < 0.5 && cut >= exp(Wide(2 * E)) * mean);
  const bool promised = kept && y < 0.5 && common + theta < 0.5;

  PageWeights weights;
  for (const double s : scores) {
    const Wide t = m - s, p = exp(-t) / sum, c = r * t * u + common;
    const Wide of_softmax = t > L ? Wide(0) : Wide(c / (1 - c - theta));
    const Wide least = a.rescales_outputs ? 3 * (B + 1) * u : u;
    Wide rho = std::max<Wide>((1 + of_softmax) * exp(Wide(2 * E)) - 1, least);
    Wide plus = p + (A + 2) * eta / u + (t >= cut ? Wide(p / rho) : Wide(0));
    if (a.weight_roundoff > 0) {
      rho += a.weight_roundoff * (1 + rho);
      plus += stored / (2 * a.weight_roundoff);
    }
    weights.rho.push_back(promised ? rho : Wide(vacuous_bound));
    weights.plus.push_back(plus);
  }
  return weights;
}

/// Expects the page's bounds, for drawn arithmetics and scores of all kinds up to a size.
template <class Drawn>
void expect_page(const Subject& subject, double largest, const Drawn& drawn) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all([&] {
    const SoftmaxArithmetic a = drawn();
    const List scores =
        *vectors<double>({.longest = 9, .entries = {.largest = largest}}).as("scores");
    const double off = *rc::gen::element(0.0, 0x1p-30, 0x1p-9, 0x1p-4).as("E");
    const AttentionWeightErrors errors = subject.errors(scores, off, a);
    const PageWeights page = weights_of_the_page(scores, off, a);
    for (std::size_t j = 0; j < scores.size(); ++j) {
      const double rho = errors.relative(static_cast<Eigen::Index>(j));
      const double error = rho * errors.weights(static_cast<Eigen::Index>(j));
      // A computed bound may be +∞ as soon as the formula is close to it.
      if (page.rho[j] > 0x1p10) continue;
      RC_ASSERT(is_raised(rho, page.rho[j], 4));
      RC_ASSERT(is_raised(error, Wide(page.rho[j] * page.plus[j]), 8));
    }
  });
}

}  // namespace chapter_kernels
}  // namespace sqrtdk::properties
