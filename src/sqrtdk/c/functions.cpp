// The functions of sqrtdk.h, without RapidCheck's own runner, a static library on most systems.
#include <sqrtdk/c/arguments.hpp>
#include <sqrtdk/numbers/float_environment.hpp>
#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/generators/kernel_campaign.hpp>
#include <sqrtdk/testing/generators/random_source.hpp>
#include <sqrtdk/testing/laws/fixed_cases.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>

#include <cstdio>
#include <deque>
#include <exception>
#include <new>
#include <optional>
#include <type_traits>

namespace sqrtdk::c {

namespace {

using testing::AttentionCase;
using testing::Finding;
using testing::Matrix;
using testing::Outcome;
using testing::TargetNumbers;
using testing::detail::Campaign;
using testing::detail::SoftmaxCase;
using Numbers = std::vector<Eigen::MatrixXd>;

thread_local char last_error[1024];
thread_local std::string last_text;

void write(sqrtdk_report& report, std::int32_t verdict, const Finding& found, std::string text,
           std::int32_t result = 0) {
  last_text = std::move(text);
  report = {report.struct_size, verdict,         result,           found.row,   found.column,
            found.computed,     found.exact,     found.error,      found.bound, found.entries,
            found.beyond,       found.unbounded, last_text.c_str()};
}

/// The status of a call: what it throws becomes a status and the text of sqrtdk_last_error().
/// \param report gets no verdict unless the call gives it one; may be null if the call takes none.
template <class Call>
sqrtdk_status guarded(sqrtdk_report* report, const Call& call) noexcept {
  const auto failed = [](sqrtdk_status status, const char* what) {
    std::snprintf(last_error, sizeof last_error, "%s", what);
    return status;
  };
  const DefaultFloatEnvironment environment;
  try {
    if (report != nullptr) {
      known(report, "report");
      write(*report, SQRTDK_NO_VERDICT, {}, "");
    }
    call();
    return SQRTDK_OK;
  } catch (const std::invalid_argument& error) {
    return failed(SQRTDK_INVALID, error.what());
  } catch (const std::domain_error& error) {
    if (report != nullptr) report->verdict = SQRTDK_NOT_COVERED;
    return failed(SQRTDK_UNSUPPORTED, error.what());
  } catch (const std::bad_alloc&) {
    return failed(SQRTDK_FAILED, "memory is short");
  } catch (const std::exception& error) {
    return failed(SQRTDK_FAILED, error.what());
  } catch (...) {
    return failed(SQRTDK_FAILED, "something was thrown that is no std::exception");
  }
}

void require_results(const sqrtdk_array* results, const char* name, const sqrtdk_call& call,
                     std::uint32_t dtype, bool written = false) {
  at(results, name);
  std::size_t k = 0;
  for (const Shape& shape : result_shapes(call)) {
    require_array(&results[k], name + ("[" + std::to_string(k) + "]"), dtype, shape, written);
    ++k;
  }
}

void write_numbers(const sqrtdk_array* results, const char* name, const sqrtdk_call& call,
                   const SoftmaxArithmetic& arithmetic, TargetNumbers kind) {
  require_results(results, name, call, SQRTDK_FLOAT64, /*written=*/true);
  Numbers all;
  for (const Target& target : targets_of(call, arithmetic)) all.push_back(target.numbers(kind));
  for (const Eigen::MatrixXd& numbers : all)
    for_each_entry(*results++, [&](unsigned char* to, Eigen::Index i, Eigen::Index j) {
      std::memcpy(to, &numbers(i, j), sizeof(double));
    });
}

/// The finding of all results of a call.
struct Judgement {
  Finding found;
  std::int32_t result = 0;  ///< the one whose number is nearest to its bound

  Judgement(const std::vector<Target>& targets, const Numbers& results) {
    for (std::size_t k = 0; k < targets.size(); ++k) {
      const Finding one = targets[k].compare(results[k]);
      if (one.ratio() > found.ratio()) result = static_cast<std::int32_t>(k);
      found.add(one);
    }
  }

  std::string place() const {
    return "results[" + std::to_string(result) + "] at row " + std::to_string(found.row) +
           ", column " + std::to_string(found.column) + " is " +
           format_hex_and_decimal(found.computed) + " instead of " +
           format_hex_and_decimal(found.exact);
  }
};

/// How the entries of an array lie in memory.
enum class Layout { rows, columns, padded, between };

/// The steps along each axis.
Shape strides_of(const Shape& shape, Layout layout) {
  const std::size_t axes = shape.size();
  Shape strides(axes, 1);
  const std::int64_t gap = layout == Layout::padded ? 3 : 0;
  for (std::size_t axis = axes - 1; axis-- > 0;)
    strides[axis] = strides[axis + 1] * shape[axis + 1] + (axis + 2 == axes ? gap : 0);
  if (layout == Layout::columns && axes > 1) {
    strides[axes - 2] = 1;
    strides[axes - 1] = shape[axes - 2];
  }
  if (layout == Layout::between && axes > 2) {  // the rows of one head between those of others
    strides[axes - 3] = shape[axes - 1];
    strides[axes - 2] = shape[axes - 1] * shape[axes - 3];
  }
  return strides;
}

/// An array in memory of its own: NaN in every format, and as much before and after it.
struct Buffer {
  Buffer(std::uint32_t dtype, const Shape& of, Layout layout)
      : shape(of), strides(strides_of(of, layout)) {
    std::int64_t size = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      size += (shape[axis] - 1) * strides[axis];
    bytes.assign(static_cast<std::size_t>(size) * width_of(dtype) + 2 * room, fill);
    array = {bytes.data(),  0, dtype, static_cast<std::int32_t>(shape.size()), shape.data(),
             strides.data()};
    if (layout == Layout::rows) {
      array.data = bytes.data() + room;
      array.strides = nullptr;
    } else {
      array.byte_offset = room;
    }
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// True if nothing was written but entries, which are lost.
  bool is_clean() {
    for_each_entry(array, [&](unsigned char* entry, Eigen::Index, Eigen::Index) {
      std::fill_n(entry, width_of(array.dtype), fill);
    });
    return std::count(bytes.begin(), bytes.end(), fill) ==
           static_cast<std::ptrdiff_t>(bytes.size());
  }

  static constexpr std::ptrdiff_t room = 64;
  static constexpr unsigned char fill = 0xFF;
  Shape shape, strides;
  std::vector<unsigned char> bytes, given;  ///< the bytes now, and an argument's bytes before
  sqrtdk_array array;
};

/// The heads of a call, and whether its arrays have strides.
struct Axes {
  int heads = 0;     ///< of queries; 0: there is no such axis
  int kv_heads = 0;  ///< of keys and values
  bool strides = false;
};

/// A case as a kernel gets it, in memory of its own.
struct OwnCall : sqrtdk_call {
  template <class Real>
  OwnCall(const sqrtdk_call& like, const Axes& axes, const SoftmaxCase<Real>& input)
      : sqrtdk_call(like) {
    const auto x = testing::detail::as_vector(input.scores).transpose();
    const auto tau = static_cast<Compute<Real>>(input.temperature);
    choose(axes, x.size());
    if (operation == SQRTDK_SOFTMAX_BACKWARD) {
      // The gradient is the scores, the last one first, and 0 for masks.
      put(&sqrtdk_call::weights, softmax(x, tau));
      put(&sqrtdk_call::output_gradient, x.reverse().unaryExpr([](const Real& g) {
        return g < Real(-64) ? Real(0) : std::min(g, Real(64));
      }));
    } else {
      put(&sqrtdk_call::logits, x);
      number = static_cast<double>(tau);
      temperature = &number;
    }
  }

  template <class Real>
  OwnCall(const sqrtdk_call& like, const Axes& axes, const AttentionCase<Real>& input)
      : sqrtdk_call(like) {
    const auto& options = input.options;
    choose(axes, input.keys.rows() + input.queries.cols());
    const auto of_heads = [&](const sqrtdk_array* sqrtdk_call::*member, auto matrix, int heads) {
      const Matrix<Real>& first = input.*matrix;
      Matrix<Real> all(first.rows() * std::max(heads, 1), first.cols());
      for (int head = 0; head < std::max(heads, 1); ++head)
        all.middleRows(head * first.rows(), first.rows()) = head_of(input, head).*matrix;
      put(member, all, heads);
    };
    of_heads(&sqrtdk_call::queries, &AttentionCase<Real>::queries, axes.heads);
    of_heads(&sqrtdk_call::keys, &AttentionCase<Real>::keys, axes.kv_heads);
    of_heads(&sqrtdk_call::values, &AttentionCase<Real>::values, axes.kv_heads);
    if (input.output_gradient.size() > 0)
      of_heads(&sqrtdk_call::output_gradient, &AttentionCase<Real>::output_gradient, axes.heads);
    if (options.allowed) put(&sqrtdk_call::mask, *options.allowed);
    if (options.bias) put(&sqrtdk_call::bias, *options.bias);
    if (options.scale) number = static_cast<double>(*options.scale);
    if (options.scale) scale = &number;
    if (options.causal == CausalAlignment::top_left) causal = SQRTDK_TOP_LEFT;
    if (options.causal == CausalAlignment::bottom_right) causal = SQRTDK_BOTTOM_RIGHT;
  }

  bool is_kept() const {
    return std::all_of(buffers.begin(), buffers.end(),
                       [](const Buffer& buffer) { return buffer.bytes == buffer.given; });
  }

  Layout layout = Layout::rows;  ///< of its arrays, and of its results

 private:
  void choose(const Axes& axes, Eigen::Index by) {
    if (axes.strides) layout = static_cast<Layout>(by % 4);
  }

  template <class Entries>
  void put(const sqrtdk_array* sqrtdk_call::*member, const Entries& entries, int heads = 0) {
    using Scalar = typename Entries::Scalar;
    constexpr std::uint32_t code = std::is_same_v<Scalar, bool>              ? 6
                                   : std::is_same_v<Scalar, Eigen::bfloat16> ? 4
                                                                             : 2;
    constexpr auto dtype = static_cast<std::uint32_t>(code | sizeof(Scalar) << 11U | 1U << 16U);
    const Shape shape = heads == 0 ? Shape{entries.rows(), entries.cols()}
                                   : Shape{heads, entries.rows() / heads, entries.cols()};
    Buffer& own = buffers.emplace_back(dtype, shape, layout);
    for_each_entry(own.array, [&](unsigned char* to, Eigen::Index i, Eigen::Index j) {
      const Scalar entry = entries(i, j);
      std::memcpy(to, &entry, sizeof entry);
    });
    own.given = own.bytes;
    this->*member = &own.array;
  }

  std::deque<Buffer> buffers;
  double number = 0;
};

/// A failure of a kernel that is no matter of numbers.
struct KernelFailed {
  std::string how;
};

/// A kernel, and what it is asked.
struct Kernel {
  sqrtdk_call like;
  Axes axes;
  sqrtdk_kernel function;
  void* user;
  bool decides;  ///< true if a number beyond its bound is wrong

  /// Its results for a call.
  Numbers operator()(const OwnCall& call) const {
    std::deque<Buffer> buffers;
    std::vector<sqrtdk_array> arrays;
    for (const Shape& shape : result_shapes(call))
      arrays.push_back(buffers.emplace_back(format_of(call), shape, call.layout).array);
    const auto require = [](bool keeps, const std::string& failure) {
      if (!keeps) throw KernelFailed{"the kernel " + failure};
    };
    int returned = 0;
    try {
      const DefaultFloatEnvironment environment;
      returned = function(user, &call, arrays.data());
    } catch (const std::exception& error) {
      require(false, std::string("threw ") + error.what());
    } catch (...) {
      require(false, "threw what is no std::exception");
    }
    require(returned == 0, "returned " + std::to_string(returned));
    require(call.is_kept(), "wrote to its arguments");
    Numbers results;
    for (Buffer& buffer : buffers) {
      results.push_back(numbers_of<>(buffer.array));
      require(buffer.is_clean(), "wrote beside its results");
    }
    return results;
  }
};

/// A law that holds results of a call to what they have to be.
template <class Case>
auto target_law(const Kernel& kernel, const SoftmaxArithmetic& declared) {
  return [=](auto results) {
    return [=](const Case& input) {
      const OwnCall call(kernel.like, kernel.axes, input);
      const std::vector<Target> targets = targets_of(call, declared);
      const Judgement judgement(targets, results(call, targets));
      const Finding& found = judgement.found;
      // Where nothing is promised, NaN is nothing wrong.
      const bool says = found.beyond > 0 || std::isfinite(found.bound);
      return Outcome{says ? found.error : 0, found.bound, found.unbounded > 0, judgement.place()};
    };
  };
}

/// Holds a kernel, and results that are broken on purpose, to what results have to be.
template <class Case>
Campaign<Case> held_to_targets(Campaign<Case> campaign, const Kernel& kernel,
                               const SoftmaxArithmetic& declared) {
  const auto law = target_law<Case>(kernel, declared);
  const auto broken = [=](void (*change)(Eigen::MatrixXd&)) {
    return law([=](const OwnCall&, const std::vector<Target>& targets) {
      Numbers wrong;
      for (const Target& target : targets)
        change(wrong.emplace_back(target.numbers(TargetNumbers::nearly_right)));
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

/// The case of a kernel, in words.
template <class Real>
std::string text_of(const sqrtdk_call& like, const SoftmaxCase<Real>& input) {
  const OwnCall call(like, {}, input);
  std::string text;
  for (const auto& member : members)
    if (const sqrtdk_array* array = call.*member.array) {
      const auto x = numbers_of<Compute<Real>>(*array);
      text += member.name +
              (" [" + testing::detail::numbers_text(std::vector(x.data(), x.data() + x.size()))) +
              "] ";
    }
  return text + (call.temperature ? "temperature " + format_digits(*call.temperature) : "");
}
template <class Real>
std::string text_of(const sqrtdk_call& /*like*/, const AttentionCase<Real>& input) {
  return testing::detail::case_text(input);
}

/// Tries all cases, and writes what was found.
template <class Case>
void run(Campaign<Case> campaign, const Kernel& kernel, const sqrtdk_options& asked,
         sqrtdk_report& report) {
  constexpr const char* kinds[] = {"softmax",          "log-softmax", "log-sum-exp",
                                   "softmax backward", "attention",   "attention gradient"};
  campaign.kind = kinds[kernel.like.operation];
  const auto decides = [&](const Outcome& outcome) {
    return kernel.decides || !testing::is_of_degree(outcome.error, outcome.bound);
  };
  const auto broken_by = [&](const Case& input) {
    try {
      return campaign.broken_by(input, decides);
    } catch (const KernelFailed& failure) {
      return std::optional(std::pair(std::string("the call"), testing::broken(failure.how)));
    }
  };
  // The finding: the first that decides, else the first.
  std::optional<std::pair<std::string, Outcome>> broken;
  std::optional<Case> simplest;
  std::size_t number = 0, beyond = 0;
  rc::Random random(asked.seed);
  const std::size_t cases = campaign.fixed.size() + (asked.cases > 0 ? asked.cases : 200);
  for (std::size_t i = 0; i < cases; ++i) {
    testing::RandomSource source(random.split());
    Case input = i < campaign.fixed.size() ? campaign.fixed[i] : campaign.draw(source);
    const auto by = broken_by(input);
    if (!by) {
      campaign.count(input);
      continue;
    }
    ++beyond;
    const bool is_wrong = decides(by->second);
    if (!broken || is_wrong) broken = by, simplest = std::move(input), number = i + 1;
    if (is_wrong) break;
  }
  if (broken) {
    const std::size_t tried_cases = decides(broken->second) ? number : cases;
    // The first simpler case that breaks a law, and does not decide less, again and again.
    std::size_t tried = 0;
    const auto is_made_simpler = [&] {
      for (const Case& simpler : campaign.shrinks(*simplest))
        if (++tried <= testing::detail::patience)
          if (const auto by = broken_by(simpler);
              by && (decides(by->second) || !decides(broken->second))) {
            broken = by;
            simplest = simpler;
            return true;
          }
      return false;
    };
    const bool is_kept_again = !broken_by(*simplest);
    while (!is_kept_again && is_made_simpler()) {
    }
    const auto& [law, outcome] = *broken;
    const bool is_wrong = decides(outcome);
    std::ostringstream text = plain_stream();
    text << campaign.kind << (is_wrong ? ": broken" : ": beyond a bound that does not decide")
         << " in case " << number << ", which was made simpler:\n"
         << text_of(kernel.like, *simplest) << '\n'
         << law << ": " << outcome;
    if (kernel.axes.heads > 0)
      text << "\nof " << kernel.axes.heads
           << " heads the first is shown; each other one has the same numbers in another order";
    if (is_kept_again || !broken_by(*simplest)) text << testing::detail::remembers;
    return write(report, is_wrong ? SQRTDK_BROKEN : SQRTDK_NOT_DECIDED,
                 {-1, -1, 0, 0, outcome.error, outcome.bound, tried_cases, beyond}, text.str());
  }
  const std::size_t silent = campaign.of_law.front().silent, tried = campaign.tried;
  write(report, silent == tried ? SQRTDK_VACUOUS : SQRTDK_HOLDS,
        {-1, -1, 0, 0, 0, 0, tried, 0, silent}, campaign.text());
}

template <class Real>
void hold(const Kernel& kernel, const SoftmaxArithmetic& by, const sqrtdk_options& asked,
          sqrtdk_report& report) {
  using testing::detail::attention_campaign, testing::detail::softmax_campaign;
  const auto takes = [&](std::uint32_t flag) { return (asked.without & flag) == 0; };
  const auto also = [&](std::uint32_t flag) { return (asked.also & flag) != 0; };
  const std::int32_t operation = kernel.like.operation;
  testing::AttentionConventions may;
  may.permissions = takes(SQRTDK_NO_MASK);
  may.biases = takes(SQRTDK_NO_BIAS);
  may.top_left = takes(SQRTDK_NO_TOP_LEFT);
  may.bottom_right = takes(SQRTDK_NO_BOTTOM_RIGHT);
  may.scales = takes(SQRTDK_NO_SCALE);
  may.empty_rows = empty_rows_of(asked.empty_rows, operation);
  may.ignores_masked = also(SQRTDK_ALSO_POISON);
  may.batch_invariant = also(SQRTDK_ALSO_QUERIES);
  testing::SoftmaxShapes shapes;
  may.seed = asked.seed;
  may.seconds = shapes.seconds = asked.seconds;
  const auto most = [](auto count, int otherwise) {
    return count > 0 ? static_cast<int>(count) : otherwise;
  };
  may.sizes = {most(asked.longest, may.sizes.queries), most(asked.longest, may.sizes.keys),
               most(asked.widest, may.sizes.features), most(asked.widest, may.sizes.values)};
  may.deterministic = shapes.deterministic = also(SQRTDK_ALSO_REPEATED);
  shapes.masked = takes(SQRTDK_NO_MINUS_INFINITY);
  if (!takes(SQRTDK_NO_TEMPERATURE)) shapes.least_temperature = shapes.greatest_temperature = 1;
  if (asked.longest > 0) shapes.longest = asked.longest;
  // Of a log-softmax, differences that overflow are left out: ordinary kernels take them for −∞.
  if (operation == SQRTDK_LOG_SOFTMAX)
    shapes.largest = static_cast<double>(Compute<Real>(std::numeric_limits<Real>::max())) / 2;
  if (asked.largest > 0) shapes.largest = asked.largest;

  const auto tried = [&](auto campaign) {
    const auto say = [&](bool left_out, const char* what) {
      std::erase(campaign.left, what);
      if (left_out) campaign.left.emplace_back(what);
    };
    if (operation >= SQRTDK_ATTENTION) say(asked.heads == 0, "several heads");
    if (operation >= SQRTDK_ATTENTION) say(asked.kv_heads == 0, "grouped heads");
    say(!kernel.axes.strides, "strides");
    run(std::move(campaign), kernel, asked, report);
  };
  const auto result = [=](const auto& input) -> Matrix<Real> {
    const OwnCall call(kernel.like, kernel.axes, input);
    const Numbers results = kernel(call);
    // The first head is the case itself.
    const Eigen::Index rows = results[0].rows() / std::max(kernel.axes.heads, 1);
    return results[0].topRows(rows).template cast<Compute<Real>>().template cast<Real>();
  };
  const auto softmax = [=](const std::vector<Real>& scores, Real temperature) {
    const Matrix<Real> weights = result(SoftmaxCase<Real>{scores, temperature});
    return std::vector<Real>(weights.data(), weights.data() + weights.size());
  };
  if (operation == SQRTDK_SOFTMAX)
    tried(softmax_campaign<Real>(softmax, by, shapes));
  else if (operation == SQRTDK_ATTENTION) {
    auto campaign = attention_campaign<Real>({result}, by, may);
    if (kernel.axes.heads > 0)
      campaign.laws.front().second = target_law<AttentionCase<Real>>(
          kernel, by)([=](const auto& call, const auto&) { return kernel(call); });
    tried(std::move(campaign));
  } else if (operation == SQRTDK_ATTENTION_GRADIENT)
    tried(held_to_targets(attention_campaign<Real>({}, by, may, true), kernel, by));
  else
    tried(held_to_targets(softmax_campaign<Real>({}, by, shapes), kernel, by));
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
                  TargetNumbers::exact);
  });
}

sqrtdk_status sqrtdk_bound(const sqrtdk_call* call, const sqrtdk_arithmetic* arithmetic,
                           const sqrtdk_array* bounds) {
  return guarded(nullptr, [&] {
    const sqrtdk_call asked = require_call(call);
    write_numbers(bounds, "bounds", asked, declared(arithmetic, format_of(asked)).by,
                  TargetNumbers::bounds);
  });
}

sqrtdk_status sqrtdk_check(const sqrtdk_call* call, const sqrtdk_array* results,
                           const sqrtdk_arithmetic* arithmetic, sqrtdk_report* report) {
  return guarded(report, [&] {
    at(report, "report");
    const sqrtdk_call asked = require_call(call);
    const auto [by, given, decides] = declared(arithmetic, format_of(asked));
    require_results(results, "results", asked, given.stored_in);
    const std::vector<Target> targets = targets_of(asked, by);
    Numbers computed;
    for (std::size_t k = 0; k < targets.size(); ++k) computed.push_back(numbers_of<>(results[k]));
    const Judgement judgement(targets, computed);
    const sqrtdk::testing::Finding& found = judgement.found;
    std::ostringstream text = sqrtdk::plain_stream();
    text << found.entries - found.beyond << " of " << found.entries
         << " numbers are within their bounds";
    if (found.unbounded > 0) text << "; nothing is promised for " << found.unbounded;
    const bool is_wrong = decides || !sqrtdk::testing::is_of_degree(found.error, found.bound);
    text << "; " << (found.holds() ? "the nearest to its bound" : "the farthest beyond its own")
         << (found.holds() || is_wrong ? "" : ", which does not decide") << ", "
         << judgement.place() << ": error " << sqrtdk::format_digits(found.error)
         << " of a bound of " << sqrtdk::format_digits(found.bound);
    const auto verdict = found.unbounded > 0 ? SQRTDK_VACUOUS : SQRTDK_HOLDS;
    const auto broken = is_wrong ? SQRTDK_BROKEN : SQRTDK_NOT_DECIDED;
    write(*report, found.holds() ? verdict : broken, found, text.str(), judgement.result);
  });
}

sqrtdk_status sqrtdk_hold(int32_t operation, sqrtdk_kernel kernel, void* user,
                          const sqrtdk_arithmetic* arithmetic, const sqrtdk_options* options,
                          sqrtdk_report* report) {
  return guarded(report, [&] {
    at(report, "report");
    at(kernel, "kernel");
    require_operation(operation);
    const auto& [by, given, decides] = declared(arithmetic);
    refuse_unless(given.stored_in == given.dtype, "arithmetic.stored_in",
                  format_text(given.stored_in), "be 0 or arithmetic.dtype");
    const sqrtdk_options asked = options != nullptr ? known(options, "options") : sqrtdk_options{};
    refuse_unless(asked.without < 2 * SQRTDK_NO_TEMPERATURE, "options.without", asked.without,
                  "be a sum of flags of this version");
    constexpr std::uint32_t laws[] = {9, 8, 8, 8, 15, 8};
    refuse_unless((asked.also & ~laws[operation]) == 0, "options.also", asked.also,
                  "be a sum of flags of laws of the operation");
    refuse_unless(asked.longest <= 65'536, "options.longest", asked.longest, "be at most 65536");
    refuse_unless(asked.widest <= 65'536, "options.widest", asked.widest, "be at most 65536");
    const bool attends = operation >= SQRTDK_ATTENTION;
    refuse_unless(asked.heads <= (attends ? 64U : 0U), "options.heads", asked.heads,
                  attends ? "be at most 64" : "be 0 for what is no attention");
    const std::uint32_t kv = asked.kv_heads > 0 ? asked.kv_heads : asked.heads;
    refuse_unless(kv == asked.heads || (operation == SQRTDK_ATTENTION && asked.heads % kv == 0),
                  "options.kv_heads", asked.kv_heads,
                  operation == SQRTDK_ATTENTION ? "divide options.heads" : "be 0 for a gradient");
    refuse_unless(asked.largest >= 0, "options.largest", asked.largest, "be at least 0");
    sqrtdk_call like{};
    like.struct_size = sizeof like;
    like.operation = operation;
    like.empty_rows = asked.empty_rows;
    with_format(given.dtype, "", [&, &by = by, &decides = decides](auto zero) {
      const Axes axes{static_cast<int>(asked.heads), static_cast<int>(kv),
                      (asked.also & SQRTDK_ALSO_STRIDES) != 0};
      hold<decltype(zero)>({like, axes, kernel, user, decides}, by, asked, *report);
    });
  });
}
