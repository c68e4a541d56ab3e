// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the checks of \ref DotProductGrowsWithDimension call, and wrong versions of it.
#pragma once

#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/pi_fraction.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score.hpp>

#include "properties/score/fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sqrtdk::properties::DotProductGrowsWithDimension {

using namespace sqrtdk::testing;

inline const Mutants dot_product_grows_with_dimension_mutants = {
    {"the average instead of the sum",
     "NeverFallsWhenACentredTermIsAdded",
     {.sum = [](const RationalDistribution& x,
                const RationalDistribution& y) { return scaled(sum(x, y), Rational(1, 2)); }}},
    {"the mean square instead of the mean size",
     "RisesExactlyIfTheNewTermCanTurnTheSign",
     {.mean_absolute = [](const RationalDistribution& x) { return raw_moment(x, 2); }}},
    {"the positive part only",
     "RisesExactlyIfTheNewTermCanTurnTheSign",
     {.sum =
          [](const RationalDistribution& x, const RationalDistribution& y) {
            return sum(x, y).image([](const Rational& s) { return s > 0 ? s : Rational(s / 2); });
          }}},
    {"divided by d",
     "NeverFallsWithTheDimension",
     {.distribution =
          [](const RationalDistribution& q, const RationalDistribution& k, std::size_t d) {
            return scaled(dot_product_distribution(q, k, d), Rational(1) / Rational(d));
          }}},
    {"doubled",
     "NormalEntriesAgreeWithARaceAtEvenDimensions",
     {.normal_mean_absolute =
          [](std::size_t d) {
            const PiFraction a = normal_mean_absolute(d);
            return PiFraction{2 * a.coefficient, a.over_pi};
          }}},
    {"π is forgotten",
     "NormalEntriesFollowTheRecurrence",
     {.normal_mean_absolute =
          [](std::size_t d) {
            return PiFraction{normal_mean_absolute(d).coefficient, false};
          }}},
    {"the dimension is rounded up to even",
     "NormalEntriesFollowTheRecurrence",
     {.normal_mean_absolute = [](std::size_t d) { return normal_mean_absolute(d + d % 2); }}},
    {"neighbours are not tied",
     "NeighboursMultiplyToTwiceTheDimensionOverPi",
     {.normal_mean_absolute =
          [](std::size_t d) {
            const PiFraction a = normal_mean_absolute(d);
            return d % 2 == 0 ? a : PiFraction{2 * a.coefficient, true};
          }}},
    {"the odd dimensions are not over π",
     "NeighboursMultiplyToTwiceTheDimensionOverPi",
     {.normal_mean_absolute =
          [](std::size_t d) {
            return PiFraction{normal_mean_absolute(d).coefficient, false};
          }}},
    {"flat from each odd dimension to the next",
     "NormalEntriesRiseAtEveryDimension",
     {.normal_mean_absolute = [](std::size_t d) { return PiFraction{sign_mean_absolute(d)}; }}},
    {"the plain asymptotic square, g = d",
     "NormalEntriesLieInTheBracket",
     {.normal_mean_absolute =
          [](std::size_t d) {
            const PiFraction a = normal_mean_absolute(d);
            return PiFraction{a.coefficient * (1 + Rational(1) / (4 * d)), a.over_pi};
          }}},
    {"too small by one part in d²",
     "NormalEntriesLieInTheBracket",
     {.normal_mean_absolute =
          [](std::size_t d) {
            const PiFraction a = normal_mean_absolute(d);
            return PiFraction{a.coefficient * (1 - Rational(1) / (2 * d * d)), a.over_pi};
          }}},
    {"355/113 from below",
     "MachinsFormulaEnclosesPi",
     {.pi_bounds =
          [] {
            return Interval<Rational>{Rational(355, 113), Rational(355, 113)};
          }}},
    {"the bounds end before π",
     "MachinsFormulaEnclosesPi",
     {.pi_bounds =
          [] {
            return Interval<Rational>{Rational(333, 106), Rational(333, 106)};
          }}},
    {"the bounds of Archimedes",
     "MachinsFormulaEnclosesPi",
     {.pi_bounds =
          [] {
            return Interval<Rational>{Rational(223, 71), Rational(22, 7)};
          }}},
    {"central binomial of d, rounded down",
     "SignsRiseAtOddDimensionsOnly",
     {.sign_mean_absolute =
          [](std::size_t d) { return d < 2 ? Rational(1) : sign_mean_absolute(d - 1); }}},
    {"nothing grows, neither the law nor the formula",
     "SignsRiseAtOddDimensionsOnly",
     {.mean_absolute = [](const RationalDistribution&) { return Rational(1); },
      .sign_mean_absolute = [](std::size_t) { return Rational(1); }}},
    {"the largest value instead of the mean size",
     "SignsDoNotGrowFromAnOddDimensionToTheNext",
     {.mean_absolute = [](const RationalDistribution& x) -> Rational {
       return abs(x.atoms().front().outcome);
     }}},
    {"the root of 2d/π for both",
     "SignsAndNormalEntriesAgreeAtEvenDimensions",
     {.normal_mean_absolute =
          [](std::size_t d) {
            return PiFraction{Rational(std::sqrt(0.636619772367581 * static_cast<double>(d)))};
          }}},
    {"it does not grow",
     "FourTermsStaySmallAndFiveHundredAndTwelveDoNot",
     {.sign_mean_absolute = [](std::size_t) { return Rational(3, 2); }}},
    {"it grows like d",
     "FourTermsStaySmallAndFiveHundredAndTwelveDoNot",
     {.sign_mean_absolute = [](std::size_t d) { return Rational(3 * d, 8); }}},
    {"nothing has a size",
     "ASecondTermThatTakesBackTheFirstLeavesNothing",
     {.mean_absolute = [](const RationalDistribution&) { return Rational(0); }}},
    {"the size is the mean",
     "IsAtMostTheRootOfTheVarianceIfAMeanIsZero",
     {.mean_absolute = [](const RationalDistribution& x) { return mean(x); }}},
    {"the greatest size instead of the mean size",
     "IsAtMostTheRootOfTheVarianceIfAMeanIsZero",
     {.mean_absolute = [](const RationalDistribution& x) -> Rational {
       return std::max<Rational>(abs(x.atoms().front().outcome), abs(x.atoms().back().outcome));
     }}},
    {"a term cannot take back another",
     "ASecondTermThatTakesBackTheFirstLeavesNothing",
     {.mean_absolute = [](const RationalDistribution& x) -> Rational {
       return 1 + mean_absolute(x);
     }}},
    {"the mean is moved to zero first",
     "AMeanBelowZeroCanMakeItFall",
     {.distribution =
          [](const RationalDistribution& q, const RationalDistribution& k, std::size_t d) {
            return dot_product_distribution(shifted(q, -mean(q)), k, d);
          }}},
    {"dimension zero has size zero, for normal entries",
     "RefusesDimensionZero",
     {.normal_mean_absolute =
          [](std::size_t d) { return d == 0 ? PiFraction() : normal_mean_absolute(d); }}},
    {"dimension zero has size zero, for signs",
     "RefusesDimensionZero",
     {.sign_mean_absolute =
          [](std::size_t d) { return d == 0 ? Rational(0) : sign_mean_absolute(d); }}},
};

}  // namespace sqrtdk::properties::DotProductGrowsWithDimension
