#include "properties/score/fixture.hpp"

namespace sqrtdk::properties::SquareExpansion {

//! [SquareExpansion]
STATEMENT(SquareExpansion, MultipliedOutItEqualsTheSquare) {
  for_all([&] {
    const auto d = *rc::gen::inRange<std::size_t>(1, 6).as("d");
    const Vector q = *any_vector(d).as("q");
    const Vector k = *any_vector(d).as("k");
    Rational total = 0;
    for (const Monomial& term : subject.expand_square(d)) total += term(q, k);
    EXPECT_EXACTLY(total == dot_product(q, k) * dot_product(q, k));
  });
}
//! [SquareExpansion]
KILLS("the cross terms are left out", {.expand_square = [](auto d) {
        Terms squares = expand_square(d);
        std::erase_if(squares, [](auto& term) { return !term.is_square(); });
        return squares;
      }});
KILLS("the squares are left out", {.expand_square = [](auto d) {
        Terms crosses = expand_square(d);
        std::erase_if(crosses, [](auto& term) { return term.is_square(); });
        return crosses;
      }});
KILLS("each pair is taken once, not in both orders", {.expand_square = [](auto d) {
        const Terms all = expand_square(d);
        Terms once;
        for (std::size_t i = 0; i < d; ++i)
          for (std::size_t j = i; j < d; ++j) once.push_back(all[i * d + j]);
        return once;
      }});
KILLS("the keys are not squared", {.expand_square = [](auto d) {
        Terms terms = expand_square(d);
        for (Monomial& term : terms)
          for (unsigned& exponent : term.k) exponent = std::min(exponent, 1U);
        return terms;
      }});

STATEMENT(SquareExpansion, CountsTheTermsOfEveryDimension) {
  const std::size_t largest = 24;
  for (std::size_t d = 1; d <= largest; ++d) {
    const TermCounts expected{d, d * (d - 1)};
    EXPECT_EXACTLY(subject.count_terms(subject.expand_square(d)) == expected) << "d = " << d;
  }
  enumerated(largest);
}
KILLS("equal cross terms are counted once", {.count_terms = [](auto& terms) {
        const TermCounts counts = count_terms(terms);
        return TermCounts{counts.squares, counts.crosses / 2};
      }});
KILLS("a term is a square if it holds q1 squared", {.count_terms = [](auto& terms) {
        TermCounts counts;
        for (const Monomial& term : terms)
          ++(term.q.front() == 2 ? counts.squares : counts.crosses);
        return counts;
      }});

//! [SquareExpansion: exact check]
STATEMENT(SquareExpansion, CountsTheTermsThatTheDocumentPrints) {
  const Terms nine = subject.expand_square(3);
  const Terms many = subject.expand_square(64);
  for (const auto& [printed, count] :
       {std::pair("9", nine.size()), std::pair("3", subject.count_terms(nine).squares),
        std::pair("6", subject.count_terms(nine).crosses), std::pair("4096", many.size()),
        std::pair("64", subject.count_terms(many).squares),
        std::pair("4032", subject.count_terms(many).crosses)})
    expect_printed("S2", printed, count);
  enumerated(nine.size() + many.size());
}
//! [SquareExpansion: exact check]
KILLS("only the first hundred terms are multiplied out", {.expand_square = [](auto d) {
        Terms terms = expand_square(d);
        if (d > 30) terms.resize(100);
        return terms;
      }});

ASIDE(SquareExpansion, RefusesDimensionZero) {
  expect_refusal<std::domain_error>([&] { subject.expand_square(0); }, refuses_zero);
}
KILLS("the square of nothing is nothing",
      {.expand_square = [](auto d) { return d == 0 ? Terms() : expand_square(d); }});

}  // namespace sqrtdk::properties::SquareExpansion
