// The arithmetic of a kernel, by the names of SoftmaxArithmetic.
#include <sqrtdk/kernel_profiles.hpp>
#include <sqrtdk/softmax_error/accumulator.hpp>
#include <sqrtdk/softmax_error/arithmetic.hpp>

#include "formats.hpp"
#include "module.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace sqrtdk::python {

namespace {

FormatLimits limits_of(const std::string& format) {
  if (format == "e4m3") return e4m3_limits;
  if (format == "e5m2") return e5m2_limits;
  // Cut off after ten bits, so that a rounding may take twice as much.
  if (format == "tf32") return {0x1p-10, 0x1p-135, 0x1.ffcp127};
  return with_format(format, [](auto zero) { return format_limits<decltype(zero)>(); });
}

/// Sums of products in so many lanes, or by a tensor core of b, F and F′.
SoftmaxArithmetic products_by(const SoftmaxArithmetic& a, const std::vector<unsigned>& how,
                              const std::string& factors) {
  const Accumulator by = how.size() == 1 ? Accumulator::in_lanes(how.at(0))
                                         : Accumulator::tensor_core(how.at(0), how.at(1), how.at(2),
                                                                    limits_of(factors));
  return a.scores_by(by).outputs_by(by);
}

}  // namespace

void add_arithmetic(nb::module_& m) {
  nb::class_<SoftmaxArithmetic>(m, "Arithmetic",
                                "All that an error bound depends on beside the numbers; see "
                                "sqrtdk::SoftmaxArithmetic in the book.")
      .def("any_order", &SoftmaxArithmetic::any_order)
      .def("blocks", &SoftmaxArithmetic::blocks, nb::arg("longest"))
      .def("one_pass", &SoftmaxArithmetic::one_pass, nb::arg("most"))
      .def("by_reciprocal", &SoftmaxArithmetic::by_reciprocal)
      .def("exp2_folded", &SoftmaxArithmetic::exp2_folded)
      .def("scale_folded", &SoftmaxArithmetic::scale_folded)
      .def("flushing", &SoftmaxArithmetic::flushing, nb::arg("magnification") = 1)
      .def("magnified", &SoftmaxArithmetic::magnified, nb::arg("magnification"))
      .def("stored_in", [](const SoftmaxArithmetic& a,
                           const std::string& format) { return a.stored_in(limits_of(format)); })
      .def(
          "stored_weights",
          [](const SoftmaxArithmetic& a, const std::string& format, unsigned offset) {
            return a.stored_weights(limits_of(format), offset);
          },
          nb::arg("format"), nb::arg("offset") = 0)
      .def("stored_scores",
           [](const SoftmaxArithmetic& a, const std::string& format, unsigned times) {
             return a.stored_scores(limits_of(format), times);
           })
      .def("rounded_inputs",
           [](const SoftmaxArithmetic& a, const std::string& format) {
             return a.rounded_inputs(limits_of(format));
           })
      .def("products_by", &products_by)
      .def("exp2_of_products", &SoftmaxArithmetic::exp2_of_products)
      .def("fast_exp", &SoftmaxArithmetic::fast_exp)
      .def("cut_off", &SoftmaxArithmetic::cut_off)
      .def("sum_of_stored", &SoftmaxArithmetic::sum_of_stored)
      .def("by_log_sum_exp", &SoftmaxArithmetic::by_log_sum_exp)
      .def("gradients_by_log_sum_exp", &SoftmaxArithmetic::gradients_by_log_sum_exp)
      .def("tiled", &SoftmaxArithmetic::tiled)
      .def("lazy_rescaling", &SoftmaxArithmetic::lazy_rescaling)
      .def("by_approximate_reciprocal", &SoftmaxArithmetic::by_approximate_reciprocal)
      .def_rw("exp_error", &SoftmaxArithmetic::exp_error)
      .def_rw("exp_argument_error", &SoftmaxArithmetic::exp_argument_error)
      .def_ro("unit_roundoff", &SoftmaxArithmetic::unit_roundoff)
      .def_ro("largest", &SoftmaxArithmetic::largest)
      .def_ro("smallest", &SoftmaxArithmetic::smallest)
      .def_ro("storage_roundoff", &SoftmaxArithmetic::storage_roundoff);
  m.def("computed_in", [](const std::string& format) {
    return with_format(format, [](auto zero) { return computed_in<decltype(zero)>(); });
  });
  m.def("kernel", [](const std::string& name, const std::string& input, const std::string& result) {
    return kernel_profile(name).storing(limits_of(input), limits_of(result));
  });
  m.def("kernel_decides", [](const std::string& name) { return kernel_profile(name).decides(); });
}

}  // namespace sqrtdk::python
