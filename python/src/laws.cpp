// The laws, for implementations that are callables of Python.
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include "attention_input.hpp"
#include "formats.hpp"
#include "module.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::python {

namespace {

using testing::AttentionCase;
using testing::Matrix;
using testing::Outcome;

/// A callable of bytes and a temperature as a softmax.
template <class Real>
testing::SoftmaxFunction<Real> as_softmax(const nb::callable& kernel) {
  return [kernel](const std::vector<Real>& x, Real temperature) {
    return numbers_of<Real>(
        nb::cast<Bytes>(kernel(bytes_of(x.data(), x.size()), as_double(temperature))));
  };
}

template <class Real>
nb::ndarray<nb::numpy, std::uint8_t> rows_of(const Matrix<Real>& matrix) {
  const Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = matrix;
  return bytes_of(rows.data(), static_cast<std::size_t>(rows.size()));
}

/// A callable of the bytes of Q, K and V as attention.
template <class Real>
testing::AttentionFunction<Real> as_attention(const nb::callable& kernel,
                                              const AttentionShape& shape) {
  return [kernel, shape](const AttentionCase<Real>& input) {
    const auto out =
        nb::cast<Bytes>(kernel(rows_of(input.queries), rows_of(input.keys), rows_of(input.values)));
    return matrix_of<Real>(out, shape.queries, shape.values);
  };
}

/// A callable of the bytes of Q, K, V and G as the gradient of attention.
template <class Real>
testing::AttentionGradientFunction<Real> as_gradient(const nb::callable& kernel,
                                                     const AttentionShape& shape) {
  return [kernel, shape](const AttentionCase<Real>& input) {
    const nb::tuple all =
        nb::cast<nb::tuple>(kernel(rows_of(input.queries), rows_of(input.keys),
                                   rows_of(input.values), rows_of(input.output_gradient)));
    return AttentionGradient<Real>{
        matrix_of<Real>(nb::cast<Bytes>(all[0]), shape.queries, shape.features),
        matrix_of<Real>(nb::cast<Bytes>(all[1]), shape.keys, shape.features),
        matrix_of<Real>(nb::cast<Bytes>(all[2]), shape.keys, shape.values)};
  };
}

/// \param more what the law is given besides: τ, a shift, an order, other scores, or two temperatures.
template <class Real>
Outcome softmax_law(const std::string& name, const nb::callable& kernel, const Bytes& scores,
                    const std::vector<double>& more, const SoftmaxArithmetic& a) {
  const auto softmax = as_softmax<Real>(kernel);
  const std::vector<Real> x = numbers_of<Real>(scores);
  std::vector<Real> y;
  for (const double number : more) y.emplace_back(static_cast<Compute<Real>>(number));
  if (name == "probability") return testing::probability_law<Real>(softmax, x, y.at(0), a);
  if (name == "order") return testing::order_law<Real>(softmax, x, y.at(0));
  if (name == "shift") return testing::shift_law<Real>(softmax, x, y.at(0), a);
  if (name == "permutation")
    return testing::permutation_law<Real>(softmax, x, {more.begin(), more.end()}, a);
  if (name == "lipschitz") return testing::lipschitz_law<Real>(softmax, x, y, a);
  if (name == "temperature") return testing::temperature_law<Real>(softmax, x, y.at(0), y.at(1), a);
  throw std::invalid_argument("there is no law of softmax '" + name + "'");
}

template <class Real>
Outcome attention_law(const std::string& name, const nb::callable& kernel,
                      const AttentionShape& shape, const AttentionCase<Real>& input,
                      const SoftmaxArithmetic& a) {
  if (name == "convexity")
    return testing::convexity_law(as_attention<Real>(kernel, shape), input, a);
  if (name == "masked_values")
    return testing::masked_values_law(as_attention<Real>(kernel, shape), input);
  if (name == "masked_values_gradient")
    return testing::masked_values_gradient_law(as_gradient<Real>(kernel, shape), input);
  throw std::invalid_argument("there is no law of attention '" + name + "'");
}

}  // namespace

void add_laws(nb::module_& m) {
  nb::class_<Outcome>(m, "Outcome", "What a law found for one input.")
      .def_ro("error", &Outcome::error)
      .def_ro("bound", &Outcome::bound)
      .def_ro("vacuous", &Outcome::vacuous)
      .def_ro("where", &Outcome::where)
      .def_prop_ro("holds", &Outcome::holds);
  m.def(
      "softmax_law",
      [](const std::string& name, const std::string& format, const nb::callable& kernel,
         const Bytes& x, const std::vector<double>& more, const SoftmaxArithmetic& a) {
        return with_format(format, [&](auto zero) {
          return softmax_law<decltype(zero)>(name, kernel, x, more, a);
        });
      },
      nb::arg("name"), nb::arg("format"), nb::arg("kernel"), nb::arg("x"), nb::arg("more"),
      nb::arg("arithmetic"),
      "probability or order at a temperature, shift, permutation, lipschitz, temperature; "
      "kernel(bytes, temperature).");
  m.def(
      "attention_law",
      [](const std::string& name, const std::string& format, const nb::callable& kernel,
         const AttentionShape& shape, const Bytes& q, const Bytes& k, const Bytes& v,
         const std::optional<Bytes>& g, const std::optional<Bytes>& mask,
         const std::optional<Bytes>& bias, const SoftmaxArithmetic& a) {
        return with_format(format, [&](auto zero) {
          using Real = decltype(zero);
          return attention_law<Real>(name, kernel, shape,
                                     attention_case<Real>(shape, q, k, v, g, mask, bias), a);
        });
      },
      nb::arg("name"), nb::arg("format"), nb::arg("kernel"), nb::arg("shape"), nb::arg("q"),
      nb::arg("k"), nb::arg("v"), nb::arg("g").none(), nb::arg("mask").none(),
      nb::arg("bias").none(), nb::arg("arithmetic"),
      "convexity, masked_values: kernel(q, k, v); masked_values_gradient: kernel(q, k, v, g), "
      "three "
      "arrays.");
}

}  // namespace sqrtdk::python
