// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What a statistical check costs: planning it, drawing for it, and testing the draws.
#include <sqrtdk/testing/statistics/run_test.hpp>

#include <benchmark/benchmark.h>
#include <boost/math/distributions/normal.hpp>

#include <cstddef>
#include <vector>

namespace {

using namespace sqrtdk::testing;
using boost::math::normal;

constexpr ErrorRates rates{0x1p-30, 0x1p-30};

/// One random 64-bit number.
void philox(benchmark::State& state) {
  Stream stream = stream_of(1, "bench");
  for (auto _ : state) benchmark::DoNotOptimize(stream());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(philox);

/// One draw of N(0, 1) by its quantile.
void normal_draw(benchmark::State& state) {
  Stream stream = stream_of(1, "bench");
  const normal distribution;
  for (auto _ : state) benchmark::DoNotOptimize(draw(distribution, stream));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(normal_draw);

/// How many draws a check needs.
template <class Check>
void plan(benchmark::State& state, const Check& check, double effect) {
  for (auto _ : state) benchmark::DoNotOptimize(sample_size(check, rates, effect));
  state.counters["n"] = static_cast<double>(sample_size(check, rates, effect));
}
BENCHMARK_CAPTURE(plan, mean_quarter_sigma, MeanCheck(normal()), 0.25);
BENCHMARK_CAPTURE(plan, variance_twice, VarianceCheck(normal()), 2.0);
BENCHMARK_CAPTURE(plan, count_five_points, CountCheck(0.25), 0.05);
BENCHMARK_CAPTURE(plan, distribution_six_points, CdfCheck(normal(), "N(0, 1)"), 0.062);

/// A whole check: plan, draw, test.
template <class Check>
void whole(benchmark::State& state, const Check& check, double effect) {
  Stream stream = stream_of(1, "bench");
  const normal distribution;
  std::size_t n = 0;
  for (auto _ : state) {
    n = sample_size(check, rates, effect);
    const auto sampler = [&](Stream& source) {
      if constexpr (std::same_as<Check, CountCheck>)
        return uniform(source) < 0.25;
      else
        return draw(distribution, source);
    };
    const auto sample = draw_sample<Check>(n, sampler, stream);
    benchmark::DoNotOptimize(run_test(check, sample, rates.alpha, {effect, rates.beta}));
  }
  state.counters["n"] = static_cast<double>(n);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n));
}
BENCHMARK_CAPTURE(whole, mean_quarter_sigma, MeanCheck(normal()), 0.25);
BENCHMARK_CAPTURE(whole, variance_twice, VarianceCheck(normal()), 2.0);
BENCHMARK_CAPTURE(whole, count_five_points, CountCheck(0.25), 0.05);
BENCHMARK_CAPTURE(whole, distribution_six_points, CdfCheck(normal(), "N(0, 1)"), 0.062);

}  // namespace

BENCHMARK_MAIN();
