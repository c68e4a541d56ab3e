// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The ledger: every probability of a false alarm of a project, added up exactly.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sqrtdk/testing/evidence.hpp"

namespace sqrtdk::testing {

/// What one test may spend: a number of checks, each with false-alarm probability α = 2^−exponent.
struct LedgerEntry {
  std::string_view test;    ///< full name of the test, `Suite.Test`
  std::uint64_t checks;     ///< how many statistical checks it makes, at least 1
  unsigned alpha_exponent;  ///< −log₂ α, from 1 to ledger_resolution
};

/// Probabilities are added up as whole multiples of 2^−ledger_resolution.
inline constexpr unsigned ledger_resolution = 62;

/// The union bound Σ checks·2^−exponent on the probability that any check of a correct project
/// raises a false alarm, whatever the dependence between checks.
/// \param entries the ledger of a project.
/// \return the bound as a multiple of 2^−ledger_resolution; exact, or the largest 64-bit number if
///         it is at least 4.
/// \throws std::invalid_argument if an entry is not valid or a test stands there twice; a ledger
///         that is a constant does not compile then.
constexpr std::uint64_t union_bound(std::span<const LedgerEntry> entries);

/// Whether the union bound is at most 2^−exponent; made for `static_assert`.
constexpr bool spends_at_most(std::span<const LedgerEntry> entries, unsigned exponent);

/// The ledger of this program; empty until run() or a main function of your own sets it.
std::span<const LedgerEntry>& active_ledger();

/// How many checks a ledger has and what they spend together, as a line to print:
/// `12 statistical checks; a false alarm in any of them has probability at most 3/2^28 = 1.1e-08`.
std::string summary(std::span<const LedgerEntry> entries);

/// The α of the next statistical check of the running test; counts that check.
/// \throws std::logic_error if the test has no entry, or has made all its checks already.
double alpha_of_next_check();

// ------------------------------------------------------------------------------------------------

constexpr std::uint64_t union_bound(std::span<const LedgerEntry> entries) {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LedgerEntry& entry = entries[i];
    if (entry.test.empty()) throw std::invalid_argument("an entry of the ledger names no test");
    if (entry.checks == 0)
      throw std::invalid_argument("an entry of the ledger has 0 checks; remove it");
    if (entry.alpha_exponent == 0 || entry.alpha_exponent > ledger_resolution)
      throw std::invalid_argument("an exponent in the ledger is not between 1 and 62");
    for (std::size_t j = 0; j < i; ++j)
      if (entries[j].test == entry.test)
        throw std::invalid_argument("a test stands in the ledger twice; add up its checks");
    //! [UnionBound]
    const std::uint64_t alpha = std::uint64_t{1} << (ledger_resolution - entry.alpha_exponent);
    if (entry.checks > (largest - total) / alpha) return largest;
    total += entry.checks * alpha;
    //! [UnionBound]
  }
  return total;
}

constexpr bool spends_at_most(std::span<const LedgerEntry> entries, unsigned exponent) {
  if (exponent > ledger_resolution)
    throw std::invalid_argument("the limit of a ledger is below what it can count");
  return union_bound(entries) <= std::uint64_t{1} << (ledger_resolution - exponent);
}

inline std::span<const LedgerEntry>& active_ledger() {
  static std::span<const LedgerEntry> ledger;
  return ledger;
}

inline std::string summary(std::span<const LedgerEntry> entries) {
  std::uint64_t checks = 0;
  for (const LedgerEntry& entry : entries) checks += entry.checks;
  if (checks == 0) return "no statistical checks";
  const std::uint64_t bound = union_bound(entries);
  const unsigned halvings = static_cast<unsigned>(std::countr_zero(bound));
  std::ostringstream text;
  text << checks << " statistical checks; a false alarm in any of them has probability at most "
       << (bound >> halvings) << "/2^" << ledger_resolution - halvings << " = "
       << std::setprecision(2)
       << std::ldexp(static_cast<double>(bound), -static_cast<int>(ledger_resolution));
  return text.str();
}

inline double alpha_of_next_check() {
  const std::string test = current_test_name();
  for (const LedgerEntry& entry : active_ledger()) {
    //! [RepeatedRisks]
    if (entry.test != test) continue;
    if (evidence().checks() >= entry.checks)
      throw std::logic_error(test + " makes more than the " + std::to_string(entry.checks) +
                             " statistical checks that the ledger allows it: enter how many there "
                             "are, so that its sum stays true");
    const double alpha = std::ldexp(1.0, -static_cast<int>(entry.alpha_exponent));
    evidence().add_check(alpha);
    return alpha;
    //! [RepeatedRisks]
  }
  throw std::logic_error(test +
                         " makes a statistical check, but the ledger has no entry for it: "
                         "add {\"" +
                         test + "\", number of checks, exponent of 1/alpha}");
}

}  // namespace sqrtdk::testing
