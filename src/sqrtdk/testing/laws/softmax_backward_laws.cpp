// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/laws/softmax_backward_laws_definitions.hpp>

namespace sqrtdk::testing {

template Outcome backward_accuracy_law<float>(const BackwardFunction<float>&,
                                              const BackwardVector<float>&,
                                              const BackwardVector<float>&);
template Outcome backward_masking_law<float>(const BackwardFunction<float>&,
                                             const BackwardVector<float>&,
                                             const BackwardVector<float>&);
template Outcome backward_shift_law<float>(const BackwardFunction<float>&,
                                           const BackwardVector<float>&,
                                           const BackwardVector<float>&, float);
template Outcome backward_symmetry_law<float>(const BackwardFunction<float>&,
                                              const BackwardVector<float>&,
                                              const BackwardVector<float>&,
                                              const BackwardVector<float>&);
template Outcome backward_accuracy_law<double>(const BackwardFunction<double>&,
                                               const BackwardVector<double>&,
                                               const BackwardVector<double>&);
template Outcome backward_masking_law<double>(const BackwardFunction<double>&,
                                              const BackwardVector<double>&,
                                              const BackwardVector<double>&);
template Outcome backward_shift_law<double>(const BackwardFunction<double>&,
                                            const BackwardVector<double>&,
                                            const BackwardVector<double>&, double);
template Outcome backward_symmetry_law<double>(const BackwardFunction<double>&,
                                               const BackwardVector<double>&,
                                               const BackwardVector<double>&,
                                               const BackwardVector<double>&);

}  // namespace sqrtdk::testing
