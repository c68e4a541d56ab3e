// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Certifies test vectors: reads a list of inputs, as JSON with hexadecimal numbers, and prints the
/// arithmetics, and for each input the exact results, enclosed, and what each arithmetic must hit.
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/attention_pass.hpp>
#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include "arithmetics.hpp"

#include <Eigen/Core>
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::vectors {

namespace {

using Tree = boost::property_tree::ptree;
using Enclosure = Interval<Rational>;
using Intervals = std::vector<Interval<double>>;

/// The arguments of attention, or those of a softmax of logits x: then the query is 1, the keys are x,
/// and the values the unit vectors. What no query sees may be NaN.
struct Input {
  Eigen::MatrixXd queries;            ///< Q, n × d
  Eigen::MatrixXd keys;               ///< K, m × d; logits are finite or −∞, not all −∞
  Eigen::MatrixXd values;             ///< V, m × d_v
  AttentionOptions<double> options;   ///< scale and masks
  std::optional<double> temperature;  ///< τ of a softmax; none for attention
};

/// A number, a list as a column, or a list of rows; true is 1, and false 0.
Eigen::MatrixXd matrix(const Tree& rows) {
  std::vector<double> numbers;
  const auto add = [&](const Tree& node) {
    const std::string& text = node.data();
    numbers.push_back(text == "true"    ? 1
                      : text == "false" ? 0
                                        : std::strtod(text.c_str(), nullptr));
  };
  if (rows.empty()) add(rows);
  for (const auto& [unnamed, row] : rows) {
    if (row.empty()) add(row);
    for (const auto& [of_column, entry] : row) add(entry);
  }
  const std::size_t n = std::max<std::size_t>(rows.size(), 1), m = numbers.size() / n;
  if (n * m != numbers.size()) throw std::invalid_argument("rows of a matrix differ in length");
  return Eigen::Map<const sqrtdk::detail::Rows<double>>(
      numbers.data(), static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(m));
}

Input input_of(const Tree& given) {
  const auto is_given = [&](const char* name) { return given.count(name) > 0; };
  const auto get = [&](const char* name) { return matrix(given.get_child(name)); };
  if (is_given("x")) {
    const Eigen::Index n = get("x").rows();
    return {
        matrix(Tree("1")), get("x"), Eigen::MatrixXd::Identity(n, n), {}, get("temperature")(0)};
  }
  Input input{get("queries"), get("keys"), get("values"), {}, {}};
  if (is_given("scale")) input.options.scale = get("scale")(0);
  if (is_given("bias")) input.options.bias = get("bias");
  if (is_given("allowed")) input.options.allowed = get("allowed").array() > 0;
  if (is_given("causal")) {
    const double last = get("causal")(0);
    if (last != 0 && last != static_cast<double>(input.keys.rows() - input.queries.rows()))
      throw std::invalid_argument(
          "causal is neither 0 nor the number of keys less that of queries");
    input.options.causal = last == 0 ? CausalAlignment::top_left : CausalAlignment::bottom_right;
  }
  return input;
}

/// e^x for x at most 0. Below −20000 it is taken for at most e^(−20000), no number of any format.
Enclosure decay(const Rational& lower, const Rational& upper) {
  static const Rational least = exp_enclosure(-20000).upper;
  return {lower < -20000 ? Rational(0) : exp_enclosure(lower).lower,
          upper < -20000 ? least : exp_enclosure(upper).upper};
}

/// What scores are multiplied by: 1/τ, the scale, or 1/√d, which is exact if it is rational.
Enclosure scale_of(const Input& input) {
  if (input.temperature)
    return {1 / Rational(*input.temperature), 1 / Rational(*input.temperature)};
  if (input.options.scale) return {Rational(*input.options.scale), Rational(*input.options.scale)};
  const Integer unit = Integer(1) << 256, square = unit * unit * Integer(input.queries.cols());
  const Integer root = sqrt(square);
  return {Rational(unit, root * root == square ? root : Integer(root + 1)), Rational(unit, root)};
}

/// The exact output of attention, row by row, or weights of a softmax; 0 for a query that sees no key.
std::vector<Enclosure> enclosed(const Input& input) {
  const auto& [queries, keys, values, options, temperature] = input;
  const sqrtdk::detail::Visibility<double> sees(options, queries.rows(), keys.rows());
  const Enclosure scale = scale_of(input);
  std::vector<Enclosure> output;
  for (Eigen::Index i = 0; i < queries.rows(); ++i) {
    std::vector<Eigen::Index> seen;
    std::vector<Enclosure> terms;
    Rational greatest;
    for (const Eigen::Index j : sees.of(i)) {
      if (std::isinf(keys(j, 0))) continue;  // a logit
      Rational dot = 0;
      for (Eigen::Index l = 0; l < keys.cols(); ++l)
        dot += Rational(queries(i, l)) * Rational(keys(j, l));
      const Rational bias = options.bias ? Rational((*options.bias)(i, j)) : Rational(0);
      const Rational a = dot * scale.lower + bias, b = dot * scale.upper + bias;
      terms.push_back({std::min(a, b), std::max(a, b)});
      greatest = seen.empty() ? terms.back().upper : std::max(greatest, terms.back().upper);
      seen.push_back(j);
    }
    Enclosure sum{0, 0};
    for (Enclosure& term : terms) {
      term = decay(term.lower - greatest, term.upper - greatest);
      sum = {sum.lower + term.lower, sum.upper + term.upper};
    }
    for (const auto& column : values.colwise()) {
      output.push_back({0, 0});
      if (seen.empty()) continue;
      Enclosure product{0, 0};
      Rational least = Rational(column[seen[0]]), most = least;
      for (std::size_t a = 0; a < seen.size(); ++a) {
        const Rational v = Rational(column[seen[a]]);
        product.lower += v * (v > 0 ? terms[a].lower : terms[a].upper);
        product.upper += v * (v > 0 ? terms[a].upper : terms[a].lower);
        least = std::min(least, v);
        most = std::max(most, v);
      }
      // An average of values is between them.
      output.back() = {
          std::max(least, Rational(product.lower / (product.lower > 0 ? sum.upper : sum.lower))),
          std::min(most, Rational(product.upper / (product.upper > 0 ? sum.lower : sum.upper)))};
    }
  }
  return output;
}

/// Whether a format has all numbers of an input; it has infinities and NaN.
bool has_all(const Format& format, const Input& input) {
  const auto all = [&](const Eigen::MatrixXd& numbers) {
    return std::ranges::all_of(numbers.reshaped(), [&](double x) {
      return !std::isfinite(x) || below(Rational(x), format) == x;
    });
  };
  const Eigen::MatrixXd scalars{{input.options.scale.value_or(1), input.temperature.value_or(1)}};
  return all(input.queries) && all(input.keys) && all(input.values) && all(scalars) &&
         all(input.options.bias.value_or(scalars));
}

/// A bound, raised to 24 bits: libraries whose last bits differ give the same file.
Rational raised(double bound) {
  int exponent = 0;
  const double significand = std::frexp(bound, &exponent);
  return Rational(std::ldexp(std::ceil(std::ldexp(significand, 24)), exponent - 24));
}

/// What an arithmetic must hit: numbers of its format within the error bound. Nothing unless all of
/// them have one, and the format has the inputs.
Intervals accepted(const Input& input, const std::vector<Enclosure>& exact,
                   const Arithmetic& arithmetic) {
  if (!has_all(arithmetic.format, input)) return {};
  const double temperature = input.temperature.value_or(1);
  const SoftmaxArithmetic declared =
      arithmetic.of(static_cast<std::size_t>(input.keys.rows()), temperature);
  Eigen::VectorXd relative, absolute;  // row by row
  if (input.temperature) {
    const SoftmaxErrorBound bound =
        softmax_error_bound(input.keys.col(0), temperature, declared.magnified(1 / temperature));
    relative = bound.relative;
    absolute.setConstant(relative.size(), bound.absolute);
  } else {
    absolute = attention_error_bound<testing::Wide>(input.queries, input.keys, input.values,
                                                    input.options, declared)
                   .output.reshaped<Eigen::RowMajor>();
    relative.setZero(absolute.size());
  }
  if (relative.maxCoeff() >= 1 || !absolute.allFinite()) return {};
  Intervals ends;
  for (Eigen::Index i = 0; i < relative.size(); ++i) {
    const auto& [lower, upper] = exact[static_cast<std::size_t>(i)];
    const Rational error = raised(relative[i]) * upper + raised(absolute[i]);
    const bool at_zero = input.temperature && lower < error;  // No weight is negative.
    ends.push_back({at_zero ? 0 : above(lower - error, arithmetic.format),
                    below(upper + error, arithmetic.format)});
  }
  return ends;
}

std::string json(const Intervals& list) {
  const auto hex = [](double x) {
    const std::string text = format_hex_and_decimal(x);
    return '"' + text.substr(0, text.find(' ')) + '"';
  };
  std::string all;
  for (const auto& [lower, upper] : list)
    all += (all.empty() ? "[" : ", [") + hex(lower) + ", " + hex(upper) + ']';
  return '[' + all + ']';
}

void print_certified(const Tree& inputs) {
  std::string cases, known;
  for (const Arithmetic& one : arithmetics())
    known += (known.empty() ? "\"" : ", \"") + one.name + R"(": {"format": ")" + one.format.name +
             R"(", "freedom": ")" + one.freedom + R"(", "words": ")" + one.words + "\"}";
  for (const auto& [unnamed, given] : inputs) {
    const Input input = input_of(given);
    const std::vector<Enclosure> exact = enclosed(input);
    Intervals outward;
    for (const auto& [lower, upper] : exact)
      outward.push_back({below(lower, format_of<double>()), above(upper, format_of<double>())});
    std::string accept;
    for (const Arithmetic& one : arithmetics())
      if (const Intervals ends = accepted(input, exact, one); !ends.empty())
        accept += (accept.empty() ? "\"" : ", \"") + one.name + "\": " + json(ends);
    cases += (cases.empty() ? "" : ",\n") + ("{\"exact\": " + json(outward)) + ", \"accept\": {" +
             accept + "}}";
  }
  std::cout << "{\"arithmetics\": {" << known << "},\n\"cases\": [" << cases << "]}\n";
}

}  // namespace

}  // namespace sqrtdk::vectors

int main() {
  try {
    boost::property_tree::ptree inputs;
    boost::property_tree::read_json(std::cin, inputs);
    sqrtdk::vectors::print_certified(inputs);
  } catch (const std::exception& error) {
    std::cerr << "certify_vectors: " << error.what() << '\n';
    return 1;
  }
}
