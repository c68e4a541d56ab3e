#include "properties/trust/fixture.hpp"

namespace sqrtdk::properties::UnionBound {

using Entries = std::vector<LedgerEntry>;

/// The bound of a ledger in multiples of 2⁻⁶², and whether it keeps a limit.
struct Subject {
  std::uint64_t (*bound)(const Entries&) = [](const Entries& entries) {
    return union_bound(entries);
  };
  bool (*keeps)(const Entries&, unsigned) = [](const Entries& entries, unsigned exponent) {
    return spends_at_most(entries, exponent);
  };
};

const Rational ledger_unit = Rational(1) / Rational(Integer(1) << ledger_resolution);

Rational alpha_of(const LedgerEntry& entry) {
  return Rational(1) / Rational(Integer(1) << entry.exponent);
}

STATEMENT(UnionBound, IsTheSumOverAllChecks) {
  for_all([&] {
    using Numbers = std::vector<std::pair<unsigned, unsigned>>;
    const auto entry = rc::gen::pair(rc::gen::inRange(1U, 9U), rc::gen::inRange(6U, 63U));
    const Numbers numbers =
        *rc::gen::mapcat(rc::gen::inRange<std::size_t>(0, 21), [entry](std::size_t size) {
           return rc::gen::container<Numbers>(size, entry);
         }).as("risks and exponents");
    std::vector<std::string> names;
    for (std::size_t i = 0; i < numbers.size(); ++i) names.push_back("S.T" + std::to_string(i));
    Entries entries;
    Rational sum = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      entries.push_back({names[i], numbers[i].first, numbers[i].second});
      sum += Rational(numbers[i].first) * alpha_of(entries.back());
    }
    EXPECT_EXACTLY(Rational(subject.bound(entries)) * ledger_unit == sum);
  });
}
KILLS("each entry is one check", {.bound = [](auto& entries) {
        Entries once = entries;
        for (LedgerEntry& entry : once) entry.risks = 1;
        return union_bound(once);
      }});
KILLS("the first entry is skipped", {.bound = [](auto& entries) {
        return union_bound(std::span(entries).subspan(entries.empty() ? 0 : 1));
      }});

//! [UnionBound]
STATEMENT(UnionBound, NoDistributionOfTheAlarmsExceedsIt) {
  for_all([&] {
    // The alarms of three checks: a distribution on the eight sets, in 64ths.
    const auto weights = *rc::gen::container<std::vector<std::uint64_t>>(7, rc::gen::inRange(0, 10))
                              .as("64ths of the seven sets that are not empty");
    std::uint64_t any = 0;
    std::uint64_t alarms[3] = {0, 0, 0};
    for (std::size_t set = 1; set < 8; ++set) {
      any += weights[set - 1];
      for (std::size_t check = 0; check < 3; ++check)
        if ((set >> check) % 2 == 1) alarms[check] += weights[set - 1];
    }
    EXPECT_EXACTLY(any <= 64U);  // seven times nine at most
    const char* const names[3] = {"First.Check", "Second.Check", "Third.Check"};
    Entries entries;
    for (std::size_t check = 0; check < 3; ++check)
      if (alarms[check] > 0) entries.push_back({names[check], alarms[check], 6});
    EXPECT_EXACTLY(Rational(subject.bound(entries)) * ledger_unit >= Rational(any, 64));
  });
}
//! [UnionBound]
KILLS("only the largest entry counts", {.bound = [](auto& entries) {
        std::uint64_t largest = 0;
        for (const LedgerEntry& entry : entries)
          largest = std::max(largest, union_bound(std::span(&entry, 1)));
        return largest;
      }});

//! [UnionBound: exact check]
STATEMENT(UnionBound, DisjointAlarmsReachIt) {
  std::vector<std::string> names;
  Entries entries;
  Rational product = 1;
  for (int check = 1; check <= 64; ++check) names.push_back("S.T" + std::to_string(check));
  for (std::uint64_t check = 1; check <= 64; ++check) {
    // One of 64 faces of a die raises the alarm of each check.
    entries.push_back({names[check - 1], 1, 6});
    product *= Rational(63, 64);
    const Rational any(check, 64);
    EXPECT_EXACTLY(Rational(subject.bound(entries)) * ledger_unit == any);
    const Rational by_multiplying = 1 - product;
    EXPECT_EXACTLY((any > by_multiplying) == (check > 1)) << "multiplying promises too much";
    enumerated(1);
  }
  record_value("by_multiplying", format_significant(Rational(1 - product).convert_to<double>(), 4));
}
//! [UnionBound: exact check]
KILLS("probabilities of passing are multiplied", {.bound = [](auto& entries) {
        Rational passing = 1;
        for (const LedgerEntry& entry : entries)
          for (std::uint64_t i = 0; i < entry.risks; ++i) passing *= 1 - alpha_of(entry);
        const Rational units = (1 - passing) / ledger_unit;
        return static_cast<std::uint64_t>(Integer(numerator(units) / denominator(units)));
      }});

ASIDE(UnionBound, ALedgerThatSpendsOneUnitTooMuchIsRefused) {
  for (unsigned exponent = 2; exponent < ledger_resolution; ++exponent) {
    EXPECT_EXACTLY(subject.keeps({{"S.T", 1, exponent}}, exponent));
    EXPECT_EXACTLY(!subject.keeps({{"S.T", 1, exponent}, {"S.U", 1, ledger_resolution}}, exponent));
    enumerated(1);
  }
}
KILLS("a ledger may spend a little more than its limit",
      {.keeps = [](auto& entries, unsigned exponent) {
        return spends_at_most(entries, exponent - 1);
      }});
KILLS("a ledger must spend less than its limit", {.keeps = [](auto& entries, unsigned exponent) {
        return union_bound(entries) < std::uint64_t{1} << (ledger_resolution - exponent);
      }});

}  // namespace sqrtdk::properties::UnionBound
