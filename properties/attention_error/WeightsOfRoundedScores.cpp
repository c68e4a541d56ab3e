#include <sqrtdk/attention_error/weight_errors.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/generators/attention_cases.hpp>
#include <sqrtdk/testing/laws/exact_attention.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>

#include "properties/attention_error/fixture.hpp"
#include "properties/support/outcomes.hpp"

namespace sqrtdk::properties::WeightsOfRoundedScores {

using WideColumn = Eigen::Matrix<Wide, Eigen::Dynamic, 1>;
using RationalColumn = Eigen::Matrix<Rational, Eigen::Dynamic, 1>;

struct Subject {
  std::function<AttentionWeightErrors(const WideColumn&, double, const SoftmaxArithmetic&)> errors =
      sqrtdk::weight_errors<Wide>;
};

/// Part 1 over the rationals: weights whose exponentials are moved by factors r, 1/r or 1.
void check_moved_exponentials() {
  const auto n = *rc::gen::inRange<std::size_t>(1, 8).as("number of scores");
  const auto exponentials =
      *rc::gen::container<std::vector<int>>(n, rc::gen::inRange(1, 1000)).as("e^s");
  const auto moves = *rc::gen::container<std::vector<int>>(n, rc::gen::inRange(-1, 2))
                          .as("which scores move up (1) or down (-1)");
  const Rational r = 1 + Rational(*rc::gen::inRange(0, 65).as("64 (e^E - 1)"), 64);
  RationalColumn w(static_cast<Index>(n));
  RationalColumn moved(static_cast<Index>(n));
  for (std::size_t j = 0; j < n; ++j) {
    const auto i = static_cast<Index>(j);
    w[i] = exponentials[j];
    moved[i] = moves[j] > 0 ? Rational(w[i] * r) : moves[j] < 0 ? Rational(w[i] / r) : w[i];
  }
  const Rational most = n == 1 ? Rational(1) : Rational(r * r);
  const RationalColumn p = normalized_weights(w);
  const RationalColumn y = normalized_weights(moved);
  for (Index i = 0; i < p.size(); ++i) {
    EXPECT_EXACTLY(y[i] <= Rational(most * p[i]));
    EXPECT_EXACTLY(p[i] <= Rational(most * y[i]));
  }
}

/// The distances of scores from the greatest, which fit into doubles where scores do not.
Eigen::VectorXd below_the_greatest(const WideColumn& scores) {
  return (scores.array() - scores.maxCoeff()).matrix().cast<double>();
}

/// The bound of a computed softmax of moved scores, and what the move adds, beside the bound for
/// all moves.
void check_moved(const Subject& subject, const WideColumn& scores, const WideColumn& moved,
                 double off, const SoftmaxArithmetic& a) {
  const AttentionWeightErrors errors = subject.errors(scores, off, a);
  SoftmaxArithmetic unstored = a;
  unstored.storage_roundoff = unstored.storage_smallest = 0;
  const SoftmaxErrorBound at_moved = softmax_error_bound(below_the_greatest(moved), 1.0, unstored);
  const Eigen::VectorXd at_moved_logs =
      log_softmax_error_bound(below_the_greatest(moved), 1.0, unstored);
  const WideColumn p = softmax(scores);
  const WideColumn y = softmax(moved);
  for (Index j = 0; j < p.size(); ++j) {
    if (!(errors.relative(j) < 1)) continue;
    const Wide error = at_moved.relative[j] * y[j] + at_moved.absolute + abs(Wide(y[j] - p[j]));
    const Wide bound = wide(errors.relative(j)) * errors.weights(j);
    // at_moved is raised for its own rounding.
    RC_ASSERT(error <= bound * (1 + wide(bound_margin)));
    const Wide log_error = at_moved_logs[j] + abs(Wide(log(y[j]) - log(p[j])));
    RC_ASSERT(log_error <= errors.log_weights(j) * (1 + wide(bound_margin)));
  }
  const Wide shift = moved[0] - scores[0] - log(y[0]) + log(p[0]);
  const double of_sum = log_sum_exp_error_bound(moved.cast<double>().eval(), 1.0, unstored);
  RC_ASSERT(of_sum + abs(shift) <= errors.log_sum_exps(0) * (1 + wide(bound_margin)));
}

Subject changed(void (*change)(AttentionWeightErrors&, const WideColumn&, double,
                               SoftmaxArithmetic)) {
  return {.errors = [=](const WideColumn& s, double off, const SoftmaxArithmetic& a) {
    AttentionWeightErrors errors = weight_errors(s, off, a);
    change(errors, s, off, a);
    return errors;
  }};
}

//! [WeightsOfRoundedScores]
STATEMENT(WeightsOfRoundedScores, MovedScoresAreWithinTheBound) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all([&] {
    const auto list = *vectors<double>({.longest = 7, .entries = {.largest = 800}}).as("scores");
    const double off =
        *rc::gen::element(0x1p-60, 0x1p-30, 0x1p-9, 0x1p-4, 0x1p-2).as("E, how far they are off");
    const SoftmaxArithmetic a =
        arithmetic_number(*rc::gen::inRange(0, 3).as("double (0), float (1), coarse (2)"));
    const auto up = *rc::gen::container<std::vector<bool>>(list.size(), rc::gen::arbitrary<bool>())
                         .as("which scores move up");
    const auto n = static_cast<Index>(list.size());
    const WideColumn scores = Eigen::Map<const Eigen::VectorXd>(list.data(), n).cast<Wide>();
    WideColumn moved = scores;
    for (std::size_t j = 0; j < up.size(); ++j) moved[static_cast<Index>(j)] += up[j] ? off : -off;
    check_moved(subject, scores, moved, off, a);
    // One against all others, which changes its weight the most.
    moved = scores.array() + wide(off);
    moved[0] = scores[0] - off;
    check_moved(subject, scores, moved, off, a);
  });
  for_all(check_moved_exponentials);
}
//! [WeightsOfRoundedScores]
KILLS("scores are off by half as much",
      {.errors = [](auto& s, double off, auto& a) { return weight_errors(s, off / 2, a); }});
KILLS("the softmax is exact", changed([](auto& errors, auto&, double off, SoftmaxArithmetic a) {
        errors.relative.setConstant(std::max(std::expm1(2 * off), a.unit_roundoff));
      }));
KILLS("no weight underflows", changed([](auto& errors, auto& s, double, SoftmaxArithmetic) {
        errors.weights = softmax(s).template cast<double>().transpose();
      }));
KILLS("log-sum-exp is of exact scores",
      changed([](auto& errors, auto& s, double, SoftmaxArithmetic a) {
        errors.log_sum_exps = weight_errors(s, 0, a).log_sum_exps;
      }));
KILLS("a logarithm is off by the error of its score alone",
      changed([](auto& errors, auto&, double off, SoftmaxArithmetic) {
        errors.log_weights.array() -= off;
      }));

ASIDE(WeightsOfRoundedScores, TheBoundIsTheFormulaOfThePage) {
  evidence().rests_on(EvidenceLevel::bounded);
  const auto check = [&](const std::vector<double>& list, double off, const SoftmaxArithmetic& a) {
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
    const AttentionWeightErrors errors = subject.errors(scores, off, a);
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

    const Wide u = a.unit_roundoff, r = 1 + wide(a.exp_argument_error), top = scores.maxCoeff();
    const Wide theta = (a.exp_error + r * (2 + wide(a.depth_of_underflow))) * u;
    const Wide log_sum = 2 * E - log(Wide(p.maxCoeff()));
    const Wide mean = p.dot(WideColumn((top - scores.array()).matrix())) + 2 * E +
                      (exp(wide(2 * E)) - 1) * log(Wide(m));
    const auto h = summation_depth(a.summation, list.size(), a.block);
    const Wide s =
        ((r * mean + h + a.exp_error) * u + 4 * Wide(m) * (a.exp_error + 2) * wide(a.smallest)) /
        (1 - theta);
    const Wide e = s + a.log_error * u * (log_sum + s);
    const Wide beta =
        (e + 5 * u * (abs(top) + off + log_sum + e) + 2 * wide(a.smallest)) / (1 - theta);
    for (Index j = 0; j < m && beta < 0x1p-4; ++j) {
      const Wide size = top - scores[j] + 2 * E + log_sum + beta;
      agree = agree && is_raised(errors.log_sum_exps(0), Wide(off + beta), 2) &&
              is_raised(errors.log_weights(j), Wide(2 * E + beta + 2 * u * size / (1 - theta)), 2);
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
    RC_ASSERT(
        check(list, off,
              arithmetic_number(*rc::gen::inRange(0, 3).as("double (0), float (1), coarse (2)"))));
  });
}
KILLS("the exponential is not worse at scores that are off",
      changed([](auto& errors, auto& s, double off, SoftmaxArithmetic a) {
        errors.relative = weight_errors(s, 0, a).relative;
        for (double& rho : errors.relative.reshaped())
          rho += (1 + rho) * std::expm1(s.size() == 1 ? 0 : 2 * off);
      }));
KILLS("underflow begins where it would without errors",
      changed([](auto& errors, auto& s, double off, SoftmaxArithmetic a) {
        if (s.size() > 1) a.depth_of_underflow -= 2 * off;
        errors = weight_errors(s, off, a);
      }));
KILLS("weights are stored", changed([](auto& errors, auto& s, double off, SoftmaxArithmetic a) {
        a.unit_roundoff += a.storage_roundoff;
        errors = weight_errors(s, off, a);
      }));

/// The weights of a case beside their bound, for the row's largest error of a score.
template <class Real>
Outcome weight_law(const Subject& subject, const AttentionCase<Real>& input) {
  const SoftmaxArithmetic arithmetic = arithmetic_of<Real>();
  const auto scores =
      attention_score_errors<Wide>(input.queries, input.keys, input.options, arithmetic);
  sqrtdk::testing::Nearest nearest;
  if (!(scores.reach.maxCoeff() <= arithmetic.largest)) {
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
    const auto errors = subject.errors(of_seen, scores.error.row(i).maxCoeff(), arithmetic);
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

STATEMENT(WeightsOfRoundedScores, ComputedWeightsAreWithinTheBound) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const auto& input : attention_edge_cases<double>()) expect_law(weight_law(subject, input));
  for (const auto& input : attention_edge_cases<float>()) expect_law(weight_law(subject, input));
  for_all([&] { require_law(weight_law(subject, drawn_attention_case<double>())); }, 60);
  for_all([&] { require_law(weight_law(subject, drawn_attention_case<float>())); }, 60);
  const auto search = [&](auto zero, const std::string& prefix) {
    using Real = decltype(zero);
    const auto law = [&](const Arrays<Real>& input) { return weight_law(subject, case_of(input)); };
    expect_bound_holds(worst_case(attention_space<Real>(), searched(6000), law), prefix);
  };
  search(0.0, "double_");
  search(0.0F, "float_");
}
KILLS("scores are exact",
      {.errors = [](auto& s, double, auto& a) { return weight_errors(s, 0, a); }});

ASIDE(WeightsOfRoundedScores, ASoftmaxThatPromisesNothingMakesNoPromiseOfAWeight) {
  SoftmaxArithmetic coarse = arithmetic_of<double>();
  coarse.unit_roundoff = 0x1p-6;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const Index m : {1, 2}) {
    const AttentionWeightErrors errors =
        subject.errors(WideColumn::Constant(m, wide(0.0)), 0, coarse);
    EXPECT_EXACTLY(bits_of(errors.relative(0)) == bits_of(infinity));
    EXPECT_EXACTLY(bits_of(errors.weights(0)) == bits_of(1.0));
    enumerated(1);
  }
}
KILLS("an infinite part of softmax times a growth of 0",
      changed([](auto& errors, auto&, double, SoftmaxArithmetic) {
        errors.relative += 0.0 * errors.relative;
      }));

ASIDE(WeightsOfRoundedScores, ScoresBeyondTheDigitsOfADoubleKeepTheirDistances) {
  // A long double holds these scores; the next double below the first is 1024 away.
  const WideColumn shift = WideColumn::Constant(3, wide(0x1p63));
  WideColumn scores(3);
  scores << wide(0.0), wide(-500.0), wide(-std::numeric_limits<double>::infinity());
  for (const double off : {0.0, 0x1p-9}) {
    const SoftmaxArithmetic a = arithmetic_of<long double>();
    const AttentionWeightErrors errors = subject.errors(shift + scores, off, a);
    const AttentionWeightErrors wanted = weight_errors(scores, off, a);
    EXPECT_EXACTLY(bits_of(errors.relative) == bits_of(wanted.relative));
    EXPECT_EXACTLY(bits_of(errors.weights) == bits_of(wanted.weights));
    // One without any weight has no error of its own but that of the scores.
    EXPECT_EXACTLY(Rational(errors.relative(2)) < Rational(errors.relative(1)));
    enumerated(1);
  }
}
KILLS("scores are rounded to doubles before the greatest is subtracted",
      changed([](auto& errors, auto& s, double off, SoftmaxArithmetic a) {
        const WideColumn rounded = s.template cast<double>().template cast<Wide>();
        errors.relative = weight_errors(rounded, off, a).relative;
      }));
KILLS("a score of minus infinity is as deep as any",
      changed([](auto& errors, auto& s, double, SoftmaxArithmetic) {
        for (Index j = 0; j < s.size(); ++j)
          if (isinf(s(j))) errors.relative(j) = errors.relative.maxCoeff();
      }));

//! [WeightsOfRoundedScores: exact check]
STATEMENT(WeightsOfRoundedScores, ASingleScoreHasTheWeightOne) {
  evidence().rests_on(EvidenceLevel::bounded);
  const SoftmaxArithmetic a = arithmetic_of<double>();
  const WideColumn score = WideColumn::Constant(1, wide(1e300));
  const AttentionWeightErrors errors = subject.errors(score, 1e285, a);
  // Two exponentials and a quotient, 2A + D roundings; both bounds are raised twice.
  const Wide roundings = (2 * a.exp_error + 1) * wide(a.unit_roundoff);
  EXPECT_TRUE(is_raised(errors.relative(0), roundings, 2));
  EXPECT_TRUE(is_raised(errors.weights(0), Wide(1), 2));
  enumerated(2);
}
//! [WeightsOfRoundedScores: exact check]
KILLS("a single score is off too",
      changed([](auto& errors, auto& s, double off, SoftmaxArithmetic) {
        if (s.size() == 1) errors.relative.array() += std::expm1(2 * off);
      }));

ASIDE(WeightsOfRoundedScores, AScoreThatIsFartherOffBreaksIt) {
  evidence().rests_on(EvidenceLevel::bounded);
  const double off = 0x1p-10;
  const WideColumn scores = WideColumn::Constant(11, Wide(0));
  WideColumn moved = scores;
  moved[0] = 4 * off;
  const AttentionWeightErrors errors = subject.errors(scores, off, arithmetic_of<double>());
  const Wide change = WideColumn(softmax(moved))[0] - WideColumn(softmax(scores))[0];
  EXPECT_GT(change, wide(errors.relative(0)) * wide(errors.weights(0)));
  enumerated(1);
  counterexample_without("scores off by E");
}
KILLS("scores may be off by twice as much",
      {.errors = [](auto& s, double off, auto& a) { return weight_errors(s, 2 * off, a); }});

}  // namespace sqrtdk::properties::WeightsOfRoundedScores
