// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Values that can be compared without a tolerance, and the bits of those that cannot.
#pragma once

#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/number_text.hpp>

#include <Eigen/Core>
#include <boost/multiprecision/number.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <ranges>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// True if a type represents its values without rounding: integers, Booleans, enumerations,
/// rational numbers, text, and lists, matrices, tuples, intervals and distributions of these.
/// Specialize it for a class of your own whose members are exact.
template <class T>
struct is_exact : std::false_type {};

/// A type that EXPECT_EXACTLY() compares.
template <class T>
concept Exact = is_exact<std::remove_cvref_t<T>>::value;

/// The bits of a number in floating point, which a message shows as that number.
struct Bits {
  std::uint64_t bits;
  double number;

  bool operator==(const Bits& other) const { return bits == other.bits; }
};

/// Writes the number; of NaN also the bits.
inline std::ostream& operator<<(std::ostream& out, const Bits& bits) {
  out << format_shortest(bits.number);
  return !std::isnan(bits.number) ? out : out << " of bits 0x" << format_digits(bits.bits, 16);
}

/// The bits of a number in floating point, by which 0 and −0 differ and NaN equals itself.
/// \tparam Real float, double, Eigen::half or Eigen::bfloat16.
template <class Real>
requires(sizeof(Real) <= sizeof(std::uint64_t) && !Exact<Real> &&
         std::is_trivially_copyable_v<Real> && std::numeric_limits<Real>::is_specialized) Bits
    bits_of(const Real& number);

/// The bits of each entry of a list.
template <std::ranges::input_range Range>
requires(!std::is_base_of_v<Eigen::EigenBase<Range>, Range>) auto bits_of(const Range& numbers);

/// The shape of a matrix and the bits of its entries, column by column.
template <class Derived>
auto bits_of(const Eigen::DenseBase<Derived>& matrix);

template <class T>
requires(std::integral<T> || std::is_enum_v<T>) struct is_exact<T> : std::true_type {
};

template <>
struct is_exact<Bits> : std::true_type {};

template <class Backend, boost::multiprecision::expression_template_option Option>
struct is_exact<boost::multiprecision::number<Backend, Option>>
    : std::bool_constant<boost::multiprecision::number_category<Backend>::value ==
                             boost::multiprecision::number_kind_integer ||
                         boost::multiprecision::number_category<Backend>::value ==
                             boost::multiprecision::number_kind_rational> {};

template <class T>
requires(std::convertible_to<T, std::string_view>) struct is_exact<T> : std::true_type {
};

template <class T>
requires(std::ranges::input_range<T> && !std::convertible_to<T, std::string_view> &&
         !std::is_base_of_v<Eigen::EigenBase<T>, T>) struct is_exact<T>
    : is_exact<std::remove_cvref_t<std::ranges::range_value_t<T>>> {
};

template <class T>
requires(std::is_base_of_v<Eigen::EigenBase<T>, T>) struct is_exact<T>
    : is_exact<typename T::Scalar> {
};

template <class... T>
struct is_exact<std::tuple<T...>> : std::conjunction<is_exact<std::remove_cvref_t<T>>...> {};

template <class X, class Y>
struct is_exact<std::pair<X, Y>>
    : std::conjunction<is_exact<std::remove_cvref_t<X>>, is_exact<std::remove_cvref_t<Y>>> {};

template <class T>
struct is_exact<std::optional<T>> : is_exact<T> {};

template <class T>
struct is_exact<Interval<T>> : is_exact<T> {};

template <class Outcome>
struct is_exact<FiniteDistribution<Outcome>> : is_exact<Outcome> {};

template <class Real>
requires(sizeof(Real) <= sizeof(std::uint64_t) && !Exact<Real> &&
         std::is_trivially_copyable_v<Real> && std::numeric_limits<Real>::is_specialized) Bits
    bits_of(const Real& number) {
  using Word =
      std::conditional_t<sizeof(Real) == 8, std::uint64_t,
                         std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint16_t>>;
  return {Eigen::numext::bit_cast<Word>(number), static_cast<double>(number)};
}

template <std::ranges::input_range Range>
requires(!std::is_base_of_v<Eigen::EigenBase<Range>, Range>) auto bits_of(const Range& numbers) {
  std::vector<decltype(bits_of(*std::ranges::begin(numbers)))> bits;
  for (const auto& number : numbers) bits.push_back(bits_of(number));
  return bits;
}

template <class Derived>
auto bits_of(const Eigen::DenseBase<Derived>& matrix) {
  const auto entries = matrix.derived().eval();
  std::vector<Bits> bits;
  for (Eigen::Index j = 0; j < entries.cols(); ++j)
    for (Eigen::Index i = 0; i < entries.rows(); ++i) bits.push_back(bits_of(entries(i, j)));
  return std::tuple(entries.rows(), entries.cols(), bits);
}

}  // namespace sqrtdk::testing
