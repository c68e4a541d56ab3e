// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/testing/statistics/run_test.hpp>

#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <string>

namespace sqrtdk::testing {

void detail::refuse_sample(std::size_t size, std::size_t needed, const std::string& effect,
                           ErrorRates rates) {
  throw std::invalid_argument("there are " + std::to_string(size) + " draws, but " +
                              std::to_string(needed) + " are needed to see a " + effect +
                              " with alpha = " + exact_text(rates.alpha) +
                              " and beta = " + exact_text(rates.beta));
}

std::ostream& operator<<(std::ostream& out, const TestResult& finding) {
  return out << (finding.rejected ? "the draws contradict the law\n"
                                  : "the draws do not contradict the law\n")
             << "  law       " << finding.law << '\n'
             << "  check     " << finding.method << '\n'
             << "  observed  " << finding.observed << '\n'
             << "  p-value   " << format_significant(finding.p_value, 4)
             << (finding.rejected ? " <= alpha = " : " > alpha = ")
             << exact_text(finding.rates.alpha) << '\n'
             << "  n         " << finding.n << '\n'
             << "  sees      " << finding.effect_text << " (missed with probability "
             << exact_text(finding.rates.beta) << "); what is less wrong may pass\n";
}

}  // namespace sqrtdk::testing
