#include <sqrtdk/softmax.hpp>
#include <sqrtdk/variants/scores.hpp>

#include "properties/support/rational_distributions.hpp"
#include "properties/variants/fixture.hpp"

namespace sqrtdk::properties::LogNScaling {

using Vector = Eigen::Matrix<Rational, Eigen::Dynamic, 1>;

struct Subject {
  Rational (*weight)(const Rational&, unsigned) = sqrtdk::leading_weight;
  Rational (*of_log_n)(unsigned, unsigned) = sqrtdk::log_n_lead;
};

//! [LogNScaling]
STATEMENT(LogNScaling, TheWeightIsThatOfSoftmax) {
  for_all([&] {
    const auto n = *rc::gen::inRange(1U, 9U).as("n");
    const Rational lead = *positive_rational().as("e to the gap");
    const Rational common = *positive_rational().as("e to the other scores");
    Vector powers = Vector::Constant(n, common);
    const auto place = *rc::gen::inRange(0U, n).as("place");
    powers(place) *= lead;
    EXPECT_EXACTLY(normalized_weights(powers)(place) == subject.weight(lead, n));
  });
}
KILLS("n others instead of n − 1",
      {.weight = [](auto& lead, unsigned n) { return lead / (lead + n); }});
KILLS("the lead is left out of the sum",
      {.weight = [](auto& lead, unsigned n) { return lead / n; }});

STATEMENT(LogNScaling, NoWeightOfScoresInARangeIsLarger) {
  for_all([&] {
    const auto n = *rc::gen::inRange(1U, 7U).as("n");
    const Rational range = 1 + *positive_rational().as("e^R - 1");
    Vector powers(n);
    for (Rational& power : powers) {
      const Rational part = 1 / (1 + *positive_rational().as("a part"));
      power = 1 + (range - 1) * part;
    }
    EXPECT_EXACTLY(normalized_weights(powers).maxCoeff() <= subject.weight(range, n));
    // A number subtracted from all scores, ln n or any other, changes no weight.
    const Rational factor = *positive_rational().as("e to what is subtracted");
    EXPECT_EXACTLY(Vector(normalized_weights(powers / factor)) ==
                   Vector(normalized_weights(powers)));
  });
}
//! [LogNScaling]
KILLS("the bound is that of the mean weight",
      {.weight = [](auto&, unsigned n) { return Rational(1, n); }});

//! [LogNScaling: exact check]
STATEMENT(LogNScaling, TheBorderIsAtAProductOfOne) {
  const auto weight = [&](unsigned n, unsigned k) {
    return subject.weight(subject.of_log_n(n, k), n);
  };
  for (const unsigned n : {4U, 64U, 1024U, 1048576U}) {
    EXPECT_EXACTLY(1 - weight(n, 2) < Rational(1, n));
    EXPECT_EXACTLY(weight(n, 1) == Rational(n, 2 * n - 1));
    EXPECT_EXACTLY(weight(n, 0) == Rational(1, n));
  }
  EXPECT_EXACTLY(weight(1024, 2) == Rational(1048576, 1049599));
  // ag = 1/2: the root of n.
  EXPECT_EXACTLY(subject.weight(32, 1024) == Rational(32, 1055));
  EXPECT_EXACTLY(subject.weight(4, 13) == Rational(1, 4));
  enumerated(15);
  const double log_n = std::log(512.0);
  record_value("planted_at_512", format_fixed(log_n, 2));
  record_value("random_at_512", format_fixed(std::sqrt(2 * log_n), 2));
}
//! [LogNScaling: exact check]
KILLS("the logarithm is subtracted and not multiplied by",
      {.of_log_n = [](unsigned, unsigned k) { return Rational(1U << k); }});
KILLS("the lead is squared",
      {.of_log_n = [](unsigned n, unsigned k) { return log_n_lead(n, 2 * k); }});
KILLS("the gap is not multiplied",
      {.of_log_n = [](unsigned n, unsigned k) { return k == 2 ? Rational(n) : log_n_lead(n, k); }});

ASIDE(LogNScaling, TwoKeysAheadShareTheWeight) {
  counterexample_without("one key ahead");
  const Rational lead = subject.of_log_n(16, 2);
  Vector powers = Vector::Constant(16, Rational(1));
  powers(0) = powers(1) = lead;
  EXPECT_EXACTLY(normalized_weights(powers)(0) == Rational(128, 263));
  EXPECT_EXACTLY(subject.weight(lead, 16) == Rational(256, 271));
  enumerated(2);
}
KILLS("a lead counts twice",
      {.of_log_n = [](unsigned n, unsigned k) { return 2 * log_n_lead(n, k); }});

ASIDE(LogNScaling, RefusesWhatIsOutOfRange) {
  expect_refusal<std::domain_error>([&] { return subject.weight(0, 2); });
  expect_refusal<std::domain_error>([&] { return subject.weight(Rational(-1, 2), 2); });
  expect_refusal<std::domain_error>([&] { return subject.weight(1, 0); });
  expect_refusal<std::domain_error>([&] { return subject.of_log_n(0, 1); });
}
KILLS("a lead of 0 is taken", {.weight = [](auto& lead, unsigned n) {
        return lead == 0 ? Rational(0) : leading_weight(lead, n);
      }});
KILLS("no key is taken",
      {.of_log_n = [](unsigned n, unsigned k) { return n == 0 ? Rational(0) : log_n_lead(n, k); }});

}  // namespace sqrtdk::properties::LogNScaling
