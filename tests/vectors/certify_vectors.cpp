// Certifies test vectors: reads inputs, as JSON with hexadecimal numbers, and prints the
// arithmetics and, for each input, the exact results, enclosed, and what each arithmetic must hit.
#include <sqrtdk/attention/pass.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/softmax_error/arithmetic.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include <Eigen/Core>
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::vectors {

namespace {

using Tree = boost::property_tree::ptree;
using Enclosure = Interval<Rational>;
using Intervals = std::vector<Interval<double>>;
using Matrix = Eigen::MatrixXd;

/// A binary format whose numbers are doubles.
struct Format {
  std::string name;
  int digits;          ///< of the significand
  int least_exponent;  ///< as std::numeric_limits has it: the least normal number is 2^(this − 1)
  double largest;      ///< the largest finite number
};

template <class Scalar>
Format format_of(const std::string& name = "float64") {
  using Limits = std::numeric_limits<Scalar>;
  return {name, Limits::digits, Limits::min_exponent, sqrtdk::detail::as_double(Limits::max())};
}

struct Arithmetic {
  std::string name;
  Format format;               ///< of inputs and results
  std::string freedom;         ///< strict, any, flushing or stored; each includes those before it
  SoftmaxArithmetic declared;  ///< without what depends on the input: see of()
  std::string words;

  /// The arithmetic declared for n scores, n at least 1, and a temperature, 1 for attention.
  SoftmaxArithmetic of(std::size_t n, double temperature) const {
    if (freedom == "strict") return declared;
    SoftmaxArithmetic any = declared.one_pass(n - 1);
    int exponent = 0;  // The reciprocal of a power of two is not rounded.
    if (std::frexp(temperature, &exponent) != 0.5) any.exp_argument_error += 1;
    return any;
  }
};

/// The arithmetics, from the sharpest to the widest in each format. A further one is one entry more.
const std::vector<Arithmetic>& arithmetics() {
  using Half = Eigen::half;
  using Bfloat = Eigen::bfloat16;
  const auto any = [](const SoftmaxArithmetic& strict) {
    return strict.any_order().by_reciprocal().exp2_folded();
  };
  const auto flushing = [any](const SoftmaxArithmetic& strict) {
    SoftmaxArithmetic made = any(strict).scale_folded();
    made.exp_error = 4;
    return made.flushing();
  };
  const std::string strictly = "maximum first, sums by halves, a division; subnormals kept";
  const std::string anyhow =
      "sums in any order, one or two passes, powers of two, products with the reciprocals of the "
      "sum and of the temperature; subnormals kept";
  const auto double_ = arithmetic_of<double>(), float_ = arithmetic_of<float>();
  const auto half = arithmetic_of<Half>().stored_weights<Half>();
  const auto bfloat = arithmetic_of<Bfloat>().stored_weights<Bfloat>();
  static const std::vector<Arithmetic> all = {
      {"fp64", format_of<double>(), "strict", double_, strictly},
      {"fp64-any", format_of<double>(), "any", any(double_), anyhow},
      {"fp32", format_of<float>("float32"), "strict", float_, strictly},
      {"fp32-any", format_of<float>("float32"), "any", any(float_), anyhow},
      {"fp32-flushing", format_of<float>("float32"), "flushing", flushing(float_),
       "fp32-any; an exponential within two units in the last place, subnormals that may be 0, and "
       "attention's scale as its root in queries and keys"},
      {"fp16-stored", format_of<Half>("float16"), "stored", flushing(half),
       "fp32-flushing; results and weights stored in float16"},
      {"bf16-stored", format_of<Bfloat>("bfloat16"), "stored", flushing(bfloat),
       "fp32-flushing; results and weights stored in bfloat16"}};
  return all;
}

/// The greatest number of a format that is at most x, −∞ included.
double below(const Rational& x, const Format& format) {
  auto nearest = x.convert_to<double>();
  while (std::isinf(nearest) ? nearest > 0 : Rational(nearest) > x)
    nearest = std::nextafter(nearest, -std::numeric_limits<double>::infinity());
  int exponent = 0;
  std::frexp(nearest, &exponent);
  const int unit = std::max(exponent, format.least_exponent) - format.digits;
  const double kept = std::ldexp(std::floor(std::ldexp(nearest, -unit)), unit);
  if (kept < -format.largest) return -std::numeric_limits<double>::infinity();
  return std::min(kept, format.largest);
}

/// The least number of a format that is at least x, +∞ included.
double above(const Rational& x, const Format& format) { return 0.0 - below(-x, format); }

/// The arguments of attention, or those of a softmax of logits x: then the query is 1, the keys are x,
/// and the values the unit vectors. What no query sees may be NaN.
struct Input {
  Matrix queries, keys, values;       ///< Q, K and V; logits are finite or −∞, not all −∞
  AttentionOptions<double> options;   ///< scale and masks
  std::optional<double> temperature;  ///< τ of a softmax; none for attention
};

/// A number, a list as a column, or a list of rows; true is 1, and false 0.
Matrix matrix(const Tree& rows) {
  std::vector<double> numbers;
  const auto add = [&](const Tree& node) {
    const std::string& text = node.data();
    numbers.push_back(text == "true" ? 1 : std::strtod(text.c_str(), nullptr));  // "false": 0
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
    return {Matrix::Ones(1, 1), get("x"), Matrix::Identity(n, n), {}, get("temperature")(0)};
  }
  Input input{get("queries"), get("keys"), get("values"), {}, {}};
  if (is_given("scale")) input.options.scale = get("scale")(0);
  if (is_given("bias")) input.options.bias = get("bias");
  if (is_given("allowed")) input.options.allowed = get("allowed").array() > 0;
  if (is_given("causal")) {
    const double last = get("causal")(0);
    if (last != 0 && last != static_cast<double>(input.keys.rows() - input.queries.rows()))
      throw std::invalid_argument("causal is neither 0 nor keys less queries");
    input.options.causal = last == 0 ? CausalAlignment::top_left : CausalAlignment::bottom_right;
  }
  return input;
}

/// The factor of scores: 1/τ, the scale, or 1/√d, which is exact if it is rational.
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
      if (greatest - term.lower > 20000) throw std::domain_error("scores are too far apart");
      term = {exp_enclosure(term.lower - greatest).lower,
              exp_enclosure(term.upper - greatest).upper};
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

/// A bound, raised to 24 bits: libraries whose last bits differ give the same file.
Rational raised(double bound) {
  int exponent = 0;
  const double significand = std::frexp(bound, &exponent);
  return Rational(std::ldexp(std::ceil(std::ldexp(significand, 24)), exponent - 24));
}

/// Targets of an arithmetic: its numbers within the error bound; nothing unless all have one.
Intervals accepted(const Input& input, const std::vector<Enclosure>& exact,
                   const Arithmetic& arithmetic) {
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

std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string json(const Intervals& list) {
  std::string all;
  for (const auto& [lower, upper] : list) {
    const std::string low = format_hex_and_decimal(lower), high = format_hex_and_decimal(upper);
    all += (all.empty() ? "[" : ", [") + quoted(low.substr(0, low.find(' '))) + ", " +
           quoted(high.substr(0, high.find(' '))) + ']';
  }
  return '[' + all + ']';
}

void print_certified(const Tree& inputs) {
  std::string known, cases;
  for (const auto& [name, format, freedom, declared, words] : arithmetics())
    known += (known.empty() ? "" : ", ") + quoted(name) + ": {\"format\": " + quoted(format.name) +
             ", \"freedom\": " + quoted(freedom) + ", \"words\": " + quoted(words) + '}';
  for (const auto& [unnamed, given] : inputs) {
    const Input input = input_of(given);
    const std::vector<Enclosure> exact = enclosed(input);
    Intervals outward;
    for (const auto& [lower, upper] : exact)
      outward.push_back({below(lower, format_of<double>()), above(upper, format_of<double>())});
    std::string accept;
    for (const Arithmetic& one : arithmetics())
      if (const Intervals ends = accepted(input, exact, one); !ends.empty())
        accept += (accept.empty() ? "" : ", ") + quoted(one.name) + ": " + json(ends);
    cases += (cases.empty() ? "{\"exact\": " : ", {\"exact\": ") + json(outward) +
             ", \"accept\": {" + accept + "}}";
  }
  std::cout << "{\"arithmetics\": {" << known << "}, \"cases\": [" << cases << "]}\n";
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
