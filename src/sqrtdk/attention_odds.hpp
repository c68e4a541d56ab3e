// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref odds : how far sums, softmax and attention are off, with a stated chance, if
/// roundings are independent and have the mean 0.
///
/// Bounds are computed in double precision from numbers of a wider type; bound_margin makes up for that.
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
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk {

/// What a bound with odds is asked for.
struct Odds {
  double deviations = 8;  ///< z, greater than 1
  /// Whether sums whose order is not declared are taken in one of usual_orders(); else there are no odds.
  bool usual_orders = true;

  /// 2e^(−z²/2): the chance, in the model, that a number exceeds its bound.
  double chance() const { return 2 * std::exp(-deviations * deviations / 2); }
};

/// One term after the other, 4, 8, 16, 32 or 64 lanes, halves; with tiles, these one by one or by halves.
/// \param terms how many there are.
/// \param tile  the length of tiles, or 0.
std::vector<Accumulator> usual_orders(std::size_t terms, std::size_t tile = 0);

/// An addition that is rounded: the first term of its second summand, which no other addition has, and
/// the exact sum.
template <class Real>
struct RoundedSum {
  Eigen::Index term = -1;
  Real sum = Real(0);
};

/// The additions of terms in a declared order; one with a 0 is none.
/// \implements{DotProductWithOdds}
template <class Real>
std::vector<RoundedSum<Real>> rounded_sums(const ColumnOf<Real>& terms, const Accumulator& order);

/// In which cell of a width each number lies: roundings of one cell may be the same.
/// \implements{WhenOddsFail}
std::vector<std::size_t> cells_of(const Eigen::VectorXd& places, double width);

/// Σ (Σ |c|)², the inner sum over the costs of one cell.
/// \implements{WhenOddsFail}
double squares_by_cell(const std::vector<std::size_t>& cells, const Eigen::VectorXd& costs);

/// How far Σ pₗ is off whose products and sums are rounded: zu√V + (n − 1)wγ_k Σ|pₗ|, with the squares V
/// of the products, and (w/u)² times those of rounded_sums(), by cells of 2w Σ|pₗ|/⌊z² − 1⌋.
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
  std::string no_odds;    ///< why nothing is promised at all; empty if something is
};

/// Why the model does not cover an arithmetic, in words; empty if it does.
/// \implements{WhenOddsFail}
/// \relatesalso OddsBound
std::string why_no_odds(const SoftmaxArithmetic& arithmetic, const Odds& odds = {});

/// How far softmax weights are off, with odds; nowhere more than softmax_error_bound().
/// \tparam Wide as in attention_score_errors().
/// \throws std::domain_error if z is not greater than 1, or as softmax_error_bound().
/// \implements{AttentionWithOdds}
/// \relatesalso OddsBound
template <class Wide>
OddsBound softmax_odds_bound(const ColumnOf<Wide>& logits, const SoftmaxArithmetic& arithmetic,
                             const Odds& odds = {});

/// How far attention's outputs are off, with odds; nowhere more than attention_error_bound(), whose
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

// ---- Implementation -----------------------------------------------------------------------------

inline std::vector<Accumulator> usual_orders(std::size_t terms, std::size_t tile) {
  std::vector<Accumulator> orders;
  for (const std::size_t lanes :
       {std::size_t{1}, std::size_t{4}, std::size_t{8}, std::size_t{16}, std::size_t{32},
        std::size_t{64}, std::max(terms, std::size_t{1})})
    orders.push_back(Accumulator::in_lanes(lanes));
  if (tile > 0)
    for (const std::size_t lanes : {std::size_t{1}, tile})
      orders.push_back(Accumulator::in_lanes(lanes).promoted_every(tile));
  return orders;
}

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
  Eigen::ArrayXd sums = Eigen::ArrayXd::Zero(
      cells.empty() ? 0
                    : static_cast<Eigen::Index>(*std::max_element(cells.begin(), cells.end())) + 1);
  for (std::size_t i = 0; i < cells.size(); ++i)
    sums[static_cast<Eigen::Index>(cells[i])] += std::abs(costs[static_cast<Eigen::Index>(i)]);
  return sums.square().sum();
}

inline std::string why_no_odds(const SoftmaxArithmetic& a, const Odds& odds) {
  for (const Accumulator* sum : {&a.scores, &a.sum, &a.outputs})
    if (sum->least_factor > 0) return "an accumulator truncates, so that its errors have one sign";
  if (a.by_lse) return "weights are e^(x - lse), and no sum divides them";
  const bool known = a.scores.known_order && a.outputs.known_order &&
                     (a.sum.known_order || a.summation == Summation::pairwise);
  return known || odds.usual_orders ? "" : "the order of a sum is not known";
}
//! [WhenOddsFail]

//! [DotProductWithOdds]
template <class Real>
std::vector<RoundedSum<Real>> rounded_sums(const ColumnOf<Real>& terms, const Accumulator& order) {
  std::vector<RoundedSum<Real>> sums;
  const auto add = [&](RoundedSum<Real>& to, const RoundedSum<Real>& part) {
    if (part.term < 0) return;
    to.sum += part.sum;
    if (to.term < 0)
      to.term = part.term;
    else
      sums.push_back({part.term, to.sum});
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

/// The squares of the roundings of a sum, in the worst of the orders that it may be taken in.
/// \param each how often each term is rounded before.
template <class Real>
double squares_of_sum(const ColumnOf<Real>& terms, double each, const Accumulator& declared,
                      double u, const Odds& odds, std::size_t tile = 0) {
  const Eigen::VectorXd x = terms.template cast<double>();
  const double w = declared.step > 0 ? declared.step : u, z = odds.deviations;
  const std::vector<std::size_t> cells =
      cells_of(x, 2 * w * x.cwiseAbs().sum() / std::floor(z * z - 1));
  std::vector<Accumulator> orders = {declared};
  if (!declared.known_order)
    orders = usual_orders(cells.size(), tile);
  else if (tile > 0)
    orders.push_back(declared.promoted_every(tile));
  double most = 0;
  for (const Accumulator& order : orders) {
    const auto sums = rounded_sums(terms, order);
    std::vector<std::size_t> of_sums;
    Eigen::VectorXd costs(static_cast<Eigen::Index>(sums.size()));
    for (const auto& sum : sums) {
      costs[static_cast<Eigen::Index>(of_sums.size())] = static_cast<double>(sum.sum);
      of_sums.push_back(cells[static_cast<std::size_t>(sum.term)]);
    }
    most = std::max(most, squares_by_cell(of_sums, costs));
  }
  // An accumulator of more digits is rounded once more, at the end.
  const double total = w < u ? static_cast<double>(terms.sum()) : 0;
  return most * (w / u) * (w / u) + total * total + each * squares_by_cell(cells, x);
}

/// Whether all numbers of a matrix that are any are those of a format, or there is none.
template <class Derived>
bool are_held(const Eigen::MatrixBase<Derived>& matrix, const FormatLimits& format) {
  if (format.roundoff == 0) return true;
  for (const auto& entry : matrix.derived().reshaped()) {
    const double x = std::abs(as_double(entry));
    if (!(x > 0) || std::isinf(x)) continue;
    const double unit =
        std::max(format.smallest, 2 * format.roundoff * std::ldexp(1.0, std::ilogb(x)));
    if (x > format.largest || std::nearbyint(x / unit) * unit != x) return false;
  }
  return true;
}

/// What underflow takes from a product, at most.
inline double lost_of(const Accumulator& by, const SoftmaxArithmetic& a) {
  return 4 * std::max(a.unit_roundoff, by.step) * a.product_threshold(by);
}

}  // namespace detail

inline double dot_product_odds(const Eigen::VectorXd& products, const Accumulator& order, double u,
                               const Odds& odds) {
  detail::require_greater("the number of deviations", odds.deviations, 1);
  const auto n = static_cast<double>(products.size());
  const double rest = (n - 1) * std::max(order.step, u) *
                      detail::rounding_bound(order.roundings(n, u), u) * products.lpNorm<1>();
  return detail::with_margin(
      odds.deviations * u * std::sqrt(detail::squares_of_sum<double>(products, 1, order, u, odds)) +
      rest);
}
//! [DotProductWithOdds]

//! [AttentionWithOdds]
namespace detail {

/// What the keys of one query contribute to its outputs, in the letters of the page.
template <class Wide>
class QueryOdds {
 public:
  /// \param scores  exact ones, of the keys that are seen.
  /// \param seen    which of how many these are.
  /// \param E       how far one of them is off at most.
  /// \param squares those of each score's own roundings.
  /// \param rest    what a score is off beside them.
  QueryOdds(const ColumnOf<Wide>& scores, const std::vector<Eigen::Index>& seen, double E,
            const Eigen::VectorXd& squares, double rest, const SoftmaxArithmetic& arithmetic,
            const Odds& odds)
      : a(arithmetic),
        asked(odds),
        places(seen),
        y(softmax(scores)),
        lost(Eigen::VectorXd::Zero(y.size())) {
    const double u = a.unit_roundoff, A = a.exp_error, kappa = a.exp_argument_error;
    const double D = a.quotient_roundings, z = odds.deviations;
    const auto n = static_cast<std::size_t>(y.size());
    const Eigen::VectorXd t = (scores.maxCoeff() - scores.array()).matrix().template cast<double>();
    const auto size = static_cast<double>(Wide(scores.cwiseAbs().maxCoeff()));
    const double products = (1 + 4 * (1 + kappa) * u) * u *
                            (a.score_products * (size + E) +
                             2 * (1 + kappa) * (a.weight_offset + a.lag) * std::log(2.0));
    const double alpha = A * u < 0.5 ? A * u / (1 - A * u) : vacuous_bound;
    const double difference = u + kappa * u + kappa * u * u;
    rescalings = static_cast<double>(
        std::min(a.most_rescalings(n), std::max(records(scores, E), records(scores.reverse(), E))));
    if (rescalings > 0)
      of_prefix = rescalings * alpha + (std::max(t[0], t[t.size() - 1]) + 2 * E) * difference;
    cells = cells_of(t, 2 * std::max(u, a.weight_roundoff) / std::floor(z * z - 1));
    spread = (squares.array() + t.array().square()).sqrt();
    certain = rest + products + alpha + 2 * E * u + (t.array() + 2 * E) * (difference - u);
    Eigen::ArrayXd moved =
        E + products + (1 + rescalings) * alpha + (t.array() + 2 * E) * difference;
    for (Eigen::Index j = 0; j < t.size(); ++j)
      if ((t[j] + 2 * E) * (1 + difference) + a.smallest >
          std::min(a.exp_cut, 1 + a.depth_of_underflow))
        certain[j] = lost[j] = 1, moved[j] = 0;
    const Eigen::VectorXd weights = y.template cast<double>();
    const double theta = moved.maxCoeff();
    const double sum = rounding_bound(a.sum_depth(n) + rescalings, u);
    const double outputs = rounding_bound(output_roundings(std::max(n, a.keys), a), u);
    squared = theta * theta / 2 * std::exp(theta);
    of_terms = std::expm1(theta + (D + rescalings) * std::log1p(u) + std::log1p(a.weight_roundoff) +
                          std::log1p(outputs));
    of_sum = std::expm1(theta) * (1 + sum) + sum + weights.dot(lost);
    psi = std::expm1(theta + D * std::log1p(u) - std::log1p(-sum) - std::log1p(-weights.dot(lost)) -
                     (a.sums_stored ? std::log1p(-a.weight_roundoff) : 0));
  }

  /// yⱼ(vⱼ − o): how the output moves with a score.
  ColumnOf<Wide> moves(const ColumnOf<Wide>& v) const {
    return y.cwiseProduct((v.array() - y.dot(v)).matrix());
  }

  /// The bound of Σ yⱼvⱼ; +∞ where nothing is promised.
  /// \param shared  squares of what is rounded once for all keys.
  /// \param scaling what else is, without odds.
  double bound(const ColumnOf<Wide>& v, double shared, double scaling) const {
    const double u = a.unit_roundoff, D = a.quotient_roundings, R = rescalings;
    const double of_weight = a.weight_roundoff / u, of_output = std::max(a.outputs.step / u, 1.0);
    const auto n = static_cast<double>(y.size());
    const ColumnOf<Wide> terms = y.cwiseProduct(v);
    const ColumnOf<Wide> moved = moves(v);
    const Wide exact = terms.sum();
    const Eigen::VectorXd b = moved.template cast<double>().cwiseAbs();
    const Eigen::VectorXd x = terms.template cast<double>().cwiseAbs();
    const Eigen::VectorXd sizes = v.template cast<double>().cwiseAbs();
    const double o = std::abs(static_cast<double>(exact));
    // The greatest sums of keys up to some key, and from there on.
    double largest = o, prefix = 0;
    Wide sum(0), move(0);
    for (Eigen::Index j = 0; j < y.size(); ++j) {
      sum += terms[j], move += moved[j];
      largest = std::max({largest, std::abs(static_cast<double>(sum)),
                          std::abs(static_cast<double>(Wide(exact - sum)))});
      prefix = std::max(prefix, std::abs(static_cast<double>(move)));
    }
    const double squares =
        squares_by_cell(cells, b.cwiseProduct(spread)) + shared +
        (D + 1) * squares_by_cell(cells, x) +
        of_weight * of_weight * squares_by_cell(cells, a.sums_stored ? b : x) +
        squares_of_sum(in_place(terms), 0, a.outputs, u, asked, a.tile) +
        R * of_output * of_output * largest * largest +
        o * o * (squares_of_sum(in_place(y), 0, a.sum, u, asked, a.tile) + R + D);
    const double of_roundings =
        u * (D + 1 + of_weight + (n - 1 + R) * of_output) * (of_terms * x.sum() + x.dot(lost)) +
        u * ((n - 1) * std::max(a.sum.step / u, 1.0) + R) * of_sum * o;
    const double underflow =
        (a.exp_error + 3) * a.smallest *
            (v.array() - exact).matrix().template cast<double>().template lpNorm<1>() +
        n * lost_of(a.outputs, a) +
        std::ldexp(a.weight_smallest, -static_cast<int>(a.weight_offset)) * sizes.sum();
    const double error =
        (1 + psi) * (asked.deviations * u * std::sqrt(squares) + b.dot(certain) +
                     squared * b.sum() + of_prefix * prefix + scaling + of_roundings + underflow) +
        D * u * (psi + (1 + psi) * D * u) * o;
    const bool promised =
        psi < 1 && can_be_stored(o, error, a) &&
        fits_in_range(2 * n * sizes.maxCoeff(), std::min(a.largest, a.outputs.largest));
    return promised ? stored(error, o, a) : vacuous_bound;
  }

 private:
  /// Numbers of the keys that are seen among zeros of the others, which take a turn in lanes, too.
  ColumnOf<Wide> in_place(const ColumnOf<Wide>& x) const {
    ColumnOf<Wide> all = ColumnOf<Wide>::Zero(places.back() + 1);
    all(places) = x;
    return all;
  }

  /// How many scores may exceed all before.
  static std::size_t records(const ColumnOf<Wide>& scores, double E) {
    std::size_t count = 0;
    Wide greatest = scores[0];
    for (Eigen::Index j = 1; j < scores.size(); ++j) {
      if (scores[j] > greatest - Wide(2 * E)) ++count;
      greatest = std::max(greatest, scores[j]);
    }
    return count;
  }

  const SoftmaxArithmetic& a;
  const Odds& asked;
  const std::vector<Eigen::Index>& places;
  ColumnOf<Wide> y;
  Eigen::VectorXd lost;                  // 1 for a weight that may be computed as 0, else 0
  std::vector<std::size_t> cells;        // of keys, whose weights may be rounded in the same way
  Eigen::VectorXd spread, certain;       // gⱼ and βⱼ
  double squared = 0;                    // ½Θ²e^Θ
  double rescalings = 0, of_prefix = 0;  // R, and what it may move the exponents of earlier keys by
  double of_terms = 0, of_sum = 0;       // F of partial sums of the output, and of the weights
  double psi = 0;
};

}  // namespace detail

template <class Wide>
OddsBound softmax_odds_bound(const ColumnOf<Wide>& logits, const SoftmaxArithmetic& arithmetic,
                             const Odds& odds) {
  detail::require_greater("the number of deviations", odds.deviations, 1);
  const auto certain = softmax_error_bound(logits, Wide(1), arithmetic);
  const ColumnOf<Wide> y = softmax(logits);
  OddsBound result{Eigen::VectorXd::Constant(y.size(), vacuous_bound), odds.chance(),
                   why_no_odds(arithmetic, odds)};
  if (!result.no_odds.empty()) return result;
  std::vector<Eigen::Index> all(static_cast<std::size_t>(y.size()));
  std::iota(all.begin(), all.end(), 0);
  const detail::QueryOdds<Wide> row(logits, all, 0, Eigen::VectorXd::Zero(y.size()), 0, arithmetic,
                                    odds);
  for (Eigen::Index j = 0; j < y.size(); ++j)
    result.bound(j) = std::min(certain(j, static_cast<double>(y[j])),
                               row.bound(ColumnOf<Wide>::Unit(y.size(), j), 0, 0));
  return result;
}

template <class Wide, class Queries, class Keys, class Values>
OddsBound attention_odds_bound(const Eigen::MatrixBase<Queries>& queries,
                               const Eigen::MatrixBase<Keys>& keys,
                               const Eigen::MatrixBase<Values>& values,
                               const AttentionOptions<Compute<typename Queries::Scalar>>& options,
                               const SoftmaxArithmetic& arithmetic, const Odds& odds) {
  using Real = Compute<typename Queries::Scalar>;
  using Matrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;
  detail::require_greater("the number of deviations", odds.deviations, 1);
  OddsBound result{attention_error_bound<Wide>(queries, keys, values, options, arithmetic).output,
                   odds.chance(), why_no_odds(arithmetic, odds)};
  SoftmaxArithmetic a =
      detail::magnified_by(queries, keys, values, Eigen::MatrixXd(), options, arithmetic);
  if (detail::are_held(queries, a.input_format) && detail::are_held(keys, a.input_format) &&
      detail::are_held(values, a.input_format))
    a.input_format = {};
  else
    result.no_odds = "inputs are rounded, equal ones in the same way";
  if (!result.no_odds.empty()) result.bound.setConstant(vacuous_bound);
  if (!result.no_odds.empty()) return result;
  a.keys = static_cast<std::size_t>(keys.rows());
  const Matrix q = queries.template cast<Real>().template cast<Wide>();
  const Matrix k = keys.template cast<Real>().template cast<Wide>();
  const auto scores = attention_score_errors<Wide>(queries, keys, options, a);
  const detail::Visibility visibility(options, queries.rows(), keys.rows());
  const double u = a.unit_roundoff, stored = a.score_roundings * a.score_format.roundoff / u;
  const double f = detail::Scaling<Real>(options.scale, queries.cols()).magnitude();
  const auto d = static_cast<double>(queries.cols());
  const bool folded = a.scale_roundings > 2;
  const double roundings = d * ((folded ? 3 : 1) + std::max(a.scores.step / u, 1.0)) +
                           a.scale_roundings + stored + (options.bias ? 1 : 0);
  for (Eigen::Index i = 0; i < q.rows(); ++i) {
    const std::vector<Eigen::Index> seen = visibility.of(i);
    if (seen.empty() || !detail::fits_in_range(scores.reach(i), a.largest)) continue;
    const double E = scores.error.row(i).maxCoeff();
    const ColumnOf<Wide> s = scores.scores(i, seen).transpose();

    // What is rounded for the score of each key alone, and what its scale multiplies.
    const Matrix products = k(seen, Eigen::all) * q.row(i).asDiagonal();
    Eigen::VectorXd squares(s.size()), scaled(s.size());
    for (Eigen::Index j = 0; j < s.size(); ++j) {
      const Eigen::Index key = seen[static_cast<std::size_t>(j)];
      const auto score = static_cast<double>(s[j]);
      scaled[j] = score - (options.bias ? static_cast<double>((*options.bias)(i, key)) : 0);
      squares[j] = f * f *
                       detail::squares_of_sum(ColumnOf<Wide>(products.row(j).transpose()),
                                              folded ? 2 : 1, a.scores, u, odds) +
                   scaled[j] * scaled[j] + (options.bias ? score * score : 0) +
                   stored * stored * std::max(score * score, scaled[j] * scaled[j]);
    }
    const double lost = f * d * detail::lost_of(a.scores, a) + a.smallest;
    const detail::QueryOdds<Wide> row(s, seen, E, squares, roundings * u * E + lost, a, odds);
    for (Eigen::Index c = 0; c < values.cols(); ++c) {
      const ColumnOf<Wide> v = values.col(c)(seen).template cast<Real>().template cast<Wide>();
      const ColumnOf<Wide> moves = row.moves(v);
      // A query that is scaled, or a scale, is rounded for all keys.
      const double shared =
          folded ? f * f * (products.transpose() * moves).template cast<double>().squaredNorm() : 0;
      const double scaling = (a.scale_roundings - (folded ? 2 : 1)) * u *
                             std::abs(moves.template cast<double>().dot(scaled));
      result.bound(i, c) = std::min(result.bound(i, c), row.bound(v, shared, scaling));
    }
  }
  return result;
}
//! [AttentionWithOdds]

}  // namespace sqrtdk
