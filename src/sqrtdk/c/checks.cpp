// SPDX-License-Identifier: BSL-1.0
// Statuses and messages; exact results, bounds, and buffers that are held to them.
#include <sqrtdk/c/arguments.hpp>
#include <sqrtdk/numbers/float_text.hpp>

#include <cstdio>
#include <exception>

namespace sqrtdk::c {

namespace {

thread_local char last_error[1024];
thread_local std::string last_text;

std::string place_of(const char* name, std::size_t k) {
  return name + ("[" + std::to_string(k) + "]");
}

/// Refuses what is no array for each result.
void require_results(const sqrtdk_array* results, const char* name, const sqrtdk_call& call,
                     std::uint32_t dtype, bool written = false) {
  const std::vector<Shape> shapes = result_shapes(call);
  at(results, name);
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    require_array(&results[k], place_of(name, k), dtype, written);
    require_shape(results[k], place_of(name, k), shapes[k]);
  }
}

/// Writes what a callable makes of each target.
template <class Numbers>
void write_numbers(const sqrtdk_array* results, const char* name, const sqrtdk_call& call,
                   const SoftmaxArithmetic& arithmetic, Numbers numbers) {
  require_results(results, name, call, SQRTDK_FLOAT64, /*written=*/true);
  std::vector<Eigen::MatrixXd> all;
  for (const testing::Target& target : targets_of(call, arithmetic)) all.push_back(numbers(target));
  for (const Eigen::MatrixXd& one : all) {
    Eigen::Index place = 0;
    for_each_entry(*results++, [&](unsigned char* to) {
      const double entry = one(place / one.cols(), place % one.cols());
      std::memcpy(to, &entry, sizeof entry);
      ++place;
    });
  }
}

/// What is declared, for a call of the same format.
/// \param given its formats are filled in.
SoftmaxArithmetic arithmetic_for(const sqrtdk_call& call, sqrtdk_arithmetic& given) {
  SoftmaxArithmetic arithmetic = arithmetic_of(given);
  refuse_unless(given.dtype == format_of(call), "arithmetic.dtype", format_text(given.dtype),
                "be " + format_text(format_of(call)) + ", as the arguments are");
  return arithmetic;
}

}  // namespace

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

sqrtdk_status guarded(sqrtdk_report* report, const std::function<void()>& call) noexcept {
  const auto failed = [&](sqrtdk_status status, const char* what) {
    std::snprintf(last_error, sizeof last_error, "%s", what);
    if (status == SQRTDK_UNSUPPORTED && report != nullptr) report->verdict = SQRTDK_NOT_COVERED;
    return status;
  };
  try {
    if (report != nullptr) {
      sqrtdk_report* const given = std::exchange(report, nullptr);
      known(given, "report");
      report = given;
      write(nothing_found(), "", *report);
    }
    call();
    return SQRTDK_OK;
  } catch (const std::invalid_argument& error) {
    return failed(SQRTDK_INVALID, error.what());
  } catch (const std::domain_error& error) {
    return failed(SQRTDK_UNSUPPORTED, error.what());
  } catch (const std::exception& error) {
    return failed(SQRTDK_FAILED, error.what());
  } catch (...) {
    return failed(SQRTDK_FAILED, "something was thrown that is no std::exception");
  }
}

std::pair<sqrtdk_report, std::string> judged(const std::vector<testing::Target>& targets,
                                             const std::vector<Eigen::MatrixXd>& results) {
  using testing::Finding;
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

}  // namespace sqrtdk::c

using namespace sqrtdk::c;
using sqrtdk::testing::Target;

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
    std::vector<Eigen::MatrixXd> computed;
    for (std::size_t k = 0; k < targets.size(); ++k)
      computed.push_back(widened<double>(results[k]));
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
