#include "module.hpp"

#include <sqrtdk/numbers/float_environment.hpp>
#include <sqrtdk/testing/laws/compare_arrays.hpp>

#include "formats.hpp"

#include <optional>

namespace nb = nanobind;
using namespace sqrtdk::testing;
using namespace sqrtdk::python;

namespace {

/// The numbers of a target for all entries, as an array of Python.
template <TargetNumbers kind>
nb::ndarray<nb::numpy, double> entries_of(const Target& target) {
  auto array =
      doubles(static_cast<std::size_t>(target.rows), static_cast<std::size_t>(target.columns));
  nb::gil_scoped_release released;
  Eigen::Map<sqrtdk::detail::Rows<double>>(array.data(), target.rows, target.columns) =
      target.numbers(kind);
  return array;
}

/// DefaultFloatEnvironment as a context manager.
struct Environment {
  std::optional<sqrtdk::DefaultFloatEnvironment> entered;
};

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The compiled laws and bounds; use the package sqrtdk, which takes arrays of any kind.";
  nb::class_<Environment>(m, "DefaultFloatEnvironment", "Rounds to nearest, without traps.")
      .def(nb::init<>())
      .def("__enter__", [](Environment& environment) { environment.entered.emplace(); })
      .def("__exit__",
           [](Environment& environment, const nb::args&) { environment.entered.reset(); });
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
      .def_prop_ro("ratio", &Finding::ratio);
  nb::class_<Target>(m, "Target", "What an array has to be, and how nearly.")
      .def("compare",
           [](const Target& target, const std::string& format, const Bytes& array) {
             nb::gil_scoped_release released;
             return with_wide_format(format, [&](auto zero) {
               return target.compare(
                   matrix_of<decltype(zero)>(array, static_cast<std::size_t>(target.rows),
                                             static_cast<std::size_t>(target.columns))
                       .template cast<double>());
             });
           })
      .def("bounds", entries_of<TargetNumbers::bounds>)
      .def("right", entries_of<TargetNumbers::nearly_right>);
  m.def("added", [](Finding a, const Finding& b) {
    a.add(b);
    return a;
  });
  add_arrays(m);
  add_arithmetic(m);
  add_softmax(m);
  add_attention(m);
  add_laws(m);
  add_cases(m);
  add_numbers(m);
}
