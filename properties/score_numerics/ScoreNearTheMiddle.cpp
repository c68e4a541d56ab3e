// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>

#include "properties/score_distribution/reference.hpp"
#include "properties/score_numerics/fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;
using namespace sqrtdk::reference;

/// What the claim about the middle is about.
struct MiddleFunctions {
  Wide (*struve_form)(const Wide&, const Wide&) = reference::struve_form;
  Wide (*series)(double, double) = [](double d, double x) -> Wide {
    return parts::central_mass_by_struve<Wide>(d, x);
  };
  double (*central)(double, double) = [](double d, double x) { return central_cdf(Score(d), x); };
};

const std::vector<Mutant<MiddleFunctions>> score_near_the_middle_mutants = {
    {"the Struve form is what the code computes",
     "TheStruveFormIsTheCentralCdf",
     {.struve_form = [](const Wide& d, const Wide& x) -> Wide {
       return central_cdf(Score(static_cast<double>(d)), static_cast<double>(x));
     }}},
    {"the Struve form loses a cube",
     "TheStruveFormIsTheCentralCdf",
     {.struve_form = [](const Wide& d, const Wide& x) -> Wide {
       return reference::struve_form(d, x) - x * x * x / 1000;
     }}},
    {"the middle of N(0, d)",
     "TheStruveFormIsTheCentralCdf",
     {.central = [](double d, double x) { return std::erf(x / std::sqrt(2 * d)) / 2; }}},
    {"the series is that of two dimensions more",
     "TheSeriesIsTheStruveForm",
     {.series = [](double d, double x) -> Wide {
       return parts::central_mass_by_struve<Wide>(d + 2, x);
     }}},
    {"the first term is all",
     "TheSeriesIsTheStruveForm",
     {.series = [](double d, double x) -> Wide {
       return x * pdf(score_distribution<Wide>(d), Wide(x));
     }}},
};

//! [ScoreNearTheMiddle]
TEST(ScoreNearTheMiddle, TheStruveFormIsTheCentralCdf) {
  check_with_mutants(score_near_the_middle_mutants, [](const MiddleFunctions& functions) {
    evidence().downgrade_to(EvidenceLevel::measured);
    of_the_statement();
    // The code takes this form at these points, so the reference is compared with both.
    const double dimensions[] = {0.5, 1.25, 2, 3.7, 11, 60};
    for (const double d : dimensions)
      for (const double z : {0x1p-10, 0.3, 1.0}) {
        const double x = z * std::sqrt(d);
        const Wide form = functions.struve_form(d, x);
        const Wide central = point_at(d, x).central;
        expect_within(static_cast<double>(abs(form / central - 1)), 1e-26, place(d, x));
        expect_within(error_in_epsilons(functions.central(d, x), central),
                      score_precision::central_cdf, place(d, x));
      }
    enumerated(3 * std::size(dimensions));
  });
}
//! [ScoreNearTheMiddle]

TEST(ScoreNearTheMiddle, TheSeriesIsTheStruveForm) {
  check_with_mutants(score_near_the_middle_mutants, [](const MiddleFunctions& functions) {
    evidence().downgrade_to(EvidenceLevel::measured);
    of_the_statement();
    for (const double d : {0.5, 1.0, 3.7, 11.0, 60.0})
      for (const double z : {0x1p-10, 0.3, 1.0, 2.0}) {
        const double x = z * std::sqrt(d);
        const Wide want = struve_form_at(d, x);
        expect_within(static_cast<double>(abs(functions.series(d, x) / want - 1)), 1e-40,
                      place(d, x));
      }
    enumerated(20);
  });
}

}  // namespace
