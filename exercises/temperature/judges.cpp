#include <sqrtdk/testing/substitute.hpp>

#include "exercises/exercise.hpp"
#include "properties/support/vectors.hpp"
#include "properties/temperature/fixture.hpp"

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;
using ::testing::PrintToString;

using List = std::vector<Rational>;

List list_of(const Vector<Rational>& v) { return List(v.begin(), v.end()); }

std::string rounded(const Rational& x) { return format_significant(x.convert_to<double>(), 4); }

// ------------------------------------------------------------------------------ A body removed

const Judged learned_temperature(
    "LearnedTemperature", "QueryDependentScale.TheGradientOfALearnedTemperatureIsMinusACovariance",
    [] {
      Subject student;
      student.gradient = [](const Vector<Rational>& p, const Vector<Rational>& s,
                            const Vector<Rational>& g, const Rational& t) {
        const auto answer =
            ask<Rational>("temperature_gradient", list_of(p), list_of(s), list_of(g), t);
        const Rational right = temperature_gradient(p, s, g, t);
        if (answer != right)
          remark("for the weights " + in_words(list_of(p)) + ", the scores " +
                 in_words(list_of(s)) + ", the gradient " + in_words(list_of(g)) +
                 " and the temperature " + t.str() + ", the loss changes at the rate " +
                 right.str() + ", and you return " + answer.str());
        return answer;
      };
      substitute<Subject>().implementation = student;
    });

// -------------------------------------------------------------------------- Drop a hypothesis

const Judged the_second_falls_too("TheSecondFallsToo", "TheSecondFallsToo.*");

TEST(TheSecondFallsToo, AsTheTemperatureRises) {
  for_all([&] {
    const auto n = *rc::gen::inRange<std::size_t>(3, 9).as("n");
    const auto hot = *rc::gen::inRange(1U, 12U).as("hot");
    const auto cold = hot + *rc::gen::inRange(1U, 4U).as("cold − hot");
    const auto weights = ask<List>("weights_whose_second_falls", n, cold, hot);
    EXPECT_EXACTLY(weights.size() == n) << "weights of " << n << " keys are wanted";
    List falling = weights;
    std::sort(falling.rbegin(), falling.rend());
    EXPECT_EXACTLY(falling.back() > 0) << "each weight e^s is positive";
    EXPECT_EXACTLY(falling[0] > falling[1])
        << "two weights are the largest, and what is said of one is said of the other";
    const Vector<Rational> before = sharpened_weights(vector_of(falling), cold);
    const Vector<Rational> after = sharpened_weights(vector_of(falling), hot);
    const bool is_counterexample = after[1] < before[1];
    EXPECT_EXACTLY(is_counterexample)
        << "this is no counterexample: the second largest share goes from " << rounded(before[1])
        << " to " << rounded(after[1]) << ". The largest gives away "
        << rounded(before[0] - after[0]) << ", and all keys below the second together gain "
        << rounded(before[0] - after[0] + before[1] - after[1]);
  });
}

// -------------------------------------------------------------------------------------- By hand

const Judged odds_to_a_power("OddsToAPower", "OddsToAPower.*");

TEST(OddsToAPower, IsTheColderShare) {
  for_all([&] {
    const auto of_first = *rc::gen::inRange(1, 20).as("weight of the first key at τ");
    const auto of_second = *rc::gen::inRange(1, 20).as("weight of the second key at τ");
    const auto factor = *rc::gen::inRange(1U, 9U).as("factor");
    const Vector<Rational> weights = integers({of_first, of_second});
    const Vector<Rational> shares = weights / weights.sum();
    const auto first = ask<Rational>("colder_share", shares[0], factor);
    const auto second = ask<Rational>("colder_share", shares[1], factor);
    EXPECT_EXACTLY(first + second == 1)
        << "of the shares " << shares[0] << " and " << shares[1] << " you make " << first << " and "
        << second << ", which add up to " << first + second;
    const Rational colder = sharpened_weights(weights, factor)[0];
    EXPECT_EXACTLY(first == colder)
        << "of the share " << shares[0] << " at τ you make " << first << " at τ/" << factor
        << ". There it is " << rounded(colder)
        << ", since the ratio of the first key to the second "
        << "goes from " << Rational(of_first, of_second) << " to " << colder / (1 - colder);
  });
}

// -------------------------------------------------------------------------- Predict, then run

const Judged cold_limit("ColdLimit", "ColdLimit.*");

TEST(ColdLimit, IsWhatTheWeightsTendTo) {
  for_all([&] {
    const auto whole = *rc::gen::mapcat(rc::gen::inRange<std::size_t>(1, 7), [](std::size_t n) {
                          return rc::gen::container<std::vector<int>>(n, rc::gen::inRange(-3, 4));
                        }).as("scores");
    const List scores(whole.begin(), whole.end());
    const auto answer = ask<List>("cold_limit", whole);
    EXPECT_EXACTLY(answer.size() == scores.size()) << "as many weights as scores are wanted";
    const Rational largest = *std::max_element(scores.begin(), scores.end());
    const Rational ties(std::count(scores.begin(), scores.end(), largest));
    List divided = scores;
    for (Rational& score : divided) score *= 100;
    const auto near = softmax_enclosure(divided);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const Rational limit = scores[i] == largest ? 1 / ties : Rational(0);
      EXPECT_EXACTLY(answer[i] == limit)
          << "you say that the weight of score " << scores[i] << " tends to " << answer[i]
          << ". At the temperature 1/100 it is about " << rounded(near[i].lower);
    }
  });
}

}  // namespace sqrtdk::exercises
