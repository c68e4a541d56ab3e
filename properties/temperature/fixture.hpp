// Code shared by the claims of chapter \ref temperature.
#pragma once

#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax/enclosure.hpp>
#include <sqrtdk/softmax_jacobian/mean_norms.hpp>
#include <sqrtdk/temperature.hpp>
#include <sqrtdk/testing/kit.hpp>

#include "properties/temperature/formal.hpp"

#include <boost/math/differentiation/autodiff.hpp>

namespace sqrtdk::properties {
inline namespace chapter_temperature {

using namespace sqrtdk::testing;

namespace autodiff = boost::math::differentiation;

template <class Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
using Index = Eigen::Index;

/// The functions that this chapter's checks call, one of which a mutant replaces.
struct Subject {
  Vector<Rational> (*sharpened)(const Vector<Rational>&, unsigned) = [](const Vector<Rational>& w,
                                                                        unsigned power) {
    return Vector<Rational>(sharpened_weights(w, power));
  };
  std::vector<Interval<Rational>> (*heated)(const std::vector<Rational>&, const Rational&) =
      [](const std::vector<Rational>& scores, const Rational& t) {
        std::vector<Rational> divided;
        for (const Rational& s : scores) divided.push_back(s / t);
        return softmax_enclosure(divided);
      };
  bool (*majorizes)(const Vector<Rational>&, const Vector<Rational>&) =
      [](const Vector<Rational>& p, const Vector<Rational>& q) { return sqrtdk::majorizes(p, q); };
  AttendedScore<Rational> (*attended)(const Vector<Rational>&, const Vector<Rational>&) =
      [](const Vector<Rational>& p, const Vector<Rational>& s) { return attended_score(p, s); };
  Formal (*formal_entropy)(const Vector<Formal>&, const Formal&) =
      [](const Vector<Formal>& s, const Formal& t) { return softmax_entropy(s, t); };
  Formal (*formal_slope)(const Vector<Formal>&, const Formal&) =
      [](const Vector<Formal>& s, const Formal& t) { return entropy_slope(s, t); };
  Wide (*entropy)(const Vector<Wide>&, const Wide&) = [](const Vector<Wide>& s, const Wide& t) {
    return softmax_entropy(s, t);
  };
  Wide (*slope)(const Vector<Wide>&, const Wide&) = [](const Vector<Wide>& s, const Wide& t) {
    return entropy_slope(s, t);
  };
  double (*slope_in_double)(const Vector<double>&, double) = [](const Vector<double>& s, double t) {
    return entropy_slope(s, t);
  };
  double (*entropy_in_double)(const Vector<double>&, double) =
      [](const Vector<double>& s, double t) { return softmax_entropy(s, t); };
  Rational (*share_below_the_ties)(std::size_t, std::size_t,
                                   const Rational&) = sqrtdk::share_below_the_ties;
  Vector<double> (*weights)(const Vector<double>&, double) = [](const Vector<double>& s, double t) {
    return Vector<double>(softmax(s, t));
  };
  std::array<double, 3> (*swept)(std::size_t) = swept_temperatures;
  Matrix<double> (*rows)(const Matrix<double>&, const Vector<double>&) =
      [](const Matrix<double>& s, const Vector<double>& t) {
        return Matrix<double>(softmax_rows(s, t));
      };
  Vector<Rational> (*derivative)(const Vector<Rational>&, const Vector<Rational>&,
                                 const Rational&) =
      [](const Vector<Rational>& p, const Vector<Rational>& s, const Rational& t) {
        return Vector<Rational>(temperature_derivative(p, s, t));
      };
  std::function<Rational(const Vector<Rational>&, const Vector<Rational>&, const Vector<Rational>&,
                         const Rational&)>
      gradient = [](const Vector<Rational>& p, const Vector<Rational>& s, const Vector<Rational>& g,
                    const Rational& t) { return temperature_gradient(p, s, g, t); };
  Rational (*gradient_trace)(const Vector<Rational>&, unsigned) =
      [](const Vector<Rational>& w, unsigned power) { return sqrtdk::gradient_trace(w, power); };
  Rational saturated = saturated_weight;
  Wide (*best_two_key_temperature)() = sqrtdk::best_two_key_temperature<Wide>;
  double (*mean_trace)(std::size_t, double) = [](std::size_t n, double spread) {
    return memoized<mean_jacobian_trace>(n, spread);
  };
};

inline Vector<Rational> integers(const std::vector<int>& entries) {
  Vector<Rational> w(static_cast<Index>(entries.size()));
  for (Index i = 0; i < w.size(); ++i) w[i] = entries[static_cast<std::size_t>(i)];
  return w;
}

/// Exponentials of scores: `fewest` to `most` positive integers, with ties.
inline Vector<Rational> any_exponentials(int most, int fewest = 1) {
  return integers(*rc::gen::mapcat(rc::gen::inRange(fewest, most + 1), [](int n) {
                     return rc::gen::container<std::vector<int>>(
                         static_cast<std::size_t>(n),
                         rc::gen::weightedOneOf<int>(
                             {{4, rc::gen::inRange(1, 10)}, {1, rc::gen::inRange(1, 1000)}}));
                   }).as("exponentials of the scores"));
}

inline Rational power(const Rational& base, unsigned exponent) {
  Rational result = 1;
  for (unsigned i = 0; i < exponent; ++i) result *= base;
  return result;
}

inline rc::Gen<std::vector<int>> small_scores() {
  return rc::gen::mapcat(rc::gen::inRange(1, 6), [](int n) {
    return rc::gen::container<std::vector<int>>(static_cast<std::size_t>(n),
                                                rc::gen::inRange(0, 7));
  });
}

/// The number of largest entries, and the next largest as a part of them (0 if there is none).
inline std::pair<std::size_t, Rational> ties_and_ratio(const Vector<Rational>& w) {
  const Rational largest = w.maxCoeff();
  std::size_t ties = 0;
  Rational next = 0;
  for (const Rational& x : w)
    if (x == largest)
      ++ties;
    else
      next = std::max(next, x);
  return {ties, next / largest};
}

}  // namespace chapter_temperature
}  // namespace sqrtdk::properties
