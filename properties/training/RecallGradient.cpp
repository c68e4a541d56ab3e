#include "properties/training/fixture.hpp"

#include <boost/math/differentiation/autodiff.hpp>

namespace sqrtdk::properties::RecallGradient {

using Subject = Links;

using WideVector = Links::Vector;
using WidePass = RecallPass<Wide>;
using WideInputs = ScoreGradients<Wide>;

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

/// A matrix of fifty digits as the fractions that its entries are.
template <class Derived>
Eigen::Matrix<Rational, Eigen::Dynamic, Eigen::Dynamic> exactly(
    const Eigen::MatrixBase<Derived>& matrix) {
  return matrix.unaryExpr([](const Wide& x) { return Rational(x); });
}

template <class Change>
WideInputs changed(ScoreRule rule, const RecallWeights<Wide>& weights, const WidePass& pass,
                   const WideMatrix& by_scores, Change change) {
  WideInputs by = score_vjp(rule, weights, pass, by_scores);
  change(by);
  return by;
}

//! [RecallGradient]
STATEMENT(RecallGradient, IsWhatAutomaticDifferentiationFinds) {
  // The bound takes exponentials and logarithms of fifty digits to be accurate, which was measured.
  evidence().rests_on(EvidenceLevel::measured);
  for_all(
      [&] {
        const Scene scene = any_scene();
        const auto seed = *rc::gen::arbitrary<std::uint64_t>().as("seed of the direction");
        Stream stream = stream_of(seed, "direction");
        const auto direction = small_weights(scene.task, scene.weights.query.rows(), stream);
        const auto gradient =
            recall_gradient(scene.rule, scene.embeddings, scene.weights, scene.batch, subject);
        const Wide found = inner_product(gradient, direction);
        const Wide wanted = derivative_along(scene, direction);
        const Wide error = abs(found - wanted);
        evidence().worst(static_cast<double>(error), static_cast<double>(gradient_error_bound));
        const auto shown = [](const Wide& x) { return format_significant(to_double(x), 4); };
        if (!(error <= gradient_error_bound))
          RC_FAIL("along the direction the loss changes at the rate " + shown(wanted) +
                  ", and the gradient says " + shown(found) + ", which is off by " + shown(error));
      },
      100);
}
//! [RecallGradient]
KILLS("the softmax's Jacobian is diagonal: −pᵢpⱼ is missing",
      {.softmax = [](auto& p, auto& g) -> WideVector { return p.cwiseProduct(g).eval(); }});
KILLS("the softmax's Jacobian is −ppᵀ: δᵢⱼ is missing",
      {.softmax = [](auto& p, auto& g) -> WideVector { return (-p * p.dot(g)).eval(); }});
KILLS("the softmax is left out of the chain",
      {.softmax = [](auto&, auto& g) -> WideVector { return g; }});
KILLS("queries move with the gradient",
      {.scores = [](ScoreRule rule, auto& weights, auto& pass, auto& by_scores) {
        return changed(rule, weights, pass, by_scores,
                       [](WideInputs& by) { by.queries = (-by.queries).eval(); });
      }});
KILLS("the scale is forgotten on the way back",
      {.scores = [](ScoreRule rule, auto& weights, auto& pass, auto& by_scores) {
        return changed(rule, weights, pass, by_scores, [&](WideInputs& by) {
          const Wide scale = sqrtdk::dot_product_scale(rule, weights);
          by.queries /= scale;
          by.keys /= scale;
        });
      }});
KILLS("queries and keys are exchanged",
      {.scores = [](ScoreRule rule, auto& weights, auto& pass, auto& by_scores) {
        return changed(rule, weights, pass, by_scores,
                       [](WideInputs& by) { std::swap(by.queries, by.keys); });
      }});
KILLS("scores are read transposed",
      {.scores = [](ScoreRule rule, auto& weights, auto& pass, auto& by_scores) {
        return score_vjp<Wide>(rule, weights, pass, by_scores.transpose());
      }});
KILLS("tanh counts as the identity",
      {.scores = [](ScoreRule rule, auto& weights, auto& pass, auto& by_scores) {
        return changed(rule, weights, pass, by_scores, [&](WideInputs& by) {
          if (rule != ScoreRule::additive) return;
          by.queries = weights.direction * by_scores.rowwise().sum().transpose();
          by.keys = weights.direction * by_scores.colwise().sum();
        });
      }});
KILLS("w is not learned",
      {.scores = [](ScoreRule rule, auto& weights, auto& pass, auto& by_scores) {
        return changed(rule, weights, pass, by_scores,
                       [](WideInputs& by) { by.direction.setZero(); });
      }});
KILLS("the derivative by e^λ, not by λ",
      {.scores = [](ScoreRule rule, auto& weights, auto& pass, auto& by_scores) {
        return changed(rule, weights, pass, by_scores,
                       [&](WideInputs& by) { by.log_scale /= exp(weights.log_scale); });
      }});
KILLS("the sum over the batch, not the mean",
      {.cross_entropy = [](auto& answers, auto& batch) -> WideMatrix {
        return Wide(batch.size()) * cross_entropy_vjp<Wide>(answers, batch);
      }});

//! [RecallGradient: exact check]
STATEMENT(RecallGradient, OfALayerThatKnowsNothingIsAtTheReadOutAlone) {
  // One pair, W_O = 0: the output is W_V times the value's embedding; both answers have chance ½.
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
          recall_gradient(rule, scene.embeddings, scene.weights, scene.batch, subject);
      const WideVector output = scene.weights.value * scene.embeddings.values.col(answer);
      EXPECT_EXACTLY(exactly(gradient.readout.row(answer)) == exactly(-output.transpose() / 2));
      EXPECT_EXACTLY(exactly(gradient.readout.row(1 - answer)) == exactly(output.transpose() / 2));
      EXPECT_EXACTLY((exactly(gradient.query).isZero(0) && exactly(gradient.key).isZero(0) &&
                      exactly(gradient.value).isZero(0) && exactly(gradient.direction).isZero(0) &&
                      gradient.log_scale.is_zero()))
          << "with " << rule;
      enumerated(1);
    }
}
//! [RecallGradient: exact check]
KILLS("the target is the next class",
      {.cross_entropy = [](auto& answers, auto& batch) -> WideMatrix {
        WideMatrix by = answers / Wide(batch.size());
        for (Eigen::Index b = 0; b < batch.size(); ++b)
          by((batch.answer(b) + 1) % by.rows(), b) -= 1 / Wide(batch.size());
        return by;
      }});
KILLS("half the error, as of a square",
      {.cross_entropy = [](auto& answers, auto& batch) -> WideMatrix {
        return cross_entropy_vjp<Wide>(answers, batch) / 2;
      }});

//! [RecallGradient: one-hot weights]
STATEMENT(RecallGradient, AtOneHotWeightsItIsWholeByTheValuesAndZeroByWhatMakesTheScores) {
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
        EXPECT_EXACTLY(Rational(attention(seen, 0)) == 1) << "with " << rule;
        EXPECT_EXACTLY(Rational(attention(1 - seen, 0)) == 0) << "with " << rule;

        const auto gradient =
            recall_gradient(rule, scene.embeddings, scene.weights, scene.batch, subject);
        const WideVector by_output =
            (scene.weights.readout.row(1 - asked) - scene.weights.readout.row(asked)).transpose() /
            2;
        EXPECT_EXACTLY(!exactly(by_output).isZero(0));
        const WideMatrix by_values = by_output * value.transpose();
        EXPECT_EXACTLY(exactly(gradient.value) == exactly(by_values)) << "with " << rule;
        EXPECT_EXACTLY(exactly(gradient.readout.row(asked)) == exactly(-output.transpose() / 2))
            << "with " << rule;
        EXPECT_EXACTLY((exactly(gradient.query).isZero(0) && exactly(gradient.key).isZero(0) &&
                        exactly(gradient.direction).isZero(0) && gradient.log_scale.is_zero()))
            << "with " << rule;
        enumerated(1);
      }
}
//! [RecallGradient: one-hot weights]
KILLS("what goes to a value passes through the derivative of softmax as well",
      {.values = [](auto& by_outputs, auto& mass) -> WideMatrix {
        return by_outputs * (mass.array() * (Wide(1) - mass.array())).matrix().transpose();
      }});
KILLS("no weight is below 10⁻³⁰, as in code that takes its logarithm",
      {.softmax = [](auto& p, auto& g) -> WideVector {
        return softmax_vjp<Wide>(p.cwiseMax(Wide("1e-30")).eval(), g);
      }});

}  // namespace sqrtdk::properties::RecallGradient
