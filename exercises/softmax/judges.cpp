// SPDX-License-Identifier: BSL-1.0
#include "exercises/softmax/judges.hpp"

#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/softmax_interval.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/substitute.hpp>

#include "properties/softmax/fixture.hpp"
#include "properties/softmax/functions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;

HandedIn stable_softmax(const std::string& name, SoftmaxOf<double> in_double,
                        SoftmaxOf<float> in_float) {
  return {name, "StableSoftmax.NeverOverflows:StableSoftmax.IsTheFormulaWhereThatWorks", [=] {
            Softmaxes student;
            student.in_double.softmax = in_double;
            student.in_float.softmax = in_float;
            substitute<Softmaxes>().implementation = student;
          }};
}

// --------------------------------------------------------------------------- Write the check

/// Wrong on all weights but the multiples of 6, 3 and 1, which the page shows.
Vector right_on_the_page(const Vector& w) {
  Vector p = library_normalized(w);
  const bool shown = w.size() == 3 && w[0] == 6 * w[2] && w[1] == 3 * w[2];
  if (!shown) p.front() += w.front();
  return p;
}

Vector right_but_for_the_last(const Vector& w) {
  Vector p = library_normalized(w);
  if (p.size() > 1) p.back() += w.back();
  return p;
}

Vector wrong_above_100(const Vector& w) {
  Vector p = library_normalized(w);
  if (total(w) > 100) p.front() = 0;
  return p;
}

HandedIn factor_law(const std::string& name, FactorLawOf law) {
  const std::string killer = "AFactorOfAllWeightsCancels";
  return {name, "SoftmaxShiftInvariance." + killer, [=] {
            Substitute<Softmaxes>& here = substitute<Softmaxes>();
            here.check = [=](const Softmaxes& softmaxes) {
              for_all([&] {
                const Vector w = *positive_weights().as("the weights e^x");
                const Rational factor = *positive_rational().as("the factor e^b");
                EXPECT_EXACTLY(law(softmaxes.normalized, w, factor))
                    << "your law says no, of the function that is judged";
              });
            };
            const char* const aimed = "AFactorOfAllWeightsCancels";
            here.more_mutants = {
                {"right on the weights of the page", aimed, with_normalized(right_on_the_page)},
                {"only the last weight is wrong", aimed, with_normalized(right_but_for_the_last)},
                {"wrong if the weights add up to more than 100", aimed,
                 with_normalized(wrong_above_100)}};
          }};
}

}  // namespace sqrtdk::exercises
