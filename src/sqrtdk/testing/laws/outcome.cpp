// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/laws/outcome.hpp>

#include <limits>
#include <ostream>
#include <string>
#include <utility>

namespace sqrtdk::testing {

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << "error " << outcome.error << " of a bound of " << outcome.bound
             << (outcome.vacuous ? " (vacuous)" : "") << ": " << outcome.where;
}

Outcome broken(std::string where) {
  Outcome outcome;
  outcome.error = std::numeric_limits<double>::infinity();
  outcome.where = std::move(where);
  return outcome;
}

bool Nearest::keeps(double error, double bound) {
  const bool is_nan = !(error == error && bound == bound);
  const double ratio = is_nan       ? std::numeric_limits<double>::infinity()
                       : error == 0 ? 0
                                    : error / bound;
  if (!first_ && !(ratio > ratio_)) return false;
  first_ = false;
  ratio_ = ratio;
  outcome_.error = error;
  outcome_.bound = bound;
  return true;
}

}  // namespace sqrtdk::testing
