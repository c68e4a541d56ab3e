// A softmax in double precision compiles without exact numbers.
#include <sqrtdk/softmax.hpp>

#include <Eigen/Core>

#ifdef BOOST_MP_CPP_INT_HPP
#error "sqrtdk/softmax.hpp includes Boost.Multiprecision"
#endif

#include <gtest/gtest.h>

namespace {

TEST(SoftmaxAlone, NeedsNoExactNumbers) {
  EXPECT_EQ(sqrtdk::softmax(Eigen::VectorXd::Zero(4)), Eigen::VectorXd::Constant(4, 0.25));
}

}  // namespace
