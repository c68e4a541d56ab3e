// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/generators/floating_point_definitions.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <cstddef>
#include <vector>

namespace sqrtdk::testing {

template void require_valid(const Floats<float>&);
template rc::Gen<float> floats(Floats<float>);
template rc::Gen<std::vector<float>> vectors(Vectors<float>);
template rc::Gen<float> temperatures();
template rc::Gen<std::vector<float>> scores(std::size_t);
template void require_valid(const Floats<double>&);
template rc::Gen<double> floats(Floats<double>);
template rc::Gen<std::vector<double>> vectors(Vectors<double>);
template rc::Gen<double> temperatures();
template rc::Gen<std::vector<double>> scores(std::size_t);
template void require_valid(const Floats<long double>&);
template rc::Gen<long double> floats(Floats<long double>);
template rc::Gen<std::vector<long double>> vectors(Vectors<long double>);
template rc::Gen<long double> temperatures();
template rc::Gen<std::vector<long double>> scores(std::size_t);
template void require_valid(const Floats<Eigen::half>&);
template rc::Gen<Eigen::half> floats(Floats<Eigen::half>);
template rc::Gen<std::vector<Eigen::half>> vectors(Vectors<Eigen::half>);
template rc::Gen<Eigen::half> temperatures();
template rc::Gen<std::vector<Eigen::half>> scores(std::size_t);
template void require_valid(const Floats<Eigen::bfloat16>&);
template rc::Gen<Eigen::bfloat16> floats(Floats<Eigen::bfloat16>);
template rc::Gen<std::vector<Eigen::bfloat16>> vectors(Vectors<Eigen::bfloat16>);
template rc::Gen<Eigen::bfloat16> temperatures();
template rc::Gen<std::vector<Eigen::bfloat16>> scores(std::size_t);

}  // namespace sqrtdk::testing
