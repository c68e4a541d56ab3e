// Arrays of libraries that speak DLPack only, whatever their strides; and products of matrices by NumPy.
#include <sqrtdk/numbers/matrix_product.hpp>

#include "formats.hpp"
#include "module.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::python {

namespace {

std::string format_of(nb::dlpack::dtype type) {
  const auto bits = std::to_string(type.bits);
  if (type.lanes != 1) return "vectors of " + bits + " bits";
  switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
    case nb::dlpack::dtype_code::Float:
      return "float" + bits;
    case nb::dlpack::dtype_code::Bfloat:
      return "bfloat" + bits;
    case nb::dlpack::dtype_code::Int:
      return "int" + bits;
    case nb::dlpack::dtype_code::UInt:
      return "uint" + bits;
    case nb::dlpack::dtype_code::Bool:
      return "bool";
    default:
      return "numbers of code " + std::to_string(type.code) + " and " + bits + " bits";
  }
}

/// A product of matrices by NumPy, whose library for them is many times faster than code for any processor.
void product_of_numpy(const sqrtdk::detail::Rows<double>& a, const sqrtdk::detail::Rows<double>& b,
                      bool transposed, sqrtdk::detail::Rows<double>& c) {
  nb::gil_scoped_acquire acquired;
  const auto array = [](const sqrtdk::detail::Rows<double>& x) {
    nb::ndarray<nb::numpy, double, nb::ndim<2>> view(
        const_cast<double*>(x.data()),
        {static_cast<std::size_t>(x.rows()), static_cast<std::size_t>(x.cols())}, nb::handle());
    return nb::cast(view, nb::rv_policy::reference);
  };
  const nb::object factor = array(b), numpy = nb::module_::import_("numpy");
  // What nobody sees may be infinite.
  const nb::object before = numpy.attr("seterr")(nb::arg("all") = "ignore");
  numpy.attr("matmul")(array(a), transposed ? nb::object(factor.attr("T")) : factor,
                       nb::arg("out") = array(c));
  numpy.attr("seterr")(**nb::cast<nb::dict>(before));
}

}  // namespace

void add_arrays(nb::module_& m) {
  sqrtdk::detail::matrix_product = product_of_numpy;
  m.def(
      "from_dlpack",
      [](const nb::ndarray<nb::ro, nb::device::cpu>& array) {
        if (array.data() == nullptr && array.size() > 0)
          throw std::invalid_argument("an array has " + std::to_string(array.size()) +
                                      " entries and a null pointer, but must point to them");
        if (array.ndim() > 32)  // NumPy 1 has no more
          throw std::invalid_argument("an array has " + std::to_string(array.ndim()) +
                                      " axes, but may have at most 32");
        const std::size_t width = array.itemsize();
        const auto* from = static_cast<const std::uint8_t*>(array.data());
        auto* copy = new std::uint8_t[array.nbytes() + 1];
        nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
        std::vector<std::size_t> shape(array.ndim());
        for (std::size_t axis = 0; axis < shape.size(); ++axis) shape[axis] = array.shape(axis);
        std::vector<std::size_t> place(shape.size());
        for (std::size_t i = 0; i < array.size(); ++i) {
          std::int64_t offset = 0;
          for (std::size_t axis = 0; axis < shape.size(); ++axis)
            offset += static_cast<std::int64_t>(place[axis]) * array.stride(axis);
          std::memcpy(copy + i * width, from + offset * static_cast<std::int64_t>(width), width);
          for (std::size_t axis = shape.size(); axis-- > 0 && ++place[axis] == shape[axis];)
            place[axis] = 0;
        }
        const std::string format = format_of(array.dtype());
        const nb::dlpack::dtype type =
            format == "bfloat16" ? nb::dtype<std::uint16_t>() : array.dtype();
        nb::ndarray<nb::numpy> result(copy, shape.size(), shape.data(), owner, nullptr, type);
        return nb::make_tuple(result, format);
      },
      nb::arg("array"),
      "A copy of an array on the CPU, bfloat16 as bits, and the name of its format.");
}

}  // namespace sqrtdk::python
