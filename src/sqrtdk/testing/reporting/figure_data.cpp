#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/reporting/mutant_run.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::testing {

void write_figure_data(const std::string& name, const std::vector<std::string>& columns,
                       const std::vector<std::vector<double>>& rows) {
  const char* folder = std::getenv("SQRTDK_FIGURES");
  if (folder == nullptr || checking_a_mutant()) return;
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = std::filesystem::path(folder) / (name + ".dat");
  const std::filesystem::path temporary = file.string() + ".new";
  std::ofstream out(temporary);
  out.precision(17);
  out << '#';
  for (const std::string& column : columns) out << ' ' << column;
  out << '\n';
  for (const std::vector<double>& row : rows) {
    if (!row.empty() && row.size() != columns.size())
      throw std::invalid_argument("a row of the figure '" + name + "' has " +
                                  std::to_string(row.size()) + " numbers, but there are " +
                                  std::to_string(columns.size()) + " columns");
    const char* separator = "";
    for (const double number : row) {
      out << separator << number;
      separator = " ";
    }
    out << '\n';
  }
  out.close();
  if (!out) throw std::runtime_error("cannot write " + temporary.string());
  std::filesystem::rename(temporary, file);
}

}  // namespace sqrtdk::testing
