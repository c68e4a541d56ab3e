#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/ledger.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>

namespace sqrtdk::testing {

std::span<const LedgerEntry>& active_ledger() {
  static std::span<const LedgerEntry> ledger;
  return ledger;
}

std::string summary(std::span<const LedgerEntry> entries) {
  std::uint64_t risks = 0;
  for (const LedgerEntry& entry : entries) risks += entry.risks;
  if (risks == 0) return "nothing here can fail by chance";
  const std::uint64_t bound = union_bound(entries);
  const unsigned halvings = static_cast<unsigned>(std::countr_zero(bound));
  std::ostringstream text;
  text << risks << " risks of chance; correct code fails by any of them with probability at most "
       << (bound >> halvings) << "/2^" << ledger_resolution - halvings << " = "
       << std::setprecision(2)
       << std::ldexp(static_cast<double>(bound), -static_cast<int>(ledger_resolution));
  return text.str();
}

const LedgerEntry* detail::entry_of_running_test() {
  const std::string test = current_test_name();
  for (const LedgerEntry& entry : active_ledger())
    if (entry.test == test) return &entry;
  return nullptr;
}

namespace {

/// The probability of the running test's next risk, which the caller counts.
double chance_of_next_risk() {
  const std::string test = current_test_name();
  //! [RepeatedRisks]
  const LedgerEntry* entry = detail::entry_of_running_test();
  if (entry == nullptr)
    throw std::logic_error(
        test + " may fail by chance, but the ledger has no entry for it: add {\"" + test +
        "\", number of risks, exponent of 1/probability} to it (that of "
        "sqrtdk's own tests is properties/support/false_alarms.hpp)");
  if (evidence().risks() >= entry->risks)
    throw std::logic_error(test + " takes more than the " + std::to_string(entry->risks) +
                           " risks that the ledger allows it: enter how many there are, so that "
                           "its sum stays true");
  return std::ldexp(1.0, -static_cast<int>(entry->exponent));
  //! [RepeatedRisks]
}

}  // namespace

double alpha_of_next_check() {
  const double alpha = chance_of_next_risk();
  evidence().add_check(alpha);
  return alpha;
}

double chance_of_next_assertion() {
  const double chance = chance_of_next_risk();
  evidence().add_assertion(chance);
  return chance;
}

}  // namespace sqrtdk::testing
