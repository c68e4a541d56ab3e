// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax : the weights of rational logits between rational numbers.
#pragma once

#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <iterator>
#include <vector>

namespace sqrtdk {

/// The softmax weights between rational numbers: least numerator over greatest sum, and vice versa.
/// \param logits n numbers, n at least 1.
/// \throws std::invalid_argument if there is no logit.
/// \implements{SoftmaxWorkedExamples}
/// \relatesalso Interval
std::vector<Interval<Rational>> softmax_enclosure(const std::vector<Rational>& logits);

/// The ratio e^(xᵢ − xⱼ) of two softmax weights, which no other logit has a part in.
/// \param numerator   xᵢ.
/// \param denominator xⱼ.
/// \implements{PeakedExample}
/// \relatesalso Interval
Interval<Rational> weight_ratio(const Rational& numerator, const Rational& denominator);

// Implementation

//! [SoftmaxWorkedExamples]
inline std::vector<Interval<Rational>> softmax_enclosure(const std::vector<Rational>& logits) {
  detail::require_size("logits", std::ssize(logits), 1);
  std::vector<Interval<Rational>> weights;
  Interval<Rational> sum{0, 0};
  for (const Rational& logit : logits) {
    weights.push_back(exp_enclosure(logit));
    sum.lower += weights.back().lower;
    sum.upper += weights.back().upper;
  }
  for (Interval<Rational>& weight : weights)
    weight = {weight.lower / sum.upper, weight.upper / sum.lower};
  return weights;
}
//! [SoftmaxWorkedExamples]

//! [PeakedExample]
inline Interval<Rational> weight_ratio(const Rational& numerator, const Rational& denominator) {
  return exp_enclosure(numerator - denominator);
}
//! [PeakedExample]

}  // namespace sqrtdk
