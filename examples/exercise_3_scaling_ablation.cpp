// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Exercise 3: train attention with and without scaling, and compare learning curves.
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/statistics/sample_quantile.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>
#include <sqrtdk/training.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

//! [train]
/// Trains a layer with d = 64 from each seed of the plan, with one rate for all of its weights.
TrainingCell train_with_rate(const TrainingPlan& plan, ScoreRule rule, int exponent) {
  TrainingCell cell{rule, 64, {}, exponent, {}};
  const LearningRates rates{std::exp2(exponent), std::exp2(exponent)};
  for (std::size_t s = 0; s < plan.seeds; ++s)
    cell.curves.push_back(train(plan, rule, cell.d, rates, plan.first_seed + s));
  return cell;
}

/// The same with the rate that serves the rule best on a few seeds that are not used again.
TrainingCell train_with_best_rate(const TrainingPlan& plan, ScoreRule rule) {
  TrainingPlan tuning = plan;
  tuning.first_seed += plan.seeds;
  tuning.seeds = plan.tuning_seeds;
  std::vector<double> sweep;
  for (const int exponent : plan.rate_exponents) {
    sweep.push_back(0);
    for (const LearningCurve& curve : train_with_rate(tuning, rule, exponent).curves)
      sweep.back() += mean_accuracy(curve);
  }
  return train_with_rate(plan, rule, plan.rate_exponents[best_rate(sweep)]);
}
//! [train]

/// A quantile over all seeds of what was seen at one evaluation.
double quantile(const TrainingCell& cell, std::size_t i, double Evaluation::*what, double q) {
  std::vector<double> values;
  for (const LearningCurve& curve : cell.curves) values.push_back(curve[i].*what);
  return sample_quantile(values, q);
}

int main() {
  const TrainingPlan plan = quick_plan();  // the rates, the steps and the seeds of the chapter
  const TrainingCell scaled = train_with_best_rate(plan, ScoreRule::root);
  const TrainingCell bare = train_with_best_rate(plan, ScoreRule::unscaled);
  const TrainingCell same = train_with_rate(plan, ScoreRule::unscaled, scaled.rate_exponent);

  std::puts("divided by  rate  learned  gradient at the start  accuracy at the end");
  std::vector<std::vector<double>> curves;
  for (const TrainingCell* cell : {&scaled, &bare, &same}) {
    std::printf("%10s %5g %5zu/%zu %22.2f %20.2f\n", cell == &scaled ? "8" : "1",
                std::exp2(cell->rate_exponent), seeds_that(*cell, has_learned), plan.seeds,
                quantile(*cell, 0, &Evaluation::attention_gradient, 0.5),
                quantile(*cell, cell->curves[0].size() - 1, &Evaluation::accuracy, 0.5));
    for (std::size_t i = 0; i < cell->curves[0].size(); ++i) {
      curves.push_back({static_cast<double>(cell->curves[0][i].step)});
      for (const double q : {0.25, 0.5, 0.75})
        curves.back().push_back(quantile(*cell, i, &Evaluation::accuracy, q));
    }
    curves.insert(curves.end(), 2, {});  // ends a block
  }
  testing::write_figure_data("exercise_3_scaling_ablation", {"step", "q25", "q50", "q75"}, curves);
  //! [check]
  // Each seed votes. Where both answers are equally likely, chance decides with α at most.
  const Rational alpha(1, Integer(1) << decision_exponent);
  bool right = true;
  const auto vote = [&](Decision expected, std::size_t yes, const char* question) {
    std::printf("%zu of %zu: %s\n", yes, plan.seeds, question);
    right = right && sign_test(yes, plan.seeds, alpha) == expected;
  };
  vote(Decision::yes, seeds_that(scaled, bare, learns_faster), "scaled learns faster");
  vote(Decision::no, seeds_that(bare, scaled, starts_with_almost_no_gradient),
       "unscaled starts with almost no gradient");
  vote(Decision::no, seeds_that(same, has_learned), "unscaled learns at the rate of scaled");
  std::printf("%zu of %zu: unscaled loses its gradient before half of its answers are right\n",
              seeds_that(bare, scaled, loses_its_gradient), plan.seeds);
  vote(Decision::yes, seeds_that(same, scaled, loses_its_gradient),
       "unscaled loses it at the rate of scaled");
  //! [check]
  if (!right) std::puts("wrong: the seeds vote otherwise than the chapter on training says");
  return right ? 0 : 1;
}
