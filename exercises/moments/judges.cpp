#include <sqrtdk/testing/substitute.hpp>

#include "exercises/exercise.hpp"
#include "properties/moments/fixture.hpp"

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;

using Rows = std::vector<std::vector<Rational>>;

// ------------------------------------------------------------------------------ A body removed

const Judged variance_bounds_deviations(
    "VarianceBoundsDeviations",
    "VarianceBoundsDeviations.FewValuesAreFarOutWhateverTheDistribution:"
    "VarianceBoundsDeviations.AThreePointDistributionReachesTheBound:"
    "VarianceBoundsDeviations.WithinAReachAVarianceNeedsDeviations",
    [] {
      Subject student;
      student.chebyshev_bound = [](const Rational& variance, const Rational& t) {
        return ask<Rational>("chebyshev_bound", variance, t);
      };
      student.min_deviation_probability = [](const Rational& variance, const Rational& t,
                                             const Rational& r) {
        return ask<Rational>("min_deviation_probability", variance, t, r);
      };
      substitute<Subject>().implementation = student;
    });

// ----------------------------------------------------------------------------- Write the check

RationalDistribution sum_of_variables(const JointDistribution& joint) {
  return joint.image([](const std::vector<Rational>& x) {
    return std::accumulate(x.begin(), x.end(), Rational(0));
  });
}

const Judged covariances_count(
    "CovariancesCount", "VarianceOfSum.CountsEveryCovarianceForEveryJointDistribution", [] {
      Substitute<Subject>& here = substitute<Subject>();
      here.check = [](const Subject& subject) {
        for_law([&] {
          const JointDistribution joint = *any_joint_distribution().as("the joint distribution");
          Rows outcomes;
          std::vector<Rational> probabilities;
          for (const auto& atom : joint.atoms()) {
            outcomes.push_back(atom.outcome);
            probabilities.push_back(atom.probability);
          }
          const auto law = [&](const Subject& judged) {
            const std::function<Rational(const Rows&, const std::vector<Rational>&)> variance =
                [&](const Rows& rows, const std::vector<Rational>& likely) {
                  const JointDistribution given(rows, likely);
                  sqrtdk::detail::require_equal_lengths(given,
                                                        given.atoms().front().outcome.size());
                  return judged.variance_of_dependent_sum(given);
                };
            return ask<bool>("keeps_covariance_law", variance, outcomes, probabilities);
          };
          EXPECT_EXACTLY(says_yes(law, subject))
              << "your law says no here, of a function that is right. The sum has the distribution "
              << sum_of_variables(joint) << " and the variance "
              << variance(sum_of_variables(joint));
        });
      };
      const char* const aimed = "CountsEveryCovarianceForEveryJointDistribution";
      here.more_mutants = {
          {"right on the page, of a fair sign and itself",
           aimed,
           {.variance_of_dependent_sum = [](const JointDistribution& joint) -> Rational {
             const bool shown = joint == JointDistribution::uniform({{-1, -1}, {1, 1}});
             return shown ? Rational(4) : Rational(variance_of_dependent_sum(joint) + 1);
           }}},
          {"wrong for three variables or more",
           aimed,
           {.variance_of_dependent_sum = [](const JointDistribution& joint) -> Rational {
             const bool more = joint.atoms().front().outcome.size() > 2;
             return more ? Rational(0) : variance_of_dependent_sum(joint);
           }}},
          {"all outcomes are taken for equally likely",
           aimed,
           {.variance_of_dependent_sum = [](const JointDistribution& joint) -> Rational {
             Rows outcomes;
             for (const auto& atom : joint.atoms()) outcomes.push_back(atom.outcome);
             return variance_of_dependent_sum(JointDistribution::uniform(outcomes));
           }}},
          {"all means are taken for zero",
           aimed,
           {.variance_of_dependent_sum = [](const JointDistribution& joint) -> Rational {
             return raw_moment(sum_of_variables(joint), 2);
           }}}};
    });

// -------------------------------------------------------------------------- Drop a hypothesis

const Judged fire_together("FactorsThatFireTogether", "FactorsThatFireTogether.*");

TEST(FactorsThatFireTogether, HaveAMeanOfTheirOwn) {
  for_all([&] {
    const int x_percent = *rc::gen::inRange(1, 100).as("first, in percent");
    const int y_percent = *rc::gen::inRange(1, 100).as("second, in percent");
    const int both = *rc::gen::inRange(std::max(0, x_percent + y_percent - 100),
                                       std::min(x_percent, y_percent) + 1)
                          .as("together, in percent");
    RC_PRE(100 * both != x_percent * y_percent);
    const Rational first(x_percent, 100);
    const Rational second(y_percent, 100);
    const Rational together(both, 100);
    std::vector<std::pair<Rational, Rational>> outcomes;
    std::vector<Rational> probabilities;
    for (const auto& row : ask<Rows>("firing_together", first, second, together)) {
      EXPECT_EXACTLY(row.size() == 3U) << "an entry is [x, y, probability]: three numbers";
      outcomes.emplace_back(row[0], row[1]);
      probabilities.push_back(row[2]);
    }
    const FiniteDistribution<std::pair<Rational, Rational>> joint(outcomes, probabilities);
    const RationalDistribution x = joint.image([](const auto& xy) { return xy.first; });
    const RationalDistribution y = joint.image([](const auto& xy) { return xy.second; });
    const char* const kept = "a hypothesis that you keep does not hold, since your ";
    EXPECT_EXACTLY(x == RationalDistribution({0, 1}, {1 - first, first})) << kept << "X is " << x;
    EXPECT_EXACTLY(y == RationalDistribution({0, 1}, {1 - second, second})) << kept << "Y is " << y;
    const Rational product =
        joint.expectation([](const auto& xy) { return Rational(xy.first * xy.second); });
    const bool unrelated = joint == independent(x, y);
    EXPECT_EXACTLY(product == together)
        << "XY has the mean " << product << " where " << together << " is wanted; E X times E Y is "
        << first * second
        << (unrelated ? ", which is the same, since your X and Y are independent" : "");
  });
}

// -------------------------------------------------------------------------------------- By hand

const Judged dropout_variance("DropoutVariance", "DropoutVariance.*");

TEST(DropoutVariance, IsThatOfTheOutcomes) {
  for_all([&] {
    const RationalDistribution before = *any_distribution().as("the distribution before");
    const Rational keep = *in_parts(1, 11, 10).as("the probability to keep");
    const RationalDistribution after =
        product(before, RationalDistribution({0, 1 / keep}, {1 - keep, keep}));
    const auto told = ask<Rational>("variance_after_dropout", mean(before), variance(before), keep);
    EXPECT_EXACTLY(told == variance(after))
        << "before, the mean is " << mean(before) << " and the variance " << variance(before)
        << "; dropout with keep = " << keep << " leaves " << after << ", whose variance is "
        << variance(after) << ", while you say " << told;
  });
}

}  // namespace sqrtdk::exercises
