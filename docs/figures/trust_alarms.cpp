// The rate of alarms of checks of a true distribution, against the rate that they state.
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "docs/figures/figure.hpp"

#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <vector>

using namespace sqrtdk::testing;

/// The p-values of a check of a true distribution, one a run: it is alarmed at every α from there
/// on.
template <class Check, class Distribution>
std::vector<double> p_values(const Check& check, const Distribution& distribution, std::size_t n,
                             Stream& stream) {
  return draws(
      16384,
      [&](Stream& source) {
        const auto sample = draws(
            n, [&](Stream& bits) { return draw(distribution, bits); }, source);
        return check.p_value(check.statistic(sample), n);
      },
      stream);
}

/// The same for the comparison of two samples that \ref MissingRootOfTwo rebuilds, without the
/// factor √2: ten bins of 2000 labels ±1 each, from a uniformly random arrangement; the greatest
/// mean label is compared with erf⁻¹(1 − 2α/10) / √2000.
std::vector<double> p_values_without_root_of_two(Stream& stream) {
  std::vector<double> values;
  for (int run = 0; run < 4096; ++run) {
    int left = 10000, places = 20000, most = 0;
    for (int bin = 0; bin < 10; ++bin) {
      int sum = 0;
      for (int label = 0; label < 2000; ++label, --places) {
        const bool plus = uniform(stream) * places < left;
        left -= plus ? 1 : 0;
        sum += plus ? 1 : -1;
      }
      most = std::max(most, std::abs(sum));
    }
    values.push_back(5 * std::erfc(most / std::sqrt(2000.0)));
  }
  return values;
}

const sqrtdk::figures::Figure trust_alarms_figure("trust_alarms", [] {
  const boost::math::normal normal;
  const boost::math::exponential exponential;
  std::array<Stream, 4> streams;
  for (std::size_t i = 0; i < streams.size(); ++i)
    streams[i] = stream_of(1, "figure trust_alarms", i);
  const std::array<std::vector<double>, 4> all = {
      p_values(MeanCheck(normal), normal, 16, streams[0]),
      p_values(VarianceCheck(normal), normal, 16, streams[1]),
      p_values(CdfCheck(exponential, "exponential(1)"), exponential, 64, streams[2]),
      p_values_without_root_of_two(streams[3])};
  std::vector<std::vector<double>> rows;
  for (double power = -10; power <= -1; power += 0.25) {
    const double alpha = std::exp2(power);
    rows.push_back({alpha});
    for (const std::vector<double>& values : all) {
      const auto alarms = std::ranges::count_if(values, [&](double p) { return p <= alpha; });
      rows.back().push_back(static_cast<double>(alarms) / static_cast<double>(values.size()));
    }
  }
  write_figure_data("trust_alarms",
                    {"alpha", "mean", "variance", "distribution", "without_root_of_two"}, rows);
});
