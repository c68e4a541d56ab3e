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

#include <string>
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

/// A line of an object.
inline std::string member(const std::string& name, const std::string& value) {
  return "      " + quoted(name) + ": " + value;
}

/// A line of an object in it.
inline std::string inner(const std::string& name, const std::string& value) {
  return "  " + member(name, value);
}

inline std::string inputs(const SoftmaxInput& input) {
  return inner("x", json(input.x)) + ",\n" + inner("temperature", json(input.temperature));
}

inline std::string inputs(const AttentionInput& input) {
  const auto& causal = input.options.causal;
  return inner("queries", json(input.queries)) + ",\n" + inner("keys", json(input.keys)) + ",\n" +
         inner("values", json(input.values)) + ",\n" +
         inner("scale", json_or_null(input.options.scale)) + ",\n" +
         inner("causal", !causal                                ? "null"
                         : *causal == CausalAlignment::top_left ? quoted("top_left")
                                                                : quoted("bottom_right")) +
         ",\n" + inner("allowed", json_or_null(input.options.allowed)) + ",\n" +
         inner("bias", json_or_null(input.options.bias));
}

template <class Input>
std::string json(const Certified<Input>& one) {
  std::string accept;
  for (const Promise& promise : one.promises)
    accept +=
        (accept.empty() ? "\n" : ",\n") + inner(promise.arithmetic->name, json(promise.accepted));
  return "    {\n" + member("id", quoted(one.typed.id)) + ",\n" +
         member("comment", quoted(one.typed.comment)) + ",\n" +
         member("claim", quoted(one.typed.claim)) + ",\n" +
         member("catches", array(one.typed.catches, quoted)) + ",\n" +
         member("inputs", "{\n" + inputs(one.typed.input) + "\n      }") + ",\n" +
         member("exact", json(one.exact)) + ",\n" + member("accept", '{' + accept + "\n      }") +
         "\n    }";
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
  using detail::member, detail::quoted;
  std::string declared, bugs, all;
  for (const Arithmetic& arithmetic : arithmetics())
    declared += (declared.empty() ? "\n    " : ",\n    ") + quoted(arithmetic.name) + ": {\n" +
                member("words", quoted(arithmetic.words)) + ",\n" +
                member("cpp", quoted(arithmetic.cpp)) + ",\n" +
                member("python", quoted(arithmetic.python)) + "\n    }";
  for (const Bug& bug : bugs_of(Input{}))
    bugs += (bugs.empty() ? "\n    " : ",\n    ") + quoted(bug.name) + ": " + quoted(bug.seen_in);
  for (const Certified<Input>& one : cases) all += (all.empty() ? "\n" : ",\n") + detail::json(one);
  all = '[' + all + "\n  ]";
  return "{\n  \"format\": \"sqrtdk-vectors\",\n  \"version\": 1,\n  \"operation\": " +
         quoted(operation) + ",\n  \"arithmetics\": {" + declared + "\n  },\n  \"bugs\": {" + bugs +
         "\n  },\n  \"cases\": " + all +
         ",\n  \"sha256\": " + quoted(sha256(detail::canonical(all))) + "\n}\n";
}

}  // namespace sqrtdk::vectors
