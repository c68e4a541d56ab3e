// The cost of scaling beside the products QKᵀ: timed in turn, so that only their ratio counts.
#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention/operations.hpp>

#include <Eigen/Core>
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>

namespace {

using Clock = std::chrono::steady_clock;
using Matrix = Eigen::MatrixXf;

template <class Action>
double seconds(Action action) {
  const auto start = Clock::now();
  action();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The time of n·m divisions of scores, and of n·d of queries, as parts of that of the products;
/// beside them the parts that counting gives.
/// \param state the number of queries, which is that of keys, and the head dimension.
void scaling_beside_products(benchmark::State& state) {
  const Eigen::Index n = state.range(0);
  const Eigen::Index d = state.range(1);
  const Matrix queries = Matrix::Random(n, d);
  const Matrix keys = Matrix::Random(n, d);
  const float root = std::sqrt(static_cast<float>(d));
  Matrix scores(n, n);
  Matrix folded(n, d);
  double products = 0;
  double scaling = 0;
  double folding = 0;
  for (auto _ : state) {
    products += seconds([&] {
      scores.noalias() = queries * keys.transpose();
      benchmark::DoNotOptimize(scores.data());
    });
    scaling += seconds([&] {
      scores /= root;
      benchmark::DoNotOptimize(scores.data());
    });
    folding += seconds([&] {
      folded = queries / root;
      benchmark::DoNotOptimize(folded.data());
    });
  }
  const auto counted = [&](sqrtdk::ScalePlace place) {
    const auto width = static_cast<std::uint64_t>(d);
    return sqrtdk::scaling_share(static_cast<std::uint64_t>(n), width, place).convert_to<double>();
  };
  state.counters["scaling"] = scaling / products;
  state.counters["counted"] = counted(sqrtdk::ScalePlace::scores);
  state.counters["folding"] = folding / products;
  state.counters["folding_counted"] = counted(sqrtdk::ScalePlace::queries);
}
BENCHMARK(scaling_beside_products)
    ->ArgNames({"n", "d"})
    ->ArgsProduct({{128, 512, 2048}, {16, 64, 128}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
