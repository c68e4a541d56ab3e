// SPDX-License-Identifier: BSL-1.0
#include "module.hpp"

#include <sqrtdk/testing/laws/compare_arrays.hpp>

#include "formats.hpp"

namespace nb = nanobind;
using sqrtdk::testing::Finding;
using sqrtdk::testing::Target;

namespace {

/// What a target says of all entries, as an array of Python.
template <Eigen::MatrixXd (Target::*numbers)() const>
nb::ndarray<nb::numpy, double> numbers_of(const Target& target) {
  auto array = sqrtdk::python::doubles(static_cast<std::size_t>(target.rows),
                                       static_cast<std::size_t>(target.columns));
  nb::gil_scoped_release released;
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      array.data(), target.rows, target.columns) = (target.*numbers)();
  return array;
}

}  // namespace

NB_MODULE(_core, m) {
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
  nb::class_<Target>(m, "Target", "What an array has to be, and how nearly.")
      .def("compare",
           [](const Target& target, const std::string& format, const sqrtdk::python::Bytes& array) {
             nb::gil_scoped_release released;
             return sqrtdk::python::with_wide_format(format, [&](auto zero) {
               return target.compare(sqrtdk::python::matrix_of<decltype(zero)>(
                                         array, static_cast<std::size_t>(target.rows),
                                         static_cast<std::size_t>(target.columns))
                                         .template cast<double>());
             });
           })
      .def("bounds", numbers_of<&Target::bounds>)
      .def("right", numbers_of<&Target::nearly_right>);
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
