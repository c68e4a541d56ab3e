#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::DotProductStandardDeviation {

rc::Gen<std::uint64_t> any_dimension() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange(0, 54), rc::gen::inRange<std::uint64_t>(0, ~std::uint64_t{0})),
      [](const std::pair<int, std::uint64_t>& draw) {
        return draw.second % (std::uint64_t{1} << draw.first) + 1;
      });
}

bool is_nearest_to_the_root(double s, std::uint64_t d) {
  const Rational low = (Rational(std::nextafter(s, 0.0)) + Rational(s)) / 2;
  const Rational high =
      (Rational(s) + Rational(std::nextafter(s, std::numeric_limits<double>::infinity()))) / 2;
  return low * low < d && high * high > d;
}

//! [DotProductStandardDeviation: in floating point]
ASIDE(DotProductStandardDeviation, IsTheDoubleNearestToTheRoot) {
  for_all(
      [&] {
        const std::uint64_t d = *any_dimension().as("d");
        EXPECT_EXACTLY(is_nearest_to_the_root(subject.standard_deviation(d), d));
      },
      1000);
}
//! [DotProductStandardDeviation: in floating point]
KILLS("the root of a float",
      {.standard_deviation = [](auto d) -> double { return std::sqrt(static_cast<float>(d)); }});
KILLS("the next double", {.standard_deviation = [](auto d) {
        return std::nextafter(std::sqrt(static_cast<double>(d)),
                              std::numeric_limits<double>::infinity());
      }});
KILLS("the double before", {.standard_deviation = [](auto d) {
        return std::nextafter(std::sqrt(static_cast<double>(d)), 0.0);
      }});

ASIDE(DotProductStandardDeviation, IsTheIntegerRootOfEveryPerfectSquare) {
  const std::uint64_t largest = 1000;
  for (std::uint64_t root = 1; root <= largest; ++root)
    EXPECT_EXACTLY(Rational(subject.standard_deviation(root * root)) == root);
  enumerated(largest);
}
KILLS("by exponential and logarithm", {.standard_deviation = [](auto d) {
        return std::exp(std::log(static_cast<double>(d)) / 2);
      }});

//! [DotProductStandardDeviation]
STATEMENT(DotProductStandardDeviation, EightAtSixtyFourAndTheAnswerToTheFirstExercise) {
  expect_printed("S3", "8", Rational(subject.standard_deviation(64)));
  EXPECT_EXACTLY(is_nearest_to_the_root(subject.standard_deviation(512), 512));
  enumerated(2);
  record_value("at_512", format_shortest(subject.standard_deviation(512)));
  record_value("at_512_rounded", format_fixed(subject.standard_deviation(512), 1));
  record_value("ratio_of_weights_at_8", format_fixed(std::exp(subject.standard_deviation(8)), 0));
  record_value("ratio_of_weights_at_64", format_fixed(std::exp(subject.standard_deviation(64)), 0));
  record_value("billions_of_the_ratio_at_512",
               format_fixed(std::exp(subject.standard_deviation(512)) / 1e9, 0));
}
//! [DotProductStandardDeviation]
KILLS("the root of d/2, except in the exercise", {.standard_deviation = [](auto d) {
        return std::sqrt(static_cast<double>(d) / (d == 512 ? 1 : 2));
      }});
KILLS("six digits only", {.standard_deviation = [](auto d) {
        return std::stod(std::to_string(std::sqrt(static_cast<double>(d))));
      }});

STATEMENT(DotProductStandardDeviation, ItsSquareIsTheVarianceOfTheDistribution) {
  for_all([&] {
    // Any perfect square up to 2⁵²: its root is a double.
    const std::uint64_t root = (*any_dimension().as("√d") - 1) % (std::uint64_t{1} << 26) + 1;
    const std::uint64_t d = root * root;
    const auto q = moments(*standardized_distribution().as("distribution of each entry of q"));
    const auto k = moments(*standardized_distribution().as("distribution of each entry of k"));
    const Rational s(subject.standard_deviation(d));
    EXPECT_EXACTLY(s * s == subject.variance(d, q, k));
  });
  // The same from whole laws, one score after the other.
  for (const std::size_t d : {1U, 4U, 9U}) {
    const Rational s(subject.standard_deviation(d));
    EXPECT_EXACTLY(s * s == variance(subject.distribution(fair_sign, fair_sign, d)));
    enumerated(1);
  }
}
KILLS("the variance", {.standard_deviation = [](auto d) { return static_cast<double>(d); }});
KILLS("right for one and for four dimensions",
      {.standard_deviation = [](auto d) { return (static_cast<double>(d) + 2) / 3; }});

ASIDE(DotProductStandardDeviation, EntriesOfTwoHaveTwiceTheDeviation) {
  const Rational s(dot_product_standard_deviation(4));
  EXPECT_EXACTLY(variance(subject.distribution(fair_two, fair_sign, 4)) == (2 * s) * (2 * s));
  counterexample_without("variance d");
}
KILLS("the variances are taken to be one", {.distribution = [](auto&, auto&, auto d) {
        return dot_product_distribution(fair_sign, fair_sign, d);
      }});

ASIDE(DotProductStandardDeviation, RefusesDimensionsWhoseRootItCannotPromise) {
  expect_refusal<std::domain_error>([&] { subject.standard_deviation(0); },
                                    "the dimension is 0, but must lie between 1 and 2^53");
  expect_refusal<std::domain_error>(
      [&] { subject.standard_deviation(largest_exact_dimension + 1); },
      "the dimension is 9007199254740993, but must lie between 1 and 2^53");
}
KILLS("dimension zero has deviation zero", {.standard_deviation = [](auto d) {
        return d == 0 ? 0.0 : dot_product_standard_deviation(d);
      }});
KILLS("dimensions that are no doubles are rounded first", {.standard_deviation = [](auto d) {
        return d > largest_exact_dimension ? std::sqrt(static_cast<double>(d))
                                           : dot_product_standard_deviation(d);
      }});

}  // namespace sqrtdk::properties::DotProductStandardDeviation
