#include <sqrtdk/testing/generators/matrices_definitions.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <string_view>
#include <vector>

namespace sqrtdk::testing {

SQRTDK_FOR_EACH_FORMAT(SQRTDK_MATRICES, )

}  // namespace sqrtdk::testing
