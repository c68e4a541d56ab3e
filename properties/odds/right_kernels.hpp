// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Kernels that are right, and inputs of which some are bad for bounds with odds.
#pragma once

#include <sqrtdk/accumulator.hpp>
#include <sqrtdk/testing/generators/emulated_kernel.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <Eigen/Core>
#include <boost/random/normal_distribution.hpp>

#include <cmath>
#include <cstdint>

namespace sqrtdk::properties {

inline namespace chapter_odds {

using namespace sqrtdk::testing;

/// A whole number from one to another.
inline int between(int from, int to, Stream& stream) {
  return from + static_cast<int>(stream() % static_cast<std::uint64_t>(to - from + 1));
}

/// A kernel in an order that its arithmetic leaves open.
inline EmulatedKernel in_some_order(EmulatedKernel kernel, Stream& stream) {
  for (Accumulator* sum : {&kernel.arithmetic.scores, &kernel.arithmetic.outputs}) {
    const Accumulator lanes = Accumulator::in_lanes(std::size_t{1} << between(1, 6, stream));
    if (sum->known_order || lanes.lanes == 2) continue;
    sum->lanes = lanes.lanes, sum->halvings = lanes.halvings, sum->known_order = true;
  }
  return kernel;
}

/// Keys and values that agree, nearly agree, are few, or hide from sums.
inline void make_bad(AttentionCase<double>& x, Stream& stream) {
  const Eigen::Index m = x.keys.rows(), d = x.keys.cols();
  const double tiny = std::ldexp(1.0, -between(0, 24, stream));
  const auto repeat = [&](Eigen::Index kinds, double differ) {
    for (Eigen::Index j = kinds; j < m; ++j)
      x.keys.row(j) = x.keys.row(j % kinds) + differ * x.keys.row(j);
  };
  switch (between(0, 9, stream)) {
    case 0:
      repeat(1, 0);
      break;
    case 1:
      repeat(1, tiny);
      break;
    case 2:
      repeat(2, between(0, 1, stream) * tiny);
      break;
    case 3:
      x.keys = x.keys.array().round(), x.queries = x.queries.array().round() / 3;
      break;
    case 4:
      x.keys *= tiny;
      x.keys.row(0) = x.queries * (15 + between(0, 4, stream)) * std::sqrt(static_cast<double>(d)) /
                      x.queries.squaredNorm();
      break;
    case 5:
      x.queries *= 1 / std::sqrt(tiny);
      break;
    case 6:
      x.keys = x.keys.cwiseAbs(), x.queries = x.queries.cwiseAbs();
      break;
    case 7:
      x.keys = (tiny * x.keys).rowwise() + 8 * x.keys.row(0).eval();
      break;
    case 8:
      x.keys.leftCols(d - 1).rowwise() = x.keys.row(0).head(d - 1).eval();
      break;
    default:
      x.queries.setZero();
      break;
  }
  switch (between(0, 3, stream)) {
    case 0:
      x.values.setConstant(x.values(0));
      break;
    case 1:
      x.values = x.values.cwiseAbs();
      break;
    case 2:
      for (Eigen::Index j = 0; j < m; ++j) x.values(j) = j % 2 ? -1 : 1;
      break;
    default:
      break;
  }
}

/// One query and some keys, mostly few, of numbers of a format.
inline AttentionCase<double> any_case(bool bad, const EmulatedFormat& format, Stream& stream) {
  boost::random::normal_distribution<double> normal;
  const auto entries = [&](int rows, int columns) {
    return Matrix<double>::NullaryExpr(rows, columns, [&] { return normal(stream); }).eval();
  };
  const int m = between(0, 9, stream) ? between(1, 40, stream) : between(41, 400, stream);
  const int d = between(0, 9, stream) ? between(1, 16, stream) : between(17, 128, stream);
  AttentionCase<double> x{entries(1, d), entries(m, d), entries(m, 1), {}, {}};
  if (bad) make_bad(x, stream);
  for (Matrix<double>* numbers : {&x.queries, &x.keys, &x.values})
    *numbers = numbers->unaryExpr([&](double entry) { return format(entry); }).eval();
  return x;
}

/// A case whose numbers single precision has.
inline AttentionCase<float> in_single(const AttentionCase<double>& x) {
  return {x.queries.cast<float>(), x.keys.cast<float>(), x.values.cast<float>(), {}, {}};
}

}  // namespace chapter_odds

}  // namespace sqrtdk::properties
