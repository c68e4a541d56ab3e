#include <sqrtdk/testing/statistics/e_process.hpp>

#include "properties/trust/fixture.hpp"

namespace sqrtdk::properties::VillesInequality {

constexpr unsigned nights = 10;

/// The factors by which a night multiplies a bet: on heads and on tails.
struct Factors {
  Rational heads;
  Rational tails;
};

/// Pr(W ≥ level after any of so many flips), by going through every path.
Rational crossing(const Factors& factors, const Rational& heads, unsigned flips,
                  const Rational& level) {
  Rational probability_of_crossing = 0;
  for (unsigned path = 0; path < 1U << flips; ++path) {
    Rational wealth = 1;
    Rational probability_of_path = 1;
    bool crossed = wealth >= level;
    for (unsigned flip = 0; flip < flips; ++flip) {
      const bool is_heads = (path >> flip) % 2 == 1;
      wealth *= is_heads ? factors.heads : factors.tails;
      probability_of_path *= is_heads ? heads : Rational(1 - heads);
      crossed |= wealth >= level;
    }
    if (crossed) probability_of_crossing += probability_of_path;
  }
  return probability_of_crossing;
}

struct Subject {
  double (*growth)(const Count&, double p, double wrong) = log2_growth_on_count;
  double (*highest)(const std::vector<Round>&) = [](const std::vector<Round>& all) {
    std::vector<std::string> bets;
    for (std::size_t i = 0; i < all.front().log2_growth.size(); ++i)
      bets.push_back("bet " + std::to_string(i));
    Wealth wealth(20, bets);
    for (const Round& night : all) wealth.add(night);
    return wealth.highest();
  };
  Rational (*crossing)(const Factors&, const Rational&, unsigned,
                       const Rational&) = VillesInequality::crossing;
  double (*alpha_of_a_look)(double alpha, int looks) = [](double alpha, int) { return alpha; };
};

//! [VillesInequality]
STATEMENT(VillesInequality, NoFairBetCrossesMoreOftenThanAlpha) {
  for (int tenths = 1; tenths < 10; tenths += 2)
    for (int quarters = 1; quarters <= 4; ++quarters) {
      const Rational heads(tenths, 10);
      // A stake at fair odds: the mean of the two factors is 1.
      const Rational stake(quarters, 4);
      const Factors factors{1 + stake * (1 - heads) / heads, 1 - stake};
      for (const int level : {2, 3, 8}) {
        EXPECT_EXACTLY(subject.crossing(factors, heads, 7, level) <= Rational(1, level))
            << "heads " << heads << ", stake " << stake << ", level " << level;
        enumerated(1U << 7);
      }
    }
  for_all([&] {
    const std::vector<Rational> coin = normalized({*weight().as("heads"), *weight().as("tails")});
    // The parts of the factors' mean, which is at most 1.
    const std::vector<Rational> shares = normalized(
        {*weight().as("for heads"), *weight().as("for tails"), *weight().as("thrown away")});
    const Factors factors{shares[0] / coin[0], shares[1] / coin[1]};
    const Rational level = 1 + abs(*any_rational().as("1/α - 1"));
    EXPECT_EXACTLY(subject.crossing(factors, coin[0], 6, level) <= 1 / level);
  });
}
//! [VillesInequality]
KILLS("the level is half as high",
      {.crossing = [](auto& factors, auto& heads, unsigned flips, auto& level) {
        return crossing(factors, heads, flips, level / 2);
      }});

STATEMENT(VillesInequality, AllInReachesTheBound) {
  for (unsigned k = 0; k <= 8; ++k) {
    const Rational level(1U << k);
    EXPECT_EXACTLY(subject.crossing({2, 0}, Rational(1, 2), 9, level) == 1 / level);
    enumerated(1U << 9);
  }
}
KILLS("only the last flip is looked at",
      {.crossing = [](auto& factors, auto& heads, unsigned flips, auto& level) {
        Rational total = 0;
        for (unsigned path = 0; path < 1U << flips; ++path) {
          Rational wealth = 1;
          Rational weight = 1;
          for (unsigned flip = 0; flip < flips; ++flip) {
            const bool is_heads = (path >> flip) % 2 == 1;
            wealth *= is_heads ? factors.heads : factors.tails;
            weight *= is_heads ? heads : Rational(1 - heads);
          }
          if (wealth >= level) total += weight;
        }
        return total;
      }});

//! [VillesInequality: exact check]
STATEMENT(VillesInequality, TheWealthIsThatOfTheAverageBet) {
  std::vector<unsigned> crossed(8, 0);
  for (unsigned path = 0; path < 1U << nights; ++path) {
    // Two bets, on heads with probability ¾ and on tails with ¾: factors 3/2 and 1/2.
    std::vector<Round> all;
    Rational bets[2] = {1, 1};
    Rational highest = 1;
    for (unsigned night = 0; night < nights; ++night) {
      const std::size_t heads = (path >> night) % 2;
      all.push_back(
          {night, {subject.growth({heads, 1}, 0.5, 0.75), subject.growth({heads, 1}, 0.5, 0.25)}});
      for (std::size_t bet = 0; bet < 2; ++bet) bets[bet] *= Rational(bet == heads ? 1 : 3, 2);
      highest = std::max<Rational>(highest, (bets[0] + bets[1]) / 2);
    }
    const Rational computed(subject.highest(all));
    // 3ʰ + 3ᵗ is a power of 2 only if h and t are 0 or 1; so no wealth above 1 is a power of 2,
    // and rounding decides nothing.
    for (unsigned k = 1; k < crossed.size(); ++k) {
      EXPECT_EXACTLY((computed >= k) == (highest >= 1U << k))
          << "path " << path << ", level 2^" << k;
      crossed[k] += computed >= k ? 1 : 0;
    }
    enumerated(1);
  }
  for (unsigned k = 1; k < crossed.size(); ++k)
    EXPECT_EXACTLY((crossed[k] << k) <= (1U << nights)) << "level 2^" << k;
  record_value("paths_to_4", std::to_string(crossed[2]));
}
//! [VillesInequality: exact check]
KILLS("the best bet is taken for the average", {.highest = [](auto& all) {
        double highest = 0;
        for (std::size_t bet = 0; bet < all.front().log2_growth.size(); ++bet) {
          double wealth = 0;
          for (const Round& night : all) {
            wealth += night.log2_growth[bet];
            highest = std::max(highest, wealth);
          }
        }
        return highest;
      }});
KILLS("only the last night counts", {.highest = [](auto& all) {
        Wealth wealth(20, {"bet 0", "bet 1"});
        for (const Round& night : all) wealth.add(night);
        return std::max(0.0, wealth.log2_wealth());
      }});
KILLS("the likelihood ratio is upside down", {.growth = [](auto& count, double p, double wrong) {
        return -log2_growth_on_count(count, p, wrong);
      }});
KILLS("failures do not count", {.growth = [](auto& count, double p, double wrong) {
        return log2_growth_on_count({count.successes, count.trials}, p, wrong) -
               static_cast<double>(count.trials - count.successes) *
                   std::log2((1 - wrong) / (1 - p));
      }});

/// The probability that the wealth of two bets on a coin reaches 2⁶ after any of so many flips:
/// bets that heads come with probability p ± ¼, when they come with probability `heads`.
Rational alarm_rate(const Subject& subject, double p, const Rational& heads, unsigned looks) {
  const Integer tails = denominator(heads) - numerator(heads);
  std::vector<Integer> quiet{1};  // paths with so many heads, and no alarm so far
  Rational alarms = 0;
  for (unsigned flips = 1; flips <= looks; ++flips) {
    quiet.push_back(0);
    for (unsigned h = flips; h > 0; --h) quiet[h] += quiet[h - 1];
    for (unsigned h = 0; h <= flips; ++h) {
      const Count seen{h, flips};
      // exact: what the code decides; how often, is counted in integers
      if (subject.highest(
              {{0, {subject.growth(seen, p, p + 0.25), subject.growth(seen, p, p - 0.25)}}}) < 6)
        continue;
      alarms += Rational(quiet[h] * pow(numerator(heads), h) * pow(tails, flips - h),
                         pow(denominator(heads), flips));
      quiet[h] = 0;
    }
  }
  return alarms;
}

//! [VillesInequality: the exact rate of alarms]
STATEMENT(VillesInequality, TheExactRateOfAlarmsIsBelowAlpha) {
  constexpr unsigned looks = 200;
  for (const int tenths : {5, 3}) {
    const Rational rate = alarm_rate(subject, tenths / 10.0, Rational(tenths, 10), looks);
    EXPECT_EXACTLY(rate <= Rational(rates.alpha)) << "heads " << tenths << " times in ten";
    if (tenths == 5) record_value("rate", format_significant(rate.convert_to<double>(), 4));
  }
  record_value("looks", std::to_string(looks));
  const Rational missed = 1 - alarm_rate(subject, 0.5, Rational(3, 4), looks);
  record_value("missed", format_significant(missed.convert_to<double>(), 2));
  enumerated(2 * looks);
}
//! [VillesInequality: the exact rate of alarms]
KILLS("the bets are added and not averaged",
      {.highest = [](auto& all) { return Subject().highest(all) + 1; }});

ASIDE(VillesInequality, DebtsBreakTheBound) {
  EXPECT_EXACTLY(subject.crossing({3, -1}, Rational(1, 2), 1, 3) == Rational(1, 2));
  enumerated(2);
  counterexample_without("no debts");
}
KILLS("debts are forgiven",
      {.crossing = [](auto& factors, auto& heads, unsigned flips, auto& level) {
        const Rational tails = std::max<Rational>(0, factors.tails);
        const Rational mean = factors.heads * heads + tails * (1 - heads);
        return crossing({factors.heads / mean, tails / mean}, heads, flips, level);
      }});

ASIDE(VillesInequality, AFalseDistributionCrossesMoreOften) {
  // Fair factors for a fair coin, but heads come three times in four.
  const Rational crossed =
      subject.crossing({Rational(3, 2), Rational(1, 2)}, Rational(3, 4), nights, 4);
  EXPECT_EXACTLY(crossed > Rational(1, 4));
  record_value("crossed", format_significant(crossed.convert_to<double>(), 4));
  enumerated(1U << nights);
  counterexample_without("true distribution");
}
KILLS("every coin is fair", {.crossing = [](auto& factors, auto&, unsigned flips, auto& level) {
        return crossing(factors, Rational(1, 2), flips, level);
      }});

ASIDE(VillesInequality, TheSameNumbersEveryNightBreakTheBound) {
  unsigned crossed = 0;
  for (const std::size_t heads : {0U, 1U}) {
    std::vector<Round> all;
    for (unsigned night = 0; night < nights; ++night)
      all.push_back({night, {subject.growth({heads, 1}, 0.5, 0.75)}});
    // exact: what the code decides, far from the limit
    crossed += subject.highest(all) >= 4 ? 1 : 0;
  }
  EXPECT_EXACTLY(crossed == 1U) << "of 2, where the bound is 1 in 16";
  enumerated(2);
  counterexample_without("fresh numbers");
}
KILLS("a night counts once, however often it is played",
      {.highest = [](auto& all) { return std::max(0.0, all.front().log2_growth.front()); }});

/// The probability that the two-sided binomial check of a fair coin, made after every flip at level
/// α, rejects at least once; exact.
Rational any_look_rejects(double alpha, int looks) {
  const CountCheck coin(0.5);
  std::vector<Integer> passing{1};  // paths that no look has rejected, by their number of heads
  int rejected_up_to = -1;          // the check rejects counts up to this, and as many at the top
  for (int flips = 1; flips <= looks; ++flips) {
    passing.push_back(0);
    for (std::size_t heads = passing.size() - 1; heads > 0; --heads)
      passing[heads] += passing[heads - 1];
    const auto trials = static_cast<std::size_t>(flips);
    // exact: what the code decides; how often, is counted in integers
    while (coin.p_value(rejected_up_to + 1, trials) <= alpha && rejected_up_to + 1 < flips)
      ++rejected_up_to;
    for (int heads = 0; heads <= rejected_up_to; ++heads) {
      passing[static_cast<std::size_t>(heads)] = 0;
      passing[static_cast<std::size_t>(flips - heads)] = 0;
    }
  }
  Integer total = 0;
  for (const Integer& paths : passing) total += paths;
  return 1 - Rational(total) / Rational(Integer(1) << static_cast<unsigned>(looks));
}

//! [VillesInequality: what looking again does to a p-value]
ASIDE(VillesInequality, LookingAgainAndAgainBreaksAPValue) {
  const double alpha = 0.05;
  for (const int looks : {20, 100, 400}) {
    const Rational rejected = any_look_rejects(subject.alpha_of_a_look(alpha, looks), looks);
    EXPECT_EXACTLY(rejected > Rational(1, 20)) << looks << " looks";
    record_value("after_" + std::to_string(looks),
                 format_significant(rejected.convert_to<double>(), 4));
    enumerated(static_cast<std::uint64_t>(looks));
  }
}
//! [VillesInequality: what looking again does to a p-value]
KILLS("α is shared among the looks",
      {.alpha_of_a_look = [](double alpha, int looks) { return alpha / looks; }});

}  // namespace sqrtdk::properties::VillesInequality
