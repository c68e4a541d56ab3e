#include "properties/attention/ValuesAreNeverBlocked_subject.hpp"

namespace sqrtdk::properties::ValuesAreNeverBlocked {

Rational largest_weight(const RationalMatrix& weights) {
  return weights.cols() == 0 ? Rational(0) : weights.row(0).maxCoeff();
}

/// Tries all lists of weights in whole parts of 1, from the first weight on: `attempt(weights)`.
/// \param parts how many make 1.
/// \param keys  how many weights there are, at least 1.
void for_all_weights(int parts, std::size_t keys,
                     const std::function<void(const std::vector<Rational>&)>& attempt) {
  std::vector<Rational> weights(keys);
  const std::function<void(std::size_t, int)> fill = [&](std::size_t j, int left) {
    if (j + 1 == keys) {
      weights[j] = Rational(left, parts);
      attempt(weights);
      return;
    }
    for (int part = 0; part <= left; ++part) {
      weights[j] = Rational(part, parts);
      fill(j + 1, left - part);
    }
  };
  fill(0, parts);
}

/// Rows of weights, each with sum 1; a weight may be 0.
RationalMatrix drawn_weights(Index rows, Index columns) {
  RationalMatrix weights(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    const auto numbers = rc::gen::container<std::vector<int>>(
        static_cast<std::size_t>(columns),
        rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 20)));
    const auto row = *rc::gen::map(numbers, [](std::vector<int> parts) {
                        ++parts.front();
                        const int sum = std::accumulate(parts.begin(), parts.end(), 0);
                        std::vector<Rational> shares;
                        for (const int part : parts) shares.emplace_back(part, sum);
                        return shares;
                      }).as("a row of weights");
    for (Index j = 0; j < columns; ++j) weights(i, j) = row[static_cast<std::size_t>(j)];
  }
  return weights;
}

RationalMatrix one_hot_weights(const std::vector<Index>& attended, Index keys) {
  const auto rows = static_cast<Index>(attended.size());
  RationalMatrix weights = RationalMatrix::Constant(rows, keys, Rational(0));
  for (Index i = 0; i < rows; ++i) weights(i, attended[static_cast<std::size_t>(i)]) = 1;
  return weights;
}

/// The same case with the scale 1, and without masks.
RationalCase plain_case() {
  RationalCase input = ordinary_cases<Rational>().front();
  input.options.scale = 1;
  return input;
}

//! [ValuesAreNeverBlocked]
STATEMENT(ValuesAreNeverBlocked, TheValuesShareTheWholeGradient) {
  for_all(
      [&] {
        RationalCase input = drawn_rational_case(Masks::none);
        input.options.scale = 1;
        const RationalMatrix weights = drawn_weights(input.queries.rows(), input.keys.rows());
        const RationalMatrix by_values = subject.gradient(input, weights).values;
        EXPECT_EXACTLY(by_values.colwise().sum().eval() ==
                       input.output_gradient.colwise().sum().eval());
      },
      rational_cases);
  // The second value has all of the second row, and a third of the first.
  RationalCase two = plain_case();
  two.keys.conservativeResize(2, Eigen::NoChange);
  two.values.conservativeResize(2, Eigen::NoChange);
  RationalMatrix weights(2, 2);
  weights << Rational(2, 3), Rational(1, 3), 0, 1;
  const RationalMatrix by_values = subject.gradient(two, weights).values;
  EXPECT_EXACTLY(by_values.row(0) == two.output_gradient.row(0) * Rational(2, 3));
  EXPECT_EXACTLY(by_values.row(1) ==
                 two.output_gradient.row(0) * Rational(1, 3) + two.output_gradient.row(1));
  enumerated(1);
}
KILLS("weights are not transposed", {.gradient = [](auto& input, auto& weights) {
        auto gradient = gradient_of_weights(input, weights);
        if (weights.rows() == weights.cols()) gradient.values = weights * input.output_gradient;
        return gradient;
      }});
KILLS("the values are divided by their number", {.gradient = [](auto& input, auto& weights) {
        auto gradient = gradient_of_weights(input, weights);
        gradient.values /= Rational(static_cast<int>(weights.cols()));
        return gradient;
      }});

/// The gradient by scores and values of a softmax whose Jacobian has lost its mean.
AttentionGradient<Rational> gradient_without_mean(const RationalCase& input,
                                                  const RationalMatrix& weights) {
  AttentionGradient<Rational> gradient = gradient_of_weights(input, weights);
  if (weights.rows() != input.queries.rows()) return gradient;  // some query sees nothing
  const RationalMatrix by_score =
      weights.cwiseProduct(input.output_gradient * input.values.transpose());
  gradient.queries = by_score * input.keys;
  return gradient;
}

STATEMENT(ValuesAreNeverBlocked, OneHotWeightsBlockQueriesAndKeysOnly) {
  const RationalCase input = plain_case();
  const Index keys = input.keys.rows();
  bool patterns_stay = true, one_word_each = true;
  for (Index first = 0; first < keys; ++first)
    for (Index second = 0; second < keys; ++second) {
      const auto gradient = subject.gradient(input, one_hot_weights({first, second}, keys));
      patterns_stay = patterns_stay && gradient.queries.isZero(0) && gradient.keys.isZero(0);
      RationalMatrix wanted = RationalMatrix::Constant(keys, input.values.cols(), Rational(0));
      wanted.row(first) += input.output_gradient.row(0);
      wanted.row(second) += input.output_gradient.row(1);
      one_word_each = one_word_each && gradient.values == wanted;
      enumerated(1);
    }
  EXPECT_EXACTLY(patterns_stay) << "one-hot weights do not move";
  EXPECT_EXACTLY(one_word_each);
  expect_confirmed("S2", "The model cannot learn from multiple words at once", one_word_each);
  expect_confirmed("S3", "The model can't adjust attention patterns", patterns_stay);
}
KILLS("the mean is not subtracted", {.gradient = gradient_without_mean});
KILLS("every value has its share", {.gradient = [](auto& input, auto& weights) {
        auto gradient = gradient_of_weights(input, weights);
        const RationalMatrix whole = gradient.values.colwise().sum();
        gradient.values =
            whole.replicate(weights.cols(), 1) / Rational(static_cast<int>(weights.cols()));
        return gradient;
      }});

ASIDE(ValuesAreNeverBlocked, AtOneHotWeightsTheValuesGetAGradient) {
  const RationalCase input = plain_case();
  const Index keys = input.keys.rows();
  for (Index first = 0; first < keys; ++first)
    for (Index second = 0; second < keys; ++second) {
      const auto gradient = subject.gradient(input, one_hot_weights({first, second}, keys));
      EXPECT_EXACTLY(!gradient.values.row(first).isZero(0));
      EXPECT_EXACTLY(!gradient.values.row(second).isZero(0));
      enumerated(1);
    }
  counterexample_without("queries and keys only");
}
KILLS("where weights are one-hot all gradients vanish",
      {.gradient = [](auto& input, auto& weights) {
        auto gradient = gradient_of_weights(input, weights);
        if (largest_weight(weights) == 1) gradient.values.setConstant(Rational(0));
        return gradient;
      }});

Rational range_of(const RationalMatrix& gains) {
  if (gains.cols() == 0) return 0;
  return gains.row(0).maxCoeff() - gains.row(0).minCoeff();
}

STATEMENT(ValuesAreNeverBlocked, TheGradientByTheScoresIsBounded) {
  // Σ|∂ℓ/∂sⱼ| for one query: with K = I and the scale 1, its gradient is that by its scores.
  const auto size_of_gradient = [&](const RationalMatrix& weights, const RationalMatrix& gains) {
    const Index m = weights.cols();
    RationalCase input;
    input.queries = RationalMatrix::Constant(1, m, Rational(0));
    input.keys = RationalMatrix::Identity(m, m);
    input.values = gains.transpose();
    input.output_gradient = RationalMatrix::Constant(1, 1, Rational(1));
    input.options.scale = 1;
    const RationalMatrix by_scores = subject.gradient(input, weights).queries;
    Rational sum = 0;
    for (Index j = 0; j < m; ++j) sum += abs(by_scores(0, j));
    return sum;
  };
  const auto row = [](const std::vector<Rational>& numbers) {
    return RationalMatrix(Eigen::Map<const Eigen::Matrix<Rational, 1, Eigen::Dynamic>>(
        numbers.data(), static_cast<Index>(numbers.size())));
  };
  const auto try_all = [&](int parts, Index keys) {
    std::uint64_t cases = 0;
    for_all_weights(parts, static_cast<std::size_t>(keys), [&](const std::vector<Rational>& w) {
      const RationalMatrix p = row(w);
      Rational most = 0;
      const auto choices = static_cast<int>(std::pow(3, keys));
      for (int code = 0; code < choices; ++code) {
        std::vector<Rational> gains;
        int rest = code, largest = 0;
        for (Index j = 0; j < keys; ++j, rest /= 3) {
          gains.emplace_back(rest % 3);
          largest = std::max(largest, rest % 3);
        }
        const Rational size = size_of_gradient(p, row(gains));
        EXPECT_EXACTLY(size <= subject.bound(p, row(gains))) << p << " with gains " << row(gains);
        if (largest == 1) most = std::max(most, size);
        ++cases;
      }
      // For a largest weight of one half or more nothing is given away.
      if (2 * largest_weight(p) >= 1) {
        RationalMatrix gains = RationalMatrix::Constant(1, keys, Rational(0));
        gains(0, 0) = 1;
        EXPECT_EXACTLY(most == subject.bound(p, gains)) << p;
      }
    });
    return cases;
  };
  enumerated(try_all(10, 3) + try_all(6, 4) + 2);
  const RationalMatrix peaked = row({Rational(9, 10), Rational(1, 20), Rational(1, 20)});
  const RationalMatrix top = row({1, 0, 0});
  EXPECT_EXACTLY(size_of_gradient(peaked, top) == Rational(9, 50));
  EXPECT_EXACTLY(subject.bound(peaked, top) == Rational(9, 50));
  // Only differences of gains count.
  EXPECT_EXACTLY(subject.bound(peaked, row({3, 2, 2})) == Rational(9, 50));
  EXPECT_EXACTLY(subject.bound(peaked, row({0, -1, -1})) == Rational(9, 50));
  const RationalMatrix nearly = row({Rational(99, 100), Rational(1, 100)});
  record_value("at_99", format_fixed(static_cast<double>(subject.bound(nearly, row({1, 0}))), 4));
  // Four equal weights, two of them gaining: one half of the range.
  const RationalMatrix equal =
      row({Rational(1, 4), Rational(1, 4), Rational(1, 4), Rational(1, 4)});
  EXPECT_EXACTLY(size_of_gradient(equal, row({1, 1, 0, 0})) == Rational(1, 2));
  EXPECT_EXACTLY(subject.bound(equal, row({1, 1, 0, 0})) == Rational(1, 2));
  enumerated(2);
}
//! [ValuesAreNeverBlocked]
KILLS("p₁ without 1 − p₁", {.bound = [](auto& weights, auto& gains) {
        return 2 * range_of(gains) * largest_weight(weights);
      }});
KILLS("the factor 2 is forgotten", {.bound = [](auto& weights, auto& gains) {
        return range_of(gains) * largest_weight(weights) * (1 - largest_weight(weights));
      }});
KILLS("2p₁(1 − p₁) for a small p₁ as well", {.bound = [](auto& weights, auto& gains) {
        return 2 * range_of(gains) * largest_weight(weights) * (1 - largest_weight(weights));
      }});
KILLS("one half whatever the weights",
      {.bound = [](auto&, auto& gains) { return range_of(gains) / 2; }});
KILLS("the largest gain for the range", {.bound = [](auto& weights, auto& gains) -> Rational {
        const Rational range = range_of(gains);
        if (range == 0) return gains.cols() == 0 ? Rational(0) : gains.row(0).maxCoeff();
        return score_gradient_bound(weights.row(0), gains.row(0)) * gains.row(0).maxCoeff() / range;
      }});

ASIDE(ValuesAreNeverBlocked, WeightsThatUnderflowAreOneHot) {
  // Scores 0 and −800: e^(−800) is below half of the smallest double.
  AttentionCase<double> input;
  input.queries = Matrix<double>::Constant(1, 1, 1);
  input.keys = Matrix<double>::Zero(2, 1);
  input.keys(1, 0) = -800;
  input.values = Matrix<double>::Identity(2, 2);
  input.output_gradient = Matrix<double>::Constant(1, 2, 3);
  input.output_gradient(0, 1) = -1;
  const AttentionGradient<double> gradient = subject.in_double(input);
  EXPECT_EXACTLY(is_zero(gradient.queries));
  EXPECT_EXACTLY(is_zero(gradient.keys));
  EXPECT_EXACTLY(bits_of(gradient.values.row(0)) == bits_of(input.output_gradient.row(0)));
  EXPECT_EXACTLY(is_zero(gradient.values.row(1)));
  // At −700 there is still something left.
  input.keys(1, 0) = -700;
  const AttentionGradient<double> before = subject.in_double(input);
  EXPECT_EXACTLY(Rational(before.values(1, 0)) > 0);
  EXPECT_EXACTLY(Rational(before.values(1, 0)) < Rational(0x1p-1000));
  EXPECT_EXACTLY(!is_zero(before.queries));
  enumerated(2);
}
KILLS("weights that underflow keep a trace of gradient", {.in_double = [](auto& x) {
        auto gradient =
            attention_gradient(x.queries, x.keys, x.values, x.output_gradient, x.options);
        gradient.queries.array() += std::numeric_limits<double>::denorm_min();
        return gradient;
      }});
KILLS("a value without weight gets a gradient", {.in_double = [](auto& x) {
        auto gradient =
            attention_gradient(x.queries, x.keys, x.values, x.output_gradient, x.options);
        gradient.values.array() += std::numeric_limits<double>::denorm_min();
        return gradient;
      }});

STATEMENT(ValuesAreNeverBlocked, AResidualKeepsTheGradient) {
  const auto expect_adjoint = [&](const RationalMatrix& x, const RationalProjections& w,
                                  const RationalMatrix& g, const RationalMatrix& p,
                                  const RationalMatrix& dx) {
    // The change of Y = X + PV when X moves, for a softmax with the weights P.
    const RationalMatrix ds =
        dx * w.queries * (x * w.keys).transpose() + x * w.queries * (dx * w.keys).transpose();
    const RationalMatrix means = p.cwiseProduct(ds).rowwise().sum();
    const RationalMatrix dp = p.cwiseProduct(ds - means.replicate(1, ds.cols()));
    const RationalMatrix dy = dx + dp * x * w.values + p * dx * w.values;
    const Rational change = inner_product(g, dy);
    EXPECT_EXACTLY(inner_product(subject.residual(x, w, g, p), dx) == change)
        << "if the input moves by t·dX for a small t, the loss changes by " << change
        << "·t; this is what the gradient times dX must be, without the t";
  };
  for_all(
      [&] {
        const auto n = static_cast<Index>(
            *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 4)).as("tokens"));
        const RationalMatrix x = drawn_rationals(n, 2, "X");
        const RationalProjections w{drawn_rationals(2, 2, "W_Q"), drawn_rationals(2, 2, "W_K"),
                                    drawn_rationals(2, 2, "W_V")};
        expect_adjoint(x, w, drawn_rationals(n, 2, "G"), drawn_weights(n, n),
                       drawn_rationals(n, 2, "dX"));
      },
      rational_cases);
  // One-hot weights: G and, through the values, PᵀG W_Vᵀ; nothing else.
  const RationalCase numbers = plain_case();
  const RationalMatrix x = numbers.values;
  const RationalProjections w{numbers.keys.topLeftCorner(2, 2), numbers.keys.topRightCorner(2, 2),
                              numbers.queries.topLeftCorner(2, 2)};
  const RationalMatrix g = numbers.values.colwise().reverse();
  const RationalMatrix p = one_hot_weights({2, 0, 2}, 3);
  const RationalMatrix through_values = p.transpose() * g * w.values.transpose();
  EXPECT_EXACTLY(subject.residual(x, w, g, p) == g + through_values);
  RationalMatrix some_weights(3, 3);
  some_weights << Rational(1, 2), Rational(1, 3), Rational(1, 6), 0, Rational(1, 4), Rational(3, 4),
      Rational(2, 5), Rational(2, 5), Rational(1, 5);
  expect_adjoint(x, w, g, some_weights, 2 * x);
  enumerated(2);
}
KILLS("the residual is omitted",
      {.residual = [](auto& x, auto& w, auto& g, auto& p) -> RationalMatrix {
        return residual_of_weights(x, w, g, p) - g;
      }});
KILLS("the values' projection is not transposed",
      {.residual = [](auto& x, auto& w, auto& g, auto& p) -> RationalMatrix {
        const RationalMatrix by_values = p.transpose() * g;
        return residual_of_weights(x, w, g, p) - by_values * w.values.transpose() +
               by_values * w.values;
      }});
KILLS("the keys do not come from the inputs",
      {.residual = [](auto& x, RationalProjections const& w, auto& g, auto& p) {
        RationalProjections fixed_keys = w;
        fixed_keys.keys.setConstant(Rational(0));
        return residual_of_weights(x, fixed_keys, g, p);
      }});

ASIDE(ValuesAreNeverBlocked, ANormBehindTheSumCanBlockIt) {
  // A token of two features, alone: its only weight is 1. Behind the sum x + xW_V, a layer
  // normalization of two features makes (1, −1) of every token whose first is the larger one.
  const auto normalized = [](const RationalMatrix& y) {
    const Rational mean = (y(0, 0) + y(0, 1)) / 2, deviation = abs(y(0, 0) - y(0, 1)) / 2;
    RationalMatrix z = y;
    for (Rational& entry : z.reshaped()) entry = (entry - mean) / deviation;
    return z;
  };
  RationalMatrix x(1, 2), g(1, 2), weight(1, 1);
  x << 5, 2;
  g << 3, -1;
  weight << 1;
  const RationalMatrix one = RationalMatrix::Identity(2, 2);
  const RationalProjections w{one, one, one};
  for (const Rational& step : {Rational(1, 2), Rational(1, 1000)})
    for (Index l = 0; l < 2; ++l) {
      RationalMatrix moved = x;
      moved(0, l) += step;
      EXPECT_EXACTLY(normalized(moved + moved * w.values) == normalized(x + x * w.values));
    }
  // In front of the sum there is no such wall: G from the residual, and G W_Vᵀ from the values.
  EXPECT_EXACTLY(subject.residual(x, w, g, weight) == 2 * g)
      << "one token has the weight 1, so only the residual and its value bring a gradient back";
  enumerated(4);
  counterexample_without("no norm behind the sum");
}
KILLS("one-hot weights block the residual too",
      {.residual = [](auto& x, auto& w, auto& g, auto& p) -> RationalMatrix {
        return residual_of_weights(x, w, g, p) * Rational(largest_weight(p) == 1 ? 0 : 1);
      }});

ASIDE(ValuesAreNeverBlocked, AQueryThatSeesNothingPassesNothing) {
  RationalCase input = plain_case();
  input.options.allowed = Matrix<bool>::Constant(2, 3, true);
  input.options.allowed->row(0).setConstant(false);
  const RationalMatrix weights = RationalMatrix::Constant(1, 3, Rational(1, 3));
  const RationalMatrix whole = subject.gradient(input, weights).values.colwise().sum();
  EXPECT_EXACTLY(whole == input.output_gradient.row(1));
  EXPECT_EXACTLY(!(whole == input.output_gradient.colwise().sum()));
  enumerated(1);
  counterexample_without("rows that sum to 1");
}
KILLS("what a blind query loses goes to the first value",
      {.gradient = [](auto& input, auto& weights) {
        auto gradient = gradient_of_weights(input, weights);
        for (Index i = 0; i < input.queries.rows(); ++i)
          if (sees_nothing(input, i)) gradient.values.row(0) += input.output_gradient.row(i);
        return gradient;
      }});

ASIDE(ValuesAreNeverBlocked, RefusesGainsThatDoNotFit) {
  const RationalMatrix two = RationalMatrix::Constant(1, 2, Rational(1, 2));
  expect_refusal<std::invalid_argument>(
      [&] { subject.bound(two, RationalMatrix::Constant(1, 3, Rational(1))); },
      "there are 2 weights and 3 gains, but must be as many, and at least 1");
  expect_refusal<std::invalid_argument>(
      [&] { subject.bound(RationalMatrix(1, 0), RationalMatrix(1, 0)); },
      "there are 0 weights and 0 gains, but must be as many, and at least 1");
}
KILLS("gains without weights are accepted", {.bound = [](auto& weights, auto& gains) {
        return weights.size() == gains.size() ? score_gradient_bound(weights.row(0), gains.row(0))
                                              : Rational(0);
      }});

}  // namespace sqrtdk::properties::ValuesAreNeverBlocked
