// SPDX-License-Identifier: BSL-1.0
#include "module.hpp"

#include <sqrtdk/testing/laws/compare_arrays.hpp>

namespace nb = nanobind;

NB_MODULE(_core, m) {
  using sqrtdk::testing::Finding;
  m.doc() = "The compiled laws and bounds; use the package sqrtdk, which takes arrays of any kind.";
  nb::class_<Finding>(m, "Finding", "What comes of holding an array to its bound, entry by entry.")
      .def_ro("row", &Finding::row)
      .def_ro("column", &Finding::column)
      .def_ro("computed", &Finding::computed)
      .def_ro("exact", &Finding::exact)
      .def_ro("error", &Finding::error)
      .def_ro("bound", &Finding::bound)
      .def_ro("entries", &Finding::entries)
      .def_ro("beyond", &Finding::beyond)
      .def_ro("unbounded", &Finding::unbounded)
      .def_prop_ro("holds", &Finding::holds)
      .def_prop_ro("ratio", [](const Finding& f) { return Finding::ratio(f.error, f.bound); });
  m.def("added", [](Finding a, const Finding& b) {
    a.add(b);
    return a;
  });
  sqrtdk::python::add_arrays(m);
  sqrtdk::python::add_arithmetic(m);
  sqrtdk::python::add_softmax(m);
  sqrtdk::python::add_attention(m);
  sqrtdk::python::add_laws(m);
  sqrtdk::python::add_numbers(m);
}
