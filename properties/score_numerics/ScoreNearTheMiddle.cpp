#include "properties/score_numerics/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::ScoreNearTheMiddle {

using namespace sqrtdk::reference;

struct Subject {
  Wide (*struve_form)(const Wide&, const Wide&) = reference::struve_form;
  Wide (*series)(double, double) = [](double d, double x) -> Wide {
    return parts::central_mass_by_struve<Wide>(d, x);
  };
  double (*central)(double, double) = [](double d, double x) { return central_cdf(Score(d), x); };
  /// P_j(b)/P_{j−1}(b).
  Rational (*ratio)(unsigned j, const Rational& b, const Rational& y) =
      [](unsigned j, const Rational& b, const Rational& y) -> Rational {
    return y / ((j + Rational(1, 2)) * (j + b));
  };
};

//! [ScoreNearTheMiddle]
STATEMENT(ScoreNearTheMiddle, TheStruveFormIsTheCentralCdf) {
  evidence().rests_on(EvidenceLevel::measured);
  // The code takes this form at these points, so the reference is compared with both.
  const double dimensions[] = {0.5, 1.25, 2, 3.7, 11, 60};
  for (const double d : dimensions)
    for (const double z : {0x1p-10, 0.3, 1.0}) {
      const double x = z * std::sqrt(d);
      const Wide form = subject.struve_form(d, x);
      const Wide central = point_at(d, x).central;
      expect_within(static_cast<double>(abs(form / central - 1)), 1e-26, place(d, x));
      expect_within(error_in_epsilons(subject.central(d, x), central), score_precision::central_cdf,
                    place(d, x));
    }
  enumerated(3 * std::size(dimensions));
}
//! [ScoreNearTheMiddle]
KILLS("the Struve form is what the code computes", {.struve_form = [](auto& d, auto& x) -> Wide {
        return central_cdf(Score(static_cast<double>(d)), static_cast<double>(x));
      }});
KILLS("the Struve form loses a cube", {.struve_form = [](auto& d, auto& x) -> Wide {
        return reference::struve_form(d, x) - x * x * x / 1000;
      }});
KILLS("the middle of N(0, d)",
      {.central = [](double d, double x) { return std::erf(x / std::sqrt(2 * d)) / 2; }});

//! [ScoreNearTheMiddle: the terms]
STATEMENT(ScoreNearTheMiddle, EachTermIsAThirdOfTheOneBeforeAtMost) {
  for_all([&] {
    const Rational d = *positive_rational().as("d");
    const Rational y = d / 4 / (1 + abs(*any_rational().as("d/x², less one")));
    const auto j = *rc::gen::inRange(1U, 40U).as("j");
    for (const Rational& b : {Rational(d / 2 - 1), Rational(d / 2)}) {
      EXPECT_EXACTLY(subject.ratio(j, b, y) > 0);
      EXPECT_EXACTLY(subject.ratio(j, b, y) <= Rational(1, 3));
      if (b < d / 2) {
        EXPECT_EXACTLY(subject.ratio(1, b, d / 4) == Rational(1, 3));
      }
    }
  });
}
//! [ScoreNearTheMiddle: the terms]
KILLS("the factors begin at one half",
      {.ratio = [](unsigned j, auto& b, auto& y) { return y / ((j - Rational(1, 2)) * (j + b)); }});

STATEMENT(ScoreNearTheMiddle, TheSeriesIsTheStruveForm) {
  evidence().rests_on(EvidenceLevel::measured);
  for (const double d : {0.5, 1.0, 3.7, 11.0, 60.0})
    for (const double z : {0x1p-10, 0.3, 1.0, 2.0}) {
      const double x = z * std::sqrt(d);
      const Wide want = struve_form_at(d, x);
      expect_within(static_cast<double>(abs(subject.series(d, x) / want - 1)), 1e-40, place(d, x));
    }
  enumerated(20);
}
KILLS("the series is that of two dimensions more", {.series = [](double d, double x) -> Wide {
        return parts::central_mass_by_struve<Wide>(d + 2, x);
      }});
KILLS("the first term is all", {.series = [](double d, double x) -> Wide {
        return x * pdf(score_distribution<Wide>(d), Wide(x));
      }});

}  // namespace sqrtdk::properties::ScoreNearTheMiddle
