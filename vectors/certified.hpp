// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the library adds to a case, and what is asked of it before it is written.
#pragma once

#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include "arithmetics.hpp"
#include "cases.hpp"
#include "enclosures.hpp"
#include "kernels.hpp"
#include "number_formats.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sqrtdk::vectors {

/// What a number must hit; nothing where nothing is promised.
using Accepted = std::optional<Interval<double>>;

/// What an arithmetic must hit in a case.
struct Promise {
  const Arithmetic* arithmetic;
  std::vector<Accepted> accepted;  ///< a result each, row by row
};

/// A case with exact results.
template <class Input>
struct Certified {
  Case<Input> typed;
  std::vector<Enclosure> exact;
  std::vector<Promise> promises;  ///< for the arithmetics whose format has all inputs
};

namespace detail {

/// Whether a format has all numbers of an input.
inline bool has_all(const Format& format, const SoftmaxInput& input) {
  return has(format, input.temperature) &&
         std::ranges::all_of(input.x, [&](double x) { return has(format, x); });
}

inline bool has_all(const Format& format, const AttentionInput& input) {
  const auto all = [&](const Eigen::MatrixXd& matrix) {
    return std::ranges::all_of(matrix.reshaped(), [&](double x) { return has(format, x); });
  };
  return all(input.queries) && all(input.keys) && all(input.values) &&
         has(format, input.options.scale.value_or(1)) &&
         (!input.options.bias || all(*input.options.bias));
}

/// The bound of the error of each result; nothing where nothing is promised.
inline std::vector<std::optional<Rational>> errors_of(const SoftmaxInput& input,
                                                      const std::vector<Enclosure>& exact,
                                                      const Arithmetic& arithmetic) {
  const auto n = static_cast<Eigen::Index>(input.x.size());
  const SoftmaxErrorBound bound = softmax_error_bound(
      Eigen::Map<const Eigen::VectorXd>(input.x.data(), n), input.temperature,
      arithmetic.declared(input.x.size(), input.temperature).magnified(1 / input.temperature));
  std::vector<std::optional<Rational>> errors(exact.size());
  for (std::size_t j = 0; j < errors.size(); ++j) {
    const double relative = bound.relative[static_cast<Eigen::Index>(j)];
    if (relative < 1)
      errors[j] = Rational(raised(relative)) * exact[j].upper + Rational(raised(bound.absolute));
  }
  return errors;
}

inline std::vector<std::optional<Rational>> errors_of(const AttentionInput& input,
                                                      const std::vector<Enclosure>&,
                                                      const Arithmetic& arithmetic) {
  const Eigen::MatrixXd bound =
      attention_error_bound<testing::Wide>(
          input.queries, input.keys, input.values, input.options,
          arithmetic.declared(static_cast<std::size_t>(input.keys.rows()), 1))
          .output;
  std::vector<std::optional<Rational>> errors;
  for (const double error : bound.reshaped<Eigen::RowMajor>()) {
    errors.emplace_back();
    if (std::isfinite(error)) errors.back() = Rational(raised(error));
  }
  return errors;
}

/// Whether results are as many as intervals, and in them.
inline bool hit(const std::vector<Accepted>& accepted, const std::vector<double>& results) {
  for (std::size_t i = 0; i < accepted.size(); ++i)
    if (accepted[i] && !(accepted[i]->lower <= results.at(i) && results[i] <= accepted[i]->upper))
      return false;
  return results.size() == accepted.size();
}

}  // namespace detail

/// Encloses the exact results of a case, and adds what each arithmetic promises.
template <class Input>
Certified<Input> certified(const Case<Input>& typed) {
  Certified<Input> made{typed, enclosed(typed.input), {}};
  for (const Arithmetic& arithmetic : arithmetics()) {
    if (!detail::has_all(arithmetic.format, typed.input)) continue;
    const auto errors = detail::errors_of(typed.input, made.exact, arithmetic);
    Promise promise{&arithmetic, std::vector<Accepted>(errors.size())};
    for (std::size_t i = 0; i < errors.size(); ++i) {
      if (!errors[i]) continue;
      // Results are numbers of the format: between the bounds, inward. No weight is negative.
      Rational lower = made.exact[i].lower - *errors[i];
      if (std::is_same_v<Input, SoftmaxInput> && lower < 0) lower = 0;
      promise.accepted[i] = {above(lower, arithmetic.format),
                             below(made.exact[i].upper + *errors[i], arithmetic.format)};
    }
    made.promises.push_back(std::move(promise));
  }
  return made;
}

/// Refuses cases that a right kernel misses, that do not catch what they name in every arithmetic that
/// keeps subnormal numbers and stores what it computes, and kernels with a bug that no case names.
/// \throws std::logic_error with what is wrong.
template <class Input>
void require_power(const std::vector<Certified<Input>>& cases) {
  std::set<std::string> bugs;
  for (const Bug& bug : bugs_of(Input{})) bugs.insert(bug.name);
  std::set<std::string> uncaught = bugs;
  for (const Certified<Input>& one : cases) {
    if (one.typed.catches.empty()) throw std::logic_error(one.typed.id + " catches nothing");
    for (const Promise& promise : one.promises) {
      const auto refuse = [&](const std::string& what) {
        throw std::logic_error(one.typed.id + ", " + promise.arithmetic->name + ": " + what);
      };
      const auto hits = [&](const std::string& kernel) {
        return detail::hit(promise.accepted,
                           results_of(kernel, one.typed.input, *promise.arithmetic));
      };
      for (const Variant& right : variants_of(Input{}))
        if (right.takes <= promise.arithmetic->freedom && !hits(right.name))
          refuse("a right kernel misses it: " + right.name);
      if (promise.arithmetic->freedom > Freedom::order) continue;
      for (const std::string& bug : one.typed.catches) {
        if (!bugs.contains(bug)) refuse("no bug is called " + bug);
        if (hits(bug)) refuse("does not catch " + bug);
        uncaught.erase(bug);
      }
    }
  }
  if (!uncaught.empty()) throw std::logic_error("no case catches " + *uncaught.begin());
}

}  // namespace sqrtdk::vectors
