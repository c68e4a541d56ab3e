// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Softmax in right variants and with bugs that projects have shipped.
#include <sqrtdk/numbers/columns.hpp>

#include "kernels.hpp"

#include <Eigen/Core>

#include <numbers>
#include <span>
#include <string_view>

namespace sqrtdk::vectors {

std::vector<Bug> bugs_of(const SoftmaxInput&) {
  return bugs_from(
      "no-maximum=machinelearning#3648,FasterTransformer#43 maximum-from-zero=NNlib.jl#43 "
      "maximum-from-least-normal=tinyengine#107 maximum-skips-first=minerva#40 "
      "maximum-of-first-block maximum-of-first-32 maximum-without-tail maximum-not-divided "
      "maximum-as-factor "
      "nan-made-plausible=tt-metal#56056 wrong-axis=nntrainer#430 not-divided-by-sum "
      "low-precision-sum=tract#2586,executorch#20090 sum-without-tail=CTranslate2#351 "
      "sum-without-tail-of-32 last-lost-beyond-64 "
      "sum-without-last padding-counted=tt-metal#19781 epsilon-in-denominator "
      "exponent-clamped=funes#160 exponent-clamped-at-range crude-exponential=openvino#37857 "
      "short-constant base-two=sglang#40903 half-weights half-scores "
      "subnormals-flushed=modular#7102 temperature-ignored "
      "temperature-twice=CodonTransformer#20 temperature-multiplied "
      "temperature-clamped=onnxruntime-genai#1211 finite-sentinel=flashinfer#4401 "
      "sum-not-rescaled sum-rescaled-inversely masked-block-is-nan=pytorch#130014");
}

std::vector<Variant> variants_of(const SoftmaxInput&) {
  return {{"two passes", Freedom::none},
          {"sums from the end", Freedom::none},
          {"one after the other, by reciprocals", Freedom::order},
          {"four lanes", Freedom::order},
          {"powers of two", Freedom::order},
          {"one pass, one score at a time", Freedom::order},
          {"one pass in blocks of four", Freedom::order},
          {"subnormal numbers are 0", Freedom::flushing}};
}

namespace {

/// A number, 0 in the place of a subnormal one.
template <class Real>
Real flushed(Real x) {
  return std::abs(x) < std::numeric_limits<Real>::min() ? Real(0) : x;
}

/// The sum in one pass over blocks, which is rescaled when the maximum grows.
template <class Real>
Real sum_in_one_pass(const List<Real>& x, Real t, std::string_view name) {
  const std::size_t block = name == "masked-block-is-nan"          ? 2
                            : name == "one pass in blocks of four" ? 4
                                                                   : 1;
  Real m = masked<Real>, sum = 0;
  for (std::size_t start = 0; start < x.size(); start += block) {
    const Real next = std::max(m, greatest(x, start, start + block));
    if (name == "sum-rescaled-inversely")
      sum *= m == masked<Real> ? Real(0) : std::exp((next - m) / t);
    else if (name == "masked-block-is-nan" || m != masked<Real>)
      sum *= name == "sum-not-rescaled" ? Real(1) : std::exp((m - next) / t);
    for (std::size_t j = start; j < std::min(start + block, x.size()); ++j)
      if (x[j] != masked<Real>) sum += std::exp((x[j] - next) / t);
    m = next;
  }
  return sum;
}

/// Maximum, exponentials, sum, quotients; a line for each way to do them otherwise.
template <class Real>
List<Real> softmax(const List<Real>& x, Real t, std::string_view name) {
  using Limits = std::numeric_limits<Real>;
  const std::size_t n = x.size();
  const auto is = [name](std::string_view other) { return name == other; };

  Real m = greatest(x);
  if (is("no-maximum") || is("nan-made-plausible")) m = 0;
  if (is("maximum-from-zero")) m = std::max(m, Real(0));
  if (is("maximum-from-least-normal")) m = std::max(m, Limits::min());
  if (is("maximum-skips-first")) m = greatest(x, n > 1 ? 1 : 0);
  if (is("maximum-of-first-block")) m = greatest(x, 0, 8);
  if (is("maximum-of-first-32")) m = greatest(x, 0, 32);
  if (is("maximum-without-tail")) m = greatest(x, 0, std::max<std::size_t>(n / 8 * 8, 1));
  if (is("padding-counted")) m = std::max(m, n % 8 == 0 ? m : Real(0));
  if (is("finite-sentinel")) m = std::max(m, Real(-10000));

  List<Real> e;
  for (const Real score : x) {
    const Real d = (score - m) / t;
    Real term = std::exp(d);
    if (is("powers of two")) term = std::exp2(d * std::numbers::log2e_v<Real>);
    if (is("one after the other, by reciprocals")) term = std::exp((score - m) * (1 / t));
    if (is("subnormal numbers are 0"))
      term = flushed(std::exp(flushed(flushed(flushed(score) - flushed(m)) / t)));
    if (is("maximum-not-divided")) term = std::exp(score / t - m);
    if (is("maximum-as-factor")) term = std::exp(score / t) * std::exp(-m / t);
    if (is("exponent-clamped")) term = std::exp(std::max(d, Real(-20)));
    if (is("exponent-clamped-at-range")) term = std::exp(std::max(d, Real(-87)));
    if (is("crude-exponential")) term = std::pow(std::max(1 + d / 1024, Real(0)), Real(1024));
    if (is("short-constant")) term = std::exp2(d * Real(1.4427));
    if (is("base-two")) term = std::exp2(d);
    if (is("half-scores"))
      term = std::exp((through<Eigen::half>(score) - through<Eigen::half>(m)) / t);
    if (is("temperature-ignored")) term = std::exp(score - m);
    if (is("temperature-twice")) term = std::exp(d / t);
    if (is("temperature-multiplied")) term = std::exp((score - m) * t);
    if (is("temperature-clamped")) term = std::exp((score - m) / std::max(t, Real(0.01)));
    if (is("finite-sentinel") && score == masked<Real>) term = std::exp((-10000 - m) / t);
    e.push_back(term);
  }

  Real sum = pairwise_sum(std::span<const Real>(e));
  if (is("sums from the end")) sum = sum_of(List<Real>(e.rbegin(), e.rend()));
  if (is("one after the other, by reciprocals")) sum = sum_of(e);
  if (is("four lanes")) {
    Real lanes[4] = {};
    for (std::size_t j = 0; j < n; ++j) lanes[j % 4] += e[j];
    sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
  }
  if (is("one pass, one score at a time") || is("one pass in blocks of four") ||
      is("sum-not-rescaled") || is("sum-rescaled-inversely") || is("masked-block-is-nan"))
    sum = sum_in_one_pass(x, t, name);
  if (is("sum-without-tail")) sum = sum_of(e, n / 8 * 8);
  if (is("sum-without-tail-of-32") && n > 32) sum = sum_of(e, n / 32 * 32);
  if (is("last-lost-beyond-64") && n > 64) sum = sum_of(e, n - 1);
  if (is("sum-without-last")) sum = sum_of(e, n - 1);
  if (is("padding-counted")) sum += static_cast<Real>((8 - n % 8) % 8) * std::exp(-m / t);
  if (is("epsilon-in-denominator")) sum += Real(1e-6);
  if (is("low-precision-sum")) {
    sum = 0;
    for (const Real term : e) sum = through<Eigen::bfloat16>(sum + term);
  }

  for (Real& weight : e) {
    if (is("powers of two") || is("one after the other, by reciprocals"))
      weight *= 1 / sum;
    else if (!is("not-divided-by-sum"))
      weight /= sum;
    if (is("nan-made-plausible") && !std::isfinite(weight)) weight = 0;
    if (is("wrong-axis")) weight = 1;
    if (is("half-weights")) weight = through<Eigen::half>(weight);
    if (is("subnormals-flushed") || is("subnormal numbers are 0")) weight = flushed(weight);
  }
  return e;
}

template <class Real>
std::vector<double> results(const std::string& name, const SoftmaxInput& input,
                            const Arithmetic& arithmetic) {
  const List<Real> x(input.x.begin(), input.x.end());
  return stored(softmax(x, static_cast<Real>(input.temperature), name), arithmetic);
}

}  // namespace

std::vector<double> results_of(const std::string& name, const SoftmaxInput& input,
                               const Arithmetic& arithmetic) {
  return arithmetic.in_double ? results<double>(name, input, arithmetic)
                              : results<float>(name, input, arithmetic);
}

}  // namespace sqrtdk::vectors
