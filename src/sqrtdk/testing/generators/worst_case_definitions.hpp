// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Definitions of worst_case.hpp, for numbers of any type.
#pragma once

#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/testing/generators/float_classes_definitions.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/laws/formats.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

template <BinaryFloat Real>
InputSpace<Real> scores_and_temperature(std::size_t longest) {
  return {
      .axes = {{.name = 'n', .longest = longest}},
      .arrays = {{"scores", "n"}, {"temperature", "", std::numeric_limits<Real>::denorm_min()}}};
}

template <BinaryFloat Real>
const typename Arrays<Real>::Array& Arrays<Real>::find(std::string_view name) const {
  for (const Array& array : arrays_)
    if (array.name == name) return array;
  throw std::invalid_argument("the input has no array '" + std::string(name) + "'");
}

template <BinaryFloat Real>
Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> Arrays<Real>::matrix(
    std::string_view name) const {
  const Array& array = find(name);
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> result(
      static_cast<Eigen::Index>(array.rows), static_cast<Eigen::Index>(array.columns));
  for (std::size_t i = 0; i < array.rows; ++i)
    for (std::size_t j = 0; j < array.columns; ++j)
      result(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          array.entries[i * array.columns + j];
  return result;
}

template <BinaryFloat Real>
std::string Arrays<Real>::text() const {
  // The leading digit of a hexadecimal double is 1; that of a long double may be any.
  constexpr bool fits = std::numeric_limits<Real>::digits <= std::numeric_limits<double>::digits;
  using Shown = std::conditional_t<fits, double, long double>;
  std::string text;
  for (const Array& array : arrays_) {
    text += (text.empty() ? "" : ", ") + array.name + " = ";
    const bool list = array.rows * array.columns > 1;
    text += list ? "{" : "";
    for (std::size_t i = 0; i < array.entries.size(); ++i) {
      const std::string pair = format_hex_and_decimal(static_cast<Shown>(array.entries[i]));
      const bool row_ends = i > 0 && i % array.columns == 0 && array.columns > 1;
      text += (i == 0 ? "" : row_ends ? "; " : ", ") + pair.substr(0, pair.find(" = "));
    }
    text += list ? "}" : "";
  }
  return text;
}

namespace detail {

/// Draws inputs of a space, and changes them.
template <BinaryFloat Real>
class Adversary {
 public:
  Adversary(const InputSpace<Real>& space, std::uint64_t seed)
      : space_(space), stream_(Stream::ukey_type{{seed, 0x776f727374}}) {
    if (space.arrays.empty()) throw std::invalid_argument("the space of inputs has no array");
    for (const Axis& axis : space.axes)
      if (axis.shortest < 1 || axis.longest < axis.shortest)
        throw std::invalid_argument(std::string("the axis ") + axis.name +
                                    " has no length, but must have one, from 1 on");
    for (const auto& range : space.arrays) {
      if (!(range.lower <= range.upper))
        throw std::invalid_argument("no number may be an entry of " + range.name);
      for (const char axis : range.axes) place_of(axis);
    }
  }

  /// An unrelated input.
  Arrays<Real> drawn() {
    std::vector<std::size_t> lengths;
    for (const Axis& axis : space_.axes) {
      // Short ones more often: a list of two shows most faults, and is evaluated sooner.
      const std::size_t span = axis.longest - axis.shortest + 1;
      lengths.push_back(axis.shortest + std::min(below(span), below(span)));
    }
    std::vector<typename Arrays<Real>::Array> arrays;
    const Magnitude common = drawn_magnitude();
    const bool shared = one_in(3);
    for (const auto& range : space_.arrays) {
      const std::size_t rows = range.axes.empty() ? 1 : lengths[place_of(range.axes[0])];
      const std::size_t columns = range.axes.size() < 2 ? 1 : lengths[place_of(range.axes[1])];
      const Magnitude magnitude = shared ? common : drawn_magnitude();
      std::vector<Real> entries(rows * columns);
      for (Real& entry : entries) entry = drawn_entry(range, magnitude);
      arrays.push_back({range.name, rows, columns, std::move(entries)});
    }
    return Arrays<Real>(std::move(arrays));
  }

  /// An input with one thing changed, or a few.
  Arrays<Real> changed(Arrays<Real> input) {
    std::size_t changes = 1;
    while (changes < 3 && one_in(3)) ++changes;
    for (; changes > 0; --changes) change(input);
    return input;
  }

 private:
  using Limits = std::numeric_limits<Real>;
  using F = Format<Real>;
  using Array = typename Arrays<Real>::Array;

  /// The magnitude that the entries of an array share; none if each has its own.
  struct Magnitude {
    bool shared;
    int exponent;
  };

  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(static_cast<double>(n) * uniform(stream_));
  }
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::size_t>(high - low + 1)));
  }
  bool one_in(std::size_t n) { return below(n) == 0; }
  long double sign() { return one_in(2) ? -1 : 1; }

  std::size_t place_of(char axis) const {
    for (std::size_t i = 0; i < space_.axes.size(); ++i)
      if (space_.axes[i].name == axis) return i;
    throw std::invalid_argument(std::string("the space of inputs has no axis '") + axis + "'");
  }

  Magnitude drawn_magnitude() {
    const std::size_t kind = below(4);
    if (kind == 0) return {false, 0};
    return {true, kind == 1 ? between(F::bottom, F::highest) : between(-4, 6)};
  }

  // Every draw is a statement of its own: the order of evaluation within one is the compiler's.

  /// A number from 1 to 2, often with few digits.
  long double drawn_mantissa() {
    const auto mantissa = static_cast<long double>(1 + uniform(stream_));
    if (one_in(2)) return mantissa;
    return std::round(std::ldexp(mantissa, 3)) / 8;
  }

  Real drawn_edge() {
    const auto& edges = boundaries<Real>();
    const Real edge = edges[below(edges.size())];
    const std::size_t beside = below(3);
    return beside == 0 ? edge : beside == 1 ? F::next(edge) : F::previous(edge);
  }

  Real drawn_entry(const ArrayRange<Real>& range, Magnitude magnitude) {
    if (range.minus_infinity && one_in(6)) return -Limits::infinity();
    const std::size_t kind = below(12);
    if (kind == 0) return within(range, static_cast<long double>(between(0, 1)));
    if (kind == 1) return within(range, signed_edge());
    if (kind == 2) return one_in(2) ? range.lower : range.upper;
    const int exponent =
        magnitude.shared ? magnitude.exponent + between(-2, 0) : between(F::bottom, F::highest);
    return within(range, signed_number(exponent));
  }

  /// A number of the magnitude 2^exponent, of either sign.
  long double signed_number(int exponent) {
    const long double mantissa = drawn_mantissa();
    return sign() * std::ldexp(mantissa, exponent);
  }

  long double signed_edge() {
    const auto edge = static_cast<long double>(drawn_edge());
    return sign() * edge;
  }

  /// The nearest entry that is allowed; of the other sign if only that is.
  Real within(const ArrayRange<Real>& range, long double x) {
    if (!(x == x)) x = 0;
    if (x < static_cast<long double>(range.lower) && -x > x) x = -x;
    if (x > static_cast<long double>(range.upper)) return range.upper;
    if (x < static_cast<long double>(range.lower)) return range.lower;
    return static_cast<Real>(x);
  }

  /// A factor that keeps all digits: often 2 or ½, or else any power of two.
  int drawn_power() {
    const int span = F::highest - F::bottom;
    const int power = one_in(3) ? between(1, span) : between(1, 4);
    return static_cast<int>(sign()) * power;
  }

  void change(Arrays<Real>& input) {
    const std::size_t place = below(input.all().size());
    Array& array = input.all()[place];
    const ArrayRange<Real>& range = space_.arrays[place];
    switch (below(8)) {
      case 0:
        return change_everything(input);
      case 1:
        return change_array(array, range);
      case 2:
        return change_length(input);
      default:
        return change_entry(input, array, range);
    }
  }

  const Real& any_entry(const Arrays<Real>& input) {
    const Array& array = input.all()[below(input.all().size())];
    return array.entries[below(array.entries.size())];
  }

  void change_entry(const Arrays<Real>& input, Array& array, const ArrayRange<Real>& range) {
    Real& entry = array.entries[below(array.entries.size())];
    const Real& neighbour = array.entries[below(array.entries.size())];
    const auto x = static_cast<long double>(entry);
    const auto y = static_cast<long double>(neighbour);
    const auto z = static_cast<long double>(any_entry(input));
    switch (below(10)) {
      case 0:  // a few units in the last place
        entry = moved_by_ulps(range, x, static_cast<long double>(between(1, 3)));
        return;
      case 1:  // more of them
      case 2:
        entry = moved_by_ulps(range, x,
                              std::abs(signed_number(between(1, between(1, Limits::digits - 1)))));
        return;
      case 3:
        entry = within(range, std::ldexp(x, drawn_power()));
        return;
      case 4:
        entry = within(range, -x);
        return;
      case 5:  // a tie
        entry = neighbour;
        return;
      case 6:
        entry = within(range, signed_edge());
        return;
      case 7:  // beside another one, at a distance in the scale of a third
        entry = within(range, y + z * signed_number(between(-4, 6)));
        return;
      case 8:  // fewer digits
        entry = static_cast<Real>(with_digits(x, between(1, 8)));
        if (!(entry >= range.lower && entry <= range.upper)) entry = within(range, x);
        return;
      default:
        entry = drawn_entry(range, drawn_magnitude());
    }
  }

  Real moved_by_ulps(const ArrayRange<Real>& range, long double x, long double ulps) {
    if (!std::isfinite(x)) return static_cast<Real>(x);
    const int exponent = x == 0 ? F::lowest : std::max(std::ilogb(x), F::lowest);
    return within(range,
                  x + sign() * std::round(ulps) * std::ldexp(1.0L, exponent - Limits::digits + 1));
  }

  static long double with_digits(long double x, int digits) {
    if (x == 0 || !std::isfinite(x)) return x;
    const int shift = digits - 1 - std::ilogb(x);
    return std::ldexp(std::round(std::ldexp(x, shift)), -shift);
  }

  void change_everything(Arrays<Real>& input) {
    const int power = drawn_power();
    for (std::size_t i = 0; i < input.all().size(); ++i)
      for (Real& entry : input.all()[i].entries) entry = scaled(space_.arrays[i], entry, power);
  }

  Real scaled(const ArrayRange<Real>& range, Real entry, int power) {
    const auto x = static_cast<long double>(entry);
    return std::isfinite(x) ? within(range, std::ldexp(x, power)) : entry;
  }

  void change_array(Array& array, const ArrayRange<Real>& range) {
    auto& entries = array.entries;
    const std::size_t kind = below(4);
    const int power = drawn_power();
    const auto shift = static_cast<long double>(drawn_entry(range, drawn_magnitude()));
    if (kind == 0) {
      std::reverse(entries.begin(), entries.end());
    } else if (kind == 1) {
      std::swap(entries[below(entries.size())], entries[below(entries.size())]);
    } else {
      for (Real& entry : entries) {
        if (kind == 2) entry = scaled(range, entry, power);
        const auto x = static_cast<long double>(entry);
        if (kind == 3 && std::isfinite(x) && std::isfinite(shift)) entry = within(range, x + shift);
      }
    }
  }

  /// One slice more or less, or every slice twice.
  void change_length(Arrays<Real>& input) {
    if (space_.axes.empty()) return;
    const Axis& axis = space_.axes[below(space_.axes.size())];
    const std::size_t length = length_of(input, axis.name);
    if (length == 0) return;
    std::vector<std::size_t> slices(length);
    for (std::size_t i = 0; i < length; ++i) slices[i] = i;
    const std::size_t place = below(length);
    const std::size_t kind = below(5);
    if (kind < 2 && length > axis.shortest) {
      slices.erase(slices.begin() + static_cast<std::ptrdiff_t>(place));
    } else if (kind < 4 && length < axis.longest) {
      slices.push_back(place);
    } else if (kind == 4) {
      for (std::size_t i = 0; i < length && slices.size() < axis.longest; ++i) slices.push_back(i);
    }
    for (std::size_t i = 0; i < input.all().size(); ++i)
      take_slices(input.all()[i], space_.arrays[i].axes, axis.name, slices);
  }

  std::size_t length_of(const Arrays<Real>& input, char axis) const {
    for (std::size_t i = 0; i < input.all().size(); ++i) {
      const std::size_t place = space_.arrays[i].axes.find(axis);
      if (place != std::string::npos)
        return place == 0 ? input.all()[i].rows : input.all()[i].columns;
    }
    return 0;
  }

  static void take_slices(Array& array, const std::string& axes, char axis,
                          const std::vector<std::size_t>& slices) {
    const bool by_row = !axes.empty() && axes[0] == axis;
    const bool by_column = axes.size() > 1 && axes[1] == axis;
    if (!by_row && !by_column) return;
    const std::size_t rows = by_row ? slices.size() : array.rows;
    const std::size_t columns = by_column ? slices.size() : array.columns;
    std::vector<Real> entries;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        entries.push_back(
            array.entries[(by_row ? slices[i] : i) * array.columns + (by_column ? slices[j] : j)]);
    array.rows = rows;
    array.columns = columns;
    array.entries = std::move(entries);
  }

  const InputSpace<Real>& space_;
  Stream stream_;
};

template <BinaryFloat Real>
Worst<Real> worst_case(const InputSpace<Real>& space, const Search& search,
                       const std::function<Outcome(const Arrays<Real>&)>& law) {
  if (search.evaluations == 0)
    throw std::domain_error("the number of evaluations is 0, but must be at least 1");
  Adversary<Real> adversary(space, search.seed);
  std::size_t evaluations = 0;
  const auto evaluated = [&](Arrays<Real> input) {
    ++evaluations;
    Worst<Real> found{.input = std::move(input)};
    try {
      const Outcome outcome = law(found.input);
      found.ratio = testing::ratio_of(outcome);
      found.error = outcome.error;
      found.bound = outcome.bound;
      found.where = outcome.where;
    } catch (const std::domain_error&) {
    } catch (const std::invalid_argument&) {
    }
    return found;
  };

  Worst<Real> best = evaluated(adversary.drawn());
  const auto goes_on = [&] {
    return evaluations < search.evaluations && !(best.ratio > search.stop_above);
  };
  const auto keep_if_worse = [&best](const Worst<Real>& found) {
    if (found.ratio > best.ratio) best = found;
  };
  for (bool from_best = true; goes_on(); from_best = !from_best) {
    if (search.patience == 0) from_best = false;
    Worst<Real> current = from_best ? best : evaluated(adversary.drawn());
    keep_if_worse(current);
    for (std::size_t idle = 0; idle < search.patience && goes_on();) {
      Worst<Real> next = evaluated(adversary.changed(current.input));
      keep_if_worse(next);
      idle = next.ratio > current.ratio ? 0 : idle + 1;
      if (next.ratio >= current.ratio) current = std::move(next);
    }
  }
  best.evaluations = evaluations;
  return best;
}

}  // namespace detail

template <BinaryFloat Real>
std::string text(const Worst<Real>& worst) {
  std::ostringstream out = plain_stream();
  out << "error " << worst.error << " of a bound of " << worst.bound << ", the worst of "
      << worst.evaluations << " evaluations" << (worst.where.empty() ? "" : ": ") << worst.where
      << ", at " << worst.input.text();
  return out.str();
}

template <BinaryFloat Real>
std::ostream& operator<<(std::ostream& out, const Worst<Real>& worst) {
  return out << text(worst);
}

#define SQRTDK_WORST_CASE(prefix, Real)                                                            \
  prefix template class Arrays<Real>;                                                              \
  prefix template InputSpace<Real> scores_and_temperature(std::size_t);                            \
  prefix template Worst<Real> detail::worst_case(                                                  \
      const InputSpace<Real>&, const Search&, const std::function<Outcome(const Arrays<Real>&)>&); \
  prefix template std::string text(const Worst<Real>&);                                            \
  prefix template std::ostream& operator<<(std::ostream&, const Worst<Real>&);
SQRTDK_FOR_EACH_FORMAT(SQRTDK_WORST_CASE, extern)

}  // namespace sqrtdk::testing
