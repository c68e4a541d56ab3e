#include <sqrtdk/testing/laws/raised_bound.hpp>

#include "properties/jacobian_error/fixture.hpp"

namespace sqrtdk::properties::EntropyError {

/// The entropy with a hundred digits.
template <class Real>
Exact exact_entropy(const Vector<Real>& scores, double temperature) {
  const Vector<Exact> s = exact(scores);
  Exact greatest = s[0];
  for (const Exact& score : s) greatest = std::max(greatest, score);
  Exact sum = 0, products = 0;
  for (const Exact& score : s) {
    const Exact t = (greatest - score) / Exact(temperature), weight = exp(Exact(-t));
    sum += weight;
    products += weight * t;
  }
  return log(sum) + products / sum;
}

template <class Exponential, class Distance>
double entropy_by(const Vector<double>& s, double temperature, Exponential exponential,
                  Distance distance) {
  double sum = 0, products = 0;
  for (const double score : s) {
    const double t = distance(score, s.maxCoeff(), temperature), weight = exponential(-t);
    sum += weight;
    products += weight == 0 ? 0 : weight * t;
  }
  return std::log(sum) + products / sum;
}

double library_distance(double score, double greatest, double temperature) {
  return -sqrtdk::detail::scaled_difference(score, greatest, temperature);
}

/// (1 + x/1024)^1024, which has four digits of e^x.
double four_digit_exp(double x) { return std::pow(1 + x / 1024, 1024); }

/// One that is never below the smallest positive number, of which it is off by less than one.
double exp_above_zero(double x) {
  return std::max(std::exp(x), std::numeric_limits<double>::denorm_min());
}

/// Any positive number of a format, the ends of the format often.
template <class Real>
Real any_temperature() {
  using Limits = std::numeric_limits<Real>;
  const Real drawn =
      std::abs(*rc::gen::weightedOneOf<Real>(
                    {{1, rc::gen::element<Real>(1, Limits::denorm_min(), Limits::min(),
                                                Limits::max(), Limits::max() / 4)},
                     {2, floats<Real>()}})
                    .as("temperature"));
  return drawn == 0 ? Limits::denorm_min() : drawn;
}

/// Finite scores of any size, or, half of the time, of the size of the temperature.
template <class Real>
Vector<Real> any_scores(Real temperature) {
  constexpr Real largest = std::numeric_limits<Real>::max();
  if (*rc::gen::element(false, true).as("any size"))
    return vector_of(*vectors<Real>({.longest = 17}).as("scores"));
  const auto multiples = *vectors<Real>({.longest = 17, .entries = {.largest = 40}})
                              .as("scores, in units of the temperature");
  return (temperature * vector_of(multiples).array()).max(-largest).min(largest).matrix();
}

template <class Real, class Entropy>
void expect_accurate_entropy(const Entropy& entropy) {
  evidence().rests_on(EvidenceLevel::bounded);
  const auto expect_accurate = [&](const Vector<Real>& s, Real temperature) {
    const Real computed = entropy(s, temperature);
    expect_kept(Exact(computed) - exact_entropy(s, static_cast<double>(temperature)),
                entropy_error_bound(s, temperature));
  };
  for_all([&] { expect_accurate(vector_of<Real>({0, Real(-0.75), Real(-2)}), Real(0.7)); }, 1);
  for_all([&] {
    const Real temperature = any_temperature<Real>();
    expect_accurate(any_scores(temperature), temperature);
  });
}

//! [EntropyError]
STATEMENT(EntropyError, KeepsItsBoundInDouble) { expect_accurate_entropy<double>(subject.entropy); }
KILLS("the temperature is used in float", {.entropy = [](auto& s, double t) {
        const float single = static_cast<float>(t);
        return softmax_entropy(s, single > 0 && std::isfinite(single) ? double(single) : t);
      }});
KILLS("the entropy is in bits",
      {.entropy = [](auto& s, double t) { return softmax_entropy(s, t) / std::log(2); }});

STATEMENT(EntropyError, KeepsItsBoundInFloat) {
  expect_accurate_entropy<float>(subject.entropy_in_float);
}
//! [EntropyError]
KILLS("a hundred thousandth is added",
      {.entropy_in_float = [](auto& s, float t) { return softmax_entropy(s, t) + 1e-5F; }});

STATEMENT(EntropyError, AnAdversaryDoesNotBreakIt) {
  expect_no_worst_case(scores_and_temperature<float>(6), [&](const Arrays<float>& input) {
    const Vector<float> s = vector_of(input.list("scores"));
    const float temperature = input.number("temperature");
    const long double exact_value = softmax_entropy(Vector<long double>(s.cast<long double>()),
                                                    static_cast<long double>(temperature));
    const float computed = subject.entropy_in_float(s, temperature);
    return Seen{static_cast<double>(std::abs(computed - exact_value)),
                entropy_error_bound(s, temperature)};
  });
}
KILLS("a difference of floats may overflow", {.entropy_in_float = [](auto& s, float t) {
        return s.maxCoeff() - s.minCoeff() < std::numeric_limits<float>::infinity()
                   ? softmax_entropy(s, t)
                   : 0;
      }});

STATEMENT(EntropyError, KeepsItsBoundForHalves) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all([&] {
    const Vector<half> s = halves(
        vector_of(*vectors<float>({.longest = 17, .entries = {.largest = 65504}}).as("scores")));
    const float temperature = any_temperature<float>();
    expect_kept(Exact(subject.entropy_of_halves(s, temperature)) -
                    exact_entropy(s, static_cast<double>(temperature)),
                entropy_error_bound(s, temperature));
  });
}
KILLS("the entropy of halves is rounded to a half", {.entropy_of_halves = [](auto& s, float t) {
        return static_cast<float>(half(softmax_entropy(s, t)));
      }});

double library_exp(double x) { return std::exp(x); }

//! [EntropyError: edges of the format]
STATEMENT(EntropyError, AtTheEdgesOfTheFormatItIsRight) {
  evidence().rests_on(EvidenceLevel::bounded);
  constexpr double least = std::numeric_limits<double>::denorm_min();
  constexpr double most = std::numeric_limits<double>::max();
  const std::vector<std::pair<std::vector<double>, double>> edges = {
      {{0, -1e-320}, 1e-320},  // the smallest temperatures
      {{0, -least}, least},    //
      {{0, -3 * least, least}, 7e-324},
      {{-1.7e308, 1.7e308}, 1},      // the largest distances
      {{-1.7e308, 1.7e308}, 1e308},  //
      {{-most, most, 0}, most},      //
      {{-most, most}, least},        //
      {{most, most, most}, least},   // none
      {{-most}, 3}};                 // one score
  for (const auto& [scores, temperature] : edges) {
    const Vector<double> s = vector_of(scores);
    const double error = static_cast<double>(
        abs(Exact(subject.entropy(s, temperature)) - exact_entropy(s, temperature)));
    const double bound = entropy_error_bound(s, temperature);
    EXPECT_LE(error, bound) << "τ = " << temperature << ", first score " << scores[0];
    // Here r, R, A, Λ and h are 2 at most, and T + ln S = H ≤ ln 3: so in units of u the bound is
    // less than 4 + 2H for ln S, 2Σpt² + 2T² + 12T for the products and H for the last sum, and
    // two of the pt² are 4/e² at most, the third is 0. Together that is below 26.
    EXPECT_LT(bound, 32 * 0x1p-53) << "τ = " << temperature << ", first score " << scores[0];
    evidence().worst(error, bound);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(subject.entropy(vector_of<double>({0, -infinity, 0}), 1), std::log(2.0));
  EXPECT_TRUE(std::isnan(subject.entropy(vector_of<double>({0, std::nan("")}), 1)));
  enumerated(edges.size() + 2);
}
//! [EntropyError: edges of the format]
KILLS("the product is taken before the quotient", {.entropy = [](auto& s, double t) {
        const Vector<double> p = softmax(s, t);
        double mean = 0;
        for (Index i = 0; i < s.size(); ++i)
          if (p[i] > 0) mean += p[i] * (s.maxCoeff() - s[i]) / t;
        return log_sum_exp(Vector<double>(s.array() - s.maxCoeff()), t) + mean;
      }});
KILLS("a weight of 0 is multiplied by an infinite distance", {.entropy = [](auto& s, double t) {
        return softmax_entropy(s, t) + 0 * (s.maxCoeff() - s.minCoeff());
      }});
KILLS("a difference may overflow", {.entropy = [](auto& s, double t) {
        return entropy_by(s, t, library_exp, [](double score, double greatest, double tau) {
          return (greatest - score) / tau;
        });
      }});

ASIDE(EntropyError, TheBoundIsTheFormulaOfThePage) {
  evidence().rests_on(EvidenceLevel::bounded);
  const auto is_formula = [&](const Vector<double>& s, double temperature,
                              const SoftmaxArithmetic& arithmetic = arithmetic_of<double>()) {
    const Wide u = arithmetic.unit_roundoff, eta = arithmetic.smallest;
    const Wide A = arithmetic.exp_error, log_error = arithmetic.log_error, n = s.size();
    const Wide h = summation_depth(Summation::pairwise, static_cast<std::size_t>(s.size()));
    const Wide R = temperature == 1 ? 1 : 2, r = R;  // κ = 0
    const Wide L = 1 + arithmetic.depth_of_underflow;
    const Wide theta = (A + r * (1 + L)) * u, omega = 4 * n * (A + 2) * eta;
    std::vector<Wide> t;
    Wide S = 0, T = 0;
    for (const double score : s) {
      t.push_back((Wide(s.maxCoeff()) - Wide(score)) / Wide(temperature));
      S += exp(Wide(-t.back()));
    }
    for (const Wide& distance : t) T += exp(Wide(-distance)) / S * distance;
    const Wide of_sum = ((r * T + h + A) * u + omega) / (1 - theta);
    Wide E = of_sum + log_error * u * (log(S) + of_sum) + 4 * n * (A + 2) * (L + 1) * eta;
    for (const Wide& distance : t) {
      const Wide rho = (r * (distance + T) + R + 2 * (A + h + 1)) * u + omega;
      if (distance <= L) E += exp(Wide(-distance)) / S * distance * rho / (1 - theta - rho);
    }
    const Wide page = (1 + u) * E + u * (log(S) + T);
    return is_raised(subject.entropy_bound(s, temperature, arithmetic), page, 1, 64 * 0x1p-1074);
  };
  EXPECT_TRUE(is_formula(vector_of<double>({0, -3, -40}), 1));
  for_all([&] {
    const Vector<double> s = moderate_logits();
    RC_ASSERT(is_formula(s, *rc::gen::inRange(1, 100).as("8τ") / 8.0));
  });
  // Underflow is seen where rounding is not: in an arithmetic that does not round.
  SoftmaxArithmetic without_rounding = arithmetic_of<double>();
  without_rounding.unit_roundoff = 0;
  EXPECT_TRUE(is_formula(Vector<double>::Zero(2), 1, without_rounding));
}
KILLS("the bound is that of the log-sum-exp alone",
      {.entropy_bound = [](auto& s, double t, auto& arithmetic) {
        return log_sum_exp_error_bound(Vector<double>(s.array() - s.maxCoeff()), t, arithmetic);
      }});
KILLS("a millionth of the entropy is added to its bound",
      {.entropy_bound = [](auto& s, double t, auto& arithmetic) {
        return entropy_error_bound(s, t, arithmetic) + 1e-6 * softmax_entropy(s, t);
      }});
KILLS("the rounding of the last sum is left out of the bound",
      {.entropy_bound = [](auto& s, double t, auto& arithmetic) {
        return entropy_error_bound(s, t, arithmetic) -
               arithmetic.unit_roundoff * softmax_entropy(s, t);
      }});
KILLS("the bound has no part for underflow",
      {.entropy_bound = [](auto& s, double t, auto& arithmetic) {
        SoftmaxArithmetic without_underflow = arithmetic;
        without_underflow.smallest = 0;
        return entropy_error_bound(s, t, without_underflow);
      }});

ASIDE(EntropyError, AFourDigitExponentialBreaksIt) {
  evidence().rests_on(EvidenceLevel::bounded);
  const Vector<double> s = vector_of<double>({0, -1});
  const Exact exact = exact_entropy(s, 1);
  const Exact error = abs(Exact(entropy_by(s, 1, four_digit_exp, library_distance)) - exact);
  EXPECT_GT(error, subject.entropy_bound(s, 1, arithmetic_of<double>()));
  EXPECT_LE(abs(Exact(subject.entropy(s, 1)) - exact), entropy_error_bound(s, 1.0));
  record_value("off", format_significant(static_cast<double>(error), 2));
  enumerated(1);
  counterexample_without("arithmetic of the softmax");
}
KILLS("no bound is below a thousandth", {.entropy_bound = [](auto& s, double t, auto& arithmetic) {
        return std::max(1e-3, entropy_error_bound(s, t, arithmetic));
      }});

ASIDE(EntropyError, AnExponentialThatNeverVanishesBreaksIt) {
  Vector<double> s = Vector<double>::Constant(101, -1.7e308);
  s[0] = 0;
  const double wrong = entropy_by(s, 1, exp_above_zero, library_distance);
  // The exact entropy is 0 up to e^(−10³⁰⁸).
  const double bound = subject.entropy_bound(s, 1, arithmetic_of<double>());
  EXPECT_EXACTLY(Rational(wrong) > Rational(bound));
  EXPECT_EXACTLY(Rational(subject.entropy(s, 1)) == 0);
  record_value("off", format_significant(wrong, 2));
  // The exponential that we compute with does vanish, far from where it must.
  const auto twice = [](auto arithmetic) { return -2 * (1 + arithmetic.depth_of_underflow); };
  EXPECT_EXACTLY(Rational(std::exp(twice(arithmetic_of<double>()))) == 0);
  EXPECT_EXACTLY(Rational(std::exp(static_cast<float>(twice(arithmetic_of<float>())))) == 0);
  EXPECT_EXACTLY(
      Rational(std::exp(static_cast<long double>(twice(arithmetic_of<long double>())))) == 0);
  EXPECT_EXACTLY(Wide(exp(Wide(twice(arithmetic_of<Wide>())))).is_zero());
  enumerated(5);
  counterexample_without("an exponential that vanishes");
}
KILLS("no bound is below a billionth", {.entropy_bound = [](auto& s, double t, auto& arithmetic) {
        return std::max(1e-9, entropy_error_bound(s, t, arithmetic));
      }});

}  // namespace sqrtdk::properties::EntropyError
