// Mean accuracy over learning rates, in three head dimensions, for the four ways to train of
// RatesTransfer.
#include <sqrtdk/learning/rates.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/training/learning_curve.hpp>

#include "docs/figures/figure.hpp"
#include "properties/support/compiled_layer.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

using namespace sqrtdk;

const sqrtdk::figures::Figure learning_rates_figure("learning_rates", [] {
  constexpr std::uint64_t seed = 1, runs = 4;
  const TransferPlan plan = transfer_plan(seed);
  std::vector<std::vector<double>> rows;
  for (const TransferArm& arm : plan.arms) {
    if (!rows.empty()) rows.emplace_back();
    const int first = arm.optimizer == Optimizer::adam ? -10 : -3;
    for (int exponent = first; exponent < first + 11; ++exponent) {
      rows.push_back({std::exp2(exponent)});
      for (const Eigen::Index d : {16, 64, 256}) {
        double sum = 0;
        for (std::uint64_t run = 0; run < runs; ++run)
          sum += mean_accuracy(train_arm(plan.training, arm, d, std::exp2(exponent), seed + run));
        rows.back().push_back(sum / runs);
      }
    }
  }
  sqrtdk::testing::write_figure_data("learning_rates", {"rate", "at_16", "at_64", "at_256"}, rows);
});
