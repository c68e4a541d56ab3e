// Exact types, the messages of their comparisons, and the numbers that their bits tell apart.
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/exact_types.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include <Eigen/Core>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

static_assert(Exact<bool> && Exact<int> && Exact<std::size_t> && Exact<const Integer&>);
static_assert(Exact<Rational> && Exact<RationalDistribution> && Exact<Interval<Rational>>);
static_assert(Exact<std::string> && Exact<const char*> && Exact<std::vector<Rational>>);
static_assert(Exact<std::pair<int, Rational>> && Exact<std::optional<Integer>>);
static_assert(Exact<Eigen::Matrix<Rational, 2, 2>> && Exact<FiniteDistribution<std::vector<int>>>);

static_assert(!Exact<float> && !Exact<double> && !Exact<const long double&>);
static_assert(!Exact<Eigen::half> && !Exact<Eigen::bfloat16> && !Exact<Wide>);
static_assert(!Exact<std::vector<double>> && !Exact<std::pair<int, double>>);
static_assert(!Exact<std::tuple<Rational, float>> && !Exact<Interval<double>>);
static_assert(!Exact<Eigen::VectorXd> && !Exact<std::optional<Wide>>);
static_assert(!Exact<FiniteDistribution<double>> && !Exact<std::vector<std::vector<float>>>);

TEST(ExactComparison, HoldsByEachRelation) {
  EXPECT_EXACTLY(Rational(1, 3) + Rational(1, 6) == Rational(1, 2));
  EXPECT_EXACTLY(Rational(1, 3) != Rational(1, 2));
  EXPECT_EXACTLY(Rational(1, 3) < Rational(1, 2));
  EXPECT_EXACTLY(Rational(1, 3) <= 1);
  EXPECT_EXACTLY(Integer(3) > 2);
  EXPECT_EXACTLY(3 >= 3);
  EXPECT_EXACTLY(!std::vector<int>{1}.empty());
  EXPECT_EXACTLY((1 == 2 || 2 == 2)) << "brackets hold what has no side of its own";
}

TEST(ExactComparison, FailsByEachRelation) {
  EXPECT_NONFATAL_FAILURE(EXPECT_EXACTLY(Rational(1, 3) == Rational(1, 2)), "1/3 against 1/2");
  EXPECT_NONFATAL_FAILURE(EXPECT_EXACTLY(1 != 1), "1 != 1");
  EXPECT_NONFATAL_FAILURE(EXPECT_EXACTLY(1 < 1), "1 < 1");
  EXPECT_NONFATAL_FAILURE(EXPECT_EXACTLY(2 <= 1), "2 <= 1");
  EXPECT_NONFATAL_FAILURE(EXPECT_EXACTLY(1 > 1), "1 > 1");
  EXPECT_NONFATAL_FAILURE(EXPECT_EXACTLY(1 >= 2), "1 >= 2");
  EXPECT_NONFATAL_FAILURE(EXPECT_EXACTLY(false) << "of a Boolean", "of a Boolean");
}

TEST(ExactComparison, ComparesIntegersByTheirValues) {
  EXPECT_EXACTLY(-1 < std::size_t{1});
  EXPECT_EXACTLY(std::size_t{3} == 3);
  EXPECT_NONFATAL_FAILURE(EXPECT_EXACTLY(std::numeric_limits<std::size_t>::max() == -1), "against");
}

TEST(ExactComparison, StopsAPropertyWhichShrinks) {
  EXPECT_NONFATAL_FAILURE(for_all([] {
                            const int n = *rc::gen::inRange(0, 1000).as("n");
                            EXPECT_EXACTLY(n < 17) << "this is said";
                          }),
                          "n:\n17");
  EXPECT_NONFATAL_FAILURE(for_all([] { EXPECT_EXACTLY(1 == 2) << "this is said"; }),
                          "this is said");
}

TEST(ExactComparison, FailsAPropertyThatCatchesEverything) {
  const auto property = [] {
    try {
      EXPECT_EXACTLY(1 == 2);
    } catch (...) {
    }
  };
  EXPECT_NONFATAL_FAILURE(for_all(property), "1 == 2");
}

TEST(ExactComparison, ComparesTextAndShapes) {
  const std::string text = "text";
  const std::string same = "text";
  EXPECT_EXACTLY(text.c_str() == same.c_str());
  using Square = Eigen::Matrix<Rational, Eigen::Dynamic, Eigen::Dynamic>;
  EXPECT_NONFATAL_FAILURE(EXPECT_EXACTLY(Square::Zero(1, 2) == Square::Zero(2, 1)), "against");
}

TEST(ExactComparison, GoesOnOutsideOfAProperty) {
  int reached = 0;
  EXPECT_NONFATAL_FAILURE(
      {
        EXPECT_EXACTLY(1 == 2);
        ++reached;
      },
      "1 == 2");
  EXPECT_EQ(reached, 1);
}

TEST(ExactComparison, IsOneStatement) {
  bool otherwise = false;
  if (false)
    EXPECT_EXACTLY(false);
  else
    otherwise = true;
  EXPECT_TRUE(otherwise);
  for (const bool holds : {true, false})
    if (holds) EXPECT_EXACTLY(holds) << "no braces are needed";
}

TEST(Bits, TellApartWhatEqualityDoesNot) {
  EXPECT_EXACTLY(bits_of(0.0) != bits_of(-0.0));
  EXPECT_EXACTLY(bits_of(std::nan("")) == bits_of(std::nan("")));
  EXPECT_EXACTLY(bits_of(1.0F).bits == 0x3F800000);
  EXPECT_EXACTLY(bits_of(Eigen::half(1)).bits == 0x3C00);
  EXPECT_EXACTLY(bits_of(Eigen::bfloat16(1)).bits == 0x3F80);
  EXPECT_NONFATAL_FAILURE(EXPECT_EXACTLY(bits_of(0.5F) == bits_of(-0.0F)), "0.5 against -0");
  EXPECT_NONFATAL_FAILURE(EXPECT_EXACTLY(bits_of(std::nan("1")) == bits_of(std::nan(""))),
                          "nan of bits 0x7ff8000000000001 against nan of bits 0x7ff8000000000000");
  EXPECT_EXACTLY(bits_of(std::vector<double>{0, 1}) != bits_of(std::vector<double>{-0.0, 1}));
  EXPECT_EXACTLY(bits_of(std::vector<double>{0, 1}) == bits_of(std::vector<double>{0, 1}));
  EXPECT_EXACTLY(bits_of(Eigen::MatrixXf::Zero(2, 3)) != bits_of(Eigen::MatrixXf::Zero(3, 2)));
  EXPECT_EXACTLY(bits_of(Eigen::MatrixXf::Zero(2, 3)) == bits_of(Eigen::MatrixXf::Zero(2, 3)));
}

}  // namespace
