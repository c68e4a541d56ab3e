// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/learning_curve.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/recall_layer.hpp>
#include <sqrtdk/recall_task.hpp>
#include <sqrtdk/testing/expect_draws.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/exact_types.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/mutant_run.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/sample_quantile.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>
#include <sqrtdk/training.hpp>

#include "properties/support/documents.hpp"
#include "properties/support/experiments.hpp"
#include "properties/training/ScalingAblation_mutants.hpp"
#include "properties/training/experiment.hpp"
#include "properties/training/fixture.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sqrtdk::properties::ScalingAblation {

using namespace sqrtdk::testing;

constexpr Eigen::Index small_d = 4, large_d = 64;

/// Norms of the attention's gradient from single sequences at the start, over all seeds.
std::vector<double> sequence_gradients(ScoreRule rule) {
  const TrainingPlan& plan = recorded_run().plan;
  std::vector<double> norms;
  for (std::size_t run = 0; run < plan.runs(); ++run) {
    const std::uint64_t seed = plan.seed(run);
    const RecallEmbeddings<double> embeddings = draw_embeddings(plan.task, seed);
    const RecallWeights<double> weights = initial_weights(plan.task, large_d, seed);
    TrainingStream stream = training_stream(seed, Purpose::held_out);
    for (int i = 0; i < 16; ++i) {
      const auto gradient =
          recall_gradient(rule, embeddings, weights, draw_recall(plan.task, 1, stream));
      norms.push_back(std::hypot(gradient.query.norm(), gradient.key.norm()));
    }
  }
  return norms;
}

TEST(ScalingAblation, HowManyLayersLearn) {
  check_statement(scaling_ablation_mutants, [](const Experiment& experiment) {
    const auto learn = [&](const std::string& name, ScoreRule rule, Eigen::Index d,
                           std::size_t made_up) {
      return Question{name,
                      [&experiment, rule, d](const TrainingRun& run) {
                        return runs_that(experiment.cell(run, rule, d).curves,
                                         experiment.has_learned);
                      },
                      made_up};
    };
    const auto decisions = ask({learn("root_at_4", ScoreRule::root, small_d, 47),
                                learn("root_at_64", ScoreRule::root, large_d, 46),
                                learn("unscaled_at_4", ScoreRule::unscaled, small_d, 48),
                                learn("unscaled_at_64", ScoreRule::unscaled, large_d, 11)});
    if (checking_a_mutant()) return;
    const Decision at_4 = decisions.at("root_at_4");
    judge("S3", "stable training regardless of dimension",
          at_4 == Decision::yes ? decisions.at("root_at_64") : at_4,
          "the task is not learned in every dimension");
    const TrainingRun& run = recorded_run();
    record_plan(run.plan);
    draw_curves("training_curves", run, run.plan.dimensions, &Evaluation::accuracy);
    draw_curves("training_gradients", run, {large_d}, &Evaluation::attention_gradient);
    draw_sweeps("training_rates", run, large_d);
    for (const Eigen::Index d : run.plan.dimensions) {
      for (const ScoreRule rule : score_rules)
        record_row(name(rule) + ("_" + std::to_string(d)), run.cell(rule, d));
      record_row("borrowed_" + std::to_string(d), run.borrowed_cell(d));
    }
  });
}

//! [ScalingAblation]
TEST(ScalingAblation, RootAgainstUnscaled) {
  check_statement(scaling_ablation_mutants, [](const Experiment& experiment) {
    const auto faster = [&](Eigen::Index d) {
      return [&experiment, d](const TrainingRun& run) {
        return runs_that(experiment.cell(run, ScoreRule::root, d).curves,
                         experiment.cell(run, ScoreRule::unscaled, d).curves,
                         experiment.learns_faster);
      };
    };
    ask({{"faster_at_4", faster(small_d), 37},  //
         {"faster_at_64", faster(large_d), 42}});
    if (checking_a_mutant()) return;
    // One small layer says nothing of Transformers, and nobody asked whether it learns faster by more
    // at the larger size.
    decides("S1", "a crucial part", false);
    decides("S2", "would struggle to learn effectively, especially with larger dimensions", false);
    decides("S3", "subtle but crucial", false);
  });
}
//! [ScalingAblation]

TEST(ScalingAblation, FirstGradients) {
  check_statement(scaling_ablation_mutants, [](const Experiment& experiment) {
    // In the coordinates of the scaled layer, W_Q and W_K times d^(1/4), gradients are smaller by
    // that factor.
    const double fourth_root = std::sqrt(std::sqrt(static_cast<double>(large_d)));
    const auto ratios = [&](const TrainingRun& run) {
      const std::vector<LearningCurve>& unscaled =
          experiment.cell(run, ScoreRule::unscaled, large_d).curves;
      const std::vector<LearningCurve>& root =
          experiment.cell(run, ScoreRule::root, large_d).curves;
      std::vector<double> quotients;
      for (std::size_t r = 0; r < root.size(); ++r)
        quotients.push_back(first_gradient(unscaled[r]) / first_gradient(root[r]));
      return quotients;
    };
    const auto larger_by = [&](double factor) {
      return [&ratios, factor](const TrainingRun& run) {
        const std::vector<double> all = ratios(run);
        return static_cast<std::size_t>(
            std::count_if(all.begin(), all.end(), [&](double ratio) { return ratio > factor; }));
      };
    };
    const auto decisions =
        ask({{"almost_no_gradient",
              [&](const TrainingRun& run) {
                return runs_that(experiment.cell(run, ScoreRule::unscaled, large_d).curves,
                                 experiment.cell(run, ScoreRule::root, large_d).curves,
                                 experiment.almost_no_gradient);
              },
              1},
             {"larger", larger_by(1), 46},
             {"larger_in_its_coordinates", larger_by(fourth_root), 45}});
    if (checking_a_mutant()) return;
    const double usual_ratio = sample_quantile(ratios(recorded_run()), 0.5);
    record_value("times", in_short(usual_ratio));
    record_value("fourth_root", in_short(fourth_root));
    record_value("times_in_its_coordinates", in_short(usual_ratio / fourth_root));
    // One sequence at a time, the gradient is another story.
    const std::vector<double> alone = sequence_gradients(ScoreRule::unscaled);
    const std::vector<double> scaled = sequence_gradients(ScoreRule::root);
    const double usual = sample_quantile(scaled, 0.5);
    const auto small_ones = static_cast<std::size_t>(std::count_if(
        alone.begin(), alone.end(), [&](double norm) { return norm < almost_zero_share * usual; }));
    record_value("sequence_median", in_short(sample_quantile(alone, 0.5)));
    record_value("sequence_median_scaled", in_short(usual));
    record_value("sequence_top", in_short(sample_quantile(alone, 0.9)));
    record_value("sequence_top_scaled", in_short(sample_quantile(scaled, 0.9)));
    record_value("small_sequences", count_of(small_ones, alone.size()));
  });
}

/// At rate i, the first run of each repetition that tunes the rule.
std::vector<LearningCurve> first_of_each_repetition(const TrainingCell& cell, std::size_t i,
                                                    const TrainingPlan& plan) {
  std::vector<LearningCurve> curves;
  for (std::size_t r = 0; r < plan.repetitions; ++r)
    curves.push_back(cell.tuning.at(i).at(r * plan.tuning_seeds));
  return curves;
}

TEST(ScalingAblation, AtEveryRate) {
  check_statement(scaling_ablation_mutants, [](const Experiment& experiment) {
    const auto cell = [&](const TrainingRun& run, ScoreRule rule) -> const TrainingCell& {
      return experiment.cell(run, rule, large_d);
    };
    // The seeds that tune are not those of the root rule's runs: curves are compared that have
    // nothing in common.
    const auto faster = [&](std::size_t i) {
      return [&, i](const TrainingRun& run) {
        return runs_that(cell(run, ScoreRule::root).curves,
                         first_of_each_repetition(cell(run, ScoreRule::unscaled), i, run.plan),
                         experiment.learns_faster);
      };
    };
    const std::vector<std::size_t> made_up = {48, 43, 38, 33};
    const std::size_t rates = quick_plan().rate_exponents.at(ScoreRule::unscaled).size();
    ASSERT_EQ(rates, made_up.size());
    std::vector<Question> questions;
    for (std::size_t i = 0; i < rates; ++i)
      questions.push_back({"faster_" + std::to_string(i), faster(i), made_up[i]});
    ask(questions);

    // How many of the runs that tune learn the task and lose their gradient, and how many of the
    // repetitions chose the rate.
    struct Counts {
      std::size_t learned, loses, chosen;
    };
    const auto count = [&](const TrainingRun& run, ScoreRule rule, std::size_t i) {
      const int exponent = run.plan.rate_exponents.at(rule).at(i);
      const std::vector<int>& chosen = cell(run, rule).rate_exponents;
      return Counts{runs_that(cell(run, rule).tuning[i], experiment.has_learned),
                    runs_that(cell(run, rule).tuning[i], cell(run, ScoreRule::root).tuning[i],
                              experiment.loses_its_gradient),
                    static_cast<std::size_t>(std::count(chosen.begin(), chosen.end(), exponent))};
    };
    for (std::size_t i = 0; i < rates; ++i) {
      const Counts unscaled = count(made_up_run(), ScoreRule::unscaled, i);
      EXPECT_EXACTLY(unscaled.learned == 10 * i);
      EXPECT_EXACTLY(unscaled.loses == 20 + i);
      EXPECT_EXACTLY(unscaled.chosen == (i == 1 ? 30U : i == 3 ? 18U : 0U));
      const Counts root = count(made_up_run(), ScoreRule::root, i);
      EXPECT_EXACTLY(root.learned == 92U);
      EXPECT_EXACTLY(root.loses == 3 + i);
      EXPECT_EXACTLY(root.chosen == (i == 3 ? 48U : 0U));
    }
    if (checking_a_mutant()) return;
    const TrainingRun& run = recorded_run();
    std::size_t least_faster = run.plan.runs();
    for (std::size_t i = 0; i < rates; ++i) {
      least_faster = std::min(least_faster, faster(i)(run));
      for (const ScoreRule rule : {ScoreRule::unscaled, ScoreRule::root}) {
        const std::string at = std::string("_") + name(rule) + "_" + std::to_string(i);
        const Counts counts = count(run, rule, i);
        record_value("learned" + at, std::to_string(counts.learned));
        record_value("loses" + at, std::to_string(counts.loses));
        record_value("chosen" + at, std::to_string(counts.chosen));
      }
    }
    record_value("least_faster", count_of(least_faster, run.plan.runs()));
    // With a fifth more steps.
    TrainingPlan longer = run.plan;
    longer.steps = run.plan.steps * 6 / 5;
    const TrainingCell& unscaled = run.cell(ScoreRule::unscaled, large_d);
    std::size_t learned = 0;
    for (std::size_t r = 0; r < longer.runs(); ++r) {
      const double rate = std::exp2(unscaled.rate_exponents[r]);
      learned += has_learned(train(longer, unscaled.rule, large_d, {rate, rate}, longer.seed(r)))
                     ? 1U
                     : 0U;
    }
    record_value("longer", std::to_string(longer.steps));
    record_value("learned_if_longer", count_of(learned, longer.runs()));
  });
}

TEST(ScalingAblation, UnscaledAtTheRateOfTheRoot) {
  check_statement(scaling_ablation_mutants, [](const Experiment& experiment) {
    const auto own = [&](const TrainingRun& run) -> const std::vector<LearningCurve>& {
      return experiment.cell(run, ScoreRule::unscaled, large_d).curves;
    };
    const auto borrowed = [&](const TrainingRun& run) -> const std::vector<LearningCurve>& {
      return experiment.borrowed_cell(run, large_d).curves;
    };
    ask({{"learned",
          [&](const TrainingRun& run) { return runs_that(borrowed(run), experiment.has_learned); },
          1},
         {"better_with_its_own",
          [&](const TrainingRun& run) {
            return runs_that(own(run), borrowed(run), experiment.learns_faster);
          },
          11},
         {"aims", [&](const TrainingRun& run) { return runs_that(borrowed(run), experiment.aims); },
          20},
         {"own_aims", [&](const TrainingRun& run) { return runs_that(own(run), experiment.aims); },
          30}});
    if (checking_a_mutant()) return;
    // Nobody asked whether small gradients are what keeps a layer from learning the task; and not to
    // learn the task is not to learn nothing.
    decides("S2", "When gradients are too small, the model stops learning effectively", false);
    decides("S2", "The gradients vanish, and learning stops", false);
    decides("S2", "causes the vanishing gradient problem and the model stops learning", false);
    const TrainingRun& run = recorded_run();
    record_value("own_rate_share",
                 power_of_two(usual_rate_exponent(run.cell(ScoreRule::unscaled, large_d)) -
                              usual_rate_exponent(run.cell(ScoreRule::root, large_d))));
  });
}

//! [ScalingAblation: the gradient on the way]
/// Publishes where on the way a cell has no gradient beside that at the start of the root rule.
/// \param who  the prefix of what is recorded.
/// \param cell the runs.
/// \param root those of the root rule, with the same seeds.
/// \param plan of the experiment.
void record_the_way(const std::string& who, const TrainingCell& cell, const TrainingCell& root,
                    const TrainingPlan& plan) {
  // Of the evaluations with less than half of the answers right, those without gradient; and of
  // the runs that end there, those whose gradient is almost zero in the usual evaluation of the
  // second half.
  std::size_t early = 0, lost = 0, stuck = 0, stuck_without = 0;
  std::vector<double> least;
  for (std::size_t s = 0; s < cell.curves.size(); ++s) {
    const double usual = first_gradient(root.curves[s]);
    const LearningCurve& curve = cell.curves[s];
    std::vector<double> late;
    double smallest = infinity;
    for (std::size_t i = 0; i < curve.size(); ++i) {
      const double ratio = curve[i].attention_gradient / usual;
      if (2 * i >= curve.size()) late.push_back(ratio);
      if (curve[i].accuracy >= half_learned_accuracy) continue;
      ++early;
      lost += ratio < almost_zero_share ? 1U : 0U;
      smallest = std::min(smallest, ratio);
    }
    least.push_back(smallest);
    if (!is_stuck(curve)) continue;
    ++stuck;
    stuck_without += sample_quantile(late, 0.5) < almost_zero_share ? 1U : 0U;
  }
  record_value(who + "_evaluations", count_of(lost, early));
  record_value(who + "_stuck", std::to_string(stuck));
  record_value(who + "_stuck_without", count_of(stuck_without, stuck));
  record_value(who + "_least", in_short(sample_quantile(least, 0.5)));
  for (const std::size_t step : {0U, 24U, 48U, 72U, 96U}) {
    const auto i = step / static_cast<std::size_t>(plan.every);
    const std::string at = "_at_" + std::to_string(step);
    const auto gradients = over_seeds(cell, i, &Evaluation::attention_gradient);
    record_value(who + "_median" + at, in_short(sample_quantile(gradients, 0.5)));
    record_value(who + "_mean" + at, in_short(mean_of(gradients)));
    record_value(who + "_other" + at,
                 in_short(sample_quantile(over_seeds(cell, i, &Evaluation::other_gradient), 0.5)));
    record_value(who + "_peak" + at,
                 format_fixed(sample_quantile(over_seeds(cell, i, &Evaluation::peak), 0.5), 3));
    record_value(who + "_accuracy" + at,
                 format_fixed(sample_quantile(over_seeds(cell, i, &Evaluation::accuracy), 0.5), 2));
  }
}

TEST(ScalingAblation, GradientsOnTheWay) {
  check_statement(scaling_ablation_mutants, [](const Experiment& experiment) {
    const auto losing = [&](auto cell) {
      return [&experiment, cell](const TrainingRun& run) {
        return runs_that(cell(run).curves, experiment.cell(run, ScoreRule::root, large_d).curves,
                         experiment.loses_its_gradient);
      };
    };
    const auto of = [&](ScoreRule rule) {
      return [&experiment, rule](const TrainingRun& run) -> const TrainingCell& {
        return experiment.cell(run, rule, large_d);
      };
    };
    const auto borrowed = [&](const TrainingRun& run) -> const TrainingCell& {
      return experiment.borrowed_cell(run, large_d);
    };
    const auto decisions = ask({{"borrowed_loses", losing(borrowed), 45},
                                {"own_loses", losing(of(ScoreRule::unscaled)), 6},
                                {"root_loses", losing(of(ScoreRule::root)), 2}});
    if (checking_a_mutant()) return;
    judge("S2", "extremely small, almost zero", decisions.at("borrowed_loses"),
          "they are not, while less than half of the answers are right");

    // When the median over the seeds is almost zero for the first time, and from when on it stays so.
    const TrainingRun& run = recorded_run();
    const double usual_first = sample_quantile(
        over_seeds(of(ScoreRule::root)(run), 0, &Evaluation::attention_gradient), 0.5);
    const std::vector<LearningCurve>& curves = borrowed(run).curves;
    std::string vanished = "never", stays = "never";
    for (std::size_t i = 0; i < curves.front().size(); ++i) {
      const bool almost_zero =
          sample_quantile(over_seeds(borrowed(run), i, &Evaluation::attention_gradient), 0.5) <
          almost_zero_share * usual_first;
      const std::string step = std::to_string(curves.front()[i].step);
      if (almost_zero && vanished == "never") vanished = step;
      stays = !almost_zero ? "never" : stays == "never" ? step : stays;
    }
    record_value("vanished_at", vanished);
    record_value("stays_from", stays);

    record_the_way("borrowed", borrowed(run), run.cell(ScoreRule::root, large_d), run.plan);
    record_the_way("own", run.cell(ScoreRule::unscaled, large_d),
                   run.cell(ScoreRule::root, large_d), run.plan);
  });
}
//! [ScalingAblation: the gradient on the way]

TEST(ScalingAblation, DividingByD) {
  check_statement(scaling_ablation_mutants, [](const Experiment& experiment) {
    const auto curves = [&](const TrainingRun& run,
                            ScoreRule rule) -> const std::vector<LearningCurve>& {
      return experiment.cell(run, rule, large_d).curves;
    };
    ask({{"almost_no_gradient",
          [&](const TrainingRun& run) {
            return runs_that(curves(run, ScoreRule::linear), curves(run, ScoreRule::unscaled),
                             experiment.almost_no_gradient);
          },
          43},
         {"smallest",
          [&](const TrainingRun& run) {
            std::size_t smallest = 0;
            for (std::size_t r = 0; r < run.plan.runs(); ++r)
              smallest +=
                  std::all_of(std::begin(score_rules), std::end(score_rules), [&](ScoreRule rule) {
                    return first_gradient(curves(run, ScoreRule::linear)[r]) <=
                           first_gradient(curves(run, rule)[r]);
                  });
            return smallest;
          },
          44},
         {"learned",
          [&](const TrainingRun& run) {
            return runs_that(curves(run, ScoreRule::linear), experiment.has_learned);
          },
          47}});
  });
}

/// A few steps of a small layer.
TrainingPlan tiny_plan() {
  TrainingPlan plan = quick_plan();
  plan.task = {.symbols = 5, .values = 4, .pairs = 3, .width = 4};
  plan.steps = 8;
  return plan;
}

//! [ScalingAblation: the protocol]
TEST(ScalingAblation, EachRepetitionTunesAndComparesOnSeedsOfItsOwn) {
  check_statement(scaling_ablation_mutants, [](const Experiment& experiment) {
    for_all(
        [&] {
          TrainingPlan plan = tiny_plan();
          plan.dimensions = {2};
          plan.steps = 4;
          plan.every = 2;
          plan.batch = 4;
          plan.held_out = 8;
          plan.repetitions = *rc::gen::inRange<std::size_t>(1, 4).as("repetitions");
          plan.tuning_seeds = *rc::gen::inRange<std::size_t>(1, 3).as("seeds for tuning");
          plan.seeds = *rc::gen::inRange<std::size_t>(1, 3).as("seeds");
          plan.first_seed = *rc::gen::inRange<std::uint64_t>(0, 1000).as("first seed");
          for (auto& [rule, exponents] : plan.rate_exponents) exponents = {-1, 1};
          plan.rate_exponents[ScoreRule::learned] = {0};
          const TrainingRun run = experiment.run_training(plan, {});
          const auto curve = [&](ScoreRule rule, int exponent, std::uint64_t seed) {
            const double rate = std::exp2(exponent);
            return train(plan, rule, 2, {rate, rate}, seed);
          };
          std::vector<int> of_root;
          for (const ScoreRule rule : score_rules) {
            const TrainingCell& cell = run.cell(rule, 2);
            const std::vector<int>& exponents = plan.rate_exponents.at(rule);
            std::size_t compared = 0, tuned = 0;
            std::uint64_t seed = plan.first_seed;
            for (std::size_t r = 0; r < plan.repetitions; ++r) {
              const std::uint64_t first = seed;
              seed += plan.seeds;
              std::vector<double> sums(exponents.size(), 0);
              for (std::size_t t = 0; exponents.size() > 1 && t < plan.tuning_seeds; ++t, ++tuned)
                for (std::size_t i = 0; i < exponents.size(); ++i) {
                  const LearningCurve again = curve(rule, exponents[i], seed + t);
                  EXPECT_EXACTLY(bits_of_curve(cell.tuning.at(i).at(tuned)) ==
                                 bits_of_curve(again));
                  sums[i] += mean_accuracy(again);
                }
              seed += plan.tuning_seeds;
              // exact: the rule compares these very sums
              const int chosen = exponents.size() > 1 && sums[1] > sums[0] ? exponents[1]  //
                                                                           : exponents[0];
              for (std::size_t s = 0; s < plan.seeds; ++s, ++compared) {
                EXPECT_EXACTLY(cell.rate_exponents.at(compared) == chosen);
                EXPECT_EXACTLY(bits_of_curve(cell.curves.at(compared)) ==
                               bits_of_curve(curve(rule, chosen, first + s)));
                if (rule == ScoreRule::root)
                  EXPECT_EXACTLY(bits_of_curve(run.borrowed_cell(2).curves.at(compared)) ==
                                 bits_of_curve(curve(ScoreRule::unscaled, chosen, first + s)));
              }
            }
            EXPECT_EXACTLY(cell.curves.size() == compared);
          }
        },
        8);
  });
}
//! [ScalingAblation: the protocol]

TEST(ScalingAblation, TheBestRateIsTheSmallestOfThoseThatDoBest) {
  check_with_mutants(scaling_ablation_mutants, [](const Experiment& experiment) {
    EXPECT_EXACTLY(experiment.best_rate(std::vector<double>{0.25, 0.75, 0.5, 0.75}) == 1U);
    TrainingCell cell;
    cell.tuning = {{made_up_curve(1, 0.25, 1, 0.5)},
                   {made_up_curve(1, 0.75, 1, 0.75), made_up_curve(1, 0.375, 1, 0)}};
    std::vector<Rational> means;
    for (const double mean : experiment.sweep(cell)) means.emplace_back(mean);
    EXPECT_EXACTLY(means == (std::vector<Rational>{Rational(1, 4), Rational(5, 16)}));
    cell.tuning = {{}};
    EXPECT_EXACTLY(experiment.sweep(cell).empty());
    cell.rate_exponents = {1, -1, 2, -1, 1};
    EXPECT_EXACTLY(experiment.usual_rate_exponent(cell) == -1);
    enumerated(4);
  });
}

//! [ScalingAblation: exact check]
TEST(ScalingAblation, MeasuresOfACurveAreWhatTheySay) {
  check_with_mutants(scaling_ablation_mutants, [](const Experiment& experiment) {
    const auto curve = [](std::vector<double> accuracies, double gradient) {
      LearningCurve result;
      for (const double accuracy : accuracies)
        result.push_back({.step = static_cast<Eigen::Index>(4 * result.size()),
                          .accuracy = accuracy,
                          .attention_gradient = gradient});
      return result;
    };
    const LearningCurve steady = curve({0, 0.5, 0.9, 1}, 1);
    const LearningCurve lapsed = curve({0, 0.5, 1, 0.875}, 0.5);
    const LearningCurve never = curve({0, 0.25, 0.5, 0.75}, 0.0625);
    EXPECT_EXACTLY(bits_of(experiment.steps_to_learn(steady)) == bits_of(8.0));
    EXPECT_EXACTLY(bits_of(experiment.steps_to_learn(lapsed)) == bits_of(8.0));
    EXPECT_EXACTLY(bits_of(experiment.steps_to_learn(never)) == bits_of(infinity));
    EXPECT_EXACTLY(experiment.has_learned(steady));
    EXPECT_EXACTLY(!experiment.has_learned(lapsed));
    EXPECT_EXACTLY(experiment.learns_faster(steady, never));
    EXPECT_EXACTLY(!experiment.learns_faster(never, steady));
    EXPECT_EXACTLY(!experiment.learns_faster(steady, steady));
    EXPECT_EXACTLY(experiment.almost_no_gradient(never, steady));
    EXPECT_EXACTLY(!experiment.almost_no_gradient(lapsed, steady));
    EXPECT_EXACTLY(Rational(mean_accuracy(never)) == Rational(3, 8));
    // Less than a tenth of the first gradient counts until half of the answers are right.
    const auto loses = [&](double accuracy, double gradient, double loss) {
      return experiment.loses_its_gradient(
          {{.accuracy = 0, .attention_gradient = 2},
           {.accuracy = accuracy, .loss = loss, .attention_gradient = gradient},
           {.accuracy = 1, .attention_gradient = 0}},
          steady);
    };
    EXPECT_EXACTLY(loses(0.25, 0.0625, 3));
    EXPECT_EXACTLY(!loses(0.5, 0.0625, 3));
    EXPECT_EXACTLY(!loses(0.25, 0.125, 3));
    EXPECT_EXACTLY(
        !experiment.loses_its_gradient({{.accuracy = 0, .attention_gradient = 2},
                                        {.accuracy = 0, .loss = infinity, .attention_gradient = 0}},
                                       steady));
    EXPECT_EXACTLY(experiment.aims({{.target_weight = 0.25}, {.target_weight = 0.75}}));
    EXPECT_EXACTLY(!experiment.aims({{.target_weight = 0.75}, {.target_weight = 0.25}}));
    EXPECT_EXACTLY(!experiment.aims({{.target_weight = 0.5}}));
    enumerated(18);
  });
}
//! [ScalingAblation: exact check]

TEST(ScalingAblation, DependsOnTheSeedAloneBitForBit) {
  check_with_mutants(scaling_ablation_mutants, [](const Experiment& experiment) {
    const auto run = [&](ScoreRule rule, std::uint64_t seed) {
      return bits_of_curve(experiment.train(tiny_plan(), rule, 16, {0.25, 0.25}, seed));
    };
    for (const ScoreRule rule : score_rules) {
      EXPECT_EXACTLY(run(rule, 1) == run(rule, 1)) << rule;
      EXPECT_EXACTLY(run(rule, 1) != run(rule, 2)) << rule;
    }
    // At d = 1 the root is 1, so the rules unscaled and root are one and the same.
    const auto of_one = [&](ScoreRule rule) {
      return bits_of_curve(experiment.train(tiny_plan(), rule, 1, {0.25, 0.25}, 1));
    };
    EXPECT_EXACTLY(of_one(ScoreRule::unscaled) == of_one(ScoreRule::root));
    EXPECT_EXACTLY(of_one(ScoreRule::unscaled) == of_one(ScoreRule::linear));
    enumerated(12);
  });
}

TEST(ScalingAblation, TheLossIsTheMeanCrossEntropy) {
  check_with_mutants(scaling_ablation_mutants, [](const Experiment& experiment) {
    // The bound takes exponentials and logarithms of fifty digits to be accurate, which was measured.
    evidence().rests_on(EvidenceLevel::measured);
    // A layer that knows nothing of three values has the loss ln 3; one that has to choose between
    // two logits with the difference 1, right or wrong, ln(1 + e^∓1).
    using std::exp;
    using std::log;
    const auto expect_loss = [&](const Wide& loss, const Wide& wanted) {
      EXPECT_LE(abs(loss - wanted), gradient_error_bound) << loss << " and not " << wanted;
      enumerated(1);
    };
    for (const ScoreRule rule : score_rules) {
      Stream stream = stream_of(1, "layer");
      Scene scene{{.symbols = 1, .values = 3, .pairs = 1, .width = 1}, rule, {}, {}, {}};
      scene.embeddings = {WideMatrix::Ones(1, 1), WideMatrix::Ones(1, 3)};
      scene.weights = small_weights(scene.task, 2, stream);
      scene.weights.value.setOnes();
      scene.weights.readout.setZero();
      scene.batch = {Eigen::ArrayXXi::Zero(1, 2), Eigen::ArrayXXi::Zero(1, 2),
                     Eigen::ArrayXi::Zero(2)};
      expect_loss(experiment.loss(scene), log(Wide(3)));
      scene.weights.readout << 1, 0, 0;
      expect_loss(experiment.loss(scene), log(1 + 2 * exp(Wide(-1))));
      scene.batch.values.setOnes();
      expect_loss(experiment.loss(scene), log(2 + exp(Wide(1))));
    }
    for_all(
        [&] {
          const Scene scene = any_scene();
          const Wide error =
              abs(experiment.loss(scene) - loss_by_definition<Wide>(scene, scene.weights));
          evidence().worst(static_cast<double>(error), static_cast<double>(gradient_error_bound));
          RC_ASSERT(error <= gradient_error_bound);
        },
        50);
  });
}

TEST(ScalingAblation, ARunThatOverflowsCountsAsWrongFromThereOn) {
  check_with_mutants(scaling_ablation_mutants, [](const Experiment& experiment) {
    const LearningCurve curve =
        experiment.train(tiny_plan(), ScoreRule::unscaled, 16, {0x1p300, 0x1p300}, 1);
    ASSERT_EQ(curve.size(), 3U);
    EXPECT_EXACTLY(Rational(curve.front().accuracy) > 0);
    EXPECT_EXACTLY(std::isfinite(curve.front().loss));
    EXPECT_EXACTLY(bits_of(curve.back().loss) == bits_of(infinity));
    EXPECT_EXACTLY(Rational(curve.back().accuracy) == 0);
  });
}

TEST(ScalingAblation, StartsAsTheDocumentsAssume) {
  check_with_mutants(scaling_ablation_mutants, [](const Experiment& experiment) {
    const RecallTask task{.symbols = 2, .values = 2, .pairs = 2, .width = 4};
    // Given the key, q·k/|k| ~ N(0, 1) exactly if the entries of q are N(0, 1) and independent of
    // it; and the same the other way round.
    const auto score = [&](Stream& stream, bool given_key) {
      const std::uint64_t seed = stream();
      const Eigen::VectorXd embedding = experiment.draw_embeddings(task, seed).keys.col(0);
      const RecallWeights<double> weights = experiment.initial_weights(task, 8, seed);
      const Eigen::VectorXd q = weights.query * embedding;
      const Eigen::VectorXd k = weights.key * embedding;
      return q.dot(k) / (given_key ? k : q).norm();
    };
    const VarianceCheck check{boost::math::normal()};
    for (const bool given_key : {false, true})
      expect_draws(check, {.effect = 2}, [&](Stream& stream) { return score(stream, given_key); });
    // These two would not see entries of q that depend on each other. The squares of all sixteen
    // entries of q and k add up to a chi-squared number if they are independent.
    const CdfCheck<boost::math::chi_squared> all(boost::math::chi_squared(16),
                                                 "chi-squared with 16 degrees of freedom");
    expect_draws(all, {.effect = 0.1}, [&](Stream& stream) {
      const std::uint64_t seed = stream();
      const Eigen::VectorXd embedding = experiment.draw_embeddings(task, seed).keys.col(0);
      const RecallWeights<double> weights = experiment.initial_weights(task, 8, seed);
      return (weights.query * embedding).squaredNorm() + (weights.key * embedding).squaredNorm();
    });
  });
}

TEST(ScalingAblation, SequencesAreDrawnFairly) {
  check_with_mutants(scaling_ablation_mutants, [](const Experiment& experiment) {
    const RecallTask task{.symbols = 4, .values = 4, .pairs = 2, .width = 1};
    const auto draw_one = [&](Stream& stream) { return experiment.draw_recall(task, 1, stream); };
    const auto expect_share = [&](double share, auto event) {
      expect_draws(CountCheck(share), {.effect = 0.2},
                   [&](Stream& stream) { return event(draw_one(stream)); });
    };
    expect_share(0.5, [](const RecallBatch& one) { return one.query_index[0] == 1; });
    expect_share(0.25, [](const RecallBatch& one) { return one.keys(1, 0) == 3; });
    expect_share(0.25, [](const RecallBatch& one) { return one.query(0) == one.answer(0); });
  });
}

//! [ScalingAblation: the task]
TEST(ScalingAblation, SequencesHaveDistinctKeysAndDistinctValues) {
  check_with_mutants(scaling_ablation_mutants, [](const Experiment& experiment) {
    for_all([&] {
      RecallTask task;
      task.pairs = *rc::gen::inRange<Eigen::Index>(2, 9).as("pairs");
      task.symbols = task.pairs + *rc::gen::inRange<Eigen::Index>(0, 4).as("other keys");
      task.values = task.pairs + *rc::gen::inRange<Eigen::Index>(0, 4).as("other values");
      Stream stream = stream_of(*rc::gen::arbitrary<std::uint64_t>().as("seed"), "sequences");
      const RecallBatch batch = experiment.draw_recall(task, 20, stream);
      const auto are_distinct = [](const auto& column, Eigen::Index symbols) {
        std::vector<int> seen(static_cast<std::size_t>(symbols), 0);
        for (const int symbol : column) {
          EXPECT_EXACTLY((symbol >= 0 && symbol < symbols));
          EXPECT_EXACTLY(seen[static_cast<std::size_t>(symbol)]++ == 0);
        }
      };
      for (Eigen::Index b = 0; b < batch.size(); ++b) {
        are_distinct(batch.keys.col(b), task.symbols);
        are_distinct(batch.values.col(b), task.values);
        EXPECT_EXACTLY((batch.query_index[b] >= 0 && batch.query_index[b] < task.pairs));
      }
    });
  });
}
//! [ScalingAblation: the task]

TEST(ScalingAblation, RefusesAPlanThatTrainsNothing) {
  check_with_mutants(scaling_ablation_mutants, [](const Experiment& experiment) {
    const auto expect_refused = [&](const TrainingPlan& plan, const std::string& message) {
      expect_refusal<std::domain_error>([&] { experiment.run_training(plan, {}); }, message);
    };
    TrainingPlan plan = tiny_plan();
    plan.rate_exponents.erase(ScoreRule::additive);
    expect_refusal<std::invalid_argument>(
        [&] { experiment.run_training(plan, {}); },
        "the plan has no learning rate for the score rule additive, but needs at least 1");
    plan = tiny_plan();
    plan.repetitions = 0;
    expect_refusal<std::invalid_argument>([&] { experiment.run_training(plan, {}); },
                                          "the plan has no repetition, but needs at least 1");
    plan = tiny_plan();
    plan.every = 0;
    expect_refused(plan, "the number of steps between evaluations is 0, but must be at least 1");
    expect_refusal<std::domain_error>(
        [&] {
          experiment.train(plan, ScoreRule::root, 4, {1, 1}, 1);
        },
        "the number of steps between evaluations is 0, but must be at least 1");
    plan = tiny_plan();
    plan.dimensions = {4, 0};
    expect_refused(plan, "the head dimension is 0, but must be at least 1");
    plan = tiny_plan();
    plan.task.pairs = 6;
    expect_refused(plan, "the number of key symbols is 5, but must be at least 6");
    expect_refusal<std::invalid_argument>(
        [] { made_up_run().cell(ScoreRule::root, 5); },
        "no layer with the score rule root and head dimension 5 was trained");
  });
}

}  // namespace sqrtdk::properties::ScalingAblation
