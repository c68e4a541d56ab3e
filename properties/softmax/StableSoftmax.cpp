#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include "properties/softmax/fixture.hpp"
#include "properties/support/outcomes.hpp"

#include <boost/math/differentiation/autodiff.hpp>

namespace sqrtdk::properties::StableSoftmax {

template <class Real>
const Real nan_of = std::numeric_limits<Real>::quiet_NaN();

//! [StableSoftmax]
STATEMENT(StableSoftmax, NeverOverflows) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    const Real least = std::numeric_limits<Real>::lowest();
    for (const Real x : {least, -least, Real(-1000), Real(1000), Real(0)})
      for (const std::size_t n : {1U, 2U, 5U})
        EXPECT_EXACTLY(bits_of(functions.softmax(Values<Real>(n, x), 1)) ==
                       bits_of(functions.softmax(Values<Real>(n, 0), 1)))
            << "the bits of the weights of " << n << " logits of " << x << ", and of 0";
    EXPECT_EXACTLY(bits_of(functions.softmax({least, -least}, 1)) == bits_of(Values<Real>{0, 1}))
        << "the bits of the weights of logits " << least << " and " << -least << ", and of 0 and 1";
    // The difference overflows, and at a temperature as large it does no harm: e^−2 to 1.
    EXPECT_EXACTLY(Rational(functions.softmax({least, -least}, -least)[0]) > 0)
        << "the first weight of logits " << least << " and " << -least << " at temperature "
        << -least;
    for_all([&] {
      const Values<Real> x = *scores<Real>().as("x");
      const Values<Real> y = functions.softmax(x, *temperatures<Real>().as("temperature"));
      for (std::size_t j = 0; j < x.size(); ++j) {
        const Rational weight(y[j]);
        EXPECT_EXACTLY((weight >= 0 && weight <= 1));
        // exact: the greatest of given numbers
        EXPECT_EXACTLY((weight > 0 || x[j] < greatest_of(x)));
      }
    });
  });
  const Values<double> y = subject.in_double.softmax({-1.7e308, 1.7e308}, 1e308);
  record_value("first", format_fixed(y[0], 3));
  record_value("second", format_fixed(y[1], 3));
}
//! [StableSoftmax]
KILLS("the maximum is not subtracted", with_softmax([](auto& x, auto temperature) {
        return shifted_softmax(x, 0 * temperature, temperature);
      }));
KILLS("the greatest absolute value is subtracted", with_softmax([](auto& x, auto temperature) {
        auto greatest = std::abs(x.front());
        for (const auto logit : x) greatest = std::max(greatest, std::abs(logit));
        return shifted_softmax(x, greatest, temperature);
      }));
KILLS("the maximum starts at 0", with_softmax([](auto& x, auto temperature) {
        return shifted_softmax(x, std::max(0 * temperature, greatest_of(x)), temperature);
      }));
KILLS("the maximum starts at the smallest normal number",
      with_softmax([](auto& x, auto temperature) {
        using Real = decltype(temperature);
        return shifted_softmax(x, std::max(std::numeric_limits<Real>::min(), greatest_of(x)),
                               temperature);
      }));
KILLS("the last logit is left out of the maximum", with_softmax([](auto& x, auto temperature) {
        auto others = x;
        if (others.size() > 1) others.pop_back();
        return shifted_softmax(x, greatest_of(others), temperature);
      }));
KILLS("differences may overflow", with_softmax([](auto& x, auto temperature) {
        return shifted_softmax(x, greatest_of(x), temperature);
      }));

//! [StableSoftmax: in floating point]
ASIDE(StableSoftmax, IsTheFormulaWhereThatWorks) {
  evidence().rests_on(EvidenceLevel::bounded);
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    const auto agree = [&](const Values<Real>& x) {
      // The formula as written has no difference to round, so that its bound is less than twice
      // what is left of this one.
      const SoftmaxErrorBound bound = functions.bound(x, 1, arithmetic_of<Real>());
      SoftmaxErrorBound both = bound;
      both.relative *= 2 * (1 + 2 * bound.relative.maxCoeff());
      both.absolute *= 2;
      const Values<Real> naive = functions.naive(x, 1);
      const Values<Real> stable = functions.softmax(x, 1);
      bool agreed = naive.size() == stable.size();
      for (std::size_t j = 0; agreed && j < x.size(); ++j) {
        const auto i = static_cast<Eigen::Index>(j);
        const double difference = std::abs(static_cast<double>(naive[j] - stable[j]));
        const double allowed =
            both(i, std::max(static_cast<double>(naive[j]), static_cast<double>(stable[j])));
        agreed = difference <= allowed;
        if (agreed) evidence().worst(difference / allowed, 1);
      }
      return agreed;
    };
    for (const Values<Real>& x : {Values<Real>{1, 2, 3}, {-30, 30, 0}})
      EXPECT_TRUE(agree(x)) << "softmax is not what the formula says as it is written";
    const Real max = std::numeric_limits<Real>::max();
    expect(accuracy_law<Real>(functions.softmax, {-max, max}, max));
    for_all([&] {
      const Values<Real> x =
          *vectors<Real>({.longest = 33, .entries = {.largest = Real(32)}}).as("x");
      RC_ASSERT(agree(x));
    });
  });
}
//! [StableSoftmax: in floating point]
KILLS("the second logit takes the weight of the first", with_softmax([](auto& x, auto temperature) {
        auto y = library_softmax(x, temperature);
        if (y.size() > 1) y[1] = y[0];
        return y;
      }));
KILLS("powers of 2 are taken", with_softmax([](auto& x, auto temperature) {
        return library_softmax(x, static_cast<decltype(temperature)>(temperature / std::log(2.0)));
      }));

STATEMENT(StableSoftmax, InExactArithmeticItIsTheFormula) {
  for_all([&] {
    // With τ = 1/a: e^((x − m)/τ) is the power a of e^x over the greatest.
    const Vector w = *positive_weights().as("the weights e^x");
    const unsigned a = *rc::gen::inRange(1U, 4U).as("1/τ");
    const Rational greatest = *std::max_element(w.begin(), w.end());
    Vector powers(w.size(), 1);
    Vector subtracted(w.size(), 1);
    for (std::size_t j = 0; j < w.size(); ++j)
      for (unsigned k = 0; k < a; ++k) {
        powers[j] *= w[j];
        subtracted[j] *= w[j] / greatest;
      }
    Vector formula;
    for (const Rational& power : powers) formula.push_back(power / total(powers));
    EXPECT_EXACTLY(subject.normalized(subtracted) == formula);
  });
}
KILLS("the greatest is taken for the sum", with_normalized([](auto& w) {
        Vector p;
        for (const Rational& x : w) p.push_back(x / *std::max_element(w.begin(), w.end()));
        return p;
      }));
KILLS("the greatest is left out of the sum", with_normalized([](auto& w) {
        if (w.size() == 1) return library_normalized(w);
        Vector p;
        const Rational rest = total(w) - *std::max_element(w.begin(), w.end());
        for (const Rational& x : w) p.push_back(x / rest);
        return p;
      }));

ASIDE(StableSoftmax, AShortFormatMayHaveNoRoomForTheSum) {
  // 70000 ones are more than the largest number of binary16, so that each weight would be 0. The
  // library computes in float and rounds at the end: 240 times the smallest number.
  const Values<Eigen::half> ones(70000, Eigen::half(1.0F));
  EXPECT_EXACTLY((Eigen::numext::isinf)(pairwise_sum(std::span<const Eigen::half>(ones))));
  const float weight = subject.in_float.softmax(Values<float>(70000, 0.0F), 1)[0];
  EXPECT_EXACTLY(Rational(static_cast<float>(Eigen::half(weight))) == Rational(240, 1 << 24));
  counterexample_without("room for the sum");
}
KILLS("the sum is taken in binary16",
      {.in_float = {.softmax = [](auto& x, float) {
         const Values<Eigen::half> ones(x.size(), Eigen::half(1.0F));
         const auto sum = pairwise_sum(std::span<const Eigen::half>(ones));
         return Values<float>(x.size(), 1 / static_cast<float>(sum));
       }}});

ASIDE(StableSoftmax, AHigherTemperatureSpreadsTheWeights) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    using Limits = std::numeric_limits<Real>;
    for (const auto& [low, high] :
         {std::pair(Real(0.5), Real(4)), {Real(1), Limits::max()}, {Limits::denorm_min(), Real(2)}})
      expect(temperature_law<Real>(functions.softmax, {0, 1, 3}, low, high));
    for_all(
        [&] {
          const Values<Real> x =
              *vectors<Real>({.shortest = 2, .longest = 9, .entries = {.largest = Real(16)}})
                   .as("x");
          const Real one = *temperatures<Real>().as("a temperature");
          const Real other = *temperatures<Real>().as("another one");
          require_law(temperature_law<Real>(functions.softmax, x, std::min(one, other),
                                            std::max(one, other)));
        },
        50);
  });
}
KILLS("temperatures above 1 are inverted", with_softmax([](auto& x, auto temperature) {
        return temperature > 1 ? library_softmax(x, 1 / temperature)
                               : library_softmax(x, temperature);
      }));

ASIDE(StableSoftmax, WithoutAGreatestLogitThereIsNoAnswer) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    expect_refusal<std::domain_error>([&] { functions.softmax({-inf<Real>, -inf<Real>}, 1); });
    expect_refusal<std::domain_error>([&] { functions.softmax({inf<Real>, Real(0)}, 1); });
    expect_refusal<std::domain_error>([&] { functions.log_softmax({-inf<Real>}, 1); });
    expect_refusal<std::domain_error>([&] { functions.log_softmax({inf<Real>}, 1); });
    expect_refusal<std::domain_error>([&] { functions.online({-inf<Real>, -inf<Real>}, 1); });
    expect_refusal<std::domain_error>([&] { functions.online({Real(0), inf<Real>}, 1); });
    expect_refusal<std::domain_error>(
        [&] { functions.bound({-inf<Real>}, 1, arithmetic_of<Real>()); });
    // The logarithm of the sum has a limit in both cases.
    const auto nothing = bits_of(-inf<Real>);
    EXPECT_EXACTLY(bits_of(functions.log_sum_exp({-inf<Real>, -inf<Real>}, 1)) == nothing);
    EXPECT_EXACTLY(bits_of(functions.log_sum_exp({inf<Real>, Real(0)}, 1)) == bits_of(inf<Real>));
    EXPECT_EXACTLY(bits_of(functions.log_softmax({Real(0), -inf<Real>}, 1)) ==
                   bits_of(Values<Real>{0, -inf<Real>}));
    PartialSoftmax<Real> state;
    EXPECT_EXACTLY(bits_of(state.log_sum_exp()) == nothing);
    state.add(-inf<Real>);
    EXPECT_EXACTLY(bits_of(state.log_sum_exp()) == nothing);
    state.add(Real(5));
    EXPECT_EXACTLY(bits_of(state.log_sum_exp()) == bits_of(Real(5)));
    EXPECT_EXACTLY(bits_of(state.maximum()) == bits_of(Real(5)));
    EXPECT_EXACTLY(bits_of(state.sum()) == bits_of(Real(1)));
    EXPECT_EXACTLY(state.count() == 2U);
  });
  counterexample_without("a greatest logit");
}
KILLS("minus infinity throughout is shared out evenly", with_softmax([](auto& x, auto temperature) {
        const bool nothing = std::all_of(x.begin(), x.end(),
                                         [](auto logit) { return logit == -inf<decltype(logit)>; });
        auto same = x;
        for (auto& logit : same) logit = 0;
        return library_softmax(nothing ? same : x, temperature);
      }));

ASIDE(StableSoftmax, NaNMakesEveryWeightNaN) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    const Real bad = nan_of<Real>;
    for (const Values<Real>& x : {Values<Real>{bad},
                                  {bad, 0},
                                  {0, bad},
                                  {0, bad, 1},
                                  {-inf<Real>, bad},
                                  {bad, inf<Real>}}) {
      const auto all_nan = [](const Values<Real>& y) {
        return std::all_of(y.begin(), y.end(), [](Real weight) { return std::isnan(weight); });
      };
      EXPECT_EXACTLY(all_nan(functions.softmax(x, 1)));
      EXPECT_EXACTLY(all_nan(functions.log_softmax(x, 1)));
      EXPECT_EXACTLY(std::isnan(functions.log_sum_exp(x, 1)));
      // exact: infinite or not
      if (x.back() != inf<Real>) {
        EXPECT_EXACTLY(all_nan(functions.online(x, 1)));
      }
    }
  });
}
KILLS("NaN counts as 0", with_softmax([](auto& x, auto temperature) {
        auto without = x;
        for (auto& logit : without)
          if (std::isnan(logit)) logit = 0;
        return library_softmax(without, temperature);
      }));

ASIDE(StableSoftmax, RefusesWhatHasNoMeaning) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    expect_refusal<std::invalid_argument>([&] { functions.softmax({}, 1); });
    expect_refusal<std::invalid_argument>([&] { functions.naive({}, 1); });
    expect_refusal<std::invalid_argument>([&] { functions.log_softmax({}, 1); });
    expect_refusal<std::invalid_argument>([&] { functions.log_sum_exp({}, 1); });
    expect_refusal<std::invalid_argument>([&] { functions.online({}, 1); });
    expect_refusal<std::invalid_argument>([&] { functions.bound({}, 1, arithmetic_of<Real>()); });
    expect_refusal<std::invalid_argument>([&] { PartialSoftmax<Real>().weight(0); });
    for (const Real temperature : {Real(0), Real(-1), inf<Real>, nan_of<Real>}) {
      expect_refusal<std::domain_error>([&] { functions.softmax({Real(0)}, temperature); });
      expect_refusal<std::domain_error>([&] { functions.log_softmax({Real(0)}, temperature); });
      expect_refusal<std::domain_error>([&] { functions.log_sum_exp({Real(0)}, temperature); });
    }
    expect_refusal<std::domain_error>(
        [&] { functions.bound({nan_of<Real>}, 1, arithmetic_of<Real>()); });
  });
  expect_refusal<std::domain_error>([&] { summation_depth(Summation::pairwise, 0); });
  expect_refusal<std::domain_error>([&] { summation_depth(Summation::pairwise, 1, 0); });
}
KILLS("a temperature of 0 is the temperature 1", with_softmax([](auto& x, auto temperature) {
        return library_softmax(x, temperature == 0 ? decltype(temperature)(1) : temperature);
      }));
KILLS("nothing has no weights", {.in_double = {.softmax = [](auto& x, double temperature) {
                                   return x.empty() ? x : library_softmax(x, temperature);
                                 }}});

ASIDE(StableSoftmax, TakesEveryKindOfNumber) {
  // Spans, rows and expressions give the same weights.
  const Values<double> x = {1, 2, 3};
  const Values<double> y = subject.in_double.softmax(x, 2);
  EXPECT_EQ(values<double>(softmax(std::span(x), 2)), y);
  EXPECT_EQ(values<double>(softmax(column(x).transpose(), 2).transpose()), y);
  EXPECT_EQ(values<double>(softmax(2 * column(x), 4)), y);
  EXPECT_EQ(log_sum_exp(std::span(x)), subject.in_double.log_sum_exp(x, 1));
  EXPECT_EQ(values<double>(log_softmax(std::span(x))), subject.in_double.log_softmax(x, 1));
  const Values<long double> longer(x.begin(), x.end());
  expect(accuracy_law<long double>(library_softmax<long double>, longer));
  // Derivatives: ±1/4 at two equal logits, where nothing is rounded.
  const auto moving = boost::math::differentiation::make_fvar<double, 1>(0.0);
  Column<std::decay_t<decltype(moving)>> pair(2);
  pair << moving, 0.0;
  EXPECT_EQ(softmax(pair)[0].derivative(1), 0.25);
  EXPECT_EQ(softmax(pair)[1].derivative(1), -0.25);
  EXPECT_EQ(online_softmax(pair)[1].derivative(1), -0.25);
  EXPECT_EQ(log_sum_exp(pair).derivative(1), 0.5);
  EXPECT_EQ(log_softmax(pair)[1].derivative(1), -0.5);
  Column<std::complex<double>> turned(2);
  turned << std::complex<double>(0, 0x1p-200), 0.0;
  EXPECT_EQ(naive_softmax(turned)[0].imag(), 0x1p-202);
}
KILLS("the temperature is taken twice if it is 2", with_softmax([](auto& x, auto temperature) {
        return library_softmax(x, temperature == 2 ? decltype(temperature)(4) : temperature);
      }));

}  // namespace sqrtdk::properties::StableSoftmax
