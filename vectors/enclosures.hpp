// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Softmax and attention between rational numbers.
#pragma once

#include <sqrtdk/attention_pass.hpp>
#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>

#include "cases.hpp"
#include "number_formats.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sqrtdk::vectors {

using Enclosure = Interval<Rational>;

namespace detail {

/// e^x for x at most 0. Below −20000 it is taken for at most e^(−20000), no number of any format.
inline Enclosure decay(const Rational& lower, const Rational& upper) {
  static const Enclosure least{0, exp_enclosure(-20000).upper};
  return {lower < -20000 ? least.lower : exp_enclosure(lower).lower,
          upper < -20000 ? least.upper : exp_enclosure(upper).upper};
}

/// e^(sⱼ − M) of all scores, M the greatest upper end.
inline std::vector<Enclosure> exponentials(const std::vector<Enclosure>& scores) {
  Rational greatest = scores.front().upper;
  for (const Enclosure& score : scores) greatest = std::max(greatest, score.upper);
  std::vector<Enclosure> terms;
  for (const Enclosure& score : scores)
    terms.push_back(decay(score.lower - greatest, score.upper - greatest));
  return terms;
}

/// 1/√d, exact if that is rational.
inline Enclosure inverse_root(Eigen::Index d) {
  const Integer shifted = Integer(d) << 512;
  const Integer root = sqrt(shifted);
  const Integer unit = Integer(1) << 256;
  return {Rational(unit, root * root == shifted ? root : Integer(root + 1)), Rational(unit, root)};
}

}  // namespace detail

/// The weights of logits, each finite or −∞: least term over itself and the greatest others, and the
/// reverse.
inline std::vector<Enclosure> enclosed(const SoftmaxInput& input) {
  std::vector<Enclosure> scores;
  for (const double x : input.x) {
    if (std::isinf(x)) continue;
    const Rational score = Rational(x) / Rational(input.temperature);
    scores.push_back({score, score});
  }
  const std::vector<Enclosure> terms = detail::exponentials(scores);
  Enclosure sum{0, 0};
  for (const Enclosure& term : terms) sum = {sum.lower + term.lower, sum.upper + term.upper};
  std::vector<Enclosure> weights;
  std::size_t next = 0;
  for (const double x : input.x) {
    weights.push_back({0, 0});
    if (std::isinf(x)) continue;
    const Enclosure& term = terms[next++];
    weights.back() = {term.lower / (term.lower + (sum.upper - term.upper)),
                      term.upper / (term.upper + (sum.lower - term.lower))};
  }
  return weights;
}

/// The output of attention, row by row; 0 for a query that sees no key.
inline std::vector<Enclosure> enclosed(const AttentionInput& input) {
  const Eigen::Index n = input.queries.rows(), m = input.keys.rows(), d = input.queries.cols();
  const sqrtdk::detail::Visibility<double> sees(input.options, n, m);
  const Enclosure scale = input.options.scale ? Enclosure{Rational(*input.options.scale),
                                                          Rational(*input.options.scale)}
                                              : detail::inverse_root(d);
  std::vector<Enclosure> output;
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::vector<Eigen::Index> seen = sees.of(i);
    std::vector<Enclosure> scores;
    for (const Eigen::Index j : seen) {
      Rational dot = 0;
      for (Eigen::Index l = 0; l < d; ++l)
        dot += Rational(input.queries(i, l)) * Rational(input.keys(j, l));
      const Rational bias =
          input.options.bias ? Rational((*input.options.bias)(i, j)) : Rational(0);
      const Rational ends[] = {dot * scale.lower + bias, dot * scale.upper + bias};
      scores.push_back({std::min(ends[0], ends[1]), std::max(ends[0], ends[1])});
    }
    const std::vector<Enclosure> terms = seen.empty() ? scores : detail::exponentials(scores);
    for (Eigen::Index c = 0; c < input.values.cols(); ++c) {
      if (seen.empty()) {
        output.push_back({0, 0});
        continue;
      }
      Enclosure above{0, 0}, under{0, 0};
      Rational least = Rational(input.values(seen.front(), c)), greatest = least;
      for (std::size_t a = 0; a < seen.size(); ++a) {
        const Rational v = Rational(input.values(seen[a], c));
        const bool positive = v > 0;
        above.lower += v * (positive ? terms[a].lower : terms[a].upper);
        above.upper += v * (positive ? terms[a].upper : terms[a].lower);
        under = {under.lower + terms[a].lower, under.upper + terms[a].upper};
        least = std::min(least, v);
        greatest = std::max(greatest, v);
      }
      const Rational lower = above.lower / (above.lower > 0 ? under.upper : under.lower);
      const Rational upper = above.upper / (above.upper > 0 ? under.lower : under.upper);
      output.push_back({std::max(lower, least), std::min(upper, greatest)});
    }
  }
  return output;
}

}  // namespace sqrtdk::vectors
