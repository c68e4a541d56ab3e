// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The laws that a kernel is held to, and the cases, for any program that tries them.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/testing/generators/attention_cases_definitions.hpp>
#include <sqrtdk/testing/generators/random_source.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/run_apart.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

/// One call of a softmax.
template <class Real>
struct SoftmaxCase {
  std::vector<Real> scores;
  Real temperature = Real(1);
};

template <class Real>
std::string numbers_text(const std::vector<Real>& numbers) {
  std::vector<std::string> texts;
  for (const Real number : numbers)
    texts.push_back(format_digits(static_cast<Compute<Real>>(number)));
  return list_text(texts);
}

template <class Real>
struct Shown<SoftmaxCase<Real>> {
  static void show(const SoftmaxCase<Real>& input, std::ostream& out) {
    out << "scores [" << numbers_text(input.scores) << "], temperature "
        << format_digits(static_cast<Compute<Real>>(input.temperature));
  }
};

/// The number of cases for results that are broken on purpose.
inline constexpr std::size_t broken_cases = 60;
/// The number of cases tried to make a failing one simpler.
inline constexpr std::size_t patience = 1500;

/// Said of a case that is kept when it is tried again.
inline constexpr const char* remembers =
    "\nthe same case was kept when it was tried again: the kernel remembers, or draws";

/// A size of cases, such as their keys, and its least and its greatest value in a campaign.
template <class Case>
struct Size {
  std::string name;
  std::function<Eigen::Index(const Case&)> of;
  Eigen::Index least = 0, most = 0;
};

/// A name and what is called by it, for one case.
template <class Case>
using Law = std::pair<std::string, std::function<Outcome(const Case&)>>;

/// The nearest approach of a law to its bound, or the count of a broken result.
struct Found {
  std::size_t silent = 0, tried = 0, caught = 0;
  double ratio = 0;
  std::string where;
};

/// A kernel and its laws, and what was found of them.
template <class Case>
struct Campaign {
  std::string kind;                                       ///< the kernel's kind
  std::vector<Case> fixed;                                ///< the cases to try first
  std::function<Case(RandomSource&)> draw;                ///< the next ones
  std::function<std::vector<Case>(const Case&)> shrinks;  ///< cases simpler than one
  std::vector<Law<Case>> laws;                            ///< those it is held to
  std::vector<Law<Case>> broken;      ///< the first law, of results that must not be accepted
  std::vector<std::string> left;      ///< cases not tried
  std::vector<Size<Case>> sizes;      ///< the sizes of the cases that are tried
  unsigned seconds = 0;               ///< that a case has in a process of its own; 0: no process
  std::vector<Found> of_law = {};     ///< the finding of each law
  std::vector<Found> of_broken = {};  ///< and of each broken result
  std::size_t tried = 0;              ///< cases that kept all laws

  /// The first law that a case breaks, and how; nothing if all are kept, which is noted.
  /// \param decides of which outcomes one is enough; without one it is the first of others.
  std::optional<std::pair<std::string, Outcome>> broken_by(
      const Case& input,
      const std::function<bool(const Outcome&)>& decides = [](const Outcome&) { return true; }) {
    if (const std::string end = end_apart(input); !end.empty())
      return std::pair(std::string("the call"), testing::broken("the kernel ended: " + end));
    std::optional<std::pair<std::string, Outcome>> first;
    of_law.resize(laws.size());
    for (std::size_t i = 0; i < laws.size(); ++i) {
      const Outcome outcome = laws[i].second(input);
      if (!outcome.holds()) {
        if (!first || decides(outcome)) first = std::pair{laws[i].first, outcome};
        if (decides(outcome)) return first;
        continue;
      }
      if (outcome.vacuous) ++of_law[i].silent;
      const bool says = outcome.bound > 0 && std::isfinite(outcome.bound);
      const double nearer = says ? outcome.error / outcome.bound : 0;
      if (!(nearer > of_law[i].ratio)) continue;
      of_law[i].ratio = nearer;
      of_law[i].where = outcome.where;
    }
    return first;
  }

  /// How a process ends that tries a case and does not come back; empty if it does.
  std::string end_apart(const Case& input) const {
    if (seconds == 0) return "";
    return run_apart(
               [&] {
                 for (const auto& law : laws) {
                   try {
                     law.second(input);
                   } catch (...) {  // NOLINT(bugprone-empty-catch): seen when it is tried here
                   }
                 }
                 return 0;
               },
               seconds)
        .cause;
  }

  /// Counts a case that kept all laws, and tries broken results on it, if they can be computed.
  void count(const Case& input) {
    of_broken.resize(broken.size());
    for (Size<Case>& size : sizes) {
      const Eigen::Index is = size.of(input);
      size.least = tried == 0 ? is : std::min(size.least, is);
      size.most = std::max(size.most, is);
    }
    if (++tried > broken_cases) return;
    for (std::size_t i = 0; i < broken.size(); ++i) {
      try {
        if (!broken[i].second(input).holds()) ++of_broken[i].caught;
        ++of_broken[i].tried;
      } catch (const std::domain_error&) {  // NOLINT(bugprone-empty-catch): scores that overflow
      }
    }
  }

  /// The message if all cases kept all laws.
  std::string text() const {
    if (tried == 0) return kind + ": there is no case\n";
    std::string mute;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < laws.size(); ++i) {
      if (of_law[i].silent < tried)
        ++kept;
      else
        mute += (mute.empty() ? "" : ", ") + laws[i].first;
    }
    std::ostringstream text = plain_stream();
    text << kind << ": ";
    if (!mute.empty())
      text << "nothing is promised in any case of " << mute << (kept > 0 ? "; " : "");
    if (kept > 0) text << (mute.empty() ? "all" : "the other") << " laws are kept";
    text << " in " << tried << " cases\n";
    for (std::size_t i = 0; i < laws.size(); ++i) {
      const auto& [silent, unused, caught, ratio, where] = of_law[i];
      text << "  " << laws[i].first << ": ";
      if (ratio > 0) text << format_significant(ratio, 2) << " of the bound at most, ";
      text << (ratio > 0 ? where : "without any error");
      if (silent > 0) text << "; " << silent << " said nothing";
      text << '\n';
    }
    text << "  power: broken on purpose and seen:";
    std::string lost;
    for (std::size_t i = 0; i < broken.size(); ++i) {
      const Found& found = of_broken[i];
      text << (i > 0 ? ", " : " ") << broken[i].first << ' ' << found.caught << '/' << found.tried;
      if (found.caught == 0) lost += (lost.empty() ? "" : ", ") + broken[i].first;
    }
    text << '\n';
    if (!lost.empty())
      text << "  no power against " << lost << ": on these inputs it keeps the bounds\n";
    text << "  tried:";
    for (const auto& [name, of, least, most] : sizes)
      text << (name == sizes.front().name ? " " : ", ") << least << " to " << most << ' ' << name;
    text << '\n';
    for (const std::string& what : left) text << "  not tried: " << what << '\n';
    return text.str();
  }
};

/// The cases and laws of hold_softmax(), for any program.
template <class Real>
Campaign<SoftmaxCase<Real>> softmax_campaign(const SoftmaxFunction<Real>& softmax,
                                             const SoftmaxArithmetic& arithmetic,
                                             const SoftmaxShapes& shapes);

/// The cases and laws of hold_attention(), for any program.
/// \param cotangent whether cases have a gradient of the output besides.
template <class Real>
Campaign<AttentionCase<Real>> attention_campaign(const AttentionKernel<Real>& kernel,
                                                 const SoftmaxArithmetic& arithmetic,
                                                 const AttentionConventions& conventions,
                                                 bool cotangent = false);

}  // namespace detail

}  // namespace sqrtdk::testing
