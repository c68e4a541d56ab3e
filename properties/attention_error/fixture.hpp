// Code shared by the claims of chapter \ref attention_error.
#pragma once

#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>

#include <Eigen/Core>

namespace sqrtdk::properties {
inline namespace chapter_attention_error {

using namespace sqrtdk::testing;

using Eigen::Index;
using RationalMatrix = Matrix<Rational>;

/// A rational number that errs in each operation as much as the model of rounding allows: by the
/// part u, and by uλ more in products and quotients, in the direction that it is told.
struct Erring {
  Rational value = 0;

  static inline Rational u;
  static inline Rational lambda;
  static inline std::function<int()> direction;  // of the next error: 1 or −1
  static inline int direction_of_root = 1;

  Erring() = default;
  Erring(double x) : value(x) {}  // NOLINT: a scalar is made of numbers
  explicit Erring(const Rational& x) : value(x) {}

  /// The sum; that of a number and 0 is exact.
  friend Erring operator+(const Erring& a, const Erring& b) {
    if (a.value == 0) return b;
    if (b.value == 0) return a;
    return rounded(a.value + b.value);
  }
  friend Erring operator-(const Erring& a, const Erring& b) {
    return a + Erring(Rational(-b.value));
  }
  friend Erring operator*(const Erring& a, const Erring& b) {
    return with_underflow(a.value * b.value);
  }
  friend Erring operator/(const Erring& a, const Erring& b) {
    return with_underflow(a.value / b.value);
  }
  Erring& operator+=(const Erring& x) { return *this = *this + x; }
  friend bool operator==(const Erring& a, const Erring& b) { return a.value == b.value; }
  /// The root of a square.
  friend Erring sqrt(const Erring& x) {
    return Erring(Rational(sqrt(Integer(numerator(x.value)))) * (1 + direction_of_root * u));
  }

 private:
  static Erring rounded(const Rational& exact) {
    return Erring(Rational(exact * (1 + direction() * u)));
  }
  static Erring with_underflow(const Rational& exact) {
    if (exact == 0) return Erring(exact);
    const Rational lost = direction() * u * lambda;
    return Erring(Rational(rounded(exact).value + lost));
  }
};

}  // namespace chapter_attention_error
}  // namespace sqrtdk::properties

/// \cond  Doxygen does not know the namespaces of Eigen.
template <>
struct Eigen::NumTraits<sqrtdk::properties::Erring> : Eigen::NumTraits<double> {
  using Real = sqrtdk::properties::Erring;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = Real;
  enum { RequireInitialization = 1 };
};
/// \endcond

namespace sqrtdk::properties {
inline namespace chapter_attention_error {

/// Sets what an Erring number errs by.
inline void let_err(const Rational& u, const Rational& lambda, std::function<int()> direction,
                    int direction_of_root) {
  Erring::u = u;
  Erring::lambda = lambda;
  Erring::direction = std::move(direction);
  Erring::direction_of_root = direction_of_root;
}

inline SoftmaxArithmetic erring_arithmetic() {
  SoftmaxArithmetic arithmetic;
  arithmetic.unit_roundoff = Erring::u.convert_to<double>();
  arithmetic.smallest = Rational(2 * Erring::u * Erring::lambda).convert_to<double>();
  return arithmetic;
}

/// Directions from a drawn list, over and over.
inline std::function<int()> drawn_directions() {
  const auto list =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<bool>>(61, rc::gen::arbitrary<bool>()))
           .as("which way each operation errs");
  return [list, place = std::size_t{0}]() mutable { return list[place++ % list.size()] ? 1 : -1; };
}

inline int upward() { return 1; }

inline Matrix<Erring> erring(const RationalMatrix& x) {
  return x.unaryExpr([](const Rational& entry) { return Erring(entry); });
}

/// Quarters from −2 to 2, which doubles hold.
inline RationalMatrix drawn_quarters(Index rows, Index columns, const char* name) {
  const auto list = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(rows * columns),
                                                          rc::gen::inRange(-8, 9))
                         .as(name);
  RationalMatrix x(rows, columns);
  for (Index i = 0; i < x.size(); ++i) x(i) = Rational(list[static_cast<std::size_t>(i)], 4);
  return x;
}

inline Index drawn_size(int most, const char* name) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<Index>(1, most + 1)).as(name);
}

/// A search from a fixed seed; a mutant that it is to kill dies soon.
inline Search searched(std::size_t evaluations) {
  return {.seed = 10, .evaluations = checking_a_mutant() ? evaluations / 15 : evaluations};
}

/// γ_k in fifty digits.
inline Wide gamma_of(Index k, const Wide& u) { return Wide(k * u / (1 - k * u)); }

/// The loss allowed where a bound is computed in double precision.
inline constexpr double lost_in_double = 64 * std::numeric_limits<double>::denorm_min();

/// Arithmetics from the finest to one as coarse as half precision.
inline SoftmaxArithmetic arithmetic_number(int which) {
  if (which == 0) return arithmetic_of<double>();
  if (which == 1) return arithmetic_of<float>();
  SoftmaxArithmetic coarse = arithmetic_of<Eigen::half>();
  coarse.unit_roundoff = 0x1p-11;
  coarse.smallest = 0x1p-24;
  coarse.depth_of_underflow = 25 * std::log(2.0);
  coarse.largest = 65504;
  coarse.exp_argument_error = 1;
  return coarse;
}

/// A row of d numbers, of which the first is by far the largest.
inline RationalMatrix first_of(Index d) {
  RationalMatrix x = RationalMatrix::Constant(1, d, Rational(1, Integer(1) << 40));
  x(0) = 1;
  return x;
}

template <class Real>
InputSpace<Real> attention_space() {
  const Real most(16);
  return {.axes = {{'n', 1, 2}, {'m', 1, 4}, {'d', 1, 4}, {'v', 1, 2}},
          .arrays = {{"Q", "nd", Real(-most), most},
                     {"K", "md", Real(-most), most},
                     {"V", "mv", Real(-most), most},
                     {"G", "nv", Real(-most), most}}};
}

template <class Real>
AttentionCase<Real> case_of(const Arrays<Real>& input) {
  return {input.matrix("Q"), input.matrix("K"), input.matrix("V"), input.matrix("G"), {}};
}

}  // namespace chapter_attention_error
}  // namespace sqrtdk::properties
