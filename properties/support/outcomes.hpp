// Checks that hold the outcome of a law to its bound, in a property and outside of one.
#pragma once

#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>

namespace sqrtdk::testing {

/// Notes which part of a bound an error is; the bounds themselves are of very different size.
inline void note_ratio(const Outcome& outcome) {
  if (outcome.bound > 0) evidence().worst(outcome.error / outcome.bound, 1);
}

/// Fails the running property, and says by which input and how far.
[[noreturn]] inline void fail_property(const Outcome& outcome) {
  std::ostringstream text;
  text << outcome;
  RC_FAIL(text.str());
}

/// Fails the property unless a law was kept, by a bound that says something; notes error and bound.
inline void require_kept(const Outcome& outcome) {
  if (outcome.vacuous || !outcome.holds()) fail_property(outcome);
  evidence().worst(outcome.error, outcome.bound);
}

/// Fails the running property unless a law was kept, as users are told to; one whose bound says
/// nothing is drawn again, so that it is not counted. Notes which part of the bound the error is.
inline void require_law(const Outcome& outcome) {
  evidence().rests_on(EvidenceLevel::bounded);
  if (!outcome.holds()) fail_property(outcome);
  RC_PRE(!outcome.vacuous);
  note_ratio(outcome);
}

/// Expects that a law was kept, outside of a property, by a bound that says something.
inline void expect(const Outcome& outcome) {
  evidence().rests_on(EvidenceLevel::bounded);
  evidence().add_value();
  EXPECT_FALSE(outcome.vacuous) << outcome;
  EXPECT_TRUE(outcome.holds()) << outcome;
  if (outcome.holds()) note_ratio(outcome);
}

/// Expects a law kept, and counts the case as enumerated unless its bound says nothing.
inline void expect_law(const Outcome& outcome) {
  EXPECT_TRUE(outcome.holds()) << outcome;
  if (outcome.vacuous) return;
  expect(outcome);
  enumerated(1);
}

}  // namespace sqrtdk::testing
