// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/laws/softmax_laws_definitions.hpp>

#include <cstddef>
#include <vector>

namespace sqrtdk::testing {

template class ExactSoftmax<float>;
template Outcome accuracy_law<float>(const SoftmaxFunction<float>&, const std::vector<float>&,
                                     float, const SoftmaxArithmetic&);
template Outcome accuracy_law<float>(const SoftmaxFunction<float>&, const std::vector<float>&,
                                     float, const SoftmaxErrorBound&);
template Outcome probability_law<float>(const SoftmaxFunction<float>&, const std::vector<float>&,
                                        float, const SoftmaxArithmetic&);
template Outcome shift_law<float>(const SoftmaxFunction<float>&, const std::vector<float>&, float,
                                  const SoftmaxArithmetic&);
template Outcome permutation_law<float>(const SoftmaxFunction<float>&, const std::vector<float>&,
                                        const std::vector<std::size_t>&, const SoftmaxArithmetic&);
template Outcome order_law<float>(const SoftmaxFunction<float>&, const std::vector<float>&, float);
template Outcome lipschitz_law<float>(const SoftmaxFunction<float>&, const std::vector<float>&,
                                      const std::vector<float>&, const SoftmaxArithmetic&);
template Outcome temperature_law<float>(const SoftmaxFunction<float>&, const std::vector<float>&,
                                        float, float, const SoftmaxArithmetic&);
template Outcome log_sum_exp_law<float>(const LogSumExpFunction<float>&, const std::vector<float>&,
                                        float, const SoftmaxArithmetic&);
template Outcome log_softmax_law<float>(const SoftmaxFunction<float>&, const std::vector<float>&,
                                        float, const SoftmaxArithmetic&);
template Outcome split_law<float>(const SplitFunction<float>&, const std::vector<float>&,
                                  const std::vector<std::size_t>&, SoftmaxArithmetic);

template class ExactSoftmax<double>;
template Outcome accuracy_law<double>(const SoftmaxFunction<double>&, const std::vector<double>&,
                                      double, const SoftmaxArithmetic&);
template Outcome accuracy_law<double>(const SoftmaxFunction<double>&, const std::vector<double>&,
                                      double, const SoftmaxErrorBound&);
template Outcome probability_law<double>(const SoftmaxFunction<double>&, const std::vector<double>&,
                                         double, const SoftmaxArithmetic&);
template Outcome shift_law<double>(const SoftmaxFunction<double>&, const std::vector<double>&,
                                   double, const SoftmaxArithmetic&);
template Outcome permutation_law<double>(const SoftmaxFunction<double>&, const std::vector<double>&,
                                         const std::vector<std::size_t>&, const SoftmaxArithmetic&);
template Outcome order_law<double>(const SoftmaxFunction<double>&, const std::vector<double>&,
                                   double);
template Outcome lipschitz_law<double>(const SoftmaxFunction<double>&, const std::vector<double>&,
                                       const std::vector<double>&, const SoftmaxArithmetic&);
template Outcome temperature_law<double>(const SoftmaxFunction<double>&, const std::vector<double>&,
                                         double, double, const SoftmaxArithmetic&);
template Outcome log_sum_exp_law<double>(const LogSumExpFunction<double>&,
                                         const std::vector<double>&, double,
                                         const SoftmaxArithmetic&);
template Outcome log_softmax_law<double>(const SoftmaxFunction<double>&, const std::vector<double>&,
                                         double, const SoftmaxArithmetic&);
template Outcome split_law<double>(const SplitFunction<double>&, const std::vector<double>&,
                                   const std::vector<std::size_t>&, SoftmaxArithmetic);

template class ExactSoftmax<long double>;
template Outcome accuracy_law<long double>(const SoftmaxFunction<long double>&,
                                           const std::vector<long double>&, long double,
                                           const SoftmaxArithmetic&);
template Outcome accuracy_law<long double>(const SoftmaxFunction<long double>&,
                                           const std::vector<long double>&, long double,
                                           const SoftmaxErrorBound&);
template Outcome probability_law<long double>(const SoftmaxFunction<long double>&,
                                              const std::vector<long double>&, long double,
                                              const SoftmaxArithmetic&);
template Outcome shift_law<long double>(const SoftmaxFunction<long double>&,
                                        const std::vector<long double>&, long double,
                                        const SoftmaxArithmetic&);
template Outcome permutation_law<long double>(const SoftmaxFunction<long double>&,
                                              const std::vector<long double>&,
                                              const std::vector<std::size_t>&,
                                              const SoftmaxArithmetic&);
template Outcome order_law<long double>(const SoftmaxFunction<long double>&,
                                        const std::vector<long double>&, long double);
template Outcome lipschitz_law<long double>(const SoftmaxFunction<long double>&,
                                            const std::vector<long double>&,
                                            const std::vector<long double>&,
                                            const SoftmaxArithmetic&);
template Outcome temperature_law<long double>(const SoftmaxFunction<long double>&,
                                              const std::vector<long double>&, long double,
                                              long double, const SoftmaxArithmetic&);
template Outcome log_sum_exp_law<long double>(const LogSumExpFunction<long double>&,
                                              const std::vector<long double>&, long double,
                                              const SoftmaxArithmetic&);
template Outcome log_softmax_law<long double>(const SoftmaxFunction<long double>&,
                                              const std::vector<long double>&, long double,
                                              const SoftmaxArithmetic&);
template Outcome split_law<long double>(const SplitFunction<long double>&,
                                        const std::vector<long double>&,
                                        const std::vector<std::size_t>&, SoftmaxArithmetic);

}  // namespace sqrtdk::testing
