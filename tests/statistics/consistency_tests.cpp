// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The consistency check, tested on a distribution of our own and then pointed at
/// Boost.Math's.
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/testing/expect_draws.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/consistency.hpp>
#include <sqrtdk/testing/statistics/seed.hpp>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/cauchy.hpp>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/extreme_value.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/inverse_gamma.hpp>
#include <boost/math/distributions/inverse_gaussian.hpp>
#include <boost/math/distributions/laplace.hpp>
#include <boost/math/distributions/logistic.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/rayleigh.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/distributions/weibull.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/version.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <exception>
#include <iostream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk::testing;
using sqrtdk::format_significant;
using Digits50 = boost::multiprecision::cpp_bin_float_50;

/// The worst errors of a distribution over many parameters and points.
struct Worst {
  double logpdf = 0;
  double cdf = 0;
  double quantile = 0;
  std::string thrown;  ///< the first message of an exception
};

/// Three parameters of a distribution: two that are positive, from 2⁻⁴ to 2⁴, and one from −4 to 4.
template <class Real>
struct Parameters {
  Real a, b, c;
};

/// Checks the distributions that `make` builds from generated parameters, at generated
/// probabilities.
template <class Real, class Make>
Worst worst_of(Make make, std::size_t cases, bool with_cdf, Stream stream) {
  using std::abs;
  Worst worst;
  for (std::size_t i = 0; i < cases; ++i) {
    const double a = std::exp2(8 * uniform(stream) - 4);
    const double b = std::exp2(8 * uniform(stream) - 4);
    const double c = 8 * uniform(stream) - 4;
    const Real p = uniform(stream);
    const auto distribution = make(Parameters<Real>{a, b, c});
    try {
      const double error = quantile_error(distribution, p);
      worst.quantile = std::max(worst.quantile, error);
      if (error > 0x1p-20) continue;  // then x is not where it was meant to be
      const Real x = quantile(distribution, p);
      const Real density = pdf(distribution, x);
      if (!(density > 0 && density < std::numeric_limits<Real>::max())) continue;
      worst.logpdf = std::max(worst.logpdf, logpdf_error(distribution, x));
      const bool has_room = sqrtdk::testing::room(distribution, x) > abs(x) * Real(0x1p-20);
      if (with_cdf && has_room) worst.cdf = std::max(worst.cdf, cdf_error(distribution, x));
    } catch (const std::exception& error) {
      if (worst.thrown.empty()) worst.thrown = error.what();
    }
  }
  return worst;
}

// ------------------------------------------------------------------------------------- Consistency

/// The exponential distribution of rate 1, with functions that can be replaced one by one.
struct HomeMade {
  using value_type = double;
  double (*pdf)(double) = [](double x) { return std::exp(-x); };
  double (*logpdf)(double) = [](double x) { return -x; };
  double (*cdf)(double) = [](double x) { return -std::expm1(-x); };
  double (*quantile)(double) = [](double p) { return -std::log1p(-p); };
};

double pdf(const HomeMade& distribution, double x) { return distribution.pdf(x); }
double logpdf(const HomeMade& distribution, double x) { return distribution.logpdf(x); }
double cdf(const HomeMade& distribution, double x) { return distribution.cdf(x); }
double quantile(const HomeMade& distribution, double p) { return distribution.quantile(p); }
std::pair<double, double> support(const HomeMade&) {
  return {0, std::numeric_limits<double>::infinity()};
}

/// In double precision a route must at least be right to single precision, 2⁻²³.
constexpr double single = std::numeric_limits<float>::epsilon();

const std::vector<Mutant<HomeMade>> wrong_functions = {
    {"the logarithm of the density has the wrong sign",
     "LogarithmOfTheDensity",
     {.logpdf = [](double x) { return x; }}},
    {"the logarithm of the density is not a number",
     "LogarithmOfTheDensity",
     {.logpdf = [](double) { return std::nan(""); }}},
    {"the density has rate 2",
     "DistributionFunctionAndDensity",
     {.pdf = [](double x) { return 2 * std::exp(-2 * x); }}},
    {"the density is not normalized",
     "DistributionFunctionAndDensity",
     {.pdf = [](double x) { return 1.0001 * std::exp(-x); }}},
    {"the quantile is that of the other tail",
     "QuantileAndDistributionFunction",
     {.quantile = [](double p) { return -std::log(p); }}},
    {"the quantile is not a number",
     "QuantileAndDistributionFunction",
     {.quantile = [](double) { return std::nan(""); }}},
    {"the quantile is infinite",
     "QuantileAndDistributionFunction",
     {.quantile = [](double) { return std::numeric_limits<double>::infinity(); }}},
    {"the distribution function is not a number",
     "QuantileAndDistributionFunction",
     {.cdf = [](double) { return std::nan(""); }}},
    {"the quantile is right to four digits",
     "QuantileAndDistributionFunction",
     {.quantile = [](double p) { return -1.0001 * std::log1p(-p); }}},
};

TEST(Consistency, LogarithmOfTheDensity) {
  check_with_mutants(wrong_functions, [](const HomeMade& distribution) {
    evidence().rests_on(EvidenceLevel::measured);
    evidence().add_value();
    for (const double x : {0.01, 1.0, 30.0}) EXPECT_LE(logpdf_error(distribution, x), single) << x;
  });
}

TEST(Consistency, DistributionFunctionAndDensity) {
  check_with_mutants(wrong_functions, [](const HomeMade& distribution) {
    evidence().rests_on(EvidenceLevel::measured);
    evidence().add_value();
    // Twenty bits of 53 are lost to the difference; what remains exceeds single precision.
    for (const double x : {0.5, 1.0, 2.0}) EXPECT_LE(cdf_error(distribution, x), single) << x;
  });
}

TEST(Consistency, QuantileAndDistributionFunction) {
  check_with_mutants(wrong_functions, [](const HomeMade& distribution) {
    evidence().rests_on(EvidenceLevel::measured);
    evidence().add_value();
    for (const double p : {1e-9, 0.3, 0.5, 0.999})
      EXPECT_LE(quantile_error(distribution, p), single) << p;
  });
}

// -------------------------------------------------------------------------------------- BoostMath

/// Collects what the check finds in a library; nothing is asserted about a version that is not
/// known.
class BoostMath : public ::testing::Test {
 protected:
  void SetUp() override { evidence() = Evidence(); }
  void TearDown() override { evidence().record(); }

  /// In 50 digits a formula must be right to double precision; a double, to single precision.
  template <class Make>
  void examine_family(const std::string& name, Make make) {
    const Stream stream = stream_of(master_seed(), current_test_name() + " " + name);
    const double unit = std::numeric_limits<double>::epsilon();
    const Worst formula = worst_of<Digits50>(make, 200, true, stream);
    const Worst in_double = worst_of<double>(make, 1000, false, stream);
    note(formula.logpdf > unit, name, "logpdf is not log(pdf), in 50 digits", formula.logpdf);
    note(formula.cdf > unit, name, "cdf is not the integral of pdf, in 50 digits", formula.cdf);
    note(formula.quantile > unit, name, "quantile does not invert cdf, in 50 digits",
         formula.quantile);
    note(!formula.thrown.empty(), name, "throws in 50 digits: " + formula.thrown, 0);
    note(in_double.logpdf > single, name, "logpdf is not log(pdf), in double", in_double.logpdf);
    note(in_double.quantile > single, name, "quantile does not invert cdf, in double",
         in_double.quantile);
    note(!in_double.thrown.empty(), name, "throws in double: " + in_double.thrown, 0);
    const double digit = std::numeric_limits<double>::epsilon();
    std::cout << "             " << name << ": in double, logpdf within "
              << format_significant(in_double.logpdf / digit, 4) << " and quantile within "
              << format_significant(in_double.quantile / digit, 4) << " epsilon" << std::endl;
    record_value(name, "logpdf " + format_significant(in_double.logpdf / digit, 4) + ", quantile " +
                           format_significant(in_double.quantile / digit, 4));
  }

  void note(bool found, const std::string& name, const std::string& what, double error) {
    if (!found) return;
    findings_.push_back(name + ": " + what);
    std::cout << "             FOUND " << findings_.back() << " (error "
              << format_significant(error, 4) << ")" << std::endl;
    evidence().add_line("value_findings",
                        findings_.back() + " (" + format_significant(error, 4) + ")");
  }

  std::vector<std::string> findings_;
};

TEST_F(BoostMath, ItsDistributionsAgainstThemselves) {
  namespace bm = boost::math;
  examine_family("normal", []<class R>(const Parameters<R>& of) {
    return bm::normal_distribution<R>(of.c, of.a);
  });
  examine_family("laplace", []<class R>(const Parameters<R>& of) {
    return bm::laplace_distribution<R>(of.c, of.a);
  });
  examine_family("exponential", []<class R>(const Parameters<R>& of) {
    return bm::exponential_distribution<R>(of.a);
  });
  examine_family("gamma", []<class R>(const Parameters<R>& of) {
    return bm::gamma_distribution<R>(of.a, of.b);
  });
  examine_family("inverse gamma", []<class R>(const Parameters<R>& of) {
    return bm::inverse_gamma_distribution<R>(of.a, of.b);
  });
  examine_family("inverse Gaussian", []<class R>(const Parameters<R>& of) {
    return bm::inverse_gaussian_distribution<R>(of.a, of.b);
  });
  examine_family("extreme value", []<class R>(const Parameters<R>& of) {
    return bm::extreme_value_distribution<R>(of.c, of.a);
  });
  examine_family("Rayleigh", []<class R>(const Parameters<R>& of) {
    return bm::rayleigh_distribution<R>(of.a);
  });
  examine_family("Weibull", []<class R>(const Parameters<R>& of) {
    return bm::weibull_distribution<R>(of.a, of.b);
  });
  examine_family("logistic", []<class R>(const Parameters<R>& of) {
    return bm::logistic_distribution<R>(of.c, of.a);
  });
  examine_family("lognormal", []<class R>(const Parameters<R>& of) {
    return bm::lognormal_distribution<R>(of.c, of.a);
  });
  examine_family("Cauchy", []<class R>(const Parameters<R>& of) {
    return bm::cauchy_distribution<R>(of.c, of.a);
  });
  examine_family("Student", []<class R>(const Parameters<R>& of) {
    return bm::students_t_distribution<R>(of.a);
  });
  examine_family("beta", []<class R>(const Parameters<R>& of) {
    return bm::beta_distribution<R>(of.a, of.b);
  });
}

TEST_F(BoostMath, Version181HasTwoMistakesThatTheCheckFinds) {
  if (BOOST_VERSION != 108100) GTEST_SKIP() << "another version of Boost; see the test before";
  // The logarithm of the Laplace density takes the location for the scale and the reverse.
  const boost::math::laplace laplace(1, 2);
  EXPECT_NEAR(logpdf(laplace, 3.0), -std::abs(3 - 2) / 1.0 - std::log(2 * 1.0), 1e-15);
  EXPECT_NEAR(std::log(pdf(laplace, 3.0)), -std::abs(3 - 1) / 2.0 - std::log(2 * 2.0), 1e-15);
  EXPECT_GT(logpdf_error(laplace, 3.0), single);
  // The Newton iteration for the inverse Gaussian quantile runs away.
  const boost::math::inverse_gaussian inverse_gaussian(2.539459, 0.090412);
  EXPECT_GT(quantile(inverse_gaussian, 0.804935), 1e48);
  EXPECT_EQ(cdf(inverse_gaussian, 1e48), 1);
  EXPECT_GT(quantile_error(inverse_gaussian, 0.804935), single);
  record_value("laplace_logpdf", format_significant(logpdf(laplace, 3.0), 4));
  record_value("laplace_log_of_pdf", format_significant(std::log(pdf(laplace, 3.0)), 4));
  record_value("inverse_gaussian_quantile",
               format_significant(quantile(inverse_gaussian, 0.804935), 4));
}

}  // namespace
