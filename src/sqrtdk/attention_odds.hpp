// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref odds : error bounds of sums and attention with odds, for random roundings.
///
/// Bounds are computed in double precision from numbers of a wider type; bound_margin makes up for that.
/// Squares are taken of numbers over the largest of them, so that none is too large or too small.
#pragma once

#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/softmax_error/accumulator.hpp>
#include <sqrtdk/softmax_error/arithmetic.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace sqrtdk {

/// The parameters of a bound with odds.
struct Odds {
  double deviations = 8;  ///< z, greater than 1
  /// True if sums whose order is not declared are taken in one of the usual orders, or so within
  /// tiles if there are; else there are no odds. Usual are one term after the other, 4, 8, 16, 32
  /// or 64 lanes that are joined by halves or by neighbours, term i and i + n/2, and halves of
  /// neighbours, down to 1 or 8 terms, or to 128 in 8 lanes.
  bool usual_orders = true;

  /// 2e^(−z²/2): the chance, in the model, that a number exceeds its bound.
  double chance() const { return 2 * std::exp(-deviations * deviations / 2); }
};

/// For each term, the exact sum of the addition whose second summand begins with it, in a declared order;
/// 0 if there is none. An addition with a 0 is none.
/// \param terms n of them.
/// \param order lanes, which are joined by halves (lane l and l + L/2), and tiles.
/// \param block 0; or the length down to which terms are divided into a first and a second half, the first
///              of them a multiple of the lanes. Those of a block are added in lanes that are joined by
///              neighbours (lane 2l and 2l + 1), and what is left over one by one. At least twice the lanes,
///              or n, or 1 for one lane.
/// \implements{DotProductWithOdds}
template <class Real>
ColumnOf<Real> rounded_sums(const ColumnOf<Real>& terms, const Accumulator& order,
                            std::size_t block = 0);

/// The cell of each number, for cells of a width: roundings in one cell may be the same.
/// \return for each a cell, which are counted from 0.
/// \implements{WhenOddsFail}
std::vector<std::size_t> cells_of(const Eigen::VectorXd& places, double width);

/// Σ (Σ |c|)², the inner sum over the costs of one cell; there are as many cells as costs, each less than
/// that.
/// \implements{WhenOddsFail}
double squares_by_cell(const std::vector<std::size_t>& cells, const Eigen::VectorXd& costs);

/// Bounds the error of Σ pₗ with rounded products and sums: zu√V + (n − 1)wγ_k Σ|pₗ|, with the
/// squares V of the products, times 1 + (w/u)² if w > u, and (w/u)² times those of rounded_sums(),
/// by cells of 2w Σ|pₗ|/⌊z² − 1⌋.
/// \param products p, n exact products.
/// \param order    the accumulator, with w and k.
/// \param u        the unit roundoff, greater than 0.
/// \param odds     z, whose chance is that of the bound.
/// \throws std::domain_error if z is not greater than 1.
/// \implements{DotProductWithOdds}
double dot_product_odds(const Eigen::VectorXd& products, const Accumulator& order, double u,
                        const Odds& odds = {});

/// Bounds with odds, or why there are none.
struct OddsBound {
  Eigen::MatrixXd bound;  ///< +∞ where nothing is promised
  double chance = 0;      ///< that one number exceeds its bound, in the model
  std::string no_odds;    ///< the reason if nothing at all is promised; else empty
};

/// Why the model does not cover an arithmetic, in words; empty if it does.
/// \implements{WhenOddsFail}
/// \relatesalso OddsBound
std::string why_no_odds(const SoftmaxArithmetic& arithmetic, const Odds& odds = {});

/// Bounds the errors of attention's outputs, with odds; never above attention_error_bound(), whose
/// arguments these are.
/// \tparam Wide as in attention_score_errors().
/// \throws std::invalid_argument as attention_error_bound().
/// \throws std::domain_error as attention_error_bound(), and if z is not greater than 1.
/// \implements{AttentionWithOdds}
/// \relatesalso OddsBound
template <class Wide, class Queries, class Keys, class Values>
OddsBound attention_odds_bound(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Queries::Scalar>(),
    const Odds& odds = {});

// Implementation

//! [WhenOddsFail]
inline std::vector<std::size_t> cells_of(const Eigen::VectorXd& places, double width) {
  std::unordered_map<double, std::size_t> known;
  std::vector<std::size_t> cells;
  for (const double place : places) {
    const double at = width > 0 ? std::floor(place / width) : 0;
    cells.push_back(known.try_emplace(at, known.size()).first->second);
  }
  return cells;
}

inline double squares_by_cell(const std::vector<std::size_t>& cells, const Eigen::VectorXd& costs) {
  Eigen::ArrayXd sums = Eigen::ArrayXd::Zero(costs.size());
  for (Eigen::Index i = 0; i < costs.size(); ++i)
    sums[static_cast<Eigen::Index>(cells[static_cast<std::size_t>(i)])] += std::abs(costs[i]);
  return sums.square().sum();
}

inline std::string why_no_odds(const SoftmaxArithmetic& a, const Odds& odds) {
  for (const Accumulator* sum : {&a.scores, &a.sum, &a.outputs})
    if (sum->least_factor > 0) return "an accumulator truncates, so that its errors have one sign";
  if (a.by_lse) return "weights are e^(x - lse), and no sum divides them";
  const bool known = a.scores.known_order && a.outputs.known_order && a.sum.known_order;
  return known || odds.usual_orders ? "" : "the order of a sum is not known";
}
//! [WhenOddsFail]

//! [DotProductWithOdds]
template <class Real>
ColumnOf<Real> rounded_sums(const ColumnOf<Real>& terms, const Accumulator& order,
                            std::size_t block) {
  struct Part {
    std::ptrdiff_t first = -1;
    Real sum = Real(0);
  };
  ColumnOf<Real> sums = ColumnOf<Real>::Zero(terms.size());
  const auto add = [&](Part& to, const Part& part) {
    if (part.first < 0) return;
    const Part joined{to.first < 0 ? part.first : to.first, to.sum + part.sum};
    if (to.first >= 0) sums[part.first] = joined.sum;
    to = joined;
  };
  const auto add_term = [&](Part& to, std::size_t i) {
    const auto term = static_cast<std::ptrdiff_t>(i);
    if (terms[term] != Real(0)) add(to, {term, terms[term]});
  };
  const auto in_lanes = [&](std::size_t begin, std::size_t size) {
    std::vector<Part> lanes(std::max<std::size_t>(std::min(order.lanes, size), 1));
    for (std::size_t i = 0; i < size; ++i) add_term(lanes[i % lanes.size()], begin + i);
    for (std::size_t half = lanes.size(); half > 1; lanes.resize(half)) {
      half = (half + 1) / 2;
      for (std::size_t l = 0; l + half < lanes.size() && block == 0; ++l)
        add(lanes[l], lanes[l + half]);
      for (std::size_t l = 0; l < half && block > 0; ++l) {
        lanes[l] = lanes[2 * l];
        if (2 * l + 1 < lanes.size()) add(lanes[l], lanes[2 * l + 1]);
      }
    }
    return lanes[0];
  };
  const auto by_halves = [&](const auto& self, std::size_t begin, std::size_t size) -> Part {
    if (size > block) {
      const std::size_t half = size / 2 - size / 2 % order.lanes;
      Part sum = self(self, begin, half);
      add(sum, self(self, begin + half, size - half));
      return sum;
    }
    const std::size_t whole = size - size % order.lanes;
    Part sum = in_lanes(begin, whole);
    for (std::size_t i = whole; i < size; ++i) add_term(sum, begin + i);
    return sum;
  };
  const auto n = static_cast<std::size_t>(terms.size());
  const std::size_t length = order.promoted > 0 ? order.promoted : n;
  Part total;
  for (std::size_t begin = 0; begin < n; begin += length) {
    const std::size_t size = std::min(length, n - begin);
    add(total, block > 0 ? by_halves(by_halves, begin, size) : in_lanes(begin, size));
  }
  return sums;
}

namespace detail {

inline double norm_by_cell(const std::vector<std::size_t>& cells, const Eigen::VectorXd& costs) {
  if (!costs.allFinite()) return vacuous_bound;
  const double most = costs.lpNorm<Eigen::Infinity>();
  return most > 0 ? most * std::sqrt(squares_by_cell(cells, costs / most)) : 0;
}

/// The root of the squares of a sum's roundings, in the worst of its possible orders; `each` counts
/// the roundings of a term before, and `block` is one more length that neighbours are halved to.
template <class Real>
double norm_of_sum(const ColumnOf<Real>& terms, double each, const Accumulator& declared, double u,
                   const Odds& odds, std::size_t tile = 0, std::size_t block = 0) {
  const Eigen::VectorXd x = terms.template cast<double>();
  const double w = declared.step > 0 ? declared.step : u, z = odds.deviations;
  const auto cells = cells_of(x, 2 * w * x.lpNorm<1>() / std::floor(z * z - 1));
  const std::size_t count = std::max<std::size_t>(cells.size(), 1);
  double most = 0;
  const auto take = [&](const Accumulator& order, std::size_t down_to = 0) {
    const auto norm = [&](const Accumulator& by) {
      return norm_by_cell(cells, rounded_sums(terms, by, down_to).template cast<double>());
    };
    most = std::max({most, norm(order), tile > 0 ? norm(order.promoted_every(tile)) : 0});
  };
  if (declared.known_order) {
    take(declared);
  } else {
    for (const std::size_t lanes : {4U, 8U, 16U, 32U, 64U})
      for (const std::size_t down_to : {std::size_t{0}, count})
        if (lanes < count) take(Accumulator::in_lanes(lanes), down_to);
    take(Accumulator::in_lanes(count));
    for (const std::size_t down_to : {std::size_t{0}, std::size_t{1}, std::size_t{8}, block})
      take(Accumulator::in_lanes(1), down_to);
    take(Accumulator::in_lanes(8), 128);
  }
  // An accumulator of more digits is rounded once more, at the end.
  const double total = w < u ? static_cast<double>(terms.sum()) : 0;
  // One of fewer digits rounds each term as it takes it in.
  const double roundings = std::sqrt(each + (w > u ? w / u * (w / u) : 0));
  return Eigen::Vector3d(most * (w / u), total, roundings * norm_by_cell(cells, x)).stableNorm();
}

template <class Derived>
bool are_held(const Eigen::MatrixBase<Derived>& matrix, const FormatLimits& format) {
  const auto is_held = [&](const auto& entry) {
    const double x = std::abs(as_double(entry));
    if (format.roundoff == 0 || !std::isfinite(x)) return true;
    const double digit = 2 * format.roundoff * std::ldexp(1.0, std::ilogb(x));
    return x <= format.largest && std::remainder(x, std::max(format.smallest, digit)) == 0;
  };
  return matrix.unaryExpr(is_held).all();
}

}  // namespace detail

inline double dot_product_odds(const Eigen::VectorXd& products, const Accumulator& order, double u,
                               const Odds& odds) {
  detail::require_greater("the number of deviations", odds.deviations, 1);
  const auto n = static_cast<double>(products.size());
  const double gamma = detail::rounding_bound(order.roundings(n, u), u);
  // In a unit of their size, parts of them are normal numbers.
  if (!products.allFinite()) return vacuous_bound;
  const double unit = products.size() > 0 ? products.lpNorm<Eigen::Infinity>() : 0;
  if (unit == 0) return 0;
  const Eigen::VectorXd p = products / unit;
  return detail::with_margin(
      unit * (odds.deviations * u * detail::norm_of_sum<double>(p, 1, order, u, odds) +
              (n - 1) * std::max(order.step, u) * gamma * p.lpNorm<1>()));
}
//! [DotProductWithOdds]

//! [AttentionWithOdds]
namespace detail {

/// The contributions of a query's keys to its outputs, in the letters of the page.
template <class Wide>
struct QueryOdds {
  /// Exact scores, each off by E at most, with biases, 0 if there are none; for each a row q k of
  /// products times the scale; what underflow takes from a score; and which keys these are.
  QueryOdds(const ColumnOf<Wide>& scores, double E, const ColumnOf<Wide>& biases,
            const Rows<Wide>& products, double lost, const std::vector<Eigen::Index>& seen,
            const SoftmaxArithmetic& arithmetic, const Odds& odds)
      : a(arithmetic), asked(odds), places(seen), y(softmax(scores)), fqk(products) {
    const double u = a.unit_roundoff, A = a.exp_error, kappa = a.exp_argument_error;
    const double D = a.quotient_roundings, z = odds.deviations;
    const auto n = static_cast<std::size_t>(y.size());
    const Eigen::ArrayXd s = scores.template cast<double>();
    const Eigen::ArrayXd t = (scores.maxCoeff() - scores.array()).template cast<double>();
    scaled = (scores - biases).template cast<double>();
    const double stored = a.score_roundings * a.score_format.roundoff / u;
    const auto biased = biases.array() != Wide(0);
    spread.resize(s.size());
    for (Eigen::Index j = 0; j < s.size(); ++j)
      spread[j] = Eigen::Vector<double, 5>(
                      scaled[j], biased[j] ? s[j] : 0,
                      stored * std::max(std::abs(s[j]), std::abs(scaled[j])),
                      norm_of_sum<Wide>(fqk.row(j), folded ? 2 : 1, a.scores, u, odds), t[j])
                      .stableNorm();
    const double roundings =
        static_cast<double>(fqk.cols()) * ((folded ? 3 : 1) + std::max(a.scores.step / u, 1.0)) +
        a.scale_roundings + stored + (biased.any() ? 1 : 0);

    const auto records = [&](const ColumnOf<Wide>& x) {
      double count = 0;
      for (Wide greatest = x[0]; const Wide& score : x.tail(x.size() - 1)) {
        count += score > greatest - Wide(2 * E);
        greatest = std::max(greatest, score);
      }
      return count;
    };
    R = std::min(static_cast<double>(a.most_rescalings(n)),
                 std::max(records(scores), records(scores.reverse())));
    const double epsilon = u + kappa * u + kappa * u * u;
    const double alpha = A * u < 0.5 ? A * u / (1 - A * u) : vacuous_bound;
    const double of_products = error_of_products(s.abs().maxCoeff() + E, a);
    if (R > 0) of_prefix = R * alpha + (std::max(t[0], t[t.size() - 1]) + 2 * E) * epsilon;
    // Scores, or weights, that differ by less than a unit in the last place are rounded alike.
    const auto sizes = fqk.cwiseAbs().rowwise().sum() + biases.cwiseAbs();
    const auto reach = static_cast<double>(Wide(sizes.maxCoeff()));
    const double of_scores =
        std::max(std::max(u, a.scores.step), a.score_roundings > 0 ? a.score_format.roundoff : 0);
    cells =
        cells_of(t, 2 * std::max(u + of_scores * reach, a.weight_roundoff) / std::floor(z * z - 1));
    const double least = std::min(a.exp_cut, 1 + a.depth_of_underflow) - a.lag * std::log(2.0);
    const auto may_vanish = (t + 2 * (E + of_products)) * (1 + epsilon) + a.smallest > least;
    vanishing = may_vanish.template cast<double>();
    const auto most = E + of_products + (1 + R) * alpha + (t + 2 * E) * epsilon;
    const double theta = may_vanish.select(0, most).maxCoeff();
    const auto beta =
        roundings * u * E + lost + of_products + alpha + 2 * E * u + (t + 2 * E) * (epsilon - u);
    certain = may_vanish.select(1, beta) + theta * theta / 2 * std::exp(theta);

    const double vanished = y.template cast<double>().dot(vanishing);
    const double sum = rounding_bound(a.sum_depth(n) + R, u);
    const double outputs = rounding_bound(output_roundings(std::max(n, a.keys), a), u);
    of_terms = std::expm1(theta + (D + R) * std::log1p(u) + std::log1p(a.weight_roundoff) +
                          std::log1p(outputs));
    of_sum = std::expm1(theta) * (1 + sum) + sum + vanished;
    norm_of_weights = norm_of(y, a.sum);
    psi = std::expm1(theta + D * std::log1p(u) - std::log1p(-sum) - std::log1p(-vanished) -
                     (a.sums_stored ? std::log1p(-a.weight_roundoff) : 0));
  }

  /// The bound of Σ yⱼvⱼ; +∞ where nothing is promised.
  double bound(const ColumnOf<Wide>& v) const {
    const double u = a.unit_roundoff, D = a.quotient_roundings;
    const double of_weight = a.weight_roundoff / u, of_output = std::max(a.outputs.step / u, 1.0);
    const auto n = static_cast<double>(y.size());
    const ColumnOf<Wide> terms = y.cwiseProduct(v);
    const Wide exact = terms.sum();
    const ColumnOf<Wide> moved = y.cwiseProduct((v.array() - exact).matrix());  // by scores
    const auto size = [](const auto& x) { return std::abs(static_cast<double>(Wide(x))); };
    const Eigen::VectorXd b = moved.unaryExpr(size), x = terms.unaryExpr(size);
    const double o = size(exact);
    // The greatest sums of keys up to some key, and from there on.
    double largest = o, prefix = 0;
    Wide sum(0), move(0);
    for (Eigen::Index j = 0; j < y.size(); ++j) {
      sum += terms[j], move += moved[j];
      largest = std::max({largest, size(sum), size(exact - sum)});
      prefix = std::max(prefix, size(move));
    }
    // A query that is scaled, or a scale, is rounded for all keys.
    const double shared = folded ? size((fqk.transpose() * moved).stableNorm()) : 0;
    const double scaling = (a.scale_roundings - (folded ? 2 : 1)) * u *
                           std::abs(moved.template cast<double>().dot(scaled.matrix()));
    const double norm =
        Eigen::Vector<double, 8>(norm_by_cell(cells, b.cwiseProduct(spread)), shared,
                                 std::sqrt(D + 1) * norm_by_cell(cells, x),
                                 of_weight * norm_by_cell(cells, a.sums_stored ? b : x),
                                 norm_of(terms, a.outputs), std::sqrt(R) * of_output * largest,
                                 o * norm_of_weights, o * std::sqrt(R + D))
            .stableNorm();
    const double of_roundings = u * (D + 1 + of_weight + (n - 1 + R) * of_output) *
                                    (of_terms * x.sum() + x.dot(vanishing)) +
                                u * ((n - 1) * std::max(a.sum.step / u, 1.0) + R) * of_sum * o;
    const Eigen::VectorXd sizes = v.unaryExpr(size);
    const double underflow =
        (a.exp_error + 3) * a.smallest * size((v.array() - exact).abs().sum()) +
        4 * n * std::max(u, a.outputs.step) * a.product_threshold(a.outputs) +
        std::ldexp(a.weight_smallest, -static_cast<int>(a.weight_offset)) * sizes.sum();
    const double error = (1 + psi) * (asked.deviations * u * norm + b.dot(certain) +
                                      of_prefix * prefix + scaling + of_roundings + underflow) +
                         D * u * (psi + (1 + psi) * D * u) * o;
    const double weight = std::ldexp(1 + psi, static_cast<int>(a.weight_offset + a.lag));
    const bool promised =
        psi < 1 && can_be_stored(o, error, a) && fits_in_range(weight, a.weight_largest) &&
        fits_in_range(2 * n * weight, std::min(a.largest, a.sum.largest)) &&
        fits_in_range(2 * n * weight * sizes.maxCoeff(), std::min(a.largest, a.outputs.largest));
    return promised ? stored(error, o, a) : vacuous_bound;
  }

  /// norm_of_sum() of numbers of the keys that are seen, among zeros of the others, which take a turn in
  /// lanes and in halves, too: of all others, or of those before the last key that is seen.
  double norm_of(const ColumnOf<Wide>& x, const Accumulator& by) const {
    const bool is_weights = &by == &a.sum;
    const std::size_t block = is_weights && a.summation == Summation::pairwise ? a.block : 0;
    const auto among = [&](Eigen::Index count) {
      ColumnOf<Wide> all = ColumnOf<Wide>::Zero(count);
      all(places) = x;
      return norm_of_sum(all, 0, by, a.unit_roundoff, asked, a.tile, block);
    };
    const Eigen::Index last = places.back() + 1, count = static_cast<Eigen::Index>(a.keys);
    return by.known_order || last == count ? among(last) : std::max(among(last), among(count));
  }

  const SoftmaxArithmetic& a;
  const Odds& asked;
  const std::vector<Eigen::Index>& places;
  const bool folded = a.scale_roundings > 2;  // the root of the scale multiplies queries and keys
  ColumnOf<Wide> y;
  Rows<Wide> fqk;
  Eigen::ArrayXd scaled;            // scores before the biases
  std::vector<std::size_t> cells;   // of keys, whose weights may be rounded in the same way
  Eigen::VectorXd spread, certain;  // gⱼ, and βⱼ + ½Θ²e^Θ
  Eigen::VectorXd vanishing;        // 1 for a weight that may be computed as 0, else 0
  double R = 0, of_prefix = 0;      // R, and what it may move the exponents of earlier keys by
  double of_terms = 0, of_sum = 0;  // F of partial sums of the output, and of the weights
  double norm_of_weights = 0;       // the root of V_y
  double psi = 0;
};

}  // namespace detail

template <class Wide, class Queries, class Keys, class Values>
OddsBound attention_odds_bound(const Eigen::MatrixBase<Queries>& queries,
                               const Eigen::MatrixBase<Keys>& keys,
                               const Eigen::MatrixBase<Values>& values,
                               const AttentionOptions<Compute<typename Queries::Scalar>>& options,
                               const SoftmaxArithmetic& arithmetic, const Odds& odds) {
  using Real = Compute<typename Queries::Scalar>;
  detail::require_greater("the number of deviations", odds.deviations, 1);
  OddsBound result{attention_error_bound<Wide>(queries, keys, values, options, arithmetic).output,
                   odds.chance(), why_no_odds(arithmetic, odds)};
  SoftmaxArithmetic a =
      detail::magnified_by(queries, keys, values, Eigen::MatrixXd(), options, arithmetic);
  const auto held = [&](const auto& matrix) { return detail::are_held(matrix, a.input_format); };
  if (!held(queries) || !held(keys) || !held(values))
    result.no_odds = "inputs are rounded, equal ones in the same way";
  if (!result.no_odds.empty()) result.bound.setConstant(vacuous_bound);
  if (!result.no_odds.empty()) return result;
  a.input_format = {};
  a.keys = static_cast<std::size_t>(keys.rows());
  const detail::Rows<Wide> q = queries.template cast<Real>().template cast<Wide>();
  const detail::Rows<Wide> k = keys.template cast<Real>().template cast<Wide>();
  const auto scores = attention_score_errors<Wide>(queries, keys, options, a);
  const detail::Visibility visibility(options, queries.rows(), keys.rows());
  const double f = detail::Scaling<Real>(options.scale, queries.cols()).magnitude();
  const double lost = 4 * f * static_cast<double>(q.cols()) *
                          std::max(a.unit_roundoff, a.scores.step) * a.product_threshold(a.scores) +
                      a.smallest;
  for (Eigen::Index i = 0; i < q.rows(); ++i) {
    const std::vector<Eigen::Index> seen = visibility.of(i);
    if (seen.empty() || !detail::fits_in_range(scores.reach(i), a.largest)) continue;
    ColumnOf<Wide> biases = ColumnOf<Wide>::Zero(static_cast<Eigen::Index>(seen.size()));
    if (options.bias) biases = (*options.bias)(i, seen).transpose().template cast<Wide>();
    const detail::QueryOdds<Wide> row(
        scores.scores(i, seen).transpose(), scores.error.row(i).maxCoeff(), biases,
        Wide(f) * k(seen, Eigen::all) * q.row(i).asDiagonal(), lost, seen, a, odds);
    for (Eigen::Index c = 0; c < values.cols(); ++c) {
      const ColumnOf<Wide> v = values.col(c)(seen).template cast<Real>().template cast<Wide>();
      result.bound(i, c) = std::min(result.bound(i, c), row.bound(v));
    }
  }
  return result;
}
//! [AttentionWithOdds]

}  // namespace sqrtdk
