// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Numbers as a document prints them, compared exactly at the printed precision.
#pragma once

#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>

#include <string>

namespace sqrtdk::testing {

/// Reads a printed decimal such as `2.67`, `-0.39` or `1,387,386`.
/// \return the real numbers that round to it: the printed one ∓ half a unit in its last place.
/// \throws std::invalid_argument if the text is not a decimal number.
/// \relatesalso sqrtdk::Interval
Interval<Rational> parse_printed(const std::string& text);

/// Expects that a value rounds to what a document prints, and notes that it does.
/// \param document `S1`, `S2` or `S3`.
/// \param printed  the number, digit for digit.
/// \param value    the exact value.
/// \param place    the line that a failure points at.
/// \throws std::invalid_argument as parse_printed().
void expect_printed(const std::string& document, const std::string& printed, const Rational& value,
                    SourceLocation place = SourceLocation::current());

/// Expects that what a document prints is impossible at its own precision, and notes the erratum.
/// \param document `S1`, `S2` or `S3`.
/// \param printed  the number, digit for digit.
/// \param value    the exact value.
/// \param right    what should have been printed; checked against the value.
/// \param place    the line that a failure points at.
/// \throws std::invalid_argument as parse_printed().
void expect_misprinted(const std::string& document, const std::string& printed,
                       const Rational& value, const std::string& right,
                       SourceLocation place = SourceLocation::current());

/// Expects that a document's words, such as "larger", hold where a test looks, and notes it.
/// \param document `S1`, `S2` or `S3`.
/// \param words    the words, as the document has them.
/// \param hold     whether what they say is true here, as computed by the test.
/// \param place    the line that a failure points at.
void expect_confirmed(const std::string& document, const std::string& words, bool hold,
                      SourceLocation place = SourceLocation::current());

/// Expects that a document's words, such as "always", do not hold here, and notes the erratum.
/// \param document `S1`, `S2` or `S3`.
/// \param words    the words, as the document has them.
/// \param hold     whether what they say is true here, as computed by the test.
/// \param right    what is true instead.
/// \param place    the line that a failure points at.
void expect_refuted(const std::string& document, const std::string& words, bool hold,
                    const std::string& right, SourceLocation place = SourceLocation::current());

}  // namespace sqrtdk::testing
