// The worst error of attention in single precision, beside its bound, against d.
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "docs/figures/figure.hpp"

#include <Eigen/Core>
#include <boost/random/normal_distribution.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

const sqrtdk::figures::Figure attention_error_bound_figure("attention_error_bound", [] {
  constexpr Eigen::Index queries = 64, keys = 64, width = 8;
  std::vector<std::vector<double>> rows;
  for (Eigen::Index d = 4; d <= 1024; d *= 2) {
    Stream stream = stream_of(1, "figure attention_error_bound", static_cast<std::uint64_t>(d));
    boost::random::normal_distribution<float> entry;
    const auto normal = [&](Eigen::Index n, Eigen::Index m) {
      return Eigen::MatrixXf::NullaryExpr(n, m, [&] { return entry(stream); }).eval();
    };
    const Eigen::MatrixXf q = normal(queries, d), k = normal(keys, d), v = normal(keys, width);
    rows.push_back({static_cast<double>(d)});
    for (const bool scaled : {false, true}) {
      AttentionOptions<float> options;
      AttentionOptions<double> wide;
      if (!scaled) options.scale = 1.0F, wide.scale = 1.0;
      const Eigen::MatrixXf computed = scaled_dot_product_attention(q, k, v, options).output;
      const Eigen::MatrixXd exact =
          scaled_dot_product_attention(q.cast<double>().eval(), k.cast<double>().eval(),
                                       v.cast<double>().eval(), wide)
              .output;
      const AttentionErrorBound bound = attention_error_bound<double>(q, k, v, options);
      rows.back().push_back((computed.cast<double>() - exact).cwiseAbs().maxCoeff());
      rows.back().push_back(bound.output.maxCoeff());
    }
  }
  write_figure_data("attention_error_bound",
                    {"d", "raw", "bound_of_raw", "divided", "bound_of_divided"}, rows);
});
