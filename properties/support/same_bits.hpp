// The meaning of "bit for bit": equality that also tells 0 from −0.
#pragma once

#include <sqrtdk/testing/generators/matrices.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace sqrtdk::testing {

/// True if two numbers are the same in every bit.
template <class Real>
bool same_bits(Real a, Real b) {
  using Bits =
      std::conditional_t<sizeof(Real) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

/// True if two matrices have the same shape, and the same bits.
template <class Real>
bool same_bits(const Matrix<Real>& a, const Matrix<Real>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::equal(a.data(), a.data() + a.size(), b.data(),
                    [](Real x, Real y) { return same_bits(x, y); });
}

}  // namespace sqrtdk::testing
