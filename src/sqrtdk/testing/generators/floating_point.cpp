#include <sqrtdk/testing/generators/floating_point_definitions.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <cstddef>
#include <vector>

namespace sqrtdk::testing {

SQRTDK_FOR_EACH_FORMAT(SQRTDK_GENERATORS, )

}  // namespace sqrtdk::testing
