// The adversary stays within its space, reaches every edge of it, and finds faults of this library.
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/generators/float_classes.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/laws/exact_softmax.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/reporting/expect_worst.hpp>

#include <Eigen/Core>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

template <class Real>
constexpr Real infinity = std::numeric_limits<Real>::infinity();
template <class Real>
constexpr Real max = std::numeric_limits<Real>::max();
template <class Real>
constexpr Real least = std::numeric_limits<Real>::denorm_min();

Outcome of(double error, double bound) {
  return {.error = error, .bound = bound, .vacuous = false, .where = ""};
}

const Outcome vacuous = {.error = 1, .bound = 1, .vacuous = true, .where = ""};

// --------------------------------------------------------- Faults that random cases did not find

/// The softmax of commit 8359ccb: the difference of two scores may overflow.
template <class Real>
std::vector<Real> softmax_that_subtracts_first(const std::vector<Real>& x, Real temperature) {
  const Real greatest = *std::max_element(x.begin(), x.end());
  std::vector<Real> weights;
  Real sum = 0;
  for (const Real logit : x) {
    weights.push_back(std::exp((logit - greatest) / temperature));
    sum += weights.back();
  }
  for (Real& weight : weights) weight /= sum;
  return weights;
}

/// The entropy of commit 8359ccb: pᵢ(m − sᵢ) may underflow before it is divided by τ.
double entropy_that_multiplies_first(const std::vector<double>& s, double temperature) {
  const double greatest = *std::max_element(s.begin(), s.end());
  const std::vector<double> weights = softmax_that_subtracts_first(s, temperature);
  double sum = 0, mean = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    sum += std::exp((s[i] - greatest) / temperature);
    mean -= weights[i] * (s[i] - greatest) / temperature;
  }
  return std::log(sum) + mean;
}

/// Errors of weights, in units of 64u. Eight lose less: (2T + 2K + σ + 1)u, T ≤ 8/e, K = 1, σ = 7.
template <class Softmax>
Outcome weights_in_float(const Softmax& softmax, const Arrays<float>& input) {
  const std::vector<float>& x = input.list("scores");
  const float temperature = input.number("temperature");
  const ExactSoftmax<float> exact(x, temperature);
  const std::vector<float> computed = softmax(x, temperature);
  sqrtdk::testing::Nearest nearest;
  for (std::size_t j = 0; j < x.size(); ++j)
    nearest.compare(sqrtdk::testing::to_double(abs(Wide(computed[j]) - exact[j])), 64 * 0x1p-24,
                    [] { return "a weight"; });
  return nearest.outcome();
}

/// The same of an entropy, in units of 256u.
template <class Entropy>
Outcome entropy_in_double(const Entropy& entropy, const Arrays<double>& input) {
  const std::vector<double>& s = input.list("scores");
  const double temperature = input.number("temperature");
  const ExactSoftmax<double> exact(s, temperature);
  Wide wanted = 0;
  for (std::size_t j = 0; j < s.size(); ++j)
    if (exact[j] > 0) wanted -= exact[j] * exact.logarithm(j);
  const double computed = entropy(s, temperature);
  const double error = sqrtdk::testing::to_double(abs(Wide(computed) - wanted));
  return of(std::isnan(computed) ? computed : error, 256 * 0x1p-53);
}

/// The error of the exponential of fifty digits, beside the two half units that were promised.
Outcome exponential_of_fifty_digits(const Arrays<double>& input) {
  using Wider = boost::multiprecision::cpp_bin_float_100;
  const double x = input.number("x");
  const Wider exact = exp(Wider(x));
  const double error = (abs(Wider(exp(Wide(x))) - exact) / exact).convert_to<double>();
  return of(error, 2 * std::ldexp(1.0, -std::numeric_limits<Wide>::digits));
}

/// The properties' inputs: scores of any size up to 16 or 200, temperatures from 2⁻¹⁰ to 2¹⁰.
template <class Real>
InputSpace<Real> ordinary(Real largest) {
  return {.axes = {{.name = 'n'}},
          .arrays = {{"scores", "n", -largest, largest},
                     {"temperature", "", Real(0x1p-10), Real(0x1p10)}}};
}

const InputSpace<double> exponents = {.axes = {}, .arrays = {{"x", "", -3000, 0}}};

TEST(WorstCase, FindsTheDifferenceThatOverflows) {
  const auto law = [](const Arrays<float>& input) {
    return weights_in_float(softmax_that_subtracts_first<float>, input);
  };
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    const Worst worst = worst_case(scores_and_temperature<float>(), {.seed = seed}, law);
    EXPECT_GT(worst.ratio, 1) << worst;
    EXPECT_GT(worst.input.number("temperature"), 0x1p+120F) << worst;
  }
  const Search random{.evaluations = 10000, .patience = 0};
  EXPECT_LT(worst_case(ordinary<float>(16), random, law).ratio, 1);
  EXPECT_LT(worst_case(ordinary<float>(200), random, law).ratio, 1);
  EXPECT_LT(worst_case(ordinary<float>(max<float>), random, law).ratio, 1);
}

TEST(WorstCase, FindsTheProductThatUnderflowsAndTheEntropyThatIsNotANumber) {
  const auto law = [](const Arrays<double>& input) {
    return entropy_in_double(entropy_that_multiplies_first, input);
  };
  const InputSpace<double> cold = {
      .axes = {{.name = 'n'}},
      .arrays = {{"scores", "n", -1e3, 1e3}, {"temperature", "", least<double>, 1e3}}};
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    const Worst at_any = worst_case(scores_and_temperature<double>(), {.seed = seed}, law);
    EXPECT_GT(at_any.ratio, 1) << at_any;
    const Worst worst = worst_case(cold, {.seed = seed}, law);
    EXPECT_GT(worst.ratio, 1) << worst;
    EXPECT_LT(worst.input.number("temperature"), 0x1p-1000) << worst;
  }
  const Search random{.evaluations = 10000, .patience = 0};
  EXPECT_LT(worst_case(ordinary<double>(16), random, law).ratio, 1);
  EXPECT_LT(worst_case(ordinary<double>(200), random, law).ratio, 1);
}

TEST(WorstCase, FindsThatTheExponentialOfFiftyDigitsIsNoneOfTwoHalfUnits) {
  const Worst worst = worst_case(exponents, {.evaluations = 3000, .stop_above = infinity<double>},
                                 exponential_of_fifty_digits);
  EXPECT_GT(worst.ratio, 1000) << worst;
}

TEST(WorstCase, FindsNothingInASoftmaxThatIsRight) {
  const auto in_double = [](const std::vector<float>& x, float temperature) {
    const std::vector<float> weights = x;
    std::vector<double> wide(x.begin(), x.end());
    wide = softmax_that_subtracts_first(wide, static_cast<double>(temperature));
    return std::vector<float>(wide.begin(), wide.end());
  };
  const Worst worst =
      worst_case(scores_and_temperature<float>(), {.evaluations = 20000},
                 [&](const Arrays<float>& input) { return weights_in_float(in_double, input); });
  EXPECT_GT(worst.ratio, 0);
  EXPECT_LT(worst.ratio, 1) << worst;
  EXPECT_EQ(worst.evaluations, 20000U);
}

// -------------------------------------------------------------------------------- Against chance

/// The middle one of the ratios that searches from nine seeds find.
template <class Real, class Law>
double median_ratio(const InputSpace<Real>& space, Search search, const Law& law) {
  std::vector<double> ratios;
  for (search.seed = 1; search.seed <= 9; ++search.seed)
    ratios.push_back(worst_case(space, search, law).ratio);
  std::sort(ratios.begin(), ratios.end());
  return ratios[4];
}

TEST(WorstCase, ComesNearerToABoundThanRandomSearchWithTheSameBudget) {
  const InputSpace<float> logits = {
      .axes = {{.name = 'n'}}, .arrays = {{"scores", "n", -100, 100}, {"temperature", "", 1, 1}}};
  const auto law = [](const Arrays<float>& input) {
    const std::vector<float>& x = input.list("scores");
    return accuracy_law<float>(softmax_that_subtracts_first<float>, x);
  };
  const double climbed = median_ratio(logits, {.evaluations = 3000}, law);
  const double drawn = median_ratio(logits, {.evaluations = 3000, .patience = 0}, law);
  EXPECT_GT(climbed, drawn);
  RecordProperty("climbed", format_fixed(climbed, 2));
  RecordProperty("drawn", format_fixed(drawn, 2));
}

TEST(WorstCase, ClimbsToOneNumberOfTwoToThePowerSixtyFour) {
  constexpr double hidden = 0x1.23456789abcdep-700;
  const InputSpace<double> numbers = {.axes = {}, .arrays = {{"x"}}};
  const auto nearness = [](const Arrays<double>& input) {
    const double x = input.number("x");
    const double ulps = std::abs(x - hidden) / (hidden * 0x1p-52);
    return of(1 / (1 + std::log2(1 + std::min(ulps, 0x1p1000))), 1);
  };
  const Worst climbed = worst_case(numbers, {.evaluations = 200000}, nearness);
  EXPECT_EQ(climbed.input.number("x"), hidden) << climbed;
  EXPECT_LT(worst_case(numbers, {.evaluations = 200000, .patience = 0}, nearness).ratio, 0.1);
}

// ------------------------------------------------------------------------------------------ Space

const InputSpace<float> attention = {.axes = {{'n', 1, 3}, {'m', 2, 4}, {'d', 1, 5}},
                                     .arrays = {{"Q", "nd", -8, 8},
                                                {"K", "md", -8, 8},
                                                {"biases", "nm", -4, 4, true},
                                                {"scale", "", 0x1p-10F, 2}}};

TEST(WorstCase, StaysWithinItsSpace) {
  std::size_t checked = 0;
  worst_case(attention, {.evaluations = 5000}, [&](const Arrays<float>& input) {
    ++checked;
    const auto q = input.matrix("Q");
    const auto k = input.matrix("K");
    const auto b = input.matrix("biases");
    EXPECT_EQ(q.cols(), k.cols());
    EXPECT_EQ(q.rows(), b.rows());
    EXPECT_EQ(k.rows(), b.cols());
    EXPECT_TRUE(q.rows() >= 1 && q.rows() <= 3 && k.rows() >= 2 && k.rows() <= 4 && q.cols() >= 1 &&
                q.cols() <= 5);
    EXPECT_TRUE((q.array().abs() <= 8).all() && (k.array().abs() <= 8).all());
    EXPECT_TRUE((b.array() == -infinity<float> || b.array().abs() <= 4).all());
    EXPECT_TRUE(input.number("scale") >= 0x1p-10F && input.number("scale") <= 2);
    return of(static_cast<double>(std::abs(q(0, 0) - k(0, 0))), 100);
  });
  EXPECT_EQ(checked, 5000U);
}

template <class Real, class Feature>
std::size_t inputs_with(const InputSpace<Real>& space, Feature feature) {
  std::size_t count = 0;
  worst_case(space, {.evaluations = 30000}, [&](const Arrays<Real>& input) {
    count += feature(input) ? 1U : 0U;
    return Outcome{};
  });
  return count;
}

template <class Real>
void expect_edges() {
  InputSpace<Real> space = scores_and_temperature<Real>(6);
  space.arrays[0].minus_infinity = true;
  using F = sqrtdk::testing::Format<Real>;
  const auto some_score = [&](auto feature) {
    return inputs_with(space, [&](const Arrays<Real>& input) {
      const auto& x = input.list("scores");
      return std::any_of(x.begin(), x.end(), feature);
    });
  };
  const auto is = [](Real value) { return [value](Real x) { return x == value; }; };
  EXPECT_GT(some_score(is(-infinity<Real>)), 20U);
  EXPECT_GT(some_score(is(max<Real>)), 20U);
  EXPECT_GT(some_score(is(-max<Real>)), 20U);
  EXPECT_GT(some_score(is(F::previous(max<Real>))), 5U);
  EXPECT_GT(some_score(is(least<Real>)), 5U);
  EXPECT_GT(some_score(is(F::next(Real(1)))), 5U);
  EXPECT_GT(some_score(is(Real(0))), 20U);
  EXPECT_GT(some_score([](Real x) { return class_of(x) == FloatClass::subnormal; }), 20U);
  const auto temperatures = [&](auto feature) {
    return inputs_with(
        space, [&](const Arrays<Real>& input) { return feature(input.number("temperature")); });
  };
  EXPECT_GT(temperatures(is(max<Real>)), 20U);
  EXPECT_GT(temperatures(is(least<Real>)), 20U);
  EXPECT_GT(temperatures(is(Real(1))), 5U);
  const auto shapes = [&](auto feature) {
    return inputs_with(space,
                       [&](const Arrays<Real>& input) { return feature(input.list("scores")); });
  };
  for (const std::size_t n : {1U, 2U, 3U, 6U})
    EXPECT_GT(shapes([n](const auto& x) { return x.size() == n; }), 20U) << n;
  EXPECT_GT(shapes([](const auto& x) { return shape_of(x) == Shape::all_equal; }), 5U);
  EXPECT_GT(shapes([](const auto& x) { return shape_of(x) == Shape::ties; }), 20U);
}

TEST(WorstCase, ReachesTheEdgesOfFloat) { expect_edges<float>(); }
TEST(WorstCase, ReachesTheEdgesOfDouble) { expect_edges<double>(); }

TEST(WorstCase, SearchesStorageFormats) {
  const InputSpace<Eigen::half> halves = {.axes = {{.name = 'n'}}, .arrays = {{"x", "n"}}};
  const Worst worst = worst_case(halves, {.stop_above = 2}, [](const Arrays<Eigen::half>& input) {
    float sum = 0;
    for (const Eigen::half x : input.list("x")) sum += std::abs(static_cast<float>(x));
    return of(sum, 65504.0 * 8);
  });
  EXPECT_EQ(worst.ratio, 1) << worst;
}

// --------------------------------------------------------------------------------------- Reports

TEST(WorstCase, IsTheSameForTheSameSeed) {
  const auto law = [](const Arrays<float>& input) {
    return weights_in_float(softmax_that_subtracts_first<float>, input);
  };
  const Search search{.seed = 7, .evaluations = 500, .stop_above = infinity<double>};
  const auto text = [&](const Search& s) {
    return worst_case(scores_and_temperature<float>(), s, law).input.text();
  };
  EXPECT_EQ(text(search), text(search));
  EXPECT_NE(text(search), text({.seed = 8, .evaluations = 500, .stop_above = infinity<double>}));
}

TEST(WorstCase, StopsAtTheFirstViolationUnlessToldOtherwise) {
  const auto law = [](const Arrays<double>&) { return of(3, 2); };
  EXPECT_EQ(worst_case(exponents, {.evaluations = 50}, law).evaluations, 1U);
  EXPECT_EQ(worst_case(exponents, {.evaluations = 50, .stop_above = 1.5}, law).evaluations, 50U);
}

TEST(WorstCase, JudgesWhatIsNoOrdinaryRatio) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ratio_of(of(3, 2)), 1.5);
  EXPECT_EQ(ratio_of(of(0, 0)), 0);
  EXPECT_EQ(ratio_of(of(1, 0)), infinity<double>);
  EXPECT_EQ(ratio_of(of(nan, 1)), infinity<double>);
  EXPECT_EQ(ratio_of(of(0, nan)), infinity<double>);
  EXPECT_EQ(ratio_of(of(infinity<double>, 1)), infinity<double>);
  EXPECT_EQ(ratio_of(of(1, infinity<double>)), -1);
  EXPECT_EQ(ratio_of(vacuous), -1);
}

TEST(WorstCase, CountsInputsOutsideOfTheDomainAsNone) {
  const auto never = [](const Arrays<double>&) { return vacuous; };
  EXPECT_EQ(worst_case(exponents, {.evaluations = 20}, never).ratio, -1);
  const auto below_minus_ten = [](const Arrays<double>& input) {
    if (input.number("x") > -10) throw std::domain_error("too large");
    return of(1 / -input.number("x"), 1);
  };
  const Worst worst = worst_case(exponents, {.evaluations = 2000}, below_minus_ten);
  EXPECT_GT(worst.ratio, 0.0999);
  EXPECT_LE(worst.ratio, 0.1);
}

TEST(WorstCase, WritesNumbersInHex) {
  const Arrays<float> input({{"Q", 2, 2, {1, -1.5F, 0, 2}}, {"x", 1, 1, {0.75F}}});
  EXPECT_EQ(input.text(), "Q = {0x1p+0, -0x1.8p+0; 0x0p+0, 0x1p+1}, x = 0x1.8p-1");
  std::ostringstream text;
  text << Worst<float>{.input = input, .ratio = 0.5, .error = 1, .bound = 2, .evaluations = 9};
  EXPECT_EQ(text.str(), "error 1 of a bound of 2, the worst of 9 evaluations, at " + input.text());
}

TEST(WorstCase, RefusesAnEmptySpaceAndAnEmptyBudget) {
  const auto law = [](const Arrays<double>&) { return Outcome{}; };
  EXPECT_THROW(worst_case(InputSpace<double>{}, {}, law), std::invalid_argument);
  EXPECT_THROW(worst_case(exponents, {.evaluations = 0}, law), std::domain_error);
  EXPECT_THROW(worst_case(InputSpace<double>{.axes = {}, .arrays = {{"x", "n"}}}, {}, law),
               std::invalid_argument);
  EXPECT_THROW(
      worst_case(InputSpace<double>{.axes = {{'n', 3, 2}}, .arrays = {{"x", "n"}}}, {}, law),
      std::invalid_argument);
  EXPECT_THROW(worst_case(InputSpace<double>{.axes = {}, .arrays = {{"x", "", 2, 1}}}, {}, law),
               std::invalid_argument);
  EXPECT_THROW(Arrays<float>({}).list("x"), std::invalid_argument);
}

TEST(WorstCase, IsAnAssertionAndEvidence) {
  const Arrays<double> input({{"x", 1, 1, {1}}});
  expect_bound_holds(Worst<double>{.input = input, .ratio = 0.5, .error = 1, .bound = 2}, "kept_");
  EXPECT_NONFATAL_FAILURE(
      expect_bound_holds(Worst<double>{.input = input, .ratio = 3, .error = 6, .bound = 2}),
      "error 6 of a bound of 2");
  EXPECT_NONFATAL_FAILURE(expect_bound_holds(Worst<double>{.input = input}),
                          "says something at no input");
}

}  // namespace
