// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Writes the test vectors, or compares them with those that there are.
///
///     write_vectors FOLDER           writes softmax.json and attention.json into a folder
///     write_vectors --check FOLDER   fails unless they are there, byte for byte
#include "cases.hpp"
#include "certified.hpp"
#include "json.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::vectors {

namespace {

template <class Input>
std::string file_for(const std::string& operation) {
  std::vector<Certified<Input>> cases;
  for (const Case<Input>& typed : cases_of(Input{})) cases.push_back(certified(typed));
  require_power(cases);
  return file_of(operation, cases);
}

/// Writes to another name first, so that no half of a file is ever there.
void write(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path unfinished = path.string() + ".part";
  std::ofstream out(unfinished, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + unfinished.string());
  std::filesystem::rename(unfinished, path);
}

void require_same(const std::filesystem::path& path, const std::string& text) {
  std::ifstream in(path, std::ios::binary);
  const std::string there((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (there == text) return;
  const auto until = std::mismatch(there.begin(), there.end(), text.begin(), text.end()).first;
  throw std::runtime_error(path.string() + " is not what the library gives, from line " +
                           std::to_string(1 + std::count(there.begin(), until, '\n')) +
                           " on. If that is meant, renew it: write_vectors " +
                           path.parent_path().string());
}

int run(const std::vector<std::string>& arguments) {
  const bool check = arguments.size() == 2 && arguments[0] == "--check";
  if (!check && arguments.size() != 1) {
    std::cerr << "usage: write_vectors [--check] FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = arguments.back();
  for (const auto& [operation, text] :
       {std::pair("softmax", file_for<SoftmaxInput>("softmax")),
        std::pair("attention", file_for<AttentionInput>("attention"))}) {
    const std::filesystem::path path = folder / (operation + std::string(".json"));
    if (check)
      require_same(path, text);
    else
      write(path, text);
  }
  return 0;
}

}  // namespace

}  // namespace sqrtdk::vectors

int main(int count, char** arguments) {
  try {
    return sqrtdk::vectors::run({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::cerr << "write_vectors: " << error.what() << '\n';
    return 1;
  }
}
