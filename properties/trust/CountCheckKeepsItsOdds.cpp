#include "properties/trust/fixture.hpp"

namespace sqrtdk::properties::CountCheckKeepsItsOdds {

constexpr double probability = 0.3;
constexpr double count_effect = 0.15;
const CountCheck count_check{probability};

struct Subject {
  bool (*rejects)(double p, const Count&, double alpha) = [](double p, const Count& count,
                                                             double alpha) {
    const CountCheck check(p);
    return check.p_value(check.statistic(count), count.trials) <= alpha;
  };
  /// True if a check that has to see an effect takes a count of so many trials.
  bool (*takes)(const CountCheck&, std::size_t n, DetectableEffect) =
      [](const CountCheck& check, std::size_t n, DetectableEffect effect) {
        try {
          run_test(check, {0, n}, rates.alpha, effect);
        } catch (const std::invalid_argument&) {
          return false;
        }
        return true;
      };
};

bool count_rejected(const Subject& subject, const Count& count) {
  return subject.rejects(probability, count, rates.alpha);
}

/// As Subject, with the count's distance from its mean stretched and α multiplied.
template <int square_of_stretch, int square_of_shrink, int times_alpha>
bool stretched_count(double p, const Count& count, double alpha) {
  const double factor =
      std::sqrt(static_cast<double>(square_of_stretch) / static_cast<double>(square_of_shrink));
  const auto n = static_cast<double>(count.trials);
  const double stretched = n * p + (static_cast<double>(count.successes) - n * p) * factor;
  return CountCheck(p).p_value(std::clamp(std::round(stretched), 0.0, n), count.trials) <=
         times_alpha * alpha;
}

ASIDE(CountCheckKeepsItsOdds, RejectsATrueDistributionAsOftenAsItSays) {
  const std::size_t n = sample_size(count_check, rates, count_effect);
  const double size = count_check.size(n, rates.alpha);
  static auto samples = repetitions<CountCheck>(
      runs_to_see(size, size), n, [](Stream& stream) { return uniform(stream) < probability; });
  calibrate(subject, Counted::rejected, size, samples, count_rejected);
  record_value("draws", std::to_string(n));
}
KILLS("the threshold is √2 too near", {stretched_count<2, 1, 1>});

ASIDE(CountCheckKeepsItsOdds, MissesTheDeclaredEffectAsOftenAsItSays) {
  const std::size_t n = sample_size(count_check, rates, count_effect);
  const double missed = count_check.type_ii_error(n, rates.alpha, count_effect);
  // The larger probability has the larger variance and is missed more often.
  static auto samples = repetitions<CountCheck>(runs_to_see(missed, missed), n, [](Stream& stream) {
    return uniform(stream) < probability + count_effect;
  });
  calibrate(subject, Counted::missed, missed, samples, count_rejected);
}
KILLS("the threshold is √2 too far out", {stretched_count<1, 2, 1>});

//! [CountCheckKeepsItsOdds]
STATEMENT(CountCheckKeepsItsOdds, ItsSizeIsAtMostAlpha) {
  for_all([&] {
    const auto n = *rc::gen::inRange<std::size_t>(1, 21).as("number of trials");
    const Rational p(*rc::gen::inRange(1, 64).as("64 p"), 64);
    const double alpha = std::exp2(-*rc::gen::inRange(1, 13).as("−log₂ α"));
    const std::vector<Rational>& distribution = memoized<binomial_probabilities>(n, p);
    Rational rejected = 0;
    for (std::size_t x = 0; x <= n; ++x)
      if (subject.rejects(p.convert_to<double>(), {x, n}, alpha)) rejected += distribution[x];
    EXPECT_EXACTLY(rejected <= Rational(alpha));
  });
}
//! [CountCheckKeepsItsOdds]
KILLS("α is not divided between the two sides, seen at other sizes and rates",
      {stretched_count<1, 1, 2>});

//! [CountCheckKeepsItsOdds: exact check]
STATEMENT(CountCheckKeepsItsOdds, NeverRejectsATrueProbabilityTooOften) {
  constexpr std::size_t largest = 20;
  Rational most = 0;
  for (int tenths = 1; tenths < 10; ++tenths)
    for (std::size_t n = 1; n <= largest; ++n) {
      const std::vector<Rational>& distribution =
          memoized<binomial_probabilities>(n, Rational(tenths, 10));
      const auto rejects = [&](std::size_t x) {
        return subject.rejects(tenths / 10.0, {x, n}, rates.alpha);
      };
      // The counts that are rejected as too small and as too large, and the next one of each.
      Rational low = 0;
      Rational high = 0;
      std::size_t l = 0;
      std::size_t h = n;
      for (; l <= n && rejects(l); ++l) low += distribution[l];
      for (; h > l && rejects(h); --h) high += distribution[h];
      for (std::size_t x = l; x <= h; ++x) EXPECT_EXACTLY(!rejects(x)) << x << " of " << n;
      const std::string where = "p = " + std::to_string(tenths) + "/10, n = " + std::to_string(n);
      EXPECT_EXACTLY(low <= Rational(rates.alpha) / 2) << where;
      EXPECT_EXACTLY(high <= Rational(rates.alpha) / 2) << where;
      EXPECT_EXACTLY(Rational(low + distribution[l]) > Rational(rates.alpha) / 2)
          << where << ": one more would do";
      EXPECT_EXACTLY(Rational(high + distribution[h]) > Rational(rates.alpha) / 2)
          << where << ": one more would do";
      most = std::max<Rational>(most, low + high);
      if (tenths == 3 && n == 12) {
        record_value("size_at_12",
                     format_significant(Rational(low + high).convert_to<double>(), 2));
        record_value(
            "larger_at_12",
            format_significant(Rational(low + high + distribution[l]).convert_to<double>(), 3));
      }
      enumerated(1);
    }
  record_value("most", format_significant(most.convert_to<double>(), 4));
}
//! [CountCheckKeepsItsOdds: exact check]
KILLS("α is not divided between the two sides", {stretched_count<1, 1, 2>});
KILLS("α is divided by four",
      {[](double p, auto& count, double alpha) { return Subject().rejects(p, count, alpha / 2); }});

/// The p at which so many successes or fewer have probability α/2, x < n: the upper end of the
/// interval of Clopper and Pearson. Enclosed by two fractions, or found.
Interval<Rational> upper_end(std::size_t n, std::size_t x) {
  Interval<Rational> end{0, 1};
  while (end.upper - end.lower > Rational(1, 1 << 16)) {
    const Rational middle = (end.lower + end.upper) / 2;
    const std::vector<Rational> distribution = binomial_probabilities(n, middle);
    Rational tail = 0;
    for (std::size_t i = 0; i <= x; ++i) tail += distribution[i];
    if (tail == Rational(rates.alpha) / 2) return {middle, middle};
    (tail > Rational(rates.alpha) / 2 ? end.lower : end.upper) = middle;
  }
  return end;
}

/// True if the interval of Clopper and Pearson excludes p, or has it for an end.
bool excludes(const Rational& p, const Count& count) {
  const auto [x, n] = count;
  const auto reaches = [](const Rational& q, const Interval<Rational>& end) {
    EXPECT_EXACTLY(!(end.lower < q && q < end.upper)) << q << " is too near to an end";
    return q >= end.upper;
  };
  return (x < n && reaches(p, memoized<upper_end>(n, x))) ||
         (x > 0 && reaches(1 - p, memoized<upper_end>(n, n - x)));
}

//! [CountCheckKeepsItsOdds: the interval of Clopper and Pearson]
STATEMENT(CountCheckKeepsItsOdds, RejectsWhatTheClopperPearsonIntervalExcludes) {
  for (int tenths = 1; tenths < 10; ++tenths)
    for (std::size_t n = 1; n <= 20; ++n)
      for (std::size_t x = 0; x <= n; ++x) {
        const double p = tenths / 10.0;
        EXPECT_EXACTLY(subject.rejects(p, {x, n}, rates.alpha) == excludes(Rational(p), {x, n}))
            << x << " of " << n << " for p = " << p;
        enumerated(1);
      }
  // 0 and 1 are ends as well, of no successes and of nothing else; near them all is accepted.
  for (std::size_t n = 1; n <= 20; ++n) {
    EXPECT_EXACTLY(!subject.rejects(0x1p-40, {0, n}, rates.alpha)) << n;
    EXPECT_EXACTLY(!subject.rejects(1 - 0x1p-40, {n, n}, rates.alpha)) << n;
    enumerated(2);
  }
}
//! [CountCheckKeepsItsOdds: the interval of Clopper and Pearson]
KILLS("the count itself is left out of its tail", {[](double p, auto& count, double alpha) {
        const CountCheck check(p);
        const auto x = static_cast<double>(count.successes);
        const auto n = static_cast<double>(count.trials);
        return (x > 0 && check.p_value(x - 1, count.trials) <= alpha && x < n * p) ||
               (x < n && check.p_value(x + 1, count.trials) <= alpha && x > n * p);
      }});

/// The larger probability, under p − δ and p + δ, of the counts that are not rejected.
Rational exact_miss(const Subject& subject, std::size_t n) {
  Rational most = 0;
  for (const double truth : {probability - count_effect, probability + count_effect}) {
    const std::vector<Integer> weights = memoized<binomial_weights>(n, Rational(truth));
    Integer missed = 0;
    for (std::size_t x = 0; x <= n; ++x)
      if (!subject.rejects(probability, {x, n}, rates.alpha)) missed += weights[x];
    most = std::max(most,
                    Rational(missed, pow(denominator(Rational(truth)), static_cast<unsigned>(n))));
  }
  return most;
}

ASIDE(CountCheckKeepsItsOdds, MoreTrialsMayMissMore) {
  const std::size_t enough = sample_size(count_check, rates, count_effect);
  bool falls = true;
  for (std::size_t n = enough - 4; n <= enough + 4; ++n) {
    const bool sees = exact_miss(subject, n) <= Rational(rates.beta);
    EXPECT_EXACTLY(subject.takes(count_check, n, {count_effect, rates.beta}) == sees)
        << n << " trials";
    falls = falls && sees == (n >= enough);
    enumerated(1);
  }
  EXPECT_EXACTLY(!falls);
  record_value("enough", std::to_string(enough));
  record_value("missed_by_one_more",
               format_significant(exact_miss(subject, enough + 1).convert_to<double>(), 3));
}
KILLS("as many trials as suffice, or any number beyond, are taken",
      {.takes = [](auto& check, auto n, DetectableEffect effect) {
        return n >= sample_size(check, {rates.alpha, effect.beta}, effect.effect);
      }});

ASIDE(CountCheckKeepsItsOdds, CopiesOfOneTrialBreakTheOdds) {
  EXPECT_EXACTLY(subject.rejects(probability, {20, 20}, rates.alpha)) << "has probability 3/10";
  EXPECT_EXACTLY(subject.rejects(probability, {0, 20}, rates.alpha)) << "has probability 7/10";
  enumerated(2);
  counterexample_without("independent");
}
KILLS("only counts that are too small are rejected", {[](double p, auto& count, double alpha) {
        return static_cast<double>(count.successes) < static_cast<double>(count.trials) * p &&
               Subject().rejects(p, count, alpha);
      }});

}  // namespace sqrtdk::properties::CountCheckKeepsItsOdds
