// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref odds : how far sums, softmax and attention are off, with a stated chance, if
/// roundings are independent and have the mean 0.
///
/// The bounds are computed in double precision from exact numbers of a wider type; what that rounds,
/// bound_margin makes up for.
#pragma once

#include <sqrtdk/accumulator.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_arithmetic.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk {

/// What a bound with odds is asked for.
struct Odds {
  double deviations =
      8;  ///< z: in the model an error exceeds its bound with a chance of 2e^(−z²/2)
  /// Whether a sum whose order is not declared is taken in one of usual_orders(); else there are no odds.
  bool usual_orders = true;

  /// 2e^(−z²/2), for each number that is held to a bound.
  double chance() const { return 2 * std::exp(-deviations * deviations / 2); }
};

/// The orders in which kernels add: one term after the other, in 4, 8, 16, 32 or 64 lanes, by halves.
/// \param terms how many there are.
std::vector<Accumulator> usual_orders(std::size_t terms);

/// An addition that is rounded.
template <class Real>
struct RoundedSum {
  Eigen::Index term = -1;  ///< the last of the terms that it takes in; −1 before there is one
  Real sum = Real(0);      ///< the exact sum of the terms so far
};

/// The additions of a sum in a declared order; a sum with 0 is none.
/// \param terms n terms.
/// \param order lanes and promotion.
/// \return n − 1 additions.
/// \implements{DotProductWithOdds}
template <class Real>
std::vector<RoundedSum<Real>> rounded_sums(const ColumnOf<Real>& terms, const Accumulator& order);

/// Which cell each number lies in: numbers of one cell are taken to share their roundings.
/// \param places numbers.
/// \param width  that of a cell; 0 if all are one.
/// \return the numbers of the cells, from 0 on.
/// \implements{WhenOddsFail}
std::vector<std::size_t> cells_of(const Eigen::VectorXd& places, double width);

/// Σ (Σ |c|)², the inner sum over the costs of one cell.
/// \param cells as many as costs.
/// \implements{WhenOddsFail}
double squares_by_cell(const std::vector<std::size_t>& cells, const Eigen::VectorXd& costs);

/// How far Σ pₗ can be off whose products and sums are rounded: z u√V + (n − 1)wγ_k Σ|pₗ|, with V the
/// squares of the products and (w/u)² times those of rounded_sums(), by cells of a z²th of a unit in the
/// last place; w is the accumulator's unit.
/// \param products   p, n exact products, n at least 1.
/// \param order      the accumulator, with its roundings k.
/// \param u          the unit roundoff, greater than 0.
/// \param odds       z.
/// \return the bound; its chance is odds.chance().
/// \throws std::domain_error if z is not greater than 1.
/// \implements{DotProductWithOdds}
double dot_product_odds(const Eigen::VectorXd& products, const Accumulator& order, double u,
                        const Odds& odds = {});

/// Bounds with odds, or why there are none.
struct OddsBound {
  Eigen::MatrixXd bound;  ///< n × d_v for attention; +∞ where nothing is promised
  double chance = 0;      ///< that one number exceeds its bound, in the model
  std::string no_odds;    ///< why nothing is promised at all; empty if something is
};

/// Why the model does not cover an arithmetic, in words; empty if it does.
/// \implements{WhenOddsFail}
/// \relatesalso OddsBound
std::string why_no_odds(const SoftmaxArithmetic& arithmetic, const Odds& odds = {});

/// How far attention's outputs can be off, with odds; nowhere more than attention_error_bound().
/// \tparam Wide  as in attention_score_errors().
/// \param queries, keys, values, options, arithmetic as for attention_error_bound().
/// \param odds   z, and whether orders that are not declared are usual ones.
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

// ---- Implementation -----------------------------------------------------------------------------

inline std::vector<Accumulator> usual_orders(std::size_t terms) {
  std::vector<Accumulator> orders;
  for (const std::size_t lanes : {std::size_t{1}, std::size_t{4}, std::size_t{8}, std::size_t{16},
                                  std::size_t{32}, std::size_t{64}, terms})
    if (lanes == 1 || lanes <= terms) orders.push_back(Accumulator::in_lanes(lanes));
  return orders;
}

//! [DotProductWithOdds]
template <class Real>
std::vector<RoundedSum<Real>> rounded_sums(const ColumnOf<Real>& terms, const Accumulator& order) {
  std::vector<RoundedSum<Real>> sums;
  const auto add = [&](RoundedSum<Real>& to, const RoundedSum<Real>& part) {
    if (part.term < 0) return;
    to.sum += part.sum;
    const bool is_rounded = to.term >= 0;
    to.term = part.term;
    if (is_rounded) sums.push_back(to);
  };
  const auto n = static_cast<std::size_t>(terms.size());
  const std::size_t length = order.promoted > 0 ? order.promoted : n;
  RoundedSum<Real> total;
  for (std::size_t first = 0; first < n; first += length) {
    const std::size_t size = std::min(length, n - first);
    std::vector<RoundedSum<Real>> lanes(std::min(order.lanes, size));
    for (std::size_t i = 0; i < size; ++i) {
      const auto term = static_cast<Eigen::Index>(first + i);
      if (terms[term] != Real(0)) add(lanes[i % lanes.size()], {term, terms[term]});
    }
    for (std::size_t half = lanes.size(); half > 1; lanes.resize(half)) {
      half = (half + 1) / 2;
      for (std::size_t l = half; l < lanes.size(); ++l) add(lanes[l - half], lanes[l]);
    }
    add(total, lanes[0]);
  }
  return sums;
}

namespace detail {

/// Whether an accumulator cuts off what it cannot hold.
inline bool truncates(const Accumulator& a) { return a.step > 0 && a.smallest == 0; }

/// w: the unit of an accumulator.
inline double unit_of(const Accumulator& accumulator, double u) {
  return std::max(accumulator.step, u);
}

/// The orders in which a sum may be taken, also by tiles of so many terms, if not of 0.
inline std::vector<Accumulator> orders_of(const Accumulator& declared, std::size_t terms,
                                          std::size_t tile) {
  if (declared.known_order) return {declared};
  std::vector<Accumulator> orders = usual_orders(terms);
  if (tile > 0)
    for (const std::size_t lanes : {std::size_t{1}, tile})
      orders.push_back(Accumulator::in_lanes(lanes).promoted_every(tile));
  return orders;
}

/// The squares of the roundings of a sum in the worst of some orders.
template <class Real>
double squares_of_sum(const ColumnOf<Real>& terms, const Accumulator& declared, double u,
                      const Odds& odds, std::size_t tile = 0) {
  const Eigen::VectorXd x = terms.template cast<double>();
  const double w = unit_of(declared, u);
  const std::vector<std::size_t> cells =
      cells_of(x, 2 * w * x.cwiseAbs().sum() / (odds.deviations * odds.deviations));
  double most = 0;
  for (const Accumulator& order : orders_of(declared, cells.size(), tile)) {
    const auto sums = rounded_sums(terms, order);
    std::vector<std::size_t> of_sums;
    Eigen::VectorXd costs(static_cast<Eigen::Index>(sums.size()));
    for (const auto& sum : sums) {
      costs[static_cast<Eigen::Index>(of_sums.size())] = static_cast<double>(sum.sum);
      of_sums.push_back(cells[static_cast<std::size_t>(sum.term)]);
    }
    most = std::max(most, squares_by_cell(of_sums, costs));
  }
  return most * (w / u) * (w / u);
}

/// The cells of numbers that share the roundings of their significands.
inline std::vector<std::size_t> cells_of_significands(Eigen::VectorXd x, double u,
                                                      const Odds& odds) {
  int exponent = 0;
  for (double& number : x) number = std::frexp(std::abs(number), &exponent);
  return cells_of(x, u / (odds.deviations * odds.deviations));
}

/// The squares of the roundings of products and their sum.
template <class Real>
double squares_of_dot_product(const ColumnOf<Real>& products, const Accumulator& order, double u,
                              const Odds& odds) {
  const Eigen::VectorXd p = products.template cast<double>();
  return squares_by_cell(cells_of_significands(p, u, odds), p) +
         squares_of_sum(products, order, u, odds);
}

}  // namespace detail

inline double dot_product_odds(const Eigen::VectorXd& products, const Accumulator& order, double u,
                               const Odds& odds) {
  detail::require_greater("the number of deviations", odds.deviations, 1);
  const double squares = detail::squares_of_dot_product<double>(products, order, u, odds);
  const auto n = static_cast<double>(products.size());
  const double gamma = detail::rounding_bound(order.roundings(n, u), u);
  return detail::with_margin(odds.deviations * u * std::sqrt(squares) +
                             (n - 1) * detail::unit_of(order, u) * gamma *
                                 products.cwiseAbs().sum());
}
//! [DotProductWithOdds]

//! [WhenOddsFail]
inline std::vector<std::size_t> cells_of(const Eigen::VectorXd& places, double width) {
  std::vector<std::pair<double, std::size_t>> sorted;
  for (const double place : places)
    sorted.emplace_back(width > 0 ? std::floor(place / width) : 0, sorted.size());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> cells(sorted.size());
  std::size_t cell = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i].first != sorted[i - 1].first) ++cell;
    cells[sorted[i].second] = cell;
  }
  return cells;
}

inline double squares_by_cell(const std::vector<std::size_t>& cells, const Eigen::VectorXd& costs) {
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(costs.size());
  std::vector<double> by_cell;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i] >= by_cell.size()) by_cell.resize(cells[i] + 1);
    by_cell[cells[i]] += std::abs(costs[static_cast<Eigen::Index>(i)]);
  }
  double squares = 0;
  for (const double sum : by_cell) squares += sum * sum;
  return squares;
}

inline std::string why_no_odds(const SoftmaxArithmetic& a, const Odds& odds) {
  for (const Accumulator* sum : {&a.scores, &a.sum, &a.outputs})
    if (detail::truncates(*sum))
      return "an accumulator truncates, so that its errors have one sign";
  if (a.by_lse) return "weights are e^(x - lse), and no sum divides them";
  const bool known = a.scores.known_order && a.outputs.known_order &&
                     (a.sum.known_order || a.summation == Summation::pairwise);
  if (!known && !odds.usual_orders) return "the order of a sum is not known";
  return "";
}
//! [WhenOddsFail]

namespace detail {

/// What the scores and the softmax of one query contribute to its outputs, in the letters of the page.
struct QueryOdds {
  Eigen::VectorXd spread;   ///< gⱼ: the root of the squares of what is rounded for key j alone
  Eigen::VectorXd certain;  ///< βⱼ: what may move its exponent without odds
  std::vector<bool> lost;   ///< whether its weight may be computed as 0
  std::vector<std::size_t> by_score, by_weight, by_stored;  ///< the keys that share roundings
  double squared = 0;     ///< ½Θ²e^Θ, where Θ is the most that an exponent moves
  double rescalings = 0;  ///< R: how often a sum is rescaled that may change by it
  double of_prefix = 0;   ///< what that may move the exponents of all keys before
  double inner = 0;     ///< F: how far a partial sum of terms may be off, as a part of their sizes
  double of_sum = 0;    ///< the same of the weights' sum, with those that may be lost
  double quotient = 1;  ///< 1 + ψ, at least the inverse of the computed sum over the exact one
};

/// How many scores may exceed all before, if keys come in their order or in the reverse; at most B.
template <class Wide>
double rescalings_of(const ColumnOf<Wide>& scores, double error, const SoftmaxArithmetic& a) {
  const auto records = [&](const ColumnOf<Wide>& x) {
    Wide greatest = x[0];
    std::size_t count = 0;
    for (const Wide& score : x) {
      if (&score != &x[0] && score > greatest - Wide(2 * error)) ++count;
      greatest = std::max(greatest, score);
    }
    return count;
  };
  const std::size_t most = a.most_rescalings(static_cast<std::size_t>(scores.size()));
  return static_cast<double>(std::min(most, std::max(records(scores), records(scores.reverse()))));
}

/// \param scores  exact ones, of the keys that are seen.
/// \param error   E.
/// \param squares those of each score's own roundings.
/// \param rest    what a score is off beside them.
/// \param divided the roundings of a difference.
template <class Wide>
QueryOdds query_odds(const ColumnOf<Wide>& scores, double error, const Eigen::VectorXd& squares,
                     double rest, double divided, const SoftmaxArithmetic& a, const Odds& odds) {
  const double u = a.unit_roundoff, kappa = a.exp_argument_error;
  const double width = 2 / (odds.deviations * odds.deviations);
  const Wide top = scores.maxCoeff();
  const Eigen::VectorXd t = (top - scores.array()).matrix().template cast<double>();
  const Eigen::VectorXd y = ColumnOf<Wide>(softmax(scores)).template cast<double>();
  const auto size = static_cast<double>(Wide(scores.cwiseAbs().maxCoeff()));
  const double products = (1 + 4 * (1 + kappa) * u) * u *
                          (a.score_products * (size + error) +
                           2 * (1 + kappa) * (a.weight_offset + a.lag) * std::log(2.0));
  const double difference = std::expm1(divided * std::log1p(u) + std::log1p(kappa * u));
  const double part = a.exp_error * u;
  const double alpha = part < 0.5 ? part / (1 - part) : vacuous_bound;

  QueryOdds row;
  row.rescalings = rescalings_of(scores, error, a);
  if (row.rescalings > 0)
    row.of_prefix =
        row.rescalings * alpha + (std::max(t[0], t[t.size() - 1]) + 2 * error) * difference;
  row.spread = (squares.array() + divided * t.array().square()).sqrt();
  row.certain.resize(t.size());
  double most = 0, least = 0, lost = 0;
  for (Eigen::Index j = 0; j < t.size(); ++j) {
    const double far = t[j] + 2 * error;
    row.lost.push_back(far * (1 + difference) + a.smallest >
                       std::min(a.exp_cut, 1 + a.depth_of_underflow));
    row.certain[j] =
        rest + products + alpha + 2 * error * divided * u + far * (difference - divided * u);
    const double moved = error + products + far * difference + (1 + row.rescalings) * alpha;
    if (row.lost.back()) {
      row.certain[j] = 1;
      lost += y[j];
      continue;
    }
    most = std::max(most, moved);
    least += y[j] * std::exp(-moved);
  }
  row.by_score = cells_of_significands(scores.template cast<double>(), u, odds);
  row.by_weight = cells_of(t, width * u);
  row.by_stored = cells_of(t, width * std::max(u, a.weight_roundoff));

  const std::size_t n = row.lost.size();
  const double D = a.quotient_roundings;
  row.squared = most * most / 2 * std::exp(most);
  row.inner =
      std::expm1(most + (D + row.rescalings) * std::log1p(u) + std::log1p(a.weight_roundoff) +
                 std::log1p(rounding_bound(a.outputs.roundings(static_cast<double>(n), u), u)));
  const double of_sum = rounding_bound(a.sum_depth(n) + row.rescalings, u);
  row.of_sum = std::expm1(most + std::log1p(of_sum)) + lost;
  row.quotient =
      std::pow(1 + u, D) / (least * (1 - of_sum) * (a.sums_stored ? 1 - a.weight_roundoff : 1));
  return row;
}

/// The bound of one output Σ yⱼvⱼ; +∞ where nothing is promised.
/// \param y, v    weights and values of the keys that are seen.
/// \param shared  squares of what is rounded once for all keys.
/// \param scaling what else is, without odds.
template <class Wide>
double output_odds(const QueryOdds& row, const ColumnOf<Wide>& y, const ColumnOf<Wide>& v,
                   double shared, double scaling, const SoftmaxArithmetic& a, const Odds& odds) {
  const double u = a.unit_roundoff, D = a.quotient_roundings, R = row.rescalings;
  const auto n = static_cast<double>(y.size());
  const double of_weight = a.weight_roundoff / u, of_output = unit_of(a.outputs, u) / u;
  const double of_sum = unit_of(a.sum, u) / u;
  const ColumnOf<Wide> terms = y.cwiseProduct(v);
  const Wide exact = terms.sum();
  const double o = std::abs(static_cast<double>(exact));
  const ColumnOf<Wide> away = (v.array() - exact).matrix();
  const ColumnOf<Wide> moves = y.cwiseProduct(away);
  const Eigen::VectorXd b = moves.template cast<double>().cwiseAbs();
  const Eigen::VectorXd x = terms.template cast<double>().cwiseAbs();

  // The greatest sums of the first keys, and of the last: of terms, and of their distances from o.
  Wide sum(0), moved(0);
  double largest = o, prefix = 0, lost = 0;
  for (Eigen::Index j = 0; j < y.size(); ++j) {
    sum += terms[j];
    moved += moves[j];
    largest = std::max({largest, std::abs(static_cast<double>(sum)),
                        std::abs(static_cast<double>(Wide(exact - sum)))});
    prefix = std::max(prefix, std::abs(static_cast<double>(moved)));
    if (row.lost[static_cast<std::size_t>(j)]) lost += x[j];
  }

  const double squares =
      squares_by_cell(row.by_score, b.cwiseProduct(row.spread)) + shared +
      (D + 1) * squares_by_cell(row.by_weight, x) +
      of_weight * of_weight * squares_by_cell(row.by_stored, a.sums_stored ? b : x) +
      squares_of_sum(terms, a.outputs, u, odds, a.tile) +
      R * of_output * of_output * largest * largest +
      o * o * (squares_of_sum(y, a.sum, u, odds, a.tile) + R + D);
  const double of_products = (D + 1 + of_weight + (n - 1 + R) * of_output) * u;
  const double underflow =
      (a.exp_error + 3) * a.smallest * away.template cast<double>().cwiseAbs().sum() +
      2 * n * std::max(a.smallest, a.outputs.smallest) +
      std::ldexp(a.weight_smallest, -static_cast<int>(a.weight_offset)) *
          v.template cast<double>().cwiseAbs().sum();
  const double certain = b.dot(row.certain) + row.squared * b.sum() + scaling +
                         row.of_prefix * prefix + of_products * (row.inner * x.sum() + lost) +
                         ((n - 1) * of_sum + R) * u * row.of_sum * o + underflow;
  const double error = row.quotient * (odds.deviations * u * std::sqrt(squares) + certain) +
                       ((row.quotient - 1) * D * u + D * D * u * u) * o;
  const double reach = 2 * n * v.template cast<double>().cwiseAbs().maxCoeff();
  const bool promised = row.quotient >= 1 && row.quotient < 2 &&
                        fits_in_range(reach, std::min(a.largest, a.outputs.largest)) &&
                        can_be_stored(o, error, a);
  return promised ? stored(error, o, a) : vacuous_bound;
}

}  // namespace detail

//! [AttentionWithOdds]
template <class Wide, class Queries, class Keys, class Values>
OddsBound attention_odds_bound(const Eigen::MatrixBase<Queries>& queries,
                               const Eigen::MatrixBase<Keys>& keys,
                               const Eigen::MatrixBase<Values>& values,
                               const AttentionOptions<Compute<typename Queries::Scalar>>& options,
                               const SoftmaxArithmetic& arithmetic, const Odds& odds) {
  detail::require_greater("the number of deviations", odds.deviations, 1);
  OddsBound result{attention_error_bound<Wide>(queries, keys, values, options, arithmetic).output,
                   odds.chance(), why_no_odds(arithmetic, odds)};
  if (!result.no_odds.empty()) {
    result.bound.setConstant(vacuous_bound);
    return result;
  }
  using Real = Compute<typename Queries::Scalar>;
  const auto wide = [](const auto& x) {
    return x.template cast<Real>().template cast<Wide>().eval();
  };
  SoftmaxArithmetic a =
      detail::magnified_by(queries, keys, values, Eigen::MatrixXd(), options, arithmetic);
  a.keys = static_cast<std::size_t>(keys.rows());
  const double u = a.unit_roundoff;
  const auto d = static_cast<double>(queries.cols());
  const auto scores = attention_score_errors<Wide>(queries, keys, options, a);
  const detail::Visibility visibility(options, queries.rows(), keys.rows());
  const double f = detail::Scaling<Real>(options.scale, queries.cols()).magnitude();
  const bool folded = a.scale_roundings > 2;
  const double of_stored = a.score_roundings * a.score_format.roundoff / u;
  const double roundings = d + (d - 1) * detail::unit_of(a.scores, u) / u + a.scale_roundings +
                           (folded ? 2 * d : 0) + (options.bias ? 1 : 0) + of_stored;
  for (Eigen::Index i = 0; i < queries.rows(); ++i) {
    const std::vector<Eigen::Index> seen = visibility.of(i);
    if (seen.empty() || !detail::fits_in_range(scores.reach(i), a.largest)) continue;
    const auto m = static_cast<Eigen::Index>(seen.size());
    const double error = scores.error.row(i).maxCoeff();
    const ColumnOf<Wide> s = scores.scores(i, seen).transpose();
    const ColumnOf<Wide> y = softmax(s);

    // What each score rounds, and the products that it is made of.
    Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic> products(m, queries.cols());
    Eigen::VectorXd squares(m), scaled(m);
    for (Eigen::Index j = 0; j < m; ++j) {
      const Eigen::Index key = seen[static_cast<std::size_t>(j)];
      products.row(j) = wide(queries.row(i)).cwiseProduct(wide(keys.row(key)));
      const double bias = options.bias ? static_cast<double>((*options.bias)(i, key)) : 0;
      const double score = std::abs(static_cast<double>(s[j]));
      scaled[j] = static_cast<double>(s[j]) - bias;
      const ColumnOf<Wide> p = products.row(j).transpose();
      squares[j] = f * f *
                       (detail::squares_of_dot_product(p, a.scores, u, odds) +
                        (folded ? p.template cast<double>().squaredNorm() : 0)) +
                   scaled[j] * scaled[j] + (options.bias ? score * score : 0) +
                   of_stored * of_stored * std::pow(std::max(score, std::abs(scaled[j])), 2);
    }
    const double rest =
        roundings * u * error + (f * d + 1) * std::max(a.smallest, a.scores.smallest);
    const detail::QueryOdds row = detail::query_odds(s, error, squares, rest, 1, a, odds);
    for (Eigen::Index c = 0; c < values.cols(); ++c) {
      const ColumnOf<Wide> v = wide(values.col(c)(seen));
      const ColumnOf<Wide> moves = y.cwiseProduct((v.array() - y.dot(v)).matrix());
      const double shared =
          folded ? f * f * (products.transpose() * moves).template cast<double>().squaredNorm() : 0;
      const double scaling = (a.scale_roundings - (folded ? 2 : 1)) * u *
                             std::abs(moves.template cast<double>().dot(scaled));
      double& bound = result.bound(i, c);
      bound = std::min(bound, detail::output_odds(row, y, v, shared, scaling, a, odds));
    }
  }
  return result;
}
//! [AttentionWithOdds]

}  // namespace sqrtdk
