// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/softmax_jacobian/fixture.hpp"
#include "properties/softmax_jacobian/wrong_jacobian.hpp"
#include "properties/support/vectors.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

namespace sqrtdk::properties::JacobianStructure {

using namespace sqrtdk::testing;

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
  check_statement(jacobian_structure_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      const Vector<Rational> v = any_vector(p.size(), "direction");
      const RationalDistribution distribution(std::vector<Rational>(v.begin(), v.end()),
                                              std::vector<Rational>(p.begin(), p.end()));
      EXPECT_EXACTLY(v.dot(gradients.jacobian(p) * v) == variance(distribution));
    });
  });
}
//! [JacobianStructure]

TEST(JacobianStructure, IsSymmetricAndItsRowsSumToZero) {
  check_statement(jacobian_structure_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      const Matrix<Rational> jacobian = gradients.jacobian(p);
      EXPECT_EXACTLY(jacobian == jacobian.transpose());
      for (Index i = 0; i < p.size(); ++i) EXPECT_EXACTLY(jacobian.row(i).sum() == 0);
    });
  });
}

//! [JacobianStructure: exact check]
TEST(JacobianStructure, ItsRankIsOneLessThanTheNumberOfKeys) {
  check_statement(jacobian_structure_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 7);
      // The constants are in the kernel, since rows sum to 0; by its rank there is nothing else.
      EXPECT_EXACTLY(rank(gradients.jacobian(p)) == p.size() - 1);
    });
  });
}

TEST(JacobianStructure, ItsEigenvaluesLieBetweenZeroAndTheBound) {
  check_statement(jacobian_structure_mutants, [](const Gradients& gradients) {
    const auto lie_between = [&](const Vector<Rational>& p) {
      const Matrix<Rational> jacobian = gradients.jacobian(p);
      Rational bound = 0;  // 2 max pᵢ(1 − pᵢ)
      for (const Rational& weight : p) bound = std::max<Rational>(bound, 2 * weight * (1 - weight));
      return is_positive_semidefinite(jacobian) && bound <= Rational(1, 2) &&
             is_positive_semidefinite(scalar_matrix(p.size(), bound) - jacobian);
    };
    for (Index n = 1; n <= 6; ++n)
      EXPECT_EXACTLY(lie_between(Vector<Rational>::Constant(n, Rational(1, n))))
          << n << " equal keys";
    for_all([&] { EXPECT_EXACTLY(lie_between(any_weights(1, 6, true))); });
    const Vector<Rational> v = tenths({1, -1});
    EXPECT_EXACTLY(gradients.jacobian(tenths({5, 5})) * v == v / 2)
        << "1/2 is reached at two halves";
    EXPECT_EXACTLY(is_positive_semidefinite(scalar_matrix(2, Rational(1, 2)) -
                                            gradients.jacobian(tenths({5, 5}))));
  });
}
//! [JacobianStructure: exact check]

TEST(JacobianStructure, TraceAndNormArePowerSums) {
  check_statement(jacobian_structure_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      const Matrix<Rational> jacobian = softmax_jacobian(p);
      const Rational second = p.squaredNorm(), third = p.array().cube().sum();
      EXPECT_EXACTLY(gradients.trace(p) == jacobian.trace());
      EXPECT_EXACTLY(gradients.trace(p) == 1 - second);
      EXPECT_EXACTLY(gradients.squared_norm(p) == jacobian.squaredNorm());
      EXPECT_EXACTLY(gradients.squared_norm(p) == second - 2 * third + second * second);
    });
  });
}

TEST(JacobianStructure, AKeyOfWeightZeroEnlargesTheKernel) {
  check_with_mutants(jacobian_structure_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(2, 6, true);
      const Index positive = (p.array() > Rational(0)).count();
      RC_PRE(positive < p.size());
      EXPECT_EXACTLY(rank(gradients.jacobian(p)) == positive - 1);
    });
    counterexample_without("positive weights");
  });
}

TEST(JacobianStructure, WeightsThatDoNotSumToOneMoveTogether) {
  check_with_mutants(jacobian_structure_mutants, [](const Gradients& gradients) {
    const Vector<Rational> p = tenths({3, 2});
    const Matrix<Rational> jacobian = gradients.jacobian(p);
    EXPECT_EXACTLY(jacobian.row(0).sum() == Rational(15, 100));
    EXPECT_EXACTLY(rank(jacobian) == 2);
    EXPECT_EXACTLY(gradients.trace(p) != jacobian.trace());
    counterexample_without("sum one");
  });
}

}  // namespace sqrtdk::properties::JacobianStructure
