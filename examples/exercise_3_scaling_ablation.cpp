// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Exercise 3: train attention with and without scaling, and compare learning curves.
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/statistics/sample_quantile.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>
#include <sqrtdk/training.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

constexpr std::size_t runs = 48, tuning_runs = 6;

//! [train]
/// Trains a layer with d = 64 again and again, from one seed after the other, with one rate for all
/// of its weights.
TrainingCell train_with_rate(const TrainingPlan& plan, ScoreRule rule, int exponent,
                             std::uint64_t first_seed, std::size_t count) {
  TrainingCell cell{rule, 64, {}, {}, {}};
  const LearningRates rates{std::exp2(exponent), std::exp2(exponent)};
  for (std::uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
    cell.curves.push_back(train(plan, rule, cell.d, rates, seed));
    cell.rate_exponents.push_back(exponent);
  }
  return cell;
}

/// The same with the rate that serves the rule best on a few seeds that are not used again.
TrainingCell train_with_best_rate(const TrainingPlan& plan, ScoreRule rule) {
  std::vector<double> accuracies;
  for (const int exponent : plan.rate_exponents.at(rule)) {
    accuracies.push_back(0);
    for (const LearningCurve& curve :
         train_with_rate(plan, rule, exponent, plan.first_seed + runs, tuning_runs).curves)
      accuracies.back() += mean_accuracy(curve);
  }
  return train_with_rate(plan, rule, plan.rate_exponents.at(rule)[best_rate(accuracies)],
                         plan.first_seed, runs);
}
//! [train]

/// A quantile over all seeds of what was seen at one evaluation.
double quantile(const TrainingCell& cell, std::size_t i, double Evaluation::*what, double q) {
  std::vector<double> values;
  for (const LearningCurve& curve : cell.curves) values.push_back(curve[i].*what);
  return sample_quantile(values, q);
}

int main() {
  const TrainingPlan plan = quick_plan();  // the task, the rates and the steps of the chapter
  const TrainingCell scaled = train_with_best_rate(plan, ScoreRule::root);
  const TrainingCell bare = train_with_best_rate(plan, ScoreRule::unscaled);
  const TrainingCell same = train_with_rate(plan, ScoreRule::unscaled, usual_rate_exponent(scaled),
                                            plan.first_seed, runs);

  std::puts("divided by  rate  learned  gradient at the start  accuracy at the end");
  std::vector<std::vector<double>> curves;
  for (const TrainingCell* cell : {&scaled, &bare, &same}) {
    std::printf("%10s %5g %5zu/%zu %22.2f %20.2f\n", cell == &scaled ? "8" : "1",
                std::exp2(usual_rate_exponent(*cell)), runs_that(cell->curves, has_learned), runs,
                quantile(*cell, 0, &Evaluation::attention_gradient, 0.5),
                quantile(*cell, cell->curves[0].size() - 1, &Evaluation::accuracy, 0.5));
    for (std::size_t i = 0; i < cell->curves[0].size(); ++i) {
      curves.push_back({static_cast<double>(cell->curves[0][i].step)});
      for (const double q : {0.25, 0.5, 0.75})
        curves.back().push_back(quantile(*cell, i, &Evaluation::accuracy, q));
    }
    curves.insert(curves.end(), 2, {});  // ends a block
  }
  sqrtdk::testing::write_figure_data("exercise_3_scaling_ablation", {"step", "q25", "q50", "q75"},
                                     curves);
  //! [check]
  // Each seed votes. Where both answers are equally likely, chance decides with α at most.
  const Rational alpha(1, Integer(1) << decision_exponent);
  const auto vote = [&](std::size_t yes, const char* question) {
    std::ostringstream decision;
    decision << sign_test(yes, runs, alpha);
    std::printf("%zu of %zu (%s): %s\n", yes, runs, decision.str().c_str(), question);
  };
  vote(runs_that(scaled.curves, bare.curves, learns_faster), "scaled learns faster");
  vote(runs_that(bare.curves, scaled.curves, starts_with_almost_no_gradient),
       "unscaled starts with almost no gradient");
  vote(runs_that(same.curves, has_learned), "unscaled learns at the rate of scaled");
  vote(runs_that(bare.curves, scaled.curves, loses_its_gradient),
       "unscaled loses its gradient with less than half of its answers right");
  vote(runs_that(same.curves, scaled.curves, loses_its_gradient),
       "unscaled loses it at the rate of scaled");
  //! [check]
}
