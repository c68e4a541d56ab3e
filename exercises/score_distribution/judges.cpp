#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/testing/substitute.hpp>

#include "exercises/exercise.hpp"
#include "properties/score_distribution/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;

// ------------------------------------------------------------------------------ A body removed

const Judged two_clocks("TwoClocks",
                        "ScoreInEvenDimensions.EachCoefficientIsAChanceOfTosses:"
                        "ScoreInEvenDimensions.TheFiniteSumSatisfiesTheRecurrence",
                        [] {
                          Subject student;
                          student.even_tail = [](unsigned m, const Rational& x) {
                            return ask<Rational>("tail", m, x);
                          };
                          student.even_density = [](unsigned m) {
                            return ask<std::vector<Rational>>("density", m);
                          };
                          substitute<Subject>().implementation = student;
                        });

// -------------------------------------------------------------------------------------- By hand

const Judged fourth_moment("FourthMoment", "FourthMoment.*");

TEST(FourthMoment, IsThatOfADifferenceOfGammaVariables) {
  for_all([&] {
    const std::size_t d = *dimension(1000000).as("d");
    const Rational exact = difference_moment(Rational(d, 2), 4);
    const auto yours = ask<Rational>("fourth_moment", d);
    EXPECT_EXACTLY(yours == exact)
        << "a difference of two Gamma(" << Rational(d, 2)
        << ", 1) variables, which is what the score is, has the fourth moment " << exact;
  });
}

// ----------------------------------------------------------------------------------- Predict

const Judged where_tails_cross("WhereTailsCross", "WhereTailsCross.*");

TEST(WhereTailsCross, IsWhatTheProbabilitiesSay) {
  const auto eighths = rc::gen::map(rc::gen::inRange(1, 65), [](int n) { return Rational(n, 8); });
  for_all(
      [&] {
        const Rational z = *eighths.as("z");
        const auto d = *rc::gen::inRange(2, 4097).as("d");
        const double x = z.convert_to<double>() * std::sqrt(d);
        const double of_score = cdf(complement(Score(d), x));
        const double of_normal = normal_upper(d, x);
        const bool yours = ask<bool>("is_likelier", d, z);
        const auto words = [](bool more) { return more ? "more often" : "less often"; };
        const bool agrees = yours == (of_score > of_normal);
        EXPECT_EXACTLY(agrees) << "you say: " << words(yours) << ". But the score is beyond " << z
                               << " deviations " << words(of_score > of_normal)
                               << ": with probability " << format_significant(of_score, 9)
                               << ", and a number from N(0, " << d << ") with "
                               << format_significant(of_normal, 9);
      },
      1000);
}

// -------------------------------------------------------------------------- Drop a hypothesis

const Judged signs_in_pairs("SignsInPairs", "SignsInPairs.*");

using Rows = std::vector<std::vector<int>>;

/// The reason why the rows are no fair signs that are independent in pairs; empty if they are.
std::string what_is_no_pair(const Rows& rows, std::size_t d) {
  if (rows.empty()) return "there is no row to draw";
  const auto of = [&](auto count) {
    return std::to_string(count) + " of " + std::to_string(rows.size()) + " rows, so ";
  };
  const auto name = [&](std::size_t i) {
    return (i < d ? "q_" : "k_") + std::to_string(i % d + 1);
  };
  for (const auto& row : rows) {
    if (row.size() != 2 * d)
      return "there is a row of " + std::to_string(row.size()) + " signs, where " +
             std::to_string(2 * d) + " are wanted";
    for (const int x : row)
      if (x != 1 && x != -1) return std::to_string(x) + " is no sign";
  }
  for (std::size_t i = 0; i < 2 * d; ++i) {
    const auto ones =
        std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return row[i] == 1; });
    if (2 * static_cast<std::size_t>(ones) != rows.size())
      return "the sign " + name(i) + " is 1 in " + of(ones) + "it is not fair";
  }
  for (std::size_t j = 0; j < 2 * d; ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const auto agree =
          std::count_if(rows.begin(), rows.end(), [&](const auto& r) { return r[i] == r[j]; });
      if (2 * static_cast<std::size_t>(agree) != rows.size())
        return "the signs " + name(i) + " and " + name(j) + " agree in " + of(agree) +
               "they are not independent";
    }
  return "";
}

TEST(SignsInPairs, GiveAScoreThatIsNotBinomial) {
  for (std::size_t d = 2; d <= 6; ++d) {
    const auto rows = ask<Rows>("signs_in_pairs", d);
    const std::string wrong = what_is_no_pair(rows, d);
    const bool holds = wrong.empty();
    EXPECT_EXACTLY(holds) << "a hypothesis that you keep does not hold at d = " << d << ": "
                          << wrong;
    if (!holds) return;
    std::vector<Rational> places;
    for (const auto& row : rows) {
      int agree = 0;
      for (std::size_t i = 0; i < d; ++i) agree += row[i] == row[d + i] ? 1 : 0;
      places.emplace_back(agree);
    }
    const auto drawn = RationalDistribution::uniform(places);
    const RationalDistribution binomial = sum_of_copies(fair_bit, d);
    const bool is_counterexample = drawn != binomial;
    EXPECT_EXACTLY(is_counterexample)
        << "this is no counterexample: at d = " << d
        << " the number of places that agree is binomial, as the claim says: " << drawn;
  }
}

}  // namespace sqrtdk::exercises
