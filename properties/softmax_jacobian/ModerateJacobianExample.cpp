// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/softmax_jacobian/fixture.hpp"
#include "properties/softmax_jacobian/wrong_jacobian.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace sqrtdk::properties::ModerateJacobianExample {

using namespace sqrtdk::testing;

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

const Mutants moderate_jacobian_example_mutants = {
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
  check_statement(moderate_jacobian_example_mutants, [](const Gradients& gradients) {
    const Vector<Rational> diagonal = gradients.diagonal(moderate);
    expect_printed("S3", "0.21", diagonal[0]);
    expect_printed("S3", "0.21", diagonal[1]);
    expect_printed("S3", "0.16", diagonal[2]);
    expect_printed("S3", "0.16", diagonal[3]);
    enumerated(1);
  });
}

TEST(ModerateJacobianExample, TheDiagonalIsThatOfTheMatrix) {
  check_statement(moderate_jacobian_example_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      EXPECT_EXACTLY(gradients.diagonal(p) == Vector<Rational>(softmax_jacobian(p).diagonal()));
    });
    expect_refusal<std::invalid_argument>([&] { gradients.diagonal(Vector<Rational>()); });
    expect_refusal<std::domain_error>([&] { gradients.diagonal(tenths({-1, 11})); });
  });
}

TEST(ModerateJacobianExample, OffTheDiagonalStandsAsMuchAgain) {
  check_with_mutants(moderate_jacobian_example_mutants, [](const Gradients& gradients) {
    const Matrix<Rational> jacobian = gradients.jacobian(moderate);
    EXPECT_EXACTLY(jacobian == moderate_jacobian());
    for (Index i = 0; i < 4; ++i)
      EXPECT_EXACTLY(jacobian.row(i).cwiseAbs().sum() - jacobian(i, i) == jacobian(i, i));
    enumerated(1);
    counterexample_without("diagonal");
    // By this list the row that S3 prints without scaling has more on its leaders than 0.21.
    Vector<Rational> leaders(2);
    leaders << Rational(599, 1000), Rational(401, 1000);
    EXPECT_EXACTLY(gradients.diagonal(leaders).minCoeff() > Rational(21, 100));
  });
}
//! [ModerateJacobianExample]

TEST(ModerateJacobianExample, ItsEigenvaluesAreRational) {
  check_statement(moderate_jacobian_example_mutants, [](const Gradients& gradients) {
    const Matrix<Rational> jacobian = gradients.jacobian(moderate);
    EXPECT_EXACTLY(jacobian == moderate_jacobian());
    const auto expect_eigenvector = [&](const Vector<Rational>& v, const Rational& value) {
      EXPECT_EXACTLY(jacobian * v == value * v) << "eigenvalue " << value;
    };
    expect_eigenvector(tenths({1, -1, 0, 0}), Rational(3, 10));
    expect_eigenvector(tenths({1, 1, -1, -1}), Rational(24, 100));
    expect_eigenvector(tenths({0, 0, 1, -1}), Rational(2, 10));
    expect_eigenvector(tenths({1, 1, 1, 1}), 0);
    enumerated(4);
  });
}

}  // namespace sqrtdk::properties::ModerateJacobianExample
