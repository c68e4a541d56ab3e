// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/variants_weights.hpp>

#include "properties/support/rational_distributions.hpp"
#include "properties/variants/fixture.hpp"

#include <Eigen/Core>
#include <boost/multiprecision/eigen.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <stdexcept>
#include <vector>

namespace sqrtdk::properties::AttentionSink {

using namespace sqrtdk::testing;

using Vector = Sinks::Vector;

/// The largest power; 1 if there is none, so that a mutant reads no empty vector.
Rational largest(const Vector& z) { return z.size() == 0 ? Rational(1) : z.maxCoeff(); }

const std::vector<Mutant<Sinks>> attention_sink_mutants = {
    {"the sink is no key but a factor of all powers",
     "ASinkIsAKeyWhoseWeightIsDropped",
     {.weights = [](const Vector& z, const Rational& sink) -> Vector {
       return normalized_weights(z * sink);
     }}},
    {"the sink counts for each key",
     "ASinkIsAKeyWhoseWeightIsDropped",
     {.weights = [](const Vector& z, const Rational& sink) -> Vector {
       return weights_with_sink(z, z.size() * sink);
     }}},
    {"the sink's weight is spread over the keys",
     "TheTotalIsWhatTheSinkLeaves",
     {.weights = [](const Vector& z, const Rational&) -> Vector { return normalized_weights(z); }}},
    {"the total is 1 in the factor",
     "TheTotalGrowsWithEachScore",
     {.slopes = [](const Vector& p) -> Vector { return p - p.cwiseProduct(p); }}},
    {"the sink takes no part of the slope",
     "TheTotalGrowsWithEachScore",
     {.slopes = [](const Vector& p) -> Vector { return p; }}},
    {"the maximum is subtracted from the scores and not from the sink",
     "ASharedShiftCounts",
     {.weights = [](const Vector& z, const Rational& sink) -> Vector {
       return weights_with_sink(z / largest(z), sink);
     }}},
    {"the sink moves with the scores",
     "ASharedShiftCounts",
     {.weights = [](const Vector& z, const Rational& sink) -> Vector {
       return weights_with_sink(z, sink * largest(z));
     }}},
    {"a power of 0 is refused",
     "AMaskedKeyHasNoWeight",
     {.weights = [](const Vector& z, const Rational& sink) -> Vector {
       if ((z.array() == 0).any()) throw std::domain_error("a power of 0");
       return weights_with_sink(z, sink);
     }},
     Death::by_exception},
    {"without a score there is no sink",
     "AMaskedKeyHasNoWeight",
     {.weights = [](const Vector& z, const Rational& sink) -> Vector {
       return z.sum() == 0 ? Vector(Vector::Constant(z.size(), Rational(1, 1 + z.size())))
                           : weights_with_sink(z, sink);
     }}},
    {"a sink of 0 is taken",
     "RefusesWhatIsOutOfRange",
     {.weights = [](const Vector& z, const Rational&) -> Vector { return z; }}},
};

Vector drawn_powers() {
  Vector z(*rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 6)).as("n"));
  for (Rational& power : z) power = abs(*any_rational().as("a power"));  // of a masked key 0
  z(0) = *positive_rational().as("the first power");
  return z;
}

//! [AttentionSink]
TEST(AttentionSink, ASinkIsAKeyWhoseWeightIsDropped) {
  check_statement(attention_sink_mutants, [](const Sinks& sinks) {
    for_all([&] {
      const Vector z = drawn_powers();
      const Rational sink = *positive_rational().as("sink");
      Vector with_one_more(z.size() + 1);
      with_one_more << z, sink;
      const Vector all = normalized_weights(with_one_more);
      EXPECT_EXACTLY(sinks.weights(z, sink) == Vector(all.head(z.size())));
    });
  });
}

TEST(AttentionSink, TheTotalIsWhatTheSinkLeaves) {
  check_statement(attention_sink_mutants, [](const Sinks& sinks) {
    for_all([&] {
      const Vector z = drawn_powers();
      const Rational sum = z.sum(), sink = *positive_rational().as("sink");
      const Rational total = sinks.weights(z, sink).sum();
      EXPECT_EXACTLY(total == sum / (sum + sink));
      EXPECT_EXACTLY((0 < total && total < 1));
      // Any total between 0 and 1 belongs to a sink.
      const Rational wanted = 1 / (1 + *positive_rational().as("1/T - 1"));
      EXPECT_EXACTLY(sinks.weights(z, sum * (1 - wanted) / wanted).sum() == wanted);
    });
  });
}

TEST(AttentionSink, TheTotalGrowsWithEachScore) {
  check_statement(attention_sink_mutants, [](const Sinks& sinks) {
    for_all([&] {
      const Vector z = drawn_powers();
      const Rational sum = z.sum(), sink = *positive_rational().as("sink");
      const Vector slopes = sinks.slopes(sinks.weights(z, sink));
      // The derivative of S/(S + z0) with respect to S, times that of S, which is z.
      for (Eigen::Index j = 0; j < z.size(); ++j)
        EXPECT_EXACTLY(slopes(j) == z(j) * sink / ((sum + sink) * (sum + sink)));
    });
  });
}
//! [AttentionSink]

//! [AttentionSink: exact check]
TEST(AttentionSink, ASharedShiftCounts) {
  check_statement(attention_sink_mutants, [](const Sinks& sinks) {
    const Vector z{{1, 2, 5}};
    EXPECT_EXACTLY(sinks.weights(z, 1).sum() == Rational(8, 9));
    EXPECT_EXACTLY(sinks.weights(2 * z, 1).sum() == Rational(16, 17));
    EXPECT_EXACTLY(sinks.weights(2 * z, 2).sum() == Rational(8, 9));  // the sink moved as well
    enumerated(3);
  });
}

TEST(AttentionSink, AMaskedKeyHasNoWeight) {
  check_statement(attention_sink_mutants, [](const Sinks& sinks) {
    EXPECT_EXACTLY(sinks.weights(Vector{{0, 1}}, 1) == Vector{{0, Rational(1, 2)}});
    EXPECT_EXACTLY(sinks.weights(Vector{{0, 0}}, 1) == Vector{{0, 0}});  // the sink has all of it
    enumerated(2);
  });
}
//! [AttentionSink: exact check]

TEST(AttentionSink, RefusesWhatIsOutOfRange) {
  check_with_mutants(attention_sink_mutants, [](const Sinks& sinks) {
    expect_refusal<std::invalid_argument>([&] { return sinks.weights(Vector(), 1); });
    expect_refusal<std::domain_error>([&] { return sinks.weights(Vector{{1, 2}}, 0); });
    expect_refusal<std::domain_error>([&] { return sinks.weights(Vector{{1, -2}}, 1); });
  });
}

}  // namespace sqrtdk::properties::AttentionSink
