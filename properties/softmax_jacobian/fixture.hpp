// Code shared by the claims of chapter \ref softmax_jacobian.
#pragma once

#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax/enclosure.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/softmax_jacobian/mean_norms.hpp>
#include <sqrtdk/softmax_jacobian/norms.hpp>
#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <boost/math/distributions/normal.hpp>

namespace sqrtdk::properties {
inline namespace chapter_softmax_jacobian {

using namespace sqrtdk::testing;

template <class Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
using Index = Eigen::Index;

inline double spectral_norm_of(const Vector<double>& p) {
  const auto [least, greatest] = jacobian_spectral_norm(p, 1e-7);
  return (least + greatest) / 2;
}

inline double frobenius_norm_of(const Vector<double>& p) {
  return std::sqrt(jacobian_squared_norm(p));
}

/// The functions that this chapter's checks call, one of which a mutant replaces.
struct Subject {
  Matrix<Rational> (*jacobian)(const Vector<Rational>&) = [](const Vector<Rational>& p) {
    return softmax_jacobian(p);
  };
  Vector<Rational> (*weights_after_raise)(const Vector<Rational>&, Index, const Rational&) =
      [](const Vector<Rational>& p, Index j, const Rational& r) {
        return Vector<Rational>(sqrtdk::weights_after_raise(p, j, r));
      };
  Vector<Rational> (*forward)(const Vector<Rational>&, const Vector<Rational>&) =
      [](const Vector<Rational>& p, const Vector<Rational>& v) {
        return Vector<Rational>(jacobian_vector_product(p, v));
      };
  std::function<Vector<Rational>(const Vector<Rational>&, const Vector<Rational>&)> backward =
      [](const Vector<Rational>& p, const Vector<Rational>& g) {
        return Vector<Rational>(vector_jacobian_product(p, g));
      };
  Vector<double> (*backward_in_double)(const Vector<double>&, const Vector<double>&) =
      [](const Vector<double>& p, const Vector<double>& g) {
        return Vector<double>(vector_jacobian_product(p, g));
      };
  Vector<float> (*backward_in_float)(const Vector<float>&, const Vector<float>&) =
      [](const Vector<float>& p, const Vector<float>& g) {
        return Vector<float>(vector_jacobian_product(p, g));
      };
  Vector<Rational> (*diagonal)(const Vector<Rational>&) = [](const Vector<Rational>& p) {
    return Vector<Rational>(jacobian_diagonal(p));
  };
  Rational (*trace)(const Vector<Rational>&) = [](const Vector<Rational>& p) {
    return jacobian_trace(p);
  };
  Rational (*squared_norm)(const Vector<Rational>&) = [](const Vector<Rational>& p) {
    return jacobian_squared_norm(p);
  };
  Interval<Rational> (*norm_bounds)(const Vector<Rational>&) = [](const Vector<Rational>& p) {
    return jacobian_norm_bounds(p);
  };
  Interval<Rational> (*spectral_norm)(const Vector<Rational>&, const Rational&) =
      [](const Vector<Rational>& p, const Rational& width) {
        return jacobian_spectral_norm(p, width);
      };
  JacobianNorms (*norms)(const std::vector<Rational>&, const Rational&) = jacobian_norms;
  JacobianNorms (*norms_by_raw_scores)(const std::vector<Rational>&, const Rational&,
                                       const Rational&) = raw_score_jacobian_norms;
  std::vector<Interval<Rational>> (*enclosed_weights)(const std::vector<Rational>&) =
      softmax_enclosure;
  bool (*surely_majorizes)(const std::vector<Interval<Rational>>&,
                           const std::vector<Interval<Rational>>&) = sqrtdk::surely_majorizes;
  double (*spectral_norm_in_double)(const Vector<double>&) = spectral_norm_of;
  double (*mean_squared_norm)(std::size_t, double) = [](std::size_t n, double spread) {
    return memoized<mean_jacobian_squared_norm>(n, spread);
  };
  Rational (*uniform_norm)(std::size_t) = uniform_jacobian_norm;
  Rational (*peaked_norm)(std::size_t, const Rational&) = peaked_jacobian_norm;
  double (*squared_norm_in_double)(const Vector<double>&) = [](const Vector<double>& p) {
    return jacobian_squared_norm(p);
  };
  double (*frobenius_norm_in_double)(const Vector<double>&) = frobenius_norm_of;
  double (*trace_in_double)(const Vector<double>&) = [](const Vector<double>& p) {
    return jacobian_trace(p);
  };
  Wide (*two_key_norm)(const Wide&, const Wide&) = two_key_gradient_norm<Wide>;
  double (*two_key_mean)(const double&, const double&) = two_key_mean_norm<double>;
  Wide (*two_key_median)(const Wide&, const Wide&) = two_key_median_norm<Wide>;
  Interval<double> (*two_key_mean_bounds)(const double&,
                                          const double&) = sqrtdk::two_key_mean_bounds<double>;
  double (*expected_maximum)(std::size_t) = [](std::size_t n) {
    return memoized<sqrtdk::expected_maximum>(n);
  };
  double (*mean_trace)(std::size_t, double) = [](std::size_t n, double spread) {
    return memoized<mean_jacobian_trace>(n, spread);
  };
  double (*mean_attended)(std::size_t, double) = [](std::size_t n, double spread) {
    return memoized<mean_attended_score>(n, spread);
  };
  Interval<double> (*mean_trace_bounds)(std::size_t, double) = [](std::size_t n, double spread) {
    return memoized<sqrtdk::mean_trace_bounds>(n, spread);
  };
  double (*mean_log_weight)(std::size_t, double) = [](std::size_t n, double spread) {
    return -memoized<mean_log_sum>(static_cast<double>(n), spread);  // E ln p = βE Z − E ln Σ
  };
  Interval<double> (*log_weight_bounds)(std::size_t, double) = [](std::size_t n, double spread) {
    return memoized<mean_log_weight_bounds>(n, spread);
  };
};

inline Vector<Rational> tenths(const std::vector<int>& entries) {
  Vector<Rational> p(static_cast<Index>(entries.size()));
  for (Index i = 0; i < p.size(); ++i) p[i] = Rational(entries[static_cast<std::size_t>(i)], 10);
  return p;
}

/// Exact weights of n keys, with ties, tiny ones and, if wanted, zeros.
inline Vector<Rational> any_weights(int fewest, int most, bool zeros = false) {
  const auto integers = *rc::gen::mapcat(rc::gen::inRange(fewest, most + 1), [=](int n) {
                           return rc::gen::container<std::vector<int>>(
                               static_cast<std::size_t>(n),
                               rc::gen::weightedOneOf<int>({{6, rc::gen::inRange(1, 10)},
                                                            {2, rc::gen::inRange(1, 1000000000)},
                                                            {zeros ? 2U : 0U, rc::gen::just(0)}}));
                         }).as("weights, up to a factor");
  RC_PRE(std::any_of(integers.begin(), integers.end(), [](int w) { return w > 0; }));
  Vector<Rational> w(static_cast<Index>(integers.size()));
  for (Index i = 0; i < w.size(); ++i) w[i] = integers[static_cast<std::size_t>(i)];
  return normalized_weights(w);
}

/// True if a symmetric matrix is positive semidefinite, by exact elimination: no pivot may be
/// negative, and a pivot of 0 needs a row of zeros.
inline bool is_positive_semidefinite(Matrix<Rational> a) {
  for (Index k = 0; k < a.rows(); ++k) {
    if (a(k, k) < 0) return false;
    for (Index i = k + 1; i < a.rows(); ++i) {
      if (a(k, k) == 0) {
        if (a(i, k) != 0) return false;
        continue;
      }
      const Rational factor = a(i, k) / a(k, k);
      for (Index j = k + 1; j < a.rows(); ++j) a(i, j) -= factor * a(k, j);
    }
  }
  return true;
}

inline Index rank(Matrix<Rational> a) {
  Index found = 0;
  for (Index column = 0; column < a.cols(); ++column) {
    Index pivot = found;
    while (pivot < a.rows() && a(pivot, column) == 0) ++pivot;
    if (pivot == a.rows()) continue;
    a.row(found).swap(a.row(pivot));
    for (Index i = found + 1; i < a.rows(); ++i) {
      const Rational factor = a(i, column) / a(found, column);
      for (Index j = column; j < a.cols(); ++j) a(i, j) -= factor * a(found, j);
    }
    ++found;
  }
  return found;
}

inline Matrix<Rational> scalar_matrix(Index n, const Rational& diagonal) {
  return Matrix<Rational>::Identity(n, n) * diagonal;
}

inline Matrix<Rational> diagonal_only(const Vector<Rational>& p) {
  Matrix<Rational> jacobian = softmax_jacobian(p);
  for (Index i = 0; i < p.size(); ++i)
    for (Index j = 0; j < p.size(); ++j)
      if (i != j) jacobian(i, j) = 0;
  return jacobian;
}

// The letters of the page are those of GradientInTheMean: d = 64, spread 8 without scaling, 1 with.
inline constexpr std::size_t key_counts[] = {2, 3, 5, 64, 512, 4096};
inline constexpr double spreads[] = {0.5, 1, 2, 4, 8};

/// The width to which spectral norms are enclosed.
inline const Rational narrow(1, Integer(1) << 40);

/// Publishes a number that an enclosure fixes to so many places.
inline void record_enclosed(const std::string& value, const Interval<Rational>& exact, int places) {
  const std::string text = format_fixed(exact.lower.convert_to<double>(), places);
  const Interval<Rational> number = parse_printed(text);
  EXPECT_EXACTLY((number.lower <= exact.lower && exact.upper <= number.upper))
      << value << " = " << text;
  record_value(value, text);
}

/// The same for the square root of what is enclosed.
inline void record_enclosed_root(const std::string& value, const Interval<Rational>& square,
                                 int places) {
  const std::string text = format_fixed(std::sqrt(square.lower.convert_to<double>()), places);
  const Interval<Rational> number = parse_printed(text);
  EXPECT_EXACTLY(
      (number.lower * number.lower <= square.lower && square.upper <= number.upper * number.upper))
      << value << " = " << text;
  record_value(value, text);
}

inline void record_norms(const std::string& row, const JacobianNorms& norms, int places) {
  record_enclosed(row + "_trace", norms.trace, places);
  record_enclosed_root(row + "_frobenius", norms.squared_frobenius, places);
  record_enclosed(row + "_spectral", norms.spectral, places);
}

struct DrawnWeights {
  Eigen::MatrixXd unscaled, scaled;  // softmax(8Z) and softmax(Z)
};

inline DrawnWeights draw_weights(Index n, std::size_t draws_wanted, Stream& stream) {
  const auto columns = static_cast<Index>(draws_wanted);
  DrawnWeights weights{Eigen::MatrixXd(n, columns), Eigen::MatrixXd(n, columns)};
  Vector<double> z(n);
  for (Index i = 0; i < columns; ++i) {
    for (double& entry : z) entry = draw(boost::math::normal(), stream);
    weights.unscaled.col(i) = softmax(Vector<double>(8 * z));
    weights.scaled.col(i) = softmax(z);
  }
  return weights;
}

}  // namespace chapter_softmax_jacobian
}  // namespace sqrtdk::properties
