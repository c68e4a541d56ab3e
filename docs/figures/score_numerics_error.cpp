// The relative error of tail probabilities of scores, in epsilons, from one half to 10⁻³⁰⁰.
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "docs/figures/figure.hpp"
#include "properties/score_distribution/reference.hpp"

#include <cmath>
#include <vector>

using namespace sqrtdk;
using boost::math::complement;

const sqrtdk::figures::Figure score_numerics_error_figure("score_numerics_error", [] {
  std::vector<std::vector<double>> rows;
  for (const double d : {1.0, 64.0, 1e6}) {
    const score distribution(d);
    for (int power = 1; power <= 300; power += 2) {
      const double x = quantile(complement(distribution, std::pow(10.0, -power)));
      const double error = reference::error_in_epsilons(cdf(complement(distribution, x)),
                                                        reference::point_at(d, x).tail);
      rows.push_back({static_cast<double>(power), error, score_precision::cdf});
    }
    rows.insert(rows.end(), 2, {});  // ends a dimension
  }
  sqrtdk::testing::write_figure_data("score_numerics_error", {"digits", "error", "bound"}, rows);
});
