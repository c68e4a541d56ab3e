// Code shared by the claims of chapter \ref initialization.
#pragma once

#include <sqrtdk/initialization.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/testing/kit.hpp>

#include <Eigen/Core>
#include <boost/math/distributions/uniform.hpp>

namespace sqrtdk::properties {
inline namespace chapter_initialization {

using namespace sqrtdk::testing;

using Vector = std::vector<Rational>;
using Eigen::half;
using Eigen::MatrixXd;
using Uniform = std::function<double()>;

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

/// The functions that this chapter's checks call, one of which a mutant replaces.
struct Subject {
  Rational (*feature_mean_square)(const Vector&) = sqrtdk::feature_mean_square;
  StandardizedFeatures (*standardize)(const Vector&, const Rational&) = sqrtdk::standardize;
  Rational (*mean_square_after)(const Rational&,
                                const Rational&) = sqrtdk::mean_square_after_layer_norm;
  MatrixXd (*layer_norm)(const MatrixXd&, double) = [](const MatrixXd& rows, double epsilon) {
    return sqrtdk::layer_norm(rows, epsilon);
  };
  double (*layer_norm_error)(std::size_t) = sqrtdk::layer_norm_error<double>;
  Matrix<float> (*layer_norm_in_single)(const Matrix<float>&, float) =
      [](const Matrix<float>& rows, float epsilon) { return sqrtdk::layer_norm(rows, epsilon); };
  Matrix<half> (*layer_norm_in_half)(const Matrix<half>&, half) =
      [](const Matrix<half>& rows, half epsilon) { return sqrtdk::layer_norm(rows, epsilon); };
  Rational (*xavier_variance)(std::size_t, std::size_t) = sqrtdk::xavier_variance;
  Rational (*squared_xavier_limit)(std::size_t, std::size_t) = sqrtdk::squared_xavier_limit;
  Rational (*projected_variance)(const Rational&, std::size_t,
                                 std::size_t) = sqrtdk::projected_variance;
  RationalDistribution (*projection_distribution)(const Vector&, const RationalDistribution&) =
      sqrtdk::projection_distribution;
  MatrixXd (*xavier_uniform)(std::size_t, std::size_t,
                             const Uniform&) = sqrtdk::xavier_uniform<const Uniform&>;
  MatrixXd (*xavier_normal)(std::size_t, std::size_t,
                            const Uniform&) = sqrtdk::xavier_normal<const Uniform&>;
  Moments (*trained_moments)(std::size_t, const Rational&) = sqrtdk::trained_score_moments;
  Rational (*trained_mean_square_left)(std::size_t, const Rational&,
                                       const Rational&) = sqrtdk::trained_mean_square_left;
};

inline rc::Gen<Vector> any_features(std::size_t most = 7) {
  return rc::gen::mapcat(rc::gen::inRange<std::size_t>(1, most + 1), [](std::size_t n) {
    return rc::gen::container<Vector>(n, any_rational());
  });
}

inline rc::Gen<Vector> spread_features(std::size_t most = 7) {
  const auto at_least_two =
      rc::gen::mapcat(rc::gen::inRange<std::size_t>(2, most + 1),
                      [](std::size_t n) { return rc::gen::container<Vector>(n, any_rational()); });
  return rc::gen::suchThat(at_least_two, [](const Vector& x) {
    return std::adjacent_find(x.begin(), x.end(), std::not_equal_to<>()) != x.end();
  });
}

/// The variance over the features, by the chapter on moments.
inline Rational variance_of(const Vector& features) {
  return variance(RationalDistribution::uniform(features));
}

inline const std::string refuses_no_features = "there are 0 features, but at least 1 is needed";
inline const std::string refuses_equal_features =
    "all features are equal and epsilon is 0, but one of the two must not be so";

}  // namespace chapter_initialization
}  // namespace sqrtdk::properties
