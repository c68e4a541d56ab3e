// The data of the figure of equal weights that are rounded, and of their sum.

#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/variants/narrow_formats.hpp>

#include "docs/figures/figure.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

const sqrtdk::figures::Figure variants_formats_figure("variants_formats", [] {
  using sqrtdk::BinaryFormat;
  // Of which the largest number, beyond 64 bits, is not asked.
  const BinaryFormat bfloat16{.digits = 8, .fraction = 133, .largest = 0};
  std::vector<std::vector<double>> rows;
  for (unsigned n = 1; n < 200'000'000; n = std::max(n + 1, unsigned(std::lround(1.02 * n)))) {
    std::vector<double> row = {double(n)};
    for (const BinaryFormat& format : {sqrtdk::e4m3_format, sqrtdk::binary16_format, bfloat16})
      row.push_back(sqrtdk::sum_of_rounded_shares(n, format).convert_to<double>());
    rows.push_back(row);
  }
  sqrtdk::testing::write_figure_data("variants_formats", {"n", "e4m3", "binary16", "bfloat16"},
                                     rows);
});
