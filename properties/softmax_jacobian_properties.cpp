// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/moments.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax_interval.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/softmax_jacobian_means.hpp>
#include <sqrtdk/softmax_jacobian_norms.hpp>
#include <sqrtdk/testing/expect_draws.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/softmax_backward_laws.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/memoized.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/expect_near.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>
#include <sqrtdk/testing/statistics/number_text.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>

#include "properties/softmax_jacobian/wrong_jacobian.hpp"
#include "properties/support/vectors.hpp"

#include <boost/math/differentiation/autodiff.hpp>
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;
namespace autodiff = boost::math::differentiation;

template <class Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
using Index = Eigen::Index;

/// The largest eigenvalue, to seven digits after the point.
double spectral_norm_of(const Vector<double>& p) {
  const auto [least, greatest] = jacobian_spectral_norm(p, 1e-7);
  return (least + greatest) / 2;
}

double frobenius_norm_of(const Vector<double>& p) { return std::sqrt(jacobian_squared_norm(p)); }

/// What this chapter's laws judge.
struct Gradients {
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
  Vector<Rational> (*backward)(const Vector<Rational>&, const Vector<Rational>&) =
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
    return remembered<mean_jacobian_squared_norm>(n, spread);
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
    return remembered<sqrtdk::expected_maximum>(n);
  };
  double (*mean_trace)(std::size_t, double) = [](std::size_t n, double spread) {
    return remembered<mean_jacobian_trace>(n, spread);
  };
  double (*mean_attended)(std::size_t, double) = [](std::size_t n, double spread) {
    return remembered<mean_attended_score>(n, spread);
  };
  Interval<double> (*mean_trace_bounds)(std::size_t, double) = [](std::size_t n, double spread) {
    return remembered<sqrtdk::mean_trace_bounds>(n, spread);
  };
  double (*mean_log_weight)(std::size_t, double) = [](std::size_t n, double spread) {
    return -remembered<mean_log_sum>(static_cast<double>(n), spread);  // E ln p = βE Z − E ln Σ
  };
  Interval<double> (*log_weight_bounds)(std::size_t, double) = [](std::size_t n, double spread) {
    return remembered<mean_log_weight_bounds>(n, spread);
  };
};

using Mutants = std::vector<Mutant<Gradients>>;

Vector<Rational> tenths(const std::vector<int>& entries) {
  Vector<Rational> p(static_cast<Index>(entries.size()));
  for (Index i = 0; i < p.size(); ++i) p[i] = Rational(entries[static_cast<std::size_t>(i)], 10);
  return p;
}

/// Exact weights of n keys, with ties, tiny ones and, if wanted, zeros.
Vector<Rational> any_weights(int fewest, int most, bool zeros = false) {
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

/// Whether a symmetric matrix is positive semidefinite, by exact elimination: no pivot may be
/// negative, and a pivot of 0 needs a row of zeros.
bool is_positive_semidefinite(Matrix<Rational> a) {
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

/// The rank of a matrix, by exact elimination.
Index rank(Matrix<Rational> a) {
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

Matrix<Rational> scalar_matrix(Index n, const Rational& diagonal) {
  return Matrix<Rational>::Identity(n, n) * diagonal;
}

Matrix<Rational> diagonal_only(const Vector<Rational>& p) {
  Matrix<Rational> jacobian = softmax_jacobian(p);
  for (Index i = 0; i < p.size(); ++i)
    for (Index j = 0; j < p.size(); ++j)
      if (i != j) jacobian(i, j) = 0;
  return jacobian;
}

// -------------------------------------------------------------------------------- SoftmaxJacobian

const Mutants softmax_jacobian_mutants = {
    {"δ is forgotten",
     "AFiniteStepIsAMultipleOfAColumnExactly",
     {.jacobian = wrong_jacobian<Rational, 0, 1>}},
    {"a raised logit leaves the sum as it was",
     "AFiniteStepIsAMultipleOfAColumnExactly",
     {.weights_after_raise =
          [](const Vector<Rational>& p, Index j, const Rational& r) {
            const Vector<Rational> raised = weights_after_raise(p, j, r);
            return Vector<Rational>(raised * (1 + p[j] * (r - 1)));
          }}},
    {"the wrong logit is raised",
     "AFiniteStepIsTheSoftmaxOfTheRaisedLogits",
     {.weights_after_raise =
          [](const Vector<Rational>& p, Index j, const Rational& r) {
            return Vector<Rational>(weights_after_raise(p, (j + 1) % p.size(), r));
          }}},
    {"pᵢpⱼ is added",
     "AutomaticDifferentiationOverTheRationalsAgrees",
     {.jacobian = wrong_jacobian<Rational, 1, -1>}},
    {"only the diagonal is filled",
     "AutomaticDifferentiationOverTheRationalsAgrees",
     {.jacobian = diagonal_only}},
    {"the mean is not subtracted",
     "ProductsNeedNoMatrix",
     {.forward = [](const Vector<Rational>& p, const Vector<Rational>& v) -> Vector<Rational> {
       const Vector<Rational> right = jacobian_vector_product(p, v);
       return right + p * p.dot(v);
     }}},
    {"an unweighted mean is subtracted",
     "ProductsNeedNoMatrix",
     {.backward = [](const Vector<Rational>& p, const Vector<Rational>& g) -> Vector<Rational> {
       const Vector<Rational> right = vector_jacobian_product(p, g);
       return right + p * Rational(p.dot(g) - g.sum() / Rational(g.size()));
     }}},
    {"masked logits get a gradient",
     "MaskedLogitsGetNoGradient",
     {.backward_in_double = [](const Vector<double>& p, const Vector<double>& g) -> Vector<double> {
       return vector_jacobian_product(p, g).array() + std::numeric_limits<double>::denorm_min();
     }}},
    {"masked logits get a gradient, in float",
     "MaskedLogitsGetNoGradient",
     {.backward_in_float = [](const Vector<float>& p, const Vector<float>& g) -> Vector<float> {
       return vector_jacobian_product(p, g).array() + std::numeric_limits<float>::denorm_min();
     }}},
    {"a constant leaks through, in float",
     "AConstantCotangentChangesNothing",
     {.backward_in_float = [](const Vector<float>& p, const Vector<float>& g) -> Vector<float> {
       return vector_jacobian_product(p, g) + 1e-3F * g[0] * p;
     }}},
    {"the first entry is taken twice, in float",
     "TheBackwardPassIsSymmetric",
     {.backward_in_float = [](const Vector<float>& p, const Vector<float>& g) -> Vector<float> {
       Vector<float> x = vector_jacobian_product(p, g);
       x[0] *= 2;
       return x;
     }}},
    {"a constant leaks through",
     "AConstantCotangentChangesNothing",
     {.backward_in_double = [](const Vector<double>& p, const Vector<double>& g) -> Vector<double> {
       return vector_jacobian_product(p, g) + 1e-9 * g[0] * p;
     }}},
    {"the first entry is taken twice",
     "TheBackwardPassIsSymmetric",
     {.backward_in_double = [](const Vector<double>& p, const Vector<double>& g) -> Vector<double> {
       Vector<double> x = vector_jacobian_product(p, g);
       x[0] *= 2;
       return x;
     }}},
    {"lengths are not compared",
     "RefusesWhatAreNoWeights",
     {.backward =
          [](const Vector<Rational>& p, const Vector<Rational>& g) {
            return p.size() == g.size() ? Vector<Rational>(vector_jacobian_product(p, g)) : p;
          }}},
    {"negative weights are accepted",
     "RefusesWhatAreNoWeights",
     {.jacobian =
          [](const Vector<Rational>& p) {
            return p.size() > 0 && p.minCoeff() < 0 ? Matrix<Rational>(1, 1) : softmax_jacobian(p);
          }}},
    {"a ratio of 0 is accepted",
     "RefusesWhatAreNoWeights",
     {.weights_after_raise =
          [](const Vector<Rational>& p, Index j, const Rational& r) {
            return r == 0 ? p : Vector<Rational>(weights_after_raise(p, j, r));
          }}},
};

//! [SoftmaxJacobian]
TEST(SoftmaxJacobian, AFiniteStepIsAMultipleOfAColumnExactly) {
  judge(softmax_jacobian_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      const Index j = *rc::gen::inRange<Index>(0, p.size()).as("raised logit");
      const Rational r = abs(*nonzero_rational().as("ratio"));
      // x_j grows by h = ln r; the step of the weights, over (r − 1)/(1 + p_j(r − 1)) instead of h
      const Vector<Rational> step = gradients.weights_after_raise(p, j, r) - p;
      const Rational length = (r - 1) / (1 + p[j] * (r - 1));
      RC_ASSERT(step == length * gradients.jacobian(p).col(j));
    });
  });
}
//! [SoftmaxJacobian]

TEST(SoftmaxJacobian, AFiniteStepIsTheSoftmaxOfTheRaisedLogits) {
  judge(softmax_jacobian_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6);
      const Index j = *rc::gen::inRange<Index>(0, p.size()).as("raised logit");
      const Rational r = abs(*nonzero_rational().as("ratio"));
      Vector<Rational> exponentials = p;
      exponentials[j] *= r;  // e^(x + ln r) = r e^x
      RC_ASSERT(gradients.weights_after_raise(p, j, r) == normalized_weights(exponentials));
    });
  });
}

//! [SoftmaxJacobian: exact check]
TEST(SoftmaxJacobian, AutomaticDifferentiationOverTheRationalsAgrees) {
  judge(softmax_jacobian_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6);
      const Matrix<Rational> jacobian = gradients.jacobian(p);
      for (Index j = 0; j < p.size(); ++j) {
        // e^(x + h) = t e^x with t = e^h, and d/dh = d/dt at h = 0, t = 1
        const auto t = autodiff::make_fvar<Rational, 1>(Rational(1));
        auto sum = t * p[j];
        for (Index i = 0; i < p.size(); ++i)
          if (i != j) sum += p[i];
        for (Index i = 0; i < p.size(); ++i) {
          const auto weight = i == j ? t * p[i] / sum : p[i] / sum;
          RC_ASSERT(jacobian(i, j) == weight.at(1));
        }
      }
    });
  });
}
//! [SoftmaxJacobian: exact check]

TEST(SoftmaxJacobian, ProductsNeedNoMatrix) {
  judge(softmax_jacobian_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      const Vector<Rational> v = any_vector(p.size(), "tangent");
      RC_ASSERT(gradients.forward(p, v) == gradients.jacobian(p) * v);
      RC_ASSERT(gradients.backward(p, v) == gradients.jacobian(p).transpose() * v);
    });
  });
}

TEST(SoftmaxJacobian, MaskedLogitsGetNoGradient) {
  judge(softmax_jacobian_mutants, [](const Gradients& gradients) {
    expect_no_gradient_where_masked<double>(gradients.backward_in_double);
    expect_no_gradient_where_masked<float>(gradients.backward_in_float);
  });
}

TEST(SoftmaxJacobian, AConstantCotangentChangesNothing) {
  judge(softmax_jacobian_mutants, [](const Gradients& gradients) {
    expect_backward_ignores_constants<double>(gradients.backward_in_double);
    expect_backward_ignores_constants<float>(gradients.backward_in_float);
  });
}

TEST(SoftmaxJacobian, TheBackwardPassIsSymmetric) {
  judge(softmax_jacobian_mutants, [](const Gradients& gradients) {
    expect_symmetric_backward<double>(gradients.backward_in_double);
    expect_symmetric_backward<float>(gradients.backward_in_float);
  });
}

TEST(SoftmaxJacobian, RefusesWhatAreNoWeights) {
  judge(softmax_jacobian_mutants, [](const Gradients& gradients) {
    const Vector<Rational> halves = tenths({5, 5});
    EXPECT_THROW(gradients.jacobian(Vector<Rational>()), std::invalid_argument);
    EXPECT_THROW(gradients.jacobian(tenths({-1, 11})), std::domain_error);
    EXPECT_THROW(gradients.jacobian(tenths({11})), std::domain_error);
    EXPECT_THROW(gradients.backward(halves, tenths({1})), std::invalid_argument);
    EXPECT_THROW(gradients.forward(halves, tenths({1})), std::invalid_argument);
    EXPECT_THROW(gradients.weights_after_raise(halves, 2, 1), std::invalid_argument);
    EXPECT_THROW(gradients.weights_after_raise(halves, 0, 0), std::domain_error);
  });
}

// ------------------------------------------------------------------------------ JacobianStructure

const Mutants jacobian_structure_mutants = {
    {"not symmetric",
     "IsSymmetricAndItsRowsSumToZero",
     {.jacobian =
          [](const Vector<Rational>& p) {
            Matrix<Rational> jacobian = softmax_jacobian(p);
            if (p.size() > 1) {
              jacobian(0, 1) += 1;
              jacobian(0, 0) -= 1;
            }
            return jacobian;
          }}},
    {"δ is forgotten",
     "IsSymmetricAndItsRowsSumToZero",
     {.jacobian = wrong_jacobian<Rational, 0, 1>}},
    {"doubled",
     "ItsQuadraticFormIsTheVarianceUnderTheWeights",
     {.jacobian = [](const Vector<Rational>& p) -> Matrix<Rational> {
       return 2 * softmax_jacobian(p);
     }}},
    {"the Jacobian of the uniform law",
     "ItsQuadraticFormIsTheVarianceUnderTheWeights",
     {.jacobian =
          [](const Vector<Rational>& p) {
            return softmax_jacobian(
                Vector<Rational>(Vector<Rational>::Constant(p.size(), Rational(1, p.size()))));
          }}},
    {"only the diagonal", "ItsRankIsOneLessThanTheNumberOfKeys", {.jacobian = diagonal_only}},
    {"1 + Σp²", "TraceAndNormArePowerSums", {.trace = [](const Vector<Rational>& p) -> Rational {
       return 1 + p.squaredNorm();
     }}},
    {"Σp² − 2Σp³ without the square",
     "TraceAndNormArePowerSums",
     {.squared_norm = [](const Vector<Rational>& p) -> Rational {
       return p.squaredNorm() - 2 * p.array().cube().sum();
     }}},
    {"Σp² is dropped",
     "TraceAndNormArePowerSums",
     {.squared_norm = [](const Vector<Rational>& p) -> Rational {
       return jacobian_squared_norm(p) - p.squaredNorm();
     }}},
    {"Σp³ once",
     "TraceAndNormArePowerSums",
     {.squared_norm = [](const Vector<Rational>& p) -> Rational {
       return jacobian_squared_norm(p) + p.array().cube().sum();
     }}},
    {"larger by a tenth",
     "ItsEigenvaluesLieBetweenZeroAndTheBound",
     {.jacobian = [](const Vector<Rational>& p) -> Matrix<Rational> {
       return Rational(11, 10) * softmax_jacobian(p);
     }}},
    {"smaller by a tenth",
     "ItsEigenvaluesLieBetweenZeroAndTheBound",
     {.jacobian = [](const Vector<Rational>& p) -> Matrix<Rational> {
       return Rational(9, 10) * softmax_jacobian(p);
     }}},
    {"doubled where no weight exceeds a quarter",
     "ItsEigenvaluesLieBetweenZeroAndTheBound",
     {.jacobian = [](const Vector<Rational>& p) -> Matrix<Rational> {
       return Rational(p.maxCoeff() <= Rational(1, 4) ? 2 : 1) * softmax_jacobian(p);
     }}},
    {"the third diagonal entry has the other sign",
     "ItsEigenvaluesLieBetweenZeroAndTheBound",
     {.jacobian =
          [](const Vector<Rational>& p) {
            Matrix<Rational> jacobian = softmax_jacobian(p);
            if (p.size() > 2) jacobian(2, 2) *= -1;
            return jacobian;
          }}},
    {"a key of weight 0 has a gradient",
     "AKeyOfWeightZeroEnlargesTheKernel",
     {.jacobian =
          [](const Vector<Rational>& p) {
            Matrix<Rational> jacobian = softmax_jacobian(p);
            for (Index i = 0; i < p.size(); ++i)
              if (p[i] == 0) jacobian(i, i) = 1;
            return jacobian;
          }}},
    {"weights are normalized first",
     "WeightsThatDoNotSumToOneMoveTogether",
     {.jacobian =
          [](const Vector<Rational>& p) { return softmax_jacobian(normalized_weights(p)); }}},
    {"the trace is that of the matrix, whatever the sum of the weights",
     "WeightsThatDoNotSumToOneMoveTogether",
     {.trace = [](const Vector<Rational>& p) -> Rational { return softmax_jacobian(p).trace(); }}},
};

//! [JacobianStructure]
TEST(JacobianStructure, ItsQuadraticFormIsTheVarianceUnderTheWeights) {
  judge(jacobian_structure_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      const Vector<Rational> v = any_vector(p.size(), "direction");
      const RationalDistribution law(std::vector<Rational>(v.begin(), v.end()),
                                     std::vector<Rational>(p.begin(), p.end()));
      RC_ASSERT(v.dot(gradients.jacobian(p) * v) == variance(law));
    });
  });
}
//! [JacobianStructure]

TEST(JacobianStructure, IsSymmetricAndItsRowsSumToZero) {
  judge(jacobian_structure_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      const Matrix<Rational> jacobian = gradients.jacobian(p);
      RC_ASSERT(jacobian == jacobian.transpose());
      for (Index i = 0; i < p.size(); ++i) RC_ASSERT(jacobian.row(i).sum() == 0);
    });
  });
}

//! [JacobianStructure: exact check]
TEST(JacobianStructure, ItsRankIsOneLessThanTheNumberOfKeys) {
  judge(jacobian_structure_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 7);
      // The constants are in the kernel, since rows sum to 0; by its rank there is nothing else.
      RC_ASSERT(rank(gradients.jacobian(p)) == p.size() - 1);
    });
  });
}

TEST(JacobianStructure, ItsEigenvaluesLieBetweenZeroAndTheBound) {
  judge(jacobian_structure_mutants, [](const Gradients& gradients) {
    const auto lie_between = [&](const Vector<Rational>& p) {
      const Matrix<Rational> jacobian = gradients.jacobian(p);
      Rational bound = 0;  // 2 max pᵢ(1 − pᵢ)
      for (const Rational& weight : p) bound = std::max<Rational>(bound, 2 * weight * (1 - weight));
      return is_positive_semidefinite(jacobian) && bound <= Rational(1, 2) &&
             is_positive_semidefinite(scalar_matrix(p.size(), bound) - jacobian);
    };
    for (Index n = 1; n <= 6; ++n)
      EXPECT_TRUE(lie_between(Vector<Rational>::Constant(n, Rational(1, n)))) << n << " equal keys";
    for_all([&] { RC_ASSERT(lie_between(any_weights(1, 6, true))); });
    const Vector<Rational> v = tenths({1, -1});
    EXPECT_EQ(gradients.jacobian(tenths({5, 5})) * v, v / 2) << "1/2 is reached at two halves";
    EXPECT_TRUE(is_positive_semidefinite(scalar_matrix(2, Rational(1, 2)) -
                                         gradients.jacobian(tenths({5, 5}))));
  });
}
//! [JacobianStructure: exact check]

TEST(JacobianStructure, TraceAndNormArePowerSums) {
  judge(jacobian_structure_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      const Matrix<Rational> jacobian = softmax_jacobian(p);
      const Rational second = p.squaredNorm(), third = p.array().cube().sum();
      RC_ASSERT(gradients.trace(p) == jacobian.trace());
      RC_ASSERT(gradients.trace(p) == 1 - second);
      RC_ASSERT(gradients.squared_norm(p) == jacobian.squaredNorm());
      RC_ASSERT(gradients.squared_norm(p) == second - 2 * third + second * second);
    });
  });
}

TEST(JacobianStructure, AKeyOfWeightZeroEnlargesTheKernel) {
  judge(jacobian_structure_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(2, 6, true);
      const Index positive = (p.array() > Rational(0)).count();
      RC_PRE(positive < p.size());
      RC_ASSERT(rank(gradients.jacobian(p)) == positive - 1);
    });
    counterexample_without("positive weights");
  });
}

TEST(JacobianStructure, WeightsThatDoNotSumToOneMoveTogether) {
  judge(jacobian_structure_mutants, [](const Gradients& gradients) {
    const Vector<Rational> p = tenths({3, 2});
    const Matrix<Rational> jacobian = gradients.jacobian(p);
    EXPECT_EQ(jacobian.row(0).sum(), Rational(15, 100));
    EXPECT_EQ(rank(jacobian), 2);
    EXPECT_NE(gradients.trace(p), jacobian.trace());
    counterexample_without("sum one");
  });
}

// -------------------------------------------------------------------------- OneHotJacobianVanishes

const Mutants one_hot_mutants = {
    {"the upper bound is 1 − p_max",
     "TheNormLiesBetweenTheRunnerUpAndTheRest",
     {.norm_bounds =
          [](const Vector<Rational>& p) {
            auto bounds = jacobian_norm_bounds(p);
            bounds.upper = std::min<Rational>(bounds.upper, 1 - p.maxCoeff());
            return bounds;
          }}},
    {"the lower bound is the largest weight",
     "TheNormLiesBetweenTheRunnerUpAndTheRest",
     {.norm_bounds =
          [](const Vector<Rational>& p) {
            return Interval<Rational>{p.maxCoeff(), jacobian_norm_bounds(p).upper};
          }}},
    {"the runner-up is smaller by a millionth",
     "TheBoundsAreTheRunnerUpAndTheSmallerOfTheOtherTwo",
     {.norm_bounds =
          [](const Vector<Rational>& p) {
            auto bounds = jacobian_norm_bounds(p);
            bounds.lower *= Rational(999999, 1000000);
            return bounds;
          }}},
    {"the largest weight is no bound",
     "TheBoundsAreTheRunnerUpAndTheSmallerOfTheOtherTwo",
     {.norm_bounds =
          [](const Vector<Rational>& p) {
            return Interval<Rational>{jacobian_norm_bounds(p).lower, 2 * (1 - p.maxCoeff())};
          }}},
    {"a one-hot gradient is not 0",
     "IsZeroAtOneHotWeightsAndOnlyThere",
     {.jacobian = wrong_jacobian<Rational, 1, 0>}},
    {"every gradient is 0",
     "IsZeroAtOneHotWeightsAndOnlyThere",
     {.jacobian = [](const Vector<Rational>& p) -> Matrix<Rational> {
       return Matrix<Rational>::Zero(p.size(), p.size());
     }}},
    {"the trace is doubled",
     "NormAndTraceVanishWithTheRest",
     {.trace = [](const Vector<Rational>& p) -> Rational { return 2 * jacobian_trace(p); }}},
    {"the squared norm is that of the trace, doubled",
     "NormAndTraceVanishWithTheRest",
     {.squared_norm = [](const Vector<Rational>& p) -> Rational {
       return 2 * jacobian_trace(p) * jacobian_trace(p);
     }}},
    {"δ is forgotten", "TheDocumentsOneHotExample", {.jacobian = wrong_jacobian<Rational, 0, 1>}},
};

//! [OneHotJacobianVanishes]
TEST(OneHotJacobianVanishes, TheNormLiesBetweenTheRunnerUpAndTheRest) {
  judge(one_hot_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(2, 6, true);
      const Matrix<Rational> jacobian = softmax_jacobian(p);
      const auto [least, greatest] = gradients.norm_bounds(p);
      RC_ASSERT(is_positive_semidefinite(scalar_matrix(p.size(), greatest) - jacobian));
      // Stretched along p_s e_f − p_f e_s, where f is the first key and s the second, by `least`
      // or more.
      Index f = 0, s = 0;
      p.maxCoeff(&f);
      for (Index i = 0; i < p.size(); ++i)
        if (i != f && (s == f || p[i] > p[s])) s = i;
      Vector<Rational> v = Vector<Rational>::Zero(p.size());
      v[f] = p[s];
      v[s] = -p[f];
      RC_ASSERT(v.dot(jacobian * v) >= least * v.squaredNorm());
    });
  });
}
//! [OneHotJacobianVanishes]

TEST(OneHotJacobianVanishes, TheBoundsAreTheRunnerUpAndTheSmallerOfTheOtherTwo) {
  judge(one_hot_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      std::vector<Rational> sorted(p.begin(), p.end());
      std::sort(sorted.rbegin(), sorted.rend());
      const auto [least, greatest] = gradients.norm_bounds(p);
      RC_ASSERT(least == (p.size() == 1 ? Rational(0) : sorted[1]));
      RC_ASSERT(greatest == std::min<Rational>(sorted[0], 2 * (1 - sorted[0])));
    });
  });
}

TEST(OneHotJacobianVanishes, IsZeroAtOneHotWeightsAndOnlyThere) {
  judge(one_hot_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 4, true);
      const bool one_hot = p.maxCoeff() == 1;
      RC_ASSERT((gradients.jacobian(p).squaredNorm() == 0) == one_hot);
    });
    for (Index n = 1; n <= 8; ++n)
      for (Index hot = 0; hot < n; ++hot)
        EXPECT_EQ(gradients.jacobian(Vector<Rational>::Unit(n, hot)).squaredNorm(), 0);
    enumerated(36);
  });
}

TEST(OneHotJacobianVanishes, NormAndTraceVanishWithTheRest) {
  judge(one_hot_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      const Rational trace = gradients.trace(p);
      RC_ASSERT(gradients.squared_norm(p) <= trace * trace);
      RC_ASSERT(trace <= 2 * (1 - p.maxCoeff()));
    });
  });
}

TEST(OneHotJacobianVanishes, TheDocumentsOneHotExample) {
  judge(one_hot_mutants, [](const Gradients& gradients) {
    const Matrix<Rational> jacobian = gradients.jacobian(tenths({10, 0, 0}));
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 3; ++j) EXPECT_EQ(jacobian(i, j), 0);
    for (Index i = 0; i < 3; ++i) expect_printed("S3", "0", jacobian(i, i));
    enumerated(9);
  });
}

// ------------------------------------------------------------------------- ModerateJacobianExample

const Vector<Rational> moderate = tenths({3, 3, 2, 2});

const Mutants moderate_mutants = {
    {"the weights themselves",
     "TheDocumentsNumbersAreTheDiagonal",
     {.diagonal = [](const Vector<Rational>& p) { return p; }}},
    {"squared weights",
     "TheDocumentsNumbersAreTheDiagonal",
     {.diagonal = [](const Vector<Rational>& p) -> Vector<Rational> { return p.cwiseAbs2(); }}},
    {"the entries beside the diagonal",
     "TheDiagonalIsThatOfTheMatrix",
     {.diagonal = [](const Vector<Rational>& p) -> Vector<Rational> {
       if (p.size() == 0) throw std::invalid_argument("no weights");
       const Vector<Rational> right = jacobian_diagonal(p);
       return p.size() == 4 ? right : Vector<Rational>(right - p.cwiseAbs2());
     }}},
    {"no weights are accepted",
     "TheDiagonalIsThatOfTheMatrix",
     {.diagonal =
          [](const Vector<Rational>& p) {
            return p.size() == 0 ? p : Vector<Rational>(jacobian_diagonal(p));
          }}},
    {"only the diagonal", "OffTheDiagonalStandsAsMuchAgain", {.jacobian = diagonal_only}},
    {"pᵢpⱼ is added",
     "OffTheDiagonalStandsAsMuchAgain",
     {.jacobian = wrong_jacobian<Rational, 1, -1>}},
    {"the last row is lost",
     "ItsEigenvaluesAreRational",
     {.jacobian =
          [](const Vector<Rational>& p) {
            Matrix<Rational> jacobian = softmax_jacobian(p);
            jacobian.row(p.size() - 1).setZero();
            return jacobian;
          }}},
};

//! [ModerateJacobianExample]
TEST(ModerateJacobianExample, TheDocumentsNumbersAreTheDiagonal) {
  judge(moderate_mutants, [](const Gradients& gradients) {
    const Vector<Rational> diagonal = gradients.diagonal(moderate);
    expect_printed("S3", "0.21", diagonal[0]);
    expect_printed("S3", "0.21", diagonal[1]);
    expect_printed("S3", "0.16", diagonal[2]);
    expect_printed("S3", "0.16", diagonal[3]);
    enumerated(1);
  });
}

TEST(ModerateJacobianExample, TheDiagonalIsThatOfTheMatrix) {
  judge(moderate_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      RC_ASSERT(gradients.diagonal(p) == Vector<Rational>(softmax_jacobian(p).diagonal()));
    });
    EXPECT_THROW(gradients.diagonal(Vector<Rational>()), std::invalid_argument);
    EXPECT_THROW(gradients.diagonal(tenths({-1, 11})), std::domain_error);
  });
}

TEST(ModerateJacobianExample, OffTheDiagonalStandsAsMuchAgain) {
  judge(moderate_mutants, [](const Gradients& gradients) {
    Matrix<Rational> hundredths(4, 4);
    hundredths << 21, -9, -6, -6,  //
        -9, 21, -6, -6,            //
        -6, -6, 16, -4,            //
        -6, -6, -4, 16;
    const Matrix<Rational> jacobian = gradients.jacobian(moderate);
    EXPECT_EQ(jacobian, hundredths / 100);
    for (Index i = 0; i < 4; ++i)
      EXPECT_EQ(jacobian.row(i).cwiseAbs().sum() - jacobian(i, i), jacobian(i, i));
    enumerated(1);
    counterexample_without("diagonal");
    left_out_by("S3", "diagonal");
  });
}
//! [ModerateJacobianExample]

TEST(ModerateJacobianExample, ItsEigenvaluesAreRational) {
  judge(moderate_mutants, [](const Gradients& gradients) {
    const Matrix<Rational> jacobian = gradients.jacobian(moderate);
    const auto expect_eigenvector = [&](const Vector<Rational>& v, const Rational& value) {
      EXPECT_EQ(jacobian * v, value * v) << "eigenvalue " << value;
    };
    expect_eigenvector(tenths({1, -1, 0, 0}), Rational(3, 10));
    expect_eigenvector(tenths({1, 1, -1, -1}), Rational(24, 100));
    expect_eigenvector(tenths({0, 0, 1, -1}), Rational(2, 10));
    expect_eigenvector(tenths({1, 1, 1, 1}), 0);
    enumerated(4);
  });
}

// ----------------------------------------------------------------------------- PeakedVersusUniform

Vector<Rational> uniform_weights(Index n) { return Vector<Rational>::Constant(n, Rational(1, n)); }

/// One weight 1 − ε, and how the others share ε.
Vector<Rational> peaked_weights(Index n, const Rational& rest, const Vector<Rational>& shares) {
  Vector<Rational> p(n);
  p << 1 - rest, rest * shares;
  return p;
}

/// One weight 1 − ε, the others equal.
Vector<Rational> peaked_weights(Index n, const Rational& rest) {
  return peaked_weights(n, rest, uniform_weights(n - 1));
}

/// The first logit raised and all others lowered alike, without a change of their sum.
Vector<Rational> against_all_others(Index n) {
  Vector<Rational> v = Vector<Rational>::Constant(n, Rational(-1, n - 1));
  v[0] = 1;
  return v;
}

const Mutants peaked_mutants = {
    {"(n − 1)/n",
     "AtUniformWeightsItIsAProjectionOverN",
     {.uniform_norm = [](std::size_t n) -> Rational { return Rational(n - 1) / Rational(n); }}},
    {"1/(n − 1)",
     "AtUniformWeightsItIsAProjectionOverN",
     {.uniform_norm = [](std::size_t n) -> Rational { return Rational(1) / Rational(n - 1); }}},
    {"δ is forgotten",
     "AtUniformWeightsItIsAProjectionOverN",
     {.jacobian = wrong_jacobian<Rational, 0, 1>}},
    {"1/(4n)",
     "AmongFewKeysTheUniformGradientIsLarger",
     {.uniform_norm = [](std::size_t n) -> Rational { return Rational(1) / Rational(4 * n); }}},
    {"larger by a tenth",
     "NoSharingExceedsASingleRival",
     {.jacobian = [](const Vector<Rational>& p) -> Matrix<Rational> {
       return Rational(11, 10) * softmax_jacobian(p);
     }}},
    {"only the diagonal is filled", "NoSharingExceedsASingleRival", {.jacobian = diagonal_only}},
    {"ε(1 − ε)",
     "OverEqualRivalsThePeakIsAnEigenvector",
     {.peaked_norm = [](std::size_t, const Rational& rest) -> Rational {
       return rest * (1 - rest);
     }}},
    {"2ε(1 − ε), the norm for a single rival",
     "OverEqualRivalsThePeakIsAnEigenvector",
     {.peaked_norm = [](std::size_t, const Rational& rest) -> Rational {
       return 2 * rest * (1 - rest);
     }}},
    {"ε² more",
     "OverEqualRivalsTheyAreEqualAtOneOverEpsilon",
     {.peaked_norm = [](std::size_t n, const Rational& rest) -> Rational {
       return peaked_jacobian_norm(n, rest) + rest * rest;
     }}},
    {"the square of the peak",
     "OverEqualRivalsTheyAreEqualAtOneOverEpsilon",
     {.peaked_norm = [](std::size_t n, const Rational& rest) -> Rational {
       return peaked_jacobian_norm(n, rest) * (1 - rest);
     }}},
    {"any part may be left for the others",
     "RefusesWhatHasNoPeak",
     {.peaked_norm = [](std::size_t n, const Rational& rest) -> Rational {
       return rest * (1 - rest) * Rational(n) / Rational(n - 1);
     }}},
    {"(n + 1)/n in the place of n/(n − 1)",
     "AmongManyKeysAPeakedGradientIsLarger",
     {.peaked_norm = [](std::size_t n, const Rational& rest) -> Rational {
       return rest * (1 - rest) * Rational(n + 1) / Rational(n);
     }}},
    {"a constant",
     "AmongManyKeysAPeakedGradientIsLarger",
     {.uniform_norm = [](std::size_t) { return Rational(1, 2); }}},
    {"no upper bound is below 1",
     "TheLargestNormIsAtTwoEqualHalves",
     {.norm_bounds =
          [](const Vector<Rational>& p) {
            return Interval<Rational>{p.maxCoeff(), Rational(1)};
          }}},
    {"the trace is the spectral norm of a peak over equal rivals",
     "InTheTraceNormNothingExceedsUniform",
     {.trace = [](const Vector<Rational>& p) -> Rational {
       return peaked_jacobian_norm(static_cast<std::size_t>(p.size()), 1 - p.maxCoeff());
     }}},
    {"a single key has a gradient",
     "RefusesWhatHasNoPeak",
     {.uniform_norm =
          [](std::size_t n) { return n < 2 ? Rational(1) : uniform_jacobian_norm(n); }}},
};

//! [PeakedVersusUniform]
TEST(PeakedVersusUniform, AtUniformWeightsItIsAProjectionOverN) {
  judge(peaked_mutants, [](const Gradients& gradients) {
    for (Index n = 2; n <= 12; ++n) {
      const Matrix<Rational> jacobian = gradients.jacobian(uniform_weights(n));
      const Rational norm = gradients.uniform_norm(static_cast<std::size_t>(n));
      // P = J/norm is a projection other than 0, so that its norm is 1.
      EXPECT_EQ(jacobian * jacobian, norm * jacobian) << "n = " << n;
      EXPECT_EQ(jacobian.trace(), norm * Rational(n - 1)) << "n = " << n;
      EXPECT_EQ(rank(jacobian), n - 1) << "n = " << n;
    }
    enumerated(11);
  });
}
//! [PeakedVersusUniform]

TEST(PeakedVersusUniform, AmongFewKeysTheUniformGradientIsLarger) {
  judge(peaked_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const int n = *rc::gen::inRange(2, 9).as("n");
      // The largest thousandth with n ≤ 1/(2ε(1 − ε)), or less.
      int most = 500;
      while (2 * n * most * (1000 - most) > 1000 * 1000) --most;
      const Rational rest(*rc::gen::inRange(1, most + 1).as("thousandths"), 1000);
      const Matrix<Rational> jacobian =
          gradients.jacobian(peaked_weights(n, rest, any_weights(n - 1, n - 1, true)));
      const Rational least = gradients.uniform_norm(static_cast<std::size_t>(n));
      RC_ASSERT(is_positive_semidefinite(scalar_matrix(n, least) - jacobian));
    });
  });
}

TEST(PeakedVersusUniform, NoSharingExceedsASingleRival) {
  judge(peaked_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const int n = *rc::gen::inRange(2, 9).as("n");
      const Rational rest(*rc::gen::inRange(1, 501).as("thousandths"), 1000);
      const Rational norm = 2 * rest * (1 - rest);
      const auto shares = any_weights(n - 1, n - 1, true);
      RC_ASSERT(is_positive_semidefinite(scalar_matrix(n, norm) -
                                         gradients.jacobian(peaked_weights(n, rest, shares))));
      Vector<Rational> v = Vector<Rational>::Unit(n, 0);
      v[1] = -1;
      const Vector<Rational> alone = Vector<Rational>::Unit(n - 1, 0);
      RC_ASSERT(gradients.jacobian(peaked_weights(n, rest, alone)) * v == norm * v);
    });
  });
}

TEST(PeakedVersusUniform, OverEqualRivalsThePeakIsAnEigenvector) {
  judge(peaked_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Index n = *rc::gen::inRange<Index>(2, 12).as("n");
      const Rational rest =
          (1 - Rational(1, n)) * Rational(*rc::gen::inRange(0, 101).as("percent"), 100);
      const Rational norm = gradients.peaked_norm(static_cast<std::size_t>(n), rest);
      const Matrix<Rational> jacobian = gradients.jacobian(peaked_weights(n, rest));
      const Vector<Rational> v = against_all_others(n);
      RC_ASSERT(jacobian * v == norm * v);
      // The other eigenvalues are 0, and n − 2 times ε/(n − 1): the trace is what all sum to.
      const Rational other = rest / Rational(n - 1);
      RC_ASSERT(jacobian.trace() == norm + Rational(n - 2) * other);
      RC_ASSERT(norm >= other);
    });
  });
}

TEST(PeakedVersusUniform, OverEqualRivalsTheyAreEqualAtOneOverEpsilon) {
  judge(peaked_mutants, [](const Gradients& gradients) {
    for (int one_over_rest = 2; one_over_rest <= 40; ++one_over_rest)
      for (int n = 2; n <= 60; ++n) {
        const auto count = static_cast<std::size_t>(n);
        const Rational less = gradients.uniform_norm(count) -
                              gradients.peaked_norm(count, Rational(1, one_over_rest));
        EXPECT_EQ(less.sign(), Rational(one_over_rest - n).sign())
            << n << " keys, one of them with all but 1/" << one_over_rest;
      }
    enumerated(39 * 59);
  });
}

TEST(PeakedVersusUniform, AmongManyKeysAPeakedGradientIsLarger) {
  judge(peaked_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Rational rest(*rc::gen::inRange(50, 501).as("thousandths"), 1000);
      // The fewest keys with n > 1/ε, or some more, whose others share ε in any way.
      const Rational fewest = 1 / rest;
      const Index n = (numerator(fewest) / denominator(fewest)).convert_to<Index>() + 1 +
                      *rc::gen::inRange<Index>(0, 9).as("more keys");
      const auto others = static_cast<int>(n) - 1;
      const Vector<Rational> p = peaked_weights(n, rest, any_weights(others, others, true));
      const Vector<Rational> v = against_all_others(n);
      const Rational stretched = v.dot(softmax_jacobian(p) * v) / v.squaredNorm();
      RC_ASSERT(stretched == gradients.peaked_norm(static_cast<std::size_t>(n), rest));
      RC_ASSERT(stretched > gradients.uniform_norm(static_cast<std::size_t>(n)));
    });
    const Rational times =
        gradients.peaked_norm(512, Rational(1, 100)) / gradients.uniform_norm(512);
    EXPECT_GT(times, 5);
    publish("times", digits(static_cast<double>(times), 3));
    counterexample_without("few keys");
    sharpens("S3", "few keys");
  });
}

TEST(PeakedVersusUniform, InTheTraceNormNothingExceedsUniform) {
  judge(peaked_mutants, [](const Gradients& gradients) {
    const auto is_less = [&](const Vector<Rational>& p) {
      return gradients.trace(p) < gradients.trace(uniform_weights(p.size()));
    };
    for_all([&] {
      const Vector<Rational> p = any_weights(2, 6, true);
      RC_ASSERT(is_less(p) == (p.minCoeff() != p.maxCoeff()));
      RC_ASSERT(gradients.trace(uniform_weights(p.size())) == 1 - Rational(1, p.size()));
    });
    // One key of 512 with all but a hundredth: the example in which the spectral norm reverses.
    const bool holds = is_less(peaked_weights(512, Rational(1, 100)));
    expect_confirmed("S3", "moderate", holds);
    publish("peaked",
            digits(gradients.trace(peaked_weights(512, Rational(1, 100))).convert_to<double>(), 2));
    publish("uniform", digits(gradients.trace(uniform_weights(512)).convert_to<double>(), 3));
  });
}

TEST(PeakedVersusUniform, TheLargestNormIsAtTwoEqualHalves) {
  judge(peaked_mutants, [](const Gradients& gradients) {
    for (Index n = 2; n <= 8; ++n) {
      Vector<Rational> halves = Vector<Rational>::Zero(n);
      halves[0] = halves[n - 1] = Rational(1, 2);
      EXPECT_EQ(gradients.norm_bounds(halves).lower, Rational(1, 2));
      EXPECT_EQ(gradients.norm_bounds(halves).upper, Rational(1, 2));
    }
    enumerated(7);
  });
}

TEST(PeakedVersusUniform, RefusesWhatHasNoPeak) {
  judge(peaked_mutants, [](const Gradients& gradients) {
    EXPECT_THROW(gradients.uniform_norm(1), std::domain_error);
    EXPECT_THROW(gradients.peaked_norm(1, 0), std::domain_error);
    EXPECT_THROW(gradients.peaked_norm(4, Rational(-1, 100)), std::domain_error);
    EXPECT_THROW(gradients.peaked_norm(4, Rational(76, 100)), std::domain_error);
  });
}

// --------------------------------------------------------------------------------------- WhichNorm

// The letters of the page are those of GradientInTheMean: d = 64, spread 8 without scaling, 1 with.
constexpr std::size_t key_counts[] = {2, 3, 5, 64, 512, 4096};
constexpr double spreads[] = {0.5, 1, 2, 4, 8};

/// The five scores of S3, before they are divided by 8 and after it, and as it prints these.
const std::vector<Rational> five_scores = {Rational(92, 10), Rational(-31, 10), Rational(88, 10),
                                           Rational(-54, 10), Rational(12, 10)};
const std::vector<Rational> five_scores_divided = {
    Rational(92, 80), Rational(-31, 80), Rational(88, 80), Rational(-54, 80), Rational(12, 80)};
const std::vector<Rational> five_scores_printed = {Rational(115, 100), Rational(-39, 100),
                                                   Rational(110, 100), Rational(-68, 100),
                                                   Rational(15, 100)};

/// How finely spectral norms are enclosed.
const Rational narrow(1, Integer(1) << 40);
const Rational coarse(1, 1024);

/// Publishes a number that an enclosure fixes to so many places.
void publish_enclosed(const std::string& value, const Interval<Rational>& exact, int places) {
  const std::string text = fixed(exact.lower.convert_to<double>(), places);
  const PrintedNumber number = parse_printed(text);
  EXPECT_TRUE(number.low <= exact.lower && exact.upper <= number.high) << value << " = " << text;
  publish(value, text);
}

/// The same for the square root of what is enclosed.
void publish_enclosed_root(const std::string& value, const Interval<Rational>& square, int places) {
  const std::string text = fixed(std::sqrt(square.lower.convert_to<double>()), places);
  const PrintedNumber number = parse_printed(text);
  EXPECT_TRUE(number.low * number.low <= square.lower && square.upper <= number.high * number.high)
      << value << " = " << text;
  publish(value, text);
}

void publish_norms(const std::string& row, const JacobianNorms& norms, int places) {
  publish_enclosed(row + "_trace", norms.trace, places);
  publish_enclosed_root(row + "_frobenius", norms.squared_frobenius, places);
  publish_enclosed(row + "_spectral", norms.spectral, places);
}

/// Expects enclosures to hold the norms of a matrix of fifty digits, whose largest eigenvalue is
/// found by multiplying a vector with it again and again.
void expect_norms_of_matrix(const JacobianNorms& norms, const std::vector<Rational>& logits) {
  Vector<Wide> x(static_cast<Index>(logits.size()));
  for (Index i = 0; i < x.size(); ++i)
    x[i] = static_cast<Wide>(logits[static_cast<std::size_t>(i)]);
  const Matrix<Wide> jacobian = softmax_jacobian(softmax(x));
  Vector<Wide> v = jacobian.col(0);
  for (int i = 0; i < 400; ++i) v = Vector<Wide>(jacobian * v) / sqrt(v.squaredNorm());
  const Wide stretched = sqrt(v.squaredNorm());
  const auto expect_held = [](const Interval<Rational>& exact, const Wide& value,
                              const char* what) {
    EXPECT_LE(static_cast<Wide>(exact.lower) - Wide(1e-30), value) << what;
    EXPECT_LE(value, static_cast<Wide>(exact.upper) + Wide(1e-30)) << what;
  };
  expect_held(norms.trace, jacobian.trace(), "trace");
  expect_held(norms.squared_frobenius, jacobian.squaredNorm(), "squared Frobenius norm");
  expect_held(norms.spectral, stretched, "spectral norm");
}

double mean_cubes(std::size_t n, double spread) { return key_integrals(n, spread).cubes; }

/// E‖J‖² for two or three scores of spread β by the trapezoidal rule in the scores themselves,
/// which leaves out the mean of the scores: it shares nothing with mean_jacobian_squared_norm().
double mean_square_by_scores(std::size_t n, double spread) {
  const double h = n == 2 ? 1.0 / 64 : 1.0 / 8;
  const int reach = static_cast<int>(9 / h);
  const auto at = [&](int a, int b) {
    const double x = a * h, y = b * h;
    Vector<double> z(static_cast<Index>(n));
    // Orthogonal directions without a mean: (1, −1)/√2, and (1, −1, 0)/√2, (1, 1, −2)/√6.
    if (n == 2)
      z << x / std::sqrt(2), -x / std::sqrt(2);
    else
      z << x / std::sqrt(2) + y / std::sqrt(6), -x / std::sqrt(2) + y / std::sqrt(6),
          -2 * y / std::sqrt(6);
    const double norm = frobenius_norm_of(softmax(Vector<double>(spread * z)));
    return norm * norm * std::exp(-(x * x + y * y) / 2);
  };
  const double root = std::sqrt(boost::math::constants::two_pi<double>());
  double sum = 0;
  for (int a = -reach; a <= reach; ++a)
    for (int b = n == 2 ? 0 : -reach; b <= (n == 2 ? 0 : reach); ++b) sum += at(a, b);
  return n == 2 ? sum * h / root : sum * h * h / (root * root);
}

const Mutants which_norm_mutants = {
    {"the trace is that of equal weights",
     "BySoftmaxsOwnInputItIsLargerForAnyScores",
     {.trace = [](const Vector<Rational>& p) -> Rational { return 1 - Rational(1, p.size()); }}},
    {"the largest diagonal entry is the spectral norm",
     "TheSpectralNormIsTheLargestEigenvalue",
     {.spectral_norm = [](const Vector<Rational>& p, const Rational&) -> Interval<Rational> {
       const Rational top = p.maxCoeff() * (1 - p.maxCoeff());
       return {top, top};
     }}},
    {"the runner-up's weight is the spectral norm",
     "TheSpectralNormIsTheLargestEigenvalue",
     {.spectral_norm = [](const Vector<Rational>& p, const Rational&) -> Interval<Rational> {
       const Rational second = jacobian_norm_bounds(p).lower;
       return {second, second};
     }}},
    {"the spectral norm is halved",
     "FrobeniusAndSpectralNormGoEitherWay",
     {.spectral_norm =
          [](const Vector<Rational>& p, const Rational& width) {
            const auto right = jacobian_spectral_norm(p, width);
            return Interval<Rational>{right.lower / 2, right.upper / 2};
          }}},
    {"2Σp³ is added",
     "TheNormsHoldEachOther",
     {.squared_norm = [](const Vector<Rational>& p) -> Rational {
       return jacobian_squared_norm(p) + 4 * p.array().cube().sum();
     }}},
    {"Σp² alone",
     "TheNormsHoldEachOther",
     {.squared_norm = [](const Vector<Rational>& p) -> Rational { return p.squaredNorm(); }}},
    {"Σp³ in the place of (Σp²)², for given scores",
     "TheFiveScoresInThreeNorms",
     {.norms =
          [](const std::vector<Rational>& x, const Rational& width) {
            JacobianNorms norms = jacobian_norms(x, width);
            Rational square = 0, cube = 0;
            for (const Interval<Rational>& weight : softmax_enclosure(x)) {
              square += weight.lower * weight.lower;
              cube += weight.lower * weight.lower * weight.lower;
            }
            norms.squared_frobenius = {square - cube, square - cube};
            return norms;
          }}},
    {"the spectral norm is p₁(1 − p₁), for given scores",
     "TheFiveScoresInThreeNorms",
     {.norms =
          [](const std::vector<Rational>& x, const Rational& width) {
            JacobianNorms norms = jacobian_norms(x, width);
            const Rational first = softmax_enclosure(x)[0].lower;
            norms.spectral = {first * (1 - first), first * (1 - first)};
            return norms;
          }}},
    {"by the raw scores, without the factor of the chain rule",
     "TheFiveScoresInThreeNorms",
     {.norms_by_raw_scores =
          [](const std::vector<Rational>& s, const Rational& c, const Rational& width) {
            std::vector<Rational> x = s;
            for (Rational& logit : x) logit /= c;
            return jacobian_norms(x, width);
          }}},
    {"by the raw scores, the factor of the chain rule in the square too, once",
     "TheFiveScoresInThreeNorms",
     {.norms_by_raw_scores =
          [](const std::vector<Rational>& s, const Rational& c, const Rational& width) {
            JacobianNorms norms = raw_score_jacobian_norms(s, c, width);
            norms.squared_frobenius.lower *= c;
            norms.squared_frobenius.upper *= c;
            return norms;
          }}},
    {"2E Σp³ is added",
     "TheMeanSquareIsThatOfAnIntegralOverScores",
     {.mean_squared_norm =
          [](std::size_t n, double b) {
            return remembered<mean_jacobian_squared_norm>(n, b) + 4 * remembered<mean_cubes>(n, b);
          }}},
    {"E Σp³ in the place of E(Σp²)²",
     "TheMeanSquareIsThatOfAnIntegralOverScores",
     {.mean_squared_norm =
          [](std::size_t n, double b) {
            return 1 - remembered<mean_jacobian_trace>(n, b) - remembered<mean_cubes>(n, b);
          }}},
    {"the mean of a square is the square of the mean",
     "TheMeanSquareIsThatOfAnIntegralOverScores",
     {.mean_squared_norm =
          [](std::size_t n, double b) {
            const double squares = 1 - remembered<mean_jacobian_trace>(n, b);
            return squares - 2 * remembered<mean_cubes>(n, b) + squares * squares;
          }}},
    {"the trace norm, squared",
     "InTheMeanTheNormsPartWithManyKeys",
     {.mean_squared_norm =
          [](std::size_t n, double b) {
            const double trace = remembered<mean_jacobian_trace>(n, b);
            return trace * trace;
          }}},
    {"the mean trace is the root mean square of the Frobenius norm",
     "InTheMeanTheNormsPartWithManyKeys",
     {.mean_trace =
          [](std::size_t n, double b) {
            return std::sqrt(remembered<mean_jacobian_squared_norm>(n, b));
          }}},
    {"a width of 0 is accepted",
     "RefusesWhatHasNoNorm",
     {.spectral_norm =
          [](const Vector<Rational>& p, const Rational& width) {
            return width == 0 ? jacobian_norm_bounds(p) : jacobian_spectral_norm(p, width);
          }}},
    {"a divisor of 0 is accepted",
     "RefusesWhatHasNoNorm",
     {.norms_by_raw_scores =
          [](const std::vector<Rational>& s, const Rational& c, const Rational& width) {
            return c == 0 ? jacobian_norms(s, width) : raw_score_jacobian_norms(s, c, width);
          }}},
};

TEST(WhichNorm, BySoftmaxsOwnInputItIsLargerForAnyScores) {
  judge(which_norm_mutants, [](const Gradients& gradients) {
    for_all([&] {
      // e^(s/√d) = w, so that e^s = w^√d.
      const Vector<Rational> p = any_weights(1, 6);
      const int root = *rc::gen::inRange(2, 9).as("√d");
      Vector<Rational> powers = p;
      for (int i = 1; i < root; ++i) powers = powers.cwiseProduct(p);
      const Rational unscaled = gradients.trace(normalized_weights(powers));
      const bool all_equal = p.minCoeff() == p.maxCoeff();
      RC_ASSERT((all_equal ? unscaled == gradients.trace(p) : unscaled < gradients.trace(p)));
    });
    Vector<Rational> p = tenths({6, 4});
    EXPECT_LT(gradients.trace(normalized_weights(Vector<Rational>(p.cwiseAbs2()))),
              gradients.trace(p));
  });
}

TEST(WhichNorm, FrobeniusAndSpectralNormGoEitherWay) {
  judge(which_norm_mutants, [](const Gradients& gradients) {
    const auto weights = [](const std::vector<Rational>& exponentials) {
      return normalized_weights(vector_of(exponentials));
    };
    const auto expect_spectral = [&](const Vector<Rational>& p, const std::vector<Rational>& v,
                                     const Rational& norm) {
      const auto [least, greatest] = gradients.spectral_norm(p, narrow);
      EXPECT_TRUE(least <= norm && norm <= greatest) << norm;
      EXPECT_EQ(softmax_jacobian(p) * vector_of(v), norm * vector_of(v));
    };
    // Two leaders: e^s = (4, 4, 1), halved (2, 2, 1). Both norms fall, and the trace rises.
    const Vector<Rational> two = weights({4, 4, 1}), two_halved = weights({2, 2, 1});
    expect_spectral(two, {1, -1, 0}, Rational(4, 9));
    expect_spectral(two_halved, {1, -1, 0}, Rational(2, 5));
    EXPECT_EQ(gradients.squared_norm(two), Rational(160, 729));
    EXPECT_EQ(gradients.squared_norm(two_halved), Rational(136, 625));
    EXPECT_LT(gradients.trace(two), gradients.trace(two_halved));
    // One leader: e^s = (4, 1, 1), halved (2, 1, 1). All three rise.
    const Vector<Rational> one = weights({4, 1, 1}), one_halved = weights({2, 1, 1});
    expect_spectral(one, {2, -1, -1}, Rational(1, 3));
    expect_spectral(one_halved, {2, -1, -1}, Rational(3, 8));
    EXPECT_EQ(gradients.squared_norm(one), Rational(5, 36));
    EXPECT_EQ(gradients.squared_norm(one_halved), Rational(13, 64));
    EXPECT_LT(gradients.trace(one), gradients.trace(one_halved));
    enumerated(4);
  });
}

//! [WhichNorm]
TEST(WhichNorm, TheFiveScoresInThreeNorms) {
  judge(which_norm_mutants, [](const Gradients& gradients) {
    const JacobianNorms raw = gradients.norms(five_scores, narrow);
    const JacobianNorms divided = gradients.norms(five_scores_divided, narrow);
    EXPECT_LT(raw.trace.upper, divided.trace.lower);
    EXPECT_GT(raw.squared_frobenius.lower, divided.squared_frobenius.upper);
    EXPECT_GT(raw.spectral.lower, divided.spectral.upper);
    counterexample_without("trace norm");
    sharpens("S3", "trace norm");

    // By the raw scores the derivative of the divided row has the factor 1/8 as well.
    const JacobianNorms by_raw = gradients.norms_by_raw_scores(five_scores, 8, narrow);
    EXPECT_GT(raw.trace.lower, by_raw.trace.upper);
    EXPECT_TRUE(64 * by_raw.squared_frobenius.lower <= divided.squared_frobenius.upper &&
                divided.squared_frobenius.lower <= 64 * by_raw.squared_frobenius.upper);
    EXPECT_TRUE(8 * by_raw.spectral.lower <= divided.spectral.upper &&
                divided.spectral.lower <= 8 * by_raw.spectral.upper);
    counterexample_without("own input");

    const JacobianNorms printed = gradients.norms(five_scores_printed, narrow);
    expect_norms_of_matrix(raw, five_scores);
    expect_norms_of_matrix(divided, five_scores_divided);
    expect_norms_of_matrix(printed, five_scores_printed);
    publish_norms("raw", raw, 3);
    publish_norms("divided", divided, 3);
    publish_norms("by_raw_scores", by_raw, 4);
    publish_norms("printed", printed, 3);
    enumerated(4);
  });
}
//! [WhichNorm]

TEST(WhichNorm, TheSpectralNormIsTheLargestEigenvalue) {
  judge(which_norm_mutants, [](const Gradients& gradients) {
    const auto is_enclosed = [&](const Vector<Rational>& p) {
      const auto [least, greatest] = gradients.spectral_norm(p, coarse);
      const Matrix<Rational> jacobian = softmax_jacobian(p);
      // No eigenvalue exceeds `greatest`, and one exceeds `least` less anything.
      return greatest - least <= coarse &&
             is_positive_semidefinite(scalar_matrix(p.size(), greatest) - jacobian) &&
             !is_positive_semidefinite(scalar_matrix(p.size(), least - coarse) - jacobian);
    };
    for (const auto& p : {tenths({10}), tenths({10, 0, 0}), tenths({5, 5}), tenths({4, 4, 2}),
                          tenths({5, 4, 1}), tenths({6, 3, 1, 0})})
      EXPECT_TRUE(is_enclosed(p)) << p.transpose();
    for_all([&] { RC_ASSERT(is_enclosed(any_weights(1, 5, true))); });
  });
}

TEST(WhichNorm, TheNormsHoldEachOther) {
  judge(which_norm_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(2, 6, true);
      const Rational trace = gradients.trace(p), square = gradients.squared_norm(p);
      const auto [least, greatest] = gradients.spectral_norm(p, coarse);
      RC_ASSERT(square <= greatest * trace);
      RC_ASSERT(least * least <= square);
      RC_ASSERT(square <= trace * (1 - trace));
    });
    // Equality in the last: k equal weights, the others 0; at two halves both are 1/4.
    for (Index k = 1; k <= 6; ++k) {
      Vector<Rational> p = Vector<Rational>::Zero(7);
      p.head(k).setConstant(Rational(1, k));
      EXPECT_EQ(gradients.squared_norm(p), gradients.trace(p) * (1 - gradients.trace(p)));
    }
    EXPECT_EQ(gradients.squared_norm(tenths({5, 0, 5})), Rational(1, 4));
  });
}

TEST(WhichNorm, TheMeanSquareIsThatOfAnIntegralOverScores) {
  judge(which_norm_mutants, [](const Gradients& gradients) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const auto& [n, spread] : {std::pair{2U, 1.0}, {2U, 8.0}, {3U, 1.0}, {3U, 2.0}})
      expect_near(gradients.mean_squared_norm(n, spread),
                  remembered<mean_square_by_scores>(std::size_t{n}, spread), integral_error_bound,
                  std::to_string(n) + " keys, spread " + digits(spread, 3));
    enumerated(4);
  });
}

TEST(WhichNorm, InTheMeanTheNormsPartWithManyKeys) {
  judge(which_norm_mutants, [](const Gradients& gradients) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    constexpr double error = 4 * integral_error_bound;
    const auto root = [&](std::size_t n, double spread) {
      return std::sqrt(gradients.mean_squared_norm(n, spread));
    };
    // The least number of keys with the larger mean square without scaling, by halving.
    std::size_t fewer = 16, crossing = 64;
    while (crossing - fewer > 1) {
      const std::size_t middle = (fewer + crossing) / 2;
      (gradients.mean_squared_norm(middle, 8) < gradients.mean_squared_norm(middle, 1) ? fewer
                                                                                       : crossing) =
          middle;
    }
    publish("fewer", std::to_string(fewer));
    publish("crossing", std::to_string(crossing));
    std::vector<std::size_t> counts = {fewer, crossing};
    for (std::size_t n = 2; n <= 4096; n *= 2) counts.push_back(n);
    for (const std::size_t n : counts) {
      const double unscaled = gradients.mean_squared_norm(n, 8);
      const double scaled = gradients.mean_squared_norm(n, 1);
      EXPECT_GT(gradients.mean_trace(n, 1), gradients.mean_trace(n, 8) + error) << n << " keys";
      EXPECT_GT((n < crossing ? 1 : -1) * (scaled - unscaled), error) << n << " keys";
      // By the raw scores, both norms are larger without scaling.
      EXPECT_GT(gradients.mean_trace(n, 8), gradients.mean_trace(n, 1) / 8 + error) << n << " keys";
      EXPECT_GT(unscaled, scaled / 64 + error) << n << " keys";

      // 2E‖J‖² ≤ E‖J‖ ≤ √E‖J‖², and the spectral norm from n/(n − 1) of the mean square on;
      // compared by their squares, since a root has a larger error.
      const double more = static_cast<double>(n) / static_cast<double>(n - 1);
      if (n <= 8) {
        EXPECT_LT(unscaled + error, std::pow(2 * (scaled - error), 2)) << n << " keys, Frobenius";
      }
      if (n <= 4) {
        EXPECT_LT(unscaled + error, std::pow(more * (scaled - error), 2)) << n << " keys, spectral";
      }
      if (n >= 128) {
        EXPECT_GT(std::pow(2 * (unscaled - error), 2), scaled + error) << n << " keys, Frobenius";
      }
      if (n >= 512) {
        EXPECT_GT(std::pow(more * (unscaled - error), 2), scaled + error) << n << " keys, spectral";
      }
    }
    for (const std::size_t n : {2U, 5U, 16U, 32U, 64U, 512U, 4096U}) {
      const std::string keys = "_for_" + std::to_string(n);
      publish("trace_unscaled" + keys, fixed(gradients.mean_trace(n, 8), 3));
      publish("trace_scaled" + keys, fixed(gradients.mean_trace(n, 1), 3));
      publish("root_unscaled" + keys, fixed(root(n, 8), 3));
      publish("root_scaled" + keys, fixed(root(n, 1), 3));
    }
    std::vector<std::vector<double>> rows;
    for (std::size_t n = 2; n <= 4096; n *= 2)
      rows.push_back({static_cast<double>(n), gradients.mean_trace(n, 8),
                      gradients.mean_trace(n, 1), root(n, 8), root(n, 1)});
    write_figure_data("jacobian_norms",
                      {"n", "trace_unscaled", "trace_scaled", "root_unscaled", "root_scaled"},
                      rows);
    enumerated(std::size(counts));
  });
}

TEST(WhichNorm, RefusesWhatHasNoNorm) {
  judge(which_norm_mutants, [](const Gradients& gradients) {
    EXPECT_THROW(gradients.spectral_norm(tenths({5, 5}), 0), std::domain_error);
    EXPECT_THROW(gradients.spectral_norm(tenths({-1, 11}), 1), std::domain_error);
    EXPECT_THROW(gradients.norms({}, 1), std::invalid_argument);
    EXPECT_THROW(gradients.norms_by_raw_scores(five_scores, 0, 1), std::domain_error);
    EXPECT_THROW(gradients.mean_squared_norm(1, 1), std::domain_error);
    EXPECT_THROW(gradients.mean_squared_norm(2, 65), std::domain_error);
  });
}

// --------------------------------------------------------------------------------- WhereNormsCross

/// Weights of n keys at d = 64 in many draws, a draw in each column.
struct DrawnWeights {
  Eigen::MatrixXd unscaled, scaled;  ///< softmax(8Z) and softmax(Z)
};

DrawnWeights draw_weights(Index n, std::size_t draws_wanted, Stream& stream) {
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

/// Intervals for the mean of a norm at d = 64 by softmax's own input, without scaling and with it.
struct MeanNorms {
  ConfidenceInterval unscaled, scaled;
};

/// One experiment for each number of keys, whose seed is fixed; computed once for each norm.
MeanNorms mean_norms(Index n, double (*norm)(const Vector<double>&)) {
  static std::map<Index, DrawnWeights> drawn;
  static std::vector<std::tuple<Index, double (*)(const Vector<double>&), MeanNorms>> known;
  for (const auto& [count, function, means] : known)
    if (count == n && function == norm) return means;
  DrawnWeights& weights = drawn[n];
  if (weights.scaled.size() == 0) {
    Stream stream = stream_of(default_master_seed, "WhereNormsCross.TheMeanNormsCross",
                              static_cast<std::uint64_t>(n));
    weights = draw_weights(n, n <= 64 ? 12000 : 3000, stream);
  }
  const auto interval = [&](const Eigen::MatrixXd& columns) {
    std::vector<double> sample;
    for (Index i = 0; i < columns.cols(); ++i) sample.push_back(norm(columns.col(i)));
    return mean_interval(sample, 0x1p-30);
  };
  const MeanNorms means{interval(weights.unscaled), interval(weights.scaled)};
  known.emplace_back(n, norm, means);
  return means;
}

const Mutants crossing_mutants = {
    {"the trace is squared, in double",
     "DrawnTracesHaveTheMeanOfTheIntegral",
     {.trace_in_double =
          [](const Vector<double>& p) { return jacobian_trace(p) * jacobian_trace(p); }}},
    {"the largest diagonal entry is the spectral norm, in double",
     "TheMeanNormsCross",
     {.spectral_norm_in_double =
          [](const Vector<double>& p) { return p.maxCoeff() * (1 - p.maxCoeff()); }}},
    {"the Frobenius norm of the diagonal",
     "TheMeanNormsCross",
     {.frobenius_norm_in_double =
          [](const Vector<double>& p) { return (p.array() * (1 - p.array())).matrix().norm(); }}},
    {"the trace in the place of the Frobenius norm",
     "TheMeanNormsCross",
     {.frobenius_norm_in_double = [](const Vector<double>& p) { return 1 - p.squaredNorm(); }}},
};

//! [WhereNormsCross]
TEST(WhereNormsCross, TheMeanNormsCross) {
  judge(crossing_mutants, [](const Gradients& gradients) {
    // One experiment, whose seed is fixed: what it shows is a statement about that seed, and
    // nothing here fails by chance.
    evidence().weaken(Grade::empirical);
    const auto look = [&](const std::string& which, double (*norm)(const Vector<double>&),
                          Index n) {
      const MeanNorms means = mean_norms(n, norm);
      const auto publish_interval = [&](const std::string& scaling, const ConfidenceInterval& x) {
        const std::string name = which + scaling + "_for_" + std::to_string(n);
        publish(name, fixed(x.estimate, 2));
        publish(name + "_low", rounded_down(x.lower, 3));
        publish(name + "_high", rounded_up(x.upper, 3));
      };
      publish_interval("_unscaled", means.unscaled);
      publish_interval("_scaled", means.scaled);
      return means.unscaled.upper < means.scaled.lower   ? -1
             : means.unscaled.lower > means.scaled.upper ? 1
                                                         : 0;
    };
    for (const auto& [n, expected] :
         {std::pair<Index, int>{5, -1}, {16, -1}, {32, -1}, {64, 1}, {512, 1}})
      EXPECT_EQ(look("frobenius", gradients.frobenius_norm_in_double, n), expected)
          << n << " keys, Frobenius norm";
    for (const auto& [n, expected] :
         {std::pair<Index, int>{5, -1}, {16, -1}, {32, 1}, {64, 1}, {512, 1}})
      EXPECT_EQ(look("spectral", gradients.spectral_norm_in_double, n), expected)
          << n << " keys, spectral norm";
  });
}
//! [WhereNormsCross]

TEST(WhereNormsCross, DrawnTracesHaveTheMeanOfTheIntegral) {
  judge(crossing_mutants, [](const Gradients& gradients) {
    for (const auto& [n, effect] : {std::pair{5, 0.05}, {512, 0.2}}) {
      const CountCheck check(gradients.mean_trace(static_cast<std::size_t>(n), 8));
      // A uniform number is below the trace with probability E tr J. The draws depend on the seed
      // alone: drawn once, they serve every implementation.
      static std::map<std::pair<int, std::uint64_t>, std::pair<DrawnWeights, std::vector<double>>>
          known;
      auto& [weights, uniforms] = known[{n, active_seed()}];
      Stream stream = next_stream();
      if (uniforms.empty()) {
        const std::size_t size = sample_size(CountCheck(0.5), {0x1p-30, 0x1p-30}, effect);
        weights = draw_weights(n, size, stream);
        uniforms = draws(
            size, [](Stream& s) { return uniform(s); }, stream);
      }
      Count below{0, uniforms.size()};
      for (Index i = 0; i < weights.unscaled.cols(); ++i)
        below.successes += uniforms[static_cast<std::size_t>(i)] <
                                   gradients.trace_in_double(weights.unscaled.col(i))
                               ? 1
                               : 0;
      expect_sample(check, below);
    }
  });
}

// ------------------------------------------------------------------------- BenignExampleIsSharper

/// The two rows of S2: the one that it finds benign, and the one that it finds extreme.
const std::vector<Rational> benign_scores = {5, 1, Rational(1, 2)};
const std::vector<Rational> extreme_scores = {14, 10, 12};

/// Numbers that are known exactly.
std::vector<Interval<Rational>> points(const Vector<Rational>& p) {
  std::vector<Interval<Rational>> exact;
  for (const Rational& weight : p) exact.push_back({weight, weight});
  return exact;
}

const Mutants benign_mutants = {
    {"only the largest weights are compared",
     "MajorizationLowersTheTrace",
     {.surely_majorizes =
          [](const std::vector<Interval<Rational>>& p, const std::vector<Interval<Rational>>& q) {
            const auto less = [](const Interval<Rational>& a, const Interval<Rational>& b) {
              return a.lower < b.lower;
            };
            return std::max_element(p.begin(), p.end(), less)->lower >=
                   std::max_element(q.begin(), q.end(), less)->upper;
          }}},
    {"the ends that favour it are compared",
     "MajorizationLowersTheTrace",
     {.surely_majorizes =
          [](const std::vector<Interval<Rational>>& p, const std::vector<Interval<Rational>>& q) {
            std::vector<Interval<Rational>> most = p, least = q;
            for (Interval<Rational>& weight : most) weight.lower = weight.upper;
            for (Interval<Rational>& weight : least) weight.upper = weight.lower;
            return surely_majorizes(most, least);
          }}},
    {"the trace is Σp²",
     "MajorizationLowersTheTrace",
     {.trace = [](const Vector<Rational>& p) -> Rational { return p.squaredNorm(); }}},
    {"weights are proportional to scores",
     "TheBenignWeightsMajorizeTheExtremeOnes",
     {.enclosed_weights =
          [](const std::vector<Rational>& x) { return points(normalized_weights(vector_of(x))); }}},
    {"scores are divided by 4 first",
     "TheBenignWeightsMajorizeTheExtremeOnes",
     {.enclosed_weights =
          [](const std::vector<Rational>& x) {
            std::vector<Rational> divided = x;
            for (Rational& score : divided) score /= 4;
            return softmax_enclosure(divided);
          }}},
    {"the trace is the chance of a repetition",
     "ItsDerivativeIsSmallerInEveryNorm",
     {.norms =
          [](const std::vector<Rational>& x, const Rational& width) {
            JacobianNorms norms = jacobian_norms(x, width);
            norms.trace = {1 - norms.trace.upper, 1 - norms.trace.lower};
            return norms;
          }}},
    {"the spectral norm is the largest weight",
     "ItsDerivativeIsSmallerInEveryNorm",
     {.norms =
          [](const std::vector<Rational>& x, const Rational& width) {
            JacobianNorms norms = jacobian_norms(x, width);
            norms.spectral = softmax_enclosure(x)[0];
            return norms;
          }}},
    {"lengths are not compared",
     "RefusesWeightsOfDifferentNumber",
     {.surely_majorizes =
          [](const std::vector<Interval<Rational>>& p, const std::vector<Interval<Rational>>& q) {
            return p.size() == q.size() && surely_majorizes(p, q);
          }}},
};

TEST(BenignExampleIsSharper, MajorizationLowersTheTrace) {
  judge(benign_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(2, 6, true);
      // A part of p is dealt out in another order: what comes out is majorized by p.
      const Rational part(*rc::gen::inRange(0, 101).as("percent"), 100);
      const Index by = *rc::gen::inRange<Index>(0, p.size()).as("turned by");
      Vector<Rational> q(p.size());
      for (Index i = 0; i < p.size(); ++i) q[i] = (1 - part) * p[i] + part * p[(i + by) % p.size()];
      RC_ASSERT(gradients.surely_majorizes(points(p), points(q)));
      RC_ASSERT(gradients.trace(p) <= gradients.trace(q));
    });
    EXPECT_FALSE(
        gradients.surely_majorizes(points(tenths({50, 25, 25}) / 10), points(tenths({4, 4, 2}))))
        << "5/10 is more than 4/10, but 75/100 less than 8/10";
    EXPECT_FALSE(gradients.surely_majorizes(
        {{Rational(4, 10), Rational(6, 10)}, {Rational(4, 10), Rational(6, 10)}},
        points(tenths({5, 5}))))
        << "(6, 4) would, but is not sure";
    EXPECT_LT(gradients.trace(tenths({7, 2, 1})), gradients.trace(tenths({4, 4, 2})));
  });
}

//! [BenignExampleIsSharper]
TEST(BenignExampleIsSharper, TheBenignWeightsMajorizeTheExtremeOnes) {
  judge(benign_mutants, [](const Gradients& gradients) {
    const std::vector<Interval<Rational>> benign = gradients.enclosed_weights(benign_scores);
    const std::vector<Interval<Rational>> extreme = gradients.enclosed_weights(extreme_scores);
    expect_printed("S2", "0.971", benign[0].lower);
    expect_printed("S2", "0.867", extreme[0].lower);
    EXPECT_TRUE(gradients.surely_majorizes(benign, extreme));
    EXPECT_FALSE(gradients.surely_majorizes(extreme, benign));
    publish_enclosed("benign_first", benign[0], 3);
    publish_enclosed("extreme_first", extreme[0], 3);
    publish_enclosed("benign_two",
                     {benign[0].lower + benign[1].lower, benign[0].upper + benign[1].upper}, 3);
    publish_enclosed("extreme_two",
                     {extreme[0].lower + extreme[2].lower, extreme[0].upper + extreme[2].upper}, 3);
    enumerated(1);
  });
}

TEST(BenignExampleIsSharper, ItsDerivativeIsSmallerInEveryNorm) {
  judge(benign_mutants, [](const Gradients& gradients) {
    const JacobianNorms benign = gradients.norms(benign_scores, narrow);
    const JacobianNorms extreme = gradients.norms(extreme_scores, narrow);
    const bool as_large_in_one =
        benign.trace.upper >= extreme.trace.lower ||
        benign.squared_frobenius.upper >= extreme.squared_frobenius.lower ||
        benign.spectral.upper >= extreme.spectral.lower;
    const auto rounded = [](const Interval<Rational>& norm) {
      return fixed(norm.lower.convert_to<double>(), 3);
    };
    expect_refuted("S2", "quite extreme", as_large_in_one,
                   "milder than [5, 1, 0.5], of which it says \"The model can still learn from all "
                   "positions\": there the "
                   "largest weight is 0.971 against 0.867, and the derivative is smaller in three "
                   "norms (trace " +
                       rounded(benign.trace) + " against " + rounded(extreme.trace) +
                       ", spectral " + rounded(benign.spectral) + " against " +
                       rounded(extreme.spectral) + ")");
    publish_norms("benign", benign, 3);
    publish_norms("extreme", extreme, 3);
    enumerated(1);
  });
}
//! [BenignExampleIsSharper]

TEST(BenignExampleIsSharper, RefusesWeightsOfDifferentNumber) {
  judge(benign_mutants, [](const Gradients& gradients) {
    EXPECT_THROW(gradients.surely_majorizes(points(tenths({5, 5})), points(tenths({10}))),
                 std::invalid_argument);
  });
}

// ------------------------------------------------------------------------------ VanishingGradient

/// The law of the gradient's norm for two keys and temperature 1: 2 arcosh(1/√(2x)) is the gap at
/// which the norm is x.
struct TwoKeyNormLaw {
  double variance;  ///< of a score
};

double cdf(const TwoKeyNormLaw& law, double norm) {
  if (norm >= 0.5) return 1;
  return std::erfc(std::acosh(1 / std::sqrt(2 * norm)) / std::sqrt(law.variance));
}

/// Order statistics that hold the median between them, whatever the law, at the α of the ledger.
ConfidenceInterval median_interval(const std::vector<double>& sample) {
  return report_interval(
      sample.size(), [&](double alpha) { return sqrtdk::testing::median_interval(sample, alpha); });
}

const Mutants vanishing_mutants = {
    {"sech instead of its square",
     "ForTwoKeysEveryNormIsTheSquareOfASech",
     {.two_key_norm = [](const Wide& gap, const Wide& t) -> Wide {
       return sqrt(two_key_gradient_norm<Wide>(gap, t) / (2 * t));
     }}},
    {"the temperature divides only the gap",
     "ForTwoKeysEveryNormIsTheSquareOfASech",
     {.two_key_norm = [](const Wide& gap, const Wide& t) -> Wide {
       return two_key_gradient_norm<Wide>(gap, t) * t;
     }}},
    {"the squared norm misses the cross terms",
     "ForTwoKeysEveryNormIsTheSquareOfASech",
     {.squared_norm = [](const Vector<Rational>& p) -> Rational {
       return jacobian_squared_norm(p) / 2;
     }}},
    {"the median of the gap is that of a score",
     "TheMedianOfTwoKeysFallsExponentially",
     {.two_key_median = [](const Wide& v, const Wide& t) -> Wide {
       return two_key_median_norm<Wide>(v / 2, t);
     }}},
    {"the mean in place of the median",
     "TheMedianOfTwoKeysFallsExponentially",
     {.two_key_median = [](const Wide& v, const Wide& t) -> Wide {
       return two_key_mean_norm<Wide>(v, t);
     }}},
    {"the squared norm is doubled, in double",
     "TheNormOfTwoKeysFollowsItsLaw",
     {.squared_norm_in_double =
          [](const Vector<double>& p) { return 2 * jacobian_squared_norm(p); }}},
    {"the mean of the largest is a tenth too small",
     "ExceptForASmallGapItIsExponentiallySmall",
     {.expected_maximum =
          [](std::size_t n) { return remembered<sqrtdk::expected_maximum>(n) * 0.9; }}},
    {"the trace is doubled",
     "ExceptForASmallGapItIsExponentiallySmall",
     {.trace = [](const Vector<Rational>& p) -> Rational { return 2 * jacobian_trace(p); }}},
    {"(1 − p_max)⁴ for the squared norm",
     "AtTheSizesOfRealHeadsItIsNotSmallAtAll",
     {.squared_norm_in_double =
          [](const Vector<double>& p) { return std::pow(1 - p.maxCoeff(), 4); }}},
    {"two equal weights have no gradient",
     "KeysThatAreEqualNeverStopLearning",
     {.squared_norm_in_double =
          [](const Vector<double>& p) { return p[0] == p[1] ? 0 : jacobian_squared_norm(p); }}},
    {"equal weights do not trade with each other",
     "KeysThatAreEqualNeverStopLearning",
     {.jacobian =
          [](const Vector<Rational>& p) {
            Matrix<Rational> jacobian = softmax_jacobian(p);
            for (Index i = 0; i < p.size(); ++i)
              for (Index j = 0; j < p.size(); ++j)
                if (i != j && p[i] == p[j]) jacobian(i, j) = 0;
            return jacobian;
          }}},
    {"a temperature of 0 is accepted",
     "RefusesWhatHasNoGradient",
     {.two_key_norm = [](const Wide& gap, const Wide& t) -> Wide {
       return t == 0 ? Wide(0) : two_key_gradient_norm<Wide>(gap, t);
     }}},
    {"a variance of 0 is accepted",
     "RefusesWhatHasNoGradient",
     {.two_key_mean =
          [](const double& v, const double& t) {
            return v == 0 ? 0.5 / t : two_key_mean_norm<double>(v, t);
          }}},
    {"one key is accepted",
     "RefusesWhatHasNoGradient",
     {.expected_maximum =
          [](std::size_t n) { return n == 1 ? 0.0 : remembered<sqrtdk::expected_maximum>(n); }}},
    {"any spread is accepted",
     "RefusesWhatHasNoGradient",
     {.mean_trace =
          [](std::size_t n, double b) {
            return remembered<mean_jacobian_trace>(n, std::clamp(b, 0.5, 64.0));
          }}},
    {"the mean is the median",
     "TheMeanOfTwoKeysIsNotTheMedian",
     {.two_key_mean = [](const double& v,
                         const double& t) { return two_key_median_norm<double>(v, t); }}},
    {"the scaled mean lacks its factor",
     "TheMeanOfTwoKeysIsNotTheMedian",
     {.two_key_mean = [](const double& v,
                         const double& t) { return t * two_key_mean_norm<double>(v, t); }}},
};

TEST(VanishingGradient, ExceptForASmallGapItIsExponentiallySmall) {
  judge(vanishing_mutants, [](const Gradients& gradients) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    // Weights with the ratio e^(−t) at the top: the trace is at most 2(n − 1)e^(−t).
    const auto falls_with_the_gap = [&](const Vector<Rational>& p) {
      std::vector<Rational> sorted(p.begin(), p.end());
      std::sort(sorted.rbegin(), sorted.rend());
      return gradients.trace(p) <= 2 * Rational(p.size() - 1) * sorted[1] / sorted[0];
    };
    EXPECT_TRUE(falls_with_the_gap(tenths({9, 1})));
    for_all([&] { RC_ASSERT(falls_with_the_gap(any_weights(2, 6, true))); });
    // A gap below t has a probability of t E M/√d at most, and of no less for small t.
    for (const std::size_t n : {2U, 5U, 512U}) {
      const double largest = gradients.expected_maximum(n);
      for (const double root : {1.0, 8.0, 64.0})
        for (const double t : {0.0625, 1.0, 4.0}) {
          const double small_gap = 1 - remembered<top_gap_tail>(n, t / root);
          EXPECT_LE(small_gap, t * largest / root + 2 * integral_error_bound)
              << n << " keys, d = " << root * root << ", t = " << t;
        }
      EXPECT_GE(1 - remembered<top_gap_tail>(n, 0x1p-10), 0.99 * largest * 0x1p-10)
          << n << " keys: the constant is the best one";
    }
    enumerated(30);
  });
}

TEST(VanishingGradient, ForTwoKeysEveryNormIsTheSquareOfASech) {
  judge(vanishing_mutants, [](const Gradients& gradients) {
    evidence().weaken(Grade::bounded);
    for_all([&] {
      // With r = e^Δ, ½ sech²(Δ/2) = 2r/(1 + r)²: the Frobenius norm, and twice the only entry.
      const Rational r = abs(*nonzero_rational().as("ratio"));
      Vector<Rational> p(2);
      p << r / (1 + r), 1 / (1 + r);
      const Rational norm = 2 * r / ((1 + r) * (1 + r));
      RC_ASSERT(gradients.squared_norm(p) == norm * norm);
      RC_ASSERT(jacobian_trace(p) == norm);
      RC_ASSERT(softmax_jacobian(p) * tenths({1, -1}) == norm * tenths({1, -1}));

      const Wide gap = log(static_cast<Wide>(r));
      const Wide t = static_cast<Wide>(abs(*nonzero_rational().as("temperature")));
      const Wide cosh_half = cosh(gap / (2 * t));
      const Wide expected = 1 / (2 * cosh_half * cosh_half * t);
      RC_PRE(abs(gap / t) < 1000);
      const double bound =
          static_cast<double>((16 + 4 * abs(gap / t)) * std::numeric_limits<Wide>::epsilon());
      const double error = static_cast<double>(abs(gradients.two_key_norm(gap, t) / expected - 1));
      evidence().worst(error, bound);
      RC_ASSERT(error <= bound);
    });
  });
}

//! [VanishingGradient]
TEST(VanishingGradient, TheMedianOfTwoKeysFallsExponentially) {
  judge(vanishing_mutants, [](const Gradients& gradients) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    const boost::math::normal_distribution<Wide> normal;
    const Wide quartile = quantile(normal, Wide(3) / 4);
    for (const int d : {1, 4, 64, 1024, 16384}) {
      const Wide gap = sqrt(Wide(2 * d)) * quartile;
      for (const Wide& t : {Wide(1), Wide(sqrt(Wide(d)))}) {
        // The gap exceeds this with probability ½, and the norm falls as the gap grows.
        const Wide expected = gradients.two_key_norm(gap, t);
        const double bound =
            static_cast<double>((64 + 8 * gap / t) * std::numeric_limits<Wide>::epsilon());
        const double error =
            static_cast<double>(abs(gradients.two_key_median(d, t) / expected - 1));
        evidence().worst(error, bound);
        EXPECT_LE(error, bound) << "d = " << d << ", τ = " << t;
        EXPECT_LE(gradients.two_key_median(d, t), 2 * exp(-gap / t) / t * (1 + Wide(bound)));
      }
    }
    expect_confirmed("S1", "extremely small gradients",
                     gradients.two_key_median(16384, 1) < Wide(1e-50));
    publish("rate", digits(static_cast<double>(sqrt(Wide(2)) * quartile), 4));
    publish("unscaled", digits(static_cast<double>(gradients.two_key_median(64, 1)), 3));
    publish("scaled", digits(static_cast<double>(gradients.two_key_median(64, 8)), 3));
    enumerated(10);
  });
}

TEST(VanishingGradient, TheMeanOfTwoKeysIsNotTheMedian) {
  judge(vanishing_mutants, [](const Gradients& gradients) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    const double error = 1 + 2 * two_key_error_bound<double>();
    for (const double d : {16.0, 64.0, 4096.0}) {
      // Most draws have the smaller gradient without scaling, and the mean is the larger one.
      EXPECT_LT(gradients.two_key_median(d, 1), gradients.two_key_median(d, std::sqrt(d)));
      EXPECT_GT(gradients.two_key_mean(d, 1), error * gradients.two_key_mean(d, std::sqrt(d)))
          << "d = " << d;
    }
    enumerated(3);
    counterexample_without("in probability");
    for (const char* document : {"S1", "S2"}) sharpens(document, "in probability");
  });
}
//! [VanishingGradient]

TEST(VanishingGradient, TheNormOfTwoKeysFollowsItsLaw) {
  judge(vanishing_mutants, [](const Gradients& gradients) {
    const CdfCheck<TwoKeyNormLaw> check({4}, "the norm of two keys with scores N(0, 4)");
    expect_draws(check, {.effect = 0.05}, [&](Stream& stream) {
      Vector<double> scores(2);
      for (double& score : scores) score = draw(boost::math::normal(0, 2), stream);
      return std::sqrt(gradients.squared_norm_in_double(softmax(scores)));
    });
  });
}

TEST(VanishingGradient, AtTheSizesOfRealHeadsItIsNotSmallAtAll) {
  judge(vanishing_mutants, [](const Gradients& gradients) {
    // One experiment, whose seed is fixed: what it shows is a statement about that seed, and
    // nothing here fails by chance. The α of the intervals is that of the choice of the seed.
    const auto look = [&](Index n, double effect) {
      static std::map<Index, DrawnWeights> known;
      DrawnWeights& weights = known[n];
      if (weights.scaled.size() == 0) {
        // As many draws as tell a probability of ½ from one that differs by the effect.
        Stream stream =
            stream_of(default_master_seed, current_test_name(), static_cast<std::uint64_t>(n));
        weights = draw_weights(n, sample_size(CountCheck(0.5), {0x1p-30, 0x1p-30}, effect), stream);
      }
      std::vector<double> unscaled_norms, scaled_norms;
      for (Index i = 0; i < weights.scaled.cols(); ++i) {
        unscaled_norms.push_back(
            std::sqrt(gradients.squared_norm_in_double(weights.unscaled.col(i))));
        scaled_norms.push_back(std::sqrt(gradients.squared_norm_in_double(weights.scaled.col(i))) /
                               8);
      }
      const ConfidenceInterval unscaled = median_interval(unscaled_norms);
      const ConfidenceInterval scaled = median_interval(scaled_norms);
      const auto publish_interval = [&](const std::string& which,
                                        const ConfidenceInterval& interval, int places) {
        const std::string keys = "_for_" + std::to_string(n);
        publish(which + "_median" + keys, digits(interval.estimate, 2));
        publish(which + "_low" + keys, rounded_down(interval.lower, places));
        publish(which + "_high" + keys, rounded_up(interval.upper, places));
      };
      publish_interval("unscaled", unscaled, 3);
      publish_interval("scaled", scaled, n == 5 ? 4 : 5);
      return std::pair{unscaled, scaled};
    };
    // The effects: the median of one law is the quantile of the other at ½ ± 1/20 or more, for 5
    // keys; and twenty times the scaled median is the quantile at 0.38 of the unscaled law for 512.
    const auto few = look(5, 0.05);
    EXPECT_LT(few.first.upper, few.second.lower) << "with 5 keys, the unscaled median is smaller";
    // By softmax's own input the scaled norm is 8 times as large.
    expect_confirmed("S3", "gradients are tiny", few.first.upper < 8 * few.second.lower);
    const auto many = look(512, 0.12);
    EXPECT_GT(many.first.lower, 20 * many.second.upper) << "with 512 keys, it is far larger";
    counterexample_without("fixed number of keys");
    for (const char* document : {"S1", "S2", "S3"}) sharpens(document, "fixed number of keys");
  });
}

TEST(VanishingGradient, KeysThatAreEqualNeverStopLearning) {
  judge(vanishing_mutants, [](const Gradients& gradients) {
    // Two keys with the same score, in every dimension: the norm is ½.
    for (const double d : {1.0, 64.0, 4096.0, 1e12})
      EXPECT_EQ(gradients.squared_norm_in_double(
                    softmax(Vector<double>(std::sqrt(d) * Vector<double>::Constant(2, 0.7)))),
                0.25)
          << "d = " << d;
    // Two that lead by ln 2 per unit of √d: both have the weight p₁ → ½, an eigenvalue of J.
    for (Index n = 3; n <= 6; ++n) {
      Rational before = 0;
      for (int root = 1; root <= 64; root *= 2) {
        Vector<Rational> exponentials = Vector<Rational>::Ones(n);
        exponentials[0] = exponentials[1] = Rational(Integer(1) << root);
        const Vector<Rational> p = normalized_weights(exponentials);
        Vector<Rational> v = Vector<Rational>::Zero(n);
        v[0] = 1;
        v[1] = -1;
        EXPECT_EQ(gradients.jacobian(p) * v, p[0] * v);
        EXPECT_GT(p[0], before);
        EXPECT_LE(Rational(1, 2) - p[0], Rational(n - 2) / (4 * Rational(Integer(1) << root)));
        before = p[0];
      }
    }
    enumerated(4 + 4 * 7);
    counterexample_without("scores without ties");
  });
}

TEST(VanishingGradient, RefusesWhatHasNoGradient) {
  judge(vanishing_mutants, [](const Gradients& gradients) {
    EXPECT_THROW(gradients.two_key_norm(1, 0), std::domain_error);
    EXPECT_THROW(gradients.two_key_mean(0, 1), std::domain_error);
    EXPECT_THROW(gradients.two_key_mean(1, -1), std::domain_error);
    EXPECT_THROW(gradients.two_key_median(-1, 1), std::domain_error);
    EXPECT_THROW(gradients.two_key_mean_bounds(0, 1), std::domain_error);
    EXPECT_THROW(gradients.expected_maximum(1), std::domain_error);
    EXPECT_THROW(gradients.expected_maximum(most_integrable_keys + 1), std::domain_error);
    EXPECT_THROW(gradients.mean_trace(2, 0.25), std::domain_error);
    EXPECT_THROW(gradients.mean_attended(1, 1), std::domain_error);
    EXPECT_THROW(gradients.mean_trace_bounds(2, 0), std::domain_error);
    EXPECT_THROW(gradients.log_weight_bounds(2, -1), std::domain_error);
  });
}

// ------------------------------------------------------------------------------ GradientInTheMean

/// The mean for two keys with fifty digits.
double two_key_mean_in_wide(double variance, double temperature) {
  return static_cast<double>(two_key_mean_norm<Wide>(variance, temperature));
}

const Mutants mean_mutants = {
    {"the gap has the variance of a score",
     "TheMeanOfTwoKeysFallsLikeTheRoot",
     {.two_key_mean = [](const double& v,
                         const double& t) { return two_key_mean_norm<double>(v / 2, t); }}},
    {"temperature squared in the mean",
     "TheMeanOfTwoKeysFallsLikeTheRoot",
     {.two_key_mean = [](const double& v,
                         const double& t) { return two_key_mean_norm<double>(v, t) / t; }}},
    {"the lower bound forgets the temperature",
     "TheMeanOfTwoKeysFallsLikeTheRoot",
     {.two_key_mean_bounds =
          [](const double& v, const double& t) {
            return Interval<double>{two_key_mean_bounds(v, 1.0).lower,
                                    two_key_mean_bounds(v, t).upper};
          }}},
    {"the upper bound is halved",
     "TheMeanOfTwoKeysFallsLikeTheRoot",
     {.two_key_mean_bounds =
          [](const double& v, const double& t) {
            return Interval<double>{two_key_mean_bounds(v, t).lower,
                                    two_key_mean_bounds(v, t).upper / 2};
          }}},
    {"the trace of one key too many",
     "TheMeanTraceTimesTheSpreadIsTheMeanAttendedScore",
     {.mean_trace =
          [](std::size_t n, double b) {
            return remembered<mean_jacobian_trace>(std::min<std::size_t>(n + 1, 4096), b);
          }}},
    {"the attended score of twice the spread",
     "TheMeanTraceTimesTheSpreadIsTheMeanAttendedScore",
     {.mean_attended = [](std::size_t n,
                          double b) { return remembered<mean_attended_score>(n, 2 * b); }}},
    {"the trace is that of a spread of 1",
     "InTheMeanScalingMakesTheGradientSmaller",
     {.mean_trace = [](std::size_t n,
                       double b) { return remembered<mean_jacobian_trace>(n, 1.0) / b; }}},
    {"the mean of the largest is halved",
     "TheMeanTraceLiesBetweenItsBounds",
     {.expected_maximum =
          [](std::size_t n) { return remembered<sqrtdk::expected_maximum>(n) / 2; }}},
    {"ln n over the spread, not its square",
     "TheMeanTraceLiesBetweenItsBounds",
     {.mean_trace_bounds =
          [](std::size_t n, double b) {
            auto bounds = remembered<sqrtdk::mean_trace_bounds>(n, b);
            bounds.lower += std::log(static_cast<double>(n)) * (1 / (b * b) - 1 / (b * b * b * b));
            return bounds;
          }}},
    {"the upper bound forgets 1 − 1/n",
     "TheMeanTraceLiesBetweenItsBounds",
     {.mean_trace_bounds =
          [](std::size_t n, double b) {
            return Interval<double>{remembered<sqrtdk::mean_trace_bounds>(n, b).lower,
                                    remembered<sqrtdk::expected_maximum>(n) / b};
          }}},
    {"the mean trace does not depend on the spread",
     "BySoftmaxsOwnInputScalingMakesItLarger",
     {.mean_trace = [](std::size_t n, double) { return remembered<mean_jacobian_trace>(n, 1.0); }}},
    {"the mean trace is that of the reciprocal spread",
     "BySoftmaxsOwnInputScalingMakesItLarger",
     {.mean_trace =
          [](std::size_t n, double spread) {
            return remembered<mean_jacobian_trace>(n, std::min(64.0, std::max(0.5, 1 / spread)));
          }}},
    {"more than sixteen keys count as sixteen",
     "WithEverMoreKeysTheGradientDoesNotVanish",
     {.mean_trace =
          [](std::size_t n, double b) {
            return remembered<mean_jacobian_trace>(std::min<std::size_t>(n, 16), b);
          }}},
    {"the mean trace is always 3/8",
     "WithEverMoreKeysTheGradientDoesNotVanish",
     {.mean_trace = [](std::size_t, double) { return 0.375; }}},
};

TEST(GradientInTheMean, TheMeanOfTwoKeysFallsLikeTheRoot) {
  judge(mean_mutants, [](const Gradients& gradients) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    const double of_integral = two_key_error_bound<double>();
    for (const double temperature : {0.25, 1.0, 8.0})
      for (const double d : {1.0, 4.0, 64.0, 4096.0, 1e12}) {
        const double mean = gradients.two_key_mean(d, temperature);
        const auto [least, greatest] = gradients.two_key_mean_bounds(d, temperature);
        EXPECT_LE(least * (1 - of_integral), mean) << "d = " << d << ", τ = " << temperature;
        EXPECT_LE(mean * (1 - of_integral), greatest) << "d = " << d << ", τ = " << temperature;
        const double wide = remembered<two_key_mean_in_wide>(d, temperature);
        expect_near(mean / wide, 1, of_integral, "d = " + digits(d, 3));
        // The bounds are no looser than they should be.
        EXPECT_LE(greatest, 1 / std::sqrt(3.1415926535897 * d));
        EXPECT_GE(least, greatest * (1 - 0.8224670335 * temperature * temperature / d));
      }
    expect_near(gradients.two_key_mean(64, 1), gradients.mean_trace(2, 8), integral_error_bound,
                "the integral over many keys");
    publish("unscaled", digits(gradients.two_key_mean(64, 1), 3));
    publish("scaled", digits(gradients.two_key_mean(64, 8), 3));
    std::vector<std::vector<double>> rows;
    for (double d = 1; d <= 1024; d *= 1.25)
      rows.push_back({d, gradients.two_key_mean(d, 1), two_key_median_norm(d, 1.0),
                      gradients.two_key_mean(d, std::sqrt(d)),
                      two_key_median_norm(d, std::sqrt(d))});
    write_figure_data("jacobian_two_keys",
                      {"d", "unscaled_mean", "unscaled_median", "scaled_mean", "scaled_median"},
                      rows);
    publish("constant", digits(gradients.two_key_mean(1, 1), 4));
    publish("limit_of_the_ratio",
            digits(1 / std::sqrt(3.14159265358979) / gradients.two_key_mean(1, 1), 4));
    publish("ratio", digits(gradients.two_key_mean(64, 1) / gradients.two_key_mean(64, 8), 4));
    enumerated(15);
  });
}

//! [GradientInTheMean: second route]
TEST(GradientInTheMean, TheMeanTraceTimesTheSpreadIsTheMeanAttendedScore) {
  judge(mean_mutants, [](const Gradients& gradients) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    double worst = 0;
    for (const std::size_t n : key_counts)
      for (const double spread : spreads) {
        const double trace = spread * gradients.mean_trace(n, spread);
        const double attended = gradients.mean_attended(n, spread);
        expect_near(trace, attended, (spread + 1) * integral_error_bound,
                    std::to_string(n) + " keys, spread " + digits(spread, 3));
        worst = std::max(worst, std::abs(trace / attended - 1));
      }
    publish("worst", digits(worst, 2));
    enumerated(std::size(key_counts) * std::size(spreads));
  });
}
//! [GradientInTheMean: second route]

//! [GradientInTheMean]
TEST(GradientInTheMean, InTheMeanScalingMakesTheGradientSmaller) {
  judge(mean_mutants, [](const Gradients& gradients) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const std::size_t n : key_counts) {
      // d = 64: the spread β belongs to the temperature 8/β, and the gradient's mean trace is
      // tr/τ = β tr/8. It rises from the flattest softmax to the unscaled one.
      double before = 0;
      for (const double spread : spreads) {
        const double now = spread * gradients.mean_trace(n, spread) / 8;
        EXPECT_GT(now, before + 2 * integral_error_bound) << n << " keys, spread " << spread;
        before = now;
      }
    }
    const auto ratio = [&](std::size_t n) {
      return digits(8 * gradients.mean_trace(n, 8) / gradients.mean_trace(n, 1), 3);
    };
    publish("times_for_5", ratio(5));
    publish("times_for_512", ratio(512));
    publish("trace_for_512", digits(gradients.mean_trace(512, 8), 4));
    publish("scaled_trace_for_512", digits(gradients.mean_trace(512, 1) / 8, 4));
    enumerated(std::size(key_counts) * std::size(spreads));
    counterexample_without("own input");
  });
}
//! [GradientInTheMean]

TEST(GradientInTheMean, BySoftmaxsOwnInputScalingMakesItLarger) {
  judge(mean_mutants, [](const Gradients& gradients) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    // The mean trace falls from each spread to the next, and 1 is the scaled one.
    for (const std::size_t n : key_counts) {
      double before = 1 - 1 / static_cast<double>(n);  // at spread 0
      for (const double spread : spreads) {
        const double now = gradients.mean_trace(n, spread);
        EXPECT_LT(now, before - 2 * integral_error_bound) << n << " keys, spread " << spread;
        before = now;
      }
    }
    for (const std::size_t n : {std::size_t{2}, std::size_t{512}}) {
      const std::string keys = "_for_" + std::to_string(n);
      publish("unscaled" + keys, digits(gradients.mean_trace(n, 8), 3));
      publish("scaled" + keys, digits(gradients.mean_trace(n, 1), 3));
    }
    enumerated(std::size(key_counts) * std::size(spreads));
    counterexample_without("raw scores");
    // Among many keys the mean square of the Frobenius norm falls, by the same variable.
    EXPECT_GT(gradients.mean_squared_norm(512, 8),
              gradients.mean_squared_norm(512, 1) + integral_error_bound);
    counterexample_without("trace norm");
    sharpens("S3", "trace norm");
    expect_confirmed(
        "S3", "gradients are healthy",
        gradients.mean_trace(5, 1) > gradients.mean_trace(5, 8) + integral_error_bound);
  });
}

TEST(GradientInTheMean, TheMeanTraceLiesBetweenItsBounds) {
  judge(mean_mutants, [](const Gradients& gradients) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    // E max of two and of three normal numbers is 1/√π and 3/(2√π).
    const double root_pi = std::sqrt(3.14159265358979324);
    expect_near(gradients.expected_maximum(2), 1 / root_pi, integral_error_bound, "two keys");
    expect_near(gradients.expected_maximum(3), 1.5 / root_pi, integral_error_bound, "three keys");
    for (const std::size_t n : key_counts)
      for (const double spread : spreads) {
        const double trace = gradients.mean_trace(n, spread);
        const auto [least, greatest] = gradients.mean_trace_bounds(n, spread);
        const std::string where = std::to_string(n) + " keys, spread " + digits(spread, 3);
        EXPECT_LE(least, trace + integral_error_bound * (1 + 1 / spread)) << where;
        EXPECT_LE(trace, greatest + integral_error_bound * (1 + 1 / spread)) << where;
        EXPECT_LE(greatest, 1 - 1 / static_cast<double>(n)) << where;
        EXPECT_GE(least, gradients.expected_maximum(n) / spread -
                             std::log(static_cast<double>(n)) / (spread * spread) -
                             integral_error_bound)
            << where;
      }
    std::vector<std::vector<double>> rows;
    for (int quarter = -4; quarter <= 12; ++quarter) {
      const double spread = std::exp2(quarter / 4.0);
      const auto trace = [&](std::size_t n) {
        return spread * gradients.mean_trace(n, spread) / 8;
      };
      rows.push_back({8 / spread, trace(2), trace(5), trace(512)});
    }
    write_figure_data("jacobian_mean_trace", {"temperature", "2_keys", "5_keys", "512_keys"}, rows);
    publish("maximum_of_512", digits(gradients.expected_maximum(512), 4));
    publish("least_for_512", rounded_down(gradients.mean_trace_bounds(512, 8).lower, 3));
    publish("greatest_for_512", rounded_up(gradients.mean_trace_bounds(512, 8).upper, 3));
    enumerated(std::size(key_counts) * std::size(spreads) + 2);
  });
}

TEST(GradientInTheMean, WithEverMoreKeysTheGradientDoesNotVanish) {
  judge(mean_mutants, [](const Gradients& gradients) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    // d = 8 ln n, so that √(2 ln n / d) is ½ and stays there.
    double before = 0.25;
    for (const std::size_t n : {16U, 64U, 256U, 1024U, 4096U}) {
      const double spread = std::sqrt(8 * std::log(static_cast<double>(n)));
      const double trace = gradients.mean_trace(n, spread);
      EXPECT_GT(trace, before + integral_error_bound) << n << " keys";
      before = trace;
      publish("trace_for_" + std::to_string(n), digits(trace, 3));
      publish("d_for_" + std::to_string(n), digits(spread * spread, 3));
    }
    // With the number of keys fixed it does.
    EXPECT_LT(gradients.mean_trace(16, 32), 1.8 / 32);
    enumerated(6);
    counterexample_without("fixed number of keys");
  });
}

// ----------------------------------------------------------------------- TypicalKeyGetsNoGradient

const Mutants typical_mutants = {
    {"the largest score is at the root of 2 ln n",
     "TheMeanLogarithmLiesBetweenItsBounds",
     {.log_weight_bounds =
          [](std::size_t n, double b) {
            auto bounds = remembered<mean_log_weight_bounds>(n, b);
            bounds.upper -= b * (std::sqrt(2 * std::log(static_cast<double>(n))) -
                                 remembered<sqrtdk::expected_maximum>(n));
            return bounds;
          }}},
    {"a quarter of β² instead of its half",
     "TheMeanLogarithmLiesBetweenItsBounds",
     {.log_weight_bounds =
          [](std::size_t n, double b) {
            auto bounds = remembered<mean_log_weight_bounds>(n, b);
            bounds.lower = std::max(bounds.lower, -std::log(static_cast<double>(n)) - b * b / 4);
            return bounds;
          }}},
    {"the mean of the logarithm is that of an even share",
     "TheMeanLogarithmLiesBetweenItsBounds",
     {.mean_log_weight = [](std::size_t n, double) { return -std::log(static_cast<double>(n)); }}},
    {"ln n is forgotten",
     "TheWeightOfATypicalKeyStarves",
     {.log_weight_bounds =
          [](std::size_t n, double b) {
            auto bounds = remembered<mean_log_weight_bounds>(n, b);
            bounds.lower += std::log(static_cast<double>(n));
            return bounds;
          }}},
    {"the largest score is taken twice",
     "TheWeightOfATypicalKeyStarves",
     {.log_weight_bounds =
          [](std::size_t n, double b) {
            auto bounds = remembered<mean_log_weight_bounds>(n, b);
            bounds.upper -= b * remembered<sqrtdk::expected_maximum>(n);
            return bounds;
          }}},
    {"β² instead of its half",
     "TheWeightOfATypicalKeyStarves",
     {.log_weight_bounds =
          [](std::size_t n, double b) {
            auto bounds = remembered<mean_log_weight_bounds>(n, b);
            bounds.lower -= std::min(b * b / 2, 100.0);
            return bounds;
          }}},
};

//! [TypicalKeyGetsNoGradient]
TEST(TypicalKeyGetsNoGradient, TheMeanLogarithmLiesBetweenItsBounds) {
  judge(typical_mutants, [](const Gradients& gradients) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const std::size_t n : key_counts) {
      double before = -std::log(static_cast<double>(n));  // at spread 0
      for (const double spread : spreads) {
        const double mean = gradients.mean_log_weight(n, spread);
        const auto [least, greatest] = gradients.log_weight_bounds(n, spread);
        const double error = mean_error_bound + spread * integral_error_bound;  // and that of E M
        const std::string where = std::to_string(n) + " keys, spread " + digits(spread, 3);
        EXPECT_LE(least - error, mean) << where;
        EXPECT_LE(mean, greatest + error) << where;
        EXPECT_LT(mean, before - 2 * mean_error_bound) << where;
        before = mean;
      }
    }
    enumerated(std::size(key_counts) * std::size(spreads));
  });
}
//! [TypicalKeyGetsNoGradient]

//! [TypicalKeyGetsNoGradient: second route]
TEST(TypicalKeyGetsNoGradient, TheWeightOfATypicalKeyStarves) {
  judge(typical_mutants, [](const Gradients& gradients) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const std::size_t n : {5U, 512U}) {
      // −E ln p = E LSE(βZ), whose derivative by β is the mean attended score; that rises with β,
      // so sums over steps of ½ lie below and above the integral.
      const double log_count = std::log(static_cast<double>(n));
      double low = log_count;
      double high = log_count + gradients.mean_attended(n, 0.5) / 2;
      for (double spread = 0.5; spread <= 4; spread += 0.5) {
        const auto [least, greatest] = gradients.log_weight_bounds(n, spread);
        EXPECT_LE(low, -least + integral_error_bound) << n << " keys, spread " << spread;
        EXPECT_LE(-greatest, high + 8 * integral_error_bound) << n << " keys, spread " << spread;
        EXPECT_LE(-least, log_count + spread * spread / 2 + integral_error_bound);
        EXPECT_GT(gradients.mean_attended(n, spread + 0.5), integral_error_bound)
            << "the mean logarithm of a weight does not fall";
        low += gradients.mean_attended(n, spread) / 2;
        high += gradients.mean_attended(n, spread + 0.5) / 2;
      }
    }
    publish(
        "unscaled_at_most",
        digits(std::ceil(1e12 * std::exp(gradients.log_weight_bounds(512, 8).upper)) / 1e12, 2));
    publish("scaled_at_least",
            rounded_down(std::exp(gradients.log_weight_bounds(512, 1).lower), 5));
    publish("scaled_at_most", rounded_up(std::exp(gradients.log_weight_bounds(512, 1).upper), 5));
    EXPECT_LT(gradients.log_weight_bounds(512, 8).upper,
              gradients.log_weight_bounds(512, 1).lower - 17);
    enumerated(16);
  });
}
//! [TypicalKeyGetsNoGradient: second route]

}  // namespace
