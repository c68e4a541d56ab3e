// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/expect_worst.hpp>
#include <sqrtdk/testing/statistics/number_text.hpp>

#include "properties/support/message_of.hpp"
#include "properties/support/outcomes.hpp"

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

using Eigen::Index;
using RationalMatrix = Matrix<Rational>;
using WideColumn = Eigen::Matrix<Wide, Eigen::Dynamic, 1>;

/// A rational number that errs in each operation as much as the model of rounding allows: by the
/// part u, and by uλ more in products and quotients. Which way is told it.
struct Erring {
  Rational value = 0;

  static inline Rational u;
  static inline Rational lambda;
  static inline std::function<int()> direction;  ///< of the next error: 1 or −1
  static inline int direction_of_root = 1;

  Erring() = default;
  Erring(double x) : value(x) {}  // NOLINT: a scalar is made of numbers
  explicit Erring(const Rational& x) : value(x) {}

  /// The sum; that of a number and 0 is exact.
  friend Erring operator+(const Erring& a, const Erring& b) {
    if (a.value == 0) return b;
    if (b.value == 0) return a;
    return rounded(a.value + b.value);
  }
  friend Erring operator-(const Erring& a, const Erring& b) {
    return a + Erring(Rational(-b.value));
  }
  friend Erring operator*(const Erring& a, const Erring& b) {
    return with_underflow(a.value * b.value);
  }
  friend Erring operator/(const Erring& a, const Erring& b) {
    return with_underflow(a.value / b.value);
  }
  Erring& operator+=(const Erring& x) { return *this = *this + x; }
  friend bool operator==(const Erring& a, const Erring& b) { return a.value == b.value; }
  /// The root of a square.
  friend Erring sqrt(const Erring& x) {
    return Erring(Rational(sqrt(Integer(numerator(x.value)))) * (1 + direction_of_root * u));
  }

 private:
  static Erring rounded(const Rational& exact) {
    return Erring(Rational(exact * (1 + direction() * u)));
  }
  static Erring with_underflow(const Rational& exact) {
    if (exact == 0) return Erring(exact);
    const Rational lost = direction() * u * lambda;
    return Erring(Rational(rounded(exact).value + lost));
  }
};

}  // namespace

/// \cond  Doxygen does not know the namespaces of Eigen.
template <>
struct Eigen::NumTraits<Erring> : Eigen::NumTraits<double> {
  using Real = Erring;
  using NonInteger = Erring;
  using Nested = Erring;
  using Literal = Erring;
  enum { RequireInitialization = 1 };
};
/// \endcond

namespace {

/// Sets what an Erring number errs by.
void let_err(const Rational& u, const Rational& lambda, std::function<int()> direction,
             int direction_of_root) {
  Erring::u = u;
  Erring::lambda = lambda;
  Erring::direction = std::move(direction);
  Erring::direction_of_root = direction_of_root;
}

/// The arithmetic of Erring numbers.
SoftmaxArithmetic erring_arithmetic() {
  SoftmaxArithmetic arithmetic;
  arithmetic.unit_roundoff = Erring::u.convert_to<double>();
  arithmetic.smallest = Rational(2 * Erring::u * Erring::lambda).convert_to<double>();
  return arithmetic;
}

/// Directions from a drawn list, over and over.
std::function<int()> drawn_directions() {
  const auto list =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<bool>>(61, rc::gen::arbitrary<bool>()))
           .as("which way each operation errs");
  return [list, place = std::size_t{0}]() mutable { return list[place++ % list.size()] ? 1 : -1; };
}

int upward() { return 1; }

Matrix<Erring> erring(const RationalMatrix& x) {
  return x.unaryExpr([](const Rational& entry) { return Erring(entry); });
}

Eigen::MatrixXd in_double(const RationalMatrix& x) {
  return x.unaryExpr([](const Rational& entry) { return entry.convert_to<double>(); });
}

/// A matrix of quarters from −2 to 2, so that each is a double.
RationalMatrix drawn_quarters(Index rows, Index columns, const char* name) {
  const auto list = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(rows * columns),
                                                          rc::gen::inRange(-8, 9))
                         .as(name);
  RationalMatrix x(rows, columns);
  for (Index i = 0; i < x.size(); ++i) x(i) = Rational(list[static_cast<std::size_t>(i)], 4);
  return x;
}

Index drawn_size(int most, const char* name) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<Index>(1, most + 1)).as(name);
}

Wide wide(double x) { return Wide(x); }

/// A search from a fixed seed; a mutant that it is to kill dies soon.
Search searched(std::size_t evaluations) {
  return {.seed = 10, .evaluations = judging_a_mutant() ? evaluations / 15 : evaluations};
}

Wide size_of(long double x) { return abs(Wide(x)); }

/// γ_k in fifty digits.
Wide gamma_of(Index k, const Wide& u) { return Wide(k * u / (1 - k * u)); }

/// What may be lost where a bound is computed in double precision.
constexpr double lost_in_double = 64 * std::numeric_limits<double>::denorm_min();

/// The arithmetics in which bounds are computed, from the finest to one that is as coarse as half
/// precision.
SoftmaxArithmetic arithmetic_number(int which) {
  if (which == 0) return arithmetic_of<double>();
  if (which == 1) return arithmetic_of<float>();
  SoftmaxArithmetic coarse = arithmetic_of<Eigen::half>();
  coarse.unit_roundoff = 0x1p-11;
  coarse.smallest = 0x1p-24;
  coarse.depth_of_underflow = 25 * std::log(2.0);
  coarse.largest = 65504;
  coarse.exp_argument_error = 1;
  return coarse;
}

// ----------------------------------------------------------------------------------- ScoreRounding

/// How far scores can be off.
struct ScoreBound {
  std::function<double(double, double, double, const std::optional<double>&,
                       const SoftmaxArithmetic&)>
      bound = sqrtdk::score_error_bound;
  /// How large a number can become on the way to a score.
  std::function<double(const Matrix<double>&, const Matrix<double>&)> reach =
      [](const Matrix<double>& queries, const Matrix<double>& keys) {
        return attention_score_errors<Wide>(queries, keys).reach;
      };
};

const std::vector<Mutant<ScoreBound>> score_rounding_mutants = {
    {"the root is not rounded",
     "NoRoundingGoesBeyondTheBound",
     {.bound =
          [](double d, double scale, double magnitude, const std::optional<double>& bias,
             const SoftmaxArithmetic& a) {
            return score_error_bound(d - 1, scale, magnitude, bias, a);
          }}},
    {"the sum with the bias is not rounded",
     "NoRoundingGoesBeyondTheBound",
     {.bound =
          [](double d, double scale, double magnitude, const std::optional<double>&,
             const SoftmaxArithmetic& a) {
            return score_error_bound(d, scale, magnitude, std::nullopt, a);
          }}},
    {"products do not underflow",
     "NoRoundingGoesBeyondTheBound",
     {.bound =
          [](double d, double scale, double magnitude, const std::optional<double>& bias,
             SoftmaxArithmetic a) {
            a.smallest = 0;
            return score_error_bound(d, scale, magnitude, bias, a);
          }}},
    {"each addition rounds twice",
     "WithOneRoundingFewerItWouldBeFalse",
     {.bound =
          [](double d, double scale, double magnitude, const std::optional<double>& bias,
             const SoftmaxArithmetic& a) {
            return score_error_bound(2 * d - 1, scale, magnitude, bias, a);
          }}},
    {"the exact product of large numbers is taken for small",
     "ComputedScoresAreWithinTheBound",
     {.bound =
          [](double d, double scale, double magnitude, const std::optional<double>& bias,
             const SoftmaxArithmetic& a) {
            return score_error_bound(d, scale, std::min(magnitude, 1.0), bias, a);
          }}},
    {"half of the bound",
     "TheBoundIsTheFormulaOfThePage",
     {.bound =
          [](double d, double scale, double magnitude, const std::optional<double>& bias,
             const SoftmaxArithmetic& a) {
            return score_error_bound(d, scale, magnitude, bias, a) / 2;
          }}},
    {"the scale of underflow is left out",
     "TheBoundIsTheFormulaOfThePage",
     {.bound =
          [](double d, double scale, double magnitude, const std::optional<double>& bias,
             const SoftmaxArithmetic& a) {
            return score_error_bound(d, 1, scale * magnitude, bias, a);
          }}},
    {"no number on the way overflows",
     "AnOverflowOnTheWayIsOutside",
     {.reach = [](const Matrix<double>&, const Matrix<double>&) { return 0.0; }}},
    {"a product may be flushed to zero",
     "FlushedProductsAreOutside",
     {.bound =
          [](double d, double scale, double magnitude, const std::optional<double>& bias,
             const SoftmaxArithmetic& a) {
            return score_error_bound(d, scale, magnitude, bias, a) + underflow_threshold(a);
          }}},
};

/// How far the score of Erring numbers is off, and how far it may be.
Outcome score_of_erring(const ScoreBound& scores, const RationalMatrix& q, const RationalMatrix& k,
                        const std::optional<Rational>& scale, const std::optional<Rational>& bias) {
  const Index d = q.cols();
  AttentionOptions<Erring> options;
  if (scale) options.scale = Erring(*scale);
  if (bias) options.bias = Matrix<Erring>::Constant(1, 1, Erring(*bias));
  // With scores for weights, what comes out are the scores.
  const auto as_they_are = [](const auto& x) { return x; };
  const Rational computed = attention_weights(erring(q), erring(k), options, as_they_are)(0).value;
  const Rational c = scale ? *scale : 1 / Rational(sqrt(Integer(d)));
  const Rational exact = q.cwiseProduct(k).sum() * c + (bias ? *bias : Rational(0));
  const Rational magnitude = q.cwiseProduct(k).cwiseAbs().sum();
  std::optional<double> size_of_bias;
  if (bias) size_of_bias = Rational(abs(*bias)).convert_to<double>();
  Outcome outcome;
  outcome.error = Rational(abs(computed - exact)).convert_to<double>();
  outcome.bound = scores.bound(static_cast<double>(d), Rational(abs(c)).convert_to<double>(),
                               magnitude.convert_to<double>(), size_of_bias, erring_arithmetic());
  outcome.where = "the score is " + computed.str() + " instead of " + exact.str();
  return outcome;
}

/// A row of d numbers, of which the first is by far the largest.
RationalMatrix first_of(Index d) {
  RationalMatrix x = RationalMatrix::Constant(1, d, Rational(1, Integer(1) << 40));
  x(0) = 1;
  return x;
}

//! [ScoreRounding]
TEST(ScoreRounding, NoRoundingGoesBeyondTheBound) {
  judge(score_rounding_mutants, [](const ScoreBound& scores) {
    of_the_statement();
    const RationalMatrix one = RationalMatrix::Constant(1, 1, Rational(1));
    const RationalMatrix none = RationalMatrix::Constant(1, 1, Rational(1, Integer(1) << 30));
    for (const int down : {1, -1}) {
      let_err(
          Rational(1, 64), 4, [down] { return down; }, -down);
      expect_unless_vacuous(score_of_erring(scores, one, one, std::nullopt, std::nullopt));
      expect_unless_vacuous(score_of_erring(scores, none, one, std::nullopt, std::nullopt));
      let_err(
          Rational(1, 64), 0, [down] { return down; }, -down);
      expect_unless_vacuous(score_of_erring(scores, one, one, std::nullopt, std::nullopt));
      expect_unless_vacuous(score_of_erring(scores, one, one, std::nullopt, Rational(3)));
    }
    for_all([&] {
      const Index root = drawn_size(3, "root of d");
      const RationalMatrix q = drawn_quarters(1, root * root, "q");
      const RationalMatrix k = drawn_quarters(1, root * root, "k");
      const auto with_scale = *rc::gen::arbitrary<bool>().as("with a scale");
      const auto with_bias = *rc::gen::arbitrary<bool>().as("with a bias");
      let_err(Rational(1, 64), Rational(1, 4), drawn_directions(),
              *rc::gen::element(1, -1).as("which way the root errs"));
      const auto number = [](bool there, const char* name) {
        return there ? std::optional(drawn_quarters(1, 1, name)(0)) : std::nullopt;
      };
      require(
          score_of_erring(scores, q, k, number(with_scale, "scale"), number(with_bias, "bias")));
    });
    evidence().weaken(Grade::bounded);
  });
}
//! [ScoreRounding]

//! [ScoreRounding: the worst case]
TEST(ScoreRounding, WithOneRoundingFewerItWouldBeFalse) {
  judge(score_rounding_mutants, [](const ScoreBound& scores) {
    of_the_statement();
    let_err(Rational(1, 1 << 20), 0, upward, -1);
    double least = 1;
    for (const Index d : {1, 4, 9})
      for (const std::optional<Rational>& bias :
           {std::optional<Rational>(), std::optional<Rational>(Rational(1, Integer(1) << 40))}) {
        const Outcome outcome =
            score_of_erring(scores, first_of(d), first_of(d), std::nullopt, bias);
        expect_unless_vacuous(outcome);
        const double roundings = static_cast<double>(d) + (bias ? 3 : 2);
        const double ratio = outcome.error / outcome.bound;
        EXPECT_GT(ratio, (roundings - 0.5) / roundings) << "d = " << d;
        least = std::min(least, ratio);
      }
    publish("ratio", rounded_down(least, 4));
    evidence().weaken(Grade::bounded);
  });
}
//! [ScoreRounding: the worst case]

TEST(ScoreRounding, ComputedScoresAreWithinTheBound) {
  judge(score_rounding_mutants, [](const ScoreBound& scores) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    const auto search = [&](auto zero, const std::string& prefix) {
      using Real = decltype(zero);
      InputSpace<Real> space = {
          .axes = {{'d', 1, 5}},
          .arrays = {{"q", "d"}, {"k", "d"}, {"scale", ""}, {"bias", "", Real(0), Real(0)}}};
      const auto law = [&](const Arrays<Real>& input) {
        const auto d = static_cast<Index>(input.list("q").size());
        AttentionCase<Real> one;
        one.queries = Eigen::Map<const Matrix<Real>>(input.list("q").data(), 1, d);
        one.keys = Eigen::Map<const Matrix<Real>>(input.list("k").data(), 1, d);
        one.options.scale = input.number("scale");
        one.options.bias = Matrix<Real>::Constant(1, 1, input.number("bias"));
        const auto errors = attention_score_errors<Wide>(one.queries, one.keys, one.options);
        const double magnitude =
            static_cast<double>(Wide(one.queries.template cast<Wide>()
                                         .cwiseProduct(one.keys.template cast<Wide>())
                                         .cwiseAbs()
                                         .sum()));
        Outcome outcome;
        outcome.vacuous = !(errors.reach <= arithmetic_of<Real>().largest);
        if (outcome.vacuous) return outcome;
        const auto as_they_are = [](const auto& x) { return x; };
        const Real computed = attention_weights(one.queries, one.keys, one.options, as_they_are)(0);
        outcome.error = static_cast<double>(abs(Wide(Wide(computed) - errors.scores(0))));
        outcome.bound = scores.bound(
            static_cast<double>(d), std::abs(static_cast<double>(input.number("scale"))), magnitude,
            std::abs(static_cast<double>(input.number("bias"))), arithmetic_of<Real>());
        return outcome;
      };
      expect_bound_holds(worst_case(space, searched(15000), law), prefix);
      space.arrays.back() = {"bias"};
      expect_bound_holds(worst_case(space, searched(15000), law), prefix + "biased_");
    };
    search(0.0, "double_");
    search(0.0F, "float_");
  });
}

TEST(ScoreRounding, TheBoundIsTheFormulaOfThePage) {
  judge(score_rounding_mutants, [](const ScoreBound& scores) {
    evidence().weaken(Grade::bounded);
    for_all([&] {
      const SoftmaxArithmetic a =
          arithmetic_number(*rc::gen::inRange(0, 3).as("double (0), float (1), coarse (2)"));
      const Index d = *rc::gen::inRange<Index>(1, 2000).as("d");
      const auto positive = [](const char* name) {
        return std::abs(*floats<double>({.largest = 0x1p300}).as(name));
      };
      const double scale = positive("scale");
      const double magnitude = positive("magnitude");
      std::optional<double> bias;
      if (*rc::gen::arbitrary<bool>().as("with a bias")) bias = positive("bias");
      const Wide u = a.unit_roundoff;
      const Wide lambda = a.smallest / (2 * u);
      const Wide plus = wide(scale) * (magnitude + d * lambda) + lambda;
      const Wide page =
          bias ? Wide(gamma_of(d + 3, u) * plus + u * *bias) : Wide(gamma_of(d + 2, u) * plus);
      const double computed = scores.bound(static_cast<double>(d), scale, magnitude, bias, a);
      if ((static_cast<double>(d) + (bias ? 3 : 2)) * a.unit_roundoff <= 0.5)
        RC_ASSERT(is_raised(computed, page, 1, lost_in_double));
      else
        RC_ASSERT(std::isinf(computed));
    });
  });
}

TEST(ScoreRounding, AnOverflowOnTheWayIsOutside) {
  judge(score_rounding_mutants, [](const ScoreBound& scores) {
    Matrix<double> query(1, 2);
    Matrix<double> key(1, 2);
    query << 1e200, 1e200;
    key << 1e200, -1e200;
    EXPECT_TRUE(std::isnan(attention_scores(query, key)(0)));
    EXPECT_FALSE(scores.reach(query, key) <= std::numeric_limits<double>::max());
    key << 1e100, -1e100;
    EXPECT_TRUE(scores.reach(query, key) <= std::numeric_limits<double>::max());
    enumerated(2);
    counterexample_without("no overflow");
  });
}

TEST(ScoreRounding, FlushedProductsAreOutside) {
  judge(score_rounding_mutants, [](const ScoreBound& scores) {
    const double least = std::numeric_limits<double>::min();
    const double bound = scores.bound(1, 1, 0.75 * least, std::nullopt, arithmetic_of<double>());
    EXPECT_GT(0.75 * least, bound);  // what a machine that flushes is off by
    EXPECT_EQ(underflow_threshold(arithmetic_of<double>()), least);
    EXPECT_EQ(underflow_threshold(arithmetic_of<float>()),
              static_cast<double>(std::numeric_limits<float>::min()));
    enumerated(1);
    counterexample_without("subnormal numbers");
  });
}

// -------------------------------------------------------------------------- WeightsOfRoundedScores

/// How far weights can be off.
struct WeightBound {
  std::function<AttentionWeightErrors(const WideColumn&, double, const SoftmaxArithmetic&)> errors =
      sqrtdk::weight_errors<Wide>;
};

const std::vector<Mutant<WeightBound>> weights_of_rounded_scores_mutants = {
    {"scores are off by half as much",
     "MovedScoresAreWithinTheBound",
     {.errors = [](const WideColumn& s, double off,
                   const SoftmaxArithmetic& a) { return weight_errors(s, off / 2, a); }}},
    {"the softmax is exact",
     "MovedScoresAreWithinTheBound",
     {.errors =
          [](const WideColumn& s, double off, const SoftmaxArithmetic& a) {
            AttentionWeightErrors errors = weight_errors(s, off, a);
            errors.relative.setConstant(std::max(std::expm1(2 * off), a.unit_roundoff));
            return errors;
          }}},
    {"no weight underflows",
     "MovedScoresAreWithinTheBound",
     {.errors =
          [](const WideColumn& s, double off, const SoftmaxArithmetic& a) {
            AttentionWeightErrors errors = weight_errors(s, off, a);
            const WideColumn weights = softmax(s);
            for (Index j = 0; j < s.size(); ++j)
              errors.weights(j) = static_cast<double>(weights(j));
            return errors;
          }}},
    {"the exponential is not worse at scores that are off",
     "TheBoundIsTheFormulaOfThePage",
     {.errors =
          [](const WideColumn& s, double off, const SoftmaxArithmetic& a) {
            AttentionWeightErrors errors = weight_errors(s, 0, a);
            for (double& rho : errors.relative.reshaped())
              rho += (1 + rho) * std::expm1(s.size() == 1 ? 0 : 2 * off);
            return errors;
          }}},
    {"underflow begins where it would without errors",
     "TheBoundIsTheFormulaOfThePage",
     {.errors =
          [](const WideColumn& s, double off, SoftmaxArithmetic a) {
            if (s.size() > 1) a.depth_of_underflow -= 2 * off;
            return weight_errors(s, off, a);
          }}},
    {"weights are stored",
     "TheBoundIsTheFormulaOfThePage",
     {.errors =
          [](const WideColumn& s, double off, SoftmaxArithmetic a) {
            a.unit_roundoff += a.storage_roundoff;
            return weight_errors(s, off, a);
          }}},
    {"scores are exact",
     "ComputedWeightsAreWithinTheBound",
     {.errors = [](const WideColumn& s, double,
                   const SoftmaxArithmetic& a) { return weight_errors(s, 0, a); }}},
    {"a single score is off too",
     "ASingleScoreHasTheWeightOne",
     {.errors =
          [](const WideColumn& s, double off, const SoftmaxArithmetic& a) {
            AttentionWeightErrors errors = weight_errors(s, off, a);
            if (s.size() == 1) errors.relative.array() += std::expm1(2 * off);
            return errors;
          }}},
    {"scores may be off by twice as much",
     "AScoreThatIsFartherOffBreaksIt",
     {.errors = [](const WideColumn& s, double off,
                   const SoftmaxArithmetic& a) { return weight_errors(s, 2 * off, a); }}},
};

/// The bound of a computed softmax of moved scores, and what the move adds, beside the bound for
/// all moves.
void check_moved(const WeightBound& weights, const WideColumn& scores, const WideColumn& moved,
                 double off, const SoftmaxArithmetic& a) {
  const AttentionWeightErrors errors = weights.errors(scores, off, a);
  SoftmaxArithmetic unstored = a;
  unstored.storage_roundoff = unstored.storage_smallest = 0;
  const SoftmaxErrorBound at_moved =
      softmax_error_bound(moved.cast<double>().eval(), 1.0, unstored);
  const WideColumn p = softmax(scores);
  const WideColumn y = softmax(moved);
  for (Index j = 0; j < p.size(); ++j) {
    if (!(errors.relative(j) < 1)) continue;
    const Wide error = at_moved.relative[j] * y[j] + at_moved.absolute + abs(Wide(y[j] - p[j]));
    const Wide bound = wide(errors.relative(j)) * errors.weights(j);
    // at_moved is raised for the rounding of its own computation, and may exceed its formula by it.
    RC_ASSERT(error <= bound * (1 + wide(bound_margin)));
  }
}

//! [WeightsOfRoundedScores]
TEST(WeightsOfRoundedScores, MovedScoresAreWithinTheBound) {
  judge(weights_of_rounded_scores_mutants, [](const WeightBound& weights) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for_all([&] {
      const auto list = *vectors<double>({.longest = 7, .entries = {.largest = 800}}).as("scores");
      const double off =
          *rc::gen::element(0x1p-60, 0x1p-30, 0x1p-9, 0x1p-4, 0x1p-2).as("E, how far they are off");
      const SoftmaxArithmetic a =
          arithmetic_number(*rc::gen::inRange(0, 3).as("double (0), float (1), coarse (2)"));
      const auto up =
          *rc::gen::container<std::vector<bool>>(list.size(), rc::gen::arbitrary<bool>())
               .as("which scores move up");
      const auto n = static_cast<Index>(list.size());
      const WideColumn scores = Eigen::Map<const Eigen::VectorXd>(list.data(), n).cast<Wide>();
      WideColumn moved = scores;
      for (std::size_t j = 0; j < up.size(); ++j)
        moved[static_cast<Index>(j)] += up[j] ? off : -off;
      check_moved(weights, scores, moved, off, a);
      // One against all others, which changes its weight the most.
      moved = scores.array() + wide(off);
      moved[0] = scores[0] - off;
      check_moved(weights, scores, moved, off, a);
    });
  });
}
//! [WeightsOfRoundedScores]

TEST(WeightsOfRoundedScores, TheBoundIsTheFormulaOfThePage) {
  judge(weights_of_rounded_scores_mutants, [](const WeightBound& weights) {
    evidence().weaken(Grade::bounded);
    const auto check = [&](const std::vector<double>& list, double off,
                           const SoftmaxArithmetic& a) {
      const auto m = static_cast<Index>(list.size());
      const Eigen::VectorXd logits = Eigen::Map<const Eigen::VectorXd>(list.data(), m);
      const WideColumn scores = logits.cast<Wide>();
      const double E = m == 1 ? 0 : off;
      SoftmaxArithmetic worse = a;
      const Wide more =
          (1 + wide(a.exp_argument_error)) * (4 * wide(E) + (exp(wide(2 * E)) - 1) * log(Wide(m)));
      worse.exp_error += static_cast<double>(more) / 2;
      worse.depth_of_underflow += 2 * E;
      worse.storage_roundoff = worse.storage_smallest = 0;
      const SoftmaxErrorBound bound = softmax_error_bound(logits, 1.0, worse);
      const WideColumn p = softmax(scores);
      const AttentionWeightErrors errors = weights.errors(scores, off, a);
      bool agree = true;
      for (Index j = 0; j < m; ++j) {
        Wide rho = (1 + wide(bound.relative[j])) * exp(wide(2 * E)) - 1;
        if (rho < a.unit_roundoff) rho = a.unit_roundoff;
        const Wide plus = p[j] + 2 * (worse.exp_error + 2) * wide(underflow_threshold(a));
        // A computed bound may be +∞ as soon as the formula is close to it.
        if (rho < 0x1p20)
          agree = agree && is_raised(errors.relative(j), rho, 2) &&
                  is_raised(errors.weights(j), plus, 2, lost_in_double);
      }
      return agree;
    };
    const SoftmaxArithmetic coarse = arithmetic_number(2);
    EXPECT_TRUE(check({0, -2}, 0.125, coarse));
    EXPECT_TRUE(check({3}, 0.125, coarse));
    // The second is too deep for the arithmetic, but not for scores that are off.
    EXPECT_TRUE(check({0, -1.0625 - coarse.depth_of_underflow}, 0.125, coarse));
    enumerated(3);
    for_all([&] {
      const auto list = *vectors<double>({.longest = 7, .entries = {.largest = 800}}).as("scores");
      const double off = *rc::gen::element(0.0, 0x1p-60, 0x1p-30, 0x1p-9, 0x1p-4, 1.0).as("E");
      RC_ASSERT(check(
          list, off,
          arithmetic_number(*rc::gen::inRange(0, 3).as("double (0), float (1), coarse (2)"))));
    });
  });
}

/// The weights of a case beside their bound, for the largest error of the scores in a row.
template <class Real>
Outcome weight_law(const WeightBound& weights, const AttentionCase<Real>& input) {
  const SoftmaxArithmetic arithmetic = arithmetic_of<Real>();
  const auto scores =
      attention_score_errors<Wide>(input.queries, input.keys, input.options, arithmetic);
  sqrtdk::testing::detail::Nearest nearest;
  if (!(scores.reach <= arithmetic.largest)) {
    nearest.vacuous();
    return nearest.outcome();
  }
  const ExactAttention exact(input);
  const auto computed = attention_weights(input.queries, input.keys, input.options);
  for (Index i = 0; i < computed.rows(); ++i) {
    std::vector<Index> seen;
    for (Index j = 0; j < computed.cols(); ++j)
      if (exact.sees(i, j)) seen.push_back(j);
    if (seen.empty()) continue;
    const WideColumn of_seen = scores.scores(i, seen).transpose();
    const auto errors = weights.errors(of_seen, scores.error.row(i).maxCoeff(), arithmetic);
    for (std::size_t a = 0; a < seen.size(); ++a) {
      const auto place = static_cast<Index>(a);
      if (!(errors.relative(place) < 1)) nearest.vacuous();
      const Wide exact_weight = exact.weights()(i, seen[a]);
      const Wide error =
          abs(Wide(Wide(static_cast<long double>(computed(i, seen[a]))) - exact_weight));
      nearest.compare(static_cast<double>(error), errors.relative(place) * errors.weights(place),
                      [&] { return "the weight is " + exact_weight.str(20); });
    }
  }
  return nearest.outcome();
}

/// Which cases of attention an adversary tries.
template <class Real>
InputSpace<Real> attention_space() {
  const Real most(16);
  return {.axes = {{'n', 1, 2}, {'m', 1, 4}, {'d', 1, 4}, {'v', 1, 2}},
          .arrays = {{"Q", "nd", Real(-most), most},
                     {"K", "md", Real(-most), most},
                     {"V", "mv", Real(-most), most},
                     {"G", "nv", Real(-most), most}}};
}

template <class Real>
AttentionCase<Real> case_of(const Arrays<Real>& input) {
  return {input.matrix("Q"), input.matrix("K"), input.matrix("V"), input.matrix("G"), {}};
}

TEST(WeightsOfRoundedScores, ComputedWeightsAreWithinTheBound) {
  judge(weights_of_rounded_scores_mutants, [](const WeightBound& weights) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const auto& input : attention_edge_cases<double>())
      expect_unless_vacuous(weight_law(weights, input));
    for (const auto& input : attention_edge_cases<float>())
      expect_unless_vacuous(weight_law(weights, input));
    for_all([&] { require(weight_law(weights, drawn_attention_case<double>())); }, 60);
    for_all([&] { require(weight_law(weights, drawn_attention_case<float>())); }, 60);
    const auto search = [&](auto zero, const std::string& prefix) {
      using Real = decltype(zero);
      const auto law = [&](const Arrays<Real>& input) {
        return weight_law(weights, case_of(input));
      };
      expect_bound_holds(worst_case(attention_space<Real>(), searched(6000), law), prefix);
    };
    search(0.0, "double_");
    search(0.0F, "float_");
  });
}

TEST(WeightsOfRoundedScores, ASingleScoreHasTheWeightOne) {
  judge(weights_of_rounded_scores_mutants, [](const WeightBound& weights) {
    const SoftmaxArithmetic a = arithmetic_of<double>();
    const WideColumn score = WideColumn::Constant(1, wide(1e300));
    const AttentionWeightErrors errors = weights.errors(score, 1e285, a);
    EXPECT_LE(errors.relative(0), 8 * a.unit_roundoff);
    EXPECT_NEAR(errors.weights(0), 1, 2 * bound_margin);
    enumerated(1);
  });
}

TEST(WeightsOfRoundedScores, AScoreThatIsFartherOffBreaksIt) {
  judge(weights_of_rounded_scores_mutants, [](const WeightBound& weights) {
    const double off = 0x1p-10;
    const WideColumn scores = WideColumn::Constant(11, Wide(0));
    WideColumn moved = scores;
    moved[0] = 4 * off;
    const AttentionWeightErrors errors = weights.errors(scores, off, arithmetic_of<double>());
    const Wide change = WideColumn(softmax(moved))[0] - WideColumn(softmax(scores))[0];
    EXPECT_GT(static_cast<double>(change), errors.relative(0) * errors.weights(0));
    enumerated(1);
    counterexample_without("scores off by E");
  });
}

// -------------------------------------------------------------------------------- RoundedMonomials

/// How far a sum of monomials can be off.
struct MonomialBound {
  double (*error)(double, double, double, double) = sqrtdk::monomial_error;
};

const std::vector<Mutant<MonomialBound>> rounded_monomials_mutants = {
    {"one rounding fewer",
     "NoErrorsGoBeyondTheBound",
     {[](double rho, double w, double k, double u) { return monomial_error(rho, w, k - 1, u); }}},
    {"one weight fewer", "NoErrorsGoBeyondTheBound", {[](double rho, double w, double k, double u) {
       return monomial_error(rho, w - 1, k, u);
     }}},
    {"errors are added up to first order",
     "NoErrorsGoBeyondTheBound",
     {[](double rho, double w, double k, double u) { return w * rho + k * u; }}},
    {"weights err twice", "WithLessItWouldBeFalse", {[](double rho, double w, double k, double u) {
       return monomial_error(2 * rho, w, k, u);
     }}},
    {"one rounding more", "WithLessItWouldBeFalse", {[](double rho, double w, double k, double u) {
       return monomial_error(rho, w, k + 1, u);
     }}},
    {"roundings double the weights' errors",
     "TheBoundIsTheFormulaOfThePage",
     {[](double rho, double w, double k, double u) {
       return monomial_error(rho, w, k, u) + std::expm1(w * std::log1p(rho));
     }}},
    {"so many roundings are promised too",
     "TheBoundIsTheFormulaOfThePage",
     {[](double rho, double w, double k, double u) {
       return monomial_error(rho, w, std::min(k, 0.5 / u), u);
     }}},
    {"an error of 100 % is none",
     "WeightsAboveOneHalfOverflow",
     {[](double, double, double, double) { return -0.5; }}},
};

/// The part by which Σⱼ pⱼ²vⱼ of Erring numbers is off, for weights that are off by ρp in the
/// direction of the next error, and for m terms of which the first is by far the largest.
Rational sum_of_squares_error(Index m, const Rational& rho) {
  Erring sum(0.0);
  Rational exact = 0;
  const RationalMatrix v = first_of(m);
  for (Index j = 0; j < m; ++j) {
    const Rational p(3, 8);
    const Erring weight(Rational(p * (1 + Erring::direction() * rho)));
    sum += weight * (weight * Erring(v(j)));
    exact += p * p * v(j);
  }
  return abs(sum.value - exact) / exact;
}

//! [RoundedMonomials]
TEST(RoundedMonomials, NoErrorsGoBeyondTheBound) {
  judge(rounded_monomials_mutants, [](const MonomialBound& monomial) {
    of_the_statement();
    // Two weights; two products and m − 1 additions.
    const auto is_bounded = [&](Index m, const Rational& rho) {
      const double bound = monomial.error(rho.convert_to<double>(), 2, static_cast<double>(m + 1),
                                          Erring::u.convert_to<double>());
      return sum_of_squares_error(m, rho) <= Rational(bound);
    };
    for (const Index m : {1, 2, 5}) {
      let_err(Rational(1, 1 << 20), 0, upward, 1);
      EXPECT_TRUE(is_bounded(m, Rational(1, 1 << 20)));
      let_err(Rational(1, 64), 0, upward, 1);
      EXPECT_TRUE(is_bounded(m, Rational(1, 8)));
      enumerated(2);
    }
    for_all([&] {
      const Index m = drawn_size(5, "terms");
      let_err(Rational(1, 64), 0, drawn_directions(), 1);
      RC_ASSERT(is_bounded(m, Rational(*rc::gen::inRange(0, 16).as("64ρ"), 64)));
    });
    evidence().weaken(Grade::bounded);
  });
}
//! [RoundedMonomials]

//! [RoundedMonomials: the worst case]
TEST(RoundedMonomials, WithLessItWouldBeFalse) {
  judge(rounded_monomials_mutants, [](const MonomialBound& monomial) {
    of_the_statement();
    const double u = 0x1p-20;
    let_err(Rational(1, 1 << 20), 0, upward, 1);
    for (const Index m : {1, 2, 5}) {
      const double error = sum_of_squares_error(m, Rational(1, 1 << 20)).convert_to<double>();
      const auto k = static_cast<double>(m + 1);
      // Up to half a rounding, the bound is attained.
      EXPECT_GT(error, monomial.error(u, 2, k, u) * (k + 1.5) / (k + 2)) << m << " terms";
      enumerated(1);
    }
    evidence().weaken(Grade::bounded);
  });
}
//! [RoundedMonomials: the worst case]

TEST(RoundedMonomials, TheBoundIsTheFormulaOfThePage) {
  judge(rounded_monomials_mutants, [](const MonomialBound& monomial) {
    evidence().weaken(Grade::bounded);
    for (const double u : {0x1p-53, 0x1p-24, 0x1p-11})
      for (const double rho : {0.0, 0x1p-60, 0x1p-30, 0x1p-5, 0.5, 100.0})
        for (const int w : {1, 2})
          for (const Index k : {1, 7, 1000, 5000}) {
            const double computed = monomial.error(rho, w, static_cast<double>(k), u);
            enumerated(1);
            if (static_cast<double>(k) * u > 0.5) {
              EXPECT_TRUE(std::isinf(computed));
              continue;
            }
            const Wide page = pow(Wide(1 + wide(rho)), w) * (1 + gamma_of(k, wide(u))) - 1;
            EXPECT_LE(static_cast<double>(abs(Wide(wide(computed) / page - 1))), 0x1p-40)
                << rho << ' ' << w << ' ' << k << ' ' << u;
          }
  });
}

TEST(RoundedMonomials, WeightsAboveOneHalfOverflow) {
  judge(rounded_monomials_mutants, [](const MonomialBound& monomial) {
    const double most = std::numeric_limits<double>::max();
    const double weight = 0.5 + 0x1p-53;
    EXPECT_TRUE(std::isinf(weight * most + weight * most));
    const double part = monomial.error(0x1p-52, 1, 2, 0x1p-53);
    EXPECT_TRUE(std::isinf(most + part * most));
    EXPECT_FALSE(std::isinf(most / 2 + part * most));
    enumerated(1);
    counterexample_without("no overflow");
  });
}

// ---------------------------------------------------------------------------- AttentionErrorBounds

/// What can be wrong with the bounds.
enum class Slip {
  none,
  halved,
  doubled,
  finer_roundings,
  exact_weights,
  no_underflow,
  no_storage,
  no_overflow,
  weights_are_stored,
  exact_scores,
  counts_exchanged,
  widths_exchanged
};

/// The bounds of the library, or with a slip.
struct Bounds {
  Slip slip = Slip::none;

  SoftmaxArithmetic misread(SoftmaxArithmetic a) const {
    if (slip == Slip::finer_roundings) a.unit_roundoff *= 0.97;
    if (slip == Slip::no_underflow) a.smallest = 0;
    if (slip == Slip::no_storage) a.storage_roundoff = a.storage_smallest = 0;
    if (slip == Slip::weights_are_stored) a.storage_roundoff *= 2;
    if (slip == Slip::no_overflow)
      a.largest = a.storage_largest = std::numeric_limits<double>::infinity();
    return a;
  }
  AttentionWeightErrors misread(AttentionWeightErrors weights) const {
    if (slip == Slip::exact_weights) weights.relative *= 0x1p-30;
    return weights;
  }
  double factor() const { return slip == Slip::halved ? 0.5 : slip == Slip::doubled ? 2 : 1; }

  AttentionErrorBound output(const AttentionWeightErrors& weights, const Eigen::MatrixXd& values,
                             const SoftmaxArithmetic& a) const {
    AttentionErrorBound bound = attention_error_bound(misread(weights), values, misread(a));
    bound.output *= factor();
    return bound;
  }
  AttentionGradientErrorBound gradient(const AttentionWeightErrors& weights, double scale,
                                       const Eigen::MatrixXd& q, const Eigen::MatrixXd& k,
                                       const Eigen::MatrixXd& v, const Eigen::MatrixXd& g,
                                       const SoftmaxArithmetic& a) const {
    return multiplied(
        attention_gradient_error_bound(misread(weights), scale, q, k, v, g, misread(a)));
  }
  template <class Real>
  AttentionErrorBound output(const AttentionCase<Real>& input) const {
    if (slip == Slip::counts_exchanged) sqrtdk::require_equal_counts(input.values, input.keys);
    if (slip == Slip::widths_exchanged) sqrtdk::require_equal_widths(input.keys, input.queries);
    AttentionErrorBound bound = attention_error_bound<Wide>(
        input.queries, input.keys, input.values, input.options, misread(arithmetic_of<Real>()));
    bound.output *= factor();
    return bound;
  }
  template <class Real>
  AttentionGradientErrorBound gradient(const AttentionCase<Real>& input) const {
    if (slip == Slip::counts_exchanged) sqrtdk::require_equal_counts(input.values, input.keys);
    return multiplied(attention_gradient_error_bound<Wide>(input.queries, input.keys, input.values,
                                                           input.output_gradient, input.options,
                                                           misread(arithmetic_of<Real>())));
  }

 private:
  AttentionGradientErrorBound multiplied(AttentionGradientErrorBound bound) const {
    bound.gradient.queries *= factor();
    bound.gradient.keys *= factor();
    bound.gradient.values *= factor();
    return bound;
  }
};

const std::vector<Mutant<Bounds>> attention_error_bounds_mutants = {
    {"roundings that are finer by a thirtieth",
     "NoRoundingGoesBeyondThem",
     {Slip::finer_roundings}},
    {"products do not underflow", "NoRoundingGoesBeyondThem", {Slip::no_underflow}},
    {"weights are exact", "NoRoundingGoesBeyondThem", {Slip::exact_weights}},
    {"twice the bounds, whatever the roundings",
     "WithOneRoundingFewerTheyWouldBeFalse",
     {Slip::doubled}},
    {"half of the bounds", "AreTheFormulasOfThePage", {Slip::halved}},
    {"twice the bounds", "AreTheFormulasOfThePage", {Slip::doubled}},
    {"results are not stored", "AreTheFormulasOfThePage", {Slip::no_storage}},
    {"weights are stored too", "AreTheFormulasOfThePage", {Slip::weights_are_stored}},
    {"results are not rounded when they are stored", "StorageRoundsOnceMore", {Slip::no_storage}},
    {"what is stored is exact", "ComputedAttentionStaysWithinThem", {Slip::no_storage}},
    {"half of the numbers of the page", "NumbersForTwoQueriesAndTwoKeys", {Slip::halved}},
    {"no number overflows", "AnOverflowIsNotPromised", {Slip::no_overflow}},
    {"weights may be stored", "WeightsThatAreStoredBreakThem", {Slip::weights_are_stored}},
    {"keys and values change places in the message",
     "RefuseShapesThatDoNotFit",
     {Slip::counts_exchanged}},
    {"queries and keys change places in the message",
     "RefuseShapesThatDoNotFit",
     {Slip::widths_exchanged}},
};

/// The library's code with weights that are given, and not made of scores: those of one query after
/// the other.
template <class Real>
struct GivenWeights {
  Matrix<Real> weights;
  mutable Index row = 0;

  template <class Derived>
  Eigen::Matrix<Real, Eigen::Dynamic, 1> operator()(const Eigen::MatrixBase<Derived>&) const {
    return weights.row(row++).transpose();
  }
};

/// A case with weights, and how far these are off.
struct WeightedCase {
  RationalMatrix q, k, v, g, weights, plus, rho;
};

/// How far each number of a result is beyond its bound at most, as a part of it; and the least part
/// of the bound that the largest number in each result comes to.
struct Reached {
  double worst = 0;
  double output = 0, by_query = 0, by_key = 0, by_value = 0;
};

Reached reached(const Bounds& bounds, const WeightedCase& x) {
  const AttentionWeightErrors errors{in_double(x.plus), in_double(x.rho)};
  RationalMatrix off = x.weights;
  for (Index i = 0; i < off.size(); ++i) off(i) += Erring::direction() * x.rho(i) * x.plus(i);

  const AttentionOptions<Rational> plain;
  const AttentionOptions<Erring> erring_plain;
  const RationalMatrix output =
      scaled_dot_product_attention(x.q, x.k, x.v, plain, GivenWeights<Rational>{x.weights}).output;
  const auto gradient =
      attention_gradient(x.q, x.k, x.v, x.g, plain, GivenWeights<Rational>{x.weights});
  const Matrix<Erring> computed =
      scaled_dot_product_attention(erring(x.q), erring(x.k), erring(x.v), erring_plain,
                                   GivenWeights<Erring>{erring(off)})
          .output;
  const auto computed_gradient =
      attention_gradient(erring(x.q), erring(x.k), erring(x.v), erring(x.g), erring_plain,
                         GivenWeights<Erring>{erring(off)});

  const SoftmaxArithmetic a = erring_arithmetic();
  const double scale = 1 / std::sqrt(static_cast<double>(x.q.cols()));
  const AttentionErrorBound bound = bounds.output(errors, in_double(x.v), a);
  const AttentionGradientErrorBound of_gradient = bounds.gradient(
      errors, scale, in_double(x.q), in_double(x.k), in_double(x.v), in_double(x.g), a);
  Reached result;
  const auto compare = [&](const Matrix<Erring>& off_by, const RationalMatrix& exact,
                           const Eigen::MatrixXd& allowed) {
    for (Index i = 0; i < exact.size(); ++i) {
      const Rational error = abs(off_by(i).value - exact(i));
      const Rational ratio = error == 0 ? Rational(0) : Rational(error / Rational(allowed(i)));
      result.worst = std::max(result.worst, ratio.convert_to<double>());
    }
    return Rational(abs(off_by(0).value - exact(0)) / Rational(allowed(0))).convert_to<double>();
  };
  result.output = compare(computed, output, bound.output);
  result.by_query =
      compare(computed_gradient.queries, gradient.queries, of_gradient.gradient.queries);
  result.by_key = compare(computed_gradient.keys, gradient.keys, of_gradient.gradient.keys);
  result.by_value = compare(computed_gradient.values, gradient.values, of_gradient.gradient.values);
  return result;
}

/// Arguments of which the first entry is by far the largest, and a first weight that is larger than
/// all, so that each result has one large monomial, which goes through all roundings.
WeightedCase with_one_large_monomial(Index n, Index m, Index d_v, const Rational& u) {
  const Rational small(1, Integer(1) << 80);
  const auto matrix = [&](Index rows, Index columns, const Rational& first) {
    RationalMatrix x = RationalMatrix::Constant(rows, columns, small);
    x(0, 0) = first;
    return x;
  };
  WeightedCase x;
  x.q = matrix(n, 1, 1);
  x.k = matrix(m, 1, 1);
  x.v = matrix(m, d_v, 1);
  x.g = matrix(n, d_v, 1);
  x.weights = matrix(n, m, Rational(1 << 30));
  x.plus = x.weights;
  x.rho = RationalMatrix::Constant(n, m, u);
  return x;
}

//! [AttentionErrorBounds]
TEST(AttentionErrorBounds, NoRoundingGoesBeyondThem) {
  judge(attention_error_bounds_mutants, [](const Bounds& bounds) {
    of_the_statement();
    const Rational fine(1, 1 << 20);
    let_err(fine, 0, upward, -1);
    EXPECT_LE(reached(bounds, with_one_large_monomial(3, 2, 2, fine)).worst, 1);
    let_err(fine, Rational(4), upward, -1);
    WeightedCase tiny = with_one_large_monomial(1, 1, 1, fine);
    tiny.v *= Rational(1, 1 << 30);
    tiny.g *= Rational(1, 1 << 30);
    EXPECT_LE(reached(bounds, tiny).worst, 1);
    enumerated(2);
    for_all(
        [&] {
          const Index n = drawn_size(3, "queries");
          const Index m = drawn_size(3, "keys");
          const Index root = drawn_size(2, "root of d");
          const Index d_v = drawn_size(2, "d_v");
          WeightedCase x;
          x.q = drawn_quarters(n, root * root, "Q");
          x.k = drawn_quarters(m, root * root, "K");
          x.v = drawn_quarters(m, d_v, "V");
          x.g = drawn_quarters(n, d_v, "G");
          x.weights = drawn_quarters(n, m, "weights").cwiseAbs();
          x.plus = x.weights.array() + Rational(1, 32);
          x.rho = drawn_quarters(n, m, "64ρ").cwiseAbs() / Rational(64);
          x.rho.array() += Rational(1, 64);
          let_err(Rational(1, 64), Rational(1, 4), drawn_directions(),
                  *rc::gen::element(1, -1).as("which way the root errs"));
          RC_ASSERT(reached(bounds, x).worst <= 1);
        },
        100);
    evidence().weaken(Grade::bounded);
  });
}
//! [AttentionErrorBounds]

//! [AttentionErrorBounds: the worst case]
TEST(AttentionErrorBounds, WithOneRoundingFewerTheyWouldBeFalse) {
  judge(attention_error_bounds_mutants, [](const Bounds& bounds) {
    of_the_statement();
    const Rational u(1, 1 << 20);
    let_err(u, 0, upward, -1);
    double least = 1;
    for (const Index n : {1, 3})
      for (const Index m : {1, 2, 4})
        for (const Index d_v : {1, 2}) {
          const Reached at = reached(bounds, with_one_large_monomial(n, m, d_v, u));
          // F is w + k times u; up to half a rounding it is attained.
          const auto expect_sharp = [&](double ratio, Index errors) {
            const auto all = static_cast<double>(errors);
            EXPECT_GT(ratio, (all - 0.5) / all) << n << ", " << m << ", " << d_v;
            least = std::min(least, ratio);
            enumerated(1);
          };
          expect_sharp(at.output, 1 + m);
          expect_sharp(at.by_value, 1 + n);
          expect_sharp(at.by_query, 2 + d_v + 2 * m + 4);
          expect_sharp(at.by_key, 2 + d_v + m + n + 4);
        }
    publish("ratio", rounded_down(least, 4));
    evidence().weaken(Grade::bounded);
  });
}
//! [AttentionErrorBounds: the worst case]

/// Whether a computed bound is the page's, up to the products that underflow in it.
bool same_bound(const Eigen::MatrixXd& computed, const Matrix<Wide>& page) {
  if (computed.rows() != page.rows() || computed.cols() != page.cols()) return false;
  for (Index i = 0; i < page.size(); ++i)
    if (!is_raised(computed(i), page(i), 8, lost_in_double)) return false;
  return true;
}

/// Whether the bounds are those of the page, in fifty digits; true of vacuous ones.
template <class Real>
bool are_those_of_the_page(const Bounds& bounds, const AttentionCase<Real>& input) {
  const SoftmaxArithmetic a = arithmetic_of<Real>();
  const AttentionErrorBound output_bound = bounds.output(input);
  const AttentionGradientErrorBound gradient_bound = bounds.gradient(input);
  if (output_bound.vacuous || gradient_bound.vacuous) return true;
  const ExactAttention exact(input);
  const Index n = input.queries.rows();
  const Index m = input.keys.rows();
  const Index d = input.queries.cols();
  const Index d_v = input.values.cols();
  const auto size = [](const auto& x) { return size_of(static_cast<long double>(x)); };
  const Wide u = a.unit_roundoff;
  const Wide lambda = a.smallest / (2 * u);
  const Wide c = input.options.scale ? size(*input.options.scale) : Wide(1 / sqrt(Wide(d)));

  Matrix<Wide> rho = Matrix<Wide>::Constant(n, m, Wide(0));
  Matrix<Wide> plus = rho;
  for (Index i = 0; i < n; ++i) {
    std::vector<Index> seen;
    Wide off = 0;
    for (Index j = 0; j < m; ++j) {
      if (!exact.sees(i, j)) continue;
      seen.push_back(j);
      Wide sum = 0;
      for (Index l = 0; l < d; ++l)
        sum += size(input.queries(i, l)) * size(input.keys(j, l)) + lambda;
      Wide error = gamma_of(d + 2, u) * (c * sum + lambda);
      if (input.options.bias)
        error = gamma_of(d + 3, u) * (c * sum + lambda) + u * size((*input.options.bias)(i, j));
      off = std::max(off, error);
    }
    if (seen.empty()) continue;
    if (seen.size() == 1) off = 0;
    Eigen::VectorXd logits(static_cast<Index>(seen.size()));
    for (Index b = 0; b < logits.size(); ++b) {
      const Index j = seen[static_cast<std::size_t>(b)];
      Wide logit = exact.scores()(i, j);
      if (input.options.bias) logit += Wide(static_cast<long double>((*input.options.bias)(i, j)));
      logits[b] = static_cast<double>(logit);
    }
    SoftmaxArithmetic worse = a;
    worse.storage_roundoff = worse.storage_smallest = 0;
    const Wide more = 4 * off + (exp(Wide(2 * off)) - 1) * log(Wide(seen.size()));
    worse.exp_error += static_cast<double>(more) / 2;
    worse.depth_of_underflow += static_cast<double>(2 * off);
    const SoftmaxErrorBound softmax_bound = softmax_error_bound(logits, 1.0, worse);
    for (Index b = 0; b < logits.size(); ++b) {
      const Index j = seen[static_cast<std::size_t>(b)];
      rho(i, j) = std::max(u, Wide((1 + Wide(softmax_bound.relative[b])) * exp(Wide(2 * off)) - 1));
      plus(i, j) = exact.weights()(i, j) + 2 * (worse.exp_error + 2) * lambda;
    }
  }

  const auto part = [&](const Wide& largest, int w, Index k) {
    return Wide(pow(Wide(1 + largest), w) * (1 + gamma_of(k, u)) - 1);
  };
  const auto stored = [&](const Wide& error, const Wide& magnitude) -> Wide {
    return error + a.storage_roundoff * (magnitude + error) + wide(a.storage_smallest) / 2;
  };
  Matrix<Wide> output = Matrix<Wide>::Constant(n, d_v, Wide(0));
  Matrix<Wide> of_queries = Matrix<Wide>::Constant(n, d, Wide(0));
  Matrix<Wide> of_keys = Matrix<Wide>::Constant(m, d, Wide(0));
  Matrix<Wide> of_values = Matrix<Wide>::Constant(m, d_v, Wide(0));
  for (Index i = 0; i < n; ++i) {
    const auto gain = [&](Index j) {
      Wide sum = 0;
      for (Index k = 0; k < d_v; ++k)
        sum += size(input.output_gradient(i, k)) * size(input.values(j, k)) + lambda;
      return sum;
    };
    Wide mean = 0;
    for (Index j = 0; j < m; ++j)
      if (exact.sees(i, j)) mean += plus(i, j) * gain(j) + lambda;
    for (Index j = 0; j < m; ++j) {
      if (!exact.sees(i, j)) continue;
      const Wide by_score = plus(i, j) * (gain(j) + mean) + lambda;
      for (Index k = 0; k < d_v; ++k)
        of_values(j, k) += plus(i, j) * size(input.output_gradient(i, k)) + lambda;
      for (Index l = 0; l < d; ++l) {
        of_queries(i, l) += by_score * size(input.keys(j, l)) + lambda;
        of_keys(j, l) += by_score * size(input.queries(i, l)) + lambda;
      }
    }
    for (Index k = 0; k < d_v && rho.row(i).maxCoeff() > 0; ++k) {
      Wide error = 0;
      Wide magnitude = 0;
      for (Index j = 0; j < m; ++j) {
        if (!exact.sees(i, j)) continue;
        const Wide product = plus(i, j) * size(input.values(j, k)) + lambda;
        magnitude += product;
        error += part(rho(i, j), 1, m) * product;
      }
      output(i, k) = stored(error, magnitude);
    }
  }
  // The largest ρ of a query's row; for a key, that of the queries that see it.
  const auto of_row = [&](Index i) { return Wide(rho.row(i).maxCoeff()); };
  const auto of_key = [&](Index j) {
    Wide largest = 0;
    for (Index i = 0; i < n; ++i)
      if (exact.sees(i, j)) largest = std::max(largest, of_row(i));
    return largest;
  };
  const auto of_column = [&](Index j) { return Wide(rho.col(j).maxCoeff()); };
  const auto finished = [&](Matrix<Wide> magnitudes, const Wide& scale, bool scaled,
                            const auto& largest, int w, Index k) {
    for (Index i = 0; i < magnitudes.rows(); ++i)
      for (Index l = 0; l < magnitudes.cols(); ++l) {
        Wide& x = magnitudes(i, l);
        if (scaled) x = scale * x + lambda;
        x = largest(i) == 0 ? Wide(0) : stored(part(largest(i), w, k) * x, x);
      }
    return magnitudes;
  };
  const AttentionGradient<double>& gradient = gradient_bound.gradient;
  return same_bound(output_bound.output, output) &&
         same_bound(gradient.queries, finished(of_queries, c, true, of_row, 2, d_v + 2 * m + 4)) &&
         same_bound(gradient.keys, finished(of_keys, c, true, of_key, 2, d_v + m + n + 4)) &&
         same_bound(gradient.values, finished(of_values, c, false, of_column, 1, n));
}

TEST(AttentionErrorBounds, AreTheFormulasOfThePage) {
  judge(attention_error_bounds_mutants, [](const Bounds& bounds) {
    evidence().weaken(Grade::bounded);
    // A case in which a bound whose ρ is raised used to come out below the formula.
    AttentionCase<Eigen::half> falling;
    falling.queries = Matrix<Eigen::half>::Constant(1, 4, Eigen::half(4));
    falling.keys = Matrix<Eigen::half>::Zero(6, 4);
    falling.keys(3, 3) = Eigen::half(16);
    falling.values = Matrix<Eigen::half>::Zero(6, 1);
    falling.values(0, 0) = Eigen::half(2);
    falling.output_gradient = Matrix<Eigen::half>::Constant(1, 1, Eigen::half(16));
    falling.options.scale = 3;
    EXPECT_TRUE(are_those_of_the_page(bounds, falling));
    enumerated(1);
    const auto at_the_edges = [&](auto zero) {
      for (const auto& input : attention_edge_cases<decltype(zero)>()) {
        EXPECT_TRUE(are_those_of_the_page(bounds, input));
        enumerated(1);
      }
    };
    at_the_edges(0.0);
    at_the_edges(0.0F);
    at_the_edges(Eigen::half(0));
    const auto check = [&](auto zero) {
      using Real = decltype(zero);
      RC_ASSERT(are_those_of_the_page(bounds, drawn_attention_case<Real>()));
    };
    for_all([&] { check(0.0); }, 60);
    for_all([&] { check(0.0F); }, 60);
    for_all([&] { check(Eigen::half(0)); }, 60);
  });
}

/// Two keys with equal scores and these values, in half precision.
AttentionCase<Eigen::half> equal_scores(std::initializer_list<float> values) {
  const auto m = static_cast<Index>(values.size());
  AttentionCase<Eigen::half> input;
  input.queries = Matrix<Eigen::half>::Zero(1, 1);
  input.keys = Matrix<Eigen::half>::Zero(m, 1);
  input.values = Eigen::Map<const Eigen::VectorXf>(values.begin(), m).cast<Eigen::half>();
  input.output_gradient = Matrix<Eigen::half>::Ones(1, 1);
  return input;
}

TEST(AttentionErrorBounds, StorageRoundsOnceMore) {
  judge(attention_error_bounds_mutants, [](const Bounds& bounds) {
    evidence().weaken(Grade::bounded);
    const auto input = equal_scores({1, 1 + 0x1p-10F});
    const auto result = scaled_dot_product_attention(input.queries, input.keys, input.values);
    const double error = std::abs(static_cast<double>(result.output(0)) - (1 + 0x1p-11));
    const double bound = bounds.output(input).output(0);
    EXPECT_EQ(error, 0x1p-11);
    EXPECT_LE(error, bound);
    evidence().worst(error, bound);
    enumerated(1);
    publish("error", digits(error, 2));
    Bounds without{Slip::no_storage};
    publish("without_storage", digits(without.output(input).output(0), 2));
  });
}

TEST(AttentionErrorBounds, ComputedAttentionStaysWithinThem) {
  judge(attention_error_bounds_mutants, [](const Bounds& bounds) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    const auto search = [&](auto zero, const std::string& prefix) {
      using Real = decltype(zero);
      const auto compare = [](auto& nearest, const Matrix<Real>& computed,
                              const Matrix<Wide>& exact, const Eigen::MatrixXd& bound) {
        sqrtdk::testing::detail::compare_entries(nearest, "it", computed, exact, bound);
      };
      const auto of_output = [&](const Arrays<Real>& arrays) {
        const AttentionCase<Real> input = case_of(arrays);
        const AttentionErrorBound bound = bounds.output(input);
        sqrtdk::testing::detail::Nearest nearest;
        if (bound.vacuous) nearest.vacuous();
        compare(nearest,
                scaled_dot_product_attention(input.queries, input.keys, input.values).output,
                ExactAttention(input).output(), bound.output);
        return nearest.outcome();
      };
      const auto of_gradient = [&](const Arrays<Real>& arrays) {
        const AttentionCase<Real> input = case_of(arrays);
        const AttentionGradientErrorBound bound = bounds.gradient(input);
        const ExactAttention exact(input);
        const auto computed =
            attention_gradient(input.queries, input.keys, input.values, input.output_gradient);
        sqrtdk::testing::detail::Nearest nearest;
        if (bound.vacuous) nearest.vacuous();
        compare(nearest, computed.queries, exact.gradient().queries, bound.gradient.queries);
        compare(nearest, computed.keys, exact.gradient().keys, bound.gradient.keys);
        compare(nearest, computed.values, exact.gradient().values, bound.gradient.values);
        return nearest.outcome();
      };
      const auto space = attention_space<Real>();
      const Search budget = searched(6000);
      expect_bound_holds(worst_case(space, budget, of_output), prefix + "output_");
      expect_bound_holds(worst_case(space, budget, of_gradient), prefix + "gradient_");
    };
    search(0.0, "double_");
    search(0.0F, "float_");
    search(Eigen::half(0), "half_");
  });
}

TEST(AttentionErrorBounds, NumbersForTwoQueriesAndTwoKeys) {
  judge(attention_error_bounds_mutants, [](const Bounds& bounds) {
    evidence().weaken(Grade::bounded);
    AttentionCase<double> input;
    input.queries.resize(2, 4);
    input.queries << 1, 2, -1, 0.5, 0, 1, 1, -2;
    input.keys.resize(2, 4);
    input.keys << 1, 1, 0, 1, 2, 0, -1, 1;
    input.values.resize(2, 2);
    input.values << 1, 2, 3, 4;
    input.output_gradient.resize(2, 2);
    input.output_gradient << 1, 0, -1, 1;
    const double u = 0x1p-53;
    const auto scores = attention_score_errors<Wide>(input.queries, input.keys);
    const auto weights = attention_weight_errors<Wide>(input.queries, input.keys);
    const AttentionErrorBound output = bounds.output(input);
    const AttentionGradientErrorBound gradient = bounds.gradient(input);
    EXPECT_FALSE(output.vacuous || gradient.vacuous);
    const auto in_u = [&](double bound) { return rounded_up(bound / u, 1); };
    // E is 6u times half of Σ|q k|, which is 3.5; ρ is 2E and what softmax adds, 6u and 4Eu.
    EXPECT_EQ(in_u(scores.error(0, 0)), "10.6");
    publish("score", in_u(scores.error.row(0).maxCoeff()));
    publish("rho", in_u(weights.relative.row(0).maxCoeff()));
    publish("first_output", in_u(output.output(0, 0)));
    publish("second_output", in_u(output.output(0, 1)));
    publish("by_query", in_u(gradient.gradient.queries.maxCoeff()));
    publish("by_key", in_u(gradient.gradient.keys.maxCoeff()));
    publish("by_value", in_u(gradient.gradient.values.maxCoeff()));
    // An average with weights of one half, so (ρ + 2u) times it.
    EXPECT_NEAR(output.output(0, 0), 2 * (weights.relative(0, 0) + 2 * u), 0.01 * u);
    EXPECT_NEAR(output.output(0, 1), 3 * (weights.relative(0, 0) + 2 * u), 0.01 * u);

    const ExactAttention exact(input);
    const auto computed =
        attention_gradient(input.queries, input.keys, input.values, input.output_gradient);
    double worst = 0;
    const auto compare = [&](const Matrix<double>& x, const Matrix<Wide>& y,
                             const Eigen::MatrixXd& allowed) {
      for (Index i = 0; i < x.size(); ++i) {
        const double error = static_cast<double>(abs(Wide(Wide(x(i)) - y(i))));
        EXPECT_LE(error, allowed(i));
        worst = std::max(worst, error);
        enumerated(1);
      }
    };
    compare(scaled_dot_product_attention(input.queries, input.keys, input.values).output,
            exact.output(), output.output);
    compare(computed.queries, exact.gradient().queries, gradient.gradient.queries);
    compare(computed.keys, exact.gradient().keys, gradient.gradient.keys);
    compare(computed.values, exact.gradient().values, gradient.gradient.values);
    publish("computed", in_u(worst));
  });
}

TEST(AttentionErrorBounds, AnOverflowIsNotPromised) {
  judge(attention_error_bounds_mutants, [](const Bounds& bounds) {
    AttentionCase<double> input;
    input.queries = Matrix<double>::Zero(1, 1);
    input.keys = Matrix<double>::Zero(2, 1);
    input.values = Matrix<double>::Constant(2, 1, std::numeric_limits<double>::max());
    input.output_gradient = Matrix<double>::Ones(1, 1);
    EXPECT_TRUE(bounds.output(input).vacuous);
    EXPECT_TRUE(bounds.gradient(input).vacuous);
    input.values /= 16;
    EXPECT_FALSE(bounds.output(input).vacuous);
    EXPECT_FALSE(bounds.gradient(input).vacuous);
    // The product of query and key overflows, the score does not.
    input.queries << 1e200;
    input.keys << 1e200, 0;
    input.options.scale = 1e-200;
    EXPECT_TRUE(bounds.output(input).vacuous);
    EXPECT_TRUE(bounds.gradient(input).vacuous);
    // In half precision the largest number can be stored: nothing is rounded beyond it.
    const auto largest = equal_scores({65504, 65504});
    EXPECT_FALSE(bounds.output(largest).vacuous);
    EXPECT_EQ(
        static_cast<float>(
            scaled_dot_product_attention(largest.queries, largest.keys, largest.values).output(0)),
        65504);
    AttentionCase<Eigen::half> steep = largest;
    steep.output_gradient *= Eigen::half(4);
    steep.queries.setConstant(Eigen::half(16));
    EXPECT_TRUE(bounds.gradient(steep).vacuous);
    enumerated(5);
    counterexample_without("no overflow");
  });
}

TEST(AttentionErrorBounds, WeightsThatAreStoredBreakThem) {
  judge(attention_error_bounds_mutants, [](const Bounds& bounds) {
    const auto input = equal_scores({3 + 0x1p-9F, 0, 0});
    const double exact = (3 + 0x1p-9) / 3;
    const double bound = bounds.output(input).output(0);
    const auto stored_weights = [](const auto& scores) {
      return softmax(scores).template cast<Eigen::half>().template cast<float>().eval();
    };
    const auto output = [&](const auto& weighting) {
      return static_cast<double>(
          scaled_dot_product_attention(input.queries, input.keys, input.values, {}, weighting)
              .output(0));
    };
    EXPECT_EQ(output(stored_weights), 1);
    EXPECT_GT(exact - 1, bound);
    EXPECT_LE(std::abs(output(SoftmaxWeighting()) - exact), bound);
    enumerated(1);
    publish("error", digits(exact - 1, 2));
    publish("bound", digits(bound, 2));
    counterexample_without("weights as computed");
  });
}

TEST(AttentionErrorBounds, RefuseShapesThatDoNotFit) {
  judge(attention_error_bounds_mutants, [](const Bounds& bounds) {
    const auto matrix = [](Index rows, Index columns) {
      return Matrix<double>(Matrix<double>::Ones(rows, columns));
    };
    const auto message = [&](const AttentionCase<double>& input) {
      return message_of<std::invalid_argument>([&] { bounds.output(input); });
    };
    const auto of_gradient = [&](const AttentionCase<double>& input) {
      return message_of<std::invalid_argument>([&] { bounds.gradient(input); });
    };
    AttentionCase<double> input{matrix(3, 4), matrix(5, 6), matrix(5, 2), matrix(3, 2), {}};
    EXPECT_EQ(message(input),
              "the queries are 3 x 4 and the keys 5 x 6, but must have as many columns");
    EXPECT_EQ(of_gradient(input),
              "the queries are 3 x 4 and the keys 5 x 6, but must have as many columns");
    input.keys = matrix(5, 4);
    input.values = matrix(6, 2);
    EXPECT_EQ(message(input),
              "the keys are 5 x 4 and the values 6 x 2, but must have as many rows");
    EXPECT_EQ(of_gradient(input),
              "the keys are 5 x 4 and the values 6 x 2, but must have as many rows");
    input.values = matrix(5, 2);
    input.output_gradient = matrix(2, 3);
    EXPECT_EQ(of_gradient(input), "the gradient of the output is 2 x 3, but must be 3 x 2");
    input.options.bias = matrix(1, 5);
    EXPECT_EQ(message(input), "the bias is 1 x 5, but must be 3 x 5");
    enumerated(6);
  });
}

}  // namespace
