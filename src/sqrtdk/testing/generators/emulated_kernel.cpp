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
#include <vector>

namespace sqrtdk::testing {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double log2_e = 1.4426950408889634;

using List = std::vector<double>;

/// The format that an arithmetic computes in, whatever it declares of subnormal numbers.
EmulatedFormat format_of(const SoftmaxArithmetic& arithmetic, int (*way)()) {
  for (const FormatLimits& limits :
       {format_limits<float>(), format_limits<double>(), format_limits<Eigen::half>(),
        format_limits<Eigen::bfloat16>()})
    if (limits.roundoff == arithmetic.unit_roundoff)
      return {limits, arithmetic.flushes, false, way};
  throw std::invalid_argument("no format is known whose unit roundoff is " +
                              std::to_string(arithmetic.unit_roundoff));
}

/// The bits of x down to 2^(exponent − bits).
double truncated(double x, int exponent, int bits) {
  const double unit = std::ldexp(1.0, exponent - bits);
  return std::trunc(x / unit) * unit;
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

/// 2^x by the cubic p with p(0) = 1 whose greatest relative error on [0, 1] is the least: 1436 · 2⁻²⁴.
double by_cubic(double x) {
  constexpr float c[] = {1, 0.69511678644539F, 0.22764499113540F, 0.07706704207207F};
  const double k = std::floor(x);
  return std::ldexp(polynomial(static_cast<float>(x - k), c), static_cast<int>(k));
}

/// A kernel at work on one row of scores, and on the columns of values that they weigh.
class Row {
 public:
  /// \param scale what the constant before scores contains.
  Row(const EmulatedKernel& kernel, double scale, std::size_t columns)
      : k_(kernel),
        a_(kernel.arithmetic),
        f_(format_of(a_, k_.way)),
        scale_(scale),
        c_(f_(scale * log2_e)),
        stored_{{a_.weight_roundoff, a_.weight_smallest, a_.weight_largest}, false, true, k_.way},
        sum_(f_, a_.sum),
        outputs_(columns, {f_, a_.outputs, k_.fused}) {}

  /// Takes in all scores, tile by tile, and the values in columns.
  void take(List scores, const std::vector<List>& values) {
    if (k_.argument == EmulatedArgument::difference_of_scaled)
      for (double& s : scores) s = f_(s * c_);
    scores_ = scores;
    const std::size_t tile = a_.tile > 0 ? a_.tile : scores.size();
    for (std::size_t begin = 0; begin < scores.size(); begin += tile) {
      const auto part = [&](const List& x) {
        return std::span(x).subspan(begin, std::min(tile, scores.size() - begin));
      };
      const double greatest = *std::max_element(part(scores).begin(), part(scores).end());
      if (greatest > maximum_ + a_.lag / unit()) rise(greatest);
      List exponentials, stored;
      for (const double s : part(scores)) {
        exponentials.push_back(weight(s, maximum_));
        stored.push_back(stored_(exponentials.back()));
      }
      sum_.add(a_.sums_stored ? stored : exponentials, List(stored.size(), 1));
      for (std::size_t h = 0; h < values.size(); ++h) outputs_[h].add(stored, part(values[h]));
    }
  }

  /// The weights, before they are stored.
  List weights() const {
    List weights;
    for (const double s : scores_) {
      const double e = a_.by_lse ? weight_by(s, log_sum_exp()) : weight(s, maximum_);
      weights.push_back(a_.by_lse ? e : quotient(a_.sums_stored ? stored_(e) : e));
    }
    return weights;
  }

  /// The natural logarithm of the sum of exponentials.
  double log_sum_exp() const {
    const double sum = std::ldexp(sum_.total(), -static_cast<int>(a_.weight_offset));
    const bool in_bits = k_.argument == EmulatedArgument::difference_of_scaled;
    const double m = in_bits ? f_(maximum_ / c_) : scale_ == 1 ? maximum_ : f_(maximum_ * scale_);
    const bool wrong = k_.bug == EmulatedBug::log_sum_exp_in_bits;
    return f_(m + f_(wrong ? std::log2(sum) : std::log(sum)));
  }

  /// An output: what was carried along, or the values with the weights.
  double output(std::size_t h, const List& values) const {
    if (a_.rescales_outputs && !a_.by_lse) return quotient(outputs_[h].total());
    List stored = weights();
    for (double& w : stored) w = stored_(w);
    EmulatedSum sum(f_, a_.outputs, k_.fused);
    sum.add(stored, values);
    return sum.total();
  }

 private:
  /// What a difference of scores is multiplied by for a power of two.
  double unit() const { return k_.argument == EmulatedArgument::difference_of_scaled ? 1 : c_; }

  /// 2^g times the exponential of x − m.
  double weight(double x, double m) const {
    const double g = a_.weight_offset;
    if (k_.argument == EmulatedArgument::scaled) {
      const double shift = f_(m * c_);
      return power(f_(f_(x * c_) - (g == 0 ? shift : f_(shift - g))));
    }
    if (k_.argument == EmulatedArgument::fused) return power(f_.fused(x, c_, -f_.fused(m, c_, -g)));
    return std::ldexp(of_difference(f_(x - m)), static_cast<int>(g));
  }

  /// The exponential of x − ℓ, with a natural ℓ.
  double weight_by(double x, double l) const {
    if (k_.argument == EmulatedArgument::difference ||
        k_.argument == EmulatedArgument::scaled_difference)
      return of_difference(f_(x - l));
    const double bits = f_(l * f_(log2_e));
    if (k_.argument == EmulatedArgument::fused) return power(f_.fused(x, c_, -bits));
    return power(f_((k_.argument == EmulatedArgument::scaled ? f_(x * c_) : x) - bits));
  }

  double of_difference(double x) const {
    return k_.argument == EmulatedArgument::difference ? natural(x) : power(f_(x * unit()));
  }

  double natural(double x) const {
    if (x < -a_.exp_cut) return 0;
    if (k_.exp == EmulatedExp::series) return f_(by_series(x));
    return computed(x, a_.exp_argument_error, [](auto y) { return std::exp(y); });
  }

  double power(double x) const {
    if (x < -a_.exp_cut * log2_e) return 0;
    if (k_.exp == EmulatedExp::cubic) return f_(by_cubic(x));
    // The product with log₂ e and its constant are in κ already.
    return computed(x, a_.exp_argument_error - 2, [](auto y) { return std::exp2(y); });
  }

  template <class Exp>
  double computed(double x, double kappa, const Exp& exp) const {
    if (x == 0) return 1;
    if (k_.exp != EmulatedExp::erring) return f_(exp(x));
    const long double u = f_.roundoff;
    const long double up = x < k_.pivot ? -1 : 1;
    const long double moved = x + up * std::abs(x) * kappa * u;
    return f_(static_cast<double>(exp(moved) * (1 + up * (a_.exp_error - 1) * u)));
  }

  void rise(double greatest) {
    const double shrinks = std::isinf(maximum_) ? 0 : of_difference(f_(maximum_ - greatest));
    if (k_.bug != EmulatedBug::keeps_sum) sum_.multiply(shrinks);
    if (k_.bug != EmulatedBug::keeps_output)
      for (EmulatedSum& output : outputs_) output.multiply(shrinks);
    maximum_ = greatest;
  }

  /// A numerator over the sum.
  double quotient(double numerator) const {
    const double sum = sum_.total();
    if (a_.quotient_roundings == 1) return f_(numerator / sum);
    double inverse = f_(1 / sum);
    // One that is off by a unit in the last place is the neighbour on the other side.
    const double rest = std::fma(inverse, sum, -1.0);
    if (a_.quotient_roundings > 2 && rest != 0)
      inverse += (rest > 0 ? -2 : 2) * f_.roundoff * std::ldexp(1.0, std::ilogb(inverse));
    return f_(numerator * inverse);
  }

  const EmulatedKernel& k_;
  const SoftmaxArithmetic& a_;
  EmulatedFormat f_;
  double scale_;
  double c_;
  EmulatedFormat stored_;
  EmulatedSum sum_;
  std::vector<EmulatedSum> outputs_;
  List scores_;
  double maximum_ = -infinity;
};

}  // namespace

double EmulatedFormat::operator()(double x) const {
  if (roundoff == 0 || !std::isfinite(x) || x == 0) return x;
  if (way != nullptr) return x * (1 + way() * roundoff);
  const double unit = std::max(smallest, 2 * roundoff * std::ldexp(1.0, std::ilogb(x)));
  const double y = std::nearbyint(x / unit) * unit;
  if (flushes && std::abs(y) < smallest / (2 * roundoff)) return 0;
  return std::abs(y) <= largest ? y : std::copysign(saturates ? largest : infinity, x);
}

double EmulatedFormat::fused(double a, double b, double c) const {
  if (way == nullptr && roundoff == format_limits<float>().roundoff)
    return (*this)(std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
  return (*this)(std::fma(a, b, c));
}

EmulatedSum::EmulatedSum(const EmulatedFormat& format, const Accumulator& accumulator, bool fused)
    : format_(format),
      by_(accumulator),
      fused_(fused && format.way == nullptr),
      // Only lanes that are joined are apart.
      lanes_(by_.halvings > 0 && by_.promoted == 0 ? by_.lanes : 1, 0) {}

double EmulatedSum::rounded(double x) const {
  const EmulatedFormat other{{by_.step, by_.smallest, by_.largest}, false, false, format_.way};
  return by_.step == 0 || by_.least_factor > 0
             ? format_(x)
             : other(by_.step < format_.roundoff ? x : format_(x));
}

double EmulatedSum::added(double x, double y) const {
  return x == 0 || y == 0 ? x + y : rounded(x + y);
}

void EmulatedSum::add(std::span<const double> a, std::span<const double> b) {
  if (const std::size_t N = by_.promoted; N > 0) {
    Accumulator within = by_;
    within.promoted = 0;
    for (std::size_t k = 0; k < a.size(); k += N) {
      EmulatedSum part(format_, within, fused_);
      part.add(a.subspan(k, std::min(N, a.size() - k)), b.subspan(k, std::min(N, a.size() - k)));
      lanes_[0] = lanes_[0] == 0 ? part.total() : format_(lanes_[0] + part.total());
    }
  } else if (by_.least_factor > 0) {
    add_truncated(a, b);
  } else {
    for (std::size_t k = 0; k < a.size(); ++k) {
      double& sum = lanes_[next_++ % lanes_.size()];
      sum = fused_ ? rounded(format_.fused(a[k], b[k], sum)) : added(sum, rounded(a[k] * b[k]));
    }
  }
}

void EmulatedSum::add_truncated(std::span<const double> a, std::span<const double> b) {
  // w = (b + 1)2^−F + 2^−F′, of which the first is the greater part.
  const auto addends = static_cast<double>(by_.lanes + 1);
  const int fraction = static_cast<int>(std::ceil(std::log2(addends / by_.step)));
  const int kept = -std::ilogb(by_.step - std::ldexp(addends, -fraction));
  // A factor that is subnormal has the exponent of the least normal number.
  const auto of_exponents = [&](double x) {
    return x == 0 ? 0 : std::max(std::ldexp(1.0, std::ilogb(x)), by_.least_factor);
  };
  for (std::size_t k = 0; k < a.size(); k += by_.lanes) {
    const std::size_t end = std::min(a.size(), k + by_.lanes);
    List terms{lanes_[0]};
    for (std::size_t l = k; l < end; ++l) terms.push_back(a[l] * b[l]);
    double largest = std::abs(lanes_[0]);
    for (std::size_t l = k; l < end; ++l)
      largest = std::max(largest, of_exponents(a[l]) * of_exponents(b[l]));
    if (largest == 0) continue;
    double sum = 0;
    for (const double term : terms) sum += truncated(term, std::ilogb(largest), fraction);
    lanes_[0] = sum == 0 ? 0 : truncated(sum, std::ilogb(sum), kept);
  }
}

void EmulatedSum::multiply(double factor) {
  for (double& lane : lanes_) lane = rounded(lane * factor);
}

double EmulatedSum::total() const {
  List lanes = lanes_;
  for (std::size_t n = lanes.size(); n > 1; n = (n + 1) / 2)
    for (std::size_t i = 0; i + (n + 1) / 2 < n; ++i)
      lanes[i] = added(lanes[i], lanes[i + (n + 1) / 2]);
  return by_.step > 0 && by_.step < format_.roundoff ? format_(lanes[0]) : lanes[0];
}

template <class Real>
std::vector<Real> EmulatedKernel::operator()(const std::vector<Real>& scores, Real) const {
  Row row(*this, 1, 0);
  row.take({scores.begin(), scores.end()}, {});
  const EmulatedFormat stored{
      {arithmetic.storage_roundoff, arithmetic.storage_smallest, arithmetic.storage_largest}};
  std::vector<Real> weights;
  for (const double w : row.weights()) weights.push_back(static_cast<Real>(stored(w)));
  return weights;
}

float EmulatedKernel::log_sum_exp(const std::vector<float>& scores) const {
  Row row(*this, 1, 0);
  row.take({scores.begin(), scores.end()}, {});
  return static_cast<float>(row.log_sum_exp());
}

template <class Real>
Matrix<Real> EmulatedKernel::operator()(const AttentionCase<Real>& input) const {
  const EmulatedFormat f = format_of(arithmetic, way);
  const EmulatedFormat stored{
      {arithmetic.storage_roundoff, arithmetic.storage_smallest, arithmetic.storage_largest}};
  const EmulatedFormat stored_scores{arithmetic.score_format, false, false, way};
  const EmulatedFormat taken_in{arithmetic.input_format, false, false, way};
  const sqrtdk::detail::Visibility<Real> sees(input.options, input.queries.rows(),
                                              input.keys.rows());
  const auto d = static_cast<double>(input.queries.cols());
  const double scale =
      input.options.scale ? static_cast<double>(*input.options.scale) : f(1 / f(std::sqrt(d)));
  const double root = f(std::sqrt(std::abs(scale)));
  const bool in_exponent =
      (argument == EmulatedArgument::scaled || argument == EmulatedArgument::fused) && scale > 0 &&
      !input.options.bias && arithmetic.score_roundings == 0;
  const auto vector = [&](const Matrix<Real>& x, Eigen::Index i, double factor) {
    List list;
    for (const Real entry : x.row(i)) {
      const auto number = static_cast<double>(entry);
      list.push_back(taken_in(folded ? f(number * factor) : number));
    }
    return list;
  };

  Matrix<Real> output = Matrix<Real>::Zero(input.queries.rows(), input.values.cols());
  for (Eigen::Index i = 0; i < output.rows(); ++i) {
    const List query = vector(input.queries, i, std::copysign(root, scale));
    List scores;
    std::vector<List> values(static_cast<std::size_t>(output.cols()));
    for (const Eigen::Index j : sees.of(i)) {
      EmulatedSum dot(f, arithmetic.scores, fused);
      dot.add(query, vector(input.keys, j, root));
      double s = stored_scores(dot.total());
      if (!folded && !in_exponent) s = stored_scores(f(s * scale));
      if (input.options.bias)
        s = stored_scores(f(s + static_cast<double>((*input.options.bias)(i, j))));
      scores.push_back(s);
      for (std::size_t h = 0; h < values.size(); ++h)
        values[h].push_back(
            taken_in(static_cast<double>(input.values(j, static_cast<Eigen::Index>(h)))));
    }
    if (scores.empty()) continue;
    Row row(*this, in_exponent ? scale : 1, values.size());
    row.take(scores, values);
    for (std::size_t h = 0; h < values.size(); ++h)
      output(i, static_cast<Eigen::Index>(h)) = static_cast<Real>(stored(row.output(h, values[h])));
  }
  return output;
}

std::vector<std::pair<FormatLimits, EmulatedKernel>> emulated_kernels(
    const KernelProfile& profile) {
  const auto is = [&](auto... names) { return ((profile.name == names) || ...); };
  std::vector<FormatLimits> inputs = {half_limits, format_limits<Eigen::bfloat16>()};
  if (is("flash-attention-3-fp8")) inputs = {e4m3_limits};
  if (is("xnnpack-f16")) inputs = {half_limits};
  if (!is("flash-attention-3-fp8", "xnnpack-f16") &&
      profile.arithmetic(half_limits).score_products == 0)
    inputs.push_back(format_limits<float>());
  std::vector<std::pair<FormatLimits, EmulatedKernel>> kernels;
  for (const FormatLimits& input : inputs)
    for (const bool errs : {true, false}) {
      EmulatedKernel kernel{.arithmetic = profile.arithmetic(input)};
      const unsigned products = kernel.arithmetic.score_products;
      if (products > 0)
        kernel.argument = products == 2 ? EmulatedArgument::scaled : EmulatedArgument::fused;
      if (is("pytorch-memory-efficient")) kernel.argument = EmulatedArgument::difference_of_scaled;
      kernel.folded = is("pytorch-cuda-math");
      if (errs)
        kernel.exp = EmulatedExp::erring;
      else if (is("flash-attention-4"))
        kernel.exp = EmulatedExp::cubic;
      else if (is("pytorch-cpu-flash", "xnnpack"))
        kernel.exp = EmulatedExp::series;
      // Tiles so short that few keys have many, of as many as a tensor core takes at least.
      std::size_t& tile = kernel.arithmetic.tile;
      if (tile > 0)
        tile = std::min(tile, std::max<std::size_t>(4, kernel.arithmetic.outputs.lanes));
      kernels.emplace_back(input, kernel);
    }
  return kernels;
}

template std::vector<float> EmulatedKernel::operator()(const std::vector<float>&, float) const;
template std::vector<double> EmulatedKernel::operator()(const std::vector<double>&, double) const;
template Matrix<float> EmulatedKernel::operator()(const AttentionCase<float>&) const;
template Matrix<double> EmulatedKernel::operator()(const AttentionCase<double>&) const;

}  // namespace sqrtdk::testing
