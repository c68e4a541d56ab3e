// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref score : the dot product of a query and a key, its mean, variance and size.
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/float_environment.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk {

/// The joint law of one entry of a query and the entry of a key that it meets.
using PairLaw = FiniteDistribution<std::pair<Rational, Rational>>;

/// The dot product q·k = Σqᵢkᵢ, an attention score before scaling.
///
/// Implements \ref WorkedDotProduct.
/// \param q the query, d entries.
/// \param k the key, d entries.
/// \throws std::invalid_argument if the lengths differ; the message names both.
Rational dot_product(const std::vector<Rational>& q, const std::vector<Rational>& k);

/// The law of q·k when all 2d entries are independent: d copies of the law of qᵢkᵢ, convolved.
/// \param q the law of each entry of the query.
/// \param k the law of each entry of the key.
/// \param d the head dimension, at least 1.
/// \throws std::domain_error if d is 0.
RationalLaw dot_product_law(const RationalLaw& q, const RationalLaw& k, std::size_t d);

/// The same law by a second route: every query and every key, each with its probability.
/// \param q the law of each entry of the query, n outcomes.
/// \param k the law of each entry of the key, m outcomes.
/// \param d the head dimension, at least 1; the work is (nm)^d, so for small d only.
/// \throws std::domain_error if d is 0.
RationalLaw dot_product_law_by_enumeration(const RationalLaw& q, const RationalLaw& k,
                                           std::size_t d);

/// A product of powers of the entries, such as q₁²k₁² or q₁k₁q₂k₂.
struct Monomial {
  std::vector<unsigned> q;  ///< the exponents of q₁, …, q_d
  std::vector<unsigned> k;  ///< the exponents of k₁, …, k_d

  /// Whether every exponent is even, so that the monomial is a square of another.
  bool is_square() const;

  /// The number that it is for a query and a key of d entries.
  Rational operator()(const std::vector<Rational>& query, const std::vector<Rational>& key) const;

  /// Equal exponents throughout.
  friend bool operator==(const Monomial&, const Monomial&) = default;
};

/// The product of two monomials in the same variables: exponents add.
Monomial operator*(Monomial a, const Monomial& b);

/// (Σqᵢkᵢ)² multiplied out: each of the d terms times each of the d terms, in order.
///
/// Implements \ref SquareExpansion.
/// \param d the head dimension, at least 1.
/// \return d² monomials.
/// \throws std::domain_error if d is 0.
std::vector<Monomial> expand_square(std::size_t d);

/// How many terms of an expanded square are squares, and how many are cross terms.
struct TermCounts {
  std::size_t squares = 0;  ///< terms qᵢ²kᵢ²
  std::size_t crosses = 0;  ///< terms qᵢkᵢqⱼkⱼ, i ≠ j

  /// Equal counts.
  friend bool operator==(const TermCounts&, const TermCounts&) = default;
};

/// Counts the terms by their exponents.
///
/// Implements \ref SquareExpansion.
/// \param terms monomials, such as those of expand_square().
TermCounts count_terms(const std::vector<Monomial>& terms);

/// E of a monomial when all entries are independent: the product of raw moments of single entries.
/// \param term the monomial.
/// \param q    the law of each entry of the query.
/// \param k    the law of each entry of the key.
Rational term_mean(const Monomial& term, const RationalLaw& q, const RationalLaw& k);

/// E qᵢ²kᵢ² = (σq² + μq²)(σk² + μk²) for independent qᵢ and kᵢ.
///
/// Implements \ref SquareTermMean.
/// \param q moments of an entry of the query.
/// \param k moments of an entry of the key.
Rational square_term_mean(const Moments& q, const Moments& k);

/// E qᵢkᵢqⱼkⱼ = μq²μk² for i ≠ j and independent entries.
///
/// Implements \ref CrossTermMean.
/// \param q moments of an entry of the query.
/// \param k moments of an entry of the key.
Rational cross_term_mean(const Moments& q, const Moments& k);

/// E q·k = d μq μk when qᵢ and kᵢ are independent.
///
/// Implements \ref DotProductMean.
/// \param d the head dimension, at least 1.
/// \param q moments of an entry of the query.
/// \param k moments of an entry of the key.
/// \throws std::domain_error if d is 0.
Rational dot_product_mean(std::size_t d, const Moments& q, const Moments& k);

/// Var q·k = d(σq²σk² + μq²σk² + μk²σq²) when all entries are independent.
///
/// Implements \ref DotProductVariance.
/// \param d the head dimension, at least 1.
/// \param q moments of an entry of the query.
/// \param k moments of an entry of the key.
/// \throws std::domain_error if d is 0.
Rational dot_product_variance(std::size_t d, const Moments& q, const Moments& k);

/// Var q·k = d(1 + μq² + μk²) for independent entries with variance 1 and any means.
///
/// Implements \ref WithoutZeroMean.
/// \param d      the head dimension, at least 1.
/// \param q_mean μq, any number.
/// \param k_mean μk, any number.
/// \throws std::domain_error if d is 0.
Rational dot_product_variance_from_means(std::size_t d, const Rational& q_mean,
                                         const Rational& k_mean);

/// Var q·k = d σq²σk² for independent entries with mean 0 and any variances.
///
/// Implements \ref WithoutUnitVariance.
/// \param d          the head dimension, at least 1.
/// \param q_variance σq², at least 0.
/// \param k_variance σk², at least 0.
/// \throws std::domain_error if d is 0 or a variance is negative.
Rational dot_product_variance_from_variances(std::size_t d, const Rational& q_variance,
                                             const Rational& k_variance);

/// The largest head dimension whose root dot_product_standard_deviation() gives: 2⁵³, up to which
/// every integer is a double.
inline constexpr std::uint64_t largest_exact_dimension = std::uint64_t{1} << 53;

/// The standard deviation √d of q·k for independent entries with mean 0 and variance 1.
///
/// The double nearest to √d: IEEE 754 asks it of the square root, and d itself is a double.
///
/// Implements \ref DotProductStandardDeviation.
/// \param d the head dimension, from 1 to largest_exact_dimension.
/// \throws std::domain_error if d is outside that range.
double dot_product_standard_deviation(std::uint64_t d);

/// E|X|.
/// \param law the law of X.
Rational mean_absolute(const RationalLaw& law);

/// A number r or r/π, with r rational.
struct PiFraction {
  Rational coefficient;  ///< r
  bool over_pi = false;  ///< whether r is divided by π

  /// The same r and the same form; since π is irrational, the same number, 0 and 0/π apart.
  friend bool operator==(const PiFraction&, const PiFraction&) = default;
};

/// Two rational numbers between which a real number lies.
struct Interval {
  Rational low;   ///< at most the number
  Rational high;  ///< at least the number
};

/// π between two rational numbers, by Machin's formula π = 16 arctan(1/5) − 4 arctan(1/239).
Interval pi_bounds();

/// A nonnegative PiFraction between two rational numbers.
Interval bounds(const PiFraction& x);

/// E|q·k| for independent standard normal entries, exactly:
/// 2 Γ((d+1)/2) / (√π Γ(d/2)), rational for even d and rational over π for odd d.
///
/// Implements \ref DotProductGrowsWithDimension.
/// \param d the head dimension, at least 1.
/// \throws std::domain_error if d is 0.
PiFraction normal_mean_absolute(std::size_t d);

/// E|q·k| for independent fair signs, exactly: 2m C(2m, m) / 4^m with m = ⌈d/2⌉.
///
/// Implements \ref DotProductGrowsWithDimension.
/// \param d the head dimension, at least 1.
/// \throws std::domain_error if d is 0.
Rational sign_mean_absolute(std::size_t d);

/// The law of q·k when the d pairs (qᵢ, kᵢ) are independent but the two in a pair need not be.
/// \param pair the joint law of (qᵢ, kᵢ), the same for each i.
/// \param d    the head dimension, at least 1.
/// \throws std::domain_error if d is 0.
RationalLaw paired_dot_product_law(const PairLaw& pair, std::size_t d);

/// E q·k = d E q₁k₁, whatever the dependence within a pair.
///
/// Implements \ref WithoutIndependence.
/// \param d    the head dimension, at least 1.
/// \param pair the joint law of (qᵢ, kᵢ).
/// \throws std::domain_error if d is 0.
Rational paired_dot_product_mean(std::size_t d, const PairLaw& pair);

/// Var q·k = d(E q₁²k₁² − (E q₁k₁)²) for independent pairs, whatever the dependence within a pair.
///
/// Implements \ref WithoutIndependence.
/// \param d    the head dimension, at least 1.
/// \param pair the joint law of (qᵢ, kᵢ).
/// \throws std::domain_error if d is 0.
Rational paired_dot_product_variance(std::size_t d, const PairLaw& pair);

/// Var q·q = d(μ₄ − 1) for independent entries with mean 0 and variance 1.
///
/// Implements \ref WithoutIndependence.
/// \param d             the head dimension, at least 1.
/// \param fourth_moment μ₄ = E q₁⁴, at least 1, since it is at least (E q₁²)².
/// \throws std::domain_error if d is 0 or no such law has this fourth moment.
Rational self_dot_product_variance(std::size_t d, const Rational& fourth_moment);

/// E xᵐyⁿ for standard normal x and y with correlation ρ, jointly normal.
///
/// By Isserlis' theorem: x is paired with another x in m − 1 ways, or with a y in n ways.
/// \param correlation ρ, from −1 to 1.
/// \param m           the power of x.
/// \param n           the power of y.
/// \throws std::domain_error if the correlation is outside its range.
Rational normal_moment(const Rational& correlation, unsigned m, unsigned n);

/// E q·k = dρ for standard normal entries with correlation ρ between qᵢ and kᵢ.
///
/// Implements \ref WithoutIndependence.
/// \param d           the head dimension, at least 1.
/// \param correlation ρ, from −1 to 1.
/// \throws std::domain_error if d is 0 or the correlation is outside its range.
Rational correlated_normal_mean(std::size_t d, const Rational& correlation);

/// Var q·k = d(1 + ρ²) for standard normal entries with correlation ρ between qᵢ and kᵢ.
///
/// Implements \ref WithoutIndependence.
/// \param d           the head dimension, at least 1.
/// \param correlation ρ, from −1 to 1.
/// \throws std::domain_error if d is 0 or the correlation is outside its range.
Rational correlated_normal_variance(std::size_t d, const Rational& correlation);

/// A law with mean 0 and no variance, cut off: ±2ʲ with probability (3/2)4⁻ʲ each for j = 1, …, n,
/// and 0 in place of everything larger.
///
/// Implements \ref WithoutFiniteVariance.
/// \param cutoff n, at least 0: outcomes beyond 2ⁿ become 0.
RationalLaw truncated_heavy_law(unsigned cutoff);

/// The density s / (π(s² + x²)) of a Cauchy law, exactly.
/// \param scale s, above 0.
/// \param x     any number.
/// \throws std::domain_error if the scale is not positive.
PiFraction cauchy_density(const Rational& scale, const Rational& x);

/// The numbers that split 1 / ((a² + y²)(b² + (y − x)²)), a function of y, into
/// (slope·y + at_zero) / (a² + y²) + (−slope·(y − x) + at_x) / (b² + (y − x)²).
struct PartialFractions {
  Rational slope;    ///< the coefficient of y, opposite in the two fractions
  Rational at_zero;  ///< the constant over a² + y²
  Rational at_x;     ///< the constant over b² + (y − x)²
};

/// Splits the integrand of the convolution of two Cauchy densities.
/// \param a the first scale, above 0.
/// \param b the second scale, above 0.
/// \param x where the convolution is wanted; not 0 if a = b, for then two poles are one.
/// \throws std::domain_error if a scale is not positive, or if a = b and x = 0.
PartialFractions cauchy_partial_fractions(const Rational& a, const Rational& b, const Rational& x);

/// The density of the sum of two independent Cauchy variables, by integrating partial fractions.
/// \param a the first scale, above 0.
/// \param b the second scale, above 0.
/// \param x where the density is wanted; not 0 if a = b.
/// \throws std::domain_error as cauchy_partial_fractions().
PiFraction cauchy_sum_density(const Rational& a, const Rational& b, const Rational& x);

/// The scale ‖k‖₁ = Σ|kᵢ| of the Cauchy law of q·k, for a fixed key and independent standard Cauchy
/// entries of the query.
///
/// Implements \ref WithoutFiniteVariance.
/// \param k the key, not all zero.
/// \throws std::domain_error if every entry is 0, for then q·k is 0.
Rational cauchy_score_scale(const std::vector<Rational>& k);

/// Writes `q1^2 k1^2`, the form in which counterexamples are shown.
std::ostream& operator<<(std::ostream& out, const Monomial& term);

/// Writes `3 squares and 6 cross terms`.
std::ostream& operator<<(std::ostream& out, const TermCounts& counts);

/// Writes `3/2` or `4 / pi`.
std::ostream& operator<<(std::ostream& out, const PiFraction& x);

// ------------------------------------------------------------------------------------------------

namespace detail {

inline void require_dimension(std::size_t d) {
  if (d == 0) throw std::domain_error("the dimension is 0, but must be at least 1");
}

inline void require_correlation(const Rational& correlation) {
  if (correlation < -1 || correlation > 1)
    throw std::domain_error("the correlation is " + text(correlation) +
                            ", but must lie between -1 and 1");
}

inline void require_scale(const Rational& scale) {
  if (scale <= 0)
    throw std::domain_error("the scale is " + text(scale) + ", but must be greater than 0");
}

/// The law of d independent draws, as vectors.
inline FiniteDistribution<std::vector<Rational>> draws(const RationalLaw& law, std::size_t d) {
  auto vectors = FiniteDistribution<std::vector<Rational>>::uniform({{}});
  for (std::size_t i = 0; i < d; ++i)
    vectors = independent(vectors, law).image([](const auto& longer) {
      std::vector<Rational> entries = longer.first;
      entries.push_back(longer.second);
      return entries;
    });
  return vectors;
}

/// n! for n at least 0.
inline Integer factorial(std::size_t n) {
  Integer product = 1;
  for (std::size_t i = 2; i <= n; ++i) product *= i;
  return product;
}

inline Rational power(const Rational& x, unsigned n) {
  Rational result = 1;
  for (unsigned i = 0; i < n; ++i) result *= x;
  return result;
}

/// arctan(1/n) between two partial sums of its alternating series Σ(−1)ʲ / ((2j+1)n^(2j+1)).
inline Interval arctan_of_reciprocal(unsigned n, unsigned pairs_of_terms) {
  Interval sums{0, 0};
  Rational term_power(1, n);
  for (unsigned j = 0; j < 2 * pairs_of_terms; ++j) {
    Rational& next = j % 2 == 0 ? sums.high : sums.low;
    const Rational& last = j % 2 == 0 ? sums.low : sums.high;
    const Rational term = term_power / (2 * j + 1);
    next = j % 2 == 0 ? Rational(last + term) : Rational(last - term);
    term_power /= n * n;
  }
  return sums;
}

inline void write_powers(std::ostream& out, const char* variable,
                         const std::vector<unsigned>& exponents, const char*& separator) {
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    if (exponents[i] == 0) continue;
    out << std::exchange(separator, " ") << variable << i + 1;
    if (exponents[i] > 1) out << '^' << exponents[i];
  }
}

}  // namespace detail

//! [WorkedDotProduct]
inline Rational dot_product(const std::vector<Rational>& q, const std::vector<Rational>& k) {
  if (q.size() != k.size())
    throw std::invalid_argument("the query has " + std::to_string(q.size()) +
                                " entries and the key " + std::to_string(k.size()) +
                                ", but a dot product needs as many of each");
  Rational total = 0;
  for (std::size_t i = 0; i < q.size(); ++i) total += q[i] * k[i];
  return total;
}
//! [WorkedDotProduct]

inline RationalLaw dot_product_law(const RationalLaw& q, const RationalLaw& k, std::size_t d) {
  detail::require_dimension(d);
  return sum_of_copies(product(q, k), d);
}

inline RationalLaw dot_product_law_by_enumeration(const RationalLaw& q, const RationalLaw& k,
                                                  std::size_t d) {
  detail::require_dimension(d);
  return independent(detail::draws(q, d), detail::draws(k, d)).image([](const auto& draw) {
    return dot_product(draw.first, draw.second);
  });
}

inline bool Monomial::is_square() const {
  const auto even = [](unsigned exponent) { return exponent % 2 == 0; };
  return std::all_of(q.begin(), q.end(), even) && std::all_of(k.begin(), k.end(), even);
}

inline Rational Monomial::operator()(const std::vector<Rational>& query,
                                     const std::vector<Rational>& key) const {
  Rational value = 1;
  for (std::size_t i = 0; i < q.size(); ++i) value *= detail::power(query.at(i), q[i]);
  for (std::size_t i = 0; i < k.size(); ++i) value *= detail::power(key.at(i), k[i]);
  return value;
}

inline Monomial operator*(Monomial a, const Monomial& b) {
  std::transform(a.q.begin(), a.q.end(), b.q.begin(), a.q.begin(), std::plus<unsigned>());
  std::transform(a.k.begin(), a.k.end(), b.k.begin(), a.k.begin(), std::plus<unsigned>());
  return a;
}

//! [SquareExpansion]
inline std::vector<Monomial> expand_square(std::size_t d) {
  detail::require_dimension(d);
  std::vector<Monomial> sum(d, Monomial{std::vector<unsigned>(d), std::vector<unsigned>(d)});
  for (std::size_t i = 0; i < d; ++i) sum[i].q[i] = sum[i].k[i] = 1;  // the term qᵢkᵢ
  std::vector<Monomial> square;
  square.reserve(d * d);
  for (const Monomial& left : sum)
    for (const Monomial& right : sum) square.push_back(left * right);
  return square;
}

inline TermCounts count_terms(const std::vector<Monomial>& terms) {
  TermCounts counts;
  for (const Monomial& term : terms) ++(term.is_square() ? counts.squares : counts.crosses);
  return counts;
}
//! [SquareExpansion]

inline Rational term_mean(const Monomial& term, const RationalLaw& q, const RationalLaw& k) {
  Rational product = 1;
  for (const unsigned exponent : term.q)
    if (exponent > 0) product *= raw_moment(q, exponent);
  for (const unsigned exponent : term.k)
    if (exponent > 0) product *= raw_moment(k, exponent);
  return product;
}

//! [SquareTermMean]
inline Rational square_term_mean(const Moments& q, const Moments& k) {
  return (q.variance() + q.mean() * q.mean()) *  // E qᵢ²
         (k.variance() + k.mean() * k.mean());   // E kᵢ²
}
//! [SquareTermMean]

//! [CrossTermMean]
inline Rational cross_term_mean(const Moments& q, const Moments& k) {
  return q.mean() * k.mean() * q.mean() * k.mean();
}
//! [CrossTermMean]

//! [DotProductMean]
inline Rational dot_product_mean(std::size_t d, const Moments& q, const Moments& k) {
  detail::require_dimension(d);
  return Rational(d) * product_mean(q, k);
}
//! [DotProductMean]

//! [DotProductVariance]
inline Rational dot_product_variance(std::size_t d, const Moments& q, const Moments& k) {
  detail::require_dimension(d);
  return Rational(d) * product_variance(q, k);  // d(σq²σk² + μq²σk² + μk²σq²)
}
//! [DotProductVariance]

//! [WithoutZeroMean]
inline Rational dot_product_variance_from_means(std::size_t d, const Rational& q_mean,
                                                const Rational& k_mean) {
  detail::require_dimension(d);
  return Rational(d) * (1 + q_mean * q_mean + k_mean * k_mean);
}
//! [WithoutZeroMean]

//! [WithoutUnitVariance]
inline Rational dot_product_variance_from_variances(std::size_t d, const Rational& q_variance,
                                                    const Rational& k_variance) {
  detail::require_dimension(d);
  detail::require_nonnegative_variance(q_variance);
  detail::require_nonnegative_variance(k_variance);
  return Rational(d) * q_variance * k_variance;
}
//! [WithoutUnitVariance]

//! [DotProductStandardDeviation]
inline double dot_product_standard_deviation(std::uint64_t d) {
  if (d == 0 || d > largest_exact_dimension)
    throw std::domain_error("the dimension is " + std::to_string(d) +
                            ", but must lie between 1 and 2^53");
  return std::sqrt(static_cast<double>(d));
}
//! [DotProductStandardDeviation]

inline Rational mean_absolute(const RationalLaw& law) {
  return law.expectation([](const Rational& x) { return Rational(abs(x)); });
}

inline Interval pi_bounds() {
  static const Interval bounds = [] {
    const Interval fifth = detail::arctan_of_reciprocal(5, 8);
    const Interval other = detail::arctan_of_reciprocal(239, 8);
    return Interval{16 * fifth.low - 4 * other.high, 16 * fifth.high - 4 * other.low};
  }();
  return bounds;
}

inline Interval bounds(const PiFraction& x) {
  if (!x.over_pi) return {x.coefficient, x.coefficient};
  return {x.coefficient / pi_bounds().high, x.coefficient / pi_bounds().low};
}

//! [DotProductGrowsWithDimension]
inline PiFraction normal_mean_absolute(std::size_t d) {
  detail::require_dimension(d);
  const std::size_t m = d / 2;
  const Rational integer_gamma(detail::factorial(d % 2 == 0 ? m - 1 : m));  // Γ(m) or Γ(m + 1)
  const Rational half_gamma(detail::factorial(2 * m),
                            detail::factorial(m) << (2 * m));  // Γ(m + ½) / √π
  if (d % 2 == 0) return {2 * half_gamma / integer_gamma, false};
  return {2 * integer_gamma / half_gamma, true};
}

inline Rational sign_mean_absolute(std::size_t d) {
  detail::require_dimension(d);
  const std::size_t m = (d + 1) / 2;
  const Integer central = detail::factorial(2 * m) / (detail::factorial(m) * detail::factorial(m));
  return Rational(2 * m) * Rational(central, Integer(1) << (2 * m));
}
//! [DotProductGrowsWithDimension]

inline RationalLaw paired_dot_product_law(const PairLaw& pair, std::size_t d) {
  detail::require_dimension(d);
  return sum_of_copies(pair.image([](const auto& qk) { return Rational(qk.first * qk.second); }),
                       d);
}

//! [WithoutIndependence]
inline Rational paired_dot_product_mean(std::size_t d, const PairLaw& pair) {
  detail::require_dimension(d);
  return Rational(d) *
         pair.expectation([](const auto& qk) { return Rational(qk.first * qk.second); });
}

inline Rational paired_dot_product_variance(std::size_t d, const PairLaw& pair) {
  detail::require_dimension(d);
  const Rational mean_square = pair.expectation(
      [](const auto& qk) { return Rational(qk.first * qk.first * qk.second * qk.second); });
  return Rational(d) * variance_from_mean_square(paired_dot_product_mean(1, pair), mean_square);
}

inline Rational self_dot_product_variance(std::size_t d, const Rational& fourth_moment) {
  detail::require_dimension(d);
  if (fourth_moment < 1)
    throw std::domain_error("the fourth moment is " + detail::text(fourth_moment) +
                            ", but must be at least 1 for a law with mean square 1");
  return Rational(d) * (fourth_moment - 1);
}

inline Rational normal_moment(const Rational& correlation, unsigned m, unsigned n) {
  detail::require_correlation(correlation);
  if (m == 0 && n == 0) return 1;
  if (m == 0) return normal_moment(correlation, n, m);
  Rational moment = 0;
  if (m > 1) moment += (m - 1) * normal_moment(correlation, m - 2, n);
  if (n > 0) moment += n * correlation * normal_moment(correlation, m - 1, n - 1);
  return moment;
}

inline Rational correlated_normal_mean(std::size_t d, const Rational& correlation) {
  detail::require_dimension(d);
  detail::require_correlation(correlation);
  return Rational(d) * correlation;
}

inline Rational correlated_normal_variance(std::size_t d, const Rational& correlation) {
  detail::require_dimension(d);
  detail::require_correlation(correlation);
  return Rational(d) * (1 + correlation * correlation);
}
//! [WithoutIndependence]

inline PiFraction cauchy_density(const Rational& scale, const Rational& x) {
  detail::require_scale(scale);
  return {scale / (scale * scale + x * x), true};
}

inline PartialFractions cauchy_partial_fractions(const Rational& a, const Rational& b,
                                                 const Rational& x) {
  detail::require_scale(a);
  detail::require_scale(b);
  const Rational outer = x * x + (a + b) * (a + b);
  const Rational inner = x * x + (a - b) * (a - b);
  if (inner == 0)
    throw std::domain_error("both scales are " + detail::text(a) +
                            " and x is 0, but x must not be 0 for equal scales");
  const Rational product = outer * inner;
  return {2 * x / product, (b * b + x * x - a * a) / product, (a * a + x * x - b * b) / product};
}

//! [WithoutFiniteVariance]
inline RationalLaw truncated_heavy_law(unsigned cutoff) {
  std::vector<Rational> outcomes = {0};
  std::vector<Rational> probabilities = {Rational(1, Integer(1) << (2 * cutoff))};
  for (unsigned j = 1; j <= cutoff; ++j)
    for (const int sign : {-1, 1}) {
      outcomes.push_back(sign * Rational(Integer(1) << j));
      probabilities.push_back(Rational(3, Integer(2) << (2 * j)));  // (3/2)4⁻ʲ
    }
  return {outcomes, probabilities};
}

inline PiFraction cauchy_sum_density(const Rational& a, const Rational& b, const Rational& x) {
  const PartialFractions parts = cauchy_partial_fractions(a, b, x);
  // ∫dy/(a² + y²) = π/a and ∫dy/(b² + (y − x)²) = π/b; the logarithms cancel; times ab/π².
  return {b * parts.at_zero + a * parts.at_x, true};
}

inline Rational cauchy_score_scale(const std::vector<Rational>& k) {
  Rational norm = 0;
  for (const Rational& entry : k) norm += abs(entry);
  if (norm == 0)
    throw std::domain_error("every entry of the key is 0, but at least one must not be");
  return norm;
}
//! [WithoutFiniteVariance]

inline std::ostream& operator<<(std::ostream& out, const Monomial& term) {
  const char* separator = "";
  detail::write_powers(out, "q", term.q, separator);
  detail::write_powers(out, "k", term.k, separator);
  return *separator == '\0' ? out << '1' : out;
}

inline std::ostream& operator<<(std::ostream& out, const TermCounts& counts) {
  return out << counts.squares << " squares and " << counts.crosses << " cross terms";
}

inline std::ostream& operator<<(std::ostream& out, const PiFraction& x) {
  return out << x.coefficient << (x.over_pi ? " / pi" : "");
}

}  // namespace sqrtdk
