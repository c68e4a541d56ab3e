// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The laws of chapter \ref attention in floating point, for any implementation of it.
///
/// As with the laws of softmax, a law is a function of an implementation and an input, says how far
/// the implementation is from what the law asks for and how far it may be, and knows of no test
/// framework.
#pragma once

#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/matrices.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// One call of attention, and the derivative of a loss by its output.
template <class Real>
struct AttentionCase {
  Matrix<Real> queries;                     ///< Q, n × d
  Matrix<Real> keys;                        ///< K, m × d
  Matrix<Real> values;                      ///< V, m × d_v
  Matrix<Real> output_gradient;             ///< G, n × d_v
  AttentionOptions<Compute<Real>> options;  ///< scale and masks
};

/// Anything that computes the output of attention: `attention(case)` is n × d_v.
template <class Attention, class Real>
concept AttentionOf = requires(const Attention& attention, const AttentionCase<Real>& input) {
  { attention(input) } -> std::convertible_to<Matrix<Real>>;
};

/// Anything that computes its backward pass: `gradient(case)`.
template <class Gradient, class Real>
concept AttentionGradientOf = requires(const Gradient& gradient, const AttentionCase<Real>& input) {
  { gradient(input) } -> std::convertible_to<AttentionGradient<Real>>;
};

/// Which cases are drawn.
struct AttentionShapes {
  int most_queries = 4;   ///< n is from 1 to this
  int most_keys = 6;      ///< m is from 1 to this
  int most_features = 8;  ///< d is from 1 to this
  int most_values = 3;    ///< d_v is from 1 to this
  double largest = 16;    ///< the largest magnitude of an entry
  bool masks = true;      ///< whether keys are masked, in all the ways there are
};

/// Draws a case of any kind; to be called in a property.
///
/// Queries and keys differ in number more often than not; entries are of all classes up to the
/// largest; the scale may be negative, 0, subnormal or large; a key may be masked for some queries
/// or for all, and a query may see none or a single one.
template <BinaryFloat Real>
AttentionCase<Real> drawn_attention_case(AttentionShapes shapes = {});

/// Cases at the edges of the domain, most of which random draws seldom reach: one of everything,
/// equal scores, a single key, values of 0 and of the largest number, scales that are 0, negative,
/// subnormal and huge, weights that underflow before huge values, entries that are all subnormal,
/// scores that almost overflow.
template <BinaryFloat Real>
std::vector<AttentionCase<Real>> attention_edge_cases();

/// Attention and its gradient to fifty digits, by the formulas as they are written: loops over
/// queries, keys and features, with nothing from the implementation that is judged.
class ExactAttention {
 public:
  /// \param input finite numbers where a query sees a key; without an output gradient, that of 0.
  template <class Real>
  explicit ExactAttention(const AttentionCase<Real>& input);

  const Matrix<Wide>& scores() const { return scores_; }                 ///< scaled, without biases
  const Matrix<Wide>& weights() const { return weights_; }               ///< 0 for masked keys
  const Matrix<Wide>& output() const { return output_; }                 ///< n × d_v
  const AttentionGradient<Wide>& gradient() const { return gradient_; }  ///< for the cotangent
  /// Whether query i sees key j.
  bool sees(Eigen::Index i, Eigen::Index j) const { return sees_(i, j); }
  /// Whether some query sees key j.
  bool seen(Eigen::Index j) const { return sees_.col(j).any(); }

 private:
  Matrix<bool> sees_;
  Matrix<Wide> scores_;
  Matrix<Wide> weights_;
  Matrix<Wide> output_;
  AttentionGradient<Wide> gradient_;
};

/// P8. Each scaled score is the exact one within score_error_bound().
/// \param scores     a callable `Matrix<Real>(case)` that leaves masks and biases alone.
/// \param input      queries, keys and scale.
/// \param arithmetic what computes the scores.
template <class Real, AttentionOf<Real> Scores>
Outcome score_law(const Scores& scores, const AttentionCase<Real>& input,
                  const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P9. Each number of the output is the exact one within attention_error_bound(); where a query
/// sees no key it is 0.
template <class Real, AttentionOf<Real> Attention>
Outcome output_law(const Attention& attention, const AttentionCase<Real>& input,
                   const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P10. Each number of the output lies between the least and the greatest value that its query
/// sees, up to attention_error_bound().
template <class Real, AttentionOf<Real> Attention>
Outcome convexity_law(const Attention& attention, const AttentionCase<Real>& input,
                      const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P12. Each derivative is the exact one within attention_gradient_error_bound(), and exactly 0 for
/// a key, and the value of a key, that no query sees, and for a query that sees no key.
template <class Real, AttentionGradientOf<Real> Gradient>
Outcome gradient_law(const Gradient& gradient, const AttentionCase<Real>& input,
                     const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P13. What is written into keys that no query sees, and into their values, changes no bit of the
/// output, be it large or not a number.
template <class Real, AttentionOf<Real> Attention>
Outcome poison_law(const Attention& attention, const AttentionCase<Real>& input);

/// P13 for the backward pass.
template <class Real, AttentionGradientOf<Real> Gradient>
Outcome gradient_poison_law(const Gradient& gradient, const AttentionCase<Real>& input);

// ------------------------------------------------------------------------------------------------

namespace detail {

/// A matrix of yes and no, two in three yes; sometimes a column or a row of no, or a single column
/// of yes.
inline Matrix<bool> drawn_permissions(Eigen::Index n, Eigen::Index m) {
  const auto size = static_cast<std::size_t>(n * m);
  const auto entries =
      *rc::gen::container<std::vector<int>>(size, rc::gen::weightedElement<int>({{2, 1}, {1, 0}}))
           .as("which keys are allowed, query by query");
  Matrix<bool> allowed(n, m);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < m; ++j)
      allowed(i, j) = entries[static_cast<std::size_t>(i * m + j)] == 1;
  const int hidden =
      *rc::gen::element(0, 1, 2, 3)
           .as("neither (0), a hidden key (1), a blind query (2), or a single key (3)");
  if (hidden == 1) allowed.col(m - 1).setConstant(false);
  if (hidden == 2) allowed.row(n - 1).setConstant(false);
  if (hidden == 3) {
    allowed.setConstant(false);
    allowed.col(0).setConstant(true);
  }
  return allowed;
}

template <class Real>
Matrix<Real> drawn_matrix(Eigen::Index rows, Eigen::Index columns, double largest,
                          const char* name) {
  const int r = static_cast<int>(rows);
  const int c = static_cast<int>(columns);
  return *matrices<Real>({.fewest_rows = r,
                          .most_rows = r,
                          .fewest_columns = c,
                          .most_columns = c,
                          .entries = {.largest = static_cast<Real>(largest)}})
              .as(name);
}

/// A place in a matrix, with the exact and the computed number there.
template <class Real>
std::string entry_text(const char* what, Eigen::Index i, Eigen::Index j, Real computed,
                       const Wide& exact) {
  return std::string(what) + " (" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
         exact_pair(static_cast<long double>(computed)) + " instead of " + exact.str(20);
}

/// Compares a computed matrix with the exact one.
template <class Real>
void compare_entries(Nearest& nearest, const char* what, const Matrix<Real>& computed,
                     const Matrix<Wide>& exact, const Eigen::MatrixXd& bound) {
  for (Eigen::Index i = 0; i < exact.rows(); ++i)
    for (Eigen::Index j = 0; j < exact.cols(); ++j) {
      const Wide entry(static_cast<long double>(computed(i, j)));
      nearest.compare(to_double(abs(Wide(entry - exact(i, j)))), bound(i, j),
                      [&] { return entry_text(what, i, j, computed(i, j), exact(i, j)); });
    }
}

template <class A, class B>
bool same_shape(const A& a, const B& b) {
  return a.rows() == b.rows() && a.cols() == b.cols();
}

template <class A, class B>
Outcome wrong_shape(const A& given, const B& wanted) {
  return broken("the result is " + sqrtdk::shape_text(given) + " instead of " +
                sqrtdk::shape_text(wanted));
}

/// Whether two matrices agree in every bit that matters: equal numbers, NaN where the other is NaN.
template <class Real>
bool same_numbers(const Matrix<Real>& a, const Matrix<Real>& b) {
  if (!same_shape(a, b)) return false;
  for (Eigen::Index i = 0; i < a.size(); ++i)
    if (!(a(i) == b(i) || (a(i) != a(i) && b(i) != b(i)))) return false;
  return true;
}

/// The same case with something else in the keys that no query sees, and in their values.
template <class Real>
AttentionCase<Real> poisoned(AttentionCase<Real> input, const ExactAttention& exact, Real poison) {
  for (Eigen::Index j = 0; j < input.keys.rows(); ++j)
    if (!exact.seen(j)) {
      input.keys.row(j).setConstant(poison);
      input.values.row(j).setConstant(poison);
    }
  return input;
}

template <class Real>
std::vector<Real> poisons() {
  return {Real(1e4), std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::quiet_NaN()};
}

}  // namespace detail

template <BinaryFloat Real>
AttentionCase<Real> drawn_attention_case(AttentionShapes shapes) {
  const auto size = [](int most, const char* name) {
    // Of any size from the first case on.
    return static_cast<Eigen::Index>(
        *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, most + 1)).as(name));
  };
  const Eigen::Index n = size(shapes.most_queries, "queries");
  const Eigen::Index m = size(shapes.most_keys, "keys");
  const Eigen::Index d = size(shapes.most_features, "d");
  const Eigen::Index d_v = size(shapes.most_values, "d_v");
  AttentionCase<Real> input;
  input.queries = detail::drawn_matrix<Real>(n, d, shapes.largest, "Q");
  input.keys = detail::drawn_matrix<Real>(m, d, shapes.largest, "K");
  input.values = detail::drawn_matrix<Real>(m, d_v, shapes.largest, "V");
  input.output_gradient = detail::drawn_matrix<Real>(n, d_v, shapes.largest, "G");
  using Computed = Compute<Real>;
  const std::vector<Computed> scales = {Computed(1),   Computed(0.5),
                                        Computed(3),   Computed(-1),
                                        Computed(0),   std::numeric_limits<Computed>::denorm_min(),
                                        Computed(1000)};
  const std::size_t scale =
      *rc::gen::weightedElement<std::size_t>(
           {{7, 0}, {2, 2}, {2, 3}, {1, 1}, {1, 4}, {1, 5}, {1, 6}, {1, 7}})
           .as("scale: 1/√d (0), or one of 1, 1/2, 3, −1, 0, the smallest number, 1000");
  if (scale > 0) input.options.scale = scales[scale - 1];
  if (!shapes.masks) return input;

  const int causal =
      *rc::gen::element(2, 0, 1).as("causal: not (2), top left (0), bottom right (1)");
  if (causal == 0) input.options.causal = CausalAlignment::top_left;
  if (causal == 1) input.options.causal = CausalAlignment::bottom_right;
  const bool with_mask = *rc::gen::arbitrary<bool>().as("with a mask");
  const bool as_bias = *rc::gen::arbitrary<bool>().as("with biases");
  if (with_mask) input.options.allowed = detail::drawn_permissions(n, m);
  if (as_bias) {
    input.options.bias = detail::drawn_matrix<Computed>(n, m, shapes.largest, "biases");
    const Matrix<bool> finite = detail::drawn_permissions(n, m);
    for (Eigen::Index i = 0; i < finite.size(); ++i)
      if (!finite(i)) (*input.options.bias)(i) = -std::numeric_limits<Computed>::infinity();
  }
  return input;
}

template <BinaryFloat Real>
std::vector<AttentionCase<Real>> attention_edge_cases() {
  using Computed = Compute<Real>;
  using Limits = std::numeric_limits<Real>;
  const auto make = [](std::initializer_list<double> queries, std::initializer_list<double> keys,
                       std::initializer_list<double> values, Eigen::Index d) {
    const auto matrix = [](std::initializer_list<double> list, Eigen::Index columns) {
      Matrix<Real> x(static_cast<Eigen::Index>(list.size()) / columns, columns);
      Eigen::Index place = 0;
      for (const double entry : list) {
        x(place / columns, place % columns) = static_cast<Real>(entry);
        ++place;
      }
      return x;
    };
    AttentionCase<Real> input{matrix(queries, d), matrix(keys, d), matrix(values, 1), {}, {}};
    input.output_gradient = Matrix<Real>::Constant(input.queries.rows(), 1, Real(1));
    return input;
  };
  const auto scaled_by = [](AttentionCase<Real> input, double scale) {
    input.options.scale = static_cast<Computed>(scale);
    return input;
  };
  const double largest = static_cast<double>(Limits::max());
  const double least = static_cast<double>(Limits::denorm_min());
  const double least_computed = static_cast<double>(std::numeric_limits<Computed>::denorm_min());
  // Exact powers of two near the root of the range.
  const double root = std::exp2(std::floor(std::log2(largest) / 2));
  // The scores are 0 and so far below that e^s is subnormal, or 0.
  const double depth = std::log(2 / least_computed);

  std::vector<AttentionCase<Real>> cases = {
      make({3}, {-2}, {5}, 1),                                        // one of everything
      make({0, 0, 0, 0}, {1, 2, 3, 4, 5, 6}, {1, 2, 4}, 2),           // equal scores
      make({1, 2, 3, 4}, {1, 2, 2, 1}, {0, 0}, 2),                    // values of 0
      make({1, 2}, {1, 2, 1, 2}, {largest, largest}, 2),              // the largest values
      make({1, 2}, {1, 2, 2, 1}, {largest, -largest}, 2),             // and their cancellation
      make({least, 3 * least}, {least, 1, 1, least}, {least, 3}, 2),  // subnormal entries
      make({1, 0}, {0, 0, -depth, 0}, {1, largest / 16}, 2),          // a weight that underflows
      make({1, 0}, {0, 0, 8 - depth, 0}, {1, largest / 16}, 2),       // one that is subnormal
      make({root / 8}, {root / 8}, {3}, 1),                           // one key, a huge score
      make({root / 8}, {-root / 8, root / 16}, {3, 5}, 1),            // a huge gap
      make({1, 2, 3}, {1, 2, 3, 4, 5, 6}, {1, 2}, 3)};                // a root that is rounded
  const AttentionCase<Real> ordinary = make({1, 2, 3, 4}, {1, 2, 2, 1, -1, 1}, {1, 2, 4}, 2);
  for (const double scale : {0.0, -1.0, least_computed, 0x1p-60, 0x1p10})
    cases.push_back(scaled_by(ordinary, scale));
  // Entries so small that only a huge scale makes scores of them.
  cases.push_back(scaled_by(make({1 / root, 2 / root}, {1 / root, 2 / root}, {3, 5}, 1), root));
  AttentionCase<Real> one_key = ordinary;
  one_key.keys *= Real(root / 64);
  one_key.options.allowed = Matrix<bool>::Constant(2, 3, false);
  one_key.options.allowed->col(1).setConstant(true);
  cases.push_back(one_key);
  AttentionCase<Real> biased = ordinary;
  biased.options.bias = Matrix<Computed>::Constant(2, 3, Computed(1000));
  (*biased.options.bias)(0, 1) = -std::numeric_limits<Computed>::infinity();
  (*biased.options.bias)(1, 2) = Computed(-1000);
  cases.push_back(biased);
  return cases;
}

template <class Real>
ExactAttention::ExactAttention(const AttentionCase<Real>& input) {
  const auto n = input.queries.rows();
  const auto m = input.keys.rows();
  const auto d = input.queries.cols();
  const auto d_v = input.values.cols();
  const auto wide = [](const auto& x) { return Wide(static_cast<long double>(x)); };
  const Wide scale = input.options.scale ? wide(*input.options.scale) : Wide(1 / sqrt(Wide(d)));
  const auto is_allowed = [&](Eigen::Index i, Eigen::Index j) {
    const auto& options = input.options;
    const bool by_mask = !options.allowed || (*options.allowed)(i, j);
    const bool by_bias =
        !options.bias || (*options.bias)(i, j) != -std::numeric_limits<Compute<Real>>::infinity();
    const bool by_order =
        !options.causal ||
        j - i <= (*options.causal == CausalAlignment::bottom_right ? m - n : Eigen::Index{0});
    return by_mask && by_bias && by_order;
  };
  const auto cotangent = [&](Eigen::Index i, Eigen::Index c) {
    return input.output_gradient.size() == 0 ? Wide(0) : wide(input.output_gradient(i, c));
  };
  sees_.resize(n, m);
  scores_ = weights_ = Matrix<Wide>::Constant(n, m, Wide(0));
  output_ = Matrix<Wide>::Constant(n, d_v, Wide(0));
  gradient_.queries = Matrix<Wide>::Constant(n, d, Wide(0));
  gradient_.keys = Matrix<Wide>::Constant(m, d, Wide(0));
  gradient_.values = Matrix<Wide>::Constant(m, d_v, Wide(0));
  for (Eigen::Index i = 0; i < n; ++i) {
    std::vector<Wide> logits(static_cast<std::size_t>(m));
    std::optional<Wide> greatest;
    for (Eigen::Index j = 0; j < m; ++j) {
      sees_(i, j) = is_allowed(i, j);
      if (!sees_(i, j)) continue;
      for (Eigen::Index l = 0; l < d; ++l)
        scores_(i, j) += wide(input.queries(i, l)) * wide(input.keys(j, l));
      scores_(i, j) *= scale;
      Wide& logit = logits[static_cast<std::size_t>(j)];
      logit = scores_(i, j);
      if (input.options.bias) logit += wide((*input.options.bias)(i, j));
      greatest = greatest ? std::max(*greatest, logit) : logit;
    }
    Wide sum = 0;
    for (Eigen::Index j = 0; j < m; ++j)
      if (sees_(i, j)) {
        weights_(i, j) = exp(Wide(logits[static_cast<std::size_t>(j)] - *greatest));
        sum += weights_(i, j);
      }
    Wide mean = 0;
    std::vector<Wide> by_weight(static_cast<std::size_t>(m));
    for (Eigen::Index j = 0; j < m; ++j) {
      if (!sees_(i, j)) continue;
      weights_(i, j) /= sum;
      for (Eigen::Index c = 0; c < d_v; ++c) {
        output_(i, c) += weights_(i, j) * wide(input.values(j, c));
        gradient_.values(j, c) += weights_(i, j) * cotangent(i, c);
        by_weight[static_cast<std::size_t>(j)] += cotangent(i, c) * wide(input.values(j, c));
      }
      mean += weights_(i, j) * by_weight[static_cast<std::size_t>(j)];
    }
    for (Eigen::Index j = 0; j < m; ++j) {
      if (!sees_(i, j)) continue;
      const Wide by_score =
          scale * weights_(i, j) * (by_weight[static_cast<std::size_t>(j)] - mean);
      for (Eigen::Index l = 0; l < d; ++l) {
        gradient_.queries(i, l) += by_score * wide(input.keys(j, l));
        gradient_.keys(j, l) += by_score * wide(input.queries(i, l));
      }
    }
  }
}

template <class Real, AttentionOf<Real> Scores>
Outcome score_law(const Scores& scores, const AttentionCase<Real>& input,
                  const SoftmaxArithmetic& arithmetic) {
  AttentionCase<Real> unmasked = input;
  unmasked.options = {};
  unmasked.options.scale = input.options.scale;
  const ExactAttention exact(unmasked);
  const Matrix<Real> computed = scores(unmasked);
  if (!detail::same_shape(computed, exact.scores()))
    return detail::wrong_shape(computed, exact.scores());
  const auto errors =
      attention_score_errors<Wide>(input.queries, input.keys, unmasked.options, arithmetic);
  detail::Nearest nearest;
  if (!(errors.reach <= arithmetic.largest) || !errors.error.allFinite()) nearest.vacuous();
  detail::compare_entries(nearest, "the score", computed, exact.scores(), errors.error);
  return nearest.outcome();
}

template <class Real, AttentionOf<Real> Attention>
Outcome output_law(const Attention& attention, const AttentionCase<Real>& input,
                   const SoftmaxArithmetic& arithmetic) {
  const ExactAttention exact(input);
  const Matrix<Real> computed = attention(input);
  if (!detail::same_shape(computed, exact.output()))
    return detail::wrong_shape(computed, exact.output());
  const AttentionErrorBound bound = attention_error_bound<Wide>(
      input.queries, input.keys, input.values, input.options, arithmetic);
  detail::Nearest nearest;
  if (bound.vacuous) nearest.vacuous();
  detail::compare_entries(nearest, "the output", computed, exact.output(), bound.output);
  return nearest.outcome();
}

template <class Real, AttentionOf<Real> Attention>
Outcome convexity_law(const Attention& attention, const AttentionCase<Real>& input,
                      const SoftmaxArithmetic& arithmetic) {
  const ExactAttention exact(input);
  const Matrix<Real> computed = attention(input);
  if (!detail::same_shape(computed, exact.output()))
    return detail::wrong_shape(computed, exact.output());
  const AttentionErrorBound bound = attention_error_bound<Wide>(
      input.queries, input.keys, input.values, input.options, arithmetic);
  detail::Nearest nearest;
  if (bound.vacuous) nearest.vacuous();
  for (Eigen::Index i = 0; i < computed.rows(); ++i)
    for (Eigen::Index c = 0; c < computed.cols(); ++c) {
      std::optional<std::pair<Real, Real>> hull;
      for (Eigen::Index j = 0; j < input.keys.rows(); ++j) {
        if (!exact.sees(i, j)) continue;
        const Real value = input.values(j, c);
        hull = hull ? std::pair(std::min(hull->first, value), std::max(hull->second, value))
                    : std::pair(value, value);
      }
      if (!hull) continue;
      const Wide o(static_cast<long double>(computed(i, c)));
      const Wide low(static_cast<long double>(hull->first));
      const Wide high(static_cast<long double>(hull->second));
      const Wide beyond = std::max({Wide(low - o), Wide(o - high), Wide(0)});
      nearest.compare(
          o == o ? detail::to_double(beyond) : detail::to_double(o), bound.output(i, c), [&] {
            return detail::entry_text("the output", i, c, computed(i, c), o < low ? low : high);
          });
    }
  return nearest.outcome();
}

template <class Real, AttentionGradientOf<Real> Gradient>
Outcome gradient_law(const Gradient& gradient, const AttentionCase<Real>& input,
                     const SoftmaxArithmetic& arithmetic) {
  const ExactAttention exact(input);
  const AttentionGradient<Real> computed = gradient(input);
  const auto bound = attention_gradient_error_bound<Wide>(
      input.queries, input.keys, input.values, input.output_gradient, input.options, arithmetic);
  detail::Nearest nearest;
  if (bound.vacuous) nearest.vacuous();
  const auto compare = [&](const char* what, const Matrix<Real>& x, const Matrix<Wide>& y,
                           const Eigen::MatrixXd& allowed) {
    if (!detail::same_shape(x, y)) return false;
    detail::compare_entries(nearest, what, x, y, allowed);
    return true;
  };
  const auto& wanted = exact.gradient();
  if (!compare("the derivative by Q", computed.queries, wanted.queries, bound.gradient.queries))
    return detail::wrong_shape(computed.queries, wanted.queries);
  if (!compare("the derivative by K", computed.keys, wanted.keys, bound.gradient.keys))
    return detail::wrong_shape(computed.keys, wanted.keys);
  if (!compare("the derivative by V", computed.values, wanted.values, bound.gradient.values))
    return detail::wrong_shape(computed.values, wanted.values);
  return nearest.outcome();
}

template <class Real, AttentionOf<Real> Attention>
Outcome poison_law(const Attention& attention, const AttentionCase<Real>& input) {
  const ExactAttention exact(input);
  const Matrix<Real> clean = attention(input);
  for (const Real poison : detail::poisons<Real>())
    if (!detail::same_numbers<Real>(clean, attention(detail::poisoned(input, exact, poison))))
      return detail::broken("the output changes with " +
                            exact_pair(static_cast<long double>(poison)) +
                            " in what no query sees");
  return {};
}

template <class Real, AttentionGradientOf<Real> Gradient>
Outcome gradient_poison_law(const Gradient& gradient, const AttentionCase<Real>& input) {
  const ExactAttention exact(input);
  const AttentionGradient<Real> clean = gradient(input);
  for (const Real poison : detail::poisons<Real>()) {
    const AttentionGradient<Real> other = gradient(detail::poisoned(input, exact, poison));
    if (!detail::same_numbers<Real>(clean.queries, other.queries) ||
        !detail::same_numbers<Real>(clean.keys, other.keys) ||
        !detail::same_numbers<Real>(clean.values, other.values))
      return detail::broken("the gradient changes with " +
                            exact_pair(static_cast<long double>(poison)) +
                            " in what no query sees");
  }
  return {};
}

}  // namespace sqrtdk::testing
