// The cost of the distribution of the score, against boost::math::gamma_q(d/2, x), against
// integrating the density, and against simulating q·k. point_by_point/… report, as counters, the
// median, 95th percentile and maximum of the ratio to gamma_q(d/2, x) over the same random points.
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/distributions/score_sampler.hpp>

#include <benchmark/benchmark.h>
#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/random/normal_distribution.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace {

using boost::math::complement;

double score_tail(double d, double x) { return cdf(complement(sqrtdk::score(d), x)); }
double gamma_tail(double d, double x) { return boost::math::gamma_q(d / 2, x); }

/// ∫ₓ^∞ f by exp-sinh quadrature, f by Boost's Bessel function; for moderate d only.
double quadrature_tail(double d, double x) {
  const double nu = (d - 1) / 2;
  const double scale = 1 / (boost::math::constants::root_pi<double>() * boost::math::tgamma(d / 2));
  static boost::math::quadrature::exp_sinh<double> integrator;
  return integrator.integrate([&](double t) {
    const double y = x + t;
    return y > 700 ? 0 : scale * std::pow(y / 2, nu) * boost::math::cyl_bessel_k(nu, y);
  });
}

class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : engine_(seed) {}
  double operator()() { return std::ldexp(static_cast<double>(engine_() >> 11), -53); }

 private:
  std::mt19937_64 engine_;
};

using Point = std::pair<double, double>;

/// Half of the points near the centre, the others with tails down to 1e-300.
std::vector<Point> draw_points(std::size_t count, const std::function<double(double)>& dimension) {
  Uniform uniform(20261);
  std::vector<Point> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double d = dimension(uniform());
    const double exponent = 690 * uniform();
    const double central = std::sqrt(d) * std::exp2(-6 + 8 * uniform());
    const double tail = std::sqrt(2 * d * exponent + exponent * exponent);
    points.emplace_back(d, uniform() < 0.5 ? central : tail);
  }
  return points;
}

/// Nanoseconds per call at one point: the fastest of several short runs.
template <class Function>
double cost(const Function& function, const Point& at) {
  using Clock = std::chrono::steady_clock;
  constexpr int calls = 40;
  double fastest = 1e300;
  for (int run = 0; run < 5; ++run) {
    double d = at.first;
    double x = at.second;
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) {
      benchmark::DoNotOptimize(d);
      benchmark::DoNotOptimize(x);
      benchmark::DoNotOptimize(function(d, x));
    }
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    fastest = std::min(fastest, time.count() / calls);
  }
  return fastest;
}

void point_by_point(benchmark::State& state, double (*dimension)(double)) {
  const auto points = draw_points(1000, dimension);
  std::vector<double> ratios;
  for (auto _ : state) {
    ratios.clear();
    for (const auto& at : points) ratios.push_back(cost(score_tail, at) / cost(gamma_tail, at));
  }
  std::sort(ratios.begin(), ratios.end());
  state.counters["median"] = ratios[ratios.size() / 2];
  state.counters["p95"] = ratios[ratios.size() * 95 / 100];
  state.counters["max"] = ratios.back();
}

double any_dimension(double u) { return 0.5 * std::pow(2e9, u); }
double integer_dimension(double u) { return std::round(std::pow(4096, u)); }
double head_dimension(double u) { return std::exp2(std::floor(4 + 6 * u)); }

BENCHMARK_CAPTURE(point_by_point, any_d_to_1e9, any_dimension)->Iterations(1);
BENCHMARK_CAPTURE(point_by_point, integers_to_4096, integer_dimension)->Iterations(1);
BENCHMARK_CAPTURE(point_by_point, powers_of_two_16_to_512, head_dimension)->Iterations(1);

/// One call at x = z √d; arguments d and 10 z.
template <double (*function)(double, double)>
void tail_at(benchmark::State& state) {
  auto d = static_cast<double>(state.range(0));
  double x = static_cast<double>(state.range(1)) / 10 * std::sqrt(d);
  for (auto _ : state) {
    benchmark::DoNotOptimize(d);
    benchmark::DoNotOptimize(x);
    benchmark::DoNotOptimize(function(d, x));
  }
}

void grid(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t d : {1, 3, 17, 64, 65, 128, 1000, 1'000'000, 1'000'000'000})
    for (const std::int64_t z : {10, 100}) benchmark->Args({d, z});
}

BENCHMARK_TEMPLATE(tail_at, score_tail)->Apply(grid);
BENCHMARK_TEMPLATE(tail_at, gamma_tail)->Apply(grid);
BENCHMARK_TEMPLATE(tail_at, quadrature_tail)->Args({3, 10})->Args({17, 10})->Args({65, 10});

void quantile_at(benchmark::State& state) {
  const sqrtdk::score score(static_cast<double>(state.range(0)));
  double p = std::pow(10, -static_cast<double>(state.range(1)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(p);
    benchmark::DoNotOptimize(quantile(score, p));
  }
}
BENCHMARK(quantile_at)->ArgsProduct({{3, 64, 1000, 1'000'000}, {1, 10, 300}});

void draw_score(benchmark::State& state) {
  std::mt19937_64 engine(1);
  const sqrtdk::score_sampler<> sampler(static_cast<double>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(sampler(engine));
}
BENCHMARK(draw_score)->Arg(1)->Arg(2)->Arg(4)->Arg(64)->Arg(4096)->Arg(1'000'000'000);

void simulate_score(benchmark::State& state) {
  std::mt19937_64 engine(1);
  boost::random::normal_distribution<double> normal;
  for (auto _ : state) {
    double sum = 0;
    for (std::int64_t i = 0; i < state.range(0); ++i) sum += normal(engine) * normal(engine);
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(simulate_score)->Arg(4)->Arg(64)->Arg(4096);

}  // namespace

BENCHMARK_MAIN();
