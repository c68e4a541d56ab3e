// Measures the errors of score_distribution<double> in epsilons, and climbs to the largest.
//
// The oracle is the generic path in 113 bits. The oracle itself is held to four routes that share
// no code and no formula with it: the finite sum for even d, the recurrence in d from d = 1, the
// Struve form, and the inversion of the characteristic function along the saddle point's contour.
//
// Usage: score_accuracy [points] [seed]. Exit status 1 if a bound of score_precision is exceeded.
// Or: score_accuracy climb [starts] [steps] [seed], which climbs to the largest error of each
// function from random starts and prints where it is, with the same exit status.
#include <sqrtdk/distributions/score_distribution.hpp>

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <string>

namespace {

using boost::math::complement;
using Quad = boost::multiprecision::cpp_bin_float_quad;
using Oracle = sqrtdk::score_distribution<Quad>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// ---- Points ----

/// Uniform numbers in [0, 1), the same on every platform.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : engine_(seed) {}
  double operator()() { return std::ldexp(static_cast<double>(engine_() >> 11), -53); }

 private:
  std::mt19937_64 engine_;
};

/// d log-uniform in [0.5, 1e9]; an integer in two cases of five.
double draw_dimension(Uniform& uniform) {
  const double d = std::min(0.5 * std::pow(2e9, uniform()), 1e9);
  return uniform() < 0.4 ? std::max(1.0, std::round(d)) : d;
}

/// x > 0: half near the centre, on a logarithmic scale; else −log P(X > x) about uniform up to 690.
double draw_score(Uniform& uniform, double d) {
  if (uniform() < 0.5) return std::sqrt(d) * std::exp2(-20 + 22 * uniform());
  const double exponent = 690 * uniform();
  return std::sqrt(2 * d * exponent + exponent * exponent);
}

std::string name_dimension(double d) {
  if (d < 2) return "d in [0.5, 2)";
  if (d < 70) return "d in [2, 70)";
  if (d < 1e3) return "d in [70, 1e3)";
  if (d < 1e6) return "d in [1e3, 1e6)";
  return "d in [1e6, 1e9]";
}

std::string name_tail(const Quad& tail) {
  if (tail > 0.1) return "P > 0.1";
  if (tail > 1e-20) return "P > 1e-20";
  return "P > 1e-300";
}

// ---- Errors ----

/// Worst and root mean square error of one figure in one region.
struct ErrorSummary {
  double worst = 0;
  double square = 0;
  long count = 0;
  double worst_d = 0;
  double worst_x = 0;

  void add(double error, double d, double x) {
    square += error * error;
    ++count;
    if (!(std::abs(error) <= worst)) {
      worst = std::abs(error);
      worst_d = d;
      worst_x = x;
    }
  }
};

/// All regions of one figure, and the bound that it is held to.
struct Figure {
  std::string name;
  double bound;
  std::map<std::string, ErrorSummary> regions;

  void add(const std::string& region, const Quad& got, const Quad& want, double d, double x) {
    add(region, static_cast<double>((got - want) / want) / epsilon, d, x);
  }
  void add(const std::string& region, double error, double d, double x) {
    regions[region].add(error, d, x);
  }

  bool print() const {
    std::printf("%s, bound %g\n", name.c_str(), bound);
    bool held = true;
    for (const auto& [region, summary] : regions) {
      held = held && summary.worst <= bound;
      std::printf("  %-28s %7ld points  worst %5.2f  rms %4.2f  (d = %.17g, x = %.17g)\n",
                  region.c_str(), summary.count, summary.worst,
                  std::sqrt(summary.square / static_cast<double>(summary.count)), summary.worst_d,
                  summary.worst_x);
    }
    return held;
  }
};

// ---- Independent routes to P(X > x) ----

/// d = 2m: Σ_{k<m} 2^{−m−k} C(m − 1 + k, k) Q(m − k, x).
Quad even_route(int m, const Quad& x) {
  Quad weight = ldexp(Quad(1), -m);
  Quad sum = 0;
  for (int k = 0; k < m; ++k) {
    sum += weight * boost::math::gamma_q(Quad(m - k), x);
    weight *= Quad(m + k) / (2 * (k + 1));
  }
  return sum;
}

/// Odd d: S_{d+2} = S_d + (x/d) f_d from S₁ = (1/π) ∫₀^∞ e^{−x cosh t}/cosh t dt, densities by
/// Bessel functions.
Quad odd_route(int d, const Quad& x) {
  const Quad pi = boost::math::constants::pi<Quad>();
  const Quad step = Quad(1) / 32;
  Quad sum = exp(-x) / 2;
  for (Quad t = step; t < 12; t += step) sum += exp(-x * cosh(t)) / cosh(t);
  Quad tail = step * sum / pi;
  for (int k = 1; k < d; k += 2) {
    const Quad nu = Quad(k - 1) / 2;
    const Quad f = pow(x / 2, nu) * boost::math::cyl_bessel_k(nu, x) /
                   (sqrt(pi) * boost::math::tgamma(Quad(k) / 2));
    tail += x / k * f;
  }
  return tail;
}

/// L_ν(x), the modified Struve function, by its series.
Quad struve(const Quad& nu, const Quad& x) {
  Quad term =
      pow(x / 2, nu + 1) / boost::math::tgamma(Quad(1.5)) / boost::math::tgamma(nu + Quad(1.5));
  Quad sum = 0;
  for (int k = 1; sum + term != sum; ++k) {
    sum += term;
    term *= x * x / 4 / ((k + Quad(0.5)) * (k + nu + Quad(0.5)));
  }
  return sum;
}

/// ½ − (x/2)(K_ν L_{ν−1} + K_{ν−1} L_ν).
Quad struve_route(const Quad& d, const Quad& x) {
  const Quad nu = (d - 1) / 2;
  return Quad(0.5) - x / 2 *
                         (boost::math::cyl_bessel_k(nu, x) * struve(nu - 1, x) +
                          boost::math::cyl_bessel_k(abs(nu - 1), x) * struve(nu, x));
}

/// (1/2πi) ∫ e^{−θx} (1 − θ²)^{−d/2} dθ/θ along Re θ = c, the saddle point, by the trapezoidal
/// rule.
Quad contour_route(const Quad& d, const Quad& x) {
  const Quad a = d / 2;
  const Quad c = x / (a + sqrt(a * a + x * x));  // 2ac = x(1 − c²)
  const Quad deviation = (1 - c * c) / sqrt(d * (1 + c * c));
  const Quad step = deviation / 24;
  const auto integrand = [&](const Quad& t) {
    // 1 − θ² = p − iq, θ = c + it
    const Quad p = 1 - c * c + t * t;
    const Quad q = 2 * c * t;
    const Quad size = exp(-c * x - a * log(p * p + q * q) / 2);
    const Quad phase = -t * x + a * atan2(q, p);
    return size * (c * cos(phase) + t * sin(phase)) / (c * c + t * t);
  };
  Quad sum = integrand(0) / 2;
  const Quad first = abs(sum);
  for (Quad t = step;; t += step) {
    const Quad p = 1 - c * c + t * t;
    sum += integrand(t);
    if (exp(-c * x - a * log(p)) < first * 1e-30) break;
  }
  return sum * step / boost::math::constants::pi<Quad>();
}

void check_oracle(Uniform& uniform, int points) {
  std::map<std::string, Quad> worst;
  const auto compare = [&](const std::string& route, const Quad& got, const Quad& d,
                           const Quad& x) {
    const Quad want = cdf(complement(Oracle(d), x));
    worst[route] = (std::max)(worst[route], Quad(abs(got / want - 1)));
  };
  for (int i = 0; i < points; ++i) {
    const double small = std::exp2(-1 + 7 * uniform());
    const double z = std::exp2(-4 + 8 * uniform());
    const int m = 1 + static_cast<int>(40 * uniform());
    const double large = 12 * std::pow(8e7, uniform());
    compare("finite sum, even d to 80", even_route(m, z * std::sqrt(2 * m)), 2 * m,
            z * std::sqrt(2 * m));
    compare("recurrence, odd d to 79", odd_route(2 * m - 1, z * std::sqrt(2 * m)), 2 * m - 1,
            z * std::sqrt(2 * m));
    compare("Struve form, d to 64, x^2 < 4d", struve_route(small, std::sqrt(small) * z / 8), small,
            std::sqrt(small) * z / 8);
    compare("contour, d from 12 to 1e9", contour_route(large, std::sqrt(large) * (0.3 + z)), large,
            std::sqrt(large) * (0.3 + z));
  }
  std::printf("The oracle against independent routes, relative difference at %d points each\n",
              points);
  for (const auto& [route, difference] : worst)
    std::printf("  %-32s %.1e\n", route.c_str(), static_cast<double>(difference));
}

// ---- Climbing to the largest errors ----

/// One function of the distribution at one point: what the library says and what the oracle says.
struct BoundedFunction {
  const char* name;
  double bound;
  /// The error in epsilons; negative outside the domain of the bound.
  double (*error)(double d, double x);
};

double in_epsilons(const Quad& got, const Quad& want) {
  return std::abs(static_cast<double>((got - want) / want)) / epsilon;
}

const BoundedFunction functions[] = {
    {"tail", sqrtdk::score_precision::cdf,
     [](double d, double x) {
       return in_epsilons(cdf(complement(sqrtdk::score(d), x)),
                          cdf(complement(Oracle(d), Quad(x))));
     }},
    {"cdf", sqrtdk::score_precision::cdf,
     [](double d, double x) {
       return in_epsilons(cdf(sqrtdk::score(d), x), cdf(Oracle(d), Quad(x)));
     }},
    {"density", sqrtdk::score_precision::pdf,
     [](double d, double x) {
       return in_epsilons(pdf(sqrtdk::score(d), x), pdf(Oracle(d), Quad(x)));
     }},
    {"hazard", sqrtdk::score_precision::hazard,
     [](double d, double x) {
       return in_epsilons(hazard(sqrtdk::score(d), x), hazard(Oracle(d), Quad(x)));
     }},
    {"central", sqrtdk::score_precision::central_cdf,
     [](double d, double x) {
       return in_epsilons(central_cdf(sqrtdk::score(d), x), central_cdf(Oracle(d), Quad(x)));
     }},
    {"log_tail", sqrtdk::score_precision::logarithms,
     [](double d, double x) {
       const Quad want = logcdf(complement(Oracle(d), Quad(x)));
       return want > -40 ? -1 : in_epsilons(logcdf(complement(sqrtdk::score(d), x)), want);
     }},
    {"log_cdf", sqrtdk::score_precision::log_cdf,
     [](double d, double x) {
       const Oracle oracle(d);
       return std::max(in_epsilons(logcdf(sqrtdk::score(d), x), logcdf(oracle, Quad(x))),
                       in_epsilons(logcdf(complement(sqrtdk::score(d), x)),
                                   logcdf(complement(oracle, Quad(x)))));
     }},
    {"log_density", sqrtdk::score_precision::logarithms,
     [](double d, double x) {
       const Quad want = logpdf(Oracle(d), Quad(x));
       return want > -40 ? -1 : in_epsilons(logpdf(sqrtdk::score(d), x), want);
     }},
    {"quantile", sqrtdk::score_precision::quantile,
     [](double d, double x) {
       const Oracle oracle(d);
       const auto p = static_cast<double>(Quad(cdf(complement(oracle, Quad(x)))));
       const Quad root = quantile(complement(sqrtdk::score(d), p));
       const Quad reached = cdf(complement(oracle, root));
       const Quad conditioning = 1 + root * pdf(oracle, root) / reached;
       return p < 0.5 ? in_epsilons(reached, p) / static_cast<double>(conditioning) : -1;
     }},
};

/// The point with the largest error that hill climbing finds; steps shrink to single roundings.
bool climb(const BoundedFunction& function, Uniform& uniform, int starts, int steps) {
  double worst = 0;
  double worst_d = 0;
  double worst_x = 0;
  const auto error_at = [&](double d, double x) {
    const bool inside =
        d >= 0.5 && d <= 1e9 && x > 0 && cdf(complement(Oracle(d), Quad(x))) > 1e-300;
    return inside ? function.error(d, x) : -1;
  };
  for (int start = 0; start < starts; ++start) {
    double d = draw_dimension(uniform);
    double x = draw_score(uniform, d);
    if (start % 3 == 0) {  // where formulas meet, near the middle of small heads
      d = 1 + 79 * uniform();
      x = std::sqrt(d) * 0.1 * std::exp2(start % 2 == 0 ? 2 * uniform() - 1 : -20 * uniform());
    }
    double error = error_at(d, x);
    for (int step = 0; step < steps; ++step) {
      const auto nudge = [&] { return std::exp2(-40 * uniform()) * (2 * uniform() - 1); };
      const double kind = uniform();
      const double new_d = kind < 0.5 ? d : kind < 0.6 ? std::round(d) : d * std::exp(nudge());
      const double new_x = x * std::exp(nudge());
      const double new_error = error_at(new_d, new_x);
      if (new_error > error) {
        error = new_error;
        d = new_d;
        x = new_x;
      }
    }
    if (error > worst) {
      worst = error;
      worst_d = d;
      worst_x = x;
    }
  }
  std::printf("{\"%s\", %a, %a},  // %.3f of %g at d = %.6g, x = %.6g\n", function.name, worst_d,
              worst_x, worst, function.bound, worst_d, worst_x);
  std::fflush(stdout);
  return worst <= function.bound;
}

/// The errors at random points, printed by regions; whether all of them are within their bounds.
bool measure(Uniform& uniform, int points) {
  namespace bound = sqrtdk::score_precision;
  Figure tail{"P(X > x)", bound::cdf, {}};
  Figure lower{"P(X <= x), x > 0", bound::cdf, {}};
  Figure density{"pdf", bound::pdf, {}};
  Figure logarithm{
      "log P(X > x) and logpdf at x = 50 d and at the tail's points", bound::logarithms, {}};
  Figure central{"P(X <= x) - 1/2", bound::central_cdf, {}};
  Figure quantiles{"quantile, error of P over its conditioning", bound::quantile, {}};
  int iterations = 0;
  double total_iterations = 0;
  for (int i = 0; i < points; ++i) {
    const double d = draw_dimension(uniform);
    const double x = draw_score(uniform, d);
    const sqrtdk::score score(d);
    const Oracle oracle(d);
    const Quad want = cdf(complement(oracle, Quad(x)));
    if (want < 1e-300) continue;
    const std::string region = name_dimension(d) + ", " + name_tail(want);
    tail.add(region, cdf(complement(score, x)), want, d, x);
    lower.add(region, cdf(score, x), 1 - want, d, x);
    density.add(region, pdf(score, x), pdf(oracle, Quad(x)), d, x);
    if (want > 0.1) central.add(region, central_cdf(score, x), central_cdf(oracle, Quad(x)), d, x);
    for (const double far : {x, 50 * d}) {
      const Quad log_tail = logcdf(complement(oracle, Quad(far)));
      if (log_tail > -40) continue;
      const std::string where = name_dimension(d) + (far == x ? "" : ", x = 50 d");
      logarithm.add(where, logcdf(complement(score, far)), log_tail, d, far);
      logarithm.add(where, logpdf(score, far), logpdf(oracle, Quad(far)), d, far);
    }
    // p itself is drawn, from 1e-300 to 1/2, so that no digit of it comes from the distribution
    const double p = uniform() < 0.5 ? std::pow(1e-300, uniform()) / 2 : uniform() / 2;
    const auto found = sqrtdk::score_numerics::QuantileFinder<double>(d)(p, 0.5 - p);
    iterations = (std::max)(iterations, found.iterations);
    total_iterations += found.iterations;
    const Quad reached = cdf(complement(oracle, Quad(found.x)));
    const Quad conditioning = 1 + found.x * pdf(oracle, Quad(found.x)) / reached;
    quantiles.add(name_dimension(d) + ", " + name_tail(p),
                  static_cast<double>((reached - p) / p / conditioning) / epsilon, d, p);
  }

  bool held = true;
  std::printf("\nErrors in epsilons (2^-52) at random points\n");
  for (const auto* one : {&tail, &lower, &density, &logarithm, &central, &quantiles})
    held = one->print() && held;
  std::printf("quantile: at most %d series, %.1f on average\n", iterations,
              total_iterations / points);
  return held;
}

}  // namespace

int main(int argc, char** argv) {
  const auto seed_at = [&](int i) {
    return argc > i ? static_cast<std::uint64_t>(std::atoll(argv[i])) : 20260;
  };
  if (argc > 1 && std::string(argv[1]) == "climb") {
    const int starts = argc > 2 ? std::atoi(argv[2]) : 40;
    const int steps = argc > 3 ? std::atoi(argv[3]) : 100;
    Uniform uniform(seed_at(4));
    bool held = true;
    for (const BoundedFunction& function : functions)
      held = climb(function, uniform, starts, steps) && held;
    return held ? 0 : 1;
  }
  const int points = argc > 1 ? std::atoi(argv[1]) : 2000;
  Uniform uniform(seed_at(2));
  check_oracle(uniform, 1 + points / 40);
  return measure(uniform, points) ? 0 : 1;
}
