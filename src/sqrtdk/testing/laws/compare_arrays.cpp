#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/jacobian_error.hpp>
#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/testing/laws/compare_arrays.hpp>
#include <sqrtdk/testing/laws/exact_attention.hpp>
#include <sqrtdk/testing/laws/exact_softmax.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace sqrtdk::testing {

namespace {

using Index = Eigen::Index;

/// The part of a bound that a Reference leaves in doubt: each term of a bound is at least proportional
/// to its unit, and the reference rounds no more often than this.
/// \param unit_roundoff of the kernel's computing: what the storage adds takes nothing from this.
template <class Real>
double doubt(double unit_roundoff, double roundings = 16) {
  return roundings * std::ldexp(1.0, -std::numeric_limits<Reference<Real>>::digits) / unit_roundoff;
}

/// The bound of a number that is rounded once more, to what it is stored in.
double stored(double error, double right, const SoftmaxArithmetic& by) {
  if (by.storage_roundoff == 0) return error;
  const double size = std::abs(right) + error;
  const double all = error + by.storage_roundoff * size + by.storage_smallest / 2;
  const bool fits = sqrtdk::detail::fits_in_range(std::abs(right) + all, by.storage_largest);
  return fits ? (1 + bound_margin) * all : vacuous_bound;
}

template <class Make>
auto lazily(Make make) -> std::function<decltype(make())&()> {
  struct Made {
    Make make;
    std::optional<decltype(make())> made = {};
  };
  return [of = std::make_shared<Made>(Made{std::move(make)})]() -> auto& {
    if (!of->made) of->made.emplace(of->make());
    return *of->made;
  };
}

template <class Real>
std::vector<bool> empty_rows_of(const AttentionCase<Real>& input) {
  const sqrtdk::detail::Visibility<Real> sees(input.options, input.queries.rows(),
                                              input.keys.rows());
  std::vector<bool> empty;
  for (Index i = 0; i < input.queries.rows(); ++i) empty.push_back(sees.of(i).empty());
  return empty;
}

template <class Real>
Target::Row empty_row(const Matrix<Real>& values, const SoftmaxArithmetic& arithmetic,
                      EmptyRows convention) {
  // Without values, or with one that is no number, as in padding, the mean is NaN.
  std::vector<bool> none;
  Matrix<Real> finite = values;
  for (Index c = 0; c < values.cols(); ++c) {
    none.push_back(values.rows() == 0 || !values.col(c).allFinite());
    if (none.back()) finite.col(c).setZero();
  }
  const bool any = convention == EmptyRows::any, mean = convention == EmptyRows::mean;
  const AttentionCase<Real> equal{
      Matrix<Real>::Zero(1, 1), Matrix<Real>::Zero(values.rows(), 1), finite, {}, {}};
  const auto output = lazily([=] { return ExactAttention(equal).output(); });
  const auto bound = lazily([=] {
    return attention_error_bound<Reference<Real>>(equal.queries, equal.keys, equal.values,
                                                  equal.options, arithmetic)
        .output;
  });
  const auto exact = [=](Index c, double is) {
    const bool has_mean = !none[static_cast<std::size_t>(c)];
    if (mean && has_mean) return output()(0, c);
    if (!any) return Wide(convention == EmptyRows::zero ? 0 : std::nan(""));
    if (is == 0 || std::isnan(is) || !has_mean) return Wide(std::isnan(is) ? is : 0);
    return Wide(std::clamp<double>(is, values.col(c).minCoeff(), values.col(c).maxCoeff()));
  };
  return {[=](Index c, double is) { return exact(c, is).template convert_to<long double>(); },
          exact,
          [=](Index c, double) {
            return (any || mean) && !none[static_cast<std::size_t>(c)] ? bound()(0, c) : 0;
          }};
}

}  // namespace

Finding Target::compare(const Eigen::MatrixXd& computed) const {
  if (computed.rows() != rows || computed.cols() != columns)
    throw std::invalid_argument("an array is " + sqrtdk::detail::shape_text(computed) +
                                ", but must be " + std::to_string(rows) + " x " +
                                std::to_string(columns));
  Finding all;
  for (Index i = 0; i < rows; ++i) {
    const Row of = row(i);
    for (Index j = 0; j < columns; ++j) {
      const double is = computed(i, j);
      const long double near = of.near(j, is);
      const auto right = static_cast<double>(near);
      Finding one{
          i, j, is, right, static_cast<double>(distance<long double>(is, near)), of.bound(j, right),
          1};
      if (std::isnan(near)) one.error = std::isnan(is) ? 0 : vacuous_bound;
      if (std::abs(one.ratio() - 1) <= doubt) {
        const Wide exact = of.exact(j, is);
        one.exact = to_double(exact);
        one.error = to_double(distance(Wide(is), exact));
        one.bound = of.bound(j, one.exact);
      }
      const bool kept = one.error <= one.bound;
      if (!kept && !open.empty() && open[static_cast<std::size_t>(i)]) one.bound = vacuous_bound;
      one.unbounded = std::isinf(one.bound);
      one.beyond = !kept && one.unbounded == 0;
      all.add(one);
    }
  }
  return all;
}

Eigen::MatrixXd Target::numbers(TargetNumbers kind) const {
  Eigen::MatrixXd all(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    const Row of = row(i);
    for (Index j = 0; j < columns; ++j) {
      const auto near = static_cast<double>(of.near(j, 0));
      all(i, j) = kind == TargetNumbers::bounds ? of.bound(j, near) : near;
      if (kind == TargetNumbers::exact) all(i, j) = to_double(of.exact(j, 0));
    }
  }
  return all;
}

template <class Real>
Target softmax_target(const Matrix<Real>& logits, double temperature,
                      const SoftmaxArithmetic& arithmetic, OfLogits what) {
  using Fast = Reference<Real>;
  const auto row = [=, tau = static_cast<Real>(temperature)](Index i) -> Target::Row {
    const std::vector<Real> x(logits.row(i).begin(), logits.row(i).end());
    const auto column = detail::as_vector(x);
    const ColumnOf<Fast> wide = column.template cast<Fast>();
    const auto exact = lazily([=] { return ExactSoftmax<Real>(x, tau); });
    const auto to = [](Index j) { return static_cast<std::size_t>(j); };
    if (what == OfLogits::weights)
      return {[near = softmax(wide, Fast(tau))](Index j, double) { return near[j]; },
              [=](Index j, double) { return exact()[to(j)]; },
              [=, bound = softmax_error_bound(column, tau, arithmetic)](Index j, double right) {
                // No promise then, nor for a nonzero weight of a score of −∞.
                if (bound.vacuous(j)) return vacuous_bound;
                return detail::is_masked(x[to(j)]) ? 0 : bound(j, right);
              }};
    if (what == OfLogits::logarithms)
      return {[near = log_softmax(wide, Fast(tau))](Index j, double) { return near[j]; },
              [=](Index j, double) { return exact().logarithm(to(j)); },
              [bound = log_softmax_error_bound(column, tau, arithmetic)](Index j, double right) {
                return 2 * bound[j] < 1 + std::abs(right) ? bound[j] : vacuous_bound;
              }};
    const Fast sum = log_sum_exp(wide, Fast(tau));
    const auto most = static_cast<double>(wide.maxCoeff() / Fast(tau));
    return {[=](Index, double) { return sum; },
            [=](Index, double) { return exact().log_sum_exp(); },
            [=, bound = log_sum_exp_error_bound(column, tau, arithmetic)](Index, double right) {
              const bool says = 2 * bound < 1 + std::abs(most) + (right - most);
              return says ? stored(bound, right, arithmetic) : vacuous_bound;
            }};
  };
  return {logits.rows(), what == OfLogits::log_sum_exp ? 1 : logits.cols(), row,
          doubt<Real>(arithmetic.unit_roundoff)};
}

template <class Real>
Target backward_target(const Matrix<Real>& weights, const Matrix<Real>& cotangents,
                       const SoftmaxArithmetic& arithmetic) {
  using Fast = Reference<Real>;
  for (const Real g : cotangents.reshaped())
    sqrtdk::detail::require_finite("an entry of the gradient", g);
  const auto row = [=](Index i) -> Target::Row {
    const ColumnOf<Real> p = weights.row(i), g = cotangents.row(i);
    const ColumnOf<Fast> wide_p = p.template cast<Fast>(), wide_g = g.template cast<Fast>();
    const auto mean = lazily([=] {
      Wide sum = 0;
      for (Index j = 0; j < p.size(); ++j) sum += Wide(p[j]) * Wide(g[j]);
      return sum;
    });
    return {[near = vector_jacobian_product(wide_p, wide_g)](Index j, double) { return near[j]; },
            [=](Index j, double) { return Wide(Wide(p[j]) * (Wide(g[j]) - mean())); },
            [=, bound = vector_jacobian_error_bound(p, g, arithmetic)](Index j, double right) {
              return stored(bound[j], right, arithmetic);
            }};
  };
  return {weights.rows(), weights.cols(), row, doubt<Real>(arithmetic.unit_roundoff)};
}

template <class Real>
Target log_softmax_backward_target(const Matrix<Real>& logarithms, const Matrix<Real>& cotangents,
                                   const SoftmaxArithmetic& arithmetic) {
  using Fast = Reference<Real>;
  for (const Real g : cotangents.reshaped())
    sqrtdk::detail::require_finite("an entry of the gradient", g);
  const auto row = [=](Index i) -> Target::Row {
    const ColumnOf<Real> y = logarithms.row(i), g = cotangents.row(i);
    const ColumnOf<Fast> wide_y = y.template cast<Fast>(), wide_g = g.template cast<Fast>();
    const auto sum = lazily([=] {
      Wide all = 0;
      for (const Real x : g) all += Wide(x);
      return all;
    });
    return {[=, near = wide_g.sum()](Index j, double) -> long double {
              return wide_g[j] - std::exp(wide_y[j]) * near;
            },
            [=](Index j, double) { return Wide(Wide(g[j]) - exp(Wide(y[j])) * sum()); },
            [=, bound = log_softmax_backward_error_bound(y, g, arithmetic)](Index j, double right) {
              return stored(bound[j], right, arithmetic);
            }};
  };
  return {logarithms.rows(), logarithms.cols(), row, doubt<Real>(arithmetic.unit_roundoff)};
}

template <class Real>
AttentionCase<Real> of_query(const AttentionCase<Real>& input, Index i) {
  AttentionCase<Real> one{input.queries.row(i), input.keys, input.values, {}, {}};
  one.options.scale = input.options.scale;
  const sqrtdk::detail::Visibility<Real> sees(input.options, input.queries.rows(),
                                              input.keys.rows());
  one.options.allowed = Matrix<bool>(1, input.keys.rows());
  for (Index j = 0; j < input.keys.rows(); ++j) (*one.options.allowed)(0, j) = sees(i, j);
  if (input.options.bias) one.options.bias = input.options.bias->row(i);
  return one;
}

template <class Real>
Target attention_target(const AttentionCase<Real>& input, const SoftmaxArithmetic& arithmetic,
                        EmptyRows empty_rows) {
  using Fast = Reference<Real>;
  const auto right = std::make_shared<const sqrtdk::detail::ExactOutputs<Fast>>(
      sqrtdk::detail::exact_outputs<Fast>(input.queries, input.keys, input.values, input.options,
                                          arithmetic));
  const auto row =
      [=, empty = empty_rows_of(input),
       of = std::make_shared<const AttentionCase<Real>>(input)](Index i) -> Target::Row {
    if (empty[static_cast<std::size_t>(i)]) return empty_row(of->values, arithmetic, empty_rows);
    const auto exact = lazily([=] { return ExactAttention(of_query(*of, i)).output(); });
    return {[=](Index c, double) { return right->outputs(i, c); },
            [=](Index c, double) { return exact()(0, c); },
            [=](Index c, double) { return right->bound.output(i, c); }};
  };
  const auto roundings = static_cast<double>(16 + input.queries.cols() + input.keys.rows());
  return {input.queries.rows(), input.values.cols(), row,
          doubt<Real>(arithmetic.unit_roundoff, roundings)};
}

template <class Real>
Target attention_log_sum_exp_target(const AttentionCase<Real>& input,
                                    const SoftmaxArithmetic& arithmetic) {
  using Fast = Reference<Real>;
  const SoftmaxArithmetic by =
      sqrtdk::detail::magnified_by(input.queries, input.keys, input.keys, Eigen::MatrixXd(),
                                   input.options, arithmetic)
          .with(&SoftmaxArithmetic::keys, static_cast<std::size_t>(input.keys.rows()));
  const auto scores = std::make_shared<const AttentionScoreErrors<Fast>>(
      attention_score_errors<Fast>(input.queries, input.keys, input.options, by));
  const auto row =
      [=, of = std::make_shared<const AttentionCase<Real>>(input)](Index i) -> Target::Row {
    const sqrtdk::detail::Visibility<Real> sees(of->options, of->queries.rows(), of->keys.rows());
    const std::vector<Index> seen = sees.of(i);
    if (seen.empty())
      return {[](Index, double is) { return is; }, [](Index, double is) { return Wide(is); },
              [](Index, double) { return vacuous_bound; }};
    const ColumnOf<Fast> of_seen = scores->scores(i, seen).transpose();
    const double bound =
        sqrtdk::detail::fits_in_range(scores->reach(i), sqrtdk::detail::largest_score(by))
            ? weight_errors(of_seen, scores->error.row(i).maxCoeff(), by).log_sum_exps(0)
            : vacuous_bound;
    const auto exact = lazily([=] {
      const AttentionCase<Real> one = of_query(*of, i);
      const ExactAttention attention(one);
      const Index j = seen.front();
      const Wide bias = one.options.bias ? Wide((*one.options.bias)(0, j)) : Wide(0);
      return Wide(attention.scores()(0, j) + bias - log(attention.weights()(0, j)));
    });
    return {[near = log_sum_exp(of_seen)](Index, double) -> long double { return near; },
            [=](Index, double) { return exact(); },
            [=](Index, double right) {
              return 2 * bound < 1 + std::abs(right) ? stored(bound, right, by) : vacuous_bound;
            }};
  };
  const auto roundings = static_cast<double>(16 + input.queries.cols() + input.keys.rows());
  return {input.queries.rows(), 1, row, doubt<Real>(by.unit_roundoff, roundings)};
}

/// What stores derivatives by keys and values that are sums of one for each of g heads.
///
/// Each of these is rounded to the format of the results. Added in that format, it is rounded in up to
/// g − 1 additions, which cannot underflow. Added in that of computing, which the bound has counted, the
/// sum is rounded once more. Either way these are at most g factors 1 + uₛ, and g + 1 underflows of ηₛ/2,
/// each of which is in at most g of these roundings: one rounding with (1 + uₛ)^g − 1 for uₛ and
/// (g + 1)(1 + uₛ)^g ηₛ for ηₛ. No sum on the way is larger than (1 + uₛ)^g times the sum of magnitudes.
SoftmaxArithmetic storing_parts(const SoftmaxArithmetic& by, unsigned heads) {
  if (heads < 2 || by.storage_roundoff == 0) return by;
  const double more = std::expm1(heads * std::log1p(by.storage_roundoff));
  return by.stored_in({more, (heads + 1) * (1 + more) * by.storage_smallest,
                       by.storage_largest / ((1 + more) * (1 + more))});
}

template <class Real>
std::vector<Target> gradient_targets(const AttentionCase<Real>& input,
                                     const SoftmaxArithmetic& arithmetic, EmptyRows empty_rows,
                                     unsigned heads) {
  using Fast = Reference<Real>;
  // A query that sees no key has a part in all derivatives by keys and values, and in its own.
  std::vector<bool> open = empty_rows_of(input);
  if (empty_rows != EmptyRows::any) open.assign(open.size(), false);
  const bool any_open = std::find(open.begin(), open.end(), true) != open.end();
  const auto bound_by = [&](const SoftmaxArithmetic& by) {
    return attention_gradient_error_bound<Fast>(input.queries, input.keys, input.values,
                                                input.output_gradient, input.options, by)
        .gradient;
  };
  const AttentionGradient<double> bound = bound_by(arithmetic);
  const AttentionGradient<double> of_parts =
      heads > 1 ? bound_by(storing_parts(arithmetic, heads)) : bound;
  const AttentionCase<Fast> fast = widened<Fast>(input);
  const AttentionGradient<Fast> near =
      attention_gradient(fast.queries, fast.keys, fast.values, fast.output_gradient, fast.options);
  const auto exact = lazily([=] { return ExactAttention(input).gradient(); });
  const auto one = [=](const auto& is_near, const Eigen::MatrixXd& is_bound, auto member,
                       std::vector<bool> rows) {
    const auto row = [=](Index i) -> Target::Row {
      return {[x = is_near.row(i).eval()](Index j, double) { return x[j]; },
              [=](Index j, double) { return (exact().*member)(i, j); },
              [x = is_bound.row(i).eval()](Index j, double) { return x[j]; }};
    };
    return Target{is_near.rows(), is_near.cols(), row, doubt<Real>(arithmetic.unit_roundoff),
                  std::move(rows)};
  };
  const std::vector<bool> all(static_cast<std::size_t>(input.keys.rows()), any_open);
  return {one(near.queries, bound.queries, &AttentionGradient<Wide>::queries, open),
          one(near.keys, of_parts.keys, &AttentionGradient<Wide>::keys, all),
          one(near.values, of_parts.values, &AttentionGradient<Wide>::values, all)};
}

#define SQRTDK_TARGETS(Real)                                                                       \
  template Target softmax_target(const Matrix<Real>&, double, const SoftmaxArithmetic&, OfLogits); \
  template Target backward_target(const Matrix<Real>&, const Matrix<Real>&,                        \
                                  const SoftmaxArithmetic&);                                       \
  template Target log_softmax_backward_target(const Matrix<Real>&, const Matrix<Real>&,            \
                                              const SoftmaxArithmetic&);                           \
  template Target attention_log_sum_exp_target(const AttentionCase<Real>&,                         \
                                               const SoftmaxArithmetic&);                          \
  template Target attention_target(const AttentionCase<Real>&, const SoftmaxArithmetic&,           \
                                   EmptyRows);                                                     \
  template std::vector<Target> gradient_targets(const AttentionCase<Real>&,                        \
                                                const SoftmaxArithmetic&, EmptyRows, unsigned);    \
  template AttentionCase<Real> of_query(const AttentionCase<Real>&, Index);
SQRTDK_TARGETS(float)
SQRTDK_TARGETS(double)

}  // namespace sqrtdk::testing
