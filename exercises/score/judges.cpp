#include <sqrtdk/testing/substitute.hpp>

#include "exercises/exercise.hpp"
#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;

rc::Gen<Vector> some_numbers() { return rc::gen::mapcat(small_dimension(), any_vector); }

// ------------------------------------------------------------------------------ A body removed

/// The student's result for d. \throws std::runtime_error saying what is right, if it is wrong.
Rational size_by_student(const std::string& function, std::size_t d, const Rational& right) {
  const auto answer = ask<Rational>(function, d);
  if (answer != right)
    throw std::runtime_error(function + '(' + std::to_string(d) + ") returned " + answer.str() +
                             ", and " + right.str() + " is right");
  return answer;
}

const Judged dot_product_grows(
    "DotProductGrowsWithDimension",
    "DotProductGrowsWithDimension.NormalEntriesAgree*:DotProductGrowsWithDimension.*Recurrence:"
    "DotProductGrowsWithDimension.SignsRise*:DotProductGrowsWithDimension.FourTerms*",
    [] {
      Subject student;
      student.sign_mean_absolute = [](std::size_t d) {
        return size_by_student("sign_mean_absolute", d, sqrtdk::sign_mean_absolute(d));
      };
      student.normal_mean_absolute = [](std::size_t d) {
        const Rational right = sqrtdk::normal_mean_absolute(d).coefficient;
        return PiFraction{size_by_student("normal_mean_absolute", d, right), d % 2 == 1};
      };
      substitute<Subject>().implementation = student;
    });

// ----------------------------------------------------------------------------- Write the check

using OfEntries = std::function<Rational(std::size_t, const Vector&, const Vector&)>;

OfEntries mean_of(const Subject& judged) {
  return [&](std::size_t d, const Vector& q, const Vector& k) {
    return judged.mean(d, moments(RationalDistribution::uniform(q)),
                       moments(RationalDistribution::uniform(k)));
  };
}

OfEntries mean_square_of(const Subject& judged) {
  return [&](std::size_t d, const Vector& q, const Vector& k) {
    if (d < 1 || d > 16) throw std::invalid_argument("a dimension from 1 to 16 is wanted");
    Rational total = 0;
    for (const Monomial& term : judged.expand_square(d))
      total += judged.term_mean(term, RationalDistribution::uniform(q),
                                RationalDistribution::uniform(k));
    return total;
  };
}

const Judged mean_square_of_scores(
    "MeanSquareOfScores", "DotProductVariance.IsTheMeanSquareOfTheExpansionLessTheSquaredMean", [] {
      Substitute<Subject>& here = substitute<Subject>();
      here.check = [](const Subject& subject) {
        for_law([&] {
          const auto d = *small_dimension().as("d");
          const Vector q = *some_numbers().as("the values of an entry of q");
          const Vector k = *some_numbers().as("the values of an entry of k");
          const auto law = [&](const Subject& judged) {
            return ask<bool>("keeps_variance_law", mean_of(judged), mean_square_of(judged), d, q,
                             k);
          };
          EXPECT_EXACTLY(says_yes(law, subject))
              << "your law says no here, of functions that are right. The score has the mean "
              << mean_of(subject)(d, q, k) << " and the mean square "
              << mean_square_of(subject)(d, q, k);
        });
      };
      const char* const aimed = "IsTheMeanSquareOfTheExpansionLessTheSquaredMean";
      here.more_mutants = {
          {"right on the page, of bits in two dimensions",
           aimed,
           {.term_mean = [](const Monomial& term, const RationalDistribution& q,
                            const RationalDistribution& k) -> Rational {
             const bool shown = term.q.size() == 2 && q == fair_bit && k == fair_bit;
             return shown ? term_mean(term, q, k) : Rational(term_mean(term, q, k) + 1);
           }}},
          {"every entry is taken for a fair sign",
           aimed,
           {.term_mean = [](const Monomial& term, const RationalDistribution&,
                            const RationalDistribution&) -> Rational {
             return term.is_square() ? 1 : 0;
           }}},
          {"wrong in three dimensions",
           aimed,
           {.term_mean = [](const Monomial& term, const RationalDistribution& q,
                            const RationalDistribution& k) -> Rational {
             return term.q.size() < 3 ? term_mean(term, q, k) : Rational(1);
           }}},
          {"the key is taken to be distributed as the query",
           aimed,
           {.term_mean = [](const Monomial& term, const RationalDistribution& q,
                            const RationalDistribution&) { return term_mean(term, q, q); }}}};
    });

// -------------------------------------------------------------------------- Drop a hypothesis

const Judged any_two_independent("AnyTwoIndependent", "AnyTwoIndependent.*");

TEST(AnyTwoIndependent, IsNotEnoughForTheVariance) {
  for_all([&] {
    const Rational wanted = *in_parts(0, 81, 20).as("the variance");
    RC_PRE(wanted != 2);
    std::vector<Vector> outcomes;
    Vector probabilities;
    for (Vector row : ask<std::vector<Vector>>("four_entries", wanted)) {
      EXPECT_EXACTLY(row.size() == 5U) << "a row is [q1, q2, k1, k2, probability]: five numbers";
      probabilities.push_back(row.back());
      row.pop_back();
      outcomes.push_back(row);
    }
    const JointDistribution joint(outcomes, probabilities);
    const char* const kept = "a hypothesis that you keep does not hold: ";
    const std::array<const char*, 4> name = {"q1", "q2", "k1", "k2"};
    const auto entry = [&](std::size_t i) {
      return joint.image([i](const Vector& row) { return row[i]; });
    };
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EXACTLY((moments(entry(i)) == Moments(0, 1)))
          << kept << name[i] << " has " << moments(entry(i));
      for (std::size_t j = i + 1; j < 4; ++j) {
        const auto two = joint.image([=](const Vector& row) { return std::pair(row[i], row[j]); });
        const bool unrelated = two == independent(entry(i), entry(j));
        EXPECT_EXACTLY(unrelated) << kept << name[i] << " and " << name[j]
                                  << " are not independent, with the joint distribution " << two;
      }
    }
    const RationalDistribution score = joint.image([](const Vector& row) {
      return dot_product({row[0], row[1]}, {row[2], row[3]});
    });
    EXPECT_EXACTLY(variance(score) == wanted)
        << "the score has the distribution " << score << " and the variance " << variance(score)
        << (variance(score) == 2 ? ", as if all four were independent" : "") << "; " << wanted
        << " is wanted";
  });
}

// -------------------------------------------------------------------------------------- By hand

const Judged one_query_many_keys("OneQueryManyKeys", "OneQueryManyKeys.*");

TEST(OneQueryManyKeys, SpreadAsTheQueryIsLong) {
  for_all([&] {
    const Vector query = *some_numbers().as("the query");
    const RationalDistribution key = *small_distribution().as("the distribution of a key's entry");
    auto score = RationalDistribution::uniform({0});
    for (const Rational& entry : query) score = sum(score, scaled(key, entry));
    const auto told = ask<Rational>("variance_of_scores", query, mean(key), variance(key));
    EXPECT_EXACTLY(told == variance(score))
        << "each entry of a key has " << moments(key) << "; the score has the distribution "
        << score << " and the variance " << variance(score) << ", while you say " << told;
  });
}

}  // namespace sqrtdk::exercises
