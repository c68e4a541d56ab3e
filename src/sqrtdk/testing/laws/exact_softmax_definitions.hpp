// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Definitions of exact_softmax.hpp, for numbers of any type.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/laws/exact_softmax.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

/// Refuses what has no softmax: no logits, NaN, a greatest logit or a temperature out of range.
/// \throws std::invalid_argument if there is no logit.
/// \throws std::domain_error as ExactSoftmax.
template <class Real>
void require_softmax_exists(const std::vector<Real>& x, Real temperature) {
  sqrtdk::detail::require_size("logits", static_cast<std::ptrdiff_t>(x.size()), 1);
  for (const Real& logit : x)
    sqrtdk::detail::require_that(logit == logit, "a logit", static_cast<Compute<Real>>(logit),
                                 "be a number");
  sqrtdk::detail::require_summable(
      static_cast<Compute<Real>>(*std::max_element(x.begin(), x.end())));
  sqrtdk::detail::require_positive_finite("the temperature",
                                          static_cast<Compute<Real>>(temperature));
}

}  // namespace detail

template <class Real>
ExactSoftmax<Real>::ExactSoftmax(const std::vector<Real>& x, Real temperature) : place_(x.size()) {
  detail::require_softmax_exists(x, temperature);
  std::vector<Real> different = x;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  std::vector<std::size_t> counts(different.size());
  for (std::size_t j = 0; j < x.size(); ++j) {
    const auto found = std::lower_bound(different.begin(), different.end(), x[j]);
    place_[j] = static_cast<std::size_t>(found - different.begin());
    ++counts[place_[j]];
  }
  const Wide maximum = wide(different.back());
  Wide sum = 0;
  for (std::size_t k = 0; k < different.size(); ++k) {
    logarithms_.push_back((wide(different[k]) - maximum) / wide(temperature));
    weights_.push_back(exp(logarithms_.back()));
    sum += counts[k] * weights_.back();
  }
  const Wide log_sum = log(sum);
  for (Wide& weight : weights_) weight /= sum;
  for (Wide& logarithm : logarithms_) logarithm -= log_sum;
  log_sum_exp_ = maximum / wide(temperature) + log_sum;
}

}  // namespace sqrtdk::testing
