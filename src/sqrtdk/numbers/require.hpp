// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Checks of arguments, and what they throw.
///
/// One rule holds everywhere:
/// - a number for which a formula has no meaning, such as a dimension of 0, a negative variance or
///   NaN, is a std::domain_error;
/// - arguments that are malformed or do not fit each other, such as an empty list, shapes that
///   differ or an index that nothing has, are a std::invalid_argument;
/// - a result that its type cannot hold is a std::overflow_error.
///
/// Messages say what an argument is and must be: `the variance is -1, but must be at least 0`.
#pragma once

#include <sqrtdk/numbers/number_text.hpp>

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sqrtdk::detail {

/// Refuses a number that breaks a rule.
/// \param holds whether it keeps the rule.
/// \param name  what the number is, such as `the variance`.
/// \param value the number.
/// \param rule  what it must do, such as `be at least 0`.
/// \throws std::domain_error if the rule is broken: `NAME is VALUE, but must RULE`.
template <class Number>
void require_that(bool holds, std::string_view name, const Number& value, std::string_view rule);

/// Refuses a number that is not greater than a bound; NaN is not.
/// \param name  what the number is.
/// \param value the number.
/// \param bound what it must exceed.
/// \throws std::domain_error unless value > bound.
template <class Number, class Bound>
void require_greater(std::string_view name, const Number& value, const Bound& bound);

/// Refuses a number that is not greater than 0; NaN is not.
/// \param name  what the number is.
/// \param value the number.
/// \throws std::domain_error unless value > 0.
template <class Number>
void require_positive(std::string_view name, const Number& value);

/// Refuses a number that is not greater than 0 and finite.
/// \param name  what the number is.
/// \param value the number, of a type with infinity.
/// \throws std::domain_error unless 0 < value < ∞.
template <class Number>
void require_positive_finite(std::string_view name, const Number& value);

/// Refuses a number below a bound, and NaN.
/// \param name  what the number is.
/// \param value the number.
/// \param bound the least that it may be.
/// \throws std::domain_error unless value ≥ bound.
template <class Number, class Bound>
void require_at_least(std::string_view name, const Number& value, const Bound& bound);

/// Refuses a number below a bound, an infinite one, and NaN.
/// \param name  what the number is.
/// \param value the number, of a type with infinity.
/// \param bound the least that it may be.
/// \throws std::domain_error unless bound ≤ value < ∞.
template <class Number, class Bound>
void require_at_least_finite(std::string_view name, const Number& value, const Bound& bound);

/// Refuses a number outside a range whose ends belong to it, and NaN.
/// \param name         what the number is.
/// \param value        the number.
/// \param lower, upper the ends of the range.
/// \throws std::domain_error unless lower ≤ value ≤ upper.
template <class Number, class Lower, class Upper>
void require_in(std::string_view name, const Number& value, const Lower& lower, const Upper& upper);

/// Refuses a number outside a range whose ends do not belong to it, and NaN.
/// \param name         what the number is.
/// \param value        the number.
/// \param lower, upper the ends of the range.
/// \throws std::domain_error unless lower < value < upper.
template <class Number, class Lower, class Upper>
void require_between(std::string_view name, const Number& value, const Lower& lower,
                     const Upper& upper);

/// Refuses a list that is too short: the list is malformed, whatever its numbers are.
/// \param names what is in the list, such as `logits`.
/// \param size  how many there are.
/// \param min   how many there must be.
/// \throws std::invalid_argument unless size ≥ min.
void require_size(std::string_view names, std::ptrdiff_t size, std::ptrdiff_t min);

// ---- Implementation -----------------------------------------------------------------------------

template <class Number>
void require_that(bool holds, std::string_view name, const Number& value, std::string_view rule) {
  if (!holds)
    throw std::domain_error(std::string(name) + " is " + to_text(value) + ", but must " +
                            std::string(rule));
}

template <class Number, class Bound>
void require_greater(std::string_view name, const Number& value, const Bound& bound) {
  if (!(value > bound)) require_that(false, name, value, "be greater than " + to_text(bound));
}

template <class Number>
void require_positive(std::string_view name, const Number& value) {
  require_greater(name, value, 0);
}

template <class Number>
void require_positive_finite(std::string_view name, const Number& value) {
  require_that(value > 0 && value < Number(std::numeric_limits<Number>::infinity()), name, value,
               "be greater than 0 and finite");
}

template <class Number, class Bound>
void require_at_least(std::string_view name, const Number& value, const Bound& bound) {
  if (!(value >= bound)) require_that(false, name, value, "be at least " + to_text(bound));
}

template <class Number, class Bound>
void require_at_least_finite(std::string_view name, const Number& value, const Bound& bound) {
  if (!(value >= bound && value < Number(std::numeric_limits<Number>::infinity())))
    require_that(false, name, value, "be at least " + to_text(bound) + " and finite");
}

template <class Number, class Lower, class Upper>
void require_in(std::string_view name, const Number& value, const Lower& lower,
                const Upper& upper) {
  if (!(value >= lower && value <= upper))
    require_that(false, name, value, "be from " + to_text(lower) + " to " + to_text(upper));
}

template <class Number, class Lower, class Upper>
void require_between(std::string_view name, const Number& value, const Lower& lower,
                     const Upper& upper) {
  if (!(value > lower && value < upper))
    require_that(false, name, value, "be between " + to_text(lower) + " and " + to_text(upper));
}

inline void require_size(std::string_view names, std::ptrdiff_t size, std::ptrdiff_t min) {
  if (size < min)
    throw std::invalid_argument("the number of " + std::string(names) + " is " + to_text(size) +
                                ", but must be at least " + to_text(min));
}

}  // namespace sqrtdk::detail
