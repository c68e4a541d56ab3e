// The experiment of chapter \ref training : its functions, its run, and what is recorded.
#pragma once

#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/statistics/confidence_interval.hpp>
#include <sqrtdk/testing/statistics/sample_quantile.hpp>

#include "properties/support/documents.hpp"
#include "properties/support/experiments.hpp"
#include "properties/training/fixture.hpp"
#include "properties/training/kept_run.hpp"
#include "properties/training/made_up_run.hpp"

namespace sqrtdk::properties {
inline namespace chapter_training {

using namespace sqrtdk::testing;

/// The run that the book prints; trained when the first check asks, and once only. Its seeds are
/// fixed, whatever the master seed: what is decided here is decided once. Where ctest runs a program
/// for each claim, SQRTDK_TRAINED names a file by which they share it.
inline const TrainingRun& recorded_run() {
  static const TrainingRun run = [] {
    const char* file = std::getenv("SQRTDK_TRAINED");
    return run_or_read(quick_plan(), file == nullptr ? "" : file);
  }();
  return run;
}

struct Subject {
  const TrainingCell& (*cell)(const TrainingRun&, ScoreRule, Eigen::Index) =
      [](const TrainingRun& run, ScoreRule rule, Eigen::Index d) -> const TrainingCell& {
    return run.cell(rule, d);
  };
  const TrainingCell& (*borrowed_cell)(const TrainingRun&, Eigen::Index) =
      [](const TrainingRun& run, Eigen::Index d) -> const TrainingCell& {
    return run.borrowed_cell(d);
  };
  bool (*has_learned)(const LearningCurve&) = sqrtdk::has_learned;
  bool (*learns_faster)(const LearningCurve&, const LearningCurve&) = sqrtdk::learns_faster;
  bool (*learn_alike)(const LearningCurve&, const LearningCurve&) = sqrtdk::learn_alike;
  bool (*almost_no_gradient)(const LearningCurve&,
                             const LearningCurve&) = sqrtdk::starts_with_almost_no_gradient;
  bool (*loses_its_gradient)(const LearningCurve&,
                             const LearningCurve&) = sqrtdk::loses_its_gradient;
  double (*steps_to_learn)(const LearningCurve&) = sqrtdk::steps_to_learn;
  Wide (*loss)(const Scene&) = [](const Scene& scene) {
    return recall_output(scene.rule, scene.embeddings, scene.weights, scene.batch).loss;
  };
  bool (*aims)(const LearningCurve&) = sqrtdk::attends_to_target;
  std::size_t (*best_rate)(std::span<const double>) = sqrtdk::best_rate;
  std::vector<double> (*sweep)(const TrainingCell&) = sqrtdk::sweep;
  int (*usual_rate_exponent)(const TrainingCell&) = sqrtdk::usual_rate_exponent;
  LearningCurve (*train)(const TrainingPlan&, ScoreRule, Eigen::Index, LearningRates,
                         std::uint64_t) = sqrtdk::train;
  RecallWeights<double> (*initial_weights)(const RecallTask&, Eigen::Index,
                                           std::uint64_t) = sqrtdk::initial_weights;
  RecallEmbeddings<double> (*draw_embeddings)(const RecallTask&,
                                              std::uint64_t) = sqrtdk::draw_embeddings;
  RecallBatch (*draw_recall)(const RecallTask&, Eigen::Index,
                             Stream&) = sqrtdk::draw_recall<Stream>;
  TrainingRun (*run_training)(
      const TrainingPlan&,
      const std::function<void(std::size_t, std::size_t, const std::string&)>&) =
      sqrtdk::run_training;
};

/// A question that every repetition of the experiment answers with yes or no.
struct Question {
  std::string name;  // of what is recorded
  std::function<std::size_t(const TrainingRun&)> yes;
  std::size_t made_up;  // how many runs of made_up_run() answer yes, counted by hand
};

/// Asks the made-up run, whose answers are known, and then the recorded one, whose answers are
/// published. Nothing is expected of the latter: its decisions are what they are.
/// \return the decisions about the recorded run, by name; none while a mutant is checked.
inline std::map<std::string, Decision> ask(const std::vector<Question>& questions) {
  std::map<std::string, Decision> decisions;
  for (const Question& question : questions) {
    EXPECT_EXACTLY(question.yes(made_up_run()) == question.made_up) << question.name;
    if (checking_a_mutant()) continue;
    const TrainingRun& run = recorded_run();
    decisions[question.name] = find(question.name, question.yes(run), run.plan);
  }
  return decisions;
}

/// Notes what a decision makes of the words of a document: right, wrong, or undecided.
/// \param document such as `S2`.
/// \param words    of the document.
/// \param decision whether what the words say was found.
/// \param right    what is right if it was not.
inline void judge(const std::string& document, const std::string& words, Decision decision,
                  const std::string& right) {
  if (decision == Decision::no)
    expect_refuted(document, words, false, right);
  else
    decides(document, words, decision == Decision::yes);
}

/// Publishes the median over seeds, with an interval that covers it with probability 95 %.
inline void record_median(const std::string& name, const TrainingCell& cell,
                          double (*measure)(const LearningCurve&)) {
  std::vector<double> values;
  for (const LearningCurve& curve : cell.curves) values.push_back(measure(curve));
  const ConfidenceInterval interval = median_interval(values, Rational(1, 20));
  record_value(name, in_short(interval.estimate) + " (" + in_short(interval.lower) + " to " +
                         in_short(interval.upper) + ")");
}

inline double first_gradient(const LearningCurve& curve) {
  return curve.front().attention_gradient;
}
inline double last_accuracy(const LearningCurve& curve) { return curve.back().accuracy; }
inline double first_peak(const LearningCurve& curve) { return curve.front().peak; }
inline bool is_stuck(const LearningCurve& curve) {
  return last_accuracy(curve) < half_learned_accuracy;
}

inline std::vector<double> over_seeds(const TrainingCell& cell, std::size_t i,
                                      double Evaluation::*what) {
  std::vector<double> values;
  for (const LearningCurve& curve : cell.curves) values.push_back(curve[i].*what);
  return values;
}

inline double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The power of two, as a whole number or as a part of 1.
inline std::string power_of_two(int exponent) {
  return exponent < 0 ? "1/" + in_short(std::exp2(-exponent)) : in_short(std::exp2(exponent));
}

inline void record_row(const std::string& prefix, const TrainingCell& cell) {
  record_value(prefix + "_learned",
               count_of(runs_that(cell.curves, has_learned), cell.curves.size()));
  record_value(prefix + "_rate", power_of_two(usual_rate_exponent(cell)));
  record_median(prefix + "_steps", cell, steps_to_learn);
  record_median(prefix + "_accuracy", cell, last_accuracy);
  record_median(prefix + "_gradient", cell, first_gradient);
  record_median(prefix + "_peak", cell, first_peak);
}

/// Quartiles over seeds: a row for each evaluation, an empty one between two head dimensions.
inline void draw_curves(const std::string& figure, const TrainingRun& run,
                        const std::vector<Eigen::Index>& dimensions, double Evaluation::*what) {
  std::vector<std::string> columns = {"d", "step"};
  for (const char* rule : {"unscaled", "root", "linear", "learned", "additive", "borrowed"})
    for (const char* quartile : {"_lower", "_median", "_upper"})
      columns.push_back(std::string(rule) + quartile);
  std::vector<std::vector<double>> rows;
  for (const Eigen::Index d : dimensions) {
    if (!rows.empty()) rows.emplace_back();
    std::vector<const TrainingCell*> cells;
    for (const ScoreRule rule : score_rules) cells.push_back(&run.cell(rule, d));
    cells.push_back(&run.borrowed_cell(d));
    for (std::size_t i = 0; i < cells.front()->curves.front().size(); ++i) {
      rows.push_back(
          {static_cast<double>(d), static_cast<double>(cells.front()->curves.front()[i].step)});
      for (const TrainingCell* cell : cells) {
        const std::vector<double> values = over_seeds(*cell, i, what);
        for (const double q : {0.25, 0.5, 0.75}) rows.back().push_back(sample_quantile(values, q));
      }
    }
  }
  write_figure_data(figure, columns, rows);
}

/// Mean accuracy for each rate that was tried, of the rules that were tuned over all of them.
inline void draw_sweeps(const std::string& figure, const TrainingRun& run, Eigen::Index d) {
  const std::vector<ScoreRule> rules = {ScoreRule::unscaled, ScoreRule::root, ScoreRule::additive};
  const std::vector<int>& exponents = run.plan.rate_exponents.at(ScoreRule::root);
  std::vector<std::string> columns = {"rate"};
  for (const ScoreRule rule : rules) columns.emplace_back(name(rule));
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    rows.push_back({std::exp2(exponents[i])});
    for (const ScoreRule rule : rules) rows.back().push_back(sweep(run.cell(rule, d))[i]);
  }
  write_figure_data(figure, columns, rows);
}

}  // namespace chapter_training
}  // namespace sqrtdk::properties
