#include "properties/score/fixture.hpp"

namespace sqrtdk::properties::WorkedDotProduct {

//! [WorkedDotProduct: exact check]
STATEMENT(WorkedDotProduct, GivesTheDocumentsScore) {
  const Vector q = {1, 0, 1, 0};
  const Vector k = {0, 1, 1, 1};
  const Rational score = subject.dot_product(q, k);
  const Rational root(dot_product_standard_deviation(q.size()));
  for (const auto& [printed, value] :
       {std::pair("1", score), std::pair("2", root), std::pair("0.5", Rational(score / root))})
    expect_printed("S2", printed, value);
  enumerated(1);
}
//! [WorkedDotProduct: exact check]
KILLS("the entries are counted",
      {.dot_product = [](auto& q, auto&) { return Rational(q.size()); }});

STATEMENT(WorkedDotProduct, ItsEntriesHaveNeitherMeanZeroNorVarianceOne) {
  const Vector q = {1, 0, 1, 0};
  const Vector k = {0, 1, 1, 1};
  EXPECT_EXACTLY(mean(RationalDistribution::uniform(q)) == Rational(1, 2));
  EXPECT_EXACTLY(variance(RationalDistribution::uniform(q)) == Rational(1, 4));
  EXPECT_EXACTLY(mean(RationalDistribution::uniform(k)) == Rational(3, 4));
  EXPECT_EXACTLY(variance(RationalDistribution::uniform(k)) == Rational(3, 16));
  // The average over all queries and keys of zeros and ones is the score of the example.
  Rational total = 0;
  for (unsigned pair = 0; pair < 256; ++pair) {
    Vector bits;
    for (unsigned i = 0; i < 8; ++i) bits.emplace_back(pair >> i & 1U);
    total += subject.dot_product({bits.begin(), bits.begin() + 4}, {bits.begin() + 4, bits.end()});
  }
  EXPECT_EXACTLY(total / 256 == subject.dot_product(q, k));
  enumerated(256);
}
KILLS("two zeros are a match, as two ones are", {.dot_product = [](auto& q, auto& k) -> Rational {
        Rational sum = dot_product(q, k);
        for (std::size_t i = 0; i < q.size(); ++i) sum += q[i] == 0 && k[i] == 0 ? 1 : 0;
        return sum;
      }});

STATEMENT(WorkedDotProduct, OfAnEntryAloneIsTheProduct) {
  for_all([&] {
    const auto d = *rc::gen::inRange<std::size_t>(1, 9).as("d");
    const auto i = *rc::gen::inRange<std::size_t>(0, d).as("i, counted from 0");
    const Vector k = *any_vector(d).as("k");
    Vector q(d, 0);
    q[i] = *any_rational().as("the one entry of q that is not 0");
    EXPECT_EXACTLY(subject.dot_product(q, k) == q[i] * k[i]);
  });
}
KILLS("the last entry is skipped", {.dot_product = [](auto& q, auto& k) {
        return q.empty() ? Rational(0) : Rational(dot_product(q, k) - q.back() * k.back());
      }});

//! [WorkedDotProduct]
STATEMENT(WorkedDotProduct, IsLinearInTheQuery) {
  for_all([&] {
    const auto d = *rc::gen::inRange<std::size_t>(0, 9).as("d");
    const Rational c = *any_rational().as("c");
    const Vector p = *any_vector(d).as("p");
    const Vector q = *any_vector(d).as("q");
    const Vector k = *any_vector(d).as("k");
    Vector combined;
    for (std::size_t i = 0; i < d; ++i) combined.push_back(p[i] + c * q[i]);
    EXPECT_EXACTLY(subject.dot_product(combined, k) ==
                   subject.dot_product(p, k) + c * subject.dot_product(q, k));
  });
}
//! [WorkedDotProduct]
KILLS("the first entry is skipped", {.dot_product = [](auto& q, auto& k) {
        return dot_product(q, k) - (q.empty() ? Rational(0) : Rational((q[0] - 1) * k[0]));
      }});
KILLS("the absolute value",
      {.dot_product = [](auto& q, auto& k) { return abs(dot_product(q, k)); }});

STATEMENT(WorkedDotProduct, IsSymmetric) {
  for_all([&] {
    const auto d = *rc::gen::inRange<std::size_t>(1, 9).as("d");
    const Vector q = *any_vector(d).as("q");
    const Vector k = *any_vector(d).as("k");
    EXPECT_EXACTLY(subject.dot_product(q, k) == subject.dot_product(k, q));
  });
}
KILLS("the key is squared",
      {.dot_product = [](auto& q, auto& k) { return dot_product(q, k) * dot_product(k, k); }});

ASIDE(WorkedDotProduct, RefusesVectorsOfDifferentLengths) {
  expect_refusal<std::invalid_argument>(
      [&] {
        subject.dot_product({1, 2, 3}, {1, 2});
      },
      "the query has 3 entries and the key 2, but a dot product needs as many of each");
  counterexample_without("equal lengths");
}
KILLS("the shorter vector decides", {.dot_product = [](auto& q, auto& k) {
        const auto n = static_cast<std::ptrdiff_t>(std::min(q.size(), k.size()));
        return dot_product({q.begin(), q.begin() + n}, {k.begin(), k.begin() + n});
      }});

}  // namespace sqrtdk::properties::WorkedDotProduct
