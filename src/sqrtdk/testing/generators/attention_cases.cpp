// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/generators/attention_cases_definitions.hpp>
#include <sqrtdk/testing/generators/random_source.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

namespace sqrtdk::testing {

Matrix<bool> detail::drawn_permissions(Eigen::Index n, Eigen::Index m) {
  return *generator<Matrix<bool>>(
              [=](RandomSource& source) { return detail::permissions_from(source, n, m); },
              detail::simpler_permissions)
              .as("which keys are allowed");
}

SQRTDK_FOR_EACH_FORMAT(SQRTDK_ATTENTION_CASES, )

}  // namespace sqrtdk::testing
