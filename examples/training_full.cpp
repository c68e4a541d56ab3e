// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref training : the experiment as a command, at full size or at the size of the
/// properties, with its data written for figures.
#include <sqrtdk/testing/statistics/sample_quantile.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>
#include <sqrtdk/training.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

/// Writes a file under a temporary name and renames it, so that nobody finds half of it.
void write_whole(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path part = path.string() + ".part";
  std::ofstream file(part, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + part.string());
  std::filesystem::rename(part, path);
}

/// A number of every curve at one evaluation.
std::vector<double> at(const TrainingCell& cell, std::size_t i, double Evaluation::*what) {
  std::vector<double> values;
  for (const LearningCurve& curve : cell.curves) values.push_back(curve[i].*what);
  return values;
}

/// Cells by their labels, in the order of the files: for each d the five rules, then `"borrowed"`,
/// the unscaled rule with the rate of root.
std::vector<std::pair<std::string, const TrainingCell*>> in_order(const TrainingRun& run) {
  std::vector<std::pair<std::string, const TrainingCell*>> cells;
  for (const Eigen::Index d : run.plan.dimensions) {
    for (const ScoreRule rule : score_rules) cells.emplace_back(name(rule), &run.cell(rule, d));
    cells.emplace_back("borrowed", &run.borrowed_cell(d));
  }
  return cells;
}

/// Median and quartiles over seeds; blocks are separated by two blank lines, so that gnuplot finds
/// them by `index`.
std::string curves_csv(const TrainingRun& run) {
  static const std::vector<std::pair<const char*, double Evaluation::*>> columns = {
      {"accuracy", &Evaluation::accuracy},
      {"loss", &Evaluation::loss},
      {"peak", &Evaluation::peak},
      {"aim", &Evaluation::target_weight},
      {"attention_gradient", &Evaluation::attention_gradient},
      {"other_gradient", &Evaluation::other_gradient}};
  std::ostringstream csv;
  csv << "rule,d,step";
  for (const auto& [what, member] : columns)
    for (const char* quantile : {"lower_quartile", "median", "upper_quartile"})
      csv << ',' << what << '_' << quantile;
  csv << '\n';
  const char* separator = "";
  for (const auto& [label, cell] : in_order(run)) {
    csv << separator;
    separator = "\n\n";
    for (std::size_t i = 0; i < cell->curves.front().size(); ++i) {
      csv << label << ',' << cell->d << ',' << cell->curves.front()[i].step;
      for (const auto& [what, member] : columns)
        for (const double q : {0.25, 0.5, 0.75})
          csv << ',' << sample_quantile(at(*cell, i, member), q);
      csv << '\n';
    }
  }
  return csv.str();
}

/// One line for each run.
std::string runs_csv(const TrainingRun& run) {
  std::ostringstream csv;
  csv << "rule,d,seed,rate,steps_to_learn,mean_accuracy,last_accuracy,last_aim,"
         "first_attention_gradient\n";
  for (const auto& [label, cell] : in_order(run))
    for (std::size_t s = 0; s < cell->curves.size(); ++s) {
      const LearningCurve& curve = cell->curves[s];
      csv << label << ',' << cell->d << ',' << run.plan.seed(s) << ','
          << std::exp2(cell->rate_exponents[s]) << ',' << steps_to_learn(curve) << ','
          << mean_accuracy(curve) << ',' << curve.back().accuracy << ','
          << curve.back().target_weight << ',' << curve.front().attention_gradient << '\n';
    }
  return csv.str();
}

/// One line for each rate that was tried; blocks as in curves_csv(), without the borrowed rate.
std::string sweep_csv(const TrainingRun& run) {
  std::ostringstream csv;
  csv << "rule,d,rate,mean_accuracy\n";
  const char* separator = "";
  for (const auto& [label, cell] : in_order(run)) {
    const std::vector<double> means = sweep(*cell);
    if (means.empty()) continue;
    csv << separator;
    separator = "\n\n";
    for (std::size_t i = 0; i < means.size(); ++i)
      csv << label << ',' << cell->d << ',' << std::exp2(run.plan.rate_exponents.at(cell->rule)[i])
          << ',' << means[i] << '\n';
  }
  return csv.str();
}

std::string number(double x) {
  std::ostringstream text;
  text << std::setprecision(3) << x;
  return text.str();
}

/// Prints what there is to see, in words.
void print_summary(const TrainingRun& run, std::ostream& out) {
  const std::size_t n = run.plan.runs();
  out << "rule      d    rate    learned  steps to learn (95 %)  last accuracy  first gradient\n";
  for (const auto& [label, cell] : in_order(run)) {
    std::vector<double> steps;
    for (const LearningCurve& curve : cell->curves) steps.push_back(steps_to_learn(curve));
    const ConfidenceInterval median = median_interval(steps, Rational(1, 20));
    const std::size_t last = cell->curves.front().size() - 1;
    out << std::left << std::setw(10) << label << std::setw(5) << cell->d << "2^" << std::setw(6)
        << usual_rate_exponent(*cell) << std::setw(9)
        << std::to_string(runs_that(cell->curves, has_learned)) + "/" + std::to_string(n)
        << std::setw(23)
        << number(median.estimate) + " [" + number(median.lower) + ", " + number(median.upper) + "]"
        << std::setw(15) << number(sample_quantile(at(*cell, last, &Evaluation::accuracy), 0.5))
        << number(sample_quantile(at(*cell, 0, &Evaluation::attention_gradient), 0.5)) << '\n';
  }
  const Rational alpha(1, Integer(1) << decision_exponent);
  const auto ask = [&](const std::string& question, Eigen::Index d, std::size_t yes) {
    out << "d = " << std::setw(4) << d << std::setw(62) << question << std::right << std::setw(4)
        << yes << " of " << n << std::left << "  " << sign_test(yes, n, alpha) << '\n';
  };
  out << (run.plan.repetitions > 1 ? "\nSign tests" : "\nSign tests at these rates")
      << "; if both answers are equally frequent, each decides with "
         "probability at most 2^-"
      << decision_exponent << ":\n";
  for (const Eigen::Index d : run.plan.dimensions) {
    const std::vector<LearningCurve>& unscaled = run.cell(ScoreRule::unscaled, d).curves;
    const std::vector<LearningCurve>& root = run.cell(ScoreRule::root, d).curves;
    const std::vector<LearningCurve>& additive = run.cell(ScoreRule::additive, d).curves;
    const std::vector<LearningCurve>& borrowed = run.borrowed_cell(d).curves;
    ask("root learns", d, runs_that(root, has_learned));
    ask("unscaled learns", d, runs_that(unscaled, has_learned));
    ask("unscaled aims its attention", d, runs_that(unscaled, attends_to_target));
    ask("unscaled with the rate of root learns", d, runs_that(borrowed, has_learned));
    ask("unscaled starts with almost no gradient", d,
        runs_that(unscaled, root, starts_with_almost_no_gradient));
    ask("unscaled loses its gradient with less than half of its answers right", d,
        runs_that(unscaled, root, loses_its_gradient));
    ask("unscaled with the rate of root loses its gradient", d,
        runs_that(borrowed, root, loses_its_gradient));
    ask("root learns faster than unscaled", d, runs_that(root, unscaled, learns_faster));
    ask("additive and unscaled learn alike", d, runs_that(additive, unscaled, learn_alike));
    ask("additive learns faster than unscaled", d, runs_that(additive, unscaled, learns_faster));
    ask("additive learns faster than root", d, runs_that(additive, root, learns_faster));
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Trains a small attention layer on associative recall with five score rules (unscaled,\n"
      "divided by the root of d, by d, with a learned scale, additive) and several head\n"
      "dimensions d, and writes training_curves.csv, training_runs.csv and training_sweep.csv.");
  const std::map<std::string, std::function<TrainingPlan(std::uint64_t)>> plans = {
      {"quick", quick_plan}, {"full", full_plan}};
  std::string size = "full";
  std::filesystem::path folder = ".";
  std::uint64_t seed = default_training_seed;
  std::vector<Eigen::Index> dimensions;
  std::size_t seeds = 0;
  bool quiet = false;
  app.add_option("--size", size, "quick: as in the properties, half a minute; full: some minutes")
      ->check(CLI::IsMember({"quick", "full"}))
      ->capture_default_str();
  app.add_option("--out", folder, "where the files go; made if missing")->capture_default_str();
  app.add_option("--seed", seed, "seed of the first run; the others follow it")
      ->capture_default_str();
  app.add_option("--dimensions", dimensions, "head dimensions, in place of those of the size")
      ->check(CLI::PositiveNumber);
  app.add_option("--seeds", seeds, "runs of each rule, in place of those of the size")
      ->check(CLI::PositiveNumber);
  app.add_flag("--quiet", quiet, "no progress");
  CLI11_PARSE(app, argc, argv);

  try {
    TrainingPlan plan = plans.at(size)(seed);
    if (!dimensions.empty()) plan.dimensions = dimensions;
    if (seeds > 0) (plan.repetitions > 1 ? plan.repetitions : plan.seeds) = seeds;
    std::filesystem::create_directories(folder);  // before the work, in case it cannot be made
    const TrainingRun run =
        run_training(plan, [&](std::size_t done, std::size_t all, const std::string& what) {
          if (!quiet) std::cerr << '[' << done + 1 << '/' << all << "] " << what << std::endl;
        });
    write_whole(folder / "training_curves.csv", curves_csv(run));
    write_whole(folder / "training_runs.csv", runs_csv(run));
    write_whole(folder / "training_sweep.csv", sweep_csv(run));
    print_summary(run, std::cout);
  } catch (const std::exception& error) {
    std::cerr << "training_full: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
