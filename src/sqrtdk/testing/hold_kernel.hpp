// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief A kernel held to all laws of its kind, on fixed cases first and then on random ones.
///
/// The functions are compiled for the formats of formats.hpp.
#pragma once

#include <sqrtdk/softmax_error/arithmetic.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>

namespace sqrtdk::testing {

/// Holds a softmax to accuracy_law(), probability_law(), order_law(), shift_law(),
/// permutation_law() and temperature_law(); to repeated_law() if that is said.
/// Must be called in a GoogleTest body. The first cases are fixed_rows(): each length up to 130 and
/// larger ones, the greatest score at each place of a tile, ties, masks, scores far apart and far
/// from 0. A test that fails shows the simplest case found, and whether it was kept when it was
/// tried again. One that passes prints how many cases each law kept, how near to its bound the worst
/// came and where, how many said nothing, how many broken results are seen, and the sizes tried.
/// \param softmax    a callable `std::vector<Real>(x, temperature)`.
/// \param arithmetic what it computes with; what flushing() says is raised for low temperatures.
/// \param shapes     what it is asked.
/// \param cases      how many random cases.
/// \param place      the line that a failure points at.
template <class Real>
void hold_softmax(const SoftmaxFunction<Real>& softmax,
                  const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>(),
                  const SoftmaxShapes& shapes = {}, int cases = 200,
                  SourceLocation place = SourceLocation::current());

/// Holds attention to output_law(), as hold_softmax() does a softmax: on fixed_attention_cases(),
/// then on random ones with entries up to 16, of sizes up to those of the conventions.
/// \param attention   a callable `Matrix<Real>(case)`.
/// \param arithmetic  what it computes with.
/// \param conventions which masks and scales it takes, and what it makes of them.
/// \param cases       how many random cases.
/// \param place       the line that a failure points at.
template <class Real>
void hold_attention(const AttentionFunction<Real>& attention,
                    const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>(),
                    const AttentionConventions& conventions = {}, int cases = 200,
                    SourceLocation place = SourceLocation::current());

/// The same for attention that can be called in more ways, `{.attention = …, .heads = …}`:
/// grouped_heads_law(), logarithms_law() and in_place_law() where there is a function;
/// queries_law(), repeated_law() and masked_values_law() where the conventions say so.
template <class Real>
void hold_attention(const AttentionKernel<Real>& kernel,
                    const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>(),
                    const AttentionConventions& conventions = {}, int cases = 200,
                    SourceLocation place = SourceLocation::current());

}  // namespace sqrtdk::testing
