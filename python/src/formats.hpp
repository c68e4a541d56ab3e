// Arrays of Python in the formats that the laws are compiled for.
// They come as bytes, with their format's name: half and bfloat16 have no type a buffer could name.
#pragma once

#include <sqrtdk/testing/laws/arrays.hpp>

#include <Eigen/Core>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace sqrtdk::python {

namespace nb = nanobind;

/// The bytes of an array whose last axis has them, row after row without gaps.
using Bytes = nb::ndarray<const std::uint8_t, nb::c_contig, nb::device::cpu>;

/// Calls `call` with a value of the type that a name means.
/// \throws std::invalid_argument if it means none.
template <class Call>
auto with_format(const std::string& name, Call&& call) {
  if (name == "float32") return call(float{});
  if (name == "float64") return call(double{});
  if (name == "float16") return call(Eigen::half{});
  if (name == "bfloat16") return call(Eigen::bfloat16{});
  throw std::invalid_argument("the format is '" + name +
                              "', but must be float16, bfloat16, float32 or float64");
}

/// Calls `call` with a value of the type that a name means, of those that all others are widened to.
/// \throws std::invalid_argument if it means none.
template <class Call>
auto with_wide_format(const std::string& name, Call&& call) {
  if (name == "float32") return call(float{});
  if (name == "float64") return call(double{});
  throw std::invalid_argument("the format is '" + name + "', but must be float32 or float64");
}

/// An array of numbers as a list.
template <class Real>
std::vector<Real> numbers_of(const Bytes& bytes) {
  std::vector<Real> numbers(bytes.size() / sizeof(Real));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Real));
  return numbers;
}

template <class Real>
testing::Matrix<Real> matrix_of(const Bytes& bytes, std::size_t rows, std::size_t columns) {
  using RowMajor = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  if (bytes.size() != rows * columns * sizeof(Real))
    throw std::invalid_argument("an array has " + std::to_string(bytes.size()) +
                                " bytes, but must have " +
                                std::to_string(rows * columns * sizeof(Real)));
  RowMajor matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  if (matrix.size() > 0) std::memcpy(matrix.data(), bytes.data(), rows * columns * sizeof(Real));
  return matrix;
}

/// Numbers as an array of bytes that Python owns.
template <class Real>
nb::ndarray<nb::numpy, std::uint8_t> bytes_of(const Real* numbers, std::size_t count) {
  auto* copy = new std::uint8_t[std::max<std::size_t>(count * sizeof(Real), 1)];
  if (count > 0) std::memcpy(copy, numbers, count * sizeof(Real));
  nb::capsule owner(copy,
                    [](void* memory) noexcept { delete[] static_cast<std::uint8_t*>(memory); });
  return {copy, {count * sizeof(Real)}, owner};
}

inline nb::ndarray<nb::numpy, double> doubles(std::size_t rows, std::size_t columns) {
  auto* memory = new double[std::max<std::size_t>(rows * columns, 1)]();
  nb::capsule owner(memory, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  return {memory, {rows, columns}, owner};
}

/// A number of any format as a double; a double holds each.
template <class Real>
double as_double(const Real& x) {
  if constexpr (std::is_floating_point_v<Real>)
    return static_cast<double>(x);
  else
    return static_cast<double>(static_cast<float>(x));
}

}  // namespace sqrtdk::python
