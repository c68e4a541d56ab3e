// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief All that the kit takes from rc::detail, of which RapidCheck promises nothing.
///
/// RapidCheck's public functions show numbers by six digits, do not say how many cases held or were
/// discarded, and take their seed from RC_PARAMS, which has no say here. Without versions of it,
/// this is written for commit 08b5058 of December 2021, Debian's 0~1033, and compiles with ff6af6f
/// of December 2023; CMake refuses one that lacks what is used here (SqrtdkDependencies.cmake).
///
/// Including this makes RapidCheck show floating-point numbers by format_hex_and_decimal().
#pragma once

#include <sqrtdk/numbers/float_text.hpp>

#include <rapidcheck.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <unordered_map>

namespace sqrtdk::testing::detail {

/// RapidCheck's way to show values of a type: a specialization has a function `show`.
template <class T>
struct Shown {};

template <std::floating_point T>
struct Shown<T> {
  static void show(const T& value, std::ostream& out) { out << format_hex_and_decimal(value); }
};

/// The exception of RapidCheck's own assertions, to fail or to discard a case.
using ThrownByRapidCheck = rc::detail::CaseResult;

/// The outcome of a property.
struct PropertyRun {
  std::uint64_t held = 0;              ///< cases that held, if all did
  std::uint64_t discarded = 0;         ///< cases discarded
  std::optional<std::string> failure;  ///< the simplest case that failed, in words
};

/// The plan of a property's run.
struct PropertyPlan {
  std::string name;
  std::uint64_t seed;
  int cases;
  bool shrinks;  ///< true if a case that fails is made simpler
};

PropertyRun run_property(const std::function<void()>& property, const PropertyPlan& plan);

class DiscardCounter : public rc::detail::TestListener {
 public:
  void onTestCaseFinished(const rc::detail::CaseDescription& description) override {
    if (description.result.type == rc::detail::CaseResult::Type::Discard) ++discards;
  }
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}

  std::uint64_t discards = 0;
};

inline PropertyRun run_property(const std::function<void()>& property, const PropertyPlan& plan) {
  rc::detail::TestParams params;
  params.seed = plan.seed;
  params.maxSuccess = plan.cases;
  params.disableShrinking = !plan.shrinks;
  params.maxDiscardRatio = 1000;  // to give up would be to fail by chance

  DiscardCounter counter;
  const rc::detail::TestMetadata metadata{plan.name, plan.name};
  // With an explicit list of cases to reproduce (none), RapidCheck announces no seed of its own.
  const rc::detail::TestResult result =
      rc::detail::checkTestable(property, metadata, params, counter,
                                std::unordered_map<std::string, rc::detail::Reproduce>());
  if (result.is<rc::detail::SuccessResult>()) {
    const int held = result.get<rc::detail::SuccessResult>().numSuccess;
    return {static_cast<std::uint64_t>(held), counter.discards, std::nullopt};
  }
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  return {0, counter.discards, message.str()};
}

}  // namespace sqrtdk::testing::detail

/// \cond  Doxygen does not know the namespaces of RapidCheck.
/// RapidCheck calls this to show a value.
template <class T>
requires requires(const T& value, std::ostream& out) {
  sqrtdk::testing::detail::Shown<T>::show(value, out);
}
struct rc::detail::ShowDefault<T, false, true> : sqrtdk::testing::detail::Shown<T> {};

/// RapidCheck calls this to show a value that cannot be written to a stream.
template <class T>
requires requires(const T& value, std::ostream& out) {
  sqrtdk::testing::detail::Shown<T>::show(value, out);
}
struct rc::detail::ShowDefault<T, false, false> : sqrtdk::testing::detail::Shown<T> {};
/// \endcond
