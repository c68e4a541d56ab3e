/// \file
/// \brief Reads lines "d x", prints for each P(q·k > x) in dimension d and the nanoseconds that it took.
/// tests/bench/run_score_tail compares them with what SciPy and mpmath say.
#include <sqrtdk/distributions/score_distribution.hpp>

#include <boost/math/distributions/complement.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>

int main() {
  using Clock = std::chrono::steady_clock;
  constexpr int calls = 200;
  constexpr int runs = 5;
  std::cout.precision(std::numeric_limits<double>::max_digits10);
  for (double d, x; std::cin >> d >> x;) {
    double tail = 0;
    double fastest = std::numeric_limits<double>::infinity();
    for (int run = 0; run < runs; ++run) {
      const auto start = Clock::now();
      for (int i = 0; i < calls; ++i) {
        volatile double here = x;
        tail = cdf(boost::math::complement(sqrtdk::score(d), double(here)));
      }
      const std::chrono::duration<double, std::nano> time = Clock::now() - start;
      fastest = std::min(fastest, time.count() / calls);
    }
    std::cout << tail << ' ' << fastest << '\n';
  }
}
