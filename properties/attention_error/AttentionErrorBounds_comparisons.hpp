// The bounds of \ref AttentionErrorBounds beside the page's formulas in fifty digits.
#pragma once

#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention/pass.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/attention_error/weight_errors.hpp>
#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/laws/exact_attention.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>

#include "properties/attention_error/fixture.hpp"

namespace sqrtdk::properties::AttentionErrorBounds {

enum class Slip {
  none,
  halved,
  doubled,
  finer_roundings,
  exact_weights,
  no_underflow,
  no_storage,
  no_overflow,
  weights_are_stored,
  exact_scores,
  counts_exchanged,
  widths_exchanged,
  zero_times_infinity,
  not_finite_is_zero
};

struct Subject {
  Slip slip = Slip::none;

  SoftmaxArithmetic misread(SoftmaxArithmetic a) const {
    if (slip == Slip::finer_roundings) a.unit_roundoff *= 0.97;
    if (slip == Slip::no_underflow) a.smallest = 0;
    if (slip == Slip::no_storage) a.storage_roundoff = a.storage_smallest = 0;
    if (slip == Slip::weights_are_stored) a.storage_roundoff *= 2;
    if (slip == Slip::no_overflow)
      a.largest = a.storage_largest = std::numeric_limits<double>::infinity();
    return a;
  }
  AttentionWeightErrors misread(AttentionWeightErrors weights) const {
    if (slip == Slip::exact_weights) weights.relative *= 0x1p-30;
    return weights;
  }
  double factor() const { return slip == Slip::halved ? 0.5 : slip == Slip::doubled ? 2 : 1; }
  template <class Real>
  AttentionCase<Real> misread(AttentionCase<Real> input) const {
    if (slip != Slip::not_finite_is_zero) return input;
    const auto finite = [](const Real& x) { return Real(x - x) == Real(0) ? x : Real(0); };
    input.keys = input.keys.unaryExpr(finite).eval();
    input.values = input.values.unaryExpr(finite).eval();
    return input;
  }
  void misread(Eigen::MatrixXd& bound) const {
    bound *= factor();
    if (slip == Slip::zero_times_infinity) bound += 0.0 * bound;
  }

  AttentionErrorBound output(const AttentionWeightErrors& weights, const Eigen::MatrixXd& values,
                             const SoftmaxArithmetic& a) const {
    AttentionErrorBound bound = attention_error_bound(misread(weights), values, misread(a));
    misread(bound.output);
    return bound;
  }
  AttentionGradientErrorBound gradient(const AttentionWeightErrors& weights, double scale,
                                       const Eigen::MatrixXd& q, const Eigen::MatrixXd& k,
                                       const Eigen::MatrixXd& v, const Eigen::MatrixXd& g,
                                       const SoftmaxArithmetic& a) const {
    return multiplied(
        attention_gradient_error_bound(misread(weights), scale, q, k, v, g, misread(a)));
  }
  template <class Real>
  AttentionErrorBound output(const AttentionCase<Real>& given) const {
    const AttentionCase<Real> input = misread(given);
    if (slip == Slip::counts_exchanged)
      sqrtdk::detail::require_equal_counts(input.values, input.keys);
    if (slip == Slip::widths_exchanged)
      sqrtdk::detail::require_equal_widths(input.keys, input.queries);
    AttentionErrorBound bound = attention_error_bound<Wide>(
        input.queries, input.keys, input.values, input.options, misread(arithmetic_of<Real>()));
    misread(bound.output);
    return bound;
  }
  template <class Real>
  AttentionGradientErrorBound gradient(const AttentionCase<Real>& given) const {
    const AttentionCase<Real> input = misread(given);
    if (slip == Slip::counts_exchanged)
      sqrtdk::detail::require_equal_counts(input.values, input.keys);
    return multiplied(attention_gradient_error_bound<Wide>(input.queries, input.keys, input.values,
                                                           input.output_gradient, input.options,
                                                           misread(arithmetic_of<Real>())));
  }

 private:
  AttentionGradientErrorBound multiplied(AttentionGradientErrorBound bound) const {
    misread(bound.gradient.queries);
    misread(bound.gradient.keys);
    misread(bound.gradient.values);
    return bound;
  }
};

inline Eigen::MatrixXd in_double(const RationalMatrix& x) {
  return x.unaryExpr([](const Rational& entry) { return entry.convert_to<double>(); });
}

inline Wide size_of(long double x) { return abs(Wide(x)); }

/// The library's code with given weights, one query after the other.
template <class Real>
struct GivenWeights {
  Matrix<Real> weights;
  mutable Index row = 0;

  template <class Derived>
  Eigen::Matrix<Real, Eigen::Dynamic, 1> operator()(const Eigen::MatrixBase<Derived>&) const {
    return weights.row(row++).transpose();
  }
};

struct WeightedCase {
  RationalMatrix q, k, v, g, weights, plus, rho;
};

/// The largest part of its bound that the error of any number takes; and the part that the error
/// of the first number in each result takes.
struct Reached {
  double worst = 0;
  double output = 0, by_query = 0, by_key = 0, by_value = 0;
};

inline Reached reached(const Subject& subject, const WeightedCase& x) {
  const AttentionWeightErrors errors{in_double(x.plus), in_double(x.rho)};
  RationalMatrix off = x.weights;
  for (Index i = 0; i < off.size(); ++i) off(i) += Erring::direction() * x.rho(i) * x.plus(i);

  const AttentionOptions<Rational> plain;
  const AttentionOptions<Erring> erring_plain;
  const RationalMatrix output =
      scaled_dot_product_attention(x.q, x.k, x.v, plain, GivenWeights<Rational>{x.weights}).output;
  const auto gradient =
      attention_gradient(x.q, x.k, x.v, x.g, plain, GivenWeights<Rational>{x.weights});
  const Matrix<Erring> computed =
      scaled_dot_product_attention(erring(x.q), erring(x.k), erring(x.v), erring_plain,
                                   GivenWeights<Erring>{erring(off)})
          .output;
  const auto computed_gradient =
      attention_gradient(erring(x.q), erring(x.k), erring(x.v), erring(x.g), erring_plain,
                         GivenWeights<Erring>{erring(off)});

  const SoftmaxArithmetic a = erring_arithmetic();
  const double scale = 1 / std::sqrt(static_cast<double>(x.q.cols()));
  const AttentionErrorBound bound = subject.output(errors, in_double(x.v), a);
  const AttentionGradientErrorBound of_gradient = subject.gradient(
      errors, scale, in_double(x.q), in_double(x.k), in_double(x.v), in_double(x.g), a);
  Reached result;
  const auto compare = [&](const Matrix<Erring>& off_by, const RationalMatrix& exact,
                           const Eigen::MatrixXd& allowed) {
    for (Index i = 0; i < exact.size(); ++i) {
      const Rational error = abs(off_by(i).value - exact(i));
      const Rational ratio = error == 0 ? Rational(0) : Rational(error / Rational(allowed(i)));
      result.worst = std::max(result.worst, ratio.convert_to<double>());
    }
    return Rational(abs(off_by(0).value - exact(0)) / Rational(allowed(0))).convert_to<double>();
  };
  result.output = compare(computed, output, bound.output);
  result.by_query =
      compare(computed_gradient.queries, gradient.queries, of_gradient.gradient.queries);
  result.by_key = compare(computed_gradient.keys, gradient.keys, of_gradient.gradient.keys);
  result.by_value = compare(computed_gradient.values, gradient.values, of_gradient.gradient.values);
  return result;
}

/// The most steps of a bound's computation that raise its result.
constexpr int bound_steps = 8;

/// True if a computed bound is the page's, up to the products that underflow in it.
inline bool same_bound(const Eigen::MatrixXd& computed, const Matrix<Wide>& page) {
  if (computed.rows() != page.rows() || computed.cols() != page.cols()) return false;
  for (Index i = 0; i < page.size(); ++i)
    if (!is_raised(computed(i), page(i), bound_steps, lost_in_double)) return false;
  return true;
}

/// |f|, what the page multiplies dot products by.
template <class Real>
Wide scale_of_the_page(const AttentionCase<Real>& input) {
  return input.options.scale ? size_of(static_cast<long double>(*input.options.scale))
                             : Wide(1 / sqrt(Wide(input.queries.cols())));
}

/// The errors of the weights as the page has them; 0 for masked keys.
struct WeightErrorsOfThePage {
  Matrix<Wide> rho;   // ρ
  Matrix<Wide> plus;  // p⁺
};

/// A second route to attention_weight_errors(), of which it uses nothing on purpose.
template <class Real>
WeightErrorsOfThePage weight_errors_of_the_page(const AttentionCase<Real>& input,
                                                const ExactAttention& exact) {
  const SoftmaxArithmetic a = arithmetic_of<Real>();
  const Index m = input.keys.rows();
  const Index d = input.queries.cols();
  const auto size = [](const auto& x) { return size_of(static_cast<long double>(x)); };
  const Wide u = a.unit_roundoff;
  const Wide lambda = a.smallest / (2 * u);
  const Wide c = scale_of_the_page(input);

  Matrix<Wide> rho = Matrix<Wide>::Constant(input.queries.rows(), m, Wide(0));
  Matrix<Wide> plus = rho;
  for (Index i = 0; i < rho.rows(); ++i) {
    std::vector<Index> seen;
    Wide off = 0;
    for (Index j = 0; j < m; ++j) {
      if (!exact.sees(i, j)) continue;
      seen.push_back(j);
      Wide sum = 0;
      for (Index l = 0; l < d; ++l)
        sum += size(input.queries(i, l)) * size(input.keys(j, l)) + lambda;
      Wide error = gamma_of(d + 2, u) * (c * sum + lambda);
      if (input.options.bias)
        error = gamma_of(d + 3, u) * (c * sum + lambda) + u * size((*input.options.bias)(i, j));
      off = std::max(off, error);
    }
    if (seen.empty()) continue;
    if (seen.size() == 1) off = 0;

    Eigen::VectorXd logits(static_cast<Index>(seen.size()));
    for (Index b = 0; b < logits.size(); ++b) {
      const Index j = seen[static_cast<std::size_t>(b)];
      Wide logit = exact.scores()(i, j);
      if (input.options.bias) logit += Wide(static_cast<long double>((*input.options.bias)(i, j)));
      logits[b] = static_cast<double>(logit);
    }
    SoftmaxArithmetic worse = a;
    worse.storage_roundoff = worse.storage_smallest = 0;
    const Wide more = 4 * off + (exp(Wide(2 * off)) - 1) * log(Wide(seen.size()));
    worse.exp_error += static_cast<double>(more) / 2;
    worse.depth_of_underflow += static_cast<double>(2 * off);
    const SoftmaxErrorBound softmax_bound = softmax_error_bound(logits, 1.0, worse);
    for (Index b = 0; b < logits.size(); ++b) {
      const Index j = seen[static_cast<std::size_t>(b)];
      rho(i, j) = std::max(u, Wide((1 + Wide(softmax_bound.relative[b])) * exp(Wide(2 * off)) - 1));
      plus(i, j) = exact.weights()(i, j) + 2 * (worse.exp_error + 2) * lambda;
    }
  }
  return {rho, plus};
}

/// True if the bounds are those of the page, in fifty digits, and for vacuous ones.
///
/// A second route to attention_error_bound() and attention_gradient_error_bound(), of which it uses
/// nothing on purpose.
template <class Real>
bool are_those_of_the_page(const Subject& subject, const AttentionCase<Real>& input) {
  const SoftmaxArithmetic a = arithmetic_of<Real>();
  const AttentionErrorBound output_bound = subject.output(input);
  const AttentionGradientErrorBound gradient_bound = subject.gradient(input);
  if (output_bound.vacuous || gradient_bound.vacuous) return true;
  const ExactAttention exact(input);
  const Index n = input.queries.rows();
  const Index m = input.keys.rows();
  const Index d = input.queries.cols();
  const Index d_v = input.values.cols();
  const auto size = [](const auto& x) { return size_of(static_cast<long double>(x)); };
  const Wide u = a.unit_roundoff;
  const Wide lambda = a.smallest / (2 * u);
  const Wide c = scale_of_the_page(input);
  const WeightErrorsOfThePage weights = weight_errors_of_the_page(input, exact);
  const Matrix<Wide>& rho = weights.rho;
  const Matrix<Wide>& plus = weights.plus;

  const auto part = [&](const Wide& largest, int w, Index k) {
    return Wide(pow(Wide(1 + largest), w) * (1 + gamma_of(k, u)) - 1);
  };
  const auto stored = [&](const Wide& error, const Wide& magnitude) -> Wide {
    return error + a.storage_roundoff * (magnitude + error) + wide(a.storage_smallest) / 2;
  };
  Matrix<Wide> output = Matrix<Wide>::Constant(n, d_v, Wide(0));
  Matrix<Wide> of_queries = Matrix<Wide>::Constant(n, d, Wide(0));
  Matrix<Wide> of_keys = Matrix<Wide>::Constant(m, d, Wide(0));
  Matrix<Wide> of_values = Matrix<Wide>::Constant(m, d_v, Wide(0));
  for (Index i = 0; i < n; ++i) {
    const auto gain = [&](Index j) {
      Wide sum = 0;
      for (Index k = 0; k < d_v; ++k)
        sum += size(input.output_gradient(i, k)) * size(input.values(j, k)) + lambda;
      return sum;
    };
    Wide mean = 0;
    for (Index j = 0; j < m; ++j)
      if (exact.sees(i, j)) mean += plus(i, j) * gain(j) + lambda;
    for (Index j = 0; j < m; ++j) {
      if (!exact.sees(i, j)) continue;
      const Wide by_score = plus(i, j) * (gain(j) + mean) + lambda;
      for (Index k = 0; k < d_v; ++k)
        of_values(j, k) += plus(i, j) * size(input.output_gradient(i, k)) + lambda;
      for (Index l = 0; l < d; ++l) {
        of_queries(i, l) += by_score * size(input.keys(j, l)) + lambda;
        of_keys(j, l) += by_score * size(input.queries(i, l)) + lambda;
      }
    }
    for (Index k = 0; k < d_v && rho.row(i).maxCoeff() > 0; ++k) {
      Wide error = 0;
      Wide magnitude = 0;
      for (Index j = 0; j < m; ++j) {
        if (!exact.sees(i, j)) continue;
        const Wide product = plus(i, j) * size(input.values(j, k)) + lambda;
        magnitude += product;
        error += part(rho(i, j), 1, m) * product;
      }
      output(i, k) = stored(error, magnitude);
    }
  }

  // For a query the largest ρ of its row, for a key that of the queries that see it.
  const auto of_row = [&](Index i) { return Wide(rho.row(i).maxCoeff()); };
  const auto of_key = [&](Index j) {
    Wide largest = 0;
    for (Index i = 0; i < n; ++i)
      if (exact.sees(i, j)) largest = std::max(largest, of_row(i));
    return largest;
  };
  const auto of_column = [&](Index j) { return Wide(rho.col(j).maxCoeff()); };
  const auto finished = [&](Matrix<Wide> magnitudes, const Wide& scale, bool scaled,
                            const auto& largest, int w, Index k) {
    for (Index i = 0; i < magnitudes.rows(); ++i)
      for (Index l = 0; l < magnitudes.cols(); ++l) {
        Wide& x = magnitudes(i, l);
        if (scaled) x = scale * x + lambda;
        x = largest(i) == 0 ? Wide(0) : stored(part(largest(i), w, k) * x, x);
      }
    return magnitudes;
  };
  const AttentionGradient<double>& gradient = gradient_bound.gradient;
  return same_bound(output_bound.output, output) &&
         same_bound(gradient.queries, finished(of_queries, c, true, of_row, 2, d_v + 2 * m + 4)) &&
         same_bound(gradient.keys, finished(of_keys, c, true, of_key, 2, d_v + m + n + 4)) &&
         same_bound(gradient.values, finished(of_values, c, false, of_column, 1, n));
}

}  // namespace sqrtdk::properties::AttentionErrorBounds
