/// \file
/// \brief `sqrtdk score D`: the exact distribution of a score in D dimensions, for those who only
/// want a number.
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/numbers/number_text.hpp>

#include "score/arguments.hpp"
#include "version.hpp"

#include <CLI/CLI.hpp>
#include <boost/math/distributions/complement.hpp>
#include <boost/math/policies/policy.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iomanip>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

using namespace sqrtdk::command;
using sqrtdk::format_shortest;

constexpr const char* help =
    R"(usage: sqrtdk score D [OPTION]...
       sqrtdk --help | --version

The exact distribution of an attention score before it is scaled: q.k, where
query q and key k have D independent standard normal entries each.

  D               head dimension d: a positive number, whole or not
  --pdf X...      density at X
  --cdf X...      probability of a score of at most X
  --sf X...       probability of a score above X
  --quantile P... score that is not exceeded with probability P
  --json          answer in JSON
  -h, --help      this text
  --version       the version, with its commit if it is no release, and the
                  identifiers of Software Heritage unless files differ

X is any number, inf or -inf; the scores' standard deviation is sqrt(D). P is
from 0 to 1. If nothing is asked for, the moments are the answer.

The answer inf is infinite, or above 1.8e308; in JSON, it is the string
"Infinity", and -inf is "-Infinity".

Example: sqrtdk score 64 --cdf 8 --quantile 0.01 0.99

Exit status: 0 done, 1 something cannot be written or computed, 2 the arguments
are wrong.
)";

/// Answers that are infinite are infinities, not errors.
using Distribution = sqrtdk::score_distribution<
    double, boost::math::policies::policy<
                boost::math::policies::overflow_error<boost::math::policies::ignore_error>>>;

/// Right arguments, and yet it cannot be done.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Answer {
  std::string question;  ///< such as `P(X > 8)`
  std::string key;       ///< its name in JSON, such as `sf`
  double argument;       ///< x or p; NaN if the question has none
  double value;
};

Answer answer_to(const Question& question, const Distribution& distribution) {
  const auto [function, at] = question;
  if (function == "pdf")
    return {"pdf(" + format_shortest(at) + ")", function, at, pdf(distribution, at)};
  if (function == "cdf")
    return {"P(X <= " + format_shortest(at) + ")", function, at, cdf(distribution, at)};
  if (function == "sf")
    return {"P(X > " + format_shortest(at) + ")", function, at,
            cdf(boost::math::complement(distribution, at))};
  return {"quantile(" + format_shortest(at) + ")", function, at, quantile(distribution, at)};
}

std::vector<Answer> moments_of(const Distribution& distribution) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  return {{"mean", "mean", none, mean(distribution)},
          {"variance", "variance", none, variance(distribution)},
          {"standard deviation", "standard_deviation", none, standard_deviation(distribution)},
          {"excess kurtosis", "kurtosis_excess", none, kurtosis_excess(distribution)},
          {"E|X|", "mean_absolute", none, absolute_moment(distribution, 1.0)},
          {"distance to N(0, d)", "normal_distance", none, normal_distance(distribution)}};
}

std::string table_of(const Request& request, const std::vector<Answer>& answers) {
  std::ostringstream table;
  table << "score of standard normal query and key, d = " << format_shortest(request.dimension)
        << '\n';
  std::size_t width = 0;
  for (const Answer& answer : answers) width = std::max(width, answer.question.size());
  for (const Answer& answer : answers)
    table << "  " << std::left << std::setw(static_cast<int>(width)) << answer.question << "  "
          << format_shortest(answer.value) << '\n';
  return table.str();
}

/// JSON has no infinity. A string that JavaScript and Python read as one keeps the sign, where null
/// would be taken for a missing number.
nlohmann::json json_of(double x) {
  if (!std::isinf(x)) return x;
  return x > 0 ? "Infinity" : "-Infinity";
}

std::string json_of(const Request& request, const std::vector<Answer>& answers) {
  nlohmann::ordered_json result = {{"d", request.dimension}, {"answers", nlohmann::json::array()}};
  for (const Answer& answer : answers) {
    nlohmann::ordered_json entry = {{"what", answer.key}};
    if (!std::isnan(answer.argument)) entry["at"] = json_of(answer.argument);
    entry["value"] = json_of(answer.value);
    result["answers"].push_back(entry);
  }
  return result.dump(2) + '\n';
}

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw Failure("cannot write to standard output: " + std::generic_category().message(errno));
}

/// Prints last: what fails has printed nothing.
void answer(const Request& request) {
  const Distribution distribution(request.dimension);
  std::vector<Answer> answers;
  for (const Question& question : request.questions)
    answers.push_back(answer_to(question, distribution));
  if (answers.empty()) answers = moments_of(distribution);
  print(request.json ? json_of(request, answers) : table_of(request, answers));
}

void run(int argc, const char* const* argv) {
  try {
    answer(read_request(argc, argv));
  } catch (const CLI::CallForHelp&) {
    print(help);
  } catch (const CLI::CallForVersion&) {
    print(std::string("sqrtdk ") + version + '\n');
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto fail = [&](int status, const char* message) {
    const bool score = argc > 1 && std::string_view(argv[1]) == "score";
    std::fprintf(stderr, "%s: %s\n", score ? "sqrtdk score" : "sqrtdk", message);
    return status;
  };
  try {
    run(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return fail(2, error.what());
  } catch (const Failure& error) {
    return fail(1, error.what());
  } catch (const std::exception&) {  // its message would name functions
    return fail(1, "this could not be computed; please report it with the arguments that you gave");
  }
}
