// One head of attention from arrays of Python.
#pragma once

#include <sqrtdk/testing/laws/attention_case.hpp>

#include "formats.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <optional>

namespace sqrtdk::python {

/// The sizes and options of one head.
struct AttentionShape {
  std::size_t queries;          ///< n
  std::size_t keys;             ///< m
  std::size_t features;         ///< d
  std::size_t values;           ///< d_v
  std::optional<double> scale;  ///< 1/√d if none
  int causal;                   ///< 0 no, 1 top left, 2 bottom right
};

/// The case of some arrays.
/// \param g    n × d_v, or nothing.
/// \param mask n × m bytes, 0 where a key is masked, or nothing.
/// \param bias n × m numbers of the type that is computed with, or nothing.
template <class Real>
testing::AttentionCase<Real> attention_case(const AttentionShape& shape, const Bytes& q,
                                            const Bytes& k, const Bytes& v,
                                            const std::optional<Bytes>& g,
                                            const std::optional<Bytes>& mask,
                                            const std::optional<Bytes>& bias) {
  testing::AttentionCase<Real> input{
      matrix_of<Real>(q, shape.queries, shape.features),
      matrix_of<Real>(k, shape.keys, shape.features),
      matrix_of<Real>(v, shape.keys, shape.values),
      g ? matrix_of<Real>(*g, shape.queries, shape.values) : testing::Matrix<Real>(),
      {}};
  if (shape.scale) input.options.scale = static_cast<Compute<Real>>(*shape.scale);
  if (mask)
    input.options.allowed = matrix_of<std::uint8_t>(*mask, shape.queries, shape.keys).cast<bool>();
  if (bias) input.options.bias = matrix_of<Compute<Real>>(*bias, shape.queries, shape.keys);
  if (shape.causal == 1) input.options.causal = CausalAlignment::top_left;
  if (shape.causal == 2) input.options.causal = CausalAlignment::bottom_right;
  return input;
}

}  // namespace sqrtdk::python
