// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Checked-in inputs that once failed: their files, and how a property reads them.
///
/// A file holds the cases of one property, separated by empty lines. A case says why it is there,
/// then gives each input, in the text that counterexamples are shown in:
///
///     # exp(1024) overflows: the largest entry must be subtracted first.
///     x: [0x1p+10 = 1024]
///     shift: 0x0p+0 = 0
///
/// A block of comments alone is a note. for_all() replays a file before it tries anything random,
/// and proposes the text of a case when a property fails.
#pragma once

#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/testing/generators/show_float.hpp>

#include <rapidcheck.h>

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// One input of a case.
struct CorpusInput {
  std::string name;  ///< as the property calls it
  std::string text;  ///< the value
  int line;          ///< where it stands
};

/// One case: an input for each that the property draws.
struct CorpusCase {
  std::string file;                 ///< the path of its file
  int line;                         ///< where it begins
  std::vector<CorpusInput> inputs;  ///< in the order of the file
};

/// Draws an input of a property: from the case that is replayed, or else from a generator.
///
/// To be called in a property of for_all(), instead of `*generator.as(name)`.
/// \param name      what the input is called, in counterexamples and in the corpus.
/// \param generator where it comes from otherwise.
/// \return the input.
/// \throws std::invalid_argument if the case has no such input or its text is not a `Value`; the
///         message has the file and the line.
template <class Value>
Value input(const std::string& name, const rc::Gen<Value>& generator);

/// The folder of the corpus; empty if there is none. At first it is `SQRTDK_CORPUS_DIR`: the
/// environment variable or, if there is none, the macro.
std::filesystem::path& corpus_directory();

/// The file of a property's cases: `Suite.Test.case` for the first property of a test,
/// `Suite.Test.2.case` for the second. A `/` in the name of a test becomes `-`.
/// \param test_name the full name, `Suite.Test`.
/// \param number    the property's random stream, counted from 0.
/// \return the path; empty if there is no corpus.
/// \throws std::invalid_argument if corpus_directory() is not a folder.
std::filesystem::path corpus_file(std::string test_name, std::uint64_t number);

/// The text of a case, to be added to a file of the corpus.
/// \param inputs name and text of each input that a property was given.
/// \param file   the file.
/// \return the text with a line that says what it is; empty if an input was not drawn by input() or
///         if there is no file.
std::string proposed_case(const std::vector<std::pair<std::string, std::string>>& inputs,
                          const std::filesystem::path& file);

/// The cases of a text.
/// \param text where they are read from.
/// \param file what it is called in errors.
/// \throws std::invalid_argument if the text breaks a rule; the message has file, line and rule.
std::vector<CorpusCase> parse_corpus(std::istream& text, const std::string& file);

/// The cases of a file; none if the path is empty or there is no such file.
/// \throws std::invalid_argument as above.
std::vector<CorpusCase> load_corpus(const std::filesystem::path& file);

// ------------------------------------------------------------------------------------------------

namespace detail {

/// A case while a property reads it.
class Replay {
 public:
  explicit Replay(const CorpusCase& replayed);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  /// The replay that is going on; null if none is.
  static Replay*& current();

  /// The input of a name; the property has now asked for it.
  /// \throws std::invalid_argument if the case has none.
  const CorpusInput& find(const std::string& name);

  template <class Value>
  Value read(const std::string& name) {
    const CorpusInput& input = find(name);
    try {
      return read_text<Value>(input.text);
    } catch (const std::invalid_argument& error) {
      refuse(input, error.what());
    }
  }

  /// What is wrong if the property did not ask for each input of the case; else empty.
  std::string unread_input() const;

 private:
  [[noreturn]] void refuse(const CorpusInput& input, const std::string& rule) const;

  const CorpusCase& replayed_;
  std::set<std::string> read_;
};

/// The inputs that the running property has drawn by input().
std::set<std::string>& drawn_inputs();

/// Makes a folder the corpus at first, unless the environment has another one.
/// \return true.
bool use_corpus_directory(const char* path);

}  // namespace detail

template <class Value>
Value input(const std::string& name, const rc::Gen<Value>& generator) {
  if (detail::Replay* replay = detail::Replay::current()) return replay->read<Value>(name);
  detail::drawn_inputs().insert(name);
  return *generator.as(name);
}

}  // namespace sqrtdk::testing

#ifdef SQRTDK_CORPUS_DIR
namespace {

/// The folder that this file was compiled with, before any test runs.
[[maybe_unused]] const bool has_corpus_directory =
    sqrtdk::testing::detail::use_corpus_directory(SQRTDK_CORPUS_DIR);

}  // namespace
#endif
