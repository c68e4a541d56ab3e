#include <sqrtdk/scale.hpp>

#include <iostream>

int main() {
  const sqrtdk::RationalDistribution fair_sign({-1, 1},
                                               {sqrtdk::Rational(1, 2), sqrtdk::Rational(1, 2)});
  const auto moments = sqrtdk::moments(fair_sign);
  const auto variance = sqrtdk::scaled_score_variance(64, moments, moments);
  std::cout << "variance of a scaled score: " << variance << '\n';
  return variance == 1 ? 0 : 1;
}
