// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The statistical checks on a distribution that has nothing to do with attention.
///
/// A shop claims that the third customer of the day arrives after a gamma distributed time of shape
/// 3 and mean 36 minutes. Two simulations of it are tested: one adds three exponential waiting
/// times, the other takes the rate for the scale.
#include <sqrtdk/testing/statistics/run_test.hpp>

#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>

#include <cmath>
#include <iostream>

using namespace sqrtdk::testing;

//! [outside distribution]
double third_arrival(Stream& stream) {
  const boost::math::exponential waiting(1.0 / 12);  // one customer every 12 minutes
  return draw(waiting, stream) + draw(waiting, stream) + draw(waiting, stream);
}

double third_arrival_as_if_normal(Stream& stream) {
  return draw(boost::math::normal(3 * 12, std::sqrt(3 * 12 * 12)), stream);
}

int main() {
  const CdfCheck check(boost::math::gamma_distribution(3.0, 12.0), "gamma of shape 3 and scale 12");
  const ErrorRates rates{.alpha = 0x1p-30, .beta = 0x1p-30};
  const double effect = 0.05;  // any distribution that differs by 5 percentage points somewhere
  const std::size_t n = sample_size(check, rates, effect);

  Stream stream = stream_of(20170612, "outside distribution");
  const auto right = draws(n, third_arrival, stream);
  const auto wrong = draws(n, third_arrival_as_if_normal, stream);

  const TestResult of_right = run_test(check, right, rates.alpha, {effect, rates.beta});
  const TestResult of_wrong = run_test(check, wrong, rates.alpha, {effect, rates.beta});
  std::cout << of_right << '\n' << of_wrong;
  return !of_right.rejected && of_wrong.rejected ? 0 : 1;
}
//! [outside distribution]
