// SPDX-License-Identifier: BSL-1.0
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

template class Arrays<float>;
template InputSpace<float> scores_and_temperature(std::size_t);
template Worst<float> detail::worst_case(const InputSpace<float>&, const Search&,
                                         const std::function<Outcome(const Arrays<float>&)>&);
template std::string text(const Worst<float>&);
template std::ostream& operator<<(std::ostream&, const Worst<float>&);
template class Arrays<double>;
template InputSpace<double> scores_and_temperature(std::size_t);
template Worst<double> detail::worst_case(const InputSpace<double>&, const Search&,
                                          const std::function<Outcome(const Arrays<double>&)>&);
template std::string text(const Worst<double>&);
template std::ostream& operator<<(std::ostream&, const Worst<double>&);
template class Arrays<long double>;
template InputSpace<long double> scores_and_temperature(std::size_t);
template Worst<long double> detail::worst_case(
    const InputSpace<long double>&, const Search&,
    const std::function<Outcome(const Arrays<long double>&)>&);
template std::string text(const Worst<long double>&);
template std::ostream& operator<<(std::ostream&, const Worst<long double>&);
template class Arrays<Eigen::half>;
template InputSpace<Eigen::half> scores_and_temperature(std::size_t);
template Worst<Eigen::half> detail::worst_case(
    const InputSpace<Eigen::half>&, const Search&,
    const std::function<Outcome(const Arrays<Eigen::half>&)>&);
template std::string text(const Worst<Eigen::half>&);
template std::ostream& operator<<(std::ostream&, const Worst<Eigen::half>&);
template class Arrays<Eigen::bfloat16>;
template InputSpace<Eigen::bfloat16> scores_and_temperature(std::size_t);
template Worst<Eigen::bfloat16> detail::worst_case(
    const InputSpace<Eigen::bfloat16>&, const Search&,
    const std::function<Outcome(const Arrays<Eigen::bfloat16>&)>&);
template std::string text(const Worst<Eigen::bfloat16>&);
template std::ostream& operator<<(std::ostream&, const Worst<Eigen::bfloat16>&);

}  // namespace sqrtdk::testing
