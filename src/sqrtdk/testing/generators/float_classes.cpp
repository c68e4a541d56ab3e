// SPDX-License-Identifier: BSL-1.0
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

template const std::vector<float>& boundaries();
template FloatClass class_of(float);
template Shape shape_of(const std::vector<float>&);
template const std::vector<double>& boundaries();
template FloatClass class_of(double);
template Shape shape_of(const std::vector<double>&);
template const std::vector<long double>& boundaries();
template FloatClass class_of(long double);
template Shape shape_of(const std::vector<long double>&);
template const std::vector<Eigen::half>& boundaries();
template FloatClass class_of(Eigen::half);
template Shape shape_of(const std::vector<Eigen::half>&);
template const std::vector<Eigen::bfloat16>& boundaries();
template FloatClass class_of(Eigen::bfloat16);
template Shape shape_of(const std::vector<Eigen::bfloat16>&);

}  // namespace sqrtdk::testing
