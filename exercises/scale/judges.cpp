#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/testing/substitute.hpp>

#include "exercises/exercise.hpp"
#include "properties/scale/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;

// ------------------------------------------------------------------------------ A body removed

const Judged log_of_what_is_left("LogOfWhatIsLeft",
                                 "AlternativeScales.IsWithinItsBoundAtEveryDimension", [] {
                                   Subject student;
                                   student.log_variance_left = [](const ScalingRule& rule,
                                                                  const double& log_d) {
                                     return ask<double>("log_variance_left", rule.factor,
                                                        rule.power, rule.log_power, rule.pi_rate,
                                                        log_d);
                                   };
                                   substitute<Subject>().implementation = student;
                                 });

// -------------------------------------------------------------------------------------- By hand

const Judged scaled_bits("ScaledBits", "ScaledBits.*");

/// The simplest first, as a failure shrinks.
rc::Gen<Rational> probability() {
  static const Vector some = {1, Rational(1, 2), 0, Rational(1, 3), Rational(5, 7)};
  return rc::gen::map(rc::gen::inRange<std::size_t>(0, some.size()),
                      [](std::size_t i) { return some[i]; });
}

RationalDistribution bits(const Rational& one) {
  return RationalDistribution({0, 1}, {1 - one, one});
}

TEST(ScaledBits, IsTheVarianceOfTheScore) {
  for_all([&] {
    const std::size_t d = *dimension(6).as("d");
    const Rational p = *probability().as("p");
    const Rational r = *probability().as("r");
    const Rational of_score = variance(dot_product_distribution(bits(p), bits(r), d));
    const auto yours = ask<Rational>("variance_of_scaled_bits", d, p, r);
    const Rational exact = of_score / Rational(d);
    EXPECT_EXACTLY(yours == exact)
        << "added up over all outcomes, a score of " << d << (d == 1 ? " product" : " products")
        << " of bits has the variance " << of_score << ", and the division by √" << d << " leaves "
        << exact;
  });
}

// ----------------------------------------------------------------------------------- Predict

const Judged divide_by_a_shift("DivideByAShift", "DivideByAShift.*");

/// Whole numbers to 2^40; many are a power of two, or beside one.
rc::Gen<std::int64_t> up_to_two_to_the_40th() {
  const auto power =
      rc::gen::map(rc::gen::inRange(1, 41), [](int k) { return std::int64_t{1} << k; });
  const auto less = rc::gen::map(power, [](std::int64_t x) { return x - 1; });
  const auto any = rc::gen::inRange(std::int64_t{1}, (std::int64_t{1} << 40) + 1);
  return rc::gen::oneOf(power, less, any);
}

TEST(DivideByAShift, LeavesFromHalfToTwice) {
  const auto judge = [](std::int64_t d) {
    const int k = ask<int>("shift", d);
    const bool is_a_shift = k >= -100 && k <= 100;
    EXPECT_EXACTLY(is_a_shift) << "k = " << k
                               << ", and 2^k is far from the root of any number from 1 to 2^40";
    if (!is_a_shift) return;
    const Rational power = integer_power(Rational(2), static_cast<unsigned>(std::abs(k)));
    const Rational divisor = k < 0 ? Rational(1 / power) : power;
    const Rational left = variance_after_division(d, divisor);
    const bool is_more = left > 2;
    const bool from_half_to_twice = !is_more && left >= Rational(1, 2);
    EXPECT_EXACTLY(from_half_to_twice)
        << "a score of variance " << d << ", divided by 2^" << k << " = " << divisor
        << ", keeps the variance " << left << ", "
        << (is_more ? "more than 2: the divisor is too small"
                    : "less than 1/2: the divisor is too large");
  };
  for_all([&] { judge(*rc::gen::inRange(1, 65).as("d")); });
  for_all([&] { judge(*up_to_two_to_the_40th().as("d")); });
}

// ----------------------------------------------------------------------------- Write the check

Subject with_squared_cosine(Rational (*function)(const Vector&, const Vector&)) {
  Subject result;
  result.squared_cosine = function;
  return result;
}

/// Wrong on all vectors but the three that the page shows.
Rational right_on_the_page(const Vector& q, const Vector& k) {
  const bool shown = q == Vector{3, 4} && (k == Vector{4, 3} || k == Vector{6, 8});
  return shown ? squared_cosine(q, k) : Rational(1, 2);
}

Rational above_one(const Vector& q, const Vector& k) { return 2 - squared_cosine(q, k); }

Rational below_zero(const Vector& q, const Vector& k) {
  const Rational square = squared_cosine(q, k);
  return square == 1 ? square : Rational(-square - 1);
}

Rational wrong_for_opposite_directions(const Vector& q, const Vector& k) {
  return dot_product(q, k) < 0 ? Rational(squared_cosine(q, k) / 2) : squared_cosine(q, k);
}

rc::Gen<Vector> vector_with_a_direction(std::size_t d) {
  return rc::gen::suchThat(rc::gen::container<Vector>(d, any_rational()), [](const Vector& v) {
    return std::any_of(v.begin(), v.end(), [](const Rational& x) { return x != 0; });
  });
}

const Judged cosine_law(
    "CosineLaw", "CosineSimilarity.IsAtMostOneAndThatOnlyForParallelVectors", [] {
      Substitute<Subject>& here = substitute<Subject>();
      here.check = [](const Subject& subject) {
        for_law([&] {
          const std::size_t d = *dimension(5).as("d");
          Vector q = *vector_with_a_direction(d).as("q");
          Vector k = *vector_with_a_direction(d).as("k");
          if (*rc::gen::inRange(0, 4).as("0 if the first features are 0") == 0)
            for (Vector* const each : {&q, &k})
              if (std::any_of(each->begin() + 1, each->end(), [](const auto& x) { return x != 0; }))
                each->front() = 0;
          const Rational factor = *nonzero_rational().as("factor");
          const auto law = [&](const Subject& judged) {
            const std::function<Rational(const Vector&, const Vector&)> cosine =
                judged.squared_cosine;
            return ask<bool>("keeps_cosine_law", cosine, q, k, factor);
          };
          EXPECT_EXACTLY(says_yes(law, subject)) << "your law says no here, of a function that is "
                                                    "right: the squared cosine of q and k is "
                                                 << squared_cosine(q, k);
        });
      };
      const char* const aimed = "IsAtMostOneAndThatOnlyForParallelVectors";
      here.more_mutants = {
          {"right on the vectors of the page", aimed, with_squared_cosine(right_on_the_page)},
          {"above 1 for vectors that are not parallel", aimed, with_squared_cosine(above_one)},
          {"below 0 for vectors that are not parallel", aimed, with_squared_cosine(below_zero)},
          {"halved for directions that are more than a right angle apart", aimed,
           with_squared_cosine(wrong_for_opposite_directions)}};
    });

}  // namespace sqrtdk::exercises
