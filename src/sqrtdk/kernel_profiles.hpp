// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref kernels : the arithmetic of kernels that are in use, by name.
#pragma once

#include <sqrtdk/softmax_error/accumulator.hpp>
#include <sqrtdk/softmax_error/arithmetic.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sqrtdk {

/// The evidence for a constant of a kernel.
enum class KernelEvidence {
  proved,      ///< it follows from the operations
  exhaustive,  ///< every number was tried
  documented,  ///< its maker says so
  sampled      ///< some numbers were tried: no verdict rests on it
};

/// A constant of a kernel that is not the order of its operations.
struct KernelConstant {
  double value;             ///< the number, in the unit that `what` names
  KernelEvidence evidence;  ///< the evidence for it
  std::string_view what;    ///< its name and unit
  std::string_view source;  ///< the document or source file that it is from, and what that says
};

/// A kernel by name.
struct KernelProfile {
  std::string_view name;                  ///< in lower case, with hyphens
  std::string_view computes;              ///< its operations, in words
  std::vector<KernelConstant> constants;  ///< all that its bound rests on beside that
  SoftmaxArithmetic (*arithmetic)(const FormatLimits& input);  ///< for inputs and results of it

  /// The same for results of another format: a wider one is not rounded to that of the inputs, unless a
  /// backward pass reads the output as it was so rounded.
  SoftmaxArithmetic storing(const FormatLimits& input, const FormatLimits& result) const;

  /// True if a result outside of its bound is wrong: no constant is only sampled.
  bool decides() const;
};

/// All kernels that have a profile; the list lives as long as the program.
/// \relatesalso KernelProfile
std::span<const KernelProfile> kernel_profiles();

/// The profile of a name.
/// \throws std::invalid_argument if there is none, with all names.
/// \relatesalso KernelProfile
const KernelProfile& kernel_profile(std::string_view name);

// Implementation

/// The constants of kernels, each with unit, evidence and source, and programs that several share.
namespace kernels {

using enum KernelEvidence;

// clang-format off
//! [kernel constants]
inline constexpr KernelConstant
    libm_exp{2, documented, "K0 of expf, u", "GNU C Library 2.36, e_expf.c: 0.502 ulp"},
    torch_exp{40, documented, "K0 of exp_u20, u", "PyTorch, ATen/cpu/vec/vec512/vec512_float.h: 20 ulp"},
    cuda_exp{5, sampled, "K0 of expf, exp2f, u", "CUDA C++ Programming Guide: 2 ulp from rounded in tests, not guaranteed"},
    ptx_exp2{5, documented, "K0 of ex2.approx.ftz.f32, u", "PTX ISA 9.1, ex2: 2 ulp from rounded"},
    ptx_reciprocal{2, documented, "rcp.approx.ftz.f32, u", "PTX ISA 9.1, rcp: 1 ulp"},
    cuda_log{7, sampled, "__logf, relative, u", "CUDA C++ Programming Guide, Intrinsic Functions: 3 ulp from rounded in tests"},
    cuda_log_near_1{6.03, sampled, "__logf from 1/2 to 2, absolute, u", "the same: 2^-21.41"},
    cuda_log2{5, sampled, "__log2f, relative, u", "the same: 2 ulp from rounded"},
    cuda_log2_near_1{2.78, sampled, "__log2f from 1/2 to 2, absolute in natural units, u", "the same: 2^-22"},
    fa4_exp2{1472, sampled, "K0 of a cubic polynomial, u", "flash-attention 0251105a, flash_attn/cute/utils.py"},
    xnn_exp{8, sampled, "K0, u", "XNNPACK 75db3c09, raddstoreexpminusmax"},
    xnn_half_exp{5, sampled, "K0 in half precision, u of that", "XNNPACK 75db3c09, for AVX2"},
    xnn_half_cut{9.703125, documented, "where e^x becomes 0", "XNNPACK 75db3c09, for AVX2"},
    mlas_exp{3, sampled, "K0, u", "ONNX Runtime, onnxruntime/core/mlas/lib/compute.cpp"},
    mlas_cut{88.37, documented, "where e^x becomes 0", "the same: -88.376"},
    onednn_exp{4, sampled, "K0, u", "oneDNN 515bfba6, jit_uni_eltwise_injector.cpp"},
    one_part_ln2{0.0461, sampled, "K1 where ln 2 is one number, u", "oneDNN, XNNPACK: the same"},
    normal_cut{87.33, documented, "where e^x becomes 0", "PyTorch, oneDNN, XNNPACK: ln 2^-126 = -87.336"},
    xla_exp{13, sampled, "K0, u", "XLA, accuracy_budget.h: 6 ulp, validated on random samples"},
    js_exp{3, sampled, "K0 of Math.exp, rounded, u", "ECMAScript promises nothing"},
    ggml_exp{3.91, documented, "K0, u", "ggml, src/ggml-cpu/vec.h, ggml_v_expf: 1.45358 + 0.5 ulp"},
    ampere_bits{24, sampled, "F of mma with 8 products", "MMA-Sim c785138, bit for bit like the hardware"},
    hopper_fp8_bits{13, sampled, "F and F' of wgmma with 32 products in FP8", "MMA-Sim, likewise"},
    blackwell_bits{25, sampled, "F of tcgen05.mma with 16 products", "MMA-Sim, likewise"};
//! [kernel constants]
// clang-format on

/// Single precision, sums in any order; results, and on demand weights, in the inputs' format.
inline SoftmaxArithmetic in_single(const FormatLimits& input, double exp_error, bool weights) {
  const SoftmaxArithmetic plain = arithmetic_of<float>().any_order().fast_exp(exp_error);
  if (input.roundoff <= plain.unit_roundoff) return plain;
  return weights ? plain.stored_in(input).stored_weights(input) : plain.stored_in(input);
}

inline SoftmaxArithmetic flash(const FormatLimits& input, const Accumulator& core, std::size_t tile,
                               double exp_error, unsigned products) {
  return in_single(input, exp_error, true)
      .exp2_of_products(products)
      .tiled(tile)
      .by_approximate_reciprocal()
      .scores_by(core)
      .outputs_by(core)
      .gradients_by_log_sum_exp()
      .stored_derivatives()
      .fast_log(cuda_log.value, cuda_log_near_1.value)
      .flushing();
}

inline Accumulator core(std::size_t terms, const KernelConstant& bits, const FormatLimits& input,
                        unsigned output = 23) {
  return Accumulator::tensor_core(terms, static_cast<unsigned>(bits.value), output, input);
}

/// FlashAttention 2 on Ampere, where a quad of threads adds the weights of a row.
inline SoftmaxArithmetic flash_2(const FormatLimits& input, double exp_error, unsigned products) {
  return flash(input, core(8, ampere_bits, input), 32, exp_error, products)
      .sums_by(Accumulator::in_lanes(4));
}

/// Attention on CPUs of x86 in PyTorch: 8 or 16 lanes, what is left over of 512 keys one by one. Products
/// of bfloat16 take subnormal numbers for 0, whatever the mode of the processor, where vdpbf16ps has them.
inline SoftmaxArithmetic torch_on_cpu(const FormatLimits& input) {
  Accumulator sum = Accumulator::in_lanes(8).promoted_every(512);
  sum.halvings += 15;
  const bool is_bfloat16 = input.roundoff == format_limits<Eigen::bfloat16>().roundoff;
  const SoftmaxArithmetic stored = in_single(input, torch_exp.value, true);
  return (is_bfloat16 ? stored.flushing() : stored)
      .cut_off(normal_cut.value)
      .tiled(512)
      .sums_by(sum)
      .by_reciprocal()
      .gradients_by_log_sum_exp()
      .stored_derivatives();
}

/// FlashAttention 3 in FP8, with factors for what queries, keys and values were divided by.
inline SoftmaxArithmetic flash_3() {
  const FormatLimits& input = e4m3_limits;
  SoftmaxArithmetic by = flash(input, core(32, hopper_fp8_bits, input, 13), 64, ptx_exp2.value, 1)
                             .stored_weights(input, 8)
                             .stored_in<Eigen::bfloat16>()
                             .sums_by(Accumulator::in_lanes(4));
  by.scale_roundings += 2;
  by.quotient_roundings += 1;
  return by;
}

/// Attention of ggml, key by key, with queries in half precision.
inline SoftmaxArithmetic ggml(const FormatLimits& input, const Accumulator& outputs) {
  return in_single(input, ggml_exp.value, false)
      .rounded_inputs(half_limits)
      .tiled(1)
      .outputs_by(outputs)
      .by_reciprocal();
}

}  // namespace kernels

inline bool KernelProfile::decides() const {
  return std::none_of(constants.begin(), constants.end(), [](const KernelConstant& constant) {
    return constant.evidence == KernelEvidence::sampled;
  });
}

inline SoftmaxArithmetic KernelProfile::storing(const FormatLimits& input,
                                                const FormatLimits& result) const {
  const SoftmaxArithmetic by = arithmetic(input);
  const SoftmaxArithmetic own = by.stores_derivatives ? by : arithmetic(format_limits<float>());
  const bool is_narrower = result.roundoff > std::max(own.unit_roundoff, own.storage_roundoff);
  return by.stored_in(
      is_narrower ? result
                  : FormatLimits{own.storage_roundoff, own.storage_smallest, own.storage_largest});
}

inline std::span<const KernelProfile> kernel_profiles() {
  using namespace kernels;
  using In = const FormatLimits&;
  // clang-format off
  //! [kernel profiles]
  static const std::vector<KernelProfile> profiles = {
      {"plain", "single precision in any order, a library's exponential, a division", {libm_exp},
       [](In input) { return in_single(input, libm_exp.value, false); }},
      {"pytorch-cpu-flash", "attention on x86, tiles of 512; gradients in single precision", {torch_exp, normal_cut},
       [](In input) { return torch_on_cpu(input); }},
      {"pytorch-cuda-math", "attention on GPUs without fusion, inputs made single, no TF32", {cuda_exp},
       [](In input) { return in_single(input, cuda_exp.value, false).scale_folded().flushing(); }},
      {"pytorch-cuda-flash", "FlashAttention 2 with both products rounded; neither split keys nor dropout",
       {ptx_exp2, ptx_reciprocal, cuda_log, cuda_log_near_1, ampere_bits},
       [](In input) { return flash_2(input, ptx_exp2.value, 2); }},
      {"pytorch-memory-efficient", "scores times the scale and log2 e, rounded, then their maximum",
       {cuda_exp, ptx_reciprocal, cuda_log, cuda_log_near_1, ampere_bits},
       [](In input) { return flash_2(input, cuda_exp.value, 1).any_order(); }},
      {"flash-attention-2", "half or bfloat16 on Ampere and Ada; neither split keys nor dropout",
       {ptx_exp2, ptx_reciprocal, cuda_log, cuda_log_near_1, ampere_bits},
       [](In input) { return flash_2(input, ptx_exp2.value, 1); }},
      {"flash-attention-3-fp8", "E4M3 on Hopper, weights times 256, results in bfloat16",
       {ptx_exp2, ptx_reciprocal, cuda_log, cuda_log_near_1, hopper_fp8_bits},
       [](In) { return flash_3(); }},
      {"flash-attention-4", "half or bfloat16 on Blackwell, maxima up to 2^8 behind",
       {fa4_exp2, ptx_reciprocal, cuda_log2, cuda_log2_near_1, blackwell_bits},
       [](In input) {
         return flash(input, core(16, blackwell_bits, input), 64, fa4_exp2.value, 2).lazy_rescaling(8)
             .fast_log(cuda_log2.value, cuda_log2_near_1.value).log_in_bits();
       }},
      {"xnnpack", "softmax in single precision", {xnn_exp, one_part_ln2, normal_cut},
       [](In input) {
         return in_single(input, xnn_exp.value, false).fast_exp(xnn_exp.value, one_part_ln2.value)
             .cut_off(normal_cut.value).by_reciprocal().flushing();
       }},
      {"xnnpack-f16", "softmax in half precision with a sum in single", {xnn_half_exp, xnn_half_cut},
       [](In) {
         return computed_in<Eigen::half>().fast_exp(xnn_half_exp.value).cut_off(xnn_half_cut.value)
             .sums_by(Accumulator().in_format(format_limits<float>())).by_reciprocal();
       }},
      {"mlas", "softmax of ONNX Runtime in single precision", {mlas_exp, mlas_cut},
       [](In input) { return in_single(input, mlas_exp.value, false).cut_off(mlas_cut.value).by_reciprocal(); }},
      {"onednn", "softmax of oneDNN in single precision", {onednn_exp, one_part_ln2, normal_cut},
       [](In input) {
         return in_single(input, onednn_exp.value, false).fast_exp(onednn_exp.value, one_part_ln2.value)
             .cut_off(normal_cut.value).by_reciprocal();
       }},
      {"xla-cpu", "softmax and attention of JAX on CPUs", {xla_exp},
       [](In input) { return in_single(input, xla_exp.value, true).flushing(); }},
      {"tfjs-cpu", "softmax of TensorFlow.js, a sum in double", {js_exp},
       [](In input) {
         return in_single(input, js_exp.value, false).sums_by(Accumulator().in_format(format_limits<double>()));
       }},
      {"ggml-cpu", "attention of ggml on x86, key by key, outputs in single precision", {ggml_exp},
       [](In input) { return ggml(input, {}); }},
      {"ggml-cpu-f16", "the same with outputs that are carried in half precision", {ggml_exp},
       [](In input) { return ggml(input, Accumulator().in_format(half_limits)); }},
  };
  //! [kernel profiles]
  // clang-format on
  return profiles;
}

inline const KernelProfile& kernel_profile(std::string_view name) {
  std::string names;
  for (const KernelProfile& profile : kernel_profiles()) {
    if (profile.name == name) return profile;
    names += (names.empty() ? "" : ", ") + std::string(profile.name);
  }
  throw std::invalid_argument("the kernel is '" + std::string(name) + "', but must be one of " +
                              names);
}

}  // namespace sqrtdk
