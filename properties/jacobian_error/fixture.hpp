// Code shared by the claims of chapter \ref jacobian_error.
#pragma once

#include <sqrtdk/jacobian_error.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/softmax_jacobian/mean_norms.hpp>
#include <sqrtdk/softmax_jacobian/norms.hpp>
#include <sqrtdk/temperature.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>

#include "properties/support/vectors.hpp"

namespace sqrtdk::properties {
inline namespace chapter_jacobian_error {

using namespace sqrtdk::testing;

using Eigen::half;

/// A hundred digits, which count as exact; numerical derivatives are taken in fifty.
using Exact = Wider;
template <class Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
using Index = Eigen::Index;

/// The functions that this chapter's checks call, one of which a mutant replaces.
struct Subject {
  Matrix<double> (*jacobian)(const Vector<double>&) = [](const Vector<double>& p) {
    return softmax_jacobian(p);
  };
  Matrix<float> (*jacobian_in_float)(const Vector<float>&) = [](const Vector<float>& p) {
    return softmax_jacobian(p);
  };
  Matrix<Wide> (*jacobian_in_wide)(const Vector<Wide>&) = [](const Vector<Wide>& p) {
    return softmax_jacobian(p);
  };
  double (*jacobian_bound)(const Eigen::VectorXd&, const SoftmaxErrorBound&, Index,
                           Index) = jacobian_error_bound<double>;

  Vector<double> (*backward)(const Vector<double>&, const Vector<double>&) =
      [](const Vector<double>& p, const Vector<double>& g) {
        return Vector<double>(vector_jacobian_product(p, g));
      };
  Vector<float> (*backward_in_float)(const Vector<float>&, const Vector<float>&) =
      [](const Vector<float>& p, const Vector<float>& g) {
        return Vector<float>(vector_jacobian_product(p, g));
      };
  Vector<half> (*backward_in_half)(const Vector<half>&, const Vector<half>&) =
      [](const Vector<half>& p, const Vector<half>& g) {
        return Vector<half>(vector_jacobian_product(p, g));
      };
  Vector<long double> (*backward_in_long_double)(const Vector<long double>&,
                                                 const Vector<long double>&) =
      [](const Vector<long double>& p, const Vector<long double>& g) {
        return Vector<long double>(vector_jacobian_product(p, g));
      };
  Vector<Wide> (*backward_in_wide)(const Vector<Wide>&, const Vector<Wide>&) =
      [](const Vector<Wide>& p, const Vector<Wide>& g) {
        return Vector<Wide>(vector_jacobian_product(p, g));
      };
  Eigen::VectorXd (*backward_bound)(const Vector<double>&, const Vector<double>&) =
      [](const Vector<double>& p, const Vector<double>& g) {
        return vector_jacobian_error_bound(p, g);
      };
  Eigen::VectorXd (*backward_bound_in_float)(const Vector<float>&, const Vector<float>&) =
      [](const Vector<float>& p, const Vector<float>& g) {
        return vector_jacobian_error_bound(p, g);
      };
  Eigen::VectorXd (*backward_bound_in_half)(const Vector<half>&, const Vector<half>&) =
      [](const Vector<half>& p, const Vector<half>& g) {
        return vector_jacobian_error_bound(p, g);
      };

  Eigen::VectorXd (*backward_bound_in_long_double)(const Vector<long double>&,
                                                   const Vector<long double>&) =
      [](const Vector<long double>& p, const Vector<long double>& g) {
        return vector_jacobian_error_bound(p, g);
      };
  Eigen::VectorXd (*backward_bound_in_wide)(const Vector<Wide>&, const Vector<Wide>&) =
      [](const Vector<Wide>& p, const Vector<Wide>& g) {
        return vector_jacobian_error_bound(p, g);
      };

  Vector<float> (*log_backward)(const Vector<float>&, const Vector<float>&) =
      [](const Vector<float>& y, const Vector<float>& g) -> Vector<float> {
    return g - y.unaryExpr([](float x) { return std::exp(x); }) * g.sum();
  };
  Eigen::VectorXd (*log_backward_bound)(const Vector<float>&, const Vector<float>&,
                                        const SoftmaxArithmetic&) =
      [](const Vector<float>& y, const Vector<float>& g, const SoftmaxArithmetic& by) {
        return log_softmax_backward_error_bound(y, g, by);
      };
  Eigen::VectorXd (*declared_backward_bound)(const Vector<float>&, const Vector<float>&,
                                             const SoftmaxArithmetic&) =
      [](const Vector<float>& p, const Vector<float>& g, const SoftmaxArithmetic& by) {
        return vector_jacobian_error_bound(p, g, by);
      };

  double (*entropy)(const Vector<double>&, double) = [](const Vector<double>& s, double t) {
    return softmax_entropy(s, t);
  };
  float (*entropy_in_float)(const Vector<float>&, float) = [](const Vector<float>& s, float t) {
    return softmax_entropy(s, t);
  };
  float (*entropy_of_halves)(const Vector<half>&, float) = [](const Vector<half>& s, float t) {
    return softmax_entropy(s, t);
  };
  double (*entropy_bound)(const Vector<double>&, double, const SoftmaxArithmetic&) =
      [](const Vector<double>& s, double t, const SoftmaxArithmetic& arithmetic) {
        return entropy_error_bound(s, t, arithmetic);
      };

  double (*mean_trace)(std::size_t, double) = [](std::size_t n, double spread) {
    return memoized<mean_jacobian_trace>(n, spread);
  };
  double (*mean_squared_norm)(std::size_t, double) = [](std::size_t n, double spread) {
    return memoized<mean_jacobian_squared_norm>(n, spread);
  };
  double (*mean_attended)(std::size_t, double) = mean_attended_score;
  double (*mean_maximum)(std::size_t) = expected_maximum;
  double (*mean_of_two_keys)(const double&, const double&) = two_key_mean_norm<double>;
  double integral_bound = integral_error_bound;
  double (*two_key_bound)() = two_key_error_bound<double>;

  double (*difference_bound)(double, double, double, double) = central_difference_error_bound;
  double (*complex_bound)(double, double, bool, std::size_t) = [](double p, double q, bool diagonal,
                                                                  std::size_t n) {
    return complex_step_error_bound(p, q, diagonal, n);
  };
};

inline Vector<half> halves(const Vector<float>& x) { return x.cast<half>(); }

template <class Real>
Vector<Exact> exact(const Vector<Real>& x) {
  Vector<Exact> same(x.size());
  for (Index i = 0; i < x.size(); ++i) same[i] = Exact(static_cast<Compute<Real>>(x[i]));
  return same;
}

/// The result on hardware without subnormal numbers.
template <class Real>
Real flushed(Real x) {
  return std::abs(x) < std::numeric_limits<Real>::min() ? Real(0) : x;
}

inline void expect_kept(const Exact& error, double bound,
                        SourceLocation place = SourceLocation::current()) {
  const auto size = static_cast<double>(abs(error));
  evidence().add_value();
  evidence().worst(size, bound);
  expect_at(std::isfinite(bound) && size <= bound,
            "the error is " + format_significant(size, 6) + " and the bound " +
                format_significant(bound, 6),
            place);
}

struct Seen {
  double error = 0;
  double bound = 1;
  bool vacuous = false;
};

inline Seen worse(const Seen& a, const Seen& b) { return ratio_of(b) > ratio_of(a) ? b : a; }

/// Lets an adversary look for an input that breaks a bound in single precision, from a fixed seed;
/// errors are measured in long double.
/// \param space where it looks.
/// \param law   a callable `Seen(const Arrays<float>&)`.
template <class Law>
void expect_no_worst_case(const InputSpace<float>& space, const Law& law) {
  evidence().rests_on(EvidenceLevel::bounded);
  const Search search{.seed = 1, .evaluations = checking_a_mutant() ? 2000U : 20000U};
  const Worst<float> worst = worst_case(space, search, law);
  evidence().add_value();
  EXPECT_LE(worst.ratio, 1) << worst;
  EXPECT_GE(worst.ratio, 0.1) << worst << "\nthe search has found nothing of interest";
  evidence().worst(worst.error, worst.bound);
  record_value("ratio", format_fixed(worst.ratio, 2));
  record_value("evaluations", std::to_string(worst.evaluations));
}

/// Logits whose exponentials neither overflow nor underflow, all multiples of 2^−places.
inline Vector<double> moderate_logits(int places = 80) {
  const auto x =
      *vectors<double>({.shortest = 1, .longest = 12, .entries = {.largest = 30}}).as("logits");
  return vector_of(x).unaryExpr([places](double entry) {
    return std::ldexp(std::round(std::ldexp(entry, places)), -places);
  });
}

}  // namespace chapter_jacobian_error
}  // namespace sqrtdk::properties
