#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/sample_quantile.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>
#include <sqrtdk/training.hpp>
#include <sqrtdk/training/learning_curve.hpp>

#include "properties/support/documents.hpp"
#include "properties/support/experiments.hpp"
#include "properties/training/experiment.hpp"
#include "properties/training/fixture.hpp"

#include <boost/math/distributions/chi_squared.hpp>

namespace sqrtdk::properties::ScalingAblation {

using Progress = std::function<void(std::size_t, std::size_t, const std::string&)>;

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

STATEMENT(ScalingAblation, HowManyLayersLearn) {
  const auto learn = [&](const std::string& name, ScoreRule rule, Eigen::Index d,
                         std::size_t made_up) {
    return Question{name,
                    [&subject, rule, d](const TrainingRun& run) {
                      return runs_that(subject.cell(run, rule, d).curves, subject.has_learned);
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
}
KILLS("errors are counted, not right answers",
      {.has_learned = [](auto& curve) { return !has_learned(curve); }});
KILLS("a layer must never err",
      {.has_learned = [](auto& curve) { return curve.back().accuracy > 1; }});
KILLS("the head dimensions are exchanged",
      {.cell = [](const TrainingRun& run, ScoreRule rule, Eigen::Index d) -> const TrainingCell& {
        return run.cell(rule, d == 4 ? 64 : 4);
      }});

//! [ScalingAblation]
STATEMENT(ScalingAblation, RootAgainstUnscaled) {
  const auto faster = [&](Eigen::Index d) {
    return [&subject, d](const TrainingRun& run) {
      return runs_that(subject.cell(run, ScoreRule::root, d).curves,
                       subject.cell(run, ScoreRule::unscaled, d).curves, subject.learns_faster);
    };
  };
  ask({{"faster_at_4", faster(small_d), 37},  //
       {"faster_at_64", faster(large_d), 42}});
  if (checking_a_mutant()) return;
  // One small layer says nothing of Transformers, and nobody compared its lead at two sizes.
  decides("S1", "a crucial part", false);
  decides("S2", "would struggle to learn effectively, especially with larger dimensions", false);
  decides("S3", "subtle but crucial", false);
}
//! [ScalingAblation]
KILLS("the slower layer wins",
      {.learns_faster = [](auto& a, auto& b) { return learns_faster(b, a); }});
KILLS("a draw is a win for the root",
      {.learns_faster = [](auto& a, auto& b) { return !learns_faster(b, a); }});

/// Looks up a rule in the place of another, and the other way round.
template <ScoreRule one, ScoreRule other>
const TrainingCell& exchanged(const TrainingRun& run, ScoreRule rule, Eigen::Index d) {
  return run.cell(rule == one ? other : rule == other ? one : rule, d);
}

STATEMENT(ScalingAblation, FirstGradients) {
  // In the scaled layer's coordinates, W_Q and W_K times d^(1/4), gradients are smaller by that.
  const double fourth_root = std::sqrt(std::sqrt(static_cast<double>(large_d)));
  const auto ratios = [&](const TrainingRun& run) {
    const std::vector<LearningCurve>& unscaled =
        subject.cell(run, ScoreRule::unscaled, large_d).curves;
    const std::vector<LearningCurve>& root = subject.cell(run, ScoreRule::root, large_d).curves;
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
              return runs_that(subject.cell(run, ScoreRule::unscaled, large_d).curves,
                               subject.cell(run, ScoreRule::root, large_d).curves,
                               subject.almost_no_gradient);
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
}
KILLS("unscaled and root are exchanged", {.cell = exchanged<ScoreRule::unscaled, ScoreRule::root>});
KILLS("every gradient is almost zero", {.almost_no_gradient = [](auto&, auto&) { return true; }});

std::vector<LearningCurve> first_of_each_repetition(const TrainingCell& cell, std::size_t i,
                                                    const TrainingPlan& plan) {
  std::vector<LearningCurve> curves;
  for (std::size_t r = 0; r < plan.repetitions; ++r)
    curves.push_back(cell.tuning.at(i).at(r * plan.tuning_seeds));
  return curves;
}

STATEMENT(ScalingAblation, AtEveryRate) {
  const auto cell = [&](const TrainingRun& run, ScoreRule rule) -> const TrainingCell& {
    return subject.cell(run, rule, large_d);
  };
  // The seeds that tune are not those of the root rule's runs: these curves share nothing.
  const auto faster = [&](std::size_t i) {
    return [&, i](const TrainingRun& run) {
      return runs_that(cell(run, ScoreRule::root).curves,
                       first_of_each_repetition(cell(run, ScoreRule::unscaled), i, run.plan),
                       subject.learns_faster);
    };
  };
  const std::vector<std::size_t> made_up = {48, 43, 38, 33};
  const std::size_t rates = quick_plan().rate_exponents.at(ScoreRule::unscaled).size();
  ASSERT_EQ(rates, made_up.size());
  std::vector<Question> questions;
  for (std::size_t i = 0; i < rates; ++i)
    questions.push_back({"faster_" + std::to_string(i), faster(i), made_up[i]});
  ask(questions);

  // The numbers of tuning runs that learn the task and that lose their gradient, and of the
  // repetitions that chose the rate.
  struct Counts {
    std::size_t learned, loses, chosen;
  };
  const auto count = [&](const TrainingRun& run, ScoreRule rule, std::size_t i) {
    const int exponent = run.plan.rate_exponents.at(rule).at(i);
    const std::vector<int>& chosen = cell(run, rule).rate_exponents;
    return Counts{runs_that(cell(run, rule).tuning[i], subject.has_learned),
                  runs_that(cell(run, rule).tuning[i], cell(run, ScoreRule::root).tuning[i],
                            subject.loses_its_gradient),
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
    learned +=
        has_learned(train(longer, unscaled.rule, large_d, {rate, rate}, longer.seed(r))) ? 1U : 0U;
  }
  record_value("longer", std::to_string(longer.steps));
  record_value("learned_if_longer", count_of(learned, longer.runs()));
}
KILLS("root and unscaled are exchanged at every rate",
      {.cell = exchanged<ScoreRule::unscaled, ScoreRule::root>});
KILLS("at every rate a draw is a win",
      {.learns_faster = [](auto& a, auto& b) { return !learns_faster(b, a); }});

STATEMENT(ScalingAblation, UnscaledAtTheRateOfTheRoot) {
  const auto own = [&](const TrainingRun& run) -> const std::vector<LearningCurve>& {
    return subject.cell(run, ScoreRule::unscaled, large_d).curves;
  };
  const auto borrowed = [&](const TrainingRun& run) -> const std::vector<LearningCurve>& {
    return subject.borrowed_cell(run, large_d).curves;
  };
  ask({{"learned",
        [&](const TrainingRun& run) { return runs_that(borrowed(run), subject.has_learned); }, 1},
       {"better_with_its_own",
        [&](const TrainingRun& run) {
          return runs_that(own(run), borrowed(run), subject.learns_faster);
        },
        11},
       {"aims", [&](const TrainingRun& run) { return runs_that(borrowed(run), subject.aims); }, 20},
       {"own_aims", [&](const TrainingRun& run) { return runs_that(own(run), subject.aims); },
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
}
KILLS("the borrowed rate is its own",
      {.borrowed_cell = [](const TrainingRun& run, Eigen::Index d) -> const TrainingCell& {
        return run.cell(ScoreRule::unscaled, d);
      }});

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

STATEMENT(ScalingAblation, GradientsOnTheWay) {
  const auto losing = [&](auto cell) {
    return [&subject, cell](const TrainingRun& run) {
      return runs_that(cell(run).curves, subject.cell(run, ScoreRule::root, large_d).curves,
                       subject.loses_its_gradient);
    };
  };
  const auto of = [&](ScoreRule rule) {
    return [&subject, rule](const TrainingRun& run) -> const TrainingCell& {
      return subject.cell(run, rule, large_d);
    };
  };
  const auto borrowed = [&](const TrainingRun& run) -> const TrainingCell& {
    return subject.borrowed_cell(run, large_d);
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
  record_the_way("own", run.cell(ScoreRule::unscaled, large_d), run.cell(ScoreRule::root, large_d),
                 run.plan);
}
//! [ScalingAblation: the gradient on the way]
KILLS("the gradient along the way is that of its own rate",
      {.borrowed_cell = [](const TrainingRun& run, Eigen::Index d) -> const TrainingCell& {
        return run.cell(ScoreRule::unscaled, d);
      }});
KILLS("every gradient is lost on the way",
      {.loses_its_gradient = [](auto&, auto&) { return true; }});
KILLS("no gradient is lost on the way", {.loses_its_gradient = starts_with_almost_no_gradient});

STATEMENT(ScalingAblation, DividingByD) {
  const auto curves = [&](const TrainingRun& run,
                          ScoreRule rule) -> const std::vector<LearningCurve>& {
    return subject.cell(run, rule, large_d).curves;
  };
  ask({{"almost_no_gradient",
        [&](const TrainingRun& run) {
          return runs_that(curves(run, ScoreRule::linear), curves(run, ScoreRule::unscaled),
                           subject.almost_no_gradient);
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
          return runs_that(curves(run, ScoreRule::linear), subject.has_learned);
        },
        47}});
}
KILLS("unscaled and linear are exchanged",
      {.cell = exchanged<ScoreRule::unscaled, ScoreRule::linear>});
KILLS("no gradient is ever small", {.almost_no_gradient = [](auto&, auto&) { return false; }});

TrainingPlan tiny_plan() {
  TrainingPlan plan = quick_plan();
  plan.task = {.symbols = 5, .values = 4, .pairs = 3, .width = 4};
  plan.steps = 8;
  return plan;
}

//! [ScalingAblation: the protocol]
STATEMENT(ScalingAblation, EachRepetitionTunesAndComparesOnSeedsOfItsOwn) {
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
        const TrainingRun run = subject.run_training(plan, {});
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
                EXPECT_EXACTLY(bits_of_curve(cell.tuning.at(i).at(tuned)) == bits_of_curve(again));
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
}
//! [ScalingAblation: the protocol]
KILLS("one tuning serves all repetitions", {.run_training = [](auto& plan, auto& progress) {
        TrainingRun run = run_training(plan, progress);
        for (TrainingCell& cell : run.cells)
          std::fill(cell.rate_exponents.begin(), cell.rate_exponents.end(),
                    cell.rate_exponents.front());
        return run;
      }});
KILLS("what tuned is compared", {.run_training = [](auto& plan, auto& progress) {
        TrainingPlan later = plan;
        later.first_seed += plan.seeds;
        return run_training(later, progress);
      }});
KILLS("the borrowed rate is that of another rule", {.run_training = [](auto& plan, auto& progress) {
        TrainingRun run = run_training(plan, progress);
        for (TrainingCell& cell : run.borrowed) {
          cell.curves = run.cell(ScoreRule::unscaled, cell.d).curves;
          for (std::size_t r = 0; r < cell.curves.size(); ++r)
            if (cell.rate_exponents[r] == run.cell(ScoreRule::unscaled, cell.d).rate_exponents[r])
              cell.curves[r].pop_back();
        }
        return run;
      }});

ASIDE(ScalingAblation, TheBestRateIsTheSmallestOfThoseThatDoBest) {
  EXPECT_EXACTLY(subject.best_rate(std::vector<double>{0.25, 0.75, 0.5, 0.75}) == 1U);
  TrainingCell cell;
  cell.tuning = {{made_up_curve(1, 0.25, 1, 0.5)},
                 {made_up_curve(1, 0.75, 1, 0.75), made_up_curve(1, 0.375, 1, 0)}};
  std::vector<Rational> means;
  for (const double mean : subject.sweep(cell)) means.emplace_back(mean);
  EXPECT_EXACTLY(means == (std::vector<Rational>{Rational(1, 4), Rational(5, 16)}));
  cell.tuning = {{}};
  EXPECT_EXACTLY(subject.sweep(cell).empty());
  cell.rate_exponents = {1, -1, 2, -1, 1};
  EXPECT_EXACTLY(subject.usual_rate_exponent(cell) == -1);
  enumerated(4);
}
KILLS("the worst rate is chosen", {.best_rate = [](auto means) {
        return static_cast<std::size_t>(std::min_element(means.begin(), means.end()) -
                                        means.begin());
      }});
KILLS("of equal rates the greatest", {.best_rate = [](auto means) {
        return means.size() - 1 -
               static_cast<std::size_t>(std::max_element(means.rbegin(), means.rend()) -
                                        means.rbegin());
      }});
KILLS("a sweep adds up", {.sweep = [](auto& cell) {
        std::vector<double> sums = sweep(cell);
        for (std::size_t i = 0; i < sums.size(); ++i)
          sums[i] *= static_cast<double>(cell.tuning[i].size());
        return sums;
      }});
KILLS("the usual rate is the greatest", {.usual_rate_exponent = [](auto& cell) {
        return *std::max_element(cell.rate_exponents.begin(), cell.rate_exponents.end());
      }});

//! [ScalingAblation: exact check]
ASIDE(ScalingAblation, MeasuresOfACurveAreWhatTheySay) {
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
  EXPECT_EXACTLY(bits_of(subject.steps_to_learn(steady)) == bits_of(8.0));
  EXPECT_EXACTLY(bits_of(subject.steps_to_learn(lapsed)) == bits_of(8.0));
  EXPECT_EXACTLY(bits_of(subject.steps_to_learn(never)) == bits_of(infinity));
  EXPECT_EXACTLY(subject.has_learned(steady));
  EXPECT_EXACTLY(!subject.has_learned(lapsed));
  EXPECT_EXACTLY(subject.learns_faster(steady, never));
  EXPECT_EXACTLY(!subject.learns_faster(never, steady));
  EXPECT_EXACTLY(!subject.learns_faster(steady, steady));
  EXPECT_EXACTLY(subject.almost_no_gradient(never, steady));
  EXPECT_EXACTLY(!subject.almost_no_gradient(lapsed, steady));
  EXPECT_EXACTLY(Rational(mean_accuracy(never)) == Rational(3, 8));
  // Less than a tenth of the first gradient counts until half of the answers are right.
  const auto loses = [&](double accuracy, double gradient, double loss) {
    return subject.loses_its_gradient(
        {{.accuracy = 0, .attention_gradient = 2},
         {.accuracy = accuracy, .loss = loss, .attention_gradient = gradient},
         {.accuracy = 1, .attention_gradient = 0}},
        steady);
  };
  EXPECT_EXACTLY(loses(0.25, 0.0625, 3));
  EXPECT_EXACTLY(!loses(0.5, 0.0625, 3));
  EXPECT_EXACTLY(!loses(0.25, 0.125, 3));
  EXPECT_EXACTLY(
      !subject.loses_its_gradient({{.accuracy = 0, .attention_gradient = 2},
                                   {.accuracy = 0, .loss = infinity, .attention_gradient = 0}},
                                  steady));
  EXPECT_EXACTLY(subject.aims({{.target_weight = 0.25}, {.target_weight = 0.75}}));
  EXPECT_EXACTLY(!subject.aims({{.target_weight = 0.75}, {.target_weight = 0.25}}));
  EXPECT_EXACTLY(!subject.aims({{.target_weight = 0.5}}));
  enumerated(18);
}
//! [ScalingAblation: exact check]
KILLS("a gradient that is small because all is learned counts as lost",
      {.loses_its_gradient = [](auto& curve, auto& scaled) {
        return std::any_of(curve.begin(), curve.end(), [&](const Evaluation& evaluation) {
          return evaluation.attention_gradient < almost_zero_share * first_gradient(scaled);
        });
      }});
KILLS("a run that failed has lost its gradient",
      {.loses_its_gradient = [](auto& curve, auto& scaled) {
        return curve.back().loss == infinity || loses_its_gradient(curve, scaled);
      }});
KILLS("half of the answers right is too few", {.loses_its_gradient = [](auto& right, auto& scaled) {
        LearningCurve curve = right;
        for (Evaluation& evaluation : curve)
          if (evaluation.accuracy == half_learned_accuracy) evaluation.accuracy = 0;
        return loses_its_gradient(curve, scaled);
      }});
KILLS("learning is noticed one evaluation late", {.steps_to_learn = [](auto& curve) {
        return curve.front().accuracy >= learned_accuracy
                   ? 4
                   : steps_to_learn({curve.begin() + 1, curve.end()}) + 4;
      }});
KILLS("the best accuracy counts, not the last",
      {.has_learned = [](auto& curve) { return steps_to_learn(curve) < infinity; }});
KILLS("attention that looks elsewhere aims",
      {.aims = [](auto& curve) { return curve.back().target_weight < attending_weight; }});
KILLS("a draw is a win", {.learns_faster = [](auto& a, auto& b) { return !learns_faster(b, a); }});
KILLS("the reference is not reduced", {.almost_no_gradient = [](auto& curve, auto& scaled) {
        return first_gradient(curve) < first_gradient(scaled);
      }});

ASIDE(ScalingAblation, DependsOnTheSeedAloneBitForBit) {
  const auto run = [&](ScoreRule rule, std::uint64_t seed) {
    return bits_of_curve(subject.train(tiny_plan(), rule, 16, {0.25, 0.25}, seed));
  };
  for (const ScoreRule rule : score_rules) {
    EXPECT_EXACTLY(run(rule, 1) == run(rule, 1)) << rule;
    EXPECT_EXACTLY(run(rule, 1) != run(rule, 2)) << rule;
  }
  // At d = 1 the root is 1, so the rules unscaled and root are one and the same.
  const auto of_one = [&](ScoreRule rule) {
    return bits_of_curve(subject.train(tiny_plan(), rule, 1, {0.25, 0.25}, 1));
  };
  EXPECT_EXACTLY(of_one(ScoreRule::unscaled) == of_one(ScoreRule::root));
  EXPECT_EXACTLY(of_one(ScoreRule::unscaled) == of_one(ScoreRule::linear));
  enumerated(12);
}
KILLS("the seed is not used",
      {.train = [](auto& plan, ScoreRule rule, Eigen::Index d, LearningRates rates, auto) {
        return train(plan, rule, d, rates, 0);
      }});
KILLS("each run continues the stream of the last",
      {.train = [](auto& plan, ScoreRule rule, Eigen::Index d, LearningRates rates, auto seed) {
        static std::uint64_t runs = 0;
        return train(plan, rule, d, rates, seed + 1000 * runs++);
      }});
KILLS("rules start from different weights",
      {.train = [](auto& plan, ScoreRule rule, Eigen::Index d, LearningRates rates, auto seed) {
        return train(plan, rule, d, rates, seed + static_cast<std::uint64_t>(rule));
      }});

ASIDE(ScalingAblation, TheLossIsTheMeanCrossEntropy) {
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
    expect_loss(subject.loss(scene), log(Wide(3)));
    scene.weights.readout << 1, 0, 0;
    expect_loss(subject.loss(scene), log(1 + 2 * exp(Wide(-1))));
    scene.batch.values.setOnes();
    expect_loss(subject.loss(scene), log(2 + exp(Wide(1))));
  }
  for_all(
      [&] {
        const Scene scene = any_scene();
        const Wide error =
            abs(subject.loss(scene) - loss_by_definition<Wide>(scene, scene.weights));
        evidence().worst(static_cast<double>(error), static_cast<double>(gradient_error_bound));
        RC_ASSERT(error <= gradient_error_bound);
      },
      50);
}
KILLS("the loss counts bits", {.loss = [](auto& scene) -> Wide {
        using std::log;
        return recall_output(scene.rule, scene.embeddings, scene.weights, scene.batch).loss /
               log(Wide(2));
      }});
KILLS("the loss of a batch is a sum", {.loss = [](auto& scene) -> Wide {
        return recall_output(scene.rule, scene.embeddings, scene.weights, scene.batch).loss *
               Wide(scene.batch.size());
      }});
KILLS("the loss is the share of wrong answers", {.loss = [](auto& scene) -> Wide {
        const auto output = recall_output(scene.rule, scene.embeddings, scene.weights, scene.batch);
        return 1 - Wide(output.correct) / Wide(scene.batch.size());
      }});

ASIDE(ScalingAblation, ARunThatOverflowsCountsAsWrongFromThereOn) {
  const LearningCurve curve =
      subject.train(tiny_plan(), ScoreRule::unscaled, 16, {0x1p300, 0x1p300}, 1);
  ASSERT_EQ(curve.size(), 3U);
  EXPECT_EXACTLY(Rational(curve.front().accuracy) > 0);
  EXPECT_EXACTLY(std::isfinite(curve.front().loss));
  EXPECT_EXACTLY(bits_of(curve.back().loss) == bits_of(infinity));
  EXPECT_EXACTLY(Rational(curve.back().accuracy) == 0);
}
KILLS("a run that overflows goes on",
      {.train = [](auto& plan, ScoreRule rule, Eigen::Index d, LearningRates rates, auto seed) {
        LearningCurve curve = train(plan, rule, d, rates, seed);
        for (Evaluation& evaluation : curve)
          if (evaluation.loss == infinity) evaluation.accuracy = 1.0 / 16;
        return curve;
      }});

ASIDE(ScalingAblation, StartsAsTheDocumentsAssume) {
  const RecallTask task{.symbols = 2, .values = 2, .pairs = 2, .width = 4};
  // q·k/|k| ~ N(0, 1) given k exactly if q's entries are N(0, 1), independent of k; and vice versa.
  const auto score = [&](Stream& stream, bool given_key) {
    const std::uint64_t seed = stream();
    const Eigen::VectorXd embedding = subject.draw_embeddings(task, seed).keys.col(0);
    const RecallWeights<double> weights = subject.initial_weights(task, 8, seed);
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
    const Eigen::VectorXd embedding = subject.draw_embeddings(task, seed).keys.col(0);
    const RecallWeights<double> weights = subject.initial_weights(task, 8, seed);
    return (weights.query * embedding).squaredNorm() + (weights.key * embedding).squaredNorm();
  });
}
KILLS("all entries of a query are one number",
      {.initial_weights = [](auto& task, Eigen::Index d, auto seed) {
        RecallWeights<double> weights = initial_weights(task, d, seed);
        weights.query.rowwise() = weights.query.row(0).eval();
        return weights;
      }});
KILLS("weights have variance 1", {.initial_weights = [](auto& task, Eigen::Index d, auto seed) {
        RecallWeights<double> weights = initial_weights(task, d, seed);
        weights.query *= 2;  // √width
        return weights;
      }});
KILLS("keys are made like queries", {.initial_weights = [](auto& task, Eigen::Index d, auto seed) {
        RecallWeights<double> weights = initial_weights(task, d, seed);
        weights.key = weights.query;
        return weights;
      }});
KILLS("embeddings have length 1", {.draw_embeddings = [](auto& task, auto seed) {
        RecallEmbeddings<double> embeddings = draw_embeddings(task, seed);
        embeddings.keys /= std::sqrt(static_cast<double>(task.width));
        return embeddings;
      }});

ASIDE(ScalingAblation, SequencesAreDrawnFairly) {
  const RecallTask task{.symbols = 4, .values = 4, .pairs = 2, .width = 1};
  const auto draw_one = [&](Stream& stream) { return subject.draw_recall(task, 1, stream); };
  const auto expect_share = [&](double share, auto event) {
    expect_draws(CountCheck(share), {.effect = 0.2},
                 [&](Stream& stream) { return event(draw_one(stream)); });
  };
  expect_share(0.5, [](const RecallBatch& one) { return one.query_index[0] == 1; });
  expect_share(0.25, [](const RecallBatch& one) { return one.keys(1, 0) == 3; });
  expect_share(0.25, [](const RecallBatch& one) { return one.query(0) == one.answer(0); });
}
KILLS("the first pair is asked for",
      {.draw_recall = [](auto& task, Eigen::Index count, Stream& stream) {
        RecallBatch batch = draw_recall(task, count, stream);
        batch.query_index.setZero();
        return batch;
      }});
KILLS("keys come in order", {.draw_recall = [](auto& task, Eigen::Index count, Stream& stream) {
        RecallBatch batch = draw_recall(task, count, stream);
        for (Eigen::Index i = 0; i < task.pairs; ++i) batch.keys.row(i) = static_cast<int>(i);
        return batch;
      }});
KILLS("values belong to their keys",
      {.draw_recall = [](auto& task, Eigen::Index count, Stream& stream) {
        RecallBatch batch = draw_recall(task, count, stream);
        batch.values = batch.keys;
        return batch;
      }});

//! [ScalingAblation: the task]
ASIDE(ScalingAblation, SequencesHaveDistinctKeysAndDistinctValues) {
  for_all([&] {
    RecallTask task;
    task.pairs = *rc::gen::inRange<Eigen::Index>(2, 9).as("pairs");
    task.symbols = task.pairs + *rc::gen::inRange<Eigen::Index>(0, 4).as("other keys");
    task.values = task.pairs + *rc::gen::inRange<Eigen::Index>(0, 4).as("other values");
    Stream stream = stream_of(*rc::gen::arbitrary<std::uint64_t>().as("seed"), "sequences");
    const RecallBatch batch = subject.draw_recall(task, 20, stream);
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
}
//! [ScalingAblation: the task]
KILLS("a key may come twice", {.draw_recall = [](auto& task, Eigen::Index count, Stream& stream) {
        RecallBatch batch = draw_recall(task, count, stream);
        batch.keys.row(0) = batch.keys.row(task.pairs - 1);
        return batch;
      }});
KILLS("a value may come twice", {.draw_recall = [](auto& task, Eigen::Index count, Stream& stream) {
        RecallBatch batch = draw_recall(task, count, stream);
        batch.values.row(0) = batch.values.row(task.pairs - 1);
        return batch;
      }});
KILLS("one symbol too many", {.draw_recall = [](auto& task, Eigen::Index count, Stream& stream) {
        RecallTask larger = task;
        ++larger.symbols;
        ++larger.values;
        return draw_recall(larger, count, stream);
      }});

ASIDE(ScalingAblation, RefusesAPlanThatTrainsNothing) {
  const auto expect_refused = [&](const TrainingPlan& plan, const std::string& message) {
    expect_refusal<std::domain_error>([&] { subject.run_training(plan, {}); }, message);
  };
  TrainingPlan plan = tiny_plan();
  plan.rate_exponents.erase(ScoreRule::additive);
  expect_refusal<std::invalid_argument>(
      [&] { subject.run_training(plan, {}); },
      "the plan has no learning rate for the score rule additive, but needs at least 1");
  plan = tiny_plan();
  plan.repetitions = 0;
  expect_refusal<std::invalid_argument>([&] { subject.run_training(plan, {}); },
                                        "the plan has no repetition, but needs at least 1");
  plan = tiny_plan();
  plan.every = 0;
  expect_refused(plan, "the number of steps between evaluations is 0, but must be at least 1");
  expect_refusal<std::domain_error>(
      [&] {
        subject.train(plan, ScoreRule::root, 4, {1, 1}, 1);
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
}
KILLS("a plan that is never evaluated is trained",
      {.train = [](auto& plan, ScoreRule rule, Eigen::Index d, LearningRates rates, auto seed) {
        TrainingPlan evaluated = plan;
        evaluated.every = std::max<Eigen::Index>(plan.every, 1);
        return train(evaluated, rule, d, rates, seed);
      }});
KILLS("a plan without rates is accepted", {.run_training = [](auto& plan, auto& progress) {
        return plan.rate_exponents.size() < std::size(score_rules) ? TrainingRun{}
                                                                   : run_training(plan, progress);
      }});

}  // namespace sqrtdk::properties::ScalingAblation
