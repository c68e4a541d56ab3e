#include <sqrtdk/testing/laws/raised_bound.hpp>

#include "properties/jacobian_error/fixture.hpp"
#include "properties/softmax_jacobian/wrong_jacobian.hpp"

namespace sqrtdk::properties::NumericalDerivatives {

/// Im softmax(x + ike_j)ᵢ/k for all i.
Vector<double> complex_quotient(const Vector<double>& x, Index j, double step) {
  Vector<std::complex<double>> stepped = x.cast<std::complex<double>>();
  stepped[j] += std::complex<double>(0, step);
  return naive_softmax(stepped).imag() / step;
}

/// Expects that the library keeps what statement 2 assumes of it: e^x is right to two units u, and
/// rotating by ik leaves cos k = 1 and sin k = k.
void expect_accurate_exponentials(const Vector<double>& x, double k) {
  for (const double logit : x) {
    const Exact exact_value = exp(Exact(logit));
    RC_ASSERT(abs(Exact(std::exp(logit)) - exact_value) <= 2 * Exact(0x1p-53) * exact_value);
  }
  RC_ASSERT(std::cos(k) == 1);
  RC_ASSERT(std::sin(k) == k);
}

/// Expects that (p̂ᵢ(x + keⱼ) − p̂ᵢ(x − keⱼ))/2k is within its bound of the computed Jacobian.
/// \return the largest bound of these differences.
template <class Real>
double expect_accurate_differences(const Subject& subject, const Matrix<Real>& jacobian,
                                   const Vector<Real>& x, double k) {
  const double u = arithmetic_of<Real>().unit_roundoff;
  const Vector<double> p = softmax(exact(x)).template cast<double>();
  const SoftmaxErrorBound at = softmax_error_bound(x);
  double largest = 0;
  for (Index j = 0; j < x.size(); ++j) {
    Vector<Real> above = x, below = x;
    above[j] += k;
    below[j] -= k;
    expect_at(above[j] - x[j] == k && x[j] - below[j] == k, "the step is rounded",
              SourceLocation::current());
    const Vector<Real> quotient = (softmax(above) - softmax(below)) / Real(2 * k);
    const SoftmaxErrorBound over = softmax_error_bound(above);
    const SoftmaxErrorBound under = softmax_error_bound(below);
    for (Index i = 0; i < x.size(); ++i) {  // a step changes a weight by less than k
      const double bound = subject.difference_bound(k, over(i, p[i] + k), under(i, p[i] + k), u);
      largest = std::max(largest, bound);
      expect_kept(Exact(quotient[i]) - Exact(jacobian(i, j)),
                  bound + jacobian_error_bound<Real>(p, at, i, j));
    }
  }
  return largest;
}

//! [NumericalDerivatives]
STATEMENT(NumericalDerivatives, ComplexStepsKeepTheirBound) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all([&] {
    const Vector<double> x = moderate_logits();
    expect_accurate_exponentials(x, 0x1p-300);
    const Matrix<double> jacobian = subject.jacobian(softmax(x));
    const SoftmaxErrorBound of_weights = softmax_error_bound(x);
    const Vector<double> p = softmax(exact(x)).cast<double>();
    for (Index j = 0; j < x.size(); ++j) {
      const Vector<double> quotient = complex_quotient(x, j, 0x1p-300);
      for (Index i = 0; i < x.size(); ++i)
        expect_kept(
            Exact(quotient[i]) - Exact(jacobian(i, j)),
            jacobian_error_bound(p, of_weights, i, j) +
                subject.complex_bound(p[i], p[j], i == j, static_cast<std::size_t>(x.size())));
    }
  });
}
KILLS("the sign is turned", {.jacobian = wrong_jacobian<double, -1, -1>});
KILLS("δ is forgotten", {.jacobian = wrong_jacobian<double, 0, 1>});

STATEMENT(NumericalDerivatives, CentralDifferencesInDoubleKeepTheirBound) {
  evidence().rests_on(EvidenceLevel::bounded);
  const auto expect_accurate = [&](const Vector<double>& x) {
    expect_accurate_differences<double>(subject, subject.jacobian(softmax(x)), x, 0x1p-20);
  };
  for (const std::vector<double>& x : {std::vector<double>{0, 0}, {1, 2, 3}, {0, -30}})
    expect_accurate(vector_of(x));
  for_all([&] { expect_accurate(moderate_logits(40)); });
}
//! [NumericalDerivatives]
KILLS("pᵢ² is forgotten on the diagonal in double", {.jacobian = [](auto& p) {
        Matrix<double> jacobian = softmax_jacobian(p);
        jacobian.diagonal() = p;
        return jacobian;
      }});

ASIDE(NumericalDerivatives, CentralDifferencesKeepTheirBound) {
  evidence().rests_on(EvidenceLevel::measured);  // exp of fifty digits
  const auto keeps_its_bound = [&](const Vector<Wide>& x) {
    const double bound = expect_accurate_differences<Wide>(
        subject, subject.jacobian_in_wide(softmax(x)), x, 0x1p-54);
    expect_at(bound < 2e-33, "the page says 2·10⁻³³", SourceLocation::current());
  };
  Vector<Wide> x = Vector<Wide>::Constant(12, Wide(-30));
  x[0] = 30;
  keeps_its_bound(x);
  for_all([&] { keeps_its_bound(moderate_logits().cast<Wide>()); }, 30);
}
KILLS("pᵢ² is forgotten on the diagonal", {.jacobian_in_wide = [](auto& p) {
        Matrix<Wide> jacobian = softmax_jacobian(p);
        jacobian.diagonal() = p;
        return jacobian;
      }});
KILLS("the Jacobian of fifty digits is taken in double",
      {.jacobian_in_wide = [](const Vector<Wide>& p) -> Matrix<Wide> {
        return softmax_jacobian(Vector<double>(p.cast<double>())).cast<Wide>();
      }});
KILLS("a difference is off by as much as the step",
      {.difference_bound = [](double k, double above, double below, double u) {
        return k + central_difference_error_bound(k, above, below, u);
      }});

ASIDE(NumericalDerivatives, TheBoundsAreTheFormulasOfThePage) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all([&] {
    const double k = std::exp2(-*rc::gen::inRange(0, 60).as("−log₂ k"));
    const double above = std::exp2(-*rc::gen::inRange(0, 200).as("−log₂ e₊"));
    const double below = std::exp2(-*rc::gen::inRange(0, 200).as("−log₂ e₋"));
    const double u = std::exp2(-*rc::gen::inRange(1, 200).as("−log₂ u"));
    const Wide page = Wide(k) * k / 48 +
                      (1 + Wide(u)) * (1 + Wide(u)) * (Wide(above) + below) / (2 * Wide(k)) +
                      Wide(u) * (2 + Wide(u)) / 4;
    RC_ASSERT(is_raised(subject.difference_bound(k, above, below, u), page));
    const double p = std::exp2(-*rc::gen::inRange(0, 60).as("−log₂ pᵢ"));
    const double q = std::exp2(-*rc::gen::inRange(0, 60).as("−log₂ pⱼ"));
    const auto n = *rc::gen::inRange<std::size_t>(1, 2000).as("n");
    const std::size_t h = summation_depth(Summation::pairwise, n);
    for (const int diagonal : {0, 1}) {
      const Wide units = 4 * (2 + 1) + 2 * h + 5;  // A = 2
      RC_ASSERT(is_raised(subject.complex_bound(p, q, diagonal == 1, n),
                          Wide(units * Wide(0x1p-53) * p * (diagonal + Wide(q)))));
    }
  });
  const auto expect_raised = [](double bound, const Wide& page) {
    evidence().add_value();
    EXPECT_TRUE(is_raised(bound, page)) << bound << " for " << page;
  };
  expect_raised(subject.difference_bound(0.5, 0, 0, 0), Wide(1) / 192);
  expect_raised(subject.difference_bound(0x1p-100, 1, 1, 0), Wide(0x1p100));
  expect_raised(subject.complex_bound(1, 1, false, 8), Wide(31) * Wide(0x1p-53));
}
KILLS("k²/24 for k²/48", {.difference_bound = [](double k, double above, double below, double u) {
        return central_difference_error_bound(k, above, below, u) + k * k / 48;
      }});
KILLS("the errors of the weights are divided by k",
      {.difference_bound = [](double k, double above, double below, double u) {
        return central_difference_error_bound(k, 2 * above, 2 * below, u);
      }});
KILLS("the sum is a third time in the bound",
      {.complex_bound = [](double p, double q, bool diagonal, auto n) {
        const double h = static_cast<double>(summation_depth(Summation::pairwise, n));
        return complex_step_error_bound(p, q, diagonal, n) +
               h * 0x1p-53 * p * (q + (diagonal ? 1 : 0));
      }});

ASIDE(NumericalDerivatives, AStepThatIsRoundedAwayShowsNoSlope) {
  constexpr double k = 0x1p-54;
  const Vector<double> x = Vector<double>::Constant(2, 30);
  Vector<double> above = x;
  above[0] += k;
  EXPECT_EXACTLY(bits_of(above) == bits_of(x));
  // The weights are exact, the difference is 0 and the derivative ¼.
  EXPECT_EXACTLY(Rational(subject.jacobian(softmax(x))(0, 0)) == Rational(1, 4));
  EXPECT_EXACTLY(Rational(subject.difference_bound(k, 0, 0, 0x1p-53)) < Rational(1, 4));
  enumerated(1);
  counterexample_without("exact places");
}
KILLS("the bound of a difference is never below 1",
      {.difference_bound = [](double, double, double, double) { return 1.0; }});

ASIDE(NumericalDerivatives, RefusesWhatIsNoStepNoErrorOrNoWeight) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refuses = [](auto call) { expect_refusal<std::domain_error>(call); };
  for (const double step : {0.0, -1.0, infinite, nan})
    refuses([&] { subject.difference_bound(step, 1, 1, 0x1p-53); });
  for (const double error : {-1.0, nan}) {
    refuses([&] { subject.difference_bound(0.5, error, 1, 0x1p-53); });
    refuses([&] { subject.difference_bound(0.5, 1, error, 0x1p-53); });
  }
  for (const double weight : {-0.5, 1.5, nan}) {
    refuses([&] { subject.complex_bound(weight, 0.5, false, 2); });
    refuses([&] { subject.complex_bound(0.5, weight, false, 2); });
    refuses([&] { subject.difference_bound(0.5, 1, 1, weight); });  // as u
  }
  refuses([&] { subject.complex_bound(0.5, 0.5, false, 0); });
  // If nothing is promised of a weight, nothing is promised of the difference.
  EXPECT_EXACTLY(bits_of(subject.difference_bound(0.5, infinite, 0, 0x1p-53)) == bits_of(infinite));
}
KILLS("any step and any errors are accepted",
      {.difference_bound = [](double k, double above, double below, double u) {
        return (1 + bound_margin) *
               (k * k / 48 + (1 + u) * (1 + u) * (above + below) / (2 * k) + u * (2 + u) / 4);
      }});
KILLS("any weights are accepted", {.complex_bound = [](double p, double q, bool diagonal, auto n) {
        return complex_step_error_bound(1, 0, true, n) * p * (q + (diagonal ? 1 : 0));
      }});

ASIDE(NumericalDerivatives, ALongComplexStepIsOff) {
  const double quotient = complex_quotient(Vector<double>::Zero(2), 0, 0.125)[0];
  const Rational off = abs(Rational(Rational(quotient) - Rational(1, 4)));
  EXPECT_EXACTLY(off > Rational(subject.complex_bound(0.5, 0.5, true, 2)));
  record_value("off", format_significant(off.convert_to<double>(), 2));
  enumerated(1);
  counterexample_without("a tiny step");
}
KILLS("the bound of a complex step is never below 1",
      {.complex_bound = [](double, double, bool, auto) { return 1.0; }});

}  // namespace sqrtdk::properties::NumericalDerivatives
