// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Softmax in right variants and with bugs that projects have shipped.
#include "kernels.hpp"
#include "operations.hpp"
#include "vectors.hpp"

#include <sqrtdk/numbers/columns.hpp>

#include <Eigen/Core>

#include <functional>
#include <numbers>
#include <span>
#include <utility>

namespace sqrtdk::vectors {

namespace {

/// Two passes, right by default; a bug is another function in the place of one.
template <class Real>
struct Softmax {
  using Numbers = List<Real>;
  using Computed = Real;
  std::function<Real(const Numbers&, Real)> maximum = [](const Numbers& x, Real) { return greatest(x); };
  std::function<Real(Real, Real, Real)> exponential = [](Real x, Real m, Real temperature) {
    return std::exp((x - m) / temperature);
  };
  std::function<Real(const Numbers&)> sum = [](const Numbers& e) {
    return pairwise_sum(std::span<const Real>(e));
  };
  std::function<Real(Real, Real)> quotient = [](Real e, Real sum_of_all) { return e / sum_of_all; };
  /// The maximum and the sum at once, if there is a function.
  std::function<std::pair<Real, Real>(const Numbers&, Real)> both;

  Numbers run(const SoftmaxInput& input) const {
    const Numbers x(input.x.begin(), input.x.end());
    const auto temperature = static_cast<Real>(input.temperature);
    auto [m, total] = both ? both(x, temperature) : std::pair(maximum(x, temperature), Real(0));
    Numbers e;
    for (const Real score : x) e.push_back(exponential(score, m, temperature));
    if (!both) total = sum(e);
    for (Real& weight : e) weight = quotient(weight, total);
    return e;
  }
};

template <class Steps>
using RealOf = typename Steps::Computed;

template <class Change>
Kernel<SoftmaxInput> right(const std::string& name, Freedom takes, Change change) {
  return kernel_of<Softmax, SoftmaxInput>(name, "", takes, change);
}

template <class Change>
Kernel<SoftmaxInput> wrong(const std::string& name, const std::string& seen_in, Change change) {
  return kernel_of<Softmax, SoftmaxInput>(name, seen_in, Freedom::none,
                                          [change](auto& steps, const Arithmetic&) { change(steps); });
}

/// A number that goes through a narrower format.
template <class Narrow, class Real>
Real through(Real x) {
  return static_cast<Real>(static_cast<float>(Narrow(static_cast<float>(x))));
}

std::vector<Kernel<SoftmaxInput>> right_kernels() {
  return {
      right("two passes", Freedom::none, [](auto&, const Arithmetic&) {}),
      right("sums from the end, in blocks of eight", Freedom::none,
            [](auto& s, const Arithmetic&) {
              s.sum = [](const auto& e) {
                auto turned = e;
                std::reverse(turned.begin(), turned.end());
                return pairwise_sum(std::span(std::as_const(turned)));
              };
            }),
      right("one after the other, and a reciprocal", Freedom::order,
            [](auto& s, const Arithmetic&) {
              using Real = RealOf<std::decay_t<decltype(s)>>;
              s.exponential = [](Real x, Real m, Real t) { return std::exp((x - m) * (Real(1) / t)); };
              s.sum = [](const auto& e) { return sum_of(e); };
              s.quotient = [](Real e, Real sum) { return e * (Real(1) / sum); };
            }),
      right("four lanes", Freedom::order,
            [](auto& s, const Arithmetic&) {
              using Real = RealOf<std::decay_t<decltype(s)>>;
              s.sum = [](const auto& e) {
                Real lanes[4] = {};
                for (std::size_t j = 0; j < e.size(); ++j) lanes[j % 4] += e[j];
                return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
              };
            }),
      right("powers of two", Freedom::order,
            [](auto& s, const Arithmetic&) {
              using Real = RealOf<std::decay_t<decltype(s)>>;
              s.exponential = [](Real x, Real m, Real temperature) {
                return std::exp2((x - m) / temperature * std::numbers::log2e_v<Real>);
              };
              s.quotient = [](Real e, Real sum) { return e * (Real(1) / sum); };
            }),
      right("one pass, one score at a time", Freedom::order,
            [](auto& s, const Arithmetic&) {
              using Real = RealOf<std::decay_t<decltype(s)>>;
              s.both = [](const auto& x, Real t) {
                return one_pass(x, 1, t, [t](Real m, Real next) {
                  return m == masked<Real> ? Real(0) : std::exp((m - next) / t);
                });
              };
            }),
      right("one pass in blocks of four", Freedom::order,
            [](auto& s, const Arithmetic&) {
              using Real = RealOf<std::decay_t<decltype(s)>>;
              s.both = [](const auto& x, Real t) {
                return one_pass(x, 4, t, [t](Real m, Real next) {
                  return m == masked<Real> ? Real(0) : std::exp((m - next) / t);
                });
              };
            }),
      right("subnormal numbers are 0", Freedom::flushing, [](auto& s, const Arithmetic&) {
        using Real = RealOf<std::decay_t<decltype(s)>>;
        s.exponential = [](Real x, Real m, Real t) {
          return flushed(std::exp(flushed(flushed(flushed(x) - flushed(m)) / t)));
        };
        s.quotient = [](Real e, Real sum) { return flushed(e / sum); };
      })};
}

/// Every step is a function of the same types as the one whose place it takes.
#define SQRTDK_WRONG(name, seen_in, ...)                      \
  wrong(name, seen_in, [](auto& s) {                          \
    using Real = RealOf<std::decay_t<decltype(s)>>;           \
    using Numbers [[maybe_unused]] = List<Real>;              \
    __VA_ARGS__;                                              \
  })

std::vector<Kernel<SoftmaxInput>> wrong_kernels() {
  return {
      SQRTDK_WRONG("no-maximum", "dotnet/machinelearning#3648",
                   s.maximum = [](const Numbers&, Real) { return Real(0); }),
      SQRTDK_WRONG("maximum-from-zero", "NNlib.jl#43",
                   s.maximum = [](const Numbers& x, Real) { return std::max(Real(0), greatest(x)); }),
      SQRTDK_WRONG("maximum-from-least-normal", "tinyengine#107",
                   s.maximum =
                       [](const Numbers& x, Real) {
                         return std::max(std::numeric_limits<Real>::min(), greatest(x));
                       }),
      SQRTDK_WRONG("maximum-skips-first", "minerva#40",
                   s.maximum = [](const Numbers& x, Real) { return greatest(x, x.size() > 1 ? 1 : 0); }),
      SQRTDK_WRONG("maximum-of-first-block", "",
                   s.maximum = [](const Numbers& x, Real) { return greatest(x, 0, 8); }),
      SQRTDK_WRONG("maximum-without-tail", "",
                   s.maximum =
                       [](const Numbers& x, Real) {
                         return greatest(x, 0, std::max<std::size_t>(x.size() / 8 * 8, 1));
                       }),
      SQRTDK_WRONG("maximum-not-divided", "",
                   s.exponential = [](Real x, Real m, Real t) { return std::exp(x / t - m); }),
      SQRTDK_WRONG("maximum-as-factor", "",
                   s.exponential = [](Real x, Real m, Real t) { return std::exp(x / t) * std::exp(-m / t); }),
      SQRTDK_WRONG("nan-made-plausible", "tt-metal#56056",
                   s.maximum = [](const Numbers&, Real) { return Real(0); };
                   s.quotient =
                       [](Real e, Real sum) {
                         return std::isfinite(e / sum) ? e / sum : Real(0);
                       }),
      SQRTDK_WRONG("wrong-axis", "nntrainer#430",
                   s.quotient = [](Real, Real) { return Real(1); }),
      SQRTDK_WRONG("not-divided-by-sum", "", s.quotient = [](Real e, Real) { return e; }),
      SQRTDK_WRONG("low-precision-sum", "tract#2586, executorch#20090",
                   s.sum =
                       [](const Numbers& e) {
                         Real sum = 0;
                         for (const Real term : e) sum = through<Eigen::bfloat16>(sum + term);
                         return sum;
                       }),
      SQRTDK_WRONG("sum-without-tail", "CTranslate2#351",
                   s.sum = [](const Numbers& e) { return sum_of(e, e.size() / 8 * 8); }),
      SQRTDK_WRONG("sum-without-tail-of-32", "",
                   s.sum = [](const Numbers& e) { return sum_of(e, e.size() < 32 ? e.size() : e.size() / 32 * 32); }),
      SQRTDK_WRONG("sum-without-last", "", s.sum = [](const Numbers& e) { return sum_of(e, e.size() - 1); }),
      SQRTDK_WRONG("padding-counted", "tt-metal#19781",
                   s.both =
                       [](const Numbers& x, Real t) {
                         Numbers padded = x;
                         padded.resize((x.size() + 7) / 8 * 8, Real(0));
                         return one_pass(padded, padded.size(), t, [](Real, Real) { return Real(0); });
                       }),
      SQRTDK_WRONG("epsilon-in-denominator", "",
                   s.quotient = [](Real e, Real sum) { return e / (sum + Real(1e-6)); }),
      SQRTDK_WRONG("exponent-clamped", "funes#160",
                   s.exponential = [](Real x, Real m, Real t) { return std::exp(std::max((x - m) / t, Real(-20))); }),
      SQRTDK_WRONG("exponent-clamped-at-range", "",
                   s.exponential = [](Real x, Real m, Real t) { return std::exp(std::max((x - m) / t, Real(-87))); }),
      SQRTDK_WRONG("crude-exponential", "openvino#37857",
                   s.exponential =
                       [](Real x, Real m, Real t) {
                         return std::pow(std::max(1 + (x - m) / t / 1024, Real(0)), Real(1024));
                       }),
      SQRTDK_WRONG("short-constant", "",
                   s.exponential = [](Real x, Real m, Real t) { return std::exp2((x - m) / t * Real(1.4427)); }),
      SQRTDK_WRONG("base-two", "sglang#40903",
                   s.exponential = [](Real x, Real m, Real t) { return std::exp2((x - m) / t); }),
      SQRTDK_WRONG("half-weights", "",
                   s.quotient = [](Real e, Real sum) { return through<Eigen::half>(e / sum); }),
      SQRTDK_WRONG("half-scores", "",
                   s.exponential =
                       [](Real x, Real m, Real t) {
                         return std::exp((through<Eigen::half>(x) - through<Eigen::half>(m)) / t);
                       }),
      SQRTDK_WRONG("subnormals-flushed", "modular#7102",
                   s.quotient = [](Real e, Real sum) { return flushed(e / sum); }),
      SQRTDK_WRONG("temperature-ignored", "",
                   s.exponential = [](Real x, Real m, Real) { return std::exp(x - m); }),
      SQRTDK_WRONG("temperature-twice", "CodonTransformer#20",
                   s.exponential = [](Real x, Real m, Real t) { return std::exp((x - m) / t / t); }),
      SQRTDK_WRONG("temperature-multiplied", "",
                   s.exponential = [](Real x, Real m, Real t) { return std::exp((x - m) * t); }),
      SQRTDK_WRONG("temperature-clamped", "onnxruntime-genai#1211",
                   s.exponential = [](Real x, Real m, Real t) { return std::exp((x - m) / std::max(t, Real(0.01))); }),
      SQRTDK_WRONG("finite-sentinel", "flashinfer#4401",
                   s.maximum = [](const Numbers& x, Real) { return std::max(greatest(x), Real(-10000)); };
                   s.exponential =
                       [](Real x, Real m, Real t) {
                         return std::exp(((x == masked<Real> ? Real(-10000) : x) - m) / t);
                       }),
      SQRTDK_WRONG("sum-not-rescaled", "",
                   s.both =
                       [](const Numbers& x, Real t) { return one_pass(x, 1, t, [](Real, Real) { return Real(1); }); }),
      SQRTDK_WRONG("sum-rescaled-inversely", "",
                   s.both =
                       [](const Numbers& x, Real t) {
                         return one_pass(x, 1, t, [t](Real m, Real next) {
                           return m == masked<Real> ? Real(0) : std::exp((next - m) / t);
                         });
                       }),
      SQRTDK_WRONG("masked-block-is-nan", "pytorch#130014",
                   s.both = [](const Numbers& x, Real t) {
                     return one_pass(x, 2, t, [t](Real m, Real next) { return std::exp((m - next) / t); });
                   })};
}

#undef SQRTDK_WRONG

}  // namespace

Kernels<SoftmaxInput> kernels_of(const SoftmaxInput&) { return {right_kernels(), wrong_kernels()}; }

}  // namespace sqrtdk::vectors
