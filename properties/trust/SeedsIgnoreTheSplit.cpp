#include <sqrtdk/testing/statistics/seed.hpp>

#include "properties/trust/fixture.hpp"

namespace sqrtdk::properties::SeedsIgnoreTheSplit {

struct Subject {
  std::uint64_t (*seed)(std::uint64_t, std::string_view, std::uint64_t) = seed_of;
  std::uint64_t (*number)(std::uint64_t master, std::string_view name, std::uint64_t stream,
                          std::uint64_t place) = [](std::uint64_t master, std::string_view name,
                                                    std::uint64_t stream, std::uint64_t place) {
    Stream numbers = stream_of(master, name, stream);
    numbers.discard(place);
    return numbers();
  };
  Stream (*keyed)(std::uint64_t master, std::string_view name, std::uint64_t number) = stream_of;
  std::uint64_t (*active)() = active_seed;
  std::uint64_t (*next)() = [] { return evidence().next_stream(); };
};

/// The full names of all tests of this program.
std::vector<std::string> test_names() {
  std::vector<std::string> names;
  const auto& program = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const auto& suite = *program.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j)
      names.push_back(std::string(suite.name()) + "." + suite.GetTestInfo(j)->name());
  }
  return names;
}

//! [SeedsIgnoreTheSplit: exact check]
STATEMENT(SeedsIgnoreTheSplit, DependOnMasterNameAndStreamOnly) {
  static_assert(seed_of(default_master_seed, "Suite.Test", 0) == 0xe5f0505b02f7a8adU);
  std::vector<std::string> names = test_names();
  std::vector<std::uint64_t> seeds;
  for (const std::string& name : names) seeds.push_back(subject.seed(1, name, 0));
  EXPECT_EXACTLY(std::set(seeds.begin(), seeds.end()).size() == names.size())
      << "two tests share one";
  // In any other order, and any subset alone: here backwards.
  for (std::size_t i = names.size(); i-- > 0;)
    EXPECT_EXACTLY(subject.seed(1, names[i], 0) == seeds[i]) << names[i];
  enumerated(names.size());
}
//! [SeedsIgnoreTheSplit: exact check]
KILLS("a counter of calls is mixed in", {.seed = [](auto master, auto name, auto stream) {
        static std::uint64_t calls = 0;
        return seed_of(master, name, stream) + ++calls;
      }});
KILLS("only the suite's name is hashed", {.seed = [](auto master, auto name, auto stream) {
        return seed_of(master, name.substr(0, name.find('.')), stream);
      }});

/// The inverse of mix().
constexpr std::uint64_t unmix(std::uint64_t bits) {
  bits = (bits ^ (bits >> 31) ^ (bits >> 62)) * 0x319642b2d24d8ec3U;
  bits = (bits ^ (bits >> 27) ^ (bits >> 54)) * 0x96de1b173f119089U;
  return bits ^ (bits >> 30) ^ (bits >> 60);
}

//! [SeedsIgnoreTheSplit]
STATEMENT(SeedsIgnoreTheSplit, NeverMeetForOneName) {
  for_all([&] {
    const auto master = *rc::gen::arbitrary<std::uint64_t>().as("master seed");
    const auto stream = *rc::gen::arbitrary<std::uint64_t>().as("stream");
    const auto shift = *rc::gen::inRange(0, 64).as("shift");
    const std::uint64_t wide = master << shift;
    const std::uint64_t seed = subject.seed(wide, "Suite.Test", stream);
    // The seed and the stream give the master seed back; the seed and the master the stream.
    EXPECT_EXACTLY(unmix(unmix(seed - mix(stream + 1)) ^ hash("Suite.Test")) == wide);
    EXPECT_EXACTLY(unmix(seed - mix(mix(wide) ^ hash("Suite.Test"))) - 1 == stream);
    // So do the two words of a stream's key, which is all that a stream depends on.
    const auto key = subject.keyed(wide, "Suite.Test", stream).getkey();
    EXPECT_EXACTLY(key[1] == stream);
    EXPECT_EXACTLY(unmix(unmix(key[0] - mix(1)) ^ hash("Suite.Test")) == wide);
  });
}
//! [SeedsIgnoreTheSplit]
KILLS("the stream's number is ignored",
      {.seed = [](auto master, auto name, auto) { return seed_of(master, name, 0); }});
KILLS("half of the master seed is ignored", {.seed = [](auto master, auto name, auto stream) {
        return seed_of(master & 0xffffffffU, name, stream);
      }});
KILLS("the stream's number is no part of its key",
      {.keyed = [](auto master, auto name, auto) { return stream_of(master, name, 0); }});
KILLS("a stream begins at its number, under the key of the first",
      {.keyed = [](auto master, auto name, auto stream) {
        Stream shifted = stream_of(master, name, 0);
        shifted.discard(stream);
        return shifted;
      }});

STATEMENT(SeedsIgnoreTheSplit, AreTheSameHoweverTheyAreSplit) {
  Stream whole = stream_of(7, "Suite.Test", 3);
  for (std::uint64_t place = 0; place < 100; ++place)
    EXPECT_EXACTLY(subject.number(7, "Suite.Test", 3, place) == whole()) << "at " << place;
  enumerated(100);
}
KILLS("a split draws its first block twice",
      {.number = [](auto master, auto name, auto stream, auto place) {
        return Subject().number(master, name, stream, place < 4 ? place : place - 4);
      }});

/// The master seed of a test with this evidence level, of the library's check or a mutant's.
std::uint64_t seed_of_a_test(const Subject& subject, EvidenceLevel level,
                             bool of_a_mutant = false) {
  const bool mutant = std::exchange(checking_a_mutant(), of_a_mutant);
  const Evidence kept = std::exchange(evidence(), Evidence());
  evidence().rests_on(level);
  const std::uint64_t seed = subject.active();
  evidence() = kept;
  checking_a_mutant() = mutant;
  return seed;
}

class OtherMasterSeed {
 public:
  static constexpr std::uint64_t value = 1;
  OtherMasterSeed() {
    if (const char* set = std::getenv("SQRTDK_SEED")) before_ = set;
    setenv("SQRTDK_SEED", std::to_string(value).c_str(), 1);
  }
  OtherMasterSeed(const OtherMasterSeed&) = delete;
  OtherMasterSeed& operator=(const OtherMasterSeed&) = delete;
  ~OtherMasterSeed() {
    if (before_)
      setenv("SQRTDK_SEED", before_->c_str(), 1);
    else
      unsetenv("SQRTDK_SEED");
  }

 private:
  std::optional<std::string> before_;
};

STATEMENT(SeedsIgnoreTheSplit, WhatRestsOnAMeasurementKeepsTheBooksSeed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the process below starts from the beginning
  static const std::uint64_t here = master_seed();
  static_cast<void>(mutant_seed());
  const OtherMasterSeed other;
  EXPECT_EXACTLY(seed_of_a_test(subject, EvidenceLevel::statistical) == here);
  EXPECT_EXACTLY(seed_of_a_test(subject, EvidenceLevel::measured) == default_master_seed);
  EXPECT_EXACTLY(seed_of_a_test(subject, EvidenceLevel::statistical, true) == mutant_seed());
  EXPECT_EXIT(
      std::_Exit(seed_of_a_test(subject, EvidenceLevel::statistical) == other.value &&
                         seed_of_a_test(subject, EvidenceLevel::measured) == default_master_seed &&
                         seed_of_a_test(subject, EvidenceLevel::statistical, true) == mutant_seed()
                     ? 0
                     : 1),
      ::testing::ExitedWithCode(0), "")
      << "in a run with master seed " << other.value;
  enumerated(6);
}
KILLS("measured tests, too, take the master seed of the run", {.active = master_seed});
KILLS("no test takes the master seed of the run", {.active = [] { return default_master_seed; }});
KILLS("mutants, too, take the master seed of the run", {.active = [] {
        return evidence().rests_on_measurement() ? default_master_seed : master_seed();
      }});

STATEMENT(SeedsIgnoreTheSplit, EachCheckNumbersItsSourcesFromZero) {
  const std::uint64_t first = evidence().next_stream();
  // For a mutant, too. An exception fails the test, where an assertion would pass for a kill.
  if (checking_a_mutant() && first != 0) throw std::logic_error("a mutant's sources go on");
  EXPECT_EXACTLY(first == 0);
  EXPECT_EXACTLY(subject.next() == 1);
  enumerated(2);
}
KILLS("sources are numbered across the checks of a test", {.next = [] {
        static std::uint64_t opened = evidence().next_stream();
        return ++opened;
      }});

ASIDE(SeedsIgnoreTheSplit, AcrossMasterSeedsAlarmsAreAsRareAsStated) {
  const std::size_t masters = runs_to_see(rates.alpha, rates.alpha);
  // One check at level α for each of so many master seeds, beginning with this run's.
  evidence().next_stream();
  Count alarms{0, masters};
  for (std::uint64_t i = 0; i < masters; ++i) {
    const double u = open_uniform(subject.number(active_seed() + i, current_test_name(), 0, 0));
    alarms.successes += u < rates.alpha ? 1 : 0;
  }
  expect_count("alarms", alarms, rates.alpha);
}
KILLS("the master seed is ignored", {.number = [](auto, auto name, auto stream, auto place) {
        return Subject().number(default_master_seed, name, stream, place);
      }});

}  // namespace sqrtdk::properties::SeedsIgnoreTheSplit
