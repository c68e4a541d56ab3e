#include <sqrtdk/testing/laws/exact_softmax.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/statistics/seed.hpp>

#include "properties/softmax_error/fixture.hpp"
#include "properties/support/outcomes.hpp"

namespace sqrtdk::properties::SoftmaxError {

template <class Real>
Values<Real> without_subnormals(Values<Real> x) {
  for (Real& number : x)
    if (std::abs(number) < std::numeric_limits<Real>::min()) number = 0;
  return x;
}

/// The arithmetic of such hardware: four times the smallest normal number instead of η.
template <class Real>
SoftmaxArithmetic flushing_arithmetic() {
  SoftmaxArithmetic by = arithmetic_of<Real>();
  by.smallest = 4 * static_cast<double>(std::numeric_limits<Real>::min());
  return by;
}

/// A long list of logits with few different values, so that the exact softmax is quickly found.
template <class Real>
Values<Real> long_list(std::size_t n, std::size_t different, std::uint64_t seed) {
  Values<Real> pool;
  for (std::size_t k = 0; k < different; ++k)
    pool.push_back(static_cast<Real>(-20 * static_cast<double>(mix(seed + k) >> 11) * 0x1p-53));
  Values<Real> x(n);
  for (std::size_t j = 0; j < n; ++j) x[j] = pool[mix(seed ^ mix(j)) % different];
  return x;
}

/// Softmax on hardware that reads and writes 0 for every subnormal number.
template <class Real>
Values<Real> flushing_softmax(const Values<Real>& scores, Real temperature) {
  const Values<Real> x = without_subnormals(scores);
  const Real m = greatest_of(x);
  Values<Real> weights;
  Real sum = 0;
  for (const Real logit : x) {
    const Values<Real> difference = without_subnormals<Real>({Real(logit - m)});
    const Values<Real> quotient = without_subnormals<Real>({Real(difference[0] / temperature)});
    weights.push_back(without_subnormals<Real>({std::exp(quotient[0])})[0]);
    sum += weights.back();
  }
  for (Real& weight : weights) weight /= sum;
  return without_subnormals(weights);
}

/// Softmax of equal scores in binary16 throughout, the sum by halves.
float weight_in_binary16(std::size_t n) {
  const Values<Eigen::half> ones(n, Eigen::half(1.0F));
  return static_cast<float>(Eigen::half(1.0F) / pairwise_sum(std::span<const Eigen::half>(ones)));
}

SoftmaxArithmetic binary16_arithmetic() {
  SoftmaxArithmetic by;
  by.unit_roundoff = 0x1p-11;
  by.smallest = 0x1p-24;
  by.largest = 65504;
  by.depth_of_underflow = 25 * std::log(2.0);
  return by;
}

template <class Function>
Subject with_softmax(Function function) {
  return wrong_softmax<Subject>(function);
}

//! [SoftmaxError]
STATEMENT(SoftmaxError, ErrorsStayWithinTheBound) {
  in_each(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    // Masks, one score alone, ties at the end of the range, and weights that are subnormal.
    const Real max = std::numeric_limits<Real>::max();
    for (const Values<Real>& x : {Values<Real>{0, -inf<Real>, -1},
                                  {max},
                                  {-max, -max},
                                  {max, -inf<Real>},
                                  {0, -88, -100},
                                  {0, -708, -740},
                                  {-inf<Real>, -inf<Real>, Real(1)},
                                  {-1, -2, -3, -4}})
      expect(accuracy_law<Real>(functions.softmax, x));
    for_all([&] {
      const Values<Real> x = *scores<Real>().as("x");
      require_law(accuracy_law<Real>(functions.softmax, x));
    });
  });
}
//! [SoftmaxError]
KILLS("the first logit is left out of the sum", with_softmax([](auto& x, auto temperature) {
        auto y = library_softmax(x, temperature);
        const auto rest = 1 - y.front();
        if (rest > 0)
          for (auto& weight : y) weight /= rest;
        return y;
      }));
KILLS("all weights are too small by 32 units", with_softmax([](auto& x, auto temperature) {
        using Real = decltype(temperature);
        auto y = library_softmax(x, temperature);
        for (auto& weight : y) weight /= 1 + 32 * std::numeric_limits<Real>::epsilon();
        return y;
      }));
KILLS("the weights are rounded to bfloat16", with_softmax([](auto& x, auto temperature) {
        auto y = library_softmax(x, temperature);
        for (auto& weight : y)
          weight = static_cast<decltype(temperature)>(Eigen::bfloat16(static_cast<float>(weight)));
        return y;
      }));
KILLS("a masked score has a little weight",
      {.in_long_double = {.softmax = [](auto& x, long double temperature) {
         Values<long double> unmasked = x;
         for (long double& score : unmasked)
           if (std::isinf(score)) score = greatest_of(x) - 30;
         return library_softmax(unmasked, temperature);
       }}});

STATEMENT(SoftmaxError, ATemperatureKeepsTheBound) {
  in_each(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    using Limits = std::numeric_limits<Real>;
    for (const Real temperature : {Limits::denorm_min(), Limits::min(), Real(0.5), Limits::max()})
      for (const Values<Real>& x :
           {Values<Real>{0, -temperature}, {temperature, 0, 0}, {0, -1, -2}, {0, Limits::max()}})
        expect(accuracy_law<Real>(functions.softmax, x, temperature));
    for_all(
        [&] {
          const Values<Real> x = *scores<Real>(9).as("x");
          const Real temperature = *temperatures<Real>().as("temperature");
          require_law(accuracy_law<Real>(functions.softmax, x, temperature));
        },
        100);
  });
}
KILLS("the temperature multiplies", with_softmax([](auto& x, auto temperature) {
        using T = decltype(temperature);
        return library_softmax(x, std::min(T(1) / temperature, std::numeric_limits<T>::max()));
      }));
KILLS("the temperature is applied twice", with_softmax([](auto& x, auto temperature) {
        const auto twice = temperature * temperature;
        return library_softmax(x, twice > 0 && std::isfinite(twice) ? twice : temperature);
      }));

STATEMENT(SoftmaxError, DifferencesThatOverflowDoNoHarm) {
  in_each(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    const auto cases = overflowing_differences<Real>();
    for (const auto& [x, temperature] : cases)
      expect(accuracy_law<Real>(functions.softmax, x, temperature));
    enumerated(cases.size());
  });
  // e^(−3.4)/(1 + e^(−3.4)), where the difference of the scores overflows.
  expect(accuracy_law<double>(subject.in_double.softmax, {-1.7e308, 1.7e308}, 1e308));
  enumerated(1);
}
KILLS("differences may overflow", with_softmax([](auto& x, auto temperature) {
        return shifted_softmax(x, greatest_of(x), temperature);
      }));
KILLS("halves are taken of the scores but not of the temperature",
      with_softmax([](auto& x, auto temperature) {
        auto halves = x;
        for (auto& score : halves) score /= 2;
        return std::isfinite(x.front() - x.back()) ? library_softmax(x, temperature)
                                                   : library_softmax(halves, temperature);
      }));

STATEMENT(SoftmaxError, AnAdversaryDoesNotBreakIt) {
  const auto search = [](const auto& functions, auto real, const std::string& type) {
    using Real = decltype(real);
    expect_no_worse<Real>(type, [&](const Values<Real>& x, Real temperature) {
      return accuracy_law<Real>(functions.softmax, x, temperature);
    });
  };
  in_float_and_double(subject, search);
  search(subject.in_long_double, 0.0L, "long_double_");
}
KILLS("a difference that overflows is infinite, as in the formula",
      with_softmax([](auto& x, auto temperature) {
        return shifted_softmax(x, greatest_of(x), temperature);
      }));

//! [SoftmaxError: a million logits]
/// The part of its bound that the weight of a score is off if each rounding goes to the side that makes it
/// larger, or smaller, by as much as the rounding model allows.
/// \param t   how far scores are below the greatest, the least first; sums are taken in this order.
/// \param way 1 or −1.
double worst_part(const Functions<double>& functions, const Values<double>& t, std::size_t j,
                  int way, const SoftmaxArithmetic& a) {
  const Wide u = a.unit_roundoff, up = 1 + way * u, down = 1 - way * u;
  const auto exponential = [&](double x, int its_way) -> Wide {
    const Wide error = a.exp_error * (u * exp(Wide(-x)) + Wide(a.smallest) / 2);
    return std::max<Wide>(exp(Wide(-x * (1 - its_way * u))) + its_way * error, 0);
  };
  Wide sum = 0, exact = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const Wide e = t[i] == 0 ? Wide(1) : exponential(t[i], i == j ? way : -way);
    sum = i == 0 ? e : Wide((sum + e) * down);
    exact += exp(Wide(-t[i]));
  }
  const Wide weight = (t[j] == 0 ? Wide(1) : exponential(t[j], way)) / sum * up;
  exact = exp(Wide(-t[j])) / exact;
  Values<double> logits;
  for (const double x : t) logits.push_back(-x);
  const SoftmaxErrorBound bound = functions.bound(logits, 1, a);
  const double relative = bound.relative[static_cast<Eigen::Index>(j)];
  if (relative >= 1) return 0;
  return static_cast<double>(Wide(abs(weight - exact) / (relative * exact + bound.absolute)));
}

STATEMENT(SoftmaxError, RoundingsThatConspireComeNearTheBound) {
  evidence().rests_on(EvidenceLevel::bounded);
  const auto worst = [&](const Values<double>& t, double u, double smallest, double A) {
    SoftmaxArithmetic a = arithmetic_of<float>().any_order();
    a.exp_error = A;
    a.unit_roundoff *= u / 0x1p-24;
    a.smallest = smallest;
    a.depth_of_underflow = std::log(2.0) - std::log(smallest);
    double part = 0;
    for (std::size_t j = 0; j < t.size(); ++j)
      for (const int way : {-1, 1})
        part = std::max(part, worst_part(subject.in_double, t, j, way, a));
    return part;
  };
  double most = 0;
  for (const double far : {8.0, 60.0, 700.0})
    for (const int others : {0, 1, 6}) {
      Values<double> t(static_cast<std::size_t>(2 + others), far);
      t.front() = 0;
      most = std::max(most, worst(t, 0x1p-24, 0x1p-1074, 0.5));
      enumerated(1);
    }
  EXPECT_LE(most, 1);
  EXPECT_GT(most, 0.999);
  record_value("most", format_fixed(most, 5));
  for_all([&] {
    Values<double> t = *rc::gen::container<Values<double>>(
                            *rc::gen::inRange<std::size_t>(1, 8).as("n"),
                            rc::gen::map(rc::gen::inRange(0, 2000), [](int x) { return x / 16.0; }))
                            .as("16 t");
    std::sort(t.begin(), t.end());
    t.front() = 0;
    RC_ASSERT(worst(t, *rc::gen::element(0x1p-8, 0x1p-11, 0x1p-24).as("u"),
                    *rc::gen::element(0x1p-6, 0x1p-24, 0x1p-149).as("eta"),
                    *rc::gen::element(0.5, 2.0, 8.0).as("A")) <= 1);
  });
}
KILLS("a quotient is not rounded",
      with_arithmetic([](SoftmaxArithmetic& by) { by.quotient_roundings = 0; }));
KILLS("the bound is a thousandth larger",
      with_bound([](auto& x, auto temperature, auto& arithmetic) {
        SoftmaxErrorBound bound = library_bound(x, temperature, arithmetic);
        bound.relative *= 1.001;
        return bound;
      }));

STATEMENT(SoftmaxError, AMillionLogits) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    // Mutants are checked by a shorter list, which suffices to reject them.
    const std::size_t n = checking_a_mutant() ? 65536 : 1000000;
    const Values<Real> x = long_list<Real>(n, 16, 1);
    expect(accuracy_law<Real>(functions.softmax, x));
  });
  enumerated(2);
}
//! [SoftmaxError: a million logits]
KILLS("a long sum is added one after the other", with_softmax([](auto& x, auto temperature) {
        return shifted_softmax(x, greatest_of(x), temperature);
      }));

STATEMENT(SoftmaxError, TheWorkedList) {
  // 0 and −8 in single precision, the second weight: bound and error in units of u·p.
  const Values<float> x = {0, -8};
  const SoftmaxArithmetic by = arithmetic_of<float>();
  const SoftmaxErrorBound bound = subject.in_float.bound(x, 1, by);
  const ExactSoftmax<float> exact(x);
  const Wide unit = Wide(by.unit_roundoff) * exact[1];
  const Wide error = abs(Wide(subject.in_float.softmax(x, 1)[1]) - exact[1]) / unit;
  const double T = 8 * exact[1].convert_to<double>();
  const double units = 8 + T + 1 + 2 * by.exp_error + 1;
  EXPECT_GE(bound.relative[1], units * by.unit_roundoff);
  // Second order is a part of less than 2(a + θ) < 2^-16, and the bound is raised by 2^-20.
  EXPECT_LE(bound.relative[1], units * by.unit_roundoff * (1 + 0x1p-15));
  EXPECT_LE(error, units);
  record_value("weight", format_significant(exact[1].convert_to<double>(), 5));
  record_value("mean", format_significant(T, 2));
  record_value("bound", format_significant(units, 6));
  record_value("error", format_significant(error.convert_to<double>(), 2));
  enumerated(1);
  evidence().rests_on(EvidenceLevel::bounded);
}
KILLS("the bound of two scores is half of it",
      with_bound([](auto& x, auto temperature, auto& arithmetic) {
        SoftmaxErrorBound bound = library_bound(x, temperature, arithmetic);
        bound.relative /= 2;
        return bound;
      }));

/// A wrong error bound, from a change of each relative bound: `change(t, T)` units are taken off.
template <class Change>
Subject with_terms(Change) {
  return with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
    SoftmaxErrorBound bound = library_bound(x, temperature, arithmetic);
    double S = 0;
    double T = 0;
    const auto m = greatest_of(x);
    for (const auto logit : x) {
      const double t = static_cast<double>((m - logit) / temperature);
      S += std::exp(-t);
      T += std::exp(-t) > 0 ? std::exp(-t) * t : 0;
    }
    for (std::size_t j = 0; j < x.size(); ++j) {
      double& relative = bound.relative[static_cast<Eigen::Index>(j)];
      if (relative > 0)
        relative -= arithmetic.unit_roundoff *
                    Change{}(static_cast<double>((m - x[j]) / temperature), T / S);
    }
    return bound;
  });
}

ASIDE(SoftmaxError, TheBoundIsTheFormulaOfThePage) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    const auto agrees = [&](const Values<Real>& x, std::size_t j, Real temperature,
                            const SoftmaxArithmetic& by) {
      const PageBounds page = page_bounds(x, j, temperature, by);
      const SoftmaxErrorBound bound = functions.bound(x, temperature, by);
      return is_raised(bound.relative[static_cast<Eigen::Index>(j)], page.relative) &&
             is_raised(bound.absolute, page.absolute, 1, 0x1p-1074);
    };
    expect_formulas_of_the_page<Real>(agrees);
  });
}
KILLS("the bound lacks t", with_terms([](double t, double) { return t; }));
KILLS("the bound lacks T", with_terms([](double, double T) { return T; }));
KILLS("the bound lacks A", with_arithmetic([](SoftmaxArithmetic& by) { by.exp_error = 0; }));
KILLS("the bound lacks the reduction of the argument",
      with_arithmetic([](SoftmaxArithmetic& by) { by.exp_argument_error = 0; }));
KILLS("the bound lacks the quotient",
      with_arithmetic([](SoftmaxArithmetic& by) { by.quotient_roundings = 0; }));
KILLS("the bound lacks the rescalings",
      with_arithmetic([](SoftmaxArithmetic& by) { by.rescalings = 0; }));
KILLS("the bound lacks the rounding of the storage",
      with_arithmetic([](SoftmaxArithmetic& by) { by.storage_roundoff = 0; }));
KILLS("the bound lacks the underflow of the storage",
      with_arithmetic([](SoftmaxArithmetic& by) { by.storage_smallest = 0; }));
KILLS("the bound lacks underflow",
      with_arithmetic([](SoftmaxArithmetic& by) { by.smallest /= 2; }));
KILLS("the bound takes every sum for a shallow one",
      with_arithmetic([](SoftmaxArithmetic& by) { by.summation = Summation::pairwise; }));
KILLS("the bound takes every block for one of eight",
      with_arithmetic([](SoftmaxArithmetic& by) { by.block = default_block; }));
KILLS("the bound forgets that a sum may overflow",
      with_arithmetic([](SoftmaxArithmetic& by) { by.largest = inf<double>; }));

STATEMENT(SoftmaxError, UnderflowIsGradual) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    const SoftmaxArithmetic by = arithmetic_of<Real>();
    // From where weights are normal numbers to where they are 0.
    const Real last = Real(by.depth_of_underflow) + 4;
    const Real first = -std::log(std::numeric_limits<Real>::min()) - 2;
    for (Real t = first; t <= last; t += Real(0.5)) {
      const Values<Real> x = {Real(0), -t};
      expect(accuracy_law<Real>(functions.softmax, x));
      const double exact = ExactSoftmax<Real>(x)[1].template convert_to<double>();
      // A weight of 0 is only given where the bound lets the exact one be lost.
      if (functions.softmax(x, 1)[1] == 0) {
        EXPECT_LE(exact, 4 * by.smallest);
      }
    }
    EXPECT_EQ(functions.softmax({Real(0), -Real(by.depth_of_underflow) - 1}, 1)[1], 0);
  });
}
KILLS("subnormal weights are flushed to 0", with_softmax([](auto& x, auto temperature) {
        return without_subnormals(library_softmax(x, temperature));
      }));
KILLS("a weight is never 0", with_softmax([](auto& x, auto temperature) {
        auto y = library_softmax(x, temperature);
        for (auto& weight : y)
          weight = std::max(weight, std::numeric_limits<decltype(temperature)>::min());
        return y;
      }));

STATEMENT(SoftmaxError, StoredInAShorterTypeItIsRoundedOnce) {
  in_storage(subject, [](const auto& functions, auto storage) {
    using Storage = decltype(storage);
    const SoftmaxArithmetic by = arithmetic_of<Storage>();
    // 1/3, and weights that are subnormal in binary16.
    for (const Values<float>& x :
         {Values<float>{0, 0, 0}, {0, -8, -10, -12, -16}, {0.5, -0.25, 0.75, -1, 3}, {1}})
      expect(accuracy_law<float>(functions.softmax, x, 1, by));
    for_all([&] {
      const auto stored_scores = *scores<Storage>(17).as("x");
      const float temperature =
          *rc::gen::oneOf(rc::gen::just(1.0F), temperatures<float>()).as("temperature");
      const Values<float> x(stored_scores.begin(), stored_scores.end());
      require_law(accuracy_law<float>(functions.softmax, x, temperature, by));
    });
  });
}
KILLS("half precision is computed in half precision",
      {.in_half = {.softmax = [](auto& x, float temperature) {
         Eigen::half sum(0);
         Values<float> y;
         for (const float logit : x) {
           const float shifted = (logit - greatest_of(x)) / temperature;
           y.push_back(static_cast<float>(Eigen::half(std::exp(shifted))));
           sum += Eigen::half(y.back());
         }
         for (float& weight : y) weight = static_cast<float>(Eigen::half(weight) / sum);
         return y;
       }}});
KILLS("bfloat16 is cut off and not rounded",
      {.in_bfloat16 = {.softmax = [](auto& x, float temperature) {
         Values<float> y = library_softmax(x, temperature);
         for (float& weight : y)
           weight = std::bit_cast<float>(std::bit_cast<std::uint32_t>(weight) & 0xffff0000U);
         return y;
       }}});

ASIDE(SoftmaxError, FiftyDigitsKeepTheirBound) {
  evidence().rests_on(EvidenceLevel::measured);  // A and κ of fifty digits
  // A list that A = 2 and κ = 0 would not allow to be so far off, then others.
  for (const Values<Wide>& x :
       {Values<Wide>{0, -525}, {0, Wide(-281) / 8}, {1, 1, 1}, {3, -40, 2}}) {
    const SoftmaxErrorBound bound = subject.in_fifty_digits.bound(x, 1, subject.of_fifty_digits());
    const Values<Wide> computed = subject.in_fifty_digits.softmax(x, 1);
    const Values<Wider> exact = library_softmax<Wider>(Values<Wider>(x.begin(), x.end()), 1);
    for (std::size_t j = 0; j < x.size(); ++j) {
      const Wider error = abs(Wider(computed[j]) - exact[j]);
      const auto i = static_cast<Eigen::Index>(j);
      const Wider allowed = Wider(bound.relative[i]) * exact[j] + Wider(bound.absolute);
      EXPECT_LE(error, allowed) << x[j];
      EXPECT_FALSE(bound.vacuous(i));
      if (error <= allowed && allowed > 0)
        evidence().worst(static_cast<double>(Wider(error / allowed)), 1);
    }
  }
  enumerated(4);
}
KILLS("fifty digits are said to have the exp of a processor",
      {.of_fifty_digits = as_of_hardware<Wide>});
KILLS("fifty digits are computed in a long double",
      {.in_fifty_digits = {.softmax = [](auto& x, Wide temperature) {
         Values<long double> shorter;
         for (const Wide& score : x) shorter.push_back(static_cast<long double>(score));
         const auto y = library_softmax(shorter, static_cast<long double>(temperature));
         return Values<Wide>(y.begin(), y.end());
       }}});

/// e^x for x ≤ 0 by (1 + x/2ᵏ + …)^(2ᵏ): right to four digits or so.
template <class Real>
Values<Real> crude_softmax(const Values<Real>& x, Real) {
  Values<Real> y;
  for (const Real logit : x) {
    const Real z = std::max(Real(logit - greatest_of(x)), Real(-100)) / 1024;
    y.push_back(std::pow(1 + z + z * z / 2, Real(1024)));
  }
  const Real sum = std::accumulate(y.begin(), y.end(), Real(0));
  for (Real& weight : y) weight /= sum;
  return y;
}

ASIDE(SoftmaxError, ACrudeExponentialBreaksIt) {
  evidence().rests_on(EvidenceLevel::bounded);
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    const Values<Real> x = {0, -8};
    const auto bound = functions.bound(x, 1, arithmetic_of<Real>());
    EXPECT_FALSE(accuracy_law<Real>(crude_softmax<Real>, x, 1, bound).holds());
  });
  enumerated(2);
  counterexample_without("accurate exponential");
}
KILLS("an exponential may be a million times worse",
      with_arithmetic([](SoftmaxArithmetic& by) { by.exp_error = 1e6; }));

ASIDE(SoftmaxError, ADeepSumBreaksTheBoundOfAShallowOne) {
  const Values<float> x = long_list<float>(100000, 16, 1);
  const auto one_after_the_other = [](const Values<float>& logits, float) {
    return shifted_softmax(logits, greatest_of(logits));
  };
  SoftmaxArithmetic by = arithmetic_of<float>();
  const auto shallow = subject.in_float.bound(x, 1, by);
  EXPECT_FALSE(accuracy_law<float>(one_after_the_other, x, 1, shallow).holds());
  by.summation = Summation::any_order;
  expect(accuracy_law<float>(one_after_the_other, x, 1, by));
  counterexample_without("depth of the sum");
}
KILLS("the bound takes every sum for a deep one",
      with_arithmetic([](SoftmaxArithmetic& by) { by.summation = Summation::any_order; }));

/// A number that knows only how many additions a term of it has gone through at most.
struct Depth {
  std::size_t additions = 0;
  explicit Depth(std::size_t of_term = 0) : additions(of_term) {}
  friend Depth operator+(Depth a, Depth b) { return Depth(std::max(a.additions, b.additions) + 1); }
  Depth& operator+=(Depth other) { return *this = *this + other; }
};

/// A sum of blocks, each added one after the other, whose sums are added by halves.
template <class Number>
Number blocked_sum(std::span<const Number> terms, std::size_t block) {
  const std::size_t blocks = (terms.size() + block - 1) / block;
  if (blocks > 1)
    return blocked_sum(terms.first(blocks / 2 * block), block) +
           blocked_sum(terms.subspan(blocks / 2 * block), block);
  Number sum = terms[0];
  for (const Number& term : terms.subspan(1)) sum += term;
  return sum;
}

/// The sum of NumPy: halves, cut at a multiple of eight, down to blocks of at most 128, in which
/// eight sums take turns; what is left over is added one after the other.
template <class Number>
Number numpy_sum(std::span<const Number> terms) {
  const std::size_t n = terms.size();
  if (n > 128) {
    const std::size_t half = n / 2 - n / 2 % 8;
    return numpy_sum(terms.first(half)) + numpy_sum(terms.subspan(half));
  }
  if (n < 8) return blocked_sum(terms, n);
  std::vector<Number> r(terms.begin(), terms.begin() + 8);
  std::size_t i = 8;
  for (; i + 8 <= n; i += 8)
    for (std::size_t k = 0; k < 8; ++k) r[k] += terms[i + k];
  Number sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  for (; i < n; ++i) sum += terms[i];
  return sum;
}

/// The block to declare for numpy_sum().
constexpr std::size_t numpy_block = 17;

ASIDE(SoftmaxError, NoTermGoesThroughMoreAdditionsThanDeclared) {
  const std::vector<Depth> all(1100);
  for (std::size_t n = 1; n <= all.size(); ++n) {
    const std::span<const Depth> terms = std::span(all).first(n);
    const auto declared = [&](std::size_t block) {
      return subject.depth(Summation::pairwise, n, block);
    };
    EXPECT_EXACTLY(pairwise_sum(terms).additions <= declared(default_block)) << n << " terms";
    EXPECT_EXACTLY(numpy_sum(terms).additions <= declared(numpy_block)) << n << " terms";
    for (const std::size_t block : {1U, 8U, 16U, 128U, 1024U})
      EXPECT_EXACTLY(blocked_sum(terms, block).additions <= declared(block)) << n << " terms";
    EXPECT_EXACTLY(blocked_sum(terms, n).additions ==
                   subject.depth(Summation::any_order, n, default_block))
        << n << " terms";
  }
  // A shorter block would be too short for NumPy, and the declaration is no deeper than it says.
  EXPECT_EXACTLY(numpy_sum(std::span(all).first(127)).additions == 24U);
  EXPECT_EXACTLY(subject.depth(Summation::pairwise, 127, numpy_block) == 24U);
  EXPECT_EXACTLY(subject.depth(Summation::pairwise, 1024, default_block) == 18U);
  EXPECT_EXACTLY(subject.depth(Summation::pairwise, 1024, 1024) == 1023U);
  enumerated(all.size());
  record_value("numpy", std::to_string(numpy_block));
}
KILLS("a sum by halves is said to be as deep as its logarithm",
      {.depth = [](Summation summation, auto n, auto) {
        return summation_depth(summation, n, 1);
      }});
KILLS("the length of a block is left out of the depth",
      {.depth = [](Summation summation, auto n, auto) { return summation_depth(summation, n); }});
KILLS("a sum by halves is said to be as deep as any",
      {.depth = [](Summation, auto n, auto) { return summation_depth(Summation::any_order, n); }});

template <std::size_t block>
Values<float> blocked_softmax(const Values<float>& x, float) {
  Values<float> weights;
  for (const float logit : x) weights.push_back(std::exp(logit - greatest_of(x)));
  const float sum = blocked_sum(std::span<const float>(weights), block);
  for (float& weight : weights) weight /= sum;
  return weights;
}

ASIDE(SoftmaxError, LongBlocksHaveToBeDeclared) {
  const auto has_to_be_declared = [&](const auto& softmax, std::size_t block, float lower) {
    Values<float> x(1024, lower);
    x[0] = 0;
    SoftmaxArithmetic by = arithmetic_of<float>();
    const auto undeclared = subject.in_float.bound(x, 1, by);
    EXPECT_FALSE(accuracy_law<float>(softmax, x, 1, undeclared).holds()) << block;
    by.block = block;
    const auto declared = subject.in_float.bound(x, 1, by);
    expect(accuracy_law<float>(softmax, x, 1, declared));
  };
  has_to_be_declared(blocked_softmax<128>, 128, -0.015914964F);
  has_to_be_declared(blocked_softmax<256>, 256, -0.0069131735F);
  has_to_be_declared(blocked_softmax<1024>, 1024, -0.026376355F);
  enumerated(6);
  counterexample_without("depth of the sum");
}
KILLS("blocks of eight are said to be enough for longer ones",
      with_arithmetic([](SoftmaxArithmetic& by) { by.block = default_block; }));
KILLS("every block is taken for a long one",
      with_arithmetic([](SoftmaxArithmetic& by) { by.block = 1024; }));

ASIDE(SoftmaxError, FlushingSubnormalsBreaksIt) {
  evidence().rests_on(EvidenceLevel::bounded);
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    const Values<Real> x = {0, std::log(std::numeric_limits<Real>::min()) - 1};
    const auto bound = functions.bound(x, 1, arithmetic_of<Real>());
    EXPECT_FALSE(accuracy_law<Real>(flushing_softmax<Real>, x, 1, bound).holds());
    // At a temperature that small, even with more room for underflow: (½, ½) for (.62, .38).
    const Real min = std::numeric_limits<Real>::min();
    const Values<Real> close = {Real(1.5) * min, min};
    const auto wider = library_bound(close, min, flushing_arithmetic<Real>());
    const Outcome outcome = accuracy_law<Real>(flushing_softmax<Real>, close, min, wider);
    EXPECT_FALSE(outcome.holds());
    EXPECT_GT(outcome.error, 0.12);
    record_value("first", format_fixed(1 / (1 + std::exp(-0.5)), 2));
    record_value("second", format_fixed(1 / (1 + std::exp(0.5)), 2));
  });
  enumerated(4);
  counterexample_without("rounding model");
}
KILLS("underflow may cost the smallest normal number",
      with_bound([](auto& x, auto temperature, auto&) {
        return library_bound(x, temperature, flushing_arithmetic<decltype(temperature)>());
      }));

ASIDE(SoftmaxError, FourTimesTheSmallestNormalNumberMendsIt) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    const Real min = std::numeric_limits<Real>::min();
    const auto keeps = [&](const Values<Real>& x, Real temperature) {
      const auto bound = functions.bound(x, temperature, flushing_arithmetic<Real>());
      return accuracy_law<Real>(flushing_softmax<Real>, x, temperature, bound);
    };
    for (const Values<Real>& x : {Values<Real>{0, std::log(min) - 1},
                                  {Real(1.5) * min, min},
                                  {min / 2, -min / 2},
                                  {min, -min / 4, 0}})
      expect(keeps(x, 1));
    for_all([&] {
      const Values<Real> x = *scores<Real>(9).as("x");
      const Real temperature = *temperatures<Real>().as("temperature");
      const Real m = greatest_of(x);
      RC_PRE(temperature >= 1);
      for (const Real score : x) RC_PRE(score == -inf<Real> || std::isfinite(m - score));
      require_law(keeps(x, temperature));
    });
  });
}
KILLS("the bound of flushing hardware has no underflow",
      with_bound([](auto& x, auto temperature, auto&) {
        return library_bound(x, temperature, arithmetic_of<decltype(temperature)>());
      }));

STATEMENT(SoftmaxError, AFlatRowOfLowPrecisionHasAVacuousBound) {
  // 4096 equal weights, added one after the other in binary16: the sum stays at 2048.
  Eigen::half sum(0.0F);
  for (int j = 0; j < 4096; ++j) sum += Eigen::half(1.0F);
  EXPECT_EXACTLY(Rational(static_cast<float>(sum)) == 2048);
  SoftmaxArithmetic by = arithmetic_of<float>();
  by.unit_roundoff = 0x1p-11;
  by.summation = Summation::any_order;
  const Values<float> flat(4096, 0.0F);
  EXPECT_EXACTLY(subject.in_float.bound(flat, 1, by).vacuous());
  by.summation = Summation::pairwise;
  EXPECT_EXACTLY(!subject.in_float.bound(flat, 1, by).vacuous());
}
KILLS("no bound is vacuous", with_bound([](auto& x, auto temperature, auto& arithmetic) {
        SoftmaxErrorBound bound = library_bound(x, temperature, arithmetic);
        for (double& relative : bound.relative) relative = std::min(relative, 0.5);
        return bound;
      }));

ASIDE(SoftmaxError, ASumThatOverflowsHasAVacuousBound) {
  const SoftmaxArithmetic by = binary16_arithmetic();
  const auto in_binary16 = [](const Values<float>& x, float) {
    return Values<float>(x.size(), weight_in_binary16(x.size()));
  };
  // As many as have room keep the bound.
  const Values<float> many(32752, 0.0F);
  const auto bound = subject.in_float.bound(many, 1, by);
  expect(accuracy_law<float>(in_binary16, many, 1, bound));
  // 70000 ones sum to infinity: every weight is 0, and should be 240 times the smallest number.
  const Values<float> too_many(70000, 0.0F);
  EXPECT_EQ(weight_in_binary16(too_many.size()), 0);
  EXPECT_TRUE(subject.in_float.bound(too_many, 1, by).vacuous());
  counterexample_without("room for the sum");
}
KILLS("a sum never overflows",
      with_arithmetic([](SoftmaxArithmetic& by) { by.largest = inf<double>; }));

}  // namespace sqrtdk::properties::SoftmaxError
