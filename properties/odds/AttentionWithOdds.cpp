// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/attention_odds.hpp>
#include <sqrtdk/kernel_profiles.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/mutant_run.hpp>

#include "properties/odds/fixture.hpp"
#include "properties/odds/right_kernels.hpp"
#include "properties/odds/traced_attention.hpp"

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace sqrtdk::properties::AttentionWithOdds {

using namespace sqrtdk::testing;

/// A mutant that is told of another arithmetic than the kernel has.
template <class Change>
Bounds told(Change change) {
  return {.of_attention = [=](AttentionCase<double>&, SoftmaxArithmetic& a, Odds&) { change(a); }};
}

const Mutants attention_with_odds_mutants = {
    {"half of the deviations",
     "NoMoreSignsThanTheChanceAreBeyondIt",
     {.of_attention = [](AttentionCase<double>&, SoftmaxArithmetic&,
                         Odds& odds) { odds.deviations = std::max(1.01, odds.deviations / 2); }}},
    {"products of scores are not rounded", "ItIsWhatTheRoundingsMove",
     told([](SoftmaxArithmetic& a) { a.scores.step = 0; })},
    {"quotients are not rounded", "ItIsWhatTheRoundingsMove",
     told([](SoftmaxArithmetic& a) { a.quotient_roundings = 0; })},
    {"the exponential is exact", "ItIsWhatTheRoundingsMove",
     told([](SoftmaxArithmetic& a) { a.exp_error = 0; })},
    {"the argument of the exponential is exact", "ItIsWhatTheRoundingsMove",
     told([](SoftmaxArithmetic& a) { a.exp_argument_error = 0; })},
    {"products with log2 e are exact", "ItIsWhatTheRoundingsMove",
     told([](SoftmaxArithmetic& a) { a.score_products = 0; })},
    {"stored weights are exact", "ItIsWhatTheRoundingsMove",
     told([](SoftmaxArithmetic& a) { a.weight_roundoff = 0; })},
    {"stored scores are exact", "ItIsWhatTheRoundingsMove",
     told([](SoftmaxArithmetic& a) { a.score_roundings = 0; })},
    {"the scale is not folded", "ItIsWhatTheRoundingsMove",
     told([](SoftmaxArithmetic& a) { a.scale_roundings = std::min(a.scale_roundings, 2U); })},
    {"a coarse accumulator is fine", "ItIsWhatTheRoundingsMove",
     told([](SoftmaxArithmetic& a) { a.outputs.step = 0; })},
    {"nothing is lost to underflow", "TheBoundOfTwoKeys",
     told([](SoftmaxArithmetic& a) { a.smallest /= 1024; })},
    {"a masked key takes no turn",
     "MaskedKeysTakeTheirTurnInLanes",
     {.of_attention =
          [](AttentionCase<double>& x, SoftmaxArithmetic&, Odds&) {
            if (!x.options.allowed) return;
            x.keys = x.keys({0, 2, 3}, Eigen::all).eval();
            x.values = x.values({0, 2, 3}, Eigen::all).eval();
            x.options.allowed = {};
          }}},
    {"rescaling costs nothing", "RescalingAndCutsCount",
     told([](SoftmaxArithmetic& a) { a.tile = 0; })},
    {"what is cut off costs nothing", "RescalingAndCutsCount",
     told([](SoftmaxArithmetic& a) { a.exp_cut = std::numeric_limits<double>::infinity(); })},
    {"weights are certain",
     "SoftmaxIsAttentionToOneKey",
     {.softmax =
          [](const ColumnOf<Extended>& x, const SoftmaxArithmetic& a, const Odds& odds) {
            OddsBound bound = softmax_odds_bound(x, a, odds);
            const auto certain = softmax_error_bound(x, Extended(1), a);
            for (Index j = 0; j < x.size(); ++j)
              bound.bound(j) = certain(j, static_cast<double>(softmax(x)[j]));
            return bound;
          }}},
    {"twice the deviations",
     "SharpOnNormalEntries",
     {.of_attention = [](AttentionCase<double>&, SoftmaxArithmetic&,
                         Odds& odds) { odds.deviations *= 8; }}},
    {"a thousandth of the unit", "RightKernelsKeepIt",
     told([](SoftmaxArithmetic& a) { a.unit_roundoff /= 1024; })},
    {"a unit that is too large", "AllRoundingsToOneSideBreakIt",
     told([](SoftmaxArithmetic& a) { a.unit_roundoff *= 16; })},
    {"there is always room", "WhatMayOverflowIsNotPromised",
     told([](SoftmaxArithmetic& a) { a.largest = std::numeric_limits<double>::infinity(); })},
};

/// One query, some keys, and one column of values.
AttentionCase<double> normal_case(Index m, Index d, const std::string& name, Index columns = 1) {
  const Eigen::MatrixXd all = normal_entries(1 + 2 * m, std::max(d, columns), name);
  return {all.topLeftCorner(1, d), all.block(1, 0, m, d), all.bottomLeftCorner(m, columns), {}, {}};
}

/// An arithmetic of an unit, where nothing underflows, whose orders are known.
SoftmaxArithmetic arithmetic_of_unit(double u) {
  SoftmaxArithmetic a = arithmetic_of<double>();
  a.unit_roundoff = u;
  a.smallest = 1e-300;
  const Accumulator in_order = Accumulator::in_lanes(1);
  return a.scores_by(in_order).sums_by(in_order).outputs_by(in_order);
}

/// z√(Σ d²) + Σ |d|, in units of u: the derivatives d of the output by its roundings, and by those that
/// have a direction of their own.
double moved_by(const AttentionCase<double>& input, const SoftmaxArithmetic& a, double z,
                double more_squares = 0, double more = 0) {
  TracedAttention traced(input, a);
  for (std::size_t r = 0; r < traced.roundings().size(); ++r) {
    const auto slope = static_cast<double>(traced.slope(r));
    if (traced.roundings()[r].certain)
      more += std::abs(slope);
    else
      more_squares += slope * slope;
  }
  return z * std::sqrt(more_squares) + more;
}

void expect_near(double is, double wanted) {
  const double off = std::abs(is / wanted - 1);
  EXPECT_LE(off, 4e-6) << is << " for " << wanted;  // four margins, and what is of second order
  evidence().worst(off, 4e-6);
  enumerated(1);
}

//! [AttentionWithOdds]
TEST(AttentionWithOdds, ItIsWhatTheRoundingsMove) {
  check_statement(attention_with_odds_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::bounded);
    const double u = 0x1p-60, z = 1.5;
    for (const Index m : {3, 9}) {
      AttentionCase<double> input = normal_case(m, 5, "moved " + std::to_string(m));
      input.options.scale = 0.75;
      const auto expect_moved = [&](const SoftmaxArithmetic& a) {
        expect_near(bounds.attention(input, a, {.deviations = z}).bound(0) / u,
                    moved_by(input, a, z));
      };
      const SoftmaxArithmetic plain = arithmetic_of_unit(u);
      expect_moved(plain);
      expect_moved(plain.by_reciprocal().exp2_folded().scale_folded());
      SoftmaxArithmetic coarse = plain.exp2_of_products(2);
      coarse.scores.step = coarse.outputs.step = 4 * u;
      coarse.scores.smallest = coarse.outputs.smallest = 1e-300;
      expect_moved(coarse);
      expect_moved(plain.stored_weights({2 * u, 1e-300}).sum_of_stored());
      input.options.bias = normal_entries(1, m, "bias");
      expect_moved(plain.stored_weights({2 * u, 1e-300}).stored_scores({4 * u, 1e-300}));
    }
  });
}
//! [AttentionWithOdds]

TEST(AttentionWithOdds, TheBoundOfTwoKeys) {
  check_with_mutants(attention_with_odds_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::bounded);
    AttentionCase<double> input;
    input.queries = Matrix<double>::Ones(1, 1);
    input.keys = (Matrix<double>(2, 1) << 0.5, -0.25).finished();
    input.values = (Matrix<double>(2, 1) << 1, -9).finished();
    input.options.scale = 1.5;
    const double u = 0x1p-12, eta = 0x1p-24, z = 1.5, D = 2, A = 2, f = 1.5, n = 2, w = 2;
    SoftmaxArithmetic a = arithmetic_of_unit(u).by_reciprocal().exp2_folded();
    a = a.stored_weights({w * u, 0x1p-16}, 3);
    a.smallest = eta;
    const Eigen::Array2d s(0.75, -0.375), t(0, 1.125), v(1, -9);
    const double E = attention_score_errors<Extended>(input.queries, input.keys, input.options, a)
                         .error.maxCoeff();
    const Eigen::Array2d y = softmax(Eigen::VectorXd(s)).array();
    const double o = (y * v).sum();
    const Eigen::Array2d b = y * (v - o).abs(), x = (y * v).abs();
    const double epsilon = (1 + u) * (1 + 2 * u) - 1, alpha = A * u / (1 - A * u);
    const double gamma = 2 * u / (1 - 2 * u);  // of two roundings of each sum
    const Eigen::Array2d g2 = s.square() + s.square() + t.square();
    const double shift = (1 + 4 * 3 * u) * u * 2 * 3 * 3 * std::log(2.0);  // of weights times 2³
    const Eigen::Array2d beta =
        4 * u * E + 2 * E * u + (t + 2 * E) * (epsilon - u) + alpha + (2 * f + 1) * eta + shift;
    for (const double R : {0, 1}) {  // the second key may come first, and the first then exceeds it
      const double theta = E + shift + (1.125 + 2 * E) * epsilon + (1 + R) * alpha,
                   e = std::exp(theta);
      const double of_sum = (2 + R) * u / (1 - (2 + R) * u);
      const double F = e * std::pow(1 + u, D + R) * (1 + w * u) * (1 + gamma) - 1,
                   Fy = e * (1 + of_sum) - 1;
      const double largest = std::max({std::abs(o), x[0], x[1]});
      const double V = (b.square() * g2).sum() + (D + 1 + w * w) * x.square().sum() + o * o +
                       R * (largest * largest + o * o) + o * o * (1 + D);
      const double C = (b * (beta + theta * theta / 2 * e)).sum() +
                       R * (alpha + (1.125 + 2 * E) * epsilon) * b[0] +
                       u * std::abs((y * (v - o) * s).sum()) + u * (D + n + R + w) * F * x.sum() +
                       u * (n - 1 + R) * Fy * std::abs(o) + (A + 3) * eta * (v - o).abs().sum() +
                       2 * n * eta + 0x1p-19 * v.abs().sum();
      const double psi = e * std::pow(1 + u, D) / (1 - of_sum) - 1;
      const double bound =
          (1 + psi) * (z * u * std::sqrt(V) + C) + D * u * (psi + (1 + psi) * D * u) * std::abs(o);
      const SoftmaxArithmetic by = R > 0 ? a.tiled(1) : a;
      expect_near(bounds.attention(input, by, {.deviations = z}).bound(0), bound);
    }
  });
}

TEST(AttentionWithOdds, MaskedKeysTakeTheirTurnInLanes) {
  check_with_mutants(attention_with_odds_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::bounded);
    const Accumulator lanes = Accumulator::in_lanes(2);
    const SoftmaxArithmetic a = arithmetic_of_unit(0x1p-60).sums_by(lanes).outputs_by(lanes);
    AttentionCase<double> masked = normal_case(4, 2, "lanes");
    masked.options.allowed = Matrix<bool>::Constant(1, 4, true);
    (*masked.options.allowed)(0, 1) = false;
    AttentionCase<double> same{masked.queries,
                               masked.keys({0, 3, 2}, Eigen::all),
                               masked.values({0, 3, 2}, Eigen::all),
                               {},
                               {}};
    expect_near(bounds.attention(masked, a, {.deviations = 1.5}).bound(0),
                bounds.attention(same, a, {.deviations = 1.5}).bound(0));
  });
}

TEST(AttentionWithOdds, RescalingAndCutsCount) {
  check_with_mutants(attention_with_odds_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::bounded);
    AttentionCase<double> input;
    input.queries = Matrix<double>::Ones(1, 1);
    input.keys = (Matrix<double>(4, 1) << -1.5, 0, 0.25, 1).finished();
    input.values = (Matrix<double>(4, 1) << -64, 1, 1.5, 2).finished();
    input.options.scale = 1;
    const Eigen::VectorXd y = softmax(Eigen::VectorXd(input.keys));
    const Eigen::VectorXd x = y.cwiseProduct(input.values);
    const double o = x.sum(), u = 0x1p-60, z = 1.5;
    const SoftmaxArithmetic plain = arithmetic_of_unit(u);
    const auto bound = [&](const SoftmaxArithmetic& a) {
      return bounds.attention(input, a, {.deviations = z}).bound(0);
    };
    // Each score exceeds those before; the first term is the largest sum, and moves o the most.
    EXPECT_GT(std::abs(x[0]), std::abs(o - x[0]));
    expect_near(bound(plain.tiled(1)) / u,
                moved_by(input, plain, z, 3 * (x[0] * x[0] + o * o),
                         (3 * plain.exp_error + 2.5) * std::abs(x[0] - y[0] * o)));
    // Tiles of two add up to much where the sums of the first keys do not.
    AttentionCase<double> pairs = input;
    pairs.keys << 0.75, 0.5, 0.25, 0;
    const Eigen::VectorXd p = softmax(Eigen::VectorXd(pairs.keys));
    pairs.values = (Eigen::VectorXd(4) << -8, -8, 8, 8.5).finished().cwiseQuotient(p);
    const auto off = [&](double v, Index j) { return v - p.head(j).sum() * 0.5; };
    const double more = 16.5 * 16.5 - 8 * 8;  // 8 and 8.5, in the place of −16 and 8
    for (const SoftmaxArithmetic& by : {plain, plain.any_order().scores_by({}).outputs_by({})})
      expect_near(bounds.attention(pairs, by.tiled(2), {.deviations = z}).bound(0) / u,
                  moved_by(pairs, plain, z, more + 16.5 * 16.5 + 0.5 * 0.5,
                           (plain.exp_error + 0.75) * std::abs(off(-16, 2))));
    // What lies more than 2 below the greatest score may be lost.
    expect_near(bound(plain.cut_off(2)), std::abs(x[0] - y[0] * o) / (1 - y[0]));
  });
}

//! [AttentionWithOdds: all signs]
TEST(AttentionWithOdds, NoMoreSignsThanTheChanceAreBeyondIt) {
  check_statement(attention_with_odds_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::bounded);
    for (const double u : {0x1p-7, 0x1p-20}) {
      const SoftmaxArithmetic a = arithmetic_of_unit(u);
      const AttentionCase<double> input = normal_case(2, 1, "signs");
      TracedAttention traced(input, a);
      const std::vector<TracedRounding> roundings = traced.roundings();
      std::vector<Extended> errors(roundings.size(), 0);
      const Extended exact = traced.with(errors);
      Index count = 0;
      for (std::size_t r = 0; r < roundings.size(); ++r) {
        if (!roundings[r].certain) ++count;
        const double units = roundings[r].units * u;
        if (roundings[r].certain) errors[r] = traced.slope(r) > 0 ? units : -units;
      }
      const auto error = [&](unsigned bits) {
        for (std::size_t r = 0; r < roundings.size(); ++r) {
          if (roundings[r].certain) continue;
          errors[r] = bits & 1U ? u : -u;
          bits >>= 1U;
        }
        return static_cast<double>(traced.with(errors) - exact);
      };
      for (const double z : {1.1, 1.5, 2.0, 2.5, 3.0}) {
        const Odds odds{.deviations = z};
        EXPECT_LE(part_beyond(count, bounds.attention(input, a, odds).bound(0), error),
                  odds.chance())
            << z;
        enumerated(std::size_t{1} << count);
      }
    }
  });
}
//! [AttentionWithOdds: all signs]

TEST(AttentionWithOdds, SoftmaxIsAttentionToOneKey) {
  check_statement(attention_with_odds_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::bounded);
    ColumnOf<Extended> x(4);
    x << 0.5L, -1, 2, 0.25L;
    const Eigen::VectorXd y = softmax(x).cast<double>(), t = (2 - x.array()).cast<double>();
    const SoftmaxArithmetic a = arithmetic_of_unit(0x1p-60).by_reciprocal();
    const OddsBound bound = bounds.softmax(x, a, {.deviations = 1.5});
    for (Index j = 0; j < 4; ++j) {
      const Eigen::VectorXd b = y[j] * (Eigen::VectorXd::Unit(4, j) - y).cwiseAbs();
      double sum = y[0], sums = 0;
      for (Index k = 1; k < 4; ++k) sum += y[k], sums += sum * sum;
      const double squares = b.cwiseProduct(t).squaredNorm() + y[j] * y[j] * (3 + sums + 2);
      expect_near(bound.bound(j) * 0x1p60, 1.5 * std::sqrt(squares) + 2 * b.sum());
    }
    EXPECT_LE(bounds.softmax(x, a, {}).bound(0), softmax_error_bound(x, Extended(1), a)(0, y[0]));
  });
}

/// hipDNN's tolerance for an output in a format of two units ε.
double hipdnn_tolerance(const AttentionCase<double>& x, double epsilon) {
  const auto gamma = [&](double k) {
    const double part = 2 * k * epsilon;
    return part < 0.01 ? part / (1 - part) : 6 * std::sqrt(2 * k) * epsilon;
  };
  const auto largest = [](const Matrix<double>& m) { return m.cwiseAbs().maxCoeff(); };
  const auto d = static_cast<double>(x.keys.cols()), n = static_cast<double>(x.keys.rows());
  const double scores = std::sqrt(d) * largest(x.queries) * largest(x.keys) * (gamma(d) + epsilon);
  return largest(x.values) * (scores + 2 * gamma(n) + (n + 1) * epsilon);
}

/// The middle one of some numbers.
double median(Eigen::VectorXd x) {
  std::nth_element(x.begin(), x.begin() + x.size() / 2, x.end());
  return x[x.size() / 2];
}

/// A case of numbers of a format, what the kernel of this book makes of it, and what is right.
template <class Real>
struct Tried {
  Tried(AttentionCase<double> drawn) : input(std::move(drawn)) {
    for (Matrix<double>* x : {&input.queries, &input.keys, &input.values})
      *x = x->template cast<Real>().template cast<double>();
    output = scaled_dot_product_attention(input.queries.template cast<Real>().eval(),
                                          input.keys.template cast<Real>().eval(),
                                          input.values.template cast<Real>().eval())
                 .output.template cast<Compute<Real>>()
                 .template cast<Extended>()
                 .transpose();
    exact = scaled_dot_product_attention(input.queries.template cast<Extended>().eval(),
                                         input.keys.template cast<Extended>().eval(),
                                         input.values.template cast<Extended>().eval())
                .output.transpose();
    error = (output - exact).cwiseAbs().template cast<double>();
  }
  AttentionCase<double> input;
  ColumnOf<Extended> output, exact;
  Eigen::VectorXd error;
};

//! [AttentionWithOdds: sharpness]
TEST(AttentionWithOdds, SharpOnNormalEntries) {
  check_with_mutants(attention_with_odds_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::measured);
    const auto try_out = [&](auto zero, const std::string& type, Index m, Index d) {
      using Real = decltype(zero);
      const std::string size = std::to_string(m) + "x" + std::to_string(d);
      const Tried<Real> tried(normal_case(m, d, size, d));
      const SoftmaxArithmetic a = arithmetic_of<Real>();
      const Eigen::VectorXd odds = bounds.attention(tried.input, a).bound.transpose();
      const Eigen::VectorXd certain =
          attention_error_bound<Extended>(tried.input.queries, tried.input.keys, tried.input.values,
                                          {}, a)
              .output.transpose();
      const Eigen::VectorXd o = tried.exact.cwiseAbs().template cast<double>();
      constexpr bool is_double = std::is_same_v<Real, double>,
                     is_float = std::is_same_v<Real, float>;
      const double absolute = is_double ? 1e-7 : 1e-5;
      const double relative = is_double ? 1e-7 : is_float ? 1.3e-6 : 1e-3;
      const Eigen::VectorXd close = absolute + relative * o.array();
      const auto caught = [&](const std::string& tier, const Eigen::VectorXd& bound) {
        record_value(type + "_" + tier + "_" + size,
                     format_significant(median((bound + tried.error).cwiseQuotient(o)), 2));
      };
      caught("odds", odds), caught("certain", certain), caught("close", close);
      EXPECT_TRUE((tried.error.array() <= odds.array()).all()) << type << ", " << size;
      evidence().worst(tried.error.cwiseQuotient(odds).maxCoeff(), 1);
      enumerated(static_cast<std::size_t>(d));
      if (!is_float) return;
      EXPECT_LE(median(odds), median(close) / 5) << size;
      EXPECT_LE(median(odds), median(certain) / 20) << size;
      const double hipdnn = hipdnn_tolerance(tried.input, 0x1p-23);
      for (const auto& [name, value] : {std::pair{"odds", median(odds)},
                                        {"certain", median(certain)},
                                        {"close", median(close)},
                                        {"hipdnn", hipdnn},
                                        {"worst", tried.error.maxCoeff()}})
        record_value(std::string(name) + "_" + size, format_significant(value, 2));
      record_value("ratio_" + size,
                   format_significant(tried.error.cwiseQuotient(odds).maxCoeff(), 2));
    };
    record_value("chance", format_significant(Odds().chance(), 2));
    for (const auto& [m, d] : {std::pair<Index, Index>{64, 64}, {256, 64}, {1024, 128}}) {
      try_out(0.0F, "single", m, d);
      if (checking_a_mutant()) break;
      try_out(0.0, "double", m, d);
      try_out(Eigen::half(0), "half", m, d);
    }
  });
}
//! [AttentionWithOdds: sharpness]

/// How many cases of each kind are tried: SQRTDK_CALIBRATION_RUNS, or a few.
std::size_t cases_asked_for() {
  const char* text = std::getenv("SQRTDK_CALIBRATION_RUNS");
  return text == nullptr ? 440 : static_cast<std::size_t>(std::atoll(text));
}

TEST(AttentionWithOdds, RightKernelsKeepIt) {
  check_statement(attention_with_odds_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::measured);
    std::vector<const KernelProfile*> covered;
    for (const KernelProfile& profile : kernel_profiles())
      if (why_no_odds(profile.arithmetic(format_limits<float>())).empty())
        covered.push_back(&profile);
    record_value("profiles", std::to_string(covered.size()));
    std::size_t alarms = 0, tried = 0;
    for (const bool bad : {false, true}) {
      Stream stream = stream_of(1, bad ? "bad cases with odds" : "normal cases with odds");
      double worst = 0;
      for (const KernelProfile* profile : covered) {
        const auto kernels = emulated_kernels(*profile);
        for (std::size_t i = 0; i * covered.size() < cases_asked_for(); ++i) {
          const auto& [format, kernel] = kernels[i % kernels.size()];
          const AttentionCase<double> x = any_case(bad, {format}, stream);
          const double bound = bounds.attention(x, kernel.arithmetic).bound(0);
          const Matrix<Extended> exact =
              scaled_dot_product_attention(x.queries.cast<Extended>().eval(),
                                           x.keys.cast<Extended>().eval(),
                                           x.values.cast<Extended>().eval())
                  .output;
          const float is = in_some_order(kernel, stream)(in_single(x))(0);
          const double error = std::abs(static_cast<double>(is - exact(0)));
          ++tried;
          if (std::isinf(bound)) continue;
          EXPECT_LE(error, bound) << profile->name << ", case " << i << (bad ? ", bad" : "");
          alarms += !(error <= bound);
          if (kernel.arithmetic.storage_roundoff == 0) worst = std::max(worst, error / bound);
        }
      }
      record_value(bad ? "bad" : "normal", format_significant(worst, 2));
      evidence().worst(worst, 1);
    }
    record_value("alarms", std::to_string(alarms));
    enumerated(tried);
  });
}

TEST(AttentionWithOdds, AllRoundingsToOneSideBreakIt) {
  check_with_mutants(attention_with_odds_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::bounded);
    const double u = 0x1p-20;
    const AttentionCase<double> input = normal_case(9, 5, "one side");
    const SoftmaxArithmetic a = arithmetic_of_unit(u);
    TracedAttention traced(input, a);
    std::vector<Extended> errors(traced.roundings().size(), 0);
    const Extended exact = traced.with(errors);
    for (std::size_t r = 0; r < errors.size(); ++r) errors[r] = traced.slope(r) > 0 ? u : -u;
    EXPECT_GT(static_cast<double>(traced.with(errors) - exact),
              bounds.attention(input, a, {.deviations = 2}).bound(0));
    enumerated(1);
    counterexample_without("mean 0");
  });
}

TEST(AttentionWithOdds, WhatMayOverflowIsNotPromised) {
  check_with_mutants(attention_with_odds_mutants, [](const Bounds& bounds) {
    AttentionCase<double> input = normal_case(3, 2, "overflow");
    input.values.setConstant(std::numeric_limits<double>::max());
    EXPECT_EXACTLY(std::isinf(bounds.attention(input, arithmetic_of<double>()).bound(0)));
    counterexample_without("no overflow");
  });
}

}  // namespace sqrtdk::properties::AttentionWithOdds
