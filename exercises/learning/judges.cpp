#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/softmax/enclosure.hpp>
#include <sqrtdk/testing/substitute.hpp>

#include "exercises/exercise.hpp"
#include "properties/learning/fixture.hpp"

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;
using Eigen::Index;
using Rows = std::vector<std::vector<Rational>>;

std::string rounded(double x) { return format_significant(x, 4); }

// ------------------------------------------------------------------------------ A body removed

Rows rows_of(const RationalMatrix& matrix) {
  Rows rows;
  for (Index i = 0; i < matrix.rows(); ++i)
    rows.emplace_back(matrix.row(i).begin(), matrix.row(i).end());
  return rows;
}

const Judged least_head(
    "LeastHead",
    "LowRankScores.AHeadNeedsNoMoreThanItHas:LowRankScores.TheScoresGiveTheWeights:"
    "LowRankScores.AHalfOnTheDiagonal:LowRankScores.TwoDimensionsPointAtAnyKey",
    [] {
      Subject student;
      student.least_head_dimension = [](const RationalMatrix& logs) {
        const auto answer = ask<Index>("least_head_dimension", rows_of(logs));
        const RationalMatrix scores = scores_of_least_rank(logs);
        const Index least = exact_rank(scores);
        if (answer == least) return answer;
        std::ostringstream told;
        told << "you say " << answer << " for the logarithms\n"
             << logs << "\nThe scores\n"
             << scores << "\ngive the same weights, and are products of queries and keys of "
             << least << (least == 1 ? " feature" : " features")
             << (answer > least ? "" : ", and of no fewer");
        throw std::runtime_error(told.str());
      };
      substitute<Subject>().implementation = student;
    });

// ----------------------------------------------------------------------------- Write the check

Rational floor_of(const std::vector<int>& k, const Subject& subject) {
  RationalVector scores(static_cast<Index>(k.size()));
  for (Index i = 0; i < scores.size(); ++i) {
    scores[i] = k[static_cast<std::size_t>(i)];
    if (abs(scores[i]) > 99) throw std::invalid_argument("the scores are to be from -99 to 99");
  }
  const Rational squared = subject.squared_lead(scores);
  unsigned lead = 0;
  while (Rational(lead) * lead < squared) ++lead;
  return subject.least_perplexity(scores.size(), 1 / integer_power(Rational(2), lead));
}

void expect_kept_floor(const Subject& subject) {
  for_law([&] {
    const auto n = *rc::gen::inRange<std::size_t>(2, 7).as("n");
    const auto scores =
        *rc::gen::container<std::vector<int>>(n, rc::gen::inRange(0, 6)).as("the scores k");
    const auto law = [&](const Subject& judged) {
      const std::function<Rational(const std::vector<int>&)> floor =
          [&](const std::vector<int>& k) { return floor_of(k, judged); };
      return ask<bool>("keeps_floor_law", floor, scores);
    };
    EXPECT_EXACTLY(says_yes(law, subject))
        << "your law says no here, of a function that is right. It gives the floor "
        << floor_of(scores, subject);
  });
}

Rational right_for_two_keys(Index n, const Rational& b) {
  return n == 2 ? least_perplexity(n, b) : Rational(2 * n);
}

const char* const floors =
    "EntropyFloor.NoEntropyIsBelowTheFloor:EntropyFloor.OneHighTheOthersEqual:EntropyFloor.TwoKeys";

const Judged tight_floor("TightFloor", floors, [] {
  Subject by;
  by.least_perplexity = right_for_two_keys;
  substitute<Subject>().check = expect_kept_floor;
  substitute<Subject>().more_mutants = {{"right on the page, of two keys", "TwoKeys", by}};
});

// --------------------------------------------------------------------------- Drop a hypothesis

const Judged steep_token("SteepToken", "SteepToken.*");

TEST(SteepToken, IsSteeperThanTheBound) {
  for_all([&] {
    const Rational c = *one_over(1, 9).as("c");
    const int x1 = *rc::gen::inRange(1, 4).as("x1");
    const int x2 = *rc::gen::map(rc::gen::inRange(0, 4), std::negate<>()).as("x2");
    const std::vector<int> token = {x1, x2};
    const Rational bound = *rc::gen::map(rc::gen::inRange(0U, 7U), [](unsigned power) {
                              return integer_power(Rational(10), power);
                            }).as("the bound");
    const auto answer = ask<Rows>("other_token_and_direction", c, token, bound);
    const bool fits = answer.size() == 2 && answer[0].size() == 2 && answer[1].size() == 2;
    EXPECT_EXACTLY(fits) << "two lists of two numbers are wanted: another token, and a direction";
    RationalMatrix tokens(2, 2);
    tokens << token[0], answer[0][0], token[1], answer[0][1];
    const RationalVector v = vector_of({answer[1][0], answer[1][1]});
    EXPECT_EXACTLY(v.squaredNorm() > 0) << "(0, 0) is no direction";
    // A weight that is 1000 below the other in its score counts as nothing.
    RationalVector scores = c * tokens.transpose() * tokens.col(0);
    const Rational top = scores.maxCoeff();
    for (Rational& score : scores) score = std::max<Rational>(score - top, -1000);
    auto share = softmax_enclosure({scores[0], scores[1]})[0];
    if (scores[0] == -1000) share.lower = 0;
    if (scores[1] == -1000) share.upper = 1;
    const auto squared_slope = [&](const Rational& p) -> Rational {
      const RationalVector weights = vector_of({p, 1 - p});
      return attention_derivative(tokens, weights, c, 0, 0, v).squaredNorm() / v.squaredNorm();
    };
    const Rational least = std::min(squared_slope(share.lower), squared_slope(share.upper));
    const bool is_counterexample = least > bound * bound;
    EXPECT_EXACTLY(is_counterexample)
        << "this is no counterexample for c = " << c << " and x = (" << x1 << ", " << token[1]
        << "): the slope is about " << rounded(std::sqrt(least.convert_to<double>()))
        << ", which is not above " << bound << ". The weight of x is about "
        << rounded(share.lower.convert_to<double>()) << " beside your token";
  });
}

// -------------------------------------------------------------------------------------- By hand

const Judged wider_head("WiderHead", "WiderHead.*");

TEST(WiderHead, IsSteppedAsBefore) {
  for_all([&] {
    const bool by_signs = *rc::gen::arbitrary<bool>().as("by signs");
    const bool by_root = *rc::gen::arbitrary<bool>().as("by the root");
    const int r = *rc::gen::inRange(1, 6).as("r");
    const auto factor = ask<Rational>("rate_factor", by_signs, by_root, r);
    const auto change = [&](int root, const Rational& rate) {
      const RationalMatrix query = RationalMatrix::Ones(root * root, 1);
      RationalMatrix key = query;
      key.topRows(root * root / 2) *= Rational(-1);
      const RationalVector one = vector_of({1});
      const LearnedRow row{query, key, one, one, Rational(1, by_root ? root : root * root)};
      const auto rule = by_signs ? StepRule::sign : StepRule::descent;
      return Rational(learned_scores(after_step(row, one, rate, rule))[0]);
    };
    const Rational rate(1, 8), yours = factor * rate;
    const Rational before = change(2, rate), after = change(2 * r, yours);
    EXPECT_EXACTLY(after == before)
        << "a step by " << (by_signs ? "signs" : "the gradient") << " with the rate " << rate
        << " changes the score of 4 features, divided by " << (by_root ? 2 : 4) << ", by " << before
        << ". With " << 4 * r * r << " features, divided by " << (by_root ? 2 * r : 4 * r * r)
        << ", and your rate " << yours << " it changes by " << after;
  });
}

}  // namespace sqrtdk::exercises
