// SPDX-License-Identifier: BSL-1.0
// What sqrtdk.h declares. RapidCheck's own runner is not there: most systems have it as a static library that no shared one
// can take in. Cases are drawn, and made simpler, by the same functions.
#include <sqrtdk/c/arguments.hpp>
#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/generators/kernel_campaign.hpp>
#include <sqrtdk/testing/generators/random_source.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include <cstdio>
#include <deque>
#include <exception>
#include <optional>
#include <type_traits>

namespace sqrtdk::c {

namespace {

using testing::AttentionCase;
using testing::Finding;
using testing::Matrix;
using testing::Outcome;
using testing::detail::Campaign;
using testing::detail::SoftmaxCase;
using Numbers = std::vector<Eigen::MatrixXd>;

thread_local char last_error[1024];
thread_local std::string last_text;

sqrtdk_report nothing_found() {
  sqrtdk_report found{};
  found.row = found.column = -1;
  return found;
}

void write(sqrtdk_report found, std::string text, sqrtdk_report& report) {
  last_text = std::move(text);
  found.struct_size = report.struct_size;
  found.text = last_text.c_str();
  report = found;
}

/// The status of a call: what it throws becomes a status and the text of sqrtdk_last_error().
/// \param report gets no verdict unless the call gives it one; may be null if the call takes none.
template <class Call>
sqrtdk_status guarded(sqrtdk_report* report, const Call& call) noexcept {
  const auto failed = [](sqrtdk_status status, const std::exception& error) {
    std::snprintf(last_error, sizeof last_error, "%s", error.what());
    return status;
  };
  try {
    if (report != nullptr) {
      known(report, "report");
      write(nothing_found(), "", *report);
    }
    call();
    return SQRTDK_OK;
  } catch (const std::invalid_argument& error) {
    return failed(SQRTDK_INVALID, error);
  } catch (const std::domain_error& error) {
    // A report whose size is wrong was refused by the rule above.
    if (report != nullptr) report->verdict = SQRTDK_NOT_COVERED;
    return failed(SQRTDK_UNSUPPORTED, error);
  } catch (const std::exception& error) {
    return failed(SQRTDK_FAILED, error);
  } catch (...) {
    return failed(SQRTDK_FAILED, std::runtime_error("no std::exception was thrown"));
  }
}

/// Refuses what is no array for each result.
void require_results(const sqrtdk_array* results, const char* name, const sqrtdk_call& call,
                     std::uint32_t dtype, bool written = false) {
  at(results, name);
  std::size_t k = 0;
  for (const Shape& shape : result_shapes(call)) {
    const std::string place = name + ("[" + std::to_string(k) + "]");
    require_array(&results[k], place, dtype, written);
    require_shape(results[k++], place, shape);
  }
}

/// Writes what a callable makes of each target.
template <class Make>
void write_numbers(const sqrtdk_array* results, const char* name, const sqrtdk_call& call,
                   const SoftmaxArithmetic& arithmetic, Make make) {
  require_results(results, name, call, SQRTDK_FLOAT64, /*written=*/true);
  Numbers all;
  for (const Target& target : targets_of(call, arithmetic)) all.push_back(make(target));
  for (const Eigen::MatrixXd& numbers : all)
    for_each_entry(*results++, [&](unsigned char* to, Eigen::Index i, Eigen::Index j) {
      std::memcpy(to, &numbers(i, j), sizeof(double));
    });
}

/// What is declared, for a call of the same format.
/// \param given its formats are filled in.
SoftmaxArithmetic arithmetic_for(const sqrtdk_call& call, sqrtdk_arithmetic& given) {
  SoftmaxArithmetic arithmetic = arithmetic_of(given);
  refuse_unless(given.dtype == format_of(call), "arithmetic.dtype", format_text(given.dtype),
                "be " + format_text(format_of(call)) + ", as the arguments are");
  return arithmetic;
}

/// Compares all results with what they have to be.
/// \return what was found, and what the number nearest to its bound is instead of what.
std::pair<sqrtdk_report, std::string> judged(const std::vector<Target>& targets,
                                             const Numbers& results) {
  sqrtdk_report said = nothing_found();
  Finding all;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const Finding one = targets[k].compare(results[k]);
    if (Finding::ratio(one.error, one.bound) > Finding::ratio(all.error, all.bound))
      said.result = static_cast<std::int32_t>(k);
    all.add(one);
  }
  said.verdict = SQRTDK_HOLDS;
  if (all.unbounded > 0 || all.entries == 0) said.verdict = SQRTDK_VACUOUS;
  if (!all.holds()) said.verdict = SQRTDK_BROKEN;
  said.row = all.row;
  said.column = all.column;
  said.computed = all.computed;
  said.exact = all.exact;
  said.error = all.error;
  said.bound = all.bound;
  said.tried = all.entries;
  said.beyond = all.beyond;
  said.unbounded = all.unbounded;
  return {said, "results[" + std::to_string(said.result) + "] at row " + std::to_string(all.row) +
                    ", column " + std::to_string(all.column) + " is " +
                    format_hex_and_decimal(all.computed) + " instead of " +
                    format_hex_and_decimal(all.exact)};
}

/// What a kernel does that is no matter of numbers.
struct KernelFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An array without gaps, in memory of its own: NaN in every format, and as much before and after it.
struct Buffer {
  Buffer(std::uint32_t dtype, const Shape& of) : shape(of) {
    std::size_t size = width_of(dtype);
    for (const std::int64_t length : shape) size *= static_cast<std::size_t>(length);
    bytes.assign(size + 2 * room, fill);
    array = {bytes.data() + room, 0,      dtype, static_cast<std::int32_t>(shape.size()),
             shape.data(),        nullptr};
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Whether nothing was written before and after it.
  bool intact() const {
    const auto is_left = [](unsigned char byte) { return byte == fill; };
    return std::all_of(bytes.begin(), bytes.begin() + room, is_left) &&
           std::all_of(bytes.end() - room, bytes.end(), is_left);
  }

  static constexpr std::ptrdiff_t room = 64;
  static constexpr unsigned char fill = 0xFF;
  Shape shape;
  std::vector<unsigned char> bytes;
  sqrtdk_array array;
};

template <class T>
constexpr std::uint32_t format = std::is_same_v<T, bool>          ? SQRTDK_BOOL
                                 : std::is_same_v<T, Eigen::half> ? SQRTDK_FLOAT16
                                 : std::is_same_v<T, float>       ? SQRTDK_FLOAT32
                                 : std::is_same_v<T, double>      ? SQRTDK_FLOAT64
                                                                  : SQRTDK_BFLOAT16;

/// A softmax's backward pass for the weights of a case: its scores, the last one first, are the gradient; 0 for masks.
template <class Real>
std::vector<Real> gradient_of(const SoftmaxCase<Real>& input) {
  std::vector<Real> gradient;
  for (auto x = input.scores.rbegin(); x != input.scores.rend(); ++x)
    gradient.push_back(*x < Real(-64) ? Real(0) : std::min(*x, Real(64)));
  return gradient;
}
template <class Real>
std::vector<Real> weights_of(const SoftmaxCase<Real>& input) {
  const auto p =
      softmax(testing::detail::as_vector(input.scores), Compute<Real>(input.temperature));
  return {p.begin(), p.end()};
}

/// A case as a call, in memory of its own.
struct OwnCall : sqrtdk_call {
  template <class Real>
  OwnCall(std::int32_t what, std::int32_t empty, const SoftmaxCase<Real>& input)
      : OwnCall(what, empty) {
    const auto put = [&](const sqrtdk_array* sqrtdk_call::*member, const std::vector<Real>& x) {
      add(member, testing::detail::as_vector(x), {static_cast<std::int64_t>(x.size())});
    };
    if (what == SQRTDK_SOFTMAX_BACKWARD) {
      put(&sqrtdk_call::weights, weights_of(input));
      put(&sqrtdk_call::output_gradient, gradient_of(input));
    } else {
      put(&sqrtdk_call::logits, input.scores);
      number = static_cast<double>(static_cast<Compute<Real>>(input.temperature));
      temperature = &number;
    }
  }

  template <class Real>
  OwnCall(std::int32_t what, std::int32_t empty, const AttentionCase<Real>& input)
      : OwnCall(what, empty) {
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
    if (options.scale) scale = &number;
    if (options.causal == CausalAlignment::top_left) causal = SQRTDK_TOP_LEFT;
    if (options.causal == CausalAlignment::bottom_right) causal = SQRTDK_BOTTOM_RIGHT;
  }

  OwnCall(const OwnCall&) = delete;
  OwnCall& operator=(const OwnCall&) = delete;

 private:
  OwnCall(std::int32_t what, std::int32_t empty) : sqrtdk_call{} {
    struct_size = sizeof(sqrtdk_call);
    operation = what;
    empty_rows = empty;
  }

  template <class Entries>
  void add(const sqrtdk_array* sqrtdk_call::*member, const Entries& entries, const Shape& shape) {
    using Scalar = typename Entries::Scalar;
    using Stored = std::conditional_t<std::is_same_v<Scalar, bool>, std::uint8_t, Scalar>;
    using Rows = Eigen::Matrix<Stored, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const sqrtdk_array& array = buffers.emplace_back(format<Scalar>, shape).array;
    Eigen::Map<Rows>(static_cast<Stored*>(array.data), entries.rows(), entries.cols()) =
        entries.template cast<Stored>();
    this->*member = &array;
  }

  std::deque<Buffer> buffers;
  double number = 0;
};

/// A kernel, and what it is asked.
struct Kernel {
  std::int32_t operation;
  sqrtdk_kernel function;
  void* user;
  sqrtdk_options asked;

  template <class Case>
  OwnCall call(const Case& input) const {
    return OwnCall(operation, asked.empty_rows, input);
  }

  /// What it makes of a call.
  Numbers operator()(const sqrtdk_call& call) const {
    std::deque<Buffer> buffers;
    std::vector<sqrtdk_array> arrays;
    for (const Shape& shape : result_shapes(call))
      arrays.push_back(buffers.emplace_back(format_of(call), shape).array);
    int returned = 0;
    try {
      returned = function(user, &call, arrays.data());
    } catch (...) {
      throw KernelFailed("the kernel threw");
    }
    if (returned != 0) throw KernelFailed("the kernel returned " + std::to_string(returned));
    Numbers results;
    for (const Buffer& buffer : buffers) {
      if (!buffer.intact()) throw KernelFailed("the kernel wrote beside its results");
      results.push_back(numbers_of<>(buffer.array));
    }
    return results;
  }
};

/// Holds a kernel, and results that are broken on purpose, to what results have to be.
template <class Case>
Campaign<Case> held_to_targets(Campaign<Case> campaign, const Kernel& kernel,
                               const SoftmaxArithmetic& declared) {
  const auto law = [=](auto results) {
    return [=](const Case& input) {
      const OwnCall call = kernel.call(input);
      const std::vector<Target> targets = targets_of(call, declared);
      const auto [said, place] = judged(targets, results(call, targets));
      // Where nothing is promised, NaN is nothing wrong.
      const bool says = said.beyond > 0 || std::isfinite(said.bound);
      return Outcome{says ? said.error : 0, said.bound, said.unbounded > 0, place};
    };
  };
  const auto broken = [=](void (*change)(Eigen::MatrixXd&)) {
    return law([=](const sqrtdk_call&, const std::vector<Target>& targets) {
      Numbers wrong;
      for (const Target& target : targets) change(wrong.emplace_back(target.nearly_right()));
      return wrong;
    });
  };
  campaign.laws = {{"accuracy", law([=](const auto& call, const auto&) { return kernel(call); })}};
  campaign.broken = {
      {"zeros", broken([](Eigen::MatrixXd& x) { x.setZero(); })},
      {"one part in a hundred too much", broken([](Eigen::MatrixXd& x) { x *= 1.01; })},
      {"a last column of zeros", broken([](Eigen::MatrixXd& x) { x.rightCols(1).setZero(); })}};
  return campaign;
}

/// What a kernel was asked, in words.
template <class Real>
std::string text_of(int operation, const SoftmaxCase<Real>& input) {
  using testing::detail::numbers_text;
  if (operation == SQRTDK_SOFTMAX_BACKWARD)
    return "weights [" + numbers_text(weights_of(input)) + "], output gradient [" +
           numbers_text(gradient_of(input)) + "]";
  return "logits [" + numbers_text(input.scores) + "], temperature " +
         format_digits(Compute<Real>(input.temperature));
}
template <class Real>
std::string text_of(int /*operation*/, const AttentionCase<Real>& input) {
  return testing::detail::case_text(input);
}

template <class Case>
void run(Campaign<Case> campaign, const Kernel& kernel, sqrtdk_report& report) {
  constexpr const char* kinds[] = {"softmax",          "log-softmax", "log-sum-exp",
                                   "softmax backward", "attention",   "attention gradient"};
  campaign.kind = kinds[kernel.operation];
  using Tally = testing::detail::Tally<Case>;
  const auto broken_by = [](Tally& tally, const Case& input) {
    try {
      return tally.broken_by(input);
    } catch (const KernelFailed& failure) {
      return std::optional(std::pair(std::string("the call"), testing::broken(failure.what())));
    }
  };
  sqrtdk_report said = nothing_found();
  Tally tally(campaign);
  rc::Random random(kernel.asked.seed);
  const std::size_t cases =
      campaign.fixed.size() + (kernel.asked.cases > 0 ? kernel.asked.cases : 200);
  for (std::size_t i = 0; i < cases; ++i) {
    testing::RandomSource source(random.split());
    Case input = i < campaign.fixed.size() ? campaign.fixed[i] : campaign.draw(source);
    auto broken = broken_by(tally, input);
    if (!broken) {
      tally.count(input);
      continue;
    }
    // The first simpler case that breaks a law, again and again.
    Tally unused(campaign);
    std::size_t tried = 0;
    for (std::vector<Case> simpler = campaign.shrinks(input); !simpler.empty();) {
      const auto found = std::find_if(simpler.begin(), simpler.end(), [&](const Case& candidate) {
        auto by = ++tried > testing::detail::patience ? std::nullopt : broken_by(unused, candidate);
        if (by) broken = by;
        return by.has_value();
      });
      if (found == simpler.end()) break;
      input = *found;
      simpler = campaign.shrinks(input);
    }
    std::ostringstream text;
    text << campaign.kind << ": broken in case " << i + 1 << ", which was made simpler:\n"
         << text_of(kernel.operation, input) << '\n'
         << broken->first << ": " << broken->second;
    said.verdict = SQRTDK_BROKEN;
    said.error = broken->second.error;
    said.bound = broken->second.bound;
    said.tried = i + 1;
    said.beyond = 1;
    return write(said, text.str(), report);
  }
  said.verdict = tally.silent() == tally.tried() ? SQRTDK_VACUOUS : SQRTDK_HOLDS;
  said.tried = tally.tried();
  said.unbounded = tally.silent();
  write(said, tally.text(), report);
}

template <class Real>
void hold(const Kernel& kernel, const SoftmaxArithmetic& declared, sqrtdk_report& report) {
  const sqrtdk_options& asked = kernel.asked;
  const auto takes = [&](std::uint32_t flag) { return (asked.without & flag) == 0; };
  testing::AttentionConventions may;
  may.permissions = takes(SQRTDK_NO_MASK);
  may.biases = takes(SQRTDK_NO_BIAS);
  may.top_left = takes(SQRTDK_NO_TOP_LEFT);
  may.bottom_right = takes(SQRTDK_NO_BOTTOM_RIGHT);
  may.scales = takes(SQRTDK_NO_SCALE);
  may.empty_rows = empty_rows_of(asked.empty_rows, kernel.operation);
  testing::SoftmaxShapes shapes;
  shapes.masked = takes(SQRTDK_NO_MINUS_INFINITY);
  if (!takes(SQRTDK_NO_TEMPERATURE)) shapes.least_temperature = shapes.greatest_temperature = 1;
  if (asked.longest > 0) shapes.longest = asked.longest;
  // Of a log-softmax, differences that overflow are left out: ordinary kernels take them for −∞.
  if (kernel.operation == SQRTDK_LOG_SOFTMAX)
    shapes.largest = static_cast<double>(Compute<Real>(std::numeric_limits<Real>::max())) / 2;
  if (asked.largest > 0) shapes.largest = asked.largest;

  const auto result = [=](const auto& input) -> Matrix<Real> {
    return kernel(kernel.call(input))[0].template cast<Compute<Real>>().template cast<Real>();
  };
  if (kernel.operation == SQRTDK_SOFTMAX) {
    const auto softmax = [=](const std::vector<Real>& scores, Real temperature) {
      const Matrix<Real> weights = result(SoftmaxCase<Real>{scores, temperature});
      return std::vector<Real>(weights.data(), weights.data() + weights.size());
    };
    run(testing::detail::softmax_campaign<Real>(softmax, declared, shapes), kernel, report);
  } else if (kernel.operation == SQRTDK_ATTENTION) {
    run(testing::detail::attention_campaign<Real>({result}, declared, may), kernel, report);
  } else if (kernel.operation == SQRTDK_ATTENTION_GRADIENT) {
    run(held_to_targets(testing::detail::attention_calls<Real>(may, true), kernel, declared),
        kernel, report);
  } else {
    run(held_to_targets(testing::detail::softmax_cases<Real>(shapes), kernel, declared), kernel,
        report);
  }
}

}  // namespace

}  // namespace sqrtdk::c

using namespace sqrtdk::c;
using sqrtdk::SoftmaxArithmetic;

uint32_t sqrtdk_abi_version(void) { return SQRTDK_ABI_VERSION; }

const char* sqrtdk_last_error(void) { return last_error; }

sqrtdk_status sqrtdk_exact(const sqrtdk_call* call, const sqrtdk_array* exact) {
  return guarded(nullptr, [&] {
    write_numbers(exact, "exact", require_call(call), sqrtdk::arithmetic_of<float>(),
                  [](const Target& target) {
                    return target.each([](const Target::Row& row, Eigen::Index j) {
                      return sqrtdk::testing::to_double(row.exact(j, 0));
                    });
                  });
  });
}

sqrtdk_status sqrtdk_bound(const sqrtdk_call* call, const sqrtdk_arithmetic* arithmetic,
                           const sqrtdk_array* bounds) {
  return guarded(nullptr, [&] {
    const sqrtdk_call asked = require_call(call);
    sqrtdk_arithmetic given = known(arithmetic, "arithmetic");
    write_numbers(bounds, "bounds", asked, arithmetic_for(asked, given),
                  [](const Target& target) { return target.bounds(); });
  });
}

sqrtdk_status sqrtdk_check(const sqrtdk_call* call, const sqrtdk_array* results,
                           const sqrtdk_arithmetic* arithmetic, sqrtdk_report* report) {
  return guarded(report, [&] {
    at(report, "report");
    const sqrtdk_call asked = require_call(call);
    sqrtdk_arithmetic given = known(arithmetic, "arithmetic");
    const std::vector<Target> targets = targets_of(asked, arithmetic_for(asked, given));
    require_results(results, "results", asked, given.stored_in);
    Numbers computed;
    for (std::size_t k = 0; k < targets.size(); ++k) computed.push_back(numbers_of<>(results[k]));
    const auto [said, place] = judged(targets, computed);
    std::ostringstream text;
    text << said.tried - said.beyond << " of " << said.tried << " numbers are within their bounds";
    if (said.unbounded > 0) text << "; nothing is promised for " << said.unbounded;
    if (said.tried > 0)
      text << (said.beyond > 0 ? "; the farthest beyond, " : "; the nearest to its own, ") << place
           << ": error " << sqrtdk::format_digits(said.error) << " of a bound of "
           << sqrtdk::format_digits(said.bound);
    write(said, text.str(), *report);
  });
}

sqrtdk_status sqrtdk_hold(int32_t operation, sqrtdk_kernel kernel, void* user,
                          const sqrtdk_arithmetic* arithmetic, const sqrtdk_options* options,
                          sqrtdk_report* report) {
  return guarded(report, [&] {
    at(report, "report");
    at(kernel, "kernel");
    require_operation(operation);
    sqrtdk_arithmetic given = known(arithmetic, "arithmetic");
    const SoftmaxArithmetic declared = arithmetic_of(given);
    refuse_unless(given.stored_in == given.dtype, "arithmetic.stored_in",
                  format_text(given.stored_in), "be 0 or arithmetic.dtype");
    const sqrtdk_options asked = options != nullptr ? known(options, "options") : sqrtdk_options{};
    refuse_unless(asked.without < 2 * SQRTDK_NO_TEMPERATURE, "options.without", asked.without,
                  "be a sum of flags of this version");
    refuse_unless(asked.reserved == 0, "options.reserved", asked.reserved, "be 0");
    refuse_unless(asked.cases <= 10'000'000, "options.cases", asked.cases, "be at most 10000000");
    refuse_unless(asked.longest <= 65'536, "options.longest", asked.longest, "be at most 65536");
    refuse_unless(asked.largest >= 0, "options.largest", asked.largest, "be at least 0");
    with_format(given.dtype, "arithmetic.dtype", [&](auto zero) {
      hold<decltype(zero)>({operation, kernel, user, asked}, declared, *report);
    });
  });
}
