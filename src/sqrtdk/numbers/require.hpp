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

/// Throws a std::domain_error unless value > bound; NaN is refused, too.
template <class Number, class Bound>
void require_greater(std::string_view name, const Number& value, const Bound& bound);

/// The same unless value > 0.
template <class Number>
void require_positive(std::string_view name, const Number& value);

/// The same unless 0 < value < ∞, for a type with infinity.
template <class Number>
void require_positive_finite(std::string_view name, const Number& value);

/// The same unless value ≥ bound.
template <class Number, class Bound>
void require_at_least(std::string_view name, const Number& value, const Bound& bound);

/// The same unless bound ≤ value < ∞, for a type with infinity.
template <class Number, class Bound>
void require_at_least_finite(std::string_view name, const Number& value, const Bound& bound);

/// The same unless lower ≤ value ≤ upper.
template <class Number, class Lower, class Upper>
void require_in(std::string_view name, const Number& value, const Lower& lower, const Upper& upper);

/// The same unless lower < value < upper.
template <class Number, class Lower, class Upper>
void require_between(std::string_view name, const Number& value, const Lower& lower,
                     const Upper& upper);

/// Refuses a list of `names`, such as `logits`: a std::invalid_argument unless size ≥ min.
void require_size(std::string_view names, std::ptrdiff_t size, std::ptrdiff_t min);

// Implementation

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
