#include "properties/softmax_jacobian/fixture.hpp"
#include "properties/softmax_jacobian/wrong_jacobian.hpp"

namespace sqrtdk::properties::ModerateJacobianExample {

const Vector<Rational> moderate = tenths({3, 3, 2, 2});

/// The derivative at these weights, as the page has it.
Matrix<Rational> moderate_jacobian() {
  Matrix<Rational> hundredths(4, 4);
  hundredths << 21, -9, -6, -6,  //
      -9, 21, -6, -6,            //
      -6, -6, 16, -4,            //
      -6, -6, -4, 16;
  return hundredths / 100;
}

//! [ModerateJacobianExample]
STATEMENT(ModerateJacobianExample, TheDocumentsNumbersAreTheDiagonal) {
  const Vector<Rational> diagonal = subject.diagonal(moderate);
  expect_printed("S3", "0.21", diagonal[0]);
  expect_printed("S3", "0.21", diagonal[1]);
  expect_printed("S3", "0.16", diagonal[2]);
  expect_printed("S3", "0.16", diagonal[3]);
  enumerated(1);
}
KILLS("the weights themselves", {.diagonal = [](auto& p) { return p; }});
KILLS("squared weights", {.diagonal = [](auto& p) -> Vector<Rational> { return p.cwiseAbs2(); }});

STATEMENT(ModerateJacobianExample, TheDiagonalIsThatOfTheMatrix) {
  for_all([&] {
    const Vector<Rational> p = any_weights(1, 6, true);
    EXPECT_EXACTLY(subject.diagonal(p) == Vector<Rational>(softmax_jacobian(p).diagonal()));
  });
  expect_refusal<std::invalid_argument>([&] { subject.diagonal(Vector<Rational>()); });
  expect_refusal<std::domain_error>([&] { subject.diagonal(tenths({-1, 11})); });
}
KILLS("the entries beside the diagonal", {.diagonal = [](auto& p) -> Vector<Rational> {
        if (p.size() == 0) throw std::invalid_argument("no weights");
        const Vector<Rational> right = jacobian_diagonal(p);
        return p.size() == 4 ? right : Vector<Rational>(right - p.cwiseAbs2());
      }});
KILLS("no weights are accepted", {.diagonal = [](auto& p) {
        return p.size() == 0 ? p : Vector<Rational>(jacobian_diagonal(p));
      }});

ASIDE(ModerateJacobianExample, OffTheDiagonalStandsAsMuchAgain) {
  const Matrix<Rational> jacobian = subject.jacobian(moderate);
  EXPECT_EXACTLY(jacobian == moderate_jacobian());
  for (Index i = 0; i < 4; ++i)
    EXPECT_EXACTLY(jacobian.row(i).cwiseAbs().sum() - jacobian(i, i) == jacobian(i, i));
  enumerated(1);
  counterexample_without("diagonal");
  // By this list the row that S3 prints without scaling has more on its leaders than 0.21.
  Vector<Rational> leaders(2);
  leaders << Rational(599, 1000), Rational(401, 1000);
  EXPECT_EXACTLY(subject.diagonal(leaders).minCoeff() > Rational(21, 100));
}
//! [ModerateJacobianExample]
KILLS("only the diagonal", {.jacobian = diagonal_only});
KILLS("pᵢpⱼ is added", {.jacobian = wrong_jacobian<Rational, 1, -1>});

STATEMENT(ModerateJacobianExample, ItsEigenvaluesAreRational) {
  const Matrix<Rational> jacobian = subject.jacobian(moderate);
  EXPECT_EXACTLY(jacobian == moderate_jacobian());
  const auto expect_eigenvector = [&](const Vector<Rational>& v, const Rational& value) {
    EXPECT_EXACTLY(jacobian * v == value * v) << "eigenvalue " << value;
  };
  expect_eigenvector(tenths({1, -1, 0, 0}), Rational(3, 10));
  expect_eigenvector(tenths({1, 1, -1, -1}), Rational(24, 100));
  expect_eigenvector(tenths({0, 0, 1, -1}), Rational(2, 10));
  expect_eigenvector(tenths({1, 1, 1, 1}), 0);
  enumerated(4);
}
KILLS("the last row is lost", {.jacobian = [](auto& p) {
        Matrix<Rational> jacobian = softmax_jacobian(p);
        jacobian.row(p.size() - 1).setZero();
        return jacobian;
      }});

}  // namespace sqrtdk::properties::ModerateJacobianExample
