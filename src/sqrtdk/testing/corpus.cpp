// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/corpus.hpp>

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
#include <utility>
#include <vector>

namespace sqrtdk::testing {

namespace {

[[noreturn]] void refuse_line(const std::string& file, int line, const std::string& rule) {
  throw std::invalid_argument(file + ":" + std::to_string(line) + ": " + rule);
}

}  // namespace

namespace detail {

Replay::Replay(const CorpusCase& replayed) : replayed_(replayed) { current() = this; }

Replay::~Replay() { current() = nullptr; }

Replay*& Replay::current() {
  static Replay* replay = nullptr;
  return replay;
}

const CorpusInput& Replay::find(const std::string& name) {
  read_.insert(name);
  for (const CorpusInput& input : replayed_.inputs)
    if (input.name == name) return input;
  refuse_line(replayed_.file, replayed_.line, "the case has no input '" + name + "'");
}

std::string Replay::unread_input() const {
  for (const CorpusInput& input : replayed_.inputs)
    if (!read_.contains(input.name))
      return replayed_.file + ":" + std::to_string(input.line) + ": the property has no input '" +
             input.name + "'";
  return "";
}

void Replay::refuse(const CorpusInput& input, const std::string& rule) const {
  refuse_line(replayed_.file, input.line, input.name + ": " + rule);
}

std::set<std::string>& drawn_inputs() {
  static std::set<std::string> names;
  return names;
}

bool use_corpus_directory(const char* path) {
  if (std::getenv("SQRTDK_CORPUS_DIR") == nullptr) corpus_directory() = path;
  return true;
}

}  // namespace detail

std::string proposed_case(const std::vector<std::pair<std::string, std::string>>& inputs,
                          const std::filesystem::path& file) {
  std::string text;
  for (const auto& [name, value] : inputs) {
    if (!detail::drawn_inputs().contains(name)) return "";
    text.append(name).append(": ").append(value).append("\n");
  }
  if (text.empty() || file.empty()) return "";
  return "\n\nto replay this case from now on, add to " + file.generic_string() +
         ":\n\n# (what went wrong)\n" + text;
}

std::filesystem::path& corpus_directory() {
  static std::filesystem::path directory = [] {
    const char* path = std::getenv("SQRTDK_CORPUS_DIR");
    return path == nullptr ? "" : path;
  }();
  return directory;
}

std::filesystem::path corpus_file(std::string test_name, std::uint64_t number) {
  const std::filesystem::path& directory = corpus_directory();
  if (directory.empty()) return {};
  if (!std::filesystem::is_directory(directory))
    throw std::invalid_argument("SQRTDK_CORPUS_DIR is '" + directory.generic_string() +
                                "', but there is no such folder");
  std::replace(test_name.begin(), test_name.end(), '/', '-');
  return directory / (test_name + (number == 0 ? "" : "." + std::to_string(number + 1)) + ".case");
}

std::vector<CorpusCase> parse_corpus(std::istream& text, const std::string& file) {
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
      if (in_case) refuse_line(file, number, "a comment stands before the inputs of a case");
      in_block = true;
      continue;
    }
    const std::size_t colon = line.find(": ");
    if (colon == 0 || colon == line.npos)
      refuse_line(file, number, "'" + line + "' is neither `# comment` nor `name: value`");
    if (!in_block)
      refuse_line(file, number, "a case begins with a comment that says why it is there");
    if (!in_case) cases.push_back({file, number, {}});
    in_case = true;
    CorpusInput input{line.substr(0, colon), line.substr(colon + 2), number};
    for (const CorpusInput& other : cases.back().inputs)
      if (other.name == input.name)
        refuse_line(file, number, "the case has two inputs '" + input.name + "'");
    cases.back().inputs.push_back(std::move(input));
  }
  if (cases.empty()) refuse_line(file, 1, "there is no case in this file");
  return cases;
}

std::vector<CorpusCase> load_corpus(const std::filesystem::path& file) {
  if (file.empty() || !std::filesystem::exists(file)) return {};
  std::ifstream text(file);
  if (!text) refuse_line(file.generic_string(), 1, "the file cannot be read");
  return parse_corpus(text, file.generic_string());
}

}  // namespace sqrtdk::testing
