// The experiment of chapter \ref training in a file, for programs that ask the same one.
#pragma once

#include <sqrtdk/training.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

namespace sqrtdk::properties {
inline namespace chapter_training {

/// Writes numbers to a file as they are in memory, or reads them: `Stream` says which.
template <class Stream>
struct NumberFile {
  Stream stream;

  template <class T>
  void pass(T& number) {
    static_assert(std::is_trivially_copyable_v<T>);
    if constexpr (std::is_same_v<Stream, std::ofstream>)
      stream.write(reinterpret_cast<const char*>(&number), sizeof number);
    else
      stream.read(reinterpret_cast<char*>(&number), sizeof number);
  }

  template <class T>
  void pass(std::vector<T>& numbers) {
    std::size_t size = numbers.size();
    pass(size);
    numbers.resize(size);
    for (T& number : numbers) pass(number);
  }

  void pass(TrainingCell& cell) {
    pass(cell.rule);
    pass(cell.d);
    pass(cell.tuning);
    pass(cell.rate_exponents);
    pass(cell.curves);
  }
};

/// Writes all curves of a run to a file, or reads them; throws std::exception if that fails.
template <class Stream>
void pass_through(const std::filesystem::path& path, TrainingRun& run) {
  NumberFile<Stream> file{Stream(path, std::ios::binary)};
  file.stream.exceptions(std::ios::failbit | std::ios::badbit);
  file.pass(run.cells);
  file.pass(run.borrowed);
}

/// Runs an experiment, or reads what it gave before.
/// \param plan the experiment.
/// \param file where its curves are kept, by a program of the same build; empty for nowhere.
/// \throws std::exception if the file is no such file.
inline TrainingRun run_or_read(const TrainingPlan& plan, const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) {
    TrainingRun run = run_training(plan);
    if (file.empty()) return run;
    const std::filesystem::path part = file.string() + ".part";
    pass_through<std::ofstream>(part, run);
    std::filesystem::rename(part, file);
  }
  TrainingRun run{plan, {}, {}};
  pass_through<std::ifstream>(file, run);
  return run;
}

}  // namespace chapter_training
}  // namespace sqrtdk::properties
