// Code shared by the claims of chapter \ref odds.
#pragma once

#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_odds.hpp>
#include <sqrtdk/testing/generators/emulated_kernel.hpp>
#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>

#include <Eigen/Core>
#include <boost/random/normal_distribution.hpp>

namespace sqrtdk::properties {
inline namespace chapter_odds {

using namespace sqrtdk::testing;

using Eigen::Index;
using Extended = long double;

inline const Accumulator in_turn = Accumulator::in_lanes(1);

/// The functions that this chapter's checks call, one of which a mutant replaces.
struct Subject {
  ColumnOf<Rational> (*rounded_sums)(const ColumnOf<Rational>&, const Accumulator&,
                                     std::size_t) = sqrtdk::rounded_sums;
  std::vector<std::size_t> (*cells)(const Eigen::VectorXd&, double) = cells_of;
  double (*squares)(const std::vector<std::size_t>&, const Eigen::VectorXd&) = squares_by_cell;
  std::string (*why_none)(const SoftmaxArithmetic&, const Odds&) = why_no_odds;
  /// A mutant's changes to the arguments of a sum, and to its bound; to those of attention.
  std::function<void(Eigen::VectorXd&, Accumulator&, Odds&)> of_sum = {};
  std::function<double(double)> of_bound = {};
  std::function<void(AttentionCase<double>&, SoftmaxArithmetic&, Odds&)> of_attention = {};

  double dot_product(Eigen::VectorXd p, double u, Odds odds = {},
                     Accumulator order = in_turn) const {
    if (of_sum) of_sum(p, order, odds);
    const double bound = dot_product_odds(p, order, u, odds);
    return of_bound ? of_bound(bound) : bound;
  }
  OddsBound attention(AttentionCase<double> x, SoftmaxArithmetic a, Odds odds = {}) const {
    if (of_attention) of_attention(x, a, odds);
    return attention_odds_bound<Extended>(x.queries, x.keys, x.values, x.options, a, odds);
  }
  double output(const AttentionCase<double>& x, const SoftmaxArithmetic& a, double z) const {
    return attention(x, a, {z}).bound(0);
  }
};

/// Mutants that add other terms or in another way, or whose bound of a sum is another.
inline Subject adding(std::function<void(Eigen::VectorXd&, Accumulator&, Odds&)> change) {
  return {.of_sum = std::move(change)};
}
inline Subject bounding(double (*of_bound)(double)) { return {.of_bound = of_bound}; }

inline Eigen::MatrixXd normal_entries(Index rows, Index columns, const std::string& name) {
  Stream stream = stream_of(1, "odds " + name);
  boost::random::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(stream); });
}

/// The part of all choices of signs whose error is beyond a bound.
/// \param count the number of signs.
/// \param bound at least 0.
/// \param error a callable `double(unsigned bits)`.
template <class Error>
double part_beyond(Index count, double bound, const Error& error) {
  std::size_t beyond = 0;
  for (unsigned bits = 0; bits < 1U << static_cast<unsigned>(count); ++bits)
    beyond += std::abs(error(bits)) > bound;
  return static_cast<double>(beyond) / std::ldexp(1.0, static_cast<int>(count));
}

}  // namespace chapter_odds
}  // namespace sqrtdk::properties
