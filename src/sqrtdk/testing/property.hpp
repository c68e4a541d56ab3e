// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief RapidCheck properties with a seed of their own, evidence, and a line that replays them.
#pragma once

#include <sqrtdk/testing/generators/rapidcheck_internals.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <functional>
#include <string>
#include <type_traits>

namespace sqrtdk::testing {

/// The number of cases that for_all() tries if it is not told how many.
inline constexpr int default_cases = 200;

namespace detail {

/// The program that runs the tests, as it was called; set by run().
std::string& program_name();

/// The command that runs the current test again with the same numbers.
std::string replay_line();

}  // namespace detail

/// Checks a property for many generated cases; if one fails, shows the simplest that was found.
/// Must be called in a GoogleTest body. Inside the property use EXPECT_EXACTLY(), `RC_ASSERT` and
/// `RC_PRE`: GoogleTest's own macros would neither stop nor shrink it. An exact test counts only
/// the cases in which the kit's assertions compared something, and fails if there is none.
/// \param property a callable `void()` that draws its inputs from RapidCheck generators.
/// \param cases    how many generated cases must hold, at least 1.
/// \param place    the line that a failure points at.
/// \throws std::invalid_argument if it is to try fewer.
template <std::invocable Property>
requires std::is_void_v<std::invoke_result_t<Property&>>
void for_all(Property&& property, int cases = default_cases,
             SourceLocation place = SourceLocation::current());

namespace detail {

void for_all(const std::function<void()>& property, int cases, const SourceLocation& place);

}  // namespace detail

template <std::invocable Property>
requires std::is_void_v<std::invoke_result_t<Property&>>
void for_all(Property&& property, int cases, SourceLocation place) {
  detail::for_all(std::ref(property), cases, place);
}

}  // namespace sqrtdk::testing
