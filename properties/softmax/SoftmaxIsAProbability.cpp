#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include "properties/softmax/fixture.hpp"
#include "properties/support/outcomes.hpp"

namespace sqrtdk::properties::SoftmaxIsAProbability {

//! [SoftmaxIsAProbability]
STATEMENT(SoftmaxIsAProbability, WeightsOverTheirSumAreAProbability) {
  for_all([&] {
    const Vector w = *positive_weights().as("the weights e^x");
    const Vector p = subject.normalized(w);
    EXPECT_EXACTLY(p.size() == w.size());
    EXPECT_EXACTLY(total(p) == 1);
    for (std::size_t i = 0; i < w.size(); ++i) {
      EXPECT_EXACTLY(p[i] > 0);
      // Ratios are kept, and the order with them.
      EXPECT_EXACTLY(p[i] * w[0] == p[0] * w[i]);
      EXPECT_EXACTLY((p[i] < p[0]) == (w[i] < w[0]));
    }
    EXPECT_EXACTLY(subject.normalized(Vector(w.rbegin(), w.rend())) ==
                   Vector(p.rbegin(), p.rend()));
  });
}
//! [SoftmaxIsAProbability]
KILLS("the last weight is left out of the sum", with_normalized([](auto& w) {
        Vector p;
        for (const Rational& x : w)
          p.push_back(Rational(x / (w.size() > 1 ? Rational(total(w) - w.back()) : w[0])));
        return p;
      }));
KILLS("the weights are divided by the greatest", with_normalized([](auto& w) {
        Vector p;
        for (const Rational& x : w)
          p.push_back(Rational(x / *std::max_element(w.begin(), w.end())));
        return p;
      }));
KILLS("the probabilities are all alike",
      with_normalized([](auto& w) { return Vector(w.size(), Rational(1, w.size())); }));

//! [SoftmaxIsAProbability: exact check]
STATEMENT(SoftmaxIsAProbability, AChangeOfTheWeightsMovesThemByATangentAtMost) {
  for_all([&] {
    // h = ln r: each weight e^x is multiplied by a factor from 1/r to r.
    const Vector w = *positive_weights().as("the weights e^x");
    const Rational r = 1 + *positive_rational().as("the factor e^h, less 1");
    Vector changed = w;
    for (Rational& weight : changed) {
      const Rational part(*rc::gen::element(0, 0, 30, 100, 100).as("percent of the way"), 100);
      weight *= 1 / r + part * (r - 1 / r);
    }
    const Vector p = subject.normalized(w);
    const Vector q = subject.normalized(changed);
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_EXACTLY((q[i] <= r * r * p[i] && p[i] <= r * r * q[i]));
      EXPECT_EXACTLY(abs(Rational(q[i] - p[i])) <= subject.largest_move(r));
    }
  });
  for (const Rational& r :
       {Rational(1025, 1024), Rational(3, 2), Rational(2), Rational(10), Rational(1000)}) {
    // Two weights that change places move as far as that.
    const Rational move = subject.largest_move(r);
    EXPECT_EXACTLY(subject.normalized({r, 1})[0] - subject.normalized({1, r})[0] == move);
    // tanh(h/2) < h/2, that is e^(2 tanh(h/2)) < r.
    EXPECT_EXACTLY(exp_enclosure(2 * move).upper < r);
  }
}
//! [SoftmaxIsAProbability: exact check]
KILLS("a change by r moves a weight by (r − 1)/2",
      {.largest_move = [](auto& r) { return (r - 1) / 2; }});
KILLS("only one of two weights changes",
      {.largest_move = [](auto& r) { return (r - 1) / (2 * (r + 1)); }});
KILLS("a weight is multiplied by its square", with_normalized([](auto& w) {
        Vector cubes;
        for (const Rational& x : w) cubes.push_back(x * x * x);
        return library_normalized(cubes);
      }));

ASIDE(SoftmaxIsAProbability, SumsToOneInFloatingPoint) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    for_all([&] {
      const Values<Real> x = *scores<Real>().as("x");
      require_law(probability_law<Real>(functions.softmax, x));
    });
  });
}
KILLS("the sum starts at a small number", with_softmax([](auto& x, auto temperature) {
        auto y = library_softmax(x, temperature);
        if (y.size() > 3)
          for (auto& weight : y) weight /= decltype(temperature)(1.0001);
        return y;
      }));
KILLS("the last logit is left out of the sum", with_softmax([](auto& x, auto temperature) {
        auto y = library_softmax(x, temperature);
        for (auto& weight : y) weight /= 1 - (y.size() > 1 ? y.back() : 0);
        return y;
      }));
KILLS("a weight is below 0", with_softmax([](auto& x, auto temperature) {
        auto y = library_softmax(x, temperature);
        if (y.front() == 0) y.front() = -std::numeric_limits<decltype(temperature)>::denorm_min();
        return y;
      }));
KILLS("a result is lost", with_softmax([](auto& x, auto temperature) {
        auto y = library_softmax(x, temperature);
        if (y.size() > 1 && y.back() == 0) y.pop_back();
        return y;
      }));

template <class Real, class Function>
Values<Real> softmax_after(Values<Real> x, Function function) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = function(x[j], j);
  return library_softmax<Real>(x, Real(1));
}

ASIDE(SoftmaxIsAProbability, KeepsTheOrderOfTheLogits) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    for_all([&] {
      const Values<Real> x = *scores<Real>().as("x");
      require_law(order_law<Real>(functions.softmax, x));
    });
  });
}
KILLS("the order is turned round", with_softmax([](auto& x, auto) {
        return softmax_after(x, [](auto logit, auto) { return -logit; });
      }));
KILLS("the last of a list is computed another way", with_softmax([](auto& x, auto temperature) {
        auto y = library_softmax(x, temperature);
        if (y.size() > 3) y.back() = std::nextafter(y.back(), decltype(temperature)(0));
        return y;
      }));

ASIDE(SoftmaxIsAProbability, GoesAlongWithEveryPermutation) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    for_all(
        [&] {
          const Values<Real> x = *scores<Real>(9).as("x");
          Cuts order(x.size());
          std::iota(order.begin(), order.end(), std::size_t{0});
          for (std::size_t j = order.size(); j > 1; --j)
            std::swap(order[j - 1], order[*rc::gen::inRange<std::size_t>(0, j).as("exchange")]);
          require_law(permutation_law<Real>(functions.softmax, x, order));
        },
        100);
  });
}
KILLS("a maximum at the end counts for less", with_softmax([](auto& x, auto temperature) {
        const bool at_the_end = x.back() == greatest_of(x) && x.front() != x.back();
        return library_softmax(x, at_the_end ? decltype(temperature)(1.01) : temperature);
      }));
KILLS("a weight depends on its place", with_softmax([](auto& x, auto temperature) {
        return softmax_after(x, [&](auto logit, std::size_t j) {
          return logit + static_cast<decltype(temperature)>(j) / 1000;
        });
      }));
KILLS("the first logit is skipped", with_softmax([](auto& x, auto temperature) {
        auto others = x;
        if (others.size() > 1) others.front() = -inf<decltype(temperature)>;
        return library_softmax(others, temperature);
      }));

ASIDE(SoftmaxIsAProbability, MovesByHalfAsMuchAsTheLogitsAtMost) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    // A weight that is below every double at first, and not any more.
    expect(lipschitz_law<Real>(functions.softmax, {0, 748}, {12, 732}));
    for_all(
        [&] {
          const Values<Real> a = *finite_scores<Real>(9).as("a");
          const int power = *rc::gen::inRange(-20, 4).as("power of 2");
          Values<Real> b = a;
          for (Real& logit : b)
            logit += static_cast<Real>(std::ldexp(*rc::gen::inRange(-8, 9).as("step"), power));
          for (const Real logit : b) RC_PRE(std::isfinite(logit));
          require_law(lipschitz_law<Real>(functions.softmax, a, b));
        },
        100);
  });
}
KILLS("logits that are not large are doubled", with_softmax([](auto& x, auto) {
        return softmax_after(
            x, [](auto logit, auto) { return std::abs(logit) < 1000 ? 2 * logit : logit; });
      }));
KILLS("the greatest logit takes all", with_softmax([](auto& x, auto temperature) {
        auto y = x;
        const auto greatest = greatest_of(x);
        for (auto& entry : y) entry = entry == greatest;
        const auto count = std::accumulate(y.begin(), y.end(), decltype(temperature)(0));
        for (auto& entry : y) entry /= count;
        return y;
      }));

ASIDE(SoftmaxIsAProbability, MinusInfinityHasNoWeight) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    const Values<Real> masked = functions.softmax({Real(3), -inf<Real>, Real(3)}, 1);
    EXPECT_EXACTLY(bits_of(masked) == bits_of(Values<Real>{0.5, 0, 0.5}));
  });
  EXPECT_EXACTLY(subject.normalized({0, 3}) == (Vector{0, 1}));
  counterexample_without("real logits");
}
KILLS("a logit of minus infinity keeps a small weight", with_softmax([](auto& x, auto temperature) {
        auto y = library_softmax(x, temperature);
        for (auto& weight : y) weight = std::max(weight, decltype(temperature)(1e-9));
        return y;
      }));

ASIDE(SoftmaxIsAProbability, RefusesWhatIsNoWeight) {
  expect_refusal<std::invalid_argument>([&] { subject.normalized({}); });
  expect_refusal<std::domain_error>([&] { subject.normalized({1, -1, 2}); });
  expect_refusal<std::domain_error>([&] { subject.normalized({0, 0}); });
  expect_refusal<std::domain_error>([&] { subject.largest_move(Rational(1, 2)); });
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    constexpr Real most = std::numeric_limits<Real>::max();
    expect_refusal<std::overflow_error>([&] { functions.shares({most, most}); });
    EXPECT_EXACTLY(bits_of(functions.shares({most / 2, most / 2})) ==
                   bits_of(Values<Real>{0.5, 0.5}));
    EXPECT_EXACTLY(bits_of(functions.largest_move(most)) == bits_of(Real(1)));
    for (const Real number : {inf<Real>, std::numeric_limits<Real>::quiet_NaN()}) {
      expect_refusal<std::domain_error>([&] { functions.shares({1, number}); });
      expect_refusal<std::domain_error>([&] { functions.largest_move(number); });
    }
  });
}
KILLS("a factor below 1 is accepted",
      {.largest_move = [](auto& r) { return r < 1 ? Rational(0) : sqrtdk::largest_move(r); }});
KILLS("a negative weight is accepted", with_normalized([](auto& w) {
        if (w.empty() || total(w) == 0) return library_normalized(w);
        Vector p;
        for (const Rational& x : w) p.push_back(Rational(x / total(w)));
        return p;
      }));
KILLS("a sum that overflows is divided by", {.in_double = {.shares = [](auto& w) {
                                               const double sum =
                                                   std::accumulate(w.begin(), w.end(), 0.0);
                                               Values<double> p = w;
                                               for (double& weight : p) weight /= sum;
                                               return p;
                                             }}});
KILLS("a factor without end is accepted",
      {.in_float = {.largest_move = [](auto& r) { return (r - 1) / (r + 1); }}});
KILLS("weights of 0 are shared out evenly", with_normalized([](auto& w) {
        const bool zero = std::all_of(w.begin(), w.end(), [](auto& x) { return x == 0; });
        return zero ? Vector(w.size(), Rational(1)) : library_normalized(w);
      }));

}  // namespace sqrtdk::properties::SoftmaxIsAProbability
