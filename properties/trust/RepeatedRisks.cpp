#include "properties/trust/fixture.hpp"

namespace sqrtdk::properties::RepeatedRisks {

/// The number of checks that the ledger allows a test that has `checks` of them.
std::uint64_t checks_allowed(std::uint64_t checks) {
  const std::string test = current_test_name();
  const LedgerEntry entry{test, checks, 30};
  const auto before = std::exchange(active_ledger(), std::span<const LedgerEntry>(&entry, 1));
  const Evidence kept = std::exchange(evidence(), Evidence());
  std::uint64_t made = 0;
  try {
    for (; made < 100; ++made) alpha_of_next_check();
  } catch (const std::logic_error&) {  // the ledger allows no more
  }
  evidence() = kept;
  active_ledger() = before;
  return made;
}

struct Subject {
  Rational (*any)(const Rational&, unsigned) = [](const Rational& r, unsigned k) -> Rational {
    Rational none = 1;
    for (unsigned i = 0; i < k; ++i) none *= 1 - r;
    return 1 - none;
  };
  std::uint64_t (*allowed)(std::uint64_t) = checks_allowed;
};

//! [RepeatedRisks: exact check]
STATEMENT(RepeatedRisks, IsOneLessThePowerOfTheComplement) {
  for (int eighths = 0; eighths <= 8; ++eighths)
    for (unsigned k = 1; k <= 6; ++k) {
      const Rational r(eighths, 8);
      Rational at_least_one = 0;
      for (unsigned failures = 1; failures < 1U << k; ++failures) {
        Rational probability_of_pattern = 1;
        for (unsigned i = 0; i < k; ++i)
          probability_of_pattern *= (failures >> i) % 2 == 1 ? r : Rational(1 - r);
        at_least_one += probability_of_pattern;
      }
      EXPECT_EXACTLY(subject.any(r, k) == at_least_one) << "r = " << r << ", k = " << k;
      enumerated(1);
    }
  // Nearly 5 %, and about a hundred times 0.05 %.
  const Rational of_the_comment = subject.any(Rational(1, 400), 20);
  EXPECT_EXACTLY(of_the_comment > Rational(48, 1000));
  EXPECT_EXACTLY(of_the_comment < Rational(49, 1000));
  enumerated(1);
}
//! [RepeatedRisks: exact check]
KILLS("the risk is divided by the trials",
      {.any = [](auto& r, unsigned k) { return k == 0 ? Rational(0) : r / k; }});
KILLS("the risks are multiplied", {.any = [](auto& r, unsigned k) {
        Rational all = 1;
        for (unsigned i = 0; i < k; ++i) all *= r;
        return all;
      }});
KILLS("the risks are added", {.any = [](auto& r, unsigned k) { return r * k; }});

//! [RepeatedRisks]
STATEMENT(RepeatedRisks, LiesBetweenTheBoundsOfBonferroni) {
  for_all([&] {
    const auto k = *rc::gen::inRange(0U, 30U).as("number of trials");
    const Rational r(*rc::gen::inRange(0, 1001).as("thousandths of risk"), 1000);
    const Rational first = r * k;
    const Rational second = k == 0 ? Rational(0) : Rational(r * r * k * (k - 1) / 2);
    EXPECT_EXACTLY(subject.any(r, k) <= first);
    EXPECT_EXACTLY(subject.any(r, k) >= first - second);
  });
}
//! [RepeatedRisks]
KILLS("pairs of failures are taken off twice",
      {.any = [](auto& r, unsigned k) { return r * k - r * r * k * (k == 0 ? 0 : k - 1); }});

//! [RepeatedRisks: one in four hundred, twenty times]
ASIDE(RepeatedRisks, OneInFourHundredTwentyTimesIsFivePercent) {
  const double stated = 0.0005;
  const double right = Subject().any(Rational(1, 400), 20).convert_to<double>();
  const std::size_t runs = runs_to_tell_apart(stated, right);
  const Rational exact = subject.any(Rational(1, 400), 20);
  EXPECT_GT(exact, Rational(48, 1000));
  Stream stream = next_stream();
  Count alarms{0, runs};
  for (std::size_t run = 0; run < runs; ++run) {
    bool failed = false;
    for (int trial = 0; trial < 20; ++trial) failed |= uniform(stream) < 1.0 / 400;
    alarms.successes += failed ? 1 : 0;
  }
  expect_count("alarms", alarms, exact.convert_to<double>());
  // No risk of its own: no count agrees with both rates.
  EXPECT_TRUE(run_test(CountCheck(stated), alarms, strict).rejected)
      << "the stated rate is not refuted: the calibration has lost its teeth";
}
//! [RepeatedRisks: one in four hundred, twenty times]
KILLS("one trial counts for all",
      {.any = [](auto& r, unsigned k) { return k == 0 ? Rational(0) : r; }});

ASIDE(RepeatedRisks, CopiesOfOneTrialFailTogether) {
  const Rational risk_of_copies(1, 400);
  EXPECT_EXACTLY(subject.any(risk_of_copies, 20) != risk_of_copies);
  enumerated(1);
  counterexample_without("independent");
}
KILLS("always the same as for one trial", {.any = [](auto& r, unsigned) { return r; }});

ASIDE(RepeatedRisks, TheLedgerCountsEveryTrial) {
  for (std::uint64_t checks = 1; checks <= 20; ++checks)
    EXPECT_EXACTLY(subject.allowed(checks) == checks);
  enumerated(20);
}
KILLS("the ledger lets one check too many pass",
      {.allowed = [](auto checks) { return checks_allowed(checks + 1); }});

}  // namespace sqrtdk::properties::RepeatedRisks
