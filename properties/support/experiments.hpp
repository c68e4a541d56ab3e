// The numbers that experiments of several chapters publish, and their decisions.
#pragma once

#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/exact_types.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>
#include <sqrtdk/training.hpp>
#include <sqrtdk/training/learning_curve.hpp>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace sqrtdk::properties {

using namespace sqrtdk::testing;

inline std::string in_short(double x) {
  return std::isinf(x) ? std::string("never") : format_significant(x, 3);
}

/// α of every sign test of the experiment, over the choice of its seeds.
inline const Rational decision_alpha(1, Integer(1) << decision_exponent);

/// Publishes the sizes of the experiment, and how many seeds make an answer decisive.
inline void record_plan(const TrainingPlan& plan) {
  record_value("key_symbols", std::to_string(plan.task.symbols));
  record_value("value_symbols", std::to_string(plan.task.values));
  record_value("pairs", std::to_string(plan.task.pairs));
  record_value("steps", std::to_string(plan.steps));
  record_value("batch", std::to_string(plan.batch));
  record_value("every", std::to_string(plan.every));
  record_value("held_out", std::to_string(plan.held_out));
  record_value("learned_accuracy", format_shortest(learned_accuracy));
  record_value("almost_zero_share", format_shortest(almost_zero_share));
  record_value("tuning_seeds", std::to_string(plan.tuning_seeds));
  record_value("runs", std::to_string(plan.runs()));
  record_value("tuning_runs", std::to_string(plan.repetitions * plan.tuning_seeds));
  std::ostringstream first_seed;
  first_seed << std::hex << plan.first_seed;
  record_value("first_seed", first_seed.str());
  record_value("alpha", "2^-" + std::to_string(decision_exponent));
  std::size_t decisive = plan.runs();
  while (sign_test(decisive - 1, plan.runs(), decision_alpha) == Decision::yes) --decisive;
  record_value("decisive", std::to_string(decisive));
  // Pr(Bin(n, p) < m) = I_(1−p)(n − m + 1, m): where that is β, and what it is at nine tenths.
  const double n = static_cast<double>(plan.runs()), m = static_cast<double>(decisive);
  const double seen_from = 1 - boost::math::ibeta_inv(n - m + 1, m, 0x1p-30);
  EXPECT_NEAR(boost::math::cdf(boost::math::binomial(n, seen_from), m - 1), 0x1p-30, 0x1p-50);
  record_value("seen_from", rounded_up(seen_from, 3));
  record_value("seen_at_nine_tenths",
               format_fixed(1 - boost::math::cdf(boost::math::binomial(n, 0.9), m - 1), 2));
}

/// "5 of 48", which a narrow column does not break.
inline std::string count_of(std::size_t count, std::size_t all) {
  constexpr auto space = "\u00a0";
  return std::to_string(count) + space + "of" + space + std::to_string(all);
}

/// Publishes an answer as `name` (how many seeds say yes, of all) and `name_decision`, and decides.
/// \param name of what is recorded.
/// \param yes  how many runs say yes.
/// \param plan whose runs these are.
inline Decision find(const std::string& name, std::size_t yes, const TrainingPlan& plan) {
  const std::size_t n = plan.runs();
  evidence().rests_on(EvidenceLevel::empirical);
  evidence().set("seed", std::to_string(plan.first_seed));
  evidence().add_line("n", std::to_string(n));
  evidence().add_line("statistic", count_of(yes, n));
  const Rational tail = std::min(coin_tail(yes, n), coin_tail(n - yes, n));
  evidence().add_line("p_value", in_short(std::min(1.0, 2 * static_cast<double>(tail))));
  const Decision decision = sign_test(yes, n, decision_alpha);
  record_value(name, count_of(yes, n));
  std::ostringstream text;
  text << decision;
  record_value(name + "_decision", text.str());
  return decision;
}

/// A curve's record of learning, with numbers in floating point as their bits.
inline auto bits_of_curve(const LearningCurve& curve) {
  std::vector<std::tuple<Eigen::Index, testing::Bits, testing::Bits, testing::Bits>> bits;
  for (const Evaluation& x : curve)
    bits.emplace_back(x.step, bits_of(x.accuracy), bits_of(x.loss), bits_of(x.attention_gradient));
  return bits;
}

}  // namespace sqrtdk::properties
