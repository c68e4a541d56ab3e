// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Attention of one query, of which every rounding can be moved.
#pragma once

#include "properties/odds/fixture.hpp"

namespace sqrtdk::properties {

inline namespace chapter_odds {

/// Attention as a kernel computes it that has every rounding of the claim, each an error of our choice.
struct TracedAttention {
  struct Rounding {
    double units;      ///< by how many u it may err
    bool certain;      ///< whether that has a direction of its own
    double slope = 0;  ///< the derivative of the output by it, times its units
  };

  TracedAttention(const AttentionCase<double>& input, const SoftmaxArithmetic& arithmetic)
      : x(input), a(arithmetic), exact(with({})), roundings(met) {
    std::vector<Extended> errors(roundings.size(), 0);
    for (std::size_t r = 0; r < errors.size(); ++r) {
      const Extended h = 1e-6L;
      const auto at = [&](Extended error) { return errors[r] = error, with(errors); };
      roundings[r].slope = static_cast<double>((at(h) - at(-h)) / (2 * h)) * roundings[r].units;
      errors[r] = 0;
    }
  }

  /// The output if the first roundings err so.
  Extended with(const std::vector<Extended>& errors) {
    met.clear();
    const auto rounded = [&](Extended number, double units = 1, bool certain = false) {
      met.push_back({units, certain});
      return met.size() <= errors.size() ? number * (1 + errors[met.size() - 1]) : number;
    };
    const double u = a.unit_roundoff, stored = a.score_format.roundoff / u;
    const bool folded = a.scale_roundings > 2;
    const auto taken = [&](double entry) { return folded ? rounded(entry) : Extended(entry); };
    const Extended scale =
        rounded(x.options.scale.value_or(1), a.scale_roundings - (folded ? 2 : 1), true);
    const Index m = x.keys.rows(), d = x.keys.cols();
    ColumnOf<Extended> q(d), s(m), w(m);
    for (Index l = 0; l < d; ++l) q[l] = taken(x.queries(0, l));
    for (Index j = 0; j < m; ++j) {
      for (Index l = 0; l < d; ++l) {
        const Extended product = rounded(q[l] * taken(x.keys(j, l)));
        s[j] = l == 0 ? product : rounded(s[j] + product, std::max(a.scores.step / u, 1.0));
      }
      const Extended scaled = s[j] = rounded(scale * s[j]);
      if (x.options.bias) s[j] = rounded(s[j] + (*x.options.bias)(0, j));
      const auto larger = static_cast<double>(std::max<Extended>(std::abs(scaled / s[j]), 1));
      if (a.score_roundings > 0) s[j] = rounded(s[j], a.score_roundings * stored * larger);
    }
    const Extended top = s.maxCoeff(), size = s.cwiseAbs().maxCoeff();
    Extended total = 0, output = 0;
    for (Index j = 0; j < m; ++j) {
      Extended t = rounded(rounded(s[j] - top), a.exp_argument_error, true);
      t += size * (rounded(1, a.score_products, true) - 1);
      w[j] = rounded(std::exp(t), a.exp_error, true);
      if (a.sums_stored) w[j] = rounded(w[j], a.weight_roundoff / u);
      total = j == 0 ? w[j] : rounded(total + w[j]);
    }
    for (Index j = 0; j < m; ++j) {
      Extended p = w[j] / total;
      for (unsigned k = 0; k < a.quotient_roundings; ++k) p = rounded(p);
      if (a.weight_roundoff > 0 && !a.sums_stored) p = rounded(p, a.weight_roundoff / u);
      const Extended product = rounded(p * static_cast<Extended>(x.values(j, 0)));
      output = j == 0 ? product : rounded(output + product, std::max(a.outputs.step / u, 1.0));
    }
    for (unsigned k = 0; k < a.quotient_roundings; ++k) output = rounded(output);
    return output;
  }

  const AttentionCase<double> x;
  const SoftmaxArithmetic a;
  std::vector<Rounding> met;
  const Extended exact;             ///< the output if nothing errs
  std::vector<Rounding> roundings;  ///< in their order
};

}  // namespace chapter_odds

}  // namespace sqrtdk::properties
