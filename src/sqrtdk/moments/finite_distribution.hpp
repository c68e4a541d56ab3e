// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref moments : distributions with finitely many outcomes, exactly.
#pragma once

#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sqrtdk {

/// A distribution with finitely many outcomes and exact rational probabilities; copied and
/// compared.
///
/// The outcomes are kept sorted, distinct and with positive probability, so two distributions are
/// equal exactly if they are the same distribution.
///
/// The moments and their rules are in sqrtdk/moments.hpp, dot products in sqrtdk/score.hpp and
/// sqrtdk/score/dependence.hpp.
///
/// \snippet{trimleft} tests/finite_distribution_tests.cpp FiniteDistribution
///
/// \tparam Outcome what is drawn: a number, or a tuple of numbers for a joint distribution; ordered
///                 by `<`, and equal by `==` as that order has it.
template <class Outcome = Rational>
class FiniteDistribution {
 public:
  /// An outcome and its probability.
  struct Atom {
    Outcome outcome;       ///< a value that X takes, with positive probability
    Rational probability;  ///< its probability, in (0, 1]
    /// Equal outcomes with equal probabilities.
    friend bool operator==(const Atom&, const Atom&) = default;
  };

  /// The distribution that gives `outcomes[i]` the probability `probabilities[i]`.
  /// \param outcomes      n outcomes, n at least 1; equal ones are merged.
  /// \param probabilities n probabilities, nonnegative, with sum exactly 1.
  /// \throws std::invalid_argument if one of these rules is broken; the message names the value.
  FiniteDistribution(const std::vector<Outcome>& outcomes,
                     const std::vector<Rational>& probabilities);

  /// The distribution that draws each entry of a list equally often.
  /// \param values n values, n at least 1; an entry that stands twice is drawn twice as often.
  /// \throws std::invalid_argument if the list is empty.
  static FiniteDistribution uniform(const std::vector<Outcome>& values);

  /// The outcomes with their probabilities, sorted by outcome.
  const std::vector<Atom>& atoms() const { return atoms_; }

  /// The distribution of f(X).
  /// \param function maps an outcome to anything ordered.
  template <std::invocable<const Outcome&> Function>
  auto image(Function function) const;

  /// E f(X), the sum of p·f(x) over the outcomes.
  /// \param function maps an outcome to a Rational or a floating-point number, in whose type the
  ///                 sum is taken; exact for Rational. Not to `int` or `bool`, in which p would
  ///                 become 0 or 1: that does not compile.
  template <std::invocable<const Outcome&> Function>
  requires(!std::integral<std::decay_t<
               std::invoke_result_t<Function, const Outcome&>>>) auto expectation(Function function)
      const;

  /// True if two distributions are the same.
  friend bool operator==(const FiniteDistribution&, const FiniteDistribution&) = default;

 private:
  template <class Other>
  friend class FiniteDistribution;

  explicit FiniteDistribution(std::vector<Atom> atoms);

  std::vector<Atom> atoms_;
};

/// A distribution of rational numbers, the usual case.
using RationalDistribution = FiniteDistribution<Rational>;

/// The joint distribution of independent X and Y.
/// \relatesalso FiniteDistribution
template <class X, class Y>
FiniteDistribution<std::pair<X, Y>> independent(const FiniteDistribution<X>& x,
                                                const FiniteDistribution<Y>& y);

/// The distribution of XY for independent X and Y.
/// \relatesalso FiniteDistribution
template <class Scalar>
FiniteDistribution<Scalar> product(const FiniteDistribution<Scalar>& x,
                                   const FiniteDistribution<Scalar>& y);

/// The distribution of X + Y for independent X and Y: their convolution.
/// \relatesalso FiniteDistribution
template <class Scalar>
FiniteDistribution<Scalar> sum(const FiniteDistribution<Scalar>& x,
                               const FiniteDistribution<Scalar>& y);

/// The distribution of the sum of n independent copies of X, by repeated squaring.
/// \param distribution the distribution of X.
/// \param count        n, at least 0; the empty sum is 0.
/// \relatesalso FiniteDistribution
template <class Scalar>
FiniteDistribution<Scalar> sum_of_copies(FiniteDistribution<Scalar> distribution,
                                         std::size_t count);

/// Writes `{-1: 1/2, 1: 1/2}`, the form in which counterexamples are shown.
/// \relatesalso FiniteDistribution
template <class Outcome>
std::ostream& operator<<(std::ostream& out, const FiniteDistribution<Outcome>& distribution);

// Implementation

namespace detail {

inline void write_outcome(std::ostream& out, const Rational& outcome) { out << outcome; }

template <class X, class Y>
void write_outcome(std::ostream& out, const std::pair<X, Y>& outcome) {
  out << '(' << outcome.first << ", " << outcome.second << ')';
}

template <class X>
void write_outcome(std::ostream& out, const std::vector<X>& outcome) {
  const char* separator = "(";
  for (const X& x : outcome) out << std::exchange(separator, ", ") << x;
  out << ')';
}

}  // namespace detail

template <class Outcome>
FiniteDistribution<Outcome>::FiniteDistribution(const std::vector<Outcome>& outcomes,
                                                const std::vector<Rational>& probabilities)
    : FiniteDistribution([&] {
        if (outcomes.size() != probabilities.size())
          throw std::invalid_argument("there are " + std::to_string(outcomes.size()) +
                                      " outcomes but " + std::to_string(probabilities.size()) +
                                      " probabilities; each outcome needs one");
        std::vector<Atom> atoms;
        for (std::size_t i = 0; i < outcomes.size(); ++i)
          atoms.push_back({outcomes[i], probabilities[i]});
        return atoms;
      }()) {}

template <class Outcome>
FiniteDistribution<Outcome>::FiniteDistribution(std::vector<Atom> atoms) {
  if (atoms.empty()) throw std::invalid_argument("a distribution needs at least one outcome");
  std::sort(atoms.begin(), atoms.end(),
            [](const Atom& a, const Atom& b) { return a.outcome < b.outcome; });
  Rational total = 0;
  for (Atom& atom : atoms) {
    if (atom.probability < 0)
      throw std::invalid_argument("a probability is " + to_text(atom.probability) +
                                  ", but must be at least 0");
    total += atom.probability;
    if (atom.probability == 0) continue;
    if (!atoms_.empty() && atoms_.back().outcome == atom.outcome)
      atoms_.back().probability += atom.probability;
    else
      atoms_.push_back(std::move(atom));
  }
  if (total != 1)
    throw std::invalid_argument("the probabilities sum to " + to_text(total) +
                                ", but must sum to exactly 1");
}

template <class Outcome>
FiniteDistribution<Outcome> FiniteDistribution<Outcome>::uniform(
    const std::vector<Outcome>& values) {
  return {values, std::vector<Rational>(values.size(),
                                        Rational(1, static_cast<unsigned long long>(
                                                        std::max<std::size_t>(values.size(), 1))))};
}

template <class Outcome>
template <std::invocable<const Outcome&> Function>
auto FiniteDistribution<Outcome>::image(Function function) const {
  using Result = FiniteDistribution<std::decay_t<std::invoke_result_t<Function, const Outcome&>>>;
  std::vector<typename Result::Atom> atoms;
  atoms.reserve(atoms_.size());
  for (const Atom& atom : atoms_) atoms.push_back({function(atom.outcome), atom.probability});
  return Result(std::move(atoms));
}

template <class Outcome>
template <std::invocable<const Outcome&> Function>
requires(!std::integral<std::decay_t<
             std::invoke_result_t<Function, const Outcome&>>>) auto FiniteDistribution<Outcome>::
    expectation(Function function) const {
  using Result = std::decay_t<std::invoke_result_t<Function, const Outcome&>>;
  Result total(0);
  for (const Atom& atom : atoms_)
    total += static_cast<Result>(atom.probability) * function(atom.outcome);
  return total;
}

template <class X, class Y>
FiniteDistribution<std::pair<X, Y>> independent(const FiniteDistribution<X>& x,
                                                const FiniteDistribution<Y>& y) {
  std::vector<std::pair<X, Y>> outcomes;
  std::vector<Rational> probabilities;
  for (const auto& a : x.atoms())
    for (const auto& b : y.atoms()) {
      outcomes.emplace_back(a.outcome, b.outcome);
      probabilities.push_back(a.probability * b.probability);
    }
  return {outcomes, probabilities};
}

template <class Scalar>
FiniteDistribution<Scalar> product(const FiniteDistribution<Scalar>& x,
                                   const FiniteDistribution<Scalar>& y) {
  return independent(x, y).image([](const auto& xy) { return Scalar(xy.first * xy.second); });
}

template <class Scalar>
FiniteDistribution<Scalar> sum(const FiniteDistribution<Scalar>& x,
                               const FiniteDistribution<Scalar>& y) {
  return independent(x, y).image([](const auto& xy) { return Scalar(xy.first + xy.second); });
}

template <class Scalar>
FiniteDistribution<Scalar> sum_of_copies(FiniteDistribution<Scalar> distribution,
                                         std::size_t count) {
  auto total = FiniteDistribution<Scalar>::uniform({Scalar(0)});
  for (; count > 0; count /= 2) {
    if (count % 2 == 1) total = sum(total, distribution);
    if (count > 1) distribution = sum(distribution, distribution);
  }
  return total;
}

template <class Outcome>
std::ostream& operator<<(std::ostream& out, const FiniteDistribution<Outcome>& distribution) {
  const char* separator = "{";
  for (const auto& atom : distribution.atoms()) {
    out << std::exchange(separator, ", ");
    detail::write_outcome(out, atom.outcome);
    out << ": " << atom.probability;
  }
  return out << '}';
}

}  // namespace sqrtdk
