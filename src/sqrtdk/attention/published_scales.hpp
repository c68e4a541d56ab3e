// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref attention : by what published models divide their scores.
#pragma once

#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/score.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk {

/// A publication's rule for the divisor of a model's scores.
enum class PublishedRule {
  root,        ///< divided by √d
  none,        ///< not divided
  multiplier,  ///< multiplied by a number that is given
  square       ///< divided by the root of a number that is given
};

/// The scale of a published model.
struct PublishedScale {
  std::string model;           ///< its name, with the size where sizes differ
  std::size_t head_dimension;  ///< d, at least 1
  PublishedRule rule;          ///< as the publication says
  Rational number;             ///< the number that is given, greater than 0; else not looked at
  std::string reference;       ///< the entry of the bibliography
};

/// The models that the chapter looks at.
/// \implements{ScalingIsUniversal}
/// \relatesalso PublishedScale
std::vector<PublishedScale> published_scales();

/// c², the square of what a model divides its scores by.
/// \param scale what is published.
/// \throws std::domain_error if a number is needed and is not greater than 0.
/// \implements{ScalingIsUniversal}
/// \relatesalso PublishedScale
Rational squared_divisor(const PublishedScale& scale);

/// d/c², the variance of a scaled score if all entries are independent with mean 0 and variance 1.
/// \param scale what is published.
/// \throws std::domain_error if the dimension is 0, or a number is needed and not greater than 0.
/// \implements{ScalingIsUniversal}
/// \relatesalso PublishedScale
Rational published_score_variance(const PublishedScale& scale);

// Implementation

namespace detail {

inline Rational published_number(const PublishedScale& scale) {
  require_positive("the number published for " + scale.model, scale.number);
  return scale.number;
}

}  // namespace detail

//! [ScalingIsUniversal]
inline std::vector<PublishedScale> published_scales() {
  return {
      {"Transformer, base", 64, PublishedRule::root, 0, "vaswani2017"},
      {"BERT, base", 64, PublishedRule::root, 0, "devlin2019"},
      {"GPT-2", 64, PublishedRule::root, 0, "radford2019"},
      {"LLaMA 7B", 128, PublishedRule::root, 0, "touvron2023"},
      {"Gemma 7B", 256, PublishedRule::root, 0, "gemma2024"},
      {"Swin-T", 32, PublishedRule::root, 0, "liu2021"},
      {"Qwen3 8B", 128, PublishedRule::root, 0, "qwenthree2025"},
      {"DeepSeek-V3", 192, PublishedRule::root, 0, "deepseek2025"},
      {"Gemma 2 27B", 128, PublishedRule::square, 144, "gemmatwo2024"},
      {"Gemma 3 27B", 128, PublishedRule::square, 168, "gemmathree2025"},
      {"T5, base", 64, PublishedRule::none, 0, "raffel2020"},
      {"GPT-Neo 1.3B", 128, PublishedRule::none, 0, "black2021"},
      {"Granite 3.2 2B", 64, PublishedRule::multiplier, Rational(15625, 1000000), "granite2025"}};
}

inline Rational squared_divisor(const PublishedScale& scale) {
  switch (scale.rule) {
    case PublishedRule::root:
      return Rational(scale.head_dimension);
    case PublishedRule::none:
      return 1;
    case PublishedRule::multiplier: {
      const Rational multiplier = detail::published_number(scale);
      return 1 / (multiplier * multiplier);
    }
    case PublishedRule::square:
      return detail::published_number(scale);
  }
  throw std::domain_error("the rule of " + scale.model + " is none of the four");
}

inline Rational published_score_variance(const PublishedScale& scale) {
  const Moments standardized(0, 1);
  return dot_product_variance(scale.head_dimension, standardized, standardized) /
         squared_divisor(scale);
}
//! [ScalingIsUniversal]

}  // namespace sqrtdk
