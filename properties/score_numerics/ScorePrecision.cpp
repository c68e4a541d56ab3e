#include <sqrtdk/numbers/larger_or_nan.hpp>

#include "properties/score_numerics/ScorePrecision_points.hpp"
#include "properties/score_numerics/fixture.hpp"

#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/normal.hpp>

namespace sqrtdk::properties::ScorePrecision {

using namespace sqrtdk::reference;

using boost::math::complement;

/// P(X > x) with fifty digits, by the header's path for all types; computed once for each point.
Wide tail_in_fifty_digits(double d, double x) {
  static std::map<std::pair<double, double>, Wide> known;
  const auto [place, is_new] = known.try_emplace({d, x});
  if (is_new) place->second = cdf(complement(score_distribution<Wide>(d), Wide(x)));
  return place->second;
}

struct Subject {
  double (*pdf)(double, double) = [](double d, double x) { return sqrtdk::pdf(Score(d), x); };
  double (*logpdf)(double, double) = [](double d, double x) { return sqrtdk::logpdf(Score(d), x); };
  double (*lower)(double, double) = [](double d, double x) { return sqrtdk::cdf(Score(d), x); };
  double (*upper)(double, double) = [](double d, double x) {
    return sqrtdk::cdf(complement(Score(d), x));
  };
  double (*log_lower)(double, double) = [](double d, double x) {
    return sqrtdk::logcdf(Score(d), x);
  };
  double (*log_upper)(double, double) = [](double d, double x) {
    return sqrtdk::logcdf(complement(Score(d), x));
  };
  double (*central)(double, double) = [](double d, double x) {
    return sqrtdk::central_cdf(Score(d), x);
  };
  double (*quantile)(double, double) = [](double d, double p) {
    return sqrtdk::quantile(Score(d), p);
  };
  double (*upper_quantile)(double, double) = [](double d, double p) {
    return sqrtdk::quantile(complement(Score(d), p));
  };
  double (*hazard)(double, double) = [](double d, double x) { return sqrtdk::hazard(Score(d), x); };
  double (*cumulative_hazard)(double, double) = [](double d, double x) {
    return sqrtdk::chf(Score(d), x);
  };
  Wide (*wide_upper)(double, double) = tail_in_fifty_digits;
  long double (*wide_erfcx)(long double) = [](long double u) { return parts::fast_erfcx(u); };
  double (*erfcx)(double) = [](double u) { return parts::fast_erfcx(u); };
  Reference (*reference)(double, double) = reference_at;
};

//! [ScorePrecision]
STATEMENT(ScorePrecision, TheTailsAreRightToAFewEpsilons) {
  evidence().rests_on(EvidenceLevel::measured);
  Regions regions;
  for (const Point& at : points()) {
    const double upper = error_in_epsilons(subject.upper(at.d, at.x), at.tail);
    const double lower = error_in_epsilons(subject.lower(at.d, at.x), at.lower);
    expect_within(std::max(upper, lower), score_precision::cdf, place(at.d, at.x));
    regions.add(at, upper);
  }
  evidence().add_cases(points().size(), 0);
  regions.record_all(true);
}
//! [ScorePrecision]
KILLS("the complement is one minus the cdf",
      {.upper = [](double d, double x) { return 1 - cdf(Score(d), x); }});
KILLS("the tail is the exponential of its rounded logarithm",
      {.upper = [](double d, double x) { return std::exp(logcdf(complement(Score(d), x))); }});
KILLS("the cdf passes through a float",
      {.lower = [](double d, double x) -> double { return static_cast<float>(cdf(Score(d), x)); }});

STATEMENT(ScorePrecision, TheDensityIsRightToAFewEpsilons) {
  evidence().rests_on(EvidenceLevel::measured);
  Regions regions;
  for (const Point& at : points()) {
    const double density = error_in_epsilons(subject.pdf(at.d, at.x), at.density);
    const double hazard = error_in_epsilons(subject.hazard(at.d, at.x), at.density / at.tail);
    expect_within(density, score_precision::pdf, place(at.d, at.x));
    expect_within(hazard, score_precision::hazard, "hazard, " + place(at.d, at.x));
    regions.add(at, density);
  }
  evidence().add_cases(points().size(), 0);
  regions.record_all();
}
KILLS("the density is the exponential of its rounded logarithm",
      {.pdf = [](double d, double x) { return std::exp(logpdf(Score(d), x)); }});
KILLS("the hazard is divided by one minus the cdf",
      {.hazard = [](double d, double x) { return pdf(Score(d), x) / (1 - cdf(Score(d), x)); }});

STATEMENT(ScorePrecision, LogarithmsAreRightFarBeyondUnderflow) {
  evidence().rests_on(EvidenceLevel::measured);
  const auto expect = [](double got, const Wide& want, const char* what, const Point& at,
                         double bound = score_precision::logarithms) {
    expect_within(error_in_epsilons(got, want), bound, what + (", " + place(at.d, at.x)));
  };
  for (const Point& at : far_points()) {
    expect(subject.log_upper(at.d, at.x), at.log_tail, "logcdf of the complement", at);
    expect(subject.logpdf(at.d, at.x), at.log_density, "logpdf", at);
    expect(subject.cumulative_hazard(at.d, at.x), -at.log_tail, "chf", at);
  }
  for (const Point& at : points()) {
    const bool is_far = at.log_tail < -40;
    const double bound = is_far ? score_precision::logarithms : score_precision::log_cdf;
    expect(subject.log_upper(at.d, at.x), at.log_tail, "logcdf of the complement", at, bound);
    expect(subject.log_lower(at.d, -at.x), at.log_tail, "logcdf", at, bound);
    expect(subject.log_lower(at.d, at.x), at.log_lower, "logcdf", at, score_precision::log_cdf);
    if (is_far) expect(subject.logpdf(at.d, at.x), at.log_density, "logpdf", at);
  }
  evidence().add_cases(far_points().size() + points().size(), 0);
}
KILLS("the logarithm of a density that underflows",
      {.logpdf = [](double d, double x) { return std::log(pdf(Score(d), x)); }});
KILLS("the logarithm of a tail that underflows",
      {.log_upper = [](double d, double x) { return std::log(cdf(complement(Score(d), x))); }});
KILLS("the logarithm of a cdf that is nearly one",
      {.log_lower = [](double d, double x) { return std::log(cdf(Score(d), x)); }});
KILLS("the cumulative hazard of a tail that underflows",
      {.cumulative_hazard = [](double d, double x) {
        return -std::log(cdf(complement(Score(d), x)));
      }});

STATEMENT(ScorePrecision, NearTheCentreNothingCancels) {
  evidence().rests_on(EvidenceLevel::measured);
  Regions regions;
  for (const Point& at : points()) {
    const double error = error_in_epsilons(subject.central(at.d, at.x), at.central);
    expect_within(error, score_precision::central_cdf, place(at.d, at.x));
    regions.add(at, error);
  }
  evidence().add_cases(points().size(), 0);
  regions.record_all();
}
KILLS("the cdf less one half",
      {.central = [](double d, double x) { return cdf(Score(d), x) - 0.5; }});

/// The distance from p of the tail at its quantile, relative to 1 + x f(x)/P(X > x), where x is the
/// point whose tail rounds to p: near it the tail is a line, to errors of the size of their square.
double quantile_error(const Subject& subject, const Point& at) {
  const auto p = static_cast<double>(at.tail);
  const Wide reached = at.tail - at.density * (Wide(subject.upper_quantile(at.d, p)) - Wide(at.x));
  return error_in_epsilons(reached, p) / static_cast<double>(1 + at.x * at.density / at.tail);
}

STATEMENT(ScorePrecision, QuantilesComeBack) {
  evidence().rests_on(EvidenceLevel::measured);
  Regions regions;
  for (const Point& at : points()) {
    const auto p = static_cast<double>(at.tail);
    const double error = quantile_error(subject, at);
    expect_within(error, score_precision::quantile,
                  "p = " + exact_text(p) + ", " + place(at.d, at.x));
    EXPECT_EQ(subject.quantile(at.d, p), -subject.upper_quantile(at.d, p));
    regions.add(at, error);
  }
  evidence().add_cases(points().size(), 0);
  regions.record_all();
}
KILLS("the quantile of the normal distribution", {.upper_quantile = [](double d, double p) {
        return quantile(complement(boost::math::normal(0, std::sqrt(d)), p));
      }});
KILLS("the upper quantile of a small p is found from 1 - p",
      {.upper_quantile = [](double d, double p) {
        return 1 - p < 1 ? quantile(Score(d), 1 - p) : 40 * std::sqrt(d);
      }});
KILLS("lower and upper quantile are the same",
      {.quantile = [](double d, double p) { return quantile(complement(Score(d), p)); }});

/// Newton's method for the quantile near the middle, with a rule for when a step is small enough.
template <class Rule>
double central_newton(double d, double mass, Rule is_small) {
  double x = mass * std::sqrt(constants::two_pi<double>() * d);
  double previous = x;
  for (int i = 0; i < parts::quantile_iterations; ++i) {
    const double now = parts::central_mass(d, x);
    const double before = x;
    x *= std::exp(-std::log1p((now - mass) / mass) * now / (x * pdf(Score(d), x)));
    const double step = x - before;
    if (is_small(step, previous, x)) break;
    previous = step;
  }
  return x;
}

STATEMENT(ScorePrecision, QuantilesNearTheMiddleComeBack) {
  evidence().rests_on(EvidenceLevel::measured);
  // Below d = 1 the mass is like x^d near 0: these x go down to 1e-33.
  const double dimensions[] = {0.5, 0.75, 0.97, 1, 1.25, 2, 3, 64, 71, 1000};
  for (const double d : dimensions)
    for (const int exponent : {-54, -50, -40, -20, -8}) {
      const double mass = std::ldexp(1.0, exponent);
      const double x = subject.upper_quantile(d, 0.5 - mass);
      // The mass at x is off by the error of central_cdf, and by x's own: x f(x) is at most mass.
      expect_within(error_in_epsilons(struve_form_at(d, x), mass), score_precision::central_cdf + 1,
                    place(d, x));
    }
  enumerated(5 * std::size(dimensions));
}
KILLS("Newton's method stops at a step of 64 epsilon, however small x is",
      {.upper_quantile = [](double d, double p) {
        return central_newton(d, 0.5 - p, [](double step, double previous, double) {
          return std::abs(step) < 64 * epsilon && 2 * std::abs(step) >= std::abs(previous);
        });
      }});
KILLS("Newton's method takes one step", {.upper_quantile = [](double d, double p) {
        return central_newton(d, 0.5 - p, [](double, double, double) { return true; });
      }});

ASIDE(ScorePrecision, TheReferenceGivesTheValuesOfThreeOtherRoutes) {
  evidence().rests_on(EvidenceLevel::measured);
  // Rounded to 25 digits; found beforehand by three routes that agreed.
  struct Row {
    double d, x;
    const char *density, *tail;
  };
  const Row rows[] = {
      {1, 0x1p-30, "6.655970152133891416043171", "0.4999999935046955586246382"},
      {1, 0.5, "0.2942517293486038023931481", "0.2048941020817005296736619"},
      {1, 10, "5.659569612200030798014783e-6", "5.416099664708829178840706e-6"},
      {2, 1, "0.1839397205857211607977619", "0.1839397205857211607977619"},
      {3, 0.25, "0.2981788528629825638433586", "0.4223700433968566217247392"},
      {3, 2, "0.08904138584402554217936924", "0.1034215360816663729733935"},
      {4, 3, "0.04978706836786394297934242", "0.06223383545982992872417802"},
      {5, 1, "0.172400761630519710821363", "0.3023774131650812477801229"},
      {8, 2.75, "0.08152258993400941278052397", "0.1515685472327651711517412"},
      {16, 4, "0.05830017024899171137253689", "0.1515031423156535665194179"},
      {17, 30, "6.240058281064682282908632e-9", "7.88903765248117739173787e-9"},
      {64, 8, "0.0299995100665759711829127", "0.156787999873901274877656"},
      {64, 80, "2.229119471202758568803059e-17", "3.227400982535127942229682e-17"},
      {65, 8, "0.03000878575204438793319933", "0.1586772629855876516161477"},
      {128, 11.25, "0.02142379997524276648493393", "0.1590767167395928831218655"},
      {1000, 31.5, "0.00767770204136307538682884", "0.1594751752593512793983967"},
      {1001, 400, "4.190378448382270683666615e-35", "1.186436494150756977119423e-34"},
      {4096, 64, "0.003780330719539200497039018", "0.158625721901852647238349"},
      {65536, 640, "0.00006847111547676335348323389", "0.006210208582908092578172752"},
      {999999, 500, "0.0003520655963143176153788896", "0.3085373296869114436034451"},
      {1000000, 1000, "0.0002419706035334282166813925", "0.1586551329461855311319628"},
      {1000000, 8000, "5.056965173633338195210751e-18", "6.227126887541761524450197e-16"},
  };
  for (const Row& row : rows) {
    const Reference at = subject.reference(row.d, row.x);
    const Wide scale = exp(at.log_scale);
    // Half a unit of the 25th digit is at most 5e-25 of the number.
    const double half_a_unit = 5e-25 / epsilon;
    EXPECT_LE(error_in_epsilons(at.tail * scale, Wide(row.tail)), half_a_unit)
        << "reference, tail, " << place(row.d, row.x);
    EXPECT_LE(error_in_epsilons(at.density * scale, Wide(row.density)), half_a_unit)
        << "reference, density, " << place(row.d, row.x);
    expect_within(error_in_epsilons(subject.upper(row.d, row.x), Wide(row.tail)),
                  score_precision::cdf, place(row.d, row.x));
    expect_within(error_in_epsilons(subject.pdf(row.d, row.x), Wide(row.density)),
                  score_precision::pdf, place(row.d, row.x));
  }
  enumerated(std::size(rows));
}
KILLS("the pole of the inversion formula is forgotten", {.reference = [](double d, double x) {
        return d < 200 ? around_the_cut(d, x) : along_the_line(d, x, false);
      }});
KILLS("the density is that of d + 1",
      {.pdf = [](double d, double x) { return pdf(Score(d + 1), x); }});

ASIDE(ScorePrecision, TheReferenceHasThirtyDigits) {
  evidence().rests_on(EvidenceLevel::measured);
  double worst = 0;
  const auto expect = [&](const Wider& got, const Wider& want, double d, double x) {
    const auto error = static_cast<double>(Wider(abs(got / want - 1)));
    worst = sqrtdk::detail::larger_or_nan(worst, error);
    expect_within(error, 1e-30, place(d, x));
  };
  // Even d: the finite sums, exactly.
  static std::map<std::pair<unsigned, double>, std::pair<Wider, Wider>> known;
  for (const unsigned m : {1U, 5U, 32U, 99U, 100U, 200U})
    for (const double z : {0.0625, 1.0, 4.0, 16.0}) {
      const double d = 2 * m;
      const double x = std::round(16 * z * std::sqrt(d)) / 16;
      const auto [exact, is_new] = known.try_emplace({m, x});
      if (is_new)
        exact->second = {Wider(even_tail(m, Rational(x))), Wider(even_density(m, Rational(x)))};
      const Reference at = subject.reference(d, x);
      const Wider scale = exp(Wider(at.log_scale) + Wider(x));
      expect(Wider(at.tail) * scale, exact->second.first, d, x);
      expect(Wider(at.density) * scale, exact->second.second, d, x);
    }
  // Other d: the same inversion on a grid twice as fine, and near 200 the other one as well.
  static std::map<std::pair<double, double>, std::vector<Reference>> others;
  for (const double d : {0.5, 1.5, 1.53, 7.7, 190.3, 201.7, 1e3, 1e9})
    for (const double z : {0x1p-20, 0.0625, 1.0, 16.0}) {
      const double x = z * std::sqrt(d);
      const auto [finer, is_new] = others.try_emplace({d, x});
      if (is_new) {
        if (d < 250) finer->second.push_back(around_the_cut(d, x, 0x1p-5));
        if (d > 150) finer->second.push_back(along_the_line(d, x, true, 0.15625));
      }
      const Reference at = subject.reference(d, x);
      for (const Reference& other : finer->second) {
        const Wider common = exp(Wider(other.log_scale) - Wider(at.log_scale));
        expect(Wider(at.tail), Wider(other.tail) * common, d, x);
        expect(Wider(at.density), Wider(other.density) * common, d, x);
      }
    }
  enumerated(24 + 8 * 4);
  record_value("worst", format_significant(worst, 2));
}
KILLS("the reference has twenty-five digits", {.reference = [](double d, double x) {
        Reference at = reference_at(d, x);
        at.tail *= 1 + Wide(1e-25);
        return at;
      }});
KILLS("the pole of the inversion formula is forgotten, seen in thirty digits",
      {.reference = [](double d, double x) {
        return d < 200 ? around_the_cut(d, x) : along_the_line(d, x, false);
      }});

ASIDE(ScorePrecision, InFiftyDigitsTheErrorIsAsSmallAsPromised) {
  evidence().rests_on(EvidenceLevel::measured);
  for (const auto& [m, x] : {std::pair(1U, 1.5), std::pair(3U, 40.0), std::pair(32U, 8.0)}) {
    const Wider exact = Wider(even_tail(m, Rational(x))) * exp(-Wider(x));
    const Wider error = abs(Wider(subject.wide_upper(2 * m, x)) / exact - 1);
    expect_within(static_cast<double>(error / Wider(std::numeric_limits<Wide>::epsilon())),
                  128 - 2 * static_cast<double>(log(exact)), place(2 * m, x));
  }
  enumerated(3);
}
KILLS("fifty digits are fifteen",
      {.wide_upper = [](double d, double x) -> Wide { return cdf(complement(Score(d), x)); }});

ASIDE(ScorePrecision, TheScaledErrorFunctionIsRight) {
  evidence().rests_on(EvidenceLevel::measured);
  static const std::vector<Wide> known = [] {
    std::vector<Wide> values{1};
    for (int i = -192; i <= 192; ++i) values.push_back(parts::erfcx(Wide(std::exp2(i / 16.0))));
    return values;
  }();
  for (std::size_t i = 0; i < known.size(); ++i) {
    const double u = i == 0 ? 0 : std::exp2((static_cast<double>(i) - 193) / 16.0);
    const std::string where = "u = " + exact_text(u);
    expect_within(error_in_epsilons(Wide(subject.wide_erfcx(u)), known[i]), 0.25, where);
    expect_within(error_in_epsilons(subject.erfcx(u), known[i]), 2.5, where);
  }
  enumerated(known.size());
}
KILLS("the scaled error function of double serves for long double",
      {.wide_erfcx = [](long double u) -> long double {
        return parts::fast_erfcx(static_cast<double>(u));
      }});
KILLS("the scaled error function is exp(u²) erfc(u)",
      {.erfcx = [](double u) { return std::exp(u * u) * std::erfc(u); }});

STATEMENT(ScorePrecision, TheWorstThatASearchFound) {
  evidence().rests_on(EvidenceLevel::measured);
  std::map<std::string, double> largest;
  for (const Find& find : worst_finds) {
    const std::string what = find.what;
    const double d = find.d;
    const double x = find.x;
    const Point at = point_at(d, x);
    const auto error = [&]() -> std::pair<double, double> {
      if (what == "tail")
        return {error_in_epsilons(subject.upper(d, x), at.tail), score_precision::cdf};
      if (what == "cdf")
        return {error_in_epsilons(subject.lower(d, x), at.lower), score_precision::cdf};
      if (what == "density")
        return {error_in_epsilons(subject.pdf(d, x), at.density), score_precision::pdf};
      if (what == "hazard")
        return {error_in_epsilons(subject.hazard(d, x), at.density / at.tail),
                score_precision::hazard};
      if (what == "central")
        return {error_in_epsilons(subject.central(d, x), at.central), score_precision::central_cdf};
      if (what == "log_tail")
        return {error_in_epsilons(subject.log_upper(d, x), at.log_tail),
                score_precision::logarithms};
      if (what == "log_cdf")
        return {std::max(error_in_epsilons(subject.log_upper(d, x), at.log_tail),
                         error_in_epsilons(subject.log_lower(d, x), at.log_lower)),
                score_precision::log_cdf};
      if (what == "log_density")
        return {error_in_epsilons(subject.logpdf(d, x), at.log_density),
                score_precision::logarithms};
      return {quantile_error(subject, at), score_precision::quantile};
    }();
    expect_within(error.first, error.second, what + ", " + place(d, x));
    if (error.first <= largest[what]) continue;
    largest[what] = error.first;
    record_value(what, format_significant(error.first, 3));
    record_value(what + "_at",
                 "d = " + format_significant(d, 6) + ", x = " + format_significant(x, 6));
  }
  record_value("varies_with", "the processor, which computes logarithms of long doubles");
  enumerated(std::size(worst_finds));
}
KILLS("at the worst points everything is four epsilons larger", {.upper = [](double d, double x) {
        return cdf(complement(Score(d), x)) * (1 + 4 * epsilon);
      }});
KILLS("a hazard four epsilons larger",
      {.hazard = [](double d, double x) { return hazard(Score(d), x) * (1 + 4 * epsilon); }});
KILLS("a central cdf four epsilons larger",
      {.central = [](double d, double x) { return central_cdf(Score(d), x) * (1 + 4 * epsilon); }});

ASIDE(ScorePrecision, TheSmallestScoresKeepTheirDigits) {
  evidence().rests_on(EvidenceLevel::measured);
  for (const double x : {0x1p-1074, 0x1p-1040, 0x1p-1000}) {
    // The mass between 0 and x is x f(0) for d > 1 to all digits; half a last place is added
    // where that is no normal number.
    for (const double d : {1.5, 2.0, 3.0, 64.0, 1000.0}) {
      const Wide want = struve_form_at(d, x);
      const Wide half_a_last_place = ldexp(Wide(1), -1075);
      const Wide error = abs(subject.central(d, x) - want);
      EXPECT_LE(error, score_precision::central_cdf * epsilon * want + half_a_last_place)
          << place(d, x);
    }
    // For d = ½ and less it is larger than x by far, and the tail differs from one half.
    for (const double d : {0.5, 0x1p-6, 0x1p-9}) {
      const Wide central = struve_form_at(d, x);
      expect_within(error_in_epsilons(subject.central(d, x), central), score_precision::central_cdf,
                    place(d, x));
      expect_within(error_in_epsilons(subject.upper(d, x), Wide(0.5) - central),
                    score_precision::cdf, place(d, x));
    }
  }
  enumerated(24);
}
KILLS("the smallest scores are taken to be zero", {.central = [](double d, double x) {
        return std::abs(x) < 1e-290 ? 0 : central_cdf(Score(d), x);
      }});
KILLS("the tail of a tiny score is one half", {.upper = [](double d, double x) {
        return x < 1e-290 ? 0.5 : cdf(complement(Score(d), x));
      }});

ASIDE(ScorePrecision, EveryDimensionHasAnAnswer) {
  evidence().rests_on(EvidenceLevel::measured);
  constexpr double largest = std::numeric_limits<double>::max();
  const double sizes[] = {0, 0x1p-1074, 1e-308, 1e-160, 1e-17, 1e-3,
                          1, 30,        1e3,    1e9,    1e160, largest};
  int count = 0;
  for (const double d : sizes) {
    if (d == 0) continue;
    for (const double x : sizes) {
      const double tail = subject.upper(d, x);
      const double central = subject.central(d, x);
      // One half, after the roundings of two numbers that are at most that.
      EXPECT_LE(
          std::abs(tail + central - 0.5),
          (score_precision::cdf * tail + score_precision::central_cdf * central + 1) * epsilon)
          << place(d, x);
      EXPECT_LE(subject.log_upper(d, x), 0) << place(d, x);
      ++count;
    }
    for (const double p : {0x1p-1074, 1e-300, 1e-20, 0.1, 0.25, 0.4}) {
      const double x = subject.upper_quantile(d, p);
      EXPECT_GE(x, 0) << "d = " << exact_text(d) << ", p = " << p;
      EXPECT_LE(x, largest) << "d = " << exact_text(d) << ", p = " << p;
      ++count;
    }
    const double distance = normal_distance(Score(d));
    EXPECT_GE(distance, 0) << "d = " << exact_text(d);
    EXPECT_LE(distance, 0.5) << "d = " << exact_text(d);
  }
  enumerated(static_cast<std::uint64_t>(count));
}
KILLS("a tail that is no number", {.upper = [](double d, double x) {
        return d < 1e-300 ? std::numeric_limits<double>::quiet_NaN() : cdf(complement(Score(d), x));
      }});
KILLS("a quantile that is no number", {.upper_quantile = [](double d, double p) {
        return d > 1e308 ? std::numeric_limits<double>::quiet_NaN()
                         : quantile(complement(Score(d), p));
      }});

}  // namespace sqrtdk::properties::ScorePrecision
