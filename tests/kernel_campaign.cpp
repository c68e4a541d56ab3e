// Holds emulated kernels of every profile to their bounds, in normal cases, in as many that an
// adversary chooses, and in as many at the edges: one or two keys, entries of any size.
//
// Usage: kernel_campaign. SQRTDK_CALIBRATION_RUNS in the environment says how many of each, or 200.
// Exit status 1 for a false alarm: a right kernel beyond a bound.
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/kernel_profiles.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/generators/emulated_kernel.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <boost/random/normal_distribution.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

struct Tally {
  std::size_t cases = 0, alarms = 0;
  double worst = 0;
};

using Wide = Matrix<long double>;

/// Queries, keys and values of one or two keys, of sizes from the least of a format to its largest.
struct EdgeCase {
  Matrix<float> q, k, v;

  EdgeCase(const FormatLimits& format, Stream& stream) {
    const auto chance = [&](double part) { return uniform(stream) < part; };
    const auto between = [&](double low, double high) {
      return low * std::pow(high / low, uniform(stream));
    };
    const auto matrix = [&](Eigen::Index rows, Eigen::Index columns, double size) -> Matrix<float> {
      const bool mixed = chance(0.5);
      return Matrix<float>::NullaryExpr(rows, columns, [&](auto, auto) {
        return static_cast<float>((mixed && chance(0.5) ? -size : size) * (1 + uniform(stream)) /
                                  2);
      });
    };
    const Eigen::Index d = chance(0.5) ? 1 : static_cast<Eigen::Index>(between(1, 128));
    const double of_query = between(format.smallest, format.largest);
    // Half of the scores have a size at which something can be promised.
    const double of_key = chance(0.5) ? between(format.smallest, format.largest)
                                      : std::clamp(between(0x1p-30, 0x1p40) / of_query,
                                                   format.smallest, format.largest);
    q = matrix(1, d, of_query);
    k = matrix(chance(0.5) ? 1 : 2, d, of_key);
    if (k.rows() == 2 && chance(0.7))
      k.row(1) = k.row(0) * (1 - static_cast<float>(between(0x1p-24, 0.5)));
    v = matrix(k.rows(), 2, between(format.smallest, format.largest));
  }
};

/// One case of a kernel whose inputs are rounded to a format, beside a long double.
Outcome held(const EmulatedKernel& kernel, const EmulatedFormat& input, bool is_attention,
             Matrix<float> q, Matrix<float> k, Matrix<float> v, Tally& tally) {
  for (Matrix<float>* x : {&q, &k, &v})
    for (float& entry : x->reshaped()) entry = static_cast<float>(input(entry));
  Nearest nearest;
  const auto compare = [&](float computed, long double exact, double bound) {
    if (std::isinf(bound)) nearest.vacuous();
    nearest.compare(static_cast<double>(std::abs(computed - exact)), bound,
                    [&] { return std::to_string(computed) + " for " + std::to_string(exact); });
  };
  Wide exact = q.cast<long double>() * k.cast<long double>().transpose() /
               std::sqrt(static_cast<long double>(q.cols()));
  if (!is_attention) exact = k.col(0).cast<long double>().transpose();
  exact = (exact.array() - exact.maxCoeff()).exp();
  exact /= exact.sum();
  if (is_attention) {
    const Matrix<float> computed = kernel({q, k, v, {}, {}});
    const auto bound = attention_error_bound<long double>(q, k, v, {}, kernel.arithmetic);
    exact *= v.cast<long double>();
    for (Eigen::Index h = 0; h < exact.size(); ++h) compare(computed(h), exact(h), bound.output(h));
  } else {
    const auto computed = kernel(std::vector<float>(k.col(0).begin(), k.col(0).end()), 1);
    const auto bound = softmax_error_bound(k.col(0), 1, kernel.arithmetic);
    for (Eigen::Index j = 0; j < exact.size(); ++j)
      compare(computed[static_cast<std::size_t>(j)], exact(j),
              bound.relative(j) * static_cast<double>(exact(j)) + bound.absolute);
  }
  if (nearest.outcome().vacuous) return nearest.outcome();
  ++tally.cases;
  tally.worst = std::max(tally.worst, ratio_of(nearest.outcome()));
  if (!nearest.outcome().holds() && ++tally.alarms < 4)
    std::cout << "false alarm: " << nearest.outcome() << "\n";
  return nearest.outcome();
}

}  // namespace

int main() {
  const char* asked = std::getenv("SQRTDK_CALIBRATION_RUNS");
  std::size_t runs = 200, alarms = 0;
  if (asked != nullptr && !read_number(asked, runs)) {
    std::cerr << "SQRTDK_CALIBRATION_RUNS is '" << asked
              << "', but must be an integer, at least 0\n";
    return 2;
  }
  std::cout
      << "profile: normal cases, worst error/bound; adversarial cases, worst; cases at the edges, "
         "worst; false alarms\n";
  for (const KernelProfile& profile : kernel_profiles()) {
    const bool is_attention = profile.computes.find("softmax") != 0 || profile.name == "xla-cpu";
    const auto kernels = emulated_kernels(profile);
    Tally normal, adversarial, edges;
    for (const auto& [input, kernel] : kernels) {
      Stream stream = stream_of(1, profile.name);
      boost::random::normal_distribution<double> number;
      for (std::size_t i = 0; i < runs / kernels.size() + 1; ++i) {
        const auto matrix = [&](Eigen::Index rows, Eigen::Index columns) -> Matrix<float> {
          return Matrix<float>::NullaryExpr(rows, columns,
                                            [&](auto, auto) { return number(stream); });
        };
        const auto d = static_cast<Eigen::Index>(1 + 24 * uniform(stream));
        const auto m = static_cast<Eigen::Index>(1 + (i % 100 == 0 ? 160 : 40) * uniform(stream));
        const Matrix<float> q = matrix(1, d), k = matrix(m, d);
        held(kernel, {input}, is_attention, q, k, matrix(m, 2), normal);
      }
      const std::size_t wanted = edges.cases + runs / kernels.size() + 1;
      for (std::size_t i = 0; edges.cases < wanted && i < 50 * runs; ++i) {
        const EdgeCase at(input, stream);
        held(kernel, {input}, is_attention, at.q, at.k, at.v, edges);
      }
      for (const float most : {3.F, 40.F}) {
        const InputSpace<float> space{
            .axes = {{'n', 1, 1}, {'m', 1, 40}, {'d', 1, 6}, {'v', 1, 2}},
            .arrays = {{"Q", "nd", -most, most}, {"K", "md", -most, most}, {"V", "mv", -16, 16}}};
        worst_case(space, {.seed = 1, .evaluations = runs / kernels.size() / 2 + 1},
                   [&, &rounded = input, &by = kernel](const Arrays<float>& x) {
                     return held(by, {rounded}, is_attention, x.matrix("Q"), x.matrix("K"),
                                 x.matrix("V"), adversarial);
                   });
      }
    }
    std::cout << profile.name << ": " << normal.cases << ", " << format_fixed(normal.worst, 3)
              << "; " << adversarial.cases << ", " << format_fixed(adversarial.worst, 3) << "; "
              << edges.cases << ", " << format_fixed(edges.worst, 3) << "; "
              << normal.alarms + adversarial.alarms + edges.alarms << std::endl;
    alarms += normal.alarms + adversarial.alarms + edges.alarms;
  }
  return alarms == 0 ? 0 : 1;
}
