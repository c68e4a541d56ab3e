#include <sqrtdk/testing/generators/worst_case_definitions.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <functional>
#include <limits>
#include <ostream>
#include <string>

namespace sqrtdk::testing {

double detail::ratio_of(double error, double bound, bool vacuous) {
  if (vacuous || bound == std::numeric_limits<double>::infinity()) return -1;
  if (error != error || bound != bound) return std::numeric_limits<double>::infinity();
  return error == 0 ? 0 : error / bound;
}

SQRTDK_FOR_EACH_FORMAT(SQRTDK_WORST_CASE, )

}  // namespace sqrtdk::testing
