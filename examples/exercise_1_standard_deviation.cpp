// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Exercise 1: how large are the unscaled scores for d = 512?
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/statistics/run_test.hpp>

#include <boost/random/normal_distribution.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

//! [draw]
/// The sums q₁k₁, q₁k₁ + q₂k₂, … of a random query and a random key; the last one is their score.
std::vector<double> growing_score(std::size_t d, Stream& stream) {
  boost::random::normal_distribution<double> entry;  // mean 0, variance 1
  std::vector<double> sums;
  double sum = 0;
  for (std::size_t i = 0; i < d; ++i) sums.push_back(sum += entry(stream) * entry(stream));
  return sums;
}
//! [draw]

//! [exact]
/// Var q·k for entries −1 and 1 with equal chances, from the probability of every score. No
/// formula for the variance is used, and nothing is rounded.
Rational variance_of_signs(std::size_t d) {
  const RationalDistribution sign = RationalDistribution::uniform({-1, 1});
  return variance(dot_product_distribution(sign, sign, d));
}
//! [exact]

int main() {
  Stream stream = stream_of(1, "exercise 1");
  bool right = true;
  std::puts("  d   deviation   Var, signs   within one deviation   e^deviation");
  for (const std::size_t d : {8U, 64U, 512U}) {
    const double deviation = dot_product_standard_deviation(d);
    const Rational exact = variance_of_signs(d);
    const double within = 2 * central_cdf(score(static_cast<double>(d)), deviation);
    std::printf("%3zu   %9.6f   %10s   %19.1f %%   %11.3g\n", d, deviation, exact.str().c_str(),
                100 * within, std::exp(deviation));
    right = right && exact == d;
  }

  //! [check]
  // The distribution says how many scores lie within one deviation. Do random queries and keys
  // agree?
  const double deviation = dot_product_standard_deviation(512);
  const CountCheck check(2 * central_cdf(score(512), deviation));
  const ErrorRates rates{.alpha = 0x1p-30,
                         .beta = 0x1p-30};  // of a false alarm, of missing the effect
  const double effect = 0.05;  // what a deviation that is wrong by a tenth would change
  Count inside{.successes = 0, .trials = sample_size(check, rates, effect)};
  for (std::size_t i = 0; i < inside.trials; ++i)
    if (std::abs(growing_score(512, stream).back()) <= deviation) ++inside.successes;
  const TestResult result = run_test(check, inside, rates.alpha, {effect, rates.beta});
  //! [check]
  std::printf("\nof %zu random scores for d = 512, %zu lie within %.3f of 0: %.1f %%\n",
              inside.trials, inside.successes, deviation,
              100.0 * static_cast<double>(inside.successes) / static_cast<double>(inside.trials));

  std::vector<std::vector<double>> walks;
  for (int walk = 0; walk < 40; ++walk) {
    const std::vector<double> sums = growing_score(512, stream);
    walks.push_back({0, 0});
    for (std::size_t i = 8; i <= sums.size(); i += 8)
      walks.push_back({static_cast<double>(i), sums[i - 1]});
    walks.emplace_back();  // ends a curve
  }
  write_figure_data("score_walks", {"terms", "sum"}, walks);

  if (!right) std::puts("wrong: the exact variance is not d");
  if (result.rejected) std::puts("wrong: random scores do not follow the distribution");
  return right && !result.rejected ? 0 : 1;
}
