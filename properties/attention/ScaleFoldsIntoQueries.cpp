// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_pass.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/exact_types.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/attention/faults.hpp"
#include "properties/attention/fixture.hpp"

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace sqrtdk::properties::ScaleFoldsIntoQueries {

using namespace sqrtdk::testing;
using namespace attention_faults;

/// Where the scale is folded in.
struct Folding {
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

const std::vector<Mutant<Folding>> scale_folds_into_queries_mutants = {
    {"not scaled",
     "HoldsForAllScalesOverTheRationals",
     {.fold = [](const RationalMatrix& queries,
                 const std::optional<Rational>&) { return queries; }}},
    {"scaled twice",
     "HoldsForAllScalesOverTheRationals",
     {.fold =
          [](const RationalMatrix& queries, const std::optional<Rational>& scale) {
            return fold_scale(fold_scale(queries, scale), scale);
          }}},
    {"a scale of one's own is ignored",
     "HoldsForAllScalesOverTheRationals",
     {.fold = [](const RationalMatrix& queries,
                 const std::optional<Rational>&) { return fold_scale(queries); }}},
    {"only the first feature",
     "HoldsForAllScalesOverTheRationals",
     {.fold =
          [](const RationalMatrix& queries, const std::optional<Rational>& scale) {
            RationalMatrix folded = queries;
            folded.col(0) = fold_scale(queries, scale).col(0);
            return folded;
          }}},
    {"rounded to single precision",
     "HoldsBitForBitWhenTheRootIsAPowerOfTwo",
     {.fold_double = [](const Matrix<double>& queries) -> Matrix<double> {
       return fold_scale(queries).cast<float>().cast<double>();
     }}},
    {"divided by d in single precision",
     "HoldsBitForBitWhenTheRootIsAPowerOfTwo",
     {.fold_float =
          [](const Matrix<float>& queries) {
            return fold_scale(queries, 1.0F / static_cast<float>(queries.cols()));
          }}},
    {"zeros lose their sign",
     "HoldsBitForBitWhenTheRootIsAPowerOfTwo",
     {.fold_double =
          [](const Matrix<double>& queries) {
            return Matrix<double>(fold_scale(queries).array() + 0.0);
          }}},
    {"zeros lose their sign in single precision",
     "HoldsBitForBitWhenTheRootIsAPowerOfTwo",
     {.fold_float =
          [](const Matrix<float>& queries) {
            return Matrix<float>(fold_scale(queries).array() + 0.0F);
          }}},
    {"computed exactly, rounded once",
     "AtAWidthOfNineBitsDiffer",
     {.fold_double = [](const Matrix<double>& queries) { return Matrix<double>(queries / 4); }}},
    {"subnormal numbers are kept apart",
     "SubnormalQueriesLoseBits",
     {.fold_double = [](const Matrix<double>& queries) { return queries; }}},
    {"products are rounded as if there were no subnormal numbers",
     "AProductThatIsRoundedUpToANormalNumberIsOutside",
     {.fold_double = [](const Matrix<double>& queries) { return queries; }}},
    {"limited to half of the range",
     "ProductsThatOverflowDoNotWhenFolded",
     {.fold_double =
          [](const Matrix<double>& queries) {
            return Matrix<double>(fold_scale(queries).cwiseMin(1e300));
          }}},
};

//! [ScaleFoldsIntoQueries]
TEST(ScaleFoldsIntoQueries, HoldsForAllScalesOverTheRationals) {
  check_statement(scale_folds_into_queries_mutants, [](const Folding& folding) {
    for_all(
        [&] {
          const RationalCase input = drawn_rational_case(Masks::all);
          const auto& scale = input.options.scale;
          const RationalMatrix folded = folding.fold(input.queries, scale);
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
  });
}
//! [ScaleFoldsIntoQueries]

/// Numbers with full mantissas between 2^−20 and 2^20 or so: no product or sum of theirs leaves the
/// normal numbers.
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
TEST(ScaleFoldsIntoQueries, HoldsBitForBitWhenTheRootIsAPowerOfTwo) {
  check_statement(scale_folds_into_queries_mutants, [](const Folding& folding) {
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
    check_zeros(folding.fold_double, 0.0);
    check_zeros(folding.fold_float, 0.0F);
    for_all([&] { check(folding.fold_double, 0.0); });
    for_all([&] { check(folding.fold_float, 0.0F); });
  });
}
//! [ScaleFoldsIntoQueries: bit for bit]

/// The scores of one query and one key of d features, of which only the first is not 0.
std::pair<double, double> folded_and_not(const Folding& folding, Index d, double q, double k) {
  Matrix<double> queries = Matrix<double>::Zero(1, d);
  Matrix<double> keys = Matrix<double>::Zero(1, d);
  queries(0) = q;
  keys(0) = k;
  return {attention_scores(folding.fold_double(queries), keys, 1.0)(0),
          attention_scores(queries, keys)(0)};
}

TEST(ScaleFoldsIntoQueries, AtAWidthOfNineBitsDiffer) {
  check_with_mutants(scale_folds_into_queries_mutants, [](const Folding& folding) {
    const auto [folded, scaled] = folded_and_not(folding, 9, 1, 5);
    EXPECT_EXACTLY(bits_of(folded) == bits_of(0x1.aaaaaaaaaaaaap+0));
    EXPECT_EXACTLY(bits_of(scaled) == bits_of(0x1.aaaaaaaaaaaabp+0));
    enumerated(1);
    counterexample_without("power of two");
  });
}

TEST(ScaleFoldsIntoQueries, SubnormalQueriesLoseBits) {
  check_with_mutants(scale_folds_into_queries_mutants, [](const Folding& folding) {
    const double least = std::numeric_limits<double>::denorm_min();
    const auto [folded, scaled] = folded_and_not(folding, 4, least, 2);
    EXPECT_EXACTLY(bits_of(folded) == bits_of(0.0));
    EXPECT_EXACTLY(bits_of(scaled) == bits_of(least));
    enumerated(1);
    counterexample_without("no underflow");
  });
}

TEST(ScaleFoldsIntoQueries, AProductThatIsRoundedUpToANormalNumberIsOutside) {
  check_with_mutants(scale_folds_into_queries_mutants, [](const Folding& folding) {
    // The first product is below twice the least normal number, 2^−1021, by 0.62 of the smallest
    // positive number. It is rounded down; half of it, 0.31 below 2^−1022, is rounded up, to a
    // normal number. Every number that is stored on the way is normal.
    Matrix<double> queries(1, 4);
    Matrix<double> keys(1, 4);
    queries << 0x1.0000060a61a1ep-1021, 0, 0x1.0000000000003p-1021, 0;
    keys << 0x1.fffff3eb3d053p-1, 0, 1, 0;
    const double folded = attention_scores(folding.fold_double(queries), keys, 1.0)(0);
    const double scaled = attention_scores(queries, keys)(0);
    EXPECT_EXACTLY(bits_of(folded) == bits_of(0x1.0000000000002p-1021));
    EXPECT_EXACTLY(bits_of(scaled) == bits_of(0x1.0000000000001p-1021));
    enumerated(1);
    counterexample_without("no underflow");
  });
}

TEST(ScaleFoldsIntoQueries, ProductsThatOverflowDoNotWhenFolded) {
  check_with_mutants(scale_folds_into_queries_mutants, [](const Folding& folding) {
    const double greatest = std::numeric_limits<double>::max();
    const auto [folded, scaled] = folded_and_not(folding, 4, greatest, 2);
    EXPECT_EXACTLY(bits_of(folded) == bits_of(greatest));
    EXPECT_EXACTLY(bits_of(scaled) == bits_of(std::numeric_limits<double>::infinity()));
    enumerated(1);
    counterexample_without("no overflow");
  });
}

}  // namespace sqrtdk::properties::ScaleFoldsIntoQueries
