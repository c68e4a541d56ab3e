#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/confidence_interval.hpp>
#include <sqrtdk/testing/statistics/intervals.hpp>
#include <sqrtdk/testing/statistics/sample_size.hpp>

#include "properties/softmax_jacobian/fixture.hpp"

namespace sqrtdk::properties::WhereNormsCross {

/// Intervals for the mean of a norm at d = 64 by softmax's own input, without scaling and with it.
struct MeanNorms {
  ConfidenceInterval unscaled, scaled;
};

/// One experiment for each number of keys, whose seed is fixed; computed once for each norm.
MeanNorms mean_norms(Index n, double (*norm)(const Vector<double>&)) {
  static std::map<Index, DrawnWeights> drawn;
  static std::vector<std::tuple<Index, double (*)(const Vector<double>&), MeanNorms>> known;
  for (const auto& [count, function, means] : known)
    if (count == n && function == norm) return means;
  DrawnWeights& weights = drawn[n];
  if (weights.scaled.size() == 0) {
    Stream stream = stream_of(default_master_seed, "WhereNormsCross.TheMeanNormsCross",
                              static_cast<std::uint64_t>(n));
    weights = draw_weights(n, n <= 64 ? 12000 : 3000, stream);
  }
  const auto interval = [&](const Eigen::MatrixXd& columns) {
    std::vector<double> sample;
    for (Index i = 0; i < columns.cols(); ++i) sample.push_back(norm(columns.col(i)));
    return mean_interval(sample, 0x1p-30);
  };
  const MeanNorms means{interval(weights.unscaled), interval(weights.scaled)};
  known.emplace_back(n, norm, means);
  return means;
}

//! [WhereNormsCross]
STATEMENT(WhereNormsCross, TheMeanNormsCross) {
  // One fixed seed: what it shows is about that seed, and nothing here fails by chance.
  evidence().rests_on(EvidenceLevel::empirical);
  const auto look = [&](const std::string& which, double (*norm)(const Vector<double>&), Index n) {
    const MeanNorms means = mean_norms(n, norm);
    const auto record_interval = [&](const std::string& scaling, const ConfidenceInterval& x) {
      const std::string name = which + scaling + "_for_" + std::to_string(n);
      record_value(name, format_fixed(x.estimate, 2));
      record_value(name + "_low", rounded_down(x.lower, 3));
      record_value(name + "_high", rounded_up(x.upper, 3));
    };
    record_interval("_unscaled", means.unscaled);
    record_interval("_scaled", means.scaled);
    return means.unscaled.upper < means.scaled.lower   ? -1
           : means.unscaled.lower > means.scaled.upper ? 1
                                                       : 0;
  };
  for (const auto& [n, expected] :
       {std::pair<Index, int>{5, -1}, {16, -1}, {32, -1}, {64, 1}, {512, 1}})
    EXPECT_EQ(look("frobenius", subject.frobenius_norm_in_double, n), expected)
        << n << " keys, Frobenius norm";
  for (const auto& [n, expected] :
       {std::pair<Index, int>{5, -1}, {16, -1}, {32, 1}, {64, 1}, {512, 1}})
    EXPECT_EQ(look("spectral", subject.spectral_norm_in_double, n), expected)
        << n << " keys, spectral norm";
  enumerated(10);
}
//! [WhereNormsCross]
KILLS("the largest diagonal entry is the spectral norm, in double",
      {.spectral_norm_in_double = [](auto& p) { return p.maxCoeff() * (1 - p.maxCoeff()); }});
KILLS("the Frobenius norm of the diagonal", {.frobenius_norm_in_double = [](auto& p) {
        return (p.array() * (1 - p.array())).matrix().norm();
      }});
KILLS("the trace in the place of the Frobenius norm",
      {.frobenius_norm_in_double = [](auto& p) { return 1 - p.squaredNorm(); }});

//! [WhereNormsCross: samples]
ASIDE(WhereNormsCross, DrawnTracesHaveTheMeanOfTheIntegral) {
  for (const auto& [n, effect] : {std::pair{5, 0.05}, {512, 0.2}}) {
    const CountCheck check(subject.mean_trace(static_cast<std::size_t>(n), 8));
    // A uniform number is below the trace with probability E tr J. Draws depend on the seed alone.
    static std::map<std::pair<int, std::uint64_t>, std::pair<DrawnWeights, std::vector<double>>>
        known;
    auto& [weights, uniforms] = known[{n, active_seed()}];
    Stream stream = next_stream();
    if (uniforms.empty()) {
      const std::size_t size = sample_size(CountCheck(0.5), {0x1p-30, 0x1p-30}, effect);
      weights = draw_weights(n, size, stream);
      uniforms = draws(
          size, [](Stream& s) { return uniform(s); }, stream);
    }
    Count below{0, uniforms.size()};
    for (Index i = 0; i < weights.unscaled.cols(); ++i)
      below.successes +=
          uniforms[static_cast<std::size_t>(i)] < subject.trace_in_double(weights.unscaled.col(i))
              ? 1
              : 0;
    expect_sample(check, below);
  }
}
//! [WhereNormsCross: samples]
KILLS("the trace is squared, in double",
      {.trace_in_double = [](auto& p) { return jacobian_trace(p) * jacobian_trace(p); }});

}  // namespace sqrtdk::properties::WhereNormsCross
