#include <sqrtdk/testing/substitute.hpp>

#include "exercises/exercise.hpp"
#include "properties/saturation/fixture.hpp"

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;

// ------------------------------------------------------------------------------ A body removed

const Judged slopes_of_a_weight(
    "SlopesOfAWeight",
    "SaturationThreshold.TheWeightIsThatOfSoftmax:SaturationThreshold.TheDerivativesAreExact:"
    "SaturationThreshold.ItIsSteepestAtOneHalf:"
    "SaturationThreshold.ItsSlopeFallsFastestAtTwoPlusRootThree:"
    "SaturationThreshold.AnInfiniteRatioHasAllTheWeight",
    [] {
      Subject student;
      student.raised = [](std::size_t n, const Rational& r) {
        return ask<Rational>("raised_weight", n, r);
      };
      student.raised_double = [](std::size_t n, double r) {
        return ask<double>("raised_weight", n, r);
      };
      student.derivative = [](std::size_t n, const Rational& r, unsigned order) {
        return ask<Rational>("weight_derivative", n, r, order);
      };
      substitute<Subject>().implementation = student;
    });

// ----------------------------------------------------------------------------- Write the check

Rational sum_of_squares(const Row& row) {
  return std::inner_product(row.begin(), row.end(), row.begin(), Rational(0));
}

/// Right where the rows are the two that the page shows, else the mean of the largest weight.
Rational right_on_the_page(const RowDistribution& rows) {
  const Rational half(1, 2);
  if (rows == RowDistribution::uniform({Row{half, half}, Row{1, 0}})) return output_variance(rows);
  return rows.expectation([](const Row& row) { return *std::max_element(row.begin(), row.end()); });
}

Rational of_one_row(const RowDistribution& rows) {
  return sum_of_squares(rows.atoms().front().outcome);
}

Rational of_two_keys(const RowDistribution& rows) {
  return rows.expectation([](Row row) {
    row.resize(std::min<std::size_t>(row.size(), 2));
    return sum_of_squares(row);
  });
}

const Judged variance_of_an_output(
    "VarianceOfAnOutput", "PriceOfTheRoot.TheVarianceOfAnOutputIsTheMeanSumOfSquares", [] {
      Substitute<Subject>& here = substitute<Subject>();
      here.check = [](const Subject& subject) {
        for_law([&] {
          const auto n = *rc::gen::inRange<std::size_t>(2, 4).as("the number of keys");
          const auto row =
              rc::gen::map(rc::gen::container<std::vector<int>>(n, rc::gen::inRange(0, 10)),
                           [](std::vector<int> parts) {
                             ++parts.front();
                             const int sum = std::accumulate(parts.begin(), parts.end(), 0);
                             Row weights;
                             for (const int part : parts) weights.emplace_back(part, sum);
                             return weights;
                           });
          const auto count = *rc::gen::inRange<std::size_t>(1, 4).as("the number of rows");
          const auto rows = *rc::gen::container<std::vector<Row>>(count, row).as("the rows");
          const auto law = [&](const Subject& judged) {
            const std::function<Rational(const std::vector<Row>&)> variance =
                [&](const std::vector<Row>& some) {
                  return judged.output_variance(RowDistribution::uniform(some));
                };
            return ask<bool>("keeps_variance_law", variance, rows);
          };
          EXPECT_EXACTLY(says_yes(law, subject))
              << "your law says no here, of a function that is right: the variance is "
              << output_variance(RowDistribution::uniform(rows));
        });
      };
      const char* const aimed = "TheVarianceOfAnOutputIsTheMeanSumOfSquares";
      here.more_mutants = {{"right on the page", aimed, {.output_variance = right_on_the_page}},
                           {"only one of the rows counts", aimed, {.output_variance = of_one_row}},
                           {"the third key is forgotten", aimed, {.output_variance = of_two_keys}}};
    });

// --------------------------------------------------------------------------- Drop a hypothesis

const Judged keys_for_many_positions("KeysForManyPositions", "KeysForManyPositions.*");

void judge_keys(int d, int wanted) {
  const auto keys = ask<double>("keys_for_many_positions", d, wanted);
  const bool is_number_of_keys = keys >= 2 && keys <= 1e30 && std::floor(keys) == keys;
  EXPECT_EXACTLY(is_number_of_keys)
      << "a whole number from 2 to 1e+30 is wanted, not " << format_shortest(keys);
  if (!is_number_of_keys) return;
  const double positions = memoized<effective_positions>(keys, std::sqrt(d));
  const std::string said = "in dimension " + std::to_string(d) + ", " +
                           format_significant(keys, 4) + " keys use about " +
                           format_significant(positions, 4) + " positions, ";
  const bool are_enough = positions >= wanted, are_not_too_many = positions <= 1000.0 * wanted;
  EXPECT_EXACTLY(are_enough) << said << "fewer than the " << wanted << " that are wanted";
  EXPECT_EXACTLY(are_not_too_many)
      << said << "more than a thousand times the " << wanted << " that are wanted";
}

TEST(KeysForManyPositions, AreAttendedToByRawScores) {
  for (const int d : {64, 100}) judge_keys(d, 10);
  for_all([] {
    const int d = *rc::gen::inRange(4, 101).as("the dimension");
    judge_keys(d, *rc::gen::inRange(10, 1001).as("the positions that are wanted"));
  });
}

// ---------------------------------------------------------------------------- Predict, then run

const Judged keys_for_a_larger_head("KeysForALargerHead", "KeysForALargerHead.*");

TEST(KeysForALargerHead, KeepTheLimit) {
  for_all([&] {
    const int n = *rc::gen::inRange(2, 1001).as("the keys before");
    const int factor = *rc::gen::inRange(2, 7).as("the factor");
    const auto keys = ask<double>("keys_for_a_larger_head", n, factor);
    const bool is_number_of_keys = keys >= 2 && keys <= 1e20;
    EXPECT_EXACTLY(is_number_of_keys)
        << "from 2 to 1e+20 keys are meant, not " << format_significant(keys, 4);
    // So large a dimension that about half of the weight condenses.
    const double d = std::ceil(8 * std::log(n));
    const double before = condensed_fraction(n, std::sqrt(d));
    const double after = condensed_fraction(keys, std::sqrt(factor * d));
    const bool is_kept = std::abs(keys / std::pow(n, factor) - 1) < 1e-9;
    EXPECT_EXACTLY(is_kept) << "for " << n << " keys in dimension " << d << " the limit is "
                            << format_significant(before, 4) << ". In dimension " << factor * d
                            << " with " << format_significant(keys, 4) << " keys it is "
                            << format_significant(after, 4);
  });
}

}  // namespace sqrtdk::exercises
