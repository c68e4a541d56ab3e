#include <sqrtdk/softmax.hpp>

#include "properties/support/rational_distributions.hpp"
#include "properties/variants/fixture.hpp"

namespace sqrtdk::properties::AttentionSink {

using Subject = Sinks;

using Vector = Sinks::Vector;

Vector drawn_powers() {
  Vector z(*rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 6)).as("n"));
  for (Rational& power : z) power = abs(*any_rational().as("a power"));  // of a masked key 0
  z(0) = *positive_rational().as("the first power");
  return z;
}

//! [AttentionSink]
STATEMENT(AttentionSink, ASinkIsAKeyWhoseWeightIsDropped) {
  for_all([&] {
    const Vector z = drawn_powers();
    const Rational sink = *positive_rational().as("sink");
    Vector with_one_more(z.size() + 1);
    with_one_more << z, sink;
    const Vector all = normalized_weights(with_one_more);
    EXPECT_EXACTLY(subject.weights(z, sink) == Vector(all.head(z.size())));
  });
}
KILLS("the sink is no key but a factor of all powers",
      {.weights = [](auto& z, auto& sink) -> Vector { return normalized_weights(z * sink); }});
KILLS("the sink counts for each key", {.weights = [](auto& z, auto& sink) -> Vector {
        return weights_with_sink(z, z.size() * sink);
      }});

STATEMENT(AttentionSink, TheTotalIsWhatTheSinkLeaves) {
  for_all([&] {
    const Vector z = drawn_powers();
    const Rational sum = z.sum(), sink = *positive_rational().as("sink");
    const Rational total = subject.weights(z, sink).sum();
    EXPECT_EXACTLY(total == sum / (sum + sink));
    EXPECT_EXACTLY((0 < total && total < 1));
    // Any total between 0 and 1 belongs to a sink.
    const Rational wanted = 1 / (1 + *positive_rational().as("1/T - 1"));
    EXPECT_EXACTLY(subject.weights(z, sum * (1 - wanted) / wanted).sum() == wanted);
  });
}
KILLS("the sink's weight is spread over the keys",
      {.weights = [](auto& z, auto&) -> Vector { return normalized_weights(z); }});

STATEMENT(AttentionSink, TheTotalGrowsWithEachScore) {
  for_all([&] {
    const Vector z = drawn_powers();
    const Rational sum = z.sum(), sink = *positive_rational().as("sink");
    const Vector slopes = subject.slopes(subject.weights(z, sink));
    // The derivative of S/(S + z0) with respect to S, times that of S, which is z.
    for (Eigen::Index j = 0; j < z.size(); ++j)
      EXPECT_EXACTLY(slopes(j) == z(j) * sink / ((sum + sink) * (sum + sink)));
  });
}
//! [AttentionSink]
KILLS("the total is 1 in the factor",
      {.slopes = [](auto& p) -> Vector { return p - p.cwiseProduct(p); }});
KILLS("the sink takes no part of the slope", {.slopes = [](auto& p) -> Vector { return p; }});

/// The largest power; 1 if there is none, so that a mutant reads no empty vector.
Rational largest(const Vector& z) { return z.size() == 0 ? Rational(1) : z.maxCoeff(); }

//! [AttentionSink: exact check]
STATEMENT(AttentionSink, ASharedShiftCounts) {
  const Vector z{{1, 2, 5}};
  EXPECT_EXACTLY(subject.weights(z, 1).sum() == Rational(8, 9));
  EXPECT_EXACTLY(subject.weights(2 * z, 1).sum() == Rational(16, 17));
  EXPECT_EXACTLY(subject.weights(2 * z, 2).sum() == Rational(8, 9));  // the sink moved as well
  enumerated(3);
}
KILLS("the maximum is subtracted from the scores and not from the sink",
      {.weights = [](auto& z, auto& sink) -> Vector {
        return weights_with_sink(z / largest(z), sink);
      }});
KILLS("the sink moves with the scores", {.weights = [](auto& z, auto& sink) -> Vector {
        return weights_with_sink(z, sink * largest(z));
      }});

STATEMENT(AttentionSink, AMaskedKeyHasNoWeight) {
  EXPECT_EXACTLY(subject.weights(Vector{{0, 1}}, 1) == Vector{{0, Rational(1, 2)}});
  EXPECT_EXACTLY(subject.weights(Vector{{0, 0}}, 1) == Vector{{0, 0}});  // the sink has all of it
  enumerated(2);
}
//! [AttentionSink: exact check]
KILLS("a power of 0 is refused", {.weights = [](const Vector& z, const Rational& sink) -> Vector {
        if ((z.array() == 0).any()) throw std::domain_error("a power of 0");
        return weights_with_sink(z, sink);
      }},
      Death::by_exception);
KILLS("without a score there is no sink", {.weights = [](auto& z, auto& sink) -> Vector {
        return z.sum() == 0 ? Vector(Vector::Constant(z.size(), Rational(1, 1 + z.size())))
                            : weights_with_sink(z, sink);
      }});

ASIDE(AttentionSink, RefusesWhatIsOutOfRange) {
  expect_refusal<std::invalid_argument>([&] { return subject.weights(Vector(), 1); });
  expect_refusal<std::domain_error>([&] { return subject.weights(Vector{{1, 2}}, 0); });
  expect_refusal<std::domain_error>([&] { return subject.weights(Vector{{1, -2}}, 1); });
}
KILLS("a sink of 0 is taken", {.weights = [](auto& z, auto&) -> Vector { return z; }});

}  // namespace sqrtdk::properties::AttentionSink
