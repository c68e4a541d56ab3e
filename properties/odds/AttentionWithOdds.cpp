#include "properties/odds/fixture.hpp"

namespace sqrtdk::properties::AttentionWithOdds {

AttentionCase<double> with_keys(const std::vector<int>& keys, const AttentionCase<double>& x) {
  return {x.queries, x.keys(keys, Eigen::all), x.values(keys, Eigen::all), {}, {}};
}

constexpr double infinity = std::numeric_limits<double>::infinity();

AttentionCase<double> normal_entries_of(Index m, Index d, const std::string& name,
                                        Index columns = 1) {
  const Eigen::MatrixXd all = normal_entries(1 + 2 * m, std::max(d, columns), name);
  return {all.topLeftCorner(1, d), all.block(1, 0, m, d), all.bottomLeftCorner(m, columns), {}, {}};
}

AttentionCase<double> chosen(const Eigen::VectorXd& keys, const Eigen::VectorXd& values,
                             double scale = 1) {
  AttentionCase<double> input{Matrix<double>::Ones(1, 1), keys, values, {}, {}};
  input.options.scale = scale;
  return input;
}

/// An arithmetic of an unit, where nothing underflows, whose orders are known.
SoftmaxArithmetic arithmetic_of_unit(double u) {
  SoftmaxArithmetic a = arithmetic_of<double>();
  a.unit_roundoff = u;
  a.smallest = 1e-300;
  return a.scores_by(in_turn).sums_by(in_turn).outputs_by(in_turn);
}

/// Attention as a kernel computes it that has every rounding of the claim, each an error of our choice.
struct TracedAttention {
  struct Rounding {
    double units;      ///< by how many u it may err
    bool certain;      ///< whether that has a direction of its own
    double slope = 0;  ///< the derivative of the output by it, times its units
  };

  TracedAttention(const AttentionCase<double>& input, const SoftmaxArithmetic& arithmetic)
      : x(input), a(arithmetic), exact(with({})), roundings(met) {
    std::vector<Extended> errors(roundings.size(), 0);
    for (std::size_t r = 0; r < errors.size(); ++r) {
      const Extended h = 1e-6L;
      const auto at = [&](Extended error) { return errors[r] = error, with(errors); };
      roundings[r].slope = static_cast<double>((at(h) - at(-h)) / (2 * h)) * roundings[r].units;
      errors[r] = 0;
    }
  }

  /// The output if the first roundings err so.
  Extended with(const std::vector<Extended>& errors) {
    met.clear();
    const auto rounded = [&](Extended number, double units = 1, bool certain = false) {
      met.push_back({units, certain});
      return met.size() <= errors.size() ? number * (1 + errors[met.size() - 1]) : number;
    };
    const double u = a.unit_roundoff, stored = a.score_format.roundoff / u;
    const bool folded = a.scale_roundings > 2;
    const auto taken_in = [&](Extended number, const Accumulator& by) {
      return by.step > u ? rounded(number, by.step / u) : number;
    };
    const auto taken = [&](double entry) { return folded ? rounded(entry) : Extended(entry); };
    const Extended scale =
        rounded(x.options.scale.value_or(1), a.scale_roundings - (folded ? 2 : 1), true);
    const Index m = x.keys.rows(), d = x.keys.cols();
    ColumnOf<Extended> q(d), s(m), w(m);
    for (Index l = 0; l < d; ++l) q[l] = taken(x.queries(0, l));
    for (Index j = 0; j < m; ++j) {
      for (Index l = 0; l < d; ++l) {
        const Extended product = taken_in(rounded(q[l] * taken(x.keys(j, l))), a.scores);
        s[j] = l == 0 ? product : rounded(s[j] + product, std::max(a.scores.step / u, 1.0));
      }
      const Extended scaled = s[j] = rounded(scale * s[j]);
      if (x.options.bias) s[j] = rounded(s[j] + (*x.options.bias)(0, j));
      const auto larger = static_cast<double>(std::max<Extended>(std::abs(scaled / s[j]), 1));
      if (a.score_roundings > 0) s[j] = rounded(s[j], a.score_roundings * stored * larger);
    }
    const Extended top = s.maxCoeff(), size = s.cwiseAbs().maxCoeff();
    Extended total = 0, output = 0;
    for (Index j = 0; j < m; ++j) {
      Extended t = rounded(rounded(s[j] - top), a.exp_argument_error, true);
      t += size * (rounded(1, a.score_products, true) - 1);
      w[j] = rounded(std::exp(t), a.exp_error, true);
      if (a.sums_stored) w[j] = rounded(w[j], a.weight_roundoff / u);
      total = j == 0 ? w[j] : rounded(total + w[j]);
    }
    for (Index j = 0; j < m; ++j) {
      Extended p = w[j] / total;
      for (unsigned k = 0; k < a.quotient_roundings; ++k) p = rounded(p);
      if (a.weight_roundoff > 0 && !a.sums_stored) p = rounded(p, a.weight_roundoff / u);
      const Extended product =
          taken_in(rounded(p * static_cast<Extended>(x.values(j, 0))), a.outputs);
      output = j == 0 ? product : rounded(output + product, std::max(a.outputs.step / u, 1.0));
    }
    for (unsigned k = 0; k < a.quotient_roundings; ++k) output = rounded(output);
    return output;
  }

  const AttentionCase<double> x;
  const SoftmaxArithmetic a;
  std::vector<Rounding> met;
  const Extended exact;             ///< the output if nothing errs
  std::vector<Rounding> roundings;  ///< in their order
};

/// z√(Σ d²) + Σ |d|, in units of u: the derivatives d of the output by its roundings, and by those that
/// have a direction of their own.
double moved_by(const AttentionCase<double>& input, const SoftmaxArithmetic& a, double z,
                double more_squares = 0, double more = 0) {
  for (const auto& [units, certain, slope] : TracedAttention(input, a).roundings)
    (certain ? more : more_squares) += certain ? std::abs(slope) : slope * slope;
  return z * std::sqrt(more_squares) + more;
}

void expect_near(double is, double wanted) {
  const double off = std::abs(is / wanted - 1);
  EXPECT_LE(off, 4e-6) << is << " for " << wanted;  // four margins, and what is of second order
  evidence().rests_on(EvidenceLevel::bounded);
  evidence().worst(off, 4e-6);
  enumerated(1);
}

Subject told(void (*change)(SoftmaxArithmetic&)) {
  return {.of_attention = [=](auto&, auto& a, auto&) { change(a); }};
}

//! [AttentionWithOdds]
STATEMENT(AttentionWithOdds, ItIsWhatTheRoundingsMove) {
  const double u = 0x1p-60, z = 1.5;
  for (const Index m : {3, 9}) {
    AttentionCase<double> input = normal_entries_of(m, 5, "moved " + std::to_string(m));
    input.options.scale = 0.75;
    const auto expect_moved = [&](const SoftmaxArithmetic& a) {
      expect_near(subject.output(input, a, z) / u, moved_by(input, a, z));
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
}
//! [AttentionWithOdds]
KILLS("products of scores are not rounded", told([](auto& a) { a.scores.step = 0; }));
KILLS("a coarse accumulator is fine", told([](auto& a) { a.outputs.step = 0; }));
KILLS("quotients are not rounded", told([](auto& a) { a.quotient_roundings = 0; }));
KILLS("the exponential is exact", told([](auto& a) { a.exp_error = 0; }));
KILLS("the exponent is exact", told([](auto& a) { a.exp_argument_error = 0; }));
KILLS("products with log2 e are exact", told([](auto& a) { a.score_products = 0; }));
KILLS("stored weights are exact", told([](auto& a) { a.weight_roundoff = 0; }));
KILLS("stored scores are exact", told([](auto& a) { a.score_roundings = 0; }));
KILLS("the scale is not folded", told([](auto& a) { a.scale_roundings = 2; }));

ASIDE(AttentionWithOdds, TheBoundOfTwoKeys) {
  const auto input = chosen(Eigen::Vector2d(0.5, -0.25), Eigen::Vector2d(1, -9), 1.5);
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
  const Eigen::Array2d g2 = 2 * s.square() + t.square();
  // Of 2³ in weights: a product is rounded, and exponents are larger.
  const double shift = (1 + 4 * 4 * u) * u * (0.75 + E + 2 * 4 * 3 * std::log(2.0));
  const Eigen::Array2d beta =
      4 * u * E + 2 * E * u + (t + 2 * E) * (epsilon - u) + alpha + (2 * f + 1) * eta + shift;
  for (const double R : {0, 1}) {  // the second key may come first, and the first then exceeds it
    const double theta = E + shift + (1.125 + 2 * E) * epsilon + (1 + R) * alpha;
    const double e = std::exp(theta), of_sum = (2 + R) * u / (1 - (2 + R) * u);   // γ
    const double F = e * std::pow(1 + u, D + R) * (1 + w * u) / (1 - 2 * u) - 1;  // 1 + γ₂
    const double largest = std::max({std::abs(o), x[0], x[1]});
    const double V = (b.square() * g2).sum() + (D + 1 + w * w) * x.square().sum() + o * o +
                     R * (largest * largest + o * o) + o * o * (1 + D);
    const double C = (b * (beta + theta * theta / 2 * e)).sum() +
                     R * (alpha + (1.125 + 2 * E) * epsilon) * b[0] +
                     u * std::abs((y * (v - o) * s).sum()) + u * (D + n + R + w) * F * x.sum() +
                     u * (n - 1 + R) * (e * (1 + of_sum) - 1) * std::abs(o) +
                     (A + 3) * eta * (v - o).abs().sum() + 2 * n * eta + 0x1p-19 * v.abs().sum();
    const double psi = e * std::pow(1 + u, D) / (1 - of_sum) - 1;
    expect_near(
        subject.output(input, R > 0 ? a.tiled(1) : a, z),
        (1 + psi) * (z * u * std::sqrt(V) + C) + D * u * (psi + (1 + psi) * D * u) * std::abs(o));
  }
}
KILLS("nothing underflows", told([](auto& a) { a.smallest /= 1024; }));
KILLS("no offset", told([](auto& a) { a.weight_offset = 0; }));

ASIDE(AttentionWithOdds, ValuesOfAnySize) {
  const SoftmaxArithmetic a = arithmetic_of_unit(0x1p-53).any_order().scores_by({}).outputs_by({});
  AttentionCase<double> x = normal_entries_of(20, 3, "any size");
  x.values = x.values.cwiseAbs().eval();
  const double wanted = subject.output(x, a, 8);
  for (const int exponent : {-640, -540, 540, 960}) {
    AttentionCase<double> scaled = x;
    scaled.values *= std::ldexp(1.0, exponent);
    expect_near(std::ldexp(subject.output(scaled, a, 8), -exponent), wanted);
  }
}
KILLS("large values are not scaled", {.of_attention = [](auto& x, auto&, auto&) {
        x.values = x.values.cwiseProduct(x.values).cwiseSqrt().eval();
      }});

ASIDE(AttentionWithOdds, ThereIsRoomForWhatIsCarried) {
  evidence().rests_on(EvidenceLevel::bounded);
  // Products with log2 e are off by so much that e^θ 2⁸ is more than 448, and by half of it, which fits.
  const SoftmaxArithmetic a = arithmetic_of_unit(0x1p-12).exp2_of_products(2);
  for (const double score : {200.0, 450.0}) {
    const auto x = chosen(Eigen::Vector2d(score, score), Eigen::Vector2d(1, -1));
    const bool fits = score < 400;
    EXPECT_EQ(std::isfinite(subject.output(x, a.stored_weights(e4m3_limits, 8), 8)), fits);
    EXPECT_TRUE(std::isfinite(subject.output(x, a.stored_weights(e5m2_limits, 8), 8)));
    enumerated(2);
  }
  // A lag of 2⁸ makes 300 weights, or an output of 300, more than half precision holds.
  const Accumulator half = Accumulator::in_lanes(1).in_format(half_limits);
  const SoftmaxArithmetic lagging = arithmetic_of_unit(0x1p-12).tiled(1).lazy_rescaling(8);
  const auto two = chosen(Eigen::Vector2d(0, 5.5), Eigen::Vector2d(300, 300));
  const auto many = chosen(Eigen::VectorXd::LinSpaced(300, 5, 5.5), Eigen::VectorXd::Ones(300));
  EXPECT_EQ(subject.output(two, lagging.outputs_by(half), 8), infinity);
  EXPECT_EQ(subject.output(many, lagging.sums_by(half), 8), infinity);
  enumerated(2);
}
KILLS("weights are never too large to be stored",
      told([](auto& a) { a.weight_largest = infinity; }));

ASIDE(AttentionWithOdds, MaskedKeysTakeTheirTurnInLanes) {
  const Accumulator lanes = Accumulator::in_lanes(2);
  const SoftmaxArithmetic a = arithmetic_of_unit(0x1p-60).sums_by(lanes).outputs_by(lanes);
  AttentionCase<double> x = normal_entries_of(4, 2, "lanes");
  const double wanted = subject.output(with_keys({0, 3, 2}, x), a, 1.5);
  x.options.allowed = Matrix<bool>::Constant(1, 4, true);
  (*x.options.allowed)(0, 1) = false;
  expect_near(subject.output(x, a, 1.5), wanted);
}
KILLS("a masked key takes no turn", {.of_attention = [](auto& x, auto&, auto&) {
        x = x.options.allowed ? with_keys({0, 2, 3}, x) : x;
      }});

ASIDE(AttentionWithOdds, MaskedKeysAreZerosInHalves) {
  evidence().rests_on(EvidenceLevel::bounded);
  // Among four zeros the halves of these terms have larger sums than in any usual order without them.
  Eigen::VectorXd values = Eigen::VectorXd::Zero(16), keys = Eigen::VectorXd::Zero(16);
  values.head(12) << -2, 1, -3, 2.125, 1.125, -2.25, -2.125, -1, 3, 2, 2.25, 1.25;
  auto x = chosen(keys, values);
  const SoftmaxArithmetic a = arithmetic_of_unit(0x1p-60).outputs_by({});
  x.options.allowed = Matrix<bool>::Constant(1, 16, true);
  x.options.allowed->rightCols(4).setConstant(false);
  const auto alone = chosen(keys.head(12), values.head(12));
  EXPECT_GT(subject.output(x, a, 6), 1.03 * subject.output(alone, a, 6));
  enumerated(1);
}
KILLS("masked keys are left out", {.of_attention = [](auto& x, auto&, auto&) {
        if (x.keys.rows() == 16)
          x = with_keys({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
                        {x.queries, x.keys, x.values, {}, {}});
        x.options.scale = 1;
      }});

ASIDE(AttentionWithOdds, RescalingAndCutsCount) {
  const auto input = chosen(Eigen::Vector4d(-1.5, 0, 0.25, 1), Eigen::Vector4d(-64, 1, 1.5, 2));
  const Eigen::VectorXd y = softmax(Eigen::VectorXd(input.keys));
  const Eigen::VectorXd x = y.cwiseProduct(input.values);
  const double o = x.sum(), u = 0x1p-60, z = 1.5;
  const SoftmaxArithmetic plain = arithmetic_of_unit(u);
  // Each score exceeds those before; the first term is the largest sum, and moves o the most.
  EXPECT_GT(std::abs(x[0]), std::abs(o - x[0]));
  expect_near(subject.output(input, plain.tiled(1), z) / u,
              moved_by(input, plain, z, 3 * (x[0] * x[0] + o * o),
                       (3 * plain.exp_error + 2.5) * std::abs(x[0] - y[0] * o)));
  // Scores more than 2 below the greatest may be lost.
  expect_near(subject.output(input, plain.cut_off(2), z), std::abs(x[0] - y[0] * o) / (1 - y[0]));
  // Tiles of two add up to much where the sums of the first keys do not.
  auto pairs = chosen(Eigen::Vector4d(0.75, 0.5, 0.25, 0), Eigen::Vector4d(-8, -8, 8, 8.5));
  const Eigen::VectorXd p = softmax(Eigen::VectorXd(pairs.keys));
  pairs.values = pairs.values.cwiseQuotient(p).eval();
  const double first = -16 - (p[0] + p[1]) * 0.5;
  const double more = 16.5 * 16.5 - 8 * 8;  // 8 and 8.5, in the place of −16 and 8
  for (const SoftmaxArithmetic& by : {plain, plain.any_order().scores_by({}).outputs_by({})})
    expect_near(subject.output(pairs, by.tiled(2), z) / u,
                moved_by(pairs, plain, z, more + 16.5 * 16.5 + 0.5 * 0.5,
                         (plain.exp_error + 0.75) * std::abs(first)));
}
KILLS("rescaling costs nothing", told([](auto& a) { a.tile = 0; }));
KILLS("a cut costs nothing", told([](auto& a) { a.exp_cut = infinity; }));

//! [AttentionWithOdds: all signs]
STATEMENT(AttentionWithOdds, NoMoreSignsThanTheChanceAreBeyondIt) {
  evidence().rests_on(EvidenceLevel::bounded);
  const AttentionCase<double> input = normal_entries_of(2, 1, "signs");
  for (const double u : {0x1p-7, 0x1p-20}) {
    const SoftmaxArithmetic a = arithmetic_of_unit(u);
    TracedAttention traced(input, a);
    const auto error = [&](unsigned bits) {
      std::vector<Extended> errors;
      for (const auto& [units, certain, slope] : traced.roundings) {
        errors.push_back((certain ? slope > 0 : (bits & 1U) != 0) ? units * u : -units * u);
        if (!certain) bits >>= 1U;
      }
      return static_cast<double>(traced.with(errors) - traced.exact);
    };
    const auto count = std::count_if(traced.roundings.begin(), traced.roundings.end(),
                                     [](const auto& rounding) { return !rounding.certain; });
    for (const double z : {1.1, 1.5, 2.0, 2.5, 3.0}) {
      EXPECT_LE(part_beyond(count, subject.output(input, a, z), error), Odds{z}.chance()) << z;
      enumerated(std::size_t{1} << static_cast<unsigned>(count));
    }
  }
}
//! [AttentionWithOdds: all signs]
KILLS("half of the unit", told([](auto& a) { a.unit_roundoff /= 2; }));

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

double median(Eigen::VectorXd x) {
  std::nth_element(x.begin(), x.begin() + x.size() / 2, x.end());
  return x[x.size() / 2];
}

/// A case with the numbers of a type, and what the kernel of this book makes of them.
template <class Real>
AttentionCase<Real> in(const AttentionCase<double>& x) {
  return {x.queries.cast<Real>(), x.keys.cast<Real>(), x.values.cast<Real>(), {}, {}};
}
template <class Real>
Matrix<Extended> attention_in(const AttentionCase<double>& input) {
  const AttentionCase<Real> x = in<Real>(input);
  return scaled_dot_product_attention(x.queries, x.keys, x.values)
      .output.template cast<Compute<Real>>()
      .template cast<Extended>();
}

//! [AttentionWithOdds: sharpness]
ASIDE(AttentionWithOdds, SharpOnNormalEntries) {
  evidence().rests_on(EvidenceLevel::measured);
  const auto try_out = [&](auto zero, const std::string& type, Index m, Index d, double absolute,
                           double relative) {
    using Real = decltype(zero);
    const std::string size = std::to_string(m) + "x" + std::to_string(d);
    AttentionCase<double> input = normal_entries_of(m, d, size, d);
    for (Matrix<double>* x : {&input.queries, &input.keys, &input.values})
      *x = x->cast<Real>().template cast<double>().eval();
    const Matrix<Extended> exact = attention_in<Extended>(input);
    const Eigen::VectorXd o = exact.cwiseAbs().transpose().cast<double>();
    const Eigen::VectorXd error =
        (attention_in<Real>(input) - exact).cwiseAbs().transpose().template cast<double>();
    const auto a = arithmetic_of<Real>();
    const Eigen::VectorXd odds = subject.attention(input, a).bound.transpose();
    const Eigen::VectorXd certain =
        attention_error_bound<Extended>(input.queries, input.keys, input.values, {}, a)
            .output.transpose();
    const Eigen::VectorXd close = absolute + relative * o.array();
    const Eigen::VectorXd hipdnn =
        Eigen::VectorXd::Constant(d, hipdnn_tolerance(input, 2 * a.unit_roundoff));
    for (const auto& [tier, bound] :
         {std::pair{"odds", odds}, {"certain", certain}, {"close", close}, {"hipdnn", hipdnn}})
      record_value(type + "_" + tier + "_" + size,
                   format_significant(median((bound + error).cwiseQuotient(o)), 2));
    const double ratio = error.cwiseQuotient(odds).maxCoeff();
    record_value(type + "_ratio_" + size, format_significant(ratio, 2));
    EXPECT_LE(ratio, 1) << type << ", " << size;
    evidence().worst(ratio, 1);
    enumerated(static_cast<std::size_t>(d));
    if (type != "single") return;
    EXPECT_LE(median(odds), median(close) / 5) << size;
    EXPECT_LE(median(odds), median(certain) / 20) << size;
  };
  record_value("chance", format_significant(Odds().chance(), 2));
  for (const auto& [m, d] : {std::pair<Index, Index>{64, 64}, {256, 64}, {1024, 128}}) {
    try_out(0.0F, "single", m, d, 1e-5, 1.3e-6);
    if (checking_a_mutant()) break;
    try_out(0.0, "double", m, d, 1e-7, 1e-7);
    try_out(Eigen::half(0), "half", m, d, 1e-5, 1e-3);
  }
}
//! [AttentionWithOdds: sharpness]
KILLS("eight units", told([](auto& a) { a.unit_roundoff *= 8; }));

STATEMENT(AttentionWithOdds, RightKernelsKeepIt) {
  evidence().rests_on(EvidenceLevel::measured);
  const char* asked = std::getenv("SQRTDK_CALIBRATION_RUNS");  // of each kind
  std::vector<KernelProfile> covered;
  for (const KernelProfile& profile : kernel_profiles())
    if (why_no_odds(profile.arithmetic(format_limits<float>())).empty()) covered.push_back(profile);
  record_value("profiles", std::to_string(covered.size()));
  const std::size_t runs = asked == nullptr ? 440 : std::stoul(asked);
  for (const bool bad : {false, true}) {
    Stream stream = stream_of(1, bad ? "bad cases with odds" : "normal cases with odds");
    double worst = 0;
    for (const KernelProfile& profile : covered) {
      const auto kernels = emulated_kernels(profile);
      for (std::size_t i = 0; i * covered.size() < runs; ++i) {
        const auto& [format, kernel] = kernels[i % kernels.size()];
        const AttentionCase<double> x = drawn_case({format}, bad, stream);
        const Matrix<float> output = in_some_order(kernel, stream)(in<float>(x));
        const Matrix<Extended> error = output.cast<Extended>() - attention_in<Extended>(x);
        const Eigen::MatrixXd bound = subject.attention(x, kernel.arithmetic).bound;
        for (Index h = 0; h < bound.size(); ++h) {
          if (std::isinf(bound(h))) continue;
          const double part = static_cast<double>(std::abs(error(h))) / bound(h);
          EXPECT_LE(part, 1) << profile.name << ", case " << i << (bad ? ", bad" : "");
          if (kernel.arithmetic.storage_roundoff == 0) worst = std::max(worst, part);
          enumerated(1);
        }
      }
    }
    record_value(bad ? "bad" : "normal", format_significant(worst, 2));
    evidence().worst(worst, 1);
  }
}
KILLS("a tiny unit", told([](auto& a) { a.unit_roundoff /= 1024; }));

ASIDE(AttentionWithOdds, EachHypothesisCounts) {
  evidence().rests_on(EvidenceLevel::bounded);
  const double u = 0x1p-20, most = std::numeric_limits<double>::max();
  const AttentionCase<double> input = normal_entries_of(9, 5, "one side");
  TracedAttention traced(input, arithmetic_of_unit(u));
  std::vector<Extended> errors;
  for (const auto& rounding : traced.roundings) errors.push_back(rounding.slope > 0 ? u : -u);
  EXPECT_GT(static_cast<double>(traced.with(errors) - traced.exact),
            subject.output(input, arithmetic_of_unit(u), 2));
  counterexample_without("mean 0");
  const auto large = chosen(Eigen::Vector2d(1, 2), Eigen::Vector2d(most, most));
  EXPECT_EQ(subject.output(large, arithmetic_of<double>(), 8), infinity);
  counterexample_without("no overflow");
  enumerated(2);
}
KILLS("a large unit", told([](auto& a) { a.unit_roundoff *= 16; }));
KILLS("there is always room", told([](auto& a) { a.largest = infinity; }));

}  // namespace sqrtdk::properties::AttentionWithOdds
