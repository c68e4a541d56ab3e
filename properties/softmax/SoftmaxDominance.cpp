#include "properties/softmax/fixture.hpp"

namespace sqrtdk::properties::SoftmaxDominance {

//! [SoftmaxDominance]
STATEMENT(SoftmaxDominance, TheOthersShareWhatTheGapLeaves) {
  for_all([&] {
    const Vector others = *rc::gen::container<Vector>(positive_rational()).as("other weights");
    const Rational ratio = 1 + *positive_rational().as("the ratio, less 1");
    const bool all_equal = *rc::gen::element(true, false).as("all others are equal");
    Vector w = all_equal ? Vector(others.size(), Rational(1)) : others;
    const Rational next = w.empty() ? Rational(1) : *std::max_element(w.begin(), w.end());
    w.push_back(ratio * next);
    const Vector p = subject.normalized(w);
    const Rational rest = 1 - *std::max_element(p.begin(), p.end());
    const Rational bound = subject.max_remaining_mass(w.size(), ratio);
    EXPECT_EXACTLY(rest <= bound);
    EXPECT_EXACTLY((rest == bound || !all_equal));
  });
}
//! [SoftmaxDominance]
KILLS("the others are one more",
      {.max_remaining_mass = [](auto n, auto& r) { return Rational(n) / (r + Rational(n)); }});
KILLS("only one other counts", {.max_remaining_mass = [](auto, auto& r) { return 1 / (1 + r); }});
KILLS("the ratio is squared",
      {.max_remaining_mass = [](auto n, auto& r) { return max_remaining_mass(n, r * r); }});
KILLS("the rest is that of one weight", with_normalized([](auto& w) {
        Vector p = library_normalized(w);
        *std::max_element(p.begin(), p.end()) /= 2;
        return p;
      }));

//! [SoftmaxDominance: exact check]
STATEMENT(SoftmaxDominance, TheWeightsTendToOneHot) {
  for_all([&] {
    const std::size_t n = *rc::gen::inRange<std::size_t>(1, 1000000).as("n");
    const Rational ratio = *positive_rational().as("the ratio e^gap");
    const Rational more = *positive_rational().as("how much greater");
    const Rational bound = subject.max_remaining_mass(n, ratio);
    EXPECT_EXACTLY(bound <= Rational(n - 1) / ratio);
    EXPECT_EXACTLY((subject.max_remaining_mass(n, ratio + more) < bound || n == 1));
    // Below any positive number once the ratio is large enough.
    EXPECT_EXACTLY(subject.max_remaining_mass(n, Rational(n) * 1000000000) <
                   Rational(1, 1000000000));
  });
  // A lead of 10 leaves four others less than a thousandth, though not less than a ten-thousandth.
  const Interval<Rational> lead = exp_enclosure(10);
  EXPECT_EXACTLY(subject.max_remaining_mass(5, lead.lower) < Rational(1, 1000));
  EXPECT_EXACTLY(subject.max_remaining_mass(5, lead.upper) > Rational(1, 10000));
}
//! [SoftmaxDominance: exact check]
KILLS("the bound does not fall", {.max_remaining_mass = [](auto n, auto& r) {
        return max_remaining_mass(n, r > 1000 ? Rational(1000) : r);
      }});
KILLS("it is greater than the bound of the documents",
      {.max_remaining_mass = [](auto n, auto& r) { return Rational(n) / r; }});

ASIDE(SoftmaxDominance, LargeScoresWithoutAGapAreUniform) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    EXPECT_EXACTLY(bits_of(functions.softmax(Values<Real>(3, 50), 1)) ==
                   bits_of(Values<Real>(3, 1 / Real(3))));
  });
  enumerated(2);
  counterexample_without("gap");
}
KILLS("large scores are enough", with_softmax([](auto& x, auto temperature) {
        auto y = library_softmax(x, temperature);
        if (x.front() > 49) y = {1, 0, 0};
        return y;
      }));

ASIDE(SoftmaxDominance, RefusesWhatIsNoRatio) {
  expect_refusal<std::domain_error>([&] { subject.max_remaining_mass(0, 1); });
  expect_refusal<std::domain_error>([&] { subject.max_remaining_mass(3, 0); });
  expect_refusal<std::domain_error>([&] { subject.max_remaining_mass(3, -1); });
}
KILLS("a ratio of 0 is accepted", {.max_remaining_mass = [](auto n, auto& r) {
        return r <= 0 ? Rational(1) : max_remaining_mass(n, r);
      }});
KILLS("no weights are accepted", {.max_remaining_mass = [](auto n, auto& r) {
        return n == 0 ? Rational(0) : max_remaining_mass(n, r);
      }});

}  // namespace sqrtdk::properties::SoftmaxDominance
