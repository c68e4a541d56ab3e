#include <sqrtdk/testing/substitute.hpp>

#include "exercises/exercise.hpp"
#include "properties/softmax_jacobian/fixture.hpp"
#include "properties/support/vectors.hpp"

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;
using ::testing::PrintToString;

using List = std::vector<Rational>;

List list_of(const Vector<Rational>& v) { return List(v.begin(), v.end()); }

// ------------------------------------------------------------------------------ A body removed

const Judged backward_pass("BackwardPass", "SoftmaxJacobian.ProductsNeedNoMatrix", [] {
  Subject student;
  student.backward = [](const Vector<Rational>& p, const Vector<Rational>& g) {
    const auto answer = ask<List>("backward", list_of(p), list_of(g));
    if (answer.size() != static_cast<std::size_t>(p.size()))
      throw std::runtime_error("as many numbers as there are weights are wanted, " +
                               std::to_string(p.size()) + ", and you return " +
                               std::to_string(answer.size()));
    remark("for the weights " + in_words(list_of(p)) + " and the gradient " + in_words(list_of(g)) +
           ", the scores change the loss at the rates " +
           in_words(list_of(vector_jacobian_product(p, g))) + ", and you return " +
           in_words(answer));
    return vector_of(answer);
  };
  substitute<Subject>().implementation = student;
});

// ----------------------------------------------------------------------------- Write the check

/// Wrong at all weights but two halves, which the page shows.
Matrix<Rational> right_on_the_page(const Vector<Rational>& p) {
  Matrix<Rational> jacobian = softmax_jacobian(p);
  const bool shown = p.size() == 2 && p[0] == p[1];
  if (!shown) jacobian(0, 0) += 1;
  return jacobian;
}

Matrix<Rational> right_but_for_the_last(const Vector<Rational>& p) {
  Matrix<Rational> jacobian = softmax_jacobian(p);
  const Index last = p.size() - 1;
  if (last > 0) jacobian(last, last) += p[last];
  return jacobian;
}

Matrix<Rational> moved_without_weight(const Vector<Rational>& p) {
  Matrix<Rational> jacobian = softmax_jacobian(p);
  for (Index i = 0; i < p.size(); ++i)
    if (p[i] == 0) jacobian(i, i) = Rational(1, 4);
  return jacobian;
}

const Judged step_law(
    "StepLaw", "JacobianStructure.ItsQuadraticFormIsTheVarianceUnderTheWeights", [] {
      Substitute<Subject>& here = substitute<Subject>();
      here.check = [](const Subject& subject) {
        for_law([&] {
          const Vector<Rational> p = any_weights(1, 6, true);
          const Vector<Rational> v = any_vector(p.size(), "the step");
          const auto law = [&](const Subject& judged) {
            const std::function<std::vector<List>(const List&)> derivative = [&](const List& at) {
              const Matrix<Rational> jacobian = judged.jacobian(vector_of(at));
              std::vector<List> rows;
              for (Index i = 0; i < jacobian.rows(); ++i)
                rows.push_back(list_of(jacobian.row(i).transpose()));
              return rows;
            };
            return ask<bool>("keeps_step_law", derivative, list_of(p), list_of(v));
          };
          EXPECT_EXACTLY(says_yes(law, subject))
              << "your law says no here, of a function that is right";
        });
      };
      const char* const aimed = "ItsQuadraticFormIsTheVarianceUnderTheWeights";
      here.more_mutants = {
          {"right at the weights of the page", aimed, {.jacobian = right_on_the_page}},
          {"only the diagonal is right", aimed, {.jacobian = diagonal_only}},
          {"only the last entry of the diagonal is wrong",
           aimed,
           {.jacobian = right_but_for_the_last}},
          {"a key of weight 0 has a derivative", aimed, {.jacobian = moved_without_weight}}};
    });

// -------------------------------------------------------------------------- Predict, then run

const Judged larger_derivative("LargerDerivative", "LargerDerivative.*");

std::string shown(const Rational& x) {
  return x.str() + " = " + format_significant(x.convert_to<double>(), 5);
}

TEST(LargerDerivative, IsThatOfTheLargerNorm) {
  for_all([&] {
    const Rational rest = *in_parts(1, 51, 100).as("the rest");
    const int turn = (1 / rest).convert_to<int>();
    const auto n =
        static_cast<std::size_t>(*rc::gen::oneOf(rc::gen::inRange(2, 1025),
                                                 rc::gen::inRange(std::max(2, turn - 1), turn + 2),
                                                 rc::gen::just(std::max(2, turn)))
                                      .as("how many keys"));
    const Rational peaked = peaked_jacobian_norm(n, rest);
    const Rational uniform = uniform_jacobian_norm(n);
    const bool said = ask<bool>("is_peaked_larger", n, rest);
    const bool right = said == (peaked > uniform);
    EXPECT_EXACTLY(right) << "you say that the derivative at the peaked weights is "
                          << (said ? "" : "not ") << "the larger one. Its norm is " << shown(peaked)
                          << " where the others share " << rest << ", and " << shown(uniform)
                          << " at equal weights";
  });
}

// -------------------------------------------------------------------------------------- By hand

const Judged best_start("BestStart", "BestStart.*");

/// A weight's share beside n − 1 weights of 1.
Rational share(const Rational& weight, std::size_t n) {
  return weight / (weight + Rational(n - 1));
}

/// The derivative of this share by the score of the weight.
Rational slope(const Rational& weight, std::size_t n) {
  Vector<Rational> weights = Vector<Rational>::Ones(static_cast<Index>(n));
  weights[0] = weight;
  return jacobian_diagonal(normalized_weights(weights))[0];
}

TEST(BestStart, HasTheLargestDerivative) {
  const auto judge = [](std::size_t n) {
    const auto weight = ask<Rational>("best_weight", n);
    const bool is_positive = weight > 0;
    EXPECT_EXACTLY(is_positive) << "a weight is positive";
    if (!is_positive) return;
    const Rational better = (weight + Rational(n - 1)) / 2;
    const bool is_best = slope(weight, n) >= slope(better, n);
    EXPECT_EXACTLY(is_best) << "among " << n << ", a weight of " << weight << " beside " << n - 1
                            << (n == 2 ? " weight" : " weights") << " of 1 has the share "
                            << share(weight, n) << ", and the derivative " << slope(weight, n)
                            << ". A " << (better > weight ? "larger" : "smaller")
                            << " weight does better: " << better << " has the share "
                            << share(better, n) << ", and the derivative " << slope(better, n);
  };
  for (const std::size_t n : {2U, 3U, 4U, 10U, 512U}) judge(n);
  for_all([&] { judge(*rc::gen::inRange<std::size_t>(2, 1025).as("how many keys")); }, 50);
}

}  // namespace sqrtdk::exercises
