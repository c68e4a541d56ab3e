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
#include "operations.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
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

/// All numbers of an input.
inline std::vector<double> numbers_of(const SoftmaxInput& input) {
  std::vector<double> all = input.x;
  all.push_back(input.temperature);
  return all;
}

inline std::vector<double> numbers_of(const AttentionInput& input) {
  std::vector<double> all;
  for (const Eigen::MatrixXd* matrix : {&input.queries, &input.keys, &input.values})
    all.insert(all.end(), matrix->reshaped().begin(), matrix->reshaped().end());
  if (input.options.scale) all.push_back(*input.options.scale);
  if (input.options.bias)
    all.insert(all.end(), input.options.bias->reshaped().begin(),
               input.options.bias->reshaped().end());
  return all;
}

/// The bound of each result; +∞ where nothing is promised.
inline std::vector<Rational> errors_of(const SoftmaxInput& input,
                                       const std::vector<Enclosure>& exact,
                                       const Arithmetic& arithmetic, std::vector<bool>& promised) {
  const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(input.x.data(), std::ssize(input.x));
  const SoftmaxErrorBound bound = softmax_error_bound(
      x, input.temperature,
      arithmetic.declared(input.x.size(), input.temperature).magnified(1 / input.temperature));
  std::vector<Rational> errors;
  for (std::size_t j = 0; j < exact.size(); ++j) {
    promised.push_back(!bound.vacuous(static_cast<Eigen::Index>(j)));
    errors.push_back(promised.back()
                         ? exactly(raised(bound.relative[static_cast<Eigen::Index>(j)])) *
                                   exact[j].upper +
                               exactly(raised(bound.absolute))
                         : Rational(0));
  }
  return errors;
}

inline std::vector<Rational> errors_of(const AttentionInput& input,
                                       const std::vector<Enclosure>& exact,
                                       const Arithmetic& arithmetic, std::vector<bool>& promised) {
  const SoftmaxArithmetic declared =
      arithmetic.declared(static_cast<std::size_t>(input.keys.rows()), 1);
  const Eigen::MatrixXd bound =
      attention_error_bound<testing::Wide>(input.queries, input.keys, input.values, input.options,
                                           declared)
          .output;
  std::vector<Rational> errors;
  for (std::size_t place = 0; place < exact.size(); ++place) {
    const auto width = static_cast<std::size_t>(bound.cols());
    const double error =
        bound(static_cast<Eigen::Index>(place / width), static_cast<Eigen::Index>(place % width));
    promised.push_back(std::isfinite(error));
    errors.push_back(promised.back() ? exactly(raised(error)) : Rational(0));
  }
  return errors;
}

/// The least number that a result can be: no weight is negative.
inline std::optional<Rational> least_of(const SoftmaxInput&) { return Rational(0); }
inline std::optional<Rational> least_of(const AttentionInput&) { return {}; }

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
  const std::vector<double> numbers = detail::numbers_of(typed.input);
  for (const Arithmetic& arithmetic : arithmetics()) {
    if (!std::all_of(numbers.begin(), numbers.end(),
                     [&](double x) { return has(arithmetic.format, x); }))
      continue;
    std::vector<bool> promised;
    const std::vector<Rational> errors =
        detail::errors_of(typed.input, made.exact, arithmetic, promised);
    Promise promise{&arithmetic, {}};
    for (std::size_t i = 0; i < errors.size(); ++i) {
      promise.accepted.emplace_back();
      if (!promised[i]) continue;
      // Results are numbers of the format: between the bounds, inward.
      const Rational lower = made.exact[i].lower - errors[i];
      const Rational least = detail::least_of(typed.input).value_or(lower);
      promise.accepted.back() = {above(std::max(lower, least), arithmetic.format),
                                 below(made.exact[i].upper + errors[i], arithmetic.format)};
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
