// Code shared by the claims of chapter \ref learning.
#pragma once

#include <sqrtdk/initialization.hpp>
#include <sqrtdk/learning.hpp>
#include <sqrtdk/testing/kit.hpp>

#include <Eigen/Core>

namespace sqrtdk::properties {
inline namespace chapter_learning {

using namespace sqrtdk::testing;

/// The functions that this chapter's checks call, one of which a mutant replaces.
struct Subject {
  LearnedRow (*after_step)(const LearnedRow&, const RationalVector&, const Rational&,
                           StepRule) = sqrtdk::after_step;
  RationalVector (*score_changes)(const LearnedRow&, const RationalVector&, const Rational&,
                                  StepRule) = sqrtdk::score_changes;
  RationalVector (*attention_derivative)(const RationalMatrix&, const RationalVector&,
                                         const Rational&, Eigen::Index, Eigen::Index,
                                         const RationalVector&) = sqrtdk::attention_derivative;
  Rational (*attention_slope_bound)(const Rational&,
                                    const Rational&) = sqrtdk::attention_slope_bound;
  StandardizedFeatures (*standardize)(const std::vector<Rational>&,
                                      const Rational&) = sqrtdk::standardize;
  RationalMatrix (*scores_of_least_rank)(const RationalMatrix&) = sqrtdk::scores_of_least_rank;
  Eigen::Index (*least_head_dimension)(const RationalMatrix&) = sqrtdk::least_head_dimension;
  Rational (*squared_lead)(const RationalVector&) = sqrtdk::squared_lead;
  Rational (*least_perplexity)(Eigen::Index, const Rational&) = sqrtdk::least_perplexity;
};

inline RationalVector vector_of(std::initializer_list<Rational> entries) {
  RationalVector v(static_cast<Eigen::Index>(entries.size()));
  std::copy(entries.begin(), entries.end(), v.begin());
  return v;
}

inline RationalMatrix any_matrix(Eigen::Index rows, Eigen::Index columns) {
  RationalMatrix m(rows, columns);
  for (Rational& entry : m.reshaped())
    entry = Rational(*rc::gen::inRange(-4, 5), *rc::gen::inRange(1, 4));
  return m;
}

/// Tokens of one entry 1, and W_Q = q, W_K = k: d entries of size 1, with q·k = 0 or d.
inline LearnedRow signs_of_size_one(Eigen::Index d, const Rational& scale, bool orthogonal) {
  const RationalMatrix ones = RationalMatrix::Ones(d, 1);
  RationalMatrix key = ones;
  if (orthogonal) key.topRows(d / 2) *= Rational(-1);
  return {ones, key, vector_of({1}), vector_of({1}), scale};
}

/// Keys k and −k with slopes δ and −δ: tokens 1 and −1, d entries of size 1, d even, and q·k = 0.
inline LearnedRow two_opposite_keys(Eigen::Index d, const Rational& scale) {
  LearnedRow row = signs_of_size_one(d, scale, true);
  row.key_tokens = vector_of({1, -1}).transpose();
  return row;
}

}  // namespace chapter_learning
}  // namespace sqrtdk::properties
