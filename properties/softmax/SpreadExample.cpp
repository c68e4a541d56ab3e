#include "properties/softmax/fixture.hpp"

namespace sqrtdk::properties::SpreadExample {

const Vector spread_scores = decimals({"1.15", "-0.39", "1.10", "-0.68", "0.15"});
const std::vector<std::string> spread_weights = {"0.31", "0.07", "0.30", "0.05", "0.12"};

//! [SpreadExample: exact check]
STATEMENT(SpreadExample, NoProbabilitiesArePrintedLikeThis) {
  const Rational printed = total(decimals(spread_weights));
  EXPECT_EXACTLY(printed == Rational(85, 100));
  const auto to_two_decimals = [](const Rational& p) {
    const Rational hundredths = p * 100 + Rational(1, 2);
    return Rational(Integer(numerator(hundredths) / denominator(hundredths))) / 100;
  };
  for_all([&] {
    const Vector w = *rc::gen::container<Vector>(5, positive_rational()).as("the weights e^x");
    Rational sum = 0;
    for (const Rational& p : subject.normalized(w)) sum += to_two_decimals(p);
    EXPECT_EXACTLY(sum >= subject.least_sum_of_rounded(5, Rational(1, 100)));
  });
  const Rational least = subject.least_sum_of_rounded(5, Rational(1, 100));
  EXPECT_EXACTLY(least == Rational(975, 1000));
  EXPECT_EXACTLY(printed < least);
  record_value("printed", format_shortest(static_cast<double>(printed)));
  record_value("least", format_shortest(static_cast<double>(least)));
}
//! [SpreadExample: exact check]
KILLS("weights may sum to 0.85", with_normalized([](auto& w) {
        Vector p = library_normalized(w);
        for (Rational& x : p) x *= Rational(85, 100);
        return p;
      }));
KILLS("each rounding takes the whole unit", {.least_sum_of_rounded = [](auto n, auto& unit) {
        return least_sum_of_rounded(n, 2 * unit);
      }});
KILLS("one rounding is left out", {.least_sum_of_rounded = [](auto n, auto& unit) {
        return least_sum_of_rounded(n - 1, unit);
      }});

/// The printed weights of S3 before they were rounded, each between two numbers.
std::vector<Interval<Rational>> before_rounding() {
  std::vector<Interval<Rational>> intervals;
  for (const std::string& weight : spread_weights) intervals.push_back(parse_printed(weight));
  return intervals;
}

Interval<Rational> sum_of_exponentials(const Vector& logits) {
  Interval<Rational> sum{0, 0};
  for (const Rational& logit : logits) {
    const Interval<Rational> e = exp_enclosure(logit);
    sum = {sum.lower + e.lower, sum.upper + e.upper};
  }
  return sum;
}

//! [SpreadExample]
STATEMENT(SpreadExample, TheRightWeights) {
  const std::vector<Interval<Rational>> exact = subject.softmax_enclosure(spread_scores);
  const std::vector<Interval<Rational>> printed = before_rounding();
  const std::vector<std::string> right = {"0.371", "0.080", "0.353", "0.060", "0.137"};
  bool one_is_right = false;
  std::string all_right;
  for (std::size_t j = 0; j < 5; ++j) {
    expect_rounds_to(right[j], exact[j]);
    one_is_right |= printed[j].lower <= exact[j].upper && exact[j].lower <= printed[j].upper;
    all_right += (j == 0 ? "" : ", ") + right[j];
  }
  EXPECT_EXACTLY(!one_is_right);
  const Interval<Rational> fit = subject.sums_that_fit(spread_scores, printed);
  expect_refuted(
      "S3", "[0.31, 0.07, 0.30, 0.05, 0.12]", one_is_right,
      all_right + "; the printed ones are these up to one common factor, as of a sum from " +
          rounded_up(static_cast<double>(fit.lower), 2) + " to " +
          rounded_down(static_cast<double>(fit.upper), 2) + " in place of " +
          format_fixed(static_cast<double>(sum_of_exponentials(spread_scores).lower), 2));
  record_value("weights", all_right);
  enumerated(5);
}
//! [SpreadExample]
KILLS("the scores are not divided by 8",
      with_enclosures([](auto& logit, auto&) { return 8 * logit; }));
KILLS("the sum is 10.05", {.softmax_enclosure = [](auto& x) {
        std::vector<Interval<Rational>> p;
        for (const Rational& logit : x) {
          const Interval<Rational> e = exp_enclosure(logit);
          p.push_back({e.lower * 20 / 201, e.upper * 20 / 201});
        }
        return p;
      }});

STATEMENT(SpreadExample, OneSumFitsAllPrintedWeights) {
  const std::vector<Interval<Rational>> printed = before_rounding();
  const auto fits = [&](const Rational& sum) {
    bool all = true;
    for (std::size_t j = 0; j < 5; ++j) {
      const Interval<Rational> e = exp_enclosure(spread_scores[j]);
      all &= printed[j].lower * sum <= e.lower && e.upper <= printed[j].upper * sum;
    }
    return all;
  };
  const Interval<Rational> fit = subject.sums_that_fit(spread_scores, printed);
  const Rational little(1, 1000000);
  EXPECT_EXACTLY((fit.lower < fit.upper && fits(fit.lower) && fits(fit.upper)));
  EXPECT_EXACTLY(!(fits(fit.lower - little) || fits(fit.upper + little)));
  // The right sum is not among them.
  const Interval<Rational> sum = sum_of_exponentials(spread_scores);
  EXPECT_EXACTLY(!(fits(sum.lower) || fits(sum.upper)));
  record_value("least", rounded_up(static_cast<double>(fit.lower), 2));
  record_value("most", rounded_down(static_cast<double>(fit.upper), 2));
  record_value("right", format_fixed(static_cast<double>(sum.lower), 2));
  // It would be with a sixth score between these two, and its weight missing from the list.
  const std::string least =
      rounded_up(std::log(static_cast<double>(Rational(fit.lower - sum.lower))), 2);
  const std::string most =
      rounded_down(std::log(static_cast<double>(Rational(fit.upper - sum.upper))), 2);
  for (const std::string& sixth : {least, most}) {
    const Interval<Rational> e = exp_enclosure(decimal(sixth));
    EXPECT_EXACTLY((fits(sum.lower + e.lower) && fits(sum.upper + e.upper))) << sixth;
  }
  record_value("sixth_least", least);
  record_value("sixth_most", most);
  enumerated(5);
}
KILLS("the first weight decides alone", {.sums_that_fit = [](auto& x, auto& p) {
        return x.empty() ? sums_that_fit(x, p) : sums_that_fit({x[0]}, {p[0]});
      }});
KILLS("a sum has to fit one weight only", {.sums_that_fit = [](auto& x, auto& p) {
        Interval<Rational> all = sums_that_fit(x, p);
        for (std::size_t i = 0; i < x.size(); ++i) {
          const Interval<Rational> one = sums_that_fit({x[i]}, {p[i]});
          all = {std::min(all.lower, one.lower), std::max(all.upper, one.upper)};
        }
        return all;
      }});
KILLS("a rounding takes nothing", {.sums_that_fit = [](auto& x, auto& p) {
        std::vector<Interval<Rational>> middles = p;
        for (Interval<Rational>& one : middles) one.lower = one.upper = (one.lower + one.upper) / 2;
        return sums_that_fit(x, middles);
      }});

ASIDE(SpreadExample, TheLibraryGivesTheseWeights) {
  expect_computed(subject, spread_scores, {"0.371", "0.080", "0.353", "0.060", "0.137"});
}
KILLS("a sixth position takes the rest", with_wide([](auto& x, Wide) {
        Values<Wide> y = library_softmax<Wide>(x, 1);
        for (Wide& weight : y) weight *= Wide(0.85);
        return y;
      }));
KILLS("the scores are not scaled", with_wide([](auto& x, Wide) {
        return wide_after(x, [](auto& logit) { return Wide(8 * logit); });
      }));

ASIDE(SpreadExample, RefusesWhatIsNoRounding) {
  expect_refusal<std::domain_error>([&] { subject.least_sum_of_rounded(0, 1); });
  expect_refusal<std::domain_error>([&] { subject.least_sum_of_rounded(5, 0); });
  expect_refusal<std::domain_error>([&] { subject.least_sum_of_rounded(5, -1); });
  expect_refusal<std::invalid_argument>([&] { subject.sums_that_fit({}, {}); });
  expect_refusal<std::invalid_argument>([&] { subject.sums_that_fit({1, 2}, {{1, 2}}); });
  expect_refusal<std::domain_error>([&] { subject.sums_that_fit({1}, {{0, 1}}); });
}
KILLS("an interval may begin at 0", {.sums_that_fit = [](auto& x, auto& p) {
        return p.size() == 1 && p[0].lower <= 0 ? Interval<Rational>{0, 1} : sums_that_fit(x, p);
      }});
KILLS("no probabilities are accepted", {.least_sum_of_rounded = [](auto n, auto& unit) {
        return n == 0 ? Rational(1) : least_sum_of_rounded(n, unit);
      }});
KILLS("a unit of 0 is accepted", {.least_sum_of_rounded = [](auto n, auto& unit) {
        return unit == 0 ? Rational(1) : least_sum_of_rounded(n, unit);
      }});

ASIDE(SpreadExample, TheScoresAreRounded) {
  const std::vector<std::string> printed = {"1.15", "-0.39", "1.10", "-0.68", "0.15"};
  Vector scaled;
  for (std::size_t j = 0; j < 5; ++j) {
    scaled.push_back(raw_scores[j] / 8);
    expect_printed("S3", printed[j], scaled[j]);
  }
  // The scores before rounding have the same weights to two decimals.
  const std::vector<Interval<Rational>> exact = subject.softmax_enclosure(scaled);
  const std::vector<std::string> right = {"0.37", "0.08", "0.35", "0.06", "0.14"};
  for (std::size_t j = 0; j < 5; ++j) expect_rounds_to(right[j], exact[j]);
  enumerated(5);
}
KILLS("the scores are divided by 7", {.softmax_enclosure = [](auto& x) {
        Vector scaled = x;
        for (Rational& logit : scaled) logit *= Rational(8, 7);
        return softmax_enclosure(scaled);
      }});

}  // namespace sqrtdk::properties::SpreadExample
