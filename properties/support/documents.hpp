// A test's notes on the three documents, beside the numbers and words that it compares.
#pragma once

#include <sqrtdk/testing/reporting/evidence.hpp>

#include <string>

namespace sqrtdk::properties {

/// Notes whether what a document says was decided by this run, which may go either way.
/// \param document `S1`, `S2` or `S3`.
/// \param words    the words, as the document has them.
/// \param decided  what the test found; if false, the passage with these words is called undecided.
inline void decides(const std::string& document, const std::string& words, bool decided) {
  testing::evidence().add_line(decided ? "agrees" : "undecided", document + "\t" + words);
}

}  // namespace sqrtdk::properties
