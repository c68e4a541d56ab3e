#include <sqrtdk/testing/laws/attention_laws_definitions.hpp>

#include <Eigen/Core>

namespace sqrtdk::testing {

SQRTDK_FOR_EACH_FORMAT(SQRTDK_ATTENTION_LAWS, )

}  // namespace sqrtdk::testing
