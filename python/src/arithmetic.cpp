// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What a kernel computes with, by the names of SoftmaxArithmetic.
#include <sqrtdk/softmax_arithmetic.hpp>

#include "formats.hpp"
#include "module.hpp"

#include <cstddef>
#include <string>

namespace sqrtdk::python {

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
      .def("stored_in",
           [](const SoftmaxArithmetic& a, const std::string& format) {
             return with_format(format, [&](auto zero) { return a.stored_in<decltype(zero)>(); });
           })
      .def("stored_weights",
           [](const SoftmaxArithmetic& a, const std::string& format) {
             return with_format(format,
                                [&](auto zero) { return a.stored_weights<decltype(zero)>(); });
           })
      .def_rw("exp_error", &SoftmaxArithmetic::exp_error)
      .def_rw("exp_argument_error", &SoftmaxArithmetic::exp_argument_error)
      .def_ro("unit_roundoff", &SoftmaxArithmetic::unit_roundoff)
      .def_ro("largest", &SoftmaxArithmetic::largest)
      .def_ro("smallest", &SoftmaxArithmetic::smallest)
      .def_ro("storage_roundoff", &SoftmaxArithmetic::storage_roundoff);
  m.def("computed_in", [](const std::string& format) {
    return with_format(format, [](auto zero) { return computed_in<decltype(zero)>(); });
  });
}

}  // namespace sqrtdk::python
