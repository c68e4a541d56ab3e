// SPDX-License-Identifier: BSL-1.0
// Kernels behind a function pointer. RapidCheck's own runner is not there: most systems have it as a static library that no
// shared one can take in. Cases are drawn, and made simpler, by the same functions.
#include <sqrtdk/c/arguments.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/generators/kernel_campaign.hpp>
#include <sqrtdk/testing/generators/random_source.hpp>

#include <deque>
#include <optional>
#include <type_traits>

namespace sqrtdk::c {

namespace {

using testing::AttentionCase;
using testing::Outcome;
using testing::detail::Campaign;
using testing::detail::SoftmaxCase;

/// What a kernel does that is no matter of numbers.
struct KernelFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An array without gaps, in memory of its own: NaN in every format, and as much before and after it.
class Buffer {
 public:
  Buffer(std::uint32_t dtype, Shape shape) : shape_(std::move(shape)) {
    std::size_t size = width_of(dtype);
    for (const std::int64_t length : shape_) size *= static_cast<std::size_t>(length);
    bytes_.assign(size + 2 * room, fill);
    array = {bytes_.data() + room, 0,      dtype, static_cast<std::int32_t>(shape_.size()),
             shape_.data(),        nullptr};
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Whether nothing was written before and after it.
  bool intact() const {
    const auto is_left = [](unsigned char byte) { return byte == fill; };
    return std::all_of(bytes_.begin(), bytes_.begin() + room, is_left) &&
           std::all_of(bytes_.end() - room, bytes_.end(), is_left);
  }

  sqrtdk_array array;

 private:
  static constexpr std::ptrdiff_t room = 64;
  static constexpr unsigned char fill = 0xFF;
  Shape shape_;
  std::vector<unsigned char> bytes_;
};

template <class T>
constexpr std::uint32_t format = std::is_same_v<T, bool>          ? SQRTDK_BOOL
                                 : std::is_same_v<T, Eigen::half> ? SQRTDK_FLOAT16
                                 : std::is_same_v<T, float>       ? SQRTDK_FLOAT32
                                 : std::is_same_v<T, double>      ? SQRTDK_FLOAT64
                                                                  : SQRTDK_BFLOAT16;

/// The scores of a case whose softmax has a backward pass, the last one first, as its output gradient; 0 for masks.
template <class Real>
std::vector<Real> gradient_of(const SoftmaxCase<Real>& input) {
  std::vector<Real> gradient;
  for (auto x = input.scores.rbegin(); x != input.scores.rend(); ++x)
    gradient.push_back(*x < Real(-64) ? Real(0) : std::min(*x, Real(64)));
  return gradient;
}

/// A case as a call, in memory of its own.
struct Call {
  template <class Real>
  Call(int operation, const SoftmaxCase<Real>& input) : Call(operation) {
    const auto x = testing::detail::as_vector(input.scores);
    const auto tau = static_cast<Compute<Real>>(input.temperature);
    if (operation == SQRTDK_SOFTMAX_BACKWARD) {
      const std::vector<Real> g = gradient_of(input);
      add(&sqrtdk_call::weights, softmax(x, tau), {x.size()});
      add(&sqrtdk_call::output_gradient, testing::detail::as_vector(g), {x.size()});
    } else {
      add(&sqrtdk_call::logits, x, {x.size()});
      number = static_cast<double>(tau);
      call.temperature = &number;
    }
  }

  template <class Real>
  Call(int operation, const AttentionCase<Real>& input) : Call(operation) {
    const auto put = [&](const sqrtdk_array* sqrtdk_call::*member, const auto& matrix) {
      if (matrix.size() > 0) add(member, matrix, {matrix.rows(), matrix.cols()});
    };
    const auto& options = input.options;
    put(&sqrtdk_call::queries, input.queries);
    put(&sqrtdk_call::keys, input.keys);
    put(&sqrtdk_call::values, input.values);
    put(&sqrtdk_call::output_gradient, input.output_gradient);
    if (options.allowed) put(&sqrtdk_call::mask, *options.allowed);
    if (options.bias) put(&sqrtdk_call::bias, *options.bias);
    if (options.scale) number = static_cast<double>(*options.scale);
    if (options.scale) call.scale = &number;
    if (options.causal == CausalAlignment::top_left) call.causal = SQRTDK_TOP_LEFT;
    if (options.causal == CausalAlignment::bottom_right) call.causal = SQRTDK_BOTTOM_RIGHT;
  }

  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  sqrtdk_call call{};

 private:
  explicit Call(int operation) {
    call.struct_size = sizeof call;
    call.operation = operation;
  }

  template <class Entries>
  void add(const sqrtdk_array* sqrtdk_call::*member, const Entries& entries, Shape shape) {
    using Scalar = typename Entries::Scalar;
    using Stored = std::conditional_t<std::is_same_v<Scalar, bool>, std::uint8_t, Scalar>;
    using Rows = Eigen::Matrix<Stored, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const sqrtdk_array& array = buffers.emplace_back(format<Scalar>, std::move(shape)).array;
    Eigen::Map<Rows>(static_cast<Stored*>(array.data), entries.rows(), entries.cols()) =
        entries.template cast<Stored>();
    call.*member = &array;
  }

  std::deque<Buffer> buffers;
  double number = 0;
};

/// A kernel, with what it is asked.
struct Kernel {
  std::int32_t operation;
  sqrtdk_kernel function;
  void* user;
  std::int32_t empty_rows;

  /// What it makes of a call.
  std::vector<Eigen::MatrixXd> operator()(Call& of) const {
    of.call.empty_rows = empty_rows;
    std::deque<Buffer> buffers;
    std::vector<sqrtdk_array> arrays;
    for (Shape& shape : result_shapes(of.call))
      arrays.push_back(buffers.emplace_back(format_of(of.call), std::move(shape)).array);
    const int returned = function(user, &of.call, arrays.data());
    if (returned != 0) throw KernelFailed("the kernel returned " + std::to_string(returned));
    std::vector<Eigen::MatrixXd> results;
    for (const Buffer& buffer : buffers) {
      if (!buffer.intact()) throw KernelFailed("the kernel wrote beside its results");
      results.push_back(widened<double>(buffer.array));
    }
    return results;
  }
};

/// Holds a kernel, and results that are broken on purpose, to what results have to be.
template <class Case>
Campaign<Case> held_to_targets(Campaign<Case> campaign, const Kernel& kernel,
                               const SoftmaxArithmetic& declared) {
  const auto with = [=](auto results) {
    return [=](const Case& input) {
      Call call(kernel.operation, input);
      call.call.empty_rows = kernel.empty_rows;
      const std::vector<testing::Target> targets = targets_of(call.call, declared);
      const auto [said, place] = judged(targets, results(call, targets));
      // Where nothing is promised, NaN is nothing wrong.
      const bool says = said.beyond > 0 || std::isfinite(said.bound);
      return Outcome{says ? said.error : 0, said.bound, said.unbounded > 0, place};
    };
  };
  const auto broken = [=](void (*change)(Eigen::MatrixXd&)) {
    return with([=](const Call&, const std::vector<testing::Target>& targets) {
      std::vector<Eigen::MatrixXd> wrong;
      for (const testing::Target& target : targets) {
        wrong.push_back(target.nearly_right());
        change(wrong.back());
      }
      return wrong;
    });
  };
  campaign.laws = {{"accuracy", with([=](Call& call, const auto&) { return kernel(call); })}};
  campaign.broken = {
      {"zeros", broken([](Eigen::MatrixXd& x) { x.setZero(); })},
      {"one part in a hundred too much", broken([](Eigen::MatrixXd& x) { x *= 1.01; })},
      {"a last column of zeros", broken([](Eigen::MatrixXd& x) { x.rightCols(1).setZero(); })}};
  return campaign;
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

/// What a kernel was asked, in words.
template <class Real>
std::string text_of(int operation, const SoftmaxCase<Real>& input) {
  const auto list = [](const auto& x) {
    return testing::detail::numbers_text(std::vector<Real>(x.begin(), x.end()));
  };
  if (operation == SQRTDK_SOFTMAX_BACKWARD)
    return "weights [" +
           list(softmax(testing::detail::as_vector(input.scores),
                        Compute<Real>(input.temperature))) +
           "], output gradient [" + list(gradient_of(input)) + "]";
  return "logits [" + list(input.scores) + "], temperature " +
         format_digits(Compute<Real>(input.temperature));
}

template <class Real>
std::string text_of(int /*operation*/, const AttentionCase<Real>& input) {
  return testing::detail::case_text(input);
}

/// The simplest case that breaks a law, starting from one that does, and how it does.
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
void run(Campaign<Case> campaign, const Kernel& kernel, const sqrtdk_options& options,
         sqrtdk_report& report) {
  constexpr const char* kinds[] = {"softmax",          "log-softmax", "log-sum-exp",
                                   "softmax backward", "attention",   "attention gradient"};
  campaign.kind = kinds[kernel.operation];
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
    text << campaign.kind << ": broken in case " << i + 1 << ", which was made simpler:\n"
         << text_of(kernel.operation, least) << '\n'
         << by.first << ": " << by.second;
    said.verdict = SQRTDK_BROKEN;
    said.error = by.second.error;
    said.bound = by.second.bound;
    said.tried = i + 1;
    said.beyond = 1;
    return write(said, text.str(), report);
  }
  said.verdict = tally.silent() == tally.tried() ? SQRTDK_VACUOUS : SQRTDK_HOLDS;
  said.tried = tally.tried();
  said.unbounded = tally.silent();
  write(said, tally.text(), report);
}

/// What is asked: the options, checked; all of it for NULL.
sqrtdk_options options_of(const sqrtdk_options* given) {
  if (given == nullptr) return {};
  const sqrtdk_options options = known(given, "options");
  refuse_unless(options.without < 2 * SQRTDK_NO_TEMPERATURE, "options.without", options.without,
                "be a sum of flags of this version");
  refuse_unless(options.reserved == 0, "options.reserved", options.reserved, "be 0");
  refuse_unless(options.cases <= 10'000'000, "options.cases", options.cases, "be at most 10000000");
  refuse_unless(options.longest <= 65'536, "options.longest", options.longest, "be at most 65536");
  refuse_unless(options.largest >= 0, "options.largest", options.largest, "be at least 0");
  return options;
}

template <class Real>
void hold(const Kernel& kernel, const SoftmaxArithmetic& declared, const sqrtdk_options& options,
          sqrtdk_report& report) {
  const auto takes = [&](std::uint32_t flag) { return (options.without & flag) == 0; };
  testing::AttentionConventions may;
  may.permissions = takes(SQRTDK_NO_MASK);
  may.biases = takes(SQRTDK_NO_BIAS);
  may.top_left = takes(SQRTDK_NO_TOP_LEFT);
  may.bottom_right = takes(SQRTDK_NO_BOTTOM_RIGHT);
  may.scales = takes(SQRTDK_NO_SCALE);
  may.empty_rows = empty_rows_of(options.empty_rows, kernel.operation);
  testing::SoftmaxShapes shapes;
  if (options.longest > 0) shapes.longest = options.longest;
  // Of a log-softmax, differences that overflow are left out: ordinary kernels take them for −∞.
  if (kernel.operation == SQRTDK_LOG_SOFTMAX)
    shapes.largest = static_cast<double>(Compute<Real>(std::numeric_limits<Real>::max())) / 2;
  if (options.largest > 0) shapes.largest = options.largest;
  if (!takes(SQRTDK_NO_TEMPERATURE)) shapes.least_temperature = shapes.greatest_temperature = 1;
  shapes.masked = takes(SQRTDK_NO_MINUS_INFINITY);

  using testing::detail::attention_calls;
  const auto result = [=](Call&& call) -> Matrix<Real> {
    return kernel(call)[0].template cast<Compute<Real>>().template cast<Real>();
  };
  if (kernel.operation == SQRTDK_SOFTMAX) {
    const auto softmax = [=](const std::vector<Real>& scores, Real temperature) {
      const Matrix<Real> y = result(Call(SQRTDK_SOFTMAX, SoftmaxCase<Real>{scores, temperature}));
      return std::vector<Real>(y.data(), y.data() + y.size());
    };
    run(testing::detail::softmax_campaign<Real>(softmax, declared, shapes), kernel, options,
        report);
  } else if (kernel.operation == SQRTDK_ATTENTION) {
    const auto attention = [=](const AttentionCase<Real>& input) {
      return result(Call(SQRTDK_ATTENTION, input));
    };
    run(testing::detail::attention_campaign<Real>(attention, declared, may), kernel, options,
        report);
  } else if (kernel.operation == SQRTDK_ATTENTION_GRADIENT) {
    run(held_to_targets(attention_calls<Real>(may, true), kernel, declared), kernel, options,
        report);
  } else {
    run(held_to_targets(testing::detail::softmax_cases<Real>(shapes), kernel, declared), kernel,
        options, report);
  }
}

}  // namespace

}  // namespace sqrtdk::c

using namespace sqrtdk::c;

sqrtdk_status sqrtdk_hold(int32_t operation, sqrtdk_kernel kernel, void* user,
                          const sqrtdk_arithmetic* arithmetic, const sqrtdk_options* options,
                          sqrtdk_report* report) {
  return guarded(report, [&] {
    at(report, "report");
    at(kernel, "kernel");
    require_operation(operation);
    sqrtdk_arithmetic given = known(arithmetic, "arithmetic");
    const sqrtdk::SoftmaxArithmetic declared = arithmetic_of(given);
    refuse_unless(given.stored_in == given.dtype, "arithmetic.stored_in",
                  format_text(given.stored_in), "be 0 or arithmetic.dtype");
    const sqrtdk_options asked = options_of(options);
    with_format(given.dtype, "arithmetic.dtype", [&](auto zero) {
      hold<decltype(zero)>({operation, kernel, user, asked.empty_rows}, declared, asked, *report);
    });
  });
}
