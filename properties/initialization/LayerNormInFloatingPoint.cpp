#include "properties/initialization/fixture.hpp"

namespace sqrtdk::properties::LayerNormInFloatingPoint {

/// True if a number is within a bound of a/√b; decided by squares.
bool is_near(double found, const Rational& a, const Rational& b, double bound) {
  if (!std::isfinite(found)) return false;
  const auto signed_square = [](const Rational& x) { return Rational(x * abs(x)); };
  const Rational low = Rational(found) - Rational(bound);
  const Rational high = Rational(found) + Rational(bound);
  return signed_square(low) * b <= signed_square(a) && signed_square(a) <= signed_square(high) * b;
}

template <class Real>
Matrix<Real> as_row(const std::vector<Real>& x) {
  return Eigen::Map<const Eigen::Matrix<Real, 1, Eigen::Dynamic>>(
      x.data(), static_cast<Eigen::Index>(x.size()));
}

template <class Numbers>
std::string listed(const Numbers& numbers) {
  std::string text;
  for (const auto& x : numbers)
    text += (text.empty() ? "" : ", ") + format_shortest(static_cast<double>(x));
  return text;
}

template <class Real>
struct LayerNormCase {
  std::vector<Real> x;
  Real epsilon;
};

/// Rows that a normalization is likely to break.
/// \param large a number whose square overflows, and that of its inverse vanishes.
/// \param most_features how long a row may be.
template <class Real>
std::vector<LayerNormCase<Real>> edge_cases(Real large, std::size_t most_features) {
  using Limits = std::numeric_limits<Real>;
  const Real most = (Limits::max)();
  const Real least = Limits::denorm_min();
  const auto real = [](double x) { return static_cast<Real>(x); };
  const Real tenth = real(0.1);
  const auto near =
      static_cast<Real>(tenth + real(std::ldexp(1.0, -3 - Limits::digits)));  // the next number
  const auto three = [&](const Real& x) { return static_cast<Real>(real(3) * x); };
  const auto small = static_cast<Real>(real(1) / large);
  std::vector<Real> outlier(std::min<std::size_t>(9, most_features));
  for (std::size_t i = 1; i < outlier.size(); ++i) outlier[i] = real(static_cast<double>(i) - 1);
  outlier[0] = real(std::ldexp(1.0, Limits::digits - 1));
  const std::vector<Real> spread{large, static_cast<Real>(-large),
                                 static_cast<Real>(large / real(3))};
  return {
      {{tenth, tenth, near}, real(0)},  // they hardly differ
      {{tenth, tenth, near}, least},
      {outlier, real(1)},  // an outlier first
      {spread, real(0)},   // squares overflow
      {spread, most},
      {{most, static_cast<Real>(-most), static_cast<Real>(most / real(2))},
       real(0)},  // so do differences
      {{most, most}, least},
      {{small, three(small), real(0)}, real(0)},  // squares vanish
      {{least, three(least), real(0)}, real(0)},
      {{least, three(least), real(0)}, most},
      {{small, three(small)}, large},  // the result is tiny
      {{real(-5)}, real(1e-5)},        // one feature
  };
}

/// Layer normalization as the formula reads, without care for rounding, overflow or underflow.
template <class Real>
Matrix<Real> plain_layer_norm(const Matrix<Real>& rows, Real epsilon) {
  Matrix<Real> y = rows.colwise() - rows.rowwise().mean();
  for (Eigen::Index i = 0; i < y.rows(); ++i)
    y.row(i) /= std::sqrt(y.row(i).squaredNorm() / static_cast<Real>(y.cols()) + epsilon);
  return y;
}

bool all_equal(const MatrixXd& rows) {
  return rows.size() == 0 || rows.minCoeff() == rows.maxCoeff();
}

//! [LayerNormInFloatingPoint]
STATEMENT(LayerNormInFloatingPoint, EveryRowIsWithinTheBound) {
  double share = 0;
  const auto what_is_wrong = [&](auto layer_norm, auto error_bound, const auto& row) {
    Vector x;
    for (const auto& feature : row.x) x.emplace_back(static_cast<double>(feature));
    const StandardizedFeatures y = standardize(x, Rational(static_cast<double>(row.epsilon)));
    const Wide divisor = sqrt(static_cast<Wide>(y.squared_divisor));  // to note errors
    const auto computed = layer_norm(as_row(row.x), row.epsilon);
    const auto bound = static_cast<double>(error_bound(x.size()));
    evidence().rests_on(EvidenceLevel::bounded);
    std::string wrong;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto found = static_cast<double>(computed(static_cast<Eigen::Index>(i)));
      const Wide right = static_cast<Wide>(y.centred[i]) / divisor;
      const double error = Wide(abs(found - right)).convert_to<double>();
      if (wrong.empty() && !is_near(found, y.centred[i], y.squared_divisor, bound))
        wrong = "with epsilon " + format_shortest(static_cast<double>(row.epsilon)) +
                " the features " + listed(row.x) + " have in place " + std::to_string(i + 1) +
                " the value " + format_shortest(found) + " instead of about " +
                format_significant(right.convert_to<double>(), 4) + ", which is off by more than " +
                format_significant(bound, 4);
      evidence().worst(error, bound);
      share = std::max(share, error / bound);
    }
    return wrong;
  };
  const auto check = [&](auto layer_norm, auto error_bound, auto large, std::size_t longest) {
    using Real = decltype(large);
    for (const auto& row : edge_cases<Real>(large, longest)) {
      const std::string wrong = what_is_wrong(layer_norm, error_bound, row);
      EXPECT_TRUE(wrong.empty()) << wrong;
      enumerated(1);
    }
    for_all([&] {
      const auto x = *vectors<Real>({.longest = longest}).as("features");
      const Real epsilon =
          *rc::gen::oneOf(
               rc::gen::element(Real(0), Real(1e-5)),
               rc::gen::map(floats<Real>(), [](Real e) { return e < Real(0) ? Real(-e) : e; }))
               .as("epsilon");
      RC_PRE(epsilon > Real(0) ||
             std::adjacent_find(x.begin(), x.end(), std::not_equal_to<>()) != x.end());
      const LayerNormCase<Real> row{x, epsilon};
      const std::string wrong = what_is_wrong(layer_norm, error_bound, row);
      if (!wrong.empty()) RC_FAIL(wrong);
    });
  };
  check(subject.layer_norm, subject.layer_norm_error, 1e200, 65);
  check(subject.layer_norm_in_single, layer_norm_error<float>, 1e25F, 65);
  check(subject.layer_norm_in_half, layer_norm_error<half>, half(3e4F), 7);
  record_value("share", format_significant(100 * share, 2) + " %");
}
//! [LayerNormInFloatingPoint]
KILLS("only rows of equal features are treated with care",
      {.layer_norm = [](auto& rows, double epsilon) {
        return all_equal(rows) ? layer_norm(rows, epsilon) : plain_layer_norm(rows, epsilon);
      }});
KILLS("squares overflow and vanish", {.layer_norm = [](auto& rows, double epsilon) {
        return all_equal(rows) ? layer_norm(rows, epsilon)
                               : plain_layer_norm(MatrixXd(rows.colwise() - rows.col(0)), epsilon);
      }});
KILLS("the formula as it reads, in single precision",
      {.layer_norm_in_single = [](const Matrix<float>& rows, float epsilon) {
        return all_equal(rows.cast<double>()) ? layer_norm(rows, epsilon)
                                              : Matrix<float>(plain_layer_norm(rows, epsilon));
      }});
KILLS("half precision has no subnormal numbers",
      {.layer_norm_in_half = [](auto& rows, half epsilon) {
        return layer_norm(Matrix<half>(rows.unaryExpr([](half x) {
                            return abs(x) < (std::numeric_limits<half>::min)() ? half(0) : x;
                          })),
                          epsilon);
      }});
KILLS("a row is scaled and its epsilon is not", {.layer_norm = [](auto& rows, double epsilon) {
        const double size = rows.size() == 0 ? 0 : rows.cwiseAbs().maxCoeff();
        return size > 1e150 ? layer_norm(MatrixXd(rows / 0x1p300), epsilon)
                            : layer_norm(rows, epsilon);
      }});
KILLS("the bound is one rounding",
      {.layer_norm_error = [](auto) { return std::numeric_limits<double>::epsilon(); }});

ASIDE(LayerNormInFloatingPoint, RowsOfAMatrixAreNormalizedBitForBitWhereNoStepRounds) {
  for_all([&] {
    // As many features c above the mean as below it: all numbers are integers below 2⁵³.
    const auto pairs = *rc::gen::inRange<Eigen::Index>(1, 5).as("pairs of features");
    const auto positions = *rc::gen::inRange<Eigen::Index>(1, 4).as("positions");
    const bool with_epsilon = *rc::gen::arbitrary<bool>().as("epsilon is three variances");
    const int c = *rc::gen::inRange(1, 1000).as("deviation");
    MatrixXd x(positions, 2 * pairs);
    MatrixXd expected(positions, 2 * pairs);
    for (Eigen::Index i = 0; i < positions; ++i) {
      const int mean = *rc::gen::inRange(-1000, 1000).as("mean");
      const int first = *rc::gen::element(-1, 1).as("sign of the first feature");
      for (Eigen::Index j = 0; j < 2 * pairs; ++j) {
        const int sign = j % 2 == 0 ? first : -first;
        x(i, j) = mean + sign * c;
        expected(i, j) = with_epsilon ? sign * 0.5 : sign;
      }
    }
    const double epsilon = with_epsilon ? 3.0 * c * c : 0.0;
    const MatrixXd y = subject.layer_norm(x, epsilon);
    EXPECT_EXACTLY(bits_of(y) == bits_of(expected))
        << "these are the bits; with epsilon " << epsilon << " the features " << listed(x.row(0))
        << " become " << listed(y.row(0)) << " instead of " << listed(expected.row(0))
        << (positions > 1 ? ", to take the first row" : "");
  });
}
KILLS("normalized over positions instead of features",
      {.layer_norm = [](auto& rows, double epsilon) {
        MatrixXd y = rows.rowwise() - rows.colwise().mean();
        for (Eigen::Index j = 0; j < y.cols(); ++j)
          y.col(j) /= std::sqrt(y.col(j).squaredNorm() / static_cast<double>(y.rows()) + epsilon);
        return y;
      }});
KILLS("epsilon is added outside the root", {.layer_norm = [](auto& rows, double epsilon) {
        MatrixXd y = rows.colwise() - rows.rowwise().mean();
        for (Eigen::Index i = 0; i < y.rows(); ++i)
          y.row(i) /= std::sqrt(y.row(i).squaredNorm() / static_cast<double>(y.cols())) + epsilon;
        return y;
      }});
KILLS("the mean is not subtracted", {.layer_norm = [](auto& rows, double epsilon) {
        MatrixXd y = rows;
        for (Eigen::Index i = 0; i < y.rows(); ++i)
          y.row(i) /= std::sqrt(y.row(i).squaredNorm() / static_cast<double>(y.cols()) + epsilon);
        return y;
      }});

STATEMENT(LayerNormInFloatingPoint, EqualFeaturesGiveExactZeros) {
  const auto expect_zeros = [&](double x, std::size_t n) {
    const MatrixXd y = subject.layer_norm(as_row(std::vector<double>(n, x)), 1e-5);
    EXPECT_EXACTLY(bits_of(y) == bits_of(as_row(std::vector<double>(n, 0))))
        << "these are the bits; " << n << " features of " << format_shortest(x)
        << " do not become zeros, and the first becomes " << format_shortest(y(0));
  };
  for (const double x : {0.1, 0.7, 1.1, 4.0})
    for (const std::size_t n : {1U, 2U, 3U, 5U, 6U, 7U, 512U}) {
      expect_zeros(x, n);
      enumerated(1);
    }
  for_all([&] {
    const double x = *floats<double>().as("every feature");
    expect_zeros(x, *rc::gen::inRange<std::size_t>(1, 100).as("features"));
  });
}
KILLS("the formula as it reads: 0.1, 0.1, 0.1 becomes -1, -1, -1",
      {.layer_norm = plain_layer_norm<double>});

ASIDE(LayerNormInFloatingPoint, EqualFeaturesInARowAreRefusedOrZero) {
  const auto refuses_or_zero = [&](double x, std::size_t n) {
    const MatrixXd row = as_row(std::vector<double>(n, x));
    expect_refusal<std::domain_error>([&] { subject.layer_norm(row, 0); }, refuses_equal_features);
    EXPECT_EXACTLY(bits_of(subject.layer_norm(row, 1e-5)) ==
                   bits_of(MatrixXd(MatrixXd::Zero(row.rows(), row.cols()))));
  };
  for (const double x : {0.1, 0.7, 1.1, 4.0})
    for (const std::size_t n : {1U, 2U, 3U, 5U, 6U, 7U, 512U}) {
      refuses_or_zero(x, n);
      enumerated(1);
    }
  for_all([&] {
    const double x = *floats<double>().as("every feature");
    refuses_or_zero(x, *rc::gen::inRange<std::size_t>(1, 100).as("features"));
  });
  counterexample_without("features differ, or an epsilon");
}
KILLS("equal features become NaN", {.layer_norm = [](auto& rows, double epsilon) {
        return rows.size() > 0 && all_equal(rows) && epsilon == 0
                   ? MatrixXd(rows * std::numeric_limits<double>::quiet_NaN())
                   : layer_norm(rows, epsilon);
      }});

ASIDE(LayerNormInFloatingPoint, ARowThatIsNotFiniteBecomesNaN) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {infinity, -infinity, std::nan("")})
    for (int j = 0; j < 3; ++j) {
      MatrixXd x(2, 3);
      x << 1, 2, 3, 4, 6, 8;
      x(0, j) = wrong;
      const MatrixXd y = subject.layer_norm(x, 0);
      EXPECT_EXACTLY(y.row(0).array().isNaN().all()) << wrong << " at " << j;
      EXPECT_EXACTLY(bits_of(y.row(1)) == bits_of(layer_norm(MatrixXd(x.row(1)), 0.0)));
      enumerated(1);
    }
  counterexample_without("finite");
}
KILLS("infinities are taken for zeros", {.layer_norm = [](auto& rows, double epsilon) {
        return layer_norm(MatrixXd(rows.unaryExpr([](double x) { return std::isinf(x) ? 0 : x; })),
                          epsilon);
      }});
KILLS("an infinity spoils every row", {.layer_norm = [](auto& rows, double epsilon) {
        return rows.allFinite() ? layer_norm(rows, epsilon)
                                : MatrixXd(rows * std::numeric_limits<double>::quiet_NaN());
      }});

ASIDE(LayerNormInFloatingPoint, RefusesWhatItCannotNormalize) {
  expect_refusal<std::invalid_argument>([&] { subject.layer_norm(MatrixXd(1, 0), 1); },
                                        refuses_no_features);
  const MatrixXd two = MatrixXd::Ones(1, 2);
  expect_refusal<std::domain_error>([&] { subject.layer_norm(two, -1); },
                                    "epsilon is -1, but must be at least 0 and finite");
  expect_refusal<std::domain_error>([&] { subject.layer_norm(two, std::nan("")); });
  expect_refusal<std::domain_error>(
      [&] { subject.layer_norm(two, std::numeric_limits<double>::infinity()); });
}
KILLS("a matrix without features is accepted", {.layer_norm = [](auto& rows, double epsilon) {
        return rows.cols() == 0 ? rows : layer_norm(rows, epsilon);
      }});
KILLS("an epsilon that is no number is accepted", {.layer_norm = [](auto& rows, double epsilon) {
        return std::isnan(epsilon) ? rows : layer_norm(rows, epsilon);
      }});
KILLS("an infinite epsilon is accepted", {.layer_norm = [](auto& rows, double epsilon) {
        return std::isinf(epsilon) ? MatrixXd(0 * rows) : layer_norm(rows, epsilon);
      }});

ASIDE(LayerNormInFloatingPoint, TheBoundEndsAtAnEighth) {
  // (n + 4)² 2^-52, at most 1/8
  const auto bound = [](std::size_t n) {
    return Rational(Integer(n + 4) * (n + 4), Integer(1) << 52);
  };
  const std::size_t most = 23726562;
  EXPECT_EXACTLY(Rational(subject.layer_norm_error(most)) == bound(most));
  EXPECT_EXACTLY(bound(most) <= Rational(1, 8));
  EXPECT_EXACTLY(bound(most + 1) > Rational(1, 8));
  expect_refusal<std::domain_error>([&] { subject.layer_norm_error(most + 1); });
  expect_refusal<std::domain_error>([&] { subject.layer_norm_error(0); }, refuses_no_features);
  EXPECT_EXACTLY(Rational(subject.layer_norm_error(4)) == bound(4));
  enumerated(3);
  counterexample_without("not too many features");
}
KILLS("the bound ends a feature early",
      {.layer_norm_error = [](auto n) { return layer_norm_error<double>(n + 1); }},
      Death::by_exception);
KILLS("the bound has no end", {.layer_norm_error = [](auto n) {
        return layer_norm_error<double>(std::min(n, std::size_t{1} << 20));
      }});

}  // namespace sqrtdk::properties::LayerNormInFloatingPoint
