// Code shared by the claims of chapter \ref softmax.
#pragma once

#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/softmax/enclosure.hpp>
#include <sqrtdk/softmax/examples.hpp>
#include <sqrtdk/softmax/online.hpp>
#include <sqrtdk/testing/kit.hpp>

#include "properties/softmax/functions.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties {
inline namespace chapter_softmax {

using namespace sqrtdk::testing;

inline Vector library_normalized(const Vector& weights) {
  return values<Rational>(normalized_weights(column(weights)));
}

/// The functions that this chapter's checks call, one of which a mutant replaces.
struct Subject {
  Functions<double> in_double = {};
  Functions<float> in_float = {};
  double (*double_threshold)() = overflow_threshold<double>;
  float (*float_threshold)() = overflow_threshold<float>;
  Eigen::half (*half_threshold)() = overflow_threshold<Eigen::half>;
  Eigen::bfloat16 (*bfloat16_threshold)() = overflow_threshold<Eigen::bfloat16>;
  Vector (*normalized)(const Vector&) = library_normalized;
  Values<Wide> (*wide)(const Values<Wide>&, Wide) = library_softmax<Wide>;
  Interval<Rational> (*exp_enclosure)(const Rational&) = sqrtdk::exp_enclosure;
  std::vector<Interval<Rational>> (*softmax_enclosure)(const Vector&) = sqrtdk::softmax_enclosure;
  Interval<Rational> (*weight_ratio)(const Rational&, const Rational&) = sqrtdk::weight_ratio;
  Rational (*least_sum_of_rounded)(std::size_t, const Rational&) = sqrtdk::least_sum_of_rounded;
  Rational (*max_remaining_mass)(std::size_t, const Rational&) = sqrtdk::max_remaining_mass;
  Rational (*largest_move)(const Rational&) = sqrtdk::largest_move;
  Interval<Rational> (*sums_that_fit)(const Vector&, const std::vector<Interval<Rational>>&) =
      sqrtdk::sums_that_fit;
  Rational (*required_ratio)(std::size_t, const Rational&) = sqrtdk::required_ratio;
  Wide (*min_logit_margin)(std::size_t, const Rational&) = sqrtdk::min_logit_margin<Wide>;
  std::size_t (*required_dimension)(std::size_t, const Rational&,
                                    const Rational&) = sqrtdk::required_dimension<Wide>;
};

template <class Function>
Subject with_softmax(Function function) {
  return wrong_softmax<Subject>(function);
}

template <class Function>
Subject with_wide(Function wrong) {
  Subject result;
  result.wide = wrong;
  return result;
}
template <class Function>
Subject with_normalized(Function wrong) {
  Subject result;
  result.normalized = wrong;
  return result;
}

template <class Function>
Subject with_enclosures(Function) {
  Subject result;
  result.softmax_enclosure = [](const Vector& x) {
    Vector changed;
    for (const Rational& logit : x) changed.push_back(Function{}(logit, x));
    return sqrtdk::softmax_enclosure(changed);
  };
  return result;
}

inline Rational decimal(const std::string& text) {
  const Interval<Rational> number = parse_printed(text);
  return (number.lower + number.upper) / 2;
}

inline Vector decimals(const std::vector<std::string>& texts) {
  Vector result;
  for (const std::string& text : texts) result.push_back(decimal(text));
  return result;
}

inline Rational total(const Vector& x) { return std::accumulate(x.begin(), x.end(), Rational(0)); }

/// Expects that everything between two numbers rounds to what is printed.
inline void expect_rounds_to(const std::string& printed, const Interval<Rational>& exact) {
  const Interval<Rational> number = parse_printed(printed);
  EXPECT_EXACTLY(
      (number.lower < exact.lower && exact.lower <= exact.upper && exact.upper < number.upper))
      << "the number lies between " << exact.lower.convert_to<double>() << " and "
      << exact.upper.convert_to<double>() << ", which does not round to " << printed;
}

inline Values<Wide> wide(const Vector& x) {
  Values<Wide> result;
  for (const Rational& number : x) result.push_back(static_cast<Wide>(number));
  return result;
}

/// Expects softmax in fifty digits, whose exponential's accuracy was measured, to round to these.
inline void expect_computed(const Subject& subject, const Vector& logits,
                            const std::vector<std::string>& rounded) {
  evidence().rests_on(EvidenceLevel::measured);
  const Values<Wide> computed = subject.wide(wide(logits), 1);
  ASSERT_EQ(computed.size(), rounded.size());
  for (std::size_t j = 0; j < rounded.size(); ++j) {
    const Rational weight = static_cast<Rational>(computed[j]);
    expect_rounds_to(rounded[j], {weight, weight});
  }
  enumerated(rounded.size());
}

inline rc::Gen<Vector> positive_weights() {
  return rc::gen::resize(20, rc::gen::nonEmpty(rc::gen::container<Vector>(positive_rational())));
}

template <class Function>
Values<Wide> wide_after(const Values<Wide>& x, Function function) {
  Values<Wide> changed = x;
  for (Wide& logit : changed) logit = function(logit);
  return library_softmax<Wide>(changed, 1);
}

/// The five scores of S3, before they are divided by 8.
inline const Vector raw_scores = decimals({"9.2", "-3.1", "8.8", "-5.4", "1.2"});

}  // namespace chapter_softmax
}  // namespace sqrtdk::properties
