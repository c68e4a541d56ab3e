#include <sqrtdk/testing/laws/softmax_backward_laws_definitions.hpp>

namespace sqrtdk::testing {

SQRTDK_FOR_EACH_FORMAT(SQRTDK_BACKWARD_LAWS, )

}  // namespace sqrtdk::testing
