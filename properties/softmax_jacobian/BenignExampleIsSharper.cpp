#include "properties/softmax_jacobian/fixture.hpp"
#include "properties/support/vectors.hpp"

namespace sqrtdk::properties::BenignExampleIsSharper {

/// The two rows of S2: the one that it finds benign, and the one that it finds extreme.
const std::vector<Rational> benign_scores = {5, 1, Rational(1, 2)};
const std::vector<Rational> extreme_scores = {14, 10, 12};

std::vector<Interval<Rational>> points(const Vector<Rational>& p) {
  std::vector<Interval<Rational>> exact;
  for (const Rational& weight : p) exact.push_back({weight, weight});
  return exact;
}

//! [BenignExampleIsSharper]
STATEMENT(BenignExampleIsSharper, MajorizationLowersTheTrace) {
  for_all([&] {
    const Vector<Rational> p = any_weights(2, 6, true);
    // A part of p is dealt out in another order: what comes out is majorized by p.
    const Rational part(*rc::gen::inRange(0, 101).as("percent"), 100);
    const Index by = *rc::gen::inRange<Index>(0, p.size()).as("turned by");
    Vector<Rational> q(p.size());
    for (Index i = 0; i < p.size(); ++i) q[i] = (1 - part) * p[i] + part * p[(i + by) % p.size()];
    EXPECT_EXACTLY(subject.surely_majorizes(points(p), points(q)));
    EXPECT_EXACTLY(subject.trace(p) <= subject.trace(q));
  });
  EXPECT_EXACTLY(
      !subject.surely_majorizes(points(tenths({50, 25, 25}) / 10), points(tenths({4, 4, 2}))))
      << "5/10 is more than 4/10, but 75/100 less than 8/10";
  EXPECT_EXACTLY(!subject.surely_majorizes(
      {{Rational(4, 10), Rational(6, 10)}, {Rational(4, 10), Rational(6, 10)}},
      points(tenths({5, 5}))))
      << "(6, 4) would, but is not sure";
  EXPECT_EXACTLY(subject.trace(tenths({7, 2, 1})) < subject.trace(tenths({4, 4, 2})));
}
//! [BenignExampleIsSharper]
KILLS("only the largest weights are compared", {.surely_majorizes = [](auto& p, auto& q) {
        const auto less = [](auto& a, auto& b) { return a.lower < b.lower; };
        return std::max_element(p.begin(), p.end(), less)->lower >=
               std::max_element(q.begin(), q.end(), less)->upper;
      }});
KILLS("the ends that favour it are compared", {.surely_majorizes = [](auto& p, auto& q) {
        std::vector<Interval<Rational>> most = p, least = q;
        for (Interval<Rational>& weight : most) weight.lower = weight.upper;
        for (Interval<Rational>& weight : least) weight.upper = weight.lower;
        return surely_majorizes(most, least);
      }});
KILLS("the trace is Σp²", {.trace = [](auto& p) { return p.squaredNorm(); }});

//! [BenignExampleIsSharper: exact check]
STATEMENT(BenignExampleIsSharper, TheBenignWeightsMajorizeTheExtremeOnes) {
  const std::vector<Interval<Rational>> benign = subject.enclosed_weights(benign_scores);
  const std::vector<Interval<Rational>> extreme = subject.enclosed_weights(extreme_scores);
  expect_printed("S2", "0.971", benign[0].lower);
  expect_printed("S2", "0.867", extreme[0].lower);
  EXPECT_EXACTLY(subject.surely_majorizes(benign, extreme));
  EXPECT_EXACTLY(!subject.surely_majorizes(extreme, benign));
  record_enclosed("benign_first", benign[0], 3);
  record_enclosed("extreme_first", extreme[0], 3);
  record_enclosed("benign_two",
                  {benign[0].lower + benign[1].lower, benign[0].upper + benign[1].upper}, 3);
  record_enclosed("extreme_two",
                  {extreme[0].lower + extreme[2].lower, extreme[0].upper + extreme[2].upper}, 3);
  enumerated(1);
}
KILLS("weights are proportional to scores",
      {.enclosed_weights = [](auto& x) { return points(normalized_weights(vector_of(x))); }});
KILLS("scores are divided by 4 first", {.enclosed_weights = [](auto& x) {
        std::vector<Rational> divided = x;
        for (Rational& score : divided) score /= 4;
        return softmax_enclosure(divided);
      }});

STATEMENT(BenignExampleIsSharper, ItsDerivativeIsSmallerInEveryNorm) {
  const JacobianNorms benign = subject.norms(benign_scores, narrow);
  const JacobianNorms extreme = subject.norms(extreme_scores, narrow);
  const bool as_large_in_one = benign.trace.upper >= extreme.trace.lower ||
                               benign.squared_frobenius.upper >= extreme.squared_frobenius.lower ||
                               benign.spectral.upper >= extreme.spectral.lower;
  EXPECT_EXACTLY(!as_large_in_one);
  record_norms("benign", benign, 3);
  record_norms("extreme", extreme, 3);
  enumerated(1);
}
//! [BenignExampleIsSharper: exact check]
KILLS("the trace is the chance of a repetition", {.norms = [](auto& x, auto& width) {
        JacobianNorms norms = jacobian_norms(x, width);
        norms.trace = {1 - norms.trace.upper, 1 - norms.trace.lower};
        return norms;
      }});
KILLS("the spectral norm is the largest weight", {.norms = [](auto& x, auto& width) {
        JacobianNorms norms = jacobian_norms(x, width);
        norms.spectral = softmax_enclosure(x)[0];
        return norms;
      }});

ASIDE(BenignExampleIsSharper, RefusesWeightsOfDifferentNumber) {
  expect_refusal<std::invalid_argument>([&] {
    subject.surely_majorizes(points(tenths({5, 5})), points(tenths({10})));
  });
}
KILLS("lengths are not compared", {.surely_majorizes = [](auto& p, auto& q) {
        return p.size() == q.size() && surely_majorizes(p, q);
      }});

}  // namespace sqrtdk::properties::BenignExampleIsSharper
