#include <sqrtdk/moments.hpp>

#include "properties/score_numerics/fixture.hpp"

namespace sqrtdk::properties::SaddleMapReachesTwo {

using namespace sqrtdk::reference;

/// The coefficients of w/ζ in powers of ζ at one r, exactly: ζ as a series in t, its inverse, and
/// 2 sinh(t/2) of that.
std::vector<Rational> exact_saddle_series(const Rational& r, std::size_t order) {
  using Series = std::vector<Rational>;
  const auto product = [&](const Series& f, const Series& g) {
    Series sum(order);
    for (std::size_t i = 0; i < order; ++i)
      for (std::size_t j = 0; i + j < order; ++j) sum[i + j] += f[i] * g[j];
    return sum;
  };
  // 2(cosh t − 1 + r (sinh t − t))/t² = Σ 2 (1 or r) tⁱ/(i + 2)!
  Series square(order);
  Rational factorial = 1;
  for (std::size_t i = 0; i < order; ++i) {
    factorial *= Rational(i + 2);
    square[i] = (i % 2 == 0 ? Rational(2) : 2 * r) / factorial;
  }
  Series root(order);  // ζ/t, the root of that
  root[0] = 1;
  for (std::size_t i = 1; i < order; ++i) {
    Rational rest = square[i];
    for (std::size_t j = 1; j < i; ++j) rest -= root[j] * root[i - j];
    root[i] = rest / 2;
  }
  // Lagrange: the coefficient of ζⁿ in W(t(ζ)) is 1/n of that of tⁿ⁻¹ in W′(t) (t/ζ)ⁿ.
  Series inverse(order);  // t/ζ
  inverse[0] = 1;
  for (std::size_t i = 1; i < order; ++i)
    for (std::size_t j = 1; j <= i; ++j) inverse[i] -= root[j] * inverse[i - j];
  Series slope(order);  // W′ = cosh(t/2)
  Rational term = 1;
  for (std::size_t i = 0; i < order; i += 2) {
    slope[i] = term;
    term /= 4 * Rational((i + 1) * (i + 2));
  }
  Series power = slope;
  Series result;
  for (std::size_t n = 1; n <= order; ++n) {
    power = product(power, inverse);
    result.push_back(power[n - 1] / Rational(n));
  }
  return result;
}

constexpr std::size_t saddle_order = parts::saddle_order;

struct Subject {
  double (*term)(std::size_t, std::size_t) = [](std::size_t k, std::size_t m) {
    static const auto series = parts::make_saddle_series<saddle_order>();
    return series.term[k][m];
  };
  /// ζ₀²/2, where t(ζ) has a singularity unless r = 1.
  std::complex<double> (*singularity)(double) = [](double r) {
    return std::complex<double>(-2 + 2 * r * std::atanh(r), constants::pi<double>() * r);
  };
  /// |ζ| at the singularities of t(ζ) that are nearest to 0.
  double (*radius)(double) = [](double r) {
    const double pi = constants::pi<double>();
    const double across =
        r < 1 ? 2 * r * std::atanh(r) - 2 : std::numeric_limits<double>::infinity();
    return across <= std::sqrt(3) * pi * r ? std::sqrt(2 * std::hypot(across, pi * r))
                                           : 2 * std::sqrt(pi * r);
  };
  double (*from)(std::size_t) = [](std::size_t half) { return parts::hermite_from[half - 1]; };
  /// M[h] of y (below 0) or of erfcx(uy).
  long double (*mean)(const parts::SaddlePoint<long double>&,
                      Integrand) = [](const parts::SaddlePoint<long double>& at, Integrand what) {
    if (what == Integrand::root)
      return parts::hermite_mean(at, 1.0L, [](long double y) { return y; });
    return parts::hermite_mean(at, std::sqrt(at.shift),
                               [](long double uy) { return parts::fast_erfcx(uy); });
  };
};

/// E zᵏ by the rule of n = 2·half points, less the normal moment.
template <std::size_t half>
long double moment_error(unsigned k) {
  constexpr auto& rule = parts::gauss_hermite_rule<half>;
  long double sum = 0;
  long double moment = 1;
  for (unsigned j = 1; j < k; j += 2) moment *= j;
  for (std::size_t i = half; i-- > 0;)
    sum += 2 * rule.weight[i] * std::pow(rule.node[i], static_cast<long double>(k));
  return moment - sum;
}

//! [SaddleMapReachesTwo: the series]
ASIDE(SaddleMapReachesTwo, TheSeriesIsTheExactOne) {
  evidence().rests_on(EvidenceLevel::measured);
  static std::map<Rational, std::vector<Rational>> known;
  for (const Rational& r : {Rational(1), Rational(1, 2), Rational(1, 16)}) {
    const auto [exact, is_new] = known.try_emplace(r);
    if (is_new) exact->second = exact_saddle_series(r, saddle_order);
    for (std::size_t k = 0; k < saddle_order; ++k) {
      Wide sum = 0;
      Wide sizes = 0;  // of the terms: what an error of one epsilon in each amounts to
      for (std::size_t m = 0; 2 * m <= k; ++m) {
        const Wide term = subject.term(k, m) * pow(Wide(r), static_cast<int>(k - 2 * m));
        sum += term;
        sizes += abs(term);
      }
      const Wide error = abs(sum - Wide(exact->second[k]));
      expect_within(static_cast<double>(error), epsilon * static_cast<double>(sizes + 0x1p-200),
                    "k = " + std::to_string(k));
    }
  }
  enumerated(3 * saddle_order);
}
//! [SaddleMapReachesTwo: the series]
KILLS("the terms of even order in r are left out", {.term = [](auto k, auto m) {
        return (k - 2 * m) % 2 == 0 && k > 0 ? 0.0 : Subject{}.term(k, m);
      }});
KILLS("the last term of every order is left out",
      {.term = [](auto k, auto m) { return k > 0 && m == k / 2 ? 0.0 : Subject{}.term(k, m); }});
KILLS("the terms are rounded to single precision",
      {.term = [](auto k, auto m) -> double { return static_cast<float>(Subject{}.term(k, m)); }});

//! [SaddleMapReachesTwo: the radius]
STATEMENT(SaddleMapReachesTwo, NoSingularityIsNearerThanTwo) {
  evidence().rests_on(EvidenceLevel::measured);
  const double pi = constants::pi<double>();
  const auto check = [&](double r) {
    const std::complex<double> t(-2 * std::atanh(r), pi);
    const std::complex<double> slope = std::sinh(t) + r * (std::cosh(t) - 1.0);
    const std::complex<double> value = std::cosh(t) - 1.0 + r * (std::sinh(t) - t);
    // Conditioned like cosh t, which is below 512; that a hundred roundings are enough is seen.
    const double rounding = 100 * epsilon * std::cosh(t.real());
    return std::abs(slope) <= rounding &&
           std::abs(value - std::conj(subject.singularity(r))) <= rounding &&
           2 * std::abs(subject.singularity(r)) >= 4;
  };
  for (int i = 0; i < 256; ++i) EXPECT_TRUE(check(i / 256.0)) << "r = " << i << "/256";
  for_all([&] { RC_ASSERT(check(*rc::gen::inRange(0, 255 << 12).as("2^20 r") * 0x1p-20)); });
  // The proof's step A² ≥ 2(A − r²), A = r artanh r, coefficient by coefficient of r^(2n+2).
  Rational odd = 0;
  for (unsigned n = 1; n <= 256; ++n) {
    odd += Rational(1, 2 * n - 1);
    EXPECT_GE(odd / n, Rational(2, 2 * n + 1)) << "n = " << n;
  }
  enumerated(512);
}
//! [SaddleMapReachesTwo: the radius]
KILLS("the singularity has no imaginary part", {.singularity = [](double r) {
        return std::complex<double>(-2 + 2 * r * std::atanh(r), 0);
      }});
KILLS("the singularity is on the imaginary axis, whatever r is", {.singularity = [](double r) {
        return std::complex<double>(-2, constants::pi<double>() * r);
      }});

/// t at ζ = −radius, followed from ζ = radius along the upper half of the circle around 0: a real
/// number if no singularity lies within.
std::complex<double> t_across(double r, double radius) {
  using Complex = std::complex<double>;
  const auto half_square = [r](const Complex& t) {
    return std::cosh(t) - 1.0 + r * (std::sinh(t) - t);
  };
  double low = 0;
  double high = 50;
  while (high - low > 4 * epsilon * high) {
    const double middle = (low + high) / 2;
    (half_square(middle).real() < radius * radius / 2 ? low : high) = middle;
  }
  Complex t = low;
  constexpr int steps = 4096;
  for (int k = 1; k <= steps; ++k) {
    const Complex zeta = std::polar(radius, constants::pi<double>() * k / steps);
    for (int newton = 0; newton < 6; ++newton)
      t -= (half_square(t) - zeta * zeta / 2.0) / (std::sinh(t) + r * (std::cosh(t) - 1.0));
  }
  return t;
}

//! [SaddleMapReachesTwo: the nearest singularities]
STATEMENT(SaddleMapReachesTwo, TheNearestSingularitiesAreWhereThePageSays) {
  evidence().rests_on(EvidenceLevel::measured);
  const auto is_single_valued = [](double r, double radius) {
    return std::abs(t_across(r, radius).imag()) < 0x1p-20;  // beyond a singularity it is above 4
  };
  for (const double r : {0.0, 0.25, 0.5, 0.75, 0.83, 0.85, 0.9, 0.99, 0.998, 0.9985, 0.999, 0.9995,
                         0.9999, 1 - 0x1p-20, 1.0}) {
    const double radius = subject.radius(r);
    EXPECT_GE(radius, 2) << "r = " << r;
    EXPECT_TRUE(is_single_valued(r, radius * (1 - 0x1p-6))) << "r = " << r;
    EXPECT_FALSE(is_single_valued(r, radius * (1 + 0x1p-6))) << "r = " << r;
    enumerated(1);
  }
  const double pi = constants::pi<double>();
  double before = 0.99;
  double after = 1;
  while (after - before > 0x1p-40) {
    const double middle = (before + after) / 2;
    (2 * middle * std::atanh(middle) - 2 <= std::sqrt(3) * pi * middle ? before : after) = middle;
  }
  record_value("turns_at", format_fixed(before, 5));
  record_value("at_the_end", format_fixed(subject.radius(1), 4));
}
//! [SaddleMapReachesTwo: the nearest singularities]
KILLS("the zeros of the slope at ±iπ are always the nearest", {.radius = [](double r) {
        return std::sqrt(2 * std::hypot(2 * r * std::atanh(r) - 2, constants::pi<double>() * r));
      }});
KILLS("those at ±2πi are always the nearest",
      {.radius = [](double r) { return 2 * std::sqrt(constants::pi<double>() * r); }});
KILLS("the radius is 2 for every r", {.radius = [](double) { return 2.0; }});

STATEMENT(SaddleMapReachesTwo, TheFirstPowerThatARuleMissesIsTwiceItsPoints) {
  evidence().rests_on(EvidenceLevel::measured);
  const auto check = [&]<std::size_t half>() {
    const unsigned n = 2 * half;
    long double factorial = 1;
    for (unsigned j = 1; j <= n; ++j) factorial *= j;
    const long double size = moment_error<half>(2 * n) / factorial;  // 1, by the page
    expect_within(static_cast<double>(std::abs(size - 1)), 64 * epsilon,
                  std::to_string(n) + " points");
    for (unsigned k = 0; k < 2 * n; k += 2)
      EXPECT_LE(std::abs(moment_error<half>(k)), factorial * epsilon) << n << " points, " << k;
    // At the smallest N of the rule, the first term that is missed is n! (4N)^−n of the sum.
    EXPECT_LE(static_cast<double>(size * factorial) *
                  std::pow(4 * subject.from(half), -static_cast<double>(n)),
              1e-17);
  };
  check.operator()<1>();
  check.operator()<2>();
  check.operator()<3>();
  check.operator()<4>();
  check.operator()<5>();
  check.operator()<6>();
  enumerated(6);
}
KILLS("each rule begins at a quarter of its N",
      {.from = [](auto half) { return Subject{}.from(half) / 4; }});

STATEMENT(SaddleMapReachesTwo, FromTheirSizesOnTheRulesSuffice) {
  const Integer target = boost::multiprecision::pow(Integer(10), 17);
  for (std::size_t half = 1; half <= 6; ++half) {
    const auto n = static_cast<unsigned>(2 * half);
    Integer factorial = 1;
    for (unsigned j = 1; j <= n; ++j) factorial *= j;
    const auto enough = [&](const Rational& total) {
      Rational power = 1;
      for (unsigned j = 0; j < n; ++j) power *= 4 * total;
      return Rational(factorial * target) <= power;
    };
    EXPECT_EXACTLY(enough(Rational(subject.from(half)))) << n << " points";
    EXPECT_EXACTLY(!enough(Rational(subject.from(half)) * Rational(9, 10))) << n << " points";
    record_value("from_" + std::to_string(n), format_fixed(subject.from(half), 0));
  }
  enumerated(6);
}
KILLS("twelve points serve from N = 30 on",
      {.from = [](auto half) { return half == 6 ? 30.0 : Subject{}.from(half); }});
KILLS("six points serve where eight are needed",
      {.from = [](auto half) { return half == 3 ? 126.0 : Subject{}.from(half); }});

//! [SaddleMapReachesTwo]
STATEMENT(SaddleMapReachesTwo, TheRulesAgreeWithTheTrapezoidalRule) {
  evidence().rests_on(EvidenceLevel::measured);
  // Just where each rule begins, at three ratios a/N.
  static std::map<std::pair<double, double>, std::array<Quad, 2>> known;
  for (const double total : parts::hermite_from)
    for (const double ratio : {0x1p-6, 0.75, 1 - 0x1p-30}) {
      const double a = ratio * total * (1 + 0x1p-20);
      const double x = std::sqrt((1 - ratio) * (1 + ratio)) * total * (1 + 0x1p-20);
      const auto wide = parts::make_saddle<Quad>(a, x);
      const auto at = parts::make_saddle<long double>(a, x);
      const auto [want, is_new] = known.try_emplace({a, x});
      if (is_new)
        want->second = {
            parts::trapezoid_mean<Quad>(wide, Quad(1), [](const Quad& y) { return y; }),
            parts::trapezoid_mean<Quad>(wide, Quad(sqrt(wide.shift)),
                                        [](const Quad& uy) { return parts::erfcx(uy); })};
      for (const Integrand what : {Integrand::root, Integrand::scaled_error_function}) {
        const Quad& mean = want->second[what == Integrand::root ? 0 : 1];
        const Quad error = abs(Quad(subject.mean(at, what)) / mean - 1);
        expect_within(static_cast<double>(error) / epsilon, 0.25, place(2 * a, x));
      }
    }
  enumerated(36);
}
//! [SaddleMapReachesTwo]
KILLS("two points serve everywhere", {.mean = [](auto& at, Integrand what) {
        if (what == Integrand::root)
          return parts::hermite_mean<1, 4>(at, 1.0L, [](long double y) { return y; });
        return Subject{}.mean(at, what);
      }});
KILLS("the slope dt/dζ is left out", {.mean = [](auto& at, Integrand what) {
        return what == Integrand::root ? 1.0L : Subject{}.mean(at, what);
      }});
KILLS("eight points in place of twelve", {.mean = [](auto& at, Integrand what) {
        if (what == Integrand::root)
          return parts::hermite_mean<4, 18>(at, 1.0L, [](long double y) { return y; });
        return Subject{}.mean(at, what);
      }});

}  // namespace sqrtdk::properties::SaddleMapReachesTwo
