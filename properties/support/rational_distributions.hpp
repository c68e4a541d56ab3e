// Rational distributions and numbers that several chapters check with.
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>

#include <rapidcheck.h>

#include <cstddef>

namespace sqrtdk::testing {

inline const RationalDistribution fair_sign({-1, 1}, {Rational(1, 2), Rational(1, 2)});
inline const RationalDistribution fair_bit({0, 1}, {Rational(1, 2), Rational(1, 2)});

/// A number of features, from 1 on.
inline rc::Gen<std::size_t> dimension(std::size_t most) {
  return rc::gen::inRange<std::size_t>(1, most + 1);
}

/// A number above 0.
inline rc::Gen<Rational> positive_rational() {
  return rc::gen::map(nonzero_rational(), [](const Rational& x) { return Rational(abs(x)); });
}

}  // namespace sqrtdk::testing
