// The parts of the module, one function each.
#pragma once

#include <nanobind/nanobind.h>

namespace sqrtdk::python {

void add_arrays(nanobind::module_& m);
void add_arithmetic(nanobind::module_& m);
void add_softmax(nanobind::module_& m);
void add_attention(nanobind::module_& m);
void add_cases(nanobind::module_& m);
void add_laws(nanobind::module_& m);
void add_numbers(nanobind::module_& m);

}  // namespace sqrtdk::python
