#include <sqrtdk/testing/generators/attention_cases_definitions.hpp>
#include <sqrtdk/testing/generators/random_source.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

std::string list_text(const std::vector<std::string>& entries) {
  std::string text;
  for (std::size_t i = 0, next = 0; i < entries.size(); i = next) {
    while (next < entries.size() && entries[next] == entries[i]) ++next;
    if (next - i < 4) next = i + 1;
    text +=
        (i > 0 ? ", " : "") + (next - i > 1 ? std::to_string(next - i) + " × " : "") + entries[i];
  }
  return text;
}

int any_count(RandomSource& source, int most) {
  const int few = std::min(most, 8);
  if (most == few || source.between(0, 3) == 0) return source.between(1, few);
  const int widest = static_cast<int>(std::bit_width(static_cast<unsigned>(most))) - 1;
  const int around = (1 << source.between(2, widest)) + source.between(-1, 2);
  return std::clamp(around, 1, most);
}

Matrix<bool> permissions_from(RandomSource& source, Eigen::Index n, Eigen::Index m) {
  Matrix<bool> allowed(n, m);
  for (Eigen::Index i = 0; i < allowed.size(); ++i) allowed(i) = source.between(0, 2) > 0;
  switch (source.between(0, 3)) {
    case 1:  // a key that none sees
      allowed.col(m - 1).setConstant(false);
      break;
    case 2:  // a query that sees none
      allowed.row(n - 1).setConstant(false);
      break;
    case 3:  // a single key
      allowed.setConstant(false);
      allowed.col(0).setConstant(true);
      break;
    default:
      break;
  }
  return allowed;
}

std::vector<Matrix<bool>> simpler_permissions(const Matrix<bool>& allowed) {
  std::vector<Matrix<bool>> result;
  for (Eigen::Index i = 0; i < allowed.size(); ++i) {
    if (allowed(i)) continue;
    result.push_back(allowed);
    result.back()(i) = true;
  }
  return result;
}

}  // namespace detail

#ifndef SQRTDK_WITHOUT_PROPERTIES  // set without RapidCheck's own runner
Matrix<bool> detail::drawn_permissions(Eigen::Index n, Eigen::Index m) {
  return *generator<Matrix<bool>>(
              [=](RandomSource& source) { return detail::permissions_from(source, n, m); },
              detail::simpler_permissions)
              .as("which keys are allowed");
}

SQRTDK_FOR_EACH_FORMAT(SQRTDK_ATTENTION_CASES, )
#endif
SQRTDK_FOR_EACH_FORMAT(SQRTDK_ATTENTION_TEXTS, )

}  // namespace sqrtdk::testing
