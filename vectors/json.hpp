// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Certified cases as JSON.
#pragma once

#include "arithmetics.hpp"
#include "cases.hpp"
#include "certified.hpp"
#include "number_formats.hpp"
#include "sha256.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::vectors {

namespace detail {

inline std::string quoted(const std::string& text) { return '"' + text + '"'; }
inline std::string json(double x) { return quoted(hex(x)); }
inline std::string json(bool x) { return x ? "true" : "false"; }
inline std::string json(const Accepted& x) {
  return x ? '[' + json(x->lower) + ", " + json(x->upper) + ']' : "null";
}
inline std::string json(const Enclosure& x) {
  const Format format = format_of<double>();
  return '[' + json(below(x.lower, format)) + ", " + json(above(x.upper, format)) + ']';
}

/// `[a, b]` of what a function makes of each.
template <class List, class Text>
std::string array(const List& list, Text text) {
  std::string all;
  for (const auto& one : list) all += (all.empty() ? "" : ", ") + text(one);
  return '[' + all + ']';
}

template <class T>
std::string json(const std::vector<T>& list) {
  return array(list, [](const T& one) { return json(one); });
}

template <class Derived>
std::string json(const Eigen::MatrixBase<Derived>& matrix) {
  return array(matrix.rowwise(),
               [](const auto& row) { return array(row, [](auto x) { return json(x); }); });
}

/// What is there, or null.
template <class T>
std::string json_or_null(const std::optional<T>& x) {
  return x ? json(*x) : "null";
}

using Members = std::vector<std::pair<std::string, std::string>>;

/// An object with a line for each member.
inline std::string object(const Members& members, std::size_t depth) {
  std::string all;
  for (const auto& [name, value] : members)
    all += (all.empty() ? "\n" : ",\n") + std::string(2 * depth + 2, ' ') + quoted(name) + ": " +
           value;
  return '{' + all + '\n' + std::string(2 * depth, ' ') + '}';
}

inline Members inputs(const SoftmaxInput& input) {
  return {{"x", json(input.x)}, {"temperature", json(input.temperature)}};
}

inline Members inputs(const AttentionInput& input) {
  const auto& [scale, bias, allowed, causal, with_weights] = input.options;
  return {{"queries", json(input.queries)},
          {"keys", json(input.keys)},
          {"values", json(input.values)},
          {"scale", json_or_null(scale)},
          {"causal", !causal                                ? "null"
                     : *causal == CausalAlignment::top_left ? quoted("top_left")
                                                            : quoted("bottom_right")},
          {"allowed", json_or_null(allowed)},
          {"bias", json_or_null(bias)}};
}

template <class Input>
std::string json(const Certified<Input>& one) {
  Members accept;
  for (const Promise& promise : one.promises)
    accept.emplace_back(promise.arithmetic->name, json(promise.accepted));
  return object({{"id", quoted(one.typed.id)},
                 {"comment", quoted(one.typed.comment)},
                 {"claim", quoted(one.typed.claim)},
                 {"catches", array(one.typed.catches, quoted)},
                 {"inputs", object(inputs(one.typed.input), 3)},
                 {"exact", json(one.exact)},
                 {"accept", object(accept, 3)}},
                2);
}

/// A text of JSON without what readers need not: spaces outside strings. No string has an escape.
inline std::string canonical(const std::string& text) {
  std::string kept;
  bool in_string = false;
  for (const char c : text) {
    if (c == '"') in_string = !in_string;
    if (in_string || (c != ' ' && c != '\n')) kept += c;
  }
  return kept;
}

}  // namespace detail

/// A file of test vectors.
template <class Input>
std::string file_of(const std::string& operation, const std::vector<Certified<Input>>& cases) {
  using detail::object, detail::quoted;
  detail::Members declared, bugs;
  for (const Arithmetic& one : arithmetics())
    declared.emplace_back(one.name, object({{"words", quoted(one.words)},
                                            {"cpp", quoted(one.cpp)},
                                            {"python", quoted(one.python)}},
                                           2));
  for (const Bug& bug : bugs_of(Input{})) bugs.emplace_back(bug.name, quoted(bug.seen_in));
  std::string all;
  for (const Certified<Input>& one : cases)
    all += (all.empty() ? "[\n    " : ",\n    ") + detail::json(one);
  all += "\n  ]";
  return object({{"format", quoted("sqrtdk-vectors")},
                 {"version", "1"},
                 {"operation", quoted(operation)},
                 {"arithmetics", object(declared, 1)},
                 {"bugs", object(bugs, 1)},
                 {"cases", all},
                 {"sha256", quoted(sha256(detail::canonical(all)))}},
                0) +
         '\n';
}

}  // namespace sqrtdk::vectors
