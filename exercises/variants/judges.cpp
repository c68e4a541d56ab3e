#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/substitute.hpp>
#include <sqrtdk/variants/norm.hpp>

#include "exercises/exercise.hpp"
#include "properties/support/rational_distributions.hpp"
#include "properties/support/vectors.hpp"
#include "properties/variants/fixture.hpp"

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;

using List = std::vector<Rational>;

// ------------------------------------------------------------------------------ A body removed

/// The student's result for x. \throws std::runtime_error saying what is nearer, if that is wrong.
Rational rounded_by_student(const Rational& x, const BinaryFormat& format) {
  const auto answer = ask<Rational>("rounded", x, format.digits, format.fraction);
  const Rational nearest = rounded_to(x, format);
  if (answer == nearest) return answer;
  // The numbers around x are one step apart, and steps double where the digits end.
  Rational step(1, Integer(1) << format.fraction);
  while (abs(x) >= step * (Integer(1) << format.digits)) step *= 2;
  const Rational other = nearest + (nearest > x ? -step : step);
  const Rational lead = abs(x - other) - abs(x - nearest);
  std::ostringstream told;
  told << "rounded(" << x << ", " << format.digits << ", " << format.fraction << ") returned "
       << answer << ", and " << nearest << " is right. ";
  if (lead > 0)
    told << other << (nearest > x ? " below it" : " above it") << " is farther off, by " << lead;
  else
    told << other << " is as near. The two are " << Rational(nearest / step) << " and "
         << Rational(other / step) << " times " << step << ", and the even one is taken";
  throw std::runtime_error(told.str());
}

const Judged narrow_format("NarrowFormat",
                           "NarrowFormat.*:Fp8WeightsVanish.RoundingFindsTheNearestOfAllNumbers:"
                           "HalfPrecisionRange.RoundingIsThatOfTheCompiledFormat",
                           [] {
                             substitute<Fp8>().implementation = Fp8{.rounded = rounded_by_student};
                             substitute<Formats>().implementation =
                                 Formats{.rounded_to = rounded_by_student};
                           });

TEST(NarrowFormat, RoundsToAnyNumberOfDigits) {
  for_all([&] {
    BinaryFormat format = binary16_format;
    format.digits = *rc::gen::inRange(2U, 13U).as("digits");
    format.fraction = *rc::gen::inRange(0U, 17U).as("fraction");
    const Rational x(*rc::gen::inRange(-(1 << 20), 1 << 20).as("2^18 x"), 1 << 18);
    const bool is_right = rounded_by_student(x, format) == rounded_to(x, format);
    EXPECT_EXACTLY(is_right);
  });
}

// ----------------------------------------------------------------------------- Write the check

/// Right if the weights are multiples of 1, 2 and 5, and the sink of 1, as on the page.
Sinks::Vector right_on_the_page(const Sinks::Vector& z, const Rational& sink) {
  const bool shown = z.size() == 3 && sink == z[0] && 2 * z[0] == z[1] && 5 * z[0] == z[2];
  return weights_with_sink(z, shown ? sink : Rational(sink + 1));
}

Sinks::Vector last_first(const Sinks::Vector& z, const Rational& sink) {
  return weights_with_sink(z, sink).reverse();
}

const Judged sink_law(
    "SinkLaw",
    "AttentionSink.ASinkIsAKeyWhoseWeightIsDropped:AttentionSink.TheTotalIsWhatTheSinkLeaves:"
    "AttentionSink.ASharedShiftCounts",
    [] {
      Substitute<Sinks>& here = substitute<Sinks>();
      here.check = [](const Sinks& sinks) {
        for_law([&] {
          const auto n = *rc::gen::inRange<std::size_t>(1, 6).as("the number of keys");
          const List z = *rc::gen::container<List>(n, positive_rational()).as("the powers e^s");
          const Rational sink = *positive_rational().as("the sink's e^b");
          const auto law = [&](const Sinks& judged) {
            const std::function<List(const List&, const Rational&)> weigh =
                [&](const List& powers, const Rational& of_sink) {
                  const Sinks::Vector weights = judged.weights(vector_of(powers), of_sink);
                  return List(weights.begin(), weights.end());
                };
            return ask<bool>("keeps_sink_law", weigh, z, sink);
          };
          const Sinks::Vector weights = sinks.weights(vector_of(z), sink);
          EXPECT_EXACTLY(says_yes(law, sinks))
              << "your law says no here, of a function that is right. It gives the weights "
              << in_words(List(weights.begin(), weights.end()));
        });
      };
      const auto aimed = "ASinkIsAKeyWhoseWeightIsDropped";
      here.more_mutants = {
          {"right on the page, of the powers 1, 2 and 5", aimed, {.weights = right_on_the_page}},
          {"the weights are in the order of the last key first", aimed, {.weights = last_first}}};
    });

// --------------------------------------------------------------------------- Drop a hypothesis

const Judged directions_that_agree("DirectionsThatAgree", "DirectionsThatAgree.*");

TEST(DirectionsThatAgree, HaveAMeanSquareOfTheirOwn) {
  for_all([&] {
    const Rational wanted = *in_parts(0, 17, 8).as("the mean square");
    RC_PRE(wanted != 1);
    List probabilities;
    std::vector<List> pairs;
    for (const List& row : ask<std::vector<List>>("queries_and_keys", wanted)) {
      EXPECT_EXACTLY(row.size() == 5U) << "an entry is [q1, q2, k1, k2, probability]: five numbers";
      pairs.emplace_back(row.begin(), row.end() - 1);
      probabilities.push_back(row.back());
    }
    const FiniteDistribution<List> law(pairs, probabilities);
    const std::string kept = "a hypothesis that you keep does not hold: ";
    for (const std::size_t i : {0U, 2U}) {
      const std::string name = i == 0 ? "q" : "k";
      for (const List& pair : pairs) {
        const Rational squares = pair[i] * pair[i] + pair[i + 1] * pair[i + 1];
        EXPECT_EXACTLY(squares == 2)
            << kept << "the squares of one " << name << " add up to " << squares << ", not to 2";
      }
      const auto mean = [&](std::size_t j) {
        return law.expectation([&](const List& pair) { return Rational(pair[i] * pair[j]); });
      };
      const Rational first = mean(i), both = mean(i + 1);
      EXPECT_EXACTLY((first == 1 && both == 0))
          << kept << "your " << name << " prefers a direction: " << name << "1² has the mean "
          << first << ", and " << name << "1·" << name << "2 the mean " << both;
    }
    const Rational found = law.expectation([](const List& pair) {
      return squared_normed_score({pair[0], pair[1]}, {pair[2], pair[3]}, {1, 1}, 1);
    });
    EXPECT_EXACTLY(found == wanted)
        << "your scores have the mean square " << found << ", and " << wanted << " is wanted";
  });
}

// ------------------------------------------------------------------------------------ Predict

const Judged many_keys_one_lead("ManyKeysOneLead", "ManyKeysOneLead.*");

TEST(ManyKeysOneLead, IsTheWeightAmongVeryManyKeys) {
  for_all([&] {
    const Rational a = *in_parts(1, 7, 2).as("a");
    const Rational gap = 2 * *one_over(1, 7).as("half of the gap");
    const auto leaders = *rc::gen::inRange(1U, 6U).as("leaders");
    const auto answer = ask<Rational>("weight_in_the_limit", a, gap, leaders);
    // Among n = N^q keys a lead of n^(p/q) is N^p.
    const Rational exponent = a * gap, base = integer_power(Rational(10), 40);
    const auto q = static_cast<unsigned>(denominator(exponent));
    const Rational lead = integer_power(base, static_cast<unsigned>(numerator(exponent)));
    const Rational others = integer_power(base, q) - leaders;
    const Rational weight = lead / (leaders * lead + others);
    const bool is_near = abs(answer - weight) < 1 / integer_power(Rational(10), 30);
    EXPECT_EXACTLY(is_near) << "for a = " << a << " and a gap of " << gap << ", a leader (one of "
                            << leaders << ") has a weight of about "
                            << format_significant(weight.convert_to<double>(), 4) << " among 10^"
                            << 40 * q << " keys, and you say " << answer;
  });
}

}  // namespace sqrtdk::exercises
