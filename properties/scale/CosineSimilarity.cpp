#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/powers.hpp>

#include "properties/scale/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::CosineSimilarity {

rc::Gen<Vector> nonzero_vector(std::size_t dimension) {
  return rc::gen::suchThat(rc::gen::container<Vector>(dimension, any_rational()),
                           [](const Vector& v) {
                             return std::any_of(v.begin(), v.end(), [](auto& x) { return x != 0; });
                           });
}

Rational mean_even_power_of_cosine(const Subject& subject, const std::vector<Vector>& directions,
                                   const Vector& key, unsigned order) {
  Rational total = 0;
  for (const Vector& direction : directions) {
    const Rational square = subject.squared_cosine(direction, key);
    Rational power = 1;
    for (unsigned j = 0; j < order; j += 2) power *= square;
    total += power;
  }
  return total / Rational(directions.size());
}

std::vector<Vector> signed_permutations(const Vector& vector) {
  std::vector<std::size_t> order(vector.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<Vector> result;
  do {
    for (unsigned signs = 0; signs < (1U << vector.size()); ++signs) {
      Vector image;
      for (std::size_t i = 0; i < order.size(); ++i)
        image.push_back((signs >> i & 1U) != 0 ? Rational(-vector[order[i]]) : vector[order[i]]);
      result.push_back(image);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return result;
}

/// The 240 roots of E8: ±eᵢ ± eⱼ, and (±½, …, ±½) with an even number of minus signs. They are a
/// spherical 7-design: Delsarte, Goethals and Seidel, "Spherical codes and designs" (1977).
std::vector<Vector> roots_of_e8() {
  std::vector<Vector> roots;
  for (unsigned signs = 0; signs < 256; ++signs) {
    if (std::popcount(signs) % 2 == 1) continue;
    Vector root;
    for (unsigned i = 0; i < 8; ++i) root.push_back(Rational((signs >> i & 1U) != 0 ? -1 : 1, 2));
    roots.push_back(root);
  }
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = i + 1; j < 8; ++j)
      for (const int a : {-1, 1})
        for (const int b : {-1, 1}) {
          Vector root(8, 0);
          root[i] = a;
          root[j] = b;
          roots.push_back(root);
        }
  return roots;
}

/// E (2B − 1)ⁿ for B ~ Beta(a, a), from E Bʲ = Π_{i<j} (a + i) / (2a + i) and the binomial theorem.
Rational symmetric_beta_moment(const Rational& a, unsigned order) {
  Rational total = 0;
  Rational binomial = 1;
  Rational beta_moment = 1;
  for (unsigned j = 0; j <= order; ++j) {
    const Rational sign = (order - j) % 2 == 0 ? 1 : -1;
    total += sign * binomial * Rational(Integer(1) << j) * beta_moment;
    binomial = binomial * Rational(order - j) / Rational(j + 1);
    beta_moment = beta_moment * (a + j) / (2 * a + j);
  }
  return total;
}

//! [CosineSimilarity]
STATEMENT(CosineSimilarity, IsAtMostOneAndThatOnlyForParallelVectors) {
  const Vector unit = {1, 0}, value = {Rational(1, 2), 0};
  // Divided by the length of a value, the score of two equal queries and keys can be 2.
  const Rational squared_by_the_value = 1 / (dot_product(unit, unit) * dot_product(value, value));
  EXPECT_EXACTLY(squared_by_the_value == 4);
  for_all([&] {
    const auto d = *rc::gen::inRange<std::size_t>(1, 7).as("d");
    const Vector q = *nonzero_vector(d).as("q");
    const Vector k = *nonzero_vector(d).as("k");
    const Rational square = subject.squared_cosine(q, k);
    bool parallel = true;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < i; ++j) parallel = parallel && q[i] * k[j] == q[j] * k[i];
    EXPECT_EXACTLY(square >= 0);
    EXPECT_EXACTLY(square <= 1);
    EXPECT_EXACTLY((square == 1) == parallel);
    const Rational factor = *nonzero_rational().as("factor");
    Vector multiple;
    for (const Rational& x : q) multiple.push_back(factor * x);
    EXPECT_EXACTLY(subject.squared_cosine(q, multiple) == 1);
  });
}
KILLS("the key's norm is forgotten", {.squared_cosine = [](auto& q, auto& k) {
        return dot_product(q, k) * dot_product(q, k) / dot_product(q, q);
      }});
KILLS("the query's norm is forgotten", {.squared_cosine = [](auto& q, auto& k) {
        return dot_product(q, k) * dot_product(q, k) / dot_product(k, k);
      }});
KILLS("halved", {.squared_cosine = [](auto& q, auto& k) { return squared_cosine(q, k) / 2; }});
KILLS("the query's norm is that of two coordinates",
      {.squared_cosine = [](auto& q, auto& k) -> Rational {
        const Vector first(
            q.begin(), q.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(q.size(), 2)));
        return squared_cosine(q, k) * dot_product(q, q) / dot_product(first, first);
      }});
KILLS("every vector is parallel", {.squared_cosine = [](auto&, auto&) { return Rational(1); }});

STATEMENT(CosineSimilarity, AveragesToOneOverTheDimensionOverSignedPermutations) {
  for_all(
      [&] {
        const std::size_t d = *rc::gen::inRange<std::size_t>(2, 5).as("d");
        const Vector q = *nonzero_vector(d).as("q");
        const Vector k = *nonzero_vector(d).as("k");
        EXPECT_EXACTLY(mean_even_power_of_cosine(subject, signed_permutations(q), k, 2) ==
                       subject.cosine_moment(d, 2));
        EXPECT_EXACTLY(subject.cosine_moment(d, 2) == Rational(1) / Rational(d));
      },
      50);
}
//! [CosineSimilarity]
KILLS("variance 1/√d at d = 4", {.cosine_moment = [](auto d, unsigned n) {
        return d == 4 && n == 2 ? Rational(1, 2) : cosine_moment(d, n);
      }});
KILLS("one dimension is lost to the normalization",
      {.cosine_moment = [](auto d, unsigned n) { return cosine_moment(d - 1, n); }});

//! [CosineSimilarity: exact check]
STATEMENT(CosineSimilarity, TheRootsOfE8GiveTheFirstSevenMoments) {
  const std::vector<Vector> roots = roots_of_e8();
  EXPECT_EXACTLY(roots.size() == 240U);
  for_all(
      [&] {
        const Vector k = *nonzero_vector(8).as("k");
        for (const unsigned order : {2U, 4U, 6U})
          EXPECT_EXACTLY(mean_even_power_of_cosine(subject, roots, k, order) ==
                         subject.cosine_moment(8, order));
        // All roots have the norm √2, so that an odd moment is a multiple of Σ(root·k)ⁿ.
        for (const unsigned order : {1U, 3U, 5U, 7U}) {
          Rational total = 0;
          for (const Vector& root : roots) total += integer_power(dot_product(root, k), order);
          EXPECT_EXACTLY(total == 0);
          EXPECT_EXACTLY(subject.cosine_moment(8, order) == 0);
        }
      },
      20);
  // The eighth moment is beyond what 240 directions can give.
  EXPECT_EXACTLY(mean_even_power_of_cosine(subject, roots, roots.front(), 8) !=
                 subject.cosine_moment(8, 8));
}
KILLS("the moments of a normal distribution of variance 1/d",
      {.cosine_moment = [](auto d, unsigned n) {
        if (n % 2 == 1) return Rational(0);
        Rational moment = 1;
        for (unsigned j = 0; j < n; j += 2) moment *= Rational(j + 1) / Rational(d);
        return moment;
      }});
KILLS("the seventh moment is the eighth",
      {.cosine_moment = [](auto d, unsigned n) { return cosine_moment(d, n == 7 ? 8 : n); }});

STATEMENT(CosineSimilarity, AreTheMomentsOfASymmetricBetaDistribution) {
  for (unsigned d = 2; d <= 64; ++d)
    for (unsigned order = 0; order <= 16; ++order)
      EXPECT_EXACTLY(subject.cosine_moment(d, order) ==
                     symmetric_beta_moment(Rational(d - 1, 2), order))
          << "d = " << d << ", order " << order;
  enumerated(63 * 17);
}
//! [CosineSimilarity: exact check]
KILLS("odd moments are those of the absolute value",
      {.cosine_moment = [](auto d, unsigned n) { return cosine_moment(d, n + n % 2); }});
KILLS("high moments are cut off", {.cosine_moment = [](auto d, unsigned n) {
        return n > 10 ? Rational(0) : cosine_moment(d, n);
      }});

STATEMENT(CosineSimilarity, BoundsEveryWeightAndBothBoundsAreReached) {
  for_all([&] {
    const Rational ratio = 1 + *positive_rational().as("ratio − 1");
    const Vector between = *rc::gen::container<Vector>(positive_rational()).as("others");
    Vector weights = {1, ratio};
    for (const Rational& x : between) weights.push_back((1 + x * ratio) / (1 + x));
    const Rational total = std::accumulate(weights.begin(), weights.end(), Rational(0));
    const Interval<Rational> bounds = subject.softmax_weight_bounds(weights.size(), ratio);
    for (const Rational& weight : weights) {
      EXPECT_EXACTLY(bounds.lower <= weight / total);
      EXPECT_EXACTLY(weight / total <= bounds.upper);
    }
    // One at an end of the range and all others at the other end.
    const auto share_of_the_first = [&](const Rational& first, const Rational& other) {
      Vector extreme(weights.size(), other);
      extreme.front() = first;
      return Rational(first / std::accumulate(extreme.begin(), extreme.end(), Rational(0)));
    };
    EXPECT_EXACTLY(bounds.lower == share_of_the_first(1, ratio));
    EXPECT_EXACTLY(bounds.upper == share_of_the_first(ratio, 1));
  });
}
KILLS("the greatest weight counts one score too many",
      {.softmax_weight_bounds = [](auto n, auto& r) {
        return Interval<Rational>{softmax_weight_bounds(n, r).lower, r / (r + Rational(n))};
      }});
KILLS("the least weight counts one score too many", {.softmax_weight_bounds = [](auto n, auto& r) {
        return Interval<Rational>{1 / (1 + Rational(n) * r), softmax_weight_bounds(n, r).upper};
      }});

STATEMENT(CosineSimilarity, ForCosinesTheBoundsAreNarrow) {
  const Interval<Rational> e_squared = exp_enclosure(2);
  const Interval<Rational> low = subject.softmax_weight_bounds(512, e_squared.lower);
  const Interval<Rational> high = subject.softmax_weight_bounds(512, e_squared.upper);
  EXPECT_EXACTLY(low.upper == e_squared.lower / (e_squared.lower + 511));
  EXPECT_EXACTLY(high.upper == e_squared.upper / (e_squared.upper + 511));
  EXPECT_EXACTLY(high.upper < Rational(1, 50));
  EXPECT_EXACTLY(low.lower == 1 / (1 + 511 * e_squared.lower));
  EXPECT_EXACTLY(high.lower == 1 / (1 + 511 * e_squared.upper));
  record_value("greatest_of_512", format_significant(high.upper.convert_to<double>(), 3));
  record_value("least_of_512", format_significant(high.lower.convert_to<double>(), 3));
  enumerated(1);
}
KILLS("scores are taken to differ by 1 at most", {.softmax_weight_bounds = [](auto n, auto& r) {
        return softmax_weight_bounds(n, 1 + (r - 1) / 2);
      }});

ASIDE(CosineSimilarity, EqualVectorsHaveCosineOne) {
  EXPECT_EXACTLY(subject.squared_cosine({1, 2, 3}, {1, 2, 3}) == 1);
  EXPECT_EXACTLY(subject.cosine_moment(3, 2) == Rational(1, 3));
  counterexample_without("independent");
}
KILLS("equal vectors are treated as independent", {.squared_cosine = [](auto& q, auto& k) {
        return q == k ? Rational(1) / Rational(q.size()) : squared_cosine(q, k);
      }});

ASIDE(CosineSimilarity, TwoDirectionsOnOneAxisHaveSquaredCosineOne) {
  for (const int a : {-1, 1})
    for (const int b : {-1, 1}) EXPECT_EXACTLY(subject.squared_cosine({a, 0}, {b, 0}) == 1);
  enumerated(4);
  counterexample_without("uniform direction");
}
KILLS("every pair of directions averages to 1/d", {.squared_cosine = [](auto& q, auto& k) {
        return q.size() > 1 && q[1] == 0 && k[1] == 0 ? Rational(1, 2) : squared_cosine(q, k);
      }});

ASIDE(CosineSimilarity, RefusesAVectorWithoutDirection) {
  expect_refusal<std::domain_error>([&] { subject.squared_cosine({0, 0}, {1, 0}); });
  expect_refusal<std::domain_error>([&] { subject.squared_cosine({1, 0}, {0, 0}); });
  counterexample_without("nonzero vectors");
}
KILLS("a zero vector has cosine 0", {.squared_cosine = [](auto& q, auto& k) {
        return dot_product(q, q) == 0 || dot_product(k, k) == 0 ? Rational(0)
                                                                : squared_cosine(q, k);
      }});

ASIDE(CosineSimilarity, RefusesBoundsWithoutScoresOrRatio) {
  expect_refusal<std::domain_error>([&] { subject.softmax_weight_bounds(0, 2); });
  expect_refusal<std::domain_error>([&] { subject.softmax_weight_bounds(3, Rational(1, 2)); });
}
KILLS("no scores at all are accepted", {.softmax_weight_bounds = [](auto n, auto& r) {
        return n == 0 ? Interval<Rational>{0, 1} : softmax_weight_bounds(n, r);
      }});
KILLS("a ratio below 1 is accepted", {.softmax_weight_bounds = [](auto n, auto& r) {
        return r < 1 ? Interval<Rational>{0, 1} : softmax_weight_bounds(n, r);
      }});

ASIDE(CosineSimilarity, RefusesADimensionOfZero) {
  expect_refusal<std::domain_error>([&] { subject.cosine_moment(0, 2); });
}
KILLS("a dimension of 0 is accepted", {.cosine_moment = [](auto d, unsigned n) {
        return d == 0 ? Rational(0) : cosine_moment(d, n);
      }});

}  // namespace sqrtdk::properties::CosineSimilarity
