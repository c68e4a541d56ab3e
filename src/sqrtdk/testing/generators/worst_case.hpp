// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief An adversary: climbs to the input at which an error comes nearest to its bound.
///
/// Random cases miss where a bound is sharpest. worst_case() draws inputs, edges of the format too,
/// and changes each a little as long as the ratio of error to bound does not fall.
///
/// Compiled for the formats of formats.hpp; for others include worst_case_definitions.hpp.
#pragma once

#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/testing/generators/binary_float.hpp>
#include <sqrtdk/testing/laws/eigen_allocation.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>

#include <Eigen/Core>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// A length that arrays share, such as the number n of queries.
struct Axis {
  char name;                 ///< its letter in ArrayRange::axes, such as n
  std::size_t shortest = 1;  ///< the least length, at least 1
  std::size_t longest = 8;   ///< the greatest length, at least `shortest`
};

/// The arrays of one name to try.
template <BinaryFloat Real>
struct ArrayRange {
  /// \param name_of_array by which a law asks for it.
  /// \param letters  its axes: `""` for a number, `"n"` for a list, `"nd"` for a matrix.
  /// \param smallest the least entry.
  /// \param largest  the greatest entry.
  /// \param infinite whether an entry may be −∞ as well.
  ArrayRange(std::string name_of_array, std::string letters = "",
             Real smallest = std::numeric_limits<Real>::lowest(),
             Real largest = std::numeric_limits<Real>::max(), bool infinite = false)
      : name(std::move(name_of_array)),
        axes(std::move(letters)),
        lower(smallest),
        upper(largest),
        minus_infinity(infinite) {}

  std::string name;     ///< by which a law asks for it
  std::string axes;     ///< the letters of its axes
  Real lower;           ///< the least entry but −∞; by default the lowest finite one
  Real upper;           ///< the greatest entry; by default the largest finite one
  bool minus_infinity;  ///< true if an entry may be −∞ as well
};

/// The inputs to try: arrays of numbers, of all sizes and magnitudes that are allowed.
template <BinaryFloat Real>
struct InputSpace {
  std::vector<Axis> axes;                ///< the lengths, each with a letter of its own
  std::vector<ArrayRange<Real>> arrays;  ///< what the law takes; at least one
};

/// Lists of 1 to `longest` `scores`, any finite numbers, and a `temperature`, any positive number.
/// \relatesalso InputSpace
template <BinaryFloat Real>
InputSpace<Real> scores_and_temperature(std::size_t longest = 8);

/// Named arrays of numbers: one input of a law.
template <BinaryFloat Real>
class Arrays {
 public:
  /// One of the arrays.
  struct Array {
    std::string name;           ///< by which a law asks for it
    std::size_t rows;           ///< length of its first axis; 1 if it has none
    std::size_t columns;        ///< length of its second axis; 1 if it has none
    std::vector<Real> entries;  ///< rows · columns numbers, row by row
  };

  /// \param arrays whose names differ, and whose entries are as many as rows · columns.
  explicit Arrays(std::vector<Array> arrays) : arrays_(std::move(arrays)) {}

  /// The entries of an array, row by row.
  /// \throws std::invalid_argument if there is no array of that name.
  const std::vector<Real>& list(std::string_view name) const { return find(name).entries; }
  /// The entry of an array without axes.
  /// \throws std::invalid_argument as list().
  Real number(std::string_view name) const { return find(name).entries.front(); }
  /// An array with two axes.
  /// \throws std::invalid_argument as list().
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> matrix(std::string_view name) const;

  const std::vector<Array>& all() const { return arrays_; }  ///< in the order of the space
  std::vector<Array>& all() { return arrays_; }              ///< in the order of the space

  /// `scores = {0x1p+0, -0x1.8p-3}, temperature = 0x1p+0`: numbers in hex, so that none is rounded.
  std::string text() const;

 private:
  const Array& find(std::string_view name) const;
  std::vector<Array> arrays_;
};

/// The limits of a search, and its seed.
struct Search {
  std::uint64_t seed = 0;           ///< the same seed gives the same search
  std::size_t evaluations = 10000;  ///< calls of the law, at least 1
  double stop_above = 1;            ///< a greater ratio ends the search
  std::size_t patience = 60;        ///< so many changes that do not help end a climb; 0 tries
                                    ///< unrelated inputs only, which is random search
};

/// The worst input of a search.
template <BinaryFloat Real>
struct Worst {
  Arrays<Real> input;      ///< the input with the greatest ratio that was found
  double ratio = -1;       ///< error / bound; −1 if every bound was vacuous or no input was valid
  double error = 0;        ///< the error at this input
  double bound = 0;        ///< the bound at this input
  std::string where = "";  ///< the law's words on it
  std::size_t evaluations = 0;  ///< calls of the law
};

/// The result of a law with an error and a bound: an Outcome, or any such struct.
template <class Found>
concept ErrorAndBound = requires(const Found& outcome) {
  { outcome.error } -> std::convertible_to<double>;
  { outcome.bound } -> std::convertible_to<double>;
  { outcome.vacuous } -> std::convertible_to<bool>;
};

/// Error over bound: 0 for no error; +∞ for NaN in either, or an error beyond a bound of 0; −1 if
/// the bound is vacuous or infinite.
template <ErrorAndBound Found>
double ratio_of(const Found& outcome);

/// The input with the greatest ratio of error to bound that a search finds.
///
/// Hill climbing from many starts. A start draws lengths, mostly short, and entries of ordinary
/// size, of any size or at an edge of the format, alone or all of one magnitude. A step changes one
/// entry (by ulps, a power of two, its sign, a tie, an edge ±1 ulp, −∞, a combination), an array or
/// everything (a power of two, a shift, the order), or a length, and is kept if the ratio is no
/// less. Every other climb goes on from the best so far.
/// \param space  which inputs are tried.
/// \param search seed and budget.
/// \param law    a callable that takes `const Arrays<Real>&` and returns error and bound; an input
///               on which it throws std::domain_error or std::invalid_argument, or calls the bound
///               vacuous, is outside of its domain.
/// \throws std::domain_error if the budget is 0.
/// \throws std::invalid_argument if the space is empty, an axis or a range has nothing in it, or an
///         array has an axis that the space has not.
/// \relatesalso Worst
template <BinaryFloat Real, class Law>
Worst<Real> worst_case(const InputSpace<Real>& space, const Search& search, const Law& law);

/// `error … of a bound of …, the worst of … evaluations: where, at input`.
/// \relatesalso Worst
template <BinaryFloat Real>
std::string text(const Worst<Real>& worst);

/// Writes the text of the worst input.
/// \relatesalso Worst
template <BinaryFloat Real>
std::ostream& operator<<(std::ostream& out, const Worst<Real>& worst);

namespace detail {

template <ErrorAndBound Found>
Outcome outcome_of(const Found& found) {
  Outcome outcome{
      .error = found.error, .bound = found.bound, .vacuous = found.vacuous, .where = {}};
  if constexpr (requires { std::string(found.where); }) outcome.where = found.where;
  return outcome;
}

double ratio_of(double error, double bound, bool vacuous);

template <BinaryFloat Real>
Worst<Real> worst_case(const InputSpace<Real>& space, const Search& search,
                       const std::function<Outcome(const Arrays<Real>&)>& law);

}  // namespace detail

template <ErrorAndBound Found>
double ratio_of(const Found& outcome) {
  return detail::ratio_of(outcome.error, outcome.bound, outcome.vacuous);
}

template <BinaryFloat Real, class Law>
Worst<Real> worst_case(const InputSpace<Real>& space, const Search& search, const Law& law) {
  return detail::worst_case<Real>(
      space, search, [&](const Arrays<Real>& input) { return detail::outcome_of(law(input)); });
}

}  // namespace sqrtdk::testing
