// The change of a score by the first step, relative to d = 4: descent and signs, √d and d.
#include <sqrtdk/learning.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "docs/figures/figure.hpp"

#include <vector>

using namespace sqrtdk;

namespace {

/// The change of a score by the first step in the claim's example: the tokens of two keys k and −k
/// are 1 and −1, that of the query is 1, q and k have d entries of size 1, q·k = 0, the slopes are
/// 1 and −1, and the rate is 1/8.
Rational first_change(int d, int divisor, StepRule rule) {
  const RationalMatrix query = RationalMatrix::Ones(d, 1);
  RationalMatrix key = query;
  key.topRows(d / 2) *= Rational(-1);
  const RationalVector one = RationalVector::Ones(1);
  RationalMatrix tokens(1, 2);
  tokens << 1, -1;  // so that the keys are k and −k
  return score_changes({query, key, one, tokens, Rational(1, divisor)}, tokens.transpose(),
                       Rational(1, 8), rule)[0];
}

}  // namespace

const sqrtdk::figures::Figure learning_first_steps_figure("learning_first_steps", [] {
  std::vector<std::vector<double>> rows;
  for (const int root : {2, 4, 8, 16, 32}) {
    const int d = root * root;
    rows.push_back({double(d)});
    for (const StepRule rule : {StepRule::descent, StepRule::sign})
      for (const bool by_root : {true, false}) {
        const Rational first = first_change(4, by_root ? 2 : 4, rule);
        const Rational ratio = first_change(d, by_root ? root : d, rule) / first;
        rows.back().push_back(ratio.convert_to<double>());
      }
  }
  sqrtdk::testing::write_figure_data(
      "learning_first_steps",
      {"d", "descent_by_root", "descent_by_d", "signs_by_root", "signs_by_d"}, rows);
});
