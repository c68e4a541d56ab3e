#include <sqrtdk/attention.hpp>
#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/training.hpp>

#include "properties/training/fixture.hpp"

#include <boost/operators.hpp>

namespace sqrtdk::properties::ScalingIsStartAndRate {

using Eigen::Index;

/// A fraction as the number of a layer, with 1/(1 − x) in the place of e^x.
///
/// That the layers stay in step is proved from nothing that an exponential has and another function of
/// a score has not: both layers hand it the same scores.
class Fraction : boost::ordered_field_operators<Fraction> {
 public:
  Fraction(int value = 0) : value_(value) {}          // NOLINT(google-explicit-constructor)
  explicit Fraction(double value) : value_(value) {}  ///< without rounding
  explicit Fraction(Rational value) : value_(std::move(value)) {}  ///< any

  Fraction& operator+=(const Fraction& y) { return value_ += y.value_, *this; }
  Fraction& operator-=(const Fraction& y) { return value_ -= y.value_, *this; }
  Fraction& operator*=(const Fraction& y) { return value_ *= y.value_, *this; }
  Fraction& operator/=(const Fraction& y) { return value_ /= y.value_, *this; }
  friend Fraction operator-(const Fraction& x) { return Fraction(Rational(-x.value_)); }
  friend bool operator<(const Fraction& x, const Fraction& y) { return x.value_ < y.value_; }
  friend bool operator==(const Fraction& x, const Fraction& y) { return x.value_ == y.value_; }
  friend std::ostream& operator<<(std::ostream& out, const Fraction& x) { return out << x.value_; }

  /// Instead of e^x, for x ≤ 0.
  friend Fraction exp(const Fraction& x) { return 1 / (1 - x); }
  /// Instead of ln x.
  friend Fraction log(const Fraction& x) { return 1 - 1 / x; }
  /// The root of a whole perfect square.
  friend Fraction sqrt(const Fraction& x) {
    const Integer root = boost::multiprecision::sqrt(numerator(x.value_));
    if (root * root != x.value_) throw std::domain_error("no root is a fraction");
    return Fraction(Rational(root));
  }

 private:
  Rational value_;
};

struct Subject {
  RecallWeights<double> (*start)(RecallWeights<double>) = start_without_scale<double>;
  LearningRates (*rates)(LearningRates, Eigen::Index) = rates_without_scale;
  void (*descend)(RecallWeights<double>&, const RecallWeights<double>&,
                  LearningRates) = sqrtdk::sgd_step<double>;
  RecallWeights<Fraction> (*exact_start)(RecallWeights<Fraction>) = start_without_scale<Fraction>;
  void (*exact_step)(RecallWeights<Fraction>&, const RecallWeights<Fraction>&,
                     LearningRates) = sqrtdk::sgd_step<Fraction>;
};

/// Each weight moves by its rate, whatever the size of its gradient: what Adam comes close to.
void descend_by_sign(RecallWeights<double>& weights, const RecallWeights<double>& gradient,
                     LearningRates rates) {
  RecallWeights<double> signs = gradient;
  for (Eigen::MatrixXd* matrix : {&signs.query, &signs.key, &signs.value, &signs.readout})
    *matrix = matrix->array().sign().matrix();
  signs.direction = signs.direction.array().sign().matrix();
  signs.log_scale = 0;
  sqrtdk::sgd_step(weights, signs, rates);
}

/// Head dimensions whose fourth root is a power of two, so that no rounding tells the layers apart.
const std::map<Eigen::Index, double> fourth_roots = {{1, 1}, {16, 2}, {256, 4}};

/// Two layers side by side: one with the root scale, one without scale.
struct Pair {
  RecallWeights<double> scaled;
  RecallWeights<double> unscaled;
  bool same_losses = true;
  bool same_weights = true;  // up to the factor, before every step and after the last
  double scaled_loss = 0;    // the last one
  double unscaled_loss = 0;  // the last one

  /// True if the losses were the same, W_Q and W_K always differed by the factor alone, and W_V
  /// and W_O not at all; bit for bit.
  bool in_step() const { return same_losses && same_weights; }

  void compare_weights() {
    const double factor = fourth_roots.at(scaled.query.rows());
    same_weights = same_weights && bits_of(scaled.query) == bits_of(factor * unscaled.query) &&
                   bits_of(scaled.key) == bits_of(factor * unscaled.key) &&
                   bits_of(scaled.value) == bits_of(unscaled.value) &&
                   bits_of(scaled.readout) == bits_of(unscaled.readout);
  }
};

/// Trains both for some steps on the same batches.
void descend_in_step(Pair& pair, const Subject& subject, const RecallTask& task,
                     const RecallEmbeddings<double>& embeddings, TrainingStream& stream,
                     int steps) {
  pair.compare_weights();
  const LearningRates rates{0.5, 0.25};
  const LearningRates own_rates = subject.rates(rates, pair.scaled.query.rows());
  for (int step = 0; step < steps; ++step) {
    const RecallBatch batch = draw_recall(task, 8, stream);
    const auto loss = [&](ScoreRule rule, const RecallWeights<double>& weights) {
      return recall_output(rule, embeddings, weights, batch).loss;
    };
    pair.scaled_loss = loss(ScoreRule::root, pair.scaled);
    pair.unscaled_loss = loss(ScoreRule::unscaled, pair.unscaled);
    pair.same_losses = pair.same_losses && bits_of(pair.scaled_loss) == bits_of(pair.unscaled_loss);
    subject.descend(pair.scaled, recall_gradient(ScoreRule::root, embeddings, pair.scaled, batch),
                    rates);
    subject.descend(pair.unscaled,
                    recall_gradient(ScoreRule::unscaled, embeddings, pair.unscaled, batch),
                    own_rates);
    pair.compare_weights();
  }
}

/// The same, from weights W_Q and W_K that are as large as usual or `size` times as large; one of
/// W_Q and one of W_V are −0, whose sign is a bit too.
Pair train_pair(const Subject& subject, Eigen::Index d, std::uint64_t seed, int steps,
                double size = 1) {
  const RecallTask task{.symbols = 6, .values = 5, .pairs = 4, .width = 5};
  const RecallEmbeddings<double> embeddings = draw_embeddings(task, seed);
  TrainingStream stream = training_stream(seed, Purpose::training);
  Pair pair{initial_weights(task, d, seed), {}};
  pair.scaled.query *= size;
  pair.scaled.key *= size;
  pair.scaled.query(0, 0) = -0.0;
  pair.scaled.value(0, 0) = -0.0;
  pair.unscaled = subject.start(pair.scaled);
  descend_in_step(pair, subject, task, embeddings, stream, steps);
  return pair;
}

Eigen::MatrixXd small_doubles(Eigen::Index rows, Eigen::Index columns, Stream& stream) {
  return small_numbers(rows, columns, stream).unaryExpr([](const Wide& x) { return to_double(x); });
}

/// One step from drawn multiples of 2⁻¹⁰ from −½ to ½: nothing comes near to under- or overflow.
Pair any_pair(const Subject& subject) {
  const RecallTask task{.symbols = 6, .values = 5, .pairs = 4, .width = 3};
  const Eigen::Index d = *rc::gen::element<Eigen::Index>(1, 16, 256).as("d");
  const auto seed = *rc::gen::arbitrary<std::uint64_t>().as("seed of the numbers");
  Stream numbers = stream_of(seed, "pair");
  const RecallEmbeddings<double> embeddings{small_doubles(task.width, task.symbols, numbers),
                                            small_doubles(task.width, task.values, numbers)};
  Pair pair;
  pair.scaled = {small_doubles(d, task.width, numbers),
                 small_doubles(d, task.width, numbers),
                 small_doubles(d, 1, numbers),
                 0,
                 small_doubles(task.width, task.width, numbers),
                 small_doubles(task.values, task.width, numbers)};
  pair.unscaled = subject.start(pair.scaled);
  TrainingStream stream = training_stream(seed, Purpose::training);
  descend_in_step(pair, subject, task, embeddings, stream, 1);
  return pair;
}

using FractionMatrix = RecallWeights<Fraction>::Matrix;

FractionMatrix small_fractions(Eigen::Index rows, Eigen::Index columns, Stream& stream) {
  return small_numbers(rows, columns, stream).unaryExpr([](const Wide& x) {
    return Fraction(Rational(Integer(round(4 * x)), 2));
  });
}

/// descend_in_step() over the fractions, with any whole number as the fourth root of d.
bool stay_in_step_exactly(const Subject& subject, int fourth_root, int steps, Stream& stream) {
  const RecallTask task{.symbols = 2, .values = 2, .pairs = 2, .width = 2};
  const Eigen::Index d = integer_power(fourth_root, 4);
  const auto matrix = [&](Eigen::Index rows) { return small_fractions(rows, task.width, stream); };
  const RecallEmbeddings<Fraction> embeddings{matrix(2), matrix(2)};
  RecallWeights<Fraction> scaled{matrix(d), matrix(d), FractionMatrix::Zero(d, 1),
                                 0,         matrix(2), matrix(2)};
  RecallWeights<Fraction> unscaled = subject.exact_start(scaled);
  // A rate that √d divides without rounding.
  const LearningRates rates{0.25 * fourth_root * fourth_root, 0.5};
  const LearningRates own_rates = subject.rates(rates, d);
  const Fraction r = fourth_root;
  bool in_step = true;
  const auto compare_weights = [&] {
    in_step = in_step && scaled.query == r * unscaled.query && scaled.key == r * unscaled.key &&
              scaled.value == unscaled.value && scaled.readout == unscaled.readout;
  };
  compare_weights();
  for (int step = 0; step < steps; ++step) {
    const RecallBatch batch = draw_recall(task, 1, stream);
    const auto loss = [&](ScoreRule rule, const RecallWeights<Fraction>& weights) {
      return recall_output(rule, embeddings, weights, batch).loss;
    };
    in_step = in_step && loss(ScoreRule::root, scaled) == loss(ScoreRule::unscaled, unscaled);
    subject.exact_step(scaled, recall_gradient(ScoreRule::root, embeddings, scaled, batch), rates);
    subject.exact_step(unscaled, recall_gradient(ScoreRule::unscaled, embeddings, unscaled, batch),
                       own_rates);
    compare_weights();
  }
  return in_step;
}

//! [ScalingIsStartAndRate]
STATEMENT(ScalingIsStartAndRate, TheLayersStayInStepBitForBit) {
  // Fixed seeds: what a layer meets on its way, and so whether anything overflows, is then fixed.
  for (const auto& [d, _] : fourth_roots)
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const Pair pair = train_pair(subject, d, seed, 20);
      EXPECT_EXACTLY(pair.in_step()) << "d = " << d << ", seed " << seed;
      EXPECT_EXACTLY(pair.scaled.query.allFinite()) << "d = " << d << ", seed " << seed;
      EXPECT_EXACTLY(bits_of(pair.scaled.key) !=
                     bits_of(initial_weights({6, 5, 4, 5}, d, seed).key))
          << "d = " << d << ", seed " << seed;
      enumerated(1);
    }
  for_all([&] { EXPECT_EXACTLY(any_pair(subject).in_step()); }, 50);
}
//! [ScalingIsStartAndRate]
KILLS("the start is divided by the root", {.start = [](RecallWeights<double> weights) {
        return start_without_scale(start_without_scale(std::move(weights)));
      }});
KILLS("the rate is divided by the fourth root", {.rates = [](LearningRates rates, Eigen::Index d) {
        return LearningRates{rates.attention / std::sqrt(std::sqrt(static_cast<double>(d))),
                             rates.others};
      }});
KILLS("the rate is divided by d", {.rates = [](LearningRates rates, Eigen::Index d) {
        return LearningRates{rates.attention / static_cast<double>(d), rates.others};
      }});
KILLS("every rate is divided", {.rates = [](LearningRates rates, Eigen::Index d) {
        const double root = std::sqrt(static_cast<double>(d));
        return LearningRates{rates.attention / root, rates.others / root};
      }});
KILLS("the same number is added to all keys at each step",
      {.descend = [](RecallWeights<double>& weights, auto& gradient, LearningRates rates) {
        sgd_step(weights, gradient, rates);
        weights.key.array() += 0.1;
      }});
KILLS("keys are not learned",
      {.descend = [](RecallWeights<double>& weights, auto& gradient, LearningRates rates) {
        const Eigen::MatrixXd key = weights.key;
        sgd_step(weights, gradient, rates);
        weights.key = key;
      }});
KILLS("rounding is that of half as many digits", {.start = [](RecallWeights<double> weights) {
        weights = start_without_scale(std::move(weights));
        weights.query = weights.query.cast<float>().cast<double>().eval();
        return weights;
      }});
KILLS("zeros lose their sign at the start", {.start = [](RecallWeights<double> weights) {
        weights = start_without_scale(std::move(weights));
        weights.query.array() += 0.0;
        return weights;
      }});

/// A number of the form 4ᵏ, the nearest to √d.
double root_to_a_power_of_four(Eigen::Index d) {
  return std::exp2(2 * std::round(std::log2(static_cast<double>(d)) / 4));
}

//! [ScalingIsStartAndRate: over the fractions]
STATEMENT(ScalingIsStartAndRate, OverTheFractionsTheyStayInStepToo) {
  for_all(
      [&] {
        const int fourth_root = *rc::gen::element(1, 2, 3, 5).as("fourth root of d");
        const int steps = fourth_root < 5 ? 2 : 1;  // fractions grow
        Stream stream = stream_of(*rc::gen::arbitrary<std::uint64_t>().as("seed"), "fractions");
        EXPECT_EXACTLY(stay_in_step_exactly(subject, fourth_root, steps, stream));
      },
      20);
}
//! [ScalingIsStartAndRate: over the fractions]
KILLS("the rate is divided by a power of four near the root",
      {.rates = [](LearningRates rates, Eigen::Index d) {
        return LearningRates{d == 0 ? rates_without_scale(rates, d).attention
                                    : rates.attention / root_to_a_power_of_four(d),
                             rates.others};
      }});
KILLS("the start is divided by a power of two near the fourth root",
      {.exact_start = [](RecallWeights<Fraction> weights) {
        const Fraction root(std::sqrt(root_to_a_power_of_four(weights.query.rows())));
        weights.query /= root;
        weights.key /= root;
        return weights;
      }});
KILLS("1 is added to all keys at each step",
      {.exact_step = [](RecallWeights<Fraction>& weights, auto& gradient, LearningRates rates) {
        sgd_step(weights, gradient, rates);
        weights.key.array() += Fraction(1);
      }});

ASIDE(ScalingIsStartAndRate, TinyWeightsUnderflowAndPart) {
  // Weights of 2^-500 times the usual size are normal numbers, and so are their halves. Those of
  // 2^-1060 times it are whole multiples of the smallest number, and their halves are not.
  for (const Eigen::Index d : {16, 256}) {
    EXPECT_EXACTLY(train_pair(subject, d, 1, 3, 0x1p-500).in_step()) << "d = " << d;
    EXPECT_EXACTLY(!train_pair(subject, d, 1, 3, 0x1p-1060).in_step()) << "d = " << d;
  }
  enumerated(4);
  counterexample_without("no underflow");
}
KILLS("the start of the keys alone is smaller", {.start = [](RecallWeights<double> weights) {
        const Eigen::MatrixXd query = weights.query;
        weights = start_without_scale(std::move(weights));
        weights.query = query;
        return weights;
      }});

ASIDE(ScalingIsStartAndRate, AProductThatIsRoundedUpToANormalNumberIsOutside) {
  // The inputs are 1, so that the weights are the vectors. The first product of the scaled layer
  // is below 2^-1020 by 0.36 of the smallest positive number times four, and is rounded down. That
  // of the halves is below 2^-1022 by 0.36 of the smallest, and is rounded up, to a normal number.
  // Every number that is stored on the way is normal or 0.
  RecallWeights<double> scaled;
  scaled.query = scaled.key = Eigen::MatrixXd::Zero(16, 1);
  scaled.query(0) = 0x1p-510 * (1 + 4e7 * 0x1p-52);
  scaled.query(1) = 0x1p-510;
  scaled.key(0) = 0x1p-510 * (1 - 8e7 * 0x1p-53);
  scaled.key(1) = 0x1p-510 * (1 + 3 * 0x1p-52);
  const RecallWeights<double> unscaled = subject.start(scaled);
  const auto score = [](const RecallWeights<double>& weights, double scale) {
    return bits_of(attention_scores(Eigen::MatrixXd(weights.query.transpose()),
                                    Eigen::MatrixXd(weights.key.transpose()), scale)(0));
  };
  EXPECT_EXACTLY(score(scaled, 0.25) == bits_of(0x1.0000000000001p-1021));
  EXPECT_EXACTLY(score(unscaled, 1) == bits_of(0x1.0000000000002p-1021));
  for (Index i = 0; i < 16; ++i) {
    const double product = unscaled.query(i) * unscaled.key(i);
    EXPECT_EXACTLY((std::fpclassify(product) == FP_ZERO || std::isnormal(product))) << i;
  }
  // The same, 2^40 times as large: both layers agree.
  scaled.query *= 0x1p40;
  EXPECT_EXACTLY(score(scaled, 0.25) == score(subject.start(scaled), 1));
  enumerated(2);
  counterexample_without("no underflow");
}
KILLS("what is as small as the smallest of the start becomes 0",
      {.start = [](RecallWeights<double> weights) {
        weights = start_without_scale(std::move(weights));
        for (double& x : weights.key.reshaped()) x = std::abs(x) < 0x1p-510 ? 0 : x;
        return weights;
      }});

ASIDE(ScalingIsStartAndRate, HugeWeightsOverflowAndPart) {
  // q·k overflows where it is divided afterwards, not where the vectors are smaller.
  for (const Eigen::Index d : {16, 256}) {
    EXPECT_EXACTLY(train_pair(subject, d, 1, 1, 0x1p500).in_step()) << "d = " << d;
    const Pair pair = train_pair(subject, d, 1, 1, 0x1p511);
    EXPECT_EXACTLY(!std::isfinite(pair.scaled_loss)) << "d = " << d;
    EXPECT_EXACTLY(std::isfinite(pair.unscaled_loss)) << "d = " << d;
  }
  enumerated(4);
  counterexample_without("no overflow");
}
KILLS("the start of the queries alone is smaller", {.start = [](RecallWeights<double> weights) {
        const Eigen::MatrixXd key = weights.key;
        weights = start_without_scale(std::move(weights));
        weights.key = key;
        return weights;
      }});

ASIDE(ScalingIsStartAndRate, FromTheOldStartTheyDifferAtOnce) {
  Subject old_start = subject;
  old_start.start = [](RecallWeights<double> weights) { return weights; };
  for (const Eigen::Index d : {16, 256}) {
    EXPECT_EXACTLY(!train_pair(old_start, d, 1, 1).same_losses) << "d = " << d;
    EXPECT_EXACTLY(train_pair(subject, d, 1, 1).same_losses) << "d = " << d;
  }
  counterexample_without("smaller start");
}
KILLS("the start is the same", {.start = [](RecallWeights<double> weights) { return weights; }});

ASIDE(ScalingIsStartAndRate, AtTheOldRateTheyPartAtTheFirstStep) {
  Subject old_rate = subject;
  old_rate.rates = [](LearningRates rates, Eigen::Index) { return rates; };
  for (const auto& [d, _] : fourth_roots) {
    EXPECT_EXACTLY(train_pair(old_rate, d, 1, 1).same_losses) << "d = " << d;
    EXPECT_EXACTLY(train_pair(old_rate, d, 1, 1).in_step() == (d == 1)) << "d = " << d;
  }
  counterexample_without("smaller rate");
}
KILLS("nothing is learned", {.descend = [](RecallWeights<double>&, auto&, LearningRates) {}});

ASIDE(ScalingIsStartAndRate, DescentByTheSignNeedsAnotherRate) {
  Subject by_sign = subject;
  by_sign.descend = descend_by_sign;
  Subject by_fourth_root = by_sign;
  by_fourth_root.rates = [](LearningRates rates, Eigen::Index d) {
    return LearningRates{rates.attention / fourth_roots.at(d), rates.others};
  };
  EXPECT_EXACTLY(train_pair(subject, 16, 1, 1).in_step());
  EXPECT_EXACTLY(!train_pair(by_sign, 16, 1, 1).in_step());
  EXPECT_EXACTLY(train_pair(by_fourth_root, 16, 1, 20).in_step());
  counterexample_without("plain gradient descent");
}
KILLS("the rate is the same", {.rates = [](LearningRates rates, Eigen::Index) { return rates; }});

ASIDE(ScalingIsStartAndRate, EachWeightMovesByItsRateTimesItsGradient) {
  for_all([&] {
    // Multiples of ¼ and small: nothing is rounded.
    const auto quarter = [](const char* name) { return *rc::gen::inRange(-64, 65).as(name) / 4.0; };
    const auto one = [](double x) { return Eigen::MatrixXd::Constant(1, 1, x).eval(); };
    const double weight = quarter("weight"), slope = quarter("gradient");
    const LearningRates rates = {quarter("rate of the attention"), quarter("rate of the others")};
    RecallWeights<double> weights{one(weight), one(weight), one(weight).col(0),
                                  weight,      one(weight), one(weight)};
    subject.descend(
        weights, {one(slope), one(slope), one(slope).col(0), slope, one(slope), one(slope)}, rates);
    const Rational attention = Rational(weight) - Rational(rates.attention) * Rational(slope);
    const Rational other = Rational(weight) - Rational(rates.others) * Rational(slope);
    EXPECT_EXACTLY(Rational(weights.query(0)) == attention);
    EXPECT_EXACTLY(Rational(weights.key(0)) == attention);
    EXPECT_EXACTLY(Rational(weights.direction(0)) == attention);
    EXPECT_EXACTLY(Rational(weights.log_scale) == attention);
    EXPECT_EXACTLY(Rational(weights.value(0)) == other);
    EXPECT_EXACTLY(Rational(weights.readout(0)) == other);
  });
}
KILLS("the learned scale is not learned",
      {.descend = [](RecallWeights<double>& weights, auto& gradient, LearningRates rates) {
        const double log_scale = weights.log_scale;
        sgd_step(weights, gradient, rates);
        weights.log_scale = log_scale;
      }});
KILLS("the direction moves by the rate of the others",
      {.descend = [](RecallWeights<double>& weights, auto& gradient, LearningRates rates) {
        const Eigen::VectorXd direction = weights.direction - rates.others * gradient.direction;
        sgd_step(weights, gradient, rates);
        weights.direction = direction;
      }});

ASIDE(ScalingIsStartAndRate, RefusesADimensionOfZero) {
  expect_refusal<std::domain_error>(
      [&] {
        subject.rates({1, 1}, 0);
      },
      "the head dimension is 0, but must be at least 1");
}
KILLS("a head dimension of 0 is accepted", {.rates = [](LearningRates rates, Eigen::Index d) {
        return d == 0 ? rates : rates_without_scale(rates, d);
      }});

}  // namespace sqrtdk::properties::ScalingIsStartAndRate
