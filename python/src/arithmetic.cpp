// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What a kernel computes with, by the names of declared_arithmetic.hpp.
#include <sqrtdk/declared_arithmetic.hpp>

#include "formats.hpp"
#include "module.hpp"

#include <cstddef>
#include <string>

namespace sqrtdk::python {

void add_arithmetic(nb::module_& m) {
  nb::class_<SoftmaxArithmetic>(m, "Arithmetic",
                                "All that an error bound depends on beside the numbers; see "
                                "sqrtdk::SoftmaxArithmetic in the book.")
      .def_rw("exp_error", &SoftmaxArithmetic::exp_error)
      .def_rw("exp_argument_error", &SoftmaxArithmetic::exp_argument_error)
      .def_ro("unit_roundoff", &SoftmaxArithmetic::unit_roundoff)
      .def_ro("largest", &SoftmaxArithmetic::largest)
      .def_ro("smallest", &SoftmaxArithmetic::smallest)
      .def_ro("storage_roundoff", &SoftmaxArithmetic::storage_roundoff);
  m.def("arithmetic_of", [](const std::string& format) {
    return with_format(format, [](auto zero) { return arithmetic_of<decltype(zero)>(); });
  });
  m.def("computed_in", [](const std::string& format) {
    return with_format(format, [](auto zero) { return computed_in<decltype(zero)>(); });
  });
  m.def("stored_in", [](const SoftmaxArithmetic& a, const std::string& format) {
    return with_format(format, [&](auto zero) { return stored_in<decltype(zero)>(a); });
  });
  m.def("stored_weights", [](const SoftmaxArithmetic& a, const std::string& format) {
    return with_format(format, [&](auto zero) { return stored_weights<decltype(zero)>(a); });
  });
  m.def("any_order", [](const SoftmaxArithmetic& a) { return any_order(a); });
  m.def("blocks",
        [](const SoftmaxArithmetic& a, std::size_t longest) { return blocks(a, longest); });
  m.def("one_pass", [](const SoftmaxArithmetic& a, std::size_t b) { return one_pass(a, b); });
  m.def("by_reciprocal", [](const SoftmaxArithmetic& a) { return by_reciprocal(a); });
  m.def("exp2_folded", [](const SoftmaxArithmetic& a) { return exp2_folded(a); });
  m.def("scale_folded", [](const SoftmaxArithmetic& a) { return scale_folded(a); });
  m.def("flushing", [](const SoftmaxArithmetic& a, double magnification) {
    return flushing(a, magnification);
  });
}

}  // namespace sqrtdk::python
