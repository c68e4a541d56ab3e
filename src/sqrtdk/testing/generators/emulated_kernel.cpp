// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/attention_pass.hpp>
#include <sqrtdk/testing/generators/emulated_kernel.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double log2_e = 1.4426950408889634;

using Columns = std::vector<std::vector<double>>;

/// The format with this unit roundoff, and that of an arithmetic.
EmulatedFormat format_of(double roundoff, bool flushes = false) {
  for (const FormatLimits& limits :
       {format_limits<float>(), format_limits<double>(), format_limits<Eigen::half>(),
        format_limits<Eigen::bfloat16>()})
    if (limits.roundoff == roundoff) return {limits, flushes};
  throw std::invalid_argument("no format has the unit roundoff " + std::to_string(roundoff));
}

/// The leading bits of x, down to 2^(exponent − bits).
double truncated(double x, int exponent, int bits) {
  const double unit = std::ldexp(1.0, exponent - bits);
  return std::trunc(x / unit) * unit;
}

/// Adds products to a sum, as a tensor core does.
double truncated_sum(const Accumulator& core, double start, std::span<const double> a,
                     std::span<const double> b) {
  // w = (b + 1)2^−F + 2^−F′, and the last is less.
  const auto terms = static_cast<double>(core.lanes + 1);
  const int fraction = static_cast<int>(std::ceil(std::log2(terms / core.step)));
  const int output = -std::ilogb(core.step - std::ldexp(terms, -fraction));
  for (std::size_t k = 0; k < a.size(); k += core.lanes) {
    const std::size_t end = std::min(a.size(), k + core.lanes);
    double largest = std::abs(start);
    for (std::size_t l = k; l < end; ++l) largest = std::max(largest, std::abs(a[l] * b[l]));
    if (largest == 0) continue;
    double sum = truncated(start, std::ilogb(largest), fraction);
    for (std::size_t l = k; l < end; ++l)
      sum += truncated(a[l] * b[l], std::ilogb(largest), fraction);
    start = sum == 0 ? 0 : truncated(sum, std::ilogb(sum), output);
  }
  return start;
}

/// Adds the sums of lanes by halves.
double joined(std::vector<double> lanes, const EmulatedFormat& format) {
  for (std::size_t n = lanes.size(); n > 1; n = (n + 1) / 2)
    for (std::size_t i = 0; i + (n + 1) / 2 < n; ++i)
      lanes[i] = format(lanes[i] + lanes[i + (n + 1) / 2]);
  return lanes[0];
}

/// A polynomial, each step of it fused.
float polynomial(float x, std::span<const float> coefficients) {
  float value = 0;
  for (std::size_t k = coefficients.size(); k > 0; --k)
    value = std::fma(value, x, coefficients[k - 1]);
  return value;
}

/// e^x by the first terms of its series, at x less a multiple of a rounded ln 2.
double by_series(double x) {
  constexpr float c[] = {1, 1, 1 / 2.F, 1 / 6.F, 1 / 24.F, 1 / 120.F, 1 / 720.F};
  const auto single = static_cast<float>(x);
  const float k = std::nearbyint(single * static_cast<float>(log2_e));
  return std::ldexp(polynomial(std::fma(k, -0x1.62e43p-1F, single), c), static_cast<int>(k));
}

/// 2^x by the cubic p with p(0) = 1 whose greatest relative error on [0, 1] is the least, 1436 · 2⁻²⁴.
double by_cubic(double x) {
  constexpr float c[] = {1, 0.69511678644539F, 0.22764499113540F, 0.07706704207207F};
  const double k = std::floor(x);
  return std::ldexp(polynomial(static_cast<float>(x - k), c), static_cast<int>(k));
}

/// What has been taken in of a row of scores, and of the values that they weigh.
struct State {
  double maximum = -infinity;
  std::vector<double> sum;      // of each lane
  std::vector<double> outputs;  // of each column of the values
};

/// A kernel at work on rows of scores.
class Rows {
 public:
  /// \param scale attention's, if the constant before scores is to contain it; or 1.
  Rows(const EmulatedKernel& kernel, const EmulatedFormat& format, double scale)
      : k_(kernel),
        a_(kernel.arithmetic),
        f_(format),
        c_(f_(scale * log2_e)),
        sum_{f_, a_.sum, false},
        outputs_{f_, kernel_accumulator(), kernel.fused} {}

  /// The unit in which scores are compared is 1/unit() of an exponent of 2.
  double unit() const { return k_.argument == EmulatedArgument::difference_of_scaled ? 1 : c_; }

  /// A score as it is compared with others.
  double prepared(double s) const {
    return k_.argument == EmulatedArgument::difference_of_scaled ? f_(s * c_) : s;
  }

  /// 2^g times the exponential of a score x less m.
  double weight(double x, double m) const {
    const double g = a_.weight_offset;
    switch (k_.argument) {
      case EmulatedArgument::difference:
        return std::exp2(g) * natural(f_(x - m));
      case EmulatedArgument::scaled_difference:
        return std::exp2(g) * power(f_(f_(x - m) * c_));
      case EmulatedArgument::difference_of_scaled:
        return std::exp2(g) * power(f_(x - m));
      case EmulatedArgument::scaled:
        return power(f_(f_(x * c_) - f_(f_(m * c_) - g)));
      default:
        return power(f_.fused(x, c_, -f_.fused(m, c_, -g)));
    }
  }

  /// A numerator over the sum, in a format.
  double quotient(double numerator, double sum, const EmulatedFormat& format) const {
    if (a_.quotient_roundings == 1) return format(numerator / sum);
    double inverse = format(1 / sum);
    // One that is off by a unit in the last place: the neighbour that is not the nearest.
    const double rest = std::fma(inverse, sum, -1.0);
    if (a_.quotient_roundings > 2 && rest != 0)
      inverse += (rest > 0 ? -2 : 2) * format.roundoff * std::ldexp(1.0, std::ilogb(inverse));
    return format(numerator * inverse);
  }

  /// Takes in a row tile by tile, and the values that belong to it.
  State taken_in(const std::vector<double>& scores, const Columns& values) const {
    State state;
    state.sum.assign(in_lanes() ? a_.sum.lanes : 1, 0);
    state.outputs.assign(values.size(), 0);
    const std::size_t tile = a_.tile > 0 ? a_.tile : scores.size();
    for (std::size_t begin = 0; begin < scores.size(); begin += tile)
      take(state, std::span(scores).subspan(begin, std::min(tile, scores.size() - begin)), begin,
           values);
    return state;
  }

  /// The sum of the exponentials that were taken in.
  double sum_of(const State& state) const { return joined(state.sum, f_); }

  /// The logarithm of the sum, in the unit of scores.
  double log_sum_exp(const State& state) const {
    const double sum = sum_of(state);
    if (k_.bug == EmulatedBug::log_sum_exp_in_bits) return f_(state.maximum + f_(std::log2(sum)));
    const double log = k_.argument == EmulatedArgument::difference
                           ? f_(std::log(sum))
                           : f_(f_(std::log2(sum)) / unit());
    return f_(state.maximum + log);
  }

  /// The weights of scores that were taken in, not stored yet.
  std::vector<double> weights(const std::vector<double>& scores, const State& state) const {
    const double sum = sum_of(state);
    const double m = a_.by_lse ? log_sum_exp(state) : state.maximum;
    std::vector<double> weights;
    for (const double s : scores) {
      const double e = weight(s, m);
      const EmulatedFormat storage = k_.narrow_quotient ? EmulatedFormat{limits_of_storage()} : f_;
      weights.push_back(
          a_.by_lse ? e : quotient(storage(a_.sums_stored ? stored(e) : e), sum, storage));
    }
    return weights;
  }

  /// A number as it is returned.
  double result(double x) const {
    return a_.storage_roundoff > 0 ? EmulatedFormat{limits_of_storage()}(x) : x;
  }

  /// A weight as it meets the values, and Σpv of weights that are not to be divided any more.
  double stored(double w) const {
    if (a_.weight_roundoff == 0) return w;
    return EmulatedFormat{
        {a_.weight_roundoff, a_.weight_smallest, a_.weight_largest}, false, true}(w);
  }
  double output(std::span<const double> weights, std::span<const double> values) const {
    return outputs_(0, weights, values);
  }

 private:
  FormatLimits limits_of_storage() const {
    return {a_.storage_roundoff, a_.storage_smallest, a_.storage_largest};
  }

  Accumulator kernel_accumulator() const {
    Accumulator accumulator = a_.outputs;
    if (k_.bug == EmulatedBug::forgets_promotion) accumulator.promoted = 0;
    return accumulator;
  }

  bool in_lanes() const { return a_.sum.known_order && a_.sum.lanes > 1; }

  double natural(double x) const {
    if (x < -a_.exp_cut) return 0;
    if (k_.exp == EmulatedExp::series) return f_(by_series(x));
    return computed(x, 0, [](long double y) { return std::exp(y); });
  }

  double power(double x) const {
    if (x < -a_.exp_cut * log2_e) return 0;
    if (k_.exp == EmulatedExp::cubic) return f_(by_cubic(x));
    return computed(x, 2, [](long double y) { return std::exp2(y); });
  }

  /// \param counted what κ has for a product and its constant.
  template <class Exp>
  double computed(double x, double counted, const Exp& exp) const {
    if (k_.exp != EmulatedExp::erring || x == 0) return f_(static_cast<double>(exp(x)));
    const long double u = f_.roundoff;
    const long double up = x < -k_.pivot ? -1 : 1;
    const long double moved = x + up * std::abs(x) * (a_.exp_argument_error - counted) * u;
    return f_(static_cast<double>(exp(moved) * (1 + up * (a_.exp_error - 1) * u)));
  }

  /// What a rise of the maximum multiplies by.
  double shrinking(double from, double to) const {
    if (from == -infinity) return 0;
    const double rise = f_(from - to);
    if (k_.argument == EmulatedArgument::difference) return natural(rise);
    return power(k_.argument == EmulatedArgument::difference_of_scaled ? rise : f_(rise * c_));
  }

  void take(State& state, std::span<const double> scores, std::size_t begin,
            const Columns& values) const {
    const double greatest = *std::max_element(scores.begin(), scores.end());
    if (greatest > state.maximum + a_.lag / unit()) {
      const double shrinks = shrinking(state.maximum, greatest);
      if (k_.bug != EmulatedBug::keeps_sum)
        for (double& lane : state.sum) lane = f_(lane * shrinks);
      if (k_.bug != EmulatedBug::keeps_output)
        for (double& output : state.outputs) output = outputs_.rounded(output * shrinks);
      state.maximum = greatest;
    }
    std::vector<double> exponentials, narrow;
    for (const double s : scores) {
      exponentials.push_back(weight(s, state.maximum));
      narrow.push_back(stored(exponentials.back()));
    }
    add(state, a_.sums_stored ? narrow : exponentials);
    for (std::size_t h = 0; h < values.size(); ++h)
      state.outputs[h] =
          outputs_(state.outputs[h], narrow, std::span(values[h]).subspan(begin, scores.size()));
  }

  void add(State& state, std::span<const double> terms) const {
    if (in_lanes()) {
      for (std::size_t j = 0; j < terms.size(); ++j) {
        double& lane = state.sum[j % state.sum.size()];
        lane = sum_.rounded(lane + terms[j]);
      }
    } else if (a_.summation == Summation::pairwise && !a_.sum.known_order) {
      state.sum[0] = f_(state.sum[0] + by_halves(terms));
    } else {
      state.sum[0] = sum_(state.sum[0], terms, std::vector<double>(terms.size(), 1));
    }
  }

  double by_halves(std::span<const double> terms) const {
    const std::size_t half = terms.size() / 2;
    if (terms.size() <= a_.block) return sum_(0, terms, std::vector<double>(terms.size(), 1));
    return f_(by_halves(terms.first(half)) + by_halves(terms.subspan(half)));
  }

  const EmulatedKernel& k_;
  const SoftmaxArithmetic& a_;
  EmulatedFormat f_;
  double c_;
  EmulatedSum sum_;
  EmulatedSum outputs_;
};

}  // namespace

template <class Real>
std::vector<Real> EmulatedKernel::operator()(const std::vector<Real>& scores, Real) const {
  const std::vector<double> weights = softmax({scores.begin(), scores.end()});
  return {weights.begin(), weights.end()};
}

template <class Real>
Matrix<Real> EmulatedKernel::operator()(const AttentionCase<Real>& input) const {
  AttentionCase<double> doubles{input.queries.template cast<double>(),
                                input.keys.template cast<double>(),
                                input.values.template cast<double>(),
                                {},
                                {}};
  doubles.options.allowed = input.options.allowed;
  doubles.options.causal = input.options.causal;
  if (input.options.scale) doubles.options.scale = static_cast<double>(*input.options.scale);
  if (input.options.bias) doubles.options.bias = input.options.bias->template cast<double>();
  return attention(doubles).template cast<Real>();
}

double EmulatedFormat::operator()(double x) const {
  if (!std::isfinite(x) || x == 0) return x;
  const double unit = std::max(smallest, 2 * roundoff * std::ldexp(1.0, std::ilogb(x)));
  const double y = std::nearbyint(x / unit) * unit;
  if (flushes && std::abs(y) < smallest / (2 * roundoff)) return 0;
  return std::abs(y) <= largest ? y : std::copysign(saturates ? largest : infinity, x);
}

double EmulatedFormat::fused(double a, double b, double c) const {
  if (roundoff == 0x1p-24)
    return (*this)(std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
  return (*this)(std::fma(a, b, c));
}

double EmulatedSum::rounded(double x) const {
  const double y = format(x);
  if (accumulator.step == 0 || is_tensor_core()) return y;
  return EmulatedFormat{{accumulator.step, accumulator.smallest, accumulator.largest}}(y);
}

bool EmulatedSum::is_tensor_core() const {
  return accumulator.step > 0 && accumulator.halvings == 0 && accumulator.smallest == 0;
}

double EmulatedSum::operator()(double start, std::span<const double> a,
                               std::span<const double> b) const {
  const std::size_t n = a.size();
  if (const std::size_t N = accumulator.promoted; N > 0) {
    EmulatedSum part = *this;
    part.accumulator.promoted = 0;
    for (std::size_t k = 0; k < n; k += N) {
      const std::size_t length = std::min(N, n - k);
      start = format(start + part(0, a.subspan(k, length), b.subspan(k, length)));
    }
    return start;
  }
  if (is_tensor_core()) return truncated_sum(accumulator, start, a, b);
  std::vector<double> lanes(
      std::clamp<std::size_t>(accumulator.lanes, 1, std::max<std::size_t>(n, 1)));
  if (lanes.size() == 1) lanes[0] = start;
  for (std::size_t l = 0; l < n; ++l) {
    double& sum = lanes[l % lanes.size()];
    sum = rounded(fused ? format.fused(a[l], b[l], sum) : sum + rounded(a[l] * b[l]));
  }
  if (lanes.size() == 1) return lanes[0];
  const double sum = joined(lanes, format);
  return start == 0 ? sum : rounded(start + sum);
}

std::vector<double> EmulatedKernel::softmax(std::vector<double> scores) const {
  const EmulatedFormat format = format_of(arithmetic.unit_roundoff, arithmetic.flushes);
  const Rows rows(*this, format, 1);
  for (double& s : scores) s = rows.prepared(s);
  std::vector<double> weights = rows.weights(scores, rows.taken_in(scores, {}));
  for (double& w : weights) w = rows.result(w);
  return weights;
}

Matrix<double> EmulatedKernel::attention(const AttentionCase<double>& input) const {
  const EmulatedFormat f = format_of(arithmetic.unit_roundoff, arithmetic.flushes);
  const EmulatedSum dot{f, arithmetic.scores, fused};
  const sqrtdk::detail::Visibility<double> sees(input.options, input.queries.rows(),
                                                input.keys.rows());
  const double scale =
      input.options.scale.value_or(f(1 / f(std::sqrt(static_cast<double>(input.queries.cols())))));
  const double root = f(std::sqrt(std::abs(scale)));
  const bool in_exponent =
      (argument == EmulatedArgument::scaled || argument == EmulatedArgument::fused) && scale > 0 &&
      !input.options.bias && arithmetic.score_roundings == 0;
  const Rows rows(*this, f, in_exponent ? scale : 1);
  const auto vector = [&](const Matrix<double>& x, Eigen::Index i, double factor) {
    std::vector<double> row(x.row(i).begin(), x.row(i).end());
    if (folded)
      for (double& entry : row) entry = f(entry * factor);
    return row;
  };
  const auto stored = [&](double s, unsigned step) {
    if (step >= arithmetic.score_roundings) return s;
    return EmulatedFormat{
        {arithmetic.score_roundoff, arithmetic.score_smallest, arithmetic.score_largest}}(s);
  };

  Matrix<double> output = Matrix<double>::Zero(input.queries.rows(), input.values.cols());
  for (Eigen::Index i = 0; i < output.rows(); ++i) {
    const std::vector<Eigen::Index> seen = sees.of(i);
    if (seen.empty()) continue;
    const std::vector<double> query = vector(input.queries, i, std::copysign(root, scale));
    std::vector<double> scores;
    Columns columns(static_cast<std::size_t>(output.cols()));
    for (const Eigen::Index j : seen) {
      double s = stored(dot(0, query, vector(input.keys, j, root)), 0);
      if (!folded && !in_exponent) s = stored(f(s * scale), 1);
      if (input.options.bias) s = stored(f(s + (*input.options.bias)(i, j)), 2);
      scores.push_back(rows.prepared(s));
      for (std::size_t h = 0; h < columns.size(); ++h)
        columns[h].push_back(input.values(j, static_cast<Eigen::Index>(h)));
    }
    const State state = rows.taken_in(scores, columns);
    const bool divides_outputs = arithmetic.rescales_outputs && !arithmetic.by_lse;
    std::vector<double> weights;
    if (!divides_outputs) weights = rows.weights(scores, state);
    for (double& w : weights) w = rows.stored(w);
    for (std::size_t h = 0; h < columns.size(); ++h)
      output(i, static_cast<Eigen::Index>(h)) =
          rows.result(divides_outputs ? rows.quotient(state.outputs[h], rows.sum_of(state), f)
                                      : rows.output(weights, columns[h]));
  }
  return output;
}

SQRTDK_FOR_EACH_FORMAT(SQRTDK_EMULATED_KERNEL, )

}  // namespace sqrtdk::testing
