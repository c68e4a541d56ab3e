// Code shared by the claims of chapter \ref softmax_error.
#pragma once

#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/kit.hpp>

#include "properties/softmax/functions.hpp"
#include "properties/softmax_error/outputs.hpp"

namespace sqrtdk::properties {
inline namespace chapter_softmax_error {

using namespace sqrtdk::testing;

/// Mutants of the same name, one for each type that a test goes through.
template <class Real>
SoftmaxArithmetic as_of_hardware() {
  SoftmaxArithmetic by = arithmetic_of<Real>();
  by.exp_error = 2;
  by.exp_argument_error = 0;
  by.log_error = 2;
  return by;
}

/// The functions that the bounds are checked on, in all the types that they are stated for.
struct Subject {
  Functions<double> in_double = {};
  Functions<float> in_float = {};
  Functions<long double> in_long_double = {};
  StoredFunctions<Eigen::half> in_half = {};
  StoredFunctions<Eigen::bfloat16> in_bfloat16 = {};
  Functions<Wide> in_fifty_digits = {};
  SoftmaxArithmetic (*of_fifty_digits)() = arithmetic_of<Wide>;
  std::size_t (*depth)(Summation, std::size_t, std::size_t) = summation_depth;
  OutputsOf<double> outputs = blockwise<double>;
  OutputsOf<float> outputs_in_float = blockwise<float>;
  OutputsOf<double> outputs_of_parts = in_two_parts<double>;
};

template <class Function>
Subject with_bound(Function function) {
  return wrong_bound<Subject>(function);
}

/// Runs a law for every type of hardware numbers: `law(functions, Real())`.
template <class Law>
void in_each(const Subject& subject, Law law) {
  in_both(subject, law);
  law(subject.in_long_double, 0.0L);
}

/// Runs a law for every storage type: `law(functions, Storage())`.
template <class Law>
void in_storage(const Subject& subject, Law law) {
  law(subject.in_half, Eigen::half());
  law(subject.in_bfloat16, Eigen::bfloat16());
}

/// Searches scores and temperatures for the greatest ratio of error to bound, by `law(scores, τ)`.
template <class Real, class Law>
void expect_no_worse(const std::string& type, Law law) {
  const Search search = {.seed = 5, .evaluations = checking_a_mutant() ? 1200U : 6000U};
  expect_bound_holds(worst_case(scores_and_temperature<Real>(), search,
                                [&](const Arrays<Real>& input) {
                                  return law(input.list("scores"), input.number("temperature"));
                                }),
                     type);
}

/// An adversary in float and double: `search(functions, Real(), prefix)`, for expect_no_worse().
template <class Adversary>
void in_float_and_double(const Subject& subject, Adversary search) {
  evidence().rests_on(EvidenceLevel::bounded);
  search(subject.in_float, 0.0F, "float_");
  search(subject.in_double, 0.0, "double_");
}

/// Scores and a temperature at which differences overflow, or nearly so.
template <class Real>
std::vector<std::pair<Values<Real>, Real>> overflowing_differences() {
  const Real max = std::numeric_limits<Real>::max();
  const Real least = std::numeric_limits<Real>::denorm_min();
  const Real depth = Real(arithmetic_of<Real>().depth_of_underflow);
  std::vector<std::pair<Values<Real>, Real>> cases;
  for (const Values<Real>& x :
       {Values<Real>{-max, max}, {max, -max / 2, 0}, {max / 2, -max * Real(0.75)}})
    for (const Real temperature :
         {max, max / 2, max / 4, max / depth * 2, max / depth, max / (2 * depth), std::sqrt(max),
          Real(2), Real(1), Real(0.5), least})
      cases.emplace_back(x, temperature);
  return cases;
}

/// The bounds as page and header state them, to fifty digits: a second route, without shared code.
struct PageBounds {
  Wide relative;
  Wide absolute;
  Wide of_log_sum_exp;
  Wide of_log_softmax;
};

template <class Real>
PageBounds page_bounds(const Values<Real>& x, std::size_t j, Real temperature,
                       const SoftmaxArithmetic& by) {
  const Wide tau = Wide(temperature);
  const Wide m = Wide(greatest_of(x));
  Wide S = 0;
  Wide T = 0;
  for (const Real& logit : x) {
    const Wide t = (m - Wide(logit)) / tau;
    const Wide weight = exp(-t);
    S += weight;
    if (weight > 0) T += weight * t;
  }
  T /= S;
  const Wide n = x.size();
  const Wide u = by.unit_roundoff;
  const Wide us = by.storage_roundoff;
  const Wide eta = by.smallest;
  const Wide A = by.exp_error;
  const Wide B = by.rescalings;
  const Wide D = by.quotient_roundings;
  const Wide R = temperature == 1 ? 1 : 2;
  const Wide r = R + by.exp_argument_error;
  const Wide L = 1 + log(2 / Wide(std::numeric_limits<Real>::denorm_min()));
  const Wide theta = (A + r * (1 + L)) * u;
  const Wide h = by.summation == Summation::any_order
                     ? Wide(n - 1)
                     : std::min(Wide(ceil(log2(n)) + by.block), Wide(n - 1));
  const Wide t = (m - Wide(x[j])) / tau;
  const Wide omega = 4 * n * (B + 1) * (A + 2) * eta;
  const Wide at_maximum = (r * T + h + 2 * A + B * (A + 1) + D) * u + omega;
  const Wide absolute = (1 + us) * (A + 2) * eta + Wide(by.storage_smallest) / 2;
  if (at_maximum + theta >= Wide(0.5) || 2 * n > Wide(by.largest))
    return {inf<Wide>, absolute, inf<Wide>, inf<Wide>};
  const Wide a = at_maximum + r * t * u;
  const Wide gamma = a / (1 - a - theta);
  const Wide s = ((r * T + h + A + B * (A + 1)) * u + omega) / (1 - theta);
  const Wide e = s + by.log_error * u * (log(S) + s);
  const Wide of_sum = (e + R * u * (abs(m / tau) + log(S) + e) + 2 * eta) / (1 - theta);
  const Wide f = (e + R * u * t + u * (t + log(S) + e) + 2 * eta) / (1 - theta);
  const Wide of_log = f + us * (t + log(S) + f) + Wide(by.storage_smallest) / 2;
  // With fits_in_range()'s margin for sizes in double.
  const auto fits = [](const Wide& size, double largest) {
    return (1 + Wide(bound_margin)) * size <= Wide(largest);
  };
  const bool in_range =
      fits(t + log(S) + f, by.largest) && fits(t + log(S) + of_log, by.storage_largest);
  return {t > L ? Wide(0) : Wide(gamma + us * (1 + gamma)), absolute,
          fits(abs(m / tau) + log(S) + of_sum, by.largest) ? of_sum : inf<Wide>,
          in_range ? of_log : inf<Wide>};
}

template <class Change>
SoftmaxArithmetic changed(SoftmaxArithmetic by) {
  Change{}(by);
  return by;
}

template <class Change>
Subject with_arithmetic(Change) {
  return with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
    return library_bound(x, temperature, changed<Change>(arithmetic));
  });
}

template <class Real>
SoftmaxArithmetic any_arithmetic() {
  SoftmaxArithmetic by = arithmetic_of<Real>();
  by.unit_roundoff = *rc::gen::element(by.unit_roundoff, 0x1p-11).as("u");
  by.largest = *rc::gen::element(by.largest, 0x1.ffcp15).as("largest");
  by.exp_error = *rc::gen::inRange(1, 9).as("A");
  by.exp_argument_error = *rc::gen::inRange(0, 4).as("kappa");
  by.log_error = *rc::gen::inRange(1, 65).as("Lambda");
  by.summation = *rc::gen::element(Summation::pairwise, Summation::any_order).as("order");
  by.block = *rc::gen::element<std::size_t>(1, by.block, 17, 128).as("block");
  by.rescalings = *rc::gen::inRange<std::size_t>(0, 9).as("B");
  by.quotient_roundings = *rc::gen::inRange(1U, 3U).as("D");
  by.storage_roundoff = *rc::gen::element(0.0, 0x1p-8, 0x1p-11).as("storage");
  by.storage_smallest = *rc::gen::element(0.0, 0x1p-24).as("smallest stored");
  by.storage_largest = *rc::gen::element(inf<double>, 0x1.ffcp15).as("largest stored");
  return by;
}

/// Arithmetics in which every term of the bounds counts, for a list of 33 scores.
template <class Real>
std::vector<SoftmaxArithmetic> telling_arithmetics() {
  SoftmaxArithmetic by = arithmetic_of<Real>();
  by.unit_roundoff = 0x1p-14;
  by.exp_error = 3;
  by.exp_argument_error = 2;
  by.log_error = 5;
  by.summation = Summation::any_order;
  by.rescalings = 2;
  by.quotient_roundings = 2;
  by.storage_roundoff = 0x1p-11;
  by.storage_smallest = 0x1p-24;
  SoftmaxArithmetic shallow = by;
  shallow.summation = Summation::pairwise;
  SoftmaxArithmetic in_blocks = shallow;
  in_blocks.block = 17;
  SoftmaxArithmetic coarse = by;
  coarse.smallest = 0x1p-17;
  SoftmaxArithmetic small = by;
  small.largest = 65;  // one less than twice 33
  return {by, shallow, in_blocks, coarse, small};
}

/// 33 scores from 0 to −8.
template <class Real>
Values<Real> telling_scores() {
  Values<Real> x;
  for (int j = 0; j <= 32; ++j) x.push_back(static_cast<Real>(-j) / 4);
  return x;
}

/// Expects computed bounds to be the page's formulas, raised for their own rounding, for any scores
/// and arithmetic: `agrees(scores, j, temperature, arithmetic)` says so of logit j.
template <class Real, class Agrees>
void expect_formulas_of_the_page(Agrees agrees) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const SoftmaxArithmetic& by : telling_arithmetics<Real>())
    for (const Real temperature : {Real(1), Real(2)})
      for (const std::size_t j : {0U, 7U, 32U}) {
        evidence().add_value();
        EXPECT_TRUE(agrees(telling_scores<Real>(), j, temperature, by)) << temperature << " " << j;
      }
  for_all(
      [&] {
        const Values<Real> x = *scores<Real>(33).as("x");
        const std::size_t j = *rc::gen::inRange<std::size_t>(0, x.size()).as("j");
        const Real temperature = *temperatures<Real>().as("temperature");
        RC_ASSERT(agrees(x, j, temperature, any_arithmetic<Real>()));
      },
      50);
}

}  // namespace chapter_softmax_error
}  // namespace sqrtdk::properties
