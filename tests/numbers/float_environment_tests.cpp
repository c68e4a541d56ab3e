// Promises of \ref platforms, seen from inside: options, or a linked library, can change the mode.
#include <sqrtdk/numbers/float_environment.hpp>

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>

namespace {

/// A number that the compiler must not know.
template <class Real>
Real unknown(Real x) {
  volatile Real hidden = x;
  return hidden;
}

template <class Real>
class FloatEnvironment : public ::testing::Test {
 protected:
  const Real epsilon = unknown(std::numeric_limits<Real>::epsilon());
  const Real one = unknown(Real(1));
};

using FloatTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FloatEnvironment, FloatTypes);

TYPED_TEST(FloatEnvironment, RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_EQ(this->one + this->epsilon / 2, this->one);
  EXPECT_EQ((this->one + this->epsilon) + this->epsilon / 2, this->one + 2 * this->epsilon);
}

TYPED_TEST(FloatEnvironment, KeepsSubnormalNumbers) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam least_normal = unknown(Limits::min());
  const TypeParam half = unknown(TypeParam(0.5));
  EXPECT_GT(least_normal * half, 0);
  EXPECT_EQ(unknown(Limits::denorm_min()) * 2, 2 * Limits::denorm_min());
  EXPECT_NE(unknown(Limits::denorm_min()), TypeParam(0));
}

TYPED_TEST(FloatEnvironment, AddsInTheOrderThatIsWritten) {
  const TypeParam large = unknown(2 / this->epsilon);
  EXPECT_EQ((this->one + large) - large, 0);
}

TYPED_TEST(FloatEnvironment, RoundsAProductBeforeItIsAddedTo) {
  const TypeParam above = unknown(this->one + this->epsilon);
  const TypeParam below = unknown(this->one - this->epsilon);
  EXPECT_EQ(above * below - 1, 0) << "a product and a sum were contracted to one operation";
}

TYPED_TEST(FloatEnvironment, HasNanInfinitiesAndSignedZeros) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam nan = unknown(Limits::quiet_NaN());
  const TypeParam infinity = unknown(Limits::infinity());
  EXPECT_TRUE(nan != nan);
  EXPECT_FALSE(nan <= infinity || nan > -infinity);
  EXPECT_TRUE(Limits::max() < infinity && -infinity < Limits::lowest());
  EXPECT_TRUE(std::signbit(unknown(TypeParam(-0.0)) + unknown(TypeParam(-0.0))));
}

}  // namespace
