// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The evidence of a test, kept in the ordinary GoogleTest result.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace sqrtdk::testing {

/// The level of a test's evidence, from the strongest to the weakest.
enum class EvidenceLevel {
  exact,        ///< equality in exact arithmetic
  bounded,      ///< in floating point, within a derived bound
  measured,     ///< in floating point, within a constant that was measured and is not derived
  statistical,  ///< consistent with an exact distribution, at stated error rates
  empirical,    ///< an experiment, with an interval
  cited         ///< facts about the world outside, read in a source and typed with a reference
};

/// The name of a level, as it stands in results.
std::string_view name(EvidenceLevel level);

/// The evidence of one test: its level, cases, bounds, refusals. A test that does nothing has none.
class Evidence {
 public:
  /// Says that the test rests on something of a level; the weakest of all counts.
  /// \param level any but exact, which only a comparison of exact values gives: EXPECT_EXACTLY(),
  ///              or expect_printed() and expect_misprinted() of a rational number.
  /// \throws std::invalid_argument if it is exact.
  /// \throws std::logic_error if it is measured and the test has drawn numbers: those of the master
  ///         seed, which such a test does not follow (active_seed()).
  void rests_on(EvidenceLevel level);

  /// The weakest level that the test rests on; none if it neither said nor did anything.
  std::optional<EvidenceLevel> level() const { return level_; }

  /// True if anything was compared, tried, drawn or held to a bound.
  bool shows_something() const;

  /// True if an error was held to a bound.
  bool has_bound() const { return bound_ > 0; }

  /// True if every bound that worst() noted is finite, and no error beyond it.
  bool keeps_its_bounds() const { return bounds_are_finite_ && worst_error_ <= bound_; }

  /// True if a property ended with no case that compared anything that the kit knows of.
  bool has_idle_property() const { return has_idle_property_; }

  /// True if nothing has been said, done or recorded yet.
  bool is_empty() const;

  /// True if the test rests on a constant that was measured and is not derived.
  bool rests_on_measurement() const { return rests_on_measurement_; }

  /// Adds a comparison of exact values; for the assertions that the compiler holds to exact types.
  void add_exact_comparison();

  /// Adds a value that was compared with what it must be, or be near to; nothing in for_all().
  void add_value();

  /// The number of comparisons, bounds and refusals by the kit's own assertions, in for_all() too.
  std::uint64_t comparisons() const { return comparisons_; }

  /// Adds a call that refused its arguments, or should have.
  void add_refusal();

  /// The number of calls that were to refuse their arguments.
  std::uint64_t refusals() const { return refusals_; }

  /// Says that a check begins, and whether it is one of the statement of its claim.
  void begin_check(bool of_the_statement);

  /// True if a check has begun: not so in evidence that a test has put instead of its own.
  bool is_of_a_check() const { return is_of_a_check_; }

  /// The subject of the test: `statement`, `counterexample`, `refusal`, or `beside` the statement.
  std::string_view about() const;

  /// Adds random cases that held, and those that were discarded because a precondition failed.
  void add_cases(std::uint64_t held, std::uint64_t discarded);

  /// The same where the kit knows how many compared anything, which an exact test counts alone.
  void add_cases(std::uint64_t held, std::uint64_t discarded, std::uint64_t comparing);

  /// Adds a property that failed because something was thrown in it that is no failed assertion.
  void add_exception() { ++exceptions_; }

  /// The number of properties that failed so.
  std::uint64_t exceptions() const { return exceptions_; }

  /// The number of random cases recorded: of an exact test those that compared something.
  std::uint64_t cases() const;

  /// Adds cases of a complete enumeration.
  void add_enumerated(std::uint64_t count);

  /// Notes an error beside its bound; the nearest stays. One beyond it fails, as does a bound of ∞.
  /// \param error at least 0.
  /// \param bound at least 0, finite, in the unit of the error; one of 0 notes nothing.
  void worst(double error, double bound);

  /// Appends a line to a list, such as `counterexample` or `agrees`.
  void add_line(const std::string& key, const std::string& line);

  /// True if anything is recorded by this name.
  bool has(const std::string& key) const { return fields_.contains(key); }

  /// Sets a single value.
  void set(const std::string& key, const std::string& value);

  /// The number of random streams that this test has opened; the number of the next one.
  std::uint64_t next_stream() { return streams_++; }

  /// Adds a statistical check, with its probability of a false alarm.
  void add_check(double alpha);

  /// Adds an assertion on random numbers, with the probability that it fails on correct code.
  void add_assertion(double chance);

  /// The number of risks of failing by chance that this test has taken.
  std::uint64_t risks() const { return risks_; }

  /// Writes everything into the result of the running test.
  void record();

 private:
  void weaken_to(EvidenceLevel level);

  std::optional<EvidenceLevel> level_;
  bool is_of_a_check_ = false;
  bool checks_the_statement_ = false;
  std::uint64_t values_ = 0;
  std::uint64_t comparisons_ = 0;
  std::uint64_t exceptions_ = 0;
  std::uint64_t refusals_ = 0;
  std::uint64_t cases_ = 0;
  std::uint64_t comparing_cases_ = 0;
  std::uint64_t discards_ = 0;
  std::uint64_t enumerated_ = 0;
  std::uint64_t streams_ = 0;
  std::uint64_t risks_ = 0;
  double alpha_ = 0;
  double chance_ = 0;
  double worst_error_ = 0;
  double bound_ = 0;
  bool bounds_are_finite_ = true;
  bool random_ = false;
  bool has_idle_property_ = false;
  bool rests_on_measurement_ = false;
  bool recorded_ = false;
  std::map<std::string, std::string> fields_;
};

/// The evidence that the running test collects; it begins anew with each test.
/// \relatesalso Evidence
Evidence& evidence();

/// The full name of the running test, `Suite.Test`.
std::string current_test_name();

/// The master seed of the running check: for a mutant mutant_seed(); default_master_seed if the
/// test rests on a constant that was measured, since nobody knows with which probability another
/// number exceeds it; otherwise master_seed().
/// \throws std::invalid_argument as mutant_seed() or master_seed().
std::uint64_t active_seed();

/// Notes how many cases a complete enumeration went through; nothing checks this number.
void enumerated(std::uint64_t count);

/// Notes that this test shows what fails without a hypothesis of its claim.
/// \param hypothesis its name, as it stands in bold on the claim's page.
void counterexample_without(const std::string& hypothesis);

/// Names a value that pages may quote as `\run{Suite.Test.name}`.
void record_value(const std::string& name, const std::string& value);

}  // namespace sqrtdk::testing
