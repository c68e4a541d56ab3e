// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/laws/attention_laws_definitions.hpp>

#include <Eigen/Core>

namespace sqrtdk::testing {

template ExactAttention::ExactAttention(const AttentionCase<float>&);
template Outcome score_law<float>(const AttentionFunction<float>&, const AttentionCase<float>&,
                                  const SoftmaxArithmetic&);
template Outcome output_law<float>(const AttentionFunction<float>&, const AttentionCase<float>&,
                                   const SoftmaxArithmetic&);
template Outcome convexity_law<float>(const AttentionFunction<float>&, const AttentionCase<float>&,
                                      const SoftmaxArithmetic&);
template Outcome gradient_law<float>(const AttentionGradientFunction<float>&,
                                     const AttentionCase<float>&, const SoftmaxArithmetic&);
template Outcome masked_values_law<float>(const AttentionFunction<float>&,
                                          const AttentionCase<float>&);
template Outcome masked_values_gradient_law<float>(const AttentionGradientFunction<float>&,
                                                   const AttentionCase<float>&);

template ExactAttention::ExactAttention(const AttentionCase<double>&);
template Outcome score_law<double>(const AttentionFunction<double>&, const AttentionCase<double>&,
                                   const SoftmaxArithmetic&);
template Outcome output_law<double>(const AttentionFunction<double>&, const AttentionCase<double>&,
                                    const SoftmaxArithmetic&);
template Outcome convexity_law<double>(const AttentionFunction<double>&,
                                       const AttentionCase<double>&, const SoftmaxArithmetic&);
template Outcome gradient_law<double>(const AttentionGradientFunction<double>&,
                                      const AttentionCase<double>&, const SoftmaxArithmetic&);
template Outcome masked_values_law<double>(const AttentionFunction<double>&,
                                           const AttentionCase<double>&);
template Outcome masked_values_gradient_law<double>(const AttentionGradientFunction<double>&,
                                                    const AttentionCase<double>&);

template ExactAttention::ExactAttention(const AttentionCase<Eigen::half>&);
template Outcome score_law<Eigen::half>(const AttentionFunction<Eigen::half>&,
                                        const AttentionCase<Eigen::half>&,
                                        const SoftmaxArithmetic&);
template Outcome output_law<Eigen::half>(const AttentionFunction<Eigen::half>&,
                                         const AttentionCase<Eigen::half>&,
                                         const SoftmaxArithmetic&);
template Outcome convexity_law<Eigen::half>(const AttentionFunction<Eigen::half>&,
                                            const AttentionCase<Eigen::half>&,
                                            const SoftmaxArithmetic&);
template Outcome gradient_law<Eigen::half>(const AttentionGradientFunction<Eigen::half>&,
                                           const AttentionCase<Eigen::half>&,
                                           const SoftmaxArithmetic&);
template Outcome masked_values_law<Eigen::half>(const AttentionFunction<Eigen::half>&,
                                                const AttentionCase<Eigen::half>&);
template Outcome masked_values_gradient_law<Eigen::half>(
    const AttentionGradientFunction<Eigen::half>&, const AttentionCase<Eigen::half>&);

template ExactAttention::ExactAttention(const AttentionCase<Eigen::bfloat16>&);
template Outcome score_law<Eigen::bfloat16>(const AttentionFunction<Eigen::bfloat16>&,
                                            const AttentionCase<Eigen::bfloat16>&,
                                            const SoftmaxArithmetic&);
template Outcome output_law<Eigen::bfloat16>(const AttentionFunction<Eigen::bfloat16>&,
                                             const AttentionCase<Eigen::bfloat16>&,
                                             const SoftmaxArithmetic&);
template Outcome convexity_law<Eigen::bfloat16>(const AttentionFunction<Eigen::bfloat16>&,
                                                const AttentionCase<Eigen::bfloat16>&,
                                                const SoftmaxArithmetic&);
template Outcome gradient_law<Eigen::bfloat16>(const AttentionGradientFunction<Eigen::bfloat16>&,
                                               const AttentionCase<Eigen::bfloat16>&,
                                               const SoftmaxArithmetic&);
template Outcome masked_values_law<Eigen::bfloat16>(const AttentionFunction<Eigen::bfloat16>&,
                                                    const AttentionCase<Eigen::bfloat16>&);
template Outcome masked_values_gradient_law<Eigen::bfloat16>(
    const AttentionGradientFunction<Eigen::bfloat16>&, const AttentionCase<Eigen::bfloat16>&);

}  // namespace sqrtdk::testing
