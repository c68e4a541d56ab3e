// Functions of a temperature τ and of e^(1/τ), differentiated without rounding.
#pragma once

#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/numbers/rational.hpp>

#include <boost/operators.hpp>

#include <limits>
#include <ostream>
#include <stdexcept>
#include <utility>

namespace sqrtdk::testing {

/// Of the tests of \ref temperature, not of the kit: a rational function of τ and t = e^(1/τ), by
/// its value and its derivative with respect to τ where both are given rational numbers.
///
/// With e^(k/τ) = tᵏ and dt/dτ = −t/τ² everything that softmax computes of whole scores is one. A
/// rational τ has no rational e^(1/τ); but no polynomial in τ and e^(1/τ) is 0 for every τ unless all
/// its coefficients are. So an equation between such functions that holds for every temperature holds
/// for any τ and t in their places, and the other way round.
class Formal : boost::ordered_field_operators<Formal> {
 public:
  Formal(int constant = 0) : value_(constant) {}  // NOLINT(google-explicit-constructor)
  /// A function: its value, and its derivative with respect to τ.
  explicit Formal(Rational value, Rational slope = 0)
      : value_(std::move(value)), slope_(std::move(slope)) {}

  /// τ itself. Until the next call, exponentials are taken there.
  /// \param temperature τ, not 0.
  /// \param base        t, greater than 0.
  static Formal at(const Rational& temperature, const Rational& base) {
    place() = {temperature, base};
    return Formal(temperature, 1);
  }

  const Rational& value() const { return value_; }  ///< not to be asked of a logarithm
  const Rational& slope() const { return slope_; }  ///< the derivative with respect to τ

  Formal& operator+=(const Formal& y) {
    value_ += y.value_;
    slope_ += y.slope_;
    return *this;
  }
  Formal& operator-=(const Formal& y) {
    value_ -= y.value_;
    slope_ -= y.slope_;
    return *this;
  }
  Formal& operator*=(const Formal& y) {
    slope_ = slope_ * y.value_ + value_ * y.slope_;
    value_ *= y.value_;
    return *this;
  }
  Formal& operator/=(const Formal& y) {
    value_ /= y.value_;
    slope_ = (slope_ - value_ * y.slope_) / y.value_;
    return *this;
  }
  friend Formal operator-(const Formal& x) { return Formal(-x.value_, -x.slope_); }
  friend bool operator<(const Formal& x, const Formal& y) { return x.value_ < y.value_; }
  friend bool operator==(const Formal& x, const Formal& y) { return x.value_ == y.value_; }
  friend std::ostream& operator<<(std::ostream& out, const Formal& x) { return out << x.value_; }

  /// tᵏ of k/τ.
  friend Formal exp(const Formal& x) {
    const Rational k = x.value_ * place().temperature;
    if (denominator(k) != 1) throw std::logic_error("an exponential of no whole multiple of 1/τ");
    const Rational power = integer_power(k < 0 ? Rational(1 / place().base) : place().base,
                                         static_cast<unsigned>(abs(numerator(k))));
    return Formal(power, power * x.slope_);
  }
  /// A logarithm, which has a rational derivative and no rational value.
  friend Formal log(const Formal& x) { return Formal(0, x.slope_ / x.value_); }

 private:
  struct Place {
    Rational temperature, base;
  };
  static Place& place() {
    static Place place;
    return place;
  }

  Rational value_;
  Rational slope_ = 0;
};

}  // namespace sqrtdk::testing

/// Infinity is a number beyond all that a check uses.
template <>
class std::numeric_limits<sqrtdk::testing::Formal> : public std::numeric_limits<sqrtdk::Rational> {
 public:
  static sqrtdk::testing::Formal infinity() {
    return sqrtdk::testing::Formal(sqrtdk::Rational(sqrtdk::Integer(1) << 1024));
  }
};
