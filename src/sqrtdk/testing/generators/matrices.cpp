// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/generators/matrices_definitions.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <string_view>
#include <vector>

namespace sqrtdk::testing {

template rc::Gen<Matrix<float>> matrices(Matrices<float>);
template std::vector<Matrix<float>> shrinks(const Matrix<float>&, const Matrices<float>&);
template std::string_view shape_name(const Matrix<float>&);
template rc::Gen<Matrix<double>> matrices(Matrices<double>);
template std::vector<Matrix<double>> shrinks(const Matrix<double>&, const Matrices<double>&);
template std::string_view shape_name(const Matrix<double>&);
template rc::Gen<Matrix<long double>> matrices(Matrices<long double>);
template std::vector<Matrix<long double>> shrinks(const Matrix<long double>&,
                                                  const Matrices<long double>&);
template std::string_view shape_name(const Matrix<long double>&);
template rc::Gen<Matrix<Eigen::half>> matrices(Matrices<Eigen::half>);
template std::vector<Matrix<Eigen::half>> shrinks(const Matrix<Eigen::half>&,
                                                  const Matrices<Eigen::half>&);
template std::string_view shape_name(const Matrix<Eigen::half>&);
template rc::Gen<Matrix<Eigen::bfloat16>> matrices(Matrices<Eigen::bfloat16>);
template std::vector<Matrix<Eigen::bfloat16>> shrinks(const Matrix<Eigen::bfloat16>&,
                                                      const Matrices<Eigen::bfloat16>&);
template std::string_view shape_name(const Matrix<Eigen::bfloat16>&);

}  // namespace sqrtdk::testing
