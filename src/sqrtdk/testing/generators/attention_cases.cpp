// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/generators/attention_cases_definitions.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <cstddef>
#include <vector>

namespace sqrtdk::testing {

Matrix<bool> drawn_permissions(Eigen::Index n, Eigen::Index m) {
  const auto size = static_cast<std::size_t>(n * m);
  const auto entries =
      *rc::gen::container<std::vector<int>>(size, rc::gen::weightedElement<int>({{2, 1}, {1, 0}}))
           .as("which keys are allowed, query by query");
  Matrix<bool> allowed(n, m);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < m; ++j)
      allowed(i, j) = entries[static_cast<std::size_t>(i * m + j)] == 1;
  const int hidden =
      *rc::gen::element(0, 1, 2, 3)
           .as("neither (0), a hidden key (1), a fully masked query (2), or a single key (3)");
  if (hidden == 1) allowed.col(m - 1).setConstant(false);
  if (hidden == 2) allowed.row(n - 1).setConstant(false);
  if (hidden == 3) {
    allowed.setConstant(false);
    allowed.col(0).setConstant(true);
  }
  return allowed;
}

SQRTDK_FOR_EACH_FORMAT(SQRTDK_ATTENTION_CASES, )

}  // namespace sqrtdk::testing
