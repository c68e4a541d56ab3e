// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Checked-in inputs that once failed: their files, and how a property reads them.
///
/// A file holds the cases of one property, parted by empty lines. A case says why it is there, then
/// gives each input, in the text that counterexamples are shown in:
///
///     # exp(1024) overflows: the largest entry must be subtracted first.
///     x: [0x1p+10 = 1024]
///     shift: 0x0p+0 = 0
///
/// A block of comments alone is a note. for_all() replays a file before it tries anything random,
/// and proposes the text of a case when a property fails.
#pragma once

#include <sqrtdk/testing/generators/float_text.hpp>

#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <istream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
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

[[noreturn]] inline void refuse_line(const std::string& file, int line, const std::string& rule) {
  throw std::invalid_argument(file + ":" + std::to_string(line) + ": " + rule);
}

/// A case while a property reads it.
class Replay {
 public:
  explicit Replay(const CorpusCase& replayed) : replayed_(replayed) { current() = this; }
  ~Replay() { current() = nullptr; }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  /// The replay that is going on; null if none is.
  static Replay*& current() {
    static Replay* replay = nullptr;
    return replay;
  }

  template <class Value>
  Value read(const std::string& name) {
    read_.insert(name);
    for (const CorpusInput& input : replayed_.inputs) {
      if (input.name != name) continue;
      try {
        return read_text<Value>(input.text);
      } catch (const std::invalid_argument& error) {
        refuse_line(replayed_.file, input.line, name + ": " + error.what());
      }
    }
    refuse_line(replayed_.file, replayed_.line, "the case has no input '" + name + "'");
  }

  /// What is wrong if the property did not ask for each input of the case; else empty.
  std::string unread_input() const {
    for (const CorpusInput& input : replayed_.inputs)
      if (!read_.contains(input.name))
        return replayed_.file + ":" + std::to_string(input.line) + ": the property has no input '" +
               input.name + "'";
    return "";
  }

 private:
  const CorpusCase& replayed_;
  std::set<std::string> read_;
};

/// The inputs that the running property has drawn by input().
inline std::set<std::string>& drawn_inputs() {
  static std::set<std::string> names;
  return names;
}

/// The text of a case, to be added to a file; empty if an input was not drawn by input().
inline std::string proposed_case(const rc::detail::Example& counterexample,
                                 const std::filesystem::path& file) {
  std::string text;
  for (const auto& [name, value] : counterexample) {
    if (!drawn_inputs().contains(name)) return "";
    text.append(name).append(": ").append(value).append("\n");
  }
  if (text.empty() || file.empty()) return "";
  return "\n\nto replay this case from now on, add to " + file.generic_string() +
         ":\n\n# (what went wrong)\n" + text;
}

}  // namespace detail

template <class Value>
Value input(const std::string& name, const rc::Gen<Value>& generator) {
  if (detail::Replay* replay = detail::Replay::current()) return replay->read<Value>(name);
  detail::drawn_inputs().insert(name);
  return *generator.as(name);
}

inline std::filesystem::path& corpus_directory() {
  static std::filesystem::path directory = [] {
    if (const char* path = std::getenv("SQRTDK_CORPUS_DIR")) return path;
#ifdef SQRTDK_CORPUS_DIR
    return SQRTDK_CORPUS_DIR;
#else
    return "";
#endif
  }();
  return directory;
}

inline std::filesystem::path corpus_file(std::string test_name, std::uint64_t number) {
  const std::filesystem::path& directory = corpus_directory();
  if (directory.empty()) return {};
  if (!std::filesystem::is_directory(directory))
    throw std::invalid_argument("SQRTDK_CORPUS_DIR is '" + directory.generic_string() +
                                "', but there is no such folder");
  std::replace(test_name.begin(), test_name.end(), '/', '-');
  return directory / (test_name + (number == 0 ? "" : "." + std::to_string(number + 1)) + ".case");
}

inline std::vector<CorpusCase> parse_corpus(std::istream& text, const std::string& file) {
  std::vector<CorpusCase> cases;
  bool in_block = false;  // since the last empty line there was a comment
  bool in_case = false;   // … and an input
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    if (line.empty()) {
      in_block = in_case = false;
      continue;
    }
    if (line.starts_with('#')) {
      if (in_case)
        detail::refuse_line(file, number, "a comment stands before the inputs of a case");
      in_block = true;
      continue;
    }
    const std::size_t colon = line.find(": ");
    if (colon == 0 || colon == line.npos)
      detail::refuse_line(file, number, "'" + line + "' is neither `# comment` nor `name: value`");
    if (!in_block)
      detail::refuse_line(file, number, "a case begins with a comment that says why it is there");
    if (!in_case) cases.push_back({file, number, {}});
    in_case = true;
    CorpusInput input{line.substr(0, colon), line.substr(colon + 2), number};
    for (const CorpusInput& other : cases.back().inputs)
      if (other.name == input.name)
        detail::refuse_line(file, number, "the case has two inputs '" + input.name + "'");
    cases.back().inputs.push_back(std::move(input));
  }
  if (cases.empty()) detail::refuse_line(file, 1, "there is no case in this file");
  return cases;
}

inline std::vector<CorpusCase> load_corpus(const std::filesystem::path& file) {
  if (file.empty() || !std::filesystem::exists(file)) return {};
  std::ifstream text(file);
  if (!text) detail::refuse_line(file.generic_string(), 1, "the file cannot be read");
  return parse_corpus(text, file.generic_string());
}

}  // namespace sqrtdk::testing
