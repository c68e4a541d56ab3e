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
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool holds = error <= bound;
  const double ratio = error == 0 || bound == infinity ? 0 : error / bound;
  // An error that breaks a law comes before one that keeps it, whatever their ratios.
  const bool nearer = holds == outcome_.holds() ? ratio > ratio_ : !holds;
  if (!first_ && !nearer) return false;
  first_ = false;
  ratio_ = ratio == ratio ? ratio : infinity;
  outcome_.error = error;
  outcome_.bound = bound;
  return true;
}

}  // namespace sqrtdk::testing
