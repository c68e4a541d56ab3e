#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>

#include "properties/softmax_jacobian/fixture.hpp"
#include "properties/softmax_jacobian/wrong_jacobian.hpp"
#include "properties/support/vectors.hpp"

namespace sqrtdk::properties::JacobianStructure {

//! [JacobianStructure]
STATEMENT(JacobianStructure, ItsQuadraticFormIsTheVarianceUnderTheWeights) {
  for_all([&] {
    const Vector<Rational> p = any_weights(1, 6, true);
    const Vector<Rational> v = any_vector(p.size(), "direction");
    const RationalDistribution distribution(std::vector<Rational>(v.begin(), v.end()),
                                            std::vector<Rational>(p.begin(), p.end()));
    EXPECT_EXACTLY(v.dot(subject.jacobian(p) * v) == variance(distribution));
  });
}
//! [JacobianStructure]
KILLS("doubled", {.jacobian = [](auto& p) -> Matrix<Rational> { return 2 * softmax_jacobian(p); }});
KILLS("the Jacobian of the uniform distribution", {.jacobian = [](auto& p) {
        return softmax_jacobian(
            Vector<Rational>(Vector<Rational>::Constant(p.size(), Rational(1, p.size()))));
      }});

STATEMENT(JacobianStructure, IsSymmetricAndItsRowsSumToZero) {
  for_all([&] {
    const Vector<Rational> p = any_weights(1, 6, true);
    const Matrix<Rational> jacobian = subject.jacobian(p);
    EXPECT_EXACTLY(jacobian == jacobian.transpose());
    for (Index i = 0; i < p.size(); ++i) EXPECT_EXACTLY(jacobian.row(i).sum() == 0);
  });
}
KILLS("not symmetric", {.jacobian = [](auto& p) {
        Matrix<Rational> jacobian = softmax_jacobian(p);
        if (p.size() > 1) {
          jacobian(0, 1) += 1;
          jacobian(0, 0) -= 1;
        }
        return jacobian;
      }});
KILLS("δ is forgotten", {.jacobian = wrong_jacobian<Rational, 0, 1>});

//! [JacobianStructure: exact check]
STATEMENT(JacobianStructure, ItsRankIsOneLessThanTheNumberOfKeys) {
  for_all([&] {
    const Vector<Rational> p = any_weights(1, 7);
    // The constants are in the kernel, since rows sum to 0; by its rank there is nothing else.
    EXPECT_EXACTLY(rank(subject.jacobian(p)) == p.size() - 1);
  });
}
KILLS("only the diagonal", {.jacobian = diagonal_only});

STATEMENT(JacobianStructure, ItsEigenvaluesLieBetweenZeroAndTheBound) {
  const auto lie_between = [&](const Vector<Rational>& p) {
    const Matrix<Rational> jacobian = subject.jacobian(p);
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
  EXPECT_EXACTLY(subject.jacobian(tenths({5, 5})) * v == v / 2) << "1/2 is reached at two halves";
  EXPECT_EXACTLY(is_positive_semidefinite(scalar_matrix(2, Rational(1, 2)) -
                                          subject.jacobian(tenths({5, 5}))));
}
//! [JacobianStructure: exact check]
KILLS("larger by a tenth", {.jacobian = [](auto& p) -> Matrix<Rational> {
        return Rational(11, 10) * softmax_jacobian(p);
      }});
KILLS("smaller by a tenth", {.jacobian = [](auto& p) -> Matrix<Rational> {
        return Rational(9, 10) * softmax_jacobian(p);
      }});
KILLS("doubled where no weight exceeds a quarter", {.jacobian = [](auto& p) -> Matrix<Rational> {
        return Rational(p.maxCoeff() <= Rational(1, 4) ? 2 : 1) * softmax_jacobian(p);
      }});
KILLS("the third diagonal entry has the other sign", {.jacobian = [](auto& p) {
        Matrix<Rational> jacobian = softmax_jacobian(p);
        if (p.size() > 2) jacobian(2, 2) *= -1;
        return jacobian;
      }});

STATEMENT(JacobianStructure, TraceAndNormArePowerSums) {
  for_all([&] {
    const Vector<Rational> p = any_weights(1, 6, true);
    const Matrix<Rational> jacobian = softmax_jacobian(p);
    const Rational second = p.squaredNorm(), third = p.array().cube().sum();
    EXPECT_EXACTLY(subject.trace(p) == jacobian.trace());
    EXPECT_EXACTLY(subject.trace(p) == 1 - second);
    EXPECT_EXACTLY(subject.squared_norm(p) == jacobian.squaredNorm());
    EXPECT_EXACTLY(subject.squared_norm(p) == second - 2 * third + second * second);
  });
}
KILLS("1 + Σp²", {.trace = [](auto& p) { return 1 + p.squaredNorm(); }});
KILLS("Σp² − 2Σp³ without the square",
      {.squared_norm = [](auto& p) { return p.squaredNorm() - 2 * p.array().cube().sum(); }});
KILLS("Σp² is dropped",
      {.squared_norm = [](auto& p) { return jacobian_squared_norm(p) - p.squaredNorm(); }});
KILLS("Σp³ once",
      {.squared_norm = [](auto& p) { return jacobian_squared_norm(p) + p.array().cube().sum(); }});

ASIDE(JacobianStructure, AKeyOfWeightZeroEnlargesTheKernel) {
  for_all([&] {
    const Vector<Rational> p = any_weights(2, 6, true);
    const Index positive = (p.array() > Rational(0)).count();
    RC_PRE(positive < p.size());
    EXPECT_EXACTLY(rank(subject.jacobian(p)) == positive - 1);
  });
  counterexample_without("positive weights");
}
KILLS("a key of weight 0 has a gradient", {.jacobian = [](auto& p) {
        Matrix<Rational> jacobian = softmax_jacobian(p);
        for (Index i = 0; i < p.size(); ++i)
          if (p[i] == 0) jacobian(i, i) = 1;
        return jacobian;
      }});

ASIDE(JacobianStructure, WeightsThatDoNotSumToOneMoveTogether) {
  const Vector<Rational> p = tenths({3, 2});
  const Matrix<Rational> jacobian = subject.jacobian(p);
  EXPECT_EXACTLY(jacobian.row(0).sum() == Rational(15, 100));
  EXPECT_EXACTLY(rank(jacobian) == 2);
  EXPECT_EXACTLY(subject.trace(p) != jacobian.trace());
  counterexample_without("sum one");
}
KILLS("weights are normalized first",
      {.jacobian = [](auto& p) { return softmax_jacobian(normalized_weights(p)); }});
KILLS("the trace is that of the matrix, whatever the sum of the weights",
      {.trace = [](auto& p) { return softmax_jacobian(p).trace(); }});

}  // namespace sqrtdk::properties::JacobianStructure
