// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Comparisons of exact values, which give a test the level *exact*.
#pragma once

#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/testing/reporting/exact_types.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <concepts>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// Expects a comparison of two exact values, or a Boolean, to hold:
/// `EXPECT_EXACTLY(variance(score) == d) << "in " << d << " dimensions"`.
///
/// The operands must be of types for which sqrtdk::testing::is_exact holds; floating point does not
/// compile. Gives the running test the level *exact*, unless it rests on something weaker as well.
/// In for_all() a failure stops the property, which then shrinks; elsewhere the test goes on.
/// Integers are compared by their values, whatever their signs.
/// \param ... `a == b`, or with `!=`, `<`, `<=`, `>` or `>=`; a single Boolean; within brackets,
///            anything with a Boolean as its value.
#define EXPECT_EXACTLY(...)                                                              \
  for (::sqrtdk::testing::detail::ExactOutcome sqrtdk_outcome =                          \
           (::sqrtdk::testing::detail::ExactComparison() << __VA_ARGS__);                \
       !sqrtdk_outcome.holds; sqrtdk_outcome.holds = true)                               \
  ::sqrtdk::testing::detail::FailExactly(#__VA_ARGS__, sqrtdk_outcome,                   \
                                         ::sqrtdk::testing::SourceLocation::current()) = \
      ::testing::Message()

// Clang warns of `<<` before a comparison; a pragma within the macro would be lost in another one.
#ifdef __clang__
#pragma clang diagnostic ignored "-Woverloaded-shift-op-parentheses"
#endif

namespace sqrtdk::testing::detail {

/// Notes that the running test has compared exact values.
void note_exact_comparison();

/// The error of `a == b || c` and `a || b == c`, which says what to write.
template <class>
inline constexpr bool needs_brackets = false;

struct ExactOutcome {
  bool holds;
  std::string operands;

  template <class Right>
  ExactOutcome operator||(const Right&) const {
    static_assert(needs_brackets<Right>, "put what has || in brackets: EXPECT_EXACTLY((a || b))");
    return *this;
  }
  template <class Right>
  ExactOutcome operator&&(const Right&) const {
    static_assert(needs_brackets<Right>, "write two EXPECT_EXACTLY for a && b");
    return *this;
  }
};

template <class T>
std::string exact_text(const T& value) {
  if constexpr (std::is_base_of_v<Eigen::EigenBase<T>, T>) {
    std::ostringstream text = plain_stream();
    text << value;
    return text.str();
  } else {
    return ::testing::PrintToString(value);
  }
}

/// An integer that `std::cmp_equal` takes.
template <class T>
concept ComparableInteger = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                            !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                            !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

/// The left side of a comparison.
template <class Left>
struct ExactLeft {
  const Left& left;

  /// A Boolean alone.
  operator ExactOutcome() const  // NOLINT(google-explicit-constructor)
      requires std::same_as<Left, bool> {
    note_exact_comparison();
    return {left, ""};
  }

  template <class Right>
  ExactOutcome operator||(const Right& right) const {
    return ExactOutcome{false, ""} || right;
  }
  template <class Right>
  ExactOutcome operator&&(const Right& right) const {
    return ExactOutcome{false, ""} && right;
  }

  template <class Right>
  ExactOutcome operator==(const Right& right) const {
    return compared<std::equal_to<>>(right, [](auto a, auto b) { return std::cmp_equal(a, b); });
  }
  template <class Right>
  ExactOutcome operator!=(const Right& right) const {
    return compared<std::not_equal_to<>>(right,
                                         [](auto a, auto b) { return std::cmp_not_equal(a, b); });
  }
  template <class Right>
  ExactOutcome operator<(const Right& right) const {
    return compared<std::less<>>(right, [](auto a, auto b) { return std::cmp_less(a, b); });
  }
  template <class Right>
  ExactOutcome operator<=(const Right& right) const {
    return compared<std::less_equal<>>(right,
                                       [](auto a, auto b) { return std::cmp_less_equal(a, b); });
  }
  template <class Right>
  ExactOutcome operator>(const Right& right) const {
    return compared<std::greater<>>(right, [](auto a, auto b) { return std::cmp_greater(a, b); });
  }
  template <class Right>
  ExactOutcome operator>=(const Right& right) const {
    return compared<std::greater_equal<>>(
        right, [](auto a, auto b) { return std::cmp_greater_equal(a, b); });
  }

 private:
  template <class Relation, class Right, class OfIntegers>
  ExactOutcome compared(const Right& right, OfIntegers of_integers) const {
    static_assert(Exact<Left> && Exact<Right>,
                  "EXPECT_EXACTLY compares exact types only (integers, Booleans, rational numbers, "
                  "text, and what is made of these). For numbers in floating point: compare "
                  "bits_of(a) == bits_of(b) or Rational(a) == b if that is what is meant; "
                  "otherwise hold them to a bound, by expect_near() or another assertion, and say "
                  "evidence().rests_on(EvidenceLevel::bounded) or what else they rest on. For a "
                  "class of exact members, specialize sqrtdk::testing::is_exact");
    note_exact_comparison();
    bool holds = false;
    if constexpr (ComparableInteger<Left> && ComparableInteger<Right>)
      holds = of_integers(left, right);
    else if constexpr (std::convertible_to<Left, std::string_view> &&
                       std::convertible_to<Right, std::string_view>)
      holds = Relation()(std::string_view(left), std::string_view(right));
    else if constexpr (std::is_base_of_v<Eigen::EigenBase<Left>, Left> &&
                       std::is_base_of_v<Eigen::EigenBase<Right>, Right>)
      holds = left.rows() == right.rows() && left.cols() == right.cols() && Relation()(left, right);
    else
      holds = static_cast<bool>(Relation()(left, right));
    if (holds) return {true, ""};
    return {false, exact_text(left) + " against " + exact_text(right)};
  }
};

/// Takes the left side: `ExactComparison() << a == b` is `(ExactComparison() << a) == b`.
struct ExactComparison {
  template <class Left>
  ExactLeft<Left> operator<<(const Left& left) const {
    static_assert(Exact<Left>,
                  "EXPECT_EXACTLY compares exact types only (integers, Booleans, rational numbers, "
                  "text, and what is made of these); see sqrtdk::testing::is_exact and bits_of()");
    return {left};
  }
};

/// Fails the running test or property, with a message that is assigned to it.
class FailExactly {
 public:
  FailExactly(const char* expression, const ExactOutcome& outcome, const SourceLocation& place)
      : expression_(expression), outcome_(outcome), place_(place) {}

  void operator=(const ::testing::Message& message) const;  // NOLINT: as GoogleTest's helper

 private:
  const char* expression_;
  const ExactOutcome& outcome_;
  SourceLocation place_;
};

}  // namespace sqrtdk::testing::detail
