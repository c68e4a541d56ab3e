// Functions that some checks of chapter \ref variants call; its exercises put others there.
#pragma once

#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/variants/narrow_formats.hpp>
#include <sqrtdk/variants/weights.hpp>

#include <Eigen/Core>
#include <boost/multiprecision/eigen.hpp>

namespace sqrtdk::properties {
inline namespace chapter_variants {

using namespace sqrtdk::testing;

struct Formats {
  Rational (*rounded_to)(const Rational&, const BinaryFormat&) = sqrtdk::rounded_to;
  bool (*is_finite)(const Rational&, const BinaryFormat&) = sqrtdk::is_finite_in;
  bool (*raw)(unsigned, const Rational&) = sqrtdk::raw_scores_are_finite;
  bool (*divided)(unsigned, const Rational&) = sqrtdk::divided_scores_are_finite;
};

struct Fp8 {
  Rational (*rounded)(const Rational&, const BinaryFormat&) = sqrtdk::rounded_to;
  Rational (*sum)(unsigned, const BinaryFormat&) = sqrtdk::sum_of_rounded_shares;
  bool (*vanishes)(const Rational&, unsigned) = sqrtdk::fp8_weight_vanishes;
};

struct Sinks {
  using Vector = Eigen::Matrix<Rational, Eigen::Dynamic, 1>;
  Vector (*weights)(const Vector&, const Rational&) = [](const Vector& z, const Rational& sink) {
    return sqrtdk::weights_with_sink(z, sink);
  };
  Vector (*slopes)(const Vector&) = [](const Vector& p) { return sqrtdk::total_slopes(p); };
};

}  // namespace chapter_variants
}  // namespace sqrtdk::properties
