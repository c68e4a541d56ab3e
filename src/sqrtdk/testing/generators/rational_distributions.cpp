#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>

#include <rapidcheck.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

namespace {

/// The length of a number written down, in half digits; a minus sign counts as one of them.
std::size_t complexity(const Rational& x) { return 2 * x.str().size() - (x < 0 ? 1 : 0); }

}  // namespace

std::vector<Rational> shrinks(const Rational& x) {
  const Integer whole = numerator(x) / denominator(x);
  std::vector<Rational> candidates = {
      0, 1, -1, 2, -x, Rational(whole), Rational(whole / 2), Rational(numerator(x))};
  if (abs(whole) <= 1000) candidates.push_back(Rational(whole > 0 ? whole - 1 : whole + 1));
  std::vector<Rational> result;
  for (const Rational& candidate : candidates)
    if (complexity(candidate) < complexity(x) ||
        (complexity(candidate) == complexity(x) && abs(candidate) < abs(x)))
      result.push_back(candidate);
  return result;
}

rc::Gen<Rational> shrinking_to_simple(const rc::Gen<Rational>& numbers) {
  return [numbers](const rc::Random& random, int size) {
    return rc::shrinkable::shrinkRecur(numbers(random, size).value(), [](const Rational& x) {
      return rc::seq::fromContainer(shrinks(x));
    });
  };
}

Rational ten_to_the_thirtieth() { return Rational(Integer("1000000000000000000000000000000")); }

rc::Gen<int> weight() {
  return rc::gen::weightedOneOf<int>(
      {{4, rc::gen::inRange(1, 10)}, {1, rc::gen::inRange(1, 1000000000)}});
}

std::vector<Rational> normalized(const std::vector<int>& weights) {
  Rational total = 0;
  for (const int weight : weights) total += weight;
  std::vector<Rational> probabilities;
  for (const int weight : weights) probabilities.push_back(Rational(weight) / total);
  return probabilities;
}

namespace {

/// Mean 0 and variance 1 on two points: a with probability 1/(1+a²), −1/a with the rest.
RationalDistribution two_point_distribution(const Rational& a) {
  const Rational p = 1 / (1 + a * a);
  return {{a, -1 / a}, {p, 1 - p}};
}

/// Mean 0 and variance 1 on {−c, 0, c}, for c at least 1.
RationalDistribution three_point_distribution(const Rational& c) {
  const Rational p = 1 / (c * c);
  return {{-c, 0, c}, {p / 2, 1 - p, p / 2}};
}

/// The mixture of distributions; it keeps a mean and a variance that they share.
RationalDistribution mixture(
    const std::vector<std::pair<RationalDistribution, int>>& distributions) {
  std::vector<int> weights;
  for (const auto& [distribution, weight] : distributions) weights.push_back(weight);
  const std::vector<Rational> shares = normalized(weights);
  std::vector<Rational> outcomes;
  std::vector<Rational> probabilities;
  for (std::size_t i = 0; i < distributions.size(); ++i)
    for (const auto& atom : distributions[i].first.atoms()) {
      outcomes.push_back(atom.outcome);
      probabilities.push_back(shares[i] * atom.probability);
    }
  return {outcomes, probabilities};
}

}  // namespace

rc::Gen<Rational> any_rational() {
  const auto integer = rc::gen::map(rc::gen::inRange(-9, 10), [](int n) { return Rational(n); });
  const auto fraction =
      rc::gen::map(rc::gen::pair(rc::gen::inRange(-99, 100), rc::gen::inRange(1, 100)),
                   [](const std::pair<int, int>& f) { return Rational(f.first, f.second); });
  const auto huge =
      rc::gen::map(integer, [](const Rational& n) { return n * ten_to_the_thirtieth(); });
  const auto tiny =
      rc::gen::map(integer, [](const Rational& n) { return n / ten_to_the_thirtieth(); });
  return shrinking_to_simple(
      rc::gen::weightedOneOf<Rational>({{5, integer}, {3, fraction}, {1, huge}, {1, tiny}}));
}

rc::Gen<Rational> nonzero_rational() {
  return rc::gen::suchThat(any_rational(), [](const Rational& x) { return x != 0; });
}

rc::Gen<RationalDistribution> any_distribution() {
  return rc::gen::map(weighted_list(any_rational(), 5), weighted<Rational>);
}

rc::Gen<RationalDistribution> centred_distribution() {
  return rc::gen::map(any_distribution(), [](const RationalDistribution& distribution) {
    const Rational centre = mean(distribution);
    return distribution.image([&](const Rational& x) { return x - centre; });
  });
}

rc::Gen<RationalDistribution> standardized_distribution() {
  const auto two_points = rc::gen::map(nonzero_rational(), two_point_distribution);
  const auto mixed = rc::gen::map(weighted_list<RationalDistribution>(two_points, 2), mixture);
  const auto three_points = rc::gen::map(any_rational(), [](const Rational& x) {
    return three_point_distribution(1 + (x < 0 ? Rational(-x) : x));
  });
  return rc::gen::weightedOneOf<RationalDistribution>(
      {{2, two_points}, {2, mixed}, {1, three_points}});
}

rc::Gen<FiniteDistribution<std::vector<Rational>>> any_joint_distribution() {
  return rc::gen::mapcat(rc::gen::inRange<std::size_t>(2, 5), [](std::size_t width) {
    const auto row = rc::gen::container<std::vector<Rational>>(width, any_rational());
    return rc::gen::map(weighted_list(row, 5), weighted<std::vector<Rational>>);
  });
}

}  // namespace sqrtdk::testing
