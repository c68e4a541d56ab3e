#include <sqrtdk/attention.hpp>

#include "properties/attention/faults.hpp"
#include "properties/attention/fixture.hpp"

namespace sqrtdk::properties::ScaleFoldsIntoQueries {

using namespace attention_faults;

struct Subject {
  RationalMatrix (*fold)(const RationalMatrix&, const std::optional<Rational>&) =
      [](const RationalMatrix& queries, const std::optional<Rational>& scale) {
        return sqrtdk::fold_scale(queries, scale);
      };
  Matrix<double> (*fold_double)(const Matrix<double>&) = [](const Matrix<double>& queries) {
    return sqrtdk::fold_scale(queries);
  };
  Matrix<float> (*fold_float)(const Matrix<float>&) = [](const Matrix<float>& queries) {
    return sqrtdk::fold_scale(queries);
  };
};

//! [ScaleFoldsIntoQueries]
STATEMENT(ScaleFoldsIntoQueries, HoldsForAllScalesOverTheRationals) {
  for_all(
      [&] {
        const RationalCase input = drawn_rational_case(Masks::all);
        const auto& scale = input.options.scale;
        const RationalMatrix folded = subject.fold(input.queries, scale);
        EXPECT_EXACTLY(attention_scores(folded, input.keys, Rational(1)) ==
                       attention_scores(input.queries, input.keys, scale));
        AttentionOptions<Rational> options = input.options;
        options.scale = Rational(1);
        EXPECT_EXACTLY(scaled_dot_product_attention(folded, input.keys, input.values, options,
                                                    RationalWeighting())
                           .output == scaled_dot_product_attention(input.queries, input.keys,
                                                                   input.values, input.options,
                                                                   RationalWeighting())
                                          .output);
      },
      rational_cases);
}
//! [ScaleFoldsIntoQueries]
KILLS("not scaled", {.fold = [](auto& queries, auto&) { return queries; }});
KILLS("scaled twice", {.fold = [](auto& queries, auto& scale) {
        return fold_scale(fold_scale(queries, scale), scale);
      }});
KILLS("a scale of one's own is ignored",
      {.fold = [](auto& queries, auto&) { return fold_scale(queries); }});
KILLS("only the first feature", {.fold = [](auto& queries, auto& scale) {
        RationalMatrix folded = queries;
        folded.col(0) = fold_scale(queries, scale).col(0);
        return folded;
      }});

/// Full mantissas between 2^−20 and 2^20 or so: products and sums remain normal numbers.
template <class Real>
Matrix<Real> drawn_full_mantissas(Index rows, Index columns, const char* name) {
  const int digits = std::numeric_limits<Real>::digits;
  const auto entry = rc::gen::map(
      rc::gen::pair(rc::gen::arbitrary<std::int64_t>(), rc::gen::inRange(-20, 21)),
      [=](const std::pair<std::int64_t, int>& draw) {
        const std::int64_t mantissa = draw.first % (std::int64_t{1} << digits);
        return static_cast<Real>(std::ldexp(static_cast<double>(mantissa), draw.second - digits));
      });
  const auto list =
      *rc::gen::container<std::vector<Real>>(static_cast<std::size_t>(rows * columns), entry)
           .as(name);
  return Eigen::Map<const Matrix<Real>>(list.data(), rows, columns);
}

//! [ScaleFoldsIntoQueries: bit for bit]
STATEMENT(ScaleFoldsIntoQueries, HoldsBitForBitWhenTheRootIsAPowerOfTwo) {
  const auto check = [](auto fold, auto zero) {
    using Real = decltype(zero);
    const int exponent = *rc::gen::inRange(0, 4).as("log2 of the root of d");
    const Index d = Index{1} << (2 * exponent);
    const Matrix<Real> q = drawn_full_mantissas<Real>(2, d, "Q");
    const Matrix<Real> k = drawn_full_mantissas<Real>(3, d, "K");
    EXPECT_EXACTLY(bits_of(attention_scores(fold(q), k, Real(1))) ==
                   bits_of(attention_scores(q, k)));
  };
  const auto check_zeros = [](auto fold, auto zero) {
    using Real = decltype(zero);
    const Matrix<Real> q{{-zero, -zero, -zero, -zero}, {zero, zero, -zero, zero}};
    const Matrix<Real> k{{1, 2, 3, 4}, {-1, -2, 3, -4}};
    const Matrix<Real> scores = attention_scores(q, k);
    // exact: the sign of a zero
    EXPECT_EXACTLY((std::signbit(scores(0, 0)) && std::signbit(scores(1, 1))));
    EXPECT_EXACTLY(bits_of(attention_scores(fold(q), k, Real(1))) == bits_of(scores));
    enumerated(1);
  };
  check_zeros(subject.fold_double, 0.0);
  check_zeros(subject.fold_float, 0.0F);
  for_all([&] { check(subject.fold_double, 0.0); });
  for_all([&] { check(subject.fold_float, 0.0F); });
}
//! [ScaleFoldsIntoQueries: bit for bit]
KILLS("rounded to single precision",
      {.fold_double = [](const Matrix<double>& queries) -> Matrix<double> {
        return fold_scale(queries).cast<float>().cast<double>();
      }});
KILLS("divided by d in single precision", {.fold_float = [](auto& queries) {
        return fold_scale(queries, 1.0F / static_cast<float>(queries.cols()));
      }});
KILLS("zeros lose their sign", {.fold_double = [](auto& queries) {
        return Matrix<double>(fold_scale(queries).array() + 0.0);
      }});
KILLS("zeros lose their sign in single precision", {.fold_float = [](auto& queries) {
        return Matrix<float>(fold_scale(queries).array() + 0.0F);
      }});

/// The scores of one query and one key of d features, of which only the first is not 0.
std::pair<double, double> folded_and_not(const Subject& subject, Index d, double q, double k) {
  Matrix<double> queries = Matrix<double>::Zero(1, d);
  Matrix<double> keys = Matrix<double>::Zero(1, d);
  queries(0) = q;
  keys(0) = k;
  return {attention_scores(subject.fold_double(queries), keys, 1.0)(0),
          attention_scores(queries, keys)(0)};
}

ASIDE(ScaleFoldsIntoQueries, AtAWidthOfNineBitsDiffer) {
  const auto [folded, scaled] = folded_and_not(subject, 9, 1, 5);
  EXPECT_EXACTLY(bits_of(folded) == bits_of(0x1.aaaaaaaaaaaaap+0));
  EXPECT_EXACTLY(bits_of(scaled) == bits_of(0x1.aaaaaaaaaaaabp+0));
  enumerated(1);
  counterexample_without("power of two");
}
KILLS("computed exactly, rounded once",
      {.fold_double = [](auto& queries) { return Matrix<double>(queries / 4); }});

ASIDE(ScaleFoldsIntoQueries, SubnormalQueriesLoseBits) {
  const double least = std::numeric_limits<double>::denorm_min();
  const auto [folded, scaled] = folded_and_not(subject, 4, least, 2);
  EXPECT_EXACTLY(bits_of(folded) == bits_of(0.0));
  EXPECT_EXACTLY(bits_of(scaled) == bits_of(least));
  enumerated(1);
  counterexample_without("no underflow");
}
KILLS("subnormal numbers are kept apart", {.fold_double = [](auto& queries) { return queries; }});

ASIDE(ScaleFoldsIntoQueries, AProductThatIsRoundedUpToANormalNumberIsOutside) {
  // The first product, 0.62 of the least number below 2^−1021, is rounded down; half of it, 0.31
  // below 2^−1022, is rounded up, to a normal number. All that is stored on the way is normal.
  Matrix<double> queries(1, 4);
  Matrix<double> keys(1, 4);
  queries << 0x1.0000060a61a1ep-1021, 0, 0x1.0000000000003p-1021, 0;
  keys << 0x1.fffff3eb3d053p-1, 0, 1, 0;
  const double folded = attention_scores(subject.fold_double(queries), keys, 1.0)(0);
  const double scaled = attention_scores(queries, keys)(0);
  EXPECT_EXACTLY(bits_of(folded) == bits_of(0x1.0000000000002p-1021));
  EXPECT_EXACTLY(bits_of(scaled) == bits_of(0x1.0000000000001p-1021));
  enumerated(1);
  counterexample_without("no underflow");
}
KILLS("products are rounded as if there were no subnormal numbers",
      {.fold_double = [](auto& queries) { return queries; }});

ASIDE(ScaleFoldsIntoQueries, ProductsThatOverflowDoNotWhenFolded) {
  const double greatest = std::numeric_limits<double>::max();
  const auto [folded, scaled] = folded_and_not(subject, 4, greatest, 2);
  EXPECT_EXACTLY(bits_of(folded) == bits_of(greatest));
  EXPECT_EXACTLY(bits_of(scaled) == bits_of(std::numeric_limits<double>::infinity()));
  enumerated(1);
  counterexample_without("no overflow");
}
KILLS("limited to half of the range", {.fold_double = [](auto& queries) {
        return Matrix<double>(fold_scale(queries).cwiseMin(1e300));
      }});

}  // namespace sqrtdk::properties::ScaleFoldsIntoQueries
