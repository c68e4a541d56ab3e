#include <sqrtdk/attention/pass.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/testing/generators/emulated_kernel.hpp>

#include <Eigen/Core>
#include <boost/random/normal_distribution.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double log2_e = 1.4426950408889634;

using Argument = EmulatedArgument;
using List = std::vector<double>;

/// x without its bits below 2^(exponent − bits).
double truncated(double x, int exponent, int bits) {
  const double unit = std::ldexp(1.0, exponent - bits);
  return std::trunc(x / unit) * unit;
}

/// 2^k times a polynomial, the coefficient of its highest power first, each step of which is fused.
double scaled(double k, float x, std::initializer_list<float> coefficients) {
  if (!(std::abs(k) < 1000)) return k < 0 ? 0 : k;  // ∞ or NaN
  float value = 0;
  for (const float c : coefficients) value = std::fma(value, x, c);
  return std::ldexp(value, static_cast<int>(k));
}

/// e^x by the first terms of its series, at x less a multiple of a rounded ln 2.
double by_series(double x) {
  const auto single = static_cast<float>(x);
  const float k = std::nearbyint(single * static_cast<float>(log2_e));
  return scaled(k, std::fma(k, -0x1.62e43p-1F, single),
                {1 / 720.F, 1 / 120.F, 1 / 24.F, 1 / 6.F, 1 / 2.F, 1, 1});
}

/// 2^x by the cubic p with p(0) = 1 whose greatest relative error on [0, 1] is the least: 1436 · 2⁻²⁴.
double by_cubic(double x) {
  const double k = std::floor(x);
  return scaled(k, static_cast<float>(x - k),
                {0.07706704207207F, 0.22764499113540F, 0.69511678644539F, 1});
}

/// A kernel at work: its formats, and one row of scores with the columns of values that they weigh.
class Row {
 public:
  /// \param scale what the constant before scores contains.
  Row(const EmulatedKernel& kernel, double scale, std::size_t columns)
      : f(computed_in(kernel)),
        k_(kernel),
        a_(kernel.arithmetic),
        scale_(scale),
        c_(f(scale * log2_e)),
        in_bits_(kernel.argument == Argument::difference_of_scaled),
        // Conversions to FP8 saturate; those to half precision give ∞.
        stored_{{a_.weight_roundoff, a_.weight_smallest, a_.weight_largest},
                false,
                a_.weight_roundoff >= e4m3_limits.roundoff,
                k_.way},
        sum_(f, a_.sum),
        outputs_(columns, {f, a_.outputs}) {}

  const EmulatedFormat f;  ///< the format computed in, whatever is declared of subnormal numbers

  double result(double x) const {
    return EmulatedFormat{{a_.storage_roundoff, a_.storage_smallest, a_.storage_largest}}(x);
  }

  /// Takes in all scores, tile by tile, and the values in columns.
  void take(const List& scores, const std::vector<List>& values) {
    for (const double s : scores) scores_.push_back(in_bits_ ? f(s * c_) : s);
    const std::size_t tile = a_.tile > 0 ? a_.tile : scores.size();
    for (std::size_t begin = 0; begin < scores.size(); begin += tile) {
      const auto part = [&](const List& x) {
        return std::span(x).subspan(begin, std::min(tile, scores.size() - begin));
      };
      const double greatest = std::ranges::max(part(scores_));
      if (greatest > maximum_ + a_.lag / unit()) rise(greatest);
      List exponentials, stored;
      for (const double s : part(scores_)) {
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
    const double l = a_.by_lse ? log_sum_exp() : 0;
    const double of_scores = in_bits_ ? f(l * c_) : scale_ == 1 ? l : f(l / scale_);
    for (const double s : scores_)
      weights.push_back(a_.by_lse        ? weight(s, of_scores)
                        : a_.sums_stored ? quotient(stored_(weight(s, maximum_)))
                                         : quotient(weight(s, maximum_)));
    return weights;
  }

  double log_sum_exp() const {
    const double sum = std::ldexp(sum_.total(), -static_cast<int>(a_.weight_offset));
    if (k_.log_in_bits) {
      const double m = in_bits_ ? maximum_ : f(maximum_ * c_);
      return f(f(m + f(std::log2(sum))) * f(std::numbers::ln2));
    }
    const double m = in_bits_ ? f(maximum_ / c_) : scale_ == 1 ? maximum_ : f(maximum_ * scale_);
    const bool wrong = k_.bug == EmulatedBug::log_sum_exp_in_bits;
    return f(m + f(wrong ? std::log2(sum) : std::log(sum)));
  }

  /// An output: what was carried along, or the values with the weights.
  double output(std::size_t h, const List& values) const {
    if (a_.rescales_outputs && !a_.by_lse) return quotient(outputs_[h].total());
    List stored = weights();
    for (double& w : stored) w = stored_(w);
    EmulatedSum sum(f, a_.outputs);
    sum.add(stored, values);
    return sum.total();
  }

 private:
  static EmulatedFormat computed_in(const EmulatedKernel& kernel) {
    const SoftmaxArithmetic& a = kernel.arithmetic;
    const bool in_halves =
        a.summation == Summation::pairwise && !a.sum.known_order && a.sum.step == 0;
    if (in_halves) throw std::invalid_argument("no kernel is emulated that adds weights by halves");
    for (const FormatLimits& format : {format_limits<float>(), half_limits})
      if (a.unit_roundoff == format.roundoff) return {format, a.flushes, false, kernel.way};
    throw std::invalid_argument(
        "kernels are emulated in single and half precision, and not for u = " +
        to_text(a.unit_roundoff));
  }

  /// The factor of a difference of scores for a power of two.
  double unit() const { return in_bits_ ? 1 : c_; }

  /// 2^g times the exponential of x − m.
  double weight(double x, double m) const {
    const double g = a_.weight_offset;
    const bool scales = k_.argument == Argument::scaled;
    if (!scales && k_.argument != Argument::fused)
      return std::ldexp(of_difference(f(x - m)), static_cast<int>(g));
    // A product and a difference that are fused have one rounding.
    const double shift = scales && g > 0 ? f(f(m * c_) - g) : f(m * c_ - g);
    return power(f((scales ? f(x * c_) : x * c_) - shift));
  }

  double of_difference(double x) const {
    if (k_.argument != Argument::difference) return power(f(x * unit()));
    if (x < -a_.exp_cut) return 0;
    if (k_.exp == EmulatedExp::series) return f(by_series(x));
    return computed(x, a_.exp_argument_error, [](auto y) { return std::exp(y); });
  }

  double power(double x) const {
    if (x < -a_.exp_cut * log2_e) return 0;
    if (k_.exp == EmulatedExp::cubic) return f(by_cubic(x));
    // The product with log₂ e and its constant are in κ already.
    return computed(x, a_.exp_argument_error - 2, [](auto y) { return std::exp2(y); });
  }

  template <class Exp>
  double computed(double x, double kappa, const Exp& exp) const {
    if (x == 0) return 1;
    if (k_.exp != EmulatedExp::erring) return f(exp(x));
    const double way = x < k_.pivot ? -f.roundoff : f.roundoff;
    const double moved = x * (1 + (x < 0 ? -way : way) * kappa);  // −∞ is, too
    return f(exp(moved) * (1 + way * (a_.exp_error - 1)));
  }

  void rise(double greatest) {
    const double shrinks = std::isinf(maximum_) ? 0 : of_difference(f(maximum_ - greatest));
    if (k_.bug != EmulatedBug::keeps_sum) sum_.multiply(shrinks);
    if (k_.bug != EmulatedBug::keeps_output)
      for (EmulatedSum& output : outputs_) output.multiply(shrinks);
    maximum_ = greatest;
  }

  double quotient(double numerator) const {
    const double sum = sum_.total();
    if (a_.quotient_roundings == 1) return f(numerator / sum);
    double inverse = f(1 / sum);
    // One that is off by a unit in the last place is the neighbour on the other side.
    const double rest = std::fma(inverse, sum, -1.0);
    if (a_.quotient_roundings > 2 && rest != 0)
      inverse += (rest > 0 ? -2 : 2) * f.roundoff * std::ldexp(1.0, std::ilogb(inverse));
    return f(numerator * inverse);
  }

  const EmulatedKernel& k_;
  const SoftmaxArithmetic& a_;
  double scale_, c_;
  bool in_bits_;  // true if scores are multiplied by c as they are taken in
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

EmulatedSum::EmulatedSum(const EmulatedFormat& format, const Accumulator& accumulator)
    : format_(format),
      by_(accumulator),
      // Only lanes that are joined are apart.
      lanes_(by_.halvings > 0 && by_.promoted == 0 ? by_.lanes : 1, 0) {}

double EmulatedSum::rounded(double x) const {
  if (by_.step == 0 || by_.least_factor > 0) return format_(x);
  const EmulatedFormat other{{by_.step, by_.smallest, by_.largest}, false, false, format_.way};
  return other(by_.step < format_.roundoff ? x : format_(x));
}

double EmulatedSum::added(double x, double y) const {
  return x == 0 || y == 0 ? x + y : rounded(x + y);
}

void EmulatedSum::add(std::span<const double> a, std::span<const double> b) {
  if (const std::size_t N = by_.promoted; N > 0) {
    Accumulator within = by_;
    within.promoted = 0;
    for (std::size_t k = 0; k < a.size(); k += N) {
      EmulatedSum part(format_, within);
      part.add(a.subspan(k, std::min(N, a.size() - k)), b.subspan(k, std::min(N, a.size() - k)));
      lanes_[0] = lanes_[0] == 0 ? part.total() : format_(lanes_[0] + part.total());
    }
  } else if (by_.least_factor > 0) {
    add_truncated(a, b);
  } else {
    for (std::size_t k = 0; k < a.size(); ++k) {
      double& sum = lanes_[next_++ % lanes_.size()];
      sum = added(sum, rounded(a[k] * b[k]));
    }
  }
}

void EmulatedSum::add_truncated(std::span<const double> a, std::span<const double> b) {
  // w = (b + 1)2^−F + 2^−F′, of which the first is the greater part.
  const auto addends = static_cast<double>(by_.lanes + 1);
  const int fraction = static_cast<int>(std::ceil(std::log2(addends / by_.step)));
  const int kept = -std::ilogb(by_.step - std::ldexp(addends, -fraction));
  // A factor that is subnormal has the exponent of the least normal number.
  const auto of_exponent = [&](double x) {
    return x == 0 ? 0 : std::max(std::ldexp(1.0, std::ilogb(x)), by_.least_factor);
  };
  for (std::size_t begin = 0; begin < a.size(); begin += by_.lanes) {
    const std::size_t end = std::min(a.size(), begin + by_.lanes);
    double whole = lanes_[0];
    for (std::size_t k = begin; k < end; ++k) whole += a[k] * b[k];
    if (!std::isfinite(whole)) {  // there is nothing to cut off
      lanes_[0] = whole;
      continue;
    }
    double largest = std::abs(lanes_[0]);
    for (std::size_t k = begin; k < end; ++k)
      largest = std::max(largest, of_exponent(a[k]) * of_exponent(b[k]));
    if (largest == 0) continue;
    double sum = truncated(lanes_[0], std::ilogb(largest), fraction);
    for (std::size_t k = begin; k < end; ++k)
      sum += truncated(a[k] * b[k], std::ilogb(largest), fraction);
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
  const bool wider = by_.step > 0 && by_.step < format_.roundoff && by_.promoted == 0;
  return wider ? format_(lanes[0]) : lanes[0];
}

std::vector<float> EmulatedKernel::operator()(const std::vector<float>& scores, float) const {
  Row row(*this, 1, 0);
  row.take({scores.begin(), scores.end()}, {});
  std::vector<float> weights;
  for (const double w : row.weights()) weights.push_back(static_cast<float>(row.result(w)));
  return weights;
}

float EmulatedKernel::log_sum_exp(const std::vector<float>& scores) const {
  Row row(*this, 1, 0);
  row.take({scores.begin(), scores.end()}, {});
  return static_cast<float>(row.log_sum_exp());
}

Matrix<float> EmulatedKernel::operator()(const AttentionCase<float>& input) const {
  const Matrix<float>&queries = input.queries, &keys = input.keys, &values = input.values;
  const auto& options = input.options;
  const EmulatedFormat f = Row(*this, 1, 0).f;
  const EmulatedFormat stored_score{arithmetic.score_format, false, false, way};
  const EmulatedFormat taken_in{arithmetic.input_format, false, false, way};
  const sqrtdk::detail::Visibility<float> sees(options, queries.rows(), keys.rows());
  const double scale =
      options.scale ? *options.scale : f(1 / f(std::sqrt(static_cast<double>(queries.cols()))));
  const double root = f(std::sqrt(std::abs(scale)));
  const bool in_exponent = (argument == Argument::scaled || argument == Argument::fused) &&
                           scale > 0 && !options.bias && arithmetic.score_roundings == 0;
  const auto taken = [&](const auto& entries, double factor) {
    List list;
    for (const double x : entries) list.push_back(taken_in(folded ? f(x * factor) : x));
    return list;
  };

  Matrix<float> output = Matrix<float>::Zero(queries.rows(), values.cols());
  for (Eigen::Index i = 0; i < output.rows(); ++i) {
    const List query = taken(queries.row(i), std::copysign(root, scale));
    List scores;
    std::vector<List> columns(static_cast<std::size_t>(output.cols()));
    for (const Eigen::Index j : sees.of(i)) {
      EmulatedSum dot(f, arithmetic.scores);
      dot.add(query, taken(keys.row(j), root));
      unsigned roundings = arithmetic.score_roundings;
      const auto stored = [&](double s) {
        return roundings > 0 ? (--roundings, stored_score(s)) : s;
      };
      double s = stored(dot.total());
      if (!folded && !in_exponent) s = stored(f(s * scale));
      if (options.bias) s = stored(f(s + (*options.bias)(i, j)));
      scores.push_back(s);
      for (std::size_t h = 0; h < columns.size(); ++h)
        columns[h].push_back(taken_in(values(j, static_cast<Eigen::Index>(h))));
    }
    if (scores.empty()) continue;
    Row row(*this, in_exponent ? scale : 1, columns.size());
    row.take(scores, columns);
    for (std::size_t h = 0; h < columns.size(); ++h)
      output(i, static_cast<Eigen::Index>(h)) =
          static_cast<float>(row.result(row.output(h, columns[h])));
  }
  return output;
}

std::vector<std::pair<FormatLimits, EmulatedKernel>> emulated_kernels(
    const KernelProfile& profile) {
  const auto is = [&](auto... names) { return ((profile.name == names) || ...); };
  std::vector<FormatLimits> inputs = {half_limits, format_limits<Eigen::bfloat16>()};
  const unsigned products = profile.arithmetic(half_limits).score_products;
  if (products == 0) inputs.push_back(format_limits<float>());
  if (is("flash-attention-3-fp8")) inputs = {e4m3_limits};
  if (is("xnnpack-f16")) inputs = {half_limits};
  constexpr Argument arguments[] = {Argument::difference, Argument::fused, Argument::scaled};
  EmulatedKernel kernel{.argument = arguments[products], .pivot = -1};
  kernel.folded = is("pytorch-cuda-math");
  kernel.log_in_bits = is("flash-attention-4");
  if (is("flash-attention-4")) kernel.argument = Argument::fused;
  if (is("pytorch-memory-efficient")) kernel.argument = Argument::difference_of_scaled;
  std::vector<std::pair<FormatLimits, EmulatedKernel>> kernels;
  for (const FormatLimits& input : inputs) {
    kernel.arithmetic = profile.arithmetic(input);
    std::size_t& tile = kernel.arithmetic.tile;
    if (tile > 0) tile = std::min(tile, std::max<std::size_t>(4, kernel.arithmetic.outputs.lanes));
    for (const EmulatedExp exp :
         {EmulatedExp::erring, is("flash-attention-4")              ? EmulatedExp::cubic
                               : is("pytorch-cpu-flash", "xnnpack") ? EmulatedExp::series
                                                                    : EmulatedExp::nearest}) {
      kernel.exp = exp;
      kernels.emplace_back(input, kernel);
    }
  }
  return kernels;
}

EmulatedKernel in_some_order(EmulatedKernel kernel, Stream& stream) {
  for (Accumulator* sum : {&kernel.arithmetic.scores, &kernel.arithmetic.outputs}) {
    const std::size_t lanes = std::vector<std::size_t>{1, 4, 8, 16, 32, 64}[stream() % 6];
    if (sum->known_order) continue;
    sum->lanes = lanes, sum->halvings = Accumulator::in_lanes(lanes).halvings;
    sum->known_order = true;
  }
  return kernel;
}

AttentionCase<double> drawn_case(const EmulatedFormat& format, bool bad, Stream& stream) {
  boost::random::normal_distribution<double> number;
  const auto length = [&](double few, double many) {
    const double most = uniform(stream) < 0.9 ? few : many;
    return static_cast<Eigen::Index>(1 + most * uniform(stream));
  };
  const auto entries = [&](Eigen::Index rows, Eigen::Index columns) -> Matrix<double> {
    return Matrix<double>::NullaryExpr(rows, columns, [&](auto, auto) { return number(stream); });
  };
  const Eigen::Index d = length(16, 128), m = length(40, 400);
  Matrix<double> q = entries(1, d), k = entries(m, d), v = entries(m, 2);
  if (bad) {
    const double tiny = std::ldexp(1.0, -static_cast<int>(25 * uniform(stream)));
    const auto repeat = [&](Eigen::Index kinds, double differ) {
      for (Eigen::Index j = kinds; j < m; ++j) k.row(j) = k.row(j % kinds) + differ * k.row(j);
    };
    const auto one_of = [&](const std::vector<std::function<void()>>& changes) {
      changes[stream() % changes.size()]();
    };
    one_of({[&] { repeat(1, 0); }, [&] { repeat(1, tiny); }, [&] { repeat(2, 0); },
            [&] { repeat(2, tiny); }, [&] { q.setZero(); }, [&] { q /= std::sqrt(tiny); },
            [&] { q = q.cwiseAbs(), k = k.cwiseAbs(); },
            [&] { q = q.array().round() / 3, k = k.array().round(); },
            [&] { k = (tiny * k).rowwise() + 8 * k.row(0).eval(); },
            [&] { k.leftCols(d - 1).rowwise() = k.row(0).head(d - 1).eval(); },
            [&] {  // the first score is 15 to 20
              const double score = (15 + 5 * uniform(stream)) * std::sqrt(static_cast<double>(d));
              k *= tiny, k.row(0) = q * (score / q.squaredNorm());
            }});
    one_of({[] {}, [&] { v.setConstant(v(0)); }, [&] { v = v.cwiseAbs(); },
            [&] { v = v.array().sign(); }});
  }
  for (Matrix<double>* x : {&q, &k, &v})
    for (double& entry : x->reshaped()) entry = format(entry);
  return {q, k, v, {}, {}};
}

}  // namespace sqrtdk::testing
