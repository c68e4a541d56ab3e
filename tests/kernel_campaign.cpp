// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Holds emulated kernels of every profile to their bounds: so many normal cases, and as many that an adversary chooses.
///
/// Usage: kernel_campaign. The environment variable SQRTDK_CALIBRATION_RUNS says how many, 200 if it is not set. Exit status 1
/// if a right kernel is beyond a bound: a false alarm.
#include <sqrtdk/kernel_profiles.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/testing/generators/emulated_kernel.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <boost/random/normal_distribution.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

/// A kernel, the format of its inputs, and what became of its cases.
struct Campaign {
  const KernelProfile& profile;
  EmulatedFormat input;
  EmulatedKernel kernel;
  std::size_t cases = 0, alarms = 0;
  double worst = 0;

  bool is_softmax() const { return profile.computes.find("attention") == profile.computes.npos; }

  Outcome operator()(Matrix<float> q, Matrix<float> k, Matrix<float> v) {
    for (Matrix<float>* x : {&q, &k, &v})
      *x = x->unaryExpr([&](float e) {
              return static_cast<float>(input(static_cast<double>(e)));
            }).eval();
    const std::vector<float> scores(k.col(0).begin(), k.col(0).end());
    const Outcome outcome = is_softmax()
                                ? accuracy_law<float>(kernel, scores, 1, kernel.arithmetic)
                                : output_law<float>(kernel, {q, k, v, {}, {}}, kernel.arithmetic);
    if (outcome.vacuous) return outcome;
    ++cases;
    worst = std::max(worst, ratio_of(outcome));
    if (!outcome.holds() && ++alarms < 4)
      std::printf("false alarm: %.*s: %s\n", static_cast<int>(profile.name.size()),
                  profile.name.data(), outcome.where.c_str());
    return outcome;
  }

  void normal(std::size_t count) {
    Stream stream = stream_of(1, profile.name);
    boost::random::normal_distribution<double> normal;
    for (std::size_t i = 0; i < count; ++i) {
      const auto size = [&](double most) {
        return 1 + static_cast<Eigen::Index>(most * uniform(stream));
      };
      const auto matrix = [&](Eigen::Index rows, Eigen::Index columns) {
        return Matrix<float>::NullaryExpr(rows, columns,
                                          [&] { return static_cast<float>(normal(stream)); })
            .eval();
      };
      const Eigen::Index d = size(24), m = size(i % 100 == 0 ? 160 : 40);
      const Matrix<float> q = matrix(1, d), k = matrix(m, d), v = matrix(m, 2);
      (*this)(q, k, v);
    }
  }

  void adversarial(std::size_t count) {
    for (const float most : {3.F, 40.F}) {
      const InputSpace<float> space{
          .axes = {{'n', 1, 1}, {'m', 1, 40}, {'d', 1, 6}, {'v', 1, 2}},
          .arrays = {{"Q", "nd", -most, most}, {"K", "md", -most, most}, {"V", "mv", -16, 16}}};
      worst_case(space, {.seed = 1, .evaluations = (count + 1) / 2}, [&](const Arrays<float>& x) {
        return (*this)(x.matrix("Q"), x.matrix("K"), x.matrix("V"));
      });
    }
  }
};

}  // namespace

int main() {
  const char* asked = std::getenv("SQRTDK_CALIBRATION_RUNS");
  std::size_t runs = 200, alarms = 0;
  if (asked != nullptr && !read_number(asked, runs)) {
    std::fprintf(stderr, "SQRTDK_CALIBRATION_RUNS is '%s', but must be an integer, at least 0\n",
                 asked);
    return 2;
  }
  std::printf("%-26s %10s %8s %12s %8s %13s\n", "profile", "normal", "worst", "adversarial",
              "worst", "false alarms");
  for (const KernelProfile& profile : kernel_profiles()) {
    const auto kernels = emulated_kernels(profile);
    std::size_t alarms_of_profile = 0, cases[2] = {0, 0};
    double worst[2] = {0, 0};
    for (const auto& [input, kernel] : kernels)
      for (const int adverse : {0, 1}) {
        Campaign campaign{profile, {input}, kernel};
        const std::size_t count = (runs + kernels.size() - 1) / kernels.size();
        adverse == 1 ? campaign.adversarial(count) : campaign.normal(count);
        alarms_of_profile += campaign.alarms;
        cases[adverse] += campaign.cases;
        worst[adverse] = std::max(worst[adverse], campaign.worst);
      }
    std::printf("%-26.*s %10zu %8.3f %12zu %8.3f %13zu\n", static_cast<int>(profile.name.size()),
                profile.name.data(), cases[0], worst[0], cases[1], worst[1], alarms_of_profile);
    std::fflush(stdout);
    alarms += alarms_of_profile;
  }
  return alarms == 0 ? 0 : 1;
}
