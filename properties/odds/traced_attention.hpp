// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Attention of one query, of which every rounding can be moved.
#pragma once

#include <sqrtdk/attention_odds.hpp>

#include "properties/odds/fixture.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sqrtdk::properties {

inline namespace chapter_odds {

/// What a rounding is: by how many u it may err, and whether that has a direction of its own.
struct TracedRounding {
  double units;
  bool certain;
};

/// Attention as a kernel computes it that has every rounding of the claim, each an error of our choice.
class TracedAttention {
 public:
  TracedAttention(const AttentionCase<double>& input, const SoftmaxArithmetic& arithmetic)
      : x_(input), a_(arithmetic) {
    errors_.assign(1000, 0);
    output();
    errors_.assign(roundings_.size(), 0);
  }

  const std::vector<TracedRounding>& roundings() const { return roundings_; }

  /// The output if some roundings err.
  Extended with(const std::vector<Extended>& errors) {
    errors_ = errors;
    return output();
  }

  /// The derivative of the output by rounding r, times its units.
  Extended slope(std::size_t r) {
    const Extended h = 1e-6L;
    errors_.assign(roundings_.size(), 0);
    errors_[r] = h;
    const Extended up = output();
    errors_[r] = -h;
    return (up - output()) / (2 * h) * static_cast<Extended>(roundings_[r].units);
  }

 private:
  Extended rounded(Extended x, double units = 1, bool certain = false) {
    roundings_.push_back({units, certain});
    return x * (1 + errors_[roundings_.size() - 1]);
  }

  Extended output() {
    roundings_.clear();
    const double u = a_.unit_roundoff, D = a_.quotient_roundings;
    const Index m = x_.keys.rows(), d = x_.keys.cols();
    const Extended f = x_.options.scale.value_or(1);
    const bool folded = a_.scale_roundings > 2;
    const double step_s = std::max(a_.scores.step / u, 1.0),
                 step_o = std::max(a_.outputs.step / u, 1.0);
    const Extended scale = rounded(f, a_.scale_roundings - (folded ? 2 : 1), true);
    std::vector<Extended> q, s, w;
    for (Index l = 0; l < d; ++l)
      q.push_back(folded ? rounded(x_.queries(0, l)) : Extended(x_.queries(0, l)));
    Extended size = 0, top = 0;
    for (Index j = 0; j < m; ++j) {
      Extended sum = 0;
      for (Index l = 0; l < d; ++l) {
        const Extended key = folded ? rounded(x_.keys(j, l)) : Extended(x_.keys(j, l));
        const Extended product = rounded(q[static_cast<std::size_t>(l)] * key);
        sum = l == 0 ? product : rounded(sum + product, step_s);
      }
      sum = rounded(scale * sum);
      const Extended scaled = sum;
      if (x_.options.bias) sum = rounded(sum + (*x_.options.bias)(0, j));
      if (a_.score_roundings > 0)
        sum = rounded(sum, a_.score_roundings * a_.score_format.roundoff / u *
                               static_cast<double>(std::max(std::abs(scaled / sum), Extended(1))));
      s.push_back(sum);
      top = j == 0 ? sum : std::max(top, sum);
      size = std::max(size, std::abs(sum));
    }
    Extended total = 0, before = 0, after = 0;
    for (Index j = 0; j < m; ++j) {
      Extended t = rounded(s[static_cast<std::size_t>(j)] - top);
      t = rounded(t, a_.exp_argument_error, true);
      t += size * (rounded(1, a_.score_products, true) - 1);
      w.push_back(rounded(std::exp(t), a_.exp_error, true));
      if (a_.sums_stored) w.back() = rounded(w.back(), a_.weight_roundoff / u);
      total = j == 0 ? w.back() : rounded(total + w.back());
    }
    for (Index j = 0; j < m; ++j) {
      Extended p = w[static_cast<std::size_t>(j)] / total;
      for (int k = 0; k < D; ++k) p = rounded(p);
      if (a_.weight_roundoff > 0 && !a_.sums_stored) p = rounded(p, a_.weight_roundoff / u);
      const Extended product = rounded(p * static_cast<Extended>(x_.values(j, 0)));
      before = j == 0 ? product : rounded(before + product, step_o);
    }
    after = before;
    for (int k = 0; k < D; ++k) after = rounded(after);
    return after;
  }

  AttentionCase<double> x_;
  SoftmaxArithmetic a_;
  std::vector<Extended> errors_;
  std::vector<TracedRounding> roundings_;
};

}  // namespace chapter_odds

}  // namespace sqrtdk::properties
