// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/laws/compare_arrays.hpp>
#include <sqrtdk/testing/laws/exact_attention.hpp>
#include <sqrtdk/testing/laws/exact_softmax.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

namespace {

/// Part of a bound up to which an error that was measured against a Reference leaves no doubt: that is
/// computed as the book's own code does, whose error is at most 16 times the ratio of the two units of the
/// bound, since every term of a bound is at least proportional to the unit. What is nearer to the bound
/// is decided by fifty digits.
/// \param unit_roundoff of the kernel's computing: what the storage adds to a bound takes nothing from this.
template <class Real>
double doubt(double unit_roundoff) {
  return 16 * std::ldexp(1.0, -std::numeric_limits<Reference<Real>>::digits) / unit_roundoff;
}

/// Softmax rows of one kind: their exact entries and how far they may be off.
template <class Real>
class Row {
 public:
  using Fast = Reference<Real>;

  Row(std::vector<Real> logits, double temperature, const SoftmaxArithmetic& arithmetic,
      bool logarithm)
      : x_(std::move(logits)),
        temperature_(static_cast<Compute<Real>>(temperature)),
        logarithm_(logarithm) {
    const auto column = testing::detail::as_vector(x_);
    if (logarithm)
      of_logarithm_ = log_softmax_error_bound(column, temperature_, arithmetic);
    else
      of_weight_ = softmax_error_bound(column, temperature_, arithmetic);
    const Eigen::Matrix<Fast, Eigen::Dynamic, 1> wide =
        column.template cast<Compute<Real>>().template cast<Fast>();
    reference_ =
        logarithm ? log_softmax(wide, Fast(temperature_)) : softmax(wide, Fast(temperature_));
  }

  /// What is right at j, to nineteen digits.
  Fast reference(std::size_t j) const { return reference_[index(j)]; }

  /// What is right at j, to fifty.
  Wide exact(std::size_t j) {
    if (!exact_) exact_ = std::make_unique<ExactSoftmax<Real>>(x_, Real(temperature_));
    return logarithm_ ? exact_->logarithm(j) : (*exact_)[j];
  }

  /// How far an entry may be off. A weight beyond which nothing is known is no promise.
  double bound(std::size_t j, double right) const {
    const double bound = logarithm_ ? of_logarithm_[index(j)] : of_weight_(index(j), right);
    const bool vacuous =
        logarithm_ ? !(2 * bound < 1 + std::abs(right)) : of_weight_.vacuous(index(j));
    return vacuous && right != -std::numeric_limits<double>::infinity()
               ? std::numeric_limits<double>::infinity()
               : bound;
  }

 private:
  static Eigen::Index index(std::size_t j) { return static_cast<Eigen::Index>(j); }

  std::vector<Real> x_;
  Compute<Real> temperature_;
  bool logarithm_;
  Eigen::VectorXd of_logarithm_;
  SoftmaxErrorBound of_weight_;
  Eigen::Matrix<Fast, Eigen::Dynamic, 1> reference_;
  std::unique_ptr<ExactSoftmax<Real>> exact_;
};

/// Row i as a list.
template <class Real>
std::vector<Real> row_of(const Matrix<Real>& matrix, Eigen::Index i) {
  std::vector<Real> row(static_cast<std::size_t>(matrix.cols()));
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = matrix(i, static_cast<Eigen::Index>(j));
  return row;
}

/// A case in the format of the reference, exactly.
template <class Real>
AttentionCase<Reference<Real>> in_fast(const AttentionCase<Real>& input) {
  using Fast = Reference<Real>;
  const auto cast = [](const auto& matrix) -> Matrix<Fast> {
    using Scalar = typename std::decay_t<decltype(matrix)>::Scalar;
    return matrix.template cast<Compute<Scalar>>().template cast<Fast>();
  };
  AttentionCase<Fast> result{
      cast(input.queries), cast(input.keys), cast(input.values), cast(input.output_gradient), {}};
  if (input.options.scale) result.options.scale = Fast(*input.options.scale);
  if (input.options.bias) result.options.bias = cast(*input.options.bias);
  result.options.allowed = input.options.allowed;
  result.options.causal = input.options.causal;
  return result;
}

/// A query that sees no key, by a convention.
template <class Real>
Finding empty_row(const AttentionCase<Real>& input, const Matrix<Real>& computed, Eigen::Index i,
                  const SoftmaxArithmetic& arithmetic, EmptyRows convention) {
  const auto held_to = [&](const auto& right, const auto& may) {
    Finding finding;
    for (Eigen::Index c = 0; c < computed.cols(); ++c) {
      const double is = static_cast<double>(computed(i, c));
      const double wanted = right(c);
      const double off = std::isnan(wanted)
                             ? (std::isnan(is) ? 0 : std::numeric_limits<double>::infinity())
                             : distance(is, wanted);
      finding.add(i, c, is, wanted, off, may(c));
    }
    return finding;
  };
  const auto nothing = [](Eigen::Index) { return 0.0; };
  const Finding zero = held_to(nothing, nothing);
  if (convention == EmptyRows::zero || (convention == EmptyRows::any && zero.holds())) return zero;
  const Finding nan =
      held_to([](Eigen::Index) { return std::numeric_limits<double>::quiet_NaN(); }, nothing);
  if (convention == EmptyRows::nan || (convention == EmptyRows::any && nan.holds())) return nan;
  using Fast = Reference<Real>;
  // Equal scores of all keys, as a finite number in the place of −∞ leaves them.
  AttentionCase<Real> equal{Matrix<Real>::Constant(1, input.queries.cols(), Real(0)),
                            Matrix<Real>::Constant(input.keys.rows(), input.keys.cols(), Real(0)),
                            input.values,
                            {},
                            {}};
  const AttentionErrorBound bound = attention_error_bound<Fast>(
      equal.queries, equal.keys, equal.values, equal.options, arithmetic);
  const ExactAttention exact(equal);
  const Finding mean = held_to([&](Eigen::Index c) { return to_double(exact.output()(0, c)); },
                               [&](Eigen::Index c) { return bound.output(0, c); });
  return convention == EmptyRows::mean || mean.holds() ? mean : zero;
}

}  // namespace

template <class Real>
AttentionCase<Real> of_query(const AttentionCase<Real>& input, Eigen::Index i) {
  AttentionCase<Real> one{input.queries.row(i), input.keys, input.values, {}, {}};
  one.options.scale = input.options.scale;
  const sqrtdk::detail::Visibility<Compute<Real>> sees(input.options, input.queries.rows(),
                                                       input.keys.rows());
  one.options.allowed = Matrix<bool>(1, input.keys.rows());
  for (Eigen::Index j = 0; j < input.keys.rows(); ++j) (*one.options.allowed)(0, j) = sees(i, j);
  if (input.options.bias) one.options.bias = input.options.bias->row(i);
  return one;
}

template <class Real>
Finding compare_softmax(const Matrix<Real>& computed, const Matrix<Real>& logits,
                        double temperature, const SoftmaxArithmetic& arithmetic, bool logarithm) {
  if (computed.rows() != logits.rows() || computed.cols() != logits.cols())
    throw std::invalid_argument("there must be as many weights as logits");
  using Fast = Reference<Real>;
  const double part = doubt<Real>(arithmetic.unit_roundoff);
  Finding all;
  for (Eigen::Index i = 0; i < logits.rows(); ++i) {
    Row<Real> row(row_of(logits, i), temperature, arithmetic, logarithm);
    for (Eigen::Index c = 0; c < logits.cols(); ++c) {
      const auto j = static_cast<std::size_t>(c);
      const auto is = static_cast<double>(computed(i, c));
      Fast right = row.reference(j);
      auto off = static_cast<double>(distance(Fast(is), right));
      double may = row.bound(j, static_cast<double>(right));
      // Near the bound the exact number decides.
      const double ratio = Finding::ratio(off, may);
      if (std::abs(ratio - 1) <= part) {
        const Wide exact = row.exact(j);
        right = exact.convert_to<Fast>();
        may = row.bound(j, to_double(exact));
        off = to_double(distance(Wide(is), exact));
      }
      all.add(i, c, is, static_cast<double>(right), off, may);
    }
  }
  return all;
}

template <class Real>
Eigen::MatrixXd softmax_numbers(const Matrix<Real>& logits, double temperature,
                                const SoftmaxArithmetic& arithmetic, bool logarithm, bool bounds) {
  Eigen::MatrixXd numbers(logits.rows(), logits.cols());
  for (Eigen::Index i = 0; i < logits.rows(); ++i) {
    const Row<Real> row(row_of(logits, i), temperature, arithmetic, logarithm);
    for (Eigen::Index c = 0; c < logits.cols(); ++c) {
      const auto j = static_cast<std::size_t>(c);
      const auto right = static_cast<double>(row.reference(j));
      numbers(i, c) = bounds ? row.bound(j, right) : right;
    }
  }
  return numbers;
}

template <class Real>
Finding compare_attention(const AttentionCase<Real>& input, const Matrix<Real>& computed,
                          const SoftmaxArithmetic& arithmetic, EmptyRows empty_rows) {
  using Fast = Reference<Real>;
  const double part = doubt<Real>(arithmetic.unit_roundoff);
  const AttentionErrorBound bound = attention_error_bound<Fast>(
      input.queries, input.keys, input.values, input.options, arithmetic);
  const AttentionCase<Fast> fast = in_fast(input);
  const Matrix<Fast> reference =
      scaled_dot_product_attention(fast.queries, fast.keys, fast.values, fast.options).output;
  const sqrtdk::detail::Visibility<Compute<Real>> sees(input.options, input.queries.rows(),
                                                       input.keys.rows());
  Finding all;
  for (Eigen::Index i = 0; i < computed.rows(); ++i) {
    if (sees.of(i).empty()) {
      all.add(empty_row(input, computed, i, arithmetic, empty_rows));
      continue;
    }
    std::optional<ExactAttention> exact;
    for (Eigen::Index c = 0; c < computed.cols(); ++c) {
      const double is = static_cast<double>(computed(i, c));
      const double may = bound.output(i, c);
      auto right = static_cast<double>(reference(i, c));
      auto off = static_cast<double>(distance(Fast(is), reference(i, c)));
      const double ratio = Finding::ratio(off, may);
      if (std::abs(ratio - 1) <= part) {
        if (!exact) exact.emplace(of_query(input, i));
        right = to_double(exact->output()(0, c));
        off = to_double(distance(Wide(is), exact->output()(0, c)));
      }
      all.add(i, c, is, right, off, may);
    }
  }
  return all;
}

template <class Real>
std::vector<Finding> compare_attention_gradients(const AttentionCase<Real>& input,
                                                 const AttentionGradient<Real>& computed,
                                                 const SoftmaxArithmetic& arithmetic,
                                                 EmptyRows empty_rows) {
  using Fast = Reference<Real>;
  // A query that sees no key has a part in all derivatives by keys and values, and in its own.
  const sqrtdk::detail::Visibility<Compute<Real>> sees(input.options, input.queries.rows(),
                                                       input.keys.rows());
  std::vector<bool> is_empty;
  for (Eigen::Index i = 0; i < input.queries.rows(); ++i)
    is_empty.push_back(empty_rows == EmptyRows::any && sees.of(i).empty());
  const bool any_empty = std::find(is_empty.begin(), is_empty.end(), true) != is_empty.end();
  const double part = doubt<Real>(arithmetic.unit_roundoff);
  const auto bound = attention_gradient_error_bound<Fast>(
      input.queries, input.keys, input.values, input.output_gradient, input.options, arithmetic);
  const AttentionCase<Fast> fast = in_fast(input);
  const AttentionGradient<Fast> reference =
      attention_gradient(fast.queries, fast.keys, fast.values, fast.output_gradient, fast.options);
  std::optional<ExactAttention> exact;
  const auto one = [&](auto member) {
    Finding finding;
    const auto& is = computed.*member.of_computed;
    for (Eigen::Index i = 0; i < is.rows(); ++i)
      for (Eigen::Index j = 0; j < is.cols(); ++j) {
        const double number = static_cast<double>(is(i, j));
        const double may = (bound.gradient.*member.of_bound)(i, j);
        const Fast near = (reference.*member.of_reference)(i, j);
        auto right = static_cast<double>(near);
        auto off = static_cast<double>(distance(Fast(number), near));
        const double ratio = Finding::ratio(off, may);
        if (std::abs(ratio - 1) <= part) {
          if (!exact) exact.emplace(input);
          const Wide& wanted = (exact->gradient().*member.of_exact)(i, j);
          right = to_double(wanted);
          off = to_double(distance(Wide(number), wanted));
        }
        const bool agreed = member.of_query ? !is_empty[static_cast<std::size_t>(i)] : !any_empty;
        const bool promised = agreed || off <= may;
        finding.add(i, j, number, right, off,
                    promised ? may : std::numeric_limits<double>::infinity());
      }
    return finding;
  };
  struct Member {
    bool of_query;
    Matrix<Real> AttentionGradient<Real>::*of_computed;
    Eigen::MatrixXd AttentionGradient<double>::*of_bound;
    Matrix<Fast> AttentionGradient<Fast>::*of_reference;
    Matrix<Wide> AttentionGradient<Wide>::*of_exact;
  };
  return {one(Member{true, &AttentionGradient<Real>::queries, &AttentionGradient<double>::queries,
                     &AttentionGradient<Fast>::queries, &AttentionGradient<Wide>::queries}),
          one(Member{false, &AttentionGradient<Real>::keys, &AttentionGradient<double>::keys,
                     &AttentionGradient<Fast>::keys, &AttentionGradient<Wide>::keys}),
          one(Member{false, &AttentionGradient<Real>::values, &AttentionGradient<double>::values,
                     &AttentionGradient<Fast>::values, &AttentionGradient<Wide>::values})};
}

template <class Real>
Eigen::MatrixXd attention_numbers(const AttentionCase<Real>& input,
                                  const SoftmaxArithmetic& arithmetic, bool bounds) {
  using Fast = Reference<Real>;
  if (bounds)
    return attention_error_bound<Fast>(input.queries, input.keys, input.values, input.options,
                                       arithmetic)
        .output;
  const AttentionCase<Fast> fast = in_fast(input);
  return scaled_dot_product_attention(fast.queries, fast.keys, fast.values, fast.options)
      .output.template cast<double>();
}

#define SQRTDK_COMPARE_ARRAYS(Real)                                                                \
  template Finding compare_softmax(const Matrix<Real>&, const Matrix<Real>&, double,               \
                                   const SoftmaxArithmetic&, bool);                                \
  template Eigen::MatrixXd softmax_numbers(const Matrix<Real>&, double, const SoftmaxArithmetic&,  \
                                           bool, bool);                                            \
  template Finding compare_attention(const AttentionCase<Real>&, const Matrix<Real>&,              \
                                     const SoftmaxArithmetic&, EmptyRows);                         \
  template std::vector<Finding> compare_attention_gradients(const AttentionCase<Real>&,            \
                                                            const AttentionGradient<Real>&,        \
                                                            const SoftmaxArithmetic&, EmptyRows);  \
  template Eigen::MatrixXd attention_numbers(const AttentionCase<Real>&, const SoftmaxArithmetic&, \
                                             bool);                                                \
  template AttentionCase<Real> of_query(const AttentionCase<Real>&, Eigen::Index);
SQRTDK_COMPARE_ARRAYS(float)
SQRTDK_COMPARE_ARRAYS(double)

}  // namespace sqrtdk::testing
