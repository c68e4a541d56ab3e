// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Draws of the score X = q·k without drawing q and k.
#pragma once

#include <sqrtdk/numbers/float_environment.hpp>

#include <boost/random/gamma_distribution.hpp>
#include <boost/random/normal_distribution.hpp>

#include <cmath>
#include <concepts>
#include <ios>
#include <istream>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <string>

namespace sqrtdk {

/// Draws X = q·k for q, k ~ N(0, I_d), as X = R Z with R² ~ χ²_d and Z ~ N(0, 1): one gamma and one
/// normal variate whatever d is. Its interface is that of the standard's random distributions.
///
/// \snippet{trimleft} tests/score_distribution_tests.cpp score_sampler
///
/// \tparam RealType float, double or long double
/// \see score_distribution, the distribution of what it draws
template <std::floating_point RealType = double>
class score_sampler {
 public:
  using result_type = RealType;  ///< the type of a draw, as the standard asks for

  /// The parameter of the distribution: the dimension d.
  class param_type {
   public:
    using distribution_type = score_sampler;  ///< the distribution whose parameter it is

    /// \param dimension d, positive and finite; need not be a whole number
    /// \throws std::domain_error if it is not positive and finite
    explicit param_type(RealType dimension = 1) : dimension_(dimension) {
      if (!(dimension > 0 && std::isfinite(dimension)))
        throw std::domain_error("sqrtdk::score_sampler: the dimension d is " +
                                std::to_string(dimension) + ", but must be positive and finite");
    }

    /// The head dimension d, positive and finite.
    RealType dimension() const { return dimension_; }

    /// True if the dimensions are equal.
    friend bool operator==(const param_type&, const param_type&) = default;

    /// Writes d with enough digits to read the same number back.
    template <class Char, class Traits>
    friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                                        const param_type& param) {
      const auto precision = out.precision(std::numeric_limits<RealType>::max_digits10);
      out << param.dimension_;
      out.precision(precision);
      return out;
    }

    /// Reads d; sets failbit, and leaves param as it was, if that is not a valid dimension.
    template <class Char, class Traits>
    friend std::basic_istream<Char, Traits>& operator>>(std::basic_istream<Char, Traits>& in,
                                                        param_type& param) {
      RealType dimension = 0;
      if (!(in >> dimension)) return in;
      if (dimension > 0 && std::isfinite(dimension))
        param = param_type(dimension);
      else
        in.setstate(std::ios_base::failbit);
      return in;
    }

   private:
    RealType dimension_;
  };

  /// The sampler of d = 1.
  score_sampler() = default;

  /// \param dimension d, positive and finite; need not be a whole number
  /// \throws std::domain_error if it is not positive and finite
  explicit score_sampler(RealType dimension) : param_(dimension) {}

  /// \param param the dimension, as another sampler's param() has it
  explicit score_sampler(const param_type& param) : param_(param) {}

  /// Forgets nothing: a draw keeps no state for the next.
  void reset() {}

  /// One draw of X.
  /// \param engine any uniform random bit generator, such as std::mt19937_64
  template <class Engine>
  RealType operator()(Engine& engine) const {
    return (*this)(engine, param_);
  }

  /// One draw of X in another dimension.
  /// \param engine any uniform random bit generator
  /// \param param  that dimension
  template <class Engine>
  RealType operator()(Engine& engine, const param_type& param) const {
    // R²/2 ~ Gamma(d/2)
    boost::random::gamma_distribution<RealType> half_square(param.dimension() / 2);
    boost::random::normal_distribution<RealType> normal;
    const RealType radius = std::sqrt(2 * half_square(engine));
    return radius * normal(engine);
  }

  RealType dimension() const { return param_.dimension(); }  ///< the head dimension d
  param_type param() const { return param_; }                ///< d as a param_type

  /// From now on, draws in another dimension.
  void param(const param_type& param) { param_ = param; }

  /// The least that a draw may be, the lowest finite number.
  static constexpr RealType(min)() { return std::numeric_limits<RealType>::lowest(); }
  /// The most that a draw may be, the largest finite number.
  static constexpr RealType(max)() { return (std::numeric_limits<RealType>::max)(); }

  /// True if the dimensions are equal, so that both draw the same from equal engines.
  friend bool operator==(const score_sampler&, const score_sampler&) = default;

  /// Writes d with enough digits to read the same number back.
  template <class Char, class Traits>
  friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                                      const score_sampler& sampler) {
    return out << sampler.param_;
  }

  /// Reads d; sets failbit, and leaves the sampler as it was, if that is not a valid dimension.
  template <class Char, class Traits>
  friend std::basic_istream<Char, Traits>& operator>>(std::basic_istream<Char, Traits>& in,
                                                      score_sampler& sampler) {
    return in >> sampler.param_;
  }

 private:
  param_type param_;
};

}  // namespace sqrtdk
