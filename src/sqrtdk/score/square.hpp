// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref score : the square of a dot product, multiplied out term by term.
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ostream>
#include <utility>
#include <vector>

namespace sqrtdk {

/// A product of powers of the entries, such as q₁²k₁² or q₁k₁q₂k₂.
struct Monomial {
  std::vector<unsigned> q;  ///< the exponents of q₁, …, q_d
  std::vector<unsigned> k;  ///< the exponents of k₁, …, k_d

  /// True if every exponent is even, so that the monomial is a square of another.
  bool is_square() const;

  /// The number that it is for a query and a key of d entries.
  Rational operator()(const std::vector<Rational>& query, const std::vector<Rational>& key) const;

  /// True if each exponent of one is that of the other.
  friend bool operator==(const Monomial&, const Monomial&) = default;
};

/// The product of two monomials in the same variables: exponents add.
/// \relatesalso Monomial
Monomial operator*(Monomial a, const Monomial& b);

/// (Σqᵢkᵢ)² multiplied out: each of the d terms times each of the d terms, in order.
/// \param d the head dimension, at least 1.
/// \return d² monomials.
/// \throws std::domain_error if d is 0.
/// \implements{SquareExpansion}
/// \relatesalso Monomial
std::vector<Monomial> expand_square(std::size_t d);

/// The numbers of squares and of cross terms in an expanded square.
struct TermCounts {
  std::size_t squares = 0;  ///< the number of terms qᵢ²kᵢ²
  std::size_t crosses = 0;  ///< the number of terms qᵢkᵢqⱼkⱼ, i ≠ j

  /// True if both numbers of terms are equal.
  friend bool operator==(const TermCounts&, const TermCounts&) = default;
};

/// Counts the terms by their exponents.
/// \param terms monomials, such as those of expand_square().
/// \implements{SquareExpansion}
/// \relatesalso TermCounts
TermCounts count_terms(const std::vector<Monomial>& terms);

/// E of a monomial when all entries are independent: the product of raw moments of single entries.
/// \param term the monomial.
/// \param q    the distribution of each entry of the query.
/// \param k    the distribution of each entry of the key.
/// \relatesalso Monomial
Rational term_mean(const Monomial& term, const RationalDistribution& q,
                   const RationalDistribution& k);

/// E qᵢ²kᵢ² = (σq² + μq²)(σk² + μk²) for independent qᵢ and kᵢ.
/// \param q moments of an entry of the query.
/// \param k moments of an entry of the key.
/// \implements{SquareTermMean}
/// \relatesalso Moments
Rational square_term_mean(const Moments& q, const Moments& k);

/// E qᵢkᵢqⱼkⱼ = μq²μk² for i ≠ j and independent entries.
/// \param q moments of an entry of the query.
/// \param k moments of an entry of the key.
/// \implements{CrossTermMean}
/// \relatesalso Moments
Rational cross_term_mean(const Moments& q, const Moments& k);

/// Writes `q1^2 k1^2`, the form in which counterexamples are shown.
/// \relatesalso Monomial
std::ostream& operator<<(std::ostream& out, const Monomial& term);

/// Writes `3 squares and 6 cross terms`.
/// \relatesalso TermCounts
std::ostream& operator<<(std::ostream& out, const TermCounts& counts);

// Implementation

namespace detail {

inline void write_powers(std::ostream& out, const char* variable,
                         const std::vector<unsigned>& exponents, const char*& separator) {
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    if (exponents[i] == 0) continue;
    out << std::exchange(separator, " ") << variable << i + 1;
    if (exponents[i] > 1) out << '^' << exponents[i];
  }
}

}  // namespace detail

inline bool Monomial::is_square() const {
  const auto even = [](unsigned exponent) { return exponent % 2 == 0; };
  return std::all_of(q.begin(), q.end(), even) && std::all_of(k.begin(), k.end(), even);
}

inline Rational Monomial::operator()(const std::vector<Rational>& query,
                                     const std::vector<Rational>& key) const {
  Rational value = 1;
  for (std::size_t i = 0; i < q.size(); ++i) value *= integer_power(query.at(i), q[i]);
  for (std::size_t i = 0; i < k.size(); ++i) value *= integer_power(key.at(i), k[i]);
  return value;
}

inline Monomial operator*(Monomial a, const Monomial& b) {
  std::transform(a.q.begin(), a.q.end(), b.q.begin(), a.q.begin(), std::plus<unsigned>());
  std::transform(a.k.begin(), a.k.end(), b.k.begin(), a.k.begin(), std::plus<unsigned>());
  return a;
}

//! [SquareExpansion]
inline std::vector<Monomial> expand_square(std::size_t d) {
  detail::require_at_least("the dimension", d, 1U);
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

inline Rational term_mean(const Monomial& term, const RationalDistribution& q,
                          const RationalDistribution& k) {
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

inline std::ostream& operator<<(std::ostream& out, const Monomial& term) {
  const char* separator = "";
  detail::write_powers(out, "q", term.q, separator);
  detail::write_powers(out, "k", term.k, separator);
  return *separator == '\0' ? out << '1' : out;
}

inline std::ostream& operator<<(std::ostream& out, const TermCounts& counts) {
  return out << counts.squares << " squares and " << counts.crosses << " cross terms";
}

}  // namespace sqrtdk
