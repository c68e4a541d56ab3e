#include <sqrtdk/testing/generators/float_classes_definitions.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <string_view>
#include <vector>

namespace sqrtdk::testing {

std::string_view name(FloatClass kind) {
  constexpr std::string_view names[] = {"zero",    "subnormal", "tiny",     "boundary", "huge",
                                        "integer", "ordinary",  "infinity", "NaN"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name(Shape shape) {
  constexpr std::string_view names[] = {"empty",        "one entry",   "all equal", "one-hot",
                                        "nearly equal", "ties",        "sorted",    "reversed",
                                        "one outlier",  "huge spread", "mixed"};
  return names[static_cast<std::size_t>(shape)];
}

SQRTDK_FOR_EACH_FORMAT(SQRTDK_FLOAT_CLASSES, )

}  // namespace sqrtdk::testing
