#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/larger_or_nan.hpp>

#include "properties/jacobian_error/fixture.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss.hpp>

namespace sqrtdk::properties::MeanGradientIntegrals {

/// An integral in long double by Gauss–Legendre rules, in panels of 15 points: of a number, or of
/// several at a time.
template <class Function>
auto by_gauss(const Function& function, long double low, long double high, long double width) {
  using Rule = boost::math::quadrature::gauss<long double, 15>;
  const long double half = width / 2;
  auto sum = function(low);
  sum *= 0;
  for (long double middle = low + half; middle - half < high; middle += width) {
    sum += Rule::weights()[0] * half * function(middle);
    for (std::size_t i = 1; i < Rule::abscissa().size(); ++i)
      for (const long double step : {-Rule::abscissa()[i] * half, Rule::abscissa()[i] * half})
        sum += Rule::weights()[i] * half * function(middle + step);
  }
  return sum;
}

const long double root_two_pi = boost::math::constants::root_two_pi<long double>();

long double density(long double z) { return std::exp(-z * z / 2) / root_two_pi; }

/// E Σpᵢ², E‖J‖² and E ΣZᵢpᵢ by another route than the trapezoidal rules.
struct GaussMeans {
  double squares, squared_norm, attended;
};

GaussMeans means_by_gauss(std::size_t n, double spread) {
  const long double beta = spread, count = static_cast<long double>(n);
  using Six = Eigen::Array<long double, 6, 1>;
  // ψ₀ to ψ₄ at v, and the integral of z beside that of ψ₁.
  const auto inner = [&](long double v) {
    return by_gauss(
        [&](long double z) {
          const long double e = std::exp(v + beta * z);
          const long double weight = std::exp(-z * z / 2 - e) / root_two_pi;
          return Six(weight * Six(1, e, e * e, e * e * e, e * e * e * e, z * e));
        },
        -9.5L, 9.5L, std::min(1.0L, 2 / beta));
  };
  const Six mean = count * by_gauss(
                               [&](long double v) {
                                 const Six psi = inner(v);
                                 const long double rest = std::pow(psi[0], count - 2);
                                 Six one = rest * psi[0] * psi;
                                 one[0] = (count - 1) * rest * psi[2] * psi[2];
                                 return one;
                               },
                               -9.5L * beta - 44, 9.5L * beta + 6, 2);
  return {static_cast<double>(mean[2]),
          static_cast<double>(mean[2] - mean[3] + (mean[4] + mean[0]) / 6),
          static_cast<double>(mean[5])};
}

/// E max Zᵢ = n ∫ z φ(z) Φ(z)^(n−1) dz, which the library takes after an integration by parts.
double maximum_by_gauss(std::size_t n) {
  const auto rest = static_cast<long double>(n - 1);
  return static_cast<double>((rest + 1) * by_gauss(
                                              [&](long double z) {
                                                const long double below =
                                                    std::erfc(-z / std::sqrt(2.0L)) / 2;
                                                return z * density(z) * std::pow(below, rest);
                                              },
                                              -12, 12, 0.25L));
}

/// The mean of sech²(Δ/2τ)/2τ for Δ ~ N(0, 2v), over deviations of Δ.
double mean_of_two_keys_by_gauss(double variance, double temperature) {
  const long double half = std::sqrt(2.0L * variance) / (2.0L * temperature);
  return static_cast<double>(by_gauss(
      [&](long double z) {
        return density(z) / (2.0L * temperature * std::pow(std::cosh(half * z), 2));
      },
      -12, 12, std::min(0.25L, 0.25L / half)));
}

/// Counts through how many additions a term of a sum goes.
struct Additions {
  explicit Additions(int most_so_far = 0) : most(most_so_far) {}
  int most;
  Additions& operator+=(const Additions& other) {
    most = std::max(most, other.most) + 1;
    return *this;
  }
  friend Additions operator+(Additions a, const Additions& b) { return a += b; }
};

/// E tr J by an exponential that is too large by the part 2⁻³¹.
double loose_trace(std::size_t n, double spread) {
  const auto loose = [](const Eigen::ArrayXd& x) -> Eigen::ArrayXd {
    return (1 + 0x1p-31) * x.exp();
  };
  return 1 - key_integrals(n, spread, loose).squares;
}

/// Expects that the library's means and those of Gauss's rules agree; how far the two are apart at
/// worst, as a part: first of E tr J, then of E‖J‖².
void expect_agreement(const Subject& subject, std::size_t n, double spread,
                      std::pair<double, double>& worst) {
  const GaussMeans other = memoized<means_by_gauss>(n, spread);
  const std::string where = std::to_string(n) + " keys, spread " + format_significant(spread, 3);
  const double trace = subject.mean_trace(n, spread);
  expect_near(trace, 1 - other.squares, integral_error_bound, where);
  worst.first =
      sqrtdk::detail::larger_or_nan(worst.first, std::abs(trace / (1 - other.squares) - 1));
  const double norm = subject.mean_squared_norm(n, spread);
  expect_near(norm, other.squared_norm, integral_error_bound, where + ", Frobenius norm");
  worst.second =
      sqrtdk::detail::larger_or_nan(worst.second, std::abs(norm / other.squared_norm - 1));
  expect_near(subject.mean_attended(n, spread), other.attended, integral_error_bound,
              where + ", attended score");
}

//! [MeanGradientIntegrals]
STATEMENT(MeanGradientIntegrals, AnotherQuadratureAgrees) {
  evidence().rests_on(EvidenceLevel::bounded);
  std::pair<double, double> worst = {0, 0};
  for (const auto& [n, spread] :
       {std::pair{512U, 8.0}, {4096U, 1.0}, {64U, 2.0}, {5U, 1.0}, {5U, 0.5}})
    expect_agreement(subject, n, spread, worst);
  record_value("worst", format_significant(worst.first, 2));
  record_value("worst_norm", format_significant(worst.second, 2));
  enumerated(15);
  for_all(
      [&] {
        const auto n = *rc::gen::inRange<std::size_t>(2, most_integrable_keys + 1).as("n");
        const double spread = *rc::gen::inRange(1, 9).as("2β") / 2.0;
        expect_agreement(subject, n, spread, worst);
      },
      5);
}
//! [MeanGradientIntegrals]
KILLS("integrals are off by a billionth",
      {.mean_trace = [](auto n, double b) { return memoized<mean_jacobian_trace>(n, b) + 1e-9; }});
KILLS("the attended score is off by a billionth",
      {.mean_attended = [](auto n, double b) { return mean_attended_score(n, b) + 1e-9; }});
KILLS("(Σp²)² is forgotten", {.mean_squared_norm = [](auto n, double b) {
        const KeyIntegrals mean = key_integrals(n, b);
        return mean.squares - 2 * mean.cubes;
      }});

STATEMENT(MeanGradientIntegrals, TheMaximumAndTwoKeysAgreeToo) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : {2U, 3U, 64U, 512U, 4096U})
    expect_near(subject.mean_maximum(n), memoized<maximum_by_gauss>(n), integral_error_bound,
                "the maximum of " + std::to_string(n));
  for (const double variance : {0.01, 1.0, 64.0, 4096.0})
    for (const double temperature : {0.5, 1.0, 8.0}) {
      const double other = memoized<mean_of_two_keys_by_gauss>(variance, temperature);
      expect_near(subject.mean_of_two_keys(variance, temperature), other,
                  subject.two_key_bound() * other,
                  "two keys, variance " + format_significant(variance, 3));
    }
}
KILLS("a maximum is off by a billionth",
      {.mean_maximum = [](auto n) { return expected_maximum(n) + 1e-9; }});
KILLS("the mean of two keys is that of their greatest gradient",
      {.mean_of_two_keys = [](auto&, auto& temperature) {
        return two_key_gradient_norm<double>(0, temperature);
      }});

ASIDE(MeanGradientIntegrals, ALooseExponentialBreaksTheBound) {
  evidence().rests_on(EvidenceLevel::bounded);
  const double off =
      std::abs(loose_trace(most_integrable_keys, 1) - subject.mean_trace(most_integrable_keys, 1));
  EXPECT_GT(off, integral_error_bound);
  record_value("times", format_significant(off / integral_error_bound, 2));
  enumerated(1);
  counterexample_without("accurate functions");
}
KILLS("the trace is that of an exponential that is as loose", {.mean_trace = loose_trace});

ASIDE(MeanGradientIntegrals, ErrorBoundsAreThoseOfThePage) {
  // The longest sum, at spread 64, has 2·9·64·8 + 1 terms. The table of the page, with 2/e < ¾.
  const std::vector<Additions> terms(9217);
  const Rational units = Rational(5, 2) + 2 + Rational(9, 2) + Rational(3, 4) + 2 + 1 +
                         Rational(pairwise_sum(std::span<const Additions>(terms)).most);
  EXPECT_EXACTLY(units <= 32);
  // The rounding of ψ₀ decides: 2nε E max abs(Zᵢ), at most 2nε √(2 ln 2n), for most keys, of which
  // the bound is the least power of two that is not less. ln 2n is between 9 and 9.1.
  EXPECT_EXACTLY(exp_enclosure(9).upper < 2 * most_integrable_keys);
  EXPECT_EXACTLY(exp_enclosure(Rational(91, 10)).lower > 2 * most_integrable_keys);
  const Rational n = most_integrable_keys;
  const Rational epsilon = 32 * Rational(0x1p-53);
  const Rational bound(subject.integral_bound);
  EXPECT_EXACTLY(bound == Rational(0x1p-32));
  EXPECT_EXACTLY(4 * n * n * epsilon * epsilon * 2 * Rational(91, 10) <= bound * bound);
  EXPECT_EXACTLY(4 * n * n * epsilon * epsilon * 2 * 9 > bound * bound / 4);
  EXPECT_EXACTLY(4 * n * epsilon <= bound) << "the four means of the Frobenius norm";
}
KILLS("integrals may be off by twice as much", {.integral_bound = 2 * integral_error_bound});
KILLS("integrals may be off by half as much", {.integral_bound = integral_error_bound / 2});

ASIDE(MeanGradientIntegrals, TheBoundOfTwoKeysIsThatOfThePage) {
  evidence().rests_on(EvidenceLevel::bounded);
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const Exact digits = 8 - log(Exact(epsilon));
  const Exact page = digits * digits / 9 + 64;
  // ln is right to 2u, with the difference 3u; that counts twice in the square, and the product,
  // the quotient and the sum add one each.
  const Exact error = abs(Exact(subject.two_key_bound()) / epsilon - page);
  EXPECT_LE(error, 9 * Exact(epsilon / 2) * page);
  evidence().add_value();
}
KILLS("means of two keys may be off by twice as much",
      {.two_key_bound = [] { return 2 * two_key_error_bound<double>(); }});

}  // namespace sqrtdk::properties::MeanGradientIntegrals
