// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/score_square.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/score/fixture.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace sqrtdk::properties::SquareExpansion {

using namespace sqrtdk::testing;

const Mutants square_expansion_mutants = {
    {"the cross terms are left out",
     "MultipliedOutItEqualsTheSquare",
     {.expand_square =
          [](std::size_t d) {
            Terms squares = expand_square(d);
            std::erase_if(squares, [](const Monomial& term) { return !term.is_square(); });
            return squares;
          }}},
    {"the squares are left out",
     "MultipliedOutItEqualsTheSquare",
     {.expand_square =
          [](std::size_t d) {
            Terms crosses = expand_square(d);
            std::erase_if(crosses, [](const Monomial& term) { return term.is_square(); });
            return crosses;
          }}},
    {"each pair is taken once, not in both orders",
     "MultipliedOutItEqualsTheSquare",
     {.expand_square =
          [](std::size_t d) {
            const Terms all = expand_square(d);
            Terms once;
            for (std::size_t i = 0; i < d; ++i)
              for (std::size_t j = i; j < d; ++j) once.push_back(all[i * d + j]);
            return once;
          }}},
    {"the keys are not squared",
     "MultipliedOutItEqualsTheSquare",
     {.expand_square =
          [](std::size_t d) {
            Terms terms = expand_square(d);
            for (Monomial& term : terms)
              for (unsigned& exponent : term.k) exponent = std::min(exponent, 1U);
            return terms;
          }}},
    {"equal cross terms are counted once",
     "CountsTheTermsOfEveryDimension",
     {.count_terms =
          [](const Terms& terms) {
            const TermCounts counts = count_terms(terms);
            return TermCounts{counts.squares, counts.crosses / 2};
          }}},
    {"a term is a square if it holds q1 squared",
     "CountsTheTermsOfEveryDimension",
     {.count_terms =
          [](const Terms& terms) {
            TermCounts counts;
            for (const Monomial& term : terms)
              ++(term.q.front() == 2 ? counts.squares : counts.crosses);
            return counts;
          }}},
    {"only the first hundred terms are multiplied out",
     "CountsTheTermsThatTheDocumentPrints",
     {.expand_square =
          [](std::size_t d) {
            Terms terms = expand_square(d);
            if (d > 30) terms.resize(100);
            return terms;
          }}},
    {"the square of nothing is nothing",
     "RefusesDimensionZero",
     {.expand_square = [](std::size_t d) { return d == 0 ? Terms() : expand_square(d); }}},
};

//! [SquareExpansion]
TEST(SquareExpansion, MultipliedOutItEqualsTheSquare) {
  check_statement(square_expansion_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(1, 6).as("d");
      const Vector q = *any_vector(d).as("q");
      const Vector k = *any_vector(d).as("k");
      Rational total = 0;
      for (const Monomial& term : rules.expand_square(d)) total += term(q, k);
      EXPECT_EXACTLY(total == dot_product(q, k) * dot_product(q, k));
    });
  });
}
//! [SquareExpansion]

TEST(SquareExpansion, CountsTheTermsOfEveryDimension) {
  check_statement(square_expansion_mutants, [](const Rules& rules) {
    const std::size_t largest = 24;
    for (std::size_t d = 1; d <= largest; ++d) {
      const TermCounts expected{d, d * (d - 1)};
      EXPECT_EXACTLY(rules.count_terms(rules.expand_square(d)) == expected) << "d = " << d;
    }
    enumerated(largest);
  });
}

//! [SquareExpansion: exact check]
TEST(SquareExpansion, CountsTheTermsThatTheDocumentPrints) {
  check_statement(square_expansion_mutants, [](const Rules& rules) {
    const Terms nine = rules.expand_square(3);
    const Terms many = rules.expand_square(64);
    for (const auto& [printed, count] :
         {std::pair("9", nine.size()), std::pair("3", rules.count_terms(nine).squares),
          std::pair("6", rules.count_terms(nine).crosses), std::pair("4096", many.size()),
          std::pair("64", rules.count_terms(many).squares),
          std::pair("4032", rules.count_terms(many).crosses)})
      expect_printed("S2", printed, count);
    enumerated(nine.size() + many.size());
  });
}
//! [SquareExpansion: exact check]

TEST(SquareExpansion, RefusesDimensionZero) {
  check_with_mutants(square_expansion_mutants, [](const Rules& rules) {
    expect_refusal<std::domain_error>([&] { rules.expand_square(0); }, refuses_zero);
  });
}

}  // namespace sqrtdk::properties::SquareExpansion
