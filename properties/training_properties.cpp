// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/expect_draws.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/reporting/ledger.hpp>
#include <sqrtdk/testing/statistics/number_text.hpp>
#include <sqrtdk/testing/statistics/sample_quantile.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>
#include <sqrtdk/training.hpp>

#include "properties/support/message_of.hpp"
#include "properties/support/same_bits.hpp"

#include <boost/math/differentiation/autodiff.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

constexpr double infinity = std::numeric_limits<double>::infinity();

// --------------------------------------------------------------------------------- RecallGradient

using Links = RecallLinks<Wide>;
using WideMatrix = Links::Matrix;
using WideVector = Links::Vector;
using WidePass = RecallPass<Wide>;
using WideInputs = ScoreGradients<Wide>;

/// As the page derives it: rounding in either route cannot reach this.
const Wide gradient_error_bound = ldexp(Wide(1), -80);

/// A layer, its task and what it is shown.
struct Scene {
  RecallTask task;
  ScoreRule rule;
  RecallEmbeddings<Wide> embeddings;
  RecallWeights<Wide> weights;
  RecallBatch batch;
};

/// Entries that are multiples of 2⁻¹⁰ from −½ to ½.
WideMatrix small_numbers(Eigen::Index rows, Eigen::Index columns, Stream& stream) {
  WideMatrix result(rows, columns);
  for (Wide& entry : result.reshaped()) entry = std::round((uniform(stream) - 0.5) * 1024) / 1024;
  return result;
}

RecallWeights<Wide> small_weights(const RecallTask& task, Eigen::Index d, Stream& stream) {
  RecallWeights<Wide> weights;
  weights.query = small_numbers(d, task.width, stream);
  weights.key = small_numbers(d, task.width, stream);
  weights.direction = small_numbers(d, 1, stream);
  weights.log_scale = small_numbers(1, 1, stream)(0, 0);
  weights.value = small_numbers(task.width, task.width, stream);
  weights.readout = small_numbers(task.values, task.width, stream);
  return weights;
}

/// At most 4 pairs of 5 symbols, vectors of at most 3 numbers, 3 sequences, d at most 4.
Scene any_scene() {
  const auto from_to = [](Eigen::Index least, Eigen::Index most) {
    return rc::gen::inRange<Eigen::Index>(least, most + 1);
  };
  Scene scene;
  scene.rule =
      *rc::gen::elementOf(std::vector<ScoreRule>(std::begin(score_rules), std::end(score_rules)))
           .as("score rule");
  scene.task.pairs = *from_to(1, 4).as("pairs");
  scene.task.symbols = *from_to(scene.task.pairs, 5).as("key symbols");
  scene.task.values = *from_to(scene.task.pairs, 5).as("value symbols");
  scene.task.width = *from_to(1, 3).as("width");
  const Eigen::Index d = *from_to(1, 4).as("head dimension");
  const Eigen::Index sequences = *from_to(1, 3).as("sequences");
  const auto seed = *rc::gen::arbitrary<std::uint64_t>().as("seed of the numbers");
  Stream stream = stream_of(seed, "scene");
  scene.embeddings = {small_numbers(scene.task.width, scene.task.symbols, stream),
                      small_numbers(scene.task.width, scene.task.values, stream)};
  scene.weights = small_weights(scene.task, d, stream);
  scene.batch = draw_recall(scene.task, sequences, stream);
  return scene;
}

/// The loss once more, from its definition: no matrix products, no table of scores, no shifts.
/// \tparam Real a number that knows its own derivative.
template <class Real>
Real loss_by_definition(const Scene& scene, const RecallWeights<Real>& at) {
  using std::exp;
  using std::log;
  using std::sqrt;
  using std::tanh;
  const Eigen::Index width = scene.task.width;
  const Eigen::Index d = scene.weights.query.rows();
  const auto embedded = [&](const auto& matrix, const WideMatrix& embedding, Eigen::Index row,
                            Eigen::Index symbol) {
    Real sum(0);
    for (Eigen::Index j = 0; j < width; ++j) sum += matrix(row, j) * embedding(j, symbol);
    return sum;
  };
  Real loss(0);
  for (Eigen::Index b = 0; b < scene.batch.size(); ++b) {
    std::vector<Real> powers;
    Real total(0);
    for (Eigen::Index i = 0; i < scene.task.pairs; ++i) {
      Real score(0);
      for (Eigen::Index r = 0; r < d; ++r) {
        const Real q = embedded(at.query, scene.embeddings.keys, r, scene.batch.query(b));
        const Real k = embedded(at.key, scene.embeddings.keys, r, scene.batch.keys(i, b));
        score +=
            scene.rule == ScoreRule::additive ? Real(at.direction[r] * tanh(q + k)) : Real(q * k);
      }
      if (scene.rule == ScoreRule::root) score /= sqrt(Wide(d));
      if (scene.rule == ScoreRule::linear) score /= Wide(d);
      if (scene.rule == ScoreRule::learned) score *= exp(at.log_scale);
      powers.push_back(exp(score));
      total += powers.back();
    }
    std::vector<Real> outputs(static_cast<std::size_t>(width), Real(0));
    for (Eigen::Index i = 0; i < scene.task.pairs; ++i)
      for (Eigen::Index r = 0; r < width; ++r)
        outputs[static_cast<std::size_t>(r)] +=
            powers[static_cast<std::size_t>(i)] / total *
            embedded(at.value, scene.embeddings.values, r, scene.batch.values(i, b));
    Real sum(0);
    Real right(0);
    for (Eigen::Index c = 0; c < scene.task.values; ++c) {
      Real logit(0);
      for (Eigen::Index r = 0; r < width; ++r)
        logit += at.readout(c, r) * outputs[static_cast<std::size_t>(r)];
      sum += exp(logit);
      if (c == scene.batch.answer(b)) right = logit;
    }
    loss += log(sum) - right;
  }
  return loss / Wide(scene.batch.size());
}

/// The derivative of loss_by_definition() along a direction, by Boost.Math's autodiff.
Wide derivative_along(const Scene& scene, const RecallWeights<Wide>& direction) {
  using boost::math::differentiation::make_fvar;
  const auto t = make_fvar<Wide, 1>(0);
  using Real = std::remove_const_t<decltype(t)>;
  const RecallWeights<Wide>& from = scene.weights;
  const auto moving = [&](const WideMatrix& a, const WideMatrix& v) {
    Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> result(a.rows(), a.cols());
    for (Eigen::Index i = 0; i < a.size(); ++i) result.data()[i] = t * v.data()[i] + a.data()[i];
    return result;
  };
  const RecallWeights<Real> at{
      moving(from.query, direction.query),         moving(from.key, direction.key),
      moving(from.direction, direction.direction), Real(t * direction.log_scale + from.log_scale),
      moving(from.value, direction.value),         moving(from.readout, direction.readout)};
  return loss_by_definition<Real>(scene, at).derivative(1);
}

Wide inner_product(const RecallWeights<Wide>& a, const RecallWeights<Wide>& b) {
  return a.query.cwiseProduct(b.query).sum() + a.key.cwiseProduct(b.key).sum() +
         a.direction.dot(b.direction) + a.log_scale * b.log_scale +
         a.value.cwiseProduct(b.value).sum() + a.readout.cwiseProduct(b.readout).sum();
}

/// The library's link for scores, with one thing changed afterwards.
template <class Change>
WideInputs changed(ScoreRule rule, const RecallWeights<Wide>& weights, const WidePass& pass,
                   const WideMatrix& by_scores, Change change) {
  WideInputs by = score_vjp(rule, weights, pass, by_scores);
  change(by);
  return by;
}

const std::vector<Mutant<Links>> recall_gradient_mutants = {
    {"the softmax's Jacobian is diagonal: −pᵢpⱼ is missing",
     "IsWhatAutomaticDifferentiationFinds",
     {.softmax = [](const WideVector& p, const WideVector& g) -> WideVector {
       return p.cwiseProduct(g).eval();
     }}},
    {"the softmax's Jacobian is −ppᵀ: δᵢⱼ is missing",
     "IsWhatAutomaticDifferentiationFinds",
     {.softmax = [](const WideVector& p, const WideVector& g) -> WideVector {
       return (-p * p.dot(g)).eval();
     }}},
    {"the softmax is left out of the chain",
     "IsWhatAutomaticDifferentiationFinds",
     {.softmax = [](const WideVector&, const WideVector& g) -> WideVector { return g; }}},
    {"queries move with the gradient",
     "IsWhatAutomaticDifferentiationFinds",
     {.scores =
          [](ScoreRule rule, const RecallWeights<Wide>& weights, const WidePass& pass,
             const WideMatrix& by_scores) {
            return changed(rule, weights, pass, by_scores,
                           [](WideInputs& by) { by.queries = (-by.queries).eval(); });
          }}},
    {"the scale is forgotten on the way back",
     "IsWhatAutomaticDifferentiationFinds",
     {.scores =
          [](ScoreRule rule, const RecallWeights<Wide>& weights, const WidePass& pass,
             const WideMatrix& by_scores) {
            return changed(rule, weights, pass, by_scores, [&](WideInputs& by) {
              const Wide scale = sqrtdk::dot_product_scale(rule, weights);
              by.queries /= scale;
              by.keys /= scale;
            });
          }}},
    {"queries and keys are exchanged",
     "IsWhatAutomaticDifferentiationFinds",
     {.scores =
          [](ScoreRule rule, const RecallWeights<Wide>& weights, const WidePass& pass,
             const WideMatrix& by_scores) {
            return changed(rule, weights, pass, by_scores,
                           [](WideInputs& by) { std::swap(by.queries, by.keys); });
          }}},
    {"scores are read transposed",
     "IsWhatAutomaticDifferentiationFinds",
     {.scores =
          [](ScoreRule rule, const RecallWeights<Wide>& weights, const WidePass& pass,
             const WideMatrix& by_scores) {
            return score_vjp<Wide>(rule, weights, pass, by_scores.transpose());
          }}},
    {"tanh counts as the identity",
     "IsWhatAutomaticDifferentiationFinds",
     {.scores =
          [](ScoreRule rule, const RecallWeights<Wide>& weights, const WidePass& pass,
             const WideMatrix& by_scores) {
            return changed(rule, weights, pass, by_scores, [&](WideInputs& by) {
              if (rule != ScoreRule::additive) return;
              by.queries = weights.direction * by_scores.rowwise().sum().transpose();
              by.keys = weights.direction * by_scores.colwise().sum();
            });
          }}},
    {"w is not learned",
     "IsWhatAutomaticDifferentiationFinds",
     {.scores =
          [](ScoreRule rule, const RecallWeights<Wide>& weights, const WidePass& pass,
             const WideMatrix& by_scores) {
            return changed(rule, weights, pass, by_scores,
                           [](WideInputs& by) { by.direction.setZero(); });
          }}},
    {"the derivative by e^λ, not by λ",
     "IsWhatAutomaticDifferentiationFinds",
     {.scores =
          [](ScoreRule rule, const RecallWeights<Wide>& weights, const WidePass& pass,
             const WideMatrix& by_scores) {
            return changed(rule, weights, pass, by_scores,
                           [&](WideInputs& by) { by.log_scale /= exp(weights.log_scale); });
          }}},
    {"the sum over the batch, not the mean",
     "IsWhatAutomaticDifferentiationFinds",
     {.cross_entropy = [](const WideMatrix& answers, const RecallBatch& batch) -> WideMatrix {
       return Wide(batch.size()) * cross_entropy_vjp<Wide>(answers, batch);
     }}},
    {"what goes to a value passes through the derivative of softmax as well",
     "AtOneHotWeightsItIsWholeByTheValuesAndZeroByWhatMakesTheScores",
     {.values = [](const WideMatrix& by_outputs, const WideMatrix& mass) -> WideMatrix {
       return by_outputs * (mass.array() * (Wide(1) - mass.array())).matrix().transpose();
     }}},
    {"no weight is below 10⁻³⁰, as in code that takes its logarithm",
     "AtOneHotWeightsItIsWholeByTheValuesAndZeroByWhatMakesTheScores",
     {.softmax = [](const WideVector& p, const WideVector& g) -> WideVector {
       return softmax_vjp<Wide>(p.cwiseMax(Wide("1e-30")).eval(), g);
     }}},
    {"the target is the next class",
     "OfALayerThatKnowsNothingIsAtTheReadOutAlone",
     {.cross_entropy = [](const WideMatrix& answers, const RecallBatch& batch) -> WideMatrix {
       WideMatrix by = answers / Wide(batch.size());
       for (Eigen::Index b = 0; b < batch.size(); ++b)
         by((batch.answer(b) + 1) % by.rows(), b) -= 1 / Wide(batch.size());
       return by;
     }}},
    {"half the error, as of a square",
     "OfALayerThatKnowsNothingIsAtTheReadOutAlone",
     {.cross_entropy = [](const WideMatrix& answers, const RecallBatch& batch) -> WideMatrix {
       return cross_entropy_vjp<Wide>(answers, batch) / 2;
     }}},
};

//! [RecallGradient]
TEST(RecallGradient, IsWhatAutomaticDifferentiationFinds) {
  judge(recall_gradient_mutants, [](const Links& links) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for_all(
        [&] {
          const Scene scene = any_scene();
          const auto seed = *rc::gen::arbitrary<std::uint64_t>().as("seed of the direction");
          Stream stream = stream_of(seed, "direction");
          const auto direction = small_weights(scene.task, scene.weights.query.rows(), stream);
          const auto gradient =
              recall_gradient(scene.rule, scene.embeddings, scene.weights, scene.batch, links);
          const Wide error =
              abs(inner_product(gradient, direction) - derivative_along(scene, direction));
          evidence().worst(static_cast<double>(error), static_cast<double>(gradient_error_bound));
          RC_ASSERT(error <= gradient_error_bound);
        },
        100);
  });
}
//! [RecallGradient]

//! [RecallGradient: exact check]
TEST(RecallGradient, OfALayerThatKnowsNothingIsAtTheReadOutAlone) {
  judge(recall_gradient_mutants, [](const Links& links) {
    // One pair in the sequence, and W_O = 0: the output is W_V times the value's embedding, and
    // both answers have probability 1/2.
    const RecallTask task{.symbols = 2, .values = 2, .pairs = 1, .width = 2};
    Stream stream = next_stream();
    for (const ScoreRule rule : score_rules)
      for (const int answer : {0, 1}) {
        Scene scene{task, rule, {}, small_weights(task, 3, stream), {}};
        scene.embeddings = {small_numbers(2, 2, stream), small_numbers(2, 2, stream)};
        scene.weights.readout.setZero();
        scene.batch = {Eigen::ArrayXXi::Zero(1, 1), Eigen::ArrayXXi::Constant(1, 1, answer),
                       Eigen::ArrayXi::Zero(1)};
        const auto gradient =
            recall_gradient(rule, scene.embeddings, scene.weights, scene.batch, links);
        const WideVector output = scene.weights.value * scene.embeddings.values.col(answer);
        EXPECT_EQ(gradient.readout.row(answer), (-output / 2).transpose());
        EXPECT_EQ(gradient.readout.row(1 - answer), (output / 2).transpose());
        EXPECT_TRUE(gradient.query.isZero(0) && gradient.key.isZero(0) &&
                    gradient.value.isZero(0) && gradient.direction.isZero(0) &&
                    gradient.log_scale == 0)
            << "with " << rule;
        enumerated(1);
      }
  });
}
//! [RecallGradient: exact check]

//! [RecallGradient: one-hot weights]
TEST(RecallGradient, AtOneHotWeightsItIsWholeByTheValuesAndZeroByWhatMakesTheScores) {
  judge(recall_gradient_mutants, [](const Links& links) {
    // Two pairs, whose scores are so far apart that the weight of the other one underflows; and W_O
    // at right angles to the output, so that both answers have probability 1/2.
    const RecallTask task{.symbols = 2, .values = 2, .pairs = 2, .width = 2};
    const Wide far = ldexp(Wide(1), 40);
    for (const ScoreRule rule : score_rules)
      for (const int asked : {0, 1})
        for (const int seen : {0, 1}) {
          Stream stream = stream_of(1, "one-hot");
          Scene scene{task, rule, {}, small_weights(task, 3, stream), {}};
          scene.embeddings = {WideMatrix{{1, -1}, {0, 0}}, small_numbers(2, 2, stream)};
          scene.weights.key.setOnes();
          scene.weights.query.setConstant(asked == seen ? far : -far);
          if (rule == ScoreRule::additive) {
            scene.weights.query.setZero();
            scene.weights.direction.setConstant(seen == 0 ? far : -far);
          }
          scene.batch = {Eigen::ArrayXXi{{0}, {1}}, Eigen::ArrayXXi{{0}, {1}},
                         Eigen::ArrayXi::Constant(1, asked)};
          const WideVector value = scene.embeddings.values.col(seen);
          const WideVector output = scene.weights.value * value;
          scene.weights.readout.row(0) << -output[1], output[0];
          scene.weights.readout.row(1) = Wide(-3) * scene.weights.readout.row(0);
          const auto attention =
              recall_output(rule, scene.embeddings, scene.weights, scene.batch).attention;
          EXPECT_TRUE(attention(seen, 0) == 1 && attention(1 - seen, 0) == 0) << "with " << rule;

          const auto gradient =
              recall_gradient(rule, scene.embeddings, scene.weights, scene.batch, links);
          const WideVector by_output =
              (scene.weights.readout.row(1 - asked) - scene.weights.readout.row(asked))
                  .transpose() /
              2;
          EXPECT_FALSE(by_output.isZero(0));
          const WideMatrix by_values = by_output * value.transpose();
          EXPECT_EQ(gradient.value, by_values) << "with " << rule;
          EXPECT_EQ(gradient.readout.row(asked), (-output / 2).transpose()) << "with " << rule;
          EXPECT_TRUE(gradient.query.isZero(0) && gradient.key.isZero(0) &&
                      gradient.direction.isZero(0) && gradient.log_scale == 0)
              << "with " << rule;
          enumerated(1);
        }
  });
}
//! [RecallGradient: one-hot weights]

// --------------------------------------------------------------------------- ScalingIsStartAndRate

/// What turns a layer with the root scale into an unscaled one, and how both descend.
struct Descent {
  RecallWeights<double> (*start)(RecallWeights<double>) = start_without_scale<double>;
  LearningRates (*rates)(LearningRates, Eigen::Index) = rates_without_scale;
  void (*descend)(RecallWeights<double>&, const RecallWeights<double>&,
                  LearningRates) = sqrtdk::sgd_step<double>;
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
  bool same_weights = true;  ///< up to the factor, before every step and after the last
  double scaled_loss = 0;    ///< the last one
  double unscaled_loss = 0;  ///< the last one

  /// Whether the losses were the same, W_Q and W_K always differed by the factor alone, and W_V
  /// and W_O not at all; bit for bit.
  bool in_step() const { return same_losses && same_weights; }

  /// Looks at the weights as they are now.
  void compare_weights() {
    const double factor = fourth_roots.at(scaled.query.rows());
    same_weights = same_weights && same_bits<double>(scaled.query, factor * unscaled.query) &&
                   same_bits<double>(scaled.key, factor * unscaled.key) &&
                   same_bits(scaled.value, unscaled.value) &&
                   same_bits(scaled.readout, unscaled.readout);
  }
};

/// Trains both for some steps on the same batches, from weights W_Q and W_K that are as large as
/// usual or `size` times as large; one of W_Q and one of W_V are −0, whose sign is a bit too.
Pair train_pair(const Descent& descent, Eigen::Index d, std::uint64_t seed, int steps,
                double size = 1) {
  const RecallTask task{.symbols = 6, .values = 5, .pairs = 4, .width = 5};
  const RecallEmbeddings<double> embeddings = draw_embeddings(task, seed);
  TrainingStream stream = training_stream(seed, Purpose::training);
  Pair pair{initial_weights(task, d, seed), {}};
  pair.scaled.query *= size;
  pair.scaled.key *= size;
  pair.scaled.query(0, 0) = -0.0;
  pair.scaled.value(0, 0) = -0.0;
  pair.unscaled = descent.start(pair.scaled);
  pair.compare_weights();
  const LearningRates rates{0.5, 0.25};
  const LearningRates own_rates = descent.rates(rates, d);
  for (int step = 0; step < steps; ++step) {
    const RecallBatch batch = draw_recall(task, 8, stream);
    const auto loss = [&](ScoreRule rule, const RecallWeights<double>& weights) {
      return recall_output(rule, embeddings, weights, batch).loss;
    };
    pair.scaled_loss = loss(ScoreRule::root, pair.scaled);
    pair.unscaled_loss = loss(ScoreRule::unscaled, pair.unscaled);
    pair.same_losses = pair.same_losses && same_bits(pair.scaled_loss, pair.unscaled_loss);
    descent.descend(pair.scaled, recall_gradient(ScoreRule::root, embeddings, pair.scaled, batch),
                    rates);
    descent.descend(pair.unscaled,
                    recall_gradient(ScoreRule::unscaled, embeddings, pair.unscaled, batch),
                    own_rates);
    pair.compare_weights();
  }
  return pair;
}

const std::vector<Mutant<Descent>> scaling_is_start_and_rate_mutants = {
    {"the start is divided by the root",
     "TheLayersStayInStepBitForBit",
     {.start =
          [](RecallWeights<double> weights) {
            return start_without_scale(start_without_scale(std::move(weights)));
          }}},
    {"the rate is divided by the fourth root",
     "TheLayersStayInStepBitForBit",
     {.rates =
          [](LearningRates rates, Eigen::Index d) {
            return LearningRates{rates.attention / std::sqrt(std::sqrt(static_cast<double>(d))),
                                 rates.others};
          }}},
    {"the rate is divided by d",
     "TheLayersStayInStepBitForBit",
     {.rates =
          [](LearningRates rates, Eigen::Index d) {
            return LearningRates{rates.attention / static_cast<double>(d), rates.others};
          }}},
    {"every rate is divided",
     "TheLayersStayInStepBitForBit",
     {.rates =
          [](LearningRates rates, Eigen::Index d) {
            const double root = std::sqrt(static_cast<double>(d));
            return LearningRates{rates.attention / root, rates.others / root};
          }}},
    {"the same number is added to all keys at each step",
     "TheLayersStayInStepBitForBit",
     {.descend =
          [](RecallWeights<double>& weights, const RecallWeights<double>& gradient,
             LearningRates rates) {
            sgd_step(weights, gradient, rates);
            weights.key.array() += 0.1;
          }}},
    {"keys are not learned",
     "TheLayersStayInStepBitForBit",
     {.descend =
          [](RecallWeights<double>& weights, const RecallWeights<double>& gradient,
             LearningRates rates) {
            const Eigen::MatrixXd key = weights.key;
            sgd_step(weights, gradient, rates);
            weights.key = key;
          }}},
    {"rounding is that of half as many digits",
     "TheLayersStayInStepBitForBit",
     {.start =
          [](RecallWeights<double> weights) {
            weights = start_without_scale(std::move(weights));
            weights.query = weights.query.cast<float>().cast<double>().eval();
            return weights;
          }}},
    {"zeros lose their sign at the start",
     "TheLayersStayInStepBitForBit",
     {.start =
          [](RecallWeights<double> weights) {
            weights = start_without_scale(std::move(weights));
            weights.query.array() += 0.0;
            return weights;
          }}},
    {"the start of the keys alone is smaller",
     "TinyWeightsUnderflowAndPart",
     {.start =
          [](RecallWeights<double> weights) {
            const Eigen::MatrixXd query = weights.query;
            weights = start_without_scale(std::move(weights));
            weights.query = query;
            return weights;
          }}},
    {"the start of the queries alone is smaller",
     "HugeWeightsOverflowAndPart",
     {.start =
          [](RecallWeights<double> weights) {
            const Eigen::MatrixXd key = weights.key;
            weights = start_without_scale(std::move(weights));
            weights.key = key;
            return weights;
          }}},
    {"nothing is learned",
     "AtTheOldRateTheyPartAtTheFirstStep",
     {.descend = [](RecallWeights<double>&, const RecallWeights<double>&, LearningRates) {}}},
    {"the start is the same",
     "FromTheOldStartTheyDifferAtOnce",
     {.start = [](RecallWeights<double> weights) { return weights; }}},
    {"the rate is the same",
     "DescentByTheSignNeedsAnotherRate",
     {.rates = [](LearningRates rates, Eigen::Index) { return rates; }}},
    {"a head dimension of 0 is accepted",
     "RefusesADimensionOfZero",
     {.rates = [](LearningRates rates,
                  Eigen::Index d) { return d == 0 ? rates : rates_without_scale(rates, d); }}},
};

//! [ScalingIsStartAndRate]
TEST(ScalingIsStartAndRate, TheLayersStayInStepBitForBit) {
  judge(scaling_is_start_and_rate_mutants, [](const Descent& descent) {
    // Fixed seeds: what a layer meets on its way, and so whether anything overflows, is then fixed.
    for (const auto& [d, _] : fourth_roots)
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const Pair pair = train_pair(descent, d, seed, 20);
        EXPECT_TRUE(pair.in_step()) << "d = " << d << ", seed " << seed;
        EXPECT_TRUE(pair.scaled.query.allFinite()) << "d = " << d << ", seed " << seed;
        EXPECT_NE(pair.scaled.key, initial_weights({6, 5, 4, 5}, d, seed).key)
            << "d = " << d << ", seed " << seed;
        enumerated(1);
      }
  });
}
//! [ScalingIsStartAndRate]

TEST(ScalingIsStartAndRate, TinyWeightsUnderflowAndPart) {
  judge(scaling_is_start_and_rate_mutants, [](const Descent& descent) {
    // Weights of 2^-500 times the usual size are normal numbers, and so are their halves. Those of
    // 2^-1060 times it are whole multiples of the smallest number, and their halves are not.
    for (const Eigen::Index d : {16, 256}) {
      EXPECT_TRUE(train_pair(descent, d, 1, 3, 0x1p-500).in_step()) << "d = " << d;
      EXPECT_FALSE(train_pair(descent, d, 1, 3, 0x1p-1060).in_step()) << "d = " << d;
    }
    enumerated(4);
    counterexample_without("no underflow");
  });
}

TEST(ScalingIsStartAndRate, HugeWeightsOverflowAndPart) {
  judge(scaling_is_start_and_rate_mutants, [](const Descent& descent) {
    // q·k of the layer that divides afterwards passes the largest number; that of the other, whose
    // vectors are smaller, does not.
    for (const Eigen::Index d : {16, 256}) {
      EXPECT_TRUE(train_pair(descent, d, 1, 1, 0x1p500).in_step()) << "d = " << d;
      const Pair pair = train_pair(descent, d, 1, 1, 0x1p511);
      EXPECT_FALSE(std::isfinite(pair.scaled_loss)) << "d = " << d;
      EXPECT_TRUE(std::isfinite(pair.unscaled_loss)) << "d = " << d;
    }
    enumerated(4);
    counterexample_without("no overflow");
  });
}

TEST(ScalingIsStartAndRate, FromTheOldStartTheyDifferAtOnce) {
  judge(scaling_is_start_and_rate_mutants, [](const Descent& descent) {
    Descent old_start = descent;
    old_start.start = [](RecallWeights<double> weights) { return weights; };
    for (const Eigen::Index d : {16, 256}) {
      EXPECT_FALSE(train_pair(old_start, d, 1, 1).same_losses) << "d = " << d;
      EXPECT_TRUE(train_pair(descent, d, 1, 1).same_losses) << "d = " << d;
    }
    counterexample_without("smaller start");
  });
}

TEST(ScalingIsStartAndRate, AtTheOldRateTheyPartAtTheFirstStep) {
  judge(scaling_is_start_and_rate_mutants, [](const Descent& descent) {
    Descent old_rate = descent;
    old_rate.rates = [](LearningRates rates, Eigen::Index) { return rates; };
    for (const auto& [d, _] : fourth_roots) {
      EXPECT_TRUE(train_pair(old_rate, d, 1, 1).same_losses) << "d = " << d;
      EXPECT_EQ(train_pair(old_rate, d, 1, 1).in_step(), d == 1) << "d = " << d;
    }
    counterexample_without("smaller rate");
  });
}

TEST(ScalingIsStartAndRate, DescentByTheSignNeedsAnotherRate) {
  judge(scaling_is_start_and_rate_mutants, [](const Descent& descent) {
    Descent by_sign = descent;
    by_sign.descend = descend_by_sign;
    Descent by_fourth_root = by_sign;
    by_fourth_root.rates = [](LearningRates rates, Eigen::Index d) {
      return LearningRates{rates.attention / fourth_roots.at(d), rates.others};
    };
    EXPECT_TRUE(train_pair(descent, 16, 1, 1).in_step());
    EXPECT_FALSE(train_pair(by_sign, 16, 1, 1).in_step());
    EXPECT_TRUE(train_pair(by_fourth_root, 16, 1, 20).in_step());
    counterexample_without("plain gradient descent");
  });
}

TEST(ScalingIsStartAndRate, RefusesADimensionOfZero) {
  judge(scaling_is_start_and_rate_mutants, [](const Descent& descent) {
    EXPECT_EQ(message_of<std::domain_error>([&] {
                descent.rates({1, 1}, 0);
              }),
              "the head dimension is 0, but must be at least 1");
  });
}

// ------------------------------------------------------------------------------- SignsDecideSafely

/// What turns seeds into decisions.
struct Signs {
  Rational (*coin_tail)(std::size_t, std::size_t) = sqrtdk::testing::coin_tail;
  Decision (*sign_test)(std::size_t, std::size_t, const Rational&) = sqrtdk::testing::sign_test;
  ConfidenceInterval (*median_interval)(std::vector<double>,
                                        const Rational&) = sqrtdk::testing::median_interval;
  double (*sample_quantile)(std::vector<double>, double) = sqrtdk::testing::sample_quantile;
};

/// Largest number of seeds whose answers are all gone through.
constexpr std::size_t most_seeds = 11;

const std::vector<Rational> levels = {Rational(1, 2), Rational(1, 5), Rational(1, 20),
                                      Rational(1, 1000), Rational(1, 1024)};

const std::vector<Mutant<Signs>> signs_mutants = {
    {"more heads than, in place of at least",
     "TheTailOfACoinIsTheShareOfAllSequences",
     {.coin_tail =
          [](std::size_t heads, std::size_t n) {
            return heads == n ? Rational(0) : coin_tail(heads + 1, n);
          }}},
    {"the number of ways is not divided",
     "TheTailOfACoinIsTheShareOfAllSequences",
     {.coin_tail =
          [](std::size_t heads, std::size_t n) {
            return Rational(coin_tail(heads, n) * (Integer(1) << static_cast<unsigned>(n)));
          }}},
    {"α for each side",
     "ADecisionByChanceIsAsRareAsItSays",
     {.sign_test = [](std::size_t yes, std::size_t n,
                      const Rational& alpha) { return sign_test(yes, n, 2 * alpha); }}},
    {"most of the seeds decide",
     "ADecisionByChanceIsAsRareAsItSays",
     {.sign_test =
          [](std::size_t yes, std::size_t n, const Rational&) {
            return 2 * yes > n ? Decision::yes : 2 * yes < n ? Decision::no : Decision::undecided;
          }}},
    {"no seed ever decides",
     "ADecisionByChanceIsAsRareAsItSays",
     {.sign_test = [](std::size_t, std::size_t, const Rational&) { return Decision::undecided; }}},
    {"no needs more seeds than yes",
     "ADecisionByChanceIsAsRareAsItSays",
     {.sign_test =
          [](std::size_t yes, std::size_t n, const Rational& alpha) {
            return sign_test(yes, n, 2 * yes > n ? alpha : Rational(2 * alpha / 3));
          }}},
    {"yes and no are exchanged",
     "ADecisionByChanceIsAsRareAsItSays",
     {.sign_test = [](std::size_t yes, std::size_t n,
                      const Rational& alpha) { return sign_test(n - yes, n, alpha); }}},
    {"one step too narrow",
     "TheIntervalMissesTheMedianAsRarelyAsItSays",
     {.median_interval =
          [](std::vector<double> sample, const Rational& alpha) {
            ConfidenceInterval interval = median_interval(sample, alpha);
            std::sort(sample.begin(), sample.end());
            if (interval.lower == -infinity) return interval;
            const auto inside = std::upper_bound(sample.begin(), sample.end(), interval.lower);
            if (inside != sample.end()) interval.lower = *inside;
            return interval;
          }}},
    {"from the least to the greatest",
     "TheIntervalMissesTheMedianAsRarelyAsItSays",
     {.median_interval =
          [](std::vector<double> sample, const Rational& alpha) {
            const ConfidenceInterval interval = median_interval(sample, alpha);
            if (interval.lower == -infinity) return interval;
            return ConfidenceInterval{*std::min_element(sample.begin(), sample.end()),
                                      interval.estimate,
                                      *std::max_element(sample.begin(), sample.end())};
          }}},
    {"one seed fewer than it takes gives an interval",
     "TooFewSeedsLeaveTheWholeLine",
     {.median_interval =
          [](std::vector<double> sample, const Rational& alpha) {
            return median_interval(std::move(sample), 2 * alpha);
          }}},
    {"too few observations still give an interval",
     "TheIntervalMissesTheMedianAsRarelyAsItSays",
     {.median_interval =
          [](std::vector<double> sample, const Rational&) {
            return median_interval(std::move(sample), Rational(1));
          }}},
    {"the upper of two middle numbers",
     "QuantilesOfASampleAreWhatTheyShouldBe",
     {.sample_quantile =
          [](std::vector<double> sample, double q) {
            if (sample.empty() || !(q >= 0 && q <= 1)) return sample_quantile(sample, q);
            std::sort(sample.begin(), sample.end());
            return sample[static_cast<std::size_t>(
                std::ceil(q * static_cast<double>(sample.size() - 1)))];
          }}},
    {"the sample is not sorted",
     "QuantilesOfASampleAreWhatTheyShouldBe",
     {.sample_quantile =
          [](std::vector<double> sample, double q) {
            if (sample.empty() || !(q >= 0 && q <= 1)) return sample_quantile(sample, q);
            return sample[static_cast<std::size_t>(q * static_cast<double>(sample.size() - 1))];
          }}},
    {"infinite numbers are averaged in",
     "QuantilesOfASampleAreWhatTheyShouldBe",
     {.sample_quantile =
          [](std::vector<double> sample, double q) {
            return std::count(sample.begin(), sample.end(), infinity) > 0
                       ? std::numeric_limits<double>::quiet_NaN()
                       : sample_quantile(sample, q);
          }}},
    {"chance never decides",
     "CopiesOfOneSeedDecideByChance",
     {.sign_test = [](std::size_t, std::size_t, const Rational&) { return Decision::undecided; }}},
    {"more heads than tosses have probability 0",
     "RefusesWhatMakesNoSense",
     {.coin_tail = [](std::size_t heads,
                      std::size_t n) { return heads > n ? Rational(0) : coin_tail(heads, n); }}},
    {"a quantile beyond the largest is the largest",
     "RefusesWhatMakesNoSense",
     {.sample_quantile = [](std::vector<double> sample,
                            double q) { return sample_quantile(sample, std::min(q, 1.0)); }}},
    {"the median of nothing is 0",
     "RefusesWhatMakesNoSense",
     {.sample_quantile = [](std::vector<double> sample,
                            double q) { return sample.empty() ? 0 : sample_quantile(sample, q); }}},
};

std::size_t ones(std::size_t bits) { return static_cast<std::size_t>(std::popcount(bits)); }

TEST(SignsDecideSafely, TheTailOfACoinIsTheShareOfAllSequences) {
  judge(signs_mutants, [](const Signs& signs) {
    for (std::size_t n = 0; n <= most_seeds; ++n)
      for (std::size_t heads = 0; heads <= n; ++heads) {
        std::size_t sequences = 0;
        for (std::size_t tosses = 0; tosses < std::size_t{1} << n; ++tosses)
          sequences += ones(tosses) >= heads ? 1U : 0U;
        EXPECT_EQ(signs.coin_tail(heads, n), Rational(sequences, std::size_t{1} << n));
        enumerated(std::size_t{1} << n);
      }
  });
}

//! [SignsDecideSafely]
TEST(SignsDecideSafely, ADecisionByChanceIsAsRareAsItSays) {
  judge(signs_mutants, [](const Signs& signs) {
    for (std::size_t n = 1; n <= most_seeds; ++n)
      for (const Rational& alpha : levels) {
        std::vector<std::size_t> ways(n + 1);  // to say yes so often
        for (std::size_t answers = 0; answers < std::size_t{1} << n; ++answers)
          ++ways[ones(answers)];
        std::size_t decided = 0;
        for (std::size_t yes = 0; yes <= n; ++yes) {
          // As many answers as these, or more, on either side: decided if that is rare enough.
          const std::size_t most = std::max(yes, n - yes);
          std::size_t as_one_sided = 0;
          for (std::size_t other = 0; other <= n; ++other)
            if (std::max(other, n - other) >= most) as_one_sided += ways[other];
          const Decision wanted = Rational(as_one_sided, std::size_t{1} << n) > alpha
                                      ? Decision::undecided
                                  : 2 * yes > n ? Decision::yes
                                                : Decision::no;
          EXPECT_EQ(signs.sign_test(yes, n, alpha), wanted) << yes << " of " << n << " seeds";
          if (wanted != Decision::undecided) decided += ways[yes];
        }
        EXPECT_LE(Rational(decided, std::size_t{1} << n), alpha) << n << " seeds";
        enumerated(std::size_t{1} << n);
      }
  });
}
//! [SignsDecideSafely]

//! [SignsDecideSafely: exact check]
TEST(SignsDecideSafely, TheIntervalMissesTheMedianAsRarelyAsItSays) {
  judge(signs_mutants, [](const Signs& signs) {
    for (std::size_t n = 1; n <= most_seeds; ++n)
      for (const Rational& alpha : levels) {
        // Observations ±1, ±2, …, with all signs equally likely: the median of the law is 0.
        std::size_t misses = 0;
        for (std::size_t negative = 0; negative < std::size_t{1} << n; ++negative) {
          std::vector<double> sample;
          for (std::size_t i = 0; i < n; ++i)
            sample.push_back(((negative >> i) % 2 == 1 ? -1.0 : 1.0) * static_cast<double>(i + 1));
          const ConfidenceInterval interval = signs.median_interval(sample, alpha);
          misses += interval.lower > 0 || interval.upper < 0 ? 1U : 0U;
          EXPECT_TRUE(interval.lower <= interval.estimate && interval.estimate <= interval.upper);
        }
        const Rational missed(misses, std::size_t{1} << n);
        EXPECT_LE(missed, alpha) << n << " observations";
        // The next order statistics would miss more often than α, so the interval is the shortest.
        Rational allowed = 0;
        for (std::size_t l = 1; 2 * l <= n + 1 && 2 * coin_tail(n - l + 1, n) <= alpha; ++l)
          allowed = 2 * coin_tail(n - l + 1, n);
        EXPECT_EQ(missed, allowed) << n << " observations";
        enumerated(std::size_t{1} << n);
      }
  });
}
//! [SignsDecideSafely: exact check]

TEST(SignsDecideSafely, TooFewSeedsLeaveTheWholeLine) {
  judge(signs_mutants, [](const Signs& signs) {
    // l = 0: with n seeds no interval misses more rarely than in 2 of 2^n cases.
    for (std::size_t n = 1; n <= most_seeds; ++n) {
      const std::vector<double> sample(n, 1);
      const Rational rarest(2, Integer(1) << static_cast<unsigned>(n));
      for (const Rational& alpha : levels) {
        const ConfidenceInterval interval = signs.median_interval(sample, alpha);
        EXPECT_EQ(interval.lower == -infinity, alpha < rarest) << n << " seeds";
        EXPECT_EQ(interval.upper == infinity, alpha < rarest) << n << " seeds";
      }
      enumerated(std::size(levels));
    }
  });
}

TEST(SignsDecideSafely, QuantilesOfASampleAreWhatTheyShouldBe) {
  judge(signs_mutants, [](const Signs& signs) {
    EXPECT_EQ(signs.sample_quantile({3, 1, 2}, 0.5), 2);
    EXPECT_EQ(signs.sample_quantile({4, 1, 3, 2}, 0.5), 2.5);
    EXPECT_EQ(signs.sample_quantile({5, 4, 3, 2, 1}, 0.25), 2);
    EXPECT_EQ(signs.sample_quantile({5, 4, 3, 2, 1}, 1), 5);
    EXPECT_EQ(signs.sample_quantile({infinity, 1, 2}, 0.5), 2);
    EXPECT_EQ(signs.sample_quantile({infinity, infinity, 1}, 0.5), infinity);
    EXPECT_EQ(signs.sample_quantile({7}, 0.25), 7);
    enumerated(7);
  });
}

TEST(SignsDecideSafely, CopiesOfOneSeedDecideByChance) {
  judge(signs_mutants, [](const Signs& signs) {
    // Ten copies of one toss: yes ten times or no ten times, never anything in between.
    publish("most_seeds", std::to_string(most_seeds));
    EXPECT_EQ(signs.sign_test(10, 10, Rational(1, 100)), Decision::yes);
    EXPECT_EQ(signs.sign_test(0, 10, Rational(1, 100)), Decision::no);
    enumerated(2);
    counterexample_without("independent seeds");
  });
}

TEST(SignsDecideSafely, RefusesWhatMakesNoSense) {
  judge(signs_mutants, [](const Signs& signs) {
    EXPECT_EQ(message_of<std::invalid_argument>([&] { signs.coin_tail(3, 2); }),
              "there are 3 heads in 2 tosses, but there cannot be more");
    EXPECT_EQ(message_of<std::invalid_argument>([&] { signs.sample_quantile({}, 0.5); }),
              "the sample is empty, but needs a number");
    EXPECT_EQ(message_of<std::domain_error>([&] {
                signs.sample_quantile({1, 2}, 1.5);
              }),
              "the quantile is 1.5, but must be from 0 to 1");
    EXPECT_EQ(message_of<std::invalid_argument>([&] { signs.sign_test(3, 2, Rational(1, 2)); }),
              "there are 3 heads in 2 tosses, but there cannot be more");
  });
}

// --------------------------------------------------------------------------------- the experiment

/// The run that all checks below judge; trained when the first of them asks, and once only. Its
/// seeds are fixed, whatever the master seed: what is decided here is decided once.
const TrainingRun& recorded_run() {
  static const TrainingRun run = run_training(quick_plan());
  return run;
}

/// The rule at the largest head dimension of that run, with the same seeds, at every rate.
const std::vector<TrainingCell>& at_every_rate(ScoreRule rule) {
  static std::map<ScoreRule, std::vector<TrainingCell>> known;
  std::vector<TrainingCell>& cells = known[rule];
  const TrainingPlan& plan = recorded_run().plan;
  if (cells.empty()) cells = train_at_every_rate(plan, rule, plan.dimensions.back());
  return cells;
}

/// What the checks of the experiment rest on.
struct Experiment {
  const TrainingRun& (*run)() = recorded_run;
  bool (*has_learned)(const LearningCurve&) = sqrtdk::has_learned;
  bool (*learns_faster)(const LearningCurve&, const LearningCurve&) = sqrtdk::learns_faster;
  bool (*learn_alike)(const LearningCurve&, const LearningCurve&) = sqrtdk::learn_alike;
  bool (*almost_no_gradient)(const LearningCurve&,
                             const LearningCurve&) = sqrtdk::starts_with_almost_no_gradient;
  bool (*loses_its_gradient)(const LearningCurve&,
                             const LearningCurve&) = sqrtdk::loses_its_gradient;
  double (*steps_to_learn)(const LearningCurve&) = sqrtdk::steps_to_learn;
  const std::vector<TrainingCell>& (*at_every_rate)(ScoreRule) = ::at_every_rate;
  Wide (*loss)(const Scene&) = [](const Scene& scene) {
    return recall_output(scene.rule, scene.embeddings, scene.weights, scene.batch).loss;
  };
  bool (*aims)(const LearningCurve&) = sqrtdk::attends_to_target;
  std::size_t (*best_rate)(std::span<const double>) = sqrtdk::best_rate;
  LearningCurve (*train)(const TrainingPlan&, ScoreRule, Eigen::Index, LearningRates,
                         std::uint64_t) = sqrtdk::train;
  RecallWeights<double> (*initial_weights)(const RecallTask&, Eigen::Index,
                                           std::uint64_t) = sqrtdk::initial_weights;
  RecallEmbeddings<double> (*draw_embeddings)(const RecallTask&,
                                              std::uint64_t) = sqrtdk::draw_embeddings;
  RecallBatch (*draw_recall)(const RecallTask&, Eigen::Index,
                             Stream&) = sqrtdk::draw_recall<Stream>;
  TrainingRun (*run_training)(
      const TrainingPlan&,
      const std::function<void(std::size_t, std::size_t, const std::string&)>&) =
      sqrtdk::run_training;
};

/// The recorded run with every curve or cell changed.
template <class Change>
const TrainingRun& altered_run(Change change) {
  static const TrainingRun run = [&] {
    TrainingRun copy = recorded_run();
    change(copy);
    return copy;
  }();
  return run;
}

void for_each_evaluation(TrainingRun& run, void (*change)(Evaluation&)) {
  for (auto* cells : {&run.cells, &run.borrowed})
    for (TrainingCell& cell : *cells)
      for (LearningCurve& curve : cell.curves)
        for (Evaluation& evaluation : curve) change(evaluation);
}

void exchange(TrainingRun& run, ScoreRule one, ScoreRule other) {
  for (TrainingCell& cell : run.cells) {
    if (cell.rule == one)
      cell.rule = other;
    else if (cell.rule == other)
      cell.rule = one;
  }
}

Eigen::Index smallest(const TrainingRun& run) { return run.plan.dimensions.front(); }
Eigen::Index largest(const TrainingRun& run) { return run.plan.dimensions.back(); }

std::string in_short(double x) { return x == infinity ? std::string("never") : digits(x, 3); }

/// α of every sign test of the experiment, over the choice of its seeds.
const Rational decision_alpha(1, Integer(1) << decision_exponent);

/// Publishes the sizes of the experiment, and how many seeds make an answer decisive.
void publish_plan(const TrainingPlan& plan) {
  publish("key_symbols", std::to_string(plan.task.symbols));
  publish("value_symbols", std::to_string(plan.task.values));
  publish("pairs", std::to_string(plan.task.pairs));
  publish("steps", std::to_string(plan.steps));
  publish("batch", std::to_string(plan.batch));
  publish("every", std::to_string(plan.every));
  publish("held_out", std::to_string(plan.held_out));
  publish("learned_accuracy", shortest(learned_accuracy));
  publish("almost_zero_share", shortest(almost_zero_share));
  publish("tuning_seeds", std::to_string(plan.tuning_seeds));
  publish("seeds", std::to_string(plan.seeds));
  publish("alpha", "2^{-" + std::to_string(decision_exponent) + "}");
  std::size_t decisive = plan.seeds;
  while (sign_test(decisive - 1, plan.seeds, decision_alpha) == Decision::yes) --decisive;
  publish("decisive", std::to_string(decisive));
  // Pr(Bin(n, p) < m) = I_(1−p)(n − m + 1, m): where that is β, and what it is at nine tenths.
  const double n = static_cast<double>(plan.seeds), m = static_cast<double>(decisive);
  const double seen_from = 1 - boost::math::ibeta_inv(n - m + 1, m, 0x1p-30);
  EXPECT_NEAR(boost::math::cdf(boost::math::binomial(n, seen_from), m - 1), 0x1p-30, 0x1p-50);
  publish("seen_from", rounded_up(seen_from, 3));
  publish("seen_at_nine_tenths",
          fixed(1 - boost::math::cdf(boost::math::binomial(n, 0.9), m - 1), 2));
}

/// Publishes an answer as `name` (how many seeds say yes, of all) and `name_decision`, and decides.
Decision find(const std::string& name, std::size_t yes, std::size_t n) {
  evidence().weaken(Grade::empirical);
  of_the_statement();
  evidence().set("seed", std::to_string(default_training_seed));
  evidence().add_line("n", std::to_string(n));
  evidence().add_line("statistic", std::to_string(yes) + " of " + std::to_string(n));
  const Rational tail = std::min(coin_tail(yes, n), coin_tail(n - yes, n));
  evidence().add_line("p_value", in_short(std::min(1.0, 2 * static_cast<double>(tail))));
  const Decision decision = sign_test(yes, n, decision_alpha);
  publish(name, std::to_string(yes) + " of " + std::to_string(n));
  std::ostringstream text;
  text << decision;
  publish(name + "_decision", text.str());
  return decision;
}

/// Publishes the median over seeds, with an interval that covers it with probability 95 %.
void publish_median(const std::string& name, const TrainingCell& cell,
                    double (*measure)(const LearningCurve&)) {
  std::vector<double> values;
  for (const LearningCurve& curve : cell.curves) values.push_back(measure(curve));
  const ConfidenceInterval interval = median_interval(values, Rational(1, 20));
  publish(name, in_short(interval.estimate) + " (" + in_short(interval.lower) + " to " +
                    in_short(interval.upper) + ")");
}

double first_gradient(const LearningCurve& curve) { return curve.front().attention_gradient; }
double last_accuracy(const LearningCurve& curve) { return curve.back().accuracy; }
double first_peak(const LearningCurve& curve) { return curve.front().peak; }
bool is_stuck(const LearningCurve& curve) { return last_accuracy(curve) < half_learned_accuracy; }

/// A number of every curve at one evaluation.
std::vector<double> over_seeds(const TrainingCell& cell, std::size_t i, double Evaluation::*what) {
  std::vector<double> values;
  for (const LearningCurve& curve : cell.curves) values.push_back(curve[i].*what);
  return values;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The power of two, as a whole number or as a part of 1.
std::string power_of_two(int exponent) {
  return exponent < 0 ? "1/" + in_short(std::exp2(-exponent)) : in_short(std::exp2(exponent));
}

void publish_row(const std::string& prefix, const TrainingCell& cell) {
  publish(prefix + "_learned", std::to_string(seeds_that(cell, has_learned)) + " of " +
                                   std::to_string(cell.curves.size()));
  publish(prefix + "_rate", power_of_two(cell.rate_exponent));
  publish_median(prefix + "_steps", cell, steps_to_learn);
  publish_median(prefix + "_accuracy", cell, last_accuracy);
  publish_median(prefix + "_gradient", cell, first_gradient);
  publish_median(prefix + "_peak", cell, first_peak);
}

/// Norms of the attention's gradient from single sequences at the start, over all seeds.
std::vector<double> sequence_gradients(ScoreRule rule, Eigen::Index d) {
  const TrainingPlan& plan = recorded_run().plan;
  std::vector<double> norms;
  for (std::size_t s = 0; s < plan.seeds; ++s) {
    const std::uint64_t seed = plan.first_seed + s;
    const RecallEmbeddings<double> embeddings = draw_embeddings(plan.task, seed);
    const RecallWeights<double> weights = initial_weights(plan.task, d, seed);
    TrainingStream stream = training_stream(seed, Purpose::held_out);
    for (int i = 0; i < 16; ++i) {
      const auto gradient =
          recall_gradient(rule, embeddings, weights, draw_recall(plan.task, 1, stream));
      norms.push_back(std::hypot(gradient.query.norm(), gradient.key.norm()));
    }
  }
  return norms;
}

/// Quartiles over seeds of a number of each evaluation, cell by cell: a row for each evaluation, an
/// empty one between two head dimensions.
void draw_curves(const std::string& figure, const TrainingRun& run,
                 const std::vector<Eigen::Index>& dimensions, double Evaluation::*what) {
  std::vector<std::string> columns = {"d", "step"};
  for (const char* rule : {"unscaled", "root", "linear", "learned", "additive", "borrowed"})
    for (const char* quartile : {"_lower", "_median", "_upper"})
      columns.push_back(std::string(rule) + quartile);
  std::vector<std::vector<double>> rows;
  for (const Eigen::Index d : dimensions) {
    if (!rows.empty()) rows.emplace_back();
    std::vector<const TrainingCell*> cells;
    for (const ScoreRule rule : score_rules) cells.push_back(&run.cell(rule, d));
    cells.push_back(&run.borrowed_cell(d));
    for (std::size_t i = 0; i < cells.front()->curves.front().size(); ++i) {
      rows.push_back(
          {static_cast<double>(d), static_cast<double>(cells.front()->curves.front()[i].step)});
      for (const TrainingCell* cell : cells) {
        const std::vector<double> values = over_seeds(*cell, i, what);
        for (const double q : {0.25, 0.5, 0.75}) rows.back().push_back(sample_quantile(values, q));
      }
    }
  }
  write_figure_data(figure, columns, rows);
}

/// Mean accuracy for each rate that was tried, rule by rule.
void draw_sweeps(const std::string& figure, const TrainingRun& run, Eigen::Index d) {
  std::vector<std::string> columns = {"rate"};
  for (const ScoreRule rule : score_rules) columns.emplace_back(name(rule));
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < run.plan.rate_exponents.size(); ++i) {
    rows.push_back({std::exp2(run.plan.rate_exponents[i])});
    for (const ScoreRule rule : score_rules) rows.back().push_back(run.cell(rule, d).sweep[i]);
  }
  write_figure_data(figure, columns, rows);
}

const std::vector<Mutant<Experiment>> scaling_ablation_mutants = {
    {"errors are counted, not right answers",
     "TheLayerWithTheRootLearnsAtEveryDimension",
     {.run = []() -> const TrainingRun& {
       return altered_run([](TrainingRun& run) {
         for_each_evaluation(run, [](Evaluation& e) { e.accuracy = 1 - e.accuracy; });
       });
     }}},
    {"a layer must never err",
     "TheLayerWithTheRootLearnsAtEveryDimension",
     {.has_learned = [](const LearningCurve& curve) { return curve.back().accuracy > 1; }}},
    {"unscaled and root are exchanged",
     "WithoutScaleTheFirstGradientIsLargerNotAlmostZero",
     {.run = []() -> const TrainingRun& {
       return altered_run(
           [](TrainingRun& run) { exchange(run, ScoreRule::unscaled, ScoreRule::root); });
     }}},
    {"every gradient is almost zero",
     "WithoutScaleTheFirstGradientIsLargerNotAlmostZero",
     {.almost_no_gradient = [](const LearningCurve&, const LearningCurve&) { return true; }}},
    {"unscaled and linear are exchanged",
     "DividingByDStartsWithTheSmallestGradientAndLearns",
     {.run = []() -> const TrainingRun& {
       return altered_run(
           [](TrainingRun& run) { exchange(run, ScoreRule::unscaled, ScoreRule::linear); });
     }}},
    {"no gradient is ever small",
     "DividingByDStartsWithTheSmallestGradientAndLearns",
     {.almost_no_gradient = [](const LearningCurve&, const LearningCurve&) { return false; }}},
    {"the slower layer wins",
     "TheLayerWithTheRootLearnsFasterThanTheUnscaledOne",
     {.learns_faster = [](const LearningCurve& a,
                          const LearningCurve& b) { return learns_faster(b, a); }}},
    {"the borrowed rate is its own",
     "WithTheRateOfTheRootTheUnscaledLayerDoesNotLearn",
     {.run = []() -> const TrainingRun& {
       return altered_run([](TrainingRun& run) {
         for (TrainingCell& cell : run.borrowed) cell = run.cell(ScoreRule::unscaled, cell.d);
       });
     }}},
    {"the gradient along the way is that of its own rate",
     "WithTheRateOfTheRootItsGradientVanishesOnTheWay",
     {.run = []() -> const TrainingRun& {
       return altered_run([](TrainingRun& run) {
         for (TrainingCell& cell : run.borrowed) cell = run.cell(ScoreRule::unscaled, cell.d);
       });
     }}},
    {"no gradient is lost on the way",
     "WithTheRateOfTheRootItsGradientVanishesOnTheWay",
     {.loses_its_gradient = starts_with_almost_no_gradient}},
    {"a gradient that is small because all is learned counts as lost",
     "WithTheRateOfTheRootItsGradientVanishesOnTheWay",
     {.loses_its_gradient =
          [](const LearningCurve& curve, const LearningCurve& scaled) {
            return std::any_of(curve.begin(), curve.end(), [&](const Evaluation& evaluation) {
              return evaluation.attention_gradient < almost_zero_share * first_gradient(scaled);
            });
          }}},
    {"a run that failed has lost its gradient",
     "MeasuresOfACurveAreWhatTheySay",
     {.loses_its_gradient =
          [](const LearningCurve& curve, const LearningCurve& scaled) {
            return curve.back().loss == infinity || loses_its_gradient(curve, scaled);
          }}},
    {"half of the answers right is too few",
     "MeasuresOfACurveAreWhatTheySay",
     {.loses_its_gradient =
          [](const LearningCurve& right, const LearningCurve& scaled) {
            LearningCurve curve = right;
            for (Evaluation& evaluation : curve)
              if (evaluation.accuracy == half_learned_accuracy) evaluation.accuracy = 0;
            return loses_its_gradient(curve, scaled);
          }}},
    {"every rate is the best one",
     "AtNoRateDoesTheUnscaledLayerCatchUp",
     {.at_every_rate = [](ScoreRule rule) -> const std::vector<TrainingCell>& {
       static const TrainingRun& run = recorded_run();
       static std::map<ScoreRule, std::vector<TrainingCell>> cells;
       cells[rule].assign(run.plan.rate_exponents.size(),
                          run.cell(rule, run.plan.dimensions.back()));
       return cells[rule];
     }}},
    {"root and unscaled are exchanged at every rate",
     "AtNoRateDoesTheUnscaledLayerCatchUp",
     {.at_every_rate = [](ScoreRule rule) -> const std::vector<TrainingCell>& {
       return at_every_rate(rule == ScoreRule::root ? ScoreRule::unscaled : ScoreRule::root);
     }}},
    {"the loss counts bits",
     "TheLossIsTheMeanCrossEntropy",
     {.loss = [](const Scene& scene) -> Wide {
       using std::log;
       return recall_output(scene.rule, scene.embeddings, scene.weights, scene.batch).loss /
              log(Wide(2));
     }}},
    {"the loss of a batch is a sum",
     "TheLossIsTheMeanCrossEntropy",
     {.loss = [](const Scene& scene) -> Wide {
       return recall_output(scene.rule, scene.embeddings, scene.weights, scene.batch).loss *
              Wide(scene.batch.size());
     }}},
    {"the loss is the share of wrong answers",
     "TheLossIsTheMeanCrossEntropy",
     {.loss = [](const Scene& scene) -> Wide {
       const auto output = recall_output(scene.rule, scene.embeddings, scene.weights, scene.batch);
       return 1 - Wide(output.correct) / Wide(scene.batch.size());
     }}},
    {"the rate of another seed's tuning",
     "EveryRuleGetsTheRateThatDidBestInTuning",
     {.run = []() -> const TrainingRun& {
       return altered_run([](TrainingRun& run) { run.plan.first_seed += 1; });
     }}},
    {"all entries of a query are one number",
     "StartsAsTheDocumentsAssume",
     {.initial_weights =
          [](const RecallTask& task, Eigen::Index d, std::uint64_t seed) {
            RecallWeights<double> weights = initial_weights(task, d, seed);
            weights.query.rowwise() = weights.query.row(0).eval();
            return weights;
          }}},
    {"the borrowed rate is that of another rule",
     "EveryRuleGetsTheRateThatDidBestInTuning",
     {.run = []() -> const TrainingRun& {
       return altered_run([](TrainingRun& run) {
         for (TrainingCell& cell : run.borrowed) --cell.rate_exponent;
       });
     }}},
    {"the worst rate is chosen",
     "EveryRuleGetsTheRateThatDidBestInTuning",
     {.best_rate =
          [](std::span<const double> sweep) {
            return static_cast<std::size_t>(std::min_element(sweep.begin(), sweep.end()) -
                                            sweep.begin());
          }}},
    {"of equal rates the greatest",
     "EveryRuleGetsTheRateThatDidBestInTuning",
     {.best_rate =
          [](std::span<const double> sweep) {
            return sweep.size() - 1 -
                   static_cast<std::size_t>(std::max_element(sweep.rbegin(), sweep.rend()) -
                                            sweep.rbegin());
          }}},
    {"a sweep tries the first rate only",
     "EveryRuleGetsTheRateThatDidBestInTuning",
     {.run = []() -> const TrainingRun& {
       return altered_run([](TrainingRun& run) {
         for (TrainingCell& cell : run.cells) cell.sweep.resize(1);
       });
     }}},
    {"learning is noticed one evaluation late",
     "MeasuresOfACurveAreWhatTheySay",
     {.steps_to_learn =
          [](const LearningCurve& curve) {
            return curve.front().accuracy >= learned_accuracy
                       ? 4
                       : steps_to_learn({curve.begin() + 1, curve.end()}) + 4;
          }}},
    {"the best accuracy counts, not the last",
     "MeasuresOfACurveAreWhatTheySay",
     {.has_learned = [](const LearningCurve& curve) { return steps_to_learn(curve) < infinity; }}},
    {"attention that looks elsewhere aims",
     "MeasuresOfACurveAreWhatTheySay",
     {.aims =
          [](const LearningCurve& curve) {
            return curve.back().target_weight < attending_weight;
          }}},
    {"a draw is a win",
     "MeasuresOfACurveAreWhatTheySay",
     {.learns_faster = [](const LearningCurve& a,
                          const LearningCurve& b) { return !learns_faster(b, a); }}},
    {"the reference is not reduced",
     "MeasuresOfACurveAreWhatTheySay",
     {.almost_no_gradient =
          [](const LearningCurve& curve, const LearningCurve& scaled) {
            return first_gradient(curve) < first_gradient(scaled);
          }}},
    {"the seed is not used",
     "DependsOnTheSeedAloneBitForBit",
     {.train = [](const TrainingPlan& plan, ScoreRule rule, Eigen::Index d, LearningRates rates,
                  std::uint64_t) { return train(plan, rule, d, rates, 0); }}},
    {"each run continues the stream of the last",
     "DependsOnTheSeedAloneBitForBit",
     {.train =
          [](const TrainingPlan& plan, ScoreRule rule, Eigen::Index d, LearningRates rates,
             std::uint64_t seed) {
            static std::uint64_t runs = 0;
            return train(plan, rule, d, rates, seed + 1000 * runs++);
          }}},
    {"rules start from different weights",
     "DependsOnTheSeedAloneBitForBit",
     {.train =
          [](const TrainingPlan& plan, ScoreRule rule, Eigen::Index d, LearningRates rates,
             std::uint64_t seed) {
            return train(plan, rule, d, rates, seed + static_cast<std::uint64_t>(rule));
          }}},
    {"a run that overflows goes on",
     "ARunThatOverflowsCountsAsWrongFromThereOn",
     {.train =
          [](const TrainingPlan& plan, ScoreRule rule, Eigen::Index d, LearningRates rates,
             std::uint64_t seed) {
            LearningCurve curve = train(plan, rule, d, rates, seed);
            for (Evaluation& evaluation : curve)
              if (evaluation.loss == infinity) evaluation.accuracy = 1.0 / 16;
            return curve;
          }}},
    {"weights have variance 1",
     "StartsAsTheDocumentsAssume",
     {.initial_weights =
          [](const RecallTask& task, Eigen::Index d, std::uint64_t seed) {
            RecallWeights<double> weights = initial_weights(task, d, seed);
            weights.query *= 2;  // √width
            return weights;
          }}},
    {"keys are made like queries",
     "StartsAsTheDocumentsAssume",
     {.initial_weights =
          [](const RecallTask& task, Eigen::Index d, std::uint64_t seed) {
            RecallWeights<double> weights = initial_weights(task, d, seed);
            weights.key = weights.query;
            return weights;
          }}},
    {"embeddings have length 1",
     "StartsAsTheDocumentsAssume",
     {.draw_embeddings =
          [](const RecallTask& task, std::uint64_t seed) {
            RecallEmbeddings<double> embeddings = draw_embeddings(task, seed);
            embeddings.keys /= std::sqrt(static_cast<double>(task.width));
            return embeddings;
          }}},
    {"the first pair is asked for",
     "SequencesAreDrawnFairly",
     {.draw_recall =
          [](const RecallTask& task, Eigen::Index count, Stream& stream) {
            RecallBatch batch = draw_recall(task, count, stream);
            batch.query_index.setZero();
            return batch;
          }}},
    {"keys come in order",
     "SequencesAreDrawnFairly",
     {.draw_recall =
          [](const RecallTask& task, Eigen::Index count, Stream& stream) {
            RecallBatch batch = draw_recall(task, count, stream);
            for (Eigen::Index i = 0; i < task.pairs; ++i) batch.keys.row(i) = static_cast<int>(i);
            return batch;
          }}},
    {"values belong to their keys",
     "SequencesAreDrawnFairly",
     {.draw_recall =
          [](const RecallTask& task, Eigen::Index count, Stream& stream) {
            RecallBatch batch = draw_recall(task, count, stream);
            batch.values = batch.keys;
            return batch;
          }}},
    {"a key may come twice",
     "SequencesHaveDistinctKeysAndDistinctValues",
     {.draw_recall =
          [](const RecallTask& task, Eigen::Index count, Stream& stream) {
            RecallBatch batch = draw_recall(task, count, stream);
            batch.keys.row(0) = batch.keys.row(task.pairs - 1);
            return batch;
          }}},
    {"a value may come twice",
     "SequencesHaveDistinctKeysAndDistinctValues",
     {.draw_recall =
          [](const RecallTask& task, Eigen::Index count, Stream& stream) {
            RecallBatch batch = draw_recall(task, count, stream);
            batch.values.row(0) = batch.values.row(task.pairs - 1);
            return batch;
          }}},
    {"one symbol too many",
     "SequencesHaveDistinctKeysAndDistinctValues",
     {.draw_recall =
          [](const RecallTask& task, Eigen::Index count, Stream& stream) {
            RecallTask larger = task;
            ++larger.symbols;
            ++larger.values;
            return draw_recall(larger, count, stream);
          }}},
    {"a plan that is never evaluated is trained",
     "RefusesAPlanThatTrainsNothing",
     {.train =
          [](const TrainingPlan& plan, ScoreRule rule, Eigen::Index d, LearningRates rates,
             std::uint64_t seed) {
            TrainingPlan evaluated = plan;
            evaluated.every = std::max<Eigen::Index>(plan.every, 1);
            return train(evaluated, rule, d, rates, seed);
          }}},
    {"a plan without rates is accepted",
     "RefusesAPlanThatTrainsNothing",
     {.run_training =
          [](const TrainingPlan& plan,
             const std::function<void(std::size_t, std::size_t, const std::string&)>& progress) {
            return plan.rate_exponents.empty() ? TrainingRun{} : run_training(plan, progress);
          }}},
};

TEST(ScalingAblation, TheLayerWithTheRootLearnsAtEveryDimension) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    bool learns_at_all = true;
    for (const Eigen::Index d : run.plan.dimensions) {
      const TrainingCell& cell = run.cell(ScoreRule::root, d);
      const Decision learns = find("learned_at_" + std::to_string(d),
                                   seeds_that(cell, experiment.has_learned), run.plan.seeds);
      EXPECT_EQ(learns, Decision::yes);
      learns_at_all = learns_at_all && learns == Decision::yes;
    }
    decides("S3", "stable training regardless of dimension", learns_at_all);
    if (judging_a_mutant()) return;
    publish_plan(run.plan);
    draw_curves("training_curves", run, run.plan.dimensions, &Evaluation::accuracy);
    draw_curves("training_gradients", run, {largest(run)}, &Evaluation::attention_gradient);
    draw_sweeps("training_rates", run, largest(run));
    for (const Eigen::Index d : run.plan.dimensions) {
      for (const ScoreRule rule : score_rules)
        publish_row(name(rule) + ("_" + std::to_string(d)), run.cell(rule, d));
      publish_row("borrowed_" + std::to_string(d), run.borrowed_cell(d));
    }
  });
}

//! [ScalingAblation]
TEST(ScalingAblation, WithoutScaleTheFirstGradientIsLargerNotAlmostZero) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const Eigen::Index d = largest(run);
    const TrainingCell& unscaled = run.cell(ScoreRule::unscaled, d);
    const TrainingCell& root = run.cell(ScoreRule::root, d);
    const std::size_t small = seeds_that(unscaled, root, experiment.almost_no_gradient);
    const Decision decision = find("almost_no_gradient", small, run.plan.seeds);
    EXPECT_EQ(decision, Decision::no);
    std::vector<double> ratios;
    for (std::size_t s = 0; s < run.plan.seeds; ++s)
      ratios.push_back(first_gradient(unscaled.curves[s]) / first_gradient(root.curves[s]));
    const auto ratios_above = [&](double factor) {
      return static_cast<std::size_t>(std::count_if(ratios.begin(), ratios.end(),
                                                    [&](double ratio) { return ratio > factor; }));
    };
    EXPECT_EQ(find("larger", ratios_above(1), run.plan.seeds), Decision::yes);
    // In the coordinates of the scaled layer, W_Q and W_K times d^(1/4), gradients are smaller by
    // that factor.
    const double fourth_root = std::sqrt(std::sqrt(static_cast<double>(d)));
    EXPECT_EQ(find("larger_in_its_coordinates", ratios_above(fourth_root), run.plan.seeds),
              Decision::yes);
    const double usual_ratio = sample_quantile(ratios, 0.5);
    publish("times", in_short(usual_ratio));
    publish("fourth_root", in_short(fourth_root));
    publish("times_in_its_coordinates", in_short(usual_ratio / fourth_root));
    // One sequence at a time, the gradient is another story.
    static const std::vector<double> alone = sequence_gradients(ScoreRule::unscaled, d);
    static const std::vector<double> scaled = sequence_gradients(ScoreRule::root, d);
    const double usual = sample_quantile(scaled, 0.5);
    const auto small_ones = std::count_if(
        alone.begin(), alone.end(), [&](double norm) { return norm < almost_zero_share * usual; });
    publish("sequence_median", in_short(sample_quantile(alone, 0.5)));
    publish("sequence_median_scaled", in_short(usual));
    publish("sequence_top", in_short(sample_quantile(alone, 0.9)));
    publish("sequence_top_scaled", in_short(sample_quantile(scaled, 0.9)));
    publish("small_sequences", std::to_string(small_ones) + " of " + std::to_string(alone.size()));
  });
}
//! [ScalingAblation]

TEST(ScalingAblation, TheLayerWithTheRootLearnsFasterThanTheUnscaledOne) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    Decision faster = Decision::undecided;  // at the largest dimension
    for (const Eigen::Index d : run.plan.dimensions) {
      faster = find("faster_at_" + std::to_string(d),
                    seeds_that(run.cell(ScoreRule::root, d), run.cell(ScoreRule::unscaled, d),
                               experiment.learns_faster),
                    run.plan.seeds);
      EXPECT_EQ(faster, Decision::yes);
    }
    decides("S2", "would struggle to learn effectively", faster == Decision::yes);
  });
}

/// For each rate, how many of the groups into which the seeds fall would have chosen it in tuning.
std::vector<std::size_t> choices_of_rate(const std::vector<TrainingCell>& cells,
                                         std::size_t group) {
  std::vector<std::size_t> choices(cells.size());
  const std::size_t seeds = cells.front().curves.size();
  for (std::size_t first = 0; first + group <= seeds; first += group) {
    std::vector<double> sweep;
    for (const TrainingCell& cell : cells) {
      sweep.push_back(0);
      for (std::size_t s = first; s < first + group; ++s)
        sweep.back() += mean_accuracy(cell.curves[s]);
    }
    ++choices[best_rate(sweep)];
  }
  return choices;
}

TEST(ScalingAblation, AtNoRateDoesTheUnscaledLayerCatchUp) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const Eigen::Index d = largest(run);
    const TrainingCell& root = run.cell(ScoreRule::root, d);
    std::size_t most_learned = 0, least_faster = run.plan.seeds;
    for (const ScoreRule rule : {ScoreRule::unscaled, ScoreRule::root}) {
      const std::vector<TrainingCell>& cells = experiment.at_every_rate(rule);
      ASSERT_EQ(cells.size(), run.plan.rate_exponents.size());
      const std::vector<std::size_t> choices = choices_of_rate(cells, run.plan.tuning_seeds);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        ASSERT_EQ(cells[i].rate_exponent, run.plan.rate_exponents[i]);
        const std::string at = std::string("_") + name(rule) + "_" + std::to_string(i);
        const std::size_t learned = seeds_that(cells[i], experiment.has_learned);
        publish("learned" + at, std::to_string(learned));
        publish("chosen" + at, std::to_string(choices[i]));
        publish("loses" + at,
                std::to_string(seeds_that(cells[i], root, experiment.loses_its_gradient)));
        if (rule == ScoreRule::root) continue;
        const std::size_t faster = seeds_that(root, cells[i], experiment.learns_faster);
        EXPECT_EQ(find("faster" + at, faster, run.plan.seeds), Decision::yes) << "rate " << i;
        most_learned = std::max(most_learned, learned);
        least_faster = std::min(least_faster, faster);
      }
    }
    publish("groups", std::to_string(run.plan.seeds / run.plan.tuning_seeds));
    publish("most_learned", std::to_string(most_learned) + " of " + std::to_string(run.plan.seeds));
    publish("least_faster", std::to_string(least_faster) + " of " + std::to_string(run.plan.seeds));
    // With a fifth more steps.
    TrainingPlan longer = run.plan;
    longer.steps = run.plan.steps * 6 / 5;
    static const TrainingCell patient = [&] {
      TrainingCell cell{ScoreRule::unscaled,
                        d,
                        {},
                        recorded_run().cell(ScoreRule::unscaled, d).rate_exponent,
                        {}};
      for (std::size_t s = 0; s < longer.seeds; ++s) {
        const double rate = std::exp2(cell.rate_exponent);
        cell.curves.push_back(train(longer, cell.rule, d, {rate, rate}, longer.first_seed + s));
      }
      return cell;
    }();
    publish("longer", std::to_string(longer.steps));
    publish("learned_if_longer", std::to_string(seeds_that(patient, experiment.has_learned)) +
                                     " of " + std::to_string(run.plan.seeds));
    enumerated(2 * run.plan.rate_exponents.size());
  });
}

TEST(ScalingAblation, WithTheRateOfTheRootTheUnscaledLayerDoesNotLearn) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const Eigen::Index d = largest(run);
    const Decision learned =
        find("learned_with_borrowed_rate", seeds_that(run.borrowed_cell(d), experiment.has_learned),
             run.plan.seeds);
    EXPECT_EQ(learned, Decision::no);
    decides("S2", "learning stops", learned == Decision::no);
    decides("S2", "the model stops learning effectively", learned == Decision::no);
    decides("S3", "No learning", learned == Decision::no);
    const Decision looks =
        find("borrowed_aims", seeds_that(run.borrowed_cell(d), attends_to_target), run.plan.seeds);
    EXPECT_NE(looks, Decision::yes);
    publish("own_rate_share", power_of_two(run.cell(ScoreRule::unscaled, d).rate_exponent -
                                           run.borrowed_cell(d).rate_exponent));
    EXPECT_NE(find("better_with_its_own",
                   seeds_that(run.cell(ScoreRule::unscaled, d), run.borrowed_cell(d),
                              experiment.learns_faster),
                   run.plan.seeds),
              Decision::no);
    find("own_aims", seeds_that(run.cell(ScoreRule::unscaled, d), attends_to_target),
         run.plan.seeds);
    for (const auto& [prefix, cell] : {std::pair("own", &run.cell(ScoreRule::unscaled, d)),
                                       std::pair("borrowed", &run.borrowed_cell(d))})
      publish(prefix + std::string("_learned"), std::to_string(seeds_that(*cell, has_learned)) +
                                                    " of " + std::to_string(run.plan.seeds));
    counterexample_without("own rate");
    sharpens("S3", "own rate");
  });
}

//! [ScalingAblation: the gradient on the way]
TEST(ScalingAblation, WithTheRateOfTheRootItsGradientVanishesOnTheWay) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const Eigen::Index d = largest(run);
    const TrainingCell& root = run.cell(ScoreRule::root, d);
    const TrainingCell& own = run.cell(ScoreRule::unscaled, d);
    const TrainingCell& borrowed = run.borrowed_cell(d);
    const auto losing = [&](const char* who, const TrainingCell& cell) {
      return find(who + std::string("_loses"),
                  seeds_that(cell, root, experiment.loses_its_gradient), run.plan.seeds);
    };
    const Decision vanishes = losing("borrowed", borrowed);
    EXPECT_EQ(vanishes, Decision::yes);
    EXPECT_EQ(losing("own", own), Decision::no);
    EXPECT_EQ(losing("root", root), Decision::no);
    decides("S2", "extremely small, almost zero", vanishes == Decision::yes);
    counterexample_without("borrowed rate");
    for (const char* document : {"S1", "S2", "S3"}) sharpens(document, "borrowed rate");
    if (judging_a_mutant()) return;

    // When the median over the seeds is almost zero for the first time.
    const double usual_first =
        sample_quantile(over_seeds(root, 0, &Evaluation::attention_gradient), 0.5);
    std::size_t vanished = 0;
    while (vanished + 1 < borrowed.curves.front().size() &&
           sample_quantile(over_seeds(borrowed, vanished, &Evaluation::attention_gradient), 0.5) >=
               almost_zero_share * usual_first)
      ++vanished;
    publish("vanished_at", std::to_string(borrowed.curves.front()[vanished].step));

    for (const auto& [who, cell] :
         {std::pair<std::string, const TrainingCell*>("borrowed", &borrowed),
          std::pair<std::string, const TrainingCell*>("own", &own)}) {
      // Of the evaluations with less than half of the answers right, those without gradient; and of
      // the runs that end there, those whose gradient is almost zero in the usual evaluation of the
      // second half.
      std::size_t early = 0, lost = 0, stuck = 0, stuck_without = 0;
      std::vector<double> least;
      for (std::size_t s = 0; s < run.plan.seeds; ++s) {
        const double usual = first_gradient(root.curves[s]);
        const LearningCurve& curve = cell->curves[s];
        std::vector<double> late;
        double smallest = infinity;
        for (std::size_t i = 0; i < curve.size(); ++i) {
          const double ratio = curve[i].attention_gradient / usual;
          if (2 * i >= curve.size()) late.push_back(ratio);
          if (curve[i].accuracy >= half_learned_accuracy) continue;
          ++early;
          lost += ratio < almost_zero_share ? 1U : 0U;
          smallest = std::min(smallest, ratio);
        }
        least.push_back(smallest);
        if (!is_stuck(curve)) continue;
        ++stuck;
        stuck_without += sample_quantile(late, 0.5) < almost_zero_share ? 1U : 0U;
      }
      publish(who + "_evaluations", std::to_string(lost) + " of " + std::to_string(early));
      publish(who + "_stuck", std::to_string(stuck));
      publish(who + "_stuck_without",
              std::to_string(stuck_without) + " of " + std::to_string(stuck));
      publish(who + "_least", in_short(sample_quantile(least, 0.5)));
      for (const std::size_t step : {0U, 24U, 48U, 72U, 96U}) {
        const auto i = step / static_cast<std::size_t>(run.plan.every);
        const std::string at = "_at_" + std::to_string(step);
        const auto gradients = over_seeds(*cell, i, &Evaluation::attention_gradient);
        publish(who + "_median" + at, in_short(sample_quantile(gradients, 0.5)));
        publish(who + "_mean" + at, in_short(mean_of(gradients)));
        publish(who + "_other" + at,
                in_short(sample_quantile(over_seeds(*cell, i, &Evaluation::other_gradient), 0.5)));
        publish(who + "_peak" + at,
                fixed(sample_quantile(over_seeds(*cell, i, &Evaluation::peak), 0.5), 3));
        publish(who + "_accuracy" + at,
                fixed(sample_quantile(over_seeds(*cell, i, &Evaluation::accuracy), 0.5), 2));
      }
    }
  });
}
//! [ScalingAblation: the gradient on the way]

TEST(ScalingAblation, DividingByDStartsWithTheSmallestGradientAndLearns) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const Eigen::Index d = largest(run);
    const TrainingCell& linear = run.cell(ScoreRule::linear, d);
    const TrainingCell& unscaled = run.cell(ScoreRule::unscaled, d);
    EXPECT_EQ(find("almost_no_gradient",
                   seeds_that(linear, unscaled, experiment.almost_no_gradient), run.plan.seeds),
              Decision::yes);
    std::size_t smallest_of_all = 0;
    for (std::size_t i = 0; i < run.plan.seeds; ++i)
      smallest_of_all +=
          std::all_of(std::begin(score_rules), std::end(score_rules), [&](ScoreRule rule) {
            return first_gradient(linear.curves[i]) <= first_gradient(run.cell(rule, d).curves[i]);
          });
    EXPECT_EQ(find("smallest", smallest_of_all, run.plan.seeds), Decision::yes);
    EXPECT_EQ(find("learned", seeds_that(linear, experiment.has_learned), run.plan.seeds),
              Decision::yes);
  });
}

TEST(ScalingAblation, EveryRuleGetsTheRateThatDidBestInTuning) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    evidence().weaken(Grade::empirical);
    of_the_statement();
    const std::vector<double> tie = {0.25, 0.75, 0.5, 0.75};
    EXPECT_EQ(experiment.best_rate(tie), 1U);
    const TrainingRun& run = experiment.run();
    for (const TrainingCell& cell : run.cells) {
      ASSERT_EQ(cell.sweep.size(), run.plan.rate_exponents.size());
      EXPECT_EQ(cell.rate_exponent, run.plan.rate_exponents[experiment.best_rate(cell.sweep)]);
      EXPECT_EQ(cell.curves.size(), run.plan.seeds);
    }
    // One number of a sweep once more, from runs with the seeds after those that are judged.
    const TrainingPlan& plan = run.plan;
    const TrainingCell& root = run.cell(ScoreRule::root, largest(run));
    static std::map<std::uint64_t, double> means;
    const std::size_t middle = plan.rate_exponents.size() / 2;
    double& mean = means[plan.first_seed];
    if (mean == 0)
      for (std::size_t s = 0; s < plan.tuning_seeds; ++s) {
        const double rate = std::exp2(plan.rate_exponents[middle]);
        const LearningCurve curve =
            train(plan, root.rule, root.d, {rate, rate}, plan.first_seed + plan.seeds + s);
        mean += mean_accuracy(curve) / static_cast<double>(plan.tuning_seeds);
      }
    EXPECT_NEAR(root.sweep[middle], mean, 8 * std::numeric_limits<double>::epsilon());
    for (const TrainingCell& cell : run.borrowed)
      EXPECT_EQ(cell.rate_exponent, run.cell(ScoreRule::root, cell.d).rate_exponent);
    enumerated(run.cells.size() + run.borrowed.size());
  });
}

TEST(ScalingAblation, MeasuresOfACurveAreWhatTheySay) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    const auto curve = [](std::vector<double> accuracies, double gradient) {
      LearningCurve result;
      for (const double accuracy : accuracies)
        result.push_back({.step = static_cast<Eigen::Index>(4 * result.size()),
                          .accuracy = accuracy,
                          .attention_gradient = gradient});
      return result;
    };
    const LearningCurve steady = curve({0, 0.5, 0.9, 1}, 1);
    const LearningCurve lapsed = curve({0, 0.5, 1, 0.875}, 0.5);
    const LearningCurve never = curve({0, 0.25, 0.5, 0.75}, 0.0625);
    EXPECT_EQ(experiment.steps_to_learn(steady), 8);
    EXPECT_EQ(experiment.steps_to_learn(lapsed), 8);
    EXPECT_EQ(experiment.steps_to_learn(never), infinity);
    EXPECT_TRUE(experiment.has_learned(steady));
    EXPECT_FALSE(experiment.has_learned(lapsed));
    EXPECT_TRUE(experiment.learns_faster(steady, never));
    EXPECT_FALSE(experiment.learns_faster(never, steady));
    EXPECT_FALSE(experiment.learns_faster(steady, steady));
    EXPECT_TRUE(experiment.almost_no_gradient(never, steady));
    EXPECT_FALSE(experiment.almost_no_gradient(lapsed, steady));
    EXPECT_EQ(mean_accuracy(never), 0.375);
    // Less than a tenth of the first gradient counts until half of the answers are right.
    const auto loses = [&](double accuracy, double gradient, double loss) {
      return experiment.loses_its_gradient(
          {{.accuracy = 0, .attention_gradient = 2},
           {.accuracy = accuracy, .loss = loss, .attention_gradient = gradient},
           {.accuracy = 1, .attention_gradient = 0}},
          steady);
    };
    EXPECT_TRUE(loses(0.25, 0.0625, 3));
    EXPECT_FALSE(loses(0.5, 0.0625, 3));
    EXPECT_FALSE(loses(0.25, 0.125, 3));
    EXPECT_FALSE(
        experiment.loses_its_gradient({{.accuracy = 0, .attention_gradient = 2},
                                       {.accuracy = 0, .loss = infinity, .attention_gradient = 0}},
                                      steady));
    EXPECT_TRUE(experiment.aims({{.target_weight = 0.25}, {.target_weight = 0.75}}));
    EXPECT_FALSE(experiment.aims({{.target_weight = 0.75}, {.target_weight = 0.25}}));
    EXPECT_FALSE(experiment.aims({{.target_weight = 0.5}}));
    enumerated(18);
  });
}

/// A few steps of a small layer.
TrainingPlan tiny_plan() {
  TrainingPlan plan = quick_plan();
  plan.task = {.symbols = 5, .values = 4, .pairs = 3, .width = 4};
  plan.steps = 8;
  return plan;
}

bool same(const LearningCurve& a, const LearningCurve& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Evaluation& x, const Evaluation& y) {
                      return x.step == y.step && x.accuracy == y.accuracy && x.loss == y.loss &&
                             x.attention_gradient == y.attention_gradient;
                    });
}

TEST(ScalingAblation, DependsOnTheSeedAloneBitForBit) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    const auto run = [&](ScoreRule rule, std::uint64_t seed) {
      return experiment.train(tiny_plan(), rule, 16, {0.25, 0.25}, seed);
    };
    for (const ScoreRule rule : score_rules) {
      EXPECT_TRUE(same(run(rule, 1), run(rule, 1))) << rule;
      EXPECT_FALSE(same(run(rule, 1), run(rule, 2))) << rule;
    }
    // At d = 1 the root is 1, so the rules unscaled and root are one and the same.
    const auto of_one = [&](ScoreRule rule) {
      return experiment.train(tiny_plan(), rule, 1, {0.25, 0.25}, 1);
    };
    EXPECT_TRUE(same(of_one(ScoreRule::unscaled), of_one(ScoreRule::root)));
    EXPECT_TRUE(same(of_one(ScoreRule::unscaled), of_one(ScoreRule::linear)));
    enumerated(12);
  });
}

TEST(ScalingAblation, TheLossIsTheMeanCrossEntropy) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    evidence().weaken(Grade::bounded);
    // A layer that knows nothing of three values has the loss ln 3; one that has to choose between
    // two logits with the difference 1, right or wrong, ln(1 + e^∓1).
    using std::exp;
    using std::log;
    const auto expect_loss = [&](const Wide& loss, const Wide& wanted) {
      EXPECT_LE(abs(loss - wanted), gradient_error_bound) << loss << " and not " << wanted;
      enumerated(1);
    };
    for (const ScoreRule rule : score_rules) {
      Stream stream = stream_of(1, "layer");
      Scene scene{{.symbols = 1, .values = 3, .pairs = 1, .width = 1}, rule, {}, {}, {}};
      scene.embeddings = {WideMatrix::Ones(1, 1), WideMatrix::Ones(1, 3)};
      scene.weights = small_weights(scene.task, 2, stream);
      scene.weights.value.setOnes();
      scene.weights.readout.setZero();
      scene.batch = {Eigen::ArrayXXi::Zero(1, 2), Eigen::ArrayXXi::Zero(1, 2),
                     Eigen::ArrayXi::Zero(2)};
      expect_loss(experiment.loss(scene), log(Wide(3)));
      scene.weights.readout << 1, 0, 0;
      expect_loss(experiment.loss(scene), log(1 + 2 * exp(Wide(-1))));
      scene.batch.values.setOnes();
      expect_loss(experiment.loss(scene), log(2 + exp(Wide(1))));
    }
    for_all(
        [&] {
          const Scene scene = any_scene();
          const Wide error =
              abs(experiment.loss(scene) - loss_by_definition<Wide>(scene, scene.weights));
          evidence().worst(static_cast<double>(error), static_cast<double>(gradient_error_bound));
          RC_ASSERT(error <= gradient_error_bound);
        },
        50);
  });
}

TEST(ScalingAblation, ARunThatOverflowsCountsAsWrongFromThereOn) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    const LearningCurve curve =
        experiment.train(tiny_plan(), ScoreRule::unscaled, 16, {0x1p300, 0x1p300}, 1);
    ASSERT_EQ(curve.size(), 3U);
    EXPECT_GT(curve.front().accuracy, 0);
    EXPECT_TRUE(std::isfinite(curve.front().loss));
    EXPECT_EQ(curve.back().loss, infinity);
    EXPECT_EQ(curve.back().accuracy, 0);
  });
}

TEST(ScalingAblation, StartsAsTheDocumentsAssume) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    const RecallTask task{.symbols = 2, .values = 2, .pairs = 2, .width = 4};
    // Given the key, q·k/|k| ~ N(0, 1) exactly if the entries of q are N(0, 1) and independent of
    // it; and the same the other way round.
    const auto score = [&](Stream& stream, bool given_key) {
      const std::uint64_t seed = stream();
      const Eigen::VectorXd embedding = experiment.draw_embeddings(task, seed).keys.col(0);
      const RecallWeights<double> weights = experiment.initial_weights(task, 8, seed);
      const Eigen::VectorXd q = weights.query * embedding;
      const Eigen::VectorXd k = weights.key * embedding;
      return q.dot(k) / (given_key ? k : q).norm();
    };
    const VarianceCheck check{boost::math::normal()};
    for (const bool given_key : {false, true})
      expect_draws(check, {.effect = 2}, [&](Stream& stream) { return score(stream, given_key); });
    // These two would not see entries of q that depend on each other. The squares of all sixteen
    // entries of q and k add up to a chi-squared number if they are independent.
    const CdfCheck<boost::math::chi_squared> all(boost::math::chi_squared(16),
                                                 "chi-squared with 16 degrees of freedom");
    expect_draws(all, {.effect = 0.1}, [&](Stream& stream) {
      const std::uint64_t seed = stream();
      const Eigen::VectorXd embedding = experiment.draw_embeddings(task, seed).keys.col(0);
      const RecallWeights<double> weights = experiment.initial_weights(task, 8, seed);
      return (weights.query * embedding).squaredNorm() + (weights.key * embedding).squaredNorm();
    });
  });
}

TEST(ScalingAblation, SequencesAreDrawnFairly) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    const RecallTask task{.symbols = 4, .values = 4, .pairs = 2, .width = 1};
    const auto draw_one = [&](Stream& stream) { return experiment.draw_recall(task, 1, stream); };
    const auto expect_share = [&](double share, auto event) {
      expect_draws(CountCheck(share), {.effect = 0.2},
                   [&](Stream& stream) { return event(draw_one(stream)); });
    };
    expect_share(0.5, [](const RecallBatch& one) { return one.query_index[0] == 1; });
    expect_share(0.25, [](const RecallBatch& one) { return one.keys(1, 0) == 3; });
    expect_share(0.25, [](const RecallBatch& one) { return one.query(0) == one.answer(0); });
  });
}

TEST(ScalingAblation, SequencesHaveDistinctKeysAndDistinctValues) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    for_all([&] {
      RecallTask task;
      task.pairs = *rc::gen::inRange<Eigen::Index>(2, 9).as("pairs");
      task.symbols = task.pairs + *rc::gen::inRange<Eigen::Index>(0, 4).as("other keys");
      task.values = task.pairs + *rc::gen::inRange<Eigen::Index>(0, 4).as("other values");
      Stream stream = stream_of(*rc::gen::arbitrary<std::uint64_t>().as("seed"), "sequences");
      const RecallBatch batch = experiment.draw_recall(task, 20, stream);
      const auto are_distinct = [](const auto& column, Eigen::Index symbols) {
        std::vector<int> seen(static_cast<std::size_t>(symbols), 0);
        for (const int symbol : column) {
          RC_ASSERT(symbol >= 0 && symbol < symbols);
          RC_ASSERT(seen[static_cast<std::size_t>(symbol)]++ == 0);
        }
      };
      for (Eigen::Index b = 0; b < batch.size(); ++b) {
        are_distinct(batch.keys.col(b), task.symbols);
        are_distinct(batch.values.col(b), task.values);
        RC_ASSERT(batch.query_index[b] >= 0 && batch.query_index[b] < task.pairs);
      }
    });
  });
}

TEST(ScalingAblation, RefusesAPlanThatTrainsNothing) {
  judge(scaling_ablation_mutants, [](const Experiment& experiment) {
    const auto message = [&](const TrainingPlan& plan) {
      return message_of<std::domain_error>([&] { experiment.run_training(plan, {}); });
    };
    TrainingPlan plan = tiny_plan();
    plan.rate_exponents.clear();
    EXPECT_EQ(message_of<std::invalid_argument>([&] { experiment.run_training(plan, {}); }),
              "the plan has no learning rate, but needs at least 1");
    plan = tiny_plan();
    plan.every = 0;
    EXPECT_EQ(message(plan),
              "the number of steps between evaluations is 0, but must be at least 1");
    EXPECT_EQ(message_of<std::domain_error>([&] {
                experiment.train(plan, ScoreRule::root, 4, {1, 1}, 1);
              }),
              "the number of steps between evaluations is 0, but must be at least 1");
    plan = tiny_plan();
    plan.dimensions = {4, 0};
    EXPECT_EQ(message(plan), "the head dimension is 0, but must be at least 1");
    plan = tiny_plan();
    plan.task.pairs = 6;
    EXPECT_EQ(message(plan), "the number of key symbols is 5, but must be at least 6");
    EXPECT_EQ(message_of<std::invalid_argument>([] { recorded_run().cell(ScoreRule::root, 5); }),
              "no layer with the score rule root and head dimension 5 was trained");
  });
}

// ------------------------------------------------------------------------ AdditiveVersusDotProduct

const std::vector<Mutant<Experiment>> additive_mutants = {
    {"all layers are alike",
     "AtSmallHeadsTheyAreNotFoundAlike",
     {.learn_alike = [](const LearningCurve&, const LearningCurve&) { return true; }}},
    {"two layers that never learn are alike",
     "AlikeMeansWithinAFactorOfTwo",
     {.learn_alike =
          [](const LearningCurve& a, const LearningCurve& b) {
            return steps_to_learn(a) == steps_to_learn(b) || learn_alike(a, b);
          }}},
    {"one side is enough",
     "AlikeMeansWithinAFactorOfTwo",
     {.learn_alike =
          [](const LearningCurve& a, const LearningCurve& b) {
            return steps_to_learn(a) < alike_factor * steps_to_learn(b);
          }}},
    {"a factor of two is still alike",
     "AlikeMeansWithinAFactorOfTwo",
     {.learn_alike =
          [](const LearningCurve& a, const LearningCurve& b) {
            return steps_to_learn(a) < infinity && steps_to_learn(b) < infinity &&
                   steps_to_learn(a) <= alike_factor * steps_to_learn(b) &&
                   steps_to_learn(b) <= alike_factor * steps_to_learn(a);
          }}},
    {"additive and unscaled are exchanged",
     "AdditiveGainsOnTheUnscaledDotProductAsHeadsGrow",
     {.run = []() -> const TrainingRun& {
       return altered_run(
           [](TrainingRun& run) { exchange(run, ScoreRule::additive, ScoreRule::unscaled); });
     }}},
    {"the head dimensions are exchanged",
     "AdditiveGainsOnTheUnscaledDotProductAsHeadsGrow",
     {.run = []() -> const TrainingRun& {
       return altered_run([](TrainingRun& run) {
         std::reverse(run.plan.dimensions.begin(), run.plan.dimensions.end());
       });
     }}},
    {"the slower layer wins",
     "WithTheRootTheDotProductIsFasterAtEveryDimension",
     {.learns_faster = [](const LearningCurve& a,
                          const LearningCurve& b) { return learns_faster(b, a); }}},
};

TEST(AdditiveVersusDotProduct, AtSmallHeadsTheyAreNotFoundAlike) {
  judge(additive_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const TrainingCell& additive = run.cell(ScoreRule::additive, smallest(run));
    const TrainingCell& unscaled = run.cell(ScoreRule::unscaled, smallest(run));
    const Decision alike =
        find("alike", seeds_that(additive, unscaled, experiment.learn_alike), run.plan.seeds);
    EXPECT_EQ(alike, Decision::undecided);
    decides("S1", "perform similarly", alike == Decision::yes);
    find("additive_faster", seeds_that(additive, unscaled, learns_faster), run.plan.seeds);
  });
}

//! [AdditiveVersusDotProduct]
TEST(AdditiveVersusDotProduct, AdditiveGainsOnTheUnscaledDotProductAsHeadsGrow) {
  judge(additive_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const auto lead = [&](Eigen::Index d, std::size_t s) {
      return mean_accuracy(run.cell(ScoreRule::additive, d).curves[s]) -
             mean_accuracy(run.cell(ScoreRule::unscaled, d).curves[s]);
    };
    std::size_t gains = 0;
    for (std::size_t s = 0; s < run.plan.seeds; ++s)
      gains += lead(largest(run), s) > lead(smallest(run), s) ? 1U : 0U;
    EXPECT_EQ(find("gains", gains, run.plan.seeds), Decision::yes);
    const Decision faster =
        find("additive_faster",
             seeds_that(run.cell(ScoreRule::additive, largest(run)),
                        run.cell(ScoreRule::unscaled, largest(run)), learns_faster),
             run.plan.seeds);
    EXPECT_NE(faster, Decision::no);
    decides("S1", "additive attention outperforms dot product attention without scaling",
            faster == Decision::yes);
    if (judging_a_mutant()) return;
    // No score of the additive rule is larger than this at the start.
    std::vector<double> largest_scores;
    for (std::size_t s = 0; s < run.plan.seeds; ++s)
      largest_scores.push_back(initial_weights(run.plan.task, largest(run), run.plan.first_seed + s)
                                   .direction.lpNorm<1>());
    publish("largest_score", in_short(sample_quantile(largest_scores, 0.5)));
  });
}
//! [AdditiveVersusDotProduct]

TEST(AdditiveVersusDotProduct, WithTheRootTheDotProductIsFasterAtEveryDimension) {
  judge(additive_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    for (const Eigen::Index d : run.plan.dimensions)
      EXPECT_EQ(find("faster_at_" + std::to_string(d),
                     seeds_that(run.cell(ScoreRule::root, d), run.cell(ScoreRule::additive, d),
                                experiment.learns_faster),
                     run.plan.seeds),
                Decision::yes);
    counterexample_without("no scale");
  });
}

TEST(AdditiveVersusDotProduct, AlikeMeansWithinAFactorOfTwo) {
  judge(additive_mutants, [](const Experiment& experiment) {
    const auto learned_at = [](Eigen::Index step) {
      return LearningCurve{{.step = 0, .accuracy = 0}, {.step = step, .accuracy = 1}};
    };
    const LearningCurve never = {{.step = 0, .accuracy = 0}};
    EXPECT_TRUE(experiment.learn_alike(learned_at(4), learned_at(7)));
    EXPECT_TRUE(experiment.learn_alike(learned_at(7), learned_at(4)));
    EXPECT_FALSE(experiment.learn_alike(learned_at(4), learned_at(8)));
    EXPECT_FALSE(experiment.learn_alike(learned_at(9), learned_at(4)));
    EXPECT_FALSE(experiment.learn_alike(learned_at(4), learned_at(9)));
    EXPECT_FALSE(experiment.learn_alike(never, learned_at(4)));
    EXPECT_FALSE(experiment.learn_alike(never, never));
    enumerated(7);
  });
}

}  // namespace
