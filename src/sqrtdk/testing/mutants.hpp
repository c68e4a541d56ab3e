// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Checks are checked: wrong implementations that a check must reject.
#pragma once

#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/ledger.hpp>
#include <sqrtdk/testing/reporting/mutant_run.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>
#include <sqrtdk/testing/substitute.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

namespace sqrtdk::testing {

/// The death of a mutant.
enum class Death {
  by_assertion,  ///< an assertion fails: what it returns is wrong
  by_exception   ///< or it throws where it should not, which is what is wrong with it
};

/// A named wrong implementation of what a claim is about.
/// \tparam Implementation a struct of functions whose default value is the library itself; a mutant
///                        replaces one of them.
template <class Implementation>
struct Mutant {
  const char* name;               ///< its fault, in a few words; a literal
  const char* expected_killer;    ///< the test of the claim's suite that must kill it; a literal
  Implementation implementation;  ///< the library's functions, one of them replaced by a wrong one
  Death death = Death::by_assertion;  ///< its death; either one in a test of refusals
};

/// Runs a check on the library, where it must hold, then on the mutants that are aimed at it, or on
/// every mutant of its claim (mutants_met()).
///
/// Fails the running test if the check fails on the library; if it has no evidence (it must compare
/// exact values by EXPECT_EXACTLY(), say what it rests on by Evidence::rests_on(), or look at
/// refusals); if it notes an error beyond its bound (Evidence::worst()), is statistical without a
/// sample, or exact with a for_all() that compares nothing; if it takes another number of risks
/// than the ledger enters for it; if a mutant that is aimed at this test survives it, ends its
/// process (run_apart()), or dies by an exception alone and does not say so (Death), in a test that
/// looks at no refusals; if no mutant is aimed at it, or one at a test that the suite does not
/// have; or if anything was said before, or by another check in the same test.
///
/// The library meets the numbers of the master seed; mutants meet those of mutant_seed(), so that
/// none of them dies or survives by chance. Records the evidence of the run on the library and this
/// test's column of the kill matrix.
/// \param mutants the mutants of the claim.
/// \param check   a callable `void(const Implementation&)` that reports by GoogleTest assertions
///                and the kit's, and by for_all().
/// \param place   the line that points at a mutant which survives.
/// \relatesalso Mutant
template <class Implementation>
void check_with_mutants(
    const std::vector<Mutant<Implementation>>& mutants,
    const std::type_identity_t<std::function<void(const Implementation&)>>& check,
    SourceLocation place = SourceLocation::current());

/// As check_with_mutants(), for a check of the very statement of its claim; a claim is as certain
/// as the weakest of these. Not for counterexamples, refusals and side facts, such as the accuracy
/// of an implementation where the statement is about real numbers. A check that names a hypothesis
/// that it drops, or looks at refusals alone, fails; side facts are for readers of the test to see.
/// \param mutants the mutants of the claim.
/// \param check   a callable `void(const Implementation&)`, as for check_with_mutants().
/// \param place   the line that points at a mutant which survives.
/// \relatesalso Mutant
template <class Implementation>
void check_statement(const std::vector<Mutant<Implementation>>& mutants,
                     const std::type_identity_t<std::function<void(const Implementation&)>>& check,
                     SourceLocation place = SourceLocation::current());

namespace detail {

/// The subject of a check: the statement of its claim, or something else.
enum class About { statement, something_else };

/// A mutant without its implementation.
struct MutantLabel {
  const char* name;
  const char* expected_killer;
  Death death;
};

/// check_with_mutants() and check_statement() for implementations of any type.
/// \param on_library runs the check on the library.
/// \param on_mutant  runs it on a mutant, given by its place in the list.
void check_with_mutants(About about, const std::vector<MutantLabel>& mutants,
                        const std::function<void()>& on_library,
                        const std::function<void(std::size_t)>& on_mutant,
                        const SourceLocation& place);

/// The same for implementations of one type, and for the substitute of an exercise.
template <class Implementation>
void check_with_mutants(About about, std::vector<Mutant<Implementation>> mutants,
                        const std::function<void(const Implementation&)>& check,
                        const SourceLocation& place) {
  const Substitute<Implementation>& by = substitute<Implementation>();
  const auto& judge = by.check ? by.check : check;
  mutants.insert(mutants.end(), by.more_mutants.begin(), by.more_mutants.end());
  std::vector<MutantLabel> labels;
  for (const auto& mutant : mutants)
    labels.push_back({mutant.name, mutant.expected_killer, mutant.death});
  check_with_mutants(
      about, labels, [&] { judge(by.implementation ? *by.implementation : Implementation{}); },
      [&](std::size_t i) { judge(mutants[i].implementation); }, place);
}

}  // namespace detail

template <class Implementation>
void check_with_mutants(
    const std::vector<Mutant<Implementation>>& mutants,
    const std::type_identity_t<std::function<void(const Implementation&)>>& check,
    SourceLocation place) {
  detail::check_with_mutants(detail::About::something_else, mutants, check, place);
}

template <class Implementation>
void check_statement(const std::vector<Mutant<Implementation>>& mutants,
                     const std::type_identity_t<std::function<void(const Implementation&)>>& check,
                     SourceLocation place) {
  detail::check_with_mutants(detail::About::statement, mutants, check, place);
}

}  // namespace sqrtdk::testing
