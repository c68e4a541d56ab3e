// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The ledger: every probability with which correct code may fail, added up exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sqrtdk::testing {

/// The allowance of one test: a number of risks, each of failing on right code with probability
/// 2^−exponent. A risk is a statistical check, with its false-alarm probability α, or an assertion
/// on random numbers that correct code may fail, as that a check rejects a wrong one (its β).
struct LedgerEntry {
  std::string_view test;  ///< full name of the test, `Suite.Test`
  std::uint64_t risks;    ///< the number of risks, at least 1
  unsigned exponent;      ///< −log₂ of the probability of each, from 1 to ledger_resolution
};

/// Probabilities are added up as whole multiples of 2^−ledger_resolution.
inline constexpr unsigned ledger_resolution = 62;

/// The union bound Σ risks·2^−exponent on the probability that any test of a correct project fails
/// by chance, whatever the dependence between the risks.
/// \param entries the ledger of a project.
/// \return the bound as a multiple of 2^−ledger_resolution; exact, or the largest 64-bit number if
///         it is at least 4.
/// \throws std::invalid_argument if an entry is not valid or a test stands there twice; a ledger
///         that is a constant does not compile then.
/// \implements{UnionBound}
/// \relatesalso LedgerEntry
constexpr std::uint64_t union_bound(std::span<const LedgerEntry> entries);

/// True if the union bound is at most 2^−exponent; made for `static_assert`.
/// \throws std::invalid_argument as union_bound(), or if the exponent is above ledger_resolution.
/// \relatesalso LedgerEntry
constexpr bool spends_at_most(std::span<const LedgerEntry> entries, unsigned exponent);

/// The ledger of this program; empty until a main function sets it.
/// \relatesalso LedgerEntry
std::span<const LedgerEntry>& active_ledger();

/// The number of risks in a ledger and their total, as a line to print: `12 risks of chance;
/// correct code fails by any of them with probability at most 3/2^28 = 1.1e-08`.
/// \throws std::invalid_argument as union_bound().
/// \relatesalso LedgerEntry
std::string summary(std::span<const LedgerEntry> entries);

namespace detail {

/// The entry of the running test; null if the ledger has none.
const LedgerEntry* entry_of_running_test();

}  // namespace detail

/// The α of the next statistical check of the running test; counts that check.
/// \throws std::logic_error if the test has no entry, or has taken all its risks already.
double alpha_of_next_check();

/// The probability of the next assertion's failing on correct code, for which its author sizes the
/// sample; counts that assertion.
/// \throws std::logic_error if the test has no entry, or has taken all its risks already.
/// \implements{RepeatedRisks}
double chance_of_next_assertion();

constexpr std::uint64_t union_bound(std::span<const LedgerEntry> entries) {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LedgerEntry& entry = entries[i];
    if (entry.test.empty()) throw std::invalid_argument("an entry of the ledger names no test");
    if (entry.risks == 0)
      throw std::invalid_argument("an entry of the ledger has 0 risks; remove it");
    if (entry.exponent == 0 || entry.exponent > ledger_resolution)
      throw std::invalid_argument("an exponent in the ledger is not between 1 and 62");
    for (std::size_t j = 0; j < i; ++j)
      if (entries[j].test == entry.test)
        throw std::invalid_argument("a test stands in the ledger twice; add up its risks");
    //! [UnionBound]
    const std::uint64_t chance = std::uint64_t{1} << (ledger_resolution - entry.exponent);
    if (entry.risks > (largest - total) / chance) return largest;
    total += entry.risks * chance;
    //! [UnionBound]
  }
  return total;
}

constexpr bool spends_at_most(std::span<const LedgerEntry> entries, unsigned exponent) {
  if (exponent > ledger_resolution)
    throw std::invalid_argument("the limit of a ledger is below what it can count");
  return union_bound(entries) <= std::uint64_t{1} << (ledger_resolution - exponent);
}

}  // namespace sqrtdk::testing
