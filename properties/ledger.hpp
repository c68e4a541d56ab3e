// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Every probability of a false alarm in this project, and the limit on their sum.
#pragma once

#include <array>

#include "sqrtdk/testing/ledger.hpp"

namespace sqrtdk {

/// All statistical checks of the properties and of the tests: test, number of checks, −log₂ α.
inline constexpr auto ledger = std::to_array<testing::LedgerEntry>({
    // properties/initialization_properties.cpp
    {"XavierKeepsUnitVariance.AGlorotUniformDrawFollowsItsLaw", 1, 30},
    {"XavierKeepsUnitVariance.AProjectedDrawHasVarianceSixteenNinths", 1, 30},
    // properties/softmax_jacobian_properties.cpp
    {"VanishingGradient.TheNormOfTwoKeysFollowsItsLaw", 1, 30},
    {"VanishingGradient.AtTheSizesOfRealHeadsItIsNotSmallAtAll", 6, 30},
    // tests/statistics_tests.cpp
    {"StatisticalChecks.AcceptTheRightMean", 1, 30},
    {"StatisticalChecks.AcceptTheRightVariance", 1, 30},
    {"StatisticalChecks.AcceptTheRightProbability", 1, 30},
    {"StatisticalChecks.AcceptTheRightDistribution", 1, 30},
    // tests/e_process_tests.cpp
    {"EProcess.RarelyRejectsATrueLaw", 1, 30},
});

static_assert(testing::spends_at_most(ledger, 20),
              "a whole run may raise a false alarm with probability at most 2^-20: "
              "lower an alpha, which costs draws, or make fewer checks");

}  // namespace sqrtdk
