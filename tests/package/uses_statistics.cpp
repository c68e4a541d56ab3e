#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/run_test.hpp>
#include <sqrtdk/testing/statistics/sample_size.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <boost/math/distributions/normal.hpp>

#include <cstddef>
#include <iostream>

// Draws of N(0, 1) have variance 1, and do not have variance 2.
int main() {
  using namespace sqrtdk::testing;
  const boost::math::normal standard;
  const VarianceCheck right(standard);
  const VarianceCheck wrong(boost::math::normal(0, 2));
  const DetectableEffect declared{.effect = 2};
  const std::size_t n = sample_size(right, {0x1p-30, declared.beta}, declared.effect);
  Stream stream = stream_of(default_master_seed, "uses_statistics");
  const auto sample = draw_sample<VarianceCheck>(
      n, [&](Stream& s) { return draw(standard, s); }, stream);
  const TestResult result = run_test(right, sample, 0x1p-30, declared);
  std::cout << result;
  return !result.rejected && run_test(wrong, sample, 0x1p-30, declared).rejected ? 0 : 1;
}
