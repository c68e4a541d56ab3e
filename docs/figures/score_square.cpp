// The square of a score multiplied out, as a grid: row i, column j is the term of qᵢkᵢqⱼkⱼ.
#include <sqrtdk/score.hpp>
#include <sqrtdk/score/square.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "docs/figures/figure.hpp"

#include <cstddef>
#include <vector>

using namespace sqrtdk;

const sqrtdk::figures::Figure score_square_figure("score_square", [] {
  // Fair signs: mean 0, variance 1.
  const RationalDistribution sign = RationalDistribution::uniform({-1, 1});
  std::vector<std::vector<double>> rows;
  for (const std::size_t d : {3U, 64U}) {
    const std::vector<Monomial> terms = expand_square(d);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) {
        const Monomial& term = terms[i * d + j];
        rows.push_back({static_cast<double>(i + 1), static_cast<double>(j + 1),
                        term.is_square() ? 1.0 : 0.0,
                        static_cast<double>(term_mean(term, sign, sign))});
      }
    rows.insert(rows.end(), 2, {});  // ends a grid
  }
  sqrtdk::testing::write_figure_data("score_square", {"i", "j", "square", "mean"}, rows);
});
