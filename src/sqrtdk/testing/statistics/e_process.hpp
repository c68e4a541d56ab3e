// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Checks that may be repeated forever: wealth won by betting against a distribution.
///
/// A bet puts 1 on a wrong distribution; each round multiplies it by the likelihood ratio of that
/// round's sample, wrong distribution over true one. The wealth W is the average over all bets. If
/// the true one holds and the rounds are independent, none repeated, Ville's inequality bounds all
/// of them together: Pr(W ≥ 1/α on any round, forever) ≤ α.
/// Source: Ville, "Étude critique de la notion de collectif" (1939); Shafer and Vovk,
/// "Game-Theoretic Foundations for Probability and Finance" (2019).
#pragma once

#include <sqrtdk/testing/statistics/checks.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sqrtdk::testing {

/// log₂ of the likelihood ratio of N(δ, 1) over N(0, 1): (δ√n z − nδ²/2)/ln 2.
/// \param z     Σxᵢ/√n, the statistic of a MeanCheck.
/// \param n     how many draws.
/// \param shift δ, the mean of the wrong distribution in units of σ; finite.
/// \throws std::domain_error if the shift is not finite.
double log2_growth_on_mean(double z, std::size_t n, double shift);

/// log₂ of the likelihood ratio of N(0, r) over N(0, 1): (1 − 1/r)t/(2 ln 2) − (n/2) log₂ r.
/// \param t     Σxᵢ², the statistic of a VarianceCheck.
/// \param n     how many draws.
/// \param ratio r, the wrong variance over the true one; greater than 0 and finite.
/// \throws std::domain_error if the ratio is out of range.
double log2_growth_on_variance(double t, std::size_t n, double ratio);

/// log₂ of the likelihood ratio of w over p: x log₂(w/p) + (n − x) log₂((1 − w)/(1 − p)).
/// \param count x successes in n trials.
/// \param p     the probability according to the true distribution, in (0, 1).
/// \param wrong w, the probability according to the wrong one, in (0, 1).
/// \throws std::invalid_argument if there are no trials, or fewer trials than successes.
/// \throws std::domain_error if a probability is out of range.
double log2_growth_on_count(const Count& count, double p, double wrong);

/// One round of a Wealth process: its seed, and the factor of each bet.
struct Round {
  std::uint64_t seed;               ///< the master seed of the round
  std::vector<double> log2_growth;  ///< for each bet, log₂ of the factor that multiplies it
};

/// The wealth won by repeated bets against a distribution, and its history.
/// \implements{VillesInequality}
class Wealth {
 public:
  /// A process that has not seen anything yet; its wealth is 1.
  /// \param alpha_exponent −log₂ α for all rounds together, from 1 to 1000.
  /// \param bets           a name for each wrong distribution, distinct lines of text.
  /// \throws std::domain_error if the exponent is out of range.
  /// \throws std::invalid_argument if there are no bets, or a name is not one line of text or stands
  ///         there twice.
  Wealth(int alpha_exponent, std::vector<std::string> bets);

  /// Lets a round multiply the bets.
  /// \throws std::invalid_argument if its seed was used before, or it has not one number a bet.
  /// \throws std::domain_error if a number is not finite, or a bet would not be, once multiplied.
  void add(Round round);

  int alpha_exponent() const { return alpha_exponent_; }  ///< −log₂ α, from 1 to 1000
  /// The names of the bets, one for each wrong distribution.
  const std::vector<std::string>& bets() const { return bets_; }
  const std::vector<Round>& rounds() const { return rounds_; }  ///< all rounds, in order
  double log2_wealth() const { return log2_wealth_; }           ///< log₂ W after the last round
  double highest() const { return highest_; }  ///< the largest log₂ W of any round
  bool rejected() const { return highest_ >= alpha_exponent_; }  ///< true if W ever reached 1/α
  const std::string& best_bet() const;                           ///< the bet that has won most

 private:
  int alpha_exponent_;
  std::vector<std::string> bets_;
  std::vector<Round> rounds_;
  std::vector<double> log2_of_bet_;
  double log2_wealth_ = 0;
  double highest_ = 0;
};

}  // namespace sqrtdk::testing
