// Floating-point inputs, tested: their text, their classes and shapes, and how they shrink.
#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/testing/generators/float_classes.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/matrices.hpp>
#include <sqrtdk/testing/generators/random_source.hpp>
#include <sqrtdk/testing/generators/shrink_float.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/class_counts.hpp>

#include "tests/fixed_draws.hpp"

#include <Eigen/Core>
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class T>
constexpr T max = std::numeric_limits<T>::max();
template <class T>
constexpr T min = std::numeric_limits<T>::min();
template <class T>
constexpr T least = std::numeric_limits<T>::denorm_min();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The end of shrinking from a value on, if everything that fails stays a counterexample.
template <class Value, class Shrinks, class Fails>
Value shrunk(Value value, Shrinks shrinks, Fails fails, int& tried) {
  for (bool again = true; again;) {
    again = false;
    for (const Value& candidate : shrinks(value)) {
      ++tried;
      if (!fails(candidate)) continue;
      value = candidate;
      again = true;
      break;
    }
  }
  return value;
}

template <BinaryFloat T, class Fails>
T shrunk(T x, Fails fails) {
  int tried = 0;
  const T result = shrunk(
      x, [](T y) { return shrinks(y); }, fails, tried);
  EXPECT_LT(tried, 20000) << format_hex_and_decimal(static_cast<long double>(x));
  return result;
}

template <class Fails>
std::vector<double> shrunk(const std::vector<double>& x, Fails fails) {
  int tried = 0;
  return shrunk(
      x, [](const auto& y) { return shrinks(y, 0); }, fails, tried);
}

/// True if two numbers are the same, the sign of zero included; all NaNs are.
template <class T>
bool same(T a, T b) {
  return sqrtdk::testing::detail::same_entry(a, b);
}

double sum(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

// -------------------------------------------------------------------------------------------- text

TEST(FloatText, AHexFloatAndTheShortestDecimalStandSideBySide) {
  EXPECT_EQ(format_hex_and_decimal(3.0), "0x1.8p+1 = 3");
  EXPECT_EQ(format_hex_and_decimal(0.1f), "0x1.99999ap-4 = 0.1");
  EXPECT_EQ(format_hex_and_decimal(-0.0), "-0x0p+0 = -0");
  EXPECT_EQ(format_hex_and_decimal(least<double>), "0x1p-1074 = 5e-324");
  EXPECT_EQ(format_hex_and_decimal(-3 * least<float>), "-0x1.8p-148 = -4e-45");
  EXPECT_EQ(format_hex_and_decimal(-infinity), "-inf");
  EXPECT_EQ(format_hex_and_decimal(-nan), "nan");
}

TEST(FloatText, RapidCheckShowsNumbersVectorsAndMatricesExactly) {
  EXPECT_EQ(rc::toString(0.1), "0x1.999999999999ap-4 = 0.1");
  EXPECT_EQ(rc::toString(std::vector<double>{1, -2}), "[0x1p+0 = 1, -0x1p+1 = -2]");
  EXPECT_EQ(rc::toString(std::pair<float, int>(0.5f, 7)), "(0x1p-1 = 0.5, 7)");
  EXPECT_EQ(rc::toString(Matrix<float>(Matrix<float>::Identity(2, 1))),
            "[[0x1p+0 = 1], [0x0p+0 = 0]]");
}

/// Tests for each type, with evidence of their own.
template <class T>
class EveryFloat : public ::testing::Test {
  void SetUp() override { evidence() = Evidence(); }
  void TearDown() override { evidence().record(); }
};
using FloatTypes = ::testing::Types<float, double, long double>;
TYPED_TEST_SUITE(EveryFloat, FloatTypes);

TYPED_TEST(EveryFloat, BothOfItsTextsReadBackToTheSameBits) {
  for_all([] {
    const TypeParam x = *floats<TypeParam>({.infinities = true, .nans = true});
    const std::string text = rc::toString(x);
    for (const std::string& read : {text, text.substr(text.find("= ") + 1)})
      RC_ASSERT(same(static_cast<TypeParam>(std::strtold(read.c_str(), nullptr)), x));
  });
}

// ----------------------------------------------------------------------------------------- classes

TYPED_TEST(EveryFloat, HasEachOfItsClassesAmongAFewThousandDraws) {
  using T = TypeParam;
  ClassCounts classes;
  std::set<T> seen;
  for (const T x : fixed_draws(floats<T>({.infinities = true, .nans = true}), 20000)) {
    classes.add(name(class_of(x)));
    if (x == x) seen.insert(x);
  }
  for (int kind = 0; kind <= static_cast<int>(FloatClass::nan); ++kind)
    EXPECT_GT(classes.count(name(static_cast<FloatClass>(kind))), 100)
        << name(static_cast<FloatClass>(kind));
  for (const T boundary : sqrtdk::testing::detail::boundaries<T>()) {
    EXPECT_TRUE(seen.contains(boundary)) << format_hex_and_decimal(boundary);
    EXPECT_TRUE(seen.contains(std::nextafter(boundary, T(0)))) << format_hex_and_decimal(boundary);
    EXPECT_TRUE(seen.contains(-std::nextafter(boundary, max<T>)))
        << format_hex_and_decimal(boundary);
  }
}

TYPED_TEST(EveryFloat, HasItsThresholdsOfTheExponentialAmongTheBoundaries) {
  using T = TypeParam;
  const auto& all = sqrtdk::testing::detail::boundaries<T>();
  const T overflow = std::log(max<T>);
  EXPECT_TRUE(std::find(all.begin(), all.end(), overflow) != all.end());
  EXPECT_TRUE(std::isinf(
      std::exp(std::nextafter(overflow, max<T>) * (1 + 4 * std::numeric_limits<T>::epsilon()))));
  for (const T boundary : all) EXPECT_TRUE(std::isfinite(boundary) && boundary > 0);
}

TEST(Floats, ClassesAreToldApart) {
  EXPECT_EQ(class_of(-0.0), FloatClass::zero);
  EXPECT_EQ(class_of(std::nextafter(min<double>, 0.0)), FloatClass::subnormal);
  EXPECT_EQ(class_of(-min<float>), FloatClass::tiny);
  EXPECT_EQ(class_of(std::nextafter(max<double>, 0.0)), FloatClass::boundary);
  EXPECT_EQ(class_of(1e200), FloatClass::huge);
  EXPECT_EQ(class_of(-7.0f), FloatClass::integer);
  EXPECT_EQ(class_of(0.3), FloatClass::ordinary);
  EXPECT_EQ(class_of(-infinity), FloatClass::infinity);
  EXPECT_EQ(class_of(nan), FloatClass::nan);
}

TEST(Floats, AreFiniteAndWithinTheLargestMagnitudeUnlessTheyMayBeSpecial) {
  for_all([] {
    const double x = *floats<double>({.largest = 700.5}).as("x");
    RC_ASSERT(std::abs(x) <= 700.5);
    for (const double y : shrinks(x, 700.5)) RC_ASSERT(std::abs(y) <= 700.5);
  });
}

TEST(Floats, AnImpossibleRangeIsRefused) {
  for (const double bad : {0.5, -1.0, infinity, nan})
    EXPECT_THROW(floats<double>({.largest = bad}), std::domain_error) << bad;
  EXPECT_THROW(vectors<double>({.shortest = 2, .longest = 1}), std::invalid_argument);
  EXPECT_THROW(vectors<double>({.longest = std::size_t{1} << 40}), std::domain_error);
  EXPECT_THROW(matrices<double>({.fewest_rows = 2, .most_rows = 1}), std::invalid_argument);
}

TEST(Floats, StorageTypesAreGeneratedAndShrunkInTheirOwnFormat) {
  std::set<FloatClass> seen;
  for (const Eigen::half x : fixed_draws(floats<Eigen::half>(), 2000)) seen.insert(class_of(x));
  EXPECT_EQ(seen.size(), 7U);
  const Eigen::half start(1351.0f);
  EXPECT_EQ(shrunk(start, [](Eigen::half x) { return x >= Eigen::half(1000.0f); }),
            Eigen::half(1024.0f));
}

// ------------------------------------------------------------------------------------------ shapes

TEST(Vectors, EachShapeAndEachLengthAroundAPowerOfTwoOccurs) {
  ClassCounts shapes;
  std::set<std::size_t> lengths;
  for (const auto& x : fixed_draws(vectors<double>({.shortest = 0}), 3000)) {
    shapes.add(name(shape_of(x)));
    lengths.insert(x.size());
  }
  for (int shape = 0; shape <= static_cast<int>(Shape::mixed); ++shape)
    EXPECT_GT(shapes.count(name(static_cast<Shape>(shape))), 20) << name(static_cast<Shape>(shape));
  for (const int n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65})
    EXPECT_TRUE(lengths.contains(static_cast<std::size_t>(n))) << n;
  evidence().record();
}

TEST(Vectors, ShapesAreToldApart) {
  const auto shape = [](const std::vector<double>& x) { return shape_of(x); };
  EXPECT_EQ(shape({}), Shape::empty);
  EXPECT_EQ(shape({nan}), Shape::single);
  EXPECT_EQ(shape({nan, nan}), Shape::all_equal);
  EXPECT_EQ(shape({0, 3, 0}), Shape::one_hot);
  EXPECT_EQ(shape({3, std::nextafter(3, 4), 3}), Shape::near_equal);
  EXPECT_EQ(shape({3, 1, 3}), Shape::ties);
  EXPECT_EQ(shape({1, 2, 3}), Shape::sorted);
  EXPECT_EQ(shape({3, 2, 1}), Shape::reversed);
  EXPECT_EQ(shape({1, 1e9, 2}), Shape::one_outlier);
  EXPECT_EQ(shape({1, 1e-7, 1e4, 1e-4}), Shape::mixed);
  EXPECT_EQ(shape({1, 1e-9, 1e9, 1e4}), Shape::huge_spread);
  EXPECT_EQ(shape({1, 3, 2}), Shape::mixed);
  EXPECT_EQ(shape({nan, 3, infinity, nan, 2}), shape({nan, 3, infinity, nan, 2}));
}

// --------------------------------------------------------------------------------------- softmaxes

/// Calls `visit(value, simpler values)` for many values, with simpler ones for every tenth only.
template <class Value, class Visit>
void visit_drawn(const rc::Gen<Value>& generator, int draws, Visit visit) {
  for (int seed = 0; seed < draws; ++seed) {
    const rc::Shrinkable<Value> drawn =
        generator(rc::Random(static_cast<std::uint64_t>(seed)), rc::kNominalSize);
    std::vector<Value> simpler;
    auto shrinks = drawn.shrinks();
    if (seed % 10 == 0)
      while (const auto shrink = shrinks.next()) simpler.push_back(shrink->value());
    visit(drawn.value(), simpler);
  }
}

TYPED_TEST(EveryFloat, TemperaturesReachFromTheLeastSubnormalToTheLargestNumber) {
  using T = TypeParam;
  std::set<T> seen;
  visit_drawn(temperatures<T>(), 1000, [&](T temperature, const std::vector<T>& simpler) {
    seen.insert(temperature);
    seen.insert(simpler.begin(), simpler.end());
  });
  EXPECT_EQ(*seen.begin(), least<T>);
  EXPECT_EQ(*seen.rbegin(), max<T>);
  EXPECT_TRUE(seen.contains(T(1)) && seen.contains(min<T>));
  // Far from 1 in both directions, and not only the ends.
  EXPECT_TRUE(std::any_of(seen.begin(), seen.end(),
                          [](T x) { return x > 4 * min<T> && x < std::sqrt(min<T>); }));
  EXPECT_TRUE(std::any_of(seen.begin(), seen.end(),
                          [](T x) { return x > std::sqrt(max<T>) && x < max<T> / 4; }));
}

TYPED_TEST(EveryFloat, ScoresAreOfEverySizeAndSomeAreMaskedButNeverAll) {
  using T = TypeParam;
  static constexpr T masked = -std::numeric_limits<T>::infinity();
  int masks = 0;
  int single = 0;
  int with_overflowing_differences = 0;
  std::size_t longest = 0;
  visit_drawn(scores<T>(33), 1000, [&](const std::vector<T>& x, const auto& simpler) {
    longest = std::max(longest, x.size());
    single += x.size() == 1;
    masks += std::find(x.begin(), x.end(), masked) != x.end();
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    with_overflowing_differences += *low != masked && std::isinf(*high - *low);
    const auto has_a_maximum = [](const std::vector<T>& y) {
      return std::any_of(y.begin(), y.end(), [](T score) { return std::isfinite(score); }) &&
             std::all_of(y.begin(), y.end(),
                         [](T score) { return std::isfinite(score) || score == masked; });
    };
    EXPECT_TRUE(has_a_maximum(x));
    EXPECT_TRUE(std::all_of(simpler.begin(), simpler.end(), has_a_maximum));
  });
  EXPECT_EQ(longest, 33U);
  EXPECT_GT(masks, 50);
  EXPECT_GT(single, 50);
  EXPECT_GT(with_overflowing_differences, 10);
}

TEST(Scores, StorageTypesHaveTheirOwnRange) {
  float greatest = 0;
  visit_drawn(scores<Eigen::half>(), 1000, [&](const std::vector<Eigen::half>& x, const auto&) {
    for (const Eigen::half score : x)
      if (const auto size = std::abs(static_cast<float>(score)); std::isfinite(size))
        greatest = std::max(greatest, size);
  });
  EXPECT_EQ(greatest, 65504);
  EXPECT_THROW(scores<double>(0), std::domain_error);
}

TEST(Matrices, EachShapeOccursWithinTheBoundsOnRowsAndColumns) {
  ClassCounts shapes;
  const auto any = matrices<float>({.fewest_rows = 0, .most_rows = 4, .fewest_columns = 2});
  for_all([&] {
    const Matrix<float> x = *any.as("x");
    RC_ASSERT(x.rows() <= 4 && x.cols() >= 2 && x.cols() <= 17);
  });
  for (const Matrix<float>& x : fixed_draws(any, 3000))
    shapes.add(sqrtdk::testing::detail::shape_name(x));
  for (const char* shape : {"equal rows", "equal columns", "diagonal", "empty", "all equal",
                            "one-hot", "ties", "sorted", "huge spread", "mixed"})
    EXPECT_GT(shapes.count(shape), 5) << shape;
}

// --------------------------------------------------------------------------------------- shrinking

TYPED_TEST(EveryFloat, ShrinksOnlyToNumbersOfLowerComplexity) {
  for_all([] {
    const TypeParam x = *floats<TypeParam>({.infinities = true, .nans = true}).as("x");
    for (const TypeParam y : shrinks(x))
      RC_ASSERT(sqrtdk::testing::detail::complexity_of(y) <
                sqrtdk::testing::detail::complexity_of(x));
  });
}

TYPED_TEST(EveryFloat, ShrinksToTheSimplestNumberFromWhereverItStarts) {
  using T = TypeParam;
  for_all([] {
    const T x = *floats<T>({.infinities = true}).as("x");
    if (x >= T(1000.3)) RC_ASSERT(shrunk(x, [](T y) { return y >= T(1000.3); }) == 1024);
    if (x > 0 && x < T(0.2))
      RC_ASSERT(shrunk(x, [](T y) { return y > 0 && y < T(0.2); }) == T(0.125));
    if (x < 0) RC_ASSERT(shrunk(x, [](T y) { return y < 0; }) == -1);
    if (std::abs(x) > std::sqrt(max<T>))
      RC_ASSERT(shrunk(x, [](T y) { return std::isinf(y * y); }) ==
                std::ldexp(T(1), std::numeric_limits<T>::max_exponent / 2));
  });
}

TEST(Shrinking, FindsSimpleNumbers) {
  EXPECT_EQ(shrunk(1351.7, [](double x) { return !(x < 1000.3); }), 1024);
  EXPECT_EQ(shrunk(1023.25, [](double x) { return x > 1000.3 && x < 1024; }), 1008);
  EXPECT_EQ(shrunk(-12345.678, [](double x) { return x < -3; }), -4);
  EXPECT_EQ(shrunk(0.7391, [](double x) { return x != std::trunc(x); }), 0.5);
  EXPECT_EQ(shrunk(1e-300, [](double x) { return x > 0 && x < 1e-6; }), 0x1p-20);
  EXPECT_EQ(shrunk(1e-320, [](double x) { return x > 0 && x < min<double>; }), 0x1p-1023);
  EXPECT_EQ(shrunk(-infinity, [](double x) { return std::abs(x) > 1; }), 2);
}

// In the tests of failing properties the first case fails, so that nothing need be found.

TEST(Shrinking, AFailingPropertyShowsAPowerOfTwoAndNot1351) {
  const auto below_1000 = [] {
    const auto start = generator<double>([](RandomSource&) { return 1351.7; },
                                         [](double x) { return shrinks(x); });
    RC_ASSERT(*start.as("x") < 1000.3);
  };
  EXPECT_NONFATAL_FAILURE(for_all(below_1000), "x:\n0x1p+10 = 1024\n");
}

TEST(Shrinking, AnyCounterexampleIsShownAsTheSimplestThereIs) {
  const auto no_number = [] {
    const double x = *floats<double>().as("x");
    RC_ASSERT(x != x);
  };
  const auto no_vector = [] { RC_ASSERT((*vectors<double>().as("x")).empty()); };
  const auto no_matrix = [] { RC_ASSERT((*matrices<double>().as("x")).size() == 0); };
  EXPECT_NONFATAL_FAILURE(for_all(no_number), "x:\n0x0p+0 = 0\n");
  EXPECT_NONFATAL_FAILURE(for_all(no_vector), "x:\n[0x0p+0 = 0]\n");
  EXPECT_NONFATAL_FAILURE(for_all(no_matrix), "x:\n[[0x0p+0 = 0]]\n");
}

TEST(Shrinking, ListsShrinkToFewEqualSimpleEntries) {
  const std::vector<double> x = {3.7, -1e300, 0.1, 12.5, 8e-320, -5, 1e17, 0.1, 77, 3.25};
  using List = std::vector<double>;
  EXPECT_EQ(shrunk(x, [](const List&) { return true; }), List{});
  EXPECT_EQ(shrunk(x, [](const List& y) { return y.size() > 2; }), List({0, 0, 0}));
  EXPECT_EQ(shrunk(x, [](const List& y) { return sum(y) > 20; }), List{32});
  EXPECT_EQ(shrunk(x, [](const List& y) { return y.size() > 3 && sum(y) > 20; }),
            List({8, 8, 8, 8}));
  EXPECT_EQ(shrunk(x, [](const List& y) { return std::set(y.begin(), y.end()).size() > 1; }),
            List({1, 0}));
  EXPECT_EQ(shrunk(x, [](const List& y) { return !std::is_sorted(y.begin(), y.end()); }),
            List({1, 0}));
}

TEST(Shrinking, FewerEntriesOfTwiceTheSizeAreSimpler) {
  const auto fails = [](const std::vector<double>& y) { return sum(y) > 10; };
  EXPECT_EQ(shrunk({4, 4, 4}, fails), std::vector<double>{16});
  EXPECT_EQ(shrunk({max<double>, max<double>}, fails), std::vector<double>{16});
}

TEST(Shrinking, AFailingPropertyOfVectorsShowsFewEqualSimpleEntries) {
  const auto small_sum = [] {
    using List = std::vector<double>;
    const auto start =
        generator<List>([](RandomSource&) { return List{3.7, -77, 1e17, 0.1, 1e17, 8e-320}; },
                        [](const List& x) { return shrinks(x, 1); });
    const List x = *start.as("x");
    RC_ASSERT(x.size() < 3 || !(sum(x) > 1000.3));
  };
  EXPECT_NONFATAL_FAILURE(for_all(small_sum), "x:\n[0x1p+9 = 512, 0x1p+9 = 512, 0x1p+9 = 512]\n");
}

TEST(Shrinking, AFailingPropertyOfMatricesShowsFewRowsAndColumns) {
  const auto small_trace = [] {
    const auto start = generator<Matrix<double>>(
        [](RandomSource&) {
          return Matrix<double>{{3.7, 1e17, 0}, {-5, 77.25, 1}, {0.1, 0, -2}, {1, 1, 1}};
        },
        [](const Matrix<double>& x) { return sqrtdk::testing::shrinks(x, Matrices<double>()); });
    const Matrix<double> x = *start.as("x");
    RC_ASSERT(x.rows() < 2 || x.cols() < 2 || !(x.trace() > 10));
  };
  EXPECT_NONFATAL_FAILURE(for_all(small_trace),
                          "x:\n[[0x1p+3 = 8, 0x1p+3 = 8], [0x1p+3 = 8, 0x1p+3 = 8]]\n");
}

// ------------------------------------------------------------------------------------------- tally

/// The text that the running test has written into its result under a key.
std::string recorded(const std::string& key) {
  const auto* result = ::testing::UnitTest::GetInstance()->current_test_info()->result();
  for (int i = 0; i < result->test_property_count(); ++i)
    if (result->GetTestProperty(i).key() == key) return result->GetTestProperty(i).value();
  return "";
}

TEST(ClassCounts, WritesALineForEachClassIntoTheEvidence) {
  evidence() = Evidence();
  {
    ClassCounts tally;
    for (const char* word : {"b", "a", "b"}) tally.add(word);
    EXPECT_EQ(tally.count("b"), 2);
    EXPECT_EQ(tally.count("c"), 0);
  }
  evidence().record();
  EXPECT_EQ(recorded("classes"), "a\t1\nb\t2");
}

}  // namespace
