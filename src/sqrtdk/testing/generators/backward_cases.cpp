#include <sqrtdk/testing/generators/backward_cases_definitions.hpp>

#include <Eigen/Core>

namespace sqrtdk::testing {

SQRTDK_FOR_EACH_FORMAT(SQRTDK_BACKWARD_CASES, )

}  // namespace sqrtdk::testing
