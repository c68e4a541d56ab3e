#include <sqrtdk/testing/laws/softmax_laws_definitions.hpp>

#include <cstddef>
#include <vector>

namespace sqrtdk::testing {

SQRTDK_FOR_EACH_FORMAT(SQRTDK_SOFTMAX_LAWS, )

}  // namespace sqrtdk::testing
