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

/// Norms of the attention's gradient from single sequences at the start, over all seeds.
std::vector<double> sequence_gradients(ScoreRule rule, Eigen::Index d) {
  const TrainingPlan& plan = recorded_run().plan;
  std::vector<double> norms;
  for (std::size_t s = 0; s < plan.seeds; ++s) {
    const std::uint64_t seed = plan.first_seed + s;
    const RecallEmbeddings<double> embeddings = draw_embeddings(plan.task, seed);
    const RecallWeights<double> weights = initial_weights(plan.task, d, seed);
    TrainingStream stream = training_stream(seed, Purpose::held_out);
    for (int i = 0; i < 16; ++i) {
      const auto gradient =
          recall_gradient(rule, embeddings, weights, draw_recall(plan.task, 1, stream));
      norms.push_back(std::hypot(gradient.query.norm(), gradient.key.norm()));
    }
  }
  return norms;
}

TEST(ScalingAblation, TheLayerWithTheRootLearnsAtEveryDimension) {
  check_statement(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    bool learns_at_all = true;
    for (const Eigen::Index d : run.plan.dimensions) {
      const TrainingCell& cell = run.cell(ScoreRule::root, d);
      const Decision learns = find("learned_at_" + std::to_string(d),
                                   seeds_that(cell, experiment.has_learned), run.plan.seeds);
      EXPECT_EQ(learns, Decision::yes);
      learns_at_all = learns_at_all && learns == Decision::yes;
    }
    decides("S3", "stable training regardless of dimension", learns_at_all);
    if (checking_a_mutant()) return;
    record_plan(run.plan);
    draw_curves("training_curves", run, run.plan.dimensions, &Evaluation::accuracy);
    draw_curves("training_gradients", run, {largest(run)}, &Evaluation::attention_gradient);
    draw_sweeps("training_rates", run, largest(run));
    for (const Eigen::Index d : run.plan.dimensions) {
      for (const ScoreRule rule : score_rules)
        record_row(name(rule) + ("_" + std::to_string(d)), run.cell(rule, d));
      record_row("borrowed_" + std::to_string(d), run.borrowed_cell(d));
    }
  });
}

//! [ScalingAblation]
TEST(ScalingAblation, WithoutScaleTheFirstGradientIsLargerNotAlmostZero) {
  check_statement(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const Eigen::Index d = largest(run);
    const TrainingCell& unscaled = run.cell(ScoreRule::unscaled, d);
    const TrainingCell& root = run.cell(ScoreRule::root, d);
    const std::size_t small = seeds_that(unscaled, root, experiment.almost_no_gradient);
    const Decision decision = find("almost_no_gradient", small, run.plan.seeds);
    EXPECT_EQ(decision, Decision::no);
    std::vector<double> ratios;
    for (std::size_t s = 0; s < run.plan.seeds; ++s)
      ratios.push_back(first_gradient(unscaled.curves[s]) / first_gradient(root.curves[s]));
    const auto ratios_above = [&](double factor) {
      return static_cast<std::size_t>(std::count_if(ratios.begin(), ratios.end(),
                                                    [&](double ratio) { return ratio > factor; }));
    };
    EXPECT_EQ(find("larger", ratios_above(1), run.plan.seeds), Decision::yes);
    // In the coordinates of the scaled layer, W_Q and W_K times d^(1/4), gradients are smaller by
    // that factor.
    const double fourth_root = std::sqrt(std::sqrt(static_cast<double>(d)));
    EXPECT_EQ(find("larger_in_its_coordinates", ratios_above(fourth_root), run.plan.seeds),
              Decision::yes);
    const double usual_ratio = sample_quantile(ratios, 0.5);
    record_value("times", in_short(usual_ratio));
    record_value("fourth_root", in_short(fourth_root));
    record_value("times_in_its_coordinates", in_short(usual_ratio / fourth_root));
    // One sequence at a time, the gradient is another story.
    static const std::vector<double> alone = sequence_gradients(ScoreRule::unscaled, d);
    static const std::vector<double> scaled = sequence_gradients(ScoreRule::root, d);
    const double usual = sample_quantile(scaled, 0.5);
    const auto small_ones = std::count_if(
        alone.begin(), alone.end(), [&](double norm) { return norm < almost_zero_share * usual; });
    record_value("sequence_median", in_short(sample_quantile(alone, 0.5)));
    record_value("sequence_median_scaled", in_short(usual));
    record_value("sequence_top", in_short(sample_quantile(alone, 0.9)));
    record_value("sequence_top_scaled", in_short(sample_quantile(scaled, 0.9)));
    record_value("small_sequences",
                 std::to_string(small_ones) + " of " + std::to_string(alone.size()));
  });
}
//! [ScalingAblation]

TEST(ScalingAblation, TheLayerWithTheRootLearnsFasterThanTheUnscaledOne) {
  check_statement(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    Decision faster = Decision::undecided;  // at the largest dimension
    for (const Eigen::Index d : run.plan.dimensions) {
      faster = find("faster_at_" + std::to_string(d),
                    seeds_that(run.cell(ScoreRule::root, d), run.cell(ScoreRule::unscaled, d),
                               experiment.learns_faster),
                    run.plan.seeds);
      EXPECT_EQ(faster, Decision::yes);
    }
    decides("S2", "would struggle to learn effectively", faster == Decision::yes);
  });
}

/// For each rate, how many of the groups into which the seeds fall would have chosen it in tuning.
std::vector<std::size_t> choices_of_rate(const std::vector<TrainingCell>& cells,
                                         std::size_t group) {
  std::vector<std::size_t> choices(cells.size());
  const std::size_t seeds = cells.front().curves.size();
  for (std::size_t first = 0; first + group <= seeds; first += group) {
    std::vector<double> sweep;
    for (const TrainingCell& cell : cells) {
      sweep.push_back(0);
      for (std::size_t s = first; s < first + group; ++s)
        sweep.back() += mean_accuracy(cell.curves[s]);
    }
    ++choices[best_rate(sweep)];
  }
  return choices;
}

TEST(ScalingAblation, AtNoRateDoesTheUnscaledLayerCatchUp) {
  check_statement(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const Eigen::Index d = largest(run);
    const TrainingCell& root = run.cell(ScoreRule::root, d);
    std::size_t most_learned = 0, least_faster = run.plan.seeds;
    for (const ScoreRule rule : {ScoreRule::unscaled, ScoreRule::root}) {
      const std::vector<TrainingCell>& cells = experiment.at_every_rate(rule);
      ASSERT_EQ(cells.size(), run.plan.rate_exponents.size());
      const std::vector<std::size_t> choices = choices_of_rate(cells, run.plan.tuning_seeds);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        ASSERT_EQ(cells[i].rate_exponent, run.plan.rate_exponents[i]);
        const std::string at = std::string("_") + name(rule) + "_" + std::to_string(i);
        const std::size_t learned = seeds_that(cells[i], experiment.has_learned);
        record_value("learned" + at, std::to_string(learned));
        record_value("chosen" + at, std::to_string(choices[i]));
        record_value("loses" + at,
                     std::to_string(seeds_that(cells[i], root, experiment.loses_its_gradient)));
        if (rule == ScoreRule::root) continue;
        const std::size_t faster = seeds_that(root, cells[i], experiment.learns_faster);
        EXPECT_EQ(find("faster" + at, faster, run.plan.seeds), Decision::yes) << "rate " << i;
        most_learned = std::max(most_learned, learned);
        least_faster = std::min(least_faster, faster);
      }
    }
    record_value("groups", std::to_string(run.plan.seeds / run.plan.tuning_seeds));
    record_value("most_learned",
                 std::to_string(most_learned) + " of " + std::to_string(run.plan.seeds));
    record_value("least_faster",
                 std::to_string(least_faster) + " of " + std::to_string(run.plan.seeds));
    // With a fifth more steps.
    TrainingPlan longer = run.plan;
    longer.steps = run.plan.steps * 6 / 5;
    static const TrainingCell patient = [&] {
      TrainingCell cell{ScoreRule::unscaled,
                        d,
                        {},
                        recorded_run().cell(ScoreRule::unscaled, d).rate_exponent,
                        {}};
      for (std::size_t s = 0; s < longer.seeds; ++s) {
        const double rate = std::exp2(cell.rate_exponent);
        cell.curves.push_back(train(longer, cell.rule, d, {rate, rate}, longer.first_seed + s));
      }
      return cell;
    }();
    record_value("longer", std::to_string(longer.steps));
    record_value("learned_if_longer", std::to_string(seeds_that(patient, experiment.has_learned)) +
                                          " of " + std::to_string(run.plan.seeds));
    enumerated(2 * run.plan.rate_exponents.size());
  });
}

TEST(ScalingAblation, WithTheRateOfTheRootTheUnscaledLayerDoesNotLearn) {
  check_statement(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const Eigen::Index d = largest(run);
    const Decision learned =
        find("learned_with_borrowed_rate", seeds_that(run.borrowed_cell(d), experiment.has_learned),
             run.plan.seeds);
    EXPECT_EQ(learned, Decision::no);
    decides("S2", "learning stops", learned == Decision::no);
    decides("S2", "the model stops learning effectively", learned == Decision::no);
    decides("S3", "No learning", learned == Decision::no);
    const Decision looks =
        find("borrowed_aims", seeds_that(run.borrowed_cell(d), attends_to_target), run.plan.seeds);
    EXPECT_NE(looks, Decision::yes);
    record_value("own_rate_share", power_of_two(run.cell(ScoreRule::unscaled, d).rate_exponent -
                                                run.borrowed_cell(d).rate_exponent));
    find("own_aims", seeds_that(run.cell(ScoreRule::unscaled, d), attends_to_target),
         run.plan.seeds);
    for (const auto& [prefix, cell] : {std::pair("own", &run.cell(ScoreRule::unscaled, d)),
                                       std::pair("borrowed", &run.borrowed_cell(d))})
      record_value(
          prefix + std::string("_learned"),
          std::to_string(seeds_that(*cell, has_learned)) + " of " + std::to_string(run.plan.seeds));
  });
}

TEST(ScalingAblation, WithAnotherRateItLearnsOtherwise) {
  check_with_mutants(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const Eigen::Index d = largest(run);
    EXPECT_EQ(
        find("learned", seeds_that(run.borrowed_cell(d), experiment.has_learned), run.plan.seeds),
        Decision::no);
    EXPECT_NE(find("better_with_its_own",
                   seeds_that(run.cell(ScoreRule::unscaled, d), run.borrowed_cell(d),
                              experiment.learns_faster),
                   run.plan.seeds),
              Decision::no);
    counterexample_without("own rate");
    sharpens("S3", "own rate");
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
  for (std::size_t s = 0; s < plan.seeds; ++s) {
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
  record_value(who + "_evaluations", std::to_string(lost) + " of " + std::to_string(early));
  record_value(who + "_stuck", std::to_string(stuck));
  record_value(who + "_stuck_without",
               std::to_string(stuck_without) + " of " + std::to_string(stuck));
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

TEST(ScalingAblation, WithTheRateOfTheRootItsGradientVanishesOnTheWay) {
  check_statement(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const Eigen::Index d = largest(run);
    const TrainingCell& root = run.cell(ScoreRule::root, d);
    const TrainingCell& own = run.cell(ScoreRule::unscaled, d);
    const TrainingCell& borrowed = run.borrowed_cell(d);
    const auto losing = [&](const char* who, const TrainingCell& cell) {
      return find(who + std::string("_loses"),
                  seeds_that(cell, root, experiment.loses_its_gradient), run.plan.seeds);
    };
    const Decision vanishes = losing("borrowed", borrowed);
    EXPECT_EQ(vanishes, Decision::yes);
    EXPECT_EQ(losing("root", root), Decision::no);
    decides("S2", "extremely small, almost zero", vanishes == Decision::yes);
    if (checking_a_mutant()) return;

    // When the median over the seeds is almost zero for the first time.
    const double usual_first =
        sample_quantile(over_seeds(root, 0, &Evaluation::attention_gradient), 0.5);
    std::size_t vanished = 0;
    while (vanished + 1 < borrowed.curves.front().size() &&
           sample_quantile(over_seeds(borrowed, vanished, &Evaluation::attention_gradient), 0.5) >=
               almost_zero_share * usual_first)
      ++vanished;
    record_value("vanished_at", std::to_string(borrowed.curves.front()[vanished].step));

    record_the_way("borrowed", borrowed, root, run.plan);
    record_the_way("own", own, root, run.plan);
  });
}

TEST(ScalingAblation, AtItsOwnRateItsGradientStays) {
  check_with_mutants(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const Eigen::Index d = largest(run);
    const std::size_t losing =
        seeds_that(run.cell(ScoreRule::unscaled, d), run.cell(ScoreRule::root, d),
                   experiment.loses_its_gradient);
    EXPECT_EQ(find("own_loses", losing, run.plan.seeds), Decision::no);
    counterexample_without("borrowed rate");
    for (const char* document : {"S1", "S2", "S3"}) sharpens(document, "borrowed rate");
  });
}
//! [ScalingAblation: the gradient on the way]

TEST(ScalingAblation, DividingByDStartsWithTheSmallestGradientAndLearns) {
  check_statement(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const Eigen::Index d = largest(run);
    const TrainingCell& linear = run.cell(ScoreRule::linear, d);
    const TrainingCell& unscaled = run.cell(ScoreRule::unscaled, d);
    EXPECT_EQ(find("almost_no_gradient",
                   seeds_that(linear, unscaled, experiment.almost_no_gradient), run.plan.seeds),
              Decision::yes);
    std::size_t smallest_of_all = 0;
    for (std::size_t i = 0; i < run.plan.seeds; ++i)
      smallest_of_all +=
          std::all_of(std::begin(score_rules), std::end(score_rules), [&](ScoreRule rule) {
            return first_gradient(linear.curves[i]) <= first_gradient(run.cell(rule, d).curves[i]);
          });
    EXPECT_EQ(find("smallest", smallest_of_all, run.plan.seeds), Decision::yes);
    EXPECT_EQ(find("learned", seeds_that(linear, experiment.has_learned), run.plan.seeds),
              Decision::yes);
  });
}

TEST(ScalingAblation, EveryRuleGetsTheRateThatDidBestInTuning) {
  check_with_mutants(scaling_ablation_mutants, [](const Experiment& experiment) {
    evidence().rests_on(EvidenceLevel::empirical);
    const std::vector<double> tie = {0.25, 0.75, 0.5, 0.75};
    EXPECT_EQ(experiment.best_rate(tie), 1U);
    const TrainingRun& run = experiment.run();
    for (const TrainingCell& cell : run.cells) {
      ASSERT_EQ(cell.sweep.size(), run.plan.rate_exponents.size());
      EXPECT_EQ(cell.rate_exponent, run.plan.rate_exponents[experiment.best_rate(cell.sweep)]);
      EXPECT_EQ(cell.curves.size(), run.plan.seeds);
    }
    // One number of a sweep once more, from runs with the seeds after those that are checked.
    const TrainingPlan& plan = run.plan;
    const TrainingCell& root = run.cell(ScoreRule::root, largest(run));
    static std::map<std::uint64_t, double> means;
    const std::size_t middle = plan.rate_exponents.size() / 2;
    double& mean = means[plan.first_seed];
    if (mean == 0)
      for (std::size_t s = 0; s < plan.tuning_seeds; ++s) {
        const double rate = std::exp2(plan.rate_exponents[middle]);
        const LearningCurve curve =
            train(plan, root.rule, root.d, {rate, rate}, plan.first_seed + plan.seeds + s);
        mean += mean_accuracy(curve) / static_cast<double>(plan.tuning_seeds);
      }
    EXPECT_NEAR(root.sweep[middle], mean, 8 * std::numeric_limits<double>::epsilon());
    for (const TrainingCell& cell : run.borrowed)
      EXPECT_EQ(cell.rate_exponent, run.cell(ScoreRule::root, cell.d).rate_exponent);
    enumerated(run.cells.size() + run.borrowed.size());
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

/// A few steps of a small layer.
TrainingPlan tiny_plan() {
  TrainingPlan plan = quick_plan();
  plan.task = {.symbols = 5, .values = 4, .pairs = 3, .width = 4};
  plan.steps = 8;
  return plan;
}

/// What a curve says of learning, with numbers in floating point as their bits.
auto bits_of_curve(const LearningCurve& curve) {
  std::vector<std::tuple<Eigen::Index, std::uint64_t, std::uint64_t, std::uint64_t>> bits;
  for (const Evaluation& x : curve)
    bits.emplace_back(x.step, bits_of(x.accuracy), bits_of(x.loss), bits_of(x.attention_gradient));
  return bits;
}

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
    plan.rate_exponents.clear();
    expect_refusal<std::invalid_argument>([&] { experiment.run_training(plan, {}); },
                                          "the plan has no learning rate, but needs at least 1");
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
        [] { recorded_run().cell(ScoreRule::root, 5); },
        "no layer with the score rule root and head dimension 5 was trained");
  });
}

}  // namespace sqrtdk::properties::ScalingAblation
