#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/testing/statistics/run_test.hpp>

#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <string>

namespace sqrtdk::testing {

void detail::refuse_sample(std::size_t size, std::size_t needed, const std::string& effect,
                           ErrorRates rates) {
  const std::string draws = "there are " + std::to_string(size) + " draws, ";
  const std::string enough = std::to_string(needed);
  const std::string at =
      " with alpha = " + exact_text(rates.alpha) + " and beta = " + exact_text(rates.beta);
  throw std::invalid_argument(
      size < needed ? draws + "but " + enough + " are needed to see a " + effect + at
                    : draws + "which miss a " + effect + at + " too often; " + enough + " do not");
}

void detail::require_p_value(double p_value, const std::string& method) {
  sqrtdk::detail::require_in("the p-value of the check '" + method + "'", p_value, 0, 1);
}

std::ostream& operator<<(std::ostream& out, const TestResult& result) {
  return out << (result.rejected ? "the draws contradict the distribution\n"
                                 : "the draws do not contradict the distribution\n")
             << "  expected  " << result.distribution << '\n'
             << "  check     " << result.method << '\n'
             << "  observed  " << result.observed << '\n'
             << "  p-value   " << format_significant(result.p_value, 4)
             << (result.rejected ? " <= alpha = " : " > alpha = ") << exact_text(result.rates.alpha)
             << '\n'
             << "  n         " << result.n << '\n'
             << "  sees      " << result.effect_text << " (missed with probability "
             << exact_text(result.rates.beta) << "); what is less wrong may pass\n";
}

}  // namespace sqrtdk::testing
