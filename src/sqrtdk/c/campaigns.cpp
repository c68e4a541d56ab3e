// SPDX-License-Identifier: BSL-1.0
// Kernels behind a function pointer. RapidCheck's own runner is not there: most systems have it as a static library that no
// shared one can take in. Cases are drawn, and made simpler, by the same functions.
#include <sqrtdk/c/arguments.hpp>
#include <sqrtdk/testing/generators/kernel_campaign.hpp>
#include <sqrtdk/testing/generators/random_source.hpp>

#include <cstring>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::c {

namespace {

using testing::AttentionCase;
using testing::Outcome;
using testing::detail::Campaign;

/// What a kernel does that is no matter of numbers.
struct KernelFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Where a kernel writes: NaN in every format, with room at both ends that it must leave alone.
template <class Real>
class Guarded {
 public:
  explicit Guarded(std::size_t count)
      : count_(count), bytes_(count * sizeof(Real) + 2 * room, fill) {}

  void* data() { return bytes_.data() + room; }

  /// Copies the numbers, if the kernel has said that it went well, and has written nowhere else.
  void copy_to(Real* numbers, int returned) const {
    if (returned != 0) throw KernelFailed("the kernel returned " + std::to_string(returned));
    for (std::size_t i = 0; i < room; ++i)
      if (bytes_[i] != fill || bytes_[bytes_.size() - 1 - i] != fill)
        throw KernelFailed("the kernel wrote beside its output");
    if (count_ > 0) std::memcpy(numbers, bytes_.data() + room, count_ * sizeof(Real));
  }

 private:
  static constexpr std::size_t room = 64;
  static constexpr unsigned char fill = 0xFF;
  std::size_t count_;
  std::vector<unsigned char> bytes_;
};

/// A matrix row after row, and the array that describes it.
template <class Stored>
struct Rows {
  template <class Entries>
  explicit Rows(const Entries& matrix, std::uint32_t dtype)
      : entries(matrix.template cast<Stored>()), shape{matrix.rows(), matrix.cols()} {
    array = {entries.data(), 0, dtype, 2, shape, nullptr};
  }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  Eigen::Matrix<Stored, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> entries;
  std::int64_t shape[2];
  sqrtdk_array array;
};

template <class Real>
testing::SoftmaxFunction<Real> softmax_of(sqrtdk_softmax_kernel kernel, void* user) {
  return [=](const std::vector<Real>& scores, Real temperature) {
    Guarded<Real> output(scores.size());
    const int returned =
        kernel(user, scores.data(), scores.size(),
               static_cast<double>(static_cast<Compute<Real>>(temperature)), output.data());
    std::vector<Real> weights(scores.size());
    output.copy_to(weights.data(), returned);
    return weights;
  };
}

template <class Real>
testing::AttentionFunction<Real> attention_of(sqrtdk_attention_kernel kernel, void* user,
                                              std::uint32_t dtype) {
  return [=](const AttentionCase<Real>& input) {
    using Computed = Compute<Real>;
    const Rows<Real> queries(input.queries, dtype);
    const Rows<Real> keys(input.keys, dtype);
    const Rows<Real> values(input.values, dtype);
    std::optional<Rows<std::uint8_t>> mask;
    std::optional<Rows<Computed>> bias;
    sqrtdk_attention call{};
    call.struct_size = sizeof call;
    call.queries = &queries.array;
    call.keys = &keys.array;
    call.values = &values.array;
    if (input.options.allowed) call.mask = &mask.emplace(*input.options.allowed, SQRTDK_BOOL).array;
    if (input.options.bias)
      call.bias = &bias.emplace(*input.options.bias,
                                std::is_same_v<Computed, double> ? SQRTDK_FLOAT64 : SQRTDK_FLOAT32)
                       .array;
    double scale = 0;
    if (input.options.scale) {
      scale = static_cast<double>(*input.options.scale);
      call.scale = &scale;
    }
    if (input.options.causal)
      call.causal = *input.options.causal == CausalAlignment::top_left ? SQRTDK_TOP_LEFT
                                                                       : SQRTDK_BOTTOM_RIGHT;
    const Eigen::Index n = input.queries.rows();
    const Eigen::Index d_v = input.values.cols();
    Guarded<Real> output(static_cast<std::size_t>(n * d_v));
    const std::int64_t shape[] = {n, d_v};
    const sqrtdk_array written{output.data(), 0, dtype, 2, shape, nullptr};
    const int returned = kernel(user, &call, &written);
    Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> computed(n, d_v);
    output.copy_to(computed.data(), returned);
    return Matrix<Real>(computed);
  };
}

/// What breaks a case: a law, or what the kernel did; nothing if all laws are kept.
template <class Case>
std::optional<std::pair<std::string, Outcome>> broken_by(testing::detail::Tally<Case>& tally,
                                                         const Case& input) {
  try {
    return tally.broken_by(input);
  } catch (const KernelFailed& failure) {
    return std::pair{std::string("the call"), testing::broken(failure.what())};
  }
}

/// The simplest case that breaks a law, starting from one that does.
template <class Case>
std::pair<Case, std::pair<std::string, Outcome>> simplest(const Campaign<Case>& campaign,
                                                          Case input,
                                                          std::pair<std::string, Outcome> broken) {
  std::size_t tried = 0;
  for (bool simpler = true; simpler;) {
    simpler = false;
    for (const Case& candidate : campaign.shrinks(input)) {
      if (++tried > testing::detail::patience) return {input, broken};
      testing::detail::Tally<Case> unused(campaign);
      auto found = broken_by(unused, candidate);
      if (!found) continue;
      input = candidate;
      broken = std::move(*found);
      simpler = true;
      break;
    }
  }
  return {input, broken};
}

template <class Case>
void run(const Campaign<Case>& campaign, const sqrtdk_options& options, sqrtdk_report& report) {
  sqrtdk_report said = nothing_found();
  testing::detail::Tally<Case> tally(campaign);
  rc::Random random(options.seed);
  const std::size_t cases = campaign.fixed.size() + (options.cases > 0 ? options.cases : 200);
  for (std::size_t i = 0; i < cases; ++i) {
    testing::RandomSource source(random.split());
    const Case input = i < campaign.fixed.size() ? campaign.fixed[i] : campaign.draw(source);
    const auto broken = broken_by(tally, input);
    if (!broken) {
      tally.count(input);
      continue;
    }
    const auto [least, by] = simplest(campaign, input, *broken);
    std::ostringstream text;
    text << campaign.kind << ": broken in case " << i + 1 << ", which was made simpler:\n";
    testing::detail::Shown<Case>::show(least, text);
    text << '\n' << by.first << ": " << by.second;
    said.verdict = SQRTDK_BROKEN;
    said.error = by.second.error;
    said.bound = by.second.bound;
    said.tried = i + 1;
    said.beyond = 1;
    write(said, text.str(), report);
    return;
  }
  said.verdict = tally.silent() == tally.tried() ? SQRTDK_VACUOUS : SQRTDK_HOLDS;
  said.tried = tally.tried();
  said.unbounded = tally.silent();
  write(said, tally.text(), report);
}

/// What is asked: the options, checked; none are given for NULL.
sqrtdk_options options_of(const sqrtdk_options* given) {
  sqrtdk_options options{};
  options.struct_size = sizeof options;
  if (given == nullptr) return options;
  std::memcpy(&options, &sized(given, "options"), sizeof options);
  refuse_unless(options.without < 2 * SQRTDK_NO_SCALE, "options.without", options.without,
                "a sum of flags of this version");
  refuse_unless(options.reserved == 0, "options.reserved", options.reserved, "0");
  refuse_unless(options.cases <= 10'000'000, "options.cases", options.cases, "at most 10000000");
  refuse_unless(options.longest <= 65'536, "options.longest", options.longest, "at most 65536");
  const auto at_least_0 = [](double value, const char* name) {
    refuse_unless(value >= 0, name, value, "at least 0");
  };
  at_least_0(options.largest, "options.largest");
  at_least_0(options.least_temperature, "options.least_temperature");
  at_least_0(options.greatest_temperature, "options.greatest_temperature");
  return options;
}

testing::SoftmaxShapes shapes_of(const sqrtdk_options& options) {
  testing::SoftmaxShapes shapes;
  if (options.longest > 0) shapes.longest = options.longest;
  if (options.largest > 0) shapes.largest = options.largest;
  if (options.least_temperature > 0) shapes.least_temperature = options.least_temperature;
  if (options.greatest_temperature > 0) shapes.greatest_temperature = options.greatest_temperature;
  shapes.masked = (options.without & SQRTDK_NO_MINUS_INFINITY) == 0;
  refuse_unless(shapes.least_temperature <= shapes.greatest_temperature,
                "options.least_temperature", shapes.least_temperature,
                "at most options.greatest_temperature");
  return shapes;
}

testing::AttentionConventions conventions_of(const sqrtdk_options& options) {
  const auto takes = [&](std::uint32_t flag) { return (options.without & flag) == 0; };
  testing::AttentionConventions may;
  may.permissions = takes(SQRTDK_NO_MASK);
  may.biases = takes(SQRTDK_NO_BIAS);
  may.top_left = takes(SQRTDK_NO_TOP_LEFT);
  may.bottom_right = takes(SQRTDK_NO_BOTTOM_RIGHT);
  may.scales = takes(SQRTDK_NO_SCALE);
  may.empty_rows = empty_rows_of(options.empty_rows);
  return may;
}

/// Calls `hold` with a zero of the kernel's format, with the arithmetic and with the options.
template <class Kernel, class Hold>
sqrtdk_status hold_kernel(Kernel kernel, const sqrtdk_arithmetic* arithmetic,
                          const sqrtdk_options* options, sqrtdk_report* report, Hold hold) {
  return guarded(report, [&] {
    at(report, "report");
    at(kernel, "kernel");
    const SoftmaxArithmetic declared = arithmetic_of(arithmetic);
    refuse_unless(stored_format(*arithmetic) == arithmetic->dtype, "arithmetic.stored_in",
                  arithmetic->stored_in, "0 or arithmetic.dtype");
    const sqrtdk_options asked = options_of(options);
    with_format(arithmetic->dtype, "arithmetic.dtype",
                [&](auto zero) { hold(zero, declared, asked); });
  });
}

}  // namespace

}  // namespace sqrtdk::c

using namespace sqrtdk::c;

sqrtdk_status sqrtdk_hold_softmax(sqrtdk_softmax_kernel kernel, void* user,
                                  const sqrtdk_arithmetic* arithmetic,
                                  const sqrtdk_options* options, sqrtdk_report* report) {
  return hold_kernel(kernel, arithmetic, options, report,
                     [=](auto zero, const auto& declared, const sqrtdk_options& asked) {
                       using Real = decltype(zero);
                       run(sqrtdk::testing::detail::softmax_campaign<Real>(
                               softmax_of<Real>(kernel, user), declared, shapes_of(asked)),
                           asked, *report);
                     });
}

sqrtdk_status sqrtdk_hold_attention(sqrtdk_attention_kernel kernel, void* user,
                                    const sqrtdk_arithmetic* arithmetic,
                                    const sqrtdk_options* options, sqrtdk_report* report) {
  return hold_kernel(kernel, arithmetic, options, report,
                     [=](auto zero, const auto& declared, const sqrtdk_options& asked) {
                       using Real = decltype(zero);
                       run(sqrtdk::testing::detail::attention_campaign<Real>(
                               attention_of<Real>(kernel, user, arithmetic->dtype), declared,
                               conventions_of(asked)),
                           asked, *report);
                     });
}
