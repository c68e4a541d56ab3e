// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Who judges the exercises on softmax: checks and mutants of the chapter's claims.
#pragma once

#include "exercises/exercise.hpp"
#include "exercises/softmax/chapter.hpp"

#include <string>
#include <vector>

namespace sqrtdk::exercises {

template <class Real>
using SoftmaxOf = std::vector<Real> (*)(const std::vector<Real>&, Real);
using Normalize = std::function<Vector(const Vector&)>;
using FactorLawOf = bool (*)(const Normalize&, const Vector&, const Rational&);

HandedIn stable_softmax(const std::string& name, SoftmaxOf<double> in_double,
                        SoftmaxOf<float> in_float);
HandedIn factor_law(const std::string& name, FactorLawOf law);
HandedIn lead_on_average(const std::string& name, Vector (*scores)(const Rational&));
HandedIn ninety_nine_percent(const std::string& name, Rational (*of_four)(), Rational (*of_512)());

/// A function for each exercise, of its name, from the struct that answers it.
namespace judges {

template <class Answer>
HandedIn StableSoftmax(const std::string& name) {
  return stable_softmax(name, Answer::template softmax<double>, Answer::template softmax<float>);
}

template <class Answer>
HandedIn FactorLaw(const std::string& name) {
  return factor_law(name, Answer::law);
}

template <class Answer>
HandedIn LeadOnAverage(const std::string& name) {
  return lead_on_average(name, Answer::scores);
}

template <class Answer>
HandedIn NinetyNinePercent(const std::string& name) {
  return ninety_nine_percent(name, Answer::of_four, Answer::of_512);
}

}  // namespace judges

}  // namespace sqrtdk::exercises
