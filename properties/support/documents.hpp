// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What a test notes of the three documents beside the numbers and words that it compares.
#pragma once

#include <sqrtdk/testing/reporting/evidence.hpp>

#include <string>

namespace sqrtdk::properties {

/// Notes that a document states the claim without a hypothesis that this test shows to be needed.
/// \param document   `S1`, `S2` or `S3`.
/// \param hypothesis its name, as it stands in bold on the claim's page.
inline void left_out_by(const std::string& document, const std::string& hypothesis) {
  testing::evidence().add_line("left_out_by", document + "\t" + hypothesis);
}

/// Notes that a document says vaguely what the claim makes precise by a hypothesis.
///
/// Unlike left_out_by() it does not find fault.
/// \param document   `S1`, `S2` or `S3`.
/// \param hypothesis its name, as it stands in bold on the claim's page.
inline void sharpens(const std::string& document, const std::string& hypothesis) {
  testing::evidence().add_line("sharpens", document + "\t" + hypothesis);
}

/// Notes whether what a document says was decided by this run, which may go either way.
/// \param document `S1`, `S2` or `S3`.
/// \param words    the words, as the document has them.
/// \param decided  what the test found; if false, the passage with these words is called undecided.
inline void decides(const std::string& document, const std::string& words, bool decided) {
  testing::evidence().add_line(decided ? "agrees" : "undecided", document + "\t" + words);
}

}  // namespace sqrtdk::properties
