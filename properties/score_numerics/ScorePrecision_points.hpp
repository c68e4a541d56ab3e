// The points of \ref ScorePrecision, and its findings by region.
#pragma once

#include <sqrtdk/numbers/larger_or_nan.hpp>
#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "properties/score_distribution/reference.hpp"
#include "properties/score_numerics/fixture.hpp"

namespace sqrtdk::properties::ScorePrecision {

using namespace sqrtdk::testing;
using namespace sqrtdk::reference;

/// A dimension, log-uniform from 1/2 to 10⁹; rounded in two cases of five.
inline double drawn_dimension(Stream& stream) {
  const double d = std::min(0.5 * std::pow(2e9, uniform(stream)), 1e9);
  return uniform(stream) < 0.4 ? std::max(1.0, std::round(d)) : d;
}

/// Half within four deviations, log-uniform; for the others √(−ln P) is about uniform up to √690.
inline double drawn_score(double d, Stream& stream) {
  const double u = uniform(stream);
  if (uniform(stream) < 0.5) return std::sqrt(d) * std::exp2(-20 + 22 * u);
  const double exponent = 690 * u * u;
  return std::sqrt(2 * d * exponent + exponent * exponent);
}

/// Points of the active seed, the same for all tests; no tail is below 10⁻³⁰⁰.
inline const std::vector<Point>& points() {
  static std::map<std::uint64_t, std::vector<Point>> known;
  std::vector<Point>& list = known[active_seed()];
  if (list.empty()) {
    Stream stream = stream_of(active_seed(), "ScorePrecision.points");
    while (list.size() < 480) {
      const double d = drawn_dimension(stream);
      const Point point = point_at(d, drawn_score(d, stream));
      if (point.tail >= Wide(1e-300)) list.push_back(point);
    }
  }
  evidence().next_stream();
  return list;
}

/// Points at x = 50 d, where density and tail underflow as soon as d is 15.
inline const std::vector<Point>& far_points() {
  static std::map<std::uint64_t, std::vector<Point>> known;
  std::vector<Point>& list = known[active_seed()];
  if (list.empty()) {
    Stream stream = stream_of(active_seed(), "ScorePrecision.far points");
    while (list.size() < 60) {
      const double d = drawn_dimension(stream);
      list.push_back(point_at(d, 50 * d));
    }
  }
  evidence().next_stream();
  return list;
}

/// Worst and root mean square errors by region, for the page's table.
class Regions {
 public:
  void add(const Point& point, double error) {
    const int dimension = point.d < 2 ? 0 : point.d < 100 ? 1 : point.d < 1e6 ? 2 : 3;
    const int tail = point.tail > 0.1 ? 0 : point.tail > Wide(1e-20) ? 1 : 2;
    Summary& summary = regions_["d" + std::to_string(dimension) + "_t" + std::to_string(tail)];
    summary.worst = sqrtdk::detail::larger_or_nan(summary.worst, error);
    summary.squares += error * error;
    ++summary.count;
  }

  void record_all(bool with_counts = false) const {
    record_value("varies_with", "the processor, which computes logarithms of long doubles");
    for (const auto& [name, summary] : regions_) {
      const double root_mean_square =
          std::sqrt(summary.squares / static_cast<double>(summary.count));
      record_value(name, format_significant(summary.worst, 2) + " (" +
                             format_significant(root_mean_square, 2) + ")");
      if (with_counts) record_value(name + "_points", std::to_string(summary.count));
    }
  }

 private:
  struct Summary {
    double worst = 0;
    double squares = 0;
    int count = 0;
  };
  std::map<std::string, Summary> regions_;
};

/// The places where `score_accuracy climb` found the largest errors, function by function.
struct Find {
  const char* what;
  double d, x;
};
inline const Find worst_finds[] = {
    {"tail", 0x1.d00010c62ff67p+5, 0x1.ee8424ad0a1fdp-6},
    {"tail", 0x1.102d1b509c99ap+5, 0x1.014b077a3e444p-12},
    {"tail", 0x1.e27f6ada83598p+5, 0x1.14dd8fbb61ec5p-6},
    {"tail", 0x1.d75383066fffdp+5, 0x1.9ec2f59b0b4f5p-1},
    {"tail", 53.557498224152859,
     1.916987036990176e-07},  // 1.9 before the centre's series was used here
    {"cdf", 0x1.98p+5, 0x1.2b645535f2f78p-12},
    {"cdf", 0x1.a99e2824dd87ep+5, 0x1.d1e1cd5af0f33p-1},
    {"cdf", 50.77453810617564, 8.71954515565381e-06},         // 2.1 before
    {"log_cdf", 54.069276868344204, 1.5733213790688802e-07},  // 2.5 before
    {"log_cdf", 0x1.60fb64733de18p+5, 0x1.661cc6fc211dep-1},
    {"density", 0x1.b0a28p+18, 0x1.798be3c0f130bp+14},
    {"hazard", 0x1.e344c5bfcf40fp+5, 0x1.3eb2c2c0ee57p-11},
    {"hazard", 0x1.10cd7ba45a0bep+0, 0x1.07a6409e31d6p+4},
    {"hazard", 0x1.98p+5, 0x1.d02021fc9bcfap-1},
    {"central", 0x1.8985e14cb765ep+5, 0x1.3bea0784b45ddp+0},
    {"log_tail", 0x1.41435befb6e36p+3, 0x1.11e03cfdef5bp+8},
    {"log_density", 0x1.e76e0a340c6d2p+12, 0x1.e0473e7d5ef4bp+9},
    {"quantile", 0x1p+0, 0x1.4f073bf9ad031p-1},
    {"quantile", 0x1.109182e45a455p+4, 0x1.2795244c0f6b7p+2},
};

}  // namespace sqrtdk::properties::ScorePrecision
