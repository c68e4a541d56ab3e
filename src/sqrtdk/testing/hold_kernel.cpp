#include <sqrtdk/attention.hpp>
#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_error/arithmetic.hpp>
#include <sqrtdk/testing/generators/attention_cases_definitions.hpp>
#include <sqrtdk/testing/generators/floating_point_definitions.hpp>
#include <sqrtdk/testing/generators/kernel_campaign.hpp>
#include <sqrtdk/testing/generators/random_source.hpp>
#include <sqrtdk/testing/generators/shrink_float_definitions.hpp>
#include <sqrtdk/testing/hold_kernel.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_laws_definitions.hpp>
#include <sqrtdk/testing/laws/call_laws.hpp>
#include <sqrtdk/testing/laws/fixed_cases.hpp>
#include <sqrtdk/testing/laws/formats.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/property.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

namespace {

#ifndef SQRTDK_WITHOUT_PROPERTIES
template <class Case>
void run(Campaign<Case> campaign, int cases, const SourceLocation& place) {
  const std::vector<Case>& fixed = campaign.fixed;
  std::size_t failed = 0;  // the number of cases tried since one failed, with it
  // RapidCheck draws these again by the same numbers, so that fixed cases are made simpler as well.
  std::vector<rc::Random> turns;
  const rc::Gen<Case> all = [&](const rc::Random& random, int size) {
    auto turn = std::find(turns.begin(), turns.end(), random);
    if (turn == turns.end() && turns.size() < fixed.size()) turn = turns.insert(turn, random);
    const auto given = turn - turns.begin();
    return generator<Case>(
        [&](RandomSource& source) {
          return turn == turns.end() ? campaign.draw(source)
                                     : fixed[static_cast<std::size_t>(given)];
        },
        campaign.shrinks)(random, size);
  };
  std::string simplest, finding;
  const auto hold = [&] {
    const Case input = *rc::Gen<Case>(all).as("the case");
    const auto fail = [](const std::string& why) {
      throw ThrownByRapidCheck(ThrownByRapidCheck::Type::Failure, why);
    };
    if (++failed > patience && rc::toString(input) != simplest) return;
    if (const auto broken = campaign.broken_by(input)) {
      simplest = rc::toString(input);
      std::ostringstream text = plain_stream();
      text << broken->first << ": " << broken->second;
      finding = text.str();
      fail(finding);
    }
    if (failed > 1 && rc::toString(input) == simplest) fail(finding + remembers);
    if (failed > 1) return;
    failed = 0;
    campaign.count(input);
  };
  detail::for_all(hold, cases + static_cast<int>(fixed.size()), place);
  if (failed == 0) std::cout << campaign.text();
}
#endif

template <class Real>
std::vector<SoftmaxCase<Real>> fixed_softmax_cases(const SoftmaxShapes& shapes) {
  using Computed = Compute<Real>;
  const double largest =
      std::min(shapes.largest, static_cast<double>(std::numeric_limits<Real>::max()));
  const auto is_asked = [&](double x) {
    return std::abs(x) <= largest || (shapes.masked && !std::isfinite(x));
  };
  std::vector<SoftmaxCase<Real>> cases;
  for (const auto& [scores, temperature] :
       fixed_rows(case_numbers<Real>(), static_cast<int>(shapes.longest))) {
    if (!std::all_of(scores.begin(), scores.end(), is_asked) ||
        temperature < shapes.least_temperature || temperature > shapes.greatest_temperature)
      continue;
    cases.push_back({{}, static_cast<Real>(static_cast<Computed>(temperature))});
    for (const double x : scores)
      cases.back().scores.push_back(static_cast<Real>(static_cast<Computed>(x)));
  }
  return cases;
}

template <class Real>
constexpr Real minus_infinity = -std::numeric_limits<Real>::infinity();

template <class Real>
Real rounded(double x) {
  return static_cast<Real>(static_cast<Compute<Real>>(x));
}

template <class Real>
double as_double(Real x) {
  return static_cast<double>(static_cast<Compute<Real>>(x));
}

template <class Real>
bool is_asked(const SoftmaxShapes& shapes, Real temperature) {
  const double tau = as_double(temperature);
  return tau > 0 && tau >= shapes.least_temperature && tau <= shapes.greatest_temperature;
}

template <class Real>
Real largest_score(const SoftmaxShapes& shapes) {
  const Real most = std::numeric_limits<Real>::max();
  return shapes.largest < as_double(most) ? rounded<Real>(shapes.largest) : most;
}

template <class Real>
SoftmaxCase<Real> any_softmax_case(RandomSource& source, const SoftmaxShapes& shapes) {
  const Real largest = largest_score<Real>(shapes);
  const std::size_t longest =
      source.between(0, 7) == 0 ? shapes.longest : std::min<std::size_t>(shapes.longest, 130);
  SoftmaxCase<Real> input{any_scores<Real>(source, longest), any_temperature<Real>(source)};
  for (Real& score : input.scores)
    if (!shapes.masked || score > masked_score<Real>())
      score = std::clamp(score, Real(-largest), largest);
  if (!is_asked(shapes, input.temperature))
    input.temperature =
        rounded<Real>(std::clamp(1.0, shapes.least_temperature, shapes.greatest_temperature));
  return input;
}

template <class Real>
std::vector<SoftmaxCase<Real>> simpler_softmax_cases(const SoftmaxCase<Real>& input,
                                                     const SoftmaxShapes& shapes) {
  std::vector<SoftmaxCase<Real>> simpler;
  for (std::vector<Real>& scores : shrinks(input.scores, 1, largest_score<Real>(shapes)))
    if (std::any_of(scores.begin(), scores.end(),
                    [](Real score) { return score > masked_score<Real>(); }))
      simpler.push_back({std::move(scores), input.temperature});
  for (const Real temperature : shrinks(input.temperature))
    if (is_asked(shapes, temperature)) simpler.push_back({input.scores, temperature});
  return simpler;
}

/// The laws of a softmax; those that compare two temperatures, or know 1 alone, where they can.
template <class Real>
std::vector<Law<SoftmaxCase<Real>>> laws_of_softmax(const SoftmaxFunction<Real>& softmax,
                                                    const SoftmaxArithmetic& arithmetic,
                                                    const SoftmaxShapes& shapes) {
  using Case = SoftmaxCase<Real>;
  const auto at = [=](const Case& x) {
    return arithmetic.magnified(1 / std::min(1.0, as_double(x.temperature)));
  };
  std::vector<Law<Case>> laws = {
      {"accuracy",
       [=](const Case& x) { return accuracy_law<Real>(softmax, x.scores, x.temperature, at(x)); }},
      {"probability",
       [=](const Case& x) {
         return probability_law<Real>(softmax, x.scores, x.temperature, at(x));
       }},
      {"order", [=](const Case& x) { return order_law<Real>(softmax, x.scores, x.temperature); }}};
  if (is_asked(shapes, Real(1))) {
    for (const int shift : {1, -64})
      laws.push_back({"shift by " + std::to_string(shift), [=](const Case& x) {
                        const Real by = rounded<Real>(shift);
                        const Real largest = largest_score<Real>(shapes);
                        for (const Real score : x.scores)
                          if (score > masked_score<Real>() &&
                              (Real(score + by) > largest || Real(score + by) < Real(-largest)))
                            return Outcome{};
                        return shift_law<Real>(softmax, x.scores, by, arithmetic);
                      }});
    laws.push_back({"permutation, the reverse", [=](const Case& x) {
                      std::vector<std::size_t> order(x.scores.size());
                      std::iota(order.rbegin(), order.rend(), std::size_t{0});
                      return permutation_law<Real>(softmax, x.scores, order, arithmetic);
                    }});
  }
  if (shapes.least_temperature < shapes.greatest_temperature)
    laws.push_back({"temperature, doubled", [=](const Case& x) {
                      const Real twice = rounded<Real>(2 * as_double(x.temperature));
                      if (!is_asked(shapes, twice)) return Outcome{};
                      return temperature_law<Real>(softmax, x.scores, x.temperature, twice, at(x));
                    }});
  if (shapes.deterministic)
    laws.push_back({"repeated calls", [=](const Case& x) {
                      return repeated_law<Real>(softmax, x.scores, x.temperature);
                    }});
  return laws;
}

/// Results of a softmax that must not be accepted.
template <class Real>
std::vector<Law<SoftmaxCase<Real>>> broken_softmaxes(const SoftmaxArithmetic& arithmetic) {
  using Weights = std::vector<Real>;
  const auto with = [=](void (*change)(Weights&)) {
    return [=](const SoftmaxCase<Real>& input) {
      const auto kernel = [&](const Weights& x, Real temperature) {
        const auto right =
            sqrtdk::softmax(testing::detail::as_vector(x), Compute<Real>(temperature));
        Weights weights(right.begin(), right.end());
        change(weights);
        return weights;
      };
      return accuracy_law<Real>(kernel, input.scores, input.temperature, arithmetic);
    };
  };
  return {{"zeros", with([](Weights& y) { std::fill(y.begin(), y.end(), Real(0)); })},
          {"uniform weights", with([](Weights& y) {
             std::fill(y.begin(), y.end(), rounded<Real>(1 / static_cast<double>(y.size())));
           })},
          {"a dropped score", with([](Weights& y) { y.back() = Real(0); })},
          {"a log-sum-exp without the last term", with([](Weights& y) {
             const double rest = 1 - as_double(y.back());
             for (Real& weight : y) weight = rounded<Real>(as_double(weight) / rest);
           })}};
}

/// True if an implementation can be asked a case.
template <class Real>
bool is_asked(const AttentionConventions& may, const AttentionCase<Real>& input) {
  const auto& options = input.options;
  if (options.scale) {
    const auto scale = static_cast<double>(*options.scale);
    if (!may.scales || scale < may.least_scale || scale > may.greatest_scale) return false;
  }
  if (input.sink && !may.sinks) return false;
  if (options.allowed && !(may.masks && may.permissions)) return false;
  if (options.bias && !(may.masks && may.biases)) return false;
  if (!options.causal) return true;
  return may.masks &&
         (*options.causal == CausalAlignment::top_left ? may.top_left : may.bottom_right);
}

/// The cases that are not left to chance, as far as a kernel takes them.
template <class Real>
std::vector<AttentionCase<Real>> fixed_cases(const AttentionConventions& may, bool cotangent) {
  using Computed = Compute<Real>;
  std::vector<AttentionCase<Real>> cases;
  for (const AttentionCase<double>& input :
       fixed_attention_cases(case_numbers<Real>(), may.sizes, may.seed)) {
    AttentionCase<Real> rounded = rounded_to<Real>(input);
    if (!is_asked(may, rounded)) continue;
    if (!cotangent) rounded.output_gradient.resize(0, 0);
    if (rounded.options.bias && may.mask_value)
      for (Computed& bias : rounded.options.bias->reshaped())
        if (bias == minus_infinity<Computed>) bias = static_cast<Computed>(*may.mask_value);
    cases.push_back(std::move(rounded));
  }
  return cases;
}

/// Results of attention that must not be accepted.
template <class Real>
std::vector<Law<AttentionCase<Real>>> broken_attentions(const SoftmaxArithmetic& arithmetic,
                                                        const AttentionConventions& conventions) {
  using Case = AttentionCase<Real>;
  const auto by = [=](Matrix<Real> (*attention)(const Case&)) {
    return [=](const Case& input) {
      return quick_output_law<Real>(attention, meant_by(input, conventions), arithmetic,
                                    conventions);
    };
  };
  return {
      {"zeros", by([](const Case& input) -> Matrix<Real> {
         return Matrix<Real>::Constant(input.queries.rows(), input.values.cols(), Real(0));
       })},
      {"the mean of all values", by([](const Case& input) -> Matrix<Real> {
         const Matrix<Compute<Real>> values = input.values.template cast<Compute<Real>>();
         return values.colwise().mean().replicate(input.queries.rows(), 1).template cast<Real>();
       })},
      {"a dropped key", by([](const Case& input) -> Matrix<Real> {
         Case without = input;
         if (!without.options.allowed)
           without.options.allowed =
               Matrix<bool>::Constant(input.queries.rows(), input.keys.rows(), true);
         without.options.allowed->col(input.keys.rows() - 1).setConstant(false);
         return scaled_dot_product_attention(without.queries, without.keys, without.values,
                                             without.options)
             .output;
       })},
      {"a log-sum-exp without the last term", by([](const Case& input) -> Matrix<Real> {
         const auto right =
             scaled_dot_product_attention(input.queries, input.keys, input.values, input.options)
                 .output;
         const auto weights = attention_weights(input.queries, input.keys, input.options);
         Matrix<Real> wrong = right;
         for (Eigen::Index i = 0; i < wrong.rows(); ++i) {
           const auto last = static_cast<double>(weights(i, weights.cols() - 1));
           for (Eigen::Index c = 0; c < wrong.cols(); ++c)
             wrong(i, c) = rounded<Real>(as_double<Real>(right(i, c)) / (1 - last));
         }
         return wrong;
       })}};
}

/// The laws of attention that a kernel can be held to; what is left of them is named.
template <class Real>
std::vector<Law<AttentionCase<Real>>> laws_of_attention(const AttentionKernel<Real>& kernel,
                                                        const SoftmaxArithmetic& by,
                                                        const AttentionConventions& may,
                                                        std::vector<std::string>& left) {
  using Case = AttentionCase<Real>;
  std::vector<Law<Case>> laws;
  const auto add = [&](const char* name, bool asked, const auto& law) {
    if (!asked) return void(left.emplace_back(name));
    laws.push_back({name, law});
  };
  add("output", true,
      [=](const Case& x) { return quick_output_law<Real>(kernel.attention, x, by, may); });
  // What takes many calls, or fifty digits, is asked of small cases.
  const auto of_small = [](auto law) {
    return [=](const Case& x) {
      const Eigen::Index scores = x.queries.rows() * x.keys.rows();
      return x.queries.rows() <= 9 && scores * x.queries.cols() <= 20'000 ? law(x) : Outcome{};
    };
  };
  add("logarithms", kernel.logarithms != nullptr,
      of_small([=](const Case& x) { return logarithms_law<Real>(kernel.logarithms, x, by, may); }));
  add("grouped heads", kernel.heads != nullptr, [=](const Case& x) {
    const Case turned = head_of(x, 1);
    return grouped_heads_law<Real>(kernel, {x, x, turned, turned}, 2, by, may);
  });
  add("calls in place", kernel.into != nullptr,
      [=](const Case& x) { return in_place_law<Real>(kernel, x, by, may); });
  add("repeated calls", may.deterministic,
      [=](const Case& x) { return repeated_law<Real>(kernel.attention, x, by, may); });
  add("poison in what is masked", may.ignores_masked,
      [=](const Case& x) { return masked_values_law<Real>(kernel.attention, x); });
  add("other queries in the batch", may.batch_invariant,
      of_small([=](const Case& x) { return queries_law<Real>(kernel.attention, x, by, may); }));
  if (!may.sinks) left.emplace_back("sinks");
  return laws;
}

std::vector<std::string> left_out(const AttentionConventions& may) {
  std::vector<std::string> left;
  if (!may.scales) left.emplace_back("scales other than 1/√d");
  if (!(may.masks && may.permissions)) left.emplace_back("masks of true and false");
  if (!(may.masks && may.biases)) left.emplace_back("biases");
  if (!(may.masks && may.top_left)) left.emplace_back("causal masks, aligned top left");
  if (!(may.masks && may.bottom_right)) left.emplace_back("causal masks, aligned bottom right");
  return left;
}

}  // namespace

template <class Real>
Campaign<SoftmaxCase<Real>> softmax_campaign(const SoftmaxFunction<Real>& softmax,
                                             const SoftmaxArithmetic& arithmetic,
                                             const SoftmaxShapes& shapes) {
  using Case = SoftmaxCase<Real>;
  Campaign<Case> campaign{
      "softmax",
      fixed_softmax_cases<Real>(shapes),
      [=](RandomSource& source) { return any_softmax_case<Real>(source, shapes); },
      [=](const Case& input) { return simpler_softmax_cases(input, shapes); },
      laws_of_softmax<Real>(softmax, arithmetic, shapes),
      broken_softmaxes<Real>(arithmetic),
      {"rows of more than one", "more scores"},
      {{"scores", [](const Case& x) { return static_cast<Eigen::Index>(x.scores.size()); }}},
      shapes.seconds};
  if (!shapes.masked) campaign.left.emplace_back("scores of −∞");
  if (!shapes.deterministic) campaign.left.emplace_back("repeated calls");
  if (!(shapes.least_temperature < shapes.greatest_temperature))
    campaign.left.emplace_back("other temperatures");
  return campaign;
}

template <class Real>
Campaign<AttentionCase<Real>> attention_campaign(const AttentionKernel<Real>& kernel,
                                                 const SoftmaxArithmetic& arithmetic,
                                                 const AttentionConventions& given,
                                                 bool cotangent) {
  using Case = AttentionCase<Real>;
  AttentionConventions conventions = given;
  CaseSizes& most = conventions.sizes;
  // Fifty digits, to which long numbers are always compared, take their time.
  if constexpr (std::numeric_limits<Compute<Real>>::digits > 53)
    most = {std::min(most.queries, 9), std::min(most.keys, 130), std::min(most.features, 33),
            std::min(most.values, 9)};
  std::vector<std::string> left = left_out(conventions);
  std::vector<Law<Case>> laws = laws_of_attention<Real>(kernel, arithmetic, conventions, left);
  const AttentionShapes shapes = {.most_queries = std::min(most.queries, 9),
                                  .most_keys = most.keys,
                                  .most_features = most.features,
                                  .most_values = most.values,
                                  .cotangent = cotangent,
                                  .conventions = conventions};
  return {"attention",
          fixed_cases<Real>(conventions, cotangent),
          [=](RandomSource& source) { return any_attention_case<Real>(source, shapes); },
          [=](const Case& input) { return simpler_cases(input, shapes.largest); },
          laws,
          broken_attentions<Real>(arithmetic, conventions),
          left,
          {{"queries", [](const Case& x) { return x.queries.rows(); }},
           {"keys", [](const Case& x) { return x.keys.rows(); }},
           {"features", [](const Case& x) { return x.queries.cols(); }},
           {"columns of values", [](const Case& x) { return x.values.cols(); }}},
          conventions.seconds};
}

#define SQRTDK_CAMPAIGNS(prefix, Real)                                               \
  prefix template Campaign<SoftmaxCase<Real>> softmax_campaign(                      \
      const SoftmaxFunction<Real>&, const SoftmaxArithmetic&, const SoftmaxShapes&); \
  prefix template Campaign<AttentionCase<Real>> attention_campaign(                  \
      const AttentionKernel<Real>&, const SoftmaxArithmetic&, const AttentionConventions&, bool);
SQRTDK_FOR_EACH_FORMAT(SQRTDK_CAMPAIGNS, )

}  // namespace detail

#ifndef SQRTDK_WITHOUT_PROPERTIES
template <class Real>
void hold_softmax(const SoftmaxFunction<Real>& softmax, const SoftmaxArithmetic& arithmetic,
                  const SoftmaxShapes& shapes, int cases, SourceLocation place) {
  const DefaultFloatEnvironment environment;
  detail::run(detail::softmax_campaign<Real>(softmax, arithmetic, shapes), cases, place);
}

template <class Real>
void hold_attention(const AttentionFunction<Real>& attention, const SoftmaxArithmetic& arithmetic,
                    const AttentionConventions& conventions, int cases, SourceLocation place) {
  hold_attention<Real>(AttentionKernel<Real>{attention}, arithmetic, conventions, cases, place);
}

template <class Real>
void hold_attention(const AttentionKernel<Real>& kernel, const SoftmaxArithmetic& arithmetic,
                    const AttentionConventions& conventions, int cases, SourceLocation place) {
  const DefaultFloatEnvironment environment;
  detail::run(detail::attention_campaign<Real>(kernel, arithmetic, conventions), cases, place);
}

#define SQRTDK_HOLD_KERNELS(prefix, Real)                                                          \
  prefix template void hold_softmax<Real>(const SoftmaxFunction<Real>&, const SoftmaxArithmetic&,  \
                                          const SoftmaxShapes&, int, SourceLocation);              \
  prefix template void hold_attention<Real>(const AttentionFunction<Real>&,                        \
                                            const SoftmaxArithmetic&, const AttentionConventions&, \
                                            int, SourceLocation);                                  \
  prefix template void hold_attention<Real>(const AttentionKernel<Real>&,                          \
                                            const SoftmaxArithmetic&, const AttentionConventions&, \
                                            int, SourceLocation);
SQRTDK_FOR_EACH_FORMAT(SQRTDK_HOLD_KERNELS, )
#endif

}  // namespace sqrtdk::testing
