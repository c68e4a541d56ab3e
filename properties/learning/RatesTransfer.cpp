#include <sqrtdk/learning/rates.hpp>
#include <sqrtdk/training.hpp>
#include <sqrtdk/training/learning_curve.hpp>

#include "properties/learning/fixture.hpp"
#include "properties/support/compiled_layer.hpp"
#include "properties/support/experiments.hpp"

namespace sqrtdk::properties::RatesTransfer {

/// The first eight digits of the commit that wrote the protocol down, before it was run.
constexpr std::uint64_t first_seed = 0xbb5c9a06;

struct Subject {
  void (*update_moments)(AdamMoments<Rational>&, const RationalMatrix&,
                         const AdamConstants&) = sqrtdk::update_moments<Rational>;
  Eigen::MatrixXd (*adam_direction)(const AdamMoments<double>&,
                                    const AdamConstants&) = sqrtdk::adam_direction<double>;
  double (*rate_factor)(Optimizer, ScoreRule, Eigen::Index, Eigen::Index) = sqrtdk::rate_factor;
  std::vector<TransferCell> (*run_transfer)(const TransferPlan&) = sqrtdk::run_transfer;
  LearningCurve (*train_arm)(const TrainingPlan&, const TransferArm&, Eigen::Index, double,
                             std::uint64_t) = sqrtdk::train_arm;
  bool (*has_learned)(const LearningCurve&) = sqrtdk::has_learned;
  bool (*learns_faster)(const LearningCurve&, const LearningCurve&) = sqrtdk::learns_faster;
};

/// Trains an arm of Adam, step by step. W_Q, W_K, W_V and W_O have running means of their own, or
/// those that `means` says.
LearningCurve train_by_adam(const TrainingPlan& plan, const TransferArm& arm, Eigen::Index d,
                            LearningRates rates, std::uint64_t seed,
                            const std::array<std::size_t, 4>& means = {0, 1, 2, 3}) {
  const AdamConstants constants{0.9, 0.999, 1e-8};
  std::array<AdamMoments<double>, 4> moments;
  return train_by(
      plan, arm.rule, d,
      [&](RecallWeights<double>& weights, const RecallWeights<double>& gradient) {
        const auto step = [&](std::size_t i, Eigen::MatrixXd& w, const Eigen::MatrixXd& g) {
          update_moments(moments[means[i]], g, constants);
          w -= (i < 2 ? rates.attention : rates.others) *
               adam_direction(moments[means[i]], constants);
        };
        step(0, weights.query, gradient.query);
        step(1, weights.key, gradient.key);
        step(2, weights.value, gradient.value);
        step(3, weights.readout, gradient.readout);
      },
      seed);
}

/// The run that the book prints; trained once, with fixed seeds, whatever the master seed.
const std::vector<TransferCell>& recorded_cells() {
  static const std::vector<TransferCell> cells = run_transfer(transfer_plan(first_seed));
  return cells;
}

/// A curve of two evaluations, none of whose answers is right at the start.
LearningCurve made_up_curve(double accuracy) {
  return {{.step = 0}, {.step = 10, .accuracy = accuracy}};
}

std::vector<LearningCurve> made_up_runs(const std::vector<double>& last_accuracies) {
  std::vector<LearningCurve> runs;
  for (const double accuracy : last_accuracies) runs.push_back(made_up_curve(accuracy));
  return runs;
}

std::string mean_percent(const std::vector<LearningCurve>& curves) {
  double sum = 0;
  for (const LearningCurve& curve : curves) sum += mean_accuracy(curve);
  return format_fixed(100 * sum / static_cast<double>(curves.size()), 0) + "\u00a0%";
}

/// The number of repetitions that chose the smallest or the largest rate that was tried.
std::size_t at_the_ends(const TransferCell& cell) {
  const std::vector<int>& tried = cell.arm.rate_exponents;
  return static_cast<std::size_t>(std::count_if(
      cell.chosen.begin(), cell.chosen.end(),
      [&](int exponent) { return exponent == tried.front() || exponent == tried.back(); }));
}

STATEMENT(RatesTransfer, HowManyTransfer) {
  const auto learned = [&](const std::vector<LearningCurve>& curves) {
    return runs_that(curves, subject.has_learned);
  };
  const auto faster = [&](const std::vector<LearningCurve>& a,
                          const std::vector<LearningCurve>& b) {
    return runs_that(a, b, subject.learns_faster);
  };
  const auto runs = made_up_runs({1, 1, 1, 1, 1, 0.9375, 0.5, 0.25});
  const auto others = made_up_runs({1, 1, 1, 1, 0.9375, 0.5, 0.25, 0.75});
  EXPECT_EXACTLY(learned(runs) == 6U);
  EXPECT_EXACTLY(learned(others) == 5U);
  EXPECT_EXACTLY(faster(runs, others) == 3U);
  if (checking_a_mutant()) return;
  const TransferPlan plan = transfer_plan(first_seed);
  record_plan(plan.training);
  record_value("from", std::to_string(plan.from));
  record_value("to", std::to_string(plan.to));
  for (const TransferCell& cell : recorded_cells()) {
    const TransferArm& arm = cell.arm;
    const std::string name = std::string(arm.optimizer == Optimizer::adam ? "adam_" : "descent_") +
                             sqrtdk::name(arm.rule);
    const double factor = rate_factor(arm.optimizer, arm.rule, plan.from, plan.to);
    record_value(name + "_factor", factor < 1 ? "1/" + format_shortest(1 / factor)  //
                                              : format_shortest(factor));
    record_value(name + "_at_ends", count_of(at_the_ends(cell), cell.chosen.size()));
    find(name + "_same", learned(cell.same), plan.training);
    find(name + "_predicted", learned(cell.predicted), plan.training);
    find(name + "_not_higher", faster(cell.predicted, cell.higher), plan.training);
    find(name + "_not_lower", faster(cell.predicted, cell.lower), plan.training);
    record_value(name + "_accuracy_same", mean_percent(cell.same));
    record_value(name + "_accuracy", mean_percent(cell.predicted));
    record_value(name + "_accuracy_higher", mean_percent(cell.higher));
    record_value(name + "_accuracy_lower", mean_percent(cell.lower));
  }
}
KILLS("errors are counted, not right answers",
      {.has_learned = [](auto& curve) { return !has_learned(curve); }});
KILLS("a draw is a win for the predicted rate",
      {.learns_faster = [](auto& a, auto& b) { return !learns_faster(b, a); }});

TransferPlan tiny_plan(std::uint64_t seed) {
  TransferPlan plan = transfer_plan(seed);
  plan.from = 2;
  plan.to = 8;
  plan.training.task = {.symbols = 5, .values = 4, .pairs = 3, .width = 4};
  plan.training.steps = plan.training.batch = 4;
  plan.training.every = 2;
  plan.training.held_out = 8;
  return plan;
}

template <class Change>
std::vector<TransferCell> run_changed(TransferPlan plan, Change change) {
  change(plan);
  return run_transfer(plan);
}

//! [RatesTransfer]
STATEMENT(RatesTransfer, EachRepetitionTunesInTheSmallHead) {
  for_all(
      [&] {
        TransferPlan plan = tiny_plan(*rc::gen::inRange<std::uint64_t>(1, 1000).as("seed"));
        TrainingPlan& training = plan.training;
        training.repetitions = *rc::gen::inRange<std::size_t>(1, 4).as("repetitions");
        training.tuning_seeds = *rc::gen::inRange<std::size_t>(1, 3).as("seeds for tuning");
        for (TransferArm& arm : plan.arms) arm.rate_exponents = {-1, 3};
        const std::vector<TransferCell> cells = subject.run_transfer(plan);
        ASSERT_EQ(cells.size(), plan.arms.size());
        const double factors[] = {1, 4, 0.5, 1};
        for (std::size_t a = 0; a < cells.size(); ++a) {
          const auto bits = [&](Eigen::Index d, double rate, std::uint64_t seed) {
            return bits_of_curve(train_arm(training, plan.arms[a], d, rate, seed));
          };
          std::uint64_t seed = training.first_seed;
          for (std::size_t r = 0; r < training.repetitions; ++r) {
            const std::uint64_t compared = seed++;
            double low = 0, high = 0;
            for (std::size_t t = 0; t < training.tuning_seeds; ++t, ++seed) {
              low += mean_accuracy(train_arm(training, plan.arms[a], 2, 0.5, seed));
              high += mean_accuracy(train_arm(training, plan.arms[a], 2, 8, seed));
            }
            const int chosen = high > low ? 3 : -1;  // exact: the rule compares these very sums
            const double rate = std::exp2(chosen);
            EXPECT_EXACTLY(cells[a].chosen.at(r) == chosen);
            EXPECT_EXACTLY(bits_of_curve(cells[a].same.at(r)) == bits(8, rate, compared));
            const double predicted = rate * factors[a];
            EXPECT_EXACTLY(bits_of_curve(cells[a].predicted.at(r)) == bits(8, predicted, compared));
            EXPECT_EXACTLY(bits_of_curve(cells[a].higher.at(r)) ==
                           bits(8, 4 * predicted, compared));
            EXPECT_EXACTLY(bits_of_curve(cells[a].lower.at(r)) == bits(8, predicted / 4, compared));
          }
          EXPECT_EXACTLY(cells[a].same.size() == training.repetitions);
        }
      },
      8);
}
//! [RatesTransfer]
KILLS("rates are tuned in the large head", {.run_transfer = [](auto& plan) {
        return run_changed(plan, [](TransferPlan& p) { p.from = p.to; });
      }});
KILLS("the rate is multiplied the wrong way", {.run_transfer = [](auto& plan) {
        std::vector<TransferCell> cells = run_transfer(plan);
        for (TransferCell& cell : cells) std::swap(cell.same, cell.predicted);
        return cells;
      }});
KILLS("the run that is compared has tuned", {.run_transfer = [](auto& plan) {
        return run_changed(plan, [](TransferPlan& p) { p.training.first_seed -= 1; });
      }});
KILLS("W_V and W_O have the rate of W_Q and W_K", {.run_transfer = [](auto& plan) {
        return run_changed(plan, [](TransferPlan& p) {
          for (TransferArm& arm : p.arms) arm.other_exponent = arm.rate_exponents[0];
        });
      }});
KILLS("four times and a fourth are exchanged", {.run_transfer = [](auto& plan) {
        std::vector<TransferCell> cells = run_transfer(plan);
        for (TransferCell& cell : cells) std::swap(cell.higher, cell.lower);
        return cells;
      }});

STATEMENT(RatesTransfer, AdamHasFourPairsOfMeans) {
  for_all(
      [&] {
        const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000).as("seed");
        const TransferPlan plan = tiny_plan(seed);
        const double rate = std::exp2(*rc::gen::inRange(-6, 0).as("exponent of the rate"));
        for (const TransferArm& arm : plan.arms) {
          const LearningRates rates{rate, std::exp2(arm.other_exponent)};
          const LearningCurve by_hand =
              arm.optimizer == Optimizer::adam
                  ? train_by_adam(plan.training, arm, plan.to, rates, seed)
                  : train(plan.training, arm.rule, plan.to, rates, seed);
          EXPECT_EXACTLY(bits_of_curve(subject.train_arm(plan.training, arm, plan.to, rate,
                                                         seed)) == bits_of_curve(by_hand));
        }
      },
      8);
}
KILLS("the arms of Adam descend",
      {.train_arm = [](auto& plan, auto& arm, Eigen::Index d, double rate, auto seed) {
        TransferArm descends = arm;
        descends.optimizer = Optimizer::descent;
        return train_arm(plan, descends, d, rate, seed);
      }});
KILLS("W_Q and W_K share their means",
      {.train_arm = [](auto& plan, auto& arm, Eigen::Index d, double rate, auto seed) {
        const LearningRates rates{rate, std::exp2(arm.other_exponent)};
        return train_by_adam(plan, arm, d, rates, seed, {0, 0, 2, 3});
      }});
KILLS("the two rates are exchanged",
      {.train_arm = [](auto& plan, auto& arm, Eigen::Index d, double rate, auto seed) {
        const LearningRates rates{std::exp2(arm.other_exponent), rate};
        return train_by_adam(plan, arm, d, rates, seed);
      }});

STATEMENT(RatesTransfer, TheMeansOfAdamAreWeightedMeans) {
  for_all([&] {
    const Eigen::Index rows = *rc::gen::inRange(1, 3);
    const AdamConstants constants{0.5, 0.75, 0};
    const Rational mean_decay(1, 2), square_decay(3, 4);
    AdamMoments<Rational> moments;
    RationalMatrix sum = RationalMatrix::Zero(rows, 2), squares = sum;
    Rational all = 0, all_squares = 0;
    const int steps = *rc::gen::inRange(1, 5).as("steps");
    for (int t = 0; t < steps; ++t) {
      const RationalMatrix gradient = any_matrix(rows, 2);
      subject.update_moments(moments, gradient, constants);
      // Σβ^(t−s) g_s over Σβ^(t−s): the newest gradient has the weight 1.
      sum = mean_decay * sum + gradient;
      squares = square_decay * squares + gradient.cwiseProduct(gradient);
      all = mean_decay * all + 1;
      all_squares = square_decay * all_squares + 1;
    }
    EXPECT_EXACTLY(RationalMatrix(moments.mean / moments.mean_share) == RationalMatrix(sum / all));
    EXPECT_EXACTLY(RationalMatrix(moments.square / moments.square_share) ==
                   RationalMatrix(squares / all_squares));
  });
}
KILLS("the bias is not corrected",
      {.update_moments = [](AdamMoments<Rational>& moments, auto& gradient, auto& constants) {
        update_moments(moments, gradient, constants);
        moments.mean_share = moments.square_share = 1;
      }});
KILLS("β₁ and β₂ are exchanged",
      {.update_moments = [](AdamMoments<Rational>& moments, auto& gradient, auto& constants) {
        update_moments(moments, gradient, {constants.square_decay, constants.mean_decay, 0});
      }});
KILLS("the square of the mean in place of the mean of squares",
      {.update_moments = [](AdamMoments<Rational>& moments, auto& gradient, auto& constants) {
        update_moments(moments, gradient, constants);
        moments.square = moments.mean.cwiseProduct(moments.mean);
      }});

//! [RatesTransfer: exact check]
STATEMENT(RatesTransfer, AFirstStepIsAllButTheSign) {
  // With β = 0 the means are g and g², and for powers of two nothing is rounded.
  const auto direction = [&](double gradient, double epsilon) {
    AdamMoments<double> moments;
    const AdamConstants constants{0, 0, epsilon};
    update_moments(moments, Eigen::MatrixXd{{gradient}}, constants);
    return Rational(subject.adam_direction(moments, constants)(0, 0));
  };
  EXPECT_EXACTLY(direction(1, 3) == Rational(1, 4));
  EXPECT_EXACTLY(direction(-0.5, 1.5) == Rational(-1, 4));
  EXPECT_EXACTLY(direction(0.25, 0) == 1);
  EXPECT_EXACTLY(direction(-16, 0) == -1);
  EXPECT_EXACTLY(direction(0, 1) == 0);
  // One gradient again and again: the shares cancel, and powers of two are still not rounded.
  const AdamConstants constants{0.5, 0.75, 0};
  AdamMoments<double> moments;
  for (int t = 0; t < 8; ++t) {
    update_moments(moments, Eigen::MatrixXd{{-4.0}}, constants);
    EXPECT_EXACTLY(Rational(subject.adam_direction(moments, constants)(0, 0)) == -1);
  }
  enumerated(13);
}
//! [RatesTransfer: exact check]
KILLS("ε stands below the root", {.adam_direction = [](auto& moments, auto& constants) {
        AdamMoments<double> shifted = moments;
        shifted.square.array() += constants.epsilon * moments.square_share;
        return adam_direction(shifted, {0, 0, 0});
      }});
KILLS("the step is the mean",
      {.adam_direction = [](auto& moments, auto&) { return moments.mean; }});

STATEMENT(RatesTransfer, TheFactorKeepsTheFirstStep) {
  // The case of two keys of FirstStep: k and −k, entries ±1, q·k = 0, slopes 1 and −1.
  const auto change = [&](Optimizer optimizer, ScoreRule rule, int root, const Rational& rate) {
    const Eigen::Index d = root * root;
    const Rational scale(1, rule == ScoreRule::root ? root : d);
    const StepRule step = optimizer == Optimizer::adam ? StepRule::sign : StepRule::descent;
    return score_changes(two_opposite_keys(d, scale), vector_of({1, -1}), rate, step)[0];
  };
  for (const Optimizer optimizer : {Optimizer::descent, Optimizer::adam})
    for (const ScoreRule rule : {ScoreRule::root, ScoreRule::linear})
      for (const int from : {2, 4, 8})
        for (const int to : {2, 4, 8}) {
          const Rational factor(subject.rate_factor(optimizer, rule, from * from, to * to));
          EXPECT_EXACTLY(change(optimizer, rule, to, factor / 8) ==
                         change(optimizer, rule, from, Rational(1, 8)));
        }
  enumerated(36);
}
KILLS("the factor of the other optimizer",
      {.rate_factor = [](Optimizer optimizer, ScoreRule rule, Eigen::Index from, Eigen::Index to) {
        return rate_factor(optimizer == Optimizer::adam ? Optimizer::descent : Optimizer::adam,
                           rule, from, to);
      }});
KILLS("from the large head to the small one",
      {.rate_factor = [](Optimizer optimizer, ScoreRule rule, Eigen::Index from, Eigen::Index to) {
        return rate_factor(optimizer, rule, to, from);
      }});

ASIDE(RatesTransfer, RefusesWhatHasNoFactor) {
  const auto refused = [&](ScoreRule rule, Eigen::Index from, Eigen::Index to) {
    expect_refusal<std::domain_error>(
        [&] { subject.rate_factor(Optimizer::adam, rule, from, to); });
  };
  refused(ScoreRule::additive, 4, 16);
  refused(ScoreRule::root, 0, 16);
  refused(ScoreRule::root, 4, 0);
  TransferPlan plan = tiny_plan(1);
  plan.arms.front().rate_exponents.clear();
  expect_refusal<std::invalid_argument>([&] { return subject.run_transfer(plan); },
                                        "an arm has no rate exponent, but needs at least 1");
}
KILLS("any rule counts as the root",
      {.rate_factor = [](Optimizer optimizer, ScoreRule rule, Eigen::Index from, Eigen::Index to) {
        return rate_factor(optimizer, rule == ScoreRule::linear ? rule : ScoreRule::root, from, to);
      }});

}  // namespace sqrtdk::properties::RatesTransfer
