#include "properties/score_distribution/fixture.hpp"

#include <boost/math/constants/constants.hpp>

namespace sqrtdk::properties::ScoreInEvenDimensions {

using namespace sqrtdk::reference;

//! [ScoreInEvenDimensions]
STATEMENT(ScoreInEvenDimensions, TheFiniteSumSatisfiesTheRecurrence) {
  for_all(
      [&] {
        const auto m = *rc::gen::inRange(1U, 9U).as("d/2");
        const Rational x = abs(*any_rational().as("x"));
        const Rational added = x / (2 * m) * value_at(subject.even_density(m), x);
        EXPECT_EXACTLY(subject.even_tail(m, 0) == Rational(1, 2)) << "the tail at x = 0";
        EXPECT_EXACTLY(subject.even_tail(m + 1, x) == subject.even_tail(m, x) + added)
            << "the tail in two dimensions more, and this one with x/d times the density added";
        if (m < 2) return;
        const Rational before = value_at(subject.even_density(m - 1), x);
        EXPECT_EXACTLY(value_at(subject.even_density(m + 1), x) ==
                       x * x / (4 * m * (m - 1)) * before +
                           Rational(2 * m - 1, 2 * m) * value_at(subject.even_density(m), x))
            << "the density in two dimensions more, and what this and the one before give";
      },
      100);
}
//! [ScoreInEvenDimensions]
KILLS("the binomials of the finite sum are C(m, k)", {.even_tail = [](unsigned m, auto& x) {
        return m < 2 ? reference::even_tail(m, x)
                     : Rational(reference::even_tail(m, x) + Rational(1, Integer(1) << (2 * m)));
      }});
KILLS("the density of even dimensions is halved", {.even_density = [](unsigned m) {
        std::vector<Rational> halves = even_density_coefficients(m);
        for (Rational& c : halves) c /= 2;
        return halves;
      }});

//! [ScoreInEvenDimensions: the characteristic function]
STATEMENT(ScoreInEvenDimensions, EvenDimensionsHaveThisCharacteristicFunction) {
  // f(x) = e^−|x| Σ c_j |x|^j, and ∫ xʲ e^−x e^itx dx = j!/(1 − it)^(j+1) over x > 0.
  for_all(
      [&] {
        const auto m = *rc::gen::inRange(1U, 9U).as("d/2");
        const Rational t = *any_rational().as("t");
        const Rational unit = 1 / (1 + t * t);
        Rational real = unit;  // of j!/(1 − it)^(j+1)
        Rational imaginary = t * unit;
        Rational integral = 0;
        unsigned j = 0;
        for (const Rational& c : subject.even_density(m)) {
          integral += 2 * c * real;
          ++j;
          const Rational before = real;
          real = j * unit * (before - t * imaginary);
          imaginary = j * unit * (imaginary + t * before);
        }
        Rational power = 1;
        for (unsigned i = 0; i < m; ++i) power *= unit;
        EXPECT_EXACTLY(integral == power);
      },
      100);
}
//! [ScoreInEvenDimensions: the characteristic function]
KILLS("the powers of x in the density are in reverse order", {.even_density = [](unsigned m) {
        std::vector<Rational> reversed = even_density_coefficients(m);
        std::reverse(reversed.begin(), reversed.end());
        return reversed;
      }});
KILLS("the density of even dimensions is that of two dimensions less",
      {.even_density = [](unsigned m) { return even_density_coefficients(m > 1 ? m - 1 : m); }});

//! [ScoreInEvenDimensions: two and four]
STATEMENT(ScoreInEvenDimensions, TwoAndFourDimensionsAreWrittenOut) {
  for (const Rational& x :
       {Rational(0), Rational(1, 3), Rational(1), Rational(7, 2), Rational(40)}) {
    EXPECT_EXACTLY(subject.even_tail(1, x) == Rational(1, 2));
    EXPECT_EXACTLY(value_at(subject.even_density(1), x) == Rational(1, 2));
    EXPECT_EXACTLY(subject.even_tail(2, x) == (2 + x) / 4);
    EXPECT_EXACTLY(value_at(subject.even_density(2), x) == (1 + x) / 4);
  }
  enumerated(5);
}
//! [ScoreInEvenDimensions: two and four]
KILLS("in four dimensions the two clocks need one tick each",
      {.even_tail = [](unsigned m, auto& x) { return reference::even_tail(m < 3 ? 1 : m, x); }});
KILLS("the density of four dimensions is that of two",
      {.even_density = [](unsigned m) { return even_density_coefficients(m == 2 ? 1 : m); }});

//! [ScoreInEvenDimensions: the coin]
STATEMENT(ScoreInEvenDimensions, EachCoefficientIsAChanceOfTosses) {
  for (unsigned m = 1; m <= 40; ++m) {
    // That of xʲ/j! is the chance of m heads or more in 2m − 1 − j tosses.
    std::vector<Rational> tail;
    Rational factorial = 1;
    for (unsigned j = 0; j < m; ++j) {
      const unsigned tosses = 2 * m - 1 - j;
      Integer ways = 0;
      for (unsigned heads = m; heads <= tosses; ++heads) ways += choose(tosses, heads);
      tail.push_back(Rational(ways, Integer(1) << tosses) / factorial);
      factorial *= j + 1;
    }
    for (const Rational& x : {Rational(1, 3), Rational(5)})
      EXPECT_EXACTLY(subject.even_tail(m, x) == value_at(tail, x))
          << "the tail times e^x at d = " << 2 * m << ", x = " << x;
    // And the density is minus the derivative of e^−x times that polynomial.
    tail.push_back(0);
    const std::vector<Rational> density = subject.even_density(m);
    EXPECT_EXACTLY(density.size() == m) << "how many coefficients the density has at d = " << 2 * m;
    if (density.size() != m) continue;
    for (unsigned j = 0; j < m; ++j)
      EXPECT_EXACTLY(density[j] == tail[j] - (j + 1) * tail[j + 1])
          << "the coefficient of x^" << j << " in the density times e^x at d = " << 2 * m;
  }
  enumerated(40 * 2 + 820);
}
//! [ScoreInEvenDimensions: the coin]
KILLS("at forty dimensions x has the coefficient one half, too",
      {.even_tail = [](unsigned m, auto& x) {
        return reference::even_tail(m, x) + (m == 20 ? x * even_density_coefficients(m)[0] : 0);
      }});
KILLS("the density is the tail: the derivative of the polynomial is forgotten",
      {.even_density = [](unsigned m) {
        std::vector<Rational> c = even_density_coefficients(m);
        Rational above = 0;
        for (std::size_t j = c.size(); j-- > 0;) {
          c[j] += (j + 1) * above;
          above = c[j];
        }
        return c;
      }});

ASIDE(ScoreInEvenDimensions, OddDimensionsHaveNoSuchSum) {
  evidence().rests_on(EvidenceLevel::measured);
  // Rational coefficients would make f(0) rational; it is infinite, or a fraction over π.
  expect_refusal<std::overflow_error>([&] { subject.pdf(1, 0); });
  const Wide pi = constants::pi<Wide>();
  expect_within(error_in_epsilons(subject.pdf(3, 0), 1 / pi), score_precision::pdf, "d = 3");
  expect_within(error_in_epsilons(subject.pdf(5, 0), 2 / (3 * pi)), score_precision::pdf, "d = 5");
  enumerated(3);
  counterexample_without("even dimension");
}
KILLS("odd dimensions have the distribution of the next even one",
      {.pdf = [](double d, double x) { return pdf(Score(2 * std::ceil(d / 2)), x); }});

ASIDE(ScoreInEvenDimensions, TheFiniteSumOfEvenDimensionsIsTheTail) {
  evidence().rests_on(EvidenceLevel::measured);
  const double scores[] = {0.25, 1, 2.5, 10, 40, 200};
  for (const unsigned m : {1U, 2U, 3U, 5U, 10U, 34U, 50U})
    for (const double x : scores) {
      const Wide decay = exp(-Wide(x));
      const Rational at = x;
      expect_within(
          error_in_epsilons(subject.upper(2 * m, x), Wide(subject.even_tail(m, at)) * decay),
          score_precision::cdf, place(2 * m, x));
      expect_within(error_in_epsilons(subject.pdf(2 * m, x),
                                      Wide(value_at(subject.even_density(m), at)) * decay),
                    score_precision::pdf, place(2 * m, x));
    }
  enumerated(7 * std::size(scores));
}
KILLS("even dimensions lose the last term of their sum", {.upper = [](double d, double x) {
        return std::fmod(d, 2) == 0 && d > 2 ? cdf(complement(Score(d - 2), x))
                                             : cdf(complement(Score(d), x));
      }});

}  // namespace sqrtdk::properties::ScoreInEvenDimensions
