// Every probability with which this project may fail by chance, and the limit on their sum.
#pragma once

#include <sqrtdk/testing/reporting/ledger.hpp>

#include <array>

namespace sqrtdk {

/// All that can fail by chance in the properties and in the tests although the code is right: test,
/// number of risks, −log₂ of the probability of each.
inline constexpr auto ledger = std::to_array<testing::LedgerEntry>({
    // properties/initialization
    {"XavierKeepsUnitVariance.AGlorotUniformDrawFollowsItsDistribution", 1, 30},
    {"XavierKeepsUnitVariance.AProjectedDrawHasVarianceSixteenNinths", 1, 30},
    // properties/score_distribution
    {"ScoreDistribution.GivenTheKeyTheScoreIsNormal", 1, 30},
    {"ScoreDistribution.ScoresOfDrawnVectorsFollowTheDistribution", 3, 30},
    {"ScoreDistribution.TheSamplerFollowsTheDistribution", 2, 30},
    {"CosineSimilarityDistribution.CosinesOfDrawnVectorsFollowTheDistribution", 2, 30},
    // properties/softmax_jacobian
    {"VanishingGradient.TheNormOfTwoKeysFollowsItsDistribution", 1, 30},
    {"VanishingGradient.AtTheSizesOfRealHeadsItIsNotSmallAtAll", 4, 30},
    {"WhereNormsCross.DrawnTracesHaveTheMeanOfTheIntegral", 2, 30},
    // properties/training
    {"ScalingAblation.StartsAsTheDocumentsAssume", 3, 30},
    {"ScalingAblation.SequencesAreDrawnFairly", 3, 30},
    // properties/temperature
    {"TemperatureSweep.RandomScoresAgreeWithTheIntegrals", 6, 30},
    // properties/saturation
    {"OneScoreDominates.TwoKeysDominateByAnErrorFunction", 1, 30},
    {"OneScoreDominates.AtTheSizesOfRealHeadsItIsNotCertain", 6, 30},
    {"UnscaledSaturates.ARowOfScoresFollowsItsDistribution", 2, 30},
    {"UnscaledSaturates.AtSixtyFourDimensionsFewKeysTakeTheWeight", 10, 30},
    {"ScaledSpreads.AtSixtyFourDimensionsTheWeightIsSpread", 10, 30},
    {"ScaledSpreads.TheDimensionIsGone", 3, 30},
    // properties/trust
    {"MeanCheckKeepsItsOdds.RejectsATrueDistributionAsOftenAsItSays", 1, 30},
    {"MeanCheckKeepsItsOdds.MissesTheDeclaredEffectAsOftenAsItSays", 1, 30},
    {"VarianceCheckKeepsItsOdds.RejectsATrueDistributionAsOftenAsItSays", 1, 30},
    {"VarianceCheckKeepsItsOdds.MissesTheDeclaredEffectAsOftenAsItSays", 1, 30},
    {"VarianceCheckKeepsItsOdds.GivenTheKeysScoresAreSuchDraws", 1, 30},
    {"CountCheckKeepsItsOdds.RejectsATrueDistributionAsOftenAsItSays", 1, 30},
    {"CountCheckKeepsItsOdds.MissesTheDeclaredEffectAsOftenAsItSays", 1, 30},
    {"DistributionCheckKeepsItsOdds.RejectsATrueDistributionAsOftenAsItSays", 1, 30},
    {"DistributionCheckKeepsItsOdds.MissesTheDeclaredEffectNoMoreOftenThanItSays", 1, 30},
    {"MissingRootOfTwo.WithoutItTheRateIsFiftyTimesWhatIsStated", 1, 30},
    {"RepeatedRisks.OneInFourHundredTwentyTimesIsFivePercent", 1, 30},
    {"SeedsIgnoreTheSplit.AcrossMasterSeedsAlarmsAreAsRareAsStated", 1, 30},
    // tests/statistics/statistics_tests.cpp
    {"StatisticalChecks.AcceptTheRightMean", 1, 30},
    {"StatisticalChecks.AcceptTheRightVariance", 1, 30},
    {"StatisticalChecks.AcceptTheRightProbability", 1, 30},
    {"StatisticalChecks.AcceptTheRightDistribution", 1, 30},
    // tests/statistics/seed_tests.cpp
    {"Seed.IsReadFromANumberOrTheWordFresh", 1, 30},
});

static_assert(testing::spends_at_most(ledger, 20),
              "a whole run may fail by chance with probability at most 2^-20: "
              "lower a probability, which costs draws, or take fewer risks");

}  // namespace sqrtdk
